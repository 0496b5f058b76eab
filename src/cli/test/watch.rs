//! Changes of files, for `test --watch`.

#[cfg(feature = "watch")]
pub use notified::Changes;

#[cfg(feature = "watch")]
mod notified {
    use crate::cli::load::{self, Answered};
    use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _, recommended_watcher};
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

        /// Waits until a file was written, made, renamed or removed.
        pub fn wait(&self) -> Answered<()> {
            loop {
                match self.events.recv() {
                    Ok(Ok(event)) if event.kind.is_access() => {}
                    Ok(Ok(_)) => break,
                    Ok(Err(error)) => {
                        return Err(load::wrong(&format!(
                            "the files cannot be watched: {error}"
                        )));
                    }
                    Err(_) => return Err(load::wrong("the files are no longer watched")),
                }
            }
            while self.events.recv_timeout(SETTLED).is_ok() {}
            Ok(())
        }
    }
}

#[cfg(not(feature = "watch"))]
pub use missing::Changes;

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

        pub fn wait(&self) -> Answered<()> {
            match *self {}
        }
    }
}
