//! Verdicts about heaps of real size, as text and JSON.

use nimrule_real::{Position, Proof, Violation, Witness};
use serde_json::{Map, Value, json};

/// The change of scale of a proof, as text; empty if there is none.
pub fn scales(proof: &Proof) -> String {
    if proof.scales.is_empty() {
        return String::new();
    }
    let scales = proof.scales.iter();
    let scales: Vec<String> = scales
        .map(|scale| format!("{} measured by {}", scale.heap, scale.measure))
        .collect();
    format!(
        ", through a monotone change of scale: {}",
        scales.join(", ")
    )
}

/// The counterexample to a labelling, as text.
pub fn refuted(found: &Witness) -> String {
    format!("at {}: {}", found.position, found.words())
}

pub fn proved_as_json(claim: &str, proof: &Proof) -> Value {
    let scales = proof.scales.iter();
    let scales: Map<String, Value> = scales
        .map(|scale| (scale.heap.clone(), json!(scale.measure)))
        .collect();
    json!({
        "claim": claim,
        "standing": "proved",
        "scales": scales,
        "checked": proof.checked,
    })
}

pub fn refuted_as_json(claim: &str, found: &Witness) -> Value {
    json!({
        "claim": claim,
        "standing": "refuted",
        "counterexample": position(&found.position),
        "why": found.words(),
        "option": match &found.violation {
            Violation::MoveToP(option) => position(option),
            Violation::NoMoveToP | Violation::TerminalP => Value::Null,
        },
    })
}

/// The sizes as fractions; if only their measures are known, an object from
/// measures to values.
fn position(position: &Position) -> Value {
    let sizes = position.sizes.iter().map(ToString::to_string);
    match &position.measured {
        None => sizes.collect(),
        Some(words) => words.iter().cloned().zip(sizes.map(Value::from)).collect(),
    }
}
