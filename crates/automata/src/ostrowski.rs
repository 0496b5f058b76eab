//! Automata in Ostrowski numerations.
//!
//! In the numeration of [a; a, a, …] = β, the numbers A > 0 whose digits end in an even
//! number of zeros, and the numbers B whose digits are those of A shifted up by one
//! place, are the complementary sequences Aₙ = ⌊n(β − a + 1)⌋ and Bₙ = ⌊n(β + 1)⌋
//! (Fraenkel, How to beat your Wythoff games' opponent on three fronts, 1982). So
//! Bₙ − Aₙ = a·n, and automata recognise the multiples of β, rounded down. For a = 1
//! this is the golden ratio.

use super::atoms::{Machine, dfa_of, linear, shifted_up};
use super::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;

/// The words that represent numbers: on every track a 0 follows the largest digit.
pub(super) fn words_of_numbers(
    quotient: u8,
    tracks: &[Track],
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
    let numeration = Numeration::Ostrowski(quotient);
    dfa_of(&ZeroAfterLargest { quotient }, numeration, tracks, budget)
}

struct ZeroAfterLargest {
    quotient: u8,
}

impl Machine for ZeroAfterLargest {
    /// The tracks whose last digit was the largest; `None` after a word that represents
    /// no number.
    type State = Option<u64>;
    type Partial = Option<(u64, u64)>;

    fn start(&self) -> Option<u64> {
        Some(0)
    }

    fn accepts(&self, state: &Option<u64>) -> bool {
        state.is_some()
    }

    fn begin(&self, state: &Option<u64>) -> Option<(u64, u64)> {
        state.map(|largest| (largest, 0))
    }

    fn feed(&self, partial: &Option<(u64, u64)>, place: usize, digit: u8) -> Option<(u64, u64)> {
        let (before, now) = (*partial)?;
        if digit == 0 {
            return Some((before, now));
        }
        let is_largest = u64::from(digit == self.quotient);
        (before >> place & 1 == 0).then_some((before, now | is_largest << place))
    }

    fn end(&self, partial: &Option<(u64, u64)>) -> Option<u64> {
        partial.map(|(_, now)| now)
    }
}

/// Whether a positive number ends in an even number of zeros.
struct EvenZeros;

impl Machine for EvenZeros {
    /// Whether the zeros at the end are even in number; `None` before any other digit.
    type State = Option<bool>;
    type Partial = Option<bool>;

    fn start(&self) -> Option<bool> {
        None
    }

    fn accepts(&self, state: &Option<bool>) -> bool {
        *state == Some(true)
    }

    fn begin(&self, state: &Option<bool>) -> Option<bool> {
        *state
    }

    fn feed(&self, partial: &Option<bool>, _: usize, digit: u8) -> Option<bool> {
        if digit == 0 {
            partial.map(|is_even| !is_even)
        } else {
            Some(true)
        }
    }

    fn end(&self, partial: &Option<bool>) -> Option<bool> {
        *partial
    }
}

/// The relation "`y` is β times `x`, rounded down", where β is the continued fraction
/// [a; a, a, …] = (a + √(a² + 4)) / 2 of the quotient a.
///
/// # Errors
///
/// A limit that is exceeded.
pub fn multiple_of_ratio(
    quotient: u8,
    x: Track,
    y: Track,
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
    let free = x.max(y) + 1;
    let (lower, upper) = (free, free + 1);
    let numeration = Numeration::Ostrowski(quotient);
    let even_zeros = dfa_of(&EvenZeros, numeration, &[lower], budget)?
        .restricted_to_numbers(budget)?
        .minimised(budget)?;
    let pairs = even_zeros.and(&shifted_up(quotient, lower, upper, budget)?, budget)?;
    let terms = [(i64::from(quotient), x), (1, lower), (-1, upper)];
    let number_of_pair = linear(numeration, &terms, 0, true, budget)?;
    let value = linear(numeration, &[(1, x), (1, y), (-1, upper)], 0, true, budget)?;
    let positive = pairs
        .and(&number_of_pair, budget)?
        .project(&[lower], budget)?
        .and(&value, budget)?
        .project(&[upper], budget)?;
    let both_zero = linear(numeration, &[(1, x), (1, y)], 0, true, budget)?;
    positive.or(&both_zero, budget)
}
