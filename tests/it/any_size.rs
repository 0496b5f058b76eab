//! Answers by proved sets for positions of any size, compared with the engines where
//! these can answer.

use nimrule_answer::Session;
use nimrule_engine::{
    self as engine, Feasibility, Limits, Outcome, Query, Question, Request, Solver,
};
use nimrule_fixtures::{Numbers, shipped};
use nimrule_ir as ir;
use nimrule_model::game::Convention;
use num_bigint::BigUint;

static LIMITS: Limits = Limits::of_memory(1 << 30);

/// A game, its parameters, and the largest heap.
type Tried = (&'static str, &'static [(&'static str, i64)], u64);

const GAMES: [Tried; 8] = [
    ("cube_edge", &[], 3),
    ("cube_vertex_slow", &[], 3),
    ("circular_nim", &[("n", 5), ("k", 2)], 5),
    ("shrinking_circular_nim", &[("n", 5), ("k", 3)], 5),
    ("trim", &[("piles", 3)], 9),
    ("rim", &[("k", 4), ("piles", 3)], 6),
    ("wythoff", &[], 40),
    ("moore", &[], 7),
];

#[test]
fn small_positions_have_the_outcomes_that_the_engines_find() {
    let mut answered = 0;
    for (name, params, most) in GAMES {
        let game = &shipped(name, params);
        let solver = Solver::new(game);
        for convention in [Convention::Normal, Convention::Misere] {
            let session = Session::new(game, LIMITS.clone());
            let known = session.known(convention).expect("nothing stops it");
            let Some(known) = known else {
                assert!(convention == Convention::Misere, "{name}");
                continue;
            };
            let everywhere = &known.outcomes;
            let mut numbers = Numbers::new(12345);
            for _ in 0..40 {
                let position: Vec<u64> = (0..game.heap_count())
                    .map(|_| numbers.below(most + 1))
                    .collect();
                let request = Request::Outcome;
                let answer = engine::answer(
                    &solver,
                    &position,
                    convention,
                    request,
                    &LIMITS,
                    Some("table"),
                )
                .unwrap_or_else(|failure| panic!("{name}: {failure}"));
                let large: Vec<BigUint> = position.iter().map(|n| BigUint::from(*n)).collect();
                let known = everywhere.outcome(&large, &LIMITS).expect("it is decided");
                assert!(known.is_position);
                assert_eq!(
                    known.is_p,
                    answer.outcome == Outcome::P,
                    "{name} {position:?}"
                );
                let legal = ir::moves(&solver.graph, &position).expect("it has moves");
                for option in &known.winning {
                    let option: Vec<u64> = option
                        .iter()
                        .map(|n| u64::try_from(n).expect("it is no larger"))
                        .collect();
                    assert!(legal.contains(&option), "{name} {position:?} {option:?}");
                    assert!(answer.winning_moves.contains(&option));
                }
                assert_eq!(
                    known.winning.is_empty(),
                    answer.winning_moves.is_empty(),
                    "{name} {position:?}"
                );
                answered += 1;
            }
        }
    }
    assert!(answered > 400);
}

/// Bouton's argument: the heap that is lowered becomes the nim-sum of the
/// others.
#[test]
fn heaps_of_a_thousand_digits() {
    let game = &shipped("nim", &[("piles", 3)]);
    let session = Session::new(game, LIMITS.clone());
    let known = session.known(Convention::Normal).expect("no limit is met");
    let found = known.expect("its claim is proved");
    let everywhere = &found.outcomes;
    let one = BigUint::from(7_u8).pow(1183);
    let other = BigUint::from(3_u8).pow(2095);
    assert_eq!(one.to_string().len(), 1000);
    let position = [one.clone(), other.clone(), &one ^ &other];
    let known = everywhere.outcome(&position, &LIMITS).expect("decided");
    assert!(known.is_p && known.winning.is_empty());
    let larger = [one.clone(), other.clone(), (&one ^ &other) + 5_u8];
    let known = everywhere.outcome(&larger, &LIMITS).expect("decided");
    assert!(!known.is_p);
    assert!(!known.winning.is_empty());
    for option in &known.winning {
        assert_eq!(&option[0] ^ &option[1] ^ &option[2], BigUint::ZERO);
    }
}

/// A search of 10^20 positions ends at no limit but those of the user, so that a proof is asked
/// for first.
#[test]
fn searches_of_very_large_boxes_are_not_tried() {
    let game = shipped("blocking_wythoff", &[("k", 2)]);
    let solver = Solver::new(&game);
    let query = Query {
        question: Question::Outcome,
        convention: Convention::Normal,
    };
    let feasibility = |position: &[u64]| engine::feasibility(&solver, position, query, &LIMITS);
    assert_eq!(feasibility(&[20, 30]), Feasibility::Unknown);
    assert_eq!(
        feasibility(&[20_000_000_000, 30_000_000_000]),
        Feasibility::Infeasible
    );
}
