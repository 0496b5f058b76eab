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
    Small(Vec<T>),
    Large(MmapMut),
}

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
            None => Held::Small(vec![T::ZERO; len]),
        };
        Arena { held, len }
    }

    pub fn words(&self) -> &[T] {
        match &self.held {
            Held::Small(words) => words,
            Held::Large(mapped) => &bytemuck::cast_slice(mapped)[..self.len],
        }
    }

    pub fn words_mut(&mut self) -> &mut [T] {
        match &mut self.held {
            Held::Small(words) => words,
            Held::Large(mapped) => &mut bytemuck::cast_slice_mut(mapped)[..self.len],
        }
    }
}
