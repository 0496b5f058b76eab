//! Long runs: progress reports, interruption, and resumption from checkpoints.
#![cfg(unix)]

use crate::WHEN_BUSY;
use crate::cli::{command, nimrule};
use nimrule_fixtures::{Numbers, few_or_many};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A rule whose boxes take a while, since its moves choose from many sets of
/// heaps.
const MANY: &str = "game many
heaps a b c d e f g h
move take from up to 4 heaps
claim P if sum(heaps) == 0
claim P iff count(x in heaps where x == max(heaps)) > 4 or sum(heaps) == 0
";

pub fn folder(name: &str) -> PathBuf {
    nimrule_fixtures::empty_folder(env!("CARGO_TARGET_TMPDIR"), name)
}

/// The path of what is in a folder.
pub fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// A rule of which a checkpoint is written sooner than a slab is swept.
pub const SIX: &str = "game six
heaps a b c d e f
move take from up to 3 heaps
claim P if sum(heaps) == 0
claim P iff count(x in heaps where x == max(heaps)) > 4 or sum(heaps) == 0
";

/// A rule that no fast engine takes.
const GREEDY: &str = "game greedy
heaps 3
move take from one heap as h where h == max(heaps)
claim P if sum(heaps) == 0
claim P iff count(x in heaps where x == max(heaps)) == 3
claim grundy == max(heaps)
";

pub fn rule_in(folder: &Path, text: &str) -> String {
    let path = folder.join("rule.nimrule");
    fs::write(&path, text).expect("it can be written");
    path.to_str().expect("a path of text").to_owned()
}

fn many_in(folder: &Path) -> String {
    rule_in(folder, MANY)
}

pub fn start(arguments: &[&str]) -> Child {
    command(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

pub fn run(arguments: &[&str]) -> Output {
    nimrule(arguments)
}

pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status()
        .expect("there is a `kill`");
    assert!(sent.success(), "it ended too early");
}

/// Sends a signal after a time, and says how long it took to end then.
fn signalled(child: Child, signal: &str, after: Duration) -> (Output, Duration) {
    std::thread::sleep(after);
    send(signal, &child);
    let begun = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    (output, begun.elapsed())
}

/// What a run writes to standard error, its white space single, if it is interrupted so late
/// that it says some words: where the machine has other work, it may be long in coming so far.
fn interrupted_at(arguments: &[&str], words: &str) -> String {
    let mut after = Duration::from_millis(500);
    loop {
        let (output, _) = signalled(start(arguments), "-INT", after);
        // The path of the rule is long, so that lines may break anywhere.
        let text = said(&output);
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {said}");
        if said.contains(words) || after > Duration::from_secs(10) {
            assert!(said.contains(words), "{arguments:?}: {said}");
            return said;
        }
        after *= 2;
    }
}

const CUBE: &str = "games/cube_edge.nimrule";

/// Each of these takes far longer than it is given.
#[test]
fn an_interrupted_run_ends_within_a_second() {
    let boxed = ["solve", CUBE, "--max", "20", "--engine", "table"];
    let all: [(&str, &[&str]); 6] = [
        ("-INT", &boxed),
        ("-TERM", &boxed),
        ("-INT", &["list", CUBE, "--max", "16", "--grundy"]),
        ("-INT", &["test", CUBE, "--max", "20", "--box"]),
        (
            "-INT",
            &["sequence", "games/grundys_game.nimrule", "--to", "1000000"],
        ),
        ("-INT", &["solve", CUBE, "90,91,92,93,94,95", "--grundy"]),
    ];
    for (signal, arguments) in all {
        let child = start(arguments);
        let (output, took) = signalled(child, signal, Duration::from_millis(800));
        let said = said(&output);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}: {said}");
        assert!(took < WHEN_BUSY, "{arguments:?}: {took:?}");
        assert!(said.contains("error: interrupted"), "{arguments:?}: {said}");
        // What was tested before is reported all the same.
        let ended = match arguments {
            ["test", ..] => printed(&output)
                .trim_end()
                .ends_with("1 interrupted, in 1 file"),
            _ => printed(&output).is_empty(),
        };
        assert!(ended, "{arguments:?}: {}", printed(&output));
    }
    interrupted_at(&boxed, "85,766,121");
}

