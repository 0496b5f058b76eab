//! Batch evaluation of steps that take from several heaps: an independent number
//! from each heap, or the same number from all.

use super::mask::Mask;
use super::take::{Amounts, Step, TakeBounds};
use super::value::Value;
use super::{Batch, OptionSink, Walk};
use crate::Numbers;
use nimrule_model::expr::{HeapId, Order};

impl Batch<'_> {
    /// Enumerates the amounts from `heaps[next..]`, after `taken` tokens from the
    /// heaps before.
    pub(super) fn take_from_each<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        bounds: &TakeBounds,
        next: usize,
        taken: i64,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        if active.is_empty() {
            return Ok(());
        }
        let Some(&heap) = step.heaps.get(next) else {
            return self.taken(step, bounds, taken, active, sink);
        };
        let so_far = Value::Same(taken);
        let Some(left) = bounds.most.minus(&so_far, active) else {
            return self.fall_back(active);
        };
        let room = bounds.each.min(&left, active);
        let size = self.size(heap, active).min(&room, active);
        let take = step.take;
        let amounts = match &take.plan.numbers {
            // The set reads the position at the start of the step.
            Numbers::Set(_) => {
                self.restore_heaps(step.heaps);
                let amounts = self.amounts_of(&take.plan.numbers, &size, active);
                self.reapply_amounts(step.heaps);
                amounts
            }
            numbers => self.amounts_of(numbers, &size, active),
        };
        let Some(amounts) = amounts else {
            return self.fall_back(active);
        };
        let sound = self.without_fallback(active).into_owned();
        let active = &sound;
        if active.is_empty() {
            return Ok(());
        }
        self.amounts.push(Value::Same(0));
        self.take_from_each(step, bounds, next + 1, taken, active, sink)?;
        if let Amounts::Between(from, most) = &amounts
            && next + 1 == step.heaps.len()
        {
            self.amounts.truncate(next);
            let Some(least) = bounds.least.minus(&so_far, active) else {
                return self.fall_back(active);
            };
            let least = from.max(&least, active);
            let may = least.compare(Order::AtMost, most, active);
            if may.is_empty() || self.emit_run(step, taken, &may, [&least, most], sink)? {
                return Ok(());
            }
            self.amounts.push(Value::Same(0));
        }
        let mut single = |this: &mut Self, number: i64, of: &Mask| -> Walk {
            this.step()?;
            let of = sink.open(of);
            if of.is_empty() {
                return Ok(());
            }
            this.lower(heap, number.unsigned_abs());
            this.amounts[next] = Value::Same(number);
            this.take_from_each(step, bounds, next + 1, taken + number, &of, sink)?;
            this.raise(heap, number.unsigned_abs());
            Ok(())
        };
        match amounts {
            Amounts::Between(from, most) => {
                for number in from.range(active).0..=most.range(active).1 {
                    let of = Value::between(&from, number, &most, active);
                    single(self, number, &of)?;
                }
            }
            Amounts::Items(items) => {
                for item in items {
                    let of = item.among(active);
                    if of.is_empty() {
                        continue;
                    }
                    let value = item.value;
                    let (low, high) = value.range(&of);
                    for number in low..=high {
                        let of = Value::between(&value, number, &value, &of);
                        single(self, number, &of)?;
                    }
                }
            }
        }
        self.amounts.truncate(next);
        Ok(())
    }

    /// Continues the walk after an amount is chosen for every heap of the step.
    fn taken<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        bounds: &TakeBounds,
        taken: i64,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        self.step()?;
        let total = Value::Same(taken);
        let mut may = bounds.least.compare(Order::AtMost, &total, active);
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = total;
        }
        if let Some(prepared) = step.prepared {
            // The condition reads the position at the start of the step.
            self.restore_heaps(step.heaps);
            may = self.holds(&prepared.condition, &may);
            self.reapply_amounts(step.heaps);
        }
        // Later steps have their own amounts.
        let amounts = std::mem::take(&mut self.amounts);
        self.continue_from(step.at, &may, sink)?;
        self.amounts = amounts;
        Ok(())
    }

    /// Adds the amounts chosen so far back to their heaps.
    pub(super) fn restore_heaps(&mut self, heaps: &[HeapId]) {
        let amounts = std::mem::take(&mut self.amounts);
        for (heap, amount) in heaps.iter().zip(&amounts) {
            self.raise(*heap, amount.at(0).unsigned_abs());
        }
        self.amounts = amounts;
    }

    /// Takes the amounts chosen so far again, after [`Batch::restore_heaps`].
    pub(super) fn reapply_amounts(&mut self, heaps: &[HeapId]) {
        let amounts = std::mem::take(&mut self.amounts);
        for (heap, amount) in heaps.iter().zip(&amounts) {
            self.lower(*heap, amount.at(0).unsigned_abs());
        }
        self.amounts = amounts;
    }

    /// Takes the same positive number from each heap.
    pub(super) fn take_equally<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        let heaps = step.heaps;
        let sizes: Vec<Value> = heaps.iter().map(|heap| self.size(*heap, active)).collect();
        let Some(most) = sizes.into_iter().reduce(|a, b| a.min(&b, active)) else {
            return Ok(());
        };
        let Some(amounts) = self.amounts_of(&step.take.plan.numbers, &most, active) else {
            return self.fall_back(active);
        };
        match amounts {
            Amounts::Between(from, most) => {
                let may = from.compare(Order::AtMost, &most, active);
                if may.is_empty() {
                    return Ok(());
                }
                if self.emit_run(step, 0, &may, [&from, &most], sink)? {
                    return Ok(());
                }
                for number in from.range(&may).0..=most.range(&may).1 {
                    let of = Value::between(&from, number, &most, &may);
                    self.take_the_same(step, number, &of, sink)?;
                }
            }
            Amounts::Items(items) => {
                for item in items {
                    let of = item.among(active);
                    if of.is_empty() {
                        continue;
                    }
                    let value = item.value;
                    let (low, high) = value.range(&of);
                    for number in low..=high {
                        let of = Value::between(&value, number, &value, &of);
                        self.take_the_same(step, number, &of, sink)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_the_same<S: OptionSink>(
        &mut self,
        step: &Step<'_>,
        number: i64,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        self.step()?;
        if active.is_empty() {
            return Ok(());
        }
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = Value::Same(number);
        }
        let amount = number.unsigned_abs();
        let allowed;
        let mut may = active;
        if let Some(prepared) = step.prepared {
            let open = self.unsettled(active, sink);
            self.amounts.clear();
            self.amounts.resize(step.heaps.len(), Value::Same(number));
            allowed = self.holds(&prepared.condition, &open);
            may = &allowed;
        }
        for heap in step.heaps {
            self.lower(*heap, amount);
        }
        self.continue_from(step.at, may, sink)?;
        for heap in step.heaps {
            self.raise(*heap, amount);
        }
        Ok(())
    }
}
