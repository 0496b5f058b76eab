//! Retrograde analysis: outcomes computed backwards from the terminal positions
//! (Ströhlein 1970; Thompson 1986).
//!
//! The engine is for loopy and partizan games; it also supports outcomes of all other
//! games. It explores the followers of the queried positions, numbers them, and
//! labels the relation of their moves ([`nimrule_relation`]) with the outcome and the
//! remoteness for either player to move. It computes no Grundy values.
//!
//! Boxes of games in which the opponent may block options are solved forwards, by counting, if
//! every move takes the same number from each heap of a set (`counted`).
//!
//! The index of a position is its rank in a box if the box contains all followers,
//! otherwise its rank in the order of exploration (`position_index`).

mod allowed;
mod counted;
mod explore;
mod position_index;

use super::table::{NO_POSITION, code};
use super::tokens_on_digraph::side_outcome;
use super::{
    Engine, Limits, Lookup, Outcome, PositionAnswer, PositionList, Query, Question, Region, Scope,
    Shape, SolveError, Solver, Table, TableValues,
};
pub use explore::is_bounded;
use explore::{Targets, search};
use nimrule_ir::MoveGraph;
use nimrule_model::game::{Convention, Side};
use nimrule_relation::sides::{SideLabels, class};
use nimrule_relation::{Label, Labels};
use position_index::PositionIndex;
use std::cell::RefCell;
use std::rc::Rc;

/// The engine for retrograde analysis; see the [module](self).
pub struct Retrograde;

impl Engine for Retrograde {
    fn name(&self) -> &'static str {
        "retrograde"
    }

    fn needs_ending_play(&self) -> bool {
        false
    }

    fn can(&self, _solver: &Solver<'_>, query: Query) -> Result<(), String> {
        match query.question {
            Question::Outcome => Ok(()),
            Question::Grundy => Err("it computes outcomes, not Grundy values".to_owned()),
        }
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _query: Query) -> u128 {
        // The answers only; the memory for the moves is checked during exploration.
        Shape::count(most)
    }

    fn scope(&self) -> Scope {
        Scope::Reachable
    }

    fn is_certain(&self) -> bool {
        false
    }

    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _query: Query) -> u128 {
        // The exploration checks the limit itself.
        0
    }

    fn operations(&self, _solver: &Solver<'_>, _most: &[u64], _query: Query) -> Option<u128> {
        None
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let blocked = solver.game.blocked_options;
        let is_counted = blocked > 0 && !solver.game.has_sides();
        if let (true, Ok(sets)) = (is_counted, &solver.profile.equal_numbers) {
            let values = counted::outcomes(shape, sets, blocked, query.convention, limits)?;
            let values = TableValues::Outcomes(values);
            return Ok(Table::of_box(shape, values, self.name()));
        }
        let answers = Limits {
            memory: limits.memory.saturating_sub(shape.len as u64),
            ..limits.clone()
        };
        let labelled = labelled(solver, Targets::Box(shape), query.convention, &answers)?;
        let mut values = Vec::with_capacity(shape.len);
        shape.try_each(|position, place| {
            if place % (1 << 16) == 0 {
                limits.check_time()?;
            }
            values.push(labelled.outcome(position).map_or(NO_POSITION, code));
            Ok::<_, SolveError>(())
        })?;
        let values = TableValues::Outcomes(values);
        Ok(Table::of_box(shape, values, self.name()))
    }

    fn fill_list(
        &self,
        solver: &Solver<'_>,
        listed: &PositionList,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let targets = Targets::List(&listed.positions);
        let labelled = labelled(solver, targets, query.convention, limits)?;
        let values = listed.positions.iter();
        let values = values.map(|position| labelled.outcome(position).map_or(NO_POSITION, code));
        let values = TableValues::Outcomes(values.collect());
        Ok(Table::new(
            Region::List(listed.clone()),
            values,
            self.name(),
        ))
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        let targets = Targets::Position(position);
        let labelled = labelled(solver, targets, query.convention, limits)?;
        Ok(Box::new(LabelLookup { labelled }))
    }

    fn answer_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<PositionAnswer, SolveError> {
        answer(solver, position, query.convention, limits)
    }
}

/// The lookup of outcomes of explored positions.
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
                reason: format!("the outcome {outcome} is neither P nor N"),
            }),
            None => unreachable!("all followers were explored"),
        }
    }
}

