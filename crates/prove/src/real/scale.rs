//! Sizes measured otherwise: a monotone change of scale.
//!
//! A rule that asks of each heap only how it compares with itself before and
//! behind a move does not care how sizes are measured: any increasing bijection
//! of the sizes, heap by heap, carries moves to moves. A claim such as
//! `y == x*x` is then the claim `y == u`, where `u = x*x` measures the heap x.
//!
//! What measures a heap here is a polynomial in its size with weights that are
//! not negative and without a constant: it is increasing, and takes all values
//! from 0 on. Powers are chosen so that what is compared is measured alike:
//! `y == x*x` and `z == x*x*x` together compare `x^6`, `y^3` and `z^2`. Whether
//! a comparison can be said of the measures is asked of each comparison of the
//! claim and of the rule by itself, whatever led to these measures.

use super::fields::Said;
use super::formula::{Formula, Relation};
use super::number::{Linear, Polynomial, Rational, Variable, is_zero, of_heap, sign, whole};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// What measures a heap, a polynomial in its size: the weights by exponents,
/// from 1 on.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Measure(Vec<Rational>);

impl Measure {
    fn power_of(exponent: u32) -> Measure {
        let mut weights = vec![whole(0); exponent as usize];
        if let Some(highest) = weights.last_mut() {
            *highest = whole(1);
        }
        Measure(weights)
    }

    /// The exponent, where it is a power of the size times a number.
    fn power(&self) -> Option<u32> {
        let (_, lower) = self.0.split_last()?;
        lower.iter().all(is_zero).then_some(self.0.len() as u32)
    }

    /// The size itself.
    pub fn size() -> Measure {
        Measure(vec![whole(1)])
    }

    pub fn is_size(&self) -> bool {
        *self == Measure::size()
    }

    fn increases(&self) -> bool {
        let (mut falls, mut rises) = (false, false);
        for weight in &self.0 {
            falls |= sign(weight) == Ordering::Less;
            rises |= sign(weight) == Ordering::Greater;
        }
        rises && !falls
    }

    pub fn of(&self, size: &Rational) -> Rational {
        let nothing = whole(0);
        let weights = self.0.iter().rev();
        weights.fold(nothing, |sum, weight| (sum + weight) * size)
    }

    /// `x*x + 2*x`
    pub fn words(&self, name: &str) -> String {
        let mut parts = Vec::new();
        for (below, weight) in self.0.iter().enumerate().rev() {
            if is_zero(weight) {
                continue;
            }
            let power = vec![name; below + 1].join("*");
            parts.push(if *weight == whole(1) {
                power
            } else {
                format!("{weight}*{power}")
            });
        }
        parts.join(" + ")
    }
}

/// A polynomial as a sum of polynomials in one variable each, and a constant.
struct Parts {
    of: BTreeMap<Variable, Measure>,
    constant: Rational,
}

