//! The syntax of rule files: from text to the abstract syntax tree.
//!
//! [`parse`] is the entry point. Names are not resolved here; that is the task of
//! `nimrule_elaborate`. The grammar is `grammar/nimrule.pest`, and this is the
//! only package that depends on pest. A lexical scan bounds the grammar's work and
//! splits the text into statements. Each is parsed by itself; one with an error
//! becomes a node of the tree, and later phases check the others.

pub mod ast;
mod build;
mod expected;
mod explain;
mod format;
mod latex;
mod misspelt;
#[doc(hidden)]
pub mod parser;
mod problem;
mod scan;
mod slips;
pub mod words;

pub use expected::{Expected, expected_at};
pub use explain::{NUMBER_WORDS, TWO_PLAYERS};
pub use format::format;
pub use latex::{
    NameKind, claim_as_latex, expression_as_latex, expression_in_words, moves_as_latex,
    moves_in_words, notation,
};
pub use misspelt::{did_you_mean, meant, nearest};
pub use parser::{
    Parsed, grammar_rules, grammar_rules_in, parse, parse_condition, parse_position,
    parse_position_of_any_size, parse_value,
};
pub use problem::{Replacement, SyntaxProblem};
pub use scan::token_places;
pub use words::{is_reserved, keywords};
