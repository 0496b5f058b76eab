//! The symbolic interpreter: it translates expressions and moves to formulas
//! over the heap sizes of all positions at once.
//!
//! A number becomes a list of cases, each a value and a guard: `max(a, b)` is
//! `a` where `b <= a`, and `b` where `a <= b`. A case may have existential
//! variables that its guard determines, for example a quotient; the user of the
//! case quantifies them. A condition becomes a [`Formula`], and a rule its
//! transition relation ([`transitions`]), by a walk of the lowered form.
//!
//! Operators that are the same for all numbers are translated here. A
//! [`Domain`] translates those that depend on the kind of numbers. There are
//! two domains:
//!
//! ```text
//!                     ┌─ integers ─▶ sums, digits ─▶ automata
//! MoveGraph, Expr ────┤
//!                     └─ fields ───▶ polynomials ──▶ quantifier elimination
//! ```
//!
//! Every match over operators and nodes is exhaustive: a new operator of the
//! language does not compile until it is translated or refused here.
//!
//! An expression may have no value: the nim-sum of a negative number, for
//! example. The conditions of these faults are collected in
//! [`Interpreter::faults`], and a theorem must show that none occurs. Integers
//! are unbounded.

#![warn(missing_docs)]

mod condition;
pub mod formula;
mod moves;
mod number;
mod unsupported;

pub use formula::{Atom, Domain, Formula, FormulaOf, Variable};
pub use moves::{TargetConstraint, Transition, transitions};
pub use number::Item;
pub use unsupported::{ProveError, Reason, Unsupported};

use formula::{Bound, first_free, of_heap};
use nimrule_model::expr::{HeapId, Order, Pick, Slot};
use nimrule_model::game::Game;
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// The result of translating an expression.
pub type Translation<T> = Result<T, Unsupported>;

/// A value where a guard holds.
#[derive(Debug, Clone)]
pub struct Case<D: Domain> {
    /// Existential variables: they occur in guard and value, and the guard
    /// determines them, or all their values are equivalent.
    pub existentials: Vec<<D::Atom as Atom>::Bound>,
    /// Where the case applies.
    pub guard: FormulaOf<D>,
    /// The value.
    pub value: D::Value,
}

/// A number as a list of cases. Where two guards hold, the values are equal.
pub type Cases<D> = Vec<Case<D>>;

/// Where an expression has no value.
#[derive(Debug, Clone)]
pub struct Fault<D: Domain> {
    /// Where it has none.
    pub condition: FormulaOf<D>,
    /// The expression.
    pub span: Span,
    /// The reason why it has no value.
    pub what: &'static str,
}

impl<D: Domain> Fault<D> {
    /// The refusal of a rule or claim in which this fault is possible.
    pub fn refused(&self) -> Unsupported {
        Unsupported::fault(self.what, self.span)
    }
}

/// The most cases of one number.
pub const MAX_CASES: usize = 4096;

/// The most pairs of cases that one operator combines.
const MAX_PAIRS: usize = 1 << 20;

/// The most heaps of a rule that is proved: each needs variables.
pub const MAX_HEAPS: usize = 4096;

/// Translates expressions about one position.
pub struct Interpreter<'g, D: Domain> {
    /// The game of the expressions.
    pub game: &'g Game,
    /// The kind of numbers.
    pub domain: D,
    /// The heap sizes that the expressions refer to.
    pub heaps: Vec<D::Value>,
    locals: BTreeMap<Slot, D::Value>,
    picks: BTreeMap<Pick, Vec<HeapId>>,
    /// The amount taken from each heap of the current step.
    amounts: Vec<D::Value>,
    /// The path condition: the conjunction holds where the expression is
    /// evaluated.
    path: Vec<FormulaOf<D>>,
    /// Where the expressions translated so far have no value.
    pub faults: Vec<Fault<D>>,
    next: Variable,
}

/// The refusal of numbers that overflow.
pub fn numbers_too_large(at: Span) -> Unsupported {
    Unsupported::too_large("its numbers are too large", at)
}

fn too_many_cases(at: Span) -> Unsupported {
    Unsupported::too_large("it has too many cases", at)
}

