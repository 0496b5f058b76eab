//! Witnesses: the simplest position at which a labelling is wrong.
//!
//! Whole sizes are tried first, then halves, thirds and quarters, the smallest
//! total first; where none of these serves, the position that a decision gave
//! is shown.

use super::eliminate::Statement;
use super::formula::Formula;
use super::model::{model, with};
use super::number::{Linear, Rational, Values, Variable, of_heap, whole};
use super::theorem::{Theorem, Wrong};
use nimrule_limits::LimitExceeded;
use num_bigint::BigInt;

/// A position of real heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The sizes, or what measures them.
    pub sizes: Vec<Rational>,
    /// What the numbers measure, where that is not the sizes: `x*x`.
    pub measured: Option<Vec<String>>,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = match &self.measured {
            None => self.sizes.iter().map(Rational::to_string).collect(),
            Some(words) => words
                .iter()
                .zip(&self.sizes)
                .map(|(words, size)| format!("{words} = {size}"))
                .collect(),
        };
        write!(
            f,
            "({})",
            sizes.join(if self.measured.is_some() { ", " } else { "," })
        )
    }
}

/// A position at which a labelling is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub position: Position,
    pub why: Why,
}

/// What is wrong at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is P by the claim, and so is this option of it.
    LeadsTo(Position),
    /// It is N by the claim, and none of its moves leads to a P-position.
    Stuck,
    /// It is P by the claim, has no move, and that wins in misere play.
    Idle,
}

impl Witness {
    /// What is wrong, on one line.
    pub fn words(&self) -> String {
        match &self.why {
            Why::LeadsTo(option) => {
                format!("claimed P, with a move to {option}, which is also claimed P")
            }
            Why::Stuck => "claimed N, and no move leads to a position that is claimed P".to_owned(),
            Why::Idle => "claimed P, and without a move it is N under misere play".to_owned(),
        }
    }
}

/// So many positions are tried of each denominator.
const MAX_TRIED: usize = 2_000;

/// The denominators that are tried.
const DENOMINATORS: [i64; 4] = [1, 2, 3, 4];

/// Finds a position at which the labelling is wrong. `first` is tried before
/// all others.
pub fn witness(
    theorem: &Theorem,
    wrong: &Wrong,
    names: &[String],
    first: Option<&[u64]>,
) -> Result<Option<Witness>, LimitExceeded> {
    let statement = match wrong {
        Wrong::Leads(at) | Wrong::Stuck(at) | Wrong::Idle(at) => at,
    };
    let heaps: Vec<usize> = (0..names.len()).collect();
    let first = first.map(|sizes| {
        let sizes = sizes
            .iter()
            .map(|size| Rational::from_integer(BigInt::from(*size)));
        sizes.collect::<Vec<Rational>>()
    });
    let Some((sizes, values)) = simplest(theorem, statement, &heaps, of_heap, first)? else {
        return Ok(None);
    };
    let position = |sizes: Option<Vec<Rational>>, values: &Values| match sizes {
        Some(sizes) => Position {
            sizes,
            measured: None,
        },
        None => Position {
            sizes: heaps
                .iter()
                .map(|heap| super::number::value_of(values, of_heap(*heap)))
                .collect(),
            measured: measured(theorem, names),
        },
    };
    let here = position(sizes.clone(), &values);
    let why = match wrong {
        Wrong::Stuck(_) => Why::Stuck,
        Wrong::Idle(_) => Why::Idle,
        Wrong::Leads(_) => match option(theorem, &sizes, &values)? {
            None => return Ok(None),
            Some((sizes, values)) => Why::LeadsTo(position(sizes, &values)),
        },
    };
    Ok(Some(Witness {
        position: here,
        why,
    }))
}

/// What the numbers of a position measure, where that is not the sizes.
fn measured(theorem: &Theorem, names: &[String]) -> Option<Vec<String>> {
    let words = theorem.scales.of.iter().zip(names);
    (!theorem.scales.are_sizes()).then(|| words.map(|(m, name)| m.words(name)).collect())
}

