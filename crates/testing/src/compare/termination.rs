//! The termination measure of a rule: every move of the definition lowers it.

use super::Counts;
use nimrule_definition as definition;
use nimrule_model::game::{Action, Game, PositionKind};

/// The positions of a box of one to three heaps, and the number of tokens of a multiset.
const SIZES: [u64; 4] = [6, 6, 4, 3];
const TOKENS: u64 = 6;

/// Compares the moves from small positions with the termination measure.
///
/// # Errors
///
/// A move that does not lower the measure, in words.
pub fn compare(game: &Game, counts: &mut Counts) -> Result<(), String> {
    let most = match game.position_kind {
        PositionKind::Heaps => match SIZES.get(game.heap_count()) {
            Some(most) => *most,
            None => return Ok(()),
        },
        PositionKind::Multiset(_) => TOKENS,
        PositionKind::Tokens(_) | PositionKind::Reals => return Ok(()),
    };
    if game.may_repeat {
        return Ok(());
    }
    let mut steps = game.moves.iter().flat_map(|mover| &mover.steps);
    let takes = steps.all(|step| matches!(step.action, Action::Take { .. }));
    for position in definition::positions(game, most).unwrap_or_default() {
        let Some(before) = measured(game, &position)? else {
            continue;
        };
        for option in definition::moves(game, &position, None).options {
            let Some(after) = measured(game, &option)? else {
                continue;
            };
            counts.lowered += u64::from(!takes);
            if after >= before {
                return Err(format!(
                    "the move from {} to {} does not lower the measure {:?}: {before:?}, {after:?}",
                    game.shown(&position),
                    game.shown(&option),
                    game.facts.termination
                ));
            }
        }
    }
    Ok(())
}

/// The numbers of the measure at a position; `None` where one of them has a fault.
fn measured(game: &Game, position: &[u64]) -> Result<Option<Vec<i64>>, String> {
    let measure = &game.facts.termination;
    if let PositionKind::Multiset(_) = game.position_kind {
        let tokens = game.tokens(position) as i64;
        let heaps = match measure.more_heaps {
            true => -(position.len() as i64),
            false => 0,
        };
        return Ok(Some(vec![tokens, heaps]));
    }
    let weighted = measure.levels.iter().map(|weights| {
        let terms = weights.iter().zip(position);
        terms.map(|(weight, size)| weight * *size as i64).sum()
    });
    let mut numbers: Vec<i64> = weighted.collect();
    let environment = definition::Environment::new(game, position);
    for number in &measure.named {
        match environment.number(number) {
            Ok(number) => numbers.push(number),
            Err(_) => return Ok(None),
        }
    }
    match numbers.is_empty() {
        true => Err("the rule has no measure".to_owned()),
        false => Ok(Some(numbers)),
    }
}
