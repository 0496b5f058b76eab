//! Proofs before boxes: a claim is decided for all sizes, which is a better answer than a
//! comparison with every position of a large box, and often a sooner one.

use super::prove;
use nimrule_claim::{self as claim, ClaimStatus};
use nimrule_engine::{Limits, Shape, SolveError, Solver};
use nimrule_model::game::{Claim, PositionKind, Statement};
use nimrule_prove::{self as provers, Verdict};
use std::time::Duration;

/// The time for the proof of one claim, and what each position of the box adds to it: the
/// more the box takes, the longer is a proof sought.
const PROOF_TIME: Duration = Duration::from_secs(1);
const PROOF_TIME_A_POSITION: f64 = 1e-9;
const MAX_PROOF_TIME: f64 = 20.0;

/// The theorem of a proof for all heap sizes.
const FOR_ALL_SIZES: &str = "the partition theorem";

/// By what a claim is proved, as the end of a line that begins with "proved".
pub fn proof_in_words(theorem: &str, by: &str) -> String {
    match theorem {
        FOR_ALL_SIZES => format!("for all heap sizes: {by}"),
        other => format!("by {other}: {by}"),
    }
}

/// The status of a claim without a comparison with all of the box to `most`: a proof for
/// all sizes, or the smallest failure where the file names one. `None` where the box must
/// be compared.
///
/// # Errors
///
/// A fault of the rule or the claim, or an interruption.
pub fn without_box(
    solver: &Solver<'_>,
    claim: &Claim,
    most: u64,
    limits: &Limits,
) -> Result<Option<ClaimStatus>, SolveError> {
    let game = solver.game;
    let decidable = matches!(
        claim.statement,
        Some(Statement::Outcome { .. } | Statement::Grundy(_))
    );
    if !decidable || game.position_kind != PositionKind::Heaps {
        return Ok(None);
    }
    if let Some(position) = &claim.refuted {
        return refuted(solver, claim, position, most, limits);
    }
    let positions = Shape::count(&vec![most; game.heap_count()]);
    let more = (positions as f64 * PROOF_TIME_A_POSITION).min(MAX_PROOF_TIME);
    let time = PROOF_TIME + Duration::from_secs_f64(more);
    match provers::prove(game, claim, &limits.cap_time(time)) {
        Ok(Verdict::Proved(proof)) => {
            let mut by = prove::automaton(&proof);
            if proof.certificate.is_none() {
                by.push_str("; without a certificate");
            }
            Ok(Some(ClaimStatus::Proved {
                theorem: FOR_ALL_SIZES,
                by,
            }))
        }
        Err(SolveError::Stopped) => Err(SolveError::Stopped),
        // Of a failure the box gives the smallest position, or says that none is in it.
        _ => Ok(None),
    }
}

/// The status of a claim that the file says fails at a position: it is compared with the
/// positions that have at most as large heaps as this one has tokens, among which the
/// smallest counterexample is. `None` if that is the whole box.
fn refuted(
    solver: &Solver<'_>,
    claim: &Claim,
    position: &[u64],
    most: u64,
    limits: &Limits,
) -> Result<Option<ClaimStatus>, SolveError> {
    let tokens = u64::try_from(solver.game.tokens(position)).unwrap_or(u64::MAX);
    if tokens >= most || claim::fails_at(solver, claim, position, limits)?.is_none() {
        return Ok(None);
    }
    let mut checker = claim::ClaimChecker::new(solver, tokens, None, limits);
    checker.check(claim).map(Some)
}
