//! Misère play of heap games by the misère quotient of their heaps (Plambeck and
//! Siegel 2008; "misère quotient" in `docs/src/glossary.md`).
//!
//! If every move changes a single heap and reads no other, a position is a
//! disjunctive sum of heaps, and a finite misère quotient of the heaps that occur
//! determines the outcome of every sum of them. The engine searches for the quotient
//! within fixed limits, and otherwise fails with [`SolveError::Cannot`], so that the
//! next engine is tried.
//!
//! Heaps are numbered by size, heaps of equal size by the index of their kind; every
//! move must replace a heap by heaps of smaller numbers.

use super::{
    Engine, Limits, Lookup, PositionList, Query, Question, Scope, Shape, SolveError, Solver, Table,
};
use nimrule_ir::{HeapRule, Removes, Walker};
use nimrule_limits::{LimitExceeded, Steps};
use nimrule_model::game::{Convention, PositionKind};
use nimrule_quotient::{self as quotient, Heaps, MoveBounds, NotSmaller, SearchResult, StopReason};
use nimrule_sequence::ENDLESS;
use std::ops::ControlFlow;

/// The engine that computes misère quotients; see the [module](self).
pub struct MisereQuotient;

/// The largest order of a quotient. The computation of a larger one takes longer than
/// a search.
const MOST_ELEMENTS: usize = 300;

/// The time limit of the search, if the user sets none.
const SEARCH_WORK: Steps = Steps::million(4);

/// An estimate of the memory of an option, in bytes, without four bytes for each of
/// its heaps.
const BYTES_PER_OPTION: u128 = 80;

const NAME: &str = "quotient";

fn cannot(reason: impl Into<String>) -> SolveError {
    SolveError::Cannot {
        engine: NAME,
        reason: reason.into(),
    }
}

/// The numbering of the heaps of a game, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbering {
    kinds: u64,
}

impl Numbering {
    /// The numbering of a game's heaps.
    ///
    /// # Errors
    ///
    /// Why positions are not sums of heaps with the same moves, as a clause.
    pub fn of(solver: &Solver<'_>) -> Result<Numbering, String> {
        let game = solver.game;
        solver.is_impartial_and_ends()?;
        let rules = solver.profile.heap_rules.as_ref().map_err(Clone::clone)?;
        match &game.position_kind {
            PositionKind::Multiset(kinds) => Ok(Numbering {
                kinds: kinds.count(),
            }),
            PositionKind::Heaps if rules.rules.len() == 1 => Ok(Numbering { kinds: 1 }),
            PositionKind::Heaps => Err("its heaps have different moves".to_owned()),
            _ => Err("its positions are not heaps of tokens".to_owned()),
        }
    }

    /// The number of kinds of heaps.
    pub fn kinds(self) -> u64 {
        self.kinds
    }

    /// The number of a heap, given by its code in positions.
    pub fn number(self, heap: u64) -> u32 {
        u32::try_from(heap + 1 - self.kinds).unwrap_or(u32::MAX)
    }

    /// The code of the heap with this number.
    pub fn heap(self, number: u32) -> u64 {
        u64::from(number) + self.kinds - 1
    }

    /// The largest number of a heap of size `to`.
    fn last(self, to: u64) -> Result<u32, SolveError> {
        to.checked_mul(self.kinds)
            .and_then(|last| u32::try_from(last).ok())
            .ok_or_else(|| cannot(format!("heaps of {to} are too large to be listed")))
    }
}

/// The options of the heaps of the sizes 1 to `to`.
///
/// # Errors
///
/// [`SolveError::Cannot`] if positions are not sums of heaps, or a move does not lead
/// to smaller heaps; exceeded limits and faults of the rule.
pub fn heaps(solver: &Solver<'_>, to: u64, limits: &Limits) -> Result<Heaps, SolveError> {
    let numbering = Numbering::of(solver).map_err(cannot)?;
    let last = numbering.last(to)?;
    let mut walker = Walker::new(&solver.graph, &[]).until(limits);
    let mut options = Vec::new();
    let mut held = 0;
    for number in 1..=last {
        limits.check_time()?;
        let heap = numbering.heap(number);
        let position = match solver.game.position_kind {
            PositionKind::Multiset(_) => vec![heap],
            _ => {
                let mut position = vec![0; solver.graph.heaps];
                position[0] = heap;
                position
            }
        };
        let mut of_heap: Vec<Vec<u32>> = Vec::new();
        let before = held;
        let too_many = walker
            .options(&position, 0, &mut |option, _| {
                let left = option.iter().filter(|heap| **heap > 0);
                let left: Vec<u32> = left.map(|heap| numbering.number(*heap)).collect();
                held += BYTES_PER_OPTION + 4 * left.len() as u128;
                of_heap.push(left);
                match limits.check_memory(held) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, &position))?;
        if too_many {
            return Err(SolveError::Memory {
                needed: held,
                limit: limits.memory,
            });
        }
        // A walk may visit an option more than once.
        of_heap.sort_unstable();
        of_heap.dedup();
        let kept = of_heap.iter().map(|left| 4 * left.len() as u128);
        held = before + kept.map(|bytes| bytes + BYTES_PER_OPTION).sum::<u128>();
        options.push(of_heap);
    }
    Heaps::new(&options).map_err(|NotSmaller { heap, part }| {
        let shown = |number| match &solver.game.position_kind {
            PositionKind::Multiset(_) => solver.game.shown(&[numbering.heap(number)]),
            _ => number.to_string(),
        };
        cannot(format!(
            "a move turns {} into {}, which is not smaller",
            shown(heap),
            shown(part)
        ))
    })
}

