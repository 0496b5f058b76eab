//! Lists, sets, and what is made of all members of a list.

use super::{
    ALWAYS, Case, Cases, NEVER, Read, Reader, Said, both, certain, compared, merged, ordered,
};
use crate::expr::{Fold, List, Order, Set};
use crate::prove::outside::Leaves;
use crate::prove::real::formula::Formula;
use crate::prove::real::number::{Polynomial, whole};

/// A member of a list: it is there where `present` holds.
#[derive(Debug, Clone)]
pub struct Item {
    pub present: Said,
    pub value: Cases,
}

impl Reader<'_> {
    pub fn items(&mut self, list: &List) -> Read<Vec<Item>> {
        let sure = |values: Vec<Polynomial>| {
            let items = values.into_iter().map(|value| Item {
                present: ALWAYS,
                value: certain(value),
            });
            Ok(items.collect::<Vec<Item>>())
        };
        match list {
            List::Heaps(heaps) => sure(
                heaps
                    .iter()
                    .map(|h| self.heaps[h.index()].clone())
                    .collect(),
            ),
            List::Bag(_) => Err(Leaves::new("heaps", "the number of heaps is not fixed")),
            List::Items(items) => items
                .iter()
                .map(|item| {
                    Ok(Item {
                        present: ALWAYS,
                        value: self.number(item)?,
                    })
                })
                .collect(),
            // Whoever asks for a list asks for its members in any order.
            List::Sorted(inner) => self.items(inner),
            List::Picked(pick) => {
                let heaps = self.picks.get(pick).cloned().unwrap_or_default();
                sure(
                    heaps
                        .iter()
                        .map(|h| self.heaps[h.index()].clone())
                        .collect(),
                )
            }
            List::Amounts => sure(self.amounts.clone()),
            List::Members(set) => self.members(set),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut items = Vec::new();
                for member in self.members(over)? {
                    let mut cases = Vec::new();
                    for case in member.value {
                        let there = Formula::and([member.present.clone(), case.guard]);
                        let (kept, value) = self.where_holds(there.clone(), |r| {
                            r.where_is(*slot, case.value, |r| {
                                let kept = match condition {
                                    Some(condition) => r.condition(condition)?,
                                    None => ALWAYS,
                                };
                                let value = r.where_holds(kept.clone(), |r| r.number(value))?;
                                Ok::<_, Leaves>((kept, value))
                            })
                        })?;
                        cases.push(Item {
                            present: Formula::and([there, kept]),
                            value,
                        });
                    }
                    items.extend(one_item(cases));
                }
                Ok(items)
            }
        }
    }

    /// The members of a set, one by one.
    pub fn members(&mut self, set: &Set) -> Read<Vec<Item>> {
        match set {
            Set::List(list) => self.items(list),
            Set::Items(items) => self.items(&List::Items(items.clone())),
            Set::Range(..) => Err(Leaves::new("..", "a range is of whole numbers")),
            Set::Squares => Err(Leaves::new("squares", "they are whole numbers")),
            Set::Powers(_) => Err(Leaves::new("powers", "they are whole numbers")),
        }
    }

    /// Is the number a member of the set?
    pub fn belongs(&mut self, number: &Cases, set: &Set) -> Read<Said> {
        let mut any = Vec::new();
        for item in self.members(set)? {
            let equal = ordered(number, Order::Equal, &item.value);
            any.push(Formula::and([item.present, equal]));
        }
        Ok(Formula::or(any))
    }

    pub(super) fn folded(&mut self, fold: Fold, items: &[Item]) -> Read<Cases> {
        match fold {
            Fold::Sum | Fold::Count => {
                let nothing = Polynomial::constant(whole(0));
                let mut sum = certain(nothing.clone());
                for item in items {
                    let value = match fold {
                        Fold::Count => certain(Polynomial::constant(whole(1))),
                        _ => item.value.clone(),
                    };
                    let mut value: Cases = super::guarded(value, &item.present).collect();
                    value.push(Case {
                        guard: item.present.negated(),
                        value: nothing.clone(),
                    });
                    sum = both(&sum, &merged(value)?, |sum, value| Ok(sum.plus(value)))?;
                }
                Ok(sum)
            }
            Fold::Max | Fold::Min => {
                let some = Formula::or(items.iter().map(|item| item.present.clone()));
                self.fault_where(some.negated());
                let order = |one: &Polynomial, other: &Polynomial| match fold {
                    Fold::Max => compared(other, Order::AtMost, one),
                    _ => compared(one, Order::AtMost, other),
                };
                let mut cases = Vec::new();
                for (place, item) in items.iter().enumerate() {
                    for case in &item.value {
                        let mut guard = vec![item.present.clone(), case.guard.clone()];
                        for (other, rival) in items.iter().enumerate() {
                            if other == place {
                                continue;
                            }
                            let beaten = rival.value.iter().map(|rival| {
                                Formula::and([
                                    rival.guard.clone(),
                                    order(&case.value, &rival.value),
                                ])
                            });
                            guard.push(Formula::or(beaten.chain([rival.present.negated()])));
                        }
                        let guard = Formula::and(guard);
                        if guard != NEVER {
                            cases.push(Case {
                                guard,
                                value: case.value.clone(),
                            });
                        }
                    }
                }
                merged(cases)
            }
            Fold::Xor => Err(Leaves::new(
                "xor",
                "it is for whole numbers, and the heaps are of real size",
            )),
        }
    }
}

/// One item that is present in some of the cases of its member. Several of them
/// may hold at once, and then agree: the member is gathered once.
fn one_item(cases: Vec<Item>) -> Option<Item> {
    if cases.len() < 2 {
        return cases.into_iter().next();
    }
    let present = Formula::or(cases.iter().map(|item| item.present.clone()));
    let value = cases.into_iter().flat_map(|item| {
        let there = item.present;
        item.value.into_iter().map(move |case| Case {
            guard: Formula::and([there.clone(), case.guard]),
            ..case
        })
    });
    Some(Item {
        value: value.collect(),
        present,
    })
}
