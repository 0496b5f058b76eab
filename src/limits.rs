//! What an answer may cost: bytes, and a point in time.
//!
//! Whatever may take long asks here now and then. It knows nothing of games,
//! so that sequences and engines keep to the same limits.

use std::time::Instant;
use thiserror::Error;

/// What an answer may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes.
    pub memory: u64,
    pub deadline: Option<Instant>,
}

/// A limit that was met before the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Met {
    #[error("this needs {needed} bytes of memory, and {limit} are allowed")]
    Memory { needed: u128, limit: u64 },
    #[error("the time limit was met")]
    Time,
}

impl Limits {
    pub fn within_time(&self) -> Result<(), Met> {
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Met::Time),
            _ => Ok(()),
        }
    }

    pub fn within_memory(&self, needed: u128) -> Result<(), Met> {
        if needed > u128::from(self.memory) {
            return Err(Met::Memory {
                needed,
                limit: self.memory,
            });
        }
        Ok(())
    }
}
