//! Conditions on the number taken, made ready to be asked of many numbers.
//!
//! What a condition reads that no number changes, as `max(heaps)` or `sum(heaps)
//! mod 3`, is worked out once for each step and given a name of its own.

use super::lanes::Value;
use super::{Abreast, Mask};
use crate::expr::bounds::{Interval, Known};
use crate::expr::{Arithmetic, Bool, Fold, List, Num, Order, Part, Slot};
use crate::ir::lower::{has_a_value_where, is_amount, reads_amount};
use crate::ir::{MoveGraph, Node, Take};
use petgraph::graph::NodeIndex;
use std::rc::Rc;

/// No number in a condition that is sure is further from 0.
const MOST: i128 = 1 << 29;

/// The condition of a step on the numbers that it takes.
pub(super) struct Ready {
    /// The condition, with names for what is worked out beforehand.
    pub condition: Bool,
    parts: Vec<(Slot, Num)>,
    /// Where it says of the number taken, all heaps together, only what remainder
    /// it leaves: the divisor and the remainder.
    pub every: Option<(Num, Num)>,
    /// The names that it reads.
    pub reads: Vec<Slot>,
    /// Does it read the sizes of heaps beside what is worked out beforehand?
    pub reads_position: bool,
    /// Has it a value in every position of the box, of numbers that are small
    /// enough for a lane, where one heap is taken from, or where several are?
    sure_of_one: bool,
    sure_of_several: bool,
}

impl Ready {
    /// The condition of a step, where it has one. Names are taken from `slots`
    /// on.
    fn new(take: &Take, heaps: usize, slots: &mut usize, most: u64) -> Option<Ready> {
        let mut condition = take.afterwards.clone()?;
        let mut of_one = Certain::of(take, *slots, most, 1);
        let mut of_several = Certain::of(take, *slots, most, heaps);
        let sure_of_one = of_one.has_a_small_value(Part::Bool(&condition));
        let sure_of_several = of_several.has_a_small_value(Part::Bool(&condition));
        let mut parts: Vec<(Slot, Num)> = Vec::new();
        condition.replace(&mut |num, bound| {
            let part = Part::Num(num);
            let is_fixed = !matches!(num, Num::Const(_) | Num::Local(_))
                && !reads_amount(part, take.bound)
                && !bound.iter().any(|slot| part.reads_local(*slot))
                && of_several.has_a_small_value(part);
            if !is_fixed {
                return None;
            }
            let known = parts.iter().position(|(_, known)| known == num);
            let known = known.unwrap_or_else(|| {
                let slot = Slot(u32::try_from(*slots).expect("few names"));
                *slots += 1;
                parts.push((slot, num.clone()));
                parts.len() - 1
            });
            let (slot, _) = parts[known];
            Some(Num::Local(slot))
        });
        if sure_of_one || sure_of_several {
            sort_by_cost(&mut condition, take.bound);
        }
        let mut reads = Vec::new();
        Part::Bool(&condition).any(&mut |part| {
            if let Part::Num(Num::Local(slot)) = part {
                reads.push(*slot);
            }
            false
        });
        reads.sort_unstable();
        reads.dedup();
        Some(Ready {
            every: every(&condition, take.bound),
            reads_position: Part::Bool(&condition).reads_position(),
            condition,
            parts,
            reads,
            sure_of_one,
            sure_of_several,
        })
    }

    /// Has the condition a value for every number from so many heaps?
    pub fn is_sure(&self, heaps: usize) -> bool {
        if heaps == 1 {
            self.sure_of_one
        } else {
            self.sure_of_several
        }
    }
}

/// The conditions of all nodes that have one, and how many names there are.
pub(super) fn conditions(graph: &MoveGraph, most: u64) -> (Vec<Option<Rc<Ready>>>, usize) {
    let mut slots = graph.slots;
    let ready = graph.nodes.node_weights().map(|node| match node {
        Node::Take(take) => Ready::new(take, graph.heaps, &mut slots, most).map(Rc::new),
        _ => None,
    });
    let ready = ready.collect();
    (ready, slots)
}

/// What is known of a step's numbers where no heap has more than so many tokens.
struct Certain {
    known: Known,
    /// What is left of the one heap taken from, which is no debt.
    left: Option<Num>,
}

