//! Engines: algorithms that answer from the move-generator graph.
//!
//! An engine states whether it can answer a question, from the facts of the
//! profile alone, what that costs, and what it can resume ([`Engine`]).
//! [`ENGINES`] lists all engines in order of preference. The choice
//! ([`strategy`]) goes through that list from the top, reads nothing but the
//! trait, and keeps the reason for which it rejects each engine. The memo
//! search can answer wherever play ends and both players have the same moves;
//! everywhere else the retrograde analysis can, which is the last of the list.
//!
//! A new engine is a file and a line in the list; the tests compare every
//! engine that can with [`nimrule_ir::moves`], position by position.

#![warn(missing_docs)]

mod answer;
pub mod components;
pub mod enumeration;
pub mod heap_sequences;
pub mod hypergraph_nim;
mod identity;
pub mod memo;
pub mod move_digraph;
pub mod multiset;
pub mod nim_sum;
pub mod no_value;
mod options;
pub mod quotient;
pub mod retrograde;
pub mod strategy;
pub mod subtraction_vectors;
mod sweep;
mod table;
pub mod table_checkpoint;
mod time_estimate;
pub mod tokens_on_digraph;

pub use answer::{Lookup, PositionAnswer};
pub use identity::identity;
pub use nimrule_limits::{Limits, Work};
pub use nimrule_relation::Label;
pub use no_value::NoValue;
pub use retrograde::{BySide, SideOutcome};
pub use strategy::{
    Choice, Feasibility, Request, answer, answers_soon, choose, choose_for_one, feasibility, fill,
    fill_region, work_below,
};
pub use sweep::{
    RowEngine, SlabCheckpoints, SweepSummary, Visitor, row_engine, sweep, sweep_with_checkpoints,
};
pub use table::{Outcome, Placements, PositionList, Region, Shape, Table, TableValues};
pub use table_checkpoint::{TableCheckpoints, fill_with_checkpoints};
pub use time_estimate::TimeEstimate;

use nimrule_ir::{self as ir, MoveGraph, Profile, Stop};
use nimrule_kernels::{Layout, Sink};
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

