//! Hypotheses from complete samples.
//!
//! In a box of numbers below N, the residual of a tuple is known to depth k if its
//! numbers stay below N whatever k digits follow. For each depth, equal residuals have equal numbers
//! (*names*), computed from the longest tuples on. So two residuals are compared
//! by comparing two numbers.

use super::sample::{INVALID, OUT, Sample, Tuples};
use nimrule_automata::interner::Interner;
use nimrule_automata::table::Table;
use nimrule_automata::{Budget, Dfa, Numeration, Track};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An automaton learned from a sample. Its outputs on the sample are usually the
/// labels ([`Hypothesis::agrees`]); for all other tuples they are a guess.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// The numeration system of the tuples.
    pub numeration: Numeration,
    /// The transition table; state 0 is the start. The outputs are labels of
    /// [`Sample::labels`].
    pub table: Table<u32>,
    /// Whether it is about tuples in ascending order only, as its sample is.
    pub is_sorted: bool,
    /// The least depth to which residuals were compared.
    pub depth: usize,
}

/// The result of learning from a sample.
#[derive(Debug, Clone)]
pub struct LearnedFromSample {
    /// The hypothesis; `None` if new states appeared until the end of the box.
    pub hypothesis: Option<Hypothesis>,
    /// The number of states found.
    pub states: usize,
    /// The numbers of residuals that are new at prefix length 0, 1, 2, …, compared to
    /// half of the digits of the box.
    pub growth: Vec<usize>,
}

/// The names of all residuals.
struct Residuals {
    /// `names[k][i]` is the name of the residual to depth k + 1 of the tuple with the
    /// index i among those whose residuals are known to that depth.
    names: Vec<Vec<u32>>,
}

/// The number of tuples between two checks of the limits.
const BETWEEN_CHECKS: usize = 1 << 10;

impl Residuals {
    fn new(sample: &Sample, deepest: usize, limits: &Limits) -> Result<Residuals, LimitExceeded> {
        let letters = sample.letters();
        let mut names = Vec::with_capacity(deepest + 1);
        let mut longer = vec![0; sample.tracks];
        let mut block = Vec::with_capacity(letters.len() + 1);
        for depth in 1..=deepest.min(sample.deepest()) {
            let before: &[u32] = names
                .last()
                .map_or(&sample.labels, |names: &Vec<u32>| names);
            let mut known = Interner::new();
            let mut named = Vec::new();
            sample.each(depth, |place, tuple| {
                if place % BETWEEN_CHECKS == 0 {
                    limits.check_work(Steps(2400))?;
                    let held = 4 * (sample.labels.len() + named.capacity()) + known.bytes();
                    limits.check_memory(held as u128)?;
                }
                block.clear();
                // The label of the tuple, and the residuals after each letter.
                block.push(sample.labels[sample.place(tuple, 0)]);
                for letter in &letters {
                    block.push(match sample.with(tuple, letter, &mut longer) {
                        true => before[sample.place(&longer, depth - 1)],
                        false => INVALID,
                    });
                }
                named.push(known.insert(&block).0);
                Ok(())
            })?;
            names.push(named);
        }
        Ok(Residuals { names })
    }

    /// The name of the residual of a tuple to a depth.
    fn name(&self, sample: &Sample, tuple: &[u32], depth: usize) -> u32 {
        self.names[depth - 1][sample.place(tuple, depth)]
    }

    /// The numbers of residuals to a depth that are new at prefix length 0, 1, 2, ….
    fn new_by_length(&self, sample: &Sample, depth: usize) -> Result<Vec<usize>, LimitExceeded> {
        let mut first: Vec<usize> = Vec::new();
        sample.each(depth, |place, tuple| {
            let name = self.names[depth - 1][place] as usize;
            let length = length(sample, tuple);
            if name == first.len() {
                first.push(length);
            }
            first[name] = first[name].min(length);
            Ok(())
        })?;
        let mut counts = vec![0; sample.digits() - depth + 1];
        for length in first {
            // Only some of the longer tuples are in the sample.
            if let Some(count) = counts.get_mut(length) {
                *count += 1;
            }
        }
        Ok(counts)
    }
}

/// The number of digits of a tuple.
fn length(sample: &Sample, tuple: &[u32]) -> usize {
    let lengths = tuple.iter().map(|number| sample.numbers.length(*number));
    lengths.max().unwrap_or(0)
}

