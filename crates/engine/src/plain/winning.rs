//! Outcomes, a chunk at a time.
//!
//! An option in an earlier chunk that is P wins in all lanes that have it. When
//! a lane is settled as P it wins for the lanes of its chunk that have it as an
//! option: few lanes are P, so this asks less than each lane asking its options.

use super::super::Limits;
use super::super::growth::First;
use super::super::table::{IS_N, IS_P, NO_POSITION};
use super::batch::{Chunk, GatherRun, OptionVisitor, Runs};
use super::p_places::PPlaces;
use super::within::Within;
use crate::Failure;
use nimrule_ir::batch::{Bits, LANES, Mask, OptionSink, Run, Value, bits_of, lanes_of, vectorised};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::Convention;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Runs of which the numbers in a lane are a small part of all between the
/// least and the largest are looked through lane by lane.
const SPARSE: i64 = 12;

/// Numbers that are counted by a byte from a base.
const BLOCK: i64 = 255;

/// Runs within a chunk that are kept as such; further ones are kept option by
/// option.
const MOST_RUNS: usize = 24;

/// Runs that take turns when a lane is settled; further ones are asked as soon
/// as can be.
const MOST_GATHER_RUNS: usize = 4;

pub struct OutcomeBatch {
    pub values: Vec<u8>,
    /// The places that are P, a bit for each, where conditions are asked of those.
    p_places: Option<PPlaces>,
    misere: bool,
    /// Does `positions where` exclude any?
    excludes: bool,
    limits: Limits,
    base: usize,
    count: usize,
    /// 1 for each lane that wins, and for each that can move.
    won: [u8; LANES],
    /// Nothing has been looked up in this chunk, so that no lane has won.
    untouched: bool,
    moves: [u8; LANES],
    within: Within,
    /// Runs within the chunk, asked when a lane that may be their option is
    /// settled.
    scattered: Runs,
    gathered: Runs,
    found: u64,
}

