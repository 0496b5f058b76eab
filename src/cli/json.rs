//! Answers for scripts, version 1. What stands here is fixed: fields may be
//! added, never changed.

use crate::claim::{Basis, Counterexample, Said, Standing};
use crate::game::{Game, ParamValue};
use serde_json::{Map, Value, json};

/// The fields that every answer about a game begins with.
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
                ParamValue::Endless(_, words) | ParamValue::Code(words) => json!(words),
            };
            (name.clone(), value)
        })
        .collect::<Map<_, _>>()
        .into()
}

/// A claim with what became of it.
pub fn claim(words: &str, standing: &Standing) -> Value {
    match standing {
        Standing::Holds { to } => json!({"claim": words, "standing": "holds", "to": to}),
        Standing::Refuted(Counterexample {
            position,
            actual,
            claimed,
        }) => json!({
            "claim": words,
            "standing": "refuted",
            "counterexample": position,
            "actual": said(*actual),
            "claimed": said(*claimed),
        }),
    }
}

/// The claim that an answer rests on, and how far it stands.
pub fn basis(basis: &Basis) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("basis".to_owned(), json!(basis.standing()));
    fields.insert("claim".to_owned(), json!(basis.claim));
    fields
}

fn said(said: Said) -> Value {
    match said {
        Said::Outcome(outcome) => json!(outcome.to_string()),
        Said::Grundy(value) => json!(value),
    }
}
