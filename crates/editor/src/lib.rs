//! What editors ask of rule files: diagnostics with corrections, hover, completion, signatures,
//! definitions, renaming, symbols, kinds of tokens, formatting, and a TextMate grammar.
//!
//! [`Document`] answers all of it from a text that may be half typed. It runs the syntax
//! and the semantic analysis alone and solves nothing, so that it can run wherever an
//! editor does. The language server `nimrule lsp` wraps it in the protocol.

#![warn(missing_docs)]

mod document;
mod expression;
mod lines;
mod signature;
mod symbols;
mod textmate;
mod tokens;

pub use document::{Claim, Completion, CompletionKind, Document, Finding, Hover, Label, Written};
pub use lines::{Lines, Place};
pub use nimrule_syntax::Replacement;
pub use signature::Signature;
pub use symbols::{Symbol, SymbolKind};
pub use textmate::textmate;
pub use tokens::{Token, TokenKind};
