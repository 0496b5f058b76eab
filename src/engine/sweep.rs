//! A region swept once, and looked at by several on the way.
//!
//! Where an engine finds the outcomes of a box row by row they are handed on as
//! they become known, and nothing of the box need be kept; otherwise a table is
//! filled and handed on whole.

use super::{Asked, Engine, Failure, Limits, Question, Region, Solver, Table, choose, fill_region};
use crate::checkpoint::Resumable;
use crate::limits::{Met, Work};
use crate::rows::{Layout, Sink, State};
use std::time::{Duration, Instant};

/// Someone who looks at outcomes as they become known: at the rows of a box in
/// lexicographic order, or at one table.
pub trait Visitor: Resumable {
    /// As [`Sink::rows`] has them.
    fn rows(&mut self, layout: &Layout, first: usize, words: &[u64]) -> Result<(), Failure>;

    fn table(&mut self, table: &Table) -> Result<(), Failure>;
}

/// How a region was swept.
#[derive(Debug, Clone, Copy)]
pub struct Swept {
    pub engine: &'static str,
    /// The time that it took, without that of the visitors.
    pub took: Duration,
}

/// Is told how many slabs are done, the state of the sweep, and its visitors.
pub type SlabSeen<'s> = dyn FnMut(u64, &dyn State, &[&mut dyn Visitor]) + 's;

/// Where a sweep of rows begins, and who is told of its slabs.
pub struct Slabs<'s> {
    /// The slabs that an earlier sweep had done, and its state after them; the
    /// visitors are as they were then.
    pub from: Option<(u64, &'s [u8])>,
    /// Is told how many slabs are done, with all that is needed to go on.
    pub seen: &'s mut SlabSeen<'s>,
}

/// The engine that finds this region row by row, and the rows, if one does.
pub fn in_rows(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    forced: Option<&str>,
) -> Result<Option<(&'static dyn Engine, Layout)>, Failure> {
    let Region::Box(shape) = region else {
        return Ok(None);
    };
    if asked.question != Question::Outcome {
        return Ok(None);
    }
    let engine = choose(solver, asked, forced)?.engine;
    let finds_rows = engine.bytes_for_rows(solver, &shape.most).is_some();
    let layout = Layout::new(&shape.most).filter(|_| finds_rows);
    Ok(layout.map(|layout| (engine, layout)))
}

/// Finds the answers for a region and shows them to visitors.
pub fn sweep(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
    visitors: &mut [&mut dyn Visitor],
) -> Result<Swept, Failure> {
    let slabs = Slabs {
        from: None,
        seen: &mut |_, _, _| (),
    };
    sweep_slabs(solver, region, asked, limits, forced, visitors, slabs)
}

/// The same, of which the slabs can be kept and gone on from.
pub fn sweep_slabs(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
    visitors: &mut [&mut dyn Visitor],
    slabs: Slabs<'_>,
) -> Result<Swept, Failure> {
    let started = Instant::now();
    if let Some((engine, layout)) = in_rows(solver, region, asked, forced)? {
        let most = layout.most.clone();
        let needed = engine.bytes_for_rows(solver, &most).unwrap_or(u128::MAX);
        limits.within_memory(needed).map_err(Failure::of_limit)?;
        let positions = region.count() as u64;
        let done = slabs.from.map_or(0, |(done, _)| done);
        limits.go_on(
            Work::Solving,
            Some(positions),
            positions / (most[0] + 1) * done,
        );
        let mut shown = Shown {
            layout,
            limits,
            visitors,
            seen: slabs.seen,
            failed: None,
            took: Duration::ZERO,
        };
        let convention = asked.convention;
        let swept = engine.rows(solver, &most, convention, limits, slabs.from, &mut shown);
        let looked = shown.took;
        if let Some(failure) = shown.failed {
            return Err(failure);
        }
        swept?;
        return Ok(Swept {
            engine: engine.name(),
            took: started.elapsed().saturating_sub(looked),
        });
    }
    let table = fill_region(solver, region, asked, limits, forced)?;
    let took = started.elapsed();
    for visitor in visitors {
        visitor.table(&table)?;
    }
    Ok(Swept {
        engine: table.engine,
        took,
    })
}

/// Shows rows to visitors; keeps what fails, since a sink can only meet limits.
struct Shown<'v, 'w> {
    layout: Layout,
    limits: &'v Limits,
    visitors: &'v mut [&'w mut dyn Visitor],
    seen: &'v mut SlabSeen<'v>,
    failed: Option<Failure>,
    took: Duration,
}

impl Sink for Shown<'_, '_> {
    fn rows(&mut self, first: usize, words: &[u64]) -> Result<(), Met> {
        let started = Instant::now();
        for visitor in &mut *self.visitors {
            if let Err(failure) = visitor.rows(&self.layout, first, words) {
                self.failed = Some(failure);
                // Nobody sees this one.
                return Err(Met::Time);
            }
        }
        self.took += started.elapsed();
        let rows = first + words.len() / self.layout.words;
        let width = self.layout.most.last().map_or(1, |last| last + 1);
        self.limits.note_done(rows as u64 * width);
        Ok(())
    }

    fn slab(&mut self, done: u64, state: &dyn State) -> Result<(), Met> {
        let started = Instant::now();
        (self.seen)(done, state, &*self.visitors);
        self.took += started.elapsed();
        Ok(())
    }
}
