//! "There is an x" where an equation says what x is: x is replaced.
//!
//! Most numbers bound in a rule are such: the amount taken is what a heap was
//! less what it is. Each one replaced is a track less for the automata.

use super::Formula;
use super::atom::{self, Atom, as_constant, as_variable, in_columns, minus, plus, times};
use crate::symbolic::formula::Variable;
use nimrule_automata::atoms::{Relation, Sum};

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
        replaced.push(atom::sum(not_negative, Relation::AtMostZero));
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
            atom::sum(plus(&sum, &times(value, weight)?)?, *relation)
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
