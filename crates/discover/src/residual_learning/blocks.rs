//! Blocks: the residual of a prefix to a depth of a few digits.
//!
//! The block of a prefix is the set of continuations of a fixed number of digits
//! that make it a P-position. It is computed from the subset of the prefix: a
//! continuation is an N-position if a move leads from it to a P-position; among
//! the others, the smallest is a P-position, and so on. A table has for each
//! continuation the hyperedges by which a move leads to a P-position. An element
//! of the subset with loose heaps is entered into a table without the digits of
//! these heaps, which is expanded to all their digits at the end.

use nimrule_automata::interner::Interner;
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_prove::hypergraph_nim::Rule;
use nimrule_prove::hypergraph_nim::rule::{HyperedgeSet, NO_FACE};

/// A subset of the subset construction: the states after the options of a prefix, each
/// with the face of the heaps that are smaller so far. It is sparse, so it is a
/// list.
#[derive(Debug, Clone, Default)]
pub struct Subset {
    /// The state in the upper half, the face in the lower half.
    elements: Vec<u64>,
}

impl Subset {
    /// Adds an element.
    pub fn push(&mut self, face: usize, state: u32) {
        self.elements.push(u64::from(state) << 32 | face as u64);
    }

    /// The elements as pairs of face and state.
    pub fn elements(&self) -> Vec<(u16, u32)> {
        let apart = |&one: &u64| (one as u16, (one >> 32) as u32);
        self.elements.iter().map(apart).collect()
    }

    /// A hash of 128 bits. A collision would merge two states, and the proof of the
    /// hypothesis would fail.
    pub fn key(&self, class: u16) -> u128 {
        let mut one = 0x9e37_79b9_7f4a_7c15u64 ^ u64::from(class);
        let mut other = 0xc2b2_ae3d_27d4_eb4fu64.wrapping_add(u64::from(class));
        for &element in &self.elements {
            one = (one ^ element).wrapping_mul(0x2545_f491_4f6c_dd1d);
            one ^= one >> 29;
            other = (other.rotate_left(31) ^ element).wrapping_mul(0x9fb2_1c65_1e98_df25);
        }
        u128::from(one) << 64 | u128::from(other)
    }

    /// Sorts the elements and removes the subsumed ones. An element is subsumed if,
    /// for every hyperedge that it can still use, the same state occurs with a
    /// larger face inside that hyperedge.
    pub fn normalise(&mut self, rule: &Rule, possible: HyperedgeSet) {
        self.elements.sort_unstable();
        self.elements.dedup();
        let mut kept = Vec::with_capacity(self.elements.len());
        for group in self.elements.chunk_by(|a, b| a >> 32 == b >> 32) {
            // Larger faces have larger numbers.
            for (index, &element) in group.iter().enumerate() {
                let face = element as u32 as usize;
                let heaps = rule.faces()[face];
                let mut open = rule.containing(face) & possible;
                for &larger in &group[index + 1..] {
                    let larger = larger as u32 as usize;
                    if heaps & !rule.faces()[larger] == 0 {
                        open &= !rule.containing(larger);
                    }
                }
                if open != 0 {
                    kept.push(element);
                }
            }
        }
        self.elements = kept;
    }
}

/// The layout of the table of one face. Its index has a digit for each heap outside
/// the face; the digit of the first such heap has the least weight.
struct Layout {
    size: usize,
    /// The weight of the digit of every heap; 0 for the heaps of the face.
    step: Vec<usize>,
    /// `of_low[i] + of_high[j]` is the index in this table of the index `i + j·s` of
    /// the table of the empty face, where `s` is the length of `of_low`.
    of_low: Vec<u32>,
    of_high: Vec<u32>,
}

impl Layout {
    fn new(heaps: usize, face: u32, side: usize) -> Layout {
        let mut size = 1;
        let step: Vec<usize> = (0..heaps)
            .map(|heap| {
                if face >> heap & 1 != 0 {
                    return 0;
                }
                let step = size;
                size *= side;
                step
            })
            .collect();
        let places = |step: &[usize]| {
            let mut places = vec![0u32];
            for &step in step {
                let known = places.len();
                for digit in 1..side {
                    for place in 0..known {
                        places.push(places[place] + (digit * step) as u32);
                    }
                }
            }
            places
        };
        let (low, high) = step.split_at(heaps / 2);
        Layout {
            size,
            of_low: places(low),
            of_high: places(high),
            step,
        }
    }
}

