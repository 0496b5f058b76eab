//! A sweep in columns: of a box that does not fit the memory, or that several processes
//! divide among them ([`nimrule_kernels::columns`]).
//!
//! A column is the unit of what is stored and resumed. The visitors of a column begin
//! empty, so that anyone may compute it, and the states of all columns are added at the
//! end.

use crate::sweep::{FanOut, RowEngine, SweepSummary, VisitResult};
use crate::{Limits, Query, SolveError, Solver, Visitor, Work};
use nimrule_kernels::SlabState;
use nimrule_kernels::columns::{Column, ColumnSizes, Faces, SLABS_BETWEEN_SAVES};
use nimrule_limits::Instant;
use std::ops::Range;
use std::time::Duration;

/// A division of a box into columns of equal width, of which the last may be narrower.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// What columns take.
    pub sizes: ColumnSizes,
    /// The strips of a column, at least one.
    pub width: usize,
}

impl Columns {
    /// The number of columns.
    pub fn count(&self) -> usize {
        self.sizes.strips.div_ceil(self.width)
    }

    /// The most bytes that the faces and the pages take at once, with some threads of some
    /// processes that send each other the faces: the faces before and after the slabs of a
    /// column that are done, those that were read since the column was saved, and the pages
    /// while they are written a second time.
    pub fn bytes_of_files(&self, processes: usize, threads: usize) -> u128 {
        let slabs = self.sizes.slabs;
        let read = self.most_read() + threads * SLABS_BETWEEN_SAVES;
        let faces = match self.count() {
            count if count <= processes => 0,
            _ => slabs + read.min(slabs),
        };
        let pages = 2 * (processes * self.width).min(self.sizes.strips);
        faces as u128 * self.sizes.face + pages as u128 * self.sizes.page
    }

    /// The bytes of the faces of all columns.
    pub fn bytes_of_faces(&self) -> u128 {
        let read = (1..self.count()).map(|column| {
            let first = self.sizes.first_slab(self.strips(column).start);
            (self.sizes.slabs - first) as u128
        });
        read.sum::<u128>() * self.sizes.face
    }

    /// The time of some processes that compute the columns in turn, in the time of a strip:
    /// each slab of a column waits for the same slab of the column before. A face takes the
    /// time of `face` strips, half of it where it is written and half where it is read.
    pub fn makespan(&self, processes: usize, face: f64) -> f64 {
        let sizes = &self.sizes;
        let mut free = vec![0.0_f64; processes];
        let mut before = vec![0.0_f64; sizes.slabs];
        for column in 0..self.count() {
            let strips = self.strips(column);
            let faces = usize::from(strips.start > 0) + usize::from(strips.end < sizes.strips);
            let now = &mut free[column % processes];
            for (slab, before) in before.iter_mut().enumerate() {
                let computed = match sizes.is_mirrored {
                    true => strips.end.min(slab + 1).saturating_sub(strips.start),
                    false => strips.len(),
                };
                if computed > 0 {
                    *now = now.max(*before) + computed as f64 + face / 2.0 * faces as f64;
                }
                *before = *now;
            }
        }
        free.into_iter().fold(0.0, f64::max)
    }

    /// The number of faces that are read before the column is saved, so that they can be
    /// removed.
    pub fn most_read(&self) -> usize {
        self.sizes.slabs / 4
    }

    /// The strips of a column.
    pub fn strips(&self, column: usize) -> Range<usize> {
        let first = column * self.width;
        first..self.sizes.strips.min(first + self.width)
    }
}

/// A store of columns: of their faces, and of the visitors' states.
pub trait ColumnStore {
    /// The faces of a column.
    fn faces(&self, column: usize) -> Box<dyn Faces + '_>;

    /// The number of slabs of a column whose rows are in its stored state.
    fn done(&self, column: usize) -> usize;

    /// The next column to compute, which is the first that is neither done nor claimed;
    /// `None` when all are done. It waits while other processes compute the rest.
    ///
    /// # Errors
    ///
    /// If what is stored cannot be used, and an exceeded limit.
    fn claim(&self) -> Result<Option<usize>, SolveError>;

    /// Adds the stored state of a column to the visitors; nothing if none is stored.
    ///
    /// # Errors
    ///
    /// If what is stored cannot be used.
    fn add(&self, column: usize, visitors: &mut [&mut dyn Visitor]) -> Result<(), SolveError>;

    /// Stores the visitors' state after some slabs of a column.
    ///
    /// # Errors
    ///
    /// If it cannot be stored.
    fn save(
        &self,
        column: usize,
        done: usize,
        visitors: &[&mut dyn Visitor],
    ) -> Result<(), SolveError>;

    /// Takes the error of a face, after which the kernel ended with any exceeded limit.
    fn take_failure(&self) -> Option<SolveError>;
}

