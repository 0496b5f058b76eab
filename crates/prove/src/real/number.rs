//! Fractions, and polynomials and linear forms with fractions for weights.
//!
//! A variable is a size of a heap, before a move or behind it, or an amount
//! taken. None of them is ever negative, and everything here may rely on it.

pub use crate::symbolic::formula::{Variable, first_free, of_heap, of_heap_after};

use num_bigint::{BigInt, Sign};
use num_rational::Ratio;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// An exact fraction, always in lowest terms.
pub type Rational = Ratio<BigInt>;

/// What sizes and amounts are.
pub type Values = BTreeMap<Variable, Rational>;

pub fn whole(value: i64) -> Rational {
    Ratio::from_integer(BigInt::from(value))
}

/// How a fraction compares with 0.
pub fn sign(value: &Rational) -> Ordering {
    match value.numer().sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

pub fn is_zero(value: &Rational) -> bool {
    sign(value) == Ordering::Equal
}

/// Between what a term lies, for all variables that are not negative. `None`
/// where it has no bound.
pub struct Extremes<'t> {
    pub lowest: Option<&'t Rational>,
    pub highest: Option<&'t Rational>,
}

/// What can be compared with 0.
pub trait Term: Clone + Ord + std::fmt::Debug {
    /// The constant part, and whether the weights of all others are at least 0,
    /// and at most 0.
    fn extremes<'t>(&'t self, nothing: &'t Rational) -> Extremes<'t>;

    /// The same times -1.
    fn turned(&self) -> Self;

    /// The same times a positive number, so that all such become one.
    fn scaled(self) -> Self;

    fn value(&self, values: &Values) -> Rational;

    fn check_supported_by_any(&self, variable: Variable) -> bool;
}

/// What a variable is where nothing is said of it: 0.
pub fn value_of(values: &Values, variable: Variable) -> Rational {
    values.get(&variable).cloned().unwrap_or_else(|| whole(0))
}

/// A weighted sum of variables and a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Linear {
    /// Ascending, each variable once, none with weight 0.
    pub terms: Vec<(Variable, Rational)>,
    pub constant: Rational,
}

impl Linear {
    pub fn constant(constant: Rational) -> Linear {
        Linear {
            terms: Vec::new(),
            constant,
        }
    }

    pub fn variable(variable: Variable) -> Linear {
        Linear {
            terms: vec![(variable, whole(1))],
            constant: whole(0),
        }
    }

    /// The weight of a variable; `None` where it does not stand in it.
    pub fn weight(&self, variable: Variable) -> Option<&Rational> {
        let at = self.terms.binary_search_by_key(&variable, |(of, _)| *of);
        at.ok().map(|at| &self.terms[at].1)
    }

    pub fn times(&self, factor: &Rational) -> Linear {
        if is_zero(factor) {
            return Linear::constant(whole(0));
        }
        Linear {
            terms: self.terms.iter().map(|(v, w)| (*v, w * factor)).collect(),
            constant: &self.constant * factor,
        }
    }

    pub fn plus(&self, other: &Linear) -> Linear {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let first = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((one, _)), Some((another, _))) => one.cmp(another),
            };
            match first {
                Ordering::Less => terms.extend(left.next().cloned()),
                Ordering::Greater => terms.extend(right.next().cloned()),
                Ordering::Equal => {
                    if let (Some((variable, one)), Some((_, another))) = (left.next(), right.next())
                    {
                        let weight = one + another;
                        if !is_zero(&weight) {
                            terms.push((*variable, weight));
                        }
                    }
                }
            }
        }
        Linear {
            terms,
            constant: &self.constant + &other.constant,
        }
    }

    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.turned())
    }

    /// The same with a form in place of a variable.
    pub fn with(&self, variable: Variable, is: &Linear) -> Linear {
        let Some(weight) = self.weight(variable) else {
            return self.clone();
        };
        self.without(variable).plus(&is.times(weight))
    }

    /// All of it but for a variable.
    pub fn without(&self, variable: Variable) -> Linear {
        let others = self.terms.iter().filter(|(other, _)| *other != variable);
        Linear {
            terms: others.cloned().collect(),
            constant: self.constant.clone(),
        }
    }

    /// What the variable must be for this to be 0; `None` where it does not
    /// stand in it.
    pub fn solved_for(&self, variable: Variable) -> Option<Linear> {
        let weight = self.weight(variable)?;
        Some(self.without(variable).times(&-weight.recip()))
    }
}

