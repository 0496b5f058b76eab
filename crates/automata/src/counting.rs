//! The numbers of accepted words by length, as a linear recurrence with its rate of growth.
//!
//! In a base B the words of m digits are the tuples of numbers below B^m; in an Ostrowski
//! numeration those below the worth of place m ([`Numeration::worth`](super::Numeration::worth)).
//!
//! The numbers are entries of the powers of the transfer matrix (Stanley, *Enumerative
//! Combinatorics* 1, section 4.7). States with as many letters to each class of states have the
//! same numbers and are merged. The shortest recurrence is found modulo primes, by the algorithm
//! of Berlekamp and Massey (1969), and its integers by the Chinese remainder theorem. It is then
//! checked with exact integers at as many consecutive places as the matrix has rows. By the
//! theorem of Cayley and Hamilton it holds at all later ones.

use super::{Budget, TableDfa};
use nimrule_limits::LimitExceeded;
use num_bigint::{BigInt, BigUint, Sign};
use std::collections::BTreeMap;

/// The numbers a(0), a(1), … of accepted words with 0, 1, … letters.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The first numbers; at least as many as the recurrence has coefficients.
    pub first: Vec<BigUint>,
    /// The coefficients c of the shortest recurrence: for every m ≥ their number,
    /// a(m) = c\[0\] a(m−1) + c\[1\] a(m−2) + …
    pub recurrence: Vec<BigInt>,
    /// The rate of growth: the m-th root of a(m) tends to it. It is the largest eigenvalue of
    /// the transfer matrix, with a relative error below [`RATE_ERROR`]; 0 if no word is accepted.
    pub rate: f64,
}

/// The relative error of a rate.
pub const RATE_ERROR: f64 = 1e-9;

/// The fewest first numbers.
const FEWEST: usize = 12;

/// The transfer matrix of the merged states.
struct Matrix {
    start: usize,
    accepting: Vec<bool>,
    /// By row, the columns with the numbers of letters, which are not 0.
    rows: Vec<Vec<(usize, u64)>>,
}

/// The numbers of accepted words of a table.
///
/// # Errors
///
/// A limit that is exceeded.
pub fn counts(table: &TableDfa, budget: &Budget) -> Result<Counts, LimitExceeded> {
    let matrix = Matrix::new(table, budget)?;
    let size = matrix.rows.len();
    let mut terms = Vec::new();
    let mut column: Vec<BigUint> = matrix
        .accepting
        .iter()
        .map(|a| u8::from(*a).into())
        .collect();
    while terms.len() < 2 * size + FEWEST {
        terms.push(column[matrix.start].clone());
        column = matrix.times(&column, budget)?;
    }
    let recurrence = shortest_recurrence(&terms, size, budget)?;
    let rate = matrix.rate(budget)?;
    terms.truncate(recurrence.len().max(FEWEST));
    Ok(Counts {
        first: terms,
        recurrence,
        rate,
    })
}

impl Matrix {
    fn new(table: &TableDfa, budget: &Budget) -> Result<Matrix, LimitExceeded> {
        let mut class: Vec<usize> = table.output.iter().map(|out| usize::from(*out)).collect();
        let mut classes = 0;
        loop {
            // A class is split by the numbers of letters to each class.
            let mut numbers = BTreeMap::new();
            let mut next = Vec::with_capacity(class.len());
            let mut rows: Vec<(bool, Vec<(usize, u64)>)> = Vec::new();
            for state in 0..table.states() {
                let mut row = BTreeMap::new();
                for letter in 0..table.letters() {
                    budget.tick(|| 0)?;
                    let to = table.step(state as u32, letter);
                    *row.entry(class[to as usize]).or_insert(0_u64) += 1;
                }
                let row: Vec<(usize, u64)> = row.into_iter().collect();
                let key = (class[state], row.clone());
                let new = rows.len();
                next.push(*numbers.entry(key).or_insert(new));
                if next[state] == new {
                    rows.push((table.output[state], row));
                }
            }
            if rows.len() == classes {
                return Ok(Matrix {
                    start: class[table.start as usize],
                    accepting: rows.iter().map(|(accepts, _)| *accepts).collect(),
                    rows: rows.into_iter().map(|(_, row)| row).collect(),
                });
            }
            classes = rows.len();
            class = next;
        }
    }

    fn times(&self, column: &[BigUint], budget: &Budget) -> Result<Vec<BigUint>, LimitExceeded> {
        let rows = self.rows.iter().map(|row| {
            budget.tick(|| column.len() * 64)?;
            Ok(row
                .iter()
                .map(|(to, letters)| &column[*to] * *letters)
                .sum())
        });
        rows.collect()
    }

    /// The largest eigenvalue of the part between the initial and the accepting states. It is
    /// that of a strongly connected component; a component plus the identity is primitive, so
    /// that powers of it converge, between the bounds of Collatz and Wielandt.
    fn rate(&self, budget: &Budget) -> Result<f64, LimitExceeded> {
        let size = self.rows.len();
        let reached = (0..size).map(|row| self.reached_from(row));
        let reached: Vec<Vec<bool>> = reached.collect();
        let is_used = |row: usize| {
            let mut ends = (0..size).filter(|end| self.accepting[*end]);
            reached[self.start][row] && ends.any(|end| reached[row][end])
        };
        let mut rate = 0.0_f64;
        for row in (0..size).filter(|row| is_used(*row)) {
            let component = |to: &usize| reached[row][*to] && reached[*to][row];
            if (0..row).any(|before| component(&before)) {
                continue;
            }
            let members: Vec<usize> = (0..size).filter(component).collect();
            let mut vector = vec![0.0; size];
            for member in &members {
                vector[*member] = 1.0;
            }
            loop {
                let mut next = vec![0.0; size];
                let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
                for member in &members {
                    budget.tick(|| size * size)?;
                    let row = self.rows[*member].iter();
                    let sum: f64 = row.map(|(to, letters)| *letters as f64 * vector[*to]).sum();
                    next[*member] = sum + vector[*member];
                    let ratio = next[*member] / vector[*member];
                    (least, most) = (least.min(ratio), most.max(ratio));
                }
                if most - least <= RATE_ERROR * least {
                    rate = rate.max((most + least) / 2.0 - 1.0);
                    break;
                }
                for member in &members {
                    vector[*member] = next[*member] / most;
                }
            }
        }
        Ok(rate)
    }

