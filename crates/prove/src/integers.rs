//! The domain of the integers: values are weighted sums of natural variables and
//! of carryless sums, and atoms are relations that an automaton recognises by the
//! digits of the variables.
//!
//! All piecewise linear operations and the digits in one base are reduced to
//! comparisons of such sums. Rounding, division and the like introduce existential
//! variables with a guard that determines them.

pub mod atom;

pub use atom::{Atom, constant, minus, plus, times, variable};

use super::numeration;
use atom::{as_constant, as_variable, is_never_negative};
use nimrule_automata::Numeration;
use nimrule_automata::atoms::{CarrylessSum, Relation, Sum};
use nimrule_model::expr::{Expr, Num, Order};
use nimrule_model::source::Span;
use nimrule_symbolic::Unsupported;
use nimrule_symbolic::formula::Variable;
use nimrule_symbolic::{
    Case, Cases, Domain, Interpreter, Item, MAX_CASES, Translation, merge_cases, numbers_too_large,
    unconditional,
};

/// A formula about natural numbers.
pub type Formula = nimrule_symbolic::Formula<Atom>;

/// The interpreter of expressions about integers.
pub type IntegerInterpreter<'g> = Interpreter<'g, Integers>;

/// The domain of unbounded integers, written in a numeration system.
#[derive(Debug, Clone, Copy)]
pub struct Integers {
    /// The numeration system of the automata.
    pub numeration: Numeration,
}

/// The reason why a number may have no digits.
const NEGATIVE: &str = "the number may be negative, and then has no digits";

impl Domain for Integers {
    type Atom = Atom;
    type Value = Sum;

    fn constant(value: i64) -> Sum {
        constant(value)
    }

    fn variable(of: Variable) -> Sum {
        variable(of)
    }

    fn as_constant(value: &Sum) -> Option<i64> {
        as_constant(value)
    }

    fn mentions(value: &Sum, variable: Variable) -> bool {
        atom::mentions(value, variable)
    }

    fn plus(left: &Sum, right: &Sum) -> Option<Sum> {
        plus(left, right)
    }

    fn times(value: &Sum, factor: i64) -> Option<Sum> {
        times(value, factor)
    }

    fn compare(left: &Sum, order: Order, right: &Sum) -> Option<Formula> {
        compare(left, order, right)
    }

    fn product(_: &mut IntegerInterpreter<'_>, _: &Sum, _: &Sum, at: Span) -> Translation<Sum> {
        let what = "a product of two numbers that both depend on the position";
        Err(Unsupported::new(what, at))
    }

    fn quotient(
        interpreter: &mut IntegerInterpreter<'_>,
        left: &Sum,
        right: &Sum,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        let too_large = || numbers_too_large(at);
        let Some(divisor) = as_constant(right) else {
            return Err(Unsupported::new("the divisor depends on the position", at));
        };
        if divisor == 0 {
            interpreter.record_fault(Formula::TRUE, DIVISION_BY_ZERO, at);
            return Ok(Vec::new());
        }
        if divisor < 0 {
            let (left, right) = (times(left, -1), times(right, -1));
            let (left, right) = (left.ok_or_else(too_large)?, right.ok_or_else(too_large)?);
            return Integers::quotient(interpreter, &left, &right, at);
        }
        if let Some(value) = as_constant(left) {
            return Ok(unconditional(constant(value.div_euclid(divisor))));
        }
        // The quotient is q or -q for a natural q: it satisfies
        // divisor * quotient <= left < divisor * quotient + divisor.
        let mut cases = Vec::new();
        let signs: &[i64] = if is_never_negative(left) {
            &[1]
        } else {
            &[1, -1]
        };
        for sign in signs {
            let fresh = interpreter.fresh(at)?;
            let value = times(&variable(fresh), *sign).ok_or_else(too_large)?;
            let scaled = times(&value, divisor).ok_or_else(too_large)?;
            let above = plus(&scaled, &constant(divisor)).ok_or_else(too_large)?;
            let mut guard = vec![
                interpreter.compared(&scaled, Order::AtMost, left, at)?,
                interpreter.compared(left, Order::Less, &above, at)?,
            ];
            if *sign < 0 {
                guard.push(interpreter.compared(
                    &constant(0),
                    Order::Less,
                    &variable(fresh),
                    at,
                )?);
            }
            cases.push(Case {
                existentials: vec![fresh],
                guard: Formula::and(guard),
                value,
            });
        }
        Ok(cases)
    }

