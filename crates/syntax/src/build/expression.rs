//! Expressions: operator precedence, and the tree of each kind.
//!
//! Each level of the grammar gives a sequence of operands and operators; the two
//! precedence tables here determine its bracketing. Numbers, conditions and sets
//! are not distinguished yet, since that depends on the meanings of names.

use super::moves::place;
use super::parts::{Context, Parts, span};
use super::{heap_ref, heap_set};
use crate::SyntaxProblem;
use crate::ast::{Expr, ExprKind, Function, Generator, Joined, Name, PathEnd, Quantifier};
use crate::parser::Rule;
use crate::words::{self, Role};
use nimrule_model::source::{Spanned, join};
use pest::iterators::Pair;
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::LazyLock;

/// From the lowest precedence to the highest.
static ARITHMETIC: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::nim_sum, Assoc::Left))
        .op(Op::infix(Rule::plus, Assoc::Left) | Op::infix(Rule::minus, Assoc::Left))
        .op(Op::infix(Rule::times, Assoc::Left)
            | Op::infix(Rule::kw_div, Assoc::Left)
            | Op::infix(Rule::kw_mod, Assoc::Left))
        .op(Op::prefix(Rule::negative))
        .op(Op::infix(Rule::power, Assoc::Right))
});

static LOGIC: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::kw_implies, Assoc::Right))
        .op(Op::infix(Rule::kw_or, Assoc::Left))
        .op(Op::infix(Rule::kw_and, Assoc::Left))
        .op(Op::prefix(Rule::kw_not))
});

/// Builds the expression of any rule of the grammar that has a value.
pub(super) fn expr(pair: Pair<'_, Rule>, context: &mut Context) -> Expr {
    let at = context.span(&pair);
    let rule = pair.as_rule();
    let kind = match rule {
        Rule::expr | Rule::conjunction => return logic(pair, context),
        Rule::arith => return arithmetic(pair, context),
        Rule::relation => return relation(pair, context),
        Rule::span => return range(pair, context),
        // The span includes the brackets: `(a - b) ^ c` begins with one.
        Rule::parens => {
            return Spanned {
                span: at,
                ..expr(Parts::of(pair).take(), context)
            };
        }
        Rule::number => number(&pair, context),
        Rule::name => ExprKind::Name(pair.as_str().to_owned()),
        Rule::kw_true => ExprKind::Truth(true),
        Rule::kw_false => ExprKind::Truth(false),
        Rule::kw_heaps => ExprKind::Heaps,
        Rule::kw_tokens => ExprKind::Tokens,
        Rule::heaps_beside => {
            ExprKind::HeapsBeside(Box::new(place(Parts::of(pair).take(), context)))
        }
        Rule::kw_total => ExprKind::Total,
        Rule::kw_each => ExprKind::Each,
        Rule::kw_squares => ExprKind::Squares,
        Rule::powers => ExprKind::Powers(Box::new(expr(Parts::of(pair).take(), context))),
        Rule::heap_index => ExprKind::HeapAt(Box::new(expr(Parts::of(pair).take(), context))),
        Rule::indexed => {
            let mut parts = Parts::of(pair);
            ExprKind::Indexed {
                name: parts.name(context),
                indices: parts.all().map(|p| expr(p, context)).collect(),
            }
        }
        Rule::field => {
            let mut parts = Parts::of(pair);
            ExprKind::Field {
                name: parts.name(context),
                field: parts.name(context),
            }
        }
        Rule::tuple_value => {
            let items = Parts::of(pair).all().map(|p| expr(p, context));
            ExprKind::Tuple(items.collect())
        }
        Rule::braces => braces(pair, context),
        Rule::call => call(pair, context),
        Rule::conditional | Rule::short_if => {
            let mut parts = Parts::of(pair);
            ExprKind::If {
                condition: Box::new(expr(parts.take(), context)),
                then: Box::new(expr(parts.take(), context)),
                otherwise: Box::new(expr(parts.take(), context)),
            }
        }
        Rule::let_in => {
            let mut parts = Parts::of(pair);
            ExprKind::Let {
                name: parts.name(context),
                value: Box::new(expr(parts.take(), context)),
                body: Box::new(expr(parts.take(), context)),
            }
        }
        Rule::quantified => {
            let quantifier = match Parts::of(pair.clone()).has_keyword(Rule::kw_exists) {
                true => Quantifier::Exists,
                false => Quantifier::Forall,
            };
            let mut binders = Vec::new();
            let mut body = None;
            for part in Parts::of(pair).all() {
                if part.as_rule() == Rule::binder {
                    binders.push(binder(part, context));
                } else {
                    body = Some(Box::new(expr(part, context)));
                }
            }
            ExprKind::Quantified {
                quantifier,
                binders,
                body: body.expect("the grammar gives every quantifier a body"),
            }
        }
        Rule::like => {
            let mut form = Vec::new();
            let mut condition = None;
            for part in Parts::of(pair).all() {
                if part.as_rule() == Rule::conjunction {
                    condition = Some(Box::new(expr(part, context)));
                } else {
                    form.push(expr(part, context));
                }
            }
            ExprKind::Like { form, condition }
        }
        Rule::joined => ExprKind::Joined(Box::new(joined(pair, context))),
        other => unreachable!("the grammar has no expression {other:?}"),
    };
    Spanned::new(kind, at)
}

