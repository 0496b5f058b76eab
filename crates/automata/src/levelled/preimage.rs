//! The preimage of a relation under lowering some of its numbers.
//!
//! The tracks are processed one by one. A tuple is in the preimage along a track
//! if its number on the track can be lowered, or left unchanged, so that the
//! relation holds. After a prefix the lowered number is either *tight*, with the
//! digits of the original so far, or *loose*, already smaller, so that its
//! further digits are arbitrary. So the subset construction has subsets of one
//! tight node and any number of loose ones. Only the maximal loose nodes are
//! kept, and each step is minimised, so that there are few subsets.

use super::{ACCEPT, LevelledDfa, REJECT};
use crate::inclusion::Inclusion;
use crate::interner::Interner;
use nimrule_limits::{LimitExceeded, Limits, Steps};

/// The largest sizes in a computation of preimages.
#[derive(Debug, Clone, Default)]
pub struct PreimageSizes {
    /// The most subsets of one step.
    pub subsets: usize,
    /// The most nodes of one step after minimisation.
    pub nodes: usize,
}

impl LevelledDfa {
    /// The preimages of the relation of the first initial node under lowering
    /// the number on the first given track, the numbers on the first two, and so
    /// on.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn preimages(
        &self,
        tracks: &[usize],
        sizes: &mut PreimageSizes,
        limits: &Limits,
    ) -> Result<Vec<LevelledDfa>, LimitExceeded> {
        let mut steps: Vec<LevelledDfa> = Vec::new();
        for &track in tracks {
            let last = steps.last().unwrap_or(self);
            let inclusion = last.inclusion(limits)?;
            let wide = last.preimage(track, &inclusion, limits)?;
            sizes.subsets = sizes.subsets.max(wide.nodes());
            let step = wide.minimised(limits)?;
            sizes.nodes = sizes.nodes.max(step.nodes());
            steps.push(step);
        }
        Ok(steps)
    }

    /// The preimage of the relation of the first initial node under lowering the
    /// number on one track, not minimised.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn preimage(
        &self,
        track: usize,
        inclusion: &Inclusion,
        limits: &Limits,
    ) -> Result<LevelledDfa, LimitExceeded> {
        let base = self.base;
        let mut preimage = LevelledDfa::empty(self.tracks, base);
        let mut subsets = Interner::new();
        // A subset is the tight node, followed by the loose nodes, ascending.
        let place = |set: &[u32], preimage: &mut LevelledDfa, subsets: &mut Interner| -> u32 {
            if set[0] == ACCEPT || set.last() == Some(&ACCEPT) && set.len() > 1 {
                return ACCEPT;
            }
            if set == [REJECT] {
                return REJECT;
            }
            let (id, fresh) = subsets.insert(set);
            if fresh {
                let one = if set.len() > 1 { set[1] } else { set[0] };
                let accepting = set.iter().any(|&node| self.accepting[node as usize]);
                preimage.push(self.level[one as usize], accepting, &vec![REJECT; base]);
            }
            id + 2
        };
        let start = place(&[self.starts[0]], &mut preimage, &mut subsets);
        preimage.starts.push(start);
        let mut index = 0u32;
        let mut loose: Vec<u32> = Vec::new();
        let mut set: Vec<u32> = Vec::new();
        let mut key: Vec<u32> = Vec::new();
        while (index as usize) < subsets.len() {
            if index & 0x3ff == 0 {
                limits.check_work(Steps(1000))?;
                limits.check_memory((subsets.bytes() + preimage.bytes()) as u128)?;
            }
            set.clear();
            set.extend_from_slice(subsets.get(index));
            let level = usize::from(preimage.level[index as usize + 2]);
            let between = level + 1 == self.tracks;
            for digit in 0..base {
                let mut tight = self.after(set[0], digit);
                loose.clear();
                if level == track {
                    for &node in &set[1..] {
                        loose.extend((0..base).map(|any| self.after(node, any)));
                    }
                    loose.extend((0..digit).map(|lower| self.after(set[0], lower)));
                } else {
                    loose.extend(set[1..].iter().map(|&node| self.after(node, digit)));
                }
                loose.retain(|&node| node != REJECT);
                loose.sort_unstable();
                loose.dedup();
                if loose.contains(&ACCEPT) {
                    tight = ACCEPT;
                } else if between {
                    inclusion.keep_maximal(&mut loose);
                    if loose.iter().any(|&node| inclusion.holds(tight, node)) {
                        tight = REJECT;
                    }
                } else if loose.binary_search(&tight).is_ok() {
                    tight = REJECT;
                }
                key.clear();
                key.push(tight);
                if tight != ACCEPT {
                    key.extend_from_slice(&loose);
                }
                let to = place(&key, &mut preimage, &mut subsets);
                preimage.next[(index as usize + 2) * base + digit] = to;
            }
            index += 1;
        }
        Ok(preimage)
    }
}
