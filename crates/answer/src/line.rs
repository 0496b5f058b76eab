//! A line of play, judged move by move: which move gave a won position away.

use super::answer::{Answer, Ask, Unanswered};
use super::session::Session;
use nimrule_engine::{Outcome, SolveError};
use nimrule_model::game::Side;
use nimrule_model::position::Position;

/// A line of play of which every step is a move.
#[derive(Debug, Clone)]
pub struct LineOfPlay {
    /// The answer about each position, from the first.
    pub answers: Vec<Answer>,
}

impl LineOfPlay {
    /// The steps that gave a won position away, or a drawn one, by the number of the position
    /// from which they lead: another move would have won, or drawn.
    pub fn mistakes(&self) -> Vec<usize> {
        let steps = self.answers.windows(2).enumerate();
        let mistakes = steps.filter(|(_, step)| {
            !matches!(
                (step[0].outcome, step[1].outcome),
                (Outcome::P, _) | (_, Outcome::P) | (Outcome::D, Outcome::D)
            )
        });
        mistakes.map(|(from, _)| from).collect()
    }
}

/// Why there is no judgement of a line of play.
#[derive(Debug)]
pub enum NoLine {
    /// Each side has moves of its own, so that who wins depends on the side to move.
    Sides,
    /// The step from the position of this number is no move.
    Illegal(usize),
    /// A position has no answer.
    Unanswered(Unanswered),
}

impl From<Unanswered> for NoLine {
    fn from(unanswered: Unanswered) -> NoLine {
        NoLine::Unanswered(unanswered)
    }
}

impl Session<'_> {
    /// Judges a line of play.
    ///
    /// # Errors
    ///
    /// Why there is no judgement.
    pub fn line(&self, line: &[Position], ask: &Ask<'_>) -> Result<LineOfPlay, NoLine> {
        if self.game().has_sides() {
            return Err(NoLine::Sides);
        }
        if let Some(at) = self.first_illegal(line).map_err(Unanswered::from)? {
            return Err(NoLine::Illegal(at));
        }
        let answers = line.iter().map(|position| self.position(position, ask));
        let answers = answers.collect::<Result<_, _>>()?;
        Ok(LineOfPlay { answers })
    }

    /// The first position of a line of play from which the step is no move. Where each side
    /// has moves of its own, the sides alternate, and the one begins that comes farther.
    pub(crate) fn first_illegal(&self, line: &[Position]) -> Result<Option<usize>, SolveError> {
        let first: &[Option<Side>] = match self.game().has_sides() {
            true => &[Some(Side::Left), Some(Side::Right)],
            false => &[None],
        };
        let mut farthest = 0;
        for side in first {
            let (mut side, mut legal) = (*side, 0);
            for step in line.windows(2) {
                if !self.is_option(&step[0], &step[1], side)? {
                    break;
                }
                legal += 1;
                side = side.map(Side::other);
            }
            farthest = farthest.max(legal);
        }
        Ok((farthest + 1 < line.len()).then_some(farthest))
    }
}
