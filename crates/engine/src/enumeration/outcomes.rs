//! Outcomes of a batch.
//!
//! A lane with an option before the batch that is P becomes N by a vectorised
//! lookup. A lane that is settled as P scatters its outcome: every later lane of
//! the batch with an option in it becomes N. Few lanes are P, so that scattering
//! costs less than gathering the options of every lane.

use super::super::table::Prefix;
use super::super::table::{IS_N, IS_P, NO_POSITION};
use super::super::{Limits, Shape};
use super::batch::{Chunk, GatherRun, OptionVisitor, Runs};
use super::batch_options::BatchOptions;
use super::lines::Lines;
use crate::SolveError;
use nimrule_ir::batch::{Bits, LANES, Mask, OptionSink, Run, Value, bits_of, lanes_of, vectorised};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Convention;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A run is gathered lane by lane if the numbers of all lanes are fewer than the
/// range of numbers times lanes, divided by this.
const SPARSE: i64 = 12;

/// The largest number of consecutive numbers that a byte counts from a base.
const BLOCK: i64 = 255;

/// The largest number of runs scattered as such; further runs are stored option
/// by option.
const MOST_RUNS: usize = 24;

/// The largest number of runs gathered at settling; further runs are gathered at
/// once where possible.
const MOST_GATHER_RUNS: usize = 4;

pub struct OutcomeBatch {
    pub values: Vec<u8>,
    /// The P-positions found, those of the batch included.
    lines: Lines,
    /// Whether guards may be deferred, so that there are sets of P-positions.
    defers_guards: bool,
    misere: bool,
    /// Whether the rule has a `positions where`.
    excludes: bool,
    limits: Limits,
    base: usize,
    count: usize,
    /// 1 for each lane known to be N.
    won: [u8; LANES],
    /// Whether no lookup has been made in this batch, so that no lane has won.
    has_no_lookups: bool,
    moves: [u8; LANES],
    within: BatchOptions,
    /// The runs to scatter: read when a lane that may be their option is settled.
    scattered: Runs,
    /// The runs from 1 on from one heap, that are scattered.
    from_one: Runs,
    gathered: Runs,
    /// The runs with sets of allowed numbers.
    restricted: Runs,
    found: u64,
}

/// Looks up the option of a number in each lane whose bounds contain it; returns
/// whether any of these lanes is still open.
struct LookUp<'w> {
    number: u8,
    values: &'w [u8],
    least: &'w [u8],
    beyond: &'w [u8],
    won: &'w mut [u8],
}

impl pulp::NullaryFnOnce for LookUp<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let bounds = self.least.iter().zip(self.beyond);
        let won = self.won.iter_mut();
        let mut open = 0;
        for ((won, value), (least, beyond)) in won.zip(self.values).zip(bounds) {
            let on = u8::from(*least <= self.number) & u8::from(self.number < *beyond);
            *won |= on & value & IS_P;
            open |= on & !*won;
        }
        open != 0
    }
}

impl OutcomeBatch {
    /// `defers_guards` says whether conditions are evaluated as deferred guards.
    pub fn new(
        shape: &Shape,
        convention: Convention,
        excludes: bool,
        defers_guards: bool,
        limits: &Limits,
    ) -> OutcomeBatch {
        let sides: Vec<usize> = shape.most.iter().map(|most| *most as usize + 1).collect();
        OutcomeBatch {
            values: vec![IS_N; shape.len],
            lines: Lines::of(&shape.strides, &sides, defers_guards),
            defers_guards,
            misere: convention == Convention::Misere,
            excludes,
            limits: limits.clone(),
            base: 0,
            count: 0,
            won: [0; LANES],
            has_no_lookups: true,
            moves: [0; LANES],
            within: BatchOptions::new(),
            scattered: Runs::default(),
            from_one: Runs::default(),
            gathered: Runs::default(),
            restricted: Runs::default(),
            found: 0,
        }
    }

    /// Copies the outcomes of an earlier run.
    pub fn begin_with(&mut self, first: &[u8]) {
        self.values[..first.len()].copy_from_slice(first);
        for (place, _) in (0..).zip(first).filter(|(_, value)| **value == IS_P) {
            self.found += 1;
            self.lines.insert(place);
        }
    }

