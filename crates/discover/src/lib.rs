//! The search for theorems: what may be proved of a game is found here, and the provers
//! ([`nimrule_prove`]) decide it.
//!
//! ```text
//! rule, or solved positions ─ residual_learning ─▶ automaton ─▶ prove ─▶ proved set or values
//! proved set or values ─ forms ─▶ condition ─▶ prove ─▶ closed form
//! ```
//!
//! - [`residual_learning`] finds the automaton of the P-positions, or of the Grundy values,
//!   without a claim.
//! - [`forms`] finds a condition in the language of claims that is equal to an automaton.
//!
//! A guess is never a result: an automaton and a form are returned only after a proof. A
//! wrong guess costs time and nothing else, so the searches may merge, sample and cut off
//! as they like.
//!
//! A proof may need the set of all P-positions where no claim gives it. The provers know no
//! search; [`learning`] is the strategy that gives them this one.

#![warn(missing_docs)]

pub mod forms;
pub mod residual_learning;

pub use residual_learning::learn_p_positions;

use nimrule_limits::Limits;
use nimrule_prove::{PPositions, Strategy};

/// The strategy with all procedures, within limits, which learns the set of all P-positions
/// ([`learn_p_positions`]) where it is needed and no claim gives it.
pub fn learning(limits: &Limits) -> Strategy<'static> {
    Strategy {
        p_positions: PPositions::Learned(|game, convention, limits| {
            learn_p_positions(game, convention, limits).map(|(set, _)| set)
        }),
        ..Strategy::all(limits)
    }
}
