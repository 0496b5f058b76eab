//! All positions up to a size, with the claims about them.

use super::claim::{ClaimReport, Stated, Verdict, WithoutBox, cogame_of_heaps, question};
use super::effort::{Bounds, Effort};
use super::session::Session;
use nimrule_claim::{
    BOX_WORK, Check, Counterexample, fails_at, fitting_size, is_too_large, smaller,
};
use nimrule_engine::{
    self as engine, Engine, Limits, Outcome, Query, Question, Region, Shape, SolveError,
    Statistics, SweepSummary, Table, TableCheckpoints, Visitor,
};
use nimrule_limits::{Instant, Steps};
use nimrule_model::game::{Claim, Convention, PositionKind, Statement};
use std::time::Duration;

/// The size of a box that takes about a second where the file suggests none.
const POSITIONS: u128 = 300_000;
const OPTIONS: u128 = 200_000_000;

/// The largest number of positions of a box that is solved unasked after the start was
/// answered: at some millions a second, half a minute.
const UNASKED_POSITIONS: u128 = 1 << 27;

/// The largest number of positions with which a claim without a proof is compared, unless the user
/// asks for the whole box: a fraction of a second. The engines answer a hundred times as many.
const COMPARED: u128 = 1 << 24;

/// Why a claim is not compared.
fn not_compared(failure: &SolveError) -> String {
    format!("not compared: {failure}")
}

/// A box that is to be solved.
#[derive(Debug, Clone, Copy)]
pub struct BoxRequest<'a> {
    /// The convention under which outcomes are counted.
    pub convention: Convention,
    /// The largest heap that the user asked for.
    pub asked: Option<u64>,
    /// The only engine that may be used.
    pub engine: Option<&'a str>,
    /// Whether every claim is compared with the box, and no proof sought.
    pub whole_box: bool,
    /// Whether the smallest positions are listed up to symmetry.
    pub lists: bool,
    /// Whether the box is never made smaller.
    pub is_fixed: bool,
}

impl BoxRequest<'_> {
    /// Whether claims are proved rather than compared with all of the box.
    fn seeks_proofs(&self) -> bool {
        // A sweep goes on from what was saved only if it compares the same claims.
        !self.whole_box && self.engine.is_none() && !self.is_fixed
    }
}

/// The positions of a box in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// The number of positions.
    pub positions: u64,
    /// The number of P-positions.
    pub p_positions: u64,
    /// The number of positions of each outcome, in partizan and loopy games.
    pub tally: Vec<(Outcome, u64)>,
    /// The number of orbits of P-positions, if positions are listed.
    pub orbits: u64,
    /// The smallest P-positions, one of each orbit, with their numbers of tokens.
    pub smallest: Vec<(u128, Vec<u64>)>,
}

/// A solved box.
#[derive(Debug)]
pub struct BoxReport {
    /// The largest heap.
    pub most: u64,
    /// The positions.
    pub region: Region,
    /// Counts, and the smallest P-positions.
    pub counts: Counts,
    /// How the outcomes were computed.
    pub swept: SweepSummary,
    /// The claims that apply, in the order of the file.
    pub claims: Vec<ClaimReport>,
    /// The time of the proofs, of the sweeps, of the list, and of the comparisons.
    pub times: [Duration; 4],
}

/// A box that is left out because it has too many positions to be solved unasked.
#[derive(Debug)]
pub struct BoxLeftOut {
    /// The number of positions, or the largest number if it is larger.
    pub positions: u128,
    /// Whether the box exceeds the memory.
    pub exceeds_memory: bool,
    /// The claims that apply, with what is known without the box.
    pub claims: Vec<ClaimReport>,
}

/// A claim of a box that is being solved.
pub struct BoxClaim<'g> {
    number: usize,
    /// The claim.
    pub claim: &'g Claim,
    statement: &'g Statement,
    /// What is known of it without the box.
    alone: WithoutBox,
}

