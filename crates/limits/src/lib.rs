//! Resource limits of a computation (memory, work, time, threads), and its progress.
//!
//! A computation that may take long is passed [`Limits`]. It checks them at
//! regular intervals, and reports its progress through them. A monitor, such as
//! a progress bar or a handler of Ctrl-C, shares a [`Progress`] with the
//! computation: it reads how far the computation is, and can interrupt it.
//!
//! # Work and time
//!
//! Two limits end a search. The deadline is the user's: after it nothing is
//! answered ([`LimitExceeded::Time`]). A bound of work is the program's: it ends
//! one attempt, after which another method answers ([`LimitExceeded::Work`]).
//! Work is counted in [`Steps`] wherever the limits are checked, so that the same
//! question ends in the same way on a fast and on a slow machine.
//!
//! ```
//! use nimrule_limits::{LimitExceeded, Limits};
//!
//! let limits = Limits::of_memory(1 << 20);
//! assert_eq!(limits.check_memory(1000), Ok(()));
//! assert_eq!(
//!     limits.check_memory(1 << 21),
//!     Err(LimitExceeded::Memory { needed: 1 << 21, limit: 1 << 20 }),
//! );
//! ```

#![warn(missing_docs)]

pub mod checkpoint;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use thiserror::Error;

/// The clock of the computations: that of `std`, and of `Performance.now()` in a
/// browser, where the former panics.
pub use web_time::Instant;

/// Bytes that [`Limits::for_attempt`] allows: about 400 000 positions, which
/// take a few seconds.
const ATTEMPT_MEMORY: u64 = 64 << 20;

/// The resources that a computation may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of memory.
    pub memory: u64,
    /// The time at which the computation stops, if any.
    pub deadline: Option<Instant>,
    /// The largest number of threads that a computation may run.
    pub threads: usize,
    /// The progress that the computation reports, and the request to stop it.
    pub progress: Option<Arc<Progress>>,
    /// The work that the computation may do, if it is bounded: see [`Limits::cap_work`].
    pub work: Option<Arc<WorkBound>>,
    /// The work for which the user is ready to wait, by a time limit: see
    /// [`Limits::or_work`].
    pub patience: Option<Steps>,
}

/// Work, in steps of a computation. A step is as much as takes about a microsecond; what a
/// search does between two checks of its limits is counted as so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Steps(pub u64);

impl Steps {
    /// The steps that a check of the limits counts by [`Limits::check_time`].
    const A_CHECK: Steps = Steps(50);

    /// Millions of steps, of which each takes about a second.
    pub const fn million(count: u64) -> Steps {
        Steps(count * 1_000_000)
    }

    /// About as many steps as are done in this time.
    pub fn in_time(time: Duration) -> Steps {
        Steps(u64::try_from(time.as_micros()).unwrap_or(u64::MAX))
    }

    /// About the seconds that these steps take.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Steps {
    /// The steps in words: `20 million steps`, `0.4 million steps`, `50000 steps`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 step"),
            // A tenth of a million is exact enough.
            steps if steps >= 100_000 => {
                let (whole, tenth) = (steps / 1_000_000, steps / 100_000 % 10);
                match tenth {
                    0 => write!(f, "{whole} million steps"),
                    _ => write!(f, "{whole}.{tenth} million steps"),
                }
            }
            steps => write!(f, "{steps} steps"),
        }
    }
}

/// A bound of work, with the work that was done under it. A bound within another one counts
/// there too.
#[derive(Debug)]
pub struct WorkBound {
    most: u64,
    done: AtomicU64,
    /// The bound of the whole computation, of which this is a part. It has more left.
    outer: Option<Arc<WorkBound>>,
    /// Whether it bounds a search, and not the checks of what was found.
    is_of_search: bool,
}

