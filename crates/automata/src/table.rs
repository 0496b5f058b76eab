//! Deterministic automata as explicit tables of the next state for every state
//! and letter.
//!
//! A letter is one digit of every track. Its number is the sum of
//! `digit[i] * base^i`, so that in base 2 bit i is the digit of track i. Tables
//! are the simplest representation and the fastest to traverse, but their size
//! is proportional to the number of letters, `base^tracks`.

use super::partition::{Incoming, coarsest_partition};
use super::unique_table::{Ref, UniqueTable, leaf};
use super::{Dfa, Numeration, Track};
use std::collections::{BTreeMap, VecDeque};

/// A complete deterministic automaton with an output at every state (a Moore
/// machine). Tracks are numbered 0, 1, …
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table<O> {
    /// The number of tracks.
    pub tracks: usize,
    /// The base of the numeration: the number of digits.
    pub base: usize,
    /// The initial state.
    pub start: u32,
    /// The output at each state.
    pub output: Vec<O>,
    /// The next state, at `state * letters + letter`; in base 2 this is
    /// `state << tracks | letter`.
    pub next: Vec<u32>,
}

/// A DFA as a table: the output is whether a state accepts.
pub type TableDfa = Table<bool>;

/// The letters of a table: all tuples of one digit for each track.
#[derive(Debug, Clone)]
pub struct Alphabet {
    /// The number of tracks.
    pub tracks: usize,
    /// The number of digits.
    pub base: usize,
    /// `base^i` for track i, and last the number of letters.
    pub weight: Vec<usize>,
    /// The support of each letter: the tracks whose digit is not 0, as bits.
    pub support: Vec<u32>,
}

impl Alphabet {
    /// The letters of this number of tracks and digits.
    pub fn new(tracks: usize, base: usize) -> Alphabet {
        let mut weight = vec![1usize];
        for track in 0..tracks {
            weight.push(weight[track] * base);
        }
        let support = (0..weight[tracks])
            .map(|letter| {
                (0..tracks).fold(0, |all, track| {
                    all | u32::from(letter / weight[track] % base != 0) << track
                })
            })
            .collect();
        Alphabet {
            tracks,
            base,
            weight,
            support,
        }
    }

    /// The number of letters.
    pub fn count(&self) -> usize {
        self.weight[self.tracks]
    }

    /// The digit of a letter on a track.
    #[inline]
    pub fn digit(&self, letter: usize, track: usize) -> usize {
        letter / self.weight[track] % self.base
    }

    /// The letter with the digit of track i on track `images[i]`.
    pub fn permuted(&self, letter: usize, images: &[u8]) -> usize {
        images
            .iter()
            .enumerate()
            .map(|(track, &to)| self.digit(letter, track) * self.weight[usize::from(to)])
            .sum()
    }

    /// The word of a tuple of numbers: its letters, the most significant first.
    pub fn word(&self, numbers: &[u64]) -> Vec<usize> {
        word(numbers, self.base)
    }

    /// The numbers that a word represents; `None` if one does not fit 64 bits.
    pub fn numbers(&self, word: &[usize]) -> Option<Vec<u64>> {
        (0..self.tracks)
            .map(|track| {
                word.iter().try_fold(0u64, |number, &letter| {
                    number
                        .checked_mul(self.base as u64)?
                        .checked_add(self.digit(letter, track) as u64)
                })
            })
            .collect()
    }
}

fn word(numbers: &[u64], base: usize) -> Vec<usize> {
    let mut rest = numbers.to_vec();
    let mut word = Vec::new();
    while rest.iter().any(|&number| number > 0) {
        let mut letter = 0;
        for number in rest.iter_mut().rev() {
            letter = letter * base + (*number % base as u64) as usize;
            *number /= base as u64;
        }
        word.push(letter);
    }
    word.reverse();
    word
}

