//! Atoms: short atomic conditions on the entries of a row, and their text in the
//! language of claims.

use std::collections::BTreeMap;

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
    /// The binary digits in which `term` differs from its first entry are all lower than
    /// those of the nim-sum of `above`. No difference is negative.
    Lower { term: Term, above: Vec<Term> },
}

/// A sum of entries, or a difference of two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    Sum(Vec<usize>),
    Difference(usize, usize),
}

impl Term {
    /// The entries, those that are added first.
    fn entries(&self) -> Vec<usize> {
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
        bits & (u64::MAX >> (BLOCK - self.rows))
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
            Atom::Lower { term, above } => {
                let values = term.values(columns);
                let before = &columns[term.entries()[0]];
                let mut nim_sum = [0; BLOCK];
                let mut holds = values.map(|value| i32::from(value >= 0));
                for term in above {
                    let more = term.values(columns);
                    nim_sum
                        .iter_mut()
                        .zip(&more)
                        .for_each(|(all, one)| *all ^= one);
                }
                for (place, holds) in holds.iter_mut().enumerate() {
                    let (changed, above) = (values[place] ^ before[place], nim_sum[place]);
                    let is_lower = above == 0 || above > 0 && 2 * changed < above ^ (above - 1);
                    *holds &= i32::from(is_lower);
                }
                block.places_of(&holds, |holds| holds != 0)
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
            Atom::Carryless { .. } => self.holds_if_large(block),
        }
    }

    fn holds_if_large(&self, block: &Block) -> u64 {
        let sum_at = |entries: &[usize], place: usize| {
            let sizes = entries.iter().map(|entry| block.columns[*entry][place]);
            sizes.map(u128::from).sum::<u128>()
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
            Atom::Lower { term, above } => {
                let value = value_at(term, place);
                let before = i128::from(block.columns[term.entries()[0]][place]);
                let values = above.iter().map(|term| value_at(term, place));
                let nim_sum = values.fold(0, |nim_sum, value| nim_sum ^ value);
                value >= 0 && nim_sum >= 0 && is_lower(value ^ before, nim_sum)
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
                let nim_sum = |entries: &[usize]| {
                    let sizes = entries.iter().map(|entry| block.columns[*entry][place]);
                    sizes.fold(0, |nim_sum, size| nim_sum ^ size)
                };
                nim_sum(inner) & !nim_sum(outer) == 0
            }
            Atom::Modulo {
                entries,
                modulus,
                rest,
            } => sum_at(entries, place) % u128::from(*modulus) == u128::from(*rest),
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
            Atom::Modulo { .. } | Atom::Within { .. } | Atom::Lower { .. } => 4,
            Atom::Linear { .. } => 1,
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
            Atom::Lower { term, above } => {
                let above = above.iter().map(|term| 8 * term.entries().len());
                let term = match term {
                    Term::Sum(entries) => 4 * entries.len(),
                    Term::Difference(..) => 16,
                };
                20 + term + above.sum::<usize>()
            }
            // A term more than an equation of the same entries.
            Atom::NimSum { groups } => {
                2 + groups
                    .iter()
                    .map(|group| 4 * group.len() + 1)
                    .sum::<usize>()
            }
            // Some terms are written twice.
            Atom::Within { inner, outer } => 8 * inner.len() + 8 * outer.len() + 16,
            // One condition with a large modulus is preferred to two with small ones.
            Atom::Modulo {
                entries, modulus, ..
            } => 4 * entries.len() + 16 - *modulus as usize,
        }
    }
}

/// A family of atoms for rows of a given length.
#[derive(Debug, Clone, Copy)]
pub struct AtomFamily {
    /// The length of the rows.
    pub entries: usize,
    /// The base of the digits.
    pub base: u64,
    /// Which conditions it has.
    pub breadth: Breadth,
}

/// The breadth of a family. Each has the atoms of those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breadth {
    Narrow,
    /// With constants, parities, inequalities of three entries, and entries that count
    /// twice.
    Wide,
    /// With conditions on the digits of sums and differences of entries.
    Deep,
}

