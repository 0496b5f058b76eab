//! Terms: linear forms and polynomials with rational weights.
//!
//! A variable is the size of a heap before or after a move, or an amount. All
//! variables are nonnegative, and the operations here rely on it.

pub use nimrule_symbolic::formula::{Variable, first_free, of_heap, of_heap_after};

use num_bigint::{BigInt, Sign};
use num_rational::Ratio;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// An exact fraction, always in lowest terms.
pub type Rational = Ratio<BigInt>;

/// An assignment of values to variables.
pub type Values = BTreeMap<Variable, Rational>;

/// The fraction of an integer.
pub fn integer(value: i64) -> Rational {
    Ratio::from_integer(BigInt::from(value))
}

/// The order of a fraction relative to 0.
pub fn sign(value: &Rational) -> Ordering {
    match value.numer().sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

/// Returns whether a fraction is 0.
pub fn is_zero(value: &Rational) -> bool {
    sign(value) == Ordering::Equal
}

/// The bounds of a term over all nonnegative values of its variables, by the signs
/// of its weights.
pub struct Extremes<'t> {
    /// The least value; `None` if a weight is negative.
    pub lowest: Option<&'t Rational>,
    /// The largest value; `None` if a weight is positive.
    pub highest: Option<&'t Rational>,
}

/// The left side of a comparison with 0.
pub trait Term: Clone + Ord + std::fmt::Debug {
    /// The bounds of the term. `zero` is 0, to be borrowed if the term has no
    /// constant.
    fn extremes<'t>(&'t self, zero: &'t Rational) -> Extremes<'t>;

    /// The term times -1.
    fn negated(&self) -> Self;

    /// The representative of the term among its positive multiples.
    fn normalised(self) -> Self;

    /// The value of the term. Variables without a value are 0.
    fn value(&self, values: &Values) -> Rational;

    /// Returns whether the variable occurs in the term.
    fn mentions(&self, variable: Variable) -> bool;
}

/// The value of a variable; 0 if it has none.
pub fn value_of(values: &Values, variable: Variable) -> Rational {
    values.get(&variable).cloned().unwrap_or_else(|| integer(0))
}

/// A weighted sum of variables and a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Linear {
    /// The weights that are not 0, ascending by variable.
    pub terms: Vec<(Variable, Rational)>,
    /// The constant.
    pub constant: Rational,
}

impl Linear {
    /// A constant form.
    pub fn constant(constant: Rational) -> Linear {
        Linear {
            terms: Vec::new(),
            constant,
        }
    }

    /// A variable with weight 1.
    pub fn variable(variable: Variable) -> Linear {
        Linear {
            terms: vec![(variable, integer(1))],
            constant: integer(0),
        }
    }

    /// The weight of a variable; `None` if it does not occur.
    pub fn weight(&self, variable: Variable) -> Option<&Rational> {
        let at = self.terms.binary_search_by_key(&variable, |(of, _)| *of);
        at.ok().map(|at| &self.terms[at].1)
    }

    /// The product with a constant.
    pub fn times(&self, factor: &Rational) -> Linear {
        if is_zero(factor) {
            return Linear::constant(integer(0));
        }
        Linear {
            terms: self.terms.iter().map(|(v, w)| (*v, w * factor)).collect(),
            constant: &self.constant * factor,
        }
    }

    /// The sum.
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

    /// The difference.
    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.negated())
    }

    /// Substitutes a form for a variable.
    pub fn with(&self, variable: Variable, is: &Linear) -> Linear {
        let Some(weight) = self.weight(variable) else {
            return self.clone();
        };
        self.without(variable).plus(&is.times(weight))
    }

    /// The form without the term of a variable.
    pub fn without(&self, variable: Variable) -> Linear {
        let others = self.terms.iter().filter(|(other, _)| *other != variable);
        Linear {
            terms: others.cloned().collect(),
            constant: self.constant.clone(),
        }
    }

    /// The value of the variable for which the form is 0; `None` if the variable
    /// does not occur.
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

/// The absolute value.
fn abs(value: &Rational) -> Rational {
    match sign(value) {
        Ordering::Less => -value.clone(),
        _ => value.clone(),
    }
}

impl Term for Linear {
    fn extremes<'t>(&'t self, _: &'t Rational) -> Extremes<'t> {
        extremes(&self.constant, self.terms.iter().map(|(_, weight)| weight))
    }

