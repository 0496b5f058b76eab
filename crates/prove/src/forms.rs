//! Closed forms of a set of positions, in the language of claims:
//! `a ^ A == b ^ B == c ^ C`, `like (0,M,c,d,M) where M == c + d`.
//!
//! Forms are learned from examples. `rows` collects positions in the set and
//! outside it, `atom` enumerates short atomic conditions, and `learn` finds
//! conjunctions that hold at many members and at no other example. Each
//! conjunction is compared with the automaton (`verify`); a position at which it
//! fails becomes an example, and the search continues.
//!
//! A form is returned only if it is proved: its text, parsed and compiled like a
//! claim, is equivalent to the set.

mod atom;
mod learn;
mod rows;
mod search;
mod values;
mod verify;
mod words;

pub use values::value_form;

use nimrule_automata::Dfa;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::Bool;
use nimrule_model::game::{Convention, Game};
use search::{FormKind, Search};
use verify::FormVerifier;

/// A condition that holds at the positions of a set and at no others.
#[derive(Debug, Clone)]
pub struct Form {
    /// As it would stand behind `claim P iff`.
    pub words: String,
    /// What the words mean.
    pub condition: Bool,
}

/// A misere set may differ from the normal one below such a bound.
const BOUNDS: std::ops::RangeInclusive<u64> = 2..=4;

/// A closed form for the positions of a set, proved equal to it. `None` says
/// no more than that none of the families tried has one.
///
/// The families, one after another: equations and inequalities between the
/// heaps; a few forms up to the board's symmetry; and, in misere play, either
/// of these where some heap is large with another where all are small.
pub fn closed_form(
    game: &Game,
    convention: Convention,
    set: &Dfa,
    limits: &Limits,
) -> Result<Option<Form>, LimitExceeded> {
    let Some(mut verifier) = FormVerifier::new(game, set, limits)? else {
        return Ok(None);
    };
    for sort in [FormKind::Plain, FormKind::Forms] {
        if sort == FormKind::Plain && verifier.arrangement.is_some() {
            continue;
        }
        for bound in bounds(convention, sort) {
            if let Some(words) = bounded(&mut verifier, sort, bound)?
                && let Some(form) = verifier.proved(words)?
            {
                return Ok(Some(form));
            }
        }
    }
    Ok(None)
}

/// The bounds that a set is cut at, 0 for none. Forms that cover few small
/// positions besides many large ones say less than two sentences do.
fn bounds(convention: Convention, sort: FormKind) -> Vec<u64> {
    match (convention, sort) {
        (Convention::Normal, _) => vec![0],
        (Convention::Misere, FormKind::Plain) => std::iter::once(0).chain(BOUNDS).collect(),
        (Convention::Misere, FormKind::Forms) => BOUNDS.chain([0]).collect(),
    }
}

/// A form for the large positions, and another for the small ones.
fn bounded(
    verifier: &mut FormVerifier<'_>,
    sort: FormKind,
    bound: u64,
) -> Result<Option<String>, LimitExceeded> {
    let Some(large) = Search::large(bound).found(verifier, sort)? else {
        return Ok(None);
    };
    if bound == 0 {
        return Ok(Some(large));
    }
    let small = Search::small(bound);
    if verifier.arrangement.is_none()
        && let Some(small) = small.found(verifier, FormKind::Plain)?
    {
        let words = format!("if max(heaps) >= {bound} then {large} else {small}");
        return Ok(Some(words));
    }
    if let Some(listed) = small.listed(verifier) {
        let words = format!("(max(heaps) >= {bound} and {large}) or {listed}");
        return Ok(Some(words));
    }
    let small = small.found(verifier, FormKind::Forms)?;
    Ok(small.map(|small| format!("if max(heaps) >= {bound} then {large} else {small}")))
}
