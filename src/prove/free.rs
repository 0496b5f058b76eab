//! Proofs for rules "remove any number of tokens from each heap of one
//! selection", for heaps of all sizes.
//!
//! With such a rule a heap that a move makes smaller may become anything
//! smaller. Read from the most significant digit on, it is settled by the
//! first digit that differs, and what follows is free. So the statements of
//! the partition theorem need no formulas:
//!
//! - [`rule`]: which sets of heaps one move can lower, support by support, for
//!   boards that keep their places and for those that shrink; [`boards`] has
//!   some.
//! - [`recogniser`]: a set of positions, told by an automaton.
//! - [`check`]: proves that a set is that of the P-positions, or refutes it by
//!   a shortest position.
//! - [`grow`]: builds the automaton of the P-positions from the rule alone, as
//!   a guess; [`discover`] has it proved.
//! - [`replies`]: the moves into the set, for positions of any size.
//! - [`certificate`] and [`verify`]: what a proof leaves behind, and a small
//!   checker that trusts neither grower nor prover.
//!
//! [`diagram`], read digit by digit, is what the proofs compute with.

pub mod boards;
pub mod certificate;
mod check;
mod cover;
pub mod diagram;
mod discover;
mod grow;
mod inclusion;
mod interner;
mod minimise;
mod raise;
pub mod recogniser;
mod reply;
pub mod rule;
mod supports;
mod verify;
mod within;

pub use certificate::{Certificate, Part};
pub use check::{Checked, Proof, Refutation, Verdict, check};
pub use discover::{Attempt, Attempts, Discovered, Failure, discover};
pub use grow::{Grown, Growth, grow};
pub(super) use interner::Interner;
pub(super) use minimise::minimise as smallest;
pub use recogniser::Recogniser;
pub use reply::{Reply, replies};
pub use rule::Rule;
pub(super) use verify::is_diagram;
pub use verify::{Family, Refused, verify};

#[cfg(test)]
mod tests;

use thiserror::Error;

/// The most heaps: letters and supports are counted in tables.
pub const MOST_HEAPS: usize = 12;

/// Why a rule is not one of this class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unfit {
    #[error("{0} heaps are too many, or too few")]
    Heaps(usize),
    #[error("{0} selections are too many")]
    Selections(usize),
}
