//! Certificates: proofs that the independent checker accepts.
//!
//! A proved set of P-positions is verified by [`nimrule_checker`], which shares no
//! code with the provers ([`check`]), and so is a set of positions with their Grundy
//! values. An accepted set is a certificate;
//! [`nimrule_checker::Certificate`] describes its format.
//!
//! [`check_certificate`] verifies a certificate for a rule and its claim. The checker
//! verifies the set for all sizes. If it cannot translate the claim, the claim is
//! compared with the set in two other ways:
//!
//! 1. by evaluation at every position of a box;
//! 2. by its automaton, if it can be compiled. This trusts the compiler of
//!    formulas, and is reported separately.

use super::compile;
use super::decide;
use super::numbers::{NoWalnutSet, walnut_set};
use nimrule_automata::walnut::ReadError;
use nimrule_automata::{self as automata, LevelledDfa, Track};
pub use nimrule_checker::Proves;
use nimrule_checker::{
    Certificate, CountingCertificate, Rule, Unsupported, VerifyError, verify, verify_counting,
};
use nimrule_claim::ClaimEvaluator;
use nimrule_engine::{Outcome, Shape};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::expr::PlacedFault;
use nimrule_model::game::{Claim, Convention, Direction, Game, Statement};
use nimrule_symbolic::ProveError;
use thiserror::Error;

/// The work for checking a proof.
const PATIENCE: Steps = Steps::million(20);

/// The limits of one of the checks after a proof was found, of which a fourth of the work that is
/// left is at most for each.
pub fn checking(limits: &Limits) -> Limits {
    let limits = limits.of_checks();
    limits.half_work().half_work().cap_work(PATIENCE)
}

/// The work for checking a set before it is proved: if the checker accepts it, the prover
/// has nothing to do.
const PATIENCE_BEFORE: Steps = Steps::million(60);

/// The result of checking a proved set.
#[derive(Debug, Clone)]
pub enum Check {
    /// The checker accepts this certificate.
    Accepted(Box<Certificate>),
    /// Not checked: the rule has an operation that the checker does not support,
    /// or a limit is exceeded.
    Open(NotWritten),
    /// The set is not what it was proved to be, or not that of the claim, for this
    /// reason: the prover or the checker is wrong.
    Refused(String),
}

