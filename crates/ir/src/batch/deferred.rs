//! Deferred guards: conditions on the number taken that are evaluated only for
//! options that are P.
//!
//! A condition that cannot overflow or fail needs no evaluation for an option
//! that does not change the outcome. For an option before the batch the outcome
//! is known, and the guard is evaluated at once. For an option within the batch
//! it is evaluated when the option is settled as P, for all later lanes that
//! may move to it. Conditions whose [table of allowed numbers](super::number_sets) is
//! small are not deferred.

use super::mask::{Bits, Mask, bits_of, lanes_from};
use super::prepared::Prepared;
use super::value::Value;
use super::{Batch, LANES, OptionSink, Walk};
use nimrule_model::expr::{Order, Picked, Slot};
use std::rc::Rc;

/// A range of numbers to take from the last heap of a step, or the same number
/// from all its heaps, with a guard and the state of the walk that reached it.
pub(super) struct DeferredGuard {
    pub prepared: Rc<Prepared>,
    pub bound: Option<Slot>,
    /// The number of heaps from which the number is taken.
    pub equal_heaps: usize,
    /// The amounts taken from the earlier heaps of the step, and their sum.
    pub before: Vec<Value>,
    pub taken: i64,
    pub back: usize,
    pub stride: usize,
    pub active: Mask,
    pub bits: Bits,
    pub least: Value,
    pub most: Value,
    pub locals: Vec<Value>,
    pub picks: Vec<Picked>,
    /// The tokens taken from each heap before the step.
    pub taken_from: Vec<i64>,
}

/// A lane and a number for which a guard is to be evaluated.
///
/// A number is relevant to few lanes at a time, and a column costs the same for
/// one lane as for all: queries of several numbers are packed into one column.
struct Query {
    lane: u8,
    number: i32,
}

impl Batch<'_> {
    /// Evaluates the guard for options before the batch, and stores it for options
    /// within the batch.
    pub(super) fn evaluate_or_defer<S: OptionSink>(
        &mut self,
        guard: DeferredGuard,
        sink: &mut S,
    ) -> Walk {
        let (low, high) = (
            guard.least.range(&guard.active).0,
            guard.most.range(&guard.active).1,
        );
        let mut active = guard.active.clone();
        let mut bits = guard.bits;
        let mut queries: Vec<Query> = Vec::new();
        for number in low..=high {
            self.step()?;
            if queries.len() >= LANES {
                self.evaluate_queries(&guard, &mut queries, sink);
                active = sink.open(&active).into_owned();
                bits = bits_of(active.on());
            }
            if active.is_empty() {
                break;
            }
            let back = guard.back + number as usize * guard.stride;
            sink.relevant_lanes(&bits, back, |lane| {
                if guard.least.at(lane) <= number && number <= guard.most.at(lane) {
                    queries.push(Query {
                        lane: lane as u8,
                        number: number as i32,
                    });
                }
            });
        }
        self.evaluate_queries(&guard, &mut queries, sink);
        let nearest = guard.back + low as usize * guard.stride;
        if nearest < guard.active.span().end {
            self.deferred.push(guard);
        }
        Ok(())
    }

    /// Evaluates the guard for packed queries and adds the options that it allows.
    fn evaluate_queries<S: OptionSink>(
        &mut self,
        guard: &DeferredGuard,
        queries: &mut Vec<Query>,
        sink: &mut S,
    ) {
        for chunk in queries.chunks(LANES) {
            let lanes: Vec<u8> = chunk.iter().map(|query| query.lane).collect();
            let sizes = guard.prepared.reads_position.then(|| {
                let packed = self.sizes.iter().map(|size| size.packed(&lanes));
                let packed = packed.collect();
                std::mem::replace(&mut self.sizes, packed)
            });
            let reads = guard.prepared.reads.iter().map(|slot| {
                let local = &mut self.locals[slot.index()];
                let packed = local.packed(&lanes);
                std::mem::replace(local, packed)
            });
            let before: Vec<Value> = reads.collect();
            let fallback = std::mem::replace(&mut self.fallback, Mask::none());
            let (least, most) = (guard.least.bounds().0, guard.most.bounds().1);
            let numbers = chunk.iter().map(|query| query.number);
            let numbers = Value::of_numbers(numbers, least, most);
            let all = Mask::first(chunk.len());
            let allowed = self.is_allowed(guard, numbers, &all);
            if let Some(sizes) = sizes {
                self.sizes = sizes;
            }
            for (slot, local) in guard.prepared.reads.iter().zip(before) {
                self.locals[slot.index()] = local;
            }
            for place in std::mem::replace(&mut self.fallback, fallback).lanes() {
                self.fallback.insert(lanes[place].into());
            }
            for query in allowed.lanes().map(|place| &chunk[place]) {
                let back = guard.back + query.number as usize * guard.stride;
                sink.lane_option(query.lane.into(), back);
            }
        }
        queries.clear();
    }

    /// The lanes of `active` in which the guard holds for the number.
    fn is_allowed(&mut self, guard: &DeferredGuard, number: Value, active: &Mask) -> Mask {
        if let Some(slot) = guard.bound {
            let total = number.plus(&Value::Same(guard.taken), active);
            // INVARIANT: the total of a guard that cannot overflow fits a lane.
            self.locals[slot.index()] = total.unwrap_or_else(|| number.clone());
        }
        self.amounts.clear();
        self.amounts.extend_from_slice(&guard.before);
        self.amounts
            .resize(guard.before.len() + guard.equal_heaps, number);
        self.holds(&guard.prepared.condition, active)
    }

    /// Whether a deferred guard may still allow the lane an option.
    pub fn is_deferred(&self, lane: usize) -> bool {
        self.deferred.iter().any(|guard| guard.active.has(lane))
    }

    /// Records that a lane is P, and evaluates the deferred guards of later lanes
    /// that may move to it.
    pub fn mark_p<S: OptionSink>(&mut self, lane: usize, sink: &mut S) {
        if self.deferred.is_empty() {
            return;
        }
        let deferred = std::mem::take(&mut self.deferred);
        for guard in &deferred {
            let first = lane + guard.back + guard.stride;
            let to = guard.active.span().end;
            if first >= to {
                continue;
            }
            let mut open = sink.settled_lanes().map(|settled| !settled);
            for (word, open) in open.iter_mut().enumerate() {
                *open &= guard.bits[word] & lanes_from(first, word);
            }
            if guard.stride > 1 {
                let mut reached = Bits::default();
                for above in (first..to).step_by(guard.stride) {
                    reached[above / 64] |= 1 << (above % 64);
                }
                open = std::array::from_fn(|word| open[word] & reached[word]);
            }
            if open == Bits::default() {
                continue;
            }
            let may = Mask::of_bits(open);
            let number = Value::counting(first, guard.stride, &may);
            let may = guard.least.compare(Order::AtMost, &number, &may);
            let may = number.compare(Order::AtMost, &guard.most, &may);
            if may.is_empty() {
                continue;
            }
            for slot in &guard.prepared.reads {
                self.locals[slot.index()].clone_from(&guard.locals[slot.index()]);
            }
            self.picks.clone_from(&guard.picks);
            self.taken_from.clone_from(&guard.taken_from);
            let wins = self.is_allowed(guard, number, &may);
            sink.win(&wins);
        }
        self.amounts.clear();
        self.taken_from.fill(0);
        self.deferred = deferred;
    }
}
