//! P-positions that are looked for on the way to something else.
//!
//! A claim that speaks of some P-positions alone, or of cogames, and a position
//! of any size, need all P-positions where no claim of the file tells them.
//! They are looked for no longer than a moment.

use super::any_number;
use super::free;
use super::tails;
use crate::automata::Automaton;
use crate::game::{Convention, Game};
use crate::limits::Limits;
use std::time::Duration;

/// The most states of an automaton that is looked for here.
const MOST_STATES: usize = 400;
/// The most positions that are solved for it.
const MOST_POSITIONS: u128 = 1 << 20;
/// How long it is looked for, unless a limit says otherwise.
const PATIENCE: Duration = Duration::from_secs(20);

/// What led to a set that was found without a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was grown from the rule, by blocks of so many digits.
    Rule { depth: usize },
    /// It was guessed from solved positions with numbers of so many digits,
    /// by tails that agree to so many further ones.
    Box { digits: usize, depth: usize },
}

/// The set of the P-positions, found and proved from the rule alone, with what
/// led to it.
pub fn discovered(
    game: &Game,
    convention: Convention,
    limits: &Limits,
) -> Option<(Automaton, Origin)> {
    let limits = limits.half_the_time().no_longer_than(PATIENCE);
    if let Some(rule) = any_number::rule(game, convention) {
        let attempts = free::Attempts {
            most: MOST_STATES,
            ..free::Attempts::default()
        };
        let (table, _, depth) = free::discover(&rule, &attempts, &limits).found?;
        let set = any_number::automaton(game, &table)?;
        return Some((set, Origin::Rule { depth }));
    }
    let attempts = tails::Attempts {
        most_positions: MOST_POSITIONS,
        most_states: MOST_STATES,
        ..tails::Attempts::default()
    };
    let found = tails::discover(game, convention, &attempts, &limits);
    let found = found.ok()?.found?;
    let origin = Origin::Box {
        digits: found.digits,
        depth: found.depth,
    };
    Some((found.set.as_ref().clone(), origin))
}
