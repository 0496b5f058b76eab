//! The smallest automaton that accepts the same.
//!
//! States are told apart by what they accept, then by the classes that they
//! lead to, round by round until nothing is told apart any more. What a state
//! does is compared through its diagram with classes for leaves: as equal
//! diagrams are kept once, that is the comparison of two numbers.

use super::arena::{Arena, Ref, leaf, number_of};
use super::known::Known;
use super::product::smallvec_of;
use super::{Automaton, Budget};
use nimrule_limits::Met;

const UNKNOWN: Ref = u32::MAX;

impl Automaton {
    /// The same numbers with as few states as can be. Every state must be
    /// reachable.
    pub fn smallest(self, budget: &Budget) -> Result<Automaton, Met> {
        self.of_numbers(budget)?.minimised(budget)
    }

    /// The same relation with as few states as can be. Every state must be
    /// reachable; what nobody refers to is dropped.
    pub(super) fn minimised(&self, budget: &Budget) -> Result<Automaton, Met> {
        let mut first = Known::default();
        let mut classes: Vec<u32> = Vec::with_capacity(self.states());
        for accepting in &self.accepting {
            let next = first.count() as u32;
            classes.push(first.or_insert_with(*accepting, || next));
        }
        let mut count = first.count();
        loop {
            let mut told = Told {
                of: self,
                classes: &classes,
                arena: Arena::new(self.arena.radix()),
                known: vec![UNKNOWN; self.arena.len()],
                budget,
            };
            let mut seen: Known<(u32, Ref), u32> = Known::default();
            let mut next_classes = Vec::with_capacity(classes.len());
            let mut chosen = Vec::new();
            for (state, root) in self.roots.iter().enumerate() {
                let root = told.diagram(*root)?;
                let next = seen.count() as u32;
                let class = seen.or_insert_with((classes[state], root), || {
                    chosen.push((root, self.accepting[state]));
                    next
                });
                next_classes.push(class);
            }
            if seen.count() == count {
                // The partition stands, and classes are numbered by their
                // first states in both rounds: the leaves are right already.
                return Ok(Automaton {
                    numeration: self.numeration,
                    tracks: told.arena.tracks_used(),
                    start: classes[self.start as usize],
                    accepting: chosen.iter().map(|(_, accepting)| *accepting).collect(),
                    roots: chosen.iter().map(|(root, _)| *root).collect(),
                    arena: told.arena,
                });
            }
            count = seen.count();
            classes = next_classes;
        }
    }
}

struct Told<'a> {
    of: &'a Automaton,
    classes: &'a [u32],
    arena: Arena,
    known: Vec<Ref>,
    budget: &'a Budget,
}

impl Told<'_> {
    fn diagram(&mut self, at: Ref) -> Result<Ref, Met> {
        if let Some(state) = number_of(at) {
            return Ok(leaf(self.classes[state as usize]));
        }
        let known = self.known[at as usize];
        if known != UNKNOWN {
            return Ok(known);
        }
        self.budget
            .tick(|| self.arena.bytes() + self.of.arena.bytes() + 4 * self.known.len())?;
        let mut children = smallvec_of(self.arena.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.of.arena.child(at, digit))?;
        }
        let track = self.of.arena.track(at).unwrap_or_default();
        let node = self.arena.node(track, &children);
        self.known[at as usize] = node;
        Ok(node)
    }
}
