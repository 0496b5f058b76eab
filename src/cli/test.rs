//! `test`: checking the claims and examples of rule files.

mod junit;
mod outcomes;
mod report;
mod watch;

use super::load::{self, Answered, Loaded};
use super::proof_cache::CacheArguments;
use super::text;
use super::{FormatArgument, Shared, Status, json, progress};
use clap::Args;
use nimrule_answer::{Basis, Bounds, ClaimReport, Effort, ExampleReport, Note, Verdict, words};
use nimrule_claim::BOX_WORK;
use nimrule_elaborate::{Settings, reads_one_value, settings_where};
use nimrule_engine::{Limits, NoValue, SolveError, Solver};
use nimrule_limits::{LimitExceeded, Steps};
use nimrule_model::game::{Applies, Game};
use nimrule_syntax::ast::{Expr, Statement};
use serde_json::{Value, json};
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

/// The boxes of one file, at all values of its parameters, that have all their work; each
/// further one has a quarter of it.
const WHOLE_BOXES: usize = 2;

/// The largest numbers of positions and options of a box.
const POSITIONS: u128 = 300_000;
const OPTIONS: u128 = 100_000_000;

/// The result of a claim or an example at one setting of the parameters.
struct Result {
    params: String,
    values: Value,
    words: String,
    /// The line and the column of the statement, from 1; of a snapshot those of the beginning.
    at: (usize, usize),
    outcome: Outcome,
}

/// The results of a file.
struct Tested {
    file: String,
    status: Status,
    results: Vec<Result>,
    /// Whether the file could be tested; without it the errors say why not.
    is_read: bool,
    /// The errors and the diagnostics, those as [`json::problem`] writes them, that were
    /// reported.
    errors: Vec<String>,
    problems: Vec<Value>,
    /// The time of the test.
    took: Duration,
}

enum Outcome {
    Holds(String, Value),
    Fails(String, Value),
    Limit(String),
    /// The statement, or what it needs of the rule, has an error, which was reported.
    Wrong(String),
    /// This verb does not check it.
    NotChecked(String),
}

/// The files that were not tested, and why.
struct NotBegun<'f> {
    files: &'f [String],
    why: &'static str,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    if !arguments.watch {
        return run_once(arguments, shared);
    }
    let changes = watch::Changes::of(&arguments.files)?;
    let mut changed = Vec::new();
    loop {
        // The other formats are read by programs.
        if shared.requested == FormatArgument::Text {
            watch::announce(&changed);
        }
        // A file with errors is tested again when it is corrected.
        let _ = run_once(arguments, shared);
        changed = changes.wait()?;
    }
}

fn run_once(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let settings = load::settings(shared)?;
    let files = rule_files(&arguments.files)?;
    let mut all = Vec::new();
    let mut not_begun = NotBegun {
        files: &[],
        why: "",
    };
    let mut cut = Status::Fine;
    let limits = shared.limits();
    let report = report::Report::new(shared, files.len() == 1);
    for (number, file) in files.iter().enumerate() {
        // The first file is always tested, so that a limit is reported for it.
        if number > 0 && limits.check_waited_for() == Err(LimitExceeded::Time) {
            not_begun = NotBegun {
                files: &files[number..],
                why: "not started: the time limit was reached",
            };
            cut = Status::Limit;
            break;
        }
        progress::take_said();
        let begun = Instant::now();
        let mut results = Vec::new();
        let end = test_file(file, &settings, arguments, &limits, &mut results).and_then(|()| {
            let request = outcomes::Request {
                write: arguments.snapshot,
                update: arguments.update,
                max: arguments.max,
            };
            results.extend(outcomes::compare(file, &request, &settings, &limits)?);
            Ok(())
        });
        let (errors, problems) = progress::take_said();
        let (status, is_read) = match end {
            Ok(()) => (worst(&results), true),
            Err(load::Unanswered(status)) => (status, false),
        };
        let tested = Tested {
            file: file.clone(),
            status,
            results,
            is_read,
            errors,
            problems,
            took: begun.elapsed(),
        };
        report.file(&tested);
        all.push(tested);
        if status == Status::Interrupted {
            // What was found is written all the same.
            not_begun = NotBegun {
                files: &files[number + 1..],
                why: "not started: interrupted",
            };
            break;
        }
    }
    report.end(&all, &not_begun);
    Ok(all
        .iter()
        .map(|tested| tested.status)
        .fold(cut, Status::max))
}

