//! The unsatisfiable core of a digraph without a kernel.
//!
//! Each state has a rule: it is lost if and only if no option is lost. If there
//! is no kernel, some rules contradict each other; such a set of states is a
//! *core*, and contains a cycle of odd length (Richardson 1953). The core is
//! minimised by deleting rules as long as the others still contradict each
//! other. In a small digraph all smaller sets of rules are tried too.

use super::{Halt, Kernels, Label, add_rule, solve, unless_gave_up};
use crate::kernels::sat::Solver;
use crate::{Order, Relation};
use std::collections::{BTreeMap, VecDeque};

/// An unsatisfiable core: states whose rules contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// The states, ascending.
    pub states: Vec<usize>,
    /// Whether the core is known to be minimal.
    pub minimality: Minimality,
    /// A closed walk of odd length among these states, without the repetition
    /// of its first state at the end.
    pub cycle: Vec<usize>,
}

/// The minimality of a core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Minimality {
    /// No core has fewer states.
    Smallest,
    /// No proper subset is a core.
    Minimal,
    /// The minimisation gave up.
    Unknown,
}

/// The most rules that are minimised.
const MOST_RULES: usize = 3_000;

/// The most states of a digraph in which a smallest core is searched.
const MOST_STATES: usize = 64;

/// The most sets of rules that are tried for a smallest core.
const MOST_SETS: u64 = 200_000;

pub(super) fn core<E>(
    kernels: &Kernels<'_>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Core>, E> {
    let relation = kernels.relation;
    let Some(rules) = unless_gave_up(some_core(kernels, pause))? else {
        return Ok(None);
    };
    let Some(all) = rules else {
        unreachable!("the caller ensures that there is no kernel");
    };
    let (mut states, mut minimality) = (all.clone(), Minimality::Unknown);
    if all.len() <= MOST_RULES
        && let Some(fewer) = unless_gave_up(minimise(relation, all.clone(), pause))?
    {
        (states, minimality) = (fewer, Minimality::Minimal);
        // A smaller core may have other rules.
        if relation.states() <= MOST_STATES {
            match unless_gave_up(smallest_core(relation, states.len(), pause))? {
                Some(Some(fewest)) => (states, minimality) = (fewest, Minimality::Smallest),
                Some(None) => minimality = Minimality::Smallest,
                None => {}
            }
        }
    }
    states.sort_unstable();
    let cycle = odd_cycle(relation, &states);
    Ok(Some(Core {
        states,
        minimality,
        cycle,
    }))
}

/// A core, if there is one: the states of a components component of the open
/// states, with the forced states from which their rules follow.
fn some_core<E>(
    kernels: &Kernels<'_>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Option<Vec<usize>>, Halt<E>> {
    let mut parts = components(kernels);
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

/// The forced states from which the label of a state follows.
fn reasons(kernels: &Kernels<'_>, state: usize) -> Vec<usize> {
    let options = || kernels.relation.from(state).iter().map(|to| *to as usize);
    match kernels.label(state) {
        // Its forced options are won.
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

/// The components components of the open states (union–find).
fn components(kernels: &Kernels<'_>) -> Vec<Vec<usize>> {
    let count = kernels.open.len();
    // Each state points towards the representative of its component.
    let mut parents: Vec<usize> = (0..count).collect();
    fn root(parents: &mut [usize], mut state: usize) -> usize {
        while parents[state] != state {
            parents[state] = parents[parents[state]];
            state = parents[state];
        }
        state
    }
    for place in 0..count {
        for option in kernels.options(place) {
            let (a, b) = (root(&mut parents, place), root(&mut parents, option));
            parents[a.max(b)] = a.min(b);
        }
    }
    let mut parts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for place in 0..count {
        let root = root(&mut parents, place);
        let part = *parts.entry(root).or_insert_with(|| {
            all.push(Vec::new());
            all.len() - 1
        });
        all[part].push(kernels.open[place] as usize);
    }
    all
}

/// Returns whether the rules of these states contradict each other, for all
/// labels of the other states.
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
    let mut solver = Solver::new(variables.len());
    for state in states {
        add_rule(
            &mut solver,
            variables[state],
            options(*state).map(|to| variables[&to]),
        );
    }
    Ok(solve(&mut solver, pause)?.is_none())
}

/// Deletes rules as long as the others contradict each other: blocks of half of
/// the rules first, then smaller blocks, then single rules.
fn minimise<E>(
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

/// A smallest core, if it has fewer than `than` states.
fn smallest_core<E>(
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
                return Err(Halt::GaveUp);
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

/// A shortest closed walk of odd length among these states.
fn odd_cycle(relation: &Relation, states: &[usize]) -> Vec<usize> {
    if relation.order() != Order::Neither {
        return Vec::new();
    }
    let places: BTreeMap<usize, usize> = states.iter().copied().zip(0..).collect();
    let mut best: Vec<usize> = Vec::new();
    for first in 0..states.len() {
        // Index 2·state + parity of the number of arcs.
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
