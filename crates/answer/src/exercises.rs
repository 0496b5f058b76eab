//! Positions to solve, for a sheet.

use super::answer::{Turn, Unanswered};
use super::play::{Random, any_of};
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
    /// Of a lost position, moves that differ by more than a symmetry, each with the reply that
    /// wins; no reply where there is no move left.
    pub replies: Vec<(Position, Option<Position>)>,
}

/// An exercise, with what decides whether it stands on a sheet beside others.
struct Candidate {
    exercise: Exercise,
    /// The position, and those after a move, up to the symmetries of the rule.
    itself: Position,
    after: BTreeSet<Position>,
}

impl Candidate {
    /// Whether no move leads from one of the positions to the other.
    fn is_apart_from(&self, other: &Candidate) -> bool {
        !self.after.contains(&other.itself) && !other.after.contains(&self.itself)
    }
}

/// The number of random positions that are tried for each exercise.
const TRIES: usize = 60;

/// The most moves before a position of a game whose states have initial values.
const MOVES_BEFORE: u64 = 3;

/// The number of replies that the solution of a lost position has.
const REPLIES: usize = 3;

impl Session<'_> {
    /// Random positions to solve, at most `count`, those with few moves first. At least two
    /// moves lead from each, not all of which win, and none of which wins because it ends play.
    /// No two are the same up to the symmetries of the rule, and no move leads from one to
    /// another if there are enough that differ by more. Where there are enough of both, half of
    /// them are won and half are lost or drawn. No heap is larger than `most`, by default a small
    /// number.
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
        self.may_be_exercises()?;
        let side = self.game().has_sides().then_some(Side::Left);
        let mut walker = Walker::new(&self.solver.graph, &[]);
        let mut seen = BTreeSet::new();
        // The positions that are won, and the others: more than are wanted, so that some may be
        // left out. Most of those that are won lead to one of the others.
        let (mut won, mut others) = (Vec::new(), Vec::new());
        let mut ends_at_once = false;
        for _ in 0..TRIES.saturating_mul(count) {
            if won.len() >= 3 * count && others.len() >= count {
                break;
            }
            let position = self.any_position(most, random);
            if walker.is_position(&position) != Ok(true) {
                continue;
            }
            let mut next = Some(self.played_on(position.into(), side, convention, random)?);
            // Few random positions are lost, but a move that wins leads to one.
            while let Some(position) = next.take() {
                let exercise = self.exercise(&position, convention)?;
                if exercise.options < 2 || !seen.insert(self.up_to_symmetry(&position)) {
                    break;
                }
                if exercise.turn != Turn::Wins {
                    others.push(self.exercise_with_moves(exercise, side, convention)?);
                    break;
                }
                next = exercise.best.first().cloned().filter(|_| side.is_none());
                let ends = self.ends_play(&exercise, side, convention)?;
                ends_at_once |= ends;
                if !ends && exercise.best.len() < exercise.options {
                    won.push(self.exercise_with_moves(exercise, side, convention)?);
                }
            }
        }
        if won.is_empty() && others.is_empty() {
            return Err(refused(match ends_at_once {
                true => {
                    "every random position that is won is won by a move that ends play; under \
                     misere play, or with larger heaps, some may not be"
                }
                false => {
                    "no random position has moves that win and moves that do not; larger heaps may \
                     have some"
                }
            }));
        }
        let of_others = others
            .len()
            .min((count / 2).max(count.saturating_sub(won.len())));
        let mut chosen: Vec<Candidate> = Vec::new();
        for (from, number) in [(others, of_others), (won, count - of_others)] {
            let wanted = chosen.len() + number;
            let mut near = Vec::new();
            for candidate in from {
                if chosen.len() == wanted {
                    break;
                }
                match chosen.iter().all(|other| candidate.is_apart_from(other)) {
                    true => chosen.push(candidate),
                    false => near.push(candidate),
                }
            }
            let left = wanted - chosen.len();
            chosen.extend(near.into_iter().take(left));
        }
        let mut exercises: Vec<Exercise> = chosen.into_iter().map(|one| one.exercise).collect();
        exercises.sort_by_key(|found| (found.options, found.position.numbers()));
        Ok(exercises)
    }

    /// A position as an exercise.
    ///
    /// # Errors
    ///
    /// Why it has no answer.
    pub fn exercise(
        &self,
        position: &Position,
        convention: Convention,
    ) -> Result<Exercise, Unanswered> {
        self.may_be_exercises()?;
        let side = self.game().has_sides().then_some(Side::Left);
        let options = self.options(position, side, convention)?.list.len();
        let answer = self.outcome(position, convention)?;
        let turn = answer.turn(side);
        let (best, replies) = match turn {
            Turn::Wins | Turn::Draws => (answer.best(side), Vec::new()),
            Turn::Loses => {
                let found = self.moves_and_replies(position, side, convention, REPLIES)?;
                let reply = found.moves.into_iter().map(|one| {
                    let reply = one.reply.map(|(reply, ..)| reply);
                    (one.to, reply)
                });
                (Vec::new(), reply.collect())
            }
        };
        Ok(Exercise {
            position: position.clone(),
            turn,
            options,
            best,
            replies,
        })
    }

    /// Refuses games whose positions cannot be exercises.
    fn may_be_exercises(&self) -> Result<(), Unanswered> {
        let game = self.game();
        match () {
            _ if game.position_kind == PositionKind::Reals => Err(refused(
                "a sheet needs heaps of whole size; this game's heaps are of real size",
            )),
            _ if matches!(game.position_kind, PositionKind::Open(_)) => {
                Err(refused(SolveError::Open.to_string().as_str()))
            }
            _ if game.blocked_options > 0 => Err(refused(
                "a sheet has no place for the moves that the opponent blocks",
            )),
            _ => Ok(()),
        }
    }

    fn exercise_with_moves(
        &self,
        exercise: Exercise,
        side: Option<Side>,
        convention: Convention,
    ) -> Result<Candidate, Unanswered> {
        let after = self.options(&exercise.position, side, convention)?.list;
        Ok(Candidate {
            itself: self.up_to_symmetry(&exercise.position),
            after: after.iter().map(|to| self.up_to_symmetry(to)).collect(),
            exercise,
        })
    }

    /// Whether a move that wins leaves the opponent without a move.
    fn ends_play(
        &self,
        exercise: &Exercise,
        side: Option<Side>,
        convention: Convention,
    ) -> Result<bool, Unanswered> {
        for to in &exercise.best {
            let options = self.options(to, side.map(Side::other), convention)?;
            if options.list.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A position after some random moves from one with the initial values of the states, where
    /// there are states that have one: their other values are those that moves give them.
    fn played_on(
        &self,
        mut position: Position,
        side: Option<Side>,
        convention: Convention,
        random: Random<'_>,
    ) -> Result<Position, Unanswered> {
        let states = self.game().states_of_any_kind();
        if side.is_some() || states.iter().all(|state| state.initial.is_none()) {
            return Ok(position);
        }
        for _ in 0..random(MOVES_BEFORE) {
            let options = self.options(&position, side, convention)?.list;
            if options.is_empty() {
                break;
            }
            position = any_of(&options, random);
        }
        Ok(position)
    }
}

fn refused(reason: &str) -> Unanswered {
    Unanswered::from(SolveError::Refused {
        reason: reason.to_owned(),
    })
}
