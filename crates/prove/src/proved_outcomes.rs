//! Outcomes and winning moves of positions of any size, by a proved set of
//! P-positions.
//!
//! The set is that of a proved claim, a learned and proved automaton, or a cached
//! proof. Its automaton decides a position in time linear in the number of digits.
//! One winning move is returned for each set of heaps that has one.
//!
//! The moves into a set are found by running the product of the transition relation
//! and the set along the digits of the position, the most significant first
//! ([`replies`]). For each prefix the reachable states are stored with the digits of
//! the option that lead there. For hypergraph Nim there is a faster procedure
//! (`hypergraph_nim::replies`).

use super::compile;
use super::hypergraph_nim::{self, rule_of};
use super::theorem::Prover;
use nimrule_automata::memo::Memo;
use nimrule_automata::{Dfa, Numeration, TableDfa, Track};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Convention, Game};
use nimrule_symbolic::ProveError;
use nimrule_symbolic::formula::{of_heap, of_heap_after};
use num_bigint::BigUint;
use std::sync::Arc;

/// The proved set of P-positions of a game, for all sizes.
pub struct ProvedOutcomes<'g> {
    game: &'g Game,
    convention: Convention,
    set: Arc<Dfa>,
    /// The number of states of its automaton.
    pub states: usize,
}

/// The outcome of a position, and its winning moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionOutcome {
    /// Whether it is a position of the game.
    pub is_position: bool,
    /// Whether it is a P-position.
    pub is_p: bool,
    /// One winning option for each set of heaps that has one, ascending.
    pub winning: Vec<Vec<BigUint>>,
}

impl<'g> ProvedOutcomes<'g> {
    /// The outcomes by a set that is proved to be that of the P-positions.
    pub fn new(game: &'g Game, convention: Convention, set: Arc<Dfa>) -> ProvedOutcomes<'g> {
        ProvedOutcomes {
            game,
            convention,
            states: set.states(),
            set,
        }
    }

    /// The proved set: one track for each heap.
    pub fn set(&self) -> &Arc<Dfa> {
        &self.set
    }
}

impl ProvedOutcomes<'_> {
    /// Returns whether a tuple of sizes is in the set; for positions: whether it is a
    /// P-position.
    pub fn contains(&self, position: &[u64]) -> bool {
        let sizes: Vec<BigUint> = position.iter().copied().map(BigUint::from).collect();
        self.contains_numbers(&sizes)
    }

    /// [`ProvedOutcomes::contains`] for numbers of any size.
    pub fn contains_numbers(&self, position: &[BigUint]) -> bool {
        let numeration = self.set.numeration();
        let written: Vec<Vec<u8>> = position.iter().map(|n| digits(n, numeration)).collect();
        accepts(&self.set, &written)
    }

    /// Returns the outcome and the winning moves of a position.
    ///
    /// # Errors
    ///
    /// The rule is unsupported, or a limit is exceeded.
    pub fn outcome(
        &self,
        position: &[BigUint],
        limits: &Limits,
    ) -> Result<PositionOutcome, ProveError> {
        let numeration = self.set.numeration();
        let written: Vec<Vec<u8>> = position.iter().map(|n| digits(n, numeration)).collect();
        let is_p = accepts(&self.set, &written);
        if let (Some(rule), Some(table)) = (
            rule_of(self.game, self.convention),
            compile::table_in_base(self.game, &self.set),
        ) {
            let mut winning = Vec::new();
            if !is_p {
                let word = word(&table, &written);
                for reply in hypergraph_nim::replies(&rule, &table, &word) {
                    winning.push(position_of_word(&table, &reply.word));
                }
            }
            return Ok(sorted_outcome(true, is_p, winning));
        }
        let prover = Prover::new(self.game, numeration, limits)?;
        let is_position = accepts(&prover.domain, &written);
        let mut winning = Vec::new();
        if is_position && !is_p {
            for option in replies(&prover, &self.set, &written)? {
                winning.push(option.iter().map(|n| number(n, numeration)).collect());
            }
        }
        Ok(sorted_outcome(is_position, is_p, winning))
    }

