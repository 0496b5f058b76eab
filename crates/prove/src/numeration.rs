//! The numeration system of a claim and its rule, by the operators used.
//!
//! Carryless sums, powers and digits need a base, and a square root as of `5*x*x` or
//! `8*x*x` needs the Ostrowski numeration of its [`Root`]. All operators must agree on
//! one system: bases that are powers of the same number agree on a common power.

use nimrule_automata::{MOST_QUOTIENT, Numeration};
use nimrule_ir::MoveGraph;
use nimrule_model::expr::{Arithmetic, Builtin, Expr, Num, Part, Set, beatty_by_roots};
use nimrule_model::source::{Span, Spanned};
use nimrule_symbolic::{Reason, Unsupported};

/// The largest base of automata.
const MAX_BASE: i64 = 16;
/// Why an expression is refused beside another.
pub const ROOTS_AND_DIGITS: &str = "square roots and the digits of a base cannot be combined";

/// An expression that needs a numeration system.
#[derive(Debug, Clone)]
struct DigitUse {
    digits: Digits,
    span: Span,
}

/// The digits that an expression needs.
#[derive(Debug, Clone, Copy)]
enum Digits {
    Base(i64),
    /// Those of the Ostrowski numeration with this quotient.
    Ostrowski(u8),
}

/// A square root `√(c·x²)` in terms of β = [a; a, a, …], the continued fraction of the
/// quotient a: rounded down it is `⌊β·m·x⌋ - l·x`, for integers m and l.
///
/// For an odd a, β = (a + √(a² + 4)) / 2. For a = 2h it is h + √(h² + 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    /// The quotient a.
    pub quotient: u8,
    /// The factor m, which is positive.
    pub multiple: i64,
    /// The factor l, which is positive.
    pub less: i64,
}

/// The root of `num` as a [`Root`], and the expression x: `num` is `c·x·x`, and c a
/// square times a² + 4 for a quotient a up to [`MOST_QUOTIENT`], or h² + 1 where a = 2h.
pub fn root(num: &Expr<Num>) -> Option<(Root, &Expr<Num>)> {
    let (factor, squared) = square_of(num)?;
    let root = (1..=MOST_QUOTIENT).find_map(|quotient| {
        let (a, h) = (i64::from(quotient), i64::from(quotient / 2));
        let (square, multiple, less) = match quotient % 2 {
            0 => (h * h + 1, 1, h),
            _ => (a * a + 4, 2, a),
        };
        let scale = u64::try_from(factor / square).ok()?.isqrt() as i64;
        (scale > 0 && scale * scale * square == factor).then(|| {
            Some(Root {
                quotient,
                multiple: scale.checked_mul(multiple)?,
                less: scale.checked_mul(less)?,
            })
        })?
    });
    Some((root?, squared))
}

/// Decomposes a product into a constant and the square of an expression.
fn square_of(num: &Expr<Num>) -> Option<(i64, &Expr<Num>)> {
    let mut factor = 1_i64;
    let mut rest = Vec::new();
    let mut open = vec![num];
    while let Some(num) = open.pop() {
        match &num.node {
            Num::Const(value) => factor = factor.checked_mul(*value)?,
            Num::Binary(Arithmetic::Multiply, left, right) => open.extend([&**left, &**right]),
            _ => rest.push(num),
        }
    }
    match rest.as_slice() {
        [one, other] if one == other => Some((factor, one)),
        _ => None,
    }
}

