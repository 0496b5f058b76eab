//! An estimate of the cost of a table of outcomes.
//!
//! A take of any number from one heap costs one look at the last P-position of a line
//! ([`lines`](super::lines)), however many options it has.

use super::batch::Cut;
use super::lines::Lines;
use crate::{Limits, Shape, Solver};
use nimrule_ir::batch::{Batch, Bits, Mask, OptionSink, Run, lanes_of};
use nimrule_limits::LimitExceeded;
use std::borrow::Cow;

/// The looks after which a batch is not counted further.
const MOST: u128 = 1 << 24;

/// The looks for all positions of a box, from those of the batch in its middle; `None` if
/// they are too many, or not counted because some positions are left to the concrete walk.
pub fn estimate(solver: &Solver<'_>, most: &[u64]) -> Option<u128> {
    let shape = Shape::new(most)?;
    let cut = Cut::of(&shape);
    let middle: Vec<u64> = most.iter().map(|size| size.div_ceil(2)).collect();
    let base = cut.base(shape.place(&middle)?);
    let count = cut.count(base);
    let mut batch = Batch::new(
        &solver.graph,
        &shape.most,
        &shape.strides,
        &Limits::of_memory(u64::MAX),
    );
    batch.load(cut.sizes(base, count));
    let mut looks = Looks {
        shape: &shape,
        count: 0,
    };
    batch.options(&Mask::first(count), &mut looks).ok()?;
    if looks.count > MOST || batch.fallback().lanes().next().is_some() {
        return None;
    }
    Some((shape.len as u128).saturating_mul(looks.count / count as u128 + 1))
}

/// Counts the looks for the options of a batch.
struct Looks<'s> {
    shape: &'s Shape,
    count: u128,
}

impl OptionSink for Looks<'_> {
    fn open<'m>(&self, active: &'m Mask) -> Cow<'m, Mask> {
        match self.count > MOST {
            true => Cow::Owned(Mask::first(0)),
            false => Cow::Borrowed(active),
        }
    }

    fn option(&mut self, active: &Mask, _back: usize) -> bool {
        self.count += active.count() as u128;
        self.count <= MOST
    }

    fn settled_lanes(&self) -> Bits {
        Bits::default()
    }

    fn supports_number_sets(&self) -> bool {
        false
    }

    fn needs_all_options(&self) -> bool {
        true
    }

    fn relevant_lanes(&self, active: &Bits, _back: usize, f: impl FnMut(usize)) {
        lanes_of(*active).for_each(f);
    }

    fn lane_option(&mut self, _lane: usize, _back: usize) {
        self.count += 1;
    }

    fn win(&mut self, _active: &Mask) {}

    fn run(&mut self, active: &Mask, run: Run) -> Result<(), LimitExceeded> {
        let Shape { strides, most, .. } = self.shape;
        self.count += if run.is_from_one() && Lines::is_long(strides, most, run.stride) {
            active.count() as u128
        } else {
            let numbers = run.most.sum(active) - run.least.sum(active) + active.count() as i64;
            let difference = run.common_difference().unwrap_or(1) as u128;
            u128::from(numbers.max(0).unsigned_abs()) / difference
        };
        Ok(())
    }
}
