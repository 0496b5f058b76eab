//! Numbers and sets of lanes: what is worked out for many positions at once.
//!
//! A lane is one of the positions that are walked abreast. A [`Value`] is a
//! number in each of them, kept once where it is the same in all; a [`Mask`]
//! says which of them are meant. The loops here are plain, over arrays of a
//! fixed length, so that the compiler turns them into vector instructions.

use crate::expr::Order;
use std::rc::Rc;
use std::sync::LazyLock;

/// So many positions are walked abreast at most.
pub const LANES: usize = 256;

/// Numbers in lanes stay within this, so that sums, differences and signs of
/// two never pass what 32 bits hold; what grows larger is left to the plain
/// walk.
const MOST: i64 = 1 << 30;

/// The vector instructions that the machine has.
static ARCH: LazyLock<pulp::Arch> = LazyLock::new(pulp::Arch::new);

/// A loop over lanes.
//
// PERF: what is not inlined here is compiled for the least of all machines; and
// what is done holds its arrays itself, since a pointer to a pointer would be
// read anew for each lane.
struct Over<F> {
    lanes: std::ops::Range<usize>,
    each: F,
}

impl<F: FnMut(usize)> pulp::NullaryFnOnce for Over<F> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        // So the compiler sees that every lane is there.
        for lane in self.lanes.start..self.lanes.end.min(LANES) {
            (self.each)(lane);
        }
    }
}

/// Does the same for each of these lanes.
#[inline(always)]
fn over(lanes: std::ops::Range<usize>, each: impl FnMut(usize)) {
    ARCH.dispatch(Over { lanes, each });
}

/// A set of lanes.
#[derive(Debug, Clone)]
pub struct Mask {
    /// 1 for each lane of the set.
    on: [u8; LANES],
    /// No lane below `from`, nor from `to` on, is in the set.
    from: usize,
    to: usize,
}

impl Mask {
    pub fn none() -> Mask {
        Mask {
            on: [0; LANES],
            from: 0,
            to: 0,
        }
    }

    /// The first `count` lanes.
    pub fn first(count: usize) -> Mask {
        let mut mask = Mask::none();
        mask.on[..count].fill(1);
        mask.to = count;
        mask
    }

    /// The lanes of `who` for which `test` holds.
    #[inline(always)]
    pub fn of(who: &Mask, test: impl Fn(usize) -> bool) -> Mask {
        let mut mask = Mask::none();
        let (from, to) = (who.from, who.to);
        let (before, on) = (&who.on, &mut mask.on);
        over(from..to, move |lane| {
            on[lane] = before[lane] & u8::from(test(lane));
        });
        let any = mask.on[from..to].iter().fold(0, |any, on| any | on);
        if any != 0 {
            mask.narrow(from, to);
        }
        mask
    }

    /// Finds the first lane of the set and the last, of which there is one
    /// between these.
    fn narrow(&mut self, mut from: usize, mut to: usize) {
        while self.on[from] == 0 {
            from += 1;
        }
        while self.on[to - 1] == 0 {
            to -= 1;
        }
        (self.from, self.to) = (from, to);
    }

    pub fn is_empty(&self) -> bool {
        self.from == self.to
    }

    /// The lanes between which all of the set lie.
    pub fn span(&self) -> std::ops::Range<usize> {
        self.from..self.to
    }

    /// 1 for each lane of the set, and 0 for the others.
    pub fn on(&self) -> &[u8; LANES] {
        &self.on
    }

    pub fn has(&self, lane: usize) -> bool {
        self.on[lane] != 0
    }

    pub fn lanes(&self) -> impl Iterator<Item = usize> {
        // PERF: eight lanes are passed over at once where none is meant.
        let words = self.on.as_chunks::<8>().0;
        let within = self.from / 8..self.to.div_ceil(8);
        within.flat_map(|at| {
            let mut rest = u64::from_le_bytes(words[at]);
            std::iter::from_fn(move || {
                let lane = 8 * at + rest.trailing_zeros() as usize / 8;
                let some = rest != 0;
                rest &= rest.wrapping_sub(1);
                some.then_some(lane)
            })
        })
    }

    pub fn insert(&mut self, lane: usize) {
        (self.from, self.to) = if self.is_empty() {
            (lane, lane + 1)
        } else {
            (self.from.min(lane), self.to.max(lane + 1))
        };
        self.on[lane] = 1;
    }

    pub fn count(&self) -> usize {
        self.on[self.span()].iter().map(|on| usize::from(*on)).sum()
    }

    pub fn and(&self, other: &Mask) -> Mask {
        let other = &other.on;
        Mask::of(self, move |lane| other[lane] != 0)
    }

    pub fn without(&self, other: &Mask) -> Mask {
        if other.is_empty() {
            return self.clone();
        }
        let other = &other.on;
        Mask::of(self, move |lane| other[lane] == 0)
    }

    pub fn add(&mut self, other: &Mask) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        for lane in other.span() {
            self.on[lane] |= other.on[lane];
        }
        (self.from, self.to) = (self.from.min(other.from), self.to.max(other.to));
    }
}

/// A number in each lane, with the bounds that all lanes keep to.
#[derive(Debug, Clone)]
pub struct Each {
    pub column: [i32; LANES],
    pub low: i64,
    pub high: i64,
}

fn is_power_of_two(number: i64) -> bool {
    u64::try_from(number).is_ok_and(u64::is_power_of_two)
}

