//! Cutoffs: the number from which on the members of an infinite set of choices
//! cannot give a move.
//!
//! A move may choose a number from `1..` or from the squares. This is sound if,
//! from some number on, every condition that reads the choice has a constant
//! truth value and every amount that reads it exceeds the tokens. That number
//! depends on the position and is computed for each. A move without a derivable
//! cutoff is an error, so that the enumeration of moves always ends. The bounds
//! themselves are computed in `nimrule_model::expr`.

use crate::expression::names_in;
use crate::{Checker, Problem};

use nimrule_model::expr::{Bool, Expr, Part, Set, Slot};
use nimrule_model::game::{Action, Cutoff, Members, Move};
use nimrule_model::source::Span;
use nimrule_syntax::ast;

impl Checker<'_> {
    /// Attaches a cutoff to every infinite set of choices of the move, or reports
    /// that there is none.
    pub(super) fn attach_cutoffs(&mut self, mover: &mut Move, written: &ast::Move) -> Option<()> {
        for index in 0..mover.choices.len() {
            if !mover.choices[index].set.is_infinite() {
                continue;
            }
            let slot = mover.choices[index].slot;
            let cutoff = cutoff_of(mover, slot);
            let settles = cutoff.as_ref().is_some_and(|h| {
                [0_u64, 1, 10, 1000]
                    .iter()
                    .all(|tokens| h.number(slot, self.slots, *tokens).is_some())
            });
            if !settles {
                let choice = &written.choices[index];
                let name = choice.name.node.clone();
                let culprit = culprit(written, &name);
                // A condition beside others is no bound: the set must end.
                let end = match self.heap_names.is_empty() {
                    true => "100",
                    false => "max(heaps)",
                };
                self.problem(Problem::NoHorizon {
                    fix: format!("bound the set: `for some {name} in 1..{end}`"),
                    name,
                    at: choice.set.span,
                    culprit,
                });
                return None;
            }
            mover.choices[index].cutoff = cutoff;
        }
        Some(())
    }
}

/// The cutoff of `slot`: everything in the move that reads it. `None` if it is
/// read where no bound can be derived.
fn cutoff_of(mover: &Move, slot: Slot) -> Option<Cutoff> {
    let mut cutoff = Cutoff {
        conditions: Vec::new(),
        amounts: Vec::new(),
        others: mover
            .choices
            .iter()
            .map(|c| c.slot)
            .filter(|s| *s != slot)
            .collect(),
    };
    for choice in &mover.choices {
        if choice.slot != slot && Part::Set(&choice.set).reads_local(slot) {
            return None;
        }
        if let Some(condition) = &choice.condition {
            atoms(condition, slot, &mut cutoff.conditions);
        }
    }
    for step in &mover.steps {
        let Action::Take {
            amount,
            from,
            condition,
            ..
        } = &step.action
        else {
            return None;
        };
        let number = match &from.members {
            Members::At { index, .. } => Some(index),
            Members::Counted(counted) => Some(&counted.count),
            _ => None,
        };
        if number.is_some_and(|number| Part::Num(number).reads_local(slot)) {
            return None;
        }
        match amount.numbers.as_deref() {
            Some(Set::Range(low, high)) => cutoff.amounts.extend(
                std::iter::once(low)
                    .chain(high)
                    .filter(|n| Part::Num(n).reads_local(slot))
                    .cloned(),
            ),
            Some(Set::Items(items)) => {
                cutoff.amounts.extend(
                    items
                        .iter()
                        .filter(|n| Part::Num(n).reads_local(slot))
                        .cloned(),
                );
            }
            Some(other) if Part::Set(other).reads_local(slot) => return None,
            _ => {}
        }
        if let Some(condition) = condition {
            atoms(condition, slot, &mut cutoff.conditions);
        }
    }
    Some(cutoff)
}

/// Collects the smallest subconditions of `condition` that read `slot`.
fn atoms(condition: &Expr<Bool>, slot: Slot, found: &mut Vec<Expr<Bool>>) {
    if !Part::Bool(condition).reads_local(slot) {
        return;
    }
    match &condition.node {
        Bool::And(all) | Bool::Or(all) => all.iter().for_each(|c| atoms(c, slot, found)),
        Bool::Not(inner) => atoms(inner, slot, found),
        Bool::If(test, then, otherwise) => [test, then, otherwise]
            .into_iter()
            .for_each(|c| atoms(c, slot, found)),
        _ => found.push(condition.clone()),
    }
}

/// The first place in the move's conditions that reads `name`, for the error.
fn culprit(mover: &ast::Move, name: &str) -> Option<Span> {
    let conditions = mover
        .choices
        .iter()
        .filter_map(|c| c.condition.as_ref())
        .chain(
            mover
                .steps
                .iter()
                .filter_map(|step| match &step.node.action {
                    ast::Action::Take { condition, .. }
                    | ast::Action::Put { condition, .. }
                    | ast::Action::Split { condition, .. }
                    | ast::Action::Replace { condition, .. }
                    | ast::Action::Set { condition, .. }
                    | ast::Action::Flip { condition, .. }
                    | ast::Action::Choose { condition, .. }
                    | ast::Action::Slide { condition, .. } => condition.as_ref(),
                }),
        );
    for condition in conditions {
        let mut place = None;
        names_in(condition, &mut |found, span| {
            if found == name {
                place.get_or_insert(span);
            }
        });
        if place.is_some() {
            return place;
        }
    }
    None
}
