//! Texts: the parser against the grammar, the table of words, and LaTeX.

mod expected;
mod latex;
mod latex_rule;
mod parser;
mod words;
