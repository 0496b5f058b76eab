//! Complete samples: the outcome or the Grundy value of every position of a box,
//! indexed by prefixes of digits.
//!
//! A prefix of digits is represented by its number ([`Numbers`]), because the
//! number determines which digits can follow. In a base, the digit d after the
//! number x makes `base·x + d`. In an Ostrowski numeration the digits of x are
//! shifted, and only 0 can follow the largest digit.
//!
//! If all heaps are interchangeable, a sample may have the positions in ascending order of their
//! heaps only ([`Tuples`]): few of a box with many heaps. A prefix of a tuple in ascending order is
//! in ascending order, too.

use nimrule_automata::Numeration;
use nimrule_engine::{
    self as engine, Outcome, Query, Question, SolveError, Solver, SortedTuples, sorted_outcomes,
};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use smallvec::SmallVec;
use std::rc::Rc;

/// The result of appending a digit that cannot follow.
pub const INVALID: u32 = u32::MAX;

/// The numbers below a size, as prefixes.
#[derive(Debug, Clone)]
pub struct Numbers {
    /// The numeration system.
    pub numeration: Numeration,
    /// The most digits such that all numbers with so many are below the size.
    pub digits: usize,
    /// `sides[k]` is the number of prefixes that stay below the size whatever k digits
    /// follow. They are the numbers below `sides[k]`.
    sides: Vec<usize>,
    /// `longer[number · radix + digit]` is the number with a digit appended, if it is below
    /// the size.
    longer: Vec<u32>,
    /// The number of digits of each number.
    lengths: Vec<u8>,
    /// Each number without its last digit, and that digit.
    shorter: Vec<(u32, u8)>,
}

/// The number of numbers with at most `digits` digits; `None` if it exceeds 32 bits.
pub fn count(numeration: Numeration, digits: usize) -> Option<usize> {
    let (mut count, mut before) = (1_usize, 1_usize);
    for _ in 0..digits {
        let next = match numeration {
            Numeration::Base(_) => count.checked_mul(numeration.radix())?,
            Numeration::Ostrowski(quotient) => count
                .checked_mul(usize::from(quotient))?
                .checked_add(before)?,
        };
        before = std::mem::replace(&mut count, next);
    }
    u32::try_from(count).ok().filter(|count| *count < INVALID)?;
    Some(count)
}

/// The most digits such that all numbers with so many are below a size.
pub fn digits_below(numeration: Numeration, size: usize) -> usize {
    let fits = |digits: &usize| count(numeration, *digits).is_some_and(|count| count <= size);
    (0..).take_while(fits).last().unwrap_or(0)
}

/// The largest number of prefixes that stay below a size whatever digit follows.
fn shorter_side(numeration: Numeration, size: usize) -> usize {
    // The number y with a 0 appended is the least after all those with y - 1 before.
    let fits = |prefixes: usize| {
        let after = with_each_digit(numeration, prefixes as u64);
        after.is_some_and(|after| after[0] as usize <= size)
    };
    let (mut fitting, mut end) = (0, size + 1);
    while fitting + 1 < end {
        let middle = usize::midpoint(fitting, end);
        match fits(middle) {
            true => fitting = middle,
            false => end = middle,
        }
    }
    fitting
}

/// The number of numbers between two checks of the limits.
const BETWEEN_CHECKS: u64 = 1 << 16;

impl Numbers {
    /// Returns the numbers with at most `digits` digits; `None` if there are too
    /// many.
    pub fn new(numeration: Numeration, digits: usize) -> Option<Numbers> {
        let unlimited = Limits::of_memory(u64::MAX);
        Numbers::below(numeration, count(numeration, digits)?, &unlimited).ok()?
    }

