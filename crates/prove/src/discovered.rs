//! P-positions that are learned on the way to something else.
//!
//! A claim that speaks of some P-positions alone, or of cogames, and a position
//! of any size, need all P-positions where no claim of the file gives them.
//! The time for it is short.

use super::residual_learning::{Attempts, Origin, discover};
use nimrule_automata::Dfa;
use nimrule_limits::Limits;
use nimrule_model::game::{Convention, Game};
use std::time::Duration;

/// The most states of an automaton that is looked for here.
const MAX_STATES: usize = 400;
/// The most positions that are solved for it.
const MAX_POSITIONS: u128 = 1 << 20;
/// The most time, unless a limit is shorter.
const PATIENCE: Duration = Duration::from_secs(20);

/// The set of the P-positions, found and proved from the rule alone, with what
/// led to it.
pub fn discovered(game: &Game, convention: Convention, limits: &Limits) -> Option<(Dfa, Origin)> {
    let limits = limits.half_time().or_time(PATIENCE);
    let attempts = Attempts {
        most_positions: MAX_POSITIONS,
        most_states: MAX_STATES,
        ..Attempts::default()
    };
    let found = discover(game, convention, &attempts, &limits).ok()?.found?;
    Some((found.set.as_ref().clone(), found.origin))
}