#[test]
fn an_interrupted_run_names_the_command_to_resume_it() {
    let folder = folder("interrupted");
    let rule = many_in(&folder);
    let kept = &path_in(&folder, "kept here")[..];
    let boxed = ["solve", &rule, "--max", "10", "--format", "json"];
    let with = [&boxed[..], &["--checkpoint", kept]].concat();
    let said_of_it = interrupted_at(&with, "of 214,358,881 positions were solved");
    let option = format!("--checkpoint '{kept}'");
    assert!(said_of_it.contains(&option), "{said_of_it}");
    interrupted_at(&boxed, "--checkpoint FOLDER");
    // A limit is met in the same way.
    let limited = [&with[..], &["--time-limit", "0.2"]].concat();
    let output = run(&limited);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains("time limit reached"));
    // The path is long, so that lines may break anywhere.
    let words: Vec<String> = said(&output)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    assert!(
        words.join(" ").contains("resumes from it"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_long_run_reports_progress_every_ten_seconds() {
    let long = ["solve", CUBE, "--max", "20", "--engine", "table"];
    let quiet = [&long[..], &["--quiet"]].concat();
    let mut before = Duration::from_millis(500);
    loop {
        let (loud, quiet) = (start(&long), start(&quiet));
        // Stopped for most of the time, they need no processor.
        std::thread::sleep(before);
        send("-STOP", &loud);
        send("-STOP", &quiet);
        std::thread::sleep(Duration::from_millis(10_000));
        send("-CONT", &loud);
        send("-CONT", &quiet);
        let (loud, _) = signalled(loud, "-INT", 2 * before);
        let (quiet, _) = signalled(quiet, "-INT", Duration::ZERO);
        let lines = |output: &Output| {
            let said = said(output);
            said.lines()
                .filter(|line| line.starts_with("solving: ") && line.ends_with(" left"))
                .count()
        };
        assert_eq!(lines(&quiet), 0, "{}", said(&quiet));
        assert_eq!(printed(&loud), "");
        // Where the machine has other work, it may be stopped before it has begun to solve.
        if lines(&loud) == 1 || before > Duration::from_secs(2) {
            assert_eq!(lines(&loud), 1, "{}", said(&loud));
            return;
        }
        before *= 2;
    }
}

#[test]
fn a_killed_sweep_is_resumed_to_the_same_answer() {
    goes_on_when_killed(folder("killed"), SIX, "23", few_or_many(5, 20));
}

#[test]
fn a_killed_table_is_resumed_to_the_same_answer() {
    goes_on_when_killed(folder("killed-table"), GREEDY, "130", few_or_many(4, 10));
}

/// Kills a run so many times in all, at any moment, and resumes it. There are more
/// kills if none left a checkpoint.
fn goes_on_when_killed(folder: PathBuf, text: &str, most: &str, kills_wanted: u32) {
    let rule = rule_in(&folder, text);
    let boxed = ["solve", &rule, "--max", most, "--box"];
    let begun = Instant::now();
    let expected = run(&boxed);
    let whole = begun.elapsed();
    // One of its claims fails.
    assert_eq!(expected.status.code(), Some(1), "{}", said(&expected));
    // How long it took is another matter; those words end their paragraph.
    let answer_of = |output: &Output| {
        let printed = printed(output);
        let (before, by) = printed.split_once("  by ").expect("it says by what");
        let (_, after) = by.split_once("\n\n").expect("more is said");
        format!("{before}{after}")
    };
    let mut random = Numbers::new(0x9e37_79b9_7f4a_7c15);
    let mut kills = 0;
    let mut gone_on = 0;
    for number in 0.. {
        let kept = &path_in(&folder, &format!("kept-{number}"))[..];
        let with = [&boxed[..], &["--checkpoint", kept]].concat();
        let answer = loop {
            let mut child = start(&with);
            if kills < kills_wanted || gone_on == 0 && kills < 40 {
                // Where the machine is busy it may take much longer.
                let most = whole.as_millis().min(1500) as u64;
                std::thread::sleep(Duration::from_millis(random.below(most.max(1))));
                if child.try_wait().expect("it can be asked").is_none() {
                    child.kill().expect("it can be killed");
                    kills += 1;
                }
            }
            let output = child.wait_with_output().expect("it ends");
            if output.status.code().is_some() {
                break output;
            }
            gone_on += u32::from(Path::new(kept).join("solve-normal.checkpoint").exists());
        };
        assert_eq!(
            answer_of(&answer),
            answer_of(&expected),
            "{}",
            said(&answer)
        );
        if kills >= kills_wanted && gone_on > 0 || kills == 40 {
            break;
        }
    }
    assert!(gone_on > 0, "no run was gone on with");
}

/// The files of checkpoints in a folder.
fn kept_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[test]
fn a_checkpoint_with_another_identity_is_rejected() {
    let folder = folder("refused");
    let rule = many_in(&folder);
    let kept = &path_in(&folder, "kept")[..];
    let checkpoint = ["--checkpoint", kept, "--format", "json"];
    let circle = "games/circular_nim.nimrule";
    let solved = |what: &[&str]| run(&[what, &checkpoint].concat());
    let first = solved(&[
        "solve", circle, "--set", "n=5", "--set", "k=2", "--max", "5",
    ]);
    assert_eq!(first.status.code(), Some(0), "{}", said(&first));
    let file = Path::new(kept).join("solve-normal.checkpoint");
    let bytes = fs::read(&file).expect("it was written");
    let others: [(&[&str], &str); 4] = [
        (
            &["solve", &rule, "--max", "5"],
            "it is for another game: `circular_nim` and not `many`",
        ),
        (
            &[
                "solve", circle, "--set", "n=5", "--set", "k=3", "--max", "5",
            ],
            "it is for other parameters: `n=5 k=2` and not `n=5 k=3`",
        ),
        (
            &[
                "solve", circle, "--set", "n=5", "--set", "k=2", "--max", "6",
            ],
            "it is for another box: heaps up to 5,5,5,5,5 and not 6,6,6,6,6",
        ),
        (
            &[
                "solve", circle, "--set", "n=5", "--set", "k=2", "--max", "5", "--misere",
            ],
            "it is for normal play and not of misere play",
        ),
    ];
    fs::copy(
        &file,
        Path::new(kept).join("solve-misere-misere.checkpoint"),
    )
    .expect("it can be copied");
    for (arguments, words) in others {
        let output = solved(arguments);
        let said = said(&output)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(said.contains("name another folder, or delete"), "{said}");
        assert!(printed(&output).starts_with("{\"version\":1,\"error\":\"wrong\""));
    }
    // A bit that flipped, wherever it is; every one of them is tried where the
    // format has its tests.
    let same = [
        "solve", circle, "--set", "n=5", "--set", "k=2", "--max", "5",
    ];
    for at in [0, 20, bytes.len() / 2, bytes.len() - 1] {
        let mut flawed = bytes.clone();
        flawed[at] ^= 4;
        fs::write(&file, flawed).expect("it can be written");
        let output = solved(&same);
        assert_eq!(output.status.code(), Some(2));
        let words = if at == 0 {
            "not a file of this kind"
        } else {
            "damaged"
        };
        assert!(said(&output).contains(words), "{}", said(&output));
    }
    fs::write(&file, &bytes).expect("it can be written");
    assert_eq!(printed(&solved(&same)), printed(&first));
    // Nothing half written is left.
    let files = kept_in(kept);
    assert!(
        files
            .iter()
            .all(|f| f.extension().is_some_and(|e| e == "checkpoint")),
        "{files:?}"
    );
}

/// Every verb has its own files in the folder, and says the same the first
/// time, the second, and without.
#[test]
fn resumed_reports_equal_uninterrupted_ones() {
    let folder = folder("shared");
    let kept = folder.to_str().expect("a path of text");
    let says_the_same = |boxed: &[&str], kept: &str| {
        let with = [boxed, &["--checkpoint", kept]].concat();
        let expected = run(boxed);
        assert_ne!(printed(&expected), "", "{}", said(&expected));
        for _ in 0..2 {
            assert_eq!(printed(&run(&with)), printed(&expected), "{with:?}");
        }
    };
    for verb in [&["solve", "--box"][..], &["list"]] {
        for options in [&[][..], &["--misere"]] {
            let boxed = [verb, &[CUBE, "--max", "5", "--format", "json"], options].concat();
            says_the_same(&boxed, kept);
        }
    }
    let names: Vec<_> = kept_in(kept)
        .iter()
        .map(|file| {
            file.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        })
        .collect();
    assert_eq!(names.len(), 6, "{names:?}");

    // And those that are kept position by position.
    let rule = rule_in(&folder, GREEDY);
    let kept = &path_in(&folder, "tables")[..];
    let boxed = [&rule, "--max", "9", "--format", "json"];
    for options in [&["solve", "--box"][..], &["list"], &["list", "--grundy"]] {
        says_the_same(&[options, &boxed].concat(), kept);
    }
    let names = kept_in(kept);
    // Solving asks for the values of a claim besides.
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn insufficient_time_limits_are_reported_in_advance() {
    let foretold = "estimated from smaller boxes, this takes about";
    let far = ["solve", CUBE, "--max", "100", "--time-limit", "3"];
    let output = run(&far);
    assert_eq!(output.status.code(), Some(3));
    assert!(said(&output).contains(foretold), "{}", said(&output));
    assert!(said(&output).contains("may fit"), "{}", said(&output));
    let near = ["solve", CUBE, "--max", "5", "--time-limit", "60"];
    let output = run(&near);
    assert_eq!(output.status.code(), Some(0));
    assert!(!said(&output).contains(foretold), "{}", said(&output));
}
