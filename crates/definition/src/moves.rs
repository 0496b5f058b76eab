//! Positions and moves: chapters "Positions", "Moves", "Heaps and families",
//! "Boards", "Bags", "Relations" and "Two players" of the reference.

use crate::{Environment, Fault};
use nimrule_board::Arrangement;
use nimrule_board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Expr, Fault as Kind, HeapId, Num, OfKind, Part, Set, Slot};
use nimrule_model::game::{
    Action, Again, ForSome, Game, Leaving, Members, Move, NewHeaps, Number, Parts, PositionKind,
    Selection, SetFamily, Share, Side, Step,
};
use nimrule_model::source::Span;
use std::collections::BTreeSet;

/// The largest number of heaps.
const MOST_HEAPS: usize = 60_000;

/// The options of a position, and all faults of the moves at it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    /// The options, without duplicates.
    pub options: BTreeSet<Vec<u64>>,
    /// The faults, in the order in which they occur.
    pub faults: Vec<Fault>,
}

/// Whether a list of sizes is a position of the game: whether it satisfies
/// `positions where`.
///
/// # Errors
///
/// If the condition has a fault.
pub fn is_position(game: &Game, position: &[u64]) -> Result<bool, Fault> {
    match &game.positions {
        Some(condition) => Environment::new(game, position).holds(condition),
        None => Ok(true),
    }
}

/// The options of a position, with `side` to move or with either side.
///
/// # Errors
///
/// The first fault of the moves at the position.
pub fn options(
    game: &Game,
    position: &[u64],
    side: Option<Side>,
) -> Result<BTreeSet<Vec<u64>>, Fault> {
    let moves = moves(game, position, side);
    match moves.faults.first() {
        Some(fault) => Err(*fault),
        None => Ok(moves.options),
    }
}

/// The options of a position, with `side` to move or with either side, and the
/// faults of its moves.
pub fn moves(game: &Game, position: &[u64], side: Option<Side>) -> Moves {
    let mut found = Moves::default();
    // The positions within a turn at which the same player moves.
    let mut reached = BTreeSet::from([position.to_vec()]);
    let mut open = vec![position.to_vec()];
    while let Some(position) = open.pop() {
        let start = Environment::new(game, &position);
        for mover in &game.moves {
            let may_move = match (side, mover.side) {
                (Some(side), Some(whose)) => side == whose,
                _ => true,
            };
            if !may_move {
                continue;
            }
            let results = found.execute_move(mover, &start);
            let results = found.positions_of(results);
            if mover.again.is_some() {
                let new = results.iter().filter(|p| reached.insert(p.to_vec()));
                open.extend(new.cloned());
            }
            if mover.again != Some(Again::Must) {
                found.options.extend(results);
            }
        }
    }
    found
}

/// The positions of a box, in ascending lexicographic order: every heap holds
/// at most `most` tokens, and a state has each value of a finite range, or a value to
/// `most` of an infinite one, which reaches its initial value; a multiset holds at most `most` tokens in all; tokens
/// on a digraph are on its first `most + 1` vertices.
///
/// # Errors
///
/// If `positions where` has a fault.
pub fn positions(game: &Game, most: u64) -> Result<Vec<Vec<u64>>, Fault> {
    let mut rows: Vec<Vec<u64>> = match &game.position_kind {
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Open(_) => {
            let heaps = game.heap_count() - game.states.len();
            let mut numbers: Vec<Vec<u64>> = vec![(0..=most).collect(); heaps];
            numbers.extend(game.states.iter().map(|state| {
                let initial = state.initial.unwrap_or(state.low);
                (state.low..=state.high.unwrap_or(most.max(initial))).collect()
            }));
            cartesian_product(&numbers)
        }
        PositionKind::Tokens(digraph) => {
            let vertices = (0..digraph.len()).take(most as usize + 1);
            let numbers: Vec<u64> = vertices.map(|state| digraph.number(state)).collect();
            cartesian_product(&vec![numbers; game.heap_count()])
        }
        PositionKind::Multiset(kinds) => {
            let mut multisets: BTreeSet<Vec<u64>> = BTreeSet::from([Vec::new()]);
            // A heap is added to a multiset in every way that there is room for.
            let mut new: Vec<Vec<u64>> = vec![Vec::new()];
            while let Some(heaps) = new.pop() {
                let tokens: u64 = heaps.iter().map(|heap| kinds.decode(*heap).0).sum();
                for size in 1..=most - tokens {
                    for kind in 0..kinds.of_heaps() {
                        let mut larger = heaps.clone();
                        larger.push(kinds.encode(size, kind));
                        larger.sort_unstable();
                        if multisets.insert(larger.clone()) {
                            new.push(larger);
                        }
                    }
                }
            }
            let with_states = |heaps: Vec<u64>| kinds.with_states(&heaps, most);
            multisets.into_iter().flat_map(with_states).collect()
        }
    };
    let mut fault = None;
    rows.retain(|row| {
        is_position(game, row).unwrap_or_else(|found| {
            fault = fault.or(Some(found));
            false
        })
    });
    match fault {
        Some(fault) => Err(fault),
        None => Ok(rows),
    }
}

