//! The automaton of a clause: it decides comparisons of weighted sums digit by
//! digit.
//!
//! The automaton reads the most significant digit first. Its state holds two
//! numbers for each comparison: the weighted sum of the digits so far, and, for an
//! Ostrowski numeration, what that sum would be if every digit stood one
//! place lower, where the place below the lowest is worth 1. In base b a further
//! letter multiplies the sum by b. In the Ostrowski numeration of [a; a, a, …] a
//! further letter makes the sum a times itself plus the second number, and the second
//! number the previous sum. A comparison that no further digit can change is settled.

use crate::atom::{Atom, Clause, Linear, Variable};
use crate::{Numeration, Unsupported};
use std::collections::BTreeSet;

/// The state of a settled comparison: it holds whatever digits follow.
const SETTLED: i64 = i64::MAX;

/// A state of the automaton: the states of the comparisons, one after another.
pub type States = Vec<i64>;

/// The automaton of a clause over one numeration.
pub struct ClauseAutomaton<'c> {
    pub clause: &'c Clause,
    /// The existential variables in the order in which their digits are read at the end of
    /// a letter: the digit of the variable at index i ends the level `heaps + i`.
    pub order: Vec<usize>,
    numeration: Numeration,
    atoms: Vec<Prepared<'c>>,
    /// The length of a state.
    size: usize,
}

/// A comparison with its place in the state.
struct Prepared<'c> {
    atom: &'c Atom,
    /// The index at which its state begins.
    at: usize,
    /// The last level of a letter at which the comparison reads a digit.
    last: usize,
    /// The length of its state.
    size: usize,
    /// For each of its sums the totals of the positive and of the negative weights.
    widths: Vec<(i64, i64)>,
}