    /// The lanes of `active` that have not won.
    fn unsettled(&self, active: &Mask) -> Mask {
        let won = &self.won;
        Mask::of(active, move |lane| won[lane] == 0)
    }

    /// Looks up an option in the lanes for which it lies before the batch; returns
    /// whether any of these lanes is still open.
    #[inline(always)]
    fn look_up(&mut self, active: &Mask, back: usize) -> bool {
        let span = active.span();
        let to = span.end.min(back);
        if span.start >= to {
            return false;
        }
        self.has_no_lookups = false;
        let lanes = span.start..to;
        let first = self.base + span.start - back;
        let values = &self.values[first..first + lanes.len()];
        let on = &active.on()[lanes.clone()];
        let won = &mut self.won[lanes.clone()];
        let mut open = 0;
        for ((won, on), value) in won.iter_mut().zip(on).zip(values) {
            *won |= on & value & IS_P;
            open |= on & !*won;
        }
        if self.misere {
            let moves = &mut self.moves[lanes];
            for ((moves, on), value) in moves.iter_mut().zip(on).zip(values) {
                *moves |= on & u8::from(*value != NO_POSITION);
            }
        }
        open & 1 != 0
    }

    /// Stores an option for the lanes for which it lies within the batch; returns
    /// whether there are any.
    fn keep(&mut self, active: &Mask, back: usize) -> bool {
        let span = active.span();
        let from = span.start.max(back);
        if from >= span.end {
            return false;
        }
        let on = &active.on()[from..span.end];
        self.within.add(back, from, on);
        if self.misere {
            let first = self.base + from - back;
            let values = &self.values[first..first + on.len()];
            let moves = &mut self.moves[from..span.end];
            for ((moves, on), value) in moves.iter_mut().zip(on).zip(values) {
                *moves |= on & u8::from(*value != NO_POSITION);
            }
        }
        true
    }

    /// Looks up each number of a run in the lanes for which its option lies before
    /// the batch.
    fn look_up_run(
        &mut self,
        active: &Mask,
        run: &Run,
        numbers: RangeInclusive<i64>,
    ) -> Result<(), LimitExceeded> {
        let (low, high) = numbers.into_inner();
        let difference = run.common_difference().unwrap_or(1);
        if let (Value::Same(_), Value::Same(_)) = (&run.least, &run.most) {
            for number in (low..=high).step_by(difference) {
                let back = run.back + number as usize * run.stride;
                let open = self.look_up(active, back);
                if !open && back >= active.span().end {
                    return Ok(());
                }
                if number % (1 << 16) == 0 {
                    self.limits.check_time()?;
                }
            }
            return Ok(());
        }
        // PERF: numbers relative to a base, so that the bounds fit bytes.
        let block = BLOCK - BLOCK % difference as i64;
        let mut active = self.open(active);
        self.has_no_lookups = false;
        let mut base = low;
        while base <= high && !active.is_empty() {
            self.limits.check_time()?;
            let least = run.least.bytes_from(base, &active, u8::MAX);
            let beyond = run.most.bytes_from(base - 1, &active, 0);
            for number in (base..=high.min(base + block - 1)).step_by(difference) {
                let back = run.back + number as usize * run.stride;
                let count = (number - base) as u8;
                let open = self.look_up_between(&active, back, &least, &beyond, count);
                if count % 8 < difference as u8 && !open && back >= active.span().end {
                    active = Cow::Owned(self.unsettled(&active));
                    if active.is_empty() {
                        return Ok(());
                    }
                }
            }
            base += block;
            if base <= high {
                active = Cow::Owned(self.unsettled(&active));
            }
        }
        Ok(())
    }

    /// Whether an option of a run is P: the option of `first` only if `alone`, else
    /// of all numbers from `first` on. False if `first` exceeds the bound.
    #[inline(always)]
    fn gather(
        &self,
        run: &GatherRun,
        lane: usize,
        first: i32,
        alone: bool,
        moves: &mut u8,
    ) -> bool {
        let (mut number, most) = (first, run.most[lane]);
        if number > most {
            return false;
        }
        let difference = run.difference[lane];
        let step = difference as usize * run.stride;
        let mut at = self.base + lane - run.back - number as usize * run.stride;
        loop {
            let value = self.values[at];
            if value == IS_P {
                return true;
            }
            *moves |= u8::from(value != NO_POSITION);
            number += difference;
            if alone || number > most {
                return false;
            }
            at -= step;
        }
    }

