//! Formulas of first-order logic over the atoms of a domain, simplified on
//! construction.
//!
//! The parts of a conjunction are sorted and distinct, and none is a conjunction
//! or a constant; those of a disjunction likewise. The trait [`Atom`] defines
//! how a domain negates its atoms and pushes or eliminates quantifiers.

use super::{Cases, Interpreter, Item, Translation};
use nimrule_automata::Track;
use nimrule_model::expr::{Expr, Num, Order};
use nimrule_model::source::Span;
use std::convert::Infallible;
use std::fmt::Debug;
use std::hash::Hash;

/// A variable: the size of a heap before or after a move, an amount, or a bound
/// variable. Its number is its track in the automata.
pub type Variable = Track;

/// The variable of the size of a heap before a move.
pub fn of_heap(heap: usize) -> Variable {
    2 * heap as Variable
}

/// The variable of the size of a heap after a move.
pub fn of_heap_after(heap: usize) -> Variable {
    2 * heap as Variable + 1
}

/// The first variable that is not reserved. The two variables before it are
/// reserved for the Grundy values of a claim.
pub fn first_free(heaps: usize) -> Variable {
    of_heap(heaps) + 2
}

/// An atomic formula of a domain.
pub trait Atom: Clone + Ord + Debug {
    /// What a quantifier can bind: variables, or [`Infallible`] in a domain
    /// whose formulas are without quantifiers.
    type Bound: Bound;

    /// Whether a negation is pushed down to the atoms. It is `false` in a domain
    /// where the complement of a whole formula costs less than those of its parts.
    const NEGATES_ATOMS_ONLY: bool;

    /// The formula that holds exactly where the atom does not.
    fn negated(self) -> Formula<Self>;

    /// Returns whether the variable occurs in the atom.
    fn mentions(&self, variable: Variable) -> bool;

    /// Returns whether one of the parts, which are sorted, is the negation of this
    /// atom. Then their conjunction is false and their disjunction true.
    fn contradicts(&self, parts: &[Formula<Self>]) -> bool;

    /// The formula that there are numbers for which the body holds. Each number
    /// occurs in the body, which is no disjunction, constant or quantified
    /// formula.
    fn exists(numbers: Vec<Self::Bound>, body: Formula<Self>) -> Formula<Self>;
}

/// What a quantifier binds.
pub trait Bound: Copy + Ord + Hash + Debug {
    /// The variable that is bound.
    fn variable(self) -> Variable;
}

impl Bound for Variable {
    fn variable(self) -> Variable {
        self
    }
}

impl Bound for Infallible {
    fn variable(self) -> Variable {
        match self {}
    }
}

/// A first-order formula over the atoms `A`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula<A: Atom> {
    /// True or false.
    Const(bool),
    /// An atom.
    Atom(A),
    /// A conjunction of sorted parts.
    And(Vec<Formula<A>>),
    /// A disjunction of sorted parts.
    Or(Vec<Formula<A>>),
    /// A negation.
    Not(Box<Formula<A>>),
    /// There are numbers for which the formula holds.
    Exists(Vec<A::Bound>, Box<Formula<A>>),
}

impl<A: Atom> Formula<A> {
    /// The formula that always holds.
    pub const TRUE: Formula<A> = Formula::Const(true);
    /// The formula that never holds.
    pub const FALSE: Formula<A> = Formula::Const(false);

    /// The simplified conjunction.
    pub fn and(parts: impl IntoIterator<Item = Formula<A>>) -> Formula<A> {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Const(true) => {}
                Formula::Const(false) => return Formula::FALSE,
                Formula::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        if is_contradictory(&mut all) {
            return Formula::FALSE;
        }
        match all.len() {
            0 => Formula::TRUE,
            1 => all.remove(0),
            _ => Formula::And(all),
        }
    }

    /// The simplified disjunction.
    pub fn or(parts: impl IntoIterator<Item = Formula<A>>) -> Formula<A> {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Formula::Const(false) => {}
                Formula::Const(true) => return Formula::TRUE,
                Formula::Or(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        if is_contradictory(&mut all) {
            return Formula::TRUE;
        }
        match all.len() {
            0 => Formula::FALSE,
            1 => all.remove(0),
            _ => Formula::Or(all),
        }
    }

    /// The simplified negation.
    pub fn negated(self) -> Formula<A> {
        match self {
            Formula::Const(value) => Formula::Const(!value),
            Formula::Atom(atom) => atom.negated(),
            Formula::Not(inner) => *inner,
            Formula::And(all) if A::NEGATES_ATOMS_ONLY => {
                Formula::or(all.into_iter().map(Formula::negated))
            }
            Formula::Or(any) if A::NEGATES_ATOMS_ONLY => {
                Formula::and(any.into_iter().map(Formula::negated))
            }
            other @ (Formula::And(_) | Formula::Or(_) | Formula::Exists(..)) => {
                Formula::Not(Box::new(other))
            }
        }
    }

    /// The formula that there are numbers for which the body holds.
    pub fn exists(mut numbers: Vec<A::Bound>, body: Formula<A>) -> Formula<A> {
        numbers.retain(|number| body.mentions(number.variable()));
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.is_empty() {
            return body;
        }
        match body {
            Formula::Or(any) => Formula::or(
                any.into_iter()
                    .map(|one| Formula::exists(numbers.clone(), one)),
            ),
            Formula::Exists(inner, body) => {
                numbers.extend(inner);
                Formula::exists(numbers, *body)
            }
            body @ (Formula::Const(_) | Formula::Atom(_) | Formula::And(_) | Formula::Not(_)) => {
                A::exists(numbers, body)
            }
        }
    }

    /// Whether the variable occurs free.
    pub fn mentions(&self, variable: Variable) -> bool {
        match self {
            Formula::Const(_) => false,
            Formula::Atom(atom) => atom.mentions(variable),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().any(|part| part.mentions(variable))
            }
            Formula::Not(inner) => inner.mentions(variable),
            Formula::Exists(bound, body) => {
                !bound.iter().any(|bound| bound.variable() == variable) && body.mentions(variable)
            }
        }
    }

