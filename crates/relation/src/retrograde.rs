//! Who wins where, from the end backwards.

use super::{Labels, NEVER, Reverse, Stuck, is_lost};
use std::ops::Range;

/// How many arcs of a state may yet lead to a state that is not won, in as few
/// bits as the degrees allow: this is what is asked at random, once an arc, and
/// a byte a state stays in the cache where four do not.
trait Counter: Copy + Eq {
    const ONE: Self;
    /// Marks a state that is decided.
    const DECIDED: Self;
    const NONE: Self;

    /// The degree, if it is smaller than the mark.
    fn of_degree(degree: u32) -> Option<Self>;
    fn less(self, other: Self) -> Self;
}

macro_rules! counter {
    ($int:ty) => {
        impl Counter for $int {
            const ONE: Self = 1;
            const DECIDED: Self = <$int>::MAX;
            const NONE: Self = 0;

            fn of_degree(degree: u32) -> Option<Self> {
                let degree = <$int>::try_from(degree).ok()?;
                (degree < Self::DECIDED).then_some(degree)
            }

            #[inline(always)]
            fn less(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}

counter!(u8);
counter!(u16);
counter!(u32);

/// Arcs looked at between two pauses.
const BETWEEN_PAUSES: usize = 1 << 20;

/// So many states are looked at together: first where their lists are, then
/// what is in them, then what is known of it. Each of the three is a miss of
/// the cache, and asked one after the other they would be waited for one by
/// one.
const AT_ONCE: usize = 128;

/// Labels every state, level by level: first those that are stuck, then what
/// they decide, and so on. So each state is met first at the distance at which
/// its winner wins soonest, or its loser loses latest.
///
/// `pause` is called now and then, and stops the search by failing.
pub fn retrograde<E>(
    reverse: &Reverse,
    stuck: Stuck,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Labels, E> {
    if let Some(left) = counters::<u8>(reverse) {
        label(reverse, left, stuck, pause)
    } else if let Some(left) = counters::<u16>(reverse) {
        label(reverse, left, stuck, pause)
    } else {
        let left = counters::<u32>(reverse).expect("no state has so many arcs");
        label(reverse, left, stuck, pause)
    }
}

/// The degrees, if each fits.
fn counters<C: Counter>(reverse: &Reverse) -> Option<Vec<C>> {
    reverse.degrees.iter().map(|d| C::of_degree(*d)).collect()
}

fn label<C: Counter, E>(
    reverse: &Reverse,
    mut left: Vec<C>,
    stuck: Stuck,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Labels, E> {
    let states = reverse.states();
    let mut distances = vec![NEVER; states];
    // One more than the states: what is written at the end is dropped where
    // it is no news, which costs less than asking first.
    let mut queue = vec![0_u32; states + 1];
    let mut end = 0;
    for (state, left) in left.iter_mut().enumerate() {
        if *left == C::NONE {
            *left = C::DECIDED;
            queue[end] = state as u32;
            end += 1;
        }
    }
    let mut begin = 0;
    let mut distance = 0;
    let mut until_pause = BETWEEN_PAUSES;
    let mut before: Vec<u32> = Vec::new();
    let mut lists: Vec<Range<usize>> = Vec::with_capacity(AT_ONCE);
    while begin < end {
        let level = begin..end;
        begin = end;
        // All states of a level are lost, or all are won.
        let lost = is_lost(distance, stuck);
        for first in level.clone().step_by(AT_ONCE) {
            let few = &queue[first..level.end.min(first + AT_ONCE)];
            lists.clear();
            lists.extend(few.iter().map(|state| reverse.place(*state as usize)));
            for state in few {
                distances[*state as usize] = distance;
            }
            before.clear();
            for list in &lists {
                before.extend_from_slice(&reverse.sources[list.clone()]);
            }
            end = if lost {
                reach_lost(&before, &mut left, &mut queue, end)
            } else {
                reach_won(&before, &mut left, &mut queue, end)
            };
            until_pause = until_pause.saturating_sub(before.len());
            if until_pause == 0 {
                pause()?;
                until_pause = BETWEEN_PAUSES;
            }
        }
        distance += 1;
    }
    Ok(Labels { distances, stuck })
}

/// From each of these states an arc leads to a lost one. Those that this wins
/// are written to the queue, whose new end is returned.
fn reach_lost<C: Counter>(
    states: &[u32],
    left: &mut [C],
    queue: &mut [u32],
    mut end: usize,
) -> usize {
    for state in states {
        let left = &mut left[*state as usize];
        let news = *left != C::DECIDED;
        *left = C::DECIDED;
        queue[end] = *state;
        end += usize::from(news);
    }
    end
}

/// From each of these states an arc leads to a won one. Those that have no
/// other arcs left are lost.
fn reach_won<C: Counter>(
    states: &[u32],
    left: &mut [C],
    queue: &mut [u32],
    mut end: usize,
) -> usize {
    for state in states {
        let left = &mut left[*state as usize];
        let open = *left != C::DECIDED;
        let fewer = left.less(if open { C::ONE } else { C::NONE });
        let news = fewer == C::NONE;
        *left = if news { C::DECIDED } else { fewer };
        queue[end] = *state;
        end += usize::from(news);
    }
    end
}
