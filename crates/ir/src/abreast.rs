//! Walking the graph for many positions at once.
//!
//! Positions that follow each other in a table of a box are walked abreast,
//! each in a *lane*. A walk makes the same choices in all of them, takes the
//! same number from the same heap, and goes on with the lanes in which it may;
//! so every option lies as many places before its position in one lane as in
//! the next, and what it costs to go from node to node is paid once for all.
//! Conditions are worked out on columns of numbers (`expr`).
//!
//! It says the same as [`Walker`](super::Walker), in the same order in each
//! lane. Where it can't, since an expression has no value or one that is too
//! large, the lane is *in doubt* and left to the plain walk, which says what
//! the fault is. It is told of a rule's steps only what tables need: that
//! nothing is split, slid or put down.

mod column;
mod division;
mod expr;
mod functions;
mod judge;
mod lanes;
mod mask;
mod ready;
mod several;
mod single;
mod take;

pub use lanes::Value;
pub use mask::{Bits, LANES, Mask, bits_of, lanes_of, vectorised};

use self::expr::Members as Numbers;
use self::judge::Judged;
use self::ready::Conditions;
use super::{MoveGraph, Node};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::{HeapId, Picked, Slot};
use nimrule_model::game::{Cutoff, Members};
use petgraph::graph::NodeIndex;
use std::borrow::Cow;

/// Numbers taken from one heap, as the last thing that a move does.
#[derive(Debug)]
pub struct Run {
    /// How many places before its own a lane's options begin, were nothing
    /// taken.
    pub back: usize,
    /// By how many places each token more is further back.
    pub stride: usize,
    /// From which number to which; those lanes in which the first is not the
    /// larger have an option. All are at least 1, and the heap has as many.
    pub least: Value,
    pub most: Value,
    /// Only every so many of them, beginning with the least.
    pub every: Option<Value>,
}

impl Run {
    /// Every how many numbers are meant, where it is the same numbers in all
    /// lanes that keep to the bounds.
    pub fn every_same(&self) -> Option<usize> {
        match (&self.every, &self.least) {
            (None, _) => Some(1),
            (Some(Value::Same(every)), Value::Same(_)) => usize::try_from(*every).ok(),
            _ => None,
        }
    }
}

/// Who is shown the options of positions that are walked abreast.
pub trait Seen {
    /// The lanes of `who` of which more must be known.
    fn open<'m>(&self, who: &'m Mask) -> Cow<'m, Mask>;

    /// Each lane of `who` has an option so many places before its own. Says
    /// whether more must be known of any of them.
    fn option(&mut self, who: &Mask, back: usize) -> bool;

    /// Those of all lanes of which no more must be known.
    fn closed(&self) -> Bits;

    /// Must all options be shown? Otherwise those that `matter` are enough.
    fn wants_all(&self) -> bool;

    /// Calls `f` with the lanes of `who` to which it matters whether they have
    /// the option so many places before them, of those for which it lies before
    /// the chunk; and perhaps with others of which it can't be told.
    fn matters(&self, who: &Bits, back: usize, f: impl FnMut(usize));

    /// One lane has an option so many places before its own, in an earlier
    /// chunk.
    fn option_of(&mut self, lane: usize, back: usize);

    /// The lane has an option that is P.
    fn win_one(&mut self, lane: usize);

    /// Each lane of `who` has an option that is P.
    fn win(&mut self, who: &Mask);

    /// Each lane of `who` has the options of a run.
    fn run(&mut self, who: &Mask, run: Run) -> Result<(), LimitExceeded>;
}

/// A walk through the graph with many positions.
pub struct Abreast<'g> {
    graph: &'g MoveGraph,
    /// What one token of a heap is worth in a position's place in the table.
    strides: Vec<usize>,
    /// The heaps as the walk began, and what has been taken from each since.
    sizes: Vec<Value>,
    down: Vec<i64>,
    /// How many places all that has been taken leads back.
    back: usize,
    locals: Vec<Value>,
    picks: Vec<Picked>,
    amounts: Vec<Value>,
    counters: Vec<u64>,
    /// Lanes that are left to the plain walk.
    doubts: Mask,
    members_seen: i64,
    /// One lane's position and numbers, where an expression is evaluated lane
    /// by lane.
    position: Vec<u64>,
    numbers: Vec<i64>,
    taken: Vec<u64>,
    conditions: Conditions,
    /// Numbers that are judged when their options are known.
    judged: Vec<Judged>,
    /// How many lanes are P and may be options of others, and those of which the
    /// others have not been told.
    p_lanes: u32,
    waiting: Bits,
    /// Steps until the clock is looked at.
    steps: u32,
    limits: Limits,
}

type Walk = Result<(), LimitExceeded>;

/// The clock is looked at every so many steps.
const STEPS_BETWEEN_LOOKS: u32 = 1 << 12;

