//! Expressions of rules: analyses, evaluation and words.

mod analyses;
mod builtin;
mod group;
mod latex;
mod named_set;
mod solve;
mod total;
