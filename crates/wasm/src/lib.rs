//! A session in a browser: the page sends a question as JSON, and the worker in which this
//! module runs returns the answer as JSON. [`messages`] has the types of both.
//!
//! Nothing is decided here. Who answers a question, for how long and in which words is
//! decided by `nimrule-answer`, what is drawn by `nimrule-draw`, and what an editor shows by
//! `nimrule-editor`.
//!
//! ```
//! let mut host = nimrule_wasm::Host::default();
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

use messages::{Ask, Fault};
use nimrule_limits::Progress;
use open::Open;
use serde::Serialize;
use std::sync::Arc;

/// What the worker keeps from one question to the next: the open game, and who is told of
/// progress.
#[derive(Default)]
pub struct Host {
    open: Option<Open>,
    progress: Option<Arc<Progress>>,
}

/// The answer to a question: a value, or why there is none.
pub(crate) type Answered<T> = Result<T, Fault>;

impl Fault {
    pub(crate) fn of(words: impl ToString) -> Fault {
        Fault {
            words: words.to_string(),
            findings: Vec::new(),
        }
    }
}

impl Host {
    /// A host that reports the progress of a computation, as the JSON of a
    /// [`messages::Progress`].
    pub fn reporting(tell: impl Fn(&str) + Send + Sync + 'static) -> Host {
        let progress = Progress::with_listener(move |progress| {
            let now = open::progress(&progress.snapshot());
            tell(&serde_json::to_string(&now).unwrap_or_default());
        });
        Host {
            open: None,
            progress: Some(Arc::new(progress)),
        }
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
                let open = Open::new(&text, &params, misere, self.progress.clone())?;
                written(&self.open.insert(open).opened())
            }
            of_game => match &mut self.open {
                Some(open) => open.answer(of_game)?,
                None => return Err(Fault::of("no game is open")),
            },
        })
    }
}

/// A message as JSON.
pub(crate) fn written<T: Serialize>(message: &T) -> String {
    // INVARIANT: messages have string keys and finite numbers.
    serde_json::to_string(message).expect("a message can be written")
}

#[cfg(target_arch = "wasm32")]
mod browser {
    use super::Host;
    use std::cell::RefCell;
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        /// What the worker does with the progress of a computation.
        #[wasm_bindgen(js_namespace = globalThis, js_name = nimruleProgress)]
        fn progress(json: &str);
    }

    thread_local! {
        static HOST: RefCell<Host> = RefCell::new(Host::reporting(progress));
    }

    /// Shows what a panic says in the console.
    #[wasm_bindgen(start)]
    pub fn start() {
        console_error_panic_hook::set_once();
    }

    /// Answers a question.
    #[wasm_bindgen]
    pub fn ask(question: &str) -> String {
        HOST.with_borrow_mut(|host| host.ask(question))
    }
}
