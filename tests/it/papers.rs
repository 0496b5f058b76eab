//! Tables, LaTeX and papers: what is typeset is read back by a checker and, where `pdflatex` is
//! installed, compiled.

use crate::cli::{console::root, nimrule};
use nimrule::compile;
use nimrule_answer::{Bounds, Effort, Session};
use nimrule_elaborate::Settings;
use nimrule_engine::Limits;
use nimrule_fixtures::latex::{check, document};
use nimrule_fixtures::{few_or_many, shipped_names};
use nimrule_limits::Steps;
use nimrule_model::source::Source;
use nimrule_paper::{PaperRequest, paper};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(words: &str) -> Output {
    nimrule(words.split_whitespace())
}

fn printed(words: &str) -> String {
    let output = run(words);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.stderr.is_empty(), "{words}: {said}");
    String::from_utf8(output.stdout).expect("the answer is UTF-8")
}

fn refusal(words: &str) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(2), "{words}: {output:?}");
    let said = String::from_utf8(output.stderr).expect("the error is UTF-8");
    // Errors are wrapped.
    said.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compiles a document if `pdflatex` is installed.
fn compiled(name: &str, text: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("papers");
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let path: PathBuf = folder.join(format!("{name}.tex"));
    std::fs::write(&path, text).expect("the document can be written");
    let output = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error"])
        .arg(&path)
        .current_dir(&folder)
        .output();
    if let Ok(output) = output {
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{name}: {log}");
    }
}

#[test]
fn papers_of_shipped_games_are_read_back() {
    let effort = Effort {
        bounds: Some(Bounds::Fitting {
            positions: 2_000,
            options: 100_000,
            work: Some(Steps::million(1)),
            as_suggested: false,
        }),
        ..Effort::PROMPT.proving(Steps(300_000))
    };
    let names = shipped_names();
    let some = few_or_many(11, 1);
    for name in names.iter().step_by(some) {
        let path = root().join(format!("games/{name}.nimrule"));
        let text = std::fs::read_to_string(&path).expect("the game can be read");
        let source = Source::new(name.clone(), text);
        let read = |file: &str| {
            std::fs::read(root().join("games").join(file)).map_err(|error| error.to_string())
        };
        let compiled_game = compile(&source, &Settings::new(), &read).expect("no errors");
        let limits = Limits::of_memory(1 << 28);
        let session = Session::new(&compiled_game.game, limits);
        let request = PaperRequest {
            file: format!("games/{name}.nimrule"),
            effort: effort.clone(),
            ..PaperRequest::default()
        };
        let written = paper(&session, &compiled_game.file, &request).expect("a paper");
        let commands = check(&written).unwrap_or_else(|why| panic!("{name}: {why}\n{written}"));
        assert!(commands > 30, "{name}: {commands} commands");
        compiled(name, &written);
    }
}

#[test]
fn every_claim_of_a_paper_is_what_prove_says() {
    let written = printed("paper games/wythoff.nimrule --each 30 --no-cache");
    let theorems = written.matches("\\begin{theorem}").count();
    assert_eq!(theorems, 2, "{written}");
    let written = printed("paper games/grundys_game.nimrule --each 0.1 --no-cache");
    assert!(!written.contains("\\begin{theorem}"), "{written}");
    assert!(
        written.contains("\\begin{conjecture}[claim 1]"),
        "{written}"
    );
    assert!(written.contains("it is not proved"), "{written}");
}

/// A command of each verb that has LaTeX.
const COMMANDS: &[&str] = &[
    "solve games/nim.nimrule 3,4,5 --set piles=3",
    "solve games/nim.nimrule 3,4,5 to 1,4,5 to 1,4,4 to 1,3,4 --set piles=3",
    "solve games/partizan_subtraction.nimrule 3",
    "solve games/wythoff.nimrule --max 9",
    "sum games/nim.nimrule:piles=2:3,4 games/kayles.nimrule:5",
    "why games/wythoff.nimrule 5,6 --depth 2",
    "why games/nim.nimrule 1,2,3 --set piles=3 --depth 3",
    "list games/nim.nimrule --max 2 --set piles=2",
    "table games/wythoff.nimrule --max 30",
    "table games/wythoff.nimrule --grundy --misere --max 5",
    "sequence games/kayles.nimrule --to 60",
    "quotient games/kayles.nimrule --to 9",
    "structures games/swenberg_two_cycle.nimrule",
    "test games/wythoff.nimrule games/kayles.nimrule",
    "prove games/cube_face.nimrule --claim 1 --no-cache",
    "discover games/nim.nimrule --set piles=2 --no-cache",
    "discover games/nim.nimrule --set piles=2 --no-cache --grundy",
    "atlas 2 --each 5",
    "search games/subtraction_range.nimrule --each 1 --most 3",
];

