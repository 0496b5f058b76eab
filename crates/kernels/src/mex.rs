//! The row-mex kernel: outcomes of games in which a move lowers the heaps of
//! one of a family of sets by any amounts, at least one token in all.
//!
//! Where the last heap may be lowered by itself from every position, a row
//! holds at most one P-position: the larger of two could be lowered to the
//! smaller. For each set S of the family a *plane* says of every position
//! whether it is P or reaches a P-position by lowering heaps of S alone. A
//! position is marked, and so not P, if some plane says so of an option of its
//! kind:
//!
//! - what S reaches from p, p itself left out, is the OR over the heaps i of S
//!   of the plane at p − e_i;
//! - along the row this is one word for all its positions but for what the row
//!   itself holds: its P-position is the lowest bit that no plane marks;
//! - the plane at p is what S reaches from p, with the P-position of the row,
//!   and all above it where S holds the last heap.
//!
//! Under misere play the end positions alone are judged otherwise, and the
//! argument stands: two P-positions of a row are still one move apart.
//!
//! A board that shrinks has a family of its own for each set of heaps that are
//! left. The planes of all these sets are kept; which of them mark a position
//! is looked up by the heaps that are left there, among which the last heap
//! counts from the row's second bit on.
//!
//! Grundy values come with a Nim heap beside the game, packed as the last: the
//! sum is P where that heap's size is the position's value, so a row's one
//! P-position tells the value of a position, and the planes are the sets of
//! values that its options of one kind have. Under misere play the end
//! positions get the value 1, the least that is not 0.
//!
//! Or they come one after another: the positions of value v are found as the
//! P-positions are, with all marked that have a smaller value. A row holds one
//! of each value at most, for the same reason. Which way is faster depends on
//! how many values there are.
//!
//! # Order
//!
//! The last heap is packed; the heap before it runs along the *lanes* of a
//! vector, lane j one step behind lane j − 1, so that what a row needs of the
//! row below it in the last three heaps was found a step before, in its own
//! lane (the *step* heap) or the one beside it. The heap before these, the
//! *inner* one, is a multiple of steps; all others are *outer* heaps, and the
//! rows between two changes of theirs are a *line*. A plane is kept for the
//! lines that can still be asked for: for none but this one where its set
//! holds no outer heap, and for those of the heaps within the outermost of its
//! heaps otherwise.
//!
//! Where the two outermost heaps are twins, such that the game stays the same
//! when they are exchanged, only the lines are swept in which the first is no
//! smaller than the second, and all others mirror these. A line in which both
//! have k tokens needs what the sets that hold the first reach from k − 1 and
//! k; that is what their mirrored sets reach from k and k − 1, a line before.
//!
//! (After Berlekamp, Conway and Guy's mex rule; of hypergraph
//! Nim: Boros, Gurvich, Ho, Makino and Mursic 2019.)

mod chosen;
mod levels;
mod line;
mod plan;
mod slabs;
#[cfg(test)]
mod tests;

use super::word::Word;
use super::{Layout, Sink};
use chosen::Chosen;
use nimrule_limits::{Limits, Met};
use plan::Plan;
use slabs::Slabs;

/// The sets of heaps that a move may lower, each as bits: heap i is bit i.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    pub sets: Vec<u64>,
    /// Where a board shrinks: for each set of heaps that are left, as bits, the
    /// numbers of the sets that may be chosen there.
    pub by_left: Option<Vec<Vec<usize>>>,
}

/// More heaps than this are never swept.
const MOST_HEAPS: usize = 64;

impl Family {
    /// Can these rules be swept row by row?
    pub fn fits(&self, heaps: usize) -> Result<(), String> {
        if heaps == 0 || heaps > MOST_HEAPS {
            return Err(format!(
                "it has room for 1 to {MOST_HEAPS} heaps, not {heaps}"
            ));
        }
        let last = 1_u64 << (heaps - 1);
        let alone = match &self.by_left {
            None => self.sets.iter().any(|set| set & last != 0),
            Some(by_left) => by_left.iter().enumerate().all(|(left, sets)| {
                left as u64 & last == 0 || sets.iter().any(|set| self.sets[*set] & last != 0)
            }),
        };
        if alone {
            Ok(())
        } else {
            Err("no move lowers the last heap by itself".to_owned())
        }
    }

