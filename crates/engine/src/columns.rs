//! A sweep in columns: of a box that does not fit the memory, or that several processes
//! divide among them ([`nimrule_kernels::columns`]).
//!
//! A column is the unit of what is stored and resumed. The visitors of a column begin
//! empty, so that anyone may compute it, and the states of all columns are added at the
//! end.

use crate::sweep::{FanOut, RowEngine, SweepSummary, VisitResult, positions_of_a_row};
use crate::{Limits, Query, SolveError, Solver, Visitor, Work};
use nimrule_kernels::columns::{Column, ColumnSizes, Faces, SLABS_BETWEEN_SAVES};
use nimrule_kernels::{SlabState, Start};
use nimrule_limits::Instant;
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::Convention;
use std::ops::Range;
use std::time::Duration;

/// A division of a box into columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// What columns take.
    pub sizes: ColumnSizes,
    /// The end of each column: the number of its last strip, and one.
    ends: Vec<usize>,
}

/// Processes that compute columns in turn, and send each other the faces.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline {
    /// Their number.
    pub processes: usize,
    /// The time of a face in the time of a strip: half of it where the face is written, and half
    /// where it is read.
    pub face: f64,
    /// Whether the faces of the last process wait in the memory of the first one for the next
    /// round of columns. Else they are files.
    pub keeps_faces: bool,
}

/// The most divisions of which the times are compared, with those for other exponents.
const MOST_COUNTS: usize = 256;

/// The time in which a page of a strip is cleared when it is first used, in the time of a
/// strip. It is between a third of one and ten, depending on the machine. What was freed is
/// cleared faster, and not counted.
const FIRST_USE: f64 = 1.0;

/// The divisions that are improved.
const STARTS: usize = 24;

/// The slabs of columns that are gone through while a division is improved.
const MOST_SLABS: usize = 1 << 26;

impl Columns {
    /// Columns of equal width, of which the last may be narrower.
    ///
    /// # Panics
    ///
    /// If the width is 0.
    pub fn of_width(sizes: ColumnSizes, width: usize) -> Columns {
        let strips = sizes.strips;
        let ends = (0..strips).step_by(width);
        let ends = ends.map(|first| strips.min(first + width)).collect();
        Columns { sizes, ends }
    }

    /// The columns with the least [`makespan`](Columns::makespan) that are found. `most`
    /// returns the most strips that each of so many columns may have, and `room` is that of
    /// `makespan` if so many strips are the most of so many columns. `None` if none fit.
    ///
    /// With interchangeable heaps a column has fewer slabs, the later it is, and those before it
    /// decide when it begins. So equal widths are slow. A start, in which the widths follow a
    /// power, is improved by moving consecutive ends by the same, as long as the time falls, and
    /// for some time at most.
    pub fn fastest(
        sizes: ColumnSizes,
        pipeline: &Pipeline,
        most: impl Fn(usize) -> usize,
        room: impl Fn(usize, usize) -> usize,
    ) -> Option<Columns> {
        let strips = sizes.strips;
        let least = (1..=strips).find(|count| count.saturating_mul(most(*count)) >= strips)?;
        let counts = least..=strips.min(least.max(8 * pipeline.processes));
        let step = counts.clone().count().div_ceil(MOST_COUNTS);
        let exponents: &[f64] = match sizes.is_mirrored {
            true => &[1.0, 1.5, 2.0],
            false => &[1.0],
        };
        let mut starts: Vec<(f64, Columns)> = Vec::new();
        for count in counts.step_by(step) {
            for exponent in exponents {
                let columns = Columns::by_power(sizes, count, *exponent);
                if columns.widest() <= most(count) {
                    let room = room(columns.widest(), count);
                    starts.push((columns.makespan(pipeline, room), columns));
                }
            }
        }
        starts.sort_by(|one, other| one.0.total_cmp(&other.0));
        starts.truncate(STARTS);
        // The best first: there may not be time for all.
        let mut slabs = MOST_SLABS;
        let improved = starts.into_iter().map(|(time, mut columns)| {
            let most = most(columns.count());
            let time = columns.improve((time, &mut slabs), pipeline, most, &room);
            (time, columns)
        });
        let best = improved.min_by(|one, other| one.0.total_cmp(&other.0));
        best.map(|(_, columns)| columns)
    }

