//! The exact number of kernels (component caching model counter).
//!
//! The number is the product of the numbers of the connected components of the
//! open states. In a component, one state is labelled lost and then won; unit
//! propagation labels others, and the rest is counted recursively. Counts of
//! components are cached.

use super::{FORCED, Kernels};
use crate::Reverse;
use crate::natural::Natural;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The number of kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    /// This number.
    Exactly(Natural),
    /// The counter gave up, at this bound in words.
    GaveUp(String),
}

/// Visits of states after which the counter gives up: a few seconds.
const MOST_WORK: u64 = 500_000_000;

/// The largest depth of decisions.
const MOST_DEPTH: usize = 4_000;

/// The most states in the keys of the cache.
const MOST_CACHED: usize = 20_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Open,
    Lost,
    Won,
}

enum Halt<E> {
    GaveUp(String),
    Stopped(E),
}

pub(super) fn count<E>(
    kernels: &Kernels<'_>,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Count, E> {
    let mut counter = Counter::new(kernels);
    let all: Vec<u32> = (0..kernels.open.len() as u32).collect();
    if !counter.begin() {
        return Ok(Count::Exactly(Natural::zero()));
    }
    match counter.count_components(&all, 0, pause) {
        Ok(count) => Ok(Count::Exactly(count)),
        Err(Halt::GaveUp(bound)) => Ok(Count::GaveUp(bound)),
        Err(Halt::Stopped(stop)) => Err(stop),
    }
}

struct Counter {
    /// The arcs among the open states.
    options: Vec<Vec<u32>>,
    /// Their reverse.
    reverse: Reverse,
    /// The label of each state so far.
    labels: Vec<Label>,
    /// The number of open options of each state.
    open: Vec<u32>,
    /// The number of lost options of each state.
    lost: Vec<u32>,
    /// The labelled states, in order.
    trail: Vec<u32>,
    /// The number of states of the trail that are propagated.
    propagated: usize,
    /// The cache: counts by component.
    cache: BTreeMap<Vec<u32>, Natural>,
    /// The total length of the cache's keys.
    cached: usize,
    decisions: u64,
    work: u64,
    /// The last visit that reached a state.
    visited: Vec<u32>,
    visits: u32,
}

impl Counter {
    fn new(kernels: &Kernels<'_>) -> Counter {
        let states = kernels.open.len();
        let options: Vec<Vec<u32>> = (0..states)
            .map(|place| {
                let mut options: Vec<u32> = kernels.options(place).map(|o| o as u32).collect();
                options.sort_unstable();
                options.dedup();
                options
            })
            .collect();
        let reverse = Reverse::build(states, |state, visit| {
            options[state as usize].iter().copied().for_each(visit);
            Ok::<(), Infallible>(())
        });
        let reverse = reverse.expect("a part of a relation has no more arcs than it");
        Counter {
            open: options.iter().map(|o| o.len() as u32).collect(),
            options,
            reverse,
            labels: vec![Label::Open; states],
            lost: vec![0; states],
            trail: Vec::new(),
            propagated: 0,
            cache: BTreeMap::new(),
            cached: 0,
            decisions: 0,
            work: 0,
            visited: vec![FORCED; states],
            visits: 0,
        }
    }

    /// Labels the states with an arc to themselves, which are won; returns
    /// whether there is no contradiction.
    fn begin(&mut self) -> bool {
        for state in 0..self.labels.len() {
            let itself = self.options[state].binary_search(&(state as u32)).is_ok();
            if itself && !self.set(state, Label::Won) {
                return false;
            }
        }
        self.propagate()
    }

    fn set(&mut self, state: usize, label: Label) -> bool {
        if self.labels[state] == Label::Open {
            self.labels[state] = label;
            self.trail.push(state as u32);
            return true;
        }
        self.labels[state] == label
    }

