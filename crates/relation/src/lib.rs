//! Games on finite digraphs: outcomes, Grundy values and kernels.
//!
//! A [`Relation`] is a digraph. Its states are the positions of a game, numbered
//! from 0, and its arcs are the moves. The digraph may have cycles (a *loopy*
//! game). [`retrograde`] computes the outcomes backwards from the terminal
//! states: a state with an arc to a lost state is won, a state whose arcs all
//! lead to won states is lost, and all states that remain are draws.
//!
//! - [`Relation`]: the arcs of each state, in memory.
//! - [`Reverse`]: the predecessors of each state, built in two passes over a
//!   source of arcs that need not be in memory.
//! - [`sides`]: partizan games, whose players have different moves.
//! - [`values`]: Grundy values, also of loopy games.
//! - [`kernels`]: the kernels of the digraph.
//! - [`by_definition`]: outcomes by their definition, for tests.
//!
//! The glossary of the book (`docs/src/glossary.md`) defines the terms.
//!
//! ```
//! use nimrule_relation::{Label, Relation, Terminal};
//! use std::convert::Infallible;
//!
//! // Take 1 or 2 tokens: state n is a heap of n tokens.
//! let options = [vec![], vec![0], vec![0, 1], vec![1, 2]];
//! let relation = Relation::build(4, |state, arc| {
//!     options[state as usize].iter().for_each(|to| arc(*to));
//!     Ok::<(), Infallible>(())
//! })?;
//! let labels = relation.labels(Terminal::Loses, &mut || Ok::<(), Infallible>(()))?;
//! assert_eq!(labels.of(3), Label::Lose(2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod by_definition;
pub mod kernels;
pub mod natural;
mod retrograde;
mod reverse;
pub mod sides;
pub mod values;

pub use retrograde::{retrograde, retrograde_with_blocking};
pub use reverse::Reverse;
pub use sides::{Class, Side};

use thiserror::Error;

/// The largest number of states: 31 bits, because a degree shares its 32 bits
/// with a mark.
pub const MOST_STATES: usize = (1 << 31) - 1;
/// The largest number of arcs, which are numbered in 32 bits.
pub const MOST_ARCS: usize = u32::MAX as usize;

/// The reason why a relation could not be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError<E> {
    /// The source of the arcs failed.
    #[error("{0}")]
    Source(E),
    /// There are more than [`MOST_ARCS`] arcs.
    #[error("there are more than {MOST_ARCS} arcs")]
    TooManyArcs,
}

/// The result for the player to move at a terminal state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminal {
    /// Normal play.
    Loses,
    /// Misere play.
    Wins,
}

/// The outcome of a state for the player to move, with its remoteness: the
/// number of moves to the end if the winner plays for a short game and the
/// loser for a long one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// The player to move wins.
    Win(u32),
    /// The player to move loses.
    Lose(u32),
    /// Neither player can force a win.
    Draw,
}

impl Label {
    /// The number of moves to the end; `None` if play does not end.
    pub fn remoteness(self) -> Option<u32> {
        match self {
            Label::Win(moves) | Label::Lose(moves) => Some(moves),
            Label::Draw => None,
        }
    }
}

/// The labels of all states, in four bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// The remoteness of each state. It is even if and only if the player to
    /// move is the one at the terminal state.
    distances: Vec<u32>,
    terminal: Terminal,
}

/// The remoteness of a draw.
const NEVER: u32 = u32::MAX;

impl Labels {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.distances.len()
    }

    /// Returns whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.distances.is_empty()
    }

    /// The label of a state.
    pub fn of(&self, state: usize) -> Label {
        match self.distances[state] {
            NEVER => Label::Draw,
            distance if is_lost(distance, self.terminal) => Label::Lose(distance),
            distance => Label::Win(distance),
        }
    }

    /// The labels of all states, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Label> {
        (0..self.len()).map(|state| self.of(state))
    }

    /// The numbers of won, lost and drawn states.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for label in self.iter() {
            match label {
                Label::Win(_) => counts.won += 1,
                Label::Lose(_) => counts.lost += 1,
                Label::Draw => counts.drawn += 1,
            }
        }
        counts
    }
}

