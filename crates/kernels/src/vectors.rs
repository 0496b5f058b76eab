//! Rows for moves that are vectors, and windows of vectors.
//!
//! A position is P if none of its options is. Where moves subtract vectors, the
//! options of a whole row by one vector are another row, shifted; so the
//! positions of a row that win by moves out of it are an OR of shifted rows, a
//! few words each. What is left is settled within the row, where moves lower
//! the packed heap alone: see the module `inside`.
//!
//! A *window* is a vector and so many steps on from it, all alike. Its options
//! are read from a plane that has been ORed together once for all rows that
//! ask ([`Window`]); which planes there are is said in the module `plan`.
//!
//! # Misere play
//!
//! A position without a move is N under misere play, and everything else is as
//! in normal play: a position that has moves is P if none of its options is.
//! So it is enough to close, before a row is settled, those of its positions
//! that have no move. There is a move where one of the minimal vectors can be
//! taken; of each row those are the positions from some number on.
//!
//! Two facts are used in both conventions. If p is P then no option of p is P:
//! a P-position has options that are all N, or none. Hence, where one may take
//! any multiple of a vector d, no line along d has two P-positions: one of them
//! would be an option of the other. So the positions from which at least k
//! steps along d lead to a P-position are among those from which one step does,
//! and what is left when they are taken away has one within the first k - 1.

mod inside;
mod kernel;
mod lines;
mod plan;
#[cfg(test)]
mod tests;
mod windows;
mod word;

pub use windows::windows;

use super::{Layout, Sink};
use kernel::{Kernel, Run};
use nimrule_limits::{Limits, Met};
use plan::Plan;

/// The vectors `offset`, `offset + direction`, and so on, `count` of them.
///
/// No vector may be empty. Those that lie outside of the box are no moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub offset: Vec<u64>,
    pub direction: Vec<u64>,
    pub count: u64,
}

impl Window {
    /// One vector.
    pub fn of(vector: &[u64]) -> Window {
        Window {
            offset: vector.to_vec(),
            direction: vec![0; vector.len()],
            count: 1,
        }
    }
}

/// Finds the outcomes of a box and hands its rows on, from where an earlier run
/// came to: the slabs that it had done, and its state after them.
pub fn outcomes(
    layout: &Layout,
    moves: &[Window],
    misere: bool,
    limits: &Limits,
    from: Option<(u64, &[u8])>,
    sink: &mut dyn Sink,
) -> Result<(), Met> {
    Sweeps::new(layout, moves, limits)?.sweep_from(misere, None, limits, from, sink)
}

/// A kernel made ready for one box, for one run through it after another.
pub struct Sweeps {
    layout: Layout,
    kernel: Sized,
}

/// Kernels by the width of their words.
enum Sized {
    Narrow(Kernel<u32>),
    Wide(Kernel<u64>),
}

impl Sweeps {
    pub fn new(layout: &Layout, moves: &[Window], limits: &Limits) -> Result<Sweeps, Met> {
        let kernel = if layout.most.last().is_some_and(|most| *most < 32) {
            let plan = Plan::new(layout, moves);
            limits.within_memory(Kernel::<u32>::bytes(&plan))?;
            Sized::Narrow(Kernel::new(plan))
        } else {
            let plan = Plan::new(layout, moves);
            limits.within_memory(Kernel::<u64>::bytes(&plan))?;
            Sized::Wide(Kernel::new(plan))
        };
        Ok(Sweeps {
            layout: layout.clone(),
            kernel,
        })
    }

    /// Bytes that a kernel for a box takes.
    pub fn bytes(layout: &Layout, moves: &[Window]) -> u128 {
        if layout.most.last().is_some_and(|most| *most < 32) {
            Kernel::<u32>::bytes(&Plan::new(layout, moves))
        } else {
            Kernel::<u64>::bytes(&Plan::new(layout, moves))
        }
    }

    /// One run: the positions that have no option among those found, are not
    /// `taken` (all rows of the box, as a [`Sink`] gets them) and, under misere
    /// play, are no end positions.
    pub fn sweep(
        &mut self,
        misere: bool,
        taken: Option<&[u64]>,
        limits: &Limits,
        sink: &mut dyn Sink,
    ) -> Result<(), Met> {
        self.sweep_from(misere, taken, limits, None, sink)
    }

    fn sweep_from(
        &mut self,
        misere: bool,
        taken: Option<&[u64]>,
        limits: &Limits,
        from: Option<(u64, &[u8])>,
        sink: &mut dyn Sink,
    ) -> Result<(), Met> {
        let run = Run {
            layout: &self.layout,
            misere,
            taken,
            limits,
            from,
        };
        match &mut self.kernel {
            Sized::Narrow(kernel) => kernel.run(&run, sink),
            Sized::Wide(kernel) => kernel.run(&run, sink),
        }
    }
}
