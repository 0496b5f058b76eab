//! Whether several sets together hold every position.
//!
//! Macro-sets of nodes are followed digit by digit from the starts. One that
//! has [`EVERYTHING`] in it needs no more; of the rest only the largest nodes
//! count, and a macro-set is not followed where one that holds no more has
//! been. The first that accepts nothing between letters tells a shortest
//! position that no set holds.

use super::diagram::{Diagram, EVERYTHING, NOTHING};
use super::inclusion::Inclusion;
use super::interner::Interner;
use crate::limits::{Limits, Met};

/// What the search found.
#[derive(Debug, Clone)]
pub enum Covered {
    /// Every position is in some set; so many macro-sets stand between
    /// letters.
    All { macro_sets: usize, steps: usize },
    /// The digits, heap after heap, of a shortest position in no set.
    Missing(Vec<usize>),
}

pub fn cover(diagram: &Diagram, order: &Inclusion, limits: &Limits) -> Result<Covered, Met> {
    let base = diagram.base;
    let mut sets = Interner::new();
    let mut parents: Vec<(u32, u8)> = Vec::new();
    let mut levels: Vec<u8> = Vec::new();
    let mut between = 0;
    let mut start: Vec<u32> = diagram
        .starts
        .iter()
        .copied()
        .filter(|&node| node != NOTHING)
        .collect();
    start.sort_unstable();
    start.dedup();
    if start.contains(&EVERYTHING) {
        return Ok(Covered::All {
            macro_sets: 0,
            steps: 0,
        });
    }
    order.keep_largest(&mut start);
    let accepts = |set: &[u32]| set.iter().any(|&node| diagram.accepting[node as usize]);
    if !accepts(&start) {
        return Ok(Covered::Missing(Vec::new()));
    }
    sets.insert(&start);
    parents.push((u32::MAX, 0));
    levels.push(0);
    let mut index = 0u32;
    let mut set: Vec<u32> = Vec::new();
    let mut after: Vec<u32> = Vec::new();
    while (index as usize) < sets.len() {
        if index & 0x3ff == 0 {
            limits.within_time()?;
            limits.within_memory((sets.bytes() + 9 * parents.capacity()) as u128)?;
        }
        set.clear();
        set.extend_from_slice(sets.get(index));
        let level = (usize::from(levels[index as usize]) + 1) % diagram.heaps;
        for digit in 0..base {
            after.clear();
            after.extend(set.iter().map(|&node| diagram.after(node, digit)));
            if after.contains(&EVERYTHING) {
                continue;
            }
            after.retain(|&node| node != NOTHING);
            after.sort_unstable();
            after.dedup();
            if level == 0 {
                order.keep_largest(&mut after);
            }
            if after.is_empty() || level == 0 && !accepts(&after) {
                return Ok(Covered::Missing(way(&parents, index, digit, diagram.heaps)));
            }
            let (_, fresh) = sets.insert(&after);
            if fresh {
                parents.push((index, digit as u8));
                levels.push(level as u8);
                between += usize::from(level == 0);
            }
        }
        index += 1;
    }
    Ok(Covered::All {
        macro_sets: between + 1,
        steps: sets.len(),
    })
}

/// The digits that lead to a macro-set and on, filled up to whole letters.
fn way(parents: &[(u32, u8)], from: u32, digit: usize, heaps: usize) -> Vec<usize> {
    let mut digits = vec![digit];
    let mut here = from;
    while parents[here as usize].0 != u32::MAX {
        let (parent, digit) = parents[here as usize];
        digits.push(usize::from(digit));
        here = parent;
    }
    digits.reverse();
    digits.resize(digits.len().next_multiple_of(heaps), 0);
    digits
}
