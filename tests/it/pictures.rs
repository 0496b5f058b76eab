//! The pictures of the book are those that its commands draw.

use crate::cli::console::root;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The commands of the page that write a file, each with the name of the file.
fn commands() -> Vec<(Vec<String>, String)> {
    let page =
        std::fs::read_to_string(root().join("docs/src/pictures.md")).expect("the page can be read");
    page.lines()
        .filter_map(|line| line.trim_start_matches("$ ").strip_prefix("nimrule "))
        .filter(|line| !line.contains("--plot"))
        .map(|line| {
            let mut words: Vec<String> = line
                .split_whitespace()
                .map(|word| word.trim_matches('\'').to_owned())
                .collect();
            let name = words.pop().expect("a command has words");
            (words, name)
        })
        .collect()
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn pictures_of_the_book_are_current() {
    let commands = commands();
    assert!(commands.len() >= 6, "only {} commands", commands.len());
    for (words, name) in commands {
        let drawn = folder().join(&name);
        let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(&words)
            .arg(&drawn)
            .current_dir(root())
            .output()
            .expect("the binary runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
        let drawn = std::fs::read_to_string(drawn).expect("the picture is written");
        let path = root().join("docs/src/images").join(&name);
        if std::env::var_os("NIMRULE_DOCUMENTS").is_some_and(|how| how == "write") {
            std::fs::write(&path, &drawn).expect("the image can be written");
        }
        let kept = std::fs::read_to_string(&path).expect("the image is there");
        assert!(kept == drawn, "`{name}` is not what {words:?} draws");
    }
}

#[test]
fn a_marked_move_is_in_the_document_and_in_json() {
    let run = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(["draw", "games/nim.nimrule", "5,3,1,0", "--move"])
            .args(more)
            .current_dir(root())
            .output()
            .expect("the binary runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("it is text")
    };
    let drawn = run(&[]);
    assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"));
    assert!(drawn.contains("Marked move: h1 from 5 to 2."), "{drawn}");
    let json: serde_json::Value =
        serde_json::from_str(&run(&["--format", "json"])).expect("it is JSON");
    assert_eq!(json["position"], serde_json::json!([5, 3, 1, 0]));
    assert_eq!(json["after"], serde_json::json!([2, 3, 1, 0]));
    assert_eq!(json["svg"], drawn.as_str());
}

#[cfg(not(feature = "pictures"))]
#[test]
fn what_is_not_built_says_how_to_install_it() {
    for arguments in [&["-o", "nim.png"][..], &["--plot"], &["--terminal"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(["draw", "games/nim.nimrule"])
            .args(arguments)
            .current_dir(root())
            .output()
            .expect("the binary runs");
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.split_whitespace().collect();
        assert!(
            said.join(" ")
                .contains("`cargo install --path . --features full` installs it"),
            "{said:?}"
        );
    }
}
