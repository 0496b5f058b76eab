//! The transition relation of a rule as clauses.
//!
//! The moves of the rule are executed symbolically, step by step. The size of
//! each heap is a linear form that the steps change, and every number that a
//! player chooses is an existential variable. At the end of a path each changed
//! heap is equated with the heap of the option.

use crate::Unsupported;
use crate::atom::{Atom, Clause, Linear, Variable};
use crate::expression::{MAX_EVALUATIONS, Path, Read, Reader, sum, unsupported};
use crate::selection::selected;
use nimrule_model::expr::{HeapId, Order};
use nimrule_model::game::{Action, Amount, Game, Move, PositionKind, Share, Step};
use nimrule_model::source::Span;
use std::collections::BTreeSet;

/// The largest number of transitions.
const MAX_TRANSITIONS: usize = 4096;

/// A rule as the checker translates it.
#[derive(Debug, Clone)]
pub struct Rule<'g> {
    /// The rule that was translated.
    pub game: &'g Game,
    /// The transition relation: the disjunction of these clauses, restricted to
    /// options that satisfy `positions`.
    pub transitions: Vec<Clause>,
    /// The condition of `positions where`: the disjunction of these clauses.
    pub positions: Option<Vec<Clause>>,
    /// The positions at which an expression of the rule has no value: the
    /// disjunction of these clauses. Those of the moves matter at positions only.
    pub faults: Vec<Clause>,
    /// The tuples of sizes at which an expression of `positions where` has no value.
    pub faults_of_positions: Vec<Clause>,
}

impl<'g> Rule<'g> {
    /// Translates the moves of a game.
    ///
    /// # Errors
    ///
    /// If the rule has a part that the checker cannot translate. Nothing is
    /// approximated.
    pub fn read(game: &'g Game) -> Read<Rule<'g>> {
        Rule::read_within(game, MAX_EVALUATIONS)
    }

    /// As [`Rule::read`], with at most `most_evaluations` of an expression on a path.
    ///
    /// # Errors
    ///
    /// As [`Rule::read`], and for a rule that needs more.
    pub fn read_within(game: &'g Game, most_evaluations: usize) -> Read<Rule<'g>> {
        if game.position_kind != PositionKind::Heaps {
            return unsupported(
                "anything but a fixed number of heaps of whole numbers",
                (0, 0).into(),
            );
        }
        Rule::read_window(game, most_evaluations)
    }

    /// As [`Rule::read_within`]; the heaps may be some of a multiset, the others staying as they
    /// are.
    pub(crate) fn read_window(game: &'g Game, most_evaluations: usize) -> Read<Rule<'g>> {
        let start = (0, 0).into();
        if game.may_repeat || game.has_sides() {
            return unsupported("sides, and positions that may repeat", start);
        }
        if game.blocked_options > 0 {
            return unsupported("options that the opponent may block", start);
        }
        if let Some(again) = game.moves_again() {
            return unsupported("turns of several moves", again.span);
        }
        let mut reader = Reader::new(game, most_evaluations);
        let none = || Path::new(game.heap_count());
        let positions = match &game.positions {
            Some(condition) => Some(clauses(reader.condition(none(), condition, true)?, start)?),
            None => None,
        };
        let faults_of_positions = clauses(std::mem::take(&mut reader.faults), start)?;
        let mut transitions = Vec::new();
        for mover in &game.moves {
            let mut paths = match &mover.when {
                Some(when) => reader.condition(none(), when, true)?,
                None => vec![none()],
            };
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
                paths = repeat_step(&mut reader, step, paths, mover)?;
            }
            transitions.extend(clauses(paths, mover.span)?);
            if transitions.len() > MAX_TRANSITIONS {
                return unsupported("this many moves", mover.span);
            }
        }
        transitions.sort();
        transitions.dedup();
        Ok(Rule {
            game,
            transitions,
            positions,
            faults: clauses(reader.faults, start)?,
            faults_of_positions,
        })
    }
}

impl Rule<'_> {
    /// Those of some permutations of the heaps, which move heap `h` to heap `to[h]`, that
    /// map the clauses of the rule to themselves. They are symmetries of the rule. Others
    /// may be symmetries too, since different clauses may mean the same; none is found if
    /// there are more than `most_images` images of clauses.
    pub fn symmetries_among(
        &self,
        permutations: Vec<Vec<usize>>,
        most_images: usize,
    ) -> Vec<Vec<usize>> {
        let parts = [
            &self.transitions[..],
            &self.faults[..],
            &self.faults_of_positions[..],
            self.positions.as_deref().unwrap_or_default(),
        ];
        let clauses: usize = parts.iter().map(|part| part.len()).sum();
        if clauses.saturating_mul(permutations.len()) > most_images {
            return Vec::new();
        }
        let normalised =
            parts.map(|part| -> BTreeSet<Clause> { part.iter().map(Clause::normalised).collect() });
        let is_symmetry = |to: &Vec<usize>| {
            let mut both = parts.iter().zip(&normalised);
            both.all(|(part, own)| {
                let mut images = part.iter().map(|clause| clause.permuted(to).normalised());
                images.all(|image| own.contains(&image))
            })
        };
        permutations.into_iter().filter(is_symmetry).collect()
    }
}

/// Executes a step, repeated as often as it allows.
fn repeat_step(
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
                next.extend(apply_action(
                    reader,
                    path,
                    &step.action,
                    &heaps,
                    mover.span,
                )?);
                if next.len() + done.len() > MAX_TRANSITIONS {
                    return unsupported("this many moves", mover.span);
                }
            }
        }
        paths = next;
    }
    Ok(done)
}

