//! Theorems for all sizes.

pub mod compile;
mod eliminate;
pub mod formula;
pub mod meaning;
pub mod outside;
