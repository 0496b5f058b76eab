//! The verification of a certificate.

use crate::atom::{Atom, Clause, Linear, Variable};
use crate::certificate::{Certificate, Proves, ReadError, is_of_game};
use crate::dfa::{Dfa, NOTHING};
use crate::expression::{MAX_EVALUATIONS, Path, Read, Reader, unsupported};
use crate::preimages::{Preimages, Symmetries};
use crate::rule::{Rule, clauses};
use crate::search::Search;
use crate::{Numeration, Unsupported};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::expr::{Expr, HeapId, Num, Order};
use nimrule_model::game::{
    Applies, Claim, Class, Convention, Direction, Game, PositionKind, Statement,
};
use std::collections::BTreeMap;
use thiserror::Error;

/// An accepted certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The number of states of the minimal DFA of the set that reads a whole letter
    /// at a time.
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
        /// The parameters in the certificate that differ, as `name=value`; none if the names
        /// differ.
        settings: Vec<String>,
    },
    /// One is for a fixed number of heaps, and the other for any number.
    #[error("it is for {there} heaps, and the rule for {here}")]
    NumberOfHeaps {
        /// The number of heaps of the certificate, in words.
        there: &'static str,
        /// That of the rule.
        here: &'static str,
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
    #[error("the file makes no claim `{0}`; add it")]
    NoClaim(String),
    /// The claim with this text is not a condition for an outcome class.
    #[error("the claim `{0}` does not say which positions are P or N at these parameters")]
    NotOfOutcomes(String),
    /// The claim with this text is not that some positions are P-positions.
    #[error("the claim `{0}` is not that some positions are P at these parameters")]
    NotOfSome(String),
    /// The claim with this text does not give the Grundy values.
    #[error("the claim `{0}` does not say what the Grundy values are at these parameters")]
    NotOfValues(String),
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
    /// A move from a set of P-positions is not answered by a move back into it.
    #[error("a move from {0} in the set cannot be answered by a move back into the set")]
    NoReply(String),
    /// The claim and the set differ at the position.
    #[error("the claim and the certificate's set differ at {0}")]
    Claim(String),
    /// An N-position is an option of no P-position.
    #[error("it is no cogame: no P-position has a move to {0}, which is an N-position")]
    NoOption(String),
    /// What a claim about any number of heaps fails by; the position is not known.
    #[error("for some number of heaps {0}, as far as the checker finds")]
    AnyNumber(&'static str),
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

/// Decides whether the set of a certificate is what it says for all heap sizes, and
/// compares it with the claim that the certificate names.
///
/// By the partition theorem the set is the set of P-positions if play ends
/// (termination), no move leads from the set into the set (independence), and
/// every position outside the set has a move into it (absorption). In misere
/// play a position outside the set may be terminal instead, and every position
/// of the set must have a move.
///
/// For a set of some P-positions, absorption is not needed. Instead every move from the set
/// has to be answered by a move back into it; under misere play it may also lead to a
/// terminal position.
///
/// For Grundy values the game is that of the rule with one more heap, from which any
/// number of tokens may be taken: the disjunctive sum with a Nim heap. A position
/// with such a heap of n tokens, in error messages `(1,2) + *n`, is a P-position if and
/// only if n is the Grundy value of the position (Sprague 1935, Grundy 1939). Under misere
/// play the sum is under misere play too, and terminal positions have the value 1: with an
/// empty heap they are terminal, hence N; with one token the only move leads there, so
/// that they are P; with more tokens a move leads to one token. For all other positions the
/// argument is the same under both conventions.
///
/// # Errors
///
/// If the certificate is rejected, or if a limit is exceeded first.
pub fn verify(
    game: &Game,
    certificate: &Certificate,
    limits: &Limits,
) -> Result<Verified, VerifyError> {
    is_of_game(&certificate.game, &certificate.params, game)?;
    if let PositionKind::Multiset(_) | PositionKind::Open(_) = game.position_kind {
        return Err(VerifyError::NumberOfHeaps {
            there: "a fixed number of",
            here: "any number",
        });
    }
    let rule = Rule::read(game)?;
    certificate.is_of(&rule)?;
    let claim = match &certificate.claim {
        Some(words) => Some(find_claim(game, words, certificate)?),
        None => None,
    };
    let heaps = certificate.proves.levels(game.heap_count());
    let numeration = certificate.numeration;
    let search = Search {
        heaps,
        numeration,
        limits,
    };
    let shown = |at: Vec<u64>| shown(game, &at);
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
    let of_positions = rule.faults_of_positions.iter().map(|fault| (&every, fault));
    let of_moves = rule.faults.iter().map(|fault| (&positions, fault));
    for (among, fault) in of_positions.chain(of_moves) {
        if let Some(at) = search.find_witness(among, fault, None)? {
            let at = shown(at);
            return Err(VerifyError::Fault { of: "rule", at });
        }
    }
    let mut violations = Vec::new();
    for transition in &rule.transitions {
        violations.extend(match game.facts.termination.named.as_slice() {
            [] => termination_violations(transition, &game.facts.termination.levels)?,
            named => measure_violations(game, transition, named)?.0,
        });
    }
    // Of violations that are images of each other under permutations that map the set of
    // positions to itself, one is possible if and only if the others are.
    let violations = violations.into_iter();
    let violations = violations.map(|clause| Clause::new(clause.touched, clause.atoms));
    let violations: Vec<Clause> = violations.collect();
    for violation in Symmetries::of(game, &positions, limits)?.representatives(&violations) {
        if let Some(at) = search.find_witness(&positions, violation, Some(&positions))? {
            return Err(VerifyError::Termination(shown(at)));
        }
    }
    let mut transitions = rule.transitions.clone();
    if certificate.proves == Proves::GrundyValues {
        // Play of the sum ends because play of the rule and of Nim does.
        transitions.push(move_of_nim(game.heap_count()));
    }
    let symmetries = Symmetries::of(game, set, limits)?;
    for transition in symmetries.representatives(&transitions) {
        if let Some(at) = search.find_witness(set, transition, Some(set))? {
            return Err(VerifyError::Independence(shown(at)));
        }
    }
    let outside = difference(&positions, set)?;
    // The positions outside the set for which no move into it is found yet.
    let mut rest = outside.clone();
    if certificate.convention == Convention::Misere {
        let mut terminal = positions.clone();
        for transition in &transitions {
            terminal = search.without(&terminal, transition, Some(&positions))?;
        }
        if let Some(at) = search.find_witness(&terminal, &identity, Some(set))? {
            return Err(VerifyError::Terminal(shown(at)));
        }
        rest = difference(&rest, &terminal)?;
    }
    // Of positions that are images of each other under symmetries of the rule and of the set
    // one is enough.
    let most_nodes = MAX_GROWTH * rest.nodes();
    for images in symmetries.excluding_images(&rule) {
        let fewer = search.without(&rest, &images, None)?;
        if fewer.nodes() <= most_nodes {
            rest = fewer;
        }
    }
    let mut preimages = Preimages {
        search: &search,
        positions: &every,
        target: set,
        symmetries: &symmetries,
        memo: BTreeMap::new(),
    };
    for transition in Preimages::in_order(&transitions) {
        if rest.start == NOTHING {
            break;
        }
        rest = preimages.without(&rest, transition)?;
    }
    if certificate.proves == Proves::SomePPositions {
        for transition in &transitions {
            if let Some(at) = search.find_witness(set, transition, Some(&rest))? {
                return Err(VerifyError::NoReply(shown(at)));
            }
        }
    } else if let Some(at) = any_position(&rest)? {
        return Err(VerifyError::Absorption(shown(at)));
    }
    // The translation of roots with a large quotient has too many states.
    let of_claim = match numeration {
        Numeration::Base(_) => limits.clone(),
        Numeration::Ostrowski(_) => limits.half_work().cap_work(CLAIM_WORK),
    };
    let claim = match claim {
        None => None,
        Some(claim) => Some(VerifiedClaim {
            words: claim.words.clone(),
            proved: match claim.statement {
                Some(Statement::Cogame(None)) => Ok(check_cogame(&search, &rule, set, &outside)?),
                _ => {
                    let search = Search {
                        limits: &of_claim,
                        ..search
                    };
                    match check_claim(&search, game, claim, &positions, set, &outside) {
                        Err(VerifyError::Unsupported(unsupported)) => Err(unsupported),
                        Err(VerifyError::LimitExceeded(LimitExceeded::Work { .. }))
                            if limits.check_work(Steps(0)).is_ok() =>
                        {
                            Err(Unsupported::new(SLOW_CLAIM, claim.span))
                        }
                        other => Ok(other?),
                    }
                }
            },
        }),
    };
    Ok(Verified {
        states: set.states(),
        nodes: set.nodes(),
        claim,
    })
}

/// The largest factor by which the restriction to one position of each orbit may enlarge
/// the automaton of the positions to be looked at.
const MAX_GROWTH: usize = 8;

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
    let mut reader = Reader::new(game, MAX_EVALUATIONS);
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
            Atom::Power { base, .. } | Atom::Columns { base, .. } => {
                u8::try_from(*base).ok().map(Numeration::Base)
            }
            Atom::Pair { quotient, .. } => Some(Numeration::Ostrowski(*quotient)),
            Atom::Zero(_) | Atom::AtMost(_) | Atom::NonZero(_) | Atom::Residue { .. } => None,
        })
    });
    needed.unwrap_or(Numeration::Base(2))
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