/// Adds to each entry the hyperedges of `holding` in the entry whose digit is one
/// less.
fn spread_upwards(part: &mut [HyperedgeSet], step: usize, holding: HyperedgeSet) {
    if step < 8 {
        // The rows are too short for inner loops.
        for place in step..part.len() {
            part[place] |= part[place - step] & holding;
        }
        return;
    }
    for row in 1..part.len() / step {
        let (below, here) = part.split_at_mut(row * step);
        for (one, &less) in here[..step].iter_mut().zip(&below[(row - 1) * step..]) {
            *one |= less & holding;
        }
    }
}

/// Adds a row to each row of a part.
fn add_to_rows(part: &mut [HyperedgeSet], row: &[HyperedgeSet]) {
    if let [one] = row {
        part.iter_mut().for_each(|place| *place |= one);
        return;
    }
    for here in part.chunks_exact_mut(row.len()) {
        for (one, &other) in here.iter_mut().zip(row) {
            *one |= other;
        }
    }
}

/// The blocks of all states.
///
/// Two prefixes are merged only if their blocks of 0, 1, … digits up to the depth
/// are equal. The deepest block alone does not determine the outcome of the prefix
/// itself if further zeros change the outcome, as in misère play and on boards on
/// which empty heaps vanish.
pub struct Blocks<'a> {
    depths: Vec<Depth<'a>>,
    known: Interner,
}

impl<'a> Blocks<'a> {
    /// Returns blocks of up to `depth` digits, without states.
    pub fn new(rule: &'a Rule, base: usize, depth: usize) -> Blocks<'a> {
        let depths = (0..=depth)
            .map(|depth| Depth::new(rule, base.pow(depth as u32)))
            .collect();
        Blocks {
            depths,
            known: Interner::new(),
        }
    }

    /// The memory in bytes of the tables of this depth.
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

    /// The memory in bytes.
    pub fn bytes(&self) -> usize {
        let blocks: usize = self.depths.iter().map(Depth::bytes).sum();
        blocks + self.known.bytes()
    }

    /// Returns whether the prefixes of a state are P-positions.
    pub fn accepts(&self, state: u32) -> bool {
        !self.depths[0].found[state as usize].is_empty()
    }

    /// Computes the blocks of a subset for every depth.
    ///
    /// # Errors
    ///
    /// The time limit is exceeded.
    pub fn find(
        &mut self,
        elements: &Subset,
        support: u32,
        limits: &Limits,
    ) -> Result<Vec<Vec<u32>>, LimitExceeded> {
        let elements = elements.elements();
        self.depths
            .iter_mut()
            .map(|depth| depth.block(&elements, support, limits))
            .collect()
    }

    /// The images of blocks under a permutation: heap i is mapped to `images[i]`.
    pub fn permuted(&self, blocks: &[Vec<u32>], images: &[u8]) -> Vec<Vec<u32>> {
        let image = |(depth, block): (&Depth, &Vec<u32>)| {
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
            let mut permuted: Vec<u32> = block.iter().map(|&index| place(index)).collect();
            permuted.sort_unstable();
            permuted
        };
        self.depths.iter().zip(blocks).map(image).collect()
    }

    /// Returns the state with these blocks, and whether it is new.
    pub fn state(&mut self, blocks: Vec<Vec<u32>>) -> (u32, bool) {
        let (state, is_new) = self.known.insert(&blocks.join(&u32::MAX));
        if !is_new {
            return (state, false);
        }
        for (depth, block) in self.depths.iter_mut().zip(blocks) {
            depth.found_bytes += block.len() * 4 + 24;
            depth.found.push(block);
        }
        (state, true)
    }
}

/// The number of continuations between two checks of the time: one block of 12 heaps may take
/// minutes.
const BETWEEN_CHECKS: usize = 1 << 14;

/// The blocks of one depth.
struct Depth<'a> {
    rule: &'a Rule,
    /// The number of values of the digits of a heap: base to the power of the depth.
    side: usize,
    layouts: Vec<Layout>,
    /// The P-positions of every state's block, ascending.
    found: Vec<Vec<u32>>,
    found_bytes: usize,
    /// The number of continuations of the lower half of the heaps.
    low: usize,
    /// The supports of the continuations.
    support: Vec<u32>,
    tables: Vec<Vec<HyperedgeSet>>,
    /// The tables with an entry that is not 0.
    filled: Vec<bool>,
}

