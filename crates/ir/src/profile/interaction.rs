//! The interaction graph of a rule: two heaps are adjacent if one move may change
//! both.
//!
//! If the moves depend on amounts only, a position is the disjunctive sum of the connected
//! components of its non-empty heaps. For example, an empty heap in the middle of a path
//! separates the path into two components. A step that gives heaps a new size, such as
//! `set all neighbours of v to 0`, must leave empty heaps empty.

use super::{Fact, any_position, only_takes, reads_amounts_only};
use crate::{MoveGraph, Node};
use nimrule_model::expr::{Bool, Expr, Fold, HeapId, List, Num, Order, Pick, Slot};
use nimrule_model::game::Members;
use petgraph::graph::NodeIndex;

/// The adjacency sets of the heaps, as bit sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionGraph {
    with: Vec<Heaps>,
}

/// A set of heaps: bit `i` of word `w` is the heap `64 w + i`.
type Heaps = Vec<u64>;

fn add(set: &mut Heaps, heap: usize) {
    set[heap / 64] |= 1 << (heap % 64);
}

fn has(set: &Heaps, heap: usize) -> bool {
    set[heap / 64] >> (heap % 64) & 1 == 1
}

impl InteractionGraph {
    /// The components of a position, each as a position with all other heaps empty.
    /// No component if all heaps are empty.
    pub fn parts(&self, position: &[u64]) -> Vec<Vec<u64>> {
        let mut left = vec![0; position.len().div_ceil(64)];
        for (heap, _) in position.iter().enumerate().filter(|(_, size)| **size > 0) {
            add(&mut left, heap);
        }
        let mut parts = Vec::new();
        let mut reached = Vec::new();
        for first in 0..position.len() {
            if !has(&left, first) {
                continue;
            }
            let mut part = vec![0; position.len()];
            left[first / 64] &= !(1 << (first % 64));
            reached.push(first);
            while let Some(heap) = reached.pop() {
                part[heap] = position[heap];
                for (word, (left, with)) in left.iter_mut().zip(&self.with[heap]).enumerate() {
                    let mut new = *left & with;
                    *left &= !new;
                    while new != 0 {
                        reached.push(64 * word + new.trailing_zeros() as usize);
                        new &= new - 1;
                    }
                }
            }
            parts.push(part);
        }
        parts
    }
}

