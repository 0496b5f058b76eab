//! Signs of a mistake in the rule: moves that no position allows, and moves that are not there
//! because a state or a heap would leave its range.

use super::{Region, SolveError, Solver};
use nimrule_ir::{MoveGraph, Ranged, Walker};
use nimrule_limits::Limits;
use nimrule_model::expr::{HeapId, Num, Part};
use nimrule_model::game::{Applies, Game, PositionKind, State};
use nimrule_model::source::Span;
use std::cell::OnceCell;
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

/// A step that would give a state or a heap a number outside of its range, so that the rule does
/// not have the move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeavesRange {
    /// The place of the step.
    pub at: Span,
    /// The name of the state; `None` of a heap.
    pub state: Option<String>,
    /// The range as it is written.
    pub range: String,
    /// A number outside of it that the step would give.
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

/// The largest number of positions that are drawn outside of the box, and of their heaps in a
/// multiset.
const MOST_DRAWN: usize = 300;
const MOST_HEAPS_DRAWN: usize = 4;

/// The moves of a rule that no position allows: none of a whole box of positions, of
/// positions with heaps beside the constants of the rule, and of the positions that the
/// file names. Positions at which an expression has no value count as positions that
/// allow the move. A box whose moves are too many to be tested is replaced by a smaller one.
pub fn inapplicable_moves(solver: &Solver<'_>) -> Vec<InapplicableMove> {
    let sizes = [1, 10, 100].map(|part| (MOST_POSITIONS / part, OnceCell::new()));
    let boxes = || {
        sizes
            .iter()
            .map_while(|(most, kept)| kept.get_or_init(|| tested(solver, *most)).as_ref())
    };
    let graph = &solver.graph;
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
        // Whether none applies to the positions of a box, if that is found out in time.
        let is_idle = |tested: &Tested| {
            let mut idle = Some(true);
            for alternative in &alternatives {
                match applies(alternative, tested.positions()) {
                    Some(true) => return Some(false),
                    Some(false) => {}
                    None => idle = None,
                }
            }
            idle
        };
        let decided = boxes().find_map(|tested| Some((is_idle(tested)?, tested)));
        let Some((true, tested)) = decided else {
            continue;
        };
        let mut zeros = alternatives.iter().flat_map(MoveGraph::with_zero_amounts);
        let applies = |graph: &MoveGraph| applies(graph, tested.positions()) != Some(false);
        found.push(InapplicableMove {
            at,
            tested: tested.region.words(solver.game),
            zero: zeros.find_map(|(span, graph)| applies(&graph).then_some(span)),
        });
    }
    found
}

/// The most steps of all walks for one move and one state.
const MOST_STEPS_BEYOND: u64 = 100_000;

/// A range, and how numbers of a position are found outside of it.
struct NamedRange {
    what: Ranged,
    /// The name of the state; `None` of the heaps.
    state: Option<String>,
    low: u64,
    high: Option<u64>,
}

impl NamedRange {
    /// The ranges of the states and of the heaps.
    fn all(solver: &Solver<'_>) -> Vec<NamedRange> {
        let game = solver.game;
        let of_state = |what, name: &String, state: &State| {
            let has_range = !state.is_token && (state.high.is_some() || state.low > 0);
            has_range.then(|| NamedRange {
                what,
                state: Some(name.clone()),
                low: state.low,
                high: state.high,
            })
        };
        let first = game.first_state();
        let places = game.states.iter().enumerate().filter_map(|(place, state)| {
            let heap = HeapId::new(first + place);
            of_state(Ranged::State(heap), &game.heap_names[first + place], state)
        });
        let mut found: Vec<NamedRange> = places.collect();
        if let PositionKind::Multiset(kinds) = &game.position_kind {
            let states = (kinds.of_heaps()..).zip(&kinds.states);
            found.extend(states.filter_map(|(kind, (name, state))| {
                of_state(Ranged::StateOfMultiset(kind), name, state)
            }));
        }
        let heaps = game
            .largest_size
            .and_then(|size| solver.graph.heap_range(size));
        if let Some(what @ Ranged::Heaps(low, high)) = heaps {
            found.push(NamedRange {
                what,
                state: None,
                low: low.unsigned_abs(),
                high: Some(high.unsigned_abs()),
            });
        }
        found
    }

