//! The decision of claims by automata: each claim is reduced to a few statements
//! about moves.

mod same_as;
mod values;

pub(super) use values::claimed_values;
use values::values;
pub use values::{
    GrundyClasses, decide_grundy_classes, decide_grundy_values, gives_values, value_tracks,
};

use super::certificate::{self, Check, Proves};
use super::compile;
use super::hypergraph_nim::{self, rule_of};
use super::integers::{Formula, IntegerInterpreter, Integers, variable};
use super::numeration::numeration;
use super::procedures::{PROCEDURES, Procedure};
use super::theorem::{FailingPositions, Prover};
use nimrule_automata::{Dfa, Numeration, Track};
use nimrule_checker::Certificate;
use nimrule_ir as ir;
use nimrule_limits::Limits;
use nimrule_model::expr::{Bool, Expr, Num, Order, Part};
use nimrule_model::game::{Claim, Class, Convention, Direction, Game, PositionKind, Statement};
use nimrule_model::source::Spanned;
use nimrule_symbolic::formula::of_heap_after;
use nimrule_symbolic::{MAX_HEAPS, ProveError, Translation, Unsupported, unconditional};
use std::sync::Arc;

/// A search for the set of all P-positions of a game: the set that it found and proved, or
/// `None` if it found none within the limits.
pub type Learner = fn(&Game, Convention, &Limits) -> Option<Dfa>;

/// Where a decision takes the set of all P-positions under the convention of the claim from,
/// if it needs the set and no claim of the file gives it.
///
/// The search is a function of the caller, because it asks the provers in turn: they decide
/// what it finds, and know no search.
#[derive(Clone, Copy)]
pub enum PPositions<'k> {
    /// It has no set, so that the claim stays open.
    Unknown,
    /// An earlier proof gives the set.
    Known(&'k Dfa),
    /// The set is searched for.
    Learned(Learner),
}

/// The strategy of a decision: its limits, the procedures that it may use, and what is
/// known of the game.
#[derive(Clone)]
pub struct Strategy<'k> {
    /// The limits of the whole decision.
    pub limits: Limits,
    /// The procedures that may check a set, in order of preference.
    pub procedures: &'static [&'static dyn Procedure],
    /// The set of all P-positions, if it is needed and no claim gives it.
    pub p_positions: PPositions<'k>,
}

impl Strategy<'_> {
    /// The strategy with all procedures, within limits. It does not know the P-positions.
    pub fn all(limits: &Limits) -> Strategy<'static> {
        Strategy {
            limits: limits.clone(),
            procedures: &PROCEDURES,
            p_positions: PPositions::Unknown,
        }
    }

    fn half_work(&self) -> Self {
        Strategy {
            limits: self.limits.half_work(),
            ..*self
        }
    }

    /// Adds to a proof that it uses the known P-positions.
    fn note_known(&self, decision: &mut Decision) {
        if let (PPositions::Known(_), Decision::Holds(proof)) = (self.p_positions, decision) {
            proof.checked.push(KNOWN.to_owned());
        }
    }

    /// The set of all P-positions that the strategy gives.
    fn all_p_positions(&self, game: &Game, claim: &Claim) -> Option<Dfa> {
        match self.p_positions {
            PPositions::Unknown => None,
            PPositions::Known(set) => Some(set.clone()),
            PPositions::Learned(learner) => learner(game, claim.convention, &self.limits),
        }
    }
}

/// The result of a decision.
#[derive(Debug, Clone)]
pub enum Decision {
    /// The claim is proved.
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
    pub automaton: Arc<Dfa>,
    /// What the automaton accepts.
    pub of: Set,
    /// The number of states of the automaton.
    pub states: usize,
    /// The checked statements, in words.
    pub checked: Vec<String>,
    /// The certificate that the independent checker accepted, if there is one
    /// ([`super::certificate::check`]).
    pub certificate: Option<Box<Certificate>>,
    /// What the checker said of the set, if it was asked before the set was proved.
    pub(super) asked: Option<Check>,
}

/// What the automaton of a proof accepts. The tracks of the heaps are
/// [`super::of_heap`].
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
    /// All P-positions, for a claim of moves into them, which no certificate contains.
    PPositionsOfMoves,
    /// The positions that a claim labels P, which need not be P-positions.
    Labelling,
}

