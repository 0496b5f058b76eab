//! A certificate, held against a rule and its claim.
//!
//! Trusted are the reading of the rule and of the claim. The steps:
//!
//! 1. the certificate is of this rule, these parameters and this convention;
//! 2. the selections that the rule is said to have are held against its moves,
//!    at every position of a small box (`moves`);
//! 3. [`hypergraph_nim::verify`]: the set is that of the P-positions, for all sizes;
//! 4. where a claim is named, it is in the file word for word, and says of
//!    every position of a box what the set says, by plain evaluation;
//! 5. where the claim can be compiled to an automaton, that is compared with
//!    the set. This trusts the compiler of formulas, and is reported apart.
//!
//! Certificates of other rules are left to [`nimrule_checker`] ([`checked`]),
//! which compares them with their claim by itself where it can read that.

mod moves;

use super::{NotWritten, Read, Unreadable};
use crate::automata::levelled::{ACCEPT, LevelledDfa};
use crate::automata::{Dfa, Numeration};
use crate::claim::Judge;
use crate::engine::{Outcome, Shape};
use crate::expr::PlacedFault;
use crate::game::{Claim, Class, Convention, Direction, Game, Statement};
use crate::limits::{Limits, Met};
use crate::prove::decide;
use crate::prove::hypergraph_nim::{self, of_game};
use crate::prove::theorem::Trouble;
use nimrule_checker::Certificate;
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
    /// The selections are those of the moves at positions with heaps to this;
    /// nothing where the checker has read the moves by itself.
    pub moves_to: Option<u64>,
    pub claim: Option<Agreement>,
}

