//! A rule as its transition relation: one clause for each way to move.
//!
//! A turn is followed step by step. The heaps are weighted sums that the steps
//! change; what is chosen on the way are existential variables. In the end
//! each heap that was changed is equal to a heap of the option.

use crate::Unsupported;
use crate::atom::{Atom, Clause, Linear, Variable};
use crate::expression::{Path, Read, Reader, sum, unsupported};
use crate::selection::selected;
use nimrule_model::expr::{HeapId, Order};
use nimrule_model::game::{Action, Amount, Field, Game, Move, Share, Step};
use nimrule_model::source::Span;
use std::collections::BTreeSet;

/// More ways to move are not read.
const MOST_WAYS: usize = 4096;

/// A rule as the checker reads it.
#[derive(Debug, Clone)]
pub struct Rule<'g> {
    pub game: &'g Game,
    /// The ways to move. An option is one of `positions where` besides.
    pub ways: Vec<Clause>,
    /// `positions where`: one of these holds of each position.
    pub positions: Option<Vec<Clause>>,
    /// Where an expression of the rule has no value.
    pub faults: Vec<Clause>,
}

impl<'g> Rule<'g> {
    /// Reads the moves of a game.
    ///
    /// # Errors
    ///
    /// Where the rule has something that is not read; nothing is approximated.
    pub fn read(game: &'g Game) -> Read<Rule<'g>> {
        let start = (0, 0).into();
        if game.field != Field::Heaps {
            return unsupported(
                "anything but a fixed number of heaps of whole numbers",
                start,
            );
        }
        if game.may_repeat || game.has_sides() {
            return unsupported("sides, and positions that may repeat", start);
        }
        let mut reader = Reader {
            game,
            faults: Vec::new(),
        };
        let none = || Path::new(game.heap_count());
        let positions = match &game.positions {
            Some(condition) => Some(clauses(reader.condition(none(), condition, true)?, start)?),
            None => None,
        };
        let mut ways = Vec::new();
        for mover in &game.moves {
            let begun = match &mover.when {
                Some(when) => reader.condition(none(), when, true)?,
                None => vec![none()],
            };
            let mut paths = begun;
            for choice in &mover.choices {
                let mut next = Vec::new();
                for path in paths {
                    for (mut path, number) in reader.some_member(path, &choice.set)? {
                        path.locals.insert(choice.slot, number);
                        next.extend(match &choice.condition {
                            Some(condition) => reader.condition(path, condition, true)?,
                            None => vec![path],
                        });
                    }
                }
                paths = next;
            }
            for step in &mover.steps {
                paths = repeated(&mut reader, step, paths, mover)?;
            }
            ways.extend(clauses(paths, mover.span)?);
            if ways.len() > MOST_WAYS {
                return unsupported("so many ways to move", mover.span);
            }
        }
        ways.sort();
        ways.dedup();
        Ok(Rule {
            game,
            ways,
            positions,
            faults: clauses(reader.faults, start)?,
        })
    }
}

/// A step, done as often as it may be.
fn repeated(
    reader: &mut Reader<'_>,
    step: &Step,
    paths: Vec<Path>,
    mover: &Move,
) -> Read<Vec<Path>> {
    let mut done = Vec::new();
    let mut paths = paths;
    for times in 0..=step.most {
        if times >= step.least {
            done.extend(paths.iter().cloned());
        }
        if times == step.most || paths.is_empty() {
            break;
        }
        let mut next = Vec::new();
        for path in paths {
            for (mut path, heaps) in selected(reader, path, step.action.selection())? {
                path.picks
                    .insert(step.action.selection().pick, heaps.clone());
                next.extend(acted(reader, path, &step.action, &heaps, mover.span)?);
            }
        }
        if next.len() + done.len() > MOST_WAYS {
            return unsupported("so many ways to move", mover.span);
        }
        paths = next;
    }
    Ok(done)
}

/// What a step makes of the heaps selected.
fn acted(
    reader: &mut Reader<'_>,
    path: Path,
    action: &Action,
    heaps: &[HeapId],
    span: Span,
) -> Read<Vec<Path>> {
    let allowed = |reader: &mut Reader<'_>, path: Path| match action.condition() {
        Some(condition) => reader.condition(path, condition, true),
        None => Ok(vec![path]),
    };
    let mut done = Vec::new();
    match action {
        Action::Take {
            amount,
            leaving: None,
            ..
        } => {
            for path in taken(reader, path, amount, heaps, span)? {
                for mut path in allowed(reader, path)? {
                    let amounts = std::mem::take(&mut path.amounts);
                    done.push(changed(path, heaps, &amounts, -1, span)?);
                }
            }
        }
        Action::Put { amount, .. } => {
            for (path, number) in reader.some_member(path, amount)? {
                let one = Linear::constant(1);
                let Some(path) = path.compare(&one, Order::AtMost, &number, true, span)? else {
                    continue;
                };
                for path in allowed(reader, path)? {
                    let amounts = vec![number.clone(); heaps.len()];
                    done.push(changed(path, heaps, &amounts, 1, span)?);
                }
            }
        }
        Action::Take { .. } => return unsupported("`leaving`", span),
        Action::Split { .. } => return unsupported("`split`", span),
        Action::Slide { .. } => return unsupported("`slide`", span),
    }
    Ok(done)
}

