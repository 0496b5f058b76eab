//! Variants of a move-generator graph: one of its alternatives alone, a move one of whose
//! steps is left out, and moves that may leave the range of a state or of the heaps.

use super::{MoveGraph, Node, NodeId, Numbers, Take};
use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::{
    Arithmetic, Bool, Expr, Fold, HeapId, List, Num, OfKind, Order, Part, Pick, Set, Slot,
};
use nimrule_model::game::Members;
use nimrule_model::source::{Span, Spanned};

/// Numbers of a position that a rule gives a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranged {
    /// A state, by its place in a position.
    State(HeapId),
    /// A state of a multiset of heaps, by the kind of the heap that stands for it.
    StateOfMultiset(usize),
    /// All heaps, with the smallest and the largest size.
    Heaps(i64, i64),
}

impl Ranged {
    /// Whether a condition on positions is an end of the range.
    fn bounds(self, condition: &Expr<Bool>) -> bool {
        let Bool::Compare(Order::AtMost, left, right) = &condition.node else {
            return false;
        };
        let ranging = match (&left.node, &right.node) {
            (Num::Const(_), ranging) | (ranging, Num::Const(_)) => ranging,
            _ => return false,
        };
        match (self, ranging) {
            (Ranged::State(state), Num::Heap(heap)) => *heap == state,
            // The heap of a state has one token more.
            (Ranged::StateOfMultiset(state), Num::Binary(Arithmetic::Subtract, size, _)) => {
                matches!(&size.node, Num::Fold(Fold::Sum, list)
                if list.node == List::Multiset(OfKind::Only(state)))
            }
            (Ranged::Heaps(low, high), _) => match end_of_heaps(condition) {
                Some((Fold::Min, end, _)) => end == low,
                Some((_, end, _)) => end == high,
                None => false,
            },
            _ => false,
        }
    }
}

/// The end of a range of all heaps, the smallest or the largest size, and the heaps.
fn end_of_heaps(condition: &Expr<Bool>) -> Option<(Fold, i64, &List)> {
    let Bool::Compare(Order::AtMost, left, right) = &condition.node else {
        return None;
    };
    let (fold, end, list) = match (&left.node, &right.node) {
        (Num::Const(end), Num::Fold(Fold::Min, list)) => (Fold::Min, *end, list),
        (Num::Fold(Fold::Max, list), Num::Const(end)) => (Fold::Max, *end, list),
        _ => return None,
    };
    let of_all = matches!(list.node, List::Heaps(_) | List::Multiset(_));
    of_all.then_some((fold, end, &list.node))
}

/// Whether a number that does not depend on the position may be outside of a range.
fn may_be_outside(known: &mut IntervalEnvironment, num: &Expr<Num>, low: i64, high: i64) -> bool {
    let values = known.num(num);
    (values.low < i128::from(low) || values.high > i128::from(high))
        && !Part::Num(num).reads_position()
}

fn outside(num: &Expr<Num>, low: i64, high: i64) -> Expr<Bool> {
    let end = |value| Spanned::new(Num::Const(value), num.span);
    let less = |one, other| Spanned::new(Bool::Compare(Order::Less, one, other), num.span);
    let either = vec![less(num.clone(), end(low)), less(end(high), num.clone())];
    Spanned::new(Bool::Or(either), num.span)
}

