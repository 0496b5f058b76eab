//! The inner loops of [`super`]: the rows of one line, step by step.

use super::super::word::Word;
use super::plan::Plane;
use std::ops::Range;

/// A plane with its words for the current line.
#[derive(Debug)]
pub(super) struct PreparedPlane<'m, T> {
    /// The words of the line, after zeros. At first they are those of the line with one
    /// token less in the outermost heap of the hyperedge, which is an outer heap. If
    /// there is none, they are a ring buffer.
    own: &'m mut [T],
    /// The kind of its memory.
    memory: Memory,
    /// The lines with one token less in another outer heap.
    reads: [&'m [T]; FAST_READS],
    /// Those that do not fit there.
    more_reads: Vec<&'m [T]>,
    /// Whether the hyperedge contains the inner heap: a period before is read in the
    /// same lane.
    inner: bool,
    /// Whether the hyperedge contains the step heap: the step before is read in
    /// the same lane.
    step: bool,
    /// Whether the hyperedge contains the lane heap: the step before is read in
    /// the previous lane.
    lane: bool,
    /// Whether the hyperedge contains the packed heap.
    packed: bool,
    /// The code of what is read.
    code: u8,
}

/// The kind of a plane's memory, which decides where a step lies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// A whole line.
    Line,
    /// A ring buffer of the last two steps.
    ShortRing,
    /// A ring buffer of more than a period.
    LongRing,
}

impl Memory {
    const fn of(ring: bool, inner: bool) -> Memory {
        match (ring, inner) {
            (false, _) => Memory::Line,
            (true, false) => Memory::ShortRing,
            (true, true) => Memory::LongRing,
        }
    }
}

/// Lines besides its own that a plane may read without a loop.
const FAST_READS: usize = 2;

/// P-positions are added lane by lane if at most one in this many lanes has one.
const FEW: usize = 16;

/// The code of what a plane reads.
const fn code(ring: bool, reads: usize, inner: bool, step: bool, lane: bool) -> u8 {
    (reads as u8) << 4 | (ring as u8) << 3 | (inner as u8) << 2 | (step as u8) << 1 | lane as u8
}

impl<'m, T> PreparedPlane<'m, T> {
    pub fn new(plane: &Plane, own: &'m mut [T], reads: Vec<&'m [T]>) -> PreparedPlane<'m, T> {
        let code = code(
            plane.is_ring,
            reads.len(),
            plane.inner,
            plane.step,
            plane.lane,
        );
        let mut reads = reads.into_iter();
        PreparedPlane {
            own,
            memory: Memory::of(plane.is_ring, plane.inner),
            reads: std::array::from_fn(|_| reads.next().unwrap_or_default()),
            more_reads: reads.collect(),
            inner: plane.inner,
            step: plane.step,
            lane: plane.lane,
            packed: plane.packed,
            code,
        }
    }
}

/// Planes in sequence that are alike.
#[derive(Debug)]
pub(super) struct Run<A> {
    planes: Range<usize>,
    alike: A,
}

/// What decides how a plane is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reading {
    code: u8,
    /// Whether a bit may be carried from one word of a row into the next.
    carries: bool,
}

/// What decides how P-positions are added to a plane.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Adding {
    memory: Memory,
    /// Whether the hyperedge contains the packed heap.
    packed: bool,
}

/// The runs of planes; none goes on after the first planes, which are needed in the whole
/// line.
#[derive(Debug)]
pub(super) struct Runs {
    reading: Vec<Run<Reading>>,
    adding: Vec<Run<Adding>>,
    /// The number of runs of either kind that are needed in the whole line.
    full_line: [usize; 2],
}

