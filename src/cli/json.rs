//! JSON answers, version 1. The format is stable: fields may be added, never
//! changed.

use miette::Diagnostic as _;
use nimrule::problem::Report;
use nimrule_claim::{Basis, ClaimStatus, Counterexample, PositionFact};
use nimrule_model::game::{Game, ParamValue, PositionKind};
use serde_json::{Map, Value, json};

/// The first fields of every answer about a game.
pub fn head(game: &Game) -> Map<String, Value> {
    let mut head = Map::new();
    head.insert("version".to_owned(), json!(1));
    head.insert("game".to_owned(), json!(game.name));
    head.insert("params".to_owned(), params(game));
    head
}

pub fn params(game: &Game) -> Value {
    game.params
        .iter()
        .map(|(name, value)| {
            let value = match value {
                ParamValue::Number(number) => json!(number),
                ParamValue::Numbers(numbers) => json!(numbers),
                ParamValue::InfiniteSet(_, words) | ParamValue::Code(words) => json!(words),
            };
            (name.clone(), value)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// A position: the sizes of the heaps in order; for a multiset with kinds an
/// object for each heap, `{"ring":7}`; for tokens their vertices, each as a
/// number, a word, or a list of coordinates.
pub fn position(game: &Game, position: &[u64]) -> Value {
    match &game.position_kind {
        PositionKind::Multiset(kinds) if !kinds.names.is_empty() => position
            .iter()
            .map(|heap| {
                let (size, kind) = kinds.decode(*heap);
                json!({ kinds.names[kind].as_str(): size })
            })
            .collect::<Vec<_>>()
            .into(),
        PositionKind::Multiset(_) | PositionKind::Heaps | PositionKind::Reals => json!(position),
        PositionKind::Tokens(digraph) => position
            .iter()
            .map(|number| match digraph.state(*number) {
                Some(_) if digraph.has_numbers() => json!(number),
                Some(state) if !digraph.coordinates().is_empty() => json!(digraph.values(state)),
                Some(state) => json!(digraph.shown(state)),
                None => json!(number),
            })
            .collect(),
    }
}

/// A claim with its status.
pub fn claim(game: &Game, words: &str, status: &ClaimStatus) -> Value {
    match status {
        ClaimStatus::Holds { to, by: None } => {
            json!({"claim": words, "standing": "holds", "to": to})
        }
        ClaimStatus::Holds { to, by: Some(by) } => {
            json!({"claim": words, "standing": "holds", "to": to, "by": by})
        }
        ClaimStatus::Proved { theorem, by } => {
            json!({"claim": words, "standing": "proved", "theorem": theorem, "by": by})
        }
        ClaimStatus::Fails { why } => {
            json!({"claim": words, "standing": "refuted", "why": why})
        }
        ClaimStatus::Unknown { why } => {
            json!({"claim": words, "standing": "unknown", "why": why})
        }
        ClaimStatus::Refuted(Counterexample {
            position,
            actual,
            claimed,
        }) => json!({
            "claim": words,
            "standing": "refuted",
            "counterexample": self::position(game, position),
            "actual": said(actual),
            "claimed": said(claimed),
        }),
    }
}

/// The winning moves; if they are incomplete, the field is null and
/// `winning_moves_found` has those that were found.
pub fn winning_moves(fields: &mut Map<String, Value>, moves: Value, all: bool) {
    if all {
        fields.insert("winning_moves".to_owned(), moves);
    } else {
        fields.insert("winning_moves".to_owned(), Value::Null);
        fields.insert("winning_moves_found".to_owned(), moves);
    }
}

/// The claim that an answer rests on, with the extent to which it was checked.
pub fn basis(basis: &Basis) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("basis".to_owned(), json!(basis.extent()));
    fields.insert("claim".to_owned(), json!(basis.claim));
    fields
}

fn said(said: &PositionFact) -> Value {
    match said {
        said @ (PositionFact::Outcome(_) | PositionFact::Not(_)) => json!(said.to_string()),
        PositionFact::Grundy(value) => json!(value),
        PositionFact::Words(words) => json!(words),
    }
}

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
