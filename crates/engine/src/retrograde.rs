//! Retrograde analysis: from the end of play backwards.
//!
//! It serves games whose positions may repeat and games in which each side has
//! moves of its own. What can be reached is explored and numbered, the moves
//! become arcs of a [`nimrule_relation`], and that is labelled: who wins with
//! either side to move, and after how many moves, or that nobody can be kept
//! from playing on. Ordinary games are such relations too, so it can answer
//! about them; it finds no Grundy values.
//!
//! Positions are numbered densely where a box holds all that can be reached,
//! and as they are met otherwise (`numbers`).

mod allowed;
mod explore;
mod numbers;

use super::table::{NO_POSITION, code};
use super::{
    Answer, Asked, Engine, Failure, Limits, Listed, Lookup, Outcome, Question, Region, Scope,
    Shape, Solver, Table, Values,
};
pub use explore::is_bounded;
use explore::{Wanted, search};
use nimrule_ir::{MoveGraph, Walker};
use nimrule_model::game::{Convention, Side};
use nimrule_relation::sides::{SideLabels, class};
use nimrule_relation::{Label, Labels};
use numbers::Numbers;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

pub struct Retrograde;

impl Engine for Retrograde {
    fn name(&self) -> &'static str {
        "retrograde"
    }

    fn can(&self, _solver: &Solver<'_>, asked: Asked) -> Result<(), String> {
        match asked.question {
            Question::Outcome => Ok(()),
            Question::Grundy => Err("it finds outcomes, not Grundy values".to_owned()),
        }
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _asked: Asked) -> u128 {
        // The answers; what else it needs shows as the moves are counted.
        Shape::count(most)
    }

    fn scope(&self) -> Scope {
        Scope::Reachable
    }

    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _asked: Asked) -> u128 {
        // It grows with what it meets, and stops at the limit by itself.
        0
    }

    fn operations(&self, _solver: &Solver<'_>, _most: &[u64], _asked: Asked) -> Option<u128> {
        None
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure> {
        let answers = Limits {
            memory: limits.memory.saturating_sub(shape.len as u64),
            ..*limits
        };
        let space = space(solver, Wanted::Box(shape), asked.convention, &answers)?;
        let mut values = Vec::with_capacity(shape.len);
        shape.try_each(|position, place| {
            if place % (1 << 16) == 0 {
                limits.check_time()?;
            }
            values.push(space.outcome(position).map_or(NO_POSITION, code));
            Ok::<_, Failure>(())
        })?;
        Ok(Table {
            region: Region::Box(shape.clone()),
            values: Values::Outcomes(values),
            engine: self.name(),
        })
    }

    fn fill_listed(
        &self,
        solver: &Solver<'_>,
        listed: &Listed,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure> {
        let wanted = Wanted::Listed(&listed.positions);
        let space = space(solver, wanted, asked.convention, limits)?;
        let values = listed.positions.iter();
        let values = values.map(|position| space.outcome(position).map_or(NO_POSITION, code));
        Ok(Table {
            region: Region::Listed(listed.clone()),
            values: Values::Outcomes(values.collect()),
            engine: self.name(),
        })
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        asked: Asked,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, Failure> {
        let wanted = Wanted::Position(position);
        let space = space(solver, wanted, asked.convention, limits)?;
        Ok(Box::new(Reached { space }))
    }

    fn answer_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        asked: Asked,
        limits: &Limits,
    ) -> Result<Answer, Failure> {
        answer(solver, position, asked.convention, limits)
    }
}

/// Answers about what can be reached from one position.
struct Reached {
    space: Rc<Space>,
}

impl Lookup for Reached {
    fn value(&mut self, position: &[u64]) -> Result<u64, Failure> {
        match self.space.outcome(position) {
            Some(Outcome::P) => Ok(0),
            Some(Outcome::N) => Ok(1),
            Some(outcome) => Err(Failure::Cannot {
                engine: Retrograde.name(),
                reason: format!("a position that is {outcome} is neither P nor N"),
            }),
            None => unreachable!("what can be reached was explored"),
        }
    }
}

/// Who wins where, among positions from which moves lead to no others.
#[derive(Debug)]
pub struct Space {
    convention: Convention,
    numbers: Numbers,
    marks: Marks,
}

#[derive(Debug)]
enum Marks {
    /// Both players have the same moves.
    Same(Labels),
    Sides(SideLabels),
}

impl Space {
    /// What a position is for a side that is to move.
    fn label(&self, position: &[u64], side: Side) -> Option<Label> {
        let number = self.numbers.of(position)? as usize;
        Some(match &self.marks {
            Marks::Same(labels) => labels.of(number),
            Marks::Sides(labels) => labels.of(number, side),
        })
    }

    fn outcome(&self, position: &[u64]) -> Option<Outcome> {
        let number = self.numbers.of(position)? as usize;
        Some(match &self.marks {
            // Whoever begins, begins alike.
            Marks::Same(labels) => match labels.of(number) {
                Label::Win(_) => Outcome::N,
                Label::Lose(_) => Outcome::P,
                Label::Draw => Outcome::D,
            },
            Marks::Sides(labels) => labels.class(number),
        })
    }
}

/// The answers about what is wanted, found now or kept from before.
fn space(
    solver: &Solver<'_>,
    wanted: Wanted<'_>,
    convention: Convention,
    limits: &Limits,
) -> Result<Rc<Space>, Failure> {
    let last = solver.cache::<LastSpace>();
    if let Some(known) = &*last.0.borrow()
        && known.convention == convention
        && wanted.is_within(solver, &known.numbers)
    {
        return Ok(known.clone());
    }
    // What is not wanted any more makes room.
    last.0.replace(None);
    let (numbers, marks) = search(solver, &wanted, convention, limits)?;
    let found = Rc::new(Space {
        convention,
        numbers,
        marks,
    });
    last.0.replace(Some(found.clone()));
    Ok(found)
}

/// The last relation that was labelled: what is asked next may be in it.
#[derive(Default)]
struct LastSpace(RefCell<Option<Rc<Space>>>);

/// What a position is for a player who is to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn<M = Vec<u64>> {
    /// Who wins, and after how many moves.
    pub label: Label,
    /// The moves that keep this: those that win; where the position is drawn,
    /// those that draw. Ascending, each with the moves until the end, itself
    /// included, where there is one.
    pub moves: Vec<(M, Option<u32>)>,
}

