//! Grundy values by level: one sweep for each value, until a sweep finds no
//! position.
//!
//! The values are stored bit-sliced: plane b holds bit b of the values of all
//! positions, in the kernel's order. They are decoded at the end. All positions
//! without a value yet share the current value, in Gray code: the next value
//! differs in one bit, so a sweep changes one plane. The values that occur have
//! no gap, because a position of value v has options of all smaller values.

use super::super::Rows;
use super::super::word::Word;
use super::line::Level;
use super::plan::Plan;
use super::slabs::Slabs;
use super::{
    HypergraphNim, Kernel, KernelTask, Layout, LimitExceeded, Limits, Sink, bytes, run_with_kernel,
};

/// The number of values that are searched together, line by line: the data of
/// a line is then in the cache for all of them.
pub const LEVELS_PER_SWEEP: usize = 4;

/// The number of binary digits of a number.
fn bits(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()) as usize
}

/// Takes the values of consecutive rows, and the number of the first of them.
pub trait LevelSink {
    /// The place of these values, if it is one piece: they are decoded there, and not
    /// copied.
    fn place(&mut self, _first: usize, _len: usize) -> Option<&mut [u32]> {
        None
    }

    /// Takes the values that have no such place.
    fn take(&mut self, first: usize, values: &[u32]);
}

/// The bytes of memory that [`levels`] needs for values up to `largest`.
pub fn bytes_of_levels(game: &HypergraphNim, layout: &Layout, largest: u64) -> u128 {
    // The last sweeps may search larger values.
    let planes = bits(largest + LEVELS_PER_SWEEP as u64) as u128 + 1;
    let plane = run_with_kernel(layout, false, &mut OnePlane { game, layout });
    let sweeps = bytes(game, layout).saturating_mul(LEVELS_PER_SWEEP as u128);
    sweeps.saturating_add(planes * plane)
}

/// Computes the Grundy values of a box, which are at most `largest`.
///
/// `done` takes the number of values searched so far. `sink` takes the values of all
/// rows, at the end and in any order. Under misere play the terminal
/// positions have the value 1.
///
/// # Errors
///
/// If a limit is exceeded.
pub fn levels(
    game: &HypergraphNim,
    layout: &Layout,
    misere: bool,
    largest: u64,
    limits: &Limits,
    done: &mut dyn FnMut(u64),
    sink: &mut dyn LevelSink,
) -> Result<(), LimitExceeded> {
    limits.check_memory(bytes_of_levels(game, layout, largest))?;
    let mut all = LevelByLevel {
        game,
        layout,
        misere,
        limits,
        done,
        sink,
    };
    run_with_kernel(layout, false, &mut all)
}

/// The values found so far in a box.
pub(super) struct Levels<T, const W: usize> {
    /// Arrays of a line.
    line: usize,
    /// The first of the values searched now.
    value: u64,
    slabs: Vec<LevelsOfSlab<T, W>>,
    /// By thread: whether some position has the last of these values.
    any: Vec<bool>,
}

/// The values found so far in a slab.
struct LevelsOfSlab<T, const W: usize> {
    /// The positions that have a value.
    assigned: Vec<[T; W]>,
    /// The planes of the Gray code, the lowest bit first.
    bits: Vec<Vec<[T; W]>>,
}

/// The values found so far in the slabs of one thread, in its order.
pub(super) struct LevelsOfThread<'l, T, const W: usize> {
    line: usize,
    /// The first of the values searched now.
    value: u64,
    slabs: Vec<&'l mut LevelsOfSlab<T, W>>,
    any: &'l mut bool,
}

