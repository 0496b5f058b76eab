//! Values one after another: a sweep for each, until one finds nothing.
//!
//! The values are kept in the kernel's own order, a bit to a plane, so that a
//! sweep changes whole vectors of them; they are put together at the end. All
//! positions without a value share one counter, which is kept in Gray's code:
//! from one value to the next it changes in a single bit, and so a sweep in a
//! single plane. No value is left out: an option of a larger one would have it.

use super::super::Rows;
use super::super::word::Word;
use super::line::Level;
use super::plan::Plan;
use super::slabs::Slabs;
use super::{Family, Kernel, Layout, Limits, Met, Sink, With, bytes, with_kernel};

/// So many values are looked for together, line by line: what is known of a
/// line is read and written once for all of them while it is at hand.
pub(super) const TOGETHER: usize = 4;

/// Bits of a number.
fn bits(number: u64) -> usize {
    (u64::BITS - number.leading_zeros()) as usize
}

/// Takes the values of rows that stand one behind the other, the first of which
/// has this number.
pub type Valued<'s> = dyn FnMut(usize, &[u32]) + 's;

/// Bytes that it takes to find values up to the largest one after another.
pub fn bytes_of_levels(family: &Family, layout: &Layout, largest: u64) -> u128 {
    // The last sweeps may look for values that are larger.
    let planes = bits(largest + TOGETHER as u64) as u128 + 1;
    let plane = with_kernel(layout, &mut OnePlane { family, layout });
    let sweeps = bytes(family, layout).saturating_mul(TOGETHER as u128);
    sweeps.saturating_add(planes * plane)
}

/// Finds the Grundy values of a box, which are at most so large; `done` is told
/// how many values have been looked for.
pub fn levels(
    family: &Family,
    layout: &Layout,
    misere: bool,
    largest: u64,
    limits: &Limits,
    done: &mut dyn FnMut(u64),
    valued: &mut Valued<'_>,
) -> Result<(), Met> {
    limits.within_memory(bytes_of_levels(family, layout, largest))?;
    let mut all = LevelByLevel {
        family,
        layout,
        misere,
        limits,
        done,
        valued,
    };
    with_kernel(layout, &mut all)
}

/// What has been found of all lines.
pub(super) struct Levels<T, const W: usize> {
    /// Arrays of a line.
    line: usize,
    /// The first of the values that are looked for.
    value: u64,
    slabs: Vec<LevelsOfSlab<T, W>>,
    /// Has any position the last of these values? By thread.
    any: Vec<bool>,
}

/// What has been found of a slab.
struct LevelsOfSlab<T, const W: usize> {
    taken: Vec<[T; W]>,
    /// Of Gray's code, the lowest first.
    bits: Vec<Vec<[T; W]>>,
}

/// The slabs of one thread, in its order.
pub(super) struct LevelsOfThread<'l, T, const W: usize> {
    line: usize,
    /// The first of the values that are looked for.
    value: u64,
    slabs: Vec<&'l mut LevelsOfSlab<T, W>>,
    any: &'l mut bool,
}

impl<T: Word, const W: usize> LevelsOfThread<'_, T, W> {
    /// The least size of the inner heap at which a sweep may find its value
    /// where the outer heaps have this size; `None` if it is found nowhere
    /// there.
    ///
    /// A move takes a token at least, so that no value is larger than the
    /// tokens of its position, or than 1 at an end under misere play.
    pub fn least_inner(&self, plan: &Plan, outer: &[usize], sweep: usize) -> Option<usize> {
        let tokens = outer.iter().sum::<usize>() as u64 + plan.beyond_inner;
        let value = self.value + sweep as u64;
        let least = value.saturating_sub(1).saturating_sub(tokens);
        let least = usize::try_from(least).ok()?;
        (least * plan.period < plan.cells).then_some(least)
    }

    /// A line by its number in a slab, for one of the sweeps.
    pub fn line(&mut self, slab: usize, number: usize, sweep: usize) -> Level<'_, T, W> {
        let value = self.value + sweep as u64;
        let within = number * self.line..(number + 1) * self.line;
        let slab = &mut self.slabs[slab];
        Level {
            taken: &mut slab.taken[within.clone()],
            changing: slab
                .bits
                // The bit of Gray's code that changes.
                .get_mut(value.trailing_zeros() as usize)
                .map(|plane| &mut plane[within]),
            any: (sweep + 1 == TOGETHER).then_some(&mut *self.any),
        }
    }
}

impl<T: Word, const W: usize> Levels<T, W> {
    fn new(plan: &Plan) -> Levels<T, W> {
        let line = plan.steps * plan.arrays;
        let arrays = plan.lines() / plan.slabs() * line;
        let slab = |_| LevelsOfSlab {
            taken: vec![[T::ZERO; W]; arrays],
            bits: vec![vec![[T::ZERO; W]; arrays]; bits(TOGETHER as u64 - 1)],
        };
        Levels {
            line,
            value: 0,
            slabs: (0..plan.slabs()).map(slab).collect(),
            any: Vec::new(),
        }
    }

