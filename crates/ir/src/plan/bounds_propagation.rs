//! Bounds propagation: conditions on the number taken, solved for that number
//! before the enumeration.
//!
//! A comparison that is linear in the number taken becomes a bound on it. A
//! condition with few solutions becomes the list of them.

use super::{Plan, numbers};
use crate::Numbers;
use nimrule_model::expr::solve::{Unknown, solve_equation, solve_for};
use nimrule_model::expr::{Bool, Expr, List, Num, Order, Part, Quantifier, Set, Slot};

/// The largest number of solutions that replace a condition.
const MOST_SOLUTIONS: usize = 32;

/// Adds the upper bound that a condition puts on the number taken from each
/// heap; returns whether the bound is equivalent to the condition.
pub fn add_each_bound(plan: &mut Plan, slot: Slot, each: &Bool) -> bool {
    if plan.amount().is_read_by(Part::Bool(each)) {
        return false;
    }
    match solve_for(each, Unknown::Local(slot)) {
        Some(solution) if solution.is_exact && solution.at_least.is_empty() => {
            plan.each_at_most.extend(solution.at_most);
            true
        }
        _ => false,
    }
}

/// Adds the bounds that a condition puts on the number taken; returns whether
/// they are equivalent to it.
pub fn add_bounds(plan: &mut Plan, condition: &Bool) -> bool {
    match solve_for(condition, plan.amount()) {
        Some(solution) if solution.is_exact => {
            plan.at_least.extend(solution.at_least);
            plan.at_most.extend(solution.at_most);
            true
        }
        _ => false,
    }
}

/// Replaces the numbers taken from one heap by the few solutions of a condition;
/// returns whether all of them satisfy it.
pub fn restrict_to_few(plan: &mut Plan, condition: &Bool) -> bool {
    if !matches!(plan.numbers, Numbers::Any) {
        return false;
    }
    let amount = plan.amount();
    if let Bool::In(num, set) = condition
        && amount.is(num)
        && !amount.is_read_by(Part::Set(set))
    {
        plan.set_few_numbers(numbers(Some(set)));
        return true;
    }
    let Some(few) = FewSolutions::of(condition, amount) else {
        return false;
    };
    // 0 is not an amount: it stands for a solution whose guard fails.
    let items = few.numbers.into_iter().map(|(number, guard)| match guard {
        Some(guard) => Num::If(
            Box::new(guard),
            Box::new(number),
            Box::new(Num::Const(0).into()),
        )
        .into(),
        None => number,
    });
    plan.set_few_numbers(numbers(Some(&Set::Items(items.collect()).into())));
    few.is_exact
}

/// A finite superset of the solutions of a condition, each with a guard.
struct FewSolutions {
    numbers: Vec<(Expr<Num>, Option<Expr<Bool>>)>,
    is_exact: bool,
}

impl FewSolutions {
    fn of(condition: &Bool, amount: Unknown) -> Option<FewSolutions> {
        match condition {
            Bool::Compare(Order::Equal, left, right) => {
                let (number, guard) = solve_equation(left, right, amount)?;
                Some(FewSolutions {
                    numbers: vec![(number, guard)],
                    is_exact: true,
                })
            }
            Bool::In(num, set) => {
                let equal = |item| Bool::Compare(Order::Equal, num.clone(), item).into();
                FewSolutions::of_any(members(set)?.into_iter().map(equal), amount)
            }
            Bool::Or(parts) => FewSolutions::of_any(parts.iter().cloned(), amount),
            Bool::And(parts) => {
                let few = |part: &Expr<Bool>| FewSolutions::of(part, amount);
                let (place, mut few) = (0..)
                    .zip(parts)
                    .find_map(|(place, part)| Some((place, few(part)?)))?;
                let mut others = parts.clone();
                others.remove(place);
                for other in others {
                    if amount.is_read_by(Part::Bool(&other)) {
                        few.is_exact = false;
                        continue;
                    }
                    for (_, guard) in &mut few.numbers {
                        let other = other.clone();
                        *guard = Some(match guard.take() {
                            Some(guard) => Bool::And(vec![guard, other]).into(),
                            None => other,
                        });
                    }
                }
                Some(few)
            }
            Bool::Quantified {
                quantifier: Quantifier::Exists,
                slot,
                set,
                body,
            } => {
                let members = members(set)?.into_iter();
                FewSolutions::of_any(
                    members.map(|member| substitute(body, *slot, &member)),
                    amount,
                )
            }
            _ => None,
        }
    }

    /// The union of the solutions of several conditions.
    fn of_any(
        conditions: impl Iterator<Item = Expr<Bool>>,
        amount: Unknown,
    ) -> Option<FewSolutions> {
        let mut any = FewSolutions {
            numbers: Vec::new(),
            is_exact: true,
        };
        for condition in conditions {
            let few = FewSolutions::of(&condition, amount)?;
            any.is_exact &= few.is_exact;
            any.numbers.extend(few.numbers);
            if any.numbers.len() > MOST_SOLUTIONS {
                return None;
            }
        }
        Some(any)
    }
}

/// The condition with a local replaced by a term.
fn substitute(body: &Expr<Bool>, slot: Slot, member: &Num) -> Expr<Bool> {
    let mut body = body.clone();
    body.replace(&mut |num, _| {
        matches!(num, Num::Local(other) if *other == slot).then(|| member.clone())
    });
    body
}

/// An equivalent condition in which quantifiers over listed sets are expanded to
/// conjunctions and disjunctions of at most `most` cases.
pub fn expand_quantifiers(condition: &Expr<Bool>, most: usize) -> Expr<Bool> {
    let all = |parts: &[Expr<Bool>]| {
        parts
            .iter()
            .map(|part| expand_quantifiers(part, most))
            .collect()
    };
    let boxed = |part: &Expr<Bool>| Box::new(expand_quantifiers(part, most));
    let node = match &condition.node {
        Bool::And(parts) => Bool::And(all(parts)),
        Bool::Or(parts) => Bool::Or(all(parts)),
        Bool::Not(inner) => Bool::Not(boxed(inner)),
        Bool::If(condition, then, otherwise) => {
            Bool::If(boxed(condition), boxed(then), boxed(otherwise))
        }
        Bool::Quantified {
            quantifier,
            slot,
            set,
            body,
        } => match members(set).filter(|members| members.len() <= most) {
            Some(members) => {
                let most = most / members.len().max(1);
                let parts = members.iter();
                let parts =
                    parts.map(|member| expand_quantifiers(&substitute(body, *slot, member), most));
                match quantifier {
                    Quantifier::Exists => Bool::Or(parts.collect()),
                    Quantifier::Forall => Bool::And(parts.collect()),
                }
            }
            None => return condition.clone(),
        },
        _ => return condition.clone(),
    };
    Expr::new(node, condition.span)
}

/// The members of a listed set.
fn members(set: &Set) -> Option<Vec<Expr<Num>>> {
    match set {
        Set::Items(items) => Some(items.clone()),
        Set::List(list) => match &list.node {
            List::Items(items) => Some(items.clone()),
            List::Heaps(heaps) => Some(heaps.iter().map(|heap| Num::Heap(*heap).into()).collect()),
            _ => None,
        },
        _ => None,
    }
}
