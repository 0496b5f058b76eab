//! Grundy sequences of one heap, G(0), G(1), G(2), …, and their periods.
//!
//! A move in a heap of n tokens removes t of them and leaves the rest as r
//! nonempty heaps. The Grundy value of the heap is the mex of the nim-sums of
//! the heaps that its moves leave (Sprague 1935, Grundy 1939). The moves are
//! given by a [`HeapRule`]: those of an octal code ([`parse_code`]), or a
//! callback that lists the options of a heap.
//!
//! [`explore`] chooses an engine by the rule:
//!
//! - at most one heap is left: sliding windows over the sequence (`taking`);
//! - at most two heaps are left, and finitely many numbers can be removed when
//!   two are left: the sums of pairs, with the sparse space if there is one
//!   (`pairs`);
//! - any other rule of this form: the sets of all sums of each size
//!   (`sum_sets`);
//! - a callback: the options of each heap.
//!
//! It also searches a period. A period that a theorem proves ([`Theorem`])
//! gives all further values; one that is only observed gives none. [`values`]
//! computes the values alone, and [`reaching`] the values of heaps that are too
//! large to list. [`explore_kinds`] computes the sequences of several kinds of
//! heap that turn into each other. [`by_definition`] computes values by their
//! definition, for tests.
//!
//! The glossary of the book (`docs/src/glossary.md`) defines the terms.
//!
//! ```
//! use nimrule_limits::Limits;
//! use nimrule_sequence::{HeapRule, explore, parse_code};
//!
//! // Kayles: remove one or two tokens, and perhaps split the rest.
//! let kayles = HeapRule::Moves(parse_code("0.77")?);
//! let sequence = explore(&kayles, 200, &Limits::of_memory(1 << 20))?;
//! assert_eq!(sequence.values[..8], [0, 1, 2, 3, 1, 4, 3, 2]);
//! assert!(sequence.is_proved());
//! assert_eq!(sequence.value(1_000_000), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod code;
mod intervals;
mod kinds;
pub mod oeis;
mod pairs;
mod period;
mod sparse_space;
mod sum_sets;
mod taking;
mod theorem;
#[doc(hidden)]
pub mod value_sets;

pub use code::{CodeError, CodeErrorKind, parse_code};
pub use intervals::ENDLESS;
pub use kinds::{KindLister, KindRule, explore_kinds, reaching_kinds, survey_kinds};
pub use period::{Period, PeriodCheck, PeriodStatus, check_period, find};
pub use theorem::{PeriodClaim, Theorem, needed};

use intervals::Intervals;
use nimrule_limits::{LimitExceeded, Limits, Steps, Work};
use std::fmt;
use thiserror::Error;
use value_sets::TimestampSet;

/// A set of moves in a heap: remove some tokens, and leave the rest as some
/// heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapMove {
    /// The numbers of tokens that may be removed, as ascending, disjoint and
    /// nonadjacent intervals, both ends included. The last may end with
    /// [`ENDLESS`]. The number 0 is a move if the heap is split.
    pub removes: Vec<(u64, u64)>,
    /// The least and the most nonempty heaps that may be left.
    pub leaves: (u32, u32),
    /// Whether the heaps left must be distinct.
    pub distinct: bool,
}

/// A function that passes the options of a heap to a callback, each as the
/// sizes of the heaps left. All of them are smaller; some may be 0.
pub type Lister<'a> = dyn Fn(u64, &mut dyn FnMut(&[u64])) -> Result<(), SequenceError> + 'a;

/// The rule of one heap.
pub enum HeapRule<'a> {
    /// The union of these moves.
    Moves(Vec<HeapMove>),
    /// The moves that apply to all heaps of interest, of a rule with more moves,
    /// which remove more tokens. No period is proved from them.
    SomeMoves(Vec<HeapMove>),
    /// The options that a callback lists.
    Listed(Box<Lister<'a>>),
}

impl fmt::Debug for HeapRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeapRule::Moves(moves) => f.debug_tuple("Moves").field(moves).finish(),
            HeapRule::SomeMoves(moves) => f.debug_tuple("SomeMoves").field(moves).finish(),
            HeapRule::Listed(_) => f.write_str("Listed"),
        }
    }
}

