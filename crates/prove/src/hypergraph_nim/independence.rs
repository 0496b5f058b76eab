//! Independence: whether a move leads from a set into itself.
//!
//! Two positions are read side by side, p and p' after the move. Behind two
//! prefixes all that counts is the state of each and which heaps are *loose*,
//! already smaller in p'; the digits of the other heaps are equal. So the pairs
//! that a move leads to are found by reachability over (state of p, state of
//! p', loose heaps, support of p), and no subset construction is needed. A set
//! of loose heaps is followed only while some hyperedge contains it, and not
//! where the same states have been reached with a set that subsumes it.

use super::letters::FaceLetters;
use super::rule::{NO_FACE, Rule, permuted_set};
use nimrule_automata::TableDfa;
use nimrule_automata::memo::Memo;
use nimrule_limits::{LimitExceeded, Limits};

/// What the search found.
#[derive(Debug, Clone)]
pub enum Independence {
    /// No move leads into the set; so many pairs were reached.
    Independent { pairs: usize },
    /// A shortest counterexample: the words of a position of the set and of an
    /// option of it in the set.
    Move(Vec<usize>, Vec<usize>),
}

/// State, state, face, class of the support.
type Pair = (u32, u32, u16, u16);

/// A symmetry of rule and set: the images of heaps and of states.
#[derive(Debug, Clone)]
pub struct Symmetry {
    pub images: Vec<u8>,
    pub states: Vec<u32>,
}

/// Lists of states, in one allocation.
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
    set: &'a TableDfa,
    letters: FaceLetters,
    coaccessible: Vec<bool>,
    /// For a face and a bound letter, which of them it is.
    place: Vec<Vec<u32>>,
    /// For every state and face: after each bound letter, the states that the
    /// free letters lead to.
    after: Vec<Lists>,
    after_of: Memo<(u32, u16), usize>,
    /// The symmetry that takes each face to the representative of its orbit.
    to_representative: Vec<Option<usize>>,
    symmetries: &'a [Symmetry],
}

/// Looks for a move from the set into itself. The symmetries must leave the
/// rule and the set invariant.
///
/// # Errors
///
/// A limit that is exceeded.
pub fn independence(
    rule: &Rule,
    set: &TableDfa,
    symmetries: &[Symmetry],
    limits: &Limits,
) -> Result<Independence, LimitExceeded> {
    let mut search = Search::new(rule, set, symmetries);
    match search.run(false, limits)? {
        Independence::Move(..) => {
            // Once more, breadth first, for a shortest one.
            let mut search = Search::new(rule, set, &[]);
            search.run(true, limits)
        }
        none => Ok(none),
    }
}

