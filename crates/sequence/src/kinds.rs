//! Grundy sequences of several kinds of heap: a move in a heap of one kind may
//! leave heaps of another kind.
//!
//! For example, the first move in a ring of stones leaves a row. The sequence
//! of a kind that leaves only heaps of its own kind is computed alone. The
//! others are computed together, by ascending size.

use super::intervals::Intervals;
use super::period::{Period, PeriodStatus};
use super::sum_sets::SumSets;
use super::theorem::{PeriodClaim, Theorem, period_from_kinds};
use super::value_sets::BitSet;
use super::{
    BYTES_COMPUTED, BYTES_LISTED, HeapMove, HeapRule, Lookahead, Sequence, SequenceError, Shape,
    compute, filled, find,
};
use nimrule_limits::{Limits, Work};
use std::fmt;

/// A function that passes the options of a heap to a callback, each as the
/// kinds and sizes of the heaps left. All of them are smaller; some may be 0.
pub type KindLister<'a> =
    dyn Fn(u64, &mut dyn FnMut(&[(usize, u64)])) -> Result<(), SequenceError> + 'a;

/// The rule of one kind of heap.
pub enum KindRule<'a> {
    /// Moves, each with the kind of the heaps that it leaves.
    Moves(Vec<(HeapMove, usize)>),
    /// Such moves of a rule with more moves: see [`HeapRule::SomeMoves`].
    SomeMoves(Vec<(HeapMove, usize)>),
    /// The options that a callback lists.
    Listed(Box<KindLister<'a>>),
}

impl fmt::Debug for KindRule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KindRule::Moves(moves) => f.debug_tuple("Moves").field(moves).finish(),
            KindRule::SomeMoves(moves) => f.debug_tuple("SomeMoves").field(moves).finish(),
            KindRule::Listed(_) => f.write_str("Listed"),
        }
    }
}

impl KindRule<'_> {
    fn moves(&self) -> Option<&[(HeapMove, usize)]> {
        match self {
            KindRule::Moves(moves) | KindRule::SomeMoves(moves) => Some(moves),
            KindRule::Listed(_) => None,
        }
    }

    /// The rule of a kind that leaves only heaps of its own kind; `None` for
    /// other kinds.
    fn alone(&self, kind: usize, kinds: usize) -> Option<HeapRule<'_>> {
        if let KindRule::Listed(lister) = self {
            // A callback may list heaps of any kind.
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
        let moves = self.moves()?;
        // The kind does not matter if no heap is left.
        let stays = |(one, into): &(HeapMove, usize)| *into == kind || one.leaves.1 == 0;
        if !moves.iter().all(stays) {
            return None;
        }
        let moves = moves.iter().map(|(one, _)| one.clone()).collect();
        Some(match self {
            KindRule::SomeMoves(_) => HeapRule::SomeMoves(moves),
            _ => HeapRule::Moves(moves),
        })
    }
}

