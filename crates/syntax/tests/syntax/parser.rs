//! The parser, compared with the grammar.

use nimrule_syntax::ast::Statement;
use nimrule_syntax::parser::{Grammar, Rule};
use nimrule_syntax::words::{is_reserved, keyword};
use nimrule_syntax::{SyntaxProblem, parse};
use pest::Parser as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The texts of the shipped games and of the files with errors.
fn texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders: Vec<PathBuf> = ["games", "tests"].map(|name| root.join(name)).into();
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ext| ext == "nimrule") {
                texts.extend(fs::read_to_string(path));
            }
        }
    }
    texts
}

#[test]
fn statements_are_those_of_the_grammar() {
    let (mut accepted, mut rejected) = (0, 0);
    for text in texts() {
        // A keyword on a line of its own, and everything on one line.
        let lines = text.replace(' ', "\n");
        let comments = text.contains("//");
        let one_line = text.replace('\n', if comments { "\n" } else { " " });
        for text in [&text, &lines, &one_line] {
            let parsed = parse(text);
            match Grammar::parse(Rule::file, text) {
                Ok(mut pairs) if parsed.problems.is_empty() => {
                    accepted += 1;
                    let statements = pairs.next().expect("a file").into_inner().count() - 1;
                    assert_eq!(statements, parsed.file.statements.len(), "{text}");
                }
                // The grammar has no limits on numbers and length, and accepts an empty file.
                Ok(_) => {
                    let beyond_grammar = |problem: &SyntaxProblem| {
                        matches!(
                            problem,
                            SyntaxProblem::NumberTooLarge { .. }
                                | SyntaxProblem::TooDeep { .. }
                                | SyntaxProblem::TooLong { .. }
                                | SyntaxProblem::Empty { .. }
                        )
                    };
                    assert!(parsed.problems.iter().all(beyond_grammar), "{text}");
                }
                Err(_) => {
                    rejected += 1;
                    assert!(!parsed.problems.is_empty(), "{text}");
                }
            }
        }
    }
    assert!(accepted > 300 && rejected > 50, "{accepted}, {rejected}");
}

/// The text with the corrections that an editor offers, made as often as there are some.
fn corrected(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..9 {
        let mut edits: Vec<_> = parse(&text)
            .problems
            .iter()
            .filter_map(SyntaxProblem::replacement)
            .collect();
        edits.sort_by_key(|edit| std::cmp::Reverse(edit.at.offset()));
        for edit in edits {
            let end = edit.at.offset() + edit.at.len();
            text.replace_range(edit.at.offset()..end, &edit.with);
        }
    }
    text
}

#[test]
fn corrections_of_phrases_leave_no_error() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/errors/syntax");
    let mut tried = 0;
    for entry in fs::read_dir(root).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if name.starts_with("foreign-phrase") && name.ends_with(".nimrule") {
            let text = fs::read_to_string(&path).expect("a fixture");
            let corrected = corrected(&text);
            assert_ne!(parse(&text).problems, [], "{name}");
            assert_eq!(parse(&corrected).problems, [], "{corrected}");
            tried += 1;
        }
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn an_error_hides_no_other_statement() {
    let text = "game g\nheaps a b\nmove take frm a\nmove take 2 from b\nclaim P iff a = b\n";
    let parsed = parse(text);
    assert_eq!(parsed.problems.len(), 2);
    let parsed_well = |statement: &Statement| !matches!(statement, Statement::Unparsed(_));
    let well: Vec<bool> = parsed
        .file
        .statements
        .iter()
        .map(|statement| parsed_well(&statement.node))
        .collect();
    assert_eq!(well, [true, true, false, true, false]);
}

#[test]
fn heaps_that_are_counted_begin_no_statement() {
    for count in [
        "exactly 2",
        "up to n - 1",
        "exactly max(1, 2)",
        "2 consecutive",
    ] {
        let text = format!("game g param n = 3 heaps 3 move take from {count}\nheaps\nheaps 2");
        let parsed = parse(&text);
        assert_eq!(parsed.problems, [], "{text}");
        assert_eq!(parsed.file.statements.len(), 5, "{text}");
    }
}

#[test]
fn keywords_are_read_off_the_grammar() {
    assert_eq!(keyword(Rule::kw_take), Some("take"));
    assert_eq!(keyword(Rule::kw_p), Some("P"));
    assert_eq!(keyword(Rule::take), None);
    assert!(is_reserved("take") && !is_reserved("taken") && !is_reserved("planar"));
}
