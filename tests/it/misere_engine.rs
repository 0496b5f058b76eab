//! The engine of misère quotients, compared with search.

use crate::engines::Truth;
use crate::game_files::label;
use nimrule_claim::{self as claim, ClaimStatus};
use nimrule_engine::quotient::{MisereQuotient, find, move_bounds};
use nimrule_engine::{
    self as engine, Engine, Limits, Outcome, Query, Question, Region, SolveError, Solver,
};
use nimrule_engine::{Request, multiset};
use nimrule_fixtures::{game, game_files, game_of_file};
use nimrule_model::game::{Convention, Game, PositionKind};
use nimrule_quotient::MoveBounds;

static LIMITS: Limits = Limits::of_memory(1 << 30);

const MISERE: Query = Query {
    question: Question::Outcome,
    convention: Convention::Misere,
};

fn bag_by(moves: &str) -> Game {
    game(&format!("game g\nheaps any number\n{moves}\n"))
}

/// Every position of every bag with a dozen tokens or so.
#[test]
fn outcomes_agree_with_search() {
    let mut answered = 0;
    for path in game_files() {
        let game = game_of_file(&path);
        let solver = Solver::new(&game);
        let PositionKind::Multiset(kinds) = &game.position_kind else {
            assert!(
                MisereQuotient.can(&solver, MISERE).is_err(),
                "{}",
                label(&path)
            );
            continue;
        };
        if MisereQuotient.can(&solver, MISERE).is_err() {
            continue;
        }
        answered += 1;
        let tokens = (1..14)
            .take_while(|tokens| multiset::count(kinds, *tokens, 600) < 600)
            .last()
            .expect("there are few bags of one token");
        let region = Region::List(
            multiset::positions(&solver, kinds, tokens, &Limits::of_memory(1 << 30))
                .expect("no time limit"),
        );
        let name = Some(MisereQuotient.name());
        let table = engine::fill_region(&solver, &region, MISERE, &LIMITS, name)
            .unwrap_or_else(|failure| panic!("{}: {failure}", label(&path)));
        let mut truth = Truth::new(&solver.graph, Convention::Misere);
        let all: Result<(), String> = table.region().try_each(|position, place| {
            let outcome = match truth.value(position) {
                0 => Outcome::P,
                _ => Outcome::N,
            };
            match table.outcome(place) == Some(outcome) {
                true => Ok(()),
                false => Err(format!("{} at {position:?}", label(&path))),
            }
        });
        assert_eq!(all, Ok(()));
        let Region::List(listed) = &region else {
            unreachable!("it was made so");
        };
        for position in listed.positions.iter().step_by(7) {
            let answer = engine::answer(
                &solver,
                position,
                Convention::Misere,
                Request::Outcome,
                &LIMITS,
                name,
            )
            .unwrap_or_else(|failure| panic!("{}: {failure}", label(&path)));
            assert_eq!(
                answer.winning_moves,
                truth.winning_moves(position),
                "{} at {position:?}",
                label(&path)
            );
        }
    }
    assert!(answered >= 7, "only {answered} games were answered");
}

#[test]
fn unsupported_games_are_left_to_another_engine() {
    let nim = bag_by("move take from one heap");
    let solver = Solver::new(&nim);
    for (question, convention) in [
        (Question::Outcome, Convention::Normal),
        (Question::Grundy, Convention::Misere),
    ] {
        let asked = Query {
            question,
            convention,
        };
        assert!(MisereQuotient.can(&solver, asked).is_err(), "{asked:?}");
    }
    let answer = |position: &[u64], forced| {
        engine::answer(
            &solver,
            position,
            Convention::Misere,
            Request::Outcome,
            &LIMITS,
            forced,
        )
    };
    let small = answer(&[3, 4, 5], None).expect("it is answered");
    assert_eq!(small.method, "quotient");
    // Nim to 512 has a quotient of 1026 elements.
    let large = answer(&[600], None).expect("it is answered");
    assert_eq!(large.method, "memo");
    assert_eq!(large.winning_moves, [[1]]);
    let why = large.rejected.iter().find(|(name, _)| *name == "quotient");
    assert!(why.is_some_and(|(_, why)| why.contains("at most 300 elements")));
    let forced = answer(&[600], Some("quotient"));
    assert!(matches!(forced, Err(SolveError::Cannot { engine, .. }) if engine == "quotient"));
    // A list that it cannot do is done by another, too.
    let listed = Region::List(engine::PositionList::new(
        vec![vec![], vec![1], vec![600]],
        600,
        "three positions".to_owned(),
    ));
    let table = engine::fill_region(&solver, &listed, MISERE, &LIMITS, None);
    assert_eq!(table.expect("it is filled").engine(), "memo");
}

