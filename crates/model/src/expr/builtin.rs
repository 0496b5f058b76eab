//! Functions of a fixed number of numbers.
//!
//! What a function is to the analyses and to the evaluation stands here; its name and
//! its notation stand in the table of words of the syntax.

use super::bounds::{INFINITY, Interval};
use super::{Expr, Fault, Num};

/// A function of a fixed number of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// The digit of `base^index` in `value`: the arguments in this order.
    Digit,
    /// The largest integer whose square is at most the argument.
    Isqrt,
    /// The largest exponent of a power of `base` that divides `value`.
    Valuation,
}

impl Builtin {
    /// The largest number of arguments of a function.
    pub const MAX_ARGUMENTS: usize = 3;

    /// The least value of each argument. If an argument is smaller, the function has no
    /// value. The least base is 2; only a base has this bound.
    pub fn domain(self) -> &'static [i64] {
        match self {
            Builtin::Digit => &[2, 0, 0],
            Builtin::Isqrt => &[0],
            Builtin::Valuation => &[2, 1],
        }
    }

    /// Why there is no value where an argument that is no base is too small.
    pub fn outside(self) -> &'static str {
        match self {
            Builtin::Digit => "the digits of a negative number",
            Builtin::Isqrt => "the square root of a negative number",
            Builtin::Valuation => "the valuation of a number below 1",
        }
    }

    /// The value at these arguments.
    ///
    /// # Errors
    ///
    /// If an argument is not in the domain.
    pub fn apply(self, arguments: &[i64]) -> Result<i64, Fault> {
        for (argument, least) in arguments.iter().zip(self.domain()) {
            if argument < least {
                return Err(match least {
                    2 => Fault::BadBase,
                    _ => Fault::OutsideDomain(self),
                });
            }
        }
        Ok(match (self, arguments) {
            (Builtin::Digit, &[base, index, value]) => digit(base, index, value),
            (Builtin::Isqrt, &[value]) => value.isqrt(),
            (Builtin::Valuation, &[base, value]) => valuation(base, value),
            (Builtin::Digit | Builtin::Isqrt | Builtin::Valuation, _) => {
                unreachable!("{self:?} of {arguments:?}")
            }
        })
    }

    /// An interval that contains the value for arguments from these intervals.
    pub fn bounds(self, arguments: &[Interval]) -> Interval {
        match (self, arguments) {
            (Builtin::Digit, [base, ..]) => {
                Interval::new(0, (base.high - 1).max(0)).meet(Interval::NATURALS)
            }
            (Builtin::Isqrt, [value, ..]) => match value.meet(Interval::NATURALS) {
                Interval { low, high } if high >= INFINITY => Interval::from(low.isqrt()),
                Interval { low, high } => Interval::new(low.isqrt(), high.max(0).isqrt()),
            },
            // A base is at least 2.
            (Builtin::Valuation, [.., value]) => match value.high {
                high if high >= INFINITY => Interval::NATURALS,
                high => Interval::new(0, i128::from(high.max(1).ilog2())),
            },
            (Builtin::Digit | Builtin::Isqrt | Builtin::Valuation, []) => Interval::ALL,
        }
    }
}

/// The arguments of a function that takes `N`, which elaboration has checked.
///
/// # Panics
///
/// If there are more or fewer.
pub fn operands<const N: usize>(arguments: &[Expr<Num>]) -> &[Expr<Num>; N] {
    let found = arguments.try_into();
    found.unwrap_or_else(|_| unreachable!("{} arguments instead of {N}", arguments.len()))
}

fn valuation(base: i64, value: i64) -> i64 {
    let divided = |value: &i64| (value % base == 0).then_some(value / base);
    std::iter::successors(Some(value), divided).count() as i64 - 1
}

fn digit(base: i64, index: i64, value: i64) -> i64 {
    let mut value = value;
    for _ in 0..index {
        value /= base;
        if value == 0 {
            return 0;
        }
    }
    value % base
}
