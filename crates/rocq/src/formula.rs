//! The language of closed forms, that of `rocq/Claim.v`, and its texts.

use crate::{Unsupported, unsupported};
use std::collections::BTreeMap;

/// The largest modulus: a remainder has each of its values in a case.
const MAX_MODULUS: i64 = 256;

/// An integer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The size of a heap, the first being 0.
    Heap(usize),
    Const(i64),
    Add(Box<Term>, Box<Term>),
    Subtract(Box<Term>, Box<Term>),
    Multiply(i64, Box<Term>),
    /// The remainder modulo a positive number.
    Remainder(Box<Term>, i64),
    Min(Box<Term>, Box<Term>),
    Max(Box<Term>, Box<Term>),
    Xor(Box<Term>, Box<Term>),
}

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Formula {
    Equal(Term, Term),
    AtMost(Term, Term),
    Less(Term, Term),
    /// At each binary place the bits of the first heaps, so many, add to 0 modulo the modulus.
    NoCarry(usize, i64),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
}

/// What the translation in `rocq/Claim.v` knows of a term: a `val`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// The coefficients of the heaps, none of them 0, and a constant.
    Linear(BTreeMap<usize, i64>, i64),
    /// A nim-sum of heaps and a constant.
    Nim(i64),
    /// A nim-sum of heaps and one weighted sum.
    Mixed,
}

impl Value {
    /// The constant of a nim-sum of heaps, if it is one.
    fn nim(&self) -> Option<i64> {
        match self {
            Value::Nim(constant) => Some(*constant),
            Value::Linear(heaps, constant) if heaps.is_empty() => Some(*constant),
            Value::Linear(heaps, 0) => heaps.values().eq(&[1]).then_some(0),
            Value::Linear(..) | Value::Mixed => None,
        }
    }

    /// The nim-sum.
    fn xor(&self, other: &Value) -> Option<Value> {
        match (self.nim(), other.nim()) {
            (Some(left), Some(right)) => Some(Value::Nim(left ^ right)),
            (Some(0), None) | (None, Some(0)) => Some(Value::Mixed),
            (Some(_), None) | (None, Some(_)) | (None, None) => None,
        }
    }
}

impl Term {
    /// The values that the term has, each in a case.
    fn values(&self) -> Result<Vec<Value>, Unsupported> {
        let linear = |terms: &[(&Term, i64)]| -> Result<Vec<Value>, Unsupported> {
            let mut sums = vec![(BTreeMap::new(), 0)];
            for (term, factor) in terms {
                let mut found = Vec::new();
                for value in term.values()? {
                    let Value::Linear(heaps, constant) = value else {
                        return unsupported("a sum of nim-sums");
                    };
                    for (sum, so_far) in &sums {
                        let mut sum: BTreeMap<usize, i64> = sum.clone();
                        for (heap, coefficient) in &heaps {
                            *sum.entry(*heap).or_default() += factor * coefficient;
                        }
                        sum.retain(|_, coefficient| *coefficient != 0);
                        found.push((sum, so_far + factor * constant));
                    }
                }
                found.sort();
                found.dedup();
                sums = found;
            }
            let sums = sums.into_iter();
            Ok(sums
                .map(|(heaps, constant)| Value::Linear(heaps, constant))
                .collect())
        };
        match self {
            Term::Heap(heap) => Ok(vec![Value::Linear(BTreeMap::from([(*heap, 1)]), 0)]),
            Term::Const(value) => Ok(vec![Value::Linear(BTreeMap::new(), *value)]),
            Term::Add(left, right) => linear(&[(left, 1), (right, 1)]),
            Term::Subtract(left, right) => linear(&[(left, 1), (right, -1)]),
            Term::Multiply(factor, term) => linear(&[(term, *factor)]),
            Term::Remainder(term, modulus) => {
                if *modulus > MAX_MODULUS {
                    return unsupported(format!("a modulus above {MAX_MODULUS}"));
                }
                let whole = |value: &Value| matches!(value, Value::Linear(..));
                if !term.values()?.iter().all(whole) {
                    return unsupported("the remainder of a nim-sum");
                }
                Ok((0..*modulus)
                    .map(|value| Value::Linear(BTreeMap::new(), value))
                    .collect())
            }
            Term::Min(left, right) | Term::Max(left, right) => {
                let mut values = linear(&[(left, 1)])?;
                values.extend(linear(&[(right, 1)])?);
                Ok(values)
            }
            Term::Xor(left, right) => {
                let right = right.values()?;
                let mut found = Vec::new();
                for left in left.values()? {
                    for right in &right {
                        match left.xor(right) {
                            Some(value) => found.push(value),
                            None => return unsupported("the nim-sum of two sums"),
                        }
                    }
                }
                found.dedup();
                Ok(found)
            }
        }
    }

