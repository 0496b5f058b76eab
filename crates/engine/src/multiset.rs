//! Enumeration of the positions of a heap game: multisets of heaps up to a total.

use super::table::PositionList;
use super::{SolveError, Solver};
use nimrule_ir::{Stop, Walker};
use nimrule_limits::{Limits, Steps};
use nimrule_model::game::HeapKinds;

/// An estimate of the bytes of a position of some dozen heaps with its answer.
pub const BYTES_PER_POSITION: u128 = 200;

/// The number of multisets with at most `tokens` tokens, or some number of at
/// least `limit`.
pub fn count(kinds: &HeapKinds, tokens: u64, limit: u128) -> u128 {
    // The number of partitions by total, part sizes added one after another.
    let Ok(tokens) = usize::try_from(tokens) else {
        return limit;
    };
    // Of heaps of one and of two tokens alone there are more than a quarter of
    // the square of the tokens, which says limit before any table is made.
    if (tokens as u128).saturating_mul(tokens as u128) / 4 >= limit {
        return limit;
    }
    let mut ways = vec![0_u128; tokens + 1];
    ways[0] = 1;
    for size in 1..=tokens {
        for _ in 0..kinds.of_heaps() {
            for total in size..=tokens {
                ways[total] = ways[total].saturating_add(ways[total - size]).min(limit);
            }
        }
        // The count only grows with further sizes.
        let so_far = ways
            .iter()
            .fold(0, |sum: u128, ways| sum.saturating_add(*ways));
        if so_far >= limit {
            return limit;
        }
    }
    let values = kinds
        .states
        .iter()
        .map(|(_, state)| u128::from(state.bound(tokens as u64).saturating_sub(state.low)) + 1);
    let states = values.fold(1, |all: u128, values| all.saturating_mul(values));
    states.saturating_mul(ways.iter().sum()).min(limit)
}

/// Every position with at most `tokens` tokens.
pub fn positions(
    solver: &Solver<'_>,
    kinds: &HeapKinds,
    tokens: u64,
    limits: &Limits,
) -> Result<PositionList, SolveError> {
    let mut enumerator = Enumerator {
        kinds,
        walker: Walker::new(&solver.graph, &[]),
        most: kinds.encode(tokens, kinds.of_heaps() - 1),
        tokens,
        limits,
        visited: 0,
        positions: Vec::new(),
    };
    enumerator.extend(kinds.encode(1, 0), tokens, &mut Vec::new())?;
    let plural = if tokens == 1 { "" } else { "s" };
    let words = format!("at most {tokens} token{plural} in all");
    Ok(PositionList::new(enumerator.positions, tokens, words))
}

struct Enumerator<'a> {
    kinds: &'a HeapKinds,
    /// The largest heap.
    most: u64,
    /// The number of tokens.
    tokens: u64,
    limits: &'a Limits,
    /// The number of multisets visited.
    visited: u64,
    walker: Walker<'a>,
    positions: Vec<Vec<u64>>,
}

impl Enumerator<'_> {
    /// Enumerates the multisets that extend the current one by heaps from `least`
    /// on.
    fn extend(&mut self, least: u64, tokens: u64, heaps: &mut Vec<u64>) -> Result<(), SolveError> {
        if self.visited.is_multiple_of(1024) {
            self.limits
                .check_work(Steps(600))
                .map_err(SolveError::from)?;
        }
        self.visited += 1;
        for position in self.kinds.with_states(heaps, self.tokens) {
            let is_position = self.walker.is_position(&position);
            if is_position.map_err(|fault| SolveError::of(Stop::Fault(fault), &position))? {
                self.positions.push(position);
            }
        }
        for heap in least..=self.most {
            let (size, kind) = self.kinds.decode(heap);
            if size > tokens {
                break;
            }
            if kind >= self.kinds.of_heaps() {
                continue;
            }
            heaps.push(heap);
            self.extend(heap, tokens - size, heaps)?;
            heaps.pop();
        }
        Ok(())
    }
}