/// Looks an option up in each lane whose bounds the number keeps, and says whether
/// any of these has not won.
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
    /// `defers_guards` says whether conditions are asked of numbers.
    pub fn new(
        len: usize,
        convention: Convention,
        excludes: bool,
        defers_guards: bool,
        limits: &Limits,
    ) -> OutcomeBatch {
        OutcomeBatch {
            values: vec![IS_N; len],
            p_places: defers_guards.then(|| PPlaces::of(len)),
            misere: convention == Convention::Misere,
            excludes,
            limits: *limits,
            base: 0,
            count: 0,
            won: [0; LANES],
            untouched: true,
            moves: [0; LANES],
            within: Within::new(),
            scattered: Runs::default(),
            gathered: Runs::default(),
            found: 0,
        }
    }

    /// Takes over the first answers.
    pub fn begin_with(&mut self, first: &[u8]) {
        self.values[..first.len()].copy_from_slice(first);
        for (place, _) in (0..).zip(first).filter(|(_, value)| **value == IS_P) {
            self.found += 1;
            if let Some(p_places) = &mut self.p_places {
                p_places.insert(place);
            }
        }
    }

    /// The lanes of `active` that have not won.
    fn unsettled(&self, active: &Mask) -> Mask {
        let won = &self.won;
        Mask::of(active, move |lane| won[lane] == 0)
    }

    /// Looks an option up in the lanes for which it is in an earlier chunk, and
    /// says whether any of these has not won.
    #[inline(always)]
    fn look_up(&mut self, active: &Mask, back: usize) -> bool {
        let span = active.span();
        let to = span.end.min(back);
        if span.start >= to {
            return false;
        }
        self.untouched = false;
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

    /// Keeps an option for the lanes for which it is in their own chunk; says
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

    /// The numbers of a run, each looked up in the lanes for which its option
    /// is in an earlier chunk.
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
        // PERF: numbers are counted from a base, so that their bounds are bytes.
        let block = BLOCK - BLOCK % difference as i64;
        let mut active = self.open(active);
        self.untouched = false;
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

    /// Does a lane win by a number of a run, or a later one if they are asked
    /// too? Nothing is asked where the number is too large.
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

    /// Asks the numbers of a run in all lanes of which nothing lies in the chunk;
    /// says whether it is to be asked of others later.
    fn gather_now(&mut self, active: &Mask, run: &mut GatherRun) -> bool {
        let mut later = false;
        self.untouched = false;
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

    /// Looks an option up in the lanes whose bounds a number keeps; says
    /// whether any of them has not won.
    fn look_up_between(
        &mut self,
        active: &Mask,
        back: usize,
        least: &[u8; LANES],
        beyond: &[u8; LANES],
        number: u8,
    ) -> bool {
        let span = active.span();
        // No lane below has as many places before it.
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

    /// Are the numbers of a run far apart from lane to lane, of so many between the
    /// least and the largest?
    fn is_sparse(active: &Mask, run: &Run, between: i64) -> bool {
        let difference = run.common_difference().unwrap_or(1) as i64;
        if difference > BLOCK {
            return true;
        }
        if let (Value::Same(_), Value::Same(_)) = (&run.least, &run.most) {
            return false;
        }
        // PERF: one number in each lane is often enough not to be sparse.
        let (lanes, all) = (active.count() as i64, between * active.span().len() as i64);
        lanes * SPARSE < all && {
            let numbers = run.most.sum(active) - run.least.sum(active) + lanes;
            numbers * SPARSE < all
        }
    }

    /// Settles a lane that has no more options to be asked, and says whether it
    /// is P.
    fn settled(&mut self, lane: usize, wins: bool) -> bool {
        if wins {
            return false;
        }
        self.values[self.base + lane] = IS_P;
        self.found += 1;
        if let Some(p_places) = &mut self.p_places {
            p_places.insert(self.base + lane);
        }
        for back in &self.within.used {
            let above = lane + back;
            if above < self.count && self.within.has(*back, above) {
                self.won[above] = 1;
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
        if self.untouched {
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

    fn needs_all_options(&self) -> bool {
        false
    }

    #[inline]
    fn relevant_lanes(&self, active: &Bits, back: usize, f: impl FnMut(usize)) {
        // INVARIANT: whoever asks conditions of numbers has said so beforehand.
        let Some(p_places) = &self.p_places else {
            return lanes_of(*active).for_each(f);
        };
        let mut asked = *active;
        for (word, asked) in asked.iter_mut().enumerate() {
            // Nothing in the chunk is P as yet.
            if *asked != 0 {
                *asked &= p_places.before(self.base + 64 * word, back);
            }
        }
        if self.misere {
            let can_move = bits_of(&self.moves);
            // No lane below has as many places before it.
            let has_option = back.saturating_sub(self.base)..back.min(LANES);
            let terminal = std::array::from_fn(|word| active[word] & !can_move[word]);
            for lane in lanes_of(terminal).filter(|lane| has_option.contains(lane)) {
                asked[lane / 64] |= 1 << (lane % 64);
            }
        }
        lanes_of(asked).for_each(f);
    }

    fn lane_option(&mut self, lane: usize, back: usize) {
        let value = self.values[self.base + lane - back];
        self.untouched = false;
        self.won[lane] |= value & IS_P;
        self.moves[lane] |= u8::from(value != NO_POSITION);
    }

    fn win_lane(&mut self, lane: usize) {
        self.untouched = false;
        self.won[lane] = 1;
    }

    fn win(&mut self, active: &Mask) {
        self.untouched = false;
        for lane in active.lanes() {
            self.won[lane] = 1;
        }
    }

    fn run(&mut self, active: &Mask, run: Run) -> Result<(), LimitExceeded> {
        let alone = (self.misere && self.excludes) || run.common_difference().is_none();
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
        if self.misere {
            for lane in active.lanes() {
                self.moves[lane] = 1;
            }
        }
        let span = active.span();
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
        self.untouched = true;
        self.moves = [0; LANES];
        self.within.clear();
        self.scattered.clear();
        self.gathered.clear();
    }

    fn exclude(&mut self, lane: usize) {
        self.values[self.base + lane] = NO_POSITION;
    }

    fn next(&self, active: &Mask, fallback: &Mask, from: usize) -> Option<usize> {
        // PERF: eight lanes are passed over at once; most have won by now.
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
        // PERF: one number of each run before the others, which may be many.
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

    fn settle_by(&mut self, lane: usize, options: &mut OptionVisitor<'_>) -> Result<bool, Failure> {
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

    fn first(&self, count: usize) -> First<'_> {
        First::Outcomes(&self.values[..count])
    }
}
