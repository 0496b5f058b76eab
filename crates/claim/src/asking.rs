//! One position, and the ways to answer about it in the order of their worth.
//!
//! An engine that reaches the position knows everything; then come strategies
//! by pairing that are proved, and then the claims, as far as they have been
//! checked. Who has other ways, such as a proof for all sizes, goes through the
//! stages one by one and puts these between.

use super::answer::{
    Answered, Checks, Claims, Dismissed, Found, Unanswered, attempt, by_claim, last_attempt,
    serving, tried,
};
use super::partial;
use nimrule_engine::{
    self as engine, Asked, Failure, Feasibility, Limits, Question, Request, Solver,
};
use nimrule_model::game::{Claim, Convention, Statement};

/// A position that is asked about: [`Asking::at_hand`] comes first, then
/// [`Asking::by_pairing`], and [`Asking::at_last`] when nothing is left.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'s, 'g> {
    pub solver: &'s Solver<'g>,
    pub position: &'s [u64],
    pub convention: Convention,
    pub request: Request,
    pub limits: &'s Limits,
    pub claims: Claims,
}

impl<'g> Asking<'_, 'g> {
    fn asked(&self) -> Asked {
        Asked {
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
    ) -> Result<Answered, Failure> {
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

    /// Is an engine likely to answer within some seconds?
    pub fn is_soon_answered(&self) -> bool {
        engine::is_soon(self.solver, self.position, self.asked(), self.limits)
    }

    fn serving(&self) -> Vec<(usize, &'g Claim, &'g Statement)> {
        match self.claims {
            Claims::WhereNeeded => serving(self.solver.game, self.asked()),
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

    /// Are there claims that might answer?
    pub(super) fn has_claims(&self) -> bool {
        self.has_pairings() || !self.serving().is_empty()
    }

    /// What an engine says that may reach the position, within limits that
    /// leave room for another way to answer; `None` where none reaches it.
    pub fn at_hand(&self) -> Option<Result<Answered, Failure>> {
        attempt(self.feasibility(), self.limits, |limits| {
            self.by_engine(limits, None)
        })
    }

    /// What a strategy by pairing says that is proved.
    pub fn by_pairing(&self) -> Result<Option<Answered>, Failure> {
        match self.has_pairings() {
            true => partial::answer(self.solver, self.position, self.limits),
            false => Ok(None),
        }
    }

    /// What is left where no engine is at hand: the claims, and then whatever
    /// engine there is, until it ends or meets a limit.
    pub fn at_last(&self) -> Result<Answered, Unanswered> {
        let Asking {
            solver,
            position,
            limits,
            ..
        } = *self;
        let serving = self.serving();
        let mut dismissed = Vec::new();
        if !serving.is_empty() {
            let mut checks = Checks::default();
            match checks.reckoning(solver, position, &serving, limits)? {
                Found::Reckoning(reckoning, dismissed) => {
                    return by_claim(reckoning, position, dismissed, limits);
                }
                Found::None(found) => dismissed = found,
            }
        }
        let last = last_attempt(self.feasibility(), limits);
        self.by_engine(&last, None).map_err(|failure| {
            let limited = limits.deadline.is_some();
            let tried = tried(solver, position, self.asked(), &last, limited, &failure);
            let unknown = matches!(failure, Failure::Memory { .. } | Failure::Time);
            if self.claims == Claims::WhereNeeded && unknown {
                for claim in &solver.game.claims {
                    let known = dismissed.iter().any(|d| d.claim == claim.words);
                    if !known && let Some(why) = partial::silence(solver, claim, self.convention) {
                        let claim = claim.words.clone();
                        dismissed.push(Dismissed { claim, why });
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
