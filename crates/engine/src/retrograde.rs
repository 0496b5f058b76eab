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
//! and as they are met otherwise (`index`).

mod allowed;
mod explore;
mod position_index;

use super::table::{NO_POSITION, code};
use super::{
    Engine, Limits, Lookup, Outcome, PositionAnswer, PositionList, Query, Question, Region, Scope,
    Shape, SolveError, Solver, Table, TableValues,
};
pub use explore::is_bounded;
use explore::{Targets, search};
use nimrule_ir::{MoveGraph, Walker};
use nimrule_model::game::{Convention, Side};
use nimrule_relation::sides::{SideLabels, class};
use nimrule_relation::{Label, Labels};
use position_index::PositionIndex;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;

pub struct Retrograde;

impl Engine for Retrograde {
    fn name(&self) -> &'static str {
        "retrograde"
    }

    fn can(&self, _solver: &Solver<'_>, asked: Query) -> Result<(), String> {
        match asked.question {
            Question::Outcome => Ok(()),
            Question::Grundy => Err("it finds outcomes, not Grundy values".to_owned()),
        }
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _asked: Query) -> u128 {
        // The answers; what else it needs shows as the moves are counted.
        Shape::count(most)
    }

    fn scope(&self) -> Scope {
        Scope::Reachable
    }

    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _asked: Query) -> u128 {
        // It grows with what it meets, and stops at the limit by itself.
        0
    }

    fn operations(&self, _solver: &Solver<'_>, _most: &[u64], _asked: Query) -> Option<u128> {
        None
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let answers = Limits {
            memory: limits.memory.saturating_sub(shape.len as u64),
            ..*limits
        };
        let labelled = labelled(solver, Targets::Box(shape), asked.convention, &answers)?;
        let mut values = Vec::with_capacity(shape.len);
        shape.try_each(|position, place| {
            if place % (1 << 16) == 0 {
                limits.check_time()?;
            }
            values.push(labelled.outcome(position).map_or(NO_POSITION, code));
            Ok::<_, SolveError>(())
        })?;
        Ok(Table {
            region: Region::Box(shape.clone()),
            values: TableValues::Outcomes(values),
            engine: self.name(),
        })
    }

    fn fill_list(
        &self,
        solver: &Solver<'_>,
        listed: &PositionList,
        asked: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let targets = Targets::List(&listed.positions);
        let labelled = labelled(solver, targets, asked.convention, limits)?;
        let values = listed.positions.iter();
        let values = values.map(|position| labelled.outcome(position).map_or(NO_POSITION, code));
        Ok(Table {
            region: Region::List(listed.clone()),
            values: TableValues::Outcomes(values.collect()),
            engine: self.name(),
        })
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        asked: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        let targets = Targets::Position(position);
        let labelled = labelled(solver, targets, asked.convention, limits)?;
        Ok(Box::new(LabelLookup { labelled }))
    }

    fn answer_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        asked: Query,
        limits: &Limits,
    ) -> Result<PositionAnswer, SolveError> {
        answer(solver, position, asked.convention, limits)
    }
}

/// Answers about what can be reached from one position.
struct LabelLookup {
    labelled: Rc<LabelledPositions>,
}

impl Lookup for LabelLookup {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        match self.labelled.outcome(position) {
            Some(Outcome::P) => Ok(0),
            Some(Outcome::N) => Ok(1),
            Some(outcome) => Err(SolveError::Cannot {
                engine: Retrograde.name(),
                reason: format!("a position that is {outcome} is neither P nor N"),
            }),
            None => unreachable!("what can be reached was explored"),
        }
    }
}

/// Who wins where, among positions from which moves lead to no others.
#[derive(Debug)]
pub struct LabelledPositions {
    convention: Convention,
    index: PositionIndex,
    labels: PositionLabels,
}

#[derive(Debug)]
enum PositionLabels {
    /// Both players have the same moves.
    Same(Labels),
    Sides(SideLabels),
}

impl LabelledPositions {
    /// What a position is for a side that is to move.
    fn label(&self, position: &[u64], side: Side) -> Option<Label> {
        let number = self.index.of(position)? as usize;
        Some(match &self.labels {
            PositionLabels::Same(labels) => labels.of(number),
            PositionLabels::Sides(labels) => labels.of(number, side),
        })
    }

