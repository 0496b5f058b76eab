//! Sets of positions as levelled DFAs.
//!
//! A position is read as a word over digits, the most significant letter
//! first; a letter has one digit of every heap, heap 0 first. Each node has a
//! level, the heap whose digit it reads. Words end at level 0, and leading
//! zeros do not change what is accepted.

use crate::Numeration;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The node that accepts no word.
pub const NOTHING: u32 = 0;
/// The node that accepts every word.
pub const EVERYTHING: u32 = 1;

/// A deterministic and complete automaton over the digits of positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dfa {
    pub heaps: usize,
    /// How many digits there are.
    pub radix: usize,
    pub start: u32,
    /// For every node the heap whose digit it reads; 0 for the first two.
    pub level: Vec<u8>,
    /// Whether a word that ends here is accepted; only at level 0.
    pub accepting: Vec<bool>,
    /// `next[node * radix + digit]`.
    pub next: Vec<u32>,
}

impl Dfa {
    /// No node but the first two.
    pub fn new(heaps: usize, radix: usize, start: u32) -> Dfa {
        let next = [vec![NOTHING; radix], vec![EVERYTHING; radix]].concat();
        Dfa {
            heaps,
            radix,
            start,
            level: vec![0, 0],
            accepting: vec![false, true],
            next,
        }
    }

    /// All positions. In Zeckendorf's numeration a word with two neighbouring
    /// ones of one heap is none.
    pub fn positions(heaps: usize, numeration: Numeration) -> Dfa {
        let mut all = Dfa::new(heaps, numeration.radix(), EVERYTHING);
        if numeration == Numeration::Zeckendorf {
            // A node is a level, and the heaps whose last digit was a one.
            let node = |level: usize, ones: usize| (2 + (level << heaps) + ones) as u32;
            for (level, ones) in (0..heaps).flat_map(|l| (0..1 << heaps).map(move |o| (l, o))) {
                let (bit, after) = (1 << level, (level + 1) % heaps);
                let one = if ones & bit == 0 {
                    node(after, ones | bit)
                } else {
                    NOTHING
                };
                all.push(level as u8, level == 0, &[node(after, ones & !bit), one]);
            }
            all.start = node(0, 0);
        }
        all.canonical()
    }

    pub fn push(&mut self, level: u8, accepting: bool, next: &[u32]) {
        self.level.push(level);
        self.accepting.push(accepting);
        self.next.extend_from_slice(next);
    }

    pub fn nodes(&self) -> usize {
        self.level.len()
    }

    pub fn after(&self, node: u32, digit: usize) -> u32 {
        self.next[node as usize * self.radix + digit]
    }

    /// Whether the position is in the set.
    pub fn accepts(&self, numeration: Numeration, position: &[u64]) -> bool {
        let letters = numeration.letters(position);
        let end = letters.iter().flatten().fold(self.start, |node, digit| {
            self.after(node, usize::from(*digit))
        });
        self.accepting[end as usize]
    }

    /// How many states the minimal automaton has that reads a whole letter at
    /// a time, those that accept nothing or everything among them.
    pub fn states(&self) -> usize {
        let used = |node| self.start == node || self.next[2 * self.radix..].contains(&node);
        let decided = usize::from(used(NOTHING)) + usize::from(used(EVERYTHING));
        self.level[2..].iter().filter(|level| **level == 0).count() + decided
    }

    /// Whether every arc goes on to the next heap, and only nodes of level 0
    /// accept.
    pub fn is_levelled(&self) -> bool {
        let fits = |node: u32, level: usize| {
            node <= EVERYTHING
                || (self.level.get(node as usize)).is_some_and(|own| usize::from(*own) == level)
        };
        fits(self.start, 0)
            && (2..self.nodes()).all(|node| {
                let level = usize::from(self.level[node]);
                let after = &self.next[node * self.radix..][..self.radix];
                (level == 0 || level < self.heaps && !self.accepting[node])
                    && after.iter().all(|to| fits(*to, (level + 1) % self.heaps))
            })
    }

