//! Relations on supports (which numbers are not 0), intersections, and disjoint unions.

use super::{ACCEPT, LevelledDfa, REJECT};
use crate::memo::Memo;
use nimrule_limits::{LimitExceeded, Limits};

impl LevelledDfa {
    /// The relation of the tuples whose support satisfies `is_wanted`. The
    /// support is the set of tracks, as bits, whose numbers are not 0.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn of_supports(
        tracks: usize,
        base: usize,
        is_wanted: impl Fn(u32) -> bool,
        limits: &Limits,
    ) -> Result<LevelledDfa, LimitExceeded> {
        let mut dfa = LevelledDfa::empty(tracks, base);
        let mut known: Memo<(usize, u32), u32> = Memo::default();
        let mut order = vec![(0, 0)];
        known.insert((0, 0), 2);
        dfa.push(0, is_wanted(0), &vec![REJECT; base]);
        dfa.starts.push(2);
        let mut index = 0;
        while index < order.len() {
            let (level, support) = order[index];
            let after = (level + 1) % tracks;
            for digit in 0..base {
                let more = if digit == 0 {
                    support
                } else {
                    support | 1 << level
                };
                let to = known.or_insert_with((after, more), || {
                    order.push((after, more));
                    dfa.push(after as u8, is_wanted(more), &vec![REJECT; base])
                });
                dfa.next[(index + 2) * base + digit] = to;
            }
            index += 1;
        }
        dfa.minimised(limits)
    }

    /// The intersection of the relations of the first initial nodes of both.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn and(&self, other: &LevelledDfa, limits: &Limits) -> Result<LevelledDfa, LimitExceeded> {
        let base = self.base;
        let mut product = LevelledDfa::empty(self.tracks, base);
        let mut known: Memo<(u32, u32), u32> = Memo::default();
        let mut order: Vec<(u32, u32)> = Vec::new();
        let mut visit = |x: u32, y: u32, product: &mut LevelledDfa, order: &mut Vec<_>| {
            if x == REJECT || y == REJECT {
                return REJECT;
            }
            if x == ACCEPT && y == ACCEPT {
                return ACCEPT;
            }
            known.or_insert_with((x, y), || {
                order.push((x, y));
                let level = if x == ACCEPT {
                    other.level[y as usize]
                } else {
                    self.level[x as usize]
                };
                let accepting = self.accepting[x as usize] && other.accepting[y as usize];
                product.push(level, accepting, &vec![REJECT; base])
            })
        };
        let start = visit(self.starts[0], other.starts[0], &mut product, &mut order);
        product.starts.push(start);
        let mut index = 0;
        while index < order.len() {
            if index & 0xfff == 0 {
                limits.check_time()?;
                limits.check_memory(product.bytes() as u128 * 4)?;
            }
            let (x, y) = order[index];
            for digit in 0..base {
                let (x, y) = (self.after(x, digit), other.after(y, digit));
                let to = visit(x, y, &mut product, &mut order);
                product.next[(index + 2) * base + digit] = to;
            }
            index += 1;
        }
        product.minimised(limits)
    }

    /// One minimal automaton with the initial nodes of all given automata, at
    /// least one. Equivalent nodes are shared.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn disjoint_union(
        all: &[LevelledDfa],
        limits: &Limits,
    ) -> Result<LevelledDfa, LimitExceeded> {
        let mut disjoint_union = LevelledDfa::empty(all[0].tracks, all[0].base);
        for dfa in all {
            let shift = disjoint_union.nodes() as u32 - 2;
            let place = |node: u32| if node > ACCEPT { node + shift } else { node };
            disjoint_union.level.extend_from_slice(&dfa.level[2..]);
            disjoint_union
                .accepting
                .extend_from_slice(&dfa.accepting[2..]);
            let next = dfa.next[2 * dfa.base..].iter();
            disjoint_union.next.extend(next.map(|&to| place(to)));
            let starts = dfa.starts.iter();
            disjoint_union
                .starts
                .extend(starts.map(|&start| place(start)));
        }
        disjoint_union.minimised(limits)
    }
}
