//! Arithmetic periods of a sequence: search, proof, and the check of a claim.

use super::HeapRule;
use super::theorem::{PeriodClaim, Theorem, Theorems};

/// An arithmetic period: G(n + period) = G(n) + saltus for all n from
/// `preperiod` on. Period and preperiod are the smallest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// The period.
    pub period: u64,
    /// The first heap of the period.
    pub preperiod: u64,
    /// 0 if the sequence is periodic.
    pub saltus: u64,
    /// Whether the period is proved.
    pub status: PeriodStatus,
}

/// Whether a period is proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PeriodStatus {
    /// It holds for all heaps.
    Proved {
        /// The theorem that proves it.
        theorem: Theorem,
        /// The last heap whose value the proof needs.
        checked_to: u64,
    },
    /// It holds for some heaps; nothing is known about larger ones.
    Observed {
        /// The last of these heaps.
        to: u64,
    },
}

/// The result of the check of a claimed period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodCheck {
    /// A theorem proves it for all heaps.
    Proved {
        /// The theorem.
        theorem: Theorem,
        /// The last heap whose value the proof needs.
        checked_to: u64,
    },
    /// It holds for the known values; nothing is known about larger heaps.
    Holds {
        /// The last heap whose value is known.
        to: u64,
    },
    /// There are too few values.
    TooFewValues,
    /// It is wrong.
    Refuted {
        /// The smallest heap with G(at + period) ≠ G(at) + saltus.
        at: u64,
    },
}

/// Repetitions that make an observed period.
const REPETITIONS: usize = 3;

/// The most candidates whose proof reads all values.
const MOST_PROOFS: u32 = 8;

/// Finds the period of a sequence: the smallest that a theorem proves, or else
/// the smallest that occurs three times and covers half of the values.
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
            // Less than two periods.
            continue;
        }
        let Some(saltus) = values[last].checked_sub(values[last - period]) else {
            continue;
        };
        let claim = PeriodClaim {
            period: period as u64,
            from: preperiod as u64,
            saltus: u64::from(saltus),
        };
        if theorems.exclude(claim.saltus) {
            continue;
        }
        // The proof by `Theorem::AllBut` reads all values.
        let by_state = theorems.wanted(claim).map(|(theorem, _)| theorem) == Some(Theorem::AllBut);
        proofs += u32::from(by_state);
        if proofs <= MOST_PROOFS
            && let Some((theorem, checked_to)) = theorems.prove(values, claim)
        {
            let status = PeriodStatus::Proved {
                theorem,
                checked_to,
            };
            return Some(Period::new(claim, status));
        }
        let lasts = preperiod + REPETITIONS * period <= last + 1 && 2 * preperiod <= last + 1;
        if lasts && seen.is_none() {
            let to = last as u64;
            seen = Some(Period::new(claim, PeriodStatus::Observed { to }));
        }
    }
    seen
}

impl Period {
    /// Returns whether the period holds for all heaps.
    pub fn is_proved(&self) -> bool {
        matches!(self.status, PeriodStatus::Proved { .. })
    }

    fn new(claim: PeriodClaim, status: PeriodStatus) -> Period {
        Period {
            period: claim.period,
            preperiod: claim.from,
            saltus: claim.saltus,
            status,
        }
    }
}

/// For each p, the number of last differences G(n + 1) − G(n) that equal the one
/// p places before (the Z function of the reversed differences; the entry at 0
/// is not used).
fn matches(values: &[u32]) -> Vec<u32> {
    let count = values.len() - 1;
    let difference = |back: usize| {
        let place = count - 1 - back;
        // INVARIANT: differences of values below 2^31 that are equal modulo
        // 2^32 are equal.
        values[place + 1].wrapping_sub(values[place])
    };
    let mut matches = vec![0_u32; count];
    // The Z box: the interval of largest end that matches a prefix.
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

/// Checks a claimed period with the values, and proves it if there are enough
/// of them: [`super::needed`] returns how many.
pub fn check_period(claim: PeriodClaim, values: &[u32], rule: &HeapRule<'_>) -> PeriodCheck {
    let last = values.len() as u64 - u64::from(!values.is_empty());
    let value = |heap: u64| u64::from(values[heap as usize]);
    let furthest = last.checked_sub(claim.period);
    let Some(furthest) = furthest.filter(|furthest| *furthest >= claim.from) else {
        return PeriodCheck::TooFewValues;
    };
    for heap in claim.from..=furthest {
        if value(heap).checked_add(claim.saltus) != Some(value(heap + claim.period)) {
            return PeriodCheck::Refuted { at: heap };
        }
    }
    match Theorems::about(rule).prove(values, claim) {
        Some((theorem, checked_to)) => PeriodCheck::Proved {
            theorem,
            checked_to,
        },
        None => PeriodCheck::Holds { to: last },
    }
}
