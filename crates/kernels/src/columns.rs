//! The columns of a box: parts that are computed one after another, where the box does
//! not fit the memory, or by several processes.
//!
//! A *strip* is all positions with the same two outermost heaps, and a *column* is some
//! consecutive strips of all slabs. A column needs, in each slab, the last strip of the
//! column before it, or some: the *face* that this column leaves there. So the columns form a
//! pipeline along the slabs, the wavefront of Koch, Baker and Alcouffe (1992): column c
//! computes slab s when it has the face of column c − 1 in slab s.
//!
//! The pages that pass from slab to slab within a column are a face, too, which is
//! written only where the column may be interrupted. A store of faces ([`Faces`]) keeps
//! both kinds in memory ([`FacesInMemory`]) or elsewhere; the kernel does not know where.

use nimrule_limits::LimitExceeded;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The number of slabs of each thread between two moments at which a column can be saved.
/// The threads wait for each other there.
pub const SLABS_BETWEEN_SAVES: usize = 4;

/// Words that a part of a box passes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Face {
    /// What the next column reads of a slab.
    Strip {
        /// The number of the slab.
        slab: usize,
    },
    /// The pages of a column after some slabs, from which the column is resumed.
    Pages {
        /// The number of slabs that are done.
        done: usize,
    },
}

/// The faces of one column: those that it reads, and those that it writes.
///
/// A store that fails returns any exceeded limit, which ends the computation, and reports
/// its own error to its caller.
pub trait Faces: Sync {
    /// Reads a face: of the column before, or the pages of this column. Each face of a
    /// column is read once.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    fn read(&self, face: Face, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded>;

    /// Writes a face of this column, whose bytes are these pieces.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    fn write(&self, face: Face, pieces: &[&[u8]]) -> Result<(), LimitExceeded>;

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

/// Faces in memory.
#[derive(Debug, Default)]
pub struct FacesInMemory {
    /// By column.
    faces: Mutex<BTreeMap<(usize, Face), Vec<u8>>>,
}

impl FacesInMemory {
    /// Returns whether all faces have been read.
    pub fn is_empty(&self) -> bool {
        let faces = self.faces.lock();
        faces.unwrap_or_else(PoisonError::into_inner).is_empty()
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
    fn read(&self, face: Face, into: &mut [&mut [u8]]) -> Result<(), LimitExceeded> {
        let column = match face {
            Face::Strip { .. } => self.column - 1,
            Face::Pages { .. } => self.column,
        };
        let mut faces = self
            .store
            .faces
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let bytes = faces.remove(&(column, face));
        let mut bytes = &bytes.expect("the face was written, and is read once")[..];
        for piece in into {
            let (these, others) = bytes.split_at(piece.len());
            piece.copy_from_slice(these);
            bytes = others;
        }
        Ok(())
    }

    fn write(&self, face: Face, pieces: &[&[u8]]) -> Result<(), LimitExceeded> {
        let mut faces = self
            .store
            .faces
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        faces.insert((self.column, face), pieces.concat());
        Ok(())
    }

    fn is_due(&self, done: usize) -> bool {
        (self.is_due)(done)
    }
}
