//! The numbers of few digits as prefixes: what a further digit makes of each.
//!
//! In a base that is `b * x + d`; in Zeckendorf's numeration the digits of x
//! shift up, and a one cannot follow a one. Which digits may follow depends on
//! the number alone, so that a prefix of digits can be represented by it.

use crate::automata::Numeration;

/// In place of a number, after a digit that cannot follow.
pub const INVALID: u32 = u32::MAX;

/// All numbers of at most so many digits.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub numeration: Numeration,
    /// The most digits.
    pub digits: usize,
    /// How many numbers have at most 0, 1, 2, … digits: these are the first.
    sides: Vec<usize>,
    /// At `number * radix + digit`, for the numbers of fewer digits.
    longer: Vec<u32>,
    lengths: Vec<u8>,
}

impl Numbers {
    /// `None` if they are too many to be listed.
    pub fn new(numeration: Numeration, digits: usize) -> Option<Numbers> {
        let radix = numeration.radix();
        let mut sides = vec![1_usize];
        let mut before = 1_usize;
        for _ in 0..digits {
            let last = *sides.last()?;
            let next = match numeration {
                Numeration::Base(_) => last.checked_mul(radix)?,
                Numeration::Zeckendorf => last.checked_add(before)?,
            };
            before = last;
            sides.push(next);
        }
        let count = *sides.last()?;
        u32::try_from(count).ok().filter(|count| *count < INVALID)?;
        let mut lengths = vec![0; count];
        for length in 1..=digits {
            lengths[sides[length - 1]..sides[length]].fill(u8::try_from(length).ok()?);
        }
        let shorter = sides[digits.saturating_sub(1)];
        let mut longer = Vec::with_capacity(shorter * radix);
        for number in 0..shorter as u64 {
            let mut written = numeration.digits(number);
            let ends_in_one = written.last() == Some(&1);
            for digit in 0..radix as u8 {
                if numeration == Numeration::Zeckendorf && digit == 1 && ends_in_one {
                    longer.push(INVALID);
                    continue;
                }
                written.push(digit);
                longer.push(u32::try_from(numeration.number(&written)?).ok()?);
                written.pop();
            }
        }
        Some(Numbers {
            numeration,
            digits,
            sides,
            longer,
            lengths,
        })
    }

    /// How many numbers have at most so many digits.
    pub fn side(&self, digits: usize) -> usize {
        self.sides[digits]
    }

    /// The number with a further digit, or `INVALID`.
    pub fn with(&self, number: u32, digit: usize) -> u32 {
        self.longer[number as usize * self.numeration.radix() + digit]
    }

    /// How many digits a number has.
    pub fn length(&self, number: u32) -> usize {
        usize::from(self.lengths[number as usize])
    }
}
