//! Signs of a mistake in the rule: moves that no position allows, and moves that are not there
//! because a state would leave its range.

use super::{Region, SolveError, Solver};
use nimrule_ir::{MoveGraph, Walker};
use nimrule_limits::Limits;
use nimrule_model::expr::{HeapId, Num, Part};
use nimrule_model::game::{Applies, PositionKind};
use nimrule_model::source::Span;
use std::ops::ControlFlow;

/// A move that no position allows, as far as they are tested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InapplicableMove {
    /// The place of the move.
    pub at: Span,
    /// The box of positions that were all tested, as a phrase.
    pub tested: String,
    /// The place of a computed number that is 0 wherever the rest of the move is
    /// possible.
    pub zero: Option<Span>,
}

/// A step that would set a state to a number outside of its range, so that the rule does not have
/// the move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeavesRange {
    /// The place of the step.
    pub at: Span,
    /// The name of the state.
    pub state: String,
    /// The range of the state as it is written.
    pub range: String,
    /// A number outside of it that the step would set.
    pub value: u64,
    /// The position at which it would.
    pub position: Vec<u64>,
}

/// The most positions of the box that is tested, and the most steps of all walks for
/// one move.
const MOST_POSITIONS: u128 = 20_000;
const MOST_STEPS: u64 = 1_000_000;

/// The number of members of a set that are enumerated in the time of a step, about.
const COST_OF_SETS: u64 = 8;

/// The largest number of positions that are drawn outside of the box.
const MOST_DRAWN: usize = 300;

/// The moves of a rule that no position allows: none of a whole box of positions, of
/// positions with heaps beside the constants of the rule, and of the positions that the
/// file names. Positions at which an expression has no value count as positions that
/// allow the move.
pub fn inapplicable_moves(solver: &Solver<'_>) -> Vec<InapplicableMove> {
    let Some((region, positions)) = positions(solver) else {
        return Vec::new();
    };
    let graph = &solver.graph;
    let applies = |graph: &MoveGraph| applies(graph, &positions);
    // The alternatives of an octal code have one place.
    let mut spans: Vec<Span> = Vec::new();
    let mut found = Vec::new();
    for (_, at) in graph.alternatives() {
        if spans.contains(&at) {
            continue;
        }
        spans.push(at);
        let alternatives = graph.alternatives().filter(|(_, span)| *span == at);
        let alternatives: Vec<MoveGraph> = alternatives
            .map(|(first, _)| graph.alternative(first))
            .collect();
        if alternatives.iter().any(applies) {
            continue;
        }
        let mut zeros = alternatives.iter().flat_map(MoveGraph::with_zero_amounts);
        found.push(InapplicableMove {
            at,
            tested: region.words(solver.game),
            zero: zeros.find_map(|(span, graph)| applies(&graph).then_some(span)),
        });
    }
    found
}

/// The most steps of all walks for one move and one state.
const MOST_STEPS_BEYOND: u64 = 100_000;

/// The steps that would set a state to a number outside of its range at a position of a box or
/// one that the file names, where nothing else forbids the move.
pub fn moves_that_leave_ranges(solver: &Solver<'_>) -> Vec<LeavesRange> {
    let game = solver.game;
    let first = game.first_state();
    let ranges = game
        .states
        .iter()
        .enumerate()
        .filter(|(_, state)| !state.is_token && (state.high.is_some() || state.low > 0));
    let ranges: Vec<_> = ranges.collect();
    let tested = match ranges.is_empty() {
        true => None,
        false => positions(solver),
    };
    let Some((_, mut positions)) = tested else {
        return Vec::new();
    };
    // A small position shows a reader more.
    positions.sort_by_key(|position| position.iter().fold(0_u64, |all, n| all.saturating_add(*n)));
    let mut found: Vec<LeavesRange> = Vec::new();
    for (state, range) in ranges {
        let place = first + state;
        for (alternative, _) in solver.graph.alternatives() {
            let alternative = solver.graph.alternative(alternative);
            let Some((at, graph)) = alternative.beyond_range(HeapId::new(place)) else {
                continue;
            };
            let is_beyond = |value: u64| value < range.low || range.high.is_some_and(|h| h < value);
            let leaves = option_with(&graph, (&alternative, &positions), |option| {
                is_beyond(option[place])
            });
            if let Some((position, option)) = leaves
                && found.iter().all(|other| other.at != at)
            {
                let high = range.high.map_or_else(String::new, |high| high.to_string());
                found.push(LeavesRange {
                    at,
                    state: game.heap_names[place].clone(),
                    range: format!("{}..{high}", range.low),
                    value: option[place],
                    position,
                });
            }
        }
    }
    found
}

