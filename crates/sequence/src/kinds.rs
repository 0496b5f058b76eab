//! Several kinds of heap: a move in one kind may leave heaps of another.
//!
//! A kind that leaves heaps of its own alone is a sequence by itself. The
//! others go on together, heap by heap, looking up what they leave in the
//! sequences of its kind: so a ring of stones that its first move breaks into
//! a row has its values from those of the row.

use super::many::Many;
use super::marks::Bits;
use super::period::{Period, Standing};
use super::runs::Runs;
use super::theorem::{Claimed, Theorem, left_over};
use super::{
    BYTES_COMPUTED, BYTES_LISTED, Failure, Glance, HeapRule, Sequence, Shape, Way, compute, filled,
    find,
};
use nimrule_limits::{Limits, Work};
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
    let listed = (u128::from(to) + 1) * BYTES_LISTED;
    limits.within_memory(listed.saturating_mul(rules.len() as u128))?;
    let sequences = survey_kinds(rules, to, limits)?;
    sequences
        .into_iter()
        .map(|sequence| filled(sequence, to))
        .collect()
}

/// The same, with just the values that are computed: at least those to `to`,
/// or those that prove a period.
pub fn survey_kinds(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, Failure> {
    each_kind(rules, to, limits, &|rule| {
        compute(rule, to, Glance::Ahead, limits)
    })
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
    // What follows from the kinds that are left.
    let sure: Vec<Option<(Claimed, Theorem)>> = open
        .iter()
        .map(|kind| {
            let period = bound(&rules[*kind], sequences).map(|c| (c, Theorem::LeftOver));
            period.or_else(|| lost(rules, *kind, sequences).map(|c| (c, Theorem::TwoEqual)))
        })
        .collect();
    let seen_to = sure.iter().flatten().filter_map(|(claimed, _)| {
        let end = claimed.period.checked_mul(2)?.checked_add(claimed.from)?;
        (end <= FIRST_REACH).then_some(end)
    });
    let lists_reach = sequences
        .iter()
        .flatten()
        .map(|sequence| match sequence.is_proved() {
            true => u64::MAX,
            false => sequence.values.len() as u64 - 1,
        });
    let reach = seen_to.fold(to, u64::max);
    let reach = lists_reach.fold(reach, u64::min);
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
    limits.begin(Work::Heaps, Some(reach + 1));
    for heap in 0..=reach {
        limits.within_time_at(heap)?;
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
    for (kind, sure) in open.into_iter().zip(sure) {
        let values = std::mem::take(&mut lists[kind]);
        let follows = sure.and_then(|(claimed, theorem)| follows(&values, claimed, theorem));
        let period = match follows {
            Some(period) => Some(period),
            None => find(&values, &HeapRule::SomeWays(Vec::new())),
        };
        sequences[kind] = Some(Sequence::new(values, period));
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

/// A kind whose every move leaves one heap at most, of a kind whose heaps all
/// win: from where on its own heaps are lost.
fn lost(rules: &[KindRule<'_>], kind: usize, sequences: &[Option<Sequence>]) -> Option<Claimed> {
    let KindRule::Ways(ways) = &rules[kind] else {
        return None;
    };
    let mut from = 1;
    for (way, into) in ways {
        let removed = Runs::union(way.removes.iter().copied());
        if way.leaves.1 > 1 || removed.tail().is_some() {
            return None;
        }
        let wins_from = wins_from(&rules[*into], *into, sequences[*into].as_ref()?)?;
        from = from.max(removed.settled_from().checked_add(wins_from)?);
    }
    Some(Claimed {
        period: 1,
        from,
        saltus: 0,
    })
}

/// From where on every heap of a kind wins by leaving two equal heaps of its
/// own: an even number of tokens and an odd number may be removed so.
fn wins_from(rule: &KindRule<'_>, kind: usize, sequence: &Sequence) -> Option<u64> {
    let KindRule::Ways(ways) = rule else {
        return None;
    };
    let own = ways.iter().filter(|(_, into)| *into == kind);
    let ways: Vec<Way> = own.map(|(way, _)| way.clone()).collect();
    let removes = Shape::new(&ways).leaving(2, super::Parts::Any);
    let of_parity = |parity: u64| removes.up_to(MOST_REMOVED).find(|n| n % 2 == parity);
    let sure_from = of_parity(0)?.max(of_parity(1)?) + 2;
    // Below that the values tell.
    let before = sequence.values.get(..usize::try_from(sure_from).ok()?)?;
    let last_lost = before.iter().rposition(|value| *value == 0);
    Some(last_lost.map_or(0, |heap| heap as u64 + 1))
}

/// Moves that remove more than this are not looked for.
const MOST_REMOVED: u64 = 1 << 10;

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// The smallest period and preperiod of values that are known to have a period
/// from some heap on.
fn follows(values: &[u32], known: Claimed, theorem: Theorem) -> Option<Period> {
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
            theorem,
            checked_to: end as u64 - 1,
        },
    })
}
