//! `test`: checking the claims and examples of rule files.

mod outcomes;
mod watch;

use super::load::{self, Answered, Loaded};
use super::proof_cache::CacheArguments;
use super::text::{self, BAD, FAINT, GOOD};
use super::{Format, Shared, Status, json, latex, progress};
use clap::Args;
use nimrule_answer::{Basis, Bounds, ClaimReport, Effort, ExampleReport, Verdict, words};
use nimrule_elaborate::{Settings, reads_one_value, settings_where};
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_limits::LimitExceeded;
use nimrule_model::game::{Applies, Game};
use nimrule_syntax::ast::{Expr, Statement};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Rule files, or folders of them
    #[arg(required = true)]
    files: Vec<String>,
    /// Check claims for heaps up to this size [default: as large as is quick]
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    /// Compare every claim with the whole box, and seek no proof for all sizes
    #[arg(long = "box")]
    whole_box: bool,
    /// Write a snapshot of the outcomes, or of the Grundy values, beside each file that
    /// has none: NAME.outcomes. Later runs compare with it
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "outcomes")]
    snapshot: Option<outcomes::What>,
    /// Write snapshots anew where they differ
    #[arg(long)]
    update: bool,
    /// Test again whenever a file of these folders changes, until Ctrl-C
    #[arg(long)]
    pub watch: bool,
    #[command(flatten)]
    cache: CacheArguments,
}

/// The number of parameter values at which a claim is tested.
const INSTANCES: usize = 4;

/// The time for the boxes of one file, at all values of its parameters, after which each
/// further box has a quarter of its time.
const FILE_TIME: Duration = Duration::from_secs(2);

/// The largest numbers of positions and options of a box, and its time while the file has
/// some left.
const POSITIONS: u128 = 300_000;
const OPTIONS: u128 = 100_000_000;
const BOX_TIME: Duration = Duration::from_millis(1600);

/// The result of a claim or an example at one setting of the parameters.
struct Result {
    params: String,
    values: Value,
    words: String,
    outcome: Outcome,
}

enum Outcome {
    Holds(String, Value),
    Fails(String, Value),
    Limit(String),
    /// This verb does not check it.
    NotChecked(String),
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    if !arguments.watch {
        return run_once(arguments, shared);
    }
    let changes = watch::Changes::of(&arguments.files)?;
    loop {
        // A file with errors is tested again when it is corrected.
        let _ = run_once(arguments, shared);
        changes.wait()?;
    }
}

