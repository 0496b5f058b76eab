//! Positions and moves: chapters "Positions", "Moves", "Heaps and families",
//! "Boards", "Bags", "Relations" and "Two players" of the reference.

use crate::{Environment, Fault};
use nimrule_model::board::shrinking::ShrinkingBoard;
use nimrule_model::expr::{Expr, Fault as Kind, HeapId, Num, Part, Set};
use nimrule_model::game::{
    Action, Around, Field, ForSome, Game, Leaving, LeftFamily, Members, Move, Number, Parts,
    Selection, Share, Side, Step,
};
use nimrule_model::source::Span;
use std::collections::BTreeSet;

/// The options of a position, and every fault on the way to them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Moves {
    pub options: BTreeSet<Vec<u64>>,
    pub faults: Vec<Fault>,
}

/// Whether a row of sizes is a position of the game: what `positions where`
/// says.
pub fn is_position(game: &Game, position: &[u64]) -> Result<bool, Fault> {
    match &game.positions {
        Some(condition) => Environment::new(game, position).holds(condition),
        None => Ok(true),
    }
}

/// The options of a position: those of `side` alone, or those of both.
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

/// The options of a position, whatever faults there are beside them.
pub fn moves(game: &Game, position: &[u64], side: Option<Side>) -> Moves {
    let mut found = Moves::default();
    let start = Environment::new(game, position);
    for mover in &game.moves {
        let may_move = match (side, mover.side) {
            (Some(side), Some(whose)) => side == whose,
            _ => true,
        };
        if may_move {
            let ends = found.by_move(mover, &start);
            found.keep_positions(ends);
        }
    }
    found
}

