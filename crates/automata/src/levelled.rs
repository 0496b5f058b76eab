//! Deterministic automata that read one digit at a time.
//!
//! A letter has a digit of every track, and with eight tracks in base 2 there
//! are 256 letters. A [`LevelledDfa`] reads the digits of a letter one after
//! another, track 0 first: each node has a *level*, the track whose digit it
//! reads, and `base` successors. Equal ends of letters are shared, and neither
//! the subset construction nor the minimisation has to know letters. Nodes of
//! level 0 stand between letters; they alone accept.
//!
//! Unlike the diagrams of a [`Dfa`](super::Dfa) no level is ever skipped, so
//! that a node is a state like any other and partition refinement applies.
//!
//! Two sinks have no level: [`REJECT`] accepts no word, [`ACCEPT`] accepts
//! every word. An automaton may have several starts, one for each of several
//! relations that share nodes.
//!
//! - [`LevelledDfa::preimage`]: the tuples that can be lowered into a
//!   relation.
//! - [`LevelledDfa::union_is_universal`]: whether several relations together
//!   hold of every tuple, by antichains.

mod boolean;
mod order;
mod preimage;
mod universal;

pub use preimage::Sizes;
pub use universal::Universality;

use super::interner::Interner;
use super::memo::Memo;
use super::partition::{Incoming, coarsest_partition};
use super::table::{Alphabet, TableDfa};
use nimrule_limits::{Limits, Met};

/// The sink that accepts no word.
pub const REJECT: u32 = 0;
/// The sink that accepts every word.
pub const ACCEPT: u32 = 1;

/// A complete deterministic automaton that reads one digit at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelledDfa {
    pub base: usize,
    pub tracks: usize,
    pub starts: Vec<u32>,
    pub level: Vec<u8>,
    /// For nodes of level 0.
    pub accepting: Vec<bool>,
    /// `next[node * base + digit]`.
    pub next: Vec<u32>,
}

impl LevelledDfa {
    /// The two sinks alone, without a start.
    pub fn empty(tracks: usize, base: usize) -> LevelledDfa {
        let mut next = vec![REJECT; base];
        next.extend(std::iter::repeat_n(ACCEPT, base));
        LevelledDfa {
            base,
            tracks,
            starts: Vec::new(),
            level: vec![0, 0],
            accepting: vec![false, true],
            next,
        }
    }

    /// How many nodes there are, with the two sinks.
    pub fn nodes(&self) -> usize {
        self.level.len()
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.level.capacity() + self.accepting.capacity() + 4 * self.next.capacity()
    }

    /// The node after a digit.
    #[inline]
    pub fn after(&self, node: u32, digit: usize) -> u32 {
        self.next[node as usize * self.base + digit]
    }

    /// Adds a node, and returns its number.
    pub fn push(&mut self, level: u8, accepting: bool, children: &[u32]) -> u32 {
        self.level.push(level);
        self.accepting.push(accepting);
        self.next.extend_from_slice(children);
        self.level.len() as u32 - 1
    }

    /// Whether a node stands between letters, as the two sinks do.
    #[inline]
    pub fn is_between(&self, node: u32) -> bool {
        self.level[node as usize] == 0
    }

    /// The nodes between letters, [`REJECT`] and [`ACCEPT`] first.
    pub fn between(&self) -> Vec<u32> {
        (0..self.nodes() as u32)
            .filter(|&node| self.is_between(node))
            .collect()
    }

    /// The relation of a table.
    pub fn of(table: &TableDfa) -> LevelledDfa {
        let mut dfa = LevelledDfa::empty(table.tracks, table.base);
        dfa.add(table);
        dfa
    }

    /// Adds the relation of a table, with a start of its own.
    fn add(&mut self, table: &TableDfa) {
        let base = self.base;
        let letters = table.letters();
        let first = self.nodes() as u32;
        for &accepting in &table.output {
            self.push(0, accepting, &vec![REJECT; base]);
        }
        self.starts.push(first + table.start);
        let mut shared = Interner::new();
        let mut node_of = Vec::new();
        let mut key = Vec::new();
        for state in 0..table.states() {
            let mut row: Vec<u32> = table.next[state * letters..(state + 1) * letters]
                .iter()
                .map(|&to| first + to)
                .collect();
            for level in (1..self.tracks).rev() {
                let step = row.len() / base;
                row = (0..step)
                    .map(|index| {
                        key.clear();
                        key.push(level as u32);
                        key.extend((0..base).map(|digit| row[index + digit * step]));
                        let (id, fresh) = shared.insert(&key);
                        if fresh {
                            node_of.push(self.push(level as u8, false, &key[1..]));
                        }
                        node_of[id as usize]
                    })
                    .collect();
            }
            let place = (first as usize + state) * base;
            self.next[place..place + base].copy_from_slice(&row);
        }
    }

