//! Who answers a question about one position.
//!
//! In this order: an engine that answers soon; a proof for all sizes that is known or
//! stored; an engine that reaches the position; a proved pairing strategy; a proof that is
//! found within some seconds; a claim of the file; any engine, until it ends or exceeds a
//! limit. Numbers beyond those of expressions are answered by proofs alone.

use super::answer::{Answer, Ask, Basis, Extent, Unanswered, WinningMoves};
use super::by_claim::{
    Found, RejectedClaim, applicable_claims, attempt, by_claim, last_attempt, tried,
};
use super::by_pairing;
use super::effort::position as times;
use super::proofs::Known;
use super::session::{Note, Session};
use nimrule_elaborate::{CheckProblem, position_in, position_of_any_size_in};
use nimrule_engine::{
    self as engine, Feasibility, Limits, Outcome, Query, Question, Request, SolveError, Solver,
    Work,
};
use nimrule_ir::Walker;
use nimrule_limits::{LimitExceeded, Steps};
use nimrule_model::game::{Claim, Convention, Game, PositionKind, Statement};
use nimrule_model::position::Position;
use nimrule_prove::ProveError;
use nimrule_prove::procedures;
use nimrule_syntax::{SyntaxProblem, parse_position, parse_position_of_any_size};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;

/// What is wrong with a position as it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum PositionProblem {
    /// It is not written as the language writes positions.
    Syntax(SyntaxProblem),
    /// It is not a position of the game.
    Check(CheckProblem),
}

/// A search that is announced may take at least this much work.
const ANNOUNCED: Steps = Steps::million(2);

/// A question about one position that engines can read.
struct PositionQuery<'s, 'g> {
    solver: &'s Solver<'g>,
    position: &'s [u64],
    ask: Ask<'s>,
    limits: Limits,
}

impl<'g> PositionQuery<'_, 'g> {
    fn asked(&self) -> Query {
        Query {
            question: match self.ask.request {
                Request::Grundy => Question::Grundy,
                Request::GrundyIfCheap | Request::Outcome => Question::Outcome,
            },
            convention: self.ask.convention,
        }
    }

    fn by_engine(&self, limits: &Limits) -> Result<Answer, SolveError> {
        let (convention, request) = (self.ask.convention, self.ask.request);
        let forced = self.ask.engine;
        let found = engine::answer(
            self.solver,
            self.position,
            convention,
            request,
            limits,
            forced,
        )?;
        Ok(Answer {
            position: Position::from(self.position),
            convention,
            outcome: found.outcome,
            grundy: found.grundy,
            grundy_basis: None,
            loopy: found.loopy,
            moves: WinningMoves {
                found: found
                    .winning_moves
                    .into_iter()
                    .map(Position::from)
                    .collect(),
                extent: Extent::All,
            },
            by_side: found.by_side,
            basis: Basis::Engine(found.method),
            rejected: found.rejected,
        })
    }

    fn feasibility(&self) -> Feasibility {
        engine::feasibility(self.solver, self.position, self.asked(), &self.limits)
    }

    fn by_feasible_engine(&self) -> Option<Result<Answer, SolveError>> {
        let feasibility = self.feasibility();
        // A pairing says as much of a P-position as a search that may end in vain.
        if feasibility != Feasibility::Feasible
            && self.has_pairings()
            && by_pairing::is_p(self.solver, self.position)
        {
            return None;
        }
        attempt(feasibility, &self.limits, |limits| self.by_engine(limits))
    }

    fn claims(&self) -> Vec<(usize, &'g Claim, &'g Statement)> {
        match self.ask.engines_only {
            false => applicable_claims(self.solver.game, self.asked()),
            true => Vec::new(),
        }
    }

    fn has_pairings(&self) -> bool {
        let claims = &self.solver.game.claims;
        !self.ask.engines_only
            && self.asked().question == Question::Outcome
            && self.ask.convention == Convention::Normal
            && claims
                .iter()
                .any(|claim| matches!(claim.statement, Some(Statement::Pairing(_))))
    }

    /// The answer of a proved pairing strategy.
    fn by_pairing(&self) -> Result<Option<Answer>, SolveError> {
        match self.has_pairings() {
            true => by_pairing::answer(self.solver, self.position, &self.limits),
            false => Ok(None),
        }
    }

    /// Why there is no answer, after the last attempt by an engine.
    fn unanswered(
        &self,
        failure: SolveError,
        mut dismissed: Vec<RejectedClaim>,
        last: &Limits,
    ) -> Unanswered {
        let (solver, position) = (self.solver, self.position);
        let tried = tried(solver, position, self.asked(), last, &failure);
        let unknown = matches!(
            failure,
            SolveError::Memory { .. } | SolveError::Time | SolveError::Work { .. }
        );
        if !self.ask.engines_only && unknown {
            let may_answer = self.claims();
            for claim in &solver.game.claims {
                if dismissed.iter().any(|d| d.claim == claim.words) {
                    continue;
                }
                let reason = match may_answer.iter().any(|(_, of, _)| std::ptr::eq(*of, claim)) {
                    true => Some(format!("it was not checked: {failure}")),
                    false => by_pairing::no_answer_reason(solver, claim, self.ask.convention),
                };
                if let Some(why) = reason {
                    let claim = claim.words.clone();
                    dismissed.push(RejectedClaim { claim, why });
                }
            }
        }
        Unanswered {
            failure,
            dismissed,
            tried,
            proof_sought: None,
        }
    }
}

