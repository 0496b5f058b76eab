//! The interaction graph of a rule: two heaps are adjacent if one move may change
//! both.
//!
//! If the rule is translation invariant, a position is the disjunctive sum of the
//! connected components of its non-empty heaps. For example, an empty heap in the
//! middle of a path separates the path into two components.

use super::{Fact, looks_at_amounts_only};
use crate::{MoveGraph, Node};
use nimrule_model::expr::HeapId;
use nimrule_model::game::Members;
use petgraph::graph::NodeIndex;

/// The adjacency sets of the heaps, a bit for each heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractionGraph {
    with: Vec<u64>,
}

impl InteractionGraph {
    /// The components of a position, each as a position with all other heaps empty.
    /// No component if all heaps are empty.
    pub fn parts(&self, position: &[u64]) -> Vec<Vec<u64>> {
        let mut left = 0_u64;
        for (heap, size) in position.iter().enumerate() {
            left |= u64::from(*size > 0) << heap;
        }
        let mut parts = Vec::new();
        while left != 0 {
            let mut part = 0;
            let mut reached = left & left.wrapping_neg();
            while reached != 0 {
                let heap = reached.trailing_zeros() as usize;
                part |= 1 << heap;
                reached = (reached | self.with[heap] & left) & !part;
            }
            left &= !part;
            let sizes = position.iter().enumerate();
            let own = sizes.map(|(heap, size)| if part >> heap & 1 == 1 { *size } else { 0 });
            parts.push(own.collect());
        }
        parts
    }
}

/// The interaction graph, if it is not complete.
pub(super) fn interaction(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<InteractionGraph> {
    looks_at_amounts_only(graph)?;
    if graph.heaps > u64::BITS as usize {
        return Err(format!("there are more than {} heaps", u64::BITS));
    }
    let mut with = vec![0_u64; graph.heaps];
    for chain in chains {
        // A move may change the selections of all its steps, and a repeated step
        // selects again.
        let mut selections: Vec<Vec<u64>> = Vec::new();
        let mut repeats = false;
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
                    Members::Remaining(_) | Members::At { .. } | Members::Multiset { .. } => {
                        return Err(format!("`{}` depends on the position", graph.words(at)));
                    }
                },
                Node::Repeat { most, .. } => repeats |= *most > 1,
                _ => {}
            }
        }
        if repeats || selections.len() > 1 {
            let all = selections.iter().flatten().fold(0, |all, set| all | set);
            selections = vec![vec![all]];
        }
        for set in selections.into_iter().flatten() {
            for (heap, with) in with.iter_mut().enumerate() {
                if set >> heap & 1 == 1 {
                    *with |= set;
                }
            }
        }
    }
    let any = with.iter().fold(0, |any, with| any | with);
    let falls_apart = (0..graph.heaps).any(|heap| any >> heap & 1 == 1 && with[heap] != any);
    if !falls_apart {
        return Err("a move may change any of the heaps together".to_owned());
    }
    Ok(InteractionGraph { with })
}

/// Sets of heaps as bit sets.
fn sets(listed: &[Vec<HeapId>]) -> Vec<u64> {
    let set = |heaps: &Vec<HeapId>| heaps.iter().fold(0, |set, heap| set | 1 << heap.index());
    listed.iter().map(set).collect()
}
