//! How a box is gone through, and what is kept of it on the way.

use super::super::Layout;
use super::super::word::Word;
use super::Family;
use super::line::Ready;
use smallvec::SmallVec;

/// The heaps that every plan has: inner, step, lane and packed.
const ROLES: usize = 4;

/// What a plane is kept for.
#[derive(Debug)]
pub(super) struct Plane {
    /// Its arrays of lanes in memory: in a page, or in all.
    pub arrays: u128,
    /// A ring that holds the last steps, or whole lines.
    pub is_ring: bool,
    /// The outermost of its heaps, if that is an outer one.
    pub outermost: Option<usize>,
    /// Its heaps among the outer ones.
    pub outer: Vec<usize>,
    pub inner: bool,
    pub step: bool,
    pub lane: bool,
    pub packed: bool,
}

impl Plane {
    /// Is it handed on from slab to slab, page by page?
    pub fn is_paged(&self) -> bool {
        self.outermost == Some(0)
    }
}

/// How a box is gone through.
#[derive(Debug)]
pub(super) struct Plan {
    /// Heaps of size 0 that stand before the box's own, so that each role has
    /// its heap.
    pub before: usize,
    /// The sizes of the outer heaps.
    pub outer: Vec<usize>,
    /// Steps between two sizes of the inner heap.
    pub period: usize,
    /// The most tokens of the heaps that are neither outer nor inner.
    pub beyond_inner: u64,
    /// Rows of a lane in a line.
    pub cells: usize,
    pub lanes: usize,
    /// Arrays of lanes in a step and word.
    pub blocks: usize,
    /// Arrays in a step.
    pub arrays: usize,
    pub steps: usize,
    pub planes: Vec<Plane>,
    /// Which plane has a set, if any.
    pub plane_of: Vec<Option<usize>>,
}

impl Plan {
    pub fn new<T: Word, const W: usize>(family: &Family, layout: &Layout) -> Plan {
        let heaps = layout.most.len();
        // A box of two heaps has no lanes: its second row needs the first.
        let roles = match heaps {
            1 => vec![0, 0, 0, layout.most[0]],
            2 => vec![0, layout.most[0], 0, layout.most[1]],
            _ => {
                let mut sizes = vec![0; ROLES.saturating_sub(heaps)];
                sizes.extend(&layout.most);
                sizes
            }
        };
        let sizes: Vec<usize> = roles.iter().map(|size| *size as usize).collect();
        // The role of each heap, as a place in `sizes`.
        let place = |heap: usize| match heaps {
            2 => 1 + 2 * heap,
            _ => heap + sizes.len() - heaps,
        };
        let all = sizes.len();
        let outer: Vec<usize> = sizes[..all - ROLES].to_vec();
        let period = sizes[all - 3] + 1;
        let cells = (sizes[all - 4] + 1) * period;
        let lanes = sizes[all - 2] + 1;
        let blocks = lanes.div_ceil(W);
        // A row is cut into the kernel's words, which are as many as the
        // layout's.
        debug_assert!(T::BITS == 64 || layout.words == 1);
        let arrays = layout.words * blocks;
        let steps = cells + lanes - 1;
        let mut planes = Vec::new();
        let mut plane_of = Vec::new();
        for set in &family.sets {
            let holds =
                |role: usize| (0..heaps).any(|heap| place(heap) == role && set >> heap & 1 == 1);
            let within: Vec<usize> = (0..all - 1).filter(|role| holds(*role)).collect();
            let packed = holds(all - 1);
            // Within a row of one word the lowest bit alone tells it.
            if within.is_empty() && (layout.words == 1 || !packed) {
                plane_of.push(None);
                continue;
            }
            let outermost = within.first().copied().filter(|role| *role < outer.len());
            let lines: u128 = match outermost {
                Some(outermost) => outer[within_page(outermost).min(outer.len())..]
                    .iter()
                    .map(|size| *size as u128 + 1)
                    .product(),
                None => 1,
            };
            let inner = holds(all - 4);
            let is_ring = outermost.is_none();
            let arrays = if is_ring {
                let back = if inner { period } else { 1 };
                ((back + 1) * arrays).next_power_of_two() as u128
            } else {
                lines * ((period + steps) * arrays) as u128
            };
            plane_of.push(Some(planes.len()));
            planes.push(Plane {
                arrays,
                is_ring,
                outermost,
                outer: within
                    .iter()
                    .copied()
                    .filter(|role| *role < outer.len())
                    .collect(),
                inner,
                step: holds(all - 3),
                lane: holds(all - 2),
                packed,
            });
        }
        Plan {
            before: sizes.len().saturating_sub(heaps),
            outer,
            period,
            beyond_inner: sizes[all - 3..].iter().map(|size| *size as u64).sum(),
            cells,
            lanes,
            blocks,
            arrays,
            steps,
            planes,
            plane_of,
        }
    }

