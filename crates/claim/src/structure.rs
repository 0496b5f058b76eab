//! Claims about the move digraph itself: the number of its kernels (consistent
//! labellings), whether a given set is one, whether every N-position is an
//! option of a P-position (cogames), and moves that win.

use super::winning_move::WinningMove;
use super::{ClaimEvaluator, ClaimStatus, Counterexample, PositionFact, environment};
use nimrule_engine::move_digraph::MoveDigraph;
use nimrule_engine::{
    self as engine, Limits, Outcome, Query, Question, SolveError, Solver, Table, TableValues,
};
use nimrule_ir::Walker;
use nimrule_model::expr::{Bool, Environment, Expr};
use nimrule_model::game::{Claim, Convention, Game, PositionKind, Statement};
use nimrule_relation::kernels::{Cogame, Count, Kernels, MOST_CONFLICTS};
use std::ops::ControlFlow;

/// The theorem of a proof by exhaustion.
pub(super) const EVERY_POSITION: &str = "enumeration of all positions";

pub(super) fn all(positions: u64) -> String {
    match positions {
        1 => "the only one".to_owned(),
        many => format!("all {many}"),
    }
}

/// If predecessors may be larger, this many positions are solved for them.
const MAX_PREDECESSOR_POSITIONS: u128 = 300_000;

/// Checks a claim about the move digraph; `None` for other claims.
pub(super) fn check(
    solver: &Solver<'_>,
    claim: &Claim,
    most: u64,
    limits: &Limits,
) -> Result<Option<ClaimStatus>, SolveError> {
    let standing = match &claim.statement {
        Some(Statement::KernelCount(claimed)) => labellings(solver, *claimed, most, limits)?,
        Some(Statement::Cogame(labelling)) => cogame(solver, labelling.as_ref(), most, limits)?,
        Some(
            statement @ Statement::Outcome {
                consistent: true, ..
            },
        ) => consistent(solver, statement, claim.convention, most, limits)?,
        Some(statement) => match WinningMove::of(statement, claim.convention) {
            Some(moves) => moves.check(solver, most, limits)?,
            None => return Ok(None),
        },
        None => return Ok(None),
    };
    Ok(Some(standing))
}

/// The result for a claim that holds in the whole frame.
fn holds(frame: &MoveDigraph) -> ClaimStatus {
    ClaimStatus::unrefuted(frame.relation().states() as u64, frame.are_all, frame.to)
}

/// The result for a claim about a frame without positions.
fn about_nothing(frame: &MoveDigraph) -> Option<ClaimStatus> {
    (frame.relation().states() == 0).then(|| holds(frame))
}

fn labellings(
    solver: &Solver<'_>,
    claimed: u64,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
    if let Some(nothing) = about_nothing(&frame) {
        return Ok(nothing);
    }
    let mut pause = || limits.check_time().map_err(SolveError::from);
    let kernels = Kernels::new(frame.relation(), &mut pause)?;
    Ok(match kernels.count(&mut pause)? {
        Count::Exactly(count) if count.small() == Some(claimed) => holds(&frame),
        Count::Exactly(count) => ClaimStatus::Fails {
            why: match count.small() {
                Some(0) => "there is none".to_owned(),
                Some(1) => "there is one".to_owned(),
                _ => format!("there are {count}"),
            },
        },
        Count::GaveUp(bound) => {
            // Too many kernels to count still refute a claim of few.
            const TRIED: u64 = 1000;
            let (found, _) = match usize::try_from(claimed.saturating_add(1)) {
                Ok(enough) if claimed < TRIED => kernels.find(enough, &mut pause)?,
                _ => (Vec::new(), false),
            };
            if found.len() as u64 > claimed {
                ClaimStatus::Fails {
                    why: format!("there are more than {claimed}"),
                }
            } else {
                ClaimStatus::Unknown {
                    why: format!("they were not counted: the search ended at {bound}"),
                }
            }
        }
    })
}

/// Evaluates a labelling: which positions it calls P.
struct Labelling<'s> {
    evaluator: ClaimEvaluator<'s>,
    statement: &'s Statement,
}

impl Labelling<'_> {
    fn is_p(&mut self, position: &[u64]) -> Result<bool, SolveError> {
        let contradiction =
            self.evaluator
                .contradiction(self.statement, position, Outcome::P, None);
        contradiction
            .map(|contradiction| contradiction.is_none())
            .map_err(|fault| SolveError::Fault {
                fault,
                position: position.to_vec(),
            })
    }
}

