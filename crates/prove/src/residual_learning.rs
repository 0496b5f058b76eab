//! Residual learning: automata of the P-positions or the Grundy values, found
//! without a claim.
//!
//! The states of the smallest automaton of a set are its residuals (left
//! quotients): what may follow a prefix of digits so that the whole is in the
//! set (Myhill and Nerode). Here residuals are known to a finite depth only.
//! Prefixes are explored in the order of their length, and one whose residual
//! agrees with that of an earlier one as deep as both are known is taken for
//! the same state. On complete samples that is the algorithm of Trakhtenbrot
//! and Barzdin (1973, *Finite Automata: Behavior and Synthesis*). If no new
//! states appear, the automaton is a hypothesis, and only a proof decides.
//!
//! Residuals come from two sources:
//!
//! - Hypergraph Nim: from the rule itself ([`from_rule`]). A prefix determines
//!   the subset of the states that a move can have led to; that determines the
//!   residual, which is computed to a depth of two or three digits (`blocks`).
//! - All other rules with a fixed number of heaps: from solved positions
//!   (`from_sample`). In a box of numbers of at most D digits ([`Sample`],
//!   [`Numbers`]) the residual of a prefix of d digits is known to depth D − d.
//!   A hypothesis is compared with the whole of a larger box, and then proved
//!   or refuted. A refuted one leads to a larger box (`search`).
//!
//! Grundy values are learned from samples in the same way. Where there are
//! few, the states of the automaton have a value as output. Where they are
//! unbounded, the value is one more number beside the heaps, and the automaton
//! accepts if it is theirs.

mod blocks;
mod from_rule;
mod from_sample;
mod sample;
mod search;

#[cfg(test)]
pub(crate) use from_rule::grow;
pub use from_rule::{Growth, Learned, from_rule};
pub use from_sample::{Hypothesis, Learning, learn, new_residuals};
pub use sample::{Numbers, Sample};

use super::certificate::{Check, PATIENCE, check};
use super::compile::tracks;
use super::hypergraph_nim::rule_of;
use super::theorem::{ProveError, Prover};
use super::unsupported::Unsupported;
use super::{decide, numeration};
use nimrule_automata::{Dfa, Numeration};
use nimrule_checker::Certificate;
use nimrule_engine::{Shape, Solver};
use nimrule_ir as ir;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::{Convention, Game};
use search::Search;
use std::rc::Rc;
use std::time::Duration;

/// Bounds of the search.
#[derive(Debug, Clone)]
pub struct Attempts {
    /// The numerations; where there are none, those that the rule suggests.
    pub numerations: Vec<Numeration>,
    /// The most positions of a box.
    pub most_positions: u128,
    /// The most states of a hypothesis.
    pub most_states: usize,
}

impl Default for Attempts {
    fn default() -> Attempts {
        Attempts {
            numerations: Vec::new(),
            most_positions: 1 << 26,
            most_states: 20_000,
        }
    }
}

/// The sizes of boxes, about.
const SIZES: [u128; 6] = [1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26];

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// The set of the P-positions.
    Outcomes,
    /// An automaton with the Grundy value as output, if there are few values.
    Values,
    /// An automaton that reads a number beside the heaps, and accepts if it is
    /// their Grundy value.
    Value,
}

/// What led to a set that was found without a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Learned from the rule, with residuals compared to so many digits.
    Rule { depth: usize },
    /// Learned from solved positions with numbers of so many digits, with
    /// residuals compared to at least so many further digits.
    Box { digits: usize, depth: usize },
}

impl Origin {
    /// How many digits residuals were compared to.
    pub fn depth(self) -> usize {
        match self {
            Origin::Rule { depth } | Origin::Box { depth, .. } => depth,
        }
    }
}

