//! Translation of numbers to cases, and of lists and sets to conditional
//! elements.

use super::condition::EMPTY;
use super::{
    Atom, Case, Cases, Domain, Formula, FormulaOf, Interpreter, Translation, both, exists_case,
    guarded, merge_cases, numbers_too_large, unconditional,
};
use crate::Unsupported;
use nimrule_model::expr::{
    Arithmetic, Builtin, Expr, Fold, HeapId, List, NamedSet, Num, Order, Set, beatty_by_roots,
    operands,
};
use nimrule_model::source::Span;

/// Why a heap with an index may have no size.
const NO_SUCH_HEAP: &str = "there may be no heap with this index";

impl<D: Domain> Interpreter<'_, D> {
    /// The cases of a number.
    pub fn number(&mut self, num: &Expr<Num>) -> Translation<Cases<D>> {
        let at = num.span;
        match &num.node {
            Num::Const(value) => Ok(unconditional(D::constant(*value))),
            Num::Heap(heap) => Ok(unconditional(self.size(*heap))),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let found = self.heaps_at(heaps, *first, index)?;
                let cases = found.into_iter().map(|(guard, heap)| Case {
                    existentials: Vec::new(),
                    guard,
                    value: self.size(heap),
                });
                merge_cases(cases.collect(), at)
            }
            Num::Local(slot) => match self.locals.get(slot) {
                Some(value) => Ok(unconditional(value.clone())),
                None => Err(Unsupported::new("a name without a value here", at)),
            },
            Num::SizeOf(pick) => {
                let heap = self.picks.get(pick).and_then(|heaps| heaps.first());
                match heap {
                    Some(heap) => Ok(unconditional(self.size(*heap))),
                    None => Err(Unsupported::new("no heap has been selected here", at)),
                }
            }
            Num::IndexOf(pick) => {
                let heap = self.picks.get(pick).and_then(|heaps| heaps.first());
                match heap {
                    Some(heap) => Ok(unconditional(D::constant(heap.index() as i64 + 1))),
                    None => Err(Unsupported::new("no heap has been selected here", at)),
                }
            }
            Num::Total => {
                let mut total = D::constant(0);
                for amount in &self.amounts {
                    total = D::plus(&total, amount).ok_or_else(|| numbers_too_large(at))?;
                }
                Ok(unconditional(total))
            }
            Num::Negate(inner) => {
                let cases = self.number(inner)?.into_iter().map(|case| {
                    Ok(Case {
                        value: D::times(&case.value, -1).ok_or_else(|| numbers_too_large(at))?,
                        ..case
                    })
                });
                cases.collect()
            }
            Num::Binary(Arithmetic::Modulo, left, right)
                if matches!(left.node, Num::Apply(Builtin::Valuation, _)) =>
            {
                self.valuation_modulo(left, right, at)
            }
            Num::Binary(operator, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                self.binary(*operator, &left, &right, at)
            }
            Num::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                // Only the branch that is taken is translated.
                if let Formula::Const(value) = condition {
                    return self.number(if value { then } else { otherwise });
                }
                let not = condition.clone().negated();
                let then = self.assuming(condition.clone(), |r| r.number(then))?;
                let otherwise = self.assuming(not.clone(), |r| r.number(otherwise))?;
                let cases = guarded(then, &condition).chain(guarded(otherwise, &not));
                merge_cases(cases.collect(), at)
            }
            Num::Let(slot, value, body) => {
                let mut cases = Vec::new();
                for value in self.number(value)? {
                    let guard = value.guard.clone();
                    let inner = self.assuming(guard, |r| {
                        r.with_local(*slot, value.value, |r| r.number(body))
                    })?;
                    cases.extend(inner.into_iter().map(|case| Case {
                        existentials: [value.existentials.as_slice(), &case.existentials].concat(),
                        guard: Formula::and([value.guard.clone(), case.guard]),
                        value: case.value,
                    }));
                }
                merge_cases(cases, at)
            }
            Num::Fold(fold, list) => {
                let items = self.items(list)?;
                self.folded(*fold, &items, at)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                D::integers_only(DIGITS, at)?;
                let items = self.items(list)?;
                D::carryless(self, base, &items, modulus, at)
            }
            Num::Apply(Builtin::Digit, arguments) => {
                let [base, index, value] = operands(arguments);
                D::integers_only(DIGITS, at)?;
                let value = self.number(value)?;
                D::digit(self, base, index, &value, at)
            }
            Num::Components(_) => Err(Unsupported::new(CONNECTION, at)),
            // No relation of digits gives the number itself, only its remainder.
            Num::Apply(Builtin::Valuation, _) => Err(Unsupported::new(VALUATION, at)),
            Num::Apply(Builtin::Binomial, _) => Err(Unsupported::new(BINOMIAL, at)),
            Num::Apply(Builtin::NimProduct, _) => Err(Unsupported::new(NIM_PRODUCT, at)),
            Num::Apply(Builtin::Beatty, arguments) => self.number(&beatty_by_roots(arguments)),
            Num::Apply(Builtin::Isqrt, arguments) => {
                let [inner] = operands(arguments);
                D::root(self, inner, at)
            }
        }
    }

    /// The heaps that an index may name, each with its condition. An index out
    /// of range is a fault.
    pub(super) fn heaps_at(
        &mut self,
        heaps: &[HeapId],
        first: i64,
        index: &Expr<Num>,
    ) -> Translation<Vec<(FormulaOf<D>, HeapId)>> {
        let at = index.span;
        let index = self.number(index)?;
        let mut found = Vec::new();
        for (place, heap) in (0_i64..).zip(heaps) {
            let here = D::constant(
                first
                    .checked_add(place)
                    .ok_or_else(|| numbers_too_large(at))?,
            );
            let here = exists_case(&index, |value| {
                self.compared(value, Order::Equal, &here, at)
            })?;
            if here != Formula::FALSE {
                found.push((here, *heap));
            }
        }
        let inside = Formula::or(found.iter().map(|(here, _)| here.clone()));
        self.record_fault(inside.negated(), NO_SUCH_HEAP, at);
        Ok(found)
    }

    /// The value of a constant expression.
    ///
    /// # Errors
    ///
    /// The expression is not constant.
    pub fn constant_of(&mut self, num: &Expr<Num>) -> Translation<i64> {
        let cases = self.number(num)?;
        let constant = match cases.as_slice() {
            [case] => D::as_constant(&case.value),
            _ => None,
        };
        constant.ok_or_else(|| {
            let what = "a base, modulus or place that depends on the position";
            Unsupported::new(what, num.span)
        })
    }

    fn binary(
        &mut self,
        operator: Arithmetic,
        left: &Cases<D>,
        right: &Cases<D>,
        at: Span,
    ) -> Translation<Cases<D>> {
        both(left, right, at, |left, right| {
            let value = match operator {
                Arithmetic::Add => D::plus(left, right),
                Arithmetic::Subtract => D::minus(left, right),
                Arithmetic::Multiply => match (D::as_constant(left), D::as_constant(right)) {
                    (Some(factor), _) => D::times(right, factor),
                    (_, Some(factor)) => D::times(left, factor),
                    (None, None) => return Ok(unconditional(D::product(self, left, right, at)?)),
                },
                Arithmetic::Divide => return D::quotient(self, left, right, at),
                Arithmetic::Modulo => return D::remainder(self, left, right, at),
                // Only of constants: nothing else is an automatic relation.
                Arithmetic::Gcd | Arithmetic::Power => {
                    let (Some(left), Some(right)) = (D::as_constant(left), D::as_constant(right))
                    else {
                        let what = "a power or a greatest common divisor of numbers that depend \
                                    on the position";
                        return Err(Unsupported::new(what, at));
                    };
                    match operator.apply(left, right) {
                        Ok(value) => Some(D::constant(value)),
                        Err(_) => None,
                    }
                }
            };
            Ok(unconditional(value.ok_or_else(|| numbers_too_large(at))?))
        })
    }
}

