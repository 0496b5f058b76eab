//! Conjunctions as the language writes them.

use super::atom::{Atom, Relation};
use std::collections::BTreeMap;

/// What stands in a place: a name, by its number, and a number added to it, or
/// that number alone.
type Place = (Option<usize>, i64);

/// The places of a row, and the names in them.
struct Called {
    places: Vec<Place>,
    names: BTreeMap<usize, String>,
}

/// A weighted sum of names, and a constant.
type Sum = (Vec<(usize, i64)>, i64);

/// A conjunction about heaps by their names.
pub fn plain(atoms: &[&Atom], names: &[String]) -> String {
    let called = Called {
        places: (0..names.len()).map(|entry| (Some(entry), 0)).collect(),
        names: names.iter().cloned().enumerate().collect(),
    };
    if let Some(short) = shortened(atoms, names.len()) {
        return short;
    }
    let said = chained(atoms.iter().filter_map(|atom| called.sentence(atom)));
    match said.is_empty() {
        true => "true".to_owned(),
        false => said.join(" and "),
    }
}

/// What is said of all heaps at once has words of its own.
fn shortened(atoms: &[&Atom], heaps: usize) -> Option<String> {
    let solved = solved(atoms, heaps);
    if solved.left.is_empty() && heaps > 1 {
        if solved.places.iter().all(|place| *place == (None, 0)) {
            return Some("max(heaps) == 0".to_owned());
        }
        let first = solved.places[0];
        if heaps > 2 && first.0.is_some() && solved.places.iter().all(|place| *place == first) {
            return Some("min(heaps) == max(heaps)".to_owned());
        }
    }
    None
}

/// A conjunction as a form: equal entries have one name, entries a constant
/// apart have it too, and constants stand in their places.
pub fn like(atoms: &[&Atom], entries: usize, letters: &[String]) -> String {
    let solved = solved(atoms, entries);
    let mut names = BTreeMap::new();
    let mut letters = letters.iter().cloned();
    for (name, _) in &solved.places {
        if let Some(name) = name {
            names
                .entry(*name)
                .or_insert_with(|| letters.next().unwrap_or_default());
        }
    }
    let called = Called {
        places: solved.places,
        names,
    };
    let shown: Vec<String> = (0..entries).map(|entry| called.shown(entry)).collect();
    let said = chained(solved.left.iter().filter_map(|atom| called.sentence(atom)));
    let form = format!("like ({})", shown.join(","));
    match said.is_empty() {
        true => form,
        false => format!("{form} where {}", said.join(" and ")),
    }
}

/// What the equations of two entries, or of one, settle, and what is left.
struct Solved<'a> {
    places: Vec<Place>,
    left: Vec<&'a Atom>,
}

fn solved<'a>(atoms: &[&'a Atom], entries: usize) -> Solved<'a> {
    let mut places: Vec<Place> = (0..entries).map(|entry| (Some(entry), 0)).collect();
    let mut left = atoms.to_vec();
    loop {
        let settles = |atom: &&Atom| settled(atom, &places);
        let Some(index) = left.iter().position(|atom| settles(atom).is_some()) else {
            return Solved { places, left };
        };
        let Some((name, (base, more))) = settled(left.remove(index), &places) else {
            return Solved { places, left };
        };
        for place in &mut places {
            if place.0 == Some(name) {
                *place = (base, place.1 + more);
            }
        }
    }
}

