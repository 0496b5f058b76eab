//! Batch evaluation of numbers: at up to 64 positions that differ in one heap.

use super::PLACES;
use super::condition::{Along, Names, Truth, environment};
use nimrule_model::expr::eval::carryless;
use nimrule_model::expr::{Arithmetic, Fault, Fold, List, Num, Order, Part, Set};
use nimrule_model::game::Game;
use std::sync::Arc;

/// The value of a number at every place.
pub(super) enum Value {
    One(i64),
    /// The size of the axis heap at each place, nim-summed with this.
    Axis(i64),
    Each(Box<[i64; PLACES]>),
    Open,
}

/// The size of a heap at each place.
#[derive(Clone, Copy)]
pub(super) enum HeapValue<'a> {
    One(i64),
    Each(&'a [i64; PLACES]),
}

impl HeapValue<'_> {
    fn value(&self) -> Value {
        match self {
            HeapValue::One(size) => Value::One(*size),
            HeapValue::Each(sizes) => Value::Each(Box::new(**sizes)),
        }
    }
}

impl Value {
    /// The value as an array, place by place.
    pub fn spread(self, along: &Along<'_>) -> Value {
        match self {
            Value::Axis(with) => {
                let mut sizes = Box::new([0; PLACES]);
                for (place, size) in sizes[..along.places].iter_mut().enumerate() {
                    *size = (along.from + place as i64) ^ with;
                }
                Value::Each(sizes)
            }
            value => value,
        }
    }
}

#[derive(Clone)]
pub(super) enum Number<'g> {
    Const(i64),
    Heap(usize),
    Negate(Box<Number<'g>>),
    Binary(Arithmetic, Box<Number<'g>>, Box<Number<'g>>),
    Fold(Fold, Vec<Number<'g>>),
    /// The carryless sum of the digits, modulo the base.
    Carryless(i64, Vec<Number<'g>>),
    /// Any other number, and the heaps that it reads.
    Other(Arc<Num>, u64, &'g Game),
}

pub(super) fn number<'g>(names: &Names<'g>, num: &Num) -> Number<'g> {
    let game = names.game;
    let other = || Number::Other(Arc::new(num.clone()), names.touched(Part::Num(num)), game);
    let heaps = |list: &List| -> Option<Vec<Number<'g>>> {
        match list {
            List::Heaps(heaps) => Some(heaps.iter().map(|h| Number::Heap(h.index())).collect()),
            List::Items(items) => Some(items.iter().map(|item| number(names, item)).collect()),
            List::Members(set) => match &set.node {
                Set::Items(items) => Some(items.iter().map(|item| number(names, item)).collect()),
                _ => None,
            },
            _ => None,
        }
    };
    match num {
        Num::Const(value) => Number::Const(*value),
        Num::Heap(heap) => Number::Heap(heap.index()),
        Num::Local(slot) => match names.value(*slot) {
            Some(value) => value.clone(),
            None => other(),
        },
        Num::Let(slot, value, body) => number(&names.with(*slot, number(names, value)), body),
        Num::Negate(inner) => Number::Negate(Box::new(number(names, inner))),
        Num::Binary(operator, left, right) => Number::Binary(
            *operator,
            Box::new(number(names, left)),
            Box::new(number(names, right)),
        ),
        Num::Fold(fold, list) if *fold != Fold::Count => match heaps(list) {
            Some(numbers) if !numbers.is_empty() => Number::Fold(*fold, numbers),
            _ => other(),
        },
        Num::Carryless {
            base,
            list,
            modulus,
        } => match (base.constant(), modulus.constant(), heaps(list)) {
            (Some(base), Some(modulus), Some(numbers)) if base == modulus => {
                Number::Carryless(base, numbers)
            }
            _ => other(),
        },
        _ => other(),
    }
}

pub(super) fn compare(order: Order, left: Value, right: Value, along: &Along<'_>) -> Truth {
    match (&left, &right) {
        (Value::One(left), Value::One(right)) => return Truth::of(order.holds(*left, *right)),
        (Value::Open, _) | (_, Value::Open) => return Truth::OPEN,
        _ => {}
    }
    // PERF: most claims are equations, which hold at one place at most.
    let one_place = matches!(order, Order::Equal | Order::NotEqual);
    if one_place
        && let (Value::Axis(with), Value::One(value)) | (Value::One(value), Value::Axis(with)) =
            (&left, &right)
    {
        let place = (value ^ with) - along.from;
        let mut equal = 0_u64;
        if (0..along.places as i64).contains(&place) {
            equal |= 1 << place;
        }
        return Truth::exactly(if order == Order::Equal { equal } else { !equal });
    }
    let places = along.places;
    let mut holds = 0_u64;
    match (left.spread(along), right.spread(along)) {
        (Value::Open | Value::Axis(_), _)
        | (_, Value::Open | Value::Axis(_))
        | (Value::One(_), Value::One(_)) => return Truth::OPEN,
        (Value::One(left), Value::Each(right)) => {
            for (place, right) in right[..places].iter().enumerate() {
                holds |= u64::from(order.holds(left, *right)) << place;
            }
        }
        (Value::Each(left), Value::One(right)) => {
            for (place, left) in left[..places].iter().enumerate() {
                holds |= u64::from(order.holds(*left, right)) << place;
            }
        }
        (Value::Each(left), Value::Each(right)) => {
            for place in 0..places {
                holds |= u64::from(order.holds(left[place], right[place])) << place;
            }
        }
    }
    Truth::exactly(holds)
}

