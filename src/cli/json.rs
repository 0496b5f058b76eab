//! JSON of diagnostics. That of answers is [`nimrule_answer::json`].

use miette::Diagnostic as _;
use nimrule::problem::Report;
use serde_json::{Value, json};

pub use nimrule_answer::json::{basis, head, params, small_position, states, winning_moves};

/// A diagnostic with its places.
pub fn problem(report: &Report) -> Value {
    let text = report.source_code();
    let labels: Vec<Value> = report
        .labels()
        .into_iter()
        .flatten()
        .map(|label| {
            let place = text
                .and_then(|text| text.read_span(label.inner(), 0, 0).ok())
                .map(|contents| (contents.line() + 1, contents.column() + 1));
            json!({
                "text": label.label(),
                "offset": label.offset(),
                "length": label.len(),
                "line": place.map(|p| p.0),
                "column": place.map(|p| p.1),
            })
        })
        .collect();
    json!({
        "code": report.problem.code_name(),
        "severity": if report.problem.is_warning() { "warning" } else { "error" },
        "message": report.to_string(),
        "help": report.help().map(|help| help.to_string()),
        "labels": labels,
    })
}
