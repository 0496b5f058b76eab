//! Boxes out of core: the same answers as in memory, after kills at any moment; and what is
//! said of files that cannot be used.
#![cfg(unix)]

use crate::long_runs::{SIX, folder, path_in, printed, rule_in, run, said, start};
use crate::split;
use nimrule_fixtures::{Numbers, few_or_many};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// What a run says on standard error, its white space single.
fn words(output: &Output) -> String {
    said(output)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The files of a sweep whose names begin so.
fn files(sweep: &Path, kind: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(sweep).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(kind));
    let mut files: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The box of a test: it takes 18 MiB at once.
const BOX: [&str; 6] = ["--max", "23", "--box", "--format", "json", "--quiet"];

/// A moment within so many milliseconds.
fn sleep(random: &mut Numbers, most: u64) {
    std::thread::sleep(Duration::from_millis(random.below(most.max(1))));
}

/// Runs a command that keeps its files in a folder until it is killed in a state that a test
/// asks for, and leaves it so.
fn killed_when(arguments: &[&str], kept: &str, is_there: impl Fn() -> bool) {
    let mut random = Numbers::new(0x1992);
    let mut most = 1500;
    for _ in 0..200 {
        let mut child = start(arguments);
        sleep(&mut random, most);
        let _ = child.kill();
        let output = child.wait_with_output().expect("it ends");
        if is_there() {
            return;
        }
        if output.status.code().is_some() {
            fs::remove_dir_all(kept).expect("it is there");
            most -= most / 4;
        }
    }
    panic!("no kill left such files");
}

/// The answer of a command, and how many milliseconds it takes, but at most these.
fn timed(arguments: &[&str], most: u64) -> (Output, u64) {
    let begun = Instant::now();
    let output = run(arguments);
    (output, most.min(begun.elapsed().as_millis() as u64))
}

/// Moves of the second heap that reach beyond a strip, and a claim about values.
const VECTORS: &str = "game vectors
heaps a b c d
move take equal from exactly 2 heaps
move take 1..3 from one heap
move take {2,5} from a
claim P iff a == b and c == d
claim grundy == (a ^ b ^ c ^ d) mod 4
";

/// Boxes of all engines that divide them, and the memory for columns of many widths, down to
/// one strip.
const BOXES: [(&str, &str, &[&str]); 3] = [
    (SIX, "23", &["1800K", "3M", "5M", "9M", "100M"]),
    (VECTORS, "33", &["2600K", "5M", "100M"]),
    (
        "game sums\nheaps a b c d e\nmove take {1,3,4} from one heap\n\
         claim P iff a == b and c == d\nclaim grundy == (a ^ b ^ c ^ d ^ e) mod 3\n",
        "17",
        &["20M"],
    ),
];

#[test]
fn killed_runs_are_resumed_to_the_same_answer() {
    let folder = folder("out-of-core-killed");
    let mut random = Numbers::new(0x9e37_79b9_7f4a_7c15);
    let mut kills = 0;
    let wanted = few_or_many(3, 60);
    for number in 0.. {
        let (rule, most, memories) = BOXES[number % BOXES.len()];
        let rule = rule_in(&folder, rule);
        let memory = memories[number / BOXES.len() % memories.len()];
        let misere: &[&str] = if number % 2 == 1 { &["--misere"] } else { &[] };
        let at_once = ["solve", &rule, "--max", most, "--box", "--format", "json"];
        let at_once = [&at_once[..], &["--quiet"], misere].concat();
        let (expected, most) = timed(&at_once, 1500);
        // One of its claims fails.
        assert_eq!(expected.status.code(), Some(1), "{}", words(&expected));
        let kept = &path_in(&folder, &format!("kept-{number}"))[..];
        let options = ["--out-of-core", kept, "--memory-limit", memory];
        let divided = [&at_once[..], &options].concat();
        let answer = loop {
            let mut child = start(&divided);
            if kills < wanted {
                sleep(&mut random, most);
                if child.try_wait().expect("it can be asked").is_none() {
                    child.kill().expect("it can be killed");
                    kills += 1;
                }
            }
            let output = child.wait_with_output().expect("it ends");
            if output.status.code().is_some() {
                break output;
            }
        };
        assert_eq!(printed(&answer), printed(&expected), "{}", words(&answer));
        // Once more, from what is stored; and no face is left.
        assert_eq!(printed(&run(&divided)), printed(&expected));
        let sweeps = fs::read_dir(kept).into_iter().flatten().flatten();
        for sweep in sweeps {
            for kind in ["face-", "pages-"] {
                assert!(files(&sweep.path(), kind).is_empty(), "{kind}");
            }
        }
        if kills >= wanted && number + 1 >= BOXES.len() {
            break;
        }
    }
}

#[test]
fn files_that_cannot_be_used_are_refused_and_nothing_is_lost() {
    let folder = folder("out-of-core-damaged");
    let rule = rule_in(&folder, SIX);
    let kept = folder.join("kept");
    let sweep = kept.join("solve-normal");
    let kept = kept.to_str().expect("a path of text");
    let at_once = [&["solve", rule.as_str()], &BOX[..]].concat();
    let options = ["--out-of-core", kept, "--memory-limit", "3M"];
    let divided = [&at_once[..], &options].concat();
    // With less memory than the columns of the earlier run take, nothing is computed; but the
    // files that are not needed are removed.
    let less = [
        &at_once[..],
        &["--out-of-core", kept, "--memory-limit", "1800K"],
    ]
    .concat();
    killed_when(&divided, kept, || {
        if files(&sweep, "column-").is_empty() {
            return false;
        }
        let output = run(&less);
        assert_eq!(output.status.code(), Some(3), "{}", words(&output));
        let of_earlier = "the columns of the earlier run take 2,457 KiB of memory";
        assert!(words(&output).contains(of_earlier), "{}", words(&output));
        ["face-", "pages-"]
            .iter()
            .all(|kind| !files(&sweep, kind).is_empty())
    });
    let refused = |expected: &str| {
        let output = run(&divided);
        let words = words(&output);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains(expected), "{words}");
        assert!(words.contains("to begin again"), "{words}");
    };
    for kind in ["box", "column-", "pages-", "face-"] {
        let path = files(&sweep, kind).pop().expect("there is one");
        let bytes = fs::read(&path).expect("it is there");
        let is_checked_by_size = matches!(kind, "pages-" | "face-");
        fs::write(&path, &bytes[..bytes.len() - 1]).expect("it can be written");
        refused(if is_checked_by_size {
            "bytes and not"
        } else {
            "it is damaged"
        });
        if is_checked_by_size {
            fs::remove_file(&path).expect("it can be removed");
            refused("No such file");
        }
        let mut flawed = bytes.clone();
        flawed[bytes.len() / 2] ^= 4;
        fs::write(&path, &flawed).expect("it can be written");
        refused("it is damaged: the checksum does not match");
        fs::write(&path, &bytes).expect("it can be written");
    }
    let other = [&["solve", &rule, "--max", "20", "--box"], &options[..]].concat();
    let output = run(&other);
    assert_eq!(output.status.code(), Some(2));
    let other_box =
        "it is for another box: heaps up to 23,23,23,23,23,23 and not 20,20,20,20,20,20";
    assert!(words(&output).contains(other_box), "{}", words(&output));
    assert_eq!(printed(&run(&divided)), printed(&run(&at_once)));
}

