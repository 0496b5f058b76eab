//! What can be said of an expression before any position is looked at:
//! intervals for numbers, and whether a condition holds always, never or
//! sometimes.
//!
//! The analysis is one-sided: intervals may be too wide, and "sometimes" may be
//! said of what is always or never so. What is excluded is excluded for certain,
//! over the integers without bound, and so also where evaluation with 64 bits
//! has a value: a fault is no value, and lies in every interval.

use super::{Arithmetic, Bool, Expr, Fold, HeapId, List, Num, Order, Set, Slot};
use crate::expr::Quantifier;
use std::collections::BTreeMap;

/// Stands for "no bound"; far beyond every number that is counted with, and
/// far enough from the ends of `i128` that sums of a few cannot pass them.
const ENDLESS: i128 = 1 << 100;
const NO_LOW: i128 = -ENDLESS;

/// A condition is gone through so often for what its parts say of each other:
/// as often as it can name another heap, and no further, for `a < b and b < a`
/// would never be done.
const MOST_ROUNDS: usize = 1000;

/// The integers from `low` to `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub low: i128,
    pub high: i128,
}

impl Interval {
    pub const ALL: Interval = Interval {
        low: NO_LOW,
        high: ENDLESS,
    };
    /// The sizes that a heap can have by the meaning of a rule, without bound.
    pub const SIZES: Interval = Interval {
        low: 0,
        high: ENDLESS,
    };
    /// The numbers that engines count with.
    pub const COUNTED: Interval = Interval {
        low: i64::MIN as i128,
        high: i64::MAX as i128,
    };

    pub fn new(low: i128, high: i128) -> Interval {
        Interval {
            low: low.clamp(NO_LOW, ENDLESS),
            high: high.clamp(NO_LOW, ENDLESS),
        }
    }

    pub fn point(value: i64) -> Interval {
        Interval::new(value.into(), value.into())
    }

    pub fn from(low: i128) -> Interval {
        Interval::new(low, ENDLESS)
    }

    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The largest member, if there is one.
    pub fn highest(self) -> Option<i64> {
        i64::try_from(self.high).ok()
    }

    pub fn hull(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    pub fn meet(self, other: Interval) -> Interval {
        Interval::new(self.low.max(other.low), self.high.min(other.high))
    }

    fn negated(self) -> Interval {
        Interval::new(-self.high, -self.low)
    }

    fn plus(self, other: Interval) -> Interval {
        // What has no bound has none with something added either.
        let low = match self.low.min(other.low) {
            ..=NO_LOW => NO_LOW,
            _ => self.low + other.low,
        };
        let high = match self.high.max(other.high) {
            ENDLESS.. => ENDLESS,
            _ => self.high + other.high,
        };
        Interval::new(low, high)
    }

    /// Quotients by positive numbers, rounded towards minus infinity.
    fn quotients(self, by: Interval) -> Interval {
        let low = match self.low {
            ..=NO_LOW => NO_LOW,
            low => low.div_euclid(by.low).min(low.div_euclid(by.high)),
        };
        let high = match self.high {
            ENDLESS.. => ENDLESS,
            high => high.div_euclid(by.low).max(high.div_euclid(by.high)),
        };
        Interval::new(low, high)
    }

    fn products(self, other: Interval) -> Interval {
        let corners = [
            self.low.saturating_mul(other.low),
            self.low.saturating_mul(other.high),
            self.high.saturating_mul(other.low),
            self.high.saturating_mul(other.high),
        ];
        let low = corners.iter().copied().min().unwrap_or(NO_LOW);
        let high = corners.iter().copied().max().unwrap_or(ENDLESS);
        Interval::new(low, high)
    }
}

/// What a condition can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    Always,
    Never,
    Sometimes,
}

impl Truth {
    fn not(self) -> Truth {
        match self {
            Truth::Always => Truth::Never,
            Truth::Never => Truth::Always,
            Truth::Sometimes => Truth::Sometimes,
        }
    }
}

/// An interval that holds every nim-sum of two or more such numbers.
fn nim_sum(a: Interval, b: Interval) -> Interval {
    if a.high >= ENDLESS || b.high >= ENDLESS {
        return Interval::SIZES;
    }
    // It has no more binary digits than the longest number.
    let longest = a.high.max(b.high).max(0);
    Interval::new(
        0,
        (longest + 1).unsigned_abs().next_power_of_two() as i128 - 1,
    )
}