#[test]
fn every_verb_writes_latex() {
    for (number, words) in COMMANDS.iter().enumerate() {
        let written = printed(&format!("{words} --format latex -q"));
        let whole = document(&written);
        let commands = check(&whole).unwrap_or_else(|why| panic!("{words}: {why}\n{written}"));
        assert!(commands > 5, "{words}: {written}");
        compiled(&format!("fragment{number}"), &whole);
    }
    let said = refusal("check games/nim.nimrule --format latex");
    assert!(
        said.contains("`check` has the formats text, json, csv and github"),
        "{said}"
    );
}

#[test]
fn the_checker_refuses_what_latex_does_not_read() {
    let wrong = [
        ("a_1", "line 1: `_` stands in text"),
        ("{a", "is not closed"),
        ("a}", "a brace ends None"),
        ("$a", "Math of line 1 is not closed"),
        (
            "\\begin{itemize}\\item a\\end{enumerate}",
            "\\end{enumerate} ends",
        ),
        ("a & b", "`&` stands outside of a table"),
        ("\\nonsense", "the command \\nonsense is unknown"),
        ("50 #", "`#` is not escaped"),
        ("\u{5806}", "pdfLaTeX has no sign"),
        ("$a\n\nb$", "line 1: a paragraph ends within math"),
    ];
    for (text, why) in wrong {
        let said = check(text).expect_err(text);
        assert!(said.contains(why), "{text}: {said}");
    }
    assert_eq!(
        check("a \\& $x_1 \\le \\text{a_1}$"),
        Err("line 1: `_` stands in text".to_owned())
    );
    assert_eq!(check("\\textbf{a} $x_1$ % 50 # {\n"), Ok(1));
}

#[test]
fn a_table_agrees_with_a_list() {
    // Each entry of the table is the value that `list --grundy` has.
    let table = printed("table games/wythoff.nimrule --max 6 --grundy --format csv");
    let list = printed("list games/wythoff.nimrule --max 6 --grundy --format csv");
    let mut entries = Vec::new();
    for (row, line) in table.lines().skip(1).enumerate() {
        for (column, value) in line.split(',').skip(1).enumerate() {
            entries.push(format!("{row},{column},{value}"));
        }
    }
    let listed: Vec<&str> = list.lines().skip(1).collect();
    assert_eq!(entries, listed);
    // Rows and columns can be exchanged, and other heaps are fixed.
    let of = |words: &str| printed(&format!("table games/nim.nimrule {words} --format csv"));
    let exchanged = of("--set piles=3 --rows h3 --columns h1 --fix h2=5 --max 4 --grundy");
    let row = exchanged.lines().nth(3).expect("a row");
    assert_eq!(row, "2,7,6,5,4,3");
    assert!(exchanged.starts_with("h3\\h1,0,1,2,3,4\n"), "{exchanged}");
    // One heap is a table of one row.
    assert_eq!(of("--set piles=1 --max 3"), "h1,0,1,2,3\noutcome,P,N,N,N\n");
}

#[test]
fn tables_of_every_kind_of_position() {
    let has = |words: &str, part: &str| {
        let written = printed(&format!("table {words}"));
        assert!(
            written.lines().all(|line| line.chars().count() <= 80),
            "{written}"
        );
        let joined = written.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(joined.contains(part), "{words}: {written}");
    };
    // Two heaps of a multiset, a state, tokens, two players, play without end.
    has("games/kayles.nimrule --misere", "two heaps, misere play");
    has(
        "games/kayles.nimrule --grundy --max 9",
        "Grundy values; rows: one heap",
    );
    has(
        "games/nim_with_a_pass.nimrule --fix a=1 --max 5",
        "rows: b, columns: c",
    );
    has(
        "games/nim_with_a_pass.nimrule --fix a=1 --fix b=1 --fix c=1 --rows passes",
        "passes",
    );
    has(
        "games/partizan_subtraction.nimrule --set piles=2 --max 30",
        "L = Left wins",
    );
    has("games/maharaja.nimrule", "rows");
    has(
        "games/silver_dollar.nimrule --fix c=9",
        "empty = no position of the game",
    );
    let said = refusal("table games/nim.nimrule --set piles=4");
    assert!(said.contains("as in `--fix h4=0`"), "{said}");
    let said = refusal("table games/nim.nimrule --set piles=3 --rows x");
    assert!(said.contains("choose from h1, h2, h3"), "{said}");
    let said = refusal("table games/kayles.nimrule --rows ring");
    assert!(said.contains("all heaps are of one kind"), "{said}");
    let said = refusal("table games/wythoff.nimrule --max 1000");
    assert!(said.contains("the limit is 199"), "{said}");
    let said = refusal("table games/swenberg_reals.nimrule");
    assert!(said.contains("real"), "{said}");
    let said = refusal("table games/kayles.nimrule --grundy --misere");
    assert!(
        said.contains("no Grundy values under misere play"),
        "{said}"
    );
    let said = refusal("table games/partizan_subtraction.nimrule --grundy");
    assert!(said.contains("each side has moves of its own"), "{said}");
}