/// As on a full disk: no file may be longer than this, so that faces are not written.
#[test]
fn a_run_that_cannot_write_is_resumed_when_it_can() {
    let folder = folder("out-of-core-full");
    let rule = rule_in(&folder, SIX);
    let kept = &path_in(&folder, "kept")[..];
    let at_once = [&["solve", rule.as_str()], &BOX[..]].concat();
    let options = ["--out-of-core", kept, "--memory-limit", "3M"];
    let divided = [&at_once[..], &options].concat();
    let limited = format!(
        "ulimit -f 100; trap '' XFSZ; exec {} {}",
        env!("CARGO_BIN_EXE_nimrule"),
        divided.join(" ")
    );
    let output = Command::new("sh").args(["-c", &limited]).output();
    let output = output.expect("there is a shell");
    assert_eq!(output.status.code(), Some(2), "{}", words(&output));
    assert!(words(&output).contains("/face-0-"), "{}", words(&output));
    assert!(
        words(&output).contains("cannot be written"),
        "{}",
        words(&output)
    );
    assert_eq!(printed(&run(&divided)), printed(&run(&at_once)));
}

#[test]
fn a_second_run_in_a_folder_is_refused() {
    let folder = folder("out-of-core-locked");
    let rule = rule_in(&folder, SIX);
    let kept = folder.join("kept");
    let lock = kept.join("solve-normal/lock");
    let kept = kept.to_str().expect("a path of text");
    let divided = format!("solve {rule} --max 60 --box --out-of-core {kept}");
    let divided = split(&divided);
    let mut first = start(&divided);
    while !lock.exists() {
        std::thread::sleep(Duration::from_millis(10));
        assert!(first.try_wait().expect("it can be asked").is_none());
    }
    // The lock is taken after its file is created.
    std::thread::sleep(Duration::from_millis(200));
    let second = run(&divided);
    assert_eq!(second.status.code(), Some(2));
    let expected = "solve-normal`; wait until it ends, or name another folder";
    assert!(words(&second).contains(expected), "{}", words(&second));
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
}

