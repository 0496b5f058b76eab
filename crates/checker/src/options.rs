//! The options of single positions, for comparisons with other interpreters of
//! rules. No verification rests on them.

use crate::atom::{Clause, Variable};
use crate::machine::{Machine, States};
use crate::rule::Rule;
use crate::{Numeration, Unsupported};
use std::collections::BTreeSet;

impl Rule<'_> {
    /// Whether this is a position of the game.
    ///
    /// # Errors
    ///
    /// If no base has digits that decide the rule's comparisons.
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
        self.some_holds(&self.faults, position)
    }

    /// Whether a move leads from a position to another.
    ///
    /// # Errors
    ///
    /// As [`Rule::is_position`].
    pub fn is_option(&self, from: &[u64], to: &[u64]) -> Result<bool, Unsupported> {
        let found = self.ways.iter().map(|way| self.ends(way, from, Some(to)));
        let found: Result<Vec<_>, _> = found.collect();
        Ok(found?.iter().any(|ends| !ends.is_empty()) && self.is_position(to)?)
    }

    /// The options of a position.
    ///
    /// # Errors
    ///
    /// As [`Rule::is_position`], and where an option has heaps of 2^64 or more.
    pub fn options(&self, position: &[u64]) -> Result<BTreeSet<Vec<u64>>, Unsupported> {
        let mut found = BTreeSet::new();
        for way in &self.ways {
            for option in self.ends(way, position, None)? {
                if self.is_position(&option)? {
                    found.insert(option);
                }
            }
        }
        Ok(found)
    }

    fn some_holds(&self, any: &[Clause], position: &[u64]) -> Result<bool, Unsupported> {
        for clause in any {
            if !self.ends(clause, position, None)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What a clause makes of a position, all of it or only this option.
    fn ends(
        &self,
        clause: &Clause,
        from: &[u64],
        to: Option<&[u64]>,
    ) -> Result<BTreeSet<Vec<u64>>, Unsupported> {
        let heaps = from.len();
        let stays = |heap: &usize| to.is_some_and(|to| to[*heap] != from[*heap]);
        if (0..heaps)
            .filter(|heap| !clause.touched.contains(heap))
            .any(|heap| stays(&heap))
        {
            return Ok(BTreeSet::new());
        }
        let mut bases = (2..=16).map(Numeration::Base);
        let fit = bases.find(|base| Machine::new(clause, heaps, *base).is_ok());
        let numeration = fit.unwrap_or(Numeration::Base(2));
        let machine = Machine::new(clause, heaps, numeration)?;
        let (radix, to) = (numeration.radix() as u8, to.unwrap_or(&[]));
        let letters = numeration.letters(&[from, to].concat());
        // The option so far, and the states of the comparisons.
        type Reached = BTreeSet<(Vec<u64>, States)>;
        let read = |reached: &Reached, letter: Option<&Vec<u8>>| -> Result<Reached, Unsupported> {
            let digit = |place: usize| letter.map_or(0, |letter| letter[place]);
            let mut open: Vec<(Vec<u64>, States)> = reached.iter().cloned().collect();
            open.iter_mut()
                .for_each(|(_, states)| machine.begin(states));
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
                        let size = option[heap].checked_mul(radix.into());
                        let size = size.and_then(|size| size.checked_add(after.into()));
                        option[heap] = size.ok_or_else(|| {
                            Unsupported::new("an option of 2^64 tokens", (0, 0).into())
                        })?;
                        machine.feed(&mut states, Variable::Before(heap), digit(heap));
                        if touched {
                            machine.feed(&mut states, Variable::After(heap), after);
                        }
                        next.push((option, states));
                    }
                }
                open = next;
                for index in (0..clause.some).filter(|_| heap + 1 == heaps) {
                    let guesses = |(option, states): (Vec<u64>, States)| {
                        let machine = &machine;
                        (0..radix).map(move |digit| {
                            let mut states = states.clone();
                            machine.feed(&mut states, Variable::Some(index), digit);
                            (option.clone(), states)
                        })
                    };
                    open = open.into_iter().flat_map(guesses).collect();
                }
                open.retain_mut(|(_, states)| machine.end(states, heap));
            }
            Ok(open.into_iter().collect())
        };
        let mut reached = Reached::from([(vec![0; heaps], machine.start())]);
        // Options and existential variables may have more digits.
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
            .filter(|(_, states)| machine.accepts(states));
        Ok(ends.map(|(option, _)| option).collect())
    }
}
