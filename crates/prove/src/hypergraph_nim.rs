//! Hypergraph Nim: a decision procedure of its own for rules "remove any
//! number of tokens from each heap of one hyperedge", for heaps of all sizes
//! (hypergraph Nim: Boros, Gurvich, Ho, Makino and Mursic 2018, "On the
//! Sprague-Grundy function of exact k-Nim" and later papers; with the faces of
//! a complex for hyperedges, Ehrenborg and Steingrímsson 1996, "Playing Nim on
//! a simplicial complex").
//!
//! A heap that such a move lowers may become anything smaller. Read from the
//! most significant digit on, the comparison is decided by the first digit that
//! differs, and the digits after it are arbitrary. So the conditions of the
//! partition theorem need no formulas: the set of P-positions is the only
//! kernel of the digraph of moves, a set that is
//!
//! - *independent* (`independence`): no move leads from it into it, decided
//!   by reachability over pairs of states, without a subset construction;
//! - *absorbing* (`absorption`): every position outside it has a move into
//!   it, decided by preimages and a universality test.
//!
//! Modules:
//!
//! - [`rule`]: which sets of heaps one move can lower, support by support, for
//!   boards whose empty heaps stay and for those that shrink; [`boards`] has
//!   some, [`of_game`] reads the rule of a game.
//! - [`check`]: proves that a set is that of the P-positions, or refutes it by
//!   a shortest position.
//! - [`replies`]: the moves into the set, for positions of any size.
//!
//! [`super::residual_learning`] builds the automaton of the P-positions from
//! the rule alone.

mod absorption;
pub mod boards;
mod check;
mod independence;
pub(super) mod letters;
pub mod of_game;
mod reply;
pub mod rule;

pub use check::{Checked, Proof, Refutation, Verdict, check};
pub use of_game::{family, rule_of};
pub use reply::{Reply, replies};
pub use rule::Rule;

#[cfg(test)]
mod tests;

use thiserror::Error;

/// The most heaps: letters and supports are counted in tables.
pub const MAX_HEAPS: usize = 12;

/// Why a rule cannot be represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RuleError {
    #[error("{0} heaps are too many, or too few")]
    Heaps(usize),
    #[error("{0} selections are too many")]
    Selections(usize),
}
