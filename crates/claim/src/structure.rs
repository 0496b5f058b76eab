//! Claims about the move digraph itself: the number of its kernels (consistent
//! labellings), whether a given set is one, whether every N-position is an
//! option of a P-position (cogames), and moves that win.

use super::winning_move::WinningMove;
use super::{ClaimEvaluator, ClaimStatus, Counterexample, PositionFact};
use nimrule_engine::move_digraph::MoveDigraph;
use nimrule_engine::{self as engine, Limits, Outcome, Query, Question, SolveError, Solver};
use nimrule_ir::Walker;
use nimrule_model::game::{Claim, Convention, PositionKind, Statement};
use nimrule_relation::kernels::{Cogame, Count, Kernels};
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
        Some(Statement::Cogame) => cogame(solver, most, limits)?,
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
    if frame.are_all {
        ClaimStatus::Proved {
            theorem: EVERY_POSITION,
            by: all(frame.relation().states() as u64),
        }
    } else {
        ClaimStatus::to(frame.to)
    }
}

fn labellings(
    solver: &Solver<'_>,
    claimed: u64,
    most: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let frame = MoveDigraph::new(solver, most, limits)?;
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
        Count::GaveUp => {
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
                    why: "they were not counted".to_owned(),
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
    let claimed = match (option, is_end) {
        (Some(option), _) => format!(
            "a move leads to {}, which is also labelled P",
            solver.game.shown(&option)
        ),
        (None, true) => "it is terminal".to_owned(),
        (None, false) => "no move leads to a position labelled P".to_owned(),
    };
    Counterexample {
        position,
        actual: PositionFact::Words(format!("labelled {}", labelled(is_p))),
        claimed: PositionFact::Words(claimed),
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
        actual: PositionFact::Words(if kernels.forced().drawn == 0 {
            "an N-position".to_owned()
        } else {
            "an N-position in a consistent labelling".to_owned()
        }),
        claimed: PositionFact::Words("it is not an option of a P-position".to_owned()),
    }
}

fn cogame(solver: &Solver<'_>, most: u64, limits: &Limits) -> Result<ClaimStatus, SolveError> {
    if solver.game.digraph().is_none() {
        return cogame_of_heaps(solver, most, limits);
    }
    let frame = MoveDigraph::new(solver, most, limits)?;
    let mut pause = || limits.check_time().map_err(SolveError::from);
    let kernels = Kernels::new(frame.relation(), &mut pause)?;
    Ok(match kernels.cogame(&mut pause)? {
        None => ClaimStatus::Unknown {
            why: "the labellings could not be enumerated".to_owned(),
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
    let table = engine::fill_region(solver, &larger, asked, limits, None)?;
    let mut comes_from_p = vec![false; region.count()];
    let mut walker = Walker::new(&solver.graph, &[]).until(limits);
    larger.try_each(|position, place| {
        if place % 1024 == 0 {
            limits.check_time()?;
        }
        if table.outcome(place) != Some(Outcome::P) {
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
    let mut without: Option<Vec<u64>> = None;
    region.try_each(|position, place| {
        let there = larger.place(position);
        let key = |position| solver.game.size_key(position);
        if !comes_from_p[place]
            && there.and_then(|place| table.outcome(place)) == Some(Outcome::N)
            && without
                .as_ref()
                .is_none_or(|least| key(position) < key(least))
        {
            without = Some(position.to_vec());
        }
        Ok::<(), SolveError>(())
    })?;
    Ok(match without {
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