    /// How many lines there are.
    pub fn lines(&self) -> usize {
        self.outer.iter().map(|most| most + 1).product()
    }

    /// How many slabs: sizes of the outermost of the outer heaps.
    pub fn slabs(&self) -> usize {
        self.outer.first().map_or(1, |most| most + 1)
    }

    /// How many strips a slab has: sizes of the second outer heap.
    pub fn strips(&self) -> usize {
        self.outer.get(1).map_or(1, |most| most + 1)
    }

    /// The number of a line, in lexicographic order.
    pub fn number(&self, outer: &[usize]) -> usize {
        let sizes = outer.iter().zip(&self.outer);
        sizes.fold(0, |number, (size, most)| number * (most + 1) + size)
    }

    /// Steps to the next line of a strip; false at its end.
    pub fn next_in_strip(&self, outer: &mut [usize]) -> bool {
        for (size, most) in outer.iter_mut().zip(&self.outer).skip(2).rev() {
            if *size < *most {
                *size += 1;
                return true;
            }
            *size = 0;
        }
        false
    }

    /// Bytes of what goes from slab to slab.
    pub fn bytes_of_pages<T: Word, const W: usize>(&self) -> u128 {
        let paged = self.planes.iter().filter(|plane| plane.is_paged());
        let arrays: u128 = paged.map(|plane| plane.arrays).sum();
        arrays * self.strips() as u128 * (W * T::BITS / 8) as u128
    }

    /// Bytes of what each thread has for itself, where rows are so long.
    pub fn bytes_of_a_thread<T: Word, const W: usize>(&self, words: usize) -> u128 {
        let own = self.planes.iter().filter(|plane| !plane.is_paged());
        let arrays: u128 = own.map(|plane| plane.arrays).sum();
        let rows = self.cells * self.lanes * words;
        arrays * (W * T::BITS / 8) as u128 + 8 * rows as u128
    }

    /// Where a plane's line begins in its memory or page, in arrays.
    pub fn line(&self, plane: &Plane, outer: &[usize]) -> usize {
        let Some(outermost) = plane.outermost else {
            return 0;
        };
        let within = within_page(outermost)..self.outer.len();
        let number = within.fold(0, |number, role| {
            number * (self.outer[role] + 1) + outer[role]
        });
        // Before each line stand the zeros that its first steps read.
        (number * (self.period + self.steps) + self.period) * self.arrays
    }

    /// Makes some planes ready for the line of these outer heaps.
    pub fn ready(&self, outer: &mut [usize], planes: &[usize]) -> Vec<Ready> {
        let ready = planes.iter().map(|memory| {
            let (memory, plane) = (*memory, &self.planes[*memory]);
            let own = self.line(plane, outer);
            let mut reads = SmallVec::new();
            let mut before = None;
            for role in &plane.outer {
                if outer[*role] == 0 {
                    continue;
                }
                outer[*role] -= 1;
                let line = self.line(plane, outer);
                outer[*role] += 1;
                if plane.is_paged() && *role == 1 {
                    before = Some(line);
                } else {
                    reads.push(line);
                }
            }
            if plane.inner {
                reads.push(own.wrapping_sub(self.period * self.arrays));
            }
            Ready {
                memory,
                own,
                mask: if plane.is_ring {
                    plane.arrays as usize - 1
                } else {
                    usize::MAX
                },
                reads,
                before,
                step: plane.step,
                lane: plane.lane,
                packed: plane.packed,
            }
        });
        ready.collect()
    }
}

/// The first heap that tells the lines of a plane apart: those of a page have
/// the two outermost in common.
fn within_page(outermost: usize) -> usize {
    (outermost + 1).max(2)
}
