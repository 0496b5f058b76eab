//! Snapshots of outcomes: beside a rule file `NAME.nimrule` the file `NAME.outcomes` has
//! the P-positions, outcomes or Grundy values of a box, as text that diffs well. Later
//! runs of `test` compare with it.

use super::{Outcome, Result};
use crate::cli::load::{self, Answered, Loaded};
use crate::cli::{files, progress, text};
use clap::ValueEnum;
use nimrule_answer::{Position, Session};
use nimrule_elaborate::Settings;
use nimrule_engine::{Limits, Query, Question, Table};
use nimrule_model::game::{Convention, Game, PositionKind};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a snapshot has of each position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The P-positions; in partizan and loopy games every position with its outcome
    Outcomes,
    /// Every position with its Grundy value
    Grundy,
}

impl What {
    fn words(self) -> &'static str {
        match self {
            What::Outcomes => "outcomes",
            What::Grundy => "Grundy values",
        }
    }

    fn word(self) -> &'static str {
        match self {
            What::Outcomes => "outcomes",
            What::Grundy => "grundy",
        }
    }
}

/// The request of the command line.
pub struct Request {
    /// Write a snapshot where there is none.
    pub write: Option<What>,
    /// Write the snapshot anew where it differs.
    pub update: bool,
    pub max: Option<u64>,
}

/// The number of differences that are shown.
const SHOWN: usize = 5;

/// The largest number of positions of a new snapshot, without `--max`.
const POSITIONS: u128 = 20_000;
const OPTIONS: u128 = 20_000_000;

/// The head of a snapshot.
struct Head {
    what: What,
    convention: Convention,
    max: u64,
    /// Each parameter as `NAME=VALUE`.
    parameters: Vec<String>,
}

/// Compares with the snapshot of a rule file, or writes it. `None` if there is none and
/// none is requested.
pub fn compare(
    file: &str,
    request: &Request,
    settings: &Settings,
    limits: &Limits,
) -> Answered<Option<Result>> {
    if file == "-" {
        return Ok(None);
    }
    let path = Path::new(file).with_extension("outcomes");
    let known = match std::fs::read_to_string(&path) {
        Ok(known) => Some(known),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => {
            return Err(load::wrong(&format!(
                "`{}` cannot be read: {error}",
                path.display()
            )));
        }
    };
    match (known, request.write) {
        (Some(known), _) => checked(file, &path, &known, request, limits).map(Some),
        (None, Some(what)) => written(file, &path, what, request, settings, limits).map(Some),
        (None, None) => Ok(None),
    }
}

/// Writes a new snapshot.
fn written(
    file: &str,
    path: &Path,
    what: What,
    request: &Request,
    settings: &Settings,
    limits: &Limits,
) -> Answered<Result> {
    let loaded = load::read(file)?;
    let compiled = loaded.compiled(settings)?;
    let game = &compiled.game;
    let session = Session::new(game, limits.clone());
    let max = request.max.or(game.presentation.suggest_max);
    let head = Head {
        what,
        convention: Convention::Normal,
        max: max.unwrap_or_else(|| session.fitting_size(POSITIONS, OPTIONS)),
        parameters: (game.params.iter())
            .map(|(name, value)| format!("{name}={}", value.written().replace(' ', "")))
            .collect(),
    };
    let body = body(&session, &head)?;
    store(path, game, &head, &body)?;
    let words = format!("written, to {}", head.max);
    Ok(result(game, path, Outcome::Holds(words, json!("written"))))
}

