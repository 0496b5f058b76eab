//! Claims and examples of a rule file, compared with computed answers; disjunctive
//! sums of games.
//!
//! A claim that holds on a box of positions "holds to N"; that is not a proof
//! (`docs/src/glossary.md`). A claim that fails comes with its smallest
//! counterexample: by the number of tokens, then in lexicographic order.

#![warn(missing_docs)]

mod batch;
mod form;
pub mod pairing;
mod period;
pub mod quotient;
mod rows;
pub mod same_as;
mod smallest;
mod structure;
mod winning_move;
pub mod worked;

pub use smallest::{SmallestCounterexample, by_total};

use batch::{BatchEvaluator, Claimed, Facts, LANES, lanes_of};
use nimrule_engine::{
    self as engine, Limits, NO_VALUE, Outcome, Query, Question, Region, Request, Scope, Shape,
    SolveError, Solver, Table, TableValues, Visitor, Work,
};
use nimrule_ir::MoveGraph;
use nimrule_ir::batch::Bits;
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::Steps;
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::expr::eval::check_images;
use nimrule_model::expr::{Environment, Fault, PlacedFault};
use nimrule_model::game::{Claim, Convention, Game, PositionKind, Statement};
use nimrule_syntax::ast::Direction;
use rows::RowEvaluator;
use std::fmt;

/// The result of checking a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimStatus {
    /// It holds at every position with heaps up to `to`. `by` is the reason, if
    /// it is not a comparison of all these positions.
    Holds {
        /// The bound of the check: the largest number of tokens in a heap.
        to: u64,
        /// The reason, in words.
        by: Option<String>,
    },
    /// It holds for all sizes by a theorem; `by` says how the theorem applies.
    Proved {
        /// The name of the theorem.
        theorem: &'static str,
        /// How the theorem applies, in words.
        by: String,
    },
    /// It fails at this position.
    Refuted(Counterexample),
    /// It fails, but not at a position.
    Fails {
        /// The reason, in words.
        why: String,
    },
    /// It is neither confirmed nor refuted, for this reason.
    Unknown {
        /// The reason, in words.
        why: String,
    },
}

impl ClaimStatus {
    /// The claim holds for heaps up to `to`.
    pub fn to(to: u64) -> ClaimStatus {
        ClaimStatus::Holds { to, by: None }
    }

    /// The status of a claim that was compared with `positions`, up to `to`, and failed at none:
    /// a proof if these are all of the game, and unknown if there is none.
    fn unrefuted(positions: u64, are_all: bool, to: u64) -> ClaimStatus {
        match (positions, are_all) {
            (0, _) => ClaimStatus::Unknown {
                why: nothing_compared(to),
            },
            (_, true) => ClaimStatus::Proved {
                theorem: structure::EVERY_POSITION,
                by: structure::all(positions),
            },
            (_, false) => ClaimStatus::to(to),
        }
    }

    /// Whether the claim fails.
    pub fn fails(&self) -> bool {
        matches!(self, ClaimStatus::Refuted(_) | ClaimStatus::Fails { .. })
    }
}

/// Why there is no verdict on a claim that is about no position up to `to`.
fn nothing_compared(to: u64) -> String {
    format!("no position was compared: up to {to} there is none that the claim is about")
}

/// A position at which a claim fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The position.
    pub position: Vec<u64>,
    /// What is true of it.
    pub actual: PositionFact,
    /// What the claim states of it.
    pub claimed: PositionFact,
}

/// An outcome, a value or another property of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PositionFact {
    /// The outcome class.
    Outcome(Outcome),
    /// Any outcome but this, in games with more than two.
    Not(Outcome),
    /// The Grundy value.
    Grundy(i64),
    /// Another property, in words.
    Words(String),
}

impl Counterexample {
    /// The claimed and the actual property, as a clause.
    pub fn words(&self) -> String {
        match &self.actual {
            PositionFact::Words(actual) => format!("{actual}, and {}", self.claimed),
            actual => format!("claimed {}, and it is {actual}", self.claimed),
        }
    }
}

