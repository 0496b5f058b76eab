//! What the files are of that the program writes for itself.

use nimrule_limits::checkpoint::{Identity, Part};
use nimrule_model::game::{Convention, Game};

/// What a file is of that this program writes for itself, a `checkpoint` or a
/// `proof`: the rule by its hash, with its parameters, the convention, and who
/// wrote it. Only for the very same is it used.
pub fn identity(kind: &str, game: &Game, rule: &[u8; 32], convention: Convention) -> Identity {
    let params = game.params.iter();
    let params: Vec<String> = params
        .map(|(name, value)| format!("{name}={}", value.written()))
        .collect();
    let rule: String = rule.iter().map(|byte| format!("{byte:02x}")).collect();
    Identity::new(
        kind,
        env!("CARGO_PKG_VERSION"),
        nimrule_model::SEMANTICS_VERSION,
    )
    .with(Part::Game, game.name.as_str())
    .with(Part::Rule, rule)
    .with(Part::Parameters, params.join(" "))
    .with(Part::Convention, convention.word())
}
