//! Engines: algorithms that compute outcomes and Grundy values of positions from
//! the move-generator graph. "Engine", "box" and "region" are defined in
//! `docs/src/glossary.md`.
//!
//! The trait [`Engine`] is an algorithm with its capabilities: the queries that it
//! supports, judged from the profile of the rule alone, an estimate of its cost,
//! and what it can resume. [`ENGINES`] lists all engines in order of preference;
//! [`strategy`] chooses the first that supports the query within the limits, and
//! records why it rejected the ones before. The memo search supports every
//! impartial game in which play ends, and retrograde analysis, the last of the
//! list, supports outcomes of all others.
//!
//! A new engine is a file and an entry of the list; the tests compare every
//! engine with [`nimrule_ir::moves`], position by position.
//!
//! `nimrule::Game` in the root package is the entry point for users, with examples.

#![warn(missing_docs)]

mod answer;
mod canonical_rows;
mod columns;
pub mod components;
pub mod enumeration;
pub mod heap_sequences;
pub mod hypergraph_nim;
mod identity;
mod inapplicable;
pub mod memo;
pub mod move_digraph;
pub mod multiset;
pub mod nim_sum;
pub mod nimbers;
pub mod no_value;
mod options;
pub mod quotient;
pub mod restricted;
pub mod retrograde;
mod sorted;
mod statistics;
pub mod strategy;
pub mod subtraction_vectors;
mod sweep;
mod table;
pub mod table_checkpoint;
mod time_estimate;
pub mod tokens_on_digraph;

pub use answer::{Lookup, PositionAnswer};
pub use canonical_rows::CanonicalRows;
pub use columns::{ColumnStore, Columns, Pipeline, sweep_columns};
pub use identity::{identity, identity_of_kind, in_digits};
pub use inapplicable::{
    InapplicableMove, LeavesRange, inapplicable_moves, moves_that_leave_ranges,
};
pub use nimrule_limits::{Limits, Steps, Work};
pub use nimrule_relation::Label;
pub use no_value::NoValue;
pub use retrograde::{BySide, SideOutcome};
pub use sorted::{SortedTuples, has_sorted_outcomes, sorted_outcomes};
pub use statistics::Statistics;
pub use strategy::{
    Choice, Feasibility, Request, answer, answers_soon, choose, choose_for_box, choose_for_one,
    feasibility, fill, fill_region, options_below, work_below,
};
pub use sweep::{
    RowEngine, SlabCheckpoints, SweepSummary, Visitor, column_engine, row_engine, show_table,
    sweep, sweep_rows, sweep_with_checkpoints,
};
pub use table::{
    CODES, NO_VALUE, Outcome, Placements, PositionList, Prefix, Region, Shape, Table, TableEntry,
    TableValues,
};
pub use table_checkpoint::{TableCheckpoints, fill_with_checkpoints};
pub use time_estimate::TimeEstimate;

use nimrule_ir::{self as ir, MoveGraph, Profile, Stop};
use nimrule_kernels::columns::ColumnSizes;
use nimrule_kernels::{Layout, Sink, Start};
use nimrule_limits::LimitExceeded;
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::PlacedFault;
use nimrule_model::game::{Convention, Game, PositionKind, Side};
use nimrule_model::source::Source;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use thiserror::Error;

/// A game with its lowered form and profile, and the engines that may solve it.
pub struct Solver<'g> {
    /// The rule.
    pub game: &'g Game,
    /// The move-generator graph of the moves of both players together.
    pub graph: MoveGraph,
    /// The graphs of Left's moves and of Right's, if the game is partizan.
    pub sides: Option<[MoveGraph; 2]>,
    /// The facts of the rule from which engines are chosen.
    pub profile: Profile,
    /// The engines, in order of preference.
    pub engines: &'static [&'static dyn Engine],
    /// The caches of the engines, at most one of each type.
    caches: RefCell<Vec<Rc<dyn Any>>>,
}

impl fmt::Debug for Solver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Solver { game, profile, .. } = self;
        f.debug_struct("Solver")
            .field("game", game)
            .field("profile", profile)
            .finish_non_exhaustive()
    }
}