impl fmt::Display for PositionFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionFact::Outcome(outcome) => outcome.fmt(f),
            PositionFact::Not(outcome) => write!(f, "not {outcome}"),
            PositionFact::Grundy(value) => value.fmt(f),
            PositionFact::Words(words) => words.fmt(f),
        }
    }
}

/// The question whose answers a claim is compared with.
///
/// # Examples
///
/// ```
/// use nimrule_engine::Question;
///
/// let game = "game nim heaps a b move take from one heap claim P iff a == b claim P iff a >= b";
/// let game = nimrule_fixtures::compiled(game).unwrap().game;
/// assert_eq!(nimrule_claim::asked(&game.claims[0]).question, Question::Outcome);
/// ```
pub fn asked(claim: &Claim) -> Query {
    Query {
        question: match claim.statement {
            Some(Statement::Grundy(_)) => Question::Grundy,
            _ => Question::Outcome,
        },
        convention: claim.convention,
    }
}

/// Evaluates claims at positions; reuses the memory of local variables.
pub struct ClaimEvaluator<'g> {
    game: &'g Game,
    /// Whether every position is P or N.
    two_outcomes: bool,
    locals: Vec<i64>,
}

impl<'g> ClaimEvaluator<'g> {
    /// An evaluator of the claims of `game`.
    pub fn new(game: &'g Game) -> ClaimEvaluator<'g> {
        ClaimEvaluator {
            game,
            two_outcomes: game.no_grundy_values().is_none(),
            locals: vec![0; game.slots],
        }
    }

    /// The memory of local variables.
    pub fn locals_mut(&mut self) -> &mut [i64] {
        &mut self.locals
    }

    /// How the claim contradicts the answer about a position, if it does.
    pub fn contradiction(
        &mut self,
        statement: &Statement,
        position: &[u64],
        outcome: Outcome,
        grundy: Option<u64>,
    ) -> Result<Option<(PositionFact, PositionFact)>, PlacedFault> {
        let (sizes, kinds) = self.game.sizes_and_kinds(position);
        let environment = |locals| Environment {
            position: &sizes,
            kinds: &kinds,
            ..self::environment(position, locals, self.game)
        };
        match statement {
            Statement::Outcome {
                class,
                consistent: _,
                up_to_symmetry,
                direction,
                condition,
            } => {
                // An implication leaves some positions open.
                match direction {
                    Direction::If if outcome == *class => return Ok(None),
                    Direction::OnlyIf if outcome != *class => return Ok(None),
                    _ => {}
                }
                let holds = if *up_to_symmetry {
                    let mut fault = None;
                    let symmetries = &self.game.facts.symmetries;
                    let locals = &mut self.locals;
                    check_images(symmetries, position).map_err(|fault| fault.at(condition.span))?;
                    let found = symmetries.any_image(position, &mut |image| {
                        condition
                            .eval(&mut self::environment(image, locals, self.game))
                            .unwrap_or_else(|f| {
                                fault = Some(f);
                                true
                            })
                    });
                    match fault {
                        Some(fault) => return Err(fault),
                        None => found,
                    }
                } else {
                    condition.eval(&mut environment(&mut self.locals))?
                };
                let claimed = match (holds, class) {
                    (true, class) => PositionFact::Outcome(*class),
                    (false, Outcome::P) if self.two_outcomes => PositionFact::Outcome(Outcome::N),
                    (false, Outcome::N) if self.two_outcomes => PositionFact::Outcome(Outcome::P),
                    (false, class) => PositionFact::Not(*class),
                };
                Ok((holds != (outcome == *class))
                    .then_some((PositionFact::Outcome(outcome), claimed)))
            }
            Statement::Grundy(value) => {
                let claimed = value.eval(&mut environment(&mut self.locals))?;
                let actual = grundy.expect("a claim about values is judged by values");
                let actual = i64::try_from(actual).map_err(|_| Fault::Overflow.at(value.span))?;
                Ok((claimed != actual)
                    .then_some((PositionFact::Grundy(actual), PositionFact::Grundy(claimed))))
            }
            Statement::Pairing(pairs) => Ok((pairing::covers(self.game, pairs, position)
                && outcome != Outcome::P)
                .then_some((
                    PositionFact::Outcome(outcome),
                    PositionFact::Outcome(Outcome::P),
                ))),
            _ => Ok(None),
        }
    }
}

/// Checks a claim that needs no table of outcomes or values; `None` if it needs
/// one. `most` bounds the heaps of the box; with `asked`, which a user sets, the
/// check may not choose a larger box.
///
/// # Examples
///
/// ```
/// use nimrule_claim::check_alone;
/// use nimrule_engine::{Limits, Solver};
///
/// let game = "game twins heaps a b move take from one heap claim P by pairing a with b";
/// let game = nimrule_fixtures::compiled(game).unwrap().game;
/// let limits = Limits::of_memory(1 << 20);
/// let status = check_alone(&Solver::new(&game), &game.claims[0], 9, None, &limits);
/// assert!(status.unwrap().is_some_and(|status| !status.fails()));
/// ```
pub fn check_alone(
    solver: &Solver<'_>,
    claim: &Claim,
    most: u64,
    asked: Option<u64>,
    limits: &Limits,
) -> Result<Option<ClaimStatus>, SolveError> {
    SolveError::check_kind(solver.game)?;
    match &claim.statement {
        Some(Statement::SameAs(claimed)) => {
            same_as::check(solver, claimed, claim.convention, (most, asked), limits).map(Some)
        }
        Some(Statement::Pairing(pairs)) => {
            pairing::check(solver, pairs, claim.convention, most, limits)
        }
        Some(Statement::Quotient { to, elements }) => {
            quotient::check(solver, *to, *elements, limits).map(Some)
        }
        Some(Statement::Period { .. }) => period::check(solver, claim, asked, limits),
        _ => structure::check(solver, claim, most, limits),
    }
}

/// Checks the claims of one game up to a bound. Claims share tables of answers.
pub struct ClaimChecker<'s, 'g> {
    solver: &'s Solver<'g>,
    limits: &'s Limits,
    tables: ClaimTables,
}

impl<'s, 'g> ClaimChecker<'s, 'g> {
    /// A checker without tables. `most` is the largest number of tokens in a heap, and `asked`
    /// the bound that the user set, if any.
    pub fn new(
        solver: &'s Solver<'g>,
        most: u64,
        asked: Option<u64>,
        limits: &'s Limits,
    ) -> ClaimChecker<'s, 'g> {
        ClaimChecker {
            solver,
            limits,
            tables: ClaimTables::new(most, asked, None),
        }
    }