/// The reason kind values could not be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SequenceError {
    /// A limit was exceeded.
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
    /// A Grundy value does not fit 32 bits.
    #[error("the Grundy value of a heap of {heap} is too large")]
    TooLarge {
        /// The heap.
        heap: u64,
    },
    /// The callback that lists options failed; it stores its reason.
    #[error("the options of a heap of {heap} could not be listed")]
    Unlisted {
        /// The heap.
        heap: u64,
    },
    /// An option has a heap that is not smaller.
    #[error("a heap of {heap} leaves a heap of {left}, which is not smaller")]
    NotSmaller {
        /// The heap.
        heap: u64,
        /// The heap of an option.
        left: u64,
    },
}

/// A Grundy sequence: its first values, and its period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The values of the heaps 0, 1, 2, …
    pub values: Vec<u32>,
    /// The period, if one was proved or observed.
    pub period: Option<Period>,
    /// The largest heap whose value was computed to search a period.
    pub searched_to: u64,
}

impl Sequence {
    /// The sequence of computed values, with the period found in them.
    fn new(values: Vec<u32>, period: Option<Period>) -> Sequence {
        let searched_to = (values.len() as u64).saturating_sub(1);
        Sequence {
            values,
            period,
            searched_to,
        }
    }

    /// Returns whether the period is proved.
    pub fn is_proved(&self) -> bool {
        self.period.as_ref().is_some_and(Period::is_proved)
    }

    /// The value of a heap, if it is listed or follows from a proved period.
    pub fn value(&self, heap: u64) -> Option<u64> {
        let listed = |heap: u64| {
            let place = usize::try_from(heap).ok()?;
            self.values.get(place).map(|value| u64::from(*value))
        };
        if let Some(value) = listed(heap) {
            return Some(value);
        }
        let period = self.period.as_ref().filter(|period| period.is_proved())?;
        let further = heap.checked_sub(period.preperiod)?;
        let value = listed(period.preperiod + further % period.period)?;
        (further / period.period)
            .checked_mul(period.saltus)?
            .checked_add(value)
    }
}

/// The normal form of a rule: the numbers of tokens that may be removed, by the
/// number of heaps left.
#[derive(Debug, Clone)]
struct Shape {
    /// No heap is left.
    all: Intervals,
    /// One smaller heap is left.
    one: Intervals,
    /// The moves that may leave two heaps or more.
    several: Vec<Several>,
}

/// The numbers of tokens that may be removed if `least` to `most` heaps, at
/// least two, are left.
#[derive(Debug, Clone)]
struct Several {
    least: u32,
    most: u32,
    parts: Parts,
    removes: Intervals,
}

/// Whether the heaps left may be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    Any,
    Unequal,
}

impl Shape {
    fn new(moves: &[HeapMove]) -> Shape {
        let leaving = |number: u32| {
            let moves = moves.iter().filter(move |one| {
                let (least, most) = one.leaves;
                (least..=most).contains(&number)
            });
            Intervals::union(moves.flat_map(|one| one.removes.iter().copied()))
        };
        let several = moves.iter().filter(|one| one.leaves.1 >= 2);
        Shape {
            all: leaving(0),
            // Removing no tokens and leaving one heap is not a move.
            one: leaving(1).without(&Intervals::union([(0, 0)])),
            several: several
                .map(|one| Several {
                    least: one.leaves.0.max(2),
                    most: one.leaves.1,
                    parts: if one.distinct {
                        Parts::Unequal
                    } else {
                        Parts::Any
                    },
                    removes: Intervals::union(one.removes.iter().copied()),
                })
                .filter(|several| several.least <= several.most && !several.removes.is_empty())
                .collect(),
        }
    }

    /// The numbers that may be removed if `number` heaps, two or more, are left.
    fn leaving(&self, number: u32, parts: Parts) -> Intervals {
        let of = |wanted: Parts| {
            let several = self.several.iter().filter(move |several| {
                several.parts == wanted && (several.least..=several.most).contains(&number)
            });
            Intervals::union(several.flat_map(|several| several.removes.iter()))
        };
        match parts {
            Parts::Any => of(Parts::Any),
            // Moves that may leave equal heaps include those that leave unequal
            // ones.
            Parts::Unequal => of(Parts::Unequal).without(&of(Parts::Any)),
        }
    }

    /// The largest number of heaps left by a move.
    fn most_parts(&self) -> u32 {
        let several = self.several.iter().map(|several| several.most).max();
        several.unwrap_or(u32::from(!self.one.is_empty()))
    }
}

/// The engine of a rule, which computes the values by ascending size.
enum Engine<'r> {
    Taking(Box<taking::Taking>),
    Pairs(Box<pairs::Pairs>),
    SumSets(Box<sum_sets::SumSets>),
    Listed(&'r Lister<'r>, TimestampSet),
}

