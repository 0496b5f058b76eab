//! Random rules, and every interpreter of a rule compared with the executable
//! definition of the language (`nimrule_definition`).
//!
//! - [`generate`]: a random rule with claims, covering the grammar.
//! - [`tree`]: texts that can be made shorter, to show the least rule that
//!   fails.
//! - [`compare`]: the comparisons.
//! - [`run`]: many seeds, with what failed in the shortest form.
//!
//! Only tests use this crate, with fixed seeds (`tests/`), and `.ci/soak` with
//! fresh ones.

pub mod compare;
pub mod generate;
pub mod numbers;
pub mod run;
pub mod tree;