    /// Checks a claim. It is unknown whether a claim about other values of the parameters holds.
    ///
    /// # Errors
    ///
    /// A fault in an expression of the rule or the claim, or an exceeded limit.
    pub fn check(&mut self, claim: &Claim) -> Result<ClaimStatus, SolveError> {
        self.tables.check(self.solver, claim, self.limits)
    }
}

/// The tables of a [`ClaimChecker`], which a caller may keep beside the solver: they are
/// those of one game.
#[derive(Debug)]
pub struct ClaimTables {
    /// The largest number of tokens in a heap.
    most: u64,
    /// The bound that a user set; claims that choose their own bound respect it.
    asked: Option<u64>,
    /// The work for a box that may shrink.
    box_work: Option<Steps>,
    tables: Vec<(Query, Table)>,
}

impl ClaimTables {
    /// No tables. With `box_work` the box shrinks as [`smaller`] says if it [`is_too_large`];
    /// the result of a claim names the size of the box.
    pub fn new(most: u64, asked: Option<u64>, box_work: Option<Steps>) -> ClaimTables {
        ClaimTables {
            most,
            asked,
            box_work,
            tables: Vec::new(),
        }
    }

    /// Checks a claim of the game as [`ClaimChecker::check`] does.
    ///
    /// # Errors
    ///
    /// As [`ClaimChecker::check`].
    pub fn check(
        &mut self,
        solver: &Solver<'_>,
        claim: &Claim,
        limits: &Limits,
    ) -> Result<ClaimStatus, SolveError> {
        let Some(statement) = &claim.statement else {
            let why = "the claim is about other values of the parameters".to_owned();
            return Ok(ClaimStatus::Unknown { why });
        };
        let alone = check_alone(solver, claim, self.most, self.asked, limits)?;
        if let Some(standing) = alone {
            return Ok(standing);
        }
        loop {
            let of_box = match self.box_work {
                Some(work) => limits.cap_work(work),
                None => limits.clone(),
            };
            match self.check_box(solver, statement, asked(claim), &of_box) {
                Err(failure) if self.box_work.is_some() && is_too_large(&failure, limits) => {
                    self.shrink(solver);
                }
                checked => return checked,
            }
        }
    }