/// The numbers of states that are won, lost and drawn for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// States that the player to move wins.
    pub won: usize,
    /// States that the player to move loses.
    pub lost: usize,
    /// Draws.
    pub drawn: usize,
}

/// Returns whether a state of this remoteness is lost.
fn is_lost(distance: u32, terminal: Terminal) -> bool {
    distance.is_multiple_of(2) == (terminal == Terminal::Loses)
}

/// A digraph as adjacency lists: four bytes for each arc and each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The start of each state's arcs, and the end of the last ones.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Relation {
    /// Builds the digraph of `states` states. `source` is called once for each
    /// state in order, and passes the targets of its arcs to the callback.
    ///
    /// # Errors
    ///
    /// The errors of the source, and [`BuildError::TooManyArcs`].
    ///
    /// # Panics
    ///
    /// If there are more than [`MOST_STATES`] states.
    pub fn build<E>(
        states: usize,
        mut source: impl FnMut(u32, &mut dyn FnMut(u32)) -> Result<(), E>,
    ) -> Result<Relation, BuildError<E>> {
        assert!(states <= MOST_STATES, "states are counted in 31 bits");
        let mut starts = Vec::with_capacity(states + 1);
        let mut targets = Vec::new();
        starts.push(0);
        for state in 0..states as u32 {
            source(state, &mut |target| targets.push(target)).map_err(BuildError::Source)?;
            starts.push(u32::try_from(targets.len()).map_err(|_| BuildError::TooManyArcs)?);
        }
        targets.shrink_to_fit();
        Ok(Relation { starts, targets })
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of arcs.
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }

    /// The targets of the arcs of a state, in the order of the source.
    pub fn from(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    /// The bytes of memory of the arcs.
    pub fn bytes(&self) -> u64 {
        4 * (self.starts.len() as u64 + self.targets.len() as u64)
    }

    /// The predecessors of each state.
    pub fn reverse(&self) -> Reverse {
        let built = Reverse::build(self.states(), |state, visit| {
            self.from(state as usize).iter().copied().for_each(visit);
            Ok::<(), std::convert::Infallible>(())
        });
        match built {
            Ok(reverse) => reverse,
            Err(BuildError::Source(never)) => match never {},
            Err(BuildError::TooManyArcs) => unreachable!("the reverse has the same arcs"),
        }
    }

    /// The labels of all states.
    ///
    /// `pause` is called at intervals; its error stops the computation.
    ///
    /// # Errors
    ///
    /// Those of `pause`.
    pub fn labels<E>(
        &self,
        terminal: Terminal,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Labels, E> {
        let states = 0..self.states();
        match self.order() {
            Order::Down => Ok(self.in_given_order(states, terminal)),
            Order::Up => Ok(self.in_given_order(states.rev(), terminal)),
            Order::Neither => retrograde(&self.reverse(), terminal, pause),
        }
    }

    /// Returns whether all arcs lead to lower numbers, or all to higher ones.
    /// Such a digraph has no cycle; other digraphs may have none either.
    pub fn is_monotone(&self) -> bool {
        self.order() != Order::Neither
    }

    /// The direction of the arcs in the order of the states.
    fn order(&self) -> Order {
        let all = |test: fn(usize, usize) -> bool| {
            (0..self.states())
                .all(|state| self.from(state).iter().all(|to| test(*to as usize, state)))
        };
        if all(|to, from| to < from) {
            Order::Down
        } else if all(|to, from| to > from) {
            Order::Up
        } else {
            Order::Neither
        }
    }

    /// Labels the states in a given order, in which the targets of a state come
    /// before it.
    fn in_given_order(&self, order: impl Iterator<Item = usize>, terminal: Terminal) -> Labels {
        let mut distances = vec![0; self.states()];
        for state in order {
            let mut won = NEVER;
            let mut lost = None;
            for to in self.from(state) {
                let distance: u32 = distances[*to as usize];
                if is_lost(distance, terminal) {
                    won = won.min(distance + 1);
                }
                lost = lost.max(Some(distance + 1));
            }
            distances[state] = if won < NEVER { won } else { lost.unwrap_or(0) };
        }
        Labels {
            distances,
            terminal,
        }
    }
}

/// The direction of the arcs of a digraph in the order of the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// To lower numbers.
    Down,
    /// To higher numbers.
    Up,
    Neither,
}
