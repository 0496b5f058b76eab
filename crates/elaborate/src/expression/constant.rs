//! Constant expressions: those whose value is known before there is a position.
//!
//! The values of parameters are known, so an expression that reads nothing else
//! is evaluated at once, and a fault is reported at once. It is evaluated in an
//! environment without heaps.

use crate::{Checker, Problem};
use nimrule_board::symmetry::Symmetries;
use nimrule_model::expr::{Bool, Environment, HeapSet, List, Num, Part, PlacedFault, Set, Slot};
use nimrule_model::source::{Span, Spanned};
use nimrule_syntax::ast::Expr;

impl Checker<'_> {
    /// What an expression may use that must not depend on the position.
    pub fn constants_only(&self) -> &'static str {
        match self.ranging {
            0 => "use numbers and parameters only",
            _ => {
                "sets of heaps are the same at every position: of a heap `w` use `index(w)` and \
                 its coordinates, as `w.x`, and not its size"
            }
        }
    }

    /// Replaces a constant expression by its value.
    pub(super) fn folded(&mut self, num: Num, at: Span) -> Option<Num> {
        if matches!(num, Num::Const(_)) || !is_constant(Part::Num(&num), None) {
            return Some(num);
        }
        let num = Spanned::new(num, at);
        match constant_value(&num, self.slots) {
            Ok(value) => Some(Num::Const(value)),
            // Behind a guard it may never be evaluated, so a fault is no error.
            Err(_) if self.guards > 0 => Some(num.node),
            Err(fault) => self.no_value(fault, at),
        }
    }

    /// Checks an expression that is evaluated only if a condition before it holds.
    pub(super) fn guarded<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        self.guards += 1;
        let checked = check(self);
        self.guards -= 1;
        checked
    }

    /// The value of an expression that may use numbers and parameters only.
    pub fn constant(&mut self, expr: &Expr) -> Option<i64> {
        let num = self.num(expr)?;
        if let Num::Const(value) = num.node {
            return Some(value);
        }
        self.check_constant(Part::Num(&num), None, expr.span)?;
        let fault = constant_value(&num, self.slots).err()?;
        self.no_value(fault, expr.span)
    }

    /// Reports a fault at the innermost expression that has no value.
    pub fn no_value<T>(&mut self, fault: PlacedFault, at: Span) -> Option<T> {
        self.problem(Problem::NoValue {
            fault: fault.to_string(),
            at: fault.place().unwrap_or(at),
        });
        None
    }

    /// The truth value of a condition that may use numbers and parameters only.
    pub fn constant_truth(&mut self, expr: &Expr) -> Option<bool> {
        let condition = self.truth(expr)?;
        self.check_constant(Part::Bool(&condition), None, expr.span)?;
        self.constant_truth_of(&condition)
    }

    /// As [`Checker::constant_truth`], and `Some(None)` for a condition that depends on the
    /// parameter that is left open.
    pub fn constant_truth_or_open(&mut self, expr: &Expr) -> Option<Option<bool>> {
        // The parameter is the number of heaps elsewhere, which depends on the position.
        let open = self.fresh_slot();
        self.open_number = Some(open);
        let condition = self.truth(expr);
        self.open_number = None;
        let condition = condition?;
        self.check_constant(Part::Bool(&condition), Some(open), expr.span)?;
        match is_constant(Part::Bool(&condition), None) {
            true => self.constant_truth_of(&condition).map(Some),
            false => Some(None),
        }
    }

    /// Reports an expression that depends on more than numbers, parameters and this name.
    fn check_constant(&mut self, part: Part<'_>, known: Option<Slot>, at: Span) -> Option<()> {
        if is_constant(part, known) {
            return Some(());
        }
        self.problem(Problem::NotConstant {
            help: self.constants_only(),
            at,
        });
        None
    }

    fn constant_truth_of(&mut self, condition: &Spanned<Bool>) -> Option<bool> {
        let symmetries = Symmetries::trivial(0);
        let mut locals = vec![0; self.slots];
        let mut environment = empty_environment(&mut locals, &symmetries);
        match condition.eval(&mut environment) {
            Ok(value) => Some(value),
            Err(fault) => self.no_value(fault, condition.span),
        }
    }
}

/// Whether the expression is closed and reads no position. Names bound inside of
/// it, and the one that is `known`, do not count as free.
fn is_constant(part: Part<'_>, known: Option<Slot>) -> bool {
    fn free(part: Part<'_>, bound: &mut Vec<Slot>) -> bool {
        match part {
            Part::Num(Num::Local(slot)) => return !bound.contains(slot),
            Part::Num(
                Num::Heap(_) | Num::HeapAt { .. } | Num::SizeOf(_) | Num::IndexOf(_) | Num::Total,
            )
            | Part::List(
                List::Heaps(_)
                | List::Multiset(_)
                | List::Picked(_)
                | List::At { .. }
                | List::Amounts,
            )
            | Part::Bool(Bool::Like(_) | Bool::Same(..) | Bool::Each(..)) => return true,
            Part::Num(Num::Let(slot, ..))
            | Part::Bool(Bool::Let(slot, ..) | Bool::Quantified { slot, .. })
            | Part::List(List::Gathered { slot, .. }) => bound.push(*slot),
            Part::Num(Num::Components(region)) => bound.push(region.slot),
            Part::Bool(Bool::Joined(joined)) => {
                let picked = |end: &&HeapSet| matches!(end, HeapSet::Picked(_));
                if joined.ends().iter().any(picked) {
                    return true;
                }
                bound.push(joined.through.slot);
            }
            _ => {}
        }
        part.children().any(|child| free(child, bound))
    }
    !free(part, &mut known.into_iter().collect())
}

fn empty_environment<'s>(locals: &'s mut [i64], symmetries: &'s Symmetries) -> Environment<'s> {
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
    num.eval(&mut empty_environment(&mut vec![0; slots], &symmetries))
}

/// The members of a constant set, ascending and without repeats.
pub fn constant_members(set: &Spanned<Set>, slots: usize) -> Result<Vec<i64>, PlacedFault> {
    let symmetries = Symmetries::trivial(0);
    let mut locals = vec![0; slots];
    let mut members = Vec::new();
    set.any_member(
        &mut empty_environment(&mut locals, &symmetries),
        &mut |member, _| {
            members.push(member);
            Ok(false)
        },
    )?;
    members.sort_unstable();
    members.dedup();
    Ok(members)
}

/// Whether `value` is a member of a constant set.
pub fn constant_contains(
    set: &Spanned<Set>,
    value: i64,
    slots: usize,
) -> Result<bool, PlacedFault> {
    let symmetries = Symmetries::trivial(0);
    set.contains(
        value,
        &mut empty_environment(&mut vec![0; slots], &symmetries),
    )
}

/// Whether the set is a constant expression.
pub fn set_is_constant(set: &Set) -> bool {
    is_constant(Part::Set(set), None)
}