    /// Chooses a smaller box; the work for the smallest one is not bounded.
    fn shrink(&mut self, solver: &Solver<'_>) {
        let next = self
            .box_work
            .and_then(|work| smaller(solver, self.most, work));
        if let Some((most, _)) = next {
            self.most = most;
        }
        self.box_work = next.map(|(_, work)| work);
        self.tables.clear();
    }

    /// Checks a claim at every position of the box.
    fn check_box(
        &mut self,
        solver: &Solver<'_>,
        statement: &Statement,
        asked: Query,
        limits: &Limits,
    ) -> Result<ClaimStatus, SolveError> {
        let known = self.tables.iter().position(|(known, _)| *known == asked);
        let table = match known {
            Some(known) => known,
            None => {
                let region = solver.region(self.most, limits)?;
                let table = engine::fill_region(solver, &region, asked, limits, None)?;
                self.tables.push((asked, table));
                self.tables.len() - 1
            }
        };
        check(solver, statement, &self.tables[table].1, limits)
    }
}

/// The environment of an expression of a claim at a position.
pub fn environment<'s>(
    position: &'s [u64],
    locals: &'s mut [i64],
    game: &'s Game,
) -> Environment<'s> {
    Environment {
        position,
        kinds: &[],
        locals,
        picks: &[],
        amounts: &[],
        symmetries: &game.facts.symmetries,
        steps: 0,
    }
}

/// Checks a claim at every position of a solved region.
///
/// # Errors
///
/// A fault in the claim, or an exceeded limit.
pub fn check(
    solver: &Solver<'_>,
    statement: &Statement,
    table: &Table,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let mut check = Check::new(solver, statement, limits);
    check.table(table)?;
    Ok(check.status(table.region()))
}

/// A check of one claim, fed with rows or tables of answers as they are computed.
pub struct Check<'g> {
    game: &'g Game,
    graph: &'g MoveGraph,
    statement: &'g Statement,
    limits: &'g Limits,
    rows: RowEvaluator<'g>,
    /// The smallest counterexample of a table.
    found: SmallestCounterexample,
    positions: u64,
    /// The checks of threads that are not merged yet.
    parts: Vec<Check<'g>>,
}

impl<'g> Check<'g> {
    /// A comparison that has seen no positions.
    pub fn new(solver: &'g Solver<'_>, statement: &'g Statement, limits: &'g Limits) -> Check<'g> {
        Check::of(solver.game, &solver.graph, statement, limits)
    }

    fn of(
        game: &'g Game,
        graph: &'g MoveGraph,
        statement: &'g Statement,
        limits: &'g Limits,
    ) -> Check<'g> {
        Check {
            game,
            graph,
            statement,
            limits,
            rows: RowEvaluator::new(game, graph, statement, limits),
            found: SmallestCounterexample::default(),
            positions: 0,
            parts: Vec::new(),
        }
    }

    /// The number of positions of some rows: one for each row of Grundy values.
    fn positions_of(&self, layout: &Layout, rows: Rows<'_>) -> u64 {
        let width = match self.statement {
            Statement::Grundy(_) => 1,
            _ => layout.width() as u64,
        };
        rows.count() as u64 * width
    }

    /// The number of positions compared so far, and the smallest counterexample.
    pub fn so_far(&self) -> (u64, Option<&Counterexample>) {
        (
            self.positions,
            self.found.get().or(self.rows.smallest_counterexample()),
        )
    }

    /// The result for a region whose positions have all been compared.
    pub fn status(self, region: &Region) -> ClaimStatus {
        let in_rows = self.rows.into_counterexample();
        match self.found.into_inner().or(in_rows) {
            Some(counterexample) => ClaimStatus::Refuted(counterexample),
            None => {
                let (are_all, to) = (region.are_all(self.game), region.to(self.game));
                ClaimStatus::unrefuted(self.positions, are_all, to)
            }
        }
    }
}