#[test]
fn rules_that_look_at_other_heaps_are_refused() {
    for moves in [
        "move take from one heap where count(heaps) > 1 or total == 1",
        "move take 1 from up to 2 heaps",
        "move when max(heaps) > 1 take from one heap\nmove take 1 from one heap",
        "positions where count(heaps) <= 3\nmove take from one heap leaving 0..2 heaps",
    ] {
        let game = bag_by(moves);
        let solver = Solver::new(&game);
        assert!(MisereQuotient.can(&solver, MISERE).is_err(), "{moves}");
        assert!(find(&solver, 4, 100, &LIMITS).is_err(), "{moves}");
    }
}

/// The periodicity theorem is for rules that do the same to heaps of all sizes.
#[test]
fn the_theorem_is_applied_only_under_its_conditions() {
    let of = |moves: &str| move_bounds(&Solver::new(&bag_by(moves)));
    let bounded = |most_taken, most_left| {
        Some(MoveBounds {
            most_taken,
            most_left,
        })
    };
    assert_eq!(of("move octal \"0.77\""), bounded(2, 2));
    assert_eq!(
        of("move take 1..2 from one heap leaving 0..2 heaps"),
        bounded(2, 2)
    );
    assert_eq!(of("move octal \"0.137\""), bounded(3, 2));
    assert_eq!(of("move octal \"0.08\""), bounded(2, 3));
    assert_eq!(of("move take {1,4} from one heap"), bounded(4, 1));
    assert_eq!(of("move octal \"4.3\""), bounded(1, 2));
    for moves in [
        "move take from one heap",
        "move octal \"0.3...\"",
        "move split one heap into x, y where x != y",
        "move take t from one heap where t in squares",
        "move take t from one heap as h where 2*t <= h",
        "move octal \"0.77\"\nmove take 3.. from one heap",
    ] {
        assert_eq!(of(moves), None, "{moves}");
    }
}

/// A period that the theorem proves is the period of longer sequences.
#[test]
fn proved_periods_go_on() {
    for code in ["0.75", "0.123", "0.31"] {
        let game = bag_by(&format!("move octal \"{code}\""));
        let solver = Solver::new(&game);
        let rule = move_bounds(&solver).expect("it is an octal code");
        let short = find(&solver, 30, 100, &LIMITS)
            .expect("it is listed")
            .quotient;
        let long = find(&solver, 90, 100, &LIMITS)
            .expect("it is listed")
            .quotient;
        assert_eq!(long.to(), 90, "{code}");
        let period = short.period(rule).expect("it is proved");
        assert_eq!(short.order(), long.order(), "{code}");
        let images = &long.images()[period.from as usize - 1..];
        let shifted = &images[period.period as usize..];
        assert!(images.iter().zip(shifted).all(|(a, b)| a == b), "{code}");
    }
}

#[test]
fn claims_are_proved_or_refuted() {
    let standing = |claimed: &str| {
        let game = bag_by(&format!("move octal \"0.123\"\nclaim misere {claimed}"));
        let solver = Solver::new(&game);
        claim::check_alone(&solver, &game.claims[0], 10, None, &LIMITS)
            .expect("it is looked at")
            .expect("it asks for no table")
    };
    let proved = standing("quotient to 40 has 20 elements");
    assert!(matches!(proved, ClaimStatus::Proved { .. }), "{proved:?}");
    for wrong in ["19", "21", "1"] {
        let refuted = standing(&format!("quotient to 40 has {wrong} elements"));
        assert!(
            matches!(&refuted, ClaimStatus::Refuted(found) if found.position == [40]),
            "{refuted:?}"
        );
    }
    // Nim to 1023 has a quotient of 1026 elements, more than are looked for:
    // one of fewer heaps refutes what is too small, and the rest is unknown.
    let nim = |elements| {
        let game = bag_by(&format!(
            "move take from one heap\nclaim misere quotient to 1023 has {elements} elements"
        ));
        let solver = Solver::new(&game);
        claim::check_alone(&solver, &game.claims[0], 10, None, &LIMITS)
            .expect("it is looked at")
            .expect("it asks for no table")
    };
    let refuted = nim(513);
    assert!(
        matches!(&refuted, ClaimStatus::Refuted(found) if found.position == [511]),
        "{refuted:?}"
    );
    let unknown = nim(600);
    assert!(
        matches!(unknown, ClaimStatus::Unknown { .. }),
        "{unknown:?}"
    );
}
