//! What `discover` found, in text and as JSON.

use super::{By, Found, Origin, Unknown};
use crate::cli::json;
use crate::cli::text::{self, BAD, FAINT, GOOD, STRONG};
use crate::game::{Convention, Game};
use crate::limits::Met;
use crate::prove::Numeration;
use crate::prove::decide::statements;
use crate::prove::{free, tails};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

pub(super) const FOUND: &str = "found and proved";
const KEPT: &str = "kept from before";

/// The game and its sources.
pub(super) fn head(game: &Game) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n", text::heading(game));
    for source in &game.sources {
        let source = text::wrapped(source, 78, 0);
        shown.push_str(&format!("{FAINT}{source}{FAINT:#}\n"));
    }
    shown
}

pub(super) fn play(convention: Convention) -> &'static str {
    match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    }
}

pub(super) fn as_text(
    game: &Game,
    convention: Convention,
    found: &Found,
    allowed: Duration,
    certificate: Option<&Path>,
) -> String {
    let mut shown = head(game);
    let play = play(convention);
    shown.push_str(&format!("\nThe P-positions of all sizes{play}\n\n"));
    match found {
        Found::Proved(proved) => {
            let (standing, took) = match proved.kept {
                None => (FOUND, format!(" in {}", text::in_seconds(proved.took))),
                Some(_) => (KEPT, String::new()),
            };
            let words = format!(
                "{standing}{took}: an automaton of {} over the digits in {}, {}",
                counted(proved.set.states()),
                numeration(proved.set.numeration()),
                by(&proved.by),
            );
            let words = text::wrapped(&words, 76, 2);
            let rest = words.strip_prefix(standing).unwrap_or(&words);
            shown.push_str(&format!("  {GOOD}{standing}{GOOD:#}{rest}\n"));
            for checked in statements(convention) {
                let checked = text::wrapped(checked, 74, 4);
                shown.push_str(&format!("  {FAINT}- {checked}{FAINT:#}\n"));
            }
            match proved.form.words() {
                Some(words) => {
                    let words = text::wrapped(&format!("P iff {words}"), 74, 4);
                    shown.push_str(&format!(
                        "\n  In a claim's words, proved equal to the automaton:\n\n    \
                         {STRONG}{words}{STRONG:#}\n"
                    ));
                }
                None => shown.push_str(&format!(
                    "\n  {FAINT}No closed form was found among those that are tried.{FAINT:#}\n"
                )),
            }
            if let Some(path) = &proved.kept {
                let kept = format!("kept in {}; `--no-cache` finds it anew", path.display());
                let kept = text::wrapped(&kept, 76, 2);
                shown.push_str(&format!("\n  {FAINT}{kept}{FAINT:#}\n"));
            }
            if let Some(path) = certificate {
                shown.push_str(&format!("\n  certificate {}\n", path.display()));
            }
        }
        Found::Unknown(unknown) => {
            shown.push_str(&format!(
                "  {BAD}unknown{BAD:#}: no automaton closed. So many new tails appeared after\n  \
                 prefixes of 0, 1, 2, … digits:\n\n"
            ));
            match unknown {
                Unknown::Rule(attempts) => grown(&mut shown, attempts, allowed),
                Unknown::Box(attempts) => guessed(&mut shown, attempts),
            }
        }
        Found::Outside(why) => {
            shown.push_str(&format!("  outside: {}\n", text::wrapped(why, 68, 2)));
        }
    }
    shown
}

/// How numbers are written.
pub(super) fn numeration(numeration: Numeration) -> String {
    match numeration {
        Numeration::Base(base) => format!("base {base}"),
        Numeration::Zeckendorf => "Zeckendorf's numeration".to_owned(),
    }
}

pub(super) fn counted(states: usize) -> String {
    match states {
        1 => "1 state".to_owned(),
        _ => format!("{} states", text::grouped(states as u128)),
    }
}

fn digits(count: usize) -> String {
    match count {
        1 => "1 digit".to_owned(),
        _ => format!("{count} digits"),
    }
}

fn by(by: &By) -> String {
    match by {
        By::Claim(words) => format!("proved by the claim `{words}`"),
        By::Rule(Origin::Rule { depth }) => format!("grown from blocks of {}", digits(*depth)),
        By::Rule(Origin::Box { digits, depth }) => guessed_from(*digits, *depth),
    }
}

pub(super) fn guessed_from(long: usize, depth: usize) -> String {
    format!(
        "guessed from the solved positions with numbers of {}, by tails that agree to {}",
        digits(long),
        digits(depth)
    )
}

fn listed(tails: &[usize]) -> String {
    let all: Vec<String> = tails.iter().map(|n| text::grouped(*n as u128)).collect();
    text::wrapped(&all.join(", "), 60, 4)
}

