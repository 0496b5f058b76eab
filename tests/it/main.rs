//! The integration tests, as one crate, so that the library is linked once.

mod agreement;
mod any_size;
mod atlas;
mod bags;
mod budget;
mod certificates;
mod checker;
mod cli;
mod comprehensions;
mod conjectures;
mod connection;
mod docs;
mod engines;
mod errors;
mod formatting;
mod forms;
mod game_files;
mod games;
mod identity;
mod interpreters;
mod known_games;
mod limits;
mod listings;
mod literature;
mod long_runs;
mod matrix;
mod misere_engine;
mod new_engine;
mod numbers;
mod oeis;
mod out_of_core;
mod outcomes;
mod pairings;
mod papers;
mod partizan_and_loopy;
mod partizan_sums;
mod pictures;
mod play;
mod proof_cache;
mod properties;
mod reals;
mod reference;
mod residual_learning;
mod rocq;
mod sequence;
mod sheet;
mod source_invariants;
mod sums;
mod symbolic;
mod tables;
mod theorems;
mod tokens_on_digraphs;
mod why;

/// How long what ends at once, or within a second of its limit, may take where the machine has
/// other work. Each test that uses it has cases that take longer still if they ignore the limit.
const WHEN_BUSY: std::time::Duration = std::time::Duration::from_secs(15);

/// The words of a line, such as the arguments of a command.
fn split(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}