/// The name that an equation does without, and what stands for it.
fn settled(atom: &Atom, places: &[Place]) -> Option<(usize, Place)> {
    let Atom::Linear {
        weights,
        constant,
        relation: Relation::Zero,
    } = atom
    else {
        return None;
    };
    match collected(weights, places, *constant) {
        (terms, constant) if terms.len() == 1 => {
            let (name, weight) = terms[0];
            let value = -constant / weight;
            (value * weight == -constant && value >= 0).then_some((name, (None, value)))
        }
        (terms, constant) if terms.len() == 2 => {
            let ((one, weight), (other, against)) = (terms[0], terms[1]);
            // one - other + more == 0, and what is added is not negative.
            let more = constant * weight;
            match (weight, against) {
                (1, -1) | (-1, 1) if more >= 0 => Some((other, (Some(one), more))),
                (1, -1) | (-1, 1) => Some((one, (Some(other), -more))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A weighted sum of places, each name once, in the order of the places.
fn collected(weights: &[i64], places: &[Place], constant: i64) -> Sum {
    let mut terms: Vec<(usize, i64)> = Vec::new();
    let mut constant = constant;
    for (weight, (name, more)) in weights.iter().zip(places) {
        constant += weight * more;
        let Some(name) = name else { continue };
        match terms.iter_mut().find(|(of, _)| of == name) {
            Some((_, so_far)) => *so_far += weight,
            None => terms.push((*name, *weight)),
        }
    }
    terms.retain(|(_, weight)| *weight != 0);
    (terms, constant)
}

/// Equations with the same left side become one chain.
fn chained(said: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for one in said {
        let chain = one.split_once(" == ").and_then(|(left, right)| {
            let known = all
                .iter_mut()
                .find(|known| known.split(" == ").next() == Some(left))?;
            known.contains(" == ").then_some((known, right.to_owned()))
        });
        match chain {
            Some((known, right)) => known.push_str(&format!(" == {right}")),
            None => all.push(one),
        }
    }
    all
}

impl Called {
    fn name(&self, number: usize) -> &str {
        self.names.get(&number).map_or("", String::as_str)
    }

    fn shown(&self, entry: usize) -> String {
        match self.places[entry] {
            (None, value) => value.to_string(),
            (Some(name), 0) => self.name(name).to_owned(),
            (Some(name), more) => format!("{}+{more}", self.name(name)),
        }
    }

    /// Entries as terms of a sum of whatever kind, without those that are 0.
    fn terms(&self, entries: &[usize]) -> Vec<String> {
        entries
            .iter()
            .map(|entry| match self.places[*entry] {
                (Some(_), more) if more != 0 => format!("({})", self.shown(*entry)),
                _ => self.shown(*entry),
            })
            .filter(|term| term != "0")
            .collect()
    }

    /// An atom in words; `None` where it says nothing.
    fn sentence(&self, atom: &Atom) -> Option<String> {
        let width = self.places.len();
        match atom {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => self.compared(&collected(weights, &self.places, *constant), *relation),
            Atom::Carryless {
                entries,
                base,
                modulus,
                sum,
            } if entries.len() == width => Some(match (*base, *modulus) {
                (2, 2) => format!("xor(heaps) == {sum}"),
                (base, modulus) if base == modulus => format!("carryless({base}, heaps) == {sum}"),
                (base, modulus) => format!("carryless({base}, heaps, {modulus}) == {sum}"),
            }),
            Atom::Carryless {
                entries,
                base,
                modulus,
                sum,
            } => {
                let terms = self.terms(entries);
                match (*base, *modulus, terms.len()) {
                    (_, _, 0) => None,
                    (2, 2, 2) if *sum == 0 => Some(terms.join(" == ")),
                    (2, 2, _) => Some(format!("{} == {sum}", terms.join(" ^ "))),
                    _ => Some(format!(
                        "carryless({base}, {{{}}}, {modulus}) == {sum}",
                        terms.join(", ")
                    )),
                }
            }
            Atom::Modulo {
                entries,
                modulus,
                rest,
            } => {
                let terms = self.terms(entries);
                Some(match terms.as_slice() {
                    _ if entries.len() == width => format!("sum(heaps) mod {modulus} == {rest}"),
                    [one] => format!("{one} mod {modulus} == {rest}"),
                    terms => format!("({}) mod {modulus} == {rest}", terms.join(" + ")),
                })
            }
        }
    }

    /// A sum compared with zero, what is negative on the other side.
    fn compared(&self, (terms, constant): &Sum, relation: Relation) -> Option<String> {
        let side = |sign: i64, constant: i64| {
            let mut parts: Vec<String> = terms
                .iter()
                .filter(|(_, weight)| *weight * sign > 0)
                .map(|(name, weight)| match weight.abs() {
                    1 => self.name(*name).to_owned(),
                    many => format!("{many}*{}", self.name(*name)),
                })
                .collect();
            if constant * sign > 0 {
                parts.push(constant.abs().to_string());
            }
            match parts.is_empty() {
                true => "0".to_owned(),
                false => parts.join(" + "),
            }
        };
        if terms.is_empty() {
            let holds = match relation {
                Relation::Zero => *constant == 0,
                Relation::AtMostZero => *constant <= 0,
                Relation::NotZero => *constant != 0,
            };
            return (!holds).then(|| "false".to_owned());
        }
        let positive = terms.iter().any(|(_, weight)| *weight > 0);
        let negative = terms.iter().any(|(_, weight)| *weight < 0);
        // left + 1 <= right is left < right.
        let (word, constant) = match relation {
            Relation::Zero => ("==", *constant),
            Relation::NotZero => ("!=", *constant),
            Relation::AtMostZero if *constant > 0 && positive && negative => ("<", constant - 1),
            Relation::AtMostZero => ("<=", *constant),
        };
        // What is negative alone is shown from its own side.
        if !positive {
            let turned = match word {
                "<=" => ">=",
                other => other,
            };
            return Some(format!("{} {turned} {}", side(-1, 0), constant.max(0)));
        }
        Some(format!(
            "{} {word} {}",
            side(1, constant),
            side(-1, constant)
        ))
    }
}
