//! Residuals of the P-positions of hypergraph Nim, computed from the rule.
//!
//! A prefix of digits determines a *subset*: the states after its options, each
//! with the heaps that are smaller so far. The subset determines which
//! continuations are P-positions. Two prefixes whose P-positions agree on a
//! *block* of a few further digits are merged. Prefixes are explored in shortlex
//! order, so that every option is explored before.
//!
//! The symmetries of the rule are used: one state of each orbit is explored, and
//! its transitions are copied to the images.

use super::blocks::{Blocks, Subset};
use super::{Attempt, AttemptFailure, Goal, SearchBounds, Source};
use nimrule_automata::memo::Memo;
use nimrule_automata::{LevelledDfa, Numeration, TableDfa};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_prove::certificate::Check;
use nimrule_prove::hypergraph_nim::rule::FaceLetters;
use nimrule_prove::hypergraph_nim::{KernelCheck, Rule, check};

/// The depths of blocks, in the order in which they are tried. Depth 1 leads to too
/// many false hypotheses.
const DEPTHS: [usize; 2] = [2, 3];

/// The set of the P-positions, learned from the rule and proved.
#[derive(Debug, Clone)]
pub struct LearnedFromRule {
    /// The minimal automaton.
    pub set: TableDfa,
    /// Its numeration system.
    pub numeration: Numeration,
    /// The depth of the blocks, in digits.
    pub depth: usize,
    /// What the independent checker said.
    pub check: Check,
}

/// Learns the automaton of the P-positions from the rule and proves it, in the bases
/// of the bounds, or in base 2 if there are none. Returns the attempts if nothing is
/// found.
///
/// `certify` asks the independent checker, which has to accept a set in any case. What it
/// does not accept is decided here ([`check`]).
pub fn from_rule(
    rule: &Rule,
    bounds: &SearchBounds,
    certify: &dyn Fn(&TableDfa, Numeration) -> Result<Check, LimitExceeded>,
    limits: &Limits,
) -> (Option<LearnedFromRule>, Vec<Attempt>) {
    let mut bases: Vec<u8> = bounds
        .numerations
        .iter()
        .filter_map(|numeration| match numeration {
            Numeration::Base(base) => Some(*base),
            Numeration::Ostrowski(_) => None,
        })
        .collect();
    if bounds.numerations.is_empty() {
        bases.push(2);
    }
    let mut failed = Vec::new();
    let in_turn = bases.iter().flat_map(|base| DEPTHS.map(|d| (*base, d)));
    let mut grows = None;
    for (base, depth) in in_turn {
        // Longer blocks tell residuals apart that shorter ones do not.
        if grows == Some(base) {
            continue;
        }
        let block_bounds = BlockBounds {
            base: usize::from(base),
            depth,
            most: bounds.most_states,
            gives_up: bounds.gives_up,
        };
        let numeration = Numeration::Base(base);
        limits.set_numeration(Some(numeration.into()));
        let explored = explore(rule, &block_bounds, limits);
        let failure = match explored.set {
            None if explored.grows => {
                grows = Some(base);
                AttemptFailure::Grows
            }
            None => AttemptFailure::Open(explored.limit),
            Some(set) => match decided(rule, &set, |set| certify(set, numeration), limits) {
                Ok(Hypothesis::Proved(set, check)) => {
                    let learned = LearnedFromRule {
                        set,
                        numeration,
                        depth,
                        check,
                    };
                    return (Some(learned), Vec::new());
                }
                Ok(Hypothesis::Refuted(position)) => AttemptFailure::Refuted(position),
                Err(limit) => AttemptFailure::Undecided(limit),
            },
        };
        failed.push(Attempt {
            goal: Goal::Outcomes,
            numeration,
            source: Source::Rule,
            residuals: vec![(depth, explored.residuals)],
            failure,
        });
        if limits.check_time().is_err() {
            break;
        }
    }
    (None, failed)
}

/// A decided hypothesis.
enum Hypothesis {
    /// The minimal automaton of the set, and what the checker said.
    Proved(TableDfa, Check),
    /// A position at which, or at an option of which, it fails.
    Refuted(Option<Vec<u64>>),
}

