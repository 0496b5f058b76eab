//! Quantifier elimination for linear arithmetic over ordered fields, by virtual
//! substitution (Loos and Weispfenning 1993, "Applying linear quantifier
//! elimination").
//!
//! The set of values of a variable that satisfy a quantifier-free formula of
//! linear comparisons is a finite union of intervals. Each interval begins at 0
//! or at a root of a comparison. So it suffices to substitute finitely many test
//! points: 0, the roots, and points infinitesimally above a root. If fewer
//! comparisons bound the variable from above, the ends of the intervals are
//! substituted instead: roots, points infinitesimally below a root, and infinity.

use super::Budget;
use super::formula::{Comparison, Comparisons, Formula, Relation};
use super::number::{Linear, Term, Variable, sign};
use nimrule_limits::LimitExceeded;
use std::cmp::Ordering;

/// A quantifier-free formula of linear comparisons.
pub type Statement = Formula<Linear>;

/// A test point.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum TestPoint {
    At(Linear),
    /// Infinitesimally above the value.
    Above(Linear),
    /// Infinitesimally below the value.
    Below(Linear),
    Infinity,
}

/// Returns a quantifier-free statement equivalent to: there are nonnegative values
/// of these variables that satisfy the statement.
///
/// # Errors
///
/// A limit is exceeded.
pub fn exists(
    variables: &[Variable],
    statement: &Statement,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    let mut statement = statement.clone();
    for variable in variables {
        statement = eliminate(*variable, &statement, budget)?;
    }
    Ok(statement)
}

fn eliminate(
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
                parts.push(eliminate(variable, part, budget)?);
            }
            Ok(Formula::or(parts))
        }
        Formula::And(all) => {
            let (about, others): (Vec<_>, Vec<_>) =
                all.iter().partition(|part| part.mentions(variable));
            let others = others.into_iter().cloned();
            // An equation leaves one test point.
            let equal = about.iter().find_map(|part| match part {
                Formula::Atom(Comparison {
                    term: sum,
                    relation: Relation::Zero,
                }) => sum.solved_for(variable),
                _ => None,
            });
            let determining = about.iter().position(|part| match part {
                Formula::Or(any) => any.iter().all(|part| is_determined(variable, part)),
                _ => false,
            });
            let about = match (equal, determining) {
                (Some(sum), _) => {
                    let about = Formula::and(about.into_iter().cloned());
                    substituted(variable, &about, &TestPoint::At(sum), budget)?
                }
                // Each disjunct has an equation: one test point each.
                (None, Some(index)) => {
                    let mut rest = about.clone();
                    let mut any = Vec::new();
                    if let Formula::Or(alternatives) = rest.remove(index) {
                        for alternative in alternatives {
                            let rest = rest.iter().copied().chain([alternative]).cloned();
                            any.push(eliminate(variable, &Formula::and(rest), budget)?);
                        }
                    }
                    Formula::or(any)
                }
                (None, None) => {
                    let about = Formula::and(about.into_iter().cloned());
                    by_test_points(variable, &about, budget)?
                }
            };
            Ok(Formula::and(others.chain([about])))
        }
        Formula::Not(inner) => eliminate(variable, &inner.clone().negated(), budget),
        // The quantifier binds no variable.
        Formula::Exists(_, body) => eliminate(variable, body, budget),
        Formula::Const(_) | Formula::Atom(_) => by_test_points(variable, statement, budget),
    }
}

/// Returns whether the statement has an equation for the variable, or does not
/// mention it.
fn is_determined(variable: Variable, statement: &Statement) -> bool {
    let equals = |part: &Statement| match part {
        Formula::Atom(Comparison {
            term: sum,
            relation: Relation::Zero,
        }) => sum.mentions(variable),
        _ => false,
    };
    match statement {
        Formula::And(all) if all.iter().any(equals) => true,
        other => equals(other) || !other.mentions(variable),
    }
}

/// Eliminates a variable: the disjunction over the begins of the intervals, or over
/// their ends if these are fewer.
fn by_test_points(
    variable: Variable,
    statement: &Statement,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    let zero = Linear::constant(super::number::integer(0));
    let (mut begins, mut ends) = (vec![TestPoint::At(zero)], vec![TestPoint::Infinity]);
    statement.each(&mut |sum, relation| {
        let (Some(weight), Some(root)) = (sum.weight(variable), sum.solved_for(variable)) else {
            return;
        };
        let rises = sign(weight) == Ordering::Greater;
        match (relation, rises) {
            (Relation::Zero, _) => {
                begins.push(TestPoint::At(root.clone()));
                ends.push(TestPoint::At(root));
            }
            (Relation::Negative, true) => ends.push(TestPoint::Below(root)),
            (Relation::Negative, false) => begins.push(TestPoint::Above(root)),
            (Relation::AtMostZero, true) => ends.push(TestPoint::At(root)),
            (Relation::AtMostZero, false) => begins.push(TestPoint::At(root)),
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
        any.push(substituted(variable, statement, point, budget)?);
    }
    Ok(Formula::or(any))
}

/// The statement with a test point substituted for the variable, and the
/// condition that the test point is not negative.
fn substituted(
    variable: Variable,
    statement: &Statement,
    point: &TestPoint,
    budget: &Budget,
) -> Result<Statement, LimitExceeded> {
    budget.construct(statement.size())?;
    let nonnegative = match point {
        TestPoint::At(root) | TestPoint::Above(root) => {
            Formula::compare(root.negated(), Relation::AtMostZero)
        }
        TestPoint::Below(root) => Formula::compare(root.negated(), Relation::Negative),
        TestPoint::Infinity => Formula::Const(true),
    };
    if nonnegative == Formula::Const(false) {
        return Ok(nonnegative);
    }
    let holds = statement.mapped(&mut |sum: &Linear, relation| {
        Ok(match sum.weight(variable) {
            None => Formula::compare(sum.clone(), relation),
            Some(weight) => comparison_at(sum, variable, sign(weight), relation, point),
        })
    })?;
    Ok(Formula::and([nonnegative, holds]))
}

/// A comparison with a test point substituted for the variable. `rises` is the
/// sign of the weight of the variable.
fn comparison_at(
    sum: &Linear,
    variable: Variable,
    rises: Ordering,
    relation: Relation,
    point: &TestPoint,
) -> Statement {
    // If the sum is 0 at the root, its sign next to the root decides.
    let near = |root: &Linear, falls: bool| match relation {
        Relation::Zero => Formula::Const(false),
        _ if falls => Formula::compare(sum.with(variable, root), Relation::AtMostZero),
        _ => Formula::compare(sum.with(variable, root), Relation::Negative),
    };
    match point {
        TestPoint::At(root) => Formula::compare(sum.with(variable, root), relation),
        TestPoint::Above(root) => near(root, rises == Ordering::Less),
        TestPoint::Below(root) => near(root, rises == Ordering::Greater),
        TestPoint::Infinity => {
            Formula::Const(relation != Relation::Zero && rises == Ordering::Less)
        }
    }
}
