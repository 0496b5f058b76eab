//! All that a sweep has found, in little room.

use super::{Layout, Rows};
use nimrule_limits::checkpoint::{Reading, Resumable, Unfit, Writing};

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

    /// Takes the next rows: see [`super::Sink::rows`].
    pub fn add(&mut self, layout: &Layout, rows: Rows<'_>) {
        let first = (rows.first * layout.words) as u64;
        for (at, word) in (first..).zip(rows.words) {
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

#[cfg(test)]
mod tests {
    use super::Found;
    use crate::{Layout, Rows};

    #[test]
    fn places_are_those_of_a_table() {
        // Two rows of 71 positions, in two words each.
        let layout = Layout::new(&[1, 70]).expect("it is small");
        let mut found = Found::default();
        found.add(&layout, Rows::new(0, &[1 << 3, 1 << 6], 2));
        found.add(&layout, Rows::new(1, &[0, 0b101], 2));
        let places: Vec<u64> = found.places(&layout).collect();
        assert_eq!(places, [3, 70, 71 + 64, 71 + 66]);
        assert_eq!(found.p_positions(), 4);
    }
}
