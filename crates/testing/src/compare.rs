//! The comparisons of every interpreter with the definition.
//!
//! Each comparison takes a rule that makes sense and returns what differs. It
//! may pass over what takes too long, and where the definition has a fault;
//! [`Counts`] says how much was compared.

mod certificates;
mod claims;
mod engines;
mod options;
mod printed;
mod provers;

use crate::numbers::Numbers;
use nimrule::{Compiled, compile};
use nimrule_definition as definition;
use nimrule_elaborate::Settings;
use nimrule_engine::{Limits, Solver};
use nimrule_ir as ir;
use nimrule_model::game::Field;
use nimrule_model::source::Source;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub use options::{compare as options_of_game, options_agree};

/// What was compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rules that make sense, of all that were made up.
    pub rules: u64,
    pub texts: u64,
    /// Positions whose options were compared.
    pub positions: u64,
    /// Faults that were compared.
    pub faults: u64,
    /// Positions that engines answered, each engine and question by itself.
    pub answers: u64,
    pub claims: u64,
    pub examples: u64,
    /// Rules whose symbolic moves were compared, by the prover and the checker.
    pub relations: u64,
    /// Claims and sets proved, and claims refuted, by provers.
    pub proved: u64,
    pub refuted: u64,
    /// Certificates verified, and certificates held against changed rules.
    pub verified: u64,
    pub mutants: u64,
}

impl Counts {
    pub fn add(&mut self, other: &Counts) {
        for (own, more) in [
            (&mut self.rules, other.rules),
            (&mut self.texts, other.texts),
            (&mut self.positions, other.positions),
            (&mut self.faults, other.faults),
            (&mut self.answers, other.answers),
            (&mut self.claims, other.claims),
            (&mut self.examples, other.examples),
            (&mut self.relations, other.relations),
            (&mut self.proved, other.proved),
            (&mut self.refuted, other.refuted),
            (&mut self.verified, other.verified),
            (&mut self.mutants, other.mutants),
        ] {
            *own += more;
        }
    }
}

/// Which comparison: each has seeds of its own, so that one that is slow does
/// not starve the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The options and faults of positions: `ir::moves`.
    Options,
    /// Tables and single answers of every engine.
    Engines,
    /// The same on boxes of thousands of positions, with rows of more than 64.
    LargeBoxes,
    /// Claims and examples.
    Claims,
    /// What the provers decide.
    Verdicts,
    /// The moves as the prover and the checker read them.
    Relations,
    /// Certificates held against changed rules.
    Certificates,
    /// What is printed, parsed again.
    Printed,
}

impl Comparison {
    pub const ALL: [Comparison; 8] = [
        Comparison::Options,
        Comparison::Engines,
        Comparison::LargeBoxes,
        Comparison::Claims,
        Comparison::Verdicts,
        Comparison::Relations,
        Comparison::Certificates,
        Comparison::Printed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Comparison::Options => "options",
            Comparison::Engines => "engines",
            Comparison::LargeBoxes => "large-boxes",
            Comparison::Claims => "claims",
            Comparison::Verdicts => "verdicts",
            Comparison::Relations => "relations",
            Comparison::Certificates => "certificates",
            Comparison::Printed => "printed",
        }
    }

    pub fn named(name: &str) -> Option<Comparison> {
        Comparison::ALL.into_iter().find(|one| one.name() == name)
    }

    /// What kind of rules it wants.
    pub fn wants(self) -> crate::generate::Wanted {
        use crate::generate::Wanted;
        match self {
            Comparison::Verdicts | Comparison::Relations | Comparison::Certificates => {
                Wanted::Linear
            }
            _ => Wanted::Any,
        }
    }

    /// What differs, if anything.
    ///
    /// # Errors
    ///
    /// The difference, in words.
    pub fn of(self, text: &str, seed: u64, counts: &mut Counts) -> Result<(), String> {
        let Some(compiled) = compiled(text) else {
            return Ok(());
        };
        let game = &compiled.game;
        if options::is_far(game) {
            return Ok(());
        }
        counts.rules += 1;
        let mut numbers = Numbers::new(seed ^ 0x5eed);
        match self {
            Comparison::Options => options::compare(game, &mut numbers, counts),
            Comparison::Engines => {
                engines::compare(game, &mut numbers, engines::Size::Small, counts)
            }
            Comparison::LargeBoxes => {
                engines::compare(game, &mut numbers, engines::Size::Large, counts)
            }
            Comparison::Claims => claims::compare(game, counts),
            Comparison::Verdicts => provers::verdicts(game, counts),
            Comparison::Relations => provers::relations(game, &mut numbers, counts),
            Comparison::Certificates => certificates::compare(text, game, &mut numbers, counts),
            Comparison::Printed => printed::compare(text, game, &mut numbers, counts),
        }
    }
}

/// The game of a text, if it makes sense.
pub fn compiled(text: &str) -> Option<Compiled> {
    let source = Source::new("random", text);
    let read = |file: &str| match file {
        "other.nimrule" => Ok(OTHER.as_bytes().to_vec()),
        _ => Err("there is no such file".to_owned()),
    };
    compile(&source, &Settings::new(), &read).ok()
}

/// The game that claims of sameness name.
const OTHER: &str = "game other \"Nim\"\nparam n = 2 in 1..4\nheaps n\nmove take from one heap\n";

const MEMORY: u64 = 1 << 28;

/// Limits for one question.
fn within(milliseconds: u64) -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_millis(milliseconds)),
        ..Limits::of_memory(MEMORY)
    }
}

/// Whether the options of a position are found in so many steps of the walk.
/// The walk ends at a fault and the definition does not, so that positions
/// with faults have to be small.
fn is_cheap(graph: &ir::MoveGraph, position: &[u64], steps: u64) -> bool {
    let mut walker = ir::Walker::new(graph, &[]);
    walker.most_steps = steps;
    match walker.options(position, 0, &mut |_, _| ControlFlow::Continue(())) {
        Ok(broken_off) => !broken_off,
        Err(_) => {
            position
                .iter()
                .map(|size| size.saturating_add(1))
                .fold(1, u64::saturating_mul)
                <= 200
        }
    }
}

/// The size of a box of at most so many positions whose options are found in
/// so many steps in all; `None` where even the smallest takes more.
fn box_size(solver: &Solver<'_>, positions: usize, steps: u64) -> Option<u64> {
    let game = solver.game;
    let (positions, steps) = match options::is_endless(game) {
        true => (positions / 8, steps / 100),
        false => (positions, steps),
    };
    let mut fitting = None;
    for size in 1..=40 {
        if let Field::Heaps = game.field {
            let count = (size + 1_u64).checked_pow(u32::try_from(game.heap_count()).ok()?);
            if count.is_none_or(|count| count > positions as u64) {
                break;
            }
        }
        let Ok(all) = definition::positions(game, size) else {
            break;
        };
        let Some(last) = all.last() else { continue };
        let each = steps / all.len() as u64;
        let corners = [Some(last), all.get(all.len() / 2)];
        let cheap = corners
            .into_iter()
            .flatten()
            .all(|p| is_cheap(&solver.graph, p, each));
        if all.len() > positions || !cheap {
            break;
        }
        fitting = Some(size);
        let vertices = game.digraph().map_or(usize::MAX, |digraph| digraph.len());
        if size as usize >= vertices {
            break;
        }
    }
    fitting
}
