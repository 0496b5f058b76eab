//! The search for a matching that survives all positions of few tokens.
//!
//! The heaps are matched one by one. With each, the positions whose tokens lie
//! on heaps matched so far are compared; what they differ in, no further heap
//! can mend.

use super::Matching;
use super::side::Sides;
use nimrule_engine::{Failure, Limits};

/// A search ends after so many comparisons of positions.
pub(super) const MOST_COMPARISONS: u64 = 200_000;

pub(super) enum Found {
    Matching(Matching),
    None,
    /// The search was ended early.
    TooMany,
}

/// Looks for a matching that gets nothing wrong at the positions with up to so
/// many tokens.
pub(super) fn search(
    sides: &mut Sides<'_>,
    tokens: u64,
    limits: &Limits,
) -> Result<Found, Failure> {
    let mut search = Search {
        free: sides.free.clone(),
        taken: vec![false; sides.heaps_there()],
        matching: vec![None; sides.heaps_here()],
        sides,
        tokens,
        comparisons: 0,
        limits: *limits,
    };
    Ok(match search.extend(0)? {
        End::Found => Found::Matching(search.matching),
        End::None => Found::None,
        End::TooMany => Found::TooMany,
    })
}

/// Shows `visit` the positions with so many tokens on these heaps, in
/// lexicographic order, while it wants more. Says whether it wanted all.
pub(super) fn each_of_total(
    heaps: &[usize],
    tokens: u64,
    position: &mut Vec<u64>,
    visit: &mut dyn FnMut(&[u64]) -> Result<bool, Failure>,
) -> Result<bool, Failure> {
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
        let more = each_of_total(rest, tokens - size, position, visit)?;
        position[*first] = 0;
        if !more {
            return Ok(false);
        }
    }
    Ok(true)
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
    /// Matches the heaps from the `next` one on.
    fn extend(&mut self, next: usize) -> Result<End, Failure> {
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

    /// Is nothing wrong at the positions with a token on the heap matched last
    /// and the others on those before it? `None` where the search is to end.
    fn fits(&mut self, last: usize) -> Result<Option<bool>, Failure> {
        let mut good = true;
        let newest = self.free[last];
        for tokens in 0..=self.tokens {
            let mut position = vec![0; self.matching.len()];
            let (sides, matching, limits) = (&mut *self.sides, &self.matching, self.limits);
            let comparisons = &mut self.comparisons;
            let mut compare = |position: &[u64]| {
                if position[newest] == 0 && tokens > 0 {
                    return Ok(true);
                }
                *comparisons += 1;
                limits.check_time()?;
                good = sides.difference(position, matching)?.is_none();
                Ok(good && *comparisons < MOST_COMPARISONS)
            };
            each_of_total(&self.free[..=last], tokens, &mut position, &mut compare)?;
            if !good {
                return Ok(Some(false));
            }
            if self.comparisons >= MOST_COMPARISONS {
                return Ok(None);
            }
        }
        Ok(Some(true))
    }
}
