//! Atoms about sizes: comparisons of a term with 0.
//!
//! The formulas are quantifier-free, because quantifiers are eliminated. They are
//! in negation normal form: the negation of a comparison is a formula of other
//! comparisons.

use super::number::{Rational, Term, Values, Variable, integer, sign};
use nimrule_symbolic::{self as symbolic, Atom};
use std::cmp::Ordering;
use std::convert::Infallible;

/// The relation of a term to 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// The term is 0.
    Zero,
    /// The term is negative.
    Negative,
    /// The term is negative or 0.
    AtMostZero,
}

impl Relation {
    /// Returns whether the relation holds for the value of a term.
    pub fn holds(self, value: &Rational) -> bool {
        match (self, sign(value)) {
            (Relation::Zero, found) => found == Ordering::Equal,
            (Relation::Negative, found) => found == Ordering::Less,
            (Relation::AtMostZero, found) => found != Ordering::Greater,
        }
    }
}

/// A comparison of a term with 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comparison<T> {
    /// The left side.
    pub term: T,
    /// Its relation to 0.
    pub relation: Relation,
}

/// A quantifier-free formula about sizes.
pub type Formula<T> = symbolic::Formula<Comparison<T>>;

impl<T: Term> Atom for Comparison<T> {
    type Bound = Infallible;

    const NEGATES_ATOMS_ONLY: bool = true;

    fn negated(self) -> Formula<T> {
        let negative = Relation::Negative;
        match self.relation {
            Relation::Zero => Formula::or([
                Formula::compare(self.term.clone(), negative),
                Formula::compare(self.term.negated(), negative),
            ]),
            Relation::Negative => Formula::compare(self.term.negated(), Relation::AtMostZero),
            Relation::AtMostZero => Formula::compare(self.term.negated(), negative),
        }
    }

    fn mentions(&self, variable: Variable) -> bool {
        self.term.mentions(variable)
    }

    fn contradicts(&self, parts: &[Formula<T>]) -> bool {
        match self.relation {
            Relation::Negative => parts.binary_search(&self.clone().negated()).is_ok(),
            Relation::Zero | Relation::AtMostZero => false,
        }
    }

    fn exists(_: Vec<Infallible>, body: Formula<T>) -> Formula<T> {
        body
    }
}

/// What formulas of comparisons have beyond those of other atoms.
pub trait Comparisons: Sized {
    /// The terms that are compared with 0.
    type Term: Term;

    /// Returns the comparison of a term with 0, normalised. It is a constant if
    /// the signs of the weights show that it holds for all nonnegative values of
    /// the variables, or for none.
    fn compare(term: Self::Term, relation: Relation) -> Self;

    /// Replaces each comparison by a formula.
    ///
    /// # Errors
    ///
    /// The first error of `made`.
    fn mapped<U: Term, E>(
        &self,
        made: &mut impl FnMut(&Self::Term, Relation) -> Result<Formula<U>, E>,
    ) -> Result<Formula<U>, E>;

    /// Calls `look` for every comparison.
    fn each<'f>(&'f self, look: &mut impl FnMut(&'f Self::Term, Relation));

    /// The number of comparisons.
    fn size(&self) -> u64 {
        let mut size = 0;
        self.each(&mut |_, _| size += 1);
        size
    }

    /// Returns whether the formula holds for the values of the variables.
    fn holds(&self, values: &Values) -> bool;
}

impl<T: Term> Comparisons for Formula<T> {
    type Term = T;

    fn compare(term: T, relation: Relation) -> Formula<T> {
        let zero = integer(0);
        let extremes = term.extremes(&zero);
        let lowest = extremes.lowest.map(sign);
        let highest = extremes.highest.map(sign);
        use Ordering::{Equal, Greater, Less};
        let relation = match relation {
            Relation::Zero => match (lowest, highest) {
                (Some(Greater), _) | (_, Some(Less)) => return Formula::Const(false),
                (Some(Equal), Some(Equal)) => return Formula::Const(true),
                _ => Relation::Zero,
            },
            Relation::Negative => match (lowest, highest) {
                (_, Some(Less)) => return Formula::Const(true),
                (Some(Equal | Greater), _) => return Formula::Const(false),
                _ => Relation::Negative,
            },
            Relation::AtMostZero => match (lowest, highest) {
                (_, Some(Less | Equal)) => return Formula::Const(true),
                (Some(Greater), _) => return Formula::Const(false),
                (Some(Equal), _) => Relation::Zero,
                _ => Relation::AtMostZero,
            },
        };
        let mut term = term.normalised();
        if relation == Relation::Zero {
            let negated = term.negated();
            if negated > term {
                term = negated;
            }
        }
        Formula::Atom(Comparison { term, relation })
    }

    fn mapped<U: Term, E>(
        &self,
        made: &mut impl FnMut(&T, Relation) -> Result<Formula<U>, E>,
    ) -> Result<Formula<U>, E> {
        Ok(match self {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Atom(Comparison { term, relation }) => made(term, *relation)?,
            Formula::And(all) => {
                let all: Result<Vec<_>, E> = all.iter().map(|part| part.mapped(made)).collect();
                Formula::and(all?)
            }
            Formula::Or(any) => {
                let any: Result<Vec<_>, E> = any.iter().map(|part| part.mapped(made)).collect();
                Formula::or(any?)
            }
            Formula::Not(inner) => inner.mapped(made)?.negated(),
            // The quantifier binds no variable.
            Formula::Exists(_, body) => body.mapped(made)?,
        })
    }

    fn each<'f>(&'f self, look: &mut impl FnMut(&'f T, Relation)) {
        self.each_atom(&mut |comparison| look(&comparison.term, comparison.relation));
    }

    fn holds(&self, values: &Values) -> bool {
        match self {
            Formula::Const(value) => *value,
            Formula::Atom(Comparison { term, relation }) => relation.holds(&term.value(values)),
            Formula::And(all) => all.iter().all(|part| part.holds(values)),
            Formula::Or(any) => any.iter().any(|part| part.holds(values)),
            Formula::Not(inner) => !inner.holds(values),
            // The quantifier binds no variable.
            Formula::Exists(_, body) => body.holds(values),
        }
    }
}
