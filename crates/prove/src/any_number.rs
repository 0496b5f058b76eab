//! Claims about any number of heaps, decided by counting the heaps of each column of digits.
//!
//! The heaps of a multiset are interchangeable, and a move changes at most k of them. If the
//! claim reads the digits of all heaps only through numbers in a finite commutative monoid (sums
//! modulo a constant, counts that are capped), then a column of digits acts through the numbers
//! of heaps with each digit, capped as well. So one finite search decides the conditions of the
//! partition theorem for every number of heaps at once. Bouton's proof for Nim (1901) and
//! Moore's (1910) are of this form.
//!
//! - `claim`: the claim as a counting automaton.
//! - `moves`: the move as a relation between k heaps before and after.
//! - `search`: independence, as reachability, and absorption, as a safety game.
//! - `all_but`: the same where a number of heaps is left open and a move changes all but a few.
//!
//! Both searches allow the unchanged heaps at least what heaps can do, so that what they find to
//! hold does hold. A strategy that reads the digits from the most significant need not exist
//! where there is a move: then a counterexample is sought among the positions with few tokens,
//! and the claim may stay undecided.

mod all_but;
#[doc(hidden)]
pub mod claim;
#[doc(hidden)]
pub mod moves;
#[doc(hidden)]
pub mod search;

use super::Verdict;
use super::certificate::{self, NotWritten, Refusal};
use super::counterexample::{self, Compared};
use super::decide::{self, OutcomeStatement};
use super::numeration::numeration_of_rule;
use all_but::AllBut;
use claim::{CountingClaim, is_heaps};
use moves::Moves;
use nimrule_automata::Numeration;
use nimrule_checker::CountingCertificate;
use nimrule_claim::Counterexample;
use nimrule_engine::SolveError;
use nimrule_ir as ir;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::{Arithmetic, Bool, Expr, Num, Part};
use nimrule_model::game::{Claim, Convention, Direction, Game, PositionKind, Statement};
use nimrule_symbolic::{ProveError, Unsupported};
use search::{Columns, Keeps, Outcome};
use std::ops::RangeInclusive;

/// The proof that a claim gives the P-positions for any number of heaps.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The base of the digits.
    pub base: u8,
    /// The states of the strategy that finds a move into the set.
    pub states: usize,
    /// The number of heaps of which every column acts as one with at most so many.
    pub cutoff: u64,
    /// The number of last columns that are announced to the strategy.
    pub last: u8,
    /// The checked statements, in words.
    pub checked: Vec<String>,
    /// The certificate that the independent checker accepted, if there is one.
    pub certificate: Option<Box<CountingCertificate>>,
}

impl Proof {
    /// What the proof consists of, in words.
    pub fn words(&self) -> String {
        let states = match self.states {
            1 => "1 state".to_owned(),
            many => format!("{many} states"),
        };
        format!(
            "a strategy with {states} over the digits in base {}, with the cut-off {} heaps",
            self.base, self.cutoff
        )
    }
}

/// The game with a fixed number of heaps, whose positions are the multisets of so many heaps,
/// some of which may be empty. For formulas only.
fn window(game: &Game, heaps: usize) -> Game {
    let mut several = game.clone();
    several.rule.heap_names = (1..=heaps).map(|heap| format!("h{heap}")).collect();
    several
}

/// Whether the rule is about any number of heaps, and the partition theorem applies to it.
///
/// # Errors
///
/// The reason why not.
pub fn check_supported(game: &Game) -> Result<(), &'static str> {
    match game.position_kind {
        PositionKind::Multiset(_) | PositionKind::Open(_) => {
            decide::check_partition(game).and_then(|()| decide::check_unblocked(game))
        }
        _ => Err("the number of heaps is fixed"),
    }
}

/// Whether a rule about any number of heaps is one that the argument covers.
///
/// # Errors
///
/// What it does not cover.
pub fn check_rule(game: &Game) -> Result<(), Unsupported> {
    let nowhere = (0, 0).into();
    check_supported(game).map_err(|what| Unsupported::new(what, nowhere))?;
    moves::check_rule(game)?;
    let one = all_but::of_one_heap(game)?;
    let game = one.as_ref().map_or(game, |(_, one)| one);
    moves::most_changed(&ir::lower(game)).map(|_| ())
}

