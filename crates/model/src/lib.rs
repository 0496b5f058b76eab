//! The checked rule of a game as data: boards, expressions, moves, claims.
//!
//! Nothing here parses, checks or solves: the checker of the language makes a
//! [`game::Game`], and whoever interprets a rule reads one.

pub mod board;
pub mod digraph;
pub mod expr;
pub mod game;
pub mod source;
