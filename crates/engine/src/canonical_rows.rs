//! The rows of a box that can hold a canonical position: the smallest of its orbit under
//! the symmetries of the rule.

use nimrule_board::Undecided;
use nimrule_kernels::Layout;
use nimrule_model::game::Game;
use std::ops::Range;

/// Decides rows by their first heaps, all but the last two of the layout, in ascending
/// order of rows. What the heaps of the last row decided is not decided again.
#[derive(Default)]
pub struct CanonicalRows {
    /// The sizes of the first heaps, as far as they are known to be canonical.
    sizes: Vec<u64>,
    /// `undecided[n]`: the permutations that the first n heaps do not decide, for at most
    /// as many heaps as there are sizes.
    undecided: Vec<Vec<Undecided>>,
    /// A position with these sizes.
    position: Vec<u64>,
    /// Rows without a canonical position, which have the sizes that failed last.
    without: Range<usize>,
}

impl CanonicalRows {
    /// The number of rows from this one on that are known to hold no canonical position.
    pub fn rows_without(&self, row: usize) -> usize {
        match self.without.contains(&row) {
            true => self.without.end - row,
            false => 0,
        }
    }

    /// Whether the first heaps of this row allow a canonical position. If not,
    /// [`rows_without`](CanonicalRows::rows_without) of the row is positive.
    pub fn can_hold_one(&mut self, game: &Game, layout: &Layout, row: usize) -> bool {
        let sizes = layout.row(row);
        let sizes = &sizes[..sizes.len().saturating_sub(1)];
        let pairs = self.sizes.iter().zip(sizes);
        let same = pairs.take_while(|(one, other)| one == other).count();
        self.sizes.truncate(same);
        if self.undecided.is_empty() {
            self.undecided.push(game.facts.symmetries.undecided());
            self.undecided.resize(sizes.len() + 1, Vec::new());
            self.position.resize(game.heap_count(), 0);
        }
        for (place, size) in sizes.iter().enumerate().skip(same) {
            self.position[layout.order[place]] = *size;
            let open = &layout.order[place + 1..];
            let (before, after) = self.undecided.split_at_mut(place + 1);
            let (among, left) = (&before[place], &mut after[0]);
            let symmetries = &game.facts.symmetries;
            if !symmetries.can_be_canonical(&self.position, open, among, left) {
                let later = &layout.most[place + 1..layout.most.len() - 1];
                let rows: usize = later.iter().map(|most| *most as usize + 1).product();
                let first = row / rows * rows;
                self.without = first..first + rows;
                return false;
            }
            self.sizes.push(*size);
        }
        true
    }

    /// A position with the first heaps, `count` of them, of the row decided last, and the
    /// permutations that they leave undecided.
    pub fn prefix(&mut self, count: usize) -> (&mut Vec<u64>, &[Undecided]) {
        (&mut self.position, &self.undecided[count])
    }
}
