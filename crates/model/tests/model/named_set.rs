//! The members of named sets.

use nimrule_model::expr::NamedSet;

#[test]
fn members_are_those_contained() {
    for set in NamedSet::ALL {
        let listed: Vec<i64> = set.members().take_while(|member| *member < 5000).collect();
        let contained: Vec<i64> = (-3..5000).filter(|value| set.contains(*value)).collect();
        assert_eq!(listed, contained, "{}", set.word());
    }
    let by_trial = |value: i64| value > 1 && (2..value).all(|divisor| value % divisor != 0);
    assert!((0..2000).all(|value| NamedSet::Primes.contains(value) == by_trial(value)));
}

#[test]
fn large_members_are_known() {
    assert!(NamedSet::Primes.contains(9_223_372_036_854_775_783));
    assert!(!NamedSet::Primes.contains(3_825_123_056_546_413_051));
    assert_eq!(
        NamedSet::Factorials.members().last(),
        Some(2_432_902_008_176_640_000)
    );
    assert_eq!(NamedSet::Fibonacci.members().count(), 91);
}