/// A claim that the certificate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    pub words: String,
    /// It agrees with the set at every position with heaps up to this; nothing
    /// where the checker has proved it for all sizes.
    pub to: Option<u64>,
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
    #[error("it is of another rule, with other moves")]
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
    #[error("the moves at {0} are not as they were read")]
    Moves(String),
    #[error("it proves nothing: {0}")]
    Proof(#[from] hypergraph_nim::Refused),
    #[error(transparent)]
    Checker(#[from] nimrule_checker::Refused),
    #[error("the claim says something else of {0} than the certificate's set does")]
    Claim(String),
    #[error("the claim says nothing of {at}: {fault}")]
    Fault { at: String, fault: PlacedFault },
    #[error("the claim and the certificate's set differ, at a position beyond the box: {0}")]
    Beyond(String),
    #[error(transparent)]
    Met(#[from] Met),
}

/// Holds a certificate against a game.
pub fn held(game: &Game, read: &Read, limits: &Limits) -> Result<Held, Refused> {
    super::fits(game)?;
    is_of(game, read)?;
    let claim = match &read.claim {
        None => None,
        Some(words) => Some(claim_of(game, words, read.convention)?),
    };
    let heaps = game.heap_count();
    let misere = read.convention == Convention::Misere;
    let certificate = &read.certificate;
    let family = hypergraph_nim::family(game).ok_or_else(NotWritten::not_of_selections)?;
    let moves_to = moves::selections_are(game, &family, limits)?;
    match hypergraph_nim::verify(heaps, misere, &family, certificate, limits) {
        Err(hypergraph_nim::Refused::Met(met)) => return Err(met.into()),
        other => other?,
    }
    let set = Written {
        set: &certificate.set,
        numeration: read.numeration(),
    };
    let claim = match claim {
        None => None,
        Some(claim) => Some(agreement(game, claim, set, limits)?),
    };
    Ok(Held {
        states: states(&certificate.set),
        nodes: certificate.nodes(),
        moves_to: Some(moves_to),
        claim,
    })
}

/// Holds a certificate of a set alone against a game, by the checker.
pub fn checked(game: &Game, certificate: &Certificate, limits: &Limits) -> Result<Held, Refused> {
    let verified = match nimrule_checker::verify(game, certificate, limits) {
        Err(nimrule_checker::Refused::Met(met)) => return Err(met.into()),
        other => other?,
    };
    let claim = match verified.claim {
        None => None,
        Some(claim) if claim.proved.is_ok() => Some(Agreement {
            words: claim.words,
            to: None,
            compiled: Ok(()),
        }),
        // The checker does not read the claim, so that others are asked.
        Some(claim) => {
            let claim = claim_of(game, &claim.words, certificate.convention)?;
            let set = LevelledDfa {
                base: certificate.set.radix,
                tracks: certificate.set.heaps,
                starts: vec![certificate.set.start],
                level: certificate.set.level.clone(),
                accepting: certificate.set.accepting.clone(),
                next: certificate.set.next.clone(),
            };
            let numeration = match certificate.numeration {
                nimrule_checker::Numeration::Base(base) => Numeration::Base(base),
                nimrule_checker::Numeration::Zeckendorf => Numeration::Zeckendorf,
            };
            let set = Written {
                set: &set,
                numeration,
            };
            Some(agreement(game, claim, set, limits)?)
        }
    };
    Ok(Held {
        states: verified.states,
        nodes: verified.nodes,
        moves_to: None,
        claim,
    })
}

/// A set, and how its numbers are written.
#[derive(Clone, Copy)]
struct Written<'s> {
    set: &'s LevelledDfa,
    numeration: Numeration,
}

/// Whether a claim agrees with a set, by evaluation and by the compiler of
/// formulas.
fn agreement(
    game: &Game,
    (claim, statement): (&Claim, &Statement),
    set: Written<'_>,
    limits: &Limits,
) -> Result<Agreement, Refused> {
    Ok(Agreement {
        words: claim.words.clone(),
        to: Some(agrees(game, statement, set, limits)?),
        compiled: compiled(game, claim, set, limits)?,
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
    let rule = hypergraph_nim::rule_of(game, read.convention);
    if read.rule != super::hash(&rule.ok_or_else(NotWritten::not_of_selections)?) {
        return Err(Refused::Rule);
    }
    Ok(())
}

/// The claim of the file with these words.
fn claim_of<'g>(
    game: &'g Game,
    words: &str,
    convention: Convention,
) -> Result<(&'g Claim, &'g Statement), Refused> {
    let claim = game.claims.iter().find(|claim| claim.words == words);
    let claim = claim.ok_or_else(|| Refused::NoClaim(words.to_owned()))?;
    if claim.convention != convention {
        return Err(Refused::Convention {
            there: convention.word(),
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
    set: Written<'_>,
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
    set: Written<'_>,
    position: &[u64],
) -> Result<(), Refused> {
    let outcome = match accepts(set.set, set.numeration, position) {
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
pub fn accepts(set: &LevelledDfa, numeration: Numeration, position: &[u64]) -> bool {
    let written: Vec<Vec<u8>> = position.iter().map(|n| numeration.digits(*n)).collect();
    let length = written.iter().map(Vec::len).max().unwrap_or(0);
    let mut node = set.starts[0];
    for place in 0..length {
        for digits in &written {
            let digit = (place + digits.len())
                .checked_sub(length)
                .map(|at| digits[at]);
            node = set.after(node, usize::from(digit.unwrap_or(0)));
        }
    }
    set.accepting[node as usize]
}

/// How many states the set's automaton has that reads all digits at once.
fn states(set: &LevelledDfa) -> usize {
    let arcs = set.next[2 * set.base..].iter().chain(&set.starts);
    let decided: BTreeSet<u32> = arcs.copied().filter(|to| *to <= ACCEPT).collect();
    let between = (2..set.nodes() as u32).filter(|&node| set.is_between(node));
    between.count() + decided.len()
}

/// The second opinion: whether the claim's automaton says the same for all
/// sizes. Where it cannot be had, that is no fault of the certificate.
fn compiled(
    game: &Game,
    claim: &Claim,
    written: Written<'_>,
    limits: &Limits,
) -> Result<Result<(), String>, Refused> {
    let set = written.set;
    let limits = limits.half_the_time().no_longer_than(LONGEST);
    let places = set.base.pow(set.tracks as u32) as u128 * states(set) as u128;
    if let Err(met) = limits.within_memory(8 * places) {
        return Ok(Err(met.to_string()));
    }
    let table = set.table(set.starts[0]);
    let all = of_game::set_of(game, &table, written.numeration);
    let Some(all) = all else {
        return Ok(Err("its digits are not those of a claim".to_owned()));
    };
    match differs(game, claim, &all, &limits) {
        Ok(None) => Ok(Ok(())),
        Ok(Some(at)) => Err(Refused::Beyond(at)),
        Err(Trouble::Unsupported(unsupported)) => Ok(Err(unsupported.what)),
        Err(Trouble::Met(Met::Stopped)) => Err(Met::Stopped.into()),
        Err(Trouble::Met(met)) => Ok(Err(met.to_string())),
    }
}

/// How long a claim is compiled.
const LONGEST: Duration = Duration::from_secs(20);

fn differs(
    game: &Game,
    claim: &Claim,
    all: &Dfa,
    limits: &Limits,
) -> Result<Option<String>, Trouble> {
    let (prover, claimed, direction) = decide::claimed_set(game, claim, all.numeration(), limits)?;
    let budget = &prover.compiler.budget;
    let mut first = None;
    if direction != Direction::OnlyIf {
        first = prover.first(&claimed.and_not(all, budget)?);
    }
    if direction != Direction::If && first.is_none() {
        first = prover.first(&all.and_not(&claimed, budget)?);
    }
    Ok(first.map(|doubt| match doubt.first() {
        Some(position) => game.shown(position),
        None => "one of very many digits".to_owned(),
    }))
}
