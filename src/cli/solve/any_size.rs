//! A position with heaps of any size, answered by what is proved for all.

use super::Arguments;
use crate::cli::load::{self, Answered};
use crate::cli::text::{self, FAINT, STRONG};
use crate::cli::{Format, Shared, Status, json, progress, prove};
use crate::game::{Field, Game};
use crate::prove::any_size::{self, Everywhere, Ground, Known};
use crate::prove::theorem::Trouble;
use num_bigint::BigUint;
use serde_json::json;
use std::io::Write as _;

/// Does a number stand here that is larger than the engines count?
pub(super) fn is_needed(written: &str) -> bool {
    written
        .split(|c: char| !c.is_ascii_digit())
        .any(|digits| !digits.is_empty() && digits.parse::<i64>().is_err())
}

pub(super) fn solve(
    arguments: &Arguments,
    shared: &Shared,
    game: &Game,
    written: &str,
) -> Answered<Status> {
    if arguments.grundy || arguments.engine.is_some() || arguments.no_claims {
        return Err(load::wrong(
            "a number of the position is too large for every engine, and what is proved tells \
             outcomes alone; leave out `--grundy`, `--engine` and `--no-claims`",
        ));
    }
    if game.field != Field::Heaps || game.may_repeat || game.has_sides() {
        return Err(load::wrong(
            "a number of the position is too large; only heaps whose number is fixed, in a game \
             in which both players have the same moves, may be as large as you like",
        ));
    }
    let position = read(game, written)?;
    let convention = arguments.convention();
    let (limits, _) = prove::patient(&shared.limits(), shared.time_limit);
    let everywhere = any_size::everywhere(game, convention, &limits)
        .map_err(|failure| load::failed(&failure, &crate::engine::Solver::new(game), None))?;
    let Some(everywhere) = everywhere else {
        return Err(load::wrong(
            "a number of the position is too large to be solved, and no claim about the \
             P-positions of this game is proved for all sizes; see `nimrule prove`",
        ));
    };
    let known = everywhere
        .answer(&position, &limits)
        .map_err(|trouble| match trouble {
            Trouble::Outside(outside) => load::wrong(&outside.why),
            Trouble::Met(met) => load::failed(
                &crate::engine::Failure::of_limit(met),
                &crate::engine::Solver::new(game),
                None,
            ),
        })?;
    if !known.is_position {
        return Err(load::wrong("`positions where` excludes this position"));
    }
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Text => write!(out, "{}", as_text(game, &position, &everywhere, &known)),
        Format::Json => {
            let mut head = json::head(game);
            head.insert("convention".into(), json!(convention.word()));
            head.insert("position".into(), numbers(&position));
            head.insert("outcome".into(), json!(if known.is_p { "P" } else { "N" }));
            head.insert("grundy".into(), json!(null));
            let moves: Vec<_> = known.winning.iter().map(|to| numbers(to)).collect();
            head.insert("winning_moves".into(), json!(moves));
            head.insert("one_a_selection".into(), json!(true));
            head.insert("method".into(), json!("proof"));
            head.insert(
                "basis".into(),
                match &everywhere.ground {
                    Ground::Claim(_, claim) => {
                        json!({"claim": claim.words, "standing": "proved"})
                    }
                    Ground::Discovered => json!({"standing": "proved"}),
                },
            );
            writeln!(out, "{}", serde_json::Value::from(head))
        }
        Format::Csv => {
            return Err(load::wrong(
                "a position of this size is answered in text or json; take one of these",
            ));
        }
    };
    super::finish(written)
}

/// Numbers of any size: as such where scripts can read them so, else in quotes.
fn numbers(numbers: &[BigUint]) -> serde_json::Value {
    let one = |number: &BigUint| match u64::try_from(number) {
        Ok(small) => json!(small),
        Err(_) => json!(number.to_string()),
    };
    numbers.iter().map(one).collect()
}

/// A position written as sizes in order, or as `name=size`.
fn read(game: &Game, written: &str) -> Answered<Vec<BigUint>> {
    let inner = written.trim().trim_start_matches('(').trim_end_matches(')');
    let words: Vec<&str> = inner
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect();
    let size = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        is_number
            .then(|| BigUint::parse_bytes(digits.as_bytes(), 10))
            .flatten()
            .ok_or_else(|| load::wrong(&format!("`{}` is no heap's size", shortened(digits))))
    };
    let heaps = game.heap_count();
    if words.iter().any(|word| word.contains('=')) {
        let mut position = vec![BigUint::ZERO; heaps];
        for word in words {
            let (name, digits) = word.split_once('=').unwrap_or((word, ""));
            let Some(heap) = game.heap_names.iter().position(|other| other == name) else {
                return Err(load::wrong(&format!(
                    "there is no heap `{name}`; the heaps are {}",
                    text::wrapped(&game.heap_names.join(" "), 60, 2)
                )));
            };
            position[heap] = size(digits)?;
        }
        return Ok(position);
    }
    if words.len() != heaps {
        return Err(load::wrong(&format!(
            "the position has {} numbers, and the game {heaps} heaps: {}",
            words.len(),
            text::wrapped(&game.heap_names.join(" "), 60, 2)
        )));
    }
    words.into_iter().map(size).collect()
}

/// A long number by its ends.
fn shortened(digits: &str) -> String {
    if digits.len() <= 30 {
        return digits.to_owned();
    }
    format!(
        "{}…{} ({} digits)",
        &digits[..10],
        &digits[digits.len() - 10..],
        text::grouped(digits.len() as u128)
    )
}

fn as_text(
    game: &Game,
    position: &[BigUint],
    everywhere: &Everywhere<'_>,
    known: &Known,
) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n\n", text::heading(game));
    let width = game.heap_names.iter().map(String::len).max().unwrap_or(0);
    for (name, size) in game.heap_names.iter().zip(position) {
        shown.push_str(&format!(
            "  {name:<width$}  {}\n",
            shortened(&size.to_string())
        ));
    }
    let outcome = if known.is_p {
        "P: whoever moved here wins"
    } else {
        "N: the player to move wins"
    };
    shown.push_str(&format!("\n  {STRONG}{outcome}{STRONG:#}\n"));
    let by = match &everywhere.ground {
        Ground::Claim(number, claim) => format!(
            "claim {number} of the file, proved for all sizes: {}",
            claim.words
        ),
        Ground::Discovered => format!(
            "an automaton of {} states, found from the rule and proved",
            text::grouped(everywhere.states as u128)
        ),
    };
    shown.push_str(&format!(
        "  {FAINT}by {}{FAINT:#}\n",
        text::wrapped(&by, 72, 5)
    ));
    if !known.winning.is_empty() {
        shown.push_str("\nWinning moves, one for each choice of heaps that has one\n");
        for option in &known.winning {
            shown.push('\n');
            for ((name, before), after) in game.heap_names.iter().zip(position).zip(option) {
                if before != after {
                    shown.push_str(&format!(
                        "  {name:<width$}  to {}\n",
                        shortened(&after.to_string())
                    ));
                }
            }
        }
        shown.push_str(&format!(
            "\n{FAINT}`--format json` gives all digits{FAINT:#}\n"
        ));
    } else if !known.is_p {
        shown.push_str("\nNo move is needed: who cannot move wins.\n");
    }
    shown
}