/// The number up to which an infinite set is enumerated at a position. It is
/// far larger than any number at which the truth value of a condition changes
/// that compares the number chosen with sums of constants and heaps, or with
/// their multiples by constants of the rule.
pub fn cutoff(mover: &Move, position: &Environment<'_>) -> i64 {
    let mut constants = 1_i64;
    let mut add = |part: Part<'_>| {
        part.any(&mut |part| {
            if let Part::Num(Num::Const(value)) = part {
                constants = constants.saturating_add(value.saturating_abs());
            }
            false
        });
    };
    for choice in &mover.choices {
        add(Part::Set(&choice.set));
        choice.condition.iter().for_each(|c| add(Part::Bool(c)));
    }
    for step in &mover.steps {
        step.action
            .condition()
            .iter()
            .for_each(|c| add(Part::Bool(c)));
        match &step.action {
            Action::Take { amount, .. } => amount.numbers.iter().for_each(|n| add(Part::Set(n))),
            Action::Put { amount, .. } => add(Part::Set(amount)),
            Action::Set { value, .. } => add(Part::Num(value)),
            Action::Replace { names, by, .. } => {
                names.iter().for_each(|(_, set)| add(Part::Set(set)));
                for new in by {
                    add(Part::Num(&new.size));
                    new.count.iter().for_each(|count| add(Part::Num(count)));
                }
            }
            Action::Slide { .. } | Action::Split { .. } => {}
        }
    }
    let tokens: u64 = position.sizes.iter().sum();
    let tokens = i64::try_from(tokens).unwrap_or(i64::MAX);
    tokens
        .saturating_add(1)
        .saturating_mul(constants)
        .saturating_mul(4)
}

