//! Bounds on the parts of a heap that follow from the condition of a split, so that the
//! enumeration skips partitions for which the condition does not hold.
//!
//! A bound is read off a conjunct only if no conjunct before it can have a fault: then the
//! partitions skipped have none.

use nimrule_model::expr::{
    Arithmetic, Bool, Environment, Expr, Fold, List, Num, Order, Part, Slot,
};

/// What every list of parts for which the condition holds satisfies.
pub(super) struct PartBounds {
    /// Whether all parts are different.
    pub distinct: bool,
    /// The smallest and the largest number of parts.
    pub least: u64,
    pub most: u64,
    /// The smallest and the largest size of a part.
    pub each_least: u64,
    pub each_most: u64,
    /// The largest difference of two parts.
    spread: u64,
    /// The largest difference of two parts less the number of parts.
    spread_by_count: i64,
}

impl PartBounds {
    /// The bounds at a position.
    pub fn of(condition: Option<&Expr<Bool>>, environment: &mut Environment<'_>) -> PartBounds {
        let mut bounds = PartBounds {
            distinct: false,
            least: 2,
            most: u64::MAX,
            each_least: 1,
            each_most: u64::MAX,
            spread: u64::MAX,
            spread_by_count: i64::MAX,
        };
        let conjuncts = condition.iter().flat_map(|condition| condition.conjuncts());
        for conjunct in conjuncts {
            if !bounds.meet(&conjunct.node, environment) {
                break;
            }
        }
        bounds
    }

    /// Whether parts of these sizes are too far apart if there are at most `count` parts.
    pub fn are_too_far_apart(&self, smallest: u64, largest: u64, count: u64) -> bool {
        let apart = largest - smallest;
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let by_count = self.spread_by_count.saturating_add(count);
        apart > self.spread || i64::try_from(apart).is_ok_and(|apart| apart > by_count)
    }

    /// Adds what a conjunct says; returns whether it has a known form, which has no fault.
    fn meet(&mut self, conjunct: &Bool, environment: &mut Environment<'_>) -> bool {
        match conjunct {
            Bool::Distinct(list) if is_parts(&list.node) => {
                self.distinct = true;
                true
            }
            Bool::Each(slot, body) => self.meet_each(*slot, &body.node, environment),
            Bool::Compare(order, left, right) => self.meet_order(*order, left, right, environment),
            _ => false,
        }
    }

    fn meet_each(&mut self, slot: Slot, body: &Bool, environment: &mut Environment<'_>) -> bool {
        let comparisons = match body {
            Bool::And(all) => all.iter().map(|part| &part.node).collect(),
            one => vec![one],
        };
        for comparison in comparisons {
            let Bool::Compare(order, left, right) = comparison else {
                return false;
            };
            let mut value = |num: &Expr<Num>| -> Option<i64> {
                let plain = !Part::num(num).node.reads_local(slot) && !reads_parts(num);
                plain.then(|| num.eval(environment).ok()).flatten()
            };
            let (low, high) = match (left.local() == Some(slot), right.local() == Some(slot)) {
                (true, false) => interval(*order, value(right), false),
                (false, true) => interval(*order, value(left), true),
                _ => return false,
            };
            if (low, high) == (None, None) {
                return false;
            }
            self.each_least = self.each_least.max(natural(low, 0));
            self.each_most = self.each_most.min(natural(high, u64::MAX));
        }
        true
    }

    fn meet_order(
        &mut self,
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        environment: &mut Environment<'_>,
    ) -> bool {
        let mut value = |num: &Expr<Num>| match reads_parts(num) {
            true => None,
            false => num.eval(environment).ok(),
        };
        let folds = |num: &Num| match num {
            Num::Fold(fold, list) if is_parts(&list.node) => Some(*fold),
            _ => None,
        };
        let (fold, (low, high)) = match (folds(left), folds(right)) {
            (Some(Fold::Min), Some(Fold::Max)) | (Some(Fold::Max), Some(Fold::Min)) => {
                if order == Order::Equal {
                    self.spread = 0;
                }
                return order == Order::Equal;
            }
            (Some(fold), None) => (fold, interval(order, value(right), false)),
            (None, Some(fold)) => (fold, interval(order, value(left), true)),
            _ => return self.meet_spread(order, left, right),
        };
        if (low, high) == (None, None) {
            return false;
        }
        match fold {
            Fold::Count => {
                self.least = self.least.max(natural(low, 0));
                self.most = self.most.min(natural(high, u64::MAX));
            }
            Fold::Min => self.each_least = self.each_least.max(natural(low, 0)),
            Fold::Max => self.each_most = self.each_most.min(natural(high, u64::MAX)),
            _ => return false,
        }
        true
    }

    /// `max(each) - min(each) <= 2`, or `== count(each) - 1`.
    fn meet_spread(&mut self, order: Order, left: &Num, right: &Num) -> bool {
        let folds = |num: &Num, wanted: Fold| match num {
            Num::Fold(fold, list) => *fold == wanted && is_parts(&list.node),
            _ => false,
        };
        let Num::Binary(Arithmetic::Subtract, max, min) = left else {
            return false;
        };
        let less = match order {
            Order::Equal | Order::AtMost => 0,
            Order::Less => 1,
            Order::NotEqual => return false,
        };
        if !folds(max, Fold::Max) || !folds(min, Fold::Min) {
            return false;
        }
        match right {
            Num::Const(most) => {
                let most = most.saturating_sub(less);
                // A negative bound excludes all: one that excludes as much is not needed.
                self.spread = self.spread.min(u64::try_from(most).unwrap_or(0));
                true
            }
            Num::Binary(Arithmetic::Subtract, count, number)
                if folds(count, Fold::Count)
                    && let Num::Const(number @ 0..=MOST_ADDED) = number.node =>
            {
                self.spread_by_count = self.spread_by_count.min(-number - less);
                true
            }
            _ => false,
        }
    }
}

/// A number that is subtracted from the number of parts without overflow.
const MOST_ADDED: i64 = 1 << 32;

/// The bounds on a number that is compared with a value, which stands to its left if
/// `mirrored`.
fn interval(order: Order, value: Option<i64>, mirrored: bool) -> (Option<i64>, Option<i64>) {
    match (order, value, mirrored) {
        (Order::Equal, value, _) => (value, value),
        (Order::AtMost, value, false) => (None, value),
        (Order::AtMost, value, true) => (value, None),
        (Order::Less, value, false) => (None, value.and_then(|value| value.checked_sub(1))),
        (Order::Less, value, true) => (value.and_then(|value| value.checked_add(1)), None),
        (Order::NotEqual, ..) => (None, None),
    }
}

/// A bound as a natural number; `otherwise` without one.
fn natural(bound: Option<i64>, otherwise: u64) -> u64 {
    bound.map_or(otherwise, |bound| u64::try_from(bound).unwrap_or(0))
}

fn is_parts(list: &List) -> bool {
    matches!(list, List::Amounts)
}

/// Whether an expression reads the parts.
fn reads_parts(num: &Num) -> bool {
    Part::Num(num).any(&mut |part| {
        matches!(
            part,
            Part::List(List::Amounts) | Part::Num(Num::Total) | Part::Bool(Bool::Each(..))
        )
    })
}
