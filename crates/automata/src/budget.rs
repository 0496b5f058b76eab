//! The budget of a computation with automata.

use nimrule_limits::{Limits, Met};
use std::cell::Cell;

/// The limits are checked once in so many ticks.
const BETWEEN_LOOKS: u32 = 4096;

/// Limits, checked now and then.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    ticks: Cell<u32>,
}

impl Budget {
    pub fn new(limits: &Limits) -> Budget {
        Budget {
            limits: *limits,
            ticks: Cell::new(0),
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts a piece of work; `bytes` is the memory that is held for it.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn tick(&self, bytes: impl FnOnce() -> usize) -> Result<(), Met> {
        let ticks = self.ticks.get() + 1;
        if ticks < BETWEEN_LOOKS {
            self.ticks.set(ticks);
            return Ok(());
        }
        self.ticks.set(0);
        self.limits.within_time()?;
        self.limits.within_memory(bytes() as u128)
    }
}