fn and(condition: Option<Expr<Bool>>, more: Expr<Bool>) -> Expr<Bool> {
    let span = more.span;
    let all = condition.into_iter().chain([more]).collect();
    Spanned::new(Bool::And(all), span)
}

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

    /// The range of the heaps that `of size` gives, if its end is `largest`.
    pub fn heap_range(&self, largest: u64) -> Option<Ranged> {
        let ends = || self.positions.iter().flat_map(|all| all.conjuncts());
        let at = ends().find_map(|condition| match end_of_heaps(condition) {
            Some((Fold::Max, high, _)) if u64::try_from(high) == Ok(largest) => {
                Some((condition.span, high))
            }
            _ => None,
        });
        let (at, high) = at?;
        // Both ends are written at one place.
        let low = ends().find_map(|condition| match end_of_heaps(condition) {
            Some((Fold::Min, low, _)) if condition.span == at => Some(low),
            _ => None,
        });
        Some(Ranged::Heaps(low.unwrap_or(0), high))
    }

    /// The steps that may give what has a range a number outside of it, each with its place and
    /// the graph of the moves that do, in which positions need not be in the range.
    ///
    /// Only the step that sets a state alone is one, and only if the new number does not depend
    /// on the old one: such a state counts, and its range says where that ends. A step that
    /// changes heaps is one for the numbers that no heap of the range can hold; those that depend
    /// on the position are left out.
    pub fn beyond_range(&self, what: Ranged) -> Vec<(Span, MoveGraph)> {
        let mut wide = self.clone();
        wide.positions = wide.positions.filter(|condition| !what.bounds(condition));
        if let Some(Bool::And(all)) = wide.positions.as_mut().map(|all| &mut all.node) {
            all.retain(|condition| !what.bounds(condition));
        }
        match what {
            Ranged::Heaps(low, high) => self.beyond_sizes(&wide, low, high),
            Ranged::State(_) | Ranged::StateOfMultiset(_) => {
                let step = self.only_setter(what);
                step.map(|step| (self.span(step), wide))
                    .into_iter()
                    .collect()
            }
        }
    }

    /// The only step that sets a state, if its value does not read the state.
    fn only_setter(&self, what: Ranged) -> Option<NodeId> {
        let is_state = |at: &NodeId| match (self.node(*at), what) {
            (
                Node::Choice {
                    members: Members::Listed(sets),
                    ..
                },
                Ranged::State(state),
            ) => sets[..] == [vec![state]],
            (
                Node::Choice {
                    members: Members::Multiset { kind, .. },
                    ..
                },
                Ranged::StateOfMultiset(state),
            ) => *kind == OfKind::Only(state),
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
        let reads_state = Part::Num(value).any(&mut |part| match (part, what) {
            (Part::Num(Num::Heap(heap)), Ranged::State(state)) => *heap == state,
            (Part::Num(Num::HeapAt { heaps, .. }), Ranged::State(state)) => heaps.contains(&state),
            (Part::List(List::Multiset(kind)), Ranged::StateOfMultiset(state)) => {
                *kind == OfKind::Only(state)
            }
            (Part::Num(Num::Local(slot)), _) => slot == size,
            _ => false,
        });
        (!reads_state).then_some(step)
    }

    /// Whether a selection is of heaps that have a range, and not of states or tokens.
    fn selects_heaps(&self, of: Pick) -> bool {
        let mut ends = self.positions.iter().flat_map(|all| all.conjuncts());
        let Some(list) = ends.find_map(|condition| Some(end_of_heaps(condition)?.2)) else {
            return false;
        };
        let has = |heap: &HeapId| matches!(list, List::Heaps(heaps) if heaps.contains(heap));
        let mut choices = self.all_nodes().filter_map(|node| match node {
            Node::Choice { pick, members } if *pick == of => Some(members),
            _ => None,
        });
        choices.all(|members| match (members, list) {
            (Members::Listed(sets), _) => sets.iter().flatten().all(has),
            (Members::At { heaps, .. }, _) => heaps.iter().all(has),
            (Members::Counted(counted), _) => counted.all().flatten().all(has),
            (Members::Picked(earlier), _) => self.selects_heaps(*earlier),
            (Members::Multiset { kind, .. }, List::Multiset(heaps)) => match kind {
                OfKind::Only(kind) => heaps.has(Some(*kind)),
                OfKind::Any | OfKind::First(_) => true,
            },
            (Members::Multiset { .. }, _) => false,
            (Members::Remaining(_) | Members::Relative { .. }, _) => true,
        })
    }

    /// The steps that may give a heap a size outside of a range whatever it was, as in
    /// [`MoveGraph::beyond_range`]. `wide` is the graph without the range.
    fn beyond_sizes(&self, wide: &MoveGraph, low: i64, high: i64) -> Vec<(Span, MoveGraph)> {
        let reached = self.reached();
        let mut known = IntervalEnvironment::new(self.slots, Interval::NATURALS);
        for at in &reached {
            if let Node::Number { slot, set, .. } = self.node(*at) {
                let members = known.set(set);
                known.set_local(*slot, members);
            }
        }
        let mut found = Vec::new();
        for at in reached {
            let mut graph = wide.clone();
            // INVARIANT: a text holds fewer names than 2^32.
            let fresh = Slot(graph.slots as u32);
            let node = &mut graph.nodes[at];
            match node {
                Node::Put {
                    amount, numbers, ..
                } if known.set(amount).high > i128::from(high - low)
                    && !Part::Set(amount).reads_position() =>
                {
                    let span = amount.span;
                    let here = |num| Spanned::new(num, span);
                    let least = here(Num::Const(high - low));
                    let too_many = Bool::Compare(Order::Less, least, here(Num::Local(fresh)));
                    let large = List::Gathered {
                        slot: fresh,
                        over: Box::new(amount.clone()),
                        value: Box::new(here(Num::Local(fresh))),
                        condition: Some(Box::new(Spanned::new(too_many, span))),
                    };
                    let large = Set::List(Spanned::new(large, span));
                    *amount = Spanned::new(large, span);
                    *numbers = Numbers::Set(amount.clone());
                    graph.slots += 1;
                }
                Node::Set {
                    pick,
                    size,
                    heap,
                    value,
                    condition,
                } if self.selects_heaps(*pick) => {
                    let of_heap = [Some(*size), *heap];
                    let depends = Part::Num(value).any(&mut |part| {
                        matches!(part, Part::Num(Num::Local(slot)) if of_heap.contains(&Some(*slot)))
                    });
                    let value = value.clone();
                    if depends || !may_be_outside(&mut known, &value, low, high) {
                        continue;
                    }
                    *condition = Some(and(condition.take(), outside(&value, low, high)));
                }
                Node::Replace(replace) => {
                    for (slot, set) in &replace.names {
                        let members = known.set(set);
                        known.set_local(*slot, members);
                    }
                    // A size of 0 leaves no heap.
                    let sizes: Vec<Expr<Num>> = (replace.by.iter())
                        .map(|new| new.size.clone())
                        .filter(|size| may_be_outside(&mut known, size, 0, high))
                        .collect();
                    let Some(span) = sizes.first().map(|size| size.span) else {
                        continue;
                    };
                    let sizes = sizes.iter().map(|size| outside(size, 0, high));
                    let some = Spanned::new(Bool::Or(sizes.collect()), span);
                    replace.condition = Some(and(replace.condition.take(), some));
                }
                _ => continue,
            }
            found.push((self.span(at), graph));
        }
        found
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
