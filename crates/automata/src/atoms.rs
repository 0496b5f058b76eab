//! Atomic relations: weighted sums compared with 0, remainders, powers, single
//! digits, digits shifted up by a place.
//!
//! The automata of linear comparisons are those of Boudet and Comon (1996,
//! "Diophantine equations, Presburger arithmetic and finite automata") and, for
//! the most significant digit first, Wolper and Boigelot (2000, "On the
//! construction of automata from linear arithmetic constraints").

mod digits;
mod fibonacci;
mod sum;

pub use digits::{digit, power, shifted_up};
pub use sum::{Columns, Relation, Sum, compare};

use super::memo::Memo;
use super::unique_table::{Ref, UniqueTable, leaf};
use super::{Budget, Dfa, Numeration, Track};
use nimrule_limits::Met;
use std::hash::Hash;

/// A deterministic automaton as code: its states, and what a digit does.
pub trait Machine {
    type State: Clone + Eq + Hash;
    /// The state in the middle of a letter.
    type Partial: Clone + Eq + Hash;

    fn start(&self) -> Self::State;
    fn accepts(&self, state: &Self::State) -> bool;
    /// The state at the beginning of a letter.
    fn begin(&self, state: &Self::State) -> Self::Partial;
    /// The state after a digit of the letter, on the track at this place.
    fn feed(&self, partial: &Self::Partial, place: usize, digit: u8) -> Self::Partial;
    /// The state at the end of the letter.
    fn end(&self, partial: &Self::Partial) -> Self::State;
}

/// The smallest automaton of a machine over ascending tracks.
///
/// # Errors
///
/// A limit that is exceeded, as for all functions here.
pub fn dfa_of<M: Machine>(
    machine: &M,
    numeration: Numeration,
    tracks: &[Track],
    budget: &Budget,
) -> Result<Dfa, Met> {
    debug_assert!(tracks.is_sorted_by(|one, next| one < next));
    let mut built = Built {
        machine,
        tracks,
        nodes: UniqueTable::new(numeration.radix()),
        states: vec![machine.start()],
        numbers: Memo::default(),
        known: Memo::default(),
        budget,
    };
    built.numbers.insert(machine.start(), 0);
    let mut roots = Vec::new();
    while let Some(state) = built.states.get(roots.len()) {
        let begun = machine.begin(state);
        roots.push(built.diagram(0, begun)?);
    }
    let accepting = built.states.iter().map(|s| machine.accepts(s)).collect();
    Dfa {
        numeration,
        tracks: tracks.to_vec(),
        start: 0,
        accepting,
        roots,
        nodes: built.nodes,
    }
    .minimised(budget)
}

struct Built<'a, M: Machine> {
    machine: &'a M,
    tracks: &'a [Track],
    nodes: UniqueTable,
    states: Vec<M::State>,
    numbers: Memo<M::State, u32>,
    known: Memo<(usize, M::Partial), Ref>,
    budget: &'a Budget,
}

impl<M: Machine> Built<'_, M> {
    fn diagram(&mut self, place: usize, partial: M::Partial) -> Result<Ref, Met> {
        let Some(&track) = self.tracks.get(place) else {
            let state = self.machine.end(&partial);
            let new = self.states.len() as u32;
            let number = self.numbers.or_insert_with(state.clone(), || new);
            if number == new {
                self.states.push(state);
            }
            return Ok(leaf(number));
        };
        let key = (place, partial);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        self.budget
            .tick(|| self.nodes.bytes() + self.known.bytes() + self.numbers.bytes())?;
        let mut children = super::product::smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            let fed = self.machine.feed(&key.1, place, digit as u8);
            *child = self.diagram(place + 1, fed)?;
        }
        let node = self.nodes.node(track, &children);
        self.known.insert(key, node);
        Ok(node)
    }
}

/// A weighted sum plus a constant is 0 (or, if not `equal`, at most 0).
pub fn linear(
    numeration: Numeration,
    terms: &[(i64, Track)],
    constant: i64,
    equal: bool,
    budget: &Budget,
) -> Result<Dfa, Met> {
    let sum = Sum {
        terms: terms.to_vec(),
        columns: Vec::new(),
        constant,
    };
    let relation = if equal {
        Relation::Zero
    } else {
        Relation::AtMostZero
    };
    compare(numeration, &sum, relation, budget)
}
