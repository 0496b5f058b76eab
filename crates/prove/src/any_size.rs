//! Positions of any size, answered by what has been proved.
//!
//! A claim that is proved to tell the P-positions, or an automaton that was
//! found from the rule and proved, decides a position by reading its digits
//! once; the winning moves are found beside it, one for each way to choose
//! heaps. What was proved before and kept serves as well.

use super::hypergraph_nim::{of_game, replies, rule_of};
use super::kept::{self, By, Form, Kept};
use super::symbolic::formula::of_heap;
use super::theorem::{ProveError, Prover};
use super::{Origin, Set, Verdict, discovered, prove, reply};
use nimrule_automata::{Dfa, Numeration, TableDfa};
use nimrule_engine::Failure;
use nimrule_limits::Limits;
use nimrule_model::game::{Applies, Claim, Class, Convention, Game, Statement};
use num_bigint::BigUint;
use std::rc::Rc;

/// Where an answer comes from.
#[derive(Debug, Clone)]
pub enum Ground<'g> {
    /// A claim of the file, by its number there.
    Claim(usize, &'g Claim),
    /// The automaton that was found from the rule alone.
    Discovered(Origin),
    /// A proof that was kept from before.
    Kept(By),
}

impl Ground<'_> {
    /// The words of the claim that was proved, if it was one.
    pub fn claim(&self) -> Option<&str> {
        match self {
            Ground::Claim(_, claim) => Some(&claim.words),
            Ground::Kept(By::Claim(words)) => Some(words),
            Ground::Discovered(_) | Ground::Kept(By::Rule(_)) => None,
        }
    }
}

/// The P-positions of a game, for all sizes.
pub struct Everywhere<'g> {
    game: &'g Game,
    convention: Convention,
    pub ground: Ground<'g>,
    set: Rc<Dfa>,
    pub states: usize,
}

/// What is known of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// May the position occur at all?
    pub is_position: bool,
    pub is_p: bool,
    /// For each way to choose heaps that wins, a position to move to; in
    /// ascending order.
    pub winning: Vec<Vec<BigUint>>,
}

/// The P-positions of all sizes, if a claim tells them or they are found.
///
/// A claim that meets a limit is passed over. `Err` says that it was stopped.
pub fn everywhere<'g>(
    game: &'g Game,
    convention: Convention,
    limits: &Limits,
) -> Result<Option<Everywhere<'g>>, Failure> {
    for (number, claim) in (1..).zip(&game.claims) {
        let tells = claim.convention == convention
            && claim.applies != Applies::Elsewhere
            && claim.refuted.is_none()
            && matches!(
                claim.statement,
                Some(Statement::Outcome {
                    class: Class::P | Class::N,
                    ..
                })
            );
        if !tells {
            continue;
        }
        match prove(game, claim, &limits.half_time()) {
            Ok(Verdict::Proved(proof)) if proof.of == Set::PPositions => {
                let ground = Ground::Claim(number, claim);
                let set = kept::as_read(game, &proof.automaton, limits);
                let set = set.map_or(proof.automaton, Rc::new);
                return Ok(Some(Everywhere::new(game, convention, ground, set)));
            }
            Err(Failure::Stopped) => return Err(Failure::Stopped),
            Ok(_) | Err(_) => {}
        }
    }
    let found = discovered(game, convention, limits);
    limits.check_stopped()?;
    Ok(found.map(|(set, origin)| {
        let set = kept::as_read(game, &set, limits).unwrap_or(set);
        Everywhere::new(game, convention, Ground::Discovered(origin), Rc::new(set))
    }))
}

impl<'g> Everywhere<'g> {
    fn new(
        game: &'g Game,
        convention: Convention,
        ground: Ground<'g>,
        set: Rc<Dfa>,
    ) -> Everywhere<'g> {
        Everywhere {
            game,
            convention,
            ground,
            states: set.states(),
            set,
        }
    }

    /// What was proved before.
    pub fn of_kept(game: &'g Game, convention: Convention, kept: Kept) -> Everywhere<'g> {
        Everywhere::new(game, convention, Ground::Kept(kept.by), Rc::new(kept.set))
    }

    /// What is to be kept of it.
    pub fn to_keep(&self) -> Kept {
        Kept {
            by: match &self.ground {
                Ground::Claim(_, claim) => By::Claim(claim.words.clone()),
                Ground::Discovered(origin) => By::Rule(*origin),
                Ground::Kept(by) => by.clone(),
            },
            form: Form::NotSought,
            set: self.set.as_ref().clone(),
        }
    }
}

