//! What a condition says of the number taken, worked out beforehand.
//!
//! A comparison in which the number taken is multiplied and added to by what it
//! does not change is solved for it, and becomes a bound; a condition that only
//! a few numbers can meet becomes those numbers. So nothing is tried in vain.

use super::Numbers;
use super::plan::{Plan, numbers};
use nimrule_model::expr::solve::{Unknown, solve_equation, solve_for};
use nimrule_model::expr::{Bool, Expr, List, Num, Order, Part, Quantifier, Set, Slot};

/// Conditions that more numbers may meet are judged number by number.
const FEW: usize = 32;

/// Turns an upper bound on the number taken from every heap into a bound.
pub fn narrows_each(plan: &mut Plan, slot: Slot, each: &Bool) -> bool {
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

/// Turns a condition on the number taken into bounds, if it says no more.
pub fn narrows(plan: &mut Plan, condition: &Bool) -> bool {
    match solve_for(condition, plan.amount()) {
        Some(solution) if solution.is_exact => {
            plan.at_least.extend(solution.at_least);
            plan.at_most.extend(solution.at_most);
            true
        }
        _ => false,
    }
}

/// Turns a condition that only a few numbers can meet into those numbers, where
/// they are taken from one heap; says whether it is met by all of them.
pub fn narrows_to_few(plan: &mut Plan, condition: &Bool) -> bool {
    if !matches!(plan.numbers, Numbers::Any) {
        return false;
    }
    let amount = plan.amount();
    if let Bool::In(num, set) = condition
        && amount.is(num)
        && !amount.is_read_by(Part::Set(set))
    {
        plan.try_few(numbers(Some(set)));
        return true;
    }
    let Some(few) = Few::of(condition, amount) else {
        return false;
    };
    // Nothing is no number to take.
    let items = few.numbers.into_iter().map(|(number, guard)| match guard {
        Some(guard) => Num::If(
            Box::new(guard),
            Box::new(number),
            Box::new(Num::Const(0).into()),
        )
        .into(),
        None => number,
    });
    plan.try_few(numbers(Some(&Set::Items(items.collect()).into())));
    few.all_meet_it
}

/// The only numbers that can meet a condition, each where its guard holds.
struct Few {
    numbers: Vec<(Expr<Num>, Option<Expr<Bool>>)>,
    all_meet_it: bool,
}

impl Few {
    fn of(condition: &Bool, amount: Unknown) -> Option<Few> {
        match condition {
            Bool::Compare(Order::Equal, left, right) => {
                let (number, guard) = solve_equation(left, right, amount)?;
                Some(Few {
                    numbers: vec![(number, guard)],
                    all_meet_it: true,
                })
            }
            Bool::In(num, set) => {
                let equal = |item| Bool::Compare(Order::Equal, num.clone(), item).into();
                Few::of_any(members(set)?.into_iter().map(equal), amount)
            }
            Bool::Or(parts) => Few::of_any(parts.iter().cloned(), amount),
            Bool::And(parts) => {
                let few = |part: &Expr<Bool>| Few::of(part, amount);
                let (place, mut few) = (0..)
                    .zip(parts)
                    .find_map(|(place, part)| Some((place, few(part)?)))?;
                let mut others = parts.clone();
                others.remove(place);
                for other in others {
                    if amount.is_read_by(Part::Bool(&other)) {
                        few.all_meet_it = false;
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
                Few::of_any(
                    members.map(|member| of_member(body, *slot, &member)),
                    amount,
                )
            }
            _ => None,
        }
    }

    /// Those that meet any of the conditions.
    fn of_any(conditions: impl Iterator<Item = Expr<Bool>>, amount: Unknown) -> Option<Few> {
        let mut any = Few {
            numbers: Vec::new(),
            all_meet_it: true,
        };
        for condition in conditions {
            let few = Few::of(&condition, amount)?;
            any.all_meet_it &= few.all_meet_it;
            any.numbers.extend(few.numbers);
            if any.numbers.len() > FEW {
                return None;
            }
        }
        Some(any)
    }
}

/// What a condition says where a slot stands for a member.
fn of_member(body: &Expr<Bool>, slot: Slot, member: &Num) -> Expr<Bool> {
    let mut body = body.clone();
    body.replace(&mut |num, _| {
        matches!(num, Num::Local(other) if *other == slot).then(|| member.clone())
    });
    body
}

/// The same condition, where quantifiers over members that are written out are
/// taken apart, up to so many cases of what they say.
pub fn apart(condition: &Expr<Bool>, most: usize) -> Expr<Bool> {
    let all = |parts: &[Expr<Bool>]| parts.iter().map(|part| apart(part, most)).collect();
    let boxed = |part: &Expr<Bool>| Box::new(apart(part, most));
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
                let parts = parts.map(|member| apart(&of_member(body, *slot, member), most));
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

/// The members of a set that is written out, one by one.
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