fn consistent(
    solver: &Solver<'_>,
    statement: &Statement,
    convention: Convention,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
    let mut labelling = Labelling {
        evaluator: ClaimEvaluator::new(solver.game),
        statement,
    };
    let relation = frame.relation();
    let mut is_p = Vec::with_capacity(relation.states());
    for state in 0..relation.states() {
        if state % 1024 == 0 {
            limits.check_time()?;
        }
        is_p.push(labelling.is_p(&frame.position(state))?);
    }
    let inconsistent = (0..relation.states())
        .filter(|state| contradiction(relation.from(*state), &is_p, *state, convention).is_some());
    Ok(match smallest(solver, &frame, inconsistent) {
        None => holds(&frame),
        Some((position, state)) => {
            let fault = contradiction(relation.from(state), &is_p, state, convention);
            let option = fault.flatten().map(|option| frame.position(option));
            ClaimStatus::Refuted(fault_at(
                solver,
                position,
                is_p[state],
                option,
                relation.from(state).is_empty(),
            ))
        }
    })
}

/// The state with the smallest position.
fn smallest(
    solver: &Solver<'_>,
    frame: &MoveDigraph,
    states: impl Iterator<Item = usize>,
) -> Option<(Vec<u64>, usize)> {
    let positions = states.map(|state| (frame.position(state), state));
    positions.min_by(|(one, _), (other, _)| {
        let key = |position| solver.game.size_key(position);
        key(one).cmp(&key(other))
    })
}

/// The inconsistency of a state's label, with the P-position among its options if
/// there is one.
fn contradiction(
    options: &[u32],
    is_p: &[bool],
    state: usize,
    convention: Convention,
) -> Option<Option<usize>> {
    let p = options.iter().find(|option| is_p[**option as usize]);
    let must_be_p = match (convention, options.is_empty()) {
        (Convention::Misere, true) => false,
        _ => p.is_none(),
    };
    (is_p[state] != must_be_p).then(|| p.map(|option| *option as usize))
}

fn fault_at(
    solver: &Solver<'_>,
    position: Vec<u64>,
    is_p: bool,
    option: Option<Vec<u64>>,
    is_end: bool,
) -> Counterexample {
    let labelled = |is_p: bool| if is_p { "P" } else { "N" };
    let actual = match (option, is_end) {
        (Some(option), _) => format!(
            "a move leads to {}, which is also labelled P",
            solver.game.shown(&option)
        ),
        (None, true) => "it is terminal".to_owned(),
        (None, false) => "no move leads to a position labelled P".to_owned(),
    };
    Counterexample {
        position,
        actual: PositionFact::Words(actual),
        claimed: PositionFact::Words(format!("the claim labels it {}", labelled(is_p))),
    }
}