/// A game prepared to be solved, with the engines that may solve it.
pub struct Solver<'g> {
    pub game: &'g Game,
    /// The moves of both sides together.
    pub graph: MoveGraph,
    /// Left's moves and Right's, where each side has its own.
    pub sides: Option<[MoveGraph; 2]>,
    pub profile: Profile,
    /// In order of preference.
    pub engines: &'static [&'static dyn Engine],
    /// What engines keep from one question to the next, a value of each type.
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
    /// With all engines of this package, [`ENGINES`].
    pub fn new(game: &'g Game) -> Solver<'g> {
        Solver::with_engines(game, &ENGINES)
    }

    /// With other engines, the preferred ones first.
    pub fn with_engines(game: &'g Game, engines: &'static [&'static dyn Engine]) -> Solver<'g> {
        let graph = ir::lower(game);
        let profile = ir::profile(&graph, &game.termination);
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

    /// What an engine keeps from one question about this game to the next;
    /// empty at first. An engine has a type of its own for it.
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

    /// Are the players' moves the same, and does play end? Most engines need
    /// both.
    ///
    /// # Errors
    ///
    /// The reason where that is not so.
    pub fn is_impartial_and_ends(&self) -> Result<(), String> {
        match self.game.no_grundy_values() {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(()),
        }
    }

    /// The positions up to a size that are solved together.
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
            return self.places(digraph, most, limits);
        }
        self.region_of(&vec![most; self.game.heap_count()], limits)
    }

    /// The positions whose tokens stand on the first vertices, up to the one
    /// at the place `most`.
    fn places(
        &self,
        digraph: &Arc<Digraph>,
        most: u64,
        limits: &Limits,
    ) -> Result<Region, SolveError> {
        let most = most.min(digraph.len() as u64 - 1);
        let most = vec![most; self.game.heap_count()];
        let needed = Shape::count(&most);
        match Shape::new(&most).filter(|_| needed <= u128::from(limits.memory)) {
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

    /// The positions of a box.
    pub fn region_of(&self, sizes: &[u64], limits: &Limits) -> Result<Region, SolveError> {
        match Shape::new(sizes) {
            Some(shape) => Ok(Region::Box(shape)),
            None => Err(SolveError::Memory {
                needed: Shape::count(sizes),
                limit: limits.memory,
            }),
        }
    }
}

/// What is asked of every position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// P or N.
    Outcome,
    /// The Grundy value; under misere play the value whose end positions
    /// count as 1, so that 0 still means P.
    Grundy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    pub question: Question,
    pub convention: Convention,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    #[error("{fault}, in the position {position:?}")]
    Fault {
        fault: PlacedFault,
        position: Vec<u64>,
    },
    /// A fault of another game, in its own text.
    #[error("{no_value}")]
    FaultIn {
        no_value: NoValue,
        text: Arc<Source>,
    },
    #[error("this needs {needed} bytes of memory, and {limit} are allowed")]
    Memory { needed: u128, limit: u64 },
    #[error("the time limit was met")]
    Time,
    #[error("it was interrupted")]
    Stopped,
    #[error("the positions of this game have no Grundy values: {reason}")]
    NoValues { reason: &'static str },
    #[error("heaps of real size have no table; `nimrule prove` decides their claims")]
    Reals,
    #[error("the engine `{engine}` cannot: {reason}")]
    Cannot {
        engine: &'static str,
        reason: String,
    },
    #[error("there is no engine `{name}`")]
    UnknownEngine { name: String },
    #[error("no engine is left")]
    NoEngine,
}

impl From<LimitExceeded> for SolveError {
    fn from(exceeded: LimitExceeded) -> SolveError {
        match exceeded {
            LimitExceeded::Memory { needed, limit } => SolveError::Memory { needed, limit },
            LimitExceeded::Time => SolveError::Time,
            LimitExceeded::Stopped => SolveError::Stopped,
        }
    }
}

impl SolveError {
    /// The same, told of the game that it is about where that is another than
    /// the one that is solved.
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

    /// Why the walk from a position could not be finished.
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

/// What an engine solves in order to answer about one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Its heaps, tokens or other summands, each by itself.
    Summands,
    /// All positions of the box below it.
    BoxBelow,
    /// The positions that can be reached from it.
    Reachable,
}

/// What an engine can resume after an interruption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumption {
    /// Nothing: it begins anew.
    None,
    /// Its rows, after whole slabs of the outermost heap ([`Engine::rows`]).
    Slabs,
    /// A table, after its first answers ([`Engine::fill_from`]).
    Answers,
}

/// How an engine hands on the outcomes of a box row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlan {
    pub layout: Layout,
    /// Bytes of memory that this takes.
    pub bytes: u128,
}

/// One algorithm.
///
/// Required are a name, [`can`](Engine::can), [`bytes`](Engine::bytes), and
/// one of [`fill`](Engine::fill) and [`lookup`](Engine::lookup). What else an
/// engine may state is read by [`strategy`], which compares no names.
pub trait Engine: Sync {
    /// The name by which `--engine` forces it.
    fn name(&self) -> &'static str;

    /// Is it made for games of this kind at all? Where it is not, nobody is
    /// given a reason for its rejection.
    fn applies_to(&self, _game: &Game) -> bool {
        true
    }

    /// Can it answer this about the game?
    ///
    /// # Errors
    ///
    /// The reason why not.
    fn can(&self, solver: &Solver<'_>, asked: Query) -> Result<(), String>;

    /// Is it worth while at this position, where other engines could answer as
    /// well?
    ///
    /// # Errors
    ///
    /// The reason why not.
    fn suits(
        &self,
        _solver: &Solver<'_>,
        _position: &[u64],
        _asked: Query,
        _limits: &Limits,
    ) -> Result<(), String> {
        Ok(())
    }

    /// What it solves for one position.
    fn scope(&self) -> Scope {
        Scope::BoxBelow
    }

    /// Where it can answer, and its costs are within the limits: is it sure to
    /// answer?
    fn is_certain(&self) -> bool {
        true
    }

    /// Bytes of memory for the table of a box.
    fn bytes(&self, solver: &Solver<'_>, most: &[u64], asked: Query) -> u128;

    /// Bytes of memory for the answer about one position.
    fn bytes_of_one(&self, solver: &Solver<'_>, position: &[u64], asked: Query) -> u128 {
        self.bytes(solver, position, asked)
    }

    /// About how many operations the table of a box takes, counted in options
    /// that are looked at one by one; `None` where nothing bounds them.
    fn operations(&self, solver: &Solver<'_>, most: &[u64], _asked: Query) -> Option<u128> {
        let stays_in_the_box = solver.profile.only_takes.is_ok();
        stays_in_the_box.then(|| work_below(solver, most))
    }

    /// The same for the answer about one position.
    fn operations_of_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        asked: Query,
    ) -> Option<u128> {
        self.operations(solver, position, asked)
    }

    /// Is the whole box solved sooner than a search would go through a small
    /// part of it? Then no size is too large but for its memory.
    fn is_faster_than_search(&self) -> bool {
        false
    }

    /// Answers for every position of a box.
    fn fill(
        &self,
        _solver: &Solver<'_>,
        _shape: &Shape,
        _asked: Query,
        _limits: &Limits,
    ) -> Result<Table, SolveError> {
        Err(SolveError::Cannot {
            engine: self.name(),
            reason: "it fills no box of heaps".to_owned(),
        })
    }

    /// Prepares answers about a position and all that can be reached from it.
    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        asked: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        answer::box_below(
            |shape| self.fill(solver, shape, asked, limits),
            || self.bytes(solver, position, asked),
            position,
            limits,
        )
    }

    /// Answers about one position. [`SolveError::Cannot`] lets the next engine
    /// try.
    fn answer_one(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        asked: Query,
        limits: &Limits,
    ) -> Result<PositionAnswer, SolveError> {
        let mut lookup = self.lookup(solver, position, asked, limits)?;
        answer::by_lookup(&mut *lookup, self.name(), solver, position, asked, limits)
    }

    /// Answers for every position of a list.
    fn fill_list(
        &self,
        solver: &Solver<'_>,
        listed: &PositionList,
        asked: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let mut values = Vec::with_capacity(listed.positions.len());
        if let Some(last) = listed.positions.last() {
            let mut lookup = self.lookup(solver, last, asked, limits)?;
            limits.begin(Work::Solving, Some(listed.positions.len() as u64));
            for position in &listed.positions {
                limits.check_time_at(values.len() as u64)?;
                values.push(lookup.value(position)?);
            }
        }
        Ok(Table::listed(listed.clone(), &values, asked, self.name()))
    }

    /// Answers for all ways to place tokens.
    fn fill_placements(
        &self,
        solver: &Solver<'_>,
        places: &Placements,
        asked: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        let listed = places.listed(solver, limits)?;
        self.fill_list(solver, &listed, asked, limits)
    }

    /// What it can resume.
    fn resumption(&self) -> Resumption {
        Resumption::None
    }

    /// The same as `fill`, from the first answers that are there.
    fn fill_from(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Query,
        limits: &Limits,
        _growth: TableCheckpoints<'_>,
    ) -> Result<Table, SolveError> {
        self.fill(solver, shape, asked, limits)
    }

    /// How it hands on the outcomes of a box row by row, with its heaps in the
    /// best order or in their own; `None` where it does not find rows.
    fn row_plan(
        &self,
        _solver: &Solver<'_>,
        _most: &[u64],
        _in_any_order: bool,
    ) -> Option<RowPlan> {
        None
    }

    /// Hands on the outcomes of a planned box row by row, as they become
    /// known; `from` has the slabs that an earlier run had done, and its state
    /// after them.
    fn rows(
        &self,
        _solver: &Solver<'_>,
        _layout: &Layout,
        _convention: Convention,
        _limits: &Limits,
        _from: Option<(u64, &[u8])>,
        _sink: &mut dyn Sink,
    ) -> Result<(), SolveError> {
        Err(SolveError::Cannot {
            engine: self.name(),
            reason: "it does not find rows".to_owned(),
        })
    }
}

/// All engines, in order of preference.
pub const ENGINES: [&dyn Engine; 9] = [
    &tokens_on_digraph::TokensOnDigraph,
    &nim_sum::NimSum,
    &hypergraph_nim::HypergraphNimEngine,
    &subtraction_vectors::SubtractionVectors,
    &enumeration::Enumeration,
    &components::ComponentSum,
    &quotient::MisereQuotient,
    &memo::MemoSearch,
    &retrograde::Retrograde,
];
