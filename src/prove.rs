//! Proofs for heaps of all sizes.

pub mod free;