/// Searches for the misère quotient of the heaps of the sizes 1 to `to`, with at
/// most `most` elements.
///
/// # Errors
///
/// The errors of [`heaps`].
pub fn find(
    solver: &Solver<'_>,
    to: u64,
    most: usize,
    limits: &Limits,
) -> Result<SearchResult, SolveError> {
    Ok(quotient::find(&heaps(solver, to, limits)?, most, limits))
}

/// Bounds on what a move does to a heap, if they hold for heaps of all sizes: on the
/// number of tokens taken and on the number of heaps left. `None` if there are none.
pub fn move_bounds(solver: &Solver<'_>) -> Option<MoveBounds> {
    let [HeapRule::Moves(ways)] = solver.profile.heap_rules.as_ref().ok()?.rules.as_slice() else {
        return None;
    };
    let mut bounds = MoveBounds {
        most_taken: 0,
        most_left: 1,
    };
    for kind_move in ways {
        let way = &kind_move.way;
        // Whether a heap has distinct parts depends on its size.
        if kind_move.removes != Removes::AsListed || way.distinct {
            return None;
        }
        let taken = way.removes.last().map_or(0, |(_, last)| *last);
        if taken == ENDLESS {
            return None;
        }
        bounds.most_taken = bounds.most_taken.max(u32::try_from(taken).ok()?);
        bounds.most_left = bounds.most_left.max(way.leaves.1);
    }
    Some(bounds)
}

impl Engine for MisereQuotient {
    fn name(&self) -> &'static str {
        NAME
    }

    fn can(&self, solver: &Solver<'_>, query: Query) -> Result<(), String> {
        if query.convention == Convention::Normal {
            return Err("only for misere play".to_owned());
        }
        if query.question == Question::Grundy {
            return Err("it computes outcomes, not Grundy values".to_owned());
        }
        if !matches!(solver.game.position_kind, PositionKind::Multiset(_)) {
            return Err("the heaps are not a multiset".to_owned());
        }
        Numbering::of(solver).map(|_| ())
    }

    fn bytes(&self, _solver: &Solver<'_>, most: &[u64], _query: Query) -> u128 {
        Shape::count(most)
    }

    fn scope(&self) -> Scope {
        Scope::Summands
    }

    /// The heaps may have no finite quotient, or the search may exceed its limits.
    fn is_certain(&self) -> bool {
        false
    }

    fn operations(&self, _solver: &Solver<'_>, _most: &[u64], _query: Query) -> Option<u128> {
        None
    }

    /// The search checks its limits itself.
    fn bytes_of_one(&self, _solver: &Solver<'_>, _position: &[u64], _query: Query) -> u128 {
        1 << 20
    }

    fn fill_list(
        &self,
        solver: &Solver<'_>,
        listed: &PositionList,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        // The quotient of the largest heap of all positions suffices for all.
        let largest = listed.positions.iter().flatten().max().copied();
        let largest: Vec<u64> = largest.into_iter().collect();
        let mut lookup = self.lookup(solver, &largest, query, limits)?;
        let mut values = Vec::with_capacity(listed.positions.len());
        for position in &listed.positions {
            limits.check_time()?;
            values.push(lookup.value(position)?);
        }
        Ok(Table::listed(listed.clone(), &values, query, self.name()))
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        _query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        let numbering = Numbering::of(solver).map_err(cannot)?;
        let largest = position.iter().max().copied().unwrap_or(0);
        let to = largest / numbering.kinds;
        let limits = limits.for_attempt().or_work(SEARCH_WORK);
        let found = match find(solver, to, MOST_ELEMENTS, &limits) {
            Ok(found) => found,
            Err(met @ (SolveError::Memory { .. } | SolveError::Work { .. })) => {
                return Err(cannot(format!(
                    "the heaps up to {to} are not listed: {met}"
                )));
            }
            Err(failure) => return Err(failure),
        };
        match found.stopped {
            None => Ok(Box::new(QuotientLookup {
                numbering,
                quotient: found.quotient,
            })),
            Some((_, StopReason::Limit(met @ (LimitExceeded::Time | LimitExceeded::Stopped)))) => {
                Err(met.into())
            }
            Some((_, stopped)) => Err(cannot(format!(
                "no quotient of the heaps up to {to} is known: {stopped}"
            ))),
        }
    }
}

/// The lookup of outcomes in a quotient.
struct QuotientLookup {
    numbering: Numbering,
    quotient: quotient::Quotient,
}

impl Lookup for QuotientLookup {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        let heaps = position.iter().map(|heap| self.numbering.number(*heap));
        let sum: Vec<u32> = heaps.collect();
        match self.quotient.is_p(&sum) {
            Some(is_p) => Ok(u64::from(!is_p)),
            None => Err(cannot("the position has larger heaps than the quotient")),
        }
    }
}
