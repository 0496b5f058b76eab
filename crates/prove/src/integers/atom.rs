//! Atoms about natural numbers, and the weighted sums that they compare.

use super::Formula;
use nimrule_automata::atoms::{CarrylessSum, Relation, Sum};
use nimrule_symbolic::formula::{self, Variable};

/// A relation of natural numbers that an automaton recognises by their digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The relation of a weighted sum to 0.
    Sum(Sum, Relation),
    /// The number is a power of `of`.
    Power { of: u8, x: Variable },
    /// The digit of `of^index` is `wanted`.
    Digit {
        of: u8,
        index: u32,
        wanted: u8,
        x: Variable,
    },
    /// `y` is β times `x`, rounded down, where β is the continued fraction [a; a, a, …]
    /// of the quotient a.
    MultipleOfRatio {
        quotient: u8,
        x: Variable,
        y: Variable,
    },
}

impl formula::Atom for Atom {
    type Bound = Variable;

    /// The complement of a complete automaton needs no construction.
    const NEGATES_ATOMS_ONLY: bool = false;

    fn negated(self) -> Formula {
        // The negation of s <= 0 is 1 - s <= 0.
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
            Atom::MultipleOfRatio { x, y, .. } => *x == variable || *y == variable,
        }
    }

    /// Contradictions are found by the automata.
    fn contradicts(&self, _: &[Formula]) -> bool {
        false
    }

    fn exists(numbers: Vec<Variable>, body: Formula) -> Formula {
        exists(numbers, body)
    }
}

