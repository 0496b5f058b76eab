//! A certificate, held against a rule and its claim.
//!
//! Trusted are the reading of the rule and of the claim. The steps:
//!
//! 1. the certificate is of this rule, these parameters and this convention;
//! 2. the selections that the rule is said to have are looked up in its moves,
//!    at every position of a small box (`moves_are`);
//! 3. [`free::verify`]: the set is that of the P-positions, for all sizes;
//! 4. where a claim is named, it is in the file word for word, and says of
//!    every position of a box what the set says, by plain evaluation;
//! 5. where the claim can be compiled to an automaton, that is compared with
//!    the set. This trusts the compiler of formulas, and is reported apart.

use super::{NotWritten, Read, Unreadable};
use crate::automata::Automaton;
use crate::claim::Judge;
use crate::engine::{Outcome, Shape};
use crate::expr::Fault;
use crate::game::{Claim, Class, Direction, Game, Statement};
use crate::ir;
use crate::limits::{Limits, Met};
use crate::prove::free::diagram::{Diagram, EVERYTHING};
use crate::prove::theorem::Trouble;
use crate::prove::{any_number, decide, free};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use thiserror::Error;

/// What was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Of the smallest automaton of the P-positions, a letter at a time.
    pub states: usize,
    /// The nodes of all diagrams.
    pub nodes: usize,
    /// The selections are those of the moves at positions with heaps to this.
    pub moves_to: u64,
    pub claim: Option<Agreement>,
}

/// A claim that the certificate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    pub words: String,
    /// It agrees with the set at every position with heaps up to this.
    pub to: u64,
    /// The compiler of formulas says so for all sizes; or why it does not
    /// say.
    pub compiled: Result<(), String>,
}

