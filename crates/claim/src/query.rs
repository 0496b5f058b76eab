//! A question about one position, and the methods of answering it in order.
//!
//! An engine that can solve the position gives the complete answer. Next come
//! proved pairing strategies, and then the checked claims. A caller with further
//! methods, such as a proof for all sizes, calls the stages one by one and inserts
//! its own.

use super::answer::{
    Answered, Basis, Checks, Claims, Found, RejectedClaim, Unanswered, applicable_claims, attempt,
    by_claim, last_attempt, tried,
};
use super::by_pairing;
use nimrule_engine::{
    self as engine, Feasibility, Limits, Query, Question, Request, SolveError, Solver,
};
use nimrule_model::game::{Claim, Convention, Statement};

/// A question about one position. Call [`PositionQuery::by_feasible_engine`] first, then
/// [`PositionQuery::by_pairing`], and last [`PositionQuery::by_claims_or_any_engine`].
#[derive(Debug, Clone, Copy)]
pub struct PositionQuery<'s, 'g> {
    /// The game.
    pub solver: &'s Solver<'g>,
    /// The position.
    pub position: &'s [u64],
    /// The convention.
    pub convention: Convention,
    /// Whether the Grundy value is needed.
    pub request: Request,
    /// The limits of time and memory.
    pub limits: &'s Limits,
    /// Whether a claim may give the answer.
    pub claims: Claims,
}

impl<'g> PositionQuery<'_, 'g> {
    fn asked(&self) -> Query {
        Query {
            question: match self.request {
                Request::Grundy => Question::Grundy,
                Request::GrundyIfCheap | Request::Outcome => Question::Outcome,
            },
            convention: self.convention,
        }
    }

    pub(super) fn by_engine(
        &self,
        limits: &Limits,
        forced: Option<&str>,
    ) -> Result<Answered, SolveError> {
        let answer = engine::answer(
            self.solver,
            self.position,
            self.convention,
            self.request,
            limits,
            forced,
        )?;
        Ok(Answered {
            answer,
            basis: None,
            unfinished: None,
            more_may_win: false,
        })
    }

    fn feasibility(&self) -> Feasibility {
        engine::feasibility(self.solver, self.position, self.asked(), self.limits)
    }

    /// Whether an engine is likely to answer within seconds.
    pub fn is_soon_answered(&self) -> bool {
        engine::answers_soon(self.solver, self.position, self.asked(), self.limits)
    }

    fn applicable_claims(&self) -> Vec<(usize, &'g Claim, &'g Statement)> {
        match self.claims {
            Claims::WhereNeeded => applicable_claims(self.solver.game, self.asked()),
            Claims::Never => Vec::new(),
        }
    }

    fn has_pairings(&self) -> bool {
        let claims = &self.solver.game.claims;
        self.claims == Claims::WhereNeeded
            && self.asked().question == Question::Outcome
            && self.convention == Convention::Normal
            && claims
                .iter()
                .any(|claim| matches!(claim.statement, Some(Statement::Pairing(_))))
    }

    /// Whether there are claims that might answer.
    pub(super) fn has_claims(&self) -> bool {
        self.has_pairings() || !self.applicable_claims().is_empty()
    }

    /// The answer of a feasible engine, within limits that leave time for other
    /// methods; `None` if no engine is feasible.
    pub fn by_feasible_engine(&self) -> Option<Result<Answered, SolveError>> {
        attempt(self.feasibility(), self.limits, |limits| {
            self.by_engine(limits, None)
        })
    }

    /// The answer of a proved pairing strategy.
    ///
    /// # Errors
    ///
    /// An exceeded limit.
    pub fn by_pairing(&self) -> Result<Option<Answered>, SolveError> {
        match self.has_pairings() {
            true => by_pairing::answer(self.solver, self.position, self.limits),
            false => Ok(None),
        }
    }

    /// The Grundy value of the position by a claim about Grundy values; `None` if no
    /// such claim can be used.
    ///
    /// # Errors
    ///
    /// An exceeded limit.
    pub fn value_by_claim(&self) -> Result<Option<(u64, Basis)>, SolveError> {
        let wanted = Query {
            question: Question::Grundy,
            convention: self.convention,
        };
        if self.claims == Claims::Never || self.convention == Convention::Misere {
            return Ok(None);
        }
        let claims = applicable_claims(self.solver.game, wanted);
        let mut checks = Checks::default();
        let found = checks.evaluation(self.solver, self.position, &claims, self.limits)?;
        Ok(match found {
            Found::Evaluation(evaluation, _) => Some((evaluation.value, evaluation.basis)),
            Found::None(_) => None,
        })
    }

    /// The last stage: the answer of a claim, or else of any engine, until it ends
    /// or exceeds a limit.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn by_claims_or_any_engine(&self) -> Result<Answered, Unanswered> {
        let PositionQuery {
            solver,
            position,
            limits,
            ..
        } = *self;
        let applicable_claims = self.applicable_claims();
        let mut dismissed = Vec::new();
        if !applicable_claims.is_empty() {
            let mut checks = Checks::default();
            match checks.evaluation(solver, position, &applicable_claims, limits)? {
                Found::Evaluation(evaluation, dismissed) => {
                    return by_claim(evaluation, position, dismissed, limits);
                }
                Found::None(found) => dismissed = found,
            }
        }
        let last = last_attempt(self.feasibility(), limits);
        self.by_engine(&last, None).map_err(|failure| {
            let limited = limits.deadline.is_some();
            let tried = tried(solver, position, self.asked(), &last, limited, &failure);
            let unknown = matches!(failure, SolveError::Memory { .. } | SolveError::Time);
            if self.claims == Claims::WhereNeeded && unknown {
                for claim in &solver.game.claims {
                    let known = dismissed.iter().any(|d| d.claim == claim.words);
                    if !known
                        && let Some(why) =
                            by_pairing::no_answer_reason(solver, claim, self.convention)
                    {
                        let claim = claim.words.clone();
                        dismissed.push(RejectedClaim { claim, why });
                    }
                }
            }
            Unanswered {
                failure,
                dismissed,
                tried,
            }
        })
    }
}