fn grown(shown: &mut String, attempts: &[free::Attempt], allowed: Duration) {
    for attempt in attempts {
        shown.push_str(&format!(
            "  blocks of {}: {}\n    {}\n",
            attempt.depth,
            listed(&attempt.grown.tails),
            text::wrapped(&why(attempt, allowed), 72, 4),
        ));
    }
}

pub(super) fn guessed(shown: &mut String, attempts: &[tails::Attempt]) {
    for attempt in attempts {
        let within = match attempt.digits {
            0 => "no positions could be solved".to_owned(),
            long => format!("numbers of up to {}", digits(long)),
        };
        shown.push_str(&format!("  {}, {within}\n", numeration(attempt.numeration)));
        for (depth, tails) in &attempt.tails {
            shown.push_str(&format!("    blocks of {depth}: {}\n", listed(tails)));
        }
        let why = match &attempt.failure {
            tails::Failure::Open => "new tails up to the end of what could be solved".to_owned(),
            tails::Failure::Differs => {
                "it closed, and what it closed to is not what the engines say".to_owned()
            }
            tails::Failure::Refuted(_) => {
                "it closed, and the proof refuted what it closed to".to_owned()
            }
            tails::Failure::Undecided(_) => {
                "it closed, and the proof met a limit before its end".to_owned()
            }
        };
        shown.push_str(&format!("    {}\n", text::wrapped(&why, 72, 4)));
    }
}

fn why(attempt: &free::Attempt, allowed: Duration) -> String {
    match (&attempt.failure, attempt.grown.met) {
        (free::Failure::Refuted(_), _) => {
            "it closed, and the proof refuted what it closed to".to_owned()
        }
        (free::Failure::Undecided(_), _) => {
            "it closed, and the proof met a limit before its end".to_owned()
        }
        (free::Failure::Open, Some(Met::Time)) => {
            format!("still growing after {}", text::in_seconds(allowed))
        }
        (free::Failure::Open, Some(Met::Memory { .. })) => {
            "still growing where the memory ended".to_owned()
        }
        (free::Failure::Open, Some(Met::Stopped)) => "stopped".to_owned(),
        (free::Failure::Open, None) => "still growing at the most states allowed".to_owned(),
    }
}

pub(super) fn as_json(
    game: &Game,
    convention: Convention,
    found: &Found,
    certificate: Option<&Path>,
) -> Value {
    let mut head = json::head(game);
    head.insert("convention".to_owned(), json!(convention.word()));
    match found {
        Found::Proved(proved) => {
            head.insert("standing".to_owned(), json!("proved"));
            head.insert("states".to_owned(), json!(proved.set.states()));
            head.insert("base".to_owned(), base(proved.set.numeration()));
            let block = match &proved.by {
                By::Rule(Origin::Rule { depth } | Origin::Box { depth, .. }) => Some(depth),
                By::Claim(_) => None,
            };
            head.insert("block".to_owned(), json!(block));
            head.insert("checked".to_owned(), json!(statements(convention)));
            head.insert("form".to_owned(), json!(proved.form.words()));
            head.insert("certificate".to_owned(), json!(certificate));
            if let Some(path) = &proved.kept {
                head.insert("kept".to_owned(), json!(path));
            }
        }
        Found::Unknown(unknown) => {
            head.insert("standing".to_owned(), json!("unknown"));
            head.insert("states".to_owned(), Value::Null);
            head.insert("form".to_owned(), Value::Null);
            let growth: Vec<Value> = match unknown {
                Unknown::Rule(attempts) => attempts
                    .iter()
                    .map(|attempt| json!({"block": attempt.depth, "tails": attempt.grown.tails}))
                    .collect(),
                Unknown::Box(attempts) => attempts.iter().flat_map(growth).collect(),
            };
            head.insert("growth".to_owned(), json!(growth));
        }
        Found::Outside(why) => {
            head.insert("standing".to_owned(), json!("outside"));
            head.insert("states".to_owned(), Value::Null);
            head.insert("form".to_owned(), Value::Null);
            head.insert("reason".to_owned(), json!(why));
        }
    }
    head.into()
}

pub(super) fn growth(attempt: &tails::Attempt) -> Vec<Value> {
    let base = base(attempt.numeration);
    let of_depth = |(depth, tails): &(usize, Vec<usize>)| json!({"base": base, "block": depth, "tails": tails});
    attempt.tails.iter().map(of_depth).collect()
}

/// The base as a number, or the name of another numeration.
pub(super) fn base(numeration: Numeration) -> Value {
    match numeration {
        Numeration::Base(base) => json!(base),
        Numeration::Zeckendorf => json!("zeckendorf"),
    }
}
