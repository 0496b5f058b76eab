//! Bounds on a fresh coordinate, read off the `where` of a rule for arcs.
//!
//! What is found narrows the numbers that are tried; the condition is asked of
//! each of them all the same.

use super::rules::{BoundSide, Sides};
use crate::expr::{Arithmetic, Bool, Num, Order, Part, Set, Slot};

pub(super) fn conjuncts(condition: Option<&Bool>) -> Vec<&Bool> {
    match condition {
        None => Vec::new(),
        Some(Bool::And(all)) => all.iter().flat_map(|c| conjuncts(Some(c))).collect(),
        Some(other) => vec![other],
    }
}

/// The bounds that a condition puts on a name, if it is of that kind, and
/// whether they say all of it.
pub(super) fn bounds(condition: &Bool, slot: Slot) -> Option<(Sides, bool)> {
    let one = |num: Num, operator| {
        Num::Binary(
            operator,
            Box::new(num.into()),
            Box::new(Num::Const(1).into()),
        )
    };
    match condition {
        Bool::Compare(order, left, right) => {
            let (alone, other, flipped) = if Part::Num(left).reads_local(slot) {
                (left, right, false)
            } else {
                (right, left, true)
            };
            if Part::Num(other).reads_local(slot) {
                return None;
            }
            let (positive, value) = solved(alone, slot, other)?;
            // `other < name` says of the name what `name < other` says of
            // its opposite.
            let below = positive != flipped;
            let strict = |value: Num| match below {
                true => one(value, Arithmetic::Subtract),
                false => one(value, Arithmetic::Add),
            };
            let side = if below {
                BoundSide::Most
            } else {
                BoundSide::Least
            };
            match order {
                Order::Equal => Some((
                    vec![(BoundSide::Least, value.clone()), (BoundSide::Most, value)],
                    true,
                )),
                Order::NotEqual => None,
                Order::Less => Some((vec![(side, strict(value))], true)),
                Order::AtMost => Some((vec![(side, value)], true)),
            }
        }
        Bool::In(num, set) if let Set::Range(low, high) = &set.node => {
            let (positive, least) = solved(num, slot, low)?;
            let (least_side, most_side) = if positive {
                (BoundSide::Least, BoundSide::Most)
            } else {
                (BoundSide::Most, BoundSide::Least)
            };
            let mut sides = vec![(least_side, least)];
            if let Some(high) = high {
                sides.push((most_side, solved(num, slot, high)?.1));
            }
            Some((sides, true))
        }
        Bool::In(num, set)
            if num.local() == Some(slot)
                && let Set::Items(items) = &set.node
                && !items.is_empty() =>
        {
            if items.iter().any(|item| Part::Num(item).reads_local(slot)) {
                return None;
            }
            let fold = |fold| Num::Fold(fold, crate::expr::List::Items(items.clone()).into());
            Some((
                vec![
                    (BoundSide::Least, fold(crate::expr::Fold::Min)),
                    (BoundSide::Most, fold(crate::expr::Fold::Max)),
                ],
                false,
            ))
        }
        _ => None,
    }
}

/// What a name is where an expression has a value: `name + 3 = value` gives
/// `value - 3`. Whether the name is added or subtracted is the first part.
pub(super) fn solved(num: &Num, slot: Slot, value: &Num) -> Option<(bool, Num)> {
    let reads = |num: &Num| Part::Num(num).reads_local(slot);
    if reads(value) {
        return None;
    }
    let apply = |operator, left: &Num, right: &Num| {
        Num::Binary(
            operator,
            Box::new(left.clone().into()),
            Box::new(right.clone().into()),
        )
    };
    match num {
        Num::Local(found) if *found == slot => Some((true, value.clone())),
        Num::Negate(inner) => {
            let (positive, value) =
                solved(inner, slot, &Num::Negate(Box::new(value.clone().into())))?;
            Some((!positive, value))
        }
        Num::Binary(Arithmetic::Add, left, right) => match (reads(left), reads(right)) {
            (true, false) => solved(left, slot, &apply(Arithmetic::Subtract, value, right)),
            (false, true) => solved(right, slot, &apply(Arithmetic::Subtract, value, left)),
            _ => None,
        },
        Num::Binary(Arithmetic::Subtract, left, right) => match (reads(left), reads(right)) {
            (true, false) => solved(left, slot, &apply(Arithmetic::Add, value, right)),
            (false, true) => {
                let (positive, value) =
                    solved(right, slot, &apply(Arithmetic::Subtract, left, value))?;
                Some((!positive, value))
            }
            _ => None,
        },
        _ => None,
    }
}
