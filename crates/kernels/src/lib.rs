//! Outcomes of a box, row after row.
//!
//! A *row* holds the positions that differ in the last heap alone, packed as
//! the bits of one or more words: bit i of word w is the position whose last
//! heap has 64·w + i tokens, and a set bit means P. The kernels here find whole
//! rows at a time and hand them on in lexicographic order as soon as they are
//! known, so that a box may have far more positions than memory has bytes.
//! They know nothing of games: an engine says to them what the moves are.

mod arena;
pub mod found;
pub mod mex;
pub mod vectors;
mod word;

use nimrule_limits::Met;
use std::ops::Range;

/// A box of heaps, cut into rows along its last heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The largest size of each heap, in the order in which they are swept.
    pub most: Vec<u64>,
    /// Which heap of the game each of them is.
    pub order: Vec<usize>,
    /// How many rows there are.
    pub rows: usize,
    /// How many words a row takes.
    pub words: usize,
}

impl Layout {
    /// With the heaps in their own order; `None` where there is no heap, or
    /// where there are more rows than memory has places.
    pub fn new(most: &[u64]) -> Option<Layout> {
        Layout::in_order(most, (0..most.len()).collect())
    }

    /// With some heaps in another order, and all others empty.
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
            most,
        })
    }

    /// Tells the game's heaps their sizes.
    pub fn tell(&self, sizes: &[u64], position: &mut [u64]) {
        for (size, heap) in sizes.iter().zip(&self.order) {
            position[*heap] = *size;
        }
    }

    /// The sizes of all heaps but the last, in a row.
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

    /// The next sizes of the first heaps, in lexicographic order; all 0 after
    /// the last.
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

/// Rows one behind the other, as they become known.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'r> {
    /// The number of the first.
    pub first: usize,
    /// [`Layout::words`] words each. Bits beyond the last heap's size are 0.
    pub words: &'r [u64],
    /// Words of a row.
    each: usize,
    /// Which of them have a P-position, where that is known: bit i of word w is
    /// the row with the number 64·w + i among these.
    found: Option<&'r [u64]>,
}

impl<'r> Rows<'r> {
    /// Rows of so many words each.
    pub fn new(first: usize, words: &'r [u64], each: usize) -> Rows<'r> {
        Rows {
            first,
            words,
            each,
            found: None,
        }
    }

    /// The same, where it is known which of them have a P-position.
    pub fn with_found(self, found: &'r [u64]) -> Rows<'r> {
        Rows {
            found: Some(found),
            ..self
        }
    }

    /// The same rows at another place.
    pub fn at(self, first: usize) -> Rows<'r> {
        Rows { first, ..self }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.words.len() / self.each
    }

    /// The words of one of them.
    pub fn row(&self, number: usize) -> &'r [u64] {
        &self.words[number * self.each..][..self.each]
    }

    /// Which of some rows, at most 64, have a P-position, as bits.
    pub fn found(&self, rows: Range<usize>) -> u64 {
        let (word, bit) = (rows.start / 64, rows.start % 64);
        let all = u64::MAX >> (64 - rows.len());
        match self.found {
            // PERF: most rows are not looked at.
            Some(found) => {
                let mut bits = found[word] >> bit;
                if bit > 0 && bit + rows.len() > 64 {
                    bits |= found[word + 1] << (64 - bit);
                }
                bits & all
            }
            None => {
                if count(&self.words[rows.start * self.each..rows.end * self.each]) == 0 {
                    return 0;
                }
                let any = |row| u64::from(self.row(row).iter().any(|word| *word != 0));
                rows.clone()
                    .fold(0, |bits, row| bits | any(row) << (row - rows.start))
            }
        }
    }
}

/// How many positions are marked.
pub fn count(words: &[u64]) -> u64 {
    pulp::Arch::new().dispatch(|| words.iter().map(|word| u64::from(word.count_ones())).sum())
}

/// What is done with rows as they become known. A kernel's own sink can fail by
/// meeting a limit alone; one that it is shown through may fail by more.
pub trait Sink<E = Met> {
    /// Takes the next rows of a box.
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E>;

    /// The rows that were just taken stand here too, with the two first heaps
    /// of the order exchanged.
    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E> {
        self.rows(layout, rows)
    }

    /// May rows come in any order, and not in the lexicographic one; and the
    /// heaps, too?
    fn in_any_order(&self) -> bool {
        false
    }

    /// Can parts of it take rows side by side?
    fn has_parts(&self) -> bool {
        false
    }

    /// So many parts of it, each for a thread that finds rows in its own order;
    /// what they see comes together in [`Sink::gather`].
    fn parts(&mut self, _count: usize) -> Vec<Box<dyn Sink<E> + Send + '_>> {
        Vec::new()
    }

    /// Takes over what its parts have seen.
    fn gather(&mut self) {}

    /// Is told after slabs of the outermost heap, where the kernel has such,
    /// how many are done and what it needs to go on from there.
    fn slab(&mut self, _done: u64, _state: &dyn State) -> Result<(), E> {
        Ok(())
    }
}

/// One that is lent, as to a thread.
impl<E, S: Sink<E> + ?Sized> Sink<E> for &mut S {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E> {
        (**self).rows(layout, rows)
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), E> {
        (**self).mirrored(layout, rows)
    }

    fn in_any_order(&self) -> bool {
        (**self).in_any_order()
    }

    fn has_parts(&self) -> bool {
        (**self).has_parts()
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<E> + Send + '_>> {
        (**self).parts(count)
    }

    fn gather(&mut self) {
        (**self).gather();
    }

    fn slab(&mut self, done: u64, state: &dyn State) -> Result<(), E> {
        (**self).slab(done, state)
    }
}

/// What a kernel needs to go on where it is.
pub trait State {
    fn save(&self, out: &mut Vec<u8>);
}
