//! The planes that a line needs, and the masks of the positions that they mark,
//! by the set of nonempty heaps.

use super::super::word::Word;
use super::HypergraphNim;
use super::line::{PlaneMasks, RowMask};
use super::plan::Plan;

/// The planes of the lines that have the same set of nonempty outer heaps.
pub(super) struct ActivePlanes<T> {
    /// The planes that are needed; those that are needed in the whole line
    /// come first, those that are needed only while the inner heap is empty
    /// come last.
    pub planes: Vec<usize>,
    /// The number of planes that are needed in the whole line.
    pub full_line: usize,
    /// The masks of the planes; `None` if they mark everywhere.
    masks: Option<OwnedMasks<T>>,
}

struct OwnedMasks<T> {
    most_lanes: [Vec<RowMask<T>>; 2],
    lanes: [Vec<(usize, RowMask<T>)>; 8],
}

impl<T: Word> ActivePlanes<T> {
    /// All planes, without masks: the board does not shrink.
    pub fn whole(plan: &Plan) -> ActivePlanes<T> {
        let mut planes: Vec<usize> = (0..plan.planes.len()).collect();
        sort(plan, &mut planes);
        ActivePlanes {
            full_line: planes.len(),
            planes,
            masks: None,
        }
    }

    /// The planes and masks for the nonempty outer heaps `outer`, on a board
    /// that shrinks.
    pub fn at(
        plan: &Plan,
        game: &HypergraphNim,
        by_nonempty: &[Vec<usize>],
        heaps: usize,
        outer: usize,
    ) -> ActivePlanes<T> {
        let mut full_line = Vec::new();
        let mut begun = Vec::new();
        for (set, plane) in plan.plane_of.iter().enumerate() {
            let Some(plane) = plane else { continue };
            let needed = |inner| is_needed(plan, game, by_nonempty, set, outer, inner);
            if needed(true) {
                full_line.push(*plane);
            } else if needed(false) {
                begun.push(*plane);
            }
        }
        sort(plan, &mut full_line);
        sort(plan, &mut begun);
        let count = full_line.len();
        let planes = [full_line, begun].concat();
        let masks = OwnedMasks::at(plan, by_nonempty, &planes, heaps, outer);
        ActivePlanes {
            planes,
            full_line: count,
            masks: Some(masks),
        }
    }

    pub fn masks(&self) -> Option<PlaneMasks<'_, T>> {
        self.masks.as_ref().map(|masks| PlaneMasks {
            most_lanes: masks.most_lanes.each_ref().map(Vec::as_slice),
            lanes: masks.lanes.each_ref().map(Vec::as_slice),
        })
    }
}

/// Sorts planes so that those are together to which P-positions are added alike, and among
/// them those with the same code in [`super::line`].
fn sort(plan: &Plan, planes: &mut [usize]) {
    planes.sort_by_key(|plane| {
        let plane = &plan.planes[*plane];
        let added = (plane.is_ring, plane.is_ring && plane.inner, plane.packed);
        (
            added,
            plane.outer.len(),
            plane.inner,
            plane.step,
            plane.lane,
        )
    });
}

/// Returns whether the plane of a hyperedge is needed at positions with these
/// nonempty outer heaps, and with an inner heap that is empty or not.
///
/// The plane is needed at a position if the hyperedge can be active there, or
/// at a position reached by raising its heaps. The heaps outside of the
/// hyperedge are the same in both, so the answer depends on them alone: the
/// hyperedge must be choosable with them and with some of its own heaps.
fn is_needed(
    plan: &Plan,
    game: &HypergraphNim,
    by_nonempty: &[Vec<usize>],
    set: usize,
    outer: usize,
    inner: bool,
) -> bool {
    let [inner_heap, ..] = plan.heaps_of_roles;
    let inner_heap = inner_heap.map_or(0, |heap| 1 << heap);
    let known = ((1_u64 << plan.outer.len()) - 1) | inner_heap;
    let outside = known & !game.hyperedges[set];
    let inner = if inner { inner_heap } else { 0 };
    let there = (outer as u64 | inner) & outside;
    by_nonempty
        .iter()
        .enumerate()
        .any(|(nonempty, sets)| nonempty as u64 & outside == there && sets.contains(&set))
}

impl<T: Word> OwnedMasks<T> {
    fn at(
        plan: &Plan,
        by_nonempty: &[Vec<usize>],
        planes: &[usize],
        heaps: usize,
        outer: usize,
    ) -> OwnedMasks<T> {
        let mut number_of = vec![None; plan.planes.len()];
        for (number, plane) in planes.iter().enumerate() {
            number_of[*plane] = Some(number);
        }
        let last = 1 << (heaps - 1);
        let at = |nonempty: usize| {
            let nowhere = RowMask {
                first: T::ZERO,
                later: T::ZERO,
            };
            let mut allowed = vec![nowhere; planes.len()];
            let numbers = |nonempty: usize| {
                let planes = by_nonempty[nonempty]
                    .iter()
                    .filter_map(|set| plan.plane_of[*set]);
                planes.filter_map(|plane| number_of[plane])
            };
            // Only the first position of a row has an empty last heap.
            for number in numbers(nonempty) {
                allowed[number].first |= T::ONE;
            }
            for number in numbers(nonempty | last) {
                allowed[number].first |= !T::ONE;
                allowed[number].later = T::ONES;
            }
            allowed
        };
        // The set of nonempty heaps for a `PlaneMasks` index, whose bits are inner,
        // step and lane.
        let nonempty = |roles: usize| {
            let are_nonempty = [roles >> 2 & 1, roles >> 1 & 1, roles & 1];
            let roles = plan.heaps_of_roles.iter().zip(are_nonempty);
            roles.fold(outer, |nonempty, (heap, is_nonempty)| {
                nonempty | heap.map_or(0, |heap| is_nonempty << heap)
            })
        };
        let some = |allowed: Vec<RowMask<T>>| {
            let all = allowed.into_iter().enumerate();
            all.filter(|(_, allowed)| (allowed.first | allowed.later).to_u64() != 0)
                .collect()
        };
        OwnedMasks {
            most_lanes: [at(nonempty(0b011)), at(nonempty(0b111))],
            lanes: std::array::from_fn(|roles| some(at(nonempty(roles)))),
        }
    }
}
