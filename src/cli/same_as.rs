//! `same-as`: the games of a folder that have the moves of a rule, or its outcomes.

use super::load::{self, Answered};
use super::text::{self, FAINT};
use super::{Format, Shared, Status, files, json, progress, test};
use clap::Args;
use nimrule_answer::{KnownGame, SameGame, SameGames, Session, Verdict, words};
use nimrule_model::game::{Agreement, Game};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The rule file, or - for standard input
    file: String,
    /// Rule files, or folders of them, to compare with
    #[arg(default_value = "games", value_name = "FOLDER")]
    known: Vec<String>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let loaded = load::read(&arguments.file)?;
    let compiled = loaded.compiled(&load::settings(shared)?)?;
    let session = Session::new(&compiled.game, shared.limits());
    let is_same = |path: &String| {
        let here = std::fs::canonicalize(&arguments.file).ok();
        here.is_some() && here == std::fs::canonicalize(path).ok()
    };
    let mut paths = test::rule_files(&arguments.known)?;
    paths.retain(|path| !is_same(path));
    let mut known = Vec::new();
    for path in &paths {
        let text = load::read(path)?.source.text;
        let name = Path::new(path).file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        known.push(KnownGame { name, text });
    }
    // Files that rules name are in their folder.
    let folders: Vec<&Path> = paths
        .iter()
        .filter_map(|one| Path::new(one).parent())
        .collect();
    let read = |name: &str| {
        let found = folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|path| path.exists());
        let path = found.ok_or_else(|| "no such file in the folder of the rule".to_owned())?;
        files::read(&path, files::MAX_FILE_BYTES).map_err(|error| error.to_string())
    };
    let found = session
        .same_games(&known, &read)
        .map_err(|failure| load::failed(&failure, session.solver(), None))?;
    let mut out = progress::stdout();
    load::finish(match shared.format {
        Format::Json => writeln!(out, "{}", as_json(session.game(), &found, &paths)),
        Format::Text | Format::Csv | Format::Latex => {
            let folder = Path::new(&arguments.file).parent();
            write!(out, "{}", as_text(session.game(), &found, &paths, folder))
        }
    })?;
    match found.searched < paths.len() {
        true => {
            progress::limit_is_said();
            load::error(&format!(
                "time limit reached after {} of {} files",
                found.searched,
                paths.len()
            ));
            Ok(Status::Limit)
        }
        false => Ok(Status::Fine),
    }
}

/// `folder` is that of the rule, in which a claim looks for the file that it names.
fn as_text(game: &Game, found: &SameGames, paths: &[String], folder: Option<&Path>) -> String {
    let mut shown = format!("{}\n\n", game.heading());
    for one in &found.found {
        let title = one.title.as_ref();
        let title = title.map_or_else(String::new, |title| format!("{title}, "));
        shown += &format!("claim {}\n", text::wrapped(&one.claim, 74, 4));
        for line in [words::agreement(one), format!("{title}{}", paths[one.file])] {
            let line = text::wrapped(&line, 73, 4).replace("\n    ", "\n    // ");
            shown += &format!("    {FAINT}// {line}{FAINT:#}\n");
        }
    }
    if found.found.is_empty() {
        shown += match found.unfinished.is_empty() {
            true => "  No game has the same moves or the same outcomes.\n",
            false => "  No game is known to have the same moves or the same outcomes.\n",
        };
    }
    let games = words::counted(found.compared as u128, "game");
    let files = words::counted(found.searched as u128, "file");
    let compared = format!(
        "Compared with {games} of {files}, at small values of their parameters; of each file the \
         first that agrees is listed."
    );
    let mut notes = vec![compared];
    let is_elsewhere = |one: &&SameGame| Path::new(&paths[one.file]).parent() != folder;
    let elsewhere = found.found.iter().filter(is_elsewhere);
    let elsewhere: Vec<&str> = elsewhere.map(|one| paths[one.file].as_str()).collect();
    if !elsewhere.is_empty() {
        notes.push(format!(
            "A claim looks for its game in the folder of the rule: copy {} there.",
            elsewhere.join(", ")
        ));
    }
    if !found.with_errors.is_empty() {
        let files = found.with_errors.iter().map(|place| paths[*place].as_str());
        notes.push(format!(
            "Not compared, since they have errors: {}.",
            files.collect::<Vec<_>>().join(", ")
        ));
    }
    if !found.unfinished.is_empty() {
        let files = found.unfinished.iter().map(|place| paths[*place].as_str());
        notes.push(format!(
            "A comparison ended at its bound of work or memory, with games of: {}.",
            files.collect::<Vec<_>>().join(", ")
        ));
    }
    for note in notes {
        shown += &format!("\n  {FAINT}{}{FAINT:#}\n", text::wrapped(&note, 76, 2));
    }
    shown
}

fn as_json(game: &Game, found: &SameGames, paths: &[String]) -> Value {
    let mut head = json::head(game);
    let of_one = |one: &SameGame| {
        let to = match one.verdict {
            Verdict::Holds { to, .. } => Some(to),
            _ => None,
        };
        json!({
            "claim": one.claim,
            "file": paths[one.file],
            "title": one.title,
            "same": if one.agreement == Agreement::Options { "moves" } else { "outcomes" },
            "standing": if to.is_some() { "holds" } else { "proved" },
            "holds_to": to,
        })
    };
    head.insert("games".to_owned(), found.found.iter().map(of_one).collect());
    head.insert("compared".to_owned(), json!(found.compared));
    head.insert("files".to_owned(), json!(found.searched));
    if !found.with_errors.is_empty() {
        let files = found.with_errors.iter().map(|place| paths[*place].clone());
        head.insert("with_errors".to_owned(), files.collect());
    }
    if !found.unfinished.is_empty() {
        let files = found.unfinished.iter().map(|place| paths[*place].clone());
        head.insert("unfinished".to_owned(), files.collect());
    }
    head.into()
}
