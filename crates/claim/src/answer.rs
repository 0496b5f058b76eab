//! Answers by engines and, for positions too large for every engine, by claims.
//!
//! A claim about all positions gives an answer at any size. It is used only if the
//! file gives no counterexample, it holds on a box that is solved for this
//! purpose, and it does not contradict itself at the position and its options.
//! Such an answer is only as reliable as the claim, so it includes the claim and
//! the bound of the check.

use super::evaluation::{Evaluation, Moves};
use super::query::PositionQuery;
use super::{ClaimStatus, asked, check, fitting_size};
use nimrule_engine::{
    self as engine, Feasibility, Limits, Lookup, Outcome, PositionAnswer, Query, Question, Request,
    Shape, SolveError, Solver, Work,
};
use nimrule_limits::Instant;
use nimrule_model::game::{Applies, Claim, Convention, Game, PositionKind, Statement};
use nimrule_syntax::ast::{Class, Direction};
use std::time::Duration;

/// Whether a claim may give an answer where no engine can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claims {
    /// Only if no engine answers.
    WhereNeeded,
    /// Never: engines alone answer.
    Never,
}

/// The claim that an answer relies on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// The text of the claim.
    pub claim: String,
    /// It holds at every position with heaps up to this.
    pub to: u64,
    /// The theorem, if it is proved for all sizes.
    pub theorem: Option<&'static str>,
}

impl Basis {
    /// How far the claim holds, as text of a report.
    pub fn extent(&self) -> String {
        match self.theorem {
            Some(theorem) => format!("proved by {theorem}"),
            None => format!("holds to {}", self.to),
        }
    }
}

/// An answer with its basis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The answer.
    pub answer: PositionAnswer,
    /// The claim, if no engine gave the answer.
    pub basis: Option<Basis>,
    /// The limit that was exceeded before all winning moves were found.
    pub unfinished: Option<SolveError>,
    /// The claim implies some winning moves and leaves others open.
    pub more_may_win: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The failure of the last engine that tried.
    pub failure: SolveError,
    /// The claims that could not be used.
    pub dismissed: Vec<RejectedClaim>,
    /// The engines that cannot answer, and the one that exceeded a limit, each
    /// with its reason.
    pub tried: Vec<(&'static str, String)>,
}

impl From<SolveError> for Unanswered {
    fn from(failure: SolveError) -> Unanswered {
        Unanswered {
            failure,
            dismissed: Vec::new(),
            tried: Vec::new(),
        }
    }
}

impl Unanswered {
    /// Whether the answer is unknown, as opposed to an invalid question.
    pub fn is_unknown(&self) -> bool {
        matches!(self.failure, SolveError::Memory { .. } | SolveError::Time)
    }
}

/// A claim that was not used for an answer, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedClaim {
    /// The text of the claim.
    pub claim: String,
    /// The reason, in words.
    pub why: String,
}

/// The name of the method "by a claim", in reports.
pub const METHOD: &str = "claim";

/// Answers about one position. If the user chooses an engine, no claim is used.
///
/// # Errors
///
/// Why there is no answer.
pub fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    convention: Convention,
    request: Request,
    limits: &Limits,
    forced: Option<&str>,
    claims: Claims,
) -> Result<Answered, Unanswered> {
    let query = PositionQuery {
        solver,
        position,
        convention,
        request,
        limits,
        claims,
    };
    if forced.is_some() {
        return Ok(query.by_engine(limits, forced)?);
    }
    if query.has_claims() {
        if let Some(settled) = query.by_feasible_engine() {
            return Ok(settled?);
        }
        if let Some(answered) = query.by_pairing()? {
            return Ok(answered);
        }
    }
    query.by_claims_or_any_engine()
}

/// The time limit of the last attempt by an engine, where there are too many
/// positions and the user set no time limit.
const LAST_ATTEMPT: Duration = Duration::from_secs(20);

pub(super) fn last_attempt(feasibility: Feasibility, limits: &Limits) -> Limits {
    match feasibility {
        Feasibility::Infeasible => limits.or_time(LAST_ATTEMPT),
        Feasibility::Feasible | Feasibility::Unknown => limits.clone(),
    }
}