fn nim_sum(left: Value, right: Value, along: &Along<'_>) -> Value {
    match (&left, &right) {
        (Value::Axis(with), Value::One(value)) | (Value::One(value), Value::Axis(with))
            if *value >= 0 =>
        {
            Value::Axis(with ^ value)
        }
        (Value::Axis(one), Value::Axis(other)) => Value::One(one ^ other),
        _ => both(left, right, along, |left, right| {
            carryless(2, [left, right].into_iter(), 2)
        }),
    }
}

/// Applies an operator at every place; open if it has a fault at some place.
fn both(
    left: Value,
    right: Value,
    along: &Along<'_>,
    apply: impl Fn(i64, i64) -> Result<i64, Fault>,
) -> Value {
    let places = along.places;
    match (left.spread(along), right.spread(along)) {
        (Value::Axis(_), _) | (_, Value::Axis(_)) => Value::Open,
        (Value::Open, _) | (_, Value::Open) => Value::Open,
        (Value::One(left), Value::One(right)) => apply(left, right).map_or(Value::Open, Value::One),
        (Value::One(left), Value::Each(mut right)) => {
            for value in &mut right[..places] {
                match apply(left, *value) {
                    Ok(result) => *value = result,
                    Err(_) => return Value::Open,
                }
            }
            Value::Each(right)
        }
        (Value::Each(mut left), Value::One(right)) => {
            for value in &mut left[..places] {
                match apply(*value, right) {
                    Ok(result) => *value = result,
                    Err(_) => return Value::Open,
                }
            }
            Value::Each(left)
        }
        (Value::Each(mut left), Value::Each(right)) => {
            for place in 0..places {
                match apply(left[place], right[place]) {
                    Ok(result) => left[place] = result,
                    Err(_) => return Value::Open,
                }
            }
            Value::Each(left)
        }
    }
}

impl Number<'_> {
    pub fn value(&self, along: &Along<'_>) -> Value {
        match self {
            Number::Const(value) => Value::One(*value),
            // PERF: with one place every number is constant.
            Number::Heap(heap) if *heap == along.axis && along.places == 1 => {
                Value::One(along.from)
            }
            Number::Heap(heap) if *heap == along.axis => Value::Axis(0),
            Number::Heap(heap) if along.told.is_some_and(|(told, _)| told == *heap) => {
                along.told.map_or(Value::Open, |(_, sizes)| sizes.value())
            }
            Number::Heap(heap) if along.open >> heap & 1 == 1 => Value::Open,
            Number::Heap(heap) => Value::One(along.position[*heap] as i64),
            Number::Negate(inner) => {
                both(Value::One(0), inner.value(along), along, |zero, value| {
                    Arithmetic::Subtract.apply(zero, value)
                })
            }
            // PERF: the operator is selected once for all places.
            Number::Binary(operator, left, right) => both(
                left.value(along),
                right.value(along),
                along,
                |left, right| operator.apply(left, right),
            ),
            Number::Fold(fold, numbers) => {
                let apply = |left: i64, right: i64| match fold {
                    Fold::Max => Ok(left.max(right)),
                    Fold::Min => Ok(left.min(right)),
                    Fold::Sum | Fold::Count => Arithmetic::Add.apply(left, right),
                };
                let nothing = match fold {
                    Fold::Max | Fold::Min => None,
                    Fold::Sum | Fold::Count => Some(0),
                };
                all(numbers, along, nothing, apply)
            }
            // PERF: a nim-sum without its digits. If it is of one number, that must not be
            // negative.
            Number::Carryless(2, numbers) => {
                let zero = (numbers.len() < 2).then_some(Value::One(0));
                let values = numbers.iter().map(|number| number.value(along));
                (zero.into_iter().chain(values))
                    .reduce(|sum, value| nim_sum(sum, value, along))
                    .unwrap_or(Value::One(0))
            }
            Number::Carryless(base, numbers) => all(numbers, along, Some(0), |left, right| {
                carryless(*base, [left, right].into_iter(), *base)
            }),
            Number::Other(num, touched, game) => {
                if touched & along.unknown() != 0 {
                    return Value::Open;
                }
                num.eval(&mut environment(along, game, &mut vec![0; game.slots]))
                    .map_or(Value::Open, Value::One)
            }
        }
    }
}

/// Folds numbers with a commutative operator, the constant ones first.
fn all(
    numbers: &[Number<'_>],
    along: &Along<'_>,
    nothing: Option<i64>,
    apply: impl Fn(i64, i64) -> Result<i64, Fault>,
) -> Value {
    let mut same = nothing;
    let mut differing: Option<Value> = None;
    for number in numbers {
        match number.value(along) {
            Value::Open => return Value::Open,
            Value::One(value) => {
                same = match same.map(|sum| apply(sum, value)) {
                    None => Some(value),
                    Some(Ok(sum)) => Some(sum),
                    Some(Err(_)) => return Value::Open,
                };
            }
            each => {
                differing = Some(match differing {
                    None => each,
                    Some(others) => both(others, each, along, &apply),
                });
            }
        }
    }
    match (same, differing) {
        (None, None) => Value::Open,
        (Some(same), None) => Value::One(same),
        (None, Some(each)) => each,
        (Some(same), Some(each)) => both(Value::One(same), each, along, &apply),
    }
}
