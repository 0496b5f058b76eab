//! The inner loops of [`super`]: the rows of one line, step by step.

use super::super::word::Word;
use smallvec::SmallVec;

/// If at most one of `FEW` lanes has a P-position, the planes are updated lane
/// by lane.
const FEW: usize = 4;

/// A plane with its addresses for the current line. Addresses are in arrays of
/// lanes, for step 0 of the line.
#[derive(Debug, Clone)]
pub(super) struct PreparedPlane {
    /// The number of the memory of the plane.
    pub memory: usize,
    /// The address of the line, after the zeros that its first steps read.
    pub own: usize,
    /// All ones, or the length of the ring buffer less one.
    pub mask: usize,
    /// The addresses that are read in the same lane: those with one token less
    /// in an outer heap or in the inner heap.
    pub reads: SmallVec<[usize; 4]>,
    /// The same in the page of the previous strip: one token less in the
    /// second outer heap.
    pub previous_page: Option<usize>,
    /// Whether the hyperedge contains the step heap: the step before is read in
    /// the same lane.
    pub step: bool,
    /// Whether the hyperedge contains the lane heap: the step before is read in
    /// the previous lane.
    pub lane: bool,
    /// Whether the hyperedge contains the packed heap.
    pub packed: bool,
}

/// The masks of the planes on a board that shrinks: the bits of a row at which
/// the hyperedge of a plane can be active.
pub(super) struct PlaneMasks<'a, T> {
    /// The masks of most lanes, by plane, for an empty and a nonempty inner
    /// heap.
    pub most_lanes: [&'a [RowMask<T>]; 2],
    /// The planes with nonzero masks, by the set of nonempty heaps among inner
    /// (bit 2), step (bit 1) and lane (bit 0).
    pub lanes: [&'a [(usize, RowMask<T>)]; 8],
}

/// A mask of the bits of a row: of its first word, and of each later word.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowMask<T> {
    pub first: T,
    pub later: T,
}

/// The Grundy values of a line while the positions of one value are searched,
/// in the kernel's order of steps.
pub(super) struct Level<'a, T, const W: usize> {
    /// The positions that have a smaller value.
    pub assigned: &'a mut [[T; W]],
    /// The plane of the Gray code that differs between the previous value and
    /// this one.
    pub changing: Option<&'a mut [[T; W]]>,
    /// Set if some position has the searched value; `None` if not needed.
    pub any: Option<&'a mut bool>,
}

/// The computation of a line: all rows with the same outer heaps.
pub(super) struct Line<'a, 'm, T, const W: usize> {
    /// The memories of the planes.
    pub memories: &'a mut [&'m mut [[T; W]]],
    /// The pages of the previous strip, by plane.
    pub previous_pages: &'a [&'a [[T; W]]],
    /// Output: the rows of the line in lexicographic order, all 0 before.
    pub rows: &'a mut [u64],
    /// Output: bit i of word w is set if row 64·w + i has a P-position.
    pub found: &'a mut [u64],
    pub steps: usize,
    /// The first step that can find a position; all planes are 0 before it.
    pub first: usize,
    /// The Grundy values, if they are searched level by level.
    pub level: Option<Level<'a, T, W>>,
    /// The planes: first those needed in the whole line, then those needed
    /// only while the inner heap is empty.
    pub prepared: &'a [PreparedPlane],
    /// The number of planes needed in the whole line.
    pub full_line: usize,
    /// By step modulo the period, and block: all ones in the lanes whose step
    /// heap is not empty.
    pub not_first: &'a [[T; W]],
    /// Steps from one size of the inner heap to the next.
    pub period: usize,
    /// Words of a row.
    pub words: usize,
    /// Arrays of lanes for one word of one step.
    pub blocks: usize,
    /// The number of lanes in use: sizes of the lane heap.
    pub lanes: usize,
    /// The bits of a row's last word that are positions.
    pub last_word: T,
    /// The masks of the planes, on a board that shrinks.
    pub masks: Option<PlaneMasks<'a, T>>,
    /// The rows whose first position is terminal and N (misere play), as cell
    /// and lane.
    pub terminals: &'a [(usize, usize)],
}

