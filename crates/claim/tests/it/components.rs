//! Positions that are sums of connected components, compared with the other engines.

use crate::row_sweeps::game;
use nimrule_engine::{self as engine, Limits, Question, Request, Solver};
use nimrule_model::game::Convention;

static MEMORY: Limits = Limits::of_memory(1 << 30);

const RULES: [&str; 5] = [
    "board row(7)\nmove take from up to 2 consecutive heaps",
    "board row(7)\nmove take {1,2} from one edge",
    "board graph { a - b - c - d  c - e - f  e - g }\nheaps on vertices\nmove take from one edge",
    "board row(7)\nmove take equal {1,3} from 2 consecutive heaps\nmove take {2} from one heap",
    "board row(7)\nmove take t from up to 2 consecutive heaps where t mod 3 != 0",
];

#[test]
fn the_value_is_the_nim_sum_of_the_components() {
    let positions = [
        [9, 9, 0, 14, 0, 9, 9],
        [11, 0, 12, 0, 9, 8, 7],
        [0, 15, 15, 15, 0, 20, 0],
        [6, 6, 7, 0, 6, 6, 6],
    ];
    let mut by_parts = 0;
    for rule in RULES {
        let game = game(&format!("game several\n{rule}"));
        let solver = Solver::new(&game);
        for position in positions {
            for request in [Request::Outcome, Request::Grundy] {
                let answer = |forced| {
                    let normal = Convention::Normal;
                    engine::answer(&solver, &position, normal, request, &MEMORY, forced)
                        .unwrap_or_else(|failure| panic!("{rule} at {position:?}: {failure}"))
                };
                let whole = answer(Some("table"));
                let (chosen, searched) = (answer(None), answer(Some("memo")));
                by_parts += usize::from(chosen.method == "parts");
                for other in [chosen, searched, answer(Some("parts"))] {
                    let method = other.method;
                    assert_eq!(other.outcome, whole.outcome, "{rule} {position:?} {method}");
                    assert_eq!(other.grundy, whole.grundy, "{rule} {position:?} {method}");
                    let winning = &other.winning_moves;
                    assert_eq!(
                        *winning, whole.winning_moves,
                        "{rule} {position:?} {method}"
                    );
                }
            }
        }
    }
    assert!(by_parts > 10, "only {by_parts} by parts");
}

/// The box below has 10^18 positions, and the boxes below the parts a few
/// thousand.
#[test]
fn components_are_solved_where_no_box_fits() {
    let game = game("game long\nboard row(24)\nmove take from up to 2 consecutive heaps");
    let solver = Solver::new(&game);
    let mut position = [0_u64; 24];
    for (place, size) in position.iter_mut().enumerate() {
        *size = if place % 4 == 3 { 0 } else { 9 + place as u64 };
    }
    let normal = Convention::Normal;
    let answer = engine::answer(
        &solver,
        &position,
        normal,
        Request::GrundyIfCheap,
        &MEMORY,
        None,
    )
    .expect("the parts are small");
    assert_eq!(answer.method, "parts");
    // The value is the nim-sum of those of the parts.
    let mut sum = 0;
    for part in 0..6 {
        let own: Vec<u64> = position
            .iter()
            .enumerate()
            .map(|(place, size)| if place / 4 == part { *size } else { 0 })
            .collect();
        let answer = engine::answer(&solver, &own, normal, Request::Grundy, &MEMORY, None)
            .expect("a small box");
        sum ^= answer.grundy.expect("it was asked for");
    }
    assert_eq!(answer.grundy, Some(sum));
    assert_eq!(answer.winning_moves.is_empty(), sum == 0);
}

/// Under misere play a position is more than the sum of its parts, and where
/// any heaps may be changed together there are none.
#[test]
fn connected_positions_are_rejected_with_a_reason() {
    let asked = |convention| engine::Query {
        question: Question::Outcome,
        convention,
    };
    let refused = |rule: &str, convention| {
        let game = game(&format!("game several\n{rule}"));
        let solver = Solver::new(&game);
        let choice = engine::choose(&solver, asked(convention), Some("parts"));
        match choice {
            Err(failure) => failure.to_string(),
            Ok(_) => "taken".to_owned(),
        }
    };
    assert_eq!(refused(RULES[0], Convention::Normal), "taken");
    assert!(refused(RULES[0], Convention::Misere).contains("misere"));
    assert!(refused("heaps 4\nmove take from up to 2 heaps", Convention::Normal).contains("any"));
    assert!(
        refused(
            "board row(4)\nmove take from one heap where h1 > 0",
            Convention::Normal
        )
        .contains("depends on the position")
    );
}
