//! Atoms: short atomic conditions on the entries of a row.

/// The relation of a sum to 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    Zero,
    AtMostZero,
    NotZero,
}

/// An atomic condition on the entries of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Atom {
    /// The weighted sum of the entries and the constant is in the relation to 0.
    Linear {
        weights: Vec<i64>,
        constant: i64,
        relation: Relation,
    },
    /// The digits of some entries in a base, added in each column modulo `modulus`,
    /// are those of `sum`, which has one digit. An entry may count several times.
    Carryless {
        entries: Vec<usize>,
        base: u64,
        modulus: u64,
        sum: u64,
    },
    /// The binary digits of sums and differences of entries, added in each column, are
    /// multiples of `modulus`. No difference is negative.
    CarrylessSums { terms: Vec<Term>, modulus: u64 },
    /// The nim-sum of the sums of these groups of entries is 0.
    NimSum { groups: Vec<Vec<usize>> },
    /// Each binary digit of the nim-sum of `inner` is also one of the nim-sum of `outer`.
    Within {
        inner: Vec<usize>,
        outer: Vec<usize>,
    },
    /// The sum of some entries is congruent to `rest`.
    Modulo {
        entries: Vec<usize>,
        modulus: u64,
        rest: u64,
    },
    /// The number of zeros at the end of the sum of some entries, in a base, is congruent to
    /// `rest`; a sum of 0, which has no such number, is accepted if `or_zero`.
    Zeros {
        entries: Vec<usize>,
        base: u64,
        modulus: u64,
        rest: u64,
        or_zero: bool,
    },
    /// The binary digits of the nim-sum of `digits` are all lower than those of the nim-sum
    /// of `above`. No difference is negative.
    Lower { digits: Vec<Term>, above: Vec<Term> },
    /// No binary digit of the nim-sum of `digits` is lower than all those of the nim-sum of
    /// `lowest`; if that is 0, both are.
    NotLower {
        digits: Vec<usize>,
        lowest: Vec<usize>,
    },
    /// The nim-sum of some entries is at most that of others.
    NimSumAtMost {
        small: Vec<usize>,
        large: Vec<usize>,
    },
}

/// A sum of entries, or a difference of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    Sum(Vec<usize>),
    Difference(usize, usize),
}

impl Term {
    /// One entry.
    pub fn of(entry: usize) -> Term {
        Term::Sum(vec![entry])
    }

    /// The entries, those that are added first.
    pub fn entries(&self) -> Vec<usize> {
        match self {
            Term::Sum(entries) => entries.clone(),
            Term::Difference(from, less) => vec![*from, *less],
        }
    }

    /// The value, given the values of the entries; it may be negative.
    fn value(&self, entry: impl Fn(usize) -> i128) -> i128 {
        match self {
            Term::Sum(entries) => entries.iter().map(|of| entry(*of)).sum(),
            Term::Difference(from, less) => entry(*from) - entry(*less),
        }
    }

    /// The values in some columns; they may be negative.
    fn values(&self, columns: &[[i32; BLOCK]]) -> [i32; BLOCK] {
        match self {
            Term::Sum(entries) => sum_of(columns, entries),
            Term::Difference(from, less) => {
                let mut difference = columns[*from];
                add(&mut difference, &columns[*less], -1);
                difference
            }
        }
    }
}

/// The number of zeros at the end of a number in a base; `None` for 0.
fn zeros(mut number: u128, base: u64) -> Option<u64> {
    let base = u128::from(base);
    let mut zeros = 0;
    while number > 0 && number.is_multiple_of(base) {
        number /= base;
        zeros += 1;
    }
    (number > 0).then_some(zeros)
}

/// Whether all digits of the first number are lower than those of the second.
fn is_lower(changed: i128, above: i128) -> bool {
    above == 0 || 2 * changed < above ^ (above - 1)
}

/// The number of rows of a [`Block`].
pub const BLOCK: usize = 64;

