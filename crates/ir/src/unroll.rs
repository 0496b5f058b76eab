//! Unrolling: a move that chooses the index of a heap, with `for some`, becomes one move for
//! each index, and a `forall` over indices one condition for each, so that the heaps of each
//! move and condition are known.

use nimrule_model::expr::{
    Bool, Environment, Expr, HeapId, Num, Part, PlacedFault, Quantifier, Set, Slot,
};
use nimrule_model::game::{Action, Game, Members, Move};
use nimrule_model::source::Spanned;

/// The largest number of moves that one move is unrolled to.
const MOST_MOVES: usize = 64;

/// The number of conditions from which on a `forall` is kept as it is.
const MOST_CONJUNCTS: usize = 10_000;

/// The largest set of numbers that is looked through.
const MOST_NUMBERS: usize = 1_000;

/// Moves that together have the options of a move. A choice is unrolled if the number
/// chosen is part of the index of a heap, and its set is constant.
pub(super) fn unrolled(game: &Game, mover: &Move) -> Vec<Move> {
    // A cutoff lists expressions that read the numbers of other choices.
    let has_cutoffs = mover.choices.iter().any(|choice| choice.cutoff.is_some());
    if has_cutoffs || parts(mover).into_iter().any(has_form) {
        return vec![mover.clone()];
    }
    let mut unrolled = Vec::new();
    unroll(game, mover, MOST_MOVES, &mut unrolled);
    match unrolled.is_empty() {
        true => vec![mover.clone()],
        false => unrolled,
    }
}

fn unroll(game: &Game, mover: &Move, most: usize, unrolled: &mut Vec<Move>) {
    let choices = mover.choices.iter().enumerate();
    let found = choices
        .filter(|(_, choice)| selects(mover, choice.slot))
        .find_map(|(place, choice)| Some((place, numbers(game, &choice.set)?)));
    let Some((place, mut numbers)) = found.filter(|(_, numbers)| numbers.len() <= most) else {
        unrolled.push(mover.clone());
        return;
    };
    let most = most / numbers.len().max(1);
    numbers.sort_unstable();
    numbers.dedup();
    for number in numbers {
        let mut mover = mover.clone();
        let slot = mover.choices[place].slot;
        replace(&mut mover, &mut |num| match num {
            Num::Local(local) if *local == slot => Some(Num::Const(number)),
            _ => None,
        });
        let choice = &mut mover.choices[place];
        choice.set.node = Set::Items(vec![Num::Const(number).into()]);
        match &choice.condition {
            None => {
                mover.choices.remove(place);
            }
            Some(condition) if is_constant(Part::Bool(condition)) => {
                match constant(game, |environment| condition.eval(environment)) {
                    Some(true) => {
                        mover.choices.remove(place);
                    }
                    Some(false) => continue,
                    None => {}
                }
            }
            Some(_) => {}
        }
        name_heaps(game, &mut mover);
        unroll(game, &mover, most, unrolled);
    }
}

/// The conditions that hold together where a condition holds, in the order of evaluation: a
/// `forall` over constant numbers is one for each.
pub fn conjuncts(game: &Game, condition: &Expr<Bool>) -> Vec<Expr<Bool>> {
    let mut conjuncts = Vec::new();
    take_apart(game, condition, &mut conjuncts);
    conjuncts
}

fn take_apart(game: &Game, condition: &Expr<Bool>, conjuncts: &mut Vec<Expr<Bool>>) {
    match &condition.node {
        Bool::Const(true) => return,
        Bool::And(all) => {
            all.iter()
                .for_each(|part| take_apart(game, part, conjuncts));
            return;
        }
        Bool::Quantified {
            quantifier: Quantifier::Forall,
            slot,
            set,
            body,
        } if conjuncts.len() < MOST_CONJUNCTS && !has_form(Part::Bool(body)) => {
            if let Some(numbers) = numbers(game, set) {
                for number in numbers {
                    let mut body = body.as_ref().clone();
                    body.node.replace(&mut |num, bound| match num {
                        Num::Local(local) if local == slot && !bound.contains(slot) => {
                            Some(Num::Const(number))
                        }
                        _ => None,
                    });
                    take_apart(game, &body, conjuncts);
                }
                return;
            }
        }
        _ => {}
    }
    let mut condition = condition.clone();
    condition.node.replace(&mut |num, _| heap_named(game, num));
    conjuncts.push(condition);
}

/// Whether an expression compares the position with a form, in which nothing is replaced.
fn has_form(part: Part<'_>) -> bool {
    part.any(&mut |part| matches!(part, Part::Bool(Bool::Like(_))))
}

/// The numbers of a set in the order of evaluation, if it is constant and small.
fn numbers(game: &Game, set: &Expr<Set>) -> Option<Vec<i64>> {
    if set.is_infinite() || !is_constant(Part::Set(set)) {
        return None;
    }
    constant(game, |environment| {
        let mut numbers = Vec::new();
        let broken_off = set.any_member(environment, &mut |number, _| {
            numbers.push(number);
            Ok(numbers.len() > MOST_NUMBERS)
        })?;
        Ok((!broken_off).then_some(numbers))
    })
    .flatten()
}

/// Whether an expression reads neither the position nor a local variable.
fn is_constant(part: Part<'_>) -> bool {
    !part.reads_position() && !part.any(&mut |part| matches!(part, Part::Num(Num::Local(_))))
}