    fn remainder(
        interpreter: &mut IntegerInterpreter<'_>,
        left: &Sum,
        right: &Sum,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        let Some(modulus) = as_constant(right) else {
            return Err(Unsupported::new("the modulus depends on the position", at));
        };
        if modulus <= 0 {
            interpreter.record_fault(Formula::TRUE, "the modulus is not positive", at);
            return Ok(Vec::new());
        }
        if let Some(value) = as_constant(left) {
            return Ok(unconditional(constant(value.rem_euclid(modulus))));
        }
        let small = u32::try_from(modulus)
            .ok()
            .filter(|modulus| *modulus as usize <= MAX_CASES);
        let Some(small) = small else {
            return Err(Unsupported::too_large("the modulus is too large", at));
        };
        let mut cases = Vec::new();
        for rest in 0..modulus {
            let apart = minus(left, &constant(rest)).ok_or_else(|| numbers_too_large(at))?;
            cases.push(Case {
                existentials: Vec::new(),
                guard: atom::compare_with_zero(apart, Relation::Multiple(small)),
                value: constant(rest),
            });
        }
        Ok(cases)
    }

    fn carryless(
        interpreter: &mut IntegerInterpreter<'_>,
        base: &Expr<Num>,
        items: &[Item<Integers>],
        modulus: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        let base = interpreter.constant_of(base)?;
        let modulus = interpreter.constant_of(modulus)?;
        carryless_sum(interpreter, base, items, modulus, at)
    }

    fn digit(
        interpreter: &mut IntegerInterpreter<'_>,
        base: &Expr<Num>,
        index: &Expr<Num>,
        value: &Cases<Integers>,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        let base = interpreter.constant_of(base)?;
        let index_at = index.span;
        let index = interpreter.constant_of(index)?;
        let base = check_base(interpreter, base, at)?;
        let Some(index) = u32::try_from(index).ok().filter(|index| *index < 20) else {
            let what = "the place of the digit is negative, or too far from the end";
            return Err(Unsupported::new(what, index_at));
        };
        let mut cases = Vec::new();
        for case in value {
            let guard = case.guard.clone();
            let (fresh, definition, x) =
                interpreter.assuming(guard, |r| natural(r, &case.value, at))?;
            for wanted in 0..base {
                let has = Formula::Atom(Atom::Digit {
                    of: base,
                    index,
                    wanted,
                    x,
                });
                cases.push(Case {
                    existentials: case.existentials.iter().copied().chain(fresh).collect(),
                    guard: Formula::and([case.guard.clone(), definition.clone(), has]),
                    value: constant(wanted.into()),
                });
            }
        }
        merge_cases(cases, at)
    }

    /// A square root that is a [`numeration::Root`]. Other roots are refused: digits do
    /// not determine them.
    fn root(
        interpreter: &mut IntegerInterpreter<'_>,
        of: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        let too_large = || numbers_too_large(at);
        let (root, squared) = numeration::root(of).ok_or_else(|| {
            let what = "the only roots supported are those of c*x*x where c is a square times \
                        2, 5, 10, 13, 17, 29 or 53";
            Unsupported::new(what, at)
        })?;
        if interpreter.domain.numeration != Numeration::Ostrowski(root.quotient) {
            return Err(Unsupported::new(numeration::ROOTS_AND_DIGITS, at));
        }
        let mut cases = Vec::new();
        for case in interpreter.number(squared)? {
            // x and -x have the same square.
            let signs: &[i64] = match is_never_negative(&case.value) {
                true => &[1],
                false => &[1, -1],
            };
            for sign in signs {
                let scaled = |by: i64| times(&case.value, by * sign).ok_or_else(too_large);
                let (x, y) = (interpreter.fresh(at)?, interpreter.fresh(at)?);
                let multiple = scaled(root.multiple)?;
                cases.push(Case {
                    existentials: case.existentials.iter().copied().chain([x, y]).collect(),
                    guard: Formula::and([
                        case.guard.clone(),
                        interpreter.compared(&variable(x), Order::Equal, &multiple, at)?,
                        Formula::Atom(Atom::MultipleOfRatio {
                            quotient: root.quotient,
                            x,
                            y,
                        }),
                    ]),
                    value: minus(&variable(y), &scaled(root.less)?).ok_or_else(too_large)?,
                });
            }
        }
        merge_cases(cases, at)
    }

    fn integers_only(_: &str, _: Span) -> Translation<()> {
        Ok(())
    }