/// About so many positions of rows are solved and compared in a step.
const POSITIONS_A_STEP: u64 = 200;

/// Saves what rows have shown; the check of a table is never resumed.
impl Resumable for Check<'_> {
    fn save(&self, out: &mut Writer<'_>) {
        out.number(self.positions);
        self.rows.save(out);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.clear();
        self.add(from)
    }
}

impl Sink<SolveError> for Check<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let count = self.positions_of(layout, rows);
        self.limits
            .check_work(Steps(10 + count / POSITIONS_A_STEP))?;
        self.rows.rows(layout, rows)?;
        // Only what was compared to the end counts.
        self.positions += count;
        Ok(())
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        if self.rows.holds_on_mirror(layout) {
            self.positions += self.positions_of(layout, rows);
            return Ok(());
        }
        self.rows(layout, rows)
    }

    fn accepts_any_order(&self) -> bool {
        true
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<SolveError> + Send + '_>> {
        let part = || Check::of(self.game, self.graph, self.statement, self.limits);
        self.parts.resize_with(count, part);
        let parts = self.parts.iter_mut();
        parts.map(|part| Box::new(part) as _).collect()
    }

    fn merge_parts(&mut self) {
        for part in std::mem::take(&mut self.parts) {
            self.positions += part.positions;
            self.rows.merge(part.rows);
        }
    }
}

impl Visitor for Check<'_> {
    fn clear(&mut self) {
        self.positions = 0;
        self.rows.clear();
    }

    fn add(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.positions += from.number()?;
        self.rows.add(from)
    }

    fn table(&mut self, table: &Table) -> Result<(), SolveError> {
        let places = table.region().count() as u64;
        self.limits.begin(Work::Checking, Some(places));
        if let Region::Box(shape) = table.region()
            && let Some(claimed) = Claimed::of(self.game, self.statement, &shape.most)
        {
            self.boxed(table, shape, &claimed)?;
        } else {
            let mut evaluator = ClaimEvaluator::new(self.game);
            table.region().try_each(|position, place| {
                if place % 1024 == 0 {
                    self.limits.check_time_at(place as u64)?;
                }
                self.compare(&mut evaluator, table, place, position)
            })?;
        }
        self.positions = match self.statement {
            Statement::Pairing(pairs) => {
                let mut covered = 0;
                table.region().try_each(|position, place| {
                    let is_covered = table.outcome(place).is_some()
                        && pairing::covers(self.game, pairs, position);
                    covered += u64::from(is_covered);
                    Ok::<(), SolveError>(())
                })?;
                covered
            }
            _ => table.counts().0,
        };
        Ok(())
    }
}

