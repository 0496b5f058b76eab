//! The inner loops of [`super`]: one line of rows, a step at a time.

use super::super::word::Word;
use smallvec::SmallVec;

/// Where fewer than one lane in so many has found a P-position, each is told to
/// the planes by itself.
const FEW: usize = 4;

/// One plane, made ready for a line.
#[derive(Debug, Clone)]
pub(super) struct Ready {
    /// Which memory the plane lies in.
    pub memory: usize,
    /// Where its first step lies, after the steps that stand before the line
    /// and are 0.
    pub own: usize,
    /// All ones, or the length of a ring less one.
    pub mask: usize,
    /// Where the first steps lie that it is read at in the same lane.
    pub reads: SmallVec<[usize; 4]>,
    /// The same in the page of the strip before this one.
    pub before: Option<usize>,
    /// Is it read one step and one lane back, each with the heap that this
    /// lowers?
    pub step: bool,
    pub lane: bool,
    /// Does its set hold the packed heap?
    pub packed: bool,
}

/// What may be left out of the marks, where a board shrinks: of each plane,
/// the bits of a row at which its set may be chosen.
pub(super) struct Choice<'a, T> {
    /// In most lanes, where the inner heap is empty and where it is not.
    pub most_lanes: [&'a [Allowed<T>]; 2],
    /// In any lane, by which of the heaps inner, step and lane are left.
    pub lanes: [&'a [(usize, Allowed<T>)]; 8],
}

/// The bits of a row's first word, and of its later words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed<T> {
    pub first: T,
    pub later: T,
}

/// The positions of a line that have a value, by step as the kernel has them.
pub(super) struct Level<'a, T, const W: usize> {
    /// Those that have a smaller value than the one that is looked for.
    pub taken: &'a mut [[T; W]],
    /// A bit of the values of all others changes between the value before and
    /// this one.
    pub changing: Option<&'a mut [[T; W]]>,
    /// Has any position the value that is looked for? Unless nobody asks.
    pub any: Option<&'a mut bool>,
}

/// A line: all rows with the same outer heaps.
pub(super) struct Line<'a, 'm, T, const W: usize> {
    pub memories: &'a mut [&'m mut [[T; W]]],
    /// The pages of the strip before this one.
    pub befores: &'a [&'a [[T; W]]],
    /// The rows of the line in lexicographic order, all 0 as yet.
    pub rows: &'a mut [u64],
    /// Which of them have a P-position, as bits.
    pub found: &'a mut [u64],
    pub steps: usize,
    /// Nothing is found before this step, and nothing was in earlier lines.
    pub first: usize,
    /// Where values are found one after another.
    pub level: Option<Level<'a, T, W>>,
    /// First those that are asked for to the end, then those that no position
    /// with an inner heap asks for.
    pub ready: &'a [Ready],
    /// How many there are of the first sort.
    pub to_the_end: usize,
    /// By step modulo the period: where the step heap is not empty.
    pub not_first: &'a [[T; W]],
    pub period: usize,
    /// Words of a row.
    pub words: usize,
    /// Arrays of lanes in a step and word.
    pub blocks: usize,
    /// The lanes that there are.
    pub lanes: usize,
    /// The bits of a row's last word that are positions.
    pub last_word: T,
    pub choice: Option<Choice<'a, T>>,
    /// Rows whose first position is an end position at which the player to
    /// move wins, by cell and lane.
    pub ends: &'a [(usize, usize)],
}

impl<T: Word, const W: usize> pulp::NullaryFnOnce for Line<'_, '_, T, W> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let mut phase = self.first % self.period;
        for step in self.first..self.steps {
            // From here on all lanes have an inner heap.
            if step + 1 >= self.period + self.lanes {
                self.ready = &self.ready[..self.to_the_end];
            }
            for word in 0..self.words {
                for block in 0..self.blocks {
                    // PERF: what a whole board need not ask is not asked.
                    if self.choice.is_some() {
                        self.rows::<true>(step, phase, word, block);
                    } else {
                        self.rows::<false>(step, phase, word, block);
                    }
                }
            }
            phase += 1;
            if phase == self.period {
                phase = 0;
            }
        }
    }
}

