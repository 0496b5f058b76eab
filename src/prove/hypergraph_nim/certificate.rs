//! Certificates: what a proof provides for an independent check.
//!
//! A certificate contains the set of the P-positions, and the preimages that
//! show that every position is in it or has a move into it. Independence, that
//! no move leads from the set into it, needs no further data: it is checked by
//! following the pairs of states once more.
//!
//! The format, for a rule of n heaps:
//!
//! - `set`: a [`LevelledDfa`] with one start, the smallest of the set, its
//!   nodes numbered in the order in which they are reached. Node 0 accepts no
//!   word and node 1 every word; any other node has a level, the heap whose
//!   digit it reads, and a successor for each digit 0, 1, … of that heap. The
//!   most significant letter comes first, and in a letter heap 0. Nodes of
//!   level 0 accept or reject the word that ends there. A word writes a
//!   position, all heaps with the same number of digits; leading zeros lead
//!   from the start to the start.
//! - `parts`: for each, `selection` (a hyperedge, heaps as bits), `steps`: a
//!   heap of the hyperedge and a levelled automaton each, and `images`.
//!   The automaton of a step is the preimage, under lowering the step's heap or
//!   leaving it, of the automaton of the step before, or of the set for the
//!   first. Every heap of the hyperedge has one step. So the last automaton
//!   accepts the positions from which the hyperedge can be lowered into the
//!   set, or left in it.
//!   Each of the `images` is a permutation of the heaps that leaves the set
//!   invariant, so that the permuted automaton is the preimage for the permuted
//!   hyperedge.
//!
//! What remains is a search: every position must be accepted by the last
//! automaton of some part, permuted by one of its images, whose permuted
//! hyperedge is usable at the position; or be terminal, in misère play; or be
//! in the set.

use crate::automata::LevelledDfa;

/// A proof that a set is that of the P-positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    pub set: LevelledDfa,
    pub parts: Vec<Part>,
}

/// One hyperedge, and its images under symmetries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub selection: u32,
    pub steps: Vec<(u8, LevelledDfa)>,
    pub images: Vec<Vec<u8>>,
}

impl Certificate {
    /// The nodes of all automata: the size of the certificate.
    pub fn nodes(&self) -> usize {
        let steps = self.parts.iter().flat_map(|part| &part.steps);
        self.set.nodes() + steps.map(|(_, dfa)| dfa.nodes()).sum::<usize>()
    }
}
