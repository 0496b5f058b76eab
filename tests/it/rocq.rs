//! Theorems for Rocq: their texts and, where `coqc` is installed, what Rocq says of them.
#![cfg(unix)]

use crate::long_runs::{folder, run};
use nimrule_fixtures::{compiled, few_or_many};
use nimrule_rocq::theorem;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The only file that `prove --rocq` writes of a claim.
fn written(folder: &Path, file: &str, claim: &str) -> PathBuf {
    let to = format!("--rocq={}", folder.display());
    let output = run(&["prove", file, "--claim", claim, "--no-cache", &to]);
    assert!(output.status.success(), "{output:?}");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let mut files = files.map(|file| file.expect("it is read").path());
    let only = files.next().expect("a theorem is written");
    assert_eq!(files.next(), None);
    only
}

#[test]
fn theorems_state_the_rule_and_the_closed_form() {
    let cube = folder("rocq-cube");
    let text = std::fs::read_to_string(written(&cube, "games/cube_edge.nimrule", "1"));
    insta::assert_snapshot!(text.expect("the theorem is there"));
    let game = "game circle board circle(5) move take from 2 consecutive heaps \
                claim P iff like (M,m,c,d,m) where M + m == c + d and M == max(heaps)";
    let game = compiled(game).expect("it compiles").game;
    let text = theorem(&game, 1, &game.claims[0]);
    insta::assert_snapshot!(text.expect("the theorem is written"));
}

#[test]
fn theorems_of_other_rules_are_refused() {
    let cube = folder("rocq-refused");
    let theorem = written(&cube, "games/cube_vertex.nimrule", "1");
    let theorem = theorem.to_str().expect("a path");
    let output = run(&["verify", "--rocq", theorem, "games/cube_edge.nimrule"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let said: Vec<&str> = said.split_whitespace().collect();
    let said = said.join(" ");
    assert!(
        said.contains("is not the theorem of a claim of this rule"),
        "{said}"
    );
}

/// Without `coqc` the error names the package; with it, the theorem is accepted.
#[test]
fn rocq_decides_theorems() {
    for (name, game) in [
        ("rocq-nim", "games/nim.nimrule"),
        ("rocq-trim", "games/trim.nimrule"),
    ]
    .into_iter()
    .take(few_or_many(1, 2))
    {
        let theorem = written(&folder(name), game, "2");
        let theorem = theorem.to_str().expect("a path");
        let output = run(&["verify", "--rocq", theorem, game]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match Command::new("coqc").arg("--version").output() {
            Err(_) => {
                assert_eq!(output.status.code(), Some(2), "{said}");
                assert!(said.contains("libcoq-stdlib"), "{said}");
            }
            Ok(_) => {
                assert!(output.status.success(), "{said}");
                let shown = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(shown.contains("Closed under the global context"), "{shown}");
            }
        }
    }
}
