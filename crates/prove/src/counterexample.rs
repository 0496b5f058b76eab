//! Counterexamples of claims that the engines find.
//!
//! A proved claim is compared with the engines in small boxes
//! ([`find_contradiction`]). A wrong translation of an operator proves false
//! theorems, and most such errors are visible at small positions, or near a constant
//! of the rule or the claim. So boxes of a few hundred positions that extend just
//! beyond these constants are solved and compared with the claim.
//!
//! A refuted claim is reported with a position at which the engines find that it
//! fails ([`refute`]): the one with the fewest tokens, if the box of all positions
//! with that many tokens can be solved. The automata find only that the claim fails,
//! and near which position.

use nimrule_claim::{self as claim, ClaimStatus, Counterexample, PositionFact};
use nimrule_engine::{self as engine, Limits, Shape, SolveError, Solver};
use nimrule_ir::MoveGraph;
use nimrule_model::expr::{Num, Part};
use nimrule_model::game::{Claim, Game, Statement};
use std::collections::BTreeSet;
use std::time::Duration;

/// The most positions of a box.
const MAX_POSITIONS: u128 = 2_000;

/// The most options in a box.
const MAX_OPTIONS: u128 = 60_000;

/// The most boxes.
const MAX_BOXES: usize = 12;

/// The time limit for solving all boxes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sizes next to powers of two, for rules that depend on digits.
const NEAR_POWERS: [u64; 4] = [5, 9, 17, 33];