/// Computes the columns of a box that are not stored yet, and adds all columns to the
/// visitors, which accept rows in any order.
///
/// After an error the visitors have what is stored of other columns, and the rows of this
/// one so far.
///
/// # Errors
///
/// An exceeded limit, and the errors of the visitors and of the store.
pub fn sweep_columns(
    solver: &Solver<'_>,
    (rows, columns): (&RowEngine, &Columns),
    query: Query,
    limits: &Limits,
    visitors: &mut [&mut dyn Visitor],
    store: &dyn ColumnStore,
) -> Result<SweepSummary, SolveError> {
    let started = Instant::now();
    let mut sweep = ColumnSweep {
        solver,
        rows,
        columns,
        query,
        limits,
        store,
        visits: VisitResult::of(visitors.len()),
    };
    sweep.begin(visitors)?;
    while let Some(column) = store.claim()? {
        let swept = sweep.column(column, store.done(column), visitors);
        let swept = swept.and_then(|()| store.save(column, columns.sizes.slabs, visitors));
        if let Err(failure) = swept {
            sweep.add_others(Some(column), visitors)?;
            return Err(failure);
        }
    }
    sweep.clear(visitors);
    sweep.add_others(None, visitors)?;
    let VisitResult { took, saving, .. } = sweep.visits;
    let others = took.iter().sum::<Duration>() + saving;
    Ok(SweepSummary {
        engine: rows.engine.name(),
        took: started.elapsed().saturating_sub(others),
        visits: took,
    })
}

struct ColumnSweep<'a> {
    solver: &'a Solver<'a>,
    rows: &'a RowEngine,
    columns: &'a Columns,
    query: Query,
    limits: &'a Limits,
    store: &'a dyn ColumnStore,
    visits: VisitResult,
}

impl ColumnSweep<'_> {
    /// Reports what is stored, and checks that it can be used before more is computed.
    fn begin(&self, visitors: &mut [&mut dyn Visitor]) -> Result<(), SolveError> {
        let (sizes, layout) = (&self.columns.sizes, &self.rows.plan.layout);
        let strips_done: u64 = (0..self.columns.count())
            .map(|column| sizes.strips_done(self.columns.strips(column), self.store.done(column)))
            .sum();
        let strips = sizes.slabs as u64 * sizes.strips as u64;
        let positions = layout.rows as u64 * layout.width() as u64;
        let done = positions / strips * strips_done;
        self.limits.resume(Work::Solving, Some(positions), done);
        self.limits.set_p_positions(0);
        for column in 0..self.columns.count() {
            self.store.add(column, visitors)?;
        }
        Ok(())
    }

    fn clear(&self, visitors: &mut [&mut dyn Visitor]) {
        for visitor in visitors {
            visitor.clear();
        }
    }

    /// Adds the stored states of all columns but one. Their P-positions have been reported.
    fn add_others(
        &self,
        but: Option<usize>,
        visitors: &mut [&mut dyn Visitor],
    ) -> Result<(), SolveError> {
        let others = (0..self.columns.count()).filter(|column| Some(*column) != but);
        self.keeping_p_positions(|| {
            others
                .into_iter()
                .try_for_each(|column| self.store.add(column, visitors))
        })
    }

    fn keeping_p_positions<T>(&self, work: impl FnOnce() -> T) -> T {
        let progress = self.limits.progress.as_ref();
        let reported = progress.map(|progress| progress.snapshot().p_positions);
        let result = work();
        if let Some(reported) = reported {
            self.limits.set_p_positions(reported);
        }
        result
    }

    /// Computes the rest of a column, from a slab on.
    fn column(
        &mut self,
        column: usize,
        done: usize,
        visitors: &mut [&mut dyn Visitor],
    ) -> Result<(), SolveError> {
        let store = self.store;
        self.clear(visitors);
        self.keeping_p_positions(|| store.add(column, visitors))?;
        let faces = store.faces(column);
        let mut unsaved = None;
        let mut save = |done: u64, _: &dyn SlabState, visitors: &[&mut dyn Visitor]| {
            unsaved = store.save(column, done as usize, visitors).err();
            unsaved.is_none()
        };
        let mut fan_out = FanOut {
            limits: self.limits,
            accepts_any_order: true,
            visits: std::mem::take(&mut self.visits),
            visitors,
            observer: Some(&mut save),
            parts: Vec::new(),
        };
        let part = Column {
            strips: self.columns.strips(column),
            faces: &*faces,
        };
        let swept = self.rows.engine.rows_of_column(
            self.solver,
            &self.rows.plan.layout,
            self.query.convention,
            self.limits,
            (done as u64, part),
            &mut fan_out,
        );
        self.visits = fan_out.visits;
        let failed = self.visits.failed.take().or(unsaved);
        match failed.or_else(|| store.take_failure()) {
            Some(failure) => Err(failure),
            None => swept,
        }
    }
}
