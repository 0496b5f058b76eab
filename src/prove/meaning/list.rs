//! Lists and sets.

use super::{Case, Cases, Meaning, Read, both, certain, compared, in_some_case, merged, too_large};
use crate::automata::atoms::Sum;
use crate::expr::{Fold, HeapId, List, Num, Order, Set};
use crate::prove::formula::{FALSE, Formula, TRUE, as_constant, constant, never_negative, plus};
use crate::prove::outside::Leaves;

/// A member of a list: it is there where `present` holds.
#[derive(Debug, Clone)]
pub struct Item {
    pub present: Formula,
    pub value: Cases,
}

/// Ranges of no more numbers than this are gone through one by one.
const MOST_LISTED: i64 = 64;

impl Meaning<'_> {
    pub fn items(&mut self, list: &List) -> Read<Vec<Item>> {
        let of_sums = |sums: Vec<Sum>| {
            sums.into_iter()
                .map(|value| Item {
                    present: TRUE,
                    value: certain(value),
                })
                .collect::<Vec<Item>>()
        };
        let sizes =
            |heaps: &[HeapId], m: &Self| heaps.iter().map(|h| m.heaps[h.index()].clone()).collect();
        match list {
            List::Heaps(heaps) => Ok(of_sums(sizes(heaps, self))),
            List::Bag(_) => Err(Leaves::new("heaps", "the number of heaps is not fixed")),
            List::Items(items) => items
                .iter()
                .map(|item| {
                    Ok(Item {
                        present: TRUE,
                        value: self.number(item)?,
                    })
                })
                .collect(),
            // Whoever asks for a list asks for its members in any order.
            List::Sorted(inner) => self.items(inner),
            List::Picked(pick) => {
                let heaps = self.picks.get(pick).cloned().unwrap_or_default();
                Ok(of_sums(sizes(&heaps, self)))
            }
            List::Amounts => Ok(of_sums(self.amounts.clone())),
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
                        let there = Formula::and([member.present.clone(), case.guard.clone()]);
                        let (kept, gathered) = self.where_holds(there.clone(), |m| {
                            m.where_is(*slot, case.value.clone(), |m| {
                                let kept = match condition {
                                    Some(condition) => m.condition(condition)?,
                                    None => TRUE,
                                };
                                let gathered = m.where_holds(kept.clone(), |m| m.number(value))?;
                                Ok((kept, gathered))
                            })
                        })?;
                        let present = Formula::and([there, kept]);
                        cases.push(self.item(case.own, present, gathered));
                    }
                    items.extend(one_item(cases));
                }
                Ok(items)
            }
        }
    }

    /// An item whose presence may speak of numbers of its own.
    fn item(&mut self, own: Vec<crate::automata::Track>, present: Formula, value: Cases) -> Item {
        if own.is_empty() {
            return Item { present, value };
        }
        let with_own = value
            .into_iter()
            .map(|case| Case {
                own: [own.as_slice(), &case.own].concat(),
                guard: Formula::and([present.clone(), case.guard]),
                value: case.value,
            })
            .collect();
        Item {
            present: Formula::exists(own, present),
            value: with_own,
        }
    }

    /// The members of a set that can be gone through one by one.
    fn members(&mut self, set: &Set) -> Read<Vec<Item>> {
        match set {
            Set::List(list) => self.items(list),
            Set::Items(items) => self.items(&List::Items(items.clone())),
            Set::Range(low, Some(high)) => match self.range_of_constants(low, high)? {
                Some(range) => Ok(range
                    .map(|value| Item {
                        present: TRUE,
                        value: certain(constant(value)),
                    })
                    .collect()),
                None => Err(Leaves::new(
                    "..",
                    "a list over a range whose ends change with the position, or are far apart",
                )),
            },
            Set::Range(_, None) => Err(Leaves::new("..", "a list over a set without end")),
            Set::Squares => Err(squares()),
            Set::Powers(_) => Err(Leaves::new("powers", "a list over a set without end")),
        }
    }

    /// The range, where both ends are constants and near each other.
    fn range_of_constants(
        &mut self,
        low: &Num,
        high: &Num,
    ) -> Read<Option<std::ops::RangeInclusive<i64>>> {
        let (low, high) = (self.number(low)?, self.number(high)?);
        Ok(match (low.as_slice(), high.as_slice()) {
            ([low], [high]) => match (as_constant(&low.value), as_constant(&high.value)) {
                (Some(low), Some(high)) if high.saturating_sub(low) < MOST_LISTED => {
                    Some(low..=high)
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// The values of items, 0 where they are absent.
    pub(super) fn all_values(&mut self, items: &[Item]) -> Read<Vec<Cases>> {
        items
            .iter()
            .map(|item| {
                if item.present == TRUE {
                    return Ok(item.value.clone());
                }
                let mut cases: Cases = item
                    .value
                    .iter()
                    .map(|case| Case {
                        guard: Formula::and([item.present.clone(), case.guard.clone()]),
                        ..case.clone()
                    })
                    .collect();
                cases.push(Case {
                    own: Vec::new(),
                    guard: item.present.clone().negated(),
                    value: constant(0),
                });
                merged(cases)
            })
            .collect()
    }

    pub(super) fn folded(&mut self, fold: Fold, items: &[Item]) -> Read<Cases> {
        match fold {
            Fold::Sum => {
                let mut sum = certain(constant(0));
                for value in self.all_values(items)? {
                    sum = both(&sum, &value, |sum, value| {
                        Ok(certain(plus(sum, value).ok_or_else(too_large)?))
                    })?;
                }
                Ok(sum)
            }
            Fold::Count => {
                let ones: Vec<Item> = items
                    .iter()
                    .map(|item| Item {
                        present: item.present.clone(),
                        value: certain(constant(1)),
                    })
                    .collect();
                self.folded(Fold::Sum, &ones)
            }
            Fold::Xor => {
                let values = self.all_values(items)?;
                self.columns_of(2, 2, &values, "xor")
            }
            Fold::Max | Fold::Min => {
                self.fault_where(
                    Formula::or(items.iter().map(|item| item.present.clone())).negated(),
                );
                let order = |one: &Sum, other: &Sum| match fold {
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
                            let less = in_some_case(&rival.value, |v| order(&case.value, v))?;
                            let absent = rival.present.clone().negated();
                            guard.push(Formula::or([absent, less]));
                        }
                        cases.push(Case {
                            own: case.own.clone(),
                            guard: Formula::and(guard),
                            value: case.value.clone(),
                        });
                    }
                }
                merged(cases)
            }
        }
    }

    /// Is the number a member of the set?
    pub fn belongs(&mut self, number: &Cases, set: &Set) -> Read<Formula> {
        match set {
            Set::Range(low, high) => {
                let low = self.number(low)?;
                let mut inside = vec![self.orders(&low, Order::AtMost, number)?];
                if let Some(high) = high {
                    let high = self.number(high)?;
                    inside.push(self.orders(number, Order::AtMost, &high)?);
                }
                Ok(Formula::and(inside))
            }
            Set::Items(_) | Set::List(_) => {
                let mut any = Vec::new();
                for item in self.members(set)? {
                    let equal = self.orders(number, Order::Equal, &item.value)?;
                    any.push(Formula::and([item.present, equal]));
                }
                Ok(Formula::or(any))
            }
            Set::Powers(base) => {
                let base = self.constant_of(base, "powers")?;
                let of = self.own_base(base, "powers")?;
                let mut any = Vec::new();
                for case in number {
                    if let Some(value) = as_constant(&case.value) {
                        let is = value > 0 && crate::prove::eliminate::is_power(value, base);
                        any.push(Formula::and([case.guard.clone(), Formula::Const(is)]));
                        continue;
                    }
                    // A negative number is no power, and no fault.
                    let track = self.fresh();
                    let x = crate::prove::formula::variable(track);
                    any.push(Formula::exists(
                        case.own.iter().copied().chain([track]).collect(),
                        Formula::and([
                            case.guard.clone(),
                            compared(&x, Order::Equal, &case.value)?,
                            Formula::Power { of, x: track },
                        ]),
                    ));
                }
                Ok(Formula::or(any))
            }
            Set::Squares => Err(squares()),
        }
    }

    /// There is a member of the set for which this holds.
    pub fn some_member(
        &mut self,
        set: &Set,
        slot: crate::expr::Slot,
        holds: &mut dyn FnMut(&mut Self) -> Read<Formula>,
    ) -> Read<Formula> {
        let listed = match set {
            Set::Range(low, Some(high)) => self.range_of_constants(low, high)?.is_some(),
            Set::Items(_) | Set::List(_) => true,
            _ => false,
        };
        if listed {
            let mut any = Vec::new();
            for item in self.members(set)? {
                for case in item.value {
                    let there = Formula::and([item.present.clone(), case.guard.clone()]);
                    if there == FALSE {
                        continue;
                    }
                    let here = self.where_holds(there.clone(), |m| {
                        m.where_is(slot, case.value.clone(), |m| holds(m))
                    })?;
                    any.push(Formula::exists(case.own, Formula::and([there, here])));
                }
            }
            return Ok(Formula::or(any));
        }
        let natural = match set {
            Set::Range(low, _) => self
                .number(low)?
                .iter()
                .all(|case| never_negative(&case.value)),
            _ => true,
        };
        let mut any = Vec::new();
        for sign in if natural { &[1][..] } else { &[1, -1] } {
            let track = self.fresh();
            let x = Sum {
                terms: vec![(*sign, track)],
                ..Sum::default()
            };
            let inside = self.belongs(&certain(x.clone()), set)?;
            let here = self.where_holds(inside.clone(), |m| m.where_is(slot, x, |m| holds(m)))?;
            any.push(Formula::exists(vec![track], Formula::and([inside, here])));
        }
        Ok(Formula::or(any))
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

fn squares() -> Leaves {
    Leaves::new("squares", "squares are no matter of digits")
}
