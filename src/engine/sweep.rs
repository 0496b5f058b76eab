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

/// Someone who looks at outcomes as they become known: at the rows of a box, or
/// at one table.
pub trait Visitor: Resumable {
    /// As [`Sink::rows`] has them.
    fn rows(&mut self, layout: &Layout, first: usize, words: &[u64]) -> Result<(), Failure>;

    /// As [`Sink::mirrored`] has them.
    fn mirrored(&mut self, layout: &Layout, first: usize, words: &[u64]) -> Result<(), Failure> {
        self.rows(layout, first, words)
    }

    /// May rows come in any order, and heaps too?
    fn in_any_order(&self) -> bool {
        false
    }

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

/// A region that is found row by row.
pub struct InRows {
    pub engine: &'static dyn Engine,
    pub layout: Layout,
    bytes: u128,
}

/// How this region is found row by row, if it is.
pub fn in_rows(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    forced: Option<&str>,
    in_any_order: bool,
) -> Result<Option<InRows>, Failure> {
    let Region::Box(shape) = region else {
        return Ok(None);
    };
    if asked.question != Question::Outcome {
        return Ok(None);
    }
    let engine = choose(solver, asked, forced)?.engine;
    let plan = engine.plan_rows(solver, &shape.most, in_any_order);
    Ok(plan.map(|(layout, bytes)| InRows {
        engine,
        layout,
        bytes,
    }))
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
    sweep_slabs(solver, region, asked, limits, forced, visitors, None)
}

/// The same, of which the slabs can be kept and gone on from.
pub fn sweep_slabs(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
    visitors: &mut [&mut dyn Visitor],
    slabs: Option<Slabs<'_>>,
) -> Result<Swept, Failure> {
    let started = Instant::now();
    // What is kept of a sweep is kept slab by slab, in order.
    let in_any_order = slabs.is_none() && visitors.iter().all(|visitor| visitor.in_any_order());
    if let Some(rows) = in_rows(solver, region, asked, forced, in_any_order)? {
        let InRows {
            engine,
            layout,
            bytes,
        } = rows;
        limits.within_memory(bytes).map_err(Failure::of_limit)?;
        let positions = region.count() as u64;
        let (from, seen) = match slabs {
            Some(slabs) => (slabs.from, Some(slabs.seen)),
            None => (None, None),
        };
        let done = positions / (layout.most[0] + 1) * from.map_or(0, |(done, _)| done);
        limits.go_on(Work::Solving, Some(positions), done);
        let mut shown = Shown {
            layout: &layout,
            limits,
            in_any_order,
            visitors,
            seen,
            done,
            failed: None,
            took: Duration::ZERO,
        };
        let swept = engine.rows(solver, &layout, asked.convention, limits, from, &mut shown);
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
struct Shown<'v, 'w, 's> {
    layout: &'v Layout,
    limits: &'v Limits,
    in_any_order: bool,
    visitors: &'v mut [&'w mut dyn Visitor],
    seen: Option<&'s mut SlabSeen<'s>>,
    /// Positions.
    done: u64,
    failed: Option<Failure>,
    took: Duration,
}

impl Shown<'_, '_, '_> {
    fn show(
        &mut self,
        words: &[u64],
        mut look: impl FnMut(&mut dyn Visitor) -> Result<(), Failure>,
    ) -> Result<(), Met> {
        let started = Instant::now();
        for visitor in &mut *self.visitors {
            if let Err(failure) = look(&mut **visitor) {
                self.failed = Some(failure);
                // Nobody sees this one.
                return Err(Met::Time);
            }
        }
        self.took += started.elapsed();
        let width = self.layout.most.last().map_or(1, |last| last + 1);
        self.done += (words.len() / self.layout.words) as u64 * width;
        self.limits.note_done(self.done);
        Ok(())
    }
}

impl Sink for Shown<'_, '_, '_> {
    fn rows(&mut self, first: usize, words: &[u64]) -> Result<(), Met> {
        let layout = self.layout;
        self.show(words, |visitor| visitor.rows(layout, first, words))
    }

    fn mirrored(&mut self, first: usize, words: &[u64]) -> Result<(), Met> {
        let layout = self.layout;
        self.show(words, |visitor| visitor.mirrored(layout, first, words))
    }

    fn in_any_order(&self) -> bool {
        self.in_any_order
    }

    fn slab(&mut self, done: u64, state: &dyn State) -> Result<(), Met> {
        let started = Instant::now();
        if let Some(seen) = &mut self.seen {
            seen(done, state, &*self.visitors);
        }
        self.took += started.elapsed();
        Ok(())
    }
}
