//! The columns of a box: parts that are computed one after another, where the box does
//! not fit the memory, or by several processes.
//!
//! A *strip* is all positions with the same two outermost heaps, and a *column* is some
//! consecutive strips of all slabs. A column needs, in each slab, the last strip of the
//! column before it, or some: the *face* that this column leaves there. So the columns form a
//! pipeline along the slabs, the wavefront of Koch, Baker and Alcouffe (1992): column c
//! computes slab s when it has the face of column c − 1 in slab s.
//!
//! The pages that pass from slab to slab within a column are written where the column may be
//! interrupted. A store of faces ([`Faces`]) keeps faces and pages in memory
//! ([`FacesInMemory`]) or elsewhere; the kernel does not know where.

use super::arena::Arena;
use nimrule_limits::LimitExceeded;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of slabs of each thread between two moments at which a column can be saved.
/// The threads wait for each other there.
pub const SLABS_BETWEEN_SAVES: usize = 4;

/// The memory of a face, aligned for vectors, with a head for the store. A column computes
/// in the memory that its store has received, and a store sends that in which a column has
/// computed, so that a store copies nothing.
pub struct FaceBuffer {
    words: Arena<u64>,
}

impl FaceBuffer {
    /// The words before those of the face, in which a store writes what it wants. They fill
    /// a line of the cache, so that the face is aligned.
    pub const HEAD: usize = 8;

    /// Memory for a face of so many bytes, all 0.
    pub fn new(bytes: usize) -> FaceBuffer {
        FaceBuffer::of_words(FaceBuffer::HEAD + bytes.div_ceil(8))
    }

    /// Memory of so many words, with those of the head.
    ///
    /// # Panics
    ///
    /// If there are fewer than those of the head.
    pub fn of_words(count: usize) -> FaceBuffer {
        assert!(count >= FaceBuffer::HEAD);
        FaceBuffer {
            words: Arena::new(count),
        }
    }

    /// All words, with those of the head.
    pub fn words(&self) -> &[u64] {
        self.words.words()
    }

    /// All words, with those of the head.
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.words.words_mut()
    }

    /// The bytes of the face, and those that fill its last word.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words()[FaceBuffer::HEAD..])
    }

    /// The bytes of the face, and those that fill its last word.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.words_mut()[FaceBuffer::HEAD..])
    }
}

/// The faces of one column: those that it reads, and those that it writes.
///
/// A store that fails returns any exceeded limit, which ends the computation, and reports
/// its own error to its caller.
pub trait Faces: Sync {
    /// Reads the face of the column before in a slab, once: into this memory, or replaces it
    /// by memory of the same length, in which the face is.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded>;

    /// Writes the face of this column in a slab, which is in this memory. What is in the
    /// memory then, which may be other memory of the same length, has no meaning.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded>;

    /// Reads the pages of this column after some slabs, from which it is resumed.
    ///
    /// # Errors
    ///
    /// If they cannot be read.
    fn read_pages(&self, done: usize, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded>;

    /// Writes the pages of this column after some slabs, whose bytes are these pieces.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    fn write_pages(&self, done: usize, pieces: &[&[u8]]) -> Result<(), LimitExceeded>;

    /// Returns whether to write the pages after this number of slabs, so that the column
    /// can be resumed. [`Sink::slab`](super::Sink::slab) is called then, with an empty
    /// state.
    fn is_due(&self, done: usize) -> bool;
}

/// A column, and the store of its faces.
#[derive(Clone)]
pub struct Column<'a> {
    /// Its strips: sizes of the second heap.
    pub strips: Range<usize>,
    /// Its faces.
    pub faces: &'a dyn Faces,
}

/// The sizes of the columns of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnSizes {
    /// The number of strips of a slab.
    pub strips: usize,
    /// The number of slabs.
    pub slabs: usize,
    /// Bytes of memory for each strip of a column.
    pub page: u128,
    /// The strips before a column of which it has pages, too.
    pub back: usize,
    /// Bytes of memory for each thread.
    pub thread: u128,
    /// The most threads that share a column.
    pub most_threads: usize,
    /// Bytes of the face of a column in a slab.
    pub face: u128,
    /// Whether a strip whose first heap is smaller than the second is a copy of the one
    /// with these heaps exchanged, which is computed.
    pub is_mirrored: bool,
}

