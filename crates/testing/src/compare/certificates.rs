//! Sets of P-positions and Grundy values against the checker, for a rule and for mutated
//! rules. The checker may accept a set for a mutated rule only if the outcomes are equal. A
//! set that is accepted is compared with the definition, and mutated sets are not accepted.

use super::{Counts, box_size, compiled, limits_for};
use nimrule_checker::{Certificate, Proves, verify};
use nimrule_definition::{self as definition, GameGraph, GrundyValues, Solution};
use nimrule_discover::residual_learning::{
    AttemptFailure, SearchBounds, discover, discover_values,
};
use nimrule_engine::Solver;
use nimrule_fixtures::Numbers;
use nimrule_model::game::{Class, Convention, Game, PositionKind};
use nimrule_prove::Dfa;
use nimrule_prove::certificate::{Check, check};

pub fn compare(
    text: &str,
    game: &Game,
    rng: &mut Numbers,
    counts: &mut Counts,
) -> Result<(), String> {
    if game.position_kind != PositionKind::Heaps || game.no_grundy_values().is_some() {
        return Ok(());
    }
    for convention in [Convention::Normal, Convention::Misere] {
        if let Some(certificate) = values(game, convention)? {
            counts.verified += 1;
            compare_accepted(game, &certificate, rng, counts)?;
        }
        let Some(set) = p_positions(game, convention) else {
            continue;
        };
        match check(
            game,
            Proves::PPositions,
            None,
            convention,
            &set,
            &limits_for(1_000),
        ) {
            Ok(Check::Accepted(certificate)) => {
                counts.verified += 1;
                compare_accepted(game, &certificate, rng, counts)?;
            }
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
            let checked = check(
                other,
                Proves::PPositions,
                None,
                convention,
                &set,
                &limits_for(1_000),
            );
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

/// Compares an accepted set with the definition at small positions, and checks that sets
/// that differ from it in one arc or node are not accepted.
fn compare_accepted(
    game: &Game,
    certificate: &Certificate,
    rng: &mut Numbers,
    counts: &mut Counts,
) -> Result<(), String> {
    let convention = certificate.convention;
    let has =
        |set: &nimrule_checker::Dfa, numbers: &[u64]| set.accepts(certificate.numeration, numbers);
    let most = box_size(&Solver::new(game), 400, 60_000);
    if let Some(positions) = most.and_then(|most| definition::positions(game, most).ok()) {
        let graph = GameGraph::from(game, &positions).map_err(|_| {
            format!("a certificate of {convention:?} play, and the rule has a fault")
        })?;
        let solution = Solution::of(&graph, convention);
        let mut values = GrundyValues::new(&graph, convention);
        for position in &positions {
            let holds = match certificate.proves {
                Proves::PPositions | Proves::SomePPositions => {
                    has(&certificate.set, position)
                        == (solution.outcome(position) == Some(Class::P))
                }
                Proves::GrundyValues => values.of(position).is_some_and(|value| {
                    let with =
                        |value: u64| has(&certificate.set, &[position, &[value][..]].concat());
                    with(value) && !with(value + 1) && (value == 0 || !with(value - 1))
                }),
            };
            if !holds {
                let what = certificate.proves.words();
                return Err(format!(
                    "accepted, {what} ({convention:?}), and wrong at {position:?}"
                ));
            }
        }
    }
    for _ in 0..4 {
        let mut other = certificate.clone();
        if let Some(set) = other_set(&certificate.set, rng) {
            other.set = set;
            counts.mutants += 1;
            if verify(game, &other, &limits_for(500)).is_ok() {
                return Err(format!("another set is accepted: {}", other.text()));
            }
        }
    }
    Ok(())
}

/// A set that differs in one arc, or in whether one node accepts; `None` if it is the same
/// set or no set of positions.
fn other_set(set: &nimrule_checker::Dfa, rng: &mut Numbers) -> Option<nimrule_checker::Dfa> {
    let mut other = set.clone();
    let nodes = set.nodes() as u64;
    let node = 2 + rng.below(nodes.checked_sub(2).filter(|named| *named > 0)?) as usize;
    if rng.percent(30) {
        other.accepting[node] ^= true;
    } else {
        let digit = rng.below(set.radix as u64) as usize;
        other.next[node * set.radix + digit] = rng.below(nodes) as u32;
    }
    let is_whole = other.is_levelled() && other.ignores_leading_zeros();
    let other = other
        .canonical(&limits_for(500))
        .ok()
        .filter(|_| is_whole)?;
    (other != *set).then_some(other)
}

/// The certificate of the Grundy values, derived from the rule alone.
fn values(game: &Game, convention: Convention) -> Result<Option<Box<Certificate>>, String> {
    let bounds = SearchBounds {
        most_positions: 1 << 12,
        ..SearchBounds::default()
    };
    let Ok(result) = discover_values(game, convention, &bounds, &limits_for(300)) else {
        return Ok(None);
    };
    let refused = result
        .attempts
        .iter()
        .find_map(|attempt| match &attempt.failure {
            AttemptFailure::NotAccepted(why) => Some(why),
            _ => None,
        });
    match refused {
        Some(why) => Err(format!(
            "the prover finds the values of {convention:?} play, and the checker refuses them: {why}"
        )),
        None => Ok(result.found.and_then(|found| found.certificate)),
    }
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
fn mutated(text: &str, rng: &mut Numbers) -> Option<String> {
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
