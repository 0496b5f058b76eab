//! Automata of formulas about single digits.

use super::{Machine, dfa_of};
use crate::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;

/// The relation "`x` is a power of `of`". The base must be a power of `of`.
///
/// # Errors
///
/// A limit that is exceeded, as for all functions here.
pub fn power(base: u8, of: u8, x: Track, budget: &Budget) -> Result<Dfa, LimitExceeded> {
    dfa_of(&Power { of }, Numeration::Base(base), &[x], budget)
}

struct Power {
    of: u8,
}

impl Power {
    fn is_power(&self, digit: u8) -> bool {
        let mut rest = digit;
        while rest > 1 && rest.is_multiple_of(self.of) {
            rest /= self.of;
        }
        rest == 1
    }
}

impl Machine for Power {
    /// Whether a digit so far was not 0; `None` if the number is not a power.
    type State = Option<bool>;
    type Partial = Option<bool>;

    fn start(&self) -> Option<bool> {
        Some(false)
    }

    fn accepts(&self, state: &Option<bool>) -> bool {
        *state == Some(true)
    }

    fn begin(&self, state: &Option<bool>) -> Option<bool> {
        *state
    }

    fn feed(&self, partial: &Option<bool>, _: usize, digit: u8) -> Option<bool> {
        match (*partial, digit) {
            (seen, 0) => seen,
            (Some(false), digit) if self.is_power(digit) => Some(true),
            _ => None,
        }
    }

    fn end(&self, partial: &Option<bool>) -> Option<bool> {
        *partial
    }
}

/// The relation "the digit of `of^index` in `x`, in base `of`, is `wanted`". The
/// base must be a power of `of`.
pub fn digit(
    base: u8,
    of: u8,
    index: u32,
    wanted: u8,
    x: Track,
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
    let mut within = 0;
    let mut power = 1_u32;
    while power < u32::from(base) {
        power *= u32::from(of);
        within += 1;
    }
    let machine = Digit {
        of,
        back: index / within,
        inner: index % within,
        wanted,
    };
    dfa_of(&machine, Numeration::Base(base), &[x], budget)
}

struct Digit {
    of: u8,
    /// The place of the digit from the end, in the base of the numeration.
    back: u32,
    /// Its place within this digit, in base `of`.
    inner: u32,
    wanted: u8,
}

impl Machine for Digit {
    /// Bit i is set if the place i from the last has the wanted digit.
    type State = u64;
    type Partial = u64;

    fn least_states(&self) -> u128 {
        1_u128.checked_shl(self.back + 1).unwrap_or(u128::MAX)
    }

    fn start(&self) -> u64 {
        if self.wanted == 0 {
            (1 << (self.back + 1)) - 1
        } else {
            0
        }
    }

    fn accepts(&self, state: &u64) -> bool {
        state >> self.back & 1 == 1
    }

    fn begin(&self, state: &u64) -> u64 {
        *state
    }

    fn feed(&self, partial: &u64, _: usize, digit: u8) -> u64 {
        let own = digit / self.of.pow(self.inner) % self.of;
        (partial << 1 | u64::from(own == self.wanted)) & ((1 << (self.back + 1)) - 1)
    }

    fn end(&self, partial: &u64) -> u64 {
        *partial
    }
}

/// The relation "the digits of `shifted` are those of `x`, shifted up by one
/// place", in the Ostrowski numeration of this quotient.
pub fn shifted_up(
    quotient: u8,
    x: Track,
    shifted: Track,
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
    let mut tracks = [x, shifted];
    tracks.sort_unstable();
    let machine = ShiftedUp {
        first_is_x: tracks[0] == x,
    };
    dfa_of(&machine, Numeration::Ostrowski(quotient), &tracks, budget)?
        .restricted_to_numbers(budget)?
        .minimised(budget)
}

struct ShiftedUp {
    first_is_x: bool,
}

impl Machine for ShiftedUp {
    /// The digit that `x` must have next; `None` if it had another.
    type State = Option<u8>;
    /// The same, and the digit of `shifted` in this letter.
    type Partial = Option<(u8, u8)>;

    fn start(&self) -> Option<u8> {
        Some(0)
    }

    fn accepts(&self, state: &Option<u8>) -> bool {
        *state == Some(0)
    }

    fn begin(&self, state: &Option<u8>) -> Option<(u8, u8)> {
        state.map(|wanted| (wanted, 0))
    }

    fn feed(&self, partial: &Option<(u8, u8)>, place: usize, digit: u8) -> Option<(u8, u8)> {
        let (wanted, next) = (*partial)?;
        if (place == 0) == self.first_is_x {
            (wanted == digit).then_some((wanted, next))
        } else {
            Some((wanted, digit))
        }
    }

    fn end(&self, partial: &Option<(u8, u8)>) -> Option<u8> {
        partial.map(|(_, next)| next)
    }
}
