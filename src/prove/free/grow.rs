//! The P-positions from the rule alone.
//!
//! A prefix of digits leaves, of the play behind it, its *macro-set*: which
//! states other prefixes can be in that a move may have lowered it to, with
//! the heaps lowered so far. It settles which ways to go on are P-positions.
//! Two prefixes behind which the P-positions agree as far as a *block* of a
//! few digits are taken to agree for ever, and become one state. Prefixes come
//! in the order of their length and then of their letters, so that whatever a
//! move leads to has come before. If states stop appearing, the automaton is a
//! guess with much behind it, and no more than that: only the proof decides.

use super::recogniser::{Letters, Recogniser};
use super::rule::{NO_FACE, Rule};
use crate::automata::known::Known;
use crate::limits::{Limits, Met};

mod block;

use block::{Blocks, Macro};

/// What growing came to.
#[derive(Debug, Clone)]
pub struct Grown {
    /// The automaton, if states stopped appearing.
    pub recogniser: Option<Recogniser>,
    /// How many new states the prefixes of each length brought.
    pub tails: Vec<usize>,
    /// How many different macro-sets were met.
    pub macro_sets: usize,
    /// Why it ended without an automaton.
    pub met: Option<Met>,
}

/// How to grow.
#[derive(Debug, Clone, Copy)]
pub struct Growth {
    pub base: usize,
    /// The digits of a block.
    pub depth: usize,
    /// The most states.
    pub most: usize,
}

/// More symmetries than this are not used.
const MOST_SYMMETRIES: usize = 128;

/// A state that stands for its orbit.
struct Chief {
    state: u32,
    support: u32,
    length: u32,
    /// The elements of the macro-set: face, state.
    elements: Vec<(u16, u32)>,
}

/// The automaton of the P-positions, as far as blocks tell.
pub fn grow(rule: &Rule, growth: &Growth, limits: &Limits) -> Grown {
    // A table holds a word of four bytes for each way to go on.
    if let Err(met) = limits.within_memory(Blocks::needed(rule, growth.base, growth.depth)) {
        return Grown {
            recogniser: None,
            tails: Vec::new(),
            macro_sets: 0,
            met: Some(met),
        };
    }
    let mut grower = Grower::new(rule, growth);
    let met = grower.run(growth, limits).err();
    let complete = met.is_none() && !grower.next.contains(&UNKNOWN);
    Grown {
        recogniser: complete.then(|| grower.recogniser()),
        tails: grower.tails,
        macro_sets: grower.known.count(),
        met,
    }
}

const UNKNOWN: u32 = u32::MAX;

struct Grower<'a> {
    rule: &'a Rule,
    letters: Letters,
    /// The letters by the sum of their digits: an order that symmetries keep,
    /// and in which lower letters come first.
    order: Vec<usize>,
    blocks: Blocks<'a>,
    /// Where heaps go, and letters, and states.
    symmetries: Vec<Vec<u8>>,
    turned: Vec<Vec<u32>>,
    images: Vec<Vec<u32>>,
    chiefs: Vec<Chief>,
    /// The elements of those that have not been followed yet.
    waiting: usize,
    next: Vec<u32>,
    tails: Vec<usize>,
    /// The state of a macro-set, by its elements and its support's class.
    known: Known<u128, u32>,
    /// For every face, the letters of the other heaps.
    bound: Vec<Vec<usize>>,
    /// For every face, the letters of its heaps.
    free: Vec<Vec<usize>>,
}

impl<'a> Grower<'a> {
    fn new(rule: &'a Rule, growth: &Growth) -> Grower<'a> {
        let letters = Letters::new(rule.heaps(), growth.base);
        let inside = |heaps: u32| -> Vec<usize> {
            (0..letters.count())
                .filter(|&letter| letters.support[letter] & !heaps == 0)
                .collect()
        };
        let all = (1u32 << rule.heaps()) - 1;
        let free = rule.faces().iter().map(|&face| inside(face)).collect();
        let bound = rule
            .faces()
            .iter()
            .map(|&face| inside(all & !face))
            .collect();
        let mut order: Vec<usize> = (0..letters.count()).collect();
        order.sort_by_key(|&letter| {
            (0..rule.heaps())
                .map(|heap| letters.digit(letter, heap))
                .sum::<usize>()
        });
        let (mut symmetries, whole) = rule.symmetries(MOST_SYMMETRIES);
        if !whole {
            // A part of a group need not be one; the first alone is.
            symmetries.truncate(1);
        }
        let turned = symmetries
            .iter()
            .map(|images| {
                (0..letters.count())
                    .map(|letter| letters.permuted(letter, images) as u32)
                    .collect()
            })
            .collect();
        Grower {
            rule,
            blocks: Blocks::new(rule, growth.base, growth.depth),
            letters,
            order,
            turned,
            images: vec![Vec::new(); symmetries.len()],
            symmetries,
            chiefs: Vec::new(),
            waiting: 0,
            next: Vec::new(),
            tails: Vec::new(),
            known: Known::default(),
            bound,
            free,
        }
    }

    fn states(&self) -> usize {
        self.images[0].len()
    }

    fn run(&mut self, growth: &Growth, limits: &Limits) -> Result<(), Met> {
        let empty = Macro::default();
        self.place(&empty, 0, 0);
        let mut index = 0;
        while index < self.chiefs.len() {
            if self.states() > growth.most {
                return Ok(());
            }
            let spread = self.spread(index);
            let Chief {
                state,
                support,
                length,
                ..
            } = self.chiefs[index];
            for turn in 0..self.order.len() {
                limits.within_time()?;
                let letter = self.order[turn];
                if self.next[state as usize * self.letters.count() + letter] != UNKNOWN {
                    continue;
                }
                let after = self.after(index, letter, &spread);
                let support = support | self.letters.support[letter];
                let to = self.place(&after, support, length + 1);
                self.connect(state, letter, to);
            }
            self.waiting -= self.chiefs[index].elements.capacity();
            self.chiefs[index].elements = Vec::new();
            limits.within_memory(
                self.blocks.bytes() as u128
                    + self.next.capacity() as u128 * 4
                    + self.known.bytes() as u128
                    + self.waiting as u128 * 8,
            )?;
            index += 1;
        }
        Ok(())
    }

    /// Notes where a letter leads, for the state and all its images.
    fn connect(&mut self, state: u32, letter: usize, to: u32) {
        for (images, turned) in self.images.iter().zip(&self.turned) {
            let row = images[state as usize] as usize * self.letters.count();
            self.next[row + turned[letter] as usize] = images[to as usize];
        }
    }

    /// The state of a macro-set: known, or merged by its blocks, or new.
    fn place(&mut self, after: &Macro, support: u32, length: u32) -> u32 {
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
            self.chiefs.push(Chief {
                state,
                support,
                length,
                elements,
            });
            if self.tails.len() <= length as usize {
                self.tails.push(0);
            }
            self.tails[length as usize] += orbit;
        }
        self.known.insert(key, state);
        state
    }

