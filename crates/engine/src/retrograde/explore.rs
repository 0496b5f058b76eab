//! Exploration: the followers of the queried positions and the relation of their
//! moves.

use super::allowed::AllowedPositions;
use super::position_index::{DenseIndex, PositionIndex, SparseIndex};
use super::{PositionLabels, Retrograde};
use crate::{Engine as _, Limits, Shape, SolveError, Solver, Work};
use nimrule_ir::{self as ir, MoveGraph, Node, Walker};
use nimrule_limits::Steps;
use nimrule_model::expr::{HeapId, Pick};
use nimrule_model::game::{Convention, Game, Members, PositionKind, Side};
use nimrule_relation::{
    BuildError, MOST_ARCS, MOST_STATES, Reverse, Terminal, retrograde, retrograde_with_blocking,
    sides,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The queried positions.
pub(super) enum Targets<'w> {
    Position(&'w [u64]),
    Box(&'w Shape),
    List(&'w [Vec<u64>]),
}

/// The number of followers up to which they are explored one by one. A position with
/// more followers is solved with the whole box, if there is one: the box is faster for
/// each position, but may contain many more.
const MAX_REACHABLE_FIRST: usize = 20_000;

impl Targets<'_> {
    /// Whether all queried positions and their followers have an index.
    pub fn is_within(&self, solver: &Solver<'_>, index: &PositionIndex) -> bool {
        match self {
            Targets::Position(position) => index.of(position).is_some(),
            Targets::List(positions) => positions.iter().all(|p| index.of(p).is_some()),
            Targets::Box(shape) => match index {
                PositionIndex::Dense(dense) => enclosing(solver.game, &shape.most)
                    .is_some_and(|most| most.iter().zip(&dense.shape.most).all(|(a, b)| a <= b)),
                PositionIndex::Sparse(_) => false,
            },
        }
    }

    /// Calls `visit` with every queried position.
    fn each(
        &self,
        game: &Game,
        limits: &Limits,
        visit: &mut dyn FnMut(&[u64]) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        match self {
            Targets::Position(position) => visit(position),
            Targets::List(positions) => positions.iter().try_for_each(|p| visit(p)),
            Targets::Box(shape) => {
                AllowedPositions::of(game).each(shape, limits, &mut |position, _| visit(position))
            }
        }
    }
}

/// The positions explored and the moves between them: one list of arcs for each
/// player, or one for both in an impartial game.
struct MoveRelation {
    index: PositionIndex,
    arcs: Vec<ArcLists>,
}

/// Explores the followers of the queried positions, and labels them.
pub(super) fn search(
    solver: &Solver<'_>,
    targets: &Targets<'_>,
    convention: Convention,
    limits: &Limits,
) -> Result<(PositionIndex, PositionLabels), SolveError> {
    let relation = explore(solver, targets, limits)?;
    let labels = label(&relation, convention, solver.game.blocked_options, limits)?;
    Ok((relation.index, labels))
}

fn explore(
    solver: &Solver<'_>,
    targets: &Targets<'_>,
    limits: &Limits,
) -> Result<MoveRelation, SolveError> {
    let corner = match targets {
        Targets::Position(position) => {
            if let Some(relation) = reachable(solver, targets, MAX_REACHABLE_FIRST, limits)? {
                return Ok(relation);
            }
            Some(*position)
        }
        Targets::Box(shape) => Some(shape.most.as_slice()),
        Targets::List(_) => None,
    };
    if let Some(shape) = corner
        .and_then(|corner| enclosing(solver.game, corner))
        .and_then(|most| affordable(solver, &most, limits))
    {
        match of_box(solver, shape, limits) {
            // The followers may be fewer than the positions of the box.
            Err(SolveError::Memory { .. }) if matches!(targets, Targets::Position(_)) => {}
            // The fault may be at a position that is no follower.
            Err(SolveError::Fault { .. }) => {}
            settled => return settled,
        }
    }
    let all = reachable(solver, targets, usize::MAX, limits)?;
    Ok(all.expect("no number of positions is too many"))
}

/// Upper bounds on the sizes of heaps in all followers of positions in the box with
/// this corner; `None` if some heap is unbounded. A heap that no move adds to is
/// bounded by its size, every other heap by the condition `positions where`.
fn enclosing(game: &Game, most: &[u64]) -> Option<Vec<u64>> {
    if game.position_kind != PositionKind::Heaps {
        return None;
    }
    let mut bounds: Vec<Option<u64>> = most.iter().map(|size| Some(*size)).collect();
    for heap in raised(game) {
        bounds[heap.index()] = None;
    }
    AllowedPositions::of(game).bound(&mut bounds);
    bounds.into_iter().collect()
}

/// Whether the sizes of all heaps are known to be bounded.
pub fn is_bounded(game: &Game) -> bool {
    game.position_kind != PositionKind::Heaps
        || enclosing(game, &vec![0; game.heap_count()]).is_some()
}

/// The heaps that some move may add tokens to.
fn raised(game: &Game) -> Vec<HeapId> {
    let graph = ir::lower(game);
    let mut selected: BTreeMap<Pick, Vec<HeapId>> = BTreeMap::new();
    let mut raised = Vec::new();
    for node in graph.all_nodes() {
        match node {
            Node::Choice { pick, members } => {
                let heaps = match members {
                    Members::Listed(members) => members.concat(),
                    Members::Picked(pick) => selected.get(pick).cloned().unwrap_or_default(),
                    Members::At { heaps, .. } => heaps.clone(),
                    Members::Relative { sets, .. } => {
                        sets.iter().flatten().flatten().copied().collect()
                    }
                    Members::Counted(counted) => counted.all().flatten().copied().collect(),
                    Members::Remaining(left) => left.heaps(),
                    Members::Multiset { .. } => game.heaps().collect(),
                };
                selected.insert(*pick, heaps);
            }
            Node::Put { pick, .. }
            | Node::Set { pick, .. }
            | Node::Slide { pick, .. }
            | Node::Split { pick, .. } => {
                raised.extend(selected.get(pick).into_iter().flatten());
            }
            Node::Replace(replace) => {
                raised.extend(selected.get(&replace.pick).into_iter().flatten());
            }
            Node::Join
            | Node::Guard(_)
            | Node::Number { .. }
            | Node::Take(_)
            | Node::Repeat { .. }
            | Node::Again(_)
            | Node::End => {}
        }
    }
    raised
}

/// The box, if the index of its positions fits a part of the memory.
fn affordable(solver: &Solver<'_>, most: &[u64], limits: &Limits) -> Option<Shape> {
    let cells = Shape::count(most);
    let allowed = AllowedPositions::of(solver.game);
    let bytes = if allowed.excludes() {
        DenseIndex::bytes_for(cells)
    } else {
        bytes_of(cells, cells, graphs(solver).len())
    };
    let fits = bytes <= u128::from(limits.memory / 2);
    Shape::new(most).filter(|_| fits)
}

/// The memory for the arcs of positions and for their labels, in bytes.
fn bytes_of(positions: u128, arcs: u128, sides: usize) -> u128 {
    let by_side = positions.saturating_mul(sides as u128);
    Reverse::bytes_for(by_side, arcs)
        .saturating_add(by_side.saturating_mul(10))
        .saturating_add(arcs.saturating_mul(4))
}

fn graphs<'s>(solver: &'s Solver<'_>) -> Vec<&'s MoveGraph> {
    match &solver.sides {
        None => vec![&solver.graph],
        Some([left, right]) => vec![left, right],
    }
}

/// The relation of all positions of a box that is closed under moves.
fn of_box(solver: &Solver<'_>, shape: Shape, limits: &Limits) -> Result<MoveRelation, SolveError> {
    let allowed = AllowedPositions::of(solver.game);
    let dense = DenseIndex::new(shape, &allowed, limits)?;
    // The index excludes non-positions, so that the walk need not evaluate the
    // condition.
    let graphs: Vec<MoveGraph> = graphs(solver)
        .into_iter()
        .map(|graph| {
            let mut graph = graph.clone();
            graph.positions = None;
            graph
        })
        .collect();
    let check = MemoryCheck {
        limits,
        sides: graphs.len(),
        others: DenseIndex::bytes_for(dense.shape.len as u128),
    };
    check.check_states(dense.count)?;
    let mut walkers: Vec<Walker<'_>> = graphs
        .iter()
        .map(|graph| Walker::new(graph, &dense.shape.strides).until(limits))
        .collect();
    let mut arcs = vec![ArcLists::new(); graphs.len()];
    let most = &dense.shape.most;
    limits.begin(Work::Solving, Some(dense.count as u64));
    let mut position = vec![0; most.len()];
    for (number, place) in dense.places().enumerate() {
        if number.is_multiple_of(CHECK_INTERVAL) {
            check.check(number, dense.count, &arcs)?;
        }
        dense.position(place, &mut position);
        for (walker, arcs) in walkers.iter_mut().zip(&mut arcs) {
            walker
                .options(&position, place, &mut |option, place| {
                    if option.iter().zip(most).all(|(size, most)| size <= most) {
                        dense.of(place).into_iter().for_each(|to| arcs.add(to));
                    }
                    ControlFlow::Continue(())
                })
                .map_err(|stop| SolveError::of(stop, &position))?;
            arcs.close();
        }
    }
    check.check(dense.count, dense.count, &arcs)?;
    drop(walkers);
    Ok(MoveRelation {
        index: PositionIndex::Dense(dense),
        arcs,
    })
}

/// The relation of the queried positions and their followers, explored one by one;
/// `None` if there are more than `most`.
fn reachable(
    solver: &Solver<'_>,
    targets: &Targets<'_>,
    most: usize,
    limits: &Limits,
) -> Result<Option<MoveRelation>, SolveError> {
    let graphs = graphs(solver);
    let mut sparse = SparseIndex::default();
    let mut arcs = vec![ArcLists::new(); graphs.len()];
    let mut check = MemoryCheck {
        limits,
        sides: graphs.len(),
        others: 0,
    };
    limits.begin(Work::Searching, None);
    let of_one = u128::from(SparseIndex::bytes_per_position(solver.game.heap_count()));
    targets.each(solver.game, limits, &mut |position| {
        sparse.intern(position);
        if sparse.len().is_multiple_of(CHECK_INTERVAL) {
            check.others = of_one * sparse.len() as u128;
            check.check(0, sparse.len(), &arcs)?;
        }
        Ok(())
    })?;
    let mut walkers: Vec<Walker<'_>> = graphs
        .iter()
        .map(|graph| Walker::new(graph, &[]).until(limits))
        .collect();
    let mut position = Vec::new();
    let mut number = 0;
    while sparse.position(number, &mut position) {
        if sparse.len() > most {
            return Ok(None);
        }
        if number.is_multiple_of(CHECK_INTERVAL) {
            check.others = of_one * sparse.len() as u128;
            check.check(number, sparse.len(), &arcs)?;
        }
        for (walker, arcs) in walkers.iter_mut().zip(&mut arcs) {
            let mut over = Ok(());
            walker
                .options(&position, 0, &mut |option, _| {
                    arcs.add(sparse.intern(option));
                    if arcs.targets.len().is_multiple_of(CHECK_INTERVAL * 64) {
                        check.others = of_one * sparse.len() as u128;
                        over = check.check_now(sparse.len(), arcs.targets.len());
                    }
                    if over.is_ok() {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                })
                .map_err(|stop| SolveError::of(stop, &position))?;
            over?;
            arcs.close();
        }
        number += 1;
    }
    check.others = of_one * sparse.len() as u128;
    check.check(number, number, &arcs)?;
    Ok(Some(MoveRelation {
        index: PositionIndex::Sparse(sparse),
        arcs,
    }))
}

/// The number of positions explored between two checks of the limits.
const CHECK_INTERVAL: usize = 1 << 10;

/// Checks of the limits during exploration.
struct MemoryCheck<'l> {
    limits: &'l Limits,
    sides: usize,
    /// The memory for the index of the positions, in bytes.
    others: u128,
}

impl MemoryCheck<'_> {
    /// Fails if the limits will be exceeded: `done` of `positions` have their arcs, and
    /// the others are expected to have as many on average.
    fn check(&self, done: usize, positions: usize, arcs: &[ArcLists]) -> Result<(), SolveError> {
        let known: u128 = arcs.iter().map(|arcs| arcs.targets.len() as u128).sum();
        let all = if done == 0 {
            known
        } else {
            known * positions as u128 / done as u128
        };
        self.limits.check_work_at(done as u64, Steps(500))?;
        self.check_bytes(positions, known, all)
    }

    fn check_now(&self, positions: usize, arcs: usize) -> Result<(), SolveError> {
        self.check_bytes(positions, arcs as u128, arcs as u128)
    }

    fn check_bytes(&self, positions: usize, known: u128, all: u128) -> Result<(), SolveError> {
        self.limits.check_work(Steps(10))?;
        self.check_states(positions)?;
        if known > MOST_ARCS as u128 {
            return Err(SolveError::Cannot {
                engine: Retrograde.name(),
                reason: format!("there are more than {MOST_ARCS} moves"),
            });
        }
        let bytes =
            |arcs| bytes_of(positions as u128, arcs, self.sides).saturating_add(self.others);
        let limit = u128::from(self.limits.memory);
        // An extrapolation from few positions is not reliable.
        if bytes(known) > limit || (known * 8 > all && bytes(all) > limit + limit / 2) {
            return Err(SolveError::Memory {
                needed: bytes(all).max(limit + 1),
                limit: self.limits.memory,
            });
        }
        Ok(())
    }

    fn check_states(&self, positions: usize) -> Result<(), SolveError> {
        let by_side = positions.saturating_mul(self.sides);
        if by_side <= MOST_STATES {
            return Ok(());
        }
        Err(SolveError::Cannot {
            engine: Retrograde.name(),
            reason: format!("there are more than {MOST_STATES} positions"),
        })
    }
}

/// The arcs of one player, by the index of the position.
#[derive(Debug, Clone)]
struct ArcLists {
    /// The index in `targets` of the first arc of each position, and the end of the
    /// last.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// For each position, 1 plus the index of the last source of an arc to it. It
    /// excludes duplicate arcs, since several moves may lead to one option.
    last_source: Vec<u32>,
}

impl ArcLists {
    fn new() -> ArcLists {
        ArcLists {
            starts: vec![0],
            targets: Vec::new(),
            last_source: Vec::new(),
        }
    }

    /// Adds an arc from the current position.
    fn add(&mut self, to: u32) {
        let place = to as usize;
        if place >= self.last_source.len() {
            self.last_source.resize(place + 1 + place / 2, 0);
        }
        let here = self.starts.len() as u32;
        if self.last_source[place] != here {
            self.last_source[place] = here;
            self.targets.push(to);
        }
    }

    /// Ends the arcs of the current position.
    fn close(&mut self) {
        // INVARIANT: more arcs than 32 bits can count are rejected before they are used.
        self.starts.push(self.targets.len() as u32);
    }

    fn from(&self, number: u32) -> &[u32] {
        let number = number as usize;
        &self.targets[self.starts[number] as usize..self.starts[number + 1] as usize]
    }
}

fn label(
    relation: &MoveRelation,
    convention: Convention,
    blocked: u32,
    limits: &Limits,
) -> Result<PositionLabels, SolveError> {
    let terminal = match convention {
        Convention::Normal => Terminal::Loses,
        Convention::Misere => Terminal::Wins,
    };
    let look = |number: u32| {
        if number.is_multiple_of(1 << 16) {
            limits.check_time().map_err(SolveError::from)
        } else {
            Ok(())
        }
    };
    let pause = &mut || limits.check_time().map_err(SolveError::from);
    let positions = relation.index.len();
    let labels = match relation.arcs.as_slice() {
        [both] => Reverse::build(positions, |number, visit| {
            both.from(number).iter().copied().for_each(visit);
            look(number)
        })
        .and_then(|reverse| {
            let labels = match blocked {
                0 => retrograde(&reverse, terminal, pause),
                _ => retrograde_with_blocking(&reverse, blocked, terminal, pause),
            };
            labels.map_err(BuildError::Source)
        })
        .map(PositionLabels::Same),
        [left, right] => sides::label(
            positions,
            |number, side, visit| {
                let arcs = match side {
                    Side::Left => left,
                    Side::Right => right,
                };
                arcs.from(number).iter().copied().for_each(visit);
                look(number)
            },
            terminal,
            pause,
        )
        .map(PositionLabels::Sides),
        _ => unreachable!("there are two sides, or one for both"),
    };
    labels.map_err(|failed| match failed {
        BuildError::Source(failure) => failure,
        BuildError::TooManyArcs => SolveError::Cannot {
            engine: Retrograde.name(),
            reason: format!("there are more than {MOST_ARCS} moves"),
        },
    })
}
