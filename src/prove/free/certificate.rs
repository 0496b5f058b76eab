//! What a proof leaves behind for others to check.
//!
//! A certificate says which set is that of the P-positions, and holds the
//! steps by which every position was shown to lie in it or a move away from
//! it. That no move leads from the set into it needs nothing beyond the set:
//! whoever checks follows the pairs of states once more.
//!
//! The format, for a rule of n heaps:
//!
//! - `set`: a [`Diagram`] with one start, the smallest of the set, its nodes
//!   numbered in the order in which they are reached. Node 0 accepts nothing
//!   and node 1 everything; any other node has a level, the heap whose digit
//!   it reads, and the nodes after the digits 0, 1, … of that heap. Digits
//!   come from the most significant letter on, and in a letter heap 0 comes
//!   first. Nodes of level 0 say whether a word that ends there is accepted.
//!   Words of the same length, of all heaps, stand for positions; zeros in
//!   front lead from the start to the start.
//! - `parts`: for each, `selection` (heaps as bits), `steps`: a heap of the
//!   selection and a diagram each, and `images`.
//!   The diagram of a step accepts a word just if the digits of the step's
//!   heap can be replaced by those of a number no larger so that the diagram
//!   of the step before, or the set for the first, accepts. Every heap of the
//!   selection has one step. So the last diagram accepts the positions from
//!   which the selection can be lowered into the set, or left in it.
//!   Each of the `images` says where every heap goes; it keeps the set, so the
//!   diagram turned by it does the same for the selection turned by it.
//!
//! What remains is a search: every position must be accepted by the last
//! diagram of some part, turned by one of its images, whose selection, turned,
//! may be used at the position; or be one without a move, in misere play; or
//! be in the set.

use super::diagram::Diagram;

/// A proof that a set is that of the P-positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    pub set: Diagram,
    pub parts: Vec<Part>,
}

/// One selection, and all that symmetries make of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub selection: u32,
    pub steps: Vec<(u8, Diagram)>,
    pub images: Vec<Vec<u8>>,
}

impl Certificate {
    /// The nodes of all diagrams: what the size of the certificate goes by.
    pub fn nodes(&self) -> usize {
        let steps = self.parts.iter().flat_map(|part| &part.steps);
        self.set.nodes() + steps.map(|(_, diagram)| diagram.nodes()).sum::<usize>()
    }
}
