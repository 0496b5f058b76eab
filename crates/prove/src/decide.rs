//! The decision of claims by automata: each claim is reduced to a few statements
//! about moves.

mod claimed;
mod same_as;
mod values;

use super::discovered;
use super::numeration::numeration;
use super::procedures::{PROCEDURES, Procedure};
use super::symbolic::{MAX_HEAPS, Translation};
use super::theorem::{FailingPositions, ProveError, Prover};
use super::unsupported::Unsupported;
pub use claimed::Claimed;
use nimrule_automata::{Dfa, Numeration, Track};
use nimrule_checker::Certificate;
use nimrule_ir as ir;
use nimrule_limits::Limits;
use nimrule_model::expr::{Bool, Expr, Num, Order, Part};
use nimrule_model::game::{Claim, Class, Convention, Direction, Game, PositionKind, Statement};
use std::rc::Rc;
pub use values::value_tracks;
use values::values;
pub(super) use values::{found_classes, found_values};

/// The strategy of a decision: its limits and the procedures that it may use.
#[derive(Clone, Copy)]
pub struct Strategy {
    pub limits: Limits,
    /// The procedures that may check a set, in order of preference.
    pub procedures: &'static [&'static dyn Procedure],
    /// Whether the P-positions may be learned if no claim gives them.
    pub may_search: bool,
}

impl Strategy {
    /// The strategy with all procedures, within limits.
    pub fn all(limits: &Limits) -> Strategy {
        Strategy {
            limits: *limits,
            procedures: &PROCEDURES,
            may_search: true,
        }
    }

    fn half_time(&self) -> Strategy {
        Strategy {
            limits: self.limits.half_time(),
            ..*self
        }
    }

    /// Learns the P-positions from the rule, if the strategy allows it.
    fn discovered(&self, game: &Game, claim: &Claim) -> Option<Dfa> {
        if !self.may_search {
            return None;
        }
        let found = discovered(game, claim.convention, &self.limits)?;
        Some(found.0)
    }
}

/// The result of a decision.
#[derive(Debug, Clone)]
pub enum Decision {
    Holds(Proof),
    /// A necessary statement fails: the claim is false.
    Fails(FailingPositions),
    /// The statements do not decide the claim, for this reason.
    Open(String),
}

/// The proof of a claim.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The set of the P-positions, the graph of the Grundy values, or the set of
    /// the claim.
    pub automaton: Rc<Dfa>,
    /// What the automaton accepts.
    pub of: Set,
    /// The number of states of the automaton.
    pub states: usize,
    /// The checked statements, in words.
    pub checked: Vec<String>,
    /// The certificate that the independent checker accepted, if there is one
    /// ([`super::certificate::check`]).
    pub certificate: Option<Box<Certificate>>,
}

/// What the automaton of a proof accepts. The tracks of the heaps are
/// [`super::symbolic::formula::of_heap`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// All P-positions.
    PPositions,
    /// Positions with their Grundy values, on this track.
    Values(Track),
    /// Some P-positions.
    SomePPositions,
    /// All P-positions and perhaps others.
    BeyondPPositions,
    /// The positions of a game within a game.
    SubGame,
}

const TERMINATION: &str = "termination: every move lowers the termination measure of the rule";
const INDEPENDENCE: &str = "independence: no move leads from the set into the set";
const ABSORPTION: &str = "absorption: every position outside the set has a move into it";
const ABSORPTION_MISERE: &str =
    "absorption: every position outside the set has a move into it, or is terminal";
const NONTERMINAL: &str = "every position of the set has a move";

/// The statements that prove that a set is that of the P-positions.
pub fn statements(convention: Convention) -> &'static [&'static str] {
    match convention {
        Convention::Normal => &[TERMINATION, INDEPENDENCE, ABSORPTION],
        Convention::Misere => &[TERMINATION, INDEPENDENCE, NONTERMINAL, ABSORPTION_MISERE],
    }
}