/// The heap at an index that is known.
fn heap_at(heaps: &[HeapId], first: i64, index: Interval) -> Option<HeapId> {
    let place = index.low.checked_sub(first.into())?;
    let heap = heaps.get(usize::try_from(place).ok()?)?;
    (index.low == index.high).then_some(*heap)
}

/// How many entries a row may have, where that is written out.
fn length(list: &List) -> Option<Interval> {
    let exactly = |many: usize| Interval::new(many as i128, many as i128);
    match list {
        List::Heaps(heaps) => Some(exactly(heaps.len())),
        List::Items(numbers) => Some(exactly(numbers.len())),
        List::Sorted(inner) => length(inner),
        List::Members(set) | List::Gathered { over: set, .. } => {
            let most = match &set.node {
                Set::Items(items) => exactly(items.len()),
                Set::List(list) => length(list)?,
                _ => return None,
            };
            Some(Interval { low: 0, ..most })
        }
        List::Bag(_) | List::Picked(_) | List::Amounts => None,
    }
}

/// What is known of the numbers an expression may read.
#[derive(Debug, Clone)]
pub struct Known {
    /// Every heap's size.
    pub heaps: Interval,
    /// The tokens taken in the step.
    pub total: Interval,
    locals: Vec<Interval>,
    /// Where one position is spoken of throughout, what is known of single
    /// heaps. The conditions of a move are asked of one position after another,
    /// and what one says of a heap is no news of the next.
    single: Option<BTreeMap<HeapId, Interval>>,
    /// Numbers of which more is known than their parts tell.
    learned: Vec<(Num, Interval)>,
}

impl Known {
    pub fn new(slots: usize, heaps: Interval) -> Known {
        Known {
            heaps,
            total: Interval::from(1),
            locals: vec![Interval::ALL; slots],
            single: None,
            learned: Vec::new(),
        }
    }

    /// What is known of one position, before any condition on it is.
    pub fn of_one_position(slots: usize) -> Known {
        Known {
            single: Some(BTreeMap::new()),
            ..Known::new(slots, Interval::SIZES)
        }
    }

    /// The sizes that a heap may have.
    pub fn heap(&self, heap: HeapId) -> Interval {
        let known = self.single.as_ref().and_then(|single| single.get(&heap));
        known.copied().unwrap_or(self.heaps)
    }

    /// Sets what is known of a heap of the one position spoken of.
    pub fn set_heap(&mut self, heap: HeapId, interval: Interval) {
        if let Some(single) = &mut self.single {
            single.insert(heap, interval);
        }
    }

    /// Room for slots that were made since; nothing is known of them.
    pub fn make_room(&mut self, slots: usize) {
        self.locals
            .resize(slots.max(self.locals.len()), Interval::ALL);
    }

    pub fn all_locals(&mut self, interval: Interval) {
        self.locals.fill(interval);
    }

    pub fn local(&self, slot: Slot) -> Interval {
        self.locals
            .get(slot.index())
            .copied()
            .unwrap_or(Interval::ALL)
    }

    pub fn set_local(&mut self, slot: Slot, interval: Interval) {
        if let Some(known) = self.locals.get_mut(slot.index()) {
            *known = interval;
        }
    }

    /// Takes as given that a number is in an interval wherever it stands.
    pub fn learn(&mut self, num: Num, interval: Interval) {
        self.learned.push((num, interval));
    }