impl Set {
    /// What a certificate of the set proves, if it can have one of its own.
    pub fn proves(self) -> Option<Proves> {
        match self {
            Set::PPositions => Some(Proves::PPositions),
            Set::Values(_) => Some(Proves::GrundyValues),
            Set::SomePPositions
            | Set::BeyondPPositions
            | Set::SubGame
            | Set::PPositionsOfMoves
            | Set::Labelling => None,
        }
    }
}

const KNOWN: &str = "the set of all P-positions is that of the proof cache";
const TERMINATION: &str = "termination: every move lowers the termination measure of the rule";
const INDEPENDENCE: &str = "independence: no move leads from the set into the set";
const ABSORPTION: &str = "absorption: every position outside the set has a move into it";
const ABSORPTION_MISERE: &str =
    "absorption: every position outside the set has a move into it, or is terminal";
/// The number of multisets of states after which a set is first compared where options are
/// blocked.
const FEWEST_MULTISETS: usize = 1 << 10;
const NONTERMINAL: &str = "every position of the set has a move";
const BLOCKED_INDEPENDENCE: &str =
    "independence: from no position of the set are more moves into the set than may be blocked";
const BLOCKED_ABSORPTION: &str =
    "absorption: from every position outside the set are more moves into it than may be blocked";
const BLOCKED_OUTSIDE: &str = "every position of the set has a move out of the set";
const BLOCKED_ABSORPTION_MISERE: &str = "absorption: from every position outside the set are \
     more moves into it than may be blocked, or all its moves lead into the set";

/// The statements that prove that a set is that of the P-positions of a game.
pub fn statements(game: &Game, convention: Convention) -> &'static [&'static str] {
    match (convention, game.blocked_options) {
        (Convention::Normal, 0) => &[TERMINATION, INDEPENDENCE, ABSORPTION],
        (Convention::Misere, 0) => &[TERMINATION, INDEPENDENCE, NONTERMINAL, ABSORPTION_MISERE],
        (Convention::Normal, _) => &[TERMINATION, BLOCKED_INDEPENDENCE, BLOCKED_ABSORPTION],
        (Convention::Misere, _) => &[
            TERMINATION,
            BLOCKED_INDEPENDENCE,
            BLOCKED_OUTSIDE,
            BLOCKED_ABSORPTION_MISERE,
        ],
    }
}

/// Decides a claim by the partition theorem ([`super::theorem`]).
///
/// # Errors
///
/// The rule or claim is unsupported, or a limit is exceeded.
pub fn decide(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Decision, ProveError> {
    check_feasible(game, claim)?;
    decide_statement(game, claim, strategy).map_err(|error| error.or_at(claim.span))
}

/// Decides a feasible claim by its kind of statement.
fn decide_statement(
    game: &Game,
    claim: &Claim,
    strategy: &Strategy,
) -> Result<Decision, ProveError> {
    match &claim.statement {
        Some(Statement::Outcome { .. }) => outcome(game, claim, strategy),
        Some(Statement::Grundy(value)) => values(game, claim, value, strategy),
        Some(Statement::Cogame(None)) => cogame(game, claim, strategy),
        Some(Statement::Cogame(Some(condition))) => {
            cogame_labelling(game, claim, condition, strategy)
        }
        Some(Statement::WinsBy { option, condition }) => {
            winning_move(game, claim, option, condition.as_ref(), strategy)
        }
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

/// Decides whether a set, which need not be that of a claim, is that of the P-positions.
///
/// # Errors
///
/// The rule is unsupported, or a limit is exceeded.
pub fn decide_p_positions(
    game: &Game,
    set: &Dfa,
    convention: Convention,
    limits: &Limits,
) -> Result<Decision, ProveError> {
    Claimed::of_set(game, set, &Strategy::all(limits))?.partition(convention)
}

/// Refuses claims that the partition theorem does not apply to.
pub(super) fn check_feasible(game: &Game, claim: &Claim) -> Translation<()> {
    let why = match &claim.statement {
        None => Err("it does not apply to these parameters"),
        Some(Statement::Outcome { .. }) => check_supported(game),
        Some(_) => check_supported(game).and_then(|()| check_unblocked(game)),
    };
    why.map_err(|why| Unsupported::new(why, claim.span))
}

/// Returns whether the partition theorem applies to a game, or the reason why
/// not.
pub(super) fn check_supported(game: &Game) -> Result<(), &'static str> {
    check_partition(game)?;
    if game.heap_count() > MAX_HEAPS {
        return Err("there are too many heaps");
    }
    match game.position_kind {
        PositionKind::Heaps => Ok(()),
        PositionKind::Tokens(_) => Err("the game has tokens on a board and no sizes"),
        PositionKind::Multiset(_) | PositionKind::Open(_) => {
            Err("the number of heaps is not fixed")
        }
        PositionKind::Reals => Err("the heaps are of real size"),
    }
}

/// Returns whether every position is P or N, whatever the positions are, or the reason why
/// not.
pub(super) fn check_partition(game: &Game) -> Result<(), &'static str> {
    if game.may_repeat {
        Err("positions may repeat")
    } else if game.has_sides() {
        Err("each side has moves of its own")
    } else {
        Ok(())
    }
}

/// Returns whether every option may be chosen, or the reason why not.
pub(super) fn check_unblocked(game: &Game) -> Result<(), &'static str> {
    match game.blocked_options {
        0 => Ok(()),
        _ => Err("the opponent may block options"),
    }
}

