//! Claims decided: each a few statements about moves.

mod claimed;
mod same_as;
mod values;

use super::bases::numeration;
use super::discovered;
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

/// What a decision may use.
#[derive(Clone, Copy)]
pub struct Means {
    pub limits: Limits,
    /// The procedures that may check a set, in order of preference.
    pub procedures: &'static [&'static dyn Procedure],
    /// May the P-positions be searched for, where no claim tells them?
    pub searches: bool,
}

impl Means {
    /// Everything there is, within limits.
    pub fn all(limits: &Limits) -> Means {
        Means {
            limits: *limits,
            procedures: &PROCEDURES,
            searches: true,
        }
    }

    fn half_time(&self) -> Means {
        Means {
            limits: self.limits.half_time(),
            ..*self
        }
    }

    /// The P-positions as the rule alone gives them.
    fn discovered(&self, game: &Game, claim: &Claim) -> Option<Dfa> {
        if !self.searches {
            return None;
        }
        let found = discovered(game, claim.convention, &self.limits)?;
        Some(found.0)
    }
}

/// What the statements came to.
#[derive(Debug, Clone)]
pub enum Decision {
    Holds(Proof),
    /// A statement that would have to hold fails: the claim is false.
    Fails(FailingPositions),
    /// The statements do not settle the claim.
    Open(String),
}

/// A claim proved.
#[derive(Debug, Clone)]
pub struct Proof {
    /// The set of the P-positions, the function of the values, or the set that
    /// the claim speaks of.
    pub automaton: Rc<Dfa>,
    /// What the automaton is.
    pub of: Set,
    /// How many states it has.
    pub states: usize,
    /// What was checked, in words.
    pub checked: Vec<String>,
    /// What the checker accepted, where it was asked and could answer
    /// ([`super::certificate::check`]).
    pub certificate: Option<Box<Certificate>>,
}

/// What a proof's automaton accepts. The tracks of the heaps are
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

/// What is checked of a set that is that of the P-positions.
pub fn statements(convention: Convention) -> &'static [&'static str] {
    match convention {
        Convention::Normal => &[TERMINATION, INDEPENDENCE, ABSORPTION],
        Convention::Misere => &[TERMINATION, INDEPENDENCE, NONTERMINAL, ABSORPTION_MISERE],
    }
}

/// Decides a claim by the partition theorem.
pub fn decide(game: &Game, claim: &Claim, means: &Means) -> Result<Decision, ProveError> {
    within_reach(game, claim)?;
    decided(game, claim, means).map_err(|error| error.or_at(claim.span))
}

fn decided(game: &Game, claim: &Claim, means: &Means) -> Result<Decision, ProveError> {
    match &claim.statement {
        Some(Statement::Outcome { .. }) => outcome(game, claim, means),
        Some(Statement::Grundy(value)) => values(game, claim, value, means),
        Some(Statement::Cogame) => cogame(game, claim, means),
        Some(Statement::SameAs(claimed)) => same_as::same_as(game, claim, claimed, means),
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
            let mut claimed = Claimed::new(game, claim, &condition, false, means)?;
            claimed.answered(claim.convention)
        }
        _ => Err(Unsupported::new(
            "claims of this kind are not decided by automata",
            claim.span,
        )
        .into()),
    }
}

/// Decides whether a set that was found is that of the P-positions.
pub(super) fn found(
    game: &Game,
    set: &Dfa,
    convention: Convention,
    means: &Means,
) -> Result<Decision, ProveError> {
    Claimed::found(game, set, means)?.partition(convention)
}

/// Refuses what the theorem does not speak of from the start.
pub(super) fn within_reach(game: &Game, claim: &Claim) -> Translation<()> {
    let why = if claim.statement.is_none() {
        Err("it does not speak of these parameters")
    } else {
        is_within(game)
    };
    why.map_err(|why| Unsupported::new(why, claim.span))
}

/// Does the theorem speak of such a game at all?
pub(super) fn is_within(game: &Game) -> Result<(), &'static str> {
    Err(if game.may_repeat {
        "positions may repeat"
    } else if game.has_sides() {
        "each side has moves of its own"
    } else if game.heap_count() > MAX_HEAPS {
        "there are too many heaps"
    } else {
        match game.position_kind {
            PositionKind::Heaps => return Ok(()),
            PositionKind::Tokens(_) => {
                "tokens stand on a board: there is nothing to prove for all sizes"
            }
            PositionKind::Multiset(_) => "the number of heaps is not fixed",
            PositionKind::Reals => "the heaps are of real size",
        }
    })
}

/// What a claim about outcomes says of P-positions.
struct Saying<'c> {
    condition: &'c Expr<Bool>,
    up_to_symmetry: bool,
    direction: Direction,
    /// It speaks of the positions where the condition does not hold.
    turned: bool,
}