/// The most entries of a sum in an equation.
const MAX_TERMS: usize = 6;
/// The longest rows with carryless sums of some of their entries.
const MAX_PARTS: usize = 7;
/// The longest rows with equations and sums of digits in which entries count twice.
const MAX_DOUBLED: usize = 5;
/// The longest rows with nim-sums of sums of their entries.
const MAX_GROUPED: usize = 6;
/// The moduli of congruences.
const MODULI: std::ops::RangeInclusive<u64> = 2..=6;

impl AtomFamily {
    /// All atoms of the family.
    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms = Vec::new();
        self.equations(&mut atoms);
        if self.is_wide() && self.entries <= MAX_DOUBLED {
            self.doubled_equations(&mut atoms);
        }
        self.comparisons(&mut atoms);
        self.digits(&mut atoms);
        if self.has_deep() {
            self.digits_of_sums(&mut atoms);
            self.lower_digits(&mut atoms);
        }
        atoms
    }

    fn is_wide(&self) -> bool {
        self.breadth >= Breadth::Wide
    }

    fn has_deep(&self) -> bool {
        self.breadth == Breadth::Deep && self.base == 2 && (3..=MAX_DOUBLED).contains(&self.entries)
    }

    /// Whether the family has atoms that those before have not.
    pub fn is_new(&self) -> bool {
        self.breadth < Breadth::Deep || self.has_deep()
    }

    fn linear(
        &self,
        terms: &[(usize, i64)],
        constant: i64,
        relation: Relation,
        atoms: &mut Vec<Atom>,
    ) {
        let mut weights = vec![0; self.entries];
        for (entry, weight) in terms {
            weights[*entry] += weight;
        }
        atoms.push(Atom::Linear {
            weights,
            constant,
            relation,
        });
    }

    fn equations(&self, atoms: &mut Vec<Atom>) {
        let entries = self.entries;
        for entry in 0..entries {
            for value in 0..=if self.is_wide() { 3 } else { 1 } {
                self.linear(&[(entry, 1)], -value, Relation::Zero, atoms);
            }
        }
        let most = 3_usize.saturating_pow(entries as u32);
        for number in 1..most {
            let weights: Vec<i64> = (0..entries)
                .scan(number, |rest, _| {
                    let digit = *rest % 3;
                    *rest /= 3;
                    Some([0, 1, -1][digit])
                })
                .collect();
            let terms = weights.iter().filter(|weight| **weight != 0).count();
            let first = weights.iter().find(|weight| **weight != 0);
            if !(2..=MAX_TERMS).contains(&terms) || first != Some(&1) || !weights.contains(&-1) {
                continue;
            }
            let constants: &[i64] = match (self.is_wide(), terms) {
                (true, 2) => &[0, 1, -1, 2, -2],
                (true, _) => &[0, 1, -1],
                (false, _) => &[0],
            };
            for &constant in constants {
                atoms.push(Atom::Linear {
                    weights: weights.clone(),
                    constant,
                    relation: Relation::Zero,
                });
            }
        }
    }

    /// Equations in which one or two entries count twice.
    fn doubled_equations(&self, atoms: &mut Vec<Atom>) {
        const WEIGHTS: [i64; 5] = [0, 1, -1, 2, -2];
        for number in 1..WEIGHTS.len().pow(self.entries as u32) {
            let weights: Vec<i64> = (0..self.entries)
                .scan(number, |rest, _| {
                    let digit = *rest % WEIGHTS.len();
                    *rest /= WEIGHTS.len();
                    Some(WEIGHTS[digit])
                })
                .collect();
            let doubled = weights.iter().filter(|weight| weight.abs() == 2).count();
            let single = weights.iter().filter(|weight| weight.abs() == 1).count();
            let first = weights.iter().find(|weight| **weight != 0);
            let is_new =
                first.is_some_and(|weight| *weight > 0) && weights.iter().any(|weight| *weight < 0);
            if is_new && (1..=2).contains(&doubled) && single > 0 {
                atoms.push(Atom::Linear {
                    weights,
                    constant: 0,
                    relation: Relation::Zero,
                });
            }
        }
    }

    fn comparisons(&self, atoms: &mut Vec<Atom>) {
        for one in 0..self.entries {
            for least in 1..=if self.is_wide() { 4 } else { 2 } {
                self.linear(&[(one, -1)], least, Relation::AtMostZero, atoms);
            }
            for other in 0..self.entries {
                if one == other {
                    continue;
                }
                let apart = [(one, 1), (other, -1)];
                for constant in 0..=if self.is_wide() { 3 } else { 1 } {
                    self.linear(&apart, constant, Relation::AtMostZero, atoms);
                }
                if one < other {
                    self.linear(&apart, 0, Relation::NotZero, atoms);
                }
                for third in other + 1..self.entries {
                    if self.is_wide() && third != one {
                        let terms = [(one, 1), (other, -1), (third, -1)];
                        self.linear(&terms, 0, Relation::AtMostZero, atoms);
                    }
                }
            }
        }
    }

    fn digits(&self, atoms: &mut Vec<Atom>) {
        let all: Vec<usize> = (0..self.entries).collect();
        for modulus in 2..=8 {
            atoms.push(Atom::Carryless {
                entries: all.clone(),
                base: self.base,
                modulus,
                sum: 0,
            });
        }
        // In misère play the sum of a P-position may be 1. In base 2 this occurs
        // only for small heaps, as a congruence of their sum.
        if self.base != 2 {
            atoms.push(Atom::Carryless {
                entries: all.clone(),
                base: self.base,
                modulus: self.base,
                sum: 1,
            });
        }
        for modulus in MODULI {
            for rest in 0..modulus {
                atoms.push(Atom::Modulo {
                    entries: all.clone(),
                    modulus,
                    rest,
                });
            }
        }
        if self.base == 2 && self.entries <= MAX_GROUPED {
            self.nim_sums(atoms);
        }
        if self.base == 2 && self.is_wide() && self.entries <= MAX_DOUBLED {
            self.within(atoms);
            // Sums of digits in which some entries count twice.
            for doubled in 1..(1_usize << self.entries) - 1 {
                let twice = all.iter().filter(|entry| doubled >> **entry & 1 != 0);
                let mut entries = [all.clone(), twice.copied().collect()].concat();
                entries.sort_unstable();
                for modulus in 3..=8 {
                    atoms.push(Atom::Carryless {
                        entries: entries.clone(),
                        base: 2,
                        modulus,
                        sum: 0,
                    });
                }
            }
        }
        if self.entries > MAX_PARTS {
            return;
        }
        for part in 1..(1_usize << self.entries) - 1 {
            let entries: Vec<usize> = all.iter().copied().filter(|e| part >> e & 1 != 0).collect();
            if entries.len() >= 3 || self.base != 2 && entries.len() == 2 {
                atoms.push(Atom::Carryless {
                    entries: entries.clone(),
                    base: self.base,
                    modulus: self.base,
                    sum: 0,
                });
            }
            if self.is_wide() && entries.len() <= 2 {
                for rest in 0..2 {
                    atoms.push(Atom::Modulo {
                        entries: entries.clone(),
                        modulus: 2,
                        rest,
                    });
                }
            }
        }
    }
}

