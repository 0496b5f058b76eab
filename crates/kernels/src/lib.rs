//! Bit-parallel kernels that compute the P-positions of heap games in a box.
//!
//! A *box* is the set of all positions whose heaps have at most given sizes. A
//! *row* holds the positions of a box that differ only in the last heap, as
//! bits of words: bit i of word w is the position whose last heap has 64·w + i
//! tokens, and a set bit means P. A kernel computes whole rows, and passes them
//! to a [`Sink`] in lexicographic order, so that a box may have far more
//! positions than the memory has bytes.
//!
//! There is a kernel for each class of rules; none depends on the language:
//!
//! - [`hypergraph_nim`]: a move lowers the heaps of one hyperedge by any
//!   amounts;
//! - [`nim_sums`]: a move changes one heap, by any rule;
//! - [`subtraction_vectors`]: a move subtracts one of a list of vectors.
//!
//! Terms used by them:
//!
//! - *lane*: a component of a machine vector; each lane computes its own row;
//! - *line*: rows that a kernel computes together;
//! - *slab*: all positions with the same size of the first heap;
//! - *plane*: one bit for each position of a line or a slab;
//! - *column*: a part of a box that fits the memory ([`columns`]).
//!
//! The glossary of the book (`docs/src/glossary.md`) defines the terms.
//!
//! ```
//! use nimrule_kernels::hypergraph_nim::{HypergraphNim, sweep};
//! use nimrule_kernels::{Layout, Rows, Sink, Start, sparse::SparsePositions};
//! use nimrule_limits::{LimitExceeded, Limits};
//!
//! struct Collect(SparsePositions);
//!
//! impl Sink for Collect {
//!     fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
//!         self.0.add(layout, rows);
//!         Ok(())
//!     }
//! }
//!
//! // Nim with two heaps of at most 3 tokens: the equal heaps are P.
//! let nim = HypergraphNim { hyperedges: vec![0b01, 0b10], by_nonempty: None };
//! let layout = Layout::new(&[3, 3]).ok_or("no heaps")?;
//! let mut sink = Collect(SparsePositions::default());
//! sweep(&nim, &layout, Start::default(), &Limits::of_memory(1 << 20), &mut sink)?;
//! assert_eq!(sink.0.indices(&layout).collect::<Vec<_>>(), [0, 5, 10, 15]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

#[doc(hidden)] // public for its tests alone
pub mod arena;
pub mod columns;
pub mod hypergraph_nim;
pub mod nim_sums;
pub mod sparse;
pub mod subtraction_vectors;
mod threads;
mod word;

use columns::Column;
use nimrule_limits::LimitExceeded;
use std::ops::Range;

/// The layout of a box in rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The largest size of each heap, in the kernel's order of heaps.
    pub most: Vec<u64>,
    /// The number, in the game, of each heap of the kernel's order.
    pub order: Vec<usize>,
    /// The number of rows.
    pub rows: usize,
    /// The number of words of a row.
    pub words: usize,
    /// The least number of words of a strip that several threads compute: a smaller
    /// strip is finished before another thread wakes up.
    pub words_to_split: usize,
}

impl Layout {
    /// The layout with the heaps in the order of the game; `None` if there is
    /// no heap, or if the number of words overflows.
    pub fn new(most: &[u64]) -> Option<Layout> {
        Layout::in_order(most, (0..most.len()).collect())
    }

    /// The layout of the heaps `order`, in that order; all other heaps are
    /// empty. `None` as in [`Layout::new`].
    pub fn in_order(sizes: &[u64], order: Vec<usize>) -> Option<Layout> {
        let most: Vec<u64> = order.iter().map(|heap| sizes[*heap]).collect();
        let (last, others) = most.split_last()?;
        let rows = others.iter().try_fold(1_usize, |rows, size| {
            rows.checked_mul(usize::try_from(*size).ok()?.checked_add(1)?)
        })?;
        let words = usize::try_from(last / 64).ok()?.checked_add(1)?;
        rows.checked_mul(words)?;
        Some(Layout {
            order,
            rows,
            words,
            words_to_split: 1 << 10,
            most,
        })
    }

