//! Tables of two heaps against each other: the outcome or the Grundy value of each pair of
//! sizes, where the other heaps have fixed sizes.

use super::answer::{Ask, Unanswered};
use super::session::Session;
use super::slice::{NoSlice, Slice};
use nimrule_engine::{Outcome, Query, Question, Request, SolveError};
use nimrule_model::game::{Convention, Game, HeapKinds, PositionKind};
use nimrule_model::position::Position;
use thiserror::Error;

/// What a table is asked for.
#[derive(Debug, Clone, Copy)]
pub struct HeapTableRequest<'r> {
    /// The heap, state, token or kind of heap whose sizes number the rows; by default the
    /// first that is not fixed.
    pub rows: Option<&'r str>,
    /// The one whose sizes number the columns; by default the next.
    pub columns: Option<&'r str>,
    /// The sizes of other heaps, by their indices. A state that is not named has its initial
    /// value.
    pub fixed: &'r [(usize, u64)],
    /// The largest size on both axes; by default [`HeapTable::DEFAULT_SIDE`] in two
    /// dimensions, twice as much in one, and less where the heaps have a largest size.
    pub max: Option<u64>,
    /// Outcomes or Grundy values, under normal or misère play.
    pub query: Query,
}

/// An axis of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableAxis {
    /// The heap, state, token or kind of heap.
    pub name: String,
    /// Its sizes, values or vertices, ascending, as they are shown.
    pub labels: Vec<String>,
}

/// An entry of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// The outcome class.
    Outcome(Outcome),
    /// The Grundy value; 0 exactly at the P-positions.
    Value(u64),
}

/// A table of two heaps against each other, or of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapTable {
    /// The game, the fixed sizes and the convention.
    pub title: String,
    /// What is computed of each position.
    pub query: Query,
    /// The axis of the rows; `None` for a table of one row.
    pub rows: Option<TableAxis>,
    /// The axis of the columns.
    pub columns: TableAxis,
    /// The entries by row and column; `None` where the rule allows no position.
    pub entries: Vec<Vec<Option<Entry>>>,
}

/// Why there is no table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoTable {
    /// The game has nothing with this name.
    #[error("there is no {what} `{name}`; {known}")]
    Unknown {
        /// What a name may be of.
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are, as a clause.
        known: String,
    },
    /// Rows and columns are the same heap.
    #[error("rows and columns are both `{0}`; choose two heaps")]
    Twice(String),
    /// The heap on an axis has a fixed size.
    #[error("`{0}` is fixed and on an axis; do one of the two")]
    Fixed(String),
    /// Too many heaps are not fixed: these beside the axes that are chosen.
    #[error(
        "a table has two heaps against each other; fix all others, as in `--fix {}=0` (not fixed: \
         {})", .0[.0.len() - 1], .0.join(", ")
    )]
    TooMany(Vec<String>),
    /// Every heap is fixed.
    #[error("all heaps are fixed; leave one or two without `--fix`")]
    AllFixed,
    /// There is no slice with these axes.
    #[error("{0}")]
    Slice(NoSlice),
    /// Positions of a multiset have no Grundy values under misère play.
    #[error("two heaps of a multiset have no Grundy values under misere play; ask for outcomes")]
    Misere,
    /// The position, in the syntax of the language, has an outcome but no Grundy value.
    #[error("no engine finds the Grundy value of {0}; ask for outcomes")]
    NoValue(String),
    /// No engine and no claim answers.
    #[error("{}", .0.failure)]
    Unanswered(Box<Unanswered>),
}

impl Entry {
    /// Whether the position is a P-position.
    pub fn is_p(self) -> bool {
        matches!(self, Entry::Outcome(Outcome::P) | Entry::Value(0))
    }

    /// The letter of the outcome, or the digits of the value.
    pub fn shown(self) -> String {
        match self {
            Entry::Outcome(outcome) => outcome.letter().to_owned(),
            Entry::Value(value) => value.to_string(),
        }
    }
}

impl HeapTable {
    /// The largest size on the axes of a table of two heaps for which none is asked.
    pub const DEFAULT_SIDE: u64 = 12;

    /// The entries as they are shown where P-positions stand out: `.` is an N-position, and
    /// an empty text no position.
    pub fn sign(entry: Option<Entry>) -> String {
        match entry {
            None => String::new(),
            Some(Entry::Outcome(Outcome::N)) => ".".to_owned(),
            Some(entry) => entry.shown(),
        }
    }

