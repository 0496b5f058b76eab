//! The tables of the book that `docs/tables.py` makes: their quick rows are computed again.

use nimrule_answer::{Discovered, DiscoveryBounds, Session};
use nimrule_elaborate::Settings;
use nimrule_limits::Limits;
use nimrule_model::game::{Convention, ParamValue};
use nimrule_model::source::Source;
use std::fs;
use std::path::Path;

/// The cells of the rows of a table, without its head.
fn rows(page: &str, name: &str) -> Vec<Vec<String>> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    let text = fs::read_to_string(book.join(page)).expect("the page");
    let (_, from) = text
        .split_once(&format!("<!-- tables.py {name} -->"))
        .expect("the table");
    let (table, _) = from.split_once("<!-- end -->").expect("its end");
    let lines = table.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = lines.map(|line| {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        cells.map(str::to_owned).collect()
    });
    cells.collect()
}

/// The states that a row states are those that are found, where that took less than a second.
/// Returns whether they were computed.
fn is_found(text: &str, settings: Settings, misere: bool, cells: &[String]) -> bool {
    let [states, seconds] = cells else {
        panic!("two cells: {cells:?}");
    };
    let seconds: f64 = seconds.parse().expect("seconds");
    let Ok(states) = states.parse::<usize>() else {
        return false;
    };
    if seconds >= 1.0 {
        return false;
    }
    let source = Source::new("a table", text);
    let compiled = nimrule::compile(&source, &settings, &|_| Err("no files".to_owned()));
    let game = compiled.expect("it compiles").game;
    let session = Session::new(&game, Limits::of_memory(1 << 30));
    let convention = match misere {
        true => Convention::Misere,
        false => Convention::Normal,
    };
    match session.discover(convention, DiscoveryBounds::default()) {
        Ok(Discovered::Proved(found)) => assert_eq!(found.set.states(), states, "{text}"),
        other => panic!("{text}: {other:?}"),
    }
    true
}

#[test]
fn quick_rows_are_found_again() {
    let mut found = 0;
    for row in rows("cookbook/planar.md", "prisms") {
        let board = row[0].trim_matches('`');
        let text = format!(
            "game g board {board} heaps on {} move take from {}",
            row[1], row[2]
        );
        found += usize::from(is_found(&text, Settings::new(), false, &row[3..5]));
        found += usize::from(is_found(&text, Settings::new(), true, &row[5..7]));
    }
    assert!(found >= 6, "{found}");
    let game = |name: &str| {
        let path = format!("{}/games/{name}.nimrule", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).expect("it is there")
    };
    let of_k = |row: &[String]| {
        let number = row[0].parse().expect("a number");
        Settings::from([("k".to_owned(), ParamValue::Number(number))])
    };
    let text = game("circular_nim");
    let mut found = 0;
    for row in rows("theorems.md", "circular") {
        // CN(n,k), with one digit each.
        let set = |name: &str, place: usize| {
            let digit = row[0].as_bytes()[place];
            (name.to_owned(), ParamValue::Number(i64::from(digit - b'0')))
        };
        let settings = Settings::from([set("n", 3), set("k", 5)]);
        found += usize::from(is_found(&text, settings, false, &row[1..3]));
    }
    assert!(found >= 3, "{found}");
    let text = game("wythoff_final_set");
    let mut found = 0;
    for row in rows("theorems.md", "final-sets") {
        found += usize::from(is_found(&text, of_k(&row), false, &row[1..3]));
    }
    assert!(found >= 3, "{found}");
    let text = game("blocking_wythoff");
    let mut found = 0;
    for row in rows("theorems.md", "blocking") {
        found += usize::from(is_found(&text, of_k(&row), false, &row[1..3]));
        found += usize::from(is_found(&text, of_k(&row), true, &row[3..5]));
    }
    assert!(found >= 3, "{found}");
}
