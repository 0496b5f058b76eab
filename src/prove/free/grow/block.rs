//! Blocks: the P-positions behind a prefix, as far as a few digits.
//!
//! The block of a macro-set is found by the definition. Whatever a move lowers
//! into a P-position is none, and of the rest the smallest is one. The table
//! holds, for each way to go on, the selections by which a P-position is
//! reached; elements with loose heaps enter it without those heaps' digits and
//! spread along them at the end.

use crate::prove::free::rule::{NO_FACE, Rule, Selections};
use rustc_hash::FxHashMap;

/// A macro-set: for every face the states that p' can be in.
#[derive(Debug, Clone)]
pub struct Macro {
    words: usize,
    bits: Vec<u64>,
}

impl Macro {
    pub fn new(faces: usize, words: usize) -> Macro {
        Macro {
            words,
            bits: vec![0; faces * words],
        }
    }

    pub fn insert(&mut self, face: usize, state: u32) {
        self.bits[face * self.words + state as usize / 64] |= 1 << (state % 64);
    }

    fn row(&self, face: usize) -> &[u64] {
        &self.bits[face * self.words..(face + 1) * self.words]
    }

    /// The elements, by face and state.
    pub fn elements(&self) -> Vec<(u16, u32)> {
        let mut found = Vec::new();
        for (index, &word) in self.bits.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                let state = (index % self.words * 64) as u32 + rest.trailing_zeros();
                found.push(((index / self.words) as u16, state));
                rest &= rest - 1;
            }
        }
        found
    }

    /// Two lanes of hashing; a clash would merge wrongly, which the proof
    /// would find.
    pub fn key(&self, class: u16) -> u128 {
        let mut one = 0x9e37_79b9_7f4a_7c15u64 ^ u64::from(class);
        let mut other = 0xc2b2_ae3d_27d4_eb4fu64.wrapping_add(u64::from(class));
        for (index, &word) in self.bits.iter().enumerate() {
            if word != 0 {
                let place = (index / self.words * 65536 + index % self.words) as u64;
                let mixed = word.wrapping_mul(0xff51_afd7_ed55_8ccd)
                    ^ place.wrapping_mul(0x8764_61e5_7f4a_7c15);
                one = (one ^ mixed)
                    .wrapping_mul(0x2545_f491_4f6c_dd1d)
                    .rotate_left(29);
                other = (other.rotate_left(31) ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25) ^ place;
            }
        }
        u128::from(one) << 64 | u128::from(other)
    }

    /// Drops an element where, for every selection it may still use, the same
    /// state is there with more heaps loose within that selection.
    pub fn reduce(&mut self, rule: &Rule, possible: Selections) {
        let faces = rule.faces();
        let mut covered = vec![0u64; self.words];
        let mut within = vec![0u64; self.words];
        // Larger faces stay as they are until smaller ones have been seen.
        for (face, &heaps) in faces.iter().enumerate().skip(1) {
            if self.row(face).iter().all(|&word| word == 0) {
                continue;
            }
            covered.fill(u64::MAX);
            let mut rest = rule.over(face) & possible;
            while rest != 0 {
                let facet = rule.facets()[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                within.fill(0);
                // Supersets of the face inside the facet, itself left out.
                let more = facet & !heaps;
                let mut sub = more;
                while sub != 0 {
                    let larger = usize::from(rule.face_of(heaps | sub));
                    for (all, &word) in within.iter_mut().zip(self.row(larger)) {
                        *all |= word;
                    }
                    sub = (sub - 1) & more;
                }
                for (all, &word) in covered.iter_mut().zip(&within) {
                    *all &= word;
                }
                if covered.iter().all(|&word| word == 0) {
                    break;
                }
            }
            for (word, &gone) in self.bits[face * self.words..(face + 1) * self.words]
                .iter_mut()
                .zip(&covered)
            {
                *word &= !gone;
            }
        }
    }
}

/// How one face's table is laid out: the digits of the heaps that are not in
/// it, in order.
struct Layout {
    size: usize,
    /// For every heap its step, 0 for those of the face.
    step: Vec<usize>,
}

/// The blocks of the states.
///
/// Two prefixes are alike only if they agree after no digit more, after one,
/// and so on to the depth. The longest alone would not do: where zeros behind
/// a position change its outcome, as in misere play and where empty heaps
/// vanish, it does not say what the prefix itself is.
pub struct Blocks<'a> {
    depths: Vec<Depth<'a>>,
    known: FxHashMap<Vec<u32>, u32>,
}

