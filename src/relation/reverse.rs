//! The arcs of a relation backwards: for every state, those before it.

use super::{Failed, MOST_ARCS, MOST_STATES, part};

/// The states before each state, in one list of four bytes an arc; and how
/// many arcs leave each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverse {
    /// Where the list of each state begins, and where the last one ends.
    starts: Vec<u32>,
    sources: Vec<u32>,
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
    /// If there are more than [`MOST_STATES`] states, if an arc leads to none
    /// of them, or if the second pass shows other arcs than the first.
    pub fn build<E>(
        states: usize,
        mut source: impl FnMut(u32, &mut dyn FnMut(u32)) -> Result<(), E>,
    ) -> Result<Reverse, Failed<E>> {
        assert!(states <= MOST_STATES, "states are counted in 31 bits");
        let mut starts = vec![0_u32; states + 1];
        let mut degrees = vec![0_u32; states];
        let mut arcs = 0_usize;
        for state in 0..states {
            let before = arcs;
            source(state as u32, &mut |target| {
                // An overflow is met below, before the count is used.
                let count = &mut starts[target as usize];
                *count = count.wrapping_add(1);
                arcs += 1;
            })
            .map_err(Failed::Source)?;
            // A degree shares its 32 bits with a mark.
            if arcs > MOST_ARCS || arcs - before > MOST_STATES {
                return Err(Failed::TooManyArcs);
            }
            degrees[state] = (arcs - before) as u32;
        }
        // Each list is filled from its end.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut sources = vec![0_u32; arcs];
        for state in 0..states as u32 {
            source(state, &mut |target| {
                let start = &mut starts[target as usize];
                *start -= 1;
                sources[*start as usize] = state;
            })
            .map_err(Failed::Source)?;
        }
        assert_eq!(starts[0], 0, "the second pass shows the same arcs");
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
        &self.sources[part(&self.starts, state)]
    }

    /// How many arcs leave a state.
    pub fn degree(&self, state: usize) -> u32 {
        self.degrees[state]
    }

    /// Bytes that the lists take, and the labels with all that finding them
    /// needs.
    pub fn bytes_for(states: u128, arcs: u128) -> u128 {
        // Starts, degrees, labels, queue; sources.
        states
            .saturating_mul(16)
            .saturating_add(arcs.saturating_mul(4))
    }
}
