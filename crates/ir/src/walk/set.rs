//! Set steps: heaps get new sizes.

use super::{Walk, Walker};
use nimrule_model::expr::{Bool, Expr, Fault, HeapId, Num, Pick, Slot};
use petgraph::graph::NodeIndex;
use smallvec::SmallVec;
use std::ops::ControlFlow;

impl Walker<'_> {
    /// Gives each heap chosen the new size, which is read in the position before
    /// the step.
    pub(super) fn set<V>(
        &mut self,
        at: NodeIndex,
        pick: Pick,
        (size, number, value): (Slot, Option<Slot>, &Expr<Num>),
        condition: Option<&Expr<Bool>>,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        if let Some(condition) = condition
            && !self.holds(condition)?
        {
            return Ok(());
        }
        let mut changes: SmallVec<[(HeapId, u64, u64); 8]> = SmallVec::new();
        for place in 0..self.picks[pick.index()].len() {
            let heap = self.picks[pick.index()][place];
            let before = self.position[heap.index()];
            // INVARIANT: sizes are at most i64::MAX.
            self.locals[size.index()] = before as i64;
            if let Some(number) = number {
                self.locals[number.index()] = heap.index() as i64 + 1;
            }
            let after = u64::try_from(self.number(value)?);
            let after = after.map_err(|_| Fault::NegativeSize.at(value.span))?;
            if after != before {
                changes.push((heap, before, after));
            }
        }
        for (heap, before, after) in &changes {
            self.replace_size(*heap, *before, *after);
        }
        self.continue_from(at, visit)?;
        for (heap, before, after) in &changes {
            self.replace_size(*heap, *after, *before);
        }
        Ok(())
    }
}