    /// Columns that divide equally what the power of the strips that follow is.
    fn by_power(sizes: ColumnSizes, count: usize, exponent: f64) -> Columns {
        let strips = sizes.strips;
        let mut last = 0;
        let ends = (1..=count).map(|column| {
            let rest = (count - column) as f64 / count as f64;
            let end = strips as f64 * (1.0 - rest.powf(1.0 / exponent));
            // Each column has a strip.
            last = (end.round() as usize).clamp(last + 1, strips - (count - column));
            last
        });
        let ends = ends.collect();
        Columns { sizes, ends }
    }

    /// Moves the ends as long as the time falls, and so many slabs of columns are not gone
    /// through; returns the time.
    fn improve(
        &mut self,
        (mut time, slabs): (f64, &mut usize),
        pipeline: &Pipeline,
        most: usize,
        room: &impl Fn(usize, usize) -> usize,
    ) -> f64 {
        let inner = self.ends.len() - 1;
        let mut step = (self.sizes.strips / self.ends.len() / 4).max(1);
        loop {
            let mut is_improved = false;
            // One end and all from one on first: there may not be time for all moves.
            let ones = (0..inner).map(|first| (first, first + 1));
            let few = ones.chain((0..inner.saturating_sub(1)).map(|first| (first, inner)));
            let others = (0..inner).flat_map(|first| (first + 2..inner).map(move |to| (first, to)));
            for (first, last) in few.chain(others) {
                for is_up in [true, false] {
                    let Some(left) = slabs.checked_sub(self.sizes.slabs * self.ends.len()) else {
                        return time;
                    };
                    *slabs = left;
                    let mut moved = self.clone();
                    for end in &mut moved.ends[first..last] {
                        *end = match is_up {
                            true => *end + step,
                            false => end.saturating_sub(step),
                        };
                    }
                    if !moved.is_division() || moved.widest() > most {
                        continue;
                    }
                    let room = room(moved.widest(), moved.count());
                    let now = moved.makespan(pipeline, room);
                    if now < time {
                        (time, *self) = (now, moved);
                        is_improved = true;
                    }
                }
            }
            match (is_improved, step) {
                (true, _) => {}
                (false, 1) => return time,
                (false, _) => step /= 2,
            }
        }
    }

    /// Whether the ends ascend to that of the box.
    fn is_division(&self) -> bool {
        self.ends.first().is_some_and(|first| *first > 0)
            && self.ends.is_sorted_by(|one, other| one < other)
            && self.ends.last() == Some(&self.sizes.strips)
    }

    /// The number of strips of the widest column.
    pub fn widest(&self) -> usize {
        let widths = (0..self.count()).map(|column| self.strips(column).len());
        widths.max().unwrap_or(0)
    }

