//! Kernels up to isomorphism.
//!
//! Two kernels are isomorphic if an automorphism of the digraph maps one to the
//! other. The test is colour refinement with individualisation (B. McKay, Practical
//! graph isomorphism, 1981): states are coloured by their labels, then by the
//! colours of their neighbours, until the colouring is stable. Then the states that
//! share a colour fall into parts between which the colours determine every arc;
//! the parts of the two colourings are matched one by one, without backtracking,
//! because isomorphism is transitive. In a part one state is individualised, and
//! tried with each state of the same colour on the other side.

use super::{Halt, Kernel};
use crate::Relation;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most states of a digraph whose kernels are compared.
const MOST_STATES: usize = 400;

/// The colours of neighbours that all comparisons read, at most: a few seconds' work.
const MOST_WORK: u64 = 100_000_000;

/// Kernels up to isomorphism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IsomorphismClasses {
    /// The place of the first kernel of each class, and the number of its members.
    pub classes: Vec<(usize, usize)>,
    /// The bound that ended a comparison, after which some of the classes may be the same;
    /// `None` if no two are.
    pub ended: Option<ComparisonBound>,
}

/// A bound of the comparison of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComparisonBound {
    /// The states of a digraph whose kernels are compared.
    States(usize),
    /// The colours of neighbours that are read.
    Colours(u64),
}

impl fmt::Display for ComparisonBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ComparisonBound::States(most) => {
                write!(f, "they are compared for at most {most} positions")
            }
            ComparisonBound::Colours(most) => {
                let millions = most / 1_000_000;
                write!(
                    f,
                    "the search ended at {millions} million colours of neighbours"
                )
            }
        }
    }
}

/// The isomorphism classes of kernels.
///
/// # Errors
///
/// Those of `pause`, which is called at intervals.
pub fn isomorphism_classes<E>(
    relation: &Relation,
    labellings: &[Kernel],
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<IsomorphismClasses, E> {
    classes_within(relation, labellings, MOST_WORK, pause)
}

/// [`isomorphism_classes`] with at most so much work.
pub fn classes_within<E>(
    relation: &Relation,
    labellings: &[Kernel],
    most_work: u64,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<IsomorphismClasses, E> {
    if relation.states() > MOST_STATES {
        return Ok(IsomorphismClasses {
            classes: (0..labellings.len()).map(|place| (place, 1)).collect(),
            ended: Some(ComparisonBound::States(MOST_STATES)),
        });
    }
    let mut search = Isomorphism::new(relation, most_work, pause);
    let all: Vec<u32> = (0..relation.states() as u32).collect();
    let part = |lost: &Kernel| Part {
        states: all.clone(),
        colours: lost.iter().map(|lost| u32::from(*lost)).collect(),
    };
    let mut classes: Vec<(usize, usize)> = Vec::new();
    let mut ended = None;
    'kernels: for (place, lost) in labellings.iter().enumerate() {
        for (first, count) in &mut classes {
            match search.are_isomorphic(part(&labellings[*first]), part(lost)) {
                Ok(true) => {
                    *count += 1;
                    continue 'kernels;
                }
                Ok(false) => {}
                Err(Halt::GaveUp) => ended = Some(ComparisonBound::Colours(most_work)),
                Err(Halt::Stopped(stop)) => return Err(stop),
            }
        }
        classes.push((place, 1));
    }
    Ok(IsomorphismClasses { classes, ended })
}

/// Some of the states, with colours.
struct Part {
    states: Vec<u32>,
    /// By state; those of other states are not read.
    colours: Vec<u32>,
}

impl Part {
    /// The states of each colour.
    fn classes(&self) -> BTreeMap<u32, Vec<u32>> {
        let mut classes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for state in &self.states {
            let class = classes.entry(self.colour(*state)).or_default();
            class.push(*state);
        }
        classes
    }

    fn colour(&self, state: u32) -> u32 {
        self.colours[state as usize]
    }

    /// The colours of the states, ascending.
    fn sorted_colours(&self) -> Vec<u32> {
        let mut colours: Vec<u32> = self.states.iter().map(|s| self.colour(*s)).collect();
        colours.sort_unstable();
        colours
    }

    fn of(&self, states: Vec<u32>) -> Part {
        let colours = self.colours.clone();
        Part { states, colours }
    }
}

struct Isomorphism<'p, E> {
    /// The options of each state, without repetition, and its predecessors.
    options: Vec<Vec<u32>>,
    before: Vec<Vec<u32>>,
    work: u64,
    most_work: u64,
    pause: &'p mut dyn FnMut() -> Result<(), E>,
}