impl<O> Table<O> {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.output.len()
    }

    /// The number of letters.
    #[inline]
    pub fn letters(&self) -> usize {
        self.next.len() / self.output.len()
    }

    /// The letters.
    pub fn alphabet(&self) -> Alphabet {
        Alphabet::new(self.tracks, self.base)
    }

    /// The state after a letter.
    #[inline]
    pub fn step(&self, state: u32, letter: usize) -> u32 {
        self.next[state as usize * self.letters() + letter]
    }

    /// The output for the word of these numbers.
    pub fn output_of(&self, numbers: &[u64]) -> &O {
        let letters = self.letters();
        let word = word(numbers, self.base);
        let state = word.iter().fold(self.start, |state, letter| {
            self.next[state as usize * letters + letter]
        });
        &self.output[state as usize]
    }
}

impl<O> Table<O> {
    /// The same transitions with other outputs.
    pub fn with_outputs<P>(&self, output: impl Fn(&O) -> P) -> Table<P> {
        Table {
            tracks: self.tracks,
            base: self.base,
            start: self.start,
            output: self.output.iter().map(output).collect(),
            next: self.next.clone(),
        }
    }
}

impl<O: Copy> Table<O> {
    /// The table whose output for any numbers is that of this one for the same numbers in
    /// ascending order. What this one says of numbers in other orders has no effect.
    ///
    /// A state is a state of this table after the numbers in ascending order, with their tracks in
    /// that order and which of them are equal so far.
    ///
    /// `check` is called at intervals; its error stops the computation.
    ///
    /// # Errors
    ///
    /// Those of `check`.
    pub fn in_any_order<E>(&self, mut check: impl FnMut() -> Result<(), E>) -> Result<Table<O>, E> {
        /// After a prefix: the state, and by place in ascending order the track, and whether its
        /// number is equal to that of the place before.
        type Ordered = (u32, Vec<(u8, bool)>);
        let alphabet = self.alphabet();
        let equal: Vec<(u8, bool)> = (0..self.tracks)
            .map(|track| (track as u8, track > 0))
            .collect();
        let mut numbers = BTreeMap::from([((self.start, equal.clone()), 0)]);
        let mut states: Vec<Ordered> = vec![(self.start, equal)];
        let mut next = Vec::new();
        let mut index = 0;
        while index < states.len() {
            check()?;
            for letter in 0..alphabet.count() {
                let (state, order) = &states[index];
                let digit = |track: u8| alphabet.digit(letter, usize::from(track));
                let mut after = order.clone();
                let mut sorted = 0;
                for block in after.chunk_by_mut(|_, (_, is_equal)| *is_equal) {
                    block.sort_by_key(|(track, _)| digit(*track));
                    let mut before = None;
                    for (track, is_equal) in block {
                        *is_equal = before == Some(digit(*track));
                        before = Some(digit(*track));
                    }
                }
                for (place, (track, _)) in after.iter().enumerate() {
                    sorted += digit(*track) * alphabet.weight[place];
                }
                let to = (self.step(*state, sorted), after);
                let number = numbers.get(&to).copied().unwrap_or_else(|| {
                    let number = states.len() as u32;
                    numbers.insert(to.clone(), number);
                    states.push(to);
                    number
                });
                next.push(number);
            }
            index += 1;
        }
        Ok(Table {
            tracks: self.tracks,
            base: self.base,
            start: 0,
            output: states
                .iter()
                .map(|(state, _)| self.output[*state as usize])
                .collect(),
            next,
        })
    }
}

