//! "There is a size such that", without saying so.
//!
//! A statement about weighted sums holds of a variable on finitely many
//! stretches, and each begins at 0 or where one of the comparisons changes.
//! So it is enough to try 0, those places, and points just behind them: the
//! virtual substitution of Loos and Weispfenning (1993). Where fewer
//! comparisons bound the variable from above, the ends of the stretches are
//! tried instead, and "beyond all".

use super::Budget;
use super::formula::{Comparison, Formula, Relation};
use super::number::{Linear, Term, Variable, sign};
use nimrule_limits::LimitExceeded;
use std::cmp::Ordering;

pub type Statement = Formula<Linear>;

/// Where a statement is tried.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    At(Linear),
    /// As near above as one likes.
    JustAbove(Linear),
    JustBelow(Linear),
    BeyondAll,
}

/// There are sizes, none of them negative, for which it holds.
pub fn exists(
    variables: &[Variable],
    statement: &Statement,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    let mut statement = statement.clone();
    for variable in variables {
        statement = without(*variable, &statement, budget)?;
    }
    Ok(statement)
}

fn without(
    variable: Variable,
    statement: &Statement,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    if !statement.mentions(variable) {
        return Ok(statement.clone());
    }
    match statement {
        Formula::Or(any) => {
            let mut parts = Vec::with_capacity(any.len());
            for part in any {
                parts.push(without(variable, part, budget)?);
            }
            Ok(Formula::or(parts))
        }
        Formula::And(all) => {
            let (about, others): (Vec<_>, Vec<_>) =
                all.iter().partition(|part| part.mentions(variable));
            let others = others.into_iter().cloned();
            // What it must equal leaves one point to try.
            let equal = about.iter().find_map(|part| match part {
                Formula::Atom(Comparison {
                    term: sum,
                    relation: Relation::Zero,
                }) => sum.solved_for(variable),
                _ => None,
            });
            let settles = about.iter().position(|part| match part {
                Formula::Or(any) => any.iter().all(|part| is_settled(variable, part)),
                _ => false,
            });
            let about = match (equal, settles) {
                (Some(sum), _) => {
                    let about = Formula::and(about.into_iter().cloned());
                    tried(variable, &about, &Point::At(sum), budget)?
                }
                // One point to try in each of the alternatives.
                (None, Some(place)) => {
                    let mut rest = about.clone();
                    let mut any = Vec::new();
                    if let Formula::Or(alternatives) = rest.remove(place) {
                        for alternative in alternatives {
                            let rest = rest.iter().copied().chain([alternative]).cloned();
                            any.push(without(variable, &Formula::and(rest), budget)?);
                        }
                    }
                    Formula::or(any)
                }
                (None, None) => {
                    let about = Formula::and(about.into_iter().cloned());
                    somewhere(variable, &about, budget)?
                }
            };
            Ok(Formula::and(others.chain([about])))
        }
        Formula::Not(inner) => without(variable, &inner.clone().negated(), budget),
        // It binds nothing.
        Formula::Exists(_, body) => without(variable, body, budget),
        Formula::Const(_) | Formula::Atom(_) => somewhere(variable, statement, budget),
    }
}

/// Does the statement say what the variable equals, or nothing of it?
fn is_settled(variable: Variable, statement: &Statement) -> bool {
    let equals = |part: &Statement| match part {
        Formula::Atom(Comparison {
            term: sum,
            relation: Relation::Zero,
        }) => sum.check_supported_by_any(variable),
        _ => false,
    };
    match statement {
        Formula::And(all) if all.iter().any(equals) => true,
        other => equals(other) || !other.mentions(variable),
    }
}

/// It holds at one of the points where a stretch may begin or end.
fn somewhere(
    variable: Variable,
    statement: &Statement,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    let zero = Linear::constant(super::number::whole(0));
    let (mut begins, mut ends) = (vec![Point::At(zero)], vec![Point::BeyondAll]);
    statement.each(&mut |sum, relation| {
        let (Some(weight), Some(place)) = (sum.weight(variable), sum.solved_for(variable)) else {
            return;
        };
        let rises = sign(weight) == Ordering::Greater;
        match (relation, rises) {
            (Relation::Zero, _) => {
                begins.push(Point::At(place.clone()));
                ends.push(Point::At(place));
            }
            (Relation::Negative, true) => ends.push(Point::JustBelow(place)),
            (Relation::Negative, false) => begins.push(Point::JustAbove(place)),
            (Relation::AtMostZero, true) => ends.push(Point::At(place)),
            (Relation::AtMostZero, false) => begins.push(Point::At(place)),
        }
    });
    for points in [&mut begins, &mut ends] {
        points.sort_unstable();
        points.dedup();
    }
    let points = if ends.len() < begins.len() {
        ends
    } else {
        begins
    };
    let mut any = Vec::with_capacity(points.len());
    for point in &points {
        any.push(tried(variable, statement, point, budget)?);
    }
    Ok(Formula::or(any))
}

/// The statement with the point in place of the variable, where the point is
/// not negative.
fn tried(
    variable: Variable,
    statement: &Statement,
    point: &Point,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    budget.keep(statement.size())?;
    let inside = match point {
        Point::At(place) | Point::JustAbove(place) => {
            Formula::compare(place.turned(), Relation::AtMostZero)
        }
        Point::JustBelow(place) => Formula::compare(place.turned(), Relation::Negative),
        Point::BeyondAll => Formula::Const(true),
    };
    if inside == Formula::Const(false) {
        return Ok(inside);
    }
    let holds = statement.mapped(&mut |sum: &Linear, relation| {
        Ok(match sum.weight(variable) {
            None => Formula::compare(sum.clone(), relation),
            Some(weight) => compared(sum, variable, sign(weight), relation, point),
        })
    })?;
    Ok(Formula::and([inside, holds]))
}

/// A comparison at a point: `rises` says how the sum goes with the variable.
fn compared(
    sum: &Linear,
    variable: Variable,
    rises: Ordering,
    relation: Relation,
    point: &Point,
) -> Statement {
    // A step beside the place decides where the sum is 0 there.
    let beside = |place: &Linear, falls: bool| match relation {
        Relation::Zero => Formula::Const(false),
        _ if falls => Formula::compare(sum.with(variable, place), Relation::AtMostZero),
        _ => Formula::compare(sum.with(variable, place), Relation::Negative),
    };
    match point {
        Point::At(place) => Formula::compare(sum.with(variable, place), relation),
        Point::JustAbove(place) => beside(place, rises == Ordering::Less),
        Point::JustBelow(place) => beside(place, rises == Ordering::Greater),
        Point::BeyondAll => Formula::Const(relation != Relation::Zero && rises == Ordering::Less),
    }
}
