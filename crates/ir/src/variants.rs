//! Variants of a move-generator graph: one of its alternatives alone, a move one of whose
//! steps is left out, and moves that may leave the range of a state.

use super::{MoveGraph, Node, NodeId, Take};
use nimrule_model::expr::{Bool, Expr, HeapId, Num, Order, Part, Set, Slot};
use nimrule_model::game::Members;
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

    /// The nodes that can be reached from the start.
    fn reached(&self) -> Vec<NodeId> {
        let mut reached = vec![self.start];
        let mut next = 0;
        while let Some(&at) = reached.get(next) {
            next += 1;
            for after in self.after(at) {
                if !reached.contains(after) {
                    reached.push(*after);
                }
            }
        }
        reached
    }

    /// The graph in which a state may leave its range, and the place of the only step that sets
    /// the state. `None` if no step or several set it, or the step sets it to a number that its
    /// old value gives: such a state counts, and its range says where that ends.
    pub fn beyond_range(&self, state: HeapId) -> Option<(Span, MoveGraph)> {
        let is_state = |at: &NodeId| match self.node(*at) {
            Node::Choice {
                members: Members::Listed(sets),
                ..
            } => sets[..] == [vec![state]],
            _ => false,
        };
        let chosen: Vec<NodeId> = self.reached().into_iter().filter(is_state).collect();
        let [chosen] = chosen[..] else {
            return None;
        };
        let [step] = *self.after(chosen) else {
            return None;
        };
        let Node::Set { size, value, .. } = self.node(step) else {
            return None;
        };
        let reads_state = Part::Num(value).any(&mut |part| match part {
            Part::Num(Num::Heap(heap)) => *heap == state,
            Part::Num(Num::HeapAt { heaps, .. }) => heaps.contains(&state),
            Part::Num(Num::Local(slot)) => slot == size,
            _ => false,
        });
        let bounds = |condition: &Expr<Bool>| match &condition.node {
            Bool::Compare(Order::AtMost, low, high) => match (&low.node, &high.node) {
                (Num::Const(_), Num::Heap(heap)) | (Num::Heap(heap), Num::Const(_)) => {
                    *heap == state
                }
                _ => false,
            },
            _ => false,
        };
        let mut graph = self.clone();
        graph.positions = graph.positions.filter(|condition| !bounds(condition));
        if let Some(Bool::And(all)) = graph.positions.as_mut().map(|all| &mut all.node) {
            all.retain(|condition| !bounds(condition));
        }
        (!reads_state).then(|| (self.span(step), graph))
    }

    /// One graph for each step that takes or puts numbers which the position gives, with
    /// the place of the numbers. In this graph the step changes nothing, and is possible
    /// exactly where 0 is one of the numbers. Steps with an infinite set of numbers are
    /// left out.
    pub fn with_zero_amounts(&self) -> Vec<(Span, MoveGraph)> {
        let mut found = Vec::new();
        for at in self.reached() {
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
