//! The language of closed forms, that of `rocq/Claim.v`, and its texts.

/// An integer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    /// The size of a heap, the first being 0.
    Heap(usize),
    Const(i64),
    Add(Box<Term>, Box<Term>),
    Subtract(Box<Term>, Box<Term>),
    Multiply(i64, Box<Term>),
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
    /// `term mod modulus = residue`.
    Residue(Term, i64, i64),
    /// At each binary place the bits of the first heaps, so many, add to 0 modulo the modulus.
    NoCarry(usize, i64),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Not(Box<Formula>),
}

impl Term {
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
            Formula::Residue(term, modulus, residue) => {
                format!("(Mod {} ({modulus}) ({residue}))", term.term())
            }
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
            Formula::Residue(term, modulus, residue) => {
                format!("{} mod {modulus} = {residue}", term.statement(names, true))
            }
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
