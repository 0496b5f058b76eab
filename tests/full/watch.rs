//! `test --watch`, completions and the manual page.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn a_file_is_tested_again_when_it_changes() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full-watch");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path = folder.join("watched.nimrule");
    let rule = "game watched\nheaps a b\nmove take from one heap\n";
    std::fs::write(&path, format!("{rule}claim P iff a == b\n")).expect("it can be written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(["test", "--watch"])
        .arg(&path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let output = child.stdout.take().expect("the output is a pipe");
    let lines = BufReader::new(output).lines();
    let mut lines = lines.map(|line| line.expect("a line"));
    let time = lines.next().expect("the time");
    assert_eq!(time.len(), "12:34:56".len(), "{time}");
    let mut results = lines.filter(|line| line.contains("hold, ") || line.contains("changed"));
    let first = results.next().expect("a result");
    assert!(first.starts_with("1 hold, 0 fail"), "{first}");
    std::fs::write(&path, format!("{rule}claim P iff a == 2 * b\n")).expect("it can be written");
    let changed = results.next().expect("what has changed");
    assert!(changed.ends_with(", changed: watched.nimrule"), "{changed}");
    let second = results.next().expect("another result");
    assert!(second.starts_with("0 hold, 1 fail"), "{second}");
    child.kill().expect("the program can be ended");
    child.wait().expect("it has ended");
}

#[test]
fn shells_and_manuals_get_what_they_need() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(["completions", shell])
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        let script = String::from_utf8(output.stdout).expect("a text");
        assert!(
            script.contains("nimrule") && script.contains("discover"),
            "{shell}"
        );
    }
    let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .arg("man")
        .output()
        .expect("the program starts");
    let page = String::from_utf8(output.stdout).expect("a text");
    assert!(
        page.contains(".TH nimrule") && page.contains("discover"),
        "{page}"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(["man", "solve"])
        .output()
        .expect("the program starts");
    let page = String::from_utf8(output.stdout).expect("a text");
    for part in [".TH nimrule-solve", "remoteness", "time\\-limit"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full-man");
    let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
        .args(["man", "--output"])
        .arg(&folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    let stored = std::fs::read_to_string(folder.join("nimrule-solve.1"));
    assert_eq!(stored.expect("the page of a verb"), page);
    assert!(folder.join("nimrule.1").is_file() && !folder.join("nimrule-help.1").exists());
}