/// The engines that cannot answer, and the one that failed.
pub(super) fn tried(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Query,
    limits: &Limits,
    limited: bool,
    failure: &SolveError,
) -> Vec<(&'static str, String)> {
    match engine::choose_for_one(solver, position, asked, limits, None) {
        Ok(choice) => {
            let mut tried = choice.rejected;
            let given = LAST_ATTEMPT.as_secs();
            let why = match failure {
                // Without a limit of the user, the limit is that of the last attempt.
                SolveError::Time if !limited => {
                    format!("not finished within {given} seconds")
                }
                failure => failure.to_string(),
            };
            tried.push((choice.engine.name(), why));
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
        Feasibility::Feasible => by_engine(&limits.half_time()),
        Feasibility::Unknown => by_engine(&short_limits(&limits.for_attempt())),
        Feasibility::Infeasible => return None,
    };
    match tried {
        Err(SolveError::Memory { .. } | SolveError::Time) => None,
        settled => Some(settled),
    }
}

/// The time that an engine gets before a claim is used.
const PATIENCE: Duration = Duration::from_secs(2);

/// The limits, with this time limit.
pub(super) fn short_limits(limits: &Limits) -> Limits {
    let soon = Instant::now() + PATIENCE;
    Limits {
        deadline: Some(limits.deadline.map_or(soon, |end| end.min(soon))),
        ..limits.clone()
    }
}

pub(super) fn by_claim(
    mut evaluation: Evaluation<'_>,
    position: &[u64],
    dismissed: Vec<RejectedClaim>,
    limits: &Limits,
) -> Result<Answered, Unanswered> {
    let value = evaluation.value;
    let moves = if value == 0 {
        Moves::default()
    } else {
        // A claim that cannot be solved for a heap is evaluated at every option.
        limits.begin(Work::Searching, None);
        evaluation.moves_to(0, position, &limits.or_time(LAST_ATTEMPT))?
    };
    Ok(Answered {
        answer: PositionAnswer {
            outcome: if value == 0 { Outcome::P } else { Outcome::N },
            grundy: evaluation.gives_values().then_some(value),
            loopy: None,
            winning_moves: moves.found,
            by_side: None,
            method: METHOD,
            rejected: dismissed
                .into_iter()
                .map(|d| (METHOD, format!("`{}`: {}", d.claim, d.why)))
                .collect(),
        },
        basis: Some(evaluation.basis),
        unfinished: moves.unfinished,
        more_may_win: false,
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

/// The largest number of positions of a box that is solved to check a claim.
const POSITIONS: u128 = 1_000_000;

/// The largest number of options of that box, about a second's work. A box that
/// the file suggests may take several times as long.
const CHOICES: u128 = 400_000_000;
const SUGGESTED: u128 = 10;

/// The results of the claims checked so far, each checked once.
#[derive(Default)]
pub struct Checks<'s, 'g> {
    known: Vec<(&'s Solver<'g>, usize, Result<u64, String>)>,
}

/// The answer of a file's claims about a position.
pub enum Found<'s> {
    /// The evaluation of a claim that holds, and the claims rejected before it.
    Evaluation(Evaluation<'s>, Vec<RejectedClaim>),
    /// No claim can be used; the rejected claims.
    None(Vec<RejectedClaim>),
}

impl<'s, 'g> Checks<'s, 'g> {
    /// The evaluation of the position by the first claim that holds.
    pub(super) fn evaluation(
        &mut self,
        solver: &'s Solver<'g>,
        position: &[u64],
        applicable_claims: &[(usize, &'s Claim, &'s Statement)],
        limits: &Limits,
    ) -> Result<Found<'s>, SolveError> {
        let mut dismissed = Vec::new();
        for (place, claim, statement) in applicable_claims {
            let stands = self.extent_of(solver, *place, claim, statement, limits)?;
            let found = match stands {
                Ok(to) => {
                    let basis = Basis {
                        claim: claim.words.clone(),
                        to,
                        theorem: None,
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
        solver: &'s Solver<'g>,
        place: usize,
        claim: &Claim,
        statement: &Statement,
        limits: &Limits,
    ) -> Result<Result<u64, String>, SolveError> {
        let known = self
            .known
            .iter()
            .find(|(of, at, _)| std::ptr::eq(*of, solver) && *at == place);
        if let Some((_, _, found)) = known {
            return Ok(found.clone());
        }
        let found = stands(solver, claim, statement, limits)?;
        self.known.push((solver, place, found.clone()));
        Ok(found)
    }

    /// The Grundy value of a position under normal play.
    pub fn value(
        &mut self,
        solver: &'s Solver<'g>,
        position: &[u64],
        limits: &Limits,
        claims: Claims,
    ) -> Result<Valued<'s>, Unanswered> {
        let asked = Query {
            question: Question::Grundy,
            convention: Convention::Normal,
        };
        let by_engine = |limits: &Limits| {
            let choice = engine::choose_for_one(solver, position, asked, limits, None)?;
            let mut lookup = choice.engine.lookup(solver, position, asked, limits)?;
            Ok(Valued {
                value: lookup.value(position)?,
                method: choice.engine.name(),
                basis: None,
                source: Source::Engine(solver, lookup),
            })
        };
        let applicable_claims = match claims {
            Claims::WhereNeeded => applicable_claims(solver.game, asked),
            Claims::Never => Vec::new(),
        };
        let feasibility = engine::feasibility(solver, position, asked, limits);
        let last = last_attempt(feasibility, limits);
        if applicable_claims.is_empty() {
            return Ok(by_engine(&last)?);
        }
        if let Some(settled) = attempt(feasibility, limits, by_engine) {
            return Ok(settled?);
        }
        match self.evaluation(solver, position, &applicable_claims, limits)? {
            Found::Evaluation(evaluation, _) => Ok(Valued {
                value: evaluation.value,
                method: METHOD,
                basis: Some(evaluation.basis.clone()),
                source: Source::Claim(evaluation),
            }),
            Found::None(dismissed) => by_engine(&last).map_err(|failure| Unanswered {
                failure,
                dismissed,
                tried: Vec::new(),
            }),
        }
    }
}

/// A position's Grundy value and its source.
pub struct Valued<'s> {
    /// The Grundy value.
    pub value: u64,
    /// The name of the engine, or [`METHOD`].
    pub method: &'static str,
    /// The claim, if no engine gave the value.
    pub basis: Option<Basis>,
    source: Source<'s>,
}

enum Source<'s> {
    Engine(&'s Solver<'s>, Box<dyn Lookup + 's>),
    Claim(Evaluation<'s>),
}

impl Valued<'_> {
    /// The options with this value.
    pub fn moves_to(
        &mut self,
        wanted: u64,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Moves, SolveError> {
        match &mut self.source {
            Source::Engine(solver, lookup) => Ok(Moves {
                found: lookup.moves_to(wanted, solver, position, limits)?,
                unfinished: None,
            }),
            Source::Claim(evaluation) => evaluation.moves_to(wanted, position, limits),
        }
    }
}

/// Checks a claim on a box that is solved within a second. Returns its size.
fn stands(
    solver: &Solver<'_>,
    claim: &Claim,
    statement: &Statement,
    limits: &Limits,
) -> Result<Result<u64, String>, SolveError> {
    if solver.game.position_kind != PositionKind::Heaps || solver.game.heap_count() == 0 {
        return Ok(Err("it can be checked only on boxes of heaps".to_owned()));
    }
    let size = size_checked(solver);
    if size == 0 {
        return Ok(Err("there are too many heaps to check it".to_owned()));
    }
    let most = vec![size; solver.game.heap_count()];
    let table = engine::fill(solver, &most, asked(claim), limits, None)?;
    Ok(match check(solver, statement, &table, limits) {
        Ok(ClaimStatus::Holds { to, .. }) => Ok(to),
        Ok(ClaimStatus::Refuted(found)) => Err(format!(
            "it fails at {}, claimed {} where it is {}",
            solver.game.shown(&found.position),
            found.claimed,
            found.actual
        )),
        Ok(
            ClaimStatus::Proved { .. } | ClaimStatus::Fails { .. } | ClaimStatus::Unknown { .. },
        ) => Err("it is not checked on boxes".to_owned()),
        Err(SolveError::Fault { fault, position }) => Err(format!(
            "it has no value at {}: {fault}",
            solver.game.shown(&position)
        )),
        Err(failure) => return Err(failure),
    })
}

/// The size of the box on which a claim is checked.
fn size_checked(solver: &Solver<'_>) -> u64 {
    let fits = fitting_size(solver, POSITIONS, CHOICES);
    match solver.game.suggest_max {
        Some(suggested) if suggested > fits => {
            let most = vec![suggested; solver.game.heap_count()];
            let affordable = Shape::count(&most) <= SUGGESTED * POSITIONS
                && engine::work_below(solver, &most) <= SUGGESTED * CHOICES;
            if affordable { suggested } else { fits }
        }
        _ => fits,
    }
}
