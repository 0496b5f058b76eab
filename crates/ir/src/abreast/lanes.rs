//! Numbers in lanes: what is worked out for many positions at once.
//!
//! A lane is one of the positions that are walked abreast. A [`Value`] is a
//! number in each of them, kept once where it is the same in all. The loops here
//! are plain, over arrays of a fixed length, so that the compiler turns them into
//! vector instructions.

use super::column::Column;
use super::division::{SMALL, is_power_of_two, quotient, quotient_by, small_remainder_by};
use super::mask::{LANES, Mask, over, vectorised};
use nimrule_model::expr::Order;

/// Numbers in lanes stay within this, so that sums, differences and signs of
/// two never pass what 32 bits hold; what grows larger is left to the plain
/// walk.
const MOST: i64 = 1 << 30;

/// The sum of the numbers that are meant.
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

/// The smallest and the largest of the numbers that are meant.
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

/// A number in each lane.
#[derive(Debug, Clone)]
pub enum Value {
    Same(i64),
    Each(Column),
}

impl Value {
    /// The numbers of these lanes; `None` where they may be too large. Lanes
    /// outside of `who` hold nothing that counts.
    #[inline(always)]
    fn made(who: &Mask, low: i64, high: i64, number: impl Fn(usize) -> i32) -> Option<Value> {
        if low < -MOST || high > MOST {
            return None;
        }
        Some(Value::Each(Column::written(low, high, |column| {
            over(who.span(), move |lane| column[lane] = number(lane));
        })))
    }

    /// 1 in the first lane, and 1 more after every `stride` lanes, in the lanes of
    /// `who` that are so many after it.
    pub fn counting(first: usize, stride: usize, who: &Mask) -> Value {
        let lanes = who.span();
        let high = (lanes.end - first).div_ceil(stride) as i64;
        Value::Each(Column::written(1, high, |column| {
            if stride == 1 {
                let before = first as i32 - 1;
                over(lanes, move |lane| column[lane] = lane as i32 - before);
            } else {
                for (lane, number) in (first..lanes.end).step_by(stride).zip(1..) {
                    column[lane] = number;
                }
            }
        }))
    }

    /// These numbers, which keep to the bounds where they count.
    pub fn of_column(numbers: &[i32; LANES], low: i64, high: i64) -> Value {
        Value::Each(Column::written(low, high, |column| *column = *numbers))
    }

    /// Numbers one after another, which keep to the bounds.
    pub fn of_numbers(numbers: impl Iterator<Item = i32>, low: i64, high: i64) -> Value {
        Value::Each(Column::written(low, high, |column| {
            for (cell, number) in column.iter_mut().zip(numbers) {
                *cell = number;
            }
        }))
    }

    /// The number of each of these lanes, one after another.
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

    /// Numbers found one lane after another; `None` where they are too large.
    pub fn gathered(numbers: &[(usize, i64)]) -> Option<Value> {
        let mut column = [0; LANES];
        let (mut low, mut high) = (0, 0);
        for (lane, number) in numbers {
            (low, high) = (low.min(*number), high.max(*number));
            column[*lane] = *number as i32;
        }
        (low >= -MOST && high <= MOST).then(|| Value::of_column(&column, low, high))
    }

