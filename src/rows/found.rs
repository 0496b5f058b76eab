//! Sinks that any sweep may have: one that keeps what was found, and one that
//! says how far the sweep has come.

use super::{Layout, Sink, State};
use crate::checkpoint::{Reading, Resumable, Unfit, Writing};
use crate::limits::{Limits, Met};

/// Keeps the words of rows in which there is a P-position; where a row has one
/// at most, that is little beside the box.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Found {
    /// Numbers of words among all of the box, ascending.
    at: Vec<u64>,
    words: Vec<u64>,
    p_positions: u64,
}

impl Found {
    pub fn p_positions(&self) -> u64 {
        self.p_positions
    }

    /// The places of all P-positions in a table in lexicographic order.
    pub fn places(&self, layout: &Layout) -> impl Iterator<Item = u64> {
        let width = layout.most.last().map_or(1, |last| last + 1);
        let words = layout.words as u64;
        self.at.iter().zip(&self.words).flat_map(move |(at, word)| {
            let first = at / words * width + at % words * 64;
            let mut bits = *word;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| u64::from(bits.trailing_zeros()))?;
                bits &= bits - 1;
                Some(first + bit)
            })
        })
    }

    fn add(&mut self, first: u64, words: &[u64]) {
        for (at, word) in (first..).zip(words) {
            if *word != 0 {
                self.at.push(at);
                self.words.push(*word);
                self.p_positions += u64::from(word.count_ones());
            }
        }
    }
}

impl Resumable for Found {
    fn save(&self, out: &mut Writing<'_>) {
        out.words(&self.at);
        out.words(&self.words);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        self.at = from.list()?;
        self.words = from.list()?;
        if self.at.len() != self.words.len() {
            return Err(Unfit::Meaning("rows"));
        }
        let ones = self.words.iter().map(|word| u64::from(word.count_ones()));
        self.p_positions = ones.sum();
        Ok(())
    }
}

/// A sink whose work can be kept between two slabs.
pub trait Consumer: Sink + Resumable {
    /// P-positions among what has been taken so far.
    fn p_positions(&self) -> u64;
}

/// Collects what a sweep of this layout finds.
#[derive(Debug)]
pub struct Collect<'l> {
    pub layout: &'l Layout,
    pub found: Found,
}

impl Sink for Collect<'_> {
    fn rows(&mut self, first: usize, words: &[u64]) -> Result<(), Met> {
        self.found.add((first * self.layout.words) as u64, words);
        Ok(())
    }
}

impl Resumable for Collect<'_> {
    fn save(&self, out: &mut Writing<'_>) {
        self.found.save(out);
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        self.found.restore(from)
    }
}

impl Consumer for Collect<'_> {
    fn p_positions(&self) -> u64 {
        self.found.p_positions
    }
}

/// Hands rows on, says to the limits how far they have come, and keeps to the
/// time.
pub struct Watched<'s> {
    pub limits: &'s Limits,
    pub layout: &'s Layout,
    pub consumer: &'s mut dyn Consumer,
    /// Is told of each slab, with what has been done by then.
    pub slab: &'s mut dyn FnMut(u64, &dyn State, &dyn Consumer),
}

impl Sink for Watched<'_> {
    fn rows(&mut self, first: usize, words: &[u64]) -> Result<(), Met> {
        self.consumer.rows(first, words)?;
        let rows = first + words.len() / self.layout.words;
        let width = self.layout.most.last().map_or(1, |last| last + 1);
        self.limits.note_found(self.consumer.p_positions());
        self.limits
            .within_time_at((rows as u64).saturating_mul(width))
    }

    fn slab(&mut self, done: u64, state: &dyn State) -> Result<(), Met> {
        self.consumer.slab(done, state)?;
        (self.slab)(done, state, self.consumer);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Collect, Found};
    use crate::rows::{Layout, Sink as _};

    #[test]
    fn places_are_those_of_a_table() {
        // Two rows of 71 positions, in two words each.
        let layout = Layout::new(&[1, 70]).expect("it is small");
        let mut collect = Collect {
            layout: &layout,
            found: Found::default(),
        };
        collect.rows(0, &[1 << 3, 1 << 6]).expect("no limit is met");
        collect.rows(1, &[0, 0b101]).expect("no limit is met");
        let places: Vec<u64> = collect.found.places(&layout).collect();
        assert_eq!(places, [3, 70, 71 + 64, 71 + 66]);
        assert_eq!(collect.found.p_positions(), 4);
    }
}
