//! The move digraph of a game: its vertices are the positions, its arcs the moves.
//!
//! A set of P-positions that is consistent with the moves is a kernel of this
//! digraph; there may be one, several or none ([`nimrule_relation::kernels`]). A
//! game on a digraph is represented by all its positions; a game with heaps by the
//! positions up to a size, which suffices if moves only lower heaps.
//!
//! Source: Swenberg, *Nim and other games* (2021). See "kernel of a digraph" in
//! `docs/src/glossary.md`.

use crate::{Limits, Region, SolveError, Solver, Work};
use nimrule_ir::Walker;
use nimrule_model::digraph::Digraph;
use nimrule_relation::{BuildError, Relation};
use std::ops::ControlFlow;
use std::sync::Arc;

/// The positions and moves of a game, as a relation on states.
pub struct MoveDigraph {
    states: StateEncoding,
    /// The range of the positions, as a phrase.
    pub words: String,
    /// The range of the positions, for "holds to".
    pub to: u64,
    /// Whether these are all positions of the game.
    pub are_all: bool,
}

/// The positions that the states stand for.
enum StateEncoding {
    /// One token: the state is its vertex.
    Vertices(Arc<Digraph>),
    Positions {
        relation: Relation,
        region: Region,
        /// The places in the region that are positions.
        places: Vec<u32>,
    },
}

/// The error of a game whose move digraph is not supported.
fn cannot(reason: impl Into<String>) -> SolveError {
    SolveError::Cannot {
        engine: "structures",
        reason: reason.into(),
    }
}

impl MoveDigraph {
    /// The move digraph of a game; for heaps, of sizes up to `most`.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::move_digraph::MoveDigraph;
    /// use nimrule_engine::{Limits, Solver};
    ///
    /// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
    /// let solver = Solver::new(&nim);
    /// let digraph = MoveDigraph::new(&solver, 1, &Limits::of_memory(1 << 20)).unwrap();
    /// assert_eq!(digraph.relation().states(), 4);
    /// let both = digraph.state(&[1, 1]).unwrap();
    /// assert_eq!(digraph.relation().from(both).len(), 2);
    /// ```
    pub fn new(solver: &Solver<'_>, most: u64, limits: &Limits) -> Result<MoveDigraph, SolveError> {
        let game = solver.game;
        SolveError::check_kind(game)?;
        if game.has_sides() {
            return Err(cannot("each side has moves of its own"));
        }
        let Some(digraph) = game.digraph() else {
            let region = solver.region(most, limits)?;
            return of_region(solver, region, limits);
        };
        if game.heap_count() == 1 && matches!(solver.profile.slides_one.as_deref(), Ok([true])) {
            return Ok(MoveDigraph {
                states: StateEncoding::Vertices(digraph.clone()),
                words: "all positions".to_owned(),
                to: digraph.len() as u64 - 1,
                are_all: true,
            });
        }
        // Moves may lead to any vertex, so that no subset is closed.
        let region = solver.region(digraph.len() as u64 - 1, limits)?;
        of_region(solver, region, limits)
    }

    /// The moves as a relation on states.
    pub fn relation(&self) -> &Relation {
        match &self.states {
            StateEncoding::Vertices(digraph) => &digraph.relation,
            StateEncoding::Positions { relation, .. } => relation,
        }
    }

    /// The position of a state.
    pub fn position(&self, state: usize) -> Vec<u64> {
        match &self.states {
            StateEncoding::Vertices(digraph) => vec![digraph.number(state)],
            StateEncoding::Positions { region, places, .. } => region.at(places[state] as usize),
        }
    }

    /// The state of a position.
    pub fn state(&self, position: &[u64]) -> Option<usize> {
        match &self.states {
            StateEncoding::Vertices(digraph) => digraph.state(*position.first()?),
            StateEncoding::Positions { region, places, .. } => {
                let place = region.place(position)? as u32;
                places.binary_search(&place).ok()
            }
        }
    }
}

fn of_region(
    solver: &Solver<'_>,
    region: Region,
    limits: &Limits,
) -> Result<MoveDigraph, SolveError> {
    const MOST: usize = nimrule_relation::MOST_STATES;
    if region.count() > MOST {
        return Err(SolveError::Memory {
            needed: region.count() as u128 * 16,
            limit: limits.memory,
        });
    }
    let mut walker = Walker::new(&solver.graph, &[]).until(limits);
    let mut places: Vec<u32> = Vec::new();
    limits.begin(Work::Listing, Some(region.count() as u64));
    region.try_each(|position, place| {
        if place % 1024 == 0 {
            limits.check_time_at(place as u64)?;
        }
        let is_position = walker.is_position(position);
        if is_position.map_err(|fault| SolveError::Fault {
            fault,
            position: position.to_vec(),
        })? {
            places.push(place as u32);
        }
        Ok::<(), SolveError>(())
    })?;
    let all = places.len() == region.count();
    let state_at = |place: usize| match all {
        true => Some(place as u32),
        false => places.binary_search(&(place as u32)).ok().map(|s| s as u32),
    };
    let room = limits.memory / 8;
    let mut arcs = 0_u64;
    let mut options: Vec<u32> = Vec::new();
    let built = Relation::build(places.len(), |state, visit| {
        let position = region.at(places[state as usize] as usize);
        options.clear();
        let mut left = None;
        walker
            .options(&position, 0, &mut |option, _| {
                match region.place(option).and_then(state_at) {
                    Some(state) => options.push(state),
                    None => left = Some(option.to_vec()),
                }
                match left {
                    None => ControlFlow::Continue(()),
                    Some(_) => ControlFlow::Break(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, &position))?;
        if let Some(option) = left {
            return Err(cannot(format!(
                "a move leads from {} to {}, outside the enumerated positions",
                solver.game.shown(&position),
                solver.game.shown(&option)
            )));
        }
        options.sort_unstable();
        options.dedup();
        arcs += options.len() as u64;
        if arcs > room {
            return Err(SolveError::Memory {
                needed: u128::from(limits.memory) + 1,
                limit: limits.memory,
            });
        }
        options.iter().copied().for_each(visit);
        Ok(())
    });
    let relation = built.map_err(|failed| match failed {
        BuildError::Source(failure) => failure,
        BuildError::TooManyArcs => SolveError::Memory {
            needed: u128::from(limits.memory) + 1,
            limit: limits.memory,
        },
    })?;
    Ok(MoveDigraph {
        words: region.words(solver.game),
        to: region.to(solver.game),
        are_all: region.are_all(solver.game),
        states: StateEncoding::Positions {
            relation,
            region,
            places,
        },
    })
}