/// Runs that share the columns have the answer of one run, whichever of them is killed.
#[test]
fn joined_runs_have_the_same_answer() {
    let folder = folder("out-of-core-joined");
    let rule = rule_in(&folder, SIX);
    let at_once = [&["solve", rule.as_str()], &BOX[..]].concat();
    let (expected, most) = timed(&at_once, 1000);
    let mut random = Numbers::new(0x1992_1992);
    let mut kills = few_or_many(3, 60);
    for number in 0.. {
        let kept = &path_in(&folder, &format!("kept-{number}"))[..];
        let memory = ["1800K", "3M", "5M"][number % 3];
        let line = format!("--join --out-of-core {kept} --memory-limit {memory} --threads 1");
        let joined = [&at_once[..], &split(&line)].concat();
        // One to four runs, of which killed ones are started again.
        let mut runs: Vec<_> = (0..1 + number % 4).map(|_| start(&joined)).collect();
        while kills > 0 && runs.len() > 1 {
            sleep(&mut random, most);
            let place = random.below(runs.len());
            if runs[place].try_wait().expect("it can be asked").is_some() {
                break;
            }
            let mut killed = std::mem::replace(&mut runs[place], start(&joined));
            killed.kill().expect("it can be killed");
            killed.wait().expect("it ends");
            kills -= 1;
        }
        for run in runs {
            let output = run.wait_with_output().expect("it ends");
            assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
        }
        let sweep = Path::new(kept).join("solve-normal");
        assert!(files(&sweep, "face-").is_empty() && files(&sweep, "pages-").is_empty());
        if kills == 0 && number > 3 {
            break;
        }
    }
    // One that does not join is refused beside one that does, and the other way round.
    let kept = folder.join("refused");
    let lock = kept.join("solve-normal/lock-0");
    let kept = kept.to_str().expect("a path of text");
    let alone = format!("solve {rule} --max 60 --box --out-of-core {kept}");
    let alone = split(&alone);
    let mut first = start(&[&alone[..], &["--join"]].concat());
    while !lock.exists() {
        std::thread::sleep(Duration::from_millis(10));
        assert!(first.try_wait().expect("it can be asked").is_none());
    }
    let output = run(&alone);
    first.kill().expect("it can be killed");
    first.wait().expect("it ends");
    assert_eq!(output.status.code(), Some(2), "{}", words(&output));
    assert!(
        words(&output).contains("another run uses"),
        "{}",
        words(&output)
    );
}

/// Grundy values whose table exceeds the memory are computed in columns.
#[test]
fn values_beyond_the_memory_are_computed_out_of_core() {
    let folder = folder("out-of-core-values");
    let rule = rule_in(&folder, VECTORS);
    let at_once = ["solve", &rule, "--max", "30", "--box", "--format", "json"];
    let expected = run(&at_once);
    assert!(!words(&expected).contains("out of core"));
    let output = run(&[&at_once[..], &["--memory-limit", "4M"]].concat());
    assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
    let note = "the table of Grundy values is solved out of core, in ";
    assert!(words(&output).contains(note), "{}", words(&output));
    assert!(files(&folder.join(".nimrule"), "columns-").is_empty());
}

