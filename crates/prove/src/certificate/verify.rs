//! The verification of a certificate for a rule and its claim.
//!
//! [`nimrule_checker`] verifies the set for all sizes. If it cannot translate the
//! claim, the claim is compared with the set in two other ways:
//!
//! 1. by evaluation at every position of a box;
//! 2. by its automaton, if it can be compiled. This trusts the compiler of
//!    formulas, and is reported separately.

use super::{of_checker, set_of};
use crate::decide;
use crate::theorem::ProveError;
use nimrule_automata::Dfa;
use nimrule_checker::{Certificate, verify};
use nimrule_claim::ClaimEvaluator;
use nimrule_engine::{Outcome, Shape};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::PlacedFault;
use nimrule_model::game::{Claim, Direction, Game, Statement};
use std::time::{Duration, Instant};
use thiserror::Error;

/// A verified certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCertificate {
    /// The states of the minimal automaton of the P-positions.
    pub states: usize,
    /// The nodes of the DFA in the certificate.
    pub nodes: usize,
    pub claim: Option<Agreement>,
}

/// The agreement of the claim that the certificate names with its set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    pub words: String,
    /// The largest heap size of the compared positions; `None` if the checker
    /// has verified the claim for all sizes.
    pub to: Option<u64>,
    /// Whether the compiled claim agrees for all sizes, or why it is not
    /// compiled.
    pub compiled: Result<(), String>,
}

/// Why a certificate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Rejected {
    #[error(transparent)]
    Checker(nimrule_checker::VerifyError),
    #[error("the claim and the certificate's set differ at {0}")]
    Claim(String),
    #[error("the claim has no value at {at}: {fault}")]
    Fault { at: String, fault: PlacedFault },
    #[error("the claim, as translated to an automaton, and the certificate's set differ at {0}")]
    Beyond(String),
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

impl From<nimrule_checker::VerifyError> for Rejected {
    fn from(refused: nimrule_checker::VerifyError) -> Rejected {
        match refused {
            nimrule_checker::VerifyError::LimitExceeded(met) => Rejected::LimitExceeded(met),
            other => Rejected::Checker(other),
        }
    }
}

/// Verifies a certificate for a game.
///
/// # Errors
///
/// The reason for the rejection, or an exceeded limit.
pub fn check_certificate(
    game: &Game,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<CheckedCertificate, Rejected> {
    let verified = verify(game, certificate, limits)?;
    let claim = match verified.claim {
        None => None,
        Some(claim) if claim.proved.is_ok() => Some(Agreement {
            words: claim.words,
            to: None,
            compiled: Ok(()),
        }),
        Some(claim) => {
            let named = game.claims.iter().find(|own| own.words == claim.words);
            match named.and_then(|own| Some((own, own.statement.as_ref()?))) {
                Some((own, statement)) => Some(Agreement {
                    words: claim.words,
                    to: Some(agrees(game, statement, certificate, limits)?),
                    compiled: compiled(game, own, certificate, limits)?,
                }),
                None => None,
            }
        }
    };
    Ok(CheckedCertificate {
        states: verified.states,
        nodes: verified.nodes,
        claim,
    })
}

/// Advances to the next position of a box; returns `false` after the last.
fn next(position: &mut [u64], most: &[u64]) -> bool {
    for (size, most) in position.iter_mut().zip(most) {
        if *size < *most {
            *size += 1;
            return true;
        }
        *size = 0;
    }
    false
}

/// The most positions at which the claim is evaluated.
const MAX_COMPARED: u128 = 200_000;
/// The time after which the box is not enlarged again.
const PATIENCE: Duration = Duration::from_secs(1);

/// Compares the claim with the set at every position of a box, and returns the
/// size of the box.
fn agrees(
    game: &Game,
    statement: &Statement,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<u64, Rejected> {
    let heaps = game.heap_count();
    let mut most = 1;
    while Shape::count(&vec![most + 1; heaps]) <= MAX_COMPARED {
        most += 1;
    }
    let begun = Instant::now();
    let mut judge = ClaimEvaluator::new(game);
    let mut before = None;
    let mut to = 1;
    loop {
        let largest = vec![to; heaps];
        let mut position = vec![0; heaps];
        let mut count = 0_u32;
        loop {
            count = count.wrapping_add(1);
            if count & 0xff == 0 {
                limits.check_time()?;
            }
            // Positions of the smaller box have been compared.
            if !before.is_some_and(|before| position.iter().all(|size| *size <= before)) {
                compare(game, &mut judge, statement, certificate, &position)?;
            }
            if !next(&mut position, &largest) {
                break;
            }
        }
        if to == most || begun.elapsed() > PATIENCE {
            return Ok(to);
        }
        before = Some(to);
        to = most.min(2 * to);
    }
}

fn compare(
    game: &Game,
    judge: &mut ClaimEvaluator<'_>,
    statement: &Statement,
    certificate: &Certificate,
    position: &[u64],
) -> Result<(), Rejected> {
    let outcome = match certificate.set.accepts(certificate.numeration, position) {
        true => Outcome::P,
        false => Outcome::N,
    };
    match judge.contradiction(statement, position, outcome, None) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(Rejected::Claim(game.shown(position))),
        Err(fault) => Err(Rejected::Fault {
            at: game.shown(position),
            fault,
        }),
    }
}

/// Compares the automaton of the claim with the set, for all sizes. The inner
/// error is the reason why the claim cannot be compiled.
fn compiled(
    game: &Game,
    claim: &Claim,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Result<(), String>, Rejected> {
    let set = &certificate.set;
    let limits = limits.half_time().or_time(LONGEST);
    let letters = set
        .radix
        .checked_pow(set.heaps as u32)
        .unwrap_or(usize::MAX);
    let places = (letters as u128).saturating_mul(set.states() as u128);
    if let Err(met) = limits.check_memory(places.saturating_mul(8)) {
        return Ok(Err(met.to_string()));
    }
    let all = set_of(game, set, of_checker(certificate.numeration));
    let Some(all) = all else {
        return Ok(Err("its numeration is not that of the claim".to_owned()));
    };
    match differs(game, claim, &all, &limits) {
        Ok(None) => Ok(Ok(())),
        Ok(Some(at)) => Err(Rejected::Beyond(at)),
        Err(ProveError::Unsupported(unsupported)) => Ok(Err(unsupported.what)),
        Err(ProveError::LimitExceeded(LimitExceeded::Stopped)) => {
            Err(LimitExceeded::Stopped.into())
        }
        Err(ProveError::LimitExceeded(met)) => Ok(Err(met.to_string())),
    }
}

/// The time limit for compiling a claim.
const LONGEST: Duration = Duration::from_secs(20);

fn differs(
    game: &Game,
    claim: &Claim,
    all: &Dfa,
    limits: &Limits,
) -> Result<Option<String>, ProveError> {
    let (prover, claimed, direction) = decide::claimed_set(game, claim, all.numeration(), limits)?;
    let budget = &prover.compiler.budget;
    let mut first = None;
    if direction != Direction::OnlyIf {
        first = prover.first_position(&claimed.and_not(all, budget)?);
    }
    if direction != Direction::If && first.is_none() {
        first = prover.first_position(&all.and_not(&claimed, budget)?);
    }
    Ok(first.map(|failing| match failing.first() {
        Some(position) => game.shown(position),
        None => "one with very many digits".to_owned(),
    }))
}
