//! `paper`: a rule file as a short paper in LaTeX.

use super::asked::Asked;
use super::load::{self, Answered};
use super::{Format, Shared, Status, files, json, progress};
use clap::Args;
use nimrule_limits::Steps;
use nimrule_paper::{PaperRequest, paper};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    asked: Asked,
    /// The largest size in the table of two heaps [default: 12]
    #[arg(long, value_name = "N", value_parser = super::size, allow_negative_numbers = true)]
    max: Option<u64>,
    /// Search for a proof of each claim with at most so many million steps of work, each about a
    /// second
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = super::seconds)]
    each: Duration,
    /// Write to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, shared: &Shared) -> Answered<Status> {
    let rule = arguments.asked.open(shared)?;
    let session = rule.session();
    let request = PaperRequest {
        max: arguments.max,
        file: arguments.asked.file.clone(),
        settings: shared.settings.clone(),
        effort: PaperRequest::default()
            .effort
            .proving(Steps::in_time(arguments.each)),
    };
    let written = paper(&session, &rule.compiled.file, &request)
        .map_err(|failure| load::failed(&failure, session.solver(), None))?;
    if let Some(path) = &arguments.output {
        write(path, &written)?;
    }
    let mut out = progress::stdout();
    let said = match (shared.format, &arguments.output) {
        (Format::Json, output) => {
            let mut head = json::head(rule.game());
            match output {
                Some(path) => head.insert("output".to_owned(), json!(path)),
                None => head.insert("latex".to_owned(), json!(written)),
            };
            writeln!(out, "{}", Value::from(head))
        }
        (_, Some(path)) => writeln!(
            out,
            "wrote {0}; next: `pdflatex {0}`, twice for the references",
            path.display()
        ),
        (_, None) => write!(out, "{written}"),
    };
    load::finish(said)
}

fn write(path: &Path, written: &str) -> Answered<()> {
    files::write_atomically(path, |out| out.write_all(written.as_bytes()))
        .map_err(|error| load::wrong(&format!("`{}` cannot be written: {error}", path.display())))
}
