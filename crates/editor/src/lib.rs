//! What editors ask of rule files: diagnostics with corrections, hover, completion,
//! definitions, renaming, symbols, formatting, and a TextMate grammar.
//!
//! [`Document`] answers all of it from a text that may be half typed. It runs the syntax
//! and the semantic analysis alone and solves nothing, so that it can run wherever an
//! editor does. The language server `nimrule lsp` wraps it in the protocol.

#![warn(missing_docs)]

mod document;
mod expression;
mod lines;
mod symbols;
mod textmate;

pub use document::{Claim, Completion, CompletionKind, Document, Finding, Hover, Label, Written};
pub use lines::{Lines, Place};
pub use nimrule_syntax::Replacement;
pub use symbols::{Symbol, SymbolKind};
pub use textmate::textmate;
