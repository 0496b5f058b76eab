//! Hypergraph Nim: a decision procedure of its own for rules "remove any
//! number of tokens from each heap of one hyperedge", for heaps of all sizes
//! (hypergraph Nim: Boros, Gurvich, Ho, Makino and Mursic 2018, "On the
//! Sprague-Grundy function of exact k-Nim" and later papers; with the faces of
//! a complex for hyperedges, Ehrenborg and Steingrímsson 1996, "Playing Nim on
//! a simplicial complex").
//!
//! A heap that such a move lowers may become anything smaller. Read from the
//! most significant digit on, the comparison is decided by the first digit that
//! differs, and the digits after it are arbitrary. So the conditions of the
//! partition theorem need no formulas: the set of P-positions is the only
//! kernel of the digraph of moves, a set that is
//!
//! - *independent* (`independence`): no move leads from it into it, decided
//!   by reachability over pairs of states, without a subset construction;
//! - *absorbing* (`absorption`): every position outside it has a move into
//!   it, decided by preimages and a universality test.
//!
//! Modules:
//!
//! - [`rule`]: which sets of heaps one move can lower, support by support, for
//!   boards whose empty heaps stay and for those that shrink; [`boards`] has
//!   some, [`of_game`] reads the rule of a game.
//! - [`check`]: proves that a set is that of the P-positions, or refutes it by
//!   a shortest position.
//! - [`replies`]: the moves into the set, for positions of any size.
//!
//! [`super::residual_learning`] builds the automaton of the P-positions from
//! the rule alone.

mod kernel;
mod reply;
pub mod rule;

pub use kernel::{Checked, Proof, Refutation, Verdict, check};
pub use reply::{Reply, replies};
pub use rule::Rule;

#[cfg(test)]
mod tests;

use nimrule_ir::{self as ir, Hyperedges};
use nimrule_model::game::{Arrangement, Convention, Game};
use thiserror::Error;

/// The most heaps: letters and supports are counted in tables.
pub const MAX_HEAPS: usize = 12;

/// Why a rule cannot be represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RuleError {
    #[error("{0} heaps are too many, or too few")]
    Heaps(usize),
    #[error("{0} selections are too many")]
    Selections(usize),
}

/// The hyperedges at every support, if the game is one of this class.
pub fn family(game: &Game) -> Option<Box<dyn Fn(u32) -> Vec<u32>>> {
    let heaps = game.heap_count();
    if heaps == 0 || heaps > MAX_HEAPS || game.has_sides() || game.may_repeat {
        return None;
    }
    let graph = ir::lower(game);
    let profile = ir::profile(&graph, &game.termination);
    Some(match profile.hyperedges.ok()? {
        Hyperedges::Fixed(sets) => {
            let family: Vec<u32> = sets
                .iter()
                .map(|set| set.iter().fold(0, |all, heap| all | 1 << heap.index()))
                .collect();
            Box::new(move |_| family.clone())
        }
        Hyperedges::Remaining {
            least,
            most,
            around,
        } => Box::new(move |support| neighbours(heaps, support, least, most, around)),
    })
}

/// The rule of a game, if it is one of this class.
pub fn rule_of(game: &Game, convention: Convention) -> Option<Rule> {
    let misere = convention == Convention::Misere;
    Rule::new(game.heap_count(), misere, family(game)?).ok()
}

/// The sets of neighbours among the heaps that are left.
fn neighbours(
    heaps: usize,
    support: u32,
    least: usize,
    most: usize,
    around: Arrangement,
) -> Vec<u32> {
    let left: Vec<usize> = (0..heaps).filter(|heap| support >> heap & 1 != 0).collect();
    let mut family = Vec::new();
    for length in least..=most {
        if length >= left.len() {
            family.push(support);
            break;
        }
        let starts = match around {
            Arrangement::Circle => left.len(),
            Arrangement::Row => left.len() + 1 - length,
        };
        for start in 0..starts {
            let arc = (start..start + length).map(|place| left[place % left.len()]);
            family.push(arc.fold(0, |all, heap| all | 1 << heap));
        }
    }
    family
}
