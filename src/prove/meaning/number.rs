//! Numbers.

use super::{Case, Cases, Meaning, Read, both, certain, compared, merged, too_large};
use crate::automata::Numeration;
use crate::automata::atoms::{Columns, Relation, Sum};
use crate::expr::{Arithmetic, Num, Order};
use crate::prove::formula::{
    Formula, TRUE, as_constant, constant, minus, never_negative, plus, times, variable,
};
use crate::prove::outside::Leaves;

impl Meaning<'_> {
    /// What a number is.
    pub fn number(&mut self, num: &Num) -> Read<Cases> {
        match num {
            Num::Const(value) => Ok(certain(constant(*value))),
            Num::Heap(heap) => Ok(certain(self.heaps[heap.index()].clone())),
            Num::HeapAt {
                heaps,
                first,
                index,
            } => {
                let index = self.number(index)?;
                let mut cases = Vec::new();
                let mut inside = Vec::new();
                for (place, heap) in heaps.iter().enumerate() {
                    let at = constant(first + place as i64);
                    let here =
                        super::in_some_case(&index, |value| compared(value, Order::Equal, &at))?;
                    inside.push(here.clone());
                    cases.push(Case {
                        own: Vec::new(),
                        guard: here,
                        value: self.heaps[heap.index()].clone(),
                    });
                }
                self.fault_where(Formula::or(inside).negated());
                merged(cases)
            }
            Num::Local(slot) => match self.locals.get(slot) {
                Some(value) => Ok(certain(value.clone())),
                None => Err(Leaves::new("", "a name stands here for no number")),
            },
            Num::SizeOf(pick) => {
                let heap = self.picks.get(pick).and_then(|heaps| heaps.first());
                Ok(certain(match heap {
                    Some(heap) => self.heaps[heap.index()].clone(),
                    None => constant(0),
                }))
            }
            Num::Total => {
                let mut total = constant(0);
                for amount in &self.amounts {
                    total = plus(&total, amount).ok_or_else(too_large)?;
                }
                Ok(certain(total))
            }
            Num::Negate(inner) => {
                let inner = self.number(inner)?;
                scaled(inner, -1)
            }
            Num::Binary(Arithmetic::NimSum, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                both(&left, &right, |left, right| {
                    self.without_carry(2, 2, &[left.clone(), right.clone()])
                })
            }
            Num::Binary(operator, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                self.binary(*operator, &left, &right)
            }
            Num::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                // A branch that is never taken may say what it likes.
                if let Formula::Const(value) = condition {
                    return self.number(if value { then } else { otherwise });
                }
                let then = self.where_holds(condition.clone(), |m| m.number(then))?;
                let not = condition.clone().negated();
                let otherwise = self.where_holds(not.clone(), |m| m.number(otherwise))?;
                let guarded = |cases: Cases, by: &Formula| {
                    cases
                        .into_iter()
                        .map(|case| Case {
                            guard: Formula::and([by.clone(), case.guard]),
                            ..case
                        })
                        .collect::<Cases>()
                };
                let mut cases = guarded(then, &condition);
                cases.extend(guarded(otherwise, &not));
                merged(cases)
            }
            Num::Let(slot, value, body) => {
                let values = self.number(value)?;
                let mut cases = Vec::new();
                for value in values {
                    let guard = value.guard.clone();
                    let inner = self.where_holds(guard, |m| {
                        m.where_is(*slot, value.value.clone(), |m| m.number(body))
                    })?;
                    cases.extend(inner.into_iter().map(|case| Case {
                        own: [value.own.as_slice(), &case.own].concat(),
                        guard: Formula::and([value.guard.clone(), case.guard]),
                        value: case.value,
                    }));
                }
                merged(cases)
            }
            Num::Fold(fold, list) => {
                let items = self.items(list)?;
                self.folded(*fold, &items)
            }
            Num::Carryless {
                base,
                list,
                modulus,
            } => {
                let base = self.constant_of(base, "carryless")?;
                let modulus = self.constant_of(modulus, "carryless")?;
                let items = self.items(list)?;
                let values = self.all_values(&items)?;
                self.columns_of(base, modulus, &values, "carryless")
            }
            Num::Digit { base, index, value } => {
                let base = self.constant_of(base, "digit")?;
                let index = self.constant_of(index, "digit")?;
                let value = self.number(value)?;
                self.digit(base, index, &value)
            }
            Num::Isqrt(inner) => self.root(inner),
        }
    }

    /// The constant that an expression is.
    pub(super) fn constant_of(&mut self, num: &Num, word: &str) -> Read<i64> {
        match self.number(num)?.as_slice() {
            [case] if as_constant(&case.value).is_some() => Ok(case.value.constant),
            _ => Err(Leaves::new(
                word,
                "its base, modulus or place changes with the position",
            )),
        }
    }

    fn binary(&mut self, operator: Arithmetic, left: &Cases, right: &Cases) -> Read<Cases> {
        both(left, right, |left, right| {
            let value = match operator {
                Arithmetic::Add => plus(left, right),
                Arithmetic::Subtract => minus(left, right),
                Arithmetic::Multiply => match (as_constant(left), as_constant(right)) {
                    (Some(factor), _) => times(right, factor),
                    (_, Some(factor)) => times(left, factor),
                    _ => {
                        return Err(Leaves::new(
                            "*",
                            "two numbers are multiplied that both change with the position",
                        ));
                    }
                },
                Arithmetic::Divide => return self.quotient(left, right),
                Arithmetic::Modulo => return self.remainder(left, right),
                Arithmetic::NimSum => unreachable!("met before"),
            };
            Ok(certain(value.ok_or_else(too_large)?))
        })
    }

    /// `left div right`, rounded towards minus infinity.
    fn quotient(&mut self, left: &Sum, right: &Sum) -> Read<Cases> {
        let Some(divisor) = as_constant(right) else {
            return Err(Leaves::new("div", "the divisor changes with the position"));
        };
        if divisor == 0 {
            self.fault_where(TRUE);
            return Ok(Vec::new());
        }
        if divisor < 0 {
            let (left, right) = (times(left, -1), times(right, -1));
            return self.quotient(&left.ok_or_else(too_large)?, &right.ok_or_else(too_large)?);
        }
        if let Some(value) = as_constant(left) {
            return Ok(certain(constant(value.div_euclid(divisor))));
        }
        // divisor * q <= left < divisor * q + divisor, for q or for -q.
        let mut cases = Vec::new();
        let signs: &[i64] = if never_negative(left) { &[1] } else { &[1, -1] };
        for sign in signs {
            let track = self.fresh();
            let value = times(&variable(track), *sign).ok_or_else(too_large)?;
            let scaled = times(&value, divisor).ok_or_else(too_large)?;
            let above = plus(&scaled, &constant(divisor)).ok_or_else(too_large)?;
            let mut guard = vec![
                compared(&scaled, Order::AtMost, left)?,
                compared(left, Order::Less, &above)?,
            ];
            if *sign < 0 {
                guard.push(compared(&constant(1), Order::AtMost, &variable(track))?);
            }
            cases.push(Case {
                own: vec![track],
                guard: Formula::and(guard),
                value,
            });
        }
        Ok(cases)
    }

    fn remainder(&mut self, left: &Sum, right: &Sum) -> Read<Cases> {
        let Some(modulus) = as_constant(right) else {
            return Err(Leaves::new("mod", "the modulus changes with the position"));
        };
        if modulus <= 0 {
            self.fault_where(TRUE);
            return Ok(Vec::new());
        }
        if let Some(value) = as_constant(left) {
            return Ok(certain(constant(value.rem_euclid(modulus))));
        }
        let most = i64::try_from(super::MOST_CASES).unwrap_or(i64::MAX);
        let small = u32::try_from(modulus).ok().filter(|_| modulus <= most);
        let Some(small) = small else {
            return Err(Leaves::new("mod", "the modulus is too large"));
        };
        let mut cases = Vec::new();
        for rest in 0..modulus {
            let apart = minus(left, &constant(rest)).ok_or_else(too_large)?;
            cases.push(Case {
                own: Vec::new(),
                guard: Formula::sum(apart, Relation::Multiple(small)),
                value: constant(rest),
            });
        }
        Ok(cases)
    }

    /// The digit of `base^index`.
    fn digit(&mut self, base: i64, index: i64, value: &Cases) -> Read<Cases> {
        let base = self.own_base(base, "digit")?;
        let Some(index) = u32::try_from(index).ok().filter(|index| *index < 20) else {
            return Err(Leaves::new("digit", "the place is too far from the end"));
        };
        let mut cases = Vec::new();
        for case in value {
            let guard = case.guard.clone();
            let (own, said, x) = self.where_holds(guard, |m| m.as_natural(&case.value))?;
            for wanted in 0..base {
                let has = Formula::Digit {
                    of: base,
                    index,
                    wanted,
                    x,
                };
                cases.push(Case {
                    own: case.own.iter().copied().chain(own).collect(),
                    guard: Formula::and([case.guard.clone(), said.clone(), has]),
                    value: constant(wanted.into()),
                });
            }
        }
        merged(cases)
    }

    /// A base that the numeration's is a power of.
    pub(super) fn own_base(&mut self, base: i64, word: &str) -> Read<u8> {
        if base < 2 {
            self.fault_where(TRUE);
            return Err(Leaves::new(word, "the base is below 2"));
        }
        let Numeration::Base(of) = self.numeration else {
            return Err(Leaves::new(
                word,
                "digits in a base do not go with the golden ratio",
            ));
        };
        let mut power = base;
        while power < i64::from(of) {
            power *= base;
        }
        match u8::try_from(base).ok().filter(|_| power == i64::from(of)) {
            Some(base) => Ok(base),
            None => Err(Leaves::new(word, "its base does not go with the others")),
        }
    }

    /// The digits of several numbers added without carry.
    pub(super) fn columns_of(
        &mut self,
        base: i64,
        modulus: i64,
        values: &[Cases],
        word: &str,
    ) -> Read<Cases> {
        if modulus < 1 {
            self.fault_where(TRUE);
            return Ok(Vec::new());
        }
        let base = self.own_base(base, word)?;
        let Some(modulus) = u16::try_from(modulus).ok().filter(|m| *m < 256) else {
            return Err(Leaves::new(word, "its modulus is too large"));
        };
        // Lists whose values are told by cases are told by all their cases.
        let mut lists: Vec<(Vec<crate::automata::Track>, Formula, Vec<Sum>)> =
            vec![(Vec::new(), TRUE, Vec::new())];
        for cases in values {
            let mut longer = Vec::new();
            for (own, guard, list) in &lists {
                for case in cases {
                    let guard = Formula::and([guard.clone(), case.guard.clone()]);
                    let list = list.iter().chain([&case.value]).cloned().collect();
                    longer.push(([own.as_slice(), &case.own].concat(), guard, list));
                }
            }
            lists = longer;
            if lists.len() > super::MOST_CASES {
                return Err(Leaves::new(word, "it falls into too many cases"));
            }
        }
        let mut cases = Vec::new();
        for (own, guard, list) in lists {
            let inner =
                self.where_holds(guard.clone(), |m| m.without_carry(base, modulus, &list))?;
            cases.extend(inner.into_iter().map(|case| Case {
                own: [own.as_slice(), &case.own].concat(),
                guard: Formula::and([guard.clone(), case.guard]),
                value: case.value,
            }));
        }
        merged(cases)
    }

    /// The same for values that are certain.
    fn without_carry(&mut self, base: u8, modulus: u16, values: &[Sum]) -> Read<Cases> {
        let base = self.own_base(base.into(), if modulus == 2 { "^" } else { "carryless" })?;
        let mut tracks = Vec::new();
        let mut own = Vec::new();
        let mut guard = Vec::new();
        for value in values {
            if as_constant(value) == Some(0) {
                continue;
            }
            // A sum without carry of sums without carry is one.
            if let ([], [(1, columns)], 0) = (
                value.terms.as_slice(),
                value.columns.as_slice(),
                value.constant,
            ) && (columns.base, columns.modulus) == (base, modulus)
                && modulus == u16::from(base)
            {
                tracks.extend(&columns.tracks);
                continue;
            }
            let (new, said, track) = self.as_natural(value)?;
            own.extend(new);
            guard.push(said);
            tracks.push(track);
        }
        tracks.sort_unstable();
        // As many of one track as the modulus come to nothing.
        let mut kept: Vec<crate::automata::Track> = Vec::new();
        for track in tracks {
            let many = usize::from(modulus);
            kept.push(track);
            if kept.len() >= many && kept[kept.len() - many..].iter().all(|of| *of == track) {
                kept.truncate(kept.len() - many);
            }
        }
        let value = match kept.as_slice() {
            [] => constant(0),
            [one] if modulus >= u16::from(base) => variable(*one),
            _ => Sum {
                columns: vec![(
                    1,
                    Columns {
                        base,
                        modulus,
                        tracks: kept,
                    },
                )],
                ..Sum::default()
            },
        };
        Ok(vec![Case {
            own,
            guard: Formula::and(guard),
            value,
        }])
    }

    /// The root of `5 s^2 x^2` is `2 s x` times the golden ratio, rounded down,
    /// less `s x`. Other roots are no matter of digits.
    fn root(&mut self, inner: &Num) -> Read<Cases> {
        let other = || {
            Leaves::new(
                "isqrt",
                "of roots only that of 5*x*x, which is a matter of the golden ratio, can be decided",
            )
        };
        let (factor, squared) = square_of(inner).ok_or_else(other)?;
        let scale = factor / 5;
        let scale = i64::try_from(scale.unsigned_abs().isqrt())
            .ok()
            .filter(|s| factor > 0 && s * s * 5 == factor)
            .ok_or_else(other)?;
        if self.numeration != Numeration::Zeckendorf {
            return Err(Leaves::new(
                "isqrt",
                "the golden ratio does not go with the digits of a base",
            ));
        }
        let mut cases = Vec::new();
        for case in self.number(squared)? {
            // The square of a negative number is that of the positive one.
            let signs: &[i64] = if never_negative(&case.value) {
                &[1]
            } else {
                &[1, -1]
            };
            for sign in signs {
                let x = times(&case.value, scale * sign).ok_or_else(too_large)?;
                let (double, multiple) = (self.fresh(), self.fresh());
                let twice = times(&x, 2).ok_or_else(too_large)?;
                cases.push(Case {
                    own: case.own.iter().copied().chain([double, multiple]).collect(),
                    guard: Formula::and([
                        case.guard.clone(),
                        compared(&variable(double), Order::Equal, &twice)?,
                        Formula::Golden {
                            x: double,
                            y: multiple,
                        },
                    ]),
                    value: minus(&variable(multiple), &x).ok_or_else(too_large)?,
                });
            }
        }
        merged(cases)
    }
}

fn scaled(cases: Cases, factor: i64) -> Read<Cases> {
    cases
        .into_iter()
        .map(|case| {
            Ok(Case {
                value: times(&case.value, factor).ok_or_else(too_large)?,
                ..case
            })
        })
        .collect()
}

/// The constant and the number whose square times the constant this is.
fn square_of(num: &Num) -> Option<(i64, &Num)> {
    let mut factor = 1_i64;
    let mut rest = Vec::new();
    let mut open = vec![num];
    while let Some(num) = open.pop() {
        match num {
            Num::Const(value) => factor = factor.checked_mul(*value)?,
            Num::Binary(Arithmetic::Multiply, left, right) => {
                open.extend([&left.node, &right.node])
            }
            other => rest.push(other),
        }
    }
    match rest.as_slice() {
        [one, other] if one == other => Some((factor, one)),
        _ => None,
    }
}
