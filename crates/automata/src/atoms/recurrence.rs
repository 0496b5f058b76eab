//! Weighted sums in Ostrowski numerations.
//!
//! The sum of the digits read so far is `u * w + v * w'`, where `w` is the weight
//! of the next place and `w'` that of the place after it. Each digit updates the
//! pair `(u, v)` by the recurrence of the weights. After the last place they go on
//! as `w = 1` and `w' = 1 - a`.

use super::Machine;
use super::sum::{Relation, Sum};
use crate::Track;

pub(super) struct RecurrenceSum {
    /// The partial quotient a.
    quotient: i128,
    weights: Vec<i128>,
    constant: i128,
    relation: Relation,
    /// The absolute values of the sums of the negative and of the positive
    /// weights.
    negative: i128,
    positive: i128,
}

impl RecurrenceSum {
    pub(super) fn new(
        quotient: u8,
        sum: &Sum,
        tracks: &[Track],
        relation: Relation,
    ) -> RecurrenceSum {
        let mut weights = vec![0_i128; tracks.len()];
        for (weight, track) in &sum.terms {
            weights[tracks.binary_search(track).unwrap_or_default()] += i128::from(*weight);
        }
        RecurrenceSum {
            quotient: quotient.into(),
            constant: i128::from(sum.constant),
            relation,
            negative: -weights.iter().map(|w| (*w).min(0)).sum::<i128>(),
            positive: weights.iter().map(|w| (*w).max(0)).sum(),
            weights,
        }
    }

    /// Returns whether the sum stays positive for all further digits. `lost` is
    /// the most that a further place can subtract, in units of its weight.
    ///
    /// The further digits represent numbers below the weight of the last place
    /// read, which is `a * w + w'`. So the sum is at least
    /// `high * w + low * w' + lost`. If neither `high` nor `high + low` is negative, this
    /// is least for one of the last two pairs of weights, since otherwise `w >= w' >= 1`.
    fn stays_positive(&self, (u, v): (i128, i128), lost: i128, constant: i128) -> bool {
        let (high, low) = (u - self.quotient * lost, v - lost);
        let at_end = self.value((high, low)).min(high + low);
        high >= 0 && high + low >= 0 && at_end + lost + constant > 0
    }

    /// The sum if no digit follows.
    fn value(&self, (u, v): (i128, i128)) -> i128 {
        u + (1 - self.quotient) * v
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Pair {
    Settled(bool),
    Sum(i128, i128),
}

impl Machine for RecurrenceSum {
    type State = Pair;
    /// The pair and the sum of the digits of this letter.
    type Partial = (Pair, i128);

    fn start(&self) -> Pair {
        Pair::Sum(0, 0)
    }

    fn accepts(&self, state: &Pair) -> bool {
        match state {
            Pair::Settled(answer) => *answer,
            Pair::Sum(u, v) => self.relation.holds(self.value((*u, *v)) + self.constant),
        }
    }

    fn begin(&self, state: &Pair) -> (Pair, i128) {
        (state.clone(), 0)
    }

    fn feed(&self, partial: &(Pair, i128), place: usize, digit: u8) -> (Pair, i128) {
        match partial {
            (Pair::Settled(_), _) => partial.clone(),
            (pair, sum) => (pair.clone(), sum + self.weights[place] * i128::from(digit)),
        }
    }

    fn end(&self, (pair, sum): &(Pair, i128)) -> Pair {
        let Pair::Sum(u, v) = pair else {
            return pair.clone();
        };
        let (u, v) = (self.quotient * (u + sum) + v, u + sum);
        match self.relation {
            Relation::Multiple(of) => {
                let of = i128::from(of);
                Pair::Sum(u.rem_euclid(of), v.rem_euclid(of))
            }
            _ if self.stays_positive((u, v), self.negative, self.constant) => Pair::Settled(false),
            relation if self.stays_positive((-u, -v), self.positive, -self.constant) => {
                Pair::Settled(relation == Relation::AtMostZero)
            }
            _ => Pair::Sum(u, v),
        }
    }
}
