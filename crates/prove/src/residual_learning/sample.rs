//! Complete samples: the outcome or the value of every position of a box.

use super::numbers::{INVALID, Numbers};
use nimrule_automata::Numeration;
use nimrule_engine::{self as engine, Outcome, Query, Question, SolveError, Solver};
use nimrule_limits::{LimitExceeded, Limits};
use std::rc::Rc;

/// The label of a tuple that is no position, and of an N-position.
pub const OUT: u32 = 0;

/// A label for every tuple of numbers of at most so many digits.
#[derive(Debug, Clone)]
pub struct Sample {
    pub numbers: Rc<Numbers>,
    /// How many numbers there are in a tuple.
    pub tracks: usize,
    /// In lexicographic order. Outcomes: 1 is P, all else 0. Values: v + 1 for
    /// the value v, 0 where there is none.
    pub labels: Vec<u32>,
}

impl Sample {
    /// Solves the box of all positions with numbers of at most so many digits.
    ///
    /// # Errors
    ///
    /// What the engine that solves it returns.
    pub fn solved(
        solver: &Solver<'_>,
        asked: Query,
        numbers: Rc<Numbers>,
        limits: &Limits,
    ) -> Result<Sample, SolveError> {
        let tracks = solver.game.heap_count();
        let most = vec![numbers.side(numbers.digits) as u64 - 1; tracks];
        let count = engine::Shape::count(&most);
        limits
            .check_memory(count.saturating_mul(6))
            .map_err(SolveError::from)?;
        let table = engine::fill(solver, &most, asked, limits, None)?;
        // The table took its half of the time; what is read off it is soon done.
        limits.check_time().map_err(SolveError::from)?;
        let is_p = |place| u32::from(table.outcome(place) == Some(Outcome::P));
        let labels = match asked.question {
            Question::Outcome => (0..table.region.count()).map(is_p).collect(),
            Question::Grundy => (0..table.region.count())
                .map(|place| match table.grundy(place) {
                    Some(value) => u32::try_from(value + 1).unwrap_or(OUT),
                    None => OUT,
                })
                .collect(),
        };
        Ok(Sample {
            numbers,
            tracks,
            labels,
        })
    }

    /// The same tuples with a further number: the label is 1 if it is the value.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn with_value(&self, limits: &Limits) -> Result<Sample, LimitExceeded> {
        let side = self.numbers.side(self.numbers.digits);
        limits.check_memory(4 * self.labels.len() as u128 * side as u128)?;
        let mut labels = vec![OUT; self.labels.len() * side];
        for (place, value) in self.labels.iter().enumerate() {
            let value = *value as usize;
            if (1..=side).contains(&value) {
                labels[place * side + value - 1] = 1;
            }
        }
        Ok(Sample {
            numbers: self.numbers.clone(),
            tracks: self.tracks + 1,
            labels,
        })
    }

    pub fn numeration(&self) -> Numeration {
        self.numbers.numeration
    }

    pub fn digits(&self) -> usize {
        self.numbers.digits
    }

    /// The index of a tuple among those of at most so many digits.
    pub fn place(&self, tuple: &[u32], digits: usize) -> usize {
        let side = self.numbers.side(digits);
        tuple.iter().fold(0, |place, n| place * side + *n as usize)
    }

    /// Appends a letter to a tuple; `false` if it cannot follow.
    pub fn with(&self, tuple: &[u32], letter: &[u8], longer: &mut [u32]) -> bool {
        for ((number, digit), longer) in tuple.iter().zip(letter).zip(longer) {
            *longer = self.numbers.with(*number, usize::from(*digit));
            if *longer == INVALID {
                return false;
            }
        }
        true
    }

    /// The digits of every letter, numbered as in a table: the digit of the first
    /// track has the least weight.
    pub fn letters(&self) -> Vec<Vec<u8>> {
        let radix = self.numeration().radix();
        let count = radix.pow(self.tracks as u32);
        let digits = |mut letter: usize| {
            let digit = |_| {
                let digit = (letter % radix) as u8;
                letter /= radix;
                digit
            };
            (0..self.tracks).map(digit).collect()
        };
        (0..count).map(digits).collect()
    }

    /// Visits every tuple of at most so many digits, in order.
    pub fn each(
        &self,
        digits: usize,
        mut visit: impl FnMut(usize, &[u32]) -> Result<(), LimitExceeded>,
    ) -> Result<(), LimitExceeded> {
        let side = self.numbers.side(digits) as u32;
        let mut tuple = vec![0; self.tracks];
        let mut place = 0;
        loop {
            visit(place, &tuple)?;
            place += 1;
            let Some(last) = tuple.iter().rposition(|number| number + 1 < side) else {
                return Ok(());
            };
            tuple[last] += 1;
            tuple[last + 1..].fill(0);
        }
    }
}

/// Outcomes, or values, in normal or misere play.
pub fn asked(question: Question, convention: nimrule_model::game::Convention) -> Query {
    Query {
        question,
        convention,
    }
}
