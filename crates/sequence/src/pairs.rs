//! The engine of rules that leave at most two heaps, with finitely many numbers
//! removed when two are left: finite octal codes, Grundy's game.
//!
//! For each number of tokens m, there is the set of nim-sums of two heaps with
//! m tokens in total. The options of a heap of n are the sets of n − t, for the
//! removable numbers t. A set is stored as long as it is needed.
//!
//! Without a sparse space (`sparse_space`) a set is computed from all pairs of
//! heaps. With one, it is first computed from the pairs with a rare heap, which
//! gives all its values of one class. Let c be the least value of this class
//! that is not an option. The Grundy value is at most c, and it is c if all
//! smaller values of the other class are options. Usually they are, and this is
//! checked in two steps: a scan of the first pairs finds most of these values;
//! each remaining value is searched among all pairs of values that give it, the
//! most frequent first. If no pair gives it, it is the Grundy value. So the
//! result is exact for any mask.

use super::sparse_space::{Frequencies, SparseSpace};
use super::taking::Taking;
use super::value_sets::BitSet;
use super::{Parts, Shape};

pub struct Pairs {
    taking: Taking,
    splits: Vec<Splits>,
    /// The common parity of the numbers removed when two heaps are left.
    parity: Option<u32>,
    space: Option<SparseSpace>,
    frequencies: Frequencies,
    heaps: Heaps,
    next_choice: usize,
    options: BitSet,
    wanted: BitSet,
    /// Scratch memory: a byte for each possible sum.
    seen: Vec<u8>,
}

/// The heaps of each value.
#[derive(Default)]
struct Heaps {
    /// The heaps from 1 on that have each value, ascending.
    by_value: Vec<Vec<u32>>,
    /// The values by descending frequency.
    by_frequency: Vec<u32>,
    /// The place of each value in this order.
    ranks: Vec<u32>,
}

impl Heaps {
    fn of(&self, value: u32) -> &[u32] {
        self.by_value.get(value as usize).map_or(&[], Vec::as_slice)
    }

    fn rank(&self, value: u32) -> u32 {
        self.ranks.get(value as usize).copied().unwrap_or(u32::MAX)
    }

    fn add(&mut self, heap: u32, value: u32) {
        for value in self.by_value.len() as u32..=value {
            self.by_value.push(Vec::new());
            self.ranks.push(value);
            self.by_frequency.push(value);
        }
        self.by_value[value as usize].push(heap);
    }

    fn order(&mut self) {
        let by_value = &self.by_value;
        self.by_frequency
            .sort_by_key(|value| std::cmp::Reverse(by_value[*value as usize].len()));
        for (rank, value) in (0..).zip(&self.by_frequency) {
            self.ranks[*value as usize] = rank;
        }
    }
}

/// The sums of two heaps that may be equal, or of two distinct heaps.
struct Splits {
    parts: Parts,
    /// The numbers that may be removed, ascending.
    removes: Vec<u64>,
    /// The sets that are still needed, as a ring buffer: that of m tokens is at
    /// m modulo its length.
    sets: Vec<Sums>,
}

#[derive(Debug, Clone, Default)]
struct Sums {
    tokens: usize,
    found: BitSet,
    /// Whether all sums are found.
    complete: bool,
}

/// The most removable numbers for which this engine is used.
const MOST_REMOVED: u64 = 64;

/// The number of values at which a mask is chosen first.
const FIRST_CHOICE: usize = 128;

/// The pairs of each set that are scanned before single values are searched, in blocks.
const BLOCKS: [usize; 7] = [16, 48, 64, 128, 256, 512, 1024];

impl Pairs {
    pub fn suits(shape: &Shape) -> bool {
        shape.most_parts() == 2
            && [Parts::Any, Parts::Unequal].into_iter().all(|parts| {
                let removes = shape.leaving(2, parts);
                removes.tail().is_none() && removes.count_up_to(u64::MAX - 1) <= MOST_REMOVED
            })
    }

