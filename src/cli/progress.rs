//! How far a long run has come, and how it ends when somebody wants it to.
//!
//! The computation says in a [`Watch`] what it is at; a thread looks there and
//! writes to standard error. The same thread sees that Ctrl-C was pressed and
//! passes it on; what does not stop soon of its own accord is ended here.

mod words;

pub use words::lasting;

use crate::limits::{Seen, Watch};
use anstream::AutoStream;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::{IsTerminal as _, Stderr, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

static WATCH: Watch = Watch::new();

/// What stands on the screen, for whoever writes next.
static SCREEN: Mutex<Screen> = Mutex::new(Screen {
    columns: 0,
    in_a_line: false,
    way_on: None,
    said: false,
});

struct Screen {
    /// Columns of the line that says how far the work has come.
    columns: usize,
    /// Standard output is a terminal, and its last line has no end yet.
    in_a_line: bool,
    /// How an interrupted run can be gone on with.
    way_on: Option<WayOn>,
    /// It has been said that the run was interrupted.
    said: bool,
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

/// Looks between two changes of a line that is written in place.
const TICKS_A_CHANGE: u32 = 4;

/// What has not stopped by now is ended.
const PATIENCE: Duration = Duration::from_millis(800);

/// Where computations say how far they have come.
pub fn watch() -> &'static Watch {
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

/// Begins to watch. With `quiet` nothing is shown, and Ctrl-C works all the
/// same.
pub fn start(quiet: bool) -> Watcher {
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
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
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
    first: (Seen, Instant),
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
            first: (WATCH.look(), now),
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
                std::process::exit(super::Status::Interrupted as i32);
            }
            return;
        }
        let seen = WATCH.look();
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
    let seen = WATCH.look();
    super::load::error(&match words::so_far(&seen) {
        Some(so_far) => format!("interrupted: {so_far}"),
        None => "interrupted".to_owned(),
    });
    note_way_on(way_on);
}

/// Says how far a run has come that can be gone on with, and how.
pub fn say_way_on() {
    let way_on = screen().way_on.take();
    if way_on.is_some()
        && let Some(so_far) = words::so_far(&WATCH.look())
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
    is_output_terminal: bool,
}

/// Standard output.
pub fn stdout() -> Stream<AutoStream<Stdout>> {
    Stream {
        inner: anstream::stdout(),
        is_output_terminal: std::io::stdout().is_terminal(),
    }
}

/// Standard error.
pub fn stderr() -> Stream<AutoStream<Stderr>> {
    Stream {
        inner: anstream::stderr(),
        is_output_terminal: false,
    }
}

impl<S: Write> Write for Stream<S> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
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
