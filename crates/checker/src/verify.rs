//! A certificate, held against a game.

use crate::Unsupported;
use crate::atom::{Atom, Clause, Linear, Variable};
use crate::certificate::{Certificate, Unreadable};
use crate::dfa::{Dfa, NOTHING};
use crate::expression::{Path, Read, Reader, unsupported};
use crate::preimages::{Preimages, Symmetries};
use crate::rule::{Rule, clauses};
use crate::search::Search;
use nimrule_limits::{Limits, Met};
use nimrule_model::game::{Applies, Claim, Class, Convention, Direction, Game, Statement};
use std::collections::BTreeMap;
use thiserror::Error;

/// What was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The states of the minimal automaton of the P-positions that reads a
    /// letter at a time, and the nodes of the DFA in the certificate.
    pub states: usize,
    pub nodes: usize,
    pub claim: Option<Agreement>,
}

/// A claim that the certificate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    pub words: String,
    /// It is proved for all sizes, or why it was not compared with the set.
    pub proved: Result<(), Unsupported>,
}

/// Why a certificate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refused {
    #[error(transparent)]
    Unreadable(Unreadable),
    #[error("the checker does not read {0}")]
    Unsupported(#[from] Unsupported),
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
    #[error("an expression of the {of} has no value at {at}")]
    Fault { of: &'static str, at: String },
    #[error("it proves nothing: at {0} a move need not lower what should go down")]
    Termination(String),
    #[error("it proves nothing: its set has {0}, which is no position")]
    NoPosition(String),
    #[error("it proves nothing: a move leads from {0} in the set into the set")]
    Independence(String),
    #[error("it proves nothing: {0} is in the set and has no move, in misere play")]
    Terminal(String),
    #[error("it proves nothing: {0} is outside the set and has no move into it")]
    Absorption(String),
    #[error("the claim says something else of {0} than the certificate's set does")]
    Claim(String),
    #[error(transparent)]
    Met(#[from] Met),
}

impl From<Unreadable> for Refused {
    fn from(unreadable: Unreadable) -> Refused {
        match unreadable {
            Unreadable::Met(met) => Refused::Met(met),
            other => Refused::Unreadable(other),
        }
    }
}

/// Checks that the set of a certificate is that of the P-positions of a game,
/// for all sizes, and compares it with the claim that the certificate names.
///
/// By the partition theorem the set is that of the P-positions if play ends
/// (termination), no move leads from the set into it (independence), and every
/// position outside of it has a move into it (absorption). In misere play a
/// position outside may have no move instead, and every position of the set
/// has one.
///
/// # Errors
///
/// Why the certificate is not accepted, or a limit that was met before.
pub fn verify(
    game: &Game,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Verified, Refused> {
    let rule = Rule::read(game)?;
    certificate.is_of(&rule)?;
    let claim = match &certificate.claim {
        Some(words) => Some(claim_of(game, words, certificate.convention)?),
        None => None,
    };
    let heaps = game.heap_count();
    let numeration = certificate.numeration;
    let search = Search {
        heaps,
        numeration,
        limits,
    };
    let shown = |at: Vec<u64>| game.shown(&at);
    let set = &certificate.set;
    let every = Dfa::positions(heaps, numeration, limits)?;
    // A clause that moves nothing: the position itself.
    let itself = Clause::default();
    let but = |source: &Dfa, less: &Dfa| search.without(source, &itself, Some(less));
    let first = |source: &Dfa| search.meets(source, &itself, None);

    let positions = match &rule.positions {
        None => every.clone(),
        Some(any) => {
            let mut outside = every.clone();
            for clause in any {
                outside = search.without(&outside, clause, None)?;
            }
            but(&every, &outside)?
        }
    };
    if let Some(at) = first(&but(set, &positions)?)? {
        return Err(Refused::NoPosition(shown(at)));
    }
    for fault in &rule.faults {
        if let Some(at) = search.meets(&every, fault, None)? {
            let at = shown(at);
            return Err(Refused::Fault { of: "rule", at });
        }
    }
    for way in &rule.ways {
        for rise in rises(way, &game.ending.levels)? {
            if let Some(at) = search.meets(&positions, &rise, Some(&positions))? {
                return Err(Refused::Termination(shown(at)));
            }
        }
    }
    let symmetries = Symmetries::of(game, set, limits)?;
    for way in symmetries.representatives(&rule.ways) {
        if let Some(at) = search.meets(set, way, Some(set))? {
            return Err(Refused::Independence(shown(at)));
        }
    }
    let outside = but(&positions, set)?;
    let mut rest = outside.clone();
    if certificate.convention == Convention::Misere {
        let mut terminal = positions.clone();
        for way in &rule.ways {
            terminal = search.without(&terminal, way, Some(&positions))?;
        }
        if let Some(at) = search.meets(&terminal, &itself, Some(set))? {
            return Err(Refused::Terminal(shown(at)));
        }
        rest = but(&rest, &terminal)?;
    }
    let mut preimages = Preimages {
        search: &search,
        positions: &every,
        target: set,
        symmetries: &symmetries,
        known: BTreeMap::new(),
    };
    // From the last on, for the digits of its heaps are read last: where the
    // images of one clause are all others, that takes fewer subsets.
    for way in rule.ways.iter().rev() {
        if rest.start == NOTHING {
            break;
        }
        rest = preimages.without(&rest, way)?;
    }
    if let Some(at) = first(&rest)? {
        return Err(Refused::Absorption(shown(at)));
    }
    let claim = match claim {
        None => None,
        Some(claim) => Some(Agreement {
            words: claim.words.clone(),
            proved: match agrees(&search, game, claim, &positions, set, &outside) {
                Err(Refused::Unsupported(unsupported)) => Err(unsupported),
                other => Ok(other?),
            },
        }),
    };
    Ok(Verified {
        states: set.states(),
        nodes: set.nodes(),
        claim,
    })
}

/// The claim of the file with these words.
fn claim_of<'g>(game: &'g Game, words: &str, convention: Convention) -> Result<&'g Claim, Refused> {
    let claim = game.claims.iter().find(|claim| claim.words == words);
    let claim = claim.ok_or_else(|| Refused::NoClaim(words.to_owned()))?;
    if claim.convention != convention {
        return Err(Refused::Convention {
            there: convention.word(),
            here: claim.convention.word(),
        });
    }
    let of_outcomes = matches!(
        claim.statement,
        Some(Statement::Outcome {
            class: Class::P | Class::N,
            ..
        })
    );
    if claim.applies == Applies::Elsewhere || !of_outcomes {
        return Err(Refused::NotOfOutcomes(words.to_owned()));
    }
    Ok(claim)
}

/// The cases in which a way to move does not lower the levels of weights: for
/// some level the totals before it stay and its own rises, or all stay.
fn rises(way: &Clause, levels: &[Vec<u64>]) -> Read<Vec<Clause>> {
    let start = (0, 0).into();
    if levels.is_empty() {
        return unsupported("a rule without weights that go down", start);
    }
    let mut stay = way.clone();
    let mut found = Vec::new();
    for weights in levels {
        // How much the weighted total goes down.
        let mut falls = Linear::default();
        for heap in &way.touched {
            let weight = weights
                .get(*heap)
                .and_then(|weight| i64::try_from(*weight).ok());
            let change = weight.and_then(|weight| {
                let before = falls.plus(weight, &Linear::variable(Variable::Before(*heap)))?;
                before.plus(-weight, &Linear::variable(Variable::After(*heap)))
            });
            falls = change.ok_or_else(|| Unsupported::new("weights this large", start))?;
        }
        let mut rise = stay.clone();
        let more = falls.plus(1, &Linear::constant(1));
        rise.atoms.extend(more.map(Atom::AtMost));
        found.push(rise);
        stay.atoms.push(Atom::Zero(falls));
    }
    found.push(stay);
    Ok(found)
}

/// Compares what a claim says with the P-positions, and the positions that are
/// none.
fn agrees(
    search: &Search<'_>,
    game: &Game,
    claim: &Claim,
    positions: &Dfa,
    p_positions: &Dfa,
    n_positions: &Dfa,
) -> Result<(), Refused> {
    let Some(Statement::Outcome {
        class,
        consistent,
        up_to_symmetry,
        direction,
        condition,
    }) = &claim.statement
    else {
        return Err(Refused::NotOfOutcomes(claim.words.clone()));
    };
    if *consistent || *up_to_symmetry {
        unsupported("`consistent` and `up to symmetry`", claim.span)?;
    }
    let (of_class, others) = match class {
        Class::N => (n_positions, p_positions),
        _ => (p_positions, n_positions),
    };
    let mut reader = Reader {
        game,
        faults: Vec::new(),
    };
    let paths = reader.condition(Path::new(game.heap_count()), condition, true)?;
    for fault in clauses(reader.faults, claim.span)? {
        if let Some(at) = search.meets(positions, &fault, None)? {
            let at = game.shown(&at);
            return Err(Refused::Fault { of: "claim", at });
        }
    }
    let any = clauses(paths, claim.span)?;
    let says = |at: Option<Vec<u64>>| match at {
        Some(at) => Err(Refused::Claim(game.shown(&at))),
        None => Ok(()),
    };
    if *direction != Direction::OnlyIf {
        for clause in &any {
            says(search.meets(others, clause, None)?)?;
        }
    }
    if *direction != Direction::If {
        let mut rest = of_class.clone();
        for clause in &any {
            rest = search.without(&rest, clause, None)?;
        }
        says(search.meets(&rest, &Clause::default(), None)?)?;
    }
    Ok(())
}
