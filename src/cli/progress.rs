//! How far a long run has come, and how it ends when somebody wants it to.
//!
//! The computation says in a [`Progress`] what it is at; a thread looks there and
//! writes to standard error. The same thread sees that Ctrl-C was pressed and
//! passes it on; what does not stop soon of its own accord is ended here.
//!
//! Computations keep to their limits themselves, where they know what they
//! take. The thread sees to it that the limits hold everywhere else, too: while
//! a file is parsed, an answer is written, or a list grows that nobody counts
//! ([`Bounds`]).

mod words;

pub use words::lasting;

use super::{Status, memory};
use anstream::AutoStream;
use nimrule_limits::{Progress, Snapshot};
use serde_json::{Value, json};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::{IsTerminal as _, Stderr, Stdout, Write};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

static WATCH: Progress = Progress::new();

static BOUNDS: OnceLock<Bounds> = OnceLock::new();

/// What the command as a whole may cost.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes.
    pub memory: u64,
    pub deadline: Option<Instant>,
    /// Scripts want a failure in JSON.
    pub in_json: bool,
}

impl Bounds {
    /// The process is never ended for less than this, which is enough to read
    /// a rule and to say that a limit is too small.
    const LEAST_MEMORY: u64 = 16 << 20;

    /// The bytes that the process as a whole may take.
    pub fn most_memory(&self) -> u64 {
        self.memory.max(Bounds::LEAST_MEMORY)
    }

    /// The limit that the process has gone beyond, if it has.
    fn exceeded(&self) -> Option<&'static str> {
        if self
            .deadline
            .is_some_and(|end| Instant::now() >= end + GRACE)
        {
            return Some("time");
        }
        let most = self.most_memory();
        let taken = memory::taken().unwrap_or(0);
        (taken > most.saturating_add(most / TOLERANCE)).then_some("memory")
    }
}

/// What a computation that keeps to the time itself may take to end.
const GRACE: Duration = Duration::from_millis(250);

/// A computation that keeps to the memory itself counts what its tables take,
/// and the process may take a tenth more.
const TOLERANCE: u64 = 10;

/// What the command as a whole may cost; nothing bounds it before [`start`].
pub fn bounds() -> Bounds {
    BOUNDS.get().copied().unwrap_or(Bounds {
        memory: u64::MAX,
        deadline: None,
        in_json: false,
    })
}

/// What stands on the screen, for whoever writes next.
static SCREEN: Mutex<Screen> = Mutex::new(Screen {
    columns: 0,
    in_a_line: false,
    way_on: None,
    said: false,
    errors: Vec::new(),
    problems: Vec::new(),
});

struct Screen {
    /// Columns of the line that says how far the work has come.
    columns: usize,
    /// Standard output is a terminal, and its last line has no end yet.
    in_a_line: bool,
    /// How an interrupted run can be gone on with.
    way_on: Option<WayOn>,
    /// It has been said that the run was interrupted, or which limit it met.
    said: bool,
    /// The errors that have been said, and the faults of texts that have been
    /// shown, for those who want them in JSON.
    errors: Vec<String>,
    problems: Vec<Value>,
}

/// Who writes to standard output: 0 nobody yet, 1 the verb, 2 the thread that
/// ends the process. Whoever comes first keeps it, so that what a script reads
/// is one answer.
static WRITER: AtomicU8 = AtomicU8::new(0);
const NOBODY: u8 = 0;
const VERB: u8 = 1;
const WATCHER: u8 = 2;

/// Takes standard output, and says whether it is had.
fn take_output(by: u8) -> bool {
    match WRITER.compare_exchange(NOBODY, by, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => true,
        Err(writer) => writer == by,
    }
}

/// Keeps an error that has been said.
pub fn note_error(message: &str) {
    screen().errors.push(message.to_owned());
}

/// Keeps the faults of a text that have been shown.
pub fn note_problems(problems: impl IntoIterator<Item = Value>) {
    screen().problems.extend(problems);
}

/// The errors and faults that have been said since this was asked last.
pub fn take_said() -> (Vec<String>, Vec<Value>) {
    let mut screen = screen();
    (
        std::mem::take(&mut screen.errors),
        std::mem::take(&mut screen.problems),
    )
}

