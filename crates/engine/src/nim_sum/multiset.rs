//! Multisets of heaps in which every move changes one heap: nim-sums of Grundy
//! sequences, one per kind of heap.

use super::NimSum;
use crate::{Engine as _, Limits, Lookup, SolveError, Solver, heap_sequences};
use nimrule_ir::Walker;
use nimrule_model::game::HeapKinds;
use nimrule_sequence::Sequence;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// An estimate of the bytes of an option in a set of moves.
const BYTES_PER_OPTION: u128 = 64;

/// Grundy values of the heaps of a multiset, computed on demand.
pub struct MultisetLookup<'s> {
    solver: &'s Solver<'s>,
    kinds: &'s HeapKinds,
    limits: Limits,
    /// The largest heap that the sequences cover.
    reach: u64,
    sequences: Vec<Sequence>,
}

impl<'s> MultisetLookup<'s> {
    pub fn new(
        solver: &'s Solver<'_>,
        kinds: &'s HeapKinds,
        position: &[u64],
        limits: &Limits,
    ) -> Result<MultisetLookup<'s>, SolveError> {
        let mut lookup = MultisetLookup {
            solver,
            kinds,
            limits: limits.clone(),
            reach: 0,
            sequences: Vec::new(),
        };
        lookup.reach_for(position)?;
        Ok(lookup)
    }

    fn reach_for(&mut self, position: &[u64]) -> Result<(), SolveError> {
        let sizes = position.iter().map(|heap| self.kinds.decode(*heap).0);
        let largest = sizes.max().unwrap_or(0);
        if self.sequences.is_empty() || largest > self.reach {
            self.sequences = heap_sequences::reaching(self.solver, largest, &self.limits)?;
            self.reach = largest;
        }
        Ok(())
    }

    fn heap(&self, heap: u64) -> Result<u64, SolveError> {
        let (size, kind) = self.kinds.decode(heap);
        self.sequences[kind]
            .value(size)
            .ok_or_else(|| SolveError::Cannot {
                engine: NimSum.name(),
                reason: format!("the value of a heap of {size} is too large"),
            })
    }

    fn sum(&self, position: &[u64]) -> Result<u64, SolveError> {
        position
            .iter()
            .try_fold(0, |sum, heap| Ok(sum ^ self.heap(*heap)?))
    }
}

impl Lookup for MultisetLookup<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        self.reach_for(position)?;
        self.sum(position)
    }

    /// The options of each heap that give the sum this value.
    fn moves_to(
        &mut self,
        wanted: u64,
        solver: &Solver<'_>,
        position: &[u64],
        limits: &Limits,
    ) -> Result<Vec<Vec<u64>>, SolveError> {
        let sum = self.value(position)? ^ wanted;
        let mut found = BTreeSet::new();
        for (place, heap) in position.iter().enumerate() {
            if place > 0 && position[place - 1] == *heap {
                continue;
            }
            let wanted = sum ^ self.heap(*heap)?;
            // The options of a heap may be too many to enumerate although its value is
            // known.
            let (size, kind) = self.kinds.decode(*heap);
            let options = heap_sequences::options(solver, kind, size);
            let needed = options.saturating_mul(BYTES_PER_OPTION);
            if needed > u128::from(limits.memory) {
                return Err(SolveError::Memory {
                    needed,
                    limit: limits.memory,
                });
            }
            let mut failure: Option<SolveError> = None;
            Walker::new(&solver.graph, &[])
                .until(limits)
                .options(&[*heap], 0, &mut |left, _| {
                    match self.sum(left) {
                        Ok(value) if value == wanted => {
                            let mut option = position.to_vec();
                            option.remove(place);
                            option.extend_from_slice(left);
                            option.sort_unstable();
                            found.insert(option);
                        }
                        Ok(_) => {}
                        Err(error) => failure = Some(error),
                    }
                    match failure {
                        None => ControlFlow::Continue(()),
                        Some(_) => ControlFlow::Break(()),
                    }
                })
                .map_err(|stop| SolveError::of(stop, position))?;
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        Ok(found.into_iter().collect())
    }
}
