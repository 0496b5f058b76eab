//! The values of numbers.

use super::{MAX_CASES, Path, Read, Reader, large, sum, unsupported};
use crate::atom::{Atom, Linear, Place, Variable};
use nimrule_model::expr::{
    Arithmetic, Builtin, Expr, Fold, HeapId, Num, Order, beatty_by_roots, operands,
};
use nimrule_model::source::Span;

/// A valuation that is used otherwise.
const VALUATION: &str = "a valuation that is neither compared with a constant or with a valuation \
                         in the same base, of at most 16, nor followed by `mod` with a constant \
                         up to 8";

impl Reader<'_> {
    /// The values of a number: the cases, each a path and the value on it.
    pub fn number(&mut self, path: Path, num: &Expr<Num>) -> Read<Vec<(Path, Linear)>> {
        let span = num.span;
        self.count(span)?;
        let one = |path: Path, sum: Linear| Ok(vec![(path, sum)]);
        let scaled = |sum: &Linear, factor| {
            Linear::default()
                .plus(factor, sum)
                .ok_or_else(|| large(span))
        };
        match &num.node {
            Num::Const(value) => {
                let sum = scaled(&Linear::constant(1), *value)?;
                one(path, sum)
            }
            Num::Heap(heap) => {
                let size = path.heaps[heap.index()].clone();
                one(path, size)
            }
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let found = self.heaps_at(path, heaps, *first, index)?;
                let size = |(path, heap): (Path, HeapId)| {
                    let size = path.heaps[heap.index()].clone();
                    (path, size)
                };
                Ok(found.into_iter().map(size).collect())
            }
            Num::Local(slot) => match path.locals.get(slot).cloned() {
                Some(value) => one(path, value),
                None => unsupported("a name that may be unbound", span),
            },
            Num::SizeOf(pick) => match path.picks.get(pick).map(Vec::as_slice) {
                Some([heap]) => {
                    let size = path.heaps[heap.index()].clone();
                    one(path, size)
                }
                _ => unsupported("the size of a heap that may be unselected", span),
            },
            Num::IndexOf(pick) => match path.picks.get(pick).map(Vec::as_slice) {
                Some([heap]) => one(path.clone(), Linear::constant(heap.index() as i64 + 1)),
                _ => unsupported("the index of a heap that may be unselected", span),
            },
            Num::Total => {
                let total = sum(&path.amounts, span)?;
                one(path, total)
            }
            Num::Negate(inner) => {
                let values = self.number(path, inner)?.into_iter();
                values
                    .map(|(path, value)| Ok((path, scaled(&value, -1)?)))
                    .collect()
            }
            Num::Binary(Arithmetic::Modulo, left, right)
                if matches!(left.node, Num::Apply(Builtin::Valuation, _)) =>
            {
                self.valuation_modulo(path, left, right)
            }
            Num::Binary(operator, left, right) => {
                let mut found = Vec::new();
                for (path, left, right) in self.pair(path, left, right)? {
                    found.extend(self.binary(path, *operator, &left, &right, span)?);
                }
                Self::limited(found, span)
            }
            Num::If(condition, then, otherwise) => {
                let mut found = Vec::new();
                for (holds, num) in [(true, then), (false, otherwise)] {
                    for path in self.condition(path.clone(), condition, holds)? {
                        found.extend(self.number(path, num)?);
                    }
                }
                Self::limited(found, span)
            }
            Num::Let(slot, value, body) => {
                let mut found = Vec::new();
                for (mut path, value) in self.number(path, value)? {
                    path.locals.insert(*slot, value);
                    found.extend(self.number(path, body)?);
                }
                Ok(found)
            }
            Num::Fold(fold, list) => {
                let mut found = Vec::new();
                for (path, list) in self.list(path, list)? {
                    found.extend(self.fold(path, *fold, &list, span)?);
                }
                Self::limited(found, span)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let mut found = Vec::new();
                for (path, base, modulus) in self.pair(path, base, modulus)? {
                    let (Some(base), Some(modulus)) = (base.value(), modulus.value()) else {
                        return unsupported("a base that depends on the position", span);
                    };
                    for (path, list) in self.list(path, list)? {
                        if base < 2 || modulus < 1 {
                            self.fault(Some(path));
                        } else {
                            found.extend(self.columns(path, base, &list, modulus, span)?);
                        }
                    }
                }
                Ok(found)
            }
            Num::Apply(Builtin::Digit, arguments) => {
                let [base, index, value] = operands(arguments);
                let mut found = Vec::new();
                for (path, base, index) in self.pair(path, base, index)? {
                    let (Some(base), Some(index)) = (base.value(), index.value()) else {
                        return unsupported("a digit whose place depends on the position", span);
                    };
                    for (path, value) in self.number(path, value)? {
                        if base < 2 || index < 0 {
                            self.fault(Some(path));
                            continue;
                        }
                        let power = u32::try_from(index).ok().and_then(|i| base.checked_pow(i));
                        let power = power.map(Linear::constant).ok_or_else(|| large(span))?;
                        let base = Linear::constant(base);
                        if let Some(path) = self.natural(path, &value, span)? {
                            for (path, value) in self.divided(path, &value, &power, span)? {
                                found.extend(self.remainder(path, &value, &base, span)?);
                            }
                        }
                    }
                }
                Self::limited(found, span)
            }
            Num::Components(_) => unsupported("the number of connected components", span),
            Num::Apply(Builtin::Valuation, _) => unsupported(VALUATION, span),
            Num::Apply(Builtin::Binomial, _) => {
                unsupported("a binomial coefficient that depends on the position", span)
            }
            Num::Apply(Builtin::NimProduct, _) => {
                unsupported("a nim-product that depends on the position", span)
            }
            Num::Apply(Builtin::Beatty, arguments) => {
                self.number(path, &beatty_by_roots(arguments))
            }
            Num::Apply(Builtin::Isqrt, arguments) => {
                let [of] = operands(arguments);
                self.root(path, of, span)
            }
        }
    }

    /// The values of two numbers: the cases, each a path and both values on it.
    pub(super) fn pair(
        &mut self,
        path: Path,
        first: &Expr<Num>,
        second: &Expr<Num>,
    ) -> Read<Vec<(Path, Linear, Linear)>> {
        let mut found = Vec::new();
        for (path, first) in self.number(path, first)? {
            let seconds = self.number(path, second)?.into_iter();
            found.extend(seconds.map(|(path, second)| (path, first.clone(), second)));
        }
        Ok(found)
    }

    /// The sides of a comparison: the cases, each a path and both numbers on it. In place
    /// of a valuation `k` stands the number of `k + 1` digits 1, which grows with it, and
    /// so for a constant that it is compared with.
    pub(super) fn sides(
        &mut self,
        path: Path,
        left: &Expr<Num>,
        right: &Expr<Num>,
    ) -> Read<Vec<(Path, Linear, Linear)>> {
        let in_base = [left, right].into_iter().find_map(|side| match &side.node {
            Num::Apply(Builtin::Valuation, arguments) => arguments.first(),
            _ => None,
        });
        let Some(in_base) = in_base else {
            return self.pair(path, left, right);
        };
        let mut found = Vec::new();
        for (path, base) in self.number(path, in_base)? {
            let Some(base) = base.value() else {
                return unsupported("a base that depends on the position", in_base.span);
            };
            for (path, left) in self.ones(path, left, base)? {
                let rights = self.ones(path, right, base)?.into_iter();
                found.extend(rights.map(|(path, right)| (path, left.clone(), right)));
            }
        }
        Ok(found)
    }

    /// `11…1` in a base, with one digit more than a valuation or a constant says.
    fn ones(&mut self, path: Path, num: &Expr<Num>, in_base: i64) -> Read<Vec<(Path, Linear)>> {
        let span = num.span;
        let mut found = Vec::new();
        let Num::Apply(Builtin::Valuation, arguments) = &num.node else {
            for (path, exponent) in self.number(path, num)? {
                let Some(exponent) = exponent.value() else {
                    return unsupported(VALUATION, span);
                };
                let mut ones = Some(0_i64);
                for _ in 0..=exponent.min(64) {
                    ones = ones.and_then(|ones| ones.checked_mul(in_base)?.checked_add(1));
                }
                let ones = ones.ok_or_else(|| large(span))?;
                found.push((path, Linear::constant(ones)));
            }
            return Ok(found);
        };
        let [base, value] = operands(arguments);
        for (path, base, value) in self.pair(path, base, value)? {
            if base.value() != Some(in_base) || in_base > 16 {
                return unsupported(VALUATION, span);
            }
            if in_base < 2 {
                self.fault(Some(path));
                continue;
            }
            // Digit by digit n minus (n - 1): the latter is added as often as its digits
            // have to be for their negatives. There is no n - 1 for 0.
            let less = value
                .plus(1, &Linear::constant(-1))
                .ok_or_else(|| large(span))?;
            let mut list = vec![value];
            list.extend((1..in_base).map(|_| less.clone()));
            found.extend(self.columns(path, in_base, &list, in_base, span)?);
        }
        Self::limited(found, span)
    }

    /// The remainder of a valuation `k` by a constant `m`: that of `k + 1` digits 1 by `m`
    /// digits 1 has `(k + 1) mod m` digits 1.
    fn valuation_modulo(
        &mut self,
        path: Path,
        valuation: &Expr<Num>,
        modulus: &Expr<Num>,
    ) -> Read<Vec<(Path, Linear)>> {
        let span = valuation.span;
        let Num::Apply(Builtin::Valuation, arguments) = &valuation.node else {
            return unsupported(VALUATION, span);
        };
        let [base, _] = operands(arguments);
        let mut found = Vec::new();
        for (path, base, modulus) in self.pair(path, base, modulus)? {
            let (Some(base), Some(modulus @ 1..=8)) = (base.value(), modulus.value()) else {
                return unsupported(VALUATION, span);
            };
            let digits = |many: i64| {
                let more = |ones: i64, _| ones.checked_mul(base)?.checked_add(1);
                (0..many).try_fold(0_i64, more).ok_or_else(|| large(span))
            };
            for (path, ones) in self.ones(path, valuation, base)? {
                for rest in 0..modulus {
                    let is = Atom::Residue {
                        sum: ones.clone(),
                        modulus: digits(modulus)?,
                        residue: digits((rest + 1) % modulus)?,
                        holds: true,
                    };
                    let path = path.clone().assume(is);
                    found.extend(path.map(|path| (path, Linear::constant(rest))));
                }
            }
        }
        Self::limited(found, span)
    }

    /// The heap with an index: for each heap, the path on which the index is
    /// its number.
    pub fn heaps_at(
        &mut self,
        path: Path,
        heaps: &[HeapId],
        first: i64,
        index: &Expr<Num>,
    ) -> Read<Vec<(Path, HeapId)>> {
        let mut found = Vec::new();
        for (path, index_value) in self.number(path, index)? {
            let first = Linear::constant(first);
            let compare = |path: &Path, order, place: &Linear| {
                path.clone()
                    .compare(&index_value, order, place, true, index.span)
            };
            let number = |place: usize| {
                first
                    .plus(place as i64, &Linear::constant(1))
                    .ok_or_else(|| large(index.span))
            };
            let end = number(heaps.len())?;
            let below = compare(&path, Order::Less, &first)?;
            let above = path
                .clone()
                .compare(&index_value, Order::Less, &end, false, index.span)?;
            self.fault(below);
            self.fault(above);
            for (place, heap) in heaps.iter().enumerate() {
                let here = compare(&path, Order::Equal, &number(place)?)?;
                found.extend(here.map(|path| (path, *heap)));
            }
        }
        Ok(found)
    }

    /// The value of an arithmetic operation.
    fn binary(
        &mut self,
        path: Path,
        operator: Arithmetic,
        left: &Linear,
        right: &Linear,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let sum = match (operator, left.value(), right.value()) {
            (Arithmetic::Add, ..) => left.plus(1, right),
            (Arithmetic::Subtract, ..) => left.plus(-1, right),
            (Arithmetic::Multiply, Some(factor), _) => Linear::default().plus(factor, right),
            (Arithmetic::Multiply, _, Some(factor)) => Linear::default().plus(factor, left),
            (Arithmetic::Multiply, ..) => {
                return unsupported("a product of numbers that depend on the position", span);
            }
            (Arithmetic::Divide, ..) => return self.divided(path, left, right, span),
            (Arithmetic::Modulo, ..) => return self.remainder(path, left, right, span),
            (Arithmetic::Gcd | Arithmetic::Power, Some(one), Some(other)) => {
                operator.apply(one, other).ok().map(Linear::constant)
            }
            (Arithmetic::Gcd | Arithmetic::Power, ..) => {
                return unsupported(
                    "a power or `gcd` of numbers that depend on the position",
                    span,
                );
            }
        };
        Ok(vec![(path, sum.ok_or_else(|| large(span))?)])
    }

    /// The quotient of a division by a constant, rounded down.
    pub(super) fn divided(
        &mut self,
        path: Path,
        value: &Linear,
        by: &Linear,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let Some(by) = by.value() else {
            return unsupported("a division by a number that depends on the position", span);
        };
        if by == 0 {
            self.fault(Some(path));
            return Ok(Vec::new());
        }
        let value = Linear::default()
            .plus(by.signum(), value)
            .ok_or_else(|| large(span))?;
        if let Some(value) = value.value() {
            return Ok(vec![(path, Linear::constant(value.div_euclid(by.abs())))]);
        }
        let mut found = Vec::new();
        for negative in [false, true] {
            let zero = Linear::default();
            let Some(mut path) =
                path.clone()
                    .compare(&value, Order::Less, &zero, negative, span)?
            else {
                continue;
            };
            let size = path.fresh();
            let quotient = if negative {
                Linear::default().plus(-1, &size)
            } else {
                Some(size)
            };
            let quotient = quotient.ok_or_else(|| large(span))?;
            let rest = value
                .plus(-by.abs(), &quotient)
                .ok_or_else(|| large(span))?;
            let most = Linear::constant(by.abs());
            let path = match path.compare(&rest, Order::Less, &zero, false, span)? {
                Some(path) => path.compare(&rest, Order::Less, &most, true, span)?,
                None => None,
            };
            found.extend(path.map(|path| (path, quotient)));
        }
        Ok(found)
    }

    /// The remainder of a division by a constant: one case for each residue.
    pub(super) fn remainder(
        &mut self,
        path: Path,
        value: &Linear,
        by: &Linear,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let Some(modulus) = by.value() else {
            return unsupported("a remainder by a number that depends on the position", span);
        };
        if modulus <= 0 {
            self.fault(Some(path));
            return Ok(Vec::new());
        }
        if modulus > MAX_CASES as i64 {
            return Err(large(span));
        }
        let case = |residue| {
            let sum = value.clone();
            let is = Atom::Residue {
                sum,
                modulus,
                residue,
                holds: true,
            };
            path.clone()
                .assume(is)
                .map(|path| (path, Linear::constant(residue)))
        };
        Ok((0..modulus).filter_map(case).collect())
    }

    /// The path on which a number is not negative. On the other paths a fault is
    /// recorded.
    pub fn natural(&mut self, path: Path, value: &Linear, span: Span) -> Read<Option<Path>> {
        if value.constant >= 0 && value.has_sign(1) {
            return Ok(Some(path));
        }
        let zero = Linear::default();
        let negative = path
            .clone()
            .compare(value, Order::Less, &zero, true, span)?;
        self.fault(negative);
        path.compare(value, Order::Less, &zero, false, span)
    }

    /// A variable that equals a number, which must not be negative.
    pub(super) fn track(path: &mut Path, value: &Linear) -> Option<Variable> {
        let single = value.constant == 0 && value.weights.len() == 1;
        if let (true, Some((variable, 1))) = (single, value.weights.first_key_value()) {
            return Some(*variable);
        }
        let variable = Variable::Some(path.some);
        let equal = Atom::Zero(path.fresh().plus(-1, value)?);
        path.atoms.push(equal);
        Some(variable)
    }

    /// The sum without carry: the digits at each place are added modulo the
    /// modulus, and the results are the digits of the value.
    pub(super) fn columns(
        &mut self,
        path: Path,
        base: i64,
        list: &[Linear],
        modulus: i64,
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        let mut path = path;
        for value in list {
            let Some(next) = self.natural(path, value, span)? else {
                return Ok(Vec::new());
            };
            path = next;
        }
        // Several constants are added here, without a variable for each.
        let constants: Vec<i64> = list.iter().filter_map(Linear::value).collect();
        let constant = Linear::default().plus(
            sum_of_digits(base, &constants, modulus),
            &Linear::constant(1),
        );
        let constant = constant.ok_or_else(|| large(span))?;
        if constants.len() == list.len() {
            return Ok(vec![(path, constant)]);
        }
        let mut list = list.to_vec();
        // With a larger modulus the sums at the places need not be digits of a number.
        if constants.len() > 1 && modulus <= base {
            list.retain(|value| value.value().is_none());
            list.extend(Some(constant).filter(|constant| constant.constant != 0));
        }
        let mut terms = Vec::new();
        for value in &list {
            terms.push(Self::track(&mut path, value).ok_or_else(|| large(span))?);
        }
        // If a result can exceed the largest digit, the value is the sum of
        // several numbers, so that each of them has one digit at each place.
        let count = (modulus - 1 + base - 2) / (base - 1);
        if count > 8 {
            return unsupported("a modulus this much larger than the base", span);
        }
        let numbers: Vec<Linear> = (0..count).map(|_| path.fresh()).collect();
        let results = numbers
            .iter()
            .flat_map(|number| number.weights.keys().copied());
        let columns = Atom::Columns {
            base,
            terms,
            modulus,
            results: results.collect(),
            place: Place(span),
        };
        path.atoms.push(columns);
        let value = sum(&numbers, span)?;
        Ok(vec![(path, value)])
    }

    /// The value of a fold over a list.
    pub(super) fn fold(
        &mut self,
        path: Path,
        fold: Fold,
        list: &[Linear],
        span: Span,
    ) -> Read<Vec<(Path, Linear)>> {
        match fold {
            Fold::Sum => Ok(vec![(path, sum(list, span)?)]),
            Fold::Count => Ok(vec![(path, Linear::constant(list.len() as i64))]),
            Fold::Max | Fold::Min => {
                if list.is_empty() {
                    self.fault(Some(path));
                    return Ok(Vec::new());
                }
                let mut found = Vec::new();
                for (place, value) in list.iter().enumerate() {
                    // The first of the largest, or smallest, members.
                    let mut path = Some(path.clone());
                    for (other, number) in list.iter().enumerate() {
                        if other == place {
                            continue;
                        }
                        let order = if other < place {
                            Order::Less
                        } else {
                            Order::AtMost
                        };
                        let (less, more) = match fold {
                            Fold::Max => (number, value),
                            _ => (value, number),
                        };
                        let Some(own) = path else { break };
                        path = own.compare(less, order, more, true, span)?;
                    }
                    found.extend(path.map(|path| (path, value.clone())));
                }
                Ok(found)
            }
        }
    }
}

/// The sum without carry of constants that are not negative: at each place of the
/// numeration in `base` the digits are added and reduced modulo the modulus.
fn sum_of_digits(base: i64, constants: &[i64], modulus: i64) -> i64 {
    let mut rest = constants.to_vec();
    let (mut sum, mut weight) = (0, 1_i64);
    while rest.iter().any(|number| *number > 0) {
        let column: i64 = rest.iter().map(|number| number % base).sum();
        sum += weight * (column % modulus);
        rest.iter_mut().for_each(|number| *number /= base);
        weight *= base;
    }
    sum
}
