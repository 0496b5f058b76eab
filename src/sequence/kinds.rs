//! Several kinds of heap: a move in one kind may leave heaps of another.
//!
//! A kind that leaves heaps of its own alone is a sequence by itself. The
//! others go on together, heap by heap, looking up what they leave in the
//! sequences of its kind: so a ring of stones that its first move breaks into
//! a row has its values from those of the row.

use super::many::Many;
use super::marks::Bits;
use super::period::{Period, Standing};
use super::theorem::{Claimed, Theorem, left_over};
use super::{
    BYTES_COMPUTED, BYTES_LISTED, Failure, Glance, HeapRule, Sequence, Shape, Way, compute,
    explore, filled, find,
};
use crate::limits::Limits;
use std::fmt;

/// Lists the options of a heap to a callback, each as the kinds and sizes of
/// the heaps that it leaves, all of them smaller. Empty heaps may be among
/// these.
pub type KindLister<'a> = dyn Fn(u64, &mut dyn FnMut(&[(usize, u64)])) -> Result<(), Failure> + 'a;

/// The rule of one kind of heap among several.
pub enum KindRule<'a> {
    /// Ways, each with the kind of the heaps that it leaves.
    Ways(Vec<(Way, usize)>),
    /// Ways of a rule that has others besides, all of which remove more tokens
    /// than any heap asked for has: nothing is proved from them.
    SomeWays(Vec<(Way, usize)>),
    Listed(Box<KindLister<'a>>),
}

impl fmt::Debug for KindRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KindRule::Ways(ways) => f.debug_tuple("Ways").field(ways).finish(),
            KindRule::SomeWays(ways) => f.debug_tuple("SomeWays").field(ways).finish(),
            KindRule::Listed(_) => f.write_str("Listed"),
        }
    }
}

impl KindRule<'_> {
    fn ways(&self) -> Option<&[(Way, usize)]> {
        match self {
            KindRule::Ways(ways) | KindRule::SomeWays(ways) => Some(ways),
            KindRule::Listed(_) => None,
        }
    }

    /// The rule of a kind that leaves heaps of its own alone.
    fn alone(&self, kind: usize, kinds: usize) -> Option<HeapRule<'_>> {
        if let KindRule::Listed(lister) = self {
            // What is listed may be of any kind that there is.
            return (kinds == 1).then(|| {
                HeapRule::Listed(Box::new(move |heap, each| {
                    let mut sizes = Vec::new();
                    lister(heap, &mut |left| {
                        sizes.clear();
                        sizes.extend(left.iter().map(|(_, size)| *size));
                        each(&sizes);
                    })
                }))
            });
        }
        let ways = self.ways()?;
        // Where nothing is left its kind says nothing.
        let stays = |(way, into): &(Way, usize)| *into == kind || way.leaves.1 == 0;
        if !ways.iter().all(stays) {
            return None;
        }
        let ways = ways.iter().map(|(way, _)| way.clone()).collect();
        Some(match self {
            KindRule::SomeWays(_) => HeapRule::SomeWays(ways),
            _ => HeapRule::Ways(ways),
        })
    }
}

