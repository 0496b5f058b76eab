//! Prepared conditions: loop-invariant code motion for conditions on the number
//! taken.
//!
//! A subexpression that does not depend on the number, such as
//! `max(heaps) - h`, is evaluated once per step and bound to a fresh local. In
//! the first step of a move, a subexpression of the position alone, such as
//! `max(heaps)`, is evaluated once for all choices of heaps.

use super::number_sets::{Table, Term};
use super::value::Value;
use super::{Batch, Mask};
use crate::plan::bounds_propagation::expand_quantifiers;
use crate::{MoveGraph, Node, Take};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::solve::Unknown;
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Arithmetic, Bool, Expr, HeapSet, List, Num, Order, Part, Slot};
use petgraph::graph::NodeIndex;
use std::rc::Rc;

/// The largest absolute value of any number in a total condition.
const MOST: i128 = 1 << 29;

/// The largest number of cases that quantifiers are expanded to.
const MOST_CASES: usize = 64;

/// The condition of a step on the number that it takes, prepared for many
/// numbers.
pub(super) struct Prepared {
    /// The condition, with locals for the invariant subexpressions.
    pub condition: Bool,
    parts: Vec<(Slot, Num)>,
    /// The divisor and the remainder, if the condition is exactly
    /// `total % divisor = remainder`.
    pub congruence: Option<(Num, Num)>,
    /// The terms that the condition of a step from one heap reads, if it depends on them
    /// and the number alone and is total.
    pub terms: Option<Vec<Term>>,
    /// The locals that the condition reads.
    pub reads: Vec<Slot>,
    /// Whether the condition itself still reads sizes of heaps.
    pub reads_position: bool,
    /// Whether the condition has a value in every position of the box, with all
    /// numbers small enough for a lane, if one heap is taken from, and if several
    /// are.
    is_total_for_one: bool,
    is_total_for_several: bool,
}

/// The terms that bound the numbers of a step, as in [`Plan`](crate::Plan).
pub(super) struct BoundTerms {
    pub at_least: Vec<Num>,
    pub at_most: Vec<Num>,
    pub each_at_most: Vec<Num>,
}

/// The prepared conditions and bounds of all nodes.
pub(super) struct Conditions {
    /// The prepared condition of each take node.
    pub prepared: Vec<Option<Rc<Prepared>>>,
    pub bounds: Vec<Option<Rc<BoundTerms>>>,
    /// The table of the numbers that each condition allows, unless it would be too large.
    pub tables: Vec<Option<Table>>,
    /// The hoisted terms that read only the position at the start of the move.
    pub of_position: Rc<Vec<(Slot, Num)>>,
    /// The number of locals, the fresh ones included.
    pub slots: usize,
}

impl Conditions {
    /// No conditions, for expressions with this many locals.
    pub fn none(slots: usize) -> Conditions {
        Conditions {
            prepared: Vec::new(),
            bounds: Vec::new(),
            tables: Vec::new(),
            of_position: Rc::default(),
            slots,
        }
    }

    /// The conditions of a graph, for the positions of a box with these largest sizes.
    pub fn of(graph: &MoveGraph, sizes: &[u64]) -> Conditions {
        let most = sizes.iter().copied().max().unwrap_or(0);
        // One byte per position, so that the tables are computed in less time than it takes
        // to evaluate the conditions there.
        let mut budget = sizes.iter().fold(1_usize, |positions, most| {
            positions.saturating_mul((*most as usize).saturating_add(1))
        });
        let mut names = Names {
            slots: graph.slots,
            of_position: Vec::new(),
        };
        let is_first = is_first_step(graph);
        let (mut prepared, mut bounds, mut tables) = (Vec::new(), Vec::new(), Vec::new());
        for (node, is_first) in graph.nodes.node_weights().zip(is_first) {
            if let Node::Take(take) = node {
                let mut known = intervals_of(take, graph.slots, most, graph.heaps);
                let mut named = |nums: &[Expr<Num>]| -> Vec<Num> {
                    let mut nums: Vec<Num> = nums.iter().map(|num| num.node.clone()).collect();
                    for num in nums.iter_mut().filter(|_| is_first) {
                        num.replace(&mut |num, _| names.for_position(num, &mut known));
                    }
                    nums
                };
                bounds.push(Some(Rc::new(BoundTerms {
                    at_least: named(&take.plan.at_least),
                    at_most: named(&take.plan.at_most),
                    each_at_most: named(&take.plan.each_at_most),
                })));
                let condition = Prepared::new(take, graph.heaps, &mut names, most, is_first);
                let table = |condition| Table::of(condition, most, &mut budget);
                tables.push(condition.as_ref().and_then(table));
                prepared.push(condition.map(Rc::new));
            } else {
                bounds.push(None);
                prepared.push(None);
                tables.push(None);
            }
        }
        Conditions {
            prepared,
            bounds,
            tables,
            of_position: Rc::new(names.of_position),
            slots: names.slots,
        }
    }
}

