//! Clauses over the digits of a few heaps as the table of a minimal automaton.

use super::{before, too_large};
use crate::atom::{Clause, Variable};
use crate::automaton::{ClauseAutomaton, States};
use crate::{Numeration, VerifyError};
use nimrule_limits::{Limits, Steps};
use std::cmp::Ordering;
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

    /// The union of the tables of the clauses. Each is minimal before the next is added: sets of
    /// states of all clauses are many more.
    fn new(
        clauses: &[Clause],
        heaps: usize,
        base: u8,
        limits: &Limits,
    ) -> Result<Table, VerifyError> {
        let letters = letters(heaps, base);
        if letters > MOST_ENTRIES {
            too_large::<()>()?;
        }
        let mut union = minimal(&[vec![0; letters]], vec![false], base, heaps);
        for clause in clauses {
            let next = Table::of_clause(clause, heaps, base, limits)?;
            union = union.or(&next, limits)?;
        }
        Ok(union)
    }

    fn of_clause(
        clause: &Clause,
        heaps: usize,
        base: u8,
        limits: &Limits,
    ) -> Result<Table, VerifyError> {
        let automaton = ClauseAutomaton::new(clause, heaps, Numeration::Base(base))?;
        let letters = letters(heaps, base);
        let after = |runs: &BTreeSet<States>| -> Result<Vec<BTreeSet<States>>, VerifyError> {
            let mut row = vec![BTreeSet::new(); letters];
            for run in runs {
                limits.check_work(Steps(1))?;
                let mut states = run.clone();
                automaton.begin_letter(&mut states);
                read_heap(&automaton, states, (0, heaps, base), (0, 1), &mut row);
            }
            Ok(row)
        };
        let mut start = BTreeSet::from([automaton.start()]);
        // Leading zeros have no effect.
        loop {
            let before = start.len();
            start.extend(after(&start)?.swap_remove(0));
            if start.len() == before {
                break;
            }
        }
        let accepts = |runs: &BTreeSet<States>| runs.iter().any(|run| automaton.accepts(run));
        explored(start, after, accepts, (heaps, base))
    }

    fn or(&self, other: &Table, limits: &Limits) -> Result<Table, VerifyError> {
        let after = |(one, two): &(usize, usize)| -> Result<Vec<(usize, usize)>, VerifyError> {
            limits.check_work(Steps(1))?;
            let both = self.next[*one].iter().zip(&other.next[*two]);
            Ok(both.map(|(one, two)| (*one, *two)).collect())
        };
        let accepts = |(one, two): &(usize, usize)| self.accepts[*one] || other.accepts[*two];
        let start = (self.start, other.start);
        explored(start, after, accepts, (self.heaps, self.base))
    }

    /// The state after a letter. Heaps that are not in it are empty.
    pub fn after(&self, state: usize, letter: impl IntoIterator<Item = (u8, u8)>) -> usize {
        let base = usize::from(self.base);
        let (mut index, mut place) = (0, 1);
        for (before, after) in letter {
            index += place * (usize::from(before) + base * usize::from(after));
            place *= base * base;
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
                    let after = self.after(state, letter.iter().copied());
                    letter[heap] = (0, 0);
                    if after != self.after(state, letter) {
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

    /// Whether a word that is accepted makes a heap larger.
    pub fn raises_a_heap(&self) -> bool {
        (0..self.heaps).any(|heap| {
            let start = (self.start, Ordering::Equal);
            let mut seen = BTreeSet::from([start]);
            let mut open = vec![start];
            while let Some((state, change)) = open.pop() {
                if self.accepts[state] && change == Ordering::Greater {
                    return true;
                }
                for (index, after) in self.next[state].iter().enumerate() {
                    let (old, new) = digits(index, self.heaps, self.base)[heap];
                    let next = (*after, change.then(new.cmp(&old)));
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
            false
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
                        let letter =
                            letter.map(|(heap, after)| (if heap == 0 { digit } else { 0 }, *after));
                        reached.insert(self.after(*state, letter));
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

/// The number of letters.
fn letters(heaps: usize, base: u8) -> usize {
    usize::from(base).saturating_pow(2 * heaps as u32)
}

/// The minimal automaton of the states that are reached from a start.
fn explored<S: Clone + Ord>(
    start: S,
    after: impl Fn(&S) -> Result<Vec<S>, VerifyError>,
    accepts: impl Fn(&S) -> bool,
    (heaps, base): (usize, u8),
) -> Result<Table, VerifyError> {
    let mut index = BTreeMap::from([(start.clone(), 0)]);
    let mut states = vec![start];
    let mut next: Vec<Vec<usize>> = Vec::new();
    while let Some(state) = states.get(next.len()) {
        let row = after(state)?.into_iter().map(|after| {
            let new = states.len();
            *index.entry(after).or_insert_with_key(|after| {
                states.push(after.clone());
                new
            })
        });
        next.push(row.collect());
        if states.len().saturating_mul(letters(heaps, base)) > MOST_ENTRIES {
            too_large::<()>()?;
        }
    }
    let accepts = states.iter().map(accepts).collect();
    Ok(minimal(&next, accepts, base, heaps))
}

/// Adds the states after each letter that begins with the digits that have been read: those of
/// the heaps before `heap`, which make up `index`.
fn read_heap(
    automaton: &ClauseAutomaton<'_>,
    states: States,
    (heap, heaps, base): (usize, usize, u8),
    (index, place): (usize, usize),
    row: &mut [BTreeSet<States>],
) {
    if heap == heaps {
        guess(automaton, states, 0, (heaps, base), &mut row[index]);
        return;
    }
    let is_touched = automaton.clause.touched.contains(&heap);
    for old in 0..base {
        let mut read = states.clone();
        automaton.read_digit(&mut read, before(heap), old);
        for new in 0..base {
            if !is_touched && old != new {
                continue;
            }
            let mut states = read.clone();
            if is_touched {
                automaton.read_digit(&mut states, Variable::After(heap), new);
            }
            if automaton.end_level(&mut states, heap) {
                let digits = usize::from(old) + usize::from(base) * usize::from(new);
                let longer = (
                    index + place * digits,
                    place * usize::from(base) * usize::from(base),
                );
                read_heap(automaton, states, (heap + 1, heaps, base), longer, row);
            }
        }
    }
}

/// Adds the states at the end of a letter: the digits of the existential variables from one on
/// are guessed.
fn guess(
    automaton: &ClauseAutomaton<'_>,
    states: States,
    from: usize,
    (heaps, base): (usize, u8),
    found: &mut BTreeSet<States>,
) {
    let Some(variable) = automaton.order.get(from) else {
        found.insert(states);
        return;
    };
    for digit in 0..base {
        let mut states = states.clone();
        automaton.read_digit(&mut states, Variable::Some(*variable), digit);
        if automaton.end_level(&mut states, heaps + from) {
            guess(automaton, states, from + 1, (heaps, base), found);
        }
    }
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
