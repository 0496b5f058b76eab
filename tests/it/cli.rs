//! The command line as a person or a script uses it.
//!
//! What a command prints stands in the documents under `tests/cli`, which are
//! run as the book is. Here is what a document cannot show: colours, streams
//! kept apart, pipes that close, and JSON looked at field by field.

pub mod console;

use console::root;
use serde_json::Value;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

#[test]
fn commands_print_what_their_documents_say() {
    let mut commands = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(root().join("tests/cli"))
        .expect("the documents are there")
        .flatten()
    {
        let (ran, faults) = console::run(&entry.path());
        commands += ran;
        wrong.extend(faults);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(commands > 40, "only {commands} commands were found");
}

pub fn nimrule<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    command(arguments).output().expect("the binary runs")
}

/// The program with these arguments, in the folder of the package and without input.
pub fn command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nimrule"));
    command
        .args(arguments)
        .current_dir(root())
        .stdin(Stdio::null())
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE");
    command
}

/// What a command prints that reads these lines.
pub fn told(command: &mut Command, lines: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let child = command.stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the binary runs");
    let mut input = child.stdin.take().expect("the input is a pipe");
    // A command that refuses its arguments does not read its input.
    let _ = input.write_all(lines.as_bytes());
    drop(input);
    child.wait_with_output().expect("it ends")
}

pub fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("what is printed is text")
}

fn json(arguments: &[&str]) -> (Option<i32>, Value) {
    let output = nimrule(arguments);
    let value = serde_json::from_slice(&output.stdout).expect("the answer is JSON");
    (output.status.code(), value)
}

/// The names of an object's fields, in the order printed.
fn fields(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect()
}

const CUBE: &str = "games/cube_edge.nimrule";

#[test]
fn json_of_a_position_is_as_it_is_fixed() {
    let output = nimrule(["solve", CUBE, "(1,0,0,0,0,0)", "--format", "json"]);
    assert_eq!(
        printed(&output),
        "{\"version\":1,\"game\":\"cube_edge\",\"params\":{},\"convention\":\"normal\",\
         \"position\":[1,0,0,0,0,0],\"outcome\":\"N\",\"grundy\":1,\
         \"winning_moves\":[[0,0,0,0,0,0]],\"moves_in_words\":[\"take 1 from a\"],\"method\":\"hypergraph\"}\n"
    );
    assert!(output.stderr.is_empty());
}

#[test]
fn json_names_each_winning_move_once_and_in_ascending_order() {
    let (status, answer) = json(&["solve", CUBE, "3,3,3,2,2,5", "--format", "json"]);
    assert_eq!(status, Some(0));
    let moves: Vec<Vec<u64>> =
        serde_json::from_value(answer["winning_moves"].clone()).expect("a list of positions");
    assert!(!moves.is_empty());
    assert!(moves.windows(2).all(|pair| pair[0] < pair[1]));
    let (_, misere) = json(&["solve", CUBE, "3,3,3,2,2,5", "--misere", "--format", "json"]);
    assert_eq!(misere["grundy"], Value::Null);
    assert_eq!(misere["convention"], "misere");
}

#[test]
fn the_time_of_each_phase_is_told() {
    let (status, answer) = json(&["solve", CUBE, "--max", "12", "--stats", "--format", "json"]);
    assert_eq!(status, Some(0));
    let seconds = answer["seconds"].as_object().expect("they are told");
    let of = |phase: &str| seconds[phase].as_f64().expect("a number");
    let phases = ["parse", "check", "proofs", "sweep", "claims", "list"];
    let sum: f64 = phases.iter().map(|phase| of(phase)).sum();
    // What is left is reading the file, and the start of the process.
    assert!(sum <= of("whole") && sum > 0.5 * of("whole"), "{answer}");
}

#[test]
fn json_of_a_box_is_as_it_is_fixed() {
    let (status, answer) = json(&["solve", CUBE, "--max", "6", "--format", "json"]);
    assert_eq!(status, Some(0));
    assert_eq!(
        fields(&answer),
        [
            "version",
            "game",
            "params",
            "convention",
            "max",
            "positions",
            "p_positions",
            "claims"
        ]
    );
    assert_eq!(answer["positions"], 117_649);
    assert_eq!(answer["p_positions"], 1855);
    let claim = &answer["claims"][0];
    assert_eq!(claim["claim"], "P iff a ^ A == b ^ B == c ^ C");
    assert_eq!(claim["standing"], "proved");
    assert_eq!(claim["theorem"], "the partition theorem");
    assert_eq!(claim["by"], "P-positions recognised by a DFA with 2 states");
}