    /// If `low` is never negative, a natural variable with the guard that it is at
    /// least `low`; otherwise `low + y` for a natural variable y.
    fn integers_from(
        interpreter: &mut IntegerInterpreter<'_>,
        low: &Cases<Integers>,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        if low.iter().all(|case| is_never_negative(&case.value)) {
            let fresh = interpreter.fresh(at)?;
            let number = variable(fresh);
            return Ok(vec![Case {
                existentials: vec![fresh],
                guard: interpreter.compare_cases(
                    low,
                    Order::AtMost,
                    &unconditional(number.clone()),
                    at,
                )?,
                value: number,
            }]);
        }
        let mut cases = Vec::with_capacity(low.len());
        for case in low {
            let fresh = interpreter.fresh(at)?;
            let value = plus(&case.value, &variable(fresh));
            cases.push(Case {
                existentials: case.existentials.iter().copied().chain([fresh]).collect(),
                guard: case.guard.clone(),
                value: value.ok_or_else(|| numbers_too_large(at))?,
            });
        }
        Ok(cases)
    }

    fn is_power(
        interpreter: &mut IntegerInterpreter<'_>,
        number: &Cases<Integers>,
        base: &Expr<Num>,
        at: Span,
    ) -> Translation<Formula> {
        let base = interpreter.constant_of(base)?;
        let of = check_base(interpreter, base, at)?;
        let mut any = Vec::new();
        for case in number {
            if let Some(value) = as_constant(&case.value) {
                let is = value > 0 && atom::is_power(value, base);
                any.push(Formula::and([case.guard.clone(), Formula::Const(is)]));
                continue;
            }
            // A negative number is not a power; it is no fault either.
            let x = interpreter.fresh(at)?;
            any.push(Formula::exists(
                case.existentials.iter().copied().chain([x]).collect(),
                Formula::and([
                    case.guard.clone(),
                    interpreter.compared(&variable(x), Order::Equal, &case.value, at)?,
                    Formula::Atom(Atom::Power { of, x }),
                ]),
            ));
        }
        Ok(Formula::or(any))
    }

    fn solutions(
        interpreter: &mut IntegerInterpreter<'_>,
        product: &Sum,
        coefficient: i64,
        at: Span,
    ) -> Translation<Cases<Integers>> {
        let too_large = || numbers_too_large(at);
        if coefficient.unsigned_abs() == 1 {
            let solved = times(product, coefficient).ok_or_else(too_large)?;
            return Ok(unconditional(solved));
        }
        let mut found = Vec::new();
        for sign in [1, -1] {
            let fresh = interpreter.fresh(at)?;
            let value = times(&variable(fresh), sign).ok_or_else(too_large)?;
            let scaled = times(&value, coefficient).ok_or_else(too_large)?;
            let mut guard = vec![interpreter.compared(&scaled, Order::Equal, product, at)?];
            if sign < 0 {
                guard.push(interpreter.compared(
                    &constant(0),
                    Order::Less,
                    &variable(fresh),
                    at,
                )?);
            }
            found.push(Case {
                existentials: vec![fresh],
                guard: Formula::and(guard),
                value,
            });
        }
        Ok(found)
    }

    fn close(existentials: Vec<Variable>, moves: Formula) -> (Vec<Variable>, Formula) {
        (Vec::new(), Formula::exists(existentials, moves))
    }
}

/// The reason why a quotient may have no value.
const DIVISION_BY_ZERO: &str = "the divisor is 0";

/// The formula `left order right`; `None` if a weight overflows.
pub fn compare(left: &Sum, order: Order, right: &Sum) -> Option<Formula> {
    let apart = minus(left, right)?;
    Some(match order {
        Order::Equal => atom::compare_with_zero(apart, Relation::Zero),
        Order::NotEqual => atom::compare_with_zero(apart, Relation::Zero).negated(),
        Order::AtMost => atom::compare_with_zero(apart, Relation::AtMostZero),
        Order::Less => atom::compare_with_zero(plus(&apart, &constant(1))?, Relation::AtMostZero),
    })
}

/// A natural variable equal to a value: the fresh variable, if one is needed, the
/// formula that determines it, and the variable. A negative value is a fault.
fn natural(
    interpreter: &mut IntegerInterpreter<'_>,
    value: &Sum,
    at: Span,
) -> Translation<(Option<Variable>, Formula, Variable)> {
    if let Some(variable) = as_variable(value) {
        return Ok((None, Formula::TRUE, variable));
    }
    if !is_never_negative(value) {
        let negative = interpreter.compared(value, Order::Less, &constant(0), at)?;
        interpreter.record_fault(negative, NEGATIVE, at);
    }
    let fresh = interpreter.fresh(at)?;
    let equal = interpreter.compared(&variable(fresh), Order::Equal, value, at)?;
    Ok((Some(fresh), equal, fresh))
}

