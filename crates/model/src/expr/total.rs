//! Totality analysis: expressions that have a value wherever they are evaluated.
//!
//! The analysis is sound and incomplete. If it reports an expression as total,
//! the expression has no fault for any values within the intervals of an
//! [`IntervalEnvironment`]; otherwise it may or may not have one. Guards do not
//! count: every subexpression of a total expression is total by itself.
//! Subexpressions may therefore be evaluated in any order, including those that
//! short-circuit evaluation would skip.

use super::bounds::{Interval, IntervalEnvironment};
use super::{Arithmetic, Bool, Fold, HeapSet, List, Num, Part, Region, Set};

/// Whether the expression has a value, and every number in it a value in
/// `within`, for all values of the environment.
///
/// With [`Interval::ALL`] overflow is ignored; with [`Interval::I64`] an
/// expression that may overflow 64 bits is not total.
pub fn is_total(part: Part<'_>, known: &mut IntervalEnvironment, within: Interval) -> bool {
    Totality { known, within }.part(part)
}

struct Totality<'k> {
    known: &'k mut IntervalEnvironment,
    within: Interval,
}

impl Totality<'_> {
    fn part(&mut self, part: Part<'_>) -> bool {
        match part {
            Part::Num(num) => self.num(num),
            Part::Bool(condition) => self.condition(condition),
            Part::List(list) => self.list(list),
            Part::Set(set) => self.set(set),
        }
    }

    fn least(&mut self, num: &Num) -> i128 {
        self.known.num(num).low
    }

    fn num(&mut self, num: &Num) -> bool {
        let has_value = match num {
            Num::Const(_)
            | Num::Heap(_)
            | Num::Local(_)
            | Num::SizeOf(_)
            | Num::IndexOf(_)
            | Num::Total => true,
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let known = self.known.num(index);
                let first = i128::from(*first);
                self.num(index) && known.low >= first && known.high < first + heaps.len() as i128
            }
            Num::Negate(inner) => self.num(inner),
            Num::Binary(operator, left, right) => {
                self.num(left)
                    && self.num(right)
                    && match operator {
                        Arithmetic::Add
                        | Arithmetic::Subtract
                        | Arithmetic::Multiply
                        | Arithmetic::Gcd => true,
                        Arithmetic::Power => self.least(right) >= 0,
                        Arithmetic::Divide | Arithmetic::Modulo => self.least(right) >= 1,
                    }
            }
            Num::If(condition, then, otherwise) => {
                self.condition(condition) && self.num(then) && self.num(otherwise)
            }
            Num::Let(slot, value, body) => {
                let is_total = self.num(value);
                let value = self.known.num(value);
                self.known.set_local(*slot, value);
                is_total && self.num(body)
            }
            Num::Fold(fold, list) => {
                self.list(list)
                    && match fold {
                        Fold::Max | Fold::Min => match &list.node {
                            List::Heaps(heaps) => !heaps.is_empty(),
                            List::Items(items) => !items.is_empty(),
                            // The maximum over an empty multiset is 0.
                            List::Multiset(_) => true,
                            _ => false,
                        },
                        Fold::Sum | Fold::Count => true,
                    }
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                self.num(base)
                    && self.list(list)
                    && self.num(modulus)
                    && self.least(base) >= 2
                    && self.least(modulus) >= 1
                    && self.known.list(list).low >= 0
            }
            Num::Apply(function, arguments) => {
                (arguments.iter().zip(function.domain())).all(|(argument, least)| {
                    self.num(argument) && self.least(argument) >= i128::from(*least)
                })
            }
            Num::Components(region) => self.region(region),
        };
        let value = self.known.num(num);
        has_value && self.within.low <= value.low && value.high <= self.within.high
    }

    fn all<'e>(&mut self, parts: impl IntoIterator<Item = Part<'e>>) -> bool {
        parts.into_iter().all(|part| self.part(part))
    }

    fn condition(&mut self, condition: &Bool) -> bool {
        match condition {
            Bool::Const(_) | Bool::Same(..) => true,
            Bool::Compare(_, left, right) => self.num(left) && self.num(right),
            Bool::In(num, set) => self.num(num) && self.set(set),
            Bool::And(parts) | Bool::Or(parts) => {
                self.all(parts.iter().map(|part| Part::Bool(part)))
            }
            Bool::Not(inner) => self.condition(inner),
            Bool::If(condition, then, otherwise) => {
                self.condition(condition) && self.condition(then) && self.condition(otherwise)
            }
            Bool::Let(slot, value, body) => {
                let is_total = self.num(value);
                let value = self.known.num(value);
                self.known.set_local(*slot, value);
                is_total && self.condition(body)
            }
            Bool::Quantified {
                slot, set, body, ..
            } => {
                let is_total = is_listed(set) && self.set(set);
                let members = self.known.set(set);
                self.known.set_local(*slot, members);
                is_total && self.condition(body)
            }
            Bool::Each(slot, body) => {
                self.known.set_local(*slot, Interval::NATURALS);
                self.condition(body)
            }
            Bool::Distinct(list) => self.list(list),
            // There may be more images than evaluation may visit.
            Bool::Like(_) => false,
            Bool::Joined(joined) => {
                let mut ends = joined.ends().into_iter();
                ends.all(|end| match end {
                    HeapSet::These(_) | HeapSet::Picked(_) => true,
                    HeapSet::At { lists, index } => self.is_index(index, lists.len()),
                }) && self.region(&joined.through)
            }
        }
    }

    /// Whether the condition of a region is total.
    fn region(&mut self, region: &Region) -> bool {
        let numbers = Interval::new(1, region.neighbours.len() as i128);
        self.known.set_local(region.slot, numbers);
        self.all(region.condition.iter().map(|part| Part::Bool(part)))
    }

    /// Whether an index is that of one of `many` lists.
    fn is_index(&mut self, index: &Num, many: usize) -> bool {
        let known = self.known.num(index);
        self.num(index) && known.low >= 1 && known.high <= many as i128
    }

    fn list(&mut self, list: &List) -> bool {
        match list {
            List::Heaps(_) | List::Multiset(_) | List::Picked(_) | List::Amounts => true,
            List::At { lists, index } => self.is_index(index, lists.len()),
            List::Items(items) => self.all(items.iter().map(|item| Part::Num(item))),
            List::Sorted(inner) => self.list(inner),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let is_total = is_listed(over) && self.set(over);
                let members = self.known.set(over);
                self.known.set_local(*slot, members);
                is_total
                    && self.num(value)
                    && self.all(condition.iter().map(|part| Part::Bool(part)))
            }
            List::Members(set) => is_listed(set) && self.set(set),
        }
    }

    fn set(&mut self, set: &Set) -> bool {
        match set {
            Set::Named(_) => true,
            Set::Range(low, high) => {
                self.num(low) && self.all(high.iter().map(|high| Part::Num(high)))
            }
            Set::Items(items) => self.all(items.iter().map(|item| Part::Num(item))),
            Set::Powers(base) => self.num(base) && self.least(base) >= 2,
            Set::List(list) => self.list(list),
        }
    }
}

/// Whether the number of members of a set is bounded by the expression or the
/// number of heaps. Other sets may have more members than evaluation may visit.
fn is_listed(set: &Set) -> bool {
    match set {
        Set::Items(_) => true,
        Set::List(list) => match &list.node {
            List::Sorted(inner) => !matches!(inner.node, List::Members(_) | List::Gathered { .. }),
            List::Members(_) | List::Gathered { .. } => false,
            List::Heaps(_)
            | List::Multiset(_)
            | List::Items(_)
            | List::Picked(_)
            | List::At { .. }
            | List::Amounts => true,
        },
        Set::Range(..) | Set::Named(_) | Set::Powers(_) => false,
    }
}
