//! The checked rule of a game as data: boards, expressions, moves and claims.
//!
//! This crate does not parse, check or solve. The semantic check of the language
//! produces a [`game::Game`]; engines, provers, the certificate checker and the
//! executable definition interpret it.
//!
//! - [`source`]: source texts and spans.
//! - [`board`]: incidence structures, their symmetries, and graph file formats.
//! - [`digraph`]: boards whose vertices are joined by arcs.
//! - [`expr`]: typed expressions, their evaluation and static analyses.
//! - [`game`]: the rule itself.
//!
//! # Examples
//!
//! ```
//! use nimrule_model::board::{Board, CellKind};
//!
//! let cube = Board::cube();
//! let faces_at_edges = cube.touching(CellKind::Face, CellKind::Edge).unwrap();
//! assert_eq!(faces_at_edges.len(), 12);
//! assert!(faces_at_edges.iter().all(|faces| faces.len() == 2));
//! ```

#![warn(missing_docs)]

pub mod board;
pub mod digraph;
pub mod expr;
pub mod game;
mod heap_id;
pub mod latex;
pub mod source;

/// The version of the language's semantics, on which proofs, certificates and
/// checkpoints depend.
///
/// It is incremented whenever the options of a position, its outcome, or the
/// truth of a claim at a position changes for any rule. Files of another version
/// are rejected.
pub const SEMANTICS_VERSION: u32 = 2;
