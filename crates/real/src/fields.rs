//! The domain of ordered fields, and the translation of rules and claims in it.
//!
//! Values are polynomials in the sizes, and atoms compare a polynomial with 0.
//! Unlike the integers, the domain has products, a dense order, and no digits.

use super::formula::{Comparison, Comparisons, Formula, Relation};
use super::number::{Polynomial, Term as _, Variable, integer};
use super::scale::without_common_factors;
use nimrule_ir as ir;
use nimrule_model::expr::{Bool, Expr, Num, Order};
use nimrule_model::game::{Claim, Class, Convention, Direction, Game, Statement};
use nimrule_model::source::Span;
use nimrule_symbolic::Unsupported;
use nimrule_symbolic::{
    Cases, Domain, Fault, Interpreter, Item, MAX_HEAPS, TargetConstraint, Transition, Translation,
    transitions, unconditional,
};

/// A formula about sizes.
pub type SizeFormula = Formula<Polynomial>;

/// The interpreter of expressions about sizes.
pub type FieldInterpreter<'g> = Interpreter<'g, Fields>;

/// The domain of ordered fields.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// The translated products of sizes with their places, for errors: a product
    /// may be undecidable here.
    pub products: Vec<(Polynomial, Span)>,
}

impl Fields {
    /// The place of the first product that occurs in a polynomial.
    pub fn product_in(&self, polynomial: &Polynomial) -> Option<Span> {
        let occurs = |product: &&(Polynomial, Span)| {
            let mut terms = product.0.terms.keys().filter(|factors| !factors.is_empty());
            terms.any(|factors| polynomial.terms.contains_key(factors))
        };
        let product = self.products.iter().find(occurs)?;
        Some(product.1)
    }
}

/// Refuses an operation that is defined on integers only.
fn refused<T>(what: &str, at: Span) -> Translation<T> {
    let what = format!("{what}, but the heaps are of real size");
    Err(Unsupported::new(what, at))
}

impl Domain for Fields {
    type Atom = Comparison<Polynomial>;
    type Value = Polynomial;

    fn constant(value: i64) -> Polynomial {
        Polynomial::constant(integer(value))
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
        value.mentions(variable)
    }

    fn plus(left: &Polynomial, right: &Polynomial) -> Option<Polynomial> {
        Some(left.plus(right))
    }

    fn times(value: &Polynomial, factor: i64) -> Option<Polynomial> {
        Some(value.times_constant(&integer(factor)))
    }

    fn compare(left: &Polynomial, order: Order, right: &Polynomial) -> Option<SizeFormula> {
        let apart = left.minus(right);
        Some(match order {
            Order::Equal => Formula::compare(apart, Relation::Zero),
            Order::NotEqual => Formula::compare(apart, Relation::Zero).negated(),
            Order::Less => Formula::compare(apart, Relation::Negative),
            Order::AtMost => Formula::compare(apart, Relation::AtMostZero),
        })
    }

    fn product(
        interpreter: &mut FieldInterpreter<'_>,
        left: &Polynomial,
        right: &Polynomial,
        at: Span,
    ) -> Translation<Polynomial> {
        let too_large = || Unsupported::too_large("its products have too many factors", at);
        let product = left.times(right).ok_or_else(too_large)?;
        interpreter.domain.products.push((product.clone(), at));
        Ok(product)
    }

    fn quotient(
        _: &mut FieldInterpreter<'_>,
        _: &Polynomial,
        _: &Polynomial,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        refused("`div` is for whole numbers", at)
    }

    fn remainder(
        _: &mut FieldInterpreter<'_>,
        _: &Polynomial,
        _: &Polynomial,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        refused("`mod` is for whole numbers", at)
    }

    fn carryless(
        _: &mut FieldInterpreter<'_>,
        _: &Expr<Num>,
        _: &[Item<Fields>],
        _: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        refused(DIGITS, at)
    }

    fn digit(
        _: &mut FieldInterpreter<'_>,
        _: &Expr<Num>,
        _: &Expr<Num>,
        _: &Cases<Fields>,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        refused(DIGITS, at)
    }

    fn root(_: &mut FieldInterpreter<'_>, _: &Expr<Num>, at: Span) -> Translation<Cases<Fields>> {
        refused("`isqrt` is for whole numbers", at)
    }

    fn integers_only(what: &str, at: Span) -> Translation<()> {
        refused(what, at)
    }

    fn integers_from(
        _: &mut FieldInterpreter<'_>,
        _: &Cases<Fields>,
        at: Span,
    ) -> Translation<Cases<Fields>> {
        refused("a set of whole numbers is chosen from", at)
    }

    fn is_power(
        _: &mut FieldInterpreter<'_>,
        _: &Cases<Fields>,
        _: &Expr<Num>,
        at: Span,
    ) -> Translation<SizeFormula> {
        refused("powers are whole numbers", at)
    }

    /// Division is possible in a field.
    fn solutions(
        _: &mut FieldInterpreter<'_>,
        product: &Polynomial,
        coefficient: i64,
        _: Span,
    ) -> Translation<Cases<Fields>> {
        let by = integer(coefficient).recip();
        Ok(unconditional(product.times_constant(&by)))
    }

