//! Numeration systems: the representation of numbers by digits.

/// A numeration system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numeration {
    /// A base, at least 2.
    Base(u8),
    /// Sums of distinct Fibonacci numbers 1, 2, 3, 5, …, no two of them
    /// consecutive (Zeckendorf 1972). A word with two consecutive ones
    /// represents no number, and is not accepted.
    Zeckendorf,
}

impl Numeration {
    /// The number of digits.
    pub fn radix(self) -> usize {
        match self {
            Numeration::Base(base) => usize::from(base),
            Numeration::Zeckendorf => 2,
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

    /// The number with these digits; `None` if it does not fit 64 bits.
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