impl<'g> Session<'g> {
    /// Reads a position as the language writes it, with numbers of any size: `(3,4,5)`,
    /// `{2,2,7}`, `a=3 c=1`, `all 2`.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, with places in it.
    pub fn read(&self, written: &str) -> Result<Position, Vec<PositionProblem>> {
        read(self.game(), written)
    }

    /// Who wins at a position, and how.
    ///
    /// # Errors
    ///
    /// Why there is no answer.
    pub fn position(&self, position: &Position, ask: &Ask<'_>) -> Result<Answer, Unanswered> {
        let limits = match ask.work {
            Some(work) => self.limits.cap_work(work),
            None => self.limits.clone(),
        };
        let Some(small) = position.small() else {
            return self.by_proof_alone(position, ask, &limits);
        };
        let query = PositionQuery {
            solver: &self.solver,
            position: small,
            ask: *ask,
            limits,
        };
        if ask.engine.is_some() {
            return Ok(query.by_engine(&query.limits)?);
        }
        if ask.engines_only {
            return self.by_claims_or_any_engine(&query);
        }
        let by_proof = ask.request != Request::Grundy && procedures::is_affordable(self.game());
        let answered = match by_proof {
            true => self.with_proofs(&query),
            false => self.without_proofs(&query),
        };
        // Wherever the time of the user ends, nothing weaker answers.
        answered.map_err(
            |no| match no.failure == SolveError::Time && no.tried.is_empty() {
                true => Unanswered {
                    proof_sought: no.proof_sought,
                    ..query.unanswered(no.failure, no.dismissed, &query.limits)
                },
                false => no,
            },
        )
    }

    fn without_proofs(&self, query: &PositionQuery<'_, 'g>) -> Result<Answer, Unanswered> {
        if query.has_pairings() || !query.claims().is_empty() {
            if let Some(settled) = query.by_feasible_engine() {
                return Ok(settled?);
            }
            if let Some(answered) = query.by_pairing()? {
                return Ok(answered);
            }
        }
        self.by_claims_or_any_engine(query)
    }

    fn with_proofs(&self, query: &PositionQuery<'_, 'g>) -> Result<Answer, Unanswered> {
        let (convention, limits) = (query.ask.convention, &query.limits);
        let note = |note: &Note| self.note(note);
        let known = || self.proofs.find(convention, limits, &note);
        let may_know = self.proofs.may_have(convention);
        let is_soon =
            !may_know || engine::answers_soon(query.solver, query.position, query.asked(), limits);
        if !is_soon && let Some(known) = known() {
            return self.by_known(query, &known);
        }
        if let Some(settled) = query.by_feasible_engine() {
            return Ok(settled?);
        }
        if may_know && let Some(known) = known() {
            return self.by_known(query, &known);
        }
        if let Some(answered) = query.by_pairing()? {
            return Ok(answered);
        }
        if self.proofs.sought_in_vain(convention).is_none() {
            limits.check_waited_for().map_err(SolveError::from)?;
            let brief = limits.half_work().cap_work(times::PROOF);
            let allowed = brief.work_left().unwrap_or(times::PROOF);
            if allowed >= ANNOUNCED {
                self.note(&Note::SeekingProof { allowed });
            }
            brief.begin(Work::Proving, None);
            if let Some(known) = self.proofs.seek(convention, &brief, &note)? {
                return self.by_known(query, &known);
            }
            limits.begin(Work::Other, None);
        }
        self.by_claims_or_any_engine(query)
            .map_err(|unanswered| Unanswered {
                proof_sought: self.proofs.sought_in_vain(convention),
                ..unanswered
            })
    }

