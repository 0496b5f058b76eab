//! Shrinking boards: circles and rows from which empty heaps vanish, so that
//! their neighbours become adjacent.

use super::Arrangement;
use crate::heap_id::HeapId;
use smallvec::SmallVec;
use std::ops::Range;

/// The heaps of a shrinking board, which are consecutive in a position. Heaps
/// that are not on the board never vanish and have no neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShrinkingBoard {
    /// Whether the last heap is followed by the first.
    pub arrangement: Arrangement,
    /// The index of the board's first heap in a position.
    pub first: usize,
    /// The number of heaps of the board, including empty ones.
    pub count: usize,
}

impl ShrinkingBoard {
    /// The indices of the board's heaps in a position.
    pub fn places(self) -> Range<usize> {
        self.first..self.first + self.count
    }

    /// Whether a heap is on the board.
    pub fn holds(self, heap: HeapId) -> bool {
        self.places().contains(&heap.index())
    }

    /// The heaps that are not on the board, in a position of `heaps` heaps.
    pub fn off_board(self, heaps: usize) -> impl Iterator<Item = HeapId> {
        (0..heaps)
            .filter(move |place| !self.places().contains(place))
            .map(HeapId::new)
    }

    /// The remaining heaps of the board: those that are not empty, in their
    /// order.
    pub fn remaining(self, position: &[u64]) -> SmallVec<[HeapId; 16]> {
        self.places()
            .filter(|place| position[*place] > 0)
            .map(HeapId::new)
            .collect()
    }

    /// Whether a heap remains: it is not empty, or not on the board.
    pub fn remains(self, heap: HeapId, position: &[u64]) -> bool {
        position[heap.index()] > 0 || !self.holds(heap)
    }

    /// The sets of `least` to `most` consecutive heaps among the remaining heaps
    /// of the board, which are given; the set of all of them, once, if there are
    /// no more. Each set is ascending.
    pub fn consecutive<S: FromIterator<HeapId> + AsMut<[HeapId]>>(
        self,
        remaining: &[HeapId],
        least: usize,
        most: usize,
    ) -> Vec<S> {
        let mut sets = Vec::new();
        for length in least..=most {
            if length >= remaining.len() {
                if !remaining.is_empty() {
                    sets.push(remaining.iter().copied().collect());
                }
                break;
            }
            let starts = match self.arrangement {
                Arrangement::Circle => remaining.len(),
                Arrangement::Row => remaining.len() + 1 - length,
            };
            for start in 0..starts {
                let mut set: S = (start..start + length)
                    .map(|place| remaining[place % remaining.len()])
                    .collect();
                set.as_mut().sort_unstable();
                sets.push(set);
            }
        }
        sets
    }

    /// The orders in which `count` remaining heaps of the board may be read, as
    /// lists of indices: forwards and backwards, on a circle starting at each
    /// heap.
    pub fn reading_orders(self, count: usize) -> Vec<Vec<usize>> {
        let rotations = match self.arrangement {
            Arrangement::Circle => count.max(1),
            Arrangement::Row => 1,
        };
        let mut orders = Vec::new();
        for rotation in 0..rotations {
            let forwards: Vec<usize> = (0..count).map(|place| (place + rotation) % count).collect();
            orders.push(forwards.iter().rev().copied().collect());
            orders.push(forwards);
        }
        orders.sort_unstable();
        orders.dedup();
        orders
    }
}