/// All ways to put some of this number of entries into disjoint groups.
fn groupings(entries: usize) -> Vec<Vec<Vec<usize>>> {
    // Each entry is in no group, in one of those before, or in a new one.
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for entry in 0..entries {
        let mut longer = Vec::new();
        for groups in all {
            for place in 0..groups.len() {
                let mut with = groups.clone();
                with[place].push(entry);
                longer.push(with);
            }
            let mut with = groups.clone();
            with.push(vec![entry]);
            longer.extend([groups, with]);
        }
        all = longer;
    }
    all
}

/// The subsets of some entries.
fn subsets(of: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..1_usize << of.len()).map(|chosen| {
        let places = (0..of.len()).filter(|place| chosen >> place & 1 == 1);
        places.map(|place| of[place]).collect()
    })
}

impl AtomFamily {
    /// The sums of digits of sums of entries, and of one difference and entries.
    fn digits_of_sums(&self, atoms: &mut Vec<Atom>) {
        let mut push = |terms: Vec<Term>| {
            for modulus in 3..=terms.len() as u64 {
                atoms.push(Atom::CarrylessSums {
                    terms: terms.clone(),
                    modulus,
                });
            }
        };
        for groups in groupings(self.entries) {
            // Sums of digits of single entries are in other families.
            if groups.iter().any(|group| group.len() > 1) {
                push(groups.into_iter().map(Term::Sum).collect());
            }
        }
        for (from, less, rest) in self.pairs() {
            for others in subsets(&rest) {
                let others = others.into_iter().map(|entry| Term::Sum(vec![entry]));
                push(
                    std::iter::once(Term::Difference(from, less))
                        .chain(others)
                        .collect(),
                );
            }
        }
    }

