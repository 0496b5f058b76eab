//! Connection on the board: paths through a region, and its components.
//!
//! Both are found by a search of the adjacency lists, which visits each heap of the region
//! once.

use super::eval::list_at;
use super::{Environment, HeapId, HeapSet, Joined, PlacedFault, Region};
use smallvec::SmallVec;

/// One flag for each heap of the game.
type Flags = SmallVec<[bool; 64]>;

impl Region {
    /// Which heaps belong to the region.
    ///
    /// # Errors
    ///
    /// If the condition has no value for one of the heaps.
    fn members(&self, environment: &mut Environment<'_>) -> Result<Flags, PlacedFault> {
        let mut members = Flags::from_elem(false, self.neighbours.len());
        for heap in &self.heaps {
            environment.locals[self.slot.index()] = heap.index() as i64 + 1;
            members[heap.index()] = match &self.condition {
                Some(condition) => condition.eval(environment)?,
                None => true,
            };
        }
        Ok(members)
    }

    /// Removes the component of the heaps `next` from `rest`. Returns whether `wanted` holds
    /// for one of its heaps; the search ends there.
    fn search(
        &self,
        rest: &mut Flags,
        next: impl IntoIterator<Item = HeapId>,
        wanted: impl Fn(HeapId) -> bool,
    ) -> bool {
        let mut next: SmallVec<[HeapId; 64]> = next.into_iter().collect();
        next.retain(|heap| std::mem::take(&mut rest[heap.index()]));
        while let Some(heap) = next.pop() {
            if wanted(heap) {
                return true;
            }
            for other in &self.neighbours[heap.index()] {
                if std::mem::take(&mut rest[other.index()]) {
                    next.push(*other);
                }
            }
        }
        false
    }

    /// The number of components.
    ///
    /// # Errors
    ///
    /// If the condition has no value for one of the heaps.
    pub(super) fn components(&self, environment: &mut Environment<'_>) -> Result<i64, PlacedFault> {
        let mut rest = self.members(environment)?;
        let mut components = 0;
        for heap in &self.heaps {
            if rest[heap.index()] {
                components += 1;
                self.search(&mut rest, [*heap], |_| false);
            }
        }
        Ok(components)
    }
}

impl Joined {
    /// Whether there is a path.
    ///
    /// # Errors
    ///
    /// If an expression has no value.
    pub(super) fn holds(&self, environment: &mut Environment<'_>) -> Result<bool, PlacedFault> {
        let from = heaps_of(&self.from, environment)?;
        let to = heaps_of(&self.to, environment)?;
        let mut rest = self.through.members(environment)?;
        Ok(self
            .through
            .search(&mut rest, from, |heap| to.contains(&heap)))
    }
}

/// The heaps of a set.
fn heaps_of(
    set: &HeapSet,
    environment: &mut Environment<'_>,
) -> Result<SmallVec<[HeapId; 8]>, PlacedFault> {
    Ok(match set {
        HeapSet::These(heaps) => heaps.iter().copied().collect(),
        HeapSet::Picked(pick) => environment.picks[pick.index()].clone(),
        HeapSet::At { lists, index } => list_at(lists, index, environment)?
            .iter()
            .copied()
            .collect(),
    })
}
