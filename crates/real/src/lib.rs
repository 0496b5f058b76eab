//! The decision procedure for heaps of real size: whether a labelling by P and N
//! is consistent with the rule, or that of a cogame.
//!
//! Real sizes have no finite digits, so automata do not apply. Conditions on
//! sizes are comparisons of weighted sums. Existential quantifiers over such
//! conditions can be eliminated, over the reals and over every other ordered
//! field:
//!
//! ```text
//! claim ┐             ┌ set ───┐          ┌─ eliminate ─▶ model ─▶ proof or witness
//! rule  ┴─ fields ──▶ └ moves ─┴─ scale ──┴─ theorem
//! ```
//!
//! A claim that multiplies sizes may be linear in other measures of them, for
//! example in the squares. It is decided if the rule is invariant under this
//! change of scale (`scale`). Other claims are unsupported; their problem can
//! be written for another solver ([`smt`]).

#![warn(missing_docs)]

mod cogame;
#[doc(hidden)]
pub mod eliminate;
mod fields;
#[doc(hidden)]
pub mod formula;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod number;
mod scale;
pub mod smt;
mod theorem;

pub use number::Rational;
pub use theorem::{Position, Violation, Witness};

use fields::{Claimed, RealProblem};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Claim, Convention, Game};
use nimrule_symbolic::{ProveError, Unsupported};
use std::cell::Cell;
use theorem::{Theorem, check_no_faults, least_decrease};

/// The decision of a claim about heaps of real size.
#[derive(Debug, Clone)]
pub enum Decision {
    /// The claim holds: the labelling is that of a cogame, or it is consistent with the rule,
    /// and play terminates unless the claim does not need it.
    Holds(Proof),
    /// The labelling is wrong at this position.
    Fails(Witness),
    /// It fails, but no position that shows this was found.
    FailsSomewhere,
}

/// The proof that a labelling is consistent with the rule, or that of a cogame.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The measures of heaps that are not measured by their size.
    pub scales: Vec<Scale>,
    /// The checked statements, in words.
    pub checked: Vec<String>,
}

/// The measure of the sizes of a heap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scale {
    /// The name of the heap.
    pub heap: String,
    /// An increasing function of its size, as an expression such as `x*x`.
    pub measure: String,
}

const INDEPENDENCE: &str = "independence: no P-position has a move to a P-position";
const NONTERMINAL: &str = "every P-position has a move";
const ABSORPTION: &str = "absorption: every N-position has a move to a P-position";
const ABSORPTION_MISERE: &str =
    "absorption: every N-position has a move to a P-position, or is terminal";
const COABSORPTION: &str = "every N-position is an option of a P-position";
const SCALED: &str = "each measure increases with the size, takes all values from 0 on, and \
                      keeps the form of the rule";

/// Decides a claim about heaps of real size.
///
/// # Errors
///
/// The claim or the rule is unsupported, or a limit is exceeded.
pub fn decide(game: &Game, claim: &Claim, limits: &Limits) -> Result<Decision, ProveError> {
    let problem = RealProblem::read(game, claim)?;
    // At one position a claim may be linear that is not linear everywhere.
    if problem.claimed == Claimed::Cogame
        && problem.faults.is_empty()
        && let Some(at) = &claim.refuted
        && let Some(witness) = cogame::fails_at(&problem, at, limits)?
    {
        return Ok(Decision::Fails(witness));
    }
    let theorem = Theorem::new(&problem, limits)?;
    check_no_faults(&problem, &theorem.scales, &theorem.budget)?;
    let mut checked = Vec::new();
    if problem.claimed == Claimed::Outcomes {
        match least_decrease(&problem, &theorem.budget)? {
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
    let violations = match problem.claimed {
        Claimed::Cogame => cogame::violations(&theorem)?,
        Claimed::Outcomes | Claimed::Consistent => theorem.violations(claim.convention)?,
    };
    if let Some(violations) = violations {
        let first = claim.refuted.as_deref();
        return Ok(
            match theorem::witness(&theorem, &violations, &problem.names, first)? {
                Some(witness) => Decision::Fails(witness),
                None => Decision::FailsSomewhere,
            },
        );
    }
    let scales = theorem.scales.measures.iter().zip(&problem.names);
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
    checked.push(INDEPENDENCE.to_owned());
    match claim.convention {
        _ if problem.claimed == Claimed::Cogame => checked.push(COABSORPTION.to_owned()),
        Convention::Normal => checked.push(ABSORPTION.to_owned()),
        Convention::Misere => {
            checked.extend([NONTERMINAL.to_owned(), ABSORPTION_MISERE.to_owned()])
        }
    }
    Ok(Decision::Holds(Proof { scales, checked }))
}

/// The limits of a decision about real sizes. The work is counted in comparisons
/// of a term with 0.
#[derive(Debug)]
#[doc(hidden)]
pub struct Budget {
    limits: Limits,
    /// The comparisons since the last check of the time.
    unchecked: Cell<u64>,
    /// The comparisons of all constructed statements.
    constructed: Cell<u64>,
}

/// The approximate memory of a comparison, in bytes: three or four fractions.
const BYTES: u64 = 256;

/// The number of comparisons between two checks of the time.
const BETWEEN_CHECKS: u64 = 512;

impl Budget {
    /// Returns a budget with nothing counted.
    pub fn new(limits: &Limits) -> Budget {
        Budget {
            limits: limits.clone(),
            unchecked: Cell::new(0),
            constructed: Cell::new(0),
        }
    }

    /// Counts comparisons that are examined.
    ///
    /// # Errors
    ///
    /// The time limit is exceeded.
    pub fn work(&self, comparisons: u64) -> Result<(), LimitExceeded> {
        let so_far = self.unchecked.get() + comparisons;
        if so_far < BETWEEN_CHECKS {
            self.unchecked.set(so_far);
            return Ok(());
        }
        self.unchecked.set(0);
        self.limits.check_time()
    }

    /// Counts comparisons of a constructed statement. Their memory is never
    /// subtracted again.
    ///
    /// # Errors
    ///
    /// The time or memory limit is exceeded.
    pub fn construct(&self, comparisons: u64) -> Result<(), LimitExceeded> {
        self.constructed.set(self.constructed.get() + comparisons);
        self.limits
            .check_memory(u128::from(self.constructed.get()) * u128::from(BYTES))?;
        self.work(comparisons)
    }
}
