//! The tests that look at the whole: one crate, so that it links once.

mod any_size;
mod certificates;
mod cli;
mod docs;
mod engines;
mod errors;
mod forms;
mod games;
mod long;
mod meaning;
mod misere;
mod outcomes;
mod pairings;
mod properties;
mod quotient;
mod reference;
mod relations;
mod rows;
mod sameness;
mod sequence;
mod slabs;
mod sum_turns;
mod sums;
mod theorems;
mod tidy;
mod tokens;