impl<T: Word, const W: usize> LevelsOfThread<'_, T, W> {
    /// The least size of the inner heap at which a sweep can find its value, in
    /// the line with these outer heaps; `None` if it cannot in this line.
    ///
    /// Bound: every move takes at least one token, so the value of a position
    /// is at most its number of tokens, or at most one more under misere play.
    pub fn least_inner(&self, plan: &Plan, outer: &[usize], sweep: usize) -> Option<usize> {
        let tokens = outer.iter().sum::<usize>() as u64 + plan.tokens_after_inner;
        let value = self.value + sweep as u64;
        let least = value.saturating_sub(1).saturating_sub(tokens);
        let least = usize::try_from(least).ok()?;
        (least * plan.period < plan.cells).then_some(least)
    }

    /// The line of that number in a slab, for one of the sweeps.
    pub fn line(&mut self, slab: usize, number: usize, sweep: usize) -> Level<'_, T, W> {
        let value = self.value + sweep as u64;
        let within = number * self.line..(number + 1) * self.line;
        let slab = &mut self.slabs[slab];
        Level {
            assigned: &mut slab.assigned[within.clone()],
            changing: slab
                .bits
                // The bit of the Gray code that changes.
                .get_mut(value.trailing_zeros() as usize)
                .map(|plane| &mut plane[within]),
            any: (sweep + 1 == LEVELS_PER_SWEEP).then_some(&mut *self.any),
        }
    }
}

impl<T: Word, const W: usize> Levels<T, W> {
    fn new(plan: &Plan) -> Levels<T, W> {
        let line = plan.steps * plan.arrays;
        let arrays = plan.lines() / plan.slabs() * line;
        let slab = |_| LevelsOfSlab {
            assigned: vec![[T::ZERO; W]; arrays],
            bits: vec![vec![[T::ZERO; W]; arrays]; bits(LEVELS_PER_SWEEP as u64 - 1)],
        };
        Levels {
            line,
            value: 0,
            slabs: (0..plan.slabs()).map(slab).collect(),
            any: Vec::new(),
        }
    }

    /// Distributes the slabs to threads: thread t of n has the slabs t, t + n,
    /// t + 2n, ….
    pub fn parts(&mut self, threads: usize) -> Vec<LevelsOfThread<'_, T, W>> {
        self.any.resize(threads, false);
        let mut parts: Vec<LevelsOfThread<'_, T, W>> = self
            .any
            .iter_mut()
            .map(|any| LevelsOfThread {
                line: self.line,
                value: self.value,
                slabs: Vec::new(),
                any,
            })
            .collect();
        for (number, slab) in self.slabs.iter_mut().enumerate() {
            parts[number % threads].slabs.push(slab);
        }
        parts
    }

    /// Advances to the next values; returns whether they can occur.
    fn next(&mut self) -> bool {
        self.value += LEVELS_PER_SWEEP as u64;
        let bits = bits(self.value + LEVELS_PER_SWEEP as u64 - 1);
        for slab in &mut self.slabs {
            let arrays = slab.assigned.len();
            slab.bits
                .resize_with(bits.max(slab.bits.len()), || vec![[T::ZERO; W]; arrays]);
        }
        self.any.drain(..).any(|any| any)
    }
}

struct OnePlane<'a> {
    game: &'a HypergraphNim,
    layout: &'a Layout,
}

impl KernelTask for OnePlane<'_> {
    type Output = u128;

    fn run<T: Word, const W: usize>(&mut self) -> u128 {
        let plan = Plan::new::<T, W>(self.game, self.layout, false);
        plan.lines() as u128 * (plan.steps * plan.arrays * W * T::BITS as usize / 8) as u128
    }
}

struct LevelByLevel<'a, 's> {
    game: &'a HypergraphNim,
    layout: &'a Layout,
    misere: bool,
    limits: &'a Limits,
    done: &'s mut dyn FnMut(u64),
    sink: &'s mut dyn LevelSink,
}

/// A sink that ignores all rows: [`Levels`] stores what a sweep finds.
struct NullSink;

impl Sink for NullSink {
    fn rows(&mut self, _layout: &Layout, _rows: Rows<'_>) -> Result<(), LimitExceeded> {
        Ok(())
    }

    fn accepts_any_order(&self) -> bool {
        true
    }

    fn can_split(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        let part = |_| Box::new(NullSink) as Box<dyn Sink + Send>;
        (0..count).map(part).collect()
    }
}

impl KernelTask for LevelByLevel<'_, '_> {
    type Output = Result<(), LimitExceeded>;