/// What the table of words says of a keyword or sign.
fn role(pair: &Pair<'_, Rule>) -> Option<Role> {
    // A sign that looks ahead has the blanks after it.
    words::find(pair.as_str().trim_end()).map(|word| word.role)
}

fn call(pair: Pair<'_, Rule>, context: &mut Context) -> ExprKind {
    let mut function = Function::Max;
    let mut arguments = Vec::new();
    let mut generator = None;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::expr => arguments.push(expr(part, context)),
            Rule::generator => generator = Some(self::generator(part, context)),
            _ => {
                if let Some(Role::Function(named, ..)) = role(&part) {
                    function = named;
                }
            }
        }
    }
    ExprKind::Call {
        function,
        arguments,
        generator,
    }
}

fn joined(pair: Pair<'_, Rule>, context: &mut Context) -> Joined {
    let mut parts = Parts::of(pair);
    Joined {
        from: path_end(parts.take(), context),
        to: path_end(parts.take(), context),
        through: binder(parts.take(), context),
        condition: parts.next().map(|part| expr(part, context)),
    }
}

fn path_end(pair: Pair<'_, Rule>, context: &mut Context) -> PathEnd {
    let inner = Parts::of(pair).take();
    match inner.as_rule() {
        Rule::heap_set => PathEnd::Set(heap_set(inner, context)),
        _ => PathEnd::Named(heap_ref(inner, context)),
    }
}

fn generator(pair: Pair<'_, Rule>, context: &mut Context) -> Generator {
    let mut parts = Parts::of(pair);
    let binder = parts.find(Rule::name).map(|name| {
        let name = context.name(&name);
        (name, Box::new(expr(parts.take(), context)))
    });
    let condition = parts.next().map(|p| Box::new(expr(p, context)));
    Generator { binder, condition }
}

/// `{1, 3}`, or `{i * i for i in 1..5}`.
pub(super) fn braces(pair: Pair<'_, Rule>, context: &mut Context) -> ExprKind {
    let mut items = Vec::new();
    for part in Parts::of(pair).all() {
        if part.as_rule() == Rule::generator {
            return ExprKind::Gathered {
                value: Box::new(items.pop().expect("a generator follows a value")),
                generator: generator(part, context),
            };
        }
        items.push(expr(part, context));
    }
    ExprKind::Braces(items)
}