/// A claim about outcomes as a statement about P-positions.
pub(super) struct OutcomeStatement<'c> {
    pub(super) condition: &'c Expr<Bool>,
    up_to_symmetry: bool,
    direction: Direction,
    /// The statement is about the complement of the condition.
    pub(super) negated: bool,
}

/// Reduces a claim about P- or N-positions to one about P-positions.
pub(super) fn outcome_statement(claim: &Claim) -> Translation<OutcomeStatement<'_>> {
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

/// The set of positions that a claim calls P, in the given numeration system, with the
/// prover that compiled it and the direction of the claim.
pub(super) fn claimed_set<'g>(
    game: &'g Game,
    claim: &'g Claim,
    numeration: Numeration,
    limits: &Limits,
) -> Result<(Prover<'g>, Arc<Dfa>, Direction), ProveError> {
    let statement = outcome_statement(claim)?;
    let strategy = Strategy::all(limits);
    let (condition, up_to_symmetry) = (statement.condition, statement.up_to_symmetry);
    let mut claimed = Claimed::in_numeration(
        game,
        claim,
        condition,
        up_to_symmetry,
        numeration,
        &strategy,
    )?;
    if statement.negated {
        claimed.negate()?;
    }
    let set = claimed.set();
    Ok((claimed.prover, set, statement.direction))
}

/// Returns whether a claim about outcomes is true, where the set of all P-positions is known.
///
/// # Errors
///
/// The claim is unsupported, or a limit is exceeded.
pub fn is_true_of(
    game: &Game,
    claim: &Claim,
    p_positions: &Dfa,
    limits: &Limits,
) -> Result<bool, ProveError> {
    let numeration = p_positions.numeration();
    let (prover, claimed, direction) = claimed_set(game, claim, numeration, limits)?;
    let budget = &prover.compiler.budget;
    let (is_if, is_only_if) = match direction {
        Direction::If => (true, false),
        Direction::OnlyIf => (false, true),
        Direction::Iff => (true, true),
    };
    Ok((!is_if || claimed.and_not(p_positions, budget)?.is_empty())
        && (!is_only_if || p_positions.and_not(&claimed, budget)?.is_empty()))
}

