//! Connection on the board: the transitive closure of the relation of neighbours.

use crate::Fault;
use crate::expression::Environment;
use nimrule_model::expr::{Fault as Kind, HeapId, HeapSet, Joined, Region};
use std::collections::BTreeSet;

impl Environment<'_> {
    /// For each heap of a region the heaps that a path within the region leads to: the least
    /// sets that hold the heap itself, and with a heap its neighbours in the region.
    fn reached(&self, region: &Region) -> Result<Vec<(HeapId, BTreeSet<HeapId>)>, Fault> {
        let mut inside = BTreeSet::new();
        for heap in &region.heaps {
            let of_heap = self.with(region.slot, heap.index() as i64 + 1);
            let belongs = match &region.condition {
                Some(condition) => of_heap.holds(condition)?,
                None => true,
            };
            if belongs {
                inside.insert(*heap);
            }
        }
        let closure = |heap: &HeapId| {
            let mut reached = BTreeSet::from([*heap]);
            loop {
                let neighbours = reached
                    .iter()
                    .flat_map(|heap| &region.neighbours[heap.index()]);
                let more: BTreeSet<HeapId> = neighbours
                    .filter(|heap| inside.contains(heap) && !reached.contains(heap))
                    .copied()
                    .collect();
                if more.is_empty() {
                    return (*heap, reached);
                }
                reached.extend(more);
            }
        };
        Ok(inside.iter().map(closure).collect())
    }

    /// Whether a path of a region leads from one set of heaps to another.
    pub(crate) fn joined(&self, joined: &Joined) -> Result<bool, Fault> {
        let (from, to) = (self.heap_set(&joined.from)?, self.heap_set(&joined.to)?);
        let reached = self.reached(&joined.through)?;
        Ok(reached.iter().any(|(heap, reached)| {
            from.contains(heap) && to.iter().any(|other| reached.contains(other))
        }))
    }

    /// The number of components of a region.
    pub(crate) fn components(&self, region: &Region) -> Result<i64, Fault> {
        let components: BTreeSet<BTreeSet<HeapId>> = (self.reached(region)?.into_iter())
            .map(|(_, reached)| reached)
            .collect();
        Ok(components.len() as i64)
    }

    fn heap_set(&self, set: &HeapSet) -> Result<Vec<HeapId>, Fault> {
        match set {
            HeapSet::These(heaps) => Ok(heaps.clone()),
            HeapSet::Picked(pick) => Ok(self.selected[pick].clone()),
            HeapSet::At { lists, index } => {
                let place = i128::from(self.number(index)?) - 1;
                let heaps = usize::try_from(place).ok().and_then(|at| lists.get(at));
                heaps.cloned().ok_or(Fault {
                    kind: Kind::NoSuchHeap,
                    at: index.span,
                })
            }
        }
    }
}