impl<'a> Blocks<'a> {
    pub fn new(rule: &'a Rule, base: usize, depth: usize) -> Blocks<'a> {
        let depths = (0..=depth)
            .map(|depth| Depth::new(rule, base.pow(depth as u32)))
            .collect();
        Blocks {
            depths,
            known: FxHashMap::default(),
        }
    }

    /// The bytes that tables of this depth take.
    pub fn needed(rule: &Rule, base: usize, depth: usize) -> u128 {
        let power = |heaps: usize| {
            (0..heaps * depth).fold(1u128, |all, _| all.saturating_mul(base as u128))
        };
        let table =
            |&face: &u32| power(rule.heaps() - face.count_ones() as usize).saturating_mul(4);
        rule.faces()
            .iter()
            .map(table)
            .fold(power(rule.heaps()).saturating_mul(8), u128::saturating_add)
    }

    pub fn bytes(&self) -> usize {
        let keys: usize = self.known.keys().map(|key| key.len() * 4 + 48).sum();
        keys + self.depths.iter().map(Depth::bytes).sum::<usize>()
    }

    /// Whether the prefix of a state is itself a P-position.
    pub fn accepts(&self, state: u32) -> bool {
        !self.depths[0].found[state as usize].is_empty()
    }

    /// The blocks of a macro-set, for every depth.
    pub fn find(&mut self, elements: &Macro, support: u32) -> Vec<Vec<u32>> {
        let elements = elements.elements();
        self.depths
            .iter_mut()
            .map(|depth| depth.block(&elements, support))
            .collect()
    }

    /// The same blocks, heap i gone to `images[i]`.
    pub fn permuted(&self, blocks: &[Vec<u32>], images: &[u8]) -> Vec<Vec<u32>> {
        let turn = |(depth, block): (&Depth, &Vec<u32>)| {
            let step = &depth.layouts[0].step;
            let place = |index: u32| -> u32 {
                images
                    .iter()
                    .enumerate()
                    .map(|(heap, &to)| {
                        index as usize / step[heap] % depth.side * step[usize::from(to)]
                    })
                    .sum::<usize>() as u32
            };
            let mut turned: Vec<u32> = block.iter().map(|&index| place(index)).collect();
            turned.sort_unstable();
            turned
        };
        self.depths.iter().zip(blocks).map(turn).collect()
    }

    /// The state whose blocks these are, and whether it is new.
    pub fn state(&mut self, blocks: Vec<Vec<u32>>) -> (u32, bool) {
        let key = blocks.join(&u32::MAX);
        let fresh = self.known.len() as u32;
        if let Some(&state) = self.known.get(&key) {
            return (state, false);
        }
        self.known.insert(key, fresh);
        for (depth, block) in self.depths.iter_mut().zip(blocks) {
            depth.found.push(block);
        }
        (fresh, true)
    }
}

/// The blocks after a certain number of digits.
struct Depth<'a> {
    rule: &'a Rule,
    side: usize,
    layouts: Vec<Layout>,
    /// The P-positions of every state's block, ascending.
    found: Vec<Vec<u32>>,
    /// For every state and face, the block without the digits of the face.
    flat: FxHashMap<(u32, u16), Vec<u32>>,
    flat_bytes: usize,
    /// The supports of the ways to go on.
    support: Vec<u32>,
    tables: Vec<Vec<Selections>>,
}

