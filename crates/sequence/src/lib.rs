//! The Grundy values of one heap: G(0), G(1), G(2), …
//!
//! A heap of n tokens moves by removing t of them and leaving the rest in r
//! non-empty heaps; its value is the least number that is not the nim-sum of
//! what some move leaves (Sprague 1935, Grundy 1939). What may be removed and
//! left is a [`HeapRule`]: ways that an octal code can write ([`parse_code`]),
//! or any rule at all that lists a heap's options.
//!
//! [`explore`] takes the engine that suits the rule:
//!
//! - one heap left at most: windows that move along the sequence (`taking`);
//! - two at most, finitely many numbers removed when two are left: the sums of
//!   pairs, by the sparse space where there is one (`pairs`);
//! - anything else: all sums of each size, built up part by part (`many`);
//! - a rule that is only listed: its options, one after the other.
//!
//! As the values grow it looks for a period. A period that a theorem proves
//! ([`Theorem`]) gives every further value; one that is only seen gives none.
//! [`values`] is the list alone, and [`reaching`] tells the values of heaps
//! too large to list.
//! Where moves turn heaps of one kind into another, [`explore_kinds`] has a
//! sequence for each. [`plain`] is the loop to check all of this by eye.

mod code;
mod kinds;
mod many;
mod marks;
mod pairs;
mod period;
mod runs;
mod space;
mod taking;
mod theorem;

pub use code::{CodeFault, Why, parse_code};
pub use kinds::{KindLister, KindRule, explore_kinds, reaching_kinds, survey_kinds};
pub use period::{Checked, Period, Standing, check_period, find};
pub use runs::{ENDLESS, Runs};
pub use theorem::{Claimed, Theorem, needed};

use marks::Marks;
use nimrule_limits::{Limits, Met, Work};
use std::fmt;
use thiserror::Error;

/// One way to move in a heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// How many tokens may be removed: ascending runs, apart, both ends
    /// included; the last may be without end. 0 is among them where a heap
    /// may be broken as it is.
    pub removes: Vec<(u64, u64)>,
    /// The least and the most non-empty heaps that may be left.
    pub leaves: (u32, u32),
    /// The heaps left must differ from one another.
    pub distinct: bool,
}

/// Lists the options of a heap to a callback, each as the heaps that it
/// leaves, all of them smaller. Empty heaps may be among these.
pub type Lister<'a> = dyn Fn(u64, &mut dyn FnMut(&[u64])) -> Result<(), Failure> + 'a;

/// The rule of one heap.
pub enum HeapRule<'a> {
    /// Any of these ways.
    Ways(Vec<Way>),
    /// Ways of a rule that has others besides, all of which remove more tokens
    /// than any heap asked for has: nothing is proved from them.
    SomeWays(Vec<Way>),
    Listed(Box<Lister<'a>>),
}

impl fmt::Debug for HeapRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeapRule::Ways(ways) => f.debug_tuple("Ways").field(ways).finish(),
            HeapRule::SomeWays(ways) => f.debug_tuple("SomeWays").field(ways).finish(),
            HeapRule::Listed(_) => f.write_str("Listed"),
        }
    }
}

/// Why there are no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Failure {
    #[error(transparent)]
    Met(#[from] Met),
    #[error("the Grundy value of a heap of {heap} is too large to count with")]
    TooLarge { heap: u64 },
    /// What lists the options could not go on, and knows why.
    #[error("the options of a heap of {heap} could not be listed")]
    Unlisted { heap: u64 },
    #[error("a heap of {heap} leaves one of {left}, which is not smaller")]
    NotSmaller { heap: u64, left: u64 },
}

/// The values of a sequence, and what repeats in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequence {
    /// The values of the heaps 0, 1, 2, …
    pub values: Vec<u32>,
    pub period: Option<Period>,
    /// The largest heap whose value the search for a period has seen.
    pub looked_to: u64,
}

impl Sequence {
    /// Values as they were computed, with the period found in them.
    fn new(values: Vec<u32>, period: Option<Period>) -> Sequence {
        let looked_to = (values.len() as u64).saturating_sub(1);
        Sequence {
            values,
            period,
            looked_to,
        }
    }

    pub fn is_proved(&self) -> bool {
        self.period.as_ref().is_some_and(Period::is_proved)
    }

    /// The value of a heap of any size, as far as it is certain.
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

/// A rule put in order: what may be removed for each number of heaps left.
#[derive(Debug, Clone)]
struct Shape {
    /// Nothing is left.
    all: Runs,
    /// One heap is left, a smaller one.
    one: Runs,
    /// Ways that may leave two heaps or more.
    several: Vec<Several>,
}

/// What may be removed where at least two heaps are left.
#[derive(Debug, Clone)]
struct Several {
    least: u32,
    most: u32,
    parts: Parts,
    removes: Runs,
}

/// Whether heaps that are left may be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parts {
    Any,
    Unequal,
}

