//! Tables: the answer for every position of a region. A region is a box of heap
//! sizes, a list of positions, or the placements of tokens on a digraph; its positions
//! have places, which are indices from 0.

use super::{Limits, Query, Question, SolveError, Solver, Work};
use nimrule_ir::Walker;
use nimrule_ir::batch::Value;
use nimrule_kernels::{Layout, Rows, Sink};
use nimrule_limits::LimitExceeded;
use nimrule_model::digraph::Digraph;
use nimrule_model::game::{Game, State};
use std::sync::Arc;

/// The outcome class of a position: P or N, in partizan games also L or R, in loopy
/// games also D.
pub use nimrule_model::game::Class as Outcome;

/// The shape of a box: the positions whose heaps have at most these sizes, in
/// lexicographic order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The largest size of each heap.
    pub most: Vec<u64>,
    /// The difference of places that one token of each heap makes; 1 for the last heap.
    pub strides: Vec<usize>,
    /// The number of positions.
    pub len: usize,
}

impl Shape {
    /// The largest size that batch evaluation supports.
    pub const LARGEST_OF_LANES: u64 = 1 << 29;

    /// The number of positions of a box; `u128::MAX` if it is larger.
    pub fn count(most: &[u64]) -> u128 {
        most.iter()
            .try_fold(1_u128, |count, size| {
                count.checked_mul(u128::from(*size) + 1)
            })
            .unwrap_or(u128::MAX)
    }

    /// The box with these largest sizes; `None` if the number of positions exceeds the
    /// address space.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::Shape;
    ///
    /// let shape = Shape::new(&[2, 3]).unwrap();
    /// assert_eq!(shape.len, 12);
    /// assert_eq!(shape.place(&[1, 2]), Some(6));
    /// assert_eq!(shape.at(6), [1, 2]);
    /// assert_eq!(shape.place(&[3, 0]), None);
    /// ```
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

    /// The place of a position, if it is in the box.
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

    /// The size of each heap at the `count` places from `base` on, a lane for each. The
    /// heaps must have at most [`LARGEST_OF_LANES`](Shape::LARGEST_OF_LANES) tokens.
    pub fn lanes(&self, base: usize, count: usize) -> Vec<Value> {
        let heaps = self.strides.iter().zip(&self.most);
        heaps
            .map(|(stride, most)| {
                let first = (base / stride) as u64 % (most + 1);
                let left = stride - base % stride;
                Value::of_sizes(first, left, *stride, *most, count)
            })
            .collect()
    }

    /// Advances to the next position; returns false, and the first position, at the end.
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

    /// Calls `f` with every position and its place, in order, until it fails.
    ///
    /// # Errors
    ///
    /// The first error of `f`.
    pub fn try_each<E>(&self, mut f: impl FnMut(&[u64], usize) -> Result<(), E>) -> Result<(), E> {
        self.try_each_from(0, &mut f)
    }

    /// [`try_each`](Shape::try_each) from a place on, which may be the end.
    ///
    /// # Errors
    ///
    /// The first error of `f`.
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

/// The positions of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Region {
    /// All positions of a box.
    Box(Shape),
    /// A list of positions.
    List(PositionList),
    /// Placements of tokens on the vertices of a digraph.
    Placements(Placements),
}

/// All placements of tokens on the first vertices of a digraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placements {
    /// The digraph.
    pub digraph: Arc<Digraph>,
    /// The box of the indices of the vertices, one for each token.
    pub shape: Shape,
}

impl Placements {
    /// Whether the region contains all positions of the game.
    pub fn are_all(&self) -> bool {
        let last = self.digraph.len() as u64 - 1;
        self.shape.most.iter().all(|most| *most == last)
    }

