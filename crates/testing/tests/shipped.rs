//! Every shipped game and every game of the tests: the options by the definition and by
//! the concrete walk of the move-generator graph, and the LaTeX of claims, read again.

use nimrule::compile;
use nimrule_elaborate::Settings;
use nimrule_model::source::Source;
use nimrule_testing::compare::{Counts, options_of_game};
use nimrule_testing::latex::compare_file;
use nimrule_testing::rng::Rng;
use std::path::{Path, PathBuf};

/// The rule files with their texts.
fn games() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["games", "tests/games"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("the folder can be read").path());
        for path in paths.filter(|path| path.extension().is_some_and(|end| end == "nimrule")) {
            let text = std::fs::read_to_string(&path).expect("the game can be read");
            found.push((path, text));
        }
    }
    found
}

#[test]
fn latex_says_what_is_claimed() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for (path, text) in games() {
        let file = nimrule_syntax::parse(&text).into_result();
        match compare_file(&file.expect("the game parses")) {
            Ok(number) => compared += number,
            Err(why) => wrong.push(format!("{}: {why}", path.display())),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 250, "{compared}");
}

#[test]
fn options_of_every_game() {
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for (path, text) in games() {
        let source = Source::new(path.to_string_lossy(), text);
        let compiled = compile(&source, &Settings::new(), &|file| {
            std::fs::read(path.with_file_name(file)).map_err(|e| e.to_string())
        });
        let game = compiled.expect("the game makes sense").game;
        counts.rules += 1;
        if let Err(why) = options_of_game(&game, &mut Rng::new(7), &mut counts) {
            wrong.push(format!("{}: {why}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.rules > 60 && counts.positions > 500, "{counts:?}");
}
