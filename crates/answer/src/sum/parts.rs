//! Positions of a compound and their moves, for the searches.
//!
//! A position of the compound is the positions of its parts, each up to the symmetries
//! of its game, with parts of one game in any order if the order does not matter. A move
//! of an ordinal sum removes the parts after it, so a position may have fewer parts.

use super::{ComponentMove, Compound, Part, SumMove};
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_ir::{MoveGraph, Walker};
use nimrule_model::game::Side;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::ops::Range;

/// The positions of the parts in sequence, each preceded by its length.
pub type Key = SmallVec<[u64; 12]>;

pub type Position = SmallVec<[u64; 8]>;

/// The largest number of symmetries for which canonical forms are computed.
const FEW_SYMMETRIES: u128 = 1000;

/// The distinct games of the compound; if the order of the parts matters, the game of each
/// part. Parts are ordered by their games here.
pub struct Games<'s> {
    pub compound: Compound,
    pub games: Vec<GameParts<'s>>,
    /// The index in the sum of each part.
    pub places: Vec<usize>,
}

/// The parts of one game.
pub struct GameParts<'s> {
    pub solver: &'s Solver<'s>,
    pub parts: Range<usize>,
    canonical: bool,
}

impl<'s> Games<'s> {
    pub fn of(components: &[Part<'s>], compound: Compound) -> Games<'s> {
        let mut found = Games {
            compound,
            games: Vec::new(),
            places: Vec::new(),
        };
        for (place, part) in components.iter().enumerate() {
            let solver = part.solver;
            if compound.is_ordered() {
                found.places.push(place);
                found.games.push(GameParts {
                    parts: place..place + 1,
                    ..GameParts::alone(solver)
                });
                continue;
            }
            if found.games.iter().any(|g| std::ptr::eq(g.solver, solver)) {
                continue;
            }
            let first = found.places.len();
            let alike = components.iter().enumerate();
            found.places.extend(
                alike
                    .filter(|(_, other)| std::ptr::eq(other.solver, solver))
                    .map(|(place, _)| place),
            );
            found.games.push(GameParts {
                parts: first..found.places.len(),
                ..GameParts::alone(solver)
            });
        }
        found
    }

    /// The key of a sum whose parts are in the order of the sum.
    pub fn key_of(&self, sum: &[Vec<u64>]) -> Key {
        let mut parts = Vec::with_capacity(sum.len());
        for game in &self.games {
            let own = self.places[game.parts.clone()].iter();
            let left = own.filter_map(|place| sum.get(*place));
            parts.extend(left.map(|position| game.canonical(position)));
        }
        self.key(&parts)
    }

    /// The key of a sum whose parts are ordered by game and canonical.
    pub fn key(&self, parts: &[Position]) -> Key {
        let mut key = Key::new();
        let mut order: SmallVec<[&Position; 8]> = SmallVec::new();
        let left = |game: &&GameParts<'_>| game.parts.start < parts.len();
        for game in self.games.iter().take_while(left) {
            order.clear();
            order.extend(&parts[game.parts.clone()]);
            order.sort_unstable();
            for part in &order {
                key.push(part.len() as u64);
                key.extend_from_slice(part);
            }
        }
        key
    }

    /// The parts of a key.
    pub fn parts(&self, key: &[u64]) -> Vec<Position> {
        let mut rest = key;
        let mut parts = Vec::with_capacity(self.places.len());
        while let [length, after @ ..] = rest {
            let (part, next) = after.split_at(*length as usize);
            parts.push(Position::from_slice(part));
            rest = next;
        }
        parts
    }

    /// For each game a walker of the moves of one player.
    pub fn walkers(&self, side: Side, limits: &Limits) -> Vec<Walker<'s>> {
        let graphs = self.games.iter().map(|game| game.graph_of(side));
        graphs
            .map(|graph| Walker::new(graph, &[]).until(limits))
            .collect()
    }

    /// The keys of the options of a key, ascending; `None` if there are more than `most`
    /// before equal ones are counted once.
    pub fn options(
        &self,
        key: &[u64],
        walkers: &mut [Walker<'s>],
        most: usize,
    ) -> Result<Option<Vec<Key>>, SolveError> {
        let parts = self.parts(key);
        let mut held = 0;
        let mut options: Vec<Vec<Position>> = Vec::with_capacity(parts.len());
        for (game, walker) in self.games.iter().zip(walkers) {
            for part in game.parts.clone().take_while(|part| *part < parts.len()) {
                // Equal parts have equal options.
                if part > game.parts.start && parts[part] == parts[part - 1] {
                    options.push(options[part - 1].clone());
                    continue;
                }
                let mut own = Vec::new();
                walker
                    .options(&parts[part], 0, &mut |option, _| {
                        own.push(game.canonical(option));
                        match held + own.len() > most {
                            true => ControlFlow::Break(()),
                            false => ControlFlow::Continue(()),
                        }
                    })
                    .map_err(|stop| SolveError::of(stop, &parts[part]).in_game(game.solver.game))?;
                own.sort_unstable();
                own.dedup();
                held += own.len();
                options.push(own);
                if held > most {
                    return Ok(None);
                }
            }
        }
        let counts: Vec<usize> = options.iter().map(Vec::len).collect();
        let mut keys: Vec<Key> = Vec::new();
        let all = self.compound.each_move(&counts, &mut |made| {
            let mut after = parts.clone();
            for (part, option) in made.iter().enumerate() {
                if let Some(option) = option {
                    after[part].clone_from(&options[part][*option]);
                }
            }
            after.truncate(self.compound.left(made));
            keys.push(self.key(&after));
            match keys.len() > most {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if all.is_break() {
            return Ok(None);
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(Some(keys))
    }

    /// Calls `visit` with every move from a sum whose parts are in the order of the sum,
    /// and the sum after it.
    pub fn each_move(
        &self,
        sum: &[Vec<u64>],
        side: Side,
        limits: &Limits,
        visit: &mut dyn FnMut(SumMove, Vec<Vec<u64>>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let mut options: Vec<Vec<Vec<u64>>> = vec![Vec::new(); sum.len()];
        for (game, mut walker) in self.games.iter().zip(self.walkers(side, limits)) {
            for part in game.parts.clone() {
                let place = self.places[part];
                let mut own = BTreeSet::new();
                walker
                    .options(&sum[place], 0, &mut |option, _| {
                        own.insert(option.to_vec());
                        ControlFlow::Continue(())
                    })
                    .map_err(|stop| SolveError::of(stop, &sum[place]).in_game(game.solver.game))?;
                options[place] = own.into_iter().collect();
            }
        }
        let counts: Vec<usize> = options.iter().map(Vec::len).collect();
        let mut result = Ok(());
        let _ = self.compound.each_move(&counts, &mut |made| {
            let mut after = sum.to_vec();
            let mut parts = Vec::new();
            for (component, option) in made.iter().enumerate() {
                if let Some(option) = option {
                    let to = &options[component][*option];
                    after[component].clone_from(to);
                    let to = to.as_slice().into();
                    parts.push(ComponentMove { component, to });
                }
            }
            after.truncate(self.compound.left(made));
            result = visit(SumMove { parts }, after);
            match result.is_err() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        result
    }
}

impl<'s> GameParts<'s> {
    /// The game of the only part.
    pub fn alone(solver: &'s Solver<'s>) -> GameParts<'s> {
        GameParts {
            solver,
            parts: 0..1,
            canonical: has_few_symmetries(solver),
        }
    }

    pub fn canonical(&self, position: &[u64]) -> Position {
        if self.canonical {
            Position::from_vec(self.solver.graph.symmetries.canonical(position))
        } else {
            Position::from_slice(position)
        }
    }

    /// The moves of one player.
    pub fn graph_of(&self, side: Side) -> &'s MoveGraph {
        match (&self.solver.sides, side) {
            (None, _) => &self.solver.graph,
            (Some([left, _]), Side::Left) => left,
            (Some([_, right]), Side::Right) => right,
        }
    }
}

fn has_few_symmetries(solver: &Solver<'_>) -> bool {
    let symmetries = &solver.graph.symmetries;
    let few = |order| order > 1 && order <= FEW_SYMMETRIES;
    // A symmetry that exchanges the players preserves their moves together.
    solver.sides.is_none()
        && (symmetries.order().is_some_and(few)
            || symmetries.interchangeable().iter().any(|c| c.len() > 1))
}
