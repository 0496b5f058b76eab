#![forbid(unsafe_code)]
pub mod board;
pub mod check;
pub mod engine;
pub mod expr;
pub mod game;
pub mod ir;
pub mod source;
pub mod syntax;
