//! Weighted sums in Ostrowski numerations.
//!
//! The sum of the digits read so far is `u * w + v * w'`, where `w` is the weight
//! of the next place and `w'` that of the place after it. Each digit updates the
//! pair `(u, v)` by the recurrence of the weights. After the last place they go on
//! as `w = 1` and `w' = 1 - a`.

use super::Machine;
use super::sum::{ByLength, Relation, Sum};
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

    /// The least that the sum can be after each number of further digits. `lost` is the most
    /// that a further place can subtract, in units of its weight. With the least is said
    /// whether it cannot fall from this length on.
    ///
    /// The further digits represent numbers below the weight of the last place
    /// read, which is `a * w + w'`. So the sum is at least
    /// `high * w + low * w' + lost`. If neither `high` nor `high + low` is negative, this
    /// does not fall after the first further digit, since `w` then grows by at least as much
    /// as `w'`, and both grow.
    fn least(&self, (u, v): (i128, i128), lost: i128) -> impl Iterator<Item = (i128, bool)> {
        let (high, low) = (u - self.quotient * lost, v - lost);
        let rises = high >= 0 && high + low >= 0;
        let (quotient, mut weights) = (self.quotient, (1, 1 - self.quotient));
        (0..ByLength::LENGTHS).map(move |length| {
            let (weight, next) = weights;
            weights = (quotient.saturating_mul(weight).saturating_add(next), weight);
            let sum = high
                .saturating_mul(weight)
                .saturating_add(low.saturating_mul(next));
            (sum.saturating_add(lost), rises && (length > 0 || low >= 0))
        })
    }

    /// The sum if no digit follows.
    fn value(&self, (u, v): (i128, i128)) -> i128 {
        u + (1 - self.quotient) * v
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Pair {
    ByLength(ByLength),
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
            Pair::ByLength(lengths) => lengths.accepts(),
            Pair::Sum(u, v) => self.relation.holds(self.value((*u, *v)) + self.constant),
        }
    }

    fn begin(&self, state: &Pair) -> (Pair, i128) {
        match state {
            Pair::ByLength(lengths) => (Pair::ByLength(lengths.next()), 0),
            Pair::Sum(..) => (state.clone(), 0),
        }
    }

    fn feed(&self, partial: &(Pair, i128), place: usize, digit: u8) -> (Pair, i128) {
        match partial {
            (Pair::ByLength(_), _) => partial.clone(),
            (pair, sum) => (pair.clone(), sum + self.weights[place] * i128::from(digit)),
        }
    }

    fn end(&self, (pair, sum): &(Pair, i128)) -> Pair {
        let Pair::Sum(u, v) = pair else {
            return pair.clone();
        };
        let (u, v) = (self.quotient * (u + sum) + v, u + sum);
        if let Relation::Multiple(of) = self.relation {
            let of = i128::from(of);
            return Pair::Sum(u.rem_euclid(of), v.rem_euclid(of));
        }
        let least = self.least((u, v), self.negative);
        let most = self.least((-u, -v), self.positive);
        let ends = least.zip(most).map(|((low, rises), (high, falls))| {
            let ends = (
                low.saturating_add(self.constant),
                self.constant.saturating_sub(high),
            );
            (ends, rises, falls)
        });
        match ByLength::of(self.relation, ends) {
            Some(lengths) => Pair::ByLength(lengths),
            None => Pair::Sum(u, v),
        }
    }
}