    /// The variables stay free. They are eliminated later, in the chosen measures.
    fn close(existentials: Vec<Variable>, moves: SizeFormula) -> (Vec<Variable>, SizeFormula) {
        (existentials, moves)
    }
}

const DIGITS: &str = "digits are of whole numbers";

/// What a claim states of a labelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// Its labels are the outcomes of play.
    Outcomes,
    /// It is consistent with the moves.
    Consistent,
    /// It is that of a cogame: exactly the N-positions are options of P-positions.
    Cogame,
}

/// A rule and the set of P-positions of a claim, as formulas. The variables are the
/// sizes before a move ([`super::number::of_heap`]).
#[derive(Debug, Clone)]
pub struct RealProblem {
    /// The names of the heaps.
    pub names: Vec<String>,
    /// The condition on positions.
    pub positions: SizeFormula,
    /// The claimed P-positions.
    pub set: SizeFormula,
    /// The transition relation between any sizes.
    pub moves: Vec<Transition<Fields>>,
    /// The conditions under which an expression has no value.
    pub faults: Vec<Fault<Fields>>,
    /// The domain, with the products of sizes.
    pub products: Fields,
    pub convention: Convention,
    /// What is claimed of the labelling.
    pub claimed: Claimed,
    pub span: Span,
}

impl RealProblem {
    /// Translates a rule and a claim.
    ///
    /// # Errors
    ///
    /// An operation without a translation.
    pub fn read(game: &Game, claim: &Claim) -> Translation<RealProblem> {
        let unsupported = |what: &str| Err(Unsupported::new(what, claim.span));
        if game.has_sides() {
            return unsupported("each side has moves of its own");
        }
        if game.heap_count() > MAX_HEAPS {
            return Err(Unsupported::too_large(
                "there are too many heaps",
                claim.span,
            ));
        }
        let (class, claimed, up_to_symmetry, condition) = match &claim.statement {
            Some(Statement::Outcome {
                class: class @ (Class::P | Class::N),
                consistent,
                up_to_symmetry,
                direction: Direction::Iff,
                condition,
            }) => {
                let claimed = match consistent {
                    true => Claimed::Consistent,
                    false => Claimed::Outcomes,
                };
                (*class, claimed, *up_to_symmetry, condition)
            }
            Some(Statement::Cogame(Some(condition))) => {
                (Class::P, Claimed::Cogame, false, condition)
            }
            Some(Statement::Outcome { .. }) => {
                return unsupported("for heaps of real size, only `P iff` and `N iff` are decided");
            }
            None => return unsupported("it does not apply to these parameters"),
            Some(_) => {
                return unsupported(
                    "for heaps of real size, only claims about P and N are decided",
                );
            }
        };
        let mut interpreter = FieldInterpreter::of_heaps(game, Fields::default());
        let positions = match &game.positions {
            None => Formula::TRUE,
            Some(condition) => interpreter.condition(condition)?,
        };
        let images = match up_to_symmetry {
            true => interpreter.permutations(claim.span)?,
            false => vec![(0..game.heap_count()).collect()],
        };
        let mut set = set_of(&mut interpreter, &images, condition)
            .map_err(|unsupported| unsupported.or_at(claim.span))?;
        if class == Class::N {
            set = set.negated();
        }
        let graph = ir::lower(game);
        let mut moves = transitions(game, &graph, Fields::default(), TargetConstraint::AnySizes)?;
        for part in &mut moves.transitions {
            part.formula = without_common_factors(&part.formula);
        }
        let mut products = interpreter.domain;
        products.products.append(&mut moves.domain.products);
        let mut faults = interpreter.faults;
        faults.append(&mut moves.faults);
        Ok(RealProblem {
            names: game.heap_names.clone(),
            positions: without_common_factors(&positions),
            set: without_common_factors(&set),
            moves: moves.transitions,
            faults,
            products,
            convention: claim.convention,
            claimed,
            span: claim.span,
        })
    }

    /// The place of a product in the claim.
    pub fn product_in_claim(&self) -> Option<Span> {
        let products = self.products.products.iter().map(|(_, span)| *span);
        let (start, end) = (self.span.offset(), self.span.offset() + self.span.len());
        let mut within = products.filter(|at| (start..end).contains(&at.offset()));
        within.next()
    }

    /// The number of heaps.
    pub fn heaps(&self) -> usize {
        self.names.len()
    }
}

/// The set of positions with an image that satisfies the condition of the claim.
fn set_of(
    interpreter: &mut FieldInterpreter<'_>,
    images: &[Vec<usize>],
    condition: &Expr<Bool>,
) -> Translation<SizeFormula> {
    let heaps = interpreter.heaps.clone();
    let mut any = Vec::with_capacity(images.len());
    for image in images {
        interpreter.heaps = image.iter().map(|from| heaps[*from].clone()).collect();
        any.push(interpreter.condition(condition)?);
    }
    Ok(Formula::or(any))
}
