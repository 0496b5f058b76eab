//! Numbers and conditions as alternatives of comparisons.
//!
//! A number is one of several sums, each in a case of its own; a condition is a
//! list of alternatives, each a list of comparisons. The largest of some
//! numbers is each of them, in the case that it is the largest.

use super::{Atom, Linear, Unread, Variable};
use crate::expr::{Arithmetic, Bool, Fold, HeapId, List, Num, Order, Pick, Quantifier, Set, Slot};
use std::collections::BTreeMap;

/// Comparisons that all hold.
pub type All = Vec<Atom>;
/// One of which holds.
pub type Any = Vec<All>;
/// A number, case by case.
pub type Cases = Vec<(All, Linear)>;

/// More alternatives are not gone into.
const MOST: usize = 2_000;

/// What names stand for at some point of a move.
#[derive(Debug, Clone)]
pub struct Place {
    /// What the heaps hold.
    pub heaps: Vec<Linear>,
    pub locals: BTreeMap<Slot, Linear>,
    pub picks: BTreeMap<Pick, Vec<HeapId>>,
    /// What this step takes, heap by heap.
    pub amounts: Vec<Linear>,
    /// How many numbers there are besides.
    pub beside: usize,
}

fn unread<T>(words: &str) -> Result<T, Unread> {
    Err(Unread(words.to_owned()))
}

/// Each alternative of one with each of the other.
pub fn both(one: &Any, other: &Any) -> Result<Any, Unread> {
    if one.len().saturating_mul(other.len()) > MOST {
        return unread("so many alternatives");
    }
    let joined = |left: &All, right: &All| left.iter().chain(right).cloned().collect();
    let each = one
        .iter()
        .flat_map(|left| other.iter().map(move |right| joined(left, right)));
    Ok(each.collect())
}

/// `left` is so to `right`.
fn compared(left: &Linear, order: Order, right: &Linear) -> Result<Any, Unread> {
    let apart = left.plus(-1, right)?;
    let less = |sum: Linear| sum.plus(1, &Linear::of(1)).map(Atom::AtMostZero);
    Ok(match order {
        Order::Equal => vec![vec![Atom::Zero(apart)]],
        Order::AtMost => vec![vec![Atom::AtMostZero(apart)]],
        Order::Less => vec![vec![less(apart)?]],
        Order::NotEqual => vec![vec![less(apart.clone())?], vec![less(apart.times(-1)?)?]],
    })
}

impl Place {
    /// A number of which nothing is known.
    pub fn fresh(&mut self) -> Linear {
        self.beside += 1;
        Linear::variable(Variable::Beside(self.beside - 1))
    }

