//! Grundy sequences of the kinds of heaps, for games in which every move changes
//! one heap.
//!
//! The rule of each kind is passed to [`nimrule_sequence`]: as heap moves, if the
//! profile has them, or as lists of options from the walker.

use super::{Limits, SolveError, Solver};
use nimrule_ir::{HeapRule, HeapRules, KindMove, Removes, Walker};
use nimrule_model::expr::NamedSet;
use nimrule_model::game::HeapKinds;
use nimrule_sequence::{
    self as sequence, HeapMove, KindRule, PeriodClaim, Sequence, explore_kinds, reaching_kinds,
    survey_kinds,
};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// The Grundy values of heaps 0 to `to` of each kind, and their periods.
///
/// # Examples
///
/// ```
/// use nimrule_engine::{Limits, Solver, heap_sequences};
///
/// let kayles = nimrule_fixtures::compiled("game kayles heaps any number move octal \"0.77\"");
/// let kayles = kayles.unwrap().game;
/// let limits = Limits::of_memory(1 << 20);
/// let sequences = heap_sequences::explored(&Solver::new(&kayles), 6, &limits).unwrap();
/// assert_eq!(sequences[0].values, [0, 1, 2, 3, 1, 4, 3]);
/// ```
pub fn explored(
    solver: &Solver<'_>,
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, SolveError> {
    with_rules(solver, to, limits, |rules| explore_kinds(rules, to, limits))
}

/// The values that are computed for these: at least those to `to`, or those
/// that prove a period.
pub fn surveyed(
    solver: &Solver<'_>,
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, SolveError> {
    with_rules(solver, to, limits, |rules| survey_kinds(rules, to, limits))
}

/// Sequences that determine the value of every heap up to `to` of each kind.
pub fn reaching(
    solver: &Solver<'_>,
    to: u64,
    limits: &Limits,
) -> Result<Vec<Sequence>, SolveError> {
    with_rules(solver, to, limits, |rules| {
        reaching_kinds(rules, to, limits)
    })
}

/// The kinds of heaps, or the reason why the game has none.
pub fn rules<'s>(solver: &'s Solver<'_>) -> Result<&'s HeapRules, SolveError> {
    solver
        .profile
        .heap_rules
        .as_ref()
        .map_err(|reason| SolveError::Cannot {
            engine: "nim-sum",
            reason: reason.clone(),
        })
}

/// The last heap whose value a proof of the period needs, if a periodicity theorem
/// covers the rule.
pub fn wanted(solver: &Solver<'_>, kind: usize, claimed: PeriodClaim) -> Option<u64> {
    let HeapRule::Moves(ways) = &rules(solver).ok()?.rules[kind] else {
        return None;
    };
    let plain = |way: &KindMove| way.into == kind && way.removes == Removes::AsListed;
    let ways: Option<Vec<HeapMove>> = ways
        .iter()
        .map(|way| plain(way).then(|| way.way.clone()))
        .collect();
    let (_, end) = sequence::needed(&sequence::HeapRule::Moves(ways?), claimed)?;
    Some(end)
}

/// About how many options a heap has, where that can be said without listing
/// them; a bound from above, but for a few.
pub fn options(solver: &Solver<'_>, kind: usize, size: u64) -> u128 {
    let Ok(rules) = &solver.profile.heap_rules else {
        return 0;
    };
    let HeapRule::Moves(ways) = &rules.rules[kind] else {
        return 0;
    };
    let each_way = ways.iter().map(|way| {
        let runs = way.way.removes.iter().take_while(|(low, _)| *low <= size);
        let removed = runs.map(|(low, high)| u128::from(size.min(*high) - low) + 1);
        // Into r heaps n tokens go in about n^(r - 1) / r! ways.
        let parts = way.way.leaves.1.clamp(1, 16);
        let mut ways = removed.fold(0, u128::saturating_add);
        for part in 2..=u128::from(parts) {
            ways = ways.saturating_mul(u128::from(size)) / part + 1;
        }
        ways
    });
    each_way.fold(0, u128::saturating_add)
}

fn with_rules<T>(
    solver: &Solver<'_>,
    to: u64,
    limits: &Limits,
    ask: impl FnOnce(&[KindRule<'_>]) -> Result<T, sequence::SequenceError>,
) -> Result<T, SolveError> {
    let rules = rules(solver)?;
    // A list of options cannot report an error.
    let stopped = RefCell::new(None);
    let rules: Vec<KindRule<'_>> = rules
        .rules
        .iter()
        .enumerate()
        .map(|(kind, rule)| match rule {
            HeapRule::Moves(ways) => in_ways(ways, to),
            HeapRule::Other => walked(solver, rules, kind, limits, &stopped),
        })
        .collect();
    let answer = ask(&rules);
    drop(rules);
    answer.map_err(|failure| match failure {
        sequence::SequenceError::LimitExceeded(met) => SolveError::from(met),
        sequence::SequenceError::Unlisted { .. } => {
            stopped.into_inner().expect("the walk says why it ends")
        }
        other => SolveError::Cannot {
            engine: "nim-sum",
            reason: other.to_string(),
        },
    })
}

/// The moves of a kind, with the members up to `to` of a set by its name listed.
fn in_ways<'r>(ways: &[KindMove], to: u64) -> KindRule<'r> {
    let members = |named: NamedSet| {
        let members = named.members().map(i64::unsigned_abs);
        members
            .skip_while(|member| *member == 0)
            .take_while(move |member| *member <= to)
    };
    let listed = ways.iter().map(|way| {
        let removes = match way.removes {
            Removes::AsListed => way.way.removes.clone(),
            Removes::Named(named) => members(named).map(|one| (one, one)).collect(),
        };
        let way_listed = HeapMove {
            removes,
            ..way.way.clone()
        };
        (way_listed, way.into)
    });
    let all = ways.iter().all(|way| way.removes == Removes::AsListed);
    match all {
        true => KindRule::Moves(listed.collect()),
        false => KindRule::SomeMoves(listed.collect()),
    }
}

/// The options of the heaps of a kind, by the walker.
fn walked<'r>(
    solver: &'r Solver<'_>,
    rules: &'r HeapRules,
    kind: usize,
    limits: &Limits,
    stopped: &'r RefCell<Option<SolveError>>,
) -> KindRule<'r> {
    let walker = RefCell::new(Walker::new(&solver.graph, &[]).until(limits));
    let heap_of_kind = rules.kind_of_heap.iter().position(|of| *of == kind);
    KindRule::Listed(Box::new(move |size, each| {
        let kinds = solver.graph.kinds.as_ref();
        let position = alone(kinds, solver.graph.heaps, heap_of_kind, kind, size);
        let mut left = Vec::new();
        let walk = walker.borrow_mut().options(&position, 0, &mut |option, _| {
            left.clear();
            match (kinds, heap_of_kind) {
                (Some(kinds), _) => left.extend(option.iter().map(|heap| {
                    let (size, kind) = kinds.decode(*heap);
                    (kind, size)
                })),
                (None, Some(heap)) => left.push((kind, option[heap])),
                (None, None) => {}
            }
            each(&left);
            ControlFlow::Continue(())
        });
        match walk {
            Ok(_) => Ok(()),
            Err(stop) => {
                *stopped.borrow_mut() = Some(SolveError::of(stop, &position));
                Err(sequence::SequenceError::Unlisted { heap: size })
            }
        }
    }))
}

/// The position of a single heap.
fn alone(
    kinds: Option<&HeapKinds>,
    heaps: usize,
    heap_of_kind: Option<usize>,
    kind: usize,
    size: u64,
) -> Vec<u64> {
    match kinds {
        Some(_) if size == 0 => Vec::new(),
        Some(kinds) => vec![kinds.encode(size, kind)],
        None => {
            let mut position = vec![0; heaps];
            if let Some(heap) = heap_of_kind {
                position[heap] = size;
            }
            position
        }
    }
}
