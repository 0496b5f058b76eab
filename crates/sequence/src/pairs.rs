//! Rules that leave two heaps at most, with finitely many numbers removed
//! when two are left: finite octal codes, Grundy's game.
//!
//! For each number m of tokens there is the set of nim-sums of two heaps that
//! have m tokens together; a heap of n reaches the sets of n - t. A set is
//! kept as long as it is needed, so that several numbers t share it.
//!
//! Without a sparse space ([`super::space`]) a set is made by looking at all
//! pairs. With one, it is made from the pairs with a rare heap. That gives the
//! values of one class completely; let c be the least of this class that is
//! no option. The value sought is at most c, and it is c if every smaller
//! value of the other class is an option. Nearly always it is: a short walk
//! along the pairs shows most of these values, and each that is left is looked
//! for among the pairs of values that give it, those that should meet most
//! often first. A value that is not found so is missing, since by then each
//! pair that could give it has been looked at. So the answer is exact,
//! whatever the mask.

use super::marks::Bits;
use super::space::{Census, Space};
use super::taking::Taking;
use super::{Parts, Shape};

pub struct Pairs {
    taking: Taking,
    splits: Vec<Splits>,
    /// The parity of all numbers removed where two heaps are left.
    parity: Option<u32>,
    space: Option<Space>,
    census: Census,
    heaps: Heaps,
    next_look: usize,
    options: Bits,
    wanted: Bits,
    /// A byte for each value that a sum may have.
    seen: Vec<u8>,
}

/// The heaps of each value.
#[derive(Default)]
struct Heaps {
    /// Ascending, from 1 on.
    by_value: Vec<Vec<u32>>,
    /// The values, those of many heaps first.
    often: Vec<u32>,
    /// The place of each value among these.
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
            self.often.push(value);
        }
        self.by_value[value as usize].push(heap);
    }

    fn order(&mut self) {
        let by_value = &self.by_value;
        self.often
            .sort_by_key(|value| std::cmp::Reverse(by_value[*value as usize].len()));
        for (rank, value) in (0..).zip(&self.often) {
            self.ranks[*value as usize] = rank;
        }
    }
}

/// The sums of two heaps that may be equal, or of two that differ.
struct Splits {
    parts: Parts,
    /// What may be removed, ascending.
    removes: Vec<u64>,
    /// The sets that are still needed, that of m tokens at m modulo their
    /// number.
    sets: Vec<Sums>,
}

#[derive(Debug, Clone, Default)]
struct Sums {
    tokens: usize,
    found: Bits,
    /// Nothing is missing.
    complete: bool,
}

/// More numbers removed than this are better dealt with otherwise.
const MOST_REMOVED: u64 = 64;

/// The first choice of a mask.
const FIRST_LOOK: usize = 128;