/// Why a certificate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    #[error(transparent)]
    NotWritten(#[from] NotWritten),
    #[error("it is of another game, `{there}` and not `{here}`")]
    Game { there: String, here: String },
    #[error("it is of other parameters: {there} and not {here}")]
    Parameters { there: String, here: String },
    #[error("its heaps are called {there} and not {here}")]
    Heaps { there: String, here: String },
    #[error("it is of another rule: other heaps can be lowered together")]
    Rule,
    #[error("it is of {there} play, and the claim of {here} play")]
    Convention {
        there: &'static str,
        here: &'static str,
    },
    #[error("the file makes no claim `{0}`")]
    NoClaim(String),
    #[error("the claim `{0}` does not say which positions are P or N at these parameters")]
    NotOfOutcomes(String),
    #[error("the moves at {0} are not those of the selections")]
    Moves(String),
    #[error("it proves nothing: {0}")]
    Proof(#[from] free::Refused),
    #[error("the claim says something else of {0} than the certificate's set does")]
    Claim(String),
    #[error("the claim says nothing of {at}: {fault}")]
    Fault { at: String, fault: Fault },
    #[error("the claim and the certificate's set differ, at a position beyond the box: {0}")]
    Beyond(String),
    #[error(transparent)]
    Met(#[from] Met),
}

/// Holds a certificate against a game.
pub fn held(game: &Game, read: &Read, limits: &Limits) -> Result<Held, Refused> {
    super::fits(game)?;
    let family = any_number::family(game).ok_or(NotWritten)?;
    is_of(game, read)?;
    let claim = match &read.claim {
        None => None,
        Some(words) => Some(claim_of(game, words, read)?),
    };
    let heaps = game.heap_count();
    let moves_to = moves_are(game, &family, limits)?;
    let misere = read.convention == crate::game::Convention::Misere;
    let certificate = &read.certificate;
    match free::verify(heaps, misere, &family, certificate, limits) {
        Err(free::Refused::Met(met)) => return Err(met.into()),
        other => other?,
    }
    let claim = match claim {
        None => None,
        Some((claim, statement)) => {
            let to = agrees(game, statement, &certificate.set, limits)?;
            let compiled = compiled(game, claim, &certificate.set, limits)?;
            Some(Agreement {
                words: claim.words.clone(),
                to,
                compiled,
            })
        }
    };
    Ok(Held {
        states: states(&certificate.set),
        nodes: certificate.nodes(),
        moves_to,
        claim,
    })
}

/// Whether the certificate is of this game at these parameters.
fn is_of(game: &Game, read: &Read) -> Result<(), Refused> {
    if read.game != game.name {
        return Err(Refused::Game {
            there: read.game.clone(),
            here: game.name.clone(),
        });
    }
    let here = super::params(game);
    // In the same order as well: there is one way to write a certificate.
    if !read.params.iter().eq(here.iter()) {
        let shown = |params: &serde_json::Map<String, serde_json::Value>| {
            let all: Vec<String> = params
                .iter()
                .map(|(name, value)| match value.as_str() {
                    Some(words) => format!("{name}={words}"),
                    None => format!("{name}={value}"),
                })
                .collect();
            match all.is_empty() {
                true => "none".to_owned(),
                false => format!("`{}`", all.join(" ")),
            }
        };
        return Err(Refused::Parameters {
            there: shown(&read.params),
            here: shown(&here),
        });
    }
    if read.heaps != game.heap_names {
        return Err(Refused::Heaps {
            there: read.heaps.join(", "),
            here: game.heap_names.join(", "),
        });
    }
    let rule = any_number::rule(game, read.convention).ok_or(NotWritten)?;
    if read.rule != super::hash(&rule) {
        return Err(Refused::Rule);
    }
    Ok(())
}

/// The claim of the file with these words.
fn claim_of<'g>(
    game: &'g Game,
    words: &str,
    read: &Read,
) -> Result<(&'g Claim, &'g Statement), Refused> {
    let claim = game.claims.iter().find(|claim| claim.words == words);
    let claim = claim.ok_or_else(|| Refused::NoClaim(words.to_owned()))?;
    if claim.convention != read.convention {
        return Err(Refused::Convention {
            there: read.convention.word(),
            here: claim.convention.word(),
        });
    }
    match &claim.statement {
        Some(
            statement @ Statement::Outcome {
                class: Class::P | Class::N,
                ..
            },
        ) => Ok((claim, statement)),
        _ => Err(Refused::NotOfOutcomes(words.to_owned())),
    }
}

/// So many positions are looked at for the moves of a rule.
const MOST_MOVED: u128 = 10_000;

/// Whether the moves of the rule are those of its selections, at every
/// position of a small box, which reaches to the size returned.
///
/// What the selections are is concluded from the form of the rule. Here the
/// walk through its graph, which is what a move means, is held against them.
fn moves_are(
    game: &Game,
    family: &dyn Fn(u32) -> Vec<u32>,
    limits: &Limits,
) -> Result<u64, Refused> {
    let heaps = game.heap_count();
    let most = if Shape::count(&vec![2; heaps]) <= MOST_MOVED {
        2
    } else {
        1
    };
    let graph = ir::lower(game);
    let largest = vec![most; heaps];
    let mut position = vec![0; heaps];
    loop {
        limits.within_time()?;
        let support = support_of(&position);
        let allowed = family(support);
        let mut wanted = BTreeSet::new();
        let mut option = vec![0; heaps];
        while next(&mut option, &position) {
            wanted.insert(option.clone());
        }
        wanted.insert(vec![0; heaps]);
        wanted.retain(|option| {
            let lowered = (0..heaps)
                .filter(|&heap| option[heap] < position[heap])
                .fold(0u32, |all, heap| all | 1 << heap);
            lowered != 0 && allowed.iter().any(|set| lowered & !set == 0)
        });
        let shown = || Refused::Moves(game.shown(&position));
        let found = ir::moves(&graph, &position).map_err(|_| shown())?;
        if !found.iter().eq(&wanted) {
            return Err(shown());
        }
        if !next(&mut position, &largest) {
            return Ok(most);
        }
    }
}

/// The heaps that are not empty, as bits.
fn support_of(position: &[u64]) -> u32 {
    let numbered = position.iter().enumerate();
    numbered
        .filter(|(_, size)| **size > 0)
        .fold(0, |all, (heap, _)| all | 1 << heap)
}

/// The next position of a box, as a counter goes; none behind the last.
fn next(position: &mut [u64], most: &[u64]) -> bool {
    for (size, most) in position.iter_mut().zip(most) {
        if *size < *most {
            *size += 1;
            return true;
        }
        *size = 0;
    }
    false
}

/// So many positions are held against the claim.
const MOST_COMPARED: u128 = 200_000;
/// Where that takes longer, it is as far as the sizes have been doubled then.
const PATIENCE: Duration = Duration::from_secs(1);

/// Holds the claim against the set at every position of a box, and says to
/// which size that is.
fn agrees(
    game: &Game,
    statement: &Statement,
    set: &Diagram,
    limits: &Limits,
) -> Result<u64, Refused> {
    let heaps = game.heap_count();
    let mut most = 1;
    while Shape::count(&vec![most + 1; heaps]) <= MOST_COMPARED {
        most += 1;
    }
    let begun = Instant::now();
    let mut judge = Judge::new(game);
    let mut before = None;
    let mut to = 1;
    loop {
        let largest = vec![to; heaps];
        let mut position = vec![0; heaps];
        let mut count = 0_u32;
        loop {
            count = count.wrapping_add(1);
            if count & 0xff == 0 {
                limits.within_time()?;
            }
            // The smaller box has been looked at.
            if !before.is_some_and(|before| position.iter().all(|size| *size <= before)) {
                compare(game, &mut judge, statement, set, &position)?;
            }
            if !next(&mut position, &largest) {
                break;
            }
        }
        if to == most || begun.elapsed() > PATIENCE {
            return Ok(to);
        }
        before = Some(to);
        to = most.min(2 * to);
    }
}

fn compare(
    game: &Game,
    judge: &mut Judge<'_>,
    statement: &Statement,
    set: &Diagram,
    position: &[u64],
) -> Result<(), Refused> {
    let outcome = match accepts(set, position) {
        true => Outcome::P,
        false => Outcome::N,
    };
    match judge.objection(statement, position, outcome, None) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(Refused::Claim(game.shown(position))),
        Err(fault) => Err(Refused::Fault {
            at: game.shown(position),
            fault,
        }),
    }
}

