//! The difference between two games at a position, under a matching.

use super::Matching;
use crate::smallest::for_each_of_total;
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_ir::{self as ir, MoveGraph, Walker};
use nimrule_model::expr::{Environment, PlacedFault};
use nimrule_model::game::{Game, SameAs};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// A difference between the games at a position.
#[derive(Debug, Clone)]
pub(super) enum Difference {
    /// The other game has more heaps that may have tokens.
    TooFew,
    /// A heap without a partner has tokens.
    NoPartner(usize),
    /// The image is not a position.
    NotThere,
    /// The image is a position, but the position is not in the sub-game.
    NotHere,
    /// An option is not in the sub-game.
    Leaves(Vec<u64>),
    /// An option, and its image that is not an option.
    OnlyHere(Vec<u64>, Vec<u64>),
    /// The preimage of an option that is not an option.
    OnlyThere(Vec<u64>, Vec<u64>),
    /// The numbers of options with tokens on unmatched heaps differ.
    Count,
}

/// A game with a cache of options.
pub(super) struct Side<'s> {
    game: &'s Game,
    graph: MoveGraph,
    known: BTreeMap<Vec<u64>, Vec<Vec<u64>>>,
}

/// The largest number of positions in the cache.
pub(super) const MAX_CACHED_POSITIONS: usize = 20_000;

/// The bytes of a position in the cache, with its allocation.
pub(super) fn bytes_of_a_position(heaps: usize) -> u128 {
    (size_of::<Vec<u64>>() + 8 * heaps + 16) as u128
}

impl<'s> Side<'s> {
    pub fn new(game: &'s Game, graph: MoveGraph) -> Side<'s> {
        Side {
            game,
            graph,
            known: BTreeMap::new(),
        }
    }

    pub fn is_position(&self, position: &[u64]) -> Result<bool, SolveError> {
        Walker::new(&self.graph, &[])
            .is_position(position)
            .map_err(|fault| at(fault, position).in_game(self.game))
    }

    /// The options in ascending order.
    pub fn options(
        &mut self,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, SolveError> {
        if let Some(known) = self.known.get(position) {
            return Ok(known.clone());
        }
        let mut options = Vec::new();
        Walker::new(&self.graph, &[])
            .until(limits)
            .options(position, 0, &mut |option, _| {
                options.push(option.to_vec());
                ControlFlow::Continue(())
            })
            .map_err(|stop| SolveError::of(stop, position).in_game(self.game))?;
        options.sort_unstable();
        options.dedup();
        if self.known.len() < MAX_CACHED_POSITIONS {
            self.known.insert(position.to_vec(), options.clone());
        }
        Ok(options)
    }
}

pub(super) fn at(fault: PlacedFault, position: &[u64]) -> SolveError {
    SolveError::Fault {
        fault,
        position: position.to_vec(),
    }
}

pub(super) struct Sides<'s> {
    claimed: &'s SameAs,
    solver: &'s Solver<'s>,
    here: Side<'s>,
    there: Side<'s>,
    /// The heaps that may have tokens in the sub-game.
    pub free: Vec<usize>,
    locals: Vec<i64>,
    limits: Limits,
}

impl<'s> Sides<'s> {
    pub fn new(
        solver: &'s Solver<'s>,
        claimed: &'s SameAs,
        free: Vec<usize>,
        limits: &Limits,
    ) -> Sides<'s> {
        Sides {
            claimed,
            solver,
            here: Side::new(solver.game, solver.graph.clone()),
            there: Side::new(&claimed.other, ir::lower(&claimed.other)),
            free,
            locals: vec![0; solver.game.slots],
            limits: limits.clone(),
        }
    }

    pub fn heaps_here(&self) -> usize {
        self.solver.game.heap_count()
    }

    pub fn heaps_there(&self) -> usize {
        self.claimed.other.heap_count()
    }

    /// Whether this is a position of the sub-game.
    pub fn is_in_subgame(&mut self, position: &[u64]) -> Result<bool, SolveError> {
        let condition = self.claimed.condition.eval(&mut Environment {
            position,
            kinds: &[],
            locals: &mut self.locals,
            picks: &[],
            amounts: &[],
            symmetries: &self.solver.game.facts.symmetries,
            steps: 0,
        });
        Ok(condition.map_err(|fault| at(fault, position))? && self.here.is_position(position)?)
    }

