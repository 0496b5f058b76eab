//! The standing of each claim of an open file, found in the background.

use lsp_server::{Message, Notification, Request};
use nimrule_answer::{Effort, Session};
use nimrule_elaborate::Settings;
use nimrule_engine::Limits;
use nimrule_limits::Steps;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A text whose claims are to be decided.
pub struct Job {
    pub uri: String,
    pub version: i32,
    pub text: String,
    /// The folder of the files that the rule refers to.
    pub folder: PathBuf,
}

/// The standings of the claims of a text.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    pub version: i32,
    /// The words for each claim that is decided so far, by its index.
    pub words: Vec<String>,
}

/// The standings of the open files, and the thread that finds them.
pub struct Background {
    jobs: Sender<Job>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The newest version of each open file.
    newest: BTreeMap<String, i32>,
    found: BTreeMap<String, Standings>,
}

impl Background {
    /// Starts the thread, which gives each claim a time. If `refreshes`, it asks the
    /// editor to show what it found.
    pub fn new(
        each: Duration,
        limits: Limits,
        refreshes: bool,
        editor: impl Fn(Message) + Send + 'static,
    ) -> Background {
        let (jobs, wanted) = channel::<Job>();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            let mut refresh = 0;
            for job in wanted {
                let tell = |words: &[String]| {
                    let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    let is_newest = state.newest.get(&job.uri) == Some(&job.version);
                    if is_newest {
                        let standings = Standings {
                            version: job.version,
                            words: words.to_vec(),
                        };
                        state.found.insert(job.uri.clone(), standings);
                    }
                    is_newest
                };
                if !decide(&job, each, &limits, &tell) {
                    continue;
                }
                if refreshes {
                    refresh += 1;
                    let id = format!("standings-{refresh}").into();
                    let method = "workspace/codeLens/refresh".to_owned();
                    editor(Request::new(id, method, serde_json::Value::Null).into());
                }
                let decided = serde_json::json!({"uri": job.uri, "version": job.version});
                editor(Notification::new("nimrule/standings".to_owned(), decided).into());
            }
        });
        Background { jobs, state }
    }

    /// Asks for the standings of a text; those of its earlier versions are given up.
    pub fn ask(&self, job: Job) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.newest.insert(job.uri.clone(), job.version);
        // The thread lives as long as the server.
        let _ = self.jobs.send(job);
    }

    /// Forgets a file that is closed.
    pub fn forget(&self, uri: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.newest.remove(uri);
        state.found.remove(uri);
    }

    /// The standings that are known of a version of a text.
    pub fn of(&self, uri: &str, version: i32) -> Vec<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.found.get(uri) {
            Some(found) if found.version == version => found.words.clone(),
            _ => Vec::new(),
        }
    }
}

/// Decides the claims of a text one after another, and tells what is known after each,
/// until nobody wants to know. Returns whether all were decided.
fn decide(job: &Job, each: Duration, limits: &Limits, tell: &dyn Fn(&[String]) -> bool) -> bool {
    if !tell(&[]) {
        return false;
    }
    let Ok(file) = nimrule_syntax::parse(&job.text).into_result() else {
        return false;
    };
    let read = |path: &str| super::server::read_beside(&job.folder, path);
    let Ok(checked) = nimrule_analysis::check(&file, &job.text, &Settings::new(), &read) else {
        return false;
    };
    let game = &checked.game;
    let session = Session::new(game, limits.clone());
    let effort = Effort::EDITOR.proving(Steps::in_time(each / 2));
    let mut words = Vec::new();
    for number in 1..=game.claims.len() {
        words.push(match session.claim(number, &effort) {
            Ok(report) => report.line().to_owned(),
            Err(failure) => format!("not decided: {failure}"),
        });
        if !tell(&words) {
            return false;
        }
    }
    true
}
