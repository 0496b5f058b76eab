//! Engines: ways to answer from the graph.
//!
//! An engine says whether it *can* answer a question, from the facts of the
//! profile alone; its place in the list says when it *ought* to. The list is
//! walked from the top, the reasons for passing engines over are kept. The
//! memo search can wherever play ends and both players have the same moves;
//! everywhere else it is the retrograde analysis, which stands at the list's
//! end. A new engine is a file and a line here; the tests compare every engine
//! that can with [`crate::ir::moves`], position by position.

pub mod arcs;
pub mod bag;
pub mod growth;
pub mod hypergraph;
pub mod memo;
pub mod nim_sum;
mod one;
pub mod one_heap;
mod options;
mod pace;
pub mod parts;
pub mod plain;
pub mod quotient;
pub mod retrograde;
mod sweep;
mod table;
pub mod vectors;

pub use crate::limits::{Limits, Work};
pub use crate::relation::Label;
pub use growth::{Growth, fill_growing};
pub use one::{Answer, Reach, Wish, answer, choose_for_one, is_soon, reach, work_below};
pub use pace::Pace;
pub use retrograde::{Turn, Turns};
pub use sweep::{InRows, Slabs, Swept, Visitor, in_rows, sweep, sweep_slabs};
pub use table::{Listed, Outcome, Places, Region, Shape, Table, Values};

use crate::digraph::Digraph;
use crate::expr::Fault;
use crate::game::{Convention, Field, Game, Side};
use crate::ir::{self, MoveGraph, Profile, Stop, Walker};
use crate::limits::Met;
use crate::rows::{Layout, Sink};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use thiserror::Error;

/// A game made ready to be solved.
#[derive(Debug)]
pub struct Solver<'g> {
    pub game: &'g Game,
    /// The moves of both sides together.
    pub graph: MoveGraph,
    /// Left's moves and Right's, where each side has its own.
    pub sides: Option<[MoveGraph; 2]>,
    pub profile: Profile,
    /// The last relation that was labelled: what is asked next may be in it.
    kept: RefCell<Option<Rc<retrograde::Space>>>,
    /// What has been found about the board that tokens slide on.
    arcs: RefCell<arcs::Kept>,
}