/// Sizes, where they are known and not only their measures, and the measures.
type Found = (Option<Vec<Rational>>, Values);

/// A P-position that a P-position has a move to.
fn option(
    theorem: &Theorem,
    sizes: &Option<Vec<Rational>>,
    values: &Values,
) -> Result<Option<Found>, LimitExceeded> {
    for ((into, _), (_, touched)) in theorem.moves_into_set().iter().zip(&theorem.moves) {
        let mut there = into.clone();
        for (variable, value) in values {
            there = with(&there, *variable, &Linear::constant(value.clone()));
        }
        let found = simplest(theorem, &there, touched, super::number::of_heap_after, None)?;
        let Some((found, reached)) = found else {
            continue;
        };
        let mut values = values.clone();
        for heap in touched {
            let value = super::number::value_of(&reached, super::number::of_heap_after(*heap));
            values.insert(of_heap(*heap), value);
        }
        let sizes = match (sizes, found) {
            (Some(sizes), Some(found)) => {
                let mut sizes = sizes.clone();
                for (heap, size) in touched.iter().zip(found) {
                    sizes[*heap] = size;
                }
                Some(sizes)
            }
            _ => None,
        };
        return Ok(Some((sizes, values)));
    }
    Ok(None)
}

/// The simplest sizes of these heaps for which a statement about their measures
/// holds, which speaks of no others.
fn simplest(
    theorem: &Theorem,
    statement: &Statement,
    heaps: &[usize],
    variable: impl Fn(usize) -> Variable,
    first: Option<Vec<Rational>>,
) -> Result<Option<Found>, LimitExceeded> {
    if *statement == Formula::Const(false) {
        return Ok(None);
    }
    let measures = |sizes: &[Rational]| -> Values {
        let all = heaps.iter().zip(sizes);
        all.map(|(heap, size)| (variable(*heap), theorem.scales.of[*heap].of(size)))
            .collect()
    };
    if let Some(sizes) = first {
        let values = measures(&sizes);
        if statement.holds(&values) {
            return Ok(Some((Some(sizes), values)));
        }
    }
    let size = statement.size();
    for denominator in DENOMINATORS {
        let parts = whole(denominator).recip();
        for counts in by_total(heaps.len(), MAX_TRIED) {
            theorem.budget.work(size)?;
            let sizes: Vec<Rational> = counts.iter().map(|count| whole(*count) * &parts).collect();
            let values = measures(&sizes);
            if statement.holds(&values) {
                return Ok(Some((Some(sizes), values)));
            }
        }
    }
    let found = model(statement, &theorem.budget)?;
    Ok(found.map(|values| {
        // What measures a size by itself is the size.
        let sizes = theorem.scales.are_sizes().then(|| {
            let sizes = heaps.iter();
            sizes
                .map(|heap| super::number::value_of(&values, variable(*heap)))
                .collect()
        });
        (sizes, values)
    }))
}

/// So many rows of numbers, by their sums, and in lexicographic order.
fn by_total(length: usize, most: usize) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    let mut total = 0;
    while all.len() < most {
        let before = all.len();
        let mut row = Vec::with_capacity(length);
        with_total(length, total, most, &mut row, &mut all);
        if all.len() == before || length == 0 {
            break;
        }
        total += 1;
    }
    all
}

fn with_total(left: usize, total: i64, most: usize, row: &mut Vec<i64>, all: &mut Vec<Vec<i64>>) {
    if all.len() >= most {
        return;
    }
    if left <= 1 {
        let mut whole = row.clone();
        whole.extend((left == 1).then_some(total));
        all.push(whole);
        return;
    }
    for first in 0..=total {
        row.push(first);
        with_total(left - 1, total - first, most, row, all);
        row.pop();
    }
}
