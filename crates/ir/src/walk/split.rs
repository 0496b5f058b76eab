//! Multisets of heaps: positions whose number of heaps changes.
//!
//! During a walk the heaps of the multiset form a list. A split puts its first
//! part in the place of the heap and appends the others; backtracking restores
//! the list. Heaps emptied by a step remain in the list but are not chosen again.

use super::part_bounds::PartBounds;
use super::{Walk, Walker};
use nimrule_model::expr::{Bool, Expr, Fault, HeapId, OfKind, Pick, Picked, PlacedFault, Slot};
use nimrule_model::game::{HeapKinds, Leaving, Number, Parts};
use petgraph::graph::NodeIndex;
use std::ops::ControlFlow;

/// The largest number of heaps during a walk.
const MOST_HEAPS: usize = 60_000;

/// The parts that a split has still to place.
#[derive(Clone, Copy)]
struct Rest {
    heap: HeapId,
    /// Whether the first part is in the place of the heap.
    is_first_placed: bool,
    parts: u64,
    tokens: u64,
    /// The size of the previous part: sizes descend, so that each partition occurs
    /// once.
    most: u64,
    kind: usize,
}

/// A split whose parts are bound to locals.
struct Naming<'s> {
    at: NodeIndex,
    heap: HeapId,
    slots: &'s [Slot],
    condition: Option<&'s Expr<Bool>>,
}

/// A split into parts without names.
struct Splitting<'s> {
    at: NodeIndex,
    heap: HeapId,
    bounds: PartBounds,
    condition: Option<&'s Expr<Bool>>,
}