#[test]
fn lists_are_ascending_and_orbits_add_up() {
    let rows = |options: &[&str]| -> Vec<Vec<u64>> {
        let arguments = [&["list", CUBE, "--max", "3", "--format", "csv"], options].concat();
        let output = nimrule(&arguments);
        assert_eq!(output.status.code(), Some(0));
        let mut reader = csv::Reader::from_reader(output.stdout.as_slice());
        reader
            .records()
            .map(|row| {
                let row = row.expect("a row");
                row.iter().map(|n| n.parse().expect("a number")).collect()
            })
            .collect()
    };
    let all = rows(&[]);
    assert_eq!(all.len(), 256);
    assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
    let orbits = rows(&["--up-to-symmetry"]);
    let sum: u64 = orbits.iter().map(|row| row[6]).sum();
    assert_eq!(sum, 256);
    assert!(orbits.iter().all(|row| all.contains(&row[..6].to_vec())));
    let fixed = rows(&["--fix", "c=3"]);
    let expected: Vec<_> = all.iter().filter(|row| row[2] == 3).cloned().collect();
    assert_eq!(fixed, expected);
    assert_eq!(rows(&["--grundy"]).len(), 4096);
}

#[test]
fn colours_are_for_those_who_want_them() {
    let plain = nimrule(["solve", CUBE, "1,0,0,0,0,0"]);
    assert!(!plain.stdout.contains(&0x1b));
    let coloured = nimrule(["solve", CUBE, "1,0,0,0,0,0", "--color", "always"]);
    assert!(coloured.stdout.contains(&0x1b));
    let without = command(["solve", CUBE, "1,0,0,0,0,0"])
        .env("CLICOLOR_FORCE", "1")
        .env("NO_COLOR", "1")
        .output()
        .expect("the binary runs");
    assert!(!without.stdout.contains(&0x1b));
    let json = nimrule([
        "solve", CUBE, "--max", "2", "--color", "always", "--format", "json",
    ]);
    assert!(!json.stdout.contains(&0x1b));
}

#[test]
fn what_is_wrong_goes_to_standard_error() {
    let output = nimrule(["solve", "games/no_such_game.nimrule"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
}

#[test]
fn a_reader_that_stops_is_no_fault() {
    for arguments in [
        &["list", CUBE, "--max", "6", "--grundy", "--format", "csv"][..],
        &["list", CUBE, "--max", "6", "--grundy", "--format", "json"],
        &["list", CUBE, "--max", "6"],
        &["solve", CUBE, "--max", "3"],
        &["draw", CUBE, "--graph"],
        &["explain"],
    ] {
        let mut child = command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert_eq!(said, "", "{arguments:?}");
    }
}

#[test]
fn text_keeps_to_eighty_columns() {
    for arguments in [
        &["solve", CUBE][..],
        &["solve", CUBE, "3,4,5,1,1,1"],
        &["solve", CUBE, "--max", "2", "--explain"],
        &["test", CUBE],
        &["--help"],
        &["solve", "--help"],
        &["list", "--help"],
    ] {
        let output = nimrule(arguments);
        for line in printed(&output).lines() {
            assert!(line.chars().count() <= 80, "{arguments:?}: {line}");
        }
    }
}

#[test]
fn every_code_that_explain_lists_it_explains() {
    let listed = printed(&nimrule(["explain"]));
    for line in listed.lines() {
        let code = line.split_whitespace().next().expect("a code");
        let output = nimrule(["explain", code]);
        assert_eq!(output.status.code(), Some(0), "{code}");
        assert!(printed(&output).starts_with(code), "{code}");
    }
    let unknown = nimrule(["explain", "no::such-code"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_board_is_read_from_beside_the_rule() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("board-beside");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    // Graph6 of the triangle.
    std::fs::write(folder.join("triangle.g6"), "Bw\n").expect("it can be written");
    let rule = folder.join("triangle.nimrule");
    let text = "game triangle\nboard from \"triangle.g6\"\nheaps on edges\n\
                move take from one vertex\nexample (1,0,0) is N\n";
    std::fs::write(&rule, text).expect("it can be written");
    let output = nimrule(["test", rule.to_str().expect("a path of text")]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
}

/// A claim about sets that no parameter has by itself is neither wrong nor forgotten.
#[test]
fn claims_about_other_sets_are_named() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("other_sets.nimrule");
    let rule = "game other_sets\nparam amounts = {2, 3}\nheaps n\n\
                move take t from n where t in amounts\n\
                claim for size(amounts) == 1: P iff n mod 10 < 5\n";
    std::fs::write(&file, rule).expect("it can be written");
    let file = file.to_str().expect("a path of text");
    assert_eq!(nimrule(["check", file]).status.code(), Some(0));
    let (_, tested) = json(&["test", file, "--format", "json"]);
    assert_eq!(tested["results"][0]["standing"], "not checked", "{tested}");
    let (_, tested) = json(&["test", file, "--set", "amounts={5}", "--format", "json"]);
    assert_eq!(tested["results"][0]["standing"], "proved", "{tested}");
}