/// Checks a base: the base of the numeration system must be a power of it.
fn check_base(interpreter: &mut IntegerInterpreter<'_>, base: i64, at: Span) -> Translation<u8> {
    if base < 2 {
        interpreter.record_fault(Formula::TRUE, "the base is below 2", at);
        return Err(Unsupported::fault("the base is below 2", at));
    }
    let Numeration::Base(of) = interpreter.domain.numeration else {
        return Err(Unsupported::new(numeration::ROOTS_AND_DIGITS, at));
    };
    let mut power = base;
    while power < i64::from(of) {
        power *= base;
    }
    match u8::try_from(base).ok().filter(|_| power == i64::from(of)) {
        Some(base) => Ok(base),
        None => Err(Unsupported::new(
            "its base cannot be combined with the others",
            at,
        )),
    }
}

/// The carryless sum of items: their digits are added in each column modulo a number.
fn carryless_sum(
    interpreter: &mut IntegerInterpreter<'_>,
    base: i64,
    items: &[Item<Integers>],
    modulus: i64,
    at: Span,
) -> Translation<Cases<Integers>> {
    if modulus < 1 {
        interpreter.record_fault(Formula::TRUE, "the modulus is not positive", at);
        return Ok(Vec::new());
    }
    let base = check_base(interpreter, base, at)?;
    let Some(modulus) = u16::try_from(modulus).ok().filter(|m| *m < 256) else {
        return Err(Unsupported::too_large("its modulus is too large", at));
    };
    // Each combination of the cases of the items is a case.
    let mut rows: Vec<(Vec<Variable>, Formula, Vec<Sum>)> =
        vec![(Vec::new(), Formula::TRUE, Vec::new())];
    for cases in interpreter.values_or_zero(items, at)? {
        let mut longer = Vec::new();
        for (existentials, guard, row) in &rows {
            for case in &cases {
                let guard = Formula::and([guard.clone(), case.guard.clone()]);
                if guard == Formula::FALSE {
                    continue;
                }
                let row = row.iter().chain([&case.value]).cloned().collect();
                longer.push((
                    [existentials.as_slice(), &case.existentials].concat(),
                    guard,
                    row,
                ));
            }
        }
        rows = longer;
        if rows.len() > MAX_CASES {
            return Err(Unsupported::too_large("it has too many cases", at));
        }
    }
    let mut cases = Vec::new();
    for (existentials, guard, row) in rows {
        let inner = interpreter.assuming(guard.clone(), |r| {
            carryless_sum_of_values(r, base, modulus, &row, at)
        })?;
        cases.push(Case {
            existentials: [existentials.as_slice(), &inner.existentials].concat(),
            guard: Formula::and([guard, inner.guard]),
            value: inner.value,
        });
    }
    merge_cases(cases, at)
}

/// The carryless sum of single values.
fn carryless_sum_of_values(
    interpreter: &mut IntegerInterpreter<'_>,
    base: u8,
    modulus: u16,
    values: &[Sum],
    at: Span,
) -> Translation<Case<Integers>> {
    let mut tracks = Vec::new();
    let mut existentials = Vec::new();
    let mut guard = Vec::new();
    for value in values {
        if as_constant(value) == Some(0) {
            continue;
        }
        // The operation is associative: a carryless sum of carryless sums is one.
        if let ([], [(1, columns)], 0) = (
            value.terms.as_slice(),
            value.columns.as_slice(),
            value.constant,
        ) && (columns.base, columns.modulus) == (base, modulus)
            && modulus == u16::from(base)
        {
            tracks.extend(&columns.tracks);
            continue;
        }
        let (fresh, definition, track) = natural(interpreter, value, at)?;
        existentials.extend(fresh);
        guard.push(definition);
        tracks.push(track);
    }
    tracks.sort_unstable();
    // As many copies of one track as the modulus cancel.
    let mut kept: Vec<Variable> = Vec::new();
    for track in tracks {
        let many = usize::from(modulus);
        kept.push(track);
        if kept.len() >= many && kept[kept.len() - many..].iter().all(|of| *of == track) {
            kept.truncate(kept.len() - many);
        }
    }
    let value = match kept.as_slice() {
        [] => constant(0),
        [one] if modulus >= u16::from(base) => variable(*one),
        _ => Sum {
            columns: vec![(
                1,
                CarrylessSum {
                    base,
                    modulus,
                    tracks: kept,
                },
            )],
            ..Sum::default()
        },
    };
    Ok(Case {
        existentials,
        guard: Formula::and(guard),
        value,
    })
}