/// The move of a heap of Nim: it becomes smaller.
fn move_of_nim(heap: usize) -> Clause {
    let lower = Linear {
        weights: BTreeMap::from([(Variable::Before(heap), -1), (Variable::After(heap), 1)]),
        constant: 1,
    };
    Clause::new(vec![heap], vec![Atom::AtMost(lower)])
}

/// A position in words; with one more number n than there are heaps, the sum of the
/// position and a Nim heap, `(1,2) + *n`.
fn shown(game: &Game, at: &[u64]) -> String {
    let (heaps, value) = at.split_at(game.heap_count().min(at.len()));
    match value {
        [value] => format!("{} + *{value}", game.shown(heaps)),
        _ => game.shown(heaps),
    }
}

/// The claim of the file with this text, which must be about what the certificate
/// proves, in its convention.
fn find_claim<'g>(
    game: &'g Game,
    words: &str,
    certificate: &Certificate,
) -> Result<&'g Claim, VerifyError> {
    let claim = game.claims.iter().find(|claim| claim.words == words);
    let claim = claim.ok_or_else(|| VerifyError::NoClaim(words.to_owned()))?;
    if claim.convention != certificate.convention {
        return Err(VerifyError::Convention {
            there: certificate.convention.word(),
            here: claim.convention.word(),
        });
    }
    let is_of_set = match (&claim.statement, certificate.proves) {
        (
            Some(Statement::Outcome {
                class, direction, ..
            }),
            proves,
        ) => match (class, direction) {
            (Class::P, Direction::If) | (Class::N, Direction::OnlyIf) => {
                proves != Proves::GrundyValues
            }
            (Class::P | Class::N, _) => proves == Proves::PPositions,
            _ => false,
        },
        (Some(Statement::Pairing(_)), proves) => proves != Proves::GrundyValues,
        (Some(Statement::Cogame(None)), proves) => proves == Proves::PPositions,
        (Some(Statement::Grundy(_)), proves) => proves == Proves::GrundyValues,
        _ => false,
    };
    if is_of_set && claim.applies != Applies::Elsewhere {
        return Ok(claim);
    }
    let words = words.to_owned();
    Err(match certificate.proves {
        Proves::PPositions => VerifyError::NotOfOutcomes(words),
        Proves::SomePPositions => VerifyError::NotOfSome(words),
        Proves::GrundyValues => VerifyError::NotOfValues(words),
    })
}

