//! `check`: all errors of a file, each with its place and a fix.

use super::annotation::Annotation;
use super::load::{self, Answered};
use super::test::rule_files;
use super::text::GOOD;
use super::{Format, FormatArgument, Shared, Status, json, progress};
use clap::Args;
use nimrule::problem::{Problem, Problems};
use nimrule_elaborate::{CheckProblem, Settings, reads_one_value, settings_where};
use nimrule_syntax::ast::Statement;
use serde_json::{Value, json};
use std::io::Write as _;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Rule files, folders of them, or - for standard input
    #[arg(required = true)]
    files: Vec<String>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let settings = load::settings(shared)?;
    let mut status = Status::Fine;
    let in_annotations = shared.requested == FormatArgument::Github;
    let mut answers = Vec::new();
    for file in &rule_files(&arguments.files)? {
        let loaded = match load::read(file) {
            Ok(loaded) => loaded,
            Err(load::Unanswered(worse)) => {
                status = status.max(worse);
                answers.push(Checked::unread(file));
                continue;
            }
        };
        let problems = all_problems(&loaded, &settings);
        if problems.has_faults() {
            status = Status::Wrong;
        }
        match shared.format {
            Format::Text if in_annotations => answers.push(Checked::of(file, &problems)),
            Format::Text | Format::Latex => {
                load::show(&problems);
                if !problems.has_faults() {
                    let warnings = match problems.reports.len() {
                        0 => String::new(),
                        1 => ", 1 warning".to_owned(),
                        many => format!(", {many} warnings"),
                    };
                    let _ = writeln!(
                        progress::stdout(),
                        "{file}: {GOOD}no errors{GOOD:#}{warnings}"
                    );
                }
            }
            Format::Json | Format::Csv => answers.push(Checked::of(file, &problems)),
        }
    }
    let mut out = progress::stdout();
    let _ = match shared.format {
        Format::Text if in_annotations => as_annotations(&mut out, &answers),
        Format::Text | Format::Latex => Ok(()),
        Format::Json => {
            let files: Vec<Value> = answers.iter().map(Checked::as_json).collect();
            writeln!(out, "{}", json!({"version": 1, "files": files}))
        }
        Format::Csv => as_csv(&mut out, &answers),
    };
    Ok(status)
}

/// The result for one file.
struct Checked {
    file: String,
    /// The diagnostics as JSON.
    problems: Vec<Value>,
    /// Why the file cannot be read.
    unread: Option<String>,
}

impl Checked {
    fn of(file: &str, problems: &Problems) -> Checked {
        Checked {
            file: file.to_owned(),
            problems: problems.reports.iter().map(json::problem).collect(),
            unread: None,
        }
    }

    /// The result for a file that cannot be read, with the last error reported.
    fn unread(file: &str) -> Checked {
        let (errors, problems) = progress::take_said();
        Checked {
            file: file.to_owned(),
            problems,
            unread: errors.last().cloned(),
        }
    }

    fn as_json(&self) -> Value {
        let mut value = json!({"file": self.file, "problems": self.problems});
        if let Some(why) = &self.unread {
            value["message"] = json!(why);
        }
        value
    }
}

/// The diagnostics of the file, including those of claims and examples for other
/// parameters, each at the first parameter values that it applies to.
fn all_problems(loaded: &load::Loaded, settings: &Settings) -> Problems {
    let compiled = match loaded.compile(settings) {
        Ok(compiled) => compiled,
        Err(problems) => return problems,
    };
    let source = &loaded.source;
    let warnings = compiled.warnings.reports.iter();
    let mut all: Vec<Problem> = warnings.map(|r| r.problem.clone()).collect();
    for statement in &compiled.file.statements {
        let condition = match &statement.node {
            Statement::Claim(claim) => claim.condition.as_ref(),
            Statement::Example(example) => example.condition.as_ref(),
            _ => None,
        };
        let Some(condition) = condition else { continue };
        let at = condition.span;
        match settings_where(&compiled.file, &source.text, settings, Some(condition), 1).first() {
            // Other values of the parameter may satisfy it.
            None if reads_one_value(&compiled.file, &source.text, settings, condition) => {}
            None => all.push(CheckProblem::never_applies(at).into()),
            Some(elsewhere) => {
                let problems = match loaded.compile_at(&compiled, elsewhere) {
                    Ok(compiled) => compiled.warnings,
                    Err(problems) => problems,
                };
                for report in problems.reports {
                    if !all.contains(&report.problem) {
                        all.push(report.problem);
                    }
                }
            }
        }
    }
    Problems::new(source, all)
}

fn as_annotations(out: &mut dyn std::io::Write, answers: &[Checked]) -> std::io::Result<()> {
    for checked in answers {
        if let Some(why) = &checked.unread {
            writeln!(out, "{}", Annotation::error(&checked.file, why))?;
        }
        for problem in &checked.problems {
            writeln!(out, "{}", Annotation::problem(&checked.file, problem))?;
        }
    }
    Ok(())
}

fn as_csv(out: &mut dyn std::io::Write, answers: &[Checked]) -> std::io::Result<()> {
    let mut rows = csv::Writer::from_writer(out);
    rows.write_record([
        "file", "line", "column", "severity", "code", "message", "help",
    ])?;
    for checked in answers {
        let file = checked.file.as_str();
        if let Some(why) = &checked.unread {
            rows.write_record([file, "", "", "error", "", why, ""])?;
        }
        for problem in &checked.problems {
            let text = |value: &Value| match value {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            rows.write_record([
                file,
                &text(&problem["labels"][0]["line"]),
                &text(&problem["labels"][0]["column"]),
                &text(&problem["severity"]),
                &text(&problem["code"]),
                &text(&problem["message"]),
                &text(&problem["help"]),
            ])?;
        }
    }
    rows.flush()
}
