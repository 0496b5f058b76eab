//! What can be said of one position in few words.

use std::collections::BTreeMap;

/// How a sum stands to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Zero,
    AtMostZero,
    NotZero,
}

/// A short statement about the entries of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// The weighted entries and the constant come to something.
    Linear {
        weights: Vec<i64>,
        constant: i64,
        relation: Relation,
    },
    /// The digits of some entries add up to `sum` without carry, which is a
    /// digit.
    Carryless {
        entries: Vec<usize>,
        base: u64,
        modulus: u64,
        sum: u64,
    },
    /// The sum of some entries leaves this rest.
    Modulo {
        entries: Vec<usize>,
        modulus: u64,
        rest: u64,
    },
}

impl Atom {
    pub fn holds(&self, row: &[u64]) -> bool {
        match self {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => {
                let sum = weights
                    .iter()
                    .zip(row)
                    .fold(i128::from(*constant), |sum, (weight, entry)| {
                        sum + i128::from(*weight) * i128::from(*entry)
                    });
                match relation {
                    Relation::Zero => sum == 0,
                    Relation::AtMostZero => sum <= 0,
                    Relation::NotZero => sum != 0,
                }
            }
            Atom::Carryless {
                entries,
                base,
                modulus,
                sum,
            } => {
                let mut rest: Vec<u64> = entries.iter().map(|entry| row[*entry]).collect();
                let mut wanted = *sum;
                while wanted > 0 || rest.iter().any(|entry| *entry > 0) {
                    if rest.iter().map(|entry| entry % base).sum::<u64>() % modulus != wanted {
                        return false;
                    }
                    wanted = 0;
                    rest.iter_mut().for_each(|entry| *entry /= base);
                }
                true
            }
            Atom::Modulo {
                entries,
                modulus,
                rest,
            } => {
                let sum = entries
                    .iter()
                    .map(|entry| u128::from(row[*entry]))
                    .sum::<u128>();
                sum % u128::from(*modulus) == u128::from(*rest)
            }
        }
    }

    /// How much it binds a row: equations leave one entry no choice.
    pub fn weight(&self) -> u32 {
        match self {
            Atom::Linear {
                relation: Relation::Zero,
                ..
            }
            | Atom::Carryless { .. } => 32,
            Atom::Modulo { .. } => 4,
            Atom::Linear { .. } => 1,
        }
    }

    /// What it costs a reader. Of two forms for the same the cheaper is kept.
    pub fn cost(&self, width: usize) -> usize {
        match self {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => {
                let terms = weights.iter().filter(|weight| **weight != 0).count();
                let own = match relation {
                    Relation::Zero => 0,
                    Relation::AtMostZero => 3,
                    Relation::NotZero => 7,
                };
                let constant = match (constant, terms) {
                    (_, 1) | (0, _) => 0,
                    _ => 4,
                };
                4 * terms + own + constant
            }
            // Of all entries at once it is short, but two that are equal are
            // plainer.
            Atom::Carryless { entries, sum, .. } if entries.len() == width => {
                9 + 4 * usize::from(*sum > 0)
            }
            Atom::Carryless { entries, .. } => 4 * entries.len() + 1,
            // A large modulus may say what two small ones do.
            Atom::Modulo {
                entries, modulus, ..
            } => 4 * entries.len() + 16 - *modulus as usize,
        }
    }
}

/// What atoms there are for rows of so many entries.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    pub entries: usize,
    /// The base that digits are read in.
    pub base: u64,
    /// Are constants, parities and inequalities of three entries among them?
    pub wide: bool,
}

/// Sums of more entries than this are not looked at.
const MAX_TERMS: usize = 6;
/// Carryless sums of parts of a row are looked at up to this length.
const MAX_PARTS: usize = 7;
/// Rests of sums are looked at up to this modulus.
const MODULI: std::ops::RangeInclusive<u64> = 2..=6;

