//! Hypotheses from complete samples.
//!
//! In a box of numbers of at most D digits, the residual of a tuple of d digits is
//! known to depth D − d. For each depth, equal residuals have equal numbers
//! (*names*), computed from the longest tuples on. So two residuals are compared
//! by comparing two numbers.

use super::sample::{INVALID, OUT, Sample};
use nimrule_automata::interner::Interner;
use nimrule_automata::memo::Memo;
use nimrule_automata::table::Table;
use nimrule_automata::{Budget, Dfa, Numeration, Track};
use nimrule_limits::{LimitExceeded, Limits};

/// An automaton learned from a sample. Its outputs on the sample are usually the
/// labels ([`Hypothesis::agrees`]); for all other tuples they are a guess.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// The numeration system of the tuples.
    pub numeration: Numeration,
    /// The transition table; state 0 is the start. The outputs are labels of
    /// [`Sample::labels`].
    pub table: Table<u32>,
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
}

/// The names of all residuals.
struct Residuals {
    /// `names[k][i]` is the name of the residual to depth k + 1 of the tuple with the
    /// index i among those of at most D − k − 1 digits.
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
        for depth in 1..=deepest.min(sample.digits()) {
            let digits = sample.digits() - depth;
            let before: &[u32] = names
                .last()
                .map_or(&sample.labels, |names: &Vec<u32>| names);
            let mut known = Interner::new();
            let mut named = Vec::new();
            sample.each(digits, |place, tuple| {
                if place % BETWEEN_CHECKS == 0 {
                    limits.check_time()?;
                    let held = 4 * (sample.labels.len() + named.capacity()) + known.bytes();
                    limits.check_memory(held as u128)?;
                }
                block.clear();
                // The label of the tuple, and the residuals after each letter.
                block.push(sample.labels[sample.place(tuple, sample.digits())]);
                for letter in &letters {
                    block.push(match sample.with(tuple, letter, &mut longer) {
                        true => before[sample.place(&longer, digits + 1)],
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
        self.names[depth - 1][sample.place(tuple, sample.digits() - depth)]
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
    let residuals = Residuals::new(sample, depth, limits)?;
    let digits = sample.digits() - depth;
    let mut first: Vec<usize> = Vec::new();
    sample.each(digits, |place, tuple| {
        let name = residuals.names[depth - 1][place] as usize;
        let length = length(sample, tuple);
        if name == first.len() {
            first.push(length);
        }
        first[name] = first[name].min(length);
        Ok(())
    })?;
    let mut counts = vec![0; digits + 1];
    for length in first {
        counts[length] += 1;
    }
    Ok(counts)
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
    let residuals = Residuals::new(sample, sample.digits(), limits)?;
    let letters = sample.letters();
    let mut explorer = SampleExplorer {
        sample,
        residuals,
        representatives: Vec::new(),
        known: Memo::default(),
        depth: sample.digits(),
    };
    let mut next = Vec::new();
    let mut longer = vec![0; sample.tracks];
    let open = |explorer: &SampleExplorer<'_>| LearnedFromSample {
        hypothesis: None,
        states: explorer.representatives.len(),
    };
    explorer.state(&vec![0; sample.tracks]);
    let mut at = 0;
    let mut has_invalid = false;
    while let Some(representative) = explorer.representatives.get(at).cloned() {
        limits.check_time()?;
        for letter in &letters {
            if !sample.with(&representative, letter, &mut longer) {
                has_invalid = true;
                next.push(INVALID);
                continue;
            }
            match explorer.state(&longer) {
                Some(state) => next.push(state),
                None => return Ok(open(&explorer)),
            }
        }
        if explorer.representatives.len() > most {
            return Ok(open(&explorer));
        }
        at += 1;
    }
    let label = |tuple: &Vec<u32>| sample.labels[sample.place(tuple, sample.digits())];
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
        hypothesis: Some(Hypothesis {
            numeration: sample.numeration(),
            table: Table {
                tracks: sample.tracks,
                base: sample.numeration().radix(),
                start: 0,
                output,
                next,
            },
            depth: explorer.depth,
        }),
    })
}

/// The exploration of the prefixes of a sample.
struct SampleExplorer<'s> {
    sample: &'s Sample,
    residuals: Residuals,
    /// The tuple that represents each state: the first with its residual.
    representatives: Vec<Vec<u32>>,
    /// The first state with a residual of this depth and name.
    known: Memo<(usize, u32), u32>,
    /// The least depth at which two residuals were found equal.
    depth: usize,
}

impl SampleExplorer<'_> {
    /// The state of a tuple, known or new; `None` at the end of the box.
    fn state(&mut self, tuple: &[u32]) -> Option<u32> {
        let depth = self.sample.digits() - length(self.sample, tuple);
        if depth == 0 {
            return None;
        }
        let name = self.residuals.name(self.sample, tuple, depth);
        if let Some(state) = self.known.get(&(depth, name)) {
            self.depth = self.depth.min(depth);
            return Some(*state);
        }
        let state = self.representatives.len() as u32;
        self.representatives.push(tuple.to_vec());
        for less in 1..=depth {
            let name = self.residuals.name(self.sample, tuple, less);
            self.known.or_insert_with((less, name), || state);
        }
        Some(state)
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
        let letters = sample.letters();
        let mut longer = vec![0; sample.tracks];
        let mut states = vec![0_u32];
        for digits in 0..sample.digits() {
            let last = digits + 1 == sample.digits();
            let count = sample.numbers.side(digits + 1).pow(sample.tracks as u32);
            let mut after = if last { Vec::new() } else { vec![0; count] };
            let mut fits = true;
            sample.each(digits, |place, tuple| {
                if place % BETWEEN_CHECKS == 0 {
                    limits.check_time()?;
                }
                let row = states[place] as usize * letters.len();
                for (number, letter) in letters.iter().enumerate() {
                    if !sample.with(tuple, letter, &mut longer) {
                        continue;
                    }
                    let to = self.table.next[row + number];
                    let place = sample.place(&longer, digits + 1);
                    if last {
                        fits &= self.table.output[to as usize] == sample.labels[place];
                    } else {
                        after[place] = to;
                    }
                }
                Ok(())
            })?;
            if !fits {
                return Ok(false);
            }
            states = after;
        }
        Ok(true)
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
