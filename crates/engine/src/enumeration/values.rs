//! Grundy values of a batch.
//!
//! The values of options before the batch are marked in a bit set per lane. The
//! options of runs are gathered when the lane is settled: a scalar loop stamps
//! each value with the round of the lane.

use super::super::table::NO_VALUE;
use super::super::table::Prefix;
use super::super::table_checkpoint;
use super::batch::{Chunk, GatherRun, OptionVisitor, Runs};
use crate::SolveError;
use nimrule_ir::batch::{Bits, LANES, Mask, OptionSink, Run, Value, lanes_of, vectorised};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Convention;
use std::borrow::Cow;

/// The largest number of runs gathered at settling; the options of further runs
/// are marked at once.
const MOST_RUNS: usize = 64;

/// Up to this number of words the marking is vectorised, word by word.
const FEW_WORDS: usize = 3;

/// Up to this number of options of a progression are collected in a bit set.
const FEW_OPTIONS: i32 = 16;

pub struct GrundyBatch {
    pub values: Vec<u32>,
    misere: bool,
    base: usize,
    /// The values of the options before the batch: bit `i` of word `w` of a lane is
    /// the value `64 w + i`.
    marked: Vec<[u64; LANES]>,
    is_marked: bool,
    /// 1 for each lane with an option before the batch.
    moves: [u8; LANES],
    /// The distances of the options within the batch: bit `i` of word `w` of a lane
    /// is the distance `64 w + i`.
    within: Box<[[u64; LANES]; LANES / 64]>,
    has_within: bool,
    gathered: Runs,
    /// The round in which each value was last marked.
    observer: Vec<u64>,
    round: u64,
    largest: u32,
}

/// Marks the values that lie in one word, each in its own lane.
struct MarkWord<'m> {
    word: u32,
    marked: &'m mut [u64],
    on: &'m [u8],
    values: &'m [u32],
}

impl pulp::NullaryFnOnce for MarkWord<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let lanes = self.marked.iter_mut().zip(self.on).zip(self.values);
        for ((marked, on), value) in lanes {
            let here = u64::from(*on) & u64::from(value / 64 == self.word);
            *marked |= here << (value % 64);
        }
    }
}

/// Marks the lanes whose place at this distance is a position.
struct MarkMoves<'m> {
    moves: &'m mut [u8],
    on: &'m [u8],
    values: &'m [u32],
}

impl pulp::NullaryFnOnce for MarkMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for ((moves, on), value) in self.moves.iter_mut().zip(self.on).zip(self.values) {
            *moves |= on & u8::from(*value != NO_VALUE);
        }
    }
}

/// Marks a distance in the lanes that have an option at that distance.
struct MarkWithin<'m> {
    within: &'m mut [u64],
    on: &'m [u8],
    bit: usize,
}

impl pulp::NullaryFnOnce for MarkWithin<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (within, on) in self.within.iter_mut().zip(self.on) {
            *within |= u64::from(*on) << self.bit;
        }
    }
}

impl GrundyBatch {
    pub fn new(len: usize, convention: Convention) -> GrundyBatch {
        GrundyBatch {
            values: vec![0; len],
            misere: convention == Convention::Misere,
            base: 0,
            marked: vec![[0; LANES]],
            is_marked: false,
            moves: [0; LANES],
            within: Box::new([[0; LANES]; LANES / 64]),
            has_within: false,
            gathered: Runs::default(),
            observer: vec![0; 64],
            round: 0,
            largest: 0,
        }
    }

    /// Copies the values of an earlier run.
    pub fn begin_with(&mut self, first: &[u32]) {
        self.values[..first.len()].copy_from_slice(first);
        self.make_room_for(table_checkpoint::largest(first));
    }

    fn make_room_for(&mut self, value: u32) {
        if value > self.largest {
            self.largest = value;
            if self.observer.len() <= value as usize {
                self.observer.resize(2 * (value as usize + 1), 0);
            }
        }
    }