/// Pairs of each set that are walked along before single values are looked
/// for.
const WALK: usize = 1 << 11;

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
            census: Census::default(),
            heaps: Heaps::default(),
            next_look: FIRST_LOOK,
            options: Bits::default(),
            wanted: Bits::default(),
            seen: Vec::new(),
        }
    }

    pub fn next(&mut self, values: &[u32]) -> u32 {
        let heap = values.len();
        if heap >= self.next_look {
            self.look(values);
            self.next_look = heap + (heap / 8).max(FIRST_LOOK);
        }
        self.options.clear();
        self.taking.reached(values, &mut self.options);
        for splits in &mut self.splits {
            splits.make(heap, values, self.space.as_ref(), &mut self.seen);
            splits.reached(heap, |set| self.options.join(&set.found));
        }
        let value = self.settle(values);
        if heap > 0 {
            self.census.add(heap as u32, value);
            self.heaps.add(heap as u32, value);
            if let Some(space) = &mut self.space {
                space.learn(heap as u32, value);
            }
        }
        // A sum may have any digit that a value has.
        let room = (value as usize + 1).next_power_of_two();
        if room > self.seen.len() {
            self.seen.resize(room, 0);
        }
        value
    }

    /// Chooses the mask that fits the values so far best.
    fn look(&mut self, values: &[u32]) {
        self.heaps.order();
        let chosen = self.census.space(self.parity);
        match (&self.space, &chosen) {
            (Some(old), Some(new)) if old.is_like(new) => return,
            (None, None) => return,
            _ => {}
        }
        self.space = chosen.map(|mut space| {
            for (heap, value) in (0..).zip(values).skip(1) {
                space.learn(heap, *value);
            }
            space
        });
        // What is known of the sets still needed fits the old mask.
        for splits in &mut self.splits {
            for set in &mut splits.sets {
                if !set.complete {
                    set.fill(values, splits.parts, self.space.as_ref(), &mut self.seen);
                }
            }
        }
    }

    /// The least value that is no option.
    fn settle(&mut self, values: &[u32]) -> u32 {
        let Some(space) = &self.space else {
            return self.options.mex();
        };
        let heap = values.len();
        let told = |word: usize| space.told_by_rare(word, heap as u32);
        let missing = (0..).zip(&self.options.words).find_map(|(place, word)| {
            let missing = !word & told(place);
            (missing != 0).then(|| place as u32 * 64 + missing.trailing_zeros())
        });
        // Past the options every value is missing.
        let end = self.options.words.len();
        let least = missing.unwrap_or_else(|| {
            let after = (end..).find(|place| told(*place) != 0).unwrap_or(end);
            after as u32 * 64 + told(after).trailing_zeros()
        });
        // The smaller values of the other class that no pair has shown yet.
        let below = |place: usize| match (least as usize / 64).cmp(&place) {
            std::cmp::Ordering::Greater => u64::MAX,
            std::cmp::Ordering::Equal => (1 << (least % 64)) - 1,
            std::cmp::Ordering::Less => 0,
        };
        self.wanted.words.clear();
        let words = least as usize / 64 + 1;
        self.wanted.words.extend((0..words).map(|place| {
            let known = self.options.words.get(place).copied().unwrap_or(0);
            !known & !told(place) & below(place)
        }));
        for splits in &mut self.splits {
            let parts = splits.parts;
            splits.reached(heap, |set| {
                set.walk(values, parts, WALK, &mut self.wanted);
            });
        }
        while let Some(value) = self.wanted.least() {
            let found = self.splits.iter_mut().any(|splits| {
                let parts = splits.parts;
                let mut found = false;
                splits.reached(heap, |set| {
                    found = found || set.look_for(value, values, parts, &self.heaps);
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
    /// The sets that a heap reaches.
    fn reached(&mut self, heap: usize, mut each: impl FnMut(&mut Sums)) {
        let number = self.sets.len();
        for removed in &self.removes {
            if let Some(tokens) = heap.checked_sub(*removed as usize) {
                each(&mut self.sets[tokens % number]);
            }
        }
    }

    /// Makes the set that a heap is the first to need.
    fn make(&mut self, heap: usize, values: &[u32], space: Option<&Space>, seen: &mut [u8]) {
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
    /// The pairs of `tokens` tokens: the smaller heaps upwards, and the larger
    /// ones downwards.
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

    /// Makes the set: all of it, or what the rare heaps tell.
    fn fill(&mut self, values: &[u32], parts: Parts, space: Option<&Space>, seen: &mut [u8]) {
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

    /// Walks along the first pairs and takes what they show off the list.
    fn walk(&mut self, values: &[u32], parts: Parts, most: usize, wanted: &mut Bits) {
        let mut left = wanted.count();
        if left == 0 || self.complete {
            return;
        }
        for (low, high) in Self::pairs(self.tokens, values, parts).take(most) {
            let sum = low ^ high;
            if wanted.has(sum) {
                wanted.remove(sum);
                self.found.add(sum);
                left -= 1;
                if left == 0 {
                    return;
                }
            }
        }
    }

    /// Is a value among the sums? Every pair that could give it is looked at
    /// until one does.
    fn look_for(&mut self, value: u32, values: &[u32], parts: Parts, heaps: &Heaps) -> bool {
        if self.complete {
            return false;
        }
        let tokens = self.tokens as u32;
        let found = heaps.often.iter().any(|often| {
            // Of the two values the one of fewer heaps is gone through.
            let seldom = often ^ value;
            let is_seldom = heaps.rank(seldom) >= heaps.rank(*often);
            is_seldom
                && heaps
                    .of(seldom)
                    .iter()
                    .take_while(|heap| **heap < tokens)
                    .any(|heap| {
                        let other = tokens - heap;
                        values[other as usize] == *often && (parts == Parts::Any || other != *heap)
                    })
        });
        if found {
            self.found.add(value);
        }
        found
    }
}
