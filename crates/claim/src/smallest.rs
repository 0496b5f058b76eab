//! The smallest counterexample of a claim: the one with the fewest tokens, and the first of
//! these in lexicographic order ([`Rule::size_key`](nimrule_model::game::Rule::size_key)).

use super::{ClaimEvaluator, Counterexample};
use nimrule_engine::memo::MemoSearch;
use nimrule_engine::{self as engine, Engine, Limits, Outcome, Query, Question, Shape};
use nimrule_engine::{SolveError, Solver};
use nimrule_ir::Walker;
use nimrule_model::game::{Game, Statement};

/// The smallest of the counterexamples added so far.
#[derive(Debug, Clone, Default)]
pub struct SmallestCounterexample(Option<Counterexample>);

impl SmallestCounterexample {
    /// Whether a counterexample at this position would be the smallest.
    pub fn is_above(&self, game: &Game, position: &[u64]) -> bool {
        let is_smaller =
            |found: &Counterexample| game.size_key(position) < game.size_key(&found.position);
        self.0.as_ref().is_none_or(is_smaller)
    }

    /// Adds a counterexample, which is dropped unless it is the smallest.
    pub fn add(&mut self, game: &Game, found: Counterexample) {
        if self.is_above(game, &found.position) {
            self.0 = Some(found);
        }
    }

    /// The smallest of those added.
    pub fn get(&self) -> Option<&Counterexample> {
        self.0.as_ref()
    }

    /// The smallest of those added.
    pub fn into_inner(self) -> Option<Counterexample> {
        self.0
    }
}

/// The most positions, and about the most options, that [`by_total`] visits.
const MOST_POSITIONS: u128 = 100_000;
const MOST_OPTIONS: u128 = 4_000_000;

/// The smallest counterexample of a claim about the outcomes or values of a game of heaps,
/// among the affordable positions of at most `most` tokens with a heap of more than `beyond`.
/// They are solved in the order of [`Rule::size_key`](nimrule_model::game::Rule::size_key), so the search ends at the first at
/// which the claim fails.
///
/// In many heaps there are far fewer positions of few tokens than in a box.
///
/// # Errors
///
/// A fault in the rule or the claim, or an exceeded limit.
pub fn by_total(
    solver: &Solver<'_>,
    statement: &Statement,
    asked: Query,
    beyond: u64,
    most: u128,
    limits: &Limits,
) -> Result<Option<Counterexample>, SolveError> {
    let game = solver.game;
    let heaps: Vec<usize> = (0..game.heap_count()).collect();
    let mut position = vec![0; heaps.len()];
    let mut search = MemoSearch.lookup(solver, &position, asked, limits)?;
    let mut walker = Walker::new(&solver.graph, &[]).until(limits);
    let mut evaluator = ClaimEvaluator::new(game);
    let mut total = beyond + 1;
    while u128::from(total) <= most && is_affordable(solver, total) {
        let mut found = None;
        for_each_of_total(&heaps, total, &mut position, &mut |position| {
            if position.iter().all(|size| *size <= beyond) {
                return Ok(true);
            }
            limits.check_time()?;
            let fault = |fault| SolveError::Fault {
                fault,
                position: position.to_vec(),
            };
            if !walker.is_position(position).map_err(fault)? {
                return Ok(true);
            }
            let value = search.value(position)?;
            let outcome = match value {
                0 => Outcome::P,
                _ => Outcome::N,
            };
            let grundy = (asked.question == Question::Grundy).then_some(value);
            let contradiction = evaluator
                .contradiction(statement, position, outcome, grundy)
                .map_err(fault)?;
            found = contradiction.map(|(actual, claimed)| Counterexample {
                position: position.to_vec(),
                actual,
                claimed,
            });
            Ok(found.is_none())
        })?;
        if found.is_some() {
            return Ok(found);
        }
        total += 1;
    }
    Ok(None)
}

/// Whether the positions of at most `total` tokens are few enough.
fn is_affordable(solver: &Solver<'_>, total: u64) -> bool {
    let heaps = solver.game.heap_count();
    // The binomial coefficient of heaps + total over heaps.
    let mut positions = 1_u128;
    for step in 1..=heaps.min(total as usize) as u128 {
        positions = positions * (heaps as u128 + u128::from(total) + 1 - step) / step;
        if positions > MOST_POSITIONS {
            return false;
        }
    }
    // The mean heap of the box of this corner has as many tokens as that of the positions.
    let corner = vec![(2 * total).div_ceil(heaps as u64).min(total); heaps];
    let options_each = engine::work_below(solver, &corner) / Shape::count(&corner).max(1);
    positions.saturating_mul(options_each) <= MOST_OPTIONS
}

/// Calls `visit` for the positions of this total with tokens in these heaps only, in
/// lexicographic order, until it returns false.
pub(crate) fn for_each_of_total(
    heaps: &[usize],
    tokens: u64,
    position: &mut Vec<u64>,
    visit: &mut dyn FnMut(&[u64]) -> Result<bool, SolveError>,
) -> Result<bool, SolveError> {
    let Some((first, rest)) = heaps.split_first() else {
        return if tokens == 0 {
            visit(position)
        } else {
            Ok(true)
        };
    };
    let least = if rest.is_empty() { tokens } else { 0 };
    for size in least..=tokens {
        position[*first] = size;
        let more = for_each_of_total(rest, tokens - size, position, visit)?;
        position[*first] = 0;
        if !more {
            return Ok(false);
        }
    }
    Ok(true)
}
