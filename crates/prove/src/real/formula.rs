//! Atoms about sizes: terms compared with 0.
//!
//! Formulas of them have no quantifier, which is eliminated, and no negation,
//! which another comparison expresses.

use super::number::{Rational, Term, Values, Variable, sign, whole};
use crate::symbolic::{self, Atom};
use std::cmp::Ordering;
use std::convert::Infallible;

/// How a term compares with 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    Zero,
    Negative,
    AtMostZero,
}

impl Relation {
    pub fn holds(self, value: &Rational) -> bool {
        match (self, sign(value)) {
            (Relation::Zero, found) => found == Ordering::Equal,
            (Relation::Negative, found) => found == Ordering::Less,
            (Relation::AtMostZero, found) => found != Ordering::Greater,
        }
    }
}

/// A term compared with 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comparison<T> {
    pub term: T,
    pub relation: Relation,
}

/// A statement about sizes.
pub type Formula<T> = symbolic::Formula<Comparison<T>>;

impl<T: Term> Atom for Comparison<T> {
    type Bound = Infallible;

    const NEGATES_ATOMS_ONLY: bool = true;

    fn negated(self) -> Formula<T> {
        let negative = Relation::Negative;
        match self.relation {
            Relation::Zero => Formula::or([
                Formula::compare(self.term.clone(), negative),
                Formula::compare(self.term.turned(), negative),
            ]),
            Relation::Negative => Formula::compare(self.term.turned(), Relation::AtMostZero),
            Relation::AtMostZero => Formula::compare(self.term.turned(), negative),
        }
    }

    fn mentions(&self, variable: Variable) -> bool {
        self.term.check_supported_by_any(variable)
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

impl<T: Term> Formula<T> {
    /// A term compared with 0. What holds for all sizes, or for none, is
    /// settled at once.
    pub fn compare(term: T, relation: Relation) -> Formula<T> {
        let nothing = whole(0);
        let extremes = term.extremes(&nothing);
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
        let mut term = term.scaled();
        if relation == Relation::Zero {
            let turned = term.turned();
            if turned > term {
                term = turned;
            }
        }
        Formula::Atom(Comparison { term, relation })
    }

    /// Another statement for each comparison.
    pub fn mapped<U: Term, E>(
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
            // It binds nothing.
            Formula::Exists(_, body) => body.mapped(made)?,
        })
    }

    /// Looks at all comparisons.
    pub fn each<'f>(&'f self, look: &mut impl FnMut(&'f T, Relation)) {
        self.each_atom(&mut |comparison| look(&comparison.term, comparison.relation));
    }

    /// How many comparisons it makes.
    pub fn size(&self) -> u64 {
        let mut size = 0;
        self.each(&mut |_, _| size += 1);
        size
    }

    /// Does it hold where the variables have these values?
    pub fn holds(&self, values: &Values) -> bool {
        match self {
            Formula::Const(value) => *value,
            Formula::Atom(Comparison { term, relation }) => relation.holds(&term.value(values)),
            Formula::And(all) => all.iter().all(|part| part.holds(values)),
            Formula::Or(any) => any.iter().any(|part| part.holds(values)),
            Formula::Not(inner) => !inner.holds(values),
            // It binds nothing.
            Formula::Exists(_, body) => body.holds(values),
        }
    }
}
