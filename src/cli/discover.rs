//! `discover`: the P-positions for all sizes, from the rule alone.

use super::certificate::{Of, save};
use super::load::{self, Answered};
use super::text::{self, BAD, FAINT, GOOD, STRONG};
use super::{Format, Shared, Status, automaton_picture, json, progress, prove};
use crate::engine::Limits;
use crate::game::{Convention, Game};
use crate::limits::Met;
use crate::prove::any_number;
use crate::prove::certificate::write;
use crate::prove::decide::statements;
use crate::prove::forms::closed_form;
use crate::prove::free::{self, Attempt, Attempts, Discovered, Recogniser};
use clap::Args;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// Who cannot move wins
    #[arg(long)]
    misere: bool,
    /// Give an attempt up at so many states
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    most_states: usize,
    /// Draw the automaton into this file: a picture where it ends in .svg, the
    /// DOT language of Graphviz where it ends in .dot
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,
    /// Write what `verify` needs to check the proof into this folder
    #[arg(long, value_name = "FOLDER")]
    certificate: Option<PathBuf>,
}

/// What came of it.
enum Found {
    Proved {
        recogniser: Box<Recogniser>,
        proof: Box<free::Proof>,
        depth: usize,
        form: Option<String>,
    },
    /// The attempts, none of which closed.
    Unknown(Vec<Attempt>),
    /// It is not a rule that this is done for.
    Outside(String),
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    let convention = if arguments.misere {
        Convention::Misere
    } else {
        Convention::Normal
    };
    let picture = arguments.draw.as_deref();
    let picture = picture.map(automaton_picture::kind).transpose()?;
    let (limits, allowed) = prove::patient(&shared.limits(), shared.time_limit);
    let begun = Instant::now();
    let found = find(game, convention, arguments.most_states, &limits);
    let took = begun.elapsed();
    if let (Some(kind), Some(path), Found::Proved { recogniser, .. }) =
        (picture, &arguments.draw, &found)
    {
        let title = text::heading(game);
        let drawn = automaton_picture::draw(kind, game, &title, recogniser)?;
        std::fs::write(path, drawn)
            .map_err(|error| load::wrong(&format!("the picture cannot be written: {error}")))?;
    }
    let mut certificate = None;
    if let (Some(folder), Found::Proved { proof, .. }) = (&arguments.certificate, &found) {
        let written = write(game, None, convention, &proof.certificate);
        let text = written.map_err(|not| load::wrong(&not.to_string()))?;
        certificate = Some(save(folder, game, Of::Discovered(convention), &text)?);
    }
    let path = certificate.as_deref();
    let mut out = progress::stdout();
    let written = match shared.format {
        Format::Text => write!(
            out,
            "{}",
            as_text(game, convention, &found, (took, allowed), path)
        ),
        Format::Json => writeln!(out, "{}", as_json(game, convention, &found, path)),
        Format::Csv => {
            return Err(load::wrong(
                "`discover` answers in text or json; take one of these",
            ));
        }
    };
    super::solve::finish(written)?;
    Ok(match &found {
        Found::Proved { .. } | Found::Outside(_) => Status::Fine,
        Found::Unknown(_) => Status::Limit,
    })
}

fn find(game: &Game, convention: Convention, most: usize, limits: &Limits) -> Found {
    let Some(rule) = any_number::rule(game, convention) else {
        return Found::Outside(
            "only rules that remove any number of tokens from each heap of a selection are \
             searched; `nimrule prove` decides claims about others"
                .to_owned(),
        );
    };
    let attempts = Attempts {
        most,
        ..Attempts::default()
    };
    let Discovered { found, attempts } = free::discover(&rule, &attempts, limits);
    match found {
        Some((recogniser, proof, depth)) => Found::Proved {
            form: form(game, convention, &recogniser, limits),
            recogniser: Box::new(recogniser),
            proof,
            depth,
        },
        None => Found::Unknown(attempts),
    }
}