impl Certain {
    /// Where numbers are taken from so many heaps at most.
    fn of(take: &Take, slots: usize, most: u64, heaps: usize) -> Certain {
        let mut known = Known::new(slots, Interval::new(0, most.into()));
        known.total = Interval::new(1, i128::from(most) * heaps as i128);
        if let Some(slot) = take.bound {
            known.set_local(slot, known.total);
        }
        let left = Num::Binary(
            Arithmetic::Subtract,
            Box::new(Num::SizeOf(take.pick)),
            Box::new(take.bound.map_or(Num::Total, Num::Local)),
        );
        Certain {
            known,
            left: (heaps == 1).then_some(left),
        }
    }

    /// Has the expression a value, and all in it one that is small enough for a
    /// lane?
    fn has_a_small_value(&mut self, part: Part<'_>) -> bool {
        let Certain { known, left } = self;
        let mut is_no_debt = |num: &Num| left.as_ref() == Some(num) || known.num(num).low >= 0;
        let mut is_known = |num: &Num| match num {
            Num::Binary(Arithmetic::NimSum, one, other) => is_no_debt(one) && is_no_debt(other),
            Num::Fold(Fold::Xor, list) => matches!(list, List::Heaps(_) | List::Picked(_)),
            _ => false,
        };
        if !has_a_value_where(part, &mut is_known) {
            return false;
        }
        if let Part::Bool(condition) = part {
            // The numbers that its own names stand for.
            known.truth(condition);
        }
        !part.any(&mut |part| match part {
            Part::Num(num) => {
                let value = known.num(num);
                value.low < -MOST || value.high > MOST
            }
            _ => false,
        })
    }
}

/// Puts first what costs little, in a condition all of whose parts have a value.
fn sort_by_cost(condition: &mut Bool, bound: Option<Slot>) {
    match condition {
        Bool::And(parts) | Bool::Or(parts) => {
            for part in parts.iter_mut() {
                sort_by_cost(part, bound);
            }
            parts.sort_by_key(|part| cost(Part::Bool(part), bound));
        }
        Bool::Not(inner) => sort_by_cost(inner, bound),
        _ => {}
    }
}

/// About how many columns it takes to work this out: none for what is made of
/// the number taken alone, which is mostly the same in all lanes.
fn cost(part: Part<'_>, bound: Option<Slot>) -> usize {
    let children = part.children().into_iter();
    let below: usize = children.map(|child| cost(child, bound)).sum();
    let is_column = matches!(part, Part::Num(num) if !matches!(num, Num::Local(_)))
        && part
            .any(&mut |part| matches!(part, Part::Num(Num::Local(slot)) if Some(*slot) != bound));
    let is_many = matches!(part, Part::List(_) | Part::Set(_));
    below + usize::from(is_column) + 4 * usize::from(is_many)
}

/// The divisor and the remainder, where a condition says only what remainder
/// the number taken leaves, all heaps together.
fn every(condition: &Bool, bound: Option<Slot>) -> Option<(Num, Num)> {
    let Bool::Compare(Order::Equal, left, right) = condition else {
        return None;
    };
    let Num::Binary(Arithmetic::Modulo, number, divisor) = left else {
        return None;
    };
    let apart = |num| !reads_amount(Part::Num(num), bound);
    (is_amount(number, bound) && apart(divisor) && apart(right))
        .then(|| (divisor.as_ref().clone(), right.clone()))
}

impl Abreast<'_> {
    /// The condition of a node, if it has one, and what it reads that no number
    /// changes, in the lanes of `who`. What the names held before must be given
    /// back once the step is done.
    pub(super) fn make_ready(
        &mut self,
        at: NodeIndex,
        who: &Mask,
    ) -> Option<(Rc<Ready>, Vec<Value>)> {
        let ready = self.conditions[at.index()].clone()?;
        let before = ready.parts.iter().map(|(slot, num)| {
            self.members_seen = 0;
            let value = self.number(num, who);
            std::mem::replace(&mut self.locals[slot.index()], value)
        });
        let before = before.collect();
        Some((ready, before))
    }

    /// Gives the names of a condition what they held before.
    pub(super) fn give_back_names(&mut self, ready: &Ready, before: Vec<Value>) {
        for ((slot, _), value) in ready.parts.iter().zip(before) {
            self.locals[slot.index()] = value;
        }
    }
}
