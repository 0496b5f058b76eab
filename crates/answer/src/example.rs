//! Examples of a file, compared with answers.

use super::answer::{Answer, Ask, Basis, Extent};
use super::session::Session;
use nimrule_engine::{BySide, Label, Outcome, Request, SideOutcome, SolveError};
use nimrule_model::game::{Example, Verdict};
use nimrule_model::position::Position;

/// The result of checking an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleReport {
    /// How the example contradicts the answer.
    pub contradiction: Option<String>,
    /// What the answer rests on.
    pub basis: Basis,
}

impl Session<'_> {
    /// Compares an example with the answer about its position.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn example(&self, example: &Example) -> Result<ExampleReport, SolveError> {
        let ask = Ask {
            convention: example.convention,
            request: match example.verdict {
                Verdict::HasGrundy(_) => Request::Grundy,
                _ => Request::Outcome,
            },
            ..Ask::default()
        };
        let position = Position::from(example.position.as_slice());
        let answer = self
            .position(&position, &ask)
            .map_err(|unanswered| unanswered.failure)?;
        // A move that is not in the list may be one that was not searched for, or
        // about which the claim says nothing.
        if let Verdict::WinsBy(option) = &example.verdict
            && !answer.has_all_moves()
            && !answer.wins_by(&Position::from(option.as_slice()))
        {
            // The option itself says whether the move wins.
            if answer.moves.extent == Extent::OneForEachSelection {
                return self.by_option(example, option, &answer);
            }
            return Err(answer.unfinished().cloned().unwrap_or(SolveError::Time));
        }
        Ok(ExampleReport {
            contradiction: self.contradiction(example, &answer),
            basis: answer.basis,
        })
    }

    /// Compares an example of a winning move with the outcome of its option.
    fn by_option(
        &self,
        example: &Example,
        option: &[u64],
        answer: &Answer,
    ) -> Result<ExampleReport, SolveError> {
        let to = Position::from(option);
        let after = self
            .outcome(&to, example.convention)
            .map_err(|unanswered| unanswered.failure)?;
        let from = Position::from(example.position.as_slice());
        let is_legal = self.is_option(&from, &to, None)?;
        let wins = is_legal && after.outcome == Outcome::P;
        Ok(ExampleReport {
            contradiction: match wins {
                true => None,
                false => self.contradiction(example, answer),
            },
            basis: answer.basis.clone(),
        })
    }

    fn contradiction(&self, example: &Example, answer: &Answer) -> Option<String> {
        let game = self.game();
        let shown = |position: &Position| position.shown(game);
        match &example.verdict {
            Verdict::Is(class) if answer.outcome == *class => None,
            Verdict::Is(_) => Some(match (&answer.by_side, answer.outcome) {
                (None | Some(BySide::Same(_)), Outcome::N) => match answer.moves.found.first() {
                    Some(option) => format!("it is N: moving to {} wins", shown(option)),
                    None => "it is N: there is no move, and that wins".to_owned(),
                },
                (None, Outcome::P) => "it is P: no move wins".to_owned(),
                (None, outcome) => format!("it is {outcome}"),
                (Some(turns), outcome) => format!("it is {outcome}: {}", in_words(turns)),
            }),
            Verdict::HasGrundy(claimed) => {
                let actual = answer.grundy.and_then(|g| i64::try_from(g).ok());
                (actual != Some(*claimed))
                    .then(|| format!("its Grundy value is {}", actual.unwrap_or_default()))
            }
            Verdict::WinsBy(option) => {
                let to = Position::from(option.as_slice());
                if answer.wins_by(&to) {
                    return None;
                }
                let from = Position::from(example.position.as_slice());
                let legal = self.is_option(&from, &to, None).unwrap_or(false);
                let ways = match (&answer.by_side, answer.moves.found.as_slice()) {
                    (Some(turns @ BySide::Sides { .. }), _) => in_words(turns),
                    (_, []) => "no move wins".to_owned(),
                    (_, [first, ..]) => format!("moving to {} wins", shown(first)),
                };
                Some(if legal {
                    format!("moving to {} does not win; {ways}", shown(&to))
                } else {
                    format!("there is no move to {}; {ways}", shown(&to))
                })
            }
        }
    }
}

/// The outcomes with either player to move, `Left to move wins in 5, Right to move
/// draws`.
fn in_words(turns: &BySide) -> String {
    let one = |turn: &SideOutcome| match turn.label {
        Label::Win(0) => "wins at once".to_owned(),
        Label::Lose(0) => "loses at once".to_owned(),
        Label::Win(moves) => format!("wins in {moves}"),
        Label::Lose(moves) => format!("loses in {moves}"),
        Label::Draw => "draws".to_owned(),
    };
    let all: Vec<String> = turns
        .each()
        .into_iter()
        .map(|(side, turn)| match side {
            None => format!("the player to move {}", one(turn)),
            Some(side) => format!("{} to move {}", side.name(), one(turn)),
        })
        .collect();
    all.join(", ")
}
