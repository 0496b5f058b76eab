//! Positions that are sums of connected components, compared with the other engines.

use nimrule_engine::{self as engine, Limits, Outcome, Question, Request, Solver};
use nimrule_fixtures::{few_or_many, game};
use nimrule_model::game::Convention;
use std::time::Duration;

static MEMORY: Limits = Limits::of_memory(1 << 30);

const RULES: [&str; 8] = [
    "board row(7)\nmove take from up to 2 consecutive heaps",
    "board row(7)\nmove take {1,2} from one edge",
    "board graph { a - b - c - d  c - e - f  e - g }\nheaps on vertices\nmove take from one edge",
    "board row(7)\nmove take equal {1,3} from 2 consecutive heaps\nmove take {2} from one heap",
    "board row(7)\nmove take t from up to 2 consecutive heaps where t mod 3 != 0",
    "board row(7)\nmove take from one heap as v then set all neighbours of v to 0",
    "board row(7)\nmove take {1,2} from one heap as v then set all neighbours of v as h to min(h, 3)",
    "board row(7)\nmove take 1 from one heap as v then take 1..2 from one neighbour of v",
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
        for position in positions.iter().take(few_or_many(2, 4)) {
            for request in [Request::Outcome, Request::Grundy] {
                let answer = |forced| {
                    let normal = Convention::Normal;
                    engine::answer(&solver, position, normal, request, &MEMORY, forced)
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
    assert!(by_parts > few_or_many(5, 10), "only {by_parts} by parts");
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

/// A move deletes a vertex of a ring with its neighbours, and leaves a path. There are 2^70
/// sets of vertices, and each is a sum of paths.
#[test]
fn games_that_delete_vertices_fall_apart() {
    let game = game(
        "game ring\nboard circle(70)\nheaps on vertices of size 0..1\n\
         move take 1 from one heap as v then set all neighbours of v to 0",
    );
    let solver = Solver::new(&game);
    let ring = vec![1; 70];
    let mut path = ring.clone();
    path[..3].fill(0);
    let limits = MEMORY.cap_time(Duration::from_secs(60));
    let normal = Convention::Normal;
    let answer = |position: &[u64], request| {
        engine::answer(&solver, position, normal, request, &limits, None).expect("it falls apart")
    };
    let value = answer(&path, Request::Grundy).grundy;
    assert_eq!(
        answer(&ring, Request::Grundy).grundy,
        Some(u64::from(value == Some(0)))
    );
    let outcome = answer(&ring, Request::Outcome).outcome;
    assert_eq!(outcome == Outcome::N, value == Some(0));
}

/// A new size of a heap may not depend on another heap, or make an empty heap non-empty.
#[test]
fn sizes_that_are_set_must_leave_empty_heaps_empty() {
    for then in [
        "take from one heap as v then set all neighbours of v as h to min(h, v)",
        "take t from one heap as v where t >= 2 then set one neighbour of v to 1",
    ] {
        let rule = format!("board row(7)\nheaps on vertices of size 0..3\nmove {then}");
        let game = game(&format!("game several\n{rule}"));
        let solver = Solver::new(&game);
        assert!(solver.profile.interaction.is_err(), "{then}");
    }
}

/// A take of any number from a heap is one look at its line, so that a long line is a
/// table and not a search of all pairs of its positions.
#[test]
fn free_takes_from_a_long_heap_cost_one_look_each() {
    let game = game("game cubes\nheaps a b\nmove take t from a where t <= b*b*b\nmove take from b");
    let solver = Solver::new(&game);
    let limits = MEMORY.cap_time(Duration::from_secs(60));
    let request = Request::GrundyIfCheap;
    let normal = Convention::Normal;
    let answer = engine::answer(&solver, &[0, 3_000_000], normal, request, &limits, None)
        .expect("three million looks");
    assert_eq!((answer.outcome, answer.method), (Outcome::N, "table"));
    assert_eq!(answer.winning_moves, [[0, 0]]);
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