    /// The same game with a Nim heap beside it, as the last of all heaps.
    pub fn with_nim_heap(&self, heaps: usize) -> Family {
        let mut sets = self.sets.clone();
        let nim = sets.len();
        sets.push(1 << heaps);
        let by_left = self.by_left.as_ref().map(|by_left| {
            let with = by_left.iter().map(|sets| [&sets[..], &[nim]].concat());
            by_left.iter().cloned().chain(with).collect()
        });
        Family { sets, by_left }
    }

    /// Does the game stay the same when these two heaps are exchanged?
    pub fn are_twins(&self, one: usize, other: usize) -> bool {
        let swap = |set: u64| swapped(set, one, other);
        let number = |set: u64| self.sets.iter().position(|known| *known == set);
        let Some(image): Option<Vec<usize>> =
            self.sets.iter().map(|set| number(swap(*set))).collect()
        else {
            return false;
        };
        self.by_left.as_ref().is_none_or(|by_left| {
            by_left.iter().enumerate().all(|(left, sets)| {
                let there = &by_left[swap(left as u64) as usize];
                sets.len() == there.len() && sets.iter().all(|set| there.contains(&image[*set]))
            })
        })
    }

    /// The heaps that some set holds.
    fn live(&self) -> u64 {
        self.sets.iter().fold(0, |live, set| live | set)
    }
}

/// A set of heaps with two of them exchanged.
fn swapped(set: u64, one: usize, other: usize) -> u64 {
    let differ = (set >> one ^ set >> other) & 1;
    set ^ (differ << one | differ << other)
}

/// How a sweep begins, and what it is to find.
#[derive(Debug, Clone, Copy, Default)]
pub struct Start<'a> {
    /// An end position is not P.
    pub misere: bool,
    /// Where an earlier sweep came to: the slabs done, and its state after
    /// them.
    pub from: Option<(u64, &'a [u8])>,
}

/// Bytes that a sweep of a box takes.
pub fn bytes(family: &Family, layout: &Layout) -> u128 {
    with_kernel(layout, &mut Bytes { family, layout })
}

/// Finds the P-positions of a box and hands them on, row by row.
pub fn sweep(
    family: &Family,
    layout: &Layout,
    start: Start<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
) -> Result<(), Met> {
    limits.within_memory(bytes(family, layout))?;
    with_kernel(
        layout,
        &mut Sweep {
            family,
            layout,
            start,
            limits,
            sink,
        },
    )
}

pub use levels::{bytes_of_levels, levels};

/// Something that is done with the kernel that suits a box.
trait With {
    type Output;
    fn with<T: Word, const W: usize>(&mut self) -> Self::Output;
}

/// Chooses the word and the number of lanes: words no wider than a row needs,
/// and no more lanes than rows that do not depend on each other.
fn with_kernel<F: With>(layout: &Layout, then: &mut F) -> F::Output {
    let heaps = layout.most.len();
    let last = layout.most[heaps - 1];
    let lanes = if heaps > 2 { layout.most[heaps - 2] } else { 0 };
    match (last, lanes) {
        (_, 0) => then.with::<u64, 1>(),
        (0..=31, 1..=15) => then.with::<u32, 16>(),
        (0..=31, _) => then.with::<u32, 32>(),
        (_, 1..=15) => then.with::<u64, 16>(),
        (_, _) => then.with::<u64, 32>(),
    }
}

struct Bytes<'a> {
    family: &'a Family,
    layout: &'a Layout,
}

impl With for Bytes<'_> {
    type Output = u128;

    fn with<T: Word, const W: usize>(&mut self) -> u128 {
        let plan = Plan::new::<T, W>(self.family, self.layout);
        plan.bytes_of_pages::<T, W>() + plan.bytes_of_a_thread::<T, W>(self.layout.words)
    }
}

struct Sweep<'a, 's> {
    family: &'a Family,
    layout: &'a Layout,
    start: Start<'a>,
    limits: &'a Limits,
    sink: &'s mut dyn Sink,
}

