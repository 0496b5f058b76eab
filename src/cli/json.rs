//! JSON of diagnostics. That of answers is [`nimrule_answer::json`].

use nimrule::problem::Report;
use serde_json::{Value, json};

pub use nimrule_answer::json::{basis, head, params, small_position, states, winning_moves};

/// A diagnostic with its places.
pub fn problem(report: &Report) -> Value {
    let parts = report.parts();
    let labels = parts.labels.into_iter().map(|label| {
        json!({
            "text": label.text,
            "offset": label.offset,
            "length": label.length,
            "line": label.at.map(|at| at.0),
            "column": label.at.map(|at| at.1),
        })
    });
    json!({
        "code": parts.code.unwrap_or_default(),
        "severity": if parts.is_warning { "warning" } else { "error" },
        "message": parts.message,
        "help": parts.help,
        "labels": labels.collect::<Vec<_>>(),
    })
}
