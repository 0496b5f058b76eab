//! Residuals of the P-positions of hypergraph Nim, from the rule alone.
//!
//! What a prefix of digits determines is a *subset*: the states of the prefixes
//! that a move may have lowered it to, each with the heaps lowered so far. The
//! subset determines which continuations are P-positions. Two prefixes whose
//! P-positions agree on a *block* of a few further digits are taken for the
//! same state. Prefixes come in shortlex order, so that whatever a move leads
//! to has come before.
//!
//! Symmetries of the rule are used: one state of each orbit is explored, and
//! its arcs are copied to the images.

use super::blocks::{Blocks, Subset};
use super::{Attempt, Attempts, Failure, Goal, Source};
use crate::hypergraph_nim::rule::FaceLetters;
use crate::hypergraph_nim::{KernelCheck, KernelProof, Rule, check};
use nimrule_automata::memo::Memo;
use nimrule_automata::{Numeration, TableDfa};
use nimrule_limits::{LimitExceeded, Limits};

/// The depths of blocks, in the order in which they are tried. One digit leads
/// to false hypotheses where two do not.
const DEPTHS: [usize; 2] = [2, 3];

/// A set that was learned and proved to be that of the P-positions.
#[derive(Debug, Clone)]
pub struct Learned {
    /// The smallest automaton.
    pub set: TableDfa,
    pub numeration: Numeration,
    pub proof: Box<KernelProof>,
    /// The depth of the blocks that led to it.
    pub depth: usize,
}

/// Learns the automaton of the P-positions from the rule, in base 2 unless the
/// attempts name bases, and proves it. Where nothing is found, the attempts
/// say why.
pub fn from_rule(
    rule: &Rule,
    attempts: &Attempts,
    limits: &Limits,
) -> (Option<Learned>, Vec<Attempt>) {
    let mut bases: Vec<u8> = attempts
        .numerations
        .iter()
        .filter_map(|numeration| match numeration {
            Numeration::Base(base) => Some(*base),
            Numeration::Zeckendorf => None,
        })
        .collect();
    if attempts.numerations.is_empty() {
        bases.push(2);
    }
    let mut failed = Vec::new();
    let in_turn = bases.iter().flat_map(|base| DEPTHS.map(|d| (*base, d)));
    for (base, depth) in in_turn {
        let growth = Growth {
            base: usize::from(base),
            depth,
            most: attempts.most_states,
        };
        let grown = grow(rule, &growth, limits);
        let numeration = Numeration::Base(base);
        let failure = match grown.set {
            None => Failure::Open(grown.limit),
            Some(set) => match check(rule, &set, limits) {
                Ok(KernelCheck::Proved(proof)) => {
                    let set = &proof.set;
                    let learned = Learned {
                        set: set.table(set.starts[0]),
                        numeration,
                        proof,
                        depth,
                    };
                    return (Some(learned), Vec::new());
                }
                Ok(KernelCheck::Refuted(refutation)) => {
                    Failure::Refuted(refutation.positions().into_iter().next())
                }
                Err(limit) => Failure::Undecided(limit),
            },
        };
        failed.push(Attempt {
            goal: Goal::Outcomes,
            numeration,
            source: Source::Rule,
            residuals: vec![(depth, grown.residuals)],
            failure,
        });
        if limits.check_time().is_err() {
            break;
        }
    }
    (None, failed)
}

/// The result of exploration.
#[derive(Debug, Clone)]
pub struct Grown {
    /// The hypothesis, if no new states appeared.
    pub set: Option<TableDfa>,
    /// How many new states the prefixes of each length brought.
    pub residuals: Vec<usize>,
    /// The limit that ended the exploration.
    pub limit: Option<LimitExceeded>,
}

/// Parameters of the exploration.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    pub base: usize,
    /// The digits of a block.
    pub depth: usize,
    /// The most states.
    pub most: usize,
}

/// More symmetries than this are not used.
const MAX_SYMMETRIES: usize = 128;

/// A state that represents its orbit.
struct Representative {
    state: u32,
    support: u32,
    length: u32,
    /// The elements of the subset: face, state.
    elements: Vec<(u16, u32)>,
}

