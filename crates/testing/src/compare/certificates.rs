//! Sets of P-positions against the checker, for a rule and for mutated rules. The
//! checker may accept a set for a mutated rule only if the outcomes are equal.

use super::{Counts, box_size, compiled, limits_for};
use crate::rng::Rng;
use nimrule_definition::{self as definition, GameGraph, Solution};
use nimrule_engine::Solver;
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_prove::Dfa;
use nimrule_prove::certificate::{Check, check};
use nimrule_prove::residual_learning::{SearchBounds, discover};

pub fn compare(text: &str, game: &Game, rng: &mut Rng, counts: &mut Counts) -> Result<(), String> {
    if game.position_kind != PositionKind::Heaps || game.no_grundy_values().is_some() {
        return Ok(());
    }
    for convention in [Convention::Normal, Convention::Misere] {
        let Some(set) = p_positions(game, convention) else {
            continue;
        };
        match check(game, None, convention, &set, &limits_for(1_000)) {
            Ok(Check::Accepted(_)) => counts.verified += 1,
            // A limit, or a part of the rule that the checker does not support.
            Ok(Check::Open(_)) | Err(_) => continue,
            Ok(Check::Refused(why)) => {
                return Err(format!(
                    "the prover finds the P-positions of {convention:?} play, and the checker \
                     refuses them: {why}"
                ));
            }
        }
        for _ in 0..6 {
            let Some(other) = mutated(text, rng).as_deref().and_then(compiled) else {
                continue;
            };
            let other = &other.game;
            if other.heap_names != game.heap_names {
                continue;
            }
            counts.mutants += 1;
            // The same set for the mutated rule.
            let checked = check(other, None, convention, &set, &limits_for(1_000));
            if matches!(checked, Ok(Check::Accepted(_)))
                && let Some(position) = differing_position(game, other, convention)
            {
                return Err(format!(
                    "the P-positions of {convention:?} play are accepted for a rule with another \
                     outcome at {position:?}:\n{}",
                    other
                        .moves
                        .iter()
                        .map(|m| m.words.clone())
                        .collect::<Vec<_>>()
                        .join("\n")
                ));
            }
        }
    }
    Ok(())
}

/// The P-positions, derived from the rule alone.
fn p_positions(game: &Game, convention: Convention) -> Option<Dfa> {
    let limits = limits_for(400);
    let bounds = SearchBounds {
        most_positions: 1 << 14,
        ..SearchBounds::default()
    };
    let found = discover(game, convention, &bounds, &limits).ok()?.found?;
    Some(found.set.as_ref().clone())
}

/// The text with one number or word of its moves changed.
fn mutated(text: &str, rng: &mut Rng) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let moves: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].starts_with("move "))
        .collect();
    let at = *moves.get(rng.below(moves.len().max(1) as u64) as usize)?;
    let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
    let place = 1 + rng.below(words.len() as u64 - 1) as usize;
    let word = words[place].clone();
    words[place] = match word.as_str() {
        "<" => "<=".to_owned(),
        "<=" => "<".to_owned(),
        ">" => ">=".to_owned(),
        "==" => "!=".to_owned(),
        "and" => "or".to_owned(),
        "or" => "and".to_owned(),
        "max" => "min".to_owned(),
        "+" => "-".to_owned(),
        "-" => "+".to_owned(),
        "1..2" => "-1..2".to_owned(),
        "-2..2" => "0..2".to_owned(),
        "0..2" => "-2..2".to_owned(),
        "all" => "one".to_owned(),
        "slow" => String::new(),
        "equal" => String::new(),
        _ => match word.parse::<i64>() {
            Ok(number) => (number + [1, -1][rng.below(2) as usize]).to_string(),
            Err(_) => return None,
        },
    };
    lines[at] = words.join(" ");
    Some(lines.join("\n"))
}

/// A position at which two rules have different outcomes, or at which one of them
/// may have a fault.
fn differing_position(one: &Game, other: &Game, convention: Convention) -> Option<Vec<u64>> {
    let most = box_size(&Solver::new(one), 400, 60_000)?;
    let positions = definition::positions(one, most).ok()?;
    let first = positions.first()?.clone();
    let (Ok(one), Ok(other)) = (
        GameGraph::from(one, &positions),
        GameGraph::from(other, &positions),
    ) else {
        return Some(first);
    };
    let one = Solution::of(&one, convention);
    let other = Solution::of(&other, convention);
    positions
        .into_iter()
        .find(|position| one.outcome(position) != other.outcome(position))
}
