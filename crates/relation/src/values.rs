//! Grundy values of games that may be loopy (the generalised Sprague–Grundy
//! function).
//!
//! A state has the finite value v if it has arcs to states of each smaller
//! value, and if every move to a state without a smaller value can be answered
//! by a move to a state of value v. A state without a finite value is *loopy*;
//! its value is ∞(K), where K is the set of finite values of its options.
//!
//! The outcome of a sum of states is
//!
//! - P if all values are finite and their nim-sum is 0;
//! - N if all values are finite and their nim-sum is not 0, or if exactly one
//!   state is loopy and the nim-sum of the others is in its K;
//! - a draw otherwise.
//!
//! Sources: C. A. B. Smith, Graphs and composite games (1966); A. S. Fraenkel
//! and Y. Perl, Constructions in combinatorial games with cycles (1975); A. S.
//! Fraenkel and Y. Yesha, The generalized Sprague–Grundy function and its
//! invariance under certain mappings (1986).

use super::{Order, Relation, Reverse};

/// The values of all states, in four bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    values: Vec<u32>,
}

/// The mark of a loopy state.
const LOOPY: u32 = u32::MAX;
/// The mark of a state whose value is not known yet.
const UNSET: u32 = u32::MAX - 1;

/// The value of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// The finite value.
    Finite(u32),
    /// The finite values of the options, ascending.
    Loopy(Vec<u32>),
}

/// States between two calls of `pause`.
const BETWEEN_PAUSES: usize = 1 << 18;

