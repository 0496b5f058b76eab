//! Whether a move leads from a set into itself.
//!
//! Two positions are read side by side, p and p' after the move. Behind two
//! prefixes all that counts is the state of each and which heaps have become
//! smaller, the *loose* ones; a heap that is not loose has the same digits in
//! both. So the pairs that a move makes are found by reachability over
//! (state of p, state of p', loose heaps, support of p), and nothing is ever
//! made deterministic. A set of loose heaps is followed only while some
//! selection has it, and not where the same states have been met with a set
//! that can do all it can.

use super::recogniser::{Letters, Recogniser};
use super::rule::{NO_FACE, Rule};
use crate::automata::known::Known;
use crate::limits::{Limits, Met};

/// What the search found.
#[derive(Debug, Clone)]
pub enum Within {
    /// No move; so many pairs were met.
    None { pairs: usize },
    /// Two words: of a position, and of one that it can be moved to.
    Move(Vec<usize>, Vec<usize>),
}

/// State, state, face, class of the support.
type Pair = (u32, u32, u16, u16);

/// A symmetry of rule and set: where heaps and states go.
#[derive(Debug, Clone)]
pub struct Symmetry {
    pub images: Vec<u8>,
    pub states: Vec<u32>,
}

/// Lists of states, one behind another.
#[derive(Debug, Default)]
struct Lists {
    ends: Vec<u32>,
    states: Vec<u32>,
}

impl Lists {
    fn get(&self, index: usize) -> &[u32] {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize
        };
        &self.states[start..self.ends[index] as usize]
    }
}

struct Search<'a> {
    rule: &'a Rule,
    set: &'a Recogniser,
    letters: Letters,
    living: Vec<bool>,
    /// For a face, the letters with digits at its heaps alone.
    free: Vec<Vec<usize>>,
    /// For a face, the letters with digits at the other heaps alone.
    bound: Vec<Vec<usize>>,
    /// For a face and a bound letter, which of them it is.
    place: Vec<Vec<u32>>,
    /// For every state and face: behind each bound letter, the states that
    /// the free letters lead to.
    after: Vec<Lists>,
    after_of: Known<(u32, u16), usize>,
    /// How each face is brought to the one that stands for it.
    turned: Vec<Option<usize>>,
    symmetries: &'a [Symmetry],
}

/// Looks for a move from the set into itself. The symmetries must be ones of
/// the rule and of the set.
pub fn within(
    rule: &Rule,
    set: &Recogniser,
    symmetries: &[Symmetry],
    limits: &Limits,
) -> Result<Within, Met> {
    let mut search = Search::new(rule, set, symmetries);
    match search.run(false, limits)? {
        Within::Move(..) => {
            // Once more, in the order that gives a shortest one.
            let mut search = Search::new(rule, set, &[]);
            search.run(true, limits)
        }
        none => Ok(none),
    }
}