/// Some rows, entry by entry, at which an atom is evaluated together.
pub struct Block {
    /// The number of rows, at most [`BLOCK`].
    pub rows: usize,
    /// The sizes of each entry in the rows; 0 past them.
    columns: Vec<[u64; BLOCK]>,
    /// The same, if they are so small that no sum of an atom overflows.
    small: Option<Vec<[i32; BLOCK]>>,
}

/// Entries below this are small: a sum of [`MAX_ENTRIES`] of them, each counted twice,
/// fits.
const SMALL: u64 = 1 << 24;
/// No row is longer.
const MAX_ENTRIES: usize = 32;

impl Block {
    /// The block of at most [`BLOCK`] rows with this number of entries each.
    pub fn of(rows: &[Vec<u64>], entries: usize) -> Block {
        debug_assert!(rows.len() <= BLOCK && entries <= MAX_ENTRIES);
        let mut columns = vec![[0; BLOCK]; entries];
        for (place, row) in rows.iter().enumerate() {
            for (column, entry) in columns.iter_mut().zip(row) {
                column[place] = *entry;
            }
        }
        let is_small = columns.iter().flatten().all(|entry| *entry < SMALL);
        Block {
            rows: rows.len(),
            small: is_small.then(|| {
                let small = |column: &[u64; BLOCK]| column.map(|entry| entry as i32);
                columns.iter().map(small).collect()
            }),
            columns,
        }
    }

    /// All rows, as bits.
    pub fn all(&self) -> u64 {
        u64::MAX >> (BLOCK - self.rows)
    }

    /// The rows for which a test of their places holds, as bits.
    fn places(&self, test: impl Fn(usize) -> bool) -> u64 {
        (0..self.rows).fold(0, |bits, place| bits | u64::from(test(place)) << place)
    }

    /// The places at which a test of small numbers holds, as bits.
    fn places_of(&self, numbers: &[i32; BLOCK], test: impl Fn(i32) -> bool) -> u64 {
        let mut bits = 0;
        // PERF: bytes first, since the compiler compares them together; the product moves
        // the lowest bit of each of 8 bytes to the highest byte.
        let mut bytes = [0; BLOCK];
        for (byte, number) in bytes.iter_mut().zip(numbers) {
            *byte = u8::from(test(*number));
        }
        for (place, eight) in bytes.chunks_exact(8).enumerate() {
            let eight = eight
                .iter()
                .rev()
                .fold(0, |all, byte| all << 8 | u64::from(*byte));
            bits |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * place);
        }
        bits & self.all()
    }
}

/// The sum of some columns.
fn sum_of(columns: &[[i32; BLOCK]], entries: &[usize]) -> [i32; BLOCK] {
    let mut sum = [0; BLOCK];
    for entry in entries {
        add(&mut sum, &columns[*entry], 1);
    }
    sum
}

/// The nim-sum of some columns.
fn nim_sum_of(columns: &[[i32; BLOCK]], entries: &[usize]) -> [i32; BLOCK] {
    let mut sum = [0; BLOCK];
    for entry in entries {
        let column = columns[*entry].iter();
        sum.iter_mut()
            .zip(column)
            .for_each(|(sum, entry)| *sum ^= entry);
    }
    sum
}

/// The nim-sum of some terms.
fn nim_sum_of_terms(columns: &[[i32; BLOCK]], terms: &[Term]) -> [i32; BLOCK] {
    let mut nim_sum = [0; BLOCK];
    for term in terms {
        let more = term.values(columns);
        nim_sum
            .iter_mut()
            .zip(&more)
            .for_each(|(all, one)| *all ^= one);
    }
    nim_sum
}

fn add(sum: &mut [i32; BLOCK], column: &[i32; BLOCK], weight: i32) {
    for (sum, entry) in sum.iter_mut().zip(column) {
        *sum += weight * entry;
    }
}

impl Atom {
    /// The rows of a block for which the condition holds, as bits.
    pub fn holds(&self, block: &Block) -> u64 {
        match &block.small {
            Some(columns) => self.holds_if_small(block, columns),
            None => self.holds_if_large(block),
        }
    }

