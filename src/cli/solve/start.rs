//! The answer about the position of `start`.

use super::position::{answered_text, unknown_latex, unknown_text};
use super::{Arguments, load, text};
use crate::cli::latex;
use crate::cli::text::STRONG;
use nimrule_answer::{Answer, Ask, Position, Session, Unanswered};
use nimrule_engine::SolveError;
use nimrule_limits::Steps;
use nimrule_model::game::{Convention, Game};
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// The position of `start` with its answer.
pub(super) struct Start {
    position: Position,
    convention: Convention,
    answer: Result<Answer, Unanswered>,
    took: Duration,
}

/// The work for the start. A position of the command line has more.
const WORK: Steps = Steps::million(2);

impl Start {
    /// Answers about the start, if the file has one.
    pub fn answered(arguments: &Arguments, session: &Session<'_>) -> load::Answered<Option<Start>> {
        let Some(start) = &session.game().presentation.start else {
            return Ok(None);
        };
        let position = Position::from(start.as_slice());
        let ask = Ask {
            work: Some(WORK),
            ..arguments.ask()
        };
        let started = Instant::now();
        let answer = session.position(&position, &ask);
        let took = started.elapsed();
        if let Err(unanswered) = &answer {
            // The box may be solved by an engine that cannot answer the start.
            let cannot = matches!(unanswered.failure, SolveError::Cannot { .. });
            if !(unanswered.is_unknown() || (cannot && ask.engine.is_some())) {
                return Err(load::failed(&unanswered.failure, session.solver(), None));
            }
        }
        Ok(Some(Start {
            position,
            convention: ask.convention,
            answer,
            took,
        }))
    }

    /// Whether there is an answer.
    pub fn is_answered(&self) -> bool {
        self.answer.is_ok()
    }

    /// The fields of the answer about this position.
    pub fn as_json(&self, game: &Game) -> Map<String, Value> {
        match &self.answer {
            Ok(answer) => answer.as_json(game),
            Err(unanswered) => unanswered.as_json(game, &self.position, self.convention),
        }
    }

    /// The answer as LaTeX.
    pub fn latex(&self, game: &Game) -> String {
        match &self.answer {
            Ok(answer) => latex::answer(game, answer),
            Err(_) => unknown_latex(game, &self.position),
        }
    }

    pub fn text(&self, session: &Session<'_>) -> String {
        let game = session.game();
        let answer = match &self.answer {
            Ok(answer) => answered_text(game, answer, self.took),
            Err(unanswered) => {
                let more = format!(
                    "The search ended after {WORK}; `solve FILE POSITION` searches longer."
                );
                let tried = unknown_text(game, &self.position, unanswered);
                format!("{tried}\n  {}\n", text::wrapped(&more, 76, 2))
            }
        };
        format!("\n{STRONG}Start{STRONG:#}\n{answer}\n{STRONG}All positions{STRONG:#}\n\n")
    }
}