/// Computes the answers about a region and shows them to visitors. A host may save what
/// it has, to resume an interrupted run.
pub trait Sweeper<'g> {
    /// Why a run ends, besides the failure of an engine.
    type Error;

    /// Computes the answers in a region, with which these claims are compared; the inner error is
    /// that of the engines.
    ///
    /// # Errors
    ///
    /// What the host cannot do.
    fn sweep(
        &mut self,
        session: &Session<'g>,
        region_and_compared: (&Region, &[&'g Claim]),
        query: Query,
        limits: &Limits,
        visitors: &mut [&mut dyn Visitor],
    ) -> Result<Result<SweepSummary, SolveError>, Self::Error>;

    /// Reports the claims so far when a sweep failed, each with the number of positions that
    /// were compared and the smallest counterexample among these.
    fn so_far(&mut self, _claims: &[(&'g Claim, u64, Option<&Counterexample>)]) {}

    /// Converts a failure of the engines, in a sweep or elsewhere.
    fn failed(&mut self, failure: SolveError, sweep: Option<(u64, Query)>) -> Self::Error;
}

/// A sweep by the engines, without anything saved.
#[derive(Debug, Default)]
pub struct EngineSweep<'a> {
    /// The only engine that may be used.
    pub engine: Option<&'a str>,
}

impl<'g> Sweeper<'g> for EngineSweep<'_> {
    type Error = SolveError;

    fn sweep(
        &mut self,
        session: &Session<'g>,
        (region, _): (&Region, &[&'g Claim]),
        query: Query,
        limits: &Limits,
        visitors: &mut [&mut dyn Visitor],
    ) -> Result<Result<SweepSummary, SolveError>, SolveError> {
        let solver = &session.solver;
        Ok(engine::sweep(
            solver,
            region,
            query,
            limits,
            self.engine,
            visitors,
        ))
    }

    fn failed(&mut self, failure: SolveError, _sweep: Option<(u64, Query)>) -> SolveError {
        failure
    }
}

impl<'g> Session<'g> {
    /// The largest heap of the box that is solved where the user asks for none.
    pub fn box_size(&self) -> u64 {
        let suggested = self.game().presentation.suggest_max;
        suggested.unwrap_or_else(|| fitting_size(&self.solver, POSITIONS, OPTIONS))
    }

    /// The largest heap of a box of about this many positions and options.
    pub fn fitting_size(&self, positions: u128, options: u128) -> u64 {
        fitting_size(&self.solver, positions, options)
    }

    /// The outcomes or values of all positions of a region.
    ///
    /// # Errors
    ///
    /// A fault in the rule, or a limit.
    pub fn table(
        &self,
        region: &Region,
        query: Query,
        limits: &Limits,
        engine: Option<&str>,
    ) -> Result<Table, SolveError> {
        engine::fill_region(&self.solver, region, query, limits, engine)
    }

    /// The outcomes of the box to the largest heap that is asked for or, without it, of one of
    /// at most about so many positions that is solved within a second or two; and its largest
    /// heap.
    ///
    /// # Errors
    ///
    /// As [`Session::table`].
    pub(crate) fn outcomes_in_box(
        &self,
        convention: Convention,
        asked: Option<u64>,
        positions: u128,
        largest: u64,
    ) -> Result<(u64, Table), SolveError> {
        let query = Query {
            question: Question::Outcome,
            convention,
        };
        let fitting = || {
            let most = self.fitting_size(positions, OPTIONS);
            let sizes = self.game().box_to(most);
            // An engine that answers in rows takes a set of heaps for many options at once.
            let in_rows = engine::choose(&self.solver, query, None).is_ok_and(|choice| {
                choice
                    .engine
                    .row_plan(&self.solver, &sizes, Question::Outcome, false)
                    .is_some()
            });
            match in_rows {
                true => self.fitting_size(positions, 10 * OPTIONS).min(largest),
                false => most.min(largest),
            }
        };
        let mut most = asked.unwrap_or_else(fitting);
        let mut work = asked.is_none().then_some(BOX_WORK);
        loop {
            let limits = match work {
                Some(work) => self.limits.cap_work(work),
                None => self.limits.clone(),
            };
            let region = self.solver.region(most, &limits);
            match region.and_then(|region| self.table(&region, query, &limits, None)) {
                Ok(table) => return Ok((most, table)),
                Err(failure) if work.is_some() && is_too_large(&failure, &self.limits) => {}
                Err(failure) => return Err(failure),
            }
            let next = work.and_then(|work| smaller(&self.solver, most, work));
            // The work for the smallest box is not bounded.
            (most, work) = next.map_or((0, None), |(most, work)| (most, Some(work)));
        }
    }

    /// The outcomes or values of a box by an engine that shows how far it is, and resumes.
    ///
    /// # Errors
    ///
    /// As [`Session::table`].
    pub fn table_with_checkpoints(
        &self,
        engine: &dyn Engine,
        shape: &Shape,
        query: Query,
        limits: &Limits,
        checkpoints: TableCheckpoints<'_>,
    ) -> Result<Table, SolveError> {
        engine::fill_with_checkpoints(engine, &self.solver, shape, query, limits, checkpoints)
    }

    /// Solves the box up to the size that is asked for or that the file suggests or, without
    /// both, as far as a second or two allow, and reports on the claims.
    ///
    /// # Errors
    ///
    /// As the sweeper has it.
    pub fn solve_box<S: Sweeper<'g>>(
        &self,
        request: &BoxRequest<'_>,
        sweeper: &mut S,
    ) -> Result<BoxReport, S::Error> {
        let chosen = request.asked.or(self.game().presentation.suggest_max);
        let mut most = chosen.unwrap_or_else(|| self.box_size());
        let mut work = (chosen.is_none() && !request.is_fixed).then_some(BOX_WORK);
        loop {
            if let Some(report) = self.solved(request, most, work, sweeper)? {
                return Ok(report);
            }
            let next = work.and_then(|work| smaller(&self.solver, most, work));
            // The work for the smallest box is not bounded.
            (most, work) = next.map_or((0, None), |(most, work)| (most, Some(work)));
        }
    }

    /// The box that the file suggests or, without a suggestion, the smallest one, if it has too
    /// many positions to be solved unasked after the start was answered. `None` if the user
    /// asks for a box.
    ///
    /// # Errors
    ///
    /// A fault in the rule, or a limit.
    pub fn box_left_out(&self, request: &BoxRequest<'_>) -> Result<Option<BoxLeftOut>, SolveError> {
        let solver = &self.solver;
        let is_asked = request.asked.is_some() || request.whole_box || request.is_fixed;
        let is_of_heaps = matches!(solver.game.position_kind, PositionKind::Heaps)
            && solver.game.digraph().is_none();
        if is_asked || !is_of_heaps {
            return Ok(None);
        }
        // Without a suggestion, a box that takes long is replaced by smaller ones.
        let smallest = solver.game.presentation.suggest_max.unwrap_or(0);
        let smallest = solver.game.box_to(smallest);
        let positions = Shape::count(&smallest);
        if positions <= UNASKED_POSITIONS {
            return Ok(None);
        }
        let query = Query {
            question: Question::Outcome,
            convention: request.convention,
        };
        let choice = engine::choose(solver, query, request.engine)?;
        let bytes = choice.engine.bytes(solver, &smallest, query);
        let claims = self.claims_before(request, solver.game.box_bound(&smallest))?;
        let reports = claims.iter().map(|claim| {
            let unknown = || {
                let why = "no proof was found, and the box was not solved".to_owned();
                (Verdict::Unknown { why }, None)
            };
            let verdict = claim.alone.settled.clone().unwrap_or_else(unknown);
            self.judged(claim, verdict)
        });
        Ok(Some(BoxLeftOut {
            positions,
            exceeds_memory: bytes > u128::from(self.limits.memory),
            claims: reports.collect::<Result<_, _>>()?,
        }))
    }

    /// The report on a box; `None` if it takes more than its work.
    fn solved<S: Sweeper<'g>>(
        &self,
        request: &BoxRequest<'_>,
        most: u64,
        work: Option<Steps>,
        sweeper: &mut S,
    ) -> Result<Option<BoxReport>, S::Error> {
        let (solver, limits) = (&self.solver, &self.limits);
        let of_box = match work {
            Some(work) => limits.cap_work(work),
            None => limits.clone(),
        };
        let outcomes = Query {
            question: Question::Outcome,
            convention: request.convention,
        };
        let region = match solver.region(most, limits) {
            Ok(region) => region,
            Err(failure) => return Err(sweeper.failed(failure, Some((most, outcomes)))),
        };
        let begun = Instant::now();
        let claims = match self.claims_before(request, region.to(solver.game)) {
            Ok(claims) => claims,
            Err(failure) => return Err(sweeper.failed(failure, None)),
        };
        let sample = match self.compared_to(request, most) {
            less if less < most => match solver.region(less, limits) {
                Ok(sample) => Some(sample),
                Err(failure) => return Err(sweeper.failed(failure, None)),
            },
            _ => None,
        };
        let proofs = begun.elapsed();
        let (mut sweep, mut list, mut comparison) =
            (Duration::ZERO, Duration::ZERO, Duration::ZERO);
        let mut statistics = Statistics::new(solver.game, request.lists, &of_box);
        let mut verdicts: Vec<Option<(Verdict, Option<Stated>)>> = claims
            .iter()
            .map(|claim| claim.alone.settled.clone())
            .collect();
        // One sweep for each question (outcomes, values); the first is that of the box. Where
        // claims are compared with fewer positions, it is of the box alone.
        let mut sweeps = vec![(outcomes, &region, sample.is_none())];
        for claim in claims.iter().filter(|claim| claim.alone.settled.is_none()) {
            let question = question(claim.claim);
            if !(sweeps.iter()).any(|(of, _, compares)| *compares && *of == question) {
                sweeps.push((question, sample.as_ref().unwrap_or(&region), true));
            }
        }
        let mut swept = None;
        for (of, region, compares) in sweeps {
            let is_compared = |one: &BoxClaim<'_>| {
                compares && one.alone.settled.is_none() && question(one.claim) == of
            };
            let mut checks: Vec<(usize, Check<'_>)> = claims
                .iter()
                .enumerate()
                .filter(|(_, c)| is_compared(c))
                .map(|(place, c)| (place, Check::new(solver, c.statement, &of_box)))
                .collect();
            let places: Vec<usize> = checks.iter().map(|(place, _)| *place).collect();
            let mut visitors: Vec<&mut dyn Visitor> = Vec::new();
            let first = swept.is_none();
            if first {
                visitors.push(&mut statistics);
            }
            visitors.extend(checks.iter_mut().map(|(_, c)| c as &mut dyn Visitor));
            let compared: Vec<&Claim> = places.iter().map(|place| claims[*place].claim).collect();
            let whole = (region, &compared[..]);
            let how = sweeper.sweep(self, whole, of, &of_box, &mut visitors)?;
            let how = match how {
                Err(failure) if work.is_some() && is_too_large(&failure, limits) => {
                    return Ok(None);
                }
                Err(failure) => {
                    let failed = sweeper.failed(failure, Some((region.to(solver.game), of)));
                    let so_far: Vec<_> = checks
                        .iter()
                        .map(|(place, check)| {
                            let (positions, found) = check.so_far();
                            (claims[*place].claim, positions, found)
                        })
                        .collect();
                    sweeper.so_far(&so_far);
                    return Err(failed);
                }
                Ok(how) => how,
            };
            let (of_list, of_claims) = how.visits.split_at(usize::from(first));
            sweep += how.took;
            list += of_list.iter().sum::<Duration>();
            comparison += of_claims.iter().sum::<Duration>();
            swept.get_or_insert(how);
            for (place, check) in checks {
                verdicts[place] = Some((Verdict::from(check.status(region)), None));
            }
        }
        let judging = Instant::now();
        let mut reports = Vec::new();
        for (claim, verdict) in claims.iter().zip(verdicts) {
            let verdict = verdict.expect("each claim's question was asked");
            match self.judged(claim, verdict) {
                Ok(report) => reports.push(report),
                Err(failure) => return Err(sweeper.failed(failure, None)),
            }
        }
        comparison += judging.elapsed();
        Ok(Some(BoxReport {
            most,
            counts: Counts {
                positions: statistics.positions,
                p_positions: statistics.p_positions,
                tally: std::mem::take(&mut statistics.tally),
                orbits: statistics.orbits,
                smallest: std::mem::take(&mut statistics.smallest),
            },
            swept: swept.expect("there is a question"),
            claims: reports,
            times: [proofs, sweep, list, comparison],
            region,
        }))
    }

    /// The largest heap of the positions with which claims without a proof are compared.
    fn compared_to(&self, request: &BoxRequest<'_>, most: u64) -> u64 {
        let game = self.game();
        let fits = |size: u64| Shape::count(&game.box_to(size)) <= COMPARED;
        if !request.seeks_proofs() || game.position_kind != PositionKind::Heaps || fits(most) {
            return most;
        }
        // What fits is found between a size that fits, or 1, and one that does not.
        let (mut fitting, mut too_large) = (1, most);
        while too_large - fitting > 1 {
            let middle = fitting + (too_large - fitting) / 2;
            match fits(middle) {
                true => fitting = middle,
                false => too_large = middle,
            }
        }
        fitting
    }

    /// The claims that apply, with the verdicts that need no box.
    fn claims_before(
        &self,
        request: &BoxRequest<'_>,
        to: u64,
    ) -> Result<Vec<BoxClaim<'g>>, SolveError> {
        let seeks_proofs = request.seeks_proofs();
        let effort = match Effort::COMMAND.proof_bound(&self.solver, to) {
            Some(most) if seeks_proofs => Effort::COMMAND.proving(most),
            _ => Effort::COMMAND.by_box_alone(),
        };
        let compared_to = self.compared_to(request, to);
        let mut claims = Vec::new();
        for (number, claim) in self.claims() {
            let Some(statement) = &claim.statement else {
                continue;
            };
            let effort = Effort {
                bounds: Some(match (request.asked, statement) {
                    // Moves are compared position by position, which takes far longer than the
                    // answers of the box that was asked for.
                    (_, Statement::SameAs(_)) if seeks_proofs => Bounds::Chosen(compared_to),
                    (Some(most), _) if compared_to == to => Bounds::Asked(most),
                    _ => Bounds::Chosen(compared_to),
                }),
                ..effort.clone()
            };
            // A claim that the file says fails is swept over the whole box if it is asked for.
            let alone = match claim.refuted.is_some() && !seeks_proofs {
                true => WithoutBox::default(),
                false => match self.without_box(claim, &effort) {
                    // What takes too much memory beside the box leaves the rest answered.
                    Err(failure @ SolveError::Memory { .. }) => WithoutBox {
                        settled: Some((
                            Verdict::Unknown {
                                why: not_compared(&failure),
                            },
                            None,
                        )),
                        no_proof_in: None,
                    },
                    known => known?,
                },
            };
            claims.push(BoxClaim {
                number,
                claim,
                statement,
                alone,
            });
        }
        Ok(claims)
    }

    /// The report on a claim. One whose smallest counterexample lies beyond the box still
    /// fails where the file says so.
    fn judged(
        &self,
        claim: &BoxClaim<'g>,
        (verdict, stated): (Verdict, Option<Stated>),
    ) -> Result<ClaimReport, SolveError> {
        let (verdict, stated) = match (&claim.claim.refuted, stated) {
            (Some(at), None) if !cogame_of_heaps(self.solver.game, claim.claim) => {
                let there = fails_at(&self.solver, claim.claim, at, &self.limits)?;
                let stated = Stated {
                    at: at.clone(),
                    fails: there.is_some(),
                };
                let verdict = match (verdict, there) {
                    (verdict @ Verdict::Refuted(_), _) | (verdict, None) => verdict,
                    (_, Some(found)) => Verdict::Refuted(found),
                };
                (verdict, Some(stated))
            }
            (_, stated) => (verdict, stated),
        };
        Ok(self.report(claim.number, verdict, stated, claim.alone.no_proof_in))
    }
}
