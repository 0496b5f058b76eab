//! Variants of a move-generator graph: one of its alternatives alone, and a move one of
//! whose steps is left out.

use super::{MoveGraph, Node, NodeId, Take};
use nimrule_model::expr::{Bool, Num, Order, Set, Slot};
use nimrule_model::source::{Span, Spanned};

impl MoveGraph {
    /// The graph of one alternative, given its first node: see
    /// [`MoveGraph::alternatives`]. It ends where the same player would move again.
    pub fn alternative(&self, first: NodeId) -> MoveGraph {
        let mut graph = MoveGraph {
            start: first,
            ..self.clone()
        };
        for node in graph.nodes.node_weights_mut() {
            if let Node::Again(_) = node {
                *node = Node::End;
            }
        }
        graph
    }

    /// One graph for each step that takes or puts numbers which the position gives, with
    /// the place of the numbers. In this graph the step changes nothing, and is possible
    /// exactly where 0 is one of the numbers. Steps with an infinite set of numbers are
    /// left out.
    pub fn with_zero_amounts(&self) -> Vec<(Span, MoveGraph)> {
        let mut found = Vec::new();
        let mut reached = vec![self.start];
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for after in self.after(at) {
                if !reached.contains(after) {
                    reached.push(*after);
                }
            }
            let set = match self.node(at) {
                Node::Put { amount, .. } => amount,
                Node::Take(take) => match take.as_ref() {
                    Take {
                        amount: Some(set), ..
                    } => set,
                    _ => continue,
                },
                _ => continue,
            };
            let starts_at_1 = matches!(
                &set.node,
                Set::Range(low, _) if low.constant().is_some_and(|low| low >= 1)
            );
            if set.is_infinite() || starts_at_1 {
                continue;
            }
            let mut graph = self.clone();
            // INVARIANT: a text holds fewer names than 2^32.
            let slot = Slot(graph.slots as u32);
            graph.slots += 1;
            let number = |num| Spanned::new(num, set.span);
            let is_zero = Bool::Compare(
                Order::Equal,
                number(Num::Local(slot)),
                number(Num::Const(0)),
            );
            graph.nodes[at] = Node::Number {
                slot,
                set: set.clone(),
                condition: Some(Spanned::new(is_zero, set.span)),
                cutoff: None,
            };
            found.push((set.span, graph));
        }
        found
    }
}