    fn run<T: Word, const W: usize>(&mut self) -> Result<(), LimitExceeded> {
        let plan = Plan::new::<T, W>(self.game, self.layout, false);
        let kernel = Kernel::<T, W>::new(self.game, self.layout, plan, true);
        // Under misere play a terminal position is excluded from value 0 only:
        // it has no options, so the sweep for value 1 finds it.
        let mut slabs = Slabs::new(&kernel, self.layout, self.misere, LEVELS_PER_SWEEP, None);
        let mut levels = Levels::new(&kernel.plan);
        loop {
            // The sweeps skip a part of the box from here on: its pages must
            // not hold bits of earlier values.
            if levels.value + LEVELS_PER_SWEEP as u64 > kernel.plan.tokens_after_inner {
                slabs.clear();
            }
            slabs.run(0, Some(&mut levels), self.limits, &mut NullSink)?;
            slabs.misere = false;
            let may_be_more = levels.next();
            (self.done)(levels.value);
            if !may_be_more {
                break;
            }
        }
        self.decode(&kernel, &levels);
        Ok(())
    }
}

impl LevelByLevel<'_, '_> {
    fn decode<T: Word, const W: usize>(&mut self, kernel: &Kernel<T, W>, levels: &Levels<T, W>) {
        let plan = &kernel.plan;
        let width = self.layout.most[self.layout.most.len() - 1] as usize + 1;
        let rows = plan.cells * plan.lanes;
        let mut copied = Vec::new();
        let lines_a_slab = plan.lines() / plan.slabs();
        for line in 0..plan.lines() {
            let slab = &levels.slabs[line / lines_a_slab];
            let first = line % lines_a_slab * levels.line;
            let behind: usize = plan.outer.iter().skip(2).map(|most| most + 1).product();
            let mut mirrored = None;
            if kernel.mirror.is_some() {
                let side = plan.outer[1] + 1;
                let (one, other) = (line / behind / side, line / behind % side);
                if one < other {
                    continue;
                }
                if one != other {
                    mirrored = Some((other * side + one) * behind + line % behind);
                }
            }
            let decode = |values: &mut [u32]| {
                pulp::Arch::new().dispatch(DecodeLine {
                    plan,
                    bits: &slab.bits,
                    first,
                    width,
                    values,
                });
            };
            for line in std::iter::once(line).chain(mirrored) {
                if let Some(values) = self.sink.place(line * rows, rows * width) {
                    decode(values);
                } else {
                    copied.resize(rows * width, 0);
                    decode(&mut copied);
                    self.sink.take(line * rows, &copied);
                }
            }
        }
    }
}

/// Decodes the values of a line from their Gray code.
struct DecodeLine<'a, T, const W: usize> {
    plan: &'a Plan,
    /// The planes of the Gray code, the lowest bit first.
    bits: &'a [Vec<[T; W]>],
    /// The start of the line in the planes.
    first: usize,
    /// Positions of a row.
    width: usize,
    values: &'a mut [u32],
}

// PERF: a closure would not be compiled with the machine's vector instructions.
impl<T: Word, const W: usize> pulp::NullaryFnOnce for DecodeLine<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut planes = Vec::with_capacity(self.bits.len());
        for (row, values) in self.values.chunks_exact_mut(self.width).enumerate() {
            let (cell, lane) = (row / self.plan.lanes, row % self.plan.lanes);
            for (word, values) in values.chunks_mut(T::BITS as usize).enumerate() {
                let at = (cell + lane) * self.plan.arrays + word * self.plan.blocks + lane / W;
                planes.clear();
                let mut above = 0;
                for bits in self.bits.iter().rev() {
                    above ^= bits[self.first + at][lane % W].to_u64();
                    planes.push(above);
                }
                transpose(&planes, values);
            }
        }
    }
}

/// Transposes bit planes, the highest first, into values.
#[inline(always)]
fn transpose(planes: &[u64], values: &mut [u32]) {
    values.fill(0);
    for (bit, plane) in planes.iter().rev().enumerate() {
        // PERF: halves of words, so that eight values fit a vector.
        for (half, values) in values.chunks_mut(32).enumerate() {
            let plane = (plane >> (32 * half)) as u32;
            for (place, value) in values.iter_mut().enumerate() {
                *value |= (plane >> place & 1) << bit;
            }
        }
    }
}
