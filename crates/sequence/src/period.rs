//! Periods: found, proved or only seen, and held against a claim.

use super::HeapRule;
use super::theorem::{Claimed, Theorem, Theorems};

/// What repeats: from the heap `preperiod` on, G(n + period) = G(n) + saltus.
/// The period is the smallest, and the preperiod too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    pub period: u64,
    pub preperiod: u64,
    pub saltus: u64,
    pub standing: Standing,
}

/// How certain it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// For all heaps, by a theorem, from the values up to that of
    /// `checked_to`.
    Proved { theorem: Theorem, checked_to: u64 },
    /// For the heaps up to `to`, and nothing is known of others.
    Seen { to: u64 },
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    Proved {
        theorem: Theorem,
        checked_to: u64,
    },
    /// It holds among the values up to that of `to`.
    Holds {
        to: u64,
    },
    /// There are too few values to say anything.
    Unseen,
    /// G(at + period) is not G(at) + saltus, and `at` is the smallest such
    /// heap.
    Refuted {
        at: u64,
    },
}

/// A period that is seen but not proved has come at least so often.
const TIMES_SEEN: usize = 3;

/// Candidates whose proof looks at all values.
const MOST_PROOFS: u32 = 8;

/// Finds the period of a sequence: the smallest that is proved, or else the
/// smallest that has come three times and covers half of the values.
pub fn find(values: &[u32], rule: &HeapRule<'_>) -> Option<Period> {
    let last = values.len().checked_sub(1)?;
    let matches = matches(values);
    let theorems = Theorems::about(rule);
    let mut seen = None;
    let mut proofs = 0;
    for (period, matching) in (1..).zip(matches.iter().skip(1)) {
        // The differences G(n + 1) - G(n) repeat for `matching` steps before
        // the last period.
        let preperiod = last - period - *matching as usize;
        if preperiod + 2 * period > last {
            // Not even two periods.
            continue;
        }
        let Some(saltus) = values[last].checked_sub(values[last - period]) else {
            continue;
        };
        let claimed = Claimed {
            period: period as u64,
            from: preperiod as u64,
            saltus: u64::from(saltus),
        };
        if theorems.exclude(claimed.saltus) {
            continue;
        }
        // The proof by the state looks at all values: not too often.
        let by_state = theorems.wanted(claimed).map(|(theorem, _)| theorem) == Some(Theorem::Tail);
        proofs += u32::from(by_state);
        if proofs <= MOST_PROOFS
            && let Some((theorem, checked_to)) = theorems.prove(values, claimed)
        {
            let standing = Standing::Proved {
                theorem,
                checked_to,
            };
            return Some(Period::new(claimed, standing));
        }
        let lasts = preperiod + TIMES_SEEN * period <= last + 1 && 2 * preperiod <= last + 1;
        if lasts && seen.is_none() {
            let to = last as u64;
            seen = Some(Period::new(claimed, Standing::Seen { to }));
        }
    }
    seen
}

impl Period {
    pub fn is_proved(&self) -> bool {
        matches!(self.standing, Standing::Proved { .. })
    }

    fn new(claimed: Claimed, standing: Standing) -> Period {
        Period {
            period: claimed.period,
            preperiod: claimed.from,
            saltus: claimed.saltus,
            standing,
        }
    }
}

/// For each step p, how many of the last differences G(n + 1) - G(n) in a row
/// equal the one p before them (Gusfield's Z function, of the differences read
/// backwards; the entry at 0 means nothing).
fn matches(values: &[u32]) -> Vec<u32> {
    let count = values.len() - 1;
    let difference = |back: usize| {
        let place = count - 1 - back;
        // INVARIANT: two differences of values below 2^31 that agree so agree.
        values[place + 1].wrapping_sub(values[place])
    };
    let mut matches = vec![0_u32; count];
    // The stretch that reaches furthest and is known to match the beginning.
    let (mut start, mut end) = (0, 0);
    for step in 1..count {
        let mut length = if step < end {
            (matches[step - start] as usize).min(end - step)
        } else {
            0
        };
        while step + length < count && difference(length) == difference(step + length) {
            length += 1;
        }
        if step + length > end {
            (start, end) = (step, step + length);
        }
        matches[step] = length as u32;
    }
    matches
}

/// Holds a claimed period against the values, and against the theorems.
///
/// [`super::needed`] says how many values a proof takes.
pub fn check_period(claimed: Claimed, values: &[u32], rule: &HeapRule<'_>) -> Checked {
    let last = values.len() as u64 - u64::from(!values.is_empty());
    let value = |heap: u64| u64::from(values[heap as usize]);
    let furthest = last.checked_sub(claimed.period);
    let Some(furthest) = furthest.filter(|furthest| *furthest >= claimed.from) else {
        return Checked::Unseen;
    };
    for heap in claimed.from..=furthest {
        if value(heap).checked_add(claimed.saltus) != Some(value(heap + claimed.period)) {
            return Checked::Refuted { at: heap };
        }
    }
    match Theorems::about(rule).prove(values, claimed) {
        Some((theorem, checked_to)) => Checked::Proved {
            theorem,
            checked_to,
        },
        None => Checked::Holds { to: last },
    }
}