impl WorkBound {
    /// Counts steps; the bound that they exceed, if they do, counts as done, so that its
    /// threads count no more than its steps together.
    fn count(&self, steps: u64) -> Result<(), LimitExceeded> {
        let more = |done: u64| Some(done.saturating_add(steps).min(self.most));
        let before = (self.done)
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)
            .unwrap_or_default();
        let counted = (self.most - before).min(steps);
        if let Some(outer) = &self.outer {
            outer.count(counted)?;
        }
        match before + counted == self.most {
            true => Err(LimitExceeded::Work {
                steps: Steps(self.most),
            }),
            false => Ok(()),
        }
    }

    fn left(&self) -> u64 {
        self.most - self.done().0
    }

    /// The work that was done under the bound.
    pub fn done(&self) -> Steps {
        Steps(self.done.load(Ordering::Relaxed))
    }
}

/// A limit that a computation exceeded before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LimitExceeded {
    /// More memory is needed than is allowed.
    #[error("this needs {needed} bytes of memory; the limit is {limit}")]
    Memory {
        /// The bytes needed.
        needed: u128,
        /// The bytes allowed.
        limit: u64,
    },
    /// The deadline has passed.
    #[error("time limit reached")]
    Time,
    /// The bound of work of an attempt is exhausted.
    #[error("the search ended after {steps}")]
    Work {
        /// The bound.
        steps: Steps,
    },
    /// The computation was interrupted: see [`Progress::stop`].
    #[error("interrupted")]
    Stopped,
}

impl Limits {
    /// The memory limit unless another one is set: 4 GiB, and 1 GiB where an address
    /// has 32 bits.
    pub const DEFAULT_MEMORY: u64 = if usize::BITS > 32 { 4 << 30 } else { 1 << 30 };

    /// A limit of memory alone, with one thread.
    pub const fn of_memory(bytes: u64) -> Limits {
        Limits {
            memory: bytes,
            deadline: None,
            threads: 1,
            progress: None,
            work: None,
            patience: None,
        }
    }

    /// The limits of a first attempt: little memory and half of the work that is left,
    /// so that another method can be tried if it fails.
    pub fn for_attempt(&self) -> Limits {
        Limits {
            memory: self.memory.min(ATTEMPT_MEMORY),
            ..self.half_work()
        }
    }

    /// These limits with at most so many steps of work.
    ///
    /// ```
    /// use nimrule_limits::{LimitExceeded, Limits, Steps};
    ///
    /// let limits = Limits::of_memory(1 << 20).cap_work(Steps(100));
    /// let attempt = limits.half_work();
    /// assert_eq!(attempt.check_work(Steps(40)), Ok(()));
    /// let exceeded = Err(LimitExceeded::Work { steps: Steps(50) });
    /// assert_eq!(attempt.check_work(Steps(40)), exceeded);
    /// assert_eq!(limits.work_left(), Some(Steps(50)));
    /// ```
    pub fn cap_work(&self, steps: Steps) -> Limits {
        let left = self.work_left();
        if left.is_some_and(|left| left <= steps) {
            return self.clone();
        }
        Limits {
            work: Some(Arc::new(WorkBound {
                most: steps.0,
                done: AtomicU64::new(0),
                outer: self.work.clone(),
                is_of_search: false,
            })),
            ..self.clone()
        }
    }

    /// These limits with at most `steps` for a search, and `checks` more for the checks of what it
    /// finds ([`Limits::of_checks`]).
    ///
    /// ```
    /// use nimrule_limits::{Limits, Steps};
    ///
    /// let search = Limits::of_memory(1 << 20).for_search(Steps(100), Steps(50));
    /// assert_eq!(search.work_left(), Some(Steps(100)));
    /// search.check_work(Steps(70)).unwrap();
    /// assert_eq!(search.half_work().of_checks().work_left(), Some(Steps(80)));
    /// ```
    pub fn for_search(&self, steps: Steps, checks: Steps) -> Limits {
        let whole = self.cap_work(Steps(steps.0.saturating_add(checks.0)));
        let most = whole.work_left().map_or(steps, |left| left.min(steps)).0;
        Limits {
            work: Some(Arc::new(WorkBound {
                most,
                done: AtomicU64::new(0),
                outer: whole.work,
                is_of_search: true,
            })),
            ..self.clone()
        }
    }

