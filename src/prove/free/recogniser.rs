//! Recognisers: complete deterministic automata over the digits of all heaps,
//! the most significant digits first, as explicit tables.
//!
//! A letter is one digit of every heap: the sum of `digit[i] * base^i`, so in
//! base 2 bit i is the digit of heap i. Zeros in front change nothing, because
//! the letter of zeros keeps the start state.

use std::collections::VecDeque;

/// A set of positions, told by an automaton.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recogniser {
    pub heaps: usize,
    pub base: usize,
    pub start: u32,
    pub accepting: Vec<bool>,
    /// `next[state * letters + letter]`; in base 2 `state << heaps | letter`.
    pub next: Vec<u32>,
}

/// The digits of letters.
#[derive(Debug, Clone)]
pub struct Letters {
    pub heaps: usize,
    pub base: usize,
    /// `base^i`, and after the last heap the number of letters.
    pub weight: Vec<usize>,
    /// The heaps whose digit is not zero, for every letter.
    pub support: Vec<u32>,
}

impl Letters {
    pub fn new(heaps: usize, base: usize) -> Letters {
        let mut weight = vec![1usize];
        for heap in 0..heaps {
            weight.push(weight[heap] * base);
        }
        let support = (0..weight[heaps])
            .map(|letter| {
                (0..heaps).fold(0, |all, heap| {
                    all | u32::from(letter / weight[heap] % base != 0) << heap
                })
            })
            .collect();
        Letters {
            heaps,
            base,
            weight,
            support,
        }
    }

    pub fn count(&self) -> usize {
        self.weight[self.heaps]
    }

    pub fn digit(&self, letter: usize, heap: usize) -> usize {
        letter / self.weight[heap] % self.base
    }

    /// The letter in which heap i has gone to `images[i]`.
    pub fn permuted(&self, letter: usize, images: &[u8]) -> usize {
        images
            .iter()
            .enumerate()
            .map(|(heap, &to)| self.digit(letter, heap) * self.weight[usize::from(to)])
            .sum()
    }

    /// The letters of a position, the most significant first.
    pub fn word(&self, position: &[u64]) -> Vec<usize> {
        let mut rest = position.to_vec();
        let mut word = Vec::new();
        while rest.iter().any(|&heap| heap > 0) {
            let mut letter = 0;
            for (heap, size) in rest.iter_mut().enumerate() {
                letter += (*size % self.base as u64) as usize * self.weight[heap];
                *size /= self.base as u64;
            }
            word.push(letter);
        }
        word.reverse();
        word
    }

    /// The position that a word writes; `None` where a heap does not fit.
    pub fn position(&self, word: &[usize]) -> Option<Vec<u64>> {
        (0..self.heaps)
            .map(|heap| {
                word.iter().try_fold(0u64, |size, &letter| {
                    size.checked_mul(self.base as u64)?
                        .checked_add(self.digit(letter, heap) as u64)
                })
            })
            .collect()
    }
}

impl Recogniser {
    pub fn states(&self) -> usize {
        self.accepting.len()
    }

    pub fn letters(&self) -> Letters {
        Letters::new(self.heaps, self.base)
    }

    pub fn step(&self, state: u32, letter: usize) -> u32 {
        self.next[state as usize * (self.next.len() / self.accepting.len()) + letter]
    }

    /// Whether the table is one: of the right size, and every state in it.
    pub fn is_sound(&self) -> bool {
        let states = self.accepting.len();
        let letters = self.base.checked_pow(self.heaps as u32);
        self.base >= 2
            && states > 0
            && letters.and_then(|letters| letters.checked_mul(states)) == Some(self.next.len())
            && (self.start as usize) < states
            && self.next.iter().all(|&state| (state as usize) < states)
            && self.step(self.start, 0) == self.start
    }

    pub fn accepts(&self, position: &[u64]) -> bool {
        let word = self.letters().word(position);
        let state = word
            .iter()
            .fold(self.start, |state, &letter| self.step(state, letter));
        self.accepting[state as usize]
    }

    /// Which states lie on a way to an accepting one.
    pub fn living(&self) -> Vec<bool> {
        let letters = self.next.len() / self.states();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states()];
        for (index, &to) in self.next.iter().enumerate() {
            let from = (index / letters) as u32;
            if before[to as usize].last() != Some(&from) {
                before[to as usize].push(from);
            }
        }
        let mut living = self.accepting.clone();
        let mut queue: Vec<u32> = (0..self.states() as u32)
            .filter(|&state| living[state as usize])
            .collect();
        while let Some(state) = queue.pop() {
            for &from in &before[state as usize] {
                if !std::mem::replace(&mut living[from as usize], true) {
                    queue.push(from);
                }
            }
        }
        living
    }

    /// Where each state goes when the heaps are permuted, if the set is kept
    /// by the permutation: the state that the permuted words lead to.
    ///
    /// The table should be minimal; then every state has one image.
    pub fn image_under(&self, images: &[u8]) -> Option<Vec<u32>> {
        let letters = self.letters();
        let moved: Vec<usize> = (0..letters.count())
            .map(|letter| letters.permuted(letter, images))
            .collect();
        let mut image: Vec<Option<u32>> = vec![None; self.states()];
        image[self.start as usize] = Some(self.start);
        let mut queue = VecDeque::from([(self.start, self.start)]);
        while let Some((state, other)) = queue.pop_front() {
            if self.accepting[state as usize] != self.accepting[other as usize] {
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
}