impl<T: Word, const W: usize> Line<'_, '_, T, W> {
    /// The rows of one step, word and block of lanes.
    #[inline(always)]
    fn rows<const CHOOSES: bool>(&mut self, step: usize, phase: usize, word: usize, block: usize) {
        let arrays = self.words * self.blocks;
        let at = step * arrays + word * self.blocks + block;
        let not_first = &self.not_first[phase * self.blocks + block];
        let carries = word > 0;
        // Where the inner heap is not empty, in most lanes.
        let inner = step >= self.period;
        let mut marks = [T::ZERO; W];
        for (number, plane) in self.ready.iter().enumerate() {
            let memory = &mut *self.memories[plane.memory];
            let place = Place {
                at,
                arrays,
                blocks: self.blocks,
                edge: block > 0,
                carries: carries && plane.packed,
            };
            let reads = (plane.reads.len(), plane.step, plane.lane, place.carries);
            let mut gathered = match reads {
                (1, false, false, false) => {
                    gather::<T, W, 1, false, false>(memory, plane, &place, not_first)
                }
                (2, false, false, false) => {
                    gather::<T, W, 2, false, false>(memory, plane, &place, not_first)
                }
                (0, true, false, false) => {
                    gather::<T, W, 0, true, false>(memory, plane, &place, not_first)
                }
                (1, true, false, false) => {
                    gather::<T, W, 1, true, false>(memory, plane, &place, not_first)
                }
                (2, true, false, false) => {
                    gather::<T, W, 2, true, false>(memory, plane, &place, not_first)
                }
                (0, false, true, false) => {
                    gather::<T, W, 0, false, true>(memory, plane, &place, not_first)
                }
                (1, false, true, false) => {
                    gather::<T, W, 1, false, true>(memory, plane, &place, not_first)
                }
                (2, false, true, false) => {
                    gather::<T, W, 2, false, true>(memory, plane, &place, not_first)
                }
                (0, true, true, false) => {
                    gather::<T, W, 0, true, true>(memory, plane, &place, not_first)
                }
                (1, true, true, false) => {
                    gather::<T, W, 1, true, true>(memory, plane, &place, not_first)
                }
                _ => gather_any(memory, plane, &place, not_first),
            };
            if let Some(before) = plane.before {
                let there = &self.befores[plane.memory][before + at];
                for lane in 0..W {
                    gathered[lane] |= there[lane];
                }
            }
            match &self.choice {
                Some(choice) if CHOOSES => {
                    let allowed = choice.most_lanes[usize::from(inner)][number];
                    let allowed = if carries {
                        allowed.later
                    } else {
                        allowed.first
                    };
                    for lane in 0..W {
                        marks[lane] |= gathered[lane] & allowed;
                    }
                }
                _ => {
                    for lane in 0..W {
                        marks[lane] |= gathered[lane];
                    }
                }
            }
            // What is found here is added below.
            memory[(plane.own + at) & plane.mask] = gathered;
        }
        if CHOOSES {
            self.exceptional_lanes(step, phase, word, block, &mut marks);
        }
        if word == 0 {
            for (cell, lane) in self.ends {
                if cell + lane == step && lane / W == block {
                    marks[lane % W] |= T::ONE;
                }
            }
        }
        if let Some(level) = &mut self.level {
            if let Some(changing) = &mut level.changing {
                for (bits, taken) in changing[at].iter_mut().zip(&level.taken[at]) {
                    *bits ^= !*taken;
                }
            }
            for (mark, taken) in marks.iter_mut().zip(&level.taken[at]) {
                *mark |= *taken;
            }
        }
        let last = word + 1 == self.words;
        let positions = if last { self.last_word } else { T::ONES };
        // Lanes that have not begun yet keep their zeros.
        let begun = (step + 1).saturating_sub(block * W);
        let mut found = [T::ZERO; W];
        let mut lanes_found = 0_u64;
        for lane in 0..W {
            found[lane] = marks[lane].lowest_zero() & positions;
        }
        if begun < W {
            found[begun..].fill(T::ZERO);
        }
        for (lane, found) in found.iter().enumerate() {
            lanes_found |= u64::from(*found != T::ZERO) << lane;
        }
        // PERF: lane by lane where few have found something.
        if lanes_found.count_ones() as usize > W / FEW {
            for plane in self.ready {
                let own = &mut self.memories[plane.memory][(plane.own + at) & plane.mask];
                if plane.packed {
                    for lane in 0..W {
                        own[lane] |= found[lane].and_above();
                    }
                } else {
                    for lane in 0..W {
                        own[lane] |= found[lane];
                    }
                }
            }
        } else if lanes_found != 0 {
            for plane in self.ready {
                let own = &mut self.memories[plane.memory][(plane.own + at) & plane.mask];
                let mut rest = lanes_found;
                while rest != 0 {
                    let lane = rest.trailing_zeros() as usize % W;
                    rest &= rest - 1;
                    own[lane] |= if plane.packed {
                        found[lane].and_above()
                    } else {
                        found[lane]
                    };
                }
            }
        }
        if let Some(level) = &mut self.level {
            // Lanes of the box, in the line.
            let cells = self.steps + 1 - self.lanes;
            let first = (step + 1).saturating_sub(cells + block * W).min(W);
            let end = self.lanes.saturating_sub(block * W).min(W);
            for (taken, found) in level.taken[at].iter_mut().zip(&found) {
                *taken |= *found;
            }
            if let Some(any) = &mut level.any {
                let mut found = found[first.min(end)..end].iter();
                **any |= found.any(|found| *found != T::ZERO);
            }
            return;
        }
        while lanes_found != 0 {
            let lane = lanes_found.trailing_zeros() as usize % W;
            lanes_found &= lanes_found - 1;
            let number = block * W + lane;
            let row = (step - number) * self.lanes + number;
            // Lanes beyond the box's, and beyond the line's end, are not kept.
            if number < self.lanes
                && let Some(place) = self.rows.get_mut(row * self.words + word)
            {
                *place = found[lane].to_u64();
                self.found[row / 64] |= 1 << (row % 64);
            }
        }
    }

