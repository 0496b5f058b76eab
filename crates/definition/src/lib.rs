//! The executable definition of the language's semantics: a reference
//! interpreter.
//!
//! Tests compare every other interpreter of rules with this crate: the engines,
//! batch evaluation, the provers and the certificate checker. It follows the
//! text of the book's reference by plain enumeration: of every number from 0 to
//! the size of a heap, every member of a set, every set of heaps that a
//! selection allows, every position of a box. It computes no bounds, shares no
//! code with the engines, and is slow. It reads the checked
//! [`Game`](nimrule_model::game::Game) directly and uses only the data of the
//! model.
//!
//! - [`expression`]: the value of an expression in an [`Environment`].
//! - [`mod@moves`]: the options of a position.
//! - [`solve`]: outcomes and Grundy values.
//! - [`claim`]: whether claims and examples hold.
//!
//! An infinite set is enumerated up to a cutoff only ([`moves::cutoff`]).
//! Everything else is exact.
//!
//! Numbers are integers of 64 bits and every operation is checked: see
//! [`Fault`].
//!
//! # Examples
//!
//! The Grundy values of Nim with one heap are the sizes of the heap.
//!
//! ```
//! use nimrule_definition::{GameGraph, GrundyValues};
//! use nimrule_model::game::{Convention, Game};
//!
//! # use nimrule_definition::FaultAt;
//! fn equals_heap_size(nim: &Game) -> Result<bool, FaultAt> {
//!     let graph = GameGraph::from(nim, &[vec![5]])?;
//!     let mut values = GrundyValues::new(&graph, Convention::Normal);
//!     Ok((0..=5).all(|size| values.of(&[size]) == Some(size)))
//! }
//! ```

#![warn(missing_docs)]

pub mod claim;
mod connection;
pub mod expression;
pub mod moves;
pub mod solve;

pub use expression::Environment;
pub use moves::{Moves, is_position, moves, options, positions};
pub use solve::{GameGraph, GrundyValues, Label, Solution};

use nimrule_model::expr;
use nimrule_model::source::Span;
use std::fmt;

/// A run-time error of an expression, which then has no value: the kind of the
/// fault, and the place of the innermost expression in which it occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Why there is no value.
    pub kind: expr::Fault,
    /// The place of the innermost expression without a value.
    pub at: Span,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.at.offset() + self.at.len();
        write!(f, "{} in bytes {}..{end}", self.kind, self.at.offset())
    }
}

/// A fault, and the position at which it occurs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultAt {
    /// The fault.
    pub fault: Fault,
    /// The position.
    pub position: Vec<u64>,
}
