//! The symbolic interpreter: what expressions and moves say of every position
//! at once.
//!
//! A number becomes a list of cases: a value where a guard holds. `max(a, b)` is
//! `a` where `b <= a` and `b` where `a <= b`. A case may have variables of its
//! own that its guard determines, a quotient say; whoever uses the case says
//! "there are such numbers". A condition becomes a [`Formula`], and a rule its
//! transition relation ([`transitions`]), by a walk of the lowered form.
//!
//! Operators that mean the same for all numbers are translated here; what
//! depends on the sort of numbers, a [`Domain`] says. There are two:
//!
//! ```text
//!                     ┌─ integers ─▶ sums, digits ─▶ automata
//! MoveGraph, Expr ────┤
//!                     └─ fields ───▶ polynomials ──▶ quantifier elimination
//! ```
//!
//! Every match over operators and nodes is exhaustive: an operator that is added
//! to the language does not compile until it is decided here.
//!
//! An expression may have no value, as the nim-sum of a negative number has
//! none. Where that could be is kept in [`Interpreter::faults`], for a theorem
//! may only speak where everything has a value. Integers are read without
//! bound.

mod condition;
mod domain;
mod form;
pub mod formula;
mod list;
mod moves;
mod number;

pub use domain::{Domain, FormulaOf};
pub use form::subsets;
pub use formula::{Atom, Formula, Variable};
pub use list::Item;
pub use moves::{Moves, Reached, Transition, transitions};

use super::unsupported::Unsupported;
use formula::{Bound, first_free, of_heap};
use nimrule_model::expr::{HeapId, Order, Pick, Slot};
use nimrule_model::game::Game;
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// The result of reading an expression.
pub type Read<T> = Result<T, Unsupported>;

/// A value where a guard holds.
#[derive(Debug, Clone)]
pub struct Case<D: Domain> {
    /// Variables that occur in guard and value and that the guard determines, or
    /// any of whose values will do.
    pub own: Vec<<D::Atom as Atom>::Bound>,
    pub guard: FormulaOf<D>,
    pub value: D::Value,
}

/// What a number is, case by case. Where two guards hold the values agree.
pub type Cases<D> = Vec<Case<D>>;

/// Where an expression has no value.
#[derive(Debug, Clone)]
pub struct Fault<D: Domain> {
    pub condition: FormulaOf<D>,
    /// The expression, and what it lacks.
    pub span: Span,
    pub what: &'static str,
}

impl<D: Domain> Fault<D> {
    /// The refusal of a rule or claim that may come to this.
    pub fn refused(&self) -> Unsupported {
        Unsupported::fault(self.what, self.span)
    }
}

/// More cases of one number than this are not told apart.
pub const MOST_CASES: usize = 4096;

/// So many pairs of cases are looked at.
const MOST_PAIRS: usize = 1 << 20;

/// Of more heaps than this no theorem is proved: each needs variables.
pub const MOST_HEAPS: usize = 4096;

/// Reads expressions at one position.
pub struct Interpreter<'g, D: Domain> {
    pub game: &'g Game,
    pub domain: D,
    /// The sizes of the heaps as the expressions see them.
    pub heaps: Vec<D::Value>,
    locals: BTreeMap<Slot, D::Value>,
    picks: BTreeMap<Pick, Vec<HeapId>>,
    /// What the step takes from each of its heaps.
    amounts: Vec<D::Value>,
    /// What holds wherever the expression is evaluated.
    path: Vec<FormulaOf<D>>,
    pub faults: Vec<Fault<D>>,
    next: Variable,
}

pub fn numbers_too_large(at: Span) -> Unsupported {
    Unsupported::too_large("its numbers are too large to be counted with", at)
}

fn too_many_cases(at: Span) -> Unsupported {
    Unsupported::too_large("it falls into too many cases", at)
}

impl<'g, D: Domain> Interpreter<'g, D> {
    /// Expressions about a position whose heaps are the variables
    /// [`of_heap`].
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

    /// A variable that occurs nowhere yet.
    pub fn fresh(&mut self, at: Span) -> Read<Variable> {
        let fresh = self.next;
        self.next = fresh
            .checked_add(1)
            .ok_or_else(|| Unsupported::too_large("it needs too many variables", at))?;
        Ok(fresh)
    }

    fn size(&self, heap: HeapId) -> D::Value {
        self.heaps[heap.index()].clone()
    }

