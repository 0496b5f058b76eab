//! Certificates of a rule held against changed rules: one is accepted only if
//! the set that it says is that of the changed rule's P-positions, too.

use super::{Counts, box_size, compiled, within};
use crate::numbers::Numbers;
use nimrule::engine::Solver;
use nimrule::game::{Convention, Field, Game};
use nimrule::prove::certificate::held::held;
use nimrule::prove::certificate::{self, write_set};
use nimrule::prove::residual_learning::{Attempts, discover};
use nimrule_definition::{self as definition, Reached, Solution};

pub fn compare(
    text: &str,
    game: &Game,
    numbers: &mut Numbers,
    counts: &mut Counts,
) -> Result<(), String> {
    if game.field != Field::Heaps || game.no_values().is_some() {
        return Ok(());
    }
    for convention in [Convention::Normal, Convention::Misere] {
        let Some(written) = written(game, convention) else {
            continue;
        };
        let read = certificate::read(&written).map_err(|e| format!("what is written: {e}"))?;
        match held(game, &read, &within(1_000)) {
            Ok(_) => counts.verified += 1,
            // A limit, or what the checker cannot read.
            Err(_) => continue,
        }
        for _ in 0..6 {
            let Some(other) = changed(text, numbers).as_deref().and_then(compiled) else {
                continue;
            };
            let other = &other.game;
            if other.heap_names != game.heap_names {
                continue;
            }
            counts.mutants += 1;
            if held(other, &read, &within(1_000)).is_ok()
                && let Some(position) = differs(game, other, convention)
            {
                return Err(format!(
                    "the certificate of {convention:?} play is accepted for a rule with another \
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

/// A certificate of the rule alone.
fn written(game: &Game, convention: Convention) -> Option<String> {
    let limits = within(400);
    let attempts = Attempts {
        most_positions: 1 << 14,
        ..Attempts::default()
    };
    let found = discover(game, convention, &attempts, &limits).ok()?.found?;
    match &found.certificate {
        Some(proof) => certificate::write(game, None, convention, proof).ok(),
        None => write_set(game, None, convention, &found.set, &limits).ok(),
    }
}

/// The text with one number or word of its moves put differently.
fn changed(text: &str, numbers: &mut Numbers) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let moves: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].starts_with("move "))
        .collect();
    let at = *moves.get(numbers.below(moves.len().max(1) as u64) as usize)?;
    let mut words: Vec<String> = lines[at].split(' ').map(str::to_owned).collect();
    let place = 1 + numbers.below(words.len() as u64 - 1) as usize;
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
            Ok(number) => (number + [1, -1][numbers.below(2) as usize]).to_string(),
            Err(_) => return None,
        },
    };
    lines[at] = words.join(" ");
    Some(lines.join("\n"))
}

/// A position at which two rules have different outcomes, or a fault in one.
fn differs(one: &Game, other: &Game, convention: Convention) -> Option<Vec<u64>> {
    let most = box_size(&Solver::new(one), 400, 60_000)?;
    let positions = definition::positions(one, most).ok()?;
    let first = positions.first()?.clone();
    let (Ok(one), Ok(other)) = (
        Reached::from(one, &positions),
        Reached::from(other, &positions),
    ) else {
        return Some(first);
    };
    let one = Solution::of(&one, convention);
    let other = Solution::of(&other, convention);
    positions
        .into_iter()
        .find(|position| one.outcome(position) != other.outcome(position))
}
