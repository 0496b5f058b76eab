//! Whether a claim of a file holds: by a proof for all sizes or, without one, by a
//! comparison with a box.

use super::effort::Effort;
use super::session::{Note, Session};
use nimrule_claim::same_as::by_matching;
use nimrule_claim::{
    self as claim, ClaimStatus, ClaimTables, Counterexample, check_alone, fails_at,
};
use nimrule_discover::learning;
use nimrule_engine::{Limits, Shape, SolveError};
use nimrule_limits::{Instant, Steps};
use nimrule_model::game::{Applies, Claim, Direction, Game, PositionKind, Statement};
use nimrule_prove::any_number::Proof as ProofOfAnyNumber;
use nimrule_prove::certificate::{NotWritten, write};
use nimrule_prove::proof_cache::{CachedProof, FormSearch, ProofOrigin};
use nimrule_prove::{self as prove, PPositions, Proof, Set, Strategy, Unsupported};
use nimrule_real::{Proof as RealProof, Witness};
use std::fmt;
use std::time::Duration;

/// The theorem of a proof for all heap sizes.
pub(crate) const FOR_ALL_SIZES: &str = "the partition theorem";

/// What is known of a claim.
#[derive(Debug, Clone)]
pub struct ClaimReport {
    /// The number of the claim in the file, from 1.
    pub number: usize,
    /// The text of the claim.
    pub claim: String,
    /// Whether it holds, and by what.
    pub verdict: Verdict,
    /// For a claim that the file says fails (`refuted at`): whether it fails there.
    pub stated: Option<Stated>,
    /// What a search for a proof had, if it ended without one: with more, one may be found.
    pub no_proof_in: Option<Steps>,
    /// The time that was taken.
    pub took: Duration,
    /// The verdict on one line.
    pub(crate) line: String,
}

impl fmt::Display for ClaimReport {
    /// The claim and its verdict on one line, as in `P iff a == b: holds to 12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.claim, self.line)
    }
}

/// What is known of a claim without a comparison with all of a box.
#[derive(Default)]
pub(crate) struct WithoutBox {
    /// The verdict, and for a claim that the file says fails whether it does; `None` if the
    /// box must be compared.
    pub settled: Option<(Verdict, Option<Stated>)>,
    /// As in [`ClaimReport`].
    pub no_proof_in: Option<Steps>,
}

/// A claim that the file says fails at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The position, as the file has it.
    pub at: Vec<u64>,
    /// Whether the claim fails there.
    pub fails: bool,
}

/// Whether a claim holds.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It holds for all sizes.
    Proved(Evidence),
    /// It holds at every position with heaps up to `to`, and is not proved.
    Holds {
        /// The bound: the largest number of tokens in a heap.
        to: u64,
        /// The reason, if it is not a comparison of all these positions.
        by: Option<String>,
    },
    /// It fails at this position: the smallest that is known.
    Refuted(Counterexample),
    /// The labelling of heaps of real size is wrong at this position.
    RefutedOfReals(Box<Witness>),
    /// It fails, but not at a position.
    Fails {
        /// The reason, in words.
        why: String,
    },
    /// It was proved, and the engines find that it fails at this position: an internal
    /// error of the prover or of the engines.
    Contradicted(Counterexample),
    /// The rule or the claim has an operation that no procedure translates.
    Unsupported(Unsupported),
    /// A proof was sought, and none found.
    Undecided {
        /// The reason, in words.
        why: String,
    },
    /// It is neither confirmed nor refuted.
    Unknown {
        /// The reason, in words.
        why: String,
    },
    /// It is about other values of the parameters.
    Elsewhere,
}

/// What proves a claim.
#[derive(Debug, Clone)]
pub enum Evidence {
    /// A theorem; `by` says how it applies.
    Theorem {
        /// The name of the theorem.
        theorem: &'static str,
        /// How it applies, in words.
        by: String,
    },
    /// An automaton, by the partition theorem.
    Automaton(Box<Proof>),
    /// A strategy for any number of heaps, by the partition theorem.
    AnyNumber(Box<ProofOfAnyNumber>),
    /// A stored proof of the same claim, with the number of states of its automaton.
    Stored {
        /// The states of the automaton of the P-positions.
        states: usize,
    },
    /// The elimination of quantifiers over ordered fields.
    Reals(Box<RealProof>),
}

