//! The families of atoms that a form may consist of.

use super::atom::{Atom, Relation, Term};

/// A family of atoms for rows of a given length.
#[derive(Debug, Clone, Copy)]
pub struct AtomFamily {
    /// The length of the rows.
    pub entries: usize,
    /// The base of the digits.
    pub base: u64,
    /// Which conditions it has.
    pub breadth: Breadth,
}

/// The breadth of a family. Each has the atoms of those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    Narrow,
    /// With constants, parities, inequalities of three entries, and entries that count
    /// twice.
    Wide,
    /// With conditions on the digits of sums and differences of entries; in long rows with
    /// inclusions of digits, which shorter ones have before.
    Deep,
}

/// The most entries of a sum in an equation.
const MAX_TERMS: usize = 6;
/// The longest rows with carryless sums of some of their entries, and with inclusions of digits.
const MAX_PARTS: usize = 7;
/// The longest rows with equations and sums of digits in which entries count twice.
pub const MAX_DOUBLED: usize = 5;
/// The longest rows with nim-sums of sums of their entries.
const MAX_GROUPED: usize = 6;
/// The largest modulus of numbers of zeros.
const MAX_ZEROS: u64 = 3;
/// The moduli of congruences.
const MODULI: std::ops::RangeInclusive<u64> = 2..=6;