impl Moves {
    /// Executes a move in every possible way: chooses the numbers of `for some`
    /// one after another, then composes the steps.
    fn execute_move<'g>(&mut self, mover: &Move, start: &Environment<'g>) -> Vec<Environment<'g>> {
        if let Some(when) = &mover.when
            && self.value_or_record(start.holds(when)) != Some(true)
        {
            return Vec::new();
        }
        let mut environments = vec![start.clone()];
        for choice in &mover.choices {
            environments = self.for_each(environments, |moves, environment| {
                moves.choose(mover, choice, &environment)
            });
        }
        for step in &mover.steps {
            environments = self.execute_step(step, environments);
        }
        environments
    }

    /// Chooses the number of a `for some` in every possible way.
    fn choose<'g>(
        &mut self,
        mover: &Move,
        choice: &ForSome,
        environment: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let members = match &choice.set.node {
            Set::Range(_, None) | Set::Named(_) | Set::Powers(_) => {
                environment.members_to(&choice.set, cutoff(mover, environment))
            }
            Set::Range(..) | Set::Items(_) | Set::List(_) => environment.members(&choice.set),
        };
        let members = self.value_or_record(members).unwrap_or_default();
        let environments = members
            .into_iter()
            .map(|value| environment.with(choice.slot, value));
        environments
            .filter(|environment| match &choice.condition {
                Some(condition) => self.value_or_record(environment.holds(condition)) == Some(true),
                None => true,
            })
            .collect()
    }

    /// Executes a step: its action, composed with itself as often as the step
    /// allows.
    fn execute_step<'g>(
        &mut self,
        step: &Step,
        before: Vec<Environment<'g>>,
    ) -> Vec<Environment<'g>> {
        let mut after = Vec::new();
        let mut environments = before;
        for times in 0..=step.most {
            if times >= step.least {
                after.extend(environments.iter().cloned());
            }
            if times < step.most {
                environments = self.for_each(environments, |moves, environment| {
                    moves.execute_action(&step.action, &environment)
                });
            }
        }
        after
    }

    /// Executes an action once, on every set of heaps that it may select.
    fn execute_action<'g>(
        &mut self,
        action: &Action,
        environment: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let selection = action.selection();
        let selected = self
            .value_or_record(selections(selection, environment))
            .unwrap_or_default();
        let environments = selected.into_iter().map(|heaps| {
            let mut environment = environment.clone();
            environment.taken.clear();
            environment.selected.insert(selection.pick, heaps);
            environment
        });
        self.for_each(environments.collect(), |moves, environment| match action {
            Action::Take { leaving, .. } => {
                let taken = moves.take(action, &environment);
                match leaving {
                    None => taken,
                    Some(leaving) => {
                        let heap = selected_heaps(action, &environment)[0];
                        let parts =
                            |environment: Environment<'g>| partitions(&environment, heap, *leaving);
                        taken.into_iter().flat_map(parts).collect()
                    }
                }
            }
            Action::Put { amount, .. } => moves.put(action, amount, &environment),
            Action::Set { .. } => moves.set(action, &environment),
            Action::Slide { .. } => moves.slide(action, &environment),
            Action::Split { parts, .. } => moves.split(action, parts, &environment),
            Action::Replace { names, by, .. } => moves.replace(action, names, by, &environment),
        })
    }

    /// Executes `take`: the option is p - d for each vector d of amounts that
    /// the step allows.
    fn take<'g>(&mut self, action: &Action, environment: &Environment<'g>) -> Vec<Environment<'g>> {
        let Action::Take { amount, .. } = action else {
            return Vec::new();
        };
        let heaps = selected_heaps(action, environment);
        let sizes: Vec<u64> = heaps
            .iter()
            .map(|heap| environment.sizes[heap.index()])
            .collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        // The numbers, from 1 to the size of the largest heap, that may be taken
        // from a heap.
        let numbers: BTreeSet<u64> = match &amount.numbers {
            None => (1..=largest).collect(),
            Some(set) => {
                let members = self.value_or_record(environment.members_to(set, largest as i64));
                let members = members.unwrap_or_default().into_iter();
                members.filter(|n| *n >= 1).map(|n| n as u64).collect()
            }
        };
        let choices: Vec<Vec<u64>> = match amount.share {
            Share::HeapByHeap => {
                let choices: Vec<Vec<u64>> = sizes
                    .iter()
                    .map(|size| {
                        std::iter::once(0)
                            .chain(numbers.range(..=size).copied())
                            .collect()
                    })
                    .collect();
                cartesian_product(&choices)
            }
            Share::Equal => {
                let smallest = sizes.iter().copied().min().unwrap_or(0);
                let numbers = numbers.range(..=smallest);
                numbers.map(|number| vec![*number; sizes.len()]).collect()
            }
        };
        let mut after = Vec::new();
        for taken in choices {
            if taken.iter().all(|number| *number == 0) {
                continue;
            }
            let mut environment = environment.clone();
            if let Some(slot) = amount.bound {
                let value: u64 = match amount.share {
                    Share::HeapByHeap => taken.iter().sum(),
                    Share::Equal => taken[0],
                };
                environment.numbers.insert(slot, value as i64);
            }
            environment.taken = taken;
            if self.allows(action, &environment) {
                for (heap, number) in heaps.iter().zip(&environment.taken) {
                    environment.sizes[heap.index()] -= number;
                }
                environment.taken.clear();
                after.push(environment);
            }
        }
        after
    }

    /// Executes `put`: the same number of tokens on each heap selected.
    fn put<'g>(
        &mut self,
        action: &Action,
        amount: &Expr<Set>,
        environment: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let numbers = self
            .value_or_record(environment.members(amount))
            .unwrap_or_default();
        let mut after = Vec::new();
        for number in numbers.into_iter().filter(|number| *number >= 1) {
            if self.allows(action, environment) {
                let result = with_tokens_put(
                    environment,
                    &selected_heaps(action, environment),
                    number,
                    amount.span,
                );
                after.extend(self.value_or_record(result));
            }
        }
        after
    }

    /// Executes `set`: the new size of each heap selected is the value in the
    /// position before the step, with the size of the heap bound to a name.
    fn set<'g>(&mut self, action: &Action, environment: &Environment<'g>) -> Vec<Environment<'g>> {
        let Action::Set {
            size,
            heap: number,
            value,
            ..
        } = action
        else {
            return Vec::new();
        };
        if !self.allows(action, environment) {
            return Vec::new();
        }
        let mut after = environment.clone();
        for heap in selected_heaps(action, environment) {
            let mut here = environment.with(*size, environment.size(heap));
            if let Some(number) = number {
                here = here.with(*number, heap.index() as i64 + 1);
            }
            let new = here.number(value).and_then(|new| {
                u64::try_from(new).map_err(|_| Fault {
                    kind: Kind::NegativeSize,
                    at: value.span,
                })
            });
            match self.value_or_record(new) {
                Some(new) => after.sizes[heap.index()] = new,
                None => return Vec::new(),
            }
        }
        vec![after]
    }

    /// Executes `slide`: each token selected moves along an arc.
    fn slide<'g>(
        &mut self,
        action: &Action,
        environment: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let game = environment.game;
        let digraph = game.digraph().or(game.tokens_on.as_ref());
        let (true, Some(digraph)) = (self.allows(action, environment), digraph) else {
            return Vec::new();
        };
        let mut environments = vec![environment.clone()];
        for token in selected_heaps(action, environment) {
            environments = self.for_each(environments, |_, environment| {
                let from = digraph.state(environment.sizes[token.index()]);
                let arcs = from.map_or(&[][..], |from| digraph.relation.from(from));
                let along = |to: &u32| {
                    let mut environment = environment.clone();
                    environment.sizes[token.index()] = digraph.number(*to as usize);
                    environment
                };
                arcs.iter().map(along).collect()
            });
        }
        environments
    }

    /// Executes `split`: the tokens of the heap are divided into nonempty heaps.
    fn split<'g>(
        &mut self,
        action: &Action,
        parts: &Parts,
        environment: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let heap = selected_heaps(action, environment)[0];
        match parts {
            Parts::Counted(leaving) => match self.allows(action, environment) {
                true => partitions(environment, heap, *leaving),
                false => Vec::new(),
            },
            Parts::Any => {
                let mut after = Vec::new();
                for sizes in all_partitions(environment.sizes[heap.index()], 1) {
                    let mut divided = environment.clone();
                    divided.taken = sizes;
                    if divided.taken.len() >= 2 && self.allows(action, &divided) {
                        let sizes = std::mem::take(&mut divided.taken);
                        let kind = environment.kinds.get(heap.index()).copied();
                        after.push(replaced_by_parts(&divided, heap, &sizes, kind));
                    }
                }
                after
            }
            Parts::Named(slots) => {
                let tokens = environment.sizes[heap.index()];
                let mut after = Vec::new();
                for sizes in cartesian_product(&vec![(1..=tokens).collect(); slots.len()]) {
                    if sizes.iter().sum::<u64>() != tokens {
                        continue;
                    }
                    let mut named = environment.clone();
                    for (slot, size) in slots.iter().zip(&sizes) {
                        named.numbers.insert(*slot, *size as i64);
                    }
                    if self.allows(action, &named) {
                        let kind = environment.kinds.get(heap.index()).copied();
                        after.push(replaced_by_parts(&named, heap, &sizes, kind));
                    }
                }
                after
            }
        }
    }

    /// Executes `replace`: the heap becomes the heaps written, for all numbers that may be
    /// chosen.
    fn replace<'g>(
        &mut self,
        action: &Action,
        names: &[(Slot, Expr<Set>)],
        by: &[NewHeaps],
        environment: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let heap = selected_heaps(action, environment)[0];
        let mut environments = vec![environment.clone()];
        for (slot, set) in names {
            environments = self.for_each(environments, |moves, environment| {
                let members = environment.members(set);
                let members = moves.value_or_record(members).unwrap_or_default();
                let members = members.into_iter().filter(|member| *member >= 0);
                members
                    .map(|member| environment.with(*slot, member))
                    .collect()
            });
        }
        environments.retain(|environment| self.allows(action, environment));
        self.for_each(environments, |moves, environment| {
            let new = new_heaps(by, &environment, heap)
                .and_then(|new| replaced_by(&environment, heap, &new, action.selection().span));
            moves.value_or_record(new).into_iter().collect()
        })
    }

    /// Whether the `where` of a step holds.
    fn allows(&mut self, action: &Action, environment: &Environment<'_>) -> bool {
        match action.condition() {
            Some(condition) => self.value_or_record(environment.holds(condition)) == Some(true),
            None => true,
        }
    }

    /// The results of a move that are positions of the game.
    /// A multiset has no empty heaps and no order: its heaps are sorted.
    fn positions_of(&mut self, results: Vec<Environment<'_>>) -> BTreeSet<Vec<u64>> {
        let mut positions = BTreeSet::new();
        for result in results {
            let position = match &result.game.position_kind {
                PositionKind::Multiset(kinds) => {
                    let places = (0..result.sizes.len()).filter(|place| result.sizes[*place] > 0);
                    let kind = |place: usize| result.kinds.get(place).copied().unwrap_or(0);
                    let mut heaps: Vec<u64> = places
                        .map(|place| kinds.encode(result.sizes[place], kind(place)))
                        .collect();
                    heaps.sort_unstable();
                    heaps
                }
                PositionKind::Heaps
                | PositionKind::Tokens(_)
                | PositionKind::Reals
                | PositionKind::Open(_) => result.sizes,
            };
            if self.value_or_record(is_position(result.game, &position)) == Some(true) {
                positions.insert(position);
            }
        }
        positions
    }

    /// The results of an operation on each of some environments.
    fn for_each<'g>(
        &mut self,
        environments: Vec<Environment<'g>>,
        mut on: impl FnMut(&mut Moves, Environment<'g>) -> Vec<Environment<'g>>,
    ) -> Vec<Environment<'g>> {
        let mut after = Vec::new();
        for environment in environments {
            after.extend(on(self, environment));
        }
        after
    }

    /// The value, if there is one; otherwise records the fault.
    fn value_or_record<T>(&mut self, value: Result<T, Fault>) -> Option<T> {
        match value {
            Ok(value) => Some(value),
            Err(fault) => {
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
                None
            }
        }
    }
}

