//! What a condition says of the number taken, worked out beforehand.
//!
//! A comparison in which the number taken is multiplied and added to by what it
//! does not change is solved for it, and becomes a bound; a condition that only
//! a few numbers can meet becomes those numbers. So nothing is tried in vain.

use super::Numbers;
use super::plan::{Plan, constant, numbers};
use crate::expr::{Arithmetic, Bool, Expr, List, Num, Order, Part, Quantifier, Set, Slot};

/// Conditions that more numbers may meet are judged number by number.
const FEW: usize = 32;

/// Turns an upper bound on the number taken from every heap into a bound.
pub fn narrows_each(plan: &mut Plan, slot: Slot, each: &Bool) -> bool {
    let Bool::Compare(order, left, right) = each else {
        return false;
    };
    let part = Part::Num(right);
    if left.local() != Some(slot) || part.reads_local(slot) || reads_amount(part, plan.bound) {
        return false;
    }
    match order {
        Order::AtMost => plan.each_at_most.push(right.clone()),
        Order::Less => plan
            .each_at_most
            .push(minus(right.clone(), Num::Const(1).into())),
        Order::Equal | Order::NotEqual => return false,
    }
    true
}

/// Turns a condition on the number taken into bounds or a set of numbers, if it
/// is one.
pub fn narrows(plan: &mut Plan, condition: &Bool) -> bool {
    match condition {
        Bool::In(num, set)
            if is_amount(num, plan.bound) && !reads_amount(Part::Set(set), plan.bound) =>
        {
            match &set.node {
                Set::Range(low, high) => {
                    plan.at_least.push(low.clone());
                    plan.at_most.extend(high.clone());
                    true
                }
                _ if matches!(plan.numbers, Numbers::Any) => {
                    plan.try_few(numbers(Some(set)));
                    true
                }
                _ => false,
            }
        }
        Bool::Compare(order, left, right) => {
            let Some(Solved {
                order,
                factor,
                apart,
            }) = Solved::of(*order, left, right, plan.bound)
            else {
                return false;
            };
            // factor * t >= apart
            let least = |apart: Expr<Num>| match factor {
                1 => apart,
                _ => plus(
                    divided(minus(apart, Num::Const(1).into()), factor),
                    Num::Const(1).into(),
                ),
            };
            match order {
                Sense::Equal => {
                    plan.at_least.push(least(apart.clone()));
                    plan.at_most.push(divided(apart, factor));
                }
                Sense::AtMost => plan.at_most.push(divided(apart, factor)),
                Sense::Less => {
                    let below = minus(apart, Num::Const(1).into());
                    plan.at_most.push(divided(below, factor));
                }
                Sense::AtLeast => plan.at_least.push(least(apart)),
                Sense::More => {
                    let above = plus(divided(apart, factor), Num::Const(1).into());
                    plan.at_least.push(above);
                }
            }
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
    let Some(few) = Few::of(condition, plan.bound) else {
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
    fn of(condition: &Bool, bound: Option<Slot>) -> Option<Few> {
        match condition {
            Bool::Compare(Order::Equal, left, right) => {
                let Solved { factor, apart, .. } = Solved::of(Order::Equal, left, right, bound)?;
                let guard = (factor != 1).then(|| {
                    let rest = binary(Arithmetic::Modulo, apart.clone(), Num::Const(factor).into());
                    Bool::Compare(Order::Equal, rest, Num::Const(0).into()).into()
                });
                Some(Few {
                    numbers: vec![(divided(apart, factor), guard)],
                    all_meet_it: true,
                })
            }
            Bool::In(num, set) => {
                let equal = |item| Bool::Compare(Order::Equal, num.clone(), item).into();
                Few::of_any(members(set)?.into_iter().map(equal), bound)
            }
            Bool::Or(parts) => Few::of_any(parts.iter().cloned(), bound),
            Bool::And(parts) => {
                let few = |part: &Expr<Bool>| Few::of(part, bound);
                let (place, mut few) = (0..)
                    .zip(parts)
                    .find_map(|(place, part)| Some((place, few(part)?)))?;
                let mut others = parts.clone();
                others.remove(place);
                for other in others {
                    if reads_amount(Part::Bool(&other), bound) {
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
                Few::of_any(members.map(|member| of_member(body, *slot, &member)), bound)
            }
            _ => None,
        }
    }

    /// Those that meet any of the conditions.
    fn of_any(conditions: impl Iterator<Item = Expr<Bool>>, bound: Option<Slot>) -> Option<Few> {
        let mut any = Few {
            numbers: Vec::new(),
            all_meet_it: true,
        };
        for condition in conditions {
            let few = Few::of(&condition, bound)?;
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

/// How a multiple of the number taken compares with what stands apart from it.
enum Sense {
    Equal,
    AtMost,
    Less,
    AtLeast,
    More,
}

/// A comparison, solved for a positive multiple of the number taken.
struct Solved {
    order: Sense,
    factor: i64,
    apart: Expr<Num>,
}

impl Solved {
    fn of(
        order: Order,
        left: &Expr<Num>,
        right: &Expr<Num>,
        bound: Option<Slot>,
    ) -> Option<Solved> {
        let (left, right) = (Linear::of(left, bound)?, Linear::of(right, bound)?);
        let factor = left.factor.checked_sub(right.factor)?;
        let (order, apart) = match order {
            Order::NotEqual => return None,
            Order::Equal if factor > 0 => (Sense::Equal, minus(right.rest, left.rest)),
            Order::AtMost if factor > 0 => (Sense::AtMost, minus(right.rest, left.rest)),
            Order::Less if factor > 0 => (Sense::Less, minus(right.rest, left.rest)),
            Order::Equal => (Sense::Equal, minus(left.rest, right.rest)),
            Order::AtMost => (Sense::AtLeast, minus(left.rest, right.rest)),
            Order::Less => (Sense::More, minus(left.rest, right.rest)),
        };
        let factor = factor.checked_abs().filter(|factor| *factor != 0)?;
        Some(Solved {
            order,
            factor,
            apart,
        })
    }
}

/// The number taken, `factor` times, and what is added to it.
struct Linear {
    factor: i64,
    rest: Expr<Num>,
}

impl Linear {
    fn of(num: &Expr<Num>, bound: Option<Slot>) -> Option<Linear> {
        if is_amount(num, bound) {
            let rest = Num::Const(0).into();
            return Some(Linear { factor: 1, rest });
        }
        if !reads_amount(Part::Num(num), bound) {
            let rest = num.clone();
            return Some(Linear { factor: 0, rest });
        }
        match &num.node {
            Num::Negate(inner) => Linear::of(inner, bound)?.times(-1),
            Num::Binary(operator, left, right) => {
                let (left, right) = (Linear::of(left, bound)?, Linear::of(right, bound)?);
                match operator {
                    Arithmetic::Add => Some(Linear {
                        factor: left.factor.checked_add(right.factor)?,
                        rest: plus(left.rest, right.rest),
                    }),
                    Arithmetic::Subtract => Some(Linear {
                        factor: left.factor.checked_sub(right.factor)?,
                        rest: minus(left.rest, right.rest),
                    }),
                    Arithmetic::Multiply => match (left.constant(), right.constant()) {
                        (Some(factor), _) => right.times(factor),
                        (_, Some(factor)) => left.times(factor),
                        _ => None,
                    },
                    Arithmetic::Divide | Arithmetic::Modulo | Arithmetic::NimSum => None,
                }
            }
            _ => None,
        }
    }

    fn constant(&self) -> Option<i64> {
        constant(&self.rest).filter(|_| self.factor == 0)
    }

    fn times(self, by: i64) -> Option<Linear> {
        Some(Linear {
            factor: self.factor.checked_mul(by)?,
            rest: match constant(&self.rest) {
                Some(rest) => Num::Const(rest.checked_mul(by)?).into(),
                None => binary(Arithmetic::Multiply, Num::Const(by).into(), self.rest),
            },
        })
    }
}

fn binary(operator: Arithmetic, left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    Num::Binary(operator, Box::new(left), Box::new(right)).into()
}

fn plus(left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    match (constant(&left), constant(&right)) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        (Some(a), Some(b)) if a.checked_add(b).is_some() => Num::Const(a + b).into(),
        _ => binary(Arithmetic::Add, left, right),
    }
}

fn minus(left: Expr<Num>, right: Expr<Num>) -> Expr<Num> {
    match (constant(&left), constant(&right)) {
        (_, Some(0)) => left,
        (Some(a), Some(b)) if a.checked_sub(b).is_some() => Num::Const(a - b).into(),
        _ => binary(Arithmetic::Subtract, left, right),
    }
}

/// Rounds towards minus infinity.
fn divided(num: Expr<Num>, factor: i64) -> Expr<Num> {
    if factor == 1 {
        return num;
    }
    binary(Arithmetic::Divide, num, Num::Const(factor).into())
}

pub fn is_amount(num: &Num, bound: Option<Slot>) -> bool {
    match num {
        Num::Total => true,
        Num::Local(slot) => bound == Some(*slot),
        _ => false,
    }
}

pub fn reads_amount(part: Part<'_>, bound: Option<Slot>) -> bool {
    part.reads_amounts() || bound.is_some_and(|slot| part.reads_local(slot))
}
