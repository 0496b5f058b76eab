//! A declarative language for impartial take-away games, and a solver that
//! answers from the rule itself.
//!
//! # Architecture
//!
//! Data goes one way, and the modules are in its order:
//!
//! ```text
//! text ─ syntax ─▶ tree ─ check ─▶ Game ─ ir::lower ─▶ MoveGraph, the lowered form
//!
//!                  ┌─ ir::profile ──────▶ facts: which engines and provers suit
//!                  ├─ ir::moves ────────▶ options of one position  ┐
//! MoveGraph, Expr ─┼─ ir::abreast ──────▶ options of 256 at a time ┴─ engine ─▶ answer ─┐
//!                  └─ prove::symbolic ──▶ the transition relation ─── prove ──▶ verdict ┴─▶ cli
//!
//! Game ─┬─ nimrule_checker ─────▶ is a certificate right?
//!       └─ nimrule_definition ──▶ what tests hold everything against
//! ```
//!
//! Members of the workspace, each usable without the others but for what its
//! manifest names:
//!
//! - [`limits`]: what an answer may cost, and who waits for it;
//!   [`checkpoint`]: the format of checkpoints and of the proof cache.
//! - [`automata`]: multi-track automata, which recognise relations between
//!   numbers by their digits.
//! - [`rows`]: outcomes of a box a row of bits at a time, by kernels that know
//!   nothing of games.
//! - [`sequence`]: the Grundy values of one heap, and their period.
//! - [`quotient`]: misere quotients of games whose moves change one heap.
//! - [`relation`]: finite relations of numbered states, solved backwards.
//! - `nimrule_model`, the checked rule as data: [`source`], places in a text;
//!   [`board`], incidence structures and their symmetries; [`digraph`], boards
//!   that are a relation, with names for the states; [`expr`], expressions with
//!   kinds; [`game`], the rule itself.
//! - `nimrule_checker`: whether a certificate proves its claim, with a reading of
//!   rules of its own; neither the lowered form nor a prover is known to it.
//! - `nimrule_definition`: the meaning of a rule, executable, by the words of
//!   the reference. Only tests use it: everything else is compared with it.
//! - `nimrule_testing`: random rules that cover the grammar, and the comparisons
//!   of every interpreter with the definition; `.ci/soak` runs them for hours.
//!
//! Modules of this package:
//!
//! - [`syntax`]: the grammar, the tree, errors of parsing.
//! - [`check`]: names, kinds, ranges, termination: tree to game.
//! - [`ir`]: the move-generator graph, to which every rule is lowered, what
//!   it says of one position or of many, and its facts.
//! - [`engine`]: ways to answer from the graph; one file an engine.
//! - [`structures`]: a game as a relation, with all labellings that fit it.
//! - [`claim`]: claims and examples held against the answers.
//! - [`prove`]: theorems for all sizes: claims and rules as automata, the
//!   partition theorem, verdicts; of real sizes by eliminating quantifiers.
//! - [`sum`]: positions of several games beside each other.
//! - [`problem`]: every phase's errors as one.
//! - [`cli`]: a file a verb; the only place that prints or reads files.
//!
//! # Invariants
//!
//! - Dependencies point one way: source ← syntax ← check ← ir ← engine ←
//!   claim ← prove ← sum ← cli. Only `problem` knows every phase's errors.
//! - pest is named in `syntax` alone, petgraph in `ir` alone.
//! - What a rule means is defined by `nimrule_definition`. Outside of `check`,
//!   [`ir::lower`], the definition and the checker nothing reads the moves of a
//!   [`game::Game`]: engines and provers interpret the lowered form. Every
//!   interpreter is compared with the definition, on random rules that cover the
//!   grammar and on the shipped games.
//! - An interpreter refuses by name what it does not handle, and never
//!   approximates. Matches over operators and nodes are exhaustive.
//! - Rules and expressions keep their places in the text to the end.
//! - Equality of trees ignores places ([`source::Spanned`]).
//! - Order never depends on a hash.
//! - Outside of `cli` there is no input or output, and no threads but those of
//!   a sweep ([`rows::mex`]) where [`limits::Limits`] allow more than one.

pub mod check;
pub mod claim;
pub mod cli;
pub mod engine;
pub mod ir;
pub mod problem;
pub mod prove;
pub mod structures;
pub mod sum;
pub mod syntax;

pub use nimrule_automata as automata;
pub use nimrule_kernels as rows;
pub use nimrule_limits::{self as limits, checkpoint};
pub use nimrule_model::{board, digraph, expr, game, source};
pub use nimrule_quotient as quotient;
pub use nimrule_relation as relation;
pub use nimrule_sequence as sequence;

use check::Settings;
use game::Game;
use problem::{Problem, Problems};
use source::{ReadFile, Source};
use std::sync::Arc;
use syntax::ast;

/// A text that makes sense.
#[derive(Debug, Clone)]
pub struct Compiled {
    pub file: ast::File,
    pub game: Game,
    pub warnings: Problems,
}

/// Compiles a rule file at given values of its parameters.
///
/// `read` reads the files that a board is taken `from`. All faults of the text
/// are found in one run.
pub fn compile(
    source: &Source,
    settings: &Settings,
    read: ReadFile<'_>,
) -> Result<Compiled, Problems> {
    let all = |problems: Vec<Problem>| Problems::new(source, problems);
    let file = syntax::parse(&source.text)
        .map_err(|problems| all(problems.into_iter().map(Problem::from).collect()))?;
    match check::check(&file, &source.text, settings, read) {
        Ok(checked) => Ok(Compiled {
            file,
            game: Game {
                text: Arc::new(source.clone()),
                ..checked.game
            },
            warnings: all(checked.warnings.into_iter().map(Problem::from).collect()),
        }),
        Err(problems) => Err(all(problems.into_iter().map(Problem::from).collect())),
    }
}
