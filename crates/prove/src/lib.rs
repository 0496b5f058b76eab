//! Theorems for all sizes.
//!
//! A claim that holds to a bound is no theorem. For a fixed number of heaps the
//! partition theorem turns it into statements about numbers ([`theorem`]) in
//! which everything is a matter of digits, so that automata decide them
//! ([`nimrule_automata`]):
//!
//! ```text
//! claim ─ symbolic ─▶ formula ─ compile ─▶ automaton ┐
//! rule  ─ symbolic ─▶ formula ─ compile ─▶ automaton ┴─ theorem ─▶ decide ─▶ verdict
//! ```
//!
//! Rules that remove any number of tokens from each heap of a hyperedge need no
//! formulas for their moves: they have a decision procedure of their own
//! ([`hypergraph_nim`]). Without a claim the automaton of the P-positions is
//! learned, from the rule or from solved positions, and proved like a claim
//! ([`residual_learning`]).
//!
//! Which of these decision procedures takes a rule is a list ([`procedures`]).
//!
//! Of heaps of real size other theorems are decided, by eliminating quantifiers
//! over ordered fields ([`real`]). Both read rules and claims by the same
//! interpreter ([`symbolic`]), over a domain of numbers each.
//!
//! Whatever is beyond that is refused by name, with its place
//! ([`unsupported`]). What was proved is held against the engines once more
//! (`confirm`), and a set that was proved to be that of the P-positions against
//! the independent checker ([`certificate`]). What the automata find false is
//! shown with the smallest position at which the engines find that it fails
//! (`refute`).

pub mod any_size;
mod bases;
pub mod certificate;
pub mod compile;
mod confirm;
pub mod decide;
mod discovered;
pub mod forms;
pub mod hypergraph_nim;
pub mod integers;
pub mod kept;
pub mod procedures;
pub mod real;
mod refute;
pub mod reply;
pub mod residual_learning;
pub mod symbolic;
pub mod theorem;
pub mod unsupported;

pub use decide::{Decision, Means, Proof, Set, decide};
pub use discovered::discovered;
pub use nimrule_automata::{Dfa, Numeration};
pub use residual_learning::Origin;
pub use unsupported::{Reason, Unsupported};

use certificate::Check;
use nimrule_claim::{Counterexample, Said};
use nimrule_engine::{Failure, Limits};
use nimrule_model::game::{Claim, Game, Statement};
use procedures::PROCEDURES;
use theorem::ProveError;

/// What became of a claim for all sizes.
#[derive(Debug, Clone)]
pub enum Verdict {
    Proved(Proof),
    /// Of heaps of real size: the labelling is proved.
    ProvedOfReals(real::Proof),
    /// Of heaps of real size: at this position the labelling is wrong.
    RefutedOfReals(real::Witness),
    /// It fails at this position; the smallest where that can be known.
    Refuted(Counterexample),
    /// Something that no theorem is proved about.
    Unsupported(Unsupported),
    /// It was proved, and the engines find that it fails at this position: an
    /// internal error of one of them, and no theorem.
    Contradicted(Counterexample),
    /// Not decided, and why. That does not say that it is false.
    Undecided(String),
}

/// Decides a claim for all sizes.
///
/// `Err` is a limit that was met before anything was decided.
pub fn prove(game: &Game, claim: &Claim, limits: &Limits) -> Result<Verdict, Failure> {
    let able = PROCEDURES.iter().filter(|by| by.can(game).is_ok());
    let mut decided = able.filter_map(|by| by.decide(game, claim, limits));
    // Where none is made for the rule, this one has the reason with its place.
    decided
        .next()
        .unwrap_or_else(|| of_integers(game, claim, limits))
}