    /// Whether the condition holds for all rows of a block.
    pub fn holds_at_all(&self, block: &Block) -> bool {
        self.holds(block) == block.all()
    }

    fn holds_if_small(&self, block: &Block, columns: &[[i32; BLOCK]]) -> u64 {
        match self {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => {
                let mut sum = [*constant as i32; BLOCK];
                for (weight, column) in weights.iter().zip(columns) {
                    match *weight as i32 {
                        0 => {}
                        // PERF: without a product.
                        1 => add(&mut sum, column, 1),
                        -1 => add(&mut sum, column, -1),
                        weight => add(&mut sum, column, weight),
                    }
                }
                match relation {
                    Relation::Zero => block.places_of(&sum, |sum| sum == 0),
                    Relation::AtMostZero => block.places_of(&sum, |sum| sum <= 0),
                    Relation::NotZero => block.places_of(&sum, |sum| sum != 0),
                }
            }
            Atom::NimSum { groups } => {
                let mut nim_sum = [0; BLOCK];
                for group in groups {
                    let sum = sum_of(columns, group);
                    nim_sum
                        .iter_mut()
                        .zip(&sum)
                        .for_each(|(all, sum)| *all ^= sum);
                }
                block.places_of(&nim_sum, |sum| sum == 0)
            }
            Atom::Within { inner, outer } => {
                let mut more = nim_sum_of(columns, inner);
                let outer = nim_sum_of(columns, outer);
                let digits = more.iter_mut().zip(&outer);
                digits.for_each(|(inner, outer)| *inner &= !outer);
                block.places_of(&more, |more| more == 0)
            }
            Atom::CarrylessSums { terms, modulus } => {
                let values = terms.iter().map(|term| term.values(columns));
                let values: Vec<[i32; BLOCK]> = values.collect();
                let all = |place: usize| values.iter().fold(0, |all, value| all | value[place]);
                block.places(|place| {
                    let used = all(place);
                    used >= 0
                        && (0..32 - used.leading_zeros()).all(|digit| {
                            let digits = values.iter().map(|value| value[place] >> digit & 1);
                            digits.sum::<i32>() % *modulus as i32 == 0
                        })
                })
            }
            Atom::Lower { digits, above } => {
                let digits = nim_sum_of_terms(columns, digits);
                let above = nim_sum_of_terms(columns, above);
                let mut holds = [0; BLOCK];
                for (place, holds) in holds.iter_mut().enumerate() {
                    let (digits, above) = (digits[place], above[place]);
                    let is_lower = above == 0 || above > 0 && 2 * digits < above ^ (above - 1);
                    *holds = i32::from(digits >= 0 && is_lower);
                }
                block.places_of(&holds, |holds| holds != 0)
            }
            Atom::NotLower { digits, lowest } => {
                let mut below = nim_sum_of(columns, lowest);
                let digits = nim_sum_of(columns, digits);
                for (below, digits) in below.iter_mut().zip(&digits) {
                    // The places below the lowest digit; all places of 0.
                    *below = digits & !*below & below.wrapping_sub(1);
                }
                block.places_of(&below, |below| below == 0)
            }
            Atom::NimSumAtMost { small, large } => {
                let mut more = nim_sum_of(columns, small);
                let large = nim_sum_of(columns, large);
                more.iter_mut()
                    .zip(&large)
                    .for_each(|(small, large)| *small -= large);
                block.places_of(&more, |more| more <= 0)
            }
            Atom::Modulo {
                entries,
                modulus,
                rest,
            } => {
                let (modulus, rest) = (*modulus as i32, *rest as i32);
                block.places_of(&sum_of(columns, entries), |sum| sum % modulus == rest)
            }
            Atom::Carryless {
                entries,
                base: 2,
                modulus,
                sum,
            } => {
                let used = entries.iter().flat_map(|entry| columns[*entry]);
                let digits = 32 - used.fold(0, |all, entry| all | entry).leading_zeros();
                let mut holds = [1; BLOCK];
                for digit in 0..digits.max(1) {
                    let wanted = if digit == 0 { *sum } else { 0 };
                    // The sums of digits with this remainder, as bits.
                    let right = (0..=entries.len() as u64)
                        .filter(|sum| sum % modulus == wanted)
                        .fold(0_u64, |bits, sum| bits | 1 << sum);
                    let mut column_sum = [0; BLOCK];
                    for entry in entries {
                        let column = columns[*entry].iter();
                        let sums = column_sum.iter_mut().zip(column);
                        sums.for_each(|(sum, entry)| *sum += entry >> digit & 1);
                    }
                    for (holds, sum) in holds.iter_mut().zip(&column_sum) {
                        *holds &= (right >> sum & 1) as i32;
                    }
                }
                block.places_of(&holds, |holds| holds != 0)
            }
            Atom::Zeros {
                entries,
                base,
                modulus,
                rest,
                or_zero,
            } => block.places_of(&sum_of(columns, entries), |sum| {
                match zeros(sum.unsigned_abs().into(), *base) {
                    Some(zeros) => zeros % modulus == *rest,
                    None => *or_zero,
                }
            }),
            Atom::Carryless { .. } => self.holds_if_large(block),
        }
    }