/// The sets of heaps that a step may select.
fn selections(
    selection: &Selection,
    environment: &Environment<'_>,
) -> Result<Vec<Vec<HeapId>>, Fault> {
    Ok(match &selection.members {
        Members::Listed(listed) => listed.clone(),
        Members::Relative { to, sets } => sets[environment.selected[to][0].index()].clone(),
        Members::Picked(earlier) => vec![environment.selected[earlier].clone()],
        Members::Counted(counted) => {
            let heap = counted.to.map(|to| environment.selected[&to][0]);
            let count = environment.number(&counted.count)?;
            counted.of(heap, count).to_vec()
        }
        Members::At {
            heaps,
            first,
            index,
        } => vec![vec![environment.heap_at(heaps, *first, index)?]],
        Members::Remaining(left) => {
            let family = match &left.family {
                SetFamily::Consecutive { least, most } => {
                    let mut on_board = nonempty_heaps(environment, OfKind::Any);
                    on_board.retain(|heap| left.board.places().contains(&heap.index()));
                    let around = left.board.arrangement;
                    let sets =
                        (*least..=*most).flat_map(|number| consecutive(&on_board, number, around));
                    sets.collect()
                }
                SetFamily::Listed(sets) => remaining_members(sets, left.board, environment),
            };
            let places: Vec<usize> = (0..family.len()).collect();
            let (least, most) = match left.number {
                Number::Some { least, most } => (least, most),
                Number::All => (family.len().max(1), family.len()),
                Number::AllBut(alone) => (1, family.len().saturating_sub(alone)),
            };
            let chosen = subsets(&places).into_iter();
            let chosen = chosen.filter(|chosen| (least..=most).contains(&chosen.len()));
            let union = |chosen: Vec<usize>| {
                let heaps = chosen.into_iter().flat_map(|place| family[place].clone());
                heaps.collect::<BTreeSet<HeapId>>().into_iter().collect()
            };
            chosen.map(union).collect()
        }
        Members::Multiset { number, kind } => {
            let left = nonempty_heaps(environment, *kind);
            let (least, most) = match number {
                Number::Some { least, most } => (*least, *most),
                Number::All => (left.len().max(1), left.len()),
                Number::AllBut(alone) => (1, left.len().saturating_sub(*alone)),
            };
            subsets(&left)
                .into_iter()
                .filter(|set| (least..=most).contains(&set.len()))
                .collect()
        }
    })
}