/// The outcomes of a set of positions that is closed under moves.
#[derive(Debug)]
pub struct LabelledPositions {
    convention: Convention,
    index: PositionIndex,
    labels: PositionLabels,
}

#[derive(Debug)]
enum PositionLabels {
    /// Of an impartial game.
    Same(Labels),
    /// Of a partizan game.
    Sides(SideLabels),
}

impl LabelledPositions {
    /// The outcome of a position for the player to move; `None` if it was not explored.
    pub fn label(&self, position: &[u64], side: Side) -> Option<Label> {
        let number = self.index.of(position)? as usize;
        Some(match &self.labels {
            PositionLabels::Same(labels) => labels.of(number),
            PositionLabels::Sides(labels) => labels.of(number, side),
        })
    }

    fn outcome(&self, position: &[u64]) -> Option<Outcome> {
        let number = self.index.of(position)? as usize;
        Some(match &self.labels {
            PositionLabels::Same(labels) => match labels.of(number) {
                Label::Win(_) => Outcome::N,
                Label::Lose(_) => Outcome::P,
                Label::Draw => Outcome::D,
            },
            PositionLabels::Sides(labels) => labels.class(number),
        })
    }
}

/// Labels every position of a region, with its remoteness.
///
/// # Errors
///
/// Exceeded limits and faults of the rule.
pub fn label_region(
    solver: &Solver<'_>,
    region: &Region,
    convention: Convention,
    limits: &Limits,
) -> Result<Rc<LabelledPositions>, SolveError> {
    match region {
        Region::Box(shape) => labelled(solver, Targets::Box(shape), convention, limits),
        Region::Placements(placements) => {
            let listed = placements.listed(solver, limits)?;
            labelled(solver, Targets::List(&listed.positions), convention, limits)
        }
        Region::List(listed) => {
            labelled(solver, Targets::List(&listed.positions), convention, limits)
        }
    }
}

/// The labelled positions that include the targets: those of the last query if
/// possible.
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
    // The memory is released before the new search.
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

/// The cache of this engine: the positions labelled last.
#[derive(Default)]
struct LastLabelled(RefCell<Option<Rc<LabelledPositions>>>);

/// The outcome of a position for one player to move. `M` is the type of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideOutcome<M = Vec<u64>> {
    /// Whether the player wins, loses or draws, and the remoteness.
    pub label: Label,
    /// The moves that realise the outcome: those that win or, if the position is
    /// drawn, those that draw. Ascending, each with the number of moves until the
    /// end, itself included; `None` for a draw.
    pub moves: Vec<(M, Option<u32>)>,
}

impl SideOutcome {
    /// Whether the move to this option wins.
    pub fn wins_by(&self, option: &[u64]) -> bool {
        matches!(self.label, Label::Win(_)) && self.moves.iter().any(|(to, _)| to == option)
    }
}

/// The outcome of a position with either player to move. `M` is the type of options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BySide<M = Vec<u64>> {
    /// Of an impartial game: the same for both players.
    Same(SideOutcome<M>),
    /// Of a partizan game.
    Sides {
        /// The outcome if Left is to move.
        left: SideOutcome<M>,
        /// The outcome if Right is to move.
        right: SideOutcome<M>,
    },
}

impl<M> BySide<M> {
    /// The outcome class.
    pub fn outcome(&self) -> Outcome {
        match self {
            BySide::Same(side_outcome) => class(side_outcome.label, side_outcome.label),
            BySide::Sides { left, right } => class(left.label, right.label),
        }
    }

    /// The same outcomes, with the moves converted.
    pub fn mapped<N>(&self, convert: &impl Fn(&M) -> N) -> BySide<N> {
        let of = |side: &SideOutcome<M>| SideOutcome {
            label: side.label,
            moves: side
                .moves
                .iter()
                .map(|(to, length)| (convert(to), *length))
                .collect(),
        };
        match self {
            BySide::Same(same) => BySide::Same(of(same)),
            BySide::Sides { left, right } => BySide::Sides {
                left: of(left),
                right: of(right),
            },
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
        side_outcome(graph, position, limits, label, |option| {
            let reply = labelled.label(option, side.other());
            reply.expect("all followers were explored")
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
