//! The partition theorem for a set of positions given as an automaton.
//!
//! 1. No move leads from the set into it ([`super::independence`]).
//! 2. Misère: no terminal position is in the set.
//! 3. Every position outside has a move into the set; misère, or is terminal
//!    ([`super::absorption`]).
//!
//! Termination needs no proof for this class: each move takes tokens. Normal
//! play requires that terminal positions are in the set. That is part of 3,
//! for a terminal position has a move into the set only in the weak sense used
//! there: it stays as it is, in the set.

use super::absorption::{Absorption, absorption};
use super::independence::{Independence, Symmetry, independence};
use super::rule::Rule;
use nimrule_automata::levelled::REJECT;
use nimrule_automata::{LevelledDfa, TableDfa};
use nimrule_limits::{LimitExceeded, Limits};

/// The result of checking a set.
#[derive(Debug, Clone)]
pub enum Verdict {
    Proved(Box<Proof>),
    Refuted(Refutation),
}

/// A set is that of the P-positions.
#[derive(Debug, Clone)]
pub struct Proof {
    pub checked: Checked,
    /// The smallest automaton of the set.
    pub set: LevelledDfa,
}

/// How much there was to check.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// States of the smallest automaton.
    pub states: usize,
    /// Pairs of states reached in the proof of independence.
    pub pairs: usize,
    /// Symmetries of rule and set.
    pub symmetries: usize,
    /// The most subsets, and after minimisation the most nodes, of a step to a
    /// preimage.
    pub subsets: usize,
    pub preimage: usize,
    /// Nodes of all preimages in one automaton.
    pub joint: usize,
    /// Subsets of the universality test: between letters, and all.
    pub universal: usize,
    pub steps: usize,
}

/// Why a set is not that of the P-positions: a shortest position each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refutation {
    /// Both are in the set, and a move leads from the first to the second.
    Within(Vec<u64>, Vec<u64>),
    /// Not in the set, and no move leads into it, though there may be moves.
    Missing(Vec<u64>),
    /// Misère: in the set, and terminal.
    Terminal(Vec<u64>),
    /// A position whose heaps do not fit 64 bits.
    Long,
}

impl Refutation {
    /// The positions that refute; none if they are long.
    pub fn positions(self) -> Vec<Vec<u64>> {
        match self {
            Refutation::Within(from, to) => vec![from, to],
            Refutation::Missing(at) | Refutation::Terminal(at) => vec![at],
            Refutation::Long => Vec::new(),
        }
    }
}

/// Proves or refutes that the automaton recognises the P-positions of the rule.
///
/// The table must be well formed ([`TableDfa::is_well_formed`]), with a track
/// for each heap of the rule.
///
/// # Errors
///
/// A limit that is exceeded.
pub fn check(rule: &Rule, given: &TableDfa, limits: &Limits) -> Result<Verdict, LimitExceeded> {
    let mut checked = Checked::default();
    let alphabet = given.alphabet();
    let whole = LevelledDfa::from_table(given).minimised(limits)?;
    let set = whole.table(whole.starts[0]);
    checked.states = set.states();
    let refuted = |refutation: Option<Refutation>| {
        Ok(Verdict::Refuted(refutation.unwrap_or(Refutation::Long)))
    };
    if rule.is_misere() {
        let is_terminal = |support| rule.is_terminal(support);
        let terminal = LevelledDfa::of_supports(rule.heaps(), set.base, is_terminal, limits)?;
        let both = whole.and(&terminal, limits)?;
        if both.starts[0] != REJECT {
            let word = both.table(both.starts[0]).shortest_word();
            let position = word.and_then(|word| alphabet.numbers(&word));
            return refuted(position.map(Refutation::Terminal));
        }
    }
    let symmetries: Vec<Symmetry> = rule
        .symmetries(MAX_SYMMETRIES)
        .0
        .into_iter()
        .skip(1)
        .filter_map(|images| {
            let states = set.image_under(&images)?;
            Some(Symmetry { images, states })
        })
        .collect();
    checked.symmetries = symmetries.len() + 1;
    match independence(rule, &set, &symmetries, limits)? {
        Independence::Independent { pairs } => checked.pairs = pairs,
        Independence::Move(from, to) => {
            let both = alphabet.numbers(&from).zip(alphabet.numbers(&to));
            return refuted(both.map(|(from, to)| Refutation::Within(from, to)));
        }
    }
    match absorption(rule, &whole, &symmetries, &mut checked, limits)? {
        Absorption::Absorbing => Ok(Verdict::Proved(Box::new(Proof {
            checked,
            set: whole,
        }))),
        Absorption::Missing(word) => refuted(alphabet.numbers(&word).map(Refutation::Missing)),
    }
}

/// More symmetries are not sought: a few serve as well.
const MAX_SYMMETRIES: usize = 200;
