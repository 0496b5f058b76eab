//! The relations that everything else is made of: weighted sums compared with
//! nothing, remainders, powers, single digits, digits moved up by a place.

mod digits;
mod fibonacci;
mod sum;

pub use digits::{digit, moved_up, power};
pub use sum::{Columns, Relation, Sum, compare};

use super::arena::{Arena, Ref, leaf};
use super::known::Known;
use super::{Automaton, Budget, Numeration, Track};
use nimrule_limits::Met;
use std::hash::Hash;

/// An automaton told by its states, that reads a letter one digit at a time.
pub trait Machine {
    type State: Clone + Eq + Hash;
    /// What is known in the middle of a letter.
    type Partial: Clone + Eq + Hash;

    fn start(&self) -> Self::State;
    fn accepts(&self, state: &Self::State) -> bool;
    /// A letter begins.
    fn begin(&self, state: &Self::State) -> Self::Partial;
    /// A digit of the letter, on the track at this place.
    fn feed(&self, partial: &Self::Partial, place: usize, digit: u8) -> Self::Partial;
    /// The letter is read.
    fn end(&self, partial: &Self::Partial) -> Self::State;
}

/// The automaton of a machine over ascending tracks.
pub fn automaton_of<M: Machine>(
    machine: &M,
    numeration: Numeration,
    tracks: &[Track],
    budget: &Budget,
) -> Result<Automaton, Met> {
    debug_assert!(tracks.is_sorted_by(|one, next| one < next));
    let mut built = Built {
        machine,
        tracks,
        arena: Arena::new(numeration.radix()),
        states: vec![machine.start()],
        numbers: Known::default(),
        known: Known::default(),
        budget,
    };
    built.numbers.insert(machine.start(), 0);
    let mut roots = Vec::new();
    while let Some(state) = built.states.get(roots.len()) {
        let begun = machine.begin(state);
        roots.push(built.diagram(0, begun)?);
    }
    let accepting = built.states.iter().map(|s| machine.accepts(s)).collect();
    Automaton {
        numeration,
        tracks: tracks.to_vec(),
        start: 0,
        accepting,
        roots,
        arena: built.arena,
    }
    .minimised(budget)
}

struct Built<'a, M: Machine> {
    machine: &'a M,
    tracks: &'a [Track],
    arena: Arena,
    states: Vec<M::State>,
    numbers: Known<M::State, u32>,
    known: Known<(usize, M::Partial), Ref>,
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
            .tick(|| self.arena.bytes() + self.known.bytes() + self.numbers.bytes())?;
        let mut children = super::product::smallvec_of(self.arena.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            let fed = self.machine.feed(&key.1, place, digit as u8);
            *child = self.diagram(place + 1, fed)?;
        }
        let node = self.arena.node(track, &children);
        self.known.insert(key, node);
        Ok(node)
    }
}

/// A weighted sum and a constant together are 0 (or, if not `equal`, at most 0).
pub fn linear(
    numeration: Numeration,
    terms: &[(i64, Track)],
    constant: i64,
    equal: bool,
    budget: &Budget,
) -> Result<Automaton, Met> {
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
