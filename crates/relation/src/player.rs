//! The two players, and who of them wins.

/// One of two players who move differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    pub const BOTH: [Side; 2] = [Side::Left, Side::Right];

    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }

    /// The side's name, as papers write it.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "Left",
            Side::Right => "Right",
        }
    }

    /// The side's word in the language.
    pub fn word(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// An outcome class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The player who has just moved wins.
    P,
    /// The player to move wins.
    N,
    /// Left wins, whoever moves.
    L,
    /// Right wins, whoever moves.
    R,
    /// With one side to move at least, nobody can force a win.
    D,
}

impl Class {
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
