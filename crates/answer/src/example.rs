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
    /// What the answer rests on; `None` for a line of play, which needs only the rule.
    pub basis: Option<Basis>,
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
        if let Verdict::Play(line) = &example.verdict {
            return Ok(ExampleReport {
                contradiction: self.illegal_move(&example.position, line)?,
                basis: None,
            });
        }
        let position = Position::from(example.position.as_slice());
        let answer = self
            .position(&position, &ask)
            .map_err(|unanswered| unanswered.failure)?;
        let contradiction = match &example.verdict {
            Verdict::WinsBy { options, only } => {
                let mut found = self.other_winning_move(*only, options, &answer)?;
                for option in options {
                    if found.is_none() {
                        found = self.not_winning(example, option, &answer)?;
                    }
                }
                found
            }
            Verdict::WinningMoves(number) => {
                let found = self.all_moves(&answer)?.len() as u64;
                (found != *number).then(|| match found {
                    0 => "no move wins".to_owned(),
                    1 => "one move wins".to_owned(),
                    many => format!("{many} moves win"),
                })
            }
            _ => self.contradiction(example, &answer),
        };
        Ok(ExampleReport {
            contradiction,
            basis: Some(answer.basis),
        })
    }

    /// The winning moves, if all are known.
    fn all_moves<'a>(&self, answer: &'a Answer) -> Result<&'a [Position], SolveError> {
        match answer.has_all_moves() {
            true => Ok(&answer.moves.found),
            false => Err(answer.unfinished().cloned().unwrap_or(SolveError::Time)),
        }
    }

    /// With `only`: that a move to none of these options wins.
    fn other_winning_move(
        &self,
        only: bool,
        options: &[Vec<u64>],
        answer: &Answer,
    ) -> Result<Option<String>, SolveError> {
        if !only {
            return Ok(None);
        }
        let is_named = |found: &&Position| {
            options
                .iter()
                .any(|o| **found == Position::from(o.as_slice()))
        };
        let other = self
            .all_moves(answer)?
            .iter()
            .find(|found| !is_named(found));
        Ok(other.map(|other| format!("moving to {} wins, too", other.shown(self.game()))))
    }

    /// Why the move to an option does not win.
    fn not_winning(
        &self,
        example: &Example,
        option: &[u64],
        answer: &Answer,
    ) -> Result<Option<String>, SolveError> {
        let to = Position::from(option);
        if answer.wins_by(&to) {
            return Ok(None);
        }
        let from = Position::from(example.position.as_slice());
        // A move that is not in the list may be one that was not searched for, or
        // about which the claim says nothing.
        if !answer.has_all_moves() {
            if answer.moves.extent != Extent::OneForEachSelection {
                return Err(answer.unfinished().cloned().unwrap_or(SolveError::Time));
            }
            // The option itself says whether the move wins.
            let after = self
                .outcome(&to, example.convention)
                .map_err(|unanswered| unanswered.failure)?;
            if self.is_option(&from, &to, None)? && after.outcome == Outcome::P {
                return Ok(None);
            }
        }
        let game = self.game();
        let legal = self.is_option(&from, &to, None).unwrap_or(false);
        let ways = match (&answer.by_side, answer.moves.found.as_slice()) {
            (Some(turns @ BySide::Sides { .. }), _) => in_words(turns),
            (_, []) => "no move wins".to_owned(),
            (_, [first, ..]) => format!("moving to {} wins", first.shown(game)),
        };
        Ok(Some(if legal {
            format!("moving to {} does not win; {ways}", to.shown(game))
        } else {
            format!("there is no move to {}; {ways}", to.shown(game))
        }))
    }

    /// The step of a line of play that is no move.
    fn illegal_move(&self, from: &[u64], line: &[Vec<u64>]) -> Result<Option<String>, SolveError> {
        let line: Vec<Position> = [from]
            .into_iter()
            .chain(line.iter().map(Vec::as_slice))
            .map(Position::from)
            .collect();
        let shown = |at: usize| line[at].shown(self.game());
        Ok(self
            .first_illegal(&line)?
            .map(|at| format!("there is no move from {} to {}", shown(at), shown(at + 1))))
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
            // Judged by its moves.
            Verdict::WinsBy { .. } | Verdict::WinningMoves(_) | Verdict::Play(_) => None,
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
