//! Large memory that begins as zeros.
//!
//! A sweep of a large box goes through half a gigabyte again and again. Where
//! the system has huge pages, it is asked for them: each stands for 512 of the
//! ordinary ones, whose addresses no processor remembers all.

use super::word::Word;
use memmap2::MmapMut;

/// Less than this is taken from the heap.
const LARGE: usize = 1 << 22;

/// Words in one piece.
pub struct Arena<T> {
    held: Held<T>,
    len: usize,
}

enum Held<T> {
    Small(Vec<T>),
    Large(MmapMut),
}

impl<T: Word> Arena<T> {
    /// So many words, all 0.
    pub fn new(len: usize) -> Arena<T> {
        let large = len
            .checked_mul(size_of::<T>())
            .filter(|bytes| *bytes >= LARGE)
            .and_then(|bytes| MmapMut::map_anon(bytes).ok());
        let held = match large {
            Some(mapped) => {
                // A system without them does as well without.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_in_small_and_large() {
        for len in [0, 1, 1000, LARGE / 4 + 3] {
            let mut arena: Arena<u32> = Arena::new(len);
            assert!(arena.words().len() == len && arena.words().iter().all(|word| *word == 0));
            for (number, word) in arena.words_mut().iter_mut().enumerate() {
                *word = number as u32;
            }
            let mut words = arena.words().iter().enumerate();
            assert!(words.all(|(number, word)| *word == number as u32));
        }
    }
}
