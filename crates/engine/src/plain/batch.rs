//! A table filled chunk by chunk: positions that follow each other are walked
//! abreast.
//!
//! A chunk is a stretch of places in which as few heaps as can be have several
//! sizes. Options in earlier chunks are looked up as they are shown, in all
//! lanes at once; those within the chunk are kept until it is *settled*, place
//! by place, as by hand. A lane in doubt is left to the plain walk, in its
//! turn. What is kept of a chunk, and what is made of its options, differs
//! between [outcomes](super::winning) and [values](super::values).

use super::super::growth::First;
use super::super::options::Options;
use super::super::{Failure, Limits, Shape, Solver, Work};
use nimrule_ir::Stop;
use nimrule_ir::batch::{Batch, LANES, Mask, OptionSink, Run, Value, supports_batch};
use nimrule_kernels::SlabState;

/// No heap of a table that is filled abreast has more tokens.
const MOST: u64 = 1 << 28;

/// Is this box to be filled abreast?
pub fn is_for(solver: &Solver<'_>, shape: &Shape) -> bool {
    solver.profile.looks_at_amounts_only.is_err()
        && supports_batch(&solver.graph)
        && shape.most.iter().all(|most| *most <= MOST)
}

/// Shows the place of each option of a position, until it is told that it is
/// enough.
pub type OptionVisitor<'s> = dyn FnMut(&mut dyn FnMut(usize) -> bool) -> Result<(), Failure> + 's;

/// What is made of the options of a chunk's positions.
pub trait Chunk: OptionSink {
    /// Begins with the chunk of this many lanes at a place; no lane is settled.
    fn begin(&mut self, base: usize, count: usize);

    /// Says of a lane that it is no position.
    fn exclude(&mut self, lane: usize);

    /// The first lane of these from `from` on that is to be settled: one that has
    /// won is, as things stand, unless it is among the `fallback`.
    fn next(&self, active: &Mask, fallback: &Mask, from: usize) -> Option<usize>;

    /// Would it make a difference to know of one more option that is not P?
    fn is_terminal_so_far(&self, lane: usize) -> bool;

    /// Settles a lane whose options have been shown; says whether it is P.
    fn settle(&mut self, lane: usize) -> bool;

    /// Settles a lane by its options, each at its place.
    fn settle_by(&mut self, lane: usize, options: &mut OptionVisitor<'_>) -> Result<bool, Failure>;

    /// How many P-positions have been counted.
    fn found(&self) -> u64;

    /// The answers of the first so many places, all before the chunk.
    fn first(&self, count: usize) -> First<'_>;
}

/// The heaps of a box, and how it is cut into chunks.
struct Cut<'s> {
    shape: &'s Shape,
    /// A chunk begins at a multiple of `unit` after that of `period`.
    unit: usize,
    period: usize,
}

impl<'s> Cut<'s> {
    fn of(shape: &'s Shape) -> Cut<'s> {
        // The first heap of which a token is worth no more than a chunk.
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

    /// How many places the chunk at a place has.
    fn count(&self, base: usize) -> usize {
        let left = self.period - base % self.period;
        self.unit.min(left)
    }

    /// The size of each heap in the lanes of a chunk.
    fn sizes(&self, base: usize, count: usize) -> Vec<Value> {
        let heaps = self.shape.strides.iter().zip(&self.shape.most);
        heaps
            .map(|(stride, most)| {
                let first = (base / stride) as u64 % (most + 1);
                let left = stride - base % stride;
                Value::of_sizes(first, left, *stride, *most, count)
            })
            .collect()
    }
}

/// Fills a table from the place on before which all is known, where a chunk
/// begins; somebody is told how far it is.
pub fn fill<C: Chunk>(
    solver: &Solver<'_>,
    shape: &Shape,
    limits: &Limits,
    chunk: &mut C,
    from: usize,
    seen: &mut dyn FnMut(u64, &dyn SlabState),
) -> Result<(), Failure> {
    let cut = Cut::of(shape);
    let most = shape.most.iter().copied().max().unwrap_or(0);
    let mut options = Options::walk(solver, shape, limits);
    let mut batch = Batch::new(&solver.graph, most, &shape.strides, limits);
    let excludes = solver.graph.positions.is_some();
    limits.resume(Work::Solving, Some(shape.len as u64), from as u64);
    let mut base = from;
    while base < shape.len {
        limits.set_p_positions(chunk.found());
        limits.check_time_at(base as u64)?;
        seen(base as u64, &chunk.first(base));
        let count = cut.count(base);
        chunk.begin(base, count);
        batch.load(cut.sizes(base, count));
        let mut active = Mask::first(count);
        // The first lane of which it cannot be said whether it is a position:
        // the table ends there, if no earlier lane ends it.
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
        batch.options(&active, chunk).map_err(Failure::of_limit)?;
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
                        .map_err(|stop| Failure::of(stop, &position))
                })?
            } else {
                if batch.has_p_option(lane) {
                    chunk.win_lane(lane);
                }
                chunk.settle(lane)
            };
            if is_p_lane {
                batch.mark_p(lane, chunk);
            }
        }
        if let Some((lane, fault)) = ends {
            return Err(Failure::of(Stop::Fault(fault), &shape.at(base + lane)));
        }
        base += count;
    }
    Ok(())
}

/// A run whose numbers each lane asks for itself when it is settled: none where
/// the least is larger than the most.
pub struct GatherRun {
    pub back: usize,
    pub stride: usize,
    /// No lane from here on has the run, and none has a larger number.
    pub to: usize,
    pub longest: usize,
    pub least: [i32; LANES],
    pub most: [i32; LANES],
    pub difference: [i32; LANES],
}

/// Runs of the lanes of a chunk.
//
// PERF: written in the place of those of the chunk before.
#[derive(Default)]
pub struct Runs {
    written: Vec<GatherRun>,
    count: usize,
}

impl Runs {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds that of the lanes of `active`.
    pub fn add(&mut self, active: &Mask, run: &Run) -> &mut GatherRun {
        let gathered = self.add_bounds(active, run);
        let one = Value::Same(1);
        let difference = run.difference.as_ref().unwrap_or(&one);
        difference.write_column(active, 1, &mut gathered.difference);
        gathered
    }

    /// The same of a run of all numbers between its bounds, which are never asked
    /// how far they are apart.
    pub fn add_bounds(&mut self, active: &Mask, run: &Run) -> &mut GatherRun {
        if self.count == self.written.len() {
            self.written.push(GatherRun {
                back: 0,
                stride: 0,
                to: LANES,
                longest: usize::MAX,
                least: [0; LANES],
                most: [0; LANES],
                difference: [0; LANES],
            });
        }
        let gathered = &mut self.written[self.count];
        self.count += 1;
        (gathered.back, gathered.stride) = (run.back, run.stride);
        run.least.write_column(active, 1, &mut gathered.least);
        run.most.write_column(active, 0, &mut gathered.most);
        gathered
    }

    /// Takes away the one added last.
    pub fn drop_last(&mut self) {
        self.count -= 1;
    }

    pub fn all(&self) -> &[GatherRun] {
        &self.written[..self.count]
    }
}