const DIGITS: &str = "digits are of whole numbers";

/// A valuation that is used otherwise.
const VALUATION: &str = "a valuation that is neither compared with a constant or with a valuation \
                         in the same base nor followed by `mod` with a constant up to 8";

const BINOMIAL: &str = "a binomial coefficient that depends on the position";
const NIM_PRODUCT: &str = "a nim-product that depends on the position";

/// The largest base of a valuation: one track is added for each of its digits.
const MAX_VALUATION_BASE: i64 = 16;

/// The largest modulus of a valuation.
const MAX_VALUATION_MODULUS: i64 = 8;

impl<D: Domain> Interpreter<'_, D> {
    /// Both sides of a comparison with valuations, as numbers that compare in the same
    /// way; `None` if neither side is a valuation. In place of a valuation `k` it is the
    /// number of `k + 1` digits 1, `11…1`.
    pub(super) fn valuations(
        &mut self,
        left: &Expr<Num>,
        right: &Expr<Num>,
    ) -> Translation<Option<(Cases<D>, Cases<D>)>> {
        let base = |num: &Expr<Num>| match &num.node {
            Num::Apply(Builtin::Valuation, arguments) => arguments.first().cloned(),
            _ => None,
        };
        let Some(base) = base(left).or_else(|| base(right)) else {
            return Ok(None);
        };
        let base = self.constant_of(&base)?;
        Ok(Some((self.ones(left, base)?, self.ones(right, base)?)))
    }

    /// The remainder of a valuation `k` by a constant `m`. With `R(i)` for the number of `i`
    /// digits 1, `R(k + 1)` is congruent to `R((k + 1) mod m)` modulo `R(m)`, since `R(m)`
    /// divides `R(m + i) - R(i)`.
    fn valuation_modulo(
        &mut self,
        valuation: &Expr<Num>,
        modulus: &Expr<Num>,
        at: Span,
    ) -> Translation<Cases<D>> {
        let Num::Apply(Builtin::Valuation, arguments) = &valuation.node else {
            return Err(Unsupported::new(VALUATION, at));
        };
        let [base, _] = operands(arguments);
        let (base, modulus) = (self.constant_of(base)?, self.constant_of(modulus)?);
        if !(1..=MAX_VALUATION_MODULUS).contains(&modulus) {
            return Err(Unsupported::new(VALUATION, at));
        }
        let ones = self.ones(valuation, base)?;
        let more = |ones: &i64| ones.checked_mul(base)?.checked_add(1);
        let repunits: Vec<i64> = std::iter::successors(Some(0), more)
            .take(modulus as usize + 1)
            .collect();
        let [residues @ .., whole] = repunits.as_slice() else {
            return Err(numbers_too_large(at));
        };
        if residues.len() < modulus as usize {
            return Err(numbers_too_large(at));
        }
        let mut cases = Vec::new();
        for one in ones {
            let remainders = self.assuming(one.guard.clone(), |r| {
                D::remainder(r, &one.value, &D::constant(*whole), at)
            })?;
            for remainder in remainders {
                for rest in 0..modulus {
                    let residue = residues[((rest + 1) % modulus) as usize];
                    let residue = D::constant(residue);
                    let is = self.compared(&remainder.value, Order::Equal, &residue, at)?;
                    let guards = [one.guard.clone(), remainder.guard.clone(), is];
                    cases.push(Case {
                        existentials: [&one.existentials[..], &remainder.existentials].concat(),
                        guard: Formula::and(guards),
                        value: D::constant(rest),
                    });
                }
            }
        }
        merge_cases(cases, at)
    }

    /// The number of `k + 1` digits 1 in a base, for a valuation `k` in this base or for a
    /// constant `k`.
    fn ones(&mut self, num: &Expr<Num>, in_base: i64) -> Translation<Cases<D>> {
        let at = num.span;
        let Num::Apply(Builtin::Valuation, arguments) = &num.node else {
            let cases = self.number(num)?;
            let [Case { value, .. }] = cases.as_slice() else {
                return Err(Unsupported::new(VALUATION, at));
            };
            let Some(exponent) = D::as_constant(value) else {
                return Err(Unsupported::new(VALUATION, at));
            };
            let mut digits = (0..=exponent).map(|_| 1_i64);
            let ones =
                digits.try_fold(0_i64, |all, one| all.checked_mul(in_base)?.checked_add(one));
            let ones = ones.ok_or_else(|| numbers_too_large(at))?;
            return Ok(unconditional(D::constant(ones)));
        };
        let [base, value] = operands(arguments);
        D::integers_only(DIGITS, at)?;
        if self.constant_of(base)? != in_base {
            return Err(Unsupported::new(VALUATION, at));
        }
        if in_base > MAX_VALUATION_BASE {
            return Err(Unsupported::too_large("its base is too large", at));
        }
        // At each place the digit of n - 1 is subtracted from that of n: 1 at the zeros at
        // the end and at the digit before them, and 0 elsewhere. There is no n - 1 for 0.
        let copies = usize::try_from(in_base - 1).unwrap_or_default();
        let mut cases = Vec::new();
        for case in self.number(value)? {
            let less = D::minus(&case.value, &D::constant(1));
            let less = less.ok_or_else(|| numbers_too_large(at))?;
            let numbers = [case.value]
                .into_iter()
                .chain(std::iter::repeat_n(less, copies));
            let items: Vec<Item<D>> = numbers.map(|n| Item::present(unconditional(n))).collect();
            let ones = self.assuming(case.guard.clone(), |r| {
                D::carryless(r, base, &items, base, at)
            })?;
            cases.extend(ones.into_iter().map(|ones| Case {
                existentials: [case.existentials.as_slice(), &ones.existentials].concat(),
                guard: Formula::and([case.guard.clone(), ones.guard]),
                value: ones.value,
            }));
        }
        merge_cases(cases, at)
    }
}

