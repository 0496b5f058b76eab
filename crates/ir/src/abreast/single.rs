//! Conditions that are sure, asked of one number in one lane.
//!
//! What is asked of few lanes is sooner known lane by lane than of a column. A
//! condition that is sure cannot fail, and none of its numbers is large; so there
//! is nothing to check on the way.

use super::Abreast;
use super::judge::Judged;
use nimrule_model::expr::{Arithmetic, Bool, Num, Part, Set};

/// Can [`Abreast::allows`] ask the condition?
pub fn is_plain(condition: &Bool) -> bool {
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
                | Num::Binary(..)
                | Num::If(..)
                | Num::Isqrt(_)
        ),
        Part::List(_) => true,
        Part::Set(set) => !matches!(set, Set::Range(..) | Set::Items(_)),
    })
}

/// One number, and the lane that would take it.
struct Asked<'a> {
    abreast: &'a Abreast<'a>,
    of: &'a Judged,
    lane: usize,
    number: i64,
}

impl Abreast<'_> {
    /// Is the lane allowed the number, which lies between its bounds? The condition
    /// must be [plain](is_plain).
    pub(super) fn allows(&self, of: &Judged, lane: usize, number: i64) -> bool {
        let asked = Asked {
            abreast: self,
            of,
            lane,
            number,
        };
        asked.holds(&of.ready.condition)
    }
}

impl Asked<'_> {
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
            // INVARIANT: a plain condition has no other parts.
            _ => unreachable!("the condition is plain"),
        }
    }

    fn number(&self, num: &Num) -> i64 {
        match num {
            Num::Const(value) => *value,
            Num::Heap(heap) => {
                let heap = heap.index();
                self.abreast.sizes[heap].at(self.lane) - self.of.down[heap]
            }
            Num::Local(slot) if self.of.bound == Some(*slot) => self.of.taken + self.number,
            Num::Local(slot) => self.of.locals[slot.index()].at(self.lane),
            Num::Total => self.of.taken + self.of.alike as i64 * self.number,
            Num::Negate(inner) => -self.number(inner),
            Num::Binary(operator, left, right) => {
                let (left, right) = (self.number(left), self.number(right));
                match operator {
                    Arithmetic::Add => left + right,
                    Arithmetic::Subtract => left - right,
                    Arithmetic::Multiply => left * right,
                    // The divisor is positive, or the condition would not be sure.
                    Arithmetic::Divide => left.div_euclid(right),
                    Arithmetic::Modulo => left.rem_euclid(right),
                    Arithmetic::NimSum => left ^ right,
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
            // INVARIANT: a plain condition has no other parts.
            _ => unreachable!("the condition is plain"),
        }
    }
}