    /// Adds the images of a new state, and says how many states there are in
    /// its orbit. The symmetries are a group, so that the images' images are
    /// found among them.
    fn add_orbit(&mut self, blocks: &[Vec<u32>]) -> usize {
        let before = self.states();
        let mut members = vec![blocks.to_vec()];
        for images in &self.symmetries[1..] {
            let turned = self.blocks.permuted(blocks, images);
            if self.blocks.state(turned.clone()).1 {
                members.push(turned);
            }
        }
        for member in &members {
            for (number, images) in self.symmetries.iter().enumerate() {
                let turned = self.blocks.permuted(member, images);
                let image = self.blocks.state(turned).0;
                self.images[number].push(image);
            }
        }
        let states = before + members.len();
        self.next.resize(states * self.letters.count(), UNKNOWN);
        members.len()
    }

    /// For each face and each letter of the other heaps, the states that the
    /// elements of the face lead to. The face without heaps is the state
    /// itself, whose way to lower letters is known as far as it is needed.
    fn spread(&self, index: usize) -> Vec<Vec<Vec<u32>>> {
        let count = self.letters.count();
        let mut spread: Vec<Vec<Vec<u32>>> = self
            .bound
            .iter()
            .map(|bound| vec![Vec::new(); bound.len()])
            .collect();
        for &(face, state) in &self.chiefs[index].elements {
            let face = usize::from(face);
            for (place, &letter) in self.bound[face].iter().enumerate() {
                let row = state as usize * count + letter;
                spread[face][place]
                    .extend(self.free[face].iter().map(|&free| self.next[row + free]));
            }
        }
        for lists in spread.iter_mut().flatten() {
            lists.sort_unstable();
            lists.dedup();
        }
        spread
    }

    /// The macro-set after a letter.
    fn after(&self, index: usize, letter: usize, spread: &[Vec<Vec<u32>>]) -> Macro {
        let rule = self.rule;
        let faces = rule.faces();
        let count = self.letters.count();
        let own_row = self.chiefs[index].state as usize * count;
        let mut after = Macro::default();
        let support = self.chiefs[index].support | self.letters.support[letter];
        let possible = rule.possible(support);
        let mut lowered: Vec<(usize, u32)> = Vec::new();
        for (face, &heaps) in faces.iter().enumerate() {
            if face != 0
                && (spread[face].iter().all(Vec::is_empty) || rule.over(face) & possible == 0)
            {
                continue;
            }
            let mut own = letter;
            for heap in 0..rule.heaps() {
                if heaps >> heap & 1 != 0 {
                    own -= self.letters.digit(letter, heap) * self.letters.weight[heap];
                }
            }
            lowered.clear();
            lowered.push((own, heaps));
            for heap in 0..rule.heaps() {
                let digit = self.letters.digit(own, heap);
                for one in 0..lowered.len() {
                    let (there, loose) = lowered[one];
                    let more = rule.face_of(loose | 1 << heap);
                    if digit == 0 || more == NO_FACE || rule.over(usize::from(more)) & possible == 0
                    {
                        continue;
                    }
                    for lower in 1..=digit {
                        lowered
                            .push((there - lower * self.letters.weight[heap], loose | 1 << heap));
                    }
                }
            }
            for &(there, loose) in &lowered {
                let to = usize::from(rule.face_of(loose));
                if face == 0 {
                    if to != 0 {
                        after.push(to, self.next[own_row + there]);
                    }
                    continue;
                }
                // Bound letters are ascending.
                if let Ok(place) = self.bound[face].binary_search(&there) {
                    for &state in &spread[face][place] {
                        after.push(to, state);
                    }
                }
            }
        }
        after.settle(rule, possible);
        after
    }

    fn recogniser(&self) -> Recogniser {
        Recogniser {
            heaps: self.rule.heaps(),
            base: self.letters.base,
            start: 0,
            accepting: (0..self.states() as u32)
                .map(|state| self.blocks.accepts(state))
                .collect(),
            next: self.next.clone(),
        }
    }
}
