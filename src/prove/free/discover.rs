//! The P-positions of a rule, found and proved without a claim.

use super::check::{Proof, Refutation, Verdict, check};
use super::grow::{Grown, Growth, grow};
use super::recogniser::Recogniser;
use super::rule::Rule;
use crate::limits::{Limits, Met};

/// How to look for an automaton: one attempt after another.
#[derive(Debug, Clone)]
pub struct Attempts {
    pub base: usize,
    /// The depths of blocks. One digit closes falsely where two do not.
    pub depths: Vec<usize>,
    /// The most states of an attempt.
    pub most: usize,
}

impl Default for Attempts {
    fn default() -> Attempts {
        Attempts {
            base: 2,
            depths: vec![2, 3],
            most: 20_000,
        }
    }
}

/// What came of an attempt that proved nothing.
#[derive(Debug, Clone)]
pub enum Failure {
    /// States kept appearing, or a limit was met.
    Open,
    /// The automaton that grew is not that of the P-positions.
    Refuted(Refutation),
    /// The proof met a limit.
    Undecided(Met),
}

/// An attempt that proved nothing.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub depth: usize,
    pub grown: Grown,
    pub failure: Failure,
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Discovered {
    /// The smallest recogniser of the P-positions, with its proof and the
    /// depth of the blocks that led to it.
    pub found: Option<(Recogniser, Box<Proof>, usize)>,
    /// The attempts before.
    pub attempts: Vec<Attempt>,
}

/// Grows the automaton of the P-positions and proves it.
pub fn discover(rule: &Rule, attempts: &Attempts, limits: &Limits) -> Discovered {
    let mut failed: Vec<Attempt> = Vec::new();
    for &depth in &attempts.depths {
        let growth = Growth {
            base: attempts.base,
            depth,
            most: attempts.most,
        };
        let mut grown = grow(rule, &growth, limits);
        let failure = match grown.recogniser.take() {
            None => Failure::Open,
            Some(recogniser) => match check(rule, &recogniser, limits) {
                Ok(Verdict::Proved(proof)) => {
                    let set = &proof.certificate.set;
                    let found = Some((set.recogniser(set.starts[0]), proof, depth));
                    return Discovered {
                        found,
                        attempts: failed,
                    };
                }
                Ok(Verdict::Refuted(refutation)) => {
                    grown.recogniser = Some(recogniser);
                    Failure::Refuted(refutation)
                }
                Err(met) => {
                    grown.recogniser = Some(recogniser);
                    Failure::Undecided(met)
                }
            },
        };
        failed.push(Attempt {
            depth,
            grown,
            failure,
        });
        if limits.within_time().is_err() {
            break;
        }
    }
    Discovered {
        found: None,
        attempts: failed,
    }
}
