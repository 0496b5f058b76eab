//! The kernel of hypergraph Nim: a move chooses a hyperedge (a set of heaps)
//! and lowers its heaps by any amounts, at least one token in all.
//!
//! # Method
//!
//! The kernel requires that the last heap can be lowered alone from every
//! position. Then a row has at most one P-position, because the larger of two
//! could be lowered to the smaller. For each hyperedge S, the *plane* of S is
//! the set of positions that are P, or from which lowering heaps of S alone
//! leads to a P-position. The planes are computed with the outcomes:
//!
//! - The plane of S at p − e_i (position p with one token less in heap i), ORed
//!   over the heaps i of S, is set where a move in S leads from p to a P-position.
//! - For the heaps i other than the last this is one operation on the words of
//!   rows. The P-position of a row is its lowest bit that no hyperedge marks.
//! - The plane of S at p is this OR, with the P-position of the row, and with
//!   all bits above it if S contains the last heap.
//!
//! Under misere play a terminal position is N, and all other positions follow
//! the same rule. Two P-positions of a row are still one move apart.
//!
//! On a board that shrinks, the hyperedges that can be active depend on the set
//! of nonempty heaps. The kernel computes the planes of all hyperedges, and
//! masks those that cannot be active. The last heap is nonempty from the second
//! bit of a row on.
//!
//! # Grundy values
//!
//! There are two ways, and their speed depends on the number of values:
//!
//! - Add a Nim heap as the last heap. The sum is P exactly if this heap has as
//!   many tokens as the Grundy value of the rest, so the P-position of a row is
//!   the Grundy value of one position. Under misere play the terminal positions
//!   have the value 1.
//! - Find the positions of value 0, 1, 2, … one after another ([`levels`]): the
//!   positions of value v are found like P-positions, after all positions of
//!   smaller values are excluded. A row has at most one position of each value.
//!
//! # Order
//!
//! The last heap is packed in words, and each other heap has a role by its
//! place in the order:
//!
//! - The *lane* heap, before the last: lane j of a machine vector computes the
//!   row with j tokens in this heap. Lane j is one step behind lane j − 1.
//! - The *step* heap, before the lane heap: one step of the kernel advances it
//!   by one. So the rows with one token less in either heap were computed in
//!   the step before, in the same lane or in the neighbouring one.
//! - The *inner* heap, before the step heap: it advances every `period` steps.
//! - All others are *outer* heaps. The rows with the same outer heaps are a
//!   *line*.
//!
//! A plane keeps the lines that are still needed. Without outer heaps in its
//! hyperedge it keeps a part of the current line, as a ring buffer. Otherwise
//! it keeps one line for each combination of the heaps after the outermost heap
//! of its hyperedge.
//!
//! If the two outermost heaps are interchangeable (exchanging them is a
//! symmetry of the game), only the lines are computed whose first heap is at
//! least as large as the second; the others are copies. A line in which both
//! have k tokens needs the planes at (k − 1, k), which are those of the
//! mirrored hyperedges at (k, k − 1), the line before.
//!
//! Source of the mex rule: Berlekamp, Conway and Guy, *Winning Ways* (1982); of
//! hypergraph Nim: Boros, Gurvich, Ho, Makino and Mursic (2019).

mod active;
mod levels;
mod line;
mod plan;
mod slabs;

use super::columns::ColumnSizes;
use super::word::Word;
use super::{Layout, Sink, Start};
use active::ActivePlanes;
use nimrule_limits::{LimitExceeded, Limits};
use plan::Plan;
use slabs::Slabs;

/// The hyperedges of a game: the sets of heaps that a move may lower. Bit i of
/// a set is heap i.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HypergraphNim {
    /// All hyperedges.
    pub hyperedges: Vec<u64>,
    /// On a board that shrinks, the numbers of the hyperedges that can be
    /// active, by the set of nonempty heaps; `None` if all can be active
    /// everywhere.
    pub by_nonempty: Option<Vec<Vec<usize>>>,
}