impl Values {
    /// The values of all states.
    ///
    /// `pause` is called at intervals; its error stops the computation.
    ///
    /// # Errors
    ///
    /// Those of `pause`.
    pub fn of_relation<E>(
        relation: &Relation,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Values, E> {
        let states = 0..relation.states();
        match relation.order() {
            Order::Down => in_given_order(relation, states, pause),
            Order::Up => in_given_order(relation, states.rev(), pause),
            Order::Neither => match topological_order(relation, pause)? {
                Some(order) => {
                    in_given_order(relation, order.into_iter().map(|s| s as usize), pause)
                }
                None => by_ascending_value(&relation.reverse(), pause),
            },
        }
    }

    /// The value of a state, if it is finite.
    pub fn finite(&self, state: usize) -> Option<u32> {
        Some(self.values[state]).filter(|value| *value != LOOPY)
    }

    /// The value of a state of the same relation.
    pub fn of(&self, relation: &Relation, state: usize) -> Value {
        match self.finite(state) {
            Some(value) => Value::Finite(value),
            None => {
                let options = relation.from(state).iter();
                let mut values: Vec<u32> =
                    options.filter_map(|to| self.finite(*to as usize)).collect();
                values.sort_unstable();
                values.dedup();
                Value::Loopy(values)
            }
        }
    }

    /// The bytes of memory that the computation needs besides the relation.
    pub fn bytes_for(states: u128, arcs: u128) -> u128 {
        Reverse::bytes_for(states, arcs).saturating_add(states.saturating_mul(8))
    }
}

/// The value of a sum.
pub fn sum(values: impl IntoIterator<Item = Value>) -> Value {
    let mut finite = 0;
    let mut loopy: Option<Vec<u32>> = None;
    for value in values {
        match value {
            Value::Finite(value) => finite ^= value,
            Value::Loopy(options) => {
                // A sum of two loopy states has no option of a finite value.
                loopy = Some(if loopy.is_some() { Vec::new() } else { options });
            }
        }
    }
    match loopy {
        None => Value::Finite(finite),
        Some(mut options) => {
            for option in &mut options {
                *option ^= finite;
            }
            options.sort_unstable();
            Value::Loopy(options)
        }
    }
}

/// The values of the states in a given order, in which the targets of a state
/// come before it.
fn in_given_order<E>(
    relation: &Relation,
    order: impl Iterator<Item = usize>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Values, E> {
    let mut values = vec![UNSET; relation.states()];
    // By value: the last state that has an option of this value.
    let mut met: Vec<u32> = Vec::new();
    for (count, state) in order.enumerate() {
        if count % BETWEEN_PAUSES == BETWEEN_PAUSES - 1 {
            pause()?;
        }
        // The value of a state is at most the number of its arcs.
        let options = relation.from(state);
        if met.len() < options.len() + 1 {
            met.resize(options.len() + 1, UNSET);
        }
        for to in options {
            let value = values[*to as usize] as usize;
            if value < met.len() {
                met[value] = state as u32;
            }
        }
        let free = met.iter().position(|by| *by != state as u32);
        values[state] = free.expect("there is more room than there are arcs") as u32;
    }
    Ok(Values { values })
}

/// A topological order, in which every arc leads to an earlier state; `None` if
/// the digraph has a cycle. Depth-first search.
fn topological_order<E>(
    relation: &Relation,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<u32>>, E> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut marks = vec![NEW; relation.states()];
    let mut order = Vec::with_capacity(relation.states());
    // The path from the root: each state with its number of visited arcs.
    let mut way: Vec<(u32, u32)> = Vec::new();
    for root in 0..relation.states() {
        if root % BETWEEN_PAUSES == BETWEEN_PAUSES - 1 {
            pause()?;
        }
        if marks[root] != NEW {
            continue;
        }
        marks[root] = OPEN;
        way.push((root as u32, 0));
        while let Some((state, next)) = way.last_mut() {
            match relation.from(*state as usize).get(*next as usize) {
                Some(target) => {
                    *next += 1;
                    match marks[*target as usize] {
                        NEW => {
                            marks[*target as usize] = OPEN;
                            way.push((*target, 0));
                        }
                        OPEN => return Ok(None),
                        _ => {}
                    }
                }
                None => {
                    marks[*state as usize] = DONE;
                    order.push(*state);
                    way.pop();
                }
            }
        }
    }
    Ok(Some(order))
}

/// The values of a digraph with cycles, by ascending value. Round v finds the
/// states of value v among those without a value, like the lost states of a
/// retrograde analysis. A state that then has no option of value v, and no value
/// itself, is loopy.
fn by_ascending_value<E>(
    reverse: &Reverse,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Values, E> {
    let states = reverse.states();
    let mut values = vec![UNSET; states];
    // The number of arcs to states without a finite value.
    let mut open: Vec<u32> = (0..states).map(|state| reverse.degree(state)).collect();
    let mut unset = states;
    let mut round = 0;
    while unset > 0 {
        pause()?;
        let mut remaining = open.clone();
        // The states with an option of this round's value.
        let mut answered = vec![false; states];
        let mut found: Vec<u32> = (0..states as u32)
            .filter(|state| values[*state as usize] == UNSET && remaining[*state as usize] == 0)
            .collect();
        for state in &found {
            values[*state as usize] = round;
        }
        let mut at = 0;
        while let Some(state) = found.get(at).copied() {
            at += 1;
            if at.is_multiple_of(BETWEEN_PAUSES) {
                pause()?;
            }
            for before in reverse.before(state as usize) {
                let before = *before as usize;
                // States of smaller values are final; arcs to them are not
                // counted.
                if std::mem::replace(&mut answered[before], true) || values[before] < round {
                    continue;
                }
                for earlier in reverse.before(before) {
                    let count = &mut remaining[*earlier as usize];
                    *count -= 1;
                    let earlier = *earlier as usize;
                    if *count == 0 && values[earlier] == UNSET && !answered[earlier] {
                        values[earlier] = round;
                        found.push(earlier as u32);
                    }
                }
            }
        }
        for state in &found {
            unset -= 1;
            for before in reverse.before(*state as usize) {
                open[*before as usize] -= 1;
            }
        }
        for state in 0..states {
            if values[state] == UNSET && !answered[state] {
                values[state] = LOOPY;
                unset -= 1;
            }
        }
        round += 1;
    }
    Ok(Values { values })
}
