//! Moves within a row: those that lower the packed heap alone.

use super::word::Word;

/// What may be taken from the packed heap alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inside<T> {
    Nothing,
    /// One token: of every run of positions that win no other way, every other
    /// one is P.
    One,
    /// Any number: at most one position of a row is P, the first that does not
    /// win another way.
    Any,
    /// Some numbers, a bit each.
    Some {
        amounts: Vec<T>,
        least: usize,
    },
}

impl<T: Word> Inside<T> {
    /// `amounts` ascending, each at least 1 and at most `most`.
    pub fn new(amounts: &[u64], most: u64) -> Inside<T> {
        match amounts {
            [] => Inside::Nothing,
            [1] => Inside::One,
            _ if amounts.len() as u64 == most => Inside::Any,
            _ => {
                let last = amounts[amounts.len() - 1] as usize;
                let mut words = vec![T::ZERO; last / T::BITS as usize + 1];
                for amount in amounts {
                    let amount = *amount as usize;
                    words[amount / T::BITS as usize] |= T::of(1 << (amount % T::BITS as usize));
                }
                Inside::Some {
                    amounts: words,
                    least: amounts[0] as usize,
                }
            }
        }
    }

    /// Turns the positions of a row that win by a move out of the row, or may
    /// not be P otherwise, into those that are P. `full` has the bits of the
    /// last word that are positions.
    #[inline(always)]
    pub fn settle(&self, row: &mut [T], full: T) {
        match self {
            Inside::Nothing => {
                for word in row.iter_mut() {
                    *word = !*word;
                }
            }
            Inside::One => alternate(row),
            Inside::Any => {
                lowest(row, full);
                return;
            }
            Inside::Some { amounts, .. } => one_by_one(row, amounts, full),
        }
        if let Some(last) = row.last_mut() {
            *last = *last & full;
        }
    }
}

/// In each run of zeros the first is P, and every other one after it.
#[inline(always)]
fn alternate<T: Word>(row: &mut [T]) {
    let mut carry = T::ZERO;
    for word in row {
        let open = !(*word | carry);
        let first = open & !(open << 1);
        // Adding its first bit to a run clears it and sets the bit after it:
        // so the runs that begin at even places are told from the others.
        let sum = open.plus(first & T::EVEN);
        let p = (open & !sum & T::EVEN) | (open & sum & !T::EVEN);
        carry = p >> (T::BITS - 1);
        *word = p;
    }
}

/// The first zero alone.
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

/// One zero after another, each of which wins for those that can reach it.
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
            // What falls into the words to come.
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
