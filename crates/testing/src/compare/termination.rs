//! The termination measure of a rule: every move of the definition lowers it.

use super::Counts;
use nimrule_definition as definition;
use nimrule_model::digraph::Digraph;
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
        PositionKind::Tokens(_) if !game.facts.termination.levels.is_empty() => u64::MAX - 1,
        PositionKind::Tokens(_) | PositionKind::Reals | PositionKind::Open(_) => return Ok(()),
    };
    if game.may_repeat {
        return Ok(());
    }
    let mut steps = game.moves.iter().flat_map(|mover| &mover.steps);
    let takes = steps.all(|step| matches!(step.action, Action::Take { .. }));
    for position in definition::positions(game, most).unwrap_or_default() {
        let options = definition::moves(game, &position, None).options;
        // Where no move is possible a measure need not have a value: the longest path of a
        // token on a cycle has none.
        if options.is_empty() {
            continue;
        }
        let Some(before) = measured(game, &position)? else {
            continue;
        };
        for option in options {
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
    if let PositionKind::Multiset(kinds) = &game.position_kind {
        let tokens = game.tokens(position) as i64;
        let heaps = match measure.more_heaps {
            true => -(position.len() as i64),
            false => 0,
        };
        // Multisets are compared as descending lists, each with an end below every heap.
        let mut heaps_of_order = Vec::new();
        if let Some(order) = &measure.order {
            let heaps = position.iter().filter(|heap| kinds.state(**heap).is_none());
            let keys = heaps.map(|heap| {
                let (size, kind) = kinds.decode(*heap);
                order.key(size, kind)
            });
            let mut keys: Vec<_> = keys.collect();
            keys.sort_unstable();
            for (level, size, rank) in keys.into_iter().rev() {
                heaps_of_order.extend([level as i64 + 1, size as i64, rank as i64]);
            }
            heaps_of_order.push(0);
        }
        let states = measure.levels.iter().map(|weights| {
            let states = position.iter().filter_map(|heap| kinds.state(*heap));
            states
                .map(|(state, value)| weights[state] * value as i64)
                .sum()
        });
        let by_tokens = match measure.order {
            Some(_) => Vec::new(),
            None => vec![tokens, heaps],
        };
        let of_heaps = heaps_of_order.into_iter().chain(by_tokens);
        return Ok(Some(of_heaps.chain(states).collect()));
    }
    let weighted = measure.levels.iter().map(|weights| {
        let terms = weights.iter().zip(position).enumerate();
        let of = |(place, (weight, number)): (usize, (&i64, &u64))| match game.digraph_of(place) {
            Some(_) if *weight == 0 => 0,
            Some(digraph) => weight * longest_path(digraph, digraph.state(*number).unwrap_or(0)),
            None => weight * *number as i64,
        };
        terms.map(of).sum()
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

/// The length of the longest path from a vertex of a small acyclic digraph.
fn longest_path(digraph: &Digraph, state: usize) -> i64 {
    let next = digraph.relation.from(state).iter();
    let paths = next.map(|to| 1 + longest_path(digraph, *to as usize));
    paths.max().unwrap_or(0)
}
