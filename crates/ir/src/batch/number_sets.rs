//! Tables of the numbers that a condition allows.
//!
//! A condition on the number taken from one heap depends on that number and on terms that
//! are evaluated before it, such as `sum(heaps)`. If these terms have few values, the set
//! of allowed numbers is computed once for each combination of their values that occurs:
//! the condition is evaluated in a batch whose lanes are the numbers.

use super::Batch;
use super::mask::{Bits, LANES, Mask, bits_of};
use super::prepared::Prepared;
use super::take::Step;
use super::value::Value;
use nimrule_model::expr::Slot;
use nimrule_model::expr::bounds::Interval;
use std::cell::Cell;
use std::rc::Rc;

/// A term that a condition reads, with its range.
pub(super) struct Term {
    pub slot: Slot,
    pub low: i64,
    /// The number of integers in the range.
    pub values: usize,
}

impl Term {
    /// A term in a local; `None` if its range is empty or has no bounds.
    pub fn of(slot: Slot, range: Interval) -> Option<Term> {
        let values = usize::try_from(range.high - range.low + 1).ok()?;
        let low = i64::try_from(range.low).ok()?;
        (values > 0).then_some(Term { slot, low, values })
    }
}

/// A set of numbers for each lane.
#[derive(Debug, Clone)]
pub struct NumberSets {
    words: usize,
    sets: Rc<[Cell<u64>]>,
    /// The index of each lane's set.
    index: Value,
}

impl NumberSets {
    /// The set of a lane, at least up to the largest number it can take: bit `i` of word
    /// `k` is the number `64 * (k + 1) - i`. The order within a word is that of the
    /// options, since a larger number leads to a lower place.
    #[inline]
    pub fn of_lane(&self, lane: usize) -> &[Cell<u64>] {
        let first = self.index.at(lane) as usize * self.words;
        &self.sets[first..first + self.words]
    }

    /// The numbers of a lane's set from `least` to `most` as the bits of words, by
    /// ascending word; see [`NumberSets::of_lane`].
    #[inline]
    pub fn between(
        &self,
        lane: usize,
        least: usize,
        most: usize,
    ) -> impl Iterator<Item = (usize, u64)> {
        let sets = self.of_lane(lane).iter().zip(0_usize..);
        let (first, words) = ((least - 1) / 64, most.div_ceil(64));
        sets.take(words).skip(first).map(move |(set, word)| {
            let (first, last) = (64 * word + 1, 64 * (word + 1));
            let not_above = u64::MAX << last.saturating_sub(most);
            let not_below = u64::MAX >> least.saturating_sub(first);
            (word, set.get() & not_above & not_below)
        })
    }
}

/// The sets of one condition.
pub(super) struct Table {
    words: usize,
    sets: Rc<[Cell<u64>]>,
    is_known: Box<[bool]>,
}

impl Table {
    /// An empty table, for heaps up to `most`, whose bytes are taken off a budget; `None` if
    /// the terms of the condition have no ranges, or the budget is too small.
    pub fn of(prepared: &Prepared, most: u64, budget: &mut usize) -> Option<Table> {
        let mut keys = 1_usize;
        for term in prepared.terms.as_ref()? {
            keys = keys.checked_mul(term.values)?;
        }
        let words = usize::try_from(most.div_ceil(64)).ok()?;
        let bytes = keys.checked_mul(words)?.checked_mul(size_of::<u64>())?;
        *budget = budget.checked_sub(bytes)?;
        Some(Table {
            words,
            sets: vec![Cell::new(0); keys * words].into(),
            is_known: vec![false; keys].into(),
        })
    }
}

impl Batch<'_> {
    /// The set of numbers that the condition of a step from one heap allows in each lane
    /// of `active`; `None` if its table would be too large.
    pub(super) fn number_sets(
        &mut self,
        step: &Step<'_>,
        prepared: &Prepared,
        active: &Mask,
    ) -> Option<NumberSets> {
        let terms = prepared.terms.as_deref()?;
        let index = terms.iter().try_fold(Value::Same(0), |index, term| {
            let above = self.locals[term.slot.index()].minus(&Value::Same(term.low), active)?;
            let before = index.times(&Value::Same(term.values as i64), active)?;
            before.plus(&above, active)
        })?;
        let mut table = self.conditions.tables[step.at.index()].take()?;
        match &index {
            Value::Same(index) => {
                let lane = active.span().start;
                self.complete(&mut table, *index as usize, step, prepared, lane);
            }
            Value::Each(each) => {
                for lane in active.lanes() {
                    let index = each.column[lane] as usize;
                    self.complete(&mut table, index, step, prepared, lane);
                }
            }
        }
        let sets = NumberSets {
            words: table.words,
            sets: Rc::clone(&table.sets),
            index,
        };
        self.conditions.tables[step.at.index()] = Some(table);
        Some(sets)
    }

    /// Computes the set of an index, that of a lane, if it is not known.
    #[inline]
    fn complete(
        &mut self,
        table: &mut Table,
        index: usize,
        step: &Step<'_>,
        prepared: &Prepared,
        lane: usize,
    ) {
        if !std::mem::replace(&mut table.is_known[index], true) {
            let sets = &table.sets[index * table.words..][..table.words];
            self.compute(sets, step, prepared, lane);
        }
    }

    /// Evaluates the condition for all numbers, with the terms of a lane.
    #[cold]
    fn compute(&mut self, sets: &[Cell<u64>], step: &Step<'_>, prepared: &Prepared, lane: usize) {
        let terms = prepared.terms.as_deref().unwrap_or_default();
        let of_lane = |term: &Term| {
            let local = &mut self.locals[term.slot.index()];
            let number = Value::Same(local.at(lane));
            std::mem::replace(local, number)
        };
        let before: Vec<Value> = terms.iter().map(of_lane).collect();
        let fallback = std::mem::replace(&mut self.fallback, Mask::none());
        const WORDS: usize = LANES / 64;
        for (chunk, sets) in sets.chunks(WORDS).enumerate() {
            let first = (chunk * LANES) as i64;
            let lanes = Mask::first(64 * sets.len());
            let numbers = Value::counting(0, 1, &lanes).plus(&Value::Same(first), &lanes);
            // INVARIANT: a heap of a box that is filled in batches fits a lane.
            let numbers = numbers.expect("a size fits a lane");
            if let Some(slot) = step.take.bound {
                self.locals[slot.index()] = numbers.clone();
            }
            self.amounts.clear();
            self.amounts.push(numbers);
            let allowed: Bits = bits_of(self.holds(&prepared.condition, &lanes).on());
            for (set, allowed) in sets.iter().zip(allowed) {
                set.set(allowed.reverse_bits());
            }
        }
        self.amounts.clear();
        self.fallback = fallback;
        for (term, before) in terms.iter().zip(before) {
            self.locals[term.slot.index()] = before;
        }
    }
}
