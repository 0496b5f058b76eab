//! Identity of files that the program writes for itself.

use nimrule_limits::checkpoint::{Identity, Part};
use nimrule_model::game::{Convention, Game};

/// The identity of a `checkpoint` or a `proof`: the hash of the rule, its
/// parameters, the convention, and the versions of package and semantics. A file is
/// used only if its identity is equal.
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
