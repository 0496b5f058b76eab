//! The ways of a rule, read off its moves.
//!
//! A turn is gone through step by step; the heaps become sums as tokens are
//! taken from them, the numbers taken are numbers besides. At the end each heap
//! that was touched is set equal to its sum, and numbers besides of which an
//! equation says what they are stand for themselves no longer.

use super::conditions::{All, Any, Place, both};
use super::{Atom, Linear, Unread, Variable, Way};
use crate::expr::{HeapId, Set};
use crate::game::{Action, Amount, Field, Game, Members, Move, Share};
use std::collections::BTreeMap;

/// More ways are not gone into.
const MOST_WAYS: usize = 2_000;

/// All ways to move, each once, in order.
pub fn ways(game: &Game) -> Result<Vec<Way>, Unread> {
    let unread = |words: &str| Err(Unread(words.to_owned()));
    if game.field != Field::Heaps {
        return unread("a number of heaps that is not fixed");
    }
    if game.may_repeat || game.has_sides() {
        return unread("sides, and positions that may repeat");
    }
    if game.positions.is_some() {
        return unread("`positions where`");
    }
    let mut walk = Walk { found: Vec::new() };
    for mover in &game.moves {
        let mut place = Place {
            heaps: (0..game.heap_count())
                .map(|heap| Linear::variable(Variable::Before(heap)))
                .collect(),
            locals: BTreeMap::new(),
            picks: BTreeMap::new(),
            amounts: Vec::new(),
            beside: 0,
        };
        let given = match &mover.when {
            Some(when) => place.condition(when, true)?,
            None => vec![Vec::new()],
        };
        for all in given {
            walk.choose(mover, 0, place.clone(), all)?;
        }
    }
    let mut found = walk.found;
    found.sort();
    found.dedup();
    Ok(found)
}

struct Walk {
    found: Vec<Way>,
}

impl Walk {
    /// `for some x in …`
    fn choose(
        &mut self,
        mover: &Move,
        next: usize,
        place: Place,
        given: All,
    ) -> Result<(), Unread> {
        let Some(choice) = mover.choices.get(next) else {
            return self.step(mover, 0, 0, place, given);
        };
        let mut chosen = place.clone();
        let number = chosen.fresh();
        let inside = chosen.belongs(&number, &choice.set, true)?;
        chosen.locals.insert(choice.slot, number);
        let also = match &choice.condition {
            Some(condition) => chosen.condition(condition, true)?,
            None => vec![Vec::new()],
        };
        for all in both(&both(&vec![given], &inside)?, &also)? {
            self.choose(mover, next + 1, chosen.clone(), all)?;
        }
        Ok(())
    }

    /// The `at`th step, done so often already.
    fn step(
        &mut self,
        mover: &Move,
        at: usize,
        done: u64,
        place: Place,
        given: All,
    ) -> Result<(), Unread> {
        if given.iter().any(|atom| atom.settled() == Some(false)) {
            return Ok(());
        }
        let Some(step) = mover.steps.get(at) else {
            return self.end(&place, given);
        };
        if done >= step.least {
            self.step(mover, at + 1, 0, place.clone(), given.clone())?;
        }
        if done >= step.most {
            return Ok(());
        }
        let selection = step.action.selection();
        let mut selections: Vec<(Any, Vec<HeapId>)> = Vec::new();
        let mut place = place;
        match &selection.members {
            Members::Listed(listed) => {
                let always = || vec![Vec::new()];
                selections.extend(listed.iter().map(|heaps| (always(), heaps.clone())));
            }
            Members::Picked(earlier) => {
                let heaps = place.picks.get(earlier).cloned().unwrap_or_default();
                selections.push((vec![Vec::new()], heaps));
            }
            Members::At {
                heaps,
                first,
                index,
            } => {
                for (all, index) in place.number(index)? {
                    for (number, heap) in (*first..).zip(heaps) {
                        let here = Atom::Zero(index.plus(-1, &Linear::of(number))?);
                        let all = all.iter().cloned().chain([here]).collect();
                        selections.push((vec![all], vec![*heap]));
                    }
                }
            }
            Members::Left(_) => return Err(Unread("heaps that are left".to_owned())),
            Members::Bag { .. } => {
                return Err(Unread("a number of heaps that is not fixed".to_owned()));
            }
        }
        for (here, heaps) in selections {
            let mut inside = place.clone();
            inside.picks.insert(selection.pick, heaps.clone());
            let here = both(&vec![given.clone()], &here)?;
            for (place, any) in acted(inside, &step.action, &heaps)? {
                for all in both(&here, &any)? {
                    self.step(mover, at, done + 1, place.clone(), all)?;
                }
            }
        }
        Ok(())
    }