/// Decides a claim about outcomes.
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
        claimed.negate()?;
    }
    if statement.direction == Direction::Iff {
        return claimed.partition(claim.convention);
    }
    if let Some(decision) = by_other_claim(game, claim, &statement, strategy)? {
        return Ok(decision);
    }
    // A reply may be blocked.
    if statement.direction == Direction::If && check_unblocked(game).is_ok() {
        let by_pairing_strategy = claimed.by_pairing_strategy(claim.convention)?;
        if !matches!(by_pairing_strategy, Decision::Open(_)) {
            return Ok(by_pairing_strategy);
        }
    }
    if let Some(all) = strategy.all_p_positions(game, claim) {
        if all.numeration() != claimed.prover.compiler.numeration {
            // The claim may be read in their numeration system as well.
            let (prover, set, _) = claimed_set(game, claim, all.numeration(), &strategy.limits)?;
            claimed = Claimed {
                prover,
                set,
                ..claimed
            };
        }
        let mut decision = claimed.compare_with(&all, statement.direction, claim.convention)?;
        strategy.note_known(&mut decision);
        return Ok(decision);
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
        let found = Claimed::in_numeration(
            game,
            other,
            whole.condition,
            whole.up_to_symmetry,
            numeration,
            &strategy.half_work(),
        )
        .and_then(|mut known| {
            if whole.negated {
                known.negate()?;
            }
            known.partition(other.convention)
        });
        let Ok(Decision::Holds(all)) = found else {
            continue;
        };
        let mut claimed = Claimed::in_numeration(
            game,
            claim,
            statement.condition,
            statement.up_to_symmetry,
            numeration,
            strategy,
        )?;
        if statement.negated {
            claimed.negate()?;
        }
        return claimed
            .compare_with(&all.automaton, statement.direction, claim.convention)
            .map(Some);
    }
    Ok(None)
}

/// The P-positions under the convention of a claim: those of another claim that is proved, or
/// those that the strategy gives.
fn p_positions(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Arc<Dfa>, Decision> {
    for other in &game.claims {
        let Ok(whole) = outcome_statement(other) else {
            continue;
        };
        if other.convention != claim.convention || whole.direction != Direction::Iff {
            continue;
        }
        if let Ok(Decision::Holds(proof)) = outcome(game, other, &strategy.half_work()) {
            return Ok(proof.automaton);
        }
    }
    match strategy.all_p_positions(game, claim) {
        Some(found) => Ok(Arc::new(found)),
        None => Err(Decision::Open("the P-positions are not known".to_owned())),
    }
}

/// Decides whether a move of these sizes is legal where the condition holds, and leads to a
/// P-position.
fn winning_move(
    game: &Game,
    claim: &Claim,
    option: &[Expr<Num>],
    condition: Option<&Expr<Bool>>,
    strategy: &Strategy,
) -> Result<Decision, ProveError> {
    let known = match p_positions(game, claim, strategy) {
        Ok(known) => known,
        Err(open) => return Ok(open),
    };
    let numeration = known.numeration();
    let mut prover = Prover::new(game, numeration, &strategy.limits)?;
    let mut interpreter = IntegerInterpreter::of_heaps(game, Integers { numeration });
    let mut says = Formula::TRUE;
    if let Some(condition) = condition {
        says = interpreter.condition(condition)?;
    }
    let mut sizes = Vec::new();
    for (heap, size) in game.heaps().zip(option) {
        // Where the claim says nothing, its sizes need no value.
        let size = match condition {
            Some(condition) => Spanned::new(
                Num::If(
                    Box::new(condition.clone()),
                    Box::new(size.clone()),
                    Box::new(Spanned::new(Num::Heap(heap), size.span)),
                ),
                size.span,
            ),
            None => size.clone(),
        };
        let cases = interpreter.number(&size)?;
        let after = unconditional(variable(of_heap_after(heap.index())));
        sizes.push(interpreter.compare_cases(&after, Order::Equal, &cases, size.span)?);
    }
    prover.check_no_faults(&interpreter)?;
    let rest = prover.without_this_move(&says, &sizes, &known)?;
    if let Some(failing) = prover.first_position(&rest) {
        return Ok(Decision::Fails(failing));
    }
    Ok(Decision::Holds(Proof {
        states: known.states(),
        automaton: known,
        of: Set::PPositionsOfMoves,
        checked: vec![
            "where the claim speaks, its move is legal and leads into the set".to_owned(),
        ],
        certificate: None,
        asked: None,
    }))
}

/// Decides whether every N-position is an option of a P-position. The
/// P-positions are those of another proved claim, or those that the strategy gives.
fn cogame(game: &Game, claim: &Claim, strategy: &Strategy) -> Result<Decision, ProveError> {
    let known = match p_positions(game, claim, strategy) {
        Ok(known) => known,
        Err(open) => return Ok(open),
    };
    let prover = Prover::new(game, known.numeration(), &strategy.limits)?;
    if let Some(failing) = unreached(&prover, &known, claim)? {
        return Ok(Decision::Fails(failing));
    }
    Ok(Decision::Holds(Proof {
        states: known.states(),
        automaton: known,
        of: Set::PPositions,
        checked: vec!["every N-position is an option of a P-position".to_owned()],
        certificate: None,
        asked: None,
    }))
}

/// A position outside of a set that is no option of one in it: that which the file names, or
/// the first.
fn unreached(
    prover: &Prover<'_>,
    set: &Dfa,
    claim: &Claim,
) -> Result<Option<Vec<Vec<u64>>>, ProveError> {
    let rest = prover.not_reached_from(set)?;
    Ok(match &claim.refuted {
        Some(at) if prover.contains(&rest, at) => Some(vec![at.clone()]),
        _ => prover.first_position(&rest),
    })
}

/// Decides whether a labelling is that of a cogame: exactly the N-positions are options of
/// P-positions.
fn cogame_labelling(
    game: &Game,
    claim: &Claim,
    condition: &Expr<Bool>,
    strategy: &Strategy,
) -> Result<Decision, ProveError> {
    let numeration = numeration(&ir::lower(game), None, claim.span, &[Part::bool(condition)])?;
    let mut prover = Prover::new(game, numeration, &strategy.limits)?;
    let set = set_of_condition(&mut prover, claim, condition, false)?;
    if prover.move_between(&set, &set)?.is_some() {
        return Ok(Decision::Open(
            "a position labelled P has a move to another one".to_owned(),
        ));
    }
    if let Some(failing) = unreached(&prover, &set, claim)? {
        return Ok(Decision::Fails(failing));
    }
    Ok(Decision::Holds(Proof {
        states: set.states(),
        automaton: set,
        of: Set::Labelling,
        checked: vec![
            INDEPENDENCE.to_owned(),
            "every position outside the set is an option of one in it".to_owned(),
        ],
        certificate: None,
        asked: None,
    }))
}

/// The set of a claim about outcomes, with the compiled rule.
pub struct Claimed<'g> {
    pub(super) prover: Prover<'g>,
    set: Arc<Dfa>,
    /// The claim's text, if it can be in a certificate.
    words: Option<&'g str>,
    procedures: &'static [&'static dyn Procedure],
}

