//! Acceptance, shortest accepted words, and the comparison of languages.

use super::memo::Memo;
use super::unique_table::{Ref, number_of};
use super::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;
use std::collections::VecDeque;

/// A tuple of accepted numbers with the fewest digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The numeration of the digits.
    pub numeration: Numeration,
    /// The digits of each track, the most significant first, all of the same
    /// length.
    pub digits: Vec<(Track, Vec<u8>)>,
}

impl Witness {
    /// The number on a track, 0 for a track that is not read; `None` if it does
    /// not fit 64 bits.
    pub fn number(&self, track: Track) -> Option<u64> {
        match self.digits.iter().find(|(of, _)| *of == track) {
            Some((_, digits)) => self.numeration.number(digits),
            None => Some(0),
        }
    }
}

/// The tested digits of one letter.
type Letter = Vec<(Track, u8)>;
/// The predecessor of a state in a breadth-first search, and the letter from it.
type Predecessor = Option<(u32, Letter)>;

impl Dfa {
    /// Returns whether it accepts these numbers; 0 is read on all other tracks.
    pub fn accepts(&self, numbers: &[(Track, u64)]) -> bool {
        let written: Vec<(Track, Vec<u8>)> = numbers
            .iter()
            .map(|(track, number)| (*track, self.numeration.digits(*number)))
            .collect();
        self.accepts_digits(&written)
    }

    /// [`Dfa::accepts`] for numbers of any size, given by their digits, the most
    /// significant first.
    pub fn accepts_digits(&self, numbers: &[(Track, Vec<u8>)]) -> bool {
        let length = numbers.iter().map(|(_, digits)| digits.len()).max();
        let mut state = self.start;
        for back in (0..length.unwrap_or(0)).rev() {
            state = self.after(state, &|track| {
                numbers
                    .iter()
                    .find(|(of, _)| *of == track)
                    .and_then(|(_, digits)| digits.len().checked_sub(back + 1).map(|i| digits[i]))
                    .unwrap_or(0)
            });
        }
        self.is_accepting(state)
    }

    /// The state after a letter.
    pub fn after(&self, state: u32, digit: &dyn Fn(Track) -> u8) -> u32 {
        let mut at = self.roots[state as usize];
        while let Some(track) = self.nodes.track(at) {
            at = self.nodes.child(at, usize::from(digit(track)));
        }
        number_of(at).unwrap_or_default()
    }

    /// Returns whether it accepts no word.
    pub fn is_empty(&self) -> bool {
        self.witness().is_none()
    }

    /// A shortest accepted word, the first in the order of letters; `None` if
    /// it accepts no word. Breadth-first search.
    pub fn witness(&self) -> Option<Witness> {
        let mut predecessors: Vec<Predecessor> = vec![None; self.states()];
        let mut queue = VecDeque::from([self.start]);
        let mut seen = vec![false; self.states()];
        seen[self.start as usize] = true;
        while let Some(state) = queue.pop_front() {
            if self.is_accepting(state) {
                return Some(self.word_to(state, &predecessors));
            }
            let mut nodes_seen = Memo::default();
            self.each_letter(
                self.roots[state as usize],
                &mut Vec::new(),
                &mut nodes_seen,
                &mut |to, letter| {
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        predecessors[to as usize] = Some((state, letter.clone()));
                        queue.push_back(to);
                    }
                },
            );
        }
        None
    }

    /// Visits the next states, each with the first letter that leads there.
    fn each_letter(
        &self,
        at: Ref,
        letter: &mut Letter,
        seen: &mut Memo<Ref, ()>,
        visit: &mut dyn FnMut(u32, &Letter),
    ) {
        if !seen.add(at) {
            return;
        }
        match self.nodes.track(at) {
            None => visit(number_of(at).unwrap_or_default(), letter),
            Some(track) => {
                for digit in 0..self.nodes.radix() {
                    letter.push((track, digit as u8));
                    self.each_letter(self.nodes.child(at, digit), letter, seen, visit);
                    letter.pop();
                }
            }
        }
    }

    fn word_to(&self, state: u32, predecessors: &[Predecessor]) -> Witness {
        let mut letters = Vec::new();
        let mut at = state;
        while let Some((from, letter)) = &predecessors[at as usize] {
            letters.push(letter);
            at = *from;
        }
        letters.reverse();
        let digits = self
            .tracks
            .iter()
            .map(|track| {
                let digits = letters.iter().map(|letter| {
                    letter
                        .iter()
                        .find(|(of, _)| of == track)
                        .map_or(0, |(_, digit)| *digit)
                });
                (*track, digits.collect())
            })
            .collect();
        Witness {
            numeration: self.numeration,
            digits,
        }
    }

    /// A tuple that this automaton accepts and the other does not; `None` if its
    /// language is included in that of the other.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn difference_witness(
        &self,
        other: &Dfa,
        budget: &Budget,
    ) -> Result<Option<Witness>, LimitExceeded> {
        Ok(self.and_not(other, budget)?.witness())
    }

    /// Returns whether both accept the same numbers.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn is_equivalent(&self, other: &Dfa, budget: &Budget) -> Result<bool, LimitExceeded> {
        Ok(self.difference_witness(other, budget)?.is_none()
            && other.difference_witness(self, budget)?.is_none())
    }
}