/// The heaps with these numbers more, or fewer.
fn changed(
    mut path: Path,
    heaps: &[HeapId],
    amounts: &[Linear],
    sign: i64,
    span: Span,
) -> Read<Path> {
    for (heap, amount) in heaps.iter().zip(amounts) {
        let size = path.heaps[heap.index()].plus(sign, amount);
        path.heaps[heap.index()] =
            size.ok_or_else(|| Unsupported::new("numbers this large", span))?;
    }
    Ok(path)
}

/// The numbers that may be taken, one variable for each.
fn taken(
    reader: &mut Reader<'_>,
    mut path: Path,
    amount: &Amount,
    heaps: &[HeapId],
    span: Span,
) -> Read<Vec<Path>> {
    let equal = amount.share == Share::Equal;
    let count = if equal {
        heaps.len().min(1)
    } else {
        heaps.len()
    };
    let numbers: Vec<Linear> = (0..count).map(|_| path.fresh()).collect();
    path.amounts = match equal {
        true => heaps.iter().map(|_| numbers[0].clone()).collect(),
        false => numbers.clone(),
    };
    let mut open = path.assume(Atom::NonZero(numbers.clone()));
    for (heap, number) in heaps
        .iter()
        .enumerate()
        .map(|(at, heap)| (heap, at.min(count - 1)))
    {
        if let Some(path) = open.take() {
            let size = path.heaps[heap.index()].clone();
            open = path.compare(&numbers[number], Order::AtMost, &size, true, span)?;
        }
    }
    let mut paths: Vec<Path> = open.into_iter().collect();
    if let Some(set) = &amount.numbers {
        for number in &numbers {
            let mut next = Vec::new();
            for path in paths {
                // Nothing need be taken from one of several heaps.
                let zero = Atom::Zero(number.clone());
                next.extend(path.clone().assume(zero).filter(|_| count > 1));
                let Some(path) = path.assume(Atom::NonZero(vec![number.clone()])) else {
                    continue;
                };
                next.extend(reader.belongs(path, number, set, true)?);
            }
            paths = next;
        }
    }
    if let Some(slot) = amount.bound {
        let total = sum(&numbers, span)?;
        paths.iter_mut().for_each(|path| {
            path.locals.insert(slot, total.clone());
        });
    }
    Ok(paths)
}

/// Paths to their ends as clauses, each once.
pub fn clauses(paths: Vec<Path>, span: Span) -> Read<Vec<Clause>> {
    let mut found = BTreeSet::new();
    for path in paths {
        let mut touched = Vec::new();
        let mut atoms = path.atoms;
        for (heap, size) in path.heaps.iter().enumerate() {
            if *size != Linear::variable(Variable::Before(heap)) {
                touched.push(heap);
                let after = Linear::variable(Variable::After(heap));
                let equal = size.plus(-1, &after);
                atoms.push(Atom::Zero(
                    equal.ok_or_else(|| Unsupported::new("numbers this large", span))?,
                ));
            }
        }
        let clause = simplified(touched, path.some, atoms);
        found.extend(clause.ok_or_else(|| Unsupported::new("numbers this large", span))?);
    }
    Ok(found.into_iter().collect())
}

/// The same clause with fewer variables: an existential variable that some
/// equation determines is replaced by its value, which must not be negative.
/// The inner `None` says that it never holds; the outer one that its numbers
/// grow too large.
fn simplified(touched: Vec<usize>, some: usize, mut atoms: Vec<Atom>) -> Option<Option<Clause>> {
    for variable in (0..some).map(Variable::Some) {
        if atoms
            .iter_mut()
            .any(|atom| atom.tracks_mut().iter().any(|t| **t == variable))
        {
            continue;
        }
        let given = atoms.iter().position(|atom| match atom {
            Atom::Zero(sum) => sum.weight(variable).abs() == 1,
            _ => false,
        });
        let Some(Atom::Zero(given)) = given.map(|at| atoms.swap_remove(at)) else {
            continue;
        };
        // `given` is 0, so that the variable is this.
        let own = Linear::variable(variable);
        let value = own.plus(-given.weight(variable), &given)?;
        for sum in atoms.iter_mut().flat_map(Atom::sums_mut) {
            let without = sum.plus(-sum.weight(variable), &own)?;
            *sum = without.plus(sum.weight(variable), &value)?;
        }
        atoms.push(Atom::AtMost(Linear::default().plus(-1, &value)?));
    }
    if atoms.iter().any(|atom| atom.settled() == Some(false)) {
        return Some(None);
    }
    atoms.retain(|atom| atom.settled().is_none());
    atoms.sort();
    atoms.dedup();
    // Of the same sum with several constants the largest says most.
    let said = atoms.clone();
    atoms.retain(|atom| match atom {
        Atom::AtMost(sum) => !said.iter().any(|other| match other {
            Atom::AtMost(more) => more.weights == sum.weights && more.constant > sum.constant,
            _ => false,
        }),
        _ => true,
    });
    Some(Some(Clause::new(touched, atoms)))
}