/// Compares a rule with its snapshot.
fn checked(
    file: &str,
    path: &Path,
    known: &str,
    request: &Request,
    limits: &Limits,
) -> Answered<Result> {
    let unreadable = |why: &str| {
        load::wrong(&format!(
            "`{}` is no snapshot of outcomes: {why}; delete it, and write it with `--snapshot`",
            path.display()
        ))
    };
    let (head, lines) = read(known).map_err(|why| unreadable(&why))?;
    if let Some(what) = request.write
        && what != head.what
    {
        return Err(load::wrong(&format!(
            "`{}` is a snapshot of {}; delete it to write one of {}",
            path.display(),
            head.what.words(),
            what.words()
        )));
    }
    let mut settings = Settings::new();
    for parameter in &head.parameters {
        load::add_setting(&mut settings, parameter, parameter)?;
    }
    let loaded: Loaded = load::read(file)?;
    let compiled = loaded.compiled(&settings)?;
    let game = &compiled.game;
    let session = Session::new(game, limits.clone());
    let now = body(&session, &head)?;
    let read = |position: &str| session.read(position).ok();
    let differences = differences(&lines, &now, read).map_err(|why| unreadable(&why))?;
    let outcome = if differences.is_empty() {
        let words = format!("as in the snapshot, to {}", head.max);
        Outcome::Holds(words, json!({"to": head.max}))
    } else if request.update {
        store(path, game, &head, &now)?;
        let words = format!("written anew: {} positions differed", differences.len());
        Outcome::Holds(words, json!("written"))
    } else {
        let mut shown = differences[..differences.len().min(SHOWN)].join("; ");
        if differences.len() > SHOWN {
            let more = text::grouped((differences.len() - SHOWN) as u128);
            shown.push_str(&format!("; {more} more"));
        }
        let words = format!("differs from the snapshot: {shown}; `--update` accepts this");
        Outcome::Fails(words, json!({"differences": differences}))
    };
    Ok(result(game, path, outcome))
}