/// The formula that a sum is in a relation to 0. It is a constant if it is plain that
/// it holds for all natural numbers, or for none.
pub fn compare_with_zero(sum: Sum, relation: Relation) -> Formula {
    if is_constant(&sum) {
        return Formula::Const(relation.holds(sum.constant.into()));
    }
    if sum.columns.is_empty() && relation == Relation::AtMostZero && sum.constant <= 0 {
        // No term is positive.
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

/// Returns whether a variable occurs in a sum.
pub fn mentions(sum: &Sum, track: Variable) -> bool {
    sum.terms.iter().any(|(_, of)| *of == track) || in_columns(sum, track)
}

/// Returns whether a variable occurs in a carryless sum of a sum.
pub fn in_columns(sum: &Sum, track: Variable) -> bool {
    sum.columns.iter().any(|(_, c)| c.tracks.contains(&track))
}

fn is_constant(sum: &Sum) -> bool {
    sum.terms.is_empty() && sum.columns.is_empty()
}

/// The sum that is a constant.
pub fn constant(value: i64) -> Sum {
    Sum {
        constant: value,
        ..Sum::default()
    }
}

/// The sum that is a variable.
pub fn variable(track: Variable) -> Sum {
    Sum {
        terms: vec![(1, track)],
        ..Sum::default()
    }
}

/// The value of a constant sum; `None` for others.
pub fn as_constant(sum: &Sum) -> Option<i64> {
    is_constant(sum).then_some(sum.constant)
}

/// The variable of a sum that is one variable; `None` for others.
pub fn as_variable(sum: &Sum) -> Option<Variable> {
    match (sum.terms.as_slice(), sum.columns.as_slice(), sum.constant) {
        ([(1, track)], [], 0) => Some(*track),
        _ => None,
    }
}

/// The normal form of a sum: sorted, with each track and each carryless sum once, and
/// without weights 0. `None` if a weight overflows.
fn normal_form(
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

/// The sum of two sums; `None` on overflow.
pub fn plus(left: &Sum, right: &Sum) -> Option<Sum> {
    normal_form(
        left.terms.iter().chain(&right.terms).copied(),
        left.columns.iter().chain(&right.columns).cloned(),
        left.constant.checked_add(right.constant)?,
    )
}

/// The product with a constant; `None` on overflow.
pub fn times(sum: &Sum, factor: i64) -> Option<Sum> {
    let mut terms = Vec::with_capacity(sum.terms.len());
    for (weight, track) in &sum.terms {
        terms.push((weight.checked_mul(factor)?, *track));
    }
    let mut columns = Vec::with_capacity(sum.columns.len());
    for (weight, column) in &sum.columns {
        columns.push((weight.checked_mul(factor)?, column.clone()));
    }
    normal_form(
        terms.into_iter(),
        columns.into_iter(),
        sum.constant.checked_mul(factor)?,
    )
}

/// The difference; `None` on overflow.
pub fn minus(left: &Sum, right: &Sum) -> Option<Sum> {
    plus(left, &times(right, -1)?)
}

/// Returns whether no weight of a sum is negative, so that the sum is not negative.
pub fn is_never_negative(sum: &Sum) -> bool {
    sum.constant >= 0
        && sum.terms.iter().all(|(weight, _)| *weight >= 0)
        && sum.columns.iter().all(|(weight, _)| *weight >= 0)
}

// Quantifier elimination: an existential variable that an equation determines
// is replaced by its value. Most bound variables of a rule are of this kind: the
// amount taken is the difference of two sizes. Each elimination saves a track.

/// The formula that there are numbers on these tracks for which the body holds. Each
/// track occurs in the body.
fn exists(mut tracks: Vec<Variable>, mut body: Formula) -> Formula {
    'again: loop {
        for place in 0..tracks.len() {
            if let Some(simpler) = eliminate(tracks[place], &body) {
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
        // Parts without these tracks are moved out of the quantifier.
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

/// Eliminates a track by an equation of the body. The value must not be negative.
/// `None` if no equation determines the track.
fn eliminate(track: Variable, body: &Formula) -> Option<Formula> {
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
        let Some(value) = solve(sum, track) else {
            continue;
        };
        let mut replaced = Vec::with_capacity(parts.len());
        let mut all = true;
        for (other, part) in parts.iter().enumerate() {
            if other == place {
                continue;
            }
            match substitute(part, track, &value) {
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

/// Solves `sum == 0` for a track, if its weight is 1 or -1.
fn solve(sum: &Sum, track: Variable) -> Option<Sum> {
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

/// Substitutes a value for a track in a formula; `None` if that is impossible.
fn substitute(formula: &Formula, track: Variable, value: &Sum) -> Option<Formula> {
    if !formula.mentions(track) {
        return Some(formula.clone());
    }
    Some(match formula {
        Formula::Const(_) => formula.clone(),
        Formula::Atom(atom) => substitute_in_atom(atom, track, value)?,
        Formula::And(all) => {
            let all: Option<Vec<Formula>> = all
                .iter()
                .map(|one| substitute(one, track, value))
                .collect();
            Formula::and(all?)
        }
        Formula::Or(all) => {
            let all: Option<Vec<Formula>> = all
                .iter()
                .map(|one| substitute(one, track, value))
                .collect();
            Formula::or(all?)
        }
        Formula::Not(inner) => substitute(inner, track, value)?.negated(),
        Formula::Exists(bound, body) => {
            let mut named = value.tracks().into_iter();
            if named.any(|of| bound.contains(&of)) {
                return None;
            }
            let body = substitute(body, track, value)?;
            if body == Formula::FALSE {
                return Some(Formula::FALSE);
            }
            Formula::exists(bound.clone(), body)
        }
    })
}

/// Substitutes a value for a track in an atom; `None` if that is impossible.
fn substitute_in_atom(atom: &Atom, track: Variable, value: &Sum) -> Option<Formula> {
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
        Atom::MultipleOfRatio { quotient, x, y } => Formula::Atom(Atom::MultipleOfRatio {
            quotient: *quotient,
            x: if *x == track { as_track? } else { *x },
            y: if *y == track { as_track? } else { *y },
        }),
    })
}

/// Returns whether a number is a power with an exponent of at least 0.
pub fn is_power(value: i64, of: i64) -> bool {
    let mut rest = value;
    while rest > 1 && rest % of == 0 {
        rest /= of;
    }
    rest == 1
}
