//! Bags whose heaps are replaced or split into any number of parts, held against the
//! definition.

use nimrule_definition as definition;
use nimrule_fixtures::compiled;
use nimrule_ir as ir;

/// Compares the options of all positions up to a total.
#[track_caller]
fn agrees(statements: &str, most: u64) {
    let text = format!("game g heaps any number {statements}");
    let game = compiled(&text)
        .unwrap_or_else(|_| panic!("{statements}"))
        .game;
    let graph = ir::lower(&game);
    for position in definition::positions(&game, most).expect("there is no condition") {
        let wanted = definition::options(&game, &position, None).expect("no fault");
        let found = ir::moves(&graph, &position).expect("no fault");
        let wanted: Vec<Vec<u64>> = wanted.into_iter().collect();
        assert_eq!(found, wanted, "{statements} at {position:?}");
    }
}

#[test]
fn bounds_on_parts_exclude_none_that_the_condition_allows() {
    let comparisons = ["==", "<=", "<", ">=", ">", "!="];
    let mut conditions: Vec<String> = vec![
        "distinct(each)".to_owned(),
        "min(each) == max(each)".to_owned(),
        "max(each) - min(each) == count(each) - 1 and distinct(each)".to_owned(),
        "total mod 2 == 0 and max(each) <= 3".to_owned(),
        "2 <= each < 5 and distinct(each)".to_owned(),
        "each in squares and count(each) > 2".to_owned(),
        "sum(each) == total and count(each) - 1 == max(each)".to_owned(),
    ];
    for order in comparisons {
        for left in ["count(each)", "each", "min(each)", "max(each)"] {
            conditions.push(format!("{left} {order} 3"));
            conditions.push(format!("h - 6 {order} {left}"));
        }
        conditions.push(format!("max(each) - min(each) {order} 1"));
        conditions.push(format!("max(each) - min(each) {order} count(each) - 2"));
    }
    for condition in conditions {
        agrees(
            &format!("move split one heap as h into parts where {condition}"),
            9,
        );
    }
    agrees("move split one heap into parts", 9);
}

#[test]
fn a_heap_is_replaced_as_the_reference_says() {
    for step in [
        "replace one heap by x, y",
        "replace one heap as h by h div 2, x where x mod 2 == 1",
        "replace one heap as h by h div d heaps of d in 1..h - 1 where h mod d == 0",
        "replace one heap as h by 0 heaps of h - 1, h - 1",
        "replace one heap as h by x in -2..h - 1, y in {x, 0} where y < h",
        "replace one heap as h by max(h - 2, 0), min(h - 1, 3)",
        "replace one heap as h by if h > 3 then h - 2 else 0",
        "replace one heap by x then optionally take from one heap",
        "take 1 from one heap as h then replace h by x, x",
    ] {
        agrees(&format!("move {step}"), 6);
    }
}

#[test]
fn a_form_has_entries_for_heaps_and_none_for_states() {
    for form in ["(a)", "(a, a)", "(a, b) where a < b", "(2, a)", "()"] {
        agrees(
            &format!(
                "state s in 1..2 = 1 move when like {form} take from one heap then set s to 2"
            ),
            6,
        );
    }
}

#[test]
fn replaced_heaps_may_change_their_kind() {
    for moves in [
        "move replace one ring as h by row x in 0..2 * h",
        "move replace one ring as h by row h move replace one row by ring x, 2 rows of y",
        "move replace one heap as h by row x, ring x where x < h - 1",
        "move replace one ring as h by 2 rows of h move take from one row leaving 0..2 rows",
    ] {
        agrees(&format!("kinds ring, row {moves}"), 5);
    }
}

#[test]
fn play_ends_only_if_new_heaps_are_smaller() {
    let ends =
        |statements: &str| compiled(&format!("game g heaps any number {statements}")).is_ok();
    for bad in [
        "move replace one heap as h by h",
        "move replace one heap as h by x in 0..h",
        "move replace one heap as h by x in 0..5",
        "move replace one heap as h by h div 1, h - 1",
        "move replace one heap as h by x then put 1 on one heap",
        "move optionally replace one heap by x",
        "move take from one heap as h then replace h by 0 heaps of 1, 1",
        "move choose one heap as h then replace one heap by x then replace h by 3",
        "kinds ring, row move replace one ring as h by row h move replace one row as h by ring h",
        "kinds ring, row move replace one ring as h by row 2 * h move replace one row by ring x",
        "kinds ring, row
         move choose one ring as h then replace one heap by row 0 then replace h by row h",
    ] {
        assert!(!ends(bad), "{bad}");
    }
    for good in [
        "move replace one heap as h by x in 0..5 where x < h",
        "move for some k in 0..3 replace one heap as h by k heaps of h - 1",
        "move replace one heap by 0 heaps of 5",
        "move replace one heap as h by h - h - 1 heaps of 5, h - 1",
        "state s in 0..3 = 3 move replace one heap by x, y move when s > 0 set s to s - 1",
        "kinds ring, row move replace one ring as h by row 5 * h move replace one row by row x",
        "kinds ring, row move replace one ring as h by row h move replace one row by ring x",
    ] {
        assert!(ends(good), "{good}");
    }
}