/// The values of the heaps 0 to `to` of each kind, and the periods that are
/// proved, or else seen.
pub fn explore_kinds(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, Failure> {
    each_kind(rules, to, limits, &|rule| explore(rule, to, limits))
}

/// Sequences that tell the value of every heap up to `to` of each kind, though
/// they may list fewer.
pub fn reaching_kinds(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, Failure> {
    // What goes on together may be told by periods before `to`, too.
    let mut reach = FIRST_REACH.min(to);
    loop {
        let sequences = each_kind(rules, reach, limits, &|rule| {
            compute(rule, to, Glance::No, limits)
        })?;
        if reach == to || sequences.iter().all(|s| s.value(to).is_some()) {
            return Ok(sequences);
        }
        reach = reach.saturating_mul(4).min(to);
    }
}

const FIRST_REACH: u64 = 1 << 10;

/// Sequences of kinds that stand alone as `alone` has them, and of the others
/// up to `to` or a little further.
fn each_kind(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
    alone: &dyn Fn(&HeapRule<'_>) -> Result<Sequence, Failure>,
) -> Result<Vec<Sequence>, Failure> {
    let mut sequences: Vec<Option<Sequence>> = Vec::new();
    for (kind, rule) in rules.iter().enumerate() {
        let rule = rule.alone(kind, rules.len());
        sequences.push(rule.map(|rule| alone(&rule)).transpose()?);
    }
    if sequences.iter().any(Option::is_none) {
        together(rules, &mut sequences, to, limits)?;
    }
    Ok(sequences.into_iter().flatten().collect())
}

/// What a kind leaves, by the kind of what is left.
enum Mover<'r> {
    Ways(Vec<(usize, Many)>),
    Listed(&'r KindLister<'r>),
}

/// Fills in the kinds that are missing.
fn together(
    rules: &[KindRule<'_>],
    sequences: &mut [Option<Sequence>],
    to: u64,
    limits: &Limits,
) -> Result<(), Failure> {
    let open: Vec<usize> = (0..rules.len())
        .filter(|kind| sequences[*kind].is_none())
        .collect();
    // The bound from which a kind's values follow from what it leaves.
    let bounds: Vec<Option<Claimed>> = open
        .iter()
        .map(|kind| bound(&rules[*kind], sequences))
        .collect();
    let seen_to = bounds.iter().flatten().filter_map(|claimed| {
        let end = claimed.period.checked_mul(2)?.checked_add(claimed.from)?;
        (end <= FIRST_REACH).then_some(end)
    });
    let reach = seen_to.fold(to, u64::max);
    let bytes = (BYTES_COMPUTED * open.len() as u128 + BYTES_LISTED * rules.len() as u128)
        .saturating_mul(u128::from(reach) + 1);
    limits.within_memory(bytes)?;

    let mut lists: Vec<Vec<u32>> = Vec::new();
    for sequence in sequences.iter() {
        lists.push(match sequence {
            Some(sequence) => filled(sequence.clone(), reach)?.values,
            None => Vec::new(),
        });
    }
    let mut movers: Vec<Mover<'_>> = open
        .iter()
        .map(|kind| match &rules[*kind] {
            KindRule::Listed(lister) => Mover::Listed(lister.as_ref()),
            rule => Mover::Ways(by_kind_left(rule, rules.len(), reach)),
        })
        .collect();
    let mut options = Bits::default();
    for heap in 0..=reach {
        limits.within_time()?;
        for (kind, mover) in open.iter().zip(&mut movers) {
            options.clear();
            match mover {
                Mover::Ways(sources) => {
                    for (source, many) in sources {
                        let values = &lists[*source][..heap as usize];
                        many.reached(values, &mut options, limits)?;
                    }
                }
                Mover::Listed(lister) => listed(lister, heap, &lists, &mut options)?,
            }
            lists[*kind].push(options.mex());
        }
    }
    for (kind, claimed) in open.into_iter().zip(bounds) {
        let mut values = std::mem::take(&mut lists[kind]);
        let period = match claimed.and_then(|claimed| follows(&values, claimed)) {
            Some(period) => Some(period),
            None => find(&values, &HeapRule::SomeWays(Vec::new())),
        };
        if !period.as_ref().is_some_and(Period::is_proved) {
            values.truncate(to as usize + 1);
        }
        sequences[kind] = Some(Sequence { values, period });
    }
    Ok(())
}

/// The ways of a kind, sorted by what they leave.
fn by_kind_left(rule: &KindRule<'_>, kinds: usize, reach: u64) -> Vec<(usize, Many)> {
    let ways = rule.ways().unwrap_or_default();
    let shapes = (0..kinds).map(|kind| {
        let into = ways.iter().filter(|(_, into)| *into == kind);
        let ways: Vec<Way> = into.map(|(way, _)| way.clone()).collect();
        (kind, ways)
    });
    shapes
        .filter(|(_, ways)| !ways.is_empty())
        .map(|(kind, ways)| (kind, Many::new(&Shape::new(&ways), reach)))
        .collect()
}

fn listed(
    lister: &KindLister<'_>,
    heap: u64,
    lists: &[Vec<u32>],
    options: &mut Bits,
) -> Result<(), Failure> {
    let mut wrong = None;
    lister(heap, &mut |left| {
        let mut sum = 0;
        for (kind, size) in left {
            match lists[*kind].get(*size as usize) {
                Some(value) => sum ^= value,
                None => wrong = Some(*size),
            }
        }
        options.add(sum);
    })?;
    match wrong {
        Some(left) => Err(Failure::NotSmaller { heap, left }),
        None => Ok(()),
    }
}

/// A period that a kind must have, where all that it leaves has one that is
/// proved, and no heap of its own is left.
fn bound(rule: &KindRule<'_>, sequences: &[Option<Sequence>]) -> Option<Claimed> {
    let KindRule::Ways(ways) = rule else {
        return None;
    };
    let mut from = 1;
    let mut period = 1;
    for (_, into) in ways {
        let source = sequences[*into].as_ref()?.period.as_ref()?;
        if !source.is_proved() || source.saltus != 0 {
            return None;
        }
        from = from.max(source.preperiod);
        period = common_multiple(period, source.period)?;
    }
    let ways: Vec<Way> = ways.iter().map(|(way, _)| way.clone()).collect();
    left_over(&ways, from, period)
}

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// The smallest period and preperiod of values that are known to have a period
/// from some heap on.
fn follows(values: &[u32], known: Claimed) -> Option<Period> {
    let (from, period) = (usize::try_from(known.from).ok()?, known.period as usize);
    let end = from.checked_add(2 * period)?;
    if end > values.len() {
        return None;
    }
    let repeats = |step: usize, heap: usize| values[heap] == values[heap + step];
    let smallest = (1..=period).find(|step| {
        period.is_multiple_of(*step) && (from..from + period).all(|heap| repeats(*step, heap))
    })?;
    let before = (0..from).rev().take_while(|heap| repeats(smallest, *heap));
    Some(Period {
        period: smallest as u64,
        preperiod: (from - before.count()) as u64,
        saltus: 0,
        standing: Standing::Proved {
            theorem: Theorem::LeftOver,
            checked_to: end as u64 - 1,
        },
    })
}
