//! Elimination and models on random statements about three sizes.

use nimrule_limits::Limits;
use nimrule_real::eliminate::{Statement, exists};
use nimrule_real::formula::{Comparisons, Formula, Relation};
use nimrule_real::model::model;
use nimrule_real::number::{Linear, Term, Values, Variable, integer};
use nimrule_real::{Budget, Rational};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

static LIMITS: Limits = Limits::of_memory(1 << 30);

const X: Variable = 0;
const Y: Variable = 1;
const Z: Variable = 2;

/// Statements about three sizes, with small weights.
fn statements() -> impl Strategy<Value = Statement> {
    let weights = (-3..4i64, -3..4i64, -3..4i64, -4..5i64, 0..5usize);
    let comparison = weights.prop_map(|(x, y, z, constant, relation)| {
        let mut sum = Linear::constant(integer(constant));
        for (variable, weight) in [(X, x), (Y, y), (Z, z)] {
            sum = sum.plus(&Linear::variable(variable).times(&integer(weight)));
        }
        let relation = [
            Relation::Zero,
            Relation::Negative,
            Relation::AtMostZero,
            Relation::Negative,
            Relation::AtMostZero,
        ][relation];
        Formula::compare(sum, relation)
    });
    comparison.prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Formula::and),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Formula::or),
            inner.prop_map(|statement| statement.negated()),
        ]
    })
}

/// Tests random statements, always the same ones.
fn for_statements(cases: u32, test: impl Fn(Statement)) {
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    let result = TestRunner::new(config).run(&statements(), |statement| {
        test(statement);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

/// Does some size of one heap serve? A statement changes only where one of its
/// comparisons does, so these places, what is between them, and what is beyond
/// are all there is to try.
fn some_size(of: Variable, statement: &Statement, values: &Values) -> bool {
    let mut places = vec![integer(0)];
    statement.each(&mut |sum, _| {
        if let Some(place) = sum.solved_for(of) {
            places.push(place.value(values));
        }
    });
    places.retain(|place| *place >= integer(0));
    places.sort();
    let between: Vec<Rational> = places
        .windows(2)
        .map(|pair| (&pair[0] + &pair[1]) / integer(2))
        .collect();
    let beyond = places.last().map(|last| last + integer(1));
    let mut tried = places.into_iter().chain(between).chain(beyond);
    tried.any(|size| {
        let mut values = values.clone();
        values.insert(of, size);
        statement.holds(&values)
    })
}

/// Eliminating a size agrees with trying all that could matter, at many sizes
/// of the others.
#[test]
fn elimination_agrees_with_sampling() {
    for_statements(200, |statement| {
        let budget = Budget::new(&LIMITS);
        let eliminated = exists(&[Z], &statement, &budget).expect("no limit is met");
        assert!(!eliminated.mentions(Z));
        for x in 0..6 {
            for y in 0..6 {
                let values =
                    Values::from([(X, integer(x) / integer(2)), (Y, integer(y) / integer(3))]);
                let expected = some_size(Z, &statement, &values);
                assert_eq!(eliminated.holds(&values), expected, "at {values:?}");
            }
        }
    });
}

/// A model is one, and there is one exactly if eliminating says so.
#[test]
fn models_agree_with_elimination() {
    for_statements(150, |statement| {
        let budget = Budget::new(&LIMITS);
        let left = exists(&[Z, Y], &statement, &budget).expect("no limit is met");
        let found = model(&statement, &budget).expect("no limit is met");
        assert_eq!(some_size(X, &left, &Values::new()), found.is_some());
        if let Some(values) = found {
            assert!(values.values().all(|value| *value >= integer(0)));
            assert!(statement.holds(&values), "not at {values:?}");
        }
    });
}

/// What is negated holds nowhere that it held.
#[test]
fn negation_is_the_opposite() {
    for_statements(100, |statement| {
        let not = statement.clone().negated();
        for x in 0..4 {
            for y in 0..4 {
                for z in 0..4 {
                    let values = Values::from([(X, integer(x)), (Y, integer(y)), (Z, integer(z))]);
                    assert_ne!(statement.holds(&values), not.holds(&values));
                }
            }
        }
    });
}
