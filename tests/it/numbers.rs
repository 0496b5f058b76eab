//! Numbers of proved sets, compared with the engines: invariant vectors, counts and recurrences;
//! and automata as texts of Walnut.

use nimrule_answer::{Discovered, DiscoveryBounds, Session};
use nimrule_engine::{self as engine, Outcome, Query, Question, Solver};
use nimrule_fixtures::shipped;
use nimrule_limits::Limits;
use nimrule_model::game::{Convention, Game};
use nimrule_prove::certificate::{Proves, Rejected, check_walnut};
use nimrule_prove::numbers::{NoWalnutSet, SetNumbers, walnut_text};
use nimrule_prove::{Dfa, Numeration};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

static LIMITS: Limits = Limits::of_memory(1 << 30);

fn discovered(game: &Game, convention: Convention) -> Arc<Dfa> {
    let session = Session::new(game, LIMITS.clone());
    match session.discover(convention, DiscoveryBounds::default()) {
        Ok(Discovered::Proved(found)) => found.set,
        other => panic!("{}: {other:?}", game.name),
    }
}

const NORMAL: Convention = Convention::Normal;
const MISERE: Convention = Convention::Misere;

/// A game with its parameters and convention, the numeration of its set, and the number of digits
/// to which its box is solved.
type Case = (
    &'static str,
    &'static [(&'static str, i64)],
    Convention,
    Numeration,
    u32,
);

const CASES: [Case; 10] = [
    ("nim", &[("piles", 3)], NORMAL, Numeration::Base(2), 4),
    ("moore", &[], MISERE, Numeration::Base(2), 3),
    ("greedy_nim", &[], NORMAL, Numeration::Base(2), 4),
    ("chocolate_bar", &[], NORMAL, Numeration::Base(2), 5),
    ("subtraction_range", &[], NORMAL, Numeration::Base(2), 5),
    (
        "circular_nim",
        &[("n", 5), ("k", 2)],
        NORMAL,
        Numeration::Base(2),
        3,
    ),
    (
        "circular_nim",
        &[("n", 6), ("k", 4)],
        NORMAL,
        Numeration::Base(2),
        3,
    ),
    ("trim", &[("piles", 3)], NORMAL, Numeration::Base(3), 3),
    ("wythoff", &[], NORMAL, Numeration::Ostrowski(1), 9),
    (
        "a_wythoff",
        &[("w", 2)],
        MISERE,
        Numeration::Ostrowski(2),
        5,
    ),
];

#[test]
fn numbers_agree_with_the_engines() {
    for (name, params, convention, numeration, digits) in CASES {
        let game = shipped(name, params);
        let set = discovered(&game, convention);
        assert_eq!(set.numeration(), numeration, "{name}");
        let numbers = SetNumbers::new(&game, &set, &LIMITS).expect("they are few");
        let size = numeration.worth(digits) as u64;
        let asked = Query {
            question: Question::Outcome,
            convention,
        };
        let most = vec![size - 1; game.heap_count()];
        let solver = Solver::new(&game);
        let table = engine::fill(&solver, &most, asked, &LIMITS, None).expect("it is solved");
        let outcome = |position: &[u64]| {
            let place = table.region().place(position).expect("it is in the box");
            table.outcome(place) == Some(Outcome::P)
        };
        let positions: Vec<Vec<u64>> = (0..table.region().count())
            .map(|place| table.region().at(place))
            .collect();
        counts_agree(&game, &numbers, digits, &positions, &outcome);
        vectors_agree(&game, &numbers, size, &positions, &outcome);
    }
}

fn counts_agree(
    game: &Game,
    numbers: &SetNumbers,
    digits: u32,
    positions: &[Vec<u64>],
    outcome: &dyn Fn(&[u64]) -> bool,
) {
    let counts = &numbers.counts;
    for m in 0..=digits {
        let below = numbers.numeration.worth(m) as u64;
        let small = positions
            .iter()
            .filter(|p| p.iter().all(|size| *size < below));
        let counted = small.filter(|p| outcome(p)).count();
        assert_eq!(
            counts.first[m as usize],
            BigUint::from(counted),
            "{}, {m}",
            game.name
        );
    }
    let order = counts.recurrence.len();
    for m in order..counts.first.len() {
        let back = counts.first[..m].iter().rev();
        let sum: BigInt = back
            .zip(&counts.recurrence)
            .map(|(term, by)| by * BigInt::from(term.clone()))
            .sum();
        assert_eq!(
            sum,
            BigInt::from(counts.first[m].clone()),
            "{}, {m}",
            game.name
        );
    }
    // The rate is between ratios of the last terms, which differ from it by less than a factor.
    let last = |m: usize| f64::from(u32::try_from(&counts.first[m]).unwrap_or(u32::MAX));
    let (high, low) = (last(8), last(6));
    let rate = counts.rate * counts.rate;
    assert!(
        (high / low / rate - 1.0).abs() < 0.5,
        "{}: {rate} {high} {low}",
        game.name
    );
}

