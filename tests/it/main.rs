//! The integration tests, as one crate, so that the library is linked once.

mod any_size;
mod atlas;
mod batch;
mod bounds_propagation;
mod certificates;
mod checker;
mod cli;
mod components;
mod docs;
mod engines;
mod errors;
mod formatting;
mod forms;
mod game_files;
mod games;
mod interpreters;
mod limits;
mod literature;
mod long_runs;
mod misere_engine;
mod new_engine;
mod pairings;
mod partizan_and_loopy;
mod partizan_sums;
mod pictures;
mod play;
mod proof_cache;
mod properties;
mod quotient;
mod reals;
mod reference;
mod relations;
mod residual_learning;
mod row_sweeps;
mod same_as;
mod sequence;
mod source_invariants;
mod sums;
mod sweep_checkpoints;
mod symbolic;
mod theorems;
mod tokens_on_digraphs;
mod why;

/// The size of a test: `few`, or `many` where `.ci/soak` runs the tests.
fn few_or_many<T>(few: T, many: T) -> T {
    match std::env::var_os("NIMRULE_SOAK") {
        Some(_) => many,
        None => few,
    }
}
