//! Claims solved for one heap: which sizes it can have, the others given.
//!
//! `xor(heaps) == 0` leaves a heap one size, that of the nim-sum of the
//! others, and `carryless` leaves it a few in the same way, column by column.
//! What is found here is what is possible, not what is so: whoever asks holds
//! the claim against each size. Where a claim cannot be solved every size is
//! possible, and nothing is lost but time.

use nimrule_model::expr::solve::{Operand, Unknown};
use nimrule_model::expr::{
    Bool, Entry, Environment, Fold, HeapId, Images, List, Num, Order, Part, PlacedFault,
};
use nimrule_model::game::Statement;

/// More sizes than this are not worth writing out.
const MOST_SIZES: usize = 4096;

/// The sizes of `heap` at which the statement can give the position of the
/// scene the value `wanted`, or for P and N 0 and 1; `None` where every size
/// is possible.
pub fn sizes(
    statement: &Statement,
    wanted: u64,
    heap: HeapId,
    scene: &mut Environment<'_>,
) -> Result<Option<Vec<u64>>, PlacedFault> {
    let solutions = match statement {
        Statement::Outcome {
            up_to_symmetry: false,
            condition,
            ..
        } if wanted == 0 => of_condition(condition, heap, scene)?,
        Statement::Grundy(value) => match i64::try_from(wanted) {
            Ok(wanted) => of_number(value, wanted, heap, scene)?,
            Err(_) => Some(Vec::new()),
        },
        _ => None,
    };
    Ok(solutions.map(|sizes| {
        let sizes = sizes.into_iter();
        sizes.filter_map(|size| u64::try_from(size).ok()).collect()
    }))
}

/// What a heap can be; `None` where nothing is known.
type Solutions = Option<Vec<i64>>;

fn of_condition(
    condition: &Bool,
    heap: HeapId,
    scene: &mut Environment<'_>,
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
            let value = other.eval(scene)?;
            of_number(solved, value, heap, scene)?
        }
        Bool::And(all) => {
            for one in all {
                if let Some(sizes) = of_condition(one, heap, scene)? {
                    return Ok(Some(sizes));
                }
            }
            None
        }
        Bool::Or(all) => {
            let mut together = Vec::new();
            for one in all {
                match of_condition(one, heap, scene)? {
                    Some(sizes) => together.extend(sizes),
                    None => return Ok(None),
                }
            }
            Some(together)
        }
        Bool::If(decides, then, otherwise) if !reads(Part::Bool(decides), heap) => {
            let branch = if decides.eval(scene)? {
                then
            } else {
                otherwise
            };
            of_condition(branch, heap, scene)?
        }
        // Each heap has one of the sizes of a form without names.
        Bool::Like(like) => {
            let mut sizes = match like.images {
                Images::Symmetries => Vec::new(),
                Images::Remaining(_) | Images::Multiset => vec![0],
            };
            for entry in &like.entries {
                match entry {
                    Entry::Equals(value) if !reads(Part::Num(value), heap) => {
                        sizes.push(value.eval(scene)?);
                    }
                    _ => return Ok(None),
                }
            }
            Some(sizes)
        }
        Bool::Let(slot, value, body) if !reads(Part::Num(value), heap) => {
            scene.locals[slot.index()] = value.eval(scene)?;
            of_condition(body, heap, scene)?
        }
        _ => None,
    })
}

/// The sizes at which a number has a value.
fn of_number(
    number: &Num,
    value: i64,
    heap: HeapId,
    scene: &mut Environment<'_>,
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
            let rest = rest.eval(scene)?;
            let value = match operator.inverse(operand) {
                Some((inverse, Operand::Left)) => inverse.apply(value, rest).ok(),
                Some((inverse, Operand::Right)) => inverse.apply(rest, value).ok(),
                None => None,
            };
            match value {
                Some(value) => of_number(solved, value, heap, scene)?,
                None => None,
            }
        }
        Num::Fold(fold @ (Fold::Xor | Fold::Sum), list)
            if let List::Heaps(heaps) = &list.node
                && is_once(heap, heaps) =>
        {
            let rest = others(heap, heaps, scene);
            match fold {
                Fold::Xor if value >= 0 => {
                    Some(vec![rest.fold(value, |sum, size| sum ^ counted(size))])
                }
                Fold::Xor => Some(Vec::new()),
                _ => rest
                    .map(counted)
                    .try_fold(value, i64::checked_sub)
                    .map(|size| vec![size]),
            }
        }
        Num::Carryless {
            base,
            list,
            modulus,
        } if let List::Heaps(heaps) = &list.node
            && is_once(heap, heaps)
            && !reads(Part::Num(base), heap)
            && !reads(Part::Num(modulus), heap) =>
        {
            let (base, modulus) = (base.eval(scene)?, modulus.eval(scene)?);
            let most = scene.position[heap.index()];
            columns(base, modulus, value, most, others(heap, heaps, scene))
        }
        Num::If(decides, then, otherwise) if !reads(Part::Bool(decides), heap) => {
            let branch = if decides.eval(scene)? {
                then
            } else {
                otherwise
            };
            of_number(branch, value, heap, scene)?
        }
        Num::Let(slot, bound, body) if !reads(Part::Num(bound), heap) => {
            scene.locals[slot.index()] = bound.eval(scene)?;
            of_number(body, value, heap, scene)?
        }
        _ => None,
    })
}

/// The sizes whose digits make the sum without carry right in each column. A
/// sum is read as one number, which tells the columns only while no column
/// passes the base, or while all of them are 0.
fn columns(
    base: i64,
    modulus: i64,
    value: i64,
    most: u64,
    others: impl Iterator<Item = u64>,
) -> Solutions {
    if base < 2 || modulus < 1 || (modulus > base && value != 0) {
        return None;
    }
    let mut wanted = u64::try_from(value).ok()?;
    let (base, modulus) = (base.unsigned_abs(), modulus.unsigned_abs());
    let mut rest: Vec<u64> = others.collect();
    let mut most = most;
    let mut place: u64 = 1;
    let mut sizes: Vec<u64> = vec![0];
    while most > 0 || wanted > 0 || rest.iter().any(|size| *size > 0) {
        let column = rest
            .iter()
            .fold(0, |sum, size| (sum + size % base % modulus) % modulus);
        let right = |digit: &u64| (column + digit % modulus) % modulus == wanted % base;
        // Beyond its own columns the heap has no digits but 0.
        let digits: Vec<u64> = (0..if most > 0 { base } else { 1 }).filter(right).collect();
        if sizes.len().saturating_mul(digits.len()) > MOST_SIZES {
            return None;
        }
        let mut longer = Vec::with_capacity(sizes.len() * digits.len());
        for digit in digits {
            for size in &sizes {
                // A size too large to be counted is too large for the heap.
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

/// A size as expressions count it.
fn counted(size: u64) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

fn is_once(heap: HeapId, heaps: &[HeapId]) -> bool {
    heaps.iter().filter(|h| **h == heap).count() == 1
}

fn others<'s>(
    heap: HeapId,
    heaps: &'s [HeapId],
    scene: &'s Environment<'_>,
) -> impl Iterator<Item = u64> + 's {
    heaps
        .iter()
        .filter(move |other| **other != heap)
        .map(|other| scene.position[other.index()])
}

fn reads(part: Part<'_>, heap: HeapId) -> bool {
    Unknown::Heap(heap).is_read_by(part)
}
