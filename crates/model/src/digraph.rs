//! Boards whose places are joined by arcs, for tokens that slide along them.
//!
//! A position says of each token on which vertex it stands, by a number: the
//! vertex itself where all vertices are whole numbers, and otherwise its place
//! among them, counted from 0. The states of the relation are the vertices in
//! that order.

mod file;

pub use file::{Arcs, FileError, read};

use nimrule_relation::Relation;
use std::fmt;

/// Vertices with their names, and the arcs between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digraph {
    pub relation: Relation,
    pub vertices: Vertices,
}

/// What the vertices are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vertices {
    /// Whole numbers, ascending.
    Numbers(Vec<u64>),
    /// Words, in the order in which they were first said.
    Words(Words),
    /// All values of the coordinates, the last one changing fastest.
    Places(Vec<Coordinate>),
}

/// Names, and the way back from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    names: Vec<String>,
    /// The places of the names in the order of the alphabet.
    sorted: Vec<u32>,
}

impl Words {
    /// The names have to be different ones.
    pub fn new(names: Vec<String>) -> Words {
        // INVARIANT: a relation has fewer states than 32 bits can count.
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]));
        Words { names, sorted }
    }

    pub fn place(&self, name: &str) -> Option<usize> {
        self.sorted
            .binary_search_by(|at| self.names[*at as usize].as_str().cmp(name))
            .ok()
            .map(|at| self.sorted[at] as usize)
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// A coordinate of the vertices: a name for a run of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinate {
    pub name: String,
    pub first: i64,
    pub count: usize,
    /// How many vertices lie between one value and the next.
    pub stride: usize,
}

impl Coordinate {
    /// The coordinate's value at a place among the vertices.
    pub fn value(&self, place: usize) -> i64 {
        self.first + (place / self.stride % self.count) as i64
    }

    pub fn last(&self) -> i64 {
        self.first + self.count as i64 - 1
    }
}

impl Digraph {
    pub fn len(&self) -> usize {
        self.relation.states()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The vertex's place among the vertices, which is its state.
    pub fn state(&self, number: u64) -> Option<usize> {
        match &self.vertices {
            Vertices::Numbers(numbers) => {
                // Most often they are 0, 1, 2, …
                let place = usize::try_from(number).ok()?;
                match numbers.get(place) {
                    Some(found) if *found == number => Some(place),
                    _ => numbers.binary_search(&number).ok(),
                }
            }
            Vertices::Places(coordinates) if self.counts_by_itself() => {
                let place = i64::try_from(number)
                    .ok()?
                    .checked_sub(coordinates[0].first)?;
                usize::try_from(place).ok().filter(|at| *at < self.len())
            }
            Vertices::Words(_) | Vertices::Places(_) => {
                usize::try_from(number).ok().filter(|at| *at < self.len())
            }
        }
    }

    /// The number that stands for a state in a position.
    pub fn number(&self, state: usize) -> u64 {
        match &self.vertices {
            Vertices::Numbers(numbers) => numbers[state],
            Vertices::Places(coordinates) if self.counts_by_itself() => {
                // INVARIANT: a single coordinate begins at 0 or later.
                coordinates[0].first as u64 + state as u64
            }
            Vertices::Words(_) | Vertices::Places(_) => state as u64,
        }
    }

    /// Are the vertices numbers, so that a token's number is its vertex?
    pub fn has_numbers(&self) -> bool {
        matches!(self.vertices, Vertices::Numbers(_)) || self.counts_by_itself()
    }

    /// A single coordinate is a number like any other.
    fn counts_by_itself(&self) -> bool {
        matches!(&self.vertices, Vertices::Places(coordinates) if coordinates.len() == 1)
    }

    pub fn coordinates(&self) -> &[Coordinate] {
        match &self.vertices {
            Vertices::Places(coordinates) => coordinates,
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

    /// The number that stands for a vertex with this name.
    pub fn named(&self, name: &str) -> Option<u64> {
        match &self.vertices {
            Vertices::Words(words) => words.place(name).map(|place| place as u64),
            Vertices::Numbers(_) | Vertices::Places(_) => None,
        }
    }

    /// The vertex as the language writes it.
    pub fn shown(&self, state: usize) -> String {
        match &self.vertices {
            Vertices::Words(words) => words.names[state].clone(),
            Vertices::Places(coordinates) if coordinates.len() > 1 => {
                let values: Vec<String> =
                    self.values(state).iter().map(ToString::to_string).collect();
                format!("({})", values.join(","))
            }
            Vertices::Numbers(_) | Vertices::Places(_) => self.number(state).to_string(),
        }
    }

    pub fn bytes(&self) -> u64 {
        self.relation.bytes()
    }

    /// A shortest way along the arcs from a vertex back to itself through the
    /// first cycle that is met, if there is one.
    pub fn cycle(&self) -> Option<Vec<usize>> {
        let on_cycle = state_on_a_cycle(&self.relation)?;
        Some(shortest_cycle(&self.relation, on_cycle))
    }
}

impl fmt::Display for Digraph {
    /// How large it is.
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

/// Some state from which arcs lead back to itself.
fn state_on_a_cycle(relation: &Relation) -> Option<usize> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    if relation.leads_one_way() {
        return None;
    }
    let mut marks = vec![NEW; relation.states()];
    // The way taken, with how many arcs of each state have been looked at.
    let mut way: Vec<(u32, u32)> = Vec::new();
    for root in 0..relation.states() {
        if marks[root] != NEW {
            continue;
        }
        marks[root] = OPEN;
        way.push((root as u32, 0));
        while let Some((state, next)) = way.last_mut() {
            match relation.from(*state as usize).get(*next as usize) {
                Some(target) => {
                    *next += 1;
                    let target = *target as usize;
                    match marks[target] {
                        NEW => {
                            marks[target] = OPEN;
                            way.push((target as u32, 0));
                        }
                        OPEN => return Some(target),
                        _ => {}
                    }
                }
                None => {
                    marks[*state as usize] = DONE;
                    way.pop();
                }
            }
        }
    }
    None
}

/// A shortest way from a state on a cycle back to itself; the state is its
/// first entry, and not said again at its end.
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
