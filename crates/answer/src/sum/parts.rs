//! Canonical positions of a sum, as keys of the searches.
//!
//! A position of the sum is the positions of its parts, each up to the symmetries
//! of its game, with parts of one game in any order.

use super::Part;
use nimrule_engine::Solver;
use nimrule_ir::MoveGraph;
use nimrule_model::game::Side;
use smallvec::SmallVec;
use std::ops::Range;

/// The positions of the parts in sequence, each preceded by its length.
pub type Key = SmallVec<[u64; 12]>;

pub type Position = SmallVec<[u64; 8]>;

/// The largest number of symmetries for which canonical forms are computed.
const FEW_SYMMETRIES: u128 = 1000;

/// The distinct games of the sum. Parts are ordered by their games here.
pub struct Games<'s> {
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
    pub fn of(components: &[Part<'s>]) -> Games<'s> {
        let mut found = Games {
            games: Vec::new(),
            places: Vec::new(),
        };
        for part in components {
            let solver = part.solver;
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
                solver,
                parts: first..found.places.len(),
                canonical: has_few_symmetries(solver),
            });
        }
        found
    }

    /// The key of a sum whose parts are in the order of the sum.
    pub fn key_of(&self, sum: &[Vec<u64>]) -> Key {
        let mut parts = Vec::with_capacity(sum.len());
        for game in &self.games {
            let own = &self.places[game.parts.clone()];
            parts.extend(own.iter().map(|place| game.canonical(&sum[*place])));
        }
        self.key(&parts)
    }

    /// The key of a sum whose parts are ordered by game and canonical.
    pub fn key(&self, parts: &[Position]) -> Key {
        let mut key = Key::new();
        let mut order: SmallVec<[&Position; 8]> = SmallVec::new();
        for game in &self.games {
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
}

impl<'s> GameParts<'s> {
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
