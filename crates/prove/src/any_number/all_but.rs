//! Moves that may change all heaps but a few, of a number of heaps that is left open.
//!
//! Each heap that such a move changes is lowered by itself, so that no heap need be followed: the
//! heaps are counted by what the columns so far tell of them, before and after the move, exactly
//! below a threshold and modulo a period from there on. At the end some heap has changed, and
//! enough of them have not. Empty heaps are counted like others.
//!
//! - *Independence* is reachability: any digits, any heaps that change, any new digits.
//! - *Absorption* is a safety game. The opponent gives the columns; the strategy gives the new
//!   digits, the same for all heaps that are alike in a column, except for a few of them.

use super::claim::{Accepts, CountingClaim};
use super::moves::Moves;
use super::search::{MOST_STATES, Outcome, SafetyGame, capped};
use nimrule_ir as ir;
use nimrule_ir::{MoveGraph, Node, NodeId};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::game::{Convention, Game, Members, Number, PositionKind, Share};
use nimrule_symbolic::Unsupported;
use std::collections::{BTreeMap, BTreeSet};

/// The number of heaps that a move leaves alone at least, and the game in which the same amounts
/// are taken from one heap; `None` if the number of heaps is not left open.
///
/// # Errors
///
/// The move is none that takes from each heap by itself.
pub fn of_one_heap(game: &Game) -> Result<Option<(usize, Game)>, Unsupported> {
    let PositionKind::Open(_) = game.position_kind else {
        return Ok(None);
    };
    let graph = ir::lower(game);
    let mut alternatives = graph.alternatives();
    let alone = match (alternatives.next(), alternatives.next()) {
        (Some((first, at)), None) => all_but(&graph, first).ok_or_else(|| {
            let what = "a move does more than to take from each of any number of heaps by itself";
            Unsupported::new(what, at)
        })?,
        (_, other) => {
            let what = "there are several moves, and the number of heaps is left open";
            let at = other.map_or((0, 0).into(), |(_, at)| at);
            return Err(Unsupported::new(what, at));
        }
    };
    Ok(Some((alone, game.with_moves_of_one_heap())))
}

/// How many heaps a move leaves alone at least that takes from each heap by itself.
fn all_but(graph: &MoveGraph, first: NodeId) -> Option<usize> {
    let Node::Choice {
        members:
            Members::Multiset {
                number: Number::AllBut(alone),
                ..
            },
        ..
    } = graph.node(first)
    else {
        return None;
    };
    let [take] = graph.after(first) else {
        return None;
    };
    let is_plain = matches!(
        graph.node(*take),
        Node::Take(take)
            if take.share == Share::HeapByHeap && take.whole.is_none() && take.leaving.is_none()
    );
    let ends = |next: &[NodeId]| matches!(next, [end] if matches!(graph.node(*end), Node::End));
    (is_plain && ends(graph.after(*take))).then_some(*alone)
}

/// What the columns so far tell of a heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Heap {
    /// The state of the local automaton before and after the move.
    before: usize,
    after: usize,
    /// The state of the relation of the move; `None` if all digits are the same.
    changed: Option<u32>,
}

/// What some columns determine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    /// The number of columns to come; `lookahead` if it is not known.
    left: u8,
    /// The number of heaps of each kind that there is.
    heaps: BTreeMap<Heap, u32>,
    /// The columns of the claim before the move; `None` if the position is outside the set.
    before: Option<Vec<u32>>,
    /// The same after it; `None` if the option is outside the set, or no move leads there.
    after: Option<Vec<u32>>,
    /// Whether a heap is known to be nonempty.
    nonempty: bool,
}

/// What a column does to one side, before or after the move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// The sums of the digits, modulo the modulus of each column of the claim.
    sums: Vec<u32>,
    /// The digit that occurs, by bit; all bits if it is known that another one occurs, or if
    /// it only matters that it is not 0.
    digits: u32,
}

/// A column: its digits before and after, and the heaps after it.
type Column = (Side, Side, BTreeMap<Heap, u32>);

/// The heaps of one kind in a column that have the same digit, and their number.
type Group = (Heap, u8, u32);

/// Why a search ends before it is finished.
enum Stop {
    /// There are too many states or columns.
    TooLarge,
    Limit(LimitExceeded),
}

impl From<LimitExceeded> for Stop {
    fn from(limit: LimitExceeded) -> Stop {
        Stop::Limit(limit)
    }
}

