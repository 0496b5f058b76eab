//! Automata over the digits of numbers: what they accept is a relation.
//!
//! An [`Automaton`] reads the digits of several numbers side by side, one
//! digit of every number at a time, the most significant first; each number is
//! a *track*. It accepts a tuple of numbers or not, whatever the number of
//! leading zeros, so that numbers of any length can stand side by side.
//! Comparison, addition and sums without carry are such relations ([`atoms`]),
//! and they stay such under and, or, not and "there is a number".
//!
//! Automata are deterministic and complete. What a state does is a diagram over
//! the digits of one letter, track by track in ascending order; equal diagrams
//! are kept once (`arena`), so that a letter of a dozen digits is no table of
//! thousands of arcs.
//!
//! Nothing here knows of games.

mod arena;
pub mod atoms;
mod budget;
pub mod known;
mod minimise;
mod product;
mod project;
mod rename;
mod search;
mod table;
mod zeckendorf;

pub use budget::Budget;
pub use search::Witness;
pub use table::Letters;
pub use zeckendorf::golden;

use arena::{Arena, Ref, leaf};

/// One of the numbers that an automaton reads. Within a letter the digits come
/// in ascending order of their tracks.
pub type Track = u16;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Numeration {
    /// In this base, at least 2.
    Base(u8),
    /// As sums of Fibonacci numbers 1, 2, 3, 5, … no two of them neighbours.
    /// A word with two ones side by side writes no number and is not accepted.
    Zeckendorf,
}

impl Numeration {
    /// How many digits there are.
    pub fn radix(self) -> usize {
        match self {
            Numeration::Base(base) => usize::from(base),
            Numeration::Zeckendorf => 2,
        }
    }
}

/// A deterministic and complete automaton.
#[derive(Debug, Clone)]
pub struct Automaton {
    numeration: Numeration,
    /// Ascending. A track that does not matter may be missing.
    tracks: Vec<Track>,
    start: u32,
    accepting: Vec<bool>,
    /// What each state does with a letter.
    roots: Vec<Ref>,
    arena: Arena,
}

impl Automaton {
    /// Accepts everything, or nothing.
    pub fn constant(numeration: Numeration, holds: bool) -> Automaton {
        Automaton {
            numeration,
            tracks: Vec::new(),
            start: 0,
            accepting: vec![holds],
            roots: vec![leaf(0)],
            arena: Arena::new(numeration.radix()),
        }
    }

    pub fn numeration(&self) -> Numeration {
        self.numeration
    }

    /// The tracks it reads, ascending.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.roots.len()
    }

    pub fn start(&self) -> u32 {
        self.start
    }

    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// How many nodes its diagrams have, shared ones counted once.
    pub fn nodes(&self) -> usize {
        self.arena.len()
    }

    /// What a state that is never left says of everything that comes.
    fn settled(&self, state: u32) -> Option<bool> {
        (self.roots[state as usize] == leaf(state)).then(|| self.is_accepting(state))
    }
}

#[cfg(test)]
mod tests;
