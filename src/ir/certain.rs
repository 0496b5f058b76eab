//! Which expressions have a value whatever the position is.

use super::plan::constant;
use crate::expr::bounds::{Interval, Known};
use crate::expr::{Arithmetic, Bool, Fold, List, Num, Part, Set};

/// Has the expression a value in every position, unless a number overflows?
pub fn always_has_a_value(part: Part<'_>) -> bool {
    let mut known = Known::new(0, Interval::SIZES);
    has_a_value_where(part, &mut |num| {
        has_a_value_within(num, &mut |num| known.num(num))
    })
}

/// The same where certain numbers are known to have a value if their parts have
/// one.
pub fn has_a_value_where(part: Part<'_>, is_known: &mut dyn FnMut(&Num) -> bool) -> bool {
    !part.any(&mut |part| match part {
        Part::Num(num) if is_known(num) => false,
        // One more, or one less, would be too large.
        Part::Num(Num::Const(value)) => value.unsigned_abs() > i64::MAX.unsigned_abs() / 4,
        Part::Num(Num::Binary(Arithmetic::Divide | Arithmetic::Modulo, _, divisor)) => {
            constant(divisor).is_none_or(|divisor| divisor < 1)
        }
        Part::Num(Num::Fold(Fold::Max | Fold::Min, list)) => match &list.node {
            List::Heaps(_) | List::Bag(_) => false,
            List::Items(items) => items.is_empty(),
            _ => true,
        },
        Part::Num(
            Num::Binary(Arithmetic::NimSum, ..)
            | Num::Fold(Fold::Xor, _)
            | Num::HeapAt { .. }
            | Num::Carryless { .. }
            | Num::Digit { .. }
            | Num::Isqrt(_),
        ) => true,
        Part::Set(Set::Powers(base)) => constant(base).is_none_or(|base| base < 2),
        Part::Bool(Bool::Like(_)) => true,
        // It may look through more numbers than can be counted.
        Part::Bool(Bool::Quantified { set, .. }) => !is_written_out(set),
        Part::List(List::Members(set)) => !is_written_out(set),
        Part::List(List::Gathered { over, .. }) => !is_written_out(over),
        _ => false,
    })
}

/// Are the members of a set as many as are written, or as the heaps?
fn is_written_out(set: &Set) -> bool {
    match set {
        Set::Items(_) => true,
        Set::List(list) => match &list.node {
            List::Sorted(inner) => !matches!(inner.node, List::Members(_) | List::Gathered { .. }),
            List::Members(_) | List::Gathered { .. } => false,
            List::Heaps(_) | List::Bag(_) | List::Items(_) | List::Picked(_) | List::Amounts => {
                true
            }
        },
        Set::Range(..) | Set::Squares | Set::Powers(_) => false,
    }
}

/// Has a number a value, by what is known of its parts, if these have one?
pub fn has_a_value_within(num: &Num, interval: &mut dyn FnMut(&Num) -> Interval) -> bool {
    let mut least = |num: &Num| interval(num).low;
    let mut is_no_debt = |list: &List| match list {
        List::Heaps(_) | List::Bag(_) | List::Picked(_) | List::Amounts => true,
        list => least(&Num::Fold(Fold::Min, list.clone().into())) >= 0,
    };
    match num {
        Num::Fold(Fold::Xor, list) => is_no_debt(list),
        Num::Carryless {
            base,
            list,
            modulus,
        } => is_no_debt(list) && least(base) >= 2 && least(modulus) >= 1,
        Num::Binary(Arithmetic::NimSum, left, right) => least(left) >= 0 && least(right) >= 0,
        Num::Binary(Arithmetic::Divide | Arithmetic::Modulo, _, divisor) => least(divisor) >= 1,
        Num::Digit { base, index, value } => {
            least(base) >= 2 && least(index) >= 0 && least(value) >= 0
        }
        Num::Isqrt(inner) => least(inner) >= 0,
        Num::HeapAt {
            heaps,
            first,
            index,
        } => {
            let Interval { low, high } = interval(index);
            low >= (*first).into() && high < i128::from(*first) + heaps.len() as i128
        }
        _ => false,
    }
}
