//! Partizan games: two players, Left and Right, with different moves.

use super::{BuildError, Label, Labels, Reverse, Terminal, retrograde};

/// A player of a partizan game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The player Left.
    Left,
    /// The player Right.
    Right,
}

impl Side {
    /// Both players.
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    /// The opponent.
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }

    /// The name of the player.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "Left",
            Side::Right => "Right",
        }
    }

    /// The keyword of the player in the language.
    pub fn word(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// The outcome class of a position of a partizan game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The player who has just moved wins.
    P,
    /// The player to move wins.
    N,
    /// Left wins, whichever player moves first.
    L,
    /// Right wins, whichever player moves first.
    R,
    /// A draw, if Left moves first or if Right does.
    D,
}

impl Class {
    /// The letter of the class.
    pub fn letter(self) -> &'static str {
        match self {
            Class::P => "P",
            Class::N => "N",
            Class::L => "L",
            Class::R => "R",
            Class::D => "D",
        }
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.letter())
    }
}

/// The labels of all states, for each player to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideLabels {
    /// The label of `2 * state + side`: 0 is Left, and 1 is Right.
    labels: Labels,
}

/// Labels all states, for each player to move.
///
/// `source` passes the targets of a player's arcs from a state to the callback;
/// it is called twice for each state and player, and must pass the same arcs.
/// `pause` is called at intervals; its error stops the computation.
///
/// # Errors
///
/// The errors of the source and of `pause`, and [`BuildError::TooManyArcs`].
pub fn label<E>(
    states: usize,
    mut source: impl FnMut(u32, Side, &mut dyn FnMut(u32)) -> Result<(), E>,
    terminal: Terminal,
    pause: &mut dyn FnMut() -> Result<(), E>,
) -> Result<SideLabels, BuildError<E>> {
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
    let labels = retrograde(&reverse, terminal, pause).map_err(BuildError::Source)?;
    Ok(SideLabels { labels })
}

impl SideLabels {
    /// The number of states.
    pub fn len(&self) -> usize {
        self.labels.len() / 2
    }

    /// Returns whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The label of a state with `side` to move.
    pub fn of(&self, state: usize, side: Side) -> Label {
        self.labels.of(2 * state + usize::from(side == Side::Right))
    }

    /// The outcome class of a state.
    pub fn class(&self, state: usize) -> Class {
        class(self.of(state, Side::Left), self.of(state, Side::Right))
    }
}

/// The outcome class of a state, from its labels with Left and with Right to
/// move.
pub fn class(left: Label, right: Label) -> Class {
    match (left, right) {
        (Label::Draw, _) | (_, Label::Draw) => Class::D,
        (Label::Win(_), Label::Win(_)) => Class::N,
        (Label::Win(_), Label::Lose(_)) => Class::L,
        (Label::Lose(_), Label::Win(_)) => Class::R,
        (Label::Lose(_), Label::Lose(_)) => Class::P,
    }
}
