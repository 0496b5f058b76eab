//! The choice of an engine: the first of the list that supports the query and whose
//! estimated costs are within the limits.
//!
//! The choice uses the trait [`Engine`] only. An engine without a cost estimate runs
//! within limits that leave memory and time for the next engine.

use super::{
    Engine, Limits, PositionAnswer, Query, Question, Region, Scope, Shape, SolveError, Solver,
    Table,
};
use nimrule_ir::Walker;
use nimrule_limits::Steps;
use nimrule_model::game::{Convention, PositionKind};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// The engine chosen for a query.
pub struct Choice {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// The names of the engines before it in the list, each with the reason for which
    /// it was rejected.
    pub rejected: Vec<(&'static str, String)>,
    /// The index of the engine in the list.
    place: usize,
}

/// The engines that failed with [`SolveError::Cannot`] although they support the
/// query: their indices in the list, with the reason.
type Refusals = [(usize, String)];

/// The choice of an engine.
struct Chooser<'a, 'g> {
    solver: &'a Solver<'g>,
    query: Query,
    /// The name of the only engine that the user allows.
    forced: Option<&'a str>,
}

impl<'a, 'g> Chooser<'a, 'g> {
    fn new(solver: &'a Solver<'g>, query: Query, forced: Option<&'a str>) -> Chooser<'a, 'g> {
        Chooser {
            solver,
            query,
            forced,
        }
    }

    /// Checks whether an engine supports the query and has not failed.
    fn can(&self, place: usize, refusals: &Refusals) -> Result<(), String> {
        match refusals.iter().find(|(of, _)| *of == place) {
            Some((_, reason)) => Err(reason.clone()),
            None => self.solver.engines[place].supports(self.solver, self.query),
        }
    }

    /// The engines for games of this kind, with their indices in the list.
    fn candidates(&self) -> impl Iterator<Item = (usize, &'static dyn Engine)> {
        let engines = self.solver.engines.iter().copied().enumerate();
        engines.filter(|(_, engine)| match self.forced {
            Some(name) => name == engine.name(),
            None => engine.applies_to(self.solver.game),
        })
    }

    /// Chooses the first engine that supports the query, has not failed, and passes a
    /// test.
    fn choose(
        &self,
        refusals: &Refusals,
        test: impl Fn(usize, &dyn Engine) -> Result<(), String>,
    ) -> Result<Choice, SolveError> {
        let game = self.solver.game;
        SolveError::check_kind(game)?;
        if self.query.question == Question::Grundy
            && let Some(reason) = game.no_grundy_values()
        {
            return Err(SolveError::NoValues { reason });
        }
        let mut rejected = Vec::new();
        for (place, engine) in self.candidates() {
            match self.can(place, refusals).and_then(|()| test(place, engine)) {
                Ok(()) => {
                    return Ok(Choice {
                        engine,
                        rejected,
                        place,
                    });
                }
                Err(reason) if self.forced.is_some() => {
                    return Err(SolveError::Cannot {
                        engine: engine.name(),
                        reason,
                    });
                }
                Err(reason) => rejected.push((engine.name(), reason)),
            }
        }
        Err(match self.forced {
            Some(name) => SolveError::UnknownEngine {
                name: name.to_owned(),
            },
            None => SolveError::NoEngine,
        })
    }

    /// Chooses the engine for a box.
    fn choose_for_box(
        &self,
        most: &[u64],
        limits: &Limits,
        refusals: &Refusals,
    ) -> Result<Choice, SolveError> {
        self.choose(refusals, |_, engine| {
            match (self.forced, engine.scope(), engine.is_certain()) {
                (None, Scope::Summands, true) => {
                    engine.suits(self.solver, most, self.query, limits)
                }
                _ => Ok(()),
            }
        })
    }