/// The positions of a box, in ascending lexicographic order: every heap holds
/// at most `most` tokens; a multiset has at most `most` in all; tokens are on
/// the first `most + 1` vertices.
pub fn positions(game: &Game, most: u64) -> Result<Vec<Vec<u64>>, Fault> {
    let mut rows: Vec<Vec<u64>> = match &game.field {
        Field::Heaps | Field::Reals => rows(&vec![(0..=most).collect(); game.heap_count()]),
        Field::Tokens(digraph) => {
            let vertices = (0..digraph.len()).take(most as usize + 1);
            let numbers: Vec<u64> = vertices.map(|state| digraph.number(state)).collect();
            rows(&vec![numbers; game.heap_count()])
        }
        Field::Bag(kinds) => {
            let mut multisets: BTreeSet<Vec<u64>> = BTreeSet::from([Vec::new()]);
            // A heap is added to a multiset in every way that there is room for.
            let mut new: Vec<Vec<u64>> = vec![Vec::new()];
            while let Some(heaps) = new.pop() {
                let tokens: u64 = heaps.iter().map(|heap| kinds.decoded(*heap).0).sum();
                for size in 1..=most - tokens {
                    for kind in 0..kinds.count() as usize {
                        let mut larger = heaps.clone();
                        larger.push(kinds.coded(size, kind));
                        larger.sort_unstable();
                        if multisets.insert(larger.clone()) {
                            new.push(larger);
                        }
                    }
                }
            }
            multisets.into_iter().collect()
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

/// Up to where a set without end is looked through in a position, which no
/// program can do to its end. It is far beyond any number at which a condition
/// changes that compares the number chosen with sums of constants and heaps,
/// or with their multiples by constants of the rule.
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
    /// What a move makes of a position: the numbers of `for some` are chosen
    /// one after another, and the steps are composed.
    fn by_move<'g>(&mut self, mover: &Move, start: &Environment<'g>) -> Vec<Environment<'g>> {
        if let Some(when) = &mover.when
            && self.noted(start.holds(when)) != Some(true)
        {
            return Vec::new();
        }
        let mut ways = vec![start.clone()];
        for choice in &mover.choices {
            ways = self.each(ways, |moves, way| moves.choose(mover, choice, &way));
        }
        for step in &mover.steps {
            ways = self.by_step(step, ways);
        }
        ways
    }

    /// Chooses the number of a `for some`.
    fn choose<'g>(
        &mut self,
        mover: &Move,
        choice: &ForSome,
        way: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let members = match &choice.set.node {
            Set::Range(_, None) | Set::Squares | Set::Powers(_) => {
                way.members_to(&choice.set, cutoff(mover, way))
            }
            Set::Range(..) | Set::Items(_) | Set::List(_) => way.members(&choice.set),
        };
        let members = self.noted(members).unwrap_or_default();
        let ways = members
            .into_iter()
            .map(|value| way.with(choice.slot, value));
        ways.filter(|way| match &choice.condition {
            Some(condition) => self.noted(way.holds(condition)) == Some(true),
            None => true,
        })
        .collect()
    }

    /// A step as often as it may be done: the action composed with itself.
    fn by_step<'g>(&mut self, step: &Step, before: Vec<Environment<'g>>) -> Vec<Environment<'g>> {
        let mut after = Vec::new();
        let mut ways = before;
        for times in 0..=step.most {
            if times >= step.least {
                after.extend(ways.iter().cloned());
            }
            if times < step.most {
                ways = self.each(ways, |moves, way| moves.by_action(&step.action, &way));
            }
        }
        after
    }

    /// An action, done once, to every set of heaps that it may select.
    fn by_action<'g>(&mut self, action: &Action, way: &Environment<'g>) -> Vec<Environment<'g>> {
        let selection = action.selection();
        let selected = self.noted(selected(selection, way)).unwrap_or_default();
        let ways = selected.into_iter().map(|heaps| {
            let mut way = way.clone();
            way.taken.clear();
            way.selected.insert(selection.pick, heaps);
            way
        });
        self.each(ways.collect(), |moves, way| match action {
            Action::Take { leaving, .. } => {
                let taken = moves.take(action, &way);
                match leaving {
                    None => taken,
                    Some(leaving) => {
                        let heap = chosen(action, &way)[0];
                        let parts = |way: Environment<'g>| left_over(&way, heap, *leaving);
                        taken.into_iter().flat_map(parts).collect()
                    }
                }
            }
            Action::Put { amount, .. } => moves.put(action, amount, &way),
            Action::Slide { .. } => moves.slide(action, &way),
            Action::Split { parts, .. } => moves.split(action, parts, &way),
        })
    }

    /// `take`: q = p - d for the numbers d that the step allows.
    fn take<'g>(&mut self, action: &Action, way: &Environment<'g>) -> Vec<Environment<'g>> {
        let Action::Take { amount, .. } = action else {
            return Vec::new();
        };
        let heaps = chosen(action, way);
        let sizes: Vec<u64> = heaps.iter().map(|heap| way.sizes[heap.index()]).collect();
        let largest = sizes.iter().copied().max().unwrap_or(0);
        // The numbers from 1 to the largest heap that may be taken from a heap.
        let numbers: BTreeSet<u64> = match &amount.numbers {
            None => (1..=largest).collect(),
            Some(set) => {
                let members = self.noted(way.members_to(set, largest as i64));
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
                rows(&choices)
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
            let mut way = way.clone();
            if let Some(slot) = amount.bound {
                let value: u64 = match amount.share {
                    Share::HeapByHeap => taken.iter().sum(),
                    Share::Equal => taken[0],
                };
                way.numbers.insert(slot, value as i64);
            }
            way.taken = taken;
            if self.allows(action, &way) {
                for (heap, number) in heaps.iter().zip(&way.taken) {
                    way.sizes[heap.index()] -= number;
                }
                way.taken.clear();
                after.push(way);
            }
        }
        after
    }

    /// `put`: the same number on each heap selected.
    fn put<'g>(
        &mut self,
        action: &Action,
        amount: &Expr<Set>,
        way: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let numbers = self.noted(way.members(amount)).unwrap_or_default();
        let mut after = Vec::new();
        for number in numbers.into_iter().filter(|number| *number >= 1) {
            if self.allows(action, way) {
                let raised = raised(way, &chosen(action, way), number, amount.span);
                after.extend(self.noted(raised));
            }
        }
        after
    }

    /// `slide`: each token selected goes along an arc.
    fn slide<'g>(&mut self, action: &Action, way: &Environment<'g>) -> Vec<Environment<'g>> {
        let (true, Some(digraph)) = (self.allows(action, way), way.game.digraph()) else {
            return Vec::new();
        };
        let mut ways = vec![way.clone()];
        for token in chosen(action, way) {
            ways = self.each(ways, |_, way| {
                let from = digraph.state(way.sizes[token.index()]);
                let arcs = from.map_or(&[][..], |from| digraph.relation.from(from));
                let along = |to: &u32| {
                    let mut way = way.clone();
                    way.sizes[token.index()] = digraph.number(*to as usize);
                    way
                };
                arcs.iter().map(along).collect()
            });
        }
        ways
    }

    /// `split`: what the heap holds is put into heaps that are not empty.
    fn split<'g>(
        &mut self,
        action: &Action,
        parts: &Parts,
        way: &Environment<'g>,
    ) -> Vec<Environment<'g>> {
        let heap = chosen(action, way)[0];
        match parts {
            Parts::Counted(leaving) => match self.allows(action, way) {
                true => left_over(way, heap, *leaving),
                false => Vec::new(),
            },
            Parts::Named(slots) => {
                let tokens = way.sizes[heap.index()];
                let mut after = Vec::new();
                for sizes in rows(&vec![(1..=tokens).collect(); slots.len()]) {
                    if sizes.iter().sum::<u64>() != tokens {
                        continue;
                    }
                    let mut named = way.clone();
                    for (slot, size) in slots.iter().zip(&sizes) {
                        named.numbers.insert(*slot, *size as i64);
                    }
                    if self.allows(action, &named) {
                        let kind = way.kinds.get(heap.index()).copied();
                        after.push(in_place_of(&named, heap, &sizes, kind));
                    }
                }
                after
            }
        }
    }

    /// Whether the `where` of a step holds.
    fn allows(&mut self, action: &Action, way: &Environment<'_>) -> bool {
        match action.condition() {
            Some(condition) => self.noted(way.holds(condition)) == Some(true),
            None => true,
        }
    }

    /// An option is a position of the game; in a multiset empty heaps are not
    /// there, and the order says nothing.
    fn keep_positions(&mut self, ends: Vec<Environment<'_>>) {
        for end in ends {
            let position = match &end.game.field {
                Field::Bag(kinds) => {
                    let places = (0..end.sizes.len()).filter(|place| end.sizes[*place] > 0);
                    let kind = |place: usize| end.kinds.get(place).copied().unwrap_or(0);
                    let mut heaps: Vec<u64> = places
                        .map(|place| kinds.coded(end.sizes[place], kind(place)))
                        .collect();
                    heaps.sort_unstable();
                    heaps
                }
                Field::Heaps | Field::Tokens(_) | Field::Reals => end.sizes,
            };
            if self.noted(is_position(end.game, &position)) == Some(true) {
                self.options.insert(position);
            }
        }
    }

    /// Every way from each of these.
    fn each<'g>(
        &mut self,
        ways: Vec<Environment<'g>>,
        mut on: impl FnMut(&mut Moves, Environment<'g>) -> Vec<Environment<'g>>,
    ) -> Vec<Environment<'g>> {
        let mut after = Vec::new();
        for way in ways {
            after.extend(on(self, way));
        }
        after
    }

    /// The value, if there is one; otherwise the fault is noted.
    fn noted<T>(&mut self, value: Result<T, Fault>) -> Option<T> {
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
fn selected(selection: &Selection, way: &Environment<'_>) -> Result<Vec<Vec<HeapId>>, Fault> {
    Ok(match &selection.members {
        Members::Listed(listed) => listed.clone(),
        Members::Picked(earlier) => vec![way.selected[earlier].clone()],
        Members::At {
            heaps,
            first,
            index,
        } => vec![vec![way.heap_at(heaps, *first, index)?]],
        Members::Left(left) => {
            let family = match &left.family {
                LeftFamily::Consecutive { least, most } => {
                    let mut on_board = heaps_left(way, None);
                    on_board.retain(|heap| left.board.places().contains(&heap.index()));
                    let around = left.board.around;
                    let sets =
                        (*least..=*most).flat_map(|number| consecutive(&on_board, number, around));
                    sets.collect()
                }
                LeftFamily::Listed(sets) => members_there(sets, left.board, way),
            };
            let places: Vec<usize> = (0..family.len()).collect();
            let (least, most) = match left.number {
                Number::Some { least, most } => (least, most),
                Number::All => (family.len().max(1), family.len()),
            };
            let chosen = subsets(&places).into_iter();
            let chosen = chosen.filter(|chosen| (least..=most).contains(&chosen.len()));
            let union = |chosen: Vec<usize>| {
                let heaps = chosen.into_iter().flat_map(|place| family[place].clone());
                heaps.collect::<BTreeSet<HeapId>>().into_iter().collect()
            };
            chosen.map(union).collect()
        }
        Members::Bag { number, kind } => {
            let left = heaps_left(way, *kind);
            let (least, most) = match number {
                Number::Some { least, most } => (*least, *most),
                Number::All => (left.len().max(1), left.len()),
            };
            subsets(&left)
                .into_iter()
                .filter(|set| (least..=most).contains(&set.len()))
                .collect()
        }
    })
}

/// The heaps that an action has selected.
fn chosen(action: &Action, way: &Environment<'_>) -> Vec<HeapId> {
    way.selected[&action.selection().pick].clone()
}

/// The heaps that are not empty.
fn heaps_left(way: &Environment<'_>, kind: Option<usize>) -> Vec<HeapId> {
    (0..way.sizes.len())
        .filter(|place| way.sizes[*place] > 0)
        .filter(|place| kind.is_none_or(|kind| way.kinds.get(*place) == Some(&kind)))
        .map(HeapId::new)
        .collect()
}

/// The different members of a family on a shrinking board, without its heaps
/// that are empty; a member of which nothing is left is none.
fn members_there(
    sets: &[Vec<HeapId>],
    board: ShrinkingBoard,
    way: &Environment<'_>,
) -> Vec<Vec<HeapId>> {
    let mut members: BTreeSet<Vec<HeapId>> = BTreeSet::new();
    for set in sets {
        let mut there = set.clone();
        there.retain(|heap| way.sizes[heap.index()] > 0 || !board.places().contains(&heap.index()));
        if !there.is_empty() {
            members.insert(there);
        }
    }
    members.into_iter().collect()
}

/// The sets of so many neighbours among the heaps left on a circle or a row;
/// all of them, where no more are left.
fn consecutive(left: &[HeapId], number: usize, around: Around) -> Vec<Vec<HeapId>> {
    if left.is_empty() {
        return Vec::new();
    }
    if number >= left.len() {
        return vec![left.to_vec()];
    }
    let starts = match around {
        Around::Circle => left.len(),
        Around::Row => left.len() - number + 1,
    };
    let arc = |start| {
        let places = (start..start + number).map(|place| left[place % left.len()]);
        let mut heaps: Vec<HeapId> = places.collect();
        heaps.sort_unstable();
        heaps
    };
    (0..starts).map(arc).collect()
}

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

/// What is left of a heap, in every number of heaps allowed and every way to
/// divide it. The parts have no names: the first of them is the largest.
fn left_over<'g>(way: &Environment<'g>, heap: HeapId, leaving: Leaving) -> Vec<Environment<'g>> {
    let tokens = way.sizes[heap.index()];
    let kind = leaving.kind.or(way.kinds.get(heap.index()).copied());
    let mut after = Vec::new();
    for number in leaving.least..=leaving.most {
        if number == 0 {
            if tokens == 0 {
                after.push(way.clone());
            }
            continue;
        }
        for sizes in rows(&vec![(1..=tokens).collect(); number as usize]) {
            let descends = sizes.windows(2).all(|pair| pair[0] >= pair[1]);
            if descends && sizes.iter().sum::<u64>() == tokens {
                after.push(in_place_of(way, heap, &sizes, kind));
            }
        }
    }
    after
}

/// Puts heaps of these sizes in a heap's place, the first of them under its
/// name.
fn in_place_of<'g>(
    way: &Environment<'g>,
    heap: HeapId,
    sizes: &[u64],
    kind: Option<usize>,
) -> Environment<'g> {
    let mut after = way.clone();
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

/// Puts a number of tokens on each of these heaps.
fn raised<'g>(
    way: &Environment<'g>,
    heaps: &[HeapId],
    number: i64,
    at: Span,
) -> Result<Environment<'g>, Fault> {
    let mut after = way.clone();
    for heap in heaps {
        let Some(size) = way.size(*heap).checked_add(number) else {
            return Err(Fault {
                kind: Kind::Overflow,
                at,
            });
        };
        after.sizes[heap.index()] = size as u64;
    }
    Ok(after)
}

/// Every row that has one of the numbers given for each of its places, in
/// ascending lexicographic order if these ascend.
fn rows(choices: &[Vec<u64>]) -> Vec<Vec<u64>> {
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
