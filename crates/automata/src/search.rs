//! Questions to an automaton: what does it accept?

use super::arena::{Ref, number_of};
use super::known::Known;
use super::{Automaton, Budget, Numeration, Track};
use nimrule_limits::Met;
use std::collections::VecDeque;

/// Numbers that an automaton accepts, with as few digits as can be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub numeration: Numeration,
    /// The digits of each track, the most significant first, all of one length.
    pub digits: Vec<(Track, Vec<u8>)>,
}

impl Witness {
    /// The number on a track; 0 where the track does not matter. `None` where
    /// it is larger than is counted with.
    pub fn number(&self, track: Track) -> Option<u64> {
        match self.digits.iter().find(|(of, _)| *of == track) {
            Some((_, digits)) => self.numeration.number(digits),
            None => Some(0),
        }
    }
}

/// The digits of one letter that matter.
type Letter = Vec<(Track, u8)>;
/// The state and the letter by which a state was reached first.
type Came = Option<(u32, Letter)>;

impl Automaton {
    /// Does it accept these numbers? Tracks that are not given are 0.
    pub fn accepts(&self, numbers: &[(Track, u64)]) -> bool {
        let written: Vec<(Track, Vec<u8>)> = numbers
            .iter()
            .map(|(track, number)| (*track, self.numeration.digits(*number)))
            .collect();
        self.accepts_digits(&written)
    }

    /// The same for numbers of any length, each by its digits, the most
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
        while let Some(track) = self.arena.track(at) {
            at = self.arena.child(at, usize::from(digit(track)));
        }
        number_of(at).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.witness().is_none()
    }

    /// Numbers that it accepts, with as few digits as can be; among those the
    /// first in the order of the letters.
    pub fn witness(&self) -> Option<Witness> {
        // The way by which each state was reached first.
        let mut came: Vec<Came> = vec![None; self.states()];
        let mut queue = VecDeque::from([self.start]);
        let mut seen = vec![false; self.states()];
        seen[self.start as usize] = true;
        while let Some(state) = queue.pop_front() {
            if self.is_accepting(state) {
                return Some(self.way_to(state, &came));
            }
            let mut nodes_seen = Known::default();
            self.each_letter(
                self.roots[state as usize],
                &mut Vec::new(),
                &mut nodes_seen,
                &mut |to, letter| {
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        came[to as usize] = Some((state, letter.clone()));
                        queue.push_back(to);
                    }
                },
            );
        }
        None
    }

    /// Visits the states that follow, each by the first letter that leads there.
    fn each_letter(
        &self,
        at: Ref,
        letter: &mut Letter,
        seen: &mut Known<Ref, ()>,
        visit: &mut dyn FnMut(u32, &Letter),
    ) {
        if seen.get(&at).is_some() {
            return;
        }
        seen.insert(at, ());
        match self.arena.track(at) {
            None => visit(number_of(at).unwrap_or_default(), letter),
            Some(track) => {
                for digit in 0..self.arena.radix() {
                    letter.push((track, digit as u8));
                    self.each_letter(self.arena.child(at, digit), letter, seen, visit);
                    letter.pop();
                }
            }
        }
    }

    fn way_to(&self, state: u32, came: &[Came]) -> Witness {
        let mut letters = Vec::new();
        let mut at = state;
        while let Some((from, letter)) = &came[at as usize] {
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

    /// Something that this one accepts and the other does not.
    pub fn beyond(&self, other: &Automaton, budget: &Budget) -> Result<Option<Witness>, Met> {
        Ok(self.but_not(other, budget)?.witness())
    }

    /// Do both accept the same?
    pub fn same_as(&self, other: &Automaton, budget: &Budget) -> Result<bool, Met> {
        Ok(self.beyond(other, budget)?.is_none() && other.beyond(self, budget)?.is_none())
    }
}
