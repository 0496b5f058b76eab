//! What verbs about a rule are asked alike: the file, the cache, the convention.

use super::Shared;
use super::load::{self, Answered, Loaded};
use super::proof_cache::CacheArguments;
use clap::builder::{BoolValueParser, TypedValueParser as _};
use clap::{ArgAction, Args};
use nimrule::Compiled;
use nimrule_answer::Session;
use nimrule_model::game::{Convention, Game};

/// The rule that a verb is about.
#[derive(Debug, Args)]
pub struct Asked {
    /// The rule file, or - for standard input
    pub file: String,
    #[command(flatten)]
    pub cache: CacheArguments,
}

impl Asked {
    /// Reads and compiles the rule, and reports what is wrong with it.
    pub fn open<'a>(&'a self, shared: &'a Shared) -> Answered<Opened<'a>> {
        self.open_at(shared, "")
    }

    /// Opens the rule for a position, which may say how many heaps there are.
    pub fn open_at<'a>(&'a self, shared: &'a Shared, position: &str) -> Answered<Opened<'a>> {
        let loaded = load::read(&self.file)?;
        let compiled = loaded.compiled_for(&load::settings(shared)?, position)?;
        Ok(Opened {
            loaded,
            compiled,
            cache: &self.cache,
            shared,
        })
    }
}

/// A rule that was read and compiled.
pub struct Opened<'a> {
    pub loaded: Loaded,
    pub compiled: Compiled,
    cache: &'a CacheArguments,
    shared: &'a Shared,
}

impl Opened<'_> {
    pub fn game(&self) -> &Game {
        &self.compiled.game
    }

    /// A session about the rule, with the proofs of its folder.
    pub fn session(&self) -> Session<'_> {
        self.cache
            .session(&self.loaded, &self.compiled, self.shared)
    }
}

/// The convention of a question about outcomes.
#[derive(Debug, Clone, Copy, Args)]
pub struct Under {
    /// Misere play: the player who cannot move wins
    #[arg(
        id = "misere",
        long = "misere",
        action = ArgAction::SetTrue,
        value_parser = BoolValueParser::new().map(of_misere)
    )]
    pub convention: Convention,
}

impl Under {
    pub fn is_misere(self) -> bool {
        self.convention == Convention::Misere
    }
}

fn of_misere(is_misere: bool) -> Convention {
    match is_misere {
        true => Convention::Misere,
        false => Convention::Normal,
    }
}