    /// Whether a leading letter of zeros changes nothing.
    pub fn skips_zeros(&self) -> bool {
        (0..self.heaps).fold(self.start, |node, _| self.after(node, 0)) == self.start
    }

    /// The minimal DFA of the same set, its nodes numbered in breadth-first
    /// order. Two sets are equal just if these are.
    pub fn canonical(&self) -> Dfa {
        let nodes = self.nodes();
        let (lives, fails) = (self.leads_to(true), self.leads_to(false));
        // Level 0 is partitioned ever finer; a sweep derives the classes of
        // the other levels from it, the last level first.
        let mut by_level: Vec<Vec<u32>> = vec![Vec::new(); self.heaps];
        let mut class: Vec<u32> = vec![0; nodes];
        for node in 0..nodes {
            match (lives[node], fails[node]) {
                (false, _) => class[node] = NOTHING,
                (true, false) => class[node] = EVERYTHING,
                _ => {
                    class[node] = 2 + u32::from(self.accepting[node]);
                    by_level[usize::from(self.level[node])].push(node as u32);
                }
            }
        }
        let mut count = 0;
        let mut key = Vec::with_capacity(self.radix + 1);
        loop {
            let mut fresh = 2;
            let mut before = fresh;
            for level in (0..self.heaps).rev() {
                before = fresh;
                let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
                let mut found = Vec::with_capacity(by_level[level].len());
                for &node in &by_level[level] {
                    key.clear();
                    key.extend((level == 0).then_some(class[node as usize]));
                    key.extend((0..self.radix).map(|d| class[self.after(node, d) as usize]));
                    let own = known.get(&key).copied().unwrap_or_else(|| {
                        known.insert(key.clone(), fresh);
                        fresh += 1;
                        fresh - 1
                    });
                    found.push(own);
                }
                for (node, own) in by_level[level].iter().zip(found) {
                    class[*node as usize] = own;
                }
            }
            if fresh - before == count {
                break;
            }
            count = fresh - before;
        }
        // Breadth first from the start, one node of each class.
        let mut minimal = Dfa::new(self.heaps, self.radix, NOTHING);
        let mut number: BTreeMap<u32, u32> = BTreeMap::from([(0, NOTHING), (1, EVERYTHING)]);
        let mut queue: Vec<u32> = Vec::new();
        let mut numbered = |node: u32, queue: &mut Vec<u32>| {
            let fresh = number.len() as u32;
            *number.entry(class[node as usize]).or_insert_with(|| {
                queue.push(node);
                fresh
            })
        };
        minimal.start = numbered(self.start, &mut queue);
        let mut index = 0;
        while let Some(&node) = queue.get(index) {
            index += 1;
            let after = (0..self.radix).map(|digit| numbered(self.after(node, digit), &mut queue));
            let after: Vec<u32> = after.collect();
            let (level, accepting) = (self.level[node as usize], self.accepting[node as usize]);
            minimal.push(level, accepting, &after);
        }
        minimal
    }

    /// The nodes from which some word is accepted, or not accepted.
    fn leads_to(&self, accepts: bool) -> Vec<bool> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes()];
        for (place, to) in self.next.iter().enumerate().skip(2 * self.radix) {
            before[*to as usize].push((place / self.radix) as u32);
        }
        let ends = |node: &usize| {
            let ends = *node <= 1 || self.level[*node] == 0;
            ends && self.accepting[*node] == accepts
        };
        let mut waiting: Vec<usize> = (0..self.nodes()).filter(ends).collect();
        let mut leads = vec![false; self.nodes()];
        waiting.iter().for_each(|node| leads[*node] = true);
        while let Some(node) = waiting.pop() {
            for &from in &before[node] {
                if !std::mem::replace(&mut leads[from as usize], true) {
                    waiting.push(from as usize);
                }
            }
        }
        leads
    }
}
