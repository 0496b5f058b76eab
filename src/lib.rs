#![forbid(unsafe_code)]
pub mod board;
pub mod check;
pub mod expr;
pub mod game;
pub mod source;
pub mod syntax;
