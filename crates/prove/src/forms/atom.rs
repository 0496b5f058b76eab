//! What can be said of one position in few words.

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
