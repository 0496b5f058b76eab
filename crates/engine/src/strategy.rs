//! Which engine answers: the first of the list that can, and whose costs are
//! within the limits.
//!
//! Everything here is read off the trait [`Engine`]. What an engine costs is
//! asked before it begins; an engine whose cost nobody knows is tried within
//! limits that leave room for the next.

use super::{
    Engine, Limits, PositionAnswer, Query, Question, Region, Scope, Shape, SolveError, Solver,
    Table,
};
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, PositionKind};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// The engine chosen, and those before it in the list, each with the reason
/// for which it was rejected.
pub struct Choice {
    pub engine: &'static dyn Engine,
    pub rejected: Vec<(&'static str, String)>,
    /// Where the engine stands in the list.
    place: usize,
}

/// Engines that could, by what they state, and then could not, by their places
/// in the list, with the reason.
type Refusals = [(usize, String)];

/// The choice of an engine.
struct Chooser<'a, 'g> {
    solver: &'a Solver<'g>,
    asked: Query,
    /// The engine that the user has named; then there is no other.
    forced: Option<&'a str>,
}

impl Chooser<'_, '_> {
    /// Can the engine answer, as far as is known?
    fn can(&self, place: usize, refusals: &Refusals) -> Result<(), String> {
        match refusals.iter().find(|(of, _)| *of == place) {
            Some((_, reason)) => Err(reason.clone()),
            None => self.solver.engines[place].can(self.solver, self.asked),
        }
    }

    /// The engines that come into question, by their places in the list.
    fn candidates(&self) -> impl Iterator<Item = (usize, &'static dyn Engine)> {
        let engines = self.solver.engines.iter().copied().enumerate();
        engines.filter(|(_, engine)| match self.forced {
            Some(name) => name == engine.name(),
            None => engine.applies_to(self.solver.game),
        })
    }

