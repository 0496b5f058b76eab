//! Batch evaluation: the options of up to 256 positions in one walk through the
//! move-generator graph.
//!
//! - A *batch* is a run of consecutive places in the table of a box.
//! - A *lane* is one position of the batch. A [`Mask`] is a set of lanes.
//! - A [`Value`] is one number per lane: a constant for all lanes, or a column.
//! - The *active* lanes are those in which every choice of the walk so far is
//!   allowed.
//!
//! All lanes make the same choices and take the same numbers from the same
//! heaps. An option therefore lies the same distance before its position in
//! every lane, and the cost of visiting a node is paid once for the batch.
//!
//! The options of a lane, and their order, are those of
//! [`Walker`](super::Walker), the *concrete walk*. A lane whose expression has
//! no value, or one too large for a lane, enters the *fallback mask*: the caller
//! evaluates it again by the concrete walk, which also reports the fault.
//! Rules that put, slide or split are not supported ([`supports_batch`]).
//!
//! Terms: "batch evaluation" and "lane" in `docs/src/glossary.md`.

mod column;
mod deferred;
mod division;
mod expr;
mod functions;
mod mask;
mod number_sets;
mod prepared;
mod several_heaps;
mod take;
mod value;

pub use mask::{Bits, LANES, Mask, bits_of, lanes_of, vectorised};
pub use number_sets::NumberSets;
pub use value::Value;

use self::deferred::DeferredGuard;
use self::expr::Members as Numbers;
use self::prepared::Conditions;
use super::{MoveGraph, Node};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::expr::{HeapId, Order, Picked, Slot};
use nimrule_model::game::{Cutoff, Members};
use petgraph::graph::NodeIndex;
use std::borrow::Cow;

/// The options of a move whose last step takes a range of numbers: an
/// arithmetic progression of numbers in each lane.
#[derive(Debug)]
pub struct Run {
    /// The distance in places from the position to the option if the last step
    /// took nothing.
    pub back: usize,
    /// The distance in places that each further token adds.
    pub stride: usize,
    /// The smallest and the largest number, both included. A lane with
    /// `least > most` has no option. Otherwise `1 <= least` and the heap has at
    /// least `most` tokens.
    pub least: Value,
    /// The largest number by lane; see `least`.
    pub most: Value,
    /// The common difference of the numbers, from `least` on; 1 if absent.
    pub difference: Option<Value>,
    /// The numbers that the condition of the step allows, if it restricts them otherwise;
    /// `difference` is absent then. The run takes from one heap.
    pub allowed: Option<NumberSets>,
}

impl Run {
    /// The common difference, if all lanes share one progression and differ only
    /// in their bounds.
    pub fn common_difference(&self) -> Option<usize> {
        match (&self.difference, &self.least) {
            (None, _) => Some(1),
            (Some(Value::Same(difference)), Value::Same(_)) => usize::try_from(*difference).ok(),
            _ => None,
        }
    }

    /// Whether these are all numbers from 1 to `most`, and the last step is the only one.
    pub fn is_from_one(&self) -> bool {
        let is_any = self.difference.is_none() && self.allowed.is_none();
        self.back == 0 && is_any && self.least.bounds().1 <= 1
    }
}

/// A consumer of the options of a batch.
pub trait OptionSink {
    /// The lanes of `active` whose value still depends on further options.
    fn open<'m>(&self, active: &'m Mask) -> Cow<'m, Mask>;

    /// Adds, for each lane of `active`, the option `back` places before it.
    /// Returns whether any of these lanes is still unsettled.
    fn option(&mut self, active: &Mask, back: usize) -> bool;

    /// The lanes whose value no further option changes.
    fn settled_lanes(&self) -> Bits;

    /// Whether [`OptionSink::run`] supports runs with a set of allowed numbers.
    fn supports_number_sets(&self) -> bool;

    /// Whether every option is needed. Otherwise those of
    /// [`OptionSink::relevant_lanes`] suffice.
    fn needs_all_options(&self) -> bool;

    /// Calls `f` with each lane of `active` whose value may change if it has the
    /// option `back` places before it, where that option lies before the batch.
    /// May call `f` with further lanes.
    fn relevant_lanes(&self, active: &Bits, back: usize, f: impl FnMut(usize));

    /// Adds the option `back` places before one lane; it lies before the batch.
    fn lane_option(&mut self, lane: usize, back: usize);

    /// Records that each lane of `active` has an option that is P.
    fn win(&mut self, active: &Mask);

    /// Adds the options of a run to each lane of `active`.
    ///
    /// # Errors
    ///
    /// The limit of time, if it is exceeded.
    fn run(&mut self, active: &Mask, run: Run) -> Result<(), LimitExceeded>;
}

