//! The interface of a domain of numbers: the operations whose translation
//! depends on the kind of numbers.

use super::formula::{Atom, Formula, Variable};
use super::{Cases, Interpreter, Item, Translation};
use nimrule_model::expr::{Expr, Num, Order};
use nimrule_model::source::Span;
use std::fmt::Debug;

/// The formulas over the atoms of a domain.
pub type FormulaOf<D> = Formula<<D as Domain>::Atom>;

/// A kind of numbers: its symbolic values and the atoms of its formulas.
///
/// Operations return `None` on overflow. An operation without a translation
/// returns [`Unsupported`](crate::Unsupported) with its place.
pub trait Domain: Clone + Sized {
    type Atom: Atom;

    /// A symbolic value: a number as a function of the variables.
    type Value: Clone + Ord + Debug;

    fn constant(value: i64) -> Self::Value;
    fn variable(variable: Variable) -> Self::Value;
    fn as_constant(value: &Self::Value) -> Option<i64>;
    fn mentions(value: &Self::Value, variable: Variable) -> bool;

    fn plus(left: &Self::Value, right: &Self::Value) -> Option<Self::Value>;
    fn times(value: &Self::Value, factor: i64) -> Option<Self::Value>;

    fn minus(left: &Self::Value, right: &Self::Value) -> Option<Self::Value> {
        Self::plus(left, &Self::times(right, -1)?)
    }

    fn compare(left: &Self::Value, order: Order, right: &Self::Value) -> Option<FormulaOf<Self>>;

    /// The product of two numbers, neither of which is constant.
    fn product(
        reader: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Translation<Self::Value>;

    /// `left div right`, rounded towards minus infinity.
    fn quotient(
        reader: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// `left mod right`, not negative.
    fn remainder(
        reader: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The nim-sum of the items that are present.
    fn nim_sum(
        reader: &mut Interpreter<'_, Self>,
        items: &[Item<Self>],
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The digits of the items in a base, added in each column modulo a number.
    fn carryless(
        reader: &mut Interpreter<'_, Self>,
        base: &Expr<Num>,
        items: &[Item<Self>],
        modulus: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// One digit of a number.
    fn digit(
        reader: &mut Interpreter<'_, Self>,
        base: &Expr<Num>,
        index: &Expr<Num>,
        value: &Cases<Self>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The largest integer whose square is at most this.
    fn root(
        reader: &mut Interpreter<'_, Self>,
        of: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// Refuses `what`, an operation on integers, in any other domain.
    fn integers_only(what: &str, at: Span) -> Translation<()>;

    /// All integers from `low` on, as a case with an existential variable.
    /// Called only in a domain of integers.
    fn integers_from(
        reader: &mut Interpreter<'_, Self>,
        low: &Cases<Self>,
        at: Span,
    ) -> Translation<Cases<Self>>;

    /// The formula that a number is a power of a base, with an exponent of at
    /// least 0.
    fn is_power(
        reader: &mut Interpreter<'_, Self>,
        number: &Cases<Self>,
        base: &Expr<Num>,
        at: Span,
    ) -> Translation<FormulaOf<Self>>;

    /// The numbers `x` with `coefficient * x == product`; the coefficient is not
    /// 0.
    fn solutions(
        reader: &mut Interpreter<'_, Self>,
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
