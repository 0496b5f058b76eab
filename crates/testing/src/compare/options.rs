//! The options of positions, and the faults on the way to them: the
//! definition and the walk of the move-generator graph.

use super::{Counts, is_cheap};
use crate::numbers::Numbers;
use nimrule_definition as definition;
use nimrule_ir::{self as ir, MoveGraph};
use nimrule_model::expr::{Fault as Kind, Num, Part, Set};
use nimrule_model::game::{Action, Field, Game, Side};

/// A walk of more steps is passed over.
const STEPS: u64 = 4_000;

/// The same where a number is chosen from a set without end.
const FEW_STEPS: u64 = 200;

/// Compares the options of some positions of a game.
///
/// # Errors
///
/// What differs, in words.
pub fn compare(game: &Game, numbers: &mut Numbers, counts: &mut Counts) -> Result<(), String> {
    if game.field == Field::Reals {
        return Ok(());
    }
    let mut graphs = vec![(None, ir::lower(game))];
    if game.has_sides() {
        graphs.extend(Side::BOTH.map(|side| (Some(side), ir::lower_for(game, side))));
    }
    let steps = if is_endless(game) { FEW_STEPS } else { STEPS };
    for position in positions(game, numbers) {
        for (side, graph) in &graphs {
            if is_cheap(graph, &position, steps) {
                options_agree(game, graph, *side, &position, counts)?;
            }
        }
    }
    Ok(())
}

/// Compares the options of one position.
///
/// # Errors
///
/// What differs, in words.
pub fn options_agree(
    game: &Game,
    graph: &MoveGraph,
    side: Option<Side>,
    position: &[u64],
    counts: &mut Counts,
) -> Result<(), String> {
    counts.positions += 1;
    let at = || format!("at {}, side {side:?}", game.shown(position));
    let right = definition::moves(game, position, side);
    let found = ir::moves(graph, position);
    match found {
        // A limit, and no part of the language.
        Err(fault)
            if matches!(
                fault.kind,
                Kind::TooManyMembers | Kind::TooManyImages | Kind::TooManyHeaps
            ) =>
        {
            Ok(())
        }
        Err(fault) => {
            counts.faults += 1;
            let place = fault.place();
            let is_right =
                |right: &definition::Fault| right.kind == fault.kind && place == Some(right.at);
            match right.faults.iter().any(is_right) {
                true => Ok(()),
                false => Err(format!(
                    "{}: the walk has the fault `{fault}` at {place:?}, the definition {right:?}",
                    at()
                )),
            }
        }
        Ok(found) => {
            if let Some(fault) = right.faults.first() {
                return Err(format!(
                    "{}: the walk has no fault, the definition `{fault}`",
                    at()
                ));
            }
            let missing: Vec<_> = right
                .options
                .iter()
                .filter(|o| !found.contains(o))
                .collect();
            let extra: Vec<_> = found
                .iter()
                .filter(|o| !right.options.contains(*o))
                .collect();
            match missing.is_empty() && extra.is_empty() {
                true => Ok(()),
                false => Err(format!(
                    "{}: the walk misses {missing:?}, adds {extra:?}",
                    at()
                )),
            }
        }
    }
}

/// Positions of a game: small ones, and some with a heap beside a constant of
/// the rule or a power of two.
fn positions(game: &Game, numbers: &mut Numbers) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    match &game.field {
        Field::Heaps | Field::Reals => {
            let mut edges = constants(game);
            edges.extend((3..=11).map(|power| 1 << power));
            for round in 0..14 {
                let most = match round % 4 {
                    0 => 2,
                    1 => 4,
                    2 => 7,
                    _ => 3,
                };
                let mut position: Vec<u64> = (0..game.heap_count())
                    .map(|_| numbers.below(most))
                    .collect();
                if round % 4 == 3 {
                    let edge = *numbers.pick(&edges);
                    let near = edge.saturating_add(numbers.below(3)).saturating_sub(1);
                    let heap = numbers.below(position.len() as u64) as usize;
                    position[heap] = near.min(2_049);
                }
                found.push(position);
            }
        }
        Field::Tokens(_) | Field::Bag(_) => {
            let all = definition::positions(game, 6).unwrap_or_default();
            for _ in 0..14 {
                if !all.is_empty() {
                    found.push(numbers.pick(&all).clone());
                }
            }
        }
    }
    found.retain(|position| definition::is_position(game, position) == Ok(true));
    found
}

/// Whether some number is chosen from a set without end, which the definition
/// looks through very far.
pub fn is_endless(game: &Game) -> bool {
    let is_endless = |set: &Set| matches!(set, Set::Range(_, None) | Set::Squares | Set::Powers(_));
    let mut choices = game.moves.iter().flat_map(|mover| &mover.choices);
    choices.any(|choice| is_endless(&choice.set.node))
}

/// Whether that would take too long.
pub fn is_far(game: &Game) -> bool {
    is_endless(game) && constants(game).iter().any(|constant| *constant > 8)
}

/// The positive constants of a rule.
pub fn constants(game: &Game) -> Vec<u64> {
    let mut found = Vec::new();
    let mut add = |part: Part<'_>| {
        part.any(&mut |part| {
            if let Part::Num(Num::Const(value)) = part {
                found.extend(u64::try_from(*value).ok().filter(|value| *value > 0));
            }
            false
        });
    };
    for mover in &game.moves {
        mover.when.iter().for_each(|when| add(Part::Bool(when)));
        for choice in &mover.choices {
            add(Part::Set(&choice.set));
            choice.condition.iter().for_each(|c| add(Part::Bool(c)));
        }
        for step in &mover.steps {
            step.action
                .condition()
                .iter()
                .for_each(|c| add(Part::Bool(c)));
            match &step.action {
                Action::Take { amount, .. } => {
                    amount.numbers.iter().for_each(|set| add(Part::Set(set)));
                }
                Action::Put { amount, .. } => add(Part::Set(amount)),
                Action::Slide { .. } | Action::Split { .. } => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