    /// Chooses among the engines that have not refused and that pass a further
    /// test.
    fn choose(
        &self,
        refusals: &Refusals,
        test: impl Fn(usize, &dyn Engine) -> Result<(), String>,
    ) -> Result<Choice, SolveError> {
        let game = self.solver.game;
        if game.position_kind == PositionKind::Reals {
            return Err(SolveError::Reals);
        }
        if self.asked.question == Question::Grundy
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

    /// Chooses for one position: an engine that can, and whose table of the
    /// box below fits the memory and some minutes of work. Searches take what
    /// they need as they go.
    fn choose_for_one(
        &self,
        position: &[u64],
        limits: &Limits,
        refusals: &Refusals,
    ) -> Result<Choice, SolveError> {
        let Chooser { solver, asked, .. } = *self;
        let fits = |engine: &dyn Engine| {
            let needed = engine.bytes_of_one(solver, position, asked);
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
            engine.suits(solver, position, asked, limits)?;
            fits(engine)
        };
        // Summands are small beside the whole: an engine that is certain to
        // solve them comes before those that go through the box.
        let by_summands = self.candidates().find(|(place, engine)| {
            engine.scope() == Scope::Summands
                && engine.is_certain()
                && self.can(*place, refusals).is_ok()
                && suits(*engine).is_ok()
        });
        let by_summands = by_summands.map(|(place, _)| place);
        self.choose(refusals, |place, engine| {
            if by_summands == Some(place) {
                return Ok(());
            }
            if engine.scope() != Scope::BoxBelow {
                return suits(engine);
            }
            if by_summands.is_some() {
                return Err("the position falls into parts".to_owned());
            }
            suits(engine)?;
            if engine.is_faster_than_search() {
                return Ok(());
            }
            match engine.operations_of_one(solver, position, asked) {
                Some(..=MOST_OPERATIONS) => Ok(()),
                _ => Err("the box below the position takes too long".to_owned()),
            }
        })
    }

    /// Lets engines answer, one after another, until one does not find that it
    /// cannot; a forced engine never falls back.
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

/// Chooses the engine for a question.
///
/// # Errors
///
/// A forced engine that cannot answer; a question that has no answer.
pub fn choose(
    solver: &Solver<'_>,
    asked: Query,
    forced: Option<&str>,
) -> Result<Choice, SolveError> {
    let chooser = Chooser {
        solver,
        asked,
        forced,
    };
    chooser.choose(&[], |_, _| Ok(()))
}

/// Chooses the engine for one position; see [`choose`].
pub fn choose_for_one(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Choice, SolveError> {
    let chooser = Chooser {
        solver,
        asked,
        forced,
    };
    chooser.choose_for_one(position, limits, &[])
}

/// Answers for every position of the box whose heaps are at most `most`.
pub fn fill(
    solver: &Solver<'_>,
    most: &[u64],
    asked: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Table, SolveError> {
    fill_by(solver, asked, forced, |engine| {
        let needed = engine.bytes(solver, most, asked);
        let shape = Shape::new(most).filter(|_| needed <= u128::from(limits.memory));
        let shape = shape.ok_or(SolveError::Memory {
            needed,
            limit: limits.memory,
        })?;
        engine.fill(solver, &shape, asked, limits)
    })
}

/// Answers for every position of a region.
pub fn fill_region(
    solver: &Solver<'_>,
    region: &Region,
    asked: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Table, SolveError> {
    match region {
        Region::Box(shape) => fill(solver, &shape.most, asked, limits, forced),
        Region::List(listed) => fill_by(solver, asked, forced, |engine| {
            engine.fill_list(solver, listed, asked, limits)
        }),
        Region::Placements(places) => fill_by(solver, asked, forced, |engine| {
            engine.fill_placements(solver, places, asked, limits)
        }),
    }
}

fn fill_by(
    solver: &Solver<'_>,
    asked: Query,
    forced: Option<&str>,
    fill: impl Fn(&dyn Engine) -> Result<Table, SolveError>,
) -> Result<Table, SolveError> {
    let chooser = Chooser {
        solver,
        asked,
        forced,
    };
    let choose = |refusals: &Refusals| chooser.choose(refusals, |_, _| Ok(()));
    let (table, _) = chooser.answer(choose, |choice| fill(choice.engine))?;
    Ok(table)
}

/// Whether the Grundy value is worth its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// It must be found.
    Grundy,
    /// It is welcome if it is cheap.
    GrundyIfCheap,
    Outcome,
}

/// Operations, as [`Engine::operations`] counts them, that are still cheap: a
/// second or two.
pub(super) const CHEAP: u128 = 300_000_000;

/// A few seconds.
const SOON: u128 = 4 * CHEAP;

/// A minute or two: beyond, a search may be faster than the whole box below.
const MOST_OPERATIONS: u128 = 60 * CHEAP;

/// Answers about one position.
pub fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    convention: Convention,
    request: Request,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<PositionAnswer, SolveError> {
    // Without Grundy values, one that would only be welcome is not looked for.
    let request = match request {
        Request::GrundyIfCheap if solver.game.no_grundy_values().is_some() => Request::Outcome,
        request => request,
    };
    let about = |question, limits: &Limits| {
        let asked = Query {
            question,
            convention,
        };
        answer_to(solver, position, asked, limits, forced)
    };
    match (convention, request) {
        (_, Request::Grundy) => about(Question::Grundy, limits),
        (Convention::Misere, _) | (_, Request::Outcome) => about(Question::Outcome, limits),
        (_, Request::GrundyIfCheap) => {
            match operations_of_value(solver, position, limits, forced) {
                Some(..=CHEAP) => about(Question::Grundy, limits),
                Some(_) => about(Question::Outcome, limits),
                None => match about(Question::Grundy, &limits.for_attempt()) {
                    Err(SolveError::Memory { .. } | SolveError::Time) => {
                        about(Question::Outcome, limits)
                    }
                    settled => settled,
                },
            }
        }
    }
}

/// Answers one question about one position.
fn answer_to(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Query,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<PositionAnswer, SolveError> {
    let chooser = Chooser {
        solver,
        asked,
        forced,
    };
    let choose = |refusals: &Refusals| chooser.choose_for_one(position, limits, refusals);
    let (answer, choice) = chooser.answer(choose, |choice| {
        choice.engine.answer_one(solver, position, asked, limits)
    })?;
    Ok(PositionAnswer {
        rejected: choice.rejected,
        ..answer
    })
}

/// How far one position is from what engines can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feasibility {
    /// An engine is certain to answer.
    Feasible,
    /// Nothing bounds the positions that can be reached, or not closely: a
    /// search may come to an end, or not.
    Unknown,
    /// There are far too many positions below it.
    Infeasible,
}

/// Boxes with more positions than this are not worth a search that may come
/// to nothing: it would have to pass nearly all of them by.
const MOST_SEARCHED: u128 = 1 << 32;

/// Is it worth while to let an engine answer about a position, where there is
/// another way to answer?
pub fn feasibility(
    solver: &Solver<'_>,
    position: &[u64],
    asked: Query,
    limits: &Limits,
) -> Feasibility {
    match choose_for_one(solver, position, asked, limits, None) {
        Ok(choice) if choice.engine.is_certain() => Feasibility::Feasible,
        _ if solver.profile.only_takes.is_ok() && Shape::count(position) > MOST_SEARCHED => {
            Feasibility::Infeasible
        }
        _ => Feasibility::Unknown,
    }
}

/// A search among so many positions may well come to its end.
const FEW_SEARCHED: u128 = 1 << 20;

/// Is an engine likely to answer within some seconds? Nothing is promised: who
/// has no other way to answer has to try.
pub fn answers_soon(solver: &Solver<'_>, position: &[u64], asked: Query, limits: &Limits) -> bool {
    let Ok(choice) = choose_for_one(solver, position, asked, limits, None) else {
        return false;
    };
    match choice.engine.operations_of_one(solver, position, asked) {
        Some(operations) => operations <= SOON,
        None => Shape::count(position) <= FEW_SEARCHED,
    }
}

/// What the Grundy value of a position costs; `None` where nothing bounds the
/// positions that can be reached, so that it has to be tried.
fn operations_of_value(
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
    forced: Option<&str>,
) -> Option<u128> {
    let asked = Query {
        question: Question::Grundy,
        convention: Convention::Normal,
    };
    match choose_for_one(solver, position, asked, limits, forced) {
        Ok(choice) => choice.engine.operations_of_one(solver, position, asked),
        Err(_) => Some(u128::MAX),
    }
}

/// About how many options there are to look at in the box below: its positions
/// times the options at the busier of two samples. Samples with more options
/// than are worth counting are cut short, and so is the estimate.
pub fn work_below(solver: &Solver<'_>, position: &[u64]) -> u128 {
    // Several engines are asked for their costs, one after another.
    let last = solver.cache::<LastWork>();
    if let Some((of, work)) = &*last.0.borrow()
        && of == position
    {
        return *work;
    }
    let work = Shape::count(position).saturating_mul(u128::from(options_below(solver, position)));
    last.0.replace(Some((position.to_vec(), work)));
    work
}

/// The position whose work was estimated last, with that estimate.
#[derive(Default)]
struct LastWork(RefCell<Option<(Vec<u64>, u128)>>);

/// About how many options a position of the box below has.
fn options_below(solver: &Solver<'_>, position: &[u64]) -> u64 {
    const MOST: u64 = 1_000_000;
    let mut walker = Walker::new(&solver.graph, &[]);
    walker.max_attempts = MOST;
    // A rule may refuse nearly everything that it could take.
    walker.max_steps = 64 * MOST;
    // About the middle, and, in case that is excluded, with heaps apart.
    let middle: Vec<u64> = position.iter().map(|size| size.div_ceil(2)).collect();
    let apart: Vec<u64> = middle
        .iter()
        .zip(position)
        .zip(0..)
        .map(|((half, most), place)| (half + place).min(*most))
        .collect();
    let mut most = 1;
    for sample in [middle, apart] {
        let mut options = 0;
        let looked = walker.options(&sample, 0, &mut |_, _| {
            options += 1;
            if options < MOST {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        // A fault is met again, and reported, when the box is solved; what
        // took so long to find it would take as long for every position.
        if looked.is_err() {
            return u64::MAX;
        }
        // A condition costs several times what an option costs.
        most = most.max(options + 8 * walker.attempts);
    }
    most
}
