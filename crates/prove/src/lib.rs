//! The provers: they decide claims for heaps of all sizes.
//!
//! A claim about a game with a fixed number of heaps is reduced by the partition
//! theorem ([`theorem`]) to formulas of an arithmetic that automata decide
//! ([`nimrule_automata`]). The terms are defined in `docs/src/glossary.md`.
//!
//! ```text
//! claim ─ symbolic ─▶ formula ─ compile ─▶ automaton ┐
//! rule  ─ symbolic ─▶ formula ─ compile ─▶ automaton ┴─ theorem ─▶ decide ─▶ verdict
//! ```
//!
//! Hypergraph Nim has its own decision procedure, without formulas for its moves
//! ([`hypergraph_nim`]). Claims about heaps of real size are decided by quantifier
//! elimination over ordered fields ([`nimrule_real`]). Claims about any number of heaps are
//! decided by counting the heaps with each digit ([`any_number`]). The list
//! [`procedures::PROCEDURES`] orders these decision procedures.
//!
//! Nothing is searched for here. What finds sets, values and closed forms without a claim
//! (`nimrule_discover`) asks whether they are right: [`decide::decide_p_positions`],
//! [`decide::decide_grundy_values`], [`decide::gives_values`], [`Conditions`]. Where a claim
//! needs the set of all P-positions, the [`Strategy`] says where it comes from
//! ([`PPositions`]).
//!
//! All of them translate rules and claims by the same interpreter
//! ([`nimrule_symbolic`]), each over its domain of numbers. An operation without a
//! translation is refused with its place ([`Unsupported`]).
//!
//! A proved claim is compared with the engines on small boxes (`counterexample`), and
//! a proved set of P-positions is verified by the independent checker
//! ([`certificate`]). A refuted claim is reported with the smallest position at
//! which the engines find that it fails (`counterexample`).

#![warn(missing_docs)]

pub mod any_number;
pub mod certificate;
mod compile;
mod conditions;
#[doc(hidden)]
pub mod counterexample;
pub mod decide;
pub mod hypergraph_nim;
mod integers;
pub mod numbers;
mod numeration;
pub mod procedures;
pub mod proof_cache;
pub mod proved_outcomes;
pub mod theorem;

pub use compile::{set_of_table, table, tracks};
pub use conditions::Conditions;
pub use decide::{Decision, Learner, PPositions, Proof, Set, Strategy, decide};
pub use nimrule_automata::{Dfa, Numeration};
pub use nimrule_symbolic::formula::{of_heap, of_heap_after};
pub use nimrule_symbolic::{ProveError, Reason, Unsupported};
pub use numeration::numeration_of_rule;

use certificate::{Check, Proves};
use nimrule_claim::{Counterexample, PositionFact};
use nimrule_engine::{Limits, SolveError};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::{Claim, Game, Statement};

/// The result of deciding a claim for all sizes.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// The claim is proved.
    Proved(Proof),
    /// The claim is proved for any number of heaps.
    ProvedOfAnyNumber(any_number::Proof),
    /// The labelling of heaps of real size is proved.
    ProvedOfReals(nimrule_real::Proof),
    /// The labelling of heaps of real size is wrong at this position.
    RefutedOfReals(nimrule_real::Witness),
    /// The claim fails at this position: the smallest one, if the positions with fewer tokens
    /// are few enough to be solved.
    Refuted(Counterexample),
    /// The rule or claim has an operation that no procedure translates.
    Unsupported(Unsupported),
    /// The claim was proved, but the engines find that it fails at this position: an
    /// internal error of the prover or the engines.
    Contradicted(Counterexample),
    /// Not decided, with the reason. The claim may be true or false.
    Undecided(String),
}

/// Decides a claim for all sizes.
///
/// `strategy` has the limits, and says where the set of all P-positions comes from if the
/// claim needs it and the file does not give it. Claims about all P-positions are proved
/// without it.
///
/// # Errors
///
/// A limit is exceeded before the claim is decided.
///
/// # Examples
///
/// ```
/// use nimrule_limits::Limits;
/// use nimrule_prove::{Strategy, Verdict, prove};
///
/// let text = "game nim\nheaps a b\nmove take from one heap\nclaim P iff a == b\n";
/// let file = nimrule_syntax::parse(text).into_result().expect("no syntax error");
/// let settings = nimrule_elaborate::Settings::new();
/// let no_imports = |_: &str| Err("no imports".to_owned());
/// let game = nimrule_analysis::check(&file, text, &settings, &no_imports)
///     .expect("no errors")
///     .game;
///
/// let strategy = Strategy::all(&Limits::of_memory(1 << 28));
/// match prove(&game, &game.claims[0], &strategy) {
///     Ok(Verdict::Proved(proof)) => assert_eq!(proof.states, 2),
///     other => panic!("{other:?}"),
/// }
/// ```
pub fn prove(game: &Game, claim: &Claim, strategy: &Strategy<'_>) -> Result<Verdict, SolveError> {
    let procedures = strategy.procedures.iter();
    let supporting = procedures.filter(|by| by.supports(game).is_ok());
    let mut decided = supporting.filter_map(|by| by.decide(game, claim, strategy));
    // If no procedure supports the rule, this one returns the reason.
    let verdict = decided
        .next()
        .unwrap_or_else(|| of_integers(game, claim, strategy));
    strategy.limits.set_numeration(None);
    verdict
}

