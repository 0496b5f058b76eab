//! Tables: an answer for every position of a region, which is a box of heaps
//! or, where positions fill no box, a list.

use super::table_checkpoint::Prefix;
use super::{Limits, Query, Question, SolveError, Solver, Work};
use nimrule_ir::Walker;
use nimrule_model::digraph::Digraph;
use nimrule_model::game::Game;
use std::sync::Arc;

/// Who wins. Where both players have the same moves a position is N or P, or D
/// where play need not end.
pub use nimrule_model::game::Class as Outcome;

/// The positions whose heaps are at most these, in lexicographic order: the
/// last heap changes fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub most: Vec<u64>,
    pub strides: Vec<usize>,
    pub len: usize,
}

impl Shape {
    /// How many positions such a box has.
    pub fn count(most: &[u64]) -> u128 {
        most.iter()
            .try_fold(1_u128, |count, size| {
                count.checked_mul(u128::from(*size) + 1)
            })
            .unwrap_or(u128::MAX)
    }

    /// `None` where there are more positions than memory has places.
    pub fn new(most: &[u64]) -> Option<Shape> {
        let len = usize::try_from(Shape::count(most))
            .ok()
            .filter(|len| *len <= isize::MAX as usize)?;
        let mut strides = vec![1; most.len()];
        for place in (0..most.len().saturating_sub(1)).rev() {
            strides[place] = strides[place + 1] * (usize::try_from(most[place + 1]).ok()? + 1);
        }
        Some(Shape {
            most: most.to_vec(),
            strides,
            len,
        })
    }

    /// The position's place, if it lies in the box.
    pub fn place(&self, position: &[u64]) -> Option<usize> {
        let mut place = 0;
        for ((size, most), stride) in position.iter().zip(&self.most).zip(&self.strides) {
            if size > most {
                return None;
            }
            place += *size as usize * stride;
        }
        Some(place)
    }

    /// The position at a place.
    pub fn at(&self, place: usize) -> Vec<u64> {
        let sizes = self.strides.iter().zip(&self.most);
        sizes
            .map(|(stride, most)| (place / stride) as u64 % (most + 1))
            .collect()
    }

    /// Steps to the next position; false at the end.
    pub fn advance(&self, position: &mut [u64]) -> bool {
        for (size, most) in position.iter_mut().zip(&self.most).rev() {
            if *size < *most {
                *size += 1;
                return true;
            }
            *size = 0;
        }
        false
    }

    /// Calls `f` with every position and its place, in order, while it
    /// returns `Ok`.
    pub fn try_each<E>(&self, mut f: impl FnMut(&[u64], usize) -> Result<(), E>) -> Result<(), E> {
        self.try_each_from(0, &mut f)
    }

    /// The same from a place on, which may be the end.
    pub fn try_each_from<E>(
        &self,
        first: usize,
        mut f: impl FnMut(&[u64], usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if first >= self.len {
            return Ok(());
        }
        let mut position = self.at(first);
        for place in first..self.len {
            f(&position, place)?;
            self.advance(&mut position);
        }
        Ok(())
    }
}

/// Positions that are answered about together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Region {
    /// Every heap from 0 to its most.
    Box(Shape),
    /// Positions that fill no box.
    List(PositionList),
    /// Tokens on the vertices of a digraph.
    Placements(Placements),
}

/// All ways for tokens to stand on the first vertices of a digraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placements {
    pub digraph: Arc<Digraph>,
    /// The states of the vertices, token by token.
    pub shape: Shape,
}

impl Placements {
    /// Are these all positions of the game?
    pub fn are_all(&self) -> bool {
        let last = self.digraph.len() as u64 - 1;
        self.shape.most.iter().all(|most| *most == last)
    }

    fn words(&self) -> String {
        if self.are_all() {
            return "every position".to_owned();
        }
        let vertices = self.shape.most.iter().max().map_or(0, |most| most + 1);
        format!("tokens on the first {vertices} vertices")
    }

    fn try_each<E>(&self, mut f: impl FnMut(&[u64], usize) -> Result<(), E>) -> Result<(), E> {
        let mut numbers = vec![0; self.shape.most.len()];
        self.shape.try_each(|states, place| {
            for (number, state) in numbers.iter_mut().zip(states) {
                *number = self.digraph.number(*state as usize);
            }
            f(&numbers, place)
        })
    }

    fn place(&self, position: &[u64]) -> Option<usize> {
        let states = position.iter().map(|number| {
            let state = self.digraph.state(*number)?;
            Some(state as u64)
        });
        self.shape.place(&states.collect::<Option<Vec<u64>>>()?)
    }

