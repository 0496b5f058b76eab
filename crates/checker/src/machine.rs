//! Comparisons of weighted sums, decided digit by digit.
//!
//! The machine reads the most significant digits first and keeps, for each
//! comparison, the sum of the digits so far: in a base it is multiplied by the
//! base with every letter. In Zeckendorf's numeration a further letter turns
//! a sum into that sum and what it would be one place lower, so both are kept.
//! A comparison that no further digit can change is settled.

use crate::atom::{Atom, Clause, Linear, Variable};
use crate::{Numeration, Unsupported};

/// In place of a sum: the comparison holds whatever follows.
const SETTLED: i64 = i64::MAX;

/// For each comparison its state, one after another.
pub type States = Vec<i64>;

/// A clause, ready to read digits.
pub struct Machine<'c> {
    pub clause: &'c Clause,
    numeration: Numeration,
    atoms: Vec<Prepared<'c>>,
    size: usize,
}

struct Prepared<'c> {
    atom: &'c Atom,
    /// Where its state begins.
    at: usize,
    /// The last level of a letter that it reads.
    last: usize,
}

impl<'c> Machine<'c> {
    /// # Errors
    ///
    /// Where the digits of the numeration do not decide a comparison.
    pub fn new(
        clause: &'c Clause,
        heaps: usize,
        numeration: Numeration,
    ) -> Result<Machine<'c>, Unsupported> {
        let mut size = 0;
        let mut atoms = Vec::new();
        for atom in &clause.atoms {
            let (told, place) = match atom {
                Atom::Power { base, place, .. } => (numeration.tells_powers(*base), place.0),
                Atom::Columns { base, place, .. } => (
                    numeration == Numeration::Base(*base as u8) && *base <= 16,
                    place.0,
                ),
                _ => (true, (0, 0).into()),
            };
            if !told {
                let digits = match numeration {
                    Numeration::Base(base) => format!("the digits in base {base}"),
                    Numeration::Zeckendorf => "the digits in Zeckendorf's numeration".to_owned(),
                };
                return Err(Unsupported::new(&format!("this over {digits}"), place));
            }
            let level = |variable: Variable| match variable {
                Variable::Before(heap) | Variable::After(heap) => heap,
                Variable::Some(_) => heaps - 1,
            };
            let last = atom.variables().into_iter().map(level).max().unwrap_or(0);
            atoms.push(Prepared {
                atom,
                at: size,
                last,
            });
            size += match atom {
                Atom::Power { .. } => 1,
                Atom::NonZero(sums) => 2 * sums.len(),
                _ => 2,
            };
        }
        Ok(Machine {
            clause,
            numeration,
            atoms,
            size,
        })
    }

    /// Before any digit.
    pub fn start(&self) -> States {
        vec![0; self.size]
    }

    /// A letter begins: the digits so far move up.
    pub fn begin(&self, states: &mut States) {
        for prepared in &self.atoms {
            let shift = |pair: &mut [i64], modulus: i64| {
                if pair[0] == SETTLED {
                    return;
                }
                let (sum, low) = (pair[0], pair[1]);
                match self.numeration {
                    Numeration::Base(base) => pair[0] = (sum * i64::from(base)) % modulus,
                    Numeration::Zeckendorf => {
                        (pair[0], pair[1]) = ((sum + low) % modulus, sum);
                    }
                }
            };
            let own = &mut states[prepared.at..];
            match prepared.atom {
                Atom::Zero(_) | Atom::AtMost(_) => shift(&mut own[..2], i64::MAX),
                Atom::NonZero(sums) => own[..2 * sums.len()]
                    .chunks_exact_mut(2)
                    .for_each(|pair| shift(pair, i64::MAX)),
                Atom::Residue { modulus, .. } => shift(&mut own[..2], *modulus),
                Atom::Power { .. } => {}
                Atom::Columns { .. } => own[..2].fill(0),
            }
        }
    }

    /// A digit of a variable.
    pub fn feed(&self, states: &mut States, variable: Variable, digit: u8) {
        if digit == 0 {
            return;
        }
        let digit = i64::from(digit);
        for prepared in &self.atoms {
            let add = |pair: &mut [i64], sum: &Linear, modulus: i64| {
                let more = sum.weight(variable) * digit;
                if pair[0] == SETTLED || more == 0 {
                    return;
                }
                pair[0] = (pair[0] + more) % modulus;
                if self.numeration == Numeration::Zeckendorf {
                    pair[1] = (pair[1] + more) % modulus;
                }
            };
            let own = &mut states[prepared.at..];
            match prepared.atom {
                Atom::Zero(sum) | Atom::AtMost(sum) => add(&mut own[..2], sum, i64::MAX),
                Atom::NonZero(sums) => sums
                    .iter()
                    .zip(own.chunks_exact_mut(2))
                    .for_each(|(sum, pair)| add(pair, sum, i64::MAX)),
                Atom::Residue { sum, modulus, .. } => add(&mut own[..2], sum, *modulus),
                // 0: no digit yet but zeros; 1: a power so far; 2: none.
                Atom::Power { base, of, .. } if *of == variable => {
                    own[0] = if own[0] == 0 && is_power(*base, digit) {
                        1
                    } else {
                        2
                    };
                }
                Atom::Power { .. } => {}
                Atom::Columns {
                    terms,
                    modulus,
                    results,
                    ..
                } => {
                    let times = |all: &[Variable]| {
                        all.iter().filter(|own| **own == variable).count() as i64
                    };
                    own[0] = (own[0] + digit * times(terms)) % modulus;
                    own[1] += digit * times(results);
                }
            }
        }
    }

    /// The digits of this level have been read. Settles what they decide, and
    /// says whether the clause can still hold.
    pub fn end(&self, states: &mut States, level: usize) -> bool {
        for prepared in &self.atoms {
            if prepared.last != level {
                continue;
            }
            let own = &mut states[prepared.at..];
            match prepared.atom {
                Atom::Zero(sum) if self.sign(sum, own[0], own[1]).is_some() => return false,
                Atom::AtMost(sum) if own[0] != SETTLED => match self.sign(sum, own[0], own[1]) {
                    Some(true) => return false,
                    Some(false) => own[..2].copy_from_slice(&[SETTLED, 0]),
                    None => {}
                },
                Atom::NonZero(sums) if own[0] != SETTLED => {
                    let mut pairs = sums.iter().zip(own.chunks_exact(2));
                    if pairs.any(|(sum, pair)| self.sign(sum, pair[0], pair[1]).is_some()) {
                        for pair in own[..2 * sums.len()].chunks_exact_mut(2) {
                            pair.copy_from_slice(&[SETTLED, 0]);
                        }
                    }
                }
                Atom::Power { holds: true, .. } if own[0] == 2 => return false,
                Atom::Columns { .. } => {
                    if own[0] != own[1] {
                        return false;
                    }
                    own[..2].fill(0);
                }
                _ => {}
            }
        }
        true
    }

    /// Whether a sum will be above 0 whatever digits follow, or below 0.
    fn sign(&self, linear: &Linear, sum: i64, low: i64) -> Option<bool> {
        let width = |sign: i64| -> i64 {
            let weights = linear.weights.values().map(|weight| weight * sign);
            weights.filter(|weight| *weight > 0).sum()
        };
        if self.stays_above(sum, low, width(-1), linear.constant) {
            return Some(true);
        }
        let below = self.stays_above(-sum, -low, width(1), -linear.constant);
        below.then_some(false)
    }

    /// Whether a sum stays above 0 with its constant where further digits may
    /// take away `width` times the largest number that they write.
    ///
    /// In base b, k digits leave at least b^k (sum - width) + width: if the
    /// bracket is not negative, that is least for k = 0. In Zeckendorf's
    /// numeration k digits write at most 2 F + G - 2, even if ones stand side
    /// by side, where F and G are Fibonacci numbers, G <= F; they leave at
    /// least F (sum - 2 width) + G (low - width) + 2 width, with F = 1 and
    /// G = 0 for k = 0, and F = G = 1 for k = 1. As F X + G Y = (F - G) X +
    /// G (X + Y), that is least for one of these, if neither X nor X + Y is
    /// negative.
    fn stays_above(&self, sum: i64, low: i64, width: i64, constant: i64) -> bool {
        match self.numeration {
            Numeration::Base(_) => sum >= width && sum + constant > 0,
            Numeration::Zeckendorf => {
                sum >= 2 * width
                    && sum + low >= 3 * width
                    && sum + constant > 0
                    && sum + low - width + constant > 0
            }
        }
    }

    /// Whether the clause holds if no digit follows.
    pub fn accepts(&self, states: &[i64]) -> bool {
        self.atoms.iter().all(|prepared| {
            let own = &states[prepared.at..];
            match prepared.atom {
                Atom::Zero(sum) => own[0] + sum.constant == 0,
                Atom::AtMost(sum) => own[0] == SETTLED || own[0] + sum.constant <= 0,
                Atom::NonZero(sums) => {
                    let mut pairs = sums.iter().zip(own.chunks_exact(2));
                    pairs.any(|(sum, pair)| pair[0] == SETTLED || pair[0] + sum.constant != 0)
                }
                Atom::Residue {
                    sum,
                    modulus,
                    residue,
                    holds,
                } => ((own[0] + sum.constant).rem_euclid(*modulus) == *residue) == *holds,
                Atom::Power { holds, .. } => (own[0] == 1) == *holds,
                Atom::Columns { .. } => true,
            }
        })
    }

    /// Whether the clause holds whatever digits follow.
    pub fn is_settled(&self, states: &[i64]) -> bool {
        self.atoms.iter().all(|prepared| {
            matches!(prepared.atom, Atom::AtMost(_) | Atom::NonZero(_))
                && states[prepared.at] == SETTLED
        })
    }

    /// Whether whatever follows and makes the clause hold from `less` makes it
    /// hold from `more` too. Both ways only if they are the same.
    pub fn subsumes(&self, more: &[i64], less: &[i64]) -> bool {
        self.atoms.iter().all(|prepared| {
            let (own, other) = (&more[prepared.at..], &less[prepared.at..]);
            match prepared.atom {
                Atom::AtMost(_) | Atom::NonZero(_) if own[0] == SETTLED => true,
                // What follows adds F times the one and G times the other,
                // where F >= G >= 0.
                Atom::AtMost(_) => {
                    other[0] != SETTLED
                        && own[0] <= other[0]
                        && own[0] + own[1] <= other[0] + other[1]
                }
                Atom::NonZero(sums) => own[..2 * sums.len()] == other[..2 * sums.len()],
                Atom::Power { .. } => own[0] == other[0],
                _ => own[..2] == other[..2],
            }
        })
    }
}

/// Whether a positive number is a power of the base.
fn is_power(base: i64, number: i64) -> bool {
    let mut power = 1;
    while power < number {
        power *= base;
    }
    power == number
}