    pub fn number(&mut self, num: &Num) -> Result<Cases, Unread> {
        let one = |sum: Linear| Ok(vec![(Vec::new(), sum)]);
        match num {
            Num::Const(value) => one(Linear::of(*value)),
            Num::Heap(heap) => one(self.heaps[heap.index()].clone()),
            Num::Local(slot) => match self.locals.get(slot) {
                Some(sum) => one(sum.clone()),
                None => unread("a name that stands for nothing here"),
            },
            Num::SizeOf(pick) => match self.picks.get(pick).map(Vec::as_slice) {
                Some([heap]) => one(self.heaps[heap.index()].clone()),
                _ => unread("the size of several heaps"),
            },
            Num::Total => {
                let zero = Linear::default();
                let mut amounts = self.amounts.iter();
                one(amounts.try_fold(zero, |sum, amount| sum.plus(1, amount))?)
            }
            Num::Negate(inner) => {
                let cases = self.number(inner)?;
                let turned = |(all, sum): (All, Linear)| Ok((all, sum.times(-1)?));
                cases.into_iter().map(turned).collect()
            }
            Num::Binary(operator, left, right) => self.binary(*operator, left, right),
            Num::If(condition, then, otherwise) => {
                let mut cases = Vec::new();
                for (holds, num) in [(true, then), (false, otherwise)] {
                    let any = self.condition(condition, holds)?;
                    for (all, sum) in self.number(num)? {
                        let each = both(&any, &vec![all])?;
                        cases.extend(each.into_iter().map(|all| (all, sum.clone())));
                    }
                }
                Ok(cases)
            }
            Num::Let(slot, value, body) => {
                let mut cases = Vec::new();
                for (given, value) in self.number(value)? {
                    let before = self.locals.insert(*slot, value);
                    for (all, sum) in self.number(body)? {
                        cases.push((given.iter().cloned().chain(all).collect(), sum));
                    }
                    self.restore(*slot, before);
                }
                Ok(cases)
            }
            Num::Fold(fold, list) => self.fold(*fold, list),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let mut cases = Vec::new();
                for (given, index) in self.number(index)? {
                    for (place, heap) in (*first..).zip(heaps) {
                        let here = compared(&index, Order::Equal, &Linear::of(place))?;
                        let sum = self.heaps[heap.index()].clone();
                        for all in both(&here, &vec![given.clone()])? {
                            cases.push((all, sum.clone()));
                        }
                    }
                }
                Ok(cases)
            }
            Num::Carryless { .. } => unread("`carryless`"),
            Num::Digit { .. } => unread("`digit`"),
            Num::Isqrt(_) => unread("`isqrt`"),
        }
    }

    fn restore(&mut self, slot: Slot, before: Option<Linear>) {
        match before {
            Some(before) => self.locals.insert(slot, before),
            None => self.locals.remove(&slot),
        };
    }

    fn binary(&mut self, operator: Arithmetic, left: &Num, right: &Num) -> Result<Cases, Unread> {
        let (left, right) = (self.number(left)?, self.number(right)?);
        if left.len().saturating_mul(right.len()) > MOST {
            return unread("so many alternatives");
        }
        let mut cases = Vec::new();
        for (one, x) in &left {
            for (other, y) in &right {
                let sum = match (operator, x.constant(), y.constant()) {
                    (Arithmetic::Add, ..) => x.plus(1, y)?,
                    (Arithmetic::Subtract, ..) => x.plus(-1, y)?,
                    (Arithmetic::Multiply, Some(factor), _) => y.times(factor)?,
                    (Arithmetic::Multiply, _, Some(factor)) => x.times(factor)?,
                    (Arithmetic::Multiply, ..) => return unread("products of heaps"),
                    (Arithmetic::Divide, ..) => return unread("`div`"),
                    (Arithmetic::Modulo, ..) => return unread("`mod`"),
                    (Arithmetic::NimSum, ..) => return unread("`^`"),
                };
                cases.push((one.iter().chain(other).cloned().collect(), sum));
            }
        }
        Ok(cases)
    }

    fn fold(&mut self, fold: Fold, list: &List) -> Result<Cases, Unread> {
        let list = self.list(list)?;
        let largest = match fold {
            Fold::Sum => {
                let zero = Linear::default();
                let sum = list.iter().try_fold(zero, |sum, one| sum.plus(1, one))?;
                return Ok(vec![(Vec::new(), sum)]);
            }
            Fold::Count => return Ok(vec![(Vec::new(), Linear::of(list.len() as i64))]),
            Fold::Xor => return unread("`xor`"),
            Fold::Max => true,
            Fold::Min => false,
        };
        let mut cases = Vec::new();
        for one in &list {
            let mut all = Vec::new();
            for other in &list {
                let apart = match largest {
                    true => other.plus(-1, one)?,
                    false => one.plus(-1, other)?,
                };
                all.push(Atom::AtMostZero(apart));
            }
            cases.push((all, one.clone()));
        }
        Ok(cases)
    }

    /// A list whose members are each a sum.
    fn list(&mut self, list: &List) -> Result<Vec<Linear>, Unread> {
        match list {
            List::Heaps(heaps) => Ok(self.sizes(heaps)),
            List::Picked(pick) => {
                let heaps = self.picks.get(pick).cloned().unwrap_or_default();
                Ok(self.sizes(&heaps))
            }
            List::Amounts => Ok(self.amounts.clone()),
            List::Items(items) => {
                let mut found = Vec::new();
                for item in items {
                    match self.number(item)?.as_slice() {
                        [(all, sum)] if all.is_empty() => found.push(sum.clone()),
                        _ => return unread("lists of numbers that depend on the position"),
                    }
                }
                Ok(found)
            }
            _ => unread("lists of this kind"),
        }
    }

    fn sizes(&self, heaps: &[HeapId]) -> Vec<Linear> {
        heaps
            .iter()
            .map(|h| self.heaps[h.index()].clone())
            .collect()
    }

    /// The alternatives in which a condition holds, or does not.
    pub fn condition(&mut self, condition: &Bool, holds: bool) -> Result<Any, Unread> {
        match condition {
            Bool::Const(value) if *value == holds => Ok(vec![Vec::new()]),
            Bool::Const(_) => Ok(Vec::new()),
            Bool::Not(inner) => self.condition(inner, !holds),
            Bool::Compare(order, left, right) => {
                let (left, right) = (self.number(left)?, self.number(right)?);
                let mut any = Vec::new();
                for (one, x) in &left {
                    for (other, y) in &right {
                        let given = one.iter().chain(other).cloned().collect();
                        let said = match (holds, order) {
                            (true, order) => compared(x, *order, y),
                            (false, Order::Equal) => compared(x, Order::NotEqual, y),
                            (false, Order::NotEqual) => compared(x, Order::Equal, y),
                            (false, Order::Less) => compared(y, Order::AtMost, x),
                            (false, Order::AtMost) => compared(y, Order::Less, x),
                        };
                        any.extend(both(&said?, &vec![given])?);
                    }
                }
                Ok(any)
            }
            Bool::And(parts) | Bool::Or(parts) => {
                if matches!(condition, Bool::And(_)) == holds {
                    let mut all = vec![Vec::new()];
                    for part in parts {
                        all = both(&all, &self.condition(part, holds)?)?;
                    }
                    return Ok(all);
                }
                let mut any = Vec::new();
                for part in parts {
                    any.extend(self.condition(part, holds)?);
                }
                Ok(any)
            }
            Bool::If(condition, then, otherwise) => {
                let mut any = Vec::new();
                for (way, part) in [(true, then), (false, otherwise)] {
                    let given = self.condition(condition, way)?;
                    any.extend(both(&given, &self.condition(part, holds)?)?);
                }
                Ok(any)
            }
            Bool::Let(slot, value, body) => {
                let mut any = Vec::new();
                for (given, value) in self.number(value)? {
                    let before = self.locals.insert(*slot, value);
                    let inside = self.condition(body, holds);
                    self.restore(*slot, before);
                    any.extend(both(&inside?, &vec![given])?);
                }
                Ok(any)
            }
            Bool::In(num, set) => {
                let mut any = Vec::new();
                for (given, number) in self.number(num)? {
                    let inside = self.belongs(&number, set, holds)?;
                    any.extend(both(&inside, &vec![given])?);
                }
                Ok(any)
            }
            Bool::Each(slot, body) => {
                let amounts = self.amounts.clone();
                self.for_each(*slot, &amounts, body, holds, true)
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } if let Set::List(list) = &set.node => {
                let list = self.list(list)?;
                let all = *quantifier == Quantifier::Forall;
                self.for_each(*slot, &list, body, holds, all)
            }
            Bool::Same(one, other) if (self.picks.get(one) == self.picks.get(other)) == holds => {
                Ok(vec![Vec::new()])
            }
            Bool::Same(..) => Ok(Vec::new()),
            Bool::Quantified { .. } => unread("quantifiers over numbers"),
            Bool::Distinct(_) => unread("`distinct`"),
            Bool::Like(_) => unread("`like`"),
        }
    }

    /// A condition of all numbers, or of some.
    fn for_each(
        &mut self,
        slot: Slot,
        numbers: &[Linear],
        body: &Bool,
        holds: bool,
        all: bool,
    ) -> Result<Any, Unread> {
        let together = all == holds;
        let mut found = if together {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
        for number in numbers {
            let before = self.locals.insert(slot, number.clone());
            let inside = self.condition(body, holds);
            self.restore(slot, before);
            match together {
                true => found = both(&found, &inside?)?,
                false => found.extend(inside?),
            }
        }
        Ok(found)
    }

    /// A number is in a set, or is not.
    pub fn belongs(&mut self, number: &Linear, set: &Set, holds: bool) -> Result<Any, Unread> {
        match set {
            Set::Range(low, high) => {
                let mut ends = vec![(low, true)];
                ends.extend(high.iter().map(|high| (high, false)));
                let mut found = if holds { vec![Vec::new()] } else { Vec::new() };
                for (end, is_low) in ends {
                    let mut any = Vec::new();
                    for (given, end) in self.number(end)? {
                        let (less, more) = if is_low {
                            (&end, number)
                        } else {
                            (number, &end)
                        };
                        let said = match holds {
                            true => compared(less, Order::AtMost, more)?,
                            false => compared(more, Order::Less, less)?,
                        };
                        any.extend(both(&said, &vec![given])?);
                    }
                    match holds {
                        true => found = both(&found, &any)?,
                        false => found.extend(any),
                    }
                }
                Ok(found)
            }
            Set::Items(items) => {
                let order = if holds { Order::Equal } else { Order::NotEqual };
                let mut found = if holds { Vec::new() } else { vec![Vec::new()] };
                for item in items {
                    let mut any = Vec::new();
                    for (given, item) in self.number(item)? {
                        any.extend(both(&compared(number, order, &item)?, &vec![given])?);
                    }
                    match holds {
                        true => found.extend(any),
                        false => found = both(&found, &any)?,
                    }
                }
                Ok(found)
            }
            Set::Powers(base) => match (self.number(base)?.as_slice(), holds) {
                ([(given, base)], true) if given.is_empty() => match base.constant() {
                    Some(base) if base >= 2 => {
                        let index = self.beside;
                        let power = self.fresh();
                        let same = Atom::Zero(number.plus(-1, &power)?);
                        Ok(vec![vec![same, Atom::Power(base, index)]])
                    }
                    _ => unread("powers of numbers that are not fixed"),
                },
                _ => unread("what is no power"),
            },
            Set::Squares => unread("`squares`"),
            Set::List(_) => unread("membership in lists"),
        }
    }
}
