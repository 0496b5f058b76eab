//! The choice between a table of the box below a position and a search of what can be reached.

use nimrule_engine::{Limits, PositionAnswer, Request, Solver, answer};
use nimrule_fixtures::{game, shipped};
use nimrule_model::game::{Convention, Game};

fn answered(game: &Game, position: &[u64], forced: Option<&str>) -> PositionAnswer {
    let limits = Limits::of_memory(1 << 30);
    let answer = answer(
        &Solver::new(game),
        position,
        Convention::Misere,
        Request::Outcome,
        &limits,
        forced,
    );
    answer.expect("within the limits")
}

/// Of the box below a bar of chocolate few tuples are positions: what can be reached is searched,
/// and the answer is that of the table.
#[test]
fn few_positions_of_a_large_box_are_searched() {
    let chomp = shipped("chomp", &[("rows", 7)]);
    let bar = [7; 7];
    let found = answered(&chomp, &bar, None);
    assert_eq!(found.method, "memo");
    let names = found.rejected.iter().map(|(name, _)| *name);
    assert!(names.collect::<Vec<_>>().contains(&"table"));
    let table = answered(&chomp, &bar, Some("table"));
    assert_eq!(table.method, "table");
    assert_eq!(found.outcome, table.outcome);
    assert_eq!(found.winning_moves, table.winning_moves);
}

/// Where nearly all of the box can be reached, the search gives up before the table is filled.
#[test]
fn most_positions_of_a_large_box_are_in_its_table() {
    let rule = "game g heaps a b c d move take t from one heap where t != a";
    let found = answered(&game(rule), &[27; 4], None);
    assert_eq!(found.method, "table");
}
