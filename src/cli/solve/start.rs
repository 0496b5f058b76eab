//! The answer about the position of `start`.

use super::position::{answered_fields, answered_text, tried, unknown_fields, unknown_text};
use super::{Arguments, Shared, load, text};
use crate::cli::text::STRONG;
use nimrule_claim::{self as claim, Answered, Claims};
use nimrule_engine::{Limits, Request, SolveError, Solver};
use nimrule_model::game::{Convention, Game};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// The position of `start` with its answer.
pub(super) struct Start<'g> {
    game: &'g Game,
    position: &'g [u64],
    convention: Convention,
    /// The answer, or the methods that failed, each with its reason.
    answer: Result<Answered, Vec<(String, String)>>,
    took: Duration,
}

/// The time for the start if there is no time limit. A position of the command line
/// has more.
const TIME: Duration = Duration::from_secs(2);

impl<'g> Start<'g> {
    /// Answers about the start, if the file has one.
    pub fn answered(
        arguments: &Arguments,
        shared: &Shared,
        solver: &Solver<'g>,
        limits: &Limits,
    ) -> load::Answered<Option<Start<'g>>> {
        let game = solver.game;
        let Some(position) = &game.start else {
            return Ok(None);
        };
        let convention = arguments.convention();
        let request = if arguments.grundy && convention == Convention::Normal {
            Request::Grundy
        } else {
            Request::GrundyIfCheap
        };
        let claims = if arguments.no_claims {
            Claims::Never
        } else {
            Claims::WhereNeeded
        };
        let limits = match shared.time_limit {
            Some(_) => limits.half_time(),
            None => limits.cap_time(TIME),
        };
        let started = Instant::now();
        let forced = arguments.engine.as_deref();
        let answered = claim::answer::answer(
            solver, position, convention, request, &limits, forced, claims,
        );
        let took = started.elapsed();
        let answer = match answered {
            Ok(answered) => Ok(answered),
            Err(unanswered) => match (&unanswered.failure, forced) {
                // The box may be solved by an engine that cannot answer the start.
                (SolveError::Cannot { engine, reason }, Some(_)) => {
                    Err(vec![(format!("the engine `{engine}`"), reason.clone())])
                }
                _ if unanswered.is_unknown() => Err(tried(&unanswered, None)),
                (failure, _) => return Err(load::failed(failure, solver, None)),
            },
        };
        Ok(Some(Start {
            game,
            position,
            convention,
            answer,
            took,
        }))
    }

    /// The fields of the answer about this position.
    pub fn as_json(&self) -> Map<String, Value> {
        let (game, position, convention) = (self.game, self.position, self.convention);
        match &self.answer {
            Ok(answered) => answered_fields(game, position, convention, answered),
            Err(tried) => unknown_fields(game, position, convention, tried),
        }
    }

    pub fn text(&self) -> String {
        let (game, position) = (self.game, self.position);
        let answer = match &self.answer {
            Ok(answered) => answered_text(game, position, self.convention, answered, self.took),
            Err(tried) => {
                let more = format!(
                    "The search ended after {}; `solve FILE POSITION` searches longer.",
                    text::in_seconds(self.took)
                );
                let tried = unknown_text(game, position, tried);
                format!("{tried}\n  {}\n", text::wrapped(&more, 76, 2))
            }
        };
        format!("\n{STRONG}Start{STRONG:#}\n{answer}\n{STRONG}All positions{STRONG:#}\n\n")
    }
}