    fn holds_if_large(&self, block: &Block) -> u64 {
        let sum_at = |entries: &[usize], place: usize| {
            let sizes = entries.iter().map(|entry| block.columns[*entry][place]);
            sizes.map(u128::from).sum::<u128>()
        };
        let nim_sum_at = |entries: &[usize], place: usize| {
            let sizes = entries.iter().map(|entry| block.columns[*entry][place]);
            sizes.fold(0, |nim_sum, size| nim_sum ^ size)
        };
        let value_at =
            |term: &Term, place: usize| term.value(|entry| i128::from(block.columns[entry][place]));
        block.places(|place| match self {
            Atom::CarrylessSums { terms, modulus } => {
                let values: Vec<i128> = terms.iter().map(|term| value_at(term, place)).collect();
                let used = values.iter().fold(0, |all, value| all | value);
                used >= 0
                    && (0..128 - used.leading_zeros()).all(|digit| {
                        let digits = values.iter().map(|value| value >> digit & 1);
                        digits.sum::<i128>() % i128::from(*modulus) == 0
                    })
            }
            Atom::Lower { digits, above } => {
                let nim_sum = |terms: &[Term]| {
                    let values = terms.iter().map(|term| value_at(term, place));
                    values.fold(0, |nim_sum, value| nim_sum ^ value)
                };
                let (digits, above) = (nim_sum(digits), nim_sum(above));
                digits >= 0 && above >= 0 && is_lower(digits, above)
            }
            Atom::NotLower { digits, lowest } => {
                let (digits, lowest) = (nim_sum_at(digits, place), nim_sum_at(lowest, place));
                digits & !lowest & lowest.wrapping_sub(1) == 0
            }
            Atom::NimSumAtMost { small, large } => {
                nim_sum_at(small, place) <= nim_sum_at(large, place)
            }
            Atom::Linear {
                weights,
                constant,
                relation,
            } => {
                let terms = weights.iter().zip(&block.columns);
                let terms =
                    terms.map(|(weight, column)| i128::from(*weight) * i128::from(column[place]));
                let sum = i128::from(*constant) + terms.sum::<i128>();
                match relation {
                    Relation::Zero => sum == 0,
                    Relation::AtMostZero => sum <= 0,
                    Relation::NotZero => sum != 0,
                }
            }
            Atom::Carryless {
                entries,
                base,
                modulus,
                sum,
            } => {
                let (mut power, mut wanted) = (1, *sum);
                loop {
                    let (mut column_sum, mut any) = (0, false);
                    for entry in entries {
                        let rest = block.columns[*entry][place] / power;
                        column_sum += rest % base;
                        any |= rest > 0;
                    }
                    if column_sum % modulus != wanted {
                        return false;
                    }
                    wanted = 0;
                    match power.checked_mul(*base) {
                        Some(next) if any => power = next,
                        _ => return true,
                    }
                }
            }
            Atom::NimSum { groups } => {
                let sums = groups.iter().map(|group| sum_at(group, place));
                sums.fold(0, |nim_sum, sum| nim_sum ^ sum) == 0
            }
            Atom::Within { inner, outer } => {
                nim_sum_at(inner, place) & !nim_sum_at(outer, place) == 0
            }
            Atom::Modulo {
                entries,
                modulus,
                rest,
            } => sum_at(entries, place) % u128::from(*modulus) == u128::from(*rest),
            Atom::Zeros {
                entries,
                base,
                modulus,
                rest,
                or_zero,
            } => match zeros(sum_at(entries, place), *base) {
                Some(zeros) => zeros % modulus == *rest,
                None => *or_zero,
            },
        })
    }

