//! The move-generator graph: what a rule does, step by step.
//!
//! [`lower`](lower()) turns the moves of a [`Game`](nimrule_model::game::Game) into a
//! graph of choice, take, put, guard, repeat and join nodes. A walk from its
//! start to its end is one way to move, and the positions that walks end in
//! are the options ([`moves`]). That is the only meaning of a move; whatever
//! is faster is compared with it. [`Profile`] collects the facts about a
//! graph that faster engines need.

pub mod abreast;
mod dot;
mod lower;
mod narrow;
mod pairing;
mod plan;
mod profile;
mod walk;

pub use dot::dot;
pub use lower::{lower, lower_for};
pub use pairing::pairing;
pub use plan::Plan;
pub use profile::{
    Alternative, EqualNumbers, Fact, HeapRule, HeapRules, HeapWay, Hyperedges, Joined, Profile,
    Removes, profile,
};
pub use walk::{Stop, Walker, moves};

use nimrule_model::board::Symmetries;
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::{Bool, Expr, Part, Pick, Set, Slot};
use nimrule_model::game::{Cutoff, HeapKinds, Leaving, Members, Parts, Share};
use nimrule_model::source::{Span, Spanned};
use petgraph::graph::{DiGraph, NodeIndex};

/// A node of a [`MoveGraph`].
pub type NodeId = NodeIndex;

/// The compiled rule.
#[derive(Debug, Clone)]
pub struct MoveGraph {
    nodes: DiGraph<Node, Arc>,
    start: NodeIndex,
    /// The node after a node, in the order of the rule; the body of a repeat
    /// comes before its exit.
    next: Vec<Vec<NodeIndex>>,
    /// The rule's own words for a node.
    words: Vec<String>,
    /// Where a node is written.
    spans: Vec<Span>,
    /// Where the alternatives are written, in the order of the arcs from the
    /// start.
    alternatives: Vec<Span>,
    /// What every position reached must satisfy.
    pub positions: Option<Expr<Bool>>,
    pub symmetries: Symmetries,
    /// In a bag no heap has a place of its own.
    pub heaps: usize,
    /// The board that tokens slide on.
    pub digraph: Option<std::sync::Arc<Digraph>>,
    /// The kinds of a bag's heaps.
    pub kinds: Option<HeapKinds>,
    slots: usize,
    picks: usize,
    counters: usize,
}

/// One step of a move.
#[derive(Debug, Clone)]
pub enum Node {
    /// Go on along any of the arcs.
    Join,
    /// Go on only if the condition holds in the position the move began in.
    Guard(Expr<Bool>),
    /// Choose a number.
    Number {
        slot: Slot,
        set: Expr<Set>,
        condition: Option<Expr<Bool>>,
        horizon: Option<Cutoff>,
    },
    /// Choose heaps.
    Choice { pick: Pick, members: Members },
    /// Take tokens from the heaps chosen.
    Take(Box<Take>),
    /// Put tokens on each of the heaps chosen.
    Put {
        pick: Pick,
        /// The numbers as written.
        amount: Expr<Set>,
        numbers: Numbers,
        condition: Option<Expr<Bool>>,
    },
    /// Slide each of the tokens chosen along an arc.
    Slide {
        pick: Pick,
        condition: Option<Expr<Bool>>,
    },
    /// Put what the heap chosen holds into several heaps.
    Split {
        pick: Pick,
        parts: Parts,
        condition: Option<Expr<Bool>>,
    },
    /// Go through the body from `least` to `most` times.
    Repeat {
        counter: usize,
        least: u64,
        most: u64,
    },
    /// The move is made.
    End,
}

#[derive(Debug, Clone)]
pub struct Take {
    pub pick: Pick,
    pub share: Share,
    /// The numbers that may be taken from a heap, as written; any, where
    /// absent.
    pub amount: Option<Expr<Set>>,
    /// The same for those who enumerate.
    pub numbers: Numbers,
    /// The whole condition, as written.
    pub whole: Option<Expr<Bool>>,
    pub bound: Option<Slot>,
    /// Into how many heaps what is left of the one heap chosen is put.
    pub leaving: Option<Leaving>,
    /// How the numbers are enumerated in fewer steps than by trying all of them.
    pub plan: Plan,
}

/// The numbers that may be taken from one heap, or put on one.
#[derive(Debug, Clone)]
pub enum Numbers {
    Any,
    /// Ascending, all at least 1.
    Listed(Vec<u64>),
    Set(Expr<Set>),
}

/// What an arc of the graph means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arc {
    Next,
    /// From a repeat into its body.
    Again,
    /// From a repeat past its body.
    Enough,
}

impl MoveGraph {
    /// All nodes, each after those that its alternative comes by before it.
    pub fn all_nodes(&self) -> impl Iterator<Item = &Node> {
        self.nodes.node_weights()
    }

    /// Where every walk begins.
    pub fn start(&self) -> NodeId {
        self.start
    }

    pub fn node(&self, index: NodeId) -> &Node {
        &self.nodes[index]
    }

    /// The nodes after a node, in the order of the rule.
    pub fn after(&self, index: NodeId) -> &[NodeId] {
        &self.next[index.index()]
    }

    /// The body of a repeat, which leads back to it, and what follows it.
    pub fn body_and_exit(&self, repeat: NodeId) -> (NodeId, NodeId) {
        match self.after(repeat) {
            [body, exit] => (*body, *exit),
            _ => unreachable!("a repeat has a body and an exit"),
        }
    }

    /// Where a node is written.
    pub fn span(&self, index: NodeId) -> Span {
        self.spans[index.index()]
    }

    /// The first node of each alternative, and where the alternative is written.
    pub fn alternatives(&self) -> impl Iterator<Item = (NodeId, Span)> {
        let first = self.after(self.start).iter().copied();
        first.zip(self.alternatives.iter().copied())
    }

    /// How many counters the repeats have.
    pub fn counter_count(&self) -> usize {
        self.counters
    }

    /// All expressions of the rule as they are written, with their places; the
    /// condition on positions is one of them.
    pub fn parts(&self) -> Vec<Spanned<Part<'_>>> {
        let mut parts = Vec::new();
        for node in self.all_nodes() {
            let (set, condition) = match node {
                Node::Guard(condition) => (None, Some(condition)),
                Node::Number { set, condition, .. } => (Some(set), condition.as_ref()),
                Node::Take(take) => (take.amount.as_ref(), take.whole.as_ref()),
                Node::Put {
                    amount, condition, ..
                } => (Some(amount), condition.as_ref()),
                Node::Slide { condition, .. } | Node::Split { condition, .. } => {
                    (None, condition.as_ref())
                }
                Node::Choice { members, .. } => {
                    if let Members::At { index, .. } = members {
                        parts.push(Part::num(index));
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

    /// The rule's own words for a node.
    fn words(&self, index: NodeIndex) -> &str {
        &self.words[index.index()]
    }
}
