//! What an answer may cost: bytes, and a point in time; and who waits for it.
//!
//! Whatever may take long asks here now and then, and says how far it has come.
//! It knows nothing of games, so that sequences and engines keep to the same
//! limits, and nothing of signals and screens: those belong to whoever watches.

pub mod checkpoint;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Bytes for a search that may well come to nothing: some 400 000 positions,
/// which is a matter of seconds.
const MEMORY_OF_AN_ATTEMPT: u64 = 64 << 20;

/// What an answer may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes.
    pub memory: u64,
    pub deadline: Option<Instant>,
    /// The most threads that an engine may run.
    pub threads: usize,
    /// Where it is said how far the work has come, and that it shall stop.
    pub watch: Option<&'static Watch>,
}

/// A limit that was met before the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Met {
    #[error("this needs {needed} bytes of memory, and {limit} are allowed")]
    Memory { needed: u128, limit: u64 },
    #[error("the time limit was met")]
    Time,
    #[error("it was interrupted")]
    Stopped,
}

impl Limits {
    /// A limit on memory alone.
    pub const fn of_memory(bytes: u64) -> Limits {
        Limits {
            memory: bytes,
            deadline: None,
            threads: 1,
            watch: None,
        }
    }

    /// Limits for an attempt whose failure leaves room for another: little
    /// memory, and half of the time.
    pub fn for_an_attempt(&self) -> Limits {
        Limits {
            memory: self.memory.min(MEMORY_OF_AN_ATTEMPT),
            ..self.half_the_time()
        }
    }

    /// All of the memory, and half of the time that is left.
    pub fn half_the_time(&self) -> Limits {
        self.share_of_the_time(2)
    }

    /// All of the memory, and an equal share of the time that is left, where
    /// so many pieces of work (at least one) are to be done in it.
    pub fn share_of_the_time(&self, pieces: u32) -> Limits {
        let now = Instant::now();
        Limits {
            deadline: self
                .deadline
                .map(|end| now + end.saturating_duration_since(now) / pieces.max(1)),
            ..*self
        }
    }

    /// These limits, and if there is none on the time, this one.
    pub fn no_longer_than(&self, time: Duration) -> Limits {
        Limits {
            deadline: self.deadline.or_else(|| Some(Instant::now() + time)),
            ..*self
        }
    }

    /// These limits, and no longer than this from now on, whatever the limit on
    /// the time.
    pub fn at_most(&self, time: Duration) -> Limits {
        let end = Instant::now() + time;
        Limits {
            deadline: Some(self.deadline.map_or(end, |given| given.min(end))),
            ..*self
        }
    }

    /// Fails where somebody has asked for the work to stop, whatever the time.
    pub fn unless_stopped(&self) -> Result<(), Met> {
        match self.within_time() {
            Err(Met::Stopped) => Err(Met::Stopped),
            _ => Ok(()),
        }
    }

    pub fn within_time(&self) -> Result<(), Met> {
        if self.watch.is_some_and(Watch::is_stopped) {
            return Err(Met::Stopped);
        }
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

    /// Says that work begins, of so many pieces where that is known.
    pub fn begin(&self, work: Work, pieces: Option<u64>) {
        self.go_on(work, pieces, 0);
    }

    /// Says that work goes on of which so many pieces are done already.
    pub fn go_on(&self, work: Work, pieces: Option<u64>, done: u64) {
        if let Some(watch) = self.watch {
            watch.begin(work, pieces.unwrap_or(0), done);
        }
    }

    /// Says how many pieces of the work are done.
    pub fn note_done(&self, done: u64) {
        if let Some(watch) = self.watch {
            watch.done.store(done, Ordering::Relaxed);
        }
    }

    /// Says that so many more pieces are done, whatever other threads have.
    pub fn note_more_done(&self, pieces: u64) {
        if let Some(watch) = self.watch {
            watch.done.fetch_add(pieces, Ordering::Relaxed);
        }
    }

    /// Says how many pieces of the work are done, and keeps to the time.
    pub fn within_time_at(&self, done: u64) -> Result<(), Met> {
        self.note_done(done);
        self.within_time()
    }

    /// Says how many P-positions are among what has been done.
    pub fn note_found(&self, p_positions: u64) {
        if let Some(watch) = self.watch {
            watch.p_positions.store(p_positions, Ordering::Relaxed);
        }
    }

    /// Says that so many more P-positions are among what has been done.
    pub fn note_more_found(&self, p_positions: u64) {
        if let Some(watch) = self.watch {
            watch.p_positions.fetch_add(p_positions, Ordering::Relaxed);
        }
    }
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Nothing that counts its pieces.
    Other,
    /// Positions of a box or a list are solved.
    Solving,
    /// Positions are searched, as many as it takes.
    Searching,
    /// A claim is held against positions.
    Checking,
    /// Positions that have been solved are gone through.
    Listing,
    /// Values of heaps are found, one size after another.
    Heaps,
    /// Elements of a quotient are found.
    Elements,
    /// A proof for all sizes is looked for.
    Proving,
}

impl Work {
    const ALL: [Work; 8] = [
        Work::Other,
        Work::Solving,
        Work::Searching,
        Work::Checking,
        Work::Listing,
        Work::Heaps,
        Work::Elements,
        Work::Proving,
    ];
}

/// What a computation and those who wait for it know of each other.
#[derive(Debug)]
pub struct Watch {
    stop: AtomicBool,
    work: AtomicU8,
    /// How often work has begun.
    begun: AtomicU64,
    pieces: AtomicU64,
    done: AtomicU64,
    p_positions: AtomicU64,
}

/// How far the work had come at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    pub work: Work,
    /// How often work has begun: another number says that it is other work.
    pub begun: u64,
    /// How many pieces there are; 0 where nobody knows.
    pub pieces: u64,
    pub done: u64,
    /// P-positions among those done, where they are counted.
    pub p_positions: u64,
}

impl Watch {
    pub const fn new() -> Watch {
        Watch {
            stop: AtomicBool::new(false),
            work: AtomicU8::new(0),
            begun: AtomicU64::new(0),
            pieces: AtomicU64::new(0),
            done: AtomicU64::new(0),
            p_positions: AtomicU64::new(0),
        }
    }

    /// Asks the work to stop where it is.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub fn look(&self) -> Seen {
        let work = self.work.load(Ordering::Relaxed);
        Seen {
            work: Work::ALL[usize::from(work) % Work::ALL.len()],
            begun: self.begun.load(Ordering::Relaxed),
            pieces: self.pieces.load(Ordering::Relaxed),
            done: self.done.load(Ordering::Relaxed),
            p_positions: self.p_positions.load(Ordering::Relaxed),
        }
    }

    fn begin(&self, work: Work, pieces: u64, done: u64) {
        self.work.store(work as u8, Ordering::Relaxed);
        self.pieces.store(pieces, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
        self.p_positions.store(0, Ordering::Relaxed);
        self.begun.fetch_add(1, Ordering::Relaxed);
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch::new()
    }
}