/// Writes in JSON why there is no answer, unless something has been written.
pub fn write_failure(status: Status) {
    if WRITER.load(Ordering::SeqCst) != NOBODY {
        return;
    }
    let failure = failure(status);
    // If nobody reads it, there is nobody to be told.
    let _ = writeln!(stdout(), "{failure}");
}

/// Why there is no answer.
fn failure(status: Status) -> Value {
    let (errors, problems) = take_said();
    let message = match problems.first() {
        Some(problem) if errors.is_empty() => problem["message"].clone(),
        _ => errors.join("; ").into(),
    };
    let mut failure = json!({
        "version": 1,
        "error": status.word(),
        "message": message,
    });
    if !problems.is_empty() {
        failure["problems"] = problems.into();
    }
    failure
}

/// Ends the process, which has gone beyond a limit or does not stop when it is
/// asked to.
fn end_process(status: Status) -> ! {
    if bounds().in_json && take_output(WATCHER) {
        let _ = writeln!(std::io::stdout(), "{}", failure(status));
    }
    std::process::exit(status as i32);
}

struct WayOn {
    words: String,
    command: String,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nothing is said of what takes less than this.
const A_WHILE: Duration = Duration::from_secs(1);

/// Between two lines where they stay.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Between two looks.
const TICK: Duration = Duration::from_millis(50);

/// Between two looks at the limits: memory is filled at a gigabyte a second.
const LIMIT_TICK: Duration = Duration::from_millis(10);

/// Looks between two changes of a line that is written in place.
const TICKS_A_CHANGE: u32 = 4;

/// What has not stopped by now is ended.
const PATIENCE: Duration = Duration::from_millis(800);

/// Where computations say how far they have come.
pub fn watch() -> &'static Progress {
    &WATCH
}

/// Says how the run can be gone on with if it is interrupted: by the command
/// that runs, with `more` at its end.
pub fn set_way_on(words: String, more: &str) {
    let command = command() + more;
    screen().way_on = Some(WayOn { words, command });
}

/// As long as this is kept, somebody watches.
pub struct Watcher {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Begins to watch. With `quiet` nothing is shown, and Ctrl-C and the limits
/// work all the same.
pub fn start(quiet: bool, bounds: Bounds) -> Watcher {
    // Another command of the same process keeps to the first one's limits.
    let bounds = *BOUNDS.get_or_init(|| bounds);
    let wanted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The second time it ends at once. Where a signal cannot be caught it
        // ends the process as it always does.
        let _ = flag::register_conditional_shutdown(signal, 130, wanted.clone());
        let _ = flag::register(signal, wanted.clone());
    }
    let (end, ended) = channel::<()>();
    let thread = std::thread::Builder::new().spawn(move || {
        let mut eye = Eye::new(quiet);
        let mut looked = Instant::now();
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(LIMIT_TICK) {
            if let Some(limit) = bounds.exceeded() {
                say_limit(limit);
                end_process(Status::Limit);
            }
            if looked.elapsed() < TICK {
                continue;
            }
            looked = Instant::now();
            if wanted.load(Ordering::Relaxed) {
                WATCH.stop();
            }
            eye.look();
        }
    });
    Watcher {
        end: Some(end),
        thread: thread.ok(),
    }
}

impl Watcher {
    /// Was the run interrupted?
    pub fn ends(self) -> bool {
        drop(self);
        WATCH.is_stopped()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A thread that failed has nothing more to show.
            let _ = thread.join();
        }
        screen().wipe();
    }
}

/// What the thread remembers from look to look.
struct Eye {
    quiet: bool,
    terminal: bool,
    started: Instant,
    /// The work at hand, when it was first seen, and how far it was then.
    first: (Snapshot, Instant),
    ticks: u32,
    last_line: Instant,
    stopped: Option<Instant>,
}

impl Eye {
    fn new(quiet: bool) -> Eye {
        let now = Instant::now();
        Eye {
            quiet,
            terminal: std::io::stderr().is_terminal(),
            started: now,
            first: (WATCH.snapshot(), now),
            ticks: 0,
            last_line: now,
            stopped: None,
        }
    }

