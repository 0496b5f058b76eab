//! The comparisons with fixed seeds. `.ci/soak` runs them with new seeds.

use nimrule_testing::compare::{Comparison, Counts};
use nimrule_testing::run::run_seed;

fn compare(comparison: Comparison, seeds: std::ops::Range<u64>) -> Counts {
    let mut counts = Counts::default();
    let mut failed = Vec::new();
    for seed in seeds {
        if let Err(found) = run_seed(comparison, seed, &mut counts) {
            failed.push(found.to_string());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    counts
}

#[test]
fn options_and_faults() {
    let counts = compare(Comparison::Options, 0..350);
    assert!(counts.positions > 700 && counts.faults > 6, "{counts:?}");
}

#[test]
fn engines_on_small_boxes() {
    let counts = compare(Comparison::Engines, 0..95);
    assert!(counts.answers > 10_000, "{counts:?}");
}

#[test]
fn engines_on_large_boxes() {
    let counts = compare(Comparison::LargeBoxes, 0..30);
    assert!(counts.answers > 10_000, "{counts:?}");
}

#[test]
fn claims_and_examples() {
    let counts = compare(Comparison::Claims, 0..100);
    assert!(counts.claims > 40 && counts.examples > 20, "{counts:?}");
}

#[test]
fn verdicts() {
    let counts = compare(Comparison::Verdicts, 0..30);
    assert!(counts.proved > 3 && counts.refuted > 3, "{counts:?}");
}

#[test]
fn termination_measures() {
    let counts = compare(Comparison::Termination, 0..300);
    assert!(counts.lowered > 2_500, "{counts:?}");
}

#[test]
fn printed_and_parsed_again() {
    let counts = compare(Comparison::Printed, 0..120);
    assert!(counts.positions > 150 && counts.claims > 120, "{counts:?}");
}

#[test]
fn moves_as_provers_and_checker_read_them() {
    let counts = compare(Comparison::Relations, 0..50);
    assert!(counts.relations > 10, "{counts:?}");
}

#[test]
fn certificates_against_changed_rules() {
    let counts = compare(Comparison::Certificates, 0..40);
    assert!(counts.verified > 5 && counts.mutants > 5, "{counts:?}");
}