    /// That a sum or difference of two entries changes only digits of the first that are
    /// below those of other entries.
    fn lower_digits(&self, atoms: &mut Vec<Atom>) {
        for (first, second, rest) in self.pairs() {
            let sum = Term::Sum(vec![first, second]);
            for term in [sum, Term::Difference(first, second)] {
                for above in subsets(&rest) {
                    let above: Vec<Term> = above
                        .into_iter()
                        .map(|entry| Term::Sum(vec![entry]))
                        .collect();
                    if !above.is_empty() {
                        let (term, above) = (term.clone(), above.clone());
                        atoms.push(Atom::Lower { term, above });
                    }
                    let above = [above, vec![term.clone()]].concat();
                    let term = term.clone();
                    atoms.push(Atom::Lower { term, above });
                }
            }
        }
    }

    /// The ordered pairs of entries, with the other entries.
    fn pairs(&self) -> Vec<(usize, usize, Vec<usize>)> {
        let mut pairs = Vec::new();
        for one in 0..self.entries {
            for other in (0..self.entries).filter(|other| *other != one) {
                let rest = (0..self.entries).filter(|entry| ![one, other].contains(entry));
                pairs.push((one, other, rest.collect()));
            }
        }
        pairs
    }

    /// The inclusions of the digits of nim-sums of disjoint groups of entries.
    fn within(&self, atoms: &mut Vec<Atom>) {
        for number in 0..3_usize.pow(self.entries as u32) {
            let (mut rest, mut groups) = (number, [const { Vec::new() }; 3]);
            for entry in 0..self.entries {
                groups[rest % 3].push(entry);
                rest /= 3;
            }
            let [_, inner, outer] = groups;
            if !inner.is_empty() && !outer.is_empty() {
                atoms.push(Atom::Within { inner, outer });
            }
        }
    }

    /// The nim-sums of sums of disjoint groups of entries, and of the sum of all with each
    /// of them: that no digit is carried. Nim-sums of two groups are equations.
    fn nim_sums(&self, atoms: &mut Vec<Atom>) {
        // Nim-sums of single entries are sums of digits.
        let is_new = |groups: &Vec<Vec<usize>>| {
            groups.len() >= 3 && groups.iter().any(|group| group.len() > 1)
        };
        let found = groupings(self.entries).into_iter().filter(is_new);
        atoms.extend(found.map(|groups| Atom::NimSum { groups }));
        if self.entries >= 2 {
            let sum = std::iter::once((0..self.entries).collect());
            let each = (0..self.entries).map(|entry| vec![entry]);
            let groups = sum.chain(each).collect();
            atoms.push(Atom::NimSum { groups });
        }
    }
}

/// The expression of an entry: a variable, by its number, plus a constant, or the
/// constant alone.
type EntryTerm = (Option<usize>, i64);

/// The expressions of the entries of a row, and the names of their variables.
struct NamedRow {
    entries: Vec<EntryTerm>,
    names: BTreeMap<usize, String>,
}

/// A weighted sum of variables, and a constant.
type WeightedSum = (Vec<(usize, i64)>, i64);

/// The text of a conjunction about named heaps.
pub fn conjunction(atoms: &[&Atom], names: &[String]) -> String {
    let row = NamedRow {
        entries: (0..names.len()).map(|entry| (Some(entry), 0)).collect(),
        names: names.iter().cloned().enumerate().collect(),
    };
    if let Some(short) = short_text(atoms, names.len()) {
        return short;
    }
    let conditions = row.conditions(atoms);
    match conditions.is_empty() {
        true => "true".to_owned(),
        false => conditions.join(" and "),
    }
}

/// The short text of a conjunction that states that all heaps are empty, or that all
/// are equal.
fn short_text(atoms: &[&Atom], heaps: usize) -> Option<String> {
    let solved = solved(atoms, heaps);
    if solved.left.is_empty() && heaps > 1 {
        if solved.entries.iter().all(|entry| *entry == (None, 0)) {
            return Some("max(heaps) == 0".to_owned());
        }
        let first = solved.entries[0];
        if heaps > 2 && first.0.is_some() && solved.entries.iter().all(|entry| *entry == first) {
            return Some("min(heaps) == max(heaps)".to_owned());
        }
    }
    None
}