fn decided(
    rule: &Rule,
    set: &TableDfa,
    certify: impl Fn(&TableDfa) -> Result<Check, LimitExceeded>,
    limits: &Limits,
) -> Result<Hypothesis, LimitExceeded> {
    let minimal = LevelledDfa::from_table(set).minimised(limits)?;
    let set = minimal.table(minimal.starts[0]);
    let certified = certify(&set)?;
    if !matches!(certified, Check::Accepted(_))
        && let KernelCheck::Refuted(refutation) = check(rule, &set, limits)?
    {
        let position = refutation.positions().into_iter().next();
        return Ok(Hypothesis::Refuted(position));
    }
    Ok(Hypothesis::Proved(set, certified))
}

/// The result of the exploration of blocks.
#[derive(Debug, Clone)]
pub struct BlockExploration {
    /// The hypothesis, if no new states appeared.
    pub set: Option<TableDfa>,
    /// The number of new states by prefix length.
    pub residuals: Vec<usize>,
    /// The limit that ended the exploration.
    pub limit: Option<LimitExceeded>,
    /// Whether it ended because the residuals keep growing.
    pub grows: bool,
}

/// The bounds of the exploration of blocks.
#[derive(Debug, Clone, Copy)]
pub struct BlockBounds {
    /// The base of the digits.
    pub base: usize,
    /// The digits of a block.
    pub depth: usize,
    /// The most states.
    pub most: usize,
    /// Whether it ends where the residuals keep growing.
    pub gives_up: bool,
}

/// The size of heaps for which growth is measured.
const MEASURED: u128 = 64;
/// The fewest prefix lengths that show growth.
const LENGTHS: usize = 4;

impl BlockBounds {
    /// Whether each prefix length has more new residuals than the one before, in heaps of
    /// at least [`MEASURED`] tokens.
    fn keeps_growing(&self, residuals: &[usize]) -> bool {
        let digits = residuals.len() + self.depth - 1;
        residuals.len() >= LENGTHS
            && (self.base as u128).saturating_pow(digits as u32) >= MEASURED
            && residuals.windows(2).all(|pair| pair[1] > pair[0])
    }
}

/// The most symmetries that are used.
const MAX_SYMMETRIES: usize = 128;

/// A state that represents its orbit.
struct Representative {
    state: u32,
    /// The nonempty heaps of its prefix.
    support: u32,
    /// The length of its prefix.
    length: u32,
    /// The elements of its subset: face and state.
    elements: Vec<(u16, u32)>,
}

/// Explores the prefixes, and returns a hypothesis about the P-positions.
pub fn explore(rule: &Rule, bounds: &BlockBounds, limits: &Limits) -> BlockExploration {
    if let Err(limit) = limits.check_memory(Blocks::needed(rule, bounds.base, bounds.depth)) {
        return BlockExploration {
            set: None,
            residuals: Vec::new(),
            limit: Some(limit),
            grows: false,
        };
    }
    let mut explorer = BlockExplorer::new(rule, bounds);
    let (limit, grows) = match explorer.run(bounds, limits) {
        Ok(grows) => (None, grows),
        Err(limit) => (Some(limit), false),
    };
    let complete = limit.is_none() && !explorer.next.contains(&UNKNOWN);
    BlockExploration {
        set: complete.then(|| explorer.table()),
        residuals: explorer.residuals,
        limit,
        grows,
    }
}

/// The successor by a letter that is not explored yet.
const UNKNOWN: u32 = u32::MAX;

struct BlockExplorer<'a> {
    rule: &'a Rule,
    letters: FaceLetters,
    /// The letters by the sum of their digits: an order that the symmetries preserve,
    /// and in which lowered letters precede the letter.
    order: Vec<usize>,
    blocks: Blocks<'a>,
    /// For each symmetry the images of heaps, of letters, and of states. The
    /// symmetries are a group.
    symmetries: Vec<Vec<u8>>,
    letter_images: Vec<Vec<u32>>,
    state_images: Vec<Vec<u32>>,
    representatives: Vec<Representative>,
    /// The number of elements of the unexplored representatives.
    waiting: usize,
    /// The transition table: `next[state · letters + letter]`.
    next: Vec<u32>,
    residuals: Vec<usize>,
    /// The state of a subset, by a hash of its elements and the class of its
    /// support.
    known: Memo<u128, u32>,
}

