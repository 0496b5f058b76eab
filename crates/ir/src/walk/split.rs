//! Bags: heaps that come and go.
//!
//! A bag's heaps are set out in a row while a move is walked. What splits a
//! heap leaves its first part in its place and adds the others at the end of
//! the row; on the way back the row is as before. Heaps that a step has emptied
//! stay in the row, but nothing chooses them any more.

use super::{Walk, Walker};
use nimrule_model::expr::{Bool, Expr, Fault, HeapId, Pick, Picked, PlacedFault, Slot};
use nimrule_model::game::{HeapKinds, Leaving, Number, Parts};
use petgraph::graph::NodeIndex;
use std::ops::ControlFlow;

/// A position has at most so many heaps while a move is walked.
const MOST_HEAPS: usize = 60_000;

/// Parts that still have to be put down.
#[derive(Clone, Copy)]
struct Rest {
    heap: HeapId,
    /// Has the first part been put in the heap's place?
    begun: bool,
    parts: u64,
    tokens: u64,
    /// No part is larger than the one before it, so that each way to divide
    /// comes up once.
    most: u64,
    kind: usize,
}

/// A split whose parts have names.
struct Naming<'s> {
    at: NodeIndex,
    heap: HeapId,
    slots: &'s [Slot],
    condition: Option<&'s Expr<Bool>>,
}