    /// The same positions one by one, without those that `positions where`
    /// excludes.
    pub fn listed(&self, solver: &Solver<'_>, limits: &Limits) -> Result<PositionList, SolveError> {
        // A position and its answer.
        let needed = self.shape.len as u128 * (64 + 8 * self.shape.most.len() as u128);
        if needed > u128::from(limits.memory) {
            return Err(SolveError::Memory {
                needed,
                limit: limits.memory,
            });
        }
        let mut walker = Walker::new(&solver.graph, &[]);
        let mut positions = Vec::new();
        limits.begin(Work::Listing, Some(self.shape.len as u64));
        self.try_each(|position, place| {
            if place % 1024 == 0 {
                limits.check_time_at(place as u64)?;
            }
            let is_position = walker.is_position(position);
            let is_position = is_position.map_err(|fault| SolveError::Fault {
                fault,
                position: position.to_vec(),
            })?;
            if is_position {
                positions.push(position.to_vec());
            }
            Ok::<(), SolveError>(())
        })?;
        let to = self.shape.most.iter().copied().max().unwrap_or(0);
        let mut listed = PositionList::new(positions, to, self.words());
        listed.are_all = self.are_all();
        Ok(listed)
    }
}

/// Positions one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionList {
    /// By the number of tokens, then in lexicographic order, each once.
    pub positions: Vec<Vec<u64>>,
    /// How far they go, for "holds to".
    pub to: u64,
    /// The same in words, `every heap at most 6, and at most 3 heaps`.
    pub words: String,
    /// Are these all positions of the game?
    pub are_all: bool,
}

fn total(position: &[u64]) -> u128 {
    position.iter().map(|size| u128::from(*size)).sum()
}

/// The order of a list: by the number of tokens, then lexicographic.
fn by_total(a: &[u64], b: &[u64]) -> std::cmp::Ordering {
    total(a).cmp(&total(b)).then_with(|| a.cmp(b))
}

impl PositionList {
    /// Puts positions in order.
    pub fn new(positions: Vec<Vec<u64>>, to: u64, words: String) -> PositionList {
        let with_totals = positions.into_iter().map(|p| (total(&p), p));
        let mut sorted: Vec<(u128, Vec<u64>)> = with_totals.collect();
        sorted.sort_unstable();
        sorted.dedup();
        let positions = sorted.into_iter().map(|(_, position)| position).collect();
        PositionList {
            positions,
            to,
            words,
            are_all: false,
        }
    }
}

impl Region {
    /// How many places the region has.
    pub fn count(&self) -> usize {
        match self {
            Region::Box(shape) => shape.len,
            Region::List(listed) => listed.positions.len(),
            Region::Placements(places) => places.shape.len,
        }
    }

    /// The position's place, if it lies in the region.
    pub fn place(&self, position: &[u64]) -> Option<usize> {
        match self {
            Region::Box(shape) => shape.place(position),
            Region::List(listed) => listed
                .positions
                .binary_search_by(|other| by_total(other, position))
                .ok(),
            Region::Placements(places) => places.place(position),
        }
    }

    /// The position at a place.
    pub fn at(&self, place: usize) -> Vec<u64> {
        match self {
            Region::Box(shape) => shape.at(place),
            Region::List(listed) => listed.positions[place].clone(),
            Region::Placements(places) => {
                let states = places.shape.at(place).into_iter();
                states.map(|s| places.digraph.number(s as usize)).collect()
            }
        }
    }

    /// Are these all positions of the game?
    pub fn are_all(&self) -> bool {
        match self {
            Region::Box(_) => false,
            Region::List(listed) => listed.are_all,
            Region::Placements(places) => places.are_all(),
        }
    }

    /// How far the region goes, for "holds to".
    pub fn to(&self) -> u64 {
        match self {
            Region::Box(shape) => shape.most.iter().copied().max().unwrap_or(0),
            Region::List(listed) => listed.to,
            Region::Placements(places) => places.shape.most.iter().copied().max().unwrap_or(0),
        }
    }

    /// How far the region goes, in words.
    pub fn words(&self) -> String {
        match self {
            Region::Box(_) => format!("every heap at most {}", self.to()),
            Region::List(listed) => listed.words.clone(),
            Region::Placements(places) => places.words(),
        }
    }

    /// Calls `f` with every position and its place, in order, while it
    /// returns `Ok`.
    pub fn try_each<E>(&self, mut f: impl FnMut(&[u64], usize) -> Result<(), E>) -> Result<(), E> {
        match self {
            Region::Box(shape) => shape.try_each(f),
            Region::List(listed) => listed
                .positions
                .iter()
                .enumerate()
                .try_for_each(|(place, position)| f(position, place)),
            Region::Placements(places) => places.try_each(f),
        }
    }
}

/// The answers of a table.
#[derive(Debug, Clone)]
pub enum TableValues {
    Outcomes(Vec<u8>),
    Grundy(Vec<u32>),
}

