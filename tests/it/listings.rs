//! What a command lists of many positions is what the definition says of each of them: `list`
//! in every format, `table`, the plots of `draw`, the snapshots of `test` and the answers about
//! single positions, of every kind of position, by every engine, in normal and misere play.
//!
//! The games are those of the matrix, the shipped ones, and random ones.

use super::matrix::{FILES, KINDS};
use nimrule_answer::{Entry, HeapTableRequest, Session, json};
use nimrule_definition::{self as definition, GameGraph, GrundyValues, Solution};
use nimrule_engine::{self as engine, ENGINES, Limits, Query, Question, Request, Solver};
use nimrule_fixtures::{Numbers, compiled_file, few_or_many, shipped_names};
use nimrule_model::game::{Class, Convention, Game, PositionKind};
use nimrule_testing::compare::{FILES as FILES_OF_RANDOM_RULES, box_size};
use nimrule_testing::generate::{RuleClass, rule};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The most positions of a box, and the most steps of its options.
const MOST: (usize, u64) = (150, 60_000);

const FORMATS: [&str; 3] = ["text", "csv", "json"];

/// A game with the positions of a box.
struct Case<'a> {
    /// The rule file.
    file: &'a Path,
    solver: &'a Solver<'a>,
    most: u64,
    positions: Vec<Vec<u64>>,
}

/// What the definition says of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Truth {
    outcome: Class,
    /// `None` in games without values.
    value: Option<u64>,
}

impl Truth {
    fn shown(self, question: Question) -> String {
        match question {
            Question::Outcome => self.outcome.letter().to_owned(),
            Question::Grundy => self.value.unwrap_or_default().to_string(),
        }
    }
}

type Truths = BTreeMap<Vec<u64>, Truth>;

impl<'a> Case<'a> {
    /// The largest box that is small; `None` if there is none, or if a position has a fault.
    fn new(file: &'a Path, solver: &'a Solver<'a>) -> Option<Case<'a>> {
        let most = box_size(solver, MOST.0, MOST.1)?;
        Some(Case {
            file,
            solver,
            most,
            positions: definition::positions(solver.game, most).ok()?,
        })
    }

    fn game(&self) -> &'a Game {
        self.solver.game
    }

    fn truths(&self, graph: &GameGraph<'_>, convention: Convention) -> Truths {
        let solution = Solution::of(graph, convention);
        let mut values = GrundyValues::new(graph, convention);
        let has_values = self.game().no_grundy_values().is_none();
        let known = self.positions.iter().map(|position| {
            let truth = Truth {
                outcome: solution.outcome(position).expect("it is in the graph"),
                value: has_values.then(|| values.of(position)).flatten(),
            };
            (position.clone(), truth)
        });
        known.collect()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_nimrule"))
            .args(arguments)
            .arg(self.file)
            .args(["--quiet", "--time-limit=20"])
            .output()
            .expect("the program starts")
    }

    /// The cells of a position in a list, as text or as JSON.
    fn cells(&self, position: &[u64], in_json: bool) -> Vec<String> {
        let game = self.game();
        match (
            game.heap_count(),
            in_json,
            json::small_position(game, position),
        ) {
            (0, true, whole) => vec![whole.to_string()],
            (0, false, _) => vec![game.shown(position)],
            (_, true, Value::Array(cells)) => cells.iter().map(plain).collect(),
            (..) => {
                let numbers = position.iter().enumerate();
                let shown = numbers.map(|(place, number)| game.shown_number(place, *number));
                shown.collect()
            }
        }
    }

