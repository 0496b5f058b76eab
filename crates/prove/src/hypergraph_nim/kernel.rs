//! Verification of a kernel: whether an automaton recognises the P-positions of
//! a rule of hypergraph Nim.
//!
//! The set of P-positions is the kernel of the digraph of moves, by the partition
//! theorem. Three conditions are checked:
//!
//! 1. Independence: no move leads from the set into the set.
//! 2. In misère play: no terminal position is in the set.
//! 3. Absorption: every position outside the set has a move into it or, in
//!    misère play, is terminal.
//!
//! Termination needs no proof, because each move removes tokens. In normal play
//! every terminal position must be in the set. Condition 3 implies this: a
//! terminal position outside the set has no move into it.
//!
//! # Independence
//!
//! Independence is decided by reachability, without a subset construction. The
//! digits of a position p and of an option p' are read together, the most
//! significant digit first. A heap is *loose* if its digits in p' are already
//! smaller: its further digits are unrelated. The digits of the other heaps are
//! equal so far. A search state is (state after p, state after p', loose heaps,
//! class of the support of p). A search state is expanded only if some usable
//! hyperedge contains the loose heaps, and not if one with the same automaton
//! states and more loose heaps subsumes it.
//!
//! # Absorption
//!
//! Every position must be in the set or in the preimage of the set under some
//! hyperedge ([`LevelledDfa::preimages`]): the union of these sets must be
//! universal ([`LevelledDfa::union_is_universal`]). The preimages here contain
//! the set itself, because they allow the heaps to stay as they are. That is
//! harmless: only positions outside the set need a move.

use super::rule::{FaceLetters, NO_FACE, Rule, permuted_set};
use nimrule_automata::TableDfa;
use nimrule_automata::inclusion::Inclusion;
use nimrule_automata::levelled::{LevelledDfa, PreimageSizes, REJECT, Universality};
use nimrule_automata::memo::Memo;
use nimrule_limits::{LimitExceeded, Limits, Steps};

/// The result of the check whether a set is that of the P-positions.
#[derive(Debug, Clone)]
pub enum KernelCheck {
    /// It is.
    Proved,
    /// It is not.
    Refuted(Refutation),
}

/// The reason why a set is not that of the P-positions, with a shortest position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refutation {
    /// Two positions of the set with a move from the first to the second.
    NotIndependent(Vec<u64>, Vec<u64>),
    /// A position outside the set without a move into it.
    NotAbsorbed(Vec<u64>),
    /// In misère play: a terminal position of the set.
    Terminal(Vec<u64>),
    /// A position whose sizes exceed 64 bits.
    TooLong,
}

impl Refutation {
    /// The positions; none if they are too long.
    pub fn positions(self) -> Vec<Vec<u64>> {
        match self {
            Refutation::NotIndependent(from, to) => vec![from, to],
            Refutation::NotAbsorbed(at) | Refutation::Terminal(at) => vec![at],
            Refutation::TooLong => Vec::new(),
        }
    }
}

