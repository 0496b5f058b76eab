//! Which planes are asked for, and which mark a position, by the heaps that are
//! left.

use super::super::word::Word;
use super::Family;
use super::line::{Allowed, Choice};
use super::plan::Plan;

/// What holds in the lines of some outer heaps.
pub(super) struct Chosen<T> {
    /// The planes that are asked for, those first that are asked for to the
    /// end of a line.
    pub planes: Vec<usize>,
    pub to_the_end: usize,
    /// Which of them mark: see [`Choice`].
    choice: Option<Choices<T>>,
}

struct Choices<T> {
    most_lanes: [Vec<Allowed<T>>; 2],
    lanes: [Vec<(usize, Allowed<T>)>; 8],
}

impl<T: Word> Chosen<T> {
    /// Where the board stays whole: all planes, and they mark everywhere.
    pub fn whole(planes: usize) -> Chosen<T> {
        Chosen {
            planes: (0..planes).collect(),
            to_the_end: planes,
            choice: None,
        }
    }

    /// Where the board shrinks, and these outer heaps are left.
    pub fn at(
        plan: &Plan,
        family: &Family,
        by_left: &[Vec<usize>],
        heaps: usize,
        outer: usize,
    ) -> Chosen<T> {
        let mut to_the_end = Vec::new();
        let mut begun = Vec::new();
        for (set, plane) in plan.plane_of.iter().enumerate() {
            let Some(plane) = plane else { continue };
            let asked = |inner| is_asked_for(family, by_left, set, heaps, outer, inner);
            if asked(true) {
                to_the_end.push(*plane);
            } else if asked(false) {
                begun.push(*plane);
            }
        }
        let count = to_the_end.len();
        let planes = [to_the_end, begun].concat();
        let choice = Choices::at(plan, by_left, &planes, heaps, outer);
        Chosen {
            planes,
            to_the_end: count,
            choice: Some(choice),
        }
    }

    pub fn choice(&self) -> Option<Choice<'_, T>> {
        self.choice.as_ref().map(|choice| Choice {
            most_lanes: choice.most_lanes.each_ref().map(Vec::as_slice),
            lanes: choice.lanes.each_ref().map(Vec::as_slice),
        })
    }
}

/// Does a position with these outer heaps, and an inner heap or none, or one
/// that is reached from such by raising heaps of the set, ask for the set's
/// plane? The heaps outside of the set are the same in both, so this depends
/// on them alone: the set must be one to choose from where they and some of
/// its own heaps are left.
fn is_asked_for(
    family: &Family,
    by_left: &[Vec<usize>],
    set: usize,
    heaps: usize,
    outer: usize,
    inner: bool,
) -> bool {
    // Without an inner heap there are no outer ones either.
    let known = if heaps < 4 {
        0
    } else {
        (1_u64 << (heaps - 3)) - 1
    };
    let outside = known & !family.sets[set];
    let inner = u64::from(inner && heaps >= 4) << heaps.saturating_sub(4);
    let there = (outer as u64 | inner) & outside;
    by_left
        .iter()
        .enumerate()
        .any(|(left, sets)| left as u64 & outside == there && sets.contains(&set))
}

impl<T: Word> Choices<T> {
    fn at(
        plan: &Plan,
        by_left: &[Vec<usize>],
        planes: &[usize],
        heaps: usize,
        outer: usize,
    ) -> Choices<T> {
        let mut number_of = vec![None; plan.planes.len()];
        for (number, plane) in planes.iter().enumerate() {
            number_of[*plane] = Some(number);
        }
        let last = 1 << (heaps - 1);
        let at = |left: usize| {
            let nowhere = Allowed {
                first: T::ZERO,
                later: T::ZERO,
            };
            let mut allowed = vec![nowhere; planes.len()];
            let numbers = |left: usize| {
                let planes = by_left[left].iter().filter_map(|set| plan.plane_of[*set]);
                planes.filter_map(|plane| number_of[plane])
            };
            // The row's first position has an empty last heap, all others have
            // not.
            for number in numbers(left) {
                allowed[number].first |= T::ONE;
            }
            for number in numbers(left | last) {
                allowed[number].first |= !T::ONE;
                allowed[number].later = T::ONES;
            }
            allowed
        };
        // The heaps that are left, of inner, step and lane, as `Choice` counts.
        let left = |roles: usize| {
            let (inner, step, lane) = (roles >> 2 & 1, roles >> 1 & 1, roles & 1);
            match heaps {
                1 => 0,
                2 => step,
                3 => step | lane << 1,
                _ => outer | inner << (heaps - 4) | step << (heaps - 3) | lane << (heaps - 2),
            }
        };
        let some = |allowed: Vec<Allowed<T>>| {
            let all = allowed.into_iter().enumerate();
            all.filter(|(_, allowed)| (allowed.first | allowed.later).to_u64() != 0)
                .collect()
        };
        Choices {
            most_lanes: [at(left(0b011)), at(left(0b111))],
            lanes: std::array::from_fn(|roles| some(at(left(roles)))),
        }
    }
}
