//! `prove --smt-lib` and `--smt-solver`: sentences about heaps of real size for
//! external SMT solvers.
//!
//! The answer of an external solver is not checked, so it is reported as the
//! answer of that solver and never as `proved`.

use super::certificate::{self, Subject};
use super::load::{self, Answered, Unanswered};
use super::{Status, text};
use nimrule_answer::proof::{SmtScript, Unsupported, scripts};
use nimrule_engine::Limits;
use nimrule_limits::LimitExceeded;
use nimrule_model::game::{Claim, Game};
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// The answer of a solver about a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    Holds,
    /// The claim fails, for this reason.
    Fails(&'static str),
    Unknown(String),
}

/// A solver with its answer.
#[derive(Debug, Clone)]
pub struct Asked {
    pub solver: String,
    pub says: Says,
}

impl Asked {
    /// The answer on one line.
    pub fn words(&self) -> String {
        let solver = &self.solver;
        match &self.says {
            Says::Holds => {
                format!("{solver} reports that it holds (not checked here)")
            }
            Says::Fails(exception) => {
                format!("{solver} reports that it fails: there is {exception} (not checked here)")
            }
            Says::Unknown(why) => format!("{solver} gave no answer: {why}"),
        }
    }

    pub fn as_json(&self) -> Value {
        let says = match &self.says {
            Says::Holds => "holds",
            Says::Fails(_) => "fails",
            Says::Unknown(_) => "unknown",
        };
        json!({"solver": self.solver, "says": says})
    }
}

/// Writes the sentences of a claim to a folder, one file each.
pub fn save(
    folder: &Path,
    game: &Game,
    number: usize,
    claim: &Claim,
) -> Answered<Result<Vec<PathBuf>, Unsupported>> {
    let sentences = match scripts(game, claim) {
        Ok(sentences) => sentences,
        Err(unsupported) => return Ok(Err(unsupported)),
    };
    let mut paths = Vec::with_capacity(sentences.len());
    for sentence in &sentences {
        let of = Subject::Sentence(number, &sentence.name);
        paths.push(certificate::save(folder, game, of, &sentence.text)?);
    }
    Ok(Ok(paths))
}

/// Runs a solver on each of the sentences. `solver` is a program with arguments;
/// the name of a file is appended.
pub fn ask(solver: &str, game: &Game, claim: &Claim, limits: &Limits) -> Answered<Asked> {
    let asked = |says| Asked {
        solver: solver.to_owned(),
        says,
    };
    let sentences = match scripts(game, claim) {
        Ok(sentences) => sentences,
        Err(unsupported) => return Ok(asked(Says::Unknown(unsupported.what))),
    };
    let mut waiting = None;
    for sentence in &sentences {
        match answer(solver, sentence, limits)?.as_str() {
            "unsat" => {}
            // The rule does not ensure that play ends, so it has no outcomes.
            "sat"
                if sentence.name == "apart"
                    || sentence.name == "reached"
                    || sentence.name == "movable" =>
            {
                return Ok(asked(Says::Fails(sentence.violation)));
            }
            "sat" => {
                return Ok(asked(Says::Unknown(format!(
                    "there is {}",
                    sentence.violation
                ))));
            }
            other => waiting = waiting.or(Some(other.to_owned())),
        }
    }
    Ok(asked(match waiting {
        None => Says::Holds,
        Some(why) => Says::Unknown(why),
    }))
}

/// The time between two checks of a running solver.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// The largest number of bytes read from a solver's output.
const MOST_SAID: u64 = 1 << 20;

/// The first word of a solver's output, or why there is none.
fn answer(solver: &str, sentence: &SmtScript, limits: &Limits) -> Answered<String> {
    let path = std::env::temp_dir().join(format!(
        "nimrule-{}-{}.smt2",
        std::process::id(),
        sentence.name
    ));
    fs::write(&path, &sentence.text).map_err(|error| {
        load::wrong(&format!("`{}` cannot be written: {error}", path.display()))
    })?;
    let answered = run(solver, &path, limits);
    // Whether it can be removed changes no answer.
    let _ = fs::remove_file(&path);
    answered
}

fn run(solver: &str, path: &Path, limits: &Limits) -> Answered<String> {
    let cannot = |error: std::io::Error| {
        load::wrong(&format!("the solver `{solver}` cannot be run: {error}"))
    };
    let mut words = solver.split_whitespace();
    let mut child = Command::new(words.next().unwrap_or_default())
        .args(words)
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(cannot)?;
    if let Err(met) = wait(&mut child, limits).map_err(cannot)? {
        return match met {
            LimitExceeded::Stopped => Err(Unanswered(Status::Interrupted)),
            met => Ok(met.to_string()),
        };
    }
    let mut said = String::new();
    if let Some(out) = child.stdout.take() {
        // Only the first word is needed, so the rest is not read.
        out.take(MOST_SAID)
            .read_to_string(&mut said)
            .map_err(cannot)?;
    }
    let line = said.lines().map(str::trim).find(|line| !line.is_empty());
    Ok(match line {
        Some(word @ ("sat" | "unsat")) => word.to_owned(),
        Some(line) => format!("its output is `{line}`"),
        None => "its output is empty".to_owned(),
    })
}

/// Waits for a program, and ends it when a limit is exceeded.
pub fn wait(
    child: &mut Child,
    limits: &Limits,
) -> std::io::Result<Result<ExitStatus, LimitExceeded>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if let Err(met) = limits.check_waited_for() {
            end(child);
            return Ok(Err(met));
        }
        std::thread::sleep(BETWEEN_LOOKS);
    }
}

/// Kills a program and waits for it.
fn end(child: &mut Child) {
    // One that has ended by itself is as good.
    let _ = child.kill();
    let _ = child.wait();
}

/// The files written, or why none was, as lines of a report.
pub fn written(written: &Result<Vec<PathBuf>, Unsupported>) -> String {
    match written {
        Ok(paths) => paths
            .iter()
            .map(|path| {
                format!(
                    "     {}\n",
                    text::wrapped(&format!("sentence {}", path.display()), 73, 5)
                )
            })
            .collect(),
        Err(unsupported) => format!(
            "     {}\n",
            text::wrapped(&format!("no SMT-LIB sentence: {}", unsupported.what), 73, 5)
        ),
    }
}
