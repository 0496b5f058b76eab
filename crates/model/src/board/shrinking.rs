//! Circles and rows from which empty heaps vanish, so that their neighbours
//! close up.

use crate::expr::HeapId;
use smallvec::SmallVec;
use std::ops::Range;

/// How the heaps of a shrinking board stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    Circle,
    Row,
}

/// A shrinking board's heaps, which follow each other in a position. All other
/// heaps are loose: they lie beside the board, never vanish, and are
/// neighbours of none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShrinkingBoard {
    pub around: Around,
    /// The place of the board's first heap in a position.
    pub first: usize,
    /// How many heaps the board has, empty ones included.
    pub count: usize,
}

impl ShrinkingBoard {
    /// The places of the board's heaps in a position.
    pub fn places(self) -> Range<usize> {
        self.first..self.first + self.count
    }

    pub fn holds(self, heap: HeapId) -> bool {
        self.places().contains(&heap.index())
    }

    /// The heaps beside the board, of a position of so many heaps.
    pub fn loose(self, heaps: usize) -> impl Iterator<Item = HeapId> {
        (0..heaps)
            .filter(move |place| !self.places().contains(place))
            .map(HeapId::new)
    }

    /// The board's heaps that are not empty, in their order.
    pub fn left(self, position: &[u64]) -> SmallVec<[HeapId; 16]> {
        self.places()
            .filter(|place| position[*place] > 0)
            .map(HeapId::new)
            .collect()
    }

    /// Is the heap there: not empty, or beside the board?
    pub fn is_there(self, heap: HeapId, position: &[u64]) -> bool {
        position[heap.index()] > 0 || !self.holds(heap)
    }

    /// The sets of `least` to `most` consecutive heaps among those given, which
    /// are the board's heaps that are left; all of them, once, where no more
    /// are left. Each set is ascending.
    pub fn consecutive<S: FromIterator<HeapId> + AsMut<[HeapId]>>(
        self,
        left: &[HeapId],
        least: usize,
        most: usize,
    ) -> Vec<S> {
        let mut sets = Vec::new();
        for length in least..=most {
            if length >= left.len() {
                if !left.is_empty() {
                    sets.push(left.iter().copied().collect());
                }
                break;
            }
            let starts = match self.around {
                Around::Circle => left.len(),
                Around::Row => left.len() + 1 - length,
            };
            for start in 0..starts {
                let mut set: S = (start..start + length)
                    .map(|place| left[place % left.len()])
                    .collect();
                set.as_mut().sort_unstable();
                sets.push(set);
            }
        }
        sets
    }

    /// The orders in which `left` heaps of the board may be read: the turns of
    /// a circle, forwards and backwards.
    pub fn readings(self, left: usize) -> Vec<Vec<usize>> {
        let turns = match self.around {
            Around::Circle => left.max(1),
            Around::Row => 1,
        };
        let mut readings = Vec::new();
        for turn in 0..turns {
            let forwards: Vec<usize> = (0..left).map(|place| (place + turn) % left).collect();
            readings.push(forwards.iter().rev().copied().collect());
            readings.push(forwards);
        }
        readings.sort_unstable();
        readings.dedup();
        readings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(around: Around) -> ShrinkingBoard {
        ShrinkingBoard {
            around,
            first: 1,
            count: 4,
        }
    }

    fn consecutive(around: Around, position: &[u64], least: usize, most: usize) -> Vec<Vec<usize>> {
        let left = board(around).left(position);
        let sets = board(around).consecutive::<Vec<HeapId>>(&left, least, most);
        let places = |set: Vec<HeapId>| set.into_iter().map(HeapId::index).collect();
        sets.into_iter().map(places).collect()
    }

    #[test]
    fn loose_heaps_are_nobodys_neighbours() {
        let position = [9, 1, 0, 1, 1, 9];
        let circle = consecutive(Around::Circle, &position, 2, 2);
        assert_eq!(circle, [vec![1, 3], vec![3, 4], vec![1, 4]]);
        let row = consecutive(Around::Row, &position, 2, 2);
        assert_eq!(row, [vec![1, 3], vec![3, 4]]);
        assert_eq!(
            consecutive(Around::Row, &position, 1, 4),
            [
                vec![1],
                vec![3],
                vec![4],
                vec![1, 3],
                vec![3, 4],
                vec![1, 3, 4]
            ]
        );
        assert!(consecutive(Around::Circle, &[9, 0, 0, 0, 0, 9], 1, 2).is_empty());
        let loose: Vec<usize> = board(Around::Row).loose(6).map(HeapId::index).collect();
        assert_eq!(loose, [0, 5]);
    }

    #[test]
    fn a_circle_is_read_from_every_heap() {
        assert_eq!(board(Around::Row).readings(3), [[0, 1, 2], [2, 1, 0]]);
        assert_eq!(board(Around::Circle).readings(3).len(), 6);
        assert_eq!(board(Around::Circle).readings(0), [Vec::<usize>::new()]);
    }
}
