//! The decision of claims about Grundy values.

use super::{Decision, Proof, Set, Strategy, TERMINATION};
use crate::integers::{IntegerInterpreter, Integers, compare, constant, variable};
use crate::numeration::numeration;
use crate::theorem::{FailingPositions, Prover};
use nimrule_automata::{Budget, Dfa, Numeration, Track};
use nimrule_ir as ir;
use nimrule_limits::Limits;
use nimrule_model::expr::{Expr, Num, Order, Part};
use nimrule_model::game::{Claim, Convention, Game};
use nimrule_symbolic::ProveError;
use nimrule_symbolic::formula::first_free;
use nimrule_symbolic::{numbers_too_large, unconditional};
use std::sync::Arc;

/// Decides whether an expression is the Grundy value of every position.
pub fn values(
    game: &Game,
    claim: &Claim,
    value: &Expr<Num>,
    strategy: &Strategy,
) -> Result<Decision, ProveError> {
    let numeration = numeration(&ir::lower(game), None, claim.span, &[Part::num(value)])?;
    let mut prover = Prover::new(game, numeration, &strategy.limits)?;
    let (own, less) = value_tracks(game);
    let [graph, smaller] = compared_with(
        &mut prover,
        value,
        [(Order::Equal, own), (Order::Less, less)],
    )?;
    let budget = Budget::new(&strategy.limits);
    check_values(&mut prover, graph, smaller, claim.convention, &budget)
}

/// The positions with the value of an expression on the track of values, and the prover
/// that compiled them, without the moves of the rule.
pub fn claimed_values<'g>(
    game: &'g Game,
    value: &Expr<Num>,
    numeration: Numeration,
    limits: &Limits,
) -> Result<(Prover<'g>, Arc<Dfa>), ProveError> {
    let mut prover = Prover::without_moves(game, numeration, limits)?;
    let own = value_tracks(game).0;
    let [graph] = compared_with(&mut prover, value, [(Order::Equal, own)])?;
    Ok((prover, Arc::new(graph)))
}

/// For each order and track, the positions with a number on the track that compares so
/// with the value of an expression.
fn compared_with<const N: usize>(
    prover: &mut Prover<'_>,
    value: &Expr<Num>,
    with: [(Order, Track); N],
) -> Result<[Dfa; N], ProveError> {
    let numeration = prover.compiler.numeration;
    let mut interpreter = IntegerInterpreter::of_heaps(prover.game, Integers { numeration });
    let cases = interpreter.number(value)?;
    prover.check_no_faults(&interpreter)?;
    let mut found = with.map(|_| Dfa::constant(numeration, false));
    for (set, (order, track)) in found.iter_mut().zip(with) {
        let number = unconditional(variable(track));
        let compared = interpreter.compare_cases(&number, order, &cases, value.span)?;
        let compared = prover.compiler.automaton(&compared)?;
        *set = compared.and(&prover.domain, &prover.compiler.budget)?;
    }
    Ok(found)
}

/// The tracks of the Grundy value and of a smaller value.
pub fn value_tracks(game: &Game) -> (Track, Track) {
    let free = first_free(game.heap_count());
    (free - 2, free - 1)
}

/// Returns whether an expression is the Grundy value of every position. `graph` is the
/// automaton of the positions with their values, on the track of values
/// ([`value_tracks`]), and decides the numeration system.
///
/// # Errors
///
/// The expression is unsupported or has no value at some position, or a limit is exceeded.
pub fn gives_values(
    game: &Game,
    value: &Expr<Num>,
    graph: &Dfa,
    limits: &Limits,
) -> Result<bool, ProveError> {
    let (prover, claimed) = claimed_values(game, value, graph.numeration(), limits)?;
    Ok(claimed.is_equivalent(graph, &prover.compiler.budget)?)
}

/// Decides whether a relation between positions and numbers is the graph of the Grundy
/// values. The numbers are on the track of values ([`value_tracks`]).
///
/// # Errors
///
/// The rule is unsupported, or a limit is exceeded.
pub fn decide_grundy_values(
    game: &Game,
    graph: &Dfa,
    convention: Convention,
    limits: &Limits,
) -> Result<Decision, ProveError> {
    let mut prover = Prover::new(game, graph.numeration(), limits)?;
    let budget = Budget::new(limits);
    let graph = graph.and(&prover.domain, &budget)?;
    let (own, less) = value_tracks(game);
    let below = compare(&variable(less), Order::Less, &variable(own)).ok_or_else(too_large)?;
    let below = prover.compiler.automaton(&below)?;
    let smaller = graph.and(&below, &budget)?.project(&[own], &budget)?;
    check_values(&mut prover, graph, smaller, convention, &budget)
}

/// The error of an overflow.
fn too_large() -> ProveError {
    numbers_too_large((0, 0).into()).into()
}

