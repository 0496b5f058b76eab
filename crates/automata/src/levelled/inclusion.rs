//! Language inclusion between boundary nodes.
//!
//! Pairs that a sampled word distinguishes are removed first: this costs much
//! less than the removal by fixed-point iteration.

use super::{ACCEPT, LevelledDfa, REJECT};
use crate::inclusion::Inclusion;
use nimrule_limits::{LimitExceeded, Limits};
use std::collections::VecDeque;

/// The most boundary nodes for which inclusion is computed; with more it would
/// cost more than it saves.
const MOST_ROWS: usize = 6000;
/// Sampled words for each node.
const WORDS_PER_NODE: usize = 3;
/// The most sampled words.
const MOST_WORDS: usize = 3072;

impl LevelledDfa {
    /// The inclusion relation between boundary nodes, or the identity if there
    /// are too many.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn inclusion(&self, limits: &Limits) -> Result<Inclusion, LimitExceeded> {
        let between = self.boundary_nodes();
        if between.len() > MOST_ROWS {
            return Ok(Inclusion::trivial());
        }
        let signatures = self.signatures(&between, limits)?;
        let width = signatures.len() / between.len();
        let mut checks = 0;
        Inclusion::greatest(
            self.nodes(),
            between,
            |a, b| {
                if b == 0 {
                    limits.check_time()?;
                }
                let one = &signatures[a * width..(a + 1) * width];
                let other = &signatures[b * width..(b + 1) * width];
                Ok(one.iter().zip(other).all(|(x, y)| x & !y == 0))
            },
            |_, relation, a, b| {
                checks += 1;
                if checks & 0xfff == 0 {
                    limits.check_time()?;
                }
                Ok(a == REJECT
                    || b == ACCEPT
                    || (0..self.base).all(|digit| {
                        self.is_included(relation, self.after(a, digit), self.after(b, digit))
                    }))
            },
        )
    }

    /// Returns whether the rest of every letter leads from a and b to boundary
    /// nodes that are related.
    fn is_included(&self, relation: &Inclusion, a: u32, b: u32) -> bool {
        if a == b || a == REJECT || b == ACCEPT {
            return true;
        }
        if a == ACCEPT || b == REJECT {
            return false;
        }
        if self.is_boundary(a) {
            return relation.holds(a, b);
        }
        (0..self.base)
            .all(|digit| self.is_included(relation, self.after(a, digit), self.after(b, digit)))
    }

    /// By boundary node, the sampled words that it accepts, as bits.
    fn signatures(&self, between: &[u32], limits: &Limits) -> Result<Vec<u64>, LimitExceeded> {
        let words = self.sample(between);
        let width = words.len().div_ceil(64).max(1);
        let mut seen = vec![0u64; between.len() * width];
        for (row, &node) in between.iter().enumerate() {
            limits.check_time()?;
            for (index, word) in words.iter().enumerate() {
                let end = word
                    .iter()
                    .fold(node, |node, &digit| self.after(node, usize::from(digit)));
                if self.accepting[end as usize] {
                    seen[row * width + index / 64] |= 1 << (index % 64);
                }
            }
        }
        Ok(seen)
    }

    /// Sampled words, each accepted by some node: a pseudorandom prefix, and
    /// then a shortest path to an accepting node. They are the same on every
    /// run.
    fn sample(&self, between: &[u32]) -> Vec<Vec<u8>> {
        let distance = self.distances();
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        // The empty word tells whether a node accepts, which no further round compares.
        let mut words = vec![Vec::new()];
        let each = WORDS_PER_NODE.min(MOST_WORDS / between.len().max(1)).max(1);
        for &node in between
            .iter()
            .filter(|&&node| node > ACCEPT)
            .take(MOST_WORDS)
        {
            for turn in 0..each {
                let mut word = Vec::new();
                let mut here = node;
                let wander = turn * self.tracks;
                loop {
                    let done = self.is_boundary(here) && self.accepting[here as usize];
                    if here == REJECT || here == ACCEPT {
                        let whole = word.len().next_multiple_of(self.tracks);
                        word.resize(whole, 0);
                        break;
                    }
                    if done && word.len() >= wander {
                        break;
                    }
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    let first = (random >> 33) as usize % self.base;
                    let digits = (0..self.base).map(|digit| (digit + first) % self.base);
                    let mut productive = digits
                        .filter(|&digit| distance[self.after(here, digit) as usize] != u32::MAX);
                    let digit = if word.len() < wander {
                        productive.next()
                    } else {
                        productive.min_by_key(|&digit| distance[self.after(here, digit) as usize])
                    };
                    let Some(digit) = digit else { break };
                    word.push(digit as u8);
                    here = self.after(here, digit);
                }
                words.push(word);
            }
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    /// The least number of digits from each node to an accepting node.
    fn distances(&self) -> Vec<u32> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes()];
        for (arc, &to) in self.next.iter().enumerate() {
            before[to as usize].push((arc / self.base) as u32);
        }
        let mut distance = vec![u32::MAX; self.nodes()];
        let mut queue: VecDeque<u32> = (0..self.nodes() as u32)
            .filter(|&node| self.is_boundary(node) && self.accepting[node as usize])
            .collect();
        for &node in &queue {
            distance[node as usize] = 0;
        }
        while let Some(node) = queue.pop_front() {
            for &from in &before[node as usize] {
                if distance[from as usize] == u32::MAX {
                    distance[from as usize] = distance[node as usize] + 1;
                    queue.push_back(from);
                }
            }
        }
        distance
    }
}
