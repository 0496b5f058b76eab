//! What an expression is worth in a position: exact, or a [`PlacedFault`].
//!
//! Expressions are evaluated where they stand: a fault has the place of the
//! innermost expression that has no value. A node that is evaluated without its
//! [`Expr`] gives its own faults no place.

mod like;

use super::{Arithmetic, Bool, Expr, Fold, HeapId, List, Num, Picked, Set};
use crate::board::symmetry::Symmetries;
use crate::expr::Quantifier;
use crate::source::Span;
use smallvec::SmallVec;
use std::fmt;
use thiserror::Error;

/// Why an expression has no value in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    #[error("a number passes 9223372036854775807, the largest that is counted with")]
    Overflow,
    #[error("a division by zero")]
    DivisionByZero,
    #[error("a remainder by a number that is not positive")]
    BadModulus,
    #[error("a nim-sum of a negative number, which has no binary digits")]
    NegativeNimSum,
    #[error("a base below 2")]
    BadBase,
    #[error("the digits of a negative number")]
    NegativeDigits,
    #[error("the square root of a negative number")]
    NegativeRoot,
    #[error("the largest or smallest of no numbers")]
    EmptyFold,
    #[error("a heap with an index that no heap has")]
    NoSuchHeap,
    #[error("a position of more than 60000 heaps")]
    TooManyHeaps,
    #[error("a set without end, looked through to its end")]
    EndlessSet,
    #[error("sets of more than {MAX_MEMBERS} numbers, looked through one by one")]
    TooManyMembers,
    #[error("more than {MAX_MEMBERS} images of a position, looked through one by one")]
    TooManyImages,
}

impl Fault {
    pub const ALL: [Fault; 13] = [
        Fault::Overflow,
        Fault::DivisionByZero,
        Fault::BadModulus,
        Fault::NegativeNimSum,
        Fault::BadBase,
        Fault::NegativeDigits,
        Fault::NegativeRoot,
        Fault::EmptyFold,
        Fault::NoSuchHeap,
        Fault::TooManyHeaps,
        Fault::EndlessSet,
        Fault::TooManyMembers,
        Fault::TooManyImages,
    ];

    /// The fault of an expression that is written here; derived expressions,
    /// with an empty span, are written nowhere.
    #[cold]
    pub fn at(self, span: Span) -> PlacedFault {
        let offset = match span.len() {
            0 => NOWHERE,
            _ => u32::try_from(span.offset()).unwrap_or(NOWHERE),
        };
        PlacedFault {
            kind: self,
            len: u16::try_from(span.len()).unwrap_or(u16::MAX),
            offset,
        }
    }
}

/// A fault with the place of the expression that has no value.
//
// PERF: eight bytes, so that results of numbers are returned in registers. Of an
// expression longer than 65,535 bytes the place is its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PlacedFault {
    pub kind: Fault,
    len: u16,
    offset: u32,
}

/// The offset of what is written nowhere.
const NOWHERE: u32 = u32::MAX;

impl PlacedFault {
    /// Where the expression is written, if it is.
    pub fn place(self) -> Option<Span> {
        (self.offset != NOWHERE).then(|| (self.offset as usize, usize::from(self.len)).into())
    }

    /// The same at this place, where it has none.
    #[cold]
    pub fn or_at(self, span: Span) -> PlacedFault {
        match self.offset {
            NOWHERE => self.kind.at(span),
            _ => self,
        }
    }
}

/// Without a place.
impl From<Fault> for PlacedFault {
    fn from(kind: Fault) -> PlacedFault {
        kind.at(nowhere())
    }
}

/// Faults of the same kind; places are compared by those who have them.
impl PartialEq<PlacedFault> for Fault {
    fn eq(&self, other: &PlacedFault) -> bool {
        *self == other.kind
    }
}

impl fmt::Display for PlacedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for PlacedFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place() {
            Some(at) => write!(f, "{:?} at {}+{}", self.kind, at.offset(), at.len()),
            None => fmt::Debug::fmt(&self.kind, f),
        }
    }
}

impl std::error::Error for PlacedFault {}

fn nowhere() -> Span {
    (0, 0).into()
}

