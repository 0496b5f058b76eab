//! The P-positions and the values of any rule whose number of heaps is fixed,
//! found without a claim.
//!
//! Rules that remove any number from each heap of a selection are grown from
//! the rule itself ([`super::free`]). For all others a guess comes from
//! positions that have been solved: in a box of numbers of at most D digits
//! the *tail* of a number of d digits is known to the depth of D − d further
//! ones. Numbers are gone through in the order of their length; one whose tail
//! agrees with that of an earlier one, as deep as it is known, is taken for the
//! same state ([`grow`]). If states stop appearing, the automaton is held
//! against the whole of a larger box, and then the prover decides what it is.
//! A guess that is refuted leads to a larger box.
//!
//! - `numbers`: the numbers of few digits, and what a further digit makes of
//!   them.
//! - `sample`: a box, solved by the engine that suits.
//! - [`grow`]: the guess.
//! - [`discover`]: boxes that grow, guesses and proofs.
//!
//! Grundy values are found in the same way. Where there are few, the tails of
//! the box are those of the values in it, and the automaton says a value. Where
//! there are as many as you like, the value is one more number beside the heaps,
//! and the automaton tells whether it is theirs.

mod discover;
mod grow;
mod numbers;
mod sample;
mod search;

pub use discover::{
    Attempt, Attempts, Discovered, Failure, Found, Goal, discover, discover_values,
};
pub use grow::{Grown, Guess, grow, new_tails};
pub use numbers::Numbers;
pub use sample::Sample;