fn saying(claim: &Claim) -> Translation<Saying<'_>> {
    let unsupported = |what: &str| Unsupported::new(what, claim.span);
    let Some(Statement::Outcome {
        class,
        up_to_symmetry,
        direction,
        condition,
        ..
    }) = &claim.statement
    else {
        return Err(unsupported("it says nothing of outcomes"));
    };
    // What is said of N-positions is said of the others.
    let turned = match class {
        Class::P => false,
        Class::N => true,
        _ => return Err(unsupported("only P and N are decided for all sizes")),
    };
    Ok(Saying {
        condition,
        up_to_symmetry: *up_to_symmetry,
        direction: match direction {
            Direction::If if turned => Direction::OnlyIf,
            Direction::OnlyIf if turned => Direction::If,
            other => *other,
        },
        turned,
    })
}

/// The positions that a claim calls P, as far as its direction says, with
/// numbers written in a way that is given.
pub fn claimed_set<'g>(
    game: &'g Game,
    claim: &Claim,
    numeration: Numeration,
    limits: &Limits,
) -> Result<(Prover<'g>, Rc<Dfa>, Direction), ProveError> {
    let said = saying(claim)?;
    let means = Means::all(limits);
    let (condition, up_to_symmetry) = (said.condition, said.up_to_symmetry);
    let mut claimed = Claimed::written(game, claim, condition, up_to_symmetry, numeration, &means)?;
    if said.turned {
        claimed.turned()?;
    }
    let set = claimed.set();
    Ok((claimed.prover, set, said.direction))
}

fn outcome(game: &Game, claim: &Claim, means: &Means) -> Result<Decision, ProveError> {
    let said = saying(claim)?;
    let mut claimed = Claimed::new(game, claim, said.condition, said.up_to_symmetry, means)?;
    if said.turned {
        claimed.turned()?;
    }
    if said.direction == Direction::Iff {
        return claimed.partition(claim.convention);
    }
    if let Some(decision) = by_another(game, claim, &said, means)? {
        return Ok(decision);
    }
    if said.direction == Direction::If {
        let answered = claimed.answered(claim.convention)?;
        if !matches!(answered, Decision::Open(_)) {
            return Ok(answered);
        }
    }
    // Or the rule itself gives them.
    if let Some(all) = means.discovered(game, claim)
        && all.numeration() == claimed.prover.compiler.numeration
    {
        return claimed.against(&all, said.direction);
    }
    Ok(Decision::Open(
        match said.direction {
            Direction::If => {
                "not every move from its positions is answered by a move back to them, and which \
                 all P-positions are is not known"
            }
            _ => "it says that all P-positions are among these, and which they are is not known",
        }
        .to_owned(),
    ))
}

/// Another claim of the file may say which the P-positions are, and be proved.
fn by_another(
    game: &Game,
    claim: &Claim,
    said: &Saying<'_>,
    means: &Means,
) -> Result<Option<Decision>, ProveError> {
    for other in &game.claims {
        let Ok(whole) = saying(other) else {
            continue;
        };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        let parts = [Part::bool(said.condition), Part::bool(whole.condition)];
        let Ok(numeration) = numeration(&ir::lower(game), None, claim.span, &parts) else {
            continue;
        };
        let found = Claimed::written(
            game,
            other,
            whole.condition,
            whole.up_to_symmetry,
            numeration,
            &means.half_time(),
        )
        .and_then(|mut known| {
            if whole.turned {
                known.turned()?;
            }
            known.partition(other.convention)
        });
        let Ok(Decision::Holds(all)) = found else {
            continue;
        };
        let mut claimed = Claimed::written(
            game,
            claim,
            said.condition,
            said.up_to_symmetry,
            numeration,
            means,
        )?;
        if said.turned {
            claimed.turned()?;
        }
        return claimed.against(&all.automaton, said.direction).map(Some);
    }
    Ok(None)
}

/// Every N-position also comes from a P-position: said of the P-positions that
/// another claim tells, or the rule itself.
fn cogame(game: &Game, claim: &Claim, means: &Means) -> Result<Decision, ProveError> {
    let mut known = None;
    for other in &game.claims {
        let Ok(whole) = saying(other) else { continue };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        if let Ok(Decision::Holds(proof)) = outcome(game, other, &means.half_time()) {
            known = Some(proof.automaton);
            break;
        }
    }
    let known = match known {
        Some(known) => known,
        None => match means.discovered(game, claim) {
            Some(found) => Rc::new(found),
            None => return Ok(Decision::Open("the P-positions are not known".to_owned())),
        },
    };
    let prover = Prover::new(game, known.numeration(), &means.limits)?;
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
