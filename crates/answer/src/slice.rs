//! Slices: the positions in which all heaps but one or two have fixed sizes, as a plot
//! shows them.

use super::session::Session;
use nimrule_engine::{Query, Question, Region, SolveError, Table, heap_sequences};
use nimrule_model::game::{Convention, Game, PositionKind};
use thiserror::Error;

/// The positions in which all heaps but one or two have fixed sizes.
#[derive(Debug)]
pub struct Slice {
    /// The indices of the heaps that vary, one or two.
    pub axes: Vec<usize>,
    /// The largest number on each axis.
    pub largest: Vec<u64>,
    /// The size of the box of which it is a slice.
    pub most: u64,
    /// What is computed of each position.
    pub query: Query,
    /// The positions that have to be solved.
    pub region: Region,
    /// What the slice is of: the game and the fixed sizes.
    pub title: String,
    fixed: Vec<u64>,
}

/// The Grundy values of single heaps of a multiset.
#[derive(Debug)]
pub struct SingleHeaps {
    /// What is counted.
    pub axis: String,
    /// The value of a heap of each size, from 0; each has one.
    pub values: Vec<Option<u64>>,
    /// The size of the largest heap.
    pub most: u64,
    /// What the values are of.
    pub title: String,
}

/// Why there is no slice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NoSlice {
    /// The vertices have names instead of numbers.
    #[error("the vertices of this digraph have names, and an axis has numbers")]
    Names,
    /// There is no axis or more than two: these heaps are not fixed.
    #[error("a plot has one axis or two, and {} heaps are not fixed", .0.len())]
    Axes(Vec<usize>),
    /// The game has no heap with this index.
    #[error("there is no heap with the index {0}")]
    NoHeap(usize),
    /// Too many sizes on an axis.
    #[error("a size of {most} is too large for a plot; the limit is {limit}")]
    TooLarge {
        /// The size that is asked for.
        most: u64,
        /// The largest possible one.
        limit: u64,
    },
    /// Misère play has no Grundy values.
    #[error(
        "a plot of a game with any number of heaps shows Grundy values, which misere play does \
         not have"
    )]
    Misere,
    /// The positions have other numbers than sizes of heaps.
    #[error("this game has no sequence of single heaps")]
    NoSequence,
    /// The engines failed, in the box to this size.
    #[error("{0}")]
    Engine(SolveError, Option<u64>),
}

impl Slice {
    /// The largest number of sizes on each axis of a plot of two heaps.
    pub const MAX_SIDE: usize = 200;

    /// The largest number of sizes on the only axis of a plot.
    pub const MAX_LENGTH: usize = 5 * Slice::MAX_SIDE;

    /// The numbers of the position at a place: the sizes of the heaps on the axes are `x` and,
    /// if there are two, `y`.
    pub fn at(&self, x: u64, y: u64) -> Vec<u64> {
        let mut position = self.fixed.clone();
        for (axis, size) in self.axes.iter().zip([x, y]) {
            position[*axis] = size;
        }
        position
    }

    /// The letters of the outcomes by the second size and then the first; nothing where there
    /// is no position.
    pub fn letters(&self, table: &Table) -> Vec<Vec<Option<char>>> {
        self.rows(|position| table.outcome_of(position)?.letter().chars().next())
    }

    /// The Grundy values, in the same order.
    pub fn values(&self, table: &Table) -> Vec<Vec<Option<u64>>> {
        self.rows(|position| table.grundy_of(position))
    }

    fn rows<T>(&self, read: impl Fn(&[u64]) -> Option<T>) -> Vec<Vec<Option<T>>> {
        let cell = |x, y| read(&self.at(x, y));
        let upper = self.largest.get(1).copied().unwrap_or(0);
        let row = |y| (0..=self.largest[0]).map(|x| cell(x, y)).collect();
        (0..=upper).map(row).collect()
    }
}

impl<'g> Session<'g> {
    /// The slice in which these heaps have these sizes, to the largest size that is asked for.
    /// If one heap varies, its question is the Grundy sequence, unless positions have no
    /// Grundy values.
    ///
    /// # Errors
    ///
    /// [`NoSlice`], if no plot can have the axes.
    pub fn slice(
        &self,
        fixed: &[(usize, u64)],
        asked: Option<u64>,
        query: Query,
    ) -> Result<Slice, NoSlice> {
        let game = self.game();
        let has_values =
            query.convention == Convention::Normal && game.no_grundy_values().is_none();
        let query = match fixed.len() + 1 == game.heap_count() && has_values {
            true => Query {
                question: Question::Grundy,
                ..query
            },
            false => query,
        };
        match game.digraph() {
            Some(digraph) if !digraph.has_numbers() => Err(NoSlice::Names),
            _ => self.slice_to(fixed, asked.or(game.largest_size), query),
        }
    }