/// The text of a conjunction as a `like` form: entries that are equal or differ by a
/// constant have the same name, and constant entries are written as constants.
pub fn like(atoms: &[&Atom], entries: usize, letters: &[String]) -> String {
    let solved = solved(atoms, entries);
    let mut names = BTreeMap::new();
    let mut letters = letters.iter().cloned();
    for (name, _) in &solved.entries {
        if let Some(name) = name {
            names
                .entry(*name)
                .or_insert_with(|| letters.next().unwrap_or_default());
        }
    }
    let row = NamedRow {
        entries: solved.entries,
        names,
    };
    let shown: Vec<String> = (0..entries).map(|entry| row.shown(entry)).collect();
    let conditions = row.conditions(&solved.left);
    let form = format!("like ({})", shown.join(","));
    match conditions.is_empty() {
        true => form,
        false => format!("{form} where {}", conditions.join(" and ")),
    }
}

/// A conjunction in which equations of one or two entries are solved.
struct Solved<'a> {
    /// The entries as expressions.
    entries: Vec<EntryTerm>,
    /// The other atoms.
    left: Vec<&'a Atom>,
}

/// Solves the equations of one or two entries.
fn solved<'a>(atoms: &[&'a Atom], width: usize) -> Solved<'a> {
    let mut entries: Vec<EntryTerm> = (0..width).map(|entry| (Some(entry), 0)).collect();
    let mut left = atoms.to_vec();
    loop {
        let solution = |atom: &&Atom| solve(atom, &entries);
        let Some(index) = left.iter().position(|atom| solution(atom).is_some()) else {
            return Solved { entries, left };
        };
        let Some((name, (base, offset))) = solve(left.remove(index), &entries) else {
            return Solved { entries, left };
        };
        for entry in &mut entries {
            if entry.0 == Some(name) {
                *entry = (base, entry.1 + offset);
            }
        }
    }
}