/// For each node, whether every path to it is free of take nodes.
fn is_first_step(graph: &MoveGraph) -> Vec<bool> {
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

/// The allocator of fresh locals for hoisted terms.
struct Names {
    slots: usize,
    of_position: Vec<(Slot, Num)>,
}

impl Names {
    /// The local of a term, allocated at its first use.
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

    /// The local of a compound term that reads only the position.
    fn for_position(&mut self, num: &Num, known: &mut IntervalEnvironment) -> Option<Num> {
        let is_work = !matches!(num, Num::Const(_) | Num::Local(_) | Num::Heap(_));
        let is_its = is_work && reads_position_alone(Part::Num(num));
        (is_its && fits_lane(Part::Num(num), known))
            .then(|| Names::of(&mut self.slots, &mut self.of_position, num))
    }
}

/// Whether the expression reads nothing but sizes of heaps and locals that it
/// binds itself.
fn reads_position_alone(part: Part<'_>) -> bool {
    let mut own = Vec::new();
    part.any(&mut |part| {
        match part {
            Part::Num(Num::Let(slot, ..))
            | Part::Bool(Bool::Let(slot, ..) | Bool::Quantified { slot, .. })
            | Part::List(List::Gathered { slot, .. }) => own.push(*slot),
            Part::Num(Num::Components(region)) => own.push(region.slot),
            Part::Bool(Bool::Joined(joined)) => own.push(joined.through.slot),
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
            Part::Bool(Bool::Joined(joined)) => {
                let picked = |end: &&HeapSet| matches!(end, HeapSet::Picked(_));
                joined.ends().iter().any(picked)
            }
            _ => false,
        })
}

impl Prepared {
    /// The prepared condition of a step; `None` if it has none.
    fn new(
        take: &Take,
        heaps: usize,
        names: &mut Names,
        most: u64,
        is_first: bool,
    ) -> Option<Prepared> {
        let mut condition = expand_quantifiers(take.plan.per_number.as_ref()?, MOST_CASES);
        let amount = Unknown::Amount(take.bound);
        let mut of_one = intervals_of(take, names.slots, most, 1);
        let mut of_several = intervals_of(take, names.slots, most, heaps);
        let is_total_for_one = fits_lane(Part::Bool(&condition), &mut of_one);
        let is_total_for_several = fits_lane(Part::Bool(&condition), &mut of_several);
        let mut parts: Vec<(Slot, Num)> = Vec::new();
        let mut ranges: Vec<(Slot, Interval)> = Vec::new();
        condition.replace(&mut |num, bound| {
            let part = Part::Num(num);
            let is_fixed = !matches!(num, Num::Const(_) | Num::Local(_))
                && !amount.is_read_by(part)
                && !bound.iter().any(|slot| part.reads_local(*slot))
                && fits_lane(part, &mut of_several);
            if !is_fixed {
                return None;
            }
            let range = of_several.num(num);
            let named = if is_first && reads_position_alone(part) {
                Names::of(&mut names.slots, &mut names.of_position, num)
            } else {
                Names::of(&mut names.slots, &mut parts, num)
            };
            if let Num::Local(slot) = named {
                ranges.push((slot, range));
            }
            Some(named)
        });
        if is_total_for_one || is_total_for_several {
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
        let reads_position = Part::Bool(&condition).reads_position();
        let terms = reads.iter().filter(|slot| Some(**slot) != take.bound);
        let terms = terms.map(|slot| {
            let (_, range) = ranges.iter().find(|(named, _)| named == slot)?;
            Term::of(*slot, *range)
        });
        let terms = terms.collect::<Option<Vec<Term>>>();
        Some(Prepared {
            terms: terms.filter(|_| is_total_for_one && !reads_position),
            congruence: congruence(&condition, take.bound),
            reads_position,
            condition: condition.node,
            parts,
            reads,
            is_total_for_one,
            is_total_for_several,
        })
    }

    /// Whether the condition is total for numbers taken from this number of heaps.
    pub fn is_total_for(&self, heaps: usize) -> bool {
        if heaps == 1 {
            self.is_total_for_one
        } else {
            self.is_total_for_several
        }
    }
}

/// The intervals of a step's numbers if no heap has more than `most` tokens and
/// at most `heaps` heaps are taken from.
fn intervals_of(take: &Take, slots: usize, most: u64, heaps: usize) -> IntervalEnvironment {
    let mut known = IntervalEnvironment::new(slots, Interval::new(0, most.into()));
    known.total = Interval::new(1, i128::from(most) * heaps as i128);
    if let Some(slot) = take.bound {
        known.set_local(slot, known.total);
    }
    if heaps == 1 {
        // The rest of the one heap taken from is not negative.
        let left = Num::Binary(
            Arithmetic::Subtract,
            Box::new(Num::SizeOf(take.pick).into()),
            Box::new(take.bound.map_or(Num::Total, Num::Local).into()),
        );
        known.assume_interval(left, known.heaps);
    }
    known
}

/// Whether the expression and all its parts have a value that fits a lane.
fn fits_lane(part: Part<'_>, known: &mut IntervalEnvironment) -> bool {
    is_total(part, known, Interval::new(-MOST, MOST))
}

/// Sorts conjuncts and disjuncts by ascending cost. All parts of the condition
/// must be total.
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

/// An estimate of the number of columns that an evaluation needs. Terms of the
/// number taken alone cost nothing: that number is mostly the same in all lanes.
fn cost(part: Part<'_>, bound: Option<Slot>) -> usize {
    let children = part.children();
    let below: usize = children.map(|child| cost(child, bound)).sum();
    let is_column = matches!(part, Part::Num(num) if !matches!(num, Num::Local(_)))
        && part
            .any(&mut |part| matches!(part, Part::Num(Num::Local(slot)) if Some(*slot) != bound));
    let is_many = matches!(part, Part::List(_) | Part::Set(_));
    below + usize::from(is_column) + 4 * usize::from(is_many)
}

/// The divisor and the remainder of a condition `total % divisor = remainder`.
fn congruence(condition: &Bool, bound: Option<Slot>) -> Option<(Num, Num)> {
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

impl Batch<'_> {
    /// Evaluates the hoisted terms of the positions of `active`.
    pub(super) fn evaluate_position_terms(&mut self, active: &Mask) {
        let of_position = self.conditions.of_position.clone();
        for (slot, num) in of_position.iter() {
            self.members_counted = 0;
            self.locals[slot.index()] = self.number(num, active);
        }
    }

    /// The prepared condition of a node, after its invariant terms are evaluated in
    /// `active`, and the previous values of their locals, which
    /// [`Batch::restore_locals`] must restore after the step.
    pub(super) fn prepare(
        &mut self,
        at: NodeIndex,
        active: &Mask,
    ) -> Option<(Rc<Prepared>, Vec<Value>)> {
        let prepared = self.conditions.prepared[at.index()].clone()?;
        let before = prepared.parts.iter().map(|(slot, num)| {
            self.members_counted = 0;
            let value = self.number(num, active);
            std::mem::replace(&mut self.locals[slot.index()], value)
        });
        let before = before.collect();
        Some((prepared, before))
    }

    /// Restores the locals of a prepared condition.
    pub(super) fn restore_locals(&mut self, prepared: &Prepared, before: Vec<Value>) {
        for ((slot, _), value) in prepared.parts.iter().zip(before) {
            self.locals[slot.index()] = value;
        }
    }
}
