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
//!
//! The moves into a set are found for positions of any size ([`replies`]): the automaton
//! reads the options of a position together with the digits of the position. For one
//! hyperedge the option prefixes are represented by automaton states, each with the
//! heaps that are smaller so far. Every reached state stores one predecessor, so that
//! the path back from an accepting state spells an option. The time is linear in the
//! number of digits.
//!
//! What learns the automaton of the P-positions from the rule (`nimrule_discover`) reads
//! the same [`Rule`], and has its hypotheses checked here.

mod kernel;
pub mod rule;

pub use kernel::{KernelCheck, Refutation, check};
pub use rule::Rule;

use nimrule_automata::{Alphabet, TableDfa};
use nimrule_board::Arrangement;
use nimrule_ir::{self as ir, Hyperedges};
use nimrule_model::game::{Convention, Game};
use std::collections::BTreeMap;
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
    if heaps == 0 || heaps > MAX_HEAPS || game.no_grundy_values().is_some() {
        return None;
    }
    let graph = ir::lower(game);
    let profile = ir::profile(&graph, &game.facts.termination);
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

/// A move into the set by one hyperedge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The hyperedge as a bit set of heaps.
    pub hyperedge: u32,
    /// The letters of the option, with the length of the word of the position.
    pub word: Vec<usize>,
}

/// Returns a move from the position into the set for every hyperedge that has one.
/// `word` has the letters of the position, the most significant digits first.
pub fn replies(rule: &Rule, set: &TableDfa, word: &[usize]) -> Vec<Reply> {
    let alphabet = set.alphabet();
    let coaccessible = set.coaccessible();
    let support = word
        .iter()
        .fold(0, |all, &letter| all | alphabet.support[letter]);
    rule.hyperedges()
        .iter()
        .enumerate()
        .filter(|&(number, _)| rule.usable(support) >> number & 1 != 0)
        .filter_map(|(_, &hyperedge)| {
            let word = option_in_set(set, &coaccessible, word, hyperedge & support)?;
            Some(Reply { hyperedge, word })
        })
        .collect()
}

/// The options of a prefix: for every state the sets of heaps that are smaller so
/// far, each with a predecessor. The sets are an antichain: a set subsumes its
/// subsets, because the further digits of a smaller heap are arbitrary.
type Layer = BTreeMap<u32, Vec<Step>>;

#[derive(Debug, Clone, Copy)]
struct Step {
    smaller: u32,
    from: (u32, u32),
    letter: usize,
}

/// The word of an option in the set that lowers at least one heap, all of them in the
/// hyperedge.
fn option_in_set(
    set: &TableDfa,
    coaccessible: &[bool],
    word: &[usize],
    hyperedge: u32,
) -> Option<Vec<usize>> {
    let alphabet = set.alphabet();
    let start = Step {
        smaller: 0,
        from: (set.start, 0),
        letter: 0,
    };
    let mut layers: Vec<Layer> = vec![Layer::from_iter([(set.start, vec![start])])];
    for &letter in word {
        let mut next = Layer::default();
        for (&state, steps) in layers.last()? {
            for step in steps {
                for (there, smaller) in lowered_letters(&alphabet, letter, hyperedge, step.smaller)
                {
                    let to = set.step(state, there);
                    if coaccessible[to as usize] {
                        let from = (state, step.smaller);
                        add(
                            next.entry(to).or_default(),
                            Step {
                                smaller,
                                from,
                                letter: there,
                            },
                        );
                    }
                }
            }
        }
        layers.push(next);
    }
    let ends = layers
        .last()?
        .iter()
        .filter(|&(&state, _)| set.is_accepting(state));
    let mut here = ends
        .flat_map(|(&state, steps)| steps.iter().map(move |step| (state, step.smaller)))
        .filter(|&(_, smaller)| smaller != 0)
        .min()?;
    let mut reversed = Vec::with_capacity(word.len());
    for layer in layers[1..].iter().rev() {
        let step = layer[&here.0].iter().find(|step| step.smaller == here.1)?;
        reversed.push(step.letter);
        here = step.from;
    }
    reversed.reverse();
    Some(reversed)
}

/// The letters of an option at a letter of the position, each with the heaps that are
/// smaller afterwards.
fn lowered_letters(
    alphabet: &Alphabet,
    letter: usize,
    hyperedge: u32,
    smaller: u32,
) -> Vec<(usize, u32)> {
    let mut lowered = vec![(0, smaller)];
    for heap in 0..alphabet.tracks {
        let digit = alphabet.digit(letter, heap);
        let bit = 1 << heap;
        let least = if hyperedge & bit == 0 { digit } else { 0 };
        let most = if smaller & bit == 0 {
            digit
        } else {
            alphabet.base - 1
        };
        let mut more = Vec::with_capacity(lowered.len() * (most + 1 - least));
        for &(there, so_far) in &lowered {
            more.extend((least..=most).map(|other| {
                let so_far = if other < digit { so_far | bit } else { so_far };
                (there + other * alphabet.weight[heap], so_far)
            }));
        }
        lowered = more;
    }
    lowered
}

/// Adds a step to an antichain.
fn add(steps: &mut Vec<Step>, step: Step) {
    if steps.iter().all(|other| step.smaller & !other.smaller != 0) {
        steps.retain(|other| other.smaller & !step.smaller != 0);
        steps.push(step);
    }
}
