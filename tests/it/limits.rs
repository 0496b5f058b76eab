//! `--time-limit` and `--memory-limit` hold in every phase of every verb, and the
//! report is JSON if that format is selected.
#![cfg(target_os = "linux")]

use crate::WHEN_BUSY;
use crate::cli::console::root;
use crate::long_runs::{folder, path_in, run, said, start};
use crate::split;
use serde_json::Value;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::{Duration, Instant};

fn file_in(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::write(&path, bytes).expect("it can be written");
    path.to_str().expect("a path of text").to_owned()
}

fn json_of(output: &Output) -> Value {
    let printed = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

/// A file of many statements, each of which is short.
fn flat(claims: usize) -> String {
    let rule = "game flat\nheaps a b\nmove take from one heap\n";
    rule.to_owned() + &"claim P iff a == b\n".repeat(claims)
}

/// Each of these takes many seconds, in a phase of its own: a file is parsed or
/// checked, a board made, positions counted, solved or proved, an answer written.
#[test]
fn the_time_limit_holds_in_every_phase() {
    let folder = folder("time-limit");
    let flat = file_in(&folder, "flat.nimrule", flat(200_000).as_bytes());
    let digraph = file_in(
        &folder,
        "digraph.nimrule",
        b"game far\nboard digraph (r in 1..100000000) { r -> s where s < r and s > r - 3 }\n\
          tokens 1\nmove slide one token\n",
    );
    let nim = "games/nim.nimrule";
    let cases: [&[&str]; 8] = [
        &["check", &flat],
        &["solve", &digraph],
        &split("draw games/moving_chips.nimrule --relation --set n=700 --set m=700"),
        &["list", "games/kayles.nimrule", "--max", "55"],
        &["structures", nim, "--max", "60"],
        &["sequence", "games/grundys_game.nimrule", "--to", "1000000"],
        &["discover", "games/cube_edges_face.nimrule", "--no-cache"],
        &split("prove games/rim.nimrule --set k=5 --set piles=5 --no-cache"),
    ];
    for arguments in cases {
        let limited = [arguments, &["--time-limit", "0.2", "--format", "json"]].concat();
        let begun = Instant::now();
        let output = run(&limited);
        let took = begun.elapsed();
        assert_eq!(
            output.status.code(),
            Some(3),
            "{limited:?}: {}",
            said(&output)
        );
        assert!(took < WHEN_BUSY, "{limited:?}: {took:?}");
        let answer = json_of(&output);
        assert_eq!(answer["version"], 1, "{limited:?}: {answer}");
    }
}

/// Every verb that may run long ends within a second after its limit. `list-games` and
/// `explain` read what is small.
#[test]
fn every_verb_ends_at_the_time_limit() {
    let folder = folder("time-limit-of-verbs");
    let file = |name: &str, text: &str| file_in(&folder, name, text.as_bytes());
    let flat = file("flat.nimrule", &flat(200_000));
    let heavy = file(
        "heavy.nimrule",
        "game heavy\nheaps a b c d e\n\
         move take x from one heap then optionally take y from one heap where x * y mod 5 != 2\n",
    );
    let bags = file(
        "bags.nimrule",
        "game bags\nheaps any number\nmove split one heap into x, y where x != y\n\
         move take {1,3,4,9} from one heap leaving 0..3 heaps\n",
    );
    let started = file(
        "started.nimrule",
        &(fs::read_to_string(&heavy).expect("a rule") + "start all 90\n"),
    );
    let certificates = &path_in(&folder, "certificates")[..];
    let certificate = format!("{certificates}/cube_vertex-claim-1.json");
    let vertex = "games/cube_vertex.nimrule";
    let proved = format!("prove {vertex} --claim 1 --no-cache --certificate {certificates}");
    assert_eq!(run(&split(&proved)).status.code(), Some(0));
    let part = format!("{heavy}:90,91,92,93,94");
    let cases: [&[&str]; 18] = [
        &["check", &flat],
        &["test", &flat],
        &["test", "games"],
        &["verify", &certificate, &flat],
        &["solve", &heavy, "--max", "60"],
        &["solve", &heavy, "90,91,92,93,94", "--no-cache"],
        &["solve", &started, "--max", "60"],
        &["solve", &bags, "--max", "70"],
        &["list", &heavy, "--max", "40"],
        &["structures", &heavy, "--max", "40"],
        &["structures", &bags, "--max", "60"],
        &["draw", &heavy, "--relation", "--max", "30"],
        &["sum", &part, &part],
        &["sequence", &bags, "--to", "100000"],
        &split("quotient games/grundys_game.nimrule --to 200 --most 1000000"),
        &split("prove games/rim.nimrule --set k=5 --set piles=5 --no-cache"),
        &split("discover games/circular_nim.nimrule --set n=8 --set k=3 --no-cache"),
        &split("discover games/circular_nim.nimrule --set n=8 --set k=3 --grundy"),
    ];
    for arguments in cases {
        let limited = [arguments, &["--time-limit", "1", "--quiet"]].concat();
        let begun = Instant::now();
        let output = run(&limited);
        let took = begun.elapsed();
        let ended = output.status.code();
        assert_eq!(ended, Some(3), "{limited:?}: {}", said(&output));
        assert!(took < WHEN_BUSY, "{limited:?}: {took:?}");
    }
}

/// The default box takes about two seconds, and the report names its size.
#[test]
fn the_default_box_takes_a_moment() {
    let folder = folder("default-box");
    // Each amount may be moved on, so that the search leaves the box.
    let chain = file_in(
        &folder,
        "chain.nimrule",
        b"game chain\nheaps s[1..4]\nmove for some i in 2..4 take t from s[i] then put t on s[i-1]\n\
          move take from s[1]\nclaim P if sum(heaps) == 0\n",
    );
    for verb in ["solve", "test"] {
        let begun = Instant::now();
        let output = run(&[verb, &chain, "--quiet", "--box"]);
        let took = begun.elapsed();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(took < WHEN_BUSY, "{verb}: {took:?}");
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(printed.contains("holds to "), "{printed}");
    }
}

/// Where a number overflows, the default box is a smaller one: in each run the same.
#[test]
fn the_default_box_shrinks_before_a_number_overflows() {
    let folder = folder("overflow");
    let twice = file_in(
        &folder,
        "twice.nimrule",
        b"game twice\nheaps a b\nmove take 2 from a then put b on b\nclaim P iff a < 3\n",
    );
    let unasked = ["solve", &twice, "--quiet", "--box", "--format", "json"];
    let output = run(&unasked);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let most = json_of(&output)["max"].as_u64().expect("a size");
    // From (126,1) on a number overflows.
    assert!((40..126).contains(&most), "{most}");
    assert_eq!(json_of(&run(&unasked)), json_of(&output));
    // A box that is asked for is not made smaller.
    let asked = run(&["solve", &twice, "--quiet", "--max", "130"]);
    assert_eq!(asked.status.code(), Some(2), "{}", said(&asked));
}

/// A search without a limit of the user ends by work: with the same words under any load.
#[test]
fn an_answer_does_not_depend_on_the_load() {
    let folder = folder("work");
    let heavy = file_in(
        &folder,
        "heavy.nimrule",
        b"game heavy\nheaps s[1..4]\nmove for some i in 2..4 take t from s[i] then put t on s[i-1]\n\
          move take from s[1]\nclaim P if sum(heaps) == 0\n",
    );
    let unasked = ["solve", &heavy, "--quiet", "--box", "--format", "json"];
    let alone = json_of(&run(&unasked));
    let others: Vec<Child> = (0..6).map(|_| start(&unasked)).collect();
    for other in others {
        assert_eq!(json_of(&other.wait_with_output().expect("it ends")), alone);
    }
}

/// The cases of nested selections and conditions multiply: symmetries are looked for among
/// few of them.
#[test]
fn a_rule_of_many_cases_is_checked_at_once() {
    let folder = folder("many-cases");
    let selections = file_in(
        &folder,
        "selections.nimrule",
        b"game random\n\
          board tetrahedron\n\
          heaps on edges\n\
          move when (exists y1 in heaps , y2 in 1..2 : y1 == y2) for some x1 in 1 .. min (h1 , h6) take from up to 2 heaps as s2 where ((total != total and heaps[1] >= h1) or (exists x3 in heaps : x3 in -2..2)) then set exactly 2 heaps as s4 to min(s4 , max(0 , min (heaps)))\n\
          move take from one of { h1 h6 }, { h1 }\n",
    );
    let conditions = file_in(
        &folder,
        "conditions.nimrule",
        b"game random\n\
          board prism(3)\n\
          heaps on faces\n\
          move go1 take 2 from heaps[5] then 2 times put 1 on h1\n\
          move take 1 .. (max(0 , heaps[1]) ^ max(0 , heaps[1])) from one of { h1 h5 }, { h1 } then 2 times take equal t2 from up to 2 edge then take equal from exactly 2 heaps as s3 where (exists x5 in { (2 ** (max(0 , t2) mod 5)) for i4 in {1,3} where t2 <= 3 } : h1 touches h5)\n",
    );
    for file in [selections, conditions] {
        let begun = Instant::now();
        let output = run(&["check", &file]);
        let took = begun.elapsed();
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        assert!(took < WHEN_BUSY, "{file}: {took:?}");
    }
}

/// The most memory of its own that a process has taken, in MiB, while it ran.
fn peak(mut child: Child) -> (Option<i32>, u64) {
    let path = format!("/proc/{}/status", child.id());
    let mut most = 0;
    loop {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            return (status.code(), most / 1024);
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(now.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Each of these takes far more memory than it is given, piece by piece.
#[test]
fn the_memory_limit_holds_for_what_grows_piece_by_piece() {
    let folder = folder("memory-limit");
    let flat = file_in(&folder, "flat.nimrule", flat(200_000).as_bytes());
    let cases: [&[&str]; 2] = [
        &["check", &flat],
        &["structures", "games/nim.nimrule", "--max", "60"],
    ];
    for arguments in cases {
        let limited = [arguments, &["--memory-limit", "40M", "--time-limit", "60"]].concat();
        let (code, most) = peak(start(&limited));
        assert_eq!(code, Some(3), "{limited:?}");
        // Alone the machine looks often enough for 48; it may have other work.
        assert!((30..=80).contains(&most), "{limited:?}: {most} MiB");
    }
}

/// A list may be longer than the memory: it is written row by row.
#[test]
fn a_list_takes_no_memory_for_its_rows_and_ends_with_its_reader() {
    let arguments = split("list games/nim.nimrule --max 23 --grundy --memory-limit 24M");
    let mut child = start(&arguments);
    let mut first = [0; 60];
    let mut printed = child.stdout.take().expect("it is a pipe");
    printed.read_exact(&mut first).expect("it prints");
    assert!(first.starts_with(b" h1  h2  h3  h4  grundy\n  0   0   0   0       0\n"));
    drop(printed);
    let begun = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(begun.elapsed() < WHEN_BUSY);
    let mut child = start(&arguments);
    let mut printed = child.stdout.take().expect("it is a pipe");
    let reader = std::thread::spawn(move || std::io::copy(&mut printed, &mut std::io::sink()));
    let (code, most) = peak(child);
    assert_eq!(code, Some(0));
    let bytes = reader.join().expect("it reads").expect("it can be read");
    assert!(bytes > 331_776 * 20, "{bytes}");
    assert!(most < 24, "{most} MiB");
}

#[test]
fn the_default_memory_limit_respects_the_address_space() {
    let binary = env!("CARGO_BIN_EXE_nimrule");
    let command =
        format!("ulimit -v 400000; exec '{binary}' list games/nim.nimrule --max 120 --grundy");
    let output = Command::new("sh")
        .args(["-c", &command])
        .current_dir(root())
        .output()
        .expect("there is a shell");
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("the limit is"), "{}", said(&output));
}

/// Every verb that reads a rule says in JSON that a file is no text.
#[test]
fn a_file_that_is_no_text_is_refused_in_json() {
    let folder = folder("no-text");
    let file = file_in(&folder, "latin.nimrule", b"game g\nheaps a \xff\n");
    let position = format!("{file}:1,2");
    let cases: [&[&str]; 12] = [
        &["solve", &file],
        &["sum", &position],
        &["list", &file],
        &["sequence", &file],
        &["quotient", &file, "--to", "3"],
        &["list-games", &file],
        &["check", &file],
        &["test", &file],
        &["prove", &file],
        &["discover", &file],
        &["structures", &file],
        &["draw", &file, "--graph"],
    ];
    for arguments in cases {
        let output = run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let answer = json_of(&output).to_string();
        assert!(
            answer.contains("syntax::not-text"),
            "{arguments:?}: {answer}"
        );
    }
}

/// A text of one long statement is not nested deep.
#[test]
fn a_long_text_is_not_too_deep() {
    let note = "x".repeat(6_000_000);
    let text = format!("game long\nheaps a\nmove take from a\nnote \"{note}\"\n");
    let parsed = nimrule_syntax::parse(&text).into_result();
    assert!(parsed.is_ok(), "{:?}", parsed.err());
}
