//! Periods of Grundy sequences: `claim period P from N saltus S`.
//!
//! The claim is compared with the known values; a proved period of the sequence
//! decides it for all heaps. Let G(n + q) = G(n) + t be proved from m on. From the
//! larger of m and N on, the difference G(n + P) - G(n) has the period q, whatever
//! the saltus. So it equals S for all n if it does for q successive n and for
//! those before.

use super::{ClaimStatus, Counterexample, PositionFact};
use nimrule_engine::{Limits, SolveError, Solver, heap_sequences};
use nimrule_model::game::{Claim, PositionKind, Statement};
use nimrule_sequence::{PeriodClaim, PeriodStatus, Sequence};

/// A claim `period` with the sequence that it is about.
struct ClaimedSequence {
    claimed: PeriodClaim,
    /// The kind of heap in the rule.
    kind: usize,
    /// The heap of that kind, if heaps have names.
    heap: usize,
}

impl ClaimedSequence {
    fn of(solver: &Solver<'_>, claim: &Claim) -> Option<Result<ClaimedSequence, String>> {
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
                    "the values of single heaps do not determine this game: {reason}"
                )));
            }
        };
        Some(Ok(ClaimedSequence {
            claimed: PeriodClaim {
                period: *period,
                from: *from,
                saltus: *saltus,
            },
            kind: rules.kind_of_heap.get(*kind).copied().unwrap_or(*kind),
            heap: *kind,
        }))
    }

    /// The two values that the claim compares at a heap, if they are known.
    fn values(&self, sequence: &Sequence, heap: u64) -> Option<(u64, u64)> {
        let later = heap.checked_add(self.claimed.period)?;
        Some((sequence.value(heap)?, sequence.value(later)?))
    }

    fn fails(&self, (first, second): (u64, u64)) -> bool {
        first.checked_add(self.claimed.saltus) != Some(second)
    }

    /// The counterexample at a heap.
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
            actual: PositionFact::Words(format!("G({}) is {second}", heap + period)),
            claimed: PositionFact::Words(claimed),
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

    /// The size of the only heap of a position, if it has the claimed kind.
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

    /// The sequence, up to the values that the claim and its proof need, within
    /// a bound on the work.
    fn sequence(
        &self,
        solver: &Solver<'_>,
        least: u64,
        limits: &Limits,
    ) -> Result<Sequence, SolveError> {
        let PeriodClaim { period, from, .. } = self.claimed;
        let to = from.saturating_add(2 * period).max(least);
        let surveyed = |to: u64, limits: &Limits| {
            let mut all = heap_sequences::surveyed(solver, to, limits)?;
            Ok::<Sequence, SolveError>(all.swap_remove(self.kind))
        };
        // A period that few values prove decides the claim for all heaps.
        let mut sequence = surveyed(to.min(FEW), limits)?;
        if to > FEW && !sequence.is_proved() {
            sequence = surveyed(to, limits)?;
        }
        if sequence.is_proved() || self.first_failure(&sequence).is_some() {
            return Ok(sequence);
        }
        // A proof needs more values.
        let wanted = heap_sequences::wanted(solver, self.kind, self.claimed);
        let Some(wanted) = wanted.filter(|wanted| *wanted > to && *wanted <= WORTH) else {
            return Ok(sequence);
        };
        match surveyed(wanted, &limits.half_work()) {
            Err(SolveError::Work { .. } | SolveError::Memory { .. }) => Ok(sequence),
            settled => settled,
        }
    }

    /// The first heap at which the claim fails, with the two values.
    fn first_failure(&self, sequence: &Sequence) -> Option<(u64, (u64, u64))> {
        (self.claimed.from..)
            .map_while(|heap| Some((heap, self.values(sequence, heap)?)))
            .take_while(|(heap, _)| *heap < self.end(sequence))
            .find(|(_, values)| self.fails(*values))
    }

    /// The heap up to which a claim without a failure holds: `u64::MAX` if a period
    /// is proved.
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

/// The number of values that are always computed.
const FEW: u64 = 1 << 12;

/// The largest number of values that are computed for a proof.
const WORTH: u64 = 1 << 20;

/// Checks the claim; `None` for other claims.
pub fn check(
    solver: &Solver<'_>,
    claim: &Claim,
    asked: Option<u64>,
    limits: &Limits,
) -> Result<Option<ClaimStatus>, SolveError> {
    let sequence_claim = match ClaimedSequence::of(solver, claim) {
        None => return Ok(None),
        Some(Err(why)) => return Ok(Some(ClaimStatus::Unknown { why })),
        Some(Ok(sequence_claim)) => sequence_claim,
    };
    let sequence = sequence_claim.sequence(solver, asked.unwrap_or(0), limits)?;
    if let Some((heap, values)) = sequence_claim.first_failure(&sequence) {
        let refuted = sequence_claim.refuted(solver, heap, values);
        return Ok(Some(ClaimStatus::Refuted(refuted)));
    }
    let standing = sequence.period.as_ref().map(|found| (found, &found.status));
    Ok(Some(match standing {
        // INVARIANT: a proved period determines the values of all heaps, so none was
        // unknown before the end.
        Some((
            found,
            PeriodStatus::Proved {
                theorem,
                checked_to,
            },
        )) => ClaimStatus::Proved {
            theorem: theorem.name(),
            by: match checked_to {
                0 => "for every size".to_owned(),
                to => format!(
                    "the values up to {to} give period {} from {}",
                    found.period, found.preperiod
                ),
            },
        },
        _ => ClaimStatus::to(sequence.values.len() as u64 - 1),
    }))
}

/// Whether the claim fails at the heap of this position.
pub fn fails_at(
    solver: &Solver<'_>,
    claim: &Claim,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let Some(Ok(sequence_claim)) = ClaimedSequence::of(solver, claim) else {
        return Ok(None);
    };
    let heap = sequence_claim.size(solver, position);
    let Some(heap) = heap.filter(|heap| *heap >= sequence_claim.claimed.from) else {
        return Ok(None);
    };
    let later = heap.saturating_add(sequence_claim.claimed.period);
    let sequences = heap_sequences::reaching(solver, later, limits)?;
    let values = sequence_claim.values(&sequences[sequence_claim.kind], heap);
    Ok(values
        .filter(|values| sequence_claim.fails(*values))
        .map(|values| sequence_claim.refuted(solver, heap, values)))
}
