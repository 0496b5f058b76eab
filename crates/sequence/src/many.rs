//! Rules that leave more than two heaps, or two with endlessly many numbers
//! removed.
//!
//! For each size s and number r of heaps there is the set of nim-sums of r
//! heaps with s tokens together. These sets grow as the values become known:
//! when G(n) is found, each sum of r - 1 heaps of at most n, with n tokens
//! added, is a sum of r heaps whose largest is n. Going through the numbers r
//! upwards lets the heap n be used again, downwards lets it be used once,
//! which is what heaps that must differ want. All sums of s tokens in two
//! heaps or more are there once the heaps below s are known.

use super::marks::Bits;
use super::runs::Runs;
use super::taking::Taking;
use super::{Failure, Parts, Shape};
use nimrule_limits::Limits;

pub struct Many {
    taking: Taking,
    sums: Vec<Sums>,
    /// The sums reach to this many tokens.
    reach: usize,
    /// How many heaps have been put into the sums.
    known: usize,
    options: Bits,
}

/// The sums of heaps that may be equal, or of heaps that differ.
struct Sums {
    parts: Parts,
    /// What may be removed, for 2, 3, … heaps left.
    removes: Vec<Runs>,
    /// What is reached for each number of heaps removed from without end.
    endless: Vec<Bits>,
    /// For 2, 3, … heaps and each size, the sums.
    sets: Vec<Vec<Bits>>,
}

impl Many {
    pub fn new(shape: &Shape, to: u64) -> Many {
        // More heaps than tokens cannot be left.
        let most = u64::from(shape.most_parts()).min(to.max(2)) as u32;
        let sums = [Parts::Any, Parts::Unequal].map(|parts| {
            let removes: Vec<Runs> = (2..=most)
                .map(|number| shape.leaving(number, parts))
                .collect();
            let most = removes.iter().rposition(|runs| !runs.is_empty());
            let removes = removes[..most.map_or(0, |most| most + 1)].to_vec();
            Sums {
                parts,
                endless: vec![Bits::default(); removes.len()],
                sets: vec![Vec::new(); removes.len()],
                removes,
            }
        });
        Many {
            taking: Taking::new(shape),
            sums: sums
                .into_iter()
                .filter(|sums| !sums.removes.is_empty())
                .collect(),
            reach: 0,
            known: 0,
            options: Bits::default(),
        }
    }

    pub fn next(&mut self, values: &[u32], limits: &Limits) -> Result<u32, Failure> {
        let mut options = std::mem::take(&mut self.options);
        options.clear();
        let reached = self.reached(values, &mut options, limits);
        let value = options.mex();
        self.options = options;
        reached.map(|()| value)
    }

    /// Adds what the moves of the next heap lead to, where the heaps left have
    /// these values.
    pub fn reached(
        &mut self,
        values: &[u32],
        options: &mut Bits,
        limits: &Limits,
    ) -> Result<(), Failure> {
        let heap = values.len();
        if heap >= self.reach {
            // Sets that reach further are begun anew.
            self.reach = (2 * heap).max(64);
            self.known = 0;
            for set in self.sums.iter_mut().flat_map(|sums| &mut sums.sets) {
                set.clear();
                set.resize(self.reach, Bits::default());
            }
        }
        while self.known < heap {
            if self.known.is_multiple_of(64) {
                limits.within_time()?;
                limits.within_memory(self.bytes())?;
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
    /// Puts a heap into the sums.
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
                // One heap joins this one, and is at most as large.
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

    /// Adds what the moves of a heap lead to.
    fn reached(&mut self, heap: usize, options: &mut Bits) {
        let ways = self.removes.iter().zip(&self.sets).zip(&mut self.endless);
        for ((removes, sets), endless) in ways {
            let heap = heap as u64;
            let tail = removes.tail();
            let before_tail = tail.map_or(Some(heap), |tail| tail.checked_sub(1));
            if let Some(most) = before_tail {
                for removed in removes.up_to(most.min(heap)) {
                    options.join(&sets[(heap - removed) as usize]);
                }
            }
            // What a run without end reaches it goes on reaching.
            if let Some(tail) = tail
                && let Some(rest) = heap.checked_sub(tail)
            {
                endless.join(&sets[rest as usize]);
                options.join(endless);
            }
        }
    }
}
