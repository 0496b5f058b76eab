//! Residual learning: sets found without a claim, compared with known results.

use nimrule_automata::{Budget, Dfa, Numeration, atoms};
use nimrule_discover::residual_learning::{
    Attempt, AttemptFailure, Goal, LearnedAutomaton, Numbers, Sample, SearchBounds, SearchResult,
    discover_values, from_samples, learn,
};
use nimrule_engine::{self as engine, Outcome, Query, Question, Solver};
use nimrule_fixtures::{self as fixtures, game, shipped};
use nimrule_limits::Limits;
use nimrule_model::game::{Convention, Game};
use nimrule_prove::decide::decide_grundy_classes;
use nimrule_prove::{ProveError, of_heap};
use std::rc::Rc;

static LIMITS: Limits = Limits::of_memory(2 << 30);
const NORMAL: Convention = Convention::Normal;
const MISERE: Convention = Convention::Misere;

fn discovered(game: &Game, convention: Convention) -> SearchResult {
    let bounds = SearchBounds {
        most_positions: 1 << 20,
        ..SearchBounds::default()
    };
    let found = from_samples(game, convention, &bounds, &LIMITS);
    found.unwrap_or_else(|trouble| panic!("{}: {trouble:?}", game.name))
}

/// Is the set that of the P-positions, at every position of a box?
fn check(game: &Game, convention: Convention, set: &Dfa, size: u64) {
    let most = vec![size; game.heap_count()];
    let asked = Query {
        question: Question::Outcome,
        convention,
    };
    let solver = Solver::new(game);
    let table = engine::fill(&solver, &most, asked, &LIMITS, None).expect("it is solved");
    for place in 0..table.region().count() {
        let position = table.region().at(place);
        let numbers: Vec<_> = (0..).map(of_heap).zip(position.iter().copied()).collect();
        assert_eq!(
            set.accepts(&numbers),
            table.outcome(place) == Some(Outcome::P),
            "{} {convention:?} {position:?}",
            game.name
        );
    }
}

#[test]
fn shipped_games_are_learned_without_their_claims() {
    type Wanted = (
        &'static str,
        &'static [(&'static str, i64)],
        Convention,
        usize,
        u64,
    );
    let wanted: [Wanted; 11] = [
        ("trim", &[("piles", 2)], MISERE, 3, 90),
        ("trim", &[("piles", 3)], NORMAL, 2, 30),
        ("trim", &[("piles", 4)], NORMAL, 2, 9),
        ("rim", &[("piles", 3), ("k", 3)], NORMAL, 2, 20),
        ("rim", &[("piles", 3), ("k", 3)], MISERE, 5, 90),
        ("rim", &[("piles", 3), ("k", 4)], NORMAL, 2, 20),
        ("wythoff", &[], NORMAL, 8, 200),
        ("wythoff", &[], MISERE, 14, 200),
        ("cube_edge_slow", &[], NORMAL, 2, 3),
        ("cube_vertex_slow", &[], NORMAL, 2, 2),
        ("cube_vertex_slow", &[], MISERE, 9, 3),
    ];
    for (name, params, convention, states, size) in wanted {
        let game = shipped(name, params);
        let discovered = discovered(&game, convention);
        let found = discovered.found;
        let found = found.unwrap_or_else(|| panic!("{name}: {:?}", discovered.attempts));
        assert_eq!(found.set.states(), states, "{name}");
        check(&game, convention, &found.set, size);
    }
}

#[test]
fn sets_that_are_not_automatic_stay_unknown() {
    // The squares to be taken are recognisable in no base (Büchi).
    let game = shipped("subtraction_squares", &[]);
    let trouble = from_samples(&game, NORMAL, &SearchBounds::default(), &LIMITS);
    assert!(matches!(trouble, Err(ProveError::Unsupported(_))));
    // New residuals up to the end of what can be solved, in every numeration.
    let game = shipped("cube_edge_slow", &[]);
    let discovered = discovered(&game, MISERE);
    assert!(discovered.found.is_none());
    assert!(!discovered.attempts.is_empty());
    for attempt in &discovered.attempts {
        let (_, residuals) = attempt.residuals.first().expect("a box was solved");
        assert_eq!(residuals[0], 1);
    }
}

