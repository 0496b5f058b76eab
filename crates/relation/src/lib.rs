//! Finite relations: states, and arcs from each to those that a move leads to.
//!
//! A relation need not end: its arcs may run in circles. What it says about
//! who wins is found from its end backwards ([`retrograde`]): a state from
//! which a lost one can be reached is won, a state all of whose arcs lead to
//! won ones is lost, and what is left when nothing more follows is drawn.
//!
//! - [`Relation`]: the arcs in memory, state by state.
//! - [`Reverse`]: the states before each, built in two passes over a source
//!   of arcs that need not be in memory.
//! - [`sides`]: two players who move differently.
//! - [`values`]: Grundy values, also where play need not end.
//! - [`kernels`]: the labellings that are consistent with a relation.
//! - [`plain`]: the same answers by the definition, for comparison.
//!
//! Nothing here knows what a state is; games number theirs.

pub mod kernels;
pub mod natural;
pub mod plain;
mod player;
mod retrograde;
mod reverse;
pub mod sides;
pub mod values;

pub use player::{Class, Side};
pub use retrograde::retrograde;
pub use reverse::Reverse;

use thiserror::Error;

/// States and arcs are counted in 32 bits, and a label takes one of them.
pub const MOST_STATES: usize = (1 << 31) - 1;
pub const MOST_ARCS: usize = u32::MAX as usize;

/// Why a relation could not be built.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failed<E> {
    /// The source of the arcs failed.
    #[error("{0}")]
    Source(E),
    #[error("there are more than {MOST_ARCS} arcs")]
    TooManyArcs,
}

/// What becomes of a player who cannot move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stuck {
    /// As in normal play.
    Loses,
    /// As in misere play.
    Wins,
}

/// What a state is for the player to move, with the number of moves to the
/// end where the winner hurries and the loser holds out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Win(u32),
    Lose(u32),
    /// Neither player can force the end.
    Draw,
}

/// The label of every state, in four bytes each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// Moves to the end. They are even exactly where the player to move is
    /// the one who will be stuck.
    distances: Vec<u32>,
    stuck: Stuck,
}

/// The distance of a state from which play need not end.
const NEVER: u32 = u32::MAX;

impl Labels {
    pub fn len(&self) -> usize {
        self.distances.len()
    }

    pub fn is_empty(&self) -> bool {
        self.distances.is_empty()
    }

    pub fn of(&self, state: usize) -> Label {
        match self.distances[state] {
            NEVER => Label::Draw,
            distance if is_lost(distance, self.stuck) => Label::Lose(distance),
            distance => Label::Win(distance),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Label> {
        (0..self.len()).map(|state| self.of(state))
    }

    /// How many states are won, lost and drawn.
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

/// How many states are won, lost and drawn for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub won: usize,
    pub lost: usize,
    pub drawn: usize,
}

/// Is a state lost whose play ends after so many moves?
fn is_lost(distance: u32, stuck: Stuck) -> bool {
    distance.is_multiple_of(2) == (stuck == Stuck::Loses)
}

/// Arcs in memory: four bytes each, and four for each state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// Where the arcs of each state begin, and where the last ones end.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

impl Relation {
    /// Collects the arcs of `states` states, in one pass over them.
    ///
    /// # Panics
    ///
    /// If there are more than [`MOST_STATES`] states.
    pub fn build<E>(
        states: usize,
        mut source: impl FnMut(u32, &mut dyn FnMut(u32)) -> Result<(), E>,
    ) -> Result<Relation, Failed<E>> {
        assert!(states <= MOST_STATES, "states are counted in 31 bits");
        let mut starts = Vec::with_capacity(states + 1);
        let mut targets = Vec::new();
        starts.push(0);
        for state in 0..states as u32 {
            source(state, &mut |target| targets.push(target)).map_err(Failed::Source)?;
            starts.push(u32::try_from(targets.len()).map_err(|_| Failed::TooManyArcs)?);
        }
        targets.shrink_to_fit();
        Ok(Relation { starts, targets })
    }

    pub fn states(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn arcs(&self) -> usize {
        self.targets.len()
    }

    /// Where the arcs from a state lead, in the order they were given.
    pub fn from(&self, state: usize) -> &[u32] {
        &self.targets[self.starts[state] as usize..self.starts[state + 1] as usize]
    }

    pub fn bytes(&self) -> u64 {
        4 * (self.starts.len() as u64 + self.targets.len() as u64)
    }

    /// The arcs backwards.
    pub fn reverse(&self) -> Reverse {
        let built = Reverse::build(self.states(), |state, visit| {
            self.from(state as usize).iter().copied().for_each(visit);
            Ok::<(), std::convert::Infallible>(())
        });
        match built {
            Ok(reverse) => reverse,
            Err(Failed::Source(never)) => match never {},
            Err(Failed::TooManyArcs) => unreachable!("they are as many as there were"),
        }
    }

    /// Who wins where.
    ///
    /// `pause` is called now and then, and stops the search by failing.
    pub fn labels<E>(
        &self,
        stuck: Stuck,
        pause: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Labels, E> {
        let states = 0..self.states();
        match self.order() {
            Order::Down => Ok(self.pulled(states, stuck)),
            Order::Up => Ok(self.pulled(states.rev(), stuck)),
            Order::Neither => retrograde(&self.reverse(), stuck, pause),
        }
    }

    /// Do all arcs lead to lower numbers, or all to higher ones? Then there
    /// are no cycles; there may be none elsewhere too.
    pub fn leads_one_way(&self) -> bool {
        self.order() != Order::Neither
    }

    /// Which way do the arcs lead through the numbers?
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

    /// Labels each state from those its arcs lead to, which come before it in
    /// the order given.
    fn pulled(&self, order: impl Iterator<Item = usize>, stuck: Stuck) -> Labels {
        let mut distances = vec![0; self.states()];
        for state in order {
            let mut won = NEVER;
            let mut lost = None;
            for to in self.from(state) {
                let distance: u32 = distances[*to as usize];
                if is_lost(distance, stuck) {
                    won = won.min(distance + 1);
                }
                lost = lost.max(Some(distance + 1));
            }
            distances[state] = if won < NEVER { won } else { lost.unwrap_or(0) };
        }
        Labels { distances, stuck }
    }
}

/// Which way the arcs of a relation lead through the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// To lower numbers.
    Down,
    /// To higher numbers.
    Up,
    Neither,
}