impl Evidence {
    /// The theorem by which the claim is proved.
    pub fn theorem(&self) -> &'static str {
        match self {
            Evidence::Theorem { theorem, .. } => theorem,
            Evidence::Automaton(_) | Evidence::AnyNumber(_) | Evidence::Stored { .. } => {
                FOR_ALL_SIZES
            }
            Evidence::Reals(_) => "quantifier elimination over ordered fields",
        }
    }
}

impl From<ClaimStatus> for Verdict {
    fn from(status: ClaimStatus) -> Verdict {
        match status {
            ClaimStatus::Holds { to, by } => Verdict::Holds { to, by },
            ClaimStatus::Proved { theorem, by } => {
                Verdict::Proved(Evidence::Theorem { theorem, by })
            }
            ClaimStatus::Refuted(found) => Verdict::Refuted(found),
            ClaimStatus::Fails { why } => Verdict::Fails { why },
            ClaimStatus::Unknown { why } => Verdict::Unknown { why },
        }
    }
}

impl From<prove::Verdict> for Verdict {
    fn from(verdict: prove::Verdict) -> Verdict {
        match verdict {
            prove::Verdict::Proved(proof) => Verdict::Proved(Evidence::Automaton(proof.into())),
            prove::Verdict::ProvedOfAnyNumber(proof) => {
                Verdict::Proved(Evidence::AnyNumber(proof.into()))
            }
            prove::Verdict::ProvedOfReals(proof) => Verdict::Proved(Evidence::Reals(proof.into())),
            prove::Verdict::RefutedOfReals(found) => Verdict::RefutedOfReals(found.into()),
            prove::Verdict::Refuted(found) => Verdict::Refuted(found),
            prove::Verdict::Unsupported(unsupported) => Verdict::Unsupported(unsupported),
            prove::Verdict::Contradicted(found) => Verdict::Contradicted(found),
            prove::Verdict::Undecided(why) => Verdict::Undecided { why },
        }
    }
}

/// Whether the claim is that a game of heaps is a cogame.
pub(crate) fn cogame_of_heaps(game: &Game, claim: &Claim) -> bool {
    matches!(claim.statement, Some(Statement::Cogame(_))) && game.digraph().is_none()
}

/// The work for a proof about a cogame, where none is sought for other claims.
const COGAME_PROOF: Steps = Steps::million(2);

impl ClaimReport {
    /// Whether the claim is as the file says: it holds or, with `refuted at`, fails there.
    /// `None` if that is not known.
    pub fn passes(&self) -> Option<bool> {
        if let Some(stated) = &self.stated {
            return Some(stated.fails);
        }
        match &self.verdict {
            Verdict::Proved(_) | Verdict::Holds { .. } | Verdict::Elsewhere => Some(true),
            Verdict::Refuted(_) | Verdict::RefutedOfReals(_) | Verdict::Fails { .. } => Some(false),
            Verdict::Contradicted(_)
            | Verdict::Unsupported(_)
            | Verdict::Undecided { .. }
            | Verdict::Unknown { .. } => None,
        }
    }

    /// Whether the claim is proved for all sizes.
    pub fn is_proved(&self) -> bool {
        matches!(self.verdict, Verdict::Proved(_))
    }
}

impl<'g> Session<'g> {
    /// The claims that apply at these values of the parameters, with their numbers in the
    /// file, from 1.
    pub fn claims(&self) -> impl Iterator<Item = (usize, &'g Claim)> {
        let claims = (1..).zip(&self.game().claims);
        claims.filter(|(_, claim)| claim.applies != Applies::Elsewhere)
    }

    /// Whether a claim holds: one of the game's, by its number.
    ///
    /// # Errors
    ///
    /// A fault in an expression of the rule or the claim, or a limit that was exceeded
    /// before there was a verdict.
    ///
    /// # Panics
    ///
    /// If the file has no claim with this number.
    pub fn claim(&self, number: usize, effort: &Effort) -> Result<ClaimReport, SolveError> {
        let begun = Instant::now();
        let claim = &self.game().claims[number - 1];
        let WithoutBox {
            settled,
            no_proof_in,
        } = self.without_box(claim, effort)?;
        let (verdict, stated) = match settled {
            Some(found) => found,
            None => (self.by_box(claim, effort)?, None),
        };
        Ok(ClaimReport {
            took: begun.elapsed(),
            ..self.report(number, verdict, stated, no_proof_in)
        })
    }

    /// The report that a claim is undecided, after a failure.
    pub fn undecided(&self, number: usize, why: String, took: Duration) -> ClaimReport {
        ClaimReport {
            took,
            ..self.report(number, Verdict::Undecided { why }, None, None)
        }
    }