    pub fn add(self, other: Term) -> Term {
        match (self, other) {
            (Term::Const(0), term) | (term, Term::Const(0)) => term,
            // Images of a form that differ by the order of a sum are the same.
            (Term::Heap(left), Term::Heap(right)) => Term::Add(
                Term::Heap(left.min(right)).into(),
                Term::Heap(left.max(right)).into(),
            ),
            (left, right) => Term::Add(left.into(), right.into()),
        }
    }

    pub fn subtract(self, other: Term) -> Term {
        match (self, other) {
            (term, Term::Const(0)) => term,
            (left, right) => Term::Subtract(left.into(), right.into()),
        }
    }

    pub fn multiply(factor: i64, term: Term) -> Term {
        match factor {
            0 => Term::Const(0),
            1 => term,
            factor => Term::Multiply(factor, term.into()),
        }
    }

    /// As a term of type `num`.
    fn term(&self) -> String {
        let two = |name: &str, left: &Term, right: &Term| {
            format!("({name} {} {})", left.term(), right.term())
        };
        match self {
            Term::Heap(heap) => format!("(Heap {heap})"),
            Term::Const(value) => format!("(Const ({value}))"),
            Term::Add(left, right) => two("Add", left, right),
            Term::Subtract(left, right) => two("Sub", left, right),
            Term::Multiply(factor, term) => format!("(Mul ({factor}) {})", term.term()),
            Term::Remainder(term, modulus) => format!("(Rem {} ({modulus}))", term.term()),
            Term::Min(left, right) => two("Min", left, right),
            Term::Max(left, right) => two("Max", left, right),
            Term::Xor(left, right) => two("Xor", left, right),
        }
    }

    /// As Rocq writes an integer. Operators group to the left.
    fn statement(&self, names: &[String], tight: bool) -> String {
        let infix = |left: &Term, sign: &str, right: &Term| {
            let same = matches!(
                (self, left),
                (Term::Add(..), Term::Add(..)) | (Term::Xor(..), Term::Xor(..))
            );
            let text = format!(
                "{} {sign} {}",
                left.statement(names, !same),
                right.statement(names, true)
            );
            if tight { format!("({text})") } else { text }
        };
        let prefix = |name: &str, left: &Term, right: &Term| {
            let text = format!(
                "{name} {} {}",
                left.statement(names, true),
                right.statement(names, true)
            );
            if tight { format!("({text})") } else { text }
        };
        match self {
            Term::Heap(heap) => names[*heap].clone(),
            Term::Const(value) if *value < 0 => format!("({value})"),
            Term::Const(value) => value.to_string(),
            Term::Add(left, right) => infix(left, "+", right),
            Term::Subtract(left, right) => infix(left, "-", right),
            Term::Multiply(factor, term) => infix(&Term::Const(*factor), "*", term),
            Term::Remainder(term, modulus) => infix(term, "mod", &Term::Const(*modulus)),
            Term::Min(left, right) => prefix("Z.min", left, right),
            Term::Max(left, right) => prefix("Z.max", left, right),
            Term::Xor(left, right) => infix(left, "xor", right),
        }
    }
}