// Lists and sets.

/// An element of a list that is in the list where `present` holds.
#[derive(Debug, Clone)]
pub struct Item<D: Domain> {
    /// Where it is in the list.
    pub present: FormulaOf<D>,
    /// Its value.
    pub value: Cases<D>,
}

impl<D: Domain> Item<D> {
    fn present(value: Cases<D>) -> Item<D> {
        Item {
            present: Formula::TRUE,
            value,
        }
    }
}

/// Why paths and components are refused.
pub(crate) const CONNECTION: &str = "no automaton finds paths on a board";

const LIST_AT: &str = "the heaps of a family by an index that depends on the position";

/// The most numbers of a range that is enumerated.
const MAX_LISTED: i64 = 64;

impl<D: Domain> Interpreter<'_, D> {
    /// The elements of a list.
    pub fn items(&mut self, list: &Expr<List>) -> Translation<Vec<Item<D>>> {
        let all_present = |values: Vec<D::Value>| {
            let items = values
                .into_iter()
                .map(|value| Item::present(unconditional(value)));
            Ok(items.collect())
        };
        match &list.node {
            List::Heaps(heaps) => all_present(heaps.iter().map(|heap| self.size(*heap)).collect()),
            List::Multiset(_) => Err(Unsupported::new(
                "the number of heaps is not fixed",
                list.span,
            )),
            List::Items(items) => self.written(items),
            // No operator on lists depends on the order of the members.
            List::Sorted(inner) => self.items(inner),
            List::Picked(pick) => {
                let heaps = self.picks.get(pick).cloned().unwrap_or_default();
                all_present(heaps.iter().map(|heap| self.size(*heap)).collect())
            }
            List::Amounts => all_present(self.amounts.clone()),
            List::At { lists, index } => {
                let at = index.span;
                let index = self.number(index)?;
                let [Case { value, .. }] = index.as_slice() else {
                    return Err(Unsupported::new(LIST_AT, at));
                };
                let heaps = D::as_constant(value)
                    .and_then(|index| usize::try_from(index.checked_sub(1)?).ok())
                    .and_then(|place| lists.get(place));
                match heaps {
                    Some(heaps) => all_present(heaps.iter().map(|heap| self.size(*heap)).collect()),
                    None => Err(Unsupported::new(LIST_AT, at)),
                }
            }
            List::Members(set) => self.members(set),
            List::Gathered {
                slot,
                over,
                value,
                condition,
            } => {
                let mut items = Vec::new();
                for member in self.members(over)? {
                    let mut cases = Vec::new();
                    for case in member.value {
                        let there = Formula::and([member.present.clone(), case.guard]);
                        let (kept, gathered) = self.assuming(there.clone(), |r| {
                            r.with_local(*slot, case.value, |r| {
                                let kept = match condition {
                                    Some(condition) => r.condition(condition)?,
                                    None => Formula::TRUE,
                                };
                                let gathered = r.assuming(kept.clone(), |r| r.number(value))?;
                                Ok((kept, gathered))
                            })
                        })?;
                        let present = Formula::and([there, kept]);
                        cases.push(if case.existentials.is_empty() {
                            Item {
                                present,
                                value: gathered,
                            }
                        } else {
                            with_existentials(&case.existentials, present, gathered)
                        });
                    }
                    items.extend(merge_items(cases));
                }
                Ok(items)
            }
        }
    }

    fn written(&mut self, items: &[Expr<Num>]) -> Translation<Vec<Item<D>>> {
        items
            .iter()
            .map(|item| Ok(Item::present(self.number(item)?)))
            .collect()
    }

    /// The elements of a set that can be enumerated.
    fn members(&mut self, set: &Expr<Set>) -> Translation<Vec<Item<D>>> {
        match &set.node {
            Set::List(list) => self.items(list),
            Set::Items(items) => self.written(items),
            Set::Range(low, Some(high)) => {
                D::integers_only("a range is of whole numbers", set.span)?;
                match self.constants_between(low, high)? {
                    Some(range) => Ok(range
                        .map(|value| Item::present(unconditional(D::constant(value))))
                        .collect()),
                    None => Err(Unsupported::new(
                        "a list over a range whose ends depend on the position, or are far apart",
                        set.span,
                    )),
                }
            }
            Set::Range(_, None) | Set::Powers(_) => {
                D::integers_only("its members are whole numbers", set.span)?;
                Err(Unsupported::new("a list over an infinite set", set.span))
            }
            Set::Named(named) => Err(unrecognised::<D>(*named, set.span)),
        }
    }

    /// The range, if both ends are constants and it has at most [`MAX_LISTED`] numbers.
    fn constants_between(
        &mut self,
        low: &Expr<Num>,
        high: &Expr<Num>,
    ) -> Translation<Option<std::ops::RangeInclusive<i64>>> {
        let (low, high) = (self.number(low)?, self.number(high)?);
        let constant = |cases: &Cases<D>| match cases.as_slice() {
            [case] => D::as_constant(&case.value),
            _ => None,
        };
        Ok(match (constant(&low), constant(&high)) {
            (Some(low), Some(high)) if high.saturating_sub(low) < MAX_LISTED => Some(low..=high),
            _ => None,
        })
    }

    /// The members of a set, as cases: a number is a member if and only if it is the
    /// value of one of the cases, for some values of its existential variables.
    pub fn any_member(&mut self, set: &Expr<Set>) -> Translation<Cases<D>> {
        let at = set.span;
        match &set.node {
            Set::Items(_) | Set::List(_) => self.listed_members(set),
            Set::Range(low, high) => {
                D::integers_only("a range is of whole numbers", at)?;
                if let Some(high) = high
                    && self.constants_between(low, high)?.is_some()
                {
                    return self.listed_members(set);
                }
                let low = self.number(low)?;
                let high = match high {
                    Some(high) => Some(self.number(high)?),
                    None => None,
                };
                let mut cases = D::integers_from(self, &low, at)?;
                if let Some(high) = high {
                    for case in &mut cases {
                        let below = exists_case(&high, |high| {
                            self.compared(&case.value, Order::AtMost, high, at)
                        })?;
                        let guard = std::mem::replace(&mut case.guard, Formula::TRUE);
                        case.guard = Formula::and([guard, below]);
                    }
                }
                cases.retain(|case| case.guard != Formula::FALSE);
                Ok(cases)
            }
            Set::Powers(base) => {
                D::integers_only("powers are whole numbers", at)?;
                let one = unconditional(D::constant(1));
                let mut cases = D::integers_from(self, &one, at)?;
                for case in &mut cases {
                    let number = unconditional(case.value.clone());
                    let guard = std::mem::replace(&mut case.guard, Formula::TRUE);
                    let power = D::is_power(self, &number, base, at)?;
                    case.guard = Formula::and([guard, power]);
                }
                Ok(cases)
            }
            Set::Named(named) => Err(unrecognised::<D>(*named, at)),
        }
    }

    fn listed_members(&mut self, set: &Expr<Set>) -> Translation<Cases<D>> {
        let mut cases = Vec::new();
        for item in self.members(set)? {
            cases.extend(super::guarded(item.value, &item.present));
        }
        merge_cases(cases, set.span)
    }

    /// The values of items, or 0 if they are absent.
    pub fn values_or_zero(&mut self, items: &[Item<D>], at: Span) -> Translation<Vec<Cases<D>>> {
        items
            .iter()
            .map(|item| {
                if item.present == Formula::TRUE {
                    return Ok(item.value.clone());
                }
                let mut cases: Cases<D> =
                    super::guarded(item.value.clone(), &item.present).collect();
                cases.push(Case {
                    existentials: Vec::new(),
                    guard: item.present.clone().negated(),
                    value: D::constant(0),
                });
                merge_cases(cases, at)
            })
            .collect()
    }

    pub(super) fn folded(
        &mut self,
        fold: Fold,
        items: &[Item<D>],
        at: Span,
    ) -> Translation<Cases<D>> {
        match fold {
            Fold::Sum => {
                let mut sum = unconditional(D::constant(0));
                for value in self.values_or_zero(items, at)? {
                    sum = both(&sum, &value, at, |sum, value| {
                        let sum = D::plus(sum, value).ok_or_else(|| numbers_too_large(at))?;
                        Ok(unconditional(sum))
                    })?;
                }
                Ok(sum)
            }
            Fold::Count => {
                let ones: Vec<Item<D>> = items
                    .iter()
                    .map(|item| Item {
                        present: item.present.clone(),
                        value: unconditional(D::constant(1)),
                    })
                    .collect();
                self.folded(Fold::Sum, &ones, at)
            }
            Fold::Max => self.extreme(items, true, at),
            Fold::Min => self.extreme(items, false, at),
        }
    }

    fn extreme(&mut self, items: &[Item<D>], largest: bool, at: Span) -> Translation<Cases<D>> {
        let some = Formula::or(items.iter().map(|item| item.present.clone()));
        self.record_fault(some.negated(), EMPTY, at);
        let mut cases = Vec::new();
        for (place, item) in items.iter().enumerate() {
            for case in &item.value {
                let mut guard = vec![item.present.clone(), case.guard.clone()];
                for (other, rival) in items.iter().enumerate() {
                    if other == place {
                        continue;
                    }
                    let beaten = exists_case(&rival.value, |rival| match largest {
                        true => self.compared(rival, Order::AtMost, &case.value, at),
                        false => self.compared(&case.value, Order::AtMost, rival, at),
                    })?;
                    guard.push(Formula::or([rival.present.clone().negated(), beaten]));
                }
                cases.push(Case {
                    existentials: case.existentials.clone(),
                    guard: Formula::and(guard),
                    value: case.value.clone(),
                });
            }
        }
        merge_cases(cases, at)
    }

    /// The formula that the number is a member of the set.
    pub fn belongs(&mut self, number: &Cases<D>, set: &Expr<Set>) -> Translation<FormulaOf<D>> {
        let at = set.span;
        match &set.node {
            Set::Range(low, high) => {
                D::integers_only("a range is of whole numbers", at)?;
                let low = self.number(low)?;
                let mut inside = vec![self.compare_cases(&low, Order::AtMost, number, at)?];
                if let Some(high) = high {
                    let high = self.number(high)?;
                    inside.push(self.compare_cases(number, Order::AtMost, &high, at)?);
                }
                Ok(Formula::and(inside))
            }
            Set::Items(_) | Set::List(_) => {
                let mut any = Vec::new();
                for item in self.members(set)? {
                    let equal = self.compare_cases(number, Order::Equal, &item.value, at)?;
                    any.push(Formula::and([item.present, equal]));
                }
                Ok(Formula::or(any))
            }
            Set::Powers(base) => D::is_power(self, number, base, at),
            Set::Named(named) => Err(unrecognised::<D>(*named, at)),
        }
    }
}