/// Rules made up at random: what is proved is held against the engines, in
/// boxes larger than those that led to it.
#[test]
fn random_rules_are_learned_correctly() {
    let mut numbers = fixtures::Numbers::new(20_250_311);
    let mut found = 0;
    for _ in 0..fixtures::few_or_many(15, 40) {
        let amounts: Vec<String> = (0..2)
            .map(|_| (1 + numbers.below(4_u64)).to_string())
            .collect();
        let amounts = format!("{{{}}}", amounts.join(","));
        let amount = ["", "slow", "1..2", "equal", amounts.as_str()][numbers.below(5)];
        let from = ["one heap", "up to 2 heaps", "all heaps"][numbers.below(3)];
        let more = [
            "",
            "move take slow from one heap",
            "move take equal from all heaps",
        ];
        let when = ["", "when a <= b + 2 ", "when max(heaps) > 1 "][numbers.below(3)];
        let text = format!(
            "game made_up heaps a b\nmove {when}take {amount} from {from}\n{}",
            more[numbers.below(3)]
        );
        let game = game(&text);
        for convention in [NORMAL, MISERE] {
            let bounds = SearchBounds {
                most_positions: 1 << 14,
                most_states: 300,
                ..SearchBounds::default()
            };
            let discovered = from_samples(&game, convention, &bounds, &LIMITS);
            let discovered = discovered.unwrap_or_else(|trouble| panic!("{text}: {trouble:?}"));
            if let Some(set) = discovered.found {
                check(&game, convention, &set.set, 200);
                found += 1;
            }
        }
    }
    assert!(found >= fixtures::few_or_many(12, 40), "{found}");
}

/// The numeration systems are chosen by the growth of the residuals.
#[test]
fn numeration_systems_are_chosen() {
    // The root for w = 4 is twice that of 5, so that Zeckendorf's numeration serves as well.
    for (w, quotient, states) in [(1, 1, 8), (2, 2, 10), (3, 3, 12), (4, 1, 50)] {
        let game = shipped("a_wythoff", &[("w", w)]);
        let discovered = discovered(&game, NORMAL);
        let found = discovered.found.expect("it closes");
        let numeration = Numeration::Ostrowski(quotient);
        assert_eq!((found.set.numeration(), found.states), (numeration, states));
        check(&game, NORMAL, &found.set, 150);
        let dropped = |attempt: &Attempt| attempt.failure == AttemptFailure::Dropped;
        assert!(discovered.attempts.iter().all(dropped));
    }
    for (k, states) in [(0, 8), (1, 6), (2, 29), (3, 34)] {
        let game = shipped("wythoff_final_set", &[("k", k)]);
        let found = discovered(&game, NORMAL).found.expect("it closes");
        let numeration = Numeration::Ostrowski(1);
        assert_eq!((found.set.numeration(), found.states), (numeration, states));
        check(&game, NORMAL, &found.set, 150);
    }
}

/// A box whose side is no power of the base is used as far as it goes.
#[test]
fn numbers_below_a_size() {
    for numeration in [Numeration::Base(3), Numeration::Ostrowski(2)] {
        for size in 1..60_u32 {
            let numbers = Numbers::below(numeration, size as usize, &LIMITS);
            let numbers = numbers.expect("no limit").expect("they are few");
            for number in 0..size {
                let digits = |of: u32| numeration.digits(u64::from(of)).len();
                assert_eq!(numbers.length(number), digits(number));
                for digit in 0..numeration.radix() {
                    let mut written = numeration.digits(u64::from(number));
                    if number > 0 || digit > 0 {
                        written.push(digit as u8);
                    }
                    let longer = numeration.number(&written);
                    let is_written = longer.is_some_and(|n| numeration.digits(n) == written);
                    let below = longer.filter(|n| is_written && *n < u64::from(size));
                    let expected = below.map_or(u32::MAX, |n| n as u32);
                    assert_eq!(numbers.with(number, digit), expected, "{number} {digit}");
                }
            }
            // Whatever follows a prefix below the side of depth 1 is below the size.
            let side = numbers.side(1) as u32;
            for prefix in 0..side {
                for digit in 0..numeration.radix() {
                    let mut written = numeration.digits(u64::from(prefix));
                    written.push(digit as u8);
                    let longer = numeration.number(&written).expect("it is small");
                    assert!(longer < u64::from(size) || numeration.digits(longer) != written);
                }
            }
        }
    }
}

/// With five interchangeable heaps the positions in ascending order are learned, and the automaton
/// is about all positions.
#[test]
fn many_interchangeable_heaps_are_learned_in_ascending_order() {
    for text in [
        "game g heaps 5 move take 1 from one heap",
        "game g heaps 5 move take equal {1, 2} from all heaps",
    ] {
        let game = game(text);
        for convention in [NORMAL, Convention::Misere] {
            let found = discovered(&game, convention).found.expect(text);
            check(&game, convention, &found.set, 5);
        }
    }
}

