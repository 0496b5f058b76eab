//! The decision procedure for heaps of real size: whether a labelling by P and N
//! is consistent with the rule.
//!
//! Real sizes have no finite digits, so automata do not apply. Conditions on
//! sizes are comparisons of weighted sums, and existential quantifiers over them
//! can be eliminated, over the reals and every other ordered field:
//!
//! ```text
//! claim ┐ symbolic,    ┌ statement ┐           ┌─ eliminate ─▶ model ─▶ proved, or witness
//! rule  ┴ in fields ─▶ └ moves ────┴─ scale ───┴─ theorem
//! ```
//!
//! A claim that multiplies sizes may still be linear in another measure of
//! them, and the rule the same in it (`scale`). Whatever else is outside; the
//! sentences can be written down for a solver of others ([`smt`]).

mod budget;
pub mod eliminate;
pub mod fields;
pub mod formula;
pub mod model;
pub mod number;
mod scale;
mod sentences;
pub mod smt;
mod theorem;
mod witness;

pub use budget::Budget;
pub use witness::{Position, Why, Witness};

use super::theorem::ProveError;
use super::unsupported::Unsupported;
use nimrule_limits::Limits;
use nimrule_model::game::{Claim, Convention, Game};
use sentences::Sentences;
use theorem::{Theorem, check_no_faults, least_loss};

/// What a claim about heaps of real size came to.
#[derive(Debug, Clone)]
pub enum Decision {
    Holds(Proof),
    Fails(Witness),
    /// It fails, and no position that shows it was found.
    FailsSomewhere,
}

/// A labelling proved.
#[derive(Debug, Clone)]
pub struct Proof {
    /// What measures the heaps of which it is not the size: `x*x` for `x`.
    pub scales: Vec<Scale>,
    /// What was checked, in words.
    pub checked: Vec<String>,
}

/// How the sizes of a heap are measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    pub heap: String,
    pub measure: String,
}

const APART: &str = "independence: no P-position has a move to a P-position";
const MOVABLE: &str = "every P-position has a move";
const REACHED: &str = "absorption: every N-position has a move to a P-position";
const REACHED_MISERE: &str =
    "absorption: every N-position has a move to a P-position, or is terminal";
const SCALED: &str = "each measure increases with the size, takes all values from 0 on, and \
                      keeps the form of the rule";

/// Decides a claim about heaps of real size.
pub fn decide(game: &Game, claim: &Claim, limits: &Limits) -> Result<Decision, ProveError> {
    let sentences = Sentences::read(game, claim)?;
    let theorem = Theorem::new(&sentences, limits)?;
    check_no_faults(&sentences, &theorem.scales, &theorem.budget)?;
    let mut checked = Vec::new();
    if !sentences.consistent {
        match least_loss(&sentences, &theorem.budget)? {
            Some(least) => checked.push(format!(
                "termination: every move takes at least {least} in total"
            )),
            None => {
                let why = "moves may take arbitrarily little, so play may not end; `consistent \
                           P iff …` claims a labelling consistent with the moves";
                return Err(Unsupported::new(why, claim.span).into());
            }
        }
    }
    if let Some(wrong) = theorem.wrong(claim.convention)? {
        let first = claim.refuted.as_deref();
        return Ok(
            match witness::witness(&theorem, &wrong, &sentences.names, first)? {
                Some(witness) => Decision::Fails(witness),
                None => Decision::FailsSomewhere,
            },
        );
    }
    let scales = theorem.scales.of.iter().zip(&sentences.names);
    let scales: Vec<Scale> = scales
        .filter(|(measure, _)| !measure.is_size())
        .map(|(measure, name)| Scale {
            heap: name.clone(),
            measure: measure.words(name),
        })
        .collect();
    if !scales.is_empty() {
        checked.push(SCALED.to_owned());
    }
    checked.push(APART.to_owned());
    match claim.convention {
        Convention::Normal => checked.push(REACHED.to_owned()),
        Convention::Misere => checked.extend([MOVABLE.to_owned(), REACHED_MISERE.to_owned()]),
    }
    Ok(Decision::Holds(Proof { scales, checked }))
}