impl<'a> BlockExplorer<'a> {
    fn new(rule: &'a Rule, bounds: &BlockBounds) -> BlockExplorer<'a> {
        let letters = FaceLetters::new(rule, bounds.base);
        let alphabet = &letters.alphabet;
        let mut order: Vec<usize> = (0..alphabet.count()).collect();
        order.sort_by_key(|&letter| {
            (0..rule.heaps())
                .map(|heap| alphabet.digit(letter, heap))
                .sum::<usize>()
        });
        let (mut symmetries, complete) = rule.symmetries(MAX_SYMMETRIES);
        if !complete {
            // A subset of a group need not be a group, but the identity is one.
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
        BlockExplorer {
            rule,
            blocks: Blocks::new(rule, bounds.base, bounds.depth),
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

    /// Explores until no new states appear or there are too many. Returns whether it gave
    /// up because the residuals keep growing.
    fn run(&mut self, bounds: &BlockBounds, limits: &Limits) -> Result<bool, LimitExceeded> {
        let empty = Subset::default();
        self.state_of(&empty, 0, 0, limits)?;
        let (mut index, mut longest) = (0, 0);
        while index < self.representatives.len() {
            if self.states() > bounds.most {
                return Ok(false);
            }
            // The residuals of a length are complete when the first one is explored.
            let length = self.representatives[index].length as usize;
            if bounds.gives_up && length > longest {
                longest = length;
                if bounds.keeps_growing(&self.residuals[..=length]) {
                    return Ok(true);
                }
            }
            let successors = self.successors(index);
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
                let after = self.after(index, letter, &successors);
                let support = support | self.letters.alphabet.support[letter];
                let to = self.state_of(&after, support, length + 1, limits)?;
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
        Ok(false)
    }

    /// Adds a transition to the state and to all its images.
    fn connect(&mut self, state: u32, letter: usize, to: u32) {
        for (images, letters) in self.state_images.iter().zip(&self.letter_images) {
            let row = images[state as usize] as usize * self.letters.alphabet.count();
            self.next[row + letters[letter] as usize] = images[to as usize];
        }
    }

    /// Returns the state of a subset: the known state of the same subset or of one
    /// with equal blocks, or a new state.
    fn state_of(
        &mut self,
        after: &Subset,
        support: u32,
        length: u32,
        limits: &Limits,
    ) -> Result<u32, LimitExceeded> {
        let class = self.rule.class_of(support);
        let key = after.key(class);
        if let Some(&state) = self.known.get(&key) {
            return Ok(state);
        }
        let blocks = self.blocks.find(after, support, limits)?;
        let (state, is_new) = self.blocks.state(blocks.clone());
        if is_new {
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
        Ok(state)
    }

    /// Adds the images of a new state, and returns the size of its orbit.
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

    /// For each face and each bound letter of it, the successors of the elements with
    /// this face, by any digits of the face.
    fn successors(&self, index: usize) -> Vec<Vec<Vec<u32>>> {
        let count = self.letters.alphabet.count();
        let mut successors: Vec<Vec<Vec<u32>>> = self
            .letters
            .bound
            .iter()
            .map(|bound| vec![Vec::new(); bound.len()])
            .collect();
        for &(face, state) in &self.representatives[index].elements {
            let face = usize::from(face);
            for (place, &letter) in self.letters.bound[face].iter().enumerate() {
                let row = state as usize * count + letter;
                successors[face][place].extend(
                    self.letters.free[face]
                        .iter()
                        .map(|&free| self.next[row + free]),
                );
            }
        }
        for lists in successors.iter_mut().flatten() {
            lists.sort_unstable();
            lists.dedup();
        }
        successors
    }

    /// The subset after a letter. The empty face stands for the state itself, whose
    /// transitions by all lowered letters are known.
    fn after(&self, index: usize, letter: usize, successors: &[Vec<Vec<u32>>]) -> Subset {
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
                && (successors[face].iter().all(Vec::is_empty)
                    || rule.containing(face) & possible == 0)
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
                    for &state in &successors[face][place] {
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
