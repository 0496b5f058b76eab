//! The numeration system of a claim and its rule, by the operators used.
//!
//! Carryless sums, powers and digits need a base, and the square root of
//! `5*x*x` needs Zeckendorf representations. All operators must agree on one
//! system: bases that are powers of the same number agree on a common power.

use super::unsupported::{Reason, Unsupported};
use nimrule_automata::Numeration;
use nimrule_ir::MoveGraph;
use nimrule_model::expr::{Arithmetic, Fold, Num, Part, Set};
use nimrule_model::source::{Span, Spanned};

/// The largest base of automata.
const MAX_BASE: i64 = 16;

/// An expression that needs a numeration system.
#[derive(Debug, Clone)]
struct DigitUse {
    /// The base; `None` for the golden ratio.
    base: Option<i64>,
    span: Span,
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

/// The numeration systems for learning a set of positions, the likeliest first:
/// the one that the rule needs, or else a few common ones.
pub fn of_rule(rule: &MoveGraph) -> Result<Vec<Numeration>, Unsupported> {
    let uses = uses_of_rule(rule);
    if uses.is_empty() {
        let likely = [Numeration::Base(2), Numeration::Zeckendorf];
        return Ok(likely.into_iter().chain([Numeration::Base(3)]).collect());
    }
    Ok(vec![common(&uses)?])
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
        let what = match (first.base, other.base) {
            (Some(one), Some(other)) => {
                format!("digits in base {one} and in base {other} cannot be combined")
            }
            _ => "the golden ratio and the digits of a base cannot be combined".to_owned(),
        };
        Unsupported {
            reason: Reason::Numeration,
            also: Some(other.span),
            ..Unsupported::new(what, first.span)
        }
    };
    let Some(base) = first.base else {
        return match uses.iter().find(|usage| usage.base.is_some()) {
            Some(other) => Err(incompatible(other)),
            None => Ok(Numeration::Zeckendorf),
        };
    };
    let (root, mut exponent) = root_of(base);
    for usage in uses {
        let Some((own_root, own_exponent)) = usage.base.map(root_of) else {
            return Err(incompatible(usage));
        };
        if own_root != root {
            return Err(incompatible(usage));
        }
        exponent = exponent / gcd(exponent, own_exponent) * own_exponent;
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

/// The greatest common divisor.
fn gcd(one: u32, other: u32) -> u32 {
    if other == 0 {
        one
    } else {
        gcd(other, one % other)
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
    let base = match part.node {
        Part::Num(num) => base_of(num),
        Part::Set(Set::Powers(base)) => constant(base).map(Some),
        Part::Set(Set::Range(..) | Set::Items(_) | Set::Squares | Set::List(_))
        | Part::Bool(_)
        | Part::List(_) => None,
    };
    if let Some(base) = base
        && base.is_none_or(|base| base >= 2)
    {
        let span = part.span;
        uses.push(DigitUse { base, span });
    }
    for child in part.node.spanned_children() {
        collect(&child, uses);
    }
}

/// The base that an operator needs, or `Some(None)` for the golden ratio.
fn base_of(num: &Num) -> Option<Option<i64>> {
    match num {
        Num::Binary(operator, ..) => match operator {
            Arithmetic::NimSum => Some(Some(2)),
            Arithmetic::Add
            | Arithmetic::Subtract
            | Arithmetic::Multiply
            | Arithmetic::Divide
            | Arithmetic::Modulo
            | Arithmetic::Gcd
            | Arithmetic::Power => None,
        },
        Num::Fold(fold, _) => match fold {
            Fold::Xor => Some(Some(2)),
            Fold::Max | Fold::Min | Fold::Sum | Fold::Count => None,
        },
        Num::Carryless { base, .. } | Num::Digit { base, .. } => constant(base).map(Some),
        Num::Isqrt(_) => Some(None),
        Num::Const(_)
        | Num::Heap(_)
        | Num::HeapAt { .. }
        | Num::Local(_)
        | Num::SizeOf(_)
        | Num::IndexOf(_)
        | Num::Total
        | Num::Negate(_)
        | Num::If(..)
        | Num::Let(..) => None,
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