    /// The number of heaps of the other game that have tokens in some position of few tokens.
    pub fn heaps_used_there(&self, most: u64) -> Result<usize, SolveError> {
        let all: Vec<usize> = (0..self.heaps_there()).collect();
        let mut used = vec![false; all.len()];
        let mut position = vec![0; all.len()];
        for tokens in 0..=most {
            for_each_of_total(&all, tokens, &mut position, &mut |position| {
                self.limits.check_time()?;
                let is_new = (used.iter().zip(position)).any(|(used, size)| !used && *size > 0);
                if is_new && self.there.is_position(position)? {
                    for (used, size) in used.iter_mut().zip(position) {
                        *used |= *size > 0;
                    }
                }
                Ok(used.contains(&false))
            })?;
        }
        Ok(used.into_iter().filter(|used| *used).count())
    }

    /// The image of the position under the matching.
    pub fn image(&self, position: &[u64], matching: &Matching) -> Vec<u64> {
        let mut image = vec![0; self.heaps_there()];
        for (size, there) in position.iter().zip(matching) {
            if let Some(there) = there {
                image[*there] = *size;
            }
        }
        image
    }

    /// The difference at a position whose tokens are on matched heaps, or on heaps
    /// that are never matched.
    ///
    /// While some heaps are unmatched, options with tokens on them are only counted.
    pub fn difference(
        &mut self,
        position: &[u64],
        matching: &Matching,
    ) -> Result<Option<Difference>, SolveError> {
        let is_here = self.is_in_subgame(position)?;
        let unmatched = |position: &[u64]| {
            position
                .iter()
                .zip(matching)
                .position(|(size, there)| *size > 0 && there.is_none())
        };
        if let Some(heap) = unmatched(position) {
            return Ok(is_here.then_some(Difference::NoPartner(heap)));
        }
        let image = self.image(position, matching);
        match (is_here, self.there.is_position(&image)?) {
            (false, false) => return Ok(None),
            (true, false) => return Ok(Some(Difference::NotThere)),
            (false, true) => return Ok(Some(Difference::NotHere)),
            (true, true) => {}
        }
        let whole = matching.iter().flatten().count() == self.heaps_there();
        let mut ours: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
        let mut elsewhere = 0_i64;
        for option in self.here.options(position, &self.limits)? {
            if !self.is_in_subgame(&option)? {
                return Ok(Some(Difference::Leaves(option)));
            }
            match unmatched(&option) {
                None => ours.push((self.image(&option, matching), option)),
                Some(heap) if whole || !self.free.contains(&heap) => {
                    return Ok(Some(Difference::NoPartner(heap)));
                }
                Some(_) => elsewhere += 1,
            }
        }
        ours.sort_unstable();
        let mut back: Vec<Option<usize>> = vec![None; self.heaps_there()];
        for (here, there) in matching.iter().enumerate() {
            if let Some(there) = there {
                back[*there] = Some(here);
            }
        }
        let mut ours = ours.into_iter().peekable();
        for theirs in self.there.options(&image, &self.limits)? {
            let matched = theirs
                .iter()
                .zip(&back)
                .all(|(size, here)| *size == 0 || here.is_some());
            if !matched {
                elsewhere -= 1;
                continue;
            }
            match ours.peek() {
                Some((own, _)) if *own == theirs => {
                    ours.next();
                }
                Some((own, option)) if *own < theirs => {
                    return Ok(Some(Difference::OnlyHere(option.clone(), own.clone())));
                }
                _ => {
                    let mut would_be = vec![0; position.len()];
                    for (size, here) in theirs.iter().zip(&back) {
                        if let Some(here) = here {
                            would_be[*here] = *size;
                        }
                    }
                    return Ok(Some(Difference::OnlyThere(would_be, theirs)));
                }
            }
        }
        if let Some((own, option)) = ours.next() {
            return Ok(Some(Difference::OnlyHere(option, own)));
        }
        Ok((elsewhere != 0).then_some(Difference::Count))
    }
}
