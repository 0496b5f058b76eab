//! Enumeration of the positions of a box that `positions where` leaves, without a walk
//! through the whole box.
//!
//! The heaps are fixed one after another. Where interval analysis shows that no choice of
//! the other heaps satisfies the condition, they are not tried. So `sum(heaps) <= 2` on 64
//! heaps is a list of 2145 positions, out of a box of 3⁶⁴.

use super::table::{PositionList, words_of_box};
use super::{SolveError, Solver};
use nimrule_ir::{Stop, Walker};
use nimrule_limits::Limits;
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment, Truth};
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Bool, Expr, HeapId, Part};
use nimrule_model::game::PositionKind;

/// The largest number of evaluations of the condition on intervals: a few seconds.
pub const MAX_EVALUATIONS: u64 = 1 << 18;

/// An estimate of the bytes of a position of one heap, without its size, and with its answer.
const BYTES_PER_POSITION: u128 = 200;

/// The positions of the box with these largest heaps; `None` if they are too many, if their
/// enumeration needs more evaluations of the condition, or if the condition may have a fault
/// at one of the tuples that are not tried.
///
/// # Errors
///
/// The time limit, and faults of the condition.
pub fn positions(
    solver: &Solver<'_>,
    sizes: &[u64],
    most_evaluations: u64,
    limits: &Limits,
) -> Result<Option<PositionList>, SolveError> {
    let game = solver.game;
    let Some(condition) = &solver.graph.positions else {
        return Ok(None);
    };
    if game.position_kind != PositionKind::Heaps {
        return Ok(None);
    }
    let mut within = IntervalEnvironment::of_one_position(game.slots);
    for (heap, most) in sizes.iter().enumerate() {
        within.set_heap(id(heap), up_to(*most));
    }
    if !is_total(Part::Bool(condition), &mut within.clone(), Interval::I64) {
        return Ok(None);
    }
    let bytes = BYTES_PER_POSITION + 8 * sizes.len() as u128;
    let mut enumerator = Enumerator {
        condition,
        walker: Walker::new(&solver.graph, &[]),
        sizes,
        limits,
        most_positions: u128::from(limits.memory) / bytes,
        evaluations: 0,
        most_evaluations,
        position: vec![0; sizes.len()],
        positions: Vec::new(),
    };
    if !enumerator.fix(0, within)? {
        return Ok(None);
    }
    let to = game.box_bound(sizes);
    let words = words_of_box(game, sizes);
    Ok(Some(PositionList::new(enumerator.positions, to, words)))
}

fn id(heap: usize) -> HeapId {
    HeapId(heap as u16)
}

fn up_to(most: u64) -> Interval {
    Interval::new(0, most.into())
}

struct Enumerator<'a> {
    condition: &'a Expr<Bool>,
    walker: Walker<'a>,
    sizes: &'a [u64],
    limits: &'a Limits,
    most_positions: u128,
    /// The number of evaluations so far.
    evaluations: u64,
    most_evaluations: u64,
    /// The sizes of the heaps that are fixed, and others.
    position: Vec<u64>,
    positions: Vec<Vec<u64>>,
}

impl Enumerator<'_> {
    /// Lists the positions with the sizes of the heaps before `heap`, which `within` has as
    /// well. Returns whether they are few enough.
    fn fix(
        &mut self,
        mut heap: usize,
        mut within: IntervalEnvironment,
    ) -> Result<bool, SolveError> {
        // The smallest size of each heap needs no evaluation: the heaps after it decide.
        while heap < self.sizes.len() {
            let low = within.heap(id(heap)).meet(up_to(self.sizes[heap]));
            if low.is_empty() {
                return Ok(true);
            }
            let larger = Interval::new(low.low + 1, low.high);
            if !self.choose(heap, larger, &within)? {
                return Ok(false);
            }
            self.take(heap, low.low, &mut within);
            heap += 1;
        }
        let is_position = self.walker.is_position(&self.position);
        let failed = |fault| SolveError::of(Stop::Fault(fault), &self.position);
        if is_position.map_err(failed)? {
            self.positions.push(self.position.clone());
        }
        Ok(self.positions.len() as u128 <= self.most_positions)
    }

    /// The same with the sizes of one heap in an interval, which is halved until a size is
    /// left.
    fn choose(
        &mut self,
        heap: usize,
        sizes: Interval,
        within: &IntervalEnvironment,
    ) -> Result<bool, SolveError> {
        if sizes.is_empty() {
            return Ok(true);
        }
        if self.evaluations.is_multiple_of(256) {
            self.limits.check_time()?;
        }
        self.evaluations += 1;
        if self.evaluations > self.most_evaluations {
            return Ok(false);
        }
        let mut narrowed = within.clone();
        narrowed.set_heap(id(heap), sizes);
        if narrowed.truth(self.condition) == Truth::Never || narrowed.propagate(self.condition) {
            return Ok(true);
        }
        if sizes.low == sizes.high {
            self.take(heap, sizes.low, &mut narrowed);
            return self.fix(heap + 1, narrowed);
        }
        let middle = sizes.low + (sizes.high - sizes.low) / 2;
        let halves = [
            Interval::new(sizes.low, middle),
            Interval::new(middle + 1, sizes.high),
        ];
        for half in halves {
            if !self.choose(heap, half, &narrowed)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Fixes the size of a heap.
    fn take(&mut self, heap: usize, size: i128, within: &mut IntervalEnvironment) {
        within.set_heap(id(heap), Interval::new(size, size));
        // INVARIANT: the interval is within 0 and a size.
        self.position[heap] = size as u64;
    }
}