    /// Returns the numbers below a size; `None` if there are too many.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn below(
        numeration: Numeration,
        size: usize,
        limits: &Limits,
    ) -> Result<Option<Numbers>, LimitExceeded> {
        if u32::try_from(size).is_err() || size == 0 {
            return Ok(None);
        }
        let mut sides = vec![size];
        while let Some(last) = sides.last()
            && let next = shorter_side(numeration, *last)
            && next > 0
            && next < *last
        {
            sides.push(next);
        }
        limits.check_memory(14 * size as u128)?;
        let mut longer = Vec::new();
        let mut shorter = vec![(0, 0); size];
        let mut lengths = vec![0_u8; size];
        for number in 0..size as u64 {
            if number % BETWEEN_CHECKS == 0 {
                limits.check_work(Steps(500))?;
            }
            let Some(after) = with_each_digit(numeration, number) else {
                return Ok(None);
            };
            if after[0] as usize >= size {
                break;
            }
            for (digit, mut after) in (0..).zip(after) {
                match shorter.get_mut(after as usize) {
                    Some(of) => {
                        *of = (number as u32, digit);
                        let is_zero = number == 0 && digit == 0;
                        lengths[after as usize] = lengths[number as usize] + u8::from(!is_zero);
                    }
                    None => after = INVALID,
                }
                longer.push(after);
            }
        }
        Ok(Some(Numbers {
            numeration,
            digits: digits_below(numeration, size),
            sides,
            longer,
            lengths,
            shorter,
        }))
    }

    /// The number of prefixes that stay below the size whatever `depth` digits follow.
    pub fn side(&self, depth: usize) -> usize {
        self.sides.get(depth).copied().unwrap_or(0)
    }

    /// The most digits that may follow a prefix below the size, whatever they are.
    fn depth(&self, number: u32) -> usize {
        let sides = self.sides.iter();
        sides.take_while(|side| (number as usize) < **side).count() - 1
    }

    /// The number with a digit appended; `u32::MAX` if the digit cannot follow or the
    /// number is not below the size.
    pub fn with(&self, number: u32, digit: usize) -> u32 {
        let place = number as usize * self.numeration.radix() + digit;
        self.longer.get(place).copied().unwrap_or(INVALID)
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

/// The tuples of a sample, and their order.
#[derive(Debug, Clone)]
pub enum Tuples {
    /// All, in lexicographic order.
    All,
    /// Those in ascending order, equal numbers allowed.
    Sorted(Rc<SortedTuples>),
}

impl Tuples {
    /// The number of tuples of this length of numbers below `side`.
    pub fn count(&self, length: usize, side: usize) -> usize {
        match self {
            Tuples::All => side.pow(length as u32),
            Tuples::Sorted(sorted) => sorted.count(side),
        }
    }

    /// The index of a tuple among those of numbers below `side`.
    pub fn place(&self, tuple: &[u32], side: usize) -> usize {
        match self {
            Tuples::All => tuple.iter().fold(0, |place, n| place * side + *n as usize),
            Tuples::Sorted(sorted) => sorted.place(tuple),
        }
    }

    /// Moves a tuple of numbers below `side` to the next one.
    fn advance(&self, tuple: &mut [u32], side: usize) {
        match self {
            Tuples::All => {
                let below = |number: &u32| (*number as usize) + 1 < side;
                if let Some(last) = tuple.iter().rposition(below) {
                    tuple[last] += 1;
                    tuple[last + 1..].fill(0);
                }
            }
            Tuples::Sorted(_) => SortedTuples::advance(tuple),
        }
    }

    /// Returns whether it has a tuple.
    fn has(&self, tuple: &[u32]) -> bool {
        match self {
            Tuples::All => true,
            Tuples::Sorted(_) => tuple.is_sorted(),
        }
    }
}

/// A label for every tuple of numbers below a size.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The numbers of the tuples.
    pub numbers: Rc<Numbers>,
    /// The length of the tuples.
    pub tracks: usize,
    /// Which tuples have labels.
    pub tuples: Tuples,
    /// The labels in the order of the tuples. For outcomes 1 is P and 0 all
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
        let side = numbers.side(0);
        Ok(SolvedBox::new(solver, asked, side, false, limits)?.sample(numbers))
    }

    /// The sample of tuples with one more number: the label is 1 if it is the Grundy
    /// value of the tuple.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    ///
    /// # Panics
    ///
    /// The sample has not all tuples.
    pub fn with_value(&self, limits: &Limits) -> Result<Sample, LimitExceeded> {
        assert!(matches!(self.tuples, Tuples::All));
        let side = self.numbers.side(0);
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
            tuples: Tuples::All,
            labels,
        })
    }

    /// The numeration system.
    pub fn numeration(&self) -> Numeration {
        self.numbers.numeration
    }

    /// The most digits such that all numbers with so many are in the sample.
    pub fn digits(&self) -> usize {
        self.numbers.digits
    }

    /// The most digits to which the residuals of some tuples are known.
    pub fn deepest(&self) -> usize {
        self.numbers.sides.len() - 1
    }

    /// The number of digits to which the residual of a tuple is known.
    pub fn depth(&self, tuple: &[u32]) -> usize {
        let depths = tuple.iter().map(|number| self.numbers.depth(*number));
        depths.min().unwrap_or(0)
    }

    /// The index of a tuple among those whose residuals are known to a depth.
    pub fn place(&self, tuple: &[u32], depth: usize) -> usize {
        self.tuples.place(tuple, self.numbers.side(depth))
    }

    /// The number of prefixes that some digit may follow so that the result is in the
    /// sample.
    pub fn prefixes(&self) -> usize {
        let last = self.numbers.shorter.last();
        last.map_or(0, |(before, _)| *before as usize + 1)
    }

    /// The tuple without the last digits, written to `shorter`; returns the number of the
    /// letter of these digits.
    pub fn without_last(&self, tuple: &[u32], shorter: &mut [u32]) -> usize {
        let radix = self.numeration().radix();
        let (mut letter, mut weight) = (0, 1);
        for (number, shorter) in tuple.iter().zip(shorter) {
            let digit;
            (*shorter, digit) = self.numbers.shorter[*number as usize];
            letter += usize::from(digit) * weight;
            weight *= radix;
        }
        letter
    }

    /// Writes the tuple with a letter appended to `longer`. Returns `false` if a digit
    /// cannot follow, or the result is not among the tuples.
    pub fn with(&self, tuple: &[u32], letter: &[u8], longer: &mut [u32]) -> bool {
        for ((number, digit), longer) in tuple.iter().zip(letter).zip(&mut *longer) {
            *longer = self.numbers.with(*number, usize::from(*digit));
            if *longer == INVALID {
                return false;
            }
        }
        self.tuples.has(longer)
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

    /// Calls `visit` with the index and the tuple for every tuple whose residual is known
    /// to a depth, in their order.
    ///
    /// # Errors
    ///
    /// The first error of `visit`.
    pub fn each(
        &self,
        depth: usize,
        visit: impl FnMut(usize, &[u32]) -> Result<(), LimitExceeded>,
    ) -> Result<(), LimitExceeded> {
        self.each_below(self.numbers.side(depth), visit)
    }

    /// Calls `visit` with the index and the tuple for every tuple of numbers below `side`,
    /// in their order.
    ///
    /// # Errors
    ///
    /// The first error of `visit`.
    pub fn each_below(
        &self,
        side: usize,
        mut visit: impl FnMut(usize, &[u32]) -> Result<(), LimitExceeded>,
    ) -> Result<(), LimitExceeded> {
        let mut tuple = vec![0; self.tracks];
        for place in 0..self.tuples.count(self.tracks, side) {
            visit(place, &tuple)?;
            self.tuples.advance(&mut tuple, side);
        }
        Ok(())
    }
}