    /// The limits around those of the search that these are a part of.
    pub fn of_checks(&self) -> Limits {
        let bounds = std::iter::successors(self.work.as_ref(), |bound| bound.outer.as_ref());
        match bounds.filter(|bound| bound.is_of_search).last() {
            Some(search) => Limits {
                work: search.outer.clone(),
                ..self.clone()
            },
            None => self.clone(),
        }
    }

    /// These limits; if their work is not bounded, at most so many steps, or as many as the
    /// user is ready to wait for if these are more.
    pub fn or_work(&self, steps: Steps) -> Limits {
        match self.work {
            None => self.cap_work(self.patience.map_or(steps, |more| steps.max(more))),
            Some(_) => self.clone(),
        }
    }

    /// These limits with half of the work that is left, if it is bounded.
    pub fn half_work(&self) -> Limits {
        match self.work_left() {
            Some(left) => self.cap_work(Steps(left.0 / 2)),
            None => self.clone(),
        }
    }

    /// These limits with three quarters of the work that is left, if it is bounded.
    pub fn most_work(&self) -> Limits {
        match self.work_left() {
            Some(left) => self.cap_work(Steps(left.0 / 4 * 3)),
            None => self.clone(),
        }
    }

    /// The work that is left, if it is bounded.
    pub fn work_left(&self) -> Option<Steps> {
        self.work.as_ref().map(|work| Steps(work.left()))
    }

    /// These limits with an equal share of the remaining time for each of
    /// `pieces` pieces of work; 0 counts as 1.
    pub fn time_share(&self, pieces: u32) -> Limits {
        let now = Instant::now();
        Limits {
            deadline: self
                .deadline
                .map(|end| now + end.saturating_duration_since(now) / pieces.max(1)),
            ..self.clone()
        }
    }

    /// These limits with a deadline at most `time` from now.
    pub fn cap_time(&self, time: Duration) -> Limits {
        let end = Instant::now() + time;
        Limits {
            deadline: Some(self.deadline.map_or(end, |given| given.min(end))),
            ..self.clone()
        }
    }

    /// Checks that the computation was not interrupted. Neither the deadline nor the work
    /// is checked.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded::Stopped`] after [`Progress::stop`].
    pub fn check_stopped(&self) -> Result<(), LimitExceeded> {
        if let Some(shared) = &self.progress {
            shared.tell();
            if shared.is_stopped() {
                return Err(LimitExceeded::Stopped);
            }
        }
        Ok(())
    }

