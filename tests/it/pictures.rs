//! The pictures of the book are those that its commands draw.

use crate::cli::{command, console::root, nimrule, printed};
use std::path::{Path, PathBuf};

/// The commands of the page that write a file, each with the name of the file.
fn commands() -> Vec<(Vec<String>, String)> {
    let page =
        std::fs::read_to_string(root().join("docs/src/pictures.md")).expect("the page can be read");
    page.lines()
        .filter_map(|line| line.trim_start_matches("$ ").strip_prefix("nimrule "))
        .filter(|line| !line.contains("--plot") && line.ends_with(".svg"))
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
        let output = command(&words).arg(&drawn).output();
        let output = output.expect("the binary runs");
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
        let output = drawn(&[&["games/nim.nimrule", "5,3,1,0", "--move"], more].concat());
        assert!(output.status.success(), "{output:?}");
        printed(&output)
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

fn drawn(arguments: &[&str]) -> std::process::Output {
    nimrule([&["draw"], arguments].concat())
}

#[test]
fn the_games_of_a_folder_are_drawn_on_one_page() {
    let output = drawn(&["games"]);
    assert!(output.status.success(), "{output:?}");
    let page = String::from_utf8(output.stdout).expect("it is text");
    let games = std::fs::read_dir(root().join("games")).expect("the folder is there");
    let games = games.map(|entry| entry.expect("an entry").path());
    let mut count = 0;
    for path in games.filter(|path| path.extension().is_some_and(|end| end == "nimrule")) {
        let name = path.file_stem().expect("a name").to_string_lossy();
        assert!(
            page.contains(&format!("<figcaption>{name}</figcaption>")),
            "{name}"
        );
        count += 1;
    }
    assert_eq!(page.matches("<svg").count(), count);
    // Titles are named once on the page.
    for number in 1..=count {
        let id = format!("id=\"title-{number}\"");
        assert_eq!(page.matches(&id).count(), 1, "{id}");
    }
    // Northcott's Game is shown at the largest of its examples.
    assert!(
        page.contains("l[1] 0, l[2] 0, l[3] 0, r[1] 8"),
        "not at its example"
    );
    for wrong in [
        &["games", "-o", "games.png"][..],
        &["games", "3,4"],
        &["games", "--graph"],
    ] {
        assert_eq!(drawn(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[cfg(feature = "pictures")]
#[test]
fn the_plot_of_one_heap_is_its_grundy_sequence() {
    let plot = |arguments: &[&str]| {
        let output = drawn(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("it is text")
    };
    // Subtraction of 1, 3 or 4: the values 0, 1, 0, 1, 2, 3, 2 repeat.
    let one = plot(&["games/subtraction_set.nimrule", "--plot", "--max", "20"]);
    assert!(
        one.contains("Grundy values of one heap, h1 from 0 to 20; the largest is 3."),
        "{one}"
    );
    let fixed = plot(&crate::split(
        "games/wythoff.nimrule --plot --fix b=3 --max 9",
    ));
    assert!(
        fixed.contains("Grundy values of one heap, a from 0 to 9"),
        "{fixed}"
    );
    // Sizes without a position have no value, and those behind them have.
    let gaps = plot(&crate::split(
        "games/unbalanced_nim.nimrule --plot --fix h2=3 --max 9",
    ));
    assert!(gaps.contains("h1 from 0 to 9; the largest is 7."), "{gaps}");
    for outcomes in [
        &["games/subtraction_set.nimrule", "--plot", "--misere"][..],
        &["games/partizan_subtraction.nimrule", "--plot"],
    ] {
        assert!(
            plot(outcomes).contains("outcome classes by h1"),
            "{outcomes:?}"
        );
    }
}

#[test]
fn pictures_are_no_part_of_the_rule() {
    let rule = |more: &str| {
        let text = format!("game g\nheaps a b c\n{more}move take from one heap\n");
        let source = nimrule::Source::new("test", text);
        let no_files = |_: &str| Err("no files".to_owned());
        let compiled = nimrule::compile(&source, &Default::default(), &no_files);
        compiled.expect("the rule is right").rule_hash()
    };
    assert_eq!(rule(""), rule("shown as rows\n"));
    assert_eq!(rule(""), rule("shown as strip\n"));
    assert_ne!(rule(""), rule("positions where a < b\n"));
}

#[cfg(not(feature = "pictures"))]
#[test]
fn what_is_not_built_says_how_to_install_it() {
    for arguments in [&["-o", "nim.png"][..], &["--plot"], &["--terminal"]] {
        let output = drawn(&[&["games/nim.nimrule"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        let said: Vec<&str> = said.split_whitespace().collect();
        assert!(
            said.join(" ")
                .contains("`cargo install --path . --profile dist --features full` installs it"),
            "{said:?}"
        );
    }
}
