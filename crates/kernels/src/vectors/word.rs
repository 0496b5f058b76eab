//! The words that rows are packed in.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// A row of a heap of at most 31 tokens fits 32 bits, and twice as many rows
/// go through a register at once.
pub(super) trait Word:
    Copy
    + Debug
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    const ZERO: Self;
    const BITS: u32;
    /// Every other bit, from the lowest on.
    const EVEN: Self;
    fn plus(self, other: Self) -> Self;
    fn trailing_zeros(self) -> u32;
    fn wide(self) -> u64;
    /// The low bits.
    fn of(wide: u64) -> Self;
    /// The lowest bit that is not set.
    fn lowest_zero(self) -> Self;
    /// A row's words as 64-bit words, where they are already.
    fn as_wide(words: &[Self]) -> Option<&[u64]>;
}

macro_rules! word {
    ($word:ty, $even:literal, $as_wide:expr) => {
        impl Word for $word {
            const ZERO: Self = 0;
            const BITS: u32 = <$word>::BITS;
            const EVEN: Self = $even;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn wide(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn of(wide: u64) -> Self {
                wide as $word
            }

            #[inline(always)]
            fn lowest_zero(self) -> Self {
                self.wrapping_add(1) & !self
            }

            #[inline(always)]
            fn as_wide(words: &[Self]) -> Option<&[u64]> {
                $as_wide(words)
            }
        }
    };
}

word!(u32, 0x5555_5555, |_| None);
word!(u64, 0x5555_5555_5555_5555, Some);