/// `None` where variables are multiplied with each other.
fn parts(polynomial: &Polynomial) -> Option<Parts> {
    let mut parts = Parts {
        of: BTreeMap::new(),
        constant: whole(0),
    };
    for (product, weight) in &polynomial.terms {
        match product.as_slice() {
            [] => parts.constant = weight.clone(),
            [(variable, exponent)] => {
                let weights = &mut parts.of.entry(*variable).or_insert(Measure(Vec::new())).0;
                let place = *exponent as usize;
                if weights.len() < place {
                    weights.resize(place, whole(0));
                }
                weights[place - 1] = weight.clone();
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// A part as a number times a polynomial whose weights are whole, the highest
/// of them positive and no number dividing all.
fn factored(part: &Measure) -> (Rational, Measure) {
    let highest = part.0.last().cloned().unwrap_or_else(|| whole(1));
    let weights = part.0.iter().map(|weight| weight / &highest);
    let weights: Vec<Rational> = weights.collect();
    // The least common multiple of the denominators: one in lowest terms over
    // another, times that other.
    let common = weights.iter().fold(whole(1), |common, weight| {
        let denominator = Rational::from_integer(weight.denom().clone());
        Rational::from_integer((&common / &denominator).numer().clone()) * denominator
    });
    let weights = weights.into_iter().map(|weight| weight * &common);
    (highest / &common, Measure(weights.collect()))
}

/// How every heap is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scales {
    pub of: Vec<Measure>,
}

impl Scales {
    /// Those that the statements ask for, of so many heaps.
    pub fn asked_for<'s>(heaps: usize, statements: impl Iterator<Item = &'s Said>) -> Scales {
        let mut wanted = Wanted::new(heaps);
        for statement in statements {
            statement.each(&mut |polynomial: &Polynomial, _| wanted.look_at(polynomial));
        }
        Scales {
            of: wanted.measures(),
        }
    }

    /// The measure of a size before or behind a move.
    fn measure(&self, variable: Variable) -> Option<&Measure> {
        self.of.get((variable / 2) as usize)
    }

    pub fn are_sizes(&self) -> bool {
        self.of.iter().all(Measure::is_size)
    }

    /// A statement about sizes as one about their measures. `Err` is what
    /// cannot be said of them.
    pub fn measured(&self, said: &Said) -> Result<Formula<Linear>, Polynomial> {
        said.mapped(
            &mut |polynomial, relation| match self.compared(polynomial) {
                Some(linear) => Ok(Formula::compare(linear, relation)),
                None => Err(polynomial.clone()),
            },
        )
    }

    /// A weighted sum of measures that compares with 0 as the polynomial does.
    fn compared(&self, polynomial: &Polynomial) -> Option<Linear> {
        // Of sizes it is plain; amounts may stand in it too.
        if self.are_sizes()
            && let Some(linear) = polynomial.as_linear()
        {
            return Some(linear);
        }
        let parts = parts(polynomial)?;
        let as_sum = || {
            let mut sum = Linear::constant(parts.constant.clone());
            for (variable, part) in &parts.of {
                let (weight, part) = factored(part);
                if part != *self.measure(*variable)? {
                    return None;
                }
                sum = sum.plus(&Linear::variable(*variable).times(&weight));
            }
            Some(sum)
        };
        as_sum().or_else(|| self.by_order(&parts))
    }

    /// What only asks which of two is larger, of sizes measured alike, or
    /// whether one is larger than a constant.
    fn by_order(&self, parts: &Parts) -> Option<Linear> {
        let mut all = parts.of.iter();
        match (all.next(), all.next(), all.next()) {
            (Some((variable, part)), None, None) => {
                let (weight, part) = factored(part);
                if !part.increases() {
                    return None;
                }
                let measure = Linear::variable(*variable);
                let bound = -&parts.constant / &weight;
                let apart = match sign(&bound) {
                    // It is always larger.
                    Ordering::Less => Linear::constant(whole(1)),
                    Ordering::Equal => measure,
                    // x^2 is below 3 where x^6, which is (x^2)^3, is below 27.
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
                let opposed = is_zero(&(&weight + against)) && is_zero(&parts.constant);
                let apart = Linear::variable(*one).minus(&Linear::variable(*other));
                (alike && opposed && part.increases() && rival.increases())
                    .then(|| apart.times(&weight))
            }
            _ => None,
        }
    }
}

/// Measures whose powers are higher than this are not tried.
const HIGHEST_POWER: u32 = 60;

/// What the comparisons of statements ask of the measures.
struct Wanted {
    /// By heap: parts of sums, which must be numbers times the measure.
    sums: Vec<BTreeSet<(usize, Measure)>>,
    /// `x^p` and `y^q` are compared: their exponents must be as p to q.
    powers: BTreeSet<((usize, u32), (usize, u32))>,
    /// `x^p` is compared with a constant: p must divide the exponent.
    bounded: BTreeSet<(usize, u32)>,
}

impl Wanted {
    fn new(heaps: usize) -> Wanted {
        Wanted {
            sums: vec![BTreeSet::new(); heaps],
            powers: BTreeSet::new(),
            bounded: BTreeSet::new(),
        }
    }

    fn look_at(&mut self, polynomial: &Polynomial) {
        let Some(parts) = parts(polynomial) else {
            return;
        };
        let heaps = (0..self.sums.len()).filter_map(|heap| {
            let part = parts.of.get(&of_heap(heap))?;
            let (weight, measure) = factored(part);
            Some((heap, weight, measure))
        });
        let heaps: Vec<(usize, Rational, Measure)> = heaps.collect();
        match heaps.as_slice() {
            [(heap, _, part)] => {
                if let Some(power) = part.power() {
                    if !is_zero(&parts.constant) {
                        self.bounded.insert((*heap, power));
                    }
                    return;
                }
            }
            [(one, weight, part), (other, against, rival)] => {
                if let (Some(power), Some(against_power)) = (part.power(), rival.power())
                    && is_zero(&parts.constant)
                    && is_zero(&(weight + against))
                {
                    self.powers.insert(((*one, power), (*other, against_power)));
                    return;
                }
            }
            _ => {}
        }
        for (heap, _, measure) in heaps {
            if measure.increases() {
                self.sums[heap].insert((measure.0.len(), measure));
            }
        }
    }

    /// Measures that serve what is asked, where any do.
    fn measures(mut self) -> Vec<Measure> {
        let fixed: Vec<Option<Measure>> = std::mem::take(&mut self.sums)
            .into_iter()
            .map(|parts| parts.into_iter().next_back().map(|(_, measure)| measure))
            .collect();
        let mut exponents: Vec<Option<Rational>> = fixed
            .iter()
            .map(|measure| Some(whole(measure.as_ref()?.power()?.into())))
            .collect();
        self.spread(&mut exponents);
        // What hangs together without a sum may have any common factor.
        for heap in 0..exponents.len() {
            if exponents[heap].is_some() || fixed[heap].is_some() {
                continue;
            }
            let before = exponents.clone();
            exponents[heap] = Some(whole(1));
            self.spread(&mut exponents);
            let new: Vec<usize> = (0..exponents.len())
                .filter(|heap| before[*heap].is_none() && exponents[*heap].is_some())
                .collect();
            let mut factor = whole(1);
            for heap in &new {
                let bounded = self.bounded.iter().filter(|(of, _)| of == heap);
                for power in bounded.map(|(_, power)| *power).chain([1]) {
                    if let Some(exponent) = &exponents[*heap] {
                        let share = exponent * &factor / whole(power.into());
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

    /// Carries exponents over to heaps that are compared with others.
    fn spread(&self, exponents: &mut [Option<Rational>]) {
        let mut grows = true;
        while grows {
            grows = false;
            for ((one, power), (other, against)) in &self.powers {
                let ratio = whole((*against).into()) / whole((*power).into());
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

/// The power of the size; the size itself where there is no such power.
fn power_measure(exponent: &Rational) -> Measure {
    let whole_power = exponent
        .is_integer()
        .then(|| u32::try_from(exponent.numer()));
    match whole_power {
        Some(Ok(power)) if (1..=HIGHEST_POWER).contains(&power) => Measure::power_of(power),
        _ => Measure::size(),
    }
}

/// The statement with what all products of a comparison share taken out of
/// them: `x*y <= x*z` where `x == 0 or y <= z`.
pub fn shortened(said: &Said) -> Said {
    let done: Result<Said, std::convert::Infallible> =
        said.mapped(&mut |polynomial: &Polynomial, relation| Ok(divided(polynomial, relation)));
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}

fn divided(polynomial: &Polynomial, relation: Relation) -> Said {
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
    // A size alone stays as it is.
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
