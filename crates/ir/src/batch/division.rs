//! Integer division without vector instructions for it.

pub fn is_power_of_two(number: i64) -> bool {
    u64::try_from(number).is_ok_and(u64::is_power_of_two)
}

/// The quotient by a positive number, rounded towards minus infinity.
//
// PERF: vector units divide floats but not integers. The quotient of two
// 31-bit numbers is an integer or differs from every integer by at least 2^-31
// of itself, and an f64 is exact to 2^-53.
#[inline(always)]
pub fn quotient(a: i32, b: i32) -> i32 {
    let truncated = (f64::from(a) / f64::from(b.max(1))) as i32;
    truncated - i32::from(truncated.wrapping_mul(b) > a)
}

/// The quotient by one positive number for all lanes.
//
// PERF: multiplies by the inverse; the error is at most 1 and corrected.
#[inline(always)]
pub fn quotient_by(b: i32) -> impl Fn(i32) -> i32 {
    let inverse = 1.0 / f64::from(b.max(1));
    move |a| {
        let near = (f64::from(a) * inverse) as i32;
        let rest = a.wrapping_sub(near.wrapping_mul(b));
        near - i32::from(rest < 0) + i32::from(rest >= b)
    }
}

/// The exclusive upper bound of the non-negative numbers that
/// [`small_remainder_by`] divides in 32 bits.
pub const SMALL: i64 = 1 << 15;

/// The remainder of a small number by one of at least 2.
//
// PERF: multiplies by the inverse; the quotient is too large by at most 1.
#[inline(always)]
pub fn small_remainder_by(b: i32) -> impl Fn(i32) -> i32 {
    let inverse = (1_u32 << 17) / b.unsigned_abs().max(1) + 1;
    move |a| {
        let near = ((a as u32).wrapping_mul(inverse) >> 17) as i32;
        let rest = a.wrapping_sub(near.wrapping_mul(b));
        if rest < 0 { rest.wrapping_add(b) } else { rest }
    }
}