    /// Calls `look` for every atom.
    pub fn each_atom<'f>(&'f self, look: &mut impl FnMut(&'f A)) {
        match self {
            Formula::Const(_) => {}
            Formula::Atom(atom) => look(atom),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| part.each_atom(look));
            }
            Formula::Not(inner) => inner.each_atom(look),
            Formula::Exists(_, body) => body.each_atom(look),
        }
    }
}

/// Sorts and deduplicates the parts, and returns whether one contradicts another.
fn is_contradictory<A: Atom>(parts: &mut Vec<Formula<A>>) -> bool {
    parts.sort_unstable();
    parts.dedup();
    parts.iter().any(|part| match part {
        Formula::Atom(atom) => atom.contradicts(parts),
        Formula::Const(_)
        | Formula::And(_)
        | Formula::Or(_)
        | Formula::Not(_)
        | Formula::Exists(..) => false,
    })
}

/// The formulas over the atoms of a domain.
pub type FormulaOf<D> = Formula<<D as Domain>::Atom>;

/// A kind of numbers: its symbolic values and the atoms of its formulas.
///
/// Operations return `None` on overflow. An operation without a translation
/// returns [`Unsupported`](crate::Unsupported) with its place.
pub trait Domain: Clone + Sized {
    /// The atoms of the formulas.
    type Atom: Atom;

    /// A symbolic value: a number as a function of the variables.
    type Value: Clone + Ord + Debug;

    /// A constant.
    fn constant(value: i64) -> Self::Value;
    /// A variable.
    fn variable(variable: Variable) -> Self::Value;
    /// The number, if the value is constant and an `i64`.
    fn as_constant(value: &Self::Value) -> Option<i64>;
    /// Returns whether the value depends on the variable.
    fn mentions(value: &Self::Value, variable: Variable) -> bool;

    /// The sum.
    fn plus(left: &Self::Value, right: &Self::Value) -> Option<Self::Value>;
    /// The multiple.
    fn times(value: &Self::Value, factor: i64) -> Option<Self::Value>;

    /// The difference.
    fn minus(left: &Self::Value, right: &Self::Value) -> Option<Self::Value> {
        Self::plus(left, &Self::times(right, -1)?)
    }

    /// The formula that the order holds between two values.
    fn compare(left: &Self::Value, order: Order, right: &Self::Value) -> Option<FormulaOf<Self>>;

    /// The product of two numbers, neither of which is constant.
    fn product(
        interpreter: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Translation<Self::Value>;

    /// `left div right`, rounded towards minus infinity.
    fn quotient(
        interpreter: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// `left mod right`, not negative.
    fn remainder(
        interpreter: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The digits of the items that are present in a base, added in each column modulo a number.
    fn carryless(
        interpreter: &mut Interpreter<'_, Self>,
        base: &Expr<Num>,
        items: &[Item<Self>],
        modulus: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// One digit of a number.
    fn digit(
        interpreter: &mut Interpreter<'_, Self>,
        base: &Expr<Num>,
        index: &Expr<Num>,
        value: &Cases<Self>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The largest integer whose square is at most this.
    fn root(
        interpreter: &mut Interpreter<'_, Self>,
        of: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// Refuses `what`, an operation on integers, in any other domain.
    fn integers_only(what: &str, at: Span) -> Translation<()>;

    /// All integers from `low` on, as a case with an existential variable.
    /// Called only in a domain of integers.
    fn integers_from(
        interpreter: &mut Interpreter<'_, Self>,
        low: &Cases<Self>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The formula that a number is a power of a base, with an exponent of at
    /// least 0.
    fn is_power(
        interpreter: &mut Interpreter<'_, Self>,
        number: &Cases<Self>,
        base: &Expr<Num>,
        at: Span,
    ) -> Translation<FormulaOf<Self>>;

    /// The numbers `x` with `coefficient * x == product`; the coefficient is not
    /// 0.
    fn solutions(
        interpreter: &mut Interpreter<'_, Self>,
        product: &Self::Value,
        coefficient: i64,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// Quantifies the variables of a move that are not heap sizes, or returns
    /// them as free variables.
    fn close(
        existentials: Vec<Variable>,
        moves: FormulaOf<Self>,
    ) -> (Vec<Variable>, FormulaOf<Self>);
}