/// Executes the action of a step on the heaps selected.
fn apply_action(
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
            for path in choose_amounts(reader, path, amount, heaps, span)? {
                for mut path in allowed(reader, path)? {
                    let amounts = std::mem::take(&mut path.amounts);
                    done.push(add_to_heaps(path, heaps, &amounts, -1, span)?);
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
                    done.push(add_to_heaps(path, heaps, &amounts, 1, span)?);
                }
            }
        }
        Action::Set {
            size,
            heap: number,
            value,
            ..
        } => {
            for path in allowed(reader, path)? {
                // The new sizes are read in the position before the step.
                let mut open = vec![(path, Vec::new())];
                for heap in heaps {
                    let mut next = Vec::new();
                    for (mut path, sizes) in open {
                        let before = path.heaps[heap.index()].clone();
                        path.locals.insert(*size, before);
                        if let Some(number) = number {
                            let heap = Linear::constant(heap.index() as i64 + 1);
                            path.locals.insert(*number, heap);
                        }
                        for (path, new) in reader.number(path, value)? {
                            let path = reader.natural(path, &new, span)?;
                            let sizes = sizes.iter().cloned().chain([new]).collect();
                            next.extend(path.map(|path| (path, sizes)));
                        }
                    }
                    open = next;
                    if open.len() > MAX_TRANSITIONS {
                        return unsupported("this many moves", span);
                    }
                }
                for (mut path, sizes) in open {
                    for (heap, size) in heaps.iter().zip(sizes) {
                        path.heaps[heap.index()] = size;
                    }
                    done.push(path);
                }
            }
        }
        Action::Take { .. } => return unsupported("`leaving`", span),
        Action::Split { .. } => return unsupported("`split`", span),
        Action::Replace { .. } => return unsupported("`replace`", span),
        Action::Slide { .. } => {
            let Some(digraph) = &reader.game.tokens_on else {
                return unsupported("`slide`", span);
            };
            // The arcs, one after another, for each of the tokens.
            let mut open = allowed(reader, path)?;
            for token in heaps {
                let mut next = Vec::new();
                for path in open {
                    for from in 0..digraph.len() {
                        let arcs = digraph.relation.from(from);
                        let at = Linear::constant(digraph.number(from) as i64);
                        let before = path.heaps[token.index()].clone();
                        let path = path
                            .clone()
                            .compare(&before, Order::Equal, &at, true, span)?;
                        for (path, to) in path
                            .iter()
                            .flat_map(|path| arcs.iter().map(move |to| (path, to)))
                        {
                            let mut path = path.clone();
                            let to = digraph.number(*to as usize) as i64;
                            path.heaps[token.index()] = Linear::constant(to);
                            next.push(path);
                        }
                        if next.len() > MAX_TRANSITIONS {
                            return unsupported("this many moves", span);
                        }
                    }
                }
                open = next;
            }
            done = open;
        }
    }
    Ok(done)
}

/// Adds `sign` times the amounts to the heaps.
fn add_to_heaps(
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

/// Chooses the numbers of tokens to take, one existential variable for each
/// heap, or one for all heaps if the shares are equal.
fn choose_amounts(
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
                // One of several heaps may keep all its tokens.
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

/// The clauses of completed paths, simplified and without duplicates.
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
        let clause = simplify(touched, path.some, atoms);
        found.extend(clause.ok_or_else(|| Unsupported::new("numbers this large", span))?);
    }
    Ok(found.into_iter().collect())
}

/// A clause of these atoms with fewer existential variables: a variable that an
/// equation determines is replaced by its value, with the condition that the
/// value is not negative. The inner `None` means that the clause never holds,
/// the outer one that a weight or constant becomes too large.
fn simplify(touched: Vec<usize>, some: usize, mut atoms: Vec<Atom>) -> Option<Option<Clause>> {
    for variable in (0..some).map(Variable::Some) {
        if atoms
            .iter_mut()
            .any(|atom| atom.tracks_mut().iter().any(|t| **t == variable))
        {
            continue;
        }
        let equation = atoms.iter().position(|atom| match atom {
            Atom::Zero(sum) => sum.weight(variable).abs() == 1,
            _ => false,
        });
        let Some(Atom::Zero(zero)) = equation.map(|at| atoms.swap_remove(at)) else {
            continue;
        };
        // `zero` is 0 and its weight of the variable is 1 or -1.
        let own = Linear::variable(variable);
        let value = own.plus(-zero.weight(variable), &zero)?;
        for sum in atoms.iter_mut().flat_map(Atom::sums_mut) {
            let without = sum.plus(-sum.weight(variable), &own)?;
            *sum = without.plus(sum.weight(variable), &value)?;
        }
        atoms.push(Atom::AtMost(Linear::default().plus(-1, &value)?));
    }
    if atoms.iter().any(|atom| atom.truth_value() == Some(false)) {
        return Some(None);
    }
    atoms.retain(|atom| atom.truth_value().is_none());
    atoms.sort();
    atoms.dedup();
    // Of several bounds on the same weighted sum the tightest implies the others.
    let all = atoms.clone();
    atoms.retain(|atom| match atom {
        Atom::AtMost(sum) => !all.iter().any(|other| match other {
            Atom::AtMost(more) => more.weights == sum.weights && more.constant > sum.constant,
            _ => false,
        }),
        _ => true,
    });
    Some(Some(Clause::new(touched, atoms)))
}