impl AtomFamily {
    /// All atoms of the family.
    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.equations(&mut atoms);
        if self.is_wide() && self.entries <= MAX_DOUBLED {
            self.doubled_equations(&mut atoms);
        }
        self.comparisons(&mut atoms);
        self.digits(&mut atoms);
        if self.has_deep() {
            match self.entries <= MAX_DOUBLED {
                true => {
                    self.digits_of_sums(&mut atoms);
                    self.lower_digits(&mut atoms);
                }
                false => self.within(&mut atoms),
            }
        }
        atoms
    }

    fn is_wide(&self) -> bool {
        self.breadth >= Breadth::Wide
    }

    fn has_deep(&self) -> bool {
        self.breadth == Breadth::Deep && self.base == 2 && (3..=MAX_PARTS).contains(&self.entries)
    }

    /// Whether the family has atoms that those before have not.
    pub fn is_new(&self) -> bool {
        self.breadth < Breadth::Deep || self.has_deep()
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
            for value in 0..=if self.is_wide() { 3 } else { 1 } {
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
            let constants: &[i64] = match (self.is_wide(), terms) {
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

    /// Equations in which one or two entries count twice.
    fn doubled_equations(&self, atoms: &mut Vec<Atom>) {
        const WEIGHTS: [i64; 5] = [0, 1, -1, 2, -2];
        for number in 1..WEIGHTS.len().pow(self.entries as u32) {
            let weights: Vec<i64> = (0..self.entries)
                .scan(number, |rest, _| {
                    let digit = *rest % WEIGHTS.len();
                    *rest /= WEIGHTS.len();
                    Some(WEIGHTS[digit])
                })
                .collect();
            let doubled = weights.iter().filter(|weight| weight.abs() == 2).count();
            let single = weights.iter().filter(|weight| weight.abs() == 1).count();
            let first = weights.iter().find(|weight| **weight != 0);
            let is_new =
                first.is_some_and(|weight| *weight > 0) && weights.iter().any(|weight| *weight < 0);
            if is_new && (1..=2).contains(&doubled) && single > 0 {
                atoms.push(Atom::Linear {
                    weights,
                    constant: 0,
                    relation: Relation::Zero,
                });
            }
        }
    }

    fn comparisons(&self, atoms: &mut Vec<Atom>) {
        for one in 0..self.entries {
            for least in 1..=if self.is_wide() { 4 } else { 2 } {
                self.linear(&[(one, -1)], least, Relation::AtMostZero, atoms);
            }
            for other in 0..self.entries {
                if one == other {
                    continue;
                }
                let apart = [(one, 1), (other, -1)];
                for constant in 0..=if self.is_wide() { 3 } else { 1 } {
                    self.linear(&apart, constant, Relation::AtMostZero, atoms);
                }
                if one < other {
                    self.linear(&apart, 0, Relation::NotZero, atoms);
                }
                for third in other + 1..self.entries {
                    if self.is_wide() && third != one {
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
        // In misère play the sum of a P-position may be 1. In base 2 this occurs
        // only for small heaps, as a congruence of their sum.
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
        if self.is_wide() {
            self.zeros(&all, atoms);
        }
        if self.base == 2 && self.entries <= MAX_GROUPED {
            self.nim_sums(atoms);
        }
        if self.base == 2 && self.is_wide() && self.entries <= MAX_DOUBLED {
            self.within(atoms);
            // Sums of digits in which some entries count twice.
            for doubled in 1..(1_usize << self.entries) - 1 {
                let twice = all.iter().filter(|entry| doubled >> **entry & 1 != 0);
                let mut entries = [all.clone(), twice.copied().collect()].concat();
                entries.sort_unstable();
                for modulus in 3..=8 {
                    atoms.push(Atom::Carryless {
                        entries: entries.clone(),
                        base: 2,
                        modulus,
                        sum: 0,
                    });
                }
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
            if self.is_wide() {
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

    /// The remainders of the numbers of zeros at the end of single entries, and of the sum of
    /// all.
    fn zeros(&self, all: &[usize], atoms: &mut Vec<Atom>) {
        let single = all.iter().map(|entry| vec![*entry]);
        let sum = (all.len() > 1).then(|| all.to_vec());
        for entries in single.chain(sum) {
            for modulus in 2..=MAX_ZEROS {
                for (rest, or_zero) in (0..modulus).flat_map(|rest| [(rest, true), (rest, false)]) {
                    atoms.push(Atom::Zeros {
                        entries: entries.clone(),
                        base: self.base,
                        modulus,
                        rest,
                        or_zero,
                    });
                }
            }
        }
    }

    /// The sums of digits of sums of entries, and of one difference and entries.
    fn digits_of_sums(&self, atoms: &mut Vec<Atom>) {
        let mut push = |terms: Vec<Term>| {
            for modulus in 3..=terms.len() as u64 {
                atoms.push(Atom::CarrylessSums {
                    terms: terms.clone(),
                    modulus,
                });
            }
        };
        for groups in groupings(self.entries) {
            // Sums of digits of single entries are in other families.
            if groups.iter().any(|group| group.len() > 1) {
                push(groups.into_iter().map(Term::Sum).collect());
            }
        }
        for (from, less, rest) in self.pairs() {
            for others in subsets(&rest) {
                let others = others.into_iter().map(Term::of);
                push(
                    std::iter::once(Term::Difference(from, less))
                        .chain(others)
                        .collect(),
                );
            }
        }
    }

    /// That a sum or difference of two entries changes only digits of the first that are
    /// below those of other entries.
    fn lower_digits(&self, atoms: &mut Vec<Atom>) {
        for (first, second, rest) in self.pairs() {
            let sum = Term::Sum(vec![first, second]);
            for term in [sum, Term::Difference(first, second)] {
                let digits = vec![Term::of(first), term.clone()];
                for above in subsets(&rest) {
                    let above: Vec<Term> = above.into_iter().map(Term::of).collect();
                    if !above.is_empty() {
                        let (digits, above) = (digits.clone(), above.clone());
                        atoms.push(Atom::Lower { digits, above });
                    }
                    let above = [above, vec![term.clone()]].concat();
                    let digits = digits.clone();
                    atoms.push(Atom::Lower { digits, above });
                }
            }
        }
    }

    /// The ordered pairs of entries, with the other entries.
    fn pairs(&self) -> Vec<(usize, usize, Vec<usize>)> {
        let mut pairs = Vec::new();
        for one in 0..self.entries {
            for other in (0..self.entries).filter(|other| *other != one) {
                let rest = (0..self.entries).filter(|entry| ![one, other].contains(entry));
                pairs.push((one, other, rest.collect()));
            }
        }
        pairs
    }

    /// The inclusions of the digits of nim-sums of disjoint groups of entries.
    fn within(&self, atoms: &mut Vec<Atom>) {
        for number in 0..3_usize.pow(self.entries as u32) {
            let (mut rest, mut groups) = (number, [const { Vec::new() }; 3]);
            for entry in 0..self.entries {
                groups[rest % 3].push(entry);
                rest /= 3;
            }
            let [_, inner, outer] = groups;
            if !inner.is_empty() && !outer.is_empty() {
                atoms.push(Atom::Within { inner, outer });
            }
        }
    }

    /// The nim-sums of sums of disjoint groups of entries, and of the sum of all with each
    /// of them: that no digit is carried. Nim-sums of two groups are equations.
    fn nim_sums(&self, atoms: &mut Vec<Atom>) {
        // Nim-sums of single entries are sums of digits.
        let is_new = |groups: &Vec<Vec<usize>>| {
            groups.len() >= 3 && groups.iter().any(|group| group.len() > 1)
        };
        let found = groupings(self.entries).into_iter().filter(is_new);
        atoms.extend(found.map(|groups| Atom::NimSum { groups }));
        if self.entries >= 2 {
            let sum = std::iter::once((0..self.entries).collect());
            let each = (0..self.entries).map(|entry| vec![entry]);
            let groups = sum.chain(each).collect();
            atoms.push(Atom::NimSum { groups });
        }
    }
}

/// All ways to put some of this number of entries into disjoint groups.
fn groupings(entries: usize) -> Vec<Vec<Vec<usize>>> {
    // Each entry is in no group, in one of those before, or in a new one.
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for entry in 0..entries {
        let mut longer = Vec::new();
        for groups in all {
            for place in 0..groups.len() {
                let mut with = groups.clone();
                with[place].push(entry);
                longer.push(with);
            }
            let mut with = groups.clone();
            with.push(vec![entry]);
            longer.extend([groups, with]);
        }
        all = longer;
    }
    all
}

/// The subsets of some entries.
pub fn subsets(of: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..1_usize << of.len()).map(|chosen| {
        let places = (0..of.len()).filter(|place| chosen >> place & 1 == 1);
        places.map(|place| of[place]).collect()
    })
}
