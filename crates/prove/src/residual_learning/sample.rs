//! Complete samples: the outcome or the value of every position of a box.

use nimrule_automata::Numeration;
use nimrule_engine::{self as engine, Asked, Failure, Outcome, Question, Solver};
use nimrule_limits::{LimitExceeded, Limits};
use smallvec::SmallVec;
use std::rc::Rc;

/// In place of a number, after a digit that cannot follow.
pub const INVALID: u32 = u32::MAX;

/// All numbers of at most so many digits.
#[derive(Debug, Clone)]
pub struct Numbers {
    pub numeration: Numeration,
    /// The most digits.
    pub digits: usize,
    /// How many numbers have at most 0, 1, 2, … digits: these are the first.
    sides: Vec<usize>,
    /// At `number * radix + digit`, for the numbers of fewer digits.
    longer: Vec<u32>,
    lengths: Vec<u8>,
}

/// How many numbers have at most 0, 1, 2, … digits; `None` where they are too
/// many to be listed.
fn sides(numeration: Numeration, digits: usize) -> Option<Vec<usize>> {
    let mut sides = vec![1_usize];
    let mut before = 1_usize;
    for _ in 0..digits {
        let last = *sides.last()?;
        let next = match numeration {
            Numeration::Base(_) => last.checked_mul(numeration.radix())?,
            Numeration::Zeckendorf => last.checked_add(before)?,
        };
        before = last;
        sides.push(next);
    }
    let count = *sides.last()?;
    u32::try_from(count).ok().filter(|count| *count < INVALID)?;
    Some(sides)
}

/// How many numbers have at most so many digits; `None` where they are too many
/// to be listed.
pub fn count(numeration: Numeration, digits: usize) -> Option<usize> {
    sides(numeration, digits)?.last().copied()
}

/// Two looks at the limits are so many numbers apart.
const BETWEEN_LOOKS: u64 = 1 << 16;

impl Numbers {
    /// `None` if they are too many to be listed.
    pub fn new(numeration: Numeration, digits: usize) -> Option<Numbers> {
        let unlimited = Limits::of_memory(u64::MAX);
        Numbers::within(numeration, digits, &unlimited).ok()?
    }

    /// The same within limits.
    ///
    /// # Errors
    ///
    /// The limit that was met.
    pub fn within(
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
            if number % BETWEEN_LOOKS == 0 {
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

    /// How many numbers have at most so many digits.
    pub fn side(&self, digits: usize) -> usize {
        self.sides[digits]
    }

    /// The number with a further digit, or `INVALID`.
    pub fn with(&self, number: u32, digit: usize) -> u32 {
        self.longer[number as usize * self.numeration.radix() + digit]
    }

    /// How many digits a number has.
    pub fn length(&self, number: u32) -> usize {
        usize::from(self.lengths[number as usize])
    }
}

/// What each digit behind a number makes of it; `None` where that is no 32-bit
/// number.
fn with_each_digit(numeration: Numeration, number: u64) -> Option<SmallVec<[u32; 16]>> {
    let digits = 0..numeration.radix() as u8;
    if let Numeration::Base(_) = numeration {
        let first = number * numeration.radix() as u64;
        return digits
            .map(|digit| u32::try_from(first + u64::from(digit)).ok())
            .collect();
    }
    let mut written = numeration.digits(number);
    let ends_in_one = written.last() == Some(&1);
    let mut after = SmallVec::new();
    for digit in digits {
        if digit == 1 && ends_in_one {
            after.push(INVALID);
            continue;
        }
        written.push(digit);
        after.push(u32::try_from(numeration.number(&written)?).ok()?);
        written.pop();
    }
    Some(after)
}

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
        asked: Asked,
        numbers: Rc<Numbers>,
        limits: &Limits,
    ) -> Result<Sample, Failure> {
        let tracks = solver.game.heap_count();
        let most = vec![numbers.side(numbers.digits) as u64 - 1; tracks];
        let count = engine::Shape::count(&most);
        limits
            .check_memory(count.saturating_mul(6))
            .map_err(Failure::of_limit)?;
        let table = engine::fill(solver, &most, asked, limits, None)?;
        // The table took its half of the time; what is read off it is soon done.
        limits.check_time().map_err(Failure::of_limit)?;
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
pub fn asked(question: Question, convention: nimrule_model::game::Convention) -> Asked {
    Asked {
        question,
        convention,
    }
}