/// All positions whose heaps are below a size, or those of them in ascending order, solved. The
/// numeration systems share it.
pub struct SolvedBox {
    /// What was asked of each position.
    pub asked: Query,
    /// The size that all heaps are below.
    pub side: usize,
    tracks: usize,
    solved: Solved,
}

/// The answers about a box.
enum Solved {
    All(engine::Table),
    /// Whether each position in ascending order is a P-position.
    Sorted(Rc<SortedTuples>, Vec<bool>),
}

impl SolvedBox {
    /// Solves all positions whose heaps are below `side`, or those in ascending order.
    ///
    /// # Errors
    ///
    /// The failure of the engine, or a limit is exceeded.
    ///
    /// # Panics
    ///
    /// Positions in ascending order are asked for where they are not solved on their own
    /// ([`engine::has_sorted_outcomes`]), or for other things than outcomes.
    pub fn new(
        solver: &Solver<'_>,
        asked: Query,
        side: usize,
        is_sorted: bool,
        limits: &Limits,
    ) -> Result<SolvedBox, SolveError> {
        let tracks = solver.game.heap_count();
        let solved = if is_sorted {
            assert_eq!(asked.question, Question::Outcome);
            let tuples = SortedTuples::new(tracks, side);
            let count = tuples.as_ref().map(|tuples| tuples.count(side) as u128);
            limits
                .check_memory(count.map_or(u128::MAX, |count| 6 * count))
                .map_err(SolveError::from)?;
            let tuples = tuples.expect("they are counted");
            let outcomes = sorted_outcomes(solver, &tuples, side, asked.convention, limits)?;
            Solved::Sorted(Rc::new(tuples), outcomes)
        } else {
            let most = vec![side as u64 - 1; tracks];
            let count = engine::Shape::count(&most);
            limits
                .check_memory(count.saturating_mul(6))
                .map_err(SolveError::from)?;
            Solved::All(engine::fill(solver, &most, asked, limits, None)?)
        };
        // Reading the table takes little time compared with solving it.
        limits.check_time().map_err(SolveError::from)?;
        Ok(SolvedBox {
            asked,
            side,
            tracks,
            solved,
        })
    }

