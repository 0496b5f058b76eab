//! The engine of rules that leave more than two heaps, or two heaps after the
//! removal of infinitely many numbers.
//!
//! For each number of tokens s and number of heaps r, it stores the set of
//! nim-sums of r heaps with s tokens in total. It extends these sets after each
//! value G(n): a sum of r − 1 heaps, with a heap of n tokens added, is a sum of
//! r heaps whose largest has n tokens. By ascending r, the heap n can be used
//! several times; by descending r it is used once, as for distinct heaps. The
//! sums of s tokens in two heaps or more are complete when the values below s
//! are known (a dynamic program like that of knapsack).

use super::intervals::Intervals;
use super::taking::Taking;
use super::value_sets::BitSet;
use super::{Parts, SequenceError, Shape};
use nimrule_limits::Limits;

pub struct SumSets {
    taking: Taking,
    sums: Vec<Sums>,
    /// The sums are stored for fewer tokens than this.
    reach: usize,
    /// The number of heaps that have been added to the sums.
    known: usize,
    options: BitSet,
}

/// The sums of heaps that may be equal, or of distinct heaps.
struct Sums {
    parts: Parts,
    /// The numbers that may be removed if 2, 3, … heaps are left.
    removes: Vec<Intervals>,
    /// For 2, 3, … heaps: the sums reached by an unbounded interval so far.
    endless: Vec<BitSet>,
    /// For 2, 3, … heaps, and each number of tokens: the sums.
    sets: Vec<Vec<BitSet>>,
}

impl SumSets {
    pub fn new(shape: &Shape, to: u64) -> SumSets {
        // There are at most as many nonempty heaps as tokens.
        let most = u64::from(shape.most_parts()).min(to.max(2)) as u32;
        let sums = [Parts::Any, Parts::Unequal].map(|parts| {
            let removes: Vec<Intervals> = (2..=most)
                .map(|number| shape.leaving(number, parts))
                .collect();
            let most = removes.iter().rposition(|intervals| !intervals.is_empty());
            let removes = removes[..most.map_or(0, |most| most + 1)].to_vec();
            Sums {
                parts,
                endless: vec![BitSet::default(); removes.len()],
                sets: vec![Vec::new(); removes.len()],
                removes,
            }
        });
        SumSets {
            taking: Taking::new(shape),
            sums: sums
                .into_iter()
                .filter(|sums| !sums.removes.is_empty())
                .collect(),
            reach: 0,
            known: 0,
            options: BitSet::default(),
        }
    }

    pub fn next(&mut self, values: &[u32], limits: &Limits) -> Result<u32, SequenceError> {
        let mut options = std::mem::take(&mut self.options);
        options.clear();
        let reached = self.reached(values, &mut options, limits);
        let value = options.mex();
        self.options = options;
        reached.map(|()| value)
    }

    /// Adds the values of the options of the next heap to `options`.
    pub fn reached(
        &mut self,
        values: &[u32],
        options: &mut BitSet,
        limits: &Limits,
    ) -> Result<(), SequenceError> {
        let heap = values.len();
        if heap >= self.reach {
            // Larger tables are computed from the start.
            self.reach = (2 * heap).max(64);
            self.known = 0;
            for set in self.sums.iter_mut().flat_map(|sums| &mut sums.sets) {
                set.clear();
                set.resize(self.reach, BitSet::default());
            }
        }
        while self.known < heap {
            if self.known.is_multiple_of(64) {
                limits.check_time()?;
                limits.check_memory(self.bytes())?;
            }
            for sums in &mut self.sums {
                sums.put(self.known, values, self.reach);
            }
            self.known += 1;
        }
        self.taking.reached(values, options);
        for sums in &mut self.sums {
            sums.reached(heap, options);
        }
        Ok(())
    }

    fn bytes(&self) -> u128 {
        let sets = self.sums.iter().flat_map(|sums| &sums.sets).flatten();
        sets.map(|set| set.words.capacity() as u128 * 8 + 24).sum()
    }
}

impl Sums {
    /// Adds a heap to the sums.
    fn put(&mut self, heap: usize, values: &[u32], reach: usize) {
        if heap == 0 {
            return;
        }
        let value = values[heap];
        let numbers = self.sets.len();
        for step in 0..numbers {
            let number = match self.parts {
                Parts::Any => step,
                Parts::Unequal => numbers - 1 - step,
            };
            if number == 0 {
                // Sums of this heap and one that is at most as large.
                let most = match self.parts {
                    Parts::Any => heap + 1,
                    Parts::Unequal => heap,
                };
                let smaller = &values[..most.min(reach - heap)];
                for (other, with) in smaller.iter().enumerate().skip(1) {
                    self.sets[0][heap + other].add(value ^ with);
                }
            } else {
                let (fewer, more) = self.sets.split_at_mut(number);
                let fewer = &fewer[number - 1];
                for rest in 2..reach - heap {
                    more[0][heap + rest].join_shifted(&fewer[rest], value);
                }
            }
        }
    }

    /// Adds the values of the options of a heap to `options`.
    fn reached(&mut self, heap: usize, options: &mut BitSet) {
        let by_number = self.removes.iter().zip(&self.sets).zip(&mut self.endless);
        for ((removes, sets), endless) in by_number {
            let heap = heap as u64;
            let tail = removes.tail();
            let before_tail = tail.map_or(Some(heap), |tail| tail.checked_sub(1));
            if let Some(most) = before_tail {
                for removed in removes.up_to(most.min(heap)) {
                    options.join(&sets[(heap - removed) as usize]);
                }
            }
            // The options by an unbounded interval stay options of all larger
            // heaps.
            if let Some(tail) = tail
                && let Some(rest) = heap.checked_sub(tail)
            {
                endless.join(&sets[rest as usize]);
                options.join(endless);
            }
        }
    }
}
