//! The generator of random rules and claims.
//!
//! The generator first chooses a `Setting`: the heaps or tokens, and what may be
//! selected. It then generates moves, claims and examples over its names. Many
//! texts are rejected by the semantic check, most of them with
//! `move::never-ends`. `tests/testing/coverage.rs` checks that the accepted texts cover
//! the grammar.

mod claims;
mod expressions;
mod moves;
mod settings;

use crate::seq;
use crate::tree::Tree;
use nimrule_fixtures::Numbers;
use settings::Setting;

/// The class of rules to generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleClass {
    /// Any rule.
    Any,
    /// A rule on a fixed number of heaps whose conditions are comparisons of
    /// linear forms, which the provers support.
    Linear,
    /// A rule as of the linear class, with remainders, quotients, nim-sums, digits and
    /// roots in its conditions.
    Digits,
}

/// The random rule of a seed, with claims.
pub fn rule(seed: u64, class: RuleClass) -> Tree {
    let mut generator = Generator {
        rng: Numbers::new(seed),
        setting: Setting::default(),
        scope: Scope::default(),
        linear: class != RuleClass::Any,
        digits: class == RuleClass::Digits,
        total: false,
        names: 0,
    };
    generator.total = generator.rng.percent(75);
    generator.rule()
}

/// The state of the generation of one rule.
struct Generator {
    rng: Numbers,
    setting: Setting,
    scope: Scope,
    /// Whether to generate only what the provers support.
    linear: bool,
    /// Whether to generate operations on digits too, where `linear` is set.
    digits: bool,
    /// Whether to generate only total expressions, which always have a value.
    total: bool,
    /// The number of fresh names so far.
    names: usize,
}

/// The names in scope.
#[derive(Debug, Clone, Default)]
struct Scope {
    numbers: Vec<String>,
    /// Selections of one heap.
    single: Vec<String>,
    /// Selections of several heaps.
    several: Vec<String>,
    /// Whether `total` and `each` are in scope.
    amounts: bool,
}

impl Generator {
    fn percent(&mut self, percent: u64) -> bool {
        self.rng.percent(percent)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.rng.below(limit)
    }

    fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        self.rng.pick(list)
    }

    fn word(&mut self, words: &[&'static str]) -> Tree {
        Tree::from(*self.rng.pick(words))
    }

    /// A fresh name.
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
        let mut lines = vec![seq!["game random", title]];
        lines.extend(self.settings());
        lines.extend(self.moves());
        lines.extend(self.claims());
        let mut text = Vec::new();
        for line in lines {
            text.push(line);
            text.push("\n".into());
        }
        Tree::Sequence(text)
    }
}