fn result(game: &Game, path: &Path, outcome: Outcome) -> Result {
    let params: Vec<String> = game
        .params
        .iter()
        .map(|(name, value)| format!("{name}={}", value.written()))
        .collect();
    Result {
        params: params.join(" "),
        values: crate::cli::json::params(game),
        words: format!("snapshot {}", file_name(path)),
        at: (1, 1),
        outcome,
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The lines of the positions, in the order of the region.
fn body(session: &Session<'_>, head: &Head) -> Answered<Vec<String>> {
    let (solver, limits) = (session.solver(), session.limits());
    let game = solver.game;
    if game.position_kind == PositionKind::Reals {
        return Err(load::wrong(
            "positions of real size cannot be listed, so there is no snapshot of them",
        ));
    }
    let failed = |failure| load::failed(&failure, solver, Some(head.max));
    let region = solver.region(head.max, limits).map_err(failed)?;
    let asked = Query {
        question: match head.what {
            What::Outcomes => Question::Outcome,
            What::Grundy => Question::Grundy,
        },
        convention: head.convention,
    };
    progress::watch();
    let table: Table = session
        .table(&region, asked, limits, None)
        .map_err(failed)?;
    let all = game.no_grundy_values().is_some();
    let outcomes: &[nimrule_engine::Outcome] = match head.what {
        What::Outcomes if !all => &[nimrule_engine::Outcome::P],
        _ => &[],
    };
    let lines = table.entries(outcomes).map(|entry| {
        let shown = game.shown(&entry.position);
        match head.what {
            What::Grundy => format!("{shown} {}", entry.grundy.unwrap_or_default()),
            What::Outcomes if all => format!("{shown} {}", entry.outcome),
            What::Outcomes => shown,
        }
    });
    Ok(lines.collect())
}

fn store(path: &Path, game: &Game, head: &Head, body: &[String]) -> Answered<()> {
    let name = file_name(&PathBuf::from(path).with_extension("nimrule"));
    let mut words = format!(
        "// {name}: written by `nimrule test --snapshot`, compared by `nimrule test`\n\
         what: {}\nconvention: {}\nmax: {}\n",
        head.what.word(),
        head.convention.word(),
        head.max
    );
    let states = game.states_of_box(&game.box_to(head.max));
    if !states.is_empty() {
        words.push_str(&format!("states: {states}\n"));
    }
    if !game.params.is_empty() {
        words.push_str(&format!("parameters: {}\n", head.parameters.join(" ")));
    }
    words.push('\n');
    for line in body {
        words.push_str(line);
        words.push('\n');
    }
    files::write_atomically(path, |out| out.write_all(words.as_bytes()))
        .map_err(|error| load::wrong(&format!("`{}` cannot be written: {error}", path.display())))
}

/// The head and the lines of a snapshot, or what is wrong with it.
fn read(known: &str) -> std::result::Result<(Head, Vec<String>), String> {
    let mut fields = BTreeMap::new();
    let mut lines = known.lines().skip_while(|line| line.starts_with("//"));
    for line in lines.by_ref() {
        if line.trim().is_empty() {
            break;
        }
        let (key, value) = line
            .split_once(": ")
            .ok_or_else(|| format!("`{line}` is not `key: value`"))?;
        fields.insert(key, value);
    }
    let field = |key: &str| {
        let value = fields.get(key).copied();
        value.ok_or_else(|| format!("its head has no `{key}`"))
    };
    let what = match field("what")? {
        "outcomes" => What::Outcomes,
        "grundy" => What::Grundy,
        other => return Err(format!("`{other}` is neither outcomes nor grundy")),
    };
    let convention = match field("convention")? {
        "normal" => Convention::Normal,
        "misere" => Convention::Misere,
        other => return Err(format!("`{other}` is neither normal nor misere")),
    };
    let max = field("max")?;
    let max = max.parse().map_err(|_| format!("`{max}` is no number"))?;
    let parameters = fields.get("parameters").copied().unwrap_or_default();
    let head = Head {
        what,
        convention,
        max,
        parameters: parameters.split_whitespace().map(str::to_owned).collect(),
    };
    Ok((head, lines.map(str::to_owned).collect()))
}

/// The differences between two lists of positions, in words, in the order of the positions;
/// or the first line of `before` that `read` does not read as a position.
fn differences(
    before: &[String],
    now: &[String],
    read: impl Fn(&str) -> Option<Position>,
) -> std::result::Result<Vec<String>, String> {
    let entry = |line: &'_ str| -> (String, String) {
        match line.rsplit_once(' ') {
            Some((position, value)) if !value.ends_with([')', '}']) => {
                (position.to_owned(), value.to_owned())
            }
            _ => (line.to_owned(), "P".to_owned()),
        }
    };
    let table = |lines: &[String]| -> BTreeMap<String, String> {
        lines.iter().map(|line| entry(line)).collect()
    };
    let (was, is) = (table(before), table(now));
    let mut found = BTreeMap::new();
    for line in before.iter().chain(now) {
        let (position, _) = entry(line);
        let words = match (was.get(&position), is.get(&position)) {
            (Some(value), Some(other)) if value == other => continue,
            (Some(value), Some(other)) => format!("{position} is {other}, was {value}"),
            (Some(value), None) => format!("{position} was {value}, and is not"),
            (None, Some(value)) => format!("{position} is {value}, and was not"),
            (None, None) => continue,
        };
        let key = read(&position).ok_or_else(|| format!("`{line}` is no position of this game"))?;
        found.insert((key, position), words);
    }
    Ok(found.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::{differences, read};
    use nimrule_answer::Position;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn differences_name_the_position() {
        let read = |position: &str| {
            let sizes = position.trim_matches(['(', ')']).split(',');
            let sizes: Result<Vec<u64>, _> = sizes.map(str::parse).collect();
            sizes.ok().map(Position::from)
        };
        let found = differences(
            &lines(&["(0,0)", "(10,2)"]),
            &lines(&["(0,0)", "(2,2)"]),
            read,
        );
        // In the order of the sizes, not of the letters.
        assert_eq!(
            found.unwrap(),
            ["(2,2) is P, and was not", "(10,2) was P, and is not"]
        );
        let found = differences(&lines(&["(1,2) 3"]), &lines(&["(1,2) 4"]), read);
        assert_eq!(found.unwrap(), ["(1,2) is 4, was 3"]);
        let found = differences(&lines(&["(1,x)"]), &lines(&["(1,2)"]), read);
        assert_eq!(found.unwrap_err(), "`(1,x)` is no position of this game");
    }

    #[test]
    fn heads_that_lack_something_are_refused() {
        assert!(read("what: outcomes\nconvention: normal\nmax: 3\n\n(0)\n").is_ok());
        for wrong in [
            "what: outcomes\n\n",
            "what: all\nconvention: normal\nmax: 3\n\n",
            "what: outcomes\nconvention: normal\nmax: x\n\n",
            "rubbish\n",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