fn check_size(number: usize) -> Result<(), Stop> {
    match number > MOST_STATES {
        true => Err(Stop::TooLarge),
        false => Ok(()),
    }
}

fn finished(found: Result<(Outcome, u64), Stop>) -> Result<(Outcome, u64), LimitExceeded> {
    match found {
        Ok(found) => Ok(found),
        Err(Stop::TooLarge) => Ok((Outcome::TooLarge, 0)),
        Err(Stop::Limit(limit)) => Err(limit),
    }
}

/// The claim and the move, read together.
pub struct AllBut<'c> {
    pub claim: &'c CountingClaim,
    /// The move of one heap.
    pub moves: &'c Moves,
    /// The number of heaps that a move leaves alone at least.
    pub alone: usize,
    /// The number of heaps of the smallest positions.
    pub least: usize,
    pub convention: Convention,
    /// The number of last columns that are announced.
    pub lookahead: u8,
    pub limits: &'c Limits,
}

impl AllBut<'_> {
    /// The threshold and the period of the numbers of heaps with one digit.
    pub fn counted_to(&self) -> (u32, u32) {
        let threshold = self.claim.threshold.max(self.alone as u32).max(1);
        (threshold, self.claim.letter_period)
    }

    /// The number of heaps of which every column after a state acts as one with at most so many:
    /// as many with each pair of digits that each kind of heap may have as are told apart.
    fn cutoff(&self, state: &State) -> u64 {
        let (threshold, period) = self.counted_to();
        let pairs: usize = state.heaps.keys().map(|heap| self.pairs(*heap).len()).sum();
        pairs as u64 * u64::from(threshold + period - 1)
    }

    /// The digits that a heap may have in a column before and after the move.
    fn pairs(&self, heap: Heap) -> Vec<(u8, u8)> {
        let digits = || 0..self.claim.base;
        let all = digits().flat_map(|old| digits().map(move |new| (old, new)));
        all.filter(|both| self.next(heap, *both).is_some())
            .collect()
    }

    fn capped(&self, number: u32) -> u32 {
        capped(number, self.counted_to().0, self.claim.period)
    }

    /// The states before the first column: one for each number of heaps that is told apart.
    fn starts(&self) -> Vec<State> {
        let (threshold, _) = self.counted_to();
        // From the threshold on every remainder occurs, however large the least number is.
        let from = self.least.min(threshold as usize) as u32;
        let unread = Heap {
            before: 0,
            after: 0,
            changed: None,
        };
        let start = |number| State {
            left: self.lookahead,
            heaps: BTreeMap::from([(unread, number)]),
            before: Some(self.claim.start()),
            after: Some(self.claim.start()),
            nonempty: false,
        };
        (from..threshold + self.claim.period).map(start).collect()
    }

    /// Whether a position without tokens is in the set.
    pub fn has_empty(&self) -> bool {
        self.starts().into_iter().any(|mut state| {
            while state.left > 0 {
                let mut column = self.nothing();
                for (heap, number) in &state.heaps {
                    self.add(&mut column, (*heap, *number), (0, 0));
                }
                let left = state.left - 1;
                state = self.after(&state, left, column);
            }
            self.was_in_set(&state)
        })
    }

    fn nothing(&self) -> Column {
        let side = Side {
            sums: vec![0; self.claim.columns.len()],
            digits: 0,
        };
        (side.clone(), side, BTreeMap::new())
    }

    /// The heap after these digits, before and after the move; `None` if no move changes a heap
    /// so.
    fn next(&self, heap: Heap, (old, new): (u8, u8)) -> Option<Heap> {
        let next = |state: usize, digit: u8| self.claim.next[state][usize::from(digit)];
        let changed = match heap.changed {
            None if old == new => None,
            changed => {
                let state = changed.unwrap_or_else(|| self.moves.relation.start());
                let state = self.moves.after(state, &[(old, new)]);
                if !self.moves.is_open[state as usize] {
                    return None;
                }
                Some(state)
            }
        };
        Some(Heap {
            before: next(heap.before, old),
            after: next(heap.after, new),
            changed,
        })
    }

    /// Adds so many heaps with these digits to a column. Returns whether a move changes them so.
    fn add(&self, column: &mut Column, (heap, number): (Heap, u32), digits: (u8, u8)) -> bool {
        if number == 0 {
            return true;
        }
        let Some(next) = self.next(heap, digits) else {
            return false;
        };
        let mut of_claim = self.claim.columns.iter();
        let compares = of_claim.any(|column| matches!(column.accepts, Accepts::Equal));
        let (before, after, heaps) = column;
        for (side, digit) in [(before, digits.0), (after, digits.1)] {
            for (sum, of) in side.sums.iter_mut().zip(&self.claim.columns) {
                *sum = (*sum + u32::from(digit) * number) % of.modulus;
            }
            side.digits |= match compares || digit == 0 {
                true => 1 << digit,
                false => u32::MAX,
            };
            if side.digits.count_ones() > 1 {
                side.digits = u32::MAX;
            }
        }
        let there = heaps.entry(next).or_default();
        *there = self.capped(*there + number);
        true
    }

    /// The columns of the claim after one side of a column.
    fn read(&self, columns: &[u32], side: &Side, left: u8) -> Vec<u32> {
        let all = side.sums.iter().zip(&self.claim.columns);
        let sums = all.map(|(sum, column)| match column.accepts {
            Accepts::Equal => u32::from(side.digits.count_ones() <= 1),
            Accepts::Places(_) | Accepts::Residues(_) => *sum,
        });
        let known = (left < self.lookahead).then_some(left);
        self.claim.column(columns, &sums.collect::<Vec<_>>(), known)
    }

    /// The number of heaps in a state of the local automaton.
    fn number<'n>(
        &'n self,
        heaps: &'n BTreeMap<Heap, u32>,
        state_of: fn(&Heap) -> usize,
    ) -> impl Fn(usize) -> u32 + use<'n> {
        move |state| {
            let there = heaps.iter().filter(|(heap, _)| state_of(heap) == state);
            self.capped(there.map(|(_, number)| *number).sum())
        }
    }

    /// The state after a column. What cannot matter any more is forgotten.
    fn after(&self, state: &State, left: u8, (before, after, heaps): Column) -> State {
        let mut next = State {
            left,
            before: (state.before.as_ref()).map(|columns| self.read(columns, &before, left)),
            after: (state.after.as_ref()).map(|columns| self.read(columns, &after, left)),
            nonempty: state.nonempty || before.digits > 1,
            heaps,
        };
        let is_outside = |columns: &Option<Vec<u32>>, state_of: fn(&Heap) -> usize| {
            columns.as_ref().is_none_or(|columns| {
                let number = self.number(&next.heaps, state_of);
                self.claim.settled(columns, &number) == Some(false)
            })
        };
        let lost = (
            is_outside(&next.before, |heap| heap.before),
            is_outside(&next.after, |heap| heap.after),
        );
        if lost.0 {
            next.before = None;
        }
        if lost.1 {
            next.after = None;
        }
        if lost.0 || lost.1 {
            let mut merged: BTreeMap<Heap, u32> = BTreeMap::new();
            for (mut heap, number) in std::mem::take(&mut next.heaps) {
                if lost.0 {
                    heap.before = 0;
                }
                if lost.1 {
                    (heap.after, heap.changed) = (0, None);
                }
                let there = merged.entry(heap).or_default();
                *there = self.capped(*there + number);
            }
            next.heaps = merged;
        }
        next
    }

    fn was_in_set(&self, state: &State) -> bool {
        state.before.as_ref().is_some_and(|columns| {
            let number = self.number(&state.heaps, |heap| heap.before);
            self.claim.holds(columns, &number)
        })
    }

    /// Whether a move leads to the option, which is in the set.
    fn leads_into_set(&self, state: &State) -> bool {
        let (mut same, mut changed) = (0, 0);
        for (heap, number) in &state.heaps {
            match heap.changed {
                None => same += number,
                Some(at) if self.moves.relation.is_accepting(at) => changed += number,
                Some(_) => return false,
            }
        }
        let is_move = same as usize >= self.alone && changed > 0;
        is_move
            && state.after.as_ref().is_some_and(|columns| {
                let number = self.number(&state.heaps, |heap| heap.after);
                self.claim.holds(columns, &number)
            })
    }

    /// The numbers of columns that may follow the next one.
    fn lefts(&self, state: &State) -> Vec<u8> {
        match state.left == self.lookahead {
            true => vec![state.left, state.left - 1],
            false => vec![state.left - 1],
        }
    }

    /// Divides so many heaps over digits, one after the other: `add` adds a number of heaps with
    /// a digit to what has been made of each of some beginnings.
    fn divided<T: Clone + Ord, D: Copy>(
        &self,
        beginnings: BTreeSet<T>,
        number: u32,
        digits: &[D],
        add: impl Fn(&mut T, u32, D),
    ) -> Result<BTreeSet<T>, Stop> {
        let (threshold, period) = self.counted_to();
        let mut all: BTreeSet<(T, u32)> = beginnings.into_iter().map(|made| (made, 0)).collect();
        for digit in digits {
            let mut longer = BTreeSet::new();
            for (made, sum) in &all {
                self.limits.check_work(Steps(2))?;
                for one in 0..threshold + period {
                    let sum = self.capped(sum + one);
                    // What exceeds an exact number does not become less.
                    if number < threshold && sum > number {
                        break;
                    }
                    let mut made = made.clone();
                    add(&mut made, one, *digit);
                    longer.insert((made, sum));
                }
                check_size(longer.len())?;
            }
            all = longer;
        }
        let fits = all.into_iter().filter(|(_, sum)| *sum == number);
        Ok(fits.map(|(made, _)| made).collect())
    }

    /// Whether no move leads from the set into the set; with the states the cut-off.
    pub fn independence(&self) -> Result<(Outcome, u64), LimitExceeded> {
        finished(self.independent())
    }

    /// Whether a strategy finds a move from every position outside the set into the set; with
    /// the states the cut-off.
    pub fn absorption(&self) -> Result<(Outcome, u64), LimitExceeded> {
        finished(self.absorbing())
    }

    fn independent(&self) -> Result<(Outcome, u64), Stop> {
        let starts = self.starts();
        let mut seen: BTreeSet<State> = starts.iter().cloned().collect();
        let mut cutoff = 0;
        let mut open = starts;
        while let Some(state) = open.pop() {
            if state.left == 0 {
                if self.was_in_set(&state) && self.leads_into_set(&state) {
                    return Ok((Outcome::Fails, 0));
                }
                continue;
            }
            cutoff = cutoff.max(self.cutoff(&state));
            let mut columns = BTreeSet::from([self.nothing()]);
            for (heap, number) in &state.heaps {
                let pairs = self.pairs(*heap);
                columns = self.divided(columns, *number, &pairs, |column, number, both| {
                    self.add(column, (*heap, number), both);
                })?;
            }
            for column in columns {
                self.limits.check_work(Steps(2))?;
                for left in self.lefts(&state) {
                    let next = self.after(&state, left, column.clone());
                    let is_possible = next.before.is_some() && next.after.is_some();
                    if is_possible && seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
            check_size(seen.len())?;
        }
        Ok((Outcome::Holds(seen.len()), cutoff))
    }

    fn absorbing(&self) -> Result<(Outcome, u64), Stop> {
        let mut cutoff = 0;
        let mut game = SafetyGame::default();
        let roots: Vec<usize> = (self.starts().into_iter())
            .map(|start| game.add(start))
            .collect();
        let mut open = roots.clone();
        while let Some(at) = open.pop() {
            if game.is_lost[at] {
                continue;
            }
            let state = game.states[at].clone();
            if state.left == 0 {
                let is_terminal = self.convention == Convention::Misere && !state.nonempty;
                if !(is_terminal || self.was_in_set(&state) || self.leads_into_set(&state)) {
                    game.lose(at, &mut open);
                }
                continue;
            }
            cutoff = cutoff.max(self.cutoff(&state));
            let mut chosen = BTreeSet::new();
            let mut new = Vec::new();
            'columns: for column in self.old_columns(&state)? {
                for left in self.lefts(&state) {
                    match self.choose(&state, left, &column, &mut game, &mut new)? {
                        Some(next) => chosen.extend(next),
                        None => {
                            game.lose(at, &mut open);
                            break 'columns;
                        }
                    }
                }
            }
            if roots.iter().any(|root| game.is_lost[*root]) {
                return Ok((Outcome::Fails, 0));
            }
            check_size(game.states.len())?;
            open.append(&mut new);
            if !game.is_lost[at] {
                game.choose(at, chosen);
            }
        }
        Ok((Outcome::Holds(game.reached(&roots)), cutoff))
    }

    /// The columns of the position before the move.
    fn old_columns(&self, state: &State) -> Result<BTreeSet<Vec<Group>>, Stop> {
        let digits: Vec<u8> = (0..self.claim.base).collect();
        let mut all = BTreeSet::from([Vec::new()]);
        for (heap, number) in &state.heaps {
            all = self.divided(all, *number, &digits, |column, number, digit| {
                column.extend((number > 0).then_some((*heap, digit, number)));
            })?;
        }
        Ok(all)
    }

    /// Chooses the new digits of a column, so that no state that may follow is known to be lost:
    /// states that have been met, if there are such digits. New ones are added to `new`.
    fn choose(
        &self,
        state: &State,
        left: u8,
        column: &[Group],
        game: &mut SafetyGame<State>,
        new: &mut Vec<usize>,
    ) -> Result<Option<Vec<usize>>, Stop> {
        let mut first = None;
        for nexts in self.answers(state, left, column)? {
            self.limits.check_work(Steps(2))?;
            let is_lost = |next: &State| {
                let is_decided = next.before.is_none() && next.after.is_none() && next.nonempty;
                is_decided || game.index.get(next).is_some_and(|at| game.is_lost[*at])
            };
            if nexts.iter().any(is_lost) {
                continue;
            }
            let known = nexts.iter().map(|next| game.index.get(next).copied());
            if let Some(known) = known.collect() {
                return Ok(Some(known));
            }
            first.get_or_insert(nexts);
        }
        Ok(first.map(|nexts| {
            let mut places = Vec::new();
            for next in nexts {
                let known = game.index.get(&next).copied();
                places.push(known.unwrap_or_else(|| {
                    let place = game.add(next);
                    new.push(place);
                    place
                }));
            }
            places
        }))
    }

    /// The states that may follow each choice of new digits: the same for all heaps of a group,
    /// or another one for a few heaps of one group.
    fn answers(&self, state: &State, left: u8, column: &[Group]) -> Result<Vec<Vec<State>>, Stop> {
        if state.after.is_none() {
            // The new digits do not matter.
            let mut same = self.nothing();
            for (heap, digit, number) in column {
                self.add(&mut same, (*heap, *number), (*digit, *digit));
            }
            return Ok(vec![vec![self.after(state, left, same)]]);
        }
        let fits = |(heap, old, _): &Group| -> Vec<u8> {
            let new = (0..self.claim.base).filter(|new| self.next(*heap, (*old, *new)).is_some());
            new.collect()
        };
        let digits: Vec<Vec<u8>> = column.iter().map(fits).collect();
        let mut bulks: Vec<Vec<u8>> = vec![Vec::new()];
        for digits in &digits {
            let longer = bulks.iter().flat_map(|bulk| {
                digits
                    .iter()
                    .map(move |digit| [bulk.as_slice(), &[*digit]].concat())
            });
            bulks = longer.collect();
            check_size(bulks.len())?;
        }
        let mut answers = Vec::new();
        // The numbers of the groups with the digits that they get.
        let answer = |cells: &[(Heap, u32, (u8, u8))]| {
            let mut next = self.nothing();
            for (heap, number, both) in cells {
                self.add(&mut next, (*heap, *number), *both);
            }
            self.after(state, left, next)
        };
        let cells = |bulk: &[u8]| -> Vec<(Heap, u32, (u8, u8))> {
            let groups = column.iter().zip(bulk);
            groups
                .map(|((heap, old, number), new)| (*heap, *number, (*old, *new)))
                .collect()
        };
        answers.extend(bulks.iter().map(|bulk| vec![answer(&cells(bulk))]));
        let mut exceptions = Vec::new();
        for bulk in &bulks {
            for (group, digits) in digits.iter().enumerate() {
                for other in digits.iter().filter(|other| **other != bulk[group]) {
                    let few = 1..=self.alone as u32;
                    exceptions.extend(few.map(|few| (bulk, group, *other, few)));
                }
            }
        }
        for (bulk, group, other, few) in exceptions {
            self.limits.check_work(Steps(2))?;
            let (heap, old, number) = column[group];
            let rests = self.less(number, few);
            if rests.is_empty() {
                continue;
            }
            let next = rests.into_iter().map(|rest| {
                let mut cells = cells(bulk);
                cells[group].1 = rest;
                cells.push((heap, few, (old, other)));
                answer(&cells)
            });
            answers.push(next.collect());
        }
        Ok(answers)
    }

    /// What a number may be without a few heaps; nothing if it may be too small.
    fn less(&self, number: u32, few: u32) -> BTreeSet<u32> {
        let (threshold, period) = self.counted_to();
        let numbers = match number < threshold {
            true => number..=number,
            false => number..=number + few.div_ceil(period) * period,
        };
        let numbers = numbers.step_by(period as usize);
        let rests: Option<BTreeSet<u32>> = numbers
            .map(|number| Some(capped(number.checked_sub(few)?, threshold, period)))
            .collect();
        rests.unwrap_or_default()
    }
}