impl<O: Copy + Ord> Table<O> {
    /// The minimal table with the same outputs: states with the same residual
    /// are merged, and unreachable states are removed. States are numbered in
    /// breadth-first order.
    ///
    /// `check` is called at intervals; its error stops the computation.
    ///
    /// # Errors
    ///
    /// Those of `check`.
    pub fn minimised<E>(&self, check: impl FnMut() -> Result<(), E>) -> Result<Table<O>, E> {
        let letters = self.letters();
        let mut outputs = self.output.clone();
        outputs.sort_unstable();
        outputs.dedup();
        let key = |output| outputs.binary_search(output).unwrap_or_default() as u32;
        let keys: Vec<u32> = self.output.iter().map(key).collect();
        let class = coarsest_partition(&keys, &self.next, letters, check)?;
        let mut number = vec![u32::MAX; self.states()];
        let mut order = Vec::new();
        let mut visit = |state: u32, order: &mut Vec<u32>| {
            let number = &mut number[class[state as usize] as usize];
            if *number == u32::MAX {
                *number = order.len() as u32;
                order.push(state);
            }
            *number
        };
        let start = visit(self.start, &mut order);
        let mut next = Vec::new();
        let mut index = 0;
        while index < order.len() {
            for letter in 0..letters {
                let to = self.step(order[index], letter);
                next.push(visit(to, &mut order));
            }
            index += 1;
        }
        Ok(Table {
            tracks: self.tracks,
            base: self.base,
            start,
            output: order.iter().map(|s| self.output[*s as usize]).collect(),
            next,
        })
    }
}

impl TableDfa {
    /// Returns whether a state accepts.
    #[inline]
    pub fn is_accepting(&self, state: u32) -> bool {
        self.output[state as usize]
    }

    /// Returns whether it accepts these numbers, one for each track.
    pub fn accepts(&self, numbers: &[u64]) -> bool {
        *self.output_of(numbers)
    }

    /// Returns whether the table is well formed: it has the right size, every
    /// next state exists, and leading zeros have no effect.
    pub fn is_well_formed(&self) -> bool {
        let states = self.output.len();
        let letters = self.base.checked_pow(self.tracks as u32);
        self.base >= 2
            && states > 0
            && letters.and_then(|letters| letters.checked_mul(states)) == Some(self.next.len())
            && (self.start as usize) < states
            && self.next.iter().all(|&state| (state as usize) < states)
            && self.step(self.start, 0) == self.start
    }

    /// By state, whether it is co-accessible: some word is accepted from it.
    pub fn coaccessible(&self) -> Vec<bool> {
        let incoming = Incoming::of(&self.next, self.states());
        incoming.reaching(self.letters(), |state| self.is_accepting(state))
    }

    /// A shortest accepted word, the first of its length; `None` if no word is
    /// accepted.
    pub fn shortest_word(&self) -> Option<Vec<usize>> {
        let letters = self.letters();
        let mut parent: Vec<Option<(u32, usize)>> = vec![None; self.states()];
        let mut queue = VecDeque::from([self.start]);
        let mut seen = vec![false; self.states()];
        seen[self.start as usize] = true;
        while let Some(state) = queue.pop_front() {
            if self.is_accepting(state) {
                let mut word = Vec::new();
                let mut here = state;
                while let Some((before, letter)) = parent[here as usize] {
                    word.push(letter);
                    here = before;
                }
                word.reverse();
                return Some(word);
            }
            for letter in 0..letters {
                let to = self.step(state, letter);
                if !std::mem::replace(&mut seen[to as usize], true) {
                    parent[to as usize] = Some((state, letter));
                    queue.push_back(to);
                }
            }
        }
        None
    }

    /// The table of the relation with its tracks permuted: track i becomes track
    /// `images[i]`.
    pub fn permuted(&self, images: &[u8]) -> TableDfa {
        let alphabet = self.alphabet();
        let count = alphabet.count();
        let mut next = self.next.clone();
        for letter in 0..count {
            let there = alphabet.permuted(letter, images);
            for state in 0..self.states() {
                next[state * count + there] = self.next[state * count + letter];
            }
        }
        TableDfa {
            next,
            ..self.clone()
        }
    }

