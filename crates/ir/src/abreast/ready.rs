//! Conditions on the number taken, made ready to be asked of many numbers.
//!
//! What a condition reads that no number changes, as `max(heaps) - h`, is worked
//! out once for each step and given a name of its own. What a move's first step
//! reads off the position alone, as `max(heaps)`, is worked out once for all heaps
//! that it may choose.

use super::lanes::Value;
use super::single::is_plain;
use super::{Abreast, Mask};
use crate::narrow::apart;
use crate::{MoveGraph, Node, Take};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::solve::Unknown;
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Arithmetic, Bool, Expr, List, Num, Order, Part, Slot};
use petgraph::graph::NodeIndex;
use std::rc::Rc;

/// No number in a condition that is sure is further from 0.
const MOST: i128 = 1 << 29;

/// Quantifiers are taken apart into so many cases at most.
const MOST_CASES: usize = 64;

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
    /// Can it be asked of [one lane](super::single)?
    pub is_plain: bool,
    /// Does it read the sizes of heaps beside what is worked out beforehand?
    pub reads_position: bool,
    /// Has it a value in every position of the box, of numbers that are small
    /// enough for a lane, where one heap is taken from, or where several are?
    sure_of_one: bool,
    sure_of_several: bool,
}

/// The bounds on the numbers of a step, as in [`Plan`](crate::Plan).
pub(super) struct Bounds {
    pub at_least: Vec<Num>,
    pub at_most: Vec<Num>,
    pub each_at_most: Vec<Num>,
}

/// What all nodes ask.
pub(super) struct Conditions {
    /// For each node that takes, what it asks of the numbers.
    pub ready: Vec<Option<Rc<Ready>>>,
    pub bounds: Vec<Option<Rc<Bounds>>>,
    /// What is read off the position alone before anything is taken.
    pub of_position: Rc<Vec<(Slot, Num)>>,
    /// How many names there are.
    pub slots: usize,
}

impl Conditions {
    /// Those of a graph, in positions whose heaps have at most so many tokens.
    pub fn of(graph: &MoveGraph, most: u64) -> Conditions {
        let mut names = Names {
            slots: graph.slots,
            of_position: Vec::new(),
        };
        let is_first = first_steps(graph);
        let (mut ready, mut bounds) = (Vec::new(), Vec::new());
        for (node, is_first) in graph.nodes.node_weights().zip(is_first) {
            if let Node::Take(take) = node {
                let mut known = known_of(take, graph.slots, most, graph.heaps);
                let mut named = |nums: &[Expr<Num>]| -> Vec<Num> {
                    let mut nums: Vec<Num> = nums.iter().map(|num| num.node.clone()).collect();
                    for num in nums.iter_mut().filter(|_| is_first) {
                        num.replace(&mut |num, _| names.for_position(num, &mut known));
                    }
                    nums
                };
                bounds.push(Some(Rc::new(Bounds {
                    at_least: named(&take.plan.at_least),
                    at_most: named(&take.plan.at_most),
                    each_at_most: named(&take.plan.each_at_most),
                })));
                let condition = Ready::new(take, graph.heaps, &mut names, most, is_first);
                ready.push(condition.map(Rc::new));
            } else {
                bounds.push(None);
                ready.push(None);
            }
        }
        Conditions {
            ready,
            bounds,
            of_position: Rc::new(names.of_position),
            slots: names.slots,
        }
    }
}

/// For each node, whether nothing has been taken when it is come to.
fn first_steps(graph: &MoveGraph) -> Vec<bool> {
    let takes = |at: &NodeIndex| matches!(graph.node(*at), Node::Take(_));
    let reached = |mut next: Vec<NodeIndex>, beyond_takes: bool| {
        let mut reached = vec![false; graph.nodes.node_count()];
        while let Some(at) = next.pop() {
            if !std::mem::replace(&mut reached[at.index()], true) && (beyond_takes || !takes(&at)) {
                next.extend(graph.after(at));
            }
        }
        reached
    };
    let all = graph.nodes.node_indices();
    let after = all.filter(takes).flat_map(|at| graph.after(at).to_vec());
    let (before, after) = (
        reached(vec![graph.start], false),
        reached(after.collect(), true),
    );
    before.iter().zip(after).map(|(b, a)| *b && !a).collect()
}

/// Names that are given to numbers.
struct Names {
    slots: usize,
    of_position: Vec<(Slot, Num)>,
}

impl Names {
    /// The name of a number among these, a new one if it has none.
    fn of(slots: &mut usize, named: &mut Vec<(Slot, Num)>, num: &Num) -> Num {
        let known = named.iter().find(|(_, known)| known == num);
        let slot = known.map(|(slot, _)| *slot);
        let slot = slot.unwrap_or_else(|| {
            let slot = Slot(u32::try_from(*slots).expect("few names"));
            *slots += 1;
            named.push((slot, num.clone()));
            slot
        });
        Num::Local(slot)
    }