fn run_once(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let settings = load::settings(shared)?;
    let files = rule_files(&arguments.files)?;
    let mut status = Status::Fine;
    let (mut held, mut failed, mut not_checked) = (0, 0, 0);
    let mut not_begun: &[String] = &[];
    let mut answers = Vec::new();
    let mut unread = Vec::new();
    // The result of each file, for JSON.
    let mut tested_files = Vec::new();
    let limits = shared.limits();
    let mut out = progress::stdout();
    for (number, file) in files.iter().enumerate() {
        // The first file is always tested, so that a limit is reported for it.
        if number > 0 && limits.check_time() == Err(LimitExceeded::Time) {
            not_begun = &files[number..];
            status = status.max(Status::Limit);
            break;
        }
        progress::take_said();
        let tested = test_file(file, &settings, arguments, &limits).and_then(|mut results| {
            let request = outcomes::Request {
                write: arguments.snapshot,
                update: arguments.update,
                max: arguments.max,
            };
            results.extend(outcomes::compare(file, &request, &settings, &limits)?);
            Ok(results)
        });
        let (file_status, results) = match tested {
            Ok(results) => {
                let worst = worst(&results);
                let standing = word_of(worst, &results);
                tested_files.push(json!({"file": file, "standing": standing}));
                (worst, results)
            }
            Err(load::Unanswered(worse)) => {
                let (errors, problems) = progress::take_said();
                tested_files.push(json!({
                    "file": file,
                    "standing": word_of(worse, &[]),
                    "message": match (errors.last(), problems.first()) {
                        (Some(error), _) => json!(error),
                        (None, problem) => json!(problem.map(|problem| &problem["message"])),
                    },
                    "problems": problems,
                }));
                unread.push(json!({
                    "file": file,
                    "message": errors.last(),
                    "problems": problems,
                }));
                (worse, Vec::new())
            }
        };
        status = status.max(file_status);
        if file_status == Status::Interrupted {
            // The results of earlier files are written already.
            return Err(load::Unanswered(file_status));
        }
        let (good, skipped) = counted(&results);
        held += good;
        failed += results.len() - good - skipped;
        not_checked += skipped;
        match shared.format {
            Format::Text => print_file(&mut out, file, file_status, &results, files.len() == 1),
            _ => answers.extend(results.into_iter().map(|r| (file.clone(), r))),
        }
    }
    let _ = match shared.format {
        Format::Text => {
            let style = if status == Status::Fine { GOOD } else { BAD };
            for file in not_begun {
                let _ = writeln!(
                    out,
                    "{BAD}LIMIT{BAD:#}  {file}  {FAINT}not started{FAINT:#}"
                );
            }
            writeln!(
                out,
                "\n{style}{held} hold, {failed} fail{style:#}{}{}, in {} {}",
                and_not_checked(not_checked),
                match unread.len() {
                    0 => String::new(),
                    wrong => format!(", {wrong} wrong"),
                },
                files.len() - not_begun.len(),
                if files.len() - not_begun.len() == 1 {
                    "file"
                } else {
                    "files"
                }
            )
        }
        Format::Json => {
            let results: Vec<Value> = answers
                .iter()
                .map(|(file, result)| as_json(file, result))
                .collect();
            let mut answer = json!({"version": 1, "hold": held, "fail": failed});
            if not_checked > 0 {
                answer["not_checked"] = json!(not_checked);
            }
            answer["results"] = json!(results);
            answer["files"] = json!(tested_files);
            if !unread.is_empty() {
                answer["unread"] = json!(unread);
            }
            if !not_begun.is_empty() {
                answer["not_begun"] = json!(not_begun);
            }
            writeln!(out, "{answer}")
        }
        Format::Csv => as_csv(&mut out, &answers),
        Format::Latex => {
            let counts = [held, failed, not_checked, not_begun.len()];
            write!(out, "{}", as_latex(&answers, counts))
        }
    };
    Ok(status)
}

/// The result of a file in JSON.
fn word_of(status: Status, results: &[Result]) -> &'static str {
    match status {
        Status::Fine if results.is_empty() => "nothing claimed",
        Status::Fine => "holds",
        status => status.word(),
    }
}

/// The numbers that hold and that are not checked.
fn counted(results: &[Result]) -> (usize, usize) {
    let count = |test: fn(&Outcome) -> bool| results.iter().filter(|r| test(&r.outcome)).count();
    (
        count(|outcome| matches!(outcome, Outcome::Holds(..))),
        count(|outcome| matches!(outcome, Outcome::NotChecked(_))),
    )
}

fn and_not_checked(number: usize) -> String {
    match number {
        0 => String::new(),
        number => format!(", {number} not checked"),
    }
}

fn worst(results: &[Result]) -> Status {
    results
        .iter()
        .map(|result| match result.outcome {
            Outcome::Holds(..) | Outcome::NotChecked(_) => Status::Fine,
            Outcome::Fails(..) => Status::Fails,
            Outcome::Limit(_) => Status::Limit,
        })
        .max()
        .unwrap_or(Status::Fine)
}

