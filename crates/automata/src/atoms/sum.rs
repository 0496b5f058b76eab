//! Linear comparisons in a base: weighted sums compared with 0.
//!
//! The state is the weighted sum of the digits read so far; each letter
//! multiplies it by the base and adds its own digits (Wolper and Boigelot
//! 2000). If the length of the rest of the word decides whatever its digits are, the
//! sum is forgotten ([`ByLength`]). So most comparisons are settled by the first digits
//! that differ, and the number of states grows with the digits of the constant and not
//! with its value.

use super::recurrence::RecurrenceSum;
use super::{Machine, dfa_of};
use crate::{Budget, Dfa, Numeration, Track};
use nimrule_limits::LimitExceeded;
use smallvec::SmallVec;

/// A weighted sum of numbers and of carryless sums, plus a constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Sum {
    /// The weights of the numbers on tracks.
    pub terms: Vec<(i64, Track)>,
    /// The weights of carryless sums.
    pub columns: Vec<(i64, CarrylessSum)>,
    /// The constant.
    pub constant: i64,
}

/// A carryless sum: the digits of each place, in base `base`, are added modulo
/// `modulus`, and the results are the digits of the sum. A track may occur
/// several times. With base 2 and modulus 2 this is the nim-sum.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CarrylessSum {
    /// The base of the digits.
    pub base: u8,
    /// The modulus of the digit sums.
    pub modulus: u16,
    /// The tracks of the summands.
    pub tracks: Vec<Track>,
}

/// A condition on a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// The sum is 0.
    Zero,
    /// The sum is at most 0.
    AtMostZero,
    /// A multiple of this positive number.
    Multiple(u32),
}

impl Relation {
    /// Returns whether a sum of this value satisfies the condition.
    pub fn holds(self, value: i128) -> bool {
        match self {
            Relation::Zero => value == 0,
            Relation::AtMostZero => value <= 0,
            Relation::Multiple(of) => value.rem_euclid(i128::from(of)) == 0,
        }
    }
}

impl Sum {
    /// The tracks, ascending.
    pub fn tracks(&self) -> Vec<Track> {
        let columns = self.columns.iter().flat_map(|(_, c)| &c.tracks);
        let mut tracks: Vec<Track> = self
            .terms
            .iter()
            .map(|(_, track)| track)
            .chain(columns)
            .copied()
            .collect();
        tracks.sort_unstable();
        tracks.dedup();
        tracks
    }
}

/// The automaton of the tuples whose sum satisfies the condition. The base of
/// the numeration must be a power of that of each carryless sum.
///
/// # Errors
///
/// A limit that is exceeded.
///
/// # Panics
///
/// If a carryless sum has another base, or in an Ostrowski numeration.
pub fn compare(
    numeration: Numeration,
    sum: &Sum,
    relation: Relation,
    budget: &Budget,
) -> Result<Dfa, LimitExceeded> {
    let tracks = sum.tracks();
    match numeration {
        Numeration::Base(base) => {
            let machine = BaseSum::new(base, sum, &tracks, relation);
            dfa_of(&machine, numeration, &tracks, budget)
        }
        Numeration::Ostrowski(quotient) => {
            assert!(sum.columns.is_empty(), "carryless sums need a base");
            let machine = RecurrenceSum::new(quotient, sum, &tracks, relation);
            dfa_of(&machine, numeration, &tracks, budget)?
                .restricted_to_numbers(budget)?
                .minimised(budget)
        }
    }
}

/// The counters of one carryless sum within a letter.
struct Group {
    weight: i128,
    base: u8,
    modulus: u16,
    /// Its first counter.
    first: usize,
    /// The number of its counters: one for each digit, in its own base, of a
    /// digit of the numeration.
    count: usize,
    /// The number of occurrences of each track in it.
    times: Vec<u16>,
}

struct BaseSum {
    base: i128,
    weights: Vec<i128>,
    groups: Vec<Group>,
    counters: usize,
    constant: i128,
    relation: Relation,
    /// The least and the most that a letter can add.
    least: i128,
    most: i128,
}

impl BaseSum {
    fn new(base: u8, sum: &Sum, tracks: &[Track], relation: Relation) -> BaseSum {
        let place = |track: &Track| tracks.binary_search(track).unwrap_or_default();
        let mut weights = vec![0_i128; tracks.len()];
        for (weight, track) in &sum.terms {
            weights[place(track)] += i128::from(*weight);
        }
        let top = i128::from(base) - 1;
        let mut least: i128 = weights.iter().map(|w| (*w).min(0) * top).sum();
        let mut most: i128 = weights.iter().map(|w| (*w).max(0) * top).sum();
        let mut counters = 0;
        let mut groups = Vec::new();
        for (weight, columns) in &sum.columns {
            let mut times = vec![0; tracks.len()];
            for track in &columns.tracks {
                times[place(track)] += 1;
            }
            let mut count = 0;
            let (mut value, mut high) = (1_i128, 0_i128);
            while value < i128::from(base) {
                high += i128::from(columns.modulus - 1) * value;
                value *= i128::from(columns.base);
                count += 1;
            }
            assert_eq!(value, i128::from(base), "the base is a power of its base");
            let weight = i128::from(*weight);
            least += weight.min(0) * high;
            most += weight.max(0) * high;
            groups.push(Group {
                weight,
                base: columns.base,
                modulus: columns.modulus,
                first: counters,
                count,
                times,
            });
            counters += count;
        }
        BaseSum {
            base: i128::from(base),
            weights,
            groups,
            counters,
            constant: i128::from(sum.constant),
            relation,
            least,
            most,
        }
    }

