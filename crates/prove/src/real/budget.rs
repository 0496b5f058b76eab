//! The limits of a decision about real sizes.

use nimrule_limits::{LimitExceeded, Limits};
use std::cell::Cell;

/// Counts the comparisons that are looked at, and those that are kept.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    looked_at: Cell<u64>,
    kept: Cell<u64>,
}

/// About so many bytes are needed for a comparison: three or four fractions.
const BYTES: u64 = 256;

/// The clock is looked at each time that so many comparisons were.
const BETWEEN_LOOKS: u64 = 512;

impl Budget {
    pub fn new(limits: &Limits) -> Budget {
        Budget {
            limits: *limits,
            looked_at: Cell::new(0),
            kept: Cell::new(0),
        }
    }

    /// So many comparisons are looked at.
    pub fn work(&self, comparisons: u64) -> Result<(), LimitExceeded> {
        let so_far = self.looked_at.get() + comparisons;
        if so_far < BETWEEN_LOOKS {
            self.looked_at.set(so_far);
            return Ok(());
        }
        self.looked_at.set(0);
        self.limits.check_time()
    }

    /// So many comparisons are made that others are made of: none of them is
    /// counted off again.
    pub fn keep(&self, comparisons: u64) -> Result<(), LimitExceeded> {
        self.kept.set(self.kept.get() + comparisons);
        self.limits
            .check_memory(u128::from(self.kept.get()) * u128::from(BYTES))?;
        self.work(comparisons)
    }
}