/// The files named, and those in the folders named, in order.
pub fn rule_files(named: &[String]) -> Answered<Vec<String>> {
    let mut files = Vec::new();
    for name in named {
        if name == "-" || !Path::new(name).is_dir() {
            files.push(name.clone());
            continue;
        }
        let mut inside: Vec<String> = std::fs::read_dir(name)
            .map_err(|error| load::wrong(&format!("`{name}` cannot be read: {error}")))?
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "nimrule"))
            .map(|path| path.display().to_string())
            .collect();
        if inside.is_empty() {
            return Err(load::wrong(&format!("there is no rule file in `{name}`")));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn test_file(
    file: &str,
    settings: &Settings,
    arguments: &Arguments,
    limits: &Limits,
) -> Answered<Vec<Result>> {
    let loaded = load::read(file)?;
    let compiled = loaded.compiled(settings)?;
    let mut results = Vec::new();
    // The parameters as they are set, then those that claims with a `for`
    // speak of.
    let mut instances: Vec<Settings> = vec![settings.clone()];
    let (file, text) = (&compiled.file, &loaded.source.text);
    let mut claims = compiled.game.claims.iter().map(|claim| claim.words.clone());
    let examples = compiled.game.examples.iter();
    let mut examples = examples.map(|example| format!("example {}", example.words));
    for statement in &file.statements {
        let (condition, words): (Option<&Expr>, _) = match &statement.node {
            Statement::Claim(claim) => (claim.condition.as_ref(), claims.next()),
            Statement::Example(example) => (example.condition.as_ref(), examples.next()),
            _ => continue,
        };
        if let Some(condition) = condition {
            let found = settings_where(file, text, settings, Some(condition), INSTANCES);
            if found.is_empty() && reads_one_value(file, text, settings, condition) {
                results.push(Result {
                    params: String::new(),
                    values: json!({}),
                    words: words.unwrap_or_default(),
                    outcome: Outcome::NotChecked(
                        "give a value of the parameters for which it is with `--set`".to_owned(),
                    ),
                });
            }
            for found in found {
                if !instances.contains(&found) && !is_as_set(&compiled.game, &found) {
                    instances.push(found);
                }
            }
        }
    }
    let begun = Instant::now();
    for (number, instance) in instances.iter().enumerate() {
        let instance = Instance {
            settings: instance,
            everything: number == 0,
            begun,
        };
        test_instance(&loaded, &instance, arguments, limits, &mut results)?;
    }
    Ok(results)
}

/// Returns whether these are the default values.
fn is_as_set(game: &Game, found: &Settings) -> bool {
    game.params
        .iter()
        .all(|(name, value)| found.get(name) == Some(value))
}

/// One setting at which a file is tested.
struct Instance<'s> {
    settings: &'s Settings,
    /// Whether everything that applies is tested, or only the claims with `for`.
    everything: bool,
    /// The time at which the test of the file began.
    begun: Instant,
}