/// Computes the values of the heaps 0 to `to` of each kind, and their periods:
/// proved ones, or else observed ones.
///
/// # Errors
///
/// If a limit is exceeded, and the faults of the rules: see [`SequenceError`].
pub fn explore_kinds(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, SequenceError> {
    let listed = (u128::from(to) + 1) * BYTES_LISTED;
    limits.check_memory(listed.saturating_mul(rules.len() as u128))?;
    let sequences = survey_kinds(rules, to, limits)?;
    sequences
        .into_iter()
        .map(|sequence| filled(sequence, to))
        .collect()
}

/// As [`explore_kinds`], with the values that were computed: at least those up
/// to `to`, or those that prove a period.
///
/// # Errors
///
/// As [`explore_kinds`].
pub fn survey_kinds(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, SequenceError> {
    each_kind(rules, to, limits, &|rule| {
        compute(rule, to, Lookahead::Yes, limits)
    })
}

/// Computes sequences whose [`Sequence::value`] is known for all heaps up to
/// `to`; they may list fewer values.
///
/// # Errors
///
/// As [`explore_kinds`].
pub fn reaching_kinds(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, SequenceError> {
    // Kinds that are computed together may also have periods below `to`.
    let mut reach = FIRST_REACH.min(to);
    loop {
        let sequences = each_kind(rules, reach, limits, &|rule| {
            compute(rule, to, Lookahead::No, limits)
        })?;
        if reach == to || sequences.iter().all(|s| s.value(to).is_some()) {
            return Ok(sequences);
        }
        reach = reach.saturating_mul(4).min(to);
    }
}

const FIRST_REACH: u64 = 1 << 10;

/// The sequences of all kinds: `alone` computes those of the kinds that leave
/// only heaps of their own kind; the others have the heaps up to `to`, or
/// slightly more.
fn each_kind(
    rules: &[KindRule<'_>],
    to: u64,
    limits: &Limits,
    alone: &dyn Fn(&HeapRule<'_>) -> Result<Sequence, SequenceError>,
) -> Result<Vec<Sequence>, SequenceError> {
    let mut sequences: Vec<Option<Sequence>> = Vec::new();
    for (kind, rule) in rules.iter().enumerate() {
        let rule = rule.alone(kind, rules.len());
        sequences.push(rule.map(|rule| alone(&rule)).transpose()?);
    }
    if sequences.iter().any(Option::is_none) {
        compute_together(rules, &mut sequences, to, limits)?;
    }
    Ok(sequences.into_iter().flatten().collect())
}

/// The moves of a kind, by the kind of the heaps left.
enum KindMoves<'r> {
    Moves(Vec<(usize, SumSets)>),
    Listed(&'r KindLister<'r>),
}

/// Computes the missing sequences together.
fn compute_together(
    rules: &[KindRule<'_>],
    sequences: &mut [Option<Sequence>],
    to: u64,
    limits: &Limits,
) -> Result<(), SequenceError> {
    let open: Vec<usize> = (0..rules.len())
        .filter(|kind| sequences[*kind].is_none())
        .collect();
    // The periods that follow from those of the kinds left.
    let proved: Vec<Option<(PeriodClaim, Theorem)>> = open
        .iter()
        .map(|kind| {
            let period =
                period_from_others(&rules[*kind], sequences).map(|c| (c, Theorem::OtherKinds));
            period.or_else(|| {
                period_of_p_heaps(rules, *kind, sequences).map(|c| (c, Theorem::EqualHeaps))
            })
        })
        .collect();
    let seen_to = proved.iter().flatten().filter_map(|(claim, _)| {
        let end = claim.period.checked_mul(2)?.checked_add(claim.from)?;
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
    limits.check_memory(bytes)?;

    let mut lists: Vec<Vec<u32>> = Vec::new();
    for sequence in sequences.iter() {
        lists.push(match sequence {
            Some(sequence) => filled(sequence.clone(), reach)?.values,
            None => Vec::new(),
        });
    }
    let mut engines: Vec<KindMoves<'_>> = open
        .iter()
        .map(|kind| match &rules[*kind] {
            KindRule::Listed(lister) => KindMoves::Listed(lister.as_ref()),
            rule => KindMoves::Moves(by_kind_left(rule, rules.len(), reach)),
        })
        .collect();
    let mut options = BitSet::default();
    limits.begin(Work::Heaps, Some(reach + 1));
    for heap in 0..=reach {
        limits.check_time_at(heap)?;
        for (kind, engine) in open.iter().zip(&mut engines) {
            options.clear();
            match engine {
                KindMoves::Moves(sources) => {
                    for (source, sum_sets) in sources {
                        let values = &lists[*source][..heap as usize];
                        sum_sets.reached(values, &mut options, limits)?;
                    }
                }
                KindMoves::Listed(lister) => listed(lister, heap, &lists, &mut options)?,
            }
            lists[*kind].push(options.mex());
        }
    }
    for (kind, proved) in open.into_iter().zip(proved) {
        let values = std::mem::take(&mut lists[kind]);
        let period = proved.and_then(|(claim, theorem)| smallest_period(&values, claim, theorem));
        let period = match period {
            Some(period) => Some(period),
            None => find(&values, &HeapRule::SomeMoves(Vec::new())),
        };
        sequences[kind] = Some(Sequence::new(values, period));
    }
    Ok(())
}

/// The moves of a kind, by the kind of the heaps left.
fn by_kind_left(rule: &KindRule<'_>, kinds: usize, reach: u64) -> Vec<(usize, SumSets)> {
    let moves = rule.moves().unwrap_or_default();
    let shapes = (0..kinds).map(|kind| {
        let into = moves.iter().filter(|(_, into)| *into == kind);
        let moves: Vec<HeapMove> = into.map(|(one, _)| one.clone()).collect();
        (kind, moves)
    });
    shapes
        .filter(|(_, moves)| !moves.is_empty())
        .map(|(kind, moves)| (kind, SumSets::new(&Shape::new(&moves), reach)))
        .collect()
}

fn listed(
    lister: &KindLister<'_>,
    heap: u64,
    lists: &[Vec<u32>],
    options: &mut BitSet,
) -> Result<(), SequenceError> {
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
        Some(left) => Err(SequenceError::NotSmaller { heap, left }),
        None => Ok(()),
    }
}

/// The period of a kind that leaves only heaps of other kinds, whose periods
/// are proved.
fn period_from_others(rule: &KindRule<'_>, sequences: &[Option<Sequence>]) -> Option<PeriodClaim> {
    let KindRule::Moves(moves) = rule else {
        return None;
    };
    let mut from = 1;
    let mut period = 1;
    for (_, into) in moves {
        let source = sequences[*into].as_ref()?.period.as_ref()?;
        if !source.is_proved() || source.saltus != 0 {
            return None;
        }
        from = from.max(source.preperiod);
        period = common_multiple(period, source.period)?;
    }
    let moves: Vec<HeapMove> = moves.iter().map(|(one, _)| one.clone()).collect();
    period_from_kinds(&moves, from, period)
}

/// The period of a kind whose moves leave at most one heap, of a kind whose
/// heaps are all N from some size on: its own heaps are P from some size on.
fn period_of_p_heaps(
    rules: &[KindRule<'_>],
    kind: usize,
    sequences: &[Option<Sequence>],
) -> Option<PeriodClaim> {
    let KindRule::Moves(moves) = &rules[kind] else {
        return None;
    };
    let mut from = 1;
    for (one, into) in moves {
        let removed = Intervals::union(one.removes.iter().copied());
        if one.leaves.1 > 1 || removed.tail().is_some() {
            return None;
        }
        let n_from = n_from(&rules[*into], *into, sequences[*into].as_ref()?)?;
        from = from.max(removed.settled_from().checked_add(n_from)?);
    }
    Some(PeriodClaim {
        period: 1,
        from,
        saltus: 0,
    })
}

/// The size from which on every heap of a kind is N because a move leaves two
/// equal heaps of the kind: both an even and an odd number of tokens may be
/// removed so.
fn n_from(rule: &KindRule<'_>, kind: usize, sequence: &Sequence) -> Option<u64> {
    let KindRule::Moves(moves) = rule else {
        return None;
    };
    let own = moves.iter().filter(|(_, into)| *into == kind);
    let moves: Vec<HeapMove> = own.map(|(one, _)| one.clone()).collect();
    let removes = Shape::new(&moves).leaving(2, super::Parts::Any);
    let of_parity = |parity: u64| removes.up_to(MOST_REMOVED).find(|n| n % 2 == parity);
    let split_from = of_parity(0)?.max(of_parity(1)?) + 2;
    // Smaller heaps are N if their listed values are not 0.
    let before = sequence.values.get(..usize::try_from(split_from).ok()?)?;
    let last_lost = before.iter().rposition(|value| *value == 0);
    Some(last_lost.map_or(0, |heap| heap as u64 + 1))
}

/// The most tokens of a removal that leaves two equal heaps.
const MOST_REMOVED: u64 = 1 << 10;

fn common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (a / x).checked_mul(b)
}

/// The smallest period and preperiod of values with a proved period.
fn smallest_period(values: &[u32], known: PeriodClaim, theorem: Theorem) -> Option<Period> {
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
        status: PeriodStatus::Proved {
            theorem,
            checked_to: end as u64 - 1,
        },
    })
}
