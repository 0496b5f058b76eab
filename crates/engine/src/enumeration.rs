//! Enumeration: a table of the box, filled in lexicographic order from the
//! options of each position.
//!
//! Every option of a rule that only takes lies below its position and therefore
//! earlier in this order. Rules whose conditions read the position are evaluated
//! in batches (`batch`).

mod batch;
mod batch_options;
mod lines;
mod looks;
mod outcomes;
mod values;

use self::outcomes::OutcomeBatch;
use self::values::GrundyBatch;
use super::options::Options;
use super::strategy::{CHEAP, work_below};
use super::table::Prefix;
use super::table::{IS_N, IS_P, NO_POSITION, NO_VALUE};
use super::table_checkpoint::TableCheckpoints;
use super::{
    Engine, Limits, Query, Question, Resumption, Shape, SolveError, Solver, Table, TableValues,
    Work,
};
use nimrule_ir::Stop;
use nimrule_ir::batch::has_deferred_guards;
use nimrule_kernels::SlabState;
use nimrule_model::game::Convention;
use std::ops::ControlFlow;

/// The engine that enumerates the options of every position; see the [module](self).
pub struct Enumeration;

impl Engine for Enumeration {
    fn name(&self) -> &'static str {
        "table"
    }

    fn can(&self, solver: &Solver<'_>, _query: Query) -> Result<(), String> {
        solver
            .profile
            .only_takes
            .clone()
            .map_err(|reason| format!("options may lie outside the box: {reason}"))
    }

    fn bytes(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> u128 {
        let positions = Shape::count(most);
        let is_batched = batch::is_for(solver, most);
        let has_conditions = is_batched && has_deferred_guards(&solver.graph);
        // The allowed numbers of all conditions take at most a byte per position.
        let sets = if has_conditions { positions } else { 0 };
        let table = match query.question {
            Question::Grundy => positions.saturating_mul(4),
            Question::Outcome if is_batched => {
                let lines = lines::Lines::bytes(most, positions, has_conditions);
                positions.saturating_add(lines)
            }
            Question::Outcome => positions,
        };
        table.saturating_add(sets)
    }

    /// For outcomes, a take of any number from one heap costs one look at a line, which takes as
    /// long as three options.
    fn operations(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> Option<u128> {
        let options = work_below(solver, most);
        if query.question == Question::Grundy
            || options <= CHEAP / 30
            || !batch::is_for(solver, most)
        {
            return Some(options);
        }
        let looks = looks::estimate(solver, most).map(|looks| looks.saturating_mul(3));
        Some(looks.map_or(options, |looks| looks.min(options)))
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let growth = TableCheckpoints {
            from: None,
            observer: &mut |_, _| {},
        };
        self.fill_from(solver, shape, query, limits, growth)
    }

    fn resumption(&self) -> Resumption {
        Resumption::Answers
    }

    fn fill_from(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
        growth: TableCheckpoints<'_>,
    ) -> Result<Table, SolveError> {
        let TableCheckpoints { from, observer } = growth;
        let convention = query.convention;
        let values = match query.question {
            Question::Outcome => {
                let first = match &from {
                    Some(TableValues::Outcomes(first)) => first.as_slice(),
                    _ => &[],
                };
                TableValues::Outcomes(outcomes(
                    solver, shape, convention, limits, first, observer,
                )?)
            }
            Question::Grundy => {
                let first = match &from {
                    Some(TableValues::Grundy(first)) => first.as_slice(),
                    _ => &[],
                };
                TableValues::Grundy(grundy_values(
                    solver, shape, convention, limits, first, observer,
                )?)
            }
        };
        Ok(Table::of_box(shape, values, self.name()))
    }
}

/// The number of positions between two checks of the clock.
const POSITIONS_BETWEEN_CHECKS: usize = 1 << 12;

fn outcomes(
    solver: &Solver<'_>,
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
    first: &[u8],
    observer: &mut dyn FnMut(u64, &dyn SlabState),
) -> Result<Vec<u8>, SolveError> {
    if batch::is_for(solver, &shape.most) {
        let excludes = solver.graph.positions.is_some();
        let defers_guards = has_deferred_guards(&solver.graph);
        let mut chunk = OutcomeBatch::new(shape, convention, excludes, defers_guards, limits);
        chunk.begin_with(first);
        batch::fill(solver, shape, limits, &mut chunk, first.len(), observer)?;
        return Ok(chunk.values);
    }
    let mut options = Options::of(solver, shape, limits)?;
    let excludes = solver.graph.positions.is_some();
    let mut values = vec![IS_N; shape.len];
    values[..first.len()].copy_from_slice(first);
    let mut p_positions = first.iter().filter(|value| **value == IS_P).count() as u64;
    limits.resume(Work::Solving, Some(shape.len as u64), first.len() as u64);
    shape.try_each_from(first.len(), |position, place| {
        if place % POSITIONS_BETWEEN_CHECKS == 0 {
            limits.set_p_positions(p_positions);
            limits.check_time_at(place as u64)?;
            observer(place as u64, &Prefix::Outcomes(&values[..place]));
        }
        if excludes
            && !options
                .is_position(position)
                .map_err(|fault| SolveError::of(Stop::Fault(fault), position))?
        {
            values[place] = NO_POSITION;
            return Ok::<(), SolveError>(());
        }
        let mut moves = false;
        let wins = options
            .each(position, place, &mut |option| {
                moves = true;
                if values[option] == IS_P {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        let ended_well = convention == Convention::Misere && !moves;
        if !wins && !ended_well {
            values[place] = IS_P;
            p_positions += 1;
        }
        Ok(())
    })?;
    Ok(values)
}

fn grundy_values(
    solver: &Solver<'_>,
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
    first: &[u32],
    observer: &mut dyn FnMut(u64, &dyn SlabState),
) -> Result<Vec<u32>, SolveError> {
    if batch::is_for(solver, &shape.most) {
        let mut chunk = GrundyBatch::new(shape.len, convention);
        chunk.begin_with(first);
        batch::fill(solver, shape, limits, &mut chunk, first.len(), observer)?;
        return Ok(chunk.values);
    }
    let mut options = Options::of(solver, shape, limits)?;
    let excludes = solver.graph.positions.is_some();
    let mut values = vec![0_u32; shape.len];
    values[..first.len()].copy_from_slice(first);
    let mut mex = Mex::default();
    limits.resume(Work::Solving, Some(shape.len as u64), first.len() as u64);
    shape.try_each_from(first.len(), |position, place| {
        if place % POSITIONS_BETWEEN_CHECKS == 0 {
            limits.check_time_at(place as u64)?;
            observer(place as u64, &Prefix::Grundy(&values[..place]));
        }
        if excludes
            && !options
                .is_position(position)
                .map_err(|fault| SolveError::of(Stop::Fault(fault), position))?
        {
            values[place] = NO_VALUE;
            return Ok::<(), SolveError>(());
        }
        mex.clear();
        let mut moves = false;
        options
            .each(position, place, &mut |option| {
                moves = true;
                mex.add(values[option]);
                ControlFlow::Continue(())
            })
            .map_err(|stop| SolveError::of(stop, position))?;
        let end = convention == Convention::Misere && !moves;
        values[place] = if end { 1 } else { mex.value() };
        Ok(())
    })?;
    Ok(values)
}

/// The mex of a set, reusable for one set after another.
#[derive(Debug, Default)]
pub struct Mex {
    /// The round in which each value was last added; a call of `clear` begins a round.
    last_added: Vec<u64>,
    round: u64,
}

impl Mex {
    /// Empties the set, in constant time.
    pub fn clear(&mut self) {
        self.round += 1;
    }

    /// Adds a value to the set.
    pub fn add(&mut self, value: u32) {
        let value = value as usize;
        if value >= self.last_added.len() {
            self.last_added.resize(value + 1, 0);
        }
        self.last_added[value] = self.round;
    }

    /// The smallest natural number that is not in the set.
    pub fn value(&self) -> u32 {
        let missing = self
            .last_added
            .iter()
            .position(|round| *round != self.round);
        // INVARIANT: a mex is at most the number of options, and a table of
        // more than u32::MAX options for one position fits no memory.
        u32::try_from(missing.unwrap_or(self.last_added.len())).unwrap_or(u32::MAX - 1)
    }
}
