//! Kernels up to isomorphism.
//!
//! Two kernels are isomorphic if an automorphism of the digraph maps one to the
//! other. The test is colour refinement with individualisation: states are
//! coloured by their labels, then by the colours of their neighbours, until the
//! colouring is stable; if a colour class has several states, each is tried.

use super::Kernel;
use crate::{Relation, Reverse};
use std::collections::BTreeMap;

/// The most states of a digraph whose kernels are compared.
const MOST_STATES: usize = 400;

/// Individualisations after which two kernels count as different.
const MOST_TRIED: usize = 2_000;

/// The isomorphism classes of kernels: the place of the first kernel of each
/// class, and the number of its members; `None` if the digraph is too large.
pub fn isomorphism_classes(
    relation: &Relation,
    labellings: &[Kernel],
) -> Option<Vec<(usize, usize)>> {
    if relation.states() > MOST_STATES {
        return None;
    }
    let reverse = relation.reverse();
    let mut kinds: Vec<(usize, usize)> = Vec::new();
    for (place, lost) in labellings.iter().enumerate() {
        let same = kinds.iter_mut().find(|(first, _)| {
            let mut matching = Isomorphism {
                relation,
                reverse: &reverse,
                tried: 0,
            };
            let colours = |lost: &Kernel| lost.iter().map(|l| u32::from(*l)).collect();
            matching.exists(colours(&labellings[*first]), colours(lost))
        });
        match same {
            Some((_, count)) => *count += 1,
            None => kinds.push((place, 1)),
        }
    }
    Some(kinds)
}

struct Isomorphism<'r> {
    relation: &'r Relation,
    reverse: &'r Reverse,
    tried: usize,
}

impl Isomorphism<'_> {
    /// Returns whether an automorphism maps one colouring to the other.
    fn exists(&mut self, mut left: Vec<u32>, mut right: Vec<u32>) -> bool {
        if !self.refine(&mut left, &mut right) {
            return false;
        }
        let mut classes: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
        for (state, colour) in left.iter().enumerate() {
            let class = classes.entry(*colour).or_insert((state, 0));
            class.1 += 1;
        }
        let open = classes.values().filter(|class| class.1 > 1);
        let Some(&(state, _)) = open.min_by_key(|class| class.1) else {
            return self.is_automorphism(&left, &right);
        };
        let colour = left[state];
        let fresh = left.len() as u32;
        left[state] = fresh;
        for other in 0..right.len() {
            if right[other] != colour {
                continue;
            }
            self.tried += 1;
            if self.tried > MOST_TRIED {
                return false;
            }
            let mut tried = right.clone();
            tried[other] = fresh;
            if self.exists(left.clone(), tried) {
                return true;
            }
        }
        false
    }

    /// Refines both colourings until they are stable; returns whether they have
    /// the same colours.
    fn refine(&self, left: &mut Vec<u32>, right: &mut Vec<u32>) -> bool {
        let mut count = 0;
        loop {
            let mut names: BTreeMap<(u32, Vec<u32>, Vec<u32>), u32> = BTreeMap::new();
            let seen = [self.signatures(left), self.signatures(right)];
            for signatures in seen.iter().flatten() {
                let next = names.len() as u32;
                names.entry(signatures.clone()).or_insert(next);
            }
            let [of_left, of_right] = seen.map(|all| {
                all.iter()
                    .map(|signatures| names[signatures])
                    .collect::<Vec<u32>>()
            });
            let sorted = |colours: &[u32]| {
                let mut colours = colours.to_vec();
                colours.sort_unstable();
                colours
            };
            if sorted(&of_left) != sorted(&of_right) {
                return false;
            }
            (*left, *right) = (of_left, of_right);
            if names.len() == count {
                return true;
            }
            count = names.len();
        }
    }

    /// The colour of each state, with the colours of its options and of its
    /// predecessors.
    fn signatures(&self, colours: &[u32]) -> Vec<(u32, Vec<u32>, Vec<u32>)> {
        let sorted = |states: &[u32]| {
            let mut near: Vec<u32> = states.iter().map(|s| colours[*s as usize]).collect();
            near.sort_unstable();
            near
        };
        (0..colours.len())
            .map(|state| {
                (
                    colours[state],
                    sorted(self.relation.from(state)),
                    sorted(self.reverse.before(state)),
                )
            })
            .collect()
    }

    /// Returns whether the bijection of two colourings, in which every state
    /// has its own colour, preserves the arcs.
    fn is_automorphism(&self, left: &[u32], right: &[u32]) -> bool {
        let mut image = vec![0; right.len()];
        for (state, colour) in right.iter().enumerate() {
            image[*colour as usize] = state as u32;
        }
        (0..left.len()).all(|state| {
            let to = image[left[state] as usize] as usize;
            let mut carried: Vec<u32> = self
                .relation
                .from(state)
                .iter()
                .map(|option| image[left[*option as usize] as usize])
                .collect();
            let mut there = self.relation.from(to).to_vec();
            carried.sort_unstable();
            there.sort_unstable();
            carried == there
        })
    }
}