/// Counts the residuals to a depth that are new at prefix length 0, 1, 2, ….
///
/// # Errors
///
/// A limit is exceeded.
pub fn new_residuals(
    sample: &Sample,
    depth: usize,
    limits: &Limits,
) -> Result<Vec<usize>, LimitExceeded> {
    if depth == 0 || depth > sample.digits() {
        return Ok(Vec::new());
    }
    Residuals::new(sample, depth, limits)?.new_by_length(sample, depth)
}

/// Learns a hypothesis with at most `most` states.
///
/// # Errors
///
/// A limit is exceeded.
pub fn learn(
    sample: &Sample,
    most: usize,
    limits: &Limits,
) -> Result<LearnedFromSample, LimitExceeded> {
    let residuals = Residuals::new(sample, sample.deepest(), limits)?;
    let growth = match sample.digits() / 2 {
        0 => Vec::new(),
        depth => residuals.new_by_length(sample, depth)?,
    };
    let letters = sample.letters();
    let mut explorer = SampleExplorer {
        sample,
        letters: &letters,
        residuals,
        representatives: Vec::new(),
        known: BTreeMap::new(),
        depth: sample.deepest(),
    };
    let mut next = Vec::new();
    let mut longer = vec![0; sample.tracks];
    // The tuples to be explored, each after a state by a letter: those first whose
    // residuals are known to the most digits, and otherwise in the order of their number.
    let mut waiting = BinaryHeap::new();
    let mut number = 0;
    let start = vec![0; sample.tracks];
    waiting.push((sample.depth(&start), Reverse(number), start, None));
    let mut has_invalid = false;
    while let Some((depth, _, tuple, place)) = waiting.pop() {
        let known = explorer.representatives.len();
        let state = explorer.state(&tuple, depth);
        let is_new = explorer.representatives.len() > known;
        match (state, place) {
            (Some(state), Some(place)) => next[place] = state,
            (Some(_), None) => {}
            (None, _) => {
                return Ok(LearnedFromSample {
                    hypothesis: None,
                    states: known,
                    growth,
                });
            }
        }
        limits.check_work(Steps(1500))?;
        if !is_new {
            continue;
        }
        if known >= most {
            return Ok(LearnedFromSample {
                hypothesis: None,
                states: known,
                growth,
            });
        }
        for letter in &letters {
            number += 1;
            if sample.with(&tuple, letter, &mut longer) {
                let depth = sample.depth(&longer);
                if depth == 0 {
                    // Nothing is known of its residual: the box is too small.
                    return Ok(LearnedFromSample {
                        hypothesis: None,
                        states: known + 1,
                        growth,
                    });
                }
                waiting.push((depth, Reverse(number), longer.clone(), Some(next.len())));
            } else {
                has_invalid = true;
            }
            next.push(INVALID);
        }
    }
    let label = |tuple: &Vec<u32>| sample.labels[sample.place(tuple, 0)];
    let mut output: Vec<u32> = explorer.representatives.iter().map(label).collect();
    if has_invalid {
        // Invalid digits lead to a sink.
        let sink = output.len() as u32;
        output.push(OUT);
        next.extend(std::iter::repeat_n(sink, letters.len()));
        for to in &mut next {
            *to = if *to == INVALID { sink } else { *to };
        }
    }
    Ok(LearnedFromSample {
        states: output.len(),
        growth,
        hypothesis: Some(Hypothesis {
            numeration: sample.numeration(),
            table: Table {
                tracks: sample.tracks,
                base: sample.numeration().radix(),
                start: 0,
                output,
                next,
            },
            is_sorted: matches!(sample.tuples, Tuples::Sorted(_)),
            depth: explorer.depth,
        }),
    })
}

/// The most words after two tuples that are compared one by one.
const MOST_COMPARED: usize = 1 << 13;
/// With more states, residuals are compared by their names only.
const MOST_COMPARED_STATES: usize = 256;

/// The exploration of the prefixes of a sample.
struct SampleExplorer<'s> {
    sample: &'s Sample,
    letters: &'s [Vec<u8>],
    residuals: Residuals,
    /// The tuple that represents each state: the first with its residual.
    representatives: Vec<Vec<u32>>,
    /// The states with a residual of this depth and name.
    known: BTreeMap<(usize, u32), SmallVec<[u32; 2]>>,
    /// The least depth at which two residuals were found equal.
    depth: usize,
}

