//! A declarative language for impartial take-away games, and a solver that
//! answers from the rule itself.
//!
//! # Use
//!
//! [`Game`] is the entry point: a rule read from a text, with methods to solve,
//! list, check and prove.
//!
//! ```
//! use nimrule::{Game, Outcome, Verdict};
//!
//! let game = Game::parse(
//!     "game nim
//!      heaps a b c
//!      move take from one heap
//!      claim P iff a ^ b ^ c == 0",
//! )?;
//!
//! // Who wins, and how?
//! let answer = game.solve(&[3, 4, 5])?;
//! assert_eq!(answer.outcome, Outcome::N);
//! assert_eq!(answer.winning_moves, [[1, 4, 5]]);
//!
//! // All P-positions up to a bound; `to_string()` makes a snapshot.
//! assert_eq!(game.table(1)?.to_string(), "(0,0,0)\n(0,1,1)\n(1,0,1)\n(1,1,0)\n");
//!
//! // The claims of the file: compared with answers to a bound, or proved.
//! assert_eq!(game.check_claims(7)?[0].passes(), Some(true));
//! assert!(matches!(game.prove()?[0].verdict, Verdict::Proved(_)));
//! # Ok::<(), nimrule::Error>(())
//! ```
//!
//! Errors are diagnostics of `miette`, with the source text and the place.
//! The crate follows semantic versioning: what this page lists is the public
//! interface. The other packages of the workspace have interfaces of their own,
//! which change more often.
//!
//! # Architecture
//!
//! Data flows in one direction, from the text to the answer:
//!
//! ```text
//! text ─ syntax ─▶ tree ─ elaborate ─▶ Rule ─ analysis ─▶ Game ─ ir::lower ─▶ MoveGraph, the lowered form
//!
//!                  ┌─ ir::profile ──────▶ properties: which engines and provers apply
//!                  ├─ ir::moves ────────▶ options of one position  ┐
//! MoveGraph, Expr ─┼─ ir::batch ────────▶ options of 256 at a time ┴─ engine, claim ┐
//!                  └─ symbolic ─────────▶ the transition relation ─── prove ────────┤
//!                                                                                   │
//!               library (Game), cli, lsp, page ◀─ answers, reports ─ answer::Session ┘
//!
//! Game ─┬─ nimrule_checker ─────▶ checks certificates
//!       └─ nimrule_definition ──▶ the definition that tests compare everything with
//! ```
//!
//! [`Session`] is the only place that chooses who answers; the library, the command line,
//! the language server and the page in a browser show what it returns. `CONTRIBUTING.md`
//! says where to change what, and which packages need not be read; each package has a `README.md`.
//!
//! The packages of the workspace; each manifest names what the package depends on:
//!
//! | package | what it is |
//! | --- | --- |
//! | `nimrule-limits` | limits of time and memory, cancellation, progress; the format of checkpoints and of the proof cache |
//! | `nimrule-automata` | multi-track automata, which recognise relations between numbers by their digits; their counts, and texts of Walnut |
//! | `nimrule-kernels` | bit-parallel kernels: outcomes and Grundy values of a box of positions, at once or in columns that exchange faces |
//! | `nimrule-sequence` | Grundy sequences of one heap, and their periods |
//! | `nimrule-quotient` | misère quotients of games whose moves change one heap |
//! | `nimrule-relation` | finite move digraphs: retrograde analysis, kernels |
//! | `nimrule-board` | boards: incidence structures, files of graphs, symmetries |
//! | `nimrule-model` | the checked rule as data: places in a text, digraphs, expressions, the rule |
//! | `nimrule-syntax` | the grammar, the tree, errors of parsing |
//! | `nimrule-elaborate` | from the tree to the checked rule: names, kinds, ranges |
//! | `nimrule-analysis` | from the rule to the game, the rule with facts: termination, symmetries |
//! | `nimrule-ir` | the lowered form: the move-generator graph, its evaluation at one position or at 256, its properties |
//! | `nimrule-engine` | engines that answer from the lowered form, one file each |
//! | `nimrule-claim` | claims and examples compared with the answers |
//! | `nimrule-symbolic` | rules and expressions as formulas over all positions at once |
//! | `nimrule-real` | claims about heaps of real size: quantifier elimination |
//! | `nimrule-prove` | proofs for all sizes: formulas, automata, the partition theorem |
//! | `nimrule-discover` | the search for theorems: automata and closed forms without a claim, which `nimrule-prove` decides |
//! | `nimrule-checker` | the independent checker: whether a certificate proves its claim; knows neither the lowered form nor the prover |
//! | `nimrule-definition` | the executable definition of a rule, used by tests only: everything else is compared with it |
//! | `nimrule-answer` | the session, which chooses who answers and with how much work; sums of games; answers in words and JSON |
//! | `nimrule-editor` | what editors ask of rule files: diagnostics, hover, completion, renaming |
//! | `nimrule-draw` | pictures of positions, automata and outcomes |
//! | `nimrule-paper` | a rule file as a paper in LaTeX; sheets of positions to solve |
//! | `nimrule-rocq` | claims about hypergraph Nim, slow moves and boards that shrink as theorems for Rocq |
//! | `nimrule-host` | a session as messages, for the page in a browser (`web`) and for Python (`python`) |
//! | `nimrule-wasm` | the module of the page's workers |
//! | `nimrule-fixtures` | rules and random numbers that the tests of several packages share |
//! | `nimrule-widened` | no code: features that the tests share, so that nothing is built twice |
//! | `nimrule-testing` | random rules that cover the grammar, and the comparisons of every interpreter with the definition (`.ci/soak`) |
//! | `nimrule` | this package: the library's entry points and the command line |
//!
//! # Invariants
//!
//! - What a rule means is defined by `nimrule_definition`. Outside of
//!   `nimrule_elaborate`, `nimrule_analysis`, [`nimrule_ir::lower`], the definition and the checker nothing
//!   reads the moves of a [rule](nimrule_model::game::Rule): engines and provers interpret the lowered
//!   form. Every interpreter is compared with the definition, on random rules that
//!   cover the grammar and on the shipped games.
//! - An interpreter returns `Unsupported`, with the construct, for what it does not
//!   handle, and never approximates. Matches over operators and nodes are exhaustive.
//! - Rules and expressions keep their source spans.
//! - Equality of trees ignores spans ([`nimrule_model::source::Spanned`]).
//! - The order of results never depends on a hash.
//! - Only `cli` performs input and output, and the only other threads are those of
//!   a sweep ([`nimrule_kernels::hypergraph_nim`], [`nimrule_kernels::nim_sums`]) where
//!   [`Limits`] allow more than one, the one that sends and receives for a rank of `mpirun`,
//!   and the one of each game that is asked from Python.

#![warn(missing_docs)]

// The command line names the library as other programs do.
extern crate self as nimrule;

mod answer;
#[cfg(feature = "cli")]
pub mod cli;
mod compile;
mod game;
pub mod problem;

pub use answer::{Answer, Discovery, GrundyValues, Outcomes, codes_of, shape};
pub use compile::{Compiled, compile, parameter_for, parameter_value};
pub use game::Game;
pub use nimrule_answer::{
    Basis, ClaimReport, Counterexample, Effort, Evidence, Position, Session, Verdict, sum,
};
pub use nimrule_engine::Outcome;
pub use nimrule_limits::{Instant, Limits, Progress};
pub use nimrule_model::game::Convention;
pub use nimrule_model::source::Source;
pub use problem::{Error, Label, Parts, Problems};

/// Fails to compile if an answer cannot cross threads.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Answer>();
    crosses_threads::<ClaimReport>();
    crosses_threads::<Discovery>();
    crosses_threads::<Error>();
    crosses_threads::<Game>();
    crosses_threads::<GrundyValues>();
    crosses_threads::<Limits>();
    crosses_threads::<Outcomes>();
};
