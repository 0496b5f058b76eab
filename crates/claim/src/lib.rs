//! Claims and examples: what a file says should hold, held against what the
//! engines find.
//!
//! A claim checked on a box "holds to N"; that is never called proved. A claim
//! that fails comes with its smallest counterexample: by the number of tokens,
//! then in lexicographic order.

pub mod answer;
mod asking;
mod inverse;
pub mod pairing;
mod partial;
mod period;
pub mod quotient;
mod reckoning;
mod rows;
pub mod same_as;
mod structure;
pub mod sum;

pub use answer::{Answered, Basis, Checks, Claims, Dismissed, Unanswered, Valued};
pub use asking::Asking;
pub use reckoning::Moves;

use nimrule_engine::{
    self as engine, Answer, Asked, Failure, Label, Limits, Outcome, Question, Region, Request,
    Solver, Table, Turn, Turns, Visitor, Work,
};
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::expr::eval::check_images;
use nimrule_model::expr::{Environment, Fault, PlacedFault};
use nimrule_model::game::{Claim, Example, Game, PositionKind, Statement, Verdict};
use nimrule_syntax::ast::Direction;
use rows::RowJudge;
use std::fmt;

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It holds at every position with heaps up to `to`, by what is said in
    /// `by` where there is something to say.
    Holds {
        to: u64,
        by: Option<String>,
    },
    /// It holds for all sizes, by a theorem; `by` says how that applies here.
    Proved {
        theorem: &'static str,
        by: String,
    },
    Refuted(Counterexample),
    /// It fails, and not at a position.
    Fails {
        why: String,
    },
    /// Nothing is known of it, and why.
    Unknown {
        why: String,
    },
}

impl Standing {
    /// It holds to a bound.
    pub fn to(to: u64) -> Standing {
        Standing::Holds { to, by: None }
    }

    pub fn fails(&self) -> bool {
        matches!(self, Standing::Refuted(_) | Standing::Fails { .. })
    }
}

/// A position at which a claim fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    pub position: Vec<u64>,
    pub actual: Said,
    pub claimed: Said,
}

/// What is said of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Outcome(Outcome),
    /// Another outcome than this, where there are more than two.
    Not(Outcome),
    Grundy(i64),
    /// Something else, in words.
    Words(String),
}

impl Counterexample {
    /// What is claimed at the position, and what is so.
    pub fn words(&self) -> String {
        match &self.actual {
            Said::Words(actual) => format!("{actual}, and {}", self.claimed),
            actual => format!("claimed {}, and it is {actual}", self.claimed),
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Outcome(outcome) => outcome.fmt(f),
            Said::Not(outcome) => write!(f, "not {outcome}"),
            Said::Grundy(value) => value.fmt(f),
            Said::Words(words) => words.fmt(f),
        }
    }
}

/// The question whose answers a claim speaks of.
pub fn asked(claim: &Claim) -> Asked {
    Asked {
        question: match claim.statement {
            Some(Statement::Grundy(_)) => Question::Grundy,
            _ => Question::Outcome,
        },
        convention: claim.convention,
    }
}

/// Evaluates claims; the room for their names is kept between positions.
pub struct Judge<'g> {
    game: &'g Game,
    /// What is not P is N.
    two_outcomes: bool,
    locals: Vec<i64>,
}

