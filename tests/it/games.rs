//! The shipped games: each compiles without warnings, and its claims and examples
//! hold.

use crate::cli::command;
use crate::game_files;
use nimrule_engine::{self as engine, Limits, Query, Question, Solver};
use nimrule_fixtures::{few_or_many, shipped, shipped_names};
use nimrule_model::game::Convention;

#[test]
fn every_shipped_game_compiles_without_warnings() {
    let names = shipped_names();
    assert!(!names.is_empty());
    for name in names {
        let game = game_files::shipped(&name);
        assert!(game.warnings().is_empty(), "{name}: {:?}", game.warnings());
    }
}

/// A shipped game says where it is from, and something that can be tested.
#[test]
fn every_shipped_game_has_a_source_and_a_test_of_itself() {
    for name in shipped_names() {
        let game = shipped(&name, &[]);
        assert_eq!(game.name, name);
        assert!(game.presentation.title.is_some(), "{name}");
        assert!(!game.presentation.sources.is_empty(), "{name}");
        assert!(!game.examples.is_empty(), "{name}");
    }
}

/// The shipped games whose claims take longest: two thirds of the time of all.
const SLOW: [&str; 2] = ["objects_on_a_board", "rim"];

/// Small boxes, of all games but the slow ones. `.ci/run` compares all claims with the whole
/// boxes, as a release does, and `.ci/soak` seeks proofs first.
#[test]
fn every_claim_and_example_of_the_shipped_games_holds() {
    let names = shipped_names();
    let tested = names
        .iter()
        .filter(|name| few_or_many(!SLOW.contains(&name.as_str()), true));
    let files: Vec<String> = tested.map(|name| format!("games/{name}.nimrule")).collect();
    let output = command(["test"])
        .args(few_or_many(&["--box", "--max=2"][..], &[]))
        .args(&files)
        .output()
        .expect("the program starts");
    let report = String::from_utf8_lossy(&output.stdout);
    for file in &files {
        let holds = report.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some("holds") && words.next() == Some(file.as_str())
        });
        assert!(holds, "{file} does not hold:\n{report}");
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}\n{complaints}");
}

/// How many of the positions with heaps of at most 7 are P.
fn p_positions_to_7(name: &str, convention: Convention) -> u64 {
    let game = shipped(name, &[]);
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