    pub(crate) fn report(
        &self,
        number: usize,
        verdict: Verdict,
        stated: Option<Stated>,
        no_proof_in: Option<Steps>,
    ) -> ClaimReport {
        let mut report = ClaimReport {
            number,
            claim: self.game().claims[number - 1].words.clone(),
            verdict,
            stated,
            no_proof_in,
            took: Duration::ZERO,
            line: String::new(),
        };
        report.line = report.verdict_line(self.game());
        report
    }

    /// The verdict on a claim without a comparison with all of the box.
    pub(crate) fn without_box(
        &self,
        claim: &Claim,
        effort: &Effort,
    ) -> Result<WithoutBox, SolveError> {
        let settled = |verdict, stated| WithoutBox {
            settled: Some((verdict, stated)),
            no_proof_in: None,
        };
        let Some(_) = &claim.statement else {
            return Ok(settled(Verdict::Elsewhere, None));
        };
        let (solver, limits) = (&self.solver, &self.limits);
        let game = solver.game;
        let bounds = effort.bounds;
        let (most, _) = bounds.map_or((0, None), |bounds| bounds.of(solver));
        if game.position_kind == PositionKind::Reals {
            let (verdict, stated) = self.of_reals(claim, effort)?;
            return Ok(settled(verdict, stated));
        }
        if let Some(at) = &claim.refuted {
            let (verdict, stated) = match cogame_of_heaps(game, claim) {
                true => self.stated_cogame(claim, at, effort)?,
                false => self.stated(claim, at, most)?,
            };
            return Ok(settled(verdict, stated));
        }
        // Without a box there is none to be asked for.
        let alone = || match bounds {
            Some(bounds) => check_alone(solver, claim, most, bounds.asked(), limits),
            None => Ok(None),
        };
        // A proof of a move, or of a matching of heaps, is found sooner than all moves of a box
        // are compared.
        let is_last = match &claim.statement {
            Some(Statement::WinsBy { .. }) => true,
            Some(Statement::SameAs(claimed)) => by_matching(claimed),
            _ => false,
        };
        let first = match is_last {
            true => None,
            false => alone()?,
        };
        let first = match first.map(Verdict::from) {
            Some(open @ (Verdict::Holds { .. } | Verdict::Unknown { .. })) => Some(open),
            Some(verdict) => return Ok(settled(verdict, None)),
            None => None,
        };
        let open = |no_proof_in| {
            let found = match is_last {
                true => alone()?.map(Verdict::from),
                false => first,
            };
            Ok(WithoutBox {
                settled: found.map(|found| (found, None)),
                no_proof_in,
            })
        };
        let most_work = match effort.proof_bound(solver, most) {
            Some(most_work) if bounds.is_none() || can_be_proved(game, claim) => most_work,
            _ => return open(None),
        };
        let of_proof = limits.for_search(most_work, CHECKS);
        let work = of_proof.work_left().unwrap_or(most_work);
        if bounds.is_some()
            && let Some(is_cut) = self.proofs.has_failed(claim, work, limits)
        {
            return open(is_cut.then_some(work));
        }
        match (self.by_proof(claim, effort, &of_proof), bounds) {
            (Err(SolveError::Stopped), _) => Err(SolveError::Stopped),
            (found, None) => found.map(|verdict| settled(verdict, None)),
            (Ok(verdict @ (Verdict::Proved(_) | Verdict::Refuted(_))), Some(_)) => {
                Ok(settled(verdict, None))
            }
            // What no proof decides is compared with the box, if the user still waits.
            (found, Some(_)) => {
                limits.check_waited_for()?;
                let is_cut = matches!(found, Err(SolveError::Work { .. }));
                // What the clock may have ended is sought again.
                if is_long(&of_proof) && limits.deadline.is_none() {
                    let note = |note: &Note| self.note(note);
                    (self.proofs).keep_failed(claim, (work, is_cut), limits, &note);
                }
                open(is_cut.then_some(work))
            }
        }
    }

