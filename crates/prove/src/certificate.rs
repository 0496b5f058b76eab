//! Certificates: proofs that the independent checker accepts.
//!
//! A proved set of P-positions is verified by [`nimrule_checker`], which shares no
//! code with the provers ([`check`]). An accepted set is a certificate: [`nimrule_checker::Certificate`] has its
//! format, and [`check_certificate`] verifies one for a rule and its claim.

mod verify;

pub use verify::{Agreement, CheckedCertificate, Rejected, check_certificate};

use super::hypergraph_nim::of_game;
use nimrule_automata::{self as automata, LevelledDfa};
use nimrule_checker::{Certificate, Rule, Unsupported, VerifyError, verify};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Convention, Game};
use std::time::Duration;
use thiserror::Error;

/// The time limit for checking a proof.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The result of checking a proved set of P-positions.
#[derive(Debug, Clone)]
pub enum Check {
    Accepted(Box<Certificate>),
    /// Not checked: the rule has an operation that the checker does not support,
    /// or a limit is exceeded.
    Open(NotWritten),
    /// It is not the set of the P-positions, or not what the claim says: one of
    /// the prover and the checker is wrong.
    Refused(String),
}

/// Holds a set, and the claim with these words, if one was proved by it,
/// against the checker.
///
/// # Errors
///
/// An interruption.
pub fn check(
    game: &Game,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<Check, LimitExceeded> {
    let rule = match Rule::read(game) {
        Ok(rule) => rule,
        Err(unsupported) => return Ok(Check::Open(unsupported.into())),
    };
    let numeration = for_checker(set.numeration());
    let set = match written(game, set, limits) {
        Ok(set) => set,
        Err(not) => return Ok(Check::Open(not)),
    };
    let certificate = Certificate::new(&rule, claim, convention, numeration, set);
    match verify(game, &certificate, limits) {
        Ok(_) => Ok(Check::Accepted(Box::new(certificate))),
        Err(VerifyError::LimitExceeded(LimitExceeded::Stopped)) => Err(LimitExceeded::Stopped),
        Err(VerifyError::LimitExceeded(met)) => Ok(Check::Open(NotWritten(met.to_string()))),
        Err(VerifyError::Unsupported(unsupported)) => Ok(Check::Open(unsupported.into())),
        Err(other) => Ok(Check::Refused(other.to_string())),
    }
}

/// The certificate of a set that was proved to be that of the P-positions, as
/// text, with the words of the claim, if one was.
///
/// # Errors
///
/// Why there is none: what the checker does not accept is not written.
pub fn write(
    game: &Game,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<String, NotWritten> {
    match check(game, claim, convention, set, limits) {
        Ok(Check::Accepted(certificate)) => Ok(certificate.text()),
        Ok(Check::Open(not)) => Err(not),
        Ok(Check::Refused(why)) => Err(NotWritten::refused(&why)),
        Err(met) => Err(NotWritten(met.to_string())),
    }
}

/// The reason why a proof has no certificate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no certificate is written for this: {0}")]
pub struct NotWritten(pub String);

impl NotWritten {
    /// What was proved is not the set of the P-positions.
    pub fn not_of_outcomes() -> NotWritten {
        NotWritten("certificates cover the set of all P-positions".to_owned())
    }

    /// No automaton tells sets of real sizes.
    pub fn of_reals() -> NotWritten {
        NotWritten(
            "certificates are for automata; `--smt-lib` writes the sentences for an external \
             solver"
                .to_owned(),
        )
    }

    /// The same, of a proof that was not checked.
    pub fn unchecked(&self) -> String {
        format!("not checked by the independent checker: {}", self.0)
    }

    fn refused(why: &str) -> NotWritten {
        NotWritten(format!("the checker rejects it: {why}"))
    }
}

impl From<Unsupported> for NotWritten {
    fn from(unsupported: Unsupported) -> NotWritten {
        NotWritten(format!("the checker does not support {unsupported}"))
    }
}

/// Returns whether proofs about a rule can have certificates.
///
/// # Errors
///
/// What the checker does not read.
pub fn fits(game: &Game) -> Result<(), NotWritten> {
    Ok(Rule::read(game).map(|_| ())?)
}

/// The minimal DFA of a set, in the format of certificates.
///
/// # Errors
///
/// A limit, or a set too large.
pub fn written(
    game: &Game,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<nimrule_checker::Dfa, NotWritten> {
    let table = of_game::table(game, set);
    let table = table.ok_or_else(|| NotWritten("its automaton is too large".to_owned()))?;
    let whole = LevelledDfa::from_table(&table).minimised(limits);
    let whole = whole.map_err(|met| NotWritten(met.to_string()))?;
    let dfa = nimrule_checker::Dfa {
        heaps: whole.tracks,
        radix: whole.base,
        start: whole.starts[0],
        level: whole.level,
        accepting: whole.accepting,
        next: whole.next,
    };
    dfa.canonical(limits)
        .map_err(|met| NotWritten(met.to_string()))
}

/// The set of a DFA of a certificate; `None` where it is not of this game.
pub fn set_of(
    game: &Game,
    dfa: &nimrule_checker::Dfa,
    numeration: automata::Numeration,
) -> Option<automata::Dfa> {
    let levelled = LevelledDfa {
        base: dfa.radix,
        tracks: dfa.heaps,
        starts: vec![dfa.start],
        level: dfa.level.clone(),
        accepting: dfa.accepting.clone(),
        next: dfa.next.clone(),
    };
    of_game::set_of(game, &levelled.table(dfa.start), numeration)
}

/// The same numeration, as the checker has it.
pub fn for_checker(numeration: automata::Numeration) -> nimrule_checker::Numeration {
    match numeration {
        automata::Numeration::Base(base) => nimrule_checker::Numeration::Base(base),
        automata::Numeration::Zeckendorf => nimrule_checker::Numeration::Zeckendorf,
    }
}

/// The same numeration, as the prover has it.
pub fn of_checker(numeration: nimrule_checker::Numeration) -> automata::Numeration {
    match numeration {
        nimrule_checker::Numeration::Base(base) => automata::Numeration::Base(base),
        nimrule_checker::Numeration::Zeckendorf => automata::Numeration::Zeckendorf,
    }
}
