//! Numbers.

use super::{
    Case, Cases, Domain, Formula, Interpreter, Read, both, certain, guarded, in_some_case, merged,
    numbers_too_large,
};
use crate::unsupported::Unsupported;
use nimrule_model::expr::{Arithmetic, Expr, HeapId, Num, Order};
use nimrule_model::source::Span;

/// Why a heap with an index may have no size.
const NO_SUCH_HEAP: &str = "there may be no heap with this index";

impl<D: Domain> Interpreter<'_, D> {
    /// What a number is.
    pub fn number(&mut self, num: &Expr<Num>) -> Read<Cases<D>> {
        let at = num.span;
        match &num.node {
            Num::Const(value) => Ok(certain(D::constant(*value))),
            Num::Heap(heap) => Ok(certain(self.size(*heap))),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let found = self.heaps_at(heaps, *first, index)?;
                let cases = found.into_iter().map(|(guard, heap)| Case {
                    own: Vec::new(),
                    guard,
                    value: self.size(heap),
                });
                merged(cases.collect(), at)
            }
            Num::Local(slot) => match self.locals.get(slot) {
                Some(value) => Ok(certain(value.clone())),
                None => Err(Unsupported::new("a name stands here for no number", at)),
            },
            Num::SizeOf(pick) => {
                let heap = self.picks.get(pick).and_then(|heaps| heaps.first());
                match heap {
                    Some(heap) => Ok(certain(self.size(*heap))),
                    None => Err(Unsupported::new("no heap has been selected here", at)),
                }
            }
            Num::Total => {
                let mut total = D::constant(0);
                for amount in &self.amounts {
                    total = D::plus(&total, amount).ok_or_else(|| numbers_too_large(at))?;
                }
                Ok(certain(total))
            }
            Num::Negate(inner) => {
                let cases = self.number(inner)?.into_iter().map(|case| {
                    Ok(Case {
                        value: D::times(&case.value, -1).ok_or_else(|| numbers_too_large(at))?,
                        ..case
                    })
                });
                cases.collect()
            }
            Num::Binary(operator, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                self.binary(*operator, &left, &right, at)
            }
            Num::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                // The branch that is never taken is not evaluated.
                if let Formula::Const(value) = condition {
                    return self.number(if value { then } else { otherwise });
                }
                let not = condition.clone().negated();
                let then = self.where_holds(condition.clone(), |r| r.number(then))?;
                let otherwise = self.where_holds(not.clone(), |r| r.number(otherwise))?;
                let cases = guarded(then, &condition).chain(guarded(otherwise, &not));
                merged(cases.collect(), at)
            }
            Num::Let(slot, value, body) => {
                let mut cases = Vec::new();
                for value in self.number(value)? {
                    let guard = value.guard.clone();
                    let inner = self.where_holds(guard, |r| {
                        r.where_is(*slot, value.value, |r| r.number(body))
                    })?;
                    cases.extend(inner.into_iter().map(|case| Case {
                        own: [value.own.as_slice(), &case.own].concat(),
                        guard: Formula::and([value.guard.clone(), case.guard]),
                        value: case.value,
                    }));
                }
                merged(cases, at)
            }
            Num::Fold(fold, list) => {
                let items = self.items(list)?;
                self.folded(*fold, &items, at)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                D::integers_only(DIGITS, at)?;
                let items = self.items(list)?;
                D::carryless(self, base, &items, modulus, at)
            }
            Num::Digit { base, index, value } => {
                D::integers_only(DIGITS, at)?;
                let value = self.number(value)?;
                D::digit(self, base, index, &value, at)
            }
            Num::Isqrt(inner) => D::root(self, inner, at),
        }
    }

    /// The heap that an index names: where it is which. Where it is none, that
    /// is a fault.
    pub(super) fn heaps_at(
        &mut self,
        heaps: &[HeapId],
        first: i64,
        index: &Expr<Num>,
    ) -> Read<Vec<(super::FormulaOf<D>, HeapId)>> {
        let at = index.span;
        let index = self.number(index)?;
        let mut found = Vec::new();
        for (place, heap) in (0_i64..).zip(heaps) {
            let here = D::constant(
                first
                    .checked_add(place)
                    .ok_or_else(|| numbers_too_large(at))?,
            );
            let here = in_some_case(&index, |value| {
                self.compared(value, Order::Equal, &here, at)
            })?;
            if here != Formula::FALSE {
                found.push((here, *heap));
            }
        }
        let inside = Formula::or(found.iter().map(|(here, _)| here.clone()));
        self.fault_where(inside.negated(), NO_SUCH_HEAP, at);
        Ok(found)
    }

    /// The constant that an expression is.
    pub fn constant_of(&mut self, num: &Expr<Num>) -> Read<i64> {
        let cases = self.number(num)?;
        let constant = match cases.as_slice() {
            [case] => D::as_constant(&case.value),
            _ => None,
        };
        constant.ok_or_else(|| {
            let what = "a base, modulus or place that changes with the position";
            Unsupported::new(what, num.span)
        })
    }

    fn binary(
        &mut self,
        operator: Arithmetic,
        left: &Cases<D>,
        right: &Cases<D>,
        at: Span,
    ) -> Read<Cases<D>> {
        both(left, right, at, |left, right| {
            let value = match operator {
                Arithmetic::Add => D::plus(left, right),
                Arithmetic::Subtract => D::minus(left, right),
                Arithmetic::Multiply => match (D::as_constant(left), D::as_constant(right)) {
                    (Some(factor), _) => D::times(right, factor),
                    (_, Some(factor)) => D::times(left, factor),
                    (None, None) => return Ok(certain(D::product(self, left, right, at)?)),
                },
                Arithmetic::Divide => return D::quotient(self, left, right, at),
                Arithmetic::Modulo => return D::remainder(self, left, right, at),
                Arithmetic::NimSum => {
                    let items = [left, right].map(|value| super::Item {
                        present: Formula::TRUE,
                        value: certain(value.clone()),
                    });
                    return D::nim_sum(self, &items, at);
                }
            };
            Ok(certain(value.ok_or_else(|| numbers_too_large(at))?))
        })
    }
}

const DIGITS: &str = "digits are of whole numbers";