/// Decides whether an automaton recognises the P-positions of a rule.
///
/// The table must be well formed ([`TableDfa::is_well_formed`]), with a track
/// for each heap of the rule.
///
/// # Errors
///
/// A limit is exceeded.
pub fn check(rule: &Rule, given: &TableDfa, limits: &Limits) -> Result<KernelCheck, LimitExceeded> {
    let alphabet = given.alphabet();
    let minimal = LevelledDfa::from_table(given).minimised(limits)?;
    let set = minimal.table(minimal.starts[0]);
    let refuted = |refutation: Option<Refutation>| {
        Ok(KernelCheck::Refuted(
            refutation.unwrap_or(Refutation::TooLong),
        ))
    };
    if rule.is_misere() {
        let is_terminal = |support| rule.is_terminal(support);
        let terminal = LevelledDfa::of_supports(rule.heaps(), set.base, is_terminal, limits)?;
        let both = minimal.and(&terminal, limits)?;
        if both.starts[0] != REJECT {
            let word = both.table(both.starts[0]).shortest_word();
            let position = word.and_then(|word| alphabet.numbers(&word));
            return refuted(position.map(Refutation::Terminal));
        }
    }
    let symmetries: Vec<Symmetry> = rule
        .symmetries(MAX_SYMMETRIES)
        .0
        .into_iter()
        .skip(1)
        .filter_map(|images| {
            let states = set.image_under(&images)?;
            Some(Symmetry { images, states })
        })
        .collect();
    match independence(rule, &set, &symmetries, limits)? {
        Independence::Independent => {}
        Independence::Move(from, to) => {
            let both = alphabet.numbers(&from).zip(alphabet.numbers(&to));
            return refuted(both.map(|(from, to)| Refutation::NotIndependent(from, to)));
        }
    }
    match absorption(rule, &minimal, &symmetries, limits)? {
        Absorption::Absorbing => Ok(KernelCheck::Proved),
        Absorption::Missing(word) => refuted(alphabet.numbers(&word).map(Refutation::NotAbsorbed)),
    }
}

/// The most symmetries that are used.
const MAX_SYMMETRIES: usize = 200;

/// The result of the decision of independence.
#[derive(Debug, Clone)]
enum Independence {
    /// No move leads from the set into it.
    Independent,
    /// The words of a position of the set and of an option of it in the set.
    Move(Vec<usize>, Vec<usize>),
}

/// A search state: the states after the prefixes of the position and of the
/// option, the face of the loose heaps, and the class of the support.
type Pair = (u32, u32, u16, u16);

/// A symmetry of the rule and the set.
#[derive(Debug, Clone)]
struct Symmetry {
    /// The image of each heap.
    images: Vec<u8>,
    /// The image of each state.
    states: Vec<u32>,
}

/// A sequence of lists of states in one allocation: list i ends at `ends[i]`.
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

/// The reachability search for a move from a set into itself.
struct PairSearch<'a> {
    rule: &'a Rule,
    set: &'a TableDfa,
    letters: FaceLetters,
    coaccessible: Vec<bool>,
    /// For a face and a bound letter of it, its index among the bound letters.
    place: Vec<Vec<u32>>,
    /// For a state and a face: list i has the successors of the state by the bound
    /// letter i with any digits of the face.
    after: Vec<Lists>,
    after_of: Memo<(u32, u16), usize>,
    /// The symmetry that maps each face to the representative of its orbit; `None`
    /// for the representatives.
    to_representative: Vec<Option<usize>>,
    symmetries: &'a [Symmetry],
}

/// Searches for a move from the set into itself. The symmetries must leave the
/// rule and the set invariant.
///
/// # Errors
///
/// A limit is exceeded.
fn independence(
    rule: &Rule,
    set: &TableDfa,
    symmetries: &[Symmetry],
    limits: &Limits,
) -> Result<Independence, LimitExceeded> {
    let mut search = PairSearch::new(rule, set, symmetries);
    match search.run(false, limits)? {
        Independence::Move(..) => {
            // A breadth-first search finds a shortest counterexample.
            let mut search = PairSearch::new(rule, set, &[]);
            search.run(true, limits)
        }
        none => Ok(none),
    }
}

impl<'a> PairSearch<'a> {
    fn new(rule: &'a Rule, set: &'a TableDfa, symmetries: &'a [Symmetry]) -> PairSearch<'a> {
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
        PairSearch {
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
        // The predecessor of each search state and the letters from it; only for a
        // shortest counterexample.
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
                limits.check_work(Steps(100))?;
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
        Ok(Independence::Independent)
    }

    /// The image of a search state whose face represents its orbit.
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

    /// Returns whether the same automaton states have been reached with one more
    /// loose heap, and every hyperedge that is possible for the smaller set of
    /// loose heaps contains the larger one.
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

    /// Collects the successors of a search state. Their letters are determined
    /// only if `exact`, for a shortest counterexample.
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
                            self.completed_letters((a, b), (one, other), (letter, there), face)
                        } else {
                            (0, 0)
                        };
                        reached.push(((one, other, to_face, to_class), p, q));
                    }
                }
            }
        }
    }

    /// The bound letters completed by digits of the face, so that they lead to the
    /// two given states.
    fn completed_letters(
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
                .find(|&completed| self.set.step(from, completed) == to)
                .unwrap_or(letter) as u32
        };
        (find(from.0, to.0, letters.0), find(from.1, to.1, letters.1))
    }
}

