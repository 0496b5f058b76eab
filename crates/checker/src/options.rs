//! The options of single positions, for comparisons with other interpreters of
//! rules. No verification depends on this module.

use crate::atom::{Clause, Variable};
use crate::automaton::{ClauseAutomaton, States};
use crate::rule::Rule;
use crate::{Numeration, Unsupported};
use std::collections::BTreeSet;

impl Rule<'_> {
    /// Whether a list of heap sizes is a position of the game.
    ///
    /// # Errors
    ///
    /// If the digits of no numeration system decide the rule's comparisons.
    pub fn is_position(&self, position: &[u64]) -> Result<bool, Unsupported> {
        match &self.positions {
            None => Ok(true),
            Some(any) => self.some_holds(any, position),
        }
    }

    /// Whether an expression of the rule has no value at a position.
    ///
    /// # Errors
    ///
    /// As [`Rule::is_position`].
    pub fn faults_at(&self, position: &[u64]) -> Result<bool, Unsupported> {
        Ok(self.some_holds(&self.faults, position)?
            || self.some_holds(&self.faults_of_positions, position)?)
    }

    /// Whether a move leads from a position to another.
    ///
    /// # Errors
    ///
    /// As [`Rule::is_position`].
    pub fn is_option(&self, from: &[u64], to: &[u64]) -> Result<bool, Unsupported> {
        let found = self
            .transitions
            .iter()
            .map(|transition| self.ends(transition, from, Some(to)));
        let found: Result<Vec<_>, _> = found.collect();
        Ok(found?.iter().any(|ends| !ends.is_empty()) && self.is_position(to)?)
    }

    /// The options of a position.
    ///
    /// # Errors
    ///
    /// As [`Rule::is_position`], and if an option has a heap of 2^64 tokens or
    /// more.
    pub fn options(&self, position: &[u64]) -> Result<BTreeSet<Vec<u64>>, Unsupported> {
        let mut found = BTreeSet::new();
        for transition in &self.transitions {
            for option in self.ends(transition, position, None)? {
                if self.is_position(&option)? {
                    found.insert(option);
                }
            }
        }
        Ok(found)
    }

    /// Whether one of some clauses holds at a position.
    fn some_holds(&self, any: &[Clause], position: &[u64]) -> Result<bool, Unsupported> {
        for clause in any {
            if !self.ends(clause, position, None)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The options to which a clause leads from a position; only `to` if it is
    /// given.
    fn ends(
        &self,
        clause: &Clause,
        from: &[u64],
        to: Option<&[u64]>,
    ) -> Result<BTreeSet<Vec<u64>>, Unsupported> {
        let heaps = from.len();
        let changes = |heap: usize| to.is_some_and(|to| to[heap] != from[heap]);
        if (0..heaps).any(|heap| changes(heap) && !clause.touched.contains(&heap)) {
            return Ok(BTreeSet::new());
        }
        let bases = (2..=16).map(Numeration::Base);
        let mut numerations = bases.chain((1..=8).map(Numeration::Ostrowski));
        let fit = numerations.find(|base| ClauseAutomaton::new(clause, heaps, *base).is_ok());
        let numeration = fit.unwrap_or(Numeration::Base(2));
        let automaton = ClauseAutomaton::new(clause, heaps, numeration)?;
        let (radix, to) = (numeration.radix() as u8, to.unwrap_or(&[]));
        let letters = numeration.letters(&[from, to].concat());
        // The digits of the option so far as numbers, those numbers with every digit one
        // place lower, and the automaton's state.
        type Reached = BTreeSet<(Vec<[u64; 2]>, States)>;
        let read = |reached: &Reached, letter: Option<&Vec<u8>>| -> Result<Reached, Unsupported> {
            let digit = |place: usize| letter.map_or(0, |letter| letter[place]);
            let mut open: Vec<(Vec<[u64; 2]>, States)> = reached.iter().cloned().collect();
            open.iter_mut()
                .for_each(|(_, states)| automaton.begin_letter(states));
            for heap in 0..heaps {
                let touched = clause.touched.contains(&heap);
                let after = match (touched, to.is_empty()) {
                    (false, _) => digit(heap)..digit(heap) + 1,
                    (true, false) => digit(heaps + heap)..digit(heaps + heap) + 1,
                    (true, true) => 0..radix,
                };
                let mut next = Vec::new();
                for (option, states) in open {
                    for after in after.clone() {
                        let (mut option, mut states) = (option.clone(), states.clone());
                        option[heap] =
                            next_place(option[heap], after, numeration).ok_or_else(|| {
                                Unsupported::new("an option of 2^64 tokens", (0, 0).into())
                            })?;
                        automaton.read_digit(&mut states, Variable::Before(heap), digit(heap));
                        if touched {
                            automaton.read_digit(&mut states, Variable::After(heap), after);
                        }
                        next.push((option, states));
                    }
                }
                open = next;
                open.retain_mut(|(_, states)| automaton.end_level(states, heap));
                let order = automaton.order.iter().filter(|_| heap + 1 == heaps);
                for (at, index) in order.enumerate() {
                    let guesses = |(option, states): (Vec<[u64; 2]>, States)| {
                        let automaton = &automaton;
                        (0..radix).map(move |digit| {
                            let mut states = states.clone();
                            automaton.read_digit(&mut states, Variable::Some(*index), digit);
                            (option.clone(), states)
                        })
                    };
                    open = open.into_iter().flat_map(guesses).collect();
                    open.retain_mut(|(_, states)| automaton.end_level(states, heaps + at));
                }
            }
            Ok(open.into_iter().collect())
        };
        let mut reached = Reached::from([(vec![[0, 0]; heaps], automaton.start())]);
        // Options and existential variables may have more digits than the
        // position.
        loop {
            let more = read(&reached, None)?;
            if more.is_subset(&reached) {
                break;
            }
            reached.extend(more);
        }
        for letter in &letters {
            reached = read(&reached, Some(letter))?;
        }
        let ends = reached
            .into_iter()
            .filter(|(_, states)| automaton.accepts(states));
        let sizes = |option: Vec<[u64; 2]>| option.iter().map(|[size, _]| *size).collect();
        Ok(ends.map(|(option, _)| sizes(option)).collect())
    }
}

/// A number with one more digit: its value, and the value with every digit one place
/// lower, where the place below the lowest is worth 1.
fn next_place([size, lower]: [u64; 2], digit: u8, numeration: Numeration) -> Option<[u64; 2]> {
    let digit = u64::from(digit);
    Some(match numeration {
        Numeration::Base(base) => [size.checked_mul(base.into())?.checked_add(digit)?, 0],
        Numeration::Ostrowski(quotient) => {
            let more = size.checked_mul(quotient.into())?.checked_add(lower)?;
            [more.checked_add(digit)?, size.checked_add(digit)?]
        }
    })
}