impl Runs {
    /// The runs of planes of which the first `full_line` are needed in the whole line, for
    /// rows of so many words.
    pub fn of<T>(planes: &[PreparedPlane<'_, T>], full_line: usize, words: usize) -> Runs {
        let reading = runs(planes, full_line, |plane| Reading {
            code: plane.code,
            carries: plane.packed && words > 1,
        });
        let adding = runs(planes, full_line, |plane| Adding {
            memory: plane.memory,
            packed: plane.packed,
        });
        let before = |end: usize| end <= full_line;
        Runs {
            full_line: [
                reading.partition_point(|run| before(run.planes.end)),
                adding.partition_point(|run| before(run.planes.end)),
            ],
            reading,
            adding,
        }
    }
}

fn runs<T, A: PartialEq>(
    planes: &[PreparedPlane<'_, T>],
    full_line: usize,
    alike: impl Fn(&PreparedPlane<'_, T>) -> A,
) -> Vec<Run<A>> {
    let mut runs: Vec<Run<A>> = Vec::new();
    for (number, plane) in planes.iter().enumerate() {
        let alike = alike(plane);
        match runs.last_mut() {
            Some(run) if number != full_line && run.alike == alike => run.planes.end += 1,
            _ => runs.push(Run {
                planes: number..number + 1,
                alike,
            }),
        }
    }
    runs
}

/// The lanes from a word on.
#[inline(always)]
fn lanes_at<T: Word, const W: usize>(words: &[T], at: usize) -> &[T; W] {
    words[at..]
        .first_chunk()
        .expect("the words go on for as many lanes")
}

/// The same, to be written.
#[inline(always)]
fn lanes_at_mut<T: Word, const W: usize>(words: &mut [T], at: usize) -> &mut [T; W] {
    words[at..]
        .first_chunk_mut()
        .expect("the words go on for as many lanes")
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
    pub prepared: &'a mut [PreparedPlane<'m, T>],
    /// The runs of these planes.
    pub runs: &'a Runs,
    /// By step modulo the period, and block: all ones in the lanes whose step
    /// heap is not empty.
    pub not_first: &'a [[T; W]],
    /// `2 * W` words: all ones, then zeros.
    pub edges: &'a [T],
    /// All ones in the lanes whose lane heap is not empty, in the first block and in the
    /// others.
    pub not_edge: &'a [[T; W]; 2],
    /// Bit i in lane i.
    pub lane_bits: &'a [T; W],
    /// Steps of zeros before the line, in planes that are no ring buffer.
    pub gap: usize,
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

/// The computation of a [`Line`] by code of its own: `MASKED` if the line has masks, else
/// `ONE_ARRAY` if a step is one array of lanes.
// PERF: what is not needed is not executed, and one array has constant addresses in a step.
struct Steps<'a, 'm, T, const W: usize, const MASKED: bool, const ONE_ARRAY: bool>(
    Line<'a, 'm, T, W>,
);

impl<T: Word, const W: usize, const MASKED: bool, const ONE_ARRAY: bool> pulp::NullaryFnOnce
    for Steps<'_, '_, T, W, MASKED, ONE_ARRAY>
{
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Steps(mut line) = self;
        line.steps::<MASKED, ONE_ARRAY, true>();
    }
}

impl<T: Word, const W: usize> Line<'_, '_, T, W> {
    /// Computes the line, with the vector instructions of this machine.
    pub fn compute(mut self) {
        #[cfg(target_arch = "x86_64")]
        let arch = pulp::x86::V3::try_new();
        // A page transfers the code and compiles it while its reader waits.
        #[cfg(target_arch = "wasm32")]
        let arch = None::<pulp::Scalar>;
        // Elsewhere every machine has the instructions of the target.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "wasm32")))]
        let arch = Some(pulp::Scalar);
        #[cfg(not(target_arch = "x86_64"))]
        use pulp::Simd as _;
        // In tests, boxes of every other size are computed as on an old machine.
        let is_old = cfg!(debug_assertions) && self.steps % 2 == 1;
        let Some(arch) = arch.filter(|_| !is_old) else {
            return match self.masks {
                Some(_) => self.steps::<true, false, false>(),
                None => self.steps::<false, false, false>(),
            };
        };
        match (&self.masks, self.words * self.blocks) {
            (Some(_), _) => arch.vectorize(Steps::<T, W, true, false>(self)),
            (None, 1) => arch.vectorize(Steps::<T, W, false, true>(self)),
            (None, _) => arch.vectorize(Steps::<T, W, false, false>(self)),
        }
    }

    /// Computes the line; with loops of their own for the most frequent planes if
    /// `BY_CODE`.
    // PERF: those loops are a third of the time in which the program is built, so they are
    // not compiled a second time for old machines, which lack the vector instructions.
    #[inline(always)]
    fn steps<const MASKED: bool, const ONE_ARRAY: bool, const BY_CODE: bool>(&mut self) {
        // PERF: addresses are computed once a step.
        let width = self.words * self.blocks * W;
        let (gap, period) = (self.gap, self.period);
        let long = ring_steps(period, true) - 1;
        // Rings consist of whole steps, so that the lane before a block lies before it.
        let ring = |step: usize, mask: usize| Addresses {
            now: W + (step & mask) * width,
            step_before: W + (step.wrapping_sub(1) & mask) * width,
            period_before: W + (step.wrapping_sub(period) & mask) * width,
        };
        let (mut reading, mut adding) = (&self.runs.reading[..], &self.runs.adding[..]);
        let mut phase = self.first % self.period;
        for step in self.first..self.steps {
            // From here on the inner heap is nonempty in all lanes.
            if step + 1 >= self.period + self.lanes {
                let [read, add] = self.runs.full_line;
                reading = &self.runs.reading[..read];
                adding = &self.runs.adding[..add];
            }
            let addresses = [
                Addresses {
                    now: (gap + step) * width,
                    step_before: (gap + step - 1) * width,
                    period_before: (gap + step - period) * width,
                },
                ring(step, ring_steps(period, false) - 1),
                ring(step, long),
            ];
            let (words, blocks) = match ONE_ARRAY {
                true => (1, 1),
                false => (self.words, self.blocks),
            };
            for word in 0..words {
                for block in 0..blocks {
                    let runs = (reading, adding);
                    self.rows::<MASKED, BY_CODE>(runs, &addresses, step, phase, word, block);
                }
            }
            phase += 1;
            if phase == self.period {
                phase = 0;
            }
        }
    }

    /// Computes one word of the rows of one step and block of lanes.
    #[inline(always)]
    fn rows<const MASKED: bool, const BY_CODE: bool>(
        &mut self,
        (reading, adding): (&[Run<Reading>], &[Run<Adding>]),
        addresses: &[Addresses; 3],
        step: usize,
        phase: usize,
        word: usize,
        block: usize,
    ) {
        let arrays = self.words * self.blocks;
        let at = step * arrays + word * self.blocks + block;
        // The inner heap is nonempty in most lanes.
        let inner = step >= self.period;
        let place = Place {
            at: at * W,
            step: addresses,
            within: (word * self.blocks + block) * W,
            word: self.blocks * W,
            not_first: &self.not_first[phase * self.blocks + block],
            not_edge: &self.not_edge[usize::from(block > 0)],
        };
        let mut marks = [T::ZERO; W];
        for run in reading {
            let planes = &mut self.prepared[run.planes.clone()];
            let masks = match &self.masks {
                Some(masks) if MASKED => Allowed {
                    masks: &masks.most_lanes[usize::from(inner)][run.planes.clone()],
                    later: word > 0,
                },
                _ => Allowed {
                    masks: &[],
                    later: false,
                },
            };
            macro_rules! by_code {
                ($($ring:literal $reads:literal $inner:literal $step:literal $lane:literal,)*) => {
                    match run.alike.code {
                        _ if run.alike.carries && word > 0 => {
                            gather_any::<T, W, MASKED>(planes, &place, masks, true, &mut marks);
                        }
                        _ if !BY_CODE => {
                            gather_any::<T, W, MASKED>(planes, &place, masks, false, &mut marks);
                        }
                        $(known if known == const { code($ring, $reads, $inner, $step, $lane) } => {
                            gather::<T, W, MASKED, $ring, $reads, $inner, $step, $lane>(
                                planes, &place, masks, &mut marks,
                            );
                        })*
                        _ => gather_any::<T, W, MASKED>(planes, &place, masks, false, &mut marks),
                    }
                };
            }
            by_code!(
                // Hyperedges with no outer heap.
                true 0 false false true,
                true 0 false true false,
                true 0 false true true,
                true 0 true false false,
                true 0 true false true,
                true 0 true true false,
                true 0 true true true,
                // With one.
                false 0 false false false,
                false 0 false false true,
                false 0 false true false,
                false 0 false true true,
                false 0 true false false,
                false 0 true false true,
                false 0 true true false,
                false 0 true true true,
                // With two.
                false 1 false false false,
                false 1 false false true,
                false 1 false true false,
                false 1 false true true,
                false 1 true false false,
                false 1 true false true,
                false 1 true true false,
                // With three.
                false 2 false false false,
            );
        }
        if MASKED {
            self.exceptional_lanes(&place, step, phase, word, block, &mut marks);
        }
        if word == 0 && !self.terminals.is_empty() {
            // PERF: a vector; one lane of the marks would split them.
            let mut ended = [T::ZERO; W];
            for (cell, lane) in self.terminals {
                if cell + lane == step && lane / W == block {
                    ended[lane % W] = T::ONE;
                }
            }
            for lane in 0..W {
                marks[lane] |= ended[lane];
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
        let begun = (step + 1).saturating_sub(block * W).min(W);
        // PERF: copies, which no other array overlaps: the loop becomes vector
        // instructions.
        let begun: [T; W] = *lanes_at(self.edges, W - begun);
        let mut found = marks;
        for lane in 0..W {
            found[lane] = found[lane].lowest_zero() & positions & begun[lane];
        }
        let mut lanes_found = nonzero_lanes(found, self.lane_bits);
        // PERF: lane by lane if few lanes have a P-position.
        if lanes_found.count_ones() as usize <= W / FEW {
            let mut rest = lanes_found;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize % W;
                rest &= rest - 1;
                let above = found[lane].and_above();
                for run in adding {
                    let at = place.addresses(run.alike.memory).now + lane;
                    let added = if run.alike.packed { above } else { found[lane] };
                    for plane in &mut self.prepared[run.planes.clone()] {
                        plane.own[at] |= added;
                    }
                }
            }
        } else {
            let mut above = found;
            for word in &mut above {
                *word = word.and_above();
            }
            for run in adding {
                let planes = &mut self.prepared[run.planes.clone()];
                let now = place.addresses(run.alike.memory).now;
                // PERF: a loop for each, without a choice in it.
                if run.alike.packed {
                    add(planes, now, &above);
                } else {
                    add(planes, now, &found);
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
        place: &Place<'_, T, W>,
        step: usize,
        phase: usize,
        word: usize,
        block: usize,
        marks: &mut [T; W],
    ) {
        let Some(masks) = &self.masks else { return };
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
                let own: &[T; W] = lanes_at(plane.own, place.addresses(plane.memory).now);
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

/// Adds positions to planes, at an address.
#[inline(always)]
fn add<T: Word, const W: usize>(
    planes: &mut [PreparedPlane<'_, T>],
    now: usize,
    positions: &[T; W],
) {
    for plane in planes {
        let own: &mut [T; W] = lanes_at_mut(plane.own, now);
        // PERF: a copy, which no other array overlaps: the loop becomes vector instructions.
        let mut words = *own;
        for lane in 0..W {
            words[lane] |= positions[lane];
        }
        *own = words;
    }
}

/// The lanes whose word is not 0, as a set of bits; each word has at most one bit. `bits`
/// are those of the lanes.
#[inline(always)]
fn nonzero_lanes<T: Word, const W: usize>(mut words: [T; W], bits: &[T; W]) -> u64 {
    // PERF: no comparison, and bits from memory. The compiler makes branches of the one,
    // and of constants other code for the first lane, which splits its vector.
    for lane in 0..W {
        words[lane] = words[lane].and_above().carried() & bits[lane];
    }
    let (vectors, rest) = words.as_chunks::<8>();
    let mut lanes = [T::ZERO; 8];
    for vector in vectors {
        for lane in 0..8 {
            lanes[lane] |= vector[lane];
        }
    }
    let all = lanes.into_iter().chain(rest.iter().copied());
    all.fold(T::ZERO, |all, lane| all | lane).to_u64()
}

/// The steps of a ring buffer for a hyperedge with the inner heap or without: a power of
/// two, and more than the steps that are looked back.
pub(super) fn ring_steps(period: usize, inner: bool) -> usize {
    let back = if inner { period } else { 1 };
    (back + 1).next_power_of_two()
}

/// Addresses in the memory of a plane, in words.
#[derive(Clone, Copy)]
struct Addresses {
    now: usize,
    step_before: usize,
    period_before: usize,
}

/// The current place in the planes, in words.
struct Place<'a, T, const W: usize> {
    /// The offset of the step, word and block in a line.
    at: usize,
    /// The addresses of the step, by the kind of memory.
    step: &'a [Addresses; 3],
    /// The offset of the word and block in a step.
    within: usize,
    /// Words of all lanes in one word of a row.
    word: usize,
    /// All ones in the lanes whose step heap is not empty.
    not_first: &'a [T; W],
    /// All ones in the lanes whose lane heap is not empty.
    not_edge: &'a [T; W],
}

impl<T, const W: usize> Place<'_, T, W> {
    #[inline(always)]
    fn addresses(&self, memory: Memory) -> Addresses {
        let step = self.step[memory as usize];
        Addresses {
            now: step.now + self.within,
            step_before: step.step_before + self.within,
            period_before: step.period_before + self.within,
        }
    }
}

/// The masks of some planes, on a board that shrinks.
#[derive(Clone, Copy)]
struct Allowed<'a, T> {
    masks: &'a [RowMask<T>],
    /// Whether this is not the first word of the rows.
    later: bool,
}

impl<T: Word> Allowed<'_, T> {
    #[inline(always)]
    fn bits(&self, plane: usize) -> T {
        let mask = self.masks[plane];
        if self.later { mask.later } else { mask.first }
    }
}

/// For some planes the OR of the plane at the positions with one token less in a heap
/// of its hyperedge other than the packed one. The plane is set to it, without the
/// P-positions of these rows, which are not known yet, and added to the marks.
// PERF: the planes of a run are read by one loop, with `marks` in registers.
#[inline(always)]
fn gather<
    T: Word,
    const W: usize,
    const MASKED: bool,
    const RING: bool,
    const READS: usize,
    const INNER: bool,
    const STEP: bool,
    const LANE: bool,
>(
    planes: &mut [PreparedPlane<'_, T>],
    place: &Place<'_, T, W>,
    allowed: Allowed<'_, T>,
    marks: &mut [T; W],
) {
    let mut all = *marks;
    let Addresses {
        now,
        step_before,
        period_before,
    } = place.addresses(const { Memory::of(RING, INNER) });
    for (number, plane) in planes.iter_mut().enumerate() {
        let mut gathered = [T::ZERO; W];
        if !RING {
            gathered = *lanes_at(plane.own, now);
        }
        for there in &plane.reads[..READS] {
            let there: &[T; W] = lanes_at(there, place.at);
            for lane in 0..W {
                gathered[lane] |= there[lane];
            }
        }
        if INNER {
            let there: &[T; W] = lanes_at(plane.own, period_before);
            for lane in 0..W {
                gathered[lane] |= there[lane];
            }
        }
        if STEP || LANE {
            if STEP {
                let there: &[T; W] = lanes_at(plane.own, step_before);
                for lane in 0..W {
                    gathered[lane] |= there[lane] & place.not_first[lane];
                }
            }
            if LANE {
                let there: &[T; W] = lanes_at(plane.own, step_before - 1);
                for lane in 0..W {
                    gathered[lane] |= there[lane] & place.not_edge[lane];
                }
            }
        }
        if MASKED {
            let allowed = allowed.bits(number);
            for lane in 0..W {
                all[lane] |= gathered[lane] & allowed;
            }
        } else {
            for lane in 0..W {
                all[lane] |= gathered[lane];
            }
        }
        // Otherwise it is the same.
        if RING || READS > 0 || INNER || STEP || LANE {
            *lanes_at_mut(plane.own, now) = gathered;
        }
    }
    *marks = all;
}

/// [`gather`] for planes of any code, with the carry of the packed heap if `carries`.
#[inline(always)]
fn gather_any<T: Word, const W: usize, const MASKED: bool>(
    planes: &mut [PreparedPlane<'_, T>],
    place: &Place<'_, T, W>,
    allowed: Allowed<'_, T>,
    carries: bool,
    marks: &mut [T; W],
) {
    for (number, plane) in planes.iter_mut().enumerate() {
        let Addresses {
            now,
            step_before,
            period_before,
        } = place.addresses(plane.memory);
        let mut gathered = [T::ZERO; W];
        let mut add = |there: &[T; W]| {
            for lane in 0..W {
                gathered[lane] |= there[lane];
            }
        };
        if plane.memory == Memory::Line {
            add(lanes_at(plane.own, now));
        }
        for there in plane.reads.iter().chain(&plane.more_reads) {
            if !there.is_empty() {
                add(lanes_at(there, place.at));
            }
        }
        if plane.inner {
            add(lanes_at(plane.own, period_before));
        }
        if plane.step {
            let there: &[T; W] = lanes_at(plane.own, step_before);
            add(&std::array::from_fn(|lane| {
                there[lane] & place.not_first[lane]
            }));
        }
        if plane.lane {
            let there: &[T; W] = lanes_at(plane.own, step_before - 1);
            add(&std::array::from_fn(|lane| {
                there[lane] & place.not_edge[lane]
            }));
        }
        if carries && plane.packed {
            let there: &[T; W] = lanes_at(plane.own, now - place.word);
            add(&there.map(T::carried));
        }
        for lane in 0..W {
            let bits = if MASKED {
                allowed.bits(number)
            } else {
                T::ONES
            };
            marks[lane] |= gathered[lane] & bits;
        }
        *lanes_at_mut(plane.own, now) = gathered;
    }
}
