//! What the language's expressions say, as formulas.
//!
//! A number becomes a list of cases: a weighted sum of variables, where a
//! guard holds. `max(a, b)` is `a` where `b <= a` and `b` where `a <= b`. A case
//! may bring numbers of its own that its guard says all about, a quotient say;
//! whoever uses the case says "there are such numbers". So everything that is
//! piecewise linear, and the sums without carry, come down to comparisons of
//! sums.
//!
//! An expression may be without a value, as the nim-sum of a negative number
//! is. Where that could be is kept in [`Meaning::faults`], for a theorem may
//! only speak where everything has a value.

mod condition;
mod form;
mod list;
mod number;

pub use form::subsets;

use super::formula::{FALSE, Formula, TRUE, as_variable, minus, plus, variable};
use super::outside::Leaves;
use crate::automata::atoms::{Relation, Sum};
use crate::automata::{Numeration, Track};
use crate::expr::{HeapId, Pick, Slot};
use crate::game::Game;
use std::collections::BTreeMap;

/// A value where a guard holds.
#[derive(Debug, Clone)]
pub struct Case {
    /// Numbers that guard and value speak of.
    pub own: Vec<Track>,
    pub guard: Formula,
    pub value: Sum,
}

/// What a number is, case by case. Where two guards hold the values agree.
pub type Cases = Vec<Case>;

/// Reads expressions at one position.
pub struct Meaning<'g> {
    pub game: &'g Game,
    pub numeration: Numeration,
    /// The sizes of the heaps as the expressions see them.
    pub heaps: Vec<Sum>,
    pub locals: BTreeMap<Slot, Sum>,
    pub picks: BTreeMap<Pick, Vec<HeapId>>,
    pub amounts: Vec<Sum>,
    /// What is known to hold where the expression is looked at.
    pub path: Vec<Formula>,
    /// Each says of some numbers that with them an expression has no value.
    pub faults: Vec<Formula>,
    pub next: Track,
}

/// More cases of one number than this are not told apart.
const MOST_CASES: usize = 4096;

/// The result of reading an expression.
pub type Read<T> = Result<T, Leaves>;

fn too_large() -> Leaves {
    Leaves::new("", "its numbers are too large to be counted with")
}

impl<'g> Meaning<'g> {
    /// Expressions about a position whose heaps are on even tracks.
    pub fn of_heaps(game: &'g Game, numeration: Numeration) -> Meaning<'g> {
        let heaps = game.heap_count();
        Meaning {
            game,
            numeration,
            heaps: (0..heaps).map(|heap| variable(of_heap(heap))).collect(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            amounts: Vec::new(),
            path: Vec::new(),
            faults: Vec::new(),
            next: first_free(heaps),
        }
    }

    pub fn fresh(&mut self) -> Track {
        self.next += 1;
        self.next - 1
    }

    /// Notes that an expression has no value where this holds.
    pub fn fault_where(&mut self, bad: Formula) {
        let fault = Formula::and(self.path.iter().cloned().chain([bad]));
        if fault != FALSE {
            self.faults.push(fault);
        }
    }

    /// Does something while this is known to hold.
    pub fn where_holds<T>(
        &mut self,
        known: Formula,
        then: impl FnOnce(&mut Self) -> Read<T>,
    ) -> Read<T> {
        self.path.push(known);
        let result = then(self);
        self.path.pop();
        result
    }

    /// Does something while a name stands for this.
    pub fn where_is<T>(
        &mut self,
        slot: Slot,
        value: Sum,
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

    /// A variable for a value that is not negative: itself, or one of its own
    /// with what is said of it.
    pub fn as_natural(&mut self, value: &Sum) -> Read<(Option<Track>, Formula, Track)> {
        if let Some(track) = as_variable(value) {
            return Ok((None, TRUE, track));
        }
        if !super::formula::never_negative(value) {
            let negative = plus(value, &super::formula::constant(1)).ok_or_else(too_large)?;
            self.fault_where(Formula::sum(negative, Relation::AtMostZero));
        }
        let track = self.fresh();
        let equal = minus(&variable(track), value).ok_or_else(too_large)?;
        Ok((Some(track), Formula::sum(equal, Relation::Zero), track))
    }
}

/// The track of a heap before a move.
pub fn of_heap(heap: usize) -> Track {
    2 * heap as Track
}

/// The track of a heap behind a move.
pub fn of_heap_after(heap: usize) -> Track {
    2 * heap as Track + 1
}

/// The first track that belongs to no heap. Two are left for the values of a
/// claim.
pub fn first_free(heaps: usize) -> Track {
    of_heap(heaps) + 2
}

/// `left relation right`, for single values.
pub fn compared(left: &Sum, order: crate::expr::Order, right: &Sum) -> Read<Formula> {
    use crate::expr::Order;
    let apart = minus(left, right).ok_or_else(too_large)?;
    Ok(match order {
        Order::Equal => Formula::sum(apart, Relation::Zero),
        Order::NotEqual => Formula::sum(apart, Relation::Zero).negated(),
        Order::AtMost => Formula::sum(apart, Relation::AtMostZero),
        Order::Less => {
            let one_more = plus(&apart, &super::formula::constant(1)).ok_or_else(too_large)?;
            Formula::sum(one_more, Relation::AtMostZero)
        }
    })
}

/// One certain value.
pub fn certain(value: Sum) -> Cases {
    vec![Case {
        own: Vec::new(),
        guard: TRUE,
        value,
    }]
}

/// What holds in one of the cases.
pub fn in_some_case(cases: &[Case], mut holds: impl FnMut(&Sum) -> Read<Formula>) -> Read<Formula> {
    let mut any = Vec::with_capacity(cases.len());
    for case in cases {
        let here = Formula::and([case.guard.clone(), holds(&case.value)?]);
        any.push(Formula::exists(case.own.clone(), here));
    }
    Ok(Formula::or(any))
}

/// Cases with the same value become one, and those that cannot be vanish.
pub fn merged(cases: Cases) -> Read<Cases> {
    let mut by_value: BTreeMap<Sum, Vec<Formula>> = BTreeMap::new();
    let mut others = Vec::new();
    for case in cases {
        if case.guard == FALSE {
            continue;
        }
        let tracks = case.value.tracks();
        let (kept, done): (Vec<Track>, Vec<Track>) =
            case.own.into_iter().partition(|own| tracks.contains(own));
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
    let mut cases: Cases = by_value
        .into_iter()
        .map(|(value, guards)| Case {
            own: Vec::new(),
            guard: Formula::or(guards),
            value,
        })
        .collect();
    cases.extend(others);
    if cases.len() > MOST_CASES {
        return Err(Leaves::new("", "it falls into too many cases"));
    }
    Ok(cases)
}

/// What is made of two numbers, case by case.
pub fn both(
    left: &[Case],
    right: &[Case],
    mut made: impl FnMut(&Sum, &Sum) -> Read<Cases>,
) -> Read<Cases> {
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
    merged(cases)
}