impl<'a> Depth<'a> {
    fn new(rule: &'a Rule, side: usize) -> Depth<'a> {
        let layouts: Vec<Layout> = rule
            .faces()
            .iter()
            .map(|&face| {
                let mut size = 1;
                let step = (0..rule.heaps())
                    .map(|heap| {
                        if face >> heap & 1 != 0 {
                            return 0;
                        }
                        let step = size;
                        size *= side;
                        step
                    })
                    .collect();
                Layout { size, step }
            })
            .collect();
        let support = (0..layouts[0].size)
            .map(|index| {
                (0..rule.heaps()).fold(0, |all, heap| {
                    let digits = index / layouts[0].step[heap] % side;
                    all | u32::from(digits > 0) << heap
                })
            })
            .collect();
        let tables = layouts.iter().map(|layout| vec![0; layout.size]).collect();
        Depth {
            rule,
            side,
            layouts,
            found: Vec::new(),
            flat: FxHashMap::default(),
            flat_bytes: 0,
            support,
            tables,
        }
    }

    fn bytes(&self) -> usize {
        self.flat_bytes
            + self
                .tables
                .iter()
                .map(|table| table.len() * 4)
                .sum::<usize>()
    }

    fn block(&mut self, elements: &[(u16, u32)], support: u32) -> Vec<u32> {
        self.enter(elements);
        self.spread();
        self.collect(support)
    }

    /// Enters the blocks of the elements.
    fn enter(&mut self, elements: &[(u16, u32)]) {
        for table in &mut self.tables {
            table.fill(0);
        }
        for &(face, state) in elements {
            if self.found[state as usize].is_empty() {
                continue;
            }
            let layout = &self.layouts[usize::from(face)];
            let (whole, side, found) = (&self.layouts[0], self.side, &self.found);
            let bytes = &mut self.flat_bytes;
            let flat = self.flat.entry((state, face)).or_insert_with(|| {
                let mut flat: Vec<u32> = found[state as usize]
                    .iter()
                    .map(|&index| {
                        (0..layout.step.len())
                            .map(|heap| {
                                index as usize / whole.step[heap] % side * layout.step[heap]
                            })
                            .sum::<usize>() as u32
                    })
                    .collect();
                flat.sort_unstable();
                flat.dedup();
                *bytes += flat.len() * 4 + 48;
                flat
            });
            let over = self.rule.over(usize::from(face));
            let table = &mut self.tables[usize::from(face)];
            for &index in flat.iter() {
                table[index as usize] |= over;
            }
        }
    }

    /// Heap by heap: what is reached with less is reached with more, by the
    /// selections that hold the heap; and a loose heap's digits are free.
    fn spread(&mut self) {
        let faces = self.rule.faces();
        for heap in 0..self.rule.heaps() {
            let holding = match self.rule.face_of(1 << heap) {
                NO_FACE => 0,
                face => self.rule.over(usize::from(face)),
            };
            for (face, &heaps) in faces.iter().enumerate() {
                if heaps & ((2 << heap) - 1) != 0 {
                    continue;
                }
                let step = self.layouts[face].step[heap];
                let more = self.rule.face_of(heaps | 1 << heap);
                let (low, high) = self.tables.split_at_mut(face + 1);
                let table = &mut low[face];
                for part in table.chunks_exact_mut(step * self.side) {
                    for row in 1..self.side {
                        let (below, here) = part.split_at_mut(row * step);
                        let below = &below[(row - 1) * step..];
                        for (one, &less) in here[..step].iter_mut().zip(below) {
                            *one |= less & holding;
                        }
                    }
                }
                if more != NO_FACE {
                    let loose = &high[usize::from(more) - face - 1];
                    for (part, loose) in table
                        .chunks_exact_mut(step * self.side)
                        .zip(loose.chunks_exact(step))
                    {
                        for row in part.chunks_exact_mut(step) {
                            for (one, &other) in row.iter_mut().zip(loose) {
                                *one |= other;
                            }
                        }
                    }
                }
            }
        }
    }

    /// The P-positions of the table, smallest first; each makes whatever can
    /// be moved to it none.
    fn collect(&mut self, support: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let rule = self.rule;
        for index in 0..self.support.len() {
            // What every support allows needs no look at this one.
            if self.tables[0][index] & rule.always() != 0 {
                continue;
            }
            let whole = support | self.support[index];
            if self.tables[0][index] & rule.usable(whole) != 0
                || rule.is_misere() && rule.is_stuck(whole)
            {
                continue;
            }
            found.push(index as u32);
            for (number, &facet) in rule.facets().iter().enumerate() {
                self.mark(index, facet, 1 << number);
            }
        }
        found
    }

    /// Marks the positions that the facet lowers to this one.
    fn mark(&mut self, index: usize, facet: u32, bit: Selections) {
        let step = &self.layouts[0].step;
        let mut places = vec![index];
        for heap in (0..self.rule.heaps()).filter(|&heap| facet >> heap & 1 != 0) {
            let digit = index / step[heap] % self.side;
            let known = places.len();
            for more in 1..self.side - digit {
                for place in 0..known {
                    places.push(places[place] + more * step[heap]);
                }
            }
        }
        for place in places {
            self.tables[0][place] |= bit;
        }
    }
}