/// The heaps that an action has selected.
fn selected_heaps(action: &Action, environment: &Environment<'_>) -> Vec<HeapId> {
    environment.selected[&action.selection().pick].clone()
}

/// The heaps that are not empty, of these kinds.
fn nonempty_heaps(environment: &Environment<'_>, kind: OfKind) -> Vec<HeapId> {
    (0..environment.sizes.len())
        .filter(|place| environment.sizes[*place] > 0)
        .filter(|place| kind.has(environment.kinds.get(*place).copied()))
        .map(HeapId::new)
        .collect()
}

/// The members of a family of sets on a shrinking board, without the empty
/// heaps of the board. Empty members are left out and equal members are merged.
fn remaining_members(
    sets: &[Vec<HeapId>],
    board: ShrinkingBoard,
    environment: &Environment<'_>,
) -> Vec<Vec<HeapId>> {
    let mut members: BTreeSet<Vec<HeapId>> = BTreeSet::new();
    for set in sets {
        let mut there = set.clone();
        there.retain(|heap| {
            environment.sizes[heap.index()] > 0 || !board.places().contains(&heap.index())
        });
        if !there.is_empty() {
            members.insert(there);
        }
    }
    members.into_iter().collect()
}

/// The sets of `number` consecutive heaps among the remaining heaps of a circle
/// or a row; the set of all of them if at most `number` remain.
fn consecutive(left: &[HeapId], number: usize, around: Arrangement) -> Vec<Vec<HeapId>> {
    if left.is_empty() {
        return Vec::new();
    }
    if number >= left.len() {
        return vec![left.to_vec()];
    }
    let starts = match around {
        Arrangement::Circle => left.len(),
        Arrangement::Row => left.len() - number + 1,
    };
    let arc = |start| {
        let places = (start..start + number).map(|place| left[place % left.len()]);
        let mut heaps: Vec<HeapId> = places.collect();
        heaps.sort_unstable();
        heaps
    };
    (0..starts).map(arc).collect()
}

