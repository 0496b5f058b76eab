//! `claim period P from N saltus S`: of the Grundy values of one heap.
//!
//! The claim is held against the values as far as they are known; where a
//! period of the sequence is proved, that settles the claim for all heaps. Let
//! G(n + q) = G(n) + t from m on be proved. From the larger of m and N on, the
//! difference G(n + P) - G(n) has the period q, whatever the saltus; so it is
//! S for all n if it is for q of them in a row and those before.

use super::{Counterexample, Said, Standing};
use nimrule_engine::{Failure, Limits, Solver, heap_sequences};
use nimrule_model::game::{Claim, PositionKind, Statement};
use nimrule_sequence::{PeriodClaim, PeriodStatus as Of, Sequence};

/// The claim with the sequence that it speaks of.
struct Spoken {
    claimed: PeriodClaim,
    /// The kind of heap in the rule.
    kind: usize,
    /// The heap that stands for the kind where heaps have places.
    heap: usize,
}

impl Spoken {
    fn of(solver: &Solver<'_>, claim: &Claim) -> Option<Result<Spoken, String>> {
        let Some(Statement::Period {
            period,
            from,
            saltus,
            kind,
        }) = &claim.statement
        else {
            return None;
        };
        let rules = match &solver.profile.heap_rules {
            Ok(rules) => rules,
            Err(reason) => {
                return Some(Err(format!(
                    "one heap says nothing of this game by itself: {reason}"
                )));
            }
        };
        Some(Ok(Spoken {
            claimed: PeriodClaim {
                period: *period,
                from: *from,
                saltus: *saltus,
            },
            kind: rules.kind_of_heap.get(*kind).copied().unwrap_or(*kind),
            heap: *kind,
        }))
    }

    /// The values that the claim speaks of at a heap, where they are known.
    fn values(&self, sequence: &Sequence, heap: u64) -> Option<(u64, u64)> {
        let later = heap.checked_add(self.claimed.period)?;
        Some((sequence.value(heap)?, sequence.value(later)?))
    }

    fn fails(&self, (first, second): (u64, u64)) -> bool {
        first.checked_add(self.claimed.saltus) != Some(second)
    }

    /// How the claim fails at a heap.
    fn refuted(
        &self,
        solver: &Solver<'_>,
        heap: u64,
        (first, second): (u64, u64),
    ) -> Counterexample {
        let PeriodClaim { period, saltus, .. } = self.claimed;
        let claimed = match saltus {
            0 => format!("G({heap}) is {first}"),
            saltus => format!(
                "G({heap}) + {saltus} is {}",
                u128::from(first) + u128::from(saltus)
            ),
        };
        Counterexample {
            position: self.position(solver, heap),
            actual: Said::Words(format!("G({}) is {second}", heap + period)),
            claimed: Said::Words(claimed),
        }
    }

    fn position(&self, solver: &Solver<'_>, heap: u64) -> Vec<u64> {
        match &solver.game.position_kind {
            PositionKind::Multiset(_) if heap == 0 => Vec::new(),
            PositionKind::Multiset(kinds) => vec![kinds.encode(heap, self.kind)],
            _ => {
                let mut position = vec![0; solver.graph.heaps];
                position[self.heap] = heap;
                position
            }
        }
    }

    /// The size of the one heap of a position, if it is of the kind spoken of.
    fn size(&self, solver: &Solver<'_>, position: &[u64]) -> Option<u64> {
        match (&solver.game.position_kind, position) {
            (PositionKind::Multiset(_), []) => Some(0),
            (PositionKind::Multiset(kinds), [heap]) => {
                let (size, kind) = kinds.decode(*heap);
                (kind == self.kind).then_some(size)
            }
            (PositionKind::Multiset(_), _) => None,
            (_, sizes) => {
                let others = sizes.iter().enumerate().filter(|(h, _)| *h != self.heap);
                let alone = others.into_iter().all(|(_, size)| *size == 0);
                alone.then(|| sizes[self.heap])
            }
        }
    }

