//! Two players who move differently, in turn.

use super::{Failed, Label, Labels, Reverse, Stuck, retrograde};
use crate::{Class, Side};

/// What every state is with each side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideLabels {
    /// Of the state `2 * state + side`.
    labels: Labels,
}

/// Labels every state with each side to move.
///
/// `source` shows where one side can move from a state, and has to show the
/// same arcs each time. `pause` is called now and then, and stops the search
/// by failing.
pub fn label<E>(
    states: usize,
    mut source: impl FnMut(u32, Side, &mut dyn FnMut(u32)) -> Result<(), E>,
    stuck: Stuck,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<SideLabels, Failed<E>> {
    let reverse = Reverse::build(2 * states, |turn, visit| {
        let side = if turn.is_multiple_of(2) {
            Side::Left
        } else {
            Side::Right
        };
        source(turn / 2, side, &mut |target| {
            visit(2 * target + (1 - turn % 2));
        })
    })?;
    let labels = retrograde(&reverse, stuck, pause).map_err(Failed::Source)?;
    Ok(SideLabels { labels })
}

impl SideLabels {
    /// How many states there are, each of them with two sides to move.
    pub fn len(&self) -> usize {
        self.labels.len() / 2
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// What a state is for `side`, who is to move.
    pub fn of(&self, state: usize, side: Side) -> Label {
        self.labels.of(2 * state + usize::from(side == Side::Right))
    }

    pub fn class(&self, state: usize) -> Class {
        class(self.of(state, Side::Left), self.of(state, Side::Right))
    }
}

/// The outcome class, from what a state is for Left who is to move, and for
/// Right who is.
pub fn class(left: Label, right: Label) -> Class {
    match (left, right) {
        (Label::Draw, _) | (_, Label::Draw) => Class::D,
        (Label::Win(_), Label::Win(_)) => Class::N,
        (Label::Win(_), Label::Lose(_)) => Class::L,
        (Label::Lose(_), Label::Win(_)) => Class::R,
        (Label::Lose(_), Label::Lose(_)) => Class::P,
    }
}