/// The power set.
fn subsets<T: Copy>(all: &[T]) -> Vec<Vec<T>> {
    match all.split_first() {
        None => vec![Vec::new()],
        Some((first, others)) => {
            let without = subsets(others);
            let with = without.iter().map(|set| [&[*first], &set[..]].concat());
            with.chain(without.iter().cloned()).collect()
        }
    }
}

/// The partitions of a heap's tokens into every number of nonempty heaps that
/// `leaving` allows. The parts have no names: they are in descending order.
fn partitions<'g>(
    environment: &Environment<'g>,
    heap: HeapId,
    leaving: Leaving,
) -> Vec<Environment<'g>> {
    let tokens = environment.sizes[heap.index()];
    let kind = leaving
        .kind
        .or(environment.kinds.get(heap.index()).copied());
    let mut after = Vec::new();
    for number in leaving.least..=leaving.most {
        if number == 0 {
            if tokens == 0 {
                after.push(environment.clone());
            }
            continue;
        }
        for sizes in cartesian_product(&vec![(1..=tokens).collect(); number as usize]) {
            let descends = sizes.windows(2).all(|pair| pair[0] >= pair[1]);
            if descends && sizes.iter().sum::<u64>() == tokens {
                after.push(replaced_by_parts(environment, heap, &sizes, kind));
            }
        }
    }
    after
}

