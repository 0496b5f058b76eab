//! The options and faults of positions: the definition against the concrete walk
//! of the move-generator graph.

use super::{Counts, is_cheap};
use nimrule_definition as definition;
use nimrule_fixtures::Numbers;
use nimrule_ir::{self as ir, MoveGraph};
use nimrule_model::expr::{Fault as Kind, Num, Part, Set};
use nimrule_model::game::{Action, Game, PositionKind, Side};

/// The largest number of steps of a walk that is compared.
const MAX_STEPS: u64 = 4_000;

/// The largest number of steps if a number is chosen from an infinite set.
const MAX_STEPS_INFINITE: u64 = 200;

/// Compares the options of some positions of a game.
///
/// # Errors
///
/// What differs, in words.
pub fn compare(game: &Game, rng: &mut Numbers, counts: &mut Counts) -> Result<(), String> {
    if game.position_kind == PositionKind::Reals {
        return Ok(());
    }
    let mut graphs = vec![(None, ir::lower(game))];
    if game.has_sides() {
        graphs.extend(Side::BOTH.map(|side| (Some(side), ir::lower_for(game, side))));
    }
    let steps = if has_infinite_choice(game) {
        MAX_STEPS_INFINITE
    } else {
        MAX_STEPS
    };
    for position in positions(game, rng) {
        for (side, graph) in &graphs {
            if is_cheap(game, graph, &position, steps) {
                compare_options(game, graph, *side, &position, counts)?;
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
fn compare_options(
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
        // A limit of the implementation, which is not part of the language.
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

/// Positions of a game: small ones, and some with a heap whose size differs by at
/// most 1 from a constant of the rule or a power of two.
fn positions(game: &Game, rng: &mut Numbers) -> Vec<Vec<u64>> {
    let mut found = Vec::new();
    match &game.position_kind {
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
            let mut edges = constants(game);
            edges.extend((3..=11).map(|power| 1 << power));
            for round in 0..14 {
                let most = match round % 4 {
                    0 => 2,
                    1 => 4,
                    2 => 7,
                    _ => 3,
                };
                let mut position: Vec<u64> =
                    (0..game.heap_count()).map(|_| rng.below(most)).collect();
                if round % 4 == 3 {
                    let edge = *rng.pick(&edges);
                    let near = edge.saturating_add(rng.below(3)).saturating_sub(1);
                    let heap = rng.below(position.len() as u64) as usize;
                    position[heap] = near.min(2_049);
                }
                found.push(position);
            }
        }
        PositionKind::Tokens(_) | PositionKind::Multiset(_) => {
            let all = definition::positions(game, 6).unwrap_or_default();
            for _ in 0..14 {
                if !all.is_empty() {
                    found.push(rng.pick(&all).clone());
                }
            }
        }
    }
    found.retain(|position| definition::is_position(game, position) == Ok(true));
    found
}

/// Whether some number is chosen from an infinite set, which the definition
/// enumerates up to a large cutoff.
pub fn has_infinite_choice(game: &Game) -> bool {
    let has_infinite_choice =
        |set: &Set| matches!(set, Set::Range(_, None) | Set::Named(_) | Set::Powers(_));
    let mut choices = game.moves.iter().flat_map(|mover| &mover.choices);
    choices.any(|choice| has_infinite_choice(&choice.set.node))
}

/// Whether the cutoff of the definition is too large for a test.
pub fn has_large_cutoff(game: &Game) -> bool {
    has_infinite_choice(game) && constants(game).iter().any(|constant| *constant > 8)
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
                Action::Set { value, .. } => add(Part::Num(value)),
                Action::Replace { names, by, .. } => {
                    names.iter().for_each(|(_, set)| add(Part::Set(set)));
                    for new in by {
                        add(Part::Num(&new.size));
                        new.count.iter().for_each(|count| add(Part::Num(count)));
                    }
                }
                Action::Slide { .. } | Action::Split { .. } => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
