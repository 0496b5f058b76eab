//! Conjunctions as the language writes them.

use super::atom::{Atom, Relation, collected};
use std::collections::BTreeMap;

/// What each entry of a row is called, or the constant that it is.
pub type Called = Vec<Result<String, i64>>;

/// A conjunction about heaps by their names.
pub fn plain(atoms: &[&Atom], names: &[String]) -> String {
    let called: Called = names.iter().cloned().map(Ok).collect();
    if let Some(short) = shortened(atoms, names.len()) {
        return short;
    }
    let said: Vec<String> = atoms
        .iter()
        .filter_map(|atom| sentence(atom, &called))
        .collect();
    match said.is_empty() {
        true => "true".to_owned(),
        false => said.join(" and "),
    }
}

/// What is said of all heaps at once has words of its own.
fn shortened(atoms: &[&Atom], heaps: usize) -> Option<String> {
    let pairs = atoms.iter().all(|atom| ties(atom).is_some());
    let zeros = atoms.iter().all(|atom| matches!(pinned(atom), Some((_, 0))));
    if heaps > 2 && pairs && atoms.len() == heaps - 1 && groups(atoms, heaps).iter().all(|g| *g == 0)
    {
        return Some("min(heaps) == max(heaps)".to_owned());
    }
    (heaps > 1 && zeros && atoms.len() == heaps).then(|| "max(heaps) == 0".to_owned())
}

/// A conjunction as a form: equal entries have one name, and constants stand in
/// their places.
pub fn like(atoms: &[&Atom], entries: usize, letters: &[String]) -> String {
    let groups = groups(atoms, entries);
    let mut called: Called = Vec::new();
    let mut letters = letters.iter().cloned();
    let constants: BTreeMap<usize, i64> = atoms
        .iter()
        .filter_map(|atom| pinned(atom))
        .map(|(entry, value)| (groups[entry], value))
        .collect();
    for entry in 0..entries {
        let group = groups[entry];
        called.push(match constants.get(&group) {
            Some(value) => Err(*value),
            None if group < entry => called[group].clone(),
            None => Ok(letters.next().unwrap_or_default()),
        });
    }
    let shown: Vec<String> = called
        .iter()
        .map(|entry| match entry {
            Ok(name) => name.clone(),
            Err(value) => value.to_string(),
        })
        .collect();
    let said: Vec<String> = atoms
        .iter()
        .filter(|atom| ties(atom).is_none() && pinned(atom).is_none())
        .filter_map(|atom| sentence(atom, &called))
        .collect();
    let form = format!("like ({})", shown.join(","));
    match said.is_empty() {
        true => form,
        false => format!("{form} where {}", said.join(" and ")),
    }
}

/// The first entry that each entry equals.
fn groups(atoms: &[&Atom], entries: usize) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..entries).collect();
    for (one, other) in atoms.iter().filter_map(|atom| ties(atom)) {
        let (keep, drop) = (
            groups[one].min(groups[other]),
            groups[one].max(groups[other]),
        );
        groups.iter_mut().filter(|g| **g == drop).for_each(|g| *g = keep);
    }
    groups
}

/// Two entries that an atom says are equal.
fn ties(atom: &Atom) -> Option<(usize, usize)> {
    let Atom::Linear {
        weights,
        constant: 0,
        relation: Relation::Zero,
    } = atom
    else {
        return None;
    };
    let mut used = weights.iter().enumerate().filter(|(_, weight)| **weight != 0);
    match (used.next(), used.next(), used.next()) {
        (Some((one, _)), Some((other, _)), None) => Some((one, other)),
        _ => None,
    }
}

/// An entry whose size an atom says.
fn pinned(atom: &Atom) -> Option<(usize, i64)> {
    let Atom::Linear {
        weights,
        constant,
        relation: Relation::Zero,
    } = atom
    else {
        return None;
    };
    let mut used = weights.iter().enumerate().filter(|(_, weight)| **weight != 0);
    match (used.next(), used.next()) {
        (Some((entry, 1)), None) => Some((entry, -constant)),
        _ => None,
    }
}

/// An atom in words; `None` where it says nothing.
fn sentence(atom: &Atom, called: &Called) -> Option<String> {
    let names = |entries: &[usize]| -> Vec<String> {
        entries
            .iter()
            .map(|entry| match &called[*entry] {
                Ok(name) => name.clone(),
                Err(value) => value.to_string(),
            })
            .filter(|name| name != "0")
            .collect()
    };
    match atom {
        Atom::Linear {
            weights,
            constant,
            relation,
        } => compared(&collected(weights, called, *constant), *relation),
        Atom::Carryless {
            entries,
            base,
            modulus,
        } => {
            let all = entries.len() == called.len();
            let parts = names(entries);
            Some(match (all, base == modulus && *base == 2) {
                (true, true) => "xor(heaps) == 0".to_owned(),
                (true, false) => match base == modulus {
                    true => format!("carryless({base}, heaps) == 0"),
                    false => format!("carryless({base}, heaps, {modulus}) == 0"),
                },
                (false, true) => match parts.len() {
                    0 => return None,
                    _ => format!("{} == 0", parts.join(" ^ ")),
                },
                (false, false) => {
                    format!("carryless({base}, {{{}}}, {modulus}) == 0", parts.join(", "))
                }
            })
        }
        Atom::Modulo {
            entries,
            modulus,
            rest,
        } => {
            let parts = names(entries);
            Some(if entries.len() == called.len() {
                format!("sum(heaps) mod {modulus} == {rest}")
            } else if parts.len() == 1 {
                format!("{} mod {modulus} == {rest}", parts[0])
            } else {
                format!("({}) mod {modulus} == {rest}", parts.join(" + "))
            })
        }
    }
}

/// A sum compared with zero, what is negative on the other side.
fn compared((terms, constant): &(BTreeMap<String, i64>, i64), relation: Relation) -> Option<String> {
    let side = |sign: i64| {
        let mut parts: Vec<String> = terms
            .iter()
            .filter(|(_, weight)| **weight * sign > 0)
            .map(|(name, weight)| match weight.abs() {
                1 => name.clone(),
                many => format!("{many}*{name}"),
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
    // A + 1 <= B is A < B.
    if relation == Relation::AtMostZero && *constant == 1 && terms.values().any(|w| *w > 0) {
        let strict = (terms.clone(), 0);
        let said = compared(&strict, Relation::AtMostZero)?;
        return Some(said.replace("<=", "<"));
    }
    let word = match relation {
        Relation::Zero => "==",
        Relation::AtMostZero => "<=",
        Relation::NotZero => "!=",
    };
    Some(format!("{} {word} {}", side(1), side(-1)))
}
