//! The numbers of few digits as prefixes: what a further digit makes of each.
//!
//! In a base that is `b * x + d`; in Zeckendorf's numeration the digits of x
//! shift up, and a one cannot follow a one. Which digits may follow depends on
//! the number alone, so that a prefix of digits can be represented by it.

use nimrule_automata::Numeration;
use nimrule_limits::{LimitExceeded, Limits};
use smallvec::SmallVec;

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

/// How many numbers have at most 0, 1, 2, … digits; `None` where they are too
/// many to be listed.
fn sides(numeration: Numeration, digits: usize) -> Option<Vec<usize>> {
    let mut sides = vec![1_usize];
    let mut before = 1_usize;
    for _ in 0..digits {
        let last = *sides.last()?;
        let next = match numeration {
            Numeration::Base(_) => last.checked_mul(numeration.radix())?,
            Numeration::Zeckendorf => last.checked_add(before)?,
        };
        before = last;
        sides.push(next);
    }
    let count = *sides.last()?;
    u32::try_from(count).ok().filter(|count| *count < INVALID)?;
    Some(sides)
}

/// How many numbers have at most so many digits; `None` where they are too many
/// to be listed.
pub fn count(numeration: Numeration, digits: usize) -> Option<usize> {
    sides(numeration, digits)?.last().copied()
}

/// Two looks at the limits are so many numbers apart.
const BETWEEN_LOOKS: u64 = 1 << 16;

impl Numbers {
    /// `None` if they are too many to be listed.
    pub fn new(numeration: Numeration, digits: usize) -> Option<Numbers> {
        let unlimited = Limits::of_memory(u64::MAX);
        Numbers::within(numeration, digits, &unlimited).ok()?
    }

    /// The same within limits.
    ///
    /// # Errors
    ///
    /// The limit that was met.
    pub fn within(
        numeration: Numeration,
        digits: usize,
        limits: &Limits,
    ) -> Result<Option<Numbers>, LimitExceeded> {
        let Some(sides) = sides(numeration, digits) else {
            return Ok(None);
        };
        let radix = numeration.radix();
        let count = sides[digits];
        let shorter = sides[digits.saturating_sub(1)];
        limits.check_memory(count as u128 + 4 * shorter as u128 * radix as u128)?;
        let mut lengths = vec![0; count];
        for length in 1..=digits {
            let Ok(digits) = u8::try_from(length) else {
                return Ok(None);
            };
            lengths[sides[length - 1]..sides[length]].fill(digits);
        }
        let mut longer = Vec::with_capacity(shorter * radix);
        for number in 0..shorter as u64 {
            if number % BETWEEN_LOOKS == 0 {
                limits.check_time()?;
            }
            let Some(after) = with_each_digit(numeration, number) else {
                return Ok(None);
            };
            longer.extend(after);
        }
        Ok(Some(Numbers {
            numeration,
            digits,
            sides,
            longer,
            lengths,
        }))
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

/// What each digit behind a number makes of it; `None` where that is no 32-bit
/// number.
fn with_each_digit(numeration: Numeration, number: u64) -> Option<SmallVec<[u32; 16]>> {
    let digits = 0..numeration.radix() as u8;
    if let Numeration::Base(_) = numeration {
        let first = number * numeration.radix() as u64;
        return digits
            .map(|digit| u32::try_from(first + u64::from(digit)).ok())
            .collect();
    }
    let mut written = numeration.digits(number);
    let ends_in_one = written.last() == Some(&1);
    let mut after = SmallVec::new();
    for digit in digits {
        if digit == 1 && ends_in_one {
            after.push(INVALID);
            continue;
        }
        written.push(digit);
        after.push(u32::try_from(numeration.number(&written)?).ok()?);
        written.pop();
    }
    Some(after)
}