impl<'g> Solver<'g> {
    /// A solver with all engines of this crate, [`ENGINES`].
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::Solver;
    ///
    /// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
    /// assert_eq!(Solver::new(&nim).game.name, "nim");
    /// ```
    pub fn new(game: &'g Game) -> Solver<'g> {
        Solver::with_engines(game, &ENGINES)
    }

    /// A solver with these engines, in order of preference.
    pub fn with_engines(game: &'g Game, engines: &'static [&'static dyn Engine]) -> Solver<'g> {
        let graph = ir::lower(game);
        let profile = ir::profile(&graph, &game.facts.termination);
        Solver {
            game,
            graph,
            sides: game
                .has_sides()
                .then(|| Side::BOTH.map(|side| ir::lower_for(game, side))),
            profile,
            engines,
            caches: RefCell::default(),
        }
    }

    /// The cache of this type, which persists from one query about this game to
    /// the next; initially `T::default()`. Each engine uses a private type.
    pub fn cache<T: Default + 'static>(&self) -> Rc<T> {
        let mut caches = self.caches.borrow_mut();
        let known = caches
            .iter()
            .find_map(|cache| cache.clone().downcast().ok());
        known.unwrap_or_else(|| {
            let cache = Rc::new(T::default());
            caches.push(cache.clone());
            cache
        })
    }

    /// Checks that the game is impartial and that play ends, which most engines
    /// require.
    ///
    /// # Errors
    ///
    /// The reason why positions have no Grundy values, as a clause.
    pub fn is_impartial_and_ends(&self) -> Result<(), String> {
        match self.game.no_grundy_values() {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(()),
        }
    }

    /// The region of the positions up to a size: heaps of at most `most` tokens with
    /// the states of [`Rule::box_to`](nimrule_model::game::Rule::box_to), multisets of at most `most` tokens in total, or
    /// tokens on the vertices with the indices 0 to `most`.
    ///
    /// # Errors
    ///
    /// [`SolveError::Memory`] if the region exceeds the memory limit, and the other
    /// limits and faults that occur while positions are listed.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::{Limits, Solver};
    ///
    /// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
    /// let region = Solver::new(&nim).region(3, &Limits::of_memory(1 << 20)).unwrap();
    /// assert_eq!(region.count(), 16);
    /// assert_eq!(region.at(7), [1, 3]);
    /// ```
    pub fn region(&self, most: u64, limits: &Limits) -> Result<Region, SolveError> {
        if let PositionKind::Multiset(kinds) = &self.game.position_kind {
            let room = u128::from(limits.memory) / multiset::BYTES_PER_POSITION;
            let count = multiset::count(kinds, most, room + 1);
            if count > room {
                return Err(SolveError::Memory {
                    needed: count.saturating_mul(multiset::BYTES_PER_POSITION),
                    limit: limits.memory,
                });
            }
            return Ok(Region::List(multiset::positions(
                self, kinds, most, limits,
            )?));
        }
        if let Some(digraph) = self.game.digraph() {
            let last = digraph.len() as u64 - 1;
            return self.places(
                digraph,
                &vec![most.min(last); self.game.heap_count()],
                limits,
            );
        }
        self.region_of(&self.game.box_to(most), limits)
    }

    /// The placements of tokens on the vertices with the indices 0 to `most`, for each token.
    fn places(
        &self,
        digraph: &Arc<Digraph>,
        most: &[u64],
        limits: &Limits,
    ) -> Result<Region, SolveError> {
        let needed = Shape::count(most);
        match Shape::new(most).filter(|_| needed <= u128::from(limits.memory)) {
            Some(shape) => Ok(Region::Placements(Placements {
                digraph: digraph.clone(),
                shape,
            })),
            None => Err(SolveError::Memory {
                needed,
                limit: limits.memory,
            }),
        }
    }

    /// The positions whose heaps have at most these sizes; of tokens, those on vertices of at
    /// most these numbers, or indices where vertices have no numbers. If the box exceeds the
    /// memory limit and `positions where` leaves few of it, they are listed.
    ///
    /// # Errors
    ///
    /// [`SolveError::Memory`] if the number of positions exceeds the address space, or the
    /// memory limit where tokens are placed.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::{Limits, Solver};
    ///
    /// let rule = "game road board digraph { 0 -> 1 -> 5 } tokens 1 move slide one token";
    /// let road = nimrule_fixtures::compiled(rule).unwrap().game;
    /// let region = Solver::new(&road).region_of(&[4], &Limits::of_memory(1 << 20)).unwrap();
    /// assert_eq!(region.count(), 2);
    /// assert_eq!(region.place(&[5]), None);
    /// ```
    pub fn region_of(&self, sizes: &[u64], limits: &Limits) -> Result<Region, SolveError> {
        if let Some(digraph) = self.game.digraph() {
            // Numbers ascend with the indices. The first vertex is always there.
            let up_to = |size: &u64| {
                let up_to = (0..digraph.len()).take_while(|state| digraph.number(*state) <= *size);
                up_to.last().unwrap_or(0) as u64
            };
            let most: Vec<u64> = sizes.iter().map(up_to).collect();
            return self.places(digraph, &most, limits);
        }
        if Shape::count(sizes) > u128::from(limits.memory)
            && let Some(listed) =
                restricted::positions(self, sizes, restricted::MAX_EVALUATIONS, limits)?
        {
            return Ok(Region::List(listed));
        }
        match Shape::new(sizes) {
            Some(shape) => Ok(Region::Box(shape)),
            None => Err(SolveError::Memory {
                needed: Shape::count(sizes),
                limit: limits.memory,
            }),
        }
    }
}

/// The quantity that is computed for every position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// The outcome class.
    Outcome,
    /// The Grundy value. Under misère play the mex recursion with the value 1 for
    /// terminal positions, so that 0 still means P.
    Grundy,
}

/// A query: a quantity and the convention under which it is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// The quantity.
    pub question: Question,
    /// Normal or misère play.
    pub convention: Convention,
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// An expression of the rule has no value.
    #[error("{fault}, in the position {position:?}")]
    Fault {
        /// The fault and its place in the text.
        fault: PlacedFault,
        /// The position at which it occurs.
        position: Vec<u64>,
    },
    /// An expression of another game than the solver's has no value.
    #[error("{no_value}")]
    FaultIn {
        /// The fault and the position.
        no_value: NoValue,
        /// The text of that game.
        text: Arc<Source>,
    },
    /// The memory limit was exceeded.
    #[error("this needs {needed} bytes of memory; the limit is {limit}")]
    Memory {
        /// The bytes needed; a lower bound if they are not known.
        needed: u128,
        /// The limit in bytes.
        limit: u64,
    },
    /// The time limit was exceeded.
    #[error("time limit reached")]
    Time,
    /// The bound of work of the last attempt is exhausted.
    #[error("the search ended after {steps}")]
    Work {
        /// The bound.
        steps: Steps,
    },
    /// The user interrupted the computation.
    #[error("interrupted")]
    Stopped,
    /// The game is partizan or loopy, so that positions have no Grundy values.
    #[error("this game has no Grundy values: {reason}")]
    NoValues {
        /// The reason, as a clause.
        reason: &'static str,
    },
    /// The heaps have real sizes, which no engine supports.
    #[error("heaps of real size have no table; `nimrule prove` decides their claims")]
    Reals,
    /// The number of heaps is left open.
    #[error(
        "a parameter is left open; `nimrule prove` decides claims for all its values, and a table needs one"
    )]
    Open,
    /// An engine does not support the query.
    #[error("the engine `{engine}` cannot solve this: {reason}")]
    Cannot {
        /// The name of the engine.
        engine: &'static str,
        /// The reason, as a clause.
        reason: String,
    },
    /// The question is refused, for a reason that is not an engine's.
    #[error("{reason}")]
    Refused {
        /// The reason, as a sentence without a full stop.
        reason: String,
    },
    /// The user named an engine that does not exist.
    #[error("there is no engine `{name}`")]
    UnknownEngine {
        /// The name.
        name: String,
    },
    /// Every engine was rejected.
    #[error("every engine was rejected")]
    NoEngine,
}