/// Whether a labelling is inconsistent at one position.
pub(super) fn inconsistent_at(
    solver: &Solver<'_>,
    statement: &Statement,
    convention: Convention,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let mut labelling = Labelling {
        evaluator: ClaimEvaluator::new(solver.game),
        statement,
    };
    let is_p = labelling.is_p(position)?;
    let mut to_p: Option<Vec<u64>> = None;
    let mut is_end = true;
    let mut fault = Ok(());
    Walker::new(&solver.graph, &[])
        .until(limits)
        .options(position, 0, &mut |option, _| {
            is_end = false;
            match labelling.is_p(option) {
                Ok(true) if to_p.as_deref().is_none_or(|known| option < known) => {
                    to_p = Some(option.to_vec());
                }
                Ok(_) => {}
                Err(found) => {
                    fault = Err(found);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })
        .map_err(|stop| SolveError::of(stop, position))?;
    fault?;
    let must_be_p = to_p.is_none() && !(is_end && convention == Convention::Misere);
    Ok((is_p != must_be_p).then(|| fault_at(solver, position.to_vec(), is_p, to_p, is_end)))
}

/// Whether one position is an N-position that is no option of a P-position.
pub(super) fn no_cogame_at(
    solver: &Solver<'_>,
    labelling: Option<&Expr<Bool>>,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    if solver.game.digraph().is_none() {
        // Its predecessors may be larger than any bound.
        return Ok(None);
    }
    let frame = MoveDigraph::new(solver, 0, limits)?;
    let Some(state) = frame.state(position) else {
        return Ok(None);
    };
    if let Some(condition) = labelling {
        let (is_p, comes_from_p) = labels(solver, &frame, condition, limits)?;
        let fails = is_p[state] == comes_from_p[state];
        return Ok(fails.then(|| no_cogame_of(position.to_vec(), is_p[state])));
    }
    let mut pause = || limits.check_time().map_err(SolveError::from);
    let kernels = Kernels::new(frame.relation(), &mut pause)?;
    let found = kernels.cogame_among(state..state + 1, &mut pause)?;
    Ok(match found {
        Some(Cogame::No { .. }) => Some(from_no_p(&kernels, position.to_vec())),
        _ => None,
    })
}

fn from_no_p(kernels: &Kernels<'_>, position: Vec<u64>) -> Counterexample {
    Counterexample {
        position,
        claimed: PositionFact::Words(if kernels.forced().drawn == 0 {
            "it is an N-position".to_owned()
        } else {
            "it is an N-position in a consistent labelling".to_owned()
        }),
        actual: PositionFact::Words("it is not an option of a P-position".to_owned()),
    }
}

/// For each state whether a condition labels it P, and whether it is an option of one that it
/// labels P.
fn labels(
    solver: &Solver<'_>,
    frame: &MoveDigraph,
    condition: &Expr<Bool>,
    limits: &Limits,
) -> Result<(Vec<bool>, Vec<bool>), SolveError> {
    let relation = frame.relation();
    let mut evaluator = ConditionEvaluator::new(solver.game, condition);
    let mut is_p = Vec::with_capacity(relation.states());
    let mut comes_from_p = vec![false; relation.states()];
    for state in 0..relation.states() {
        if state % 1024 == 0 {
            limits.check_time()?;
        }
        is_p.push(evaluator.holds(&frame.position(state))?);
        if is_p[state] {
            for option in relation.from(state) {
                comes_from_p[*option as usize] = true;
            }
        }
    }
    Ok((is_p, comes_from_p))
}

/// Evaluates the condition of a labelling.
struct ConditionEvaluator<'s> {
    game: &'s Game,
    condition: &'s Expr<Bool>,
    locals: Vec<i64>,
}

impl<'s> ConditionEvaluator<'s> {
    fn new(game: &'s Game, condition: &'s Expr<Bool>) -> ConditionEvaluator<'s> {
        ConditionEvaluator {
            game,
            condition,
            locals: vec![0; game.slots],
        }
    }

    fn holds(&mut self, position: &[u64]) -> Result<bool, SolveError> {
        let (sizes, kinds) = self.game.sizes_and_kinds(position);
        let holds = self.condition.eval(&mut Environment {
            kinds: &kinds,
            ..environment(&sizes, &mut self.locals, self.game)
        });
        holds.map_err(|fault| SolveError::Fault {
            fault,
            position: position.to_vec(),
        })
    }
}

/// The counterexample to a labelling of a cogame at a position.
fn no_cogame_of(position: Vec<u64>, is_p: bool) -> Counterexample {
    let (label, why) = match is_p {
        true => ("P", "it is an option of a position labelled P"),
        false => ("N", "it is not an option of a position labelled P"),
    };
    Counterexample {
        position,
        actual: PositionFact::Words(why.to_owned()),
        claimed: PositionFact::Words(format!("the claim labels it {label}")),
    }
}

/// Whether a labelling of a finite digraph is that of a cogame.
fn cogame_labelling(
    solver: &Solver<'_>,
    condition: &Expr<Bool>,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
    if let Some(nothing) = about_nothing(&frame) {
        return Ok(nothing);
    }
    let (is_p, comes_from_p) = labels(solver, &frame, condition, limits)?;
    // A position may also be an option of one that is not in the frame.
    let failing = (0..is_p.len())
        .filter(|state| is_p[*state] == comes_from_p[*state] && (is_p[*state] || frame.are_all));
    Ok(match smallest(solver, &frame, failing) {
        Some((position, state)) => ClaimStatus::Refuted(no_cogame_of(position, is_p[state])),
        None if frame.are_all => holds(&frame),
        None => ClaimStatus::Unknown {
            why: "not all positions were checked".to_owned(),
        },
    })
}

