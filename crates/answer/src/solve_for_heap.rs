//! Claims solved for one heap: the sizes that it can have, given the others.
//!
//! `xor(heaps) == 0` determines a heap as the nim-sum of the others; `carryless`
//! leaves a few sizes, digit by digit. The result is a superset of the solutions,
//! so callers evaluate the claim at each size. Where a claim cannot be solved,
//! every size is possible.

use nimrule_model::expr::solve::{Operand, Unknown};
use nimrule_model::expr::{
    Bool, Entry, Environment, Fold, HeapId, Images, List, Num, Order, Part, PlacedFault,
};
use nimrule_model::game::Statement;

/// The largest number of sizes that are listed.
const MAX_SIZES: usize = 4096;

/// The sizes of `heap` at which the statement may give the position the value
/// `wanted` (0 for P and 1 for N, if it is about outcomes); `None` if every size
/// is possible.
pub fn sizes(
    statement: &Statement,
    wanted: u64,
    heap: HeapId,
    environment: &mut Environment<'_>,
) -> Result<Option<Vec<u64>>, PlacedFault> {
    let solutions = match statement {
        Statement::Outcome {
            up_to_symmetry: false,
            condition,
            ..
        } if wanted == 0 => of_condition(condition, heap, environment)?,
        Statement::Grundy(value) => match i64::try_from(wanted) {
            Ok(wanted) => of_number(value, wanted, heap, environment)?,
            Err(_) => Some(Vec::new()),
        },
        _ => None,
    };
    Ok(solutions.map(|sizes| {
        let sizes = sizes.into_iter();
        sizes.filter_map(|size| u64::try_from(size).ok()).collect()
    }))
}

/// The possible sizes of a heap; `None` if nothing is known.
type Solutions = Option<Vec<i64>>;

fn of_condition(
    condition: &Bool,
    heap: HeapId,
    environment: &mut Environment<'_>,
) -> Result<Solutions, PlacedFault> {
    Ok(match condition {
        Bool::Const(false) => Some(Vec::new()),
        Bool::Compare(Order::Equal, left, right) => {
            let (solved, other) =
                match (reads(Part::Num(left), heap), reads(Part::Num(right), heap)) {
                    (true, false) => (left, right),
                    (false, true) => (right, left),
                    _ => return Ok(None),
                };
            let value = other.eval(environment)?;
            of_number(solved, value, heap, environment)?
        }
        Bool::And(all) => {
            for one in all {
                if let Some(sizes) = of_condition(one, heap, environment)? {
                    return Ok(Some(sizes));
                }
            }
            None
        }
        Bool::Or(all) => {
            let mut together = Vec::new();
            for one in all {
                match of_condition(one, heap, environment)? {
                    Some(sizes) => together.extend(sizes),
                    None => return Ok(None),
                }
            }
            Some(together)
        }
        Bool::If(decides, then, otherwise) if !reads(Part::Bool(decides), heap) => {
            let branch = if decides.eval(environment)? {
                then
            } else {
                otherwise
            };
            of_condition(branch, heap, environment)?
        }
        // Each heap has one of the sizes of a form without names.
        Bool::Like(like) => {
            let mut sizes = match like.images {
                Images::Symmetries => Vec::new(),
                Images::Remaining(_) | Images::Multiset(_) => vec![0],
            };
            for entry in &like.entries {
                match entry {
                    Entry::Equals(value) if !reads(Part::Num(value), heap) => {
                        sizes.push(value.eval(environment)?);
                    }
                    _ => return Ok(None),
                }
            }
            Some(sizes)
        }
        Bool::Let(slot, value, body) if !reads(Part::Num(value), heap) => {
            environment.locals[slot.index()] = value.eval(environment)?;
            of_condition(body, heap, environment)?
        }
        _ => None,
    })
}

