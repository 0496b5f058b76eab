//! The engine of rules that leave at most one heap.
//!
//! The options by an interval of removable numbers are a window of the
//! sequence. It slides by one for each heap: one value enters, one leaves; with
//! an unbounded interval none leaves. So each heap costs one step for each
//! interval, independent of its length.

use super::Shape;
use super::intervals::Intervals;
use super::value_sets::{BitSet, Multiset, TimestampSet};

pub struct Taking {
    all: Intervals,
    windows: Vec<(u64, u64)>,
    /// The intervals of one number, ascending. PERF: a lookup is faster than a
    /// window of one.
    singles: Vec<u64>,
    counts: Multiset,
    marks: TimestampSet,
}

impl Taking {
    pub fn new(shape: &Shape) -> Taking {
        let (singles, windows) = shape.one.iter().partition(|(least, most)| least == most);
        let singles: Vec<(u64, u64)> = singles;
        Taking {
            all: shape.all.clone(),
            windows,
            singles: singles.into_iter().map(|(number, _)| number).collect(),
            counts: Multiset::default(),
            marks: TimestampSet::default(),
        }
    }

    /// The value of the next heap, if the rule has no other moves.
    pub fn next(&mut self, values: &[u32]) -> u32 {
        self.advance(values);
        self.marks.clear();
        for value in Self::looked_up(&self.singles, values) {
            self.marks.add(value);
        }
        if self.all.contains(values.len() as u64) {
            self.marks.add(0);
        }
        let mut mex = self.counts.mex_from(0);
        while self.marks.has(mex) {
            mex = self.counts.mex_from(mex + 1);
        }
        mex
    }

    /// Adds the values of the options that leave at most one heap.
    pub fn reached(&mut self, values: &[u32], into: &mut BitSet) {
        self.advance(values);
        into.join(self.counts.bits());
        for value in Self::looked_up(&self.singles, values) {
            into.add(value);
        }
        if self.all.contains(values.len() as u64) {
            into.add(0);
        }
    }

    /// Slides the windows to the next heap.
    fn advance(&mut self, values: &[u32]) {
        let heap = values.len() as u64;
        // The empty heap is not part of a window: it counts as no heap left.
        let place = |removed: u64| {
            let left = heap.checked_sub(removed)?;
            (left > 0).then_some(left as usize)
        };
        for (least, most) in &self.windows {
            if let Some(left) = place(*least) {
                self.counts.add(values[left]);
            }
            if let Some(left) = most.checked_add(1).and_then(place) {
                self.counts.remove(values[left]);
            }
        }
    }

    fn looked_up(singles: &[u64], values: &[u32]) -> impl Iterator<Item = u32> {
        let heap = values.len() as u64;
        singles
            .iter()
            .take_while(move |removed| **removed < heap)
            .map(move |removed| values[(heap - removed) as usize])
    }
}
