//! `sheet`: positions that are worth solving, with solutions that the solver confirms.

use crate::play::shipped;
use nimrule_answer::{Exercise, Turn};
use nimrule_fixtures::Numbers;
use nimrule_model::game::Convention;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn exercises(name: &str, count: usize, seed: u64) -> Vec<Exercise> {
    let game = shipped(name);
    let mut numbers = Numbers::new(seed);
    let random = &mut |results| numbers.below(results);
    let found = game
        .session()
        .exercises(count, None, Convention::Normal, random);
    found.unwrap_or_else(|_| panic!("{name} has no exercises"))
}

#[test]
fn exercises_differ_are_mixed_and_begin_with_the_easy_ones() {
    for (name, won) in [
        ("nim", 4),
        // To 9 three positions are lost that are not terminal.
        ("wythoff", 5),
        ("cube_edge", 4),
        ("kayles", 4),
        ("dawsons_kayles", 4),
    ] {
        let file = format!("{name}.nimrule");
        let found = exercises(&file, 8, 3);
        assert_eq!(found.len(), 8, "{name}");
        assert_eq!(found, exercises(&file, 8, 3), "{name}: the same seed");
        assert_ne!(found, exercises(&file, 8, 4), "{name}: another seed");
        let positions: BTreeSet<_> = found.iter().map(|one| &one.position).collect();
        assert_eq!(positions.len(), 8, "{name}: positions repeat");
        assert!(found.is_sorted_by_key(|one| one.options), "{name}");
        let are_won = found.iter().filter(|one| one.turn == Turn::Wins);
        assert_eq!(are_won.count(), won, "{name}");
        let game = shipped(&file);
        for one in &found {
            let position = one.position.small().expect("it is small");
            let answer = game.solve(position).expect("it has an answer");
            assert_eq!(
                one.turn == Turn::Wins,
                !answer.winning_moves.is_empty(),
                "{name}"
            );
            assert!(
                one.options >= 2 && one.best.len() < one.options,
                "{name}: {one:?}"
            );
        }
    }
}

#[test]
fn the_sheet_is_one_page_with_the_solutions_at_its_end() {
    let run = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(["sheet", "games/cube_edge.nimrule"])
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("the program starts")
    };
    let page = String::from_utf8(run(&["--count", "4", "--seed", "7"]).stdout).expect("a text");
    let (tasks, solutions) = page.split_once("class=\"solutions\"").expect("both parts");
    assert_eq!(tasks.matches("<svg").count(), 4, "{tasks}");
    assert_eq!(tasks.matches("id=\"title-3\"").count(), 1, "{tasks}");
    assert_eq!(solutions.matches("<li>").count(), 4, "{solutions}");
    assert!(!tasks.contains("to move wins") && solutions.contains("the player to move wins: take"));
    assert!(
        !page.contains("src=") && !page.contains("href="),
        "one file"
    );
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sheet.html");
    let path = file.to_str().expect("a text");
    let written = run(&["--count", "4", "--seed", "7", "--output", path]);
    assert!(written.status.success(), "{written:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("the sheet"), page);
    assert_eq!(run(&["-o", "sheet.txt"]).status.code(), Some(2));
}
