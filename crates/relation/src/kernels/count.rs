//! How many labellings there are, exactly.
//!
//! Where the undecided states fall into parts that do not touch, their numbers
//! are multiplied. Within a part one state is tried lost and won, what follows
//! is drawn, and what is left may fall apart again. Parts that were counted
//! before are remembered.

use super::{FORCED, Kernels};
use crate::Reverse;
use crate::natural::Natural;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// How many labellings there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    Exactly(Natural),
    /// The count was given up.
    GivenUp,
}

/// So many states are looked at before the count is given up, some of them
/// many times: a matter of seconds.
const MOST_WORK: u64 = 500_000_000;

/// Choices within choices.
const DEEPEST: usize = 4_000;

/// So many states of parts are remembered.
const MOST_REMEMBERED: usize = 20_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Open,
    Lost,
    Won,
}

enum Halt<E> {
    GivenUp,
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
    match counter.parts(&all, 0, pause) {
        Ok(count) => Ok(Count::Exactly(count)),
        Err(Halt::GivenUp) => Ok(Count::GivenUp),
        Err(Halt::Stopped(stop)) => Err(stop),
    }
}

struct Counter {
    /// The arcs among the open states, both ways.
    options: Vec<Vec<u32>>,
    reverse: Reverse,
    marks: Vec<Mark>,
    /// How many options of a state are open, and how many lost.
    open: Vec<u32>,
    lost: Vec<u32>,
    trail: Vec<u32>,
    looked_at: usize,
    known: BTreeMap<Vec<u32>, Natural>,
    remembered: usize,
    choices: u64,
    work: u64,
    /// The visit in which a state was met last.
    met: Vec<u32>,
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
            marks: vec![Mark::Open; states],
            lost: vec![0; states],
            trail: Vec::new(),
            looked_at: 0,
            known: BTreeMap::new(),
            remembered: 0,
            choices: 0,
            work: 0,
            met: vec![FORCED; states],
            visits: 0,
        }
    }

    /// A state with an arc to itself cannot be lost.
    fn begin(&mut self) -> bool {
        for state in 0..self.marks.len() {
            let itself = self.options[state].binary_search(&(state as u32)).is_ok();
            if itself && !self.set(state, Mark::Won) {
                return false;
            }
        }
        self.conclude()
    }

    fn set(&mut self, state: usize, mark: Mark) -> bool {
        if self.marks[state] == Mark::Open {
            self.marks[state] = mark;
            self.trail.push(state as u32);
            return true;
        }
        self.marks[state] == mark
    }

    /// Draws all conclusions; whether there is no contradiction.
    fn conclude(&mut self) -> bool {
        while let Some(state) = self.trail.get(self.looked_at).copied() {
            self.looked_at += 1;
            let state = state as usize;
            let is_lost = self.marks[state] == Mark::Lost;
            self.work += 1 + self.reverse.before(state).len() as u64;
            // All is counted first, so that it can be taken back even after a
            // contradiction.
            for before in self.reverse.before(state) {
                self.open[*before as usize] -= 1;
                self.lost[*before as usize] += u32::from(is_lost);
            }
            if is_lost {
                for at in 0..self.options[state].len() {
                    let option = self.options[state][at] as usize;
                    if !self.set(option, Mark::Won) {
                        return false;
                    }
                }
            }
            if !self.ask(state) {
                return false;
            }
            for at in 0..self.reverse.before(state).len() {
                let before = self.reverse.before(state)[at] as usize;
                if !self.ask(before) {
                    return false;
                }
            }
        }
        true
    }

    /// What the rule of a state says, by what is known of its options.
    fn ask(&mut self, state: usize) -> bool {
        if self.lost[state] > 0 {
            return self.set(state, Mark::Won);
        }
        match (self.open[state], self.marks[state]) {
            (0, _) => self.set(state, Mark::Lost),
            (1, Mark::Won) => {
                let options = self.options[state].iter();
                let last = options
                    .map(|option| *option as usize)
                    .find(|option| self.marks[*option] == Mark::Open);
                // What is marked and not looked at yet counts as open.
                last.is_none_or(|last| self.set(last, Mark::Lost))
            }
            _ => true,
        }
    }

    fn take_back(&mut self, length: usize) {
        while self.trail.len() > length {
            let place = self.trail.len() - 1;
            let state = self.trail[place] as usize;
            if place < self.looked_at {
                let was_lost = self.marks[state] == Mark::Lost;
                for before in self.reverse.before(state) {
                    self.open[*before as usize] += 1;
                    self.lost[*before as usize] -= u32::from(was_lost);
                }
            }
            self.marks[state] = Mark::Open;
            self.trail.pop();
        }
        self.looked_at = self.looked_at.min(length);
    }

    /// The number for all open ones among these states: that of each part of
    /// them, multiplied.
    fn parts<E>(
        &mut self,
        among: &[u32],
        depth: usize,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Natural, Halt<E>> {
        let mut product = Natural::one();
        self.visits += 1;
        let visit = self.visits;
        let mut parts = Vec::new();
        for first in among {
            if self.marks[*first as usize] == Mark::Open && self.met[*first as usize] != visit {
                parts.push(self.part(*first, visit));
            }
        }
        // The small ones first: one of them may have no labelling.
        parts.sort_by_key(|part| part.0.len());
        for (states, key) in parts {
            let count = match self.known.get(&key) {
                Some(count) => count.clone(),
                None => {
                    let count = self.part_count(&states, depth, pause)?;
                    if self.remembered + key.len() <= MOST_REMEMBERED {
                        self.remembered += key.len();
                        self.known.insert(key, count.clone());
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

    /// The open states that hang together with this one, ascending; and what
    /// tells their count from others: with them the won states that still need
    /// a lost option among them.
    fn part(&mut self, first: u32, visit: u32) -> (Vec<u32>, Vec<u32>) {
        let mut states = vec![first];
        let mut waiting: Vec<u32> = Vec::new();
        self.met[first as usize] = visit;
        let mut at = 0;
        while let Some(state) = states.get(at).copied() {
            at += 1;
            let state = state as usize;
            let mut rules = vec![state];
            rules.extend(self.reverse.before(state).iter().map(|s| *s as usize));
            for rule in rules {
                match self.marks[rule] {
                    Mark::Open => {
                        if self.met[rule] != visit {
                            self.met[rule] = visit;
                            states.push(rule as u32);
                        }
                    }
                    Mark::Won if self.lost[rule] == 0 => {
                        if self.met[rule] == visit {
                            continue;
                        }
                        self.met[rule] = visit;
                        waiting.push(rule as u32);
                    }
                    _ => continue,
                }
                for option in &self.options[rule] {
                    let option = *option as usize;
                    if self.marks[option] == Mark::Open && self.met[option] != visit {
                        self.met[option] = visit;
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

    fn part_count<E>(
        &mut self,
        states: &[u32],
        depth: usize,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Natural, Halt<E>> {
        self.choices += 1;
        if self.work > MOST_WORK || depth > DEEPEST {
            return Err(Halt::GivenUp);
        }
        if self.choices.is_multiple_of(64) || states.len() > 1000 {
            pause().map_err(Halt::Stopped)?;
        }
        // The state that touches most decides most.
        let touches = |state: &u32| {
            let state = *state as usize;
            self.open[state] + self.reverse.before(state).len() as u32
        };
        let chosen = states.iter().max_by_key(|state| touches(state));
        let chosen = *chosen.expect("a part has a state") as usize;
        let mut sum = Natural::zero();
        let length = self.trail.len();
        for mark in [Mark::Lost, Mark::Won] {
            if self.set(chosen, mark) && self.conclude() {
                sum = sum.plus(&self.parts(states, depth + 1, pause)?);
            }
            self.take_back(length);
        }
        Ok(sum)
    }
}
