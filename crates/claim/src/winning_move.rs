//! Claims of a move that wins: `claim N wins by (a - 1, b) if a > b`.
//!
//! Where the condition holds, the position with these sizes is an option, and a P-position.
//! So the position itself is an N-position.

use super::{
    ClaimStatus, Counterexample, PositionFact, SmallestCounterexample, environment, fitting_size,
};
use nimrule_engine::{
    self as engine, Limits, Outcome, Query, Question, Request, SolveError, Solver,
};
use nimrule_ir::Walker;
use nimrule_limits::Steps;
use nimrule_model::expr::{Bool, Expr, Num, PlacedFault};
use nimrule_model::game::{Convention, Game, Statement};
use std::ops::ControlFlow;

/// The most positions of a box that is compared, and the most options.
const POSITIONS: u128 = 100_000;
const OPTIONS: u128 = 20_000_000;

/// A claim of a move, read off its statement.
#[derive(Clone, Copy)]
pub(super) struct WinningMove<'g> {
    option: &'g [Expr<Num>],
    condition: Option<&'g Expr<Bool>>,
    convention: Convention,
}

impl<'g> WinningMove<'g> {
    /// The claim, if the statement is one of a move that wins.
    pub fn of(statement: &'g Statement, convention: Convention) -> Option<WinningMove<'g>> {
        match statement {
            Statement::WinsBy { option, condition } => Some(WinningMove {
                option,
                condition: condition.as_ref(),
                convention,
            }),
            _ => None,
        }
    }

    /// The sizes to which the claim moves; `None` where it says nothing.
    fn target(
        &self,
        game: &Game,
        position: &[u64],
        locals: &mut [i64],
    ) -> Result<Option<Vec<i64>>, PlacedFault> {
        if let Some(condition) = self.condition
            && !condition.eval(&mut environment(position, locals, game))?
        {
            return Ok(None);
        }
        let sizes = self.option.iter();
        let sizes = sizes.map(|size| size.eval(&mut environment(position, locals, game)));
        sizes.collect::<Result<_, _>>().map(Some)
    }

    /// Checks the claim at every position with heaps up to `most`, or fewer: at most as many
    /// as are compared in about a second.
    pub fn check(
        self,
        solver: &Solver<'_>,
        most: u64,
        limits: &Limits,
    ) -> Result<ClaimStatus, SolveError> {
        let fitting = fitting_size(solver, POSITIONS, OPTIONS).max(1);
        let region = solver.region(most.min(fitting), limits)?;
        let asked = Query {
            question: Question::Outcome,
            convention: self.convention,
        };
        let table = engine::fill_region(solver, &region, asked, limits, None)?;
        let mut found = SmallestCounterexample::default();
        let mut place_in_time = 0;
        let region = table.region();
        let mut outcome = |position: &[u64]| match region.place(position) {
            Some(place) => Ok(table.outcome(place)),
            // A move may leave the box.
            None => self.outcome(solver, position, limits).map(Some),
        };
        let mut comparison = Comparison::new(self, solver, limits);
        region.try_each(|position, place| {
            if place >= place_in_time {
                limits.check_work(Steps(130))?;
                place_in_time = place + 256;
            }
            if table.outcome(place).is_some()
                && let Some(failing) = comparison.at(position, &mut outcome)?
            {
                found.add(solver.game, failing);
            }
            Ok::<(), SolveError>(())
        })?;
        let (positions, of) = (comparison.compared, solver.game);
        Ok(match found.into_inner() {
            Some(failing) => ClaimStatus::Refuted(failing),
            None => ClaimStatus::unrefuted(positions, region.are_all(of), region.to(of)),
        })
    }

    /// Whether the claim fails at one position.
    pub fn fails_at(
        self,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Option<Counterexample>, SolveError> {
        let mut outcome = |option: &[u64]| self.outcome(solver, option, limits).map(Some);
        Comparison::new(self, solver, limits).at(position, &mut outcome)
    }

    fn outcome(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Outcome, SolveError> {
        let convention = self.convention;
        engine::answer(solver, position, convention, Request::Outcome, limits, None)
            .map(|answer| answer.outcome)
    }
}

/// The outcome of a position; `None` if it is no position of the game.
type OutcomeOf<'o> = dyn FnMut(&[u64]) -> Result<Option<Outcome>, SolveError> + 'o;

/// The comparison of a claim with positions, one after another.
struct Comparison<'s> {
    claim: WinningMove<'s>,
    game: &'s Game,
    walker: Walker<'s>,
    locals: Vec<i64>,
    /// The number of positions that the claim is about, so far.
    compared: u64,
}

impl<'s> Comparison<'s> {
    fn new(claim: WinningMove<'s>, solver: &'s Solver<'_>, limits: &'s Limits) -> Comparison<'s> {
        Comparison {
            claim,
            game: solver.game,
            walker: Walker::new(&solver.graph, &[]).until(limits),
            locals: vec![0; solver.game.slots],
            compared: 0,
        }
    }

    /// The counterexample at a position, if it is one.
    fn at(
        &mut self,
        position: &[u64],
        outcome: &mut OutcomeOf<'_>,
    ) -> Result<Option<Counterexample>, SolveError> {
        let target = self
            .claim
            .target(self.game, position, &mut self.locals)
            .map_err(|fault| SolveError::Fault {
                fault,
                position: position.to_vec(),
            })?;
        let Some(target) = target else {
            return Ok(None);
        };
        self.compared += 1;
        let failing = |target: &str, why: String| {
            Some(Counterexample {
                position: position.to_vec(),
                actual: PositionFact::Words(why),
                claimed: PositionFact::Words(format!("the claim wins by {target}")),
            })
        };
        let sizes: Option<Vec<u64>> = target.iter().map(|size| (*size).try_into().ok()).collect();
        let Some(option) = sizes else {
            let sizes: Vec<String> = target.iter().map(i64::to_string).collect();
            let target = format!("({})", sizes.join(","));
            return Ok(failing(&target, "no heap has a negative size".to_owned()));
        };
        let shown = self.game.shown(&option);
        let mut is_option = false;
        self.walker
            .options(position, 0, &mut |known, _| {
                is_option = known == option;
                match is_option {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        if !is_option {
            return Ok(failing(&shown, "no move leads there".to_owned()));
        }
        Ok(match outcome(&option)? {
            Some(Outcome::P) => None,
            Some(outcome) => failing(&shown, format!("it is {outcome}")),
            None => failing(&shown, "it is no position".to_owned()),
        })
    }
}
