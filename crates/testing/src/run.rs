//! One comparison for one seed, with shrinking of a rule that fails.

use crate::compare::{Comparison, Counts};
use crate::generate::rule;
use crate::tree::Tree;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A failed comparison.
#[derive(Debug, Clone)]
pub struct FailedSeed {
    /// The comparison that failed.
    pub comparison: Comparison,
    /// The seed of the random rule.
    pub seed: u64,
    /// The smallest rule found for which the comparison fails.
    pub text: String,
    /// The difference.
    pub why: String,
}

impl std::fmt::Display for FailedSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} fails with the seed {}: {}\nin this rule:\n{}\nrepeat it: .ci/soak --only {} --seed {}\n",
            self.comparison.name(),
            self.seed,
            self.why,
            self.text,
            self.comparison.name(),
            self.seed
        )
    }
}

/// Runs a comparison on the random rule of a seed. A panic counts as a failure.
///
/// # Errors
///
/// The failure, with the smallest rule found for which the comparison fails.
pub fn run_seed(
    comparison: Comparison,
    seed: u64,
    counts: &mut Counts,
) -> Result<(), Box<FailedSeed>> {
    let tree = rule(seed, comparison.rule_class(seed));
    counts.texts += 1;
    let Err(why) = attempt(comparison, &tree, seed, counts) else {
        return Ok(());
    };
    let mut ignored = Counts::default();
    let smallest = tree.shrink(|tree| attempt(comparison, tree, seed, &mut ignored).is_err());
    let last = attempt(comparison, &smallest, seed, &mut ignored);
    Err(Box::new(FailedSeed {
        comparison,
        seed,
        text: smallest.to_string(),
        // With a time limit the comparison may succeed when it is repeated.
        why: last.err().unwrap_or(why),
    }))
}

/// Runs a comparison on a text; turns a panic into an error.
fn attempt(
    comparison: Comparison,
    tree: &Tree,
    seed: u64,
    counts: &mut Counts,
) -> Result<(), String> {
    let text = tree.to_string();
    let tried = catch_unwind(AssertUnwindSafe(|| comparison.of(&text, seed, counts)));
    match tried {
        Ok(result) => result,
        Err(panic) => {
            let words = panic.downcast_ref::<String>().cloned().or(panic
                .downcast_ref::<&str>()
                .map(|words| (*words).to_owned()));
            Err(format!("a panic: {}", words.unwrap_or_default()))
        }
    }
}