    /// The last stage: the answer of a claim, or else of any engine, until it ends or
    /// exceeds a limit.
    fn by_claims_or_any_engine(&self, query: &PositionQuery<'_, 'g>) -> Result<Answer, Unanswered> {
        let claims = query.claims();
        let (position, limits) = (query.position, &query.limits);
        let mut dismissed = Vec::new();
        if !claims.is_empty() {
            let mut checks = self.checks.borrow_mut();
            match checks.evaluation(&self.solver, position, &claims, limits)? {
                Found::Evaluation(evaluation, dismissed) => {
                    let convention = query.ask.convention;
                    return by_claim(evaluation, position, convention, dismissed, limits);
                }
                Found::None(found) => dismissed = found,
            }
        }
        let last = last_attempt(query.feasibility(), limits);
        query
            .by_engine(&last)
            .map_err(|failure| query.unanswered(failure, dismissed, &last))
    }

    /// The answer of a proved set, with all winning moves and the Grundy value where these
    /// cost little more.
    fn by_known(
        &self,
        query: &PositionQuery<'_, 'g>,
        known: &Known<'g>,
    ) -> Result<Answer, Unanswered> {
        let position = Position::from(query.position);
        let mut answer = self.by_set(&position, query.ask.convention, known, &query.limits)?;
        if let Some(moves) = self.enumerated(query, known)? {
            answer.moves = WinningMoves {
                found: moves,
                extent: Extent::All,
            };
        }
        // A claim may hold on the box on which it was checked and fail here.
        let is_p = answer.outcome == Outcome::P;
        let value = self.value_by_claim(query)?;
        if let Some((value, basis)) = value.filter(|(value, _)| (*value == 0) == is_p) {
            (answer.grundy, answer.grundy_basis) = (Some(value), Some(basis));
        }
        Ok(answer)
    }

    /// The answer of a proved set about a position of any size.
    fn by_set(
        &self,
        position: &Position,
        convention: Convention,
        known: &Known<'g>,
        limits: &Limits,
    ) -> Result<Answer, Unanswered> {
        let found = known.outcomes.outcome(&position.numbers(), limits);
        let found = found.map_err(failed)?;
        if !found.is_position {
            return Err(excluded());
        }
        Ok(Answer {
            position: position.clone(),
            convention,
            outcome: if found.is_p { Outcome::P } else { Outcome::N },
            grundy: None,
            grundy_basis: None,
            loopy: None,
            moves: WinningMoves {
                found: found
                    .winning
                    .into_iter()
                    .map(|to| to.into_iter().collect())
                    .collect(),
                extent: match found.is_p {
                    true => Extent::All,
                    false => Extent::OneForEachSelection,
                },
            },
            by_side: None,
            basis: Basis::Proof(known.set.clone()),
            rejected: Vec::new(),
        })
    }

    /// All winning moves by a proved set; `None` if there are too many options to look at.
    fn enumerated(
        &self,
        query: &PositionQuery<'_, 'g>,
        known: &Known<'g>,
    ) -> Result<Option<Vec<Position>>, SolveError> {
        if known.outcomes.contains(query.position) {
            return Ok(Some(Vec::new()));
        }
        let mut sizes = query.position.iter();
        let tokens = sizes.try_fold(0_u64, |sum, size| sum.checked_add(*size));
        if tokens.is_none_or(|tokens| tokens > times::ENUMERATED_OPTIONS) {
            return Ok(None);
        }
        let mut visited = 0;
        let mut winning = BTreeSet::new();
        let walked = Walker::new(&query.solver.graph, &[])
            .until(&query.limits)
            .options(query.position, 0, &mut |option, _| {
                visited += 1;
                if known.outcomes.contains(option) {
                    winning.insert(option.to_vec());
                }
                match visited < times::ENUMERATED_OPTIONS {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(()),
                }
            });
        walked.map_err(|stop| SolveError::of(stop, query.position))?;
        let all = visited < times::ENUMERATED_OPTIONS;
        Ok(all.then(|| winning.into_iter().map(Position::from).collect()))
    }