    /// The sample of the positions whose heaps are among the numbers.
    ///
    /// # Panics
    ///
    /// The box has not all of them.
    pub fn sample(&self, numbers: Rc<Numbers>) -> Sample {
        let side = numbers.side(0);
        assert!(side <= self.side);
        let (tuples, labels) = match &self.solved {
            Solved::All(table) => (Tuples::All, self.labels(table, side)),
            Solved::Sorted(tuples, outcomes) => {
                let outcomes = outcomes[..tuples.count(side)].iter();
                let labels = outcomes.map(|is_p| u32::from(*is_p)).collect();
                (Tuples::Sorted(tuples.clone()), labels)
            }
        };
        Sample {
            tracks: self.tracks,
            numbers,
            tuples,
            labels,
        }
    }

    /// The labels of all positions whose heaps are below a side.
    fn labels(&self, table: &engine::Table, side: usize) -> Vec<u32> {
        let label = |place: usize| match self.asked.question {
            Question::Outcome => u32::from(table.outcome(place) == Some(Outcome::P)),
            Question::Grundy => match table.grundy(place) {
                Some(value) => u32::try_from(value + 1).unwrap_or(OUT),
                None => OUT,
            },
        };
        let mut labels = Vec::with_capacity(side.pow(self.tracks as u32));
        // The rows of the last heap are consecutive in the table.
        let rows = side.pow(self.tracks as u32 - 1);
        for row in 0..rows {
            let (mut first, mut rest, mut stride) = (0, row, self.side);
            for _ in 1..self.tracks {
                first += rest % side * stride;
                rest /= side;
                stride *= self.side;
            }
            labels.extend((first..first + side).map(label));
        }
        labels
    }
}

/// The request for a question under a convention.
pub fn request(question: Question, convention: nimrule_model::game::Convention) -> Query {
    Query {
        question,
        convention,
    }
}
