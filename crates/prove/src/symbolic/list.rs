//! Lists and sets.

use super::condition::EMPTY;
use super::{
    Atom, Case, Cases, Domain, Formula, FormulaOf, Interpreter, Read, both, certain, in_some_case,
    merged, numbers_too_large,
};
use crate::unsupported::Unsupported;
use nimrule_model::expr::{Expr, Fold, List, Num, Order, Set};
use nimrule_model::source::Span;

/// A member of a list: it is there where `present` holds.
#[derive(Debug, Clone)]
pub struct Item<D: Domain> {
    pub present: FormulaOf<D>,
    pub value: Cases<D>,
}

impl<D: Domain> Item<D> {
    fn present(value: Cases<D>) -> Item<D> {
        Item {
            present: Formula::TRUE,
            value,
        }
    }
}

/// Ranges of no more numbers than this are gone through one by one.
const MOST_LISTED: i64 = 64;

impl<D: Domain> Interpreter<'_, D> {
    pub fn items(&mut self, list: &Expr<List>) -> Read<Vec<Item<D>>> {
        let certainly = |values: Vec<D::Value>| {
            let items = values
                .into_iter()
                .map(|value| Item::present(certain(value)));
            Ok(items.collect())
        };
        match &list.node {
            List::Heaps(heaps) => certainly(heaps.iter().map(|heap| self.size(*heap)).collect()),
            List::Multiset(_) => Err(Unsupported::new(
                "the number of heaps is not fixed",
                list.span,
            )),
            List::Items(items) => self.written(items),
            // No operator on lists depends on the order of the members.
            List::Sorted(inner) => self.items(inner),
            List::Picked(pick) => {
                let heaps = self.picks.get(pick).cloned().unwrap_or_default();
                certainly(heaps.iter().map(|heap| self.size(*heap)).collect())
            }
            List::Amounts => certainly(self.amounts.clone()),
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
                        let (kept, gathered) = self.where_holds(there.clone(), |r| {
                            r.where_is(*slot, case.value, |r| {
                                let kept = match condition {
                                    Some(condition) => r.condition(condition)?,
                                    None => Formula::TRUE,
                                };
                                let gathered = r.where_holds(kept.clone(), |r| r.number(value))?;
                                Ok((kept, gathered))
                            })
                        })?;
                        let present = Formula::and([there, kept]);
                        cases.push(if case.own.is_empty() {
                            Item {
                                present,
                                value: gathered,
                            }
                        } else {
                            with_own(&case.own, present, gathered)
                        });
                    }
                    items.extend(one_item(cases));
                }
                Ok(items)
            }
        }
    }

    fn written(&mut self, items: &[Expr<Num>]) -> Read<Vec<Item<D>>> {
        items
            .iter()
            .map(|item| Ok(Item::present(self.number(item)?)))
            .collect()
    }

    /// The members of a set that can be gone through one by one.
    fn members(&mut self, set: &Expr<Set>) -> Read<Vec<Item<D>>> {
        match &set.node {
            Set::List(list) => self.items(list),
            Set::Items(items) => self.written(items),
            Set::Range(low, Some(high)) => {
                D::integers_only("a range is of whole numbers", set.span)?;
                match self.constants_between(low, high)? {
                    Some(range) => Ok(range
                        .map(|value| Item::present(certain(D::constant(value))))
                        .collect()),
                    None => Err(Unsupported::new(
                        "a list over a range whose ends change with the position, or are far apart",
                        set.span,
                    )),
                }
            }
            Set::Range(_, None) | Set::Powers(_) => {
                D::integers_only("its members are whole numbers", set.span)?;
                Err(Unsupported::new("a list over a set without end", set.span))
            }
            Set::Squares => Err(squares::<D>(set.span)),
        }
    }

    /// The range, where both ends are constants and near each other.
    fn constants_between(
        &mut self,
        low: &Expr<Num>,
        high: &Expr<Num>,
    ) -> Read<Option<std::ops::RangeInclusive<i64>>> {
        let (low, high) = (self.number(low)?, self.number(high)?);
        let constant = |cases: &Cases<D>| match cases.as_slice() {
            [case] => D::as_constant(&case.value),
            _ => None,
        };
        Ok(match (constant(&low), constant(&high)) {
            (Some(low), Some(high)) if high.saturating_sub(low) < MOST_LISTED => Some(low..=high),
            _ => None,
        })
    }

    /// Any member of a set, as cases: a number is a member if and only if it is
    /// the value of one of them, for some values of the case's own variables.
    pub fn any_member(&mut self, set: &Expr<Set>) -> Read<Cases<D>> {
        let at = set.span;
        match &set.node {
            Set::Items(_) | Set::List(_) => self.listed_members(set),
            Set::Range(low, high) => {
                D::integers_only("a range is of whole numbers", at)?;
                if let Some(high) = high
                    && self.constants_between(low, high)?.is_some()
                {
                    return self.listed_members(set);
                }
                let low = self.number(low)?;
                let high = match high {
                    Some(high) => Some(self.number(high)?),
                    None => None,
                };
                let mut cases = D::integers_from(self, &low, at)?;
                if let Some(high) = high {
                    for case in &mut cases {
                        let below = in_some_case(&high, |high| {
                            self.compared(&case.value, Order::AtMost, high, at)
                        })?;
                        let guard = std::mem::replace(&mut case.guard, Formula::TRUE);
                        case.guard = Formula::and([guard, below]);
                    }
                }
                cases.retain(|case| case.guard != Formula::FALSE);
                Ok(cases)
            }
            Set::Powers(base) => {
                D::integers_only("powers are whole numbers", at)?;
                let one = certain(D::constant(1));
                let mut cases = D::integers_from(self, &one, at)?;
                for case in &mut cases {
                    let number = certain(case.value.clone());
                    let guard = std::mem::replace(&mut case.guard, Formula::TRUE);
                    let power = D::is_power(self, &number, base, at)?;
                    case.guard = Formula::and([guard, power]);
                }
                Ok(cases)
            }
            Set::Squares => Err(squares::<D>(at)),
        }
    }

    fn listed_members(&mut self, set: &Expr<Set>) -> Read<Cases<D>> {
        let mut cases = Vec::new();
        for item in self.members(set)? {
            cases.extend(super::guarded(item.value, &item.present));
        }
        merged(cases, set.span)
    }

    /// The values of items, 0 where they are absent.
    pub fn values_or_nothing(&mut self, items: &[Item<D>], at: Span) -> Read<Vec<Cases<D>>> {
        items
            .iter()
            .map(|item| {
                if item.present == Formula::TRUE {
                    return Ok(item.value.clone());
                }
                let mut cases: Cases<D> =
                    super::guarded(item.value.clone(), &item.present).collect();
                cases.push(Case {
                    own: Vec::new(),
                    guard: item.present.clone().negated(),
                    value: D::constant(0),
                });
                merged(cases, at)
            })
            .collect()
    }

    pub(super) fn folded(&mut self, fold: Fold, items: &[Item<D>], at: Span) -> Read<Cases<D>> {
        match fold {
            Fold::Sum => {
                let mut sum = certain(D::constant(0));
                for value in self.values_or_nothing(items, at)? {
                    sum = both(&sum, &value, at, |sum, value| {
                        let sum = D::plus(sum, value).ok_or_else(|| numbers_too_large(at))?;
                        Ok(certain(sum))
                    })?;
                }
                Ok(sum)
            }
            Fold::Count => {
                let ones: Vec<Item<D>> = items
                    .iter()
                    .map(|item| Item {
                        present: item.present.clone(),
                        value: certain(D::constant(1)),
                    })
                    .collect();
                self.folded(Fold::Sum, &ones, at)
            }
            Fold::Xor => D::nim_sum(self, items, at),
            Fold::Max => self.extreme(items, true, at),
            Fold::Min => self.extreme(items, false, at),
        }
    }

    fn extreme(&mut self, items: &[Item<D>], largest: bool, at: Span) -> Read<Cases<D>> {
        let some = Formula::or(items.iter().map(|item| item.present.clone()));
        self.fault_where(some.negated(), EMPTY, at);
        let mut cases = Vec::new();
        for (place, item) in items.iter().enumerate() {
            for case in &item.value {
                let mut guard = vec![item.present.clone(), case.guard.clone()];
                for (other, rival) in items.iter().enumerate() {
                    if other == place {
                        continue;
                    }
                    let beaten = in_some_case(&rival.value, |rival| match largest {
                        true => self.compared(rival, Order::AtMost, &case.value, at),
                        false => self.compared(&case.value, Order::AtMost, rival, at),
                    })?;
                    guard.push(Formula::or([rival.present.clone().negated(), beaten]));
                }
                cases.push(Case {
                    own: case.own.clone(),
                    guard: Formula::and(guard),
                    value: case.value.clone(),
                });
            }
        }
        merged(cases, at)
    }

    /// Whether the number is a member of the set.
    pub fn belongs(&mut self, number: &Cases<D>, set: &Expr<Set>) -> Read<FormulaOf<D>> {
        let at = set.span;
        match &set.node {
            Set::Range(low, high) => {
                D::integers_only("a range is of whole numbers", at)?;
                let low = self.number(low)?;
                let mut inside = vec![self.ordered(&low, Order::AtMost, number, at)?];
                if let Some(high) = high {
                    let high = self.number(high)?;
                    inside.push(self.ordered(number, Order::AtMost, &high, at)?);
                }
                Ok(Formula::and(inside))
            }
            Set::Items(_) | Set::List(_) => {
                let mut any = Vec::new();
                for item in self.members(set)? {
                    let equal = self.ordered(number, Order::Equal, &item.value, at)?;
                    any.push(Formula::and([item.present, equal]));
                }
                Ok(Formula::or(any))
            }
            Set::Powers(base) => D::is_power(self, number, base, at),
            Set::Squares => Err(squares::<D>(at)),
        }
    }
}

/// An item whose presence may depend on variables of its own.
fn with_own<D: Domain>(
    own: &[<D::Atom as Atom>::Bound],
    present: FormulaOf<D>,
    value: Cases<D>,
) -> Item<D> {
    let value = value.into_iter().map(|case| Case {
        own: [own, case.own.as_slice()].concat(),
        guard: Formula::and([present.clone(), case.guard]),
        value: case.value,
    });
    Item {
        value: value.collect(),
        present: Formula::exists(own.to_vec(), present),
    }
}

/// One item that is present in some of the cases of its member. Several of them
/// may hold at once, and then agree: the member is gathered once.
fn one_item<D: Domain>(cases: Vec<Item<D>>) -> Option<Item<D>> {
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

fn squares<D: Domain>(at: Span) -> Unsupported {
    match D::integers_only("squares are whole numbers", at) {
        Err(unsupported) => unsupported,
        Ok(()) => Unsupported::new("no automaton recognises squares by their digits", at),
    }
}