    /// The number of positions of a row.
    pub fn width(&self) -> usize {
        self.most.last().map_or(0, |most| *most as usize + 1)
    }

    /// Writes sizes in the kernel's order to a position in the game's order.
    pub fn write_position(&self, sizes: &[u64], position: &mut [u64]) {
        for (size, heap) in sizes.iter().zip(&self.order) {
            position[*heap] = *size;
        }
    }

    /// The sizes of all heaps but the last, in the row of that number.
    pub fn row(&self, row: usize) -> Vec<u64> {
        let mut rest = row as u64;
        let mut sizes: Vec<u64> = self.most[..self.most.len() - 1]
            .iter()
            .rev()
            .map(|most| {
                let size = rest % (most + 1);
                rest /= most + 1;
                size
            })
            .collect();
        sizes.reverse();
        sizes
    }

    /// Advances the sizes of the first heaps to the next in lexicographic
    /// order; after the last come all zeros.
    pub fn advance(&self, sizes: &mut [u64]) {
        for (size, most) in sizes.iter_mut().zip(&self.most).rev() {
            if *size < *most {
                *size += 1;
                return;
            }
            *size = 0;
        }
    }
}

/// What of a box a kernel computes, and from where on.
#[derive(Clone, Default)]
pub struct Start<'a> {
    /// Misere play: a terminal position is N.
    pub misere: bool,
    /// The checkpoint to resume from: the number of slabs done, and the [`SlabState`] after
    /// them. The pages of a column are a face, and its state is empty.
    pub from: Option<(u64, &'a [u8])>,
    /// The column to compute, if not the whole box. It requires a sink that accepts rows
    /// in any order.
    pub column: Option<Column<'a>>,
}

/// Consecutive rows of a box.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'r> {
    /// The number of the first row.
    pub first: usize,
    /// [`Layout::words`] words a row. Bits beyond the last heap's size are 0.
    pub words: &'r [u64],
    /// Words of a row.
    words_per_row: usize,
    /// The rows that have a P-position, if known: bit i of word w is row
    /// 64·w + i of these rows.
    nonzero: Option<&'r [u64]>,
}

impl<'r> Rows<'r> {
    /// Rows of `words_per_row` words.
    pub fn new(first: usize, words: &'r [u64], words_per_row: usize) -> Rows<'r> {
        Rows {
            first,
            words,
            words_per_row,
            nonzero: None,
        }
    }

    /// These rows with the bits of those that have a P-position: bit i of word
    /// w is row 64·w + i of these rows.
    pub fn with_nonzero(self, nonzero: &'r [u64]) -> Rows<'r> {
        Rows {
            nonzero: Some(nonzero),
            ..self
        }
    }

    /// The same words with another number of the first row.
    pub fn at(self, first: usize) -> Rows<'r> {
        Rows { first, ..self }
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.words.len() / self.words_per_row
    }

    /// The words of the row of that number among these rows.
    pub fn row(&self, number: usize) -> &'r [u64] {
        &self.words[number * self.words_per_row..][..self.words_per_row]
    }

    /// The number of P-positions.
    pub fn p_positions(&self) -> u64 {
        let Some(nonzero) = self.nonzero else {
            return count(self.words);
        };
        let (words, each) = (self.words, self.words_per_row);
        // PERF: the machine's own instructions count bits.
        pulp::Arch::new().dispatch(|| {
            let mut all = 0;
            for (rows, nonzero) in words.chunks(64 * each).zip(nonzero) {
                let mut bits = *nonzero;
                while bits != 0 {
                    let row = bits.trailing_zeros() as usize * each;
                    for word in &rows[row..row + each] {
                        all += u64::from(word.count_ones());
                    }
                    bits &= bits - 1;
                }
            }
            all
        })
    }