    /// The rows that a row leads to, itself included.
    fn reached_from(&self, row: usize) -> Vec<bool> {
        let mut reached = vec![false; self.rows.len()];
        let mut open = vec![row];
        reached[row] = true;
        while let Some(row) = open.pop() {
            for (to, _) in &self.rows[row] {
                if !std::mem::replace(&mut reached[*to], true) {
                    open.push(*to);
                }
            }
        }
        reached
    }
}

/// The coefficients of the shortest recurrence of a sequence that has one of at most `most`
/// coefficients, given at least 2 · `most` terms. All are integers (Fatou 1906).
#[doc(hidden)]
pub fn shortest_recurrence(
    terms: &[BigUint],
    most: usize,
    budget: &Budget,
) -> Result<Vec<BigInt>, LimitExceeded> {
    // The coefficients modulo the product of the primes so far.
    let mut residues: Vec<BigUint> = Vec::new();
    let mut product = BigUint::from(1_u8);
    let mut lifted: Option<Vec<BigInt>> = None;
    for prime in (1..1_u64 << 31).rev().filter(|number| is_prime(*number)) {
        let short = modulo(terms, prime, budget)?;
        if short.len() < residues.len() {
            // The prime divides a determinant, and the recurrence is shorter modulo it.
            continue;
        }
        if short.len() > residues.len() {
            (residues, product) = (vec![BigUint::ZERO; short.len()], 1_u8.into());
        }
        let inverse = inverse(
            (&product % prime).iter_u64_digits().next().unwrap_or(0),
            prime,
        );
        for (residue, new) in residues.iter_mut().zip(&short) {
            let old = (&*residue % prime).iter_u64_digits().next().unwrap_or(0);
            *residue += &product * ((new + prime - old) % prime * inverse % prime);
        }
        product *= prime;
        let symmetric = residues.iter().map(|residue| {
            let residue = BigInt::from(residue.clone());
            match residue.magnitude() * 2_u8 > product {
                true => residue - BigInt::from_biguint(Sign::Plus, product.clone()),
                false => residue,
            }
        });
        let symmetric: Vec<BigInt> = symmetric.collect();
        if lifted.as_ref() == Some(&symmetric) && holds(&symmetric, terms, most, budget)? {
            return Ok(symmetric);
        }
        lifted = Some(symmetric);
    }
    unreachable!("all but finitely many primes give the recurrence, whose integers are bounded")
}

/// Whether a recurrence holds at the first `most` places.
fn holds(
    recurrence: &[BigInt],
    terms: &[BigUint],
    most: usize,
    budget: &Budget,
) -> Result<bool, LimitExceeded> {
    for at in recurrence.len()..(recurrence.len() + most).min(terms.len()) {
        budget.tick(|| 0)?;
        let before = terms[..at].iter().rev();
        let sum: BigInt = before
            .zip(recurrence)
            .map(|(term, by)| by * BigInt::from(term.clone()))
            .sum();
        if sum != BigInt::from(terms[at].clone()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The shortest recurrence of a sequence modulo a prime, by the algorithm of Berlekamp and
/// Massey: its coefficients, as in [`Counts::recurrence`].
fn modulo(terms: &[BigUint], prime: u64, budget: &Budget) -> Result<Vec<u64>, LimitExceeded> {
    let terms = terms
        .iter()
        .map(|term| (term % prime).iter_u64_digits().next().unwrap_or(0));
    let terms: Vec<u64> = terms.collect();
    // The connection polynomials 1 − c[0] x − c[1] x² − …, now and before the last change.
    let (mut now, mut before) = (vec![1_u64], vec![1_u64]);
    let (mut length, mut shift, mut last) = (0, 1, 1_u64);
    for at in 0..terms.len() {
        budget.tick(|| 0)?;
        let products = now.iter().zip(terms[..=at].iter().rev());
        let difference = products.fold(0, |sum, (by, term)| (sum + by * term) % prime);
        if difference == 0 {
            shift += 1;
            continue;
        }
        let by = difference * inverse(last, prime) % prime;
        let mut next = now.clone();
        next.resize(now.len().max(before.len() + shift), 0);
        for (place, value) in before.iter().enumerate() {
            let place = &mut next[place + shift];
            *place = (*place + (prime - by) * value) % prime;
        }
        if 2 * length <= at {
            (before, last, shift) = (now, difference, 1);
            length = at + 1 - length;
        } else {
            shift += 1;
        }
        now = next;
    }
    now.resize(length + 1, 0);
    Ok(now[1..].iter().map(|by| (prime - by) % prime).collect())
}

/// The inverse of a number modulo a prime below 2^31, by Fermat's theorem.
fn inverse(number: u64, prime: u64) -> u64 {
    let (mut power, mut square, mut exponent) = (1, number % prime, prime - 2);
    while exponent > 0 {
        if exponent % 2 == 1 {
            power = power * square % prime;
        }
        square = square * square % prime;
        exponent /= 2;
    }
    power
}

fn is_prime(number: u64) -> bool {
    number >= 2
        && (2..)
            .take_while(|d| d * d <= number)
            .all(|d| !number.is_multiple_of(d))
}