    /// The number of columns.
    pub fn count(&self) -> usize {
        self.ends.len()
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
        let own = (processes * self.widest()).min(self.sizes.strips);
        let pages = 2 * (own + processes * self.sizes.back);
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
    /// each slab of a column waits for the same slab of the column before. A process that has
    /// written `room` faces, at least one, which the next one has not read, waits for it. The
    /// faces of the last process have room. The first use of the memory of the pages and faces
    /// that a process has at once takes as long as a strip for each page.
    pub fn makespan(&self, pipeline: &Pipeline, room: usize) -> f64 {
        let sizes = &self.sizes;
        let (processes, face) = (pipeline.processes, pipeline.face);
        let (first_use, pages_a_face) = match sizes.page {
            0 => (0.0, 0.0),
            page => (FIRST_USE, sizes.face as f64 / page as f64),
        };
        let mut free = vec![0.0_f64; processes];
        // The pages of each at once, with the faces that wait until it reads them.
        let mut pages = vec![0.0_f64; processes];
        // When each face is written that the next round of columns reads.
        let mut before = vec![0.0_f64; sizes.slabs];
        for round in (0..self.count()).step_by(processes) {
            let columns = round..self.count().min(round + processes);
            let columns: Vec<Range<usize>> = columns.map(|column| self.strips(column)).collect();
            let mut read = vec![vec![0.0_f64; sizes.slabs]; columns.len()];
            let mut written = read.clone();
            for (slab, before) in before.iter().enumerate() {
                let mut ready = *before;
                for (process, strips) in columns.iter().enumerate() {
                    if slab < sizes.first_slab(strips.start) {
                        break;
                    }
                    let now = &mut free[process];
                    *now = now.max(ready);
                    if strips.start > 0 {
                        *now += face / 2.0;
                    }
                    read[process][slab] = *now;
                    let (computed, is_written) = match sizes.is_mirrored {
                        true => (strips.end.min(slab + 1) - strips.start, strips.end <= slab),
                        false => (strips.len(), strips.end < sizes.strips),
                    };
                    *now += computed as f64;
                    if is_written {
                        if let (Some(next), Some(earlier)) =
                            (read.get(process + 1), slab.checked_sub(room))
                        {
                            *now = now.max(next[earlier]);
                        }
                        *now += face / 2.0;
                    }
                    written[process][slab] = *now;
                    ready = *now;
                }
            }
            let sources = std::iter::once(&before).chain(&written);
            for (process, (source, strips)) in sources.zip(&columns).enumerate() {
                let are_here = strips.start > 0 && (process > 0 || pipeline.keeps_faces);
                let slabs = sizes.first_slab(strips.start)..;
                let faces = match are_here {
                    true => most_waiting(&source[slabs.clone()], &read[process][slabs]),
                    false => 0,
                };
                let now = strips.len() as f64 + faces as f64 * pages_a_face;
                pages[process] = now.max(pages[process]);
            }
            before = written.pop().unwrap_or(before);
        }
        let of_process = free.iter().zip(&pages);
        let times = of_process.map(|(time, pages)| time + first_use * pages);
        times.fold(0.0, f64::max)
    }

    /// The number of faces that are read before the column is saved, so that they can be
    /// removed.
    pub fn most_read(&self) -> usize {
        self.sizes.slabs / 4
    }

    /// The strips of a column.
    pub fn strips(&self, column: usize) -> Range<usize> {
        let first = column.checked_sub(1).map_or(0, |before| self.ends[before]);
        first..self.ends[column]
    }
}

/// The most faces at once that were written and not read, of faces in order with these times.
fn most_waiting(written: &[f64], read: &[f64]) -> usize {
    let mut count = 0;
    let at_a_time = read.iter().enumerate().map(|(face, time)| {
        let rest = written[count..].iter();
        count += rest.take_while(|written| **written <= *time).count();
        count.saturating_sub(face)
    });
    at_a_time.max().unwrap_or(0)
}

impl Resumable for Columns {
    fn save(&self, out: &mut Writer<'_>) {
        let ends: Vec<u64> = self.ends.iter().map(|end| *end as u64).collect();
        out.words(&ends);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        let ends = from.list()?.into_iter();
        self.ends = ends.map(|end| usize::try_from(end).unwrap_or(0)).collect();
        match self.is_division() {
            true => Ok(()),
            false => Err(CheckpointError::Meaning("columns")),
        }
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

/// Computes the columns of a box that are not stored yet, outcomes or Grundy values, and adds
/// all columns to the visitors, which accept rows in any order.
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
        let of_a_row = positions_of_a_row(layout, self.query.question);
        let positions = layout.rows as u64 * of_a_row as u64;
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
            question: self.query.question,
            accepts_any_order: true,
            visits: std::mem::take(&mut self.visits),
            visitors,
            observer: Some(&mut save),
            parts: Vec::new(),
        };
        let start = Start {
            misere: self.query.convention == Convention::Misere,
            from: Some((done as u64, &[])),
            column: Some(Column {
                strips: self.columns.strips(column),
                faces: &*faces,
            }),
        };
        let swept = self.rows.engine.rows(
            self.solver,
            &self.rows.plan.layout,
            self.query.question,
            start,
            self.limits,
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