impl<'g> Claimed<'g> {
    /// Compiles the set of a claim in the numeration system that it needs.
    fn new(
        game: &'g Game,
        claim: &'g Claim,
        condition: &Expr<Bool>,
        up_to_symmetry: bool,
        strategy: &Strategy,
    ) -> Result<Claimed<'g>, ProveError> {
        let numeration = numeration(&ir::lower(game), None, claim.span, &[Part::bool(condition)])?;
        Claimed::in_numeration(game, claim, condition, up_to_symmetry, numeration, strategy)
    }

    /// Compiles the set of a claim in a given numeration system.
    fn in_numeration(
        game: &'g Game,
        claim: &'g Claim,
        condition: &Expr<Bool>,
        up_to_symmetry: bool,
        numeration: Numeration,
        strategy: &Strategy,
    ) -> Result<Claimed<'g>, ProveError> {
        let mut prover = Prover::without_moves(game, numeration, &strategy.limits)?;
        let set = set_of_condition(&mut prover, claim, condition, up_to_symmetry)?;
        let words = certificate::words_of(claim);
        Ok(Claimed {
            prover,
            set,
            words,
            procedures: strategy.procedures,
        })
    }

    /// Returns a set without a claim.
    fn of_set(game: &'g Game, set: &Dfa, strategy: &Strategy) -> Result<Claimed<'g>, ProveError> {
        let prover = Prover::without_moves(game, set.numeration(), &strategy.limits)?;
        let set = set.and(&prover.domain, &prover.compiler.budget)?;
        Ok(Claimed {
            prover,
            set: Arc::new(set),
            words: None,
            procedures: strategy.procedures,
        })
    }

    /// The set of positions.
    fn set(&self) -> Arc<Dfa> {
        self.set.clone()
    }

    /// Replaces the set by its complement among the positions.
    fn negate(&mut self) -> Result<(), ProveError> {
        let negated = self
            .prover
            .domain
            .and_not(&self.set, &self.prover.compiler.budget)?;
        self.set = Arc::new(negated);
        Ok(())
    }

    /// Decides whether the set is that of the P-positions, by the first procedure that
    /// applies.
    fn partition(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        for procedure in self.procedures {
            if let Some(decision) = procedure.check(self, convention)? {
                return Ok(decision);
            }
        }
        Ok(Decision::Open(
            "no procedure applies to this set".to_owned(),
        ))
    }

    /// Decides whether the set is that of the P-positions, by the automata of all
    /// transitions.
    pub(super) fn by_automata(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        self.prover.read_moves()?;
        if self.prover.game.blocked_options > 0 {
            return self.with_blocked_options(convention);
        }
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let set = &self.set;
        if let Some(failing) = prover.move_between(set, set)? {
            return Ok(Decision::Fails(failing));
        }
        let mut rest = prover.domain.and_not(set, budget)?;
        if convention == Convention::Misere {
            let nonterminal = prover.nonterminal()?;
            let terminal = set.and_not(&nonterminal, budget)?;
            if let Some(failing) = prover.first_position(&terminal) {
                return Ok(Decision::Fails(failing));
            }
            rest = rest.and(&nonterminal, budget)?;
        }
        let rest = prover.without_move_into(&rest, set, None)?;
        if let Some(failing) = prover.first_position(&rest) {
            return Ok(Decision::Fails(failing));
        }
        Ok(Decision::Holds(self.proof_of_partition(convention)))
    }

    /// Decides whether the set is that of the P-positions where the opponent may block options.
    ///
    /// A position is an N-position if more of its options are P-positions than may be blocked.
    /// Under misere play it is an N-position too if all its options are P-positions: either
    /// all are blocked, and there is no move, or a move into one of them is left.
    fn with_blocked_options(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        let more = self.prover.game.blocked_options as usize + 1;
        let moves = self.prover.moves_into(&self.set)?;
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let after: Vec<Track> = prover
            .game
            .heaps()
            .map(|h| of_heap_after(h.index()))
            .collect();
        let outside = prover.domain.and_not(&self.set, budget)?;
        let mut only_into = Dfa::constant(prover.compiler.numeration, false);
        if convention == Convention::Misere {
            let others = prover.predecessors_of(&outside)?;
            only_into = prover.domain.and_not(&others, budget)?;
        }
        // A wrong set has many multisets of states, and fails at a position of few digits.
        let mut most = FEWEST_MULTISETS;
        loop {
            let won = moves.project_at_least(more, &after, most, budget)?;
            let surely = won.within.or(&only_into, budget)?;
            let perhaps = won.beyond.or(&only_into, budget)?;
            let wrong = [
                self.set.and(&surely, budget)?,
                outside.and_not(&perhaps, budget)?,
            ];
            for set in wrong {
                if let Some(failing) = prover.first_position(&set) {
                    return Ok(Decision::Fails(failing));
                }
            }
            if won.is_exact {
                return Ok(Decision::Holds(self.proof_of_partition(convention)));
            }
            most *= 4;
        }
    }

    /// Decides whether the set is that of the P-positions of hypergraph Nim; `None` for
    /// other rules.
    pub(super) fn by_hypergraph_nim(
        &self,
        convention: Convention,
    ) -> Result<Option<Decision>, ProveError> {
        let game = self.prover.game;
        let Some(rule) = rule_of(game, convention) else {
            return Ok(None);
        };
        let Some(table) = compile::table_in_base(game, &self.set) else {
            return Ok(None);
        };
        let limits = self.prover.compiler.budget.limits();
        // The checker has to accept the set in any case, so that it is asked first.
        let asked = certificate::check_first(game, self.words, convention, &self.set, limits)?;
        if !matches!(asked, Check::Accepted(_))
            && let hypergraph_nim::KernelCheck::Refuted(refutation) =
                hypergraph_nim::check(&rule, &table, limits)?
        {
            return Ok(Some(Decision::Fails(refutation.positions())));
        }
        Ok(Some(Decision::Holds(Proof {
            asked: Some(asked),
            ..self.proof_of_partition(convention)
        })))
    }

    /// The proof that the set is that of the P-positions.
    fn proof_of_partition(&self, convention: Convention) -> Proof {
        self.proof(Set::PPositions, statements(self.prover.game, convention))
    }

    /// The proof of a statement about the set.
    fn proof(&self, of: Set, checked: &[&str]) -> Proof {
        Proof {
            certificate: None,
            asked: None,
            automaton: self.set.clone(),
            of,
            states: self.set.states(),
            checked: checked.iter().map(|what| (*what).to_owned()).collect(),
        }
    }

    /// Decides whether every move from the set is answered by a move back into it. Then
    /// all positions of the set are P-positions. The condition is sufficient but not
    /// necessary: if it fails, the claim stays open.
    fn by_pairing_strategy(&mut self, convention: Convention) -> Result<Decision, ProveError> {
        self.prover.read_moves()?;
        let prover = &self.prover;
        let budget = &prover.compiler.budget;
        let set = &self.set;
        let mut won = prover.predecessors_of(set)?;
        let mut checked = vec![
            TERMINATION,
            "every move from the set is answered by a move back into it",
        ];
        if convention == Convention::Misere {
            let nonterminal = prover.nonterminal()?;
            if let Some(failing) = prover.first_position(&set.and_not(&nonterminal, budget)?) {
                return Ok(Decision::Fails(failing));
            }
            let terminal = prover.domain.and_not(&nonterminal, budget)?;
            won = won.or(&terminal, budget)?;
            checked.push(NONTERMINAL);
        }
        let lost = prover.domain.and_not(&won, budget)?;
        Ok(match prover.move_between(set, &lost)? {
            None => {
                let limits = certificate::checking(budget.limits());
                let (game, words) = (prover.game, self.words);
                let asked = certificate::check(
                    game,
                    Proves::SomePPositions,
                    words,
                    convention,
                    set,
                    &limits,
                )?;
                Decision::Holds(Proof {
                    asked: Some(asked),
                    ..self.proof(Set::SomePPositions, &checked)
                })
            }
            Some(_) => Decision::Open(String::new()),
        })
    }

    /// Compares the set with the set of all P-positions, which the checker is asked about
    /// together with the claim.
    fn compare_with(
        &mut self,
        all: &Dfa,
        direction: Direction,
        convention: Convention,
    ) -> Result<Decision, ProveError> {
        let budget = &self.prover.compiler.budget;
        let (beyond, of, checked) = match direction {
            Direction::OnlyIf => (
                all.and_not(&self.set, budget)?,
                Set::BeyondPPositions,
                "every P-position is in the set (the P-positions were found separately)",
            ),
            _ => (
                self.set.and_not(all, budget)?,
                Set::SomePPositions,
                "every position of the set is a P-position (the P-positions were found separately)",
            ),
        };
        if let Some(failing) = self.prover.first_position(&beyond) {
            return Ok(Decision::Fails(failing));
        }
        let limits = certificate::checking(budget.limits());
        let (game, words) = (self.prover.game, self.words);
        let asked = certificate::check(game, Proves::PPositions, words, convention, all, &limits)?;
        Ok(Decision::Holds(Proof {
            asked: Some(asked),
            ..self.proof(of, &[checked])
        }))
    }
}

/// The set of positions that satisfy the condition of a claim.
fn set_of_condition(
    prover: &mut Prover<'_>,
    claim: &Claim,
    condition: &Expr<Bool>,
    up_to_symmetry: bool,
) -> Result<Arc<Dfa>, ProveError> {
    let numeration = prover.compiler.numeration;
    let mut interpreter = IntegerInterpreter::of_heaps(prover.game, Integers { numeration });
    let read = |interpreter: &mut IntegerInterpreter<'_>| {
        if !up_to_symmetry {
            return interpreter.condition(condition);
        }
        let heaps = interpreter.heaps.clone();
        let mut any = Vec::new();
        for image in interpreter.permutations(claim.span)? {
            interpreter.heaps = image.iter().map(|from| heaps[*from].clone()).collect();
            any.push(interpreter.condition(condition)?);
        }
        Ok(Formula::or(any))
    };
    let formula = read(&mut interpreter)?;
    prover.check_no_faults(&interpreter)?;
    let set = prover.compiler.automaton(&formula)?;
    Ok(Arc::new(set.and(&prover.domain, &prover.compiler.budget)?))
}