fn worst(results: &[Result]) -> Status {
    results
        .iter()
        .map(|result| match result.outcome {
            Outcome::Holds(..) | Outcome::NotChecked(_) => Status::Fine,
            Outcome::Fails(..) => Status::Fails,
            Outcome::Wrong(_) => Status::Wrong,
            Outcome::Limit(_) => Status::Limit,
        })
        .max()
        .unwrap_or(Status::Fine)
}

/// The files named, and those in the folders named, in order. A snapshot of outcomes stands for
/// its rule, which is compared with it: `test rules/*` names both.
pub fn rule_files(named: &[String]) -> Answered<Vec<String>> {
    let mut files = Vec::new();
    for name in named {
        let path = Path::new(name);
        if path.extension().is_some_and(|e| e == "outcomes")
            && let rule = path.with_extension("nimrule").display().to_string()
            && Path::new(&rule).is_file()
        {
            if !named.contains(&rule) && !files.contains(&rule) {
                files.push(rule);
            }
            continue;
        }
        if name == "-" || !path.is_dir() {
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
    results: &mut Vec<Result>,
) -> Answered<()> {
    let loaded = load::read(file)?;
    let compiled = loaded.compiled(settings)?;
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
                    at: loaded.source.line_and_column(statement.span.offset()),
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
    for (number, instance) in instances.iter().enumerate() {
        let instance = Instance {
            settings: instance,
            everything: number == 0,
            is_early: number < WHOLE_BOXES,
        };
        test_instance(&loaded, &instance, arguments, limits, results)?;
    }
    Ok(())
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
    /// Whether its box has all its work.
    is_early: bool,
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
        is_early,
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
    // Of many questions, none announces a search or says that nothing can be kept.
    let session = cache.session_saying(loaded, &compiled, limits.clone(), |note| {
        !matches!(
            note,
            Note::SeekingProof { .. } | Note::ProofNotStored { .. }
        )
    });
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
            at: loaded.source.line_and_column(example.span.offset()),
            outcome,
        });
    }
    let effort = Effort {
        bounds: Some(match arguments.max {
            Some(max) => Bounds::Asked(max),
            None => Bounds::Fitting {
                positions: POSITIONS,
                options: OPTIONS,
                work: Some(match is_early {
                    true => BOX_WORK,
                    false => Steps(BOX_WORK.0 / 4),
                }),
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
            at: loaded.source.line_and_column(claim.span.offset()),
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

/// Converts a failure to a result, so that the other statements are tested; only an interruption
/// ends the test.
fn not_answered(failure: &SolveError, solver: &Solver<'_>) -> Answered<Outcome> {
    match failure {
        SolveError::Time | SolveError::Work { .. } => Ok(Outcome::Limit(failure.to_string())),
        SolveError::Reals | SolveError::Open => Ok(Outcome::NotChecked(failure.to_string())),
        SolveError::Memory { needed, limit } => Ok(Outcome::Limit(format!(
            "this takes {} of memory; the limit is {}",
            text::in_bytes(*needed),
            text::in_bytes(u128::from(*limit))
        ))),
        SolveError::Stopped => Err(load::failed(failure, solver, None)),
        _ => {
            load::failed(failure, solver, None);
            Ok(Outcome::Wrong(match failure {
                SolveError::Fault { fault, position } => NoValue {
                    fault: *fault,
                    position: solver.game.shown(position),
                }
                .to_string(),
                other => other.to_string(),
            }))
        }
    }
}