#[test]
fn a_box_beyond_the_memory_is_solved_out_of_core() {
    let folder = folder("out-of-core-chosen");
    let rule = rule_in(&folder, SIX);
    let at_once = ["solve", &rule, "--max", "20", "--box", "--format", "json"];
    let expected = run(&at_once);
    assert!(!words(&expected).contains("out of core"));
    let beside = folder.join(".nimrule");
    let with_less = [&at_once[..], &["--memory-limit", "2M"]].concat();
    let output = run(&with_less);
    assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
    let note = "the box is solved out of core, in 11 columns: ";
    assert!(words(&output).contains(note), "{}", words(&output));
    assert!(
        words(&output).contains("/.nimrule/columns-"),
        "{}",
        words(&output)
    );
    // Nothing is left of it.
    assert!(files(&beside, "columns-").is_empty());
    // The folder of checkpoints is one.
    let kept = folder.join("kept");
    let kept_here = ["--checkpoint", kept.to_str().expect("a path of text")];
    let output = run(&[&with_less[..], &kept_here].concat());
    assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
    assert_eq!(files(&kept.join("solve-normal"), "column-").len(), 11);
}

/// A list from columns is that of the box, in every format and with every filter.
#[test]
fn a_list_from_columns_is_that_of_the_box() {
    let folder = folder("out-of-core-list");
    let six = rule_in(&folder, SIX);
    let cube = "games/cube_edge.nimrule";
    let circle = ["games/circular_nim.nimrule", "--set", "n=6", "--set", "k=2"];
    let all: [(&[&str], &str, &str); 6] = [
        (&[&six, "--max", "9"], "text", "400K"),
        (
            &[&six, "--max", "9", "--misere", "--threads", "2"],
            "csv",
            "400K",
        ),
        (&[cube, "--max", "11", "--up-to-symmetry"], "json", "700K"),
        (
            &[cube, "--max", "11", "--misere", "--limit", "99"],
            "latex",
            "700K",
        ),
        (
            &[cube, "--max", "9", "--fix", "b=13", "--fix", "C=2"],
            "csv",
            "200K",
        ),
        (&[&circle[..], &["--max", "9"]].concat(), "csv", "300K"),
    ];
    for (number, (arguments, format, memory)) in all.into_iter().enumerate() {
        let at_once = [&["list"], arguments, &["--format", format]].concat();
        let expected = run(&at_once);
        assert_eq!(expected.status.code(), Some(0), "{}", words(&expected));
        let kept = &path_in(&folder, &format!("kept-{number}"))[..];
        let options = ["--out-of-core", kept, "--memory-limit", memory];
        let divided = [&at_once[..], &options].concat();
        let output = run(&divided);
        assert_eq!(printed(&output), printed(&expected), "{}", words(&output));
        let convention = match arguments.contains(&"--misere") {
            true => "misere",
            false => "normal",
        };
        let sweep = Path::new(kept).join(format!("list-{convention}"));
        assert!(files(&sweep, "column-").len() > 1, "{}", words(&output));
        // Once more, from what is stored.
        assert_eq!(printed(&run(&divided)), printed(&expected));
    }
    // A list longer than the memory is merged from sorted files.
    let kept = folder.join("long");
    let sweep = kept.join("list-normal");
    let at_once = ["list", cube, "--max", "15", "--format", "csv"];
    let options = ["--out-of-core", kept.to_str().expect("a path of text")];
    let divided = [&at_once[..], &options, &["--memory-limit", "700K"]].concat();
    let expected = printed(&run(&at_once));
    assert!(expected.len() > 1 << 19);
    for _ in 0..2 {
        fs::create_dir_all(&sweep).expect("it can be made");
        // One that a killed run has left.
        fs::write(sweep.join("places-0"), "12345678").expect("it can be written");
        assert_eq!(printed(&run(&divided)), expected);
        assert!(!sweep.join("places-0").exists());
    }
    // A run that is killed is resumed.
    let mut random = Numbers::new(0x1997);
    for _ in 0..few_or_many(4, 40) {
        fs::remove_dir_all(&kept).expect("it is there");
        for _ in 0..2 {
            let mut child = start(&divided);
            sleep(&mut random, 500);
            let _ = child.kill();
            child.wait().expect("it ends");
        }
        assert_eq!(printed(&run(&divided)), expected);
    }
    let runs = files(&sweep, "places-");
    assert!(runs.len() > 1, "{runs:?}");
    let bytes = fs::read(&runs[0]).expect("it is there");
    for altered in [&bytes[8..], &[&[bytes[0] ^ 1], &bytes[1..]].concat(), &[]] {
        fs::write(&runs[0], altered).expect("it can be written");
        let output = run(&divided);
        assert_eq!(output.status.code(), Some(2), "{}", words(&output));
        assert!(
            words(&output).contains("it is damaged"),
            "{}",
            words(&output)
        );
        assert_eq!(printed(&output), "");
    }
    fs::remove_file(&runs[0]).expect("it can be removed");
    assert!(words(&run(&divided)).contains("cannot be read"));
    for option in ["--grundy", "--remoteness", "--outcome=N"] {
        let kept = &path_in(&folder, "refused")[..];
        let output = run(&["list", cube, "--max", "3", "--out-of-core", kept, option]);
        assert_eq!(output.status.code(), Some(2), "{}", words(&output));
        let expected = "`--out-of-core` lists P-positions only; remove it, or `--";
        assert!(words(&output).contains(expected), "{}", words(&output));
        assert!(!Path::new(kept).exists());
    }
}

