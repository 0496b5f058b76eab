//! What the README and the book say is true: every rule in them is compiled,
//! every command run, every condition held against its position.
//!
//! The words after a fence say what a block is:
//!
//! - `nimrule`: a complete game. It compiles without a warning, and `nimrule
//!   test` finds its claims and examples true; with `fails` it finds one false.
//!   One that holds `{{#include …}}` and nothing else shows a shipped game,
//!   which the games' own tests look at.
//! - `nimrule,fragment`: statements; those that a game needs and the fragment
//!   lacks are added, as [`completed`] says.
//! - `nimrule,wrong=CODE`: statements, completed in the same way, that are
//!   refused with this code.
//! - `nimrule,true`: a condition a line, each true at a = 3, b = 5, c = 6.
//! - `console`: commands with what they print; see [`crate::cli::console`].
//!
//! `.ci/soak` looks at the blocks that are `slow`, too.

use crate::cli::console::{self, Block, blocks, root};
use crate::cli::{command, told};
use nimrule::problem::Problems;
use nimrule::{Compiled, compile};
use nimrule_elaborate::Settings;
use nimrule_model::source::Source;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn commands_print_what_the_documents_say() {
    let mut commands = 0;
    let mut wrong = Vec::new();
    for document in documents() {
        let (ran, faults) = console::run(&document);
        commands += ran;
        wrong.extend(faults);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(commands > 20, "only {commands} commands were found");
}

#[test]
fn rules_in_the_documents_are_as_they_say() {
    let mut looked_at = 0;
    let mut wrong = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).expect("the document can be read");
        for block in blocks(&text).iter().filter(|block| block.is("nimrule")) {
            looked_at += 1;
            if block.is_left_out() {
                continue;
            }
            let folder = document.parent().expect("a file is in a folder");
            if let Err(why) = look_at(block, folder) {
                wrong.push(format!("{}:{}: {why}", document.display(), block.line));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(looked_at > 40, "only {looked_at} rules were found");
}

#[test]
fn every_chapter_is_in_the_summary_and_every_link_leads_somewhere() {
    let book = root().join("docs/src");
    let summary = fs::read_to_string(book.join("SUMMARY.md")).expect("the book has a summary");
    for document in documents() {
        let text = fs::read_to_string(&document).expect("the document can be read");
        let folder = document.parent().expect("a file is in a folder");
        for target in links(&text) {
            let file = target.split('#').next().unwrap_or_default();
            assert!(
                file.is_empty() || folder.join(file).exists(),
                "{} links to `{target}`, and there is no such file",
                document.display()
            );
        }
        if let Ok(chapter) = document.strip_prefix(&book)
            && !chapter.ends_with("SUMMARY.md")
        {
            assert!(
                summary.contains(&format!("({})", chapter.display())),
                "`{}` is not in SUMMARY.md",
                chapter.display()
            );
        }
    }
}

#[test]
fn the_cookbook_shows_every_game() {
    let shown: String = documents()
        .iter()
        .filter(|document| document.starts_with(root().join("docs/src/cookbook")))
        .map(|document| fs::read_to_string(document).expect("the document can be read"))
        .collect();
    let mut games = 0;
    for name in nimrule_fixtures::shipped_names() {
        games += 1;
        assert!(
            shown.contains(&format!("{{{{#include ../../../games/{name}.nimrule}}}}")),
            "no page of the cookbook shows `games/{name}.nimrule`"
        );
    }
    assert!(games > 40, "only {games} games were found");
}

#[test]
fn the_readme_shows_the_cube_as_it_is_shipped() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("it can be read");
    let block = format!("```nimrule\n{}```\n", read("games/cube_edge.nimrule"));
    assert!(read("README.md").contains(&block));
}

/// The README, CONTRIBUTING.md, the page of each crate and the chapters of the book, but
/// for the error index, whose examples are tested with the wrong files they are made from.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let crates = fs::read_dir(root().join("crates")).expect("the crates are there");
    found.extend(crates.flatten().map(|each| each.path().join("README.md")));
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        let mut inside: Vec<PathBuf> = fs::read_dir(folder)
            .expect("the book is there")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        inside.sort();
        for path in inside {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") && !path.ends_with("errors.md") {
                found.push(path);
            }
        }
    }
    found
}

/// The targets of links within the repository.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        for (at, _) in line.match_indices("](") {
            let target = &line[at + 2..];
            let end = target.find(')').expect("a link has an end");
            if !target[..end].contains("://") {
                found.push(&target[..end]);
            }
        }
    }
    found
}

