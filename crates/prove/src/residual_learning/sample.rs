//! Complete samples: the outcome or the Grundy value of every position of a box,
//! indexed by prefixes of digits.
//!
//! A prefix of digits is represented by its number ([`Numbers`]), because the
//! number determines which digits can follow. In a base, the digit d after the
//! number x makes `base·x + d`. In an Ostrowski numeration the digits of x are
//! shifted, and only 0 can follow the largest digit.

use nimrule_automata::Numeration;
use nimrule_engine::{self as engine, Outcome, Query, Question, SolveError, Solver};
use nimrule_limits::{LimitExceeded, Limits};
use smallvec::SmallVec;
use std::rc::Rc;

/// The result of appending a digit that cannot follow.
pub const INVALID: u32 = u32::MAX;

/// The numbers with a bounded number of digits, as prefixes.
#[derive(Debug, Clone)]
pub struct Numbers {
    /// The numeration system.
    pub numeration: Numeration,
    /// The most digits.
    pub digits: usize,
    /// `sides[d]` is the number of numbers with at most d digits. They are the
    /// numbers below `sides[d]`.
    sides: Vec<usize>,
    /// `longer[number · radix + digit]` is the number with a digit appended.
    longer: Vec<u32>,
    /// The number of digits of each number.
    lengths: Vec<u8>,
}

/// The numbers of numbers with at most 0, 1, 2, … digits; `None` if they exceed 32
/// bits.
fn sides(numeration: Numeration, digits: usize) -> Option<Vec<usize>> {
    let mut sides = vec![1_usize];
    let mut before = 1_usize;
    for _ in 0..digits {
        let last = *sides.last()?;
        let next = match numeration {
            Numeration::Base(_) => last.checked_mul(numeration.radix())?,
            Numeration::Ostrowski(quotient) => last
                .checked_mul(usize::from(quotient))?
                .checked_add(before)?,
        };
        before = last;
        sides.push(next);
    }
    let count = *sides.last()?;
    u32::try_from(count).ok().filter(|count| *count < INVALID)?;
    Some(sides)
}

/// The number of numbers with at most `digits` digits; `None` if it exceeds 32 bits.
pub fn count(numeration: Numeration, digits: usize) -> Option<usize> {
    sides(numeration, digits)?.last().copied()
}

/// The number of numbers between two checks of the limits.
const BETWEEN_CHECKS: u64 = 1 << 16;

impl Numbers {
    /// Returns the numbers with at most `digits` digits; `None` if there are too
    /// many.
    pub fn new(numeration: Numeration, digits: usize) -> Option<Numbers> {
        let unlimited = Limits::of_memory(u64::MAX);
        Numbers::with_limits(numeration, digits, &unlimited).ok()?
    }

    /// Like [`Numbers::new`], within limits.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn with_limits(
        numeration: Numeration,
        digits: usize,
        limits: &Limits,
    ) -> Result<Option<Numbers>, LimitExceeded> {
        let Some(sides) = sides(numeration, digits) else {
            return Ok(None);
        };
        let radix = numeration.radix();
        let count = sides[digits];
        let shorter = sides[digits.saturating_sub(1)];
        limits.check_memory(count as u128 + 4 * shorter as u128 * radix as u128)?;
        let mut lengths = vec![0; count];
        for length in 1..=digits {
            let Ok(digits) = u8::try_from(length) else {
                return Ok(None);
            };
            lengths[sides[length - 1]..sides[length]].fill(digits);
        }
        let mut longer = Vec::with_capacity(shorter * radix);
        for number in 0..shorter as u64 {
            if number % BETWEEN_CHECKS == 0 {
                limits.check_time()?;
            }
            let Some(after) = with_each_digit(numeration, number) else {
                return Ok(None);
            };
            longer.extend(after);
        }
        Ok(Some(Numbers {
            numeration,
            digits,
            sides,
            longer,
            lengths,
        }))
    }

    /// The number of numbers with at most `digits` digits.
    pub fn side(&self, digits: usize) -> usize {
        self.sides[digits]
    }

    /// The number with a digit appended; `u32::MAX` if the digit cannot follow.
    pub fn with(&self, number: u32, digit: usize) -> u32 {
        self.longer[number as usize * self.numeration.radix() + digit]
    }

    /// The number of digits of a number.
    pub fn length(&self, number: u32) -> usize {
        usize::from(self.lengths[number as usize])
    }
}

/// The number with each digit appended, or [`INVALID`]; `None` if one exceeds 32 bits.
fn with_each_digit(numeration: Numeration, number: u64) -> Option<SmallVec<[u32; 16]>> {
    let digits = 0..numeration.radix() as u8;
    let Numeration::Ostrowski(largest) = numeration else {
        let first = number * numeration.radix() as u64;
        return digits
            .map(|digit| u32::try_from(first + u64::from(digit)).ok())
            .collect();
    };
    let mut written = numeration.digits(number);
    let ends_in_largest = written.last() == Some(&largest);
    let mut after = SmallVec::new();
    for digit in digits {
        if digit > 0 && ends_in_largest {
            after.push(INVALID);
            continue;
        }
        written.push(digit);
        after.push(u32::try_from(numeration.number(&written)?).ok()?);
        written.pop();
    }
    Some(after)
}

/// The label of tuples that are no positions, and of N-positions.
pub const OUT: u32 = 0;

/// A label for every tuple of numbers with a bounded number of digits.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The numbers of the tuples.
    pub numbers: Rc<Numbers>,
    /// The length of the tuples.
    pub tracks: usize,
    /// The labels in lexicographic order of the tuples. For outcomes 1 is P and 0 all
    /// else; for Grundy values v + 1 is the value v, and 0 means no value.
    pub labels: Vec<u32>,
}

impl Sample {
    /// Solves all positions whose heaps are among the numbers.
    ///
    /// # Errors
    ///
    /// The failure of the engine, or a limit is exceeded.
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
        // Reading the table takes little time compared with solving it.
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

    /// The sample of tuples with one more number: the label is 1 if it is the Grundy
    /// value of the tuple.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
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

    /// The numeration system.
    pub fn numeration(&self) -> Numeration {
        self.numbers.numeration
    }

    /// The most digits of a number.
    pub fn digits(&self) -> usize {
        self.numbers.digits
    }

    /// The index of a tuple among the tuples of at most `digits` digits, in
    /// lexicographic order.
    pub fn place(&self, tuple: &[u32], digits: usize) -> usize {
        let side = self.numbers.side(digits);
        tuple.iter().fold(0, |place, n| place * side + *n as usize)
    }

    /// Writes the tuple with a letter appended to `longer`. Returns `false` if a digit
    /// cannot follow.
    pub fn with(&self, tuple: &[u32], letter: &[u8], longer: &mut [u32]) -> bool {
        for ((number, digit), longer) in tuple.iter().zip(letter).zip(longer) {
            *longer = self.numbers.with(*number, usize::from(*digit));
            if *longer == INVALID {
                return false;
            }
        }
        true
    }

    /// The digits of every letter, in the order of the letters of a table: the digit
    /// of the first track has the least weight.
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

    /// Calls `visit` with the index and the tuple for every tuple of at most `digits`
    /// digits, in lexicographic order.
    ///
    /// # Errors
    ///
    /// The first error of `visit`.
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

/// The request for a question under a convention.
pub fn request(question: Question, convention: nimrule_model::game::Convention) -> Query {
    Query {
        question,
        convention,
    }
}
