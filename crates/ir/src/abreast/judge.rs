//! Conditions on the number taken, asked where the answer matters.
//!
//! Where a condition cannot fail to have a value it need not be asked of every
//! number: only of those whose option is P. In earlier chunks that is known
//! beforehand. Within the chunk, a lane that is settled as P asks the condition
//! of all lanes that may come to it, each with its own number; after many such
//! lanes, those that come to further ones ask when it is their turn.

use super::lanes::Value;
use super::mask::{Bits, Mask, bits_of, from_lane, lanes_back, lanes_of};
use super::ready::Ready;
use super::{Abreast, LANES, Seen, Walk};
use nimrule_model::expr::{Order, Picked, Slot};
use std::rc::Rc;

/// Numbers from the last heap of a step, or from all of them, each allowed where the condition holds,
/// with all that the walk knew as it came to them.
pub(super) struct Judged {
    pub ready: Rc<Ready>,
    pub bound: Option<Slot>,
    /// From how many heaps the number is taken, the same from each.
    pub alike: usize,
    /// What is taken from the step's heaps before, and all of it together.
    pub before: Vec<Value>,
    pub taken: i64,
    pub back: usize,
    pub stride: usize,
    pub who: Mask,
    pub bits: Bits,
    pub least: Value,
    pub most: Value,
    pub locals: Vec<Value>,
    pub picks: Vec<Picked>,
    /// What has been taken from the heaps before the step.
    pub down: Vec<i64>,
}

/// So few lanes are asked one by one.
const FEW: u32 = 24;

/// After so many P-lanes of a chunk the lanes that come to further ones ask
/// themselves.
const MANY: u32 = 12;

/// A number of which a condition is to be asked, and the lane that would take
/// it.
///
/// A number matters to few lanes at a time, and what is worked out in one lane
/// costs as much as in all; so they are asked together.
struct Question {
    lane: u8,
    number: i32,
}