impl Scope {
    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.equations(&mut atoms);
        self.comparisons(&mut atoms);
        self.digits(&mut atoms);
        atoms
    }

    fn linear(
        &self,
        terms: &[(usize, i64)],
        constant: i64,
        relation: Relation,
        atoms: &mut Vec<Atom>,
    ) {
        let mut weights = vec![0; self.entries];
        for (entry, weight) in terms {
            weights[*entry] += weight;
        }
        atoms.push(Atom::Linear {
            weights,
            constant,
            relation,
        });
    }

    fn equations(&self, atoms: &mut Vec<Atom>) {
        let entries = self.entries;
        for entry in 0..entries {
            for value in 0..=if self.wide { 3 } else { 1 } {
                self.linear(&[(entry, 1)], -value, Relation::Zero, atoms);
            }
        }
        let most = 3_usize.saturating_pow(entries as u32);
        for number in 1..most {
            let weights: Vec<i64> = (0..entries)
                .scan(number, |rest, _| {
                    let digit = *rest % 3;
                    *rest /= 3;
                    Some([0, 1, -1][digit])
                })
                .collect();
            let terms = weights.iter().filter(|weight| **weight != 0).count();
            let first = weights.iter().find(|weight| **weight != 0);
            if !(2..=MAX_TERMS).contains(&terms) || first != Some(&1) || !weights.contains(&-1) {
                continue;
            }
            let constants: &[i64] = match (self.wide, terms) {
                (true, 2) => &[0, 1, -1, 2, -2],
                (true, _) => &[0, 1, -1],
                (false, _) => &[0],
            };
            for &constant in constants {
                atoms.push(Atom::Linear {
                    weights: weights.clone(),
                    constant,
                    relation: Relation::Zero,
                });
            }
        }
    }

    fn comparisons(&self, atoms: &mut Vec<Atom>) {
        for one in 0..self.entries {
            for least in 1..=if self.wide { 4 } else { 2 } {
                self.linear(&[(one, -1)], least, Relation::AtMostZero, atoms);
            }
            for other in 0..self.entries {
                if one == other {
                    continue;
                }
                let apart = [(one, 1), (other, -1)];
                for constant in 0..=if self.wide { 3 } else { 1 } {
                    self.linear(&apart, constant, Relation::AtMostZero, atoms);
                }
                if one < other {
                    self.linear(&apart, 0, Relation::NotZero, atoms);
                }
                for third in other + 1..self.entries {
                    if self.wide && third != one {
                        let terms = [(one, 1), (other, -1), (third, -1)];
                        self.linear(&terms, 0, Relation::AtMostZero, atoms);
                    }
                }
            }
        }
    }

    fn digits(&self, atoms: &mut Vec<Atom>) {
        let all: Vec<usize> = (0..self.entries).collect();
        for modulus in 2..=8 {
            atoms.push(Atom::Carryless {
                entries: all.clone(),
                base: self.base,
                modulus,
                sum: 0,
            });
        }
        // Where the last to move loses, a one is what is to be left. In base 2
        // that is said of small heaps alone, as the rest of their sum.
        if self.base != 2 {
            atoms.push(Atom::Carryless {
                entries: all.clone(),
                base: self.base,
                modulus: self.base,
                sum: 1,
            });
        }
        for modulus in MODULI {
            for rest in 0..modulus {
                atoms.push(Atom::Modulo {
                    entries: all.clone(),
                    modulus,
                    rest,
                });
            }
        }
        if self.entries > MAX_PARTS {
            return;
        }
        for part in 1..(1_usize << self.entries) - 1 {
            let entries: Vec<usize> = all.iter().copied().filter(|e| part >> e & 1 != 0).collect();
            if entries.len() >= 3 || self.base != 2 && entries.len() == 2 {
                atoms.push(Atom::Carryless {
                    entries: entries.clone(),
                    base: self.base,
                    modulus: self.base,
                    sum: 0,
                });
            }
            if self.wide && entries.len() <= 2 {
                for rest in 0..2 {
                    atoms.push(Atom::Modulo {
                        entries: entries.clone(),
                        modulus: 2,
                        rest,
                    });
                }
            }
        }
    }
}

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
