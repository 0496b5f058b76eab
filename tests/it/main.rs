//! The tests that look at the whole: one crate, so that it links once.

mod cli;
mod docs;
mod engines;
mod errors;
mod games;
mod meaning;
mod properties;
mod quotient;
mod reference;
mod sequence;
mod tidy;
