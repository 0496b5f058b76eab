//! Cogames: labellings in which exactly the N-positions are options of P-positions
//! (Swenberg 2021).
//!
//! Independence is the same as for a consistent labelling. In place of absorption, every
//! N-position must have a move to it from a P-position: the sizes before the move are
//! eliminated, and not those after it.
//!
//! A single position is also decided where the claim multiplies sizes: with the sizes of the
//! position in place of variables, and a scale of their own for the heaps that the move
//! changes, its products are often linear.

use super::Budget;
use super::eliminate::exists;
use super::fields::{RealProblem, SizeFormula};
use super::formula::{Comparisons, Formula};
use super::model::model;
use super::number::{Polynomial, Rational, Values, Variable, of_heap, of_heap_after, value_of};
use super::scale::{Scales, without_common_factors};
use super::theorem::{
    Position, Theorem, Violation, Violations, Witness, of_linear, renamed, without_amounts,
};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_symbolic::{ProveError, Transition, Unsupported};
use num_bigint::BigInt;
use std::convert::Infallible;

/// The positions that violate the first condition that does not hold; `None` if the labelling
/// is that of a cogame.
pub fn violations(theorem: &Theorem) -> Result<Option<Violations>, LimitExceeded> {
    if let Some(dependent) = theorem.dependent()? {
        return Ok(Some(dependent));
    }
    let (p_positions, n_positions) = theorem.labelled();
    let mut rest = vec![n_positions];
    for (relation, touched) in &theorem.moves {
        let from = Formula::and([relation.clone(), p_positions.clone()]);
        let before: Vec<Variable> = touched.iter().map(|heap| of_heap(*heap)).collect();
        let reached = exists(&before, &from, &theorem.budget)?;
        let reached = renamed(&reached, &|variable| {
            let heap = (variable / 2) as usize;
            match touched.contains(&heap) {
                true => of_heap(heap),
                false => variable,
            }
        });
        rest.push(reached.negated());
    }
    let unreached = Formula::and(rest);
    Ok(theorem
        .is_satisfiable(&unreached)?
        .then_some(Violations::OfCogame(unreached)))
}

/// How the labelling fails to be that of a cogame at one position, if it does.
///
/// # Errors
///
/// A term that is not linear in some measures, or an exceeded limit.
pub fn fails_at(
    problem: &RealProblem,
    at: &[u64],
    limits: &Limits,
) -> Result<Option<Witness>, ProveError> {
    let budget = Budget::new(limits);
    let sizes: Vec<Rational> = at
        .iter()
        .map(|size| Rational::from_integer(BigInt::from(*size)))
        .collect();
    let here: Values = sizes
        .iter()
        .enumerate()
        .map(|(heap, size)| (of_heap(heap), size.clone()))
        .collect();
    if !problem.positions.holds(&here) {
        return Ok(None);
    }
    let mut from = None;
    for part in &problem.moves {
        if from.is_none() {
            from = p_position_before(problem, part, &sizes, &budget)?;
        }
    }
    let violation = match (problem.set.holds(&here), from) {
        (true, Some(from)) => Violation::FromP(from),
        (false, None) => Violation::NotFromP,
        _ => return Ok(None),
    };
    Ok(Some(Witness {
        position: Position {
            sizes,
            measured: None,
        },
        violation,
    }))
}

/// A P-position from which a transition leads to a position.
fn p_position_before(
    problem: &RealProblem,
    part: &Transition<super::fields::Fields>,
    sizes: &[Rational],
    budget: &Budget,
) -> Result<Option<Position>, ProveError> {
    let nonlinear = |polynomial: Polynomial| {
        let what = "sizes are multiplied, and at this position no monotone change of scale turns \
                    the products into sums";
        let at = problem.products.product_in(&polynomial);
        Unsupported::new(what, at.unwrap_or(problem.span))
    };
    let relation = without_amounts(part, budget)?.map_err(nonlinear)?;
    let known: Values = sizes
        .iter()
        .enumerate()
        .map(|(heap, size)| match part.touched.contains(&heap) {
            true => (of_heap_after(heap), size.clone()),
            false => (of_heap(heap), size.clone()),
        })
        .collect();
    let before = Formula::and([
        of_linear(&relation),
        problem.positions.clone(),
        problem.set.clone(),
    ]);
    let known_sizes: Result<SizeFormula, Infallible> =
        before.mapped(&mut |polynomial: &Polynomial, relation| {
            Ok(Formula::compare(polynomial.at(&known), relation))
        });
    let before = match known_sizes {
        Ok(before) => without_common_factors(&before),
        Err(never) => match never {},
    };
    let scales = Scales::inferred(problem.heaps(), std::iter::once(&before));
    let before = scales.rewrite(&before).map_err(nonlinear)?;
    let Some(values) = model(&before, budget)? else {
        return Ok(None);
    };
    let measures = sizes.iter().zip(&scales.measures).enumerate();
    let sizes = measures.map(
        |(heap, (size, measure))| match part.touched.contains(&heap) {
            true => value_of(&values, of_heap(heap)),
            false => measure.of(size),
        },
    );
    Ok(Some(Position {
        sizes: sizes.collect(),
        measured: scales.words(&problem.names),
    }))
}
