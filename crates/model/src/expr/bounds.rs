//! Interval analysis of expressions (abstract interpretation): an interval that
//! contains every value of a number, and whether a condition holds always, never
//! or sometimes.
//!
//! The analysis is a sound over-approximation: intervals may be too wide, and
//! [`Truth::Sometimes`] may be the answer for a condition that always or never
//! holds. It is sound over the integers without bound, and therefore also for
//! evaluation with 64 bits wherever that has a value. Faults are ignored.

use super::{Arithmetic, Bool, Builtin, Expr, Fold, HeapId, List, Num, Order, Set, Slot};
use crate::expr::Quantifier;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The upper bound that means "unbounded". It is larger than every 64-bit
/// number, and sums of several such values cannot overflow `i128`.
pub(super) const INFINITY: i128 = 1 << 100;
const MINUS_INFINITY: i128 = -INFINITY;

/// The largest number of rounds of bounds propagation through one condition.
/// Propagation through `a < b and b < a` would not terminate.
const MAX_ROUNDS: usize = 1000;

/// The integers from `low` to `high`; empty if `low > high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// The smallest integer; -2¹⁰⁰ stands for no lower bound.
    pub low: i128,
    /// The largest integer; 2¹⁰⁰ stands for no upper bound.
    pub high: i128,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval {
        low: MINUS_INFINITY,
        high: INFINITY,
    };
    /// All natural numbers.
    pub const NATURALS: Interval = Interval {
        low: 0,
        high: INFINITY,
    };
    /// The numbers of 64 bits, with which engines compute.
    pub const I64: Interval = Interval {
        low: i64::MIN as i128,
        high: i64::MAX as i128,
    };

    /// The integers from `low` to `high`.
    pub fn new(low: i128, high: i128) -> Interval {
        Interval {
            low: low.clamp(MINUS_INFINITY, INFINITY),
            high: high.clamp(MINUS_INFINITY, INFINITY),
        }
    }

    /// The interval of one number.
    pub fn point(value: i64) -> Interval {
        Interval::new(value.into(), value.into())
    }

    /// The integers from `low` on.
    pub fn from(low: i128) -> Interval {
        Interval::new(low, INFINITY)
    }

    /// Whether the interval has no members.
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The upper end, if 64 bits can hold it.
    pub fn highest(self) -> Option<i64> {
        i64::try_from(self.high).ok()
    }

    /// The smallest interval that contains both.
    fn hull(self, other: Interval) -> Interval {
        Interval::new(self.low.min(other.low), self.high.max(other.high))
    }

    /// The intersection.
    pub fn meet(self, other: Interval) -> Interval {
        Interval::new(self.low.max(other.low), self.high.min(other.high))
    }

    fn negated(self) -> Interval {
        Interval::new(-self.high, -self.low)
    }

    fn plus(self, other: Interval) -> Interval {
        // A sum with an unbounded interval is unbounded.
        let low = match self.low.min(other.low) {
            ..=MINUS_INFINITY => MINUS_INFINITY,
            _ => self.low + other.low,
        };
        let high = match self.high.max(other.high) {
            INFINITY.. => INFINITY,
            _ => self.high + other.high,
        };
        Interval::new(low, high)
    }

    /// The quotients by positive numbers, rounded towards minus infinity.
    fn quotients(self, by: Interval) -> Interval {
        let low = match self.low {
            ..=MINUS_INFINITY => MINUS_INFINITY,
            low => low.div_euclid(by.low).min(low.div_euclid(by.high)),
        };
        let high = match self.high {
            INFINITY.. => INFINITY,
            high => high.div_euclid(by.low).max(high.div_euclid(by.high)),
        };
        Interval::new(low, high)
    }

    /// The products.
    fn products(self, other: Interval) -> Interval {
        let corners = [
            self.low.saturating_mul(other.low),
            self.low.saturating_mul(other.high),
            self.high.saturating_mul(other.low),
            self.high.saturating_mul(other.high),
        ];
        let low = corners.iter().copied().min().unwrap_or(MINUS_INFINITY);
        let high = corners.iter().copied().max().unwrap_or(INFINITY);
        Interval::new(low, high)
    }
}