/// Decides a claim about heaps of real size.
fn of_reals(game: &Game, claim: &Claim, limits: &Limits) -> Result<Verdict, SolveError> {
    match nimrule_real::decide(game, claim, limits) {
        Ok(nimrule_real::Decision::Holds(proof)) => Ok(Verdict::ProvedOfReals(proof)),
        Ok(nimrule_real::Decision::Fails(found)) => Ok(Verdict::RefutedOfReals(found)),
        Ok(nimrule_real::Decision::FailsSomewhere) => Ok(Verdict::Undecided(
            "it fails, and no counterexample was found".to_owned(),
        )),
        Err(ProveError::Unsupported(unsupported)) => Ok(Verdict::Unsupported(unsupported)),
        Err(ProveError::LimitExceeded(limit)) => Err(SolveError::from(limit)),
    }
}

/// Decides a claim about heaps of tokens.
fn of_integers(game: &Game, claim: &Claim, strategy: &Strategy<'_>) -> Result<Verdict, SolveError> {
    let limits = &strategy.limits;
    // If the file states that the claim is refuted, search there first.
    if claim.refuted.is_some()
        && decide::check_feasible(game, claim).is_ok()
        && let Some(found) = find_counterexample(game, claim, &[], limits)?
    {
        return Ok(Verdict::Refuted(found));
    }
    if decide::check_feasible(game, claim).is_ok()
        && let Some(found) = counterexample::small(game, claim, limits)?
    {
        return Ok(Verdict::Refuted(found));
    }
    match decide(game, claim, strategy) {
        Ok(Decision::Holds(proof)) => cross_checked(game, claim, proof, limits),
        // A position of any size may have a move to it: no engine can confirm
        // the failure.
        Ok(Decision::Fails(near)) if matches!(claim.statement, Some(Statement::Cogame(_))) => {
            Ok(match near.into_iter().next() {
                Some(position) => Verdict::Refuted(Counterexample {
                    position,
                    actual: PositionFact::Words("no P-position has a move to it".to_owned()),
                    claimed: PositionFact::Words("it is N".to_owned()),
                }),
                None => {
                    Verdict::Undecided("it fails at a position with very many digits".to_owned())
                }
            })
        }
        Ok(Decision::Fails(near)) => Ok(match find_counterexample(game, claim, &near, limits)? {
            Some(found) => Verdict::Refuted(found),
            None => {
                let near: Vec<String> = near.iter().map(|at| game.shown(at)).collect();
                Verdict::Undecided(format!(
                    "it fails near {}, and no engine reaches a counterexample",
                    near.join(" or ")
                ))
            }
        }),
        Ok(Decision::Open(why)) => Ok(match find_counterexample(game, claim, &[], limits)? {
            Some(found) => Verdict::Refuted(found),
            None => Verdict::Undecided(why),
        }),
        Err(ProveError::Unsupported(unsupported)) => Ok(Verdict::Unsupported(unsupported)),
        // Positions may need less memory than automata.
        Err(ProveError::LimitExceeded(limit @ LimitExceeded::Memory { .. })) => {
            match find_counterexample(game, claim, &[], limits)? {
                Some(found) => Ok(Verdict::Refuted(found)),
                None => Err(SolveError::from(limit)),
            }
        }
        Err(ProveError::LimitExceeded(limit)) => Err(SolveError::from(limit)),
    }
}

/// Compares a proved claim with the engines. If the set of the P-positions or the Grundy
/// values are proved, the independent checker verifies them, and the claim.
fn cross_checked(
    game: &Game,
    claim: &Claim,
    mut proof: Proof,
    limits: &Limits,
) -> Result<Verdict, SolveError> {
    if let Some(found) = counterexample::find_contradiction(game, claim, limits)? {
        return Ok(Verdict::Contradicted(found));
    }
    let limits = certificate::checking(limits);
    let convention = claim.convention;
    let check = match (proof.asked.take(), proof.of.proves()) {
        (Some(check), _) => Ok(check),
        (None, Some(proves)) => {
            let words = match proves {
                Proves::GrundyValues => Some(claim.words.as_str()),
                _ => certificate::words_of(claim),
            };
            certificate::check(game, proves, words, convention, &proof.automaton, &limits)
        }
        (None, None) => return Ok(Verdict::Proved(proof)),
    };
    match check.map_err(SolveError::from)? {
        Check::Accepted(certificate) => proof.certificate = Some(certificate),
        Check::Open(not) => proof.checked.push(not.unchecked()),
        Check::Refused(why) => {
            return Ok(Verdict::Undecided(format!(
                "the prover finds that it holds, but the independent checker rejects the \
                 proof: {why}"
            )));
        }
    }
    Ok(Verdict::Proved(proof))
}

/// Searches for a position at which the claim fails; `None` if the engines reach
/// none.
fn find_counterexample(
    game: &Game,
    claim: &Claim,
    near: &[Vec<u64>],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    match counterexample::refute(game, claim, near, limits) {
        // A limit of the engines is no result.
        Err(SolveError::Work { .. } | SolveError::Memory { .. } | SolveError::Cannot { .. }) => {
            Ok(None)
        }
        other => other,
    }
}
