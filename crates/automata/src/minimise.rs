//! Minimisation of automata whose transitions are decision diagrams.
//!
//! Moore's algorithm (1956): states are distinguished by acceptance, then by the
//! classes of their next states, until the partition is stable. The transitions
//! of two states are compared by their diagrams with classes as leaves; equal
//! diagrams are stored once, so this compares two references.

use super::memo::Memo;
use super::product::smallvec_of;
use super::unique_table::{Ref, UniqueTable, leaf, number_of};
use super::{Budget, Dfa};
use nimrule_limits::LimitExceeded;

const UNKNOWN: Ref = u32::MAX;

impl Dfa {
    /// The minimal automaton of the same numbers: words that represent no
    /// numbers are rejected. Every state must be reachable.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn normalised(self, budget: &Budget) -> Result<Dfa, LimitExceeded> {
        self.restricted_to_numbers(budget)?.minimised(budget)
    }

    /// The minimal automaton of the same language. Every state must be
    /// reachable; nodes without a reference are removed.
    pub(super) fn minimised(&self, budget: &Budget) -> Result<Dfa, LimitExceeded> {
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
                memo: vec![UNKNOWN; self.nodes.len()],
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
                // The partition is stable. Both rounds number the classes by
                // their first states, so the leaves are the new states.
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
    memo: Vec<Ref>,
    budget: &'a Budget,
}

impl Classified<'_> {
    fn diagram(&mut self, at: Ref) -> Result<Ref, LimitExceeded> {
        if let Some(state) = number_of(at) {
            return Ok(leaf(self.classes[state as usize]));
        }
        let known = self.memo[at as usize];
        if known != UNKNOWN {
            return Ok(known);
        }
        self.budget
            .tick(|| self.nodes.bytes() + self.of.nodes.bytes() + 4 * self.memo.len())?;
        let mut children = smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.of.nodes.child(at, digit))?;
        }
        let track = self.of.nodes.track(at).unwrap_or_default();
        let node = self.nodes.node(track, &children);
        self.memo[at as usize] = node;
        Ok(node)
    }
}
