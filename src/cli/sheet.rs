//! `sheet`: positions to solve with pictures of the boards, and their solutions on a page of
//! their own, as one HTML file that prints well.

use super::html::{escaped, inline};
use super::load::{self, Answered};
use super::proof_cache::CacheArguments;
use super::{Format, Shared, Status, progress, solve, text, why};
use clap::Args;
use nimrule_answer::{Exercise, Session, Turn, words};
use nimrule_model::game::{Convention, Game, PositionKind};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file
    file: String,
    /// The number of positions
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=100))]
    count: u16,
    /// The largest heap [default: what the file suggests, at most 9]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MAX))]
    max: Option<u64>,
    /// Misere play: the player who cannot move wins
    #[arg(long)]
    misere: bool,
    /// The seed of the random choice: the same seed makes the same sheet
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write to this file instead of standard output: .html
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    cache: CacheArguments,
}

/// The largest heap of a sheet.
const MAX: u64 = 10_000;

/// The layout on the screen and on paper.
const STYLE: &str =
    "body{font:16px/1.4 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}ol{padding:0}li{list-style:inside decimal;break-inside:avoid;margin:1.2rem 0}
svg{display:block;max-width:100%;height:auto;max-height:16rem;margin:.5rem 0}
.line{border-bottom:1px solid #999;height:1.8rem}
.solutions{break-before:page;border-top:1px solid #999;margin-top:3rem}
@media print{body{margin:0;max-width:none}.solutions{border:0;margin:0}}";

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    if shared.format != Format::Text {
        return Err(load::wrong("`sheet` writes HTML; it has no `--format`"));
    }
    if let Some(path) = &arguments.output
        && path.extension().is_none_or(|ending| ending != "html")
    {
        return Err(load::wrong(&format!(
            "`{}` does not end in .html; a browser prints the HTML file, also as PDF",
            path.display()
        )));
    }
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let game = &compiled.game;
    why::refuse_blocking(game, "sheet")?;
    if game.position_kind == PositionKind::Reals {
        return Err(load::wrong(
            "`sheet` needs heaps of whole size; this game's heaps are of real size",
        ));
    }
    let session = arguments.cache.session(&loaded, &compiled, shared);
    let convention = match arguments.misere {
        true => Convention::Misere,
        false => Convention::Normal,
    };
    let mut random = fastrand::Rng::with_seed(arguments.seed);
    let count = usize::from(arguments.count);
    let exercises = session
        .exercises(count, arguments.max, convention, &mut |results| {
            random.u64(0..results)
        })
        .map_err(|unanswered| load::no_answer(&session, &unanswered))?;
    if exercises.is_empty() {
        return Err(load::wrong(
            "no random position has moves that win and moves that do not; try a larger `--max`",
        ));
    }
    if exercises.len() < count {
        load::note(&format!(
            "only {} positions were found that differ and are not trivial; a larger `--max` may \
             have more",
            exercises.len()
        ));
    }
    let page = page(&session, convention, &exercises);
    match &arguments.output {
        Some(path) => std::fs::write(path, page).map_err(|error| {
            load::wrong(&format!(
                "the sheet cannot be written to `{}`: {error}",
                path.display()
            ))
        })?,
        None => {
            solve::finish(progress::stdout().write_all(page.as_bytes()))?;
        }
    }
    Ok(Status::Fine)
}

/// The sheet as a document of HTML.
fn page(session: &Session<'_>, convention: Convention, exercises: &[Exercise]) -> String {
    let game = session.game();
    let title = escaped(&text::heading(game));
    let mut tasks = String::new();
    let mut solutions = String::new();
    for (number, exercise) in exercises.iter().enumerate() {
        let shown = escaped(&words::position(game, &exercise.position));
        // Where the board is too large for a picture, the position is enough.
        let picture = nimrule_draw::picture(game, Some(&exercise.position), None);
        let picture = picture.map_or_else(|_| String::new(), |picture| picture.svg);
        let _ = write!(
            tasks,
            "<li>{shown}\n{}\n<div class=\"line\"></div><div class=\"line\"></div></li>\n",
            inline(&picture, number + 1)
        );
        let _ = writeln!(solutions, "<li>{shown}: {}</li>", solution(game, exercise));
    }
    let rule = game
        .move_words()
        .map(|moves| format!("<li>{}</li>", escaped(moves)));
    let rule: String = rule.collect();
    let end = match convention {
        Convention::Normal => "The player who cannot move loses.",
        Convention::Misere => "The player who cannot move wins.",
    };
    let who = match game.has_sides() {
        true => "Left is to move. Who wins? By which move?",
        false => "Who wins: the player to move, or the other? By which move?",
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n<ul>{rule}</ul>\n\
         <p>{end} {who}</p>\n<ol>\n{tasks}</ol>\n<section class=\"solutions\">\n\
         <h1>Solutions: {title}</h1>\n<ol>\n{solutions}</ol>\n</section>\n</body>\n</html>\n"
    )
}

/// The solution of an exercise as a sentence.
fn solution(game: &Game, exercise: &Exercise) -> String {
    let moves = exercise.best.iter().map(|to| {
        let change = words::change(game, &exercise.position, to);
        escaped(&format!("{change}, to {}", words::position(game, to)))
    });
    let moves = moves.collect::<Vec<_>>().join("; ");
    let (who, other) = match game.has_sides() {
        true => ("Left", "Right"),
        false => ("the player to move", "the other player"),
    };
    match exercise.turn {
        Turn::Wins => format!("{who} wins: {moves}."),
        Turn::Loses => format!("{other} wins, whatever the move is."),
        Turn::Draws => format!("a draw: {moves}."),
    }
}
