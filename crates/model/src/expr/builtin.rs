//! Functions of a fixed number of numbers.
//!
//! What a function is to the analyses and to the evaluation stands here; its name and
//! its notation stand in the table of words of the syntax.

use super::bounds::{INFINITY, Interval};
use super::{Arithmetic, Bool, Expr, Fault, Num, Order};
use num_bigint::BigUint;

/// A function of a fixed number of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// The digit of `base^index` in `value`: the arguments in this order.
    Digit,
    /// The largest integer whose square is at most the argument.
    Isqrt,
    /// The largest exponent of a power of `base` that divides `value`.
    Valuation,
    /// The number of subsets of `size` members of a set of `of`: the arguments in the order
    /// `of`, `size`.
    Binomial,
    /// The product of two numbers in Conway's field of nimbers (*On Numbers and Games*, 1976).
    NimProduct,
    /// `n*(p + q*√d)/r`, rounded down: the arguments in the order n, p, q, d, r. All but n are
    /// constants, as [`beatty_constants`] requires.
    Beatty,
}

impl Builtin {
    /// The largest number of arguments of a function.
    pub const MAX_ARGUMENTS: usize = 5;

    /// The least value of each argument. If an argument is smaller, the function has no
    /// value. The least base is 2; only a base has this bound.
    pub fn domain(self) -> &'static [i64] {
        match self {
            Builtin::Digit => &[2, 0, 0],
            Builtin::Isqrt => &[0],
            Builtin::Valuation => &[2, 1],
            Builtin::Binomial | Builtin::NimProduct => &[0, 0],
            Builtin::Beatty => &[i64::MIN; 5],
        }
    }

    /// Why there is no value where an argument that is no base is too small.
    pub fn outside(self) -> &'static str {
        match self {
            Builtin::Digit => "the digits of a negative number",
            Builtin::Isqrt => "the square root of a negative number",
            Builtin::Valuation => "the valuation of a number below 1",
            Builtin::Binomial => "a binomial coefficient of a negative number",
            Builtin::NimProduct => "a nim-product of a negative number",
            Builtin::Beatty => unreachable!("any number has a place in a Beatty sequence"),
        }
    }

    /// The value at these arguments.
    ///
    /// # Errors
    ///
    /// If an argument is not in the domain, and [`Fault::Overflow`] if the value does not fit
    /// 64 bits.
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
            (Builtin::Binomial, &[of, size]) => binomial(of, size).ok_or(Fault::Overflow)?,
            (Builtin::NimProduct, &[one, other]) => {
                let product = nim_product(one.unsigned_abs(), other.unsigned_abs());
                i64::try_from(product).map_err(|_| Fault::Overflow)?
            }
            (Builtin::Beatty, &[number, ref constants @ ..]) => {
                i64::try_from(beatty(number, constants)).map_err(|_| Fault::Overflow)?
            }
            (
                Builtin::Digit
                | Builtin::Isqrt
                | Builtin::Valuation
                | Builtin::Binomial
                | Builtin::NimProduct
                | Builtin::Beatty,
                _,
            ) => unreachable!("{self:?} of {arguments:?}"),
        })
    }

    /// An interval that contains the value for arguments from these intervals.
    // Not inlined: its locals would enlarge the frames of recursive functions.
    #[inline(never)]
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
            (Builtin::Binomial, [of, ..]) => match i64::try_from(of.high) {
                // The middle coefficient is the largest of its row.
                Ok(of) => match binomial(of.max(0), of.max(0) / 2) {
                    Some(most) => Interval::new(0, i128::from(most)),
                    None => Interval::NATURALS,
                },
                Err(_) => Interval::NATURALS,
            },
            // The numbers below 2^(2^k) are a field, for each k.
            (Builtin::NimProduct, [one, other]) => {
                let bits = i64::try_from(one.high.max(other.high)).map(|most| {
                    let bits = 64 - most.max(1).leading_zeros();
                    bits.next_power_of_two()
                });
                match bits {
                    Ok(bits) if bits < 64 => Interval::new(0, (1 << bits) - 1),
                    _ => Interval::NATURALS,
                }
            }
            (Builtin::Beatty, [number, constants @ ..]) => {
                let constants: Vec<i64> =
                    constants.iter().filter_map(|one| one.highest()).collect();
                let (least, most) = (Interval::I64.low, Interval::I64.high);
                let term = |number: i128| beatty(number.clamp(least, most) as i64, &constants);
                let first = (number.low >= least).then(|| term(number.low));
                let last = (number.high <= most).then(|| term(number.high));
                // The terms ascend or descend with their numbers.
                let (low, high) = match beatty(1, &constants) < 0 {
                    true => (last, first),
                    false => (first, last),
                };
                Interval::new(low.unwrap_or(-INFINITY), high.unwrap_or(INFINITY))
            }
            (Builtin::Digit | Builtin::Isqrt | Builtin::Valuation | Builtin::Binomial, [])
            | (Builtin::NimProduct | Builtin::Beatty, _) => Interval::ALL,
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

