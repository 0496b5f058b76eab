//! Statistics of a solved region: counts of outcomes and the smallest
//! P-positions, collected during the sweep.

use crate::canonical_rows::CanonicalRows;
use crate::{Limits, Outcome, SolveError, Table, Visitor};
use nimrule_kernels::{self, Layout, Rows, Sink};
use nimrule_limits::checkpoint::{CheckpointError, Reader, Resumable, Writer};
use nimrule_model::game::Game;
use std::ops::RangeInclusive;

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
    canonical: CanonicalRows,
}

impl<'g> Statistics<'g> {
    /// Statistics of nothing yet; `listed` asks for the smallest P-positions.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::{Limits, Query, Question, Solver, Statistics, Visitor, sweep};
    /// use nimrule_model::game::Convention;
    ///
    /// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
    /// let (solver, limits) = (Solver::new(&nim), Limits::of_memory(1 << 20));
    /// let region = solver.region(2, &limits).unwrap();
    /// let query = Query { question: Question::Outcome, convention: Convention::Normal };
    /// let mut statistics = Statistics::new(&nim, true, &limits);
    /// let visitors: &mut [&mut dyn Visitor] = &mut [&mut statistics];
    /// sweep(&solver, &region, query, &limits, None, visitors).unwrap();
    /// assert_eq!((statistics.positions, statistics.p_positions), (9, 3));
    /// ```
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
            canonical: CanonicalRows::default(),
        }
    }

    fn p_position(&mut self, position: &[u64]) {
        if self.game.facts.symmetries.is_canonical(position) {
            self.orbits += 1;
            self.keep_if_small(position);
        }
    }

    /// Keeps a P-position if it is among the smallest so far, and returns whether it is.
    fn keep_if_small(&mut self, position: &[u64]) -> bool {
        let (total, _) = self.game.size_key(position);
        let is_small = self.smallest.len() < ROWS_SHOWN
            || (self.smallest.last()).is_none_or(|(most, last)| (total, position) < (*most, last));
        if is_small {
            self.smallest.push((total, position.to_vec()));
            self.keep_the_smallest();
        }
        is_small
    }

    /// Collects the P-positions of some rows, whose heaps but the last are `others`.
    fn list(&mut self, layout: &Layout, rows: Rows<'_>, others: &[u64]) {
        // Rows that differ in the last heap but one are a block.
        let block = match others.last() {
            Some(most) => *most as usize + 1,
            None => 1,
        };
        let outer = others.len().saturating_sub(1);
        // The heap whose size varies in a row.
        let (_, in_row) = layout.order.split_at(others.len());
        let game = self.game;
        let mut canonical = std::mem::take(&mut self.canonical);
        let (mut of_row, mut none) = (Vec::new(), Vec::new());
        let mut number = 0;
        while number < rows.count() {
            let first = rows.first + number;
            let without = canonical.rows_without(first);
            if without > 0 {
                number += without;
                continue;
            }
            let within = first % block;
            let these = (block - within)
                .min(ROWS_TOGETHER)
                .min(rows.count() - number);
            let mut some = rows.nonzero(number..number + these);
            // PERF: in most blocks and rows no position is the smallest of its orbit, and in
            // the others a few permutations decide.
            if some != 0 && !canonical.can_hold_one(game, layout, first) {
                some = 0;
            }
            while some != 0 {
                let place = some.trailing_zeros() as usize;
                some &= some - 1;
                let (position, among) = canonical.prefix(outer);
                if block > 1 {
                    position[layout.order[outer]] = (within + place) as u64;
                }
                let symmetries = &game.facts.symmetries;
                if !symmetries.can_be_canonical(position, in_row, among, &mut of_row) {
                    continue;
                }
                let range = symmetries.sorted_range(position, in_row[0]);
                // Along a row the positions ascend: after one that is not among the smallest
                // none is.
                let mut is_small = true;
                for (word, bits) in rows.row(number + place).iter().enumerate() {
                    let from = word as u64 * 64;
                    let mut bits = *bits & places(&range, from);
                    if of_row.is_empty() {
                        self.orbits += u64::from(bits.count_ones());
                    }
                    while bits != 0 && (is_small || !of_row.is_empty()) {
                        position[in_row[0]] = from + u64::from(bits.trailing_zeros());
                        bits &= bits - 1;
                        if !of_row.is_empty() {
                            if !symmetries.can_be_canonical(position, &[], &of_row, &mut none) {
                                continue;
                            }
                            self.orbits += 1;
                        }
                        is_small = is_small && self.keep_if_small(position);
                    }
                }
            }
            number += these;
        }
        self.canonical = canonical;
    }

    fn keep_the_smallest(&mut self) {
        self.smallest.sort();
        self.smallest.truncate(ROWS_SHOWN);
    }
}

/// The sizes of a range among the 64 from `from` on, as bits.
fn places(range: &RangeInclusive<u64>, from: u64) -> u64 {
    if *range.end() < from || *range.start() >= from + 64 {
        return 0;
    }
    let first = range.start().saturating_sub(from);
    let last = (range.end() - from).min(63);
    if first > last {
        return 0;
    }
    u64::MAX << first & u64::MAX >> (63 - last)
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
        self.clear();
        self.limits.set_p_positions(0);
        self.add(from)
    }
}

impl Sink<SolveError> for Statistics<'_> {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), SolveError> {
        let (last, others) = layout.most.split_last().expect("a row has a heap");
        self.positions += rows.count() as u64 * (last + 1);
        let found = rows.p_positions();
        self.p_positions += found;
        self.limits.add_p_positions(found);
        if self.listed && found > 0 {
            self.list(layout, rows, others);
        }
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
    fn clear(&mut self) {
        (self.positions, self.p_positions, self.orbits) = (0, 0, 0);
        self.smallest.clear();
    }

    fn add(&mut self, from: &mut Reader<'_>) -> Result<(), CheckpointError> {
        self.positions += from.number()?;
        let p_positions = from.number()?;
        self.p_positions += p_positions;
        self.limits.add_p_positions(p_positions);
        self.orbits += from.number()?;
        for _ in 0..from.number()? {
            let position = from.list()?;
            let (total, _) = self.game.size_key(&position);
            self.smallest.push((total, position));
        }
        self.keep_the_smallest();
        Ok(())
    }

    fn table(&mut self, table: &Table) -> Result<(), SolveError> {
        (self.positions, self.p_positions) = table.counts();
        if self.game.no_grundy_values().is_some() {
            self.tally = table.tally(self.game);
        }
        if self.listed {
            for entry in table.entries(&[Outcome::P]) {
                self.p_position(&entry.position);
            }
        }
        Ok(())
    }
}