    pub fn new(shape: &Shape) -> Pairs {
        let splits: Vec<Splits> = [Parts::Any, Parts::Unequal]
            .into_iter()
            .filter_map(|parts| {
                let removes: Vec<u64> = shape.leaving(2, parts).up_to(u64::MAX - 1).collect();
                let (least, most) = (removes.first()?, removes.last()?);
                Some(Splits {
                    parts,
                    sets: vec![Sums::default(); (most - least + 1) as usize],
                    removes,
                })
            })
            .collect();
        let mut removed = splits.iter().flat_map(|splits| &splits.removes);
        let first = removed.next().map(|removed| (removed & 1) as u32);
        Pairs {
            taking: Taking::new(shape),
            parity: first.filter(|parity| removed.all(|r| (r & 1) as u32 == *parity)),
            splits,
            space: None,
            frequencies: Frequencies::default(),
            heaps: Heaps::default(),
            next_choice: FIRST_CHOICE,
            options: BitSet::default(),
            wanted: BitSet::default(),
            seen: Vec::new(),
        }
    }

    pub fn next(&mut self, values: &[u32]) -> u32 {
        let heap = values.len();
        if heap >= self.next_choice {
            self.choose_mask(values);
            self.next_choice = heap + (heap / 8).max(FIRST_CHOICE);
        }
        self.options.clear();
        self.taking.reached(values, &mut self.options);
        for splits in &mut self.splits {
            splits.compute(heap, values, self.space.as_ref(), &mut self.seen);
            splits.reached(heap, |set| self.options.join(&set.found));
        }
        let value = self.mex(values);
        if heap > 0 {
            self.frequencies.add(heap as u32, value);
            self.heaps.add(heap as u32, value);
            if let Some(space) = &mut self.space {
                space.add(heap as u32, value);
            }
        }
        // A nim-sum has no more binary digits than the values.
        let room = (value as usize + 1).next_power_of_two();
        if room > self.seen.len() {
            self.seen.resize(room, 0);
        }
        value
    }

    /// Chooses the best mask for the values so far.
    fn choose_mask(&mut self, values: &[u32]) {
        self.heaps.order();
        let chosen = self.frequencies.space(self.parity);
        match (&self.space, &chosen) {
            (Some(old), Some(new)) if old.has_same_mask(new) => return,
            (None, None) => return,
            _ => {}
        }
        self.space = chosen.map(|mut space| {
            for (heap, value) in (0..).zip(values).skip(1) {
                space.add(heap, *value);
            }
            space
        });
        // The stored sets were computed with the old mask.
        for splits in &mut self.splits {
            for set in &mut splits.sets {
                if !set.complete {
                    set.fill(values, splits.parts, self.space.as_ref(), &mut self.seen);
                }
            }
        }
    }

    /// The Grundy value of the next heap: the least value that is not an option.
    fn mex(&mut self, values: &[u32]) -> u32 {
        let Some(space) = &self.space else {
            return self.options.mex();
        };
        let heap = values.len();
        let by_rare = |word: usize| space.by_rare(word, heap as u32);
        let missing = (0..).zip(&self.options.words).find_map(|(place, word)| {
            let missing = !word & by_rare(place);
            (missing != 0).then(|| place as u32 * 64 + missing.trailing_zeros())
        });
        // No value past the words of the options is an option.
        let end = self.options.words.len();
        let least = missing.unwrap_or_else(|| {
            let after = (end..).find(|place| by_rare(*place) != 0).unwrap_or(end);
            after as u32 * 64 + by_rare(after).trailing_zeros()
        });
        // The smaller values of the other class that no pair gave so far.
        let below = |place: usize| match (least as usize / 64).cmp(&place) {
            std::cmp::Ordering::Greater => u64::MAX,
            std::cmp::Ordering::Equal => (1 << (least % 64)) - 1,
            std::cmp::Ordering::Less => 0,
        };
        self.wanted.words.clear();
        let words = least as usize / 64 + 1;
        self.wanted.words.extend((0..words).map(|place| {
            let known = self.options.words.get(place).copied().unwrap_or(0);
            !known & !by_rare(place) & below(place)
        }));
        for splits in &mut self.splits {
            let parts = splits.parts;
            splits.reached(heap, |set| {
                set.scan(values, parts, &mut self.seen, &mut self.wanted);
            });
        }
        while let Some(value) = self.wanted.least() {
            let found = self.splits.iter_mut().any(|splits| {
                let parts = splits.parts;
                let mut found = false;
                splits.reached(heap, |set| {
                    found = found || set.search(value, values, parts, &self.heaps);
                });
                found
            });
            if !found {
                return value;
            }
            self.wanted.remove(value);
        }
        least
    }
}

