//! The text of forms.

use super::atom::{Atom, Relation, Term};
use super::named::Definition;
use std::collections::BTreeMap;

/// The expression of an entry: a variable, by its number, plus a constant, or the
/// constant alone.
type EntryTerm = (Option<usize>, i64);

/// The expressions of the entries of a row, and the names of their variables.
struct NamedRow {
    /// The number of heaps; an entry after them is a number that the form defines.
    heaps: usize,
    entries: Vec<EntryTerm>,
    names: BTreeMap<usize, String>,
}

/// A weighted sum of variables, and a constant.
type WeightedSum = (Vec<(usize, i64)>, i64);

/// The text of a conjunction about named heaps.
pub fn conjunction(atoms: &[&Atom], names: &[String]) -> String {
    let row = NamedRow::of(names);
    if let Some(short) = short_text(atoms, names.len()) {
        return short;
    }
    let conditions = row.conditions(atoms);
    match conditions.is_empty() {
        true => "true".to_owned(),
        false => conditions.join(" and "),
    }
}

/// The text of a conjunction about named heaps and a number, which is the entry after them and
/// has the first of the given names.
pub fn naming(atoms: &[&Atom], names: &[String], definition: &Definition, name: &str) -> String {
    let heaps = NamedRow::of(names);
    let defined = match definition {
        Definition::NimSum(entries) => heaps.terms(entries).join(" ^ "),
        Definition::Linear(weights) => {
            let sign = |wanted: i64| {
                let entries = (0..weights.len()).filter(|entry| weights[*entry] == wanted);
                heaps.terms(&entries.collect::<Vec<_>>())
            };
            let less = sign(-1).into_iter().map(|entry| format!(" - {entry}"));
            sign(1).join(" + ") + &less.collect::<String>()
        }
    };
    let mut row = heaps;
    row.entries.push((Some(names.len()), 0));
    row.names.insert(names.len(), name.to_owned());
    let guard = definition.guard();
    let guard = guard
        .iter()
        .flat_map(|guard| row.text(guard))
        .map(|guard| guard + " and ");
    let guard = guard.collect::<String>();
    let conditions = row.conditions(atoms).join(" and ");
    format!("{guard}let {name} = {defined} in {conditions}")
}

/// A condition without the brackets around all of it.
pub fn unbracketed(words: &str) -> &str {
    let Some(inner) = words.strip_prefix('(').and_then(|w| w.strip_suffix(')')) else {
        return words;
    };
    let mut depth = 0_i64;
    let closes_early = inner.chars().any(|c| {
        depth += i64::from(c == '(') - i64::from(c == ')');
        depth < 0
    });
    if closes_early { words } else { inner }
}

/// The short text of a conjunction that states that all heaps are empty, or that all
/// are equal.
fn short_text(atoms: &[&Atom], heaps: usize) -> Option<String> {
    let solved = solved(atoms, heaps);
    if solved.left.is_empty() && heaps > 1 {
        if solved.entries.iter().all(|entry| *entry == (None, 0)) {
            return Some("max(heaps) == 0".to_owned());
        }
        let first = solved.entries[0];
        if heaps > 2 && first.0.is_some() && solved.entries.iter().all(|entry| *entry == first) {
            return Some("min(heaps) == max(heaps)".to_owned());
        }
    }
    None
}

/// The text of a conjunction as a `like` form: entries that are equal or differ by a
/// constant have the same name, and constant entries are written as constants.
pub fn like(atoms: &[&Atom], entries: usize, letters: &[String]) -> String {
    let solved = solved(atoms, entries);
    let mut names = BTreeMap::new();
    let mut letters = letters.iter().cloned();
    for (name, _) in &solved.entries {
        if let Some(name) = name {
            names
                .entry(*name)
                .or_insert_with(|| letters.next().unwrap_or_default());
        }
    }
    let row = NamedRow {
        heaps: entries,
        entries: solved.entries,
        names,
    };
    let shown: Vec<String> = (0..entries).map(|entry| row.shown(entry)).collect();
    let conditions = row.conditions(&solved.left);
    let form = format!("like ({})", shown.join(","));
    match conditions.is_empty() {
        true => form,
        false => format!("{form} where {}", conditions.join(" and ")),
    }
}