    /// Marks the values of consecutive options from `place` on, all before the batch,
    /// in the lanes from `from` on whose byte of `on` is 1.
    fn mark(&mut self, from: usize, on: &[u8], place: usize) {
        self.is_marked = true;
        let values = &self.values[place..place + on.len()];
        if self.misere {
            let moves = &mut self.moves[from..from + on.len()];
            vectorised(MarkMoves { moves, on, values });
        }
        if self.marked.len() <= FEW_WORDS {
            for (word, marked) in (0..).zip(&mut self.marked) {
                vectorised(MarkWord {
                    word,
                    marked: &mut marked[from..from + on.len()],
                    on,
                    values,
                });
            }
            return;
        }
        for ((lane, on), value) in (from..).zip(on).zip(values) {
            // `NO_VALUE` is the largest number, beyond all words.
            let value = *value as usize;
            if let Some(marked) = self.marked.get_mut(value / 64) {
                marked[lane] |= u64::from(*on) << (value % 64);
            }
        }
    }

    /// Marks the values of a run, one lane after another.
    fn mark_run(&mut self, active: &Mask, run: &GatherRun) {
        for lane in active.lanes() {
            let mut number = run.least[lane];
            while number <= run.most[lane] {
                let back = run.back + number as usize * run.stride;
                if back <= lane {
                    self.has_within = true;
                    self.within[back / 64][lane] |= 1 << (back % 64);
                } else {
                    self.mark(lane, &[1], self.base + lane - back);
                }
                number += run.difference[lane];
            }
        }
    }

    /// Settles a lane whose options are all marked; returns whether it is P.
    /// `marked`: whether to include the bit set of options before the batch.
    #[inline(always)]
    fn settled(&mut self, lane: usize, moves: bool, marked: bool) -> bool {
        let (observer, round) = (&self.observer, self.round);
        let mut mex = 0;
        if marked {
            let in_word = |word: usize| {
                let mut marked = self.marked.get(word).map_or(0, |marked| marked[lane]);
                while marked != u64::MAX {
                    let bit = marked.trailing_ones() as usize;
                    if observer.get(64 * word + bit) != Some(&round) {
                        return Some(64 * word + bit);
                    }
                    marked |= 1 << bit;
                }
                None
            };
            // INVARIANT: no word is full beyond those of the largest value.
            mex = (0..).find_map(in_word).unwrap_or(0);
        } else {
            while observer.get(mex) == Some(&round) {
                mex += 1;
            }
        }
        self.settled_with(lane, moves, mex)
    }

    /// Settles a lane with the mex of its options; returns whether it is P.
    #[inline(always)]
    fn settled_with(&mut self, lane: usize, moves: bool, mex: usize) -> bool {
        let mex = mex as u32;
        let value = if self.misere && !moves { 1 } else { mex };
        self.values[self.base + lane] = value;
        self.make_room_for(value);
        value == 0
    }
}

impl OptionSink for GrundyBatch {
    fn open<'m>(&self, active: &'m Mask) -> Cow<'m, Mask> {
        Cow::Borrowed(active)
    }

    fn settled_lanes(&self) -> Bits {
        Bits::default()
    }

    fn option(&mut self, active: &Mask, back: usize) -> bool {
        let span = active.span();
        let split = back.clamp(span.start, span.end);
        if span.start < split {
            let place = self.base + span.start - back;
            self.mark(span.start, &active.on()[span.start..split], place);
        }
        if split < span.end {
            self.has_within = true;
            vectorised(MarkWithin {
                within: &mut self.within[back / 64][split..span.end],
                on: &active.on()[split..span.end],
                bit: back % 64,
            });
        }
        true
    }

    fn supports_number_sets(&self) -> bool {
        self.gathered.all().len() < MOST_RUNS
    }

    fn needs_all_options(&self) -> bool {
        true
    }

    fn relevant_lanes(&self, active: &Bits, _back: usize, f: impl FnMut(usize)) {
        lanes_of(*active).for_each(f);
    }

    fn lane_option(&mut self, lane: usize, back: usize) {
        self.mark(lane, &[1], self.base + lane - back);
    }

    fn win(&mut self, _who: &Mask) {}

    fn run(&mut self, active: &Mask, run: Run) -> Result<(), LimitExceeded> {
        if self.gathered.all().len() < MOST_RUNS {
            self.gathered.add(active, &run);
        } else if run.difference.is_some() {
            let mut gathered = std::mem::take(&mut self.gathered);
            let run = gathered.add(active, &run);
            self.mark_run(active, run);
            gathered.drop_last();
            self.gathered = gathered;
        } else {
            for number in run.least.range(active).0..=run.most.range(active).1 {
                let of = Value::between(&run.least, number, &run.most, active);
                if !of.is_empty() {
                    self.option(&of, run.back + number as usize * run.stride);
                }
            }
        }
        Ok(())
    }
}

