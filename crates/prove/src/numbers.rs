//! Numbers of a proved set of P-positions: its invariant vectors, the number of its positions by
//! size, and its automaton as a text of Walnut.

use super::certificate::{Proves, tracks_of};
use super::compile;
pub use nimrule_automata::counting::Counts;
use nimrule_automata::counting::counts;
use nimrule_automata::{Budget, Dfa, Numeration, Shifts, TableDfa, walnut};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Game;
use thiserror::Error;

/// The most vectors of a box that are tried.
const MOST_VECTORS: u64 = 6561;
/// The largest entry of a vector that is tried.
const MOST_ENTRY: u64 = 16;
/// The most small P-positions that a vector is compared with before it is decided.
const MOST_SMALL: usize = 200;

/// Numbers of a set of P-positions.
#[derive(Debug, Clone, PartialEq)]
pub struct SetNumbers {
    /// The numeration of the automaton.
    pub numeration: Numeration,
    /// The number of heaps.
    pub heaps: usize,
    /// The invariant vectors.
    pub invariant: InvariantVectors,
    /// The number of P-positions whose heaps have at most m digits, m = 0, 1, 2, …
    pub counts: Counts,
}

/// The vectors v for which a position p is a P-position if and only if p + v is, for every p
/// (Kadam, Dufour and Heubach, 2026). Their differences without a negative entry are invariant,
/// too, so that all of them are sums of the minimal ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvariantVectors {
    /// The largest entry of the vectors that were tried: all of them were decided.
    pub entries: u64,
    /// Those of which no other one is a part, by the sum of their entries.
    pub minimal: Vec<Vec<u64>>,
}

/// Why a set has no numbers, or no text of Walnut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoNumbers {
    /// The table of the automaton has too many entries.
    #[error("its automaton has too many states and heaps for a table")]
    Large,
    /// Walnut has no numeration of this kind.
    #[error("Walnut has bases and Zeckendorf's numeration, and this is another one")]
    Numeration,
    /// A theorem about any number of heaps has no automaton.
    #[error("any number of heaps has no automaton")]
    AnyNumber,
    /// A limit was exceeded.
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

impl SetNumbers {
    /// The numbers of a set of P-positions.
    ///
    /// # Errors
    ///
    /// The automaton is too large, or a limit is exceeded.
    pub fn new(game: &Game, set: &Dfa, limits: &Limits) -> Result<SetNumbers, NoNumbers> {
        let budget = Budget::new(limits);
        let table = table(game, Proves::PPositions, set, &budget)?;
        Ok(SetNumbers {
            numeration: set.numeration(),
            heaps: table.tracks,
            invariant: InvariantVectors::new(game, set, &table, &budget)?,
            counts: counts(&table, &budget)?,
        })
    }

    /// The exponent e such that the number of P-positions with all heaps below N grows as N^e;
    /// `None` if it grows more slowly than every power. The worth of a place grows as `base`^m.
    pub fn exponent(&self) -> Option<f64> {
        let base = match self.numeration {
            Numeration::Base(base) => f64::from(base),
            Numeration::Ostrowski(quotient) => {
                let quotient = f64::from(quotient);
                (quotient + (quotient * quotient + 4.0).sqrt()) / 2.0
            }
        };
        let exponent = self.counts.rate.ln() / base.ln();
        (exponent > 1e-6).then_some(exponent)
    }
}