impl Shape {
    fn new(ways: &[Way]) -> Shape {
        let leaving = |number: u32| {
            let ways = ways.iter().filter(move |way| {
                let (least, most) = way.leaves;
                (least..=most).contains(&number)
            });
            Runs::union(ways.flat_map(|way| way.removes.iter().copied()))
        };
        let several = ways.iter().filter(|way| way.leaves.1 >= 2);
        Shape {
            all: leaving(0),
            // Removing nothing and leaving one heap is no move.
            one: leaving(1).without(&Runs::union([(0, 0)])),
            several: several
                .map(|way| Several {
                    least: way.leaves.0.max(2),
                    most: way.leaves.1,
                    parts: if way.distinct {
                        Parts::Unequal
                    } else {
                        Parts::Any
                    },
                    removes: Runs::union(way.removes.iter().copied()),
                })
                .filter(|several| several.least <= several.most && !several.removes.is_empty())
                .collect(),
        }
    }

    /// What may be removed where `number` heaps are left, two or more.
    fn leaving(&self, number: u32, parts: Parts) -> Runs {
        let of = |wanted: Parts| {
            let several = self.several.iter().filter(move |several| {
                several.parts == wanted && (several.least..=several.most).contains(&number)
            });
            Runs::union(several.flat_map(|several| several.removes.iter()))
        };
        match parts {
            Parts::Any => of(Parts::Any),
            // What may leave any parts need not be looked at again.
            Parts::Unequal => of(Parts::Unequal).without(&of(Parts::Any)),
        }
    }

    /// The most heaps that may be left.
    fn most_parts(&self) -> u32 {
        let several = self.several.iter().map(|several| several.most).max();
        several.unwrap_or(u32::from(!self.one.is_empty()))
    }
}

/// The engine of a rule: the value of each heap in turn.
enum Engine<'r> {
    Taking(Box<taking::Taking>),
    Pairs(Box<pairs::Pairs>),
    Many(Box<many::Many>),
    Listed(&'r Lister<'r>, Marks),
}

impl<'r> Engine<'r> {
    fn for_rule(rule: &'r HeapRule<'_>, to: u64) -> Engine<'r> {
        match rule {
            HeapRule::Listed(lister) => Engine::Listed(lister.as_ref(), Marks::default()),
            HeapRule::Ways(ways) | HeapRule::SomeWays(ways) => {
                let shape = Shape::new(ways);
                if shape.several.is_empty() {
                    Engine::Taking(Box::new(taking::Taking::new(&shape)))
                } else if pairs::Pairs::suits(&shape) {
                    Engine::Pairs(Box::new(pairs::Pairs::new(&shape)))
                } else {
                    Engine::Many(Box::new(many::Many::new(&shape, to)))
                }
            }
        }
    }

    /// The value of the next heap, all smaller ones being known.
    fn next(&mut self, values: &[u32], limits: &Limits) -> Result<u32, Failure> {
        match self {
            Engine::Taking(taking) => Ok(taking.next(values)),
            Engine::Pairs(pairs) => Ok(pairs.next(values)),
            Engine::Many(many) => many.next(values, limits),
            Engine::Listed(lister, marks) => listed(lister, marks, values),
        }
    }

    /// Heaps after which it is time to look at the clock.
    fn patience(&self) -> usize {
        match self {
            Engine::Taking(_) => 1024,
            Engine::Pairs(_) => 16,
            Engine::Many(_) | Engine::Listed(..) => 1,
        }
    }

    /// As far as it costs little to look for a period beyond what is asked.
    fn glance(&self) -> u64 {
        match self {
            Engine::Taking(_) | Engine::Pairs(_) => 1 << 14,
            Engine::Many(_) => 1 << 9,
            Engine::Listed(..) => 0,
        }
    }

    fn extend(&mut self, values: &mut Vec<u32>, to: usize, limits: &Limits) -> Result<(), Failure> {
        let patience = self.patience();
        limits.begin(Work::Heaps, Some(to as u64 + 1));
        while values.len() <= to {
            if values.len().is_multiple_of(patience) {
                limits.within_time_at(values.len() as u64)?;
            }
            let value = self.next(values, limits)?;
            values.push(value);
        }
        Ok(())
    }
}

/// The value of a heap whose options are listed.
fn listed(lister: &Lister<'_>, marks: &mut Marks, values: &[u32]) -> Result<u32, Failure> {
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
        Some(left) => Err(Failure::NotSmaller { heap, left }),
        None => Ok(marks.mex()),
    }
}

/// The values of the heaps 0 to `to`, and the period if one is proved, or
/// else seen.
///
/// Where it costs little, the search for a period looks further than `to`.
pub fn explore(rule: &HeapRule<'_>, to: u64, limits: &Limits) -> Result<Sequence, Failure> {
    limits.within_memory((u128::from(to) + 1) * BYTES_LISTED)?;
    let sequence = compute(rule, to, Glance::Ahead, limits)?;
    filled(sequence, to)
}