/// What was found and proved.
#[derive(Debug, Clone)]
pub struct Found {
    /// The P-positions; or, where values were looked for, the positions with
    /// their values on the track of a value.
    pub set: Rc<Dfa>,
    /// Where a few values were found, the positions of each, from 0 on.
    pub classes: Vec<Rc<Dfa>>,
    /// States of the smallest automaton.
    pub states: usize,
    pub goal: Goal,
    /// What was checked, in words.
    pub checked: Vec<String>,
    /// What the checker accepted, where it was asked and could answer.
    pub certificate: Option<Box<Certificate>>,
    pub origin: Origin,
}

/// Why an attempt proved nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// New states appeared to the end: of the largest box, of the most states,
    /// or up to a limit.
    Open(Option<LimitExceeded>),
    /// The hypothesis contradicts the solved positions.
    Differs,
    /// The hypothesis was refuted near this position.
    Refuted(Option<Vec<u64>>),
    /// The proof of the hypothesis exceeded a limit.
    Undecided(LimitExceeded),
    /// The hypothesis was proved, and the independent checker refuses it.
    NotAccepted(String),
}

/// Where the residuals of an attempt came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Rule,
    /// The largest box had numbers of so many digits; 0 where no box could be
    /// solved.
    Box {
        digits: usize,
    },
}

/// An attempt that proved nothing.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub goal: Goal,
    pub numeration: Numeration,
    pub source: Source,
    /// For some depths, the number of new residuals to that depth after
    /// prefixes of 0, 1, 2, … digits.
    pub residuals: Vec<(usize, Vec<usize>)>,
    pub failure: Failure,
}

/// The outcome of a search.
#[derive(Debug, Clone)]
pub struct Discovered {
    pub found: Option<Found>,
    /// What was tried, where nothing was found.
    pub attempts: Vec<Attempt>,
}

