//! The plan of a sweep: the roles of the heaps, and the memory of the planes.

use super::super::Layout;
use super::super::word::Word;
use super::HypergraphNim;
use super::line::{PreparedPlane, ring_steps};

/// The number of roles that every plan has: inner, step, lane and packed heap.
const ROLES: usize = 4;

/// The plane of a hyperedge: its memory, and the roles of its heaps.
#[derive(Debug)]
pub(super) struct Plane {
    /// The size of its memory in arrays of lanes; of one page if it is paged. A ring
    /// buffer comes after an array of zeros.
    pub arrays: u128,
    /// Whether the memory is a ring buffer of the last steps; else it holds
    /// whole lines.
    pub is_ring: bool,
    /// The outermost heap of the hyperedge, if it is an outer heap.
    pub outermost: Option<usize>,
    /// The outer heaps of the hyperedge.
    pub outer: Vec<usize>,
    /// Whether the hyperedge contains the inner, step, lane and packed heap.
    pub inner: bool,
    pub step: bool,
    pub lane: bool,
    pub packed: bool,
}

impl Plane {
    /// Returns whether the plane passes from slab to slab, in pages: its
    /// hyperedge contains the outermost heap.
    pub fn is_paged(&self) -> bool {
        self.outermost == Some(0)
    }

    /// Returns whether the next strip reads the plane: its hyperedge contains the second
    /// heap.
    pub fn is_in_face(&self) -> bool {
        self.outer.contains(&1)
    }

    /// Returns whether the next strip reads the page of this plane.
    pub fn is_in_halo(&self) -> bool {
        self.is_paged() && self.is_in_face()
    }
}

/// The plan of a sweep of a box.
#[derive(Debug)]
pub(super) struct Plan {
    /// The largest sizes of the outer heaps, which are the first.
    pub outer: Vec<usize>,
    /// The inner, the step and the lane heap; `None` for a role without a heap.
    pub heaps_of_roles: [Option<usize>; ROLES - 1],
    /// Steps from one size of the inner heap to the next.
    pub period: usize,
    /// Steps of zeros before each line: at least a period, and at least two, so that
    /// the lane before the first one lies in them.
    pub gap: usize,
    /// The most tokens that the step, lane and packed heaps have together.
    pub tokens_after_inner: u64,
    /// Rows of one lane in a line.
    pub cells: usize,
    /// Sizes of the lane heap.
    pub lanes: usize,
    /// Arrays of lanes for one word of one step.
    pub blocks: usize,
    /// Arrays of lanes for one step.
    pub arrays: usize,
    /// Steps of a line: the last lane is `lanes - 1` steps behind the first.
    pub steps: usize,
    pub planes: Vec<Plane>,
    /// The plane of each hyperedge; `None` if it needs no memory.
    pub plane_of: Vec<Option<usize>>,
}

/// The number of outer heaps, and the roles of the others, each as its place among
/// [`ROLES`].
///
/// A box that is divided has two outer heaps, if there are enough heaps. Two heaps have a
/// step heap and one lane: their rows depend on each other.
pub(super) fn roles(heaps: usize, is_divided: bool) -> (usize, &'static [usize]) {
    let outer = match is_divided && heaps >= ROLES {
        true => (heaps - ROLES).max(2),
        false => heaps.saturating_sub(ROLES),
    };
    let roles: &[usize] = match heaps - outer {
        1 => &[3],
        2 => &[1, 3],
        3 => &[1, 2, 3],
        _ => &[0, 1, 2, 3],
    };
    (outer, roles)
}

impl Plan {
    pub fn new<T: Word, const W: usize>(
        game: &HypergraphNim,
        layout: &Layout,
        is_divided: bool,
    ) -> Plan {
        // A row has as many words in the kernel as in the layout.
        debug_assert!(T::BITS as usize == 64 || layout.words == 1);
        Plan::of_width(game, layout, W, is_divided)
    }

    /// The plan for arrays of `width` lanes.
    fn of_width(game: &HypergraphNim, layout: &Layout, width: usize, is_divided: bool) -> Plan {
        let heaps = layout.most.len();
        let (outer, roles) = roles(heaps, is_divided);
        // The place of each heap in `sizes`, and the sizes by role.
        let places: Vec<usize> = (0..outer)
            .chain(roles.iter().map(|role| outer + role))
            .collect();
        let all = outer + ROLES;
        let mut sizes = vec![0; all];
        for (place, size) in places.iter().zip(&layout.most) {
            sizes[*place] = *size as usize;
        }
        let of_role = |role: usize| places.iter().position(|place| *place == outer + role);
        let heaps_of_roles = std::array::from_fn(of_role);
        let outer: Vec<usize> = sizes[..outer].to_vec();
        let period = sizes[all - 3] + 1;
        let cells = (sizes[all - 4] + 1) * period;
        let lanes = sizes[all - 2] + 1;
        let blocks = lanes.div_ceil(width);
        let arrays = layout.words * blocks;
        let steps = cells + lanes - 1;
        let gap = period.max(2);
        let mut planes = Vec::new();
        let mut plane_of = Vec::new();
        for set in &game.hyperedges {
            let holds =
                |role: usize| (0..heaps).any(|heap| places[heap] == role && set >> heap & 1 == 1);
            let within: Vec<usize> = (0..all - 1).filter(|role| holds(*role)).collect();
            let packed = holds(all - 1);
            // A hyperedge of the packed heap alone needs no plane in a row of
            // one word: the lowest unmarked bit is the P-position.
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
                (ring_steps(period, inner) * arrays) as u128 + 1
            } else {
                lines * ((gap + steps) * arrays) as u128
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
            outer,
            heaps_of_roles,
            period,
            gap,
            tokens_after_inner: sizes[all - 3..].iter().map(|size| *size as u64).sum(),
            cells,
            lanes,
            blocks,
            arrays,
            steps,
            planes,
            plane_of,
        }
    }

