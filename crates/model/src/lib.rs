//! The checked rule of a game as data: expressions, moves and claims.
//!
//! This crate does not parse, check or solve. The semantic check of the language
//! produces a [`game::Game`]; engines, provers, the certificate checker and the
//! executable definition interpret it. Boards are data of `nimrule_board`.
//!
//! - [`source`]: source texts and spans.
//! - [`digraph`]: boards whose vertices are joined by arcs.
//! - [`expr`]: typed expressions, their evaluation and static analyses.
//! - [`game`]: the rule itself.
//! - [`group`]: heaps with indices.
//!
//! # Examples
//!
//! ```
//! let file = nimrule_model::digraph::read(b"digraph { start -> middle -> end; start -> end }")?;
//! assert_eq!(file.names, ["start", "middle", "end"]);
//! assert_eq!(file.arcs, [(0, 1), (1, 2), (0, 2)]);
//! # Ok::<(), nimrule_model::digraph::FileError>(())
//! ```

#![warn(missing_docs)]

pub mod digraph;
pub mod expr;
pub mod game;
pub mod group;
pub mod latex;
pub mod position;
pub mod source;

/// The version of the language's semantics, on which proofs, certificates and
/// checkpoints depend.
///
/// It is incremented whenever the options of a position, its outcome, or the
/// truth of a claim at a position changes for any rule. Files of another version
/// are rejected.
pub const SEMANTICS_VERSION: u32 = 2;
