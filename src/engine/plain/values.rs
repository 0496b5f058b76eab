//! Grundy values, a chunk at a time.
//!
//! The values of options in earlier chunks are marked in a row of bits for each
//! lane. Runs are gone through when the lane is settled, by a loop that marks
//! each value with the lane's own number, as one would write it by hand.

use super::super::growth::{self, First};
use super::super::table::NO_VALUE;
use super::abreast::{Chunk, Pulled, Shown, Within};
use crate::engine::Failure;
use crate::game::Convention;
use crate::ir::abreast::{LANES, Mask, Run, Seen, Value};
use crate::limits::Met;

/// Runs that are kept for the lane to be settled; further ones are marked at
/// once.
const MOST_RUNS: usize = 64;

pub struct Marking {
    pub values: Vec<u32>,
    misere: bool,
    base: usize,
    /// The values marked in each lane: so many words a lane.
    bits: Vec<u64>,
    words: usize,
    /// Is any bit of the chunk set?
    is_marked: bool,
    moves: [u8; LANES],
    within: Within,
    pulled: Vec<Pulled>,
    /// The number of the lane for which a value was marked last.
    seen: Vec<u64>,
    round: u64,
    largest: u32,
}

impl Marking {
    pub fn new(len: usize, convention: Convention) -> Marking {
        Marking {
            values: vec![0; len],
            misere: convention == Convention::Misere,
            base: 0,
            bits: Vec::new(),
            words: 1,
            is_marked: false,
            moves: [0; LANES],
            within: Within::new(),
            pulled: Vec::new(),
            seen: vec![0; 64],
            round: 0,
            largest: 0,
        }
    }

    /// Takes over the first values.
    pub fn begin_with(&mut self, first: &[u32]) {
        self.values[..first.len()].copy_from_slice(first);
        self.make_room_for(growth::largest(first));
    }

    fn make_room_for(&mut self, value: u32) {
        if value > self.largest {
            self.largest = value;
            if self.seen.len() <= value as usize {
                self.seen.resize(2 * (value as usize + 1), 0);
            }
        }
    }

    /// Settles a lane all of whose options are marked, and says whether it is P.
    fn settled(&mut self, lane: usize, moves: bool) -> bool {
        let marked = self.is_marked.then(|| {
            let first = lane * self.words;
            &self.bits[first..first + self.words]
        });
        let round = self.round;
        let is_taken = |value: usize| {
            self.seen.get(value) == Some(&round)
                || marked.is_some_and(|bits| {
                    bits.get(value / 64)
                        .is_some_and(|word| word >> (value % 64) & 1 != 0)
                })
        };
        let mut mex = 0;
        while is_taken(mex) {
            mex += 1;
        }
        let value = if self.misere && !moves { 1 } else { mex as u32 };
        self.values[self.base + lane] = value;
        self.make_room_for(value);
        value == 0
    }
}

impl Seen for Marking {
    fn open(&self, who: &Mask) -> Mask {
        who.clone()
    }

    fn option(&mut self, who: &Mask, back: usize) -> bool {
        let span = who.span();
        let split = back.clamp(span.start, span.end);
        if span.start < split {
            if !self.is_marked {
                self.is_marked = true;
                self.bits.clear();
                self.bits.resize(LANES * self.words, 0);
            }
            let first = self.base + span.start - back;
            for (lane, place) in (span.start..split).zip(first..) {
                let value = self.values[place];
                if who.has(lane) && value != NO_VALUE {
                    let value = value as usize;
                    self.bits[lane * self.words + value / 64] |= 1 << (value % 64);
                    self.moves[lane] = 1;
                }
            }
        }
        if split < span.end {
            self.within.add(back, split, &who.on()[split..span.end]);
        }
        true
    }

    fn wants_all(&self) -> bool {
        true
    }

    fn matters(&self, who: &Mask, _back: usize, f: impl FnMut(usize)) {
        who.lanes().for_each(f);
    }

    fn option_of(&mut self, lane: usize, back: usize) {
        let mut who = Mask::none();
        who.insert(lane);
        self.option(&who, back);
    }

    fn win(&mut self, _who: &Mask) {}

    fn run(&mut self, who: &Mask, run: Run) -> Result<(), Met> {
        if run.every.is_some() || self.pulled.len() < MOST_RUNS {
            self.pulled.push(Pulled::new(who, &run));
            return Ok(());
        }
        for number in run.least.range(who).0..=run.most.range(who).1 {
            let of = Value::within(&run.least, number, &run.most, who);
            if !of.is_empty() {
                self.option(&of, run.back + number as usize * run.stride);
            }
        }
        Ok(())
    }
}

impl Chunk for Marking {
    fn begin(&mut self, base: usize, _count: usize) {
        self.base = base;
        self.words = self.largest as usize / 64 + 1;
        self.is_marked = false;
        self.moves = [0; LANES];
        self.within.clear();
        self.pulled.clear();
    }

    fn exclude(&mut self, lane: usize) {
        self.values[self.base + lane] = NO_VALUE;
    }

    fn is_stuck(&self, _lane: usize) -> bool {
        false
    }

    fn settle(&mut self, lane: usize) -> bool {
        self.round += 1;
        let round = self.round;
        let place = self.base + lane;
        let mut moves = self.moves[lane] != 0;
        let seen = &mut self.seen;
        let mut mark = |value: u32| {
            // Nothing is there for what is no position.
            if let Some(last) = seen.get_mut(value as usize) {
                *last = round;
                moves = true;
            }
        };
        for run in &self.pulled {
            let (least, most, every) = (run.least[lane], run.most[lane], run.every[lane]);
            if least > most {
                continue;
            }
            let mut at = place - run.back - least as usize * run.stride;
            if every == 1 {
                let farthest = at - (most - least) as usize * run.stride;
                for value in self.values[farthest..=at].iter().step_by(run.stride) {
                    mark(*value);
                }
                continue;
            }
            // PERF: a division for their count takes longer than most of them.
            let step = every as usize * run.stride;
            let mut number = least;
            loop {
                mark(self.values[at]);
                number += every;
                if number > most {
                    break;
                }
                at -= step;
            }
        }
        for back in &self.within.used {
            if *back <= lane && self.within.has(*back, lane) {
                mark(self.values[place - back]);
            }
        }
        self.settled(lane, moves)
    }

    fn settle_by(&mut self, lane: usize, options: &mut Shown<'_>) -> Result<bool, Failure> {
        self.round += 1;
        let round = self.round;
        let mut moves = self.moves[lane] != 0;
        let (seen, values) = (&mut self.seen, &self.values);
        options(&mut |option| {
            if let Some(last) = seen.get_mut(values[option] as usize) {
                *last = round;
            }
            moves = true;
            true
        })?;
        Ok(self.settled(lane, moves))
    }

    fn found(&self) -> u64 {
        0
    }

    fn first(&self, count: usize) -> First<'_> {
        First::Grundy(&self.values[..count])
    }
}