impl<'a> Search<'a> {
    fn new(rule: &'a Rule, set: &'a TableDfa, symmetries: &'a [Symmetry]) -> Search<'a> {
        let letters = FaceLetters::new(rule, set.base);
        let place = letters
            .bound
            .iter()
            .map(|bound| {
                let mut place = vec![u32::MAX; letters.alphabet.count()];
                for (index, &letter) in bound.iter().enumerate() {
                    place[letter] = index as u32;
                }
                place
            })
            .collect();
        // The least face of an orbit represents it.
        let to_representative = rule
            .faces()
            .iter()
            .map(|&face| {
                (0..symmetries.len())
                    .map(|one| (permuted_set(face, &symmetries[one].images), one))
                    .filter(|&(image, _)| image < face)
                    .min()
                    .map(|(_, one)| one)
            })
            .collect();
        Search {
            rule,
            set,
            coaccessible: set.coaccessible(),
            letters,
            place,
            after: Vec::new(),
            after_of: Memo::default(),
            to_representative,
            symmetries,
        }
    }

    fn run(&mut self, shortest: bool, limits: &Limits) -> Result<Independence, LimitExceeded> {
        let mut known: Memo<Pair, u32> = Memo::default();
        let mut order: Vec<Pair> = Vec::new();
        // The predecessor of each and the letters from it; only for a shortest
        // counterexample.
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
                limits.check_time()?;
                limits.check_memory(order.capacity() as u128 * 48)?;
            }
            let pair = order[index as usize];
            if !shortest && self.is_subsumed(pair, &known) {
                continue;
            }
            reached.clear();
            self.expand(pair, shortest, &mut reached);
            for &(to, letter, other) in &reached {
                let to = if shortest { to } else { self.canonical(to) };
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
                    && self.set.is_accepting(a)
                    && self.set.is_accepting(b)
                    && self.rule.containing(usize::from(face))
                        & self.rule.usable(self.rule.classes()[usize::from(class)])
                        != 0;
                if ends {
                    return Ok(if shortest {
                        words(&parents, id)
                    } else {
                        Independence::Move(Vec::new(), Vec::new())
                    });
                }
                waiting.push_back(id);
            }
        }
        Ok(Independence::Independent { pairs: order.len() })
    }

    /// The image of a pair whose face represents its orbit.
    fn canonical(&self, pair: Pair) -> Pair {
        let (a, b, face, class) = pair;
        match self.to_representative[usize::from(face)] {
            None => pair,
            Some(one) => {
                let symmetry = &self.symmetries[one];
                let map = |set: u32| permuted_set(set, &symmetry.images);
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

    /// Whether the same states have been reached with one more loose heap, and
    /// every hyperedge still usable for the smaller set contains the larger.
    fn is_subsumed(&self, pair: Pair, known: &Memo<Pair, u32>) -> bool {
        let (a, b, face, class) = pair;
        let possible = self.rule.possible(self.rule.classes()[usize::from(class)]);
        let heaps = self.rule.faces()[usize::from(face)];
        let wanted = self.rule.containing(usize::from(face)) & possible;
        (0..self.rule.heaps()).any(|heap| {
            let more = self.rule.face_of(heaps | 1 << heap);
            heaps >> heap & 1 == 0
                && more != NO_FACE
                && wanted & !self.rule.containing(usize::from(more)) == 0
                && known.get(&self.canonical((a, b, more, class))).is_some()
        })
    }

    /// The index in `after` of the lists of a state and a face.
    fn states_after(&mut self, state: u32, face: u16) -> usize {
        if let Some(&known) = self.after_of.get(&(state, face)) {
            return known;
        }
        let mut lists = Lists::default();
        let mut states: Vec<u32> = Vec::new();
        for &letter in &self.letters.bound[usize::from(face)] {
            states.clear();
            states.extend(
                self.letters.free[usize::from(face)]
                    .iter()
                    .map(|&digits| self.set.step(state, letter + digits))
                    .filter(|&state| self.coaccessible[state as usize]),
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

    /// All pairs after one more letter each. The digits of loose heaps do not
    /// matter for the pairs; whole letters are found only for a shortest
    /// counterexample.
    fn expand(&mut self, pair: Pair, exact: bool, reached: &mut Vec<(Pair, u32, u32)>) {
        let (a, b, face, class) = pair;
        let heaps = self.rule.faces()[usize::from(face)];
        let support = self.rule.classes()[usize::from(class)];
        let one_lists = self.states_after(a, face);
        let other_lists = self.states_after(b, face);
        let (ones, others) = (&self.after[one_lists], &self.after[other_lists]);
        let place = &self.place[usize::from(face)];
        let bound = &self.letters.bound[usize::from(face)];
        let mut lowered: Vec<(usize, u32)> = Vec::new();
        for (index, &letter) in bound.iter().enumerate() {
            if ones.get(index).is_empty() {
                continue;
            }
            let support = support | self.letters.alphabet.support[letter];
            let to_class = self.rule.class_of(support);
            let possible = self.rule.possible(support);
            if heaps != 0 && self.rule.containing(usize::from(face)) & possible == 0 {
                continue;
            }
            self.letters
                .lowered(self.rule, letter, heaps, possible, &mut lowered);
            for &(there, loose) in &lowered {
                let to_face = self.rule.face_of(loose);
                for &one in ones.get(index) {
                    for &other in others.get(place[there] as usize) {
                        if to_face == 0 && one != other {
                            continue;
                        }
                        let (p, q) = if exact {
                            self.whole_letters((a, b), (one, other), (letter, there), face)
                        } else {
                            (0, 0)
                        };
                        reached.push(((one, other, to_face, to_class), p, q));
                    }
                }
            }
        }
    }

    /// Letters with free digits that lead to two states.
    fn whole_letters(
        &self,
        from: (u32, u32),
        to: (u32, u32),
        letters: (usize, usize),
        face: u16,
    ) -> (u32, u32) {
        let find = |from: u32, to: u32, letter: usize| {
            self.letters.free[usize::from(face)]
                .iter()
                .map(|&digits| letter + digits)
                .find(|&whole| self.set.step(from, whole) == to)
                .unwrap_or(letter) as u32
        };
        (find(from.0, to.0, letters.0), find(from.1, to.1, letters.1))
    }
}

/// The two words that lead to a pair.
fn words(parents: &[(u32, u32, u32)], end: u32) -> Independence {
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
    Independence::Move(one, other)
}