/// The interaction graph, if it is not complete.
pub(super) fn interaction(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<InteractionGraph> {
    if !graph.positions.as_ref().is_some_and(is_largest_size) {
        any_position(graph)?;
    }
    reads_amounts_only(graph, leaves_empty_heaps_empty)?;
    only_takes(graph)?;
    let nothing = vec![0; graph.heaps.div_ceil(64)];
    let mut with = vec![nothing.clone(); graph.heaps];
    for chain in chains {
        if let Some((anchors, relative)) = around_one_heap(graph, chain) {
            for anchor in anchors.iter().flatten().map(|heap| heap.index()) {
                add(&mut with[anchor], anchor);
                for sets in &relative {
                    for heap in sets[anchor].iter().flatten().map(|heap| heap.index()) {
                        add(&mut with[anchor], heap);
                        add(&mut with[heap], anchor);
                    }
                }
            }
            continue;
        }
        // A move may change the selections of all its steps, and a repeated step
        // selects again.
        let mut selections: Vec<Vec<Heaps>> = Vec::new();
        let mut repeats = false;
        let sets = |listed: &[Vec<HeapId>]| -> Vec<Heaps> {
            let set = |heaps: &Vec<HeapId>| {
                let mut set = nothing.clone();
                heaps.iter().for_each(|heap| add(&mut set, heap.index()));
                set
            };
            listed.iter().map(set).collect()
        };
        for &at in chain {
            match graph.node(at) {
                Node::Choice { members, .. } => match members {
                    Members::Listed(listed) => selections.push(sets(listed)),
                    Members::Picked(_) => {}
                    Members::Relative { sets: of, .. } => {
                        selections.push(of.iter().flat_map(|of| sets(of)).collect());
                    }
                    members if let Some(heaps) = members.single_heaps() => {
                        selections.push(sets(heaps));
                    }
                    Members::Remaining(_)
                    | Members::At { .. }
                    | Members::Counted(_)
                    | Members::Multiset { .. } => {
                        return Err(format!("`{}` depends on the position", graph.words(at)));
                    }
                },
                Node::Repeat { most, .. } => repeats |= *most > 1,
                _ => {}
            }
        }
        let union = |all: Heaps, set: &Heaps| all.iter().zip(set).map(|(a, b)| a | b).collect();
        if repeats || selections.len() > 1 {
            let all = selections.iter().flatten().fold(nothing.clone(), union);
            selections = vec![vec![all]];
        }
        for set in selections.iter().flatten() {
            for (heap, with) in with.iter_mut().enumerate() {
                if has(set, heap) {
                    *with = union(std::mem::take(with), set);
                }
            }
        }
    }
    let mut any = nothing;
    for with in &with {
        any.iter_mut()
            .zip(with)
            .for_each(|(any, with)| *any |= with);
    }
    let falls_apart = (0..graph.heaps).any(|heap| has(&any, heap) && with[heap] != any);
    if !falls_apart {
        return Err("a move may change any of the heaps together".to_owned());
    }
    Ok(InteractionGraph { with })
}

/// The sets that belong to each heap; see [`Members::Relative`].
type RelativeSets<'g> = &'g [Vec<Vec<HeapId>>];

/// The heaps of which each move takes from one, and the sets relative to it of the other
/// steps. A move needs tokens on the one heap, so that only the adjacency to it matters.
/// `None` for other moves.
fn around_one_heap<'g>(
    graph: &'g MoveGraph,
    chain: &[NodeIndex],
) -> Option<(&'g [Vec<HeapId>], Vec<RelativeSets<'g>>)> {
    let mut anchor: Option<(Pick, &[Vec<HeapId>])> = None;
    let mut is_taken_from = false;
    let mut relative = Vec::new();
    for &at in chain {
        match (graph.node(at), anchor) {
            (Node::Choice { pick, members }, None) => {
                anchor = Some((*pick, members.single_heaps()?));
            }
            (Node::Choice { members, .. }, Some((anchor, _))) => match members {
                Members::Relative { to, sets } if *to == anchor => relative.push(&**sets),
                Members::Picked(of) if *of == anchor => {}
                _ => return None,
            },
            (Node::Take(take), Some((anchor, _))) => is_taken_from |= take.pick == anchor,
            (Node::Repeat { .. }, _) => return None,
            _ => {}
        }
    }
    let (_, anchors) = anchor?;
    is_taken_from.then_some((anchors, relative))
}

/// Whether the positions are those whose heaps have at most a given size.
fn is_largest_size(positions: &Expr<Bool>) -> bool {
    let is_one = |condition: &&Expr<Bool>| match &condition.node {
        Bool::Compare(Order::AtMost, left, right) => {
            matches!(right.node, Num::Const(0..))
                && matches!(&left.node, Num::Fold(Fold::Max, list)
                    if matches!(list.node, List::Heaps(_)))
        }
        _ => false,
    };
    positions.conjuncts().iter().all(is_one)
}

/// Whether a new size depends on the size of the heap only, and is 0 if that is.
fn leaves_empty_heaps_empty(value: &Num, size: Slot) -> bool {
    match value {
        Num::Const(value) => *value == 0,
        Num::Local(local) => *local == size,
        Num::Fold(Fold::Min, list) => match &list.node {
            List::Items(items) => {
                let is_constant = |item: &Num| matches!(item, Num::Const(value) if *value >= 0);
                let is_empty = |item: &Num| leaves_empty_heaps_empty(item, size);
                items.iter().any(|item| is_empty(item))
                    && items.iter().all(|item| is_constant(item) || is_empty(item))
            }
            _ => false,
        },
        _ => false,
    }
}