/// The binomial coefficient, by the product of the factors `(of - i) / (i + 1)`; `None` if it
/// does not fit 64 bits.
#[inline(never)]
pub fn binomial(of: i64, size: i64) -> Option<i64> {
    let size = size.min(of.checked_sub(size)?);
    let mut value: i128 = 1;
    for i in 0..size {
        // Each product of so many factors is a binomial coefficient: the division is exact.
        value = value * i128::from(of - i) / i128::from(i + 1);
        // The coefficients ascend up to the middle of the row.
        i64::try_from(value).ok()?;
    }
    match size < 0 {
        true => Some(0),
        false => i64::try_from(value).ok(),
    }
}

/// Checks the constants p, q, d and r of [`Builtin::Beatty`].
///
/// # Errors
///
/// Why `n*(p + q*√d)/r` is no Beatty sequence, or is too large.
pub fn beatty_constants([_, q, d, r]: [i64; 4]) -> Result<(), &'static str> {
    if d < 2 || d.isqrt().pow(2) == d {
        return Err("d of a Beatty sequence is at least 2 and no square");
    }
    if r < 1 {
        return Err("r of a Beatty sequence is at least 1");
    }
    match q.checked_mul(q).and_then(|square| square.checked_mul(d)) {
        Some(_) => Ok(()),
        None => Err("d*q*q of a Beatty sequence is too large"),
    }
}

/// `n*(p + q*√d)/r`, rounded down. The root of d is irrational, so that for m = q*n the number
/// m*√d is `isqrt(d*m*m)` rounded down or, for a negative m, one less than the negative of that;
/// a quotient by a whole number may be rounded after it.
fn beatty(number: i64, constants: &[i64]) -> i128 {
    let &[p, q, d, r] = constants else {
        unreachable!("elaboration gives four constants");
    };
    // At most 2^126, times d*q*q, which is below 2^63.
    let square = u128::from(number.unsigned_abs()).pow(2);
    let factor = u128::from((d * q * q).unsigned_abs());
    let root = match square.checked_mul(factor) {
        Some(product) => product.isqrt() as i128,
        None => i128::try_from((BigUint::from(square) * factor).sqrt())
            .expect("the root of a number below 2^189"),
    };
    let below = match (q < 0) != (number < 0) && number != 0 && q != 0 {
        true => -root - 1,
        false => root,
    };
    (below + i128::from(number) * i128::from(p)).div_euclid(r.into())
}

/// [`Builtin::Beatty`] of these arguments in the form that the provers read, with square roots
/// of d times a square.
pub fn beatty_by_roots(arguments: &[Expr<Num>]) -> Expr<Num> {
    let [number, p, q, d, r] = operands(arguments);
    let at = number.span;
    let constant = |value| Expr::new(Num::Const(value), at);
    let binary = |operator, left, right| {
        Expr::new(Num::Binary(operator, Box::new(left), Box::new(right)), at)
    };
    let value = |num: &Expr<Num>| num.constant().unwrap_or_default();
    let (p, q, d, r) = (value(p), value(q), value(d), value(r));
    let times = |factor, num| match factor {
        1 => num,
        factor => binary(Arithmetic::Multiply, constant(factor), num),
    };
    if q == 0 {
        return binary(Arithmetic::Divide, times(p, number.clone()), constant(r));
    }
    let square = times(d * q * q, number.clone());
    let square = binary(Arithmetic::Multiply, square, number.clone());
    let root = Expr::new(Num::Apply(Builtin::Isqrt, vec![square]), at);
    let divided = |num| match r {
        1 => num,
        r => binary(Arithmetic::Divide, num, constant(r)),
    };
    let whole = |num| match p {
        0 => num,
        p => binary(Arithmetic::Add, num, times(p, number.clone())),
    };
    let negated = Expr::new(Num::Negate(Box::new(root.clone())), at);
    let below = binary(Arithmetic::Subtract, negated, constant(1));
    let is_negative = match q < 0 {
        true => Bool::Compare(Order::Less, constant(0), number.clone()),
        false => Bool::Compare(Order::Less, number.clone(), constant(0)),
    };
    Expr::new(
        Num::If(
            Box::new(Expr::new(is_negative, at)),
            Box::new(divided(whole(below))),
            Box::new(divided(whole(root))),
        ),
        at,
    )
}

/// The nim-product by Conway's rule for a Fermat power `F = 2^(2^k)`: its square is `F ^ F/2`,
/// and its nim-product with a smaller number is the product.
#[inline(never)]
pub fn nim_product(one: u64, other: u64) -> u64 {
    nim_product_in(one, other, 64)
}

/// The nim-product of numbers of `bits` bits, a power of 2.
fn nim_product_in(one: u64, other: u64, bits: u32) -> u64 {
    if one < 2 || other < 2 {
        return one * other;
    }
    let half = bits / 2;
    let low = (1_u64 << half) - 1;
    let (high_one, low_one) = (one >> half, one & low);
    let (high_other, low_other) = (other >> half, other & low);
    let product = |one, other| nim_product_in(one, other, half);
    let lows = product(low_one, low_other);
    let highs = product(high_one, high_other);
    let mixed = product(high_one ^ low_one, high_other ^ low_other);
    // (hF + l)(h'F + l') = hh'(F ^ F/2) ^ (hl' ^ lh')F ^ ll'
    ((mixed ^ lows) << half) ^ product(highs, 1 << (half - 1)) ^ lows
}