/// A vector up to 2 is invariant, or it is not at some position of the box, whose side is at least
/// 8.
fn vectors_agree(
    game: &Game,
    numbers: &SetNumbers,
    size: u64,
    positions: &[Vec<u64>],
    outcome: &dyn Fn(&[u64]) -> bool,
) {
    let vectors = positions.iter().filter(|v| {
        v.iter()
            .all(|entry| *entry <= 2.min(numbers.invariant.entries))
    });
    for vector in vectors {
        let mut agree = true;
        for position in positions {
            let sum: Vec<u64> = position.iter().zip(vector).map(|(a, b)| a + b).collect();
            if sum.iter().all(|entry| *entry < size) && outcome(position) != outcome(&sum) {
                agree = false;
                break;
            }
        }
        // An invariant vector is a sum of minimal ones: one of them is a part, and the rest is
        // invariant.
        let mut rest = vector.clone();
        let is_part = |part: &Vec<u64>, of: &[u64]| part.iter().zip(of).all(|(a, b)| a <= b);
        while let Some(part) = numbers.invariant.minimal.iter().find(|p| is_part(p, &rest)) {
            for (entry, less) in rest.iter_mut().zip(part) {
                *entry -= less;
            }
        }
        let is_sum = rest.iter().all(|entry| *entry == 0);
        assert_eq!(is_sum, agree, "{} {vector:?}", game.name);
    }
}

#[test]
fn known_numbers() {
    let game = shipped("nim", &[("piles", 3)]);
    let set = discovered(&game, NORMAL);
    let numbers = SetNumbers::new(&game, &set, &LIMITS).expect("they are few");
    assert_eq!(numbers.counts.recurrence, [BigInt::from(4)]);
    assert!(numbers.invariant.minimal.is_empty());
    assert_eq!(numbers.exponent().map(|e| (e * 1e6).round()), Some(2e6));
    // Two heaps: equal ones.
    let game = shipped("nim", &[("piles", 2)]);
    let set = discovered(&game, NORMAL);
    let numbers = SetNumbers::new(&game, &set, &LIMITS).expect("they are few");
    assert_eq!(numbers.invariant.minimal, [[1, 1]]);
    // Remainders modulo 4 decide.
    let game = shipped("subtraction_range", &[]);
    let set = discovered(&game, NORMAL);
    let numbers = SetNumbers::new(&game, &set, &LIMITS).expect("they are few");
    assert_eq!(numbers.invariant.minimal, [[1, 1], [4, 0], [0, 4]]);
}

#[test]
fn automata_of_walnut_are_written_and_verified() {
    for (name, params, convention, numeration, _) in CASES {
        let game = shipped(name, params);
        let set = discovered(&game, convention);
        let text = walnut_text(&game, Proves::PPositions, &set, &LIMITS);
        let Ok(text) = text else {
            assert_eq!(numeration, Numeration::Ostrowski(2), "{name}");
            continue;
        };
        let (certificate, _) = check_walnut(&game, &text, convention, &LIMITS)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(certificate.proves, Proves::PPositions);
        let other = match convention {
            NORMAL => MISERE,
            MISERE => NORMAL,
        };
        assert!(
            check_walnut(&game, &text, other, &LIMITS).is_err(),
            "{name}"
        );
    }
    let game = shipped("nim", &[("piles", 2)]);
    let wrong = "msd_2\n0 1\n0 -> 0\n";
    let refused = check_walnut(&game, wrong, NORMAL, &LIMITS).map(|_| ());
    let numbers = NoWalnutSet::Numbers {
        numbers: 1,
        heaps: 2,
    };
    assert_eq!(refused, Err(Rejected::Walnut(numbers)));
    // A Nim heap is its own value.
    let game = shipped("nim", &[("piles", 1)]);
    let values = "msd_2 msd_2\n0 1\n0 0 -> 0\n1 1 -> 0\n";
    let (certificate, _) = check_walnut(&game, values, NORMAL, &LIMITS).expect("it is true");
    assert_eq!(certificate.proves, Proves::GrundyValues);
}