/// The quotient by a positive number, rounded towards minus infinity.
//
// PERF: vectors divide floats and no integers. What numbers of 31 bits have as
// a quotient is no integer, or is 2^-31 of itself away from any, and a float is
// exact to 2^-53.
#[inline(always)]
fn quotient(a: i32, b: i32) -> i32 {
    let truncated = (f64::from(a) / f64::from(b.max(1))) as i32;
    truncated - i32::from(truncated.wrapping_mul(b) > a)
}

/// The same by a number that is one for all lanes.
//
// PERF: a multiplication for the division, which may miss by 1.
#[inline(always)]
fn quotient_by(b: i32) -> impl Fn(i32) -> i32 {
    let inverse = 1.0 / f64::from(b.max(1));
    move |a| {
        let near = (f64::from(a) * inverse) as i32;
        let rest = a.wrapping_sub(near.wrapping_mul(b));
        near - i32::from(rest < 0) + i32::from(rest >= b)
    }
}

/// A number in each lane.
#[derive(Debug, Clone)]
pub enum Value {
    Same(i64),
    Each(Rc<Each>),
}

impl Value {
    /// The numbers of these lanes; `None` where they may be too large. Lanes
    /// outside of `who` hold nothing that counts.
    #[inline(always)]
    fn made(who: &Mask, low: i64, high: i64, number: impl Fn(usize) -> i32) -> Option<Value> {
        if low < -MOST || high > MOST {
            return None;
        }
        let column = [0; LANES];
        let mut each = Rc::new(Each { column, low, high });
        // PERF: filled where it stays.
        let made = Rc::get_mut(&mut each)?;
        let column = &mut made.column;
        over(who.from..who.to, move |lane| column[lane] = number(lane));
        Some(Value::Each(each))
    }

    /// These numbers, which keep to the bounds where they count.
    pub fn of_column(column: [i32; LANES], low: i64, high: i64) -> Value {
        Value::Each(Rc::new(Each { column, low, high }))
    }

    /// The number of each of these lanes, one after another.
    pub fn packed(&self, lanes: &[u8]) -> Value {
        match self {
            Value::Same(_) => self.clone(),
            Value::Each(each) => {
                let mut column = [0; LANES];
                for (cell, lane) in column.iter_mut().zip(lanes) {
                    *cell = each.column[usize::from(*lane)];
                }
                Value::of_column(column, each.low, each.high)
            }
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
        (low >= -MOST && high <= MOST).then(|| Value::Each(Rc::new(Each { column, low, high })))
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
            return Value::Each(Rc::new(Each { column, low, high }));
        }
        let (mut size, mut from, mut to) = (first, 0, left);
        while from < count {
            column[from..to.min(count)].fill(size as i32);
            size = if size < most { size + 1 } else { 0 };
            (from, to) = (to, to + stride);
        }
        let (low, high) = (0, most as i64);
        Value::Each(Rc::new(Each { column, low, high }))
    }

    /// Sizes of heaps of which `by` has been taken, in lanes that have as much.
    pub fn lowered(&self, by: i64, who: &Mask) -> Value {
        match self {
            Value::Same(size) => Value::Same(size - by),
            Value::Each(_) if by == 0 => self.clone(),
            Value::Each(each) => {
                let (low, high) = ((each.low - by).max(0), (each.high - by).max(0));
                let (column, by) = (&each.column, by as i32);
                Value::made(who, low, high, move |lane| column[lane] - by)
                    .expect("a heap is no larger than it was")
            }
        }
    }

    /// The number of each lane of `who`, and `other` in all other lanes.
    pub fn column(&self, who: &Mask, other: i32) -> [i32; LANES] {
        let mut column = [other; LANES];
        match self {
            Value::Same(number) => {
                let number = Value::fitted(*number);
                for (cell, on) in column.iter_mut().zip(&who.on) {
                    *cell = if *on != 0 { number } else { other };
                }
            }
            Value::Each(each) => {
                let lanes = each.column.iter().zip(&who.on);
                for (cell, (number, on)) in column.iter_mut().zip(lanes) {
                    *cell = if *on != 0 { *number } else { other };
                }
            }
        }
        column
    }

    pub fn at(&self, lane: usize) -> i64 {
        match self {
            Value::Same(number) => *number,
            Value::Each(each) => each.column[lane].into(),
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
                let (mut low, mut high) = (i32::MAX, i32::MIN);
                for lane in who.from..who.to {
                    let number = each.column[lane];
                    let on = who.on[lane] != 0;
                    low = low.min(if on { number } else { i32::MAX });
                    high = high.max(if on { number } else { i32::MIN });
                }
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
        let bounds = (low.min(0), high.max(0));
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

    pub fn negated(&self, who: &Mask) -> Option<Value> {
        Value::Same(0).minus(self, who)
    }

    /// These numbers in the lanes of `here`, and the others elsewhere.
    pub fn or_else(&self, here: &Mask, other: &Value, who: &Mask) -> Option<Value> {
        let ((a, b), (c, d)) = (self.bounds(), other.bounds());
        Value::made(who, a.min(c), b.max(d), |lane| {
            let one = if here.has(lane) { self } else { other };
            one.at(lane) as i32
        })
    }

    /// The lanes of `who` in which the comparison holds.
    pub fn compare(&self, order: Order, other: &Value, who: &Mask) -> Mask {
        match order {
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
        if let (Value::Same(low), Value::Same(high)) = (low, high) {
            return if *low <= number && number <= *high {
                who.clone()
            } else {
                Mask::none()
            };
        }
        let number = Value::Same(number);
        let above = low.compare(Order::AtMost, &number, who);
        number.compare(Order::AtMost, high, &above)
    }
}
