//! Division in lanes, for which there are no vector instructions.

pub fn is_power_of_two(number: i64) -> bool {
    u64::try_from(number).is_ok_and(u64::is_power_of_two)
}

/// The quotient by a positive number, rounded towards minus infinity.
//
// PERF: vectors divide floats and no integers. What numbers of 31 bits have as
// a quotient is no integer, or is 2^-31 of itself away from any, and a float is
// exact to 2^-53.
#[inline(always)]
pub fn quotient(a: i32, b: i32) -> i32 {
    let truncated = (f64::from(a) / f64::from(b.max(1))) as i32;
    truncated - i32::from(truncated.wrapping_mul(b) > a)
}

/// The same by a number that is one for all lanes.
//
// PERF: a multiplication for the division, which may miss by 1.
#[inline(always)]
pub fn quotient_by(b: i32) -> impl Fn(i32) -> i32 {
    let inverse = 1.0 / f64::from(b.max(1));
    move |a| {
        let near = (f64::from(a) * inverse) as i32;
        let rest = a.wrapping_sub(near.wrapping_mul(b));
        near - i32::from(rest < 0) + i32::from(rest >= b)
    }
}

/// Numbers below this, none of them negative, are divided in 32 bits.
pub const SMALL: i64 = 1 << 15;

/// The remainder of a small number by one of at least 2.
//
// PERF: a multiplication, which is too large by 1 at most.
#[inline(always)]
pub fn small_remainder_by(b: i32) -> impl Fn(i32) -> i32 {
    let inverse = (1_u32 << 17) / b.unsigned_abs().max(1) + 1;
    move |a| {
        let near = ((a as u32).wrapping_mul(inverse) >> 17) as i32;
        let rest = a.wrapping_sub(near.wrapping_mul(b));
        if rest < 0 { rest.wrapping_add(b) } else { rest }
    }
}
