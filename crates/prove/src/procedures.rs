//! The decision procedures, in order of preference.
//!
//! A procedure defines which rules it supports, and the size of its alphabet. The
//! first procedure of [`PROCEDURES`] that supports a rule decides its claims, and sets
//! without a claim.

use super::decide::{self, Claimed, Decision, Strategy};
use super::hypergraph_nim::{MAX_HEAPS, rule_of};
use super::{Verdict, any_number, of_integers, of_reals};
use nimrule_engine::SolveError;
use nimrule_model::game::{Claim, Convention, Game, PositionKind};
use nimrule_symbolic::ProveError;

/// A decision procedure for claims about all sizes.
pub trait Procedure: Sync {
    /// The name for the user.
    fn name(&self) -> &'static str;

    /// Returns whether the procedure supports a rule.
    ///
    /// # Errors
    ///
    /// The reason why not.
    fn supports(&self, game: &Game) -> Result<(), &'static str>;

    /// The size of the alphabet of its automata, which determines their cost;
    /// `None` if it has no automata.
    fn letters(&self, game: &Game) -> Option<u128> {
        let heaps = u32::try_from(game.heap_count()).unwrap_or(u32::MAX);
        Some(1_u128.checked_shl(heaps).unwrap_or(u128::MAX))
    }

    /// Decides a claim; `None` if the procedure decides only sets.
    fn decide(
        &self,
        _game: &Game,
        _claim: &Claim,
        _strategy: &Strategy<'_>,
    ) -> Option<Result<Verdict, SolveError>> {
        None
    }

    /// Decides whether a set is that of the P-positions; `None` if the procedure does
    /// not apply to the set.
    ///
    /// # Errors
    ///
    /// The rule is unsupported, or a limit is exceeded.
    fn check(
        &self,
        _claimed: &mut Claimed<'_>,
        _convention: Convention,
    ) -> Result<Option<Decision>, ProveError> {
        Ok(None)
    }
}

/// All procedures, in order of preference.
pub const PROCEDURES: [&dyn Procedure; 4] = [&OrderedFields, &AnyNumber, &HypergraphNim, &Automata];

/// Heaps of real size: quantifier elimination over ordered fields.
pub struct OrderedFields;

impl Procedure for OrderedFields {
    fn name(&self) -> &'static str {
        "ordered fields"
    }

    fn supports(&self, game: &Game) -> Result<(), &'static str> {
        match game.position_kind {
            PositionKind::Reals => Ok(()),
            _ => Err("the heaps are not of real size"),
        }
    }

    fn letters(&self, _game: &Game) -> Option<u128> {
        None
    }

    fn decide(
        &self,
        game: &Game,
        claim: &Claim,
        strategy: &Strategy<'_>,
    ) -> Option<Result<Verdict, SolveError>> {
        Some(of_reals(game, claim, &strategy.limits))
    }
}

/// Any number of heaps: searches over the numbers of heaps with each digit
/// ([`super::any_number`]).
pub struct AnyNumber;

impl Procedure for AnyNumber {
    fn name(&self) -> &'static str {
        "any number of heaps"
    }

    fn supports(&self, game: &Game) -> Result<(), &'static str> {
        any_number::check_supported(game)
    }

    fn letters(&self, _game: &Game) -> Option<u128> {
        None
    }

    fn decide(
        &self,
        game: &Game,
        claim: &Claim,
        strategy: &Strategy<'_>,
    ) -> Option<Result<Verdict, SolveError>> {
        any_number::decide(game, claim, &strategy.limits)
    }
}

/// Hypergraph Nim: a decision procedure without formulas for the moves
/// (`hypergraph_nim`).
pub struct HypergraphNim;

impl Procedure for HypergraphNim {
    fn name(&self) -> &'static str {
        "hypergraph Nim"
    }

    fn supports(&self, game: &Game) -> Result<(), &'static str> {
        match rule_of(game, Convention::Normal) {
            Some(_) => Ok(()),
            None => Err("a move does not lower the heaps of a set by any amounts"),
        }
    }

    fn check(
        &self,
        claimed: &mut Claimed<'_>,
        convention: Convention,
    ) -> Result<Option<Decision>, ProveError> {
        claimed.by_hypergraph_nim(convention)
    }
}

/// Presburger and Büchi arithmetic, decided by automata ([`nimrule_automata`]).
pub struct Automata;

impl Procedure for Automata {
    fn name(&self) -> &'static str {
        "automata"
    }

    fn supports(&self, game: &Game) -> Result<(), &'static str> {
        decide::check_supported(game)
    }

    fn decide(
        &self,
        game: &Game,
        claim: &Claim,
        strategy: &Strategy<'_>,
    ) -> Option<Result<Verdict, SolveError>> {
        Some(of_integers(game, claim, strategy))
    }

    fn check(
        &self,
        claimed: &mut Claimed<'_>,
        convention: Convention,
    ) -> Result<Option<Decision>, ProveError> {
        claimed.by_automata(convention).map(Some)
    }
}

/// Returns whether some procedure supports positions of any size in a game.
///
/// # Errors
///
/// The reason of the most general procedure.
pub fn check_supported_by_any(game: &Game) -> Result<(), &'static str> {
    Automata.supports(game)
}

/// Returns whether learning is feasible: with many heaps the alphabet is too
/// large.
pub fn is_affordable(game: &Game) -> bool {
    let letters = Automata
        .letters(game)
        .filter(|_| check_supported_by_any(game).is_ok());
    letters.is_some_and(|letters| (2..=1 << MAX_HEAPS).contains(&letters))
}