impl<'g> Solver<'g> {
    pub fn new(game: &'g Game) -> Solver<'g> {
        let graph = ir::lower(game);
        let profile = ir::profile(&graph, &game.ending);
        Solver {
            game,
            graph,
            sides: game
                .has_sides()
                .then(|| Side::BOTH.map(|side| ir::lower_for(game, side))),
            profile,
            kept: RefCell::new(None),
            arcs: RefCell::default(),
        }
    }

    /// Most engines need that both players have the same moves, and that play
    /// ends.
    fn is_impartial_and_ends(&self) -> Result<(), String> {
        match self.game.no_values() {
            Some(reason) => Err(reason.to_owned()),
            None => Ok(()),
        }
    }

    /// The positions up to a size that are solved together.
    pub fn region(&self, most: u64, limits: &Limits) -> Result<Region, Failure> {
        if let Field::Bag(kinds) = &self.game.field {
            let room = u128::from(limits.memory) / bag::BYTES_A_POSITION;
            let count = bag::count(kinds, most, room + 1);
            if count > room {
                return Err(Failure::Memory {
                    needed: count.saturating_mul(bag::BYTES_A_POSITION),
                    limit: limits.memory,
                });
            }
            let listed = bag::positions(kinds, most, limits).map_err(Failure::of_limit)?;
            return Ok(Region::Listed(listed));
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
    ) -> Result<Region, Failure> {
        let most = most.min(digraph.len() as u64 - 1);
        let most = vec![most; self.game.heap_count()];
        let needed = Shape::count(&most);
        match Shape::new(&most).filter(|_| needed <= u128::from(limits.memory)) {
            Some(shape) => Ok(Region::Places(Places {
                digraph: digraph.clone(),
                shape,
            })),
            None => Err(Failure::Memory {
                needed,
                limit: limits.memory,
            }),
        }
    }

    /// The positions of a box.
    pub fn region_of(&self, sizes: &[u64], limits: &Limits) -> Result<Region, Failure> {
        match Shape::new(sizes) {
            Some(shape) => Ok(Region::Box(shape)),
            None => Err(Failure::Memory {
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
pub struct Asked {
    pub question: Question,
    pub convention: Convention,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    #[error("{fault}, in the position {position:?}")]
    Fault { fault: Fault, position: Vec<u64> },
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
}

impl From<Met> for Failure {
    fn from(met: Met) -> Failure {
        Failure::of_limit(met)
    }
}

impl Failure {
    pub fn of_limit(met: Met) -> Failure {
        match met {
            Met::Memory { needed, limit } => Failure::Memory { needed, limit },
            Met::Time => Failure::Time,
            Met::Stopped => Failure::Stopped,
        }
    }

    /// Why the walk from a position could not be finished.
    pub fn of(stop: Stop, position: &[u64]) -> Failure {
        match stop {
            Stop::Met(met) => Failure::of_limit(met),
            Stop::Fault(fault) => Failure::Fault {
                fault,
                position: position.to_vec(),
            },
        }
    }
}

/// One way to answer.
pub trait Engine: Sync {
    fn name(&self) -> &'static str;

    /// Is it made for games of this kind at all?
    fn concerns(&self, _game: &Game) -> bool {
        true
    }

    /// Can it answer this about the game, and if not, why not?
    fn can(&self, solver: &Solver<'_>, asked: Asked) -> Result<(), String>;

    /// Bytes that the table of a box takes.
    fn bytes_for(&self, solver: &Solver<'_>, most: &[u64], asked: Asked) -> u128;

    /// Bytes that it takes to answer about one position.
    fn bytes_for_one(&self, solver: &Solver<'_>, position: &[u64], asked: Asked) -> u128 {
        self.bytes_for(solver, position, asked)
    }

    /// Answers for every position of a box.
    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure>;

    /// Can it go on from the first answers of a table?
    fn goes_on_from_answers(&self) -> bool {
        false
    }

    /// The same as `fill`, from the first answers on that there are.
    fn fill_on(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        asked: Asked,
        limits: &Limits,
        _growth: Growth<'_>,
    ) -> Result<Table, Failure> {
        self.fill(solver, shape, asked, limits)
    }

    /// Answers for every position of a list.
    fn fill_listed(
        &self,
        solver: &Solver<'_>,
        listed: &Listed,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure> {
        let mut values = Vec::with_capacity(listed.positions.len());
        if let Some(last) = listed.positions.last() {
            let mut oracle = self.oracle(solver, last, asked, limits)?;
            limits.begin(Work::Solving, Some(listed.positions.len() as u64));
            for position in &listed.positions {
                limits.within_time_at(values.len() as u64)?;
                values.push(oracle.value(position)?);
            }
        }
        Ok(Table::listed(listed.clone(), &values, asked, self.name()))
    }

    /// Answers for all ways to place tokens.
    fn fill_places(
        &self,
        solver: &Solver<'_>,
        places: &Places,
        asked: Asked,
        limits: &Limits,
    ) -> Result<Table, Failure> {
        let listed = places.listed(solver, limits)?;
        self.fill_listed(solver, &listed, asked, limits)
    }

    /// How it hands on the outcomes of a box row by row, with its heaps in the
    /// best order or in their own, and the bytes that this takes; `None` where
    /// it does not find rows.
    fn plan_rows(
        &self,
        _solver: &Solver<'_>,
        _most: &[u64],
        _in_any_order: bool,
    ) -> Option<(Layout, u128)> {
        None
    }

    /// Can it go on from a slab, so that its rows can be kept and gone on with?
    fn goes_on_from_slabs(&self) -> bool {
        false
    }

    /// Hands on the outcomes of a planned box row by row, as they become known; `from`
    /// says where an earlier run came to: the slabs done and its state then.
    fn rows(
        &self,
        _solver: &Solver<'_>,
        _layout: &Layout,
        _convention: Convention,
        _limits: &Limits,
        _from: Option<(u64, &[u8])>,
        _sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        Err(Failure::Cannot {
            engine: self.name(),
            reason: "it does not find rows".to_owned(),
        })
    }

    /// Makes ready to answer about a position and what can be reached from it.
    fn oracle<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        asked: Asked,
        limits: &Limits,
    ) -> Result<Box<dyn Oracle + 's>, Failure>;
}

/// Answers about single positions.
pub trait Oracle {
    /// The Grundy value, or 0 for P and 1 for N where outcomes are asked for.
    fn value(&mut self, position: &[u64]) -> Result<u64, Failure>;

    /// Every option that is a P-position, ascending.
    fn winning_moves(
        &mut self,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, Failure> {
        self.moves_to(0, solver, position, limits)
    }

    /// Every option of this value, ascending: in a sum these are the moves
    /// that win against a rest of this value.
    fn moves_to(
        &mut self,
        wanted: u64,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, Failure> {
        let mut found = BTreeSet::new();
        let mut failure = None;
        Walker::new(&solver.graph, &[])
            .until(limits)
            .options(position, 0, &mut |option, _| match self.value(option) {
                Ok(value) if value == wanted => {
                    found.insert(option.to_vec());
                    ControlFlow::Continue(())
                }
                Ok(_) => ControlFlow::Continue(()),
                Err(met) => {
                    failure = Some(met);
                    ControlFlow::Break(())
                }
            })
            .map_err(|stop| Failure::of(stop, position))?;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(found.into_iter().collect()),
        }
    }
}

/// The engines, the best first.
pub const ENGINES: [&dyn Engine; 9] = [
    &arcs::Arcs,
    &nim_sum::NimSum,
    &hypergraph::Hypergraph,
    &vectors::Vectors,
    &plain::Plain,
    &parts::Parts,
    &quotient::ByQuotient,
    &memo::Memo,
    &retrograde::Retrograde,
];

/// The engine chosen, and those passed over with the reason.
pub struct Choice {
    pub engine: &'static dyn Engine,
    pub passed_over: Vec<(&'static str, String)>,
}

/// Chooses the engine for a question; a forced one never falls back.
pub fn choose(solver: &Solver<'_>, asked: Asked, forced: Option<&str>) -> Result<Choice, Failure> {
    choose_among(solver, asked, forced, &[], &|_| Ok(()))
}

/// Engines that seemed to be able and then refused, with the reason.
type Refused = [(&'static str, String)];

/// Can the engine answer, as far as is known?
fn may_answer(
    engine: &dyn Engine,
    solver: &Solver<'_>,
    asked: Asked,
    refused: &Refused,
) -> Result<(), String> {
    match refused.iter().find(|(name, _)| *name == engine.name()) {
        Some((_, reason)) => Err(reason.clone()),
        None => engine.can(solver, asked),
    }
}

/// Chooses among the engines that have not refused and that suit besides.
fn choose_among(
    solver: &Solver<'_>,
    asked: Asked,
    forced: Option<&str>,
    refused: &Refused,
    suits: &dyn Fn(&dyn Engine) -> Result<(), String>,
) -> Result<Choice, Failure> {
    if solver.game.field == Field::Reals {
        return Err(Failure::Reals);
    }
    if asked.question == Question::Grundy
        && let Some(reason) = solver.game.no_values()
    {
        return Err(Failure::NoValues { reason });
    }
    let mut passed_over = Vec::new();
    for engine in ENGINES {
        if forced.is_some_and(|name| name != engine.name())
            || (forced.is_none() && !engine.concerns(solver.game))
        {
            continue;
        }
        match may_answer(engine, solver, asked, refused).and_then(|()| suits(engine)) {
            Ok(()) => {
                return Ok(Choice {
                    engine,
                    passed_over,
                });
            }
            Err(reason) if forced.is_some() => {
                return Err(Failure::Cannot {
                    engine: engine.name(),
                    reason,
                });
            }
            Err(reason) => passed_over.push((engine.name(), reason)),
        }
    }
    Err(Failure::Cannot {
        engine: "?",
        reason: match forced {
            Some(name) => format!("there is no engine `{name}`"),
            None => "no engine is left".to_owned(),
        },
    })
}

/// Answers for every position of the box whose heaps are at most `most`.
pub fn fill(
    solver: &Solver<'_>,
    most: &[u64],
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Table, Failure> {
    let choice = choose(solver, asked, forced)?;
    let needed = choice.engine.bytes_for(solver, most, asked);
    let shape = Shape::new(most).filter(|_| needed <= u128::from(limits.memory));
    match shape {
        Some(shape) => choice.engine.fill(solver, &shape, asked, limits),
        None => Err(Failure::Memory {
            needed,
            limit: limits.memory,
        }),
    }
}

/// Answers for every position of a region.
pub fn fill_region(
    solver: &Solver<'_>,
    region: &Region,
    asked: Asked,
    limits: &Limits,
    forced: Option<&str>,
) -> Result<Table, Failure> {
    match region {
        Region::Box(shape) => fill(solver, &shape.most, asked, limits, forced),
        Region::Listed(listed) => {
            let mut refused = Vec::new();
            loop {
                let engine = choose_among(solver, asked, forced, &refused, &|_| Ok(()))?.engine;
                match engine.fill_listed(solver, listed, asked, limits) {
                    Err(Failure::Cannot { reason, .. }) if forced.is_none() => {
                        refused.push((engine.name(), reason));
                    }
                    settled => return settled,
                }
            }
        }
        Region::Places(places) => choose(solver, asked, forced)?
            .engine
            .fill_places(solver, places, asked, limits),
    }
}