impl Walker<'_> {
    /// Sets a position out.
    pub(super) fn set_out(&mut self, position: &[u64]) {
        let Some(kinds) = &self.graph.kinds else {
            self.position.copy_from_slice(position);
            return;
        };
        self.position.clear();
        self.kinds.clear();
        for heap in position {
            let (size, kind) = kinds.decode(*heap);
            self.position.push(size);
            self.kinds.push(kind);
        }
        self.strides.clear();
        self.strides.resize(position.len(), 0);
    }

    /// The position as a bag is written down.
    pub(super) fn gathered(&self, kinds: &HeapKinds) -> Vec<u64> {
        let mut heaps: Vec<u64> = self
            .position
            .iter()
            .zip(&self.kinds)
            .filter(|(size, _)| **size > 0)
            .map(|(size, kind)| kinds.encode(*size, *kind))
            .collect();
        heaps.sort_unstable();
        heaps
    }

    /// The heaps that a step may choose from the bag.
    pub(super) fn heaps_of_the_bag(&self, number: Number, kind: Option<usize>) -> Vec<Picked> {
        let there: Vec<HeapId> = self
            .position
            .iter()
            .zip(&self.kinds)
            .enumerate()
            .filter(|(_, (size, of))| **size > 0 && kind.is_none_or(|kind| kind == **of))
            .map(|(place, _)| HeapId::new(place))
            .collect();
        let (least, most) = match number {
            Number::Some { least, most } => (least, most.min(there.len())),
            Number::All if there.is_empty() => return Vec::new(),
            Number::All => return vec![there.into_iter().collect()],
        };
        let mut chosen = Vec::new();
        choose(&there, least, most, &mut Picked::new(), &mut chosen);
        chosen
    }

    /// Puts what a take has left of a heap into as many heaps as it may.
    pub(super) fn leave<V>(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        leaving: Leaving,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let tokens = self.position[heap.index()];
        for parts in leaving.least..=leaving.most.min(tokens) {
            if parts == 0 {
                // Leaving no heap is taking the whole of it.
                if tokens == 0 {
                    self.go_on(at, visit)?;
                }
                continue;
            }
            self.divide(
                at,
                Rest {
                    heap,
                    begun: false,
                    parts,
                    tokens,
                    most: tokens,
                    kind: leaving.kind.unwrap_or(self.kinds[heap.index()]),
                },
                visit,
            )?;
        }
        Ok(())
    }

    /// Puts the next part down in every size that leaves enough for the others.
    fn divide<V>(&mut self, at: NodeIndex, rest: Rest, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        self.step(1)?;
        let Some(others) = rest.parts.checked_sub(1) else {
            return self.go_on(at, visit);
        };
        let largest = rest.most.min(rest.tokens - others);
        let smallest = rest.tokens.div_ceil(rest.parts);
        for size in smallest..=largest {
            let next = Rest {
                begun: true,
                parts: others,
                tokens: rest.tokens - size,
                most: size,
                ..rest
            };
            let before = self.put_part(at, rest.heap, rest.begun, size, rest.kind)?;
            self.divide(at, next, visit)?;
            self.undo_part(rest.heap, before);
        }
        Ok(())
    }

    /// Puts a part in the heap's place, or at the end of the row; returns what
    /// the heap was if it was replaced.
    fn put_part(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        begun: bool,
        size: u64,
        kind: usize,
    ) -> Result<Option<(u64, usize)>, PlacedFault> {
        if !begun {
            let place = heap.index();
            let before = (self.position[place], self.kinds[place]);
            self.position[place] = size;
            self.kinds[place] = kind;
            return Ok(Some(before));
        }
        if self.position.len() >= MOST_HEAPS {
            return Err(Fault::TooManyHeaps.at(self.graph.span(at)));
        }
        self.position.push(size);
        self.kinds.push(kind);
        self.strides.push(0);
        Ok(None)
    }

    fn undo_part(&mut self, heap: HeapId, before: Option<(u64, usize)>) {
        match before {
            Some((size, kind)) => {
                self.position[heap.index()] = size;
                self.kinds[heap.index()] = kind;
            }
            None => {
                self.position.pop();
                self.kinds.pop();
                self.strides.pop();
            }
        }
    }

    /// Splits the heap chosen in every way that the step allows.
    pub(super) fn split<V>(
        &mut self,
        at: NodeIndex,
        pick: Pick,
        parts: &Parts,
        condition: Option<&Expr<Bool>>,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        for heap in self.picks[pick.index()].clone() {
            match parts {
                Parts::Counted(leaving) => {
                    let holds = match condition {
                        Some(condition) => self.holds(condition)?,
                        None => true,
                    };
                    if holds {
                        self.leave(at, heap, *leaving, visit)?;
                    }
                }
                Parts::Named(slots) => {
                    let tokens = self.position[heap.index()];
                    let naming = Naming {
                        at,
                        heap,
                        slots,
                        condition,
                    };
                    self.name_parts(&naming, &mut Vec::new(), tokens, visit)?;
                }
            }
        }
        Ok(())
    }

    /// Gives the part of the `next`th slot every size, and then those after it;
    /// the condition reads the position as the step began.
    fn name_parts<V>(
        &mut self,
        naming: &Naming<'_>,
        sizes: &mut Vec<u64>,
        tokens: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        self.step(1)?;
        let others = (naming.slots.len() - sizes.len()) as u64 - 1;
        if others > 0 {
            for size in 1..=tokens.saturating_sub(others) {
                sizes.push(size);
                self.name_parts(naming, sizes, tokens - size, visit)?;
                sizes.pop();
            }
            return Ok(());
        }
        if tokens == 0 {
            return Ok(());
        }
        sizes.push(tokens);
        for (slot, size) in naming.slots.iter().zip(&*sizes) {
            // INVARIANT: positions are made from numbers up to i64::MAX.
            self.locals[slot.index()] = *size as i64;
        }
        let holds = match naming.condition {
            Some(condition) => self.holds(condition)?,
            None => true,
        };
        if holds {
            let kind = self.kinds[naming.heap.index()];
            let mut before = Vec::new();
            for (place, size) in sizes.iter().enumerate() {
                before.push(self.put_part(naming.at, naming.heap, place > 0, *size, kind)?);
            }
            self.go_on(naming.at, visit)?;
            for before in before.into_iter().rev() {
                self.undo_part(naming.heap, before);
            }
        }
        sizes.pop();
        Ok(())
    }
}

/// The sets of `least` to `most` of these heaps that begin with those chosen.
fn choose(
    there: &[HeapId],
    least: usize,
    most: usize,
    chosen: &mut Picked,
    found: &mut Vec<Picked>,
) {
    if chosen.len() >= least.max(1) {
        found.push(chosen.clone());
    }
    if chosen.len() >= most {
        return;
    }
    for (place, heap) in there.iter().enumerate() {
        chosen.push(*heap);
        choose(&there[place + 1..], least, most, chosen, found);
        chosen.pop();
    }
}