/// The same for heaps of real size.
fn of_reals(game: &Game, claim: &Claim, limits: &Limits) -> Result<Verdict, Failure> {
    match real::decide(game, claim, limits) {
        Ok(real::Decision::Holds(proof)) => Ok(Verdict::ProvedOfReals(proof)),
        Ok(real::Decision::Fails(found)) => Ok(Verdict::RefutedOfReals(found)),
        Ok(real::Decision::FailsSomewhere) => Ok(Verdict::Undecided(
            "it fails, and no position that shows it was found".to_owned(),
        )),
        Err(ProveError::Unsupported(unsupported)) => Ok(Verdict::Unsupported(unsupported)),
        Err(ProveError::LimitExceeded(met)) => Err(Failure::of_limit(met)),
    }
}

/// The same for heaps of tokens.
fn of_integers(game: &Game, claim: &Claim, limits: &Limits) -> Result<Verdict, Failure> {
    // Where the file says that it fails, that is looked at first.
    if claim.refuted.is_some()
        && decide::within_reach(game, claim).is_ok()
        && let Some(found) = shown(game, claim, &[], limits)?
    {
        return Ok(Verdict::Refuted(found));
    }
    match decide(game, claim, &Means::all(limits)) {
        Ok(Decision::Holds(proof)) => confirmed(game, claim, proof, limits),
        // Positions of any size may lead to one: no engine could confirm it.
        Ok(Decision::Fails(near)) if matches!(claim.statement, Some(Statement::Cogame)) => {
            Ok(match near.into_iter().next() {
                Some(position) => Verdict::Refuted(Counterexample {
                    position,
                    actual: Said::Words("no P-position has a move to it".to_owned()),
                    claimed: Said::Words("it is N".to_owned()),
                }),
                None => Verdict::Undecided("it fails at a position of very many digits".to_owned()),
            })
        }
        Ok(Decision::Fails(near)) => Ok(match shown(game, claim, &near, limits)? {
            Some(found) => Verdict::Refuted(found),
            None => {
                let near: Vec<String> = near.iter().map(|at| game.shown(at)).collect();
                Verdict::Undecided(format!(
                    "it fails near {}, and no engine reaches a position that shows it",
                    near.join(" or ")
                ))
            }
        }),
        Ok(Decision::Open(why)) => Ok(match shown(game, claim, &[], limits)? {
            Some(found) => Verdict::Refuted(found),
            None => Verdict::Undecided(why),
        }),
        Err(ProveError::Unsupported(unsupported)) => Ok(Verdict::Unsupported(unsupported)),
        Err(ProveError::LimitExceeded(met)) => Err(Failure::of_limit(met)),
    }
}

/// Holds what was proved against the engines; and, where it is the set of the
/// P-positions, that set and the claim against the independent checker.
fn confirmed(
    game: &Game,
    claim: &Claim,
    mut proof: Proof,
    limits: &Limits,
) -> Result<Verdict, Failure> {
    if let Some(found) = confirm::contradicted(game, claim, limits)? {
        return Ok(Verdict::Contradicted(found));
    }
    if proof.of != Set::PPositions {
        return Ok(Verdict::Proved(proof));
    }
    let limits = limits.cap_time(certificate::PATIENCE);
    let outcomes = matches!(claim.statement, Some(Statement::Outcome { .. }));
    let words = outcomes.then_some(claim.words.as_str());
    let check = certificate::check(game, words, claim.convention, &proof.automaton, &limits);
    match check.map_err(Failure::of_limit)? {
        Check::Accepted(certificate) => proof.certificate = Some(certificate),
        Check::Open(not) => proof.checked.push(not.unchecked()),
        Check::Refused(why) => {
            return Ok(Verdict::Undecided(format!(
                "the prover finds that it holds, and the independent checker refuses the proof: \
                 {why}"
            )));
        }
    }
    Ok(Verdict::Proved(proof))
}

/// A position that shows that the claim fails, where one is in reach.
fn shown(
    game: &Game,
    claim: &Claim,
    near: &[Vec<u64>],
    limits: &Limits,
) -> Result<Option<Counterexample>, Failure> {
    match refute::refute(game, claim, near, limits) {
        // What the engines do not reach says nothing.
        Err(Failure::Time | Failure::Memory { .. } | Failure::Cannot { .. }) => Ok(None),
        other => other,
    }
}