    /// The table of the relation with this start. States are numbered in the
    /// order in which they are reached.
    pub fn table(&self, start: u32) -> TableDfa {
        let alphabet = Alphabet::new(self.tracks, self.base);
        let mut number = vec![u32::MAX; self.nodes()];
        let mut order = vec![start];
        number[start as usize] = 0;
        let mut next = Vec::new();
        let mut index = 0;
        while index < order.len() {
            let mut row = vec![order[index]];
            for track in 0..self.tracks {
                let mut wider = Vec::with_capacity(row.len() * self.base);
                for digit in 0..self.base {
                    wider.extend(row.iter().map(|&node| self.after(node, digit)));
                }
                debug_assert_eq!(wider.len(), alphabet.weight[track + 1]);
                row = wider;
            }
            for node in row {
                if number[node as usize] == u32::MAX {
                    number[node as usize] = order.len() as u32;
                    order.push(node);
                }
                next.push(number[node as usize]);
            }
            index += 1;
        }
        TableDfa {
            tracks: self.tracks,
            base: self.base,
            start: 0,
            output: order
                .iter()
                .map(|&node| self.accepting[node as usize])
                .collect(),
            next,
        }
    }

    /// The smallest automaton of the same relations, its nodes numbered in the
    /// order in which the starts reach them: two automata of the same relations
    /// become equal.
    ///
    /// Unreachable nodes are dropped, nodes that accept no word or every word
    /// become the sinks, and the rest is partitioned
    /// ([`super::partition`]).
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn minimised(&self, limits: &Limits) -> Result<LevelledDfa, Met> {
        limits.within_memory(self.nodes() as u128 * (40 + 24 * self.base as u128))?;
        let mut work = self.reachable();
        work.find_sinks();
        let mut known = Memo::default();
        let keys: Vec<u32> = (0..work.nodes())
            .map(|node| {
                let key = match node as u32 {
                    REJECT => (0, false, 1u8),
                    ACCEPT => (0, true, 1),
                    _ => (work.level[node], work.accepting[node], 0),
                };
                let fresh = known.len() as u32;
                known.or_insert_with(key, || fresh)
            })
            .collect();
        let class = coarsest_partition(&keys, &work.next, work.base, || limits.within_time())?;
        Ok(work.quotient(&class))
    }

    /// What the starts reach, in the order in which they do.
    fn reachable(&self) -> LevelledDfa {
        let nodes: Vec<u32> = (0..self.nodes() as u32).collect();
        self.quotient(&nodes)
    }

    /// One node for each class that the starts reach. The sinks have classes
    /// of their own.
    fn quotient(&self, class: &[u32]) -> LevelledDfa {
        let mut merged = LevelledDfa::empty(self.tracks, self.base);
        let mut number = vec![u32::MAX; self.nodes()];
        number[class[REJECT as usize] as usize] = REJECT;
        number[class[ACCEPT as usize] as usize] = ACCEPT;
        let mut order = Vec::new();
        let mut visit = |node: u32, order: &mut Vec<u32>| {
            let number = &mut number[class[node as usize] as usize];
            if *number == u32::MAX {
                *number = order.len() as u32 + 2;
                order.push(node);
            }
            *number
        };
        let starts = self.starts.iter();
        merged.starts = starts.map(|&start| visit(start, &mut order)).collect();
        let mut children = Vec::with_capacity(self.base);
        let mut index = 0;
        while index < order.len() {
            let node = order[index];
            children.clear();
            for digit in 0..self.base {
                children.push(visit(self.after(node, digit), &mut order));
            }
            let (level, accepting) = (self.level[node as usize], self.accepting[node as usize]);
            merged.push(level, accepting, &children);
            index += 1;
        }
        merged
    }

    /// Redirects arcs to nodes that accept no word, or every word, to the
    /// sinks.
    fn find_sinks(&mut self) {
        let incoming = Incoming::of(&self.next, self.nodes());
        let reaching = |accepting: bool| {
            incoming.reaching(self.base, |node| {
                self.is_between(node) && self.accepting[node as usize] == accepting
            })
        };
        let accepts_some = reaching(true);
        let rejects_some = reaching(false);
        let place = |node: u32| {
            if !accepts_some[node as usize] {
                REJECT
            } else if !rejects_some[node as usize] {
                ACCEPT
            } else {
                node
            }
        };
        for to in &mut self.next {
            *to = place(*to);
        }
        for start in &mut self.starts {
            *start = place(*start);
        }
    }
}
