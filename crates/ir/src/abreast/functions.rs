//! The functions of numbers that the language has, in all lanes at once.

use super::Abreast;
use super::expr::Item;
use super::lanes::Value;
use super::mask::Mask;
use nimrule_model::expr::{HeapId, Num};

impl Abreast<'_> {
    /// The value of a root, of digits or of the size of a heap that a number names;
    /// `None` inside where it is too large, and outside where the function is not
    /// worked out abreast.
    pub(super) fn function(&mut self, num: &Num, who: &Mask) -> Option<Option<Value>> {
        Some(match num {
            Num::Isqrt(inner) => {
                let inner = self.number(inner, who);
                let sound = self.no_debts(&[&inner], who);
                inner.root(&sound)
            }
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let index = self.number(index, who);
                self.size_at(heaps, *first, &index, who)
            }
            Num::Digit { base, index, value } => {
                let (base, index) = (self.number(base, who), self.number(index, who));
                let (Value::Same(base), Value::Same(index)) = (base, index) else {
                    return None;
                };
                if base < 2 || index < 0 {
                    return None;
                }
                let value = self.number(value, who);
                let sound = self.no_debts(&[&value], who);
                digit(base, index, &value, &sound)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let (base, modulus) = (self.number(base, who), self.number(modulus, who));
                let (Value::Same(base), Value::Same(modulus)) = (base, modulus) else {
                    return None;
                };
                if base < 2 || modulus < 1 {
                    return None;
                }
                let items = self.list(list, who)?;
                self.carryless(base, items, modulus, who)
            }
            _ => return None,
        })
    }

    /// The size of the heap that an index names, which is `first` for the first of
    /// them; the lanes for which it names none are in doubt.
    fn size_at(
        &mut self,
        heaps: &[HeapId],
        first: i64,
        index: &Value,
        who: &Mask,
    ) -> Option<Value> {
        let mut found: Option<Value> = None;
        let mut rest = who.clone();
        for (heap, number) in heaps.iter().zip(first..) {
            let here = Value::within(index, number, index, &rest);
            if here.is_empty() {
                continue;
            }
            let size = self.size(*heap, &here);
            found = Some(match found {
                Some(found) => size.or_else(&here, &found, who)?,
                None => size,
            });
            rest = rest.without(&here);
            if rest.is_empty() {
                break;
            }
        }
        self.doubts.add(&rest);
        Some(found.unwrap_or(Value::Same(0)))
    }

    /// The digits of the numbers to a base, added up column by column, of which the
    /// remainder by the modulus is left.
    fn carryless(
        &mut self,
        base: i64,
        items: Vec<Item>,
        modulus: i64,
        who: &Mask,
    ) -> Option<Value> {
        let nothing = Value::Same(0);
        let mut sound = who.clone();
        let mut rest = Vec::new();
        for Item { value, of } in items {
            let value = match of {
                Some(of) => value.or_else(&of, &nothing, who)?,
                None => value,
            };
            sound = self.no_debts(&[&value], &sound);
            rest.push(value);
        }
        if sound.is_empty() {
            return Some(nothing);
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

/// The digit of a number that stands for a power of the base.
fn digit(base: i64, index: i64, value: &Value, who: &Mask) -> Option<Value> {
    let power = u32::try_from(index)
        .ok()
        .and_then(|index| base.checked_pow(index));
    let by = match power {
        Some(power) if power <= value.bounds().1 => power,
        _ => return Some(Value::Same(0)),
    };
    let shifted = value.divided(&Value::Same(by), who)?;
    shifted.remainder(&Value::Same(base), who)
}
