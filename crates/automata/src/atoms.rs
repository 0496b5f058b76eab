//! Automata of atomic formulas: linear comparisons, congruences, powers, single
//! digits, and digits shifted by one place.
//!
//! Sources for linear comparisons: Boudet and Comon (1996, "Diophantine
//! equations, Presburger arithmetic and finite automata") and, with the most
//! significant digit first, Wolper and Boigelot (2000, "On the construction of
//! automata from linear arithmetic constraints").

mod digits;
mod recurrence;
mod sum;

pub use digits::{digit, power, shifted_up};
pub use sum::{CarrylessSum, Relation, Sum, compare};

use super::memo::Memo;
use super::unique_table::{Ref, UniqueTable, leaf};
use super::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;
use std::hash::Hash;

/// A deterministic automaton given by functions; [`dfa_of`] explores its states.
pub trait Machine {
    /// A state between letters.
    type State: Clone + Eq + Hash;
    /// A state within a letter.
    type Partial: Clone + Eq + Hash;

    /// A number of states that the exploration reaches, so that an automaton that cannot
    /// fit into the memory is not begun.
    fn least_states(&self) -> u128 {
        1
    }

    /// The initial state.
    fn start(&self) -> Self::State;
    /// Returns whether a state accepts.
    fn accepts(&self, state: &Self::State) -> bool;
    /// The state at the beginning of a letter.
    fn begin(&self, state: &Self::State) -> Self::Partial;
    /// The state after the digit of the track at this place.
    fn feed(&self, partial: &Self::Partial, place: usize, digit: u8) -> Self::Partial;
    /// The state at the end of the letter.
    fn end(&self, partial: &Self::Partial) -> Self::State;
}

/// The minimal automaton of a machine over ascending tracks.
///
/// # Errors
///
/// A limit that is exceeded, as for all functions here.
pub fn dfa_of<M: Machine>(
    machine: &M,
    numeration: Numeration,
    tracks: &[Track],
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
    debug_assert!(tracks.is_sorted_by(|one, next| one < next));
    // Each state has a number, and nodes of a size that is not counted here.
    let bytes = (2 * size_of::<M::State>() + size_of::<(Ref, bool)>()) as u128;
    let needed = machine.least_states().saturating_mul(bytes);
    budget.limits().check_memory(needed)?;
    let mut builder = Builder {
        machine,
        tracks,
        nodes: UniqueTable::new(numeration.radix()),
        states: vec![machine.start()],
        numbers: Memo::default(),
        memo: Memo::default(),
        budget,
    };
    builder.numbers.insert(machine.start(), 0);
    let mut roots = Vec::new();
    while let Some(state) = builder.states.get(roots.len()) {
        let begun = machine.begin(state);
        roots.push(builder.diagram(0, begun)?);
    }
    let accepting = builder.states.iter().map(|s| machine.accepts(s)).collect();
    Dfa {
        numeration,
        tracks: tracks.to_vec(),
        start: 0,
        accepting,
        roots,
        nodes: builder.nodes,
    }
    .minimised(budget)
}

struct Builder<'a, M: Machine> {
    machine: &'a M,
    tracks: &'a [Track],
    nodes: UniqueTable,
    states: Vec<M::State>,
    numbers: Memo<M::State, u32>,
    memo: Memo<(usize, M::Partial), Ref>,
    budget: &'a Budget,
}

impl<M: Machine> Builder<'_, M> {
    fn diagram(&mut self, place: usize, partial: M::Partial) -> Result<Ref, LimitExceeded> {
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
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        let states = self.states.capacity() * size_of::<M::State>();
        self.budget
            .tick(|| self.nodes.bytes() + self.memo.bytes() + self.numbers.bytes() + states)?;
        let mut children = super::product::smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            let fed = self.machine.feed(&key.1, place, digit as u8);
            *child = self.diagram(place + 1, fed)?;
        }
        let node = self.nodes.node(track, &children);
        self.memo.insert(key, node);
        Ok(node)
    }
}

/// The relation "the weighted sum of `terms` plus `constant` is 0" or, if not
/// `equal`, "… is at most 0".
///
/// # Errors
///
/// A limit that is exceeded.
pub fn linear(
    numeration: Numeration,
    terms: &[(i64, Track)],
    constant: i64,
    equal: bool,
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
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
