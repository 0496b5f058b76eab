//! Machine words of 32 or 64 bits that hold a row, or a part of a row.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr};

/// A word of 32 or 64 positions.
///
/// A row of at most 32 positions fits a word of 32 bits, of which a machine
/// vector holds twice as many.
pub trait Word:
    Copy
    + Debug
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + BitXorAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + bytemuck::Pod
    + Send
    + Sync
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    const ONES: Self;
    const BITS: u32;
    /// The bits of even places.
    const EVEN: Self;

    /// A word with only the lowest 0 bit of this one set; 0 if there is none.
    fn lowest_zero(self) -> Self;

    /// For a word with one set bit, this bit and all above it; 0 for 0.
    fn and_above(self) -> Self;

    /// All bits if the highest bit is set, else none.
    fn carried(self) -> Self;

    /// Wrapping addition.
    fn plus(self, other: Self) -> Self;

    fn trailing_zeros(self) -> u32;

    fn to_u64(self) -> u64;

    /// The low bits of a 64-bit word.
    fn of_u64(bits: u64) -> Self;

    /// Words as a slice of 64-bit words; `None` if they have 32 bits.
    fn as_u64s(words: &[Self]) -> Option<&[u64]>;
}

macro_rules! word {
    ($unsigned:ty, $signed:ty, $even:literal, $as_u64s:expr) => {
        impl Word for $unsigned {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ONES: Self = !0;
            const BITS: u32 = <$unsigned>::BITS;
            const EVEN: Self = $even;

            #[inline(always)]
            fn lowest_zero(self) -> Self {
                self.wrapping_add(1) & !self
            }

            #[inline(always)]
            fn and_above(self) -> Self {
                self.wrapping_neg()
            }

            #[inline(always)]
            fn carried(self) -> Self {
                (self as $signed >> (<$unsigned>::BITS - 1)) as $unsigned
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn of_u64(bits: u64) -> Self {
                bits as $unsigned
            }

            #[inline(always)]
            fn as_u64s(words: &[Self]) -> Option<&[u64]> {
                $as_u64s(words)
            }
        }
    };
}

word!(u32, i32, 0x5555_5555, |_| None);
word!(u64, i64, 0x5555_5555_5555_5555, Some);