/// The version of the kernel's [`SlabState`](super::SlabState): it is incremented
/// whenever the layout of the planes changes, for any game and box.
pub const STATE_VERSION: u32 = 1;

/// The most heaps that the kernel supports: the bits of a set.
const MOST_HEAPS: usize = 64;

impl HypergraphNim {
    /// Checks that the kernel supports this game.
    ///
    /// # Errors
    ///
    /// A message if there are too many heaps or none, or if the last heap
    /// cannot be lowered alone.
    pub fn fits(&self, heaps: usize) -> Result<(), String> {
        if heaps == 0 || heaps > MOST_HEAPS {
            return Err(format!(
                "1 to {MOST_HEAPS} heaps are supported, not {heaps}"
            ));
        }
        let last = 1_u64 << (heaps - 1);
        let alone = match &self.by_nonempty {
            None => self.hyperedges.iter().any(|set| set & last != 0),
            Some(by_nonempty) => by_nonempty.iter().enumerate().all(|(nonempty, sets)| {
                nonempty as u64 & last == 0
                    || sets.iter().any(|set| self.hyperedges[*set] & last != 0)
            }),
        };
        if alone {
            Ok(())
        } else {
            Err("no move lowers the last heap by itself".to_owned())
        }
    }

    /// The sum of this game and a Nim heap, which becomes the last heap.
    pub fn with_nim_heap(&self, heaps: usize) -> HypergraphNim {
        let mut sets = self.hyperedges.clone();
        let nim = sets.len();
        sets.push(1 << heaps);
        let by_nonempty = self.by_nonempty.as_ref().map(|by_nonempty| {
            let with = by_nonempty.iter().map(|sets| [&sets[..], &[nim]].concat());
            by_nonempty.iter().cloned().chain(with).collect()
        });
        HypergraphNim {
            hyperedges: sets,
            by_nonempty,
        }
    }

    /// Returns whether exchanging two heaps is a symmetry of the game.
    pub fn are_interchangeable(&self, one: usize, other: usize) -> bool {
        let swap = |set: u64| swapped(set, one, other);
        let number = |set: u64| self.hyperedges.iter().position(|known| *known == set);
        let Some(image): Option<Vec<usize>> = self
            .hyperedges
            .iter()
            .map(|set| number(swap(*set)))
            .collect()
        else {
            return false;
        };
        self.by_nonempty.as_ref().is_none_or(|by_nonempty| {
            by_nonempty.iter().enumerate().all(|(nonempty, sets)| {
                let there = &by_nonempty[swap(nonempty as u64) as usize];
                sets.len() == there.len() && sets.iter().all(|set| there.contains(&image[*set]))
            })
        })
    }

    /// The heaps that are in some hyperedge.
    fn live(&self) -> u64 {
        self.hyperedges.iter().fold(0, |live, set| live | set)
    }
}

/// A set of heaps with two of them exchanged.
fn swapped(set: u64, one: usize, other: usize) -> u64 {
    let differ = (set >> one ^ set >> other) & 1;
    set ^ (differ << one | differ << other)
}

/// The bytes of memory that a sweep of a box needs.
pub fn bytes(game: &HypergraphNim, layout: &Layout) -> u128 {
    run_with_kernel(layout, false, &mut Bytes { game, layout })
}

/// The sizes of the columns of a box; `None` if it has one strip only, as with fewer than four
/// heaps.
pub fn column_sizes(game: &HypergraphNim, layout: &Layout) -> Option<ColumnSizes> {
    let sizes = run_with_kernel(layout, true, &mut SizesOfColumns { game, layout });
    (sizes.strips > 1).then_some(sizes)
}

