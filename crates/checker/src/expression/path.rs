//! What holds along a path.

use super::{Read, large};
use crate::atom::{Atom, Linear, Variable};
use nimrule_model::expr::{HeapId, Order, Pick, Slot};
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// What holds, and what names stand for, at some point of a turn.
#[derive(Debug, Clone)]
pub struct Path {
    pub atoms: Vec<Atom>,
    /// How many existential variables there are.
    pub some: usize,
    /// What the heaps hold.
    pub heaps: Vec<Linear>,
    pub locals: BTreeMap<Slot, Linear>,
    pub picks: BTreeMap<Pick, Vec<HeapId>>,
    /// What this step takes, heap by heap.
    pub amounts: Vec<Linear>,
}

impl Path {
    /// Nothing is known of the position, and nothing has been chosen.
    pub fn new(heaps: usize) -> Path {
        let heap = |heap| Linear::variable(Variable::Before(heap));
        Path {
            atoms: Vec::new(),
            some: 0,
            heaps: (0..heaps).map(heap).collect(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            amounts: Vec::new(),
        }
    }

    /// A natural number of which nothing else is known.
    pub fn fresh(&mut self) -> Linear {
        self.some += 1;
        Linear::variable(Variable::Some(self.some - 1))
    }

    /// The path where the comparison holds too; `None` where it is seen at
    /// once that it cannot.
    pub fn assume(mut self, atom: Atom) -> Option<Path> {
        match atom.settled() {
            Some(true) => return Some(self),
            Some(false) => return None,
            None => {}
        }
        let bounds = |atom: &Atom| match atom {
            Atom::AtMost(sum) => vec![sum.clone()],
            Atom::Zero(sum) => [1, -1]
                .iter()
                .filter_map(|f| Linear::default().plus(*f, sum))
                .collect(),
            _ => Vec::new(),
        };
        // Two bounds whose sum is a positive constant contradict each other.
        let contradict = |one: &Linear, other: &Linear| {
            one.plus(1, other)
                .and_then(|sum| sum.value())
                .is_some_and(|value| value > 0)
        };
        let own = bounds(&atom);
        let others = self.atoms.iter().flat_map(&bounds);
        for other in others {
            if own.iter().any(|own| contradict(own, &other)) {
                return None;
            }
        }
        if !self.atoms.contains(&atom) {
            self.atoms.push(atom);
        }
        Some(self)
    }

    /// The path where the comparison holds, or does not hold.
    pub fn compare(
        self,
        left: &Linear,
        order: Order,
        right: &Linear,
        holds: bool,
        span: Span,
    ) -> Read<Option<Path>> {
        let apart = |one: &Linear, other: &Linear, more: i64| {
            let apart = one
                .plus(-1, other)
                .and_then(|s| s.plus(more, &Linear::constant(1)));
            apart.ok_or_else(|| large(span))
        };
        let atom = match (order, holds) {
            (Order::Equal, true) | (Order::NotEqual, false) => Atom::Zero(apart(left, right, 0)?),
            (Order::Equal, false) | (Order::NotEqual, true) => {
                Atom::NonZero(vec![apart(left, right, 0)?])
            }
            (Order::AtMost, true) => Atom::AtMost(apart(left, right, 0)?),
            (Order::AtMost, false) => Atom::AtMost(apart(right, left, 1)?),
            (Order::Less, true) => Atom::AtMost(apart(left, right, 1)?),
            (Order::Less, false) => Atom::AtMost(apart(right, left, 0)?),
        };
        Ok(self.assume(atom))
    }

    /// The sizes of some heaps.
    pub fn sizes(&self, heaps: &[HeapId]) -> Vec<Linear> {
        heaps
            .iter()
            .map(|h| self.heaps[h.index()].clone())
            .collect()
    }
}
