//! The arcs of a relation backwards: for every state, those before it.

use super::{Failed, MOST_ARCS, MOST_STATES};
use std::ops::Range;

/// As many states as 16 bits can tell apart.
const BLOCK: usize = 1 << 16;

/// The states before each state, in one list of four bytes an arc; and how
/// many arcs leave each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverse {
    /// Where the list of each state begins, and where the last one ends.
    starts: Vec<u32>,
    pub(super) sources: Vec<u32>,
    pub(super) degrees: Vec<u32>,
}

impl Reverse {
    /// Builds the lists in two passes over the arcs, which are never in
    /// memory as they are given: `source` shows those of one state, and has
    /// to show the same ones each time. Arcs shown twice count twice, which
    /// changes no label.
    ///
    /// # Panics
    ///
    /// If there are more than [`MOST_STATES`] states, or if an arc leads to none
    /// of them.
    pub fn build<E>(
        states: usize,
        mut source: impl FnMut(u32, &mut dyn FnMut(u32)) -> Result<(), E>,
    ) -> Result<Reverse, Failed<E>> {
        assert!(states <= MOST_STATES, "states are counted in 31 bits");
        let blocks = states.div_ceil(BLOCK);
        // Where the arcs to each block of states are written next.
        let mut ends = vec![0_usize; blocks];
        let mut degrees = Vec::with_capacity(states);
        let mut arcs = 0;
        for state in 0..states {
            let before = arcs;
            source(state as u32, &mut |target| {
                ends[target as usize / BLOCK] += 1;
                arcs += 1;
            })
            .map_err(Failed::Source)?;
            // A degree shares its 32 bits with a mark.
            if arcs > MOST_ARCS || arcs - before > MOST_STATES {
                return Err(Failed::TooManyArcs);
            }
            degrees.push((arcs - before) as u32);
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        // Writing to any place in so long a list costs much more than writing
        // to the ends of a few hundred parts of it, so the arcs are sorted by
        // blocks first, and then within each.
        let mut sources = vec![0_u32; arcs];
        let mut targets = vec![0_u16; arcs];
        for state in 0..states as u32 {
            source(state, &mut |target| {
                let end = &mut ends[target as usize / BLOCK];
                sources[*end] = state;
                targets[*end] = (target as usize % BLOCK) as u16;
                *end += 1;
            })
            .map_err(Failed::Source)?;
        }
        let mut starts = Vec::with_capacity(states + 1);
        let mut begin = 0;
        let mut unsorted = Vec::new();
        for (block, end) in ends.into_iter().enumerate() {
            let first = starts.len();
            starts.resize(states.min((block + 1) * BLOCK), 0_u32);
            let counts = &mut starts[first..];
            for target in &targets[begin..end] {
                counts[usize::from(*target)] += 1;
            }
            let mut next = begin as u32;
            for count in &mut *counts {
                next += std::mem::replace(count, next);
            }
            unsorted.clear();
            unsorted.extend_from_slice(&sources[begin..end]);
            for (source, target) in unsorted.iter().zip(&targets[begin..end]) {
                let place = &mut counts[usize::from(*target)];
                sources[*place as usize] = *source;
                *place += 1;
            }
            // Each place has moved on to where the next list begins.
            counts.rotate_right(1);
            counts[0] = begin as u32;
            begin = end;
        }
        starts.push(arcs as u32);
        Ok(Reverse {
            starts,
            sources,
            degrees,
        })
    }

    pub fn states(&self) -> usize {
        self.degrees.len()
    }

    pub fn arcs(&self) -> usize {
        self.sources.len()
    }

    /// The states from which an arc leads to this one.
    pub fn before(&self, state: usize) -> &[u32] {
        &self.sources[self.place(state)]
    }

    /// Where the states before this one are listed.
    pub(super) fn place(&self, state: usize) -> Range<usize> {
        self.starts[state] as usize..self.starts[state + 1] as usize
    }

    /// How many arcs leave a state.
    pub fn degree(&self, state: usize) -> u32 {
        self.degrees[state]
    }

    /// Bytes that the lists take, and the labels with all that finding them
    /// needs.
    pub fn bytes_for(states: u128, arcs: u128) -> u128 {
        // Starts, degrees, labels, queue and counters; sources and, as they are
        // sorted, targets.
        states
            .saturating_mul(20)
            .saturating_add(arcs.saturating_mul(6))
    }
}
