//! The moves within a row, which lower the packed heap alone.

use crate::word::Word;

/// The numbers of tokens that can be taken from the packed heap alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowMoves<T> {
    Nothing,
    /// One token: in each run of positions that have no winning move out of the
    /// row, every other position is P, from the first on.
    One,
    /// Any number: only the first position without a winning move out of the
    /// row is P.
    Any,
    /// Some numbers: bit i of word w is the number w·BITS + i.
    Some(Vec<T>),
}

/// Numbers of tokens, at least 1 each: `first`, `first + by`, and so on, `count` of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amounts {
    pub first: u64,
    pub by: u64,
    pub count: u64,
}

impl Amounts {
    fn last(&self) -> u64 {
        self.first + self.by * (self.count - 1)
    }

    fn is_one(&self) -> bool {
        (self.first, self.count) == (1, 1)
    }

    fn are_all(&self, most: u64) -> bool {
        (self.first, self.by, self.count) == (1, 1, most)
    }
}

impl<T: Word> RowMoves<T> {
    /// The moves that take one of these numbers, each at most `most`.
    pub fn new(amounts: &[Amounts], most: u64) -> RowMoves<T> {
        if amounts.is_empty() {
            return RowMoves::Nothing;
        }
        if amounts.iter().all(Amounts::is_one) {
            return RowMoves::One;
        }
        let count = RowMoves::<T>::words(amounts, most);
        if count == 0 {
            return RowMoves::Any;
        }
        let mut words = vec![T::ZERO; count];
        for amounts in amounts {
            for times in 0..amounts.count {
                let amount = (amounts.first + times * amounts.by) as usize;
                let word = &mut words[amount / T::BITS as usize];
                *word |= T::of_u64(1 << (amount % T::BITS as usize));
            }
        }
        let different = words
            .iter()
            .map(|word| u64::from(word.to_u64().count_ones()));
        if different.sum::<u64>() == most {
            return RowMoves::Any;
        }
        RowMoves::Some(words)
    }

    /// The bytes of memory of the moves.
    pub fn bytes(amounts: &[Amounts], most: u64) -> u128 {
        RowMoves::<T>::words(amounts, most) as u128 * size_of::<T>() as u128
    }

    /// The words that list the numbers; none if there are no others than 1, or if any
    /// number is among them.
    fn words(amounts: &[Amounts], most: u64) -> usize {
        let is_simple = amounts.iter().all(Amounts::is_one)
            || amounts.iter().any(|amounts| amounts.are_all(most));
        match amounts.iter().map(Amounts::last).max() {
            Some(last) if !is_simple => last as usize / T::BITS as usize + 1,
            _ => 0,
        }
    }

    /// Solves a row in place. Before, the set bits are the excluded positions,
    /// such as those with a winning move out of the row; afterwards they are
    /// the P-positions. `full` has the bits of the last word that are
    /// positions.
    #[inline(always)]
    pub fn solve(&self, row: &mut [T], full: T) {
        match self {
            RowMoves::Nothing => {
                for word in row.iter_mut() {
                    *word = !*word;
                }
            }
            RowMoves::One => alternate(row),
            RowMoves::Any => {
                lowest(row, full);
                return;
            }
            RowMoves::Some(amounts) => one_by_one(row, amounts, full),
        }
        if let Some(last) = row.last_mut() {
            *last = *last & full;
        }
    }
}

/// Sets the first bit of each run of zeros, and every other one after it.
#[inline(always)]
fn alternate<T: Word>(row: &mut [T]) {
    let mut carry = T::ZERO;
    for word in row {
        let open = !(*word | carry);
        let first = open & !(open << 1);
        // Adding the first bit of a run clears the run and sets the bit after
        // it. This separates the runs that begin at even places.
        let sum = open.plus(first & T::EVEN);
        let p = (open & !sum & T::EVEN) | (open & sum & !T::EVEN);
        carry = p >> (T::BITS - 1);
        *word = p;
    }
}

/// Sets the first zero alone.
#[inline(always)]
fn lowest<T: Word>(row: &mut [T], full: T) {
    let count = row.len();
    let mut found = false;
    for (place, word) in row.iter_mut().enumerate() {
        let mut bit = if found { T::ZERO } else { word.lowest_zero() };
        if place + 1 == count {
            bit = bit & full;
        }
        found |= bit != T::ZERO;
        *word = bit;
    }
}

/// Takes the zeros in order: each is P, and excludes the positions that have a
/// move to it.
fn one_by_one<T: Word>(row: &mut [T], amounts: &[T], full: T) {
    let count = row.len();
    for place in 0..count {
        let full = if place + 1 == count { full } else { !T::ZERO };
        let mut p = T::ZERO;
        let mut closed = row[place] | !full;
        while closed != !T::ZERO {
            let bit = closed.lowest_zero();
            let shift = bit.trailing_zeros();
            p |= bit;
            closed |= bit | (amounts[0] << shift);
            // The part of the shifted amounts in later words.
            let rest = &mut row[place + 1..];
            for (word, amount) in rest.iter_mut().zip(&amounts[1..]) {
                *word |= *amount << shift;
            }
            if shift > 0 {
                for (word, amount) in rest.iter_mut().zip(amounts) {
                    *word |= *amount >> (T::BITS - shift);
                }
            }
        }
        row[place] = p;
    }
}
