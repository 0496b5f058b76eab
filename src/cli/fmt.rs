//! `fmt`: rule files in one layout.

use super::load::{self, Answered};
use super::{Format, Shared, Status, files, progress, test};
use clap::Args;
use nimrule::problem::{Problem, Problems};
use nimrule_syntax as syntax;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;

#[derive(Debug, Args)]
pub struct Arguments {
    /// Rule files, folders of rule files, or - for standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Write nothing; name the files whose layout differs, with the first line that does
    #[arg(long)]
    check: bool,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let paths = test::rule_files(&arguments.files)?;
    let mut status = Status::Fine;
    let mut differ = Vec::new();
    // The files with errors, for JSON.
    let mut unread = Vec::new();
    for path in &paths {
        progress::take_said();
        let mut is_unread = || {
            status = Status::Wrong;
            let (errors, problems) = progress::take_said();
            let message = json!({"file": path, "message": errors.last(), "problems": problems});
            unread.push(message);
        };
        let Ok(loaded) = load::read(path) else {
            is_unread();
            continue;
        };
        let text = &loaded.source.text;
        let formatted = match syntax::format(text) {
            Ok(formatted) => formatted,
            Err(problems) => {
                let problems = problems.into_iter().map(Problem::from);
                load::show(&Problems::new(&loaded.source, problems));
                is_unread();
                continue;
            }
        };
        let is_file = loaded.folder().is_some();
        if !is_file && !arguments.check {
            load::finish(write!(progress::stdout(), "{formatted}"))?;
        } else if formatted != *text {
            differ.push((path.clone(), first_difference(text, &formatted)));
            if !arguments.check {
                files::write_atomically(Path::new(path), |out| out.write_all(formatted.as_bytes()))
                    .map_err(|error| {
                        load::wrong(&format!("`{path}` cannot be written: {error}"))
                    })?;
            }
        }
    }
    report(arguments, shared, &paths, &differ, unread)?;
    Ok(if arguments.check && !differ.is_empty() {
        status.max(Status::Fails)
    } else {
        status
    })
}

/// The number of the first line that differs, with both forms of it.
fn first_difference(text: &str, formatted: &str) -> (usize, String, String) {
    let mut lines = text.lines();
    let mut others = formatted.lines();
    let mut number = 0;
    loop {
        number += 1;
        match (lines.next(), others.next()) {
            (Some(line), Some(other)) if line == other => {}
            (line, other) => {
                let shown = |line: Option<&str>| line.unwrap_or_default().to_owned();
                return (number, shown(line), shown(other));
            }
        }
        if number > text.lines().count() {
            // Only the end of the file differs.
            return (number, String::new(), String::new());
        }
    }
}

type Differing = (String, (usize, String, String));

fn report(
    arguments: &Arguments,
    shared: &Shared,
    paths: &[String],
    differ: &[Differing],
    unread: Vec<Value>,
) -> Answered<Status> {
    let mut out = progress::stdout();
    if shared.format == Format::Json {
        let changed: Vec<&str> = differ.iter().map(|(path, _)| path.as_str()).collect();
        let mut answer = json!({
            "version": 1,
            "files": paths,
            "differ": changed,
            "written": !arguments.check,
        });
        if !unread.is_empty() {
            answer["unread"] = json!(unread);
        }
        return load::finish(writeln!(out, "{answer}"));
    }
    for (path, (line, before, after)) in differ {
        let written = if arguments.check {
            writeln!(out, "{path}:{line}\n  - {before}\n  + {after}")
        } else {
            writeln!(out, "formatted {path}")
        };
        load::finish(written)?;
    }
    Ok(Status::Fine)
}
