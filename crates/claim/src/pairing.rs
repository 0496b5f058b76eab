//! `claim P by pairing …`: who moves second answers in the partners.
//!
//! The claim speaks of the positions with equal heaps in each pair and nothing
//! elsewhere, and says that they are P. Where the rule is such that the answer
//! is always there, that is proved for all sizes ([`nimrule_ir::pairing`]);
//! elsewhere it is a claim like others, and held against the outcomes.

use super::{Counterexample, Said, Standing};
use nimrule_engine::{self as engine, Failure, Limits, Outcome, Request, Solver};
use nimrule_ir as ir;
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Convention, PositionKind};

/// The name of the theorem.
pub const THEOREM: &str = "pairing";

type Pairs = [(HeapId, HeapId)];

/// Are the heaps of each pair equal, and all others empty?
pub fn speaks_of(pairs: &Pairs, position: &[u64]) -> bool {
    let equal = |(one, other): &(HeapId, HeapId)| position[one.index()] == position[other.index()];
    let in_pairs: u128 = pairs
        .iter()
        .map(|(one, other)| u128::from(position[one.index()]) + u128::from(position[other.index()]))
        .sum();
    pairs.iter().all(equal) && in_pairs == position.iter().map(|size| u128::from(*size)).sum()
}

/// How it is known that such positions are P, or why it is not.
pub fn proof(solver: &Solver<'_>, pairs: &Pairs, convention: Convention) -> Result<String, String> {
    let game = solver.game;
    if convention == Convention::Misere {
        return Err("under misere play it is not good to take last".to_owned());
    }
    if game.has_sides() {
        return Err("the players move differently".to_owned());
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

/// Judges the claim, unless that asks for a table of outcomes.
pub fn check(
    solver: &Solver<'_>,
    pairs: &Pairs,
    convention: Convention,
    most: u64,
    limits: &Limits,
) -> Result<Option<Standing>, Failure> {
    let reason = match proof(solver, pairs, convention) {
        Ok(by) => {
            return Ok(Some(Standing::Proved {
                theorem: THEOREM,
                by,
            }));
        }
        Err(reason) => reason,
    };
    if most > 0 {
        return Ok(None);
    }
    // Not even a box of single tokens can be solved whole: what goes wrong most
    // often goes wrong with few of them.
    for tokens in [1, 2] {
        if let Some(found) = few(solver, pairs, convention, tokens, limits)? {
            return Ok(Some(Standing::Refuted(found)));
        }
    }
    Ok(Some(Standing::Unknown {
        why: format!("not proved, since {reason}; and it does not fail with one or two pairs"),
    }))
}

/// Two pairs of more than these are too many.
const MOST_PAIRS: usize = 100;

/// The smallest position at which the claim fails, of those in which the heaps
/// of one or two pairs have a token each.
fn few(
    solver: &Solver<'_>,
    pairs: &Pairs,
    convention: Convention,
    chosen: usize,
    limits: &Limits,
) -> Result<Option<Counterexample>, Failure> {
    let mut positions = Vec::new();
    for (place, first) in pairs.iter().enumerate() {
        let seconds = match chosen {
            1 => &pairs[place..=place],
            _ if pairs.len() > MOST_PAIRS => &[],
            _ => &pairs[place + 1..],
        };
        for second in seconds {
            let mut position = vec![0; solver.game.heap_count()];
            for (one, other) in [first, second] {
                position[one.index()] = 1;
                position[other.index()] = 1;
            }
            positions.push(position);
        }
    }
    positions.sort_unstable();
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
                actual: Said::Outcome(answer.outcome),
                claimed: Said::Outcome(Outcome::P),
            }));
        }
    }
    Ok(None)
}