/// Returns a position at which the engines contradict a proved claim.
///
/// # Errors
///
/// An interruption. Boxes that the engines cannot solve are skipped.
pub fn find_contradiction(
    game: &Game,
    claim: &Claim,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let Some(
        statement @ (Statement::Outcome { .. } | Statement::Grundy(_) | Statement::Pairing(_)),
    ) = &claim.statement
    else {
        return Ok(None);
    };
    let solver = Solver::new(game);
    let limits = limits.cap_time(PATIENCE);
    let asked = claim::asked(claim);
    for most in boxes(&solver, &sizes(&solver.graph, statement)) {
        let table = match engine::fill(&solver, &most, asked, &limits, None) {
            Ok(table) => table,
            Err(SolveError::Stopped) => return Err(SolveError::Stopped),
            Err(SolveError::Fault { fault, position }) => {
                return Ok(Some(Counterexample {
                    position,
                    actual: PositionFact::Words(format!("the engines report: {fault}")),
                    claimed: PositionFact::Words("every expression has a value".to_owned()),
                }));
            }
            Err(_) => continue,
        };
        match claim::check(&solver, statement, &table, &limits) {
            Ok(ClaimStatus::Refuted(found)) => return Ok(Some(found)),
            Err(SolveError::Stopped) => return Err(SolveError::Stopped),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(None)
}

/// The sizes that boxes should reach, ascending: one more than each constant of
/// the rule and the claim, and than small powers of two.
fn sizes(rule: &MoveGraph, statement: &Statement) -> Vec<u64> {
    let mut sizes = BTreeSet::from(NEAR_POWERS);
    let mut look = |part: Part<'_>| {
        part.any(&mut |part| {
            if let Part::Num(Num::Const(value)) = part {
                sizes.insert(value.unsigned_abs().saturating_add(1));
            }
            false
        });
    };
    for part in rule.parts() {
        look(part.node);
    }
    match statement {
        Statement::Outcome { condition, .. } => look(Part::Bool(condition)),
        Statement::Grundy(value) => look(Part::Num(value)),
        _ => {}
    }
    sizes.into_iter().filter(|size| *size > 1).collect()
}

/// Boxes of the largest of these sizes that are small enough: one with all heaps
/// of the same size, and one for each pair of heaps and for each heap, with all others
/// nearly empty.
fn boxes(solver: &Solver<'_>, sizes: &[u64]) -> Vec<Vec<u64>> {
    let heaps = solver.game.heap_count();
    let fits = |most: &[u64]| {
        Shape::count(most) <= MAX_POSITIONS && engine::work_below(solver, most) <= MAX_OPTIONS
    };
    let largest = |make: &dyn Fn(u64) -> Vec<u64>| {
        let found = sizes.iter().rev().map(|size| make(*size));
        found.into_iter().find(|most| fits(most))
    };
    let mut boxes: Vec<Vec<u64>> = Vec::new();
    let cube = (1..=40).map(|size| solver.game.box_to(size));
    boxes.extend(cube.take_while(|most| fits(most)).last());
    let mut add = |made: Option<Vec<u64>>| {
        if let Some(most) = made
            && boxes.len() < MAX_BOXES
            && !boxes
                .iter()
                .any(|other| other.iter().zip(&most).all(|(a, b)| a >= b))
        {
            boxes.push(most);
        }
    };
    for one in 0..heaps {
        for other in one + 1..heaps {
            add(largest(&|size| {
                let mut most = solver.game.box_to(0);
                (most[one], most[other]) = (size, size);
                most
            }));
        }
    }
    for heap in 0..heaps {
        add(largest(&|size| {
            let mut most = solver.game.box_to(u64::from(heaps <= 4));
            most[heap] = size;
            most
        }));
    }
    boxes
}

/// The most positions, and the most options, of a box in the search for a
/// counterexample.
const MAX_SEARCH_POSITIONS: u128 = 400_000;
const MAX_SEARCH_OPTIONS: u128 = 40_000_000;

/// The time limit for solving the positions that automata return, unless the
/// user sets one. The number of positions below one is not known in advance.
const SEARCH_PATIENCE: Duration = Duration::from_secs(20);

/// Searches for a position at which the claim fails, in growing boxes and then at the
/// positions `near` and their options. Returns the one with the fewest tokens.
///
/// # Errors
///
/// An interruption, or a failure of the engines other than an exceeded limit at one
/// of the positions.
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
        let limits = limits.or_time(SEARCH_PATIENCE);
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

/// The counterexample with the fewest tokens in growing boxes. The search ends when
/// no larger box can have a smaller one, or when the next box is too large.
fn in_boxes(
    solver: &Solver<'_>,
    claim: &Claim,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let Some(statement) = &claim.statement else {
        return Ok(None);
    };
    let asked = claim::asked(claim);
    let mut best: Option<Counterexample> = None;
    let mut size = 1;
    loop {
        let most = solver.game.box_to(size);
        let too_many = Shape::count(&most) > MAX_SEARCH_POSITIONS
            || engine::work_below(solver, &most) > MAX_SEARCH_OPTIONS;
        if too_many || size > 4096 {
            return Ok(best);
        }
        let region = solver.region(size, limits)?;
        let table = engine::fill_region(solver, &region, asked, limits, None)?;
        if let ClaimStatus::Refuted(found) = claim::check(solver, statement, &table, limits)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use nimrule_elaborate::Settings;
    use nimrule_model::source::Source;

    fn contradicted_at(rule: &str) -> Option<Vec<u64>> {
        let source = Source::new("written", format!("game g\n{rule}"));
        let file = nimrule_syntax::parse(&source.text)
            .into_result()
            .expect("a rule");
        let no_files = |_: &str| Err("no files".to_owned());
        let checked = nimrule_elaborate::check(&file, &source.text, &Settings::new(), &no_files);
        let game = checked.expect("a rule").game;
        let limits = Limits::of_memory(1 << 28);
        let found = find_contradiction(&game, &game.claims[0], &limits).expect("nobody stops it");
        found.map(|found| found.position)
    }

    #[test]
    fn a_false_claim_is_contradicted_beside_its_constants() {
        let far = "heaps a b c d\n\
                   move for some x in {a - b} take 1 from b where x < -40\n\
                   claim P iff a >= 0\n";
        assert_eq!(contradicted_at(far), Some(vec![0, 41, 0, 0]));
        let fault = "heaps a b\nmove take from one heap where 5 div (a - 33) >= 0\n\
                     claim P iff a == b\n";
        assert!(contradicted_at(fault).is_some());
        let nim = "heaps a b c\nmove take from one heap\nclaim P iff a ^ b ^ c == 0\n";
        assert_eq!(contradicted_at(nim), None);
    }
}
