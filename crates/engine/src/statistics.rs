//! Statistics of a solved region: counts of outcomes and the smallest
//! P-positions, collected during the sweep.

use crate::{Limits, Outcome, SolveError, Table, Visitor};
use nimrule_kernels::{self, Layout, Rows, Sink};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::Game;

/// The number of P-positions shown.
const ROWS_SHOWN: usize = 12;

/// The number of rows tested for P-positions at once.
const ROWS_TOGETHER: usize = 64;

/// The counts and the smallest P-positions of the positions visited so far.
pub struct Statistics<'g> {
    game: &'g Game,
    /// Whether to collect the smallest P-positions and count their orbits.
    listed: bool,
    limits: &'g Limits,
    /// The number of positions.
    pub positions: u64,
    /// The number of P-positions.
    pub p_positions: u64,
    /// The number of positions of each outcome, in partizan and loopy games.
    pub tally: Vec<(Outcome, u64)>,
    /// The number of orbits of P-positions.
    pub orbits: u64,
    /// The smallest P-positions, one of each orbit, with their numbers of tokens.
    pub smallest: Vec<(u128, Vec<u64>)>,
    /// The statistics of other threads that are not merged yet.
    parts: Vec<Statistics<'g>>,
}

impl<'g> Statistics<'g> {
    /// Statistics of nothing yet; `listed` asks for the smallest P-positions.
    pub fn new(game: &'g Game, listed: bool, limits: &'g Limits) -> Statistics<'g> {
        Statistics {
            game,
            listed,
            limits,
            positions: 0,
            p_positions: 0,
            tally: Vec::new(),
            orbits: 0,
            smallest: Vec::new(),
            parts: Vec::new(),
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
            self.keep_the_smallest();
        }
    }

    fn keep_the_smallest(&mut self) {
        self.smallest.sort();
        self.smallest.truncate(ROWS_SHOWN);
    }
}

/// Saves what rows add; a table is never resumed.
impl Resumable for Statistics<'_> {
    fn save(&self, out: &mut Writer<'_>) {
        out.number(self.positions);
        out.number(self.p_positions);
        out.number(self.orbits);
        out.number(self.smallest.len() as u64);
        for (_, position) in &self.smallest {
            out.words(position);
        }
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
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

impl Sink<SolveError> for Statistics<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let (last, others) = layout.most.split_last().expect("a row has a heap");
        self.positions += rows.count() as u64 * (last + 1);
        // Rows that differ in the last heap but one are a block.
        let block = match others.last() {
            Some(most) => *most as usize + 1,
            None => 1,
        };
        // The heaps of a row, and of a block of rows, whose sizes vary.
        let in_row = &layout.order[others.len()..];
        let in_block = &layout.order[others.len().saturating_sub(1)..];
        let symmetries = &self.game.symmetries;
        let (mut sizes, mut sizes_of, mut block_may_be) = (Vec::new(), usize::MAX, false);
        let mut position = vec![0; self.game.heap_count()];
        let mut found = 0;
        for from in (0..rows.count()).step_by(ROWS_TOGETHER) {
            let mut some = rows.nonzero(from..rows.count().min(from + ROWS_TOGETHER));
            while some != 0 {
                let number = from + some.trailing_zeros() as usize;
                some &= some - 1;
                let words = rows.row(number);
                found += nimrule_kernels::count(words);
                if !self.listed {
                    continue;
                }
                let row = rows.first + number;
                if row / block != sizes_of {
                    sizes_of = row / block;
                    sizes = layout.row(row);
                    sizes.push(0);
                    layout.write_position(&sizes, &mut position);
                    block_may_be = symmetries.can_be_canonical(&position, in_block);
                }
                if !block_may_be {
                    continue;
                }
                if let Some(before) = others.len().checked_sub(1) {
                    sizes[before] = (row % block) as u64;
                }
                layout.write_position(&sizes, &mut position);
                // PERF: in most rows no position is the smallest of its orbit.
                if !symmetries.can_be_canonical(&position, in_row) {
                    continue;
                }
                for (word, bits) in words.iter().enumerate() {
                    let mut bits = *bits;
                    while bits != 0 {
                        sizes[others.len()] = word as u64 * 64 + u64::from(bits.trailing_zeros());
                        bits &= bits - 1;
                        layout.write_position(&sizes, &mut position);
                        self.p_position(&position);
                    }
                }
            }
        }
        self.p_positions += found;
        self.limits.add_p_positions(found);
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink<SolveError> + Send + '_>> {
        let part = || Statistics::new(self.game, self.listed, self.limits);
        self.parts.resize_with(count, part);
        let parts = self.parts.iter_mut();
        parts.map(|part| Box::new(part) as _).collect()
    }

    fn merge_parts(&mut self) {
        for part in std::mem::take(&mut self.parts) {
            self.positions += part.positions;
            self.p_positions += part.p_positions;
            self.orbits += part.orbits;
            self.smallest.extend(part.smallest);
        }
        self.keep_the_smallest();
    }
}

impl Visitor for Statistics<'_> {
    fn table(&mut self, table: &Table) -> Result<(), SolveError> {
        (self.positions, self.p_positions) = table.counts();
        if self.game.no_grundy_values().is_some() {
            self.tally = table.tally(self.game);
        }
        if self.listed {
            let mut from = 0;
            while let Some(place) = table.next_with(from, &[Outcome::P]) {
                from = place + 1;
                self.p_position(&table.region.at(place));
            }
        }
        Ok(())
    }
}
