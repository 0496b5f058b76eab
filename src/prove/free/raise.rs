//! The positions from which a selection can be lowered into a set.
//!
//! One heap at a time: a position belongs to the set raised at a heap if that
//! heap can be lowered, or left, so that the set is met. Behind a prefix the
//! heap is *tight*, its digits so far being those of the position, or *loose*,
//! a smaller number already, and then its digits are free. So the raised
//! diagram runs through subsets: one tight node of the diagram before and any
//! number of loose ones. After each heap the diagram is minimised, which is
//! what keeps the subsets few; of loose nodes only the largest count.

use super::diagram::{Diagram, EVERYTHING, NOTHING};
use super::inclusion::Inclusion;
use super::interner::Interner;
use super::minimise::minimise;
use crate::limits::{Limits, Met};

/// How far a selection has been raised, for whoever measures.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    /// The most subsets that one heap took.
    pub subsets: usize,
    /// The most nodes that were left after minimising.
    pub nodes: usize,
}

/// The set of the diagram's one start raised at each heap of the selection,
/// after one heap, after two, and so on.
pub fn raise_all(
    diagram: &Diagram,
    heaps: &[usize],
    sizes: &mut Sizes,
    limits: &Limits,
) -> Result<Vec<Diagram>, Met> {
    let mut stages: Vec<Diagram> = Vec::new();
    for &heap in heaps {
        let last = stages.last().unwrap_or(diagram);
        let order = Inclusion::of(last, limits)?;
        let wide = raise(last, heap, &order, limits)?;
        sizes.subsets = sizes.subsets.max(wide.nodes());
        let raised = minimise(&wide, limits)?;
        sizes.nodes = sizes.nodes.max(raised.nodes());
        stages.push(raised);
    }
    Ok(stages)
}

/// The set of the diagram's first start raised at one heap, not minimised.
pub fn raise(
    diagram: &Diagram,
    heap: usize,
    order: &Inclusion,
    limits: &Limits,
) -> Result<Diagram, Met> {
    let base = diagram.base;
    let mut raised = Diagram::empty(diagram.heaps, base);
    let mut subsets = Interner::new();
    // The tight node first, then the loose ones ascending.
    let start = vec![diagram.starts[0]];
    let place = |set: &[u32], raised: &mut Diagram, subsets: &mut Interner| -> u32 {
        if set[0] == EVERYTHING || set.last() == Some(&EVERYTHING) && set.len() > 1 {
            return EVERYTHING;
        }
        if set == [NOTHING] {
            return NOTHING;
        }
        let (id, fresh) = subsets.insert(set);
        if fresh {
            let one = if set.len() > 1 { set[1] } else { set[0] };
            let accepting = set.iter().any(|&node| diagram.accepting[node as usize]);
            raised.push(diagram.level[one as usize], accepting, &vec![NOTHING; base]);
        }
        id + 2
    };
    let first = place(&start, &mut raised, &mut subsets);
    raised.starts.push(first);
    let mut index = 0u32;
    let mut loose: Vec<u32> = Vec::new();
    let mut set: Vec<u32> = Vec::new();
    let mut key: Vec<u32> = Vec::new();
    while (index as usize) < subsets.len() {
        if index & 0x3ff == 0 {
            limits.within_time()?;
            limits.within_memory((subsets.bytes() + raised.bytes()) as u128)?;
        }
        set.clear();
        set.extend_from_slice(subsets.get(index));
        let level = usize::from(raised.level[index as usize + 2]);
        let between = level + 1 == diagram.heaps;
        for digit in 0..base {
            let mut tight = diagram.after(set[0], digit);
            loose.clear();
            if level == heap {
                for &node in &set[1..] {
                    loose.extend((0..base).map(|free| diagram.after(node, free)));
                }
                loose.extend((0..digit).map(|lower| diagram.after(set[0], lower)));
            } else {
                loose.extend(set[1..].iter().map(|&node| diagram.after(node, digit)));
            }
            loose.retain(|&node| node != NOTHING);
            loose.sort_unstable();
            loose.dedup();
            if loose.contains(&EVERYTHING) {
                tight = EVERYTHING;
            } else if between {
                order.keep_largest(&mut loose);
                if loose.iter().any(|&node| order.holds(tight, node)) {
                    tight = NOTHING;
                }
            } else if loose.binary_search(&tight).is_ok() {
                tight = NOTHING;
            }
            key.clear();
            key.push(tight);
            if tight != EVERYTHING {
                key.extend_from_slice(&loose);
            }
            let to = place(&key, &mut raised, &mut subsets);
            raised.next[(index as usize + 2) * base + digit] = to;
        }
        index += 1;
    }
    Ok(raised)
}
