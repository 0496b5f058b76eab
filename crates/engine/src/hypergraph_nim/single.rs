//! Boxes in which no heap has more than one token: one bit per position.
//!
//! A position is the set of heaps with a token; its place is that set as a binary
//! number. In ascending order, an unmarked position is P and marks the positions
//! with a move to it: those larger by a non-empty subset of one hyperedge. Few
//! positions are P, so that few mark others. A box takes one bit per position.

use crate::{Limits, Lookup, Query, Shape, SolveError, Solver};
use nimrule_ir::Hyperedges;
use nimrule_model::expr::HeapId;
use nimrule_model::game::Convention;

/// The largest number of positions that a P-position marks.
const MOST_MARKS: u64 = 1 << 14;

/// The selections as sets of places, for a box of single tokens and selections
/// that do not depend on the position.
pub(super) fn selections(solver: &Solver<'_>, most: &[u64]) -> Option<Vec<usize>> {
    let Ok(Hyperedges::Fixed(edges)) = &solver.profile.hyperedges else {
        return None;
    };
    if most.iter().any(|size| *size > 1) {
        return None;
    }
    let shape = Shape::new(most)?;
    let mut marks = 0_u64;
    let mut sets = Vec::new();
    for edge in edges {
        let there = |heap: &&HeapId| most[heap.index()] == 1;
        let set: usize = edge
            .iter()
            .filter(there)
            .map(|h| shape.strides[h.index()])
            .sum();
        marks = marks.saturating_add(1_u64.checked_shl(set.count_ones())?);
        sets.push(set);
    }
    (marks <= MOST_MARKS).then_some(sets)
}

/// The bytes of such a box.
pub(super) fn bytes(positions: u128) -> u128 {
    positions.div_ceil(64).saturating_mul(8)
}

/// The N-positions of a box of single tokens.
pub(super) struct Single {
    n: Vec<u64>,
    shape: Shape,
}

impl Single {
    pub fn solve(
        selections: &[usize],
        shape: &Shape,
        convention: Convention,
        limits: &Limits,
    ) -> Result<Single, SolveError> {
        let mut single = Single {
            n: vec![0; shape.len.div_ceil(64)],
            shape: shape.clone(),
        };
        let touched = selections.iter().fold(0, |all, set| all | set);
        for word in 0..single.n.len() {
            if word.is_multiple_of(256) {
                limits.check_time()?;
            }
            // The loop itself may mark bits of this word.
            let mut done = 0_u64;
            loop {
                let open = !single.n[word] & !done;
                if open == 0 {
                    break;
                }
                let bit = open.trailing_zeros();
                done |= u64::MAX >> (63 - bit);
                let place = word * 64 + bit as usize;
                if place >= shape.len {
                    break;
                }
                if convention == Convention::Misere && place & touched == 0 {
                    // The terminal position is N under misere play.
                    single.n[word] |= 1 << bit;
                    continue;
                }
                single.mark(selections, place);
            }
        }
        Ok(single)
    }

    /// Marks the positions with a move to a P-position.
    fn mark(&mut self, selections: &[usize], place: usize) {
        for set in selections {
            let empty = set & !place;
            let mut put = empty;
            while put != 0 {
                let from = place | put;
                self.n[from / 64] |= 1 << (from % 64);
                put = (put - 1) & empty;
            }
        }
    }

    pub fn is_n(&self, place: usize) -> bool {
        self.n[place / 64] >> (place % 64) & 1 == 1
    }
}

impl Lookup for Single {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        let place = self
            .shape
            .place(position)
            .expect("the options of a rule that only takes lie in the box below");
        Ok(u64::from(self.is_n(place)))
    }
}

/// A lookup for the box below a position of single tokens.
pub(super) fn lookup(
    selections: &[usize],
    position: &[u64],
    query: Query,
    limits: &Limits,
) -> Result<Single, SolveError> {
    let shape = Shape::new(position).ok_or(SolveError::Memory {
        needed: bytes(Shape::count(position)),
        limit: limits.memory,
    })?;
    Single::solve(selections, &shape, query.convention, limits)
}