    /// Whether an allowed number of a run leads to a P-position.
    #[inline(always)]
    fn meets(&self, run: &GatherRun, lane: usize, moves: &mut u8) -> bool {
        let (least, most) = (run.least[lane], run.most[lane]);
        let Some(allowed) = &run.allowed else {
            return false;
        };
        if least > most {
            return false;
        }
        let sets = allowed.between(lane, least as usize, most as usize);
        let place = self.base + lane - run.back;
        self.lines.meets(
            run.heap,
            place,
            sets.inspect(|(_, set)| *moves |= u8::from(*set != 0)),
        )
    }

    /// Gathers a run in all lanes whose options all lie before the batch; returns
    /// whether other lanes remain.
    fn gather_now(&mut self, active: &Mask, run: &mut GatherRun) -> bool {
        let mut later = false;
        self.has_no_lookups = false;
        for lane in active.lanes() {
            if run.back + run.least[lane] as usize * run.stride <= lane {
                later = true;
                continue;
            }
            let mut moves = self.moves[lane];
            if self.gather(run, lane, run.least[lane], false, &mut moves) {
                self.won[lane] = 1;
            }
            self.moves[lane] = moves;
            run.most[lane] = 0;
        }
        later
    }

    /// Looks up the option of a number in the lanes whose bounds contain it; returns
    /// whether any of them is still open.
    fn look_up_between(
        &mut self,
        active: &Mask,
        back: usize,
        least: &[u8; LANES],
        beyond: &[u8; LANES],
        number: u8,
    ) -> bool {
        let span = active.span();
        // Lanes below have fewer places before them.
        let from = span.start.max(back.saturating_sub(self.base));
        let to = span.end.min(back);
        if from >= to {
            return true;
        }
        let first = self.base + from - back;
        vectorised(LookUp {
            number,
            values: &self.values[first..first + (to - from)],
            least: &least[from..to],
            beyond: &beyond[from..to],
            won: &mut self.won[from..to],
        })
    }

    /// Whether a run is sparse: its lanes have few of the `between` numbers.
    fn is_sparse(active: &Mask, run: &Run, between: i64) -> bool {
        let difference = run.common_difference().unwrap_or(1) as i64;
        if difference > BLOCK {
            return true;
        }
        if let (Value::Same(_), Value::Same(_)) = (&run.least, &run.most) {
            return false;
        }
        // PERF: often one number per lane decides.
        let (lanes, all) = (active.count() as i64, between * active.span().len() as i64);
        lanes * SPARSE < all && {
            let numbers = run.most.sum(active) - run.least.sum(active) + lanes;
            numbers * SPARSE < all
        }
    }

    /// Settles a lane with its final result; returns whether it is P, and scatters
    /// it if so.
    fn settled(&mut self, lane: usize, wins: bool) -> bool {
        if wins {
            return false;
        }
        self.values[self.base + lane] = IS_P;
        self.found += 1;
        self.lines.insert(self.base + lane);
        for back in &self.within.used {
            let above = lane + back;
            if above < self.count && self.within.has(*back, above) {
                self.won[above] = 1;
            }
        }
        for run in self.from_one.all() {
            if run.stride == 1 {
                let from = (lane + 1).min(run.to);
                let lanes = from..run.to.min(from + run.longest);
                let won = self.won[lanes.clone()].iter_mut();
                for ((won, most), number) in won.zip(&run.most[lanes]).zip(1..) {
                    *won |= u8::from(number <= *most);
                }
                continue;
            }
            let lanes = (lane + run.stride..run.to).step_by(run.stride);
            for (above, number) in lanes.zip(1..) {
                self.won[above] |= u8::from(number <= run.most[above]);
            }
        }
        for run in self.scattered.all() {
            let first = lane + run.back;
            if run.stride == 1 {
                let from = (first + 1).min(run.to);
                let to = run.to.min(first + 1 + run.longest);
                let lanes = from..to.max(from);
                let bounds = run.least[lanes.clone()]
                    .iter()
                    .zip(&run.most[lanes.clone()]);
                let won = self.won[lanes].iter_mut();
                for ((won, (least, most)), number) in won.zip(bounds).zip(1..) {
                    *won |= u8::from(*least <= number) & u8::from(number <= *most);
                }
                continue;
            }
            for number in 1..=run.longest {
                let above = first + number * run.stride;
                if above >= run.to {
                    break;
                }
                let taken = number as i32;
                if run.least[above] <= taken && taken <= run.most[above] {
                    self.won[above] = 1;
                }
            }
        }
        true
    }
}

