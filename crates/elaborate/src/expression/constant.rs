//! Constants: what is known before there is a position.
//!
//! The values of parameters are known by now, so an expression that reads
//! nothing but them has its value at once, and so do its faults. There are no
//! heaps here: what is evaluated is evaluated in a position without any.

use super::Checked;
use crate::{CheckProblem, Checker};
use nimrule_model::board::symmetry::Symmetries;
use nimrule_model::expr::{Bool, Environment, List, Num, Part, PlacedFault, Set, Slot};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::Expr;

impl Checker<'_> {
    /// A number all of whose parts are known is worked out now.
    pub(super) fn folded(&mut self, num: Num, at: Span) -> Checked<Num> {
        if matches!(num, Num::Const(_)) || !is_constant(Part::Num(&num)) {
            return Some(num);
        }
        let num = Spanned::new(num, at);
        match constant_value(&num, self.slots) {
            Ok(value) => Some(Num::Const(value)),
            // Behind a guard it may never be looked at.
            Err(_) if self.guards > 0 => Some(num.node),
            Err(fault) => self.no_value(fault, at),
        }
    }

    /// Checks what is looked at only where a condition before it says so.
    pub(super) fn guarded<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.guards += 1;
        let checked = check(self);
        self.guards -= 1;
        checked
    }

    /// The value of an expression that may use numbers and parameters only.
    pub fn constant(&mut self, expr: &Expr) -> Checked<i64> {
        let num = self.num(expr)?;
        if let Num::Const(value) = num.node {
            return Some(value);
        }
        if !is_constant(Part::Num(&num)) {
            self.problem(CheckProblem::NotConstant { at: expr.span });
            return None;
        }
        let fault = constant_value(&num, self.slots).err()?;
        self.no_value(fault, expr.span)
    }

    /// Reports that an expression has no value, at the innermost that has none.
    pub fn no_value<T>(&mut self, fault: PlacedFault, at: Span) -> Checked<T> {
        self.problem(CheckProblem::NoValue {
            fault: fault.to_string(),
            at: fault.place().unwrap_or(at),
        });
        None
    }

    /// The truth of a condition that may use numbers and parameters only.
    pub fn constant_truth(&mut self, expr: &Expr) -> Checked<bool> {
        let condition = self.truth(expr)?;
        if !is_constant(Part::Bool(&condition)) {
            self.problem(CheckProblem::NotConstant { at: expr.span });
            return None;
        }
        let symmetries = Symmetries::trivial(0);
        let mut locals = vec![0; self.slots];
        let mut scene = empty_scene(&mut locals, &symmetries);
        match condition.eval(&mut scene) {
            Ok(value) => Some(value),
            Err(fault) => self.no_value(fault, expr.span),
        }
    }
}

/// Does the value depend on nothing but itself? Names bound inside of it
/// count as its own.
fn is_constant(part: Part<'_>) -> bool {
    fn free(part: Part<'_>, bound: &mut Vec<Slot>) -> bool {
        match part {
            Part::Num(Num::Local(slot)) => return !bound.contains(slot),
            Part::Num(Num::Heap(_) | Num::HeapAt { .. } | Num::SizeOf(_) | Num::Total)
            | Part::List(List::Heaps(_) | List::Multiset(_) | List::Picked(_) | List::Amounts)
            | Part::Bool(Bool::Like(_) | Bool::Same(..) | Bool::Each(..)) => return true,
            Part::Num(Num::Let(slot, ..))
            | Part::Bool(Bool::Let(slot, ..) | Bool::Quantified { slot, .. })
            | Part::List(List::Gathered { slot, .. }) => bound.push(*slot),
            _ => {}
        }
        part.children().any(|child| free(child, bound))
    }
    !free(part, &mut Vec::new())
}

fn empty_scene<'s>(locals: &'s mut [i64], symmetries: &'s Symmetries) -> Environment<'s> {
    Environment {
        position: &[],
        kinds: &[],
        locals,
        picks: &[],
        amounts: &[],
        symmetries,
        steps: 0,
    }
}

fn constant_value(num: &Spanned<Num>, slots: usize) -> Result<i64, PlacedFault> {
    let symmetries = Symmetries::trivial(0);
    num.eval(&mut empty_scene(&mut vec![0; slots], &symmetries))
}

/// The members of a set that depends on nothing, ascending and without repeats.
pub fn constant_members(set: &Spanned<Set>, slots: usize) -> Result<Vec<i64>, PlacedFault> {
    let symmetries = Symmetries::trivial(0);
    let mut locals = vec![0; slots];
    let mut members = Vec::new();
    set.any_member(
        &mut empty_scene(&mut locals, &symmetries),
        &mut |member, _| {
            members.push(member);
            Ok(false)
        },
    )?;
    members.sort_unstable();
    members.dedup();
    Ok(members)
}

/// Is `value` in a set that depends on nothing?
pub fn constant_contains(
    set: &Spanned<Set>,
    value: i64,
    slots: usize,
) -> Result<bool, PlacedFault> {
    let symmetries = Symmetries::trivial(0);
    set.contains(value, &mut empty_scene(&mut vec![0; slots], &symmetries))
}

/// Does the set depend on nothing?
pub fn set_is_constant(set: &Set) -> bool {
    is_constant(Part::Set(set))
}