fn cogame(
    solver: &Solver<'_>,
    labelling: Option<&Expr<Bool>>,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    if solver.game.digraph().is_none() {
        return cogame_of_heaps(solver, labelling, most, limits);
    }
    if let Some(condition) = labelling {
        return cogame_labelling(solver, condition, most, limits);
    }
    let frame = MoveDigraph::new(solver, most, limits)?;
    if let Some(nothing) = about_nothing(&frame) {
        return Ok(nothing);
    }
    let mut pause = || limits.check_time().map_err(SolveError::from);
    let kernels = Kernels::new(frame.relation(), &mut pause)?;
    Ok(match kernels.cogame(&mut pause)? {
        None => ClaimStatus::Unknown {
            why: format!(
                "the labellings could not be enumerated: the search ended at {MOST_CONFLICTS} \
                 conflicts"
            ),
        },
        Some(Cogame::Yes) => holds(&frame),
        Some(Cogame::NoKernel) => ClaimStatus::Fails {
            why: "no labelling is consistent with the relation".to_owned(),
        },
        Some(Cogame::No { state, .. }) => {
            ClaimStatus::Refuted(from_no_p(&kernels, frame.position(state)))
        }
    })
}

/// Predecessors may be larger than the positions of the box, so the absence of a
/// P-position among those of the box decides nothing.
fn cogame_of_heaps(
    solver: &Solver<'_>,
    labelling: Option<&Expr<Bool>>,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    // Adding a heap with the nim-sum of the others at most doubles the tokens; so
    // positions are tested up to the size whose predecessors are known.
    let affordable = |size: &u64| {
        let there = match &solver.game.position_kind {
            PositionKind::Multiset(kinds) => {
                engine::multiset::count(kinds, *size, MAX_PREDECESSOR_POSITIONS + 1)
            }
            _ => engine::Shape::count(&solver.game.box_to(*size)),
        };
        there <= MAX_PREDECESSOR_POSITIONS
    };
    let farthest = most.saturating_mul(2).saturating_add(1);
    let beyond = (1..=farthest).take_while(affordable).last().unwrap_or(1);
    let most = most.min(beyond / 2);
    let region = solver.region(most, limits)?;
    let larger = solver.region(beyond, limits)?;
    let asked = Query {
        question: Question::Outcome,
        convention: Convention::Normal,
    };
    let mut walker = Walker::new(&solver.graph, &[]).until(limits);
    let labelled = match labelling {
        None => engine::fill_region(solver, &larger, asked, limits, None)?,
        Some(condition) => {
            let mut values = TableValues::with_capacity(Question::Outcome, larger.count());
            let mut evaluator = ConditionEvaluator::new(solver.game, condition);
            larger.try_each(|position, place| {
                if place % 1024 == 0 {
                    limits.check_time()?;
                }
                let is_position = walker.is_position(position);
                let is_position = is_position.map_err(|fault| SolveError::Fault {
                    fault,
                    position: position.to_vec(),
                })?;
                values.push(match is_position {
                    true => Some(u32::from(!evaluator.holds(position)?)),
                    false => None,
                });
                Ok::<(), SolveError>(())
            })?;
            Table::new(larger, values, "labelling")
        }
    };
    let mut comes_from_p = vec![false; region.count()];
    labelled.region().try_each(|position, place| {
        if place % 1024 == 0 {
            limits.check_time()?;
        }
        if labelled.outcome(place) != Some(Outcome::P) {
            return Ok::<(), SolveError>(());
        }
        walker
            .options(position, 0, &mut |option, _| {
                if let Some(place) = region.place(option) {
                    comes_from_p[place] = true;
                }
                ControlFlow::Continue(())
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        Ok(())
    })?;
    // The smallest N-position that no P-position leads to, and the smallest P-position that
    // one leads to.
    let (mut without, mut between) = (None, None);
    let mut positions = 0_u64;
    region.try_each(|position, place| {
        let key = |position| solver.game.size_key(position);
        let outcome = labelled.outcome_of(position);
        positions += u64::from(outcome.is_some());
        let smallest: &mut Option<Vec<u64>> = match (outcome, comes_from_p[place]) {
            (Some(Outcome::N), false) => &mut without,
            (Some(Outcome::P), true) => &mut between,
            _ => return Ok::<(), SolveError>(()),
        };
        if (smallest.as_ref()).is_none_or(|least| key(position) < key(least)) {
            *smallest = Some(position.to_vec());
        }
        Ok(())
    })?;
    if let Some(position) = between {
        return Ok(ClaimStatus::Refuted(no_cogame_of(position, true)));
    }
    Ok(match without {
        None if positions == 0 => ClaimStatus::unrefuted(0, false, most),
        None => ClaimStatus::Holds {
            to: most,
            by: Some(format!("with predecessors up to {beyond}")),
        },
        Some(position) => ClaimStatus::Unknown {
            why: format!(
                "no P-position up to {beyond} has the option {}; larger ones were not checked",
                solver.game.shown(&position)
            ),
        },
    })
}