    /// What the signs mean, as a sentence without a full stop.
    pub fn legend(&self) -> String {
        let mut all = self.entries.iter().flatten();
        let mut words = match self.query.question {
            Question::Grundy => vec!["0 = P-position".to_owned()],
            Question::Outcome => {
                let classes = [
                    (Outcome::P, "P = the player who has just moved wins"),
                    (Outcome::N, ". = the player to move wins"),
                    (Outcome::L, "L = Left wins"),
                    (Outcome::R, "R = Right wins"),
                    (Outcome::D, "D = a draw"),
                ];
                let occurs = |class: Outcome| {
                    all.clone()
                        .any(|entry| *entry == Some(Entry::Outcome(class)))
                };
                let classes = classes.into_iter().filter(|(class, _)| occurs(*class));
                classes.map(|(_, words)| words.to_owned()).collect()
            }
        };
        if all.any(Option::is_none) {
            words.push("empty = no position of the game".to_owned());
        }
        words.join("; ")
    }

    /// The columns in blocks that have at most this width each, where `width` is the width
    /// of a column; a block has at least one column.
    pub fn blocks(&self, room: usize, width: usize) -> Vec<std::ops::Range<usize>> {
        let each = (room / width.max(1)).max(1);
        let count = self.columns.labels.len();
        let starts = (0..count).step_by(each);
        starts.map(|start| start..count.min(start + each)).collect()
    }
}

