//! Clauses over the digits of a few heaps as the table of a minimal automaton.

use super::{before, too_large};
use crate::atom::{Clause, Variable};
use crate::automaton::{ClauseAutomaton, States};
use crate::{Numeration, Unsupported, VerifyError};
use nimrule_limits::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// A minimal complete automaton. A letter has the digits of each heap before and after.
pub struct Table {
    pub start: usize,
    pub accepts: Vec<bool>,
    /// Whether some word leads to acceptance.
    pub is_open: Vec<bool>,
    next: Vec<Vec<usize>>,
    base: u8,
    heaps: usize,
}

/// The largest number of entries of a table.
const MOST_ENTRIES: usize = 1 << 21;

/// A clause, by its index, and the state of its automaton.
type Run = (usize, States);

impl Table {
    /// The table of the moves of a rule: heaps that a clause does not touch stay.
    pub fn of_moves(
        clauses: &[Clause],
        heaps: usize,
        base: u8,
        limits: &Limits,
    ) -> Result<Table, VerifyError> {
        Table::new(clauses, heaps, base, limits)
    }

    /// The table of a condition on one heap, which is read before the move.
    pub fn of_heap(clauses: &[Clause], base: u8, limits: &Limits) -> Result<Table, VerifyError> {
        Table::new(clauses, 1, base, limits)
    }

    fn new(
        clauses: &[Clause],
        heaps: usize,
        base: u8,
        limits: &Limits,
    ) -> Result<Table, VerifyError> {
        let numeration = Numeration::Base(base);
        let automata = clauses
            .iter()
            .map(|clause| ClauseAutomaton::new(clause, heaps, numeration));
        let automata = automata.collect::<Result<Vec<_>, Unsupported>>()?;
        let letters = usize::from(base).pow(2 * heaps as u32);
        let mut start: BTreeSet<Run> = (0..)
            .zip(&automata)
            .map(|(at, of)| (at, of.start()))
            .collect();
        // Leading zeros have no effect.
        loop {
            let before = start.len();
            let zeros = step(&automata, &start, &vec![(0, 0); heaps], base);
            start.extend(zeros);
            if start.len() == before {
                break;
            }
        }
        let mut index = BTreeMap::from([(start.clone(), 0)]);
        let mut states = vec![start];
        let mut next: Vec<Vec<usize>> = Vec::new();
        while let Some(state) = states.get(next.len()).cloned() {
            let mut row = Vec::with_capacity(letters);
            for letter in 0..letters {
                limits.check_time()?;
                let after = step(&automata, &state, &digits(letter, heaps, base), base);
                let new = states.len();
                let place = *index.entry(after.clone()).or_insert(new);
                if place == new {
                    states.push(after);
                }
                row.push(place);
            }
            next.push(row);
            if states.len().saturating_mul(letters) > MOST_ENTRIES {
                too_large::<()>()?;
            }
        }
        let accepting =
            |state: &BTreeSet<Run>| state.iter().any(|(at, run)| automata[*at].accepts(run));
        let accepts = states.iter().map(accepting).collect();
        Ok(minimal(&next, accepts, base, heaps))
    }

    /// The state after a letter.
    pub fn after(&self, state: usize, letter: &[(u8, u8)]) -> usize {
        let base = usize::from(self.base);
        let mut index = 0;
        for heap in (0..self.heaps).rev() {
            let (before, after) = letter.get(heap).copied().unwrap_or((0, 0));
            index = (index * base + usize::from(after)) * base + usize::from(before);
        }
        self.next[state][index]
    }

    /// Whether a heap whose digits so far are equal before and after acts as an empty one.
    pub fn ignores_equal_digits(&self) -> bool {
        (0..self.heaps).all(|heap| {
            let mut seen = BTreeSet::from([self.start]);
            let mut open = vec![self.start];
            while let Some(state) = open.pop() {
                for letter in 0..self.next[state].len() {
                    let mut letter = digits(letter, self.heaps, self.base);
                    let (one, other) = letter[heap];
                    if one != other {
                        continue;
                    }
                    let after = self.after(state, &letter);
                    letter[heap] = (0, 0);
                    if after != self.after(state, &letter) {
                        return false;
                    }
                    if seen.insert(after) {
                        open.push(after);
                    }
                }
            }
            true
        })
    }

