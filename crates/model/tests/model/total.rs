//! Expressions that have a value everywhere.

use nimrule_model::expr::bounds::{Interval, IntervalEnvironment};
use nimrule_model::expr::total::is_total;
use nimrule_model::expr::{Arithmetic, Expr, HeapId, List, Num, Part, Slot};

fn heap(heap: u16) -> Expr<Num> {
    Num::Heap(HeapId(heap)).into()
}

fn binary(operator: Arithmetic, left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    Num::Binary(operator, Box::new(left), Box::new(right)).into()
}

fn total(num: &Num, within: Interval) -> bool {
    let mut known = IntervalEnvironment::new(1, Interval::NATURALS.meet(Interval::I64));
    is_total(Part::Num(num), &mut known, within)
}

#[test]
fn divisors_must_be_positive() {
    let one: Expr<Num> = Num::Const(1).into();
    let positive = binary(Arithmetic::Add, heap(1), one);
    let by = |divisor| binary(Arithmetic::Divide, heap(0), divisor);
    assert!(total(&by(positive), Interval::ALL));
    assert!(!total(&by(heap(1)), Interval::ALL));
    assert!(!total(&by(Num::Const(-2).into()), Interval::ALL));
}

#[test]
fn overflow_counts_where_numbers_have_bounds() {
    let sum = binary(Arithmetic::Add, heap(0), heap(1));
    assert!(total(&sum, Interval::ALL));
    assert!(!total(&sum, Interval::I64));
    let difference = binary(Arithmetic::Subtract, heap(0), heap(1));
    assert!(total(&difference, Interval::I64));
}

#[test]
fn variables_have_the_interval_of_their_value() {
    let slot = Slot(0);
    let debt = binary(Arithmetic::Subtract, heap(0), heap(1));
    let xor = |item: Num| Num::nim_sum(List::Items(vec![item.into()]).into());
    let named = |value: Expr<Num>| {
        Num::Let(
            slot,
            Box::new(value),
            Box::new(xor(Num::Local(slot)).into()),
        )
    };
    assert!(total(&named(heap(0)), Interval::I64));
    assert!(!total(&named(debt), Interval::I64));
}
