//! Values of a batch: one number per lane, and arithmetic on them.
//!
//! A [`Value`] that is equal in all lanes is stored once. The loops run over
//! arrays of a fixed length, so that the compiler vectorises them. Results in
//! lanes outside the active mask are undefined.

use super::column::Column;
use super::division::{SMALL, is_power_of_two, quotient, quotient_by, small_remainder_by};
use super::mask::{LANES, Mask, for_lanes, vectorised};
use nimrule_model::expr::Order;
use std::ops::Range;

/// The largest absolute value in a column: the sum, difference or negation of
/// two such numbers fits 32 bits. Lanes with larger values fall back to the
/// concrete walk.
pub(super) const MOST: i64 = 1 << 30;

/// The sum of the numbers whose mask byte is 1.
struct Sum<'v> {
    numbers: &'v [i32],
    on: &'v [u8],
}

impl pulp::NullaryFnOnce for Sum<'_> {
    type Output = i64;

    #[inline(always)]
    fn call(self) -> i64 {
        let lanes = self.numbers.iter().zip(self.on);
        lanes
            .map(|(number, on)| i64::from(number & -i32::from(*on)))
            .sum()
    }
}

/// The minimum and maximum of the numbers whose mask byte is 1.
struct Extremes<'v> {
    numbers: &'v [i32],
    on: &'v [u8],
}

impl pulp::NullaryFnOnce for Extremes<'_> {
    type Output = (i32, i32);

    #[inline(always)]
    fn call(self) -> (i32, i32) {
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for (number, on) in self.numbers.iter().zip(self.on) {
            let on = *on != 0;
            low = low.min(if on { *number } else { i32::MAX });
            high = high.max(if on { *number } else { i32::MIN });
        }
        (low, high)
    }
}

/// One number per lane.
#[derive(Debug, Clone)]
pub enum Value {
    /// The same number for all lanes.
    Same(i64),
    /// A number for each lane, within 32 bits.
    Each(Column),
}

impl Value {
    /// The column of `number` in the lanes of `active`; `None` if the bounds exceed
    /// [`MOST`].
    #[inline(always)]
    fn checked(active: &Mask, low: i64, high: i64, number: impl Fn(usize) -> i32) -> Option<Value> {
        if low < -MOST || high > MOST {
            return None;
        }
        Some(Value::Each(Column::written(low, high, |column| {
            for_lanes(active.span(), move |lane| column[lane] = number(lane));
        })))
    }

    /// `k + 1` in lane `first + k * stride`, within the span of `active`.
    pub fn counting(first: usize, stride: usize, active: &Mask) -> Value {
        let lanes = active.span();
        let high = (lanes.end - first).div_ceil(stride) as i64;
        Value::Each(Column::written(1, high, |column| {
            if stride == 1 {
                let before = first as i32 - 1;
                for_lanes(lanes, move |lane| column[lane] = lane as i32 - before);
            } else {
                for (lane, number) in (first..lanes.end).step_by(stride).zip(1..) {
                    column[lane] = number;
                }
            }
        }))
    }

    /// A column from an array. All defined lanes must lie within the bounds.
    pub fn of_column(numbers: &[i32; LANES], low: i64, high: i64) -> Value {
        Value::Each(Column::written(low, high, |column| *column = *numbers))
    }

    /// A column of consecutive numbers, which must lie within the bounds.
    pub fn of_numbers(numbers: impl Iterator<Item = i32>, low: i64, high: i64) -> Value {
        Value::Each(Column::written(low, high, |column| {
            for (cell, number) in column.iter_mut().zip(numbers) {
                *cell = number;
            }
        }))
    }

    /// The numbers of these lanes, moved to lanes 0, 1, 2, …
    pub fn packed(&self, lanes: &[u8]) -> Value {
        match self {
            Value::Same(_) => self.clone(),
            Value::Each(each) => Value::Each(Column::written(each.low, each.high, |column| {
                for (cell, lane) in column.iter_mut().zip(lanes) {
                    *cell = each.column[usize::from(*lane)];
                }
            })),
        }
    }

    /// A column from pairs of lane and number; `None` if a number exceeds `MOST`.
    pub fn gathered(numbers: &[(usize, i64)]) -> Option<Value> {
        let mut column = [0; LANES];
        let (mut low, mut high) = (0, 0);
        for (lane, number) in numbers {
            (low, high) = (low.min(*number), high.max(*number));
            column[*lane] = *number as i32;
        }
        (low >= -MOST && high <= MOST).then(|| Value::of_column(&column, low, high))
    }