    fn outcome(&self, position: &[u64]) -> Option<Outcome> {
        let number = self.index.of(position)? as usize;
        Some(match &self.labels {
            // Whoever begins, begins alike.
            PositionLabels::Same(labels) => match labels.of(number) {
                Label::Win(_) => Outcome::N,
                Label::Lose(_) => Outcome::P,
                Label::Draw => Outcome::D,
            },
            PositionLabels::Sides(labels) => labels.class(number),
        })
    }
}

/// The answers about what is targets, found now or kept from before.
fn labelled(
    solver: &Solver<'_>,
    targets: Targets<'_>,
    convention: Convention,
    limits: &Limits,
) -> Result<Rc<LabelledPositions>, SolveError> {
    let last = solver.cache::<LastLabelled>();
    if let Some(known) = &*last.0.borrow()
        && known.convention == convention
        && targets.is_within(solver, &known.index)
    {
        return Ok(known.clone());
    }
    // What is not targets any more makes room.
    last.0.replace(None);
    let (index, labels) = search(solver, &targets, convention, limits)?;
    let found = Rc::new(LabelledPositions {
        convention,
        index,
        labels,
    });
    last.0.replace(Some(found.clone()));
    Ok(found)
}

/// The last relation that was labelled: what is asked next may be in it.
#[derive(Default)]
struct LastLabelled(RefCell<Option<Rc<LabelledPositions>>>);

/// What a position is for a player who is to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideOutcome<M = Vec<u64>> {
    /// Who wins, and after how many moves.
    pub label: Label,
    /// The moves that keep this: those that win; where the position is drawn,
    /// those that draw. Ascending, each with the moves until the end, itself
    /// included, where there is one.
    pub moves: Vec<(M, Option<u32>)>,
}

impl SideOutcome {
    pub fn wins_by(&self, option: &[u64]) -> bool {
        matches!(self.label, Label::Win(_)) && self.moves.iter().any(|(to, _)| to == option)
    }
}

/// What a position is with either side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BySide<M = Vec<u64>> {
    /// Both players have the same moves.
    Same(SideOutcome<M>),
    Sides {
        left: SideOutcome<M>,
        right: SideOutcome<M>,
    },
}

impl<M> BySide<M> {
    pub fn outcome(&self) -> Outcome {
        match self {
            BySide::Same(side_outcome) => class(side_outcome.label, side_outcome.label),
            BySide::Sides { left, right } => class(left.label, right.label),
        }
    }

    /// The by_side with whose they are.
    pub fn each(&self) -> Vec<(Option<Side>, &SideOutcome<M>)> {
        match self {
            BySide::Same(side_outcome) => vec![(None, side_outcome)],
            BySide::Sides { left, right } => {
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
) -> Result<PositionAnswer, SolveError> {
    let labelled = labelled(solver, Targets::Position(position), convention, limits)?;
    let side_outcome = |graph: &MoveGraph, side: Side| -> Result<SideOutcome, SolveError> {
        let label = labelled.label(position, side);
        let label = label.expect("the position was explored");
        let mut moves = BTreeMap::new();
        Walker::new(graph, &[])
            .until(limits)
            .options(position, 0, &mut |option, _| {
                let reply = labelled.label(option, side.other());
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
            .map_err(|stop| SolveError::of(stop, position))?;
        Ok(SideOutcome {
            label,
            moves: moves.into_iter().collect(),
        })
    };
    let by_side = match &solver.sides {
        None => BySide::Same(side_outcome(&solver.graph, Side::Left)?),
        Some([left, right]) => BySide::Sides {
            left: side_outcome(left, Side::Left)?,
            right: side_outcome(right, Side::Right)?,
        },
    };
    let winning_moves = match &by_side {
        BySide::Same(SideOutcome {
            label: Label::Win(_),
            moves,
        }) => moves.iter().map(|(option, _)| option.clone()).collect(),
        _ => Vec::new(),
    };
    Ok(PositionAnswer {
        outcome: by_side.outcome(),
        grundy: None,
        loopy: None,
        winning_moves,
        by_side: Some(by_side),
        method: Retrograde.name(),
        rejected: Vec::new(),
    })
}