    /// Compares `list` in a format with what it must list.
    fn list(
        &self,
        truths: &Truths,
        query: Query,
        engine: Option<&str>,
        format: &str,
    ) -> Result<(), String> {
        let most = self.most.to_string();
        let mut arguments = vec!["list", "--max", &most, "--format", format];
        let of_values = query.question == Question::Grundy;
        arguments.extend(of_values.then_some("--grundy"));
        arguments.extend((query.convention == Convention::Misere).then_some("--misere"));
        arguments.extend(engine.iter().flat_map(|name| ["--engine", name]));
        let output = self.run(&arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.code() != Some(0) {
            // An engine may refuse a box, or need more than the time.
            let said = String::from_utf8_lossy(&output.stderr);
            return match (engine, output.status.code()) {
                (Some(_), Some(2 | 3)) if !said.contains("unexpected argument") => Ok(()),
                (_, status) => Err(format!("{arguments:?} ends with {status:?}: {said}")),
            };
        }
        let with_outcomes = self.game().no_grundy_values().is_some();
        let mut expected: Vec<Vec<String>> = Vec::new();
        for (position, truth) in truths {
            if of_values || with_outcomes || truth.outcome == Class::P {
                let mut row = self.cells(position, format == "json");
                row.extend(with_outcomes.then(|| truth.outcome.letter().to_owned()));
                row.extend(of_values.then(|| truth.value.unwrap_or_default().to_string()));
                expected.push(row);
            }
        }
        let mut listed = match format {
            "json" => rows_of_json(&text),
            "csv" => rows_of_csv(&text),
            _ => rows_of_text(&text),
        };
        expected.sort();
        listed.sort();
        compared(&format!("{arguments:?}"), &expected, &listed)
    }

    /// Compares a table of the first two numbers, of which the others are those of a position, and the
    /// plot of the same positions.
    fn table(&self, truths: &Truths, query: Query, position: &[u64]) -> Result<(), String> {
        let game = self.game();
        if game.position_kind == PositionKind::Reals || game.heap_count() == 0 {
            return Ok(());
        }
        let session = Session::new(game, Limits::of_memory(1 << 28));
        let fixed: Vec<(usize, u64)> = position.iter().copied().enumerate().skip(2).collect();
        let name = |place: usize| game.heap_names.get(place).map(String::as_str);
        let request = HeapTableRequest {
            rows: name(1),
            columns: name(0),
            fixed: &fixed,
            max: Some(self.most),
            query,
        };
        let Ok(table) = session.heap_table(&request) else {
            return Ok(());
        };
        let by_cells: BTreeMap<Vec<String>, &Truth> = truths
            .iter()
            .map(|(position, truth)| (self.cells(position, false), truth))
            .collect();
        let rows = table.rows.as_ref().map_or(vec![None], |axis| {
            axis.labels
                .iter()
                .map(|label| Some((&axis.name, label)))
                .collect()
        });
        for (row, entries) in rows.iter().zip(&table.entries) {
            for (column, entry) in table.columns.labels.iter().zip(entries) {
                let mut cells = self.cells(position, false);
                for (name, label) in row.iter().copied().chain([(&table.columns.name, column)]) {
                    let place = game.heap_names.iter().position(|other| other == name);
                    cells[place.expect("an axis is a heap")].clone_from(label);
                }
                let Some(truth) = by_cells.get(&cells) else {
                    continue;
                };
                let entry = entry.as_ref().map(|entry| match entry {
                    Entry::Outcome(outcome) => outcome.letter().to_owned(),
                    Entry::Value(value) => value.to_string(),
                });
                if entry.as_ref() != Some(&truth.shown(query.question)) {
                    return Err(format!("table: {cells:?} is {truth:?}, not {entry:?}"));
                }
            }
        }
        let Ok(slice) = session.slice(&fixed, Some(self.most), query) else {
            return Ok(());
        };
        let Ok(table) = session.table(&slice.region, slice.query, session.limits(), None) else {
            return Ok(());
        };
        let plotted: Vec<Vec<Option<String>>> = match slice.query.question {
            Question::Grundy => in_words(slice.values(&table)),
            Question::Outcome => in_words(slice.letters(&table)),
        };
        for (y, row) in (0..).zip(&plotted) {
            for (x, shown) in (0..).zip(row) {
                let position = slice.at(x, y);
                let Some(truth) = truths.get(&position) else {
                    continue;
                };
                if *shown != Some(truth.shown(slice.query.question)) {
                    return Err(format!("plot: {position:?} is {truth:?}, not {shown:?}"));
                }
            }
        }
        Ok(())
    }

    /// Compares a new snapshot of `test`.
    fn snapshot(&self, truths: &Truths, question: Question) -> Result<(), String> {
        let what = match question {
            Question::Outcome => "--snapshot=outcomes",
            Question::Grundy => "--snapshot=grundy",
        };
        let path = self.file.with_extension("outcomes");
        let _ = std::fs::remove_file(&path);
        let most = self.most.to_string();
        let output = self.run(&["test", "--no-cache", what, "--max", &most]);
        // Claims come before it, and their boxes may need more than the time.
        if output.status.code() == Some(3) {
            return Ok(());
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Err(format!("{what}: there is no snapshot"));
        };
        let all = self.game().no_grundy_values().is_some();
        let lines = truths.iter().filter_map(|(position, truth)| {
            let shown = self.game().shown(position);
            match question {
                Question::Grundy => Some(format!("{shown} {}", truth.value?)),
                Question::Outcome if all => Some(format!("{shown} {}", truth.outcome)),
                Question::Outcome => (truth.outcome == Class::P).then_some(shown),
            }
        });
        let mut expected: Vec<Vec<String>> = lines.map(|line| vec![line]).collect();
        let body = text.split_once("\n\n").map_or("", |(_, body)| body);
        let mut found: Vec<Vec<String>> = body.lines().map(|line| vec![line.to_owned()]).collect();
        expected.sort();
        found.sort();
        compared(what, &expected, &found)
    }

    /// The answers about single positions, as `solve` gives them.
    fn answers(&self, truths: &Truths, convention: Convention) -> Result<(), String> {
        let limits = Limits::of_memory(1 << 28);
        for (position, truth) in truths.iter().step_by(few_or_many(20, 1)) {
            let request = Request::Outcome;
            let answer = engine::answer(self.solver, position, convention, request, &limits, None);
            match answer {
                Ok(answer) if answer.outcome == truth.outcome => {}
                Ok(answer) => {
                    return Err(format!("{position:?} is {truth:?}, not {}", answer.outcome));
                }
                Err(error) => return Err(format!("{position:?}: {error}")),
            }
        }
        Ok(())
    }

    /// Compares everything, with `list` by every engine and in every format, or by one of each.
    fn compare(&self, random: &mut Numbers, are_all: bool) -> Result<(), String> {
        let Ok(graph) = GameGraph::from(self.game(), &self.positions) else {
            return Ok(());
        };
        for convention in [Convention::Normal, Convention::Misere] {
            let truths = self.truths(&graph, convention);
            self.answers(&truths, convention)?;
            for question in [Question::Outcome, Question::Grundy] {
                if question == Question::Grundy && self.game().no_grundy_values().is_some() {
                    continue;
                }
                let query = Query {
                    question,
                    convention,
                };
                let supported = ENGINES
                    .iter()
                    .filter(|engine| engine.supports(self.solver, query).is_ok());
                let names: Vec<&str> = supported.map(|engine| engine.name()).collect();
                let chosen = random.below(names.len() as u64) as usize;
                for (number, name) in names.iter().enumerate() {
                    if are_all || number == chosen {
                        let format = FORMATS[random.below(3) as usize];
                        self.list(&truths, query, Some(name), format)?;
                    }
                }
                let chosen = random.below(3) as usize;
                for (number, format) in FORMATS.iter().enumerate() {
                    if are_all || number == chosen {
                        self.list(&truths, query, None, format)?;
                    }
                }
                if let Some(position) = self
                    .positions
                    .get(random.below(self.positions.len().max(1) as u64) as usize)
                {
                    self.table(&truths, query, position)?;
                }
                // A snapshot comes after the claims, of which shipped games have many.
                if convention == Convention::Normal && self.game().claims.len() < 3 {
                    self.snapshot(&truths, question)?;
                }
            }
        }
        Ok(())
    }
}

/// The cell of a value of JSON.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn in_words<T: ToString>(rows: Vec<Vec<Option<T>>>) -> Vec<Vec<Option<String>>> {
    let words = |cell: Option<T>| cell.map(|cell| cell.to_string());
    let row = |row: Vec<Option<T>>| row.into_iter().map(words).collect();
    rows.into_iter().map(row).collect()
}