    fn end(&mut self, place: &Place, given: All) -> Result<(), Unread> {
        let mut atoms = given;
        let mut touched = Vec::new();
        for (heap, sum) in place.heaps.iter().enumerate() {
            if *sum != Linear::variable(Variable::Before(heap)) {
                touched.push(heap);
                let after = Linear::variable(Variable::After(heap));
                atoms.push(Atom::Zero(sum.plus(-1, &after)?));
            }
        }
        if let Some(way) = settled(touched, place.beside, atoms)? {
            self.found.push(way);
        }
        if self.found.len() > MOST_WAYS {
            return Err(Unread("so many ways to move".to_owned()));
        }
        Ok(())
    }
}

/// What a step makes of the heaps, and in which alternatives it may.
fn acted(mut place: Place, action: &Action, heaps: &[HeapId]) -> Result<Vec<(Place, Any)>, Unread> {
    match action {
        Action::Take {
            amount,
            leaving: None,
            condition,
            ..
        } => {
            let any = taken(&mut place, amount, heaps)?;
            let also = match condition {
                Some(condition) => place.condition(condition, true)?,
                None => vec![Vec::new()],
            };
            let any = both(&any, &also)?;
            let amounts = std::mem::take(&mut place.amounts);
            change(&mut place, heaps, &amounts, -1)?;
            Ok(vec![(place, any)])
        }
        Action::Put {
            amount, condition, ..
        } => {
            let also = match condition {
                Some(condition) => place.condition(condition, true)?,
                None => vec![Vec::new()],
            };
            let number = place.fresh();
            let inside = place.belongs(&number, amount, true)?;
            let some = vec![vec![at_least_one(&number)?]];
            let any = both(&both(&also, &inside)?, &some)?;
            change(&mut place, heaps, &vec![number; heaps.len()], 1)?;
            Ok(vec![(place, any)])
        }
        Action::Take { .. } => Err(Unread("`leaving`".to_owned())),
        Action::Split { .. } => Err(Unread("`split`".to_owned())),
        Action::Slide { .. } => Err(Unread("`slide`".to_owned())),
    }
}

fn at_least_one(number: &Linear) -> Result<Atom, Unread> {
    Ok(Atom::AtMostZero(Linear::of(1).plus(-1, number)?))
}

fn change(
    place: &mut Place,
    heaps: &[HeapId],
    amounts: &[Linear],
    sign: i64,
) -> Result<(), Unread> {
    for (heap, amount) in heaps.iter().zip(amounts) {
        place.heaps[heap.index()] = place.heaps[heap.index()].plus(sign, amount)?;
    }
    Ok(())
}

/// The numbers taken, and what must hold of them.
fn taken(place: &mut Place, amount: &Amount, heaps: &[HeapId]) -> Result<Any, Unread> {
    let equal = amount.share == Share::Equal;
    let count = if equal { 1 } else { heaps.len() };
    let numbers: Vec<Linear> = (0..count).map(|_| place.fresh()).collect();
    place.amounts = if equal {
        vec![numbers[0].clone(); heaps.len()]
    } else {
        numbers.clone()
    };
    let mut all = Vec::new();
    let mut total = Linear::default();
    for (heap, number) in heaps.iter().zip(&place.amounts) {
        let left = place.heaps[heap.index()].plus(-1, number)?;
        all.push(Atom::AtMostZero(left.times(-1)?));
    }
    for number in &numbers {
        total = total.plus(1, number)?;
    }
    all.push(at_least_one(&total)?);
    let mut any = vec![all];
    if let Some(set) = &amount.numbers {
        for number in &numbers {
            let mut inside = place.belongs(number, set, true)?;
            if count > 1 && !is_zero_in(set) {
                inside.push(vec![Atom::Zero(number.clone())]);
            }
            any = both(&any, &inside)?;
        }
    }
    if let Some(slot) = amount.bound {
        place.locals.insert(slot, total);
    }
    Ok(any)
}

/// Is zero in a set that is written out?
fn is_zero_in(set: &Set) -> bool {
    matches!(set, Set::Items(items) if items.iter().any(|item| item.constant() == Some(0)))
}

