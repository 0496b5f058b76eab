//! The independent checker of certificates.
//!
//! A certificate claims that a set of positions, given as a DFA over the digits
//! of the heaps, is the set of P-positions of a game for all heap sizes, or that a set
//! of positions with one more number each is that of the positions with their Grundy
//! values.
//! [`verify`] decides whether that is true, from the checked rule and the
//! definitions of the language's reference. The checker shares no code with
//! the provers that find such sets: of this workspace it depends only on the
//! model of rules and on the limits.
//!
//! The checker translates the rule to clauses ([`Rule`]). A clause is a
//! conjunction of comparisons between weighted sums of the heaps before a
//! move, the heaps after it, and existential variables. Each of these numbers
//! is a track of a multi-track word, read with the most significant digit
//! first. Two searches over such words decide every condition: one finds a
//! position at which a clause holds, the other computes the positions at which
//! it does not hold.
//!
//! - `rule`, `selection`, `expression`: symbolic execution, which translates
//!   the rule and the claim to clauses. Numbers are integers without bound and
//!   nothing is approximated; what the checker cannot translate is
//!   [`Unsupported`], with its place in the text.
//! - `atom`, `automaton`: comparisons, and the automaton that decides a
//!   conjunction of them digit by digit.
//! - `dfa`: minimal DFAs, their images under permutations of the heaps, and
//!   language inclusion between their nodes.
//! - `search`: reachability in products, and the subset construction.
//! - `preimages`: the positions with a move into a set, heap by heap.
//! - `certificate`: the text format.
//! - `verify`: termination, independence, absorption, absence of faults, and
//!   agreement with the claim.
//! - `any_number`: claims about any number of heaps, which have certificates of their own.
//! - `options`: the options of single positions, for comparisons with other
//!   interpreters. No verification depends on it.
//!
//! # Examples
//!
//! The certificate of Nim with two heaps. Node 2 reads the digit of `a`, nodes
//! 3 and 4 read that of `b`; the set is that of the positions with equal heaps.
//!
//! ```
//! use nimrule_checker::{Certificate, Numeration, Proves, ReadError};
//! use nimrule_limits::Limits;
//!
//! let text = concat!(
//!     r#"{"version":2,"semantics":2,"game":"two","params":{},"heaps":["a","b"],"#,
//!     r#""convention":"normal","rule":"3c9d0c78","proves":"the set is that of the "#,
//!     r#"P-positions","claim":"P iff a == b","base":2,"set":{"start":2,"accepting":[2],"#,
//!     r#""nodes":[0,3,4,1,2,0,1,0,2]}}"#,
//!     "\n",
//! );
//! let certificate = Certificate::read(text, &Limits::of_memory(1 << 20))?;
//! assert_eq!(certificate.proves, Proves::PPositions);
//! assert_eq!(certificate.numeration, Numeration::Base(2));
//! assert!(certificate.set.accepts(Numeration::Base(2), &[5, 5]));
//! assert!(!certificate.set.accepts(Numeration::Base(2), &[5, 4]));
//! # Ok::<(), ReadError>(())
//! ```

#![warn(missing_docs)]

mod any_number;
mod atom;
mod automaton;
mod certificate;
mod dfa;
mod expression;
mod options;
#[doc(hidden)]
pub mod preimages;
mod rule;
#[doc(hidden)]
pub mod search;
mod selection;
mod verify;

pub use any_number::{CountingCertificate, CountingVerified, verify_counting};
pub use atom::{Atom, Clause, Linear, Variable};
pub use certificate::{Certificate, MAX_BYTES, Proves, ReadError, params};
pub use dfa::{Dfa, EVERYTHING, NOTHING};
pub use rule::Rule;
pub use verify::{Verified, VerifiedClaim, VerifyError, verify, verify_measure};

use nimrule_model::source::Span;
use thiserror::Error;

/// A numeration system: how digits represent natural numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numeration {
    /// Positional, with this base from 2 to 16.
    Base(u8),
    /// The Ostrowski numeration of the continued fraction [a; a, a, …], with a from 1
    /// to 8: places are worth w₀ = 1, w₁ = a + 1 and wₙ₊₂ = a·wₙ₊₁ + wₙ, digits are at
    /// most a, and the digit after an a is 0. For a = 1 it is Zeckendorf's (1972): a sum
    /// of Fibonacci numbers 1, 2, 3, 5, …, no two of them consecutive.
    Ostrowski(u8),
}

impl Numeration {
    /// The number of digits.
    pub fn radix(self) -> usize {
        match self {
            Numeration::Base(base) => usize::from(base),
            Numeration::Ostrowski(quotient) => usize::from(quotient) + 1,
        }
    }

    /// Whether a word represents a power of `of` just if it has one digit other
    /// than 0 and that digit is a power of `of`. This holds if the base is a
    /// power of `of`.
    fn recognises_powers_of(self, of: i64) -> bool {
        match self {
            Numeration::Base(base) => {
                let mut power = of;
                while power < i64::from(base) {
                    power *= of;
                }
                power == i64::from(base)
            }
            Numeration::Ostrowski(_) => false,
        }
    }

    /// The value of a digit 1 at each place, the least significant place first.
    fn place_values(self) -> impl Iterator<Item = u128> {
        let mut last = (1_u128, 1_u128);
        std::iter::repeat_with(move || {
            let weight = last.0;
            last = match self {
                Numeration::Base(base) => (last.0.saturating_mul(base.into()), 0),
                Numeration::Ostrowski(quotient) => {
                    let next = last.0.saturating_mul(quotient.into());
                    (next.saturating_add(last.1), last.0)
                }
            };
            weight
        })
    }

    /// The letters of a position, the most significant first. A letter holds one
    /// digit of every heap.
    fn letters(self, position: &[u64]) -> Vec<Vec<u8>> {
        let most = position.iter().copied().max().unwrap_or(0);
        let weights: Vec<u128> = self
            .place_values()
            .take_while(|w| *w <= most.into())
            .collect();
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

    /// The number with these digits, the most significant first; `u64::MAX` if
    /// 64 bits cannot hold it.
    fn value_of(self, digits: impl DoubleEndedIterator<Item = u8>) -> u64 {
        let terms = digits.rev().zip(self.place_values());
        let sum = terms.fold(0_u128, |sum, (digit, weight)| {
            sum.saturating_add(weight.saturating_mul(digit.into()))
        });
        u64::try_from(sum).unwrap_or(u64::MAX)
    }
}

/// A part of a rule or claim that the checker cannot translate to clauses, and
/// its place in the text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{what}")]
pub struct Unsupported {
    /// The part, in words.
    pub what: String,
    /// The place of the part.
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
