//! Numbers over the rationals with infinitesimals.

use nimrule_real::Rational;
use nimrule_real::number::{Linear, Polynomial, Term, Values, integer, simplest_between};

fn fraction(above: i64, below: i64) -> Rational {
    integer(above) / integer(below)
}

#[test]
fn the_simplest_between() {
    let between = |low, low_open, high, high_open| {
        simplest_between(&low, low_open, Some((&high, high_open))).map(|f| f.to_string())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(between(integer(0), true, integer(1), true), some("1/2"));
    assert_eq!(between(integer(0), true, fraction(1, 2), true), some("1/3"));
    assert_eq!(between(integer(0), true, integer(1), false), some("1"));
    assert_eq!(
        between(fraction(1, 3), true, fraction(1, 2), true),
        some("2/5")
    );
    assert_eq!(
        between(fraction(5, 7), false, fraction(5, 7), false),
        some("5/7")
    );
    assert_eq!(between(fraction(5, 7), false, fraction(5, 7), true), None);
    assert_eq!(between(integer(2), true, integer(1), true), None);
    assert_eq!(
        simplest_between(&fraction(7, 2), false, None),
        Some(integer(4))
    );
}

#[test]
fn polynomials_multiply_out() {
    let (x, y) = (Polynomial::variable(0), Polynomial::variable(2));
    let square = x.plus(&y).times(&x.minus(&y)).expect("it is small");
    let values = Values::from([(0, integer(5)), (2, fraction(1, 2))]);
    assert_eq!(square.value(&values), fraction(99, 4));
    assert_eq!(square.as_linear(), None);
    let linear = x.minus(&y).as_linear().expect("nothing is multiplied");
    assert_eq!(Polynomial::of_linear(&linear), x.minus(&y));
    assert_eq!(linear.solved_for(0), Some(Linear::variable(2)));
}