impl ColumnSizes {
    /// The bytes of memory that a column of some strips takes with some threads.
    pub fn memory(&self, strips: usize, threads: usize) -> u128 {
        strips as u128 * self.page + threads as u128 * self.thread
    }

    /// The bytes of the pages of a column.
    pub fn pages(&self, strips: &Range<usize>) -> u128 {
        (strips.len() + self.back.min(strips.start)) as u128 * self.page
    }

    /// The first slab in which a column computes its first strip, which has this number.
    pub fn first_slab(&self, strip: usize) -> usize {
        match self.is_mirrored {
            true => strip,
            false => 0,
        }
    }

    /// The strips of the first `done` slabs of a column, among those of the box, with the
    /// copies of those that are computed.
    pub fn strips_done(&self, strips: Range<usize>, done: usize) -> u64 {
        let in_slab = |slab: usize| match self.is_mirrored {
            false => strips.len(),
            true => {
                let computed = strips.end.min(slab + 1).saturating_sub(strips.start);
                2 * computed - usize::from(strips.contains(&slab))
            }
        };
        (0..done).map(|slab| in_slab(slab) as u64).sum()
    }

    /// The number of strips of the fewest columns that fit the memory with this number of
    /// threads, or with fewer; `None` if no column does. Columns differ by at most one
    /// strip where it is rounded up.
    pub fn widest(&self, memory: u64, threads: usize) -> Option<usize> {
        (1..=threads.clamp(1, self.most_threads))
            .rev()
            .find_map(|threads| {
                let pages = u128::from(memory).checked_sub(threads as u128 * self.thread)?;
                let fit = usize::try_from(pages / self.page.max(1)).unwrap_or(usize::MAX);
                // Each thread is two strips behind the previous one.
                let fit = Some(fit.min(self.strips)).filter(|fit| *fit >= 2 * threads - 1)?;
                Some(self.strips.div_ceil(self.strips.div_ceil(fit)))
            })
    }
}

/// Faces and pages in memory.
#[derive(Default)]
pub struct FacesInMemory {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    /// By column and slab.
    faces: BTreeMap<(usize, usize), FaceBuffer>,
    /// By column, and the number of slabs that are done.
    pages: BTreeMap<(usize, usize), Vec<u8>>,
}

impl FacesInMemory {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether all faces and pages have been read.
    pub fn is_empty(&self) -> bool {
        let kept = self.kept();
        kept.faces.is_empty() && kept.pages.is_empty()
    }

    /// The faces of a column. `is_due` says after which numbers of slabs its pages are
    /// written.
    pub fn of_column<'a>(
        &'a self,
        column: usize,
        is_due: &'a (dyn Fn(usize) -> bool + Sync),
    ) -> impl Faces + 'a {
        FacesOfColumn {
            store: self,
            column,
            is_due,
        }
    }
}

struct FacesOfColumn<'a> {
    store: &'a FacesInMemory,
    column: usize,
    is_due: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Faces for FacesOfColumn<'_> {
    fn read(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded> {
        let written = self.store.kept().faces.remove(&(self.column - 1, slab));
        *face = written.expect("the face was written, and is read once");
        Ok(())
    }

    fn write(&self, slab: usize, face: &mut FaceBuffer) -> Result<(), LimitExceeded> {
        let mut other = FaceBuffer::of_words(face.words().len());
        // A store may leave any content, and a column must not read it.
        other.words_mut().fill(u64::MAX);
        let written = std::mem::replace(face, other);
        self.store.kept().faces.insert((self.column, slab), written);
        Ok(())
    }

    fn read_pages(&self, done: usize, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded> {
        let pages = self.store.kept().pages.remove(&(self.column, done));
        let mut bytes = &pages.expect("the pages were written, and are read once")[..];
        for piece in into {
            let (these, others) = bytes.split_at(piece.len());
            piece.copy_from_slice(these);
            bytes = others;
        }
        Ok(())
    }

    fn write_pages(&self, done: usize, pieces: &[&[u8]]) -> Result<(), LimitExceeded> {
        let pages = pieces.concat();
        self.store.kept().pages.insert((self.column, done), pages);
        Ok(())
    }

    fn is_due(&self, done: usize) -> bool {
        (self.is_due)(done)
    }
}
