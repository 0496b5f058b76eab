//! The comparisons of every interpreter with the definition.
//!
//! Each comparison takes a valid rule and returns the first difference as an
//! error. It may skip what takes too long and positions at which the definition
//! has a fault; [`Counts`] has the number of results compared.

mod certificates;
mod claims;
mod engines;
mod options;
mod printed;
mod provers;
mod termination;

use nimrule::{Compiled, compile};
use nimrule_definition as definition;
use nimrule_elaborate::Settings;
use nimrule_engine::{Limits, Shape, Solver};
use nimrule_fixtures::Numbers;
use nimrule_ir as ir;
use nimrule_model::game::{Action, Game, PositionKind};
use nimrule_model::source::Source;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub use options::compare as options_of_game;

/// The numbers of results compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Valid rules among the generated texts.
    pub rules: u64,
    /// Generated texts.
    pub texts: u64,
    /// Positions whose options were compared.
    pub positions: u64,
    /// Moves of rules that do not only take, which lower the termination measure.
    pub lowered: u64,
    /// Faults that were compared.
    pub faults: u64,
    /// Answers of engines for a position, by engine and question.
    pub answers: u64,
    /// Claims whose results were compared.
    pub claims: u64,
    /// Examples whose results were compared.
    pub examples: u64,
    /// Transition relations compared, of the prover and of the checker.
    pub relations: u64,
    /// Claims and sets proved by provers.
    pub proved: u64,
    /// Claims refuted by provers.
    pub refuted: u64,
    /// Certificates verified.
    pub verified: u64,
    /// Sets checked against mutated rules, and mutated sets.
    pub mutants: u64,
}