    /// The verdict on a claim that a game of heaps is no cogame at a position. Positions of any
    /// size may have a move to it, so a proof alone decides that none of them is P.
    fn stated_cogame(
        &self,
        claim: &Claim,
        at: &[u64],
        effort: &Effort,
    ) -> Result<(Verdict, Option<Stated>), SolveError> {
        let shown = self.game().shown(at);
        let stated = |fails| {
            let at = at.to_vec();
            Some(Stated { at, fails })
        };
        let does_not = || {
            let why = format!("does not fail at {shown}, although the file says so");
            (Verdict::Fails { why }, stated(false))
        };
        // Every N-position up to this size may come from a P-position that is near.
        let size = u64::try_from(self.game().tokens(at)).unwrap_or(u64::MAX);
        match check_alone(&self.solver, claim, size, None, &self.limits) {
            Ok(Some(ClaimStatus::Holds { to, .. })) if to >= size => return Ok(does_not()),
            // A P-position that leads to another one is enough.
            Ok(Some(ClaimStatus::Refuted(found))) if found.position == at => {
                return Ok((Verdict::Refuted(found), stated(true)));
            }
            Err(ended @ (SolveError::Stopped | SolveError::Time)) => return Err(ended),
            _ => {}
        }
        let most_work = effort.proof_bound(&self.solver, 0).unwrap_or(COGAME_PROOF);
        let found = self.by_proof(claim, effort, &self.limits.cap_work(most_work));
        self.limits.check_waited_for()?;
        match found {
            Ok(Verdict::Refuted(found)) if found.position == at => {
                Ok((Verdict::Refuted(found), stated(true)))
            }
            Ok(Verdict::Refuted(_) | Verdict::Proved(_)) => Ok(does_not()),
            _ => {
                let why = format!(
                    "no proof was found that no P-position, of any size, has a move to {shown}"
                );
                Ok((Verdict::Unknown { why }, None))
            }
        }
    }

    /// The verdict on a claim that the file says fails at a position. The smallest
    /// counterexample is among the positions with at most as many tokens.
    fn stated(
        &self,
        claim: &Claim,
        at: &[u64],
        most: u64,
    ) -> Result<(Verdict, Option<Stated>), SolveError> {
        let (solver, limits) = (&self.solver, &self.limits);
        let found = fails_at(solver, claim, at, limits)?;
        let stated = Stated {
            at: at.to_vec(),
            fails: found.is_some(),
        };
        let Some(found) = found else {
            let at = solver.game.shown(at);
            let why = format!("does not fail at {at}, although the file says so");
            return Ok((Verdict::Fails { why }, Some(stated)));
        };
        let tokens = u64::try_from(solver.game.tokens(at)).unwrap_or(u64::MAX);
        let below = Shape::count(&solver.game.box_to(tokens));
        let is_small = tokens < most || below <= SMALL_BOX;
        let smallest = match solver.game.position_kind {
            PositionKind::Heaps if is_small => {
                ClaimTables::new(tokens, None, None).check(solver, claim, limits)
            }
            _ => Ok(ClaimStatus::Refuted(found.clone())),
        };
        let smallest = match smallest {
            Ok(ClaimStatus::Refuted(smallest)) => smallest,
            Err(ended @ (SolveError::Stopped | SolveError::Time)) => return Err(ended),
            _ => found,
        };
        Ok((Verdict::Refuted(smallest), Some(stated)))
    }

    /// The verdict of the provers. A proved set of P-positions is stored.
    fn by_proof(
        &self,
        claim: &Claim,
        effort: &Effort,
        limits: &Limits,
    ) -> Result<Verdict, SolveError> {
        let game = self.game();
        let note = |note: &Note| self.note(note);
        let (is_outcome, needs_all) = match &claim.statement {
            Some(Statement::Outcome { direction, .. }) => (true, *direction != Direction::Iff),
            Some(Statement::Cogame(None) | Statement::WinsBy { .. }) => (false, true),
            _ => (false, false),
        };
        let reads_store = needs_all || (is_outcome && effort.accepts_cached);
        let known = match reads_store {
            true => self.proofs.find(claim.convention, limits, &note),
            false => None,
        };
        let known = known.as_ref();
        if effort.accepts_cached
            && let Some(known) = known
            && known.origin == ProofOrigin::Claim(claim.words.clone())
        {
            let states = known.set.states;
            return Ok(Verdict::Proved(Evidence::Stored { states }));
        }
        let strategy = match known.filter(|_| needs_all || effort.accepts_cached) {
            Some(known) => Strategy {
                p_positions: PPositions::Known(known.outcomes.set()),
                ..Strategy::all(limits)
            },
            None => learning(limits),
        };
        let verdict = prove::prove(game, claim, &strategy)?;
        if let prove::Verdict::Proved(proof) = &verdict
            && is_outcome
            && proof.of == Set::PPositions
        {
            let cached = CachedProof {
                by: ProofOrigin::Claim(claim.words.clone()),
                form: FormSearch::NotSought,
                set: proof.automaton.as_ref().clone(),
            };
            let number = game
                .claims
                .iter()
                .position(|other| other.words == claim.words);
            let number = number.map(|place| place + 1);
            let is_kept = !effort.accepts_cached || is_long(limits);
            self.proofs
                .learn(claim.convention, cached, number, is_kept, limits, &note);
        }
        Ok(Verdict::from(verdict))
    }

