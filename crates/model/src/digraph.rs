//! Digraphs with named vertices: boards on which tokens slide along arcs.
//!
//! A position has one number for each token: the vertex that the token is on.
//! If all vertices are natural numbers, a vertex's number is the vertex itself;
//! otherwise it is the vertex's index, counted from 0. The states of the
//! relation are the indices of the vertices.

mod file;

pub use file::{ArcList, FileError, read};

use nimrule_relation::Relation;
use std::fmt;

/// A digraph: vertices with names, and the arcs between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digraph {
    /// The arcs between the indices of the vertices.
    pub relation: Relation,
    /// The names of the vertices by index.
    pub vertices: Vertices,
}

/// The names of the vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vertices {
    /// Natural numbers, ascending.
    Numbers(Vec<u64>),
    /// Words, in the order of their first occurrence.
    Names(NameTable),
    /// Tuples of coordinates: all combinations of their values, the last
    /// coordinate changing fastest.
    Coordinates(Vec<Coordinate>),
}

/// A list of distinct names with an index for look-up by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTable {
    names: Vec<String>,
    /// The indices of the names in lexicographic order.
    sorted: Vec<u32>,
}

impl NameTable {
    /// A table of names, which must be distinct.
    pub fn new(names: Vec<String>) -> NameTable {
        // INVARIANT: a relation has fewer states than 32 bits can count.
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]));
        NameTable { names, sorted }
    }

    /// The index of a name.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.sorted
            .binary_search_by(|at| self.names[*at as usize].as_str().cmp(name))
            .ok()
            .map(|at| self.sorted[at] as usize)
    }

    /// The names by index.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// A coordinate of the vertices: its values are `count` consecutive integers
/// from `first` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinate {
    /// The name of the coordinate, by which a rule refers to it.
    pub name: String,
    /// The smallest value.
    pub first: i64,
    /// The number of values, at least 1.
    pub count: usize,
    /// The difference between the indices of vertices whose values of this
    /// coordinate differ by 1.
    pub stride: usize,
}

impl Coordinate {
    /// The value of the coordinate at the vertex with this index.
    pub fn value(&self, index: usize) -> i64 {
        self.first + (index / self.stride % self.count) as i64
    }

    /// The largest value.
    pub fn last(&self) -> i64 {
        self.first + self.count as i64 - 1
    }
}

impl Digraph {
    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.relation.states()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state, that is the index, of the vertex with this number.
    pub fn state(&self, number: u64) -> Option<usize> {
        match &self.vertices {
            Vertices::Numbers(numbers) => {
                // Fast path: usually the vertices are 0, 1, 2, …
                let place = usize::try_from(number).ok()?;
                match numbers.get(place) {
                    Some(found) if *found == number => Some(place),
                    _ => numbers.binary_search(&number).ok(),
                }
            }
            Vertices::Coordinates(coordinates) if self.has_single_coordinate() => {
                let place = i64::try_from(number)
                    .ok()?
                    .checked_sub(coordinates[0].first)?;
                usize::try_from(place).ok().filter(|at| *at < self.len())
            }
            Vertices::Names(_) | Vertices::Coordinates(_) => {
                usize::try_from(number).ok().filter(|at| *at < self.len())
            }
        }
    }

    /// The number that represents a state in a position.
    pub fn number(&self, state: usize) -> u64 {
        match &self.vertices {
            Vertices::Numbers(numbers) => numbers[state],
            Vertices::Coordinates(coordinates) if self.has_single_coordinate() => {
                // INVARIANT: a single coordinate has no negative values.
                coordinates[0].first as u64 + state as u64
            }
            Vertices::Names(_) | Vertices::Coordinates(_) => state as u64,
        }
    }

    /// Whether the vertices are natural numbers, so that a vertex's number is the
    /// vertex itself.
    pub fn has_numbers(&self) -> bool {
        matches!(self.vertices, Vertices::Numbers(_)) || self.has_single_coordinate()
    }

    /// Whether the vertices have exactly one coordinate, and so are numbers.
    fn has_single_coordinate(&self) -> bool {
        matches!(&self.vertices, Vertices::Coordinates(coordinates) if coordinates.len() == 1)
    }

    /// The coordinates, if the vertices are tuples.
    pub fn coordinates(&self) -> &[Coordinate] {
        match &self.vertices {
            Vertices::Coordinates(coordinates) => coordinates,
            _ => &[],
        }
    }