/// Tests at one setting.
fn test_instance(
    loaded: &Loaded,
    instance: &Instance<'_>,
    arguments: &Arguments,
    limits: &Limits,
    results: &mut Vec<Result>,
) -> Answered<()> {
    let Instance {
        settings,
        everything,
        begun,
    } = *instance;
    let compiled = match loaded.compile(settings) {
        Ok(compiled) => compiled,
        Err(problems) => {
            load::show(&problems);
            return Err(load::Unanswered(Status::Wrong));
        }
    };
    let game = &compiled.game;
    let cache = &arguments.cache;
    let session = cache.reading_session(loaded, &compiled, limits.clone());
    let solver = session.solver();
    let params = if game.params.is_empty() {
        String::new()
    } else {
        game.params
            .iter()
            .map(|(name, value)| format!("{name}={}", value.written()))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let speaks =
        |applies: Applies| applies == Applies::Here || (everything && applies == Applies::Always);
    for example in game.examples.iter().filter(|e| speaks(e.applies)) {
        let outcome = match session.example(example) {
            Ok(tried) => example_tried(tried),
            Err(failure) => not_answered(&failure, solver)?,
        };
        results.push(Result {
            params: params.clone(),
            values: json::params(game),
            words: format!("example {}", example.words),
            outcome,
        });
    }
    let left = FILE_TIME.saturating_sub(begun.elapsed());
    let effort = Effort {
        bounds: Some(match arguments.max {
            Some(max) => Bounds::Asked(max),
            None => Bounds::Fitting {
                positions: POSITIONS,
                options: OPTIONS,
                time: Some(left.clamp(BOX_TIME / 4, BOX_TIME)),
                as_suggested: everything,
            },
        }),
        ..Effort::COMMAND
    };
    let effort = match arguments.whole_box {
        true => effort.by_box_alone(),
        false => effort,
    };
    for (number, claim) in session.claims().filter(|(_, claim)| speaks(claim.applies)) {
        let outcome = match session.claim(number, &effort) {
            Ok(report) => claim_outcome(game, &report),
            Err(failure) => not_answered(&failure, solver)?,
        };
        results.push(Result {
            params: params.clone(),
            values: json::params(game),
            words: claim.words.clone(),
            outcome,
        });
    }
    Ok(())
}

/// Checks an example that no engine reaches against a claim.
fn example_tried(tried: ExampleReport) -> Outcome {
    let basis = tried
        .basis
        .as_ref()
        .filter(|basis| !matches!(basis, Basis::Engine(_)));
    let by = basis.map(|basis| match basis {
        Basis::Proof(_) | Basis::Engine(_) => format!("by {}", words::basis(basis)),
        Basis::Theorem { .. } | Basis::Claim { .. } => {
            format!("by {}, which {}", words::basis(basis), basis.extent())
        }
    });
    let mut value = match &tried.contradiction {
        None => json!({"standing": "holds"}),
        Some(why) => json!({"standing": "fails", "why": why}),
    };
    if let (Some(basis), Some(fields)) = (basis, value.as_object_mut()) {
        fields.extend(json::basis(basis));
    }
    match (tried.contradiction, by) {
        (None, by) => Outcome::Holds(by.unwrap_or_default(), value),
        (Some(why), None) => Outcome::Fails(why, value),
        (Some(why), Some(by)) => Outcome::Fails(format!("{why} ({by})"), value),
    }
}

fn claim_outcome(game: &Game, report: &ClaimReport) -> Outcome {
    if let Verdict::Elsewhere = report.verdict {
        return Outcome::Holds(String::new(), json!({"standing": "holds"}));
    }
    let (words, value) = (report.words(game), Value::from(report.as_json(game)));
    match (report.passes(), &report.verdict) {
        (Some(true), _) => Outcome::Holds(words, value),
        (Some(false), _) => Outcome::Fails(words, value),
        (None, Verdict::Unsupported(_)) => Outcome::NotChecked(words),
        (None, _) => Outcome::Limit(words),
    }
}

/// Converts a limit to a result; other failures end the test of this file.
fn not_answered(failure: &SolveError, solver: &Solver<'_>) -> Answered<Outcome> {
    match failure {
        SolveError::Time => Ok(Outcome::Limit("time limit reached".to_owned())),
        SolveError::Reals => Ok(Outcome::NotChecked(failure.to_string())),
        SolveError::Memory { needed, limit } => Ok(Outcome::Limit(format!(
            "this takes {} of memory; the limit is {}",
            text::in_bytes(*needed),
            text::in_bytes(u128::from(*limit))
        ))),
        _ => Err(load::failed(failure, solver, None)),
    }
}

fn print_file(
    out: &mut dyn std::io::Write,
    file: &str,
    status: Status,
    results: &[Result],
    in_full: bool,
) {
    let (good, skipped) = counted(results);
    let of = results.len() - skipped;
    let more = and_not_checked(skipped);
    let (style, sign) = match status {
        Status::Fine => (GOOD, "holds"),
        Status::Wrong => (BAD, "ERROR"),
        _ => (BAD, "FAILS"),
    };
    let _ = match status {
        Status::Wrong => writeln!(out, "{style}{sign}{style:#}  {file}"),
        Status::Fine if results.is_empty() => writeln!(
            out,
            "{FAINT}no claims{FAINT:#}  {file}  {FAINT}nothing to test{FAINT:#}"
        ),
        _ => writeln!(
            out,
            "{style}{sign}{style:#}  {file}  {FAINT}{good} of {of}{more}{FAINT:#}"
        ),
    };
    for result in results {
        let (style, sign, words) = match &result.outcome {
            Outcome::Holds(words, value) if in_full => (GOOD, how_it_holds(value), words),
            Outcome::Holds(..) => continue,
            Outcome::Fails(words, _) => (BAD, "FAILS", words),
            Outcome::Limit(words) => (BAD, "LIMIT", words),
            Outcome::NotChecked(words) if in_full => (FAINT, "not checked:", words),
            Outcome::NotChecked(_) => continue,
        };
        let standing = text::wrapped(words, 73 - sign.len(), 4);
        let at = if result.params.is_empty() {
            String::new()
        } else {
            // On a line of its own where the words before it fill theirs.
            let before = match standing.rsplit_once('\n') {
                Some((_, last)) => last.chars().count(),
                None => 5 + sign.len() + standing.chars().count(),
            };
            let fits = before + 3 + result.params.len() <= 80;
            let gap = if fits { " " } else { "\n    " };
            format!("{gap}{FAINT}[{}]{FAINT:#}", result.params)
        };
        let _ = writeln!(
            out,
            "  {}\n    {style}{sign}{style:#}{}{}{at}",
            text::wrapped(&result.words, 74, 4),
            if words.is_empty() { "" } else { " " },
            standing
        );
    }
}

/// The text for a statement that holds; a claim with `refuted at` holds by failing.
fn how_it_holds(value: &Value) -> &'static str {
    match value["standing"].as_str() {
        Some("proved") => "proved",
        Some("refuted") => "refuted",
        _ => "holds",
    }
}

