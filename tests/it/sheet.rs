//! `sheet`: positions that are worth solving, with solutions that the solver confirms.

use crate::cli::nimrule;
use crate::game_files::shipped;
use nimrule_answer::{Exercise, Turn};
use nimrule_fixtures::Numbers;
use nimrule_model::game::Convention;
use std::collections::BTreeSet;
use std::path::Path;

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
        let found = exercises(name, 8, 3);
        assert_eq!(found.len(), 8, "{name}");
        assert_eq!(found, exercises(name, 8, 3), "{name}: the same seed");
        assert_ne!(found, exercises(name, 8, 4), "{name}: another seed");
        let positions: BTreeSet<_> = found.iter().map(|one| &one.position).collect();
        assert_eq!(positions.len(), 8, "{name}: positions repeat");
        assert!(found.is_sorted_by_key(|one| one.options), "{name}");
        let are_won = found.iter().filter(|one| one.turn == Turn::Wins);
        assert_eq!(are_won.count(), won, "{name}");
        let game = shipped(name);
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

/// No two positions of these games are joined by a move, no win ends play at once, and a lost
/// position has replies that win.
#[test]
fn exercises_give_no_other_away() {
    for name in ["nim", "cube_edge", "kayles", "dawsons_kayles"] {
        let (found, game) = (exercises(name, 6, 5), shipped(name));
        let session = game.session();
        for one in &found {
            for other in &found {
                let joined = session.is_option(&one.position, &other.position, None);
                assert_eq!(joined, Ok(false), "{name}: {one:?} and {other:?}");
            }
            for to in &one.best {
                let after = session
                    .options(to, None, Convention::Normal)
                    .expect("options");
                assert!(
                    !after.list.is_empty(),
                    "{name}: {one:?} ends play by {to:?}"
                );
            }
            assert_eq!(
                one.replies.is_empty(),
                one.turn == Turn::Wins,
                "{name}: {one:?}"
            );
            for (to, reply) in &one.replies {
                let reply = reply.as_ref().expect("play goes on");
                let is_move = session.is_option(to, reply, None);
                let lost = session
                    .exercise(reply, Convention::Normal)
                    .expect("an answer");
                assert!(
                    is_move == Ok(true) && lost.turn == Turn::Loses,
                    "{name}: {one:?}"
                );
            }
        }
    }
}

/// The last number taken is the state: nothing but a move gives it another value than 0.
#[test]
fn states_have_values_that_play_gives_them() {
    let text = "game echo heaps n state last in 0..5 = 0 move take t from n where t <= 5 and t != last then set last to t";
    let game = nimrule::Game::parse(text).expect("a rule");
    let mut numbers = Numbers::new(2);
    let random = &mut |results| numbers.below(results);
    let found = game
        .session()
        .exercises(8, Some(9), Convention::Normal, random);
    for one in found.expect("exercises") {
        let [heap, last] = one.position.small().expect("it is small") else {
            panic!("{one:?}")
        };
        // The heap had at least `last` tokens more, and at most 9.
        assert!(*last == 0 || heap + last <= 9, "{one:?}");
    }
}

/// To take everything wins each position of Chomp under normal play, which is no exercise.
#[test]
fn wins_that_end_play_at_once_are_no_exercises() {
    let game = shipped("chomp");
    let session = game.session();
    let found = |convention| {
        let mut numbers = Numbers::new(1);
        session.exercises(4, None, convention, &mut |results| numbers.below(results))
    };
    assert!(found(Convention::Normal).is_err());
    assert_eq!(found(Convention::Misere).map(|found| found.len()), Ok(4));
}

#[test]
fn the_positions_of_a_sheet_may_be_given() {
    let run = |arguments: &[&str]| nimrule([&["sheet"], arguments].concat());
    let page = run(&["games/nim.nimrule", "(1,2,3,0)", "2,4,7,0"]);
    let page = String::from_utf8(page.stdout).expect("a text");
    let (tasks, solutions) = page.split_once("class=\"solutions\"").expect("both parts");
    for words in [
        "The player who moves takes at least one token from one heap.",
        "(1,2,3,0)",
        "(2,4,7,0)",
        "repeat(2,",
    ] {
        assert!(tasks.contains(words), "{words}: {tasks}");
    }
    for words in [
        "(1,2,3,0): the other player wins, whatever the move is; for example after take",
        "(2,4,7,0): the player to move wins: take 1 from h3, to (2,4,6,0).",
    ] {
        assert!(solutions.contains(words), "{words}: {solutions}");
    }
    let one = run(&["games/nim.nimrule", "1,2,3", "--across", "1"]);
    assert!(
        String::from_utf8(one.stdout)
            .expect("a text")
            .contains("repeat(1,")
    );
    assert_eq!(
        run(&["games/nim.nimrule", "1,2,3", "--seed", "2"])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(run(&["games/nim.nimrule", "1,2,x"]).status.code(), Some(2));
}

#[test]
fn the_sheet_is_one_page_with_the_solutions_at_its_end() {
    let cube = ["sheet", "games/cube_edge.nimrule"];
    let run = |arguments: &[&str]| nimrule([&cube, arguments].concat());
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