    /// The number of sets that contain each lane of `active`; an absent set is the
    /// set of all lanes. At most 255 sets.
    pub fn counted<'m>(sets: impl Iterator<Item = &'m Option<Mask>>, active: &Mask) -> Value {
        let (mut everywhere, mut somewhere) = (0, 0);
        let mut counts = [0_u8; LANES];
        for set in sets {
            match set {
                Some(set) if set.on() != active.on() => {
                    somewhere += 1;
                    for (count, on) in counts.iter_mut().zip(set.on()) {
                        *count += on;
                    }
                }
                _ => everywhere += 1,
            }
        }
        if somewhere == 0 {
            return Value::Same(everywhere);
        }
        let high = everywhere + somewhere;
        Value::Each(Column::written(everywhere, high, |column| {
            let everywhere = everywhere as i32;
            for_lanes(active.span(), move |lane| {
                column[lane] = everywhere + i32::from(counts[lane]);
            });
        }))
    }

    /// The size of a heap in consecutive places of a table: `first` for `left`
    /// lanes, then one more every `stride` lanes, and 0 again after `most`.
    pub fn of_sizes(first: u64, left: usize, stride: usize, most: u64, count: usize) -> Value {
        if left >= count {
            return Value::Same(first as i64);
        }
        let whole = first as usize + count <= most as usize + 1;
        if stride == 1 && whole {
            let (low, high) = (first as i64, first as i64 + count as i64);
            return Value::Each(Column::written(low, high, |column| {
                let first = first as i32;
                for_lanes(0..count, move |lane| column[lane] = first + lane as i32);
            }));
        }
        Value::Each(Column::written(0, most as i64, |column| {
            let (mut size, mut from, mut to) = (first, 0, left);
            while from < count {
                column[from..to.min(count)].fill(size as i32);
                size = if size < most { size + 1 } else { 0 };
                (from, to) = (to, to + stride);
            }
        }))
    }

    /// The sizes minus `by`, for lanes of at least that size.
    pub fn lowered(&self, by: i64, active: &Mask) -> Value {
        match self {
            Value::Same(size) => Value::Same(size - by),
            Value::Each(_) if by == 0 => self.clone(),
            Value::Each(each) => {
                let (low, high) = ((each.low - by).max(0), (each.high - by).max(0));
                let (column, by) = (&each.column, by as i32);
                Value::checked(active, low, high, move |lane| column[lane].wrapping_sub(by))
                    .expect("a heap is no larger than it was")
            }
        }
    }

    /// The numbers of the lanes of `active`, and `other` in the remaining lanes.
    pub fn column(&self, active: &Mask, other: i32) -> [i32; LANES] {
        let mut column = [other; LANES];
        self.write_column(active, other, &mut column);
        column
    }

    /// Writes the numbers of the lanes of `active`, and `other` to the remaining
    /// lanes.
    pub fn write_column(&self, active: &Mask, other: i32, column: &mut [i32; LANES]) {
        self.write_lanes(0..LANES, active, other, column);
    }

    /// [`Value::write_column`], of some lanes only.
    pub fn write_lanes(
        &self,
        lanes: Range<usize>,
        active: &Mask,
        other: i32,
        column: &mut [i32; LANES],
    ) {
        let on = active.on();
        match self {
            Value::Same(number) => {
                let number = Value::clamped(*number);
                for_lanes(lanes, move |lane| {
                    column[lane] = if on[lane] != 0 { number } else { other };
                });
            }
            Value::Each(each) => {
                let numbers = &each.column;
                for_lanes(lanes, move |lane| {
                    column[lane] = if on[lane] != 0 { numbers[lane] } else { other };
                });
            }
        }
    }

    /// The numbers of the lanes of `active` minus `base`, clamped to a byte, and
    /// `other` in the remaining lanes.
    pub fn bytes_from(&self, base: i64, active: &Mask, other: u8) -> [u8; LANES] {
        let mut bytes = [other; LANES];
        let (on, most) = (active.on(), i64::from(u8::MAX));
        let column = &mut bytes;
        match self {
            Value::Same(number) => {
                let byte = (number - base).clamp(0, most) as u8;
                for_lanes(active.span(), move |lane| {
                    column[lane] = if on[lane] != 0 { byte } else { other };
                });
            }
            Value::Each(each) => {
                let (numbers, base) = (&each.column, Value::clamped(base));
                for_lanes(active.span(), move |lane| {
                    let above = numbers[lane].wrapping_sub(base).clamp(0, u8::MAX.into());
                    column[lane] = if on[lane] != 0 { above as u8 } else { other };
                });
            }
        }
        bytes
    }

    /// The sum over the lanes of `active`.
    pub fn sum(&self, active: &Mask) -> i64 {
        match self {
            Value::Same(number) => number * active.count() as i64,
            Value::Each(each) => vectorised(Sum {
                numbers: &each.column[active.span()],
                on: &active.on()[active.span()],
            }),
        }
    }

    /// The number of a lane.
    pub fn at(&self, lane: usize) -> i64 {
        match self {
            Value::Same(number) => *number,
            Value::Each(each) => each.column[lane].into(),
        }
    }

    /// The lanes of `active` whose option at distance `back + number * stride` lies
    /// before the batch.
    pub fn lanes_before_batch(&self, back: usize, stride: usize, active: &Mask) -> Mask {
        let many = LANES as i32;
        let lanes = |places: usize| places.min(LANES) as i32;
        let (back, stride) = (lanes(back), lanes(stride));
        match self {
            Value::Same(number) => {
                let places = back + (*number).clamp(0, many.into()) as i32 * stride;
                Mask::of(active, move |lane| places > lane as i32)
            }
            Value::Each(each) => {
                let column = &each.column;
                // A distance of LANES or more always leads out of the batch.
                Mask::of(active, move |lane| {
                    back + column[lane].clamp(0, many) * stride > lane as i32
                })
            }
        }
    }

    /// Bounds of the numbers of all defined lanes, both included.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            Value::Same(number) => (*number, *number),
            Value::Each(each) => (each.low, each.high),
        }
    }

    /// The minimum and maximum over the lanes of `active`, which must not be empty.
    pub fn range(&self, active: &Mask) -> (i64, i64) {
        match self {
            Value::Same(number) => (*number, *number),
            Value::Each(each) => {
                let (low, high) = vectorised(Extremes {
                    numbers: &each.column[active.span()],
                    on: &active.on()[active.span()],
                });
                (low.into(), high.into())
            }
        }
    }

    /// The nearest number to `number` that a lane can hold.
    fn clamped(number: i64) -> i32 {
        number.clamp(-MOST - 1, MOST + 1) as i32
    }

    /// Applies `f` lane by lane; `None` if the bounds of the result are too large or
    /// both values are constants.
    #[inline(always)]
    fn combine(
        &self,
        other: &Value,
        active: &Mask,
        (low, high): (i64, i64),
        f: impl Fn(i32, i32) -> i32,
    ) -> Option<Value> {
        match (self, other) {
            (Value::Each(a), Value::Each(b)) => {
                let (a, b) = (&a.column, &b.column);
                Value::checked(active, low, high, move |lane| f(a[lane], b[lane]))
            }
            (Value::Each(a), Value::Same(b)) => {
                let (a, b) = (&a.column, Value::clamped(*b));
                Value::checked(active, low, high, move |lane| f(a[lane], b))
            }
            (Value::Same(a), Value::Each(b)) => {
                let (a, b) = (Value::clamped(*a), &b.column);
                Value::checked(active, low, high, move |lane| f(a, b[lane]))
            }
            (Value::Same(_), Value::Same(_)) => None,
        }
    }

    /// The minimum of the two values in each lane.
    pub fn min(&self, other: &Value, active: &Mask) -> Value {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        if b <= c {
            self.clone()
        } else if d <= a {
            other.clone()
        } else {
            self.combine(other, active, (a.min(c), b.min(d)), i32::min)
                .expect("the smaller of two numbers is no larger than they are")
        }
    }

    /// The maximum of the two values in each lane.
    pub fn max(&self, other: &Value, active: &Mask) -> Value {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        if a >= d {
            self.clone()
        } else if c >= b {
            other.clone()
        } else {
            self.combine(other, active, (a.max(c), b.max(d)), i32::max)
                .expect("the larger of two numbers is no larger than they are")
        }
    }

    /// The sum for each active lane; `None` if a number may exceed the range of a [`Value`].
    pub fn plus(&self, other: &Value, active: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => a.checked_add(*b).map(Value::Same),
            (_, Value::Same(0)) => Some(self.clone()),
            (Value::Same(0), _) => Some(other.clone()),
            _ => {
                let bounds = (a.checked_add(c)?, b.checked_add(d)?);
                self.combine(other, active, bounds, |a, b| a.wrapping_add(b))
            }
        }
    }

    /// The difference for each active lane; see [`Value::plus`].
    pub fn minus(&self, other: &Value, active: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => a.checked_sub(*b).map(Value::Same),
            (_, Value::Same(0)) => Some(self.clone()),
            _ => {
                let bounds = (a.checked_sub(d)?, b.checked_sub(c)?);
                self.combine(other, active, bounds, |a, b| a.wrapping_sub(b))
            }
        }
    }

    /// The product for each active lane; see [`Value::plus`].
    pub fn times(&self, other: &Value, active: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        if let (Value::Same(a), Value::Same(b)) = (self, other) {
            return a.checked_mul(*b).map(Value::Same);
        }
        let corners = [
            a.checked_mul(c)?,
            a.checked_mul(d)?,
            b.checked_mul(c)?,
            b.checked_mul(d)?,
        ];
        let low = corners.iter().copied().min()?;
        let high = corners.iter().copied().max()?;
        self.combine(other, active, (low, high), |a, b| a.wrapping_mul(b))
    }

    /// The nim-sum. Both values must be non-negative in the lanes of `active`.
    pub fn nim_sum(&self, other: &Value, active: &Mask) -> Option<Value> {
        if let (Value::Same(a), Value::Same(b)) = (self, other) {
            return Some(Value::Same(a ^ b));
        }
        let high = self.bounds().1.max(other.bounds().1).max(0);
        let high =
            i64::try_from(u64::try_from(high + 1).ok()?.checked_next_power_of_two()?).ok()?;
        self.combine(other, active, (0, high - 1), |a, b| a ^ b)
    }

    /// The quotient, rounded towards minus infinity. The divisor must be positive in
    /// the lanes of `active`.
    pub fn divided(&self, by: &Value, active: &Mask) -> Option<Value> {
        let (low, high) = self.bounds();
        let bounds = match by {
            Value::Same(by) if *by > 0 => (low.div_euclid(*by), high.div_euclid(*by)),
            _ => (low.min(0), high.max(0)),
        };
        match (self, by) {
            (Value::Same(a), Value::Same(b)) => Some(Value::Same(a.div_euclid(*b))),
            (Value::Each(_), Value::Same(b)) if is_power_of_two(*b) => {
                let shift = b.trailing_zeros().min(31);
                self.combine(by, active, bounds, move |a, _| a >> shift)
            }
            (Value::Each(_), Value::Same(b)) if *b <= MOST => {
                let quotient = quotient_by(*b as i32);
                self.combine(by, active, bounds, move |a, _| quotient(a))
            }
            _ => self.combine(by, active, bounds, quotient),
        }
    }

    /// The remainder. The divisor must be positive in the lanes of `active`.
    pub fn remainder(&self, by: &Value, active: &Mask) -> Option<Value> {
        let bounds = (0, by.bounds().1.max(0));
        match (self, by) {
            (Value::Same(a), Value::Same(b)) => Some(Value::Same(a.rem_euclid(*b))),
            (Value::Each(_), Value::Same(b)) if *b > MOST => None,
            (Value::Each(_), Value::Same(b)) if is_power_of_two(*b) => {
                let digits = (*b - 1) as i32;
                self.combine(by, active, bounds, move |a, _| a & digits)
            }
            (Value::Each(a), Value::Same(b)) if a.low >= 0 && a.high < SMALL => {
                let remainder = small_remainder_by(*b as i32);
                self.combine(by, active, bounds, move |a, _| remainder(a))
            }
            (Value::Each(_), Value::Same(b)) => {
                let quotient = quotient_by(*b as i32);
                let b = *b as i32;
                self.combine(by, active, bounds, move |a, _| {
                    a.wrapping_sub(quotient(a).wrapping_mul(b))
                })
            }
            (Value::Same(a), _) if a.abs() > MOST => None,
            _ => self.combine(by, active, bounds, |a, b| {
                a.wrapping_sub(quotient(a, b).wrapping_mul(b))
            }),
        }
    }

    /// The square root, rounded down. The value must be non-negative in the lanes of
    /// `active`.
    pub fn isqrt(&self, active: &Mask) -> Option<Value> {
        match self {
            Value::Same(number) => u64::try_from(*number)
                .ok()
                .map(|number| Value::Same(number.isqrt() as i64)),
            Value::Each(each) => {
                let high = u64::try_from(each.high).ok()?.isqrt() as i64;
                let column = &each.column;
                // An f64 is exact enough to separate a non-integral root of a 31-bit
                // number from the nearest integer.
                Value::checked(active, 0, high, move |lane| {
                    f64::from(column[lane].max(0)).sqrt() as i32
                })
            }
        }
    }

    /// The number times -1 for each active lane; see [`Value::plus`].
    pub fn negated(&self, active: &Mask) -> Option<Value> {
        Value::Same(0).minus(self, active)
    }

    /// `self` in the lanes of `here`, and `other` elsewhere.
    pub fn select(&self, here: &Mask, other: &Value, active: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let (low, high) = (a.min(c), b.max(d));
        let on = here.on();
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => {
                let (a, b) = (Value::clamped(*a), Value::clamped(*b));
                Value::checked(
                    active,
                    low,
                    high,
                    move |lane| if on[lane] != 0 { a } else { b },
                )
            }
            (Value::Same(a), Value::Each(b)) => {
                let (a, b) = (Value::clamped(*a), &b.column);
                Value::checked(
                    active,
                    low,
                    high,
                    move |lane| if on[lane] != 0 { a } else { b[lane] },
                )
            }
            (Value::Each(a), Value::Same(b)) => {
                let (a, b) = (&a.column, Value::clamped(*b));
                Value::checked(
                    active,
                    low,
                    high,
                    move |lane| if on[lane] != 0 { a[lane] } else { b },
                )
            }
            (Value::Each(a), Value::Each(b)) => {
                let (a, b) = (&a.column, &b.column);
                let one = move |lane| if on[lane] != 0 { a[lane] } else { b[lane] };
                Value::checked(active, low, high, one)
            }
        }
    }

    /// The lanes of `active` in which the comparison holds.
    pub fn compare(&self, order: Order, other: &Value, active: &Mask) -> Mask {
        // PERF: often the bounds decide.
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let apart = b < c || d < a;
        match order {
            Order::Equal if apart => Mask::none(),
            Order::NotEqual if apart => active.clone(),
            Order::Less if b < c => active.clone(),
            Order::Less if a >= d => Mask::none(),
            Order::AtMost if b <= c => active.clone(),
            Order::AtMost if a > d => Mask::none(),
            Order::Equal => self.compared(order, other, active, |a, b| a == b),
            Order::NotEqual => self.compared(order, other, active, |a, b| a != b),
            Order::Less => self.compared(order, other, active, |a, b| a < b),
            Order::AtMost => self.compared(order, other, active, |a, b| a <= b),
        }
    }

    #[inline(always)]
    fn compared(
        &self,
        order: Order,
        other: &Value,
        active: &Mask,
        holds: impl Fn(i32, i32) -> bool,
    ) -> Mask {
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => {
                if order.holds(*a, *b) {
                    active.clone()
                } else {
                    Mask::none()
                }
            }
            (Value::Each(a), Value::Each(b)) => {
                let (a, b) = (&a.column, &b.column);
                Mask::of(active, move |lane| holds(a[lane], b[lane]))
            }
            // A clamped constant lies outside the range of every column.
            (Value::Each(a), Value::Same(b)) => {
                let (a, b) = (&a.column, Value::clamped(*b));
                Mask::of(active, move |lane| holds(a[lane], b))
            }
            (Value::Same(a), Value::Each(b)) => {
                let (a, b) = (Value::clamped(*a), &b.column);
                Mask::of(active, move |lane| holds(a, b[lane]))
            }
        }
    }

    /// The lanes of `active` in which `low <= number <= high`.
    pub fn between(low: &Value, number: i64, high: &Value, active: &Mask) -> Mask {
        let is_above = low.bounds().1 <= number;
        let number = Value::Same(number);
        if is_above {
            return number.compare(Order::AtMost, high, active);
        }
        let above = low.compare(Order::AtMost, &number, active);
        number.compare(Order::AtMost, high, &above)
    }
}
