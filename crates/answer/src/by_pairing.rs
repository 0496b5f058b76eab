//! Answers by proved claims that cover some positions only.
//!
//! A pairing strategy shows that its positions are P. A position with a move to
//! one of them is N; its other winning moves remain unknown.

use super::answer::{Answer, Basis, Extent, WinningMoves};
use super::effort::position::COMPARED_OPTIONS;
use nimrule_claim::pairing;
use nimrule_engine::{Limits, Outcome, SolveError, Solver};
use nimrule_ir::{Hyperedges, Walker};
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Applies, Claim, Convention, Game, Statement};
use nimrule_model::position::Position;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Answers by the first proved claim that covers the position or an option.
pub(super) fn answer(
    solver: &Solver<'_>,
    position: &[u64],
    limits: &Limits,
) -> Result<Option<Answer>, SolveError> {
    for claim in &solver.game.claims {
        let Some(pairs) = proved(solver, claim) else {
            continue;
        };
        let (outcome, winning_moves) = if pairing::covers(solver.game, pairs, position) {
            (Outcome::P, Vec::new())
        } else {
            let moves = moves_to(solver, pairs, position, limits)?;
            if moves.is_empty() {
                continue;
            }
            (Outcome::N, moves)
        };
        return Ok(Some(Answer {
            position: Position::from(position),
            convention: Convention::Normal,
            outcome,
            grundy: None,
            grundy_basis: None,
            loopy: None,
            moves: WinningMoves {
                found: winning_moves.into_iter().map(Position::from).collect(),
                extent: match outcome {
                    Outcome::N => Extent::Some,
                    _ => Extent::All,
                },
            },
            by_side: None,
            basis: Basis::Theorem {
                claim: claim.words.clone(),
                theorem: pairing::THEOREM,
            },
            rejected: Vec::new(),
        }));
    }
    Ok(None)
}

/// Whether a proved claim covers the position, which is P.
pub(super) fn is_p(solver: &Solver<'_>, position: &[u64]) -> bool {
    let mut pairings = solver
        .game
        .claims
        .iter()
        .filter_map(|of| proved(solver, of));
    pairings.any(|pairs| pairing::covers(solver.game, pairs, position))
}

/// The pairs of a proved claim.
fn proved<'c>(solver: &Solver<'_>, claim: &'c Claim) -> Option<&'c [(HeapId, HeapId)]> {
    match &claim.statement {
        Some(Statement::Pairing(pairs)) if claim.applies != Applies::Elsewhere => {
            pairing::proof(solver, pairs, claim.convention).ok()?;
            Some(pairs)
        }
        _ => None,
    }
}

/// Why a claim gives no answer about a position.
pub(super) fn no_answer_reason(
    solver: &Solver<'_>,
    claim: &Claim,
    asked: Convention,
) -> Option<String> {
    let statement = claim.statement.as_ref()?;
    if claim.applies == Applies::Elsewhere {
        return None;
    }
    Some(match statement {
        _ if claim.refuted.is_some() => "it fails, as the file says".to_owned(),
        _ if claim.convention != asked => {
            format!("it is about {} play", claim.convention.word())
        }
        Statement::Pairing(pairs) => match pairing::proof(solver, pairs, claim.convention) {
            Ok(_) => {
                "the position and all its options have unequal pairs or unpaired heaps".to_owned()
            }
            Err(reason) => format!("it is not proved: {reason}"),
        },
        Statement::Outcome { .. } => "it does not decide every position".to_owned(),
        _ => "it does not say who wins here".to_owned(),
    })
}

/// The options with equal heaps in each pair and no other tokens.
fn moves_to(
    solver: &Solver<'_>,
    pairs: &[(HeapId, HeapId)],
    position: &[u64],
    limits: &Limits,
) -> Result<Vec<Vec<u64>>, SolveError> {
    let mut found = BTreeSet::new();
    if let Ok(Hyperedges::Fixed(sets)) = &solver.profile.hyperedges {
        // If a move takes any amounts from the heaps of a set, each set gives at
        // most one such option.
        for set in sets {
            found.extend(equalised(solver.game, set, pairs, position));
        }
        return Ok(found.into_iter().collect());
    }
    let mut looked_at = 0;
    Walker::new(&solver.graph, &[])
        .until(limits)
        .options(position, 0, &mut |option, _| {
            looked_at += 1;
            if pairing::covers(solver.game, pairs, option) {
                found.insert(option.to_vec());
            }
            if looked_at < COMPARED_OPTIONS {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })
        .map_err(|stop| SolveError::of(stop, position))?;
    Ok(found.into_iter().collect())
}

/// The option with all pairs equal and all other heaps empty that results from
/// lowering heaps of one set; `None` if the set holds both heaps of a pair.
fn equalised(
    game: &Game,
    set: &[HeapId],
    pairs: &[(HeapId, HeapId)],
    position: &[u64],
) -> Option<Vec<u64>> {
    let mut even = position.to_vec();
    for heap in set {
        let partner = pairs.iter().find_map(|(one, other)| match heap {
            _ if heap == one => Some(other),
            _ if heap == other => Some(one),
            _ => None,
        });
        let wanted = partner.map_or(0, |partner| position[partner.index()]);
        even[heap.index()] = even[heap.index()].min(wanted);
    }
    (even != position && pairing::covers(game, pairs, &even)).then_some(even)
}
