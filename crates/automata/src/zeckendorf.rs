//! Automata in the Zeckendorf numeration.
//!
//! Every number is a sum of Fibonacci numbers 1, 2, 3, 5, 8, …, no two of them
//! consecutive, in exactly one way (Zeckendorf 1972). For n > 0, the product of
//! n and the golden ratio, rounded down, is one more than the number whose
//! digits are those of n − 1 shifted up by one place. So automata recognise the
//! P-positions of Wythoff's game.

use super::atoms::{Machine, dfa_of, linear, shifted_up};
use super::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;

/// The words that represent numbers: no track has two consecutive ones.
pub(super) fn words_of_numbers(tracks: &[Track], budget: &Budget) -> Result<Dfa, LimitExceeded> {
    dfa_of(&NoConsecutiveOnes, Numeration::Zeckendorf, tracks, budget)
}

struct NoConsecutiveOnes;

impl Machine for NoConsecutiveOnes {
    /// The tracks whose last digit was a one; `None` after two
    /// consecutive ones.
    type State = Option<u64>;
    type Partial = Option<(u64, u64)>;

    fn start(&self) -> Option<u64> {
        Some(0)
    }

    fn accepts(&self, state: &Option<u64>) -> bool {
        state.is_some()
    }

    fn begin(&self, state: &Option<u64>) -> Option<(u64, u64)> {
        state.map(|ones| (ones, 0))
    }

    fn feed(&self, partial: &Option<(u64, u64)>, place: usize, digit: u8) -> Option<(u64, u64)> {
        let (before, now) = (*partial)?;
        if digit == 0 {
            return Some((before, now));
        }
        (before >> place & 1 == 0).then_some((before, now | 1 << place))
    }

    fn end(&self, partial: &Option<(u64, u64)>) -> Option<u64> {
        partial.map(|(_, now)| now)
    }
}

/// The relation "`y` is the golden ratio times `x`, rounded down".
///
/// # Errors
///
/// A limit that is exceeded.
pub fn golden(x: Track, y: Track, budget: &Budget) -> Result<Dfa, LimitExceeded> {
    let free = x.max(y) + 1;
    let (less, shifted) = (free, free + 1);
    let numeration = Numeration::Zeckendorf;
    // x = less + 1, shifted = less with its digits shifted up, y = shifted + 1.
    let one_less = linear(numeration, &[(1, x), (-1, less)], -1, true, budget)?;
    let one_more = linear(numeration, &[(1, y), (-1, shifted)], -1, true, budget)?;
    let positive = one_less
        .and(&shifted_up(less, shifted, budget)?, budget)?
        .project(&[less], budget)?
        .and(&one_more, budget)?
        .project(&[shifted], budget)?;
    let both_zero = linear(numeration, &[(1, x), (1, y)], 0, true, budget)?;
    positive.or(&both_zero, budget)
}
