//! Replace steps: a heap becomes heaps of any sizes.

use super::{Walk, Walker};
use crate::Replace;
use nimrule_model::expr::{Fault, HeapId};
use petgraph::graph::NodeIndex;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The values of the numbers chosen so far.
type Values = SmallVec<[i64; 4]>;

impl Walker<'_> {
    /// Enumerates the heaps by which the step replaces the chosen heap. All expressions read
    /// the position before the step.
    pub(super) fn replace<V>(&mut self, at: NodeIndex, replace: &Replace, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        for heap in self.picks[replace.pick.index()].clone() {
            self.choose_sizes(at, replace, heap, &mut Values::new(), visit)?;
        }
        Ok(())
    }

    /// Chooses the numbers from the first that has no value on.
    fn choose_sizes<V>(
        &mut self,
        at: NodeIndex,
        replace: &Replace,
        heap: HeapId,
        values: &mut Values,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        self.step(1)?;
        // A repeat reaches this step again before the other values are tried.
        for ((slot, _), value) in replace.names.iter().zip(&*values) {
            self.locals[slot.index()] = *value;
        }
        let Some((_, set)) = replace.names.get(values.len()) else {
            return self.replace_by(at, replace, heap, visit);
        };
        for value in self.members(set, i64::MAX)? {
            if value >= 0 {
                values.push(value);
                self.choose_sizes(at, replace, heap, values, visit)?;
                values.pop();
            }
        }
        Ok(())
    }

    /// Replaces the heap, once all numbers are chosen.
    fn replace_by<V>(
        &mut self,
        at: NodeIndex,
        replace: &Replace,
        heap: HeapId,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        if let Some(condition) = &replace.condition
            && !self.holds(condition)?
        {
            return Ok(());
        }
        let own = self.kinds[heap.index()];
        let mut new: SmallVec<[(u64, u64, usize); 4]> = SmallVec::new();
        for heaps in &replace.by {
            let size = u64::try_from(self.number(&heaps.size)?);
            let size = size.map_err(|_| Fault::NegativeSize.at(heaps.size.span))?;
            let count = match &heaps.count {
                Some(count) => u64::try_from(self.number(count)?).unwrap_or(0),
                None => 1,
            };
            new.push((count, size, heaps.kind.unwrap_or(own)));
        }
        let mut parts: Vec<_> = vec![self.put_part(at, heap, false, 0, own)?];
        let mut is_first_placed = false;
        for (count, size, kind) in new {
            // An empty heap is none, but the first of all has the name of the heap.
            let count = match (size, is_first_placed) {
                (0, true) => 0,
                (0, false) => count.min(1),
                _ => count,
            };
            for _ in 0..count {
                self.step(1)?;
                parts.push(self.put_part(at, heap, is_first_placed, size, kind)?);
                is_first_placed = true;
            }
        }
        self.continue_from(at, visit)?;
        for before in parts.into_iter().rev() {
            self.undo_part(heap, before);
        }
        Ok(())
    }
}