/// Decides a claim by the partition theorem.
///
/// # Errors
///
/// The rule or claim is unsupported, or a limit is exceeded.
pub fn decide(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Decision, ProveError> {
    check_feasible(game, claim)?;
    decided(game, claim, strategy).map_err(|error| error.or_at(claim.span))
}

fn decided(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Decision, ProveError> {
    match &claim.statement {
        Some(Statement::Outcome { .. }) => outcome(game, claim, strategy),
        Some(Statement::Grundy(value)) => values(game, claim, value, strategy),
        Some(Statement::Cogame) => cogame(game, claim, strategy),
        Some(Statement::SameAs(claimed)) => same_as::same_as(game, claim, claimed, strategy),
        Some(Statement::Pairing(pairs)) => {
            let mut all = Vec::new();
            let mut paired = Vec::new();
            for (one, other) in pairs {
                all.push(
                    Bool::Compare(
                        Order::Equal,
                        Num::Heap(*one).into(),
                        Num::Heap(*other).into(),
                    )
                    .into(),
                );
                paired.extend([*one, *other]);
            }
            for heap in game.heaps().filter(|heap| !paired.contains(heap)) {
                all.push(
                    Bool::Compare(Order::Equal, Num::Heap(heap).into(), Num::Const(0).into())
                        .into(),
                );
            }
            let condition = Bool::And(all).into();
            let mut claimed = Claimed::new(game, claim, &condition, false, strategy)?;
            claimed.by_pairing_strategy(claim.convention)
        }
        _ => Err(Unsupported::new(
            "claims of this kind are not decided by automata",
            claim.span,
        )
        .into()),
    }
}

/// Decides whether a learned set is that of the P-positions.
pub(super) fn found(
    game: &Game,
    set: &Dfa,
    convention: Convention,
    strategy: &Strategy,
) -> Result<Decision, ProveError> {
    Claimed::found(game, set, strategy)?.partition(convention)
}

/// Refuses claims that the partition theorem does not apply to.
pub(super) fn check_feasible(game: &Game, claim: &Claim) -> Translation<()> {
    let why = if claim.statement.is_none() {
        Err("it does not apply to these parameters")
    } else {
        check_supported(game)
    };
    why.map_err(|why| Unsupported::new(why, claim.span))
}

/// Returns whether the partition theorem applies to a game, or the reason why
/// not.
pub(super) fn check_supported(game: &Game) -> Result<(), &'static str> {
    Err(if game.may_repeat {
        "positions may repeat"
    } else if game.has_sides() {
        "each side has moves of its own"
    } else if game.heap_count() > MAX_HEAPS {
        "there are too many heaps"
    } else {
        match game.position_kind {
            PositionKind::Heaps => return Ok(()),
            PositionKind::Tokens(_) => "the game has tokens on a board and no sizes",
            PositionKind::Multiset(_) => "the number of heaps is not fixed",
            PositionKind::Reals => "the heaps are of real size",
        }
    })
}

/// A claim about outcomes as a statement about P-positions.
struct OutcomeStatement<'c> {
    condition: &'c Expr<Bool>,
    up_to_symmetry: bool,
    direction: Direction,
    /// The statement is about the complement of the condition.
    negated: bool,
}

fn outcome_statement(claim: &Claim) -> Translation<OutcomeStatement<'_>> {
    let unsupported = |what: &str| Unsupported::new(what, claim.span);
    let Some(Statement::Outcome {
        class,
        up_to_symmetry,
        direction,
        condition,
        ..
    }) = &claim.statement
    else {
        return Err(unsupported("it is not about outcomes"));
    };
    // A statement about N-positions is one about the complement.
    let negated = match class {
        Class::P => false,
        Class::N => true,
        _ => return Err(unsupported("only P and N are decided for all sizes")),
    };
    Ok(OutcomeStatement {
        condition,
        up_to_symmetry: *up_to_symmetry,
        direction: match direction {
            Direction::If if negated => Direction::OnlyIf,
            Direction::OnlyIf if negated => Direction::If,
            other => *other,
        },
        negated,
    })
}

