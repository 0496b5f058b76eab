//! Answers by claims of the file.
//!
//! A claim about all positions gives an answer at any size. It is used only if the
//! file gives no counterexample, it holds on a box that is solved for this
//! purpose, and it does not contradict itself at the position and its options.
//! Such an answer is only as reliable as the claim, so it includes the claim and
//! the bound of the check.

use super::answer::{Answer, Basis, Extent, Unanswered, WinningMoves};
use super::claim::FOR_ALL_SIZES;
use super::effort::position::{
    CHECKED_OPTIONS, CHECKED_POSITIONS, CLAIM_PROOF, ENGINE, LAST_ATTEMPT, SUGGESTED,
};
use super::evaluation::{Evaluation, Moves};
use nimrule_claim::{ClaimStatus, asked, check, fitting_size};
use nimrule_discover::learning;
use nimrule_engine::{
    self as engine, Feasibility, Limits, Outcome, Query, Question, Shape, SolveError, Solver, Work,
};
use nimrule_model::game::{Applies, Claim, Convention, Game, PositionKind, Statement};
use nimrule_model::position::Position;
use nimrule_prove::{Verdict, procedures, prove};
use nimrule_syntax::ast::{Class, Direction};

/// A claim that was not used for an answer, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedClaim {
    /// The text of the claim.
    pub claim: String,
    /// The reason, in words.
    pub why: String,
}

/// The limits of the last attempt by an engine.
pub(super) fn last_attempt(feasibility: Feasibility, limits: &Limits) -> Limits {
    match feasibility {
        Feasibility::Doubtful | Feasibility::Infeasible => limits.or_work(LAST_ATTEMPT),
        Feasibility::Feasible | Feasibility::Unknown => limits.clone(),
    }
}

/// The engines that cannot answer, and the one that failed.
pub(super) fn tried(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Query,
    limits: &Limits,
    failure: &SolveError,
) -> Vec<(&'static str, String)> {
    match engine::choose_for_one(solver, position, asked, limits, None) {
        Ok(choice) => {
            let mut tried = choice.rejected;
            tried.push((choice.engine.name(), failure.to_string()));
            tried
        }
        Err(_) => Vec::new(),
    }
}

/// Answers by an engine if one is feasible; otherwise `None`.
pub(super) fn attempt<T>(
    feasibility: Feasibility,
    limits: &Limits,
    by_engine: impl FnOnce(&Limits) -> Result<T, SolveError>,
) -> Option<Result<T, SolveError>> {
    let tried = match feasibility {
        Feasibility::Feasible => by_engine(&limits.half_work()),
        Feasibility::Unknown | Feasibility::Doubtful => {
            by_engine(&limits.for_attempt().cap_work(ENGINE))
        }
        Feasibility::Infeasible => return None,
    };
    match tried {
        Err(SolveError::Memory { .. } | SolveError::Work { .. }) => None,
        settled => Some(settled),
    }
}

/// The answer of a claim about a position.
pub(super) fn by_claim(
    mut evaluation: Evaluation<'_>,
    position: &[u64],
    convention: Convention,
    dismissed: Vec<RejectedClaim>,
    limits: &Limits,
) -> Result<Answer, Unanswered> {
    let value = evaluation.value;
    let moves = if value == 0 {
        Moves::default()
    } else {
        // A claim that cannot be solved for a heap is evaluated at every option.
        limits.begin(Work::Searching, None);
        evaluation.moves_to(0, position, &limits.or_work(LAST_ATTEMPT))?
    };
    let rejected = dismissed.into_iter();
    let rejected = rejected.map(|d| ("claim", format!("`{}`: {}", d.claim, d.why)));
    Ok(Answer {
        position: Position::from(position),
        convention,
        outcome: if value == 0 { Outcome::P } else { Outcome::N },
        grundy: evaluation.gives_values().then_some(value),
        grundy_basis: None,
        loopy: None,
        moves: WinningMoves {
            found: moves.found.into_iter().map(Position::from).collect(),
            extent: moves.unfinished.map_or(Extent::All, Extent::Unfinished),
        },
        by_side: None,
        basis: evaluation.basis,
        rejected: rejected.collect(),
    })
}

/// The claims that answer the whole question, the most informative first.
pub(super) fn applicable_claims(game: &Game, wanted: Query) -> Vec<(usize, &Claim, &Statement)> {
    // A claim about P-positions does not determine draws. On a digraph there
    // are no positions larger than those of the check.
    if game.no_grundy_values().is_some() || game.digraph().is_some() {
        return Vec::new();
    }
    let all = game.claims.iter().enumerate().filter_map(|(place, claim)| {
        let speaks = claim.applies != Applies::Elsewhere && claim.refuted.is_none();
        let statement = claim.statement.as_ref().filter(|_| speaks)?;
        Some((place, claim, statement))
    });
    let (values, outcomes): (Vec<_>, Vec<_>) = all
        .filter(|(_, claim, statement)| {
            claim.convention == wanted.convention
                && match statement {
                    Statement::Grundy(_) => true,
                    Statement::Outcome {
                        class: Class::P,
                        consistent: false,
                        direction: Direction::Iff,
                        ..
                    } => wanted.question == Question::Outcome,
                    _ => false,
                }
        })
        .partition(|(_, _, statement)| matches!(statement, Statement::Grundy(_)));
    match wanted.convention {
        Convention::Normal => [values, outcomes].concat(),
        // A misère value determines only P or N, at a higher cost.
        Convention::Misere => [outcomes, values].concat(),
    }
}

/// The results of the claims checked so far, by their numbers, each checked once.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    known: Vec<(usize, Result<Known, String>)>,
}

