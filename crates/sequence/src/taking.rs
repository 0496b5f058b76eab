//! Rules that leave one heap at most.
//!
//! What a run of numbers removed leads to is a stretch of the sequence that
//! moves along with the heap's size: one value comes in, one goes out, and a
//! run without end only takes in. So each heap costs a step for each run,
//! however long the runs are.

use super::Shape;
use super::marks::{Bits, Counts, Marks};
use super::runs::Runs;

pub struct Taking {
    all: Runs,
    windows: Vec<(u64, u64)>,
    /// Numbers that stand alone, ascending: looked up, which is cheaper than
    /// a window of one.
    singles: Vec<u64>,
    counts: Counts,
    marks: Marks,
}

impl Taking {
    pub fn new(shape: &Shape) -> Taking {
        let (singles, windows) = shape.one.iter().partition(|(least, most)| least == most);
        let singles: Vec<(u64, u64)> = singles;
        Taking {
            all: shape.all.clone(),
            windows,
            singles: singles.into_iter().map(|(number, _)| number).collect(),
            counts: Counts::default(),
            marks: Marks::default(),
        }
    }

    /// The value of the next heap where nothing else can be done.
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

    /// Adds the values that taking alone leads to.
    pub fn reached(&mut self, values: &[u32], into: &mut Bits) {
        self.advance(values);
        into.join(self.counts.bits());
        for value in Self::looked_up(&self.singles, values) {
            into.add(value);
        }
        if self.all.contains(values.len() as u64) {
            into.add(0);
        }
    }

    /// Moves the windows on to the next heap.
    fn advance(&mut self, values: &[u32]) {
        let heap = values.len() as u64;
        // Heaps from 1 on come in: the empty one is not left but vanishes.
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
