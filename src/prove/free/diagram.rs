//! Automata that read one digit at a time.
//!
//! A letter of a recogniser has a digit of every heap, and with eight heaps
//! there are 256 of them. A diagram reads the digits of a letter one after
//! another, heap 0 first: its nodes have a *level*, the heap whose digit comes
//! next, and `base` nodes after them. Equal ends of letters are shared, sets
//! that are decided early are cut short, and the subset construction and the
//! minimisation need not know that letters exist. Nodes of level 0 stand
//! between letters; they alone accept.
//!
//! Two nodes belong to no level: [`NOTHING`] accepts no word, [`EVERYTHING`]
//! accepts all. A diagram may have several starts, one for each of several
//! sets that share their nodes.

use super::interner::Interner;
use super::recogniser::{Letters, Recogniser};

/// The node that accepts no word.
pub const NOTHING: u32 = 0;
/// The node that accepts every word.
pub const EVERYTHING: u32 = 1;

/// An automaton that reads digit by digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagram {
    pub base: usize,
    pub heaps: usize,
    pub starts: Vec<u32>,
    pub level: Vec<u8>,
    /// For nodes of level 0.
    pub accepting: Vec<bool>,
    /// `next[node * base + digit]`.
    pub next: Vec<u32>,
}

impl Diagram {
    /// A diagram of the two nodes that every diagram has.
    pub fn empty(heaps: usize, base: usize) -> Diagram {
        let mut next = vec![NOTHING; base];
        next.extend(std::iter::repeat_n(EVERYTHING, base));
        Diagram {
            base,
            heaps,
            starts: Vec::new(),
            level: vec![0, 0],
            accepting: vec![false, true],
            next,
        }
    }

    pub fn nodes(&self) -> usize {
        self.level.len()
    }

    pub fn bytes(&self) -> usize {
        self.level.capacity() + self.accepting.capacity() + 4 * self.next.capacity()
    }

    pub fn after(&self, node: u32, digit: usize) -> u32 {
        self.next[node as usize * self.base + digit]
    }

    pub fn push(&mut self, level: u8, accepting: bool, children: &[u32]) -> u32 {
        self.level.push(level);
        self.accepting.push(accepting);
        self.next.extend_from_slice(children);
        self.level.len() as u32 - 1
    }

    /// Which nodes stand between letters; the two without a level do.
    pub fn is_between(&self, node: u32) -> bool {
        self.level[node as usize] == 0
    }

    /// The nodes between letters, [`NOTHING`] and [`EVERYTHING`] first.
    pub fn between(&self) -> Vec<u32> {
        (0..self.nodes() as u32)
            .filter(|&node| self.is_between(node))
            .collect()
    }

    pub fn of(recogniser: &Recogniser) -> Diagram {
        let mut diagram = Diagram::empty(recogniser.heaps, recogniser.base);
        diagram.add(recogniser);
        diagram
    }

    /// Adds the nodes of a recogniser and its start.
    pub fn add(&mut self, recogniser: &Recogniser) {
        let base = self.base;
        let letters = recogniser.next.len() / recogniser.states();
        let first = self.nodes() as u32;
        for &accepting in &recogniser.accepting {
            self.push(0, accepting, &vec![NOTHING; base]);
        }
        self.starts.push(first + recogniser.start);
        let mut shared = Interner::new();
        let mut node_of = Vec::new();
        let mut key = Vec::new();
        for state in 0..recogniser.states() {
            let mut row: Vec<u32> = recogniser.next[state * letters..(state + 1) * letters]
                .iter()
                .map(|&to| first + to)
                .collect();
            for level in (1..self.heaps).rev() {
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

    /// The table of the set that belongs to a start.
    pub fn recogniser(&self, start: u32) -> Recogniser {
        let letters = Letters::new(self.heaps, self.base);
        let mut number = vec![u32::MAX; self.nodes()];
        let mut order = vec![start];
        number[start as usize] = 0;
        let mut next = Vec::new();
        let mut index = 0;
        while index < order.len() {
            let mut row = vec![order[index]];
            for heap in 0..self.heaps {
                let mut wider = Vec::with_capacity(row.len() * self.base);
                for digit in 0..self.base {
                    wider.extend(row.iter().map(|&node| self.after(node, digit)));
                }
                debug_assert_eq!(wider.len(), letters.weight[heap + 1]);
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
        Recogniser {
            heaps: self.heaps,
            base: self.base,
            start: 0,
            accepting: order
                .iter()
                .map(|&node| self.accepting[node as usize])
                .collect(),
            next,
        }
    }

    /// The set of the start whose heap i has gone to `images[i]`.
    pub fn permuted(&self, start: u32, images: &[u8]) -> Recogniser {
        let mut table = self.recogniser(start);
        let letters = table.letters();
        let count = letters.count();
        let moved: Vec<usize> = (0..count)
            .map(|letter| letters.permuted(letter, images))
            .collect();
        let old = table.next.clone();
        for state in 0..table.states() {
            for (letter, &there) in moved.iter().enumerate() {
                table.next[state * count + there] = old[state * count + letter];
            }
        }
        table
    }
}