    /// An interval that holds every value of `num`.
    pub fn num(&mut self, num: &Num) -> Interval {
        if let Some((_, learned)) = self.learned.iter().find(|(known, _)| known == num) {
            return *learned;
        }
        match num {
            Num::Const(value) => Interval::point(*value),
            Num::Heap(heap) => self.heap(*heap),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let index = self.num(index);
                match heap_at(heaps, *first, index) {
                    Some(heap) => self.heap(heap),
                    None => self.hull_of(heaps),
                }
            }
            Num::SizeOf(_) => self.heaps,
            Num::Local(slot) => self.local(*slot),
            Num::Total => self.total,
            Num::Negate(inner) => self.num(inner).negated(),
            Num::Binary(operator, left, right) => {
                let (a, b) = (self.num(left), self.num(right));
                match operator {
                    Arithmetic::Add => a.plus(b),
                    Arithmetic::Subtract => a.plus(b.negated()),
                    Arithmetic::Multiply => a.products(b),
                    // An interval of no numbers has no bounds to divide by.
                    Arithmetic::Divide if b.low >= 1 && !b.is_empty() => a.quotients(b),
                    Arithmetic::Divide => Interval::ALL,
                    Arithmetic::Modulo if b.high >= ENDLESS => Interval::SIZES,
                    Arithmetic::Modulo => Interval::new(0, b.high - 1),
                    Arithmetic::NimSum => nim_sum(a, b),
                }
            }
            Num::If(condition, then, otherwise) => match self.truth(condition) {
                Truth::Always => self.num(then),
                Truth::Never => self.num(otherwise),
                Truth::Sometimes => {
                    let then = self.num(then);
                    then.hull(self.num(otherwise))
                }
            },
            Num::Let(slot, value, body) => {
                let value = self.num(value);
                self.set_local(*slot, value);
                self.num(body)
            }
            Num::Fold(fold, list) => self.fold(*fold, list),
            Num::Isqrt(inner) => match self.num(inner).meet(Interval::SIZES) {
                Interval { low, high } if high >= ENDLESS => Interval::from(low.isqrt()),
                Interval { low, high } => Interval::new(low.isqrt(), high.max(0).isqrt()),
            },
            Num::Digit { base, .. } => {
                let base = self.num(base);
                Interval::new(0, (base.high - 1).max(0)).meet(Interval::SIZES)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                // As many digits as the largest number, none beyond the modulus.
                let largest = self.list(list).high.max(1);
                let (base, modulus) = (self.num(base).high, self.num(modulus).high);
                let high = largest.saturating_mul(base.max(2));
                Interval::new(0, high.saturating_mul(modulus.max(1))).meet(Interval::SIZES)
            }
        }
    }

    /// An interval that holds every value of a fold.
    fn fold(&mut self, fold: Fold, list: &List) -> Interval {
        // Entry by entry where a row is written out.
        let entries: Option<Vec<Interval>> = match list {
            List::Heaps(heaps) => Some(heaps.iter().map(|heap| self.heap(*heap)).collect()),
            List::Items(items) => Some(items.iter().map(|item| self.num(item)).collect()),
            _ => None,
        };
        if let Some(entries) = entries
            && !entries.is_empty()
        {
            let both = |entries: Vec<Interval>, join: fn(Interval, Interval) -> Interval| {
                entries.into_iter().reduce(join).unwrap_or(Interval::ALL)
            };
            return match fold {
                Fold::Max => both(entries, |a, b| {
                    Interval::new(a.low.max(b.low), a.high.max(b.high))
                }),
                Fold::Min => both(entries, |a, b| {
                    Interval::new(a.low.min(b.low), a.high.min(b.high))
                }),
                Fold::Sum => both(entries, Interval::plus),
                Fold::Xor => {
                    let items = both(entries, Interval::hull);
                    nim_sum(items, items)
                }
                Fold::Count => Interval::new(entries.len() as i128, entries.len() as i128),
            };
        }
        let items = self.list(list);
        match (fold, length(list)) {
            (Fold::Max | Fold::Min, _) => items,
            (Fold::Xor, _) => nim_sum(items, items),
            (Fold::Count, Some(length)) => length,
            (Fold::Sum, Some(length)) => items.products(length),
            (Fold::Sum, None) if items.low < 0 => Interval::ALL,
            (Fold::Sum | Fold::Count, None) => Interval::SIZES,
        }
    }

    fn hull_of(&self, heaps: &[HeapId]) -> Interval {
        let sizes = heaps.iter().map(|heap| self.heap(*heap));
        sizes.reduce(Interval::hull).unwrap_or(self.heaps)
    }

    /// An interval that holds every entry of `list`.
    pub fn list(&mut self, list: &List) -> Interval {
        match list {
            List::Heaps(heaps) => self.hull_of(heaps),
            List::Bag(_) | List::Picked(_) => self.heaps,
            List::Amounts => Interval::SIZES,
            List::Items(items) => items
                .iter()
                .map(|item| self.num(item))
                .reduce(Interval::hull)
                .unwrap_or(Interval::ALL),
            List::Sorted(inner) => self.list(inner),
            List::Gathered {
                slot, over, value, ..
            } => {
                let over = self.set(over);
                self.set_local(*slot, over);
                self.num(value)
            }
            List::Members(set) => self.set(set),
        }
    }

    /// An interval that holds every member of `set`; empty where the set is
    /// known to have none.
    pub fn set(&mut self, set: &Set) -> Interval {
        match set {
            Set::Range(low, high) => {
                let low = self.num(low);
                let high = high.as_ref().map_or(Interval::ALL, |h| self.num(h));
                Interval::new(low.low, high.high)
            }
            Set::Items(items) if items.is_empty() => Interval::new(1, 0),
            Set::Items(items) => items
                .iter()
                .map(|item| self.num(item))
                .reduce(Interval::hull)
                .unwrap_or(Interval::ALL),
            Set::Squares => Interval::SIZES,
            Set::Powers(_) => Interval::from(1),
            Set::List(list) => self.list(list),
        }
    }

    /// Whether `condition` holds for all, none or some of what is known.
    pub fn truth(&mut self, condition: &Bool) -> Truth {
        match condition {
            Bool::Const(true) => Truth::Always,
            Bool::Const(false) => Truth::Never,
            Bool::Compare(order, left, right) => {
                let (a, b) = (self.num(left), self.num(right));
                compare(*order, a, b)
            }
            Bool::In(num, set) => {
                let (value, members) = (self.num(num), self.set(set));
                if value.meet(members).is_empty() {
                    return Truth::Never;
                }
                match &set.node {
                    Set::Range(low, high) => {
                        let low = self.num(low);
                        let high = high.as_ref().map(|h| self.num(h));
                        let inside =
                            value.low >= low.high && high.is_none_or(|h| value.high <= h.low);
                        if inside {
                            Truth::Always
                        } else {
                            Truth::Sometimes
                        }
                    }
                    _ => Truth::Sometimes,
                }
            }
            Bool::And(all) => self.every(all),
            Bool::Or(any) => {
                let mut result = Truth::Never;
                for condition in any {
                    match self.truth(condition) {
                        Truth::Always => return Truth::Always,
                        Truth::Sometimes => result = Truth::Sometimes,
                        Truth::Never => {}
                    }
                }
                result
            }
            Bool::Not(inner) => self.truth(inner).not(),
            Bool::If(condition, then, otherwise) => match self.truth(condition) {
                Truth::Always => self.truth(then),
                Truth::Never => self.truth(otherwise),
                Truth::Sometimes => {
                    let then = self.truth(then);
                    if then == self.truth(otherwise) {
                        then
                    } else {
                        Truth::Sometimes
                    }
                }
            },
            Bool::Let(slot, value, body) => {
                let value = self.num(value);
                self.set_local(*slot, value);
                self.truth(body)
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let members = self.set(set);
                self.set_local(*slot, members);
                // An empty set decides the other way; only these are certain.
                match (quantifier, self.truth(body)) {
                    (Quantifier::Exists, Truth::Never) => Truth::Never,
                    (Quantifier::Forall, Truth::Always) => Truth::Always,
                    _ => Truth::Sometimes,
                }
            }
            Bool::Each(slot, body) => {
                self.set_local(*slot, Interval::SIZES);
                self.truth(body)
            }
            Bool::Same(left, right) if left == right => Truth::Always,
            Bool::Same(..) | Bool::Distinct(_) | Bool::Like(_) => Truth::Sometimes,
        }
    }

    /// A conjunction: conditions on one number by itself narrow what is known
    /// of it for the others, so that `t > 5 and t < 3` is seen to be empty.
    fn every(&mut self, all: &[Expr<Bool>]) -> Truth {
        let before = self.clone();
        let mut result = Truth::Always;
        for _ in 0..2 {
            for condition in all {
                match self.truth(condition) {
                    Truth::Never => {
                        *self = before;
                        return Truth::Never;
                    }
                    Truth::Sometimes => result = Truth::Sometimes,
                    Truth::Always => {}
                }
                if self.narrow(condition) {
                    *self = before;
                    return Truth::Never;
                }
            }
        }
        *self = before;
        result
    }

    /// Narrows what is known of a number by a comparison that it stands alone
    /// in; true where nothing is left.
    pub fn narrow(&mut self, condition: &Bool) -> bool {
        match condition {
            Bool::Compare(order, left, right) => {
                let (a, b) = (self.num(left), self.num(right));
                let (for_left, for_right) = match order {
                    Order::Equal => (b, a),
                    Order::Less => (Interval::new(NO_LOW, b.high - 1), Interval::from(a.low + 1)),
                    Order::AtMost => (Interval::new(NO_LOW, b.high), Interval::from(a.low)),
                    Order::NotEqual => return false,
                };
                let left_empty = self.narrow_num(left, for_left);
                self.narrow_num(right, for_right) || left_empty
            }
            Bool::In(num, set) => {
                let members = self.set(set);
                self.narrow_num(num, members)
            }
            Bool::And(all) => all.iter().any(|c| self.narrow(c)),
            _ => false,
        }
    }

    fn narrow_num(&mut self, num: &Num, to: Interval) -> bool {
        match num {
            Num::Local(slot) => {
                let narrowed = self.local(*slot).meet(to);
                self.set_local(*slot, narrowed);
                narrowed.is_empty()
            }
            Num::Total => {
                self.total = self.total.meet(to);
                self.total.is_empty()
            }
            Num::Heap(heap) => {
                let narrowed = self.heap(*heap).meet(to);
                self.set_heap(*heap, narrowed);
                self.single.is_some() && narrowed.is_empty()
            }
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let index = self.num(index);
                let heap = heap_at(heaps, *first, index);
                heap.is_some_and(|heap| self.narrow_num(&Num::Heap(heap), to))
            }
            // Of a sum that is small, no part is large.
            Num::Binary(Arithmetic::Add, left, right) if self.single.is_some() => {
                let (a, b) = (self.num(left), self.num(right));
                self.narrow_num(left, to.plus(b.negated()))
                    || self.narrow_num(right, to.plus(a.negated()))
            }
            Num::Binary(Arithmetic::Subtract, left, right) if self.single.is_some() => {
                let (a, b) = (self.num(left), self.num(right));
                self.narrow_num(left, to.plus(b)) || self.narrow_num(right, a.plus(to.negated()))
            }
            Num::Fold(Fold::Sum | Fold::Max, list) if self.single.is_some() => {
                if self.list(list).low < 0 {
                    return false;
                }
                // No entry is negative.
                let at_most = Interval::new(NO_LOW, to.high);
                match &list.node {
                    List::Heaps(heaps) => heaps
                        .iter()
                        .any(|heap| self.narrow_num(&Num::Heap(*heap), at_most)),
                    List::Items(items) => items.iter().any(|item| self.narrow_num(item, at_most)),
                    _ => false,
                }
            }
            // `2*u > t` says something of u.
            Num::Binary(Arithmetic::Multiply, factor, inner)
            | Num::Binary(Arithmetic::Multiply, inner, factor)
                if matches!(factor.node, Num::Const(c) if c > 0) =>
            {
                let Num::Const(c) = &factor.node else {
                    return false;
                };
                let c = i128::from(*c);
                let low = if to.low <= NO_LOW {
                    to.low
                } else {
                    -(-to.low).div_euclid(c)
                };
                let high = if to.high >= ENDLESS {
                    to.high
                } else {
                    to.high.div_euclid(c)
                };
                self.narrow_num(inner, Interval::new(low, high))
            }
            _ => false,
        }
    }

    /// Takes a condition as given: what it says of single numbers is known
    /// from here on.
    pub fn assume(&mut self, condition: &Bool) {
        self.narrow(condition);
        // In `a == b == 0` it is the end that says what the beginning means.
        for _ in 0..MOST_ROUNDS {
            let before = self.single.clone();
            if self.narrow(condition) || self.single == before {
                break;
            }
        }
    }
}

fn compare(order: Order, a: Interval, b: Interval) -> Truth {
    if a.is_empty() || b.is_empty() {
        return Truth::Never;
    }
    let certain = |always: bool, never: bool| match (always, never) {
        (true, _) => Truth::Always,
        (_, true) => Truth::Never,
        _ => Truth::Sometimes,
    };
    let equal = certain(
        a.low == a.high && a == b && a.high < ENDLESS,
        a.meet(b).is_empty(),
    );
    match order {
        Order::Equal => equal,
        Order::NotEqual => equal.not(),
        Order::Less => certain(a.high < b.low, a.low >= b.high && a.low < ENDLESS),
        Order::AtMost => certain(a.high <= b.low && b.low < ENDLESS, a.low > b.high),
    }
}