    /// How many of these sets each lane of `who` is in, or of all lanes; there are
    /// no more than a byte counts.
    pub fn counted<'m>(sets: impl Iterator<Item = &'m Option<Mask>>, who: &Mask) -> Value {
        let (mut everywhere, mut somewhere) = (0, 0);
        let mut counts = [0_u8; LANES];
        for set in sets {
            match set {
                Some(set) if set.on() != who.on() => {
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
            over(who.span(), move |lane| {
                column[lane] = everywhere + i32::from(counts[lane]);
            });
        }))
    }

    /// The size of a heap that is `first` in the first lane, grows by one token
    /// after every `stride` lanes, and begins again after `most`. The first
    /// size lasts for `left` lanes.
    pub fn of_sizes(first: u64, left: usize, stride: usize, most: u64, count: usize) -> Value {
        if left >= count {
            return Value::Same(first as i64);
        }
        let mut column = [0; LANES];
        let whole = first as usize + count <= most as usize + 1;
        if stride == 1 && whole {
            for (cell, size) in column[..count].iter_mut().zip(first as i32..) {
                *cell = size;
            }
            let (low, high) = (first as i64, first as i64 + count as i64);
            return Value::of_column(&column, low, high);
        }
        let (mut size, mut from, mut to) = (first, 0, left);
        while from < count {
            column[from..to.min(count)].fill(size as i32);
            size = if size < most { size + 1 } else { 0 };
            (from, to) = (to, to + stride);
        }
        let (low, high) = (0, most as i64);
        Value::of_column(&column, low, high)
    }

    /// Sizes of heaps of which `by` has been taken, in lanes that have as much.
    pub fn lowered(&self, by: i64, who: &Mask) -> Value {
        match self {
            Value::Same(size) => Value::Same(size - by),
            Value::Each(_) if by == 0 => self.clone(),
            Value::Each(each) => {
                let (low, high) = ((each.low - by).max(0), (each.high - by).max(0));
                let (column, by) = (&each.column, by as i32);
                Value::made(who, low, high, move |lane| column[lane].wrapping_sub(by))
                    .expect("a heap is no larger than it was")
            }
        }
    }

    /// The number of each lane of `who`, and `other` in all other lanes.
    pub fn column(&self, who: &Mask, other: i32) -> [i32; LANES] {
        let mut column = [other; LANES];
        self.write_column(who, other, &mut column);
        column
    }

    /// Writes the number of each lane of `who`, and `other` in all other lanes.
    pub fn write_column(&self, who: &Mask, other: i32, column: &mut [i32; LANES]) {
        let on = who.on();
        match self {
            Value::Same(number) => {
                let number = Value::fitted(*number);
                over(0..LANES, move |lane| {
                    column[lane] = if on[lane] != 0 { number } else { other };
                });
            }
            Value::Each(each) => {
                let numbers = &each.column;
                over(0..LANES, move |lane| {
                    column[lane] = if on[lane] != 0 { numbers[lane] } else { other };
                });
            }
        }
    }

    /// How far the number of each lane of `who` is above a base, as far as a byte
    /// tells, and `other` in all other lanes.
    pub fn bytes_from(&self, base: i64, who: &Mask, other: u8) -> [u8; LANES] {
        let mut bytes = [other; LANES];
        let (on, most) = (who.on(), i64::from(u8::MAX));
        let column = &mut bytes;
        match self {
            Value::Same(number) => {
                let byte = (number - base).clamp(0, most) as u8;
                over(who.span(), move |lane| {
                    column[lane] = if on[lane] != 0 { byte } else { other };
                });
            }
            Value::Each(each) => {
                let (numbers, base) = (&each.column, Value::fitted(base));
                over(who.span(), move |lane| {
                    let above = numbers[lane].wrapping_sub(base).clamp(0, u8::MAX.into());
                    column[lane] = if on[lane] != 0 { above as u8 } else { other };
                });
            }
        }
        bytes
    }

    /// The sum of the numbers of these lanes.
    pub fn sum(&self, who: &Mask) -> i64 {
        match self {
            Value::Same(number) => number * who.count() as i64,
            Value::Each(each) => vectorised(Sum {
                numbers: &each.column[who.span()],
                on: &who.on()[who.span()],
            }),
        }
    }

    pub fn at(&self, lane: usize) -> i64 {
        match self {
            Value::Same(number) => *number,
            Value::Each(each) => each.column[lane].into(),
        }
    }

    /// The lanes of `who` that are fewer than `back` places, and `stride` more for
    /// each of their number, from the first.
    pub fn leaves(&self, back: usize, stride: usize, who: &Mask) -> Mask {
        let many = LANES as i32;
        let lanes = |places: usize| places.min(LANES) as i32;
        let (back, stride) = (lanes(back), lanes(stride));
        match self {
            Value::Same(number) => {
                let places = back + (*number).clamp(0, many.into()) as i32 * stride;
                Mask::of(who, move |lane| places > lane as i32)
            }
            Value::Each(each) => {
                let column = &each.column;
                // More than there are lanes leads out of them whatever the stride.
                Mask::of(who, move |lane| {
                    back + column[lane].clamp(0, many) * stride > lane as i32
                })
            }
        }
    }

    /// Bounds that the numbers of all lanes keep to.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            Value::Same(number) => (*number, *number),
            Value::Each(each) => (each.low, each.high),
        }
    }

    /// The smallest and the largest number of these lanes, of which there is
    /// one.
    pub fn range(&self, who: &Mask) -> (i64, i64) {
        match self {
            Value::Same(number) => (*number, *number),
            Value::Each(each) => {
                let (low, high) = vectorised(Extremes {
                    numbers: &each.column[who.span()],
                    on: &who.on()[who.span()],
                });
                (low.into(), high.into())
            }
        }
    }

    /// A number that may be taken for one of a column: the nearest that is.
    fn fitted(number: i64) -> i32 {
        number.clamp(-MOST - 1, MOST + 1) as i32
    }

    /// The numbers, each put together with that of the other.
    #[inline(always)]
    fn with(
        &self,
        other: &Value,
        who: &Mask,
        (low, high): (i64, i64),
        f: impl Fn(i32, i32) -> i32,
    ) -> Option<Value> {
        match (self, other) {
            (Value::Each(a), Value::Each(b)) => {
                let (a, b) = (&a.column, &b.column);
                Value::made(who, low, high, move |lane| f(a[lane], b[lane]))
            }
            (Value::Each(a), Value::Same(b)) => {
                let (a, b) = (&a.column, Value::fitted(*b));
                Value::made(who, low, high, move |lane| f(a[lane], b))
            }
            (Value::Same(a), Value::Each(b)) => {
                let (a, b) = (Value::fitted(*a), &b.column);
                Value::made(who, low, high, move |lane| f(a, b[lane]))
            }
            (Value::Same(_), Value::Same(_)) => None,
        }
    }

    /// The smaller number of the two.
    pub fn least(&self, other: &Value, who: &Mask) -> Value {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        if b <= c {
            self.clone()
        } else if d <= a {
            other.clone()
        } else {
            self.with(other, who, (a.min(c), b.min(d)), i32::min)
                .expect("the smaller of two numbers is no larger than they are")
        }
    }

    /// The larger number of the two.
    pub fn most(&self, other: &Value, who: &Mask) -> Value {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        if a >= d {
            self.clone()
        } else if c >= b {
            other.clone()
        } else {
            self.with(other, who, (a.max(c), b.max(d)), i32::max)
                .expect("the larger of two numbers is no larger than they are")
        }
    }

    pub fn plus(&self, other: &Value, who: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => a.checked_add(*b).map(Value::Same),
            (_, Value::Same(0)) => Some(self.clone()),
            (Value::Same(0), _) => Some(other.clone()),
            _ => {
                let bounds = (a.checked_add(c)?, b.checked_add(d)?);
                self.with(other, who, bounds, |a, b| a.wrapping_add(b))
            }
        }
    }

    pub fn minus(&self, other: &Value, who: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => a.checked_sub(*b).map(Value::Same),
            (_, Value::Same(0)) => Some(self.clone()),
            _ => {
                let bounds = (a.checked_sub(d)?, b.checked_sub(c)?);
                self.with(other, who, bounds, |a, b| a.wrapping_sub(b))
            }
        }
    }

    pub fn times(&self, other: &Value, who: &Mask) -> Option<Value> {
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
        self.with(other, who, (low, high), |a, b| a.wrapping_mul(b))
    }

    /// The nim-sum of numbers that are not negative in the lanes of `who`.
    pub fn nim_sum(&self, other: &Value, who: &Mask) -> Option<Value> {
        if let (Value::Same(a), Value::Same(b)) = (self, other) {
            return Some(Value::Same(a ^ b));
        }
        let high = self.bounds().1.max(other.bounds().1).max(0);
        let high =
            i64::try_from(u64::try_from(high + 1).ok()?.checked_next_power_of_two()?).ok()?;
        self.with(other, who, (0, high - 1), |a, b| a ^ b)
    }

    /// The quotients, rounded towards minus infinity, by numbers that are
    /// positive in the lanes of `who`.
    pub fn divided(&self, by: &Value, who: &Mask) -> Option<Value> {
        let (low, high) = self.bounds();
        let bounds = match by {
            Value::Same(by) if *by > 0 => (low.div_euclid(*by), high.div_euclid(*by)),
            _ => (low.min(0), high.max(0)),
        };
        match (self, by) {
            (Value::Same(a), Value::Same(b)) => Some(Value::Same(a.div_euclid(*b))),
            (Value::Each(_), Value::Same(b)) if is_power_of_two(*b) => {
                let shift = b.trailing_zeros().min(31);
                self.with(by, who, bounds, move |a, _| a >> shift)
            }
            (Value::Each(_), Value::Same(b)) if *b <= MOST => {
                let quotient = quotient_by(*b as i32);
                self.with(by, who, bounds, move |a, _| quotient(a))
            }
            _ => self.with(by, who, bounds, quotient),
        }
    }

    /// The remainders by numbers that are positive in the lanes of `who`.
    pub fn remainder(&self, by: &Value, who: &Mask) -> Option<Value> {
        let bounds = (0, by.bounds().1.max(0));
        match (self, by) {
            (Value::Same(a), Value::Same(b)) => Some(Value::Same(a.rem_euclid(*b))),
            (Value::Each(_), Value::Same(b)) if *b > MOST => None,
            (Value::Each(_), Value::Same(b)) if is_power_of_two(*b) => {
                let digits = (*b - 1) as i32;
                self.with(by, who, bounds, move |a, _| a & digits)
            }
            (Value::Each(a), Value::Same(b)) if a.low >= 0 && a.high < SMALL => {
                let remainder = small_remainder_by(*b as i32);
                self.with(by, who, bounds, move |a, _| remainder(a))
            }
            (Value::Each(_), Value::Same(b)) => {
                let quotient = quotient_by(*b as i32);
                let b = *b as i32;
                self.with(by, who, bounds, move |a, _| {
                    a.wrapping_sub(quotient(a).wrapping_mul(b))
                })
            }
            (Value::Same(a), _) if a.abs() > MOST => None,
            _ => self.with(by, who, bounds, |a, b| {
                a.wrapping_sub(quotient(a, b).wrapping_mul(b))
            }),
        }
    }

    /// The square roots of numbers that are not negative in the lanes of `who`,
    /// rounded down.
    pub fn root(&self, who: &Mask) -> Option<Value> {
        match self {
            Value::Same(number) => u64::try_from(*number)
                .ok()
                .map(|number| Value::Same(number.isqrt() as i64)),
            Value::Each(each) => {
                let high = u64::try_from(each.high).ok()?.isqrt() as i64;
                let column = &each.column;
                // A float is exact to far more than the distance of a root that is
                // no integer from the next.
                Value::made(who, 0, high, move |lane| {
                    f64::from(column[lane].max(0)).sqrt() as i32
                })
            }
        }
    }

    pub fn negated(&self, who: &Mask) -> Option<Value> {
        Value::Same(0).minus(self, who)
    }

    /// These numbers in the lanes of `here`, and the others elsewhere.
    pub fn or_else(&self, here: &Mask, other: &Value, who: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let (low, high) = (a.min(c), b.max(d));
        let on = here.on();
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => {
                let (a, b) = (Value::fitted(*a), Value::fitted(*b));
                Value::made(
                    who,
                    low,
                    high,
                    move |lane| if on[lane] != 0 { a } else { b },
                )
            }
            (Value::Same(a), Value::Each(b)) => {
                let (a, b) = (Value::fitted(*a), &b.column);
                Value::made(
                    who,
                    low,
                    high,
                    move |lane| if on[lane] != 0 { a } else { b[lane] },
                )
            }
            (Value::Each(a), Value::Same(b)) => {
                let (a, b) = (&a.column, Value::fitted(*b));
                Value::made(
                    who,
                    low,
                    high,
                    move |lane| if on[lane] != 0 { a[lane] } else { b },
                )
            }
            (Value::Each(a), Value::Each(b)) => {
                let (a, b) = (&a.column, &b.column);
                let one = move |lane| if on[lane] != 0 { a[lane] } else { b[lane] };
                Value::made(who, low, high, one)
            }
        }
    }

    /// The lanes of `who` in which the comparison holds.
    pub fn compare(&self, order: Order, other: &Value, who: &Mask) -> Mask {
        // PERF: often the bounds tell.
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        let apart = b < c || d < a;
        match order {
            Order::Equal if apart => Mask::none(),
            Order::NotEqual if apart => who.clone(),
            Order::Less if b < c => who.clone(),
            Order::Less if a >= d => Mask::none(),
            Order::AtMost if b <= c => who.clone(),
            Order::AtMost if a > d => Mask::none(),
            Order::Equal => self.compared(order, other, who, |a, b| a == b),
            Order::NotEqual => self.compared(order, other, who, |a, b| a != b),
            Order::Less => self.compared(order, other, who, |a, b| a < b),
            Order::AtMost => self.compared(order, other, who, |a, b| a <= b),
        }
    }

    #[inline(always)]
    fn compared(
        &self,
        order: Order,
        other: &Value,
        who: &Mask,
        holds: impl Fn(i32, i32) -> bool,
    ) -> Mask {
        match (self, other) {
            (Value::Same(a), Value::Same(b)) => {
                if order.holds(*a, *b) {
                    who.clone()
                } else {
                    Mask::none()
                }
            }
            (Value::Each(a), Value::Each(b)) => {
                let (a, b) = (&a.column, &b.column);
                Mask::of(who, move |lane| holds(a[lane], b[lane]))
            }
            // No number of a column is as far out as what is fitted.
            (Value::Each(a), Value::Same(b)) => {
                let (a, b) = (&a.column, Value::fitted(*b));
                Mask::of(who, move |lane| holds(a[lane], b))
            }
            (Value::Same(a), Value::Each(b)) => {
                let (a, b) = (Value::fitted(*a), &b.column);
                Mask::of(who, move |lane| holds(a, b[lane]))
            }
        }
    }

    /// The lanes of `who` in which this is at least `low` and at most `high`.
    pub fn within(low: &Value, number: i64, high: &Value, who: &Mask) -> Mask {
        let is_above = low.bounds().1 <= number;
        let number = Value::Same(number);
        if is_above {
            return number.compare(Order::AtMost, high, who);
        }
        let above = low.compare(Order::AtMost, &number, who);
        number.compare(Order::AtMost, high, &above)
    }
}