/// The truth value of a condition over all values of an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// True for all values.
    Always,
    /// False for all values.
    Never,
    /// Unknown, or true for some values and false for others.
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

/// An interval that contains the sums without carry of numbers, in a base of at least 2.
fn carryless(base: Interval, numbers: Interval, modulus: Interval) -> Interval {
    // There are as many digits as in the largest number, each less than the modulus. With
    // all digits 1 they are less than twice the largest number.
    let largest = numbers.high.max(0);
    let mut ones = largest.saturating_mul(2);
    if base.low == base.high {
        let base = base.high.max(2);
        let digits = std::iter::successors(Some(largest), |rest| Some(rest / base));
        let digits = digits.take_while(|rest| *rest > 0);
        ones = digits.fold(0, |ones, _| ones.saturating_mul(base).saturating_add(1));
    }
    let high = ones.saturating_mul((modulus.high - 1).max(0));
    Interval::new(0, high).meet(Interval::NATURALS)
}

/// The heap at an index, if the index is known exactly.
fn heap_at(heaps: &[HeapId], first: i64, index: Interval) -> Option<HeapId> {
    let place = index.low.checked_sub(first.into())?;
    let heap = heaps.get(usize::try_from(place).ok()?)?;
    (index.low == index.high).then_some(*heap)
}

/// An interval of the powers of natural numbers; of other numbers nothing is known.
fn powers(base: Interval, exponent: Interval) -> Interval {
    if base.low < 0 || base.is_empty() || exponent.is_empty() {
        return Interval::ALL;
    }
    let high = match u32::try_from(exponent.high) {
        _ if base.high >= INFINITY => INFINITY,
        Ok(exponent) => base.high.checked_pow(exponent).unwrap_or(INFINITY),
        Err(_) if base.high <= 1 => 1,
        Err(_) => INFINITY,
    };
    Interval::new(0, high.max(1)).meet(Interval::NATURALS)
}

/// The length of a list, if it follows from the expression.
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
        List::At { lists, .. } => {
            let lengths = lists.iter().map(|list| exactly(list.len()));
            lengths.reduce(Interval::hull)
        }
        List::Multiset(_) | List::Picked(_) | List::Amounts => None,
    }
}

/// Intervals of the terms of a sum that is in an interval: each is the sum without the
/// others.
fn summands(terms: &[Interval], sum: Interval) -> Vec<Interval> {
    let lows: i128 = terms.iter().map(|term| term.low).sum();
    let highs: i128 = terms.iter().map(|term| term.high).sum();
    let has_lows = terms.iter().all(|term| term.low > MINUS_INFINITY);
    let has_highs = terms.iter().all(|term| term.high < INFINITY);
    let within = |term: &Interval| {
        let high = match has_lows && sum.high < INFINITY {
            true => sum.high - (lows - term.low),
            false => INFINITY,
        };
        let low = match has_highs && sum.low > MINUS_INFINITY {
            true => sum.low - (highs - term.high),
            false => MINUS_INFINITY,
        };
        Interval::new(low, high)
    };
    terms.iter().map(within).collect()
}

/// The abstract environment: an interval for every number that an expression
/// may read.
#[derive(Debug, Clone)]
pub struct IntervalEnvironment {
    /// The size of every heap.
    pub heaps: Interval,
    /// The number of tokens that the current step takes.
    pub total: Interval,
    locals: Vec<Interval>,
    /// The sizes of single heaps, if all conditions are about one position.
    /// Otherwise `None`: the conditions of the steps of a move are evaluated at
    /// different positions, so that a bound on a heap holds at one of them only.
    single: Option<BTreeMap<HeapId, Interval>>,
    /// Intervals of numbers that are assumed and need not follow from their
    /// subexpressions.
    assumed: Vec<(Num, Interval)>,
}

