//! A declarative language for impartial take-away games, and a solver that
//! answers from the rule itself.
//!
//! # Architecture
//!
//! Data goes one way, and the modules are in its order:
//!
//! ```text
//! text ─ syntax ─▶ tree ─ elaborate ─▶ Game ─ ir::lower ─▶ MoveGraph, the lowered form
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
//! The packages of the workspace; each manifest names what the package depends on:
//!
//! | package | what it is |
//! | --- | --- |
//! | `nimrule-limits` | limits of time and memory, cancellation, progress; the format of checkpoints and of the proof cache |
//! | `nimrule-automata` | multi-track automata, which recognise relations between numbers by their digits |
//! | `nimrule-kernels` | bit-parallel kernels: outcomes and Grundy values of a box of positions |
//! | `nimrule-sequence` | Grundy sequences of one heap, and their periods |
//! | `nimrule-quotient` | misère quotients of games whose moves change one heap |
//! | `nimrule-relation` | finite move digraphs: retrograde analysis, kernels |
//! | `nimrule-model` | the checked rule as data: places in a text, boards and their symmetries, digraphs, expressions, the rule |
//! | `nimrule-syntax` | the grammar, the tree, errors of parsing |
//! | `nimrule-elaborate` | from the tree to the checked rule: names, kinds, ranges, termination |
//! | `nimrule-ir` | the lowered form: the move-generator graph, its evaluation at one position or at 256, its facts |
//! | `nimrule-engine` | engines that answer from the lowered form, one file each |
//! | `nimrule-claim` | claims and examples compared with the answers; sums of games |
//! | `nimrule-prove` | proofs for all sizes: symbolic interpretation, automata, quantifier elimination |
//! | `nimrule-checker` | the independent checker: whether a certificate proves its claim; knows neither the lowered form nor the prover |
//! | `nimrule-definition` | the executable definition of a rule, used by tests only: everything else is compared with it |
//! | `nimrule-testing` | random rules that cover the grammar, and the comparisons of every interpreter with the definition (`.ci/soak`) |
//! | `nimrule` | this package: the library's entry points and the command line |
//!
//! # Invariants
//!
//! - What a rule means is defined by `nimrule_definition`. Outside of
//!   `nimrule_elaborate`, [`ir::lower`], the definition and the checker nothing
//!   reads the moves of a [`game::Game`]: engines and provers interpret the lowered
//!   form. Every interpreter is compared with the definition, on random rules that
//!   cover the grammar and on the shipped games.
//! - An interpreter refuses by name what it does not handle, and never
//!   approximates. Matches over operators and nodes are exhaustive.
//! - Rules and expressions keep their places in the text to the end.
//! - Equality of trees ignores places ([`source::Spanned`]).
//! - Order never depends on a hash.
//! - Outside of `cli` there is no input or output, and no threads but those of
//!   a sweep ([`rows::mex`]) where [`limits::Limits`] allow more than one.

pub mod problem;

use nimrule_elaborate::Settings;
use nimrule_model::game::Game;
use nimrule_model::source::{ReadFile, Source};
use nimrule_syntax::ast;
use problem::{Problem, Problems};
use std::sync::Arc;

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
    let file = nimrule_syntax::parse(&source.text)
        .map_err(|problems| all(problems.into_iter().map(Problem::from).collect()))?;
    match nimrule_elaborate::check(&file, &source.text, settings, read) {
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
