//! Statements about sizes, without quantifiers, simplified as they are made.
//!
//! There is no "not": what is compared with 0 is compared in another way.

use super::number::{Rational, Term, Values, Variable, sign, whole};
use std::cmp::Ordering;

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

/// A statement about sizes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Formula<T> {
    Const(bool),
    Compare(T, Relation),
    And(Vec<Formula<T>>),
    Or(Vec<Formula<T>>),
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
        Formula::Compare(term, relation)
    }

    pub fn and(parts: impl IntoIterator<Item = Formula<T>>) -> Formula<T> {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Const(true) => {}
                Formula::Const(false) => return Formula::Const(false),
                Formula::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        all.sort_unstable();
        all.dedup();
        if contradict(&all) {
            return Formula::Const(false);
        }
        match all.len() {
            0 => Formula::Const(true),
            1 => all.remove(0),
            _ => Formula::And(all),
        }
    }

    pub fn or(parts: impl IntoIterator<Item = Formula<T>>) -> Formula<T> {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Const(false) => {}
                Formula::Const(true) => return Formula::Const(true),
                Formula::Or(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        all.sort_unstable();
        all.dedup();
        if contradict(&all) {
            return Formula::Const(true);
        }
        match all.len() {
            0 => Formula::Const(false),
            1 => all.remove(0),
            _ => Formula::Or(all),
        }
    }

    pub fn negated(&self) -> Formula<T> {
        match self {
            Formula::Const(value) => Formula::Const(!value),
            Formula::Compare(term, Relation::Zero) => Formula::or([
                Formula::compare(term.clone(), Relation::Negative),
                Formula::compare(term.turned(), Relation::Negative),
            ]),
            Formula::Compare(term, Relation::Negative) => {
                Formula::compare(term.turned(), Relation::AtMostZero)
            }
            Formula::Compare(term, Relation::AtMostZero) => {
                Formula::compare(term.turned(), Relation::Negative)
            }
            Formula::And(all) => Formula::or(all.iter().map(Formula::negated)),
            Formula::Or(any) => Formula::and(any.iter().map(Formula::negated)),
        }
    }

    /// Another statement for each comparison.
    pub fn mapped<U: Term, E>(
        &self,
        made: &mut impl FnMut(&T, Relation) -> Result<Formula<U>, E>,
    ) -> Result<Formula<U>, E> {
        Ok(match self {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Compare(term, relation) => made(term, *relation)?,
            Formula::And(all) => {
                let all: Result<Vec<_>, E> = all.iter().map(|part| part.mapped(made)).collect();
                Formula::and(all?)
            }
            Formula::Or(any) => {
                let any: Result<Vec<_>, E> = any.iter().map(|part| part.mapped(made)).collect();
                Formula::or(any?)
            }
        })
    }

    /// Looks at all comparisons.
    pub fn each<'f>(&'f self, look: &mut impl FnMut(&'f T, Relation)) {
        match self {
            Formula::Const(_) => {}
            Formula::Compare(term, relation) => look(term, *relation),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.each(look));
            }
        }
    }

    /// How many comparisons it makes.
    pub fn size(&self) -> u64 {
        let mut size = 0;
        self.each(&mut |_, _| size += 1);
        size
    }

    pub fn speaks_of(&self, variable: Variable) -> bool {
        match self {
            Formula::Const(_) => false,
            Formula::Compare(term, _) => term.speaks_of(variable),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().any(|part| part.speaks_of(variable))
            }
        }
    }

    /// Does it hold where the variables have these values?
    pub fn holds(&self, values: &Values) -> bool {
        match self {
            Formula::Const(value) => *value,
            Formula::Compare(term, relation) => relation.holds(&term.value(values)),
            Formula::And(all) => all.iter().all(|part| part.holds(values)),
            Formula::Or(any) => any.iter().any(|part| part.holds(values)),
        }
    }
}

/// Is there a comparison beside its opposite? The parts are in order.
fn contradict<T: Term>(parts: &[Formula<T>]) -> bool {
    parts.iter().any(|part| match part {
        Formula::Compare(_, Relation::Negative) => parts.binary_search(&part.negated()).is_ok(),
        _ => false,
    })
}