impl SampleExplorer<'_> {
    /// The state of a tuple whose residual is known to this depth, known or new; `None` at
    /// the end of the box.
    fn state(&mut self, tuple: &[u32], depth: usize) -> Option<u32> {
        if depth == 0 {
            return None;
        }
        let name = self.residuals.name(self.sample, tuple, depth);
        // The residual may be known further for some of the letters.
        let letters = self.letters.len().checked_pow(depth as u32 + 1);
        let is_checked = letters.is_some_and(|letters| letters <= MOST_COMPARED)
            && self.representatives.len() <= MOST_COMPARED_STATES;
        let candidates = self.known.get(&(depth, name));
        let state = candidates.and_then(|states| {
            states.iter().copied().find(|state| {
                !is_checked || self.may_be_equal(&self.representatives[*state as usize], tuple)
            })
        });
        if let Some(state) = state {
            self.depth = self.depth.min(depth);
            return Some(state);
        }
        let state = self.representatives.len() as u32;
        self.representatives.push(tuple.to_vec());
        for less in 1..=depth {
            let name = self.residuals.name(self.sample, tuple, less);
            self.known.entry((less, name)).or_default().push(state);
        }
        Some(state)
    }

    /// Returns whether the residuals of two tuples agree as far as both are known, also
    /// after letters that keep them in the sample while others do not.
    fn may_be_equal(&self, one: &[u32], other: &[u32]) -> bool {
        if one == other {
            return true;
        }
        let sample = self.sample;
        if sample.labels[sample.place(one, 0)] != sample.labels[sample.place(other, 0)] {
            return false;
        }
        let (mut one_after, mut other_after) = (one.to_vec(), other.to_vec());
        self.letters.iter().all(|letter| {
            !sample.with(one, letter, &mut one_after)
                || !sample.with(other, letter, &mut other_after)
                || self.may_be_equal(&one_after, &other_after)
        })
    }
}

impl Hypothesis {
    /// The number of states.
    pub fn states(&self) -> usize {
        self.table.states()
    }

    /// Returns whether the outputs are the labels of a sample.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn agrees(&self, sample: &Sample, limits: &Limits) -> Result<bool, LimitExceeded> {
        // The state of each tuple that a digit may follow; a shorter tuple is smaller.
        let mut shorter = vec![0; sample.tracks];
        let letters = self.table.letters();
        let side = sample.prefixes();
        let mut states: Vec<u32> = Vec::with_capacity(sample.tuples.count(sample.tracks, side));
        sample.each_below(side, |place, tuple| {
            if place % BETWEEN_CHECKS == 0 {
                limits.check_time()?;
            }
            let letter = sample.without_last(tuple, &mut shorter);
            let before = match sample.tuples.place(&shorter, side) {
                before if before == place => self.table.start,
                before => states[before],
            };
            states.push(self.table.next[before as usize * letters + letter]);
            Ok(())
        })?;
        let mut fits = true;
        sample.each(0, |place, tuple| {
            if place % BETWEEN_CHECKS == 0 {
                limits.check_time()?;
            }
            let letter = sample.without_last(tuple, &mut shorter);
            let before = states[sample.tuples.place(&shorter, side)];
            let to = self.table.next[before as usize * letters + letter];
            fits &= self.table.output[to as usize] == sample.labels[place];
            Ok(())
        })?;
        Ok(fits)
    }

    /// The hypothesis about tuples in any order: each has the output of the same numbers in
    /// ascending order.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn in_any_order(&self, limits: &Limits) -> Result<Hypothesis, LimitExceeded> {
        match self.is_sorted {
            false => Ok(self.clone()),
            true => Ok(Hypothesis {
                table: self.table.in_any_order(|| limits.check_time())?,
                is_sorted: false,
                ..self.clone()
            }),
        }
    }

    /// The minimal automaton with the same outputs.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn minimised(&self, limits: &Limits) -> Result<Hypothesis, LimitExceeded> {
        Ok(Hypothesis {
            table: self.table.minimised(|| limits.check_time())?,
            ..self.clone()
        })
    }

    /// The outputs other than 0, ascending.
    pub fn outputs(&self) -> Vec<u32> {
        let mut all = self.table.output.clone();
        all.sort_unstable();
        all.dedup();
        all.retain(|output| *output != OUT);
        all
    }

    /// The minimal automaton of the tuples whose output is wanted, on these tracks.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn set(
        &self,
        tracks: &[Track],
        is_wanted: impl Fn(u32) -> bool,
        budget: &Budget,
    ) -> Result<Dfa, LimitExceeded> {
        let table = self.table.with_outputs(|output| is_wanted(*output));
        table.dfa(tracks, self.numeration).normalised(budget)
    }
}