/// The two words that lead to a search state.
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

/// The result of the decision of absorption.
#[derive(Debug)]
enum Absorption {
    /// Every position outside the set has a move into it, or is terminal in misère
    /// play.
    Absorbing,
    /// The word of a shortest position outside the set that violates this.
    Missing(Vec<usize>),
}

/// Decides absorption. The symmetries must leave the rule and the set
/// invariant.
///
/// # Errors
///
/// A limit is exceeded.
fn absorption(
    rule: &Rule,
    set: &LevelledDfa,
    symmetries: &[Symmetry],
    limits: &Limits,
) -> Result<Absorption, LimitExceeded> {
    let sets = preimages(rule, set, symmetries, limits)?;
    let joint = LevelledDfa::disjoint_union(&sets, limits)?;
    drop(sets);
    match joint.union_is_universal(&Inclusion::trivial(), limits)? {
        Universality::Universal { .. } => Ok(Absorption::Absorbing),
        Universality::Missing(digits) => {
            let letter = |digits: &[usize]| {
                let digits = digits.iter().rev();
                digits.fold(0, |letter, &digit| letter * set.base + digit)
            };
            let word = digits.chunks(rule.heaps()).map(letter).collect();
            Ok(Absorption::Missing(word))
        }
    }
}

/// The sets whose union must be universal: the preimage of the set for every
/// hyperedge, and the positions that need no move.
fn preimages(
    rule: &Rule,
    set: &LevelledDfa,
    symmetries: &[Symmetry],
    limits: &Limits,
) -> Result<Vec<LevelledDfa>, LimitExceeded> {
    let base = set.base;
    let heaps = rule.heaps();
    let mut sets = Vec::new();
    let mut done: Vec<u32> = Vec::new();
    let mut sizes = PreimageSizes::default();
    for (number, &hyperedge) in rule.hyperedges().iter().enumerate() {
        if done.contains(&hyperedge) {
            continue;
        }
        let chosen: Vec<usize> = (0..heaps)
            .filter(|&heap| hyperedge >> heap & 1 != 0)
            .collect();
        let steps = set.preimages(&chosen, &mut sizes, limits)?;
        let mut preimage = steps.last().unwrap_or(set).clone();
        let bit = 1 << number;
        if (0..1u32 << heaps).any(|support| rule.usable(support) & bit == 0) {
            let is_usable = |support| rule.usable(support) & bit != 0;
            let usable = LevelledDfa::of_supports(heaps, base, is_usable, limits)?;
            preimage = preimage.and(&usable, limits)?;
        }
        for symmetry in symmetries {
            let image = permuted_set(hyperedge, &symmetry.images);
            if image != hyperedge && !done.contains(&image) {
                done.push(image);
                let table = preimage.table(preimage.starts[0]);
                let permuted = table.permuted(&symmetry.images);
                sets.push(LevelledDfa::from_table(&permuted).minimised(limits)?);
            }
        }
        done.push(hyperedge);
        sets.push(preimage);
    }
    if rule.is_misere() {
        let is_terminal = |support| rule.is_terminal(support);
        sets.push(LevelledDfa::of_supports(heaps, base, is_terminal, limits)?);
    }
    if rule.has_support_without_hyperedge() {
        sets.push(set.clone());
    }
    Ok(sets)
}