/// A hypothesis about the P-positions, from blocks.
pub fn grow(rule: &Rule, growth: &Growth, limits: &Limits) -> Grown {
    // A table holds a word of four bytes for each way to go on.
    if let Err(limit) = limits.check_memory(Blocks::needed(rule, growth.base, growth.depth)) {
        return Grown {
            set: None,
            residuals: Vec::new(),
            limit: Some(limit),
        };
    }
    let mut grower = Grower::new(rule, growth);
    let limit = grower.run(growth, limits).err();
    let complete = limit.is_none() && !grower.next.contains(&UNKNOWN);
    Grown {
        set: complete.then(|| grower.table()),
        residuals: grower.residuals,
        limit,
    }
}

const UNKNOWN: u32 = u32::MAX;

struct Grower<'a> {
    rule: &'a Rule,
    letters: FaceLetters,
    /// The letters by the sum of their digits: an order that symmetries keep,
    /// and in which lower letters come first.
    order: Vec<usize>,
    blocks: Blocks<'a>,
    /// For each symmetry the images of heaps, of letters, and of states.
    symmetries: Vec<Vec<u8>>,
    letter_images: Vec<Vec<u32>>,
    state_images: Vec<Vec<u32>>,
    representatives: Vec<Representative>,
    /// How many elements the unexplored ones have.
    waiting: usize,
    next: Vec<u32>,
    residuals: Vec<usize>,
    /// The state of a subset, by a hash of its elements and the class of its
    /// support.
    known: Memo<u128, u32>,
}

