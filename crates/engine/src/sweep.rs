//! A sweep: one pass over the outcomes of a region, shared by several visitors.
//!
//! An engine that computes a box row by row streams the rows to the visitors, so
//! that no table is stored. Otherwise a table is filled and passed as a whole.

use super::{
    Engine, Limits, Query, Question, Region, RowPlan, SolveError, Solver, Table, choose_for_box,
    fill_region,
};
use nimrule_kernels::columns::ColumnSizes;
use nimrule_kernels::{Layout, Rows, Sink, SlabState, Start};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable};
use nimrule_limits::{Instant, LimitExceeded, Work};
use nimrule_model::game::Convention;
use std::time::Duration;

/// A visitor of answers: of the rows of a box, or of one table. The rows of Grundy values
/// are those of the sum with a Nim heap ([`Engine::row_plan`]).
pub trait Visitor: Sink<SolveError> + Resumable {
    /// Forgets all rows.
    fn clear(&mut self);

    /// Adds the saved state of a visitor of other rows of the same box. It is called only
    /// for visitors that accept rows in any order.
    ///
    /// # Errors
    ///
    /// If the saved state cannot be read.
    fn add(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError>;

    /// Visits all answers of a table.
    ///
    /// # Errors
    ///
    /// The error ends the sweep.
    fn table(&mut self, table: &Table) -> Result<(), SolveError>;
}

/// The engine and the time of a sweep.
#[derive(Debug, Clone)]
pub struct SweepSummary {
    /// The name of the engine.
    pub engine: &'static str,
    /// The time of the sweep without the visitors.
    pub took: Duration,
    /// The time of each visitor; with several threads the mean of theirs.
    pub visits: Vec<Duration>,
}

/// A callback with the number of finished slabs, the state of the sweep, and the
/// visitors. It returns whether the sweep goes on.
pub type SlabObserver<'s> = dyn FnMut(u64, &dyn SlabState, &[&mut dyn Visitor]) -> bool + 's;

/// The checkpoint at which a sweep of rows begins, and the observer of its slabs.
pub struct SlabCheckpoints<'s> {
    /// The number of slabs that an earlier sweep finished, and its state after them.
    /// The visitors must be in their state of that moment.
    pub from: Option<(u64, &'s [u8])>,
    /// Called after each slab with the state needed to resume.
    pub observer: &'s mut SlabObserver<'s>,
}

/// An engine that computes a region row by row.
pub struct RowEngine {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// Its plan for the region.
    pub plan: RowPlan,
}

/// The engine chosen for a region, if it computes the region row by row.
///
/// # Errors
///
/// As [`choose_for_box`].
pub fn row_engine(
    solver: &Solver<'_>,
    region: &Region,
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
    accepts_any_order: bool,
) -> Result<Option<RowEngine>, SolveError> {
    let Region::Box(shape) = region else {
        return Ok(None);
    };
    if query.question != Question::Outcome {
        return Ok(None);
    }
    let engine = choose_for_box(solver, &shape.most, query, limits, forced)?.engine;
    let plan = engine.row_plan(solver, &shape.most, query.question, accepts_any_order);
    Ok(plan.map(|plan| RowEngine { engine, plan }))
}

/// The engine chosen for a region, its plan, and the sizes of the columns into which the
/// region is divided; or the reason why it is not, as a clause.
///
/// # Errors
///
/// As [`choose_for_box`].
pub fn column_engine(
    solver: &Solver<'_>,
    region: &Region,
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Result<(RowEngine, ColumnSizes), String>, SolveError> {
    let Region::Box(shape) = region else {
        return Ok(Err("it is no box of heaps".to_owned()));
    };
    let engine = choose_for_box(solver, &shape.most, query, limits, forced)?.engine;
    let Some(plan) = engine.row_plan(solver, &shape.most, query.question, true) else {
        return Ok(Err(format!(
            "the engine `{}` does not solve it row by row",
            engine.name()
        )));
    };
    let sizes = engine.column_sizes(solver, &plan.layout, query.question);
    Ok(sizes.and_then(|sizes| match sizes {
        Some(sizes) => Ok((RowEngine { engine, plan }, sizes)),
        None => Err(format!(
            "it is one strip for the engine `{}`, since it has few heaps, or the second is empty",
            engine.name()
        )),
    }))
}

/// Solves a region and passes the answers to the visitors.
///
/// # Errors
///
/// As [`fill_region`], and the errors of visitors.
pub fn sweep(
    solver: &Solver<'_>,
    region: &Region,
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
    visitors: &mut [&mut dyn Visitor],
) -> Result<SweepSummary, SolveError> {
    sweep_with_checkpoints(solver, region, query, limits, forced, visitors, None)
}

/// [`sweep`], resumed from a checkpoint and observed after each slab.
///
/// # Errors
///
/// As [`sweep`].
pub fn sweep_with_checkpoints(
    solver: &Solver<'_>,
    region: &Region,
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
    visitors: &mut [&mut dyn Visitor],
    slabs: Option<SlabCheckpoints<'_>>,
) -> Result<SweepSummary, SolveError> {
    let started = Instant::now();
    // A checkpoint contains a prefix of the slabs in order.
    let accepts_any_order =
        slabs.is_none() && visitors.iter().all(|visitor| visitor.accepts_any_order());
    if let Some(rows) = row_engine(solver, region, query, limits, forced, accepts_any_order)? {
        return sweep_rows(solver, &rows, query, limits, visitors, slabs);
    }
    let table = fill_region(solver, region, query, limits, forced)?;
    show_table(&table, started.elapsed(), visitors)
}

/// Passes the rows of a planned box to the visitors, which accept them in any order unless
/// they are observed after each slab.
///
/// # Errors
///
/// An exceeded limit, and the errors of visitors.
pub fn sweep_rows(
    solver: &Solver<'_>,
    rows: &RowEngine,
    query: Query,
    limits: &Limits,
    visitors: &mut [&mut dyn Visitor],
    slabs: Option<SlabCheckpoints<'_>>,
) -> Result<SweepSummary, SolveError> {
    let started = Instant::now();
    let RowEngine {
        engine,
        plan: RowPlan { layout, bytes },
    } = rows;
    let question = query.question;
    limits.check_memory(*bytes).map_err(SolveError::from)?;
    let accepts_any_order =
        slabs.is_none() && visitors.iter().all(|visitor| visitor.accepts_any_order());
    let positions = layout.rows as u64 * positions_of_a_row(layout, question) as u64;
    let (from, observer) = match slabs {
        Some(slabs) => (slabs.from, Some(slabs.observer)),
        None => (None, None),
    };
    let done = positions / (layout.most[0] + 1) * from.map_or(0, |(done, _)| done);
    limits.resume(Work::Solving, Some(positions), done);
    let mut fan_out = FanOut {
        limits,
        question,
        accepts_any_order,
        visits: VisitResult::of(visitors.len()),
        visitors,
        observer,
        parts: Vec::new(),
    };
    let start = Start {
        misere: query.convention == Convention::Misere,
        from,
        column: None,
    };
    let swept = engine.rows(solver, layout, question, start, limits, &mut fan_out);
    let VisitResult {
        took: visits,
        saving,
        failed,
        calls: _,
    } = fan_out.visits;
    if let Some(failure) = failed {
        return Err(failure);
    }
    swept?;
    Ok(SweepSummary {
        engine: engine.name(),
        took: (started.elapsed()).saturating_sub(visits.iter().sum::<Duration>() + saving),
        visits,
    })
}

/// Passes a table that took this time to the visitors.
///
/// # Errors
///
/// Those of the visitors.
pub fn show_table(
    table: &Table,
    took: Duration,
    visitors: &mut [&mut dyn Visitor],
) -> Result<SweepSummary, SolveError> {
    let mut visits = Vec::new();
    for visitor in visitors {
        let started = Instant::now();
        visitor.table(table)?;
        visits.push(started.elapsed());
    }
    Ok(SweepSummary {
        engine: table.engine(),
        took,
        visits,
    })
}

/// The positions of the game of which a row tells the answer.
pub(crate) fn positions_of_a_row(layout: &Layout, question: Question) -> usize {
    match question {
        Question::Outcome => layout.width(),
        // The row is that of a Nim heap beside the position.
        Question::Grundy => 1,
    }
}

/// Calls with fewer rows are so short that reading the clock would show: the time of every
/// eighth is measured.
const MANY_ROWS: usize = 1024;
const SAMPLE: u32 = 8;

/// The result of passing rows to visitors.
#[derive(Default)]
pub(crate) struct VisitResult {
    /// The number of calls with few rows.
    calls: u32,
    /// The time of each visitor.
    pub took: Vec<Duration>,
    /// The time of the observer of slabs.
    pub saving: Duration,
    /// The first failure, since a sink can only return exceeded limits.
    pub failed: Option<SolveError>,
}

impl VisitResult {
    pub fn of(visitors: usize) -> VisitResult {
        VisitResult {
            took: vec![Duration::ZERO; visitors],
            ..VisitResult::default()
        }
    }

    /// Passes rows to the visitors, one after another.
    fn show<V>(
        &mut self,
        visitors: &mut [V],
        (layout, rows, question, limits): (&Layout, Rows<'_>, Question, &Limits),
        mut look: impl FnMut(&mut V) -> Result<(), SolveError>,
    ) -> Result<(), LimitExceeded> {
        let calls = match rows.count() < MANY_ROWS {
            true => SAMPLE,
            false => 1,
        };
        let is_measured = calls == 1 || self.calls.is_multiple_of(SAMPLE);
        self.calls = self.calls.wrapping_add(u32::from(calls > 1));
        let mut started = is_measured.then(Instant::now);
        for (visitor, took) in visitors.iter_mut().zip(&mut self.took) {
            if let Err(failure) = look(visitor) {
                self.failed = Some(failure);
                // A placeholder: the caller returns `failed` instead.
                return Err(LimitExceeded::Time);
            }
            if let Some(before) = &mut started {
                let now = Instant::now();
                *took += (now - *before) * calls;
                *before = now;
            }
        }
        limits.add_done(rows.count() as u64 * positions_of_a_row(layout, question) as u64);
        Ok(())
    }
}

/// Passes rows to the visitors.
pub(crate) struct FanOut<'v, 'w, 's> {
    pub limits: &'v Limits,
    pub question: Question,
    pub accepts_any_order: bool,
    pub visitors: &'v mut [&'w mut dyn Visitor],
    pub observer: Option<&'s mut SlabObserver<'s>>,
    pub visits: VisitResult,
    /// By thread.
    pub parts: Vec<VisitResult>,
}

impl Sink for FanOut<'_, '_, '_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let all = (layout, rows, self.question, self.limits);
        let visitors = &mut *self.visitors;
        self.visits.show(visitors, all, |v| v.rows(layout, rows))
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let all = (layout, rows, self.question, self.limits);
        let visitors = &mut *self.visitors;
        self.visits
            .show(visitors, all, |v| v.mirrored(layout, rows))
    }

    fn accepts_any_order(&self) -> bool {
        self.accepts_any_order
    }

    fn can_split(&self) -> bool {
        self.visitors.iter().all(|visitor| visitor.can_split())
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        let each = self.visitors.len();
        self.parts.resize_with(count, || VisitResult::of(each));
        let mut visitors: Vec<Vec<Box<dyn Sink<SolveError> + Send + '_>>> = Vec::new();
        visitors.resize_with(count, Vec::new);
        for visitor in &mut *self.visitors {
            for (part, visitors) in visitor.parts(count).into_iter().zip(&mut visitors) {
                visitors.push(part);
            }
        }
        let parts = visitors.into_iter().zip(&mut self.parts);
        parts
            .map(|(visitors, visits)| {
                Box::new(FanOutPart {
                    limits: self.limits,
                    question: self.question,
                    accepts_any_order: self.accepts_any_order,
                    visitors,
                    visits,
                }) as Box<dyn Sink + Send + '_>
            })
            .collect()
    }

    fn merge_parts(&mut self) {
        for visitor in &mut *self.visitors {
            visitor.merge_parts();
        }
        let threads = self.parts.len().max(1) as u32;
        for visits in self.parts.drain(..) {
            for (took, of_thread) in self.visits.took.iter_mut().zip(visits.took) {
                *took += of_thread / threads;
            }
            if self.visits.failed.is_none() {
                self.visits.failed = visits.failed;
            }
        }
    }

    fn slab(&mut self, done: u64, state: &dyn SlabState) -> Result<(), LimitExceeded> {
        let started = Instant::now();
        let goes_on = match &mut self.observer {
            Some(observer) => observer(done, state, &*self.visitors),
            None => true,
        };
        self.visits.saving += started.elapsed();
        match goes_on {
            true => Ok(()),
            // A placeholder: the observer has the error.
            false => Err(LimitExceeded::Time),
        }
    }
}

/// Passes the rows of one thread to parts of the visitors.
struct FanOutPart<'v> {
    limits: &'v Limits,
    question: Question,
    accepts_any_order: bool,
    visitors: Vec<Box<dyn Sink<SolveError> + Send + 'v>>,
    visits: &'v mut VisitResult,
}

impl Sink for FanOutPart<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let all = (layout, rows, self.question, self.limits);
        let visitors = &mut self.visitors;
        self.visits.show(visitors, all, |v| v.rows(layout, rows))
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let all = (layout, rows, self.question, self.limits);
        let visitors = &mut self.visitors;
        self.visits
            .show(visitors, all, |v| v.mirrored(layout, rows))
    }

    fn accepts_any_order(&self) -> bool {
        self.accepts_any_order
    }
}