/// Solves an equation of one or two variables: the eliminated variable and its
/// expression.
fn solve(atom: &Atom, entries: &[EntryTerm]) -> Option<(usize, EntryTerm)> {
    let Atom::Linear {
        weights,
        constant,
        relation: Relation::Zero,
    } = atom
    else {
        return None;
    };
    match collected(weights, entries, *constant) {
        (terms, constant) if terms.len() == 1 => {
            let (name, weight) = terms[0];
            let value = -constant / weight;
            (value * weight == -constant && value >= 0).then_some((name, (None, value)))
        }
        (terms, constant) if terms.len() == 2 => {
            let ((one, weight), (other, against)) = (terms[0], terms[1]);
            // one - other + more == 0; the added constant must not be negative.
            let offset = constant * weight;
            match (weight, against) {
                (1, -1) | (-1, 1) if offset >= 0 => Some((other, (Some(one), offset))),
                (1, -1) | (-1, 1) => Some((one, (Some(other), -offset))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Collects a weighted sum of entries by their variables, in the order of the entries.
fn collected(weights: &[i64], entries: &[EntryTerm], constant: i64) -> WeightedSum {
    let mut terms: Vec<(usize, i64)> = Vec::new();
    let mut constant = constant;
    for (weight, (name, offset)) in weights.iter().zip(entries) {
        constant += weight * offset;
        let Some(name) = name else { continue };
        match terms.iter_mut().find(|(of, _)| of == name) {
            Some((_, so_far)) => *so_far += weight,
            None => terms.push((*name, *weight)),
        }
    }
    terms.retain(|(_, weight)| *weight != 0);
    (terms, constant)
}

/// Joins equations with the same left side to chains `a == b == c`.
fn chained(conditions: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let is_equation = |one: &String| !one.contains(" or ");
    for one in conditions {
        let equation = Some(&one).filter(|one| is_equation(one));
        let chain = equation.and_then(|one| one.split_once(" == "));
        let chain = chain.and_then(|(left, right)| {
            let known = all
                .iter_mut()
                .find(|known| is_equation(known) && known.split(" == ").next() == Some(left))?;
            known.contains(" == ").then_some((known, right.to_owned()))
        });
        match chain {
            Some((known, right)) => known.push_str(&format!(" == {right}")),
            None => all.push(one),
        }
    }
    all
}

impl NamedRow {
    fn name(&self, number: usize) -> &str {
        self.names.get(&number).map_or("", String::as_str)
    }

    fn shown(&self, entry: usize) -> String {
        match self.entries[entry] {
            (None, value) => value.to_string(),
            (Some(name), 0) => self.name(name).to_owned(),
            (Some(name), offset) => format!("{}+{offset}", self.name(name)),
        }
    }

    /// The text of entries as terms of a sum, without those that are 0.
    fn terms(&self, entries: &[usize]) -> Vec<String> {
        entries
            .iter()
            .map(|entry| match self.entries[*entry] {
                (Some(_), offset) if offset != 0 => format!("({})", self.shown(*entry)),
                _ => self.shown(*entry),
            })
            .filter(|term| term != "0")
            .collect()
    }

    /// The text of a sum or difference.
    fn term(&self, term: &Term) -> String {
        match term {
            Term::Sum(entries) => {
                let mut entries = entries.clone();
                entries.sort_unstable();
                let terms: Vec<String> = entries.iter().map(|entry| self.shown(*entry)).collect();
                terms.join(" + ")
            }
            Term::Difference(from, less) => match self.entries[*less] {
                (Some(_), offset) if offset != 0 => {
                    format!("{} - ({})", self.shown(*from), self.shown(*less))
                }
                _ => format!("{} - {}", self.shown(*from), self.shown(*less)),
            },
        }
    }

    /// The conditions that the differences of an atom are not negative.
    fn guards(&self, atom: &Atom) -> Vec<String> {
        let terms = match atom {
            Atom::CarrylessSums { terms, .. } => terms.as_slice(),
            Atom::Lower { term, .. } => std::slice::from_ref(term),
            _ => &[],
        };
        let guard = |term: &Term| match term {
            Term::Sum(_) => None,
            Term::Difference(from, less) => {
                Some(format!("{} <= {}", self.shown(*less), self.shown(*from)))
            }
        };
        terms.iter().filter_map(guard).collect()
    }

    /// The texts of atoms, each after those that it needs.
    fn conditions(&self, atoms: &[&Atom]) -> Vec<String> {
        let mut conditions = Vec::new();
        for atom in atoms {
            let texts = self.guards(atom).into_iter().chain(self.text(atom));
            for text in texts {
                if !conditions.contains(&text) {
                    conditions.push(text);
                }
            }
        }
        chained(conditions.into_iter())
    }

    /// The text of an atom; `None` if it is trivially true.
    fn text(&self, atom: &Atom) -> Option<String> {
        let width = self.entries.len();
        match atom {
            Atom::Linear {
                weights,
                constant,
                relation,
            } => self.compared(&collected(weights, &self.entries, *constant), *relation),
            Atom::Carryless {
                entries,
                base,
                modulus,
                sum,
            } if entries.len() == width => Some(match (*base, *modulus) {
                (2, 2) => format!("xor(heaps) == {sum}"),
                (base, modulus) if base == modulus => format!("carryless({base}, heaps) == {sum}"),
                (base, modulus) => format!("carryless({base}, heaps, {modulus}) == {sum}"),
            }),
            Atom::Carryless {
                entries,
                base,
                modulus,
                sum,
            } => {
                let terms = self.terms(entries);
                match (*base, *modulus, terms.len()) {
                    (_, _, 0) => None,
                    (2, 2, 2) if *sum == 0 => Some(terms.join(" == ")),
                    (2, 2, _) => Some(format!("{} == {sum}", terms.join(" ^ "))),
                    _ => Some(format!(
                        "carryless({base}, {{{}}}, {modulus}) == {sum}",
                        terms.join(", ")
                    )),
                }
            }
            Atom::NimSum { groups } => {
                if groups.first().is_some_and(|group| group.len() == width) {
                    return Some("sum(heaps) == xor(heaps)".to_owned());
                }
                let sums = groups.iter().map(|group| self.terms(group));
                let sums = sums.filter(|terms| !terms.is_empty());
                let sums = sums.map(|terms| match terms.as_slice() {
                    [one] => one.clone(),
                    terms => format!("({})", terms.join(" + ")),
                });
                let sums: Vec<String> = sums.collect();
                match sums.as_slice() {
                    [] => None,
                    sums => Some(format!("{} == 0", sums.join(" ^ "))),
                }
            }
            Atom::CarrylessSums { terms, modulus } => {
                let terms: Vec<String> = terms.iter().map(|term| self.term(term)).collect();
                let terms = terms.join(", ");
                Some(format!("carryless(2, {{{terms}}}, {modulus}) == 0"))
            }
            Atom::Lower { term, above } => {
                let before = self.shown(term.entries()[0]);
                let term = self.term(term);
                let lower = |above: &str| {
                    format!("{above} == 0 or 2*({before} ^ ({term})) < {above} ^ ({above} - 1)")
                };
                if let [Term::Sum(entries)] = above.as_slice()
                    && let [entry] = entries.as_slice()
                {
                    return Some(format!("({})", lower(&self.shown(*entry))));
                }
                let is_sum = |term: &Term| term.entries().len() > 1;
                let terms = above
                    .iter()
                    .map(|term| match is_sum(term) && above.len() > 1 {
                        true => format!("({})", self.term(term)),
                        false => self.term(term),
                    });
                let terms = terms.collect::<Vec<_>>().join(" ^ ");
                let mut names = (b'a'..=b'z')
                    .rev()
                    .map(|letter| char::from(letter).to_string());
                let name = names.find(|name| self.names.values().all(|other| other != name))?;
                Some(format!("(let {name} = {terms} in {})", lower(&name)))
            }
            Atom::Within { inner, outer } => {
                let (inner, outer) = (self.terms(inner), self.terms(outer));
                let own = match inner.as_slice() {
                    [] => return None,
                    [one] => one.clone(),
                    terms => format!("({})", terms.join(" ^ ")),
                };
                Some(match outer.is_empty() {
                    true => format!("{} == 0", inner.join(" ^ ")),
                    false => {
                        let both = [outer.as_slice(), &inner].concat().join(" ^ ");
                        format!("({both}) + {own} == {}", outer.join(" ^ "))
                    }
                })
            }
            Atom::Modulo {
                entries,
                modulus,
                rest,
            } => {
                let terms = self.terms(entries);
                Some(match terms.as_slice() {
                    _ if entries.len() == width => format!("sum(heaps) mod {modulus} == {rest}"),
                    [one] => format!("{one} mod {modulus} == {rest}"),
                    terms => format!("({}) mod {modulus} == {rest}", terms.join(" + ")),
                })
            }
        }
    }

    /// The text of a comparison of a sum with 0. Negative terms are moved to the right
    /// side. `None` if it is trivially true.
    fn compared(&self, (terms, constant): &WeightedSum, relation: Relation) -> Option<String> {
        let side = |sign: i64, constant: i64| {
            let mut parts: Vec<String> = terms
                .iter()
                .filter(|(_, weight)| *weight * sign > 0)
                .map(|(name, weight)| match weight.abs() {
                    1 => self.name(*name).to_owned(),
                    many => format!("{many}*{}", self.name(*name)),
                })
                .collect();
            if constant * sign > 0 {
                parts.push(constant.abs().to_string());
            }
            match parts.is_empty() {
                true => "0".to_owned(),
                false => parts.join(" + "),
            }
        };
        if terms.is_empty() {
            let holds = match relation {
                Relation::Zero => *constant == 0,
                Relation::AtMostZero => *constant <= 0,
                Relation::NotZero => *constant != 0,
            };
            return (!holds).then(|| "false".to_owned());
        }
        let positive = terms.iter().any(|(_, weight)| *weight > 0);
        let negative = terms.iter().any(|(_, weight)| *weight < 0);
        // left + 1 <= right is equivalent to left < right.
        let (word, constant) = match relation {
            Relation::Zero => ("==", *constant),
            Relation::NotZero => ("!=", *constant),
            Relation::AtMostZero if *constant > 0 && positive && negative => ("<", constant - 1),
            Relation::AtMostZero => ("<=", *constant),
        };
        // A sum of negative terms is multiplied by -1.
        if !positive {
            let reversed = match word {
                "<=" => ">=",
                other => other,
            };
            return Some(format!("{} {reversed} {}", side(-1, 0), constant.max(0)));
        }
        Some(format!(
            "{} {word} {}",
            side(1, constant),
            side(-1, constant)
        ))
    }
}