fn rows_of_json(text: &str) -> Vec<Vec<String>> {
    let list: Value = serde_json::from_str(text).expect("the list is JSON");
    let rows = list["rows"].as_array().expect("it has rows");
    let cells = |row: &Value| row.as_array().expect("cells").iter().map(plain).collect();
    rows.iter().map(cells).collect()
}

fn rows_of_csv(text: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|row| row.expect("it is CSV"));
    rows.map(|row| row.iter().map(str::to_owned).collect())
        .collect()
}

/// The rows of a table in which two blanks separate columns.
fn rows_of_text(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let cells = line
            .split("  ")
            .map(str::trim)
            .filter(|cell| !cell.is_empty());
        cells.map(str::to_owned).collect()
    };
    text.lines().skip(1).map(cells).collect()
}

fn compared(what: &str, expected: &[Vec<String>], found: &[Vec<String>]) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    let mut words = format!("{what}:\n");
    for row in expected.iter().filter(|row| !found.contains(row)).take(5) {
        let _ = writeln!(words, "  missing: {row:?}");
    }
    for row in found.iter().filter(|row| !expected.contains(row)).take(5) {
        let _ = writeln!(words, "  wrong: {row:?}");
    }
    if expected.len() != found.len() {
        let _ = writeln!(
            words,
            "  {} rows instead of {}",
            found.len(),
            expected.len()
        );
    }
    Err(words)
}