/// The value of a constant expression; `None` if it has none.
fn constant<T>(
    game: &Game,
    evaluate: impl FnOnce(&mut Environment<'_>) -> Result<T, PlacedFault>,
) -> Option<T> {
    let mut environment = Environment {
        position: &vec![0; game.heap_count()],
        kinds: &[],
        locals: &mut vec![0; game.slots],
        picks: &[],
        amounts: &[],
        symmetries: &game.facts.symmetries,
        steps: 0,
    };
    evaluate(&mut environment).ok()
}

/// Whether the index of a heap that the move selects or reads depends on a number.
fn selects(mover: &Move, slot: Slot) -> bool {
    let reads = |index: &Expr<Num>| Part::Num(index).reads_local(slot);
    let selected = mover
        .steps
        .iter()
        .any(|step| match &step.action.selection().members {
            Members::At { index, .. } => reads(index),
            Members::Counted(counted) => reads(&counted.count),
            _ => false,
        });
    selected
        || parts(mover).into_iter().any(|part| {
            part.any(
                &mut |part| matches!(part, Part::Num(Num::HeapAt { index, .. }) if reads(index)),
            )
        })
}

/// The heap with a constant index, if there is one.
fn heap_at(game: &Game, heaps: &[HeapId], first: i64, index: &Expr<Num>) -> Option<HeapId> {
    if !is_constant(Part::Num(index)) {
        return None;
    }
    let index = constant(game, |environment| index.eval(environment))?;
    let index = usize::try_from(index.checked_sub(first)?).ok()?;
    heaps.get(index).copied()
}

/// The heap that a number with a constant index is the size of.
fn heap_named(game: &Game, num: &Num) -> Option<Num> {
    match num {
        Num::HeapAt {
            heaps,
            first,
            index,
        } => heap_at(game, heaps, *first, index).map(Num::Heap),
        _ => None,
    }
}

/// Replaces heaps with a constant index by the heaps.
fn name_heaps(game: &Game, mover: &mut Move) {
    replace(mover, &mut |num| heap_named(game, num));
    for step in &mut mover.steps {
        let members = &mut step.action.selection_mut().members;
        if let Members::At {
            heaps,
            first,
            index,
        } = members
            && let Some(heap) = heap_at(game, heaps, *first, index)
        {
            *members = Members::Listed(vec![vec![heap]]);
        }
        if let Members::Counted(counted) = members
            && counted.to.is_none()
            && is_constant(Part::Num(&counted.count))
            && let Some(count) = constant(game, |environment| counted.count.eval(environment))
        {
            *members = Members::Listed(counted.of(None, count).to_vec());
        }
    }
}

/// The expressions of a move, without the indices of its selections.
fn parts(mover: &Move) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = mover.when.iter().map(|when| Part::Bool(when)).collect();
    for choice in &mover.choices {
        parts.push(Part::Set(&choice.set));
        parts.extend(choice.condition.iter().map(|part| Part::Bool(part)));
    }
    for step in &mover.steps {
        parts.extend(step.action.condition().map(|part| Part::Bool(part)));
        match &step.action {
            Action::Take { amount, .. } => {
                parts.extend(amount.numbers.iter().map(|part| Part::Set(part)));
            }
            Action::Put { amount, .. } => parts.push(Part::Set(amount)),
            Action::Set { value, .. } => parts.push(Part::Num(value)),
            Action::Replace { names, by, .. } => {
                parts.extend(names.iter().map(|(_, set)| Part::Set(set)));
                for new in by {
                    parts.push(Part::Num(&new.size));
                    parts.extend(new.count.iter().map(|count| Part::Num(count)));
                }
            }
            Action::Slide { .. } | Action::Split { .. } => {}
        }
    }
    parts
}

/// Applies a substitution to the expressions of a move.
fn replace(mover: &mut Move, by: &mut dyn FnMut(&Num) -> Option<Num>) {
    let mut by = |num: &Num, _: &[Slot]| by(num);
    let condition = |condition: &mut Option<Spanned<Bool>>, by: &mut _| {
        condition.iter_mut().for_each(|part| part.node.replace(by));
    };
    condition(&mut mover.when, &mut by);
    for choice in &mut mover.choices {
        choice.set.node.replace(&mut by);
        condition(&mut choice.condition, &mut by);
    }
    for step in &mut mover.steps {
        match &mut step.action.selection_mut().members {
            Members::At { index, .. } => index.node.replace(&mut by),
            Members::Counted(counted) => counted.count.node.replace(&mut by),
            _ => {}
        }
        match &mut step.action {
            Action::Take {
                amount,
                condition: only,
                ..
            } => {
                amount
                    .numbers
                    .iter_mut()
                    .for_each(|set| set.node.replace(&mut by));
                condition(only, &mut by);
            }
            Action::Put {
                amount,
                condition: only,
                ..
            } => {
                amount.node.replace(&mut by);
                condition(only, &mut by);
            }
            Action::Set {
                value,
                condition: only,
                ..
            } => {
                value.node.replace(&mut by);
                condition(only, &mut by);
            }
            Action::Slide {
                condition: only, ..
            }
            | Action::Split {
                condition: only, ..
            } => condition(only, &mut by),
            Action::Replace {
                names,
                by: new,
                condition: only,
                ..
            } => {
                for (_, set) in names {
                    set.node.replace(&mut by);
                }
                for heaps in new {
                    heaps.size.node.replace(&mut by);
                    if let Some(count) = &mut heaps.count {
                        count.node.replace(&mut by);
                    }
                }
                condition(only, &mut by);
            }
        }
    }
}
