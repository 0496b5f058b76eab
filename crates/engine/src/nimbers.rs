//! Positions of heaps of at most one token, as sums of connected components up to
//! isomorphism: the search by nimbers of Lemoine and Viennot ("Nimbers are inevitable", 2012).
//!
//! The moves are compiled to pairs of sets of cells ([`nimrule_ir::set_moves`]). A component is a
//! connected set of cells, and components with isomorphic moves are one component, wherever
//! they lie on the board. Under normal play the Grundy value of a component is not computed
//! but tested: it is the number n for which the sum with a Nim heap of n tokens is P. Of a
//! sum of components only the smaller ones need values; the largest is tested for their
//! nim-sum. Under misère play values do not decide sums, and the outcomes of sums of
//! components are searched.

mod canonical;
mod cells;
mod components;
mod search;

use super::answer;
use super::memo::MemoSearch;
use super::strategy::{CHEAP, work_below};
use super::table::Shape;
use super::{Engine, Limits, Lookup, Query, Question, Scope, SolveError, Solver, Table, Work};
use nimrule_ir::{Fact, SetMove, set_moves};
use nimrule_model::game::Convention;
use search::Search;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The engine that searches by nimbers; see the [module](self).
pub struct NimberEngine;

/// A table of the box below is preferred if it takes at most this many operations: a tenth of
/// a second.
const FEW_OPERATIONS: u128 = CHEAP / 8;

/// The largest table that is kept for later questions, in bytes.
const MOST_KEPT: u64 = 128 << 20;

/// The compiled moves of a game, and the searches that later questions continue.
#[derive(Default)]
struct NimberCache {
    moves: OnceCell<Fact<Vec<SetMove>>>,
    normal: RefCell<Option<Box<dyn Search>>>,
    misere: RefCell<Option<Box<dyn Search>>>,
}

impl NimberCache {
    fn moves(&self, solver: &Solver<'_>) -> &Fact<Vec<SetMove>> {
        self.moves
            .get_or_init(|| set_moves(&solver.graph, &solver.profile))
    }

    fn search(&self, convention: Convention) -> &RefCell<Option<Box<dyn Search>>> {
        match convention {
            Convention::Normal => &self.normal,
            Convention::Misere => &self.misere,
        }
    }
}

fn is_of_cells(position: &[u64]) -> bool {
    position.iter().all(|size| *size <= 1)
}

impl Engine for NimberEngine {
    fn name(&self) -> &'static str {
        "nimbers"
    }

    fn can(&self, solver: &Solver<'_>, query: Query) -> Result<(), String> {
        if query.convention == Convention::Misere && query.question == Question::Grundy {
            return Err("under misere play values do not decide sums".to_owned());
        }
        let cache = solver.cache::<NimberCache>();
        cache
            .moves(solver)
            .as_ref()
            .map(|_| ())
            .map_err(Clone::clone)
    }

    fn suits(
        &self,
        solver: &Solver<'_>,
        position: &[u64],
        _query: Query,
        _limits: &Limits,
    ) -> Result<(), String> {
        if !is_of_cells(position) {
            return Err("a heap has more than one token".to_owned());
        }
        match work_below(solver, position) {
            0..=FEW_OPERATIONS => Err("the box below the position is small".to_owned()),
            _ => Ok(()),
        }
    }

    fn scope(&self) -> Scope {
        Scope::Summands
    }

    fn is_certain(&self) -> bool {
        false
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], query: Query) -> u128 {
        answer::bytes_of_a_box(Shape::count(most), query.question)
    }

    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _query: Query) -> u128 {
        // The table grows with the search, which stops at the limit itself.
        0
    }

    fn operations_of_one(
        &self,
        _solver: &Solver<'_>,
        _position: &[u64],
        _query: Query,
    ) -> Option<u128> {
        None
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        answer::box_by_search(self.name(), solver, shape, query, limits, |memory| {
            let limits = Limits {
                memory,
                ..limits.clone()
            };
            self.lookup(solver, &shape.most, query, &limits)
        })
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        _position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        let cache = solver.cache::<NimberCache>();
        let kept = cache.search(query.convention).take();
        let kept = kept.filter(|search| search.bytes() <= limits.memory / 2);
        let mut search = match kept {
            Some(search) => search,
            None => {
                let moves = cache.moves(solver).as_ref();
                let moves = moves.map_err(|reason| self.cannot(reason.clone()))?;
                search::search(moves, solver.graph.heaps, query.convention)
            }
        };
        search.set_limits(limits);
        limits.begin(Work::Searching, None);
        Ok(Box::new(NimberLookup {
            solver,
            search: Some(search),
            larger: None,
            cache,
            query,
            limits: limits.clone(),
        }))
    }
}

/// The lookup of this engine.
struct NimberLookup<'s, 'g> {
    solver: &'s Solver<'g>,
    /// Present until the lookup is dropped.
    search: Option<Box<dyn Search>>,
    /// The answers about positions with larger heaps, of the memo search.
    larger: Option<Box<dyn Lookup + 's>>,
    cache: Rc<NimberCache>,
    query: Query,
    limits: Limits,
}

impl Drop for NimberLookup<'_, '_> {
    fn drop(&mut self) {
        if let Some(search) = self.search.take()
            && search.bytes() <= MOST_KEPT
        {
            self.cache
                .search(self.query.convention)
                .replace(Some(search));
        }
    }
}

impl Lookup for NimberLookup<'_, '_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        if let Some(search) = &mut self.search
            && is_of_cells(position)
        {
            return Ok(match self.query.question {
                Question::Outcome => u64::from(!search.has_value(position, 0)?),
                Question::Grundy => search.value(position)?,
            });
        }
        let larger = match &mut self.larger {
            Some(larger) => larger,
            None => {
                let memo = MemoSearch.lookup(self.solver, position, self.query, &self.limits)?;
                self.larger.insert(memo)
            }
        };
        larger.value(position)
    }

    fn has_value(&mut self, position: &[u64], value: u64) -> Result<bool, SolveError> {
        match &mut self.search {
            Some(search) if is_of_cells(position) => match self.query.question {
                Question::Outcome => Ok(search.has_value(position, 0)? == (value == 0)),
                Question::Grundy => Ok(search.has_value(position, value)?),
            },
            _ => Ok(self.value(position)? == value),
        }
    }
}