    /// A measure of how much the condition restricts a row: equations determine one
    /// entry.
    pub fn weight(&self) -> u32 {
        match self {
            Atom::Linear {
                relation: Relation::Zero,
                ..
            }
            | Atom::Carryless { .. }
            | Atom::CarrylessSums { .. }
            | Atom::NimSum { .. } => 32,
            Atom::Modulo { .. }
            | Atom::Within { .. }
            | Atom::Zeros { .. }
            | Atom::Lower { .. }
            | Atom::NotLower { .. } => 4,
            Atom::Linear { .. } | Atom::NimSumAtMost { .. } => 1,
        }
    }

    /// The complexity of the text. Among equivalent forms the one with the least cost
    /// is preferred.
    pub fn cost(&self, width: usize) -> usize {
        match self {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => {
                let terms = weights
                    .iter()
                    .map(|weight| weight.unsigned_abs() as usize)
                    .sum::<usize>();
                let own = match relation {
                    Relation::Zero => 0,
                    Relation::AtMostZero => 3,
                    Relation::NotZero => 7,
                };
                let constant = match (constant, terms) {
                    (_, 1) | (0, _) => 0,
                    _ => 4,
                };
                4 * terms + own + constant
            }
            // The text for all entries is short, but an equation of two entries is
            // clearer.
            Atom::Carryless { entries, sum, .. } if entries.len() == width => {
                9 + 4 * usize::from(*sum > 0)
            }
            Atom::Carryless { entries, .. } => 4 * entries.len() + 1,
            Atom::CarrylessSums { terms, .. } => {
                let entries = terms.iter().map(|term| match term {
                    Term::Sum(entries) => 4 * entries.len() + 1,
                    // With the comparison that guards it.
                    Term::Difference(..) => 16,
                });
                6 + entries.sum::<usize>()
            }
            Atom::Lower { digits, above } => {
                let above = above.iter().map(|term| 8 * term.entries().len());
                let digits = digits.iter().map(|term| match term {
                    Term::Sum(entries) => 4 * entries.len(),
                    Term::Difference(..) => 16,
                });
                16 + digits.sum::<usize>() + above.sum::<usize>()
            }
            Atom::NotLower { digits, lowest } => 8 * digits.len() + 8 * lowest.len() + 24,
            Atom::NimSumAtMost { small, large } => 4 * small.len() + 4 * large.len() + 3,
            // A term more than an equation of the same entries.
            Atom::NimSum { groups } => {
                2 + groups
                    .iter()
                    .map(|group| 4 * group.len() + 1)
                    .sum::<usize>()
            }
            // Some terms are written twice.
            Atom::Within { inner, outer } => 8 * inner.len() + 8 * outer.len() + 16,
            Atom::Zeros {
                entries, or_zero, ..
            } => 8 * entries.len() + 24 + usize::from(*or_zero),
            // One condition with a large modulus is preferred to two with small ones.
            Atom::Modulo {
                entries, modulus, ..
            } => 4 * entries.len() + 16 - *modulus as usize,
        }
    }
}
