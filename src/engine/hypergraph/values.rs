//! Grundy values, by a Nim heap beside the game.

use super::family::family;
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
    let order: Vec<usize> = (0..most.len()).collect();
    let edges = solver.profile.hyperedges.as_ref().ok()?;
    let family = family(edges, &order).ok()?.with_nim_heap(most.len());
    family.fits(most.len() + 1).ok()?;
    let layout = Layout::new(&[most, &[nim]].concat())?;
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
            words: layout.words,
            values: Vec::with_capacity(shape.len),
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
    words: usize,
    values: Vec<u32>,
    /// Has some position a larger value than the row has places?
    larger: bool,
    limits: &'a Limits,
}

impl Sink for Found<'_> {
    fn rows(&mut self, _first: usize, words: &[u64]) -> Result<(), Met> {
        if self.words == 1 {
            self.larger = words.contains(&0);
            if self.larger {
                // Nobody sees this one.
                return Err(Met::Time);
            }
            self.values
                .extend(words.iter().map(|word| word.trailing_zeros()));
            return Ok(());
        }
        for row in words.chunks_exact(self.words) {
            let Some(word) = row.iter().position(|word| *word != 0) else {
                self.larger = true;
                // Nobody sees this one.
                return Err(Met::Time);
            };
            self.values
                .push(64 * word as u32 + row[word].trailing_zeros());
        }
        self.limits.note_done(self.values.len() as u64);
        Ok(())
    }
}