impl IntervalEnvironment {
    /// The environment with this interval for every heap and no bounds on local
    /// variables.
    pub fn new(slots: usize, heaps: Interval) -> IntervalEnvironment {
        IntervalEnvironment {
            heaps,
            total: Interval::from(1),
            locals: vec![Interval::ALL; slots],
            single: None,
            assumed: Vec::new(),
        }
    }

    /// The environment of a single position, without bounds on its heaps other
    /// than 0.
    pub fn of_one_position(slots: usize) -> IntervalEnvironment {
        IntervalEnvironment {
            single: Some(BTreeMap::new()),
            ..IntervalEnvironment::new(slots, Interval::NATURALS)
        }
    }

    /// The interval of a heap's size.
    pub fn heap(&self, heap: HeapId) -> Interval {
        let known = self.single.as_ref().and_then(|single| single.get(&heap));
        known.copied().unwrap_or(self.heaps)
    }

    /// Sets the interval of a heap, in an environment of a single position. In
    /// other environments it has no effect.
    pub fn set_heap(&mut self, heap: HeapId, interval: Interval) {
        if let Some(single) = &mut self.single {
            single.insert(heap, interval);
        }
    }

    /// Adds slots, without bounds, until there are `slots`.
    pub fn make_room(&mut self, slots: usize) {
        self.locals
            .resize(slots.max(self.locals.len()), Interval::ALL);
    }

    /// Sets the interval of all local variables.
    pub(crate) fn set_all_locals(&mut self, interval: Interval) {
        self.locals.fill(interval);
    }

    /// The interval of a local variable.
    pub fn local(&self, slot: Slot) -> Interval {
        self.locals
            .get(slot.index())
            .copied()
            .unwrap_or(Interval::ALL)
    }

    /// Sets the interval of a local variable.
    pub fn set_local(&mut self, slot: Slot, interval: Interval) {
        if let Some(known) = self.locals.get_mut(slot.index()) {
            *known = interval;
        }
    }

    /// Assumes that a number is in an interval wherever it occurs.
    pub fn assume_interval(&mut self, num: Num, interval: Interval) {
        self.assumed.push((num, interval));
    }