/// The quantifiers of an expression may look through this many numbers in all;
/// beyond it the answer would not come in anybody's time.
pub const MAX_MEMBERS: i64 = 10_000_000;

pub type Numbers = SmallVec<[i64; 16]>;

/// What an expression can see.
pub struct Scene<'s> {
    /// The sizes of the heaps. Each is at most `i64::MAX`.
    pub position: &'s [u64],
    /// In a bag with kinds, the kind of each heap; otherwise empty.
    pub kinds: &'s [usize],
    pub locals: &'s mut [i64],
    pub picks: &'s [Picked],
    /// The numbers taken in this step, heap by heap of its selection.
    pub amounts: &'s [u64],
    pub symmetries: &'s Symmetries,
    /// Members of sets looked at so far, kept to [`MAX_MEMBERS`]; begins at 0.
    pub steps: i64,
}

fn size(value: u64) -> i64 {
    // INVARIANT: positions are made from numbers up to i64::MAX.
    value as i64
}

impl Expr<Num> {
    #[inline]
    pub fn eval(&self, scene: &mut Scene<'_>) -> Result<i64, PlacedFault> {
        self.node.eval_at(self.span, scene)
    }
}

impl Num {
    pub fn eval(&self, scene: &mut Scene<'_>) -> Result<i64, PlacedFault> {
        self.eval_at(nowhere(), scene)
    }

    fn eval_at(&self, at: Span, scene: &mut Scene<'_>) -> Result<i64, PlacedFault> {
        let placed = |fault: Fault| fault.at(at);
        match self {
            Num::Const(value) => Ok(*value),
            Num::Heap(heap) => Ok(size(scene.position[heap.index()])),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let heap = heap_at(heaps, *first, index, scene)?;
                Ok(size(scene.position[heap.index()]))
            }
            Num::Local(slot) => Ok(scene.locals[slot.index()]),
            Num::SizeOf(pick) => Ok(scene.picks[pick.index()]
                .first()
                .map_or(0, |heap| size(scene.position[heap.index()]))),
            Num::Total => add_all(scene.amounts.iter().map(|a| size(*a))).map_err(placed),
            Num::Negate(inner) => {
                let value = inner.eval(scene)?;
                value.checked_neg().ok_or_else(|| placed(Fault::Overflow))
            }
            Num::Binary(operator, left, right) => {
                let left = left.eval(scene)?;
                let right = right.eval(scene)?;
                operator.apply(left, right).map_err(placed)
            }
            Num::If(condition, then, otherwise) => {
                if condition.eval(scene)? {
                    then.eval(scene)
                } else {
                    otherwise.eval(scene)
                }
            }
            Num::Let(slot, value, body) => {
                scene.locals[slot.index()] = value.eval(scene)?;
                body.eval(scene)
            }
            Num::Fold(fold, list) => fold_list(*fold, list, at, scene),
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let base = base.eval(scene)?;
                let modulus = modulus.eval(scene)?;
                carryless(base, &list.eval(scene)?, modulus).map_err(placed)
            }
            Num::Digit { base, index, value } => {
                let base = base.eval(scene)?;
                let index = index.eval(scene)?;
                digit(base, index, value.eval(scene)?).map_err(placed)
            }
            Num::Isqrt(inner) => {
                let value = inner.eval(scene)?;
                let value = u64::try_from(value).map_err(|_| placed(Fault::NegativeRoot))?;
                Ok(size(value.isqrt()))
            }
        }
    }
}

impl Arithmetic {
    pub fn apply(self, left: i64, right: i64) -> Result<i64, Fault> {
        match self {
            Arithmetic::Add => left.checked_add(right).ok_or(Fault::Overflow),
            Arithmetic::Subtract => left.checked_sub(right).ok_or(Fault::Overflow),
            Arithmetic::Multiply => left.checked_mul(right).ok_or(Fault::Overflow),
            Arithmetic::Divide => {
                if right == 0 {
                    return Err(Fault::DivisionByZero);
                }
                let quotient = left.checked_div(right).ok_or(Fault::Overflow)?;
                let rounded_up = left % right != 0 && (left < 0) != (right < 0);
                Ok(quotient - i64::from(rounded_up))
            }
            Arithmetic::Modulo => {
                if right <= 0 {
                    return Err(if right == 0 {
                        Fault::DivisionByZero
                    } else {
                        Fault::BadModulus
                    });
                }
                Ok(left.rem_euclid(right))
            }
            Arithmetic::NimSum => {
                if left < 0 || right < 0 {
                    return Err(Fault::NegativeNimSum);
                }
                Ok(left ^ right)
            }
        }
    }
}

