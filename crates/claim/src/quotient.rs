//! `claim misere quotient to N has M elements`.
//!
//! What the search finds is proved, so the claim is proved or refuted, or a
//! limit is met before. A quotient only grows with further heaps: if that of
//! fewer heaps has more elements than are claimed, the claim is refuted too.

use super::{Counterexample, Said, Standing};
use nimrule_engine::quotient::{Numbering, find};
use nimrule_engine::{Failure, Limits, Solver};
use nimrule_model::game::PositionKind;

/// The name of what proves it.
pub const THEOREM: &str = "induction over sums";

/// Quotients of this many elements are looked for, even if fewer are claimed.
const MOST_ELEMENTS: usize = 1000;

pub fn check(
    solver: &Solver<'_>,
    to: u64,
    elements: u64,
    limits: &Limits,
) -> Result<Standing, Failure> {
    let claimed = usize::try_from(elements).unwrap_or(usize::MAX);
    let found = match find(solver, to, MOST_ELEMENTS.max(claimed), limits) {
        Ok(found) => found,
        // The other claims of the file can be answered all the same.
        Err(Failure::Cannot { reason, .. }) => {
            return Ok(Standing::Unknown {
                why: format!(
                    "there is a misere quotient of heaps only where every move changes one heap \
                     and looks at no other: {reason}"
                ),
            });
        }
        Err(failure) => return Err(failure),
    };
    let quotient = &found.quotient;
    let order = quotient.order();
    let stopped = match found.stopped {
        None if order == claimed => {
            return Ok(Standing::Proved {
                theorem: THEOREM,
                by: format!(
                    "a monoid of {order} elements, {} of them P, is right about every sum of \
                    these heaps",
                    quotient.p_portion().len()
                ),
            });
        }
        None => None,
        Some(_) if order > claimed => None,
        stopped => stopped,
    };
    if let Some((_, why)) = stopped {
        return Ok(Standing::Unknown {
            why: format!(
                "proved are {order} elements to {}; then {why}",
                name(solver, quotient.to())
            ),
        });
    }
    Ok(Standing::Refuted(Counterexample {
        position: position(solver, quotient.to()),
        actual: Said::Words(format!(
            "the quotient to this heap has {order} elements, which is proved"
        )),
        claimed: Said::Words(format!("{elements} are claimed")),
    }))
}

/// The position of the heap with this number alone.
fn position(solver: &Solver<'_>, number: u32) -> Vec<u64> {
    let heap = Numbering::of(solver).map_or(0, |numbering| numbering.heap(number));
    match solver.game.position_kind {
        PositionKind::Multiset(_) if number == 0 => Vec::new(),
        PositionKind::Multiset(_) => vec![heap],
        _ => {
            let mut position = vec![0; solver.graph.heaps];
            position[0] = heap;
            position
        }
    }
}

fn name(solver: &Solver<'_>, number: u32) -> String {
    solver.game.shown(&position(solver, number))
}