    /// The state for the sum of the digits so far.
    fn state(&self, sum: i128) -> SumState {
        if let Relation::Multiple(of) = self.relation {
            return SumState::Sum(sum.rem_euclid(i128::from(of)));
        }
        // The least and the most that the sum can be after each number of further digits.
        let (mut low, mut high) = (sum, sum);
        let (rises, falls) = (
            sum * (self.base - 1) >= -self.least,
            sum * (self.base - 1) <= -self.most,
        );
        if !rises && !falls {
            return SumState::Sum(sum);
        }
        let ends = (0..ByLength::LENGTHS).map(|_| {
            let ends = (
                low.saturating_add(self.constant),
                high.saturating_add(self.constant),
            );
            low = low.saturating_mul(self.base).saturating_add(self.least);
            high = high.saturating_mul(self.base).saturating_add(self.most);
            (ends, rises, falls)
        });
        match ByLength::of(self.relation, ends) {
            Some(lengths) => SumState::ByLength(lengths),
            None => SumState::Sum(sum),
        }
    }
}

/// The acceptance of words, if all words of the same length are accepted or none is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ByLength {
    /// Bit i is set if the words of length i are accepted.
    accepted: u128,
    /// Whether all longer words are accepted.
    longer: bool,
}

impl ByLength {
    /// The number of lengths that are told apart.
    pub(super) const LENGTHS: u32 = u128::BITS;

    /// The acceptance of a sum by its relation to 0. `ends` are, by the length of the rest
    /// of the word, the least and the most that the sum can be, and whether, from this
    /// length on, the least cannot fall and the most cannot rise. `None` if the digits
    /// matter.
    pub(super) fn of(
        relation: Relation,
        ends: impl Iterator<Item = ((i128, i128), bool, bool)>,
    ) -> Option<ByLength> {
        let mut accepted = 0;
        for (length, ((low, high), rises, falls)) in ends.enumerate() {
            let accepts = match relation {
                Relation::Multiple(_) => return None,
                _ if low > 0 => false,
                Relation::Zero if high < 0 => false,
                Relation::AtMostZero if high <= 0 => true,
                _ => return None,
            };
            if (low > 0 && rises) || (low <= 0 && falls) {
                let rest = if accepts { u128::MAX << length } else { 0 };
                return Some(ByLength {
                    accepted: accepted | rest,
                    longer: accepts,
                });
            }
            accepted |= u128::from(accepts) << length;
        }
        None
    }

    /// Whether the empty word is accepted.
    pub(super) fn accepts(self) -> bool {
        self.accepted & 1 == 1
    }

    /// The acceptance after one letter.
    pub(super) fn next(self) -> ByLength {
        ByLength {
            accepted: self.accepted >> 1 | u128::from(self.longer) << (Self::LENGTHS - 1),
            ..self
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum SumState {
    ByLength(ByLength),
    Sum(i128),
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum PartialSum {
    ByLength(ByLength),
    Sum(i128, SmallVec<[u16; 8]>),
}

impl Machine for BaseSum {
    type State = SumState;
    type Partial = PartialSum;

    /// The multiples of one negative weight that further digits can make positive, and of
    /// one positive weight that they can make negative.
    fn least_states(&self) -> u128 {
        let weights = self.weights.iter().copied();
        if let Relation::Multiple(of) = self.relation {
            let divide = |divisor, weight: i128| num_integer::gcd(divisor, weight.unsigned_abs());
            return u128::from(of) / weights.fold(of.into(), divide);
        }
        let top = self.base - 1;
        let multiples = |weight: i128| match weight.signum() {
            1 => -self.least / top / weight,
            -1 => self.most / top / -weight,
            _ => 0,
        };
        weights.map(multiples).max().unwrap_or(0).unsigned_abs()
    }

    fn start(&self) -> SumState {
        SumState::Sum(0)
    }

    fn accepts(&self, state: &SumState) -> bool {
        match state {
            SumState::ByLength(lengths) => lengths.accepts(),
            SumState::Sum(sum) => self.relation.holds(sum + self.constant),
        }
    }

    fn begin(&self, state: &SumState) -> PartialSum {
        match state {
            SumState::ByLength(lengths) => PartialSum::ByLength(lengths.next()),
            SumState::Sum(sum) => {
                PartialSum::Sum(sum * self.base, SmallVec::from_elem(0, self.counters))
            }
        }
    }

    fn feed(&self, partial: &PartialSum, place: usize, digit: u8) -> PartialSum {
        let PartialSum::Sum(sum, counters) = partial else {
            return partial.clone();
        };
        let mut counters = counters.clone();
        for group in &self.groups {
            let mut rest = digit;
            for counter in &mut counters[group.first..group.first + group.count] {
                let own = u16::from(rest % group.base);
                let added = u32::from(*counter) + u32::from(own) * u32::from(group.times[place]);
                *counter = (added % u32::from(group.modulus)) as u16;
                rest /= group.base;
            }
        }
        PartialSum::Sum(sum + self.weights[place] * i128::from(digit), counters)
    }

    fn end(&self, partial: &PartialSum) -> SumState {
        let (mut sum, counters) = match partial {
            PartialSum::ByLength(lengths) => return SumState::ByLength(*lengths),
            PartialSum::Sum(sum, counters) => (*sum, counters),
        };
        for group in &self.groups {
            let mut value = 1;
            for counter in &counters[group.first..group.first + group.count] {
                sum += group.weight * value * i128::from(*counter);
                value *= i128::from(group.base);
            }
        }
        self.state(sum)
    }
}
