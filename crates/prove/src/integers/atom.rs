//! Atoms about natural numbers, and the weighted sums that they compare.

use super::{Formula, eliminate};
use crate::symbolic::formula::{self, Variable};
use nimrule_automata::atoms::{CarrylessSum, Relation, Sum};

/// A statement about natural numbers that an automaton recognises by their
/// digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    Sum(Sum, Relation),
    /// The number is a power of `of`.
    Power {
        of: u8,
        x: Variable,
    },
    /// The digit of `of^index` is `wanted`.
    Digit {
        of: u8,
        index: u32,
        wanted: u8,
        x: Variable,
    },
    /// `y` is the golden ratio times `x`, rounded down.
    Golden {
        x: Variable,
        y: Variable,
    },
}

impl formula::Atom for Atom {
    type Bound = Variable;

    /// The complement of an automaton costs nothing.
    const NEGATES_ATOMS_ONLY: bool = false;

    fn negated(self) -> Formula {
        // Not (s <= 0) is 1 - s <= 0.
        if let Atom::Sum(of, Relation::AtMostZero) = &self
            && let Some(negated) = minus(&constant(1), of)
        {
            return sum(negated, Relation::AtMostZero);
        }
        Formula::Not(Box::new(Formula::Atom(self)))
    }

    fn mentions(&self, variable: Variable) -> bool {
        match self {
            Atom::Sum(sum, _) => mentions(sum, variable),
            Atom::Power { x, .. } | Atom::Digit { x, .. } => *x == variable,
            Atom::Golden { x, y } => *x == variable || *y == variable,
        }
    }

    /// That is left to the automata.
    fn contradicts(&self, _: &[Formula]) -> bool {
        false
    }

    fn exists(numbers: Vec<Variable>, body: Formula) -> Formula {
        eliminate::eliminated(numbers, body)
    }
}

/// How a sum compares with 0; what holds of all natural numbers, or of none, is
/// a constant.
pub fn sum(sum: Sum, relation: Relation) -> Formula {
    if is_constant(&sum) {
        return Formula::Const(relation.holds(sum.constant.into()));
    }
    if sum.columns.is_empty() && relation == Relation::AtMostZero && sum.constant <= 0 {
        // Nothing that is left is positive.
        if sum.terms.iter().all(|(weight, _)| *weight <= 0) {
            return Formula::TRUE;
        }
    }
    if relation == Relation::Zero
        && sum.terms.first().is_some_and(|(weight, _)| *weight < 0)
        && let Some(negated) = times(&sum, -1)
    {
        return Formula::Atom(Atom::Sum(negated, relation));
    }
    Formula::Atom(Atom::Sum(sum, relation))
}

/// Whether a variable occurs in a sum.
pub fn mentions(sum: &Sum, track: Variable) -> bool {
    sum.terms.iter().any(|(_, of)| *of == track) || in_columns(sum, track)
}

/// Whether it occurs in one of the sums without carry.
pub fn in_columns(sum: &Sum, track: Variable) -> bool {
    sum.columns.iter().any(|(_, c)| c.tracks.contains(&track))
}

fn is_constant(sum: &Sum) -> bool {
    sum.terms.is_empty() && sum.columns.is_empty()
}

pub fn constant(value: i64) -> Sum {
    Sum {
        constant: value,
        ..Sum::default()
    }
}

pub fn variable(track: Variable) -> Sum {
    Sum {
        terms: vec![(1, track)],
        ..Sum::default()
    }
}

/// The constant that a sum is.
pub fn as_constant(sum: &Sum) -> Option<i64> {
    is_constant(sum).then_some(sum.constant)
}

/// The variable that a sum is.
pub fn as_variable(sum: &Sum) -> Option<Variable> {
    match (sum.terms.as_slice(), sum.columns.as_slice(), sum.constant) {
        ([(1, track)], [], 0) => Some(*track),
        _ => None,
    }
}

/// Sums are kept in order, each track and each columns once, none with weight
/// 0. `None` where a weight passes what is counted with.
fn in_order(
    terms: impl Iterator<Item = (i64, Variable)>,
    columns: impl Iterator<Item = (i64, CarrylessSum)>,
    constant: i64,
) -> Option<Sum> {
    let mut by_track = std::collections::BTreeMap::<Variable, i64>::new();
    for (weight, track) in terms {
        let so_far = by_track.entry(track).or_default();
        *so_far = so_far.checked_add(weight)?;
    }
    let mut by_columns = std::collections::BTreeMap::<CarrylessSum, i64>::new();
    for (weight, columns) in columns {
        let so_far = by_columns.entry(columns).or_default();
        *so_far = so_far.checked_add(weight)?;
    }
    Some(Sum {
        terms: by_track
            .into_iter()
            .filter(|(_, weight)| *weight != 0)
            .map(|(track, weight)| (weight, track))
            .collect(),
        columns: by_columns
            .into_iter()
            .filter(|(_, weight)| *weight != 0)
            .map(|(columns, weight)| (weight, columns))
            .collect(),
        constant,
    })
}

pub fn plus(left: &Sum, right: &Sum) -> Option<Sum> {
    in_order(
        left.terms.iter().chain(&right.terms).copied(),
        left.columns.iter().chain(&right.columns).cloned(),
        left.constant.checked_add(right.constant)?,
    )
}

pub fn times(sum: &Sum, factor: i64) -> Option<Sum> {
    let mut terms = Vec::with_capacity(sum.terms.len());
    for (weight, track) in &sum.terms {
        terms.push((weight.checked_mul(factor)?, *track));
    }
    let mut columns = Vec::with_capacity(sum.columns.len());
    for (weight, column) in &sum.columns {
        columns.push((weight.checked_mul(factor)?, column.clone()));
    }
    in_order(
        terms.into_iter(),
        columns.into_iter(),
        sum.constant.checked_mul(factor)?,
    )
}

pub fn minus(left: &Sum, right: &Sum) -> Option<Sum> {
    plus(left, &times(right, -1)?)
}

/// Whether its weights show that it is never negative.
pub fn is_never_negative(sum: &Sum) -> bool {
    sum.constant >= 0
        && sum.terms.iter().all(|(weight, _)| *weight >= 0)
        && sum.columns.iter().all(|(weight, _)| *weight >= 0)
}