impl Formula {
    /// The conjunction; nested conjunctions are joined and repetitions dropped.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::And(parts) => all.extend(parts),
                Formula::Or(parts) if parts.is_empty() => return Formula::Or(parts),
                part => all.push(part),
            }
        }
        one_or(distinct(all), Formula::And)
    }

    /// The disjunction; nested disjunctions are joined and repetitions dropped.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Or(parts) => all.extend(parts),
                Formula::And(parts) if parts.is_empty() => return Formula::And(parts),
                part => all.push(part),
            }
        }
        one_or(distinct(all), Formula::Or)
    }

    /// The negation.
    pub fn not(self) -> Formula {
        match self {
            Formula::Not(formula) => *formula,
            Formula::AtMost(left, right) => Formula::Less(right, left),
            Formula::Less(left, right) => Formula::AtMost(right, left),
            formula => Formula::Not(formula.into()),
        }
    }

    /// The equality of two terms, in an order that does not depend on theirs. A heap stands on
    /// the left only of a heap or a natural number: the equality of a heap and a sum is one of
    /// integers, and Rocq takes its type from the left.
    pub fn equal(left: Term, right: Term) -> Formula {
        match (left, right) {
            (Term::Heap(left), Term::Heap(right)) => {
                Formula::Equal(Term::Heap(left.min(right)), Term::Heap(left.max(right)))
            }
            (Term::Const(value), heap @ Term::Heap(_))
            | (heap @ Term::Heap(_), Term::Const(value)) => match value {
                0.. => Formula::Equal(heap, Term::Const(value)),
                _ => Formula::Equal(Term::Const(value), heap),
            },
            (heap @ Term::Heap(_), term) | (term, heap @ Term::Heap(_)) => {
                Formula::Equal(term, heap)
            }
            (value @ Term::Const(_), term) | (term, value @ Term::Const(_)) => {
                Formula::Equal(term, value)
            }
            (left, right) if left <= right => Formula::Equal(left, right),
            (left, right) => Formula::Equal(right, left),
        }
    }

    /// Checks that the theory translates all terms.
    ///
    /// # Errors
    ///
    /// What it does not translate.
    pub fn check(&self) -> Result<(), Unsupported> {
        match self {
            Formula::Equal(left, right) => {
                let right = right.values()?;
                for left in left.values()? {
                    for right in &right {
                        match (&left, right) {
                            (Value::Linear(..), Value::Linear(..)) => {}
                            (left, right) => match left.xor(right) {
                                Some(Value::Nim(..0)) => {
                                    return unsupported("a nim-sum and a negative number");
                                }
                                Some(_) => {}
                                None => return unsupported("the nim-sum of two sums"),
                            },
                        }
                    }
                }
                Ok(())
            }
            Formula::AtMost(left, right) | Formula::Less(left, right) => {
                for value in left.values()?.into_iter().chain(right.values()?) {
                    let Value::Linear(..) = value else {
                        return unsupported("a nim-sum that is compared by size");
                    };
                }
                Ok(())
            }
            Formula::NoCarry(..) => Ok(()),
            Formula::And(parts) | Formula::Or(parts) => parts.iter().try_for_each(Formula::check),
            Formula::Not(formula) => formula.check(),
        }
    }

    /// As a term of type `claim`.
    pub fn term(&self) -> String {
        let two = |name: &str, left: &Term, right: &Term| {
            format!("({name} {} {})", left.term(), right.term())
        };
        match self {
            Formula::Equal(Term::Heap(left), Term::Heap(right)) => format!("(Same {left} {right})"),
            Formula::Equal(Term::Heap(heap), Term::Const(value)) => {
                format!("(Is {heap} {value}%N)")
            }
            Formula::Equal(left, right) => two("Eq", left, right),
            Formula::AtMost(left, right) => two("Le", left, right),
            Formula::Less(left, right) => two("Lt", left, right),
            Formula::NoCarry(heaps, modulus) => format!("(NoCarry {heaps} {modulus})"),
            Formula::And(parts) => chain("And", "Yes", parts),
            Formula::Or(parts) => chain("Or", "(Not Yes)", parts),
            Formula::Not(formula) => format!("(Not {})", formula.term()),
        }
    }

    /// As Rocq writes a proposition; `holds` computes to it from [`Formula::term`].
    pub fn statement(&self, names: &[String]) -> String {
        let infix = |left: &Term, sign: &str, right: &Term| {
            format!(
                "{} {sign} {}",
                left.statement(names, false),
                right.statement(names, false)
            )
        };
        match self {
            Formula::Equal(Term::Heap(heap), Term::Const(value)) => {
                format!("{} = {value}%N", names[*heap])
            }
            Formula::Equal(left, right) => infix(left, "=", right),
            Formula::AtMost(left, right) => infix(left, "<=", right),
            Formula::Less(left, right) => infix(left, "<", right),
            Formula::NoCarry(heaps, modulus) => format!(
                "(forall j, 0 <= j -> ones [{}] {heaps} j mod {modulus} = 0)",
                names.join("; ")
            ),
            Formula::And(parts) if parts.is_empty() => "True".to_owned(),
            Formula::Or(parts) if parts.is_empty() => "~ True".to_owned(),
            Formula::And(parts) => enclosed(parts, "/\\", names),
            Formula::Or(parts) => enclosed(parts, "\\/", names),
            Formula::Not(formula) => format!("~ ({})", formula.statement(names)),
        }
    }
}

/// The width up to which a statement has one line.
const WIDTH: usize = 92;

fn enclosed(parts: &[Formula], by: &str, names: &[String]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part {
            Formula::And(_) | Formula::Or(_) => format!("({})", part.statement(names)),
            part => part.statement(names),
        })
        .collect();
    match parts.iter().map(|part| part.len() + 4).sum::<usize>() <= WIDTH {
        true => parts.join(&format!(" {by} ")),
        false => parts.join(&format!(" {by}\n  ")),
    }
}

/// Some formulas joined to the right.
fn chain(name: &str, empty: &str, parts: &[Formula]) -> String {
    match parts {
        [] => empty.to_owned(),
        [last] => last.term(),
        [first, rest @ ..] => format!(
            "({name} {}\n    {})",
            first.term(),
            chain(name, empty, rest)
        ),
    }
}

fn distinct(parts: Vec<Formula>) -> Vec<Formula> {
    let mut all: Vec<Formula> = Vec::new();
    for part in parts {
        if !all.contains(&part) {
            all.push(part);
        }
    }
    all
}

/// The only part, or what joins the parts.
fn one_or(mut parts: Vec<Formula>, join: fn(Vec<Formula>) -> Formula) -> Formula {
    match parts.len() {
        1 => parts.remove(0),
        _ => join(parts),
    }
}
