//! The formatter changes the layout of a file and nothing else.

use crate::game_files::label;
use nimrule_fixtures::game_files;
use std::path::Path;

/// The comments of a text, in order. No text in quotes holds `//` in these files.
fn comments(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| Some(line[line.find("//")?..].trim_end()))
        .collect()
}

fn check(name: &str, text: &str) {
    let formatted = nimrule_syntax::format(text).expect(name);
    let (before, after) = (
        nimrule_syntax::parse(text),
        nimrule_syntax::parse(&formatted),
    );
    assert_eq!(after.problems.len(), 0, "{name}");
    let nodes = |parsed: &nimrule_syntax::Parsed| {
        let statements = parsed.file.statements.iter();
        statements.map(|s| s.node.clone()).collect::<Vec<_>>()
    };
    assert_eq!(nodes(&before), nodes(&after), "{name}");
    assert_eq!(comments(text), comments(&formatted), "{name}");
    let again = nimrule_syntax::format(&formatted).expect(name);
    assert_eq!(again, formatted, "{name}");
}

#[test]
fn files_keep_their_tree_and_their_comments() {
    let mut checked = 0;
    for path in game_files() {
        check(
            &label(&path),
            &std::fs::read_to_string(&path).expect("a game"),
        );
        checked += 1;
    }
    let errors = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut folders = vec![errors];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "nimrule")
                && let Ok(text) = std::fs::read_to_string(&path)
                && nimrule_syntax::format(&text).is_ok()
            {
                check(&label(&path), &text);
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "only {checked}");
}

#[test]
fn shipped_games_are_formatted() {
    for path in game_files() {
        if path
            .parent()
            .is_some_and(|folder| folder.ends_with("games"))
            && !path.to_string_lossy().contains("tests")
        {
            let text = std::fs::read_to_string(&path).expect("a game");
            let formatted = nimrule_syntax::format(&text).expect("it parses");
            assert_eq!(formatted, text, "{}", label(&path));
        }
    }
}

#[test]
fn layouts_of_every_kind_become_one() {
    for (text, formatted) in [
        (
            "game g heaps a b move take from one heap",
            "game g\nheaps a b\nmove take from one heap\n",
        ),
        (
            "\n\n  game g\n\n\n\theaps a\n move take from a\n\n",
            "game g\n\nheaps a\nmove take from a\n",
        ),
        (
            "game g heaps a\nmove take from a\nclaim P iff a==1  or\n          a<2\n",
            "game g\nheaps a\nmove take from a\nclaim P iff a == 1 or\n    a < 2\n",
        ),
        (
            "game g heaps a\nmove take 1 .. 3 from a\nclaim P iff a+1==2* a\n",
            "game g\nheaps a\nmove take 1..3 from a\nclaim P iff a+1 == 2 * a\n",
        ),
        (
            "// first\n\n\n  // second\ngame g heaps a // third\n  // fourth\nmove take from a",
            "// first\n\n// second\ngame g\nheaps a // third\n    // fourth\nmove take from a\n",
        ),
        (
            "game g\nboard graph {\na-b,\n   b-c\n}\nheaps on vertices\nmove take from one heap\n",
            "game g\nboard graph {\n    a-b,\n    b-c\n}\nheaps on vertices\nmove take from one heap\n",
        ),
    ] {
        assert_eq!(nimrule_syntax::format(text).as_deref(), Ok(formatted));
        check("a text", text);
    }
    assert!(nimrule_syntax::format("game g heaps a move take frm a").is_err());
}
