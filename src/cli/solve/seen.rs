//! What is counted and kept of a region while its answers become known.

use crate::checkpoint::{Reading, Resumable, Unfit, Writing};
use crate::engine::{Failure, Limits, Outcome, Table, Visitor};
use crate::game::Game;
use crate::rows::{self, Layout};
use std::convert::Infallible;

/// So many P-positions are shown.
const ROWS_SHOWN: usize = 12;

/// The positions that were seen.
pub(super) struct Seen<'g> {
    game: &'g Game,
    /// Are the smallest P-positions wanted, and the number of their orbits?
    listed: bool,
    limits: &'g Limits,
    pub positions: u64,
    pub p_positions: u64,
    /// How many there are of each outcome, where there are others than P and N.
    pub tally: Vec<(Outcome, u64)>,
    /// Orbits of P-positions.
    pub orbits: u64,
    /// The smallest P-positions, one of each orbit, with their totals.
    pub smallest: Vec<(u128, Vec<u64>)>,
}

impl<'g> Seen<'g> {
    pub fn new(game: &'g Game, listed: bool, limits: &'g Limits) -> Seen<'g> {
        Seen {
            game,
            listed,
            limits,
            positions: 0,
            p_positions: 0,
            tally: Vec::new(),
            orbits: 0,
            smallest: Vec::new(),
        }
    }

    fn p_position(&mut self, position: &[u64]) {
        if !self.game.symmetries.is_canonical(position) {
            return;
        }
        self.orbits += 1;
        let total = self.game.tokens(position);
        let is_smaller = self
            .smallest
            .last()
            .is_none_or(|(most, last)| (total, position) < (*most, last));
        if self.smallest.len() < ROWS_SHOWN || is_smaller {
            self.smallest.push((total, position.to_vec()));
            self.smallest.sort();
            self.smallest.truncate(ROWS_SHOWN);
        }
    }
}

/// What rows have shown: a table is never gone on with.
impl Resumable for Seen<'_> {
    fn save(&self, out: &mut Writing<'_>) {
        out.number(self.positions);
        out.number(self.p_positions);
        out.number(self.orbits);
        out.number(self.smallest.len() as u64);
        for (_, position) in &self.smallest {
            out.words(position);
        }
    }

    fn restore(&mut self, from: &mut Reading<'_>) -> Result<(), Unfit> {
        self.positions = from.number()?;
        self.p_positions = from.number()?;
        self.orbits = from.number()?;
        self.smallest.clear();
        for _ in 0..from.number()? {
            let position = from.list()?;
            self.smallest.push((self.game.tokens(&position), position));
        }
        Ok(())
    }
}

impl Visitor for Seen<'_> {
    fn rows(&mut self, layout: &Layout, first: usize, words: &[u64]) -> Result<(), Failure> {
        let (last, others) = layout.most.split_last().expect("a row has a heap");
        let rows_seen = words.len() / layout.words;
        self.positions += rows_seen as u64 * (last + 1);
        let found = rows::count(words);
        self.p_positions += found;
        self.limits.note_found(self.p_positions);
        if !self.listed || found == 0 {
            return Ok(());
        }
        // Rows that differ in the last heap but one are a block.
        let block = match others.last() {
            Some(most) => *most as usize + 1,
            None => 1,
        };
        let mut sizes = layout.row(first);
        sizes.push(0);
        let mut position = vec![0; self.game.heap_count()];
        let mut within = first % block;
        let mut rest = words;
        while !rest.is_empty() {
            let rows = (block - within).min(rest.len() / layout.words);
            let (these, later) = rest.split_at(rows * layout.words);
            for (number, word) in these.iter().enumerate() {
                let mut bits = *word;
                while bits != 0 {
                    let bit = u64::from(bits.trailing_zeros());
                    bits &= bits - 1;
                    if let Some(before) = others.len().checked_sub(1) {
                        sizes[before] = (within + number / layout.words) as u64;
                    }
                    sizes[others.len()] = (number % layout.words) as u64 * 64 + bit;
                    layout.tell(&sizes, &mut position);
                    self.p_position(&position);
                }
            }
            layout.advance(&mut sizes[..others.len().saturating_sub(1)]);
            within = 0;
            rest = later;
        }
        Ok(())
    }

    fn in_any_order(&self) -> bool {
        true
    }

    fn table(&mut self, table: &Table) -> Result<(), Failure> {
        (self.positions, self.p_positions) = table.counts();
        if self.game.no_values().is_some() {
            self.tally = table.tally(self.game);
        }
        if self.listed {
            let nothing: Result<(), Infallible> = table.region.try_each(|position, place| {
                if table.outcome(place) == Some(Outcome::P) {
                    self.p_position(position);
                }
                Ok(())
            });
            let Ok(()) = nothing;
        }
        Ok(())
    }
}
