//! The pictures of the games of a folder on one page.

use super::super::load::{self, Answered};
use super::super::picture::{self, Kind};
use super::super::{Format, Shared, Status, progress, test};
use super::Arguments;
use nimrule_elaborate::Settings;
use nimrule_model::position::Position;
use nimrule_paper::html::{escaped, inline};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The layout: as many pictures side by side as there is room for.
const STYLE: &str = "body { font-family: sans-serif; background: #e8ecf0; margin: 1rem; }
main { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
figure { margin: 0; max-width: 100%; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { color: #51606f; margin-bottom: .2rem; }";

/// Draws each game at the position that shows what it is.
pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let of_one = arguments.position.is_some()
        || arguments.marked.is_some()
        || arguments.terminal.is_some()
        || arguments.plot
        || arguments.graph
        || arguments.relation
        || arguments.under.is_misere();
    if of_one {
        return Err(load::wrong(
            "a folder is drawn as one page, a picture of each game: give a rule file for another \
             picture",
        ));
    }
    if let Some(path) = &arguments.output {
        picture::kind(path, &[Kind::Html])?;
    }
    let (mut status, mut drawn) = (Status::Fine, Vec::new());
    for file in test::rule_files(std::slice::from_ref(&arguments.file))? {
        let compiled = load::read(&file).and_then(|loaded| loaded.compiled(&Settings::new()));
        let game = match compiled {
            Ok(compiled) => compiled.game,
            Err(load::Unanswered(worse)) => {
                status = status.max(worse);
                continue;
            }
        };
        let position = game.illustration().map(Position::from);
        match nimrule_draw::picture(&game, position.as_ref(), None) {
            Ok(picture) => drawn.push((file, picture.svg)),
            Err(error) => {
                let load::Unanswered(worse) = load::wrong(&format!("`{file}`: {error}"));
                status = status.max(worse);
            }
        }
    }
    let written = match shared.format {
        Format::Json => {
            let pictures = drawn
                .iter()
                .map(|(file, svg)| json!({"file": file, "svg": svg}));
            let pictures: Vec<_> = pictures.collect();
            format!("{}\n", json!({"version": 1, "pictures": pictures}))
        }
        Format::Text | Format::Csv | Format::Latex => page(&drawn),
    };
    match &arguments.output {
        Some(path) => picture::write(path, written.as_bytes())?,
        None => {
            load::finish(progress::stdout().write_all(written.as_bytes()))?;
        }
    }
    Ok(status)
}

/// The pictures, each with the name of its file, as a document of HTML.
fn page(drawn: &[(String, String)]) -> String {
    let mut figures = String::new();
    for (number, (file, svg)) in drawn.iter().enumerate() {
        let name = Path::new(file).file_stem().unwrap_or_default();
        let name = escaped(&name.to_string_lossy());
        let svg = inline(svg, number + 1);
        // Writing to a string cannot fail.
        let _ = writeln!(
            figures,
            "<figure><figcaption>{name}</figcaption>\n{svg}</figure>"
        );
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Games</title>\n\
         <style>\n{STYLE}\n</style>\n</head>\n<body>\n<main>\n{figures}</main>\n</body>\n\
         </html>\n"
    )
}
