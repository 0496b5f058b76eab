//! Comparisons solved for one unknown.
//!
//! [`LinearForm`] is a multiple of the unknown plus a rest that does not read the
//! unknown. [`solve_for`] turns a comparison of linear forms into bounds on the
//! unknown: `2*t + b <= a` into `t <= (a - b) div 2`. [`Arithmetic::inverse`]
//! computes an operand of an operator from the value and the other operand.
//!
//! All results are exact over the integers. A bound may still have a fault where
//! the comparison has none: it may overflow 64 bits, and it may be evaluated
//! where short-circuit evaluation would skip the comparison. A caller must treat
//! a fault of a bound as "no bound" and evaluate the comparison instead, and may
//! use a bound only where the comparison would be evaluated or is
//! [total](super::total).

use super::{Arithmetic, Bool, Expr, Fold, HeapId, List, Num, Order, Part, Set, Slot};

/// The unknown that a comparison is solved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// A local variable.
    Local(Slot),
    /// The number of tokens that a step takes, summed over its heaps. It may be
    /// bound to a name.
    Amount(Option<Slot>),
    /// The size of a heap.
    Heap(HeapId),
}

impl Unknown {
    /// Whether a number is the unknown itself.
    pub fn is(self, num: &Num) -> bool {
        match (self, num) {
            (Unknown::Local(slot) | Unknown::Amount(Some(slot)), Num::Local(other)) => {
                slot == *other
            }
            (Unknown::Amount(_), Num::Total) => true,
            (Unknown::Heap(heap), Num::Heap(other)) => heap == *other,
            _ => false,
        }
    }

    /// Whether the value of an expression may depend on the unknown. An
    /// expression that reads the amounts taken from single heaps depends on the
    /// total amount.
    pub fn is_read_by(self, part: Part<'_>) -> bool {
        match self {
            Unknown::Local(slot) => part.reads_local(slot),
            Unknown::Amount(name) => {
                part.reads_amounts() || name.is_some_and(|slot| part.reads_local(slot))
            }
            Unknown::Heap(heap) => part.any(&mut |part| {
                let own = part.own_reads();
                own.heaps()
                    .is_none_or(|mut read| read.any(|read| read == heap))
            }),
        }
    }
}

/// A linear form: `factor` times an unknown plus `rest`, which does not read the
/// unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinearForm {
    /// The coefficient of the unknown, not 0.
    pub factor: i64,
    /// The rest of the sum.
    pub rest: Expr<Num>,
}

impl LinearForm {
    /// The linear form of a number; `None` unless the number is built from the
    /// unknown by `+`, `-` and multiplication by constants.
    pub fn of(num: &Expr<Num>, unknown: Unknown) -> Option<LinearForm> {
        if unknown.is(num) {
            let rest = Num::Const(0).into();
            return Some(LinearForm { factor: 1, rest });
        }
        if !unknown.is_read_by(Part::Num(num)) {
            let rest = num.clone();
            return Some(LinearForm { factor: 0, rest });
        }
        match &num.node {
            Num::Negate(inner) => LinearForm::of(inner, unknown)?.times(-1),
            Num::Binary(operator, left, right) => {
                let (left, right) = (
                    LinearForm::of(left, unknown)?,
                    LinearForm::of(right, unknown)?,
                );
                match operator {
                    Arithmetic::Add => Some(LinearForm {
                        factor: left.factor.checked_add(right.factor)?,
                        rest: plus(left.rest, right.rest),
                    }),
                    Arithmetic::Subtract => Some(LinearForm {
                        factor: left.factor.checked_sub(right.factor)?,
                        rest: minus(left.rest, right.rest),
                    }),
                    Arithmetic::Multiply => match (left.constant(), right.constant()) {
                        (Some(factor), _) => right.times(factor),
                        (_, Some(factor)) => left.times(factor),
                        _ => None,
                    },
                    Arithmetic::Divide
                    | Arithmetic::Modulo
                    | Arithmetic::Gcd
                    | Arithmetic::Power => None,
                }
            }
            Num::Const(_)
            | Num::Heap(_)
            | Num::HeapAt { .. }
            | Num::Local(_)
            | Num::SizeOf(_)
            | Num::IndexOf(_)
            | Num::Total
            | Num::If(..)
            | Num::Let(..)
            | Num::Fold(..)
            | Num::Carryless { .. }
            | Num::Components(_)
            | Num::Apply(..) => None,
        }
    }

    fn constant(&self) -> Option<i64> {
        self.rest.constant().filter(|_| self.factor == 0)
    }

    fn times(self, by: i64) -> Option<LinearForm> {
        Some(LinearForm {
            factor: self.factor.checked_mul(by)?,
            rest: match self.rest.constant() {
                Some(rest) => Num::Const(rest.checked_mul(by)?).into(),
                None => binary(Arithmetic::Multiply, Num::Const(by).into(), self.rest),
            },
        })
    }
}

/// Bounds on an unknown that follow from a condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SolvedBounds {
    /// Lower bounds, all of which hold.
    pub at_least: Vec<Expr<Num>>,
    /// Upper bounds, all of which hold.
    pub at_most: Vec<Expr<Num>>,
    /// Whether the bounds imply the condition, so that both are equivalent.
    pub is_exact: bool,
}