impl With for Sweep<'_, '_> {
    type Output = Result<(), Met>;

    fn with<T: Word, const W: usize>(&mut self) -> Result<(), Met> {
        let in_any_order = self.sink.in_any_order();
        let kernel = Kernel::<T, W>::new(self.family, self.layout, in_any_order);
        let mut slabs = Slabs::new(&kernel, self.layout, self.start.misere, 1);
        let from = match self.start.from {
            Some((done, state)) => {
                slabs.restore(state);
                done
            }
            None => 0,
        };
        slabs.run(from as usize, None, self.limits, self.sink)
    }
}

/// What the lines have in common.
struct Kernel<T, const W: usize> {
    plan: Plan,
    not_first: Vec<[T; W]>,
    /// By the outer heaps that are left; one for all where the board stays
    /// whole.
    chosen: Vec<Chosen<T>>,
    live: u64,
    /// Where the two outermost heaps are twins: the plane of the mirrored set,
    /// for each whose set holds the first of them.
    mirror: Option<Vec<(usize, usize)>>,
}

impl<T: Word, const W: usize> Kernel<T, W> {
    fn new(family: &Family, layout: &Layout, in_any_order: bool) -> Kernel<T, W> {
        let plan = Plan::new::<T, W>(family, layout);
        let mut not_first = Vec::new();
        for phase in 0..plan.period {
            for block in 0..plan.blocks {
                let mut lanes = [T::ONES; W];
                for (lane, word) in lanes.iter_mut().enumerate() {
                    if (block * W + lane) % plan.period == phase {
                        *word = T::ZERO;
                    }
                }
                not_first.push(lanes);
            }
        }
        let chosen = match &family.by_left {
            Some(by_left) => (0..1_usize << plan.outer.len())
                .map(|outer| Chosen::at(&plan, family, by_left, layout.most.len(), outer))
                .collect(),
            None => vec![Chosen::whole(plan.planes.len())],
        };
        Kernel {
            not_first,
            chosen,
            live: family.live(),
            mirror: mirror(family, layout, &plan).filter(|_| in_any_order),
            plan,
        }
    }

    /// The end positions of a line: each begins its row, and the heaps that
    /// some set holds are all empty.
    fn ends(&self, layout: &Layout, outer: &[usize]) -> Vec<(usize, usize)> {
        let heaps = layout.most.len();
        let plan = &self.plan;
        let is_live = |heap: usize| self.live >> heap & 1 == 1;
        if outer
            .iter()
            .enumerate()
            .any(|(role, size)| *size > 0 && is_live(role))
        {
            return Vec::new();
        }
        let mut ends = Vec::new();
        for cell in 0..plan.cells {
            for lane in 0..plan.lanes {
                let roles = [cell / plan.period, cell % plan.period, lane];
                let sizes: &[usize] = match heaps {
                    1 => &[],
                    2 => &roles[1..2],
                    3 => &roles[1..],
                    _ => &roles,
                };
                let shift = heaps - 1 - sizes.len();
                let lies_at_end = sizes
                    .iter()
                    .enumerate()
                    .all(|(place, size)| *size == 0 || !is_live(shift + place));
                if lies_at_end {
                    ends.push((cell, lane));
                }
            }
        }
        ends
    }
}

/// The plane of the mirrored set for each whose set holds the first heap, where
/// the two first are twins and outer heaps, of the same size.
fn mirror(family: &Family, layout: &Layout, plan: &Plan) -> Option<Vec<(usize, usize)>> {
    let fits = plan.outer.len() >= 2 && plan.before == 0 && layout.most[0] == layout.most[1];
    if !fits || !family.are_twins(0, 1) {
        return None;
    }
    let mut planes = Vec::new();
    for (set, plane) in family.sets.iter().zip(&plan.plane_of) {
        if set & 1 == 1 {
            let image = swapped(*set, 0, 1);
            let number = family.sets.iter().position(|known| *known == image)?;
            planes.push(((*plane)?, plan.plane_of[number]?));
        }
    }
    Some(planes)
}
