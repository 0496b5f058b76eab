//! Deterministic automata that read one digit at a time.
//!
//! With eight tracks in base 2 there are 256 letters. A [`LevelledDfa`] reads
//! the digits of a letter one after another, track 0 first: each node has a
//! *level*, the track whose digit it reads, and `base` successors. Equal
//! suffixes of letters are shared, and the subset construction and the
//! minimisation work digit by digit. Nodes of level 0 are *boundary* nodes,
//! between two letters; only these accept.
//!
//! No level is skipped, unlike in the diagrams of a [`Dfa`](super::Dfa). So each
//! node is a state, and partition refinement applies.
//!
//! Two sinks have no level: [`REJECT`] accepts no word, [`ACCEPT`] accepts
//! every word. An automaton may have several initial nodes, one for each of
//! several relations that share nodes.
//!
//! - [`LevelledDfa::preimage`]: the tuples that can be lowered into a
//!   relation.
//! - [`LevelledDfa::union_is_universal`]: whether a union of relations contains
//!   every tuple, by antichains.

mod boolean;
mod inclusion;
mod preimage;
mod universal;

pub use preimage::PreimageSizes;
pub use universal::Universality;

use super::interner::Interner;
use super::memo::Memo;
use super::partition::{Incoming, coarsest_partition};
use super::table::{Alphabet, TableDfa};
use nimrule_limits::{LimitExceeded, Limits};

/// The sink that accepts no word.
pub const REJECT: u32 = 0;
/// The sink that accepts every word.
pub const ACCEPT: u32 = 1;

/// A complete deterministic automaton that reads one digit at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelledDfa {
    /// The base of the numeration.
    pub base: usize,
    /// The number of tracks.
    pub tracks: usize,
    /// The initial nodes, one for each relation.
    pub starts: Vec<u32>,
    /// The level of each node; 0 for the sinks.
    pub level: Vec<u8>,
    /// Whether each node accepts; false for nodes that are not boundary nodes.
    pub accepting: Vec<bool>,
    /// `next[node * base + digit]`.
    pub next: Vec<u32>,
}

impl LevelledDfa {
    /// The two sinks, without initial nodes.
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

    /// The number of nodes, with the two sinks.
    pub fn nodes(&self) -> usize {
        self.level.len()
    }

    /// The bytes of memory in use.
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

    /// Returns whether a node is a boundary node, as the two sinks are.
    #[inline]
    pub fn is_boundary(&self, node: u32) -> bool {
        self.level[node as usize] == 0
    }

    /// The boundary nodes, [`REJECT`] and [`ACCEPT`] first.
    pub fn boundary_nodes(&self) -> Vec<u32> {
        (0..self.nodes() as u32)
            .filter(|&node| self.is_boundary(node))
            .collect()
    }

    /// The automaton of a table.
    pub fn from_table(table: &TableDfa) -> LevelledDfa {
        let mut dfa = LevelledDfa::empty(table.tracks, table.base);
        dfa.add(table);
        dfa
    }

    /// Adds the relation of a table, with its own initial node.
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

    /// The table of the relation with this initial node. States are numbered in
    /// breadth-first order.
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

    /// The minimal automaton of the same relations, with its nodes numbered in
    /// breadth-first order: automata of the same relations become equal.
    ///
    /// Unreachable nodes are removed, nodes that accept no word or every word
    /// become the sinks, and equivalent nodes are merged
    /// ([`super::partition`]).
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn minimised(&self, limits: &Limits) -> Result<LevelledDfa, LimitExceeded> {
        limits.check_memory(self.nodes() as u128 * (40 + 24 * self.base as u128))?;
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
        let class = coarsest_partition(&keys, &work.next, work.base, || limits.check_time())?;
        Ok(work.quotient(&class))
    }

    /// The reachable nodes, in breadth-first order.
    fn reachable(&self) -> LevelledDfa {
        let nodes: Vec<u32> = (0..self.nodes() as u32).collect();
        self.quotient(&nodes)
    }

    /// The quotient automaton: one node for each reachable class. The sinks have
    /// their own classes.
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
                self.is_boundary(node) && self.accepting[node as usize] == accepting
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