    /// Gathers the marks anew in those lanes in which other sets may be chosen
    /// than in most.
    #[inline(always)]
    fn exceptional_lanes(
        &self,
        step: usize,
        phase: usize,
        word: usize,
        block: usize,
        marks: &mut [T; W],
    ) {
        let Some(choice) = &self.choice else { return };
        let arrays = self.words * self.blocks;
        let at = step * arrays + word * self.blocks + block;
        let inner = step >= self.period;
        let lanes = self.lanes.saturating_sub(block * W).min(W);
        let mut anew = |lane: usize| {
            let number = block * W + lane;
            let Some(cell) = step.checked_sub(number) else {
                return;
            };
            let left = usize::from(cell >= self.period) << 2
                | usize::from(!cell.is_multiple_of(self.period)) << 1
                | usize::from(number > 0);
            let mut gathered = T::ZERO;
            for (plane, allowed) in choice.lanes[left] {
                let plane = &self.ready[*plane];
                let own = &self.memories[plane.memory][(plane.own + at) & plane.mask];
                let allowed = if word > 0 {
                    allowed.later
                } else {
                    allowed.first
                };
                gathered |= own[lane] & allowed;
            }
            marks[lane] = gathered;
        };
        if block == 0 {
            anew(0);
        }
        // Those with an empty step heap.
        let mut number = phase;
        while number < block * W + lanes {
            if number >= block * W {
                anew(number - block * W);
            }
            number += self.period;
        }
        // Those that are not as far as the others.
        if inner {
            let first = (step - self.period + 1).saturating_sub(block * W);
            for lane in first.min(lanes)..lanes {
                anew(lane);
            }
        }
    }
}

/// Where in the planes the loops are.
struct Place {
    at: usize,
    /// Arrays of a step.
    arrays: usize,
    blocks: usize,
    /// Is there a block of lanes before this one?
    edge: bool,
    /// Is there a word before this one that is to be carried on?
    carries: bool,
}

/// What the heaps of a plane's set lead to when they are lowered by one.
#[inline(always)]
fn gather<T: Word, const W: usize, const READS: usize, const STEP: bool, const LANE: bool>(
    memory: &[[T; W]],
    plane: &Ready,
    place: &Place,
    not_first: &[T; W],
) -> [T; W] {
    let mut gathered = [T::ZERO; W];
    if STEP || LANE {
        let before = (plane.own + place.at).wrapping_sub(place.arrays);
        let back = &memory[before & plane.mask];
        if STEP {
            for lane in 0..W {
                gathered[lane] = back[lane] & not_first[lane];
            }
        }
        if LANE {
            for lane in 1..W {
                gathered[lane] |= back[lane - 1];
            }
            if place.edge {
                gathered[0] |= memory[before.wrapping_sub(1) & plane.mask][W - 1];
            }
        }
    }
    for read in 0..READS {
        let there = &memory[plane.reads[read].wrapping_add(place.at) & plane.mask];
        for lane in 0..W {
            gathered[lane] |= there[lane];
        }
    }
    gathered
}

/// The same for any number of heaps and words.
#[inline(always)]
fn gather_any<T: Word, const W: usize>(
    memory: &[[T; W]],
    plane: &Ready,
    place: &Place,
    not_first: &[T; W],
) -> [T; W] {
    let mut gathered = match (plane.step, plane.lane) {
        (false, false) => [T::ZERO; W],
        (true, false) => gather::<T, W, 0, true, false>(memory, plane, place, not_first),
        (false, true) => gather::<T, W, 0, false, true>(memory, plane, place, not_first),
        (true, true) => gather::<T, W, 0, true, true>(memory, plane, place, not_first),
    };
    for read in &plane.reads {
        let there = &memory[read.wrapping_add(place.at) & plane.mask];
        for lane in 0..W {
            gathered[lane] |= there[lane];
        }
    }
    if place.carries {
        let before = &memory[(plane.own + place.at).wrapping_sub(place.blocks) & plane.mask];
        for lane in 0..W {
            gathered[lane] |= before[lane].carried();
        }
    }
    gathered
}