/// Replaces a heap by heaps of these sizes, the first of them in its place.
fn replaced_by_parts<'g>(
    environment: &Environment<'g>,
    heap: HeapId,
    sizes: &[u64],
    kind: Option<usize>,
) -> Environment<'g> {
    let mut after = environment.clone();
    after.sizes[heap.index()] = sizes[0];
    if let Some(kind) = kind {
        after.kinds[heap.index()] = kind;
    }
    for size in &sizes[1..] {
        after.sizes.push(*size);
        after.kinds.extend(kind);
    }
    after
}

/// The heaps by which a heap is replaced: their number, size and kind.
fn new_heaps(
    by: &[NewHeaps],
    environment: &Environment<'_>,
    heap: HeapId,
) -> Result<Vec<(i64, u64, Option<usize>)>, Fault> {
    let own = environment.kinds.get(heap.index()).copied();
    by.iter()
        .map(|new| {
            let size = u64::try_from(environment.number(&new.size)?).map_err(|_| Fault {
                kind: Kind::NegativeSize,
                at: new.size.span,
            })?;
            let count = match &new.count {
                Some(count) => environment.number(count)?,
                None => 1,
            };
            Ok((count, size, new.kind.or(own)))
        })
        .collect()
}

/// Replaces a heap by others, the first of them in its place. Without any it is empty.
fn replaced_by<'g>(
    environment: &Environment<'g>,
    heap: HeapId,
    new: &[(i64, u64, Option<usize>)],
    at: Span,
) -> Result<Environment<'g>, Fault> {
    let mut after = environment.clone();
    after.sizes[heap.index()] = 0;
    let mut is_first = true;
    for (count, size, kind) in new {
        for _ in 0..*count {
            if is_first {
                after.sizes[heap.index()] = *size;
                if let Some(kind) = *kind {
                    after.kinds[heap.index()] = kind;
                }
            } else if *size > 0 {
                if after.sizes.len() >= MOST_HEAPS {
                    return Err(Fault {
                        kind: Kind::TooManyHeaps,
                        at,
                    });
                }
                after.sizes.push(*size);
                after.kinds.extend(*kind);
            } else {
                // All other heaps of this size are empty, too.
                break;
            }
            is_first = false;
        }
    }
    Ok(after)
}

/// All ascending lists of numbers from `least` on with this sum.
fn all_partitions(sum: u64, least: u64) -> Vec<Vec<u64>> {
    if sum == 0 {
        return vec![Vec::new()];
    }
    let longer = |first: u64| {
        let others = all_partitions(sum - first, first).into_iter();
        others.map(move |others| [&[first], &others[..]].concat())
    };
    (least..=sum).flat_map(longer).collect()
}

/// The environment after a number of tokens is put on each of some heaps.
fn with_tokens_put<'g>(
    environment: &Environment<'g>,
    heaps: &[HeapId],
    number: i64,
    at: Span,
) -> Result<Environment<'g>, Fault> {
    let mut after = environment.clone();
    for heap in heaps {
        let Some(size) = environment.size(*heap).checked_add(number) else {
            return Err(Fault {
                kind: Kind::Overflow,
                at,
            });
        };
        after.sizes[heap.index()] = size as u64;
    }
    Ok(after)
}

/// The Cartesian product of some lists, in ascending lexicographic order if the
/// lists ascend.
fn cartesian_product(choices: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut rows = vec![Vec::new()];
    for numbers in choices {
        let longer = |row: Vec<u64>| {
            let row = row.clone();
            numbers
                .iter()
                .map(move |number| [&row[..], &[*number]].concat())
        };
        rows = rows.into_iter().flat_map(longer).collect();
    }
    rows
}
