//! Who wins where, from the end backwards.

use super::{Labels, NEVER, Reverse, Stuck, is_lost};
use std::ops::Range;

/// Marks a state whose distance is known; what is not marked holds how many
/// of its arcs may yet lead to a state that is not won.
const DECIDED: u32 = 1 << 31;

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
    let states = reverse.states();
    let mut known = reverse.degrees.clone();
    // One more than the states: what is written at the end is dropped where
    // it is no news, which costs less than asking first.
    let mut queue = vec![0_u32; states + 1];
    let mut end = 0;
    for (state, degree) in known.iter_mut().enumerate() {
        if *degree == 0 {
            *degree = DECIDED;
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
        distance += 1;
        for first in level.clone().step_by(AT_ONCE) {
            let few = &queue[first..level.end.min(first + AT_ONCE)];
            lists.clear();
            lists.extend(few.iter().map(|state| reverse.place(*state as usize)));
            before.clear();
            for list in &lists {
                before.extend_from_slice(&reverse.sources[list.clone()]);
            }
            end = if lost {
                reach_lost(&before, distance, &mut known, &mut queue, end)
            } else {
                reach_won(&before, distance, &mut known, &mut queue, end)
            };
            until_pause = until_pause.saturating_sub(before.len());
            if until_pause == 0 {
                pause()?;
                until_pause = BETWEEN_PAUSES;
            }
        }
    }
    for known in &mut known {
        *known = if *known < DECIDED {
            NEVER
        } else {
            *known & !DECIDED
        };
    }
    Ok(Labels {
        distances: known,
        stuck,
    })
}

/// From each of these states an arc leads to a lost one. Those that this wins
/// are written to the queue, whose new end is returned.
fn reach_lost(
    states: &[u32],
    distance: u32,
    known: &mut [u32],
    queue: &mut [u32],
    mut end: usize,
) -> usize {
    for state in states {
        let known = &mut known[*state as usize];
        let news = *known < DECIDED;
        *known = if news { DECIDED | distance } else { *known };
        queue[end] = *state;
        end += usize::from(news);
    }
    end
}

/// From each of these states an arc leads to a won one. Those that have no
/// other arcs left are lost.
fn reach_won(
    states: &[u32],
    distance: u32,
    known: &mut [u32],
    queue: &mut [u32],
    mut end: usize,
) -> usize {
    for state in states {
        let known = &mut known[*state as usize];
        let left = known.wrapping_sub(u32::from(*known < DECIDED));
        let news = left == 0;
        *known = if news { DECIDED | distance } else { left };
        queue[end] = *state;
        end += usize::from(news);
    }
    end
}