/// The file that a block includes, where it does nothing else.
fn included(block: &Block) -> Option<&str> {
    let inside = block.body.trim().strip_prefix("{{#include ")?;
    let path = inside.strip_suffix("}}")?;
    (!path.contains(['{', '\n'])).then_some(path)
}

/// A game that a page includes from `games` is looked at there.
fn is_shipped(path: &str, folder: &Path) -> Result<(), String> {
    let found = folder.join(path).canonicalize();
    let games = root().join("games").canonicalize();
    match (found, games) {
        (Ok(found), Ok(games)) if found.parent() == Some(&games) => Ok(()),
        _ => Err(format!("`{path}` is not one of the shipped games")),
    }
}

fn look_at(block: &Block, folder: &Path) -> Result<(), String> {
    if let Some(path) = included(block) {
        return is_shipped(path, folder);
    }
    if let Some(code) = block.tag("wrong") {
        let problems = match compiled(&completed(&block.body)) {
            Err(problems) => problems,
            Ok(compiled) => compiled.warnings,
        };
        let codes: Vec<String> = problems
            .reports
            .iter()
            .map(|report| report.problem.code_name())
            .collect();
        return if codes.iter().any(|found| found == code) {
            Ok(())
        } else {
            Err(format!("`{code}` was expected, found were {codes:?}"))
        };
    }
    if block.tag("true").is_some() {
        return block
            .body
            .lines()
            .map(|line| line.split("//").next().unwrap_or_default().trim())
            .filter(|line| !line.is_empty())
            .try_for_each(holds);
    }
    if block.tag("fragment").is_some() {
        return in_order(&completed(&block.body));
    }
    in_order(&block.body)?;
    keeps_its_word(&block.body, block.tag("fails").is_some())
}

/// A fragment with the statements that it lacks: a game's name; heaps a, b
/// and c where it speaks of neither heaps nor a board; a move.
fn completed(fragment: &str) -> String {
    let says = |word: &str| {
        fragment
            .lines()
            .any(|line| line.split_whitespace().next() == Some(word))
    };
    let mut text = fragment.to_owned();
    if !says("game") {
        text = format!("game fragment\n{text}");
    }
    if !says("heaps") && !says("board") {
        text.push_str("heaps a b c\n");
    }
    if !says("move") {
        text.push_str("move take from one heap\n");
    }
    text
}

fn compiled(text: &str) -> Result<Compiled, Problems> {
    // A claim may name a shipped game.
    compile(&Source::new("a block", text), &Settings::new(), &|path| {
        std::fs::read(root().join("games").join(path)).map_err(|error| error.to_string())
    })
}

fn said(problems: &Problems) -> String {
    problems
        .reports
        .iter()
        .map(|report| format!("{}: {report}", report.problem.code_name()))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Compiles without a fault and without a warning.
fn in_order(text: &str) -> Result<(), String> {
    let compiled = compiled(text).map_err(|problems| format!("{text}\n{}", said(&problems)))?;
    if compiled.warnings.is_empty() {
        Ok(())
    } else {
        Err(format!("{text}\n{}", said(&compiled.warnings)))
    }
}

/// Nim's position (3,5,6) is P, so a claim about P-positions is asked there,
/// and the condition is looked at there alone.
fn holds(condition: &str) -> Result<(), String> {
    let text = format!(
        "game condition\nheaps a b c\nsuggest max 6\nmove take from one heap\n\
         claim P only if a == 3 and b == 5 and c == 6 implies ({condition})\n"
    );
    if let Err(problems) = compiled(&text) {
        return Err(format!("{condition}\n{}", said(&problems)));
    }
    keeps_its_word(&text, false).map_err(|_| format!("`{condition}` does not hold"))
}

/// Runs the claims and examples of a game.
fn keeps_its_word(text: &str, fails: bool) -> Result<(), String> {
    let output = told(
        command(["test", "-"]).current_dir(root().join("games")),
        text,
    );
    if output.status.code() == Some(i32::from(fails)) {
        Ok(())
    } else {
        Err(format!(
            "{text}\nended with {:?}\n{}{}",
            output.status.code(),
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ))
    }
}

#[test]
fn the_citation_names_this_version() {
    let citation = include_str!("../../CITATION.cff");
    let version = format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(citation.contains(&version), "CITATION.cff lacks{version}");
}