    /// The same slice, whose vertices may have names.
    pub(crate) fn slice_to(
        &self,
        fixed: &[(usize, u64)],
        asked: Option<u64>,
        query: Query,
    ) -> Result<Slice, NoSlice> {
        let game = self.game();
        let digraph = game.digraph();
        if let Some((heap, _)) = fixed.iter().find(|(heap, _)| *heap >= game.heap_count()) {
            return Err(NoSlice::NoHeap(*heap));
        }
        let is_free = |heap: &usize| fixed.iter().all(|(other, _)| other != heap);
        let axes: Vec<usize> = (0..game.heap_count()).filter(is_free).collect();
        let (default, limit) = match axes.len() {
            1 => (100, Slice::MAX_LENGTH),
            2 => (30, Slice::MAX_SIDE),
            _ => return Err(NoSlice::Axes(axes)),
        };
        let most = asked.unwrap_or(default);
        // A token is on some vertex.
        let last = digraph.map(|digraph| digraph.number(digraph.len() - 1));
        let most = last.map_or(most, |last| most.min(last));
        check_length(most, limit)?;
        let of_box = game.box_to(most);
        let mut sizes = vec![0; game.heap_count()];
        for (heap, size) in fixed {
            sizes[*heap] = *size;
        }
        let fixed_sizes = sizes.clone();
        for heap in &axes {
            sizes[*heap] = of_box[*heap];
        }
        let region = self.solver().region_of(&sizes, self.limits());
        Ok(Slice {
            largest: axes.iter().map(|heap| of_box[*heap]).collect(),
            axes,
            most,
            query,
            region: region.map_err(|failure| NoSlice::Engine(failure, Some(most)))?,
            title: title(game, fixed, query),
            fixed: fixed_sizes,
        })
    }

    /// The Grundy values of the single heaps of a kind, from 0, in a game with any number of
    /// heaps.
    ///
    /// # Errors
    ///
    /// [`NoSlice`], if single heaps have no values.
    pub fn single_heaps(
        &self,
        kind: usize,
        asked: Option<u64>,
        convention: Convention,
    ) -> Result<SingleHeaps, NoSlice> {
        let game = self.game();
        let PositionKind::Multiset(kinds) = &game.position_kind else {
            return Err(NoSlice::NoSequence);
        };
        if convention == Convention::Misere {
            return Err(NoSlice::Misere);
        }
        let most = asked.unwrap_or(100);
        check_length(most, Slice::MAX_LENGTH)?;
        let sequences = heap_sequences::explored(self.solver(), most, self.limits())
            .map_err(|failure| NoSlice::Engine(failure, None))?;
        let found = sequences.get(kind).ok_or(NoSlice::NoSequence)?;
        Ok(SingleHeaps {
            axis: match kinds.names.get(kind) {
                Some(kind) => format!("n, the size of one {kind}"),
                None => "n, the size of the heap".to_owned(),
            },
            values: (found.values.iter())
                .map(|value| Some(u64::from(*value)))
                .collect(),
            most,
            title: game.heading(),
        })
    }
}

/// Refuses an axis with more sizes than the limit.
pub(crate) fn check_length(most: u64, limit: usize) -> Result<(), NoSlice> {
    let limit = limit as u64 - 1;
    match most > limit {
        true => Err(NoSlice::TooLarge { most, limit }),
        false => Ok(()),
    }
}

/// The game, the fixed sizes and the convention.
fn title(game: &Game, fixed: &[(usize, u64)], query: Query) -> String {
    let mut title = game.heading();
    if !fixed.is_empty() {
        let sizes: Vec<String> = fixed
            .iter()
            .map(|(heap, size)| format!("{} = {size}", game.heap_names[*heap]))
            .collect();
        title = format!("{title}; {}", sizes.join(", "));
    }
    if query.convention == Convention::Misere {
        title.push_str(", misere play");
    }
    title
}
