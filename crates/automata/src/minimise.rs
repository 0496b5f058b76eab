//! Minimisation of automata whose transitions are decision diagrams.
//!
//! Moore's method (1956): states are told apart by acceptance, then by the
//! classes that they lead to, round by round until the partition is stable.
//! What a state leads to is compared through its diagram with classes for
//! leaves; since equal diagrams are stored once, that compares two references.

use super::memo::Memo;
use super::product::smallvec_of;
use super::unique_table::{Ref, UniqueTable, leaf, number_of};
use super::{Budget, Dfa};
use nimrule_limits::Met;

const UNKNOWN: Ref = u32::MAX;

impl Dfa {
    /// The smallest automaton of the same numbers: words that write none are
    /// rejected. Every state must be reachable.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn normalised(self, budget: &Budget) -> Result<Dfa, Met> {
        self.restricted_to_numbers(budget)?.minimised(budget)
    }

    /// The smallest automaton of the same words. Every state must be
    /// reachable; nodes without a reference are dropped.
    pub(super) fn minimised(&self, budget: &Budget) -> Result<Dfa, Met> {
        let mut first = Memo::default();
        let mut classes: Vec<u32> = Vec::with_capacity(self.states());
        for accepting in &self.accepting {
            let next = first.len() as u32;
            classes.push(first.or_insert_with(*accepting, || next));
        }
        let mut count = first.len();
        loop {
            let mut classified = Classified {
                of: self,
                classes: &classes,
                nodes: UniqueTable::new(self.nodes.radix()),
                known: vec![UNKNOWN; self.nodes.len()],
                budget,
            };
            let mut seen: Memo<(u32, Ref), u32> = Memo::default();
            let mut next_classes = Vec::with_capacity(classes.len());
            let mut chosen = Vec::new();
            for (state, root) in self.roots.iter().enumerate() {
                let root = classified.diagram(*root)?;
                let next = seen.len() as u32;
                let class = seen.or_insert_with((classes[state], root), || {
                    chosen.push((root, self.accepting[state]));
                    next
                });
                next_classes.push(class);
            }
            if seen.len() == count {
                // The partition is stable, and both rounds number the classes
                // by their first states: the leaves are right already.
                return Ok(Dfa {
                    numeration: self.numeration,
                    tracks: classified.nodes.tracks_used(),
                    start: classes[self.start as usize],
                    accepting: chosen.iter().map(|(_, accepting)| *accepting).collect(),
                    roots: chosen.iter().map(|(root, _)| *root).collect(),
                    nodes: classified.nodes,
                });
            }
            count = seen.len();
            classes = next_classes;
        }
    }
}

struct Classified<'a> {
    of: &'a Dfa,
    classes: &'a [u32],
    nodes: UniqueTable,
    known: Vec<Ref>,
    budget: &'a Budget,
}

impl Classified<'_> {
    fn diagram(&mut self, at: Ref) -> Result<Ref, Met> {
        if let Some(state) = number_of(at) {
            return Ok(leaf(self.classes[state as usize]));
        }
        let known = self.known[at as usize];
        if known != UNKNOWN {
            return Ok(known);
        }
        self.budget
            .tick(|| self.nodes.bytes() + self.of.nodes.bytes() + 4 * self.known.len())?;
        let mut children = smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.of.nodes.child(at, digit))?;
        }
        let track = self.of.nodes.track(at).unwrap_or_default();
        let node = self.nodes.node(track, &children);
        self.known[at as usize] = node;
        Ok(node)
    }
}
