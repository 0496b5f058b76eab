//! Numbers and their digits, in a base and in Zeckendorf's way.
//!
//! Every number is a sum of Fibonacci numbers 1, 2, 3, 5, 8, … no two of them
//! neighbours, and in one way only. Moving the digits of `n` up by a place gives
//! nearly the golden ratio times `n`: the multiple of the golden ratio, rounded
//! down, is one more than `n - 1` moved up. That is what makes Wythoff's game a
//! matter of digits.

use super::atoms::{Machine, automaton_of, linear, moved_up};
use super::{Automaton, Budget, Numeration, Track};
use nimrule_limits::Met;

impl Numeration {
    /// The digits of a number, the most significant first; none for 0.
    pub fn digits(self, number: u64) -> Vec<u8> {
        let mut digits = Vec::new();
        match self {
            Numeration::Base(base) => {
                let mut rest = number;
                while rest > 0 {
                    digits.push((rest % u64::from(base)) as u8);
                    rest /= u64::from(base);
                }
                digits.reverse();
            }
            Numeration::Zeckendorf => {
                let (mut less, mut more) = (1_u128, 2_u128);
                let mut weights = vec![less];
                while more <= u128::from(number) {
                    weights.push(more);
                    (less, more) = (more, less + more);
                }
                let mut rest = u128::from(number);
                for weight in weights.into_iter().rev() {
                    let fits = weight <= rest;
                    rest -= if fits { weight } else { 0 };
                    if fits || !digits.is_empty() {
                        digits.push(u8::from(fits));
                    }
                }
            }
        }
        digits
    }

    /// The number with these digits; `None` where it is too large.
    pub fn number(self, digits: &[u8]) -> Option<u64> {
        match self {
            Numeration::Base(base) => digits.iter().try_fold(0_u64, |number, digit| {
                number
                    .checked_mul(base.into())?
                    .checked_add((*digit).into())
            }),
            Numeration::Zeckendorf => {
                let (mut weight, mut next) = (1_u64, 2_u64);
                let mut number = 0_u64;
                for digit in digits.iter().rev() {
                    if *digit > 0 {
                        number = number.checked_add(weight)?;
                    }
                    (weight, next) = (next, weight.saturating_add(next));
                }
                Some(number)
            }
        }
    }
}

/// No track has two ones side by side.
pub(super) fn writes_numbers(tracks: &[Track], budget: &Budget) -> Result<Automaton, Met> {
    automaton_of(&Sound, Numeration::Zeckendorf, tracks, budget)
}

struct Sound;

impl Machine for Sound {
    /// The tracks whose last digit was a one; `None` behind two ones.
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

/// `y` is the golden ratio times `x`, rounded down.
pub fn golden(x: Track, y: Track, budget: &Budget) -> Result<Automaton, Met> {
    let free = x.max(y) + 1;
    let (less, moved) = (free, free + 1);
    let numeration = Numeration::Zeckendorf;
    // x = less + 1, moved = less with its digits moved up, y = moved + 1.
    let one_less = linear(numeration, &[(1, x), (-1, less)], -1, true, budget)?;
    let one_more = linear(numeration, &[(1, y), (-1, moved)], -1, true, budget)?;
    let positive = one_less
        .and(&moved_up(less, moved, budget)?, budget)?
        .project(&[less], budget)?
        .and(&one_more, budget)?
        .project(&[moved], budget)?;
    let both_zero = linear(numeration, &[(1, x), (1, y)], 0, true, budget)?;
    positive.or(&both_zero, budget)
}
