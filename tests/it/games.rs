//! The shipped games: each compiles without warnings, and its claims and examples
//! hold.

use nimrule::{Compiled, compile};
use nimrule_elaborate::Settings;
use nimrule_engine::{self as engine, Limits, Query, Question, Solver};
use nimrule_model::game::Convention;
use nimrule_model::source::Source;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("games")
}

/// The names of the shipped games' files, in order. Proofs may be kept in a
/// folder beside them.
pub fn files() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of games is there")
        .map(|entry| entry.expect("its entries can be read"))
        .filter(|entry| entry.path().is_file())
        .map(|entry| entry.file_name().into_string())
        .map(|name| name.expect("their names are text"))
        .collect();
    names.sort();
    names
}

/// A shipped game at the given values of its parameters.
pub fn shipped(name: &str, settings: &Settings) -> Compiled {
    let text = std::fs::read_to_string(folder().join(name)).expect("the file can be read");
    let beside = |file: &str| std::fs::read(folder().join(file)).map_err(|error| error.to_string());
    match compile(&Source::new(name, text), settings, &beside) {
        Ok(compiled) => compiled,
        Err(problems) => panic!("{name}: {problems:?}"),
    }
}

#[test]
fn every_shipped_game_compiles_without_warnings() {
    let files = files();
    assert!(!files.is_empty());
    for name in files {
        let warnings = shipped(&name, &Settings::default()).warnings;
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
    }
}

/// A shipped game says where it is from, and something that can be tested.
#[test]
fn every_shipped_game_has_a_source_and_a_test_of_itself() {
    for name in files() {
        let game = shipped(&name, &Settings::default()).game;
        assert_eq!(format!("{}.nimrule", game.name), name);
        assert!(game.presentation.title.is_some(), "{name}");
        assert!(!game.presentation.sources.is_empty(), "{name}");
        assert!(!game.examples.is_empty(), "{name}");
    }
}

#[test]
fn every_claim_and_example_of_the_shipped_games_holds() {
    let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(["test", "games"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program starts");
    let report = String::from_utf8_lossy(&output.stdout);
    for name in files() {
        let holds = report.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("holds") && words.next() == Some(&format!("games/{name}"))
        });
        assert!(holds, "{name} does not hold:\n{report}");
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}\n{complaints}");
}

/// How many of the positions with heaps of at most 7 are P.
fn p_positions_to_7(name: &str, convention: Convention) -> u64 {
    let game = shipped(&format!("{name}.nimrule"), &Settings::default()).game;
    let solver = Solver::new(&game);
    let asked = Query {
        question: Question::Outcome,
        convention,
    };
    let limits = Limits::of_memory(1 << 30);
    let table = engine::fill(&solver, &[7; 6], asked, &limits, None).expect("the box is small");
    let (positions, p) = table.counts();
    assert_eq!(positions, 8_u64.pow(6));
    p
}

#[test]
fn the_cube_has_as_many_p_positions_as_the_theorems_say() {
    for (name, normal, misere, slow) in [
        ("cube_vertex", 512, 514, 32768),
        ("cube_edge", 4096, 4101, 65536),
        ("cube_face", 32768, 32768, 131_072),
        ("cube_rotation", 2080, 2077, 17920),
    ] {
        assert_eq!(p_positions_to_7(name, Convention::Normal), normal, "{name}");
        assert_eq!(p_positions_to_7(name, Convention::Misere), misere, "{name}");
        let name = format!("{name}_slow");
        assert_eq!(p_positions_to_7(&name, Convention::Normal), slow, "{name}");
    }
}