/// The columns leave room for the process itself, and a claim that is compared in memory does
/// not end the run.
#[test]
fn a_plan_counts_what_the_process_takes() {
    let folder = folder("out-of-core-plan");
    let kept = &path_in(&folder, "edge")[..];
    let edge = split("solve games/cube_edge.nimrule --max 31 --box --threads 1");
    let options = ["--memory-limit", "18M", "--out-of-core", kept];
    let output = run(&[&edge[..], &options].concat());
    assert_eq!(output.status.code(), Some(0), "{}", words(&output));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let planned = said.split_once("column").expect("it is announced").1;
    let planned = planned.split_once(": ").expect("the memory").1;
    let (number, unit) = planned.split_once(' ').expect("a number and a unit");
    let number: u64 = number.replace(',', "").parse().expect("a number");
    let planned = match unit.starts_with("MiB") {
        true => number << 20,
        false => number << 10,
    };
    assert!(planned <= 16 << 20, "{said}");

    let kept = &path_in(&folder, "face")[..];
    let face = split("solve games/cube_face.nimrule --max 11 --format json");
    let options = ["--memory-limit", "40M", "--out-of-core", kept, "--quiet"];
    let output = run(&[&face[..], &options].concat());
    let printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an answer");
    let claims = printed["claims"]
        .as_array()
        .expect("its claims are answered");
    let of = |words: &str| {
        let is_of = |claim: &&serde_json::Value| {
            claim["claim"]
                .as_str()
                .is_some_and(|claim| claim.starts_with(words))
        };
        claims.iter().find(is_of).expect("the file has it")
    };
    assert_eq!(of("P iff")["standing"], "holds", "{printed}");
    assert_eq!(of("same as")["standing"], "unknown", "{printed}");
    let why = of("same as")["why"].as_str().unwrap_or_default();
    assert!(why.starts_with("not compared: "), "{why}");
}

#[test]
fn what_is_not_divided_is_refused_by_name() {
    let folder = folder("out-of-core-refused");
    let kept = &path_in(&folder, "kept")[..];
    let six = rule_in(&folder, &format!("{SIX}claim grundy == max(heaps)\n"));
    let all: [(&[&str], i32, &str); 6] = [
        (
            &split("games/circular_nim.nimrule --set n=3 --set k=2 --max 4"),
            2,
            "it is one strip for the engine `hypergraph`, since it has few heaps",
        ),
        (
            &["games/wythoff.nimrule", "--max", "4"],
            2,
            "it is one strip for the engine `vectors`, since it has few heaps",
        ),
        (
            &["games/nim.nimrule", "--set", "piles=2", "--max", "4"],
            2,
            "it is one strip for the engine `nim-sum`, since it has few heaps",
        ),
        (
            &["games/cube_edge.nimrule", "--max", "4", "--engine", "table"],
            2,
            "the engine `table` does not solve it row by row",
        ),
        (
            &["games/nim.nimrule", "1,2,3"],
            2,
            "`--out-of-core` is for a box",
        ),
        (
            &[&six, "--max", "20", "--memory-limit", "10M"],
            3,
            "needs a table of Grundy values, which takes 861 MiB of memory; the limit is 10 MiB; \
             it is not divided into columns: one of a single strip takes",
        ),
    ];
    for (arguments, status, expected) in all {
        let output = run(&[&["solve"], arguments, &["--out-of-core", kept]].concat());
        assert_eq!(output.status.code(), Some(status), "{}", words(&output));
        assert!(words(&output).contains(expected), "{}", words(&output));
        assert_eq!(printed(&output), "");
    }
    assert!(!Path::new(kept).exists());
}