/// Decides a claim that gives all P-positions, all N-positions or all Grundy values of any number
/// of heaps; `None` for another claim.
pub fn decide(game: &Game, claim: &Claim, limits: &Limits) -> Option<Result<Verdict, SolveError>> {
    match &claim.statement {
        Some(
            Statement::Outcome {
                direction: Direction::Iff,
                ..
            }
            | Statement::Grundy(_),
        ) => {}
        _ => return None,
    }
    Some(match prove(game, claim, limits) {
        Ok(Found::Proof(proof)) => confirmed(game, claim, proof, limits),
        Ok(Found::Compared(wrong)) => wrong.map(Verdict::Refuted),
        Ok(Found::Neither(why)) => {
            let wrong = counterexample::of_any_number(game, claim, Compared::Many, limits);
            wrong.map(|wrong| wrong.map_or(Verdict::Undecided(why), Verdict::Refuted))
        }
        Err(ProveError::Unsupported(unsupported)) => {
            Ok(Verdict::Unsupported(unsupported.or_at(claim.span)))
        }
        Err(ProveError::LimitExceeded(limit)) => Err(SolveError::from(limit)),
    })
}

/// Compares a proof with the engines, and has the independent checker verify it.
fn confirmed(
    game: &Game,
    claim: &Claim,
    proof: Proof,
    limits: &Limits,
) -> Result<Verdict, SolveError> {
    match counterexample::find_contradiction_of_any_number(game, claim, limits)? {
        Some(wrong) => Ok(Verdict::Contradicted(wrong)),
        None => checked_independently(game, claim, proof, limits),
    }
}

/// Has the independent checker verify a proof.
fn checked_independently(
    game: &Game,
    claim: &Claim,
    mut proof: Proof,
    limits: &Limits,
) -> Result<Verdict, SolveError> {
    if matches!(claim.statement, Some(Statement::Grundy(_))) {
        let not = NotWritten("it does not support values of any number of heaps".to_owned());
        proof.checked.push(not.unchecked());
        return Ok(Verdict::ProvedOfAnyNumber(proof));
    }
    let limits = certificate::checking(limits);
    match certificate::check_counting(game, claim, (proof.base, proof.last), &limits) {
        Ok(Ok(certificate)) => proof.certificate = Some(certificate.into()),
        Ok(Err(not)) => proof.checked.push(not.unchecked()),
        Err(Refusal::Rejected(why)) => {
            return Ok(Verdict::Undecided(format!(
                "the prover finds that it holds, but the independent checker rejects the \
                 proof: {why}"
            )));
        }
        Err(Refusal::LimitExceeded(limit)) => return Err(SolveError::from(limit)),
    }
    Ok(Verdict::ProvedOfAnyNumber(proof))
}

/// What a claim is about.
enum Subject<'c> {
    /// The condition of the P-positions.
    PPositions(Box<Expr<Bool>>),
    /// The Grundy value.
    Values(&'c Expr<Num>),
}

/// What is found of a claim that is supported.
enum Found {
    Proof(Proof),
    /// A counterexample among few positions, or why the engines did not compare them.
    Compared(Result<Counterexample, SolveError>),
    /// Neither, for this reason.
    Neither(String),
}

/// Compares the claim with few positions, once the rule and the claim are read, and searches for
/// a proof in each base. A search of many states takes longer than the comparison, which finds
/// what is wrong with most false claims.
fn prove(game: &Game, claim: &Claim, limits: &Limits) -> Result<Found, ProveError> {
    let subject = match &claim.statement {
        Some(Statement::Grundy(_)) if claim.convention == Convention::Misere => {
            let what = "Grundy values of any number of heaps in misere play";
            return Err(Unsupported::new(what, claim.span).into());
        }
        Some(Statement::Grundy(value)) => Subject::Values(value),
        _ => {
            let OutcomeStatement {
                condition, negated, ..
            } = decide::outcome_statement(claim)?;
            let condition = condition.clone().into();
            Subject::PPositions(match negated {
                false => condition,
                true => Box::new(Bool::Not(condition).into()),
            })
        }
    };
    moves::check_rule(game)?;
    let alone = all_but::of_one_heap(game)?;
    let (mut open, mut refused, mut is_compared) = (None, None, false);
    for base in bases(game, &subject)? {
        let read = match Read::new(game, claim, &subject, alone.as_ref(), base, limits) {
            Ok(read) => read,
            // Another base may support it.
            Err(ProveError::Unsupported(why)) => {
                refused = refused.or(Some(why));
                continue;
            }
            Err(limit) => return Err(limit),
        };
        if !is_compared {
            let wrong = counterexample::of_any_number(game, claim, Compared::Few, limits);
            if let Some(wrong) = wrong.transpose() {
                return Ok(Found::Compared(wrong));
            }
            is_compared = true;
        }
        let found = match read.alone {
            Some(alone) => prove_all_but(&read, alone, limits)?,
            None => prove_few_changed(&read, limits)?,
        };
        match found {
            Ok(proof) => return Ok(Found::Proof(proof)),
            Err(why) => open = open.or(Some(why)),
        }
    }
    match (open, refused) {
        (None, Some(refused)) => Err(refused.into()),
        (open, _) => Ok(Found::Neither(
            open.unwrap_or_else(|| "no base was tried".to_owned()),
        )),
    }
}