impl<'a> Depth<'a> {
    fn new(rule: &'a Rule, side: usize) -> Depth<'a> {
        let layouts: Vec<Layout> = rule
            .faces()
            .iter()
            .map(|&face| Layout::new(rule.heaps(), face, side))
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
            found: Vec::new(),
            found_bytes: 0,
            low: side.pow(rule.heaps() as u32 / 2),
            filled: vec![false; layouts.len()],
            layouts,
            support,
            tables,
        }
    }

    fn bytes(&self) -> usize {
        self.found_bytes
            + self
                .tables
                .iter()
                .map(|table| table.len() * 4)
                .sum::<usize>()
    }

    fn block(
        &mut self,
        elements: &[(u16, u32)],
        support: u32,
        limits: &Limits,
    ) -> Result<Vec<u32>, LimitExceeded> {
        self.enter(elements);
        self.spread(limits)?;
        self.collect(support, limits)
    }

    /// Clears the tables and enters the blocks of the elements.
    fn enter(&mut self, elements: &[(u16, u32)]) {
        for (table, filled) in self.tables.iter_mut().zip(&mut self.filled) {
            if std::mem::replace(filled, false) {
                table.fill(0);
            }
        }
        // `mark` has written to the table without heaps.
        self.tables[0].fill(0);
        for &(face, state) in elements {
            let face = usize::from(face);
            let layout = &self.layouts[face];
            let containing = self.rule.containing(face);
            let table = &mut self.tables[face];
            for &index in &self.found[state as usize] {
                let (low, high) = (index as usize % self.low, index as usize / self.low);
                table[(layout.of_low[low] + layout.of_high[high]) as usize] |= containing;
                self.filled[face] = true;
            }
        }
    }

    /// Completes the tables, heap by heap. A P-position with a smaller digit of the
    /// heap is an option by the hyperedges that contain the heap. The digits of a
    /// loose heap are arbitrary.
    fn spread(&mut self, limits: &Limits) -> Result<(), LimitExceeded> {
        let faces = self.rule.faces();
        for heap in 0..self.rule.heaps() {
            let holding = match self.rule.face_of(1 << heap) {
                NO_FACE => 0,
                face => self.rule.containing(usize::from(face)),
            };
            for (face, &heaps) in faces.iter().enumerate() {
                if heaps & ((2 << heap) - 1) != 0 {
                    continue;
                }
                if self.layouts[face].size >= BETWEEN_CHECKS {
                    limits.check_work(Steps(300))?;
                }
                let step = self.layouts[face].step[heap];
                let more = self.rule.face_of(heaps | 1 << heap);
                let (low, high) = self.tables.split_at_mut(face + 1);
                let table = &mut low[face];
                if self.filled[face] {
                    for part in table.chunks_exact_mut(step * self.side) {
                        spread_upwards(part, step, holding);
                    }
                }
                if more == NO_FACE || !self.filled[usize::from(more)] {
                    continue;
                }
                self.filled[face] = true;
                let loose = &high[usize::from(more) - face - 1];
                for (part, loose) in table
                    .chunks_exact_mut(step * self.side)
                    .zip(loose.chunks_exact(step))
                {
                    add_to_rows(part, loose);
                }
            }
        }
        Ok(())
    }

    /// Collects the P-positions in ascending order. The positions from which a move
    /// leads to one of them are marked as N-positions.
    fn collect(&mut self, support: u32, limits: &Limits) -> Result<Vec<u32>, LimitExceeded> {
        let mut found = Vec::new();
        let rule = self.rule;
        for index in 0..self.support.len() {
            if index % BETWEEN_CHECKS == BETWEEN_CHECKS - 1 {
                limits.check_work(Steps(750))?;
            }
            // The support matters only for hyperedges that are not always usable.
            if self.tables[0][index] & rule.always() != 0 {
                continue;
            }
            let support = support | self.support[index];
            if self.tables[0][index] & rule.usable(support) != 0
                || rule.is_misere() && rule.is_terminal(support)
            {
                continue;
            }
            found.push(index as u32);
            for (number, &hyperedge) in rule.hyperedges().iter().enumerate() {
                self.mark(index, hyperedge, 1 << number);
            }
        }
        Ok(found)
    }

    /// Marks the positions from which a move by the hyperedge leads to this one.
    fn mark(&mut self, index: usize, hyperedge: u32, bit: HyperedgeSet) {
        let step = &self.layouts[0].step;
        let mut places = vec![index];
        for heap in (0..self.rule.heaps()).filter(|&heap| hyperedge >> heap & 1 != 0) {
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
