//! Pairing strategies: `claim P by pairing …`.
//!
//! The claim is that positions with equal heaps in each pair and no other tokens
//! are P: the second player answers in the partner. If the rule always allows the
//! answer, this is a proof for all sizes ([`nimrule_ir::pairing`]). Otherwise the
//! claim is compared with computed outcomes.

use super::{ClaimStatus, Counterexample, PositionFact};
use nimrule_engine::{self as engine, Limits, Outcome, Request, SolveError, Solver};
use nimrule_ir as ir;
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Convention, Game, PositionKind, State};

/// The name of the theorem.
pub const THEOREM: &str = "pairing";

type Pairs = [(HeapId, HeapId)];

/// Whether the heaps of each pair are equal, and all others empty. States may have any
/// value.
pub fn covers(game: &Game, pairs: &Pairs, position: &[u64]) -> bool {
    let position = &position[..game.first_state()];
    let equal = |(one, other): &(HeapId, HeapId)| position[one.index()] == position[other.index()];
    let in_pairs: u128 = pairs
        .iter()
        .map(|(one, other)| u128::from(position[one.index()]) + u128::from(position[other.index()]))
        .sum();
    pairs.iter().all(equal) && in_pairs == position.iter().map(|size| u128::from(*size)).sum()
}

/// The proof that positions with equal heaps in each pair and no other tokens are P.
///
/// # Errors
///
/// Why the theorem does not apply.
///
/// # Examples
///
/// ```
/// use nimrule_claim::pairing;
/// use nimrule_engine::Solver;
/// use nimrule_model::game::{Convention, Statement};
///
/// let game = "game twins heaps a b move take from one heap claim P by pairing a with b";
/// let game = nimrule_fixtures::compiled(game).unwrap().game;
/// let Some(Statement::Pairing(pairs)) = &game.claims[0].statement else {
///     panic!("it is a claim by pairing");
/// };
/// assert!(pairing::proof(&Solver::new(&game), pairs, Convention::Normal).is_ok());
/// assert!(pairing::proof(&Solver::new(&game), pairs, Convention::Misere).is_err());
/// ```
pub fn proof(solver: &Solver<'_>, pairs: &Pairs, convention: Convention) -> Result<String, String> {
    let game = solver.game;
    if convention == Convention::Misere {
        return Err("under misere play, taking last loses".to_owned());
    }
    if game.has_sides() {
        return Err("the players move differently".to_owned());
    }
    if game.blocked_options > 0 {
        return Err("the opponent may block options".to_owned());
    }
    if game.position_kind != PositionKind::Heaps {
        return Err("its positions are not heaps in a row".to_owned());
    }
    ir::pairing(&solver.graph, pairs, &game.heap_names)?;
    Ok(
        "no move takes from both heaps of a pair, and what it takes can be taken from their \
        partners"
            .to_owned(),
    )
}

/// Checks the claim; `None` if that needs a table of outcomes.
pub fn check(
    solver: &Solver<'_>,
    pairs: &Pairs,
    convention: Convention,
    most: u64,
    limits: &Limits,
) -> Result<Option<ClaimStatus>, SolveError> {
    let reason = match proof(solver, pairs, convention) {
        Ok(by) => {
            return Ok(Some(ClaimStatus::Proved {
                theorem: THEOREM,
                by,
            }));
        }
        Err(reason) => reason,
    };
    if most > 0 {
        return Ok(None);
    }
    // Even the box with heaps of at most 1 is too large. Most false claims fail with few
    // tokens.
    for tokens in [1, 2] {
        if let Some(found) = few(solver, pairs, convention, tokens, limits)? {
            return Ok(Some(ClaimStatus::Refuted(found)));
        }
    }
    Ok(Some(ClaimStatus::Unknown {
        why: format!("not proved, since {reason}; and it does not fail with one or two pairs"),
    }))
}

/// The largest number of pairs that are tested two at a time.
const MAX_PAIRS: usize = 100;

/// The smallest counterexample among the positions in which the heaps of one or
/// two pairs have a token each.
fn few(
    solver: &Solver<'_>,
    pairs: &Pairs,
    convention: Convention,
    chosen: usize,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let game = solver.game;
    let mut empty = vec![0; game.first_state()];
    let initial = |state: &State| state.initial.unwrap_or(state.low);
    empty.extend(game.states.iter().map(initial));
    let mut positions = Vec::new();
    for (place, first) in pairs.iter().enumerate() {
        let seconds = match chosen {
            1 => &pairs[place..=place],
            _ if pairs.len() > MAX_PAIRS => &[],
            _ => &pairs[place + 1..],
        };
        for second in seconds {
            let mut position = empty.clone();
            for (one, other) in [first, second] {
                position[one.index()] = 1;
                position[other.index()] = 1;
            }
            positions.push(position);
        }
    }
    positions.sort_by(|one: &Vec<u64>, other| {
        let key = |position| solver.game.size_key(position);
        key(one).cmp(&key(other))
    });
    for position in positions {
        let answer = engine::answer(
            solver,
            &position,
            convention,
            Request::Outcome,
            limits,
            None,
        )?;
        if answer.outcome != Outcome::P {
            return Ok(Some(Counterexample {
                position,
                actual: PositionFact::Outcome(answer.outcome),
                claimed: PositionFact::Outcome(Outcome::P),
            }));
        }
    }
    Ok(None)
}