    /// The Grundy value of a position by a claim about values.
    fn value_by_claim(
        &self,
        query: &PositionQuery<'_, 'g>,
    ) -> Result<Option<(u64, Basis)>, SolveError> {
        if query.ask.convention == Convention::Misere {
            return Ok(None);
        }
        let wanted = Query {
            question: Question::Grundy,
            convention: Convention::Normal,
        };
        let claims = applicable_claims(self.game(), wanted);
        let mut checks = self.checks.borrow_mut();
        let found = checks.evaluation(&self.solver, query.position, &claims, &query.limits)?;
        Ok(match found {
            Found::Evaluation(evaluation, _) => Some((evaluation.value, evaluation.basis)),
            Found::None(_) => None,
        })
    }

    /// The answer about a position that only a proof can read.
    fn by_proof_alone(
        &self,
        position: &Position,
        ask: &Ask<'_>,
        limits: &Limits,
    ) -> Result<Answer, Unanswered> {
        if ask.request == Request::Grundy || ask.engine.is_some() || ask.engines_only {
            return Err(refused(
                "a number of the position is too large for every engine, and proofs give only \
                 outcomes",
            ));
        }
        let known = self.proved_set(ask.convention, limits)?;
        self.by_set(position, ask.convention, &known, limits)
    }

    /// The set of P-positions that is proved for all sizes, now or before; `None` if no proof
    /// is found.
    ///
    /// # Errors
    ///
    /// An interruption, or a game that no prover reads.
    pub fn known(&self, convention: Convention) -> Result<Option<Rc<Known<'g>>>, Unanswered> {
        self.known_within(convention, &self.limits)
    }

    /// [`Session::known`] for a position with a number that is too large for the engines.
    ///
    /// # Errors
    ///
    /// No proof is found, an interruption, or a game that no prover reads.
    pub(crate) fn proved_set(
        &self,
        convention: Convention,
        limits: &Limits,
    ) -> Result<Rc<Known<'g>>, Unanswered> {
        self.known_within(convention, limits)?.ok_or_else(|| {
            match self.proofs.ran_out(convention) {
                true => Unanswered::from(SolveError::from(LimitExceeded::Work {
                    steps: limits
                        .or_work(times::ONLY_PROOF)
                        .work_left()
                        .unwrap_or(times::ONLY_PROOF),
                })),
                false => refused(
                    "a number of the position is too large for every engine, and no claim about \
                     the P-positions of this game is proved for all sizes; see `nimrule prove`",
                ),
            }
        })
    }

    fn known_within(
        &self,
        convention: Convention,
        limits: &Limits,
    ) -> Result<Option<Rc<Known<'g>>>, Unanswered> {
        if procedures::check_supported_by_any(self.game()).is_err() {
            return Err(refused(
                "a number of the position is too large; heaps of any size need an impartial \
                 game with a fixed number of heaps",
            ));
        }
        let note = |note: &Note| self.note(note);
        let limits = limits.or_work(times::ONLY_PROOF);
        Ok(self.proofs.seek(convention, &limits, &note)?)
    }
}

/// The failure of a question that no method answers, for a reason of the question.
fn refused(reason: &str) -> Unanswered {
    Unanswered::from(SolveError::Refused {
        reason: reason.to_owned(),
    })
}

/// The failure of a question about a position with large numbers that is none of the game;
/// smaller ones are refused when they are read.
pub(crate) fn excluded() -> Unanswered {
    refused("`positions where` excludes this position")
}

/// The failure of a prover as that of a question.
pub(crate) fn failed(error: ProveError) -> Unanswered {
    Unanswered::from(match error {
        ProveError::Unsupported(unsupported) => SolveError::Refused {
            reason: unsupported.what,
        },
        ProveError::LimitExceeded(met) => SolveError::from(met),
    })
}

/// [`Session::read`] without a session.
pub(crate) fn read(game: &Game, written: &str) -> Result<Position, Vec<PositionProblem>> {
    let syntax = |problems: Vec<SyntaxProblem>| -> Vec<PositionProblem> {
        problems.into_iter().map(PositionProblem::Syntax).collect()
    };
    let check = |problems: Vec<CheckProblem>| -> Vec<PositionProblem> {
        problems.into_iter().map(PositionProblem::Check).collect()
    };
    if game.position_kind == PositionKind::Heaps {
        let parsed = parse_position_of_any_size(written).map_err(syntax)?;
        if let Some(found) = position_of_any_size_in(game, &parsed, written).map_err(check)? {
            return Ok(found);
        }
    }
    let parsed = parse_position(written).map_err(syntax)?;
    let sizes = position_in(game, &parsed, written).map_err(check)?;
    Ok(Position::from(sizes))
}