    fn words(&self) -> String {
        if self.are_all() {
            return "all positions".to_owned();
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

    /// The list of these positions, without those that `positions where` excludes.
    ///
    /// # Errors
    ///
    /// Exceeded limits, and faults of the condition.
    pub fn listed(&self, solver: &Solver<'_>, limits: &Limits) -> Result<PositionList, SolveError> {
        // The memory of a position with its answer.
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

/// A list of positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PositionList {
    /// The positions by number of tokens, then in lexicographic order, without
    /// duplicates.
    pub positions: Vec<Vec<u64>>,
    /// The bound of the list, for "holds to".
    pub to: u64,
    /// The bound as a phrase, `every heap at most 6, and at most 3 heaps`.
    pub words: String,
    /// Whether the list contains all positions of the game.
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
    /// A list of these positions, which are sorted.
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

/// The bound of a box as a phrase.
pub fn words_of_box(game: &Game, most: &[u64]) -> String {
    let heaps = format!("heaps up to {}", game.box_bound(most));
    match game.states_of_box(most) {
        states if game.first_state() == 0 => states,
        states if states.is_empty() => heaps,
        states => format!("{heaps}, {states}"),
    }
}

impl Region {
    /// The number of places.
    pub fn count(&self) -> usize {
        match self {
            Region::Box(shape) => shape.len,
            Region::List(listed) => listed.positions.len(),
            Region::Placements(places) => places.shape.len,
        }
    }

    /// The place of a position, if it is in the region.
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

    /// Whether the region contains all positions of the game.
    pub fn are_all(&self, game: &Game) -> bool {
        match self {
            // A game without heaps has finitely many positions if its states are finite.
            Region::Box(shape) => {
                let whole = |(most, state): (&u64, &State)| state.high == Some(*most);
                let mut states = shape.most.iter().zip(&game.states);
                game.first_state() == 0 && states.all(whole)
            }
            Region::List(listed) => listed.are_all,
            Region::Placements(places) => places.are_all(),
        }
    }

    /// The bound of the region, for "holds to": the largest heap of a box, the bound of
    /// a list, the largest index of a vertex.
    pub fn to(&self, game: &Game) -> u64 {
        match self {
            Region::Box(shape) => game.box_bound(&shape.most),
            Region::List(listed) => listed.to,
            Region::Placements(places) => places.shape.most.iter().copied().max().unwrap_or(0),
        }
    }

    /// The bound of the region as a phrase: `heaps up to 8, place in 1..5`.
    pub fn words(&self, game: &Game) -> String {
        match self {
            Region::Box(shape) => words_of_box(game, &shape.most),
            Region::List(listed) => listed.words.clone(),
            Region::Placements(places) => places.words(),
        }
    }

    /// Calls `f` with every position and its place, in order, until it fails.
    ///
    /// # Errors
    ///
    /// The first error of `f`.
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

/// The answers of a table, by place.
#[derive(Debug, Clone)]
pub enum TableValues {
    /// Codes of outcomes, the indices of [`CODES`].
    Outcomes(Vec<u8>),
    /// Grundy values; `u32::MAX` at places that are not positions.
    Grundy(Vec<u32>),
}

impl TableValues {
    /// An empty list of answers with a capacity.
    pub fn with_capacity(question: Question, capacity: usize) -> TableValues {
        match question {
            Question::Outcome => TableValues::Outcomes(Vec::with_capacity(capacity)),
            Question::Grundy => TableValues::Grundy(Vec::with_capacity(capacity)),
        }
    }

    /// Appends the answer for the next place: the Grundy value; among outcomes 0 for P
    /// and any other number for N. `None` if `positions where` excludes the place.
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

    /// The number of answers.
    fn len(&self) -> usize {
        match self {
            TableValues::Outcomes(values) => values.len(),
            TableValues::Grundy(values) => values.len(),
        }
    }

    /// The answers so far, for a checkpoint.
    pub fn prefix(&self) -> Prefix<'_> {
        match self {
            TableValues::Outcomes(values) => Prefix::Outcomes(values),
            TableValues::Grundy(values) => Prefix::Grundy(values),
        }
    }
}

/// The first answers of a table, in the order of places.
pub enum Prefix<'t> {
    /// Codes of outcomes, as in [`TableValues::Outcomes`].
    Outcomes(&'t [u8]),
    /// Grundy values, as in [`TableValues::Grundy`].
    Grundy(&'t [u32]),
}

/// The outcomes by their code in a table; `None` for a place that is not a position.
pub const CODES: [Option<Outcome>; 6] = [
    Some(Outcome::N),
    Some(Outcome::P),
    None,
    Some(Outcome::L),
    Some(Outcome::R),
    Some(Outcome::D),
];
/// The codes of outcomes in a table.
pub const IS_N: u8 = 0;
pub const IS_P: u8 = 1;
/// The code of a place that is not a position.
pub const NO_POSITION: u8 = 2;
pub const IS_L: u8 = 3;
pub const IS_R: u8 = 4;
pub const IS_D: u8 = 5;
/// The entry of a table of Grundy values at a place that is not a position.
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

/// A position of a table, with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableEntry {
    /// The position.
    pub position: Vec<u64>,
    /// Its outcome.
    pub outcome: Outcome,
    /// Its Grundy value; `None` if the table has outcomes only.
    pub grundy: Option<u64>,
}

/// The answers for all positions of a region. A position and its answer have the same place, so
/// that a table is asked for a position ([`outcome_of`](Table::outcome_of)) or gone through by
/// the places of its own [`region`](Table::region), and of no other.
#[derive(Debug, Clone)]
pub struct Table {
    region: Region,
    /// The answers, one for each place of the region.
    values: TableValues,
    engine: &'static str,
}

impl Table {
    /// The table of a region, with an answer for each place of it.
    ///
    /// # Panics
    ///
    /// If the numbers of answers and of places differ.
    pub fn new(region: Region, values: TableValues, engine: &'static str) -> Table {
        assert_eq!(values.len(), region.count(), "an answer for each place");
        Table {
            region,
            values,
            engine,
        }
    }

    /// The table of a box, with an answer for each place of it.
    ///
    /// # Panics
    ///
    /// As [`Table::new`].
    pub fn of_box(shape: &Shape, values: TableValues, engine: &'static str) -> Table {
        Table::new(Region::Box(shape.clone()), values, engine)
    }

    /// The table of a box whose P-positions have these places; all other positions are
    /// N-positions.
    pub fn of_p_positions(
        shape: &Shape,
        places: impl Iterator<Item = u64>,
        engine: &'static str,
    ) -> Table {
        let mut values = vec![IS_N; shape.len];
        for place in places {
            values[place as usize] = IS_P;
        }
        Table::of_box(shape, TableValues::Outcomes(values), engine)
    }

    /// The table of a list. The values are Grundy values; for outcomes 0 for P and 1
    /// for N.
    pub fn listed(
        listed: PositionList,
        values: &[u64],
        query: Query,
        engine: &'static str,
    ) -> Table {
        let mut codes = TableValues::with_capacity(query.question, values.len());
        for value in values {
            // INVARIANT: a value is at most the number of options, which fit memory.
            codes.push(Some(*value as u32));
        }
        Table::new(Region::List(listed), codes, engine)
    }

    /// The same answers at the places of another region; its positions that this table does not
    /// have count as none.
    pub(crate) fn in_region(&self, region: Region) -> Table {
        fn placed<T: Copy>(from: &Region, values: &[T], to: &Region, none: T) -> Vec<T> {
            let mut placed = vec![none; to.count()];
            for (place, value) in values.iter().enumerate() {
                if let Some(to) = to.place(&from.at(place)) {
                    placed[to] = *value;
                }
            }
            placed
        }
        let values = match &self.values {
            TableValues::Outcomes(values) => {
                TableValues::Outcomes(placed(&self.region, values, &region, NO_POSITION))
            }
            TableValues::Grundy(values) => {
                TableValues::Grundy(placed(&self.region, values, &region, NO_VALUE))
            }
        };
        Table::new(region, values, self.engine)
    }

    /// The positions.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// The answers, one for each place of the region.
    pub fn values(&self) -> &TableValues {
        &self.values
    }

    /// The name of the engine that computed them.
    pub fn engine(&self) -> &'static str {
        self.engine
    }

    /// The region, and the answers by its places.
    pub fn into_parts(self) -> (Region, TableValues) {
        (self.region, self.values)
    }

    /// The outcome of a position; `None` if the table does not have it.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::{Limits, Outcome, Query, Question, Solver, fill_region};
    /// use nimrule_model::game::Convention;
    ///
    /// let rule = "game road board digraph { 2 -> 1 -> 0, 2 -> 0 } tokens 2 move slide one token";
    /// let road = nimrule_fixtures::compiled(rule).unwrap().game;
    /// let (solver, limits) = (Solver::new(&road), Limits::of_memory(1 << 20));
    /// let query = Query { question: Question::Outcome, convention: Convention::Misere };
    /// let region = solver.region(2, &limits).unwrap();
    /// let table = fill_region(&solver, &region, query, &limits, None).unwrap();
    /// assert_eq!(table.outcome_of(&[1, 0]), Some(Outcome::P));
    /// assert_eq!(table.outcome_of(&[3, 0]), None);
    /// ```
    pub fn outcome_of(&self, position: &[u64]) -> Option<Outcome> {
        self.outcome(self.region.place(position)?)
    }

    /// The Grundy value of a position; `None` if the table does not have it, or has outcomes only.
    pub fn grundy_of(&self, position: &[u64]) -> Option<u64> {
        self.grundy(self.region.place(position)?)
    }

    /// The outcome at a place of the region; `None` if it is not a position.
    pub fn outcome(&self, place: usize) -> Option<Outcome> {
        match &self.values {
            TableValues::Outcomes(values) => CODES[usize::from(values[place])],
            TableValues::Grundy(values) => match values[place] {
                NO_VALUE => None,
                0 => Some(Outcome::P),
                _ => Some(Outcome::N),
            },
        }
    }

    /// The Grundy value at a place of the region; `None` if it is not a position or the table has
    /// outcomes only.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_engine::{Limits, Query, Question, Solver, fill};
    /// use nimrule_model::game::Convention;
    ///
    /// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
    /// let query = Query { question: Question::Grundy, convention: Convention::Normal };
    /// let limits = Limits::of_memory(1 << 20);
    /// let table = fill(&Solver::new(&nim), &[3, 3], query, &limits, None).unwrap();
    /// assert_eq!(table.grundy_of(&[1, 3]), Some(2));
    /// ```
    pub fn grundy(&self, place: usize) -> Option<u64> {
        match &self.values {
            TableValues::Grundy(values) if values[place] != NO_VALUE => {
                Some(u64::from(values[place]))
            }
            _ => None,
        }
    }

    /// The positions with one of these outcomes, or all if none is given, in the order of the
    /// region.
    pub fn entries(&self, outcomes: &[Outcome]) -> impl Iterator<Item = TableEntry> + use<'_> {
        let (outcomes, mut from) = (outcomes.to_vec(), 0);
        std::iter::from_fn(move || {
            let place = self.next_with(from, &outcomes)?;
            from = place + 1;
            Some(TableEntry {
                position: self.region.at(place),
                outcome: self.outcome(place)?,
                grundy: self.grundy(place),
            })
        })
    }

    /// The first place from `from` on that has one of these outcomes; with none, that is
    /// a position.
    fn next_with(&self, from: usize, outcomes: &[Outcome]) -> Option<usize> {
        let wanted = |outcome| outcomes.is_empty() || outcomes.contains(&outcome);
        let found = match &self.values {
            TableValues::Outcomes(values) => {
                let mut codes = [false; 1 << u8::BITS];
                for outcome in [Outcome::N, Outcome::P, Outcome::L, Outcome::R, Outcome::D] {
                    codes[usize::from(code(outcome))] = wanted(outcome);
                }
                let mut values = values.get(from..)?.iter();
                values.position(|value| codes[usize::from(*value)])
            }
            TableValues::Grundy(values) => {
                let (p, n) = (wanted(Outcome::P), wanted(Outcome::N));
                let mut values = values.get(from..)?.iter();
                values.position(|value| match *value {
                    NO_VALUE => false,
                    0 => p,
                    _ => n,
                })
            }
        }?;
        Some(from + found)
    }

    /// The number of positions of each outcome class that the game can have.
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

    /// The number of positions, and the number of P-positions among them.
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

/// A sink of rows in the order of the game, which stores their outcomes for a table.
pub struct OutcomeRows {
    /// The codes of the outcomes, by place.
    pub values: Vec<u8>,
}

impl OutcomeRows {
    /// The outcomes of a box before its rows are known: all N.
    pub fn new(shape: &Shape) -> OutcomeRows {
        OutcomeRows {
            values: vec![IS_N; shape.len],
        }
    }
}

impl Sink for OutcomeRows {
    fn rows(&mut self, layout: &Layout, rows: Rows<'_>) -> Result<(), LimitExceeded> {
        let width = layout.width();
        for number in 0..rows.count() {
            let start = (rows.first + number) * width;
            let values = self.values[start..][..width].chunks_mut(64);
            for (values, word) in values.zip(rows.row(number)) {
                each_bit(*word, |bit| values[bit] = IS_P);
            }
        }
        Ok(())
    }
}

/// Calls `f` with the index of each bit of the word that is 1.
pub fn each_bit(mut word: u64, mut f: impl FnMut(usize)) {
    while word != 0 {
        f(word.trailing_zeros() as usize);
        word &= word - 1;
    }
}
