//! The moves of a rule as comparisons between numbers, for those who check a
//! proof.
//!
//! The prover reads a rule as formulas and makes automata of them. Whoever
//! checks a proof should not have to trust that. Here a way to move is no more
//! than a list of comparisons that all hold: between the heaps before the move,
//! what they become, and a few numbers besides (an amount that is a power of
//! three, say). Each compares a weighted sum with nothing, and is checked by
//! reading the digits from the most significant on with the sum so far, which
//! is given up where what follows cannot bring it back (`machine`). There are
//! no formulas, no diagrams for moves, and nothing is made deterministic.
//!
//! - `read`: the ways of a rule; what cannot be put so is named.
//! - `machine`: comparisons, digit by digit.
//! - [`verify`]: that a set is that of the P-positions, by the partition
//!   theorem.
//! - [`options`]: the options of a position as the ways have them, to be held
//!   against the plain move generator.

mod conditions;
mod machine;
mod read;
mod verify;

pub use machine::options;
pub use read::ways;
pub use verify::{Refused, Verified, verify};

use std::collections::BTreeMap;
use thiserror::Error;

/// A number that a comparison speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// A heap as it was.
    Before(usize),
    /// A heap as it becomes.
    After(usize),
    /// A number that only has to be there.
    Beside(usize),
}

/// A weighted sum and a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Linear {
    pub weights: BTreeMap<Variable, i64>,
    pub constant: i64,
}

/// Something that has to hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// The sum is 0.
    Zero(Linear),
    /// The sum is at most 0.
    AtMostZero(Linear),
    /// The number is a power of this one.
    Power(i64, usize),
}

/// A way to move: all of this holds, for some numbers besides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The heaps that it may change, ascending; all others stay.
    pub touched: Vec<usize>,
    /// How many numbers there are besides.
    pub beside: usize,
    pub atoms: Vec<Atom>,
}

/// What cannot be put as such comparisons, in words.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unread(pub String);

/// Sums with larger numbers are not gone into.
const LARGEST: i64 = 1 << 20;

impl Linear {
    pub fn of(constant: i64) -> Linear {
        Linear {
            weights: BTreeMap::new(),
            constant,
        }
    }

    pub fn variable(variable: Variable) -> Linear {
        Linear {
            weights: BTreeMap::from([(variable, 1)]),
            constant: 0,
        }
    }

    /// This and so many times the other.
    pub fn plus(&self, factor: i64, other: &Linear) -> Result<Linear, Unread> {
        let large = || Unread("numbers this large".to_owned());
        let fits = |number: i64| (-LARGEST..=LARGEST).contains(&number);
        let sum = |one: i64, more: i64| {
            let sum = more.checked_mul(factor).and_then(|m| m.checked_add(one));
            sum.filter(|sum| fits(*sum)).ok_or_else(large)
        };
        let mut all = Linear {
            weights: self.weights.clone(),
            constant: sum(self.constant, other.constant)?,
        };
        for (variable, weight) in &other.weights {
            let own = all.weights.entry(*variable).or_default();
            *own = sum(*own, *weight)?;
        }
        all.weights.retain(|_, weight| *weight != 0);
        Ok(all)
    }

    pub fn times(&self, factor: i64) -> Result<Linear, Unread> {
        Linear::default().plus(factor, self)
    }

    /// The constant that it is.
    pub fn constant(&self) -> Option<i64> {
        self.weights.is_empty().then_some(self.constant)
    }

    pub fn weight(&self, variable: Variable) -> i64 {
        self.weights.get(&variable).copied().unwrap_or(0)
    }
}

impl Atom {
    /// Whether it holds, where it speaks of no variable.
    pub fn settled(&self) -> Option<bool> {
        match self {
            Atom::Zero(sum) => sum.constant().map(|sum| sum == 0),
            Atom::AtMostZero(sum) => sum.constant().map(|sum| sum <= 0),
            Atom::Power(..) => None,
        }
    }
}
