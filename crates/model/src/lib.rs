//! The checked rule of a game as data: boards, expressions, moves, claims.
//!
//! Nothing here parses, checks or solves: the checker of the language makes a
//! [`game::Game`], and whoever interprets a rule reads one.

pub mod board;
pub mod digraph;
pub mod expr;
pub mod game;
pub mod source;

/// The version of the language's semantics, of every reading of a rule that a
/// proof, a certificate or a checkpoint rests on.
///
/// It is raised whenever the options of a position, its outcome, or what a
/// claim says of a position change for any rule. What was written with another
/// version is not used.
pub const SEMANTICS_VERSION: u32 = 2;