/// Verifies a proved set by the checker: of all P-positions, of some P-positions from which
/// every move is answered by a move back into it, or of the positions with their Grundy
/// values, which are on the track of values ([`decide::value_tracks`]). `claim` is the text
/// of the claim that the set proves, if there is one.
///
/// # Errors
///
/// An interruption.
pub fn check(
    game: &Game,
    proves: Proves,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<Check, LimitExceeded> {
    let certificate = match unchecked(game, proves, claim, convention, set, limits) {
        Ok(certificate) => certificate,
        Err(not) => return Ok(Check::Open(not)),
    };
    match verify(game, &certificate, limits) {
        Ok(_) => Ok(Check::Accepted(Box::new(certificate))),
        Err(VerifyError::LimitExceeded(LimitExceeded::Stopped)) => Err(LimitExceeded::Stopped),
        Err(VerifyError::LimitExceeded(limit)) => Ok(Check::Open(NotWritten(limit.to_string()))),
        Err(VerifyError::Unsupported(unsupported)) => Ok(Check::Open(unsupported.into())),
        Err(other) => Ok(Check::Refused(other.to_string())),
    }
}

/// The certificate of a set, with the arguments of [`check`], before the checker has seen it.
fn unchecked(
    game: &Game,
    proves: Proves,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<Certificate, NotWritten> {
    let rule = Rule::read(game)?;
    let numeration = for_checker(set.numeration());
    let set = checker_dfa(game, proves, set, limits)?;
    Ok(Certificate::new(
        &rule, proves, claim, convention, numeration, set,
    ))
}

/// [`check`] of a set of all P-positions before it is proved, within three quarters of the work: the rest is
/// left for the prover, which takes longer for most sets, if the checker does not accept the
/// set.
///
/// # Errors
///
/// An interruption.
pub fn check_first(
    game: &Game,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<Check, LimitExceeded> {
    let limits = limits.most_work().cap_work(PATIENCE_BEFORE);
    check(game, Proves::PPositions, claim, convention, set, &limits)
}

/// Returns the text of the certificate of a proved set, with the arguments of [`check`].
///
/// # Errors
///
/// The reason why the checker does not accept the set.
pub fn write(
    game: &Game,
    proves: Proves,
    claim: Option<&str>,
    convention: Convention,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<String, NotWritten> {
    match check(game, proves, claim, convention, set, limits) {
        Ok(Check::Accepted(certificate)) => Ok(certificate.text()),
        Ok(Check::Open(not)) => Err(not),
        Ok(Check::Refused(why)) => Err(NotWritten::refused(&why)),
        Err(limit) => Err(NotWritten(limit.to_string())),
    }
}

/// Has the checker verify that a claim gives the P-positions for any number of heaps. The inner
/// error is the reason why it is not verified.
///
/// # Errors
///
/// The reason why the checker rejects it, or an interruption.
pub fn check_counting(
    game: &Game,
    claim: &Claim,
    (base, last): (u8, u8),
    limits: &Limits,
) -> Result<Result<CountingCertificate, NotWritten>, Refusal> {
    let words = claim.words.as_str();
    let certificate = match CountingCertificate::new(game, words, claim.convention, base, last) {
        Ok(certificate) => certificate,
        Err(unsupported) => return Ok(Err(unsupported.into())),
    };
    match verify_counting(game, &certificate, limits) {
        Ok(_) => Ok(Ok(certificate)),
        Err(VerifyError::LimitExceeded(limit @ LimitExceeded::Stopped)) => {
            Err(Refusal::LimitExceeded(limit))
        }
        Err(VerifyError::LimitExceeded(limit)) => Ok(Err(NotWritten(limit.to_string()))),
        Err(VerifyError::Unsupported(unsupported)) => Ok(Err(unsupported.into())),
        Err(other) => Err(Refusal::Rejected(other.to_string())),
    }
}

/// Why the checker does not verify a proof for any number of heaps.
#[derive(Debug)]
pub enum Refusal {
    /// The prover or the checker is wrong.
    Rejected(String),
    /// An interruption.
    LimitExceeded(LimitExceeded),
}

/// The text of a claim that a set of P-positions may prove: one about outcomes, of a pairing
/// strategy, or that the game is a cogame.
pub(crate) fn words_of(claim: &Claim) -> Option<&str> {
    let is_of_outcomes = matches!(
        claim.statement,
        Some(Statement::Outcome { .. } | Statement::Pairing(_) | Statement::Cogame(None))
    );
    is_of_outcomes.then_some(claim.words.as_str())
}

/// The reason why a proof has no certificate.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no certificate is written for this: {0}")]
pub struct NotWritten(pub String);

impl NotWritten {
    /// The proof is without the set of all P-positions, and not about Grundy values.
    pub fn of_part() -> NotWritten {
        NotWritten("its proof does not give all P-positions or all Grundy values".to_owned())
    }

    /// The checker did not verify the proof, which says why.
    pub fn unverified() -> NotWritten {
        NotWritten("the independent checker did not verify the proof".to_owned())
    }

    /// Sets of real sizes have no automaton.
    pub fn of_reals() -> NotWritten {
        NotWritten(
            "certificates are for automata; `--smt-lib` writes the sentences for an external \
             solver"
                .to_owned(),
        )
    }

    /// The text for a proof that was not checked for this reason.
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

/// Checks whether proofs about a rule can have certificates.
///
/// # Errors
///
/// The operation that the checker does not support.
pub fn fits(game: &Game) -> Result<(), NotWritten> {
    Ok(Rule::read(game).map(|_| ())?)
}

/// The tracks of a set, in the order of the levels of a certificate's DFA.
pub(crate) fn tracks_of(game: &Game, proves: Proves) -> Vec<Track> {
    let mut tracks = compile::tracks(game);
    match proves {
        Proves::PPositions | Proves::SomePPositions => {}
        Proves::GrundyValues => tracks.push(decide::value_tracks(game).0),
    }
    tracks
}

/// The minimal DFA of a set, in the format of certificates.
///
/// # Errors
///
/// A limit is exceeded, or the set is too large.
pub(crate) fn checker_dfa(
    game: &Game,
    proves: Proves,
    set: &automata::Dfa,
    limits: &Limits,
) -> Result<nimrule_checker::Dfa, NotWritten> {
    let table = set.table(&tracks_of(game, proves));
    let table = table.ok_or_else(|| NotWritten("its automaton is too large".to_owned()))?;
    let whole = LevelledDfa::from_table(&table).minimised(limits);
    let whole = whole.map_err(|limit| NotWritten(limit.to_string()))?;
    let dfa = nimrule_checker::Dfa {
        heaps: whole.tracks,
        radix: whole.base,
        start: whole.starts[0],
        level: whole.level,
        accepting: whole.accepting,
        next: whole.next,
    };
    dfa.canonical(limits)
        .map_err(|limit| NotWritten(limit.to_string()))
}

/// The set of the DFA of a certificate; `None` if the numbers of digits differ.
pub(crate) fn set_of(
    game: &Game,
    proves: Proves,
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
    let table = levelled.table(dfa.start);
    (numeration.radix() == table.base).then(|| table.dfa(&tracks_of(game, proves), numeration))
}

/// The numeration system as a type of the checker.
pub(crate) fn for_checker(numeration: automata::Numeration) -> nimrule_checker::Numeration {
    match numeration {
        automata::Numeration::Base(base) => nimrule_checker::Numeration::Base(base),
        automata::Numeration::Ostrowski(quotient) => {
            nimrule_checker::Numeration::Ostrowski(quotient)
        }
    }
}

/// The numeration system as a type of the provers.
pub fn of_checker(numeration: nimrule_checker::Numeration) -> automata::Numeration {
    match numeration {
        nimrule_checker::Numeration::Base(base) => automata::Numeration::Base(base),
        nimrule_checker::Numeration::Ostrowski(quotient) => {
            automata::Numeration::Ostrowski(quotient)
        }
    }
}

/// A verified certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedCertificate {
    /// The states of the minimal automaton of the set.
    pub states: usize,
    /// The nodes of the DFA in the certificate.
    pub nodes: usize,
    /// The agreement with the named claim, if the certificate names one that the file
    /// has.
    pub claim: Option<Agreement>,
}

/// The agreement of the claim that the certificate names with its set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    /// The text of the claim.
    pub words: String,
    /// Whether the claim gives all of the set. Otherwise it is a statement about the set,
    /// such as `if` or `only if`.
    pub is_equality: bool,
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
    /// The checker rejects the set.
    #[error(transparent)]
    Checker(VerifyError),
    /// The claim and the set differ at this position.
    #[error("the claim and the certificate's set differ at {0}")]
    Claim(String),
    /// The claim has no value at a position.
    #[error("the claim has no value at {at}: {fault}")]
    Fault {
        /// The position.
        at: String,
        /// The expression without a value.
        fault: PlacedFault,
    },
    /// The compiled claim and the set differ at this position.
    #[error("the claim, as translated to an automaton, and the certificate's set differ at {0}")]
    Beyond(String),
    /// A text of Walnut has no set of positions of the game.
    #[error(transparent)]
    Walnut(NoWalnutSet),
    /// The set has no certificate.
    #[error("{0}")]
    NoCertificate(NotWritten),
    /// A limit is exceeded.
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

impl From<NoWalnutSet> for Rejected {
    fn from(refused: NoWalnutSet) -> Rejected {
        match refused {
            NoWalnutSet::Read(ReadError::LimitExceeded(limit)) => Rejected::LimitExceeded(limit),
            other => Rejected::Walnut(other),
        }
    }
}

impl From<VerifyError> for Rejected {
    fn from(refused: VerifyError) -> Rejected {
        match refused {
            VerifyError::LimitExceeded(limit) => Rejected::LimitExceeded(limit),
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
    let mut agreement = None;
    if let Some(claim) = verified.claim {
        let named = game.claims.iter().find(|own| own.words == claim.words);
        if let Some((own, statement)) = named.and_then(|own| Some((own, own.statement.as_ref()?))) {
            let is_equality = match statement {
                Statement::Outcome { direction, .. } => *direction == Direction::Iff,
                statement => matches!(statement, Statement::Grundy(_)),
            };
            let (to, compiled) = match claim.proved {
                Ok(()) => (None, Ok(())),
                Err(_) => (
                    Some(agrees(game, statement, certificate, limits)?),
                    compiled(game, own, certificate, limits)?,
                ),
            };
            agreement = Some(Agreement {
                words: claim.words,
                is_equality,
                to,
                compiled,
            });
        }
    }
    Ok(CheckedCertificate {
        states: verified.states,
        nodes: verified.nodes,
        claim: agreement,
    })
}

/// Verifies that the set of a text of Walnut is that of the P-positions of a game or, if it has
/// one number more than the game has heaps, that of the positions with their Grundy values.
///
/// # Errors
///
/// The reason for the rejection, or an exceeded limit.
pub fn check_walnut(
    game: &Game,
    text: &str,
    convention: Convention,
    limits: &Limits,
) -> Result<(Certificate, CheckedCertificate), Rejected> {
    let (proves, set) = walnut_set(game, text, limits)?;
    let certificate = unchecked(game, proves, None, convention, &set, limits);
    let certificate = certificate.map_err(Rejected::NoCertificate)?;
    let checked = check_certificate(game, &certificate, limits)?;
    Ok((certificate, checked))
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
const MAX_COMPARED: u128 = 100_000;

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
    let mut evaluator = ClaimEvaluator::new(game);
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
                compare_at(game, &mut evaluator, statement, certificate, &position)?;
            }
            if !next(&mut position, &largest) {
                break;
            }
        }
        if to == most {
            return Ok(to);
        }
        before = Some(to);
        to = most.min(2 * to);
    }
}

/// Compares the claim with the set at one position.
fn compare_at(
    game: &Game,
    evaluator: &mut ClaimEvaluator<'_>,
    statement: &Statement,
    certificate: &Certificate,
    position: &[u64],
) -> Result<(), Rejected> {
    let has = |numbers: &[u64]| certificate.set.accepts(certificate.numeration, numbers);
    let (is_p, value) = match certificate.proves {
        Proves::PPositions | Proves::SomePPositions => (has(position), None),
        Proves::GrundyValues => {
            // The set is verified, so that the position has a value.
            let value = (0..).find(|value| has(&[position, &[*value]].concat()));
            (value == Some(0), value)
        }
    };
    let outcome = if is_p { Outcome::P } else { Outcome::N };
    match evaluator.contradiction(statement, position, outcome, value) {
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
    let limits = limits.half_work().or_work(COMPILE_PATIENCE);
    let letters = set
        .radix
        .checked_pow(set.heaps as u32)
        .unwrap_or(usize::MAX);
    let places = (letters as u128).saturating_mul(set.states() as u128);
    if let Err(limit) = limits.check_memory(places.saturating_mul(8)) {
        return Ok(Err(limit.to_string()));
    }
    let numeration = of_checker(certificate.numeration);
    let all = set_of(game, certificate.proves, set, numeration);
    let Some(all) = all else {
        return Ok(Err("its numeration is not that of the claim".to_owned()));
    };
    match first_difference(game, claim, &all, &limits) {
        Ok(None) => Ok(Ok(())),
        Ok(Some(at)) => Err(Rejected::Beyond(at)),
        Err(ProveError::Unsupported(unsupported)) => Ok(Err(unsupported.what)),
        Err(ProveError::LimitExceeded(LimitExceeded::Stopped)) => {
            Err(LimitExceeded::Stopped.into())
        }
        Err(ProveError::LimitExceeded(limit)) => Ok(Err(limit.to_string())),
    }
}

/// The work for compiling a claim.
const COMPILE_PATIENCE: Steps = Steps::million(20);

/// The first position at which the compiled claim and a set differ.
fn first_difference(
    game: &Game,
    claim: &Claim,
    all: &automata::Dfa,
    limits: &Limits,
) -> Result<Option<String>, ProveError> {
    let (prover, claimed, direction) = match &claim.statement {
        Some(Statement::Grundy(value)) => {
            let numeration = all.numeration();
            let (prover, graph) = decide::claimed_values(game, value, numeration, limits)?;
            (prover, graph, Direction::Iff)
        }
        _ => decide::claimed_set(game, claim, all.numeration(), limits)?,
    };
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