impl<'p, E> Isomorphism<'p, E> {
    fn new(
        relation: &Relation,
        most_work: u64,
        pause: &'p mut dyn FnMut() -> Result<(), E>,
    ) -> Isomorphism<'p, E> {
        let mut before = vec![Vec::new(); relation.states()];
        let options: Vec<Vec<u32>> = (0..relation.states())
            .map(|state| {
                let options: BTreeSet<u32> = relation.from(state).iter().copied().collect();
                for option in &options {
                    before[*option as usize].push(state as u32);
                }
                options.into_iter().collect()
            })
            .collect();
        Isomorphism {
            options,
            before,
            work: 0,
            most_work,
            pause,
        }
    }

    /// Returns whether a bijection of two parts preserves colours and arcs. The colours
    /// determine the arcs to all other states.
    fn are_isomorphic(&mut self, mut left: Part, mut right: Part) -> Result<bool, Halt<E>> {
        (self.pause)().map_err(Halt::Stopped)?;
        if !self.refine(&mut left, &mut right)? {
            return Ok(false);
        }
        let complete = self.complete_pairs(&left);
        let lefts = self.independent_parts(&left, &complete);
        let mut rights = self.independent_parts(&right, &complete);
        if lefts.len() != rights.len() {
            return Ok(false);
        }
        for left in &lefts {
            let mut partner = None;
            for (place, right) in rights.iter().enumerate() {
                if self.are_parts_isomorphic(left, right)? {
                    partner = Some(place);
                    break;
                }
            }
            match partner {
                Some(place) => drop(rights.swap_remove(place)),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// [`Isomorphism::are_isomorphic`] of parts with a stable colouring, by individualisation.
    fn are_parts_isomorphic(&mut self, left: &Part, right: &Part) -> Result<bool, Halt<E>> {
        if left.sorted_colours() != right.sorted_colours() {
            return Ok(false);
        }
        let classes = left.classes();
        let Some((colour, class)) = classes.into_iter().min_by_key(|(_, class)| class.len()) else {
            return Ok(true);
        };
        // Stable colours are numbered from 0, and fewer than the states.
        let fresh = left.colours.len() as u32;
        let individualised = |part: &Part, state: u32| {
            let mut part = part.of(part.states.clone());
            part.colours[state as usize] = fresh;
            part
        };
        for state in right.states.iter().filter(|s| right.colour(**s) == colour) {
            let (left, right) = (
                individualised(left, class[0]),
                individualised(right, *state),
            );
            if self.are_isomorphic(left, right)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Refines both colourings until they are stable; returns whether they have
    /// the same colours.
    fn refine(&mut self, left: &mut Part, right: &mut Part) -> Result<bool, Halt<E>> {
        let mut count = 0;
        loop {
            let mut names: BTreeMap<(u32, bool, Vec<u32>, Vec<u32>), u32> = BTreeMap::new();
            for part in [&mut *left, &mut *right] {
                let mut colours = part.colours.clone();
                let mut is_in = vec![false; colours.len()];
                for state in &part.states {
                    is_in[*state as usize] = true;
                }
                for state in &part.states {
                    let near = |states: &[u32]| {
                        let others = states.iter().filter(|near| *near != state);
                        let others = others.filter(|near| is_in[**near as usize]);
                        let mut near: Vec<u32> = others.map(|near| part.colour(*near)).collect();
                        near.sort_unstable();
                        near
                    };
                    let options = near(&self.options[*state as usize]);
                    let before = near(&self.before[*state as usize]);
                    self.work += 1 + (options.len() + before.len()) as u64;
                    let next = names.len() as u32;
                    let has_loop = self.options[*state as usize].binary_search(state).is_ok();
                    let signature = (part.colour(*state), has_loop, options, before);
                    colours[*state as usize] = *names.entry(signature).or_insert(next);
                }
                part.colours = colours;
            }
            if self.work > self.most_work {
                return Err(Halt::GaveUp);
            }
            if left.sorted_colours() != right.sorted_colours() {
                return Ok(false);
            }
            if names.len() == count {
                return Ok(true);
            }
            count = names.len();
        }
    }

    /// The pairs of colours with an arc from each state of the first to each one of the
    /// second, other than itself.
    fn complete_pairs(&self, part: &Part) -> BTreeSet<(u32, u32)> {
        let classes = part.classes();
        let mut complete = BTreeSet::new();
        for (colour, class) in &classes {
            // The colouring is stable: one state has as many such options as each other.
            let first = class[0];
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            for option in &self.options[first as usize] {
                if *option != first && part.states.binary_search(option).is_ok() {
                    *counts.entry(part.colour(*option)).or_default() += 1;
                }
            }
            for (to, count) in counts {
                if count == classes[&to].len() - usize::from(to == *colour) {
                    complete.insert((*colour, to));
                }
            }
        }
        complete
    }

    /// The states that share a colour, in parts without arcs between them other than those
    /// that the colours determine.
    fn independent_parts(&self, part: &Part, complete: &BTreeSet<(u32, u32)>) -> Vec<Part> {
        let classes = part.classes();
        let mut is_open = vec![false; self.options.len()];
        for state in classes.values().filter(|class| class.len() > 1).flatten() {
            is_open[*state as usize] = true;
        }
        let mut parts = Vec::new();
        for first in &part.states {
            if !std::mem::take(&mut is_open[*first as usize]) {
                continue;
            }
            let mut states = vec![*first];
            let mut at = 0;
            while let Some(state) = states.get(at).copied() {
                at += 1;
                let colour = part.colour(state);
                let options = self.options[state as usize].iter();
                let options = options.filter(|to| !complete.contains(&(colour, part.colour(**to))));
                let before = self.before[state as usize].iter();
                let before = before.filter(|to| !complete.contains(&(part.colour(**to), colour)));
                for near in options.chain(before) {
                    if std::mem::take(&mut is_open[*near as usize]) {
                        states.push(*near);
                    }
                }
            }
            states.sort_unstable();
            parts.push(part.of(states));
        }
        parts
    }
}
