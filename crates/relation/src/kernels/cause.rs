//! Why a relation has no consistent labelling.
//!
//! Each state has a rule: it is lost exactly if none of its options is. Some
//! of the rules contradict each other, whatever the states are to which the
//! other rules belong; among these states an arc leads around a cycle of odd
//! length (Richardson). Rules are left out one by one as long as the others
//! still contradict each other; and where there are few, smaller sets are
//! looked for among all rules.

use super::{Halt, Kernels, Label, demand_rule, solve, unless_given_up};
use crate::kernels::sat::Search;
use crate::{Order, Relation};
use std::collections::{BTreeMap, VecDeque};

/// States whose rules contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// Ascending.
    pub states: Vec<usize>,
    pub least: Least,
    /// A way of odd length along the arcs among these states that comes back
    /// to its first one, which is not said again at its end.
    pub cycle: Vec<usize>,
}

/// How small a cause is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Least {
    /// No contradiction has fewer states.
    Smallest,
    /// Without any of its states there is no contradiction.
    Minimal,
    /// The search for a smaller one was given up.
    Unknown,
}

/// Rules are left out one by one where there are no more than these.
const MOST_RULES: usize = 3_000;

/// A smaller contradiction is looked for among so many states.
const MOST_STATES: usize = 64;

/// Sets of rules that are tried for a smaller contradiction.
const MOST_SETS: u64 = 200_000;

pub(super) fn cause<E>(
    kernels: &Kernels<'_>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Cause>, E> {
    let relation = kernels.relation;
    let Some(rules) = unless_given_up(contradicting(kernels, pause))? else {
        return Ok(None);
    };
    let Some(all) = rules else {
        unreachable!("a cause is asked for where there is no labelling");
    };
    let (mut states, mut least) = (all.clone(), Least::Unknown);
    if all.len() <= MOST_RULES
        && let Some(fewer) = unless_given_up(without_idle_rules(relation, all.clone(), pause))?
    {
        (states, least) = (fewer, Least::Minimal);
        // Any rules may take part in a smaller one.
        if relation.states() <= MOST_STATES {
            match unless_given_up(fewer_rules(relation, states.len(), pause))? {
                Some(Some(fewest)) => (states, least) = (fewest, Least::Smallest),
                Some(None) => least = Least::Smallest,
                None => {}
            }
        }
    }
    states.sort_unstable();
    let cycle = odd_cycle(relation, &states);
    Ok(Some(Cause {
        states,
        least,
        cycle,
    }))
}

/// Rules that contradict each other, if there are such: those of an undecided
/// part, with the decided states that decide something about it.
fn contradicting<E>(
    kernels: &Kernels<'_>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<usize>>, Halt<E>> {
    let mut parts = connected(kernels);
    parts.sort_by_key(Vec::len);
    for part in parts {
        let mut rules: Vec<usize> = part;
        let mut known: BTreeMap<usize, ()> = rules.iter().map(|s| (*s, ())).collect();
        let mut at = 0;
        while let Some(state) = rules.get(at).copied() {
            at += 1;
            for reason in reasons(kernels, state) {
                if known.insert(reason, ()).is_none() {
                    rules.push(reason);
                }
            }
        }
        if contradict(kernels.relation, &rules, pause)? {
            return Ok(Some(rules));
        }
    }
    Ok(None)
}

/// The decided states by which a state is what it is.
fn reasons(kernels: &Kernels<'_>, state: usize) -> Vec<usize> {
    let options = || kernels.relation.from(state).iter().map(|to| *to as usize);
    match kernels.label(state) {
        // Its decided options are won.
        Label::Draw => options()
            .filter(|to| kernels.label(*to) != Label::Draw)
            .collect(),
        Label::Lose(_) => options().collect(),
        Label::Win(moves) => options()
            .find(|to| kernels.label(*to) == Label::Lose(moves - 1))
            .into_iter()
            .collect(),
    }
}

