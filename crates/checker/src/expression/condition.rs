//! Conditions.

use super::{Path, Read, Reader};
use crate::atom::Linear;
use nimrule_model::expr::{Bool, Expr, Order, Quantifier, Set, Slot};
use nimrule_model::source::Span;

impl Reader<'_> {
    /// The paths on which a condition holds, or does not.
    pub fn condition(
        &mut self,
        path: Path,
        condition: &Expr<Bool>,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let span = condition.span;
        let mut found = Vec::new();
        match &condition.node {
            Bool::Const(value) => found.extend(Some(path).filter(|_| *value == holds)),
            Bool::Not(inner) => return self.condition(path, inner, !holds),
            Bool::Compare(order, left, right) => {
                for (path, left) in self.number(path, left)? {
                    for (path, right) in self.number(path, right)? {
                        found.extend(path.compare(&left, *order, &right, holds, span)?);
                    }
                }
            }
            Bool::In(num, set) => {
                for (path, number) in self.number(path, num)? {
                    found.extend(self.belongs(path, &number, set, holds)?);
                }
            }
            Bool::And(parts) | Bool::Or(parts) => {
                let all = matches!(condition.node, Bool::And(_));
                let asked = parts.iter().map(|part| (None, part));
                return self.in_turn(path, asked, all, holds, span);
            }
            Bool::If(condition, then, otherwise) => {
                for (way, part) in [(true, then), (false, otherwise)] {
                    for path in self.condition(path.clone(), condition, way)? {
                        found.extend(self.condition(path, part, holds)?);
                    }
                }
            }
            Bool::Let(slot, value, body) => {
                for (mut path, value) in self.number(path, value)? {
                    path.locals.insert(*slot, value);
                    found.extend(self.condition(path, body, holds)?);
                }
            }
            Bool::Each(slot, body) => {
                let amounts = path.amounts.clone();
                let asked = amounts
                    .into_iter()
                    .map(|amount| (Some((*slot, amount)), &**body));
                return self.in_turn(path, asked, true, holds, span);
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let all = *quantifier == Quantifier::Forall;
                // One member is enough, however many there are.
                if all != holds && matches!(set.node, Set::Range(_, Some(_))) {
                    for (mut path, member) in self.some_member(path, set)? {
                        path.locals.insert(*slot, member);
                        found.extend(self.condition(path, body, holds)?);
                    }
                    return Self::few(found, span);
                }
                for (path, members) in self.members(path, set)? {
                    let asked = members
                        .into_iter()
                        .map(|member| (Some((*slot, member)), &**body));
                    found.extend(self.in_turn(path, asked, all, holds, span)?);
                }
            }
            Bool::Distinct(list) => {
                for (path, list) in self.list(path, list)? {
                    let mut open = Some(path);
                    for (place, one) in list.iter().enumerate() {
                        for other in &list[..place] {
                            let Some(path) = open.take() else { break };
                            let same =
                                path.clone().compare(one, Order::Equal, other, true, span)?;
                            found.extend(same.filter(|_| !holds));
                            open = path.compare(one, Order::Equal, other, false, span)?;
                        }
                    }
                    found.extend(open.filter(|_| holds));
                }
            }
            Bool::Same(one, other) => {
                let same = path.picks.get(one) == path.picks.get(other);
                found.extend(Some(path).filter(|_| same == holds));
            }
            Bool::Like(like) => return self.like(path, like, holds, span),
        }
        Self::few(found, span)
    }

    /// Conditions asked one after another, until one does not hold, or, unless
    /// all of them must, until one holds.
    fn in_turn<'c>(
        &mut self,
        path: Path,
        asked: impl Iterator<Item = (Option<(Slot, Linear)>, &'c Expr<Bool>)>,
        all: bool,
        holds: bool,
        span: Span,
    ) -> Read<Vec<Path>> {
        // What decides alone need not wait for the others, unless they keep a
        // fault from it.
        let asked: Vec<_> = asked.collect();
        let before = self.faults.len();
        for with_guards in [false, true] {
            let mut found = Vec::new();
            let mut open = vec![path.clone()];
            for (bound, condition) in &asked {
                let mut next = Vec::new();
                for mut path in open {
                    if let Some((slot, value)) = bound {
                        path.locals.insert(*slot, value.clone());
                    }
                    if all != holds {
                        found.extend(self.condition(path.clone(), condition, holds)?);
                    }
                    if all == holds || with_guards {
                        next.extend(self.condition(path, condition, all)?);
                    } else {
                        next.push(path);
                    }
                }
                open = Self::few(next, span)?;
            }
            if all == holds {
                return Ok(open);
            }
            if with_guards || self.faults.len() == before {
                return Self::few(found, span);
            }
            self.faults.truncate(before);
        }
        Ok(Vec::new())
    }
}