    /// One option of a position for each transition of the rule that has one: the first in
    /// lexicographic order of the digits. Ascending; `None` where `positions where` excludes
    /// the position.
    ///
    /// # Errors
    ///
    /// The rule is unsupported, or a limit is exceeded.
    pub fn some_options(
        &self,
        position: &[BigUint],
        limits: &Limits,
    ) -> Result<Option<Vec<Vec<BigUint>>>, ProveError> {
        let numeration = self.set.numeration();
        let prover = Prover::new(self.game, numeration, limits)?;
        let written: Vec<Vec<u8>> = position.iter().map(|n| digits(n, numeration)).collect();
        if !accepts(&prover.domain, &written) {
            return Ok(None);
        }
        let mut options: Vec<Vec<BigUint>> = replies(&prover, &prover.domain, &written)?
            .iter()
            .map(|option| option.iter().map(|n| number(n, numeration)).collect())
            .collect();
        options.sort();
        options.dedup();
        Ok(Some(options))
    }

    /// Whether a move leads from one position to another.
    ///
    /// # Errors
    ///
    /// The rule is unsupported, or a limit is exceeded.
    pub fn is_option(
        &self,
        from: &[BigUint],
        to: &[BigUint],
        limits: &Limits,
    ) -> Result<bool, ProveError> {
        let numeration = self.set.numeration();
        let prover = Prover::new(self.game, numeration, limits)?;
        let written = |sizes: &[BigUint]| -> Vec<Vec<u8>> {
            sizes.iter().map(|n| digits(n, numeration)).collect()
        };
        let (before, after) = (written(from), written(to));
        if !accepts(&prover.domain, &after) {
            return Ok(false);
        }
        Ok(prover.transitions.iter().any(|transition| {
            let is_touched = |heap: &usize| transition.touched.contains(heap);
            let rest_is_equal = (0..from.len())
                .filter(|heap| !is_touched(heap))
                .all(|heap| from[heap] == to[heap]);
            let touched = transition.touched.iter();
            let touched = touched.map(|heap| (of_heap_after(*heap), after[*heap].clone()));
            let heaps = (0..).map(of_heap).zip(before.iter().cloned());
            let numbers: Vec<_> = heaps.chain(touched).collect();
            rest_is_equal && transition.relation.accepts_digits(&numbers)
        }))
    }
}

/// The result with the winning options sorted.
fn sorted_outcome(
    is_position: bool,
    is_p: bool,
    mut winning: Vec<Vec<BigUint>>,
) -> PositionOutcome {
    winning.sort();
    winning.dedup();
    PositionOutcome {
        is_position,
        is_p,
        winning,
    }
}

/// Returns whether a set contains the position with these digits.
fn accepts(set: &Dfa, written: &[Vec<u8>]) -> bool {
    let numbers: Vec<_> = (0..).map(of_heap).zip(written.iter().cloned()).collect();
    set.accepts_digits(&numbers)
}

/// The word of letters of the digits of all heaps.
fn word(table: &TableDfa, written: &[Vec<u8>]) -> Vec<usize> {
    let alphabet = table.alphabet();
    let length = written.iter().map(Vec::len).max().unwrap_or(0);
    (0..length)
        .map(|place| {
            let digit = |digits: &Vec<u8>| {
                let at = (place + digits.len()).checked_sub(length);
                at.map_or(0, |at| usize::from(digits[at]))
            };
            let all = written.iter().zip(&alphabet.weight);
            all.map(|(digits, weight)| digit(digits) * weight).sum()
        })
        .collect()
}

/// The sizes of the heaps of a word of letters.
fn position_of_word(table: &TableDfa, word: &[usize]) -> Vec<BigUint> {
    let alphabet = table.alphabet();
    (0..table.tracks)
        .map(|heap| {
            let digits = word
                .iter()
                .map(|letter| alphabet.digit(*letter, heap) as u8);
            number(
                &digits.collect::<Vec<u8>>(),
                Numeration::Base(table.base as u8),
            )
        })
        .collect()
}

/// The digits of a number, the most significant first; none for 0.
#[doc(hidden)]
pub fn digits(number: &BigUint, numeration: Numeration) -> Vec<u8> {
    let zero = BigUint::ZERO;
    if *number == zero {
        return Vec::new();
    }
    match numeration {
        Numeration::Base(base) => number.to_radix_be(u32::from(base)),
        Numeration::Ostrowski(quotient) => {
            let weights: Vec<BigUint> = weights(quotient).take_while(|w| w <= number).collect();
            let mut rest = number.clone();
            let digit = |weight: &BigUint| {
                let digit = &rest / weight;
                rest -= &digit * weight;
                digit.try_into().unwrap_or(quotient)
            };
            weights.iter().rev().map(digit).collect()
        }
    }
}