impl Abreast<'_> {
    /// Asks of the numbers whose options are in earlier chunks, and keeps the
    /// others.
    pub(super) fn judge_numbers<S: Seen>(&mut self, judged: Judged, seen: &mut S) -> Walk {
        let (low, high) = (
            judged.least.range(&judged.who).0,
            judged.most.range(&judged.who).1,
        );
        let mut who = judged.who.clone();
        let mut bits = judged.bits;
        let mut asked: Vec<Question> = Vec::new();
        for number in low..=high {
            self.step()?;
            if asked.len() >= LANES {
                self.ask(&judged, &mut asked, seen);
                who = seen.open(&who).into_owned();
                bits = bits_of(who.on());
            }
            if who.is_empty() {
                break;
            }
            let back = judged.back + number as usize * judged.stride;
            seen.matters(&bits, back, |lane| {
                if judged.least.at(lane) <= number && number <= judged.most.at(lane) {
                    asked.push(Question {
                        lane: lane as u8,
                        number: number as i32,
                    });
                }
            });
        }
        self.ask(&judged, &mut asked, seen);
        let nearest = judged.back + low as usize * judged.stride;
        if nearest < judged.who.span().end {
            self.judged.push(judged);
        }
        Ok(())
    }

    /// Asks the condition of numbers, each of its own lane, and shows the
    /// options that it allows.
    fn ask<S: Seen>(&mut self, judged: &Judged, asked: &mut Vec<Question>, seen: &mut S) {
        for asked in asked.chunks(LANES) {
            let lanes: Vec<u8> = asked.iter().map(|question| question.lane).collect();
            let sizes = judged.ready.reads_position.then(|| {
                let packed = self.sizes.iter().map(|size| size.packed(&lanes));
                let packed = packed.collect();
                std::mem::replace(&mut self.sizes, packed)
            });
            let reads = judged.ready.reads.iter().map(|slot| {
                let local = &mut self.locals[slot.index()];
                let packed = local.packed(&lanes);
                std::mem::replace(local, packed)
            });
            let before: Vec<Value> = reads.collect();
            let doubts = std::mem::replace(&mut self.doubts, Mask::none());
            let (least, most) = (judged.least.bounds().0, judged.most.bounds().1);
            let numbers = asked.iter().map(|question| question.number);
            let numbers = Value::of_numbers(numbers, least, most);
            let all = Mask::first(asked.len());
            let allowed = self.is_allowed(judged, numbers, &all);
            if let Some(sizes) = sizes {
                self.sizes = sizes;
            }
            for (slot, local) in judged.ready.reads.iter().zip(before) {
                self.locals[slot.index()] = local;
            }
            for place in std::mem::replace(&mut self.doubts, doubts).lanes() {
                self.doubts.insert(lanes[place].into());
            }
            for question in allowed.lanes().map(|place| &asked[place]) {
                let back = judged.back + question.number as usize * judged.stride;
                seen.option_of(question.lane.into(), back);
            }
        }
        asked.clear();
    }

    /// The lanes of `who` in which the condition allows the number.
    fn is_allowed(&mut self, judged: &Judged, number: Value, who: &Mask) -> Mask {
        if let Some(slot) = judged.bound {
            let total = number.plus(&Value::Same(judged.taken), who);
            // INVARIANT: the total of a condition that is sure fits a lane.
            self.locals[slot.index()] = total.unwrap_or_else(|| number.clone());
        }
        self.amounts.clear();
        self.amounts.extend_from_slice(&judged.before);
        self.amounts
            .resize(judged.before.len() + judged.alike, number);
        self.holds(&judged.ready.condition, who)
    }

    /// May the lane have options of which nothing is known yet?
    pub fn may_have_more(&self, lane: usize) -> bool {
        self.judged.iter().any(|judged| judged.who.has(lane))
    }

    /// Has the lane an option among the P-lanes of which it has not been told?
    pub fn has_p_option(&self, lane: usize) -> bool {
        if self.waiting == Bits::default() {
            return false;
        }
        self.judged.iter().any(|of| {
            let Some(nearest) = lane.checked_sub(of.back + of.stride) else {
                return false;
            };
            let wins = |p: usize| {
                let number = ((nearest - p) / of.stride + 1) as i64;
                let within = of.least.at(lane) <= number && number <= of.most.at(lane);
                within && self.allows(of, lane, number)
            };
            if !of.who.has(lane) {
                return false;
            }
            if of.stride == 1 {
                let mut before = self.waiting;
                for (word, before) in before.iter_mut().enumerate() {
                    *before &= !from_lane(nearest + 1, word);
                }
                // Small numbers first, as one would.
                return lanes_back(before).any(wins);
            }
            let mut places = (0..=nearest).rev().step_by(of.stride);
            places.any(|p| self.waiting[p / 64] >> (p % 64) & 1 != 0 && wins(p))
        })
    }

    /// Says of a lane that it is P: it is an option of others in the chunk.
    //
    // PERF: where few lanes are P, each asks all that it may be an option of at
    // once; where many are, a lane soon finds one that it may move to.
    pub fn is_p<S: Seen>(&mut self, lane: usize, seen: &mut S) {
        if self.judged.is_empty() {
            return;
        }
        self.p_lanes += 1;
        if self.p_lanes > MANY && self.judged.iter().all(|of| of.ready.is_plain) {
            self.waiting[lane / 64] |= 1 << (lane % 64);
            return;
        }
        let judged = std::mem::take(&mut self.judged);
        for of in &judged {
            let first = lane + of.back + of.stride;
            let to = of.who.span().end;
            if first >= to {
                continue;
            }
            let mut open = seen.closed().map(|closed| !closed);
            for (word, open) in open.iter_mut().enumerate() {
                *open &= of.bits[word] & from_lane(first, word);
            }
            if of.stride > 1 {
                let mut reached = Bits::default();
                for above in (first..to).step_by(of.stride) {
                    reached[above / 64] |= 1 << (above % 64);
                }
                open = std::array::from_fn(|word| open[word] & reached[word]);
            }
            let many: u32 = open.iter().map(|open| open.count_ones()).sum();
            if many == 0 {
                continue;
            }
            if of.ready.is_plain && many <= FEW {
                for above in lanes_of(open) {
                    let number = ((above - first) / of.stride + 1) as i64;
                    let within = of.least.at(above) <= number && number <= of.most.at(above);
                    if within && self.allows(of, above, number) {
                        seen.win_one(above);
                    }
                }
                continue;
            }
            let may = Mask::of_bits(open);
            let number = Value::counting(first, of.stride, &may);
            let may = of.least.compare(Order::AtMost, &number, &may);
            let may = number.compare(Order::AtMost, &of.most, &may);
            if may.is_empty() {
                continue;
            }
            for slot in &of.ready.reads {
                self.locals[slot.index()].clone_from(&of.locals[slot.index()]);
            }
            self.picks.clone_from(&of.picks);
            self.down.clone_from(&of.down);
            let wins = self.is_allowed(of, number, &may);
            seen.win(&wins);
        }
        self.amounts.clear();
        self.down.fill(0);
        self.judged = judged;
    }
}
