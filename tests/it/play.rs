//! `play`: scripted games on every shipped file, and what a person may type.

use crate::cli::{command, printed, told};
use crate::game_files::shipped;
use nimrule::{Game, Outcome};
use nimrule_engine::Label;
use nimrule_fixtures::{Numbers, few_or_many, shipped_names};
use serde_json::Value;
use std::process::Output;

/// Runs `nimrule play` with these lines as its input.
fn play(arguments: &[&str], lines: &str) -> Output {
    told(&mut command([&["play"], arguments].concat()), lines)
}

fn text(arguments: &[&str], lines: &str) -> String {
    let output = play(arguments, lines);
    assert!(output.status.success(), "{output:?}");
    printed(&output)
}

/// Whether the program, which is Right in a partizan game, wins if it is to move.
fn program_wins(game: &Game, position: &[u64]) -> bool {
    let answer = game.solve(position).expect("the position is small");
    match &answer.by_side {
        Some(by_side) => {
            let each = by_side.each();
            let (_, right) = each.last().expect("there is a player to move");
            matches!(right.label, Label::Win(_))
        }
        None => answer.outcome == Outcome::N,
    }
}

/// A person who plays at random: lists the moves and plays one of the first six.
fn at_random(seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    (0..60)
        .map(|_| format!("moves\n#{}\n", 1 + numbers.below(6)))
        .collect()
}