/// A folder for rule files and what they name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("listings")
        .join(name);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (file, text) in FILES.iter().chain(&FILES_OF_RANDOM_RULES) {
        std::fs::write(folder.join(file), text).expect("it can be written");
    }
    folder
}

/// Compares a game in a folder; returns whether it has a small box.
fn compare(folder: &Path, text: &str, random: &mut Numbers, are_all: bool) -> Result<bool, String> {
    // A random rule may claim to be itself.
    for name in ["listed", "itself"] {
        let file = folder.join(name).with_extension("nimrule");
        std::fs::write(file, text).expect("the folder can be written");
    }
    let file = folder.join("listed.nimrule");
    let Ok(compiled) = compiled_file(&file) else {
        return Ok(false);
    };
    if matches!(
        compiled.game.position_kind,
        PositionKind::Reals | PositionKind::Open(_)
    ) {
        return Ok(false);
    }
    let solver = Solver::new(&compiled.game);
    let Some(case) = Case::new(&file, &solver) else {
        return Ok(false);
    };
    case.compare(random, are_all).map(|()| true)
}

fn assert_right(failures: &[String]) {
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn of_every_kind_of_position() {
    let folder = folder("kinds");
    let mut random = Numbers::new(5);
    let (mut failures, mut compared) = (Vec::new(), 0);
    for kind in &KINDS {
        let text = format!("game {}\n{}", kind.name, kind.rule);
        match compare(&folder, &text, &mut random, true) {
            Ok(is_small) => compared += usize::from(is_small),
            Err(why) => failures.push(format!("{}: {why}", kind.name)),
        }
    }
    assert_right(&failures);
    assert!(
        compared > KINDS.len() - 5,
        "only {compared} kinds were compared"
    );
}

#[test]
fn of_every_shipped_game() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let folder = folder("shipped");
    for entry in std::fs::read_dir(&games)
        .expect("the folder is there")
        .flatten()
        .filter(|entry| entry.path().is_file())
    {
        std::fs::copy(entry.path(), folder.join(entry.file_name())).expect("it can be copied");
    }
    let mut random = Numbers::new(6);
    let (mut failures, mut compared) = (Vec::new(), 0);
    for name in shipped_names()
        .iter()
        .skip(few_or_many(1, 0))
        .step_by(few_or_many(8, 1))
    {
        let text = std::fs::read_to_string(games.join(format!("{name}.nimrule")));
        let text = text.expect("a game can be read");
        match compare(&folder, &text, &mut random, few_or_many(false, true)) {
            Ok(is_small) => compared += usize::from(is_small),
            Err(why) => failures.push(format!("{name}: {why}")),
        }
    }
    assert_right(&failures);
    assert!(
        compared > few_or_many(9, 70),
        "only {compared} games were compared"
    );
}

#[test]
fn of_random_games() {
    let folder = folder("random");
    let mut random = Numbers::new(7);
    let (mut failures, mut compared) = (Vec::new(), 0);
    for seed in 0..few_or_many(25, 6_000) {
        let text = rule(seed, RuleClass::Any).to_string();
        match compare(&folder, &text, &mut random, false) {
            Ok(is_small) => compared += usize::from(is_small),
            Err(why) => failures.push(format!("seed {seed}: {why}\n{text}")),
        }
    }
    assert_right(&failures);
    assert!(
        compared > few_or_many(4, 25),
        "only {compared} games were compared"
    );
}