/// The undecided states, part by part.
fn connected(kernels: &Kernels<'_>) -> Vec<Vec<usize>> {
    let count = kernels.open.len();
    // Each state points towards the one that stands for its part.
    let mut towards: Vec<usize> = (0..count).collect();
    fn root(towards: &mut [usize], mut state: usize) -> usize {
        while towards[state] != state {
            towards[state] = towards[towards[state]];
            state = towards[state];
        }
        state
    }
    for place in 0..count {
        for option in kernels.options(place) {
            let (a, b) = (root(&mut towards, place), root(&mut towards, option));
            towards[a.max(b)] = a.min(b);
        }
    }
    let mut parts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for place in 0..count {
        let root = root(&mut towards, place);
        let part = *parts.entry(root).or_insert_with(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[part].push(kernels.open[place] as usize);
    }
    all
}

/// Do the rules of these states contradict each other, whatever the other
/// states are?
fn contradict<E>(
    relation: &Relation,
    states: &[usize],
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<bool, Halt<E>> {
    let mut variables: BTreeMap<usize, usize> = BTreeMap::new();
    let options = |state: usize| relation.from(state).iter().map(|to| *to as usize);
    for state in states {
        for one in std::iter::once(*state).chain(options(*state)) {
            let next = variables.len();
            variables.entry(one).or_insert(next);
        }
    }
    let mut search = Search::new(variables.len());
    for state in states {
        demand_rule(
            &mut search,
            variables[state],
            options(*state).map(|to| variables[&to]),
        );
    }
    Ok(solve(&mut search, pause)?.is_none())
}

/// Leaves rules out as long as the others contradict each other: many at once
/// at first, then fewer, then each by itself.
fn without_idle_rules<E>(
    relation: &Relation,
    mut rules: Vec<usize>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Vec<usize>, Halt<E>> {
    let mut size = rules.len().div_ceil(2).max(1);
    loop {
        let mut from = 0;
        while from < rules.len() {
            pause().map_err(Halt::Stopped)?;
            let to = rules.len().min(from + size);
            let mut fewer = rules[..from].to_vec();
            fewer.extend_from_slice(&rules[to..]);
            if contradict(relation, &fewer, pause)? {
                rules = fewer;
            } else {
                from = to;
            }
        }
        if size == 1 {
            return Ok(rules);
        }
        size = size.div_ceil(2);
    }
}

/// The smallest set of contradicting rules, if it is smaller than this.
fn fewer_rules<E>(
    relation: &Relation,
    than: usize,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<usize>>, Halt<E>> {
    let states = relation.states();
    let mut tried = 0_u64;
    for size in 1..than {
        let mut chosen: Vec<usize> = (0..size).collect();
        loop {
            tried += 1;
            if tried > MOST_SETS {
                return Err(Halt::GivenUp);
            }
            if tried.is_multiple_of(256) {
                pause().map_err(Halt::Stopped)?;
            }
            if contradict(relation, &chosen, pause)? {
                return Ok(Some(chosen));
            }
            let last = (0..size)
                .rev()
                .find(|place| chosen[*place] < states - size + place);
            let Some(place) = last else {
                break;
            };
            chosen[place] += 1;
            for later in place + 1..size {
                chosen[later] = chosen[later - 1] + 1;
            }
        }
    }
    Ok(None)
}

/// A shortest cycle of odd length among these states.
fn odd_cycle(relation: &Relation, states: &[usize]) -> Vec<usize> {
    if relation.order() != Order::Neither {
        return Vec::new();
    }
    let places: BTreeMap<usize, usize> = states.iter().copied().zip(0..).collect();
    let mut best: Vec<usize> = Vec::new();
    for first in 0..states.len() {
        // A state after an even and after an odd number of arcs.
        let mut came_from: Vec<Option<usize>> = vec![None; 2 * states.len()];
        let mut queue = VecDeque::from([2 * first]);
        let mut length = vec![0_usize; 2 * states.len()];
        while let Some(here) = queue.pop_front() {
            if !best.is_empty() && length[here] + 1 >= best.len() {
                break;
            }
            for to in relation.from(states[here / 2]) {
                let Some(place) = places.get(&(*to as usize)) else {
                    continue;
                };
                let there = 2 * place + (1 - here % 2);
                if there == 2 * first + 1 {
                    let mut way = vec![states[here / 2]];
                    let mut at = here;
                    while let Some(earlier) = came_from[at] {
                        at = earlier;
                        way.push(states[at / 2]);
                    }
                    way.reverse();
                    if best.is_empty() || way.len() < best.len() {
                        best = way;
                    }
                    queue.clear();
                    break;
                }
                if there != 2 * first && came_from[there].is_none() {
                    came_from[there] = Some(here);
                    length[there] = length[here] + 1;
                    queue.push_back(there);
                }
            }
        }
    }
    best
}
