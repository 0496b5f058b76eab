//! The decision procedure for hypergraph Nim: rules "remove any number of tokens
//! from each heap of one hyperedge", for heaps of all sizes.
//!
//! Sources: Boros, Gurvich, Ho, Makino and Mursic 2018, "On the Sprague-Grundy
//! function of exact k-Nim"; Ehrenborg and Steingrímsson 1996, "Playing Nim on a
//! simplicial complex", where the hyperedges are the faces of a complex.
//!
//! A move may lower each heap of the hyperedge to any smaller size. If the digits
//! are read with the most significant one first, the first digit that differs
//! decides the comparison, and all later digits are arbitrary. So the conditions
//! of the partition theorem need no formulas. The set of P-positions is the kernel
//! of the digraph of moves, the only set that is
//!
//! - *independent*: no move leads from it into it. This is decided by reachability
//!   over pairs of states, without a subset construction;
//! - *absorbing*: every position outside it has a move into it. This is decided
//!   by preimages and a universality test.
//!
//! Modules:
//!
//! - [`rule`]: the hyperedges of a rule at each support (the set of nonempty
//!   heaps), for boards of fixed size and for boards on which empty heaps vanish.
//!   [`rule_of`] returns the rule of a game.
//! - `kernel`: proves that a set is that of the P-positions, or refutes it by a
//!   shortest position ([`check`]).
//! - `reply`: the moves into a set, for positions of any size ([`replies`]).
//!
//! [`super::residual_learning`] learns the automaton of the P-positions from the
//! rule.

mod kernel;
mod reply;
pub mod rule;

#[cfg(test)]
use kernel::Refutation;
pub use kernel::{KernelCheck, check};
pub use reply::replies;
pub use rule::Rule;

#[cfg(test)]
mod tests;

use nimrule_ir::{self as ir, Hyperedges};
use nimrule_model::game::{Arrangement, Convention, Game};
use thiserror::Error;

/// The most heaps. Tables have an entry for each support.
pub const MAX_HEAPS: usize = 12;

/// The reason why a rule cannot be represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RuleError {
    /// No heap, or more than [`MAX_HEAPS`].
    #[error("{0} heaps are too many, or too few")]
    Heaps(usize),
    /// More maximal hyperedges than a [`rule::HyperedgeSet`] has bits.
    #[error("{0} selections are too many")]
    Selections(usize),
}

/// The hyperedges of a game as a function of the support, both as bit sets of
/// heaps; `None` if the game is not hypergraph Nim by its profile
/// ([`ir::profile`]).
fn hyperedges_of(game: &Game) -> Option<Box<dyn Fn(u32) -> Vec<u32>>> {
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
        } => Box::new(move |support| consecutive(heaps, support, least, most, around)),
    })
}

/// The rule of a game; `None` if the game is not hypergraph Nim.
pub fn rule_of(game: &Game, convention: Convention) -> Option<Rule> {
    let misere = convention == Convention::Misere;
    Rule::new(game.heap_count(), misere, hyperedges_of(game)?).ok()
}

/// The sets of `least` to `most` consecutive heaps among the nonempty ones; if fewer
/// are left, the set of all of them.
fn consecutive(
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
