//! Steps that take from several heaps, for many positions at once: from each a
//! number of its own, or the same from all.

use super::lanes::Value;
use super::mask::Mask;
use super::take::{Amounts, Reach, Step};
use super::{Abreast, Seen, Walk};
use crate::Numbers;
use nimrule_model::expr::{HeapId, Order};

impl Abreast<'_> {
    /// Takes from the heaps from the `next`th on, having taken `taken` so far.
    pub(super) fn take_from_each<S: Seen>(
        &mut self,
        step: &Step<'_>,
        reach: &Reach,
        next: usize,
        taken: i64,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        if who.is_empty() {
            return Ok(());
        }
        let Some(&heap) = step.heaps.get(next) else {
            return self.taken(step, reach, taken, who, seen);
        };
        let so_far = Value::Same(taken);
        let Some(left) = reach.most.minus(&so_far, who) else {
            return self.doubt(who);
        };
        let room = reach.each.least(&left, who);
        let size = self.size(heap, who).least(&room, who);
        let take = step.take;
        let amounts = match &take.plan.numbers {
            // The set speaks of the position as the step began.
            Numbers::Set(_) => {
                self.give_back(step.heaps);
                let amounts = self.amounts_of(&take.plan.numbers, &size, who);
                self.take_again(step.heaps);
                amounts
            }
            numbers => self.amounts_of(numbers, &size, who),
        };
        let Some(amounts) = amounts else {
            return self.doubt(who);
        };
        let sound = self.not_in_doubt(who).into_owned();
        let who = &sound;
        if who.is_empty() {
            return Ok(());
        }
        self.amounts.push(Value::Same(0));
        self.take_from_each(step, reach, next + 1, taken, who, seen)?;
        if let Amounts::Between(from, most) = &amounts
            && next + 1 == step.heaps.len()
        {
            self.amounts.truncate(next);
            let Some(least) = reach.least.minus(&so_far, who) else {
                return self.doubt(who);
            };
            let least = from.most(&least, who);
            let may = least.compare(Order::AtMost, most, who);
            if may.is_empty() || self.hand_on(step, taken, &may, [&least, most], seen)? {
                return Ok(());
            }
            self.amounts.push(Value::Same(0));
        }
        let mut single = |this: &mut Self, number: i64, of: &Mask| -> Walk {
            this.step()?;
            let of = seen.open(of);
            if of.is_empty() {
                return Ok(());
            }
            this.lower(heap, number.unsigned_abs());
            this.amounts[next] = Value::Same(number);
            this.take_from_each(step, reach, next + 1, taken + number, &of, seen)?;
            this.raise(heap, number.unsigned_abs());
            Ok(())
        };
        match amounts {
            Amounts::Between(from, most) => {
                for number in from.range(who).0..=most.range(who).1 {
                    let of = Value::within(&from, number, &most, who);
                    single(self, number, &of)?;
                }
            }
            Amounts::Items(items) => {
                for item in items {
                    let of = item.among(who);
                    if of.is_empty() {
                        continue;
                    }
                    let value = item.value;
                    let (low, high) = value.range(&of);
                    for number in low..=high {
                        let of = Value::within(&value, number, &value, &of);
                        single(self, number, &of)?;
                    }
                }
            }
        }
        self.amounts.truncate(next);
        Ok(())
    }

    /// All heaps of the selection have been taken from.
    fn taken<S: Seen>(
        &mut self,
        step: &Step<'_>,
        reach: &Reach,
        taken: i64,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        self.step()?;
        let total = Value::Same(taken);
        let mut may = reach.least.compare(Order::AtMost, &total, who);
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = total;
        }
        if let Some(ready) = step.ready {
            // The condition speaks of the position as the step began.
            self.give_back(step.heaps);
            may = self.holds(&ready.condition, &may);
            self.take_again(step.heaps);
        }
        // Steps that follow have amounts of their own.
        let amounts = std::mem::take(&mut self.amounts);
        self.go_on(step.at, &may, seen)?;
        self.amounts = amounts;
        Ok(())
    }

    /// Puts what has been taken so far back on its heaps.
    pub(super) fn give_back(&mut self, heaps: &[HeapId]) {
        let amounts = std::mem::take(&mut self.amounts);
        for (heap, amount) in heaps.iter().zip(&amounts) {
            self.raise(*heap, amount.at(0).unsigned_abs());
        }
        self.amounts = amounts;
    }

    pub(super) fn take_again(&mut self, heaps: &[HeapId]) {
        let amounts = std::mem::take(&mut self.amounts);
        for (heap, amount) in heaps.iter().zip(&amounts) {
            self.lower(*heap, amount.at(0).unsigned_abs());
        }
        self.amounts = amounts;
    }

    /// Takes the same positive number from each heap.
    pub(super) fn take_equally<S: Seen>(
        &mut self,
        step: &Step<'_>,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        let heaps = step.heaps;
        let sizes: Vec<Value> = heaps.iter().map(|heap| self.size(*heap, who)).collect();
        let Some(most) = sizes.into_iter().reduce(|a, b| a.least(&b, who)) else {
            return Ok(());
        };
        let Some(amounts) = self.amounts_of(&step.take.plan.numbers, &most, who) else {
            return self.doubt(who);
        };
        match amounts {
            Amounts::Between(from, most) => {
                let may = from.compare(Order::AtMost, &most, who);
                if may.is_empty() {
                    return Ok(());
                }
                if self.hand_on(step, 0, &may, [&from, &most], seen)? {
                    return Ok(());
                }
                for number in from.range(&may).0..=most.range(&may).1 {
                    let of = Value::within(&from, number, &most, &may);
                    self.take_the_same(step, number, &of, seen)?;
                }
            }
            Amounts::Items(items) => {
                for item in items {
                    let of = item.among(who);
                    if of.is_empty() {
                        continue;
                    }
                    let value = item.value;
                    let (low, high) = value.range(&of);
                    for number in low..=high {
                        let of = Value::within(&value, number, &value, &of);
                        self.take_the_same(step, number, &of, seen)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_the_same<S: Seen>(
        &mut self,
        step: &Step<'_>,
        number: i64,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        self.step()?;
        if who.is_empty() {
            return Ok(());
        }
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = Value::Same(number);
        }
        let amount = number.unsigned_abs();
        let judged;
        let mut may = who;
        if let Some(ready) = step.ready {
            let open = self.in_play(who, seen);
            self.amounts.clear();
            self.amounts.resize(step.heaps.len(), Value::Same(number));
            judged = self.holds(&ready.condition, &open);
            may = &judged;
        }
        for heap in step.heaps {
            self.lower(*heap, amount);
        }
        self.go_on(step.at, may, seen)?;
        for heap in step.heaps {
            self.raise(*heap, amount);
        }
        Ok(())
    }
}
