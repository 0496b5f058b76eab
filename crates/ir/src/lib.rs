//! The move-generator graph: the intermediate representation of a rule.
//!
//! [`lower`](lower()) compiles the moves of a [`Game`](nimrule_model::game::Game) to
//! a graph of choice, take, put, guard, repeat and join nodes. A path from the
//! start to the end is one way to move; the positions at the ends of all paths
//! are the options ([`moves`]). This defines the meaning of a move, and every
//! faster evaluation is tested against it: [`batch`] generates the options of
//! 256 positions at a time. [`profile`](profile()) derives the properties of a
//! graph on which the engines rely.

#![warn(missing_docs)]

pub mod batch;
mod dot;
mod lower;
mod pairing;
mod plan;
mod profile;
mod unroll;
mod variants;
mod walk;

pub use dot::dot;
pub use lower::{lower, lower_for};
pub use pairing::pairing;
pub use plan::Plan;
pub use profile::{
    Alternative, EqualNumbers, Fact, HeapRule, HeapRules, Hyperedges, InteractionGraph, KindMove,
    LoweredSets, Profile, Removes, SetMove, profile, set_moves,
};
pub use unroll::conjuncts;
pub use variants::Ranged;
pub use walk::{Stop, Walker, moves};

use nimrule_board::Symmetries;
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::{Bool, Expr, Num, Part, Pick, Set, Slot};
use nimrule_model::game::{Cutoff, HeapKinds, Leaving, Members, NewHeaps, Parts, Share};
use nimrule_model::source::{Span, Spanned};
use petgraph::graph::{DiGraph, NodeIndex};

/// A node of a [`MoveGraph`].
pub type NodeId = NodeIndex;

/// The compiled rule.
#[derive(Debug, Clone)]
pub struct MoveGraph {
    nodes: DiGraph<Node, Arc>,
    start: NodeIndex,
    /// The successors of each node, in the order of the rule; the body of a repeat
    /// before its exit.
    next: Vec<Vec<NodeIndex>>,
    /// The source text of each node.
    words: Vec<String>,
    /// The source span of each node.
    spans: Vec<Span>,
    /// The source span of each alternative, in the order of the arcs from the
    /// start.
    alternatives: Vec<Span>,
    /// The condition `positions where`, which every position satisfies.
    pub positions: Option<Expr<Bool>>,
    /// The symmetries of the heaps that preserve board and rule.
    pub symmetries: Symmetries,
    /// The number of heaps or tokens; 0 in a multiset of heaps.
    pub heaps: usize,
    /// The digraph that tokens move on.
    pub digraph: Option<std::sync::Arc<Digraph>>,
    /// The kinds of the heaps of a multiset.
    pub kinds: Option<HeapKinds>,
    slots: usize,
    picks: usize,
    counters: usize,
}

/// One step of a move.
#[derive(Debug, Clone)]
pub enum Node {
    /// Branch to each successor.
    Join,
    /// Continue only if the condition holds in the position before the move.
    Guard(Expr<Bool>),
    /// Choose a number.
    Number {
        /// The slot that is bound to the number.
        slot: Slot,
        /// The set that the number is chosen from.
        set: Expr<Set>,
        /// The condition that the number must satisfy.
        condition: Option<Expr<Bool>>,
        /// Where the enumeration of an infinite set ends.
        cutoff: Option<Cutoff>,
    },
    /// Choose heaps.
    Choice {
        /// The index of the selection.
        pick: Pick,
        /// The sets of heaps from which one is chosen.
        members: Members,
    },
    /// Take tokens from the heaps chosen.
    Take(Box<Take>),
    /// Put tokens on each of the heaps chosen.
    Put {
        /// The heaps.
        pick: Pick,
        /// The numbers as written.
        amount: Expr<Set>,
        /// The numbers, prepared for enumeration.
        numbers: Numbers,
        /// The condition that the numbers must satisfy.
        condition: Option<Expr<Bool>>,
    },
    /// Give each of the heaps chosen a new size.
    Set {
        /// The heaps.
        pick: Pick,
        /// The slot that is bound to the size of the heap before the step.
        size: Slot,
        /// The slot that is bound to the number of the heap, from 1, if the new size reads it.
        heap: Option<Slot>,
        /// The new size.
        value: Expr<Num>,
        /// The condition in the position before the step.
        condition: Option<Expr<Bool>>,
    },
    /// Move each of the chosen tokens along an arc.
    Slide {
        /// The tokens.
        pick: Pick,
        /// The condition that the move along the arc must satisfy.
        condition: Option<Expr<Bool>>,
    },
    /// Split the chosen heap into several heaps.
    Split {
        /// The heap.
        pick: Pick,
        /// The heaps that it is split into.
        parts: Parts,
        /// The condition on the sizes of the parts.
        condition: Option<Expr<Bool>>,
    },
    /// Replace the chosen heap by heaps of any sizes.
    Replace(Box<Replace>),
    /// Repeat the body from `least` to `most` times.
    Repeat {
        /// The index of the counter of repetitions.
        counter: usize,
        /// The smallest number of repetitions.
        least: u64,
        /// The largest number of repetitions.
        most: u64,
    },
    /// The same player moves again: the walk goes on at the start, if the position satisfies
    /// the condition of `positions where`.
    Again(Option<Expr<Bool>>),
    /// The end of the move.
    End,
}