impl Session<'_> {
    /// The table of two heaps against each other, or of one.
    ///
    /// # Errors
    ///
    /// [`NoTable`], if the axes are no two heaps, or the positions have no answer.
    pub fn heap_table(&self, request: &HeapTableRequest<'_>) -> Result<HeapTable, NoTable> {
        match &self.game().position_kind {
            PositionKind::Multiset(kinds) => self.table_of_multiset(kinds, request),
            _ => self.table_of_slice(request),
        }
    }

    fn table_of_slice(&self, request: &HeapTableRequest<'_>) -> Result<HeapTable, NoTable> {
        let game = self.game();
        let names = &game.heap_names;
        let chosen = [request.rows, request.columns].map(|name| {
            name.map(|name| {
                let found = names.iter().position(|other| other == name.trim());
                found.ok_or_else(|| unknown("heap", name, names))
            })
            .transpose()
        });
        let [rows, columns] = chosen;
        let (rows, columns) = (rows?, columns?);
        if let (Some(one), true) = (rows, rows == columns) {
            return Err(NoTable::Twice(names[one].clone()));
        }
        let mut fixed = request.fixed.to_vec();
        let is_on_axis = |heap: usize| rows == Some(heap) || columns == Some(heap);
        if let Some((heap, _)) = fixed.iter().find(|(heap, _)| is_on_axis(*heap)) {
            return Err(NoTable::Fixed(names[*heap].clone()));
        }
        for (place, state) in game.states.iter().enumerate() {
            let heap = game.first_state() + place;
            let is_named = is_on_axis(heap) || fixed.iter().any(|(other, _)| *other == heap);
            if let (Some(initial), false) = (state.initial, is_named) {
                fixed.push((heap, initial));
            }
        }
        let is_free = |heap: &usize| fixed.iter().all(|(other, _)| other != heap);
        let free: Vec<usize> = (0..names.len()).filter(is_free).collect();
        let side = match free.len() {
            0 => return Err(NoTable::AllFixed),
            1 => 2 * HeapTable::DEFAULT_SIDE,
            2 => HeapTable::DEFAULT_SIDE,
            _ => {
                let free = free.iter().filter(|heap| !is_on_axis(**heap));
                return Err(NoTable::TooMany(
                    free.map(|heap| names[*heap].clone()).collect(),
                ));
            }
        };
        let side = match game.digraph() {
            Some(digraph) => Slice::MAX_SIDE.min(digraph.len()) as u64,
            None => side.min(game.largest_size.unwrap_or(side)),
        };
        let slice = self
            .slice_to(&fixed, Some(request.max.unwrap_or(side)), request.query)
            .map_err(NoTable::Slice)?;
        let table = self
            .table(&slice.region, request.query, self.limits(), None)
            .map_err(|failure| NoTable::Slice(NoSlice::Engine(failure, Some(slice.most))))?;
        let numbers = |axis: usize| -> Vec<u64> {
            let heap = slice.axes[axis];
            let low = heap.checked_sub(game.first_state());
            let low = low.map_or(0, |state| game.states[state].low);
            let digraph = game.digraph_of(heap);
            (low..=slice.largest[axis])
                .filter(|number| digraph.is_none_or(|d| d.state(*number).is_some()))
                .collect()
        };
        let axis = |axis: usize| TableAxis {
            name: names[slice.axes[axis]].clone(),
            labels: numbers(axis)
                .into_iter()
                .map(|number| game.shown_number(slice.axes[axis], number))
                .collect(),
        };
        let entry = |x: u64, y: u64| {
            let position = slice.at(x, y);
            match request.query.question {
                Question::Grundy => table.grundy_of(&position).map(Entry::Value),
                Question::Outcome => table.outcome_of(&position).map(Entry::Outcome),
            }
        };
        let (row_axis, column_axis) = match slice.axes.as_slice() {
            [_] => (None, 0),
            [first, _] if rows == Some(*first) || (rows.is_none() && columns != Some(*first)) => {
                (Some(0), 1)
            }
            _ => (Some(1), 0),
        };
        let row_numbers = row_axis.map_or_else(|| vec![0], numbers);
        let column_numbers = numbers(column_axis);
        let entries = row_numbers.iter().map(|row| {
            let of_row = column_numbers.iter().map(|column| match column_axis {
                0 => entry(*column, *row),
                _ => entry(*row, *column),
            });
            of_row.collect()
        });
        Ok(HeapTable {
            title: slice.title.clone(),
            query: request.query,
            entries: entries.collect(),
            rows: row_axis.map(axis),
            columns: axis(column_axis),
        })
    }

    /// Two heaps that are the only ones of a position.
    fn table_of_multiset(
        &self,
        kinds: &HeapKinds,
        request: &HeapTableRequest<'_>,
    ) -> Result<HeapTable, NoTable> {
        let game = self.game();
        let kind = |name: Option<&str>, default: usize| match name {
            None => Ok(default.min(kinds.of_heaps() - 1)),
            Some(name) => {
                let found = kinds.names.iter().position(|other| other == name.trim());
                found.ok_or_else(|| unknown("kind of heap", name, &kinds.names))
            }
        };
        let (one, other) = (kind(request.rows, 0)?, kind(request.columns, 1)?);
        let most = request.max.unwrap_or(HeapTable::DEFAULT_SIDE);
        super::slice::check_length(most, Slice::MAX_SIDE).map_err(NoTable::Slice)?;
        let is_of_values = request.query.question == Question::Grundy;
        if is_of_values && request.query.convention == Convention::Misere {
            return Err(NoTable::Misere);
        }
        if is_of_values && let Some(reason) = game.no_grundy_values() {
            let failure = SolveError::Cannot {
                engine: "table",
                reason: format!("there are no Grundy values: {reason}"),
            };
            return Err(NoTable::Slice(NoSlice::Engine(failure, None)));
        }
        let states = kinds.states.iter().enumerate().map(|(index, (_, state))| {
            kinds.encode_state(index, state.initial.unwrap_or(state.low))
        });
        let states: Vec<u64> = states.collect();
        let unanswered = |no: Unanswered| NoTable::Unanswered(Box::new(no));
        let entry = |x: u64, y: u64| -> Result<Entry, NoTable> {
            let heaps = [(x, one), (y, other)].into_iter();
            let heaps = heaps.filter(|(size, _)| *size > 0);
            let mut numbers: Vec<u64> = heaps
                .map(|(size, kind)| kinds.encode(size, kind))
                .chain(states.iter().copied())
                .collect();
            numbers.sort_unstable();
            let position = Position::from(numbers);
            match request.query.question {
                Question::Outcome => {
                    let answer = self.outcome(&position, request.query.convention);
                    Ok(Entry::Outcome(answer.map_err(unanswered)?.outcome))
                }
                Question::Grundy => {
                    let ask = Ask {
                        convention: request.query.convention,
                        request: Request::Grundy,
                        ..Ask::default()
                    };
                    let answer = self.position(&position, &ask).map_err(unanswered)?;
                    let none = || NoTable::NoValue(position.shown(game));
                    answer.grundy.map(Entry::Value).ok_or_else(none)
                }
            }
        };
        let mut entries: Vec<Vec<Option<Entry>>> = Vec::new();
        for x in 0..=most {
            let mut row = Vec::new();
            for y in 0..=most {
                // Heaps of one kind are interchangeable.
                let known = match entries.get(y as usize) {
                    Some(earlier) if one == other => earlier[x as usize],
                    _ => Some(entry(x, y)?),
                };
                row.push(known);
            }
            entries.push(row);
        }
        let axis = |kind: usize, which: &str| TableAxis {
            name: match kinds.names.get(kind) {
                Some(name) => name.clone(),
                None => format!("{which} heap"),
            },
            labels: (0..=most).map(|size| size.to_string()).collect(),
        };
        Ok(HeapTable {
            title: multiset_title(game, kinds, &states, request.query),
            query: request.query,
            rows: Some(axis(one, "one")),
            columns: axis(other, "other"),
            entries,
        })
    }
}

/// The game, the values of its states and the convention.
fn multiset_title(game: &Game, kinds: &HeapKinds, states: &[u64], query: Query) -> String {
    let mut title = format!("{}; two heaps", game.heading());
    for state in states {
        if let Some((index, value)) = kinds.state(*state) {
            title.push_str(&format!(", {} = {value}", kinds.states[index].0));
        }
    }
    if query.convention == Convention::Misere {
        title.push_str(", misere play");
    }
    title
}

fn unknown(what: &'static str, name: &str, names: &[String]) -> NoTable {
    NoTable::Unknown {
        what,
        name: name.to_owned(),
        known: match names {
            [] => "all heaps are of one kind, which has no name".to_owned(),
            names => format!("choose from {}", names.join(", ")),
        },
    }
}
