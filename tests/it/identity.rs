//! What is kept between runs is taken up again only for what it is of: the tables of `atlas` and
//! `search`, checkpoints, and columns out of core. Proofs are in `proof_cache`.
#![cfg(unix)]

use crate::long_runs::{folder, printed, run, said};
use nimrule_fixtures::{few_or_many, for_cases};
use proptest::prelude::any;
use serde_json::Value;
use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What standard error says, its white space single.
fn words(of: &std::process::Output) -> String {
    said(of).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the program on a table, and returns its status, its words and the table after it.
fn on_table(arguments: &[&str], table: &Path) -> (Option<i32>, String, String) {
    let path = table.to_str().expect("a path of text");
    let done = run(&[arguments, &["--output", path]].concat());
    let after = fs::read_to_string(table).expect("there is a table");
    (done.status.code(), words(&done), after)
}

/// The cells of a table without the times, which differ between runs.
fn cells(table: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let times = |name: &str| name == "seconds";
    let head = reader.headers().expect("a head").clone();
    let rows = reader.records().map(|record| record.expect("a row"));
    rows.map(|row| {
        let named = head.iter().zip(row.iter());
        let named = named.filter(|(name, _)| !times(name));
        named.map(|(_, cell)| cell.to_owned()).collect()
    })
    .collect()
}

/// The table of each number of heaps and convention is refused for each other one.
#[test]
fn a_table_of_an_atlas_is_of_its_games() {
    let folder = folder("identity-atlas");
    let mut all: Vec<(Vec<&str>, PathBuf, String)> = Vec::new();
    for heaps in ["2", "3"] {
        for transitive in [&[][..], &["--transitive"]] {
            for misere in [&[][..], &["--misere"]] {
                let arguments = [&["atlas", heaps][..], transitive, misere].concat();
                let table = folder.join(format!("{}.csv", all.len()));
                let (status, words, text) = on_table(&arguments, &table);
                assert_eq!(status, Some(0), "{words}");
                all.push((arguments, table, text));
            }
        }
    }
    for (number, (arguments, ..)) in all.iter().enumerate() {
        for (other, (_, table, before)) in all.iter().enumerate() {
            let (status, words, after) = on_table(arguments, table);
            assert_eq!(after, *before, "{arguments:?}: {words}");
            match number == other {
                true => assert_eq!(status, Some(0), "{words}"),
                false => {
                    assert_eq!(status, Some(2), "{arguments:?}");
                    assert!(words.contains("cannot be resumed: it is for "), "{words}");
                }
            }
        }
    }
}

/// The parts of what a run is of, each by its number.
type Parts = Vec<usize>;

/// Compares random pairs, of which half differ in one part or none.
fn of_pairs(sizes: &[usize], compare: impl Fn(&Parts, &Parts)) {
    let parts: Vec<_> = sizes.iter().map(|size| 0..*size).collect();
    let (places, largest) = (sizes.len(), sizes.iter().copied().max().unwrap_or(1));
    let pair = (parts.clone(), parts, any::<bool>(), 0..places, 0..largest);
    for_cases(
        few_or_many(24, 200),
        pair,
        |(one, other, is_near, place, value)| {
            let mut other = other;
            if is_near {
                other.clone_from(&one);
                other[place] = value % sizes[place];
            }
            compare(&one, &other);
        },
    );
}

/// A rule with its claims. The comment changes nothing.
fn rule(parts: &[usize]) -> String {
    let &[name, default, amounts, claim, comment] = parts else {
        panic!("five parts: {parts:?}");
    };
    format!(
        "game {} {}\nparam k = {} in 1..2\nparam m = 1 in 1..2\nheaps a b c\n\
         move take {}from one heap\nclaim {}\n",
        ["one", "other"][name],
        ["", "// by hand\n"][comment],
        ["1", "2"][default],
        ["", "1..k "][amounts],
        [
            "P iff a ^ b ^ c == 0",
            "P iff a == b",
            "misere P iff a ^ b ^ c == 0",
            "P if a ^ b ^ c == 0",
        ][claim],
    )
}

const OF_RULE: [usize; 5] = [2, 2, 2, 4, 2];

#[test]
fn a_table_of_a_search_is_of_its_rule_and_claims() {
    let folder = folder("identity-search");
    let (file, table) = (folder.join("rule.nimrule"), folder.join("t.csv"));
    let path = file.to_str().expect("a path of text");
    let refused = Cell::new(0);
    // The last part is what is set.
    of_pairs(&[&OF_RULE[..], &[3]].concat(), |one, other| {
        let search = |parts: &Parts| {
            fs::write(&file, rule(&parts[..5])).expect("it can be written");
            let set: &[&str] = [&[][..], &["--set", "m=1"], &["--set", "m=2"]][parts[5]];
            on_table(&[&["search", path, "--each", "0.01"], set].concat(), &table)
        };
        let _ = fs::remove_file(&table);
        let (status, words, before) = search(one);
        assert_eq!(status, Some(0), "{words}");
        let (status, words, after) = search(other);
        assert_eq!(after, before, "{one:?} {other:?}: {words}");
        let is_same = one[..4] == other[..4] && one[5] == other[5];
        assert_eq!(status, Some(if is_same { 0 } else { 2 }), "{words}");
        if !is_same {
            assert!(words.contains("cannot be resumed: it is for "), "{words}");
            refused.set(refused.get() + 1);
        }
    });
    assert!(refused.get() >= 10, "{refused:?}");
}

/// A run in the folder of another one answers as it does without one, or is refused.
fn is_not_mistaken(name: &str, option: &str, engines: &[&str]) {
    let folder = folder(name);
    let file = folder.join("rule.nimrule");
    let kept = folder.join("kept");
    let [path, kept_path] = [&file, &kept].map(|path| path.to_str().expect("a path of text"));
    let [same, refused] = [(); 2].map(|()| Cell::new(0));
    let sizes = [&OF_RULE[..], &[2, 2, 2, 2, engines.len()]].concat();
    of_pairs(&sizes, |one, other| {
        let of = |parts: &Parts, is_kept: bool| {
            fs::write(&file, rule(&parts[..5])).expect("it can be written");
            let max = ["3", "4"][parts[6]];
            let mut arguments = vec![["solve", "list"][parts[5]], path, "--max", max];
            arguments.extend(["--format", "json", "--set"]);
            arguments.push(["k=1", "k=2"][parts[7]]);
            arguments.extend([&[][..], &["--misere"]][parts[8]]);
            arguments.extend(["--engine", engines[parts[9]]]);
            arguments.extend(if is_kept {
                vec![option, kept_path]
            } else {
                Vec::new()
            });
            run(&arguments)
        };
        let _ = fs::remove_dir_all(&kept);
        if !of(one, true).status.success() {
            // The engine does not take this rule.
            return;
        }
        let (found, right) = (of(other, true), of(other, false));
        match found.status.code() {
            Some(2) => refused.set(refused.get() + 1),
            _ => assert_eq!(printed(&found), printed(&right), "{one:?} {other:?}"),
        }
        if one == other {
            assert_ne!(found.status.code(), Some(2), "{}", words(&found));
            same.set(same.get() + 1);
        }
    });
    assert!(same.get() > 0 && refused.get() > 0, "{same:?} {refused:?}");
}

#[test]
fn a_checkpoint_is_of_its_run() {
    is_not_mistaken("identity-checkpoint", "--checkpoint", &["table", "nim-sum"]);
}

#[test]
fn columns_are_of_their_run() {
    is_not_mistaken("identity-columns", "--out-of-core", &["nim-sum"]);
}

/// A table that is refused, and why. It stays as it is.
#[test]
fn tables_that_are_not_of_the_run_are_refused() {
    let folder = folder("identity-refused");
    let table = folder.join("t.csv");
    let (status, words, own) = on_table(&["atlas", "2"], &table);
    assert_eq!(status, Some(0), "{words}");
    let version = env!("CARGO_PKG_VERSION");
    let replaced = |from: &str, to: &str| {
        assert!(own.contains(from), "{own}");
        own.replace(from, to)
    };
    let lines: Vec<&str> = own.lines().collect();
    let without = own.lines().map(|line| {
        let cells: Vec<&str> = line.rsplitn(2, ',').collect();
        format!("{}\n", cells[1])
    });
    let one_more = own.replace("\n2,", "\n3,");
    let others: [(String, &str); 9] = [
        (
            replaced(&format!("nimrule: {version}"), "nimrule: 0.0.1"),
            "it is for nimrule 0.0.1, and this is",
        ),
        (
            replaced("semantics: ", "semantics: 9"),
            "of the semantics of rules, and this is",
        ),
        // Of one row alone.
        (
            own.replacen("convention: normal", "convention: misere", 1),
            "it is for misere play and not of normal play",
        ),
        (
            replaced("kind: atlas", "kind: search"),
            "another kind of file",
        ),
        (replaced("kind: atlas", "sort: atlas"), "unexpected content"),
        (without.collect(), "does not say what its rows are of"),
        ("a,b\n1,2\n".to_owned(), "it has other columns"),
        (one_more, "it has the row 3, and this run has 2"),
        ("my notes".to_owned(), "it is a line without an end"),
    ];
    for (text, why) in others {
        fs::write(&table, &text).expect("it can be written");
        let (status, words, after) = on_table(&["atlas", "2"], &table);
        assert_eq!(status, Some(2), "{why}");
        assert!(words.contains(why), "{words}");
        assert!(
            words.contains("name another file with `--output`"),
            "{words}"
        );
        assert_eq!(after, text);
    }
    // Nor is a row of another game, whatever it says of itself.
    fs::write(
        &table,
        own.replace(lines[1].split(',').nth(1).expect("faces"), "a"),
    )
    .expect("it");
    let (status, words, _) = on_table(&["atlas", "2"], &table);
    assert_eq!(
        (status, words.contains("was changed")),
        (Some(2), true),
        "{words}"
    );
}

/// A table that was cut off anywhere is completed, and rows in any order are put in order.
#[test]
fn a_table_is_completed() {
    let folder = folder("identity-completed");
    let table = folder.join("t.csv");
    let own = on_table(&["atlas", "2"], &table).2;
    let right = cells(&own);
    assert_eq!(right.len(), 2);
    for length in (0..own.len()).step_by(few_or_many(7, 1)) {
        fs::write(&table, &own[..length]).expect("it can be written");
        let (status, words, after) = on_table(&["atlas", "2"], &table);
        assert_eq!(status, Some(0), "{length}: {words}");
        assert_eq!(cells(&after), right, "{length}");
        let in_a_row =
            own.find('\n').is_some_and(|head| length > head + 1) && !own[..length].ends_with('\n');
        assert_eq!(words.contains("was cut off"), in_a_row, "{length}: {words}");
    }
    let lines: Vec<&str> = own.lines().collect();
    let swapped = format!("{}\n{}\n{}\n", lines[0], lines[2], lines[1]);
    let twice = format!("{own}{}\n", lines[1]);
    for text in [swapped, twice] {
        fs::write(&table, text).expect("it can be written");
        assert_eq!(on_table(&["atlas", "2"], &table).2, own);
    }
}

/// Rows are appended to a table, its permissions stay, and a link to it too.
#[test]
fn a_table_stays_the_same_file() {
    let folder = folder("identity-file");
    let table = folder.join("t.csv");
    let program = env!("CARGO_BIN_EXE_nimrule");
    let command = format!("umask 027; {program} atlas 2 --output {}", table.display());
    let made = Command::new("sh").args(["-c", &command]).output();
    assert!(made.expect("there is a shell").status.success());
    let about = || fs::metadata(&table).expect("it is there");
    assert_eq!(about().mode() & 0o777, 0o640);
    let own = fs::read_to_string(&table).expect("it is there");
    let lines: Vec<&str> = own.lines().collect();
    let node = about().ino();
    // The last row is appended; the first one leads to a table in another order.
    fs::write(&table, format!("{}\n{}\n", lines[0], lines[1])).expect("it can be written");
    assert_eq!(cells(&on_table(&["atlas", "2"], &table).2), cells(&own));
    assert_eq!(about().ino(), node);
    fs::set_permissions(&table, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::write(&table, format!("{}\n{}\n", lines[0], lines[2])).expect("it can be written");
    let link = folder.join("link.csv");
    std::os::unix::fs::symlink("t.csv", &link).expect("a link can be made");
    assert_eq!(cells(&on_table(&["atlas", "2"], &link).2), cells(&own));
    assert_eq!(about().mode() & 0o777, 0o600);
    assert!(
        fs::symlink_metadata(&link)
            .expect("it is there")
            .is_symlink()
    );
    // The device that holds nothing is no table.
    let done = run(&["atlas", "2", "--output", "/dev/null"]);
    assert!(
        words(&done).contains("`/dev/null` is not a file"),
        "{}",
        words(&done)
    );
}

#[test]
fn a_table_has_one_run_at_a_time() {
    let folder = folder("identity-locked");
    let table = folder.join("t.csv");
    let own = on_table(&["atlas", "2"], &table).2;
    let file = fs::File::open(&table).expect("it is there");
    file.lock().expect("it can be locked");
    let (status, words, after) = on_table(&["atlas", "2"], &table);
    assert_eq!(status, Some(2));
    assert!(words.contains("another run writes"), "{words}");
    assert_eq!(after, own);
    drop(file);
    assert_eq!(on_table(&["atlas", "2"], &table).0, Some(0));
}

/// What is open is searched again with more time, and with as much time it stands.
#[test]
fn an_open_row_stands_for_as_much_time() {
    let folder = folder("identity-open");
    let (file, table) = (folder.join("rule.nimrule"), folder.join("t.csv"));
    let text = "game g\nparam k = 1 in 1..1\nheaps a b\nmove take 1..k from one heap\n\
                claim P iff a * a mod 2 == b * b mod 2\n";
    fs::write(&file, text).expect("it can be written");
    let path = file.to_str().expect("a path of text");
    let search = |each: &str| on_table(&["search", path, "--each", each], &table);
    let own = search("0.5").2;
    assert!(own.contains(",holds,"), "{own}");
    assert!(own.contains(",0.5,"), "{own}");
    assert_eq!(search("0.25").2, own);
    let longer = search("1").2;
    assert!(longer.contains(",1,"), "{longer}");
    assert_eq!(longer.lines().count(), own.lines().count());
    let done = run(&["search", path, "--format", "json"]);
    let answer: Value = serde_json::from_str(&printed(&done)).expect("it is JSON");
    assert_eq!(answer["rows"][0]["seconds"], 2.0);
    let identity = answer["identity"].as_str().expect("it says what it is of");
    assert!(own.contains(identity), "{own}");
}