    fn look(&mut self) {
        let now = Instant::now();
        if WATCH.is_stopped() {
            let since = *self.stopped.get_or_insert(now);
            if now - since >= PATIENCE {
                say_interrupted();
                end_process(Status::Interrupted);
            }
            return;
        }
        let seen = WATCH.snapshot();
        if seen.begun != self.first.0.begun {
            self.first = (seen, now);
        }
        self.ticks += 1;
        if self.quiet {
            return;
        }
        let line = |width| {
            let (first, since) = &self.first;
            words::line(&seen, first, now - *since, now - self.started, width)
        };
        if self.terminal {
            if now - self.started >= A_WHILE && self.ticks.is_multiple_of(TICKS_A_CHANGE) {
                screen().draw(&line(Some(COLUMNS)));
            }
        } else if now - self.last_line >= BETWEEN_LINES {
            self.last_line = now;
            let _ = writeln!(std::io::stderr(), "{}", line(None));
        }
    }
}

/// A line written in place must not be broken by the screen's edge.
const COLUMNS: usize = 79;

impl Screen {
    /// Writes the line anew. Blanks wipe it, since colours and the like may
    /// not be wanted.
    fn draw(&mut self, line: &str) {
        if self.in_a_line || self.said {
            return;
        }
        let columns = line.chars().count();
        let blanks = self.columns.saturating_sub(columns);
        let mut out = std::io::stderr().lock();
        let _ = write!(out, "\r{line}{:blanks$}", "");
        let _ = out.flush();
        self.columns = columns.max(1);
    }

    fn wipe(&mut self) {
        if self.columns > 0 {
            let columns = self.columns;
            let mut out = std::io::stderr().lock();
            let _ = write!(out, "\r{:columns$}\r", "");
            let _ = out.flush();
            self.columns = 0;
        }
    }
}

/// Says once that the run was interrupted, how far it had come, and how it can
/// be gone on with.
pub fn say_interrupted() {
    let way_on = {
        let mut screen = screen();
        if std::mem::replace(&mut screen.said, true) {
            return;
        }
        screen.way_on.take()
    };
    let seen = WATCH.snapshot();
    super::load::error(&match words::so_far(&seen) {
        Some(so_far) => format!("interrupted: {so_far}"),
        None => "interrupted".to_owned(),
    });
    note_way_on(way_on);
}

/// Says that a limit was met, unless the verb has said so.
fn say_limit(limit: &str) {
    if limit_is_said() {
        return;
    }
    super::load::error(&match WRITER.load(Ordering::SeqCst) {
        NOBODY => format!("{limit} limit reached before an answer was found"),
        _ => format!("{limit} limit reached before the whole answer was written"),
    });
    say_way_on();
}

/// Notes that the verb says itself which limit was met, and returns whether
/// that was noted before.
pub fn limit_is_said() -> bool {
    std::mem::replace(&mut screen().said, true)
}

/// Says how far a run has come that can be gone on with, and how.
pub fn say_way_on() {
    let way_on = screen().way_on.take();
    if way_on.is_some()
        && let Some(so_far) = words::so_far(&WATCH.snapshot())
    {
        super::load::note(&so_far);
    }
    note_way_on(way_on);
}

/// The command stands on a line of its own, so that it can be copied.
fn note_way_on(way_on: Option<WayOn>) {
    if let Some(WayOn { words, command }) = way_on {
        super::load::note(&words);
        let _ = writeln!(stderr(), "  {command}");
    }
}

/// The command that runs, as one may type it.
fn command() -> String {
    let mut words: Vec<String> = std::env::args().skip(1).map(quoted).collect();
    words.insert(0, "nimrule".to_owned());
    words.join(" ")
}

fn quoted(word: String) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A stream that wipes the line before anything else is written.
pub struct Stream<S> {
    inner: S,
    is_output: bool,
    is_output_terminal: bool,
}

/// Standard output.
pub fn stdout() -> Stream<AutoStream<Stdout>> {
    Stream {
        inner: anstream::stdout(),
        is_output: true,
        is_output_terminal: std::io::stdout().is_terminal(),
    }
}

/// Standard error.
pub fn stderr() -> Stream<AutoStream<Stderr>> {
    Stream {
        inner: anstream::stderr(),
        is_output: false,
        is_output_terminal: false,
    }
}

impl<S: Write> Write for Stream<S> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.is_output && !bytes.is_empty() && !take_output(VERB) {
            // The process is about to end, and what it says is said already.
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        {
            let mut screen = screen();
            screen.wipe();
            screen.in_a_line |= self.is_output_terminal;
        }
        let written = self.inner.write(bytes)?;
        if self.is_output_terminal && written > 0 {
            screen().in_a_line = bytes[written - 1] != b'\n';
        }
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}
