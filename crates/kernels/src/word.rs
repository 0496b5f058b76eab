//! Machine words of which a row's bits are made.

use std::ops::{BitAnd, BitOr, BitOrAssign, BitXorAssign, Not};

/// A word of 32 or 64 positions.
pub trait Word:
    Copy
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXorAssign
    + Not<Output = Self>
    + bytemuck::Pod
    + Send
    + Sync
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    const ONES: Self;
    const BITS: usize;

    /// The lowest bit that is 0, alone; 0 where there is none.
    fn lowest_zero(self) -> Self;

    /// This single bit and all above it; 0 for 0.
    fn and_above(self) -> Self;

    /// All bits if the highest is set, else none.
    fn carried(self) -> Self;

    fn to_u64(self) -> u64;

    /// The low bits.
    fn of_u64(bits: u64) -> Self;
}

macro_rules! word {
    ($unsigned:ty, $signed:ty) => {
        impl Word for $unsigned {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ONES: Self = !0;
            const BITS: usize = <$unsigned>::BITS as usize;

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
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline(always)]
            fn of_u64(bits: u64) -> Self {
                bits as $unsigned
            }
        }
    };
}

word!(u32, i32);
word!(u64, i64);