impl Check<'_> {
    /// Compares the claim with the table of a box, a batch of places at a time.
    fn boxed(
        &mut self,
        table: &Table,
        shape: &Shape,
        claimed: &Claimed<'_>,
    ) -> Result<(), SolveError> {
        let mut evaluator = ClaimEvaluator::new(self.game);
        let mut batch = BatchEvaluator::new(self.graph, self.limits);
        let mut values = [0_u32; LANES];
        for base in (0..shape.len).step_by(LANES) {
            self.limits.check_time_at(base as u64)?;
            let count = LANES.min(shape.len - base);
            let mut positions = Bits::default();
            let facts = match (claimed, table.values()) {
                (Claimed::Grundy(_), TableValues::Grundy(of_all)) => {
                    for (lane, value) in of_all[base..base + count].iter().enumerate() {
                        let is_position = *value != NO_VALUE;
                        positions[lane / 64] |= u64::from(is_position) << (lane % 64);
                        values[lane] = if is_position { *value } else { 0 };
                    }
                    Facts::Grundy(&values[..count])
                }
                _ => {
                    let mut class = Bits::default();
                    for lane in 0..count {
                        let outcome = table.outcome(base + lane);
                        let bit = |is: bool| u64::from(is) << (lane % 64);
                        positions[lane / 64] |= bit(outcome.is_some());
                        class[lane / 64] |= bit(match self.statement {
                            Statement::Outcome { class, .. } => outcome == Some(*class),
                            _ => false,
                        });
                    }
                    Facts::OfClass(class)
                }
            };
            let sizes = || shape.lanes(base, count);
            let failing = batch.failing(claimed, sizes, positions, &facts);
            for lane in lanes_of(failing) {
                let place = base + lane;
                self.compare(&mut evaluator, table, place, &shape.at(place))?;
            }
        }
        Ok(())
    }

    /// Compares the claim with the answer at one place of a table.
    fn compare(
        &mut self,
        evaluator: &mut ClaimEvaluator<'_>,
        table: &Table,
        place: usize,
        position: &[u64],
    ) -> Result<(), SolveError> {
        let Some(outcome) = table.outcome(place) else {
            return Ok(());
        };
        let contradiction = evaluator
            .contradiction(self.statement, position, outcome, table.grundy(place))
            .map_err(|fault| SolveError::Fault {
                fault,
                position: position.to_vec(),
            })?;
        if let Some((actual, claimed)) = contradiction {
            let counterexample = Counterexample {
                position: position.to_vec(),
                actual,
                claimed,
            };
            self.found.add(self.game, counterexample);
        }
        Ok(())
    }
}

/// Whether the claim fails at one position.
///
/// # Errors
///
/// A fault in the claim, or an exceeded limit.
///
/// # Examples
///
/// ```
/// use nimrule_claim::fails_at;
/// use nimrule_engine::{Limits, Solver};
///
/// let game = "game nim heaps a b move take from one heap claim P iff a == b claim P iff a >= b";
/// let game = nimrule_fixtures::compiled(game).unwrap().game;
/// let (solver, limits) = (Solver::new(&game), Limits::of_memory(1 << 20));
/// assert!(fails_at(&solver, &game.claims[0], &[2, 1], &limits).unwrap().is_none());
/// let found = fails_at(&solver, &game.claims[1], &[2, 1], &limits).unwrap();
/// assert_eq!(found.unwrap().position, [2, 1]);
/// ```
pub fn fails_at(
    solver: &Solver<'_>,
    claim: &Claim,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let Some(statement) = &claim.statement else {
        return Ok(None);
    };
    if let Statement::SameAs(claimed) = statement {
        return same_as::fails_at(solver, claimed, claim.convention, position, limits);
    }
    if let Statement::Period { .. } = statement {
        return period::fails_at(solver, claim, position, limits);
    }
    if let Statement::Quotient { to, elements } = statement {
        return Ok(match quotient::check(solver, *to, *elements, limits)? {
            ClaimStatus::Refuted(found) if found.position == position => Some(found),
            _ => None,
        });
    }
    if let Statement::Outcome {
        consistent: true, ..
    } = statement
    {
        return structure::inconsistent_at(solver, statement, claim.convention, position, limits);
    }
    if let Some(moves) = winning_move::WinningMove::of(statement, claim.convention) {
        return moves.fails_at(solver, position, limits);
    }
    if let Statement::Cogame(labelling) = statement {
        return structure::no_cogame_at(solver, labelling.as_ref(), position, limits);
    }
    let request = match statement {
        Statement::Grundy(_) => Request::Grundy,
        _ => Request::Outcome,
    };
    let answer = engine::answer(solver, position, claim.convention, request, limits, None)?;
    let contradiction = ClaimEvaluator::new(solver.game)
        .contradiction(statement, position, answer.outcome, answer.grundy)
        .map_err(|fault| SolveError::Fault {
            fault,
            position: position.to_vec(),
        })?;
    Ok(contradiction.map(|(actual, claimed)| Counterexample {
        position: position.to_vec(),
        actual,
        claimed,
    }))
}

/// The work for a box whose size is chosen by [`fitting_size`]. A box that takes more
/// is given up for a [`smaller`] one.
pub const BOX_WORK: Steps = Steps(1_600_000);

