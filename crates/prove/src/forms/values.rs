//! Closed forms of Grundy values, in the language of claims.
//!
//! A few candidate expressions are tried. A candidate is returned only if its
//! automaton is equivalent to the learned relation between positions and values.

use crate::decide::value_tracks;
use crate::integers::{IntegerInterpreter, Integers, variable};
use crate::symbolic::unconditional;
use crate::theorem::{ProveError, Prover};
use nimrule_automata::{Dfa, Numeration};
use nimrule_elaborate::condition_in;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::{Bool, Expr, Num, Order};
use nimrule_model::game::Game;
use nimrule_syntax::parse_condition;

/// The largest number that a sum is taken modulo.
const MODULI: std::ops::RangeInclusive<u64> = 2..=12;

/// Words for the value of every position, proved to be those of the relation.
/// `None` says no more than that none of the functions tried is it.
pub fn value_form(
    game: &Game,
    graph: &Dfa,
    limits: &Limits,
) -> Result<Option<String>, LimitExceeded> {
    for words in candidates(graph.numeration()) {
        match is_value(game, &words, graph, limits) {
            Ok(true) => return Ok(Some(words)),
            Ok(false) | Err(ProveError::Unsupported(_)) => {}
            Err(ProveError::LimitExceeded(met)) => return Err(met),
        }
    }
    Ok(None)
}

fn candidates(numeration: Numeration) -> Vec<String> {
    let mut words = vec!["sum(heaps)".to_owned()];
    if let Numeration::Base(base) = numeration {
        words.push(match base {
            2 => "xor(heaps)".to_owned(),
            base => format!("carryless({base}, heaps)"),
        });
        words.extend(
            (2..=8)
                .filter(|modulus| *modulus != base)
                .map(|modulus| format!("carryless({base}, heaps, {modulus})")),
        );
    }
    for some in ["max(heaps)", "min(heaps)"] {
        words.push(some.to_owned());
        words.push(format!("sum(heaps) - {some}"));
        words.push(format!("sum(heaps) mod 2 + {some} - {some} mod 2"));
    }
    for modulus in MODULI {
        words.push(format!("sum(heaps) mod {modulus}"));
        if numeration == Numeration::Base(2) {
            words.push(format!("xor(x mod {modulus} for x in heaps)"));
        }
    }
    words
}

/// Returns whether an expression is the value of every position.
fn is_value(game: &Game, words: &str, graph: &Dfa, limits: &Limits) -> Result<bool, ProveError> {
    let condition = format!("0 == {words}");
    let Some(value) = parse_condition(&condition)
        .ok()
        .and_then(|tree| condition_in(game, &tree, &condition).ok())
        .and_then(|condition| right_side(condition.node))
    else {
        return Ok(false);
    };
    let numeration = graph.numeration();
    let mut prover = Prover::without_moves(game, numeration, limits)?;
    let mut reader = IntegerInterpreter::of_heaps(game, Integers { numeration });
    let (own, _) = value_tracks(game);
    let cases = reader.number(&value)?;
    let is_value = reader.compare_cases(
        &unconditional(variable(own)),
        Order::Equal,
        &cases,
        value.span,
    )?;
    if !reader.faults.is_empty() {
        return Ok(false);
    }
    let made = prover.compiler.automaton(&is_value)?;
    let budget = &prover.compiler.budget;
    let made = made.and(&prover.domain, budget)?;
    Ok(made.is_equivalent(graph, budget)?)
}

fn right_side(condition: Bool) -> Option<Expr<Num>> {
    match condition {
        Bool::Compare(Order::Equal, zero, value) if zero.constant() == Some(0) => Some(value),
        _ => None,
    }
}