impl From<LimitExceeded> for SolveError {
    fn from(exceeded: LimitExceeded) -> SolveError {
        match exceeded {
            LimitExceeded::Memory { needed, limit } => SolveError::Memory { needed, limit },
            LimitExceeded::Time => SolveError::Time,
            LimitExceeded::Work { steps } => SolveError::Work { steps },
            LimitExceeded::Stopped => SolveError::Stopped,
        }
    }
}

impl SolveError {
    /// Refuses a game whose positions no engine supports.
    ///
    /// # Errors
    ///
    /// The sizes of its heaps are real numbers, or their number is left open.
    pub fn check_kind(game: &Game) -> Result<(), SolveError> {
        match game.position_kind {
            PositionKind::Reals => Err(SolveError::Reals),
            PositionKind::Open(_) => Err(SolveError::Open),
            PositionKind::Heaps | PositionKind::Tokens(_) | PositionKind::Multiset(_) => Ok(()),
        }
    }

    /// The same error, with the text of the game that it occurred in, for a game
    /// other than the solver's.
    pub fn in_game(self, game: &Game) -> SolveError {
        match self {
            SolveError::Fault { fault, position } => SolveError::FaultIn {
                no_value: NoValue {
                    fault,
                    position: game.shown(&position),
                },
                text: Arc::clone(&game.text),
            },
            other => other,
        }
    }

