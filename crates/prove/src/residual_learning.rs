//! Residual learning: automata of the P-positions or the Grundy values, found
//! without a claim.
//!
//! The states of the smallest automaton of a set are its residuals (left
//! quotients): what may follow a prefix of digits so that the whole is in the
//! set (Myhill and Nerode). Here residuals are known to a finite depth only.
//! Prefixes are explored in the order of their length, and one whose residual
//! agrees with that of an earlier one as deep as both are known is taken for
//! the same state. On complete samples that is the algorithm of Trakhtenbrot
//! and Barzdin (1973, *Finite Automata: Behavior and Synthesis*). If no new
//! states appear, the automaton is a hypothesis, and only a proof decides.
//!
//! Residuals come from two sources:
//!
//! - Hypergraph Nim: from the rule itself ([`from_rule`]). A prefix determines
//!   the subset of the states that a move can have led to; that determines the
//!   residual, which is computed to a depth of two or three digits (`blocks`).
//! - All other rules with a fixed number of heaps: from solved positions
//!   (`from_sample`). In a box of numbers of at most D digits ([`Sample`],
//!   [`Numbers`]) the residual of a prefix of d digits is known to depth D − d.
//!   A hypothesis is compared with the whole of a larger box, and then proved
//!   or refuted. A refuted one leads to a larger box (`search`).
//!
//! Grundy values are learned from samples in the same way. Where there are
//! few, the states of the automaton have a value as output. Where they are
//! unbounded, the value is one more number beside the heaps, and the automaton
//! accepts if it is theirs.

mod blocks;
mod discover;
mod from_rule;
mod from_sample;
mod numbers;
mod sample;
mod search;

pub use discover::{
    Attempt, Attempts, Discovered, Failure, Found, Goal, Origin, Source, discover, discover_values,
    from_samples,
};
#[cfg(test)]
pub use from_rule::grow;
pub use from_rule::{Growth, Learned, from_rule};
pub use from_sample::{Hypothesis, Learning, learn, new_residuals};
pub use numbers::Numbers;
pub use sample::Sample;