/// Computes the P-positions of a box or of a column of it, and passes the rows to a sink.
///
/// # Errors
///
/// If a limit is exceeded, and the errors of the sink and of the store of faces.
pub fn sweep(
    game: &HypergraphNim,
    layout: &Layout,
    start: Start<'_>,
    limits: &Limits,
    sink: &mut dyn Sink,
) -> Result<(), LimitExceeded> {
    let needed = match (&start.column, column_sizes(game, layout)) {
        (Some(column), Some(sizes)) => sizes.memory(column.strips.len(), 1),
        _ => bytes(game, layout),
    };
    limits.check_memory(needed)?;
    run_with_kernel(
        layout,
        start.column.is_some(),
        &mut Sweep {
            game,
            layout,
            start,
            limits,
            sink,
        },
    )
}

pub use levels::{LEVELS_PER_SWEEP, LevelSink, bytes_of_levels, levels};

/// A computation that is generic over the kernel's word and number of lanes.
trait KernelTask {
    type Output;
    fn run<T: Word, const W: usize>(&mut self) -> Self::Output;
}

/// Chooses the word and the number of lanes for a box: words no wider than a
/// row needs, and no more lanes than rows that do not depend on each other.
fn run_with_kernel<F: KernelTask>(layout: &Layout, is_divided: bool, then: &mut F) -> F::Output {
    let heaps = layout.most.len();
    let last = layout.most[heaps - 1];
    let (_, roles) = plan::roles(heaps, is_divided);
    let lanes = match roles {
        [.., 2, _] => layout.most[heaps - 2],
        _ => 0,
    };
    match (last, lanes) {
        (_, 0) => then.run::<u64, 1>(),
        (0..=31, 1..=15) => then.run::<u32, 16>(),
        (0..=31, _) => then.run::<u32, 32>(),
        // Few boxes have long rows and few of them: each word and number of lanes is a copy
        // of the kernel, which takes a tenth of the build.
        (_, _) => then.run::<u64, 32>(),
    }
}

struct Bytes<'a> {
    game: &'a HypergraphNim,
    layout: &'a Layout,
}

impl KernelTask for Bytes<'_> {
    type Output = u128;

    fn run<T: Word, const W: usize>(&mut self) -> u128 {
        let plan = Plan::new::<T, W>(self.game, self.layout, false);
        plan.strips() as u128 * plan.bytes_of_page::<T, W>()
            + plan.bytes_of_a_thread::<T, W>(self.layout.words)
    }
}

struct SizesOfColumns<'a> {
    game: &'a HypergraphNim,
    layout: &'a Layout,
}

impl KernelTask for SizesOfColumns<'_> {
    type Output = ColumnSizes;

    fn run<T: Word, const W: usize>(&mut self) -> ColumnSizes {
        let plan = Plan::new::<T, W>(self.game, self.layout, true);
        ColumnSizes {
            strips: plan.strips(),
            slabs: plan.slabs(),
            page: plan.bytes_of_page::<T, W>(),
            back: 0,
            thread: plan.bytes_of_a_thread::<T, W>(self.layout.words)
                + plan.bytes_of_halo::<T, W>(),
            most_threads: usize::MAX,
            face: plan.bytes_of_face::<T, W>(),
            is_mirrored: mirror(self.game, self.layout, &plan).is_some(),
        }
    }
}

struct Sweep<'a, 's> {
    game: &'a HypergraphNim,
    layout: &'a Layout,
    start: Start<'a>,
    limits: &'a Limits,
    sink: &'s mut dyn Sink,
}

impl KernelTask for Sweep<'_, '_> {
    type Output = Result<(), LimitExceeded>;

