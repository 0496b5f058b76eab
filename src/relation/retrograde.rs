//! Who wins where, from the end backwards.

use super::{Labels, NEVER, Reverse, Stuck, is_lost};

/// Marks a state whose distance is known; what is not marked holds how many
/// of its arcs may yet lead to a state that is not won.
const DECIDED: u32 = 1 << 31;

/// States looked at between two pauses.
const BETWEEN_PAUSES: usize = 1 << 16;

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
    while begin < end {
        let level = begin..end;
        begin = end;
        // All states of a level are lost, or all are won.
        let lost = is_lost(distance, stuck);
        distance += 1;
        for at in level {
            until_pause -= 1;
            if until_pause == 0 {
                pause()?;
                until_pause = BETWEEN_PAUSES;
            }
            let state = queue[at] as usize;
            if lost {
                for before in reverse.before(state) {
                    let known = &mut known[*before as usize];
                    let news = *known < DECIDED;
                    *known = if news { DECIDED | distance } else { *known };
                    queue[end] = *before;
                    end += usize::from(news);
                }
            } else {
                for before in reverse.before(state) {
                    let known = &mut known[*before as usize];
                    let left = known.wrapping_sub(u32::from(*known < DECIDED));
                    let news = left == 0;
                    *known = if news { DECIDED | distance } else { left };
                    queue[end] = *before;
                    end += usize::from(news);
                }
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
