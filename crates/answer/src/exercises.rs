//! Positions to solve, for a sheet.

use super::answer::{Turn, Unanswered};
use super::play::Random;
use super::session::Session;
use nimrule_engine::SolveError;
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, PositionKind, Side};
use nimrule_model::position::Position;
use std::collections::BTreeSet;

/// A position to solve, with its solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exercise {
    /// The position.
    pub position: Position,
    /// What the player to move achieves; Left, in a partizan game.
    pub turn: Turn,
    /// The number of moves.
    pub options: usize,
    /// The moves that win, or draw where none wins.
    pub best: Vec<Position>,
}

/// The number of random positions that are tried for each exercise.
const TRIES: usize = 60;

impl Session<'_> {
    /// Random positions to solve, at most `count`, those with few moves first. At least two
    /// moves lead from each, not all of which win. No two are the same up to the symmetries
    /// of the rule. Where there are enough of both, half of them are won and half are lost
    /// or drawn. No heap is larger than `most`, by default a small number.
    ///
    /// # Errors
    ///
    /// Why there are none, or a position has no answer.
    pub fn exercises(
        &self,
        count: usize,
        most: Option<u64>,
        convention: Convention,
        random: Random<'_>,
    ) -> Result<Vec<Exercise>, Unanswered> {
        let game = self.game();
        let refuse = |reason: &str| {
            Err(Unanswered::from(SolveError::Refused {
                reason: reason.to_owned(),
            }))
        };
        let refused = match () {
            _ if game.position_kind == PositionKind::Reals => {
                Some("a sheet needs heaps of whole size; this game's heaps are of real size")
            }
            _ if game.blocked_options > 0 => {
                Some("a sheet has no place for the moves that the opponent blocks")
            }
            _ => None,
        };
        if let Some(reason) = refused {
            return refuse(reason);
        }
        let side = game.has_sides().then_some(Side::Left);
        let mut walker = Walker::new(&self.solver.graph, &[]);
        let mut seen = BTreeSet::new();
        // The positions that are won, and the others.
        let (mut won, mut others) = (Vec::new(), Vec::new());
        for _ in 0..TRIES.saturating_mul(count) {
            if won.len() >= count.div_ceil(2) && others.len() >= count.div_ceil(2) {
                break;
            }
            let position = self.any_position(most, random);
            if walker.is_position(&position) != Ok(true) {
                continue;
            }
            let mut next = Some(Position::from(position));
            // Few random positions are lost, but a move that wins leads to one.
            while let Some(position) = next.take() {
                let Some(found) = self.exercise(&position, side, convention)? else {
                    break;
                };
                if !seen.insert(self.up_to_symmetry(&position)) {
                    break;
                }
                match found.turn {
                    Turn::Wins => {
                        next = found.best.first().cloned().filter(|_| side.is_none());
                        won.push(found);
                    }
                    Turn::Loses | Turn::Draws => others.push(found),
                }
            }
        }
        if won.is_empty() && others.is_empty() {
            return refuse(
                "no random position has moves that win and moves that do not; larger heaps may \
                 have some",
            );
        }
        let of_others = (count / 2).max(count.saturating_sub(won.len()));
        others.truncate(of_others);
        won.truncate(count - others.len());
        won.append(&mut others);
        won.sort_by_key(|found| (found.options, found.position.numbers()));
        Ok(won)
    }

    /// A position as an exercise, if it is one.
    fn exercise(
        &self,
        position: &Position,
        side: Option<Side>,
        convention: Convention,
    ) -> Result<Option<Exercise>, Unanswered> {
        let options = self.options(position, side, convention)?.list.len();
        if options < 2 {
            return Ok(None);
        }
        let answer = self.outcome(position, convention)?;
        let (turn, best) = (answer.turn(side), answer.best(side));
        Ok(
            (turn != Turn::Wins || best.len() < options).then(|| Exercise {
                position: position.clone(),
                turn,
                options,
                best: if turn == Turn::Loses {
                    Vec::new()
                } else {
                    best
                },
            }),
        )
    }
}