/// An item whose presence depends on existential variables.
fn with_existentials<D: Domain>(
    existentials: &[<D::Atom as Atom>::Bound],
    present: FormulaOf<D>,
    value: Cases<D>,
) -> Item<D> {
    let value = value.into_iter().map(|case| Case {
        existentials: [existentials, case.existentials.as_slice()].concat(),
        guard: Formula::and([present.clone(), case.guard]),
        value: case.value,
    });
    Item {
        value: value.collect(),
        present: Formula::exists(existentials.to_vec(), present),
    }
}

/// Merges the cases of one member to one item. Cases that hold together have equal
/// values, so the member is gathered once.
fn merge_items<D: Domain>(cases: Vec<Item<D>>) -> Option<Item<D>> {
    if cases.len() < 2 {
        return cases.into_iter().next();
    }
    let present = Formula::or(cases.iter().map(|item| item.present.clone()));
    let value = cases.into_iter().flat_map(|item| {
        let there = item.present;
        item.value.into_iter().map(move |case| Case {
            guard: Formula::and([there.clone(), case.guard]),
            ..case
        })
    });
    Some(Item {
        value: value.collect(),
        present,
    })
}

/// Why a set by its name has no automaton.
fn unrecognised<D: Domain>(named: NamedSet, at: Span) -> Unsupported {
    let reason = match named {
        NamedSet::Squares => "no automaton recognises squares by their digits",
        NamedSet::Primes => "no automaton recognises primes by their digits",
        NamedSet::Fibonacci => "no automaton recognises Fibonacci numbers by their binary digits",
        NamedSet::Factorials => "no automaton recognises factorials by their digits",
    };
    match D::integers_only("the members are whole numbers", at) {
        Err(unsupported) => unsupported,
        Ok(()) => Unsupported::new(reason, at),
    }
}