fn extremes<'t>(
    constant: &'t Rational,
    weights: impl Iterator<Item = &'t Rational>,
) -> Extremes<'t> {
    let (mut rises, mut falls) = (false, false);
    for weight in weights {
        match sign(weight) {
            Ordering::Less => falls = true,
            Ordering::Equal => {}
            Ordering::Greater => rises = true,
        }
    }
    Extremes {
        lowest: (!falls).then_some(constant),
        highest: (!rises).then_some(constant),
    }
}

/// The size of a number.
fn size(value: &Rational) -> Rational {
    match sign(value) {
        Ordering::Less => -value.clone(),
        _ => value.clone(),
    }
}

impl Term for Linear {
    fn extremes<'t>(&'t self, _: &'t Rational) -> Extremes<'t> {
        extremes(&self.constant, self.terms.iter().map(|(_, weight)| weight))
    }

    fn turned(&self) -> Linear {
        self.times(&whole(-1))
    }

    fn scaled(self) -> Linear {
        match self.terms.first() {
            None => self,
            Some((_, weight)) => {
                let by = size(weight).recip();
                self.times(&by)
            }
        }
    }

    fn value(&self, values: &Values) -> Rational {
        let mut sum = self.constant.clone();
        for (variable, weight) in &self.terms {
            sum += weight * value_of(values, *variable);
        }
        sum
    }

    fn check_supported_by_any(&self, variable: Variable) -> bool {
        self.weight(variable).is_some()
    }
}

/// A product of variables, ascending, each with its positive exponent.
pub type Product = Vec<(Variable, u32)>;

/// A sum of products of variables, each with its weight, none of them 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial {
    pub terms: BTreeMap<Product, Rational>,
}

/// Products of more factors are not multiplied out.
const MAX_FACTORS: u32 = 64;

impl Polynomial {
    pub fn constant(value: Rational) -> Polynomial {
        let mut terms = BTreeMap::new();
        if !is_zero(&value) {
            terms.insert(Vec::new(), value);
        }
        Polynomial { terms }
    }

    pub fn variable(variable: Variable) -> Polynomial {
        Polynomial {
            terms: BTreeMap::from([(vec![(variable, 1)], whole(1))]),
        }
    }

    /// The constant that it is.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(whole(0)),
            1 => self.terms.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    fn add(&mut self, product: Product, weight: &Rational) {
        let sum = match self.terms.remove(&product) {
            Some(before) => before + weight,
            None => weight.clone(),
        };
        if !is_zero(&sum) {
            self.terms.insert(product, sum);
        }
    }

    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        let mut sum = self.clone();
        for (product, weight) in &other.terms {
            sum.add(product.clone(), weight);
        }
        sum
    }

    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.plus(&other.turned())
    }

    pub fn times_constant(&self, factor: &Rational) -> Polynomial {
        if is_zero(factor) {
            return Polynomial::constant(whole(0));
        }
        let terms = self.terms.iter();
        Polynomial {
            terms: terms.map(|(p, w)| (p.clone(), w * factor)).collect(),
        }
    }

    /// `None` where the product has too many factors.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut all = Polynomial::constant(whole(0));
        for (one, weight) in &self.terms {
            for (another, by) in &other.terms {
                let mut factors = BTreeMap::new();
                for (variable, exponent) in one.iter().chain(another) {
                    *factors.entry(*variable).or_insert(0u32) += exponent;
                }
                if factors.values().sum::<u32>() > MAX_FACTORS {
                    return None;
                }
                all.add(factors.into_iter().collect(), &(weight * by));
            }
        }
        Some(all)
    }

    /// The same with other variables, no two of which become one.
    pub fn renamed(&self, name: &impl Fn(Variable) -> Variable) -> Polynomial {
        let terms = self.terms.iter().map(|(product, weight)| {
            let mut product: Product = product.iter().map(|(v, e)| (name(*v), *e)).collect();
            product.sort_unstable();
            (product, weight.clone())
        });
        Polynomial {
            terms: terms.collect(),
        }
    }

    /// The weighted sum that it is, where nothing is multiplied in it.
    pub fn as_linear(&self) -> Option<Linear> {
        let mut linear = Linear::constant(whole(0));
        for (product, weight) in &self.terms {
            match product.as_slice() {
                [] => linear.constant = weight.clone(),
                [(variable, 1)] => linear.terms.push((*variable, weight.clone())),
                _ => return None,
            }
        }
        linear.terms.sort_unstable_by_key(|(variable, _)| *variable);
        Some(linear)
    }

    pub fn of_linear(linear: &Linear) -> Polynomial {
        let mut polynomial = Polynomial::constant(linear.constant.clone());
        for (variable, weight) in &linear.terms {
            polynomial.add(vec![(*variable, 1)], weight);
        }
        polynomial
    }
}