    /// Whether there is a move from every nonempty heap, if all others are empty: a search of
    /// the sets of states that the digits after the move can reach.
    pub fn moves_from_every_heap(&self, heaps: usize, base: u8) -> bool {
        let start = (BTreeSet::from([self.start]), false);
        let mut seen = BTreeSet::from([start.clone()]);
        let mut open = vec![start];
        let after = (0..usize::from(base).pow(heaps as u32)).map(|number| {
            let place = |heap: usize| number / usize::from(base).pow(heap as u32);
            (0..heaps)
                .map(|heap| (place(heap) % usize::from(base)) as u8)
                .collect::<Vec<u8>>()
        });
        let after: Vec<Vec<u8>> = after.collect();
        while let Some((states, is_nonempty)) = open.pop() {
            if is_nonempty && !states.iter().any(|state| self.accepts[*state]) {
                return false;
            }
            for digit in 0..base {
                let mut reached = BTreeSet::new();
                for state in &states {
                    for after in &after {
                        let letter = after.iter().enumerate();
                        let letter: Vec<(u8, u8)> = letter
                            .map(|(heap, after)| (if heap == 0 { digit } else { 0 }, *after))
                            .collect();
                        reached.insert(self.after(*state, &letter));
                    }
                }
                let next = (reached, is_nonempty || digit > 0);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        true
    }
}

/// The digits of a letter, before and after for each heap.
fn digits(letter: usize, heaps: usize, base: u8) -> Vec<(u8, u8)> {
    let base = usize::from(base);
    let mut rest = letter;
    let mut digit = || {
        let digit = rest % base;
        rest /= base;
        digit as u8
    };
    (0..heaps).map(|_| (digit(), digit())).collect()
}

/// The runs after a letter; the digits of the existential variables are guessed.
fn step(
    automata: &[ClauseAutomaton<'_>],
    runs: &BTreeSet<Run>,
    letter: &[(u8, u8)],
    base: u8,
) -> BTreeSet<Run> {
    let heaps = letter.len();
    let mut found = BTreeSet::new();
    for (at, run) in runs {
        let automaton = &automata[*at];
        let touched = &automaton.clause.touched;
        let mut states = run.clone();
        automaton.begin_letter(&mut states);
        let is_possible = letter.iter().enumerate().all(|(heap, (old, new))| {
            automaton.read_digit(&mut states, before(heap), *old);
            match touched.contains(&heap) {
                true => automaton.read_digit(&mut states, Variable::After(heap), *new),
                false if old != new => return false,
                false => {}
            }
            automaton.end_level(&mut states, heap)
        });
        if !is_possible {
            continue;
        }
        let mut guesses = vec![states];
        for (place, variable) in automaton.order.iter().enumerate() {
            let mut next = Vec::new();
            for states in guesses {
                for digit in 0..base {
                    let mut states = states.clone();
                    automaton.read_digit(&mut states, Variable::Some(*variable), digit);
                    if automaton.end_level(&mut states, heaps + place) {
                        next.push(states);
                    }
                }
            }
            guesses = next;
        }
        found.extend(guesses.into_iter().map(|states| (*at, states)));
    }
    found
}

/// The minimal automaton (Moore 1956). The start is state 0 of `next`.
fn minimal(next: &[Vec<usize>], accepts: Vec<bool>, base: u8, heaps: usize) -> Table {
    let mut class: Vec<usize> = accepts
        .iter()
        .map(|accepts| usize::from(*accepts))
        .collect();
    let mut count = 0;
    loop {
        let mut index = BTreeMap::new();
        let signature = |state: usize| {
            let after: Vec<usize> = next[state].iter().map(|after| class[*after]).collect();
            (class[state], after)
        };
        let refined: Vec<usize> = (0..next.len())
            .map(|state| {
                let new = index.len();
                *index.entry(signature(state)).or_insert(new)
            })
            .collect();
        class = refined;
        if index.len() == count {
            break;
        }
        count = index.len();
    }
    let mut rows = vec![Vec::new(); count];
    let mut accepting = vec![false; count];
    for (state, row) in next.iter().enumerate() {
        rows[class[state]] = row.iter().map(|after| class[*after]).collect();
        accepting[class[state]] = accepts[state];
    }
    let is_open = accepting
        .iter()
        .zip(rows.iter().enumerate())
        .map(|(accepts, (state, row))| *accepts || row.iter().any(|after| *after != state));
    Table {
        start: class[0],
        is_open: is_open.collect(),
        accepts: accepting,
        next: rows,
        base,
        heaps,
    }
}