#[test]
fn the_program_never_loses_a_position_that_it_has_won() {
    let (mut won, mut ended) = (0, 0);
    for (number, name) in shipped_names().into_iter().enumerate() {
        let file = format!("games/{name}.nimrule");
        for (seed, misere) in [("1", false), ("2", true)] {
            if few_or_many(number % 12 != 6 * usize::from(misere), false) {
                continue;
            }
            let mut arguments = vec![file.as_str(), "--seed", seed, "--format", "json"];
            if misere {
                arguments.push("--misere");
            }
            let output = play(&arguments, &at_random(7));
            let said = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() {
                assert!(
                    said.contains("does not handle") || said.contains("of real size"),
                    "{name}: {said}"
                );
                continue;
            }
            let mut game = shipped(&name);
            if misere {
                game = game.misere();
            }
            let events: Vec<Value> = String::from_utf8_lossy(&output.stdout)
                .lines()
                .map(|line| serde_json::from_str(line).expect("each line is JSON"))
                .collect();
            let mut has_won = false;
            for event in &events {
                if event["event"] == "move" {
                    let words = event["words"].as_str();
                    assert!(
                        words.is_some_and(|words| !words.is_empty()),
                        "{name}: {event}"
                    );
                }
                match event["event"].as_str() {
                    Some("position") if event["to_move"] == "you" => {}
                    Some("move") if event["by"] == "you" => {
                        let to = event["shown"].as_str().expect("a position");
                        let to = game.position(to).expect("a position of the game");
                        if has_won || program_wins(&game, &to) {
                            assert!(program_wins(&game, &to), "{name}: lost at {event}");
                            has_won = true;
                        }
                    }
                    Some("end") => {
                        ended += 1;
                        won += u32::from(event["winner"] == "program");
                        let lost = has_won && event["winner"] != "program";
                        assert!(!lost, "{name}, misere {misere}: {event}");
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(
        ended > few_or_many(8, 60) && won > few_or_many(5, 40),
        "{ended} games ended, {won} won"
    );
}

#[test]
fn moves_are_typed_in_several_ways() {
    let nim = ["games/nim.nimrule", "3,4,5,0", "--seed", "1"];
    for line in [
        "h1 2",
        "take 2 from h1",
        "TAKE 2 from h1",
        "(1,4,5,0)",
        "1,4,5,0",
        "h1=1",
        "moves\n#2",
        "moves\n2",
    ] {
        let shown = text(&nim, &format!("{line}\n"));
        assert!(shown.contains("The program's move: "), "{line}: {shown}");
    }
}

#[test]
fn moves_that_change_other_heaps_are_typed_by_the_heap_that_is_chosen() {
    for (file, from, line, answer) in [
        (
            "chomp",
            "4,4,4",
            "r[2]=1",
            "take 3 from r[2] and 3 from r[3], to (4,1,1)",
        ),
        (
            "chomp",
            "4,4,4",
            "r[2] 3",
            "take 3 from r[2] and 3 from r[3], to (4,1,1)",
        ),
        ("northcott", "0,0,0,8,8,8", "l[2]=4", "put 4 on l[2]"),
        (
            "kayles",
            "{9}",
            "9 becomes 4 4",
            "{9} becomes {4,4}, to {4,4}",
        ),
        (
            "kayles",
            "{3,9}",
            "9 -> 5 3",
            "{9} becomes {3,5}, to {3,3,5}",
        ),
        (
            "kayles",
            "{3,9}",
            "split 9 into {4,4}",
            "{9} becomes {4,4}, to {3,4,4}",
        ),
        (
            "kayles",
            "{3,9}",
            "9 becomes 1 1",
            "such as `9 becomes 4 4`",
        ),
    ] {
        let path = format!("games/{file}.nimrule");
        let arguments = [path.as_str(), from, "--seed", "1"];
        let shown = text(&arguments, &format!("{line}\nquit\n"));
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(shown.contains(answer), "{file} {from}, {line}: {shown}");
    }
}

/// With one heap a number is what is taken, and in brackets the position after it.
#[test]
fn with_one_heap_a_number_is_what_is_taken() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("one-heap");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let file = |name: &str, statements: &str| {
        let path = folder.join(format!("{name}.nimrule"));
        std::fs::write(&path, format!("game {name}\n{statements}")).expect("it can be written");
        path.into_os_string().into_string().expect("a path of text")
    };
    let one = file("one", "heaps n\nmove take 1..3 from n\n");
    let state = file(
        "with_state",
        "heaps n\nstate at in 1..5 = 1\nmove take 1..3 from n then set at to 1\n",
    );
    let kayles = file(
        "kayles",
        "heaps any number\nmove take 1..2 from one heap leaving 0..2 heaps\n",
    );
    for (file, from, line, answer) in [
        (&one, "4", "1", "Your move: take 1 from n, to (3)"),
        (&one, "4", "take 2", "Your move: take 2 from n, to (2)"),
        (&one, "4", "(1)", "Your move: take 3 from n, to (1)"),
        (&one, "4", "5", "n has 4 tokens; 5 cannot be taken"),
        (&one, "1", "2", "n has 1 token; 2 cannot be taken"),
        (
            &one,
            "4",
            "4",
            "no move takes 4 from n; type what is taken, such as `1`",
        ),
        (
            &state,
            "(4; at 1)",
            "1",
            "Your move: take 1 from n, to (3; at 1)",
        ),
        (&kayles, "{4}", "1", "several moves take 1 from the heap"),
        (&kayles, "{2}", "2", "Your move: {2} becomes {}, to {}"),
        (&kayles, "{2}", "{1}", "Your move: {2} becomes {1}, to {1}"),
    ] {
        let shown = text(&[file, from, "--seed", "1"], &format!("{line}\nquit\n"));
        assert!(shown.contains(answer), "{from}, {line}: {shown}");
    }
}

#[test]
fn wrong_moves_are_explained_and_change_nothing() {
    let nim = ["games/nim.nimrule", "3,4,5,0", "--seed", "1"];
    for (line, why) in [
        ("h1 4", "h1 has 3 tokens; 4 cannot be taken"),
        ("(1,3,5,0)", "no move of the rule leads to (1,3,5,0)"),
        ("(3,4,5,0)", "a move changes it"),
        ("#3", "type `moves` first"),
        ("3", "type `moves` first, then `3`"),
        ("moves\n#99", "`moves` lists no move #99"),
        ("dance", "`dance` is not a move; type the position after it"),
    ] {
        let shown = text(&nim, &format!("{line}\nboard\nquit\n"));
        assert!(shown.contains(why), "{line}: {shown}");
        assert!(!shown.contains("The program's move"), "{line}: {shown}");
    }
}

#[test]
fn moves_are_taken_back() {
    let shown = text(
        &["games/nim.nimrule", "3,4,5,0", "--seed", "1"],
        "undo\nh1 2\nundo\nboard\n",
    );
    assert!(shown.contains("There is no move to take back."), "{shown}");
    let board = "h1  3  ●●●\n  h2  4  ●●●●\n  h3  5  ●●●●●";
    assert_eq!(shown.matches(board).count(), 3, "{shown}");
}

#[test]
fn heaps_are_shown_as_the_file_says() {
    let strip = text(&["games/silver_dollar.nimrule", "3,5,9"], "quit\n");
    let lines =
        "    ·  ·  ·  a  ·  b  ·  ·  ·  c  ·  ·  ·\n    0  1  2  3  4  5  6  7  8  9 10 11 12\n";
    assert!(strip.contains(lines), "{strip}");
    let bar = text(&["games/chocolate_bar.nimrule", "6,2"], "quit\n");
    let squares = "           ■ ■ ■\n       ■ ■ ■ ■ ■\n   × ■ ■ ■ ■ ■ ■\n";
    assert!(bar.contains(squares), "{bar}");
}

#[test]
fn the_end_names_the_decisive_mistake() {
    let shown = text(&["games/wythoff.nimrule", "1,1", "--seed", "2"], "a 1\n");
    assert!(shown.contains("The program wins."), "{shown}");
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let mistake = "at (1,1), take 1 from a and 1 from b would have won";
    assert!(shown.contains(mistake), "{shown}");
    let shown = text(&["games/wythoff.nimrule", "1,1"], "(0,0)\nquit\n");
    assert!(shown.contains("You win."), "{shown}");
}

#[test]
fn games_are_counted_and_the_players_take_turns_to_begin() {
    let lines = "(0,0)\nrestart\nundo\nquit\n";
    let arguments = ["games/wythoff.nimrule", "1,1", "--format", "json"];
    let shown = text(&arguments, lines);
    let events: Vec<Value> = (shown.lines())
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let scores: Vec<_> = (events.iter())
        .filter(|event| event["event"] == "score")
        .map(|event| {
            (
                event["won"]["you"].as_u64(),
                event["won"]["program"].as_u64(),
            )
        })
        .collect();
    assert_eq!(scores, [(Some(1), Some(0)), (Some(1), Some(1))]);
    let begins: Vec<_> = (events.iter())
        .filter(|event| event["event"] == "position" && event["shown"] == "(1,1)")
        .map(|event| event["to_move"].as_str())
        .collect();
    assert_eq!(begins, [Some("you"), Some("program")]);
    // What is taken back is not counted.
    let shown = text(
        &["games/wythoff.nimrule", "1,1"],
        "(0,0)\nundo\n(0,0)\nno\n",
    );
    let scores: Vec<_> = shown
        .lines()
        .filter(|line| line.starts_with("Score"))
        .collect();
    assert_eq!(scores, ["Score: you 1, the program 0"; 2]);
}

#[test]
fn two_people_play_in_turns() {
    let arguments = ["games/wythoff.nimrule", "2,2", "--names", "Ann,Ben"];
    let shown = text(
        &arguments,
        "a 1\nundo\na 1\nhint\nb 1\nhint\n(0,0)\nagain\nquit\n",
    );
    for part in [
        "Ann> a 1\nAnn's move: take 1 from a, to (1,2)",
        "No move wins, if Ann makes no mistake.",
        "Ben's move: take 1 from b, to (1,1)",
        "Ben has no move. Ann wins.",
        "Score: Ann 1, Ben 0",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let after = shown.split("Score").nth(1).expect("the end of a game");
    assert!(
        after.contains("Ben> ") && !after.contains("Ann> "),
        "{after}"
    );
    let unnamed = text(&["games/nim.nimrule", "--two"], "quit\n");
    assert!(unnamed.contains("Player 1> "), "{unnamed}");
    for names in ["Ann", "Ann,Ann", "Ann,", "Ann,Ben,Cy"] {
        let output = play(&["games/nim.nimrule", "--names", names], "");
        assert_eq!(output.status.code(), Some(2), "{names}");
    }
}

#[test]
fn levels_are_numbers_of_random_moves() {
    let same = |one: &[&str], other: &[&str]| {
        let of = |level: &[&str]| {
            let arguments = [&["games/nim.nimrule", "7,7,7,7", "--seed", "5"], level].concat();
            text(&arguments, &at_random(3))
        };
        of(one) == of(other)
    };
    for level in nimrule_answer::Level::ALL {
        let errs = level.errs.to_string();
        assert!(
            same(&["--level", level.name], &["--errs", &errs]),
            "{}",
            level.name
        );
    }
    assert!(!same(&["--level", "beginner"], &["--level", "perfect"]));
    assert_eq!(
        nimrule_answer::Level::named("perfect").map(|level| level.errs),
        Some(0)
    );
}
