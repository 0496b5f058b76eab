//! Steps that take from several heaps, for many positions at once: from each a
//! number of its own, or the same from all.

use super::lanes::{Mask, Value};
use super::take::{Amounts, Reach};
use super::{Abreast, Run, Seen, Walk};
use crate::expr::{HeapId, Order};
use crate::ir::{Numbers, Take};
use petgraph::graph::NodeIndex;

/// A take from several heaps, while its numbers are chosen.
pub(super) struct Several<'t> {
    pub at: NodeIndex,
    pub take: &'t Take,
    pub heaps: &'t [HeapId],
    pub reach: Reach,
}

impl<'g> Abreast<'g> {
    /// Takes from the heaps from the `next`th on, having taken `taken` so far.
    pub(super) fn take_from_each<S: Seen>(
        &mut self,
        step: &Several<'_>,
        next: usize,
        taken: i64,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        if who.is_empty() {
            return Ok(());
        }
        let Some(&heap) = step.heaps.get(next) else {
            return self.taken(step, taken, who, seen);
        };
        let Reach { least, most, each } = &step.reach;
        let Some(left) = most.minus(&Value::Same(taken), who) else {
            return self.doubt(who);
        };
        let room = each.least(&left, who);
        let size = self.size(heap, who).least(&room, who);
        let take = step.take;
        let plain = take.afterwards.is_none()
            && least.bounds().1 <= 1
            && next + 1 == step.heaps.len()
            && matches!(take.numbers, Numbers::Any)
            && self.ends(step.at);
        if plain {
            if taken > 0 {
                self.go_on(step.at, who, seen)?;
            }
            let may = Value::Same(1).compare(Order::AtMost, &size, who);
            if may.is_empty() {
                return Ok(());
            }
            let run = Run {
                back: self.back,
                stride: self.strides[heap.index()],
                least: Value::Same(1),
                most: size,
                every: None,
            };
            return seen.run(&may, run);
        }
        let amounts = match &take.numbers {
            // The set speaks of the position as the step began.
            Numbers::Set(_) => {
                self.give_back(step.heaps);
                let amounts = self.amounts_of(&take.numbers, &size, who);
                self.take_again(step.heaps);
                amounts
            }
            numbers => self.amounts_of(numbers, &size, who),
        };
        let Some(amounts) = amounts else {
            return self.doubt(who);
        };
        self.amounts.push(Value::Same(0));
        self.take_from_each(step, next + 1, taken, who, seen)?;
        let mut single = |this: &mut Self, number: i64, of: &Mask| -> Walk {
            this.step()?;
            let of = seen.open(of);
            if of.is_empty() {
                return Ok(());
            }
            this.lower(heap, number.unsigned_abs());
            this.amounts[next] = Value::Same(number);
            this.take_from_each(step, next + 1, taken + number, &of, seen)?;
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
    fn taken<S: Seen>(&mut self, step: &Several<'_>, taken: i64, who: &Mask, seen: &mut S) -> Walk {
        self.step()?;
        let total = Value::Same(taken);
        let mut may = step.reach.least.compare(Order::AtMost, &total, who);
        if let Some(slot) = step.take.bound {
            self.locals[slot.index()] = total;
        }
        if let Some(condition) = &step.take.afterwards {
            // The condition speaks of the position as the step began.
            self.give_back(step.heaps);
            may = self.holds(condition, &may);
            self.take_again(step.heaps);
        }
        // Steps that follow have amounts of their own.
        let amounts = std::mem::take(&mut self.amounts);
        self.go_on(step.at, &may, seen)?;
        self.amounts = amounts;
        Ok(())
    }

    /// Puts what has been taken so far back on its heaps.
    fn give_back(&mut self, heaps: &[HeapId]) {
        let amounts = std::mem::take(&mut self.amounts);
        for (heap, amount) in heaps.iter().zip(&amounts) {
            self.raise(*heap, amount.at(0).unsigned_abs());
        }
        self.amounts = amounts;
    }

    fn take_again(&mut self, heaps: &[HeapId]) {
        let amounts = std::mem::take(&mut self.amounts);
        for (heap, amount) in heaps.iter().zip(&amounts) {
            self.lower(*heap, amount.at(0).unsigned_abs());
        }
        self.amounts = amounts;
    }

    /// Takes the same positive number from each heap.
    pub(super) fn take_equally<S: Seen>(
        &mut self,
        at: NodeIndex,
        take: &'g Take,
        heaps: &[HeapId],
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        let sizes: Vec<Value> = heaps.iter().map(|heap| self.size(*heap, who)).collect();
        let Some(most) = sizes.into_iter().reduce(|a, b| a.least(&b, who)) else {
            return Ok(());
        };
        let Some(amounts) = self.amounts_of(&take.numbers, &most, who) else {
            return self.doubt(who);
        };
        match amounts {
            Amounts::Between(from, most) => {
                let may = from.compare(Order::AtMost, &most, who);
                if may.is_empty() {
                    return Ok(());
                }
                if take.afterwards.is_none() && self.ends(at) {
                    let strides = heaps.iter().map(|heap| self.strides[heap.index()]);
                    let run = Run {
                        back: self.back,
                        stride: strides.sum(),
                        least: from,
                        most,
                        every: None,
                    };
                    return seen.run(&may, run);
                }
                for number in from.range(&may).0..=most.range(&may).1 {
                    let of = Value::within(&from, number, &most, &may);
                    self.take_the_same(at, take, heaps, number, &of, seen)?;
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
                        self.take_the_same(at, take, heaps, number, &of, seen)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_the_same<S: Seen>(
        &mut self,
        at: NodeIndex,
        take: &'g Take,
        heaps: &[HeapId],
        number: i64,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        self.step()?;
        if who.is_empty() {
            return Ok(());
        }
        if let Some(slot) = take.bound {
            self.locals[slot.index()] = Value::Same(number);
        }
        let amount = number.unsigned_abs();
        let mut may = who.clone();
        if let Some(condition) = &take.afterwards {
            let open = seen.open(who).without(&self.doubts);
            self.amounts.clear();
            self.amounts.resize(heaps.len(), Value::Same(number));
            may = self.holds(condition, &open);
        }
        for heap in heaps {
            self.lower(*heap, amount);
        }
        self.go_on(at, &may, seen)?;
        for heap in heaps {
            self.raise(*heap, amount);
        }
        Ok(())
    }
}
