//! Misère quotients: `claim misere quotient to N has M elements`.
//!
//! A quotient that the search finds is proved, so the claim is proved or refuted,
//! unless a limit is exceeded. Quotients grow with the number of heaps: if fewer
//! heaps already have more elements than claimed, the claim is refuted.

use super::{ClaimStatus, Counterexample, PositionFact};
use nimrule_engine::quotient::{Numbering, find};
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_model::game::PositionKind;

/// The name of the proof method.
pub const THEOREM: &str = "induction over sums";

/// The largest quotient that is searched, even if fewer elements are claimed.
const MAX_ELEMENTS: usize = 1000;

/// Checks a claim about the quotient of heaps up to `to`.
///
/// # Errors
///
/// An exceeded limit.
pub fn check(
    solver: &Solver<'_>,
    to: u64,
    elements: u64,
    limits: &Limits,
) -> Result<ClaimStatus, SolveError> {
    let claimed = usize::try_from(elements).unwrap_or(usize::MAX);
    let found = match find(solver, to, MAX_ELEMENTS.max(claimed), limits) {
        Ok(found) => found,
        // The other claims of the file can be checked nevertheless.
        Err(SolveError::Cannot { reason, .. }) => {
            return Ok(ClaimStatus::Unknown {
                why: format!(
                    "a misere quotient needs moves that change one heap and depend on no \
                     other: {reason}"
                ),
            });
        }
        Err(failure) => return Err(failure),
    };
    let quotient = &found.quotient;
    let order = quotient.order();
    let stopped = match found.stopped {
        None if order == claimed => {
            return Ok(ClaimStatus::Proved {
                theorem: THEOREM,
                by: format!(
                    "a monoid of {order} elements, {} of them P, gives the outcome of every \
                     sum of these heaps",
                    quotient.p_portion().len()
                ),
            });
        }
        None => None,
        Some(_) if order > claimed => None,
        stopped => stopped,
    };
    if let Some((_, why)) = stopped {
        return Ok(ClaimStatus::Unknown {
            why: format!(
                "{order} elements are proved up to {}; then {why}",
                name(solver, quotient.to())
            ),
        });
    }
    Ok(ClaimStatus::Refuted(Counterexample {
        position: position(solver, quotient.to()),
        actual: PositionFact::Words(format!(
            "the quotient up to this heap is proved to have {order} elements"
        )),
        claimed: PositionFact::Words(format!("{elements} are claimed")),
    }))
}

/// The position of the one heap with this number.
fn position(solver: &Solver<'_>, number: u32) -> Vec<u64> {
    let heap = Numbering::of(solver).map_or(0, |numbering| numbering.heap(number));
    match solver.game.position_kind {
        PositionKind::Multiset(_) if number == 0 => Vec::new(),
        PositionKind::Multiset(_) => vec![heap],
        _ => {
            let mut position = vec![0; solver.graph.heaps];
            position[0] = heap;
            position
        }
    }
}

fn name(solver: &Solver<'_>, number: u32) -> String {
    solver.game.shown(&position(solver, number))
}
