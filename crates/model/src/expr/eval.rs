//! The evaluation of expressions at a position: an exact value or a
//! [`PlacedFault`].
//!
//! A fault has the span of the innermost expression that has no value. A node
//! that is evaluated without its [`Expr`] has no span, and so have its faults.

mod like;

use super::{Arithmetic, Bool, Builtin, Expr, Fold, HeapId, List, Num, Picked, Set};
use crate::expr::Quantifier;
use crate::source::Span;
use nimrule_board::symmetry::Symmetries;
use num_integer::Integer;
use smallvec::SmallVec;
use std::fmt;
use thiserror::Error;

/// A run-time error: why an expression has no value at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Fault {
    /// A number outside of the 64-bit integers.
    #[error("a number exceeds 9223372036854775807, the largest supported")]
    Overflow,
    /// A division or remainder by 0.
    #[error("a division by zero")]
    DivisionByZero,
    /// A remainder by a negative number.
    #[error("a remainder by a number that is not positive")]
    BadModulus,
    /// A numeration system with a base below 2.
    #[error("a base below 2")]
    BadBase,
    /// A sum without carry of a negative number.
    #[error("a nim-sum, or sum without carry, of a negative number, which has no digits")]
    NegativeDigits,
    /// A function of a number that is too small.
    #[error("{}", .0.outside())]
    OutsideDomain(Builtin),
    /// A power with a negative exponent.
    #[error("a power with a negative exponent")]
    NegativeExponent,
    /// A heap that a step sets to a negative size.
    #[error("a heap of a negative size")]
    NegativeSize,
    /// The largest or smallest member of an empty list.
    #[error("the maximum or minimum of no numbers")]
    EmptyFold,
    /// An index that is not the index of a heap, or of a number of a list.
    #[error("an index outside its range")]
    NoSuchHeap,
    /// A position with more heaps than the language supports.
    #[error("a position of more than 60000 heaps")]
    TooManyHeaps,
    /// An infinite set whose members would have to be enumerated.
    #[error("the enumeration of an infinite set")]
    InfiniteSet,
    /// More than [`MAX_MEMBERS`] members of sets enumerated in one evaluation.
    #[error("the enumeration of more than {MAX_MEMBERS} numbers")]
    TooManyMembers,
    /// More than [`MAX_MEMBERS`] images of the position compared with a form.
    #[error("more than {MAX_MEMBERS} images of a position under symmetries")]
    TooManyImages,
}

impl Fault {
    /// All faults, in the order of their declaration; those of functions once.
    pub const ALL: [Fault; 14] = [
        Fault::Overflow,
        Fault::DivisionByZero,
        Fault::BadModulus,
        Fault::BadBase,
        Fault::NegativeDigits,
        Fault::OutsideDomain(Builtin::Isqrt),
        Fault::NegativeExponent,
        Fault::NegativeSize,
        Fault::EmptyFold,
        Fault::NoSuchHeap,
        Fault::TooManyHeaps,
        Fault::InfiniteSet,
        Fault::TooManyMembers,
        Fault::TooManyImages,
    ];

    /// The fault with the span of its expression. The empty span of a derived
    /// expression counts as no span.
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

/// A fault with the span of the expression that has no value.
//
// PERF: eight bytes, so that results of numbers are returned in registers. The
// span of an expression longer than 65,535 bytes is cut to that length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PlacedFault {
    /// Why there is no value.
    pub kind: Fault,
    len: u16,
    offset: u32,
}

/// The offset that means that there is no span.
const NOWHERE: u32 = u32::MAX;

impl PlacedFault {
    /// The span of the expression, unless it is derived.
    pub fn place(self) -> Option<Span> {
        (self.offset != NOWHERE).then(|| (self.offset as usize, usize::from(self.len)).into())
    }

    /// The fault with this span, unless it has one already.
    #[cold]
    pub fn or_at(self, span: Span) -> PlacedFault {
        match self.offset {
            NOWHERE => self.kind.at(span),
            _ => self,
        }
    }
}

/// A fault without a span.
impl From<Fault> for PlacedFault {
    fn from(kind: Fault) -> PlacedFault {
        kind.at(nowhere())
    }
}

/// Compares the kind of fault only.
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

/// The largest number of members of sets that one evaluation may visit.
pub const MAX_MEMBERS: i64 = 10_000_000;

/// A list of integers.
pub type Numbers = SmallVec<[i64; 16]>;

