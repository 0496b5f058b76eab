//! Affine expressions over bounded integer variables.

use nimrule_model::expr::bounds::Interval;
use std::collections::BTreeMap;

/// The bound that means "unbounded".
pub const INFINITY: i128 = Interval::ALL.high;

/// A variable: its index in a list of intervals.
pub type Variable = usize;

/// `constant + Σ coefficient * variable`, without coefficients 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affine {
    pub constant: i128,
    pub terms: BTreeMap<Variable, i128>,
}

impl Affine {
    pub fn constant(constant: i128) -> Affine {
        Affine {
            constant,
            terms: BTreeMap::new(),
        }
    }

    pub fn variable(variable: Variable) -> Affine {
        Affine {
            constant: 0,
            terms: BTreeMap::from([(variable, 1)]),
        }
    }

    /// The value, if no variable occurs.
    pub fn value(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    pub fn plus(mut self, other: &Affine) -> Affine {
        self.add(other, 1);
        self
    }

    pub fn minus(mut self, other: &Affine) -> Affine {
        self.add(other, -1);
        self
    }

    /// Adds `factor * other`.
    pub fn add(&mut self, other: &Affine, factor: i128) {
        self.constant = saturated(
            self.constant
                .saturating_add(other.constant.saturating_mul(factor)),
        );
        for (variable, coefficient) in &other.terms {
            let sum = self.terms.entry(*variable).or_insert(0);
            *sum = saturated(sum.saturating_add(coefficient.saturating_mul(factor)));
            if *sum == 0 {
                self.terms.remove(variable);
            }
        }
    }

    pub fn times(&self, factor: i128) -> Affine {
        let mut product = Affine::default();
        product.add(self, factor);
        product
    }

    /// An interval that contains every value.
    pub fn interval(&self, variables: &[Interval]) -> Interval {
        let mut sum = Interval::new(self.constant, self.constant);
        for (variable, coefficient) in &self.terms {
            sum = plus(sum, scaled(variables[*variable], *coefficient));
        }
        sum
    }
}

fn saturated(value: i128) -> i128 {
    value.clamp(-INFINITY, INFINITY)
}

/// The interval of the sums. A sum with an infinite bound is infinite.
pub fn plus(a: Interval, b: Interval) -> Interval {
    let low = match a.low.min(b.low) {
        low if low <= -INFINITY => -INFINITY,
        _ => a.low + b.low,
    };
    let high = match a.high.max(b.high) {
        high if high >= INFINITY => INFINITY,
        _ => a.high + b.high,
    };
    Interval::new(low, high)
}

/// The interval of the multiples by a constant.
pub fn scaled(interval: Interval, factor: i128) -> Interval {
    let (a, b) = (
        interval.low.saturating_mul(factor),
        interval.high.saturating_mul(factor),
    );
    Interval::new(a.min(b), a.max(b))
}