impl<'a> Search<'a> {
    fn new(rule: &'a Rule, set: &'a Recogniser, symmetries: &'a [Symmetry]) -> Search<'a> {
        let letters = set.letters();
        let all = (1u32 << rule.heaps()) - 1;
        let inside = |heaps: u32| -> Vec<usize> {
            (0..letters.count())
                .filter(|&letter| letters.support[letter] & !heaps == 0)
                .collect()
        };
        let free = rule.faces().iter().map(|&face| inside(face)).collect();
        let bound: Vec<Vec<usize>> = rule
            .faces()
            .iter()
            .map(|&face| inside(all & !face))
            .collect();
        let place = bound
            .iter()
            .map(|bound| {
                let mut place = vec![u32::MAX; letters.count()];
                for (index, &letter) in bound.iter().enumerate() {
                    place[letter] = index as u32;
                }
                place
            })
            .collect();
        // The least face of an orbit stands for it.
        let turned = rule
            .faces()
            .iter()
            .map(|&face| {
                (0..symmetries.len())
                    .map(|one| {
                        (
                            super::rule::permuted_set(face, &symmetries[one].images),
                            one,
                        )
                    })
                    .filter(|&(image, _)| image < face)
                    .min()
                    .map(|(_, one)| one)
            })
            .collect();
        Search {
            rule,
            set,
            living: set.living(),
            letters,
            free,
            bound,
            place,
            after: Vec::new(),
            after_of: Known::default(),
            turned,
            symmetries,
        }
    }

    fn run(&mut self, shortest: bool, limits: &Limits) -> Result<Within, Met> {
        let mut known: Known<Pair, u32> = Known::default();
        let mut order: Vec<Pair> = Vec::new();
        // Where each came from, and by which letters; kept when they count.
        let mut parents: Vec<(u32, u32, u32)> = Vec::new();
        let start = (self.set.start, self.set.start, 0, self.rule.class_of(0));
        known.insert(start, 0);
        order.push(start);
        parents.push((u32::MAX, 0, 0));
        let mut waiting = std::collections::VecDeque::from([0u32]);
        let mut count = 0u32;
        let mut reached: Vec<(Pair, u32, u32)> = Vec::new();
        while let Some(index) = if shortest {
            waiting.pop_front()
        } else {
            waiting.pop_back()
        } {
            count = count.wrapping_add(1);
            if count & 0xff == 0 {
                limits.within_time()?;
                limits.within_memory(order.capacity() as u128 * 48)?;
            }
            let pair = order[index as usize];
            if !shortest && self.is_served(pair, &known) {
                continue;
            }
            reached.clear();
            self.expand(pair, shortest, &mut reached);
            for &(to, letter, other) in &reached {
                let to = if shortest { to } else { self.turn(to) };
                if known.get(&to).is_some() {
                    continue;
                }
                let id = order.len() as u32;
                known.insert(to, id);
                order.push(to);
                if shortest {
                    parents.push((index, letter, other));
                }
                let (a, b, face, class) = to;
                let ends = face != 0
                    && self.set.accepting[a as usize]
                    && self.set.accepting[b as usize]
                    && self.rule.over(usize::from(face))
                        & self.rule.usable(self.rule.classes()[usize::from(class)])
                        != 0;
                if ends {
                    return Ok(if shortest {
                        words(&parents, id)
                    } else {
                        Within::Move(Vec::new(), Vec::new())
                    });
                }
                waiting.push_back(id);
            }
        }
        Ok(Within::None { pairs: order.len() })
    }

    /// Brings a pair to the face that stands for its orbit.
    fn turn(&self, pair: Pair) -> Pair {
        let (a, b, face, class) = pair;
        match self.turned[usize::from(face)] {
            None => pair,
            Some(one) => {
                let symmetry = &self.symmetries[one];
                let map = |set: u32| super::rule::permuted_set(set, &symmetry.images);
                let support = self.rule.classes()[usize::from(class)];
                (
                    symmetry.states[a as usize],
                    symmetry.states[b as usize],
                    self.rule.face_of(map(self.rule.faces()[usize::from(face)])),
                    self.rule.class_of(map(support)),
                )
            }
        }
    }

    /// Whether the same states have been met with more loose heaps, and every
    /// selection that may still be used for these holds those as well.
    fn is_served(&self, pair: Pair, known: &Known<Pair, u32>) -> bool {
        let (a, b, face, class) = pair;
        let possible = self.rule.possible(self.rule.classes()[usize::from(class)]);
        let heaps = self.rule.faces()[usize::from(face)];
        let wanted = self.rule.over(usize::from(face)) & possible;
        (0..self.rule.heaps()).any(|heap| {
            let more = self.rule.face_of(heaps | 1 << heap);
            heaps >> heap & 1 == 0
                && more != NO_FACE
                && wanted & !self.rule.over(usize::from(more)) == 0
                && known.get(&self.turn((a, b, more, class))).is_some()
        })
    }

    /// Where the lists of states behind a state stand, for a face.
    fn states_after(&mut self, state: u32, face: u16) -> usize {
        if let Some(&known) = self.after_of.get(&(state, face)) {
            return known;
        }
        let mut lists = Lists::default();
        let mut states: Vec<u32> = Vec::new();
        for &letter in &self.bound[usize::from(face)] {
            states.clear();
            states.extend(
                self.free[usize::from(face)]
                    .iter()
                    .map(|&digits| self.set.step(state, letter + digits))
                    .filter(|&state| self.living[state as usize]),
            );
            states.sort_unstable();
            states.dedup();
            lists.states.extend_from_slice(&states);
            lists.ends.push(lists.states.len() as u32);
        }
        self.after.push(lists);
        self.after_of.insert((state, face), self.after.len() - 1);
        self.after.len() - 1
    }

    /// All pairs that one letter each leads to. Free digits are of no account
    /// later, so that the letters noted are only looked for when a shortest
    /// way is.
    fn expand(&mut self, pair: Pair, exact: bool, reached: &mut Vec<(Pair, u32, u32)>) {
        let (a, b, face, class) = pair;
        let heaps = self.rule.faces()[usize::from(face)];
        let support = self.rule.classes()[usize::from(class)];
        let one_lists = self.states_after(a, face);
        let other_lists = self.states_after(b, face);
        let (ones, others) = (&self.after[one_lists], &self.after[other_lists]);
        let place = &self.place[usize::from(face)];
        let bound = &self.bound[usize::from(face)];
        let mut lowered: Vec<(usize, u32)> = Vec::new();
        for (index, &letter) in bound.iter().enumerate() {
            if ones.get(index).is_empty() {
                continue;
            }
            let support = support | self.letters.support[letter];
            let to_class = self.rule.class_of(support);
            let possible = self.rule.possible(support);
            if heaps != 0 && self.rule.over(usize::from(face)) & possible == 0 {
                continue;
            }
            lowered.clear();
            lowered.push((letter, heaps));
            for heap in 0..self.rule.heaps() {
                let digit = self.letters.digit(letter, heap);
                if heaps >> heap & 1 != 0 || digit == 0 {
                    continue;
                }
                for one in 0..lowered.len() {
                    let (there, loose) = lowered[one];
                    let more = self.rule.face_of(loose | 1 << heap);
                    if more == NO_FACE || self.rule.over(usize::from(more)) & possible == 0 {
                        continue;
                    }
                    for lower in 1..=digit {
                        let less = there - lower * self.letters.weight[heap];
                        lowered.push((less, loose | 1 << heap));
                    }
                }
            }
            for &(there, loose) in &lowered {
                let to_face = self.rule.face_of(loose);
                for &one in ones.get(index) {
                    for &other in others.get(place[there] as usize) {
                        if to_face == 0 && one != other {
                            continue;
                        }
                        let (p, q) = if exact {
                            self.letters_for((a, b), (one, other), (letter, there), face)
                        } else {
                            (0, 0)
                        };
                        reached.push(((one, other, to_face, to_class), p, q));
                    }
                }
            }
        }
    }

    /// The free digits that lead to two states.
    fn letters_for(
        &self,
        from: (u32, u32),
        to: (u32, u32),
        letters: (usize, usize),
        face: u16,
    ) -> (u32, u32) {
        let find = |from: u32, to: u32, letter: usize| {
            self.free[usize::from(face)]
                .iter()
                .map(|&digits| letter + digits)
                .find(|&whole| self.set.step(from, whole) == to)
                .unwrap_or(letter) as u32
        };
        (find(from.0, to.0, letters.0), find(from.1, to.1, letters.1))
    }
}

/// The two words that lead to a pair.
fn words(parents: &[(u32, u32, u32)], end: u32) -> Within {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    let mut here = end;
    while parents[here as usize].0 != u32::MAX {
        let (parent, p, q) = parents[here as usize];
        one.push(p as usize);
        other.push(q as usize);
        here = parent;
    }
    one.reverse();
    other.reverse();
    Within::Move(one, other)
}
