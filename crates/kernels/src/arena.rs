//! A large buffer of words that are 0 at first, in huge pages if possible.
//!
//! A sweep of a large box reads and writes half a gigabyte repeatedly. A huge
//! page replaces 512 ordinary pages, so that fewer accesses miss the TLB.

use super::word::Word;
use memmap2::MmapMut;

/// Bytes from which on a buffer is a mapping of its own.
pub const LARGE: usize = 1 << 22;

/// A buffer of words.
pub struct Arena<T> {
    held: Held<T>,
    len: usize,
}

enum Held<T> {
    /// With the number of the first word that is aligned.
    Small(Vec<T>, usize),
    Large(MmapMut),
}

/// The bytes of a line of the cache. A vector that begins at a multiple of its length
/// lies in one line, and is read and written faster than one that lies in two.
const ALIGNMENT: usize = 64;

impl<T: Word> Arena<T> {
    /// A buffer of `len` words, all 0.
    pub fn new(len: usize) -> Arena<T> {
        let large = len
            .checked_mul(size_of::<T>())
            .filter(|bytes| *bytes >= LARGE)
            .and_then(|bytes| MmapMut::map_anon(bytes).ok());
        let held = match large {
            Some(mapped) => {
                // Advice only: an error leaves ordinary pages.
                #[cfg(target_os = "linux")]
                let _ = mapped.advise(memmap2::Advice::HugePage);
                Held::Large(mapped)
            }
            None => {
                let words = vec![T::ZERO; len + ALIGNMENT / size_of::<T>()];
                let first = words.as_ptr().align_offset(ALIGNMENT);
                // Alignment is for speed only, and a pointer may not know its own.
                Held::Small(words, first.min(ALIGNMENT / size_of::<T>()))
            }
        };
        Arena { held, len }
    }

    pub fn words(&self) -> &[T] {
        match &self.held {
            Held::Small(words, first) => &words[*first..][..self.len],
            Held::Large(mapped) => &bytemuck::cast_slice(mapped)[..self.len],
        }
    }

    pub fn words_mut(&mut self) -> &mut [T] {
        match &mut self.held {
            Held::Small(words, first) => &mut words[*first..][..self.len],
            Held::Large(mapped) => &mut bytemuck::cast_slice_mut(mapped)[..self.len],
        }
    }
}
