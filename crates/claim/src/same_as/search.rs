//! The backtracking search for a matching that agrees at all positions of few
//! tokens.
//!
//! The heaps are matched one by one. After each, the positions whose tokens are on
//! matched heaps are compared; a difference there excludes every extension of the
//! partial matching.

use super::Matching;
use super::side::Sides;
use crate::smallest::for_each_of_total;
use nimrule_engine::{Limits, SolveError};

/// The largest number of comparisons of positions.
pub(super) const MAX_COMPARISONS: u64 = 200_000;

pub(super) enum Found {
    Matching(Matching),
    None,
    /// The search exceeded its limit.
    TooMany,
}

/// Searches for a matching without a difference at the positions with at most
/// this many tokens.
pub(super) fn search(
    sides: &mut Sides<'_>,
    tokens: u64,
    limits: &Limits,
) -> Result<Found, SolveError> {
    let mut search = Search {
        free: sides.free.clone(),
        taken: vec![false; sides.heaps_there()],
        matching: vec![None; sides.heaps_here()],
        sides,
        tokens,
        comparisons: 0,
        limits: limits.clone(),
    };
    Ok(match search.extend(0)? {
        End::Found => Found::Matching(search.matching),
        End::None => Found::None,
        End::TooMany => Found::TooMany,
    })
}

enum End {
    Found,
    None,
    TooMany,
}

struct Search<'a, 's> {
    sides: &'a mut Sides<'s>,
    free: Vec<usize>,
    taken: Vec<bool>,
    matching: Matching,
    tokens: u64,
    comparisons: u64,
    limits: Limits,
}

impl Search<'_, '_> {
    /// Matches the heaps from index `next` on.
    fn extend(&mut self, next: usize) -> Result<End, SolveError> {
        let Some(&here) = self.free.get(next) else {
            return Ok(End::Found);
        };
        for there in 0..self.taken.len() {
            if self.taken[there] {
                continue;
            }
            self.taken[there] = true;
            self.matching[here] = Some(there);
            let end = match self.fits(next)? {
                Some(true) => self.extend(next + 1)?,
                Some(false) => End::None,
                None => End::TooMany,
            };
            if !matches!(end, End::None) {
                return Ok(end);
            }
            self.taken[there] = false;
            self.matching[here] = None;
        }
        Ok(End::None)
    }

    /// Whether there is no difference at the positions with a token on the last
    /// matched heap and the others on earlier ones; `None` at the limit.
    fn fits(&mut self, last: usize) -> Result<Option<bool>, SolveError> {
        let mut good = true;
        let newest = self.free[last];
        for tokens in 0..=self.tokens {
            let mut position = vec![0; self.matching.len()];
            let (sides, matching, limits) = (&mut *self.sides, &self.matching, &self.limits);
            let comparisons = &mut self.comparisons;
            let mut compare = |position: &[u64]| {
                if position[newest] == 0 && tokens > 0 {
                    return Ok(true);
                }
                *comparisons += 1;
                limits.check_time()?;
                good = sides.difference(position, matching)?.is_none();
                Ok(good && *comparisons < MAX_COMPARISONS)
            };
            for_each_of_total(&self.free[..=last], tokens, &mut position, &mut compare)?;
            if !good {
                return Ok(Some(false));
            }
            if self.comparisons >= MAX_COMPARISONS {
                return Ok(None);
            }
        }
        Ok(Some(true))
    }
}
