//! A claim about Grundy values.

use super::claimed::sound;
use super::{Decision, ENDS, Means, Proof, Set};
use crate::automata::Track;
use crate::expr::{Num, Order, Part};
use crate::game::{Claim, Convention, Game};
use crate::prove::bases::numeration;
use crate::prove::formula::{constant, variable};
use crate::prove::meaning::{Cases, Meaning, compared, first_free, in_some_case};
use crate::prove::theorem::{Prover, Trouble};
use std::rc::Rc;

/// The function of the Grundy values.
pub fn values(game: &Game, claim: &Claim, value: &Num, means: &Means) -> Result<Decision, Trouble> {
    let numeration = numeration(game, claim.span, &[Part::Num(value)])?;
    let mut prover = Prover::new(game, numeration, &means.limits)?;
    let mut meaning = Meaning::of_heaps(game, numeration);
    let cases = meaning
        .number(value)
        .map_err(|leaves| leaves.within(claim.span))?;
    sound(&mut prover, claim, &meaning)?;
    let heaps = game.heap_count();
    let (own, less) = (first_free(heaps) - 2, first_free(heaps) - 1);
    let against = |cases: &Cases, order: Order, track: Track| {
        in_some_case(cases, |value| compared(&variable(track), order, value))
            .map_err(|leaves| Trouble::from(leaves.within(claim.span)))
    };
    let is_value = against(&cases, Order::Equal, own)?;
    let is_less = against(&cases, Order::Less, less)?;
    let budget = crate::automata::Budget::new(&means.limits);
    let graph = prover.compiler.automaton(&is_value)?;
    let graph = Rc::new(graph.and(&prover.domain, &budget)?);
    let smaller = prover.compiler.automaton(&is_less)?;
    let smaller = smaller.and(&prover.domain, &budget)?;

    let mut checked = vec![ENDS.to_owned()];
    let valued = graph.project(&[own], &budget)?;
    if let Some(doubt) = prover.first(&prover.domain.but_not(&valued, &budget)?) {
        return Ok(Decision::Fails(doubt));
    }
    checked.push("every position has a value, which is not negative".to_owned());
    if let Some(doubt) = prover.move_between(&graph, &graph)? {
        return Ok(Decision::Fails(doubt));
    }
    checked.push("no move keeps the value".to_owned());
    let mut rest = smaller;
    if claim.convention == Convention::Misere {
        // The values under which 0 still means P: 1 where there is no move.
        let movable = prover.movable()?;
        let one = compared(&variable(own), Order::Equal, &constant(1))
            .map_err(|leaves| Trouble::from(leaves.within(claim.span)))?;
        let one = prover.compiler.automaton(&one)?;
        let wrong = graph.but_not(&movable, &budget)?.but_not(&one, &budget)?;
        if let Some(doubt) = prover.first(&wrong) {
            return Ok(Decision::Fails(doubt));
        }
        checked.push("positions without a move have the value 1".to_owned());
        rest = rest.and(&movable, &budget)?;
    }
    let rest = prover.without_move_into(&rest, &graph, Some((own, less)))?;
    if let Some(doubt) = prover.first(&rest) {
        return Ok(Decision::Fails(doubt));
    }
    checked.push("every smaller value is reached by some move".to_owned());
    Ok(Decision::Holds(Proof {
        certificate: None,
        states: graph.states(),
        automaton: graph,
        of: Set::Values(own),
        checked,
    }))
}