    /// The error of a walk that stopped at this position.
    pub fn of(stop: Stop, position: &[u64]) -> SolveError {
        match stop {
            Stop::LimitExceeded(met) => SolveError::from(met),
            Stop::Fault(fault) => SolveError::Fault {
                fault,
                position: position.to_vec(),
            },
        }
    }
}

/// The positions that an engine solves to answer a query about one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The components of the position as a disjunctive sum, each separately.
    Summands,
    /// All positions of the box below the position.
    BoxBelow,
    /// The followers of the position.
    Reachable,
}

/// What an engine can resume after an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumption {
    /// Nothing.
    None,
    /// A sweep by rows, after a number of slabs: all positions with the same size of
    /// the first heap ([`Engine::rows`]).
    Slabs,
    /// A table, after a prefix of its answers ([`Engine::fill_from`]).
    Answers,
}

/// The plan by which an engine computes the answers of a box row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlan {
    /// The order of the heaps, and the layout of the rows.
    pub layout: Layout,
    /// The memory needed, in bytes.
    pub bytes: u128,
}

/// An algorithm that answers queries, and its capabilities.
///
/// An engine must implement a name, [`can`](Engine::can), [`bytes`](Engine::bytes),
/// and one of [`fill`](Engine::fill) and [`lookup`](Engine::lookup), which by default
/// fills the box below the position. The remaining methods refine the choice by
/// [`strategy`], which never compares names.
pub trait Engine: Sync {
    /// The name by which `--engine` forces it.
    fn name(&self) -> &'static str;

    /// The version of the state that the engine saves in checkpoints; a checkpoint with
    /// another version is refused.
    fn state_version(&self) -> u32 {
        1
    }

    /// Whether the engine is made for games of this kind. If not, the engine is
    /// skipped without a reason in reports.
    fn applies_to(&self, _game: &Game) -> bool {
        true
    }

    /// Whether the engine supports impartial games in which play ends, and no others.
    fn needs_ending_play(&self) -> bool {
        true
    }

    /// Checks whether the engine supports a query about a game, which is impartial and ends
    /// if that [is needed](Engine::needs_ending_play).
    ///
    /// # Errors
    ///
    /// The reason why not, as a clause.
    fn can(&self, solver: &Solver<'_>, query: Query) -> Result<(), String>;

    /// Checks whether the engine supports a query about the game.
    ///
    /// # Errors
    ///
    /// The reason why not, as a clause.
    fn supports(&self, solver: &Solver<'_>, query: Query) -> Result<(), String> {
        if self.needs_ending_play() {
            solver.is_impartial_and_ends()?;
        }
        self.can(solver, query)
    }

    /// The error of a query that the engine does not support, for this reason.
    fn cannot(&self, reason: String) -> SolveError {
        SolveError::Cannot {
            engine: self.name(),
            reason,
        }
    }

    /// Checks whether the engine is preferable at this position, given that it
    /// supports the query.
    ///
    /// # Errors
    ///
    /// The reason why not, as a clause.
    fn suits(
        &self,
        _solver: &Solver<'_>,
        _position: &[u64],
        _query: Query,
        _limits: &Limits,
    ) -> Result<(), String> {
        Ok(())
    }

    /// The positions that the engine solves for a query about one position.
    fn scope(&self) -> Scope {
        Scope::BoxBelow
    }

    /// Whether the engine always answers a query that it supports if its estimated
    /// costs are within the limits. A search may exceed them.
    fn is_certain(&self) -> bool {
        true
    }

    /// The memory for the table of a box, in bytes.
    fn bytes(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> u128;

    /// The memory for a query about one position, in bytes.
    fn bytes_of_one(&self, solver: &Solver<'_>, position: &[u64], query: Query) -> u128 {
        self.bytes(solver, position, query)
    }

    /// An estimate of the number of operations for the table of a box. The unit is
    /// the time of one option in an enumeration. `None` if there is no bound.
    fn operations(&self, solver: &Solver<'_>, most: &[u64], _query: Query) -> Option<u128> {
        let stays_in_the_box = solver.profile.only_takes.is_ok();
        stays_in_the_box.then(|| work_below(solver, most))
    }

    /// An estimate of the number of operations for a query about one position.
    fn operations_of_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
    ) -> Option<u128> {
        self.operations(solver, position, query)
    }

    /// Whether the engine solves a whole box faster than a search visits a small
    /// part of it. Then only memory limits the size of a box.
    fn is_faster_than_search(&self) -> bool {
        false
    }

    /// Computes the table of a box.
    fn fill(
        &self,
        _solver: &Solver<'_>,
        _shape: &Shape,
        _query: Query,
        _limits: &Limits,
    ) -> Result<Table, SolveError> {
        Err(self.cannot("it cannot solve a box of positions".to_owned()))
    }

    /// Prepares queries about a position and its followers.
    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        answer::box_below(
            |shape| self.fill(solver, shape, query, limits),
            || self.bytes(solver, position, query),
            position,
            limits,
        )
    }

