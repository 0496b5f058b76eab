//! The kernel of vector subtraction games: a move subtracts one of a list of
//! vectors from the heaps.
//!
//! # Method
//!
//! A position is P if none of its options is. The options of a whole row by one
//! vector are another row, shifted. So the positions of a row that have a move
//! out of the row to a P-position are an OR of shifted rows, a few words each.
//! The other positions are solved within the row, in which moves lower the
//! packed heap alone (module `within_row`).
//!
//! An arithmetic progression of vectors ([`Progression`]) is read from a
//! *plane* that accumulates its options once for all rows. The module `plan`
//! chooses the planes.
//!
//! # Misere play
//!
//! A terminal position is N under misere play, and all other positions follow
//! the rule of normal play. So the kernel excludes the terminal positions of a
//! row before it solves the row. A position has a move if one of the minimal
//! vectors can be subtracted; in each row these are the positions from some
//! size of the packed heap on.
//!
//! # Unbounded directions
//!
//! If every multiple of a vector d can be subtracted, then no line along d has
//! two P-positions, in either convention: one would be an option of the other.
//! So the positions from which at least k steps along d lead to a P-position
//! are a subset of those from which at least one step does, and the difference
//! of the two sets has one within the first k − 1 steps.

mod kernel;
mod lines;
mod plan;
mod progressions;
mod within_row;

pub use progressions::progressions;

use super::{Layout, Sink};
use kernel::{Kernel, SweepOptions};
use nimrule_limits::{LimitExceeded, Limits};
use plan::Plan;

/// An arithmetic progression of vectors: `offset`, `offset + direction`, and so
/// on, `count` of them.
///
/// No vector may be 0. Vectors outside of the box are ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progression {
    /// The first vector.
    pub offset: Vec<u64>,
    /// The difference of consecutive vectors; 0 for a single vector.
    pub direction: Vec<u64>,
    /// The number of vectors; `u64::MAX` for all in the box.
    pub count: u64,
}

impl Progression {
    /// The progression of one vector.
    pub fn of(vector: &[u64]) -> Progression {
        Progression {
            offset: vector.to_vec(),
            direction: vec![0; vector.len()],
            count: 1,
        }
    }
}

/// Computes the P-positions of a box, and passes its rows to a sink.
///
/// `from` is the checkpoint to resume from: the number of slabs done, and the
/// [`SlabState`](super::SlabState) after them.
///
/// # Errors
///
/// If a limit is exceeded, and the errors of the sink.
pub fn outcomes(
    layout: &Layout,
    moves: &[Progression],
    misere: bool,
    limits: &Limits,
    from: Option<(u64, &[u8])>,
    sink: &mut dyn Sink,
) -> Result<(), LimitExceeded> {
    VectorKernel::new(layout, moves, limits)?.sweep_from(misere, None, limits, from, sink)
}

/// A kernel prepared for one box, which can be swept several times.
pub struct VectorKernel {
    layout: Layout,
    kernel: ByWidth,
}

/// The kernel by the width of its words.
enum ByWidth {
    Bits32(Kernel<u32>),
    Bits64(Kernel<u64>),
}

impl VectorKernel {
    /// Prepares the kernel.
    ///
    /// # Errors
    ///
    /// If it needs more memory than the limits allow.
    pub fn new(
        layout: &Layout,
        moves: &[Progression],
        limits: &Limits,
    ) -> Result<VectorKernel, LimitExceeded> {
        let kernel = if layout.most.last().is_some_and(|most| *most < 32) {
            let plan = Plan::new(layout, moves);
            limits.check_memory(Kernel::<u32>::bytes(&plan))?;
            ByWidth::Bits32(Kernel::new(plan))
        } else {
            let plan = Plan::new(layout, moves);
            limits.check_memory(Kernel::<u64>::bytes(&plan))?;
            ByWidth::Bits64(Kernel::new(plan))
        };
        Ok(VectorKernel {
            layout: layout.clone(),
            kernel,
        })
    }

    /// The bytes of memory that the kernel of a box needs.
    pub fn bytes(layout: &Layout, moves: &[Progression]) -> u128 {
        if layout.most.last().is_some_and(|most| *most < 32) {
            Kernel::<u32>::bytes(&Plan::new(layout, moves))
        } else {
            Kernel::<u64>::bytes(&Plan::new(layout, moves))
        }
    }

    /// Sweeps the box once, and passes its rows to a sink.
    ///
    /// The positions found have no option among them. They are not in
    /// `excluded` (all rows of the box, in the order of a [`Sink`]) and, under
    /// misere play, not terminal. With the positions of smaller Grundy values
    /// as `excluded`, a sweep finds those of the next value.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded, and the errors of the sink.
    pub fn sweep(
        &mut self,
        misere: bool,
        excluded: Option<&[u64]>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        self.sweep_from(misere, excluded, limits, None, sink)
    }

    fn sweep_from(
        &mut self,
        misere: bool,
        excluded: Option<&[u64]>,
        limits: &Limits,
        from: Option<(u64, &[u8])>,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let options = SweepOptions {
            layout: &self.layout,
            misere,
            excluded,
            limits,
            from,
        };
        match &mut self.kernel {
            ByWidth::Bits32(kernel) => kernel.run(&options, sink),
            ByWidth::Bits64(kernel) => kernel.run(&options, sink),
        }
    }
}
