//! Conditions solved for the number taken, compared with their evaluation for each
//! number.

use nimrule_fixtures::{Numbers, compiled};
use nimrule_ir::{self as ir, Node};
use nimrule_model::expr::Bool;

fn text(opening: &str, take: &str, condition: &str) -> String {
    format!("game g {opening} move {take} where {condition}")
}

/// What is left to be judged number by number, and the options of each of the
/// positions, or why there are none.
fn options(opening: &str, take: &str, condition: &str) -> (Option<Bool>, Vec<String>) {
    let text = text(opening, take, condition);
    let compiled = compiled(&text).unwrap_or_else(|codes| panic!("{codes:?}: {text}"));
    let graph = ir::lower(&compiled.game);
    let left = graph.all_nodes().find_map(|node| match node {
        Node::Take(take) => take.plan.remaining.as_deref().cloned(),
        _ => None,
    });
    let mut all = Vec::new();
    for place in 0..7 * 7 * 7 {
        let mut position = vec![place % 7, place / 7 % 7, place / 49];
        position.truncate(compiled.game.heap_count());
        all.push(format!(
            "{position:?} {:?}",
            ir::moves(&graph, &position).map_err(|fault| fault.kind)
        ));
    }
    (left, all)
}

fn agrees(opening: &str, take: &str, condition: &str) -> Option<Bool> {
    let (left, solved) = options(opening, take, condition);
    // This is nothing that is solved.
    let (judged_left, judged) = options(opening, take, &format!("not not ({condition})"));
    assert!(judged_left.is_some(), "{condition}");
    for (solved, judged) in solved.iter().zip(&judged) {
        assert_eq!(solved, judged, "{take} where {condition}");
    }
    left
}

#[test]
fn solved_conditions_are_not_evaluated_for_each_number() {
    let of_one = [
        "t == max(heaps) - h",
        "h - t <= min(heaps)",
        "h - t < max(heaps) - t + 1 or t == 2",
        "h - t == 3",
        "3 - t >= -h",
        "2 * (h - t) > t + 1",
        "h == 2 * t",
        "3 * t == h + 1",
        "5 * t >= h + max(heaps)",
        "1 < 3 * t",
        "t <= h - t",
        "h - t in {0, min(heaps)}",
        "h - t in heaps",
        "t in {1, h - 1} or h - t == 2",
        "exists g in heaps: g + t == h",
        "exists g in heaps: 2 * t == g",
        "exists g in heaps: (g > 2 and h - t == g - 1)",
        "exists x in {1, 2, h}: (exists g in heaps: t == g - x)",
        "t == 1 or t == h",
        "(t == 1 and h > 2) or (h mod 2 == 0 and 2 * t == h)",
    ];
    for condition in of_one {
        let left = agrees("heaps 3", "take t from one heap as h", condition);
        let is_too_much = condition.contains("- t +");
        assert_eq!(left.is_none(), !is_too_much, "{condition}: {left:?}");
    }
    let of_several = [
        "total <= sum(heaps) - total",
        "2 * total == sum(heaps)",
        "total == 2 or total == max(heaps)",
        "sum(heaps) - total in heaps",
    ];
    for condition in of_several {
        agrees("heaps 3", "take from up to 2 heaps", condition);
        agrees("heaps 3", "take equal from exactly 2 heaps", condition);
    }
    // What may have no value is judged where a number is tried.
    let left = agrees(
        "heaps 2",
        "take t from one heap as h",
        "t == 7 div (h - 2) or t == 1",
    );
    assert!(left.is_some());
}

/// A number in which the number taken may stand.
fn number(numbers: &mut Numbers, depth: u64) -> String {
    if depth > 0 && numbers.below(3) > 0 {
        let (left, right) = (number(numbers, depth - 1), number(numbers, depth - 1));
        return match numbers.below(8) {
            0..=2 => format!("({left} + {right})"),
            3..=5 => format!("({left} - {right})"),
            6 => format!(
                "({} * {right})",
                ["-2", "3", "h"][numbers.below(3) as usize]
            ),
            _ => format!("(-{left})"),
        };
    }
    let atoms = ["t", "t", "h", "g", "1", "3", "heaps[1]", "max(heaps)"];
    atoms[numbers.below(atoms.len() as u64) as usize].to_owned()
}

fn condition(numbers: &mut Numbers, depth: u64) -> String {
    if depth > 0 && numbers.below(2) > 0 {
        let (left, right) = (condition(numbers, depth - 1), condition(numbers, depth - 1));
        return match numbers.below(3) {
            0 => format!("({left} and {right})"),
            1 => format!("({left} or {right})"),
            _ => {
                let name = format!("k{depth}");
                format!("(exists {name} in heaps: {})", left.replace('g', &name))
            }
        };
    }
    let (left, right) = (number(numbers, 2), number(numbers, 1));
    match numbers.below(8) {
        0 => format!("{left} in {{1, {right}}}"),
        1 => format!("{left} in heaps"),
        2..=5 => format!("{left} == {right}"),
        6 => format!("{left} <= {right}"),
        _ => format!("{left} > {right}"),
    }
}

#[test]
fn bounds_propagation_agrees_with_evaluation() {
    let mut numbers = Numbers::new(7);
    let (mut made, mut solved) = (0, 0);
    while made < 300 {
        let condition = condition(&mut numbers, 2);
        let condition = format!("exists g in heaps: ({condition})");
        let (opening, take) = ("heaps 2", "take t from one heap as h");
        // What can never hold is no rule.
        if compiled(&text(opening, take, &condition)).is_err() {
            continue;
        }
        made += 1;
        let left = agrees(opening, take, &condition);
        solved += u32::from(left.is_none());
    }
    assert!(solved > 40, "{solved}");
}