/// The bases that are tried: the one that the rule or the claim needs, or else the moduli of the
/// claim and 2.
fn bases(game: &Game, subject: &Subject<'_>) -> Result<Vec<u8>, Unsupported> {
    if let Some(Numeration::Base(base)) = numeration_of_rule(&ir::lower(game))? {
        return Ok(vec![base]);
    }
    let (mut needed, mut moduli) = (None, vec![2]);
    let part = match subject {
        Subject::PPositions(condition) => Part::bool(condition),
        Subject::Values(value) => Part::num(value),
    };
    part.node.any(&mut |part| {
        match part {
            Part::Num(Num::Carryless { base, list, .. }) if is_heaps(list) => {
                needed = needed.or(base.constant());
            }
            Part::Num(Num::Binary(Arithmetic::Modulo, _, modulus)) => {
                moduli.extend(modulus.constant());
            }
            _ => {}
        }
        false
    });
    let needed = needed.map(|base| vec![base]);
    let mut bases: Vec<i64> = needed.unwrap_or(moduli);
    bases.sort_unstable_by(|one, other| other.cmp(one));
    bases.dedup();
    let bases = bases
        .into_iter()
        .filter(|base| (2..=MOST_BASE).contains(base));
    Ok(bases.map(|base| base as u8).collect())
}

/// The largest base that is tried.
const MOST_BASE: i64 = 16;

/// The most last columns that are announced to the strategy. It needs one where the claim
/// distinguishes heaps of one token, and more for larger constants.
const MOST_LOOKAHEAD: u8 = 3;

/// The rule and the claim in one base.
struct Read<'s> {
    base: u8,
    subject: &'s Subject<'s>,
    convention: Convention,
    counting: CountingClaim,
    moves: Moves,
    /// If the number of heaps is left open, how many a move leaves alone at least, and the
    /// smallest number of heaps.
    alone: Option<(usize, usize)>,
}

impl<'s> Read<'s> {
    fn new(
        game: &Game,
        claim: &Claim,
        subject: &'s Subject<'s>,
        alone: Option<&(usize, Game)>,
        base: u8,
        limits: &Limits,
    ) -> Result<Read<'s>, ProveError> {
        if alone.is_some() && matches!(subject, Subject::Values(_)) {
            let what = "Grundy values where the number of heaps is left open";
            return Err(Unsupported::new(what, claim.span).into());
        }
        let moves = Moves::new(alone.map_or(game, |(_, one)| one), base, limits)?;
        let (counting, moves) = match subject {
            Subject::PPositions(condition) => {
                (CountingClaim::new(game, condition, base, limits)?, moves)
            }
            Subject::Values(value) => {
                let counting = CountingClaim::of_values(game, value, base, limits)?;
                (counting, moves.with_value(base, limits)?)
            }
        };
        if claim.convention == Convention::Misere && !moves.only_empty_is_terminal {
            let what = "a position with tokens may be terminal, in misere play";
            return Err(Unsupported::new(what, claim.span).into());
        }
        let alone = match (alone, &game.position_kind) {
            (Some((alone, _)), PositionKind::Open(least)) => Some((*alone, *least)),
            _ => None,
        };
        Ok(Read {
            base,
            subject,
            convention: claim.convention,
            counting,
            moves,
            alone,
        })
    }

    fn is_misere(&self) -> bool {
        self.convention == Convention::Misere
    }

    /// The numbers of last columns that are announced, one after the other.
    fn lookaheads(&self) -> RangeInclusive<u8> {
        let places = self.counting.places();
        places.max(1)..=MOST_LOOKAHEAD.max(places)
    }
}

