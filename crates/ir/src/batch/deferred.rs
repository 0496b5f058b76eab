//! Deferred guards: conditions on the number taken that are evaluated only for
//! options that are P.
//!
//! A condition that cannot overflow or fail needs no evaluation for an option
//! that does not change the outcome. For an option before the batch the outcome
//! is known, and the guard is evaluated at once. For an option within the batch
//! it is evaluated when the option is settled as P, for all later lanes that
//! may move to it. If P-lanes are dense, it is evaluated from the reader's side
//! instead: when the later lane itself is settled.

use super::mask::{Bits, Mask, bits_of, lanes_descending, lanes_from, lanes_of};
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

/// Up to this number of lanes a guard is evaluated lane by lane.
const FEW: u32 = 24;

/// After this number of P-lanes in a batch, guards are evaluated from the
/// reader's side.
const MANY: u32 = 12;

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

    /// Whether a guard allows the lane an option among the P-lanes left to the
    /// reader's side.
    pub fn has_p_option(&self, lane: usize) -> bool {
        if self.pending_p == Bits::default() {
            return false;
        }
        self.deferred.iter().any(|guard| {
            let Some(nearest) = lane.checked_sub(guard.back + guard.stride) else {
                return false;
            };
            let wins = |p: usize| {
                let number = ((nearest - p) / guard.stride + 1) as i64;
                let in_bounds = guard.least.at(lane) <= number && number <= guard.most.at(lane);
                in_bounds && self.allows(guard, lane, number)
            };
            if !guard.active.has(lane) {
                return false;
            }
            if guard.stride == 1 {
                let mut before = self.pending_p;
                for (word, before) in before.iter_mut().enumerate() {
                    *before &= !lanes_from(nearest + 1, word);
                }
                // Small numbers first: they hold most often.
                return lanes_descending(before).any(wins);
            }
            let mut places = (0..=nearest).rev().step_by(guard.stride);
            places.any(|p| self.pending_p[p / 64] >> (p % 64) & 1 != 0 && wins(p))
        })
    }

    /// Records that a lane is P, and evaluates the deferred guards of later lanes
    /// that may move to it.
    //
    // PERF: from the writer's side while P-lanes are few; from the reader's side
    // once they are dense, since a reader then finds one after few evaluations.
    pub fn mark_p<S: OptionSink>(&mut self, lane: usize, sink: &mut S) {
        if self.deferred.is_empty() {
            return;
        }
        self.p_lanes += 1;
        if self.p_lanes > MANY && self.deferred.iter().all(|guard| guard.prepared.is_scalar) {
            self.pending_p[lane / 64] |= 1 << (lane % 64);
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
            let many: u32 = open.iter().map(|open| open.count_ones()).sum();
            if many == 0 {
                continue;
            }
            if guard.prepared.is_scalar && many <= FEW {
                for above in lanes_of(open) {
                    let number = ((above - first) / guard.stride + 1) as i64;
                    let in_bounds =
                        guard.least.at(above) <= number && number <= guard.most.at(above);
                    if in_bounds && self.allows(guard, above, number) {
                        sink.win_lane(above);
                    }
                }
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