    /// Notes that an expression has no value where this holds.
    pub fn fault_where(&mut self, bad: FormulaOf<D>, what: &'static str, span: Span) {
        let condition = Formula::and(self.path.iter().cloned().chain([bad]));
        if condition != Formula::FALSE {
            self.faults.push(Fault {
                condition,
                span,
                what,
            });
        }
    }

    /// Does something while this is known to hold.
    pub fn where_holds<T>(
        &mut self,
        known: FormulaOf<D>,
        then: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        self.path.push(known);
        let result = then(self);
        self.path.pop();
        result
    }

    /// Does something while a name has this value.
    pub fn where_is<T>(
        &mut self,
        slot: Slot,
        value: D::Value,
        then: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        let before = self.locals.insert(slot, value);
        let result = then(self);
        match before {
            Some(before) => self.locals.insert(slot, before),
            None => self.locals.remove(&slot),
        };
        result
    }

    /// `left order right`, for single values.
    pub fn compared(
        &self,
        left: &D::Value,
        order: Order,
        right: &D::Value,
        at: Span,
    ) -> Read<FormulaOf<D>> {
        D::compare(left, order, right).ok_or_else(|| numbers_too_large(at))
    }

    /// How two numbers compare.
    pub fn ordered(
        &self,
        left: &Cases<D>,
        order: Order,
        right: &Cases<D>,
        at: Span,
    ) -> Read<FormulaOf<D>> {
        if left.len().saturating_mul(right.len()) > MOST_PAIRS {
            return Err(too_many_cases(at));
        }
        in_some_case(left, |left| {
            in_some_case(right, |right| self.compared(left, order, right, at))
        })
    }
}

/// One value, without condition.
pub fn certain<D: Domain>(value: D::Value) -> Cases<D> {
    vec![Case {
        own: Vec::new(),
        guard: Formula::TRUE,
        value,
    }]
}

/// The cases where this holds besides.
pub fn guarded<D: Domain>(
    cases: Cases<D>,
    by: &FormulaOf<D>,
) -> impl Iterator<Item = Case<D>> + use<'_, D> {
    cases.into_iter().map(|case| Case {
        guard: Formula::and([by.clone(), case.guard]),
        ..case
    })
}

/// What holds in one of the cases.
pub fn in_some_case<D: Domain>(
    cases: &[Case<D>],
    mut holds: impl FnMut(&D::Value) -> Read<FormulaOf<D>>,
) -> Read<FormulaOf<D>> {
    let mut any = Vec::with_capacity(cases.len());
    for case in cases {
        let here = Formula::and([case.guard.clone(), holds(&case.value)?]);
        any.push(Formula::exists(case.own.clone(), here));
    }
    Ok(Formula::or(any))
}

/// Cases with the same value become one, and impossible ones are dropped.
pub fn merged<D: Domain>(cases: Cases<D>, at: Span) -> Read<Cases<D>> {
    let mut by_value: BTreeMap<D::Value, Vec<FormulaOf<D>>> = BTreeMap::new();
    let mut others = Vec::new();
    for case in cases {
        if case.guard == Formula::FALSE {
            continue;
        }
        let (kept, done): (Vec<_>, Vec<_>) = case
            .own
            .into_iter()
            .partition(|own| D::mentions(&case.value, own.variable()));
        let guard = Formula::exists(done, case.guard);
        if kept.is_empty() {
            by_value.entry(case.value).or_default().push(guard);
        } else {
            others.push(Case {
                own: kept,
                guard,
                value: case.value,
            });
        }
    }
    let mut cases: Cases<D> = by_value
        .into_iter()
        .map(|(value, guards)| Case {
            own: Vec::new(),
            guard: Formula::or(guards),
            value,
        })
        .collect();
    cases.extend(others);
    if cases.len() > MOST_CASES {
        return Err(too_many_cases(at));
    }
    Ok(cases)
}

/// What is made of two numbers, case by case.
pub fn both<D: Domain>(
    left: &[Case<D>],
    right: &[Case<D>],
    at: Span,
    mut made: impl FnMut(&D::Value, &D::Value) -> Read<Cases<D>>,
) -> Read<Cases<D>> {
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return Err(too_many_cases(at));
    }
    let mut cases = Vec::new();
    for one in left {
        for other in right {
            for case in made(&one.value, &other.value)? {
                cases.push(Case {
                    own: [one.own.as_slice(), &other.own, &case.own].concat(),
                    guard: Formula::and([one.guard.clone(), other.guard.clone(), case.guard]),
                    value: case.value,
                });
            }
        }
    }
    merged(cases, at)
}
