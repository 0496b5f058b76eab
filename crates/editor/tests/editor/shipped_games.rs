//! Every shipped game, whole and half typed.

use nimrule_editor::Document;
use nimrule_fixtures::{few_or_many, game_files};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn games() -> Vec<(PathBuf, String)> {
    let games: Vec<(PathBuf, String)> = game_files()
        .into_iter()
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path, text)
        })
        .collect();
    assert!(games.len() > 80);
    games
}

fn document(path: &Path, text: &str) -> Document {
    let folder = path.parent().expect("a folder");
    Document::new(text, &|name| {
        std::fs::read(folder.join(name)).map_err(|error| error.to_string())
    })
}

#[test]
fn names_are_bound_where_editors_say() {
    for (path, text) in games() {
        let open = document(&path, &text);
        let errors = open.findings().iter().filter(|found| !found.is_warning);
        assert_eq!(
            errors.count(),
            0,
            "{}: {:?}",
            path.display(),
            open.findings()
        );
        for (offset, _) in text.char_indices() {
            let Some(definition) = open.definition(offset) else {
                continue;
            };
            let name = &text[definition.clone()];
            let uses = open.uses(offset);
            assert_eq!(uses[0], definition, "{}: {name}", path.display());
            for place in uses {
                assert!(text[place].starts_with(name), "{}: {name}", path.display());
            }
        }
    }
}

#[test]
fn renamed_files_have_no_errors() {
    for (path, text) in games() {
        let open = document(&path, &text);
        let mut tried = Vec::new();
        for (offset, _) in text.char_indices() {
            let Some(definition) = open.definition(offset) else {
                continue;
            };
            if tried.contains(&definition) {
                continue;
            }
            let mut edits = open.rename(offset, "renamed_0").expect("a new name");
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.at.offset()));
            let mut renamed = text.clone();
            for edit in edits {
                let at = edit.at.offset()..edit.at.offset() + edit.at.len();
                renamed.replace_range(at, &edit.with);
            }
            let open = document(&path, &renamed);
            let errors: Vec<_> = open.findings().iter().filter(|f| !f.is_warning).collect();
            let name = &text[definition.clone()];
            assert!(errors.is_empty(), "{}: {name}: {errors:?}", path.display());
            tried.push(definition);
        }
    }
}

#[test]
fn half_typed_files_are_analysed() {
    // All prefixes of a file, or a few.
    let prefixes = few_or_many(4, usize::MAX);
    for (path, text) in games() {
        let whole = Instant::now();
        document(&path, &text);
        // Alone it is a tenth of a second; the tests are built with little optimisation, and
        // the machine may have other work.
        let allowed = Duration::from_secs(10);
        assert!(
            whole.elapsed() < allowed,
            "{}: {:?}",
            path.display(),
            whole.elapsed()
        );
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        for end in ends.iter().step_by(ends.len().div_ceil(prefixes)) {
            let open = document(&path, &text[..*end]);
            open.completions(*end);
            open.hover(end.saturating_sub(1));
            open.symbols();
        }
    }
}
