//! A position whose numbers may have any size.

use super::game::Game;
use num_bigint::BigUint;

/// The largest number that an expression can read.
const MAX_SMALL: u64 = i64::MAX.unsigned_abs();

/// A position: one number for each heap, token or state, or the sorted heaps of a
/// multiset ([`super::game::PositionKind`]).
///
/// Engines, claims and boards work on numbers of a machine word ([`Position::small`]).
/// A position with a larger number is answered by proofs for all sizes only.
///
/// # Examples
///
/// ```
/// use nimrule_model::position::Position;
///
/// let position = Position::from(vec![3, 4, 5]);
/// assert_eq!(position.small(), Some(&[3, 4, 5][..]));
/// assert_eq!(position.numbers().len(), 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(Numbers);

/// `Large` only if some number exceeds [`MAX_SMALL`], so that equal positions are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Numbers {
    Small(Vec<u64>),
    Large(Vec<BigUint>),
}

impl From<Vec<u64>> for Position {
    fn from(numbers: Vec<u64>) -> Position {
        match numbers.iter().all(|number| *number <= MAX_SMALL) {
            true => Position(Numbers::Small(numbers)),
            false => numbers.into_iter().map(BigUint::from).collect(),
        }
    }
}

impl From<&[u64]> for Position {
    fn from(numbers: &[u64]) -> Position {
        Position::from(numbers.to_vec())
    }
}

impl FromIterator<BigUint> for Position {
    fn from_iter<I: IntoIterator<Item = BigUint>>(numbers: I) -> Position {
        let numbers: Vec<BigUint> = numbers.into_iter().collect();
        let small = numbers.iter().map(|number| u64::try_from(number).ok());
        let small: Option<Vec<u64>> = small
            .map(|number| number.filter(|number| *number <= MAX_SMALL))
            .collect();
        Position(match small {
            Some(small) => Numbers::Small(small),
            None => Numbers::Large(numbers),
        })
    }
}

impl Position {
    /// The numbers, if expressions can read all of them.
    pub fn small(&self) -> Option<&[u64]> {
        match &self.0 {
            Numbers::Small(numbers) => Some(numbers),
            Numbers::Large(_) => None,
        }
    }

    /// The numbers, of any size.
    pub fn numbers(&self) -> Vec<BigUint> {
        match &self.0 {
            Numbers::Small(numbers) => numbers.iter().copied().map(BigUint::from).collect(),
            Numbers::Large(numbers) => numbers.clone(),
        }
    }

    /// How many numbers it has.
    pub fn len(&self) -> usize {
        match &self.0 {
            Numbers::Small(numbers) => numbers.len(),
            Numbers::Large(numbers) => numbers.len(),
        }
    }

    /// Whether it has no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position in the syntax of the language.
    pub fn shown(&self, game: &Game) -> String {
        match &self.0 {
            Numbers::Small(numbers) => game.shown(numbers),
            Numbers::Large(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(BigUint::to_string).collect();
                game.shown_numbers(&numbers)
            }
        }
    }
}
