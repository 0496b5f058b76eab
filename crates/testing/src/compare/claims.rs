//! Claims and examples: the definition against the verdicts of `test`.

use super::{Counts, box_size, limits_for};
use nimrule_answer::Session;
use nimrule_claim::{self as claim, ClaimStatus, same_as};
use nimrule_definition::claim::Answers;
use nimrule_definition::{self as definition, GameGraph};
use nimrule_engine::{self as engine, SolveError, Solver};
use nimrule_model::game::{Applies, Convention, Game, PositionKind, Statement};

pub fn compare(game: &Game, counts: &mut Counts) -> Result<(), String> {
    if game.position_kind == PositionKind::Reals {
        return Ok(());
    }
    let solver = Solver::new(game);
    let Some(most) = box_size(&solver, 130, 60_000) else {
        return Ok(());
    };
    let Ok(mut positions) = definition::positions(game, most) else {
        return Ok(());
    };
    without_positions(&solver, most)?;
    let box_of_positions = positions.clone();
    let examples = game
        .examples
        .iter()
        .filter(|e| e.applies != Applies::Elsewhere);
    positions.extend(examples.clone().map(|example| example.position.clone()));
    let Ok(graph) = GameGraph::from(game, &positions) else {
        return Ok(());
    };
    for convention in [Convention::Normal, Convention::Misere] {
        let mut answers = Answers::of(&graph, convention);
        for claim in &game.claims {
            if claim.applies != Applies::Elsewhere && claim.convention == convention {
                compare_claim(
                    &solver,
                    claim,
                    most,
                    &box_of_positions,
                    &mut answers,
                    counts,
                )?;
            }
        }
        for example in examples.clone().filter(|e| e.convention == convention) {
            let Ok(Some(right)) = answers.is_right(example) else {
                continue;
            };
            let session = Session::new(game, limits_for(4_000));
            match session.example(example) {
                Ok(tried) if tried.contradiction.is_none() == right => counts.examples += 1,
                Ok(tried) => {
                    return Err(format!(
                        "the example `{}` is right: {right}, and `test` says {:?}",
                        example.words, tried.contradiction
                    ));
                }
                Err(SolveError::Time | SolveError::Memory { .. }) => {}
                Err(failure) => return Err(format!("the example `{}`: {failure}", example.words)),
            }
        }
    }
    Ok(())
}

/// There is no verdict on a claim from a box without positions, unless a theorem gives it.
fn without_positions(solver: &Solver<'_>, most: u64) -> Result<(), String> {
    let game = solver.game;
    for size in (0..most).filter(|size| definition::positions(game, *size) == Ok(Vec::new())) {
        let limits = limits_for(1_000);
        let mut claims = claim::ClaimChecker::new(solver, size, Some(size), &limits);
        for claim in &game.claims {
            // Periods and quotients are about single heaps, which need be no positions.
            let is_of_heaps = matches!(
                claim.statement,
                Some(Statement::Period { .. } | Statement::Quotient { .. }) | None
            );
            let standing = match is_of_heaps {
                true => continue,
                false => claims.check(claim),
            };
            // A matching of heaps is refuted at positions of few tokens, too.
            let is_refuted = match claim.statement {
                Some(Statement::SameAs(_)) => false,
                _ => standing.as_ref().is_ok_and(ClaimStatus::fails),
            };
            if is_refuted || matches!(standing, Ok(ClaimStatus::Holds { .. })) {
                return Err(format!(
                    "the claim `{}`: {standing:?}, and there is no position up to {size}",
                    claim.words
                ));
            }
        }
    }
    Ok(())
}

fn compare_claim(
    solver: &Solver<'_>,
    claim: &nimrule_model::game::Claim,
    most: u64,
    positions: &[Vec<u64>],
    answers: &mut Answers<'_>,
    counts: &mut Counts,
) -> Result<(), String> {
    let Some(statement) = &claim.statement else {
        return Ok(());
    };
    let is_about_positions = matches!(
        statement,
        Statement::Outcome { .. }
            | Statement::Grundy(_)
            | Statement::Pairing(_)
            | Statement::WinsBy { .. }
    ) || matches!(statement, Statement::SameAs(claimed) if !same_as::by_matching(claimed));
    if let Statement::SameAs(claimed) = statement
        && claimed.words == "itself"
    {
        let limits = limits_for(4_000);
        let standing = claim::check_alone(solver, claim, most, Some(most), &limits);
        return match standing {
            Ok(Some(ClaimStatus::Refuted(found))) => Err(format!(
                "the game is not the same as itself, at {:?}: {}",
                found.position,
                found.words()
            )),
            _ => Ok(()),
        };
    }
    if !is_about_positions {
        return Ok(());
    }
    let limits = limits_for(4_000);
    let standing = match claim::check_alone(solver, claim, most, Some(most), &limits) {
        Ok(Some(standing)) => Ok(standing),
        Ok(None) => solver
            .region(most, &limits)
            .and_then(|region| {
                engine::fill_region(solver, &region, claim::asked(claim), &limits, None)
            })
            .and_then(|table| claim::check(solver, statement, &table, &limits)),
        Err(failure) => Err(failure),
    };
    let right = answers.counterexample(claim, positions);
    let at = |what: String| format!("the claim `{}`: {what}", claim.words);
    match (standing, right) {
        (Err(SolveError::Time | SolveError::Memory { .. } | SolveError::Cannot { .. }), _)
        | (Ok(ClaimStatus::Unknown { .. }), _)
        | (Err(SolveError::NoValues { .. }), _) => Ok(()),
        (Err(SolveError::Fault { fault, position }), right) => match right {
            Err(right) if right.fault.kind == fault => {
                counts.faults += 1;
                Ok(())
            }
            right => Err(at(format!(
                "the fault `{fault}` at {position:?}, and {right:?}"
            ))),
        },
        (Err(failure), _) => Err(at(failure.to_string())),
        // After a counterexample the claim need not be evaluated further.
        (Ok(ClaimStatus::Refuted(_)), Err(_)) => Ok(()),
        (Ok(standing), Err(right)) => Err(at(format!("{standing:?}, and a fault {right:?}"))),
        (Ok(ClaimStatus::Refuted(found)), Ok(right)) => {
            counts.claims += 1;
            match Some(&found.position) == right.as_ref() {
                true => Ok(()),
                false => Err(at(format!(
                    "refuted at {:?}, and the first position at which it fails is {right:?}",
                    found.position
                ))),
            }
        }
        (Ok(ClaimStatus::Fails { why }), Ok(None)) => Err(at(format!("fails ({why}), and holds"))),
        (Ok(ClaimStatus::Fails { .. }), Ok(Some(_))) => Ok(()),
        (Ok(ClaimStatus::Holds { .. } | ClaimStatus::Proved { .. }), Ok(right)) => {
            counts.claims += 1;
            match right {
                None => Ok(()),
                Some(position) => Err(at(format!("holds, and fails at {position:?}"))),
            }
        }
    }
}
