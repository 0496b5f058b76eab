//! The state of symbolic execution along one path.

use super::{Read, large};
use crate::atom::{Atom, Linear, Variable};
use nimrule_model::expr::{HeapId, Order, Pick, Slot};
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// A path: the comparisons that hold so far, the values of the heaps and the
/// bindings of names, at some point of a move.
#[derive(Debug, Clone)]
pub struct Path {
    pub atoms: Vec<Atom>,
    /// The number of existential variables.
    pub some: usize,
    /// The current size of each heap.
    pub heaps: Vec<Linear>,
    /// The values of bound names.
    pub locals: BTreeMap<Slot, Linear>,
    /// The heaps that the steps so far selected.
    pub picks: BTreeMap<Pick, Vec<HeapId>>,
    /// The amounts that the current step takes from the heaps it selected.
    pub amounts: Vec<Linear>,
}

impl Path {
    /// The path without conditions, at the start of a move.
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

    /// A new existential variable, a natural number.
    pub fn fresh(&mut self) -> Linear {
        self.some += 1;
        Linear::variable(Variable::Some(self.some - 1))
    }

    /// The path with a further comparison; `None` if that contradicts itself or
    /// a bound of the path. Other contradictions are not detected here.
    pub fn assume(mut self, atom: Atom) -> Option<Path> {
        match atom.truth_value() {
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

    /// The path on which a comparison holds, or, if `holds` is false, does not
    /// hold; `None` as for [`Path::assume`].
    pub fn compare(
        self,
        left: &Linear,
        order: Order,
        right: &Linear,
        holds: bool,
        span: Span,
    ) -> Read<Option<Path>> {
        let difference = |one: &Linear, other: &Linear, more: i64| {
            let difference = one
                .plus(-1, other)
                .and_then(|s| s.plus(more, &Linear::constant(1)));
            difference.ok_or_else(|| large(span))
        };
        let atom = match (order, holds) {
            (Order::Equal, true) | (Order::NotEqual, false) => {
                Atom::Zero(difference(left, right, 0)?)
            }
            (Order::Equal, false) | (Order::NotEqual, true) => {
                Atom::NonZero(vec![difference(left, right, 0)?])
            }
            (Order::AtMost, true) => Atom::AtMost(difference(left, right, 0)?),
            (Order::AtMost, false) => Atom::AtMost(difference(right, left, 1)?),
            (Order::Less, true) => Atom::AtMost(difference(left, right, 1)?),
            (Order::Less, false) => Atom::AtMost(difference(right, left, 0)?),
        };
        Ok(self.assume(atom))
    }

    /// The current sizes of some heaps.
    pub fn sizes(&self, heaps: &[HeapId]) -> Vec<Linear> {
        heaps
            .iter()
            .map(|h| self.heaps[h.index()].clone())
            .collect()
    }
}
