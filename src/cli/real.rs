//! Verdicts about heaps of real size, in words and for scripts.

use nimrule_prove::real::{Position, Proof, Violation, Witness};
use serde_json::{Map, Value, json};

/// What measures the heaps that are not measured by their sizes, if any.
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

/// Where a labelling is wrong, and why.
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

/// The sizes as fractions, in words; where only what measures them is known,
/// these by the words of the measures.
fn position(position: &Position) -> Value {
    let sizes = position.sizes.iter().map(ToString::to_string);
    match &position.measured {
        None => sizes.collect(),
        Some(words) => words.iter().cloned().zip(sizes.map(Value::from)).collect(),
    }
}
