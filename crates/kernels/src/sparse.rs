//! The P-positions of a box as a sparse set.

use super::{Layout, Rows};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};

/// The nonzero words of the rows of a box. If a row has at most one
/// P-position, they are few compared with the box.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SparsePositions {
    /// The numbers of the words among all words of the box, ascending.
    at: Vec<u64>,
    words: Vec<u64>,
    p_positions: u64,
}

impl SparsePositions {
    /// The number of P-positions.
    pub fn p_positions(&self) -> u64 {
        self.p_positions
    }

    /// The indices of all P-positions in the lexicographic order of the box's
    /// positions, ascending.
    pub fn indices(&self, layout: &Layout) -> impl Iterator<Item = u64> {
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

    /// Adds the next rows: see [`Sink::rows`](super::Sink::rows).
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

impl Resumable for SparsePositions {
    fn save(&self, out: &mut Writer<'_>) {
        out.words(&self.at);
        out.words(&self.words);
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.at = from.list()?;
        self.words = from.list()?;
        if self.at.len() != self.words.len() {
            return Err(CheckpointError::Meaning("rows"));
        }
        let ones = self.words.iter().map(|word| u64::from(word.count_ones()));
        self.p_positions = ones.sum();
        Ok(())
    }
}
