//! Which nodes between letters accept no more than which others.
//!
//! A macro-set needs only its largest members, and of two macro-sets only the
//! smaller need be followed. The greatest relation that the letters keep is
//! found by striking out pairs: first those that some word tells apart, words
//! that are accepted somewhere, then whatever leads to a pair struck out.

use super::diagram::{Diagram, EVERYTHING, NOTHING};
use crate::limits::{Limits, Met};

/// The relation "accepts no more than" on the nodes between letters.
#[derive(Debug, Clone)]
pub struct Inclusion {
    /// The row of each node, or `u32::MAX`.
    row: Vec<u32>,
    words: usize,
    bits: Vec<u64>,
}

/// With more nodes than this, a node is taken to be included in itself alone:
/// the matrix would cost more than it saves.
const MOST_ROWS: usize = 6000;
const WORDS_A_NODE: usize = 3;
const MOST_WORDS: usize = 3072;

impl Inclusion {
    /// The relation in which a node is below itself alone.
    pub fn trivial() -> Inclusion {
        Inclusion {
            row: Vec::new(),
            words: 0,
            bits: Vec::new(),
        }
    }

    pub fn of(diagram: &Diagram, limits: &Limits) -> Result<Inclusion, Met> {
        let between = diagram.between();
        let rows = between.len();
        if rows > MOST_ROWS {
            return Ok(Inclusion::trivial());
        }
        let mut row = vec![u32::MAX; diagram.nodes()];
        for (index, &node) in between.iter().enumerate() {
            row[node as usize] = index as u32;
        }
        let words = rows.div_ceil(64);
        let mut relation = Inclusion {
            row,
            words,
            bits: vec![0; rows * words],
        };
        let seen = signatures(diagram, &between, limits)?;
        let width = seen.len() / rows;
        for a in 0..rows {
            limits.within_time()?;
            let one = &seen[a * width..(a + 1) * width];
            for b in 0..rows {
                let other = &seen[b * width..(b + 1) * width];
                if one.iter().zip(other).all(|(x, y)| x & !y == 0) {
                    relation.bits[a * words + b / 64] |= 1 << (b % 64);
                }
            }
        }
        relation.strike_out(diagram, &between, limits)?;
        Ok(relation)
    }

    /// Strikes out pairs until the letters keep the rest.
    fn strike_out(
        &mut self,
        diagram: &Diagram,
        between: &[u32],
        limits: &Limits,
    ) -> Result<(), Met> {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for &a in between {
            for &b in between {
                if a != b && a != NOTHING && b != EVERYTHING && self.holds(a, b) {
                    pairs.push((a, b));
                }
            }
        }
        loop {
            let before = pairs.len();
            let mut kept = Vec::with_capacity(before);
            for (index, &(a, b)) in pairs.iter().enumerate() {
                if index & 0xfff == 0 {
                    limits.within_time()?;
                }
                let stays = (0..diagram.base).all(|digit| {
                    self.kept(diagram, diagram.after(a, digit), diagram.after(b, digit))
                });
                if stays {
                    kept.push((a, b));
                } else {
                    let (a, b) = (self.row[a as usize] as usize, self.row[b as usize]);
                    self.bits[a * self.words + b as usize / 64] &= !(1 << (b % 64));
                }
            }
            pairs = kept;
            if pairs.len() == before {
                return Ok(());
            }
        }
    }

    fn kept(&self, diagram: &Diagram, a: u32, b: u32) -> bool {
        if a == b || a == NOTHING || b == EVERYTHING {
            return true;
        }
        if a == EVERYTHING || b == NOTHING {
            return false;
        }
        if diagram.is_between(a) {
            return self.holds(a, b);
        }
        (0..diagram.base)
            .all(|digit| self.kept(diagram, diagram.after(a, digit), diagram.after(b, digit)))
    }

    /// Whether the first node is known to accept no more than the second.
    pub fn holds(&self, a: u32, b: u32) -> bool {
        if a == b || a == NOTHING || b == EVERYTHING {
            return true;
        }
        if self.words == 0 {
            return false;
        }
        let (a, b) = (self.row[a as usize] as usize, self.row[b as usize] as usize);
        self.bits[a * self.words + b / 64] >> (b % 64) & 1 != 0
    }

    /// Leaves of a list of nodes only the largest. No two nodes may accept
    /// the same, or both are lost.
    pub fn keep_largest(&self, nodes: &mut Vec<u32>) {
        if self.words == 0 || nodes.len() < 2 {
            return;
        }
        let mut index = 0;
        while index < nodes.len() {
            let node = nodes[index];
            if nodes
                .iter()
                .any(|&other| other != node && self.holds(node, other))
            {
                nodes.remove(index);
            } else {
                index += 1;
            }
        }
    }
}

/// For every node between letters, which of some words it accepts.
fn signatures(diagram: &Diagram, between: &[u32], limits: &Limits) -> Result<Vec<u64>, Met> {
    let words = sample(diagram, between);
    let width = words.len().div_ceil(64).max(1);
    let mut seen = vec![0u64; between.len() * width];
    for (row, &node) in between.iter().enumerate() {
        limits.within_time()?;
        for (index, word) in words.iter().enumerate() {
            let end = word
                .iter()
                .fold(node, |node, &digit| diagram.after(node, usize::from(digit)));
            if diagram.accepting[end as usize] {
                seen[row * width + index / 64] |= 1 << (index % 64);
            }
        }
    }
    Ok(seen)
}

/// Words that some node accepts: the first steps at random, then the shortest
/// way to the end. They are the same on every run.
fn sample(diagram: &Diagram, between: &[u32]) -> Vec<Vec<u8>> {
    let distance = distances(diagram);
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut words = Vec::new();
    let each = WORDS_A_NODE.min(MOST_WORDS / between.len().max(1)).max(1);
    for &node in between
        .iter()
        .filter(|&&node| node > EVERYTHING)
        .take(MOST_WORDS)
    {
        for turn in 0..each {
            let mut word = Vec::new();
            let mut here = node;
            let wander = turn * diagram.heaps;
            loop {
                let done = diagram.is_between(here) && diagram.accepting[here as usize];
                if here == NOTHING || here == EVERYTHING {
                    let whole = word.len().next_multiple_of(diagram.heaps);
                    word.resize(whole, 0);
                    break;
                }
                if done && word.len() >= wander {
                    break;
                }
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let turn = (random >> 33) as usize % diagram.base;
                let digits = (0..diagram.base).map(|digit| (digit + turn) % diagram.base);
                let living = digits
                    .filter(|&digit| distance[diagram.after(here, digit) as usize] != u32::MAX);
                let digit = if word.len() < wander {
                    living.take(1).next()
                } else {
                    living.min_by_key(|&digit| distance[diagram.after(here, digit) as usize])
                };
                let Some(digit) = digit else { break };
                word.push(digit as u8);
                here = diagram.after(here, digit);
            }
            words.push(word);
        }
    }
    words.sort_unstable();
    words.dedup();
    words
}

/// How many digits each node is from an accepting one.
fn distances(diagram: &Diagram) -> Vec<u32> {
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); diagram.nodes()];
    for (arc, &to) in diagram.next.iter().enumerate() {
        before[to as usize].push((arc / diagram.base) as u32);
    }
    let mut distance = vec![u32::MAX; diagram.nodes()];
    let mut queue: std::collections::VecDeque<u32> = (0..diagram.nodes() as u32)
        .filter(|&node| diagram.is_between(node) && diagram.accepting[node as usize])
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
