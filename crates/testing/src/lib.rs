//! Differential tests: every interpreter of rules is compared with the
//! executable definition of the language (`nimrule_definition`) on random rules.
//!
//! - [`generate`]: random rules with claims that cover the grammar.
//! - [`tree`]: texts that can be shrunk to the smallest rule that fails.
//! - [`compare`]: the comparisons.
//! - [`latex`]: a reader of the LaTeX of claims.
//! - [`run`]: one comparison for one seed, with the shrunk rule if it fails.
//!
//! The tests of this crate use fixed seeds; `.ci/soak` uses new ones.

#![warn(missing_docs)]

pub mod compare;
pub mod generate;
pub mod latex;
pub mod run;
pub mod tree;