fn add_all(values: impl Iterator<Item = i64>) -> Result<i64, Fault> {
    values
        .into_iter()
        .try_fold(0_i64, i64::checked_add)
        .ok_or(Fault::Overflow)
}

/// The heap of a row that an index names, counted from `first`.
pub fn heap_at(
    heaps: &[HeapId],
    first: i64,
    index: &Expr<Num>,
    scene: &mut Scene<'_>,
) -> Result<HeapId, PlacedFault> {
    let place = index.eval(scene)?.checked_sub(first);
    let heap = place
        .and_then(|place| usize::try_from(place).ok())
        .and_then(|place| heaps.get(place));
    heap.copied()
        .ok_or_else(|| Fault::NoSuchHeap.at(index.span))
}

fn fold_list(
    fold: Fold,
    list: &Expr<List>,
    at: Span,
    scene: &mut Scene<'_>,
) -> Result<i64, PlacedFault> {
    let placed = |fault: Fault| fault.at(at);
    // PERF: claims fold the heaps themselves far more often than anything
    // else; they need no copy.
    if let List::Heaps(heaps) = &list.node {
        let sizes = heaps.iter().map(|h| size(scene.position[h.index()]));
        return fold_numbers(fold, sizes).map_err(placed);
    }
    // PERF: nor does the larger of two numbers.
    if let (List::Items(items), Fold::Max | Fold::Min) = (&list.node, fold)
        && let Some((first, rest)) = items.split_first()
    {
        let mut found = first.eval(scene)?;
        for item in rest {
            let value = item.eval(scene)?;
            found = match fold {
                Fold::Max => found.max(value),
                _ => found.min(value),
            };
        }
        return Ok(found);
    }
    if let (List::Bag(_), Fold::Max | Fold::Min) = (&list.node, fold) {
        // An empty bag is as good as one empty heap.
        let sizes = list.eval(scene)?;
        let none = if sizes.is_empty() { Some(0) } else { None };
        return fold_numbers(fold, sizes.into_iter().chain(none)).map_err(placed);
    }
    fold_numbers(fold, list.eval(scene)?.into_iter()).map_err(placed)
}

fn fold_numbers(fold: Fold, mut values: impl Iterator<Item = i64>) -> Result<i64, Fault> {
    match fold {
        Fold::Max => values.max().ok_or(Fault::EmptyFold),
        Fold::Min => values.min().ok_or(Fault::EmptyFold),
        Fold::Sum => add_all(values),
        Fold::Xor => values.try_fold(0, |sum, value| Arithmetic::NimSum.apply(sum, value)),
        Fold::Count => Ok(values.count() as i64),
    }
}

/// Adds the digits of each column in base `base`, mod `modulus`, and reads
/// the sums as digits again.
pub fn carryless(base: i64, values: &[i64], modulus: i64) -> Result<i64, Fault> {
    if base < 2 {
        return Err(Fault::BadBase);
    }
    if modulus < 1 {
        return Err(Fault::BadModulus);
    }
    let mut rest: Numbers = values.into();
    let mut place = 1_i64;
    let mut result = 0_i64;
    loop {
        // Two digits of a large base may pass an i64 before the remainder.
        let mut column = 0_i128;
        for value in &mut rest {
            if *value < 0 {
                return Err(Fault::NegativeDigits);
            }
            column = (column + i128::from(*value % base)) % i128::from(modulus);
            *value /= base;
        }
        let term = i64::try_from(column * i128::from(place)).map_err(|_| Fault::Overflow)?;
        result = result.checked_add(term).ok_or(Fault::Overflow)?;
        if rest.iter().all(|value| *value == 0) {
            return Ok(result);
        }
        place = place.checked_mul(base).ok_or(Fault::Overflow)?;
    }
}