impl Turn {
    pub fn wins_by(&self, option: &[u64]) -> bool {
        matches!(self.label, Label::Win(_)) && self.moves.iter().any(|(to, _)| to == option)
    }
}

/// What a position is with either side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Turns<M = Vec<u64>> {
    /// Both players have the same moves.
    Same(Turn<M>),
    Sides {
        left: Turn<M>,
        right: Turn<M>,
    },
}

impl<M> Turns<M> {
    pub fn outcome(&self) -> Outcome {
        match self {
            Turns::Same(turn) => class(turn.label, turn.label),
            Turns::Sides { left, right } => class(left.label, right.label),
        }
    }

    /// The turns with whose they are.
    pub fn each(&self) -> Vec<(Option<Side>, &Turn<M>)> {
        match self {
            Turns::Same(turn) => vec![(None, turn)],
            Turns::Sides { left, right } => {
                vec![(Some(Side::Left), left), (Some(Side::Right), right)]
            }
        }
    }
}

/// Answers about one position.
pub(super) fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    convention: Convention,
    limits: &Limits,
) -> Result<Answer, Failure> {
    let space = space(solver, Wanted::Position(position), convention, limits)?;
    let turn = |graph: &MoveGraph, side: Side| -> Result<Turn, Failure> {
        let label = space.label(position, side);
        let label = label.expect("the position was explored");
        let mut moves = BTreeMap::new();
        Walker::new(graph, &[])
            .until(limits)
            .options(position, 0, &mut |option, _| {
                let reply = space.label(option, side.other());
                let reply = reply.expect("what can be reached was explored");
                match (label, reply) {
                    (Label::Win(_), Label::Lose(rest)) => {
                        moves.insert(option.to_vec(), Some(rest + 1));
                    }
                    (Label::Draw, Label::Draw) => {
                        moves.insert(option.to_vec(), None);
                    }
                    _ => {}
                }
                ControlFlow::Continue(())
            })
            .map_err(|stop| Failure::of(stop, position))?;
        Ok(Turn {
            label,
            moves: moves.into_iter().collect(),
        })
    };
    let turns = match &solver.sides {
        None => Turns::Same(turn(&solver.graph, Side::Left)?),
        Some([left, right]) => Turns::Sides {
            left: turn(left, Side::Left)?,
            right: turn(right, Side::Right)?,
        },
    };
    let winning_moves = match &turns {
        Turns::Same(Turn {
            label: Label::Win(_),
            moves,
        }) => moves.iter().map(|(option, _)| option.clone()).collect(),
        _ => Vec::new(),
    };
    Ok(Answer {
        outcome: turns.outcome(),
        grundy: None,
        loopy: None,
        winning_moves,
        turns: Some(turns),
        method: Retrograde.name(),
        rejected: Vec::new(),
    })
}