impl Counts {
    /// Adds other counts.
    pub fn add(&mut self, other: &Counts) {
        for (own, more) in [
            (&mut self.rules, other.rules),
            (&mut self.texts, other.texts),
            (&mut self.positions, other.positions),
            (&mut self.lowered, other.lowered),
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

/// A comparison. Each has its own seeds, so that a slow one does not starve the
/// others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The options and faults of positions: `ir::moves`.
    Options,
    /// Tables and single answers of every engine.
    Engines,
    /// Tables of every engine on boxes of thousands of positions, with last heaps
    /// of more than 64 tokens.
    LargeBoxes,
    /// Claims and examples.
    Claims,
    /// The verdicts of the provers.
    Verdicts,
    /// The transition relations of the prover and of the checker.
    Relations,
    /// Sets of P-positions checked against mutated rules.
    Certificates,
    /// The termination measure: whether the moves of positions lower it.
    Termination,
    /// Round trips: printed positions and texts, parsed again.
    Printed,
}

impl Comparison {
    /// All comparisons, in the order in which they are run.
    pub const ALL: [Comparison; 9] = [
        Comparison::Options,
        Comparison::Engines,
        Comparison::LargeBoxes,
        Comparison::Claims,
        Comparison::Verdicts,
        Comparison::Relations,
        Comparison::Certificates,
        Comparison::Termination,
        Comparison::Printed,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Options => "options",
            Comparison::Engines => "engines",
            Comparison::LargeBoxes => "large-boxes",
            Comparison::Claims => "claims",
            Comparison::Verdicts => "verdicts",
            Comparison::Relations => "relations",
            Comparison::Certificates => "certificates",
            Comparison::Termination => "termination",
            Comparison::Printed => "printed",
        }
    }

    /// The comparison with this name.
    pub fn named(name: &str) -> Option<Comparison> {
        Comparison::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The class of rules that the comparison needs, for a seed.
    pub fn rule_class(self, seed: u64) -> crate::generate::RuleClass {
        use crate::generate::RuleClass;
        match self {
            Comparison::Verdicts | Comparison::Relations | Comparison::Certificates => {
                match seed % 2 {
                    0 => RuleClass::Linear,
                    _ => RuleClass::Digits,
                }
            }
            _ => RuleClass::Any,
        }
    }

    /// Runs the comparison on a text. Invalid texts are skipped.
    ///
    /// # Errors
    ///
    /// The first difference, as text.
    pub fn of(self, text: &str, seed: u64, counts: &mut Counts) -> Result<(), String> {
        let Some(compiled) = compiled(text) else {
            return Ok(());
        };
        let game = &compiled.game;
        if options::has_large_cutoff(game) {
            return Ok(());
        }
        counts.rules += 1;
        let mut rng = Numbers::new(seed ^ 0x5eed);
        match self {
            Comparison::Options => options::compare(game, &mut rng, counts),
            Comparison::Engines => engines::compare(game, &mut rng, engines::Size::Small, counts),
            Comparison::LargeBoxes => {
                engines::compare(game, &mut rng, engines::Size::Large, counts)
            }
            Comparison::Claims => claims::compare(game, counts),
            Comparison::Verdicts => provers::verdicts(game, counts),
            Comparison::Relations => provers::relations(game, &mut rng, counts),
            Comparison::Certificates => certificates::compare(text, game, &mut rng, counts),
            Comparison::Termination => termination::compare(game, counts),
            Comparison::Printed => printed::compare(text, game, &mut rng, counts),
        }
    }
}

/// The compiled rule of a text; `None` if the text is invalid.
pub fn compiled(text: &str) -> Option<Compiled> {
    let source = Source::new("random", text);
    let read = |file: &str| {
        let mut files = FILES.into_iter().chain([("itself.nimrule", text)]);
        let found = files.find(|(name, _)| *name == file);
        let text = found.map(|(_, text)| text.as_bytes().to_vec());
        text.ok_or_else(|| "there is no such file".to_owned())
    };
    compile(&source, &Settings::new(), &read).ok()
}

/// The rule files to which generated `same as` claims refer, with their names.
pub const FILES: [(&str, &str); 2] = [
    (
        "other.nimrule",
        "game other \"Nim\"\nparam n = 2 in 1..4\nheaps n\nmove take from one heap\n",
    ),
    (
        "bag.nimrule",
        "game bag \"Nim\"\nheaps any number\nmove take from one heap\n",
    ),
];

const MEMORY: u64 = 1 << 28;

/// The limits of one question, with this time limit.
fn limits_for(milliseconds: u64) -> Limits {
    Limits {
        deadline: Some(Instant::now() + Duration::from_millis(milliseconds)),
        ..Limits::of_memory(MEMORY)
    }
}

/// Whether the concrete walk finds the options of a position in at most `steps`
/// steps. The walk stops at a fault and the definition does not, so that
/// positions with faults must be small.
fn is_cheap(game: &Game, graph: &ir::MoveGraph, position: &[u64], steps: u64) -> bool {
    let mut walker = ir::Walker::new(graph, &[]);
    // The definition goes through numbers of `for some` that the lowered form drops.
    let choices = game.moves.iter().map(|mover| mover.choices.len());
    walker.max_steps = steps >> (2 * choices.max().unwrap_or(0)).min(60);
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

/// The largest number of followers of the positions of a box that are solved together.
const MAX_FOLLOWERS: usize = 3_000;

/// Whether few positions can be reached from some. Only a step that replaces heaps can
/// raise their total much.
fn has_few_followers(game: &Game, graph: &ir::MoveGraph, positions: &[Vec<u64>]) -> bool {
    let mut steps = game.moves.iter().flat_map(|mover| &mover.steps);
    if !steps.any(|step| matches!(step.action, Action::Replace { .. })) {
        return true;
    }
    let mut walker = ir::Walker::new(graph, &[]);
    walker.max_steps = 20_000;
    let mut seen: BTreeSet<Vec<u64>> = positions.iter().cloned().collect();
    let mut new = positions.to_vec();
    while let Some(position) = new.pop() {
        let walked = walker.options(&position, 0, &mut |option, _| {
            if seen.insert(option.to_vec()) {
                new.push(option.to_vec());
            }
            match seen.len() > MAX_FOLLOWERS {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        if walked != Ok(false) {
            return false;
        }
    }
    true
}

/// The largest size of a box that has at most `positions` positions, and whose
/// options take at most `steps` steps in all by an estimate. `None` if there is
/// none.
pub fn box_size(solver: &Solver<'_>, positions: usize, steps: u64) -> Option<u64> {
    let game = solver.game;
    let (positions, steps) = match options::has_infinite_choice(game) {
        true => (positions / 8, steps / 100),
        false => (positions, steps),
    };
    let mut fitting = None;
    for size in 1..=40 {
        if game.position_kind == PositionKind::Heaps
            && Shape::count(&game.box_to(size)) > positions as u128
        {
            break;
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
            .all(|p| is_cheap(game, &solver.graph, p, each));
        if all.len() > positions || !cheap || !has_few_followers(game, &solver.graph, &all) {
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
