//! Atoms about natural numbers, and the weighted sums that they compare.

use super::Formula;
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
            return compare_with_zero(negated, Relation::AtMostZero);
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
        eliminated(numbers, body)
    }
}

/// How a sum compares with 0; what holds of all natural numbers, or of none, is
/// a constant.
pub fn compare_with_zero(sum: Sum, relation: Relation) -> Formula {
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

// Quantifier elimination: an existential variable that an equation determines
// is replaced by its value. Most bound variables of a rule are of this kind: the
// amount taken is the difference of two sizes. Each elimination saves a track.

/// There are numbers on these tracks such that the body holds; each stands in
/// the body.
pub fn eliminated(mut tracks: Vec<Variable>, mut body: Formula) -> Formula {
    'again: loop {
        for place in 0..tracks.len() {
            if let Some(simpler) = without(tracks[place], &body) {
                tracks.remove(place);
                tracks.retain(|track| simpler.mentions(*track));
                if tracks.is_empty() || matches!(simpler, Formula::Const(_)) {
                    return simpler;
                }
                if !matches!(simpler, Formula::And(_)) {
                    return Formula::exists(tracks, simpler);
                }
                body = simpler;
                continue 'again;
            }
        }
        // What does not speak of these numbers stands outside.
        let Formula::And(parts) = body else {
            return Formula::Exists(tracks, Box::new(body));
        };
        let (inside, outside): (Vec<Formula>, Vec<Formula>) = parts
            .into_iter()
            .partition(|part| tracks.iter().any(|track| part.mentions(*track)));
        if outside.is_empty() {
            return Formula::Exists(tracks, Box::new(Formula::And(inside)));
        }
        let inside = Formula::exists(tracks, Formula::and(inside));
        return Formula::and(outside.into_iter().chain([inside]));
    }
}

/// The body with an equation's value for the track, which must not be
/// negative; `None` where no equation gives it.
fn without(track: Variable, body: &Formula) -> Option<Formula> {
    let alone;
    let parts = match body {
        Formula::And(parts) => parts.as_slice(),
        other => {
            alone = [other.clone()];
            &alone
        }
    };
    for (place, part) in parts.iter().enumerate() {
        let Formula::Atom(Atom::Sum(sum, Relation::Zero)) = part else {
            continue;
        };
        let Some(value) = solved(sum, track) else {
            continue;
        };
        let mut replaced = Vec::with_capacity(parts.len());
        let mut all = true;
        for (other, part) in parts.iter().enumerate() {
            if other == place {
                continue;
            }
            match put(part, track, &value) {
                Some(part) => replaced.push(part),
                None => {
                    all = false;
                    break;
                }
            }
        }
        if !all {
            continue;
        }
        let not_negative = times(&value, -1)?;
        replaced.push(compare_with_zero(not_negative, Relation::AtMostZero));
        return Some(Formula::and(replaced));
    }
    None
}

/// What `sum == 0` says the track is.
fn solved(sum: &Sum, track: Variable) -> Option<Sum> {
    if in_columns(sum, track) {
        return None;
    }
    let (weight, _) = sum.terms.iter().find(|(_, of)| *of == track)?;
    let alone = Sum {
        terms: vec![(*weight, track)],
        ..Sum::default()
    };
    let rest = minus(sum, &alone)?;
    match weight {
        1 => times(&rest, -1),
        -1 => Some(rest),
        _ => None,
    }
}

/// The formula with a value for a track.
fn put(formula: &Formula, track: Variable, value: &Sum) -> Option<Formula> {
    if !formula.mentions(track) {
        return Some(formula.clone());
    }
    Some(match formula {
        Formula::Const(_) => formula.clone(),
        Formula::Atom(atom) => put_in_atom(atom, track, value)?,
        Formula::And(all) => {
            let all: Option<Vec<Formula>> = all.iter().map(|one| put(one, track, value)).collect();
            Formula::and(all?)
        }
        Formula::Or(all) => {
            let all: Option<Vec<Formula>> = all.iter().map(|one| put(one, track, value)).collect();
            Formula::or(all?)
        }
        Formula::Not(inner) => put(inner, track, value)?.negated(),
        Formula::Exists(bound, body) => {
            let mut named = value.tracks().into_iter();
            if named.any(|of| bound.contains(&of)) {
                return None;
            }
            let body = put(body, track, value)?;
            if body == Formula::FALSE {
                return Some(Formula::FALSE);
            }
            Formula::exists(bound.clone(), body)
        }
    })
}

/// The atom with a value for a track.
fn put_in_atom(atom: &Atom, track: Variable, value: &Sum) -> Option<Formula> {
    let as_track = as_variable(value);
    Some(match atom {
        Atom::Sum(sum, relation) => {
            let mut sum = sum.clone();
            if in_columns(&sum, track) {
                let other = as_track?;
                for (_, columns) in &mut sum.columns {
                    for of in &mut columns.tracks {
                        if *of == track {
                            *of = other;
                        }
                    }
                    columns.tracks.sort_unstable();
                }
            }
            let weight = sum
                .terms
                .iter()
                .find(|(_, of)| *of == track)
                .map_or(0, |(weight, _)| *weight);
            sum.terms.retain(|(_, of)| *of != track);
            compare_with_zero(plus(&sum, &times(value, weight)?)?, *relation)
        }
        Atom::Power { of, .. } => match as_constant(value) {
            Some(value) => Formula::Const(is_power(value, (*of).into())),
            None => Formula::Atom(Atom::Power {
                of: *of,
                x: as_track?,
            }),
        },
        Atom::Digit {
            of, index, wanted, ..
        } => Formula::Atom(Atom::Digit {
            of: *of,
            index: *index,
            wanted: *wanted,
            x: as_track?,
        }),
        Atom::Golden { x, y } => Formula::Atom(Atom::Golden {
            x: if *x == track { as_track? } else { *x },
            y: if *y == track { as_track? } else { *y },
        }),
    })
}

/// Whether a number is a power; 1 is one, and so is no number below it.
pub fn is_power(value: i64, of: i64) -> bool {
    let mut rest = value;
    while rest > 1 && rest % of == 0 {
        rest /= of;
    }
    rest == 1
}
