//! Progress reports of long runs, interruption, and the limits of the process.
//!
//! The computation stores its progress in a [`Progress`]; a thread reads it and
//! reports to standard error. The same thread forwards Ctrl-C to the computation
//! and ends the process if the computation does not stop soon.
//!
//! Computations enforce their own limits. The thread enforces the limits of the
//! process as a whole ([`Bounds`]): while a file is parsed, an answer is written,
//! or memory grows that no computation counts.

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
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

static WATCH: LazyLock<Arc<Progress>> = LazyLock::new(Arc::default);

static BOUNDS: OnceLock<Bounds> = OnceLock::new();

/// The limits of the process.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The memory limit in bytes.
    pub memory: u64,
    /// The memory of libraries that run beside the computation, which does not count.
    pub runtime: u64,
    pub deadline: Option<Instant>,
    /// Whether failures are written as JSON.
    pub in_json: bool,
}

impl Bounds {
    /// The process is never ended below this much memory, which is enough to
    /// read a rule and to report that the limit is too small.
    const LEAST_MEMORY: u64 = 16 << 20;

    /// The memory limit of the process, in bytes.
    pub fn most_memory(&self) -> u64 {
        self.memory.max(Bounds::LEAST_MEMORY)
    }

    /// What is left of a limit for tables: see [`memory::room`].
    pub fn room(limit: u64) -> u64 {
        memory::room(limit, Bounds::LEAST_MEMORY)
    }

    /// The limit that the process exceeds, if any.
    fn exceeded(&self) -> Option<&'static str> {
        if self
            .deadline
            .is_some_and(|end| Instant::now() >= end + GRACE)
        {
            return Some("time");
        }
        let most = self.most_memory();
        let taken = memory::taken().unwrap_or(0).saturating_sub(self.runtime);
        (taken > most.saturating_add(most / TOLERANCE)).then_some("memory")
    }
}

/// The time after the deadline in which a computation may stop by itself.
const GRACE: Duration = Duration::from_millis(250);

/// Computations count the memory of their tables; the process may use one part
/// in this many more.
const TOLERANCE: u64 = 10;

/// The limits of the process; unbounded before [`start`].
pub fn bounds() -> Bounds {
    BOUNDS.get().copied().unwrap_or(Bounds {
        memory: u64::MAX,
        runtime: 0,
        deadline: None,
        in_json: false,
    })
}

/// The state of the terminal, shared by all writers.
static SCREEN: Mutex<Screen> = Mutex::new(Screen {
    columns: 0,
    in_a_line: false,
    resume_hint: None,
    said: false,
    errors: Vec::new(),
    problems: Vec::new(),
    start: None,
});

struct Screen {
    /// The width of the progress line, in columns; 0 if there is none.
    columns: usize,
    /// Standard output is a terminal, and its last line is incomplete.
    in_a_line: bool,
    /// How an interrupted run can be resumed.
    resume_hint: Option<ResumeHint>,
    /// Whether the interruption or the limit has been reported.
    said: bool,
    /// The errors and diagnostics reported so far, for the JSON answer.
    errors: Vec<String>,
    problems: Vec<Value>,
    /// The answer about the start, which a failure in JSON includes.
    start: Option<Value>,
}

/// The writer of standard output: [`NOBODY`] yet, the [`VERB`], or the
/// [`WATCHER`] thread that ends the process. The first one keeps it, so that a
/// script reads exactly one answer.
static WRITER: AtomicU8 = AtomicU8::new(0);
const NOBODY: u8 = 0;
const VERB: u8 = 1;
const WATCHER: u8 = 2;

/// Claims standard output for a writer, and returns whether it has it.
fn take_output(by: u8) -> bool {
    match WRITER.compare_exchange(NOBODY, by, Ordering::SeqCst, Ordering::SeqCst) {
        Ok(_) => true,
        Err(writer) => writer == by,
    }
}

/// Records an error that was reported.
pub fn note_error(message: &str) {
    screen().errors.push(message.to_owned());
}

/// Records diagnostics that were shown.
pub fn note_problems(problems: impl IntoIterator<Item = Value>) {
    screen().problems.extend(problems);
}

/// Records the answer about the start, for a run that fails after it.
pub fn note_start(answer: Value) {
    screen().start = Some(answer);
}

/// Takes the errors and diagnostics recorded since the last call.
pub fn take_said() -> (Vec<String>, Vec<Value>) {
    let mut screen = screen();
    (
        std::mem::take(&mut screen.errors),
        std::mem::take(&mut screen.problems),
    )
}

/// Writes the failure as JSON, unless an answer has been written.
pub fn write_failure(status: Status) {
    if WRITER.load(Ordering::SeqCst) != NOBODY {
        return;
    }
    let failure = failure(status);
    // A closed pipe is not an error here.
    let _ = writeln!(stdout(), "{failure}");
}

/// The failure as JSON.
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
    if let Some(start) = screen().start.take() {
        failure["start"] = start;
    }
    failure
}

/// Ends the process after a limit is exceeded or an interruption is ignored.
fn end_process(status: Status) -> ! {
    if bounds().in_json && !super::is_silent() && take_output(WATCHER) {
        let _ = writeln!(std::io::stdout(), "{}", failure(status));
    }
    std::process::exit(status as i32);
}