    /// A number of an option outside of the range.
    fn beyond(&self, game: &Game, option: &[u64]) -> Option<u64> {
        let (sizes, kinds) = game.sizes_and_kinds(option);
        let mut numbers = match self.what {
            Ranged::State(place) => vec![sizes[place.index()]],
            Ranged::StateOfMultiset(state) => (sizes.iter().zip(&kinds))
                .filter(|(_, kind)| **kind == state)
                .map(|(size, _)| size - 1)
                .collect(),
            Ranged::Heaps(..) => match &game.position_kind {
                PositionKind::Multiset(of) => (sizes.iter().enumerate())
                    .filter(|(place, _)| kinds.get(*place).is_none_or(|k| *k < of.of_heaps()))
                    .map(|(_, size)| *size)
                    .collect(),
                _ => sizes[..game.first_state()].to_vec(),
            },
        };
        numbers.retain(|number| *number < self.low || self.high.is_some_and(|high| high < *number));
        numbers.into_iter().max()
    }
}

/// The steps that would give a state or a heap a number outside of its range at a position of a
/// box or one that the file names, where nothing else forbids the move. Steps that change heaps
/// are those with numbers that are outside of the range at every position.
pub fn moves_that_leave_ranges(solver: &Solver<'_>) -> Vec<LeavesRange> {
    let game = solver.game;
    let ranges = NamedRange::all(solver);
    let tested = match ranges.is_empty() {
        true => None,
        false => tested(solver, MOST_POSITIONS),
    };
    let Some(tested) = tested else {
        return Vec::new();
    };
    let mut positions: Vec<Vec<u64>> = tested.positions().collect();
    // A small position shows a reader more.
    positions.sort_by_key(|position| position.iter().fold(0_u64, |all, n| all.saturating_add(*n)));
    let mut found: Vec<LeavesRange> = Vec::new();
    for range in ranges {
        for (alternative, _) in solver.graph.alternatives() {
            let alternative = solver.graph.alternative(alternative);
            for (at, graph) in alternative.beyond_range(range.what) {
                if found.iter().any(|other| other.at == at) {
                    continue;
                }
                let beyond = |option: &[u64]| range.beyond(game, option);
                let leaves = option_with(&graph, (&alternative, &positions), |option| {
                    beyond(option).is_some()
                });
                let Some((position, option)) = leaves else {
                    continue;
                };
                // A later step may bring the heap back into the range.
                let mut within = graph;
                within.positions.clone_from(&alternative.positions);
                if range.state.is_none()
                    && applies(&within, positions.iter().cloned()) != Some(false)
                {
                    continue;
                }
                let high = range.high.map_or_else(String::new, |high| high.to_string());
                found.push(LeavesRange {
                    at,
                    state: range.state.clone(),
                    range: format!("{}..{high}", range.low),
                    value: beyond(&option).unwrap_or_default(),
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

/// The positions that are tested: those of the file and some outside of a box, and the box.
struct Tested {
    region: Region,
    beside: Vec<Vec<u64>>,
}

impl Tested {
    /// All of them, those of the box last, the largest first. The first ones decide most moves.
    fn positions(&self) -> impl Iterator<Item = Vec<u64>> + '_ {
        let of_box = (0..self.region.count()).rev();
        let of_box = of_box.map(|place| self.region.at(place));
        self.beside.iter().cloned().chain(of_box)
    }
}

/// What is tested; `None` if no box of some size is small enough.
fn tested(solver: &Solver<'_>, most_positions: u128) -> Option<Tested> {
    let game = solver.game;
    if SolveError::check_kind(game).is_err() {
        return None;
    }
    let limits = Limits::of_memory(1 << 26);
    let fits = |most: &u64| {
        let count = match &game.position_kind {
            PositionKind::Multiset(kinds) => {
                super::multiset::count(kinds, *most, most_positions + 1)
            }
            PositionKind::Tokens(digraph) if *most >= digraph.len() as u64 => return false,
            _ => super::Shape::count(&game.box_to(*most)),
        };
        count <= most_positions
    };
    let most = (0..=100).take_while(fits).last()?;
    // A box of heaps with one token each says little, unless there are no larger ones.
    if most < game.largest_size.unwrap_or(2).min(2) && game.digraph().is_none() {
        return None;
    }
    let region = solver.region(most, &limits).ok()?;
    let mut beside: Vec<Vec<u64>> = game.presentation.start.iter().cloned().collect();
    let examples = game.examples.iter();
    let here = examples.filter(|example| example.applies != Applies::Elsewhere);
    beside.extend(here.map(|example| example.position.clone()));
    beside.extend(drawn(solver));
    Some(Tested { region, beside })
}

/// Positions whose heaps have sizes near the constants of the rule, and equal heaps; none of
/// tokens.
fn drawn(solver: &Solver<'_>) -> Vec<Vec<u64>> {
    let game = solver.game;
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
    // A linear congruential generator (Knuth, MMIX), so that a warning is the same each
    // time.
    let mut state = 1_u64;
    let mut below = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    match &game.position_kind {
        PositionKind::Heaps => {
            let heaps = game.heap_count();
            let mut found: Vec<Vec<u64>> = sizes.iter().map(|size| vec![*size; heaps]).collect();
            let draw = |_| (0..heaps).map(|_| sizes[below(sizes.len())]).collect();
            found.extend((0..MOST_DRAWN).map(draw));
            found
        }
        PositionKind::Multiset(kinds) => {
            let draw = |number: usize| {
                let heaps = (0..1 + number % MOST_HEAPS_DRAWN).map(|_| {
                    let size = sizes[below(sizes.len())].max(1);
                    kinds.encode(size, below(kinds.of_heaps()))
                });
                let mut position: Vec<u64> = heaps.collect();
                for (index, (_, state)) in kinds.states.iter().enumerate() {
                    let values = state.bound(2) - state.low + 1;
                    let value = state.low + below(values as usize) as u64;
                    position.push(kinds.encode_state(index, value));
                }
                position.sort_unstable();
                position
            };
            (0..MOST_DRAWN).map(draw).collect()
        }
        PositionKind::Tokens(_) | PositionKind::Open(_) | PositionKind::Reals => Vec::new(),
    }
}

/// Whether a position has an option, or an expression without a value; `None` if that is not
/// found out in [`MOST_STEPS`] steps, or there are no positions.
fn applies(graph: &MoveGraph, positions: impl Iterator<Item = Vec<u64>>) -> Option<bool> {
    let mut walker = Walker::new(graph, &[]);
    let (mut steps, mut tested) = (0, 0);
    // The members of a set, such as the divisors of a heap, may be as many as its tokens.
    let has_sets = graph
        .parts()
        .iter()
        .any(|part| part.node.any(&mut |part| matches!(part, Part::Set(_))));
    for position in positions {
        match walker.is_position(&position) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(_) => return Some(true),
        }
        tested += 1;
        let largest = position.iter().max().copied().unwrap_or(0);
        let cost = 1 + if has_sets { largest / COST_OF_SETS } else { 0 };
        walker.max_steps = (MOST_STEPS - steps).div_ceil(cost);
        let mut has_option = false;
        // A walk ends at an option, at a fault, or after the last step that is left.
        match walker.options(&position, 0, &mut |_, _| {
            has_option = true;
            ControlFlow::Break(())
        }) {
            Ok(false) => {}
            Ok(true) if has_option => return Some(true),
            Ok(true) => return None,
            Err(_) => return Some(true),
        }
        steps += walker.steps().saturating_mul(cost);
        if steps >= MOST_STEPS {
            return None;
        }
    }
    (tested > 0).then_some(false)
}
