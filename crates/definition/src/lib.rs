//! The executable definition of the language's meaning.
//!
//! Everything else that reads a rule is compared with this crate: the engines,
//! the batches, the provers, the certificate checker. It follows the words of
//! the book's reference, in the plainest way: every number from 0 to the size
//! of a heap, every member of a set, every set of heaps that a selection
//! names, every position of a box. It computes no bounds, it has no cache of
//! its own making, it shares no code with the engines, and it is slow. It
//! reads the checked [`Game`](nimrule_model::game::Game) directly and uses of
//! the model only the data.
//!
//! - [`expression`]: the value of an expression in an [`Environment`].
//! - [`mod@moves`]: the options of a position.
//! - [`solve`]: outcomes and Grundy values.
//! - [`claim`]: whether claims and examples hold.
//!
//! A set without end can only be looked through to some number, see
//! [`moves::cutoff`]. Everything else is exact.
//!
//! Numbers are integers of 64 bits and every operation is checked: see
//! [`Fault`].

pub mod claim;
pub mod expression;
pub mod moves;
pub mod solve;

pub use expression::Environment;
pub use moves::{Moves, is_position, moves, options, positions};
pub use solve::{Label, Reached, Solution, Values};

use nimrule_model::expr;
use nimrule_model::source::Span;
use std::fmt;

/// An expression without a value: the kind of fault, and the innermost
/// expression that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub kind: expr::Fault,
    pub at: Span,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.at.offset() + self.at.len();
        write!(f, "{} in bytes {}..{end}", self.kind, self.at.offset())
    }
}

/// A fault that arises at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultAt {
    pub fault: Fault,
    pub position: Vec<u64>,
}