impl<T: Word, const W: usize> pulp::NullaryFnOnce for Line<'_, '_, T, W> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let mut phase = self.first % self.period;
        for step in self.first..self.steps {
            // From here on the inner heap is nonempty in all lanes.
            if step + 1 >= self.period + self.lanes {
                self.prepared = &self.prepared[..self.full_line];
            }
            for word in 0..self.words {
                for block in 0..self.blocks {
                    // PERF: without masks the masked code is not executed.
                    if self.masks.is_some() {
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
    /// Computes one word of the rows of one step and block of lanes.
    #[inline(always)]
    fn rows<const MASKED: bool>(&mut self, step: usize, phase: usize, word: usize, block: usize) {
        let arrays = self.words * self.blocks;
        let at = step * arrays + word * self.blocks + block;
        let not_first = &self.not_first[phase * self.blocks + block];
        let carries = word > 0;
        // The inner heap is nonempty in most lanes.
        let inner = step >= self.period;
        let mut marks = [T::ZERO; W];
        for (number, plane) in self.prepared.iter().enumerate() {
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
            if let Some(before) = plane.previous_page {
                let there = &self.previous_pages[plane.memory][before + at];
                for lane in 0..W {
                    gathered[lane] |= there[lane];
                }
            }
            match &self.masks {
                Some(masks) if MASKED => {
                    let allowed = masks.most_lanes[usize::from(inner)][number];
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
            // The P-positions of these rows are added below.
            memory[(plane.own + at) & plane.mask] = gathered;
        }
        if MASKED {
            self.exceptional_lanes(step, phase, word, block, &mut marks);
        }
        if word == 0 {
            for (cell, lane) in self.terminals {
                if cell + lane == step && lane / W == block {
                    marks[lane % W] |= T::ONE;
                }
            }
        }
        if let Some(level) = &mut self.level {
            // PERF: copies, which no other array overlaps: the loops become vector
            // instructions.
            let assigned = level.assigned[at];
            if let Some(changing) = &mut level.changing {
                let mut bits = changing[at];
                for lane in 0..W {
                    bits[lane] ^= !assigned[lane];
                }
                changing[at] = bits;
            }
            for lane in 0..W {
                marks[lane] |= assigned[lane];
            }
        }
        let last = word + 1 == self.words;
        let positions = if last { self.last_word } else { T::ONES };
        // Lanes whose first row is at a later step stay 0.
        let begun = (step + 1).saturating_sub(block * W);
        let mut found = [T::ZERO; W];
        let mut lanes_found = 0_u64;
        for lane in 0..W {
            found[lane] = marks[lane].lowest_zero() & positions;
        }
        if begun < W {
            found[begun..].fill(T::ZERO);
        }
        lanes_found |= nonzero_lanes(&found);
        // PERF: lane by lane if few lanes have a P-position.
        if lanes_found.count_ones() as usize > W / FEW {
            for plane in self.prepared {
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
            for plane in self.prepared {
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
            // The lanes whose row lies in the line.
            let cells = self.steps + 1 - self.lanes;
            let first = (step + 1).saturating_sub(cells + block * W).min(W);
            let end = self.lanes.saturating_sub(block * W).min(W);
            // PERF: most steps find no position of this value.
            if lanes_found == 0 {
                return;
            }
            let mut assigned = level.assigned[at];
            for lane in 0..W {
                assigned[lane] |= found[lane];
            }
            level.assigned[at] = assigned;
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
            // Lanes outside of the box or of the line are dropped.
            if number < self.lanes
                && let Some(place) = self.rows.get_mut(row * self.words + word)
            {
                *place = found[lane].to_u64();
                self.found[row / 64] |= 1 << (row % 64);
            }
        }
    }

    /// Recomputes the marks of the lanes whose set of nonempty heaps differs
    /// from that of most lanes.
    #[inline(always)]
    fn exceptional_lanes(
        &self,
        step: usize,
        phase: usize,
        word: usize,
        block: usize,
        marks: &mut [T; W],
    ) {
        let Some(masks) = &self.masks else { return };
        let arrays = self.words * self.blocks;
        let at = step * arrays + word * self.blocks + block;
        let inner = step >= self.period;
        let lanes = self.lanes.saturating_sub(block * W).min(W);
        let mut recompute = |lane: usize| {
            let number = block * W + lane;
            let Some(cell) = step.checked_sub(number) else {
                return;
            };
            let nonempty = usize::from(cell >= self.period) << 2
                | usize::from(!cell.is_multiple_of(self.period)) << 1
                | usize::from(number > 0);
            let mut gathered = T::ZERO;
            for (plane, allowed) in masks.lanes[nonempty] {
                let plane = &self.prepared[*plane];
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
            recompute(0);
        }
        // Lanes with an empty step heap.
        let mut number = phase;
        while number < block * W + lanes {
            if number >= block * W {
                recompute(number - block * W);
            }
            number += self.period;
        }
        // Lanes whose inner heap is still empty.
        if inner {
            let first = (step - self.period + 1).saturating_sub(block * W);
            for lane in first.min(lanes)..lanes {
                recompute(lane);
            }
        }
    }
}

/// The lanes whose word is not 0, as a set of bits.
#[inline(always)]
fn nonzero_lanes<T: Word, const W: usize>(words: &[T; W]) -> u64 {
    let any = |words: &[T]| words.iter().fold(T::ZERO, |any, word| any | *word) != T::ZERO;
    let mut lanes = 0;
    // PERF: most vectors are 0.
    if any(words) {
        let (vectors, rest) = words.as_chunks::<8>();
        for (number, vector) in vectors.iter().enumerate() {
            if any(vector) {
                for (lane, word) in vector.iter().enumerate() {
                    lanes |= u64::from(*word != T::ZERO) << (8 * number + lane);
                }
            }
        }
        for (lane, word) in rest.iter().enumerate() {
            lanes |= u64::from(*word != T::ZERO) << (8 * vectors.len() + lane);
        }
    }
    lanes
}

/// The current offset in the planes.
struct Place {
    /// The offset of the step, word and block, in arrays.
    at: usize,
    /// Arrays of a step.
    arrays: usize,
    blocks: usize,
    /// Whether there is a block of lanes before this one.
    edge: bool,
    /// Whether the highest bit of the previous word is carried into this one.
    carries: bool,
}

/// The OR of the plane at the positions with one token less in a heap of its
/// hyperedge other than the packed one.
#[inline(always)]
fn gather<T: Word, const W: usize, const READS: usize, const STEP: bool, const LANE: bool>(
    memory: &[[T; W]],
    plane: &PreparedPlane,
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

/// [`gather`] for any number of addresses, with the carry of the packed heap.
#[inline(always)]
fn gather_any<T: Word, const W: usize>(
    memory: &[[T; W]],
    plane: &PreparedPlane,
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