impl Chunk for GrundyBatch {
    fn begin(&mut self, base: usize, _count: usize) {
        self.base = base;
        let words = self.largest as usize / 64 + 1;
        self.marked.resize(words, [0; LANES]);
        if std::mem::take(&mut self.is_marked) {
            self.marked.fill([0; LANES]);
            self.moves = [0; LANES];
        }
        if std::mem::take(&mut self.has_within) {
            self.within.fill([0; LANES]);
        }
        self.gathered.clear();
    }

    fn exclude(&mut self, lane: usize) {
        self.values[self.base + lane] = NO_VALUE;
    }

    fn next(&self, active: &Mask, _doubts: &Mask, from: usize) -> Option<usize> {
        (from..active.span().end).find(|lane| active.has(*lane))
    }

    fn is_terminal_so_far(&self, _lane: usize) -> bool {
        false
    }

    fn settle(&mut self, lane: usize) -> bool {
        self.round += 1;
        let round = self.round;
        let place = self.base + lane;
        let mut small = 0_u64;
        let mut is_stamped = false;
        let observer = &mut self.observer;
        let mut stamp = |value: u32| {
            // `NO_VALUE` lies beyond the stamps.
            if let Some(last) = observer.get_mut(value as usize) {
                *last = round;
                is_stamped = true;
            }
        };
        for run in self.gathered.all() {
            let (least, most, difference) = (run.least[lane], run.most[lane], run.difference[lane]);
            if least > most {
                continue;
            }
            if let Some(allowed) = &run.allowed {
                let from = place - run.back;
                for (word, set) in allowed.between(lane, least as usize, most as usize) {
                    let mut rest = set;
                    while rest != 0 {
                        let number = 64 * (word + 1) - rest.trailing_zeros() as usize;
                        stamp(self.values[from - number * run.stride]);
                        rest &= rest - 1;
                    }
                }
                continue;
            }
            let mut at = place - run.back - least as usize * run.stride;
            if difference == 1 {
                let farthest = at - (most - least) as usize * run.stride;
                for value in self.values[farthest..=at].iter().step_by(run.stride) {
                    stamp(*value);
                }
                continue;
            }
            // PERF: a division to count the steps costs more than most loops. The values of
            // few options are mostly small; a bit set then gives the mex without a loop.
            let step = difference as usize * run.stride;
            let mut number = least;
            let few = difference.saturating_mul(FEW_OPTIONS) > most;
            loop {
                let value = self.values[at];
                if few && value < 64 {
                    small |= 1 << value;
                } else {
                    stamp(value);
                }
                number += difference;
                if number > most {
                    break;
                }
                at -= step;
            }
        }
        if self.has_within {
            for (word, within) in self.within.iter().enumerate() {
                let mut rest = within[lane];
                while rest != 0 {
                    stamp(self.values[place - 64 * word - rest.trailing_zeros() as usize]);
                    rest &= rest - 1;
                }
            }
        }
        // The bits are all that was found: the mex needs no loop.
        let mex = small.trailing_ones() as usize;
        if small != 0 && mex < 64 && !self.is_marked && !is_stamped {
            return self.settled_with(lane, true, mex);
        }
        let moves = self.moves[lane] != 0 || is_stamped || small != 0;
        while small != 0 {
            self.observer[small.trailing_zeros() as usize] = round;
            small &= small - 1;
        }
        self.settled(lane, moves, self.is_marked)
    }

    fn settle_by(
        &mut self,
        lane: usize,
        options: &mut OptionVisitor<'_>,
    ) -> Result<bool, SolveError> {
        self.round += 1;
        let round = self.round;
        // What was marked for the lane before it fell back need not be an option.
        let mut moves = false;
        let (observer, values) = (&mut self.observer, &self.values);
        options(&mut |option| {
            if let Some(last) = observer.get_mut(values[option] as usize) {
                *last = round;
            }
            moves = true;
            true
        })?;
        Ok(self.settled(lane, moves, false))
    }

    fn found(&self) -> u64 {
        0
    }

    fn first(&self, count: usize) -> Prefix<'_> {
        Prefix::Grundy(&self.values[..count])
    }
}
