//! Estimates of the time for a box by extrapolation from smaller boxes.
//!
//! Boxes of growing sizes are solved until one takes long enough to be timed. The
//! time is modelled as a power of the size, fitted to the last two boxes. Caches and
//! word lengths make the estimate exact only within a small factor: it separates
//! minutes from years.

use super::{Limits, Query, Region, SolveError, Solver, Visitor, sweep};
use crate::{Shape, Table};
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::Instant;
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use std::time::Duration;

/// A measurement of at least this time is the last one.
const LONG_ENOUGH: Duration = Duration::from_millis(20);
/// A measurement is aborted after this time.
const TOO_LONG: Duration = Duration::from_millis(200);

/// A measurement of less than this time is dominated by overhead, and discarded.
const SHORTEST_TIMED: Duration = Duration::from_micros(200);

/// The estimated time for a box as a function of its size, the largest heap + 1:
/// `seconds · (size / self.size)^power`.
#[derive(Debug, Clone, Copy)]
pub struct TimeEstimate {
    size: f64,
    seconds: f64,
    power: f64,
}

impl TimeEstimate {
    /// Measures boxes of the same game. `None` if the region is not a box, if it is
    /// so small that no smaller box takes long enough, or after an error, which the
    /// sweep of the whole region will report.
    pub fn measured(
        solver: &Solver<'_>,
        region: &Region,
        query: Query,
        limits: &Limits,
        forced: Option<&str>,
    ) -> Option<TimeEstimate> {
        let Region::Box(shape) = region else {
            return None;
        };
        let whole = region.to(solver.game);
        let mut before: Option<(f64, f64)> = None;
        let mut size = 2;
        while size < whole {
            let most: Vec<u64> = shape.most.iter().map(|most| size.min(*most)).collect();
            let took = trial(solver, &most, query, limits, forced).ok()?;
            let last = ((size + 1) as f64, took.as_secs_f64());
            if took >= LONG_ENOUGH {
                let heaps = shape.most.len() as f64;
                // The number of positions grows with the power `heaps`; the number
                // of options of a position adds at most about 1.
                let power = match before {
                    Some(before) => (last.1 / before.1).log2() / (last.0 / before.0).log2(),
                    None => heaps,
                };
                return Some(TimeEstimate {
                    size: last.0,
                    seconds: last.1,
                    power: power.clamp((heaps - 1.0).max(1.0), heaps + 1.0),
                });
            }
            if took >= SHORTEST_TIMED {
                before = Some(last);
            }
            size += size.div_ceil(3);
        }
        None
    }

    /// The estimated time for the box with heaps of at most `most` tokens; `None` if
    /// it exceeds the range of [`Duration`].
    pub fn time(&self, most: u64) -> Option<Duration> {
        let seconds = self.seconds * ((most as f64 + 1.0) / self.size).powf(self.power);
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// The largest heap of a box that takes at most this time, as estimated.
    pub fn largest(&self, time: Duration) -> u64 {
        let times = time.as_secs_f64() / self.seconds;
        (self.size * times.powf(self.power.recip()) - 1.0).max(0.0) as u64
    }
}

/// Measures the time for a box.
fn trial(
    solver: &Solver<'_>,
    most: &[u64],
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Duration, SolveError> {
    let begun = Instant::now();
    let given_up = begun + TOO_LONG;
    let limits = Limits {
        deadline: Some(limits.deadline.map_or(given_up, |end| end.min(given_up))),
        // NoVisitor waits for so short a work, nor need see it.
        progress: None,
        // What the clock decides counts no work.
        work: None,
        ..limits.clone()
    };
    let Some(shape) = Shape::new(most) else {
        return Ok(Duration::ZERO);
    };
    let region = Region::Box(shape);
    match sweep(
        solver,
        &region,
        query,
        &limits,
        forced,
        &mut [&mut NoVisitor],
    ) {
        // Aborted: the time so far is a lower bound.
        Err(SolveError::Time) => Ok(begun.elapsed()),
        swept => swept.map(|_| begun.elapsed()),
    }
}

/// A visitor that ignores all answers.
struct NoVisitor;

impl Resumable for NoVisitor {
    fn save(&self, _out: &mut Writer<'_>) {}

    fn restore(&mut self, _from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        Ok(())
    }
}

impl Sink<SolveError> for NoVisitor {
    fn rows(&mut self, _layout: &Layout, _rows: Rows<'_>) -> Result<(), SolveError> {
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }
}

impl Visitor for NoVisitor {
    fn clear(&mut self) {}

    fn add(&mut self, _from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        Ok(())
    }

    fn table(&mut self, _table: &Table) -> Result<(), SolveError> {
        Ok(())
    }
}