impl OptionSink for OutcomeBatch {
    fn open<'m>(&self, active: &'m Mask) -> Cow<'m, Mask> {
        if self.has_no_lookups {
            Cow::Borrowed(active)
        } else {
            Cow::Owned(self.unsettled(active))
        }
    }

    fn settled_lanes(&self) -> Bits {
        bits_of(&self.won)
    }

    fn option(&mut self, active: &Mask, back: usize) -> bool {
        let open = self.look_up(active, back);
        self.keep(active, back) || open
    }

    fn supports_number_sets(&self) -> bool {
        // A set does not tell whether its options are positions.
        self.defers_guards && !(self.misere && self.excludes)
    }

    fn needs_all_options(&self) -> bool {
        false
    }

    #[inline]
    fn relevant_lanes(&self, active: &Bits, back: usize, f: impl FnMut(usize)) {
        if !self.defers_guards {
            return lanes_of(*active).for_each(f);
        }
        let mut candidates = *active;
        for (word, candidates) in candidates.iter_mut().enumerate() {
            // No place within the batch is in the set yet.
            if *candidates != 0 {
                *candidates &= self.lines.before(self.base + 64 * word, back);
            }
        }
        if self.misere {
            let can_move = bits_of(&self.moves);
            // Lanes below have fewer places before them.
            let has_option = back.saturating_sub(self.base)..back.min(LANES);
            let terminal = std::array::from_fn(|word| active[word] & !can_move[word]);
            for lane in lanes_of(terminal).filter(|lane| has_option.contains(lane)) {
                candidates[lane / 64] |= 1 << (lane % 64);
            }
        }
        lanes_of(candidates).for_each(f);
    }

    fn lane_option(&mut self, lane: usize, back: usize) {
        let value = self.values[self.base + lane - back];
        self.has_no_lookups = false;
        self.won[lane] |= value & IS_P;
        self.moves[lane] |= u8::from(value != NO_POSITION);
    }

    fn win(&mut self, active: &Mask) {
        self.has_no_lookups = false;
        for lane in active.lanes() {
            self.won[lane] = 1;
        }
    }

    fn run(&mut self, active: &Mask, run: Run) -> Result<(), LimitExceeded> {
        if run.allowed.is_some() {
            // A run with a set takes from one heap, with at least two sizes.
            if let Some(heap) = self.lines.heap_of(run.stride) {
                self.restricted.add_bounds(active, &run).heap = heap;
            }
            return Ok(());
        }
        let alone = (self.misere && self.excludes) || run.common_difference().is_none();
        if !alone && self.misere {
            for lane in active.lanes() {
                self.moves[lane] = 1;
            }
        }
        let span = active.span();
        if let Some(heap) = self.lines.heap_of(run.stride)
            && run.is_from_one()
            && !alone
            && self.lines.are_long(heap)
            && self.from_one.all().len() < MOST_RUNS
        {
            let run = self.from_one.add_from_one(active, &run);
            let won = &mut self.won;
            self.has_no_lookups = false;
            self.lines
                .mark(heap, self.base, span.clone(), &run.most, won);
            if run.stride >= span.end {
                self.from_one.drop_last();
            }
            return Ok(());
        }
        let (low, high) = (run.least.range(active).0, run.most.range(active).1);
        if alone || OutcomeBatch::is_sparse(active, &run, high - low + 1) {
            let mut gathered = std::mem::take(&mut self.gathered);
            let has_room = gathered.all().len() < MOST_GATHER_RUNS;
            let run = gathered.add(active, &run);
            if !has_room && !self.gather_now(active, run) {
                gathered.drop_last();
            }
            self.gathered = gathered;
            return Ok(());
        }
        let nearest = run
            .back
            .saturating_add(run.stride.saturating_mul(low as usize));
        if nearest >= span.end {
            return self.look_up_run(active, &run, low..=high);
        }
        let leaving = run.most.lanes_before_batch(run.back, run.stride, active);
        if !leaving.is_empty() {
            self.look_up_run(&leaving, &run, low..=high)?;
        }
        let difference = run.common_difference().unwrap_or(1);
        if difference == 1 && self.scattered.all().len() < MOST_RUNS {
            let scattered = self.scattered.add_bounds(active, &run);
            (scattered.to, scattered.longest) = (span.end, high as usize);
            return Ok(());
        }
        for number in (low..=high).step_by(difference) {
            let back = run.back + number as usize * run.stride;
            if back >= span.end {
                break;
            }
            let of = Value::between(&run.least, number, &run.most, active);
            self.keep(&of, back);
        }
        Ok(())
    }
}

