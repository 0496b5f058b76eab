//! An automaton as a table: for every state and every letter the next state.

use super::arena::{Arena, Ref, leaf};
use super::{Automaton, Numeration, Track};

/// A table over the digits of some tracks in base 2. Bit `i` of a letter is the
/// digit of track `tracks[i]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letters {
    pub tracks: Vec<Track>,
    pub start: u32,
    pub accepting: Vec<bool>,
    /// At `state << tracks.len() | letter`.
    pub next: Vec<u32>,
}

impl Automaton {
    /// The table over these tracks; `None` unless it is in base 2 and reads no
    /// other track.
    pub fn table(&self, tracks: &[Track]) -> Option<Letters> {
        if self.numeration != Numeration::Base(2)
            || self.tracks.iter().any(|track| !tracks.contains(track))
        {
            return None;
        }
        let mut next = Vec::with_capacity(self.states() << tracks.len());
        for state in 0..self.states() as u32 {
            for letter in 0..1_usize << tracks.len() {
                next.push(self.after(state, &|track| {
                    let place = tracks.iter().position(|of| *of == track).unwrap_or(0);
                    (letter >> place & 1) as u8
                }));
            }
        }
        Some(Letters {
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
        debug_assert!(self.tracks.is_sorted());
        let mut arena = Arena::new(2);
        let width = self.tracks.len();
        let roots = (0..self.accepting.len())
            .map(|state| self.diagram(&mut arena, state << width, 0))
            .collect();
        Automaton {
            numeration: Numeration::Base(2),
            tracks: self.tracks.clone(),
            start: self.start,
            accepting: self.accepting.clone(),
            roots,
            arena,
        }
    }

    /// The diagram behind the letters whose digits before `place` are known.
    fn diagram(&self, arena: &mut Arena, letter: usize, place: usize) -> Ref {
        let Some(track) = self.tracks.get(place) else {
            return leaf(self.next[letter]);
        };
        let zero = self.diagram(arena, letter, place + 1);
        let one = self.diagram(arena, letter | 1 << place, place + 1);
        arena.node(*track, &[zero, one])
    }
}
