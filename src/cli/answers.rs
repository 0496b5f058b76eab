//! Answers about several positions of one game, each computed once: who wins with
//! each player to move, the moves, and what each leads to.

use super::text;
use nimrule_claim::answer::answer;
use nimrule_claim::{Answered, Claims, Unanswered};
use nimrule_engine::{Label, Limits, Outcome, Request, SideOutcome, SolveError, Solver};
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, Game, PositionKind, Side};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::rc::Rc;

/// The largest number of options of one position that is listed.
pub const MAX_OPTIONS: usize = 100_000;

/// What the player to move achieves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    Wins,
    Loses,
    Draws,
}

/// A source of answers about the positions of one game.
pub struct Answers<'s, 'g> {
    pub solver: &'s Solver<'g>,
    pub convention: Convention,
    limits: Limits,
    known: BTreeMap<Vec<u64>, Rc<Answered>>,
}

/// The options of a position, ascending.
pub struct Options {
    pub list: Vec<Vec<u64>>,
    /// Whether these are all options.
    pub all: bool,
}

impl<'s, 'g> Answers<'s, 'g> {
    pub fn new(solver: &'s Solver<'g>, convention: Convention, limits: &Limits) -> Self {
        Answers {
            solver,
            convention,
            limits: limits.clone(),
            known: BTreeMap::new(),
        }
    }

    pub fn game(&self) -> &'g Game {
        self.solver.game
    }

    /// The answer about a position, as `solve` gives it.
    pub fn at(&mut self, position: &[u64]) -> Result<Rc<Answered>, Unanswered> {
        if let Some(known) = self.known.get(position) {
            return Ok(known.clone());
        }
        let found = answer(
            self.solver,
            position,
            self.convention,
            Request::Outcome,
            &self.limits,
            None,
            Claims::WhereNeeded,
        )?;
        let found = Rc::new(found);
        self.known.insert(position.to_vec(), found.clone());
        Ok(found)
    }

    /// What `side` achieves if it is to move; `None` is the player to move of an
    /// impartial game.
    pub fn turn(&mut self, position: &[u64], side: Option<Side>) -> Result<Turn, Unanswered> {
        let answered = self.at(position)?;
        Ok(match of_side(&answered, side) {
            Some(of_side) => match of_side.label {
                Label::Win(_) => Turn::Wins,
                Label::Lose(_) => Turn::Loses,
                Label::Draw => Turn::Draws,
            },
            None if answered.answer.outcome == Outcome::P => Turn::Loses,
            None => Turn::Wins,
        })
    }

    /// The moves that achieve what [`Answers::turn`] says, if it is a win or a draw: the
    /// shortest wins first where their lengths are known. Not all of them if the answer
    /// rests on a claim that leaves some open.
    pub fn best(
        &mut self,
        position: &[u64],
        side: Option<Side>,
    ) -> Result<Vec<Vec<u64>>, Unanswered> {
        let answered = self.at(position)?;
        Ok(match of_side(&answered, side) {
            Some(of_side) => {
                let mut moves: Vec<_> = of_side.moves.iter().collect();
                moves.sort_by_key(|(_, length)| *length);
                moves
                    .into_iter()
                    .map(|(option, _)| option.clone())
                    .collect()
            }
            None => answered.answer.winning_moves.clone(),
        })
    }

    /// The moves of `side`, at most [`MAX_OPTIONS`].
    pub fn options(&self, position: &[u64], side: Option<Side>) -> Result<Options, SolveError> {
        let graph = match (side, &self.solver.sides) {
            (Some(side), Some(sides)) => &sides[side as usize],
            _ => &self.solver.graph,
        };
        let mut found = BTreeSet::new();
        let mut all = true;
        Walker::new(graph, &[])
            .until(&self.limits)
            .options(position, 0, &mut |option, _| {
                if found.len() < MAX_OPTIONS {
                    found.insert(option.to_vec());
                    return ControlFlow::Continue(());
                }
                all = found.contains(option);
                if all {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        Ok(Options {
            list: found.into_iter().collect(),
            all,
        })
    }

    /// The moves, one of each class of positions that are images of one another under
    /// the symmetries of the rule, each with the number of moves of the class.
    pub fn classes(&self, options: &[Vec<u64>]) -> Vec<(Vec<u64>, usize)> {
        let mut classes: Vec<(Vec<u64>, usize)> = Vec::new();
        let mut place_of: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        for option in options {
            let canonical = match self.game().position_kind {
                PositionKind::Heaps => self.game().symmetries.canonical(option),
                _ => option.clone(),
            };
            match place_of.get(&canonical) {
                Some(place) => classes[*place].1 += 1,
                None => {
                    place_of.insert(canonical, classes.len());
                    classes.push((option.clone(), 1));
                }
            }
        }
        classes
    }

    /// A move in words, on one line.
    pub fn words(&self, from: &[u64], to: &[u64]) -> String {
        text::change(self.game(), from, to)
    }
}

fn of_side(answered: &Answered, side: Option<Side>) -> Option<&SideOutcome> {
    let by_side = answered.answer.by_side.as_ref()?;
    let each = by_side.each();
    let found = each
        .iter()
        .find(|(of, _)| of.is_none() || *of == side)
        .or(each.first())?;
    Some(found.1)
}