impl<'g, D: Domain> Interpreter<'g, D> {
    /// Returns an interpreter whose heap sizes are the variables [`of_heap`].
    pub fn of_heaps(game: &'g Game, domain: D) -> Interpreter<'g, D> {
        let heaps = game.heap_count();
        Interpreter {
            game,
            domain,
            heaps: (0..heaps).map(|heap| D::variable(of_heap(heap))).collect(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            amounts: Vec::new(),
            path: Vec::new(),
            faults: Vec::new(),
            next: first_free(heaps),
        }
    }

    /// Returns a fresh variable.
    pub fn fresh(&mut self, at: Span) -> Translation<Variable> {
        let fresh = self.next;
        self.next = fresh
            .checked_add(1)
            .ok_or_else(|| Unsupported::too_large("it needs too many variables", at))?;
        Ok(fresh)
    }

    fn size(&self, heap: HeapId) -> D::Value {
        self.heaps[heap.index()].clone()
    }

    /// Records that an expression has no value where `bad` holds.
    pub fn record_fault(&mut self, bad: FormulaOf<D>, what: &'static str, span: Span) {
        let condition = Formula::and(self.path.iter().cloned().chain([bad]));
        if condition != Formula::FALSE {
            self.faults.push(Fault {
                condition,
                span,
                what,
            });
        }
    }

    /// Runs `then` with `known` added to the path condition.
    pub fn assuming<T>(
        &mut self,
        known: FormulaOf<D>,
        then: impl FnOnce(&mut Self) -> Translation<T>,
    ) -> Translation<T> {
        self.path.push(known);
        let result = then(self);
        self.path.pop();
        result
    }

    /// Runs `then` with the local `slot` bound to a value.
    pub fn with_local<T>(
        &mut self,
        slot: Slot,
        value: D::Value,
        then: impl FnOnce(&mut Self) -> Translation<T>,
    ) -> Translation<T> {
        let before = self.locals.insert(slot, value);
        let result = then(self);
        match before {
            Some(before) => self.locals.insert(slot, before),
            None => self.locals.remove(&slot),
        };
        result
    }

    /// The formula `left order right`, for single values.
    pub fn compared(
        &self,
        left: &D::Value,
        order: Order,
        right: &D::Value,
        at: Span,
    ) -> Translation<FormulaOf<D>> {
        D::compare(left, order, right).ok_or_else(|| numbers_too_large(at))
    }

    /// The formula `left order right`, for numbers given by cases.
    pub fn compare_cases(
        &self,
        left: &Cases<D>,
        order: Order,
        right: &Cases<D>,
        at: Span,
    ) -> Translation<FormulaOf<D>> {
        if left.len().saturating_mul(right.len()) > MAX_PAIRS {
            return Err(too_many_cases(at));
        }
        exists_case(left, |left| {
            exists_case(right, |right| self.compared(left, order, right, at))
        })
    }
}

/// A number with one value, whose guard is true.
pub fn unconditional<D: Domain>(value: D::Value) -> Cases<D> {
    vec![Case {
        existentials: Vec::new(),
        guard: Formula::TRUE,
        value,
    }]
}

/// The cases with `by` added to each guard.
pub fn guarded<D: Domain>(
    cases: Cases<D>,
    by: &FormulaOf<D>,
) -> impl Iterator<Item = Case<D>> + use<'_, D> {
    cases.into_iter().map(|case| Case {
        guard: Formula::and([by.clone(), case.guard]),
        ..case
    })
}

/// The formula that one of the cases applies and `holds` is true of its value.
pub fn exists_case<D: Domain>(
    cases: &[Case<D>],
    mut holds: impl FnMut(&D::Value) -> Translation<FormulaOf<D>>,
) -> Translation<FormulaOf<D>> {
    let mut any = Vec::with_capacity(cases.len());
    for case in cases {
        let here = Formula::and([case.guard.clone(), holds(&case.value)?]);
        any.push(Formula::exists(case.existentials.clone(), here));
    }
    Ok(Formula::or(any))
}

/// Merges cases with equal values, and drops cases whose guard is false.
pub fn merge_cases<D: Domain>(cases: Cases<D>, at: Span) -> Translation<Cases<D>> {
    let mut by_value: BTreeMap<D::Value, Vec<FormulaOf<D>>> = BTreeMap::new();
    let mut others = Vec::new();
    for case in cases {
        if case.guard == Formula::FALSE {
            continue;
        }
        let (kept, done): (Vec<_>, Vec<_>) = case
            .existentials
            .into_iter()
            .partition(|own| D::mentions(&case.value, own.variable()));
        let guard = Formula::exists(done, case.guard);
        if kept.is_empty() {
            by_value.entry(case.value).or_default().push(guard);
        } else {
            others.push(Case {
                existentials: kept,
                guard,
                value: case.value,
            });
        }
    }
    let mut cases: Cases<D> = by_value
        .into_iter()
        .map(|(value, guards)| Case {
            existentials: Vec::new(),
            guard: Formula::or(guards),
            value,
        })
        .collect();
    cases.extend(others);
    if cases.len() > MAX_CASES {
        return Err(too_many_cases(at));
    }
    Ok(cases)
}

/// Applies a binary operation to each pair of cases.
pub fn both<D: Domain>(
    left: &[Case<D>],
    right: &[Case<D>],
    at: Span,
    mut made: impl FnMut(&D::Value, &D::Value) -> Translation<Cases<D>>,
) -> Translation<Cases<D>> {
    if left.len().saturating_mul(right.len()) > MAX_PAIRS {
        return Err(too_many_cases(at));
    }
    let mut cases = Vec::new();
    for one in left {
        for other in right {
            for case in made(&one.value, &other.value)? {
                cases.push(Case {
                    existentials: [
                        one.existentials.as_slice(),
                        &other.existentials,
                        &case.existentials,
                    ]
                    .concat(),
                    guard: Formula::and([one.guard.clone(), other.guard.clone(), case.guard]),
                    value: case.value,
                });
            }
        }
    }
    merge_cases(cases, at)
}