impl<'g> Judge<'g> {
    pub fn new(game: &'g Game) -> Judge<'g> {
        Judge {
            game,
            two_outcomes: game.no_grundy_values().is_none(),
            locals: vec![0; game.slots],
        }
    }

    /// What the claim gets wrong about a position, if anything.
    pub fn objection(
        &mut self,
        statement: &Statement,
        position: &[u64],
        outcome: Outcome,
        grundy: Option<u64>,
    ) -> Result<Option<(Said, Said)>, PlacedFault> {
        let (sizes, kinds) = self.game.sizes_and_kinds(position);
        let scene = |locals| Environment {
            position: &sizes,
            kinds: &kinds,
            ..self::scene(position, locals, self.game)
        };
        match statement {
            Statement::Outcome {
                class,
                consistent: _,
                up_to_symmetry,
                direction,
                condition,
            } => {
                // One direction says nothing about some positions.
                match direction {
                    Direction::If if outcome == *class => return Ok(None),
                    Direction::OnlyIf if outcome != *class => return Ok(None),
                    _ => {}
                }
                let holds = if *up_to_symmetry {
                    let mut fault = None;
                    let symmetries = &self.game.symmetries;
                    let locals = &mut self.locals;
                    check_images(symmetries, position).map_err(|fault| fault.at(condition.span))?;
                    let found = symmetries.any_image(position, &mut |image| {
                        condition
                            .eval(&mut self::scene(image, locals, self.game))
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
                    condition.eval(&mut scene(&mut self.locals))?
                };
                let claimed = match (holds, class) {
                    (true, class) => Said::Outcome(*class),
                    (false, Outcome::P) if self.two_outcomes => Said::Outcome(Outcome::N),
                    (false, Outcome::N) if self.two_outcomes => Said::Outcome(Outcome::P),
                    (false, class) => Said::Not(*class),
                };
                Ok((holds != (outcome == *class)).then_some((Said::Outcome(outcome), claimed)))
            }
            Statement::Grundy(value) => {
                let claimed = value.eval(&mut scene(&mut self.locals))?;
                let actual = grundy.expect("a claim about values is judged by values");
                let actual = i64::try_from(actual).map_err(|_| Fault::Overflow.at(value.span))?;
                Ok((claimed != actual).then_some((Said::Grundy(actual), Said::Grundy(claimed))))
            }
            Statement::Pairing(pairs) => Ok((pairing::speaks_of(pairs, position)
                && outcome == Outcome::N)
                .then_some((Said::Outcome(outcome), Said::Outcome(Outcome::P)))),
            _ => Ok(None),
        }
    }
}

/// Judges a claim that asks for no table of outcomes or values; `None` where it
/// does. The box that others are judged on has heaps up to `most`; it may be
/// as large as suits, unless a size was `asked` for.
pub fn check_alone(
    solver: &Solver<'_>,
    claim: &Claim,
    most: u64,
    asked: Option<u64>,
    limits: &Limits,
) -> Result<Option<Standing>, Failure> {
    if solver.game.position_kind == PositionKind::Reals {
        return Err(Failure::Reals);
    }
    match &claim.statement {
        Some(Statement::SameAs(claimed)) => {
            same_as::check(solver, claimed, asked, limits).map(Some)
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

/// Checks the claims of one game up to a bound. Tables of answers are kept from
/// one claim to the next.
pub struct Checking<'s, 'g> {
    solver: &'s Solver<'g>,
    /// Heaps have at most so many tokens.
    most: u64,
    /// The same where a user set it: claims that choose their own bound keep to it.
    asked: Option<u64>,
    limits: &'s Limits,
    tables: Vec<(Asked, Table)>,
}

impl<'s, 'g> Checking<'s, 'g> {
    pub fn new(
        solver: &'s Solver<'g>,
        most: u64,
        asked: Option<u64>,
        limits: &'s Limits,
    ) -> Checking<'s, 'g> {
        Checking {
            solver,
            most,
            asked,
            limits,
            tables: Vec::new(),
        }
    }

    /// What became of a claim. A claim that does not apply holds.
    ///
    /// # Errors
    ///
    /// A fault in an expression of the rule or the claim, or a limit.
    pub fn check(&mut self, claim: &Claim) -> Result<Standing, Failure> {
        let Some(statement) = &claim.statement else {
            return Ok(Standing::to(self.most));
        };
        let alone = check_alone(self.solver, claim, self.most, self.asked, self.limits)?;
        if let Some(standing) = alone {
            return Ok(standing);
        }
        let table = self.table(asked(claim))?;
        check(
            self.solver.game,
            statement,
            &self.tables[table].1,
            self.limits,
        )
    }

    /// The index of the table that answers a question.
    fn table(&mut self, asked: Asked) -> Result<usize, Failure> {
        if let Some(known) = self.tables.iter().position(|(known, _)| *known == asked) {
            return Ok(known);
        }
        let region = self.solver.region(self.most, self.limits)?;
        let table = engine::fill_region(self.solver, &region, asked, self.limits, None)?;
        self.tables.push((asked, table));
        Ok(self.tables.len() - 1)
    }
}

fn scene<'s>(position: &'s [u64], locals: &'s mut [i64], game: &'s Game) -> Environment<'s> {
    Environment {
        position,
        kinds: &[],
        locals,
        picks: &[],
        amounts: &[],
        symmetries: &game.symmetries,
        steps: 0,
    }
}

/// Checks a claim at every position of a solved region.
pub fn check(
    game: &Game,
    statement: &Statement,
    table: &Table,
    limits: &Limits,
) -> Result<Standing, Failure> {
    let mut check = Check::new(game, statement, limits);
    check.table(table)?;
    Ok(check.standing(&table.region))
}

/// A claim that is held against answers as they become known.
pub struct Check<'g> {
    game: &'g Game,
    statement: &'g Statement,
    limits: &'g Limits,
    rows: RowJudge<'g>,
    /// The smallest counterexample of a table, with its total.
    worst: Option<(u128, Counterexample)>,
    positions: u64,
    /// Those of threads, not gathered as yet.
    parts: Vec<Check<'g>>,
}

impl<'g> Check<'g> {
    pub fn new(game: &'g Game, statement: &'g Statement, limits: &'g Limits) -> Check<'g> {
        Check {
            game,
            statement,
            limits,
            rows: RowJudge::new(game, statement),
            worst: None,
            positions: 0,
            parts: Vec::new(),
        }
    }

    /// At how many positions it has been held against the answers so far, and
    /// the smallest at which it fails.
    pub fn so_far(&self) -> (u64, Option<&Counterexample>) {
        let worst = self.worst.as_ref().map(|(_, found)| found);
        (self.positions, worst.or(self.rows.worst()))
    }

    /// What became of the claim on a region that it has seen whole.
    pub fn standing(self, region: &Region) -> Standing {
        let in_rows = self.rows.into_worst();
        match self.worst.map(|(_, found)| found).or(in_rows) {
            Some(counterexample) => Standing::Refuted(counterexample),
            None if region.are_all() => Standing::Proved {
                theorem: structure::EVERY_POSITION,
                by: structure::all(self.positions),
            },
            None => Standing::to(region.to()),
        }
    }
}

/// What rows have shown: a table is never gone on with.
impl Resumable for Check<'_> {
    fn save(&self, out: &mut Writer<'_>) {
        out.number(self.positions);
        self.rows.save(out);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.positions = from.number()?;
        self.rows.restore(from)
    }
}

impl Sink<Failure> for Check<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), Failure> {
        self.limits.check_time()?;
        let width = layout.most.last().map_or(1, |last| last + 1);
        self.positions += rows.count() as u64 * width;
        self.rows.rows(layout, rows)
    }

    fn mirrored(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), Failure> {
        if self.rows.mirrors(layout) {
            let width = layout.most.last().map_or(1, |last| last + 1);
            self.positions += rows.count() as u64 * width;
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

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<Failure> + Send + '_>> {
        let part = || Check::new(self.game, self.statement, self.limits);
        self.parts.resize_with(count, part);
        let parts = self.parts.iter_mut();
        parts.map(|part| Box::new(part) as _).collect()
    }

    fn merge_parts(&mut self) {
        for part in std::mem::take(&mut self.parts) {
            self.positions += part.positions;
            self.rows.gather(part.rows);
        }
    }
}

impl Visitor for Check<'_> {
    fn table(&mut self, table: &Table) -> Result<(), Failure> {
        let mut judge = Judge::new(self.game);
        self.positions = table.counts().0;
        let places = table.region.count() as u64;
        self.limits.begin(Work::Checking, Some(places));
        table.region.try_each(|position, place| {
            if place % 1024 == 0 {
                self.limits.check_time_at(place as u64)?;
            }
            let Some(outcome) = table.outcome(place) else {
                return Ok(());
            };
            let objection = judge
                .objection(self.statement, position, outcome, table.grundy(place))
                .map_err(|fault| Failure::Fault {
                    fault,
                    position: position.to_vec(),
                })?;
            if let Some((actual, claimed)) = objection {
                let total = self.game.tokens(position);
                // The region is gone through in lexicographic order, so the
                // first position of a total is the smallest of it.
                if self.worst.as_ref().is_none_or(|(least, _)| total < *least) {
                    let position = position.to_vec();
                    self.worst = Some((
                        total,
                        Counterexample {
                            position,
                            actual,
                            claimed,
                        },
                    ));
                }
            }
            Ok(())
        })
    }
}

/// Does the claim fail at this very position?
pub fn fails_at(
    solver: &Solver<'_>,
    claim: &Claim,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, Failure> {
    let Some(statement) = &claim.statement else {
        return Ok(None);
    };
    if let Statement::SameAs(claimed) = statement {
        return same_as::fails_at(solver, claimed, position, limits);
    }
    if let Statement::Period { .. } = statement {
        return period::fails_at(solver, claim, position, limits);
    }
    if let Statement::Quotient { to, elements } = statement {
        return Ok(match quotient::check(solver, *to, *elements, limits)? {
            Standing::Refuted(found) if found.position == position => Some(found),
            _ => None,
        });
    }
    if let Statement::Outcome {
        consistent: true, ..
    } = statement
    {
        return structure::inconsistent_at(solver, statement, claim.convention, position, limits);
    }
    if let Statement::Cogame = statement {
        return structure::no_cogame_at(solver, position, limits);
    }
    let request = match statement {
        Statement::Grundy(_) => Request::Grundy,
        _ => Request::Outcome,
    };
    let answer = engine::answer(solver, position, claim.convention, request, limits, None)?;
    let objection = Judge::new(solver.game)
        .objection(statement, position, answer.outcome, answer.grundy)
        .map_err(|fault| Failure::Fault {
            fault,
            position: position.to_vec(),
        })?;
    Ok(objection.map(|(actual, claimed)| Counterexample {
        position: position.to_vec(),
        actual,
        claimed,
    }))
}

/// What became of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// What it gets wrong, in words.
    pub objection: Option<String>,
    /// The claim that it was held against, where no engine can reach it.
    pub basis: Option<Basis>,
}

/// Holds an example against the answer about its position.
pub fn check_example(
    solver: &Solver<'_>,
    example: &Example,
    limits: &Limits,
) -> Result<Tried, Failure> {
    let request = match example.verdict {
        Verdict::HasGrundy(_) => Request::Grundy,
        _ => Request::Outcome,
    };
    let Answered {
        answer,
        basis,
        unfinished,
        more_may_win,
    } = answer::answer(
        solver,
        &example.position,
        example.convention,
        request,
        limits,
        None,
        Claims::WhereNeeded,
    )
    .map_err(|unanswered| unanswered.failure)?;
    // A move that was not found may be one of those that were not looked for,
    // or that the claim is silent on.
    if let Verdict::WinsBy(option) = &example.verdict
        && (more_may_win || unfinished.is_some())
        && !answer.wins_by(option)
    {
        return Err(unfinished.unwrap_or(Failure::Time));
    }
    let objection = objection_to(solver, example, &answer);
    Ok(Tried { objection, basis })
}

fn objection_to(solver: &Solver<'_>, example: &Example, answer: &Answer) -> Option<String> {
    let shown = |position: &[u64]| solver.game.shown(position);
    match &example.verdict {
        Verdict::Is(class) if answer.outcome == *class => None,
        Verdict::Is(_) => Some(match (&answer.turns, answer.outcome) {
            (None | Some(Turns::Same(_)), Outcome::N) => match answer.winning_moves.first() {
                Some(option) => format!("it is N: moving to {} wins", shown(option)),
                None => "it is N: there is no move, and that wins".to_owned(),
            },
            (None, Outcome::P) => "it is P: no move wins".to_owned(),
            (None, outcome) => format!("it is {outcome}"),
            (Some(turns), outcome) => format!("it is {outcome}: {}", in_words(turns)),
        }),
        Verdict::HasGrundy(claimed) => {
            let actual = answer.grundy.and_then(|g| i64::try_from(g).ok());
            (actual != Some(*claimed))
                .then(|| format!("its Grundy value is {}", actual.unwrap_or_default()))
        }
        Verdict::WinsBy(option) if answer.wins_by(option) => None,
        Verdict::WinsBy(option) => {
            let legal = nimrule_ir::moves(&solver.graph, &example.position)
                .is_ok_and(|o| o.contains(option));
            let ways = match (&answer.turns, answer.winning_moves.as_slice()) {
                (Some(turns @ Turns::Sides { .. }), _) => in_words(turns),
                (_, []) => "no move wins".to_owned(),
                (_, [first, ..]) => format!("moving to {} wins", shown(first)),
            };
            Some(if legal {
                format!("moving to {} does not win; {ways}", shown(option))
            } else {
                format!("there is no move to {}; {ways}", shown(option))
            })
        }
    }
}

/// Who wins with either side to move, `Left to move wins in 5, Right to move
/// draws`.
pub fn in_words(turns: &Turns) -> String {
    let one = |turn: &Turn| match turn.label {
        Label::Win(0) => "wins at once".to_owned(),
        Label::Lose(0) => "loses at once".to_owned(),
        Label::Win(moves) => format!("wins in {moves}"),
        Label::Lose(moves) => format!("loses in {moves}"),
        Label::Draw => "draws".to_owned(),
    };
    let all: Vec<String> = turns
        .each()
        .into_iter()
        .map(|(side, turn)| match side {
            None => format!("the player to move {}", one(turn)),
            Some(side) => format!("{} to move {}", side.name(), one(turn)),
        })
        .collect();
    all.join(", ")
}

/// The size of a box that is solved and checked at once where the file
/// suggests none: as large as stays a matter of a moment.
pub fn fitting_size(solver: &Solver<'_>, positions: u128, options: u128) -> u64 {
    if let PositionKind::Multiset(kinds) = &solver.game.position_kind {
        // A bag of so many positions takes a second at the most.
        const FEW: u128 = 10_000;
        return (1..100)
            .take_while(|size| engine::multiset::count(kinds, *size, FEW) < FEW)
            .last()
            .unwrap_or(0);
    }
    if let Some(digraph) = solver.game.digraph() {
        return fitting_places(solver, digraph.len() as u64, positions);
    }
    let heaps = solver.game.heap_count();
    let mut size = 1;
    loop {
        let next = vec![size + 1; heaps];
        if engine::Shape::count(&next) > positions
            || engine::work_below(solver, &next) > options
            || size >= 1000
        {
            break;
        }
        size += 1;
    }
    // A game of many heaps may not even afford heaps of one token.
    if engine::Shape::count(&vec![size; heaps]) > 4 * positions {
        0
    } else {
        size
    }
}

/// The place of the last vertex that tokens are put on where all their
/// positions are solved at once.
fn fitting_places(solver: &Solver<'_>, vertices: u64, positions: u128) -> u64 {
    let tokens = solver.game.heap_count();
    // A single token is its vertex, and all of them are solved together.
    if tokens == 1 && solver.profile.slides_one.is_ok() {
        return vertices - 1;
    }
    let mut places = 1;
    while places < vertices && engine::Shape::count(&vec![places; tokens]) <= positions {
        places += 1;
    }
    places - 1
}
