//! The reverse of a digraph: the predecessors of each state.

use super::{BuildError, MOST_ARCS, MOST_STATES};
use std::ops::Range;

/// States of a block, which are numbered in 16 bits.
const BLOCK: usize = 1 << 16;

/// The predecessors of each state, in four bytes for each arc, and the number
/// of arcs that leave each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverse {
    /// The start of each state's predecessors, and the end of the last ones.
    starts: Vec<u32>,
    pub(super) sources: Vec<u32>,
    pub(super) degrees: Vec<u32>,
}

impl Reverse {
    /// Builds the reverse of a digraph in two passes over its arcs, which are
    /// not stored. `source` passes the targets of a state's arcs to the
    /// callback; it is called twice for each state, and must pass the same
    /// arcs. Parallel arcs count as often as they occur, which changes no label.
    ///
    /// # Errors
    ///
    /// The errors of the source, and [`BuildError::TooManyArcs`].
    ///
    /// # Panics
    ///
    /// If there are more than [`MOST_STATES`] states, or if the target of an arc
    /// is not a state.
    pub fn build<E>(
        states: usize,
        mut source: impl FnMut(u32, &mut dyn FnMut(u32)) -> Result<(), E>,
    ) -> Result<Reverse, BuildError<E>> {
        assert!(states <= MOST_STATES, "states are counted in 31 bits");
        let blocks = states.div_ceil(BLOCK);
        // By block of targets: the number of arcs, and later the place of the
        // next arc.
        let mut ends = vec![0_usize; blocks];
        let mut degrees = Vec::with_capacity(states);
        let mut arcs = 0;
        for state in 0..states {
            let before = arcs;
            source(state as u32, &mut |target| {
                ends[target as usize / BLOCK] += 1;
                arcs += 1;
            })
            .map_err(BuildError::Source)?;
            // A degree shares its 32 bits with a mark.
            if arcs > MOST_ARCS || arcs - before > MOST_STATES {
                return Err(BuildError::TooManyArcs);
            }
            degrees.push((arcs - before) as u32);
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += std::mem::replace(end, begin);
        }
        // PERF: a radix sort in two passes. Random writes to the whole list
        // cost much more than writes to the ends of a few hundred parts.
        let mut sources = vec![0_u32; arcs];
        let mut targets = vec![0_u16; arcs];
        for state in 0..states as u32 {
            source(state, &mut |target| {
                let end = &mut ends[target as usize / BLOCK];
                sources[*end] = state;
                targets[*end] = (target as usize % BLOCK) as u16;
                *end += 1;
            })
            .map_err(BuildError::Source)?;
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
            // Each entry is now the start of the next state's list.
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

    /// The number of states.
    pub fn states(&self) -> usize {
        self.degrees.len()
    }

    /// The number of arcs.
    pub fn arcs(&self) -> usize {
        self.sources.len()
    }

    /// The predecessors of a state.
    pub fn before(&self, state: usize) -> &[u32] {
        &self.sources[self.place(state)]
    }

    /// The range of a state's predecessors in `sources`.
    pub(super) fn place(&self, state: usize) -> Range<usize> {
        self.starts[state] as usize..self.starts[state + 1] as usize
    }

    /// The number of arcs that leave a state.
    pub fn degree(&self, state: usize) -> u32 {
        self.degrees[state]
    }

    /// The bytes of memory for the predecessors, and for labelling the states.
    pub fn bytes_for(states: u128, arcs: u128) -> u128 {
        // A state: start, degree, label, queue and counter. An arc: source and,
        // while sorting, target.
        states
            .saturating_mul(20)
            .saturating_add(arcs.saturating_mul(6))
    }
}