/// A hypothesis agrees with its sample, and a changed one does not.
#[test]
fn a_hypothesis_agrees_with_its_sample() {
    for (numeration, digits) in [
        (Numeration::Base(2), 5),
        (Numeration::Base(3), 3),
        (Numeration::Ostrowski(1), 7),
        (Numeration::Ostrowski(2), 4),
    ] {
        let game = game("game small heaps a b move take from one heap");
        let numbers = Rc::new(Numbers::new(numeration, digits).expect("they are few"));
        let asked = Query {
            question: Question::Outcome,
            convention: NORMAL,
        };
        let solver = Solver::new(&game);
        let sample = Sample::solved(&solver, asked, numbers, &LIMITS).expect("it is solved");
        let learning = learn(&sample, 100, &LIMITS).expect("no limit is met");
        let mut hypothesis = learning.hypothesis.expect("it closes");
        assert!(
            hypothesis
                .agrees(&sample, &LIMITS)
                .expect("no limit is met")
        );
        // Equal digits so far, or not; and words that write no number.
        let has_gaps = matches!(numeration, Numeration::Ostrowski(_));
        let most = if has_gaps { 7 } else { 2 };
        assert!(
            hypothesis.states() <= most,
            "{numeration:?} {}",
            hypothesis.states()
        );
        for letter in 0..hypothesis.table.next.len() {
            let to = hypothesis.table.next[letter];
            let last = hypothesis.states() as u32 - 1;
            hypothesis.table.next[letter] = if to == 0 { last } else { 0 };
            let agrees = hypothesis
                .agrees(&sample, &LIMITS)
                .expect("no limit is met");
            // Letters behind words that write no number are never met.
            assert!(!agrees || has_gaps, "{letter}");
            hypothesis.table.next[letter] = to;
        }
    }
}

/// Is that the value of every position of a box?
fn check_values(game: &Game, convention: Convention, found: &LearnedAutomaton, size: u64) {
    let most = vec![size; game.heap_count()];
    let asked = Query {
        question: Question::Grundy,
        convention,
    };
    let solver = Solver::new(game);
    let table = engine::fill(&solver, &most, asked, &LIMITS, None).expect("it is solved");
    let (own, _) = nimrule_prove::decide::value_tracks(game);
    for place in 0..table.region().count() {
        let position = table.region().at(place);
        let value = table.grundy(place).expect("it has a value");
        let mut numbers: Vec<_> = (0..).map(of_heap).zip(position.iter().copied()).collect();
        for other in value.saturating_sub(2)..value + 3 {
            numbers.push((own, other));
            let name = &game.name;
            assert_eq!(
                found.set.accepts(&numbers),
                other == value,
                "{name} {position:?}"
            );
            numbers.pop();
        }
        for (other, class) in (0..).zip(&found.classes) {
            let name = &game.name;
            assert_eq!(
                class.accepts(&numbers),
                other == value,
                "{name} {position:?}"
            );
        }
    }
}

#[test]
fn values_are_found_without_their_claims() {
    let few = "game few heaps a b move take {1,3,4} from one heap";
    let nim = "game nim heaps a b c move take from one heap";
    let moore = "game moore heaps a b move take slow from up to 2 heaps";
    let games = [
        (shipped("cube_face_slow", &[]), NORMAL, Some(2), 2),
        (game(few), NORMAL, Some(4), 40),
        (game(moore), NORMAL, Some(4), 40),
        (game(moore), MISERE, Some(4), 40),
        (game(nim), NORMAL, None, 20),
        (shipped("trim", &[("piles", 3)]), NORMAL, None, 20),
        (shipped("rim", &[("piles", 2), ("k", 4)]), NORMAL, None, 40),
    ];
    for (game, convention, values, size) in games {
        let bounds = SearchBounds {
            most_positions: 1 << 20,
            ..SearchBounds::default()
        };
        let discovered = discover_values(&game, convention, &bounds, &LIMITS);
        let discovered = discovered.unwrap_or_else(|trouble| panic!("{}: {trouble:?}", game.name));
        let found = discovered.found;
        let found = found.unwrap_or_else(|| panic!("{}: {:?}", game.name, discovered.attempts));
        match values {
            Some(values) => assert_eq!(found.classes.len(), values, "{}", game.name),
            None => assert_eq!(found.goal, Goal::Value, "{}", game.name),
        }
        check_values(&game, convention, &found, size);
    }
}

#[test]
fn classes_of_values_have_positions_only() {
    let game = game("game g heaps n positions where n < 3 move take 1 from n");
    let budget = Budget::new(&LIMITS);
    // The even numbers and the odd ones, those that are no positions among them.
    let even = atoms::linear(
        Numeration::Base(2),
        &[(1, of_heap(0)), (-2, 9)],
        0,
        true,
        &budget,
    );
    let even = even.and_then(|even| even.project(&[9], &budget));
    let even = even.expect("no limit is exceeded");
    let odd = Dfa::constant(Numeration::Base(2), true).and_not(&even, &budget);
    let classes = [even, odd.expect("no limit is exceeded")];
    let found = decide_grundy_classes(&game, &classes, NORMAL, &LIMITS);
    let found = found
        .expect("the rule is supported")
        .expect("they are the values");
    for (value, class) in (0..).zip(&found.classes) {
        for size in 0..9 {
            let has = class.accepts(&[(of_heap(0), size)]);
            assert_eq!(has, size < 3 && size % 2 == value, "{size} has {value}");
        }
    }
}
