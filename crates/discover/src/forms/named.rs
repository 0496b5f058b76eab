//! Forms that name a number: `let x = b ^ c ^ d in 2*a + 2*e + x == b + c + d and …`.
//!
//! The number joins the entries of a row as one more entry, about which the conditions of a
//! conjunction may speak. Few definitions are worth a search: most are refuted by the examples
//! that satisfy everything that the conditions about the heaps alone say.

use super::atom::{Atom, BLOCK, Block, Relation, Term};
use super::case::Part;
use super::family::{AtomFamily, Breadth, MAX_DOUBLED, subsets};
use super::learn::{Examples, Learner};
use super::search::{CoverSearch, FormKind};
use super::{Form, FormVerifier};
use nimrule_limits::{LimitExceeded, Steps};

/// A number that is computed from the entries of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Definition {
    /// The nim-sum of some entries.
    NimSum(Vec<usize>),
    /// The sum of the entries with these weights, which is not negative.
    Linear(Vec<i64>),
}

impl Definition {
    /// The definitions for rows of this length, the shortest first.
    fn all(entries: usize) -> Vec<Definition> {
        let all: Vec<usize> = (0..entries).collect();
        let several = subsets(&all).filter(|some| some.len() >= 2);
        let mut found: Vec<Definition> = several.map(Definition::NimSum).collect();
        let sums = (0..3_usize.pow(entries as u32)).map(|number| {
            let digit = |entry: usize| number / 3_usize.pow(entry as u32) % 3;
            let weights = all.iter().map(|entry| [0, 1, -1][digit(*entry)]);
            Definition::Linear(weights.collect())
        });
        found.extend(sums.filter(|sum| sum.terms() >= 2 && sum.has_positive_term()));
        found.sort_by_key(Definition::terms);
        found
    }

    fn terms(&self) -> usize {
        match self {
            Definition::NimSum(entries) => entries.len(),
            Definition::Linear(weights) => weights.iter().filter(|weight| **weight != 0).count(),
        }
    }

    fn has_positive_term(&self) -> bool {
        match self {
            Definition::NimSum(_) => true,
            Definition::Linear(weights) => weights.iter().any(|weight| *weight > 0),
        }
    }

    /// The row with the number as its last entry; `None` if the number is negative.
    pub fn extended(&self, row: &[u64]) -> Option<Vec<u64>> {
        let number = match self {
            Definition::NimSum(entries) => entries.iter().fold(0, |sum, entry| sum ^ row[*entry]),
            Definition::Linear(weights) => {
                let terms = row.iter().zip(weights);
                let sum = terms.map(|(entry, weight)| i128::from(*entry) * i128::from(*weight));
                u64::try_from(sum.sum::<i128>()).ok()?
            }
        };
        Some([row, &[number]].concat())
    }

    /// The rows with the number, of those at which it is not negative.
    pub fn extended_rows<'r>(&self, rows: impl IntoIterator<Item = &'r Vec<u64>>) -> Vec<Vec<u64>> {
        let extended = rows.into_iter().filter_map(|row| self.extended(row));
        extended.collect()
    }

    /// That the number is not negative; `None` if that holds of all rows.
    pub fn guard(&self) -> Option<Atom> {
        match self {
            Definition::Linear(weights) if weights.iter().any(|weight| *weight < 0) => {
                Some(Atom::Linear {
                    weights: weights.iter().map(|weight| -weight).collect(),
                    constant: 0,
                    relation: Relation::AtMostZero,
                })
            }
            _ => None,
        }
    }

    /// The conditions about the number, which is the entry `entries`, and the entries before it.
    fn atoms(&self, entries: usize) -> Vec<Atom> {
        let number = entries;
        let mut atoms = digit_conditions(entries + 1);
        atoms.retain(|atom| match atom {
            Atom::Lower { digits, above } => {
                digits.contains(&Term::of(number)) || above.contains(&Term::of(number))
            }
            Atom::NotLower { digits, lowest } => {
                digits.contains(&number) || lowest.contains(&number)
            }
            _ => true,
        });
        let all: Vec<usize> = (0..entries).collect();
        for mut some in subsets(&all) {
            some.push(number);
            for modulus in 3..=some.len() as u64 {
                atoms.push(Atom::Carryless {
                    entries: some.clone(),
                    base: 2,
                    modulus,
                    sum: 0,
                });
            }
        }
        // Equations and comparisons with a sum are others between the entries.
        if matches!(self, Definition::NimSum(_)) {
            for entry in 0..entries {
                let at_most = |small: &[usize], large: &[usize]| Atom::NimSumAtMost {
                    small: small.to_vec(),
                    large: large.to_vec(),
                };
                atoms.push(at_most(&[entry], &[number]));
                atoms.push(at_most(&[number], &[entry]));
                atoms.push(at_most(&[entry], &[entry, number]));
            }
            for choice in 0..5_usize.pow(entries as u32) {
                let digit = |entry: usize| choice / 5_usize.pow(entry as u32) % 5;
                for of_number in 1..=2 {
                    let weights = (0..entries).map(|entry| [0, 1, -1, 2, -2][digit(entry)]);
                    atoms.push(Atom::Linear {
                        weights: weights.chain([of_number]).collect(),
                        constant: 0,
                        relation: Relation::Zero,
                    });
                }
            }
        }
        atoms
    }
}