impl Chunk for OutcomeBatch {
    fn begin(&mut self, base: usize, count: usize) {
        self.base = base;
        self.count = count;
        self.won = [0; LANES];
        self.has_no_lookups = true;
        self.moves = [0; LANES];
        self.within.clear();
        self.scattered.clear();
        self.from_one.clear();
        self.gathered.clear();
        self.restricted.clear();
    }

    fn exclude(&mut self, lane: usize) {
        self.values[self.base + lane] = NO_POSITION;
    }

    fn next(&self, active: &Mask, fallback: &Mask, from: usize) -> Option<usize> {
        // PERF: skips eight lanes at a time; most have won.
        let words =
            |bytes: &[u8; LANES], word: usize| u64::from_le_bytes(bytes.as_chunks::<8>().0[word]);
        let mut beyond = u64::MAX << (8 * (from % 8));
        for word in from / 8..active.span().end.div_ceil(8) {
            let open = !words(&self.won, word) | words(fallback.on(), word);
            let lanes = words(active.on(), word) & open & beyond;
            if lanes != 0 {
                return Some(8 * word + lanes.trailing_zeros() as usize / 8);
            }
            beyond = u64::MAX;
        }
        None
    }

    fn is_terminal_so_far(&self, lane: usize) -> bool {
        self.misere && self.won[lane] == 0 && self.moves[lane] == 0
    }

    fn settle(&mut self, lane: usize) -> bool {
        let mut wins = self.won[lane] != 0;
        let mut moves = self.moves[lane];
        if !wins {
            let mut restricted = self.restricted.all().iter();
            wins = restricted.any(|run| self.meets(run, lane, &mut moves));
        }
        // PERF: the first number of each run before all others.
        if !wins && self.gathered.all().len() > 1 {
            let mut gathered = self.gathered.all().iter();
            wins = gathered.any(|run| self.gather(run, lane, run.least[lane], true, &mut moves));
        }
        if !wins {
            let later = |run: &GatherRun| match self.gathered.all().len() {
                1 => run.least[lane],
                _ => run.least[lane].saturating_add(run.difference[lane]),
            };
            let mut gathered = self.gathered.all().iter();
            wins = gathered.any(|run| self.gather(run, lane, later(run), false, &mut moves));
        }
        self.moves[lane] = moves;
        let ended_well = self.misere && self.moves[lane] == 0;
        self.settled(lane, wins || ended_well)
    }

    fn settle_by(
        &mut self,
        lane: usize,
        options: &mut OptionVisitor<'_>,
    ) -> Result<bool, SolveError> {
        let (mut wins, mut moves) = (false, false);
        let values = &self.values;
        options(&mut |option| {
            moves = true;
            wins = values[option] == IS_P;
            !wins
        })?;
        let ended_well = self.misere && !moves;
        Ok(self.settled(lane, wins || ended_well))
    }

    fn found(&self) -> u64 {
        self.found
    }

    fn first(&self, count: usize) -> Prefix<'_> {
        Prefix::Outcomes(&self.values[..count])
    }
}
