//! Scalar evaluation of a deferred guard, for one number in one lane.
//!
//! For few lanes this is faster than a column. The guard is total and its numbers
//! are small, so that no operation needs a check.

use super::Batch;
use super::deferred::DeferredGuard;
use nimrule_model::expr::{Arithmetic, Bool, Num, Part, Set};

/// Whether [`Batch::allows`] supports the condition.
pub fn is_scalar(condition: &Bool) -> bool {
    !Part::Bool(condition).any(&mut |part| match part {
        Part::Bool(Bool::In(_, set)) => !matches!(set.node, Set::Range(..) | Set::Items(_)),
        Part::Bool(condition) => !matches!(
            condition,
            Bool::Const(_)
                | Bool::Compare(..)
                | Bool::And(_)
                | Bool::Or(_)
                | Bool::Not(_)
                | Bool::If(..)
        ),
        Part::Num(num) => !matches!(
            num,
            Num::Const(_)
                | Num::Heap(_)
                | Num::Local(_)
                | Num::Total
                | Num::Negate(_)
                | Num::Binary(
                    Arithmetic::Add
                        | Arithmetic::Subtract
                        | Arithmetic::Multiply
                        | Arithmetic::Divide
                        | Arithmetic::Modulo
                        | Arithmetic::NimSum,
                    ..
                )
                | Num::If(..)
                | Num::Isqrt(_)
        ),
        Part::List(_) => true,
        Part::Set(set) => !matches!(set, Set::Range(..) | Set::Items(_)),
    })
}

/// The environment of a scalar evaluation: a lane and the number that it takes.
struct ScalarEvaluation<'a> {
    batch: &'a Batch<'a>,
    guard: &'a DeferredGuard,
    lane: usize,
    number: i64,
}

impl Batch<'_> {
    /// Whether the guard allows the number in the lane. The number must lie between
    /// the bounds of the lane, and the guard must be supported ([`is_scalar`]).
    pub(super) fn allows(&self, guard: &DeferredGuard, lane: usize, number: i64) -> bool {
        let evaluation = ScalarEvaluation {
            batch: self,
            guard,
            lane,
            number,
        };
        evaluation.holds(&guard.prepared.condition)
    }
}

impl ScalarEvaluation<'_> {
    fn holds(&self, condition: &Bool) -> bool {
        match condition {
            Bool::Const(holds) => *holds,
            Bool::Compare(order, left, right) => order.holds(self.number(left), self.number(right)),
            Bool::In(num, set) if let Set::Range(low, high) = &set.node => {
                let number = self.number(num);
                self.number(low) <= number
                    && high.as_ref().is_none_or(|high| number <= self.number(high))
            }
            Bool::In(num, set) if let Set::Items(items) = &set.node => {
                let number = self.number(num);
                items.iter().any(|item| self.number(item) == number)
            }
            Bool::And(parts) => parts.iter().all(|part| self.holds(part)),
            Bool::Or(parts) => parts.iter().any(|part| self.holds(part)),
            Bool::Not(inner) => !self.holds(inner),
            Bool::If(condition, then, otherwise) => {
                if self.holds(condition) {
                    self.holds(then)
                } else {
                    self.holds(otherwise)
                }
            }
            // INVARIANT: `is_scalar` excludes all other parts.
            _ => unreachable!("the guard is scalar"),
        }
    }

    fn number(&self, num: &Num) -> i64 {
        match num {
            Num::Const(value) => *value,
            Num::Heap(heap) => {
                let heap = heap.index();
                self.batch.sizes[heap].at(self.lane) - self.guard.taken_from[heap]
            }
            Num::Local(slot) if self.guard.bound == Some(*slot) => self.guard.taken + self.number,
            Num::Local(slot) => self.guard.locals[slot.index()].at(self.lane),
            Num::Total => self.guard.taken + self.guard.equal_heaps as i64 * self.number,
            Num::Negate(inner) => -self.number(inner),
            Num::Binary(operator, left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                match operator {
                    Arithmetic::Add => left + right,
                    Arithmetic::Subtract => left - right,
                    Arithmetic::Multiply => left * right,
                    // The guard is total, so that the divisor is positive.
                    Arithmetic::Divide => left.div_euclid(right),
                    Arithmetic::Modulo => left.rem_euclid(right),
                    Arithmetic::NimSum => left ^ right,
                    // INVARIANT: `is_scalar` excludes these operators.
                    Arithmetic::Gcd | Arithmetic::Power => unreachable!("the guard is scalar"),
                }
            }
            Num::If(condition, then, otherwise) => {
                if self.holds(condition) {
                    self.number(then)
                } else {
                    self.number(otherwise)
                }
            }
            Num::Isqrt(inner) => self.number(inner).unsigned_abs().isqrt() as i64,
            // INVARIANT: `is_scalar` excludes all other parts.
            _ => unreachable!("the guard is scalar"),
        }
    }
}
