//! Changes of scale: measures of the sizes in which a claim is linear.
//!
//! If a rule compares the size of each heap only with its size before or after
//! the move, then every increasing bijection of the sizes, heap by heap, maps
//! moves to moves. A claim such as `y == x*x` is then equivalent to the claim
//! `y == u`, where `u = x*x` is the measure of the heap x.
//!
//! A measure is a polynomial in the size with nonnegative weights and without a
//! constant: it is increasing, and a bijection of the nonnegative reals. The
//! exponents are chosen so that the terms of a comparison have equal measures:
//! the conditions `y == x*x` and `z == x*x*x` together need the measures `x^6`,
//! `y^3` and `z^2`. The choice is heuristic. Each comparison of the claim and of
//! the rule is rewritten by itself, and is refused if that is impossible.

use super::fields::SizeFormula;
use super::formula::{Comparisons, Formula, Relation};
use super::number::{Linear, Polynomial, Rational, Variable, integer, is_zero, of_heap, sign};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// The measure of a heap: a polynomial in its size. The element `i` is the weight
/// of the power `i + 1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure(Vec<Rational>);

impl Measure {
    fn power_of(exponent: u32) -> Measure {
        let mut weights = vec![integer(0); exponent as usize];
        if let Some(highest) = weights.last_mut() {
            *highest = integer(1);
        }
        Measure(weights)
    }

    /// The exponent, if it is a power of the size times a constant.
    fn power(&self) -> Option<u32> {
        let (_, lower) = self.0.split_last()?;
        lower.iter().all(is_zero).then_some(self.0.len() as u32)
    }

    /// The size itself.
    pub fn size() -> Measure {
        Measure(vec![integer(1)])
    }

    /// Returns whether the measure is the size.
    pub fn is_size(&self) -> bool {
        *self == Measure::size()
    }

    fn is_increasing(&self) -> bool {
        let (mut falls, mut rises) = (false, false);
        for weight in &self.0 {
            falls |= sign(weight) == Ordering::Less;
            rises |= sign(weight) == Ordering::Greater;
        }
        rises && !falls
    }

    /// The measure of a size.
    pub fn of(&self, size: &Rational) -> Rational {
        let zero = integer(0);
        let weights = self.0.iter().rev();
        weights.fold(zero, |sum, weight| (sum + weight) * size)
    }

    /// The measure as an expression, for example `x*x + 2*x`.
    pub fn words(&self, name: &str) -> String {
        let mut parts = Vec::new();
        for (below, weight) in self.0.iter().enumerate().rev() {
            if is_zero(weight) {
                continue;
            }
            let power = vec![name; below + 1].join("*");
            parts.push(if *weight == integer(1) {
                power
            } else {
                format!("{weight}*{power}")
            });
        }
        parts.join(" + ")
    }
}

/// A polynomial as a sum of polynomials in one variable each, and a constant.
struct Separated {
    parts: BTreeMap<Variable, Measure>,
    constant: Rational,
}

