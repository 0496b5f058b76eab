//! Conditions.

use super::list::Item;
use super::{Cases, Meaning, Read, compared, in_some_case};
use crate::expr::{Bool, Fold, Num, Order, Quantifier};
use crate::prove::formula::{FALSE, Formula, TRUE};

impl Meaning<'_> {
    /// Where a condition holds.
    pub fn condition(&mut self, condition: &Bool) -> Read<Formula> {
        match condition {
            Bool::Const(value) => Ok(Formula::Const(*value)),
            Bool::Compare(order, left, right) => self.comparison(*order, left, right),
            Bool::In(num, set) => {
                let number = self.number(num)?;
                self.belongs(&number, set)
            }
            // What stands behind is looked at only where what stands before
            // does not settle it.
            Bool::And(all) => {
                let before = self.path.len();
                let mut parts = Vec::new();
                let mut trouble = None;
                for one in all {
                    match self.condition(one) {
                        Ok(FALSE) => {
                            self.path.truncate(before);
                            return Ok(FALSE);
                        }
                        Ok(part) => {
                            self.path.push(part.clone());
                            parts.push(part);
                        }
                        Err(leaves) => trouble = trouble.or(Some(leaves)),
                    }
                }
                self.path.truncate(before);
                trouble.map_or(Ok(Formula::and(parts)), Err)
            }
            Bool::Or(any) => {
                let before = self.path.len();
                let mut parts = Vec::new();
                for one in any {
                    let part = self.condition(one);
                    if part.is_err() {
                        self.path.truncate(before);
                    }
                    let part = part?;
                    self.path.push(part.clone().negated());
                    parts.push(part);
                }
                self.path.truncate(before);
                Ok(Formula::or(parts))
            }
            Bool::Not(inner) => Ok(self.condition(inner)?.negated()),
            Bool::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                if let Formula::Const(value) = condition {
                    return self.condition(if value { then } else { otherwise });
                }
                let not = condition.clone().negated();
                let then = self.where_holds(condition.clone(), |m| m.condition(then))?;
                let otherwise = self.where_holds(not.clone(), |m| m.condition(otherwise))?;
                Ok(Formula::or([
                    Formula::and([condition, then]),
                    Formula::and([not, otherwise]),
                ]))
            }
            Bool::Let(slot, value, body) => {
                let mut any = Vec::new();
                for case in self.number(value)? {
                    let guard = case.guard.clone();
                    let here = self.where_holds(guard.clone(), |m| {
                        m.where_is(*slot, case.value.clone(), |m| m.condition(body))
                    })?;
                    any.push(Formula::exists(case.own, Formula::and([guard, here])));
                }
                Ok(Formula::or(any))
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let all = *quantifier == Quantifier::Forall;
                let found = self.some_member(set, *slot, &mut |m| {
                    let body = m.condition(body)?;
                    Ok(if all { body.negated() } else { body })
                })?;
                Ok(if all { found.negated() } else { found })
            }
            Bool::Each(slot, body) => {
                let mut all = Vec::new();
                for amount in self.amounts.clone() {
                    all.push(self.where_is(*slot, amount, |m| m.condition(body))?);
                }
                Ok(Formula::and(all))
            }
            Bool::Distinct(list) => {
                let items = self.items(list)?;
                let mut all = Vec::new();
                for (place, one) in items.iter().enumerate() {
                    for other in &items[place + 1..] {
                        let equal = self.orders(&one.value, Order::Equal, &other.value)?;
                        all.push(
                            Formula::and([one.present.clone(), other.present.clone(), equal])
                                .negated(),
                        );
                    }
                }
                Ok(Formula::and(all))
            }
            Bool::Same(left, right) => Ok(Formula::Const(
                self.picks.contains_key(left) && self.picks.get(left) == self.picks.get(right),
            )),
            Bool::Like(like) => self.like(like),
        }
    }

    fn comparison(&mut self, order: Order, left: &Num, right: &Num) -> Read<Formula> {
        // The largest of a list is below a bound if all are: that is said with
        // far less than which of them is the largest.
        let extreme = |num: &Num| match num {
            Num::Fold(fold @ (Fold::Max | Fold::Min), list) => Some((*fold, list.clone())),
            _ => None,
        };
        match (extreme(left), extreme(right)) {
            (Some((fold, list)), None) => {
                let items = self.items(&list)?;
                let right = self.number(right)?;
                self.extreme(fold, &items, order, false, &right)
            }
            (None, Some((fold, list))) => {
                let left = self.number(left)?;
                let items = self.items(&list)?;
                self.extreme(fold, &items, order, true, &left)
            }
            _ => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                self.orders(&left, order, &right)
            }
        }
    }

    /// How two numbers compare.
    pub(super) fn orders(&mut self, left: &Cases, order: Order, right: &Cases) -> Read<Formula> {
        in_some_case(left, |left| {
            in_some_case(right, |right| compared(left, order, right))
        })
    }

    /// How the largest or the smallest of some items compares with a number;
    /// `turned`, where the number stands on the left.
    fn extreme(
        &mut self,
        fold: Fold,
        items: &[Item],
        order: Order,
        turned: bool,
        other: &Cases,
    ) -> Read<Formula> {
        let some = Formula::or(items.iter().map(|item| item.present.clone()));
        self.fault_where(some.clone().negated());
        let items_hold = |m: &mut Self, order: Order, every: bool| -> Read<Formula> {
            let mut all = Vec::new();
            for item in items {
                let holds = if turned {
                    m.orders(other, order, &item.value)?
                } else {
                    m.orders(&item.value, order, other)?
                };
                all.push(if every {
                    Formula::or([item.present.clone().negated(), holds])
                } else {
                    Formula::and([item.present.clone(), holds])
                });
            }
            Ok(if every {
                Formula::and(all)
            } else {
                Formula::or(all)
            })
        };
        let formula = match order {
            Order::Equal | Order::NotEqual => {
                // Every item keeps to the side of the extreme, and one meets it.
                let bounded = match (fold, turned) {
                    (Fold::Max, false) | (Fold::Min, true) => {
                        items_hold(self, Order::AtMost, true)?
                    }
                    _ => {
                        // The items are at least the number.
                        let mut all = Vec::new();
                        for item in items {
                            let holds = if turned {
                                self.orders(&item.value, Order::AtMost, other)?
                            } else {
                                self.orders(other, Order::AtMost, &item.value)?
                            };
                            all.push(Formula::or([item.present.clone().negated(), holds]));
                        }
                        Formula::and(all)
                    }
                };
                let met = items_hold(self, Order::Equal, false)?;
                let equal = Formula::and([bounded, met]);
                if order == Order::Equal {
                    equal
                } else {
                    equal.negated()
                }
            }
            Order::Less | Order::AtMost => {
                let every = (fold == Fold::Max) != turned;
                items_hold(self, order, every)?
            }
        };
        // No items, no value.
        Ok(if some == TRUE {
            formula
        } else {
            Formula::and([some, formula])
        })
    }
}
