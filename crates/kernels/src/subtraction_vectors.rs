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

use super::columns::ColumnSizes;
use super::word::Word;
use super::{Layout, Sink, Start};
use kernel::{Kernel, SweepOptions};
use nimrule_limits::{LimitExceeded, Limits};
use plan::Plan;
use std::ops::Range;

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

/// Computes the P-positions of a box or of a column of it, and passes its rows to a sink.
///
/// # Errors
///
/// If a limit is exceeded, and the errors of the sink and of the store of faces.
pub fn outcomes(
    layout: &Layout,
    moves: &[Progression],
    start: Start<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
) -> Result<(), LimitExceeded> {
    let strips = start.column.as_ref().map(|column| &column.strips);
    VectorKernel::of(layout, moves, strips, limits)?.sweep_from(start, None, limits, sink)
}

/// The sizes of the columns of a box; `None` if it has one strip only.
///
/// A column takes the memory of its strips, and of as many before it as a move lowers the
/// second heap by.
pub fn column_sizes(layout: &Layout, moves: &[Progression]) -> Option<ColumnSizes> {
    let sizes = match has_short_rows(layout) {
        true => Kernel::<u32>::column_sizes(&Plan::new(layout, moves)),
        false => Kernel::<u64>::column_sizes(&Plan::new(layout, moves)),
    };
    (sizes.strips > 1).then_some(sizes)
}

/// Whether a row fits a word of 32 bits.
fn has_short_rows(layout: &Layout) -> bool {
    layout.most.last().is_some_and(|most| *most < 32)
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
        VectorKernel::of(layout, moves, None, limits)
    }

    /// Prepares the kernel for the whole box, or for a column with these strips.
    fn of(
        layout: &Layout,
        moves: &[Progression],
        strips: Option<&Range<usize>>,
        limits: &Limits,
    ) -> Result<VectorKernel, LimitExceeded> {
        fn kernel<T: Word>(
            layout: &Layout,
            moves: &[Progression],
            strips: Option<&Range<usize>>,
            limits: &Limits,
        ) -> Result<Kernel<T>, LimitExceeded> {
            let plan = match strips {
                Some(strips) => Plan::of_column(layout, moves, strips),
                None => Plan::new(layout, moves),
            };
            limits.check_memory(Kernel::<T>::bytes(&plan))?;
            Ok(Kernel::new(plan))
        }
        let kernel = match has_short_rows(layout) {
            true => ByWidth::Bits32(kernel(layout, moves, strips, limits)?),
            false => ByWidth::Bits64(kernel(layout, moves, strips, limits)?),
        };
        Ok(VectorKernel {
            layout: layout.clone(),
            kernel,
        })
    }

    /// The bytes of memory that the kernel of a box needs.
    pub fn bytes(layout: &Layout, moves: &[Progression]) -> u128 {
        if has_short_rows(layout) {
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
        let start = Start {
            misere,
            ..Start::default()
        };
        self.sweep_from(start, excluded, limits, sink)
    }

    fn sweep_from(
        &mut self,
        start: Start<'_>,
        excluded: Option<&[u64]>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), LimitExceeded> {
        let options = SweepOptions {
            layout: &self.layout,
            start,
            excluded,
            limits,
        };
        match &mut self.kernel {
            ByWidth::Bits32(kernel) => kernel.run(&options, sink),
            ByWidth::Bits64(kernel) => kernel.run(&options, sink),
        }
    }
}