    /// Propagates all labels; returns whether there is no contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(state) = self.trail.get(self.propagated).copied() {
            self.propagated += 1;
            let state = state as usize;
            let is_lost = self.labels[state] == Label::Lost;
            self.work += 1 + self.reverse.before(state).len() as u64;
            // All counters are updated first, so that they can be undone even
            // after a contradiction.
            for before in self.reverse.before(state) {
                self.open[*before as usize] -= 1;
                self.lost[*before as usize] += u32::from(is_lost);
            }
            if is_lost {
                for at in 0..self.options[state].len() {
                    let option = self.options[state][at] as usize;
                    if !self.set(option, Label::Won) {
                        return false;
                    }
                }
            }
            if !self.apply_rule(state) {
                return false;
            }
            for at in 0..self.reverse.before(state).len() {
                let before = self.reverse.before(state)[at] as usize;
                if !self.apply_rule(before) {
                    return false;
                }
            }
        }
        true
    }

    /// Applies the rule of a state to the labels of its options; returns
    /// whether there is no contradiction.
    fn apply_rule(&mut self, state: usize) -> bool {
        if self.lost[state] > 0 {
            return self.set(state, Label::Won);
        }
        match (self.open[state], self.labels[state]) {
            (0, _) => self.set(state, Label::Lost),
            (1, Label::Won) => {
                let options = self.options[state].iter();
                let last = options
                    .map(|option| *option as usize)
                    .find(|option| self.labels[*option] == Label::Open);
                // The last open option may be labelled but not propagated yet.
                last.is_none_or(|last| self.set(last, Label::Lost))
            }
            _ => true,
        }
    }

    /// Undoes the labels after the first `length` ones.
    fn undo_to(&mut self, length: usize) {
        while self.trail.len() > length {
            let place = self.trail.len() - 1;
            let state = self.trail[place] as usize;
            if place < self.propagated {
                let was_lost = self.labels[state] == Label::Lost;
                for before in self.reverse.before(state) {
                    self.open[*before as usize] += 1;
                    self.lost[*before as usize] -= u32::from(was_lost);
                }
            }
            self.labels[state] = Label::Open;
            self.trail.pop();
        }
        self.propagated = self.propagated.min(length);
    }

    /// The number of labellings of the open states of `among`: the product over
    /// their components.
    fn count_components<E>(
        &mut self,
        among: &[u32],
        depth: usize,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Natural, Halt<E>> {
        let mut product = Natural::one();
        self.visits += 1;
        let visit = self.visits;
        let mut components = Vec::new();
        for first in among {
            if self.labels[*first as usize] == Label::Open && self.visited[*first as usize] != visit
            {
                components.push(self.component(*first, visit));
            }
        }
        // Small components first: one of them may have no labelling.
        components.sort_by_key(|component| component.0.len());
        for (states, key) in components {
            let count = match self.cache.get(&key) {
                Some(count) => count.clone(),
                None => {
                    let count = self.count_component(&states, depth, pause)?;
                    if self.cached + key.len() <= MOST_CACHED {
                        self.cached += key.len();
                        self.cache.insert(key, count.clone());
                    }
                    count
                }
            };
            if count.is_zero() {
                return Ok(count);
            }
            product = product.times(&count);
        }
        Ok(product)
    }

    /// The component of an open state: its open states, ascending, and the key
    /// of its count, which also has the won states that still need a lost
    /// option in the component.
    fn component(&mut self, first: u32, visit: u32) -> (Vec<u32>, Vec<u32>) {
        let mut states = vec![first];
        let mut waiting: Vec<u32> = Vec::new();
        self.visited[first as usize] = visit;
        let mut at = 0;
        while let Some(state) = states.get(at).copied() {
            at += 1;
            let state = state as usize;
            let mut rules = vec![state];
            rules.extend(self.reverse.before(state).iter().map(|s| *s as usize));
            for rule in rules {
                match self.labels[rule] {
                    Label::Open => {
                        if self.visited[rule] != visit {
                            self.visited[rule] = visit;
                            states.push(rule as u32);
                        }
                    }
                    Label::Won if self.lost[rule] == 0 => {
                        if self.visited[rule] == visit {
                            continue;
                        }
                        self.visited[rule] = visit;
                        waiting.push(rule as u32);
                    }
                    _ => continue,
                }
                for option in &self.options[rule] {
                    let option = *option as usize;
                    if self.labels[option] == Label::Open && self.visited[option] != visit {
                        self.visited[option] = visit;
                        states.push(option as u32);
                    }
                }
            }
        }
        self.work += 8 * (states.len() + waiting.len()) as u64;
        states.sort_unstable();
        waiting.sort_unstable();
        let mut key = states.clone();
        key.push(FORCED);
        key.extend(&waiting);
        (states, key)
    }

    fn count_component<E>(
        &mut self,
        states: &[u32],
        depth: usize,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Natural, Halt<E>> {
        self.decisions += 1;
        if self.work > MOST_WORK {
            let millions = MOST_WORK / 1_000_000;
            return Err(Halt::GaveUp(format!("{millions} million visits of states")));
        }
        if depth > MOST_DEPTH {
            return Err(Halt::GaveUp(format!("{MOST_DEPTH} nested decisions")));
        }
        if self.decisions.is_multiple_of(64) || states.len() > 1000 {
            pause().map_err(Halt::Stopped)?;
        }
        // Decide the state of the largest degree.
        let touches = |state: &u32| {
            let state = *state as usize;
            self.open[state] + self.reverse.before(state).len() as u32
        };
        let state = states.iter().max_by_key(|state| touches(state));
        let state = *state.expect("a component has a state") as usize;
        let mut sum = Natural::zero();
        let length = self.trail.len();
        for label in [Label::Lost, Label::Won] {
            if self.set(state, label) && self.propagate() {
                sum = sum.plus(&self.count_components(states, depth + 1, pause)?);
            }
            self.undo_to(length);
        }
        Ok(sum)
    }
}
