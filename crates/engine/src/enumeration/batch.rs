//! A table filled batch by batch ([`nimrule_ir::batch`]).
//!
//! A batch is a range of at most [`LANES`] places in which as few heaps as
//! possible vary. Options before the batch are looked up for all lanes at once.
//! Options within the batch are stored until their lanes are *settled*, one after
//! another in the order of places. A lane in the fallback mask is settled by the
//! concrete walk. [Outcomes](super::outcomes) and [Grundy values](super::values)
//! implement [`Chunk`] differently.

use super::super::options::Options;
use super::super::table::Prefix;
use super::super::{Limits, Shape, SolveError, Solver, Work};
use nimrule_ir::Stop;
use nimrule_ir::batch::{Batch, LANES, Mask, NumberSets, OptionSink, Run, Value, supports_batch};
use nimrule_kernels::SlabState;

/// The largest size of a heap in a table filled in batches.
const MOST: u64 = 1 << 28;

/// Whether a box with these largest sizes is filled in batches.
pub fn is_for(solver: &Solver<'_>, most: &[u64]) -> bool {
    solver.profile.looks_at_amounts_only.is_err()
        && supports_batch(&solver.graph)
        && most.iter().all(|most| *most <= MOST)
}

/// Calls its argument with the place of each option of a position until that
/// returns false.
pub type OptionVisitor<'s> =
    dyn FnMut(&mut dyn FnMut(usize) -> bool) -> Result<(), SolveError> + 's;

/// The state of a batch: collects the options of its lanes and settles them.
pub trait Chunk: OptionSink {
    /// Begins the batch of `count` lanes at place `base`, with no lane settled.
    fn begin(&mut self, base: usize, count: usize);

    /// Records that a lane violates `positions where`.
    fn exclude(&mut self, lane: usize);

    /// The first lane of `active` from `from` on that must be settled. A lane
    /// already known to be N need not be, unless it is in `fallback`.
    fn next(&self, active: &Mask, fallback: &Mask, from: usize) -> Option<usize>;

    /// Whether the lane has no option so far, and one that is not P would change its
    /// outcome.
    fn is_terminal_so_far(&self, lane: usize) -> bool;

    /// Settles a lane from the options collected; returns whether it is P.
    fn settle(&mut self, lane: usize) -> bool;

    /// Settles a lane from the options of the concrete walk; returns whether it is
    /// P.
    fn settle_by(
        &mut self,
        lane: usize,
        options: &mut OptionVisitor<'_>,
    ) -> Result<bool, SolveError>;

    /// The number of P-positions so far.
    fn found(&self) -> u64;

    /// The answers of the first `count` places, all before the batch.
    fn first(&self, count: usize) -> Prefix<'_>;
}

/// The partition of a box into batches.
pub struct Cut<'s> {
    shape: &'s Shape,
    /// Batches begin at `k * period + j * unit`.
    unit: usize,
    period: usize,
}