impl<'c> ClauseAutomaton<'c> {
    /// The automaton of a clause.
    ///
    /// # Errors
    ///
    /// If the digits of the numeration do not decide a comparison.
    pub fn new(
        clause: &'c Clause,
        heaps: usize,
        numeration: Numeration,
    ) -> Result<ClauseAutomaton<'c>, Unsupported> {
        let order = order_of_reading(clause);
        let mut level_of = vec![0; clause.some];
        for (at, variable) in order.iter().enumerate() {
            level_of[*variable] = heaps + at;
        }
        let mut size = 0;
        let mut atoms = Vec::new();
        for atom in &clause.atoms {
            let (decidable, place) = match atom {
                Atom::Power { base, place, .. } => {
                    (numeration.recognises_powers_of(*base), place.0)
                }
                Atom::Columns { base, place, .. } => {
                    (numeration.recognises_powers_of(*base), place.0)
                }
                Atom::Pair {
                    quotient, place, ..
                } => (numeration == Numeration::Ostrowski(*quotient), place.0),
                _ => (true, (0, 0).into()),
            };
            if !decidable {
                let digits = match numeration {
                    Numeration::Base(base) => format!("the digits in base {base}"),
                    Numeration::Ostrowski(_) => "the digits of an Ostrowski numeration".to_owned(),
                };
                return Err(Unsupported::new(&format!("this in {digits}"), place));
            }
            let level = |variable: Variable| match variable {
                Variable::Before(heap) | Variable::After(heap) => heap,
                Variable::Some(some) => level_of[some],
            };
            let last = atom.variables().into_iter().map(level).max().unwrap_or(0);
            let sums = match atom {
                Atom::Zero(sum) | Atom::AtMost(sum) => std::slice::from_ref(sum),
                Atom::NonZero(sums) => sums,
                _ => &[],
            };
            let own_size = match atom {
                Atom::Power { .. } => 1,
                Atom::NonZero(sums) => 2 * sums.len(),
                // A digit of the numeration is several digits in this base.
                Atom::Columns { base, .. } => {
                    let mut powers = std::iter::successors(Some(*base), |power| Some(power * base));
                    let most = numeration.radix() as i64;
                    2 * powers.by_ref().take_while(|power| *power <= most).count()
                }
                Atom::Pair { .. } => 5,
                _ => 2,
            };
            atoms.push(Prepared {
                atom,
                at: size,
                last,
                size: own_size,
                widths: sums.iter().map(widths).collect(),
            });
            size += own_size;
        }
        Ok(ClauseAutomaton {
            clause,
            order,
            numeration,
            atoms,
            size,
        })
    }

    /// The state before any digit.
    pub fn start(&self) -> States {
        vec![0; self.size]
    }

    /// Begins a letter: the digits so far move one place up.
    pub fn begin_letter(&self, states: &mut [i64]) {
        for prepared in &self.atoms {
            let shift = |pair: &mut [i64], modulus: i64| {
                if pair[0] == SETTLED {
                    return;
                }
                let (sum, low) = (pair[0], pair[1]);
                match self.numeration {
                    Numeration::Base(base) => pair[0] = (sum * i64::from(base)) % modulus,
                    Numeration::Ostrowski(quotient) => {
                        let more = sum * i64::from(quotient);
                        (pair[0], pair[1]) = ((more + low) % modulus, sum);
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
                Atom::Power { .. } | Atom::Columns { .. } | Atom::Pair { .. } => {}
            }
        }
    }

    /// Reads a digit of a variable.
    pub fn read_digit(&self, states: &mut [i64], variable: Variable, digit: u8) {
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
                if let Numeration::Ostrowski(_) = self.numeration {
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
                // 0: all digits so far are 0; 1: a power so far; 2: not a power.
                Atom::Power { base, of, .. } if *of == variable => {
                    own[0] = if own[0] == 0 && is_power(*base, digit) {
                        1
                    } else {
                        2
                    };
                }
                Atom::Power { .. } => {}
                // For each place the sum of the terms so far, reduced, and that of the
                // results.
                Atom::Columns {
                    base,
                    terms,
                    modulus,
                    results,
                    ..
                } => {
                    let times = |all: &[Variable]| {
                        all.iter().filter(|own| **own == variable).count() as i64
                    };
                    let (of_terms, of_results) = (times(terms), times(results));
                    let mut rest = digit;
                    for pair in own[..prepared.size].chunks_exact_mut(2) {
                        pair[0] = (pair[0] + rest % base * of_terms) % modulus;
                        pair[1] += rest % base * of_results;
                        rest /= base;
                    }
                }
                // As for a power, 0: all digits of the lower number so far are 0; 1: they
                // end in an even number of zeros; 2: in an odd number. Then the last digits
                // of both numbers, and those of this letter.
                Atom::Pair { lower, upper, .. } => {
                    for (track, at) in [(lower, 3), (upper, 4)] {
                        if *track == variable {
                            own[at] = digit;
                        }
                    }
                }
            }
        }
    }

    /// Ends a level, when all of its digits have been read: settles the
    /// comparisons that they decide. Returns whether the clause can still hold. The levels
    /// after those of the heaps are those of the existential variables
    /// ([`ClauseAutomaton::order`]).
    pub fn end_level(&self, states: &mut [i64], level: usize) -> bool {
        for prepared in &self.atoms {
            if prepared.last != level {
                continue;
            }
            let own = &mut states[prepared.at..];
            match prepared.atom {
                Atom::Zero(sum) if self.sign(sum, prepared.widths[0], own).is_some() => {
                    return false;
                }
                Atom::AtMost(sum) if own[0] != SETTLED => {
                    match self.sign(sum, prepared.widths[0], own) {
                        Some(true) => return false,
                        Some(false) => own[..2].copy_from_slice(&[SETTLED, 0]),
                        None => {}
                    }
                }
                Atom::NonZero(sums) if own[0] != SETTLED => {
                    let with_widths = sums.iter().zip(&prepared.widths);
                    let mut pairs = with_widths.zip(own.chunks_exact(2));
                    if pairs.any(|((sum, widths), pair)| self.sign(sum, *widths, pair).is_some()) {
                        for pair in own[..2 * sums.len()].chunks_exact_mut(2) {
                            pair.copy_from_slice(&[SETTLED, 0]);
                        }
                    }
                }
                Atom::Power { holds: true, .. } if own[0] == 2 => return false,
                Atom::Columns { .. } => {
                    let own = &mut own[..prepared.size];
                    if own.chunks_exact(2).any(|pair| pair[0] != pair[1]) {
                        return false;
                    }
                    own.fill(0);
                }
                Atom::Pair { quotient, .. } => {
                    let [zeros, last_lower, last_upper, lower, upper] = own[..5] else {
                        return false;
                    };
                    // A digit of the upper number is the next one of the lower number, and
                    // after the largest digit there is a 0.
                    if lower != last_upper || lower != 0 && last_lower == i64::from(*quotient) {
                        return false;
                    }
                    let zeros = match (zeros, lower) {
                        (0, 0) => 0,
                        (1, 0) => 2,
                        _ => 1,
                    };
                    own[..5].copy_from_slice(&[zeros, lower, upper, 0, 0]);
                }
                _ => {}
            }
        }
        true
    }

    /// `Some(true)` if a sum of these widths is above 0 whatever digits follow,
    /// `Some(false)` if it is below 0 whatever digits follow, `None` if later digits
    /// decide.
    fn sign(&self, linear: &Linear, widths: (i64, i64), pair: &[i64]) -> Option<bool> {
        let (sum, low) = (pair[0], pair[1]);
        if self.stays_above(sum, low, widths.1, linear.constant) {
            return Some(true);
        }
        let below = self.stays_above(-sum, -low, widths.0, -linear.constant);
        below.then_some(false)
    }

    /// Whether a sum plus its constant stays above 0 if further digits subtract
    /// at most `width` times the largest number that they can represent.
    ///
    /// In base b, after k digits the sum is at least b^k (sum - width) + width.
    /// If the bracket is not negative, this is smallest for k = 0.
    ///
    /// In the Ostrowski numeration of [a; a, a, …], k further digits make the sum
    /// F sum + G low, where F = 1 and G = 0 for k = 0, and each digit replaces them by
    /// a F + G and F, so that F >= G. Even if a digit follows the largest, they represent
    /// at most a (w₀ + … + wₖ₋₁) = wₖ + wₖ₋₁ - 2 = 2 F + (2 - a) G - 2. So the sum is at
    /// least F X + G Y + 2 width with X = sum - 2 width and Y = low - (2 - a) width. As
    /// F X + G Y = (F - G) X + G (X + Y), this is smallest for k = 0 or k = 1 if neither
    /// X nor X + Y is negative.
    fn stays_above(&self, sum: i64, low: i64, width: i64, constant: i64) -> bool {
        match self.numeration {
            Numeration::Base(_) => sum >= width && sum + constant > 0,
            Numeration::Ostrowski(quotient) => {
                let a = i64::from(quotient);
                sum >= 2 * width
                    && sum + low >= (4 - a) * width
                    && sum + constant > 0
                    && a * sum + low - a * width + constant > 0
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
                Atom::Pair { .. } => own[0] == 1 && own[2] == 0,
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

    /// Appends the part of a state that is equal in both states wherever
    /// [`ClauseAutomaton::subsumes`] returns true.
    pub fn exact_part(&self, states: &[i64], to: &mut Vec<i64>) {
        for prepared in &self.atoms {
            match prepared.atom {
                Atom::AtMost(_) | Atom::NonZero(_) => {}
                _ => to.extend_from_slice(&states[prepared.at..][..prepared.size]),
            }
        }
    }

    /// Whether every word accepted from `less` is also accepted from `more`
    /// (language inclusion, decided sufficiently but not necessarily). If it
    /// returns true in both directions the states are equal.
    pub fn subsumes(&self, more: &[i64], less: &[i64]) -> bool {
        self.atoms.iter().all(|prepared| {
            let (own, other) = (&more[prepared.at..], &less[prepared.at..]);
            match prepared.atom {
                Atom::AtMost(_) | Atom::NonZero(_) if own[0] == SETTLED => true,
                // Further letters add F times the first number and G times the
                // second, where F >= G >= 0.
                Atom::AtMost(_) => {
                    other[0] != SETTLED
                        && own[0] <= other[0]
                        && own[0] + own[1] <= other[0] + other[1]
                }
                _ => own[..prepared.size] == other[..prepared.size],
            }
        })
    }
}

/// The existential variables of a clause, those first whose digits are soon determined by
/// others: the next one is in a comparison with as few other unread variables as possible.
fn order_of_reading(clause: &Clause) -> Vec<usize> {
    let existentials = |atom: &Atom| -> BTreeSet<usize> {
        let own = atom
            .variables()
            .into_iter()
            .filter_map(|variable| match variable {
                Variable::Some(some) => Some(some),
                _ => None,
            });
        own.collect()
    };
    let mut unread: Vec<BTreeSet<usize>> = clause.atoms.iter().map(existentials).collect();
    let mut order = Vec::new();
    let mut rest: Vec<usize> = (0..clause.some).collect();
    while !rest.is_empty() {
        let others = |variable: &usize| {
            let with = unread.iter().filter(|unread| unread.contains(variable));
            with.map(BTreeSet::len).min()
        };
        let next = (0..rest.len()).min_by_key(|at| others(&rest[*at]).unwrap_or(usize::MAX));
        let next = rest.remove(next.unwrap_or(0));
        for unread in &mut unread {
            unread.remove(&next);
        }
        order.push(next);
    }
    order
}

/// The totals of the positive and of the negative weights of a sum, both as numbers that
/// are not negative.
fn widths(sum: &Linear) -> (i64, i64) {
    let total = |sign: i64| {
        let weights = sum.weights.values().map(|weight| weight * sign);
        weights.filter(|weight| *weight > 0).sum()
    };
    (total(1), total(-1))
}

/// Whether a positive number is a power of the base.
fn is_power(base: i64, number: i64) -> bool {
    let mut power = 1;
    while power < number {
        power *= base;
    }
    power == number
}