fn digit(base: i64, index: i64, value: i64) -> Result<i64, Fault> {
    if base < 2 {
        return Err(Fault::BadBase);
    }
    if value < 0 || index < 0 {
        return Err(Fault::NegativeDigits);
    }
    let mut value = value;
    for _ in 0..index {
        value /= base;
        if value == 0 {
            return Ok(0);
        }
    }
    Ok(value % base)
}

impl Expr<Bool> {
    #[inline]
    pub fn eval(&self, scene: &mut Scene<'_>) -> Result<bool, PlacedFault> {
        self.node.eval_at(self.span, scene)
    }
}

impl Bool {
    pub fn eval(&self, scene: &mut Scene<'_>) -> Result<bool, PlacedFault> {
        self.eval_at(nowhere(), scene)
    }

    fn eval_at(&self, at: Span, scene: &mut Scene<'_>) -> Result<bool, PlacedFault> {
        match self {
            Bool::Const(value) => Ok(*value),
            Bool::Compare(order, left, right) => {
                let left = left.eval(scene)?;
                Ok(order.holds(left, right.eval(scene)?))
            }
            Bool::In(num, set) => {
                let value = num.eval(scene)?;
                set.contains(value, scene)
            }
            Bool::And(all) => {
                for condition in all {
                    if !condition.eval(scene)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Bool::Or(any) => {
                for condition in any {
                    if condition.eval(scene)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Bool::Not(inner) => Ok(!inner.eval(scene)?),
            Bool::If(condition, then, otherwise) => {
                if condition.eval(scene)? {
                    then.eval(scene)
                } else {
                    otherwise.eval(scene)
                }
            }
            Bool::Let(slot, value, body) => {
                scene.locals[slot.index()] = value.eval(scene)?;
                body.eval(scene)
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let wanted = *quantifier == Quantifier::Exists;
                let found = set.any_member(scene, &mut |value, scene| {
                    scene.locals[slot.index()] = value;
                    Ok(body.eval(scene)? == wanted)
                })?;
                Ok(found == wanted)
            }
            Bool::Each(slot, body) => {
                for index in 0..scene.amounts.len() {
                    scene.locals[slot.index()] = size(scene.amounts[index]);
                    if !body.eval(scene)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Bool::Distinct(list) => {
                let mut values = list.eval(scene)?;
                values.sort_unstable();
                Ok(values.windows(2).all(|pair| pair[0] != pair[1]))
            }
            Bool::Same(left, right) => Ok(scene.picks[left.index()] == scene.picks[right.index()]),
            Bool::Like(like) => like.eval(at, scene),
        }
    }
}

impl Expr<List> {
    pub fn eval(&self, scene: &mut Scene<'_>) -> Result<Numbers, PlacedFault> {
        match &self.node {
            List::Heaps(heaps) => Ok(heaps
                .iter()
                .map(|h| size(scene.position[h.index()]))
                .collect()),
            // A heap that a step has emptied is gone.
            List::Bag(kind) => Ok(scene
                .position
                .iter()
                .enumerate()
                .filter(|(place, heap)| {
                    let of_kind = kind.is_none_or(|kind| scene.kinds.get(*place) == Some(&kind));
                    **heap > 0 && of_kind
                })
                .map(|(_, heap)| size(*heap))
                .collect()),
            List::Items(items) => {
                let mut values = Numbers::with_capacity(items.len());
                for item in items {
                    values.push(item.eval(scene)?);
                }
                Ok(values)
            }
            List::Sorted(inner) => {
                let mut values = inner.eval(scene)?;
                values.sort_unstable();
                Ok(values)
            }
            List::Picked(pick) => Ok(scene.picks[pick.index()]
                .iter()
                .map(|h| size(scene.position[h.index()]))
                .collect()),
            List::Amounts => Ok(scene.amounts.iter().map(|a| size(*a)).collect()),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut gathered = Numbers::new();
                over.any_member(scene, &mut |member, scene| {
                    scene.locals[slot.index()] = member;
                    let keep = match condition {
                        Some(condition) => condition.eval(scene)?,
                        None => true,
                    };
                    if keep {
                        gathered.push(value.eval(scene)?);
                    }
                    Ok(false)
                })?;
                Ok(gathered)
            }
            List::Members(set) => {
                let mut members = Numbers::new();
                set.any_member(scene, &mut |member, _| {
                    members.push(member);
                    Ok(false)
                })?;
                Ok(members)
            }
        }
    }
}

/// What is asked of each member of a set.
type Test<'t> = &'t mut dyn FnMut(i64, &mut Scene<'_>) -> Result<bool, PlacedFault>;

impl Expr<Set> {
    pub fn contains(&self, value: i64, scene: &mut Scene<'_>) -> Result<bool, PlacedFault> {
        match &self.node {
            Set::Range(low, high) => {
                if value < low.eval(scene)? {
                    return Ok(false);
                }
                match high {
                    Some(high) => Ok(value <= high.eval(scene)?),
                    None => Ok(true),
                }
            }
            Set::Items(items) => {
                for item in items {
                    if item.eval(scene)? == value {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Squares => Ok(u64::try_from(value).is_ok_and(|v| v.isqrt().pow(2) == v)),
            Set::Powers(base) => {
                let base = base.eval(scene)?;
                if base < 2 {
                    return Err(Fault::BadBase.at(self.span));
                }
                let mut power = 1_i64;
                while power < value {
                    match power.checked_mul(base) {
                        Some(next) => power = next,
                        None => return Ok(false),
                    }
                }
                Ok(power == value)
            }
            Set::List(list) => Ok(list.eval(scene)?.contains(&value)),
        }
    }

    /// Has the set a member that passes `test`? Members come in the order of
    /// the set: ascending, or as written.
    pub fn any_member(&self, scene: &mut Scene<'_>, test: Test<'_>) -> Result<bool, PlacedFault> {
        if self.is_endless() {
            return Err(Fault::EndlessSet.at(self.span));
        }
        self.any_member_to(i64::MAX, scene, test)
    }

    /// The same, for members up to `most` only; the set may have no end.
    pub fn any_member_to(
        &self,
        most: i64,
        scene: &mut Scene<'_>,
        test: Test<'_>,
    ) -> Result<bool, PlacedFault> {
        match &self.node {
            Set::Range(low, high) => {
                let low = low.eval(scene)?;
                let high = match high {
                    Some(high) => high.eval(scene)?.min(most),
                    None => most,
                };
                for value in low..=high {
                    scene.steps += 1;
                    if scene.steps > MAX_MEMBERS {
                        return Err(Fault::TooManyMembers.at(self.span));
                    }
                    if test(value, scene)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Items(items) => {
                for item in items {
                    let value = item.eval(scene)?;
                    if value <= most && test(value, scene)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Squares => {
                let mut root = 0_i64;
                while let Some(square) = root.checked_mul(root).filter(|s| *s <= most) {
                    if test(square, scene)? {
                        return Ok(true);
                    }
                    root += 1;
                }
                Ok(false)
            }
            Set::Powers(base) => {
                let base = base.eval(scene)?;
                if base < 2 {
                    return Err(Fault::BadBase.at(self.span));
                }
                let mut power = Some(1_i64);
                while let Some(value) = power.filter(|p| *p <= most) {
                    if test(value, scene)? {
                        return Ok(true);
                    }
                    power = value.checked_mul(base);
                }
                Ok(false)
            }
            Set::List(list) => {
                for value in list.eval(scene)? {
                    if value <= most && test(value, scene)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

impl Set {
    /// Is it a set without end?
    pub fn is_endless(&self) -> bool {
        matches!(self, Set::Range(_, None) | Set::Squares | Set::Powers(_))
    }
}

/// Refuses to go through more images of a position than can be looked at.
pub fn check_images(symmetries: &Symmetries, position: &[u64]) -> Result<(), Fault> {
    let most = MAX_MEMBERS.unsigned_abs().into();
    let many = symmetries.order().is_none_or(|order| order > most);
    if many && symmetries.orbit_size(position) > most {
        return Err(Fault::TooManyImages);
    }
    Ok(())
}
