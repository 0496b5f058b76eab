//! Square roots `isqrt(c·x·x)` that the digits of an Ostrowski numeration decide.
//!
//! Let β = [a; a, a, …] = (a + √(a² + 4)) / 2. If c = s²(a² + 4), then
//! √c·x = s(2β - a)x, and the root rounded down is ⌊β·2s·x⌋ - s·a·x. If a = 2h and
//! c = s²(h² + 1), it is ⌊β·s·x⌋ - s·h·x in the same way. The numbers ⌊β·n⌋ are those of
//! an [`Atom::Pair`]: its upper number is ⌊n(β + 1)⌋ = ⌊β·n⌋ + n.

use super::{Path, Read, Reader, large, unsupported};
use crate::atom::{Atom, Linear, Place, Variable};
use nimrule_model::expr::{Arithmetic, Expr, Num, Order};
use nimrule_model::source::Span;

/// The largest quotient of an Ostrowski numeration.
const MAX_QUOTIENT: u8 = 8;

/// The root of c·x² rounded down as ⌊β·m·x⌋ - l·x for the β of a quotient.
struct Root {
    quotient: u8,
    /// The factor m.
    multiple: i64,
    /// The factor l.
    less: i64,
}

impl Root {
    /// The root for a factor c, with the smallest quotient that it has one for.
    fn of(factor: i64) -> Option<Root> {
        (1..=MAX_QUOTIENT).find_map(|quotient| {
            let a = i64::from(quotient);
            let (square, multiple, less) = match a % 2 {
                0 => (a * a / 4 + 1, 1, a / 2),
                _ => (a * a + 4, 2, a),
            };
            let scale = (factor / square)
                .checked_isqrt()
                .filter(|scale| *scale > 0)?;
            let exact = scale.checked_mul(scale)?.checked_mul(square)? == factor;
            exact.then_some(Root {
                quotient,
                multiple: scale.checked_mul(multiple)?,
                less: scale.checked_mul(less)?,
            })
        })
    }
}

/// The factors of a product: the product of its constants, and the others.
fn factors(num: &Expr<Num>) -> Option<(i64, Vec<&Expr<Num>>)> {
    match &num.node {
        Num::Const(value) => Some((*value, Vec::new())),
        Num::Binary(Arithmetic::Multiply, left, right) => {
            let (left, mut others) = factors(left)?;
            let (right, more) = factors(right)?;
            others.extend(more);
            Some((left.checked_mul(right)?, others))
        }
        _ => Some((1, vec![num])),
    }
}

impl Reader<'_> {
    /// The square root of a number, rounded down.
    pub(super) fn root(
        &mut self,
        path: Path,
        of: &Expr<Num>,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let before = self.faults.len();
        if let Ok(values) = self.number(path.clone(), of)
            && values.iter().all(|(_, value)| value.value().is_some())
        {
            let mut found = Vec::new();
            for (path, value) in values {
                if let Some(path) = self.natural(path, &value, span)? {
                    let root = value.constant.isqrt();
                    found.push((path, Linear::constant(root)));
                }
            }
            return Ok(found);
        }
        self.faults.truncate(before);
        let Some((factor, others)) = factors(of) else {
            return Err(large(span));
        };
        let root = Root::of(factor);
        let (Some(root), [x, other]) = (root, others.as_slice()) else {
            return unsupported("`isqrt` of this", span);
        };
        if x.node != other.node {
            return unsupported("`isqrt` of this", span);
        }
        let mut found = Vec::new();
        for (path, x) in self.number(path, x)? {
            let zero = Linear::default();
            let scaled = |factor, sum: &Linear| {
                Linear::default()
                    .plus(factor, sum)
                    .ok_or_else(|| large(span))
            };
            let same = path.clone().compare(&x, Order::Equal, &zero, true, span)?;
            found.extend(same.map(|path| (path, zero.clone())));
            // x and -x have the same square.
            for sign in [1, -1] {
                let x = scaled(sign, &x)?;
                let Some(mut path) = path.clone().compare(&zero, Order::Less, &x, true, span)?
                else {
                    continue;
                };
                let n = scaled(root.multiple, &x)?;
                let [lower, upper] = [path.some, path.some + 1].map(Variable::Some);
                let (own_lower, own_upper) = (path.fresh(), path.fresh());
                let difference = own_upper.plus(-1, &own_lower);
                let difference = difference.and_then(|d| d.plus(-i64::from(root.quotient), &n));
                let pair = Atom::Pair {
                    quotient: root.quotient,
                    lower,
                    upper,
                    place: Place(span),
                };
                let equal = Atom::Zero(difference.ok_or_else(|| large(span))?);
                let path = path.assume(pair).and_then(|path| path.assume(equal));
                let value = own_upper.plus(-1, &n);
                let value = value.and_then(|value| value.plus(-root.less, &x));
                let value = value.ok_or_else(|| large(span))?;
                found.extend(path.map(|path| (path, value)));
            }
        }
        Self::limited(found, span)
    }
}
