//! The domain of ordered fields: values are polynomials in the sizes, and what
//! is said of them are comparisons of polynomials.
//!
//! Products may stand here, "less" is not "at most one less", and nothing has
//! digits.

use super::formula::{Comparison, Formula, Relation};
use super::number::{Polynomial, Term as _, Variable, whole};
use crate::symbolic::{Cases, Domain, Interpreter, Item, Translation, unconditional};
use crate::unsupported::Unsupported;
use nimrule_model::expr::{Expr, Num, Order};
use nimrule_model::source::Span;

/// What is said of sizes.
pub type Said = Formula<Polynomial>;

/// A reader of expressions about sizes.
pub type IntegerInterpreter<'g> = Interpreter<'g, Fields>;

/// Sizes from an ordered field.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// The products of sizes that were read, with their places: these may turn
    /// out to be more than is decided.
    pub products: Vec<(Polynomial, Span)>,
}

impl Fields {
    /// The place of a product that occurs in a polynomial.
    pub fn product_in(&self, polynomial: &Polynomial) -> Option<Span> {
        let occurs = |product: &&(Polynomial, Span)| {
            let mut terms = product.0.terms.keys().filter(|factors| !factors.is_empty());
            terms.any(|factors| polynomial.terms.contains_key(factors))
        };
        let product = self.products.iter().find(occurs)?;
        Some(product.1)
    }
}

fn whole_only<T>(what: &str, at: Span) -> Translation<T> {
    let what = format!("{what}, but the heaps are of real size");
    Err(Unsupported::new(what, at))
}

impl Domain for Fields {
    type Atom = Comparison<Polynomial>;
    type Value = Polynomial;

    fn constant(value: i64) -> Polynomial {
        Polynomial::constant(whole(value))
    }

    fn variable(variable: Variable) -> Polynomial {
        Polynomial::variable(variable)
    }

    fn as_constant(value: &Polynomial) -> Option<i64> {
        let value = value.as_constant()?;
        value
            .is_integer()
            .then(|| i64::try_from(value.to_integer()).ok())?
    }

    fn mentions(value: &Polynomial, variable: Variable) -> bool {
        value.check_supported_by_any(variable)
    }

    fn plus(left: &Polynomial, right: &Polynomial) -> Option<Polynomial> {
        Some(left.plus(right))
    }

    fn times(value: &Polynomial, factor: i64) -> Option<Polynomial> {
        Some(value.times_constant(&whole(factor)))
    }

    fn compare(left: &Polynomial, order: Order, right: &Polynomial) -> Option<Said> {
        let apart = left.minus(right);
        Some(match order {
            Order::Equal => Formula::compare(apart, Relation::Zero),
            Order::NotEqual => Formula::compare(apart, Relation::Zero).negated(),
            Order::Less => Formula::compare(apart, Relation::Negative),
            Order::AtMost => Formula::compare(apart, Relation::AtMostZero),
        })
    }

    fn product(
        reader: &mut IntegerInterpreter<'_>,
        left: &Polynomial,
        right: &Polynomial,
        at: Span,
    ) -> Translation<Polynomial> {
        let too_large = || Unsupported::too_large("its products have too many factors", at);
        let product = left.times(right).ok_or_else(too_large)?;
        reader.domain.products.push((product.clone(), at));
        Ok(product)
    }

    fn quotient(
        _: &mut IntegerInterpreter<'_>,
        _: &Polynomial,
        _: &Polynomial,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        whole_only("`div` is for whole numbers", at)
    }

    fn remainder(
        _: &mut IntegerInterpreter<'_>,
        _: &Polynomial,
        _: &Polynomial,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        whole_only("`mod` is for whole numbers", at)
    }

    fn nim_sum(
        _: &mut IntegerInterpreter<'_>,
        _: &[Item<Fields>],
        at: Span,
    ) -> Translation<Cases<Fields>> {
        whole_only("nim-sums are of whole numbers", at)
    }

    fn carryless(
        _: &mut IntegerInterpreter<'_>,
        _: &Expr<Num>,
        _: &[Item<Fields>],
        _: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        whole_only(DIGITS, at)
    }

    fn digit(
        _: &mut IntegerInterpreter<'_>,
        _: &Expr<Num>,
        _: &Expr<Num>,
        _: &Cases<Fields>,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        whole_only(DIGITS, at)
    }

    fn root(_: &mut IntegerInterpreter<'_>, _: &Expr<Num>, at: Span) -> Translation<Cases<Fields>> {
        whole_only("`isqrt` is for whole numbers", at)
    }

    fn integers_only(what: &str, at: Span) -> Translation<()> {
        whole_only(what, at)
    }

    fn integers_from(
        _: &mut IntegerInterpreter<'_>,
        _: &Cases<Fields>,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        whole_only("a set of whole numbers is chosen from", at)
    }

    fn is_power(
        _: &mut IntegerInterpreter<'_>,
        _: &Cases<Fields>,
        _: &Expr<Num>,
        at: Span,
    ) -> Translation<Said> {
        whole_only("powers are whole numbers", at)
    }

    /// The number may be divided: sizes are real.
    fn solutions(
        _: &mut IntegerInterpreter<'_>,
        product: &Polynomial,
        coefficient: i64,
        _: Span,
    ) -> Translation<Cases<Fields>> {
        let by = whole(coefficient).recip();
        Ok(unconditional(product.times_constant(&by)))
    }

    /// They are eliminated where the sizes have their measures.
    fn close(existentials: Vec<Variable>, moves: Said) -> (Vec<Variable>, Said) {
        (existentials, moves)
    }
}

const DIGITS: &str = "digits are of whole numbers";
