//! Slide steps: tokens move along arcs of a digraph.

use super::{Exit, Walk, Walker};
use nimrule_model::expr::{Bool, Expr, HeapId, Pick};
use petgraph::graph::NodeIndex;
use std::ops::ControlFlow;

impl Walker<'_> {
    /// Enumerates all ways to move each chosen token along one arc.
    pub(super) fn slide<V>(
        &mut self,
        at: NodeIndex,
        pick: Pick,
        condition: Option<&Expr<Bool>>,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        if let Some(condition) = condition {
            // The amounts are those of an earlier step, which goes on with them.
            let outer = std::mem::take(&mut self.amounts);
            let holds = self.holds(condition);
            self.amounts = outer;
            if !holds? {
                return Ok(());
            }
        }
        let tokens = self.picks[pick.index()].clone();
        self.slide_each(at, &tokens, visit)
    }

    fn slide_each<V>(&mut self, at: NodeIndex, tokens: &[HeapId], visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let Some((token, rest)) = tokens.split_first() else {
            return self.continue_from(at, visit);
        };
        let graph = self.graph;
        let digraph = graph.digraph.as_ref().expect("tokens slide on a digraph");
        let from = self.position[token.index()];
        let place = self.place;
        // An earlier step may have set the token to a number that is no vertex.
        let Some(state) = digraph.state(from) else {
            return Ok(());
        };
        for target in digraph.relation.from(state) {
            self.step(1)?;
            let to = digraph.number(*target as usize);
            self.position[token.index()] = to;
            self.place = place.wrapping_add(
                self.strides[token.index()].wrapping_mul(to.wrapping_sub(from) as usize),
            );
            self.slide_each(at, rest, visit)?;
        }
        self.position[token.index()] = from;
        self.place = place;
        Ok::<(), Exit>(())
    }
}
