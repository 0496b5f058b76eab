//! Conditions on the number taken, asked where the answer matters.
//!
//! Where a condition cannot fail to have a value it need not be asked of every
//! number: only of those whose option is P. In earlier chunks that is known
//! beforehand. Within the chunk, a lane that is settled as P asks the condition
//! of all lanes that may come to it, each with its own number.

use super::lanes::{Mask, Value};
use super::{Abreast, LANES, Seen, Walk};
use crate::expr::bounds::{Interval, Known};
use crate::expr::{Arithmetic, Bool, Fold, List, Num, Order, Part, Picked, Slot};
use crate::ir::lower::has_a_value_where;
use crate::ir::{MoveGraph, Node};
use petgraph::graph::NodeIndex;

/// No number in a condition that is sure is further from 0.
const MOST: i128 = 1 << 29;

/// Numbers from one heap, each allowed where the condition holds, with all that
/// the walk knew as it came to them.
pub(super) struct Judged<'g> {
    pub condition: &'g Bool,
    pub bound: Option<Slot>,
    pub back: usize,
    pub stride: usize,
    pub who: Mask,
    pub least: Value,
    pub most: Value,
    pub locals: Vec<Value>,
    pub picks: Vec<Picked>,
    pub down: Vec<i64>,
}

/// A number of which a condition is to be asked, and the lane that would take
/// it.
///
/// A number matters to few lanes at a time, and what is worked out in one lane
/// costs as much as in all; so they are asked together.
struct Question {
    lane: u8,
    number: i32,
}

/// For each node, whether its condition on a number has a value in every
/// position whose heaps have at most so many tokens.
pub(super) fn sure(graph: &MoveGraph, most: u64) -> Vec<bool> {
    let is_sure = |node: &Node| match node {
        Node::Take(take) => take.afterwards.as_ref().is_some_and(|condition| {
            let mut known = Known::new(graph.slots, Interval::new(0, most.into()));
            known.total = Interval::new(1, most.into());
            if let Some(slot) = take.bound {
                known.set_local(slot, known.total);
            }
            // No heap has fewer tokens than are taken from it.
            let left = Num::Binary(
                Arithmetic::Subtract,
                Box::new(Num::SizeOf(take.pick)),
                Box::new(take.bound.map_or(Num::Total, Num::Local)),
            );
            let mut is_no_debt = |num: &Num| *num == left || known.num(num).low >= 0;
            let mut is_known = |num: &Num| match num {
                Num::Binary(Arithmetic::NimSum, one, other) => is_no_debt(one) && is_no_debt(other),
                Num::Fold(Fold::Xor, list) => matches!(list, List::Heaps(_) | List::Picked(_)),
                _ => false,
            };
            let condition = Part::Bool(condition);
            if !has_a_value_where(condition, &mut is_known) {
                return false;
            }
            let far = |part| match part {
                Part::Num(num) => {
                    let value = known.num(num);
                    value.low < -MOST || value.high > MOST
                }
                _ => false,
            };
            !condition.any(&mut { far })
        }),
        _ => false,
    };
    graph.nodes.node_weights().map(is_sure).collect()
}

impl<'g> Abreast<'g> {
    pub(super) fn is_sure(&self, at: NodeIndex) -> bool {
        self.sure[at.index()]
    }

    /// Asks of the numbers whose options are in earlier chunks, and keeps the
    /// others.
    pub(super) fn judge_numbers<S: Seen>(&mut self, judged: Judged<'g>, seen: &mut S) -> Walk {
        let (low, high) = (
            judged.least.range(&judged.who).0,
            judged.most.range(&judged.who).1,
        );
        let mut who = judged.who.clone();
        let mut asked: Vec<Question> = Vec::new();
        for number in low..=high {
            self.step()?;
            if number % 16 == 0 {
                who = seen.open(&who);
            }
            if who.is_empty() {
                break;
            }
            let back = judged.back + number as usize * judged.stride;
            if asked.len() >= LANES {
                self.ask(&judged, &mut asked, seen);
            }
            seen.matters(&who, back, |lane| {
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
    fn ask<S: Seen>(&mut self, judged: &Judged<'g>, asked: &mut Vec<Question>, seen: &mut S) {
        for asked in asked.chunks(LANES) {
            let lanes: Vec<u8> = asked.iter().map(|question| question.lane).collect();
            let pack = |values: &mut Vec<Value>| {
                let packed = values.iter().map(|value| value.packed(&lanes));
                let packed = packed.collect();
                std::mem::replace(values, packed)
            };
            let sizes = pack(&mut self.sizes);
            let locals = pack(&mut self.locals);
            let doubts = std::mem::replace(&mut self.doubts, Mask::none());
            let mut numbers = [0; LANES];
            for (cell, question) in numbers.iter_mut().zip(asked) {
                *cell = question.number;
            }
            let all = Mask::first(asked.len());
            let (least, most) = (judged.least.bounds().0, judged.most.bounds().1);
            let allowed = self.is_allowed(judged, Value::of_column(numbers, least, most), &all);
            self.sizes = sizes;
            self.locals = locals;
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
    fn is_allowed(&mut self, judged: &Judged<'g>, number: Value, who: &Mask) -> Mask {
        if let Some(slot) = judged.bound {
            self.locals[slot.index()] = number.clone();
        }
        self.amounts.clear();
        self.amounts.push(number);
        self.holds(judged.condition, who)
    }

    /// May the lane have options of which nothing is known yet?
    pub fn may_have_more(&self, lane: usize) -> bool {
        self.judged.iter().any(|judged| judged.who.has(lane))
    }

    /// Says of a lane that it is P: it is an option of others in the chunk.
    pub fn is_p<S: Seen>(&mut self, lane: usize, seen: &mut S) {
        let judged = std::mem::take(&mut self.judged);
        for of in &judged {
            let first = lane + of.back + of.stride;
            let mut numbers = [0; LANES];
            let mut reached = [false; LANES];
            for (number, above) in (first..of.who.span().end).step_by(of.stride).enumerate() {
                numbers[above] = number as i32 + 1;
                reached[above] = true;
            }
            let may = seen.open(&Mask::of(&of.who, |above| reached[above]));
            if may.is_empty() {
                continue;
            }
            let number = Value::of_column(numbers, 1, LANES as i64);
            let may = of.least.compare(Order::AtMost, &number, &may);
            let may = number.compare(Order::AtMost, &of.most, &may);
            if may.is_empty() {
                continue;
            }
            self.locals.clone_from(&of.locals);
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