fn as_json(file: &str, result: &Result) -> Value {
    let mut value = match &result.outcome {
        Outcome::Holds(_, value) | Outcome::Fails(_, value) => value.clone(),
        Outcome::Limit(words) => json!({"standing": "limit", "why": words}),
        Outcome::NotChecked(words) => json!({"standing": "not checked", "why": words}),
    };
    if let Some(fields) = value.as_object_mut() {
        fields.insert("file".to_owned(), json!(file));
        fields.insert("params".to_owned(), result.values.clone());
        fields.insert("statement".to_owned(), json!(result.words));
        fields.insert(
            "passes".to_owned(),
            match result.outcome {
                Outcome::Holds(..) => json!(true),
                Outcome::NotChecked(_) => Value::Null,
                _ => json!(false),
            },
        );
    }
    value
}

/// The numbers of results that hold, fail and are not checked and of files not begun, and
/// a row for each result.
fn as_latex(answers: &[(String, Result)], [held, failed, skipped, late]: [usize; 4]) -> String {
    let rows: Vec<Vec<String>> = (answers.iter())
        .map(|(file, result)| {
            let statement = match result.params.is_empty() {
                true => format!("`{}`", result.words),
                false => format!("`{}` [{}]", result.words, result.params),
            };
            let [passes, what] = in_cells(result);
            vec![file.clone(), statement, passes, what]
        })
        .collect();
    let mut counts = format!("{held} hold, {failed} fail{}", and_not_checked(skipped));
    if late > 0 {
        counts.push_str(&format!(", {late} of the files not started"));
    }
    format!(
        "{}{}\n{}.\n",
        latex::titled("Tests", "claims and examples"),
        latex::table(
            "p{0.2\\linewidth}p{0.32\\linewidth}lp{0.28\\linewidth}",
            &["file", "statement", "passes", "what"],
            &rows
        ),
        counts
    )
}

/// Whether a statement passes, and what is known of it.
fn in_cells(result: &Result) -> [String; 2] {
    let (passes, what) = match &result.outcome {
        Outcome::Holds(words, value) => ("yes", format!("{} {words}", how_it_holds(value))),
        Outcome::Fails(words, _) => ("no", words.clone()),
        Outcome::Limit(words) => ("limit", words.clone()),
        Outcome::NotChecked(words) => ("not checked", words.clone()),
    };
    [passes.to_owned(), what.trim_end().to_owned()]
}

fn as_csv(out: &mut dyn std::io::Write, answers: &[(String, Result)]) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record(["file", "params", "statement", "passes", "what"])?;
    for (file, result) in answers {
        let [passes, what] = in_cells(result);
        rows.write_record([file, &result.params, &result.words, &passes, &what])?;
    }
    rows.flush()
}
