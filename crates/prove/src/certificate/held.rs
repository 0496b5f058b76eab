//! A certificate, held against a rule and its claim.
//!
//! [`nimrule_checker`] decides, of all sizes. Where the claim has something that
//! it does not read, the set is verified all the same, and two others are asked
//! about the claim:
//!
//! 1. it is evaluated at every position of a box, and says what the set says;
//! 2. where it can be compiled to an automaton, that is compared with the set.
//!    This trusts the compiler of formulas, and is reported apart.

use super::{of_checker, set_of};
use crate::decide;
use crate::theorem::ProveError;
use nimrule_automata::Dfa;
use nimrule_checker::{Certificate, verify};
use nimrule_claim::Judge;
use nimrule_engine::{Outcome, Shape};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::PlacedFault;
use nimrule_model::game::{Claim, Direction, Game, Statement};
use std::time::{Duration, Instant};
use thiserror::Error;

/// What was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Of the smallest automaton of the P-positions, a letter at a time.
    pub states: usize,
    /// The nodes of the DFA in the certificate.
    pub nodes: usize,
    pub claim: Option<Agreement>,
}

/// A claim that the certificate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    pub words: String,
    /// It agrees with the set at every position with heaps up to this; nothing
    /// where the checker has proved it for all sizes.
    pub to: Option<u64>,
    /// The compiler of formulas says so for all sizes; or why it does not
    /// say.
    pub compiled: Result<(), String>,
}

/// Why a certificate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    #[error(transparent)]
    Checker(nimrule_checker::VerifyError),
    #[error("the claim says something else of {0} than the certificate's set does")]
    Claim(String),
    #[error("the claim has no value at {at}: {fault}")]
    Fault { at: String, fault: PlacedFault },
    #[error(
        "the claim, as the compiler of formulas reads it, says something else of {0} than the \
         certificate's set does"
    )]
    Beyond(String),
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

impl From<nimrule_checker::VerifyError> for Refused {
    fn from(refused: nimrule_checker::VerifyError) -> Refused {
        match refused {
            nimrule_checker::VerifyError::LimitExceeded(met) => Refused::LimitExceeded(met),
            other => Refused::Checker(other),
        }
    }
}

/// Holds a certificate against a game.
///
/// # Errors
///
/// Why it is not accepted, or a limit that was met before.
pub fn held(game: &Game, certificate: &Certificate, limits: &Limits) -> Result<Held, Refused> {
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
    Ok(Held {
        states: verified.states,
        nodes: verified.nodes,
        claim,
    })
}

/// The next position of a box, as a counter goes; none behind the last.
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

/// So many positions are held against the claim.
const MAX_COMPARED: u128 = 200_000;
/// Where that takes longer, it is as far as the sizes have been doubled then.
const PATIENCE: Duration = Duration::from_secs(1);

/// Holds the claim against the set at every position of a box, and says to
/// which size that is.
fn agrees(
    game: &Game,
    statement: &Statement,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<u64, Refused> {
    let heaps = game.heap_count();
    let mut most = 1;
    while Shape::count(&vec![most + 1; heaps]) <= MAX_COMPARED {
        most += 1;
    }
    let begun = Instant::now();
    let mut judge = Judge::new(game);
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
            // The smaller box has been looked at.
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
    judge: &mut Judge<'_>,
    statement: &Statement,
    certificate: &Certificate,
    position: &[u64],
) -> Result<(), Refused> {
    let outcome = match certificate.set.accepts(certificate.numeration, position) {
        true => Outcome::P,
        false => Outcome::N,
    };
    match judge.objection(statement, position, outcome, None) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(Refused::Claim(game.shown(position))),
        Err(fault) => Err(Refused::Fault {
            at: game.shown(position),
            fault,
        }),
    }
}

/// The second opinion: whether the claim's automaton says the same for all
/// sizes. Where it cannot be had, that is no fault of the certificate.
fn compiled(
    game: &Game,
    claim: &Claim,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Result<(), String>, Refused> {
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
        return Ok(Err("its digits are not those of a claim".to_owned()));
    };
    match differs(game, claim, &all, &limits) {
        Ok(None) => Ok(Ok(())),
        Ok(Some(at)) => Err(Refused::Beyond(at)),
        Err(ProveError::Unsupported(unsupported)) => Ok(Err(unsupported.what)),
        Err(ProveError::LimitExceeded(LimitExceeded::Stopped)) => {
            Err(LimitExceeded::Stopped.into())
        }
        Err(ProveError::LimitExceeded(met)) => Ok(Err(met.to_string())),
    }
}

/// How long a claim is compiled.
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
        None => "one of very many digits".to_owned(),
    }))
}