/// The set of positions that a claim calls P, in the given numeration, and the
/// direction of the claim.
pub fn claimed_set<'g>(
    game: &'g Game,
    claim: &Claim,
    numeration: Numeration,
    limits: &Limits,
) -> Result<(Prover<'g>, Rc<Dfa>, Direction), ProveError> {
    let statement = outcome_statement(claim)?;
    let strategy = Strategy::all(limits);
    let (condition, up_to_symmetry) = (statement.condition, statement.up_to_symmetry);
    let mut claimed = Claimed::written(
        game,
        claim,
        condition,
        up_to_symmetry,
        numeration,
        &strategy,
    )?;
    if statement.negated {
        claimed.negated()?;
    }
    let set = claimed.set();
    Ok((claimed.prover, set, statement.direction))
}

fn outcome(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Decision, ProveError> {
    let statement = outcome_statement(claim)?;
    let mut claimed = Claimed::new(
        game,
        claim,
        statement.condition,
        statement.up_to_symmetry,
        strategy,
    )?;
    if statement.negated {
        claimed.negated()?;
    }
    if statement.direction == Direction::Iff {
        return claimed.partition(claim.convention);
    }
    if let Some(decision) = by_other_claim(game, claim, &statement, strategy)? {
        return Ok(decision);
    }
    if statement.direction == Direction::If {
        let by_pairing_strategy = claimed.by_pairing_strategy(claim.convention)?;
        if !matches!(by_pairing_strategy, Decision::Open(_)) {
            return Ok(by_pairing_strategy);
        }
    }
    // Otherwise learn the P-positions from the rule.
    if let Some(all) = strategy.discovered(game, claim)
        && all.numeration() == claimed.prover.compiler.numeration
    {
        return claimed.compare_with(&all, statement.direction);
    }
    Ok(Decision::Open(
        match statement.direction {
            Direction::If => {
                "some move from the set has no reply back into it, and the set of all \
                 P-positions is not known"
            }
            _ => {
                "it claims a superset of the P-positions, and the set of all P-positions is \
                  not known"
            }
        }
        .to_owned(),
    ))
}

/// Decides a claim by the set of P-positions of another claim of the file, if
/// that one is proved.
fn by_other_claim(
    game: &Game,
    claim: &Claim,
    statement: &OutcomeStatement<'_>,
    strategy: &Strategy,
) -> Result<Option<Decision>, ProveError> {
    for other in &game.claims {
        let Ok(whole) = outcome_statement(other) else {
            continue;
        };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        let parts = [Part::bool(statement.condition), Part::bool(whole.condition)];
        let Ok(numeration) = numeration(&ir::lower(game), None, claim.span, &parts) else {
            continue;
        };
        let found = Claimed::written(
            game,
            other,
            whole.condition,
            whole.up_to_symmetry,
            numeration,
            &strategy.half_time(),
        )
        .and_then(|mut known| {
            if whole.negated {
                known.negated()?;
            }
            known.partition(other.convention)
        });
        let Ok(Decision::Holds(all)) = found else {
            continue;
        };
        let mut claimed = Claimed::written(
            game,
            claim,
            statement.condition,
            statement.up_to_symmetry,
            numeration,
            strategy,
        )?;
        if statement.negated {
            claimed.negated()?;
        }
        return claimed
            .compare_with(&all.automaton, statement.direction)
            .map(Some);
    }
    Ok(None)
}

/// Decides whether every N-position is an option of a P-position. The
/// P-positions are those of another proved claim, or are learned.
fn cogame(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Decision, ProveError> {
    let mut known = None;
    for other in &game.claims {
        let Ok(whole) = outcome_statement(other) else {
            continue;
        };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        if let Ok(Decision::Holds(proof)) = outcome(game, other, &strategy.half_time()) {
            known = Some(proof.automaton);
            break;
        }
    }
    let known = match known {
        Some(known) => known,
        None => match strategy.discovered(game, claim) {
            Some(found) => Rc::new(found),
            None => return Ok(Decision::Open("the P-positions are not known".to_owned())),
        },
    };
    let prover = Prover::new(game, known.numeration(), &strategy.limits)?;
    let rest = prover.not_reached_from(&known)?;
    if let Some(failing) = prover.first_position(&rest) {
        return Ok(Decision::Fails(failing));
    }
    Ok(Decision::Holds(Proof {
        states: known.states(),
        automaton: known,
        of: Set::PPositions,
        checked: vec!["every N-position is an option of a P-position".to_owned()],
        certificate: None,
    }))
}