impl Splits {
    /// Visits the sets of the options of a heap.
    fn reached(&mut self, heap: usize, mut each: impl FnMut(&mut Sums)) {
        let number = self.sets.len();
        for removed in &self.removes {
            if let Some(tokens) = heap.checked_sub(*removed as usize) {
                each(&mut self.sets[tokens % number]);
            }
        }
    }

    /// Computes the new set that a heap needs.
    fn compute(
        &mut self,
        heap: usize,
        values: &[u32],
        space: Option<&SparseSpace>,
        seen: &mut [u8],
    ) {
        let Some(tokens) = heap.checked_sub(self.removes[0] as usize) else {
            return;
        };
        let place = tokens % self.sets.len();
        let set = &mut self.sets[place];
        set.tokens = tokens;
        set.fill(values, self.parts, space, seen);
    }
}

impl Sums {
    /// The values of all pairs of heaps with `tokens` tokens, by ascending size
    /// of the smaller heap.
    fn pairs<'v>(
        tokens: usize,
        values: &'v [u32],
        parts: Parts,
    ) -> impl Iterator<Item = (u32, u32)> + 'v {
        let half = match parts {
            Parts::Any => tokens / 2,
            Parts::Unequal => tokens.saturating_sub(1) / 2,
        };
        let low = values.iter().skip(1).take(half);
        let high = values[tokens - half..tokens].iter().rev();
        low.copied().zip(high.copied())
    }

    /// Computes the set: from all pairs, or from the pairs with a rare heap.
    fn fill(&mut self, values: &[u32], parts: Parts, space: Option<&SparseSpace>, seen: &mut [u8]) {
        let tokens = self.tokens;
        self.found.clear();
        self.complete = space.is_none();
        seen.fill(0);
        match space {
            None => {
                for (low, high) in Self::pairs(tokens, values, parts) {
                    seen[(low ^ high) as usize] = 1;
                }
            }
            Some(space) => {
                let before = space
                    .rare
                    .partition_point(|(heap, _)| (*heap as usize) < tokens);
                for (heap, value) in &space.rare[..before] {
                    let other = tokens - *heap as usize;
                    if parts == Parts::Unequal && other == *heap as usize {
                        continue;
                    }
                    seen[(value ^ values[other]) as usize] = 1;
                }
            }
        }
        self.found.set_bytes(seen);
    }

    /// Scans the first pairs, and removes their sums from `wanted`.
    fn scan(&mut self, values: &[u32], parts: Parts, seen: &mut [u8], wanted: &mut BitSet) {
        if self.complete || wanted.least().is_none() {
            return;
        }
        seen.fill(0);
        // PERF: to mark all sums of a block takes less time than to ask of each whether it is wanted.
        let mut pairs = Self::pairs(self.tokens, values, parts);
        for block in BLOCKS {
            let mut left = block;
            for (low, high) in pairs.by_ref().take(block) {
                seen[(low ^ high) as usize] = 1;
                left -= 1;
            }
            if !wanted.move_bytes(seen, &mut self.found) || left > 0 {
                return;
            }
        }
    }

    /// Returns whether a value is a sum, by a search of the pairs that give it.
    fn search(&mut self, value: u32, values: &[u32], parts: Parts, heaps: &Heaps) -> bool {
        if self.complete {
            return false;
        }
        let tokens = self.tokens as u32;
        let found = heaps.by_frequency.iter().any(|by_frequency| {
            // The heaps of the less frequent of the two values are searched.
            let rarer = by_frequency ^ value;
            let is_rarer = heaps.rank(rarer) >= heaps.rank(*by_frequency);
            is_rarer
                && heaps
                    .of(rarer)
                    .iter()
                    .take_while(|heap| **heap < tokens)
                    .any(|heap| {
                        let other = tokens - heap;
                        values[other as usize] == *by_frequency
                            && (parts == Parts::Any || other != *heap)
                    })
        });
        if found {
            self.found.add(value);
        }
        found
    }
}