    /// The rows of a range that have a P-position: bit i is row
    /// `rows.start + i`.
    ///
    /// # Panics
    ///
    /// If the range has more than 64 rows, or none.
    pub fn nonzero(&self, rows: Range<usize>) -> u64 {
        let (word, bit) = (rows.start / 64, rows.start % 64);
        let all = u64::MAX >> (64 - rows.len());
        match self.nonzero {
            // PERF: the words of most rows are not read.
            Some(nonzero) => {
                let mut bits = nonzero[word] >> bit;
                if bit > 0 && bit + rows.len() > 64 {
                    bits |= nonzero[word + 1] << (64 - bit);
                }
                bits & all
            }
            None => {
                let each = self.words_per_row;
                if count(&self.words[rows.start * each..rows.end * each]) == 0 {
                    return 0;
                }
                let any = |row| u64::from(self.row(row).iter().any(|word| *word != 0));
                rows.clone()
                    .fold(0, |bits, row| bits | any(row) << (row - rows.start))
            }
        }
    }
}

/// The number of set bits.
pub fn count(words: &[u64]) -> u64 {
    pulp::Arch::new().dispatch(|| words.iter().map(|word| u64::from(word.count_ones())).sum())
}

/// A receiver of the rows that a kernel computes.
///
/// An error of a sink stops the kernel, which returns it. Kernels take sinks
/// whose only error is an exceeded limit; an adapter may have others.
pub trait Sink<E = LimitExceeded> {
    /// Takes the next rows of a box.
    ///
    /// # Errors
    ///
    /// Those of the sink; they stop the kernel.
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E>;

    /// Takes the rows just passed to [`Sink::rows`] a second time, as those at
    /// the positions with the first two heaps exchanged.
    ///
    /// # Errors
    ///
    /// Those of the sink; they stop the kernel.
    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E> {
        self.rows(layout, rows)
    }

    /// Returns whether rows may come in any order, and with any order of the
    /// heaps, instead of lexicographically.
    fn accepts_any_order(&self) -> bool {
        false
    }

    /// Returns whether [`Sink::parts`] can split the sink for several threads.
    fn can_split(&self) -> bool {
        false
    }

    /// Splits the sink into `_count` parts, one for each thread. Each part
    /// takes the rows of its thread in their order; [`Sink::merge_parts`]
    /// combines the results.
    fn parts(&mut self, _count: usize) -> Vec<Box<dyn Sink<E> + Send + '_>> {
        Vec::new()
    }

    /// Combines the results of the parts after all threads have ended.
    fn merge_parts(&mut self) {}

    /// Takes a checkpoint after a slab: the number of slabs done, and the
    /// state from which the kernel can resume. Kernels call it only between
    /// slabs, and only if the box has several.
    ///
    /// # Errors
    ///
    /// Those of the sink; they stop the kernel.
    fn slab(&mut self, _done: u64, _state: &dyn SlabState) -> Result<(), E> {
        Ok(())
    }
}
impl<E, S: Sink<E> + ?Sized> Sink<E> for &mut S {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E> {
        (**self).rows(layout, rows)
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E> {
        (**self).mirrored(layout, rows)
    }

    fn accepts_any_order(&self) -> bool {
        (**self).accepts_any_order()
    }

    fn can_split(&self) -> bool {
        (**self).can_split()
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<E> + Send + '_>> {
        (**self).parts(count)
    }

    fn merge_parts(&mut self) {
        (**self).merge_parts();
    }

    fn slab(&mut self, done: u64, state: &dyn SlabState) -> Result<(), E> {
        (**self).slab(done, state)
    }
}

/// The state of a kernel between two slabs, from which a run can be resumed.
pub trait SlabState {
    /// Appends the state to `out`.
    fn save(&self, out: &mut Vec<u8>);
}

/// A kernel that has nothing to save between two slabs.
struct NoState;

impl SlabState for NoState {
    fn save(&self, _out: &mut Vec<u8>) {}
}