    /// Checks that the user still waits: that the computation was not interrupted, and that
    /// the deadline has not passed. No work is counted: for loops that wait, and before
    /// another method is tried.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded::Stopped`] after [`Progress::stop`], and
    /// [`LimitExceeded::Time`] after the deadline.
    pub fn check_waited_for(&self) -> Result<(), LimitExceeded> {
        self.check_stopped()?;
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(LimitExceeded::Time),
            _ => Ok(()),
        }
    }

    /// Counts a piece of work of usual size, some tens of microseconds, and checks that the
    /// computation may continue.
    ///
    /// # Errors
    ///
    /// As [`Limits::check_work`].
    pub fn check_time(&self) -> Result<(), LimitExceeded> {
        self.check_work(Steps::A_CHECK)
    }

    /// Counts steps of work, and checks that the computation may continue.
    ///
    /// # Errors
    ///
    /// Those of [`Limits::check_waited_for`], and [`LimitExceeded::Work`] if the work is
    /// bounded and done.
    pub fn check_work(&self, steps: Steps) -> Result<(), LimitExceeded> {
        self.check_waited_for()?;
        match &self.work {
            Some(work) => work.count(steps.0),
            None => Ok(()),
        }
    }

    /// Checks that `needed` bytes are allowed, and can be allocated.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded::Memory`] if they are not.
    pub fn check_memory(&self, needed: u128) -> Result<(), LimitExceeded> {
        let limit = self.memory.min(isize::MAX as u64);
        if needed > u128::from(limit) {
            return Err(LimitExceeded::Memory { needed, limit });
        }
        Ok(())
    }

    /// The largest number of threads that can be run: one where the host has no
    /// threads, and never 0.
    pub fn threads(&self) -> usize {
        match cfg!(target_family = "wasm") {
            true => 1,
            false => self.threads.max(1),
        }
    }

    /// Reports the start of some work, and its number of pieces if known.
    pub fn begin(&self, work: Work, pieces: Option<u64>) {
        self.resume(work, pieces, 0);
    }

    /// Reports the start of some work with `done` pieces already done.
    pub fn resume(&self, work: Work, pieces: Option<u64>, done: u64) {
        if let Some(progress) = &self.progress {
            progress.begin(work, pieces.unwrap_or(0), done);
        }
    }

    /// Reports the numeration system of the automata that are tried from now on; `None` after the
    /// last.
    pub fn set_numeration(&self, numeration: Option<TriedNumeration>) {
        if let Some(progress) = &self.progress {
            let code = numeration.map_or(0, TriedNumeration::code);
            progress.numeration.store(code, Ordering::Relaxed);
        }
    }

    /// Sets the number of pieces done.
    pub fn set_done(&self, done: u64) {
        if let Some(progress) = &self.progress {
            progress.done.store(done, Ordering::Relaxed);
        }
    }

    /// Adds to the number of pieces done; several threads may add.
    pub fn add_done(&self, pieces: u64) {
        if let Some(progress) = &self.progress {
            progress.done.fetch_add(pieces, Ordering::Relaxed);
        }
    }

    /// Sets the number of pieces done, and checks that the computation may
    /// continue.
    ///
    /// # Errors
    ///
    /// Those of [`Limits::check_time`].
    pub fn check_time_at(&self, done: u64) -> Result<(), LimitExceeded> {
        self.set_done(done);
        self.check_time()
    }

    /// Sets the number of pieces done, counts steps of work, and checks that the computation
    /// may continue.
    ///
    /// # Errors
    ///
    /// Those of [`Limits::check_work`].
    pub fn check_work_at(&self, done: u64, steps: Steps) -> Result<(), LimitExceeded> {
        self.set_done(done);
        self.check_work(steps)
    }

    /// Sets the number of P-positions among the pieces done.
    pub fn set_p_positions(&self, p_positions: u64) {
        if let Some(progress) = &self.progress {
            progress.p_positions.store(p_positions, Ordering::Relaxed);
        }
    }

    /// Adds to the number of P-positions among the pieces done.
    pub fn add_p_positions(&self, p_positions: u64) {
        if let Some(progress) = &self.progress {
            progress
                .p_positions
                .fetch_add(p_positions, Ordering::Relaxed);
        }
    }
}

/// The kind of work that a computation does, and what its pieces are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Work whose pieces are not counted.
    Other,
    /// Positions of a box or of a list are solved.
    Solving,
    /// Reachable positions are searched; their number is not known before.
    Searching,
    /// A claim is checked at positions.
    Checking,
    /// Solved positions are visited.
    Listing,
    /// Grundy values of one heap are computed, by ascending size.
    Heaps,
    /// Elements of a misere quotient are computed.
    Elements,
    /// A proof for all sizes is searched.
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

/// A numeration system of automata, as far as progress names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriedNumeration {
    /// A base, at least 2.
    Base(u8),
    /// The Ostrowski numeration of [a; a, a, …].
    Ostrowski(u8),
}

impl TriedNumeration {
    /// The bit that tells the numerations apart; quotients and bases are smaller.
    const OSTROWSKI: u8 = 0x80;

    fn code(self) -> u8 {
        match self {
            TriedNumeration::Base(base) => base,
            TriedNumeration::Ostrowski(quotient) => quotient | TriedNumeration::OSTROWSKI,
        }
    }