/// The first of some positions with an option that passes a test, and the option; `None` if there
/// is none within [`MOST_STEPS_BEYOND`] steps, or an expression has no value.
fn option_with(
    graph: &MoveGraph,
    (rule, positions): (&MoveGraph, &[Vec<u64>]),
    test: impl Fn(&[u64]) -> bool,
) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut walker, mut known) = (Walker::new(graph, &[]), Walker::new(rule, &[]));
    let mut steps = 0;
    for position in positions {
        if !known.is_position(position).ok()? {
            continue;
        }
        walker.max_steps = MOST_STEPS_BEYOND - steps;
        let mut found = None;
        let visit = &mut |option: &[u64], _| match test(option) {
            true => {
                found = Some(option.to_vec());
                ControlFlow::Break(())
            }
            false => ControlFlow::Continue(()),
        };
        walker.options(position, 0, visit).ok()?;
        if let Some(option) = found {
            return Some((position.clone(), option));
        }
        steps += walker.steps();
        if steps >= MOST_STEPS_BEYOND {
            return None;
        }
    }
    None
}

/// The box that is tested, and the positions: those of the file, some outside of the
/// box, and those of the box, the largest first. `None` if no box of some size is small
/// enough.
fn positions(solver: &Solver<'_>) -> Option<(Region, Vec<Vec<u64>>)> {
    let game = solver.game;
    if SolveError::check_kind(game).is_err() {
        return None;
    }
    let limits = Limits::of_memory(1 << 26);
    let fits = |most: &u64| {
        let count = match &game.position_kind {
            PositionKind::Multiset(kinds) => {
                super::multiset::count(kinds, *most, MOST_POSITIONS + 1)
            }
            PositionKind::Tokens(digraph) if *most >= digraph.len() as u64 => return false,
            _ => super::Shape::count(&game.box_to(*most)),
        };
        count <= MOST_POSITIONS
    };
    let most = (0..=100).take_while(fits).last()?;
    // A box of heaps with one token each says little, unless there are no larger ones.
    if most < game.largest_size.unwrap_or(2).min(2) && game.digraph().is_none() {
        return None;
    }
    let region = solver.region(most, &limits).ok()?;
    let mut positions: Vec<Vec<u64>> = game.presentation.start.iter().cloned().collect();
    let examples = game.examples.iter();
    let here = examples.filter(|example| example.applies != Applies::Elsewhere);
    positions.extend(here.map(|example| example.position.clone()));
    if game.position_kind == PositionKind::Heaps {
        positions.extend(drawn(solver));
    }
    positions.extend((0..region.count()).rev().map(|place| region.at(place)));
    Some((region, positions))
}

/// Positions whose heaps have sizes near the constants of the rule, and equal heaps.
fn drawn(solver: &Solver<'_>) -> Vec<Vec<u64>> {
    let mut sizes = vec![0, 1, 2, 1_000];
    for part in solver.graph.parts() {
        part.node.any(&mut |part| {
            if let Part::Num(Num::Const(value)) = part
                && let Ok(value) = u64::try_from(value.saturating_abs())
            {
                sizes.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
                sizes.push(value.saturating_mul(2));
            }
            false
        });
    }
    sizes.retain(|size| *size < 1 << 40);
    sizes.sort_unstable();
    sizes.dedup();
    let heaps = solver.game.heap_count();
    let mut found: Vec<Vec<u64>> = sizes.iter().map(|size| vec![*size; heaps]).collect();
    // A linear congruential generator (Knuth, MMIX), so that a warning is the same each
    // time.
    let mut state = 1_u64;
    for _ in 0..MOST_DRAWN {
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sizes[(state >> 33) as usize % sizes.len()]
        };
        found.push((0..heaps).map(|_| draw()).collect());
    }
    found
}

/// Whether a position has an option, or may have one: the test ends without a result
/// after [`MOST_STEPS`] steps.
fn applies(graph: &MoveGraph, positions: &[Vec<u64>]) -> bool {
    let mut walker = Walker::new(graph, &[]);
    let (mut steps, mut tested) = (0, 0);
    // The members of a set, such as the divisors of a heap, may be as many as its tokens.
    let has_sets = graph
        .parts()
        .iter()
        .any(|part| part.node.any(&mut |part| matches!(part, Part::Set(_))));
    for position in positions {
        match walker.is_position(position) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(_) => return true,
        }
        tested += 1;
        let largest = position.iter().max().copied().unwrap_or(0);
        let cost = 1 + if has_sets { largest / COST_OF_SETS } else { 0 };
        walker.max_steps = (MOST_STEPS - steps).div_ceil(cost);
        // A walk ends at an option, at a fault, or after the last step that is left.
        match walker.options(position, 0, &mut |_, _| ControlFlow::Break(())) {
            Ok(false) => {}
            Ok(true) | Err(_) => return true,
        }
        steps += walker.steps().saturating_mul(cost);
        if steps >= MOST_STEPS {
            return true;
        }
    }
    tested == 0
}
