//! Many seeds, one after another.

use crate::compare::{Comparison, Counts};
use crate::generate::rule;
use crate::tree::Tree;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A rule for which a comparison fails.
#[derive(Debug, Clone)]
pub struct Failed {
    pub comparison: Comparison,
    pub seed: u64,
    /// The shortest rule found for which it fails.
    pub text: String,
    pub why: String,
}

impl std::fmt::Display for Failed {
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

/// Compares the rule of a seed; a panic is a failure like any other.
///
/// # Errors
///
/// The shortest rule found that fails.
pub fn one_seed(comparison: Comparison, seed: u64, counts: &mut Counts) -> Result<(), Box<Failed>> {
    let tree = rule(seed, comparison.wants());
    counts.texts += 1;
    let Err(why) = attempt(comparison, &tree, seed, counts) else {
        return Ok(());
    };
    let mut ignored = Counts::default();
    let least = tree.shrunk(|tree| attempt(comparison, tree, seed, &mut ignored).is_err());
    let last = attempt(comparison, &least, seed, &mut ignored);
    Err(Box::new(Failed {
        comparison,
        seed,
        text: least.to_string(),
        // A limit of time may hide it when it is tried again.
        why: last.err().unwrap_or(why),
    }))
}

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
