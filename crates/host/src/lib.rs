//! A session for programs in other languages, the page in a browser and Python: a question as
//! JSON is answered by JSON. [`messages`] has the types of both.
//!
//! Nothing is decided here. Who answers a question, for how long and in which words is
//! decided by `nimrule-answer`, what is drawn by `nimrule-draw`, and what an editor shows by
//! `nimrule-editor`.
//!
//! ```
//! let mut host = nimrule_host::Host::default();
//! let text = "game nim heaps a b move take from one heap";
//! host.ask(&format!(r#"{{"ask":"open","text":"{text}","params":[],"misere":false}}"#));
//! let answer = host.ask(r#"{"ask":"solve","position":"(3,5)"}"#);
//! assert!(answer.contains(r#""outcome":"N""#), "{answer}");
//! ```

#![warn(missing_docs)]

mod editor;
mod gallery;
pub mod messages;
mod open;

pub use gallery::{read as shipped_file, shipped};
pub use open::failure;

use messages::{Ask, Fault, FaultKind};
use nimrule::{Limits, Progress, Session};
use nimrule_model::game::Convention;
use open::Open;
use serde::Serialize;
use std::sync::Arc;

/// Reads a file that a rule names: from its name to its bytes.
pub type Files = Arc<dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync>;

/// What is kept from one question to the next: the open game, the limits of questions, and
/// where files are read that rules name.
pub struct Host {
    open: Option<Open>,
    files: Files,
    limits: Limits,
}

impl Default for Host {
    /// A host that has the shipped games and no other files.
    fn default() -> Host {
        Host::reading(Arc::new(gallery::read))
    }
}

/// The answer to a question: a value, or why there is none.
pub(crate) type Answered<T> = Result<T, Fault>;

impl Fault {
    pub(crate) fn of(words: impl ToString) -> Fault {
        Fault {
            kind: FaultKind::Question,
            words: words.to_string(),
            findings: Vec::new(),
        }
    }
}

impl Host {
    /// A host that reads files through a function.
    pub fn reading(files: Files) -> Host {
        Host {
            open: None,
            files,
            limits: Limits::of_memory(Limits::DEFAULT_MEMORY),
        }
    }

    /// A host that reports the progress of a computation, as the JSON of a
    /// [`messages::Progress`].
    pub fn reporting(tell: impl Fn(&str) + Send + Sync + 'static) -> Host {
        let progress =
            Progress::with_listener(move |progress| tell(&written(&progress_of(progress))));
        let mut host = Host::default();
        host.limits.progress = Some(Arc::new(progress));
        host
    }

    /// Sets the limits of the questions that follow;
    /// [`Limits::DEFAULT_MEMORY`] and one thread before.
    pub fn set_limits(&mut self, limits: Limits) {
        if let Some(open) = &mut self.open {
            open.set_limits(limits.clone());
        }
        self.limits = limits;
    }

    /// Asks the session about the open game; `None` if no game is open.
    pub fn ask_session<T>(
        &self,
        ask: impl for<'g> FnOnce(&Session<'g>, Convention) -> T,
    ) -> Option<T> {
        self.open.as_ref().map(|open| open.ask_session(ask))
    }

    /// Answers a question: `{"value": …}` or `{"fault": …}`.
    pub fn ask(&mut self, question: &str) -> String {
        let answer = match serde_json::from_str(question) {
            Ok(question) => self.answer(question),
            Err(error) => Err(Fault::of(format!("the question cannot be read: {error}"))),
        };
        match answer {
            Ok(value) => format!("{{\"value\":{value}}}"),
            Err(fault) => format!("{{\"fault\":{}}}", written(&fault)),
        }
    }

    fn answer(&mut self, question: Ask) -> Answered<String> {
        Ok(match question {
            Ask::Shipped => written(&gallery::shipped()),
            Ask::Gallery => written(&gallery::games()),
            Ask::Thumbnail { file } => written(&gallery::thumbnail(&file)?),
            Ask::Words => written(&editor::words()),
            Ask::Check { text } => written(&editor::check(&text)),
            Ask::Hover { text, at } => written(&editor::hover(&text, at)),
            Ask::Complete { text, at } => written(&editor::complete(&text, at)),
            Ask::Rename { text, at, to } => written(&editor::rename(&text, at, to.as_deref())?),
            Ask::Format { text } => written(&editor::format(&text)),
            Ask::Open {
                text,
                params,
                misere,
            } => {
                // What is open stays open until another game is.
                let open = Open::new(&text, &params, misere, &self.files, self.limits.clone())?;
                written(&self.open.insert(open).opened())
            }
            of_game => match &mut self.open {
                Some(open) => open.answer(of_game)?,
                None => return Err(Fault::of("no game is open")),
            },
        })
    }
}

/// How far a computation is.
pub fn progress_of(progress: &Progress) -> messages::Progress {
    open::progress(&progress.snapshot())
}

/// A message as JSON.
pub(crate) fn written<T: Serialize>(message: &T) -> String {
    // INVARIANT: messages have string keys and finite numbers.
    serde_json::to_string(message).expect("a message can be written")
}