impl<'r> Engine<'r> {
    fn for_rule(rule: &'r HeapRule<'_>, to: u64) -> Engine<'r> {
        match rule {
            HeapRule::Listed(lister) => Engine::Listed(lister.as_ref(), TimestampSet::default()),
            HeapRule::Moves(moves) | HeapRule::SomeMoves(moves) => {
                let shape = Shape::new(moves);
                if shape.several.is_empty() {
                    Engine::Taking(Box::new(taking::Taking::new(&shape)))
                } else if pairs::Pairs::suits(&shape) {
                    Engine::Pairs(Box::new(pairs::Pairs::new(&shape)))
                } else {
                    Engine::SumSets(Box::new(sum_sets::SumSets::new(&shape, to)))
                }
            }
        }
    }

    /// The value of the next heap after `values`.
    fn next(&mut self, values: &[u32], limits: &Limits) -> Result<u32, SequenceError> {
        match self {
            Engine::Taking(taking) => Ok(taking.next(values)),
            Engine::Pairs(pairs) => Ok(pairs.next(values)),
            Engine::SumSets(sum_sets) => sum_sets.next(values, limits),
            Engine::Listed(lister, marks) => listed(lister, marks, values),
        }
    }

    /// The number of heaps between two checks of the time.
    fn values_per_check(&self) -> usize {
        match self {
            Engine::Taking(_) => 1024,
            Engine::Pairs(_) => 16,
            Engine::SumSets(_) | Engine::Listed(..) => 1,
        }
    }

    /// The heap up to which it costs little to search a period.
    fn lookahead(&self) -> u64 {
        match self {
            Engine::Taking(_) | Engine::Pairs(_) => 1 << 14,
            Engine::SumSets(_) => 1 << 9,
            Engine::Listed(..) => 0,
        }
    }

    fn extend(
        &mut self,
        values: &mut Vec<u32>,
        to: usize,
        limits: &Limits,
    ) -> Result<(), SequenceError> {
        let values_per_check = self.values_per_check();
        limits.begin(Work::Heaps, Some(to as u64 + 1));
        while values.len() <= to {
            if values.len().is_multiple_of(values_per_check) {
                limits.check_work_at(values.len() as u64, Steps(400))?;
            }
            let value = self.next(values, limits)?;
            values.push(value);
        }
        Ok(())
    }
}

/// The value of the next heap, whose options a callback lists.
fn listed(
    lister: &Lister<'_>,
    marks: &mut TimestampSet,
    values: &[u32],
) -> Result<u32, SequenceError> {
    let heap = values.len() as u64;
    let mut wrong = None;
    marks.clear();
    lister(heap, &mut |left| {
        let mut sum = 0;
        for part in left {
            match values.get(*part as usize) {
                Some(value) => sum ^= value,
                None => wrong = Some(*part),
            }
        }
        marks.add(sum);
    })?;
    match wrong {
        Some(left) => Err(SequenceError::NotSmaller { heap, left }),
        None => Ok(marks.mex()),
    }
}

/// Computes the values of the heaps 0 to `to`, and a period: a proved one, or
/// else an observed one.
///
/// If it costs little, more values are computed to find a period.
///
/// # Errors
///
/// If a limit is exceeded, and the faults of the rule: see [`SequenceError`].
pub fn explore(rule: &HeapRule<'_>, to: u64, limits: &Limits) -> Result<Sequence, SequenceError> {
    limits.check_memory((u128::from(to) + 1) * BYTES_LISTED)?;
    let sequence = compute(rule, to, Lookahead::Yes, limits)?;
    filled(sequence, to)
}

/// Computes the values of the heaps 0 to `to`.
///
/// # Errors
///
/// As [`explore`].
pub fn values(rule: &HeapRule<'_>, to: u64, limits: &Limits) -> Result<Vec<u32>, SequenceError> {
    limits.check_memory((u128::from(to) + 1) * BYTES_LISTED)?;
    let sequence = compute(rule, to, Lookahead::No, limits)?;
    filled(sequence, to).map(|sequence| sequence.values)
}

/// Computes a sequence whose [`Sequence::value`] is known for all heaps up to
/// `to`. It lists fewer values if a proved period gives the others.
///
/// # Errors
///
/// As [`explore`].
pub fn reaching(rule: &HeapRule<'_>, to: u64, limits: &Limits) -> Result<Sequence, SequenceError> {
    compute(rule, to, Lookahead::No, limits)
}

/// The number of values at which a period is searched first; then at each
/// doubling.
const FIRST_SEARCH: u64 = 1 << 7;