/// A rule whose moves change at most a few heaps; the inner error is the reason why there is no
/// proof.
fn prove_few_changed(
    read: &Read<'_>,
    limits: &Limits,
) -> Result<Result<Proof, String>, LimitExceeded> {
    let mut why = String::new();
    for lookahead in read.lookaheads() {
        let columns = |keeps| {
            Columns::new(
                &read.counting,
                &read.moves,
                read.convention,
                lookahead,
                keeps,
                limits,
            )
        };
        let (one, all) = (columns(Keeps::OneWay), columns(Keeps::AllWays));
        let columns = &one;
        if read.is_misere() && columns.has_empty() {
            return Ok(Err(EMPTY_IN_SET.to_owned()));
        }
        let pairs = match columns.independence()? {
            Outcome::Holds(states) => states,
            Outcome::Fails => {
                return Ok(Err(NOT_INDEPENDENT.to_owned()));
            }
            Outcome::TooLarge => return Ok(Err(TOO_LARGE.to_owned())),
        };
        let absorbs = match columns.absorption()? {
            Outcome::Holds(states) => Outcome::Holds(states),
            Outcome::Fails | Outcome::TooLarge => all.absorption()?,
        };
        match absorbs {
            Outcome::Holds(states) => {
                return Ok(Ok(Proof {
                    base: read.base,
                    states,
                    cutoff: columns.cutoff(),
                    last: lookahead,
                    certificate: None,
                    checked: checked(
                        read.subject,
                        pairs,
                        columns.counted_to(),
                        columns.cutoff(),
                        read.is_misere(),
                    ),
                }));
            }
            Outcome::Fails => why = NO_STRATEGY.to_owned(),
            Outcome::TooLarge => return Ok(Err(TOO_LARGE.to_owned())),
        }
    }
    Ok(Err(why))
}

/// A rule whose moves may change all heaps but a few; the inner error is the reason why there is
/// no proof.
fn prove_all_but(
    read: &Read<'_>,
    (alone, least): (usize, usize),
    limits: &Limits,
) -> Result<Result<Proof, String>, LimitExceeded> {
    for lookahead in read.lookaheads() {
        let search = AllBut {
            claim: &read.counting,
            moves: &read.moves,
            alone,
            least,
            convention: read.convention,
            lookahead,
            limits,
        };
        if read.is_misere() && search.has_empty() {
            return Ok(Err(EMPTY_IN_SET.to_owned()));
        }
        let (pairs, cutoff) = match search.independence()? {
            (Outcome::Holds(states), cutoff) => (states, cutoff),
            (Outcome::Fails, _) => return Ok(Err(NOT_INDEPENDENT.to_owned())),
            (Outcome::TooLarge, _) => return Ok(Err(TOO_LARGE.to_owned())),
        };
        match search.absorption()? {
            (Outcome::Holds(states), of_strategy) => {
                let cutoff = cutoff.max(of_strategy);
                return Ok(Ok(Proof {
                    base: read.base,
                    states,
                    cutoff,
                    last: lookahead,
                    certificate: None,
                    checked: checked(
                        read.subject,
                        pairs,
                        search.counted_to(),
                        cutoff,
                        read.is_misere(),
                    ),
                }));
            }
            (Outcome::Fails, _) => {}
            (Outcome::TooLarge, _) => return Ok(Err(TOO_LARGE.to_owned())),
        }
    }
    Ok(Err(NO_STRATEGY.to_owned()))
}

const EMPTY_IN_SET: &str = "the empty position is in the set";
const NOT_INDEPENDENT: &str = "a move may lead from the set into the set, and the engines found \
                               no such position with few tokens";
const TOO_LARGE: &str = "the search for any number of heaps has too many states";
const NO_STRATEGY: &str = "no move leads from the set into the set, but no strategy that reads \
                           the digits of the heaps from the most significant finds a move into \
                           it from every other position";

/// The statements of a proof, in words.
fn checked(
    subject: &Subject<'_>,
    pairs: usize,
    (threshold, period): (u32, u32),
    cutoff: u64,
    is_misere: bool,
) -> Vec<String> {
    let beyond = match period {
        1 => "from there on they act alike".to_owned(),
        _ => format!("from there on modulo {period}"),
    };
    let mut all = vec![
        "termination: every move lowers the number of tokens".to_owned(),
        format!(
            "cut-off: numbers of heaps with one digit are exact below {threshold}, and {beyond}, so \
             that a column of any number of heaps acts as one of at most {cutoff}"
        ),
    ];
    if let Subject::Values(_) = subject {
        all.push(format!(
            "no move keeps the value ({pairs} states of pairs of positions)"
        ));
        all.push("every smaller value is reached by some move".to_owned());
        return all;
    }
    all.push(format!(
        "independence: no move leads from the set into the set ({pairs} states of pairs of \
         positions)"
    ));
    let absorption = "absorption: every position outside the set has a move into it";
    match is_misere {
        false => all.push(absorption.to_owned()),
        true => {
            all.push("every position of the set has a move".to_owned());
            all.push(format!("{absorption}, or is terminal"));
        }
    }
    all
}
