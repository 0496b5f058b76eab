//! `list-games`: the games of a folder, grouped by source.

use super::load::{self, Answered};
use super::text::{self, FAINT, STRONG};
use super::{Format, Shared, Status, json, progress, test};
use clap::Args;
use nimrule_elaborate::Settings;
use nimrule_model::game::Game;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Result, Write};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Rule files, or folders of them
    #[arg(default_value = "games", value_name = "FOLDER")]
    files: Vec<String>,
}

struct Listed {
    file: String,
    game: Game,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let mut status = Status::Fine;
    let mut listed = Vec::new();
    for file in test::rule_files(&arguments.files)? {
        let game = load::read(&file).and_then(|loaded| loaded.compiled(&Settings::new()));
        match game {
            Ok(compiled) => listed.push(Listed {
                file,
                game: compiled.game,
            }),
            Err(load::Unanswered(worse)) => status = status.max(worse),
        }
    }
    if listed.is_empty() {
        return Ok(status);
    }
    let mut out = progress::stdout();
    load::finish(match shared.format {
        Format::Text | Format::Latex => as_text(&mut out, &listed),
        Format::Json => {
            let games: Vec<Value> = listed.iter().map(as_json).collect();
            writeln!(out, "{}", json!({"version": 1, "games": games}))
        }
        Format::Csv => as_csv(&mut out, &listed),
    })?;
    Ok(status)
}

/// A heading for each source, followed by a line for each of its games. A game
/// with several sources is listed under each of them.
fn as_text(out: &mut dyn Write, listed: &[Listed]) -> Result<()> {
    let mut groups: BTreeMap<&str, Vec<&Listed>> = BTreeMap::new();
    for one in listed {
        for source in &one.game.presentation.sources {
            groups.entry(source).or_default().push(one);
        }
        if one.game.presentation.sources.is_empty() {
            groups.entry("").or_default().push(one);
        }
    }
    // Games without a source come last.
    let nameless = groups.remove("");
    let names = listed.iter().map(|one| one.game.name.chars().count());
    let width = names.max().unwrap_or(0);
    let all = groups
        .into_iter()
        .chain(nameless.map(|games| ("Without a source", games)));
    for (number, (source, games)) in all.enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{STRONG}{}{STRONG:#}", text::wrapped(source, 78, 0))?;
        for Listed { game, .. } in games {
            let title = game.heading();
            let room = 76_usize.saturating_sub(width).max(20);
            let words = text::wrapped(&title, room, width + 4);
            writeln!(out, "  {:<width$}  {words}", game.name)?;
        }
    }
    let count = listed.len();
    let games = if count == 1 { "game" } else { "games" };
    writeln!(out, "\n{FAINT}{count} {games}{FAINT:#}")
}

fn as_json(listed: &Listed) -> Value {
    let game = &listed.game;
    json!({
        "file": listed.file,
        "game": game.name,
        "title": game.presentation.title,
        "params": json::params(game),
        "sources": game.presentation.sources,
    })
}

fn as_csv(out: &mut dyn Write, listed: &[Listed]) -> Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    let mut write = || -> std::result::Result<(), csv::Error> {
        rows.write_record(["file", "game", "title", "params", "source"])?;
        for Listed { file, game } in listed {
            let params: Vec<String> = game
                .params
                .iter()
                .map(|(name, value)| format!("{name}={}", value.written()))
                .collect();
            rows.write_record([
                file.as_str(),
                &game.name,
                game.presentation.title.as_deref().unwrap_or_default(),
                &params.join(" "),
                &game.presentation.sources.join("; "),
            ])?;
        }
        Ok(rows.flush()?)
    };
    write().map_err(load::writing)
}