struct ResumeHint {
    words: String,
    command: String,
}

fn screen() -> MutexGuard<'static, Screen> {
    SCREEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// No progress is reported before this time.
const SILENT_FOR: Duration = Duration::from_secs(1);

/// The time between two progress lines if standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// The time between two reads of the progress.
const TICK: Duration = Duration::from_millis(50);

/// The time between two checks of the limits: a process can fill a gigabyte of
/// memory in a second.
const LIMIT_TICK: Duration = Duration::from_millis(10);

/// Ticks between two updates of a progress line on a terminal.
const TICKS_A_CHANGE: u32 = 4;

/// The time that a computation has to stop after an interruption.
const PATIENCE: Duration = Duration::from_millis(800);

/// The progress of the computations of this process.
pub fn watch() -> Arc<Progress> {
    Arc::clone(&WATCH)
}

/// Sets how an interrupted run can be resumed: by the current command with
/// `more` appended.
pub fn set_resume_hint(words: String, more: &str) {
    let command = command() + more;
    screen().resume_hint = Some(ResumeHint { words, command });
}

/// Stops the watcher thread when dropped.
pub struct Watcher {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts the watcher thread. `quiet` suppresses only the progress reports. In an
/// interactive command, an interruption is a way to leave.
pub fn start(quiet: bool, is_interactive: bool, bounds: Bounds) -> Watcher {
    // Another command of the same process keeps to the first one's limits.
    let bounds = *BOUNDS.get_or_init(|| bounds);
    let wanted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        if is_interactive {
            let always = Arc::new(AtomicBool::new(true));
            let _ = flag::register_conditional_shutdown(signal, 0, always);
        }
        // The second time it ends at once. Where a signal cannot be caught it
        // ends the process as it always does.
        let _ = flag::register_conditional_shutdown(signal, 130, wanted.clone());
        let _ = flag::register(signal, wanted.clone());
    }
    let (end, ended) = channel::<()>();
    let thread = std::thread::Builder::new().spawn(move || {
        let mut reporter = Reporter::new(quiet);
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
            reporter.look();
        }
    });
    Watcher {
        end: Some(end),
        thread: thread.ok(),
    }
}

impl Watcher {
    /// Stops the thread, and returns whether the run was interrupted.
    pub fn ends(self) -> bool {
        drop(self);
        WATCH.is_stopped()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread loses only progress reports.
            let _ = thread.join();
        }
        screen().wipe();
    }
}

/// The state of the watcher thread between two ticks.
struct Reporter {
    quiet: bool,
    terminal: bool,
    started: Instant,
    /// The first snapshot of the current work, and its time.
    first: (Snapshot, Instant),
    ticks: u32,
    last_line: Instant,
    stopped: Option<Instant>,
}

impl Reporter {
    fn new(quiet: bool) -> Reporter {
        let now = Instant::now();
        Reporter {
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
            if now - self.started >= SILENT_FOR && self.ticks.is_multiple_of(TICKS_A_CHANGE) {
                screen().draw(&line(Some(COLUMNS)));
            }
        } else if now - self.last_line >= BETWEEN_LINES {
            self.last_line = now;
            let _ = writeln!(std::io::stderr(), "{}", line(None));
        }
    }
}

/// The largest width of a progress line, so that a terminal does not wrap it.
const COLUMNS: usize = 79;

impl Screen {
    /// Overwrites the progress line, padded with spaces (no control sequences).
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

/// Reports once that the run was interrupted, its progress, and how to resume it.
pub fn say_interrupted() {
    let resume_hint = {
        let mut screen = screen();
        if std::mem::replace(&mut screen.said, true) {
            return;
        }
        screen.resume_hint.take()
    };
    let seen = WATCH.snapshot();
    super::load::error(&match words::so_far(&seen) {
        Some(so_far) => format!("interrupted: {so_far}"),
        None => "interrupted".to_owned(),
    });
    note_resume_hint(resume_hint);
}

/// Reports that a limit was reached, unless the verb has reported it.
fn say_limit(limit: &str) {
    if limit_is_said() {
        return;
    }
    super::load::error(&match WRITER.load(Ordering::SeqCst) {
        NOBODY => format!("{limit} limit reached before an answer was found"),
        _ => format!("{limit} limit reached before the whole answer was written"),
    });
    say_how_to_resume();
}

/// Marks the limit as reported by the verb, and returns whether it was reported
/// before.
pub fn limit_is_said() -> bool {
    std::mem::replace(&mut screen().said, true)
}

/// Reports the progress of a resumable run, and how to resume it.
pub fn say_how_to_resume() {
    let resume_hint = screen().resume_hint.take();
    if resume_hint.is_some()
        && let Some(so_far) = words::so_far(&WATCH.snapshot())
    {
        super::load::note(&so_far);
    }
    note_resume_hint(resume_hint);
}

/// Writes the command on its own line, so that it can be copied.
fn note_resume_hint(resume_hint: Option<ResumeHint>) {
    if let Some(ResumeHint { words, command }) = resume_hint {
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
        if super::is_silent() {
            return Ok(bytes.len());
        }
        if self.is_output && !bytes.is_empty() && !take_output(VERB) {
            // The watcher is ending the process and has written the answer.
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