    /// An interval that contains every value of a number.
    pub fn num(&mut self, num: &Num) -> Interval {
        if let Some((_, assumed)) = self.assumed.iter().find(|(known, _)| known == num) {
            return *assumed;
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
            Num::IndexOf(_) => Interval::from(1),
            Num::Local(slot) => self.local(*slot),
            Num::Total => self.total,
            Num::Negate(inner) => self.num(inner).negated(),
            Num::Binary(operator, left, right) => {
                let (a, b) = (self.num(left), self.num(right));
                match operator {
                    Arithmetic::Add => a.plus(b),
                    Arithmetic::Subtract => a.plus(b.negated()),
                    Arithmetic::Multiply => a.products(b),
                    // An empty interval has no bounds to divide by.
                    Arithmetic::Divide if b.low >= 1 && !b.is_empty() => a.quotients(b),
                    Arithmetic::Divide => Interval::ALL,
                    Arithmetic::Modulo if b.high >= INFINITY => Interval::NATURALS,
                    Arithmetic::Modulo => Interval::new(0, b.high - 1),
                    Arithmetic::Gcd => Interval::NATURALS,
                    Arithmetic::Power => powers(a, b),
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
            Num::Apply(function, arguments) => {
                let arguments: SmallVec<[Interval; Builtin::MAX_ARGUMENTS]> = arguments
                    .iter()
                    .map(|argument| self.num(argument))
                    .collect();
                function.bounds(&arguments)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => carryless(self.num(base), self.list(list), self.num(modulus)),
            Num::Components(region) => Interval::new(0, region.heaps.len() as i128),
        }
    }

    /// An interval that contains every value of a fold.
    fn fold(&mut self, fold: Fold, list: &List) -> Interval {
        // Entry by entry if the entries are listed.
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
                Fold::Count => Interval::new(entries.len() as i128, entries.len() as i128),
            };
        }
        let items = self.list(list);
        match (fold, length(list)) {
            (Fold::Max | Fold::Min, _) => items,
            (Fold::Count, Some(length)) => length,
            (Fold::Sum, Some(length)) => items.products(length),
            (Fold::Sum, None) if items.low < 0 => Interval::ALL,
            (Fold::Sum | Fold::Count, None) => Interval::NATURALS,
        }
    }

    /// An interval that contains the sizes of some heaps.
    fn hull_of(&self, heaps: &[HeapId]) -> Interval {
        let sizes = heaps.iter().map(|heap| self.heap(*heap));
        sizes.reduce(Interval::hull).unwrap_or(self.heaps)
    }

    /// An interval that contains the values of some numbers; `None` if there are
    /// none.
    fn hull_of_items(&mut self, items: &[Expr<Num>]) -> Option<Interval> {
        let intervals = items.iter().map(|item| self.num(item));
        intervals.reduce(Interval::hull)
    }

    /// An interval that contains every member of a list.
    pub fn list(&mut self, list: &List) -> Interval {
        match list {
            List::Heaps(heaps) => self.hull_of(heaps),
            List::Multiset(_) | List::Picked(_) => self.heaps,
            List::At { lists, .. } => lists
                .iter()
                .map(|heaps| self.hull_of(heaps))
                .reduce(Interval::hull)
                .unwrap_or(self.heaps),
            List::Amounts => Interval::NATURALS,
            List::Items(items) => self.hull_of_items(items).unwrap_or(Interval::ALL),
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

    /// An interval that contains every member of a set; empty if the set is
    /// known to be empty.
    pub fn set(&mut self, set: &Set) -> Interval {
        match set {
            Set::Range(low, high) => {
                let low = self.num(low);
                let high = high.as_ref().map_or(Interval::ALL, |h| self.num(h));
                Interval::new(low.low, high.high)
            }
            Set::Items(items) => self.hull_of_items(items).unwrap_or(Interval::new(1, 0)),
            Set::Named(_) => Interval::NATURALS,
            Set::Powers(_) => Interval::from(1),
            Set::List(list) => self.list(list),
        }
    }

    /// The truth value of a condition over all values of the environment.
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
            Bool::And(all) => self.conjunction(all),
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
                // An empty set makes `exists` false and `forall` true, so that
                // only these two results are certain.
                match (quantifier, self.truth(body)) {
                    (Quantifier::Exists, Truth::Never) => Truth::Never,
                    (Quantifier::Forall, Truth::Always) => Truth::Always,
                    _ => Truth::Sometimes,
                }
            }
            Bool::Each(slot, body) => {
                self.set_local(*slot, Interval::NATURALS);
                self.truth(body)
            }
            Bool::Same(left, right) if left == right => Truth::Always,
            Bool::Same(..) | Bool::Distinct(_) | Bool::Like(_) | Bool::Joined(_) => {
                Truth::Sometimes
            }
        }
    }

