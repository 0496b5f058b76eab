//! Numeration systems: the representation of numbers by digits.

use nimrule_limits::TriedNumeration;

/// A numeration system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numeration {
    /// A base, at least 2.
    Base(u8),
    /// The Ostrowski numeration of the continued fraction [a; a, a, …], where a is from
    /// 1 to [`MOST_QUOTIENT`]: places are worth w₀ = 1, w₁ = a + 1 and
    /// wₙ₊₂ = a·wₙ₊₁ + wₙ, digits are at most a, and the digit after an a is 0. Other
    /// words represent no number, and are not accepted.
    ///
    /// For a = 1 it is Zeckendorf's (1972): a sum of Fibonacci numbers 1, 2, 3, 5, …, no
    /// two of them consecutive.
    Ostrowski(u8),
}

impl From<Numeration> for TriedNumeration {
    fn from(numeration: Numeration) -> TriedNumeration {
        match numeration {
            Numeration::Base(base) => TriedNumeration::Base(base),
            Numeration::Ostrowski(quotient) => TriedNumeration::Ostrowski(quotient),
        }
    }
}

/// The largest partial quotient of the numerations of continued fractions.
pub const MOST_QUOTIENT: u8 = 8;

/// The worth of the places in an Ostrowski numeration, the lowest place first.
fn weights(quotient: u8) -> impl Iterator<Item = u128> {
    let (mut weight, mut before) = (1_u128, 1_u128);
    std::iter::repeat_with(move || {
        let next = weight
            .saturating_mul(quotient.into())
            .saturating_add(before);
        before = std::mem::replace(&mut weight, next);
        before
    })
}

impl Numeration {
    /// The number of digits.
    pub fn radix(self) -> usize {
        match self {
            Numeration::Base(base) => usize::from(base),
            Numeration::Ostrowski(quotient) => usize::from(quotient) + 1,
        }
    }

    /// The worth of a place, counted from the lowest, 0: the numbers of so many digits are those
    /// below it. At most the largest number of 128 bits.
    pub fn worth(self, place: u32) -> u128 {
        match self {
            Numeration::Base(base) => u128::from(base).saturating_pow(place),
            Numeration::Ostrowski(quotient) => {
                let mut worth = weights(quotient).skip(place as usize);
                worth.next().unwrap_or(u128::MAX)
            }
        }
    }

    /// The digits of a number, the most significant first; no digits for 0.
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
            Numeration::Ostrowski(quotient) => {
                let fit = |weight: &u128| *weight <= u128::from(number);
                let weights: Vec<u128> = weights(quotient).take_while(fit).collect();
                let mut rest = u128::from(number);
                for weight in weights.into_iter().rev() {
                    digits.push((rest / weight) as u8);
                    rest %= weight;
                }
            }
        }
        digits
    }

    /// The number with these digits; `None` if it does not fit 64 bits.
    pub fn number(self, digits: &[u8]) -> Option<u64> {
        match self {
            Numeration::Base(base) => digits.iter().try_fold(0_u64, |number, digit| {
                number
                    .checked_mul(base.into())?
                    .checked_add((*digit).into())
            }),
            Numeration::Ostrowski(quotient) => {
                let places = digits.iter().rev().zip(weights(quotient));
                let number = places.fold(0_u128, |number, (digit, weight)| {
                    number.saturating_add(weight.saturating_mul((*digit).into()))
                });
                u64::try_from(number).ok()
            }
        }
    }
}