/// Separates a polynomial by its variables; `None` if it has a product of two of
/// them.
fn separated(polynomial: &Polynomial) -> Option<Separated> {
    let mut parts = Separated {
        parts: BTreeMap::new(),
        constant: integer(0),
    };
    for (product, weight) in &polynomial.terms {
        match product.as_slice() {
            [] => parts.constant = weight.clone(),
            [(variable, exponent)] => {
                let weights = &mut parts
                    .parts
                    .entry(*variable)
                    .or_insert(Measure(Vec::new()))
                    .0;
                let place = *exponent as usize;
                if weights.len() < place {
                    weights.resize(place, integer(0));
                }
                weights[place - 1] = weight.clone();
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// A polynomial as a constant times a polynomial with coprime integer weights, the
/// highest of them positive.
fn factored(part: &Measure) -> (Rational, Measure) {
    let highest = part.0.last().cloned().unwrap_or_else(|| integer(1));
    let weights = part.0.iter().map(|weight| weight / &highest);
    let weights: Vec<Rational> = weights.collect();
    // The least common multiple of the denominators: one in lowest terms over
    // another, times that other.
    let common = weights.iter().fold(integer(1), |common, weight| {
        let denominator = Rational::from_integer(weight.denom().clone());
        Rational::from_integer((&common / &denominator).numer().clone()) * denominator
    });
    let weights = weights.into_iter().map(|weight| weight * &common);
    (highest / &common, Measure(weights.collect()))
}

/// The measures of all heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scales {
    pub measures: Vec<Measure>,
}

impl Scales {
    /// Infers measures from the comparisons of statements.
    pub fn inferred<'s>(heaps: usize, statements: impl Iterator<Item = &'s SizeFormula>) -> Scales {
        let mut constraints = ScaleConstraints::new(heaps);
        for statement in statements {
            statement.each(&mut |polynomial: &Polynomial, _| constraints.collect(polynomial));
        }
        Scales {
            measures: constraints.measures(),
        }
    }

    /// The measure of the heap of a variable.
    fn measure(&self, variable: Variable) -> Option<&Measure> {
        self.measures.get((variable / 2) as usize)
    }

    /// Returns whether all measures are the sizes.
    pub fn are_sizes(&self) -> bool {
        self.measures.iter().all(Measure::is_size)
    }

    /// The expressions of the measures; `None` if they are the sizes.
    pub fn words(&self, names: &[String]) -> Option<Vec<String>> {
        let words = self.measures.iter().zip(names);
        (!self.are_sizes()).then(|| words.map(|(m, name)| m.words(name)).collect())
    }

    /// Rewrites a statement about sizes to one about their measures.
    ///
    /// # Errors
    ///
    /// A term that is not linear in the measures.
    pub fn rewrite(&self, formula: &SizeFormula) -> Result<Formula<Linear>, Polynomial> {
        formula.mapped(
            &mut |polynomial, relation| match self.linear_form(polynomial) {
                Some(linear) => Ok(Formula::compare(linear, relation)),
                None => Err(polynomial.clone()),
            },
        )
    }

    /// A weighted sum of measures with the same sign as the polynomial.
    fn linear_form(&self, polynomial: &Polynomial) -> Option<Linear> {
        // If the measures are the sizes, a linear form may contain amounts too.
        if self.are_sizes()
            && let Some(linear) = polynomial.as_linear()
        {
            return Some(linear);
        }
        let separated = separated(polynomial)?;
        let as_sum = || {
            let mut sum = Linear::constant(separated.constant.clone());
            for (variable, part) in &separated.parts {
                let (weight, part) = factored(part);
                if part != *self.measure(*variable)? {
                    return None;
                }
                sum = sum.plus(&Linear::variable(*variable).times(&weight));
            }
            Some(sum)
        };
        as_sum().or_else(|| self.by_order(&separated))
    }

    /// The linear form of a comparison of two sizes with equal measures, or of a
    /// size with a constant.
    fn by_order(&self, separated: &Separated) -> Option<Linear> {
        let mut all = separated.parts.iter();
        match (all.next(), all.next(), all.next()) {
            (Some((variable, part)), None, None) => {
                let (weight, part) = factored(part);
                if !part.is_increasing() {
                    return None;
                }
                let measure = Linear::variable(*variable);
                let bound = -&separated.constant / &weight;
                let apart = match sign(&bound) {
                    // A measure is always larger than a negative number.
                    Ordering::Less => Linear::constant(integer(1)),
                    Ordering::Equal => measure,
                    // x^2 < 3 if and only if x^6 < 27.
                    Ordering::Greater => {
                        let of = self.measure(*variable)?;
                        let at = match (part.power()?, of.power()) {
                            (1, _) => of.of(&bound),
                            (power, Some(measure)) if measure.is_multiple_of(power) => {
                                Measure::power_of(measure / power).of(&bound)
                            }
                            _ => return None,
                        };
                        measure.minus(&Linear::constant(at))
                    }
                };
                Some(apart.times(&weight))
            }
            (Some((one, part)), Some((other, rival)), None) => {
                let (weight, part) = factored(part);
                let (against, rival) = factored(rival);
                let (of, of_rival) = (self.measure(*one)?, self.measure(*other)?);
                let powers = |left: &Measure, right: &Measure| {
                    Some((u64::from(left.power()?), u64::from(right.power()?)))
                };
                let alike = (part == rival && of == of_rival)
                    || powers(&part, &rival)
                        .zip(powers(of, of_rival))
                        .is_some_and(|((p, q), (a, b))| a * q == b * p);
                let opposed = is_zero(&(&weight + against)) && is_zero(&separated.constant);
                let apart = Linear::variable(*one).minus(&Linear::variable(*other));
                (alike && opposed && part.is_increasing() && rival.is_increasing())
                    .then(|| apart.times(&weight))
            }
            _ => None,
        }
    }
}

/// The largest exponent of a measure.
const HIGHEST_POWER: u32 = 60;

/// The constraints on the measures by the comparisons of statements.
struct ScaleConstraints {
    /// For each heap the summands, each with its degree: they must be multiples
    /// of the measure.
    sums: Vec<BTreeSet<(usize, Measure)>>,
    /// Comparisons of `x^p` with `y^q`: the exponents of the two measures must
    /// have the ratio p : q.
    powers: BTreeSet<((usize, u32), (usize, u32))>,
    /// Comparisons of `x^p` with a constant: p must divide the exponent.
    bounded: BTreeSet<(usize, u32)>,
}

impl ScaleConstraints {
    fn new(heaps: usize) -> ScaleConstraints {
        ScaleConstraints {
            sums: vec![BTreeSet::new(); heaps],
            powers: BTreeSet::new(),
            bounded: BTreeSet::new(),
        }
    }

    fn collect(&mut self, polynomial: &Polynomial) {
        let Some(separated) = separated(polynomial) else {
            return;
        };
        let heaps = (0..self.sums.len()).filter_map(|heap| {
            let part = separated.parts.get(&of_heap(heap))?;
            let (weight, measure) = factored(part);
            Some((heap, weight, measure))
        });
        let heaps: Vec<(usize, Rational, Measure)> = heaps.collect();
        match heaps.as_slice() {
            [(heap, _, part)] => {
                if let Some(power) = part.power() {
                    if !is_zero(&separated.constant) {
                        self.bounded.insert((*heap, power));
                    }
                    return;
                }
            }
            [(one, weight, part), (other, against, rival)] => {
                if let (Some(power), Some(against_power)) = (part.power(), rival.power())
                    && is_zero(&separated.constant)
                    && is_zero(&(weight + against))
                {
                    self.powers.insert(((*one, power), (*other, against_power)));
                    return;
                }
            }
            _ => {}
        }
        for (heap, _, measure) in heaps {
            if measure.is_increasing() {
                self.sums[heap].insert((measure.0.len(), measure));
            }
        }
    }

    /// Measures that satisfy the constraints, if that is possible.
    fn measures(mut self) -> Vec<Measure> {
        let fixed: Vec<Option<Measure>> = std::mem::take(&mut self.sums)
            .into_iter()
            .map(|parts| parts.into_iter().next_back().map(|(_, measure)| measure))
            .collect();
        let mut exponents: Vec<Option<Rational>> = fixed
            .iter()
            .map(|measure| Some(integer(measure.as_ref()?.power()?.into())))
            .collect();
        self.propagate(&mut exponents);
        // A component of compared heaps without a summand is determined up to a
        // common factor.
        for heap in 0..exponents.len() {
            if exponents[heap].is_some() || fixed[heap].is_some() {
                continue;
            }
            let before = exponents.clone();
            exponents[heap] = Some(integer(1));
            self.propagate(&mut exponents);
            let new: Vec<usize> = (0..exponents.len())
                .filter(|heap| before[*heap].is_none() && exponents[*heap].is_some())
                .collect();
            let mut factor = integer(1);
            for heap in &new {
                let bounded = self.bounded.iter().filter(|(of, _)| of == heap);
                for power in bounded.map(|(_, power)| *power).chain([1]) {
                    if let Some(exponent) = &exponents[*heap] {
                        let share = exponent * &factor / integer(power.into());
                        factor *= Rational::from_integer(share.denom().clone());
                    }
                }
            }
            for heap in new {
                exponents[heap] = exponents[heap].take().map(|exponent| exponent * &factor);
            }
        }
        let measures = fixed.into_iter().zip(exponents);
        let measures = measures.map(|(fixed, exponent)| match (fixed, exponent) {
            (Some(measure), _) => measure,
            (None, Some(exponent)) => power_measure(&exponent),
            (None, None) => Measure::size(),
        });
        measures.collect()
    }

    /// Propagates exponents between heaps that are compared with each other.
    fn propagate(&self, exponents: &mut [Option<Rational>]) {
        let mut grows = true;
        while grows {
            grows = false;
            for ((one, power), (other, against)) in &self.powers {
                let ratio = integer((*against).into()) / integer((*power).into());
                let (to, exponent) = match (&exponents[*one], &exponents[*other]) {
                    (Some(exponent), None) => (*other, exponent * ratio),
                    (None, Some(exponent)) => (*one, exponent / ratio),
                    _ => continue,
                };
                exponents[to] = Some(exponent);
                grows = true;
            }
        }
    }
}

/// The power of the size with this exponent; the size itself if the exponent is
/// not an integer in range.
fn power_measure(exponent: &Rational) -> Measure {
    let integral = exponent
        .is_integer()
        .then(|| u32::try_from(exponent.numer()));
    match integral {
        Some(Ok(power)) if (1..=HIGHEST_POWER).contains(&power) => Measure::power_of(power),
        _ => Measure::size(),
    }
}

/// Divides each comparison by the common factors of its products: `x*y <= x*z`
/// becomes `x == 0 or y <= z`.
pub fn without_common_factors(formula: &SizeFormula) -> SizeFormula {
    let done: Result<SizeFormula, std::convert::Infallible> =
        formula.mapped(&mut |polynomial: &Polynomial, relation| Ok(divided(polynomial, relation)));
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}

fn divided(polynomial: &Polynomial, relation: Relation) -> SizeFormula {
    let mut products = polynomial.terms.keys();
    let mut shared: BTreeMap<Variable, u32> = match products.next() {
        Some(first) => first.iter().copied().collect(),
        None => BTreeMap::new(),
    };
    for product in products {
        shared = shared
            .into_iter()
            .filter_map(|(variable, exponent)| {
                let here = product.iter().find(|(other, _)| *other == variable)?;
                Some((variable, exponent.min(here.1)))
            })
            .collect();
    }
    // A single size stays unchanged.
    if shared.is_empty() || polynomial.as_linear().is_some() {
        return Formula::compare(polynomial.clone(), relation);
    }
    let terms = polynomial.terms.iter().map(|(product, weight)| {
        let left = product.iter().filter_map(|(variable, exponent)| {
            let exponent = exponent - shared.get(variable).copied().unwrap_or(0);
            (exponent > 0).then_some((*variable, exponent))
        });
        (left.collect(), weight.clone())
    });
    let rest = Formula::compare(
        Polynomial {
            terms: terms.collect(),
        },
        relation,
    );
    let empty = |variable| Formula::compare(Polynomial::variable(variable), Relation::Zero);
    match relation {
        Relation::Negative => {
            let all = shared.keys().map(|variable| empty(*variable).negated());
            Formula::and(all.chain([rest]))
        }
        _ => Formula::or(shared.keys().map(|variable| empty(*variable)).chain([rest])),
    }
}