/// The sizes at which a number has a given value.
fn of_number(
    number: &Num,
    value: i64,
    heap: HeapId,
    environment: &mut Environment<'_>,
) -> Result<Solutions, PlacedFault> {
    Ok(match number {
        Num::Heap(found) if *found == heap => Some(vec![value]),
        Num::Binary(operator, left, right) => {
            let (solved, operand, rest) =
                match (reads(Part::Num(left), heap), reads(Part::Num(right), heap)) {
                    (true, false) => (left, Operand::Left, right),
                    (false, true) => (right, Operand::Right, left),
                    _ => return Ok(None),
                };
            let rest = rest.eval(environment)?;
            let value = match operator.inverse(operand) {
                Some((inverse, Operand::Left)) => inverse.apply(value, rest).ok(),
                Some((inverse, Operand::Right)) => inverse.apply(rest, value).ok(),
                None => None,
            };
            match value {
                Some(value) => of_number(solved, value, heap, environment)?,
                None => None,
            }
        }
        Num::Fold(Fold::Sum, list)
            if let List::Heaps(heaps) = &list.node
                && is_once(heap, heaps) =>
        {
            others(heap, heaps, environment)
                .map(counted)
                .try_fold(value, i64::checked_sub)
                .map(|size| vec![size])
        }
        Num::Carryless {
            base,
            list,
            modulus,
        } if !reads(Part::Num(base), heap) && !reads(Part::Num(modulus), heap) => {
            let (base, modulus) = (base.eval(environment)?, modulus.eval(environment)?);
            match &list.node {
                List::Heaps(heaps) if is_once(heap, heaps) => {
                    let most = environment.position[heap.index()];
                    let rest = others(heap, heaps, environment).collect();
                    columns(base, modulus, value, most, rest)
                }
                List::Items(items) if base == modulus => {
                    let (solved, others): (Vec<_>, Vec<_>) =
                        (items.iter()).partition(|item| reads(Part::Num(item), heap));
                    let [solved] = solved[..] else {
                        return Ok(None);
                    };
                    let mut rest = Vec::new();
                    for other in others {
                        match u64::try_from(other.eval(environment)?) {
                            Ok(other) => rest.push(other),
                            Err(_) => return Ok(None),
                        }
                    }
                    let values = columns(base, modulus, value, 0, rest);
                    match values.as_deref() {
                        Some([value]) => of_number(solved, *value, heap, environment)?,
                        _ => values,
                    }
                }
                _ => None,
            }
        }
        Num::If(decides, then, otherwise) if !reads(Part::Bool(decides), heap) => {
            let branch = if decides.eval(environment)? {
                then
            } else {
                otherwise
            };
            of_number(branch, value, heap, environment)?
        }
        Num::Let(slot, bound, body) if !reads(Part::Num(bound), heap) => {
            environment.locals[slot.index()] = bound.eval(environment)?;
            of_number(body, value, heap, environment)?
        }
        _ => None,
    })
}

/// The sizes whose digits give the right carryless sum at each digit. The sum as
/// one number determines its digits only while no digit sum exceeds the base, or
/// if all are 0. The sizes have no more digits than `most`, unless base and modulus are
/// equal: then there is one, of any size.
fn columns(base: i64, modulus: i64, value: i64, most: u64, mut rest: Vec<u64>) -> Solutions {
    if base < 2 || modulus < 1 || (modulus > base && value != 0) {
        return None;
    }
    // No sum is negative.
    let Ok(mut wanted) = u64::try_from(value) else {
        return Some(Vec::new());
    };
    let (base, modulus) = (base.unsigned_abs(), modulus.unsigned_abs());
    let mut most = match base == modulus {
        true => rest.iter().copied().fold(wanted, u64::max),
        false => most,
    };
    let mut place: u64 = 1;
    let mut sizes: Vec<u64> = vec![0];
    while most > 0 || wanted > 0 || rest.iter().any(|size| *size > 0) {
        let column = rest
            .iter()
            .fold(0, |sum, size| (sum + size % base % modulus) % modulus);
        let digit = wanted % base;
        let first = (digit + modulus - column) % modulus;
        // The heap has only zeros beyond these digits.
        let end = match digit < modulus {
            true if most > 0 => base,
            true => 1,
            false => 0,
        };
        let digits: Vec<u64> = (first..end).step_by(modulus as usize).collect();
        if sizes.len().saturating_mul(digits.len()) > MAX_SIZES {
            return None;
        }
        let mut longer = Vec::with_capacity(sizes.len() * digits.len());
        for digit in digits {
            for size in &sizes {
                // A size that overflows exceeds the largest heap.
                let term = digit.checked_mul(place);
                longer.extend(term.and_then(|term| size.checked_add(term)));
            }
        }
        sizes = longer;
        for size in &mut rest {
            *size /= base;
        }
        wanted /= base;
        most /= base;
        place = place.saturating_mul(base);
    }
    Some(sizes.into_iter().map(counted).collect())
}

/// A size as a number of the expression language.
fn counted(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn is_once(heap: HeapId, heaps: &[HeapId]) -> bool {
    heaps.iter().filter(|h| **h == heap).count() == 1
}

fn others<'s>(
    heap: HeapId,
    heaps: &'s [HeapId],
    environment: &'s Environment<'_>,
) -> impl Iterator<Item = u64> + 's {
    heaps
        .iter()
        .filter(move |other| **other != heap)
        .map(|other| environment.position[other.index()])
}

fn reads(part: Part<'_>, heap: HeapId) -> bool {
    Unknown::Heap(heap).is_read_by(part)
}