    /// Chooses the engine for one position. A table of the box below must fit the
    /// memory and [`MOST_OPERATIONS`]; a search checks its limits itself.
    fn choose_for_one(
        &self,
        position: &[u64],
        limits: &Limits,
        refusals: &Refusals,
    ) -> Result<Choice, SolveError> {
        let Chooser { solver, query, .. } = *self;
        let fits = |engine: &dyn Engine| {
            let needed = engine.bytes_of_one(solver, position, query);
            if needed <= u128::from(limits.memory) {
                Ok(())
            } else if needed > u128::from(u64::MAX) {
                Err("the box below the position is far too large".to_owned())
            } else {
                Err(format!("the box below the position takes {needed} bytes"))
            }
        };
        if self.forced.is_some() {
            return self.choose(refusals, |_, engine| fits(engine));
        }
        let suits = |engine: &dyn Engine| {
            engine.suits(solver, position, query, limits)?;
            fits(engine)
        };
        // Solving the components is much cheaper than solving the box below the
        // position.
        let by_summands = self.candidates().find(|(place, engine)| {
            engine.scope() == Scope::Summands
                && self.can(*place, refusals).is_ok()
                && suits(*engine).is_ok()
        });
        let is_preferred = |other: &dyn Engine| match by_summands {
            Some((_, engine)) => engine.is_certain() || !other.is_faster_than_search(),
            None => false,
        };
        let by_summands = by_summands.map(|(place, _)| place);
        self.choose(refusals, |place, engine| {
            if by_summands == Some(place) {
                return Ok(());
            }
            if engine.scope() != Scope::BoxBelow {
                return suits(engine);
            }
            if is_preferred(engine) {
                return Err("the position falls into parts".to_owned());
            }
            suits(engine)?;
            if engine.is_faster_than_search() {
                return Ok(());
            }
            match engine.operations_of_one(solver, position, query) {
                Some(..=MOST_OPERATIONS) => Ok(()),
                _ => Err("the box below the position takes too long".to_owned()),
            }
        })
    }

    /// The search to try before the chosen engine solves the whole box below a position, and its
    /// work. What can be reached may be a small part of the box, which is not known before.
    fn search_before(
        &self,
        choice: &Choice,
        position: &[u64],
        limits: &Limits,
    ) -> Option<(&'static dyn Engine, Steps)> {
        let Chooser { solver, query, .. } = *self;
        let of_box = choice.engine;
        let may_be_slow = self.forced.is_none()
            && of_box.scope() == Scope::BoxBelow
            && !of_box.is_faster_than_search();
        let operations = match may_be_slow {
            true => of_box.operations_of_one(solver, position, query)?,
            false => return None,
        };
        if operations <= WITHOUT_SEARCH {
            return None;
        }
        let (_, search) = self.candidates().find(|(place, engine)| {
            engine.scope() == Scope::Reachable
                && self.can(*place, &[]).is_ok()
                && engine.suits(solver, position, query, limits).is_ok()
        })?;
        let work = operations.min(MOST_OPERATIONS) / OPERATIONS_OF_A_STEP;
        let work = work.max(UNNOTICED);
        Some((search, Steps(work as u64)))
    }

