//! The universality check of a union of relations.
//!
//! The subset construction starts from the set of all initial nodes, digit by
//! digit. A subset that contains [`ACCEPT`] is not explored, and of the others
//! only the maximal nodes are kept: an antichain (De Wulf, Doyen, Henzinger and
//! Raskin 2006). The first rejecting subset at a boundary is reached by a
//! shortest tuple that is in no relation.

use super::{ACCEPT, LevelledDfa, REJECT};
use crate::inclusion::Inclusion;
use crate::interner::Interner;
use nimrule_limits::{LimitExceeded, Limits};

/// The result of a universality check.
#[derive(Debug, Clone)]
pub enum Universality {
    /// Every tuple is in some relation.
    Universal {
        /// The number of explored subsets at boundaries.
        subsets: usize,
        /// The number of all explored subsets.
        steps: usize,
    },
    /// The digits of a shortest tuple in no relation, letter by letter.
    Missing(Vec<usize>),
}

impl LevelledDfa {
    /// Checks whether the union of the relations of all initial nodes contains
    /// every tuple. `inclusion` is the inclusion relation of the nodes.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn union_is_universal(
        &self,
        inclusion: &Inclusion,
        limits: &Limits,
    ) -> Result<Universality, LimitExceeded> {
        let base = self.base;
        let mut sets = Interner::new();
        let mut parents: Vec<(u32, u8)> = Vec::new();
        let mut levels: Vec<u8> = Vec::new();
        let mut between = 0;
        let mut start: Vec<u32> = self
            .starts
            .iter()
            .copied()
            .filter(|&node| node != REJECT)
            .collect();
        start.sort_unstable();
        start.dedup();
        if start.contains(&ACCEPT) {
            return Ok(Universality::Universal {
                subsets: 0,
                steps: 0,
            });
        }
        inclusion.keep_maximal(&mut start);
        let accepts = |set: &[u32]| set.iter().any(|&node| self.accepting[node as usize]);
        if !accepts(&start) {
            return Ok(Universality::Missing(Vec::new()));
        }
        sets.insert(&start);
        parents.push((u32::MAX, 0));
        levels.push(0);
        let mut index = 0u32;
        let mut set: Vec<u32> = Vec::new();
        let mut after: Vec<u32> = Vec::new();
        while (index as usize) < sets.len() {
            if index & 0x3ff == 0 {
                limits.check_time()?;
                limits.check_memory((sets.bytes() + 9 * parents.capacity()) as u128)?;
            }
            set.clear();
            set.extend_from_slice(sets.get(index));
            let level = (usize::from(levels[index as usize]) + 1) % self.tracks;
            for digit in 0..base {
                after.clear();
                after.extend(set.iter().map(|&node| self.after(node, digit)));
                if after.contains(&ACCEPT) {
                    continue;
                }
                after.retain(|&node| node != REJECT);
                after.sort_unstable();
                after.dedup();
                if level == 0 {
                    inclusion.keep_maximal(&mut after);
                }
                if after.is_empty() || level == 0 && !accepts(&after) {
                    let digits = digits_to(&parents, index, digit, self.tracks);
                    return Ok(Universality::Missing(digits));
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
        Ok(Universality::Universal {
            subsets: between + 1,
            steps: sets.len(),
        })
    }
}

/// The digits that lead to a subset, and one further digit, padded with zeros to
/// whole letters.
fn digits_to(parents: &[(u32, u8)], from: u32, digit: usize, tracks: usize) -> Vec<usize> {
    let mut digits = vec![digit];
    let mut here = from;
    while parents[here as usize].0 != u32::MAX {
        let (parent, digit) = parents[here as usize];
        digits.push(usize::from(digit));
        here = parent;
    }
    digits.reverse();
    digits.resize(digits.len().next_multiple_of(tracks), 0);
    digits
}
