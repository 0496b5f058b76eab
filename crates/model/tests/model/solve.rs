//! Solutions of comparisons.

use nimrule_board::symmetry::Symmetries;
use nimrule_model::expr::solve::{LinearForm, Unknown, solve_equation, solve_for};
use nimrule_model::expr::{Arithmetic, Bool, Environment, Expr, HeapId, Num, Order, Set, Slot};

const T: Slot = Slot(0);

fn constant(value: i64) -> Expr<Num> {
    Num::Const(value).into()
}

fn with<T>(t: i64, position: &[u64], evaluate: impl FnOnce(&mut Environment<'_>) -> T) -> T {
    evaluate(&mut Environment {
        position,
        kinds: &[],
        locals: &mut [t],
        picks: &[],
        amounts: &[],
        symmetries: &Symmetries::trivial(0),
        steps: 0,
    })
}

/// `left * t + a` compared with `right * t + b`, and the like.
fn comparisons() -> Vec<Bool> {
    let side = |factor: i64, heap: u16| {
        let times = Num::Binary(
            Arithmetic::Multiply,
            Box::new(constant(factor)),
            Box::new(Num::Local(T).into()),
        );
        let heap = Num::Negate(Box::new(Num::Heap(HeapId(heap)).into()));
        Expr::from(Num::Binary(
            Arithmetic::Subtract,
            Box::new(times.into()),
            Box::new(heap.into()),
        ))
    };
    let mut all = Vec::new();
    for order in [Order::Equal, Order::Less, Order::AtMost] {
        for left in -3..=3 {
            for right in -1..=1 {
                all.push(Bool::Compare(order, side(left, 0), side(right, 1)));
            }
        }
    }
    for factor in [-2, -1, 1, 3] {
        let low = Num::Heap(HeapId(0)).into();
        let high = Num::Heap(HeapId(1)).into();
        all.push(Bool::In(
            side(factor, 0),
            Set::Range(low, Some(high)).into(),
        ));
    }
    all
}

#[test]
fn bounds_are_equivalent_to_the_comparison() {
    let mut solved = 0;
    for condition in comparisons() {
        let Some(solution) = solve_for(&condition, Unknown::Local(T)) else {
            continue;
        };
        solved += 1;
        assert!(solution.is_exact);
        for (a, b) in [(0, 0), (0, 7), (5, 2), (3, 11)] {
            for t in -20..=20 {
                let holds = with(t, &[a, b], |environment| {
                    condition.eval(environment).expect("small")
                });
                let value = |num: &Expr<Num>| {
                    with(t, &[a, b], |environment| {
                        num.eval(environment).expect("small")
                    })
                };
                let bounded = solution.at_least.iter().all(|low| value(low) <= t)
                    && solution.at_most.iter().all(|high| t <= value(high));
                assert_eq!(holds, bounded, "{condition:?} at {a}, {b}, {t}");
            }
        }
    }
    assert!(solved > 50);
}

#[test]
fn equations_have_the_solution_found() {
    for condition in comparisons() {
        let Bool::Compare(Order::Equal, left, right) = &condition else {
            continue;
        };
        let Some((value, guard)) = solve_equation(left, right, Unknown::Local(T)) else {
            continue;
        };
        for (a, b) in [(0, 0), (0, 7), (5, 2), (3, 11)] {
            let found = with(0, &[a, b], |environment| {
                let guard = guard
                    .as_ref()
                    .map_or(Ok(true), |guard| guard.eval(environment));
                guard
                    .expect("small")
                    .then(|| value.eval(environment).expect("small"))
            });
            let solutions: Vec<i64> = (-20..=20)
                .filter(|t| {
                    with(*t, &[a, b], |environment| {
                        condition.eval(environment).expect("small")
                    })
                })
                .collect();
            assert_eq!(
                solutions,
                found.into_iter().collect::<Vec<_>>(),
                "{condition:?}"
            );
        }
    }
}

#[test]
fn products_of_the_unknown_are_not_linear() {
    let t = || Box::new(Expr::from(Num::Local(T)));
    for operator in [Arithmetic::Multiply, Arithmetic::Modulo] {
        let num = Num::Binary(operator, t(), t()).into();
        assert_eq!(LinearForm::of(&num, Unknown::Local(T)), None);
    }
}
