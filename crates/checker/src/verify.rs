//! The verification of a certificate.

use crate::atom::{Atom, Clause, Linear, Variable};
use crate::certificate::{Certificate, ReadError};
use crate::dfa::{Dfa, NOTHING};
use crate::expression::{Path, Read, Reader, unsupported};
use crate::preimages::{Preimages, Symmetries};
use crate::rule::{Rule, clauses};
use crate::search::Search;
use crate::{Numeration, Unsupported};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::{Expr, Num, Order};
use nimrule_model::game::{Applies, Claim, Class, Convention, Direction, Game, Statement};
use std::collections::BTreeMap;
use thiserror::Error;

/// An accepted certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The number of states of the minimal DFA of the P-positions that reads a
    /// whole letter at a time.
    pub states: usize,
    /// The number of nodes of the certificate's DFA, which reads one digit at a
    /// time.
    pub nodes: usize,
    /// The claim that the certificate names.
    pub claim: Option<VerifiedClaim>,
}

/// The claim that a certificate names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedClaim {
    /// The text of the claim, on one line.
    pub words: String,
    /// `Ok` if the claim is proved for all sizes; otherwise the part of it that
    /// the checker cannot translate.
    pub proved: Result<(), Unsupported>,
}

/// Why a certificate is rejected. `there` is what the certificate has, `here`
/// what the game has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The text is not a certificate.
    #[error(transparent)]
    Unreadable(ReadError),
    /// The checker cannot translate the rule.
    #[error("the checker does not support {0}")]
    Unsupported(#[from] Unsupported),
    /// The names of the games differ.
    #[error("it is for another game, `{there}` and not `{here}`")]
    Game {
        /// The name in the certificate.
        there: String,
        /// The name in the rule file.
        here: String,
    },
    /// The values of the parameters differ.
    #[error("it is for other parameters: {there} and not {here}")]
    Parameters {
        /// The parameters in the certificate.
        there: String,
        /// The current parameters.
        here: String,
    },
    /// The names of the heaps differ.
    #[error("its heaps are called {there} and not {here}")]
    Heaps {
        /// The names in the certificate.
        there: String,
        /// The names in the rule file.
        here: String,
    },
    /// The transition relation differs.
    #[error("it is for another rule, with other moves")]
    Rule,
    /// The conventions differ.
    #[error("it is for {there} play, and the claim is about {here} play")]
    Convention {
        /// The convention of the certificate.
        there: &'static str,
        /// The convention of the claim.
        here: &'static str,
    },
    /// The rule file has no claim with this text.
    #[error("the file makes no claim `{0}`")]
    NoClaim(String),
    /// The claim with this text is not a condition for an outcome class.
    #[error("the claim `{0}` does not say which positions are P or N at these parameters")]
    NotOfOutcomes(String),
    /// An expression of the rule or claim has a fault.
    #[error("an expression of the {of} has no value at {at}")]
    Fault {
        /// `rule`, `claim` or `measure`.
        of: &'static str,
        /// The position.
        at: String,
    },
    /// A move at the position does not lower the termination measure.
    #[error("termination fails: at {0} a move need not lower the termination measure")]
    Termination(String),
    /// A number of a measure is negative at the position, which has a move.
    #[error("the measure is negative at {0}")]
    NegativeMeasure(String),
    /// The set has a member that does not satisfy `positions where`.
    #[error("its set contains {0}, which is not a position")]
    NoPosition(String),
    /// The set is not independent.
    #[error("independence fails: a move leads from {0} in the set into the set")]
    Independence(String),
    /// The set has a terminal position in misère play.
    #[error("the set contains {0}, which has no move and is N in misere play")]
    Terminal(String),
    /// The set is not absorbing.
    #[error("absorption fails: {0} is outside the set and has no move into it")]
    Absorption(String),
    /// The claim and the set differ at the position.
    #[error("the claim and the certificate's set differ at {0}")]
    Claim(String),
    /// A limit was exceeded.
    #[error(transparent)]
    LimitExceeded(#[from] LimitExceeded),
}

impl From<ReadError> for VerifyError {
    fn from(error: ReadError) -> VerifyError {
        match error {
            ReadError::LimitExceeded(met) => VerifyError::LimitExceeded(met),
            other => VerifyError::Unreadable(other),
        }
    }
}

/// Decides whether the set of a certificate is the set of P-positions of a game
/// for all heap sizes, and compares it with the claim that the certificate
/// names.
///
/// By the partition theorem the set is the set of P-positions if play ends
/// (termination), no move leads from the set into the set (independence), and
/// every position outside the set has a move into it (absorption). In misere
/// play a position outside the set may be terminal instead, and every position
/// of the set must have a move.
///
/// # Errors
///
/// If the certificate is rejected, or if a limit is exceeded first.
pub fn verify(
    game: &Game,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Verified, VerifyError> {
    let rule = Rule::read(game)?;
    certificate.is_of(&rule)?;
    let claim = match &certificate.claim {
        Some(words) => Some(find_claim(game, words, certificate.convention)?),
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
    // The clause that relates each position to itself only.
    let identity = Clause::default();
    let difference = |source: &Dfa, less: &Dfa| search.without(source, &identity, Some(less));
    let any_position = |source: &Dfa| search.find_witness(source, &identity, None);

    let positions = positions_of(&rule, &search)?;
    if let Some(at) = any_position(&difference(set, &positions)?)? {
        return Err(VerifyError::NoPosition(shown(at)));
    }
    for fault in &rule.faults {
        if let Some(at) = search.find_witness(&every, fault, None)? {
            let at = shown(at);
            return Err(VerifyError::Fault { of: "rule", at });
        }
    }
    for transition in &rule.transitions {
        let violations = match game.termination.named.as_slice() {
            [] => termination_violations(transition, &game.termination.levels)?,
            named => measure_violations(game, transition, named)?.0,
        };
        for violation in violations {
            if let Some(at) = search.find_witness(&positions, &violation, Some(&positions))? {
                return Err(VerifyError::Termination(shown(at)));
            }
        }
    }
    let symmetries = Symmetries::of(game, set, limits)?;
    for transition in symmetries.representatives(&rule.transitions) {
        if let Some(at) = search.find_witness(set, transition, Some(set))? {
            return Err(VerifyError::Independence(shown(at)));
        }
    }
    let outside = difference(&positions, set)?;
    // The positions outside the set for which no move into it is found yet.
    let mut rest = outside.clone();
    if certificate.convention == Convention::Misere {
        let mut terminal = positions.clone();
        for transition in &rule.transitions {
            terminal = search.without(&terminal, transition, Some(&positions))?;
        }
        if let Some(at) = search.find_witness(&terminal, &identity, Some(set))? {
            return Err(VerifyError::Terminal(shown(at)));
        }
        rest = difference(&rest, &terminal)?;
    }
    let mut preimages = Preimages {
        search: &search,
        positions: &every,
        target: set,
        symmetries: &symmetries,
        memo: BTreeMap::new(),
    };
    // In reverse order: the digits of the last clause's heaps are read last,
    // which takes fewer subsets if all clauses are images of one clause.
    for transition in rule.transitions.iter().rev() {
        if rest.start == NOTHING {
            break;
        }
        rest = preimages.without(&rest, transition)?;
    }
    if let Some(at) = any_position(&rest)? {
        return Err(VerifyError::Absorption(shown(at)));
    }
    let claim = match claim {
        None => None,
        Some(claim) => Some(VerifiedClaim {
            words: claim.words.clone(),
            proved: match check_claim(&search, game, claim, &positions, set, &outside) {
                Err(VerifyError::Unsupported(unsupported)) => Err(unsupported),
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

/// Decides whether every move of a game lowers some numbers in lexicographic order,
/// none of which is negative where a move can be made: whether they are a termination
/// measure. The measure that the game has already is not used.
///
/// # Errors
///
/// [`VerifyError::Termination`] or [`VerifyError::NegativeMeasure`] if it is not, or an
/// error for a rule or a measure that the checker cannot translate, and for a limit.
pub fn verify_measure(
    game: &Game,
    measure: &[Expr<Num>],
    limits: &Limits,
) -> Result<(), VerifyError> {
    let rule = Rule::read(game)?;
    let heaps = game.heap_count();
    let shown = |at: Vec<u64>| game.shown(&at);
    let mut violations = Vec::new();
    for transition in &rule.transitions {
        violations.push(measure_violations(game, transition, measure)?);
    }
    let mut reader = Reader {
        game,
        faults: Vec::new(),
    };
    for number in measure {
        reader.number(Path::new(heaps), number)?;
    }
    let faults = clauses(reader.faults, (0, 0).into())?;
    let all = violations
        .iter()
        .flat_map(|(not_lower, negative)| not_lower.iter().chain(negative));
    let search = Search {
        heaps,
        numeration: numeration_of(all.chain(rule.positions.iter().flatten())),
        limits,
    };
    let positions = positions_of(&rule, &search)?;
    for fault in &faults {
        if let Some(at) = search.find_witness(&positions, fault, None)? {
            let at = shown(at);
            return Err(VerifyError::Fault { of: "measure", at });
        }
    }
    for (not_lower, negative) in &violations {
        for clause in negative {
            if let Some(at) = search.find_witness(&positions, clause, Some(&positions))? {
                return Err(VerifyError::NegativeMeasure(shown(at)));
            }
        }
        for clause in not_lower {
            if let Some(at) = search.find_witness(&positions, clause, Some(&positions))? {
                return Err(VerifyError::Termination(shown(at)));
            }
        }
    }
    Ok(())
}

/// The numeration in which clauses are decided: that of the first atom that needs one,
/// otherwise base 2.
fn numeration_of<'c>(mut clauses: impl Iterator<Item = &'c Clause>) -> Numeration {
    let needed = clauses.find_map(|clause| {
        clause.atoms.iter().find_map(|atom| match atom {
            Atom::Power { base, .. } | Atom::Columns { base, .. } => u8::try_from(*base).ok(),
            Atom::Zero(_) | Atom::AtMost(_) | Atom::NonZero(_) | Atom::Residue { .. } => None,
        })
    });
    Numeration::Base(needed.unwrap_or(2))
}

/// The set of the positions that `positions where` allows.
fn positions_of(rule: &Rule<'_>, search: &Search<'_>) -> Result<Dfa, VerifyError> {
    let every = Dfa::positions(search.heaps, search.numeration, search.limits)?;
    let Some(any) = &rule.positions else {
        return Ok(every);
    };
    let mut outside = every.clone();
    for clause in any {
        outside = search.without(&outside, clause, None)?;
    }
    search.without(&every, &Clause::default(), Some(&outside))
}

/// The claim of the file with this text, which must be about P-positions or
/// N-positions in this convention.
fn find_claim<'g>(
    game: &'g Game,
    words: &str,
    convention: Convention,
) -> Result<&'g Claim, VerifyError> {
    let claim = game.claims.iter().find(|claim| claim.words == words);
    let claim = claim.ok_or_else(|| VerifyError::NoClaim(words.to_owned()))?;
    if claim.convention != convention {
        return Err(VerifyError::Convention {
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
        return Err(VerifyError::NotOfOutcomes(words.to_owned()));
    }
    Ok(claim)
}

/// The clauses that hold where a transition does not lower the levels of
/// weights in lexicographic order: for some level the totals of the levels
/// before it stay equal and its own total rises, or the totals of all levels
/// stay equal.
fn termination_violations(transition: &Clause, levels: &[Vec<i64>]) -> Read<Vec<Clause>> {
    let start = (0, 0).into();
    if levels.is_empty() {
        return unsupported("a rule without a termination measure", start);
    }
    let mut equal_so_far = transition.clone();
    let mut found = Vec::new();
    for weights in levels {
        // The weighted total before the move minus that after it.
        let mut decrease = Linear::default();
        for heap in &transition.touched {
            let weight = weights.get(*heap).copied();
            if weight.is_some_and(|weight| weight < 0) {
                return unsupported("play that ends because heaps of bounded size grow", start);
            }
            let change = weight.and_then(|weight| {
                let before = decrease.plus(weight, &Linear::variable(Variable::Before(*heap)))?;
                before.plus(-weight, &Linear::variable(Variable::After(*heap)))
            });
            decrease = change.ok_or_else(|| Unsupported::new("weights this large", start))?;
        }
        let mut rises = equal_so_far.clone();
        let below_zero = decrease.plus(1, &Linear::constant(1));
        rises.atoms.extend(below_zero.map(Atom::AtMost));
        found.push(rises);
        equal_so_far.atoms.push(Atom::Zero(decrease));
    }
    found.push(equal_so_far);
    Ok(found)
}

/// The clauses that hold where a transition does not lower the numbers of a measure in
/// lexicographic order, and those that hold where it is possible and a number is
/// negative.
fn measure_violations(
    game: &Game,
    transition: &Clause,
    measure: &[Expr<Num>],
) -> Read<(Vec<Clause>, Vec<Clause>)> {
    let mut reader = Reader {
        game,
        faults: Vec::new(),
    };
    let clause = |path: Path| Clause {
        touched: transition.touched.clone(),
        some: path.some,
        atoms: path.atoms,
    };
    let zero = Linear::default();
    let before = Path::new(game.heap_count()).heaps;
    let mut after = before.clone();
    for heap in &transition.touched {
        after[*heap] = Linear::variable(Variable::After(*heap));
    }
    let start = Path {
        atoms: transition.atoms.clone(),
        some: transition.some,
        ..Path::new(game.heap_count())
    };
    let (mut not_lower, mut negative) = (Vec::new(), Vec::new());
    // The paths on which the numbers so far are equal before and after the move.
    let mut equal = vec![start];
    for number in measure {
        let mut still_equal = Vec::new();
        for path in equal {
            for (mut path, now) in reader.number(path, number)? {
                let below = path
                    .clone()
                    .compare(&now, Order::Less, &zero, true, number.span)?;
                negative.extend(below.map(clause));
                path.heaps.clone_from(&after);
                for (mut path, then) in reader.number(path, number)? {
                    path.heaps.clone_from(&before);
                    let rises =
                        path.clone()
                            .compare(&now, Order::Less, &then, true, number.span)?;
                    not_lower.extend(rises.map(clause));
                    still_equal.extend(path.compare(
                        &now,
                        Order::Equal,
                        &then,
                        true,
                        number.span,
                    )?);
                }
            }
        }
        equal = Reader::limited(still_equal, number.span)?;
    }
    not_lower.extend(equal.into_iter().map(clause));
    Ok((not_lower, negative))
}

/// Checks that a claim is true of the P-positions and the N-positions, both
/// given as sets.
fn check_claim(
    search: &Search<'_>,
    game: &Game,
    claim: &Claim,
    positions: &Dfa,
    p_positions: &Dfa,
    n_positions: &Dfa,
) -> Result<(), VerifyError> {
    let Some(Statement::Outcome {
        class,
        consistent,
        up_to_symmetry,
        direction,
        condition,
    }) = &claim.statement
    else {
        return Err(VerifyError::NotOfOutcomes(claim.words.clone()));
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
        if let Some(at) = search.find_witness(positions, &fault, None)? {
            let at = game.shown(&at);
            return Err(VerifyError::Fault { of: "claim", at });
        }
    }
    let any = clauses(paths, claim.span)?;
    let no_counterexample = |at: Option<Vec<u64>>| match at {
        Some(at) => Err(VerifyError::Claim(game.shown(&at))),
        None => Ok(()),
    };
    if *direction != Direction::OnlyIf {
        for clause in &any {
            no_counterexample(search.find_witness(others, clause, None)?)?;
        }
    }
    if *direction != Direction::If {
        let mut rest = of_class.clone();
        for clause in &any {
            rest = search.without(&rest, clause, None)?;
        }
        no_counterexample(search.find_witness(&rest, &Clause::default(), None)?)?;
    }
    Ok(())
}
