//! Changes of files, for `test --watch`.

#[cfg(feature = "watch")]
pub use notified::{Changes, announce};

#[cfg(feature = "watch")]
mod notified {
    use crate::cli::load::{self, Answered};
    use crate::cli::progress;
    use crate::cli::text::FAINT;
    use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _, recommended_watcher};
    use std::collections::BTreeSet;
    use std::io::{IsTerminal as _, Write as _};
    use std::path::Path;
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    /// An editor writes a file in several steps, which are one change.
    const SETTLED: Duration = Duration::from_millis(150);

    /// The changes of the folders of some files.
    pub struct Changes {
        /// Events arrive while it lives.
        _watcher: RecommendedWatcher,
        events: Receiver<notify::Result<Event>>,
    }

    impl Changes {
        /// Watches the folders that files are in, and folders with what is in them.
        pub fn of(files: &[String]) -> Answered<Changes> {
            let failed = |error: notify::Error| {
                load::wrong(&format!("the files cannot be watched: {error}"))
            };
            if files.iter().any(|file| file == "-") {
                return Err(load::wrong("standard input cannot be watched; name a file"));
            }
            let (sender, events) = channel();
            let mut watcher = recommended_watcher(sender).map_err(failed)?;
            for file in files {
                let path = Path::new(file);
                let folder = match path.parent() {
                    _ if path.is_dir() => path,
                    Some(parent) if !parent.as_os_str().is_empty() => parent,
                    _ => Path::new("."),
                };
                watcher
                    .watch(folder, RecursiveMode::NonRecursive)
                    .map_err(failed)?;
            }
            Ok(Changes {
                _watcher: watcher,
                events,
            })
        }

        /// Waits until a file was written, made, renamed or removed, and returns the names of
        /// those that were. Hidden files, which editors and the proof cache write, and backups
        /// do not count.
        pub fn wait(&self) -> Answered<Vec<String>> {
            let failed = |error: notify::Error| {
                load::wrong(&format!("the files cannot be watched: {error}"))
            };
            let mut changed = BTreeSet::new();
            while changed.is_empty() {
                let Ok(event) = self.events.recv() else {
                    return Err(load::wrong("the files are no longer watched"));
                };
                changed.extend(names(&event.map_err(failed)?));
            }
            while let Ok(event) = self.events.recv_timeout(SETTLED) {
                changed.extend(names(&event.map_err(failed)?));
            }
            Ok(changed.into_iter().collect())
        }
    }

    /// The names of the files that an event is about.
    fn names(event: &Event) -> Vec<String> {
        if event.kind.is_access() {
            return Vec::new();
        }
        let names = event.paths.iter().filter_map(|path| path.file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names
            .filter(|name| !name.starts_with('.') && !name.ends_with('~'))
            .collect()
    }

    /// The most names that the heading of a test has.
    const NAMED: usize = 3;

    /// Clears a terminal, and writes the time and what has changed since the last test.
    pub fn announce(changed: &[String]) {
        let mut out = progress::stdout();
        if std::io::stdout().is_terminal() {
            // The screen, what has scrolled out of it, and the cursor to its corner.
            let _ = write!(out, "\x1b[2J\x1b[3J\x1b[H");
        }
        let time = jiff::Zoned::now().strftime("%H:%M:%S");
        let mut names = changed[..changed.len().min(NAMED)].join(", ");
        if changed.len() > NAMED {
            names.push_str(&format!(" and {} more", changed.len() - NAMED));
        }
        let what = match changed {
            [] => String::new(),
            _ => format!(", changed: {names}"),
        };
        let _ = writeln!(out, "{FAINT}{time}{what}{FAINT:#}");
    }
}

#[cfg(not(feature = "watch"))]
pub use missing::{Changes, announce};

#[cfg(not(feature = "watch"))]
mod missing {
    use crate::cli::load::Answered;
    use crate::cli::picture::without;

    /// This build cannot watch files.
    pub enum Changes {}

    impl Changes {
        pub fn of(_: &[String]) -> Answered<Changes> {
            Err(without("`test --watch`", "watch"))
        }

        pub fn wait(&self) -> Answered<Vec<String>> {
            match *self {}
        }
    }

    pub fn announce(_: &[String]) {}
}
