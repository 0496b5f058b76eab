//! Conditions.

use super::list::Item;
use super::{Cases, Domain, Formula, FormulaOf, Interpreter, Read};
use nimrule_model::expr::{Bool, Expr, Fold, List, Num, Order, Quantifier};
use nimrule_model::source::Span;

impl<D: Domain> Interpreter<'_, D> {
    /// Where a condition holds.
    pub fn condition(&mut self, condition: &Expr<Bool>) -> Read<FormulaOf<D>> {
        let at = condition.span;
        match &condition.node {
            Bool::Const(value) => Ok(Formula::Const(*value)),
            Bool::Compare(order, left, right) => self.comparison(*order, left, right, at),
            Bool::In(num, set) => {
                let number = self.number(num)?;
                self.belongs(&number, set)
            }
            // A part is evaluated only where those before it do not settle the
            // whole.
            Bool::And(all) => self.connected(all, false),
            Bool::Or(any) => self.connected(any, true),
            Bool::Not(inner) => Ok(self.condition(inner)?.negated()),
            Bool::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                if let Formula::Const(value) = condition {
                    return self.condition(if value { then } else { otherwise });
                }
                let not = condition.clone().negated();
                let then = self.where_holds(condition.clone(), |r| r.condition(then))?;
                let otherwise = self.where_holds(not.clone(), |r| r.condition(otherwise))?;
                Ok(Formula::or([
                    Formula::and([condition, then]),
                    Formula::and([not, otherwise]),
                ]))
            }
            Bool::Let(slot, value, body) => {
                let mut any = Vec::new();
                for case in self.number(value)? {
                    let here = self.where_holds(case.guard.clone(), |r| {
                        r.where_is(*slot, case.value, |r| r.condition(body))
                    })?;
                    any.push(Formula::exists(case.own, Formula::and([case.guard, here])));
                }
                Ok(Formula::or(any))
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let mut any = Vec::new();
                for case in self.any_member(set)? {
                    let here = self.where_holds(case.guard.clone(), |r| {
                        r.where_is(*slot, case.value, |r| r.condition(body))
                    })?;
                    let here = match quantifier {
                        Quantifier::Exists => here,
                        Quantifier::Forall => here.negated(),
                    };
                    any.push(Formula::exists(case.own, Formula::and([case.guard, here])));
                }
                let found = Formula::or(any);
                Ok(match quantifier {
                    Quantifier::Exists => found,
                    Quantifier::Forall => found.negated(),
                })
            }
            Bool::Each(slot, body) => {
                let mut all = Vec::new();
                for amount in self.amounts.clone() {
                    all.push(self.where_is(*slot, amount, |r| r.condition(body))?);
                }
                Ok(Formula::and(all))
            }
            Bool::Distinct(list) => {
                let items = self.items(list)?;
                let mut all = Vec::new();
                for (place, one) in items.iter().enumerate() {
                    for other in &items[place + 1..] {
                        let equal = self.ordered(&one.value, Order::Equal, &other.value, at)?;
                        let present = [one.present.clone(), other.present.clone(), equal];
                        all.push(Formula::and(present).negated());
                    }
                }
                Ok(Formula::and(all))
            }
            Bool::Same(left, right) => Ok(Formula::Const(
                self.picks.contains_key(left) && self.picks.get(left) == self.picks.get(right),
            )),
            Bool::Like(like) => self.like(like, at),
        }
    }

    /// All of the conditions, or one of them where `any`.
    fn connected(&mut self, conditions: &[Expr<Bool>], any: bool) -> Read<FormulaOf<D>> {
        let before = self.path.len();
        let mut parts = Vec::with_capacity(conditions.len());
        for one in conditions {
            let part = match self.condition(one) {
                Ok(part) if part != Formula::Const(any) => part,
                settled => {
                    self.path.truncate(before);
                    return settled;
                }
            };
            let known = part.clone();
            self.path.push(if any { known.negated() } else { known });
            parts.push(part);
        }
        self.path.truncate(before);
        Ok(if any {
            Formula::or(parts)
        } else {
            Formula::and(parts)
        })
    }

    fn comparison(
        &mut self,
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        at: Span,
    ) -> Read<FormulaOf<D>> {
        // The largest of a list is below a bound if all are: a far shorter
        // formula than one that says which of them is the largest.
        match (extreme(left), extreme(right)) {
            (Some((extreme, list)), None) => {
                let items = self.items(list)?;
                let right = self.number(right)?;
                let compared = Compared {
                    extreme,
                    of: &items,
                    order,
                    reversed: false,
                    with: &right,
                };
                self.extreme_compared(&compared, left.span)
            }
            (None, Some((extreme, list))) => {
                let left = self.number(left)?;
                let items = self.items(list)?;
                let compared = Compared {
                    extreme,
                    of: &items,
                    order,
                    reversed: true,
                    with: &left,
                };
                self.extreme_compared(&compared, right.span)
            }
            (Some(_), Some(_)) | (None, None) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                self.ordered(&left, order, &right, at)
            }
        }
    }

    fn extreme_compared(&mut self, compared: &Compared<'_, D>, at: Span) -> Read<FormulaOf<D>> {
        let items = compared.of;
        let some = Formula::or(items.iter().map(|item| item.present.clone()));
        self.fault_where(some.clone().negated(), EMPTY, at);
        let formula = match compared.order {
            Order::Equal | Order::NotEqual => {
                // No item is beyond the number, and one equals it.
                let mut all = Vec::new();
                let mut any = Vec::new();
                for item in items {
                    let (left, right) = match compared.extreme {
                        Extreme::Largest => (&item.value, compared.with),
                        Extreme::Smallest => (compared.with, &item.value),
                    };
                    let bounded = self.ordered(left, Order::AtMost, right, at)?;
                    all.push(Formula::or([item.present.clone().negated(), bounded]));
                    let equal = self.ordered(&item.value, Order::Equal, compared.with, at)?;
                    any.push(Formula::and([item.present.clone(), equal]));
                }
                let equal = Formula::and([Formula::and(all), Formula::or(any)]);
                match compared.order {
                    Order::Equal => equal,
                    _ => equal.negated(),
                }
            }
            Order::Less | Order::AtMost => {
                let every = (compared.extreme == Extreme::Largest) != compared.reversed;
                let mut parts = Vec::new();
                for item in items {
                    let (left, right) = match compared.reversed {
                        false => (&item.value, compared.with),
                        true => (compared.with, &item.value),
                    };
                    let holds = self.ordered(left, compared.order, right, at)?;
                    parts.push(if every {
                        Formula::or([item.present.clone().negated(), holds])
                    } else {
                        Formula::and([item.present.clone(), holds])
                    });
                }
                if every {
                    Formula::and(parts)
                } else {
                    Formula::or(parts)
                }
            }
        };
        // Without items there is no value.
        Ok(Formula::and([some, formula]))
    }
}

/// Why `max` and `min` may have no value.
pub(super) const EMPTY: &str = "the list may be empty, and then has no largest or smallest number";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extreme {
    Largest,
    Smallest,
}

/// The largest or smallest of some items, compared with a number.
struct Compared<'c, D: Domain> {
    extreme: Extreme,
    of: &'c [Item<D>],
    order: Order,
    /// The number is on the left.
    reversed: bool,
    with: &'c Cases<D>,
}

fn extreme(num: &Num) -> Option<(Extreme, &Expr<List>)> {
    let Num::Fold(fold, list) = num else {
        return None;
    };
    match fold {
        Fold::Max => Some((Extreme::Largest, list)),
        Fold::Min => Some((Extreme::Smallest, list)),
        Fold::Sum | Fold::Xor | Fold::Count => None,
    }
}
