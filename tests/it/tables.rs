//! The tables of the book that `docs/tables.py` makes: their quick rows are computed again.

use nimrule_answer::{Discovered, DiscoveryBounds, Session};
use nimrule_engine::{self as engine, Query, Question};
use nimrule_fixtures::{game, game_at, shipped_text};
use nimrule_limits::Limits;
use nimrule_model::game::Convention;
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
fn is_found(text: &str, params: &[(&str, i64)], misere: bool, cells: &[String]) -> bool {
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
    let game = game_at(text, params);
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
        found += usize::from(is_found(&text, &[], false, &row[3..5]));
        found += usize::from(is_found(&text, &[], true, &row[5..7]));
    }
    assert!(found >= 6, "{found}");
    let of_k = |row: &[String]| [("k", row[0].parse().expect("a number"))];
    let text = shipped_text("circular_nim");
    let mut found = 0;
    for row in rows("theorems.md", "circular") {
        // CN(n,k), with one digit each.
        let set = |name: &'static str, place: usize| {
            let digit = row[0].as_bytes()[place];
            (name, i64::from(digit - b'0'))
        };
        let params = [set("n", 3), set("k", 5)];
        found += usize::from(is_found(&text, &params, false, &row[1..3]));
    }
    assert!(found >= 3, "{found}");
    let text = shipped_text("wythoff_final_set");
    let mut found = 0;
    for row in rows("theorems.md", "final-sets") {
        found += usize::from(is_found(&text, &of_k(&row), false, &row[1..3]));
    }
    assert!(found >= 3, "{found}");
    let text = shipped_text("blocking_wythoff");
    let mut found = 0;
    for row in rows("theorems.md", "blocking") {
        found += usize::from(is_found(&text, &of_k(&row), false, &row[1..3]));
        found += usize::from(is_found(&text, &of_k(&row), true, &row[3..5]));
    }
    assert!(found >= 3, "{found}");
}

/// The last d with g(1, c, d) < c + d + 1, and whether no later one has, in the game `a bc bd`.
fn last_exceptional(c: u64, most: u64) -> (u64, bool) {
    let text = "game rows heaps b c d family facet = { b c }, { b d } move take from one facet";
    let game = game(text);
    let session = Session::new(&game, Limits::of_memory(1 << 30));
    let asked = Query {
        question: Question::Grundy,
        convention: Convention::Normal,
    };
    let limits = Limits::of_memory(1 << 30);
    let table = engine::fill(session.solver(), &[1, c, most], asked, &limits, None);
    let table = table.expect("a table");
    let mut row = vec![0; most as usize + 1];
    let read = table.region().try_each(|position, place| {
        if position[..2] == [1, c] {
            row[position[2] as usize] = table.grundy(place).expect("a value");
        }
        Ok::<(), ()>(())
    });
    read.expect("it goes on");
    let is_exceptional = |d: &u64| row[*d as usize] < c + d + 1;
    let last = (0..=most).rev().find(is_exceptional).expect("one is");
    let open = (0..=c + most + 1).filter(|value| !row.contains(value));
    let is_dead: Vec<bool> = open.map(|value| c ^ value <= most + 1).collect();
    let is_end = is_dead.len() as u64 == c + 1 && is_dead.iter().all(|is_dead| *is_dead);
    (last, is_end)
}

#[test]
fn rows_of_the_game_that_no_automaton_may_recognise_end_late() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src/atlas.md");
    let page = fs::read_to_string(page).expect("the page");
    let row = |head: &str| -> Vec<u64> {
        let line = page.lines().find(|line| line.starts_with(head));
        let cells = line.expect("the row").trim_matches('|').split('|').skip(1);
        let cells = cells.map(|cell| cell.trim().parse().expect("a number"));
        cells.collect()
    };
    let stated: Vec<(u64, u64)> = row("| c | 5 |")
        .into_iter()
        .zip(row("| the last exceptional d |"))
        .collect();
    assert_eq!(stated.len(), 6);
    for (k, (c, last)) in (2..).zip(stated) {
        assert_eq!(
            (c, last),
            ((1 << k) + 1, (((1 << (k - 1)) - 1) << (k + 2)) - 2)
        );
        if k <= 4 {
            assert_eq!(last_exceptional(c, 2 * last + 2), (last, true), "{c}");
        }
    }
}
