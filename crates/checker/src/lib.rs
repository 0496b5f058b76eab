//! The independent checker of certificates.
//!
//! A certificate says that a set, given by a DFA over the digits of positions,
//! is that of the P-positions of a game, for all heap sizes. [`verify`] holds
//! it against the checked rule by the definitions of the language's reference.
//! It shares nothing with what found the set: it depends on the model of
//! rules, on limits, and on nothing else of this workspace.
//!
//! The rule becomes clauses ([`Rule`]), conjunctions of comparisons between
//! weighted sums of the heaps before a move, the heaps after it, and
//! existential variables. Each of these is a track, read digit by digit with
//! the most significant digit first. Two searches over such words decide
//! everything: whether a clause holds somewhere, and where it holds nowhere.
//!
//! - `rule`, `selection`, `expression`: the rule and the claim as clauses.
//!   What is not read is [`Unsupported`], with its place; nothing is
//!   approximated, and numbers are integers without bound.
//! - `atom`, `machine`: comparisons, and how their digits decide them.
//! - `dfa`: minimal DFAs, their images under permutations of the heaps, and
//!   language inclusion between their nodes.
//! - `search`: reachability in products, the subset construction.
//! - `preimages`: the positions with a move into a set, heap by heap.
//! - `certificate`: the text.
//! - `verify`: termination, independence, absorption, no fault, and the claim.
//! - `options`: single positions, for comparisons with other interpreters.

mod atom;
mod certificate;
mod dfa;
mod expression;
mod machine;
mod options;
mod preimages;
mod rule;
mod search;
mod selection;
mod verify;

pub use atom::{Atom, Clause, Linear, Variable};
pub use certificate::{Certificate, MOST_BYTES, Unreadable, params};
pub use dfa::{Dfa, EVERYTHING, NOTHING};
pub use rule::Rule;
pub use verify::{Agreement, Refused, Verified, verify};

use nimrule_model::source::Span;
use thiserror::Error;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numeration {
    /// In this base, from 2 to 16.
    Base(u8),
    /// As sums of Fibonacci numbers 1, 2, 3, 5, … no two of them neighbours.
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

    /// Whether the powers of a number are the words with one digit that is
    /// one: where the base is a power of it.
    fn tells_powers(self, of: i64) -> bool {
        match self {
            Numeration::Base(base) => {
                let mut power = of;
                while power < i64::from(base) {
                    power *= of;
                }
                power == i64::from(base)
            }
            Numeration::Zeckendorf => false,
        }
    }

    /// What a digit of each place counts for, the last place first.
    fn weights(self) -> impl Iterator<Item = u128> {
        let mut last = (1_u128, 1_u128);
        std::iter::repeat_with(move || {
            let weight = last.0;
            last = match self {
                Numeration::Base(base) => (last.0.saturating_mul(base.into()), 0),
                Numeration::Zeckendorf => (last.0.saturating_add(last.1), last.0),
            };
            weight
        })
    }

    /// The digits of a position letter by letter, the most significant first.
    fn letters(self, position: &[u64]) -> Vec<Vec<u8>> {
        let most = position.iter().copied().max().unwrap_or(0);
        let weights: Vec<u128> = self.weights().take_while(|w| *w <= most.into()).collect();
        let mut rest: Vec<u128> = position.iter().map(|size| u128::from(*size)).collect();
        let letter = |weight: &u128| {
            let digits = rest.iter_mut().map(|rest| {
                let digit = *rest / weight;
                *rest -= digit * weight;
                digit as u8
            });
            digits.collect()
        };
        weights.iter().rev().map(letter).collect()
    }

    /// The number with these digits, or the largest that there is.
    fn number(self, digits: impl DoubleEndedIterator<Item = u8>) -> u64 {
        let terms = digits.rev().zip(self.weights());
        let sum = terms.fold(0_u128, |sum, (digit, weight)| {
            sum.saturating_add(weight.saturating_mul(digit.into()))
        });
        u64::try_from(sum).unwrap_or(u64::MAX)
    }
}

/// What the checker does not read, and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct Unsupported {
    pub what: String,
    pub span: Span,
}

impl Unsupported {
    fn new(what: &str, span: Span) -> Unsupported {
        Unsupported {
            what: what.to_owned(),
            span,
        }
    }
}
