//! Which heaps one move may change together.
//!
//! Where what a move may do depends on nothing but the numbers that it takes, a
//! position whose heaps fall into parts, no two of which a move can reach at
//! once, is the sum of these parts: an empty heap in the middle of a path cuts
//! it in two.

use super::{Fact, looks_at_amounts_only};
use crate::{MoveGraph, Node};
use nimrule_model::expr::HeapId;
use nimrule_model::game::Members;
use petgraph::graph::NodeIndex;

/// For each heap those that a move may change together with it, as bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    with: Vec<u64>,
}

impl Joined {
    /// The parts of a position: each has some of its heaps, all others are
    /// empty there. None where all heaps are empty.
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

/// The heaps that are joined, if that is not all of them.
pub(super) fn joined(graph: &MoveGraph, chains: &[Vec<NodeIndex>]) -> Fact<Joined> {
    looks_at_amounts_only(graph)?;
    if graph.heaps > u64::BITS as usize {
        return Err(format!("there are more than {} heaps", u64::BITS));
    }
    let mut with = vec![0_u64; graph.heaps];
    for chain in chains {
        // What one step selects may be changed together with what another
        // step does; a step that is repeated selects again.
        let mut selections: Vec<Vec<u64>> = Vec::new();
        let mut repeats = false;
        for &at in chain {
            match graph.node(at) {
                Node::Choice { members, .. } => match members {
                    Members::Listed(listed) => selections.push(sets(listed)),
                    Members::Picked(_) => {}
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
    Ok(Joined { with })
}

/// Sets of heaps, a bit for each heap.
fn sets(listed: &[Vec<HeapId>]) -> Vec<u64> {
    let set = |heaps: &Vec<HeapId>| heaps.iter().fold(0, |set, heap| set | 1 << heap.index());
    listed.iter().map(set).collect()
}
