//! Identity of what the program keeps for itself.

use nimrule_limits::checkpoint::{Identity, Part};
use nimrule_model::game::{Convention, Game};

/// The identity of something of a kind (`checkpoint`, `proof`, `atlas`), which has the versions of
/// package and semantics.
pub fn identity_of_kind(kind: &str) -> Identity {
    let semantics = nimrule_model::SEMANTICS_VERSION;
    Identity::new(kind, env!("CARGO_PKG_VERSION"), semantics)
}

/// The identity of what is known of a rule: the hash of the rule, its parameters, the
/// convention, and the versions of package and semantics. It is used only if its identity is
/// equal.
pub fn identity(kind: &str, game: &Game, rule: &[u8; 32], convention: Convention) -> Identity {
    let params = game.params.iter();
    let params: Vec<String> = params
        .map(|(name, value)| format!("{name}={}", value.written()))
        .collect();
    identity_of_kind(kind)
        .with(Part::Game, game.name.as_str())
        .with(Part::Rule, in_digits(rule))
        .with(Part::Parameters, params.join(" "))
        .with(Part::Convention, convention.word())
}

/// A hash in hexadecimal digits.
pub fn in_digits(hash: &[u8; 32]) -> String {
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}