impl InvariantVectors {
    /// Decides all vectors with entries up to a bound: the largest, to [`MOST_ENTRY`], for which
    /// there are at most [`MOST_VECTORS`], and at least 1.
    fn new(
        game: &Game,
        set: &Dfa,
        table: &TableDfa,
        budget: &Budget,
    ) -> Result<InvariantVectors, LimitExceeded> {
        let heaps = table.tracks as u32;
        let few = |entry: &u64| (entry + 1).saturating_pow(heaps) <= MOST_VECTORS;
        let entries = (1..=MOST_ENTRY).rev().find(few).unwrap_or(1);
        let tracks = compile::tracks(game);
        let is_p = |position: &[u64]| {
            let numbers = tracks.iter().copied().zip(position.iter().copied());
            set.accepts(&numbers.collect::<Vec<_>>())
        };
        let sums = 0..=entries * u64::from(heaps);
        let mut small = Vec::new();
        for sum in sums.clone() {
            of_sum(
                sum,
                entries,
                0,
                &mut vec![0; table.tracks],
                &mut |position| {
                    budget.tick(|| 0)?;
                    if is_p(position) && small.len() < MOST_SMALL {
                        small.push(position.to_vec());
                    }
                    Ok(())
                },
            )?;
        }
        // Most vectors lead from a small P-position out of the set, or back from one.
        let is_refuted = |vector: &[u64]| {
            small.iter().any(|position| {
                let entries = || position.iter().zip(vector);
                let sum: Vec<u64> = entries().map(|(a, b)| a + b).collect();
                let rest: Option<Vec<u64>> = entries().map(|(a, b)| a.checked_sub(*b)).collect();
                !is_p(&sum) || rest.is_some_and(|rest| !is_p(&rest))
            })
        };
        let shifts = Shifts::new(table, set.numeration(), entries, budget)?;
        let mut minimal: Vec<Vec<u64>> = Vec::new();
        for sum in sums.skip(1) {
            of_sum(sum, entries, 0, &mut vec![0; table.tracks], &mut |vector| {
                budget.tick(|| 0)?;
                let is_part = |less: &Vec<u64>| less.iter().zip(vector).all(|(a, b)| a <= b);
                // With an invariant part, the rest of the vector has been decided.
                if !minimal.iter().any(is_part)
                    && !is_refuted(vector)
                    && shifts.leaves_invariant(vector, budget)?
                {
                    minimal.push(vector.to_vec());
                }
                Ok(())
            })?;
        }
        Ok(InvariantVectors { entries, minimal })
    }
}

/// Visits the vectors with a sum of the entries from `at` on, the largest first entries first.
fn of_sum(
    sum: u64,
    most: u64,
    at: usize,
    vector: &mut [u64],
    visit: &mut dyn FnMut(&[u64]) -> Result<(), LimitExceeded>,
) -> Result<(), LimitExceeded> {
    let rest = (vector.len() - at) as u64;
    if rest == 0 {
        return visit(vector);
    }
    for entry in (sum.saturating_sub((rest - 1) * most)..=sum.min(most)).rev() {
        vector[at] = entry;
        of_sum(sum - entry, most, at + 1, vector, visit)?;
    }
    Ok(())
}

/// The minimal table of a set.
fn table(game: &Game, proves: Proves, set: &Dfa, budget: &Budget) -> Result<TableDfa, NoNumbers> {
    let tracks = tracks_of(game, proves);
    let set = set.over_numbers(&tracks, budget)?;
    let table = set.table(&tracks).ok_or(NoNumbers::Large)?;
    Ok(table.minimised(|| budget.tick(|| 0))?)
}

/// The text of a set for Walnut: a number for each heap, and one for the value where the set is
/// that of positions with their Grundy values.
///
/// # Errors
///
/// Walnut does not have the numeration, the automaton is too large, or a limit is exceeded.
pub fn walnut_text(
    game: &Game,
    proves: Proves,
    set: &Dfa,
    limits: &Limits,
) -> Result<String, NoNumbers> {
    let table = table(game, proves, set, &Budget::new(limits))?;
    walnut::text(&table, set.numeration()).ok_or(NoNumbers::Numeration)
}

/// Why the set of a text of Walnut is not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoWalnutSet {
    /// The text is refused.
    #[error(transparent)]
    Read(#[from] walnut::ReadError),
    /// It has another number of tracks.
    #[error(
        "its letters are of length {numbers}, and those of a set of positions of length {heaps}, \
         one digit for each heap, or one more with the Grundy value"
    )]
    Numbers {
        /// The numbers of the text.
        numbers: usize,
        /// The heaps of the game.
        heaps: usize,
    },
}

/// The set of a text of Walnut, with what it claims to be by its numbers: the set of the
/// P-positions, or of the positions with their Grundy values.
///
/// # Errors
///
/// Why it is not read.
pub fn walnut_set(game: &Game, text: &str, limits: &Limits) -> Result<(Proves, Dfa), NoWalnutSet> {
    let budget = Budget::new(limits);
    let (table, numeration) = walnut::read(text, &budget)?;
    let (numbers, heaps) = (table.tracks, game.heap_count());
    let proves = match numbers.checked_sub(heaps) {
        Some(0) => Proves::PPositions,
        Some(1) => Proves::GrundyValues,
        _ => return Err(NoWalnutSet::Numbers { numbers, heaps }),
    };
    let tracks = tracks_of(game, proves);
    let set = table.dfa(&tracks, numeration);
    let set = set.over_numbers(&tracks, &budget);
    Ok((proves, set.map_err(walnut::ReadError::from)?))
}

/// Whether a text is one of Walnut, by its first line; certificates are JSON.
pub fn is_walnut(text: &str) -> bool {
    let head = text.trim_start();
    head.starts_with("msd_") || head.starts_with("lsd_")
}
