//! What a domain of numbers has to say: the rest of the language is the same
//! for all of them.

use super::formula::{Atom, Formula, Variable};
use super::{Cases, Interpreter, Item, Read};
use nimrule_model::expr::{Expr, Num, Order};
use nimrule_model::source::Span;
use std::fmt::Debug;

/// The formula of a domain.
pub type FormulaOf<D> = Formula<<D as Domain>::Atom>;

/// Numbers of one sort, the values that expressions have in it, and what can be
/// said of them.
///
/// Operations return `None` where numbers become too large to be counted with.
/// Whatever a domain has no translation for it refuses with the place.
pub trait Domain: Clone + Sized {
    type Atom: Atom;

    /// A number that depends on variables: what an expression is in one case.
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

    /// The product of two numbers neither of which is known to be constant.
    fn product(
        reader: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Read<Self::Value>;

    /// `left div right`, rounded towards minus infinity.
    fn quotient(
        reader: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Read<Cases<Self>>;

    /// `left mod right`, not negative.
    fn remainder(
        reader: &mut Interpreter<'_, Self>,
        left: &Self::Value,
        right: &Self::Value,
        at: Span,
    ) -> Read<Cases<Self>>;

    /// The nim-sum of the items that are present.
    fn nim_sum(
        reader: &mut Interpreter<'_, Self>,
        items: &[Item<Self>],
        at: Span,
    ) -> Read<Cases<Self>>;

    /// The digits of the items in a base, added in each column modulo a number.
    fn carryless(
        reader: &mut Interpreter<'_, Self>,
        base: &Expr<Num>,
        items: &[Item<Self>],
        modulus: &Expr<Num>,
        at: Span,
    ) -> Read<Cases<Self>>;

    /// One digit of a number.
    fn digit(
        reader: &mut Interpreter<'_, Self>,
        base: &Expr<Num>,
        index: &Expr<Num>,
        value: &Cases<Self>,
        at: Span,
    ) -> Read<Cases<Self>>;

    /// The largest integer whose square is at most this.
    fn root(reader: &mut Interpreter<'_, Self>, of: &Expr<Num>, at: Span) -> Read<Cases<Self>>;

    /// Refuses `what`, which is about integers, where the numbers are others.
    fn integers_only(what: &str, at: Span) -> Read<()>;

    /// All integers from `low` on, as one case that stands for any of them.
    /// Asked only of a domain of integers.
    fn integers_from(
        reader: &mut Interpreter<'_, Self>,
        low: &Cases<Self>,
        at: Span,
    ) -> Read<Cases<Self>>;

    /// Whether a number is a power of a base, with exponents from 0 on.
    fn is_power(
        reader: &mut Interpreter<'_, Self>,
        number: &Cases<Self>,
        base: &Expr<Num>,
        at: Span,
    ) -> Read<FormulaOf<Self>>;

    /// The numbers that times the coefficient, which is not 0, give this.
    fn solutions(
        reader: &mut Interpreter<'_, Self>,
        product: &Self::Value,
        coefficient: i64,
        at: Span,
    ) -> Read<Cases<Self>>;

    /// Quantifies the variables of a move that stand for no heap, or leaves them
    /// free and returns them.
    fn close(own: Vec<Variable>, moves: FormulaOf<Self>) -> (Vec<Variable>, FormulaOf<Self>);
}