    fn negated(&self) -> Linear {
        self.times(&integer(-1))
    }

    fn normalised(self) -> Linear {
        match self.terms.first() {
            None => self,
            Some((_, weight)) => {
                let by = abs(weight).recip();
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

    fn mentions(&self, variable: Variable) -> bool {
        self.weight(variable).is_some()
    }
}

/// A product of variables, ascending, each with its positive exponent.
pub type Product = Vec<(Variable, u32)>;

/// A polynomial.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Polynomial {
    /// The weights that are not 0, by products of variables. The constant is the
    /// weight of the empty product.
    pub terms: BTreeMap<Product, Rational>,
}

/// The largest degree of a product.
const MAX_FACTORS: u32 = 64;

impl Polynomial {
    /// A constant polynomial.
    pub fn constant(value: Rational) -> Polynomial {
        let mut terms = BTreeMap::new();
        if !is_zero(&value) {
            terms.insert(Vec::new(), value);
        }
        Polynomial { terms }
    }

    /// A variable with weight 1.
    pub fn variable(variable: Variable) -> Polynomial {
        Polynomial {
            terms: BTreeMap::from([(vec![(variable, 1)], integer(1))]),
        }
    }

    /// The value of a constant polynomial; `None` for others.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(integer(0)),
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

    /// The sum.
    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        let mut sum = self.clone();
        for (product, weight) in &other.terms {
            sum.add(product.clone(), weight);
        }
        sum
    }

    /// The difference.
    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.plus(&other.negated())
    }

    /// The product with a constant.
    pub fn times_constant(&self, factor: &Rational) -> Polynomial {
        if is_zero(factor) {
            return Polynomial::constant(integer(0));
        }
        let terms = self.terms.iter();
        Polynomial {
            terms: terms.map(|(p, w)| (p.clone(), w * factor)).collect(),
        }
    }

    /// The product; `None` if its degree exceeds the limit of 64.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        let mut all = Polynomial::constant(integer(0));
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

    /// The polynomial with values in place of some variables.
    pub fn at(&self, values: &Values) -> Polynomial {
        let mut all = Polynomial::constant(integer(0));
        for (product, weight) in &self.terms {
            let mut weight = weight.clone();
            let mut rest = Vec::new();
            for (variable, exponent) in product {
                match values.get(variable) {
                    None => rest.push((*variable, *exponent)),
                    Some(value) => (0..*exponent).for_each(|_| weight *= value),
                }
            }
            all.add(rest, &weight);
        }
        // Terms of weight 0 are no terms.
        all.terms.retain(|_, weight| !is_zero(weight));
        all
    }

    /// The polynomial as a linear form; `None` if its degree is above 1.
    pub fn as_linear(&self) -> Option<Linear> {
        let mut linear = Linear::constant(integer(0));
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

    /// A linear form as a polynomial.
    pub fn of_linear(linear: &Linear) -> Polynomial {
        let mut polynomial = Polynomial::constant(linear.constant.clone());
        for (variable, weight) in &linear.terms {
            polynomial.add(vec![(*variable, 1)], weight);
        }
        polynomial
    }
}

impl Term for Polynomial {
    fn extremes<'t>(&'t self, zero: &'t Rational) -> Extremes<'t> {
        let mut constant = zero;
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

    fn negated(&self) -> Polynomial {
        self.times_constant(&integer(-1))
    }

    fn normalised(self) -> Polynomial {
        let first = self.terms.iter().find(|(product, _)| !product.is_empty());
        match first {
            None => self,
            Some((_, weight)) => {
                let by = abs(weight).recip();
                self.times_constant(&by)
            }
        }
    }

    fn value(&self, values: &Values) -> Rational {
        let mut sum = integer(0);
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

    fn mentions(&self, variable: Variable) -> bool {
        let mut products = self.terms.keys();
        products.any(|product| product.iter().any(|(other, _)| *other == variable))
    }
}

/// The simplest fraction of an interval: the least of those with the smallest
/// denominator. An end is part of the interval unless it is `open`; without
/// `high` the interval is unbounded above. Returns `None` if it is empty.
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
        &below + integer(1)
    };
    if fits(&next) {
        return Some(next);
    }
    let (high, high_open) = high?;
    if low > high || (low == high && (low_open || high_open)) {
        return None;
    }
    // The interval has no integer. So its elements have the same integral part,
    // and their fractional parts are reciprocals of numbers above 1.
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