/// The environment in which an expression is evaluated.
pub struct Environment<'s> {
    /// The sizes of the heaps. Each is at most `i64::MAX`.
    pub position: &'s [u64],
    /// The kind of each heap of a multiset with kinds; otherwise empty.
    pub kinds: &'s [usize],
    /// The values of the local variables, by [`Slot`](super::Slot).
    pub locals: &'s mut [i64],
    /// The heaps selected, by [`Pick`](super::Pick).
    pub picks: &'s [Picked],
    /// The amounts that the current step takes from the heaps it selected.
    pub amounts: &'s [u64],
    /// The symmetries under which forms are matched.
    pub symmetries: &'s Symmetries,
    /// The number of members of sets visited so far, at most [`MAX_MEMBERS`].
    /// Initially 0.
    pub steps: i64,
}

fn size(value: u64) -> i64 {
    // INVARIANT: positions are made from numbers up to i64::MAX.
    value as i64
}

impl Expr<Num> {
    /// The value.
    ///
    /// # Errors
    ///
    /// If the expression has no value.
    #[inline]
    pub fn eval(&self, environment: &mut Environment<'_>) -> Result<i64, PlacedFault> {
        // PERF: most operands are leaves, which are read without a call.
        match &self.node {
            Num::Const(value) => Ok(*value),
            Num::Heap(heap) => Ok(size(environment.position[heap.index()])),
            Num::Local(slot) => Ok(environment.locals[slot.index()]),
            other => other.eval_at(self.span, environment),
        }
    }
}

impl Num {
    /// As [`Expr::eval`], for an expression without a span.
    ///
    /// # Errors
    ///
    /// If the expression has no value.
    pub fn eval(&self, environment: &mut Environment<'_>) -> Result<i64, PlacedFault> {
        self.eval_at(nowhere(), environment)
    }

    fn eval_at(&self, at: Span, environment: &mut Environment<'_>) -> Result<i64, PlacedFault> {
        let placed = |fault: Fault| fault.at(at);
        match self {
            Num::Const(value) => Ok(*value),
            Num::Heap(heap) => Ok(size(environment.position[heap.index()])),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let heap = heap_at(heaps, *first, index, environment)?;
                Ok(size(environment.position[heap.index()]))
            }
            Num::Local(slot) => Ok(environment.locals[slot.index()]),
            Num::SizeOf(pick) => Ok(environment.picks[pick.index()]
                .first()
                .map_or(0, |heap| size(environment.position[heap.index()]))),
            Num::IndexOf(pick) => Ok(environment.picks[pick.index()]
                .first()
                .map_or(0, |heap| heap.index() as i64 + 1)),
            Num::Total => add_all(environment.amounts.iter().map(|a| size(*a))).map_err(placed),
            Num::Negate(inner) => {
                let value = inner.eval(environment)?;
                value.checked_neg().ok_or_else(|| placed(Fault::Overflow))
            }
            Num::Binary(operator, left, right) => {
                let left = left.eval(environment)?;
                let right = right.eval(environment)?;
                operator.apply(left, right).map_err(placed)
            }
            Num::If(condition, then, otherwise) => {
                if condition.eval(environment)? {
                    then.eval(environment)
                } else {
                    otherwise.eval(environment)
                }
            }
            Num::Let(slot, value, body) => {
                environment.locals[slot.index()] = value.eval(environment)?;
                body.eval(environment)
            }
            Num::Fold(fold, list) => fold_list(*fold, list, at, environment),
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let base = base.eval(environment)?;
                let modulus = modulus.eval(environment)?;
                // PERF: as in `fold_list`, no list is allocated for sizes of heaps.
                let sum = if let List::Heaps(heaps) = &list.node {
                    let sizes = heaps.iter().map(|h| size(environment.position[h.index()]));
                    carryless(base, sizes, modulus)
                } else {
                    carryless(base, list.eval(environment)?.into_iter(), modulus)
                };
                sum.map_err(placed)
            }
            Num::Apply(function, arguments) => {
                let mut values = [0; Builtin::MAX_ARGUMENTS];
                for (value, argument) in values.iter_mut().zip(arguments) {
                    *value = argument.eval(environment)?;
                }
                function.apply(&values[..arguments.len()]).map_err(placed)
            }
            Num::Components(region) => region.components(environment),
        }
    }
}

impl Arithmetic {
    /// The value of the operation.
    ///
    /// # Errors
    ///
    /// If the operation has no value, or if 64 bits cannot hold it.
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
            Arithmetic::Gcd => i64::try_from(left.unsigned_abs().gcd(&right.unsigned_abs()))
                .map_err(|_| Fault::Overflow),
            Arithmetic::Power => power(left, right),
        }
    }
}