/// The numeration system for a claim about a rule, and about another rule that
/// the claim names. `parts` are the expressions of the claim.
///
/// # Errors
///
/// Two operators need incompatible systems, or the base is too large.
pub fn numeration(
    rule: &MoveGraph,
    other: Option<&MoveGraph>,
    claim: Span,
    parts: &[Spanned<Part<'_>>],
) -> Result<Numeration, Unsupported> {
    let mut uses = Vec::new();
    for part in parts {
        collect(part, &mut uses);
    }
    uses.extend(uses_of_rule(rule));
    // The other rule is in another source text.
    let of_other = other.into_iter().flat_map(uses_of_rule);
    uses.extend(of_other.map(|usage| DigitUse {
        span: claim,
        ..usage
    }));
    common(&uses).map_err(|unsupported| unsupported.or_at(claim))
}

/// The numeration system that the operators of a rule need; `None` if any will do.
///
/// # Errors
///
/// Two operators need incompatible systems, or the base is too large.
pub fn numeration_of_rule(rule: &MoveGraph) -> Result<Option<Numeration>, Unsupported> {
    match uses_of_rule(rule).as_slice() {
        [] => Ok(None),
        uses => common(uses).map(Some),
    }
}

/// The expressions of a rule that need a numeration system.
fn uses_of_rule(rule: &MoveGraph) -> Vec<DigitUse> {
    let mut uses = Vec::new();
    for part in rule.parts() {
        collect(&part, &mut uses);
    }
    uses
}

/// The common numeration system of expressions; base 2 if there are none.
fn common(uses: &[DigitUse]) -> Result<Numeration, Unsupported> {
    let Some(first) = uses.first() else {
        return Ok(Numeration::Base(2));
    };
    let incompatible = |other: &DigitUse| {
        let what = match (first.digits, other.digits) {
            (Digits::Base(one), Digits::Base(other)) => {
                format!("digits in base {one} and in base {other} cannot be combined")
            }
            (Digits::Ostrowski(_), Digits::Ostrowski(_)) => {
                "roots of different quadratic fields cannot be combined".to_owned()
            }
            _ => ROOTS_AND_DIGITS.to_owned(),
        };
        Unsupported {
            reason: Reason::Numeration,
            also: Some(other.span),
            ..Unsupported::new(what, first.span)
        }
    };
    let base = match first.digits {
        Digits::Base(base) => base,
        Digits::Ostrowski(quotient) => {
            let other = uses.iter().find(|usage| match usage.digits {
                Digits::Base(_) => true,
                Digits::Ostrowski(other) => other != quotient,
            });
            return match other {
                Some(other) => Err(incompatible(other)),
                None => Ok(Numeration::Ostrowski(quotient)),
            };
        }
    };
    let (root, mut exponent) = root_of(base);
    for usage in uses {
        let Digits::Base(own) = usage.digits else {
            return Err(incompatible(usage));
        };
        let (own_root, own_exponent) = root_of(own);
        if own_root != root {
            return Err(incompatible(usage));
        }
        exponent = num_integer::lcm(exponent, own_exponent);
    }
    match root.checked_pow(exponent).filter(|base| *base <= MAX_BASE) {
        Some(base) => Ok(Numeration::Base(base as u8)),
        None => Err(Unsupported {
            reason: Reason::Numeration,
            ..Unsupported::new(
                format!("its base is too large: bases up to {MAX_BASE} are decided"),
                first.span,
            )
        }),
    }
}

/// The smallest number of which a base is a power, and the exponent.
fn root_of(base: i64) -> (i64, u32) {
    for root in 2..=base.min(1 << 16) {
        let (mut power, mut exponent) = (root, 1);
        while power < base {
            power = power.saturating_mul(root);
            exponent += 1;
        }
        if power == base {
            return (root, exponent);
        }
    }
    (base, 1)
}

/// Collects the expressions that need a numeration system.
fn collect(part: &Spanned<Part<'_>>, uses: &mut Vec<DigitUse>) {
    if let Part::Num(Num::Apply(Builtin::Beatty, arguments)) = part.node {
        return collect(&Part::num(&beatty_by_roots(arguments)), uses);
    }
    let digits = match part.node {
        Part::Num(num) => digits_of(num),
        Part::Set(Set::Powers(base)) => constant(base).map(Digits::Base),
        Part::Set(Set::Range(..) | Set::Items(_) | Set::Named(_) | Set::List(_))
        | Part::Bool(_)
        | Part::List(_) => None,
    };
    // A smaller base is an error that the translation reports.
    let digits = digits.filter(|digits| !matches!(digits, Digits::Base(..2)));
    let span = part.span;
    uses.extend(digits.map(|digits| DigitUse { digits, span }));
    for child in part.node.spanned_children() {
        collect(&child, uses);
    }
}

/// The digits that an operator needs.
fn digits_of(num: &Num) -> Option<Digits> {
    match num {
        Num::Carryless { base, .. } => constant(base).map(Digits::Base),
        Num::Apply(function, arguments) => {
            let first = arguments.first()?;
            match function {
                Builtin::Digit | Builtin::Valuation => constant(first).map(Digits::Base),
                // The translation refuses them, whatever the numeration.
                Builtin::Binomial | Builtin::NimProduct => None,
                // Read as roots.
                Builtin::Beatty => None,
                // The translation refuses other roots, whatever the numeration.
                Builtin::Isqrt => Some(Digits::Ostrowski(
                    root(first).map_or(1, |(root, _)| root.quotient),
                )),
            }
        }
        Num::Const(_)
        | Num::Heap(_)
        | Num::HeapAt { .. }
        | Num::Local(_)
        | Num::SizeOf(_)
        | Num::IndexOf(_)
        | Num::Total
        | Num::Negate(_)
        | Num::Binary(..)
        | Num::If(..)
        | Num::Let(..)
        | Num::Components(_)
        | Num::Fold(..) => None,
    }
}

/// The value of a constant expression.
fn constant(num: &Num) -> Option<i64> {
    match num {
        Num::Const(value) => Some(*value),
        Num::Negate(inner) => constant(inner)?.checked_neg(),
        Num::Binary(operator, left, right) => {
            operator.apply(constant(left)?, constant(right)?).ok()
        }
        _ => None,
    }
}
