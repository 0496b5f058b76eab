//! Retrograde analysis: outcomes, backwards from the terminal states.

use super::{Labels, NEVER, Reverse, Terminal, is_lost};
use std::ops::Range;

/// The number of arcs of a state that may still lead to a state that is not
/// won, in an integer as narrow as the degrees allow. It is accessed randomly,
/// once for each arc; one byte a state fits the cache where four do not.
trait Counter: Copy + Eq {
    const ONE: Self;
    /// The mark of a labelled state.
    const DECIDED: Self;
    const NONE: Self;

    /// A degree as a counter, if it is smaller than the mark.
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

/// Arcs between two calls of `pause`.
const BETWEEN_PAUSES: usize = 1 << 20;

/// States whose predecessors are processed together: first the ranges of their
/// lists are read, then the lists, then the counters. Each of the three reads
/// misses the cache; in batches the misses overlap.
const BATCH: usize = 128;

/// Labels all states, by ascending remoteness: first the terminal states, then
/// the states that they decide, and so on. So a state is labelled at the
/// remoteness at which its winner wins soonest, or its loser loses latest.
///
/// `pause` is called at intervals; its error stops the computation.
///
/// # Errors
///
/// Those of `pause`.
pub fn retrograde<E>(
    reverse: &Reverse,
    terminal: Terminal,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Labels, E> {
    if let Some(remaining) = counters::<u8>(reverse) {
        label(reverse, remaining, terminal, pause)
    } else if let Some(remaining) = counters::<u16>(reverse) {
        label(reverse, remaining, terminal, pause)
    } else {
        let remaining = counters::<u32>(reverse).expect("no state has so many arcs");
        label(reverse, remaining, terminal, pause)
    }
}

/// Labels all states of a game in which the opponent may forbid `blocked` of the options
/// before each move, in the order of [`retrograde`].
///
/// The player to move wins by the (`blocked` + 1)-th lost option, and loses if all options
/// but `blocked` are won: the opponent forbids the options that win fastest, or that lose
/// latest. Where play is misere, so that a player without a move wins, the opponent leaves
/// at least one option.
///
/// # Errors
///
/// Those of `pause`.
pub fn retrograde_with_blocking<E>(
    reverse: &Reverse,
    blocked: u32,
    terminal: Terminal,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Labels, E> {
    let degrees = &reverse.degrees;
    let more = blocked.saturating_add(1);
    // The numbers of lost options that win a state, and of won options that lose it.
    let (mut until_won, mut until_lost): (Vec<u32>, Vec<u32>) = degrees
        .iter()
        .map(|degree| match terminal {
            Terminal::Loses => (more, degree.saturating_sub(blocked)),
            Terminal::Wins => (more.min(*degree), degree.saturating_sub(blocked).max(1)),
        })
        .unzip();
    let mut distances = vec![NEVER; reverse.states()];
    let mut level: Vec<u32> = Vec::new();
    for (state, degree) in degrees.iter().enumerate() {
        if *degree == 0 || (terminal == Terminal::Loses && until_lost[state] == 0) {
            distances[state] = 0;
            level.push(state as u32);
        }
    }
    let mut distance = 0;
    let mut until_pause = BETWEEN_PAUSES;
    while !level.is_empty() {
        // The states of a level are all lost or all won.
        let counters = match is_lost(distance, terminal) {
            true => &mut until_won,
            false => &mut until_lost,
        };
        distance += 1;
        let mut next = Vec::new();
        for state in &level {
            let sources = &reverse.sources[reverse.place(*state as usize)];
            for source in sources {
                let at = *source as usize;
                if distances[at] != NEVER {
                    continue;
                }
                counters[at] -= 1;
                if counters[at] == 0 {
                    distances[at] = distance;
                    next.push(*source);
                }
            }
            until_pause = until_pause.saturating_sub(sources.len() + 1);
            if until_pause == 0 {
                pause()?;
                until_pause = BETWEEN_PAUSES;
            }
        }
        level = next;
    }
    Ok(Labels {
        distances,
        terminal,
    })
}

/// The degrees as counters, if all fit.
fn counters<C: Counter>(reverse: &Reverse) -> Option<Vec<C>> {
    reverse.degrees.iter().map(|d| C::of_degree(*d)).collect()
}

fn label<C: Counter, E>(
    reverse: &Reverse,
    mut remaining: Vec<C>,
    terminal: Terminal,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<Labels, E> {
    let states = reverse.states();
    let mut distances = vec![NEVER; states];
    // PERF: each write goes to the end of the queue, which advances only for
    // a new state; this costs less than a branch. So the queue has one place
    // more than there are states.
    let mut queue = vec![0_u32; states + 1];
    let mut end = 0;
    for (state, remaining) in remaining.iter_mut().enumerate() {
        if *remaining == C::NONE {
            *remaining = C::DECIDED;
            queue[end] = state as u32;
            end += 1;
        }
    }
    let mut begin = 0;
    let mut distance = 0;
    let mut until_pause = BETWEEN_PAUSES;
    let mut predecessors: Vec<u32> = Vec::new();
    let mut lists: Vec<Range<usize>> = Vec::with_capacity(BATCH);
    while begin < end {
        let level = begin..end;
        begin = end;
        // The states of a level are all lost or all won.
        let lost = is_lost(distance, terminal);
        for first in level.clone().step_by(BATCH) {
            let batch = &queue[first..level.end.min(first + BATCH)];
            lists.clear();
            lists.extend(batch.iter().map(|state| reverse.place(*state as usize)));
            for state in batch {
                distances[*state as usize] = distance;
            }
            predecessors.clear();
            for list in &lists {
                predecessors.extend_from_slice(&reverse.sources[list.clone()]);
            }
            end = if lost {
                scatter_lost(&predecessors, &mut remaining, &mut queue, end)
            } else {
                scatter_won(&predecessors, &mut remaining, &mut queue, end)
            };
            until_pause = until_pause.saturating_sub(predecessors.len());
            if until_pause == 0 {
                pause()?;
                until_pause = BETWEEN_PAUSES;
            }
        }
        distance += 1;
    }
    Ok(Labels {
        distances,
        terminal,
    })
}

/// Marks states that have an arc to a lost state as won. Appends the new ones
/// to the queue, and returns its new end.
fn scatter_lost<C: Counter>(
    states: &[u32],
    remaining: &mut [C],
    queue: &mut [u32],
    mut end: usize,
) -> usize {
    for state in states {
        let remaining = &mut remaining[*state as usize];
        let news = *remaining != C::DECIDED;
        *remaining = C::DECIDED;
        queue[end] = *state;
        end += usize::from(news);
    }
    end
}

/// Counts an arc to a won state for each of these states. Appends those without
/// remaining arcs, which are lost, to the queue, and returns its new end.
fn scatter_won<C: Counter>(
    states: &[u32],
    remaining: &mut [C],
    queue: &mut [u32],
    mut end: usize,
) -> usize {
    for state in states {
        let remaining = &mut remaining[*state as usize];
        let open = *remaining != C::DECIDED;
        let fewer = remaining.less(if open { C::ONE } else { C::NONE });
        let news = fewer == C::NONE;
        *remaining = if news { C::DECIDED } else { fewer };
        queue[end] = *state;
        end += usize::from(news);
    }
    end
}