impl Term for Polynomial {
    fn extremes<'t>(&'t self, nothing: &'t Rational) -> Extremes<'t> {
        let mut constant = nothing;
        let mut weights = Vec::with_capacity(self.terms.len());
        for (product, weight) in &self.terms {
            if product.is_empty() {
                constant = weight;
            } else {
                weights.push(weight);
            }
        }
        extremes(constant, weights.into_iter())
    }

    fn turned(&self) -> Polynomial {
        self.times_constant(&whole(-1))
    }

    fn scaled(self) -> Polynomial {
        let first = self.terms.iter().find(|(product, _)| !product.is_empty());
        match first {
            None => self,
            Some((_, weight)) => {
                let by = size(weight).recip();
                self.times_constant(&by)
            }
        }
    }

    fn value(&self, values: &Values) -> Rational {
        let mut sum = whole(0);
        for (product, weight) in &self.terms {
            let mut value = weight.clone();
            for (variable, exponent) in product {
                let factor = value_of(values, *variable);
                for _ in 0..*exponent {
                    value *= &factor;
                }
            }
            sum += value;
        }
        sum
    }

    fn check_supported_by_any(&self, variable: Variable) -> bool {
        let mut products = self.terms.keys();
        products.any(|product| product.iter().any(|(other, _)| *other == variable))
    }
}

/// The simplest fraction between two: of those with the smallest denominator
/// the smallest. The ends belong to it where they are not `open`; without a
/// `high` it has no end. `None` where nothing is between.
pub fn simplest_between(
    low: &Rational,
    low_open: bool,
    high: Option<(&Rational, bool)>,
) -> Option<Rational> {
    let fits = |value: &Rational| match high {
        None => true,
        Some((high, true)) => value < high,
        Some((high, false)) => value <= high,
    };
    let below = low.floor();
    let next = if *low == below && !low_open {
        below.clone()
    } else {
        &below + whole(1)
    };
    if fits(&next) {
        return Some(next);
    }
    let (high, high_open) = high?;
    if low > high || (low == high && (low_open || high_open)) {
        return None;
    }
    // No whole number is between, so what is has the same whole part, and the
    // rest of it is one over something larger than 1.
    let (rest_low, rest_high) = (low - &below, high - &below);
    let inverse = simplest_between(
        &rest_high.recip(),
        high_open,
        (!is_zero(&rest_low))
            .then(|| rest_low.recip())
            .as_ref()
            .map(|most| (most, low_open)),
    )?;
    Some(below + inverse.recip())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(above: i64, below: i64) -> Rational {
        whole(above) / whole(below)
    }

    #[test]
    fn the_simplest_between() {
        let between = |low, low_open, high, high_open| {
            simplest_between(&low, low_open, Some((&high, high_open))).map(|f| f.to_string())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(between(whole(0), true, whole(1), true), some("1/2"));
        assert_eq!(between(whole(0), true, fraction(1, 2), true), some("1/3"));
        assert_eq!(between(whole(0), true, whole(1), false), some("1"));
        assert_eq!(
            between(fraction(1, 3), true, fraction(1, 2), true),
            some("2/5")
        );
        assert_eq!(
            between(fraction(5, 7), false, fraction(5, 7), false),
            some("5/7")
        );
        assert_eq!(between(fraction(5, 7), false, fraction(5, 7), true), None);
        assert_eq!(between(whole(2), true, whole(1), true), None);
        assert_eq!(
            simplest_between(&fraction(7, 2), false, None),
            Some(whole(4))
        );
    }

    #[test]
    fn polynomials_multiply_out() {
        let (x, y) = (Polynomial::variable(0), Polynomial::variable(2));
        let square = x.plus(&y).times(&x.minus(&y)).expect("it is small");
        let values = Values::from([(0, whole(5)), (2, fraction(1, 2))]);
        assert_eq!(square.value(&values), fraction(99, 4));
        assert_eq!(square.as_linear(), None);
        let linear = x.minus(&y).as_linear().expect("nothing is multiplied");
        assert_eq!(Polynomial::of_linear(&linear), x.minus(&y));
        assert_eq!(linear.solved_for(0), Some(Linear::variable(2)));
    }
}
