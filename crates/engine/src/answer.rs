//! What is answered about one position, and how answers are looked up.

use super::table::IS_P;
use super::{
    BySide, Limits, Outcome, Query, Question, Shape, SolveError, Solver, Table, TableValues,
};
use nimrule_ir::Walker;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// What there is to say about one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionAnswer {
    pub outcome: Outcome,
    /// Under misere play the value whose end positions count as 1. Absent
    /// where it was not asked for and would have cost much more, and under
    /// misere play wherever it was not asked for.
    pub grundy: Option<u64>,
    /// Where a sum of tokens has no value, the values that it leads to.
    pub loopy: Option<Vec<u64>>,
    /// None where each side has moves of its own: see `turns`.
    pub winning_moves: Vec<Vec<u64>>,
    /// With the moves until the end, where the engine tells them; always
    /// where each side has moves of its own, or positions may repeat.
    pub by_side: Option<BySide>,
    /// The engine, or what else it was.
    pub method: &'static str,
    /// The engines that stand before it, each with the reason for which it was
    /// rejected.
    pub rejected: Vec<(&'static str, String)>,
}

impl PositionAnswer {
    /// Does a player win by moving there? Where each side has moves of its
    /// own, either of them.
    pub fn wins_by(&self, option: &[u64]) -> bool {
        match &self.by_side {
            None => self.winning_moves.iter().any(|winning| winning == option),
            Some(turns) => turns.each().iter().any(|(_, turn)| turn.wins_by(option)),
        }
    }
}

/// Answers about single positions, out of a table or as it finds them.
pub trait Lookup {
    /// The Grundy value, or 0 for P and 1 for N where outcomes are asked for.
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError>;

    /// Every option that is a P-position, ascending.
    fn winning_moves(
        &mut self,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, SolveError> {
        self.moves_to(0, solver, position, limits)
    }

    /// Every option of this value, ascending: in a sum these are the moves
    /// that win against a rest of this value.
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
            .options(position, 0, &mut |option, _| match self.value(option) {
                Ok(value) if value == wanted => {
                    found.insert(option.to_vec());
                    ControlFlow::Continue(())
                }
                Ok(_) => ControlFlow::Continue(()),
                Err(met) => {
                    failure = Some(met);
                    ControlFlow::Break(())
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(found.into_iter().collect()),
        }
    }
}

/// The answer about a position by a lookup that an engine has prepared for it.
pub(super) fn by_lookup(
    lookup: &mut dyn Lookup,
    engine: &'static str,
    solver: &Solver<'_>,
    position: &[u64],
    asked: Query,
    limits: &Limits,
) -> Result<PositionAnswer, SolveError> {
    let value = lookup.value(position)?;
    let winning_moves = match value {
        0 => Vec::new(),
        _ => lookup.winning_moves(solver, position, limits)?,
    };
    Ok(PositionAnswer {
        outcome: if value == 0 { Outcome::P } else { Outcome::N },
        grundy: (asked.question == Question::Grundy).then_some(value),
        loopy: None,
        winning_moves,
        by_side: None,
        method: engine,
        rejected: Vec::new(),
    })
}

/// Answers out of the table of the box below a position; `needed` are its
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

struct TableLookup {
    table: Table,
}

impl Lookup for TableLookup {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        // INVARIANT: an engine that fills boxes answers about rules that only
        // take, whose options lie in the box below.
        let place = self.table.region.place(position);
        let place = place.expect("the options of a rule that only takes lie in the box below");
        Ok(match &self.table.values {
            TableValues::Outcomes(values) => u64::from(values[place] != IS_P),
            TableValues::Grundy(values) => u64::from(values[place]),
        })
    }
}