    /// The name of what is read off the position alone, and takes some working
    /// out.
    fn for_position(&mut self, num: &Num, known: &mut IntervalEnvironment) -> Option<Num> {
        let is_work = !matches!(num, Num::Const(_) | Num::Local(_) | Num::Heap(_));
        let is_its = is_work && reads_position_alone(Part::Num(num));
        (is_its && has_a_small_value(Part::Num(num), known))
            .then(|| Names::of(&mut self.slots, &mut self.of_position, num))
    }
}

/// Does the expression read nothing but sizes of heaps, and names that it gives
/// itself?
fn reads_position_alone(part: Part<'_>) -> bool {
    let mut own = Vec::new();
    part.any(&mut |part| {
        match part {
            Part::Num(Num::Let(slot, ..))
            | Part::Bool(Bool::Let(slot, ..) | Bool::Quantified { slot, .. })
            | Part::List(List::Gathered { slot, .. }) => own.push(*slot),
            _ => {}
        }
        false
    });
    part.reads_heaps()
        && !part.reads_amounts()
        && !part.any(&mut |part| match part {
            Part::Num(Num::Local(slot)) => !own.contains(slot),
            Part::Num(Num::SizeOf(_)) | Part::List(List::Picked(_)) => true,
            Part::Bool(Bool::Same(..) | Bool::Like(_)) => true,
            _ => false,
        })
}

impl Ready {
    /// The condition of a step, where it has one.
    fn new(
        take: &Take,
        heaps: usize,
        names: &mut Names,
        most: u64,
        is_first: bool,
    ) -> Option<Ready> {
        let mut condition = apart(take.plan.afterwards.as_ref()?, MOST_CASES);
        let amount = Unknown::Amount(take.bound);
        let mut of_one = known_of(take, names.slots, most, 1);
        let mut of_several = known_of(take, names.slots, most, heaps);
        let sure_of_one = has_a_small_value(Part::Bool(&condition), &mut of_one);
        let sure_of_several = has_a_small_value(Part::Bool(&condition), &mut of_several);
        let mut parts: Vec<(Slot, Num)> = Vec::new();
        condition.replace(&mut |num, bound| {
            let part = Part::Num(num);
            let is_fixed = !matches!(num, Num::Const(_) | Num::Local(_))
                && !amount.is_read_by(part)
                && !bound.iter().any(|slot| part.reads_local(*slot))
                && has_a_small_value(part, &mut of_several);
            if !is_fixed {
                return None;
            }
            if is_first && reads_position_alone(part) {
                return Some(Names::of(&mut names.slots, &mut names.of_position, num));
            }
            Some(Names::of(&mut names.slots, &mut parts, num))
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
            is_plain: is_plain(&condition),
            reads_position: Part::Bool(&condition).reads_position(),
            condition: condition.node,
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

/// What is known of a step's numbers where no heap has more than `most` tokens,
/// and where they are taken from so many heaps at most.
fn known_of(take: &Take, slots: usize, most: u64, heaps: usize) -> IntervalEnvironment {
    let mut known = IntervalEnvironment::new(slots, Interval::new(0, most.into()));
    known.total = Interval::new(1, i128::from(most) * heaps as i128);
    if let Some(slot) = take.bound {
        known.set_local(slot, known.total);
    }
    if heaps == 1 {
        // What is left of the one heap taken from is no debt.
        let left = Num::Binary(
            Arithmetic::Subtract,
            Box::new(Num::SizeOf(take.pick).into()),
            Box::new(take.bound.map_or(Num::Total, Num::Local).into()),
        );
        known.assume_interval(left, known.heaps);
    }
    known
}

/// Has the expression a value, and all in it one that is small enough for a
/// lane?
fn has_a_small_value(part: Part<'_>, known: &mut IntervalEnvironment) -> bool {
    is_total(part, known, Interval::new(-MOST, MOST))
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
    let children = part.children();
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
    let Num::Binary(Arithmetic::Modulo, number, divisor) = &left.node else {
        return None;
    };
    let amount = Unknown::Amount(bound);
    let apart = |num| !amount.is_read_by(Part::Num(num));
    (amount.is(number) && apart(divisor) && apart(right))
        .then(|| (divisor.node.clone(), right.node.clone()))
}

impl Abreast<'_> {
    /// Works out what is read off the positions of `who` alone.
    pub(super) fn read_positions(&mut self, who: &Mask) {
        let of_position = self.conditions.of_position.clone();
        for (slot, num) in of_position.iter() {
            self.members_seen = 0;
            self.locals[slot.index()] = self.number(num, who);
        }
    }

    /// The condition of a node, if it has one, and what it reads that no number
    /// changes, in the lanes of `who`. What the names held before must be given
    /// back once the step is done.
    pub(super) fn make_ready(
        &mut self,
        at: NodeIndex,
        who: &Mask,
    ) -> Option<(Rc<Ready>, Vec<Value>)> {
        let ready = self.conditions.ready[at.index()].clone()?;
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