/// Is a walk abreast told what all steps of this rule do?
pub fn can_walk_abreast(graph: &MoveGraph) -> bool {
    graph.kinds.is_none()
        && graph.nodes.node_weights().all(|node| match node {
            Node::Put { .. } | Node::Slide { .. } | Node::Split { .. } => false,
            Node::Take(take) => take.leaving.is_none(),
            _ => true,
        })
}

/// May a walk abreast ask conditions of the numbers taken?
pub fn judges_numbers(graph: &MoveGraph) -> bool {
    can_walk_abreast(graph)
        && graph
            .nodes
            .node_weights()
            .any(|node| matches!(node, Node::Take(take) if take.plan.afterwards.is_some()))
}

impl<'g> Abreast<'g> {
    /// A walk from positions whose heaps have at most so many tokens.
    pub fn new(graph: &'g MoveGraph, most: u64, strides: &[usize], limits: &Limits) -> Abreast<'g> {
        let conditions = Conditions::of(graph, most);
        let slots = conditions.slots;
        Abreast {
            graph,
            strides: strides.to_vec(),
            sizes: Vec::new(),
            down: vec![0; graph.heaps],
            back: 0,
            locals: vec![Value::Same(0); slots],
            picks: vec![Picked::new(); graph.picks],
            amounts: Vec::new(),
            counters: vec![0; graph.counters],
            doubts: Mask::none(),
            members_seen: 0,
            position: vec![0; graph.heaps],
            numbers: vec![0; slots],
            taken: Vec::new(),
            conditions,
            judged: Vec::new(),
            p_lanes: 0,
            waiting: Bits::default(),
            steps: STEPS_BETWEEN_LOOKS,
            limits: *limits,
        }
    }

    /// Sets positions out: the size of each heap in every lane. No lane is in
    /// doubt.
    pub fn set_out(&mut self, sizes: Vec<Value>) {
        self.sizes = sizes;
        self.doubts = Mask::none();
        self.judged.clear();
        self.p_lanes = 0;
        self.waiting = Bits::default();
    }

    /// The lanes that are left to the plain walk.
    pub fn doubts(&self) -> &Mask {
        &self.doubts
    }

    /// Leaves no lane to the plain walk after all.
    pub fn doubt_nothing(&mut self) {
        self.doubts = Mask::none();
    }

    /// The lanes of `who` that `positions where` allows, if none is in doubt.
    pub fn positions(&mut self, who: &Mask) -> Mask {
        match &self.graph.positions {
            Some(condition) => self.holds(condition, who),
            None => who.clone(),
        }
    }

    /// Shows every option of the lanes of `who`, each at least once, unless the
    /// lane is in doubt in the end.
    pub fn options<S: Seen>(&mut self, who: &Mask, seen: &mut S) -> Walk {
        self.read_positions(who);
        self.walk(self.graph.start, who, seen)
    }

    fn walk<S: Seen>(&mut self, at: NodeIndex, who: &Mask, seen: &mut S) -> Walk {
        self.step()?;
        let graph = self.graph;
        if let Node::End = graph.node(at) {
            seen.option(who, self.back);
            return Ok(());
        }
        let open = self.in_play(who, seen);
        if open.is_empty() {
            return Ok(());
        }
        match graph.node(at) {
            Node::Join => {
                for next in graph.after(at) {
                    self.walk(*next, &open, seen)?;
                }
                Ok(())
            }
            Node::Guard(condition) => {
                let holds = self.holds(condition, &open);
                self.go_on(at, &holds, seen)
            }
            Node::Number {
                slot,
                set,
                condition,
                horizon,
            } => {
                let enough = match horizon {
                    Some(horizon) => match self.horizon(horizon, *slot, &open) {
                        Some(enough) => enough,
                        None => return self.doubt(&open),
                    },
                    None => i64::MAX,
                };
                let mut each = |this: &mut Self, value: Value, of: &Mask| {
                    this.step()?;
                    this.locals[slot.index()] = value;
                    match condition {
                        Some(condition) => {
                            let holds = this.holds(condition, of);
                            this.go_on(at, &holds, seen)
                        }
                        None => this.go_on(at, of, seen),
                    }
                };
                self.members_seen = 0;
                let members = self.numbers_to(set, enough, &open);
                let open = self.not_in_doubt(&open);
                if open.is_empty() {
                    return Ok(());
                }
                match members {
                    None => self.doubt(&open),
                    Some(Numbers::Items(items)) => {
                        for item in items {
                            let of = item.among(&open);
                            each(self, item.value, &of)?;
                        }
                        Ok(())
                    }
                    Some(Numbers::Between(low, high)) => {
                        for number in low.range(&open).0..=high.range(&open).1 {
                            let of = Value::within(&low, number, &high, &open);
                            each(self, Value::Same(number), &of)?;
                        }
                        Ok(())
                    }
                }
            }
            Node::Choice { pick, members } => {
                let pick = pick.index();
                // A repeat comes by here again before the round at hand is
                // done, whose conditions go on speaking of its own heaps.
                let outer = std::mem::take(&mut self.picks[pick]);
                self.choose(at, pick, members, &open, seen)?;
                self.picks[pick] = outer;
                Ok(())
            }
            Node::Take(take) => self.take(at, take, &open, seen),
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
                    self.walk(*exit, &open, seen)?;
                }
                if done < *most {
                    self.counters[*counter] = done + 1;
                    self.walk(*body, &open, seen)?;
                    self.counters[*counter] = done;
                }
                Ok(())
            }
            Node::End => Ok(()),
            // INVARIANT: rules with such steps are not walked abreast.
            Node::Put { .. } | Node::Slide { .. } | Node::Split { .. } => self.doubt(&open),
        }
    }

    /// The lanes of `who` of which more must be known, and that are not in doubt.
    fn in_play<'m, S: Seen>(&self, who: &'m Mask, seen: &S) -> Cow<'m, Mask> {
        let open = seen.open(who);
        if self.doubts.is_empty() {
            open
        } else {
            Cow::Owned(open.without(&self.doubts))
        }
    }

    /// The lanes of `who` that are not left to the plain walk: what is worked out
    /// for the others is no number of theirs.
    fn not_in_doubt<'m>(&self, who: &'m Mask) -> Cow<'m, Mask> {
        if self.doubts.is_empty() {
            Cow::Borrowed(who)
        } else {
            Cow::Owned(who.without(&self.doubts))
        }
    }

    fn go_on<S: Seen>(&mut self, at: NodeIndex, who: &Mask, seen: &mut S) -> Walk {
        if who.is_empty() {
            return Ok(());
        }
        let graph = self.graph;
        self.walk(graph.after(at)[0], who, seen)
    }

    /// Goes on with each of the members that a choice may be.
    fn choose<S: Seen>(
        &mut self,
        at: NodeIndex,
        pick: usize,
        members: &Members,
        who: &Mask,
        seen: &mut S,
    ) -> Walk {
        match members {
            Members::Listed(listed) => {
                for member in listed {
                    self.picks[pick] = Picked::from_slice(member);
                    self.go_on(at, who, seen)?;
                }
            }
            Members::Remaining(left) => {
                // Lanes with the same heaps left have the same members.
                let mut rest = who.clone();
                while !rest.is_empty() {
                    let lane = rest.span().start;
                    let mut same = rest.clone();
                    for (heap, down) in self.down.iter().enumerate() {
                        let size = self.sizes[heap].at(lane) - down;
                        self.position[heap] = size.unsigned_abs();
                        if let each @ Value::Each(_) = &self.sizes[heap] {
                            let is_left = size > 0;
                            same = Mask::of(&same, |other| (each.at(other) > *down) == is_left);
                        }
                    }
                    for member in left.members(&self.position) {
                        self.picks[pick] = member;
                        self.go_on(at, &same, seen)?;
                    }
                    rest = rest.without(&same);
                }
            }
            Members::Picked(earlier) => {
                self.picks[pick] = self.picks[earlier.index()].clone();
                self.go_on(at, who, seen)?;
            }
            Members::At {
                heaps,
                first,
                index,
            } => {
                let index = self.number(index, who);
                let mut rest = who.without(&self.doubts);
                for (heap, number) in heaps.iter().zip(*first..) {
                    let here = Value::within(&index, number, &index, &rest);
                    rest = rest.without(&here);
                    self.picks[pick] = Picked::from_slice(&[*heap]);
                    self.go_on(at, &here, seen)?;
                }
                self.doubts.add(&rest);
            }
            // INVARIANT: a bag is not walked abreast.
            Members::Multiset { .. } => self.doubts.add(who),
        }
        Ok(())
    }

    /// Leaves lanes to the plain walk.
    fn doubt(&mut self, who: &Mask) -> Walk {
        self.doubts.add(who);
        Ok(())
    }

    /// Counts steps, and looks now and then whether to go on.
    fn step(&mut self) -> Walk {
        self.steps -= 1;
        if self.steps == 0 {
            self.steps = STEPS_BETWEEN_LOOKS;
            self.limits.check_time()?;
        }
        Ok(())
    }

    /// The first number of a set without end beyond which nothing changes in
    /// any of the lanes.
    fn horizon(&self, horizon: &Cutoff, slot: Slot, who: &Mask) -> Option<i64> {
        let mut tokens = 0_u64;
        for (size, down) in self.sizes.iter().zip(&self.down) {
            let most = size.range(who).1 - down;
            tokens = tokens.checked_add(u64::try_from(most).ok()?)?;
        }
        horizon.number(slot, self.graph.slots, tokens)
    }

    /// The size of a heap as it stands.
    fn size(&self, heap: HeapId, who: &Mask) -> Value {
        self.sizes[heap.index()].lowered(self.down[heap.index()], who)
    }

    fn lower(&mut self, heap: HeapId, number: u64) {
        self.down[heap.index()] += number as i64;
        self.back += self.strides[heap.index()] * number as usize;
    }

    fn raise(&mut self, heap: HeapId, number: u64) {
        self.down[heap.index()] -= number as i64;
        self.back -= self.strides[heap.index()] * number as usize;
    }
}