/// How far a claim that may answer is known to hold.
#[derive(Debug, Clone, Copy)]
enum Known {
    /// For all sizes.
    Proved,
    /// At every position with heaps up to this.
    To(u64),
}

/// The answer of a file's claims about a position.
pub(super) enum Found<'s> {
    /// The evaluation of a claim that holds, and the claims rejected before it.
    Evaluation(Evaluation<'s>, Vec<RejectedClaim>),
    /// No claim can be used; the rejected claims.
    None(Vec<RejectedClaim>),
}

impl Checks {
    /// The evaluation of the position by the first claim that holds.
    pub fn evaluation<'s>(
        &mut self,
        solver: &'s Solver<'_>,
        position: &[u64],
        applicable_claims: &[(usize, &'s Claim, &'s Statement)],
        limits: &Limits,
    ) -> Result<Found<'s>, SolveError> {
        let mut dismissed = Vec::new();
        for (place, claim, statement) in applicable_claims {
            let stands = self.extent_of(solver, *place, claim, statement, limits)?;
            let found = match stands {
                Ok(known) => {
                    let claim = claim.words.clone();
                    let basis = match known {
                        Known::Proved => Basis::Theorem {
                            claim,
                            theorem: FOR_ALL_SIZES,
                        },
                        Known::To(to) => Basis::Claim { claim, to },
                    };
                    Evaluation::at(solver, statement, position, basis, limits)?
                }
                Err(why) => Err(why),
            };
            match found {
                Ok(evaluation) => return Ok(Found::Evaluation(evaluation, dismissed)),
                Err(why) => dismissed.push(RejectedClaim {
                    claim: claim.words.clone(),
                    why,
                }),
            }
        }
        Ok(Found::None(dismissed))
    }

    /// How far a claim holds, or why it may not be used.
    fn extent_of(
        &mut self,
        solver: &Solver<'_>,
        place: usize,
        claim: &Claim,
        statement: &Statement,
        limits: &Limits,
    ) -> Result<Result<Known, String>, SolveError> {
        if let Some((_, found)) = self.known.iter().find(|(at, _)| *at == place) {
            return Ok(found.clone());
        }
        // A claim that fails on the box needs no proof, and one that holds there may answer
        // without: then a proof is sought only as long as nobody waits for it.
        let found = match stands(solver, claim, statement, limits)? {
            Ok(to) => match is_proved(solver.game, claim, limits)? {
                true => Ok(Known::Proved),
                false => Ok(Known::To(to)),
            },
            Err(NotUsed::Fails(why)) => Err(why),
            Err(NotUsed::Unchecked(why)) => match is_proved(solver.game, claim, limits)? {
                true => Ok(Known::Proved),
                false => Err(why),
            },
        };
        self.known.push((place, found.clone()));
        Ok(found)
    }
}

/// Why a claim gives no answer.
enum NotUsed {
    /// It fails.
    Fails(String),
    /// It cannot be checked on a box.
    Unchecked(String),
}

/// Whether a claim is proved for all sizes at once.
fn is_proved(game: &Game, claim: &Claim, limits: &Limits) -> Result<bool, SolveError> {
    if !procedures::is_affordable(game) {
        return Ok(false);
    }
    let strategy = learning(&limits.half_work().cap_work(CLAIM_PROOF));
    match prove(game, claim, &strategy) {
        Ok(Verdict::Proved(_)) => Ok(true),
        Err(ended @ (SolveError::Stopped | SolveError::Time)) => Err(ended),
        Ok(_) | Err(_) => Ok(false),
    }
}

/// Checks a claim on a box that is solved within a second. Returns its size.
fn stands(
    solver: &Solver<'_>,
    claim: &Claim,
    statement: &Statement,
    limits: &Limits,
) -> Result<Result<u64, NotUsed>, SolveError> {
    let unchecked = |why: &str| Ok(Err(NotUsed::Unchecked(why.to_owned())));
    if solver.game.position_kind != PositionKind::Heaps || solver.game.heap_count() == 0 {
        return unchecked("it can be checked only on boxes of heaps");
    }
    let size = size_checked(solver);
    if size == 0 {
        return unchecked("there are too many heaps to check it");
    }
    let most = solver.game.box_to(size);
    let table = engine::fill(solver, &most, asked(claim), limits, None)?;
    Ok(match check(solver, statement, &table, limits) {
        Ok(ClaimStatus::Holds { to, .. }) => Ok(to),
        Ok(ClaimStatus::Refuted(found)) => Err(NotUsed::Fails(format!(
            "it fails at {}, claimed {} where it is {}",
            solver.game.shown(&found.position),
            found.claimed,
            found.actual
        ))),
        Ok(
            ClaimStatus::Proved { .. } | ClaimStatus::Fails { .. } | ClaimStatus::Unknown { .. },
        ) => return unchecked("it is not checked on boxes"),
        Err(SolveError::Fault { fault, position }) => Err(NotUsed::Fails(format!(
            "it has no value at {}: {fault}",
            solver.game.shown(&position)
        ))),
        Err(failure) => return Err(failure),
    })
}

/// The size of the box on which a claim is checked.
fn size_checked(solver: &Solver<'_>) -> u64 {
    let fits = fitting_size(solver, CHECKED_POSITIONS, CHECKED_OPTIONS);
    match solver.game.presentation.suggest_max {
        Some(suggested) if suggested > fits => {
            let most = solver.game.box_to(suggested);
            let affordable = Shape::count(&most) <= SUGGESTED * CHECKED_POSITIONS
                && engine::work_below(solver, &most) <= SUGGESTED * CHECKED_OPTIONS;
            if affordable { suggested } else { fits }
        }
        _ => fits,
    }
}
