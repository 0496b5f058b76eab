//! The smallest position at which a claim fails, confirmed by the engines.
//!
//! Automata find that a claim fails, and near which position. The reported
//! position is one at which the bounded solver finds that it fails: the one with
//! the fewest tokens, if the box of all positions with that many tokens can be
//! solved.

use nimrule_claim::{self as claim, ClaimStatus, Counterexample};
use nimrule_engine::{self as engine, Limits, Shape, SolveError, Solver};
use nimrule_model::game::{Claim, Game};
use std::time::Duration;

/// The most positions of a box, and the most options in it.
const MAX_POSITIONS: u128 = 400_000;
const MAX_OPTIONS: u128 = 40_000_000;

/// The time limit for solving the positions that automata return, unless the
/// user sets one. The number of positions below one is not known in advance.
const SEARCHED: Duration = Duration::from_secs(20);

/// Returns a position at which the claim fails. The failure is at one of the
/// positions `near`, or at an option of one.
pub fn refute(
    game: &Game,
    claim: &Claim,
    near: &[Vec<u64>],
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let solver = Solver::new(game);
    let mut found = in_boxes(&solver, claim, limits)?;
    if found.is_none() {
        // A position with too many followers is skipped.
        let limits = limits.or_time(SEARCHED);
        for position in near.iter().chain(&claim.refuted) {
            let wrong = claim::fails_at(&solver, claim, position, &limits);
            match wrong {
                Ok(Some(wrong)) => {
                    let total = |c: &Counterexample| game.tokens(&c.position);
                    if found
                        .as_ref()
                        .is_none_or(|best| total(&wrong) < total(best))
                    {
                        found = Some(wrong);
                    }
                }
                Ok(None) | Err(SolveError::Memory { .. } | SolveError::Time) => {}
                Err(other) => return Err(other),
            }
        }
    }
    Ok(found)
}

/// The smallest counterexample in boxes that grow until it is the smallest of
/// all, or the next is too large.
fn in_boxes(
    solver: &Solver<'_>,
    claim: &Claim,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let Some(statement) = &claim.statement else {
        return Ok(None);
    };
    let heaps = solver.game.heap_count();
    let asked = claim::asked(claim);
    let mut best: Option<Counterexample> = None;
    let mut size = 1;
    loop {
        let most = vec![size; heaps];
        let too_many =
            Shape::count(&most) > MAX_POSITIONS || engine::work_below(solver, &most) > MAX_OPTIONS;
        if too_many || size > 4096 {
            return Ok(best);
        }
        let region = solver.region(size, limits)?;
        let table = engine::fill_region(solver, &region, asked, limits, None)?;
        if let ClaimStatus::Refuted(found) = claim::check(solver.game, statement, &table, limits)? {
            let total = solver.game.tokens(&found.position);
            best = Some(found);
            // No heap of a smaller position is larger than its total.
            if total <= u128::from(size) + 1 {
                return Ok(best);
            }
        }
        size += size.div_ceil(3);
    }
}
