//! Answers about single positions.

use super::table::IS_P;
use super::{
    BySide, Limits, Outcome, Query, Question, Shape, SolveError, Solver, Table, TableValues,
};
use nimrule_ir::{Stop, Walker};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The answer to a query about one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionAnswer {
    /// The outcome class.
    pub outcome: Outcome,
    /// The Grundy value; under misère play see [`Question::Grundy`]. `None` if it
    /// was not requested and is not a by-product of the outcome.
    pub grundy: Option<u64>,
    /// The Grundy values of the options if the value of a sum of tokens is loopy, as
    /// defined in [`nimrule_relation::values`].
    pub loopy: Option<Vec<u64>>,
    /// The options that are P-positions, ascending; empty in partizan games: see
    /// `by_side`.
    pub winning_moves: Vec<Vec<u64>>,
    /// The outcome with either player to move, and its remoteness. Always present if
    /// the game is partizan or loopy, otherwise if the engine computes it.
    pub by_side: Option<BySide>,
    /// The name of the engine, or of another method.
    pub method: &'static str,
    /// The engines before it in the list, each with the reason for which it was
    /// rejected.
    pub rejected: Vec<(&'static str, String)>,
}

impl PositionAnswer {
    /// Whether the move to this option wins; in a partizan game, for either player.
    pub fn wins_by(&self, option: &[u64]) -> bool {
        match &self.by_side {
            None => self.winning_moves.iter().any(|winning| winning == option),
            Some(turns) => turns.each().iter().any(|(_, turn)| turn.wins_by(option)),
        }
    }
}

/// The bytes of the answers for a box.
pub fn bytes_of_a_box(positions: u128, question: Question) -> u128 {
    match question {
        Question::Outcome => positions,
        Question::Grundy => positions.saturating_mul(4),
    }
}

/// The table of a box by a search, which may use the memory that the answers leave.
pub fn box_by_search<'s>(
    name: &'static str,
    solver: &Solver<'_>,
    shape: &Shape,
    query: Query,
    limits: &Limits,
    search: impl FnOnce(u64) -> Result<Box<dyn Lookup + 's>, SolveError>,
) -> Result<Table, SolveError> {
    let answers = bytes_of_a_box(shape.len as u128, query.question);
    let rest = u128::from(limits.memory).saturating_sub(answers);
    let mut search = search(u64::try_from(rest).unwrap_or(u64::MAX))?;
    let mut walker = Walker::new(&solver.graph, &[]);
    let mut values = TableValues::with_capacity(query.question, shape.len);
    shape.try_each(|position, place| {
        // An excluded or memoised position costs nothing.
        if place % 1024 == 0 {
            limits.check_time()?;
        }
        let is_position = walker.is_position(position);
        let value =
            match is_position.map_err(|fault| SolveError::of(Stop::Fault(fault), position))? {
                true => Some(search.value(position)? as u32),
                false => None,
            };
        values.push(value);
        Ok::<_, SolveError>(())
    })?;
    Ok(Table::of_box(shape, values, name))
}

/// A source of answers about single positions: a table, or a search.
pub trait Lookup {
    /// The Grundy value; for queries about outcomes 0 for P and 1 for N.
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError>;

    /// Whether a position has a value, which may cost less than the value.
    fn has_value(&mut self, position: &[u64], value: u64) -> Result<bool, SolveError> {
        Ok(self.value(position)? == value)
    }

    /// The options that are P-positions, ascending.
    fn winning_moves(
        &mut self,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, SolveError> {
        self.moves_to(0, solver, position, limits)
    }

    /// The options with this value, ascending. In a sum whose other components have
    /// the nim-sum `wanted` these are the winning moves in this component.
    fn moves_to(
        &mut self,
        wanted: u64,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, SolveError> {
        let mut found = BTreeSet::new();
        let mut failure = None;
        Walker::new(&solver.graph, &[])
            .until(limits)
            .options(
                position,
                0,
                &mut |option, _| match self.has_value(option, wanted) {
                    Ok(true) => {
                        found.insert(option.to_vec());
                        ControlFlow::Continue(())
                    }
                    Ok(false) => ControlFlow::Continue(()),
                    Err(error) => {
                        failure = Some(error);
                        ControlFlow::Break(())
                    }
                },
            )
            .map_err(|stop| SolveError::of(stop, position))?;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(found.into_iter().collect()),
        }
    }
}

/// The answer about a position from a lookup that an engine has prepared for it.
pub(super) fn by_lookup(
    lookup: &mut dyn Lookup,
    engine: &'static str,
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    limits: &Limits,
) -> Result<PositionAnswer, SolveError> {
    let value = lookup.value(position)?;
    let winning_moves = match value {
        0 => Vec::new(),
        _ => lookup.winning_moves(solver, position, limits)?,
    };
    Ok(PositionAnswer {
        outcome: if value == 0 { Outcome::P } else { Outcome::N },
        grundy: (query.question == Question::Grundy).then_some(value),
        loopy: None,
        winning_moves,
        by_side: None,
        method: engine,
        rejected: Vec::new(),
    })
}

/// A lookup in the table of the box below a position; `needed` returns its size in
/// bytes.
pub(super) fn box_below<'s>(
    fill: impl FnOnce(&Shape) -> Result<Table, SolveError>,
    needed: impl FnOnce() -> u128,
    position: &[u64],
    limits: &Limits,
) -> Result<Box<dyn Lookup + 's>, SolveError> {
    let Some(shape) = Shape::new(position) else {
        return Err(SolveError::Memory {
            needed: needed(),
            limit: limits.memory,
        });
    };
    Ok(Box::new(TableLookup {
        table: fill(&shape)?,
    }))
}

/// A table of the box below a position.
struct TableLookup {
    table: Table,
}

impl Lookup for TableLookup {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        // INVARIANT: an engine that fills boxes answers about rules that only
        // take, whose options lie in the box below.
        let place = self.table.region().place(position);
        let place = place.expect("the options of a rule that only takes lie in the box below");
        Ok(match self.table.values() {
            TableValues::Outcomes(values) => u64::from(values[place] != IS_P),
            TableValues::Grundy(values) => u64::from(values[place]),
        })
    }
}
