//! An automaton as a table: for every state and every letter the next state.

use super::arena::{Arena, Ref, leaf};
use super::{Automaton, Numeration, Track};

/// A table over the digits of some tracks in a base. A letter is the sum of
/// `digit[i] * base^i`, so in base 2 bit `i` is the digit of `tracks[i]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letters {
    pub base: u8,
    pub tracks: Vec<Track>,
    pub start: u32,
    pub accepting: Vec<bool>,
    /// At `state * letters + letter`.
    pub next: Vec<u32>,
}

/// Tables with more places than this are not written.
const MOST_PLACES: usize = 1 << 27;

impl Automaton {
    /// The table over these tracks; `None` unless it is in a base, reads no
    /// other track, and the table is no larger than is sensible.
    pub fn table(&self, tracks: &[Track]) -> Option<Letters> {
        match self.numeration {
            Numeration::Base(_) => self.table_of_digits(tracks),
            Numeration::Zeckendorf => None,
        }
    }

    /// The same in whatever way numbers are written: then a letter need not be
    /// one that may follow.
    pub fn table_of_digits(&self, tracks: &[Track]) -> Option<Letters> {
        let base = u8::try_from(self.numeration.radix()).ok()?;
        let width = u32::try_from(tracks.len()).ok()?;
        let letters = usize::from(base).checked_pow(width)?;
        let places = letters.checked_mul(self.states())?;
        if places > MOST_PLACES || self.tracks.iter().any(|track| !tracks.contains(track)) {
            return None;
        }
        let mut next = Vec::with_capacity(places);
        let mut digits = vec![0_u8; tracks.len()];
        for state in 0..self.states() as u32 {
            for letter in 0..letters {
                let mut rest = letter;
                for digit in &mut digits {
                    *digit = (rest % usize::from(base)) as u8;
                    rest /= usize::from(base);
                }
                next.push(self.after(state, &|track| {
                    let place = tracks.iter().position(|of| *of == track);
                    place.map_or(0, |place| digits[place])
                }));
            }
        }
        Some(Letters {
            base,
            tracks: tracks.to_vec(),
            start: self.start,
            accepting: self.accepting.clone(),
            next,
        })
    }
}

impl Letters {
    /// The automaton of the table. Its tracks must ascend; leading zeros must
    /// not matter to it.
    pub fn automaton(&self) -> Automaton {
        self.automaton_in(Numeration::Base(self.base))
    }

    /// The same where the digits are those of another way to write numbers,
    /// with as many digits. Words that write no number must not be accepted.
    pub fn automaton_in(&self, numeration: Numeration) -> Automaton {
        debug_assert_eq!(numeration.radix(), usize::from(self.base));
        debug_assert!(self.tracks.is_sorted());
        let mut arena = Arena::new(usize::from(self.base));
        let letters = self.next.len() / self.accepting.len();
        let roots = (0..self.accepting.len())
            .map(|state| self.diagram(&mut arena, state * letters, 1, 0))
            .collect();
        Automaton {
            numeration,
            tracks: self.tracks.clone(),
            start: self.start,
            accepting: self.accepting.clone(),
            roots,
            arena,
        }
    }

    /// The diagram behind the letters whose digits before `place` are known,
    /// and come to `letter`; `weight` is that of the next digit.
    fn diagram(&self, arena: &mut Arena, letter: usize, weight: usize, place: usize) -> Ref {
        let Some(track) = self.tracks.get(place) else {
            return leaf(self.next[letter]);
        };
        let base = usize::from(self.base);
        let children: Vec<Ref> = (0..base)
            .map(|digit| self.diagram(arena, letter + digit * weight, weight * base, place + 1))
            .collect();
        arena.node(*track, &children)
    }
}