/// `x in 1..3`
pub(super) fn binder(pair: Pair<'_, Rule>, context: &mut Context) -> (Name, Expr) {
    let mut parts = Parts::of(pair);
    (parts.name(context), expr(parts.take(), context))
}

fn number(pair: &Pair<'_, Rule>, context: &mut Context) -> ExprKind {
    let digits: String = pair.as_str().chars().filter(char::is_ascii_digit).collect();
    match digits.parse::<i64>() {
        Ok(value) => ExprKind::Number(value),
        Err(_) => {
            let at = context.span(pair);
            match &mut context.large {
                Some(large) => large.push(Spanned::new(digits, at)),
                None => context.problems.push(SyntaxProblem::NumberTooLarge {
                    at,
                    digits: digits.len(),
                }),
            }
            ExprKind::Number(0)
        }
    }
}

fn logic(pair: Pair<'_, Rule>, context: &mut Context) -> Expr {
    let offset = context.offset;
    LOGIC
        .map_primary(|p| expr(p, context))
        .map_prefix(|op, inner| {
            let at = join(span(&op, offset), inner.span);
            Spanned::new(ExprKind::Not(Box::new(inner)), at)
        })
        .map_infix(|left, op, right| binary(&op, left, right))
        .parse(pair.into_inner())
}

fn arithmetic(pair: Pair<'_, Rule>, context: &mut Context) -> Expr {
    let offset = context.offset;
    ARITHMETIC
        .map_primary(|p| expr(p, context))
        .map_prefix(|op, inner| {
            let at = join(span(&op, offset), inner.span);
            Spanned::new(ExprKind::Negate(Box::new(inner)), at)
        })
        .map_infix(|left, op, right| binary(&op, left, right))
        .parse(pair.into_inner())
}

fn binary(operator: &Pair<'_, Rule>, left: Expr, right: Expr) -> Expr {
    let Some(Role::Operator(operator, _)) = role(operator) else {
        unreachable!("the table of words lacks `{}`", operator.as_str());
    };
    let at = join(left.span, right.span);
    Spanned::new(
        ExprKind::Binary {
            operator,
            left: Box::new(left),
            right: Box::new(right),
        },
        at,
    )
}

fn relation(pair: Pair<'_, Rule>, context: &mut Context) -> Expr {
    let at = context.span(&pair);
    let mut inner = pair.into_inner();
    let first = expr(inner.next().expect("a relation has a left side"), context);
    let mut rest = Vec::new();
    while let Some(op) = inner.next() {
        let comparison = match op.as_rule() {
            Rule::identity => {
                if Parts::of(op.clone()).has_keyword(Rule::kw_touches) {
                    let touches = ExprKind::Touches {
                        left: Box::new(first),
                        right: Parts::of(op).name(context),
                    };
                    return Spanned::new(touches, at);
                }
                let negated = op.clone().into_inner().any(|p| p.as_rule() == Rule::kw_not);
                return Spanned::new(
                    ExprKind::Is {
                        left: Box::new(first),
                        negated,
                        right: Parts::of(op).name(context),
                    },
                    at,
                );
            }
            _ => match role(&op) {
                Some(Role::Comparison(comparison, _)) => comparison,
                _ => unreachable!("the table of words lacks `{}`", op.as_str()),
            },
        };
        let right = inner.next().expect("a comparison has a right side");
        rest.push((comparison, expr(right, context)));
    }
    if rest.is_empty() {
        return first;
    }
    Spanned::new(
        ExprKind::Compare {
            first: Box::new(first),
            rest,
        },
        at,
    )
}

fn range(pair: Pair<'_, Rule>, context: &mut Context) -> Expr {
    let at = context.span(&pair);
    let mut inner = pair.into_inner();
    let low = expr(inner.next().expect("a range has a lower bound"), context);
    if inner.next().is_none() {
        return low;
    }
    Spanned::new(
        ExprKind::Range {
            low: Box::new(low),
            high: inner.next().map(|p| Box::new(expr(p, context))),
        },
        at,
    )
}