/// Decides whether a relation is the graph of the Grundy values. `smaller`
/// relates each position to the numbers below its value.
fn check_values(
    prover: &mut Prover<'_>,
    graph: Dfa,
    smaller: Dfa,
    convention: Convention,
    budget: &Budget,
) -> Result<Decision, ProveError> {
    let (own, less) = value_tracks(prover.game);
    let graph = Arc::new(graph);
    let mut checked = vec![TERMINATION.to_owned()];
    let valued = graph.project(&[own], budget)?;
    if let Some(failing) = prover.first_position(&prover.domain.and_not(&valued, budget)?) {
        return Ok(Decision::Fails(failing));
    }
    checked.push("every position has a value, which is not negative".to_owned());
    if let Some(failing) = prover.move_between(&graph, &graph)? {
        return Ok(Decision::Fails(failing));
    }
    checked.push(NO_MOVE_KEEPS_VALUE.to_owned());
    let mut rest = smaller;
    if convention == Convention::Misere {
        // Misère values: a terminal position has the value 1, so that 0 means P.
        let nonterminal = prover.nonterminal()?;
        let one = compare(&variable(own), Order::Equal, &constant(1)).ok_or_else(too_large)?;
        let one = prover.compiler.automaton(&one)?;
        let wrong = graph.and_not(&nonterminal, budget)?.and_not(&one, budget)?;
        if let Some(failing) = prover.first_position(&wrong) {
            return Ok(Decision::Fails(failing));
        }
        checked.push(TERMINAL_AT_ONE.to_owned());
        rest = rest.and(&nonterminal, budget)?;
    }
    let rest = prover.without_move_into(&rest, &graph, Some((own, less)))?;
    if let Some(failing) = prover.first_position(&rest) {
        return Ok(Decision::Fails(failing));
    }
    checked.push(SMALLER_VALUES_REACHED.to_owned());
    Ok(Decision::Holds(Proof {
        certificate: None,
        asked: None,
        states: graph.states(),
        automaton: graph,
        of: Set::Values(own),
        checked,
    }))
}

/// The positions of a game by Grundy value, proved.
#[derive(Debug, Clone)]
pub struct GrundyClasses {
    /// The positions with the value 0, 1, …; no other tuple of sizes.
    pub classes: Vec<Dfa>,
    /// The checked statements.
    pub checked: Vec<String>,
}

/// Decides whether sets, pairwise disjoint, are those of the positions with the Grundy
/// values 0, 1, …. Returns the classes, restricted to the positions of the game, with the
/// checked statements, or positions that show a failure.
///
/// # Errors
///
/// The rule is unsupported, or a limit is exceeded.
pub fn decide_grundy_classes(
    game: &Game,
    classes: &[Dfa],
    convention: Convention,
    limits: &Limits,
) -> Result<Result<GrundyClasses, FailingPositions>, ProveError> {
    let Some(first) = classes.first() else {
        return Ok(Err(Vec::new()));
    };
    let numeration = first.numeration();
    let prover = Prover::new(game, numeration, limits)?;
    let budget = Budget::new(limits);
    let mut checked = vec![TERMINATION.to_owned()];
    let nonterminal = match convention {
        Convention::Normal => None,
        Convention::Misere => Some(prover.nonterminal()?),
    };
    // The positions with a larger value; the loop descends from the largest.
    let mut larger = Dfa::constant(numeration, false);
    let mut restricted = Vec::new();
    for (value, class) in classes.iter().enumerate().rev() {
        let class = class.and(&prover.domain, &budget)?;
        if let Some(failing) = prover.move_between(&class, &class)? {
            return Ok(Err(failing));
        }
        let mut rest = larger.clone();
        if let Some(nonterminal) = &nonterminal {
            rest = rest.and(nonterminal, &budget)?;
            let terminal = class.and_not(nonterminal, &budget)?;
            if value != 1
                && let Some(failing) = prover.first_position(&terminal)
            {
                return Ok(Err(failing));
            }
        }
        let rest = prover.without_move_into(&rest, &class, None)?;
        if let Some(failing) = prover.first_position(&rest) {
            return Ok(Err(failing));
        }
        larger = larger.or(&class, &budget)?;
        restricted.push(class);
    }
    restricted.reverse();
    if let Some(failing) = prover.first_position(&prover.domain.and_not(&larger, &budget)?) {
        return Ok(Err(failing));
    }
    checked.push("every position has a value".to_owned());
    checked.push(NO_MOVE_KEEPS_VALUE.to_owned());
    if nonterminal.is_some() {
        checked.push(TERMINAL_AT_ONE.to_owned());
    }
    checked.push(SMALLER_VALUES_REACHED.to_owned());
    Ok(Ok(GrundyClasses {
        classes: restricted,
        checked,
    }))
}

const NO_MOVE_KEEPS_VALUE: &str = "no move keeps the value";
const SMALLER_VALUES_REACHED: &str = "every smaller value is reached by some move";
const TERMINAL_AT_ONE: &str = "positions without a move have the value 1";
