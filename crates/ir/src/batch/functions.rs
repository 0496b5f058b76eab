//! Batch evaluation of the numeric functions of the language.

use super::Batch;
use super::expr::Item;
use super::mask::Mask;
use super::value::Value;
use nimrule_model::expr::{Builtin, HeapId, Num, beatty_by_roots, operands};

impl Batch<'_> {
    /// The value of `isqrt`, of a term of a Beatty sequence, of a digit, of a carryless sum or of an indexed heap.
    /// The inner `None`: the value is too large for a lane. The outer `None`: the
    /// function must be evaluated lane by lane.
    pub(super) fn function(&mut self, num: &Num, active: &Mask) -> Option<Option<Value>> {
        Some(match num {
            Num::Apply(Builtin::Isqrt, arguments) => {
                let [inner] = operands(arguments);
                let inner = self.number(inner, active);
                let sound = self.nonnegative_lanes([&inner], active);
                inner.isqrt(&sound)
            }
            Num::Apply(Builtin::Beatty, arguments) => {
                Some(self.number(&beatty_by_roots(arguments), active))
            }
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let index = self.number(index, active);
                self.size_at(heaps, *first, &index, active)
            }
            Num::Apply(Builtin::Digit, arguments) => {
                let [base, index, value] = operands(arguments);
                let (base, index) = (self.number(base, active), self.number(index, active));
                let (Value::Same(base), Value::Same(index)) = (base, index) else {
                    return None;
                };
                if base < 2 || index < 0 {
                    return None;
                }
                let value = self.number(value, active);
                let sound = self.nonnegative_lanes([&value], active);
                digit(base, index, &value, &sound)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let (base, modulus) = (self.number(base, active), self.number(modulus, active));
                let (Value::Same(base), Value::Same(modulus)) = (base, modulus) else {
                    return None;
                };
                if base < 2 || modulus < 1 {
                    return None;
                }
                let items = self.list(list, active)?;
                self.carryless(base, items, modulus, active)
            }
            _ => return None,
        })
    }

    /// The size of `heaps[index - first]`. Lanes whose index is out of range enter
    /// the fallback mask.
    fn size_at(
        &mut self,
        heaps: &[HeapId],
        first: i64,
        index: &Value,
        active: &Mask,
    ) -> Option<Value> {
        let mut found: Option<Value> = None;
        let mut rest = active.clone();
        for (heap, number) in heaps.iter().zip(first..) {
            let here = Value::between(index, number, index, &rest);
            if here.is_empty() {
                continue;
            }
            let size = self.size(*heap, &here);
            found = Some(match found {
                Some(found) => size.select(&here, &found, active)?,
                None => size,
            });
            rest = rest.without(&here);
            if rest.is_empty() {
                break;
            }
        }
        self.fallback.add(&rest);
        Some(found.unwrap_or(Value::Same(0)))
    }

    /// The carryless sum: digits in `base` are added place by place, modulo
    /// `modulus`.
    fn carryless(
        &mut self,
        base: i64,
        items: Vec<Item>,
        modulus: i64,
        active: &Mask,
    ) -> Option<Value> {
        let nothing = Value::Same(0);
        let mut rest = Vec::with_capacity(items.len());
        for Item { value, of } in items {
            rest.push(match of {
                Some(of) => value.select(&of, &nothing, active)?,
                None => value,
            });
        }
        let sound = self.nonnegative_lanes(&rest, active);
        if sound.is_empty() {
            return Some(nothing);
        }
        // PERF: the nim-sum, without its digits.
        if (base, modulus) == (2, 2) {
            let mut values = rest.into_iter();
            let first = values.next().unwrap_or(nothing);
            return values.try_fold(first, |sum, value| sum.nim_sum(&value, &sound));
        }
        let (by, modulus) = (Value::Same(base), Value::Same(modulus));
        let (mut result, mut place) = (nothing.clone(), 1_i64);
        while rest.iter().any(|value| value.bounds().1 > 0) {
            let mut column = nothing.clone();
            for value in &mut rest {
                column = column.plus(&value.remainder(&by, &sound)?, &sound)?;
                *value = value.divided(&by, &sound)?;
            }
            let column = column.remainder(&modulus, &sound)?;
            let term = column.times(&Value::Same(place), &sound)?;
            result = result.plus(&term, &sound)?;
            place = place.checked_mul(base)?;
        }
        Some(result)
    }
}

/// The digit of the number at `base^index`.
fn digit(base: i64, index: i64, value: &Value, active: &Mask) -> Option<Value> {
    let power = u32::try_from(index)
        .ok()
        .and_then(|index| base.checked_pow(index));
    let by = match power {
        Some(power) if power <= value.bounds().1 => power,
        _ => return Some(Value::Same(0)),
    };
    let shifted = value.divided(&Value::Same(by), active)?;
    shifted.remainder(&Value::Same(base), active)
}