/// That the digits of the nim-sum of some entries are lower, or not lower, than those of the
/// nim-sum of others.
fn digit_conditions(entries: usize) -> Vec<Atom> {
    let all: Vec<usize> = (0..entries).collect();
    let mut atoms = Vec::new();
    for some in subsets(&all).filter(|some| !some.is_empty()) {
        let rest: Vec<usize> = (0..entries).filter(|entry| !some.contains(entry)).collect();
        for others in subsets(&rest).filter(|others| !others.is_empty()) {
            let terms = |entries: &[usize]| entries.iter().copied().map(Term::of).collect();
            atoms.push(Atom::Lower {
                digits: terms(&some),
                above: terms(&others),
            });
            atoms.push(Atom::NotLower {
                digits: some.clone(),
                lowest: others,
            });
        }
    }
    atoms
}

impl FormVerifier<'_> {
    /// A conjunction that names a number.
    pub fn named_form(&mut self) -> Result<Option<Form>, LimitExceeded> {
        let entries = self.game.heap_count();
        if self.table.base != 2 || !(3..=MAX_DOUBLED).contains(&entries) {
            return Ok(None);
        }
        let (part, kind) = (Part::all(), FormKind::Conjunction);
        let Some(stratum) = self.strata(&part, kind).and_then(|mut all| all.pop()) else {
            return Ok(None);
        };
        let Some(region) = self.region_of(&stratum)? else {
            return Ok(None);
        };
        let family = AtomFamily {
            entries,
            base: 2,
            breadth: Breadth::Deep,
        };
        let of_heaps = [family.atoms(), digit_conditions(entries)].concat();
        let examples = Examples::of(self, &stratum);
        let learner = Learner::new(of_heaps, &examples, entries, true);
        // The rows outside the set of which the heaps alone say nothing else.
        let left = learner.satisfying(&learner.common_atoms());
        for definition in Definition::all(entries) {
            self.budget().limits().check_work(Steps(1000))?;
            let members = definition.extended_rows(&examples.members);
            if members.len() < examples.members.len() {
                continue;
            }
            let blocks: Vec<Block> = (members.chunks(BLOCK))
                .map(|rows| Block::of(rows, entries + 1))
                .collect();
            let mut atoms = definition.atoms(entries);
            atoms.retain(|atom| blocks.iter().all(|block| atom.holds_at_all(block)));
            let others = definition.extended_rows(&left);
            let are_excluded = others.chunks(BLOCK).all(|rows| {
                let block = Block::of(rows, entries + 1);
                let held = atoms.iter().map(|atom| atom.holds(&block));
                held.fold(u64::MAX, |all, held| all & held) & block.all() == 0
            });
            if !are_excluded {
                continue;
            }
            let atoms = [learner.atoms.clone(), atoms].concat();
            let mut cover =
                CoverSearch::new(self, &stratum, &region, kind, (atoms, Some(definition)));
            if let Some(mut found) = cover.run(self)?
                && let Some(form) = self.proved(found.remove(0))?
            {
                return Ok(Some(form));
            }
        }
        Ok(None)
    }
}