    /// The image of each state under a permutation of the tracks: the state that
    /// the permuted words lead to. `None` if the relation is not invariant under
    /// the permutation.
    ///
    /// The table must be minimal, so that every state has one image.
    pub fn image_under(&self, images: &[u8]) -> Option<Vec<u32>> {
        let alphabet = self.alphabet();
        let moved: Vec<usize> = (0..alphabet.count())
            .map(|letter| alphabet.permuted(letter, images))
            .collect();
        let mut image: Vec<Option<u32>> = vec![None; self.states()];
        image[self.start as usize] = Some(self.start);
        let mut queue = VecDeque::from([(self.start, self.start)]);
        while let Some((state, other)) = queue.pop_front() {
            if self.is_accepting(state) != self.is_accepting(other) {
                return None;
            }
            for (letter, &there) in moved.iter().enumerate() {
                let to = self.step(state, letter);
                let also = self.step(other, there);
                match image[to as usize] {
                    None => {
                        image[to as usize] = Some(also);
                        queue.push_back((to, also));
                    }
                    Some(known) if known == also => {}
                    Some(_) => return None,
                }
            }
        }
        image.into_iter().collect()
    }

    /// The [`Dfa`] of the relation over these tracks, which must ascend, in this
    /// numeration. Leading zeros must have no effect.
    ///
    /// # Panics
    ///
    /// If the numeration has another number of digits.
    pub fn dfa(&self, tracks: &[Track], numeration: Numeration) -> Dfa {
        assert_eq!(numeration.radix(), self.base, "as many digits");
        debug_assert!(tracks.is_sorted() && tracks.len() == self.tracks);
        let mut nodes = UniqueTable::new(self.base);
        let letters = self.letters();
        let roots = (0..self.states())
            .map(|state| self.diagram(&mut nodes, tracks, state * letters, 1))
            .collect();
        Dfa {
            numeration,
            tracks: tracks.to_vec(),
            start: self.start,
            accepting: self.output.clone(),
            roots,
            nodes,
        }
    }

    /// The diagram of the entries whose digits before `tracks` are given:
    /// `letter` is the index of the entry with zeros for the others, and
    /// `weight` that of the next digit.
    fn diagram(
        &self,
        nodes: &mut UniqueTable,
        tracks: &[Track],
        letter: usize,
        weight: usize,
    ) -> Ref {
        let Some((track, rest)) = tracks.split_first() else {
            return leaf(self.next[letter]);
        };
        let children: Vec<Ref> = (0..self.base)
            .map(|digit| self.diagram(nodes, rest, letter + digit * weight, weight * self.base))
            .collect();
        nodes.node(*track, &children)
    }
}

/// The largest number of entries of a table.
const MOST_ENTRIES: usize = 1 << 27;

impl Dfa {
    /// The table over these tracks, in their order; `None` if the automaton
    /// reads another track, or the table would be too large.
    ///
    /// In an Ostrowski numeration, words that represent no numbers on the tracks that it reads
    /// are rejected; see [`Dfa::over_numbers`].
    pub fn table(&self, tracks: &[Track]) -> Option<TableDfa> {
        let base = self.numeration.radix();
        let letters = base.checked_pow(u32::try_from(tracks.len()).ok()?)?;
        let entries = letters.checked_mul(self.states())?;
        if entries > MOST_ENTRIES || self.tracks.iter().any(|track| !tracks.contains(track)) {
            return None;
        }
        let mut next = Vec::with_capacity(entries);
        let mut digits = vec![0_u8; tracks.len()];
        for state in 0..self.states() as u32 {
            for letter in 0..letters {
                let mut rest = letter;
                for digit in &mut digits {
                    *digit = (rest % base) as u8;
                    rest /= base;
                }
                next.push(self.after(state, &|track| {
                    let place = tracks.iter().position(|of| *of == track);
                    place.map_or(0, |place| digits[place])
                }));
            }
        }
        Some(TableDfa {
            tracks: tracks.len(),
            base,
            start: self.start,
            output: self.accepting.clone(),
            next,
        })
    }
}