/// A closed form is looked for no longer than this.
const PATIENCE: Duration = Duration::from_secs(20);

/// The set in the words that claims are written in, where they are found.
fn form(
    game: &Game,
    convention: Convention,
    recogniser: &Recogniser,
    limits: &Limits,
) -> Option<String> {
    let set = any_number::automaton(game, recogniser)?;
    let limits = limits.no_longer_than(PATIENCE);
    let form = closed_form(game, convention, &set, &limits).ok()??;
    Some(form.words)
}

fn as_text(
    game: &Game,
    convention: Convention,
    found: &Found,
    (took, allowed): (Duration, Duration),
    certificate: Option<&Path>,
) -> String {
    let mut shown = format!("{STRONG}{}{STRONG:#}\n", text::heading(game));
    for source in &game.sources {
        shown.push_str(&format!(
            "{FAINT}{}{FAINT:#}\n",
            text::wrapped(source, 78, 0)
        ));
    }
    let play = match convention {
        Convention::Normal => "",
        Convention::Misere => " under misere play",
    };
    shown.push_str(&format!("\nThe P-positions of all sizes{play}\n\n"));
    match found {
        Found::Proved {
            recogniser,
            depth,
            form,
            ..
        } => {
            let digits = if *depth == 1 { "digit" } else { "digits" };
            shown.push_str(&format!(
                "  {GOOD}found and proved{GOOD:#} in {}: an automaton of {} states over the\n  \
                 digits in base {}, grown from blocks of {depth} {digits}\n",
                text::in_seconds(took),
                text::grouped(recogniser.states() as u128),
                recogniser.base,
            ));
            for checked in statements(convention) {
                let checked = text::wrapped(checked, 74, 4);
                shown.push_str(&format!("  {FAINT}- {checked}{FAINT:#}\n"));
            }
            match form {
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
            if let Some(path) = certificate {
                shown.push_str(&format!("\n  certificate {}\n", path.display()));
            }
        }
        Found::Unknown(attempts) => {
            shown.push_str(&format!(
                "  {BAD}unknown{BAD:#}: no automaton closed. So many new tails appeared after\n  \
                 prefixes of 0, 1, 2, … digits:\n\n"
            ));
            for attempt in attempts {
                let tails: Vec<String> = attempt
                    .grown
                    .tails
                    .iter()
                    .map(|count| text::grouped(*count as u128))
                    .collect();
                shown.push_str(&format!(
                    "  blocks of {}: {}\n    {}\n",
                    attempt.depth,
                    text::wrapped(&tails.join(", "), 60, 4),
                    text::wrapped(&why(attempt, allowed), 72, 4),
                ));
            }
        }
        Found::Outside(why) => {
            shown.push_str(&format!("  outside: {}\n", text::wrapped(why, 68, 2)));
        }
    }
    shown
}

fn why(attempt: &Attempt, allowed: Duration) -> String {
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

fn as_json(
    game: &Game,
    convention: Convention,
    found: &Found,
    certificate: Option<&Path>,
) -> Value {
    let mut head = json::head(game);
    head.insert("convention".to_owned(), json!(convention.word()));
    match found {
        Found::Proved {
            recogniser,
            depth,
            form,
            ..
        } => {
            head.insert("standing".to_owned(), json!("proved"));
            head.insert("states".to_owned(), json!(recogniser.states()));
            head.insert("base".to_owned(), json!(recogniser.base));
            head.insert("block".to_owned(), json!(depth));
            head.insert("checked".to_owned(), json!(statements(convention)));
            head.insert("form".to_owned(), json!(form));
            head.insert("certificate".to_owned(), json!(certificate));
        }
        Found::Unknown(attempts) => {
            head.insert("standing".to_owned(), json!("unknown"));
            head.insert("states".to_owned(), Value::Null);
            head.insert("form".to_owned(), Value::Null);
            let growth: Vec<Value> = attempts
                .iter()
                .map(|attempt| json!({"block": attempt.depth, "tails": attempt.grown.tails}))
                .collect();
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