    fn of_code(code: u8) -> Option<TriedNumeration> {
        match code & !TriedNumeration::OSTROWSKI {
            0 => None,
            base if base == code => Some(TriedNumeration::Base(base)),
            quotient => Some(TriedNumeration::Ostrowski(quotient)),
        }
    }
}

/// The progress of a computation, shared with its monitors.
pub struct Progress {
    listener: Option<Listener>,
    stop: AtomicBool,
    work: AtomicU8,
    numeration: AtomicU8,
    begun: AtomicU64,
    pieces: AtomicU64,
    done: AtomicU64,
    p_positions: AtomicU64,
}

/// Who is told of the progress by the computation itself, and when this was done last.
struct Listener {
    listen: Box<dyn Fn(&Progress) + Send + Sync>,
    last: Mutex<Instant>,
}

/// The least time between two calls of a listener.
const LISTENS: Duration = Duration::from_millis(100);

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("stopped", &self.is_stopped())
            .field("now", &self.snapshot())
            .finish_non_exhaustive()
    }
}

/// The progress of a computation at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snapshot {
    /// The kind of work being done.
    pub work: Work,
    /// The numeration system of the automata that are tried, if any are.
    pub numeration: Option<TriedNumeration>,
    /// How often work has begun: two snapshots with the same number are of the
    /// same work.
    pub begun: u64,
    /// The number of pieces; 0 if unknown.
    pub pieces: u64,
    /// The number of pieces done.
    pub done: u64,
    /// P-positions among the pieces done, if they are counted.
    pub p_positions: u64,
}

impl Progress {
    /// The progress before any work.
    pub const fn new() -> Progress {
        Progress {
            listener: None,
            stop: AtomicBool::new(false),
            work: AtomicU8::new(0),
            numeration: AtomicU8::new(0),
            begun: AtomicU64::new(0),
            pieces: AtomicU64::new(0),
            done: AtomicU64::new(0),
            p_positions: AtomicU64::new(0),
        }
    }

    /// The progress before any work, with a listener that the computation itself calls when
    /// it checks its limits, at most ten times a second. It serves hosts without a thread
    /// for a monitor, such as a page or an interpreter, and may call [`Progress::stop`].
    ///
    /// ```
    /// use nimrule_limits::{LimitExceeded, Limits, Progress};
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// let progress = Progress::with_listener(|progress| progress.stop());
    /// let limits = Limits {
    ///     progress: Some(Arc::new(progress)),
    ///     ..Limits::of_memory(1 << 20)
    /// };
    /// assert_eq!(limits.check_time(), Ok(()));
    /// std::thread::sleep(Duration::from_millis(120));
    /// assert_eq!(limits.check_time(), Err(LimitExceeded::Stopped));
    /// ```
    pub fn with_listener(listen: impl Fn(&Progress) + Send + Sync + 'static) -> Progress {
        Progress {
            listener: Some(Listener {
                listen: Box::new(listen),
                last: Mutex::new(Instant::now()),
            }),
            ..Progress::new()
        }
    }

    /// Tells the listener, if there is one and it is time. Of several threads one tells.
    fn tell(&self) {
        let Some(listener) = &self.listener else {
            return;
        };
        let Ok(mut last) = listener.last.try_lock() else {
            return;
        };
        let now = Instant::now();
        if now.saturating_duration_since(*last) >= LISTENS {
            *last = now;
            drop(last);
            (listener.listen)(self);
        }
    }

    /// Interrupts the computation at its next check of the limits.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Returns whether the computation was interrupted.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The progress at this moment.
    pub fn snapshot(&self) -> Snapshot {
        let work = self.work.load(Ordering::Relaxed);
        Snapshot {
            work: Work::ALL[usize::from(work) % Work::ALL.len()],
            numeration: TriedNumeration::of_code(self.numeration.load(Ordering::Relaxed)),
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
        // A resumed run goes on counting from what it has restored.
        if done == 0 {
            self.p_positions.store(0, Ordering::Relaxed);
        }
        self.begun.fetch_add(1, Ordering::Relaxed);
    }
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}
