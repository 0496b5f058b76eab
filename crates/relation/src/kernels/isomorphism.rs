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

fn classes_within<E>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Relation;
    use crate::kernels::{Count, Kernels};
    use std::convert::Infallible;

    fn digraph(arcs: &[Vec<u32>]) -> Relation {
        Relation::build(arcs.len(), |from, visit| {
            arcs[from as usize].iter().copied().for_each(visit);
            Ok::<(), Infallible>(())
        })
        .unwrap()
    }

    fn classes(relation: &Relation, all: &[Kernel]) -> IsomorphismClasses {
        isomorphism_classes(relation, all, &mut || Ok::<(), Infallible>(())).unwrap()
    }

    /// The next number of a linear congruential generator, below `end`.
    fn below(seed: &mut u64, end: usize) -> usize {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 33) as usize % end
    }

    fn permutation(seed: &mut u64, length: usize) -> Vec<u32> {
        let mut image: Vec<u32> = (0..length as u32).collect();
        for place in (1..length).rev() {
            image.swap(place, below(seed, place + 1));
        }
        image
    }

    /// Vertex-transitive digraphs, and unions of equal digraphs, with their names.
    fn symmetric_digraphs() -> Vec<(String, Vec<Vec<u32>>)> {
        let mut all = Vec::new();
        for states in [20_u32, 22, 24, 30, 36, 40] {
            for steps in [
                vec![1, states - 1],
                vec![1, 3],
                vec![2, 5, states / 2],
                vec![4, states - 4, 2],
            ] {
                let arcs = (0..states).map(|s| steps.iter().map(|by| (s + by) % states).collect());
                all.push((format!("circulant {states} {steps:?}"), arcs.collect()));
            }
        }
        for (wide, high) in [(4_u32, 5), (4, 6), (6, 6), (5, 8)] {
            let arcs = (0..wide * high).map(|s| {
                let (x, y) = (s % wide, s / wide);
                let at = |x: u32, y: u32| x % wide + wide * (y % high);
                vec![
                    at(x + 1, y),
                    at(x + wide - 1, y),
                    at(x, y + 1),
                    at(x, y + high - 1),
                ]
            });
            all.push((format!("torus {wide} {high}"), arcs.collect()));
        }
        for (sets, size) in [(11_u32, 2_u32), (8, 4), (6, 6), (13, 3)] {
            let arcs = (0..sets * size).map(|s| {
                let first = s / size * size;
                vec![first + (s - first + 1) % size]
            });
            all.push((format!("circles {sets} {size}"), arcs.collect()));
        }
        // The cube of dimension 5 with loops left out.
        let cube = (0..32_u32).map(|s| (0..5).map(|bit| s ^ (1 << bit)).collect());
        all.push(("cube 5".to_owned(), cube.collect()));
        all
    }

    #[test]
    fn images_of_a_kernel_are_of_its_kind() {
        let mut seed = 1;
        let mut compared = 0;
        for (name, arcs) in symmetric_digraphs() {
            // A union of the digraph with itself, relabelled: exchanging the halves maps each
            // kernel of one half and another of the other half to the exchanged ones.
            let relation = digraph(&arcs);
            let mut pause = || Ok::<(), Infallible>(());
            let kernels = Kernels::new(&relation, &mut pause).unwrap();
            let (some, _) = kernels.find(2, &mut pause).unwrap();
            let Some(kernel) = some.first() else { continue };
            let last = some.last().unwrap();
            let states = arcs.len();
            let image = permutation(&mut seed, 2 * states);
            let mut double = vec![Vec::new(); 2 * states];
            for (from, options) in arcs.iter().enumerate() {
                for half in [0, states] {
                    let options = options.iter().map(|to| image[*to as usize + half]);
                    double[image[from + half] as usize] = options.collect();
                }
            }
            let place = |one: &Kernel, other: &Kernel| {
                let mut lost = vec![false; 2 * states];
                for (state, is_lost) in one.iter().chain(other).enumerate() {
                    lost[image[state] as usize] = *is_lost;
                }
                lost
            };
            let double = digraph(&double);
            let both = [place(kernel, last), place(last, kernel)];
            let expected = IsomorphismClasses {
                classes: vec![(0, 2)],
                ended: None,
            };
            assert_eq!(classes(&double, &both), expected, "{name}");
            compared += 1;
        }
        assert!(compared > 20, "{compared}");
    }

    /// Wheels with a rim of six states or of two times three look alike until a state of a
    /// rim is individualised, which a search that backtracks does after all choices of twins.
    #[test]
    fn what_one_part_leaves_open_is_not_tried_with_all_of_another() {
        let mut arcs: Vec<Vec<u32>> = Vec::new();
        let add = |arcs: &mut Vec<Vec<u32>>, from: usize, to: usize| {
            arcs.resize(arcs.len().max(from + 1).max(to + 1), Vec::new());
            arcs[from].push(to as u32);
        };
        let mut hubs = Vec::new();
        for circles in [1, 2, 2, 1] {
            let hub = arcs.len();
            hubs.push(hub);
            let length = 6 / circles;
            for place in 0..6 {
                let first = hub + 1 + place / length * length;
                let next = first + (hub + 1 + place - first + 1) % length;
                for (one, other) in [(hub, hub + 1 + place), (hub + 1 + place, next)] {
                    add(&mut arcs, one, other);
                    add(&mut arcs, other, one);
                }
            }
        }
        for length in 1..=11 {
            let first = arcs.len();
            for place in first..first + length {
                add(&mut arcs, place, place + 1);
            }
            add(&mut arcs, first + length, first + length + 1);
            add(&mut arcs, first + length, first + length + 2);
        }
        let lost = |which: [usize; 2]| -> Kernel {
            let which = which.map(|wheel| hubs[wheel]);
            (0..arcs.len())
                .map(|state| which.contains(&state))
                .collect()
        };
        let found = classes(&digraph(&arcs), &[lost([0, 2]), lost([1, 3]), lost([0, 3])]);
        assert_eq!((found.classes, found.ended), (vec![(0, 2), (2, 1)], None));
    }

    #[test]
    fn translations_of_a_circulant_map_kernels_to_their_kind() {
        for (name, arcs) in symmetric_digraphs() {
            if !name.starts_with("circulant") {
                continue;
            }
            let relation = digraph(&arcs);
            let mut pause = || Ok::<(), Infallible>(());
            let kernels = Kernels::new(&relation, &mut pause).unwrap();
            let (some, _) = kernels.find(3, &mut pause).unwrap();
            for kernel in &some {
                let turned: Vec<Kernel> = (0..arcs.len())
                    .map(|by| {
                        (0..arcs.len())
                            .map(|s| kernel[(s + by) % arcs.len()])
                            .collect()
                    })
                    .collect();
                let found = classes(&relation, &turned);
                assert_eq!(found.classes, [(0, arcs.len())], "{name}");
                assert_eq!(found.ended, None, "{name}");
            }
        }
    }

    /// The classes by trying all permutations of at most seven states.
    fn by_definition(arcs: &[Vec<u32>], all: &[Kernel]) -> Vec<(usize, usize)> {
        let mut images: Vec<Vec<u32>> = vec![Vec::new()];
        for _ in arcs {
            images = images
                .iter()
                .flat_map(|image| {
                    (0..arcs.len() as u32)
                        .filter(|to| !image.contains(to))
                        .map(|to| {
                            let mut image = image.clone();
                            image.push(to);
                            image
                        })
                })
                .collect();
        }
        let set = |from: usize| arcs[from].iter().copied().collect::<BTreeSet<u32>>();
        images.retain(|image| {
            (0..arcs.len()).all(|from| {
                let carried: BTreeSet<u32> =
                    set(from).iter().map(|to| image[*to as usize]).collect();
                carried == set(image[from] as usize)
            })
        });
        let mut classes: Vec<(usize, usize)> = Vec::new();
        for (place, lost) in all.iter().enumerate() {
            let same = classes.iter_mut().find(|(first, _)| {
                images.iter().any(|image| {
                    (0..lost.len()).all(|state| all[*first][state] == lost[image[state] as usize])
                })
            });
            match same {
                Some((_, count)) => *count += 1,
                None => classes.push((place, 1)),
            }
        }
        classes
    }

    #[test]
    fn classes_are_those_by_definition() {
        let mut seed = 7;
        let mut several = 0;
        for round in 0..300 {
            let states = 4 + round % 3;
            // Every state has as many options: colours alone tell little.
            let degree = 1 + below(&mut seed, 3);
            let steps: BTreeSet<usize> = (0..degree)
                .map(|_| 1 + below(&mut seed, states - 1))
                .collect();
            let arcs: Vec<Vec<u32>> = (0..states)
                .map(|from| {
                    let turned = |by: &usize| ((from + by) % states) as u32;
                    match round % 2 {
                        0 => steps.iter().map(turned).collect(),
                        _ => (0..degree)
                            .map(|_| below(&mut seed, states) as u32)
                            .collect(),
                    }
                })
                .collect();
            // Any sets of states: the search needs no kernels.
            let all: Vec<Kernel> = (0..1 << states)
                .map(|bits: usize| (0..states).map(|state| bits >> state & 1 == 1).collect())
                .collect();
            let found = classes(&digraph(&arcs), &all);
            assert_eq!(found.ended, None);
            assert_eq!(found.classes, by_definition(&arcs, &all), "{arcs:?}");
            several += usize::from(found.classes.len() < all.len());
        }
        assert!(several > 100, "{several}");
    }

    #[test]
    fn a_comparison_that_is_cut_off_says_so() {
        let states = 24;
        let arcs: Vec<Vec<u32>> = (0..states)
            .map(|s| vec![(s + 1) % states, (s + 3) % states])
            .collect();
        let relation = digraph(&arcs);
        let mut pause = || Ok::<(), Infallible>(());
        let kernels = Kernels::new(&relation, &mut pause).unwrap();
        let (all, _) = kernels.find(64, &mut pause).unwrap();
        assert!(matches!(kernels.count(&mut pause).unwrap(), Count::Exactly(_)) && all.len() > 1);
        let cut = classes_within(&relation, &all, 10, &mut pause).unwrap();
        assert_eq!(cut.ended, Some(ComparisonBound::Colours(10)));
        assert_eq!(cut.classes.len(), all.len());
    }
}