impl<'a> Grower<'a> {
    fn new(rule: &'a Rule, growth: &Growth) -> Grower<'a> {
        let letters = FaceLetters::new(rule, growth.base);
        let alphabet = &letters.alphabet;
        let mut order: Vec<usize> = (0..alphabet.count()).collect();
        order.sort_by_key(|&letter| {
            (0..rule.heaps())
                .map(|heap| alphabet.digit(letter, heap))
                .sum::<usize>()
        });
        let (mut symmetries, whole) = rule.symmetries(MAX_SYMMETRIES);
        if !whole {
            // A subset of a group need not be a group; the identity alone is.
            symmetries.truncate(1);
        }
        let letter_images = symmetries
            .iter()
            .map(|images| {
                (0..alphabet.count())
                    .map(|letter| alphabet.permuted(letter, images) as u32)
                    .collect()
            })
            .collect();
        Grower {
            rule,
            blocks: Blocks::new(rule, growth.base, growth.depth),
            letters,
            order,
            letter_images,
            state_images: vec![Vec::new(); symmetries.len()],
            symmetries,
            representatives: Vec::new(),
            waiting: 0,
            next: Vec::new(),
            residuals: Vec::new(),
            known: Memo::default(),
        }
    }

    fn states(&self) -> usize {
        self.state_images[0].len()
    }

    fn run(&mut self, growth: &Growth, limits: &Limits) -> Result<(), LimitExceeded> {
        let empty = Subset::default();
        self.place(&empty, 0, 0);
        let mut index = 0;
        while index < self.representatives.len() {
            if self.states() > growth.most {
                return Ok(());
            }
            let spread = self.spread(index);
            let Representative {
                state,
                support,
                length,
                ..
            } = self.representatives[index];
            for place in 0..self.order.len() {
                limits.check_time()?;
                let letter = self.order[place];
                if self.next[state as usize * self.letters.alphabet.count() + letter] != UNKNOWN {
                    continue;
                }
                let after = self.after(index, letter, &spread);
                let support = support | self.letters.alphabet.support[letter];
                let to = self.place(&after, support, length + 1);
                self.connect(state, letter, to);
            }
            self.waiting -= self.representatives[index].elements.capacity();
            self.representatives[index].elements = Vec::new();
            limits.check_memory(
                self.blocks.bytes() as u128
                    + self.next.capacity() as u128 * 4
                    + self.known.bytes() as u128
                    + self.waiting as u128 * 8,
            )?;
            index += 1;
        }
        Ok(())
    }

    /// Adds an arc to the state and to all its images.
    fn connect(&mut self, state: u32, letter: usize, to: u32) {
        for (images, letters) in self.state_images.iter().zip(&self.letter_images) {
            let row = images[state as usize] as usize * self.letters.alphabet.count();
            self.next[row + letters[letter] as usize] = images[to as usize];
        }
    }

    /// The state of a subset: known, or one with equal blocks, or new.
    fn place(&mut self, after: &Subset, support: u32, length: u32) -> u32 {
        let class = self.rule.class_of(support);
        let key = after.key(class);
        if let Some(&state) = self.known.get(&key) {
            return state;
        }
        let blocks = self.blocks.find(after, support);
        let (state, fresh) = self.blocks.state(blocks.clone());
        if fresh {
            let orbit = self.add_orbit(&blocks);
            let elements = after.elements();
            self.waiting += elements.capacity();
            self.representatives.push(Representative {
                state,
                support,
                length,
                elements,
            });
            if self.residuals.len() <= length as usize {
                self.residuals.push(0);
            }
            self.residuals[length as usize] += orbit;
        }
        self.known.insert(key, state);
        state
    }

    /// Adds the images of a new state, and returns the size of its orbit. The
    /// symmetries are a group, so that images of images are among them.
    fn add_orbit(&mut self, blocks: &[Vec<u32>]) -> usize {
        let before = self.states();
        let mut members = vec![blocks.to_vec()];
        for images in &self.symmetries[1..] {
            let image = self.blocks.permuted(blocks, images);
            if self.blocks.state(image.clone()).1 {
                members.push(image);
            }
        }
        for member in &members {
            for (number, images) in self.symmetries.iter().enumerate() {
                let image = self.blocks.permuted(member, images);
                let image = self.blocks.state(image).0;
                self.state_images[number].push(image);
            }
        }
        let states = before + members.len();
        self.next
            .resize(states * self.letters.alphabet.count(), UNKNOWN);
        members.len()
    }

    /// For each face and each letter of the other heaps, the states that the
    /// elements of the face lead to. The face without heaps is the state
    /// itself, whose arcs are known for all lower letters.
    fn spread(&self, index: usize) -> Vec<Vec<Vec<u32>>> {
        let count = self.letters.alphabet.count();
        let mut spread: Vec<Vec<Vec<u32>>> = self
            .letters
            .bound
            .iter()
            .map(|bound| vec![Vec::new(); bound.len()])
            .collect();
        for &(face, state) in &self.representatives[index].elements {
            let face = usize::from(face);
            for (place, &letter) in self.letters.bound[face].iter().enumerate() {
                let row = state as usize * count + letter;
                spread[face][place].extend(
                    self.letters.free[face]
                        .iter()
                        .map(|&free| self.next[row + free]),
                );
            }
        }
        for lists in spread.iter_mut().flatten() {
            lists.sort_unstable();
            lists.dedup();
        }
        spread
    }

    /// The subset after a letter.
    fn after(&self, index: usize, letter: usize, spread: &[Vec<Vec<u32>>]) -> Subset {
        let rule = self.rule;
        let faces = rule.faces();
        let count = self.letters.alphabet.count();
        let own_row = self.representatives[index].state as usize * count;
        let mut after = Subset::default();
        let support = self.representatives[index].support | self.letters.alphabet.support[letter];
        let possible = rule.possible(support);
        let mut lowered: Vec<(usize, u32)> = Vec::new();
        for (face, &heaps) in faces.iter().enumerate() {
            if face != 0
                && (spread[face].iter().all(Vec::is_empty) || rule.containing(face) & possible == 0)
            {
                continue;
            }
            let mut own = letter;
            for heap in 0..rule.heaps() {
                if heaps >> heap & 1 != 0 {
                    own -= self.letters.alphabet.digit(letter, heap)
                        * self.letters.alphabet.weight[heap];
                }
            }
            self.letters
                .lowered(rule, own, heaps, possible, &mut lowered);
            for &(there, loose) in &lowered {
                let to = usize::from(rule.face_of(loose));
                if face == 0 {
                    if to != 0 {
                        after.push(to, self.next[own_row + there]);
                    }
                    continue;
                }
                // Bound letters are ascending.
                if let Ok(place) = self.letters.bound[face].binary_search(&there) {
                    for &state in &spread[face][place] {
                        after.push(to, state);
                    }
                }
            }
        }
        after.normalise(rule, possible);
        after
    }

    fn table(&self) -> TableDfa {
        TableDfa {
            tracks: self.rule.heaps(),
            base: self.letters.alphabet.base,
            start: 0,
            output: (0..self.states() as u32)
                .map(|state| self.blocks.accepts(state))
                .collect(),
            next: self.next.clone(),
        }
    }
}