/// The values of the heaps 0 to `to`.
pub fn values(rule: &HeapRule<'_>, to: u64, limits: &Limits) -> Result<Vec<u32>, Failure> {
    limits.within_memory((u128::from(to) + 1) * BYTES_LISTED)?;
    let sequence = compute(rule, to, Glance::No, limits)?;
    filled(sequence, to).map(|sequence| sequence.values)
}

/// A sequence that tells the value of every heap up to `to`, though it may
/// list fewer: a proved period tells the others.
pub fn reaching(rule: &HeapRule<'_>, to: u64, limits: &Limits) -> Result<Sequence, Failure> {
    compute(rule, to, Glance::No, limits)
}

/// Where periods are looked for first; then at each doubling.
const FIRST_LOOK: u64 = 1 << 7;

/// Bytes that a value takes in a list, and while it is computed and a period
/// is looked for.
const BYTES_LISTED: u128 = 4;
const BYTES_COMPUTED: u128 = 16;

/// Whether to look for a period beyond what is asked, where that costs little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Glance {
    Ahead,
    No,
}

/// Values until a period is proved, or else up to `to`.
fn compute(
    rule: &HeapRule<'_>,
    to: u64,
    glance: Glance,
    limits: &Limits,
) -> Result<Sequence, Failure> {
    let mut engine = Engine::for_rule(rule, to);
    let furthest = match glance {
        Glance::Ahead if !matches!(rule, HeapRule::SomeWays(_)) => to.max(engine.glance()),
        Glance::Ahead | Glance::No => to,
    };
    let mut values = Vec::new();
    let mut stop = FIRST_LOOK.min(furthest);
    loop {
        // A heap that does not fit an index would not fit the memory.
        let needed = |heap: u64| (u128::from(heap) + 1) * BYTES_COMPUTED;
        let extended = match limits.within_memory(needed(stop)) {
            Ok(()) => engine.extend(&mut values, stop as usize, limits),
            Err(_) => limits.within_memory(needed(to)).map_err(Failure::from),
        };
        let asked_is_there = values.len() as u64 > to;
        match extended {
            // What was not asked for may as well be left.
            Err(Failure::Met(_)) if asked_is_there => stop = furthest,
            extended => extended?,
        }
        let period = find(&values, rule);
        let is_proved = period.as_ref().is_some_and(Period::is_proved);
        if is_proved || stop == furthest {
            return Ok(Sequence::new(values, period));
        }
        stop = stop.saturating_mul(2).min(furthest);
        if stop > to && !asked_is_there {
            // What is asked for first: it may show the period.
            stop = to;
        }
    }
}

/// Cuts or fills the values of a sequence so that they end with heap `to`. The
/// sequence must be as it was computed: what was cut cannot be filled.
fn filled(sequence: Sequence, to: u64) -> Result<Sequence, Failure> {
    let proved = sequence.is_proved();
    let Sequence {
        mut values,
        period,
        looked_to,
    } = sequence;
    values.truncate(to as usize + 1);
    if let (Some(period), true) = (&period, proved) {
        values.reserve_exact(to as usize + 1 - values.len());
        let (step, saltus) = (period.period as usize, period.saltus);
        for heap in values.len()..=to as usize {
            // INVARIANT: where a period is proved, more than one whole period
            // of values is there; otherwise none is missing.
            let value = u64::from(values[heap - step]) + saltus;
            let value = u32::try_from(value);
            values.push(value.map_err(|_| Failure::TooLarge { heap: heap as u64 })?);
        }
    }
    Ok(Sequence {
        values,
        period,
        looked_to,
    })
}

/// The values of the heaps 0 to `to` from the definition alone, option by
/// option. What it finds every faster way must find.
pub fn plain(ways: &[Way], to: u64) -> Vec<u32> {
    let mut values = Vec::new();
    for heap in 0..=to {
        let mut marks = Marks::default();
        for way in ways {
            let runs = Runs::union(way.removes.iter().copied());
            for removed in runs.up_to(heap) {
                let rest = heap - removed;
                let (least, most) = way.leaves;
                for parts in least..=most.min(u32::try_from(rest).unwrap_or(u32::MAX)) {
                    if !(removed == 0 && parts == 1) {
                        let least_part = 1;
                        each_sum(
                            &values,
                            rest,
                            parts,
                            least_part,
                            way.distinct,
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

/// Marks the values of `rest` tokens in `parts` heaps, ascending from
/// `least_part`, together with what the heaps before them are worth.
fn each_sum(
    values: &[u32],
    rest: u64,
    parts: u32,
    least_part: u64,
    distinct: bool,
    before: u32,
    marks: &mut Marks,
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