/// The clauses that hold where a transition does not lower the levels of
/// weights in lexicographic order: for some level the totals of the levels
/// before it stay equal and its own total rises, or the totals of all levels
/// stay equal.
pub(crate) fn termination_violations(
    transition: &Clause,
    levels: &[Vec<i64>],
) -> Read<Vec<Clause>> {
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
    let mut reader = Reader::new(game, MAX_EVALUATIONS);
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

/// Checks that every position outside the set of P-positions is an option of one in it:
/// the moves are followed backwards.
fn check_cogame(
    search: &Search<'_>,
    rule: &Rule<'_>,
    set: &Dfa,
    outside: &Dfa,
) -> Result<(), VerifyError> {
    let mut rest = outside.clone();
    for transition in &rule.transitions {
        rest = search.without(&rest, &transition.reversed(), Some(set))?;
    }
    match search.find_witness(&rest, &Clause::default(), None)? {
        Some(at) => Err(VerifyError::NoOption(shown(rule.game, &at))),
        None => Ok(()),
    }
}

/// The work for the comparison of a claim with roots.
const CLAIM_WORK: Steps = Steps::million(5);
const SLOW_CLAIM: &str = "roots that take more than 5 million steps to compare with the set";

/// Checks that a claim is true of the set of a certificate and its complement
/// `outside` among the positions.
fn check_claim(
    search: &Search<'_>,
    game: &Game,
    claim: &Claim,
    positions: &Dfa,
    set: &Dfa,
    outside: &Dfa,
) -> Result<(), VerifyError> {
    let mut reader = Reader::new(game, MAX_EVALUATIONS);
    let start = Path::new(game.heap_count());
    let (paths, direction, is_of_set) = match &claim.statement {
        Some(Statement::Outcome {
            class,
            consistent,
            up_to_symmetry,
            direction,
            condition,
        }) => {
            if *consistent {
                unsupported("`consistent`", claim.span)?;
            }
            let mut paths = Vec::new();
            if *up_to_symmetry {
                for image in reader.images_of(&start, claim.span)? {
                    let start = Path {
                        heaps: image,
                        ..start.clone()
                    };
                    paths.extend(reader.condition(start, condition, true)?);
                }
                // The heaps are those of the position again.
                for path in &mut paths {
                    path.heaps.clone_from(&start.heaps);
                }
            } else {
                paths = reader.condition(start, condition, true)?;
            }
            (paths, *direction, *class != Class::N)
        }
        Some(Statement::Pairing(pairs)) => {
            let mut path = Some(start);
            let zero = Linear::default();
            let mut equal = |one: &Linear, other: &Linear| {
                path = match path.take() {
                    Some(path) => path.compare(one, Order::Equal, other, true, claim.span)?,
                    None => None,
                };
                Ok::<(), Unsupported>(())
            };
            let size = |heap: HeapId| Linear::variable(Variable::Before(heap.index()));
            for (one, other) in pairs {
                equal(&size(*one), &size(*other))?;
            }
            let is_paired = |heap: HeapId| pairs.iter().any(|(a, b)| [*a, *b].contains(&heap));
            for heap in game.heaps().filter(|heap| !is_paired(*heap)) {
                equal(&size(heap), &zero)?;
            }
            (path.into_iter().collect(), Direction::If, true)
        }
        Some(Statement::Grundy(value)) => {
            let own = Linear::variable(Variable::Before(game.heap_count()));
            let mut paths = Vec::new();
            for (path, number) in reader.number(start, value)? {
                paths.extend(path.compare(&own, Order::Equal, &number, true, value.span)?);
            }
            (paths, Direction::Iff, true)
        }
        _ => return Err(VerifyError::NotOfOutcomes(claim.words.clone())),
    };
    let (of_class, others) = match is_of_set {
        true => (set, outside),
        false => (outside, set),
    };
    for fault in clauses(reader.faults, claim.span)? {
        if let Some(at) = search.find_witness(positions, &fault, None)? {
            let at = shown(game, &at);
            return Err(VerifyError::Fault { of: "claim", at });
        }
    }
    let any = clauses(paths, claim.span)?;
    let no_counterexample = |at: Option<Vec<u64>>| match at {
        Some(at) => Err(VerifyError::Claim(shown(game, &at))),
        None => Ok(()),
    };
    if direction != Direction::OnlyIf {
        for clause in &any {
            no_counterexample(search.find_witness(others, clause, None)?)?;
        }
    }
    if direction != Direction::If {
        let mut rest = of_class.clone();
        for clause in &any {
            rest = search.without(&rest, clause, None)?;
        }
        no_counterexample(search.find_witness(&rest, &Clause::default(), None)?)?;
    }
    Ok(())
}