    /// Runs engines, one after another, until one does not fail with
    /// [`SolveError::Cannot`]. There is no fallback for a forced engine.
    fn answer<T>(
        &self,
        choose: impl Fn(&Refusals) -> Result<Choice, SolveError>,
        answer: impl Fn(&Choice) -> Result<T, SolveError>,
    ) -> Result<(T, Choice), SolveError> {
        let mut refusals = Vec::new();
        loop {
            let choice = choose(&refusals)?;
            match answer(&choice) {
                Err(SolveError::Cannot { reason, .. }) if self.forced.is_none() => {
                    refusals.push((choice.place, reason));
                }
                settled => return settled.map(|answer| (answer, choice)),
            }
        }
    }
}

/// Chooses the engine for the tables of a query. `forced` is the name of the only
/// engine allowed.
///
/// # Errors
///
/// If the forced engine does not support the query, or no engine does.
///
/// # Examples
///
/// ```
/// use nimrule_engine::{Query, Question, Solver, choose};
/// use nimrule_model::game::Convention;
///
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let query = Query { question: Question::Grundy, convention: Convention::Normal };
/// let choice = choose(&Solver::new(&nim), query, None).unwrap();
/// assert_eq!(choice.engine.name(), "nim-sum");
/// ```
pub fn choose(
    solver: &Solver<'_>,
    query: Query,
    forced: Option<&str>,
) -> Result<Choice, SolveError> {
    Chooser::new(solver, query, forced).choose(&[], |_, _| Ok(()))
}

/// Chooses the engine for the table or the rows of the box whose heaps have at most the sizes
/// `most`.
///
/// # Errors
///
/// As [`choose`].
pub fn choose_for_box(
    solver: &Solver<'_>,
    most: &[u64],
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Choice, SolveError> {
    Chooser::new(solver, query, forced).choose_for_box(most, limits, &[])
}

/// Chooses the engine for one position.
///
/// # Errors
///
/// As [`choose`], and if the costs of every engine exceed the limits.
pub fn choose_for_one(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Choice, SolveError> {
    Chooser::new(solver, query, forced).choose_for_one(position, limits, &[])
}

/// The table of the box whose heaps have at most the sizes `most`.
///
/// # Errors
///
/// As [`choose`]; exceeded limits and faults of the rule.
///
/// # Examples
///
/// ```
/// use nimrule_engine::{Limits, Outcome, Query, Question, Solver, fill};
/// use nimrule_model::game::Convention;
///
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let query = Query { question: Question::Outcome, convention: Convention::Normal };
/// let limits = Limits::of_memory(1 << 20);
/// let table = fill(&Solver::new(&nim), &[2, 2], query, &limits, None).unwrap();
/// assert_eq!(table.counts(), (9, 3));
/// assert_eq!(table.outcome_of(&[2, 2]), Some(Outcome::P));
/// ```
pub fn fill(
    solver: &Solver<'_>,
    most: &[u64],
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Table, SolveError> {
    let chooser = Chooser::new(solver, query, forced);
    let choose = |refusals: &Refusals| chooser.choose_for_box(most, limits, refusals);
    let filled = chooser.answer(choose, |choice| {
        let engine = choice.engine;
        let needed = engine.bytes(solver, most, query);
        let shape = Shape::new(most).filter(|_| needed <= u128::from(limits.memory));
        let shape = shape.ok_or(SolveError::Memory {
            needed,
            limit: limits.memory,
        })?;
        engine.fill(solver, &shape, query, limits)
    });
    filled.map(|(table, _)| table)
}

/// The table of a region, with the places of that region whichever engine fills it.
///
/// # Errors
///
/// As [`fill`].
pub fn fill_region(
    solver: &Solver<'_>,
    region: &Region,
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Table, SolveError> {
    let table = match region {
        Region::Box(shape) => fill(solver, &shape.most, query, limits, forced),
        Region::List(listed) => {
            // The box below a position of a list of positions of heaps is too large, and
            // lookups of summands are for one position.
            let of_heaps = solver.game.position_kind == PositionKind::Heaps;
            let searches = |engine: &dyn Engine| match engine.scope() {
                Scope::BoxBelow | Scope::Summands if of_heaps => {
                    Err("the positions are few of a large box".to_owned())
                }
                _ => Ok(()),
            };
            fill_by(solver, query, forced, searches, |engine| {
                engine.fill_list(solver, listed, query, limits)
            })
        }
        Region::Placements(places) => fill_by(
            solver,
            query,
            forced,
            |_| Ok(()),
            |engine| engine.fill_placements(solver, places, query, limits),
        ),
    }?;
    debug_assert_eq!(table.region(), region, "the region that was asked about");
    Ok(table)
}

fn fill_by(
    solver: &Solver<'_>,
    query: Query,
    forced: Option<&str>,
    suits: impl Fn(&dyn Engine) -> Result<(), String>,
    fill: impl Fn(&dyn Engine) -> Result<Table, SolveError>,
) -> Result<Table, SolveError> {
    let chooser = Chooser::new(solver, query, forced);
    let choose = |refusals: &Refusals| chooser.choose(refusals, |_, engine| suits(engine));
    let (table, _) = chooser.answer(choose, |choice| fill(choice.engine))?;
    Ok(table)
}

/// What a user requests of one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// The outcome and the Grundy value.
    Grundy,
    /// The outcome, and the Grundy value if it is cheap.
    GrundyIfCheap,
    /// The outcome.
    Outcome,
}

/// The number of operations ([`Engine::operations`]) that counts as cheap: a second
/// or two.
pub(super) const CHEAP: u128 = 300_000_000;

/// The number of operations of some seconds.
const SOON: u128 = 4 * CHEAP;

/// The number of operations of a minute or two, the most for a table of the box below
/// a position. A search may be faster than a larger table.
const MOST_OPERATIONS: u128 = 60 * CHEAP;

/// The number of operations of a table of the box below a position that is filled at once, without
/// a search before it: a thousandth of a second, a tenth where conditions are long.
const WITHOUT_SEARCH: u128 = CHEAP / 3_000;

/// The operations of a table for each step of the search that is tried before it, so that the
/// search takes a third of the time of the table or less.
const OPERATIONS_OF_A_STEP: u128 = 2_000;

/// The steps of a search that is always tried, which nobody notices.
const UNNOTICED: u128 = 20_000;

/// Answers a query about one position.
///
/// # Errors
///
/// As [`choose_for_one`]; exceeded limits and faults of the rule.
///
/// # Examples
///
/// ```
/// use nimrule_engine::{Limits, Outcome, Request, Solver, answer};
/// use nimrule_model::game::Convention;
///
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let limits = Limits::of_memory(1 << 20);
/// let solver = Solver::new(&nim);
/// let answer = answer(&solver, &[3, 5], Convention::Normal, Request::Grundy, &limits, None);
/// let answer = answer.unwrap();
/// assert_eq!((answer.outcome, answer.grundy), (Outcome::N, Some(6)));
/// assert_eq!(answer.winning_moves, [[3, 3]]);
/// ```
pub fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    convention: Convention,
    request: Request,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<PositionAnswer, SolveError> {
    // Positions of a partizan or loopy game have no Grundy values.
    let request = match request {
        Request::GrundyIfCheap if solver.game.no_grundy_values().is_some() => Request::Outcome,
        request => request,
    };
    let about = |question, limits: &Limits| {
        let query = Query {
            question,
            convention,
        };
        answer_to(solver, position, query, limits, forced)
    };
    match (convention, request) {
        (_, Request::Grundy) => about(Question::Grundy, limits),
        (Convention::Misere, _) | (_, Request::Outcome) => about(Question::Outcome, limits),
        (_, Request::GrundyIfCheap) => {
            match operations_of_value(solver, position, limits, forced) {
                Some(..=CHEAP) => about(Question::Grundy, limits),
                Some(_) => about(Question::Outcome, limits),
                None => match about(Question::Grundy, &limits.for_attempt()) {
                    Err(SolveError::Memory { .. } | SolveError::Work { .. }) => {
                        about(Question::Outcome, limits)
                    }
                    settled => settled,
                },
            }
        }
    }
}

/// Answers one query about one position.
fn answer_to(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<PositionAnswer, SolveError> {
    let chooser = Chooser::new(solver, query, forced);
    let choose = |refusals: &Refusals| chooser.choose_for_one(position, limits, refusals);
    if let Ok(choice) = choose(&[])
        && let Some((search, work)) = chooser.search_before(&choice, position, limits)
    {
        let limits = limits.for_attempt().cap_work(work);
        match search.answer_one(solver, position, query, &limits) {
            Ok(answer) => {
                let mut rejected = choice.rejected;
                let reason = "a search of what can be reached ended before".to_owned();
                rejected.push((choice.engine.name(), reason));
                return Ok(PositionAnswer { rejected, ..answer });
            }
            Err(
                SolveError::Cannot { .. } | SolveError::Memory { .. } | SolveError::Work { .. },
            ) => {
                limits.check_waited_for()?;
            }
            Err(ended) => return Err(ended),
        }
    }
    let (answer, choice) = chooser.answer(choose, |choice| {
        choice.engine.answer_one(solver, position, query, limits)
    })?;
    Ok(PositionAnswer {
        rejected: choice.rejected,
        ..answer
    })
}

/// Whether engines can answer a query about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feasibility {
    /// Some engine always answers.
    Feasible,
    /// The number of followers is not known closely; a search may succeed.
    Unknown,
    /// There are far too many tuples below it, of which few may be positions. A search of some
    /// steps may succeed.
    Doubtful,
    /// There are far too many positions below it.
    Infeasible,
}

/// The largest number of positions of a box that a search is tried in. In a larger
/// box a search would have to skip nearly all positions.
const MOST_SEARCHED: u128 = 1 << 32;

/// Whether an engine should be tried at a position, if another method could answer.
pub fn feasibility(
    solver: &Solver<'_>,
    position: &[u64],
    query: Query,
    limits: &Limits,
) -> Feasibility {
    match choose_for_one(solver, position, query, limits, None) {
        Ok(choice) if choice.engine.is_certain() => Feasibility::Feasible,
        // The components may be few, however many positions lie below.
        Ok(choice) if choice.engine.scope() == Scope::Summands => Feasibility::Unknown,
        _ if solver.profile.only_takes.is_ok() && Shape::count(position) > MOST_SEARCHED => {
            match solver.graph.positions {
                Some(_) => Feasibility::Doubtful,
                None => Feasibility::Infeasible,
            }
        }
        _ => Feasibility::Unknown,
    }
}

/// The number of positions of a box below which a search usually succeeds.
const FEW_SEARCHED: u128 = 1 << 20;

/// Whether an engine is expected to answer within some seconds.
pub fn answers_soon(solver: &Solver<'_>, position: &[u64], query: Query, limits: &Limits) -> bool {
    let Ok(choice) = choose_for_one(solver, position, query, limits, None) else {
        return false;
    };
    match choice.engine.operations_of_one(solver, position, query) {
        Some(operations) => operations <= SOON,
        None => Shape::count(position) <= FEW_SEARCHED,
    }
}

/// The number of operations for the Grundy value of a position; `None` if there is no
/// bound.
fn operations_of_value(
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
    forced: Option<&str>,
) -> Option<u128> {
    let query = Query {
        question: Question::Grundy,
        convention: Convention::Normal,
    };
    match choose_for_one(solver, position, query, limits, forced) {
        Ok(choice) => choice.engine.operations_of_one(solver, position, query),
        Err(_) => Some(u128::MAX),
    }
}

/// An estimate of the work of listing all options in the box below a position, in options.
pub fn work_below(solver: &Solver<'_>, position: &[u64]) -> u128 {
    below(solver, position, Sample::work)
}

/// An estimate of the number of options in the box below a position.
pub fn options_below(solver: &Solver<'_>, position: &[u64]) -> u128 {
    below(solver, position, |sample| sample.options)
}

/// Whether the values of a box are found by listing options, since other work for them takes
/// longer. Small boxes, which take no time, are no reason.
pub(super) fn is_by_options(solver: &Solver<'_>, most: &[u64], operations: u128) -> bool {
    operations > CHEAP / 10 && options_below(solver, most) < operations
}

/// The number of positions of the box below a position, times what its samples have.
fn below(solver: &Solver<'_>, position: &[u64], of: impl Fn(&Sample) -> u64) -> u128 {
    // Several engines estimate their costs one after another.
    let last = solver.cache::<LastSamples>();
    let mut last = last.0.borrow_mut();
    let kept = last.take().filter(|(of, _)| of == position);
    let kept = kept.unwrap_or_else(|| (position.to_vec(), samples(solver, position)));
    let (_, samples) = last.insert(kept);
    let most = match samples {
        Some([one, other]) => of(one).max(of(other)).max(1),
        None => u64::MAX,
    };
    Shape::count(position).saturating_mul(u128::from(most))
}

/// The position whose box was estimated last, with its samples.
#[derive(Default)]
struct LastSamples(RefCell<Option<(Vec<u64>, Samples)>>);

/// The samples of a box, if their options can be listed.
type Samples = Option<[Sample; 2]>;

/// What listing the options of a position takes; the counts are capped.
#[derive(Default)]
struct Sample {
    options: u64,
    /// How often a condition on amounts was evaluated.
    attempts: u64,
}

impl Sample {
    /// The evaluation of a condition costs several times as much as an option.
    fn work(&self) -> u64 {
        self.options + 8 * self.attempts
    }
}

fn samples(solver: &Solver<'_>, position: &[u64]) -> Samples {
    const MOST: u64 = 1_000_000;
    let mut walker = Walker::new(&solver.graph, &[]);
    walker.max_attempts = MOST;
    // Conditions may reject nearly all candidates.
    walker.max_steps = 64 * MOST;
    // The middle of the box, and a position nearby with distinct sizes, since the
    // first may be excluded.
    let middle: Vec<u64> = position.iter().map(|size| size.div_ceil(2)).collect();
    let heaps = position.len() as u64;
    let apart: Vec<u64> = middle
        .iter()
        .zip(position)
        .zip(0..)
        .map(|((half, most), place)| (half + place).saturating_sub(heaps / 2).min(*most))
        .collect();
    let mut samples = <[Sample; 2]>::default();
    for (at, sample) in [middle, apart].iter().zip(&mut samples) {
        let looked = walker.options(at, 0, &mut |_, _| {
            sample.options += 1;
            if sample.options < MOST {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        // The fault recurs, and is reported, when the box is solved. An exceeded limit
        // would recur at every position.
        looked.ok()?;
        sample.attempts = walker.attempts;
    }
    Some(samples)
}
