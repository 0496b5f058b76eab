//! What a computation with automata may cost.

use nimrule_limits::{Limits, Met};
use std::cell::Cell;

/// How many new nodes there are between two looks at the limits.
const BETWEEN_LOOKS: u32 = 4096;

/// Looks at the limits now and then.
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

    /// Counts a piece of work; `bytes` says what is held for it.
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