/// A walk through the graph for a batch of positions.
pub struct Batch<'g> {
    graph: &'g MoveGraph,
    /// The difference in places that one token of each heap makes.
    strides: Vec<usize>,
    /// The size of each heap at the start of the walk, and the number of tokens
    /// taken from it since.
    sizes: Vec<Value>,
    taken_from: Vec<i64>,
    /// The distance in places from the start of the walk.
    back: usize,
    locals: Vec<Value>,
    picks: Vec<Picked>,
    amounts: Vec<Value>,
    counters: Vec<u64>,
    /// The fallback mask: lanes for the concrete walk.
    fallback: Mask,
    members_counted: i64,
    /// Buffers for one lane's position and locals, for evaluation lane by lane.
    position: Vec<u64>,
    numbers: Vec<i64>,
    taken: Vec<u64>,
    conditions: Conditions,
    /// Guards to evaluate once options within the batch are known to be P.
    deferred: Vec<DeferredGuard>,
    /// The steps left until the next check of the clock.
    steps: u32,
    limits: Limits,
}

type Walk = Result<(), LimitExceeded>;

/// The number of steps between two checks of the clock.
const STEPS_BETWEEN_CHECKS: u32 = 1 << 12;

/// Whether batch evaluation supports every step of the rule.
///
/// # Examples
///
/// ```
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// assert!(nimrule_ir::batch::supports_batch(&nimrule_ir::lower(&nim)));
/// ```
pub fn supports_batch(graph: &MoveGraph) -> bool {
    graph.kinds.is_none()
        && graph.nodes.node_weights().all(|node| match node {
            Node::Put { .. }
            | Node::Set { .. }
            | Node::Slide { .. }
            | Node::Split { .. }
            | Node::Replace(_)
            | Node::Again(_) => false,
            Node::Take(take) => take.leaving.is_none(),
            _ => true,
        })
}

/// Whether batch evaluation of the rule may defer conditions on the number taken.
pub fn has_deferred_guards(graph: &MoveGraph) -> bool {
    supports_batch(graph)
        && graph
            .nodes
            .node_weights()
            .any(|node| matches!(node, Node::Take(take) if take.plan.per_number.is_some()))
}

