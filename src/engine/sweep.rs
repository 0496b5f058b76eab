//! A region swept once, and looked at by several on the way.
//!
//! Where an engine finds the outcomes of a box row by row they are handed on as
//! they become known, and nothing of the box need be kept; otherwise a table is
//! filled and handed on whole.

use super::{Asked, Failure, Limits, Question, Region, Solver, Table, choose, fill_region};
use crate::limits::Met;
use crate::rows::{Layout, Sink};
use std::time::{Duration, Instant};

/// Someone who looks at outcomes as they become known: at the rows of a box in
/// lexicographic order, or at one table.
pub trait Visitor {
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

/// Finds the answers for a region and shows them to visitors.
pub fn sweep(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
    visitors: &mut [&mut dyn Visitor],
) -> Result<Swept, Failure> {
    let started = Instant::now();
    if let Region::Box(shape) = region
        && asked.question == Question::Outcome
    {
        let engine = choose(solver, asked, forced)?.engine;
        let layout = Layout::new(&shape.most);
        if let Some(needed) = engine.bytes_for_rows(solver, &shape.most)
            && let Some(layout) = layout
        {
            limits.within_memory(needed).map_err(Failure::of_limit)?;
            let mut shown = Shown {
                layout,
                visitors,
                failed: None,
                took: Duration::ZERO,
            };
            let convention = asked.convention;
            let swept = engine.rows(solver, &shape.most, convention, limits, None, &mut shown);
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
    visitors: &'v mut [&'w mut dyn Visitor],
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
        Ok(())
    }
}