fn power(base: i64, exponent: i64) -> Result<i64, Fault> {
    if exponent < 0 {
        return Err(Fault::NegativeExponent);
    }
    match base {
        0 => Ok(i64::from(exponent == 0)),
        1 => Ok(1),
        -1 => Ok(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => u32::try_from(exponent)
            .ok()
            .and_then(|exponent| base.checked_pow(exponent))
            .ok_or(Fault::Overflow),
    }
}

/// The sum, which need not fit before the last number is added.
fn add_all(values: impl Iterator<Item = i64>) -> Result<i64, Fault> {
    // INVARIANT: a list has fewer than 2^63 numbers.
    i64::try_from(values.map(i128::from).sum::<i128>()).map_err(|_| Fault::Overflow)
}

/// The heap with an index in a list, counted from `first`.
///
/// # Errors
///
/// If the index has no value, or if no heap has it.
pub fn heap_at(
    heaps: &[HeapId],
    first: i64,
    index: &Expr<Num>,
    environment: &mut Environment<'_>,
) -> Result<HeapId, PlacedFault> {
    let place = index.eval(environment)?.checked_sub(first);
    let heap = place
        .and_then(|place| usize::try_from(place).ok())
        .and_then(|place| heaps.get(place));
    heap.copied()
        .ok_or_else(|| Fault::NoSuchHeap.at(index.span))
}

/// The list with an index, counted from 1.
pub(super) fn list_at<'l>(
    lists: &'l [Vec<HeapId>],
    index: &Expr<Num>,
    environment: &mut Environment<'_>,
) -> Result<&'l [HeapId], PlacedFault> {
    let place = index.eval(environment)?.checked_sub(1);
    let list = place
        .and_then(|place| usize::try_from(place).ok())
        .and_then(|place| lists.get(place));
    list.map(Vec::as_slice)
        .ok_or_else(|| Fault::NoSuchHeap.at(index.span))
}

fn fold_list(
    fold: Fold,
    list: &Expr<List>,
    at: Span,
    environment: &mut Environment<'_>,
) -> Result<i64, PlacedFault> {
    let placed = |fault: Fault| fault.at(at);
    // PERF: claims fold the sizes of heaps far more often than anything else;
    // no list is allocated for them.
    if let List::Heaps(heaps) = &list.node {
        let sizes = heaps.iter().map(|h| size(environment.position[h.index()]));
        return fold_numbers(fold, sizes).map_err(placed);
    }
    if let List::At { lists, index } = &list.node {
        let heaps = list_at(lists, index, environment)?;
        let sizes = heaps.iter().map(|h| size(environment.position[h.index()]));
        return fold_numbers(fold, sizes).map_err(placed);
    }
    // PERF: nor for the maximum or minimum of listed numbers.
    if let (List::Items(items), Fold::Max | Fold::Min) = (&list.node, fold)
        && let Some((first, rest)) = items.split_first()
    {
        let mut found = first.eval(environment)?;
        for item in rest {
            let value = item.eval(environment)?;
            found = match fold {
                Fold::Max => found.max(value),
                _ => found.min(value),
            };
        }
        return Ok(found);
    }
    if let (List::Multiset(_), Fold::Max | Fold::Min) = (&list.node, fold) {
        // An empty multiset counts as one empty heap.
        let sizes = list.eval(environment)?;
        let none = if sizes.is_empty() { Some(0) } else { None };
        return fold_numbers(fold, sizes.into_iter().chain(none)).map_err(placed);
    }
    fold_numbers(fold, list.eval(environment)?.into_iter()).map_err(placed)
}

fn fold_numbers(fold: Fold, values: impl Iterator<Item = i64>) -> Result<i64, Fault> {
    match fold {
        Fold::Max => values.max().ok_or(Fault::EmptyFold),
        Fold::Min => values.min().ok_or(Fault::EmptyFold),
        Fold::Sum => add_all(values),
        Fold::Count => Ok(values.count() as i64),
    }
}

