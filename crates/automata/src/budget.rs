//! The budget of a computation with automata.

use nimrule_limits::{LimitExceeded, Limits, Steps};
use std::cell::Cell;

/// Ticks between two checks of the limits.
const TICKS_PER_CHECK: u32 = 4096;

/// Limits that are checked once in several thousand ticks.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    ticks: Cell<u32>,
}

impl Budget {
    /// A budget with these limits.
    pub fn new(limits: &Limits) -> Budget {
        Budget {
            limits: limits.clone(),
            ticks: Cell::new(0),
        }
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts a piece of work; `bytes` returns the memory in use.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn tick(&self, bytes: impl FnOnce() -> usize) -> Result<(), LimitExceeded> {
        let ticks = self.ticks.get() + 1;
        if ticks < TICKS_PER_CHECK {
            self.ticks.set(ticks);
            return Ok(());
        }
        self.ticks.set(0);
        self.limits.check_work(Steps(1500))?;
        self.limits.check_memory(bytes() as u128)
    }
}