    /// The truth value of a conjunction. Each conjunct tightens the bounds for
    /// the others, so that `t > 5 and t < 3` never holds.
    fn conjunction(&mut self, all: &[Expr<Bool>]) -> Truth {
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
                if self.propagate(condition) {
                    *self = before;
                    return Truth::Never;
                }
            }
        }
        *self = before;
        result
    }

    /// One round of bounds propagation: tightens the intervals of the numbers in
    /// a condition that is assumed to hold. Returns whether an interval became
    /// empty, so that the condition cannot hold.
    pub fn propagate(&mut self, condition: &Bool) -> bool {
        match condition {
            Bool::Compare(order, left, right) => {
                let (a, b) = (self.num(left), self.num(right));
                let (for_left, for_right) = match order {
                    Order::Equal => (b, a),
                    Order::Less => (
                        Interval::new(MINUS_INFINITY, b.high - 1),
                        Interval::from(a.low + 1),
                    ),
                    Order::AtMost => (Interval::new(MINUS_INFINITY, b.high), Interval::from(a.low)),
                    Order::NotEqual => return false,
                };
                let left_empty = self.propagate_to(left, for_left);
                self.propagate_to(right, for_right) || left_empty
            }
            Bool::In(num, set) => {
                let members = self.set(set);
                self.propagate_to(num, members)
            }
            Bool::And(all) => all.iter().any(|c| self.propagate(c)),
            _ => false,
        }
    }

    /// Tightens the intervals of the numbers in `num`, given that its value is in
    /// `to`. Returns whether an interval became empty.
    fn propagate_to(&mut self, num: &Num, to: Interval) -> bool {
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
                heap.is_some_and(|heap| self.propagate_to(&Num::Heap(heap), to))
            }
            // A bound on a sum bounds its terms.
            Num::Binary(Arithmetic::Add, left, right) if self.single.is_some() => {
                let (a, b) = (self.num(left), self.num(right));
                self.propagate_to(left, to.plus(b.negated()))
                    || self.propagate_to(right, to.plus(a.negated()))
            }
            Num::Binary(Arithmetic::Subtract, left, right) if self.single.is_some() => {
                let (a, b) = (self.num(left), self.num(right));
                self.propagate_to(left, to.plus(b))
                    || self.propagate_to(right, a.plus(to.negated()))
            }
            Num::Fold(Fold::Max, list) if self.single.is_some() => {
                let at_most = Interval::new(MINUS_INFINITY, to.high);
                match &list.node {
                    List::Heaps(heaps) => heaps
                        .iter()
                        .any(|heap| self.propagate_to(&Num::Heap(*heap), at_most)),
                    List::Items(items) => items.iter().any(|item| self.propagate_to(item, at_most)),
                    _ => false,
                }
            }
            Num::Fold(Fold::Sum, list) if self.single.is_some() => match &list.node {
                List::Heaps(heaps) => {
                    let entries: Vec<Interval> = heaps.iter().map(|h| self.heap(*h)).collect();
                    let within = summands(&entries, to);
                    (heaps.iter().zip(within))
                        .any(|(heap, within)| self.propagate_to(&Num::Heap(*heap), within))
                }
                List::Items(items) => {
                    let entries: Vec<Interval> = items.iter().map(|item| self.num(item)).collect();
                    let within = summands(&entries, to);
                    (items.iter().zip(within)).any(|(item, within)| self.propagate_to(item, within))
                }
                _ => false,
            },
            // A bound on `2 * u` bounds `u`.
            Num::Binary(Arithmetic::Multiply, factor, inner)
            | Num::Binary(Arithmetic::Multiply, inner, factor)
                if matches!(factor.node, Num::Const(c) if c > 0) =>
            {
                let Num::Const(c) = &factor.node else {
                    return false;
                };
                let c = i128::from(*c);
                let low = if to.low <= MINUS_INFINITY {
                    to.low
                } else {
                    -(-to.low).div_euclid(c)
                };
                let high = if to.high >= INFINITY {
                    to.high
                } else {
                    to.high.div_euclid(c)
                };
                self.propagate_to(inner, Interval::new(low, high))
            }
            _ => false,
        }
    }

    /// Assumes that a condition holds: propagates bounds until nothing changes,
    /// at most `MAX_ROUNDS` times.
    pub fn assume(&mut self, condition: &Bool) {
        self.propagate(condition);
        // In `a == b == 0` the last comparison bounds the first one's numbers.
        for _ in 0..MAX_ROUNDS {
            let before = self.single.clone();
            if self.propagate(condition) || self.single == before {
                break;
            }
        }
    }
}

/// The truth value of a comparison of two intervals.
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
        a.low == a.high && a == b && a.high < INFINITY,
        a.meet(b).is_empty(),
    );
    match order {
        Order::Equal => equal,
        Order::NotEqual => equal.not(),
        Order::Less => certain(a.high < b.low, a.low >= b.high && a.low < INFINITY),
        Order::AtMost => certain(a.high <= b.low && b.low < INFINITY, a.low > b.high),
    }
}
