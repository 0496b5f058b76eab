//! Statements about numbers in first-order logic, simplified as they are made.
//!
//! Variables are natural numbers, each with its track in the automata. What the
//! language says of a position becomes a formula, and [`super::compile`] makes
//! automata of formulas.

use crate::automata::Track;
use crate::automata::atoms::{Columns, Relation, Sum};

/// A statement about the numbers on some tracks.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    Const(bool),
    Sum(Sum, Relation),
    /// The number is a power of `of`.
    Power {
        of: u8,
        x: Track,
    },
    /// The digit of `of^index` is `wanted`.
    Digit {
        of: u8,
        index: u32,
        wanted: u8,
        x: Track,
    },
    /// `y` is the golden ratio times `x`, rounded down.
    Golden {
        x: Track,
        y: Track,
    },
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
    Exists(Vec<Track>, Box<Formula>),
}

pub const TRUE: Formula = Formula::Const(true);
pub const FALSE: Formula = Formula::Const(false);

impl Formula {
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Const(true) => {}
                Formula::Const(false) => return FALSE,
                Formula::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all.len() {
            0 => TRUE,
            1 => all.remove(0),
            _ => Formula::And(all),
        }
    }

    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Const(false) => {}
                Formula::Const(true) => return TRUE,
                Formula::Or(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        all.sort_unstable();
        all.dedup();
        match all.len() {
            0 => FALSE,
            1 => all.remove(0),
            _ => Formula::Or(all),
        }
    }

    pub fn negated(self) -> Formula {
        match self {
            Formula::Const(value) => Formula::Const(!value),
            Formula::Not(inner) => *inner,
            // Not (s <= 0) is 1 - s <= 0.
            Formula::Sum(sum, Relation::AtMostZero) => {
                let one = Sum {
                    constant: 1,
                    ..Sum::default()
                };
                match minus(&one, &sum) {
                    Some(turned) => Formula::sum(turned, Relation::AtMostZero),
                    None => Formula::Not(Box::new(Formula::Sum(sum, Relation::AtMostZero))),
                }
            }
            other => Formula::Not(Box::new(other)),
        }
    }

    /// What is said of a sum; constants are settled at once.
    pub fn sum(sum: Sum, relation: Relation) -> Formula {
        if is_constant(&sum) {
            return Formula::Const(relation.holds(sum.constant.into()));
        }
        if sum.columns.is_empty() && relation == Relation::AtMostZero && sum.constant <= 0 {
            // Nothing that is left is positive.
            if sum.terms.iter().all(|(weight, _)| *weight <= 0) {
                return TRUE;
            }
        }
        if relation == Relation::Zero
            && sum.terms.first().is_some_and(|(weight, _)| *weight < 0)
            && let Some(turned) = times(&sum, -1)
        {
            return Formula::Sum(turned, relation);
        }
        Formula::Sum(sum, relation)
    }

    /// There are such numbers.
    pub fn exists(tracks: Vec<Track>, body: Formula) -> Formula {
        let mut tracks: Vec<Track> = tracks
            .into_iter()
            .filter(|track| body.speaks_of(*track))
            .collect();
        tracks.sort_unstable();
        tracks.dedup();
        if tracks.is_empty() {
            return body;
        }
        match body {
            Formula::Const(_) => body,
            Formula::Or(any) => Formula::or(
                any.into_iter()
                    .map(|one| Formula::exists(tracks.clone(), one)),
            ),
            Formula::Exists(inner, body) => {
                tracks.extend(inner);
                Formula::exists(tracks, *body)
            }
            body => super::eliminate::eliminated(tracks, body),
        }
    }

    /// Does the track stand in it free?
    pub fn speaks_of(&self, track: Track) -> bool {
        match self {
            Formula::Const(_) => false,
            Formula::Sum(sum, _) => speaks_of(sum, track),
            Formula::Power { x, .. } | Formula::Digit { x, .. } => *x == track,
            Formula::Golden { x, y } => *x == track || *y == track,
            Formula::And(all) | Formula::Or(all) => all.iter().any(|part| part.speaks_of(track)),
            Formula::Not(inner) => inner.speaks_of(track),
            Formula::Exists(bound, body) => !bound.contains(&track) && body.speaks_of(track),
        }
    }
}

fn speaks_of(sum: &Sum, track: Track) -> bool {
    sum.terms.iter().any(|(_, of)| *of == track) || in_columns(sum, track)
}

pub fn in_columns(sum: &Sum, track: Track) -> bool {
    sum.columns.iter().any(|(_, c)| c.tracks.contains(&track))
}

pub fn is_constant(sum: &Sum) -> bool {
    sum.terms.is_empty() && sum.columns.is_empty()
}

pub fn constant(value: i64) -> Sum {
    Sum {
        constant: value,
        ..Sum::default()
    }
}

pub fn variable(track: Track) -> Sum {
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
pub fn as_variable(sum: &Sum) -> Option<Track> {
    match (sum.terms.as_slice(), sum.columns.as_slice(), sum.constant) {
        ([(1, track)], [], 0) => Some(*track),
        _ => None,
    }
}

/// Sums are kept in order, each track and each columns once, none with weight
/// 0. `None` where a weight passes what is counted with.
fn in_order(
    terms: impl Iterator<Item = (i64, Track)>,
    columns: impl Iterator<Item = (i64, Columns)>,
    constant: i64,
) -> Option<Sum> {
    let mut by_track = std::collections::BTreeMap::<Track, i64>::new();
    for (weight, track) in terms {
        let so_far = by_track.entry(track).or_default();
        *so_far = so_far.checked_add(weight)?;
    }
    let mut by_columns = std::collections::BTreeMap::<Columns, i64>::new();
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

/// Is it never negative, as is plain from its weights?
pub fn never_negative(sum: &Sum) -> bool {
    sum.constant >= 0
        && sum.terms.iter().all(|(weight, _)| *weight >= 0)
        && sum.columns.iter().all(|(weight, _)| *weight >= 0)
}