    /// The number of lines.
    pub fn lines(&self) -> usize {
        self.outer.iter().map(|most| most + 1).product()
    }

    /// The number of slabs: sizes of the outermost heap.
    pub fn slabs(&self) -> usize {
        self.outer.first().map_or(1, |most| most + 1)
    }

    /// The number of strips of a slab: sizes of the second outer heap.
    pub fn strips(&self) -> usize {
        self.outer.get(1).map_or(1, |most| most + 1)
    }

    /// The number of the line of these outer heaps, in lexicographic order.
    pub fn number(&self, outer: &[usize]) -> usize {
        let sizes = outer.iter().zip(&self.outer);
        sizes.fold(0, |number, (size, most)| number * (most + 1) + size)
    }

    /// Advances to the next line of a strip; returns false at its end.
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

    /// Bytes of a page.
    pub fn bytes_of_page<T: Word, const W: usize>(&self) -> u128 {
        self.bytes_of::<T, W>(Plane::is_paged)
    }

    /// Bytes of the face that a column leaves in a slab.
    pub fn bytes_of_face<T: Word, const W: usize>(&self) -> u128 {
        self.bytes_of::<T, W>(Plane::is_in_face)
    }

    /// Bytes of what each thread of a column reads of the page before it.
    pub fn bytes_of_halo<T: Word, const W: usize>(&self) -> u128 {
        self.bytes_of::<T, W>(Plane::is_in_halo)
    }

    /// Bytes of the memories of some planes.
    fn bytes_of<T: Word, const W: usize>(&self, of: impl Fn(&Plane) -> bool) -> u128 {
        let planes = self.planes.iter().filter(|plane| of(plane));
        let arrays: u128 = planes.map(|plane| plane.arrays).sum();
        arrays * (W * T::BITS as usize / 8) as u128
    }

    /// Bytes of the memory of each thread, for rows of `words` words.
    pub fn bytes_of_a_thread<T: Word, const W: usize>(&self, words: usize) -> u128 {
        let rows = self.cells * self.lanes * words;
        self.bytes_of::<T, W>(|plane| !plane.is_paged()) + 8 * rows as u128
    }

    /// The address of a line in the memory or page of a plane, in arrays.
    pub fn line(&self, plane: &Plane, outer: &[usize]) -> usize {
        let Some(outermost) = plane.outermost else {
            return 0;
        };
        let within = within_page(outermost)..self.outer.len();
        let number = within.fold(0, |number, role| {
            number * (self.outer[role] + 1) + outer[role]
        });
        (number * (self.gap + self.steps) + self.gap) * self.arrays
    }

    /// Some planes with their words for the line of these outer heaps.
    pub fn prepare<'m, T: Word, const W: usize>(
        &self,
        outer: &mut [usize],
        planes: &[usize],
        memories: &'m mut [&mut [T]],
        previous_pages: &[&'m [T]],
    ) -> Vec<PreparedPlane<'m, T>> {
        let mut memories: Vec<&'m mut [T]> =
            memories.iter_mut().map(|words| &mut **words).collect();
        let line_words = self.steps * self.arrays * W;
        let prepared = planes.iter().map(|number| {
            let plane = &self.planes[*number];
            let memory = std::mem::take(&mut memories[*number]);
            let mut reads = Vec::new();
            let own = match plane.outermost {
                None => &mut *memory,
                Some(outermost) => {
                    let start = (self.line(plane, outer) - self.gap * self.arrays) * W;
                    let (earlier, own) = memory.split_at_mut(start);
                    let earlier = &*earlier;
                    for role in plane.outer.iter().filter(|role| **role != outermost) {
                        if outer[*role] == 0 {
                            continue;
                        }
                        outer[*role] -= 1;
                        let line = self.line(plane, outer) * W;
                        outer[*role] += 1;
                        let words = if plane.is_paged() && *role == 1 {
                            previous_pages[*number]
                        } else {
                            earlier
                        };
                        reads.push(&words[line..][..line_words]);
                    }
                    let own = &mut own[..self.gap * self.arrays * W + line_words];
                    // Otherwise the line with one token less in this heap was there.
                    if outer[outermost] == 0 {
                        own.fill(T::ZERO);
                    }
                    own
                }
            };
            PreparedPlane::new(plane, own, reads)
        });
        prepared.collect()
    }
}

/// The first of the heaps by which the lines of a plane are numbered: those
/// after its outermost heap, and after the two outermost of all, which the
/// lines of a page have in common.
fn within_page(outermost: usize) -> usize {
    (outermost + 1).max(2)
}
