//! Grundy values, also where play need not end.
//!
//! A state has a value v if an arc leads from it to each smaller value, and if
//! whoever slides to anything but a smaller value can be answered by a slide
//! back to v. A state that has none is loopy, and then the values K that it
//! leads to are what counts. A sum of states is P if all have values whose
//! nim-sum is 0; it is N if all have values and the nim-sum is not 0, or if
//! exactly one is loopy and the nim-sum of the others is in its K; everywhere
//! else it is a draw (C. A. B. Smith, Graphs and composite games, 1966; A. S.
//! Fraenkel and Y. Perl, Constructions in combinatorial games with cycles,
//! 1975; A. S. Fraenkel and Y. Yesha, The generalized Sprague-Grundy function
//! and its invariance under certain mappings, 1986).

use super::{Order, Relation, Reverse};

/// The value of every state, in four bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values {
    values: Vec<u32>,
}

/// What a state without a value has.
const LOOPY: u32 = u32::MAX;
const UNSET: u32 = u32::MAX - 1;

/// The value of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Finite(u32),
    /// The values that the state leads to, ascending.
    Loopy(Vec<u32>),
}

/// States looked at between two pauses.
const BETWEEN_PAUSES: usize = 1 << 18;

impl Values {
    /// The values of all states.
    ///
    /// `pause` is called now and then, and stops the search by failing.
    pub fn of_relation<E>(
        relation: &Relation,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Values, E> {
        let states = 0..relation.states();
        match relation.order() {
            Order::Down => pulled(relation, states, pause),
            Order::Up => pulled(relation, states.rev(), pause),
            Order::Neither => match ends_first(relation, pause)? {
                Some(order) => pulled(relation, order.into_iter().map(|s| s as usize), pause),
                None => rounds(&relation.reverse(), pause),
            },
        }
    }

    /// The finite value of a state, if it has one.
    pub fn finite(&self, state: usize) -> Option<u32> {
        Some(self.values[state]).filter(|value| *value != LOOPY)
    }

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

    /// Bytes that finding them needs beside the relation.
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
                // Two loopy parts lead to no value together.
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

/// Each state's value from those that its arcs lead to, which come before it
/// in the order given.
fn pulled<E>(
    relation: &Relation,
    order: impl Iterator<Item = usize>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Values, E> {
    let mut values = vec![UNSET; relation.states()];
    // The state by which a value was met last.
    let mut met: Vec<u32> = Vec::new();
    for (count, state) in order.enumerate() {
        if count % BETWEEN_PAUSES == BETWEEN_PAUSES - 1 {
            pause()?;
        }
        // A state with so many arcs has no larger value.
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

/// The states in an order in which every arc leads to an earlier one, if there
/// is such an order.
fn ends_first<E>(
    relation: &Relation,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<u32>>, E> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut marks = vec![NEW; relation.states()];
    let mut order = Vec::with_capacity(relation.states());
    // The way taken, with how many arcs of each state have been looked at.
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

/// Value by value: in the round of v, the states whose value is v are found
/// from the end backwards, as lost states are, among those that have no value
/// yet. A state that leads to no v then can have no value at all.
fn rounds<E>(reverse: &Reverse, pause: &mut dyn FnMut() -> Result<(), E>) -> Result<Values, E> {
    let states = reverse.states();
    let mut values = vec![UNSET; states];
    // How many arcs lead to a state without a finite value.
    let mut open: Vec<u32> = (0..states).map(|state| reverse.degree(state)).collect();
    let mut unset = states;
    let mut round = 0;
    while unset > 0 {
        pause()?;
        let mut left = open.clone();
        // States from which an arc leads to a state of this round's value.
        let mut answered = vec![false; states];
        let mut found: Vec<u32> = (0..states as u32)
            .filter(|state| values[*state as usize] == UNSET && left[*state as usize] == 0)
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
                // A finite value is settled, and no arc to it is open.
                if std::mem::replace(&mut answered[before], true) || values[before] < round {
                    continue;
                }
                for earlier in reverse.before(before) {
                    let count = &mut left[*earlier as usize];
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
