//! From text to the abstract syntax tree.
//!
//! `parse` is the entry point. It knows the grammar and nothing of what names
//! mean; a tree that comes out of here may still speak of cells that no board
//! has. This folder is the only place that names pest.

pub mod ast;
mod build;
mod parser;
mod problem;
mod refusal;
mod scan;
mod words;

pub use parser::{parse, parse_condition, parse_position, parse_value};
pub use problem::SyntaxProblem;
pub use words::nearest;