/// Solves a comparison, or membership in a range or a set of listed numbers, for
/// an unknown. `None` if the condition is not linear in the unknown or does not
/// read it.
pub fn solve_for(condition: &Bool, unknown: Unknown) -> Option<SolvedBounds> {
    let mut solution = SolvedBounds {
        is_exact: true,
        ..SolvedBounds::default()
    };
    match condition {
        Bool::Compare(order, left, right) => solution.compare(*order, left, right, unknown)?,
        Bool::In(num, set) => {
            if !unknown.is_read_by(Part::Num(num)) || unknown.is_read_by(Part::Set(set)) {
                return None;
            }
            match &set.node {
                Set::Range(low, high) => {
                    solution.compare(Order::AtMost, low, num, unknown)?;
                    if let Some(high) = high {
                        solution.compare(Order::AtMost, num, high, unknown)?;
                    }
                }
                Set::Items(items) if !items.is_empty() => {
                    let end = |fold| Num::Fold(fold, List::Items(items.clone()).into()).into();
                    solution.compare(Order::AtMost, &end(Fold::Min), num, unknown)?;
                    solution.compare(Order::AtMost, num, &end(Fold::Max), unknown)?;
                    solution.is_exact = false;
                }
                _ => return None,
            }
        }
        _ => return None,
    }
    Some(solution)
}

impl SolvedBounds {
    fn compare(
        &mut self,
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        unknown: Unknown,
    ) -> Option<()> {
        if order == Order::NotEqual {
            return None;
        }
        let (left, right) = (
            LinearForm::of(left, unknown)?,
            LinearForm::of(right, unknown)?,
        );
        let factor = left.factor.checked_sub(right.factor)?;
        let one = || Num::Const(1).into();
        // `factor * unknown <= difference` with a positive factor, or for a negative
        // one `-factor * unknown >= difference`.
        let (is_above, difference) = if factor > 0 {
            (false, minus(right.rest, left.rest))
        } else {
            (true, minus(left.rest, right.rest))
        };
        let factor = factor.checked_abs().filter(|factor| *factor != 0)?;
        let at_least = |difference: Expr<Num>| match factor {
            1 => difference,
            _ => plus(quotient(minus(difference, one()), factor), one()),
        };
        match (order, is_above) {
            (Order::Equal, _) => {
                self.at_least.push(at_least(difference.clone()));
                self.at_most.push(quotient(difference, factor));
            }
            (Order::AtMost, false) => self.at_most.push(quotient(difference, factor)),
            (Order::Less, false) => self
                .at_most
                .push(quotient(minus(difference, one()), factor)),
            (Order::AtMost, true) => self.at_least.push(at_least(difference)),
            (Order::Less, true) => self
                .at_least
                .push(plus(quotient(difference, factor), one())),
            (Order::NotEqual, _) => return None,
        }
        Some(())
    }
}

/// Solves an equation for an unknown: the value, and the condition that it is an
/// integer, if it need not be one. `None` if the equation is not linear in the
/// unknown.
pub fn solve_equation(
    left: &Expr<Num>,
    right: &Expr<Num>,
    unknown: Unknown,
) -> Option<(Expr<Num>, Option<Expr<Bool>>)> {
    let (left, right) = (
        LinearForm::of(left, unknown)?,
        LinearForm::of(right, unknown)?,
    );
    let factor = left.factor.checked_sub(right.factor)?;
    let difference = if factor > 0 {
        minus(right.rest, left.rest)
    } else {
        minus(left.rest, right.rest)
    };
    let factor = factor.checked_abs().filter(|factor| *factor != 0)?;
    let is_integer = (factor != 1).then(|| {
        let rest = binary(
            Arithmetic::Modulo,
            difference.clone(),
            Num::Const(factor).into(),
        );
        Bool::Compare(Order::Equal, rest, Num::Const(0).into()).into()
    });
    Some((quotient(difference, factor), is_integer))
}

/// One of the two operands of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// The first operand.
    Left,
    /// The second operand.
    Right,
}

impl Arithmetic {
    /// The inverse of the operation in one operand: the operator that computes
    /// the unknown operand from the value and the other operand, and which of
    /// its operands the value is. `None` if there is no inverse.
    ///
    /// `+` and `-` are inverted over the integers.
    pub fn inverse(self, unknown: Operand) -> Option<(Arithmetic, Operand)> {
        match (self, unknown) {
            (Arithmetic::Add, _) => Some((Arithmetic::Subtract, Operand::Left)),
            (Arithmetic::Subtract, Operand::Left) => Some((Arithmetic::Add, Operand::Left)),
            (Arithmetic::Subtract, Operand::Right) => Some((Arithmetic::Subtract, Operand::Right)),
            (
                Arithmetic::Multiply
                | Arithmetic::Divide
                | Arithmetic::Modulo
                | Arithmetic::Gcd
                | Arithmetic::Power,
                _,
            ) => None,
        }
    }
}

fn binary(operator: Arithmetic, left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    Num::Binary(operator, Box::new(left), Box::new(right)).into()
}

fn plus(left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    match (left.constant(), right.constant()) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        (Some(a), Some(b)) if let Some(sum) = a.checked_add(b) => Num::Const(sum).into(),
        _ => binary(Arithmetic::Add, left, right),
    }
}

fn minus(left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    match (left.constant(), right.constant()) {
        (_, Some(0)) => left,
        (Some(a), Some(b)) if let Some(difference) = a.checked_sub(b) => {
            Num::Const(difference).into()
        }
        _ => binary(Arithmetic::Subtract, left, right),
    }
}

/// The quotient by a positive constant, rounded towards minus infinity.
fn quotient(num: Expr<Num>, factor: i64) -> Expr<Num> {
    match (factor, num.constant()) {
        (1, _) => num,
        (_, Some(number)) => Num::Const(number.div_euclid(factor)).into(),
        _ => binary(Arithmetic::Divide, num, Num::Const(factor).into()),
    }
}
