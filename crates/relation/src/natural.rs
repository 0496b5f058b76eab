//! Natural numbers of any size, for counts of kernels.

use std::fmt;

/// A natural number: digits in base 10^9, the lowest first, without leading
/// zeros.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Natural(Vec<u32>);

const BASE: u64 = 1_000_000_000;

impl From<u64> for Natural {
    fn from(mut value: u64) -> Natural {
        let mut digits = Vec::new();
        while value > 0 {
            digits.push((value % BASE) as u32);
            value /= BASE;
        }
        Natural(digits)
    }
}

impl Natural {
    /// The number 0.
    pub fn zero() -> Natural {
        Natural::default()
    }

    /// The number 1.
    pub fn one() -> Natural {
        Natural::from(1)
    }

    /// Returns whether this is 0.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The number, if it fits 64 bits.
    pub fn small(&self) -> Option<u64> {
        self.0.iter().rev().try_fold(0_u64, |value, digit| {
            value.checked_mul(BASE)?.checked_add(u64::from(*digit))
        })
    }

    /// The sum of two numbers.
    pub fn plus(&self, other: &Natural) -> Natural {
        let mut sum = Vec::with_capacity(self.0.len().max(other.0.len()) + 1);
        let mut carry = 0;
        for place in 0..self.0.len().max(other.0.len()) {
            let digit = |of: &Natural| u64::from(of.0.get(place).copied().unwrap_or(0));
            carry += digit(self) + digit(other);
            sum.push((carry % BASE) as u32);
            carry /= BASE;
        }
        if carry > 0 {
            sum.push(carry as u32);
        }
        Natural(sum)
    }

    /// The product of two numbers.
    pub fn times(&self, other: &Natural) -> Natural {
        let mut product = vec![0_u64; self.0.len() + other.0.len()];
        for (place, left) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (shift, right) in other.0.iter().enumerate() {
                let at = &mut product[place + shift];
                *at += u64::from(*left) * u64::from(*right) + carry;
                carry = *at / BASE;
                *at %= BASE;
            }
            product[place + other.0.len()] += carry;
        }
        while product.last() == Some(&0) {
            product.pop();
        }
        Natural(product.into_iter().map(|digit| digit as u32).collect())
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_last() else {
            return f.write_str("0");
        };
        write!(f, "{first}")?;
        rest.iter()
            .rev()
            .try_for_each(|digit| write!(f, "{digit:09}"))
    }
}