    fn run<T: Word, const W: usize>(&mut self) -> Result<(), LimitExceeded> {
        let accepts_any_order = self.sink.accepts_any_order();
        let (misere, column) = (self.start.misere, self.start.column.clone());
        let plan = Plan::new::<T, W>(self.game, self.layout, column.is_some());
        let kernel = Kernel::<T, W>::new(self.game, self.layout, plan, accepts_any_order);
        let mut slabs = Slabs::new(&kernel, self.layout, misere, 1, column);
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

/// The data of a kernel that is the same for all lines.
struct Kernel<T, const W: usize> {
    plan: Plan,
    /// By step modulo the period, and block: all ones in the lanes whose step
    /// heap is not empty.
    not_first: Vec<[T; W]>,
    /// `2 * W` words: all ones, then zeros.
    edges: Vec<T>,
    /// All ones in the lanes whose lane heap is not empty, in the first block of lanes
    /// and in the others.
    not_edge: [[T; W]; 2],
    /// Bit i in lane i.
    lane_bits: [T; W],
    /// By the set of nonempty outer heaps; one entry if the board does not
    /// shrink.
    active: Vec<ActivePlanes<T>>,
    /// The heaps that are in some hyperedge.
    live: u64,
    /// If the two outermost heaps are interchangeable: each plane whose
    /// hyperedge contains the first of them, with the plane of the mirrored
    /// hyperedge.
    mirror: Option<Vec<(usize, usize)>>,
}

impl<T: Word, const W: usize> Kernel<T, W> {
    fn new(
        game: &HypergraphNim,
        layout: &Layout,
        plan: Plan,
        accepts_any_order: bool,
    ) -> Kernel<T, W> {
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
        let active = match &game.by_nonempty {
            Some(by_nonempty) => (0..1_usize << plan.outer.len())
                .map(|outer| ActivePlanes::at(&plan, game, by_nonempty, layout.most.len(), outer))
                .collect(),
            None => vec![ActivePlanes::whole(&plan)],
        };
        let mut not_edge = [[T::ONES; W]; 2];
        not_edge[0][0] = T::ZERO;
        Kernel {
            not_first,
            not_edge,
            lane_bits: std::array::from_fn(|lane| T::ONE << lane as u32),
            edges: [[T::ONES; W], [T::ZERO; W]].concat(),
            active,
            live: game.live(),
            mirror: mirror(game, layout, &plan).filter(|_| accepts_any_order),
            plan,
        }
    }

    /// The rows of a line that begin with a terminal position, as cell and
    /// lane: all heaps in hyperedges are empty.
    fn terminals(&self, outer: &[usize]) -> Vec<(usize, usize)> {
        let plan = &self.plan;
        let is_live = |heap: usize| self.live >> heap & 1 == 1;
        if outer
            .iter()
            .enumerate()
            .any(|(role, size)| *size > 0 && is_live(role))
        {
            return Vec::new();
        }
        let mut terminals = Vec::new();
        for cell in 0..plan.cells {
            for lane in 0..plan.lanes {
                let sizes = [cell / plan.period, cell % plan.period, lane];
                let mut sizes = plan.heaps_of_roles.iter().zip(sizes);
                // A role without a heap has the size 0.
                let lies_at_end = sizes.all(|(heap, size)| size == 0 || !heap.is_some_and(is_live));
                if lies_at_end {
                    terminals.push((cell, lane));
                }
            }
        }
        terminals
    }
}

/// The planes and their mirrored planes, as in [`Kernel::mirror`]; `None`
/// unless the first two heaps are interchangeable outer heaps of the same size.
fn mirror(game: &HypergraphNim, layout: &Layout, plan: &Plan) -> Option<Vec<(usize, usize)>> {
    let fits = plan.outer.len() >= 2 && layout.most[0] == layout.most[1];
    if !fits || !game.are_interchangeable(0, 1) {
        return None;
    }
    let mut planes = Vec::new();
    for (set, plane) in game.hyperedges.iter().zip(&plan.plane_of) {
        if set & 1 == 1 {
            let image = swapped(*set, 0, 1);
            let number = game.hyperedges.iter().position(|known| *known == image)?;
            planes.push(((*plane)?, plan.plane_of[number]?));
        }
    }
    Some(planes)
}
