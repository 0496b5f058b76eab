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

pub mod eliminate;
mod fields;
pub mod formula;
pub mod model;
pub mod number;
mod scale;
pub mod smt;
mod theorem;

pub use theorem::{Position, Why, Witness};

use super::theorem::ProveError;
use super::unsupported::Unsupported;
use fields::Sentences;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Claim, Convention, Game};
use std::cell::Cell;
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
const SCALED: &str = "each measure grows with its size and takes all values from 0 on, and the rule \
                      says the same of the measures as of the sizes";

/// Decides a claim about heaps of real size.
pub fn decide(game: &Game, claim: &Claim, limits: &Limits) -> Result<Decision, ProveError> {
    let sentences = Sentences::read(game, claim)?;
    let theorem = Theorem::new(&sentences, limits)?;
    check_no_faults(&sentences, &theorem.scales, &theorem.budget)?;
    let mut checked = Vec::new();
    if !sentences.consistent {
        match least_loss(&sentences, &theorem.budget)? {
            Some(least) => checked.push(format!(
                "every move takes {least} or more in all, so that play ends"
            )),
            None => {
                let why = "moves may take as little as one likes, so that play need not end; \
                           `consistent P iff …` asks for a labelling that fits the moves";
                return Err(Unsupported::new(why, claim.span).into());
            }
        }
    }
    if let Some(wrong) = theorem.wrong(claim.convention)? {
        let first = claim.refuted.as_deref();
        return Ok(
            match theorem::witness(&theorem, &wrong, &sentences.names, first)? {
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

/// Counts the comparisons that are looked at, and those that are kept.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    looked_at: Cell<u64>,
    kept: Cell<u64>,
}

/// About so many bytes are needed for a comparison: three or four fractions.
const BYTES: u64 = 256;

/// The clock is looked at each time that so many comparisons were.
const BETWEEN_LOOKS: u64 = 512;

impl Budget {
    pub fn new(limits: &Limits) -> Budget {
        Budget {
            limits: *limits,
            looked_at: Cell::new(0),
            kept: Cell::new(0),
        }
    }

    /// So many comparisons are looked at.
    pub fn work(&self, comparisons: u64) -> Result<(), LimitExceeded> {
        let so_far = self.looked_at.get() + comparisons;
        if so_far < BETWEEN_LOOKS {
            self.looked_at.set(so_far);
            return Ok(());
        }
        self.looked_at.set(0);
        self.limits.check_time()
    }

    /// So many comparisons are made that others are made of: none of them is
    /// counted off again.
    pub fn keep(&self, comparisons: u64) -> Result<(), LimitExceeded> {
        self.kept.set(self.kept.get() + comparisons);
        self.limits
            .check_memory(u128::from(self.kept.get()) * u128::from(BYTES))?;
        self.work(comparisons)
    }
}