    /// The verdict on a claim about heaps of real size, which have no tables.
    fn of_reals(
        &self,
        claim: &Claim,
        effort: &Effort,
    ) -> Result<(Verdict, Option<Stated>), SolveError> {
        let game = self.game();
        let most_work = effort
            .proof_bound(&self.solver, 0)
            .filter(|_| effort.bounds.is_none())
            .unwrap_or(super::effort::position::ONLY_PROOF);
        let limits = self.limits.or_work(most_work);
        let verdict = prove::prove(game, claim, &Strategy::all(&limits))?;
        let stated = claim.refuted.as_ref().map(|at| Stated {
            at: at.clone(),
            fails: match &verdict {
                prove::Verdict::RefutedOfReals(found) => {
                    found.position.to_string() == game.shown(at)
                }
                _ => false,
            },
        });
        let verdict = match &stated {
            Some(stated) if !stated.fails && verdict_is_settled(&verdict) => Verdict::Fails {
                why: format!(
                    "does not fail at {}, although the file says so",
                    game.shown(&stated.at)
                ),
            },
            _ => Verdict::from(verdict),
        };
        let stated = stated.filter(|_| !matches!(verdict, Verdict::Unsupported(_)));
        Ok((verdict, stated))
    }

    /// The comparison of a claim with a box. Claims share the tables.
    pub(crate) fn by_box(&self, claim: &Claim, effort: &Effort) -> Result<Verdict, SolveError> {
        let Some(bounds) = effort.bounds else {
            let why = "no proof was found".to_owned();
            return Ok(Verdict::Undecided { why });
        };
        let mut kept = self.tables.borrow_mut();
        if kept.as_ref().is_none_or(|(of, _)| *of != bounds) {
            let (most, work) = bounds.of(&self.solver);
            *kept = Some((bounds, ClaimTables::new(most, bounds.asked(), work)));
        }
        let tables = &mut kept.as_mut().expect("it was just set").1;
        let status = tables.check(&self.solver, claim, &self.limits)?;
        Ok(Verdict::from(status))
    }
}

impl Session<'_> {
    /// The certificate of the proof of a claim, as text.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub fn certificate_of_claim(&self, claim: &Claim, proof: &Proof) -> Result<String, NotWritten> {
        match (&proof.certificate, proof.of.proves()) {
            (Some(certificate), _) => Ok(certificate.text()),
            (None, Some(proves)) => {
                let limits = self.search_limits();
                let words = Some(claim.words.as_str());
                write(
                    self.game(),
                    proves,
                    words,
                    claim.convention,
                    &proof.automaton,
                    &limits,
                )
            }
            (None, None) => Err(NotWritten::of_part()),
        }
    }
}

/// The largest number of positions of a box that is searched for a smaller counterexample
/// than the one that the file names.
const SMALL_BOX: u128 = 10_000;

/// Whether the provers decided a claim about heaps of real size.
fn verdict_is_settled(verdict: &prove::Verdict) -> bool {
    matches!(
        verdict,
        prove::Verdict::ProvedOfReals(_) | prove::Verdict::RefutedOfReals(_)
    )
}

/// Whether a search with these limits, of which it is all the work, took so long that its result
/// is kept.
fn is_long(limits: &Limits) -> bool {
    let done = limits.work.as_ref().map(|work| work.done());
    done.is_none_or(|done| done >= KEPT)
}

/// The work for the checks of a proof, beside the search for it.
const CHECKS: Steps = Steps(600_000);

/// The work from which on the result of a search is kept: a twentieth of a second.
const KEPT: Steps = Steps(50_000);

/// Whether a proof is sought before a box is compared.
fn can_be_proved(game: &Game, claim: &Claim) -> bool {
    game.position_kind == PositionKind::Heaps
        && matches!(
            claim.statement,
            Some(
                Statement::Outcome { .. }
                    | Statement::Grundy(_)
                    | Statement::SameAs(_)
                    | Statement::Cogame(_)
                    | Statement::WinsBy { .. }
            )
        )
}

/// Whether a box is needed to answer `claim`'s question, as [`claim::asked`] says.
pub(crate) fn question(claim: &Claim) -> nimrule_engine::Query {
    claim::asked(claim)
}
