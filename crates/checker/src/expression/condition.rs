//! The paths of conditions.

use super::{Path, Read, Reader, unsupported};
use crate::atom::Linear;
use nimrule_model::expr::{Bool, Expr, Order, Quantifier, Set, Slot};
use nimrule_model::source::Span;

impl Reader<'_> {
    /// The paths on which a condition holds, or, if `holds` is false, does not
    /// hold.
    pub fn condition(
        &mut self,
        path: Path,
        condition: &Expr<Bool>,
        holds: bool,
    ) -> Read<Vec<Path>> {
        let span = condition.span;
        self.count(span)?;
        let mut found = Vec::new();
        match &condition.node {
            Bool::Const(value) => found.extend(Some(path).filter(|_| *value == holds)),
            Bool::Not(inner) => return self.condition(path, inner, !holds),
            Bool::Compare(order, left, right) => {
                for (path, left, right) in self.sides(path, left, right)? {
                    found.extend(path.compare(&left, *order, &right, holds, span)?);
                }
            }
            Bool::In(num, set) => {
                for (path, number) in self.number(path, num)? {
                    found.extend(self.belongs(path, &number, set, holds)?);
                }
            }
            Bool::And(parts) | Bool::Or(parts) => {
                let all = matches!(condition.node, Bool::And(_));
                let parts = parts.iter().map(|part| (None, part));
                return self.short_circuit(path, parts, all, holds, span);
            }
            Bool::If(condition, then, otherwise) => {
                for (outcome, part) in [(true, then), (false, otherwise)] {
                    for path in self.condition(path.clone(), condition, outcome)? {
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
                let parts = amounts
                    .into_iter()
                    .map(|amount| (Some((*slot, amount)), &**body));
                return self.short_circuit(path, parts, true, holds, span);
            }
            Bool::Quantified {
                quantifier,
                slot,
                set,
                body,
            } => {
                let all = *quantifier == Quantifier::Forall;
                // One member decides the quantifier: it becomes an existential
                // variable.
                if all != holds && matches!(set.node, Set::Range(_, Some(_))) {
                    for (mut path, member) in self.some_member(path, set)? {
                        path.locals.insert(*slot, member);
                        found.extend(self.condition(path, body, holds)?);
                    }
                    return Self::limited(found, span);
                }
                for (path, members) in self.members(path, set)? {
                    let parts = members
                        .into_iter()
                        .map(|member| (Some((*slot, member)), &**body));
                    found.extend(self.short_circuit(path, parts, all, holds, span)?);
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
            Bool::Joined(_) => return unsupported("`joined`", span),
        }
        Self::limited(found, span)
    }

    /// Short-circuit evaluation of a conjunction (`all`) or disjunction (not
    /// `all`) of conditions. A condition may have a binding of its own, as the
    /// members of a quantifier have.
    fn short_circuit<'c>(
        &mut self,
        path: Path,
        parts: impl Iterator<Item = (Option<(Slot, Linear)>, &'c Expr<Bool>)>,
        all: bool,
        holds: bool,
        span: Span,
    ) -> Read<Vec<Path>> {
        // If one part alone decides the result, the outcomes of the parts before
        // it matter only as guards against faults. The first round leaves these
        // guards out; the second round adds them if a fault was recorded.
        let parts: Vec<_> = parts.collect();
        let before = self.faults.len();
        for with_guards in [false, true] {
            let mut found = Vec::new();
            let mut open = vec![path.clone()];
            for (bound, condition) in &parts {
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
                open = Self::limited(next, span)?;
            }
            if all == holds {
                return Ok(open);
            }
            if with_guards || self.faults.len() == before {
                return Self::limited(found, span);
            }
            self.faults.truncate(before);
        }
        Ok(Vec::new())
    }
}