/// Looks for the set of the P-positions, and proves it: from the rule if it is
/// one of hypergraph Nim, and from solved positions otherwise.
///
/// # Errors
///
/// A rule outside the fragment, or a limit that is exceeded before the first
/// attempt.
pub fn discover(
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, ProveError> {
    let Some(rule) = rule_of(game, convention) else {
        return from_samples(game, convention, attempts, limits);
    };
    let (learned, attempts) = from_rule(&rule, attempts, limits);
    let found = learned.map(|learned| of_rule(game, convention, learned));
    Ok(checked(game, convention, found, attempts, limits)?)
}

/// Holds a set that was found and proved against the independent checker.
fn checked(
    game: &Game,
    convention: Convention,
    found: Option<Found>,
    mut attempts: Vec<Attempt>,
    limits: &Limits,
) -> Result<Discovered, LimitExceeded> {
    let Some(mut found) = found else {
        return Ok(Discovered { found, attempts });
    };
    let limits = limits.cap_time(PATIENCE);
    match check(game, None, convention, &found.set, &limits)? {
        Check::Accepted(certificate) => found.certificate = Some(certificate),
        Check::Open(not) => found.checked.push(not.unchecked()),
        Check::Refused(why) => {
            attempts.push(Attempt {
                goal: found.goal,
                numeration: found.set.numeration(),
                source: match found.origin {
                    Origin::Rule { .. } => Source::Rule,
                    Origin::Box { digits, .. } => Source::Box { digits },
                },
                residuals: Vec::new(),
                failure: Failure::NotAccepted(why),
            });
            return Ok(Discovered {
                found: None,
                attempts,
            });
        }
    }
    Ok(Discovered {
        found: Some(found),
        attempts,
    })
}

/// A set that was learned from the rule and proved.
fn of_rule(game: &Game, convention: Convention, learned: Learned) -> Found {
    let set = learned.set.dfa(&tracks(game), learned.numeration);
    let checked = decide::statements(convention);
    Found {
        states: set.states(),
        set: Rc::new(set),
        classes: Vec::new(),
        goal: Goal::Outcomes,
        checked: checked.iter().map(|what| (*what).to_owned()).collect(),
        certificate: None,
        origin: Origin::Rule {
            depth: learned.depth,
        },
    }
}

/// The same from solved positions, whatever the rule.
///
/// # Errors
///
/// As for [`discover`].
pub fn from_samples(
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, ProveError> {
    let found = look_for(&[Goal::Outcomes], game, convention, attempts, limits)?;
    let Discovered { found, attempts } = found;
    Ok(checked(game, convention, found, attempts, limits)?)
}

/// Looks for the Grundy values, and proves them.
///
/// # Errors
///
/// As for [`discover`].
pub fn discover_values(
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, ProveError> {
    let goals = [Goal::Values, Goal::Value];
    look_for(&goals, game, convention, attempts, limits)
}

fn look_for(
    goals: &[Goal],
    game: &Game,
    convention: Convention,
    attempts: &Attempts,
    limits: &Limits,
) -> Result<Discovered, ProveError> {
    decide::check_supported(game).map_err(|what| Unsupported::new(what, (0, 0).into()))?;
    let numerations = match attempts.numerations.as_slice() {
        [] => numeration::of_rule(&ir::lower(game))?,
        given => given.to_vec(),
    };
    let solver = Solver::new(game);
    let mut may_search = Vec::new();
    for numeration in numerations {
        // Without a prover for the rule nothing need be solved.
        Prover::new(game, numeration, limits)?;
        for goal in goals {
            let beside = usize::from(*goal == Goal::Value);
            let tracks = game.heap_count() + beside;
            may_search.push(Search {
                solver: &solver,
                goal: *goal,
                convention,
                numeration,
                boxes: boxes(numeration, tracks, attempts.most_positions),
                attempts,
                limits: *limits,
                largest: None,
                waiting: None,
                failure: Failure::Open(None),
            });
        }
    }
    // All numerations in turn, because small boxes are solved quickly.
    let mut found = None;
    'sizes: for size in SIZES {
        for search in &mut may_search {
            match search.next_box(size) {
                Ok(None) => {}
                Ok(some) => found = some,
                Err(ProveError::LimitExceeded(
                    LimitExceeded::Time | LimitExceeded::Memory { .. },
                )) => search.boxes.clear(),
                Err(other) => return Err(other),
            }
            if found.is_some() || limits.check_time().is_err() {
                break 'sizes;
            }
        }
    }
    if found.is_some() {
        return Ok(Discovered {
            found,
            attempts: Vec::new(),
        });
    }
    let attempts: Result<_, LimitExceeded> = may_search.into_iter().map(Search::failed).collect();
    Ok(Discovered {
        found: None,
        attempts: attempts?,
    })
}

/// The digits of numbers in boxes of about [`SIZES`], the last first.
fn boxes(numeration: Numeration, tracks: usize, most: u128) -> Vec<(u128, usize)> {
    let count = |digits: usize| {
        let side = sample::count(numeration, digits)? as u64;
        Some(Shape::count(&vec![side.checked_sub(1)?; tracks]))
    };
    let mut found: Vec<(u128, usize)> = Vec::new();
    for size in SIZES {
        let room = size.min(most);
        let fitting = (2..=26).take_while(|digits| count(*digits).is_some_and(|c| c <= room));
        if let Some(digits) = fitting.last()
            && found.last().is_none_or(|last| last.1 < digits)
        {
            found.push((size, digits));
        }
    }
    found.reverse();
    found
}

/// The most states of an automaton that is looked for here.
const MAX_STATES: usize = 400;
/// The most positions that are solved for it.
const MAX_POSITIONS: u128 = 1 << 20;
/// The most time, unless a limit is shorter.
const DISCOVERED_PATIENCE: Duration = Duration::from_secs(20);

/// The set of the P-positions, found and proved from the rule alone, with what
/// led to it.
pub fn discovered(game: &Game, convention: Convention, limits: &Limits) -> Option<(Dfa, Origin)> {
    let limits = limits.half_time().or_time(DISCOVERED_PATIENCE);
    let attempts = Attempts {
        most_positions: MAX_POSITIONS,
        most_states: MAX_STATES,
        ..Attempts::default()
    };
    let found = discover(game, convention, &attempts, &limits).ok()?.found?;
    Some((found.set.as_ref().clone(), found.origin))
}