    /// Every so many-th slab for each thread.
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

    /// Goes on to the next values, if there may be any.
    fn next(&mut self) -> bool {
        self.value += TOGETHER as u64;
        let bits = bits(self.value + TOGETHER as u64 - 1);
        for slab in &mut self.slabs {
            let arrays = slab.taken.len();
            slab.bits
                .resize_with(bits.max(slab.bits.len()), || vec![[T::ZERO; W]; arrays]);
        }
        self.any.drain(..).any(|any| any)
    }
}

struct OnePlane<'a> {
    family: &'a Family,
    layout: &'a Layout,
}

impl With for OnePlane<'_> {
    type Output = u128;

    fn with<T: Word, const W: usize>(&mut self) -> u128 {
        let plan = Plan::new::<T, W>(self.family, self.layout);
        plan.lines() as u128 * (plan.steps * plan.arrays * W * T::BITS / 8) as u128
    }
}

struct LevelByLevel<'a, 's> {
    family: &'a Family,
    layout: &'a Layout,
    misere: bool,
    limits: &'a Limits,
    done: &'s mut dyn FnMut(u64),
    valued: &'s mut Valued<'s>,
}

/// The rows of a level are kept where they are found.
struct Kept;

impl Sink for Kept {
    fn rows(&mut self, _layout: &Layout, _rows: Rows<'_>) -> Result<(), Met> {
        Ok(())
    }

    fn in_any_order(&self) -> bool {
        true
    }

    fn has_parts(&self) -> bool {
        true
    }

    fn parts(&mut self, count: usize) -> Vec<Box<dyn Sink + Send + '_>> {
        let part = |_| Box::new(Kept) as Box<dyn Sink + Send>;
        (0..count).map(part).collect()
    }
}

impl With for LevelByLevel<'_, '_> {
    type Output = Result<(), Met>;

    fn with<T: Word, const W: usize>(&mut self) -> Result<(), Met> {
        let kernel = Kernel::<T, W>::new(self.family, self.layout, true);
        // Under misere play an end position is the first of value 1, for no
        // option stands in its way; so there is nothing between 0 and 1.
        let mut slabs = Slabs::new(&kernel, self.layout, self.misere, TOGETHER);
        let mut levels = Levels::new(&kernel.plan);
        loop {
            // Where a part of the box is left out, nothing must stand there of
            // the values before.
            if levels.value + TOGETHER as u64 > kernel.plan.beyond_inner {
                slabs.clear();
            }
            slabs.run(0, Some(&mut levels), self.limits, &mut Kept)?;
            slabs.misere = false;
            let may_be_more = levels.next();
            (self.done)(levels.value);
            if !may_be_more {
                break;
            }
        }
        self.put_together(&kernel, &levels);
        Ok(())
    }
}

impl LevelByLevel<'_, '_> {
    fn put_together<T: Word, const W: usize>(
        &mut self,
        kernel: &Kernel<T, W>,
        levels: &Levels<T, W>,
    ) {
        let plan = &kernel.plan;
        let width = self.layout.most[self.layout.most.len() - 1] as usize + 1;
        let rows = plan.cells * plan.lanes;
        let mut values = vec![0; rows * width];
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
            pulp::Arch::new().dispatch(Together {
                plan,
                bits: &slab.bits,
                first,
                width,
                values: &mut values,
            });
            (self.valued)(line * rows, &values);
            if let Some(mirrored) = mirrored {
                (self.valued)(mirrored * rows, &values);
            }
        }
    }
}

/// The values of a line, put together from their bits.
struct Together<'a, T, const W: usize> {
    plan: &'a Plan,
    /// Of Gray's code, the lowest first.
    bits: &'a [Vec<[T; W]>],
    /// Where the line begins in these.
    first: usize,
    /// Positions of a row.
    width: usize,
    values: &'a mut [u32],
}

// PERF: a closure would not be compiled for the vectors of the machine.
impl<T: Word, const W: usize> pulp::NullaryFnOnce for Together<'_, T, W> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let mut planes = Vec::with_capacity(self.bits.len());
        for (row, values) in self.values.chunks_exact_mut(self.width).enumerate() {
            let (cell, lane) = (row / self.plan.lanes, row % self.plan.lanes);
            for (word, values) in values.chunks_mut(T::BITS).enumerate() {
                let at = (cell + lane) * self.plan.arrays + word * self.plan.blocks + lane / W;
                planes.clear();
                let mut above = 0;
                for bits in self.bits.iter().rev() {
                    above ^= bits[self.first + at][lane % W].to_u64();
                    planes.push(above);
                }
                of_planes(&planes, values);
            }
        }
    }
}

/// Puts values together from their bits, the highest first.
#[inline(always)]
fn of_planes(planes: &[u64], values: &mut [u32]) {
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