impl<'s> Cut<'s> {
    pub fn of(shape: &'s Shape) -> Cut<'s> {
        // The first heap whose stride is at most a batch.
        let inner = shape.strides.iter().position(|stride| *stride <= LANES);
        let (stride, period) = match inner {
            None => (1, shape.len),
            Some(0) => (shape.strides[0], shape.len),
            Some(heap) => (shape.strides[heap], shape.strides[heap - 1]),
        };
        Cut {
            shape,
            unit: stride * (LANES / stride),
            period,
        }
    }

    /// The begin of the batch of a place.
    pub fn base(&self, place: usize) -> usize {
        let within = place % self.period;
        place - within + within / self.unit * self.unit
    }

    /// The number of places of the batch at a place.
    pub fn count(&self, base: usize) -> usize {
        let left = self.period - base % self.period;
        self.unit.min(left)
    }

    /// The size of each heap in the lanes of a batch.
    pub fn sizes(&self, base: usize, count: usize) -> Vec<Value> {
        self.shape.lanes(base, count)
    }
}

/// Fills a table from place `from`, the begin of a batch; all places before it
/// are known. Calls the observer with the progress before each batch.
pub fn fill<C: Chunk>(
    solver: &Solver<'_>,
    shape: &Shape,
    limits: &Limits,
    chunk: &mut C,
    from: usize,
    observer: &mut dyn FnMut(u64, &dyn SlabState),
) -> Result<(), SolveError> {
    let cut = Cut::of(shape);
    let mut options = Options::walk(solver, shape, limits);
    let mut batch = Batch::new(&solver.graph, &shape.most, &shape.strides, limits);
    let excludes = solver.graph.positions.is_some();
    limits.resume(Work::Solving, Some(shape.len as u64), from as u64);
    let mut base = from;
    while base < shape.len {
        limits.set_p_positions(chunk.found());
        limits.check_time_at(base as u64)?;
        observer(base as u64, &chunk.first(base));
        let count = cut.count(base);
        chunk.begin(base, count);
        batch.load(cut.sizes(base, count));
        let mut active = Mask::first(count);
        // The first lane in which `positions where` has no value: the table fails
        // there, unless an earlier lane fails.
        let mut ends = None;
        if excludes {
            let positions = batch.positions(&active);
            let fallback = batch.fallback().clone();
            batch.clear_fallback();
            let mut excluded = active.without(&positions).without(&fallback);
            for lane in fallback.lanes() {
                match options.is_position(&shape.at(base + lane)) {
                    Ok(true) => {}
                    Ok(false) => excluded.add(&Mask::of(&active, |other| other == lane)),
                    Err(fault) => {
                        ends = Some((lane, fault));
                        excluded.add(&Mask::of(&active, |other| other >= lane));
                        break;
                    }
                }
            }
            for lane in excluded.lanes() {
                chunk.exclude(lane);
            }
            active = active.without(&excluded);
        }
        batch.options(&active, chunk).map_err(SolveError::from)?;
        let mut from = 0;
        while let Some(lane) = chunk.next(&active, batch.fallback(), from) {
            from = lane + 1;
            let unknown = chunk.is_terminal_so_far(lane) && batch.is_deferred(lane);
            let is_p_lane = if unknown || batch.fallback().has(lane) {
                let place = base + lane;
                let position = shape.at(place);
                chunk.settle_by(lane, &mut |visit| {
                    options
                        .each(&position, place, &mut |option| {
                            if visit(option) {
                                std::ops::ControlFlow::Continue(())
                            } else {
                                std::ops::ControlFlow::Break(())
                            }
                        })
                        .map(drop)
                        .map_err(|stop| SolveError::of(stop, &position))
                })?
            } else {
                chunk.settle(lane)
            };
            if is_p_lane {
                batch.mark_p(lane, chunk);
            }
        }
        if let Some((lane, fault)) = ends {
            return Err(SolveError::of(Stop::Fault(fault), &shape.at(base + lane)));
        }
        base += count;
    }
    Ok(())
}

/// A run in gather form: each lane reads the options of its own numbers when it
/// is settled. A lane with `least > most` has none.
pub struct GatherRun {
    pub back: usize,
    pub stride: usize,
    /// The heap that the run takes from, if the chunk asks for it.
    pub heap: usize,
    /// The end of the lanes of the run, and the largest number in any lane.
    pub to: usize,
    pub longest: usize,
    pub least: [i32; LANES],
    pub most: [i32; LANES],
    pub difference: [i32; LANES],
    /// The numbers that a condition allows; see [`Run::allowed`].
    pub allowed: Option<NumberSets>,
}

/// The runs of a batch.
//
// PERF: reuses the memory of the previous batch.
#[derive(Default)]
pub struct Runs {
    written: Vec<GatherRun>,
    count: usize,
}

impl Runs {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a run for the lanes of `active`.
    pub fn add(&mut self, active: &Mask, run: &Run) -> &mut GatherRun {
        let gathered = self.add_bounds(active, run);
        let one = Value::Same(1);
        let difference = run.difference.as_ref().unwrap_or(&one);
        difference.write_column(active, 1, &mut gathered.difference);
        gathered
    }

    /// Adds a run without its common difference, which the caller does not read.
    pub fn add_bounds(&mut self, active: &Mask, run: &Run) -> &mut GatherRun {
        let gathered = self.add_empty(run);
        run.least.write_column(active, 1, &mut gathered.least);
        run.most.write_column(active, 0, &mut gathered.most);
        gathered
    }

    /// Adds a run of the numbers from 1 on, for the lanes up to the last of `active`. The
    /// caller reads no other lanes, smallest numbers or differences.
    pub fn add_from_one(&mut self, active: &Mask, run: &Run) -> &mut GatherRun {
        let gathered = self.add_empty(run);
        gathered.to = active.span().end;
        gathered.longest = usize::try_from(run.most.bounds().1).unwrap_or(0);
        let most = &mut gathered.most;
        run.most.write_lanes(0..gathered.to, active, 0, most);
        gathered
    }

    fn add_empty(&mut self, run: &Run) -> &mut GatherRun {
        if self.count == self.written.len() {
            self.written.push(GatherRun {
                back: 0,
                stride: 0,
                heap: 0,
                to: LANES,
                longest: usize::MAX,
                least: [0; LANES],
                most: [0; LANES],
                difference: [0; LANES],
                allowed: None,
            });
        }
        let gathered = &mut self.written[self.count];
        self.count += 1;
        (gathered.back, gathered.stride) = (run.back, run.stride);
        gathered.allowed.clone_from(&run.allowed);
        gathered
    }

    /// Removes the run added last.
    pub fn drop_last(&mut self) {
        self.count -= 1;
    }

    pub fn all(&self) -> &[GatherRun] {
        &self.written[..self.count]
    }
}
