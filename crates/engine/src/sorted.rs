//! Positions of interchangeable heaps in ascending order of their sizes: one of each orbit.

use super::options;
use super::{Limits, SolveError, Solver};
use nimrule_model::game::Convention;

/// The tuples of numbers in ascending order, equal ones allowed, in colexicographic order: the
/// tuples of numbers below a side are the first ones, whatever the side.
#[derive(Debug, Clone)]
pub struct SortedTuples {
    /// `before[i][x]` is the number of tuples of i + 1 numbers below x.
    before: Vec<Vec<usize>>,
}

impl SortedTuples {
    /// The tuples of so many numbers, at least one, below a side; `None` if there are more than a
    /// `usize` counts.
    pub fn new(length: usize, side: usize) -> Option<SortedTuples> {
        let mut before = vec![(0..=side).collect::<Vec<usize>>()];
        while before.len() < length {
            // The largest number is below x: it is x − 1, or below x − 1.
            let mut counts = vec![0_usize];
            for count in before.last()?.iter().skip(1) {
                counts.push(counts.last()?.checked_add(*count)?);
            }
            before.push(counts);
        }
        Some(SortedTuples { before })
    }

    /// The number of tuples of numbers below a side.
    pub fn count(&self, side: usize) -> usize {
        self.before.last().map_or(1, |counts| counts[side])
    }

    /// The index of a tuple.
    #[inline]
    pub fn place(&self, tuple: &[u32]) -> usize {
        let counts = self.before.iter().zip(tuple);
        counts
            .map(|(counts, number)| counts[*number as usize])
            .sum()
    }

    /// Moves a tuple to the next one.
    #[inline]
    pub fn advance(tuple: &mut [u32]) {
        let ties = tuple.windows(2).take_while(|pair| pair[0] == pair[1]);
        let raised = ties.count();
        tuple[raised] += 1;
        tuple[..raised].fill(0);
    }
}

/// The most vectors of a rule, so that all of them are tried at each position.
const MOST_VECTORS: usize = 1 << 10;
/// The number of positions between two checks of the limits.
const BETWEEN_CHECKS: usize = 1 << 16;

/// Returns whether [`sorted_outcomes`] supports a rule: every move subtracts one of finitely many
/// vectors wherever the heaps are large enough, all heaps are interchangeable, and both players
/// have these moves and all of them.
pub fn has_sorted_outcomes(solver: &Solver<'_>) -> bool {
    let classes = solver.graph.symmetries.interchangeable();
    let vectors = solver.profile.constant_vectors.as_ref();
    let game = solver.game;
    vectors.is_ok_and(|count| *count <= MOST_VECTORS)
        && game.blocked_options == 0
        && !game.has_sides()
        && solver.profile.looks_at_amounts_only.is_ok()
        && matches!(classes, [all] if all.len() == solver.graph.heaps)
}

/// Whether each position of heaps below a side in ascending order is a P-position, in the order
/// of [`SortedTuples`].
///
/// # Errors
///
/// A limit is exceeded, or a fault of the rule.
///
/// # Panics
///
/// The rule is not supported ([`has_sorted_outcomes`]).
pub fn sorted_outcomes(
    solver: &Solver<'_>,
    tuples: &SortedTuples,
    side: usize,
    convention: Convention,
    limits: &Limits,
) -> Result<Vec<bool>, SolveError> {
    assert!(has_sorted_outcomes(solver));
    let heaps = solver.graph.heaps;
    let count = tuples.count(side);
    limits
        .check_memory(count as u128)
        .map_err(SolveError::from)?;
    let corner = vec![side.saturating_sub(1) as u64; heaps];
    let vectors = options::vectors(solver, &corner, limits)?.ok_or(SolveError::Memory {
        needed: u128::from(limits.memory) + 1,
        limit: limits.memory,
    })?;
    let vectors: Vec<Vec<u32>> = vectors
        .iter()
        .map(|vector| vector.iter().map(|amount| *amount as u32).collect())
        .collect();
    let mut outcomes = Vec::with_capacity(count);
    let mut position = vec![0_u32; heaps];
    let mut option = vec![0_u32; heaps];
    for place in 0..count {
        if place % BETWEEN_CHECKS == 0 {
            limits.check_time().map_err(SolveError::from)?;
        }
        let (mut is_terminal, mut wins) = (true, false);
        for vector in &vectors {
            if !subtract(&position, vector, &mut option) {
                continue;
            }
            is_terminal = false;
            option.sort_unstable();
            if outcomes[tuples.place(&option)] {
                wins = true;
                break;
            }
        }
        let is_n = match convention {
            Convention::Misere => wins || is_terminal,
            Convention::Normal => wins,
        };
        outcomes.push(!is_n);
        SortedTuples::advance(&mut position);
    }
    Ok(outcomes)
}

/// Writes the position minus a vector to `option`; returns `false` if a heap is too small.
#[inline]
fn subtract(position: &[u32], vector: &[u32], option: &mut [u32]) -> bool {
    let sizes = position.iter().zip(vector).zip(option);
    sizes.fold(true, |is_option, ((size, amount), option)| {
        *option = size.wrapping_sub(*amount);
        is_option && amount <= size
    })
}