/// The worth of the places in an Ostrowski numeration, the lowest place first.
fn weights(quotient: u8) -> impl Iterator<Item = BigUint> {
    let (mut weight, mut before) = (BigUint::from(1_u8), BigUint::from(1_u8));
    std::iter::repeat_with(move || {
        let next = &weight * quotient + &before;
        before = std::mem::replace(&mut weight, next);
        before.clone()
    })
}

/// The number with these digits, the most significant first.
#[doc(hidden)]
pub fn number(digits: &[u8], numeration: Numeration) -> BigUint {
    match numeration {
        Numeration::Base(base) => {
            BigUint::from_radix_be(digits, u32::from(base)).unwrap_or_default()
        }
        Numeration::Ostrowski(quotient) => {
            let places = digits.iter().rev().zip(weights(quotient));
            places.map(|(digit, weight)| weight * *digit).sum()
        }
    }
}

/// A position of any size: the digits of each heap, the most significant first.
pub type PositionDigits = Vec<Vec<u8>>;

/// Returns one option in the set for each transition that leads into the set: the
/// first in lexicographic order of the digits.
///
/// # Errors
///
/// A limit is exceeded.
pub fn replies(
    prover: &Prover<'_>,
    set: &Dfa,
    position: &PositionDigits,
) -> Result<Vec<PositionDigits>, LimitExceeded> {
    let mut found = Vec::new();
    for transition in &prover.transitions {
        let name = |track: Track| match usize::from(track / 2) {
            heap if track.is_multiple_of(2) && transition.touched.contains(&heap) => track + 1,
            _ => track,
        };
        let budget = &prover.compiler.budget;
        let into = set.renamed(&name, budget)?;
        let both = transition.relation.and(&into, budget)?;
        if let Some(option) = option_of(&both, &transition.touched, position)
            && !found.contains(&option)
        {
            found.push(option);
        }
    }
    Ok(found)
}

/// The first option for which the relation holds; `None` if there is none.
fn option_of(
    relation: &Dfa,
    touched: &[usize],
    position: &PositionDigits,
) -> Option<PositionDigits> {
    let length = position.iter().map(Vec::len).max().unwrap_or(0);
    // A move adds at most an amount with as many digits as the heaps have: one more
    // digit leaves room for the carry.
    let length = length + 1;
    let digit = |heap: usize, place: usize| {
        let digits = &position[heap];
        (place + digits.len())
            .checked_sub(length)
            .map_or(0, |at| digits[at])
    };
    let radix = relation.numeration().radix();
    let choices = radix.checked_pow(u32::try_from(touched.len()).ok()?)?;
    // For each prefix length, the predecessor by which each state was reached first:
    // a state, and the choice of digits.
    let mut predecessors: Vec<Memo<u32, (u32, usize)>> = Vec::with_capacity(length);
    let mut reached = vec![relation.start()];
    for place in 0..length {
        let mut next: Memo<u32, (u32, usize)> = Memo::default();
        let mut order = Vec::new();
        for &state in &reached {
            for choice in 0..choices {
                let to = relation.after(state, &|track| {
                    let heap = usize::from(track / 2);
                    if track == of_heap(heap) {
                        return digit(heap, place);
                    }
                    debug_assert_eq!(track, of_heap_after(heap));
                    touched
                        .iter()
                        .position(|of| *of == heap)
                        .map_or(0, |at| chosen(choice, at, radix))
                });
                next.or_insert_with(to, || {
                    order.push(to);
                    (state, choice)
                });
            }
        }
        predecessors.push(next);
        reached = order;
    }
    let mut state = *reached.iter().find(|s| relation.is_accepting(**s))?;
    let mut option: PositionDigits = (0..position.len())
        .map(|heap| (0..length).map(|place| digit(heap, place)).collect())
        .collect();
    for place in (0..length).rev() {
        let (from, choice) = *predecessors[place].get(&state)?;
        for (at, heap) in touched.iter().enumerate() {
            option[*heap][place] = chosen(choice, at, radix);
        }
        state = from;
    }
    for digits in &mut option {
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
    }
    Some(option)
}

/// The digit of a choice for one of the touched heaps.
fn chosen(choice: usize, at: usize, radix: usize) -> u8 {
    (choice / radix.pow(at as u32) % radix) as u8
}