/// The sum without carry: at each place the digits in base `base` are added
/// modulo `modulus`, and the results are the digits of the value.
///
/// # Errors
///
/// If the base, the modulus or a number is out of range, or if 64 bits cannot
/// hold the value.
pub fn carryless(
    base: i64,
    mut values: impl Iterator<Item = i64>,
    modulus: i64,
) -> Result<i64, Fault> {
    if base < 2 {
        return Err(Fault::BadBase);
    }
    if modulus < 1 {
        return Err(Fault::BadModulus);
    }
    // PERF: the nim-sum, which most claims are about, without its digits.
    if (base, modulus) == (2, 2) {
        return values.try_fold(0, |sum, value| match value {
            0.. => Ok(sum ^ value),
            _ => Err(Fault::NegativeDigits),
        });
    }
    let mut rest: Numbers = values.collect();
    let mut place = 1_i64;
    let mut result = 0_i64;
    loop {
        // The sum of two digits of a large base may overflow 64 bits.
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

impl Expr<Bool> {
    /// Whether the condition holds.
    ///
    /// # Errors
    ///
    /// If the condition has no truth value.
    #[inline]
    pub fn eval(&self, environment: &mut Environment<'_>) -> Result<bool, PlacedFault> {
        self.node.eval_at(self.span, environment)
    }
}

impl Bool {
    /// As [`Expr::eval`], for a condition without a span.
    ///
    /// # Errors
    ///
    /// If the condition has no truth value.
    pub fn eval(&self, environment: &mut Environment<'_>) -> Result<bool, PlacedFault> {
        self.eval_at(nowhere(), environment)
    }

    fn eval_at(&self, at: Span, environment: &mut Environment<'_>) -> Result<bool, PlacedFault> {
        match self {
            Bool::Const(value) => Ok(*value),
            Bool::Compare(order, left, right) => {
                let left = left.eval(environment)?;
                Ok(order.holds(left, right.eval(environment)?))
            }
            Bool::In(num, set) => {
                let value = num.eval(environment)?;
                set.contains(value, environment)
            }
            Bool::And(all) => {
                for condition in all {
                    if !condition.eval(environment)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Bool::Or(any) => {
                for condition in any {
                    if condition.eval(environment)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Bool::Not(inner) => Ok(!inner.eval(environment)?),
            Bool::If(condition, then, otherwise) => {
                if condition.eval(environment)? {
                    then.eval(environment)
                } else {
                    otherwise.eval(environment)
                }
            }
            Bool::Let(slot, value, body) => {
                environment.locals[slot.index()] = value.eval(environment)?;
                body.eval(environment)
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let wanted = *quantifier == Quantifier::Exists;
                let found = set.any_member(environment, &mut |value, environment| {
                    environment.locals[slot.index()] = value;
                    Ok(body.eval(environment)? == wanted)
                })?;
                Ok(found == wanted)
            }
            Bool::Each(slot, body) => {
                for index in 0..environment.amounts.len() {
                    environment.locals[slot.index()] = size(environment.amounts[index]);
                    if !body.eval(environment)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Bool::Distinct(list) => {
                let mut values = list.eval(environment)?;
                values.sort_unstable();
                Ok(values.windows(2).all(|pair| pair[0] != pair[1]))
            }
            Bool::Same(left, right) => {
                Ok(environment.picks[left.index()] == environment.picks[right.index()])
            }
            Bool::Like(like) => like.eval(at, environment),
            Bool::Joined(joined) => joined.holds(environment),
        }
    }
}

impl Expr<List> {
    /// The members.
    ///
    /// # Errors
    ///
    /// If an expression of the list has no value.
    pub fn eval(&self, environment: &mut Environment<'_>) -> Result<Numbers, PlacedFault> {
        match &self.node {
            List::Heaps(heaps) => Ok(heaps
                .iter()
                .map(|h| size(environment.position[h.index()]))
                .collect()),
            // A multiset has no empty heaps: a heap that a step emptied is gone.
            List::Multiset(kind) => Ok(environment
                .position
                .iter()
                .enumerate()
                .filter(|(place, heap)| {
                    let of_kind = kind.has(environment.kinds.get(*place).copied());
                    **heap > 0 && of_kind
                })
                .map(|(_, heap)| size(*heap))
                .collect()),
            List::Items(items) => {
                let mut values = Numbers::with_capacity(items.len());
                for item in items {
                    values.push(item.eval(environment)?);
                }
                Ok(values)
            }
            List::Sorted(inner) => {
                let mut values = inner.eval(environment)?;
                values.sort_unstable();
                Ok(values)
            }
            List::Picked(pick) => Ok(environment.picks[pick.index()]
                .iter()
                .map(|h| size(environment.position[h.index()]))
                .collect()),
            List::Amounts => Ok(environment.amounts.iter().map(|a| size(*a)).collect()),
            List::At { lists, index } => {
                let heaps = list_at(lists, index, environment)?;
                Ok(heaps
                    .iter()
                    .map(|h| size(environment.position[h.index()]))
                    .collect())
            }
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut gathered = Numbers::new();
                over.any_member(environment, &mut |member, environment| {
                    environment.locals[slot.index()] = member;
                    let keep = match condition {
                        Some(condition) => condition.eval(environment)?,
                        None => true,
                    };
                    if keep {
                        gathered.push(value.eval(environment)?);
                    }
                    Ok(false)
                })?;
                Ok(gathered)
            }
            List::Members(set) => {
                let mut members = Numbers::new();
                set.any_member(environment, &mut |member, _| {
                    members.push(member);
                    Ok(false)
                })?;
                Ok(members)
            }
        }
    }
}

/// A predicate on the members of a set.
type Test<'t> = &'t mut dyn FnMut(i64, &mut Environment<'_>) -> Result<bool, PlacedFault>;

impl Expr<Set> {
    /// Whether a number is a member.
    ///
    /// # Errors
    ///
    /// If an expression of the set has no value.
    pub fn contains(
        &self,
        value: i64,
        environment: &mut Environment<'_>,
    ) -> Result<bool, PlacedFault> {
        match &self.node {
            Set::Range(low, high) => {
                if value < low.eval(environment)? {
                    return Ok(false);
                }
                match high {
                    Some(high) => Ok(value <= high.eval(environment)?),
                    None => Ok(true),
                }
            }
            Set::Items(items) => {
                for item in items {
                    if item.eval(environment)? == value {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Named(named) => Ok(named.contains(value)),
            Set::Powers(base) => {
                let base = base.eval(environment)?;
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
            Set::List(list) => Ok(list.eval(environment)?.contains(&value)),
        }
    }

    /// Whether some member satisfies `test`. Members are visited in the order of
    /// the set: ascending, or as written.
    ///
    /// # Errors
    ///
    /// If the set is infinite or too large, or if an expression has no value.
    pub fn any_member(
        &self,
        environment: &mut Environment<'_>,
        test: Test<'_>,
    ) -> Result<bool, PlacedFault> {
        if self.is_infinite() {
            return Err(Fault::InfiniteSet.at(self.span));
        }
        self.any_member_to(i64::MAX, environment, test)
    }

    /// Whether some member that is at most `most` satisfies `test`. The set may
    /// be infinite.
    ///
    /// # Errors
    ///
    /// If there are too many members, or if an expression has no value.
    pub fn any_member_to(
        &self,
        most: i64,
        environment: &mut Environment<'_>,
        test: Test<'_>,
    ) -> Result<bool, PlacedFault> {
        match &self.node {
            Set::Range(low, high) => {
                let low = low.eval(environment)?;
                let high = match high {
                    Some(high) => high.eval(environment)?.min(most),
                    None => most,
                };
                for value in low..=high {
                    environment.steps += 1;
                    if environment.steps > MAX_MEMBERS {
                        return Err(Fault::TooManyMembers.at(self.span));
                    }
                    if test(value, environment)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Items(items) => {
                for item in items {
                    let value = item.eval(environment)?;
                    if value <= most && test(value, environment)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Named(named) => {
                for value in named.members().take_while(|member| *member <= most) {
                    if test(value, environment)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Set::Powers(base) => {
                let base = base.eval(environment)?;
                if base < 2 {
                    return Err(Fault::BadBase.at(self.span));
                }
                let mut power = Some(1_i64);
                while let Some(value) = power.filter(|p| *p <= most) {
                    if test(value, environment)? {
                        return Ok(true);
                    }
                    power = value.checked_mul(base);
                }
                Ok(false)
            }
            Set::List(list) => {
                for value in list.eval(environment)? {
                    if value <= most && test(value, environment)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

impl Set {
    /// Whether the set is infinite.
    pub fn is_infinite(&self) -> bool {
        matches!(self, Set::Range(_, None) | Set::Named(_) | Set::Powers(_))
    }
}

/// Checks that a position has at most [`MAX_MEMBERS`] images.
///
/// # Errors
///
/// If it has more.
pub fn check_images(symmetries: &Symmetries, position: &[u64]) -> Result<(), Fault> {
    let most = MAX_MEMBERS.unsigned_abs().into();
    let many = symmetries.order().is_none_or(|order| order > most);
    if many && symmetries.orbit_size(position) > most {
        return Err(Fault::TooManyImages);
    }
    Ok(())
}