/// A step that takes tokens from the heaps chosen.
#[derive(Debug, Clone)]
pub struct Take {
    /// The heaps.
    pub pick: Pick,
    /// How the tokens are distributed over several heaps.
    pub share: Share,
    /// The numbers that may be taken from a heap, as written; any number if absent.
    pub amount: Option<Expr<Set>>,
    /// The same numbers, prepared for enumeration.
    pub numbers: Numbers,
    /// The condition as written.
    pub whole: Option<Expr<Bool>>,
    /// The slot that is bound to the number taken.
    pub bound: Option<Slot>,
    /// The number of heaps that the rest of the one chosen heap is split into.
    pub leaving: Option<Leaving>,
    /// The plan of the enumeration.
    pub plan: Plan,
}

/// A step that replaces the chosen heap by heaps of any sizes.
#[derive(Debug, Clone)]
pub struct Replace {
    /// The heap.
    pub pick: Pick,
    /// The numbers chosen, one after another, each with its set.
    pub names: Vec<(Slot, Expr<Set>)>,
    /// The heaps in its place.
    pub by: Vec<NewHeaps>,
    /// The condition on the numbers chosen.
    pub condition: Option<Expr<Bool>>,
}

impl Replace {
    /// The expressions of the step as written.
    pub fn parts(&self) -> impl Iterator<Item = Spanned<Part<'_>>> {
        let sets = self.names.iter().map(|(_, set)| Part::set(set));
        let counts = self.by.iter().filter_map(|new| new.count.as_ref());
        let sizes = self.by.iter().map(|new| &new.size);
        let condition = self.condition.iter().map(Part::bool);
        sets.chain(counts.chain(sizes).map(Part::num))
            .chain(condition)
    }
}

/// The numbers that may be taken from one heap, or put on one.
#[derive(Debug, Clone)]
pub enum Numbers {
    /// Any positive number.
    Any,
    /// Ascending, all at least 1.
    Listed(Vec<u64>),
    /// The members of the set that are at least 1.
    Set(Expr<Set>),
}

/// The kind of an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arc {
    /// From a step to the one after it.
    Next,
    /// From a repeat into its body.
    Again,
    /// From a repeat past its body.
    Enough,
}

impl MoveGraph {
    /// All nodes, in topological order except for the arcs back to a repeat.
    pub fn all_nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.node_weights()
    }

    /// The start of every path.
    pub fn start(&self) -> NodeId {
        self.start
    }

    /// The node with this index.
    pub fn node(&self, index: NodeId) -> &Node {
        &self.nodes[index]
    }

    /// The successors of a node, in the order of the rule.
    pub fn after(&self, index: NodeId) -> &[NodeId] {
        &self.next[index.index()]
    }

    /// The first node of the body of a repeat, and the node after the repeat.
    ///
    /// # Panics
    ///
    /// If the node is not a repeat.
    pub fn body_and_exit(&self, repeat: NodeId) -> (NodeId, NodeId) {
        match self.after(repeat) {
            [body, exit] => (*body, *exit),
            _ => unreachable!("a repeat has a body and an exit"),
        }
    }

    /// The source span of a node.
    pub fn span(&self, index: NodeId) -> Span {
        self.spans[index.index()]
    }

    /// The first node and the source span of each alternative.
    pub fn alternatives(&self) -> impl Iterator<Item = (NodeId, Span)> {
        let first = self.after(self.start).iter().copied();
        first.zip(self.alternatives.iter().copied())
    }

    /// The text of a move after which the same player moves again, if there is one: the
    /// options of a position are then those of turns of several moves.
    pub fn again(&self) -> Option<&str> {
        let mut nodes = self.nodes.node_indices();
        let again = nodes.find(|at| matches!(self.node(*at), Node::Again(_)));
        again.map(|at| self.words(at))
    }

    /// The number of counters of repeats.
    pub fn counter_count(&self) -> usize {
        self.counters
    }

    /// All expressions of the rule as written, with their source spans, including
    /// `positions where`.
    pub fn parts(&self) -> Vec<Spanned<Part<'_>>> {
        let mut parts = Vec::new();
        for node in self.all_nodes() {
            let (set, condition) = match node {
                Node::Guard(condition) => (None, Some(condition)),
                Node::Again(condition) => (None, condition.as_ref()),
                Node::Number { set, condition, .. } => (Some(set), condition.as_ref()),
                Node::Take(take) => (take.amount.as_ref(), take.whole.as_ref()),
                Node::Put {
                    amount, condition, ..
                } => (Some(amount), condition.as_ref()),
                Node::Set {
                    value, condition, ..
                } => {
                    parts.push(Part::num(value));
                    (None, condition.as_ref())
                }
                Node::Slide { condition, .. } | Node::Split { condition, .. } => {
                    (None, condition.as_ref())
                }
                Node::Replace(replace) => {
                    parts.extend(replace.parts());
                    (None, None)
                }
                Node::Choice { members, .. } => {
                    match members {
                        Members::At { index, .. } => parts.push(Part::num(index)),
                        Members::Counted(counted) => parts.push(Part::num(&counted.count)),
                        _ => {}
                    }
                    (None, None)
                }
                Node::Join | Node::Repeat { .. } | Node::End => (None, None),
            };
            parts.extend(set.map(Part::set));
            parts.extend(condition.map(Part::bool));
        }
        parts.extend(self.positions.iter().map(Part::bool));
        parts
    }

    /// The source text of a node.
    fn words(&self, index: NodeIndex) -> &str {
        &self.words[index.index()]
    }
}