impl<'g> Batch<'g> {
    /// A walk from the positions of a box with these largest sizes and strides.
    pub fn new(
        graph: &'g MoveGraph,
        sizes: &[u64],
        strides: &[usize],
        limits: &Limits,
    ) -> Batch<'g> {
        Batch::with(graph, Conditions::of(graph, sizes), strides, limits)
    }

    /// An evaluator of expressions about positions, such as those of claims: it walks no
    /// moves.
    pub fn of_expressions(graph: &'g MoveGraph, limits: &Limits) -> Batch<'g> {
        Batch::with(graph, Conditions::none(graph.slots), &[], limits)
    }

    fn with(
        graph: &'g MoveGraph,
        conditions: Conditions,
        strides: &[usize],
        limits: &Limits,
    ) -> Batch<'g> {
        let slots = conditions.slots;
        Batch {
            graph,
            strides: strides.to_vec(),
            sizes: Vec::new(),
            taken_from: vec![0; graph.heaps],
            back: 0,
            locals: vec![Value::Same(0); slots],
            picks: vec![Picked::new(); graph.picks],
            amounts: Vec::new(),
            counters: vec![0; graph.counters],
            fallback: Mask::none(),
            members_counted: 0,
            position: vec![0; graph.heaps],
            numbers: vec![0; slots],
            taken: Vec::new(),
            conditions,
            deferred: Vec::new(),
            steps: STEPS_BETWEEN_CHECKS,
            limits: limits.clone(),
        }
    }

    /// Loads a batch of positions, given as the size of each heap in every lane,
    /// and clears the fallback mask.
    pub fn load(&mut self, sizes: Vec<Value>) {
        self.sizes = sizes;
        self.fallback = Mask::none();
        self.deferred.clear();
    }

    /// The fallback mask: the lanes to evaluate again by the concrete walk.
    pub fn fallback(&self) -> &Mask {
        &self.fallback
    }

    /// Empties the fallback mask.
    pub fn clear_fallback(&mut self) {
        self.fallback = Mask::none();
    }

    /// The lanes of `active` that satisfy `positions where`. The result is
    /// undefined in lanes of the fallback mask.
    pub fn positions(&mut self, active: &Mask) -> Mask {
        match &self.graph.positions {
            Some(condition) => self.holds(condition, active),
            None => active.clone(),
        }
    }

    /// Adds every option of the lanes of `active` to `sink`, each at least once,
    /// except for lanes that are in the fallback mask afterwards.
    ///
    /// # Errors
    ///
    /// The limit of time, if it is exceeded.
    pub fn options<S: OptionSink>(&mut self, active: &Mask, sink: &mut S) -> Walk {
        self.evaluate_position_terms(active);
        self.walk(self.graph.start, active, sink)
    }

    fn walk<S: OptionSink>(&mut self, at: NodeIndex, active: &Mask, sink: &mut S) -> Walk {
        self.step()?;
        let graph = self.graph;
        if let Node::End = graph.node(at) {
            sink.option(active, self.back);
            return Ok(());
        }
        let open = self.unsettled(active, sink);
        if open.is_empty() {
            return Ok(());
        }
        match graph.node(at) {
            Node::Join => {
                for next in graph.after(at) {
                    self.walk(*next, &open, sink)?;
                }
                Ok(())
            }
            Node::Guard(condition) => {
                let holds = self.holds(condition, &open);
                self.continue_from(at, &holds, sink)
            }
            Node::Number {
                slot,
                set,
                condition,
                cutoff,
            } => {
                let enough = match cutoff {
                    Some(cutoff) => match self.cutoff(cutoff, *slot, &open) {
                        Some(enough) => enough,
                        None => return self.fall_back(&open),
                    },
                    None => i64::MAX,
                };
                let mut each = |this: &mut Self, value: Value, of: &Mask| {
                    this.step()?;
                    this.locals[slot.index()] = value;
                    match condition {
                        Some(condition) => {
                            let holds = this.holds(condition, of);
                            this.continue_from(at, &holds, sink)
                        }
                        None => this.continue_from(at, of, sink),
                    }
                };
                self.members_counted = 0;
                let members = self.numbers_to(set, enough, &open);
                let open = self.without_fallback(&open);
                if open.is_empty() {
                    return Ok(());
                }
                match members {
                    None => self.fall_back(&open),
                    Some(Numbers::Items(items)) => {
                        for item in items {
                            let of = item.among(&open);
                            each(self, item.value, &of)?;
                        }
                        Ok(())
                    }
                    Some(Numbers::Between(low, high)) => {
                        for number in low.range(&open).0..=high.range(&open).1 {
                            let of = Value::between(&low, number, &high, &open);
                            each(self, Value::Same(number), &of)?;
                        }
                        Ok(())
                    }
                }
            }
            Node::Choice { pick, members } => {
                let pick = pick.index();
                // A repeat reaches this node again before the current round
                // ends; the conditions of that round read its own heaps.
                let outer = std::mem::take(&mut self.picks[pick]);
                self.choose(at, pick, members, &open, sink)?;
                self.picks[pick] = outer;
                Ok(())
            }
            Node::Take(take) => self.take(at, take, &open, sink),
            Node::Repeat {
                counter,
                least,
                most,
            } => {
                let done = self.counters[*counter];
                let [body, exit] = graph.after(at) else {
                    unreachable!("a repeat has a body and an exit");
                };
                if done >= *least {
                    self.walk(*exit, &open, sink)?;
                }
                if done < *most {
                    self.counters[*counter] = done + 1;
                    self.walk(*body, &open, sink)?;
                    self.counters[*counter] = done;
                }
                Ok(())
            }
            Node::End => Ok(()),
            // INVARIANT: `supports_batch` excludes rules with such steps.
            Node::Put { .. }
            | Node::Set { .. }
            | Node::Slide { .. }
            | Node::Split { .. }
            | Node::Replace(_)
            | Node::Again(_) => self.fall_back(&open),
        }
    }

    /// The lanes of `active` that are neither settled nor in the fallback mask.
    fn unsettled<'m, S: OptionSink>(&self, active: &'m Mask, sink: &S) -> Cow<'m, Mask> {
        let open = sink.open(active);
        if self.fallback.is_empty() {
            open
        } else {
            Cow::Owned(open.without(&self.fallback))
        }
    }

    /// The lanes of `active` outside the fallback mask. Values of the others are
    /// undefined.
    fn without_fallback<'m>(&self, active: &'m Mask) -> Cow<'m, Mask> {
        if self.fallback.is_empty() {
            Cow::Borrowed(active)
        } else {
            Cow::Owned(active.without(&self.fallback))
        }
    }

    fn continue_from<S: OptionSink>(&mut self, at: NodeIndex, active: &Mask, sink: &mut S) -> Walk {
        if active.is_empty() {
            return Ok(());
        }
        let graph = self.graph;
        self.walk(graph.after(at)[0], active, sink)
    }

    /// Continues the walk with each set of heaps that a choice allows.
    fn choose<S: OptionSink>(
        &mut self,
        at: NodeIndex,
        pick: usize,
        members: &Members,
        active: &Mask,
        sink: &mut S,
    ) -> Walk {
        match members {
            Members::Listed(listed) => {
                for member in listed {
                    self.picks[pick] = Picked::from_slice(member);
                    self.continue_from(at, active, sink)?;
                }
            }
            Members::Remaining(left) => {
                // Lanes with the same non-empty heaps have the same members.
                let mut rest = active.clone();
                while !rest.is_empty() {
                    let lane = rest.span().start;
                    let mut same = rest.clone();
                    for (heap, taken_from) in self.taken_from.iter().enumerate() {
                        let size = self.sizes[heap].at(lane) - taken_from;
                        self.position[heap] = size.unsigned_abs();
                        if let each @ Value::Each(_) = &self.sizes[heap] {
                            let is_left = size > 0;
                            same =
                                Mask::of(&same, |other| (each.at(other) > *taken_from) == is_left);
                        }
                    }
                    for member in left.members(&self.position) {
                        self.picks[pick] = member;
                        self.continue_from(at, &same, sink)?;
                    }
                    rest = rest.without(&same);
                }
            }
            Members::Relative { to, sets } => {
                // INVARIANT: the earlier selection is a single heap.
                let heap = self.picks[to.index()][0];
                for member in &sets[heap.index()] {
                    self.picks[pick] = Picked::from_slice(member);
                    self.continue_from(at, active, sink)?;
                }
            }
            Members::Picked(earlier) => {
                self.picks[pick] = self.picks[earlier.index()].clone();
                self.continue_from(at, active, sink)?;
            }
            Members::At {
                heaps,
                first,
                index,
            } => {
                let index = self.number(index, active);
                let mut rest = active.without(&self.fallback);
                for (heap, number) in heaps.iter().zip(*first..) {
                    let here = Value::between(&index, number, &index, &rest);
                    rest = rest.without(&here);
                    self.picks[pick] = Picked::from_slice(&[*heap]);
                    self.continue_from(at, &here, sink)?;
                }
                self.fallback.add(&rest);
            }
            Members::Counted(counted) => {
                let heap = counted.to.map(|to| self.picks[to.index()][0]);
                let count = self.number(&counted.count, active);
                let rest = active.without(&self.fallback);
                for index in 0..counted.sets[heap.map_or(0, HeapId::index)].len() {
                    let (least, most) = counted.counts(index, heap);
                    let order = match most {
                        Some(_) => Order::Equal,
                        None => Order::AtMost,
                    };
                    let here = Value::Same(least).compare(order, &count, &rest);
                    for member in counted.of(heap, least) {
                        self.picks[pick] = Picked::from_slice(member);
                        self.continue_from(at, &here, sink)?;
                    }
                }
            }
            // INVARIANT: `supports_batch` excludes multisets of heaps.
            Members::Multiset { .. } => self.fallback.add(active),
        }
        Ok(())
    }

    /// Adds lanes to the fallback mask.
    fn fall_back(&mut self, active: &Mask) -> Walk {
        self.fallback.add(active);
        Ok(())
    }

    /// Counts a step and checks the clock every [`STEPS_BETWEEN_CHECKS`] steps.
    fn step(&mut self) -> Walk {
        self.steps -= 1;
        if self.steps == 0 {
            self.steps = STEPS_BETWEEN_CHECKS;
            self.limits.check_work(Steps(400))?;
        }
        Ok(())
    }

    /// The cutoff of an infinite set: the number beyond which no member changes
    /// anything in any lane.
    fn cutoff(&self, cutoff: &Cutoff, slot: Slot, active: &Mask) -> Option<i64> {
        let mut tokens = 0_u64;
        for (size, taken_from) in self.sizes.iter().zip(&self.taken_from) {
            let most = size.range(active).1 - taken_from;
            tokens = tokens.checked_add(u64::try_from(most).ok()?)?;
        }
        cutoff.number(slot, self.graph.slots, tokens)
    }

    /// The current size of a heap.
    fn size(&self, heap: HeapId, active: &Mask) -> Value {
        self.sizes[heap.index()].lowered(self.taken_from[heap.index()], active)
    }

    fn lower(&mut self, heap: HeapId, number: u64) {
        self.taken_from[heap.index()] += number as i64;
        self.back += self.strides[heap.index()] * number as usize;
    }

    fn raise(&mut self, heap: HeapId, number: u64) {
        self.taken_from[heap.index()] -= number as i64;
        self.back -= self.strides[heap.index()] * number as usize;
    }
}