impl TableValues {
    /// None yet, with room for so many.
    pub fn with_capacity(question: Question, capacity: usize) -> TableValues {
        match question {
            Question::Outcome => TableValues::Outcomes(Vec::with_capacity(capacity)),
            Question::Grundy => TableValues::Grundy(Vec::with_capacity(capacity)),
        }
    }

    /// Adds the answer for the next place: the Grundy value, or 0 for P and
    /// anything else for N where outcomes are asked for; `None` where
    /// `positions where` excludes it.
    pub fn push(&mut self, value: Option<u32>) {
        match self {
            TableValues::Outcomes(values) => values.push(match value {
                None => NO_POSITION,
                Some(0) => IS_P,
                Some(_) => IS_N,
            }),
            TableValues::Grundy(values) => values.push(value.unwrap_or(NO_VALUE)),
        }
    }

    /// All of them, to be kept.
    pub fn first(&self) -> Prefix<'_> {
        match self {
            TableValues::Outcomes(values) => Prefix::Outcomes(values),
            TableValues::Grundy(values) => Prefix::Grundy(values),
        }
    }
}

/// How a table writes outcomes down.
pub const IS_N: u8 = 0;
pub const IS_P: u8 = 1;
/// Excluded by `positions where`.
pub const NO_POSITION: u8 = 2;
pub const IS_L: u8 = 3;
pub const IS_R: u8 = 4;
pub const IS_D: u8 = 5;
pub const NO_VALUE: u32 = u32::MAX;

pub fn code(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::N => IS_N,
        Outcome::P => IS_P,
        Outcome::L => IS_L,
        Outcome::R => IS_R,
        Outcome::D => IS_D,
    }
}

/// Answers for every position of a region.
#[derive(Debug, Clone)]
pub struct Table {
    pub region: Region,
    pub values: TableValues,
    pub engine: &'static str,
}

impl Table {
    /// The table of a box whose P-positions have these places, and all others
    /// are N.
    pub fn of_p_positions(
        shape: &Shape,
        places: impl Iterator<Item = u64>,
        engine: &'static str,
    ) -> Table {
        let mut values = vec![IS_N; shape.len];
        for place in places {
            values[place as usize] = IS_P;
        }
        Table {
            region: Region::Box(shape.clone()),
            values: TableValues::Outcomes(values),
            engine,
        }
    }

    /// The table of a list, whose values are Grundy values, or 0 for P and 1
    /// for N where outcomes are asked for.
    pub fn listed(
        listed: PositionList,
        values: &[u64],
        asked: Query,
        engine: &'static str,
    ) -> Table {
        let mut codes = TableValues::with_capacity(asked.question, values.len());
        for value in values {
            // INVARIANT: values are found by counting options, which fit memory.
            codes.push(Some(*value as u32));
        }
        Table {
            region: Region::List(listed),
            values: codes,
            engine,
        }
    }

    /// The outcome at a place; `None` where there is no position.
    pub fn outcome(&self, place: usize) -> Option<Outcome> {
        match &self.values {
            TableValues::Outcomes(values) => match values[place] {
                IS_P => Some(Outcome::P),
                IS_N => Some(Outcome::N),
                IS_L => Some(Outcome::L),
                IS_R => Some(Outcome::R),
                IS_D => Some(Outcome::D),
                _ => None,
            },
            TableValues::Grundy(values) => match values[place] {
                NO_VALUE => None,
                0 => Some(Outcome::P),
                _ => Some(Outcome::N),
            },
        }
    }

    /// The Grundy value at a place, where the table has them.
    pub fn grundy(&self, place: usize) -> Option<u64> {
        match &self.values {
            TableValues::Grundy(values) if values[place] != NO_VALUE => {
                Some(u64::from(values[place]))
            }
            _ => None,
        }
    }

    /// How many positions there are of each outcome that the game can have.
    pub fn tally(&self, game: &Game) -> Vec<(Outcome, u64)> {
        let mut tally: Vec<(Outcome, u64)> = game.outcomes().map(|o| (o, 0)).collect();
        for place in 0..self.region.count() {
            let outcome = self.outcome(place);
            if let Some((_, count)) = tally.iter_mut().find(|(o, _)| Some(*o) == outcome) {
                *count += 1;
            }
        }
        tally
    }

    /// How many positions there are, and how many of them are P.
    pub fn counts(&self) -> (u64, u64) {
        let (mut positions, mut p) = (0, 0);
        match &self.values {
            TableValues::Outcomes(values) => {
                for value in values {
                    positions += u64::from(*value != NO_POSITION);
                    p += u64::from(*value == IS_P);
                }
            }
            TableValues::Grundy(values) => {
                for value in values {
                    positions += u64::from(*value != NO_VALUE);
                    p += u64::from(*value == 0);
                }
            }
        }
        (positions, p)
    }
}