/// Whether a box that was chosen for the user failed by its size: it takes more than its
/// work, or a number overflows in it.
pub fn is_too_large(failure: &SolveError, limits: &Limits) -> bool {
    match failure {
        SolveError::Work { .. } => limits.check_work(Steps(0)).is_ok(),
        SolveError::Fault { fault, .. } => fault.kind == Fault::Overflow,
        _ => false,
    }
}

/// The size of the box that is tried after one of this size took too much work, and the
/// work for it; `None` after the smallest box. The smaller box has at most a quarter or so
/// of the positions.
pub fn smaller(solver: &Solver<'_>, size: u64, work: Steps) -> Option<(u64, Steps)> {
    let less = match solver.game.heap_count() {
        1..=3 => size / 2,
        _ => size * 3 / 4,
    };
    (size > 0).then_some((less, Steps(work.0 / 2).max(Steps(BOX_WORK.0 / 8))))
}

/// The size of the box that is solved where the file suggests none: the largest
/// that is expected to take about a second.
///
/// # Examples
///
/// ```
/// use nimrule_engine::Solver;
///
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let solver = Solver::new(&nim);
/// let few = nimrule_claim::fitting_size(&solver, 100, 10_000);
/// assert!(few > 0 && few < nimrule_claim::fitting_size(&solver, 100_000, 10_000_000));
/// ```
pub fn fitting_size(solver: &Solver<'_>, positions: u128, options: u128) -> u64 {
    if let PositionKind::Multiset(kinds) = &solver.game.position_kind {
        // A multiset game with this many positions takes at most a second.
        const FEW: u128 = 10_000;
        return (1..100)
            .take_while(|size| engine::multiset::count(kinds, *size, FEW) < FEW)
            .last()
            .unwrap_or(0);
    }
    if let Some(digraph) = solver.game.digraph() {
        return fitting_places(solver, digraph.len() as u64, positions);
    }
    let positions = if leaves_the_box(solver) {
        positions / OUTSIDE
    } else {
        positions
    };
    let mut size = 1;
    loop {
        let next = solver.game.box_to(size + 1);
        if engine::Shape::count(&next) > positions
            || engine::work_below(solver, &next) > options
            || size >= 1000
        {
            break;
        }
        size += 1;
    }
    // In a game of many heaps even heaps of one token may be too many positions.
    if engine::Shape::count(&solver.game.box_to(size)) <= 4 * positions {
        return size;
    }
    // `positions where` may leave few of them.
    let limits = Limits::of_memory(1 << 24);
    let are_few = |size: &u64| {
        let sizes = solver.game.box_to(*size);
        let found = engine::restricted::positions(solver, &sizes, MAX_EVALUATIONS, &limits);
        matches!(found, Ok(Some(_)))
    };
    (1..=MOST_OF_RESTRICTED)
        .take_while(are_few)
        .last()
        .unwrap_or(0)
}

/// The largest number of evaluations of `positions where` in the choice of a default box.
const MAX_EVALUATIONS: u64 = 1 << 14;

/// The largest default size of a heap where `positions where` leaves few positions.
const MOST_OF_RESTRICTED: u64 = 3;

/// The factor by which a search that leaves the box is expected to exceed it.
const OUTSIDE: u128 = 8;

/// Returns whether the box is solved by a search that reaches positions outside of it,
/// because moves raise heaps.
fn leaves_the_box(solver: &Solver<'_>) -> bool {
    let query = Query {
        question: Question::Outcome,
        convention: Convention::Normal,
    };
    solver.profile.only_takes.is_err()
        && engine::choose(solver, query, None)
            .is_ok_and(|choice| choice.engine.scope() == Scope::Reachable)
}

/// The index of the last vertex on which tokens are placed, if all positions of
/// the tokens are solved at once.
fn fitting_places(solver: &Solver<'_>, vertices: u64, positions: u128) -> u64 {
    let tokens = solver.game.heap_count();
    // One token has a position for each vertex; all are solved together.
    if tokens == 1 && solver.profile.slides_one.is_ok() {
        return vertices - 1;
    }
    let mut places = 1;
    while places < vertices && engine::Shape::count(&vec![places; tokens]) <= positions {
        places += 1;
    }
    places - 1
}