impl Everywhere<'_> {
    /// Who wins, and how, from a position with heaps of any size.
    pub fn answer(&self, position: &[BigUint], limits: &Limits) -> Result<Known, ProveError> {
        let numeration = self.set.numeration();
        let written: Vec<Vec<u8>> = position.iter().map(|n| digits(n, numeration)).collect();
        let is_p = accepts(&self.set, &written);
        if let (Some(rule), Some(table)) = (
            rule_of(self.game, self.convention),
            of_game::table_in_base(self.game, &self.set),
        ) {
            let mut winning = Vec::new();
            if !is_p {
                let word = word(&table, &written);
                for reply in replies(&rule, &table, &word) {
                    winning.push(of_word(&table, &reply.word));
                }
            }
            return Ok(known(true, is_p, winning));
        }
        let prover = Prover::new(self.game, numeration, limits)?;
        let is_position = accepts(&prover.domain, &written);
        let mut winning = Vec::new();
        if is_position && !is_p {
            for option in reply::replies(&prover, &self.set, &written)? {
                winning.push(option.iter().map(|n| number(n, numeration)).collect());
            }
        }
        Ok(known(is_position, is_p, winning))
    }
}

fn known(is_position: bool, is_p: bool, mut winning: Vec<Vec<BigUint>>) -> Known {
    winning.sort();
    winning.dedup();
    Known {
        is_position,
        is_p,
        winning,
    }
}

/// Returns whether a set contains the position that these digits write.
fn accepts(set: &Dfa, written: &[Vec<u8>]) -> bool {
    let numbers: Vec<_> = (0..).map(of_heap).zip(written.iter().cloned()).collect();
    set.accepts_digits(&numbers)
}

/// The letters that the digits of all heaps make together.
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

fn of_word(table: &TableDfa, word: &[usize]) -> Vec<BigUint> {
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
fn digits(number: &BigUint, numeration: Numeration) -> Vec<u8> {
    let zero = BigUint::ZERO;
    if *number == zero {
        return Vec::new();
    }
    match numeration {
        Numeration::Base(base) => number.to_radix_be(u32::from(base)),
        Numeration::Zeckendorf => {
            let mut weights = vec![BigUint::from(1_u8), BigUint::from(2_u8)];
            while weights[weights.len() - 1] <= *number {
                let next = &weights[weights.len() - 1] + &weights[weights.len() - 2];
                weights.push(next);
            }
            let mut rest = number.clone();
            let mut digits: Vec<u8> = Vec::with_capacity(weights.len());
            for weight in weights.iter().rev() {
                let fits = *weight <= rest;
                if fits {
                    rest -= weight;
                }
                digits.push(u8::from(fits));
            }
            let zeros = digits.iter().take_while(|digit| **digit == 0).count();
            digits.split_off(zeros)
        }
    }
}

fn number(digits: &[u8], numeration: Numeration) -> BigUint {
    match numeration {
        Numeration::Base(base) => {
            BigUint::from_radix_be(digits, u32::from(base)).unwrap_or_default()
        }
        Numeration::Zeckendorf => {
            let mut weights = (BigUint::from(1_u8), BigUint::from(2_u8));
            let mut sum = BigUint::ZERO;
            for digit in digits.iter().rev() {
                if *digit == 1 {
                    sum += &weights.0;
                }
                let next = &weights.0 + &weights.1;
                weights = (weights.1, next);
            }
            sum
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_write_numbers() {
        for numeration in [
            Numeration::Base(2),
            Numeration::Base(3),
            Numeration::Zeckendorf,
        ] {
            for size in (0..300_u32).chain([u32::MAX]) {
                let size = BigUint::from(size);
                let written = digits(&size, numeration);
                assert_ne!(written.first(), Some(&0));
                assert_eq!(number(&written, numeration), size);
            }
        }
        // 12 = 8 + 3 + 1
        let twelve = digits(&BigUint::from(12_u8), Numeration::Zeckendorf);
        assert_eq!(twelve, [1, 0, 1, 0, 1]);
    }
}