/// Bytes of a value in a list.
const BYTES_LISTED: u128 = 4;
/// Bytes of a value while values and a period are computed.
const BYTES_COMPUTED: u128 = 16;

/// Whether to search a period beyond the requested values if that costs little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lookahead {
    Yes,
    No,
}

/// Computes values until a period is proved, or else up to `to`.
fn compute(
    rule: &HeapRule<'_>,
    to: u64,
    lookahead: Lookahead,
    limits: &Limits,
) -> Result<Sequence, SequenceError> {
    let mut engine = Engine::for_rule(rule, to);
    let furthest = match lookahead {
        Lookahead::Yes if !matches!(rule, HeapRule::SomeMoves(_)) => to.max(engine.lookahead()),
        Lookahead::Yes | Lookahead::No => to,
    };
    let mut values = Vec::new();
    let mut stop = FIRST_SEARCH.min(furthest);
    loop {
        // The limit on memory implies that the numbers of heaps fit an index.
        let needed = |heap: u64| (u128::from(heap) + 1) * BYTES_COMPUTED;
        let extended = match limits.check_memory(needed(stop)) {
            Ok(()) => engine.extend(&mut values, stop as usize, limits),
            Err(_) => limits.check_memory(needed(to)).map_err(SequenceError::from),
        };
        let asked_is_there = values.len() as u64 > to;
        match extended {
            // Values beyond the requested ones are optional.
            Err(SequenceError::LimitExceeded(_)) if asked_is_there => stop = furthest,
            extended => extended?,
        }
        let period = find(&values, rule);
        let is_proved = period.as_ref().is_some_and(Period::is_proved);
        if is_proved || stop == furthest {
            return Ok(Sequence::new(values, period));
        }
        stop = stop.saturating_mul(2).min(furthest);
        if stop > to && !asked_is_there {
            // The requested values first: they may be enough for the period.
            stop = to;
        }
    }
}

/// Truncates or extends the values of a sequence to the heaps 0 to `to`. The
/// values must be complete as computed, because a truncated period cannot be
/// extended.
fn filled(sequence: Sequence, to: u64) -> Result<Sequence, SequenceError> {
    let proved = sequence.is_proved();
    let Sequence {
        mut values,
        period,
        searched_to,
    } = sequence;
    values.truncate(to as usize + 1);
    if let (Some(period), true) = (&period, proved) {
        values.reserve_exact(to as usize + 1 - values.len());
        let (step, saltus) = (period.period as usize, period.saltus);
        for heap in values.len()..=to as usize {
            // INVARIANT: if a period is proved, more than one whole period of
            // values is listed; otherwise no value is missing.
            let value = u64::from(values[heap - step]) + saltus;
            let value = u32::try_from(value);
            values.push(value.map_err(|_| SequenceError::TooLarge { heap: heap as u64 })?);
        }
    }
    Ok(Sequence {
        values,
        period,
        searched_to,
    })
}

/// Computes the values of the heaps 0 to `to` by their definition, for
/// comparison with the faster engines.
pub fn by_definition(moves: &[HeapMove], to: u64) -> Vec<u32> {
    let mut values = Vec::new();
    for heap in 0..=to {
        let mut marks = TimestampSet::default();
        for one in moves {
            let intervals = Intervals::union(one.removes.iter().copied());
            for removed in intervals.up_to(heap) {
                let rest = heap - removed;
                let (least, most) = one.leaves;
                for parts in least..=most.min(u32::try_from(rest).unwrap_or(u32::MAX)) {
                    if !(removed == 0 && parts == 1) {
                        let least_part = 1;
                        each_sum(
                            &values,
                            rest,
                            parts,
                            least_part,
                            one.distinct,
                            0,
                            &mut marks,
                        );
                    }
                }
            }
        }
        values.push(marks.mex());
    }
    values
}

/// TimestampSet the nim-sums of `before` and of `rest` tokens in `parts` heaps, whose
/// sizes ascend from `least_part`.
fn each_sum(
    values: &[u32],
    rest: u64,
    parts: u32,
    least_part: u64,
    distinct: bool,
    before: u32,
    marks: &mut TimestampSet,
) {
    match parts {
        0 if rest == 0 => marks.add(before),
        0 => {}
        1 if rest >= least_part => marks.add(before ^ values[rest as usize]),
        1 => {}
        _ => {
            for part in least_part..=rest / u64::from(parts) {
                each_sum(
                    values,
                    rest - part,
                    parts - 1,
                    part + u64::from(distinct),
                    distinct,
                    before ^ values[part as usize],
                    marks,
                );
            }
        }
    }
}
