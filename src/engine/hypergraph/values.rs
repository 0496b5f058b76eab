//! Grundy values, by a Nim heap beside the game.

use super::family::family;
use super::twins_first;
use crate::engine::{Failure, Limits, Shape, Solver};
use crate::game::Convention;
use crate::limits::{Met, Work};
use crate::rows::mex::{self, Family, Start};
use crate::rows::{Layout, Sink};

/// The Nim heap's size to begin with: what fits a word.
const FIRST: u64 = 63;

/// A heap larger than this is not tried.
const MOST: u64 = 1023;

/// The game with a Nim heap of this size, and its box.
fn beside(solver: &Solver<'_>, most: &[u64], nim: u64) -> Option<(Family, Layout)> {
    let mut order: Vec<usize> = (0..most.len()).collect();
    twins_first(solver, most, &mut order);
    let edges = solver.profile.hyperedges.as_ref().ok()?;
    let family = family(edges, &order).ok()?.with_nim_heap(most.len());
    family.fits(most.len() + 1).ok()?;
    order.push(most.len());
    let layout = Layout::in_order(&[most, &[nim]].concat(), order)?;
    Some((family, layout))
}

/// The largest value that there can be: a move takes one token at least.
fn bound(most: &[u64]) -> u64 {
    most.iter()
        .fold(0, |sum: u64, size| sum.saturating_add(*size))
}

/// Bytes that the values of a box take besides the table; `None` where there
/// may be too many of them.
pub(super) fn bytes(solver: &Solver<'_>, most: &[u64]) -> Option<u128> {
    let (family, layout) = beside(solver, most, bound(most).min(FIRST))?;
    Some(mex::bytes(&family, &layout))
}

/// The values of a box, in its order; `None` where they are too many for a
/// row.
pub(super) fn values(
    solver: &Solver<'_>,
    shape: &Shape,
    convention: Convention,
    limits: &Limits,
) -> Result<Option<Vec<u32>>, Failure> {
    let bound = bound(&shape.most).max(1);
    let mut nim = bound.min(FIRST);
    loop {
        let Some((family, layout)) = beside(solver, &shape.most, nim) else {
            return Ok(None);
        };
        let mut found = Found {
            layout: &layout,
            shape,
            values: vec![0; shape.len],
            done: 0,
            larger: false,
            limits,
        };
        let start = Start {
            misere: convention == Convention::Misere,
            from: None,
        };
        limits.begin(Work::Solving, Some(shape.len as u64));
        let swept = mex::sweep(&family, &layout, start, limits, &mut found);
        if !found.larger {
            swept.map_err(Failure::of_limit)?;
            return Ok(Some(found.values));
        }
        if nim >= MOST {
            return Ok(None);
        }
        nim = bound.min(2 * nim + 1);
    }
}

/// Reads the value of a position off its row.
struct Found<'a> {
    layout: &'a Layout,
    shape: &'a Shape,
    values: Vec<u32>,
    done: u64,
    /// Has some position a larger value than the row has places?
    larger: bool,
    limits: &'a Limits,
}

impl Found<'_> {
    /// Rows of one word that stand one behind the other in the table too.
    fn short(&mut self, place: usize, words: &[u64]) {
        for (value, word) in self.values[place..].iter_mut().zip(words) {
            *value = word.trailing_zeros();
        }
    }

    fn long(&mut self, place: usize, words: &[u64]) {
        let rows = words.chunks_exact(self.layout.words);
        for (value, row) in self.values[place..].iter_mut().zip(rows) {
            let word = row.iter().position(|word| *word != 0).unwrap_or(0);
            *value = 64 * word as u32 + row[word].trailing_zeros();
        }
    }
}

impl Sink for Found<'_> {
    fn rows(&mut self, first: usize, words: &[u64]) -> Result<(), Met> {
        let wide = self.layout.words;
        self.larger = if wide == 1 {
            words.contains(&0)
        } else {
            let mut rows = words.chunks_exact(wide);
            rows.any(|row| row.iter().all(|word| *word == 0))
        };
        if self.larger {
            // Nobody sees this one.
            return Err(Met::Time);
        }
        // The heaps behind the outermost that stand elsewhere than in the table.
        let heaps = self.shape.most.len();
        let apart = (0..heaps)
            .rev()
            .find(|place| self.layout.order[*place] != *place)
            .map_or(0, |place| place + 1);
        let together: usize = self.layout.most[apart..heaps]
            .iter()
            .map(|most| *most as usize + 1)
            .product();
        let mut row = first;
        for words in words.chunks(together * wide) {
            let place: usize = self
                .layout
                .row(row)
                .iter()
                .zip(&self.layout.order)
                .map(|(size, heap)| *size as usize * self.shape.strides[*heap])
                .sum();
            if wide == 1 {
                self.short(place, words);
            } else {
                self.long(place, words);
            }
            row += words.len() / wide;
        }
        self.done += (words.len() / wide) as u64;
        self.limits.note_done(self.done);
        Ok(())
    }

    fn in_any_order(&self) -> bool {
        true
    }
}