impl Walker<'_> {
    /// Loads a position.
    pub(super) fn load(&mut self, position: &[u64]) {
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

    /// The position in the normal form of a multiset.
    pub(super) fn normalised(&self, kinds: &HeapKinds) -> Vec<u64> {
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

    /// The sets of heaps that a step may choose from the multiset.
    pub(super) fn heap_choices(&self, number: Number, kind: OfKind) -> Vec<Picked> {
        let there: Vec<HeapId> = self
            .position
            .iter()
            .zip(&self.kinds)
            .enumerate()
            .filter(|(_, (size, of))| **size > 0 && kind.has(Some(**of)))
            .map(|(place, _)| HeapId::new(place))
            .collect();
        let (least, most) = match number {
            Number::Some { least, most } => (least, most.min(there.len())),
            Number::All if there.is_empty() => return Vec::new(),
            Number::All => return vec![there.into_iter().collect()],
            Number::AllBut(alone) => (1, there.len().saturating_sub(alone)),
        };
        let mut chosen = Vec::new();
        choose(&there, least, most, &mut Picked::new(), &mut chosen);
        chosen
    }

    /// Enumerates the partitions of the rest of a heap that a take allows.
    pub(super) fn leave<V>(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        leaving: Leaving,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let tokens = self.position[heap.index()];
        for parts in leaving.least..=leaving.most.min(tokens) {
            if parts == 0 {
                // No heap is left if the whole heap is taken.
                if tokens == 0 {
                    self.continue_from(at, visit)?;
                }
                continue;
            }
            self.divide(
                at,
                Rest {
                    heap,
                    is_first_placed: false,
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

    /// Enumerates the sizes of the next part that leave enough for the others.
    fn divide<V>(&mut self, at: NodeIndex, rest: Rest, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        self.step(1)?;
        let Some(others) = rest.parts.checked_sub(1) else {
            return self.continue_from(at, visit);
        };
        let largest = rest.most.min(rest.tokens - others);
        let smallest = rest.tokens.div_ceil(rest.parts);
        for size in smallest..=largest {
            let next = Rest {
                is_first_placed: true,
                parts: others,
                tokens: rest.tokens - size,
                most: size,
                ..rest
            };
            let before = self.put_part(at, rest.heap, rest.is_first_placed, size, rest.kind)?;
            self.divide(at, next, visit)?;
            self.undo_part(rest.heap, before);
        }
        Ok(())
    }

    /// Puts a part in the place of the heap, or at the end of the list; returns the
    /// previous heap if it was replaced.
    pub(super) fn put_part(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        is_first_placed: bool,
        size: u64,
        kind: usize,
    ) -> Result<Option<(u64, usize)>, PlacedFault> {
        if !is_first_placed {
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

    pub(super) fn undo_part(&mut self, heap: HeapId, before: Option<(u64, usize)>) {
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

    /// Enumerates all splits of the chosen heap that the step allows.
    pub(super) fn split<V>(
        &mut self,
        at: NodeIndex,
        pick: Pick,
        parts: &Parts,
        condition: Option<&Expr<Bool>>,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
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
                Parts::Any => self.split_into_any(at, heap, condition, visit)?,
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

    /// Enumerates the partitions of the heap into two or more parts that the condition
    /// allows.
    fn split_into_any<V>(
        &mut self,
        at: NodeIndex,
        heap: HeapId,
        condition: Option<&Expr<Bool>>,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let tokens = self.position[heap.index()];
        if tokens < 2 {
            return Ok(());
        }
        let bounds = PartBounds::of(condition, &mut self.environment());
        let outer = std::mem::take(&mut self.amounts);
        let splitting = Splitting {
            at,
            heap,
            bounds,
            condition,
        };
        self.next_part(&splitting, tokens, visit)?;
        self.amounts = outer;
        Ok(())
    }

    /// Enumerates the sizes of the next part, no smaller than the one before; the parts so
    /// far are the amounts.
    fn next_part<V>(&mut self, splitting: &Splitting<'_>, rest: u64, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        self.step(1)?;
        let bounds = &splitting.bounds;
        let placed = self.amounts.len() as u64;
        let smallest = match self.amounts.last() {
            Some(last) => last + u64::from(bounds.distinct),
            None => bounds.each_least,
        };
        let largest = rest.min(bounds.each_most);
        if placed >= bounds.most || rest < smallest {
            return Ok(());
        }
        // One of several parts that are left is not the largest of them.
        let first = self.amounts.first().copied();
        if placed + 1 < bounds.most {
            for size in smallest..=largest.min(rest / 2) {
                let first = first.unwrap_or(size);
                if bounds.are_too_far_apart(first, size, placed + rest / size) {
                    break;
                }
                self.amounts.push(size);
                self.next_part(splitting, rest - size, visit)?;
                self.amounts.pop();
            }
        }
        let parts = placed + 1;
        let apart = first.is_some_and(|first| bounds.are_too_far_apart(first, rest, parts));
        if rest > largest || parts < bounds.least || apart {
            return Ok(());
        }
        self.amounts.push(rest);
        let holds = match splitting.condition {
            Some(condition) => self.holds(condition)?,
            None => true,
        };
        if holds {
            let sizes = std::mem::take(&mut self.amounts);
            let (at, heap) = (splitting.at, splitting.heap);
            let kind = self.kinds[heap.index()];
            let mut before = Vec::new();
            for (place, size) in sizes.iter().enumerate() {
                before.push(self.put_part(at, heap, place > 0, *size, kind)?);
            }
            self.continue_from(at, visit)?;
            for before in before.into_iter().rev() {
                self.undo_part(heap, before);
            }
            self.amounts = sizes;
        }
        self.amounts.pop();
        Ok(())
    }

    /// Enumerates the sizes of the parts from slot `next` on. The condition reads
    /// the position at the start of the step.
    fn name_parts<V>(
        &mut self,
        naming: &Naming<'_>,
        sizes: &mut Vec<u64>,
        tokens: u64,
        visit: &mut V,
    ) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
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
            self.continue_from(naming.at, visit)?;
            for before in before.into_iter().rev() {
                self.undo_part(naming.heap, before);
            }
        }
        sizes.pop();
        Ok(())
    }
}

/// Enumerates the subsets of `least` to `most` heaps that extend `chosen`.
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
