//! The members of lists and sets.

use super::{MAX_CASES, Path, Read, Reader, large, unsupported};
use crate::atom::{Atom, Linear, Place};
use nimrule_model::expr::{Expr, List, Num, Order, Set};

impl Reader<'_> {
    /// The members of a list in their order: the cases, each a path and the
    /// members on it.
    pub(super) fn list(&mut self, path: Path, list: &Expr<List>) -> Read<Vec<(Path, Vec<Linear>)>> {
        let one = |path: Path, list| Ok(vec![(path, list)]);
        match &list.node {
            List::Heaps(heaps) => {
                let sizes = path.sizes(heaps);
                one(path, sizes)
            }
            List::Picked(pick) => {
                let Some(heaps) = path.picks.get(pick) else {
                    return unsupported("a name that may be unbound", list.span);
                };
                let sizes = path.sizes(heaps);
                one(path, sizes)
            }
            List::Amounts => {
                let amounts = path.amounts.clone();
                one(path, amounts)
            }
            List::At { lists, index } => {
                let mut found = Vec::new();
                for (path, index_value) in self.number(path, index)? {
                    let place = index_value
                        .value()
                        .and_then(|i| usize::try_from(i - 1).ok());
                    let Some(heaps) = place.and_then(|place| lists.get(place)) else {
                        return unsupported(
                            "the heaps of a family by an index that depends on the position",
                            index.span,
                        );
                    };
                    let sizes = path.sizes(heaps);
                    found.push((path, sizes));
                }
                Ok(found)
            }
            List::Items(items) => self.items(path, items),
            List::Members(set) => self.members(path, set),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut found = Vec::new();
                for (path, members) in self.members(path, over)? {
                    let mut open = vec![(path, Vec::new())];
                    for member in members {
                        let mut next = Vec::new();
                        for (mut path, list) in open {
                            path.locals.insert(*slot, member.clone());
                            let inside = match condition {
                                Some(condition) => {
                                    let out = self.condition(path.clone(), condition, false)?;
                                    next.extend(out.into_iter().map(|path| (path, list.clone())));
                                    self.condition(path, condition, true)?
                                }
                                None => vec![path],
                            };
                            for path in inside {
                                for (path, value) in self.number(path, value)? {
                                    next.push((
                                        path,
                                        list.iter().cloned().chain([value]).collect(),
                                    ));
                                }
                            }
                        }
                        open = Self::limited(next, list.span)?;
                    }
                    found.extend(open);
                }
                Self::limited(found, list.span)
            }
            // No operation on a list depends on the order of its members.
            List::Sorted(inner) => self.list(path, inner),
            List::Multiset(_) => unsupported("a multiset of heaps", list.span),
        }
    }

    /// The values of several numbers: the cases, each a path and the values on
    /// it.
    pub(super) fn items(
        &mut self,
        path: Path,
        items: &[Expr<Num>],
    ) -> Read<Vec<(Path, Vec<Linear>)>> {
        let mut open = vec![(path, Vec::new())];
        for item in items {
            let mut next = Vec::new();
            for (path, list) in open {
                for (path, value) in self.number(path, item)? {
                    next.push((path, list.iter().cloned().chain([value]).collect()));
                }
            }
            open = Self::limited(next, item.span)?;
        }
        Ok(open)
    }

    /// The members of a finite set, which must not be a range whose ends depend
    /// on the position.
    pub(super) fn members(
        &mut self,
        path: Path,
        set: &Expr<Set>,
    ) -> Read<Vec<(Path, Vec<Linear>)>> {
        match &set.node {
            Set::Items(items) => self.items(path, items),
            Set::List(list) => self.list(path, list),
            Set::Range(low, Some(high)) => {
                let mut found = Vec::new();
                for (path, low, high) in self.pair(path, low, high)? {
                    let (Some(low), Some(high)) = (low.value(), high.value()) else {
                        return unsupported("a range that depends on the position", set.span);
                    };
                    if high - low > MAX_CASES as i64 {
                        return unsupported("this many members", set.span);
                    }
                    found.push((path, (low..=high).map(Linear::constant).collect()));
                }
                Ok(found)
            }
            _ => unsupported("an infinite set", set.span),
        }
    }

    /// A member of a set, chosen freely: the cases, each a path and the member,
    /// an integer that may be negative.
    pub fn some_member(&mut self, path: Path, set: &Expr<Set>) -> Read<Vec<(Path, Linear)>> {
        let mut found = Vec::new();
        match &set.node {
            Set::Range(low, high) => {
                for (path, low) in self.number(path, low)? {
                    let highs = match high {
                        Some(high) => {
                            let highs = self.number(path, high)?.into_iter();
                            highs.map(|(path, high)| (path, Some(high))).collect()
                        }
                        None => vec![(path, None)],
                    };
                    for (mut path, high) in highs {
                        // The low end plus a natural number.
                        let more = path.fresh();
                        let number = low.plus(1, &more).ok_or_else(|| large(set.span))?;
                        let path = match high {
                            Some(high) => {
                                path.compare(&number, Order::AtMost, &high, true, set.span)?
                            }
                            None => Some(path),
                        };
                        found.extend(path.map(|path| (path, number)));
                    }
                }
            }
            Set::Powers(_) => {
                let mut path = path;
                let number = path.fresh();
                let powers = self.belongs(path, &number, set, true)?;
                found.extend(powers.into_iter().map(|path| (path, number.clone())));
            }
            Set::Items(_) | Set::List(_) => {
                for (path, members) in self.members(path, set)? {
                    found.extend(members.into_iter().map(|member| (path.clone(), member)));
                }
            }
            Set::Named(named) => return unsupported(&format!("`{}`", named.word()), set.span),
        }
        Self::limited(found, set.span)
    }

    /// The paths on which a number belongs to a set, or, if `holds` is false,
    /// does not belong to it.
    pub fn belongs(
        &mut self,
        path: Path,
        number: &Linear,
        set: &Expr<Set>,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let span = set.span;
        let mut found = Vec::new();
        match &set.node {
            Set::Range(low, high) => {
                for (path, low) in self.number(path, low)? {
                    let below = path
                        .clone()
                        .compare(number, Order::Less, &low, true, span)?;
                    found.extend(below.filter(|_| !holds));
                    let Some(path) = path.compare(number, Order::Less, &low, false, span)? else {
                        continue;
                    };
                    let Some(high) = high else {
                        found.extend(Some(path).filter(|_| holds));
                        continue;
                    };
                    for (path, high) in self.number(path, high)? {
                        found.extend(path.compare(number, Order::AtMost, &high, holds, span)?);
                    }
                }
            }
            Set::Items(items) => {
                let mut open = vec![path];
                for item in items {
                    let mut next = Vec::new();
                    for path in open {
                        for (path, item) in self.number(path, item)? {
                            let is =
                                path.clone()
                                    .compare(number, Order::Equal, &item, true, span)?;
                            found.extend(is.filter(|_| holds));
                            next.extend(path.compare(number, Order::Equal, &item, false, span)?);
                        }
                    }
                    open = Self::limited(next, span)?;
                }
                if !holds {
                    found = open;
                }
            }
            Set::List(list) => {
                for (path, members) in self.list(path, list)? {
                    let mut open = Some(path);
                    for member in members {
                        let Some(path) = open else { break };
                        let is = path
                            .clone()
                            .compare(number, Order::Equal, &member, true, span)?;
                        found.extend(is.filter(|_| holds));
                        open = path.compare(number, Order::Equal, &member, false, span)?;
                    }
                    found.extend(open.filter(|_| !holds));
                }
            }
            Set::Powers(base) => {
                for (path, base) in self.number(path, base)? {
                    let Some(base) = base.value() else {
                        return unsupported("a base that depends on the position", span);
                    };
                    if base < 2 {
                        self.fault(Some(path));
                        continue;
                    }
                    let zero = Linear::default();
                    let below = path
                        .clone()
                        .compare(number, Order::Less, &zero, true, span)?;
                    found.extend(below.filter(|_| !holds));
                    let natural = path.compare(number, Order::Less, &zero, false, span)?;
                    if let Some(mut path) = natural {
                        let of = Self::track(&mut path, number).ok_or_else(|| large(span))?;
                        let place = Place(span);
                        found.extend(path.assume(Atom::Power {
                            base,
                            of,
                            holds,
                            place,
                        }));
                    }
                }
            }
            Set::Named(named) => return unsupported(&format!("`{}`", named.word()), span),
        }
        Self::limited(found, span)
    }
}
