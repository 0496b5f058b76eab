//! Labellings that a renaming of the states carries into each other.
//!
//! Two labellings are of one kind if the relation looks the same with the one
//! as with the other. States are told apart by what they are, then by what
//! their neighbours are, and so on; where that leaves a choice, each is tried.

use super::Lost;
use crate::{Relation, Reverse};
use std::collections::BTreeMap;

/// States are compared in relations up to this size.
const MOST_STATES: usize = 400;

/// Pairs of states tried for two labellings before they count as different.
const MOST_TRIED: usize = 2_000;

/// One labelling of each kind among these, by its place, with how many there
/// are; `None` where the relation is too large to compare.
pub fn kinds(relation: &Relation, labellings: &[Lost]) -> Option<Vec<(usize, usize)>> {
    if relation.states() > MOST_STATES {
        return None;
    }
    let reverse = relation.reverse();
    let mut kinds: Vec<(usize, usize)> = Vec::new();
    for (place, lost) in labellings.iter().enumerate() {
        let same = kinds.iter_mut().find(|(first, _)| {
            let mut matching = Matching {
                relation,
                reverse: &reverse,
                tried: 0,
            };
            let colours = |lost: &Lost| lost.iter().map(|l| u32::from(*l)).collect();
            matching.exists(colours(&labellings[*first]), colours(lost))
        });
        match same {
            Some((_, count)) => *count += 1,
            None => kinds.push((place, 1)),
        }
    }
    Some(kinds)
}

struct Matching<'r> {
    relation: &'r Relation,
    reverse: &'r Reverse,
    tried: usize,
}

impl Matching<'_> {
    /// Does a renaming carry one colouring into the other?
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
            return self.is_renaming(&left, &right);
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

    /// Tells states apart by the colours around them, on both sides alike,
    /// until nothing changes; whether both sides still have the same colours.
    fn refine(&self, left: &mut Vec<u32>, right: &mut Vec<u32>) -> bool {
        let mut count = 0;
        loop {
            let mut names: BTreeMap<(u32, Vec<u32>, Vec<u32>), u32> = BTreeMap::new();
            let seen = [self.around(left), self.around(right)];
            for around in seen.iter().flatten() {
                let next = names.len() as u32;
                names.entry(around.clone()).or_insert(next);
            }
            let [of_left, of_right] =
                seen.map(|all| all.iter().map(|around| names[around]).collect::<Vec<u32>>());
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

    fn around(&self, colours: &[u32]) -> Vec<(u32, Vec<u32>, Vec<u32>)> {
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

    /// Every state has a colour of its own: does that keep the arcs?
    fn is_renaming(&self, left: &[u32], right: &[u32]) -> bool {
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