/// Whether a position is in the set: its digits are read from the most
/// significant on, heap by heap.
pub fn accepts(set: &Diagram, position: &[u64]) -> bool {
    let base = set.base as u64;
    let mut power: u64 = 1;
    while position.iter().any(|size| size / power >= base) {
        power *= base;
    }
    let mut node = set.starts[0];
    loop {
        for size in position {
            node = set.after(node, (size / power % base) as usize);
        }
        if power == 1 {
            return set.accepting[node as usize];
        }
        power /= base;
    }
}

/// How many states the set's automaton has that reads all digits at once.
fn states(set: &Diagram) -> usize {
    let arcs = set.next[2 * set.base..].iter().chain(&set.starts);
    let decided: BTreeSet<u32> = arcs.copied().filter(|to| *to <= EVERYTHING).collect();
    let between = (2..set.nodes() as u32).filter(|&node| set.is_between(node));
    between.count() + decided.len()
}

/// The second opinion: whether the claim's automaton says the same for all
/// sizes. Where it cannot be had, that is no fault of the certificate.
fn compiled(
    game: &Game,
    claim: &Claim,
    set: &Diagram,
    limits: &Limits,
) -> Result<Result<(), String>, Refused> {
    let limits = limits.half_the_time().no_longer_than(LONGEST);
    let places = set.base.pow(set.heaps as u32) as u128 * states(set) as u128;
    if let Err(met) = limits.within_memory(8 * places) {
        return Ok(Err(met.to_string()));
    }
    let all = any_number::automaton(game, &set.recogniser(set.starts[0]));
    let Some(all) = all else {
        return Ok(Err("its digits are not those of a claim".to_owned()));
    };
    match differs(game, claim, &all, &limits) {
        Ok(None) => Ok(Ok(())),
        Ok(Some(at)) => Err(Refused::Beyond(at)),
        Err(Trouble::Outside(outside)) => Ok(Err(outside.why)),
        Err(Trouble::Met(Met::Stopped)) => Err(Met::Stopped.into()),
        Err(Trouble::Met(met)) => Ok(Err(met.to_string())),
    }
}

/// How long a claim is compiled.
const LONGEST: Duration = Duration::from_secs(20);

fn differs(
    game: &Game,
    claim: &Claim,
    all: &Automaton,
    limits: &Limits,
) -> Result<Option<String>, Trouble> {
    let (prover, claimed, direction) = decide::claimed_set(game, claim, all.numeration(), limits)?;
    let budget = &prover.compiler.budget;
    let mut first = None;
    if direction != Direction::OnlyIf {
        first = prover.first(&claimed.but_not(all, budget)?);
    }
    if direction != Direction::If && first.is_none() {
        first = prover.first(&all.but_not(&claimed, budget)?);
    }
    Ok(first.map(|doubt| match doubt.first() {
        Some(position) => game.shown(position),
        None => "one of very many digits".to_owned(),
    }))
}