    /// The values of the coordinates at a state.
    pub fn values(&self, state: usize) -> Vec<i64> {
        self.coordinates().iter().map(|c| c.value(state)).collect()
    }

    /// The state with these coordinates.
    pub fn state_of(&self, values: &[i64]) -> Option<usize> {
        let coordinates = self.coordinates();
        if values.len() != coordinates.len() || values.is_empty() {
            return None;
        }
        let mut state = 0;
        for (value, coordinate) in values.iter().zip(coordinates) {
            if !(coordinate.first..=coordinate.last()).contains(value) {
                return None;
            }
            state += (value - coordinate.first) as usize * coordinate.stride;
        }
        Some(state)
    }

    /// The number of the vertex with this name, if vertices are words.
    pub fn named(&self, name: &str) -> Option<u64> {
        match &self.vertices {
            Vertices::Names(names) => names.index(name).map(|place| place as u64),
            Vertices::Numbers(_) | Vertices::Coordinates(_) => None,
        }
    }

    /// The vertex in the syntax of the language.
    pub fn shown(&self, state: usize) -> String {
        match &self.vertices {
            Vertices::Names(names) => names.names[state].clone(),
            Vertices::Coordinates(coordinates) if coordinates.len() > 1 => {
                let values: Vec<String> =
                    self.values(state).iter().map(ToString::to_string).collect();
                format!("({})", values.join(","))
            }
            Vertices::Numbers(_) | Vertices::Coordinates(_) => self.number(state).to_string(),
        }
    }

    /// The memory that the arcs take.
    pub fn bytes(&self) -> u64 {
        self.relation.bytes()
    }

    /// A shortest cycle through the vertex at which a depth-first search first
    /// finds a cycle; `None` if the digraph is acyclic.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let on_cycle = state_on_a_cycle(&self.relation)?;
        Some(shortest_cycle(&self.relation, on_cycle))
    }
}

impl fmt::Display for Digraph {
    /// The numbers of vertices and arcs: `3 vertices, 2 arcs`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = |count: usize, word: &str, words: &str| match count {
            1 => format!("1 {word}"),
            _ => format!("{count} {words}"),
        };
        write!(
            f,
            "{}, {}",
            plural(self.len(), "vertex", "vertices"),
            plural(self.relation.arcs(), "arc", "arcs"),
        )
    }
}

/// A state on a cycle, by depth-first search; `None` if there is no cycle.
fn state_on_a_cycle(relation: &Relation) -> Option<usize> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    if relation.is_monotone() {
        return None;
    }
    let mut marks = vec![NEW; relation.states()];
    // The path from the root, with the number of arcs visited of each state.
    let mut path: Vec<(u32, u32)> = Vec::new();
    for root in 0..relation.states() {
        if marks[root] != NEW {
            continue;
        }
        marks[root] = OPEN;
        path.push((root as u32, 0));
        while let Some((state, next)) = path.last_mut() {
            match relation.from(*state as usize).get(*next as usize) {
                Some(target) => {
                    *next += 1;
                    let target = *target as usize;
                    match marks[target] {
                        NEW => {
                            marks[target] = OPEN;
                            path.push((target as u32, 0));
                        }
                        OPEN => return Some(target),
                        _ => {}
                    }
                }
                None => {
                    marks[*state as usize] = DONE;
                    path.pop();
                }
            }
        }
    }
    None
}

/// A shortest cycle through a state, by breadth-first search. The state is the
/// first entry and is not repeated at the end.
fn shortest_cycle(relation: &Relation, state: usize) -> Vec<usize> {
    const NOWHERE: u32 = u32::MAX;
    let mut came_from = vec![NOWHERE; relation.states()];
    let mut queue = vec![state as u32];
    let mut at = 0;
    while let Some(here) = queue.get(at).copied() {
        at += 1;
        for target in relation.from(here as usize) {
            if *target as usize == state {
                let mut cycle = vec![here as usize];
                while let Some(last) = cycle.last().filter(|last| **last != state) {
                    cycle.push(came_from[*last] as usize);
                }
                cycle.reverse();
                return cycle;
            }
            if came_from[*target as usize] == NOWHERE {
                came_from[*target as usize] = here;
                queue.push(*target);
            }
        }
    }
    vec![state]
}