    /// The sequence, as far as the claim and its proof want it, or as far as
    /// is worth while.
    fn sequence(
        &self,
        solver: &Solver<'_>,
        least: u64,
        limits: &Limits,
    ) -> Result<Sequence, Failure> {
        let PeriodClaim { period, from, .. } = self.claimed;
        let to = from.saturating_add(2 * period).max(least);
        let surveyed = |to: u64, limits: &Limits| {
            let mut all = heap_sequences::surveyed(solver, to, limits)?;
            Ok::<Sequence, Failure>(all.swap_remove(self.kind))
        };
        // A period that few values prove speaks of all.
        let mut sequence = surveyed(to.min(FEW), limits)?;
        if to > FEW && !sequence.is_proved() {
            sequence = surveyed(to, limits)?;
        }
        if sequence.is_proved() || self.first_failure(&sequence).is_some() {
            return Ok(sequence);
        }
        // A proof wants to see further.
        let wanted = heap_sequences::wanted(solver, self.kind, self.claimed);
        let Some(wanted) = wanted.filter(|wanted| *wanted > to && *wanted <= WORTH) else {
            return Ok(sequence);
        };
        match surveyed(wanted, &limits.half_time()) {
            Err(Failure::Time | Failure::Memory { .. }) => Ok(sequence),
            settled => settled,
        }
    }

    /// The first heap at which the claim is known to fail, with the values.
    fn first_failure(&self, sequence: &Sequence) -> Option<(u64, (u64, u64))> {
        (self.claimed.from..)
            .map_while(|heap| Some((heap, self.values(sequence, heap)?)))
            .take_while(|(heap, _)| *heap < self.end(sequence))
            .find(|(_, values)| self.fails(*values))
    }

    /// Where a claim that has not failed before holds as far as can be known:
    /// for all heaps, where a period is proved.
    fn end(&self, sequence: &Sequence) -> u64 {
        match &sequence.period {
            Some(found) if found.is_proved() => {
                let both = self.claimed.from.max(found.preperiod);
                both.saturating_add(found.period)
            }
            _ => sequence.values.len() as u64,
        }
    }
}

/// Values that cost nothing to speak of.
const FEW: u64 = 1 << 12;

/// Values up to this many are computed for a proof.
const WORTH: u64 = 1 << 20;

pub fn check(
    solver: &Solver<'_>,
    claim: &Claim,
    asked: Option<u64>,
    limits: &Limits,
) -> Result<Option<Standing>, Failure> {
    let spoken = match Spoken::of(solver, claim) {
        None => return Ok(None),
        Some(Err(why)) => return Ok(Some(Standing::Unknown { why })),
        Some(Ok(spoken)) => spoken,
    };
    let sequence = spoken.sequence(solver, asked.unwrap_or(0), limits)?;
    if let Some((heap, values)) = spoken.first_failure(&sequence) {
        let refuted = spoken.refuted(solver, heap, values);
        return Ok(Some(Standing::Refuted(refuted)));
    }
    let standing = sequence.period.as_ref().map(|found| (found, &found.status));
    Ok(Some(match standing {
        // INVARIANT: what is proved tells the values of all heaps, so that
        // none was unknown before the end.
        Some((
            found,
            Of::Proved {
                theorem,
                checked_to,
            },
        )) => Standing::Proved {
            theorem: theorem.name(),
            by: match checked_to {
                0 => "for every size".to_owned(),
                to => format!(
                    "the values to {to} give period {} from {}",
                    found.period, found.preperiod
                ),
            },
        },
        _ => Standing::to(sequence.values.len() as u64 - 1),
    }))
}

/// Does the claim fail at the heap of this position?
pub fn fails_at(
    solver: &Solver<'_>,
    claim: &Claim,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, Failure> {
    let Some(Ok(spoken)) = Spoken::of(solver, claim) else {
        return Ok(None);
    };
    let heap = spoken.size(solver, position);
    let Some(heap) = heap.filter(|heap| *heap >= spoken.claimed.from) else {
        return Ok(None);
    };
    let later = heap.saturating_add(spoken.claimed.period);
    let sequences = heap_sequences::reaching(solver, later, limits)?;
    let values = spoken.values(&sequences[spoken.kind], heap);
    Ok(values
        .filter(|values| spoken.fails(*values))
        .map(|values| spoken.refuted(solver, heap, values)))
}