    /// Answers a query about one position. After [`SolveError::Cannot`] the next
    /// engine is tried.
    fn answer_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<PositionAnswer, SolveError> {
        let mut lookup = self.lookup(solver, position, query, limits)?;
        answer::by_lookup(&mut *lookup, self.name(), solver, position, query, limits)
    }

    /// Computes the table of a list of positions.
    fn fill_list(
        &self,
        solver: &Solver<'_>,
        listed: &PositionList,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let mut values = Vec::with_capacity(listed.positions.len());
        if let Some(last) = listed.positions.last() {
            let mut lookup = self.lookup(solver, last, query, limits)?;
            limits.begin(Work::Solving, Some(listed.positions.len() as u64));
            for position in &listed.positions {
                limits.check_work_at(values.len() as u64, Steps(10))?;
                values.push(lookup.value(position)?);
            }
        }
        Ok(Table::listed(listed.clone(), &values, query, self.name()))
    }

    /// Computes the table of all placements of tokens.
    fn fill_placements(
        &self,
        solver: &Solver<'_>,
        places: &Placements,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let listed = places.listed(solver, limits)?;
        let table = self.fill_list(solver, &listed, query, limits)?;
        Ok(table.in_region(Region::Placements(places.clone())))
    }

    /// What the engine can resume after an interruption.
    fn resumption(&self) -> Resumption {
        Resumption::None
    }

    /// [`fill`](Engine::fill), resumed from a checkpoint and observed.
    fn fill_from(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
        _growth: TableCheckpoints<'_>,
    ) -> Result<Table, SolveError> {
        self.fill(solver, shape, query, limits)
    }

    /// The plan for computing the answers of a box row by row, with the heaps in the
    /// engine's order if `in_any_order`; `None` if the engine does not compute rows.
    ///
    /// Grundy values are the P-positions of the sum with a Nim heap, which is the last heap
    /// of the layout and is numbered after those of the game. So the only bit of a row is at
    /// the value of the position with the row's other heaps.
    fn row_plan(
        &self,
        _solver: &Solver<'_>,
        _most: &[u64],
        _question: Question,
        _in_any_order: bool,
    ) -> Option<RowPlan> {
        None
    }

    /// Passes the rows of a planned box, or of a column of it, to a sink as they are computed.
    fn rows(
        &self,
        _solver: &Solver<'_>,
        _layout: &Layout,
        _question: Question,
        _start: Start<'_>,
        _limits: &Limits,
        _sink: &mut dyn Sink,
    ) -> Result<(), SolveError> {
        Err(self.cannot("it is not bit-parallel".to_owned()))
    }

    /// The sizes of the columns into which a planned box can be divided; `None` if it has one
    /// strip only.
    ///
    /// # Errors
    ///
    /// The reason why the engine does not divide it, as a clause.
    fn column_sizes(
        &self,
        _solver: &Solver<'_>,
        _layout: &Layout,
        _question: Question,
    ) -> Result<Option<ColumnSizes>, String> {
        Err(format!(
            "the engine `{}` does not divide a box",
            self.name()
        ))
    }
}

/// All engines, in order of preference.
pub const ENGINES: [&dyn Engine; 10] = [
    &tokens_on_digraph::TokensOnDigraph,
    &nim_sum::NimSum,
    &hypergraph_nim::HypergraphNimEngine,
    &subtraction_vectors::SubtractionVectors,
    &enumeration::Enumeration,
    &nimbers::NimberEngine,
    &components::ComponentSum,
    &quotient::MisereQuotient,
    &memo::MemoSearch,
    &retrograde::Retrograde,
];
