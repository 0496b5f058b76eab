//! Random rules and claims that cover the grammar.
//!
//! A rule is made from a `Setting`, which says what heaps or tokens there
//! are and what may be selected, and from moves, claims and examples that use
//! its names. Not every text makes sense: `move::never-ends` alone refuses
//! many. What a text covers is for `tests/coverage.rs` to count.

mod claims;
mod expressions;
mod moves;
mod settings;

use crate::numbers::Numbers;
use crate::row;
use crate::tree::Tree;
use settings::Setting;

/// What kind of rule is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Any rule.
    Any,
    /// A rule on fixed heaps whose conditions are comparisons of sums, as the
    /// provers read them.
    Linear,
}

/// A random rule with claims, as a text that can be made shorter.
pub fn rule(seed: u64, wanted: Wanted) -> Tree {
    let mut generator = Generator {
        numbers: Numbers::new(seed),
        setting: Setting::default(),
        scope: Scope::default(),
        linear: wanted == Wanted::Linear,
        total: false,
        names: 0,
    };
    generator.total = generator.numbers.percent(75);
    generator.rule()
}

struct Generator {
    numbers: Numbers,
    setting: Setting,
    scope: Scope,
    /// Only what the provers read.
    linear: bool,
    /// Only expressions that always have a value.
    total: bool,
    /// How many names have been made up.
    names: usize,
}

/// The names that are known at a place.
#[derive(Debug, Clone, Default)]
struct Scope {
    numbers: Vec<String>,
    /// What steps have selected: one heap, or several.
    single: Vec<String>,
    several: Vec<String>,
    /// Whether `total` and `each` are known.
    amounts: bool,
}

impl Generator {
    fn percent(&mut self, percent: u64) -> bool {
        self.numbers.percent(percent)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.numbers.below(limit)
    }

    fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        self.numbers.pick(list)
    }

    fn word(&mut self, words: &[&'static str]) -> Tree {
        Tree::from(*self.numbers.pick(words))
    }

    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("{letter}{}", self.names)
    }

    fn rule(&mut self) -> Tree {
        let title = if self.percent(10) {
            "\"A random game\""
        } else {
            ""
        };
        let mut lines = vec![row!["game random", title]];
        lines.extend(self.settings());
        lines.extend(self.moves());
        lines.extend(self.claims());
        let mut text = Vec::new();
        for line in lines {
            text.push(line);
            text.push("\n".into());
        }
        Tree::Row(text)
    }
}