/// The way with fewer numbers besides: those that an equation gives are put in
/// for what it gives, which must not be negative. `None` where it never holds.
fn settled(touched: Vec<usize>, beside: usize, mut atoms: All) -> Result<Option<Way>, Unread> {
    for index in 0..beside {
        let variable = Variable::Beside(index);
        if atoms
            .iter()
            .any(|a| matches!(a, Atom::Power(_, i) if *i == index))
        {
            continue;
        }
        let given = atoms.iter().find_map(|atom| match atom {
            Atom::Zero(sum) if sum.weight(variable).abs() == 1 => Some(sum.clone()),
            _ => None,
        });
        let Some(given) = given else { continue };
        let weight = given.weight(variable);
        // The variable is this, for its weight is 1 or -1.
        let mut value = given.clone();
        value.weights.remove(&variable);
        let value = value.times(-weight)?;
        for atom in &mut atoms {
            if let Atom::Zero(sum) | Atom::AtMostZero(sum) = atom {
                let times = sum.weight(variable);
                sum.weights.remove(&variable);
                *sum = sum.plus(times, &value)?;
            }
        }
        atoms.push(Atom::AtMostZero(value.times(-1)?));
    }
    // Those that are left are numbered anew.
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    for atom in &atoms {
        let mut met = |index: usize| {
            let next = numbers.len();
            numbers.entry(index).or_insert(next);
        };
        match atom {
            Atom::Power(_, index) => met(*index),
            Atom::Zero(sum) | Atom::AtMostZero(sum) => {
                for variable in sum.weights.keys() {
                    if let Variable::Beside(index) = variable {
                        met(*index);
                    }
                }
            }
        }
    }
    for atom in &mut atoms {
        match atom {
            Atom::Power(_, index) => *index = numbers[index],
            Atom::Zero(sum) | Atom::AtMostZero(sum) => {
                sum.weights = std::mem::take(&mut sum.weights)
                    .into_iter()
                    .map(|(variable, weight)| match variable {
                        Variable::Beside(index) => (Variable::Beside(numbers[&index]), weight),
                        other => (other, weight),
                    })
                    .collect();
            }
        }
    }
    if atoms.iter().any(|atom| atom.settled() == Some(false)) {
        return Ok(None);
    }
    let touched = without_those_that_stay(touched, &mut atoms)?;
    let atoms = needed(atoms)?;
    Ok(Some(Way {
        touched,
        beside: numbers.len(),
        atoms,
    }))
}

/// The heaps touched but for those that become what they were.
fn without_those_that_stay(touched: Vec<usize>, atoms: &mut All) -> Result<Vec<usize>, Unread> {
    let mut left = Vec::new();
    for heap in touched {
        let (before, after) = (Variable::Before(heap), Variable::After(heap));
        let same = Linear::variable(before).plus(-1, &Linear::variable(after))?;
        let other = same.times(-1)?;
        let stays =
            |atom: &Atom| *atom == Atom::Zero(same.clone()) || *atom == Atom::Zero(other.clone());
        if !atoms.iter().any(stays) {
            left.push(heap);
            continue;
        }
        for atom in &mut *atoms {
            if let Atom::Zero(sum) | Atom::AtMostZero(sum) = atom {
                let weight = sum.weight(after);
                *sum = sum.plus(weight, &same)?;
            }
        }
    }
    Ok(left)
}

/// Those that others do not imply.
fn needed(mut atoms: All) -> Result<All, Unread> {
    atoms.sort();
    atoms.dedup();
    atoms.retain(|atom| !is_plain(atom));
    let equations: Vec<Linear> = atoms
        .iter()
        .filter_map(|atom| match atom {
            Atom::Zero(sum) => Some(sum.clone()),
            _ => None,
        })
        .collect();
    let mut kept: All = Vec::new();
    for atom in &atoms {
        let mut implied = false;
        if let Atom::AtMostZero(sum) = atom {
            for equation in &equations {
                for factor in [1, -1] {
                    implied |= is_plain(&Atom::AtMostZero(sum.plus(factor, equation)?));
                }
            }
            // The same sum with a larger constant says more.
            implied |= atoms.iter().any(|other| match other {
                Atom::AtMostZero(more) => {
                    more.weights == sum.weights && more.constant > sum.constant
                }
                _ => false,
            });
        }
        if !implied {
            kept.push(atom.clone());
        }
    }
    Ok(kept)
}

/// Does it hold of all numbers, since none is negative?
fn is_plain(atom: &Atom) -> bool {
    match atom {
        Atom::Zero(sum) => sum.weights.is_empty() && sum.constant == 0,
        Atom::AtMostZero(sum) => sum.constant <= 0 && sum.weights.values().all(|w| *w <= 0),
        Atom::Power(..) => false,
    }
}