/// A conjunction in which equations of one or two entries are solved.
struct Solved<'a> {
    /// The entries as expressions.
    entries: Vec<EntryTerm>,
    /// The other atoms.
    left: Vec<&'a Atom>,
}

/// Solves the equations of one or two entries.
fn solved<'a>(atoms: &[&'a Atom], width: usize) -> Solved<'a> {
    let mut entries: Vec<EntryTerm> = (0..width).map(|entry| (Some(entry), 0)).collect();
    let mut left = atoms.to_vec();
    loop {
        let solution = |atom: &&Atom| solve(atom, &entries);
        let Some(index) = left.iter().position(|atom| solution(atom).is_some()) else {
            return Solved { entries, left };
        };
        let Some((name, (base, offset))) = solve(left.remove(index), &entries) else {
            return Solved { entries, left };
        };
        for entry in &mut entries {
            if entry.0 == Some(name) {
                *entry = (base, entry.1 + offset);
            }
        }
    }
}

/// Solves an equation of one or two variables: the eliminated variable and its
/// expression.
fn solve(atom: &Atom, entries: &[EntryTerm]) -> Option<(usize, EntryTerm)> {
    let Atom::Linear {
        weights,
        constant,
        relation: Relation::Zero,
    } = atom
    else {
        return None;
    };
    match collected(weights, entries, *constant) {
        (terms, constant) if terms.len() == 1 => {
            let (name, weight) = terms[0];
            let value = -constant / weight;
            (value * weight == -constant && value >= 0).then_some((name, (None, value)))
        }
        (terms, constant) if terms.len() == 2 => {
            let ((one, weight), (other, against)) = (terms[0], terms[1]);
            // one - other + more == 0; the added constant must not be negative.
            let offset = constant * weight;
            match (weight, against) {
                (1, -1) | (-1, 1) if offset >= 0 => Some((other, (Some(one), offset))),
                (1, -1) | (-1, 1) => Some((one, (Some(other), -offset))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Collects a weighted sum of entries by their variables, in the order of the entries.
fn collected(weights: &[i64], entries: &[EntryTerm], constant: i64) -> WeightedSum {
    let mut terms: Vec<(usize, i64)> = Vec::new();
    let mut constant = constant;
    for (weight, (name, offset)) in weights.iter().zip(entries) {
        constant += weight * offset;
        let Some(name) = name else { continue };
        match terms.iter_mut().find(|(of, _)| of == name) {
            Some((_, so_far)) => *so_far += weight,
            None => terms.push((*name, *weight)),
        }
    }
    terms.retain(|(_, weight)| *weight != 0);
    (terms, constant)
}

/// Joins equations with the same left side to chains `a == b == c`.
fn chained(conditions: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let is_equation = |one: &String| !one.contains(" or ");
    for one in conditions {
        let equation = Some(&one).filter(|one| is_equation(one));
        let chain = equation.and_then(|one| one.split_once(" == "));
        let chain = chain.and_then(|(left, right)| {
            let known = all
                .iter_mut()
                .find(|known| is_equation(known) && known.split(" == ").next() == Some(left))?;
            known.contains(" == ").then_some((known, right.to_owned()))
        });
        match chain {
            Some((known, right)) => known.push_str(&format!(" == {right}")),
            None => all.push(one),
        }
    }
    all
}

impl NamedRow {
    /// The row of heaps with these names.
    fn of(names: &[String]) -> NamedRow {
        NamedRow {
            heaps: names.len(),
            entries: (0..names.len()).map(|entry| (Some(entry), 0)).collect(),
            names: names.iter().cloned().enumerate().collect(),
        }
    }

    fn name(&self, number: usize) -> &str {
        self.names.get(&number).map_or("", String::as_str)
    }

    fn shown(&self, entry: usize) -> String {
        match self.entries[entry] {
            (None, value) => value.to_string(),
            (Some(name), 0) => self.name(name).to_owned(),
            (Some(name), offset) => format!("{}+{offset}", self.name(name)),
        }
    }

    /// The text of entries as terms of a sum, without those that are 0.
    fn terms(&self, entries: &[usize]) -> Vec<String> {
        entries
            .iter()
            .map(|entry| match self.entries[*entry] {
                (Some(_), offset) if offset != 0 => format!("({})", self.shown(*entry)),
                _ => self.shown(*entry),
            })
            .filter(|term| term != "0")
            .collect()
    }

    /// The text of a sum or difference.
    fn term(&self, term: &Term) -> String {
        match term {
            Term::Sum(entries) => {
                let mut entries = entries.clone();
                entries.sort_unstable();
                let terms: Vec<String> = entries.iter().map(|entry| self.shown(*entry)).collect();
                terms.join(" + ")
            }
            Term::Difference(from, less) => match self.entries[*less] {
                (Some(_), offset) if offset != 0 => {
                    format!("{} - ({})", self.shown(*from), self.shown(*less))
                }
                _ => format!("{} - {}", self.shown(*from), self.shown(*less)),
            },
        }
    }

    /// The nim-sum of sums and differences, in brackets if it is more than a name.
    fn nim_sum(&self, terms: &[Term]) -> String {
        let shown = terms.iter().map(|term| match term.entries().len() {
            2.. if terms.len() > 1 => format!("({})", self.term(term)),
            _ => self.term(term),
        });
        let shown: Vec<String> = shown.collect();
        match terms {
            [Term::Sum(entries)] if entries.len() == 1 => shown.concat(),
            _ => format!("({})", shown.join(" ^ ")),
        }
    }

    /// A name that no entry has.
    fn unused_name(&self) -> Option<String> {
        let mut names = (b'a'..=b'z')
            .rev()
            .map(|letter| char::from(letter).to_string());
        names.find(|name| self.names.values().all(|other| other != name))
    }

    /// The conditions that the differences of an atom are not negative.
    fn guards(&self, atom: &Atom) -> Vec<String> {
        let terms = match atom {
            Atom::CarrylessSums { terms, .. } => terms.as_slice(),
            Atom::Lower { digits, .. } => digits.as_slice(),
            _ => &[],
        };
        let guard = |term: &Term| match term {
            Term::Sum(_) => None,
            Term::Difference(from, less) => {
                Some(format!("{} <= {}", self.shown(*less), self.shown(*from)))
            }
        };
        terms.iter().filter_map(guard).collect()
    }

    /// The texts of atoms, each after those that it needs.
    fn conditions(&self, atoms: &[&Atom]) -> Vec<String> {
        let mut conditions = Vec::new();
        for atom in atoms {
            let texts = self.guards(atom).into_iter().chain(self.text(atom));
            for text in texts {
                if !conditions.contains(&text) {
                    conditions.push(text);
                }
            }
        }
        chained(conditions.into_iter())
    }

    /// The text of an atom; `None` if it is trivially true.
    fn text(&self, atom: &Atom) -> Option<String> {
        let width = self.heaps;
        match atom {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => self.compared(&collected(weights, &self.entries, *constant), *relation),
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
            Atom::NimSum { groups } => {
                if groups.first().is_some_and(|group| group.len() == width) {
                    return Some("sum(heaps) == xor(heaps)".to_owned());
                }
                let sums = groups.iter().map(|group| self.terms(group));
                let sums = sums.filter(|terms| !terms.is_empty());
                let sums = sums.map(|terms| match terms.as_slice() {
                    [one] => one.clone(),
                    terms => format!("({})", terms.join(" + ")),
                });
                let sums: Vec<String> = sums.collect();
                match sums.as_slice() {
                    [] => None,
                    sums => Some(format!("{} == 0", sums.join(" ^ "))),
                }
            }
            Atom::CarrylessSums { terms, modulus } => {
                let terms: Vec<String> = terms.iter().map(|term| self.term(term)).collect();
                let terms = terms.join(", ");
                Some(format!("carryless(2, {{{terms}}}, {modulus}) == 0"))
            }
            Atom::Lower { digits, above } => {
                let digits = self.nim_sum(digits);
                let lower =
                    |above: &str| format!("{above} == 0 or 2*{digits} < {above} ^ ({above} - 1)");
                if let [Term::Sum(entries)] = above.as_slice()
                    && let [entry] = entries.as_slice()
                {
                    return Some(format!("({})", lower(&self.shown(*entry))));
                }
                let name = self.unused_name()?;
                let above = self.nim_sum(above);
                let above = unbracketed(&above);
                Some(format!("(let {name} = {above} in {})", lower(&name)))
            }
            Atom::NotLower { digits, lowest } => {
                let equal = |terms: &[String]| match terms {
                    [one, other] => format!("{one} == {other}"),
                    terms => format!("{} == 0", terms.join(" ^ ")),
                };
                let (digits, lowest) = (self.terms(digits), self.terms(lowest));
                let (none, lowest) = (equal(&digits), lowest.join(" ^ "));
                let digits = digits.join(" ^ ");
                Some(format!(
                    "({none} or {lowest} > 0 and valuation(2, {digits}) >= valuation(2, {lowest}))"
                ))
            }
            Atom::NimSumAtMost { small, large } => Some(format!(
                "{} <= {}",
                self.terms(small).join(" ^ "),
                self.terms(large).join(" ^ ")
            )),
            Atom::Within { inner, outer } => {
                let (inner, outer) = (self.terms(inner), self.terms(outer));
                let own = match inner.as_slice() {
                    [] => return None,
                    [one] => one.clone(),
                    terms => format!("({})", terms.join(" ^ ")),
                };
                Some(match outer.is_empty() {
                    true => format!("{} == 0", inner.join(" ^ ")),
                    false => {
                        let both = [outer.as_slice(), &inner].concat().join(" ^ ");
                        format!("({both}) + {own} == {}", outer.join(" ^ "))
                    }
                })
            }
            Atom::Zeros {
                entries,
                base,
                modulus,
                rest,
                or_zero,
            } => {
                let sum = match entries.len() == width && width > 1 {
                    true => "sum(heaps)".to_owned(),
                    false => self.terms(entries).join(" + "),
                };
                // The terms are those that are not 0.
                if sum.is_empty() {
                    return (!or_zero).then(|| "false".to_owned());
                }
                let zeros = format!("valuation({base}, {sum}) mod {modulus} == {rest}");
                Some(match or_zero {
                    true => format!("({sum} == 0 or {zeros})"),
                    false => format!("{sum} > 0 and {zeros}"),
                })
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

    /// The text of a comparison of a sum with 0. Negative terms are moved to the right
    /// side. `None` if it is trivially true.
    fn compared(&self, (terms, constant): &WeightedSum, relation: Relation) -> Option<String> {
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
        // left + 1 <= right is equivalent to left < right.
        let (word, constant) = match relation {
            Relation::Zero => ("==", *constant),
            Relation::NotZero => ("!=", *constant),
            Relation::AtMostZero if *constant > 0 && positive && negative => ("<", constant - 1),
            Relation::AtMostZero => ("<=", *constant),
        };
        // A sum of negative terms is multiplied by -1.
        if !positive {
            let reversed = match word {
                "<=" => ">=",
                other => other,
            };
            return Some(format!("{} {reversed} {}", side(-1, 0), constant.max(0)));
        }
        Some(format!(
            "{} {word} {}",
            side(1, constant),
            side(-1, constant)
        ))
    }
}
