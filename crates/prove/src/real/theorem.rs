//! The decision of independence and absorption over the reals.
//!
//! A labelling is consistent with a rule if no P-position has a move to a
//! P-position, and every N-position has one. That is said with "for all sizes"
//! and "there are amounts", and is decided: the amounts are eliminated, and
//! sizes that are an exception are looked for. Where play ends, the consistent
//! labelling is the one that tells who wins.

use super::budget::Budget;
use super::eliminate::{Statement, exists};
use super::fields::{Fields, Said};
use super::formula::{Formula, Relation};
use super::model::model;
use super::number::{
    Linear, Polynomial, Rational, Term, Variable, first_free, of_heap, of_heap_after, whole,
};
use super::scale::Scales;
use super::sentences::Sentences;
use crate::symbolic::Transition;
use crate::theorem::ProveError;
use crate::unsupported::Unsupported;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Convention;

/// The rule and the claim, said of the measures of sizes.
pub struct Theorem {
    pub scales: Scales,
    pub positions: Statement,
    /// The P-positions, as claimed, among all sizes.
    pub set: Statement,
    /// Of every way to move: between the heaps before and those behind that it
    /// may change, and which those are. What is reached is a position.
    pub moves: Vec<(Statement, Vec<usize>)>,
    pub budget: Budget,
}

/// What is wrong with the claimed labelling.
#[derive(Debug, Clone)]
pub enum Wrong {
    /// These P-positions have a move to a P-position.
    Leads(Statement),
    /// These N-positions have none.
    Stuck(Statement),
    /// These P-positions have no move at all, in misere play.
    Idle(Statement),
}

impl Theorem {
    pub fn new(sentences: &Sentences, limits: &Limits) -> Result<Theorem, ProveError> {
        let budget = Budget::new(limits);
        let heaps = sentences.heaps();
        let scales = Scales::asked_for(heaps, [&sentences.set, &sentences.positions].into_iter());
        let nonlinear = |polynomial: Polynomial| {
            let what = "sizes are multiplied, and no monotone change of scale turns the \
                        products into sums";
            let at = sentences.products.product_in(&polynomial);
            Unsupported::new(what, at.unwrap_or(sentences.span))
        };
        let positions = scales.measured(&sentences.positions).map_err(nonlinear)?;
        let set = scales.measured(&sentences.set).map_err(nonlinear)?;
        let mut theorem = Theorem {
            scales,
            positions,
            set,
            moves: Vec::new(),
            budget,
        };
        for part in &sentences.moves {
            let made = theorem.made(part, sentences)?;
            if made.0 != Formula::Const(false) {
                theorem.moves.push(made);
            }
        }
        Ok(theorem)
    }

    /// A part of the transition relation, between measures.
    fn made(
        &self,
        part: &Transition<Fields>,
        sentences: &Sentences,
    ) -> Result<(Statement, Vec<usize>), ProveError> {
        let plain = between(part, &self.budget)?.map_err(|polynomial| {
            let at = sentences.products.product_in(&polynomial);
            let what = "the rule multiplies sizes or amounts";
            Unsupported::new(what, at.unwrap_or(part.span))
        })?;
        let measured = if self.scales.are_sizes() {
            plain
        } else {
            let said = of_linear(&plain);
            self.scales.measured(&said).map_err(|_| Unsupported {
                also: Some(part.span),
                ..Unsupported::new(
                    "the claim needs another scale of sizes, in which this move changes its form",
                    sentences.rescaled_at().unwrap_or(sentences.span),
                )
            })?
        };
        let reached = self.behind(&self.positions, &part.touched);
        Ok((Formula::and([measured, reached]), part.touched.clone()))
    }

    /// A statement about positions as one about those behind a move.
    pub fn behind(&self, statement: &Statement, touched: &[usize]) -> Statement {
        renamed(statement, &|variable| {
            let heap = (variable / 2) as usize;
            match touched.contains(&heap) {
                true => of_heap_after(heap),
                false => variable,
            }
        })
    }

    /// The moves of each way into the claimed set.
    pub fn moves_into_set(&self) -> Vec<(Statement, Vec<Variable>)> {
        let moves = self.moves.iter().map(|(made, touched)| {
            let into = Formula::and([made.clone(), self.behind(&self.set, touched)]);
            (into, touched.iter().map(|h| of_heap_after(*h)).collect())
        });
        moves.collect()
    }

    /// The P-positions, and the N-positions.
    pub fn labelled(&self) -> (Statement, Statement) {
        let among = |set: Statement| Formula::and([self.positions.clone(), set]);
        (among(self.set.clone()), among(self.set.clone().negated()))
    }

    fn is_possible(&self, statement: &Statement) -> Result<bool, LimitExceeded> {
        Ok(model(statement, &self.budget)?.is_some())
    }

    /// What is wrong with the labelling, if anything.
    pub fn wrong(&self, convention: Convention) -> Result<Option<Wrong>, LimitExceeded> {
        let (lost, won) = self.labelled();
        let moves_into_set = self.moves_into_set();
        let mut leads = Vec::new();
        for (into, behind) in &moves_into_set {
            let moves = Formula::and([lost.clone(), into.clone()]);
            if self.is_possible(&moves)? {
                leads.push(exists(behind, &moves, &self.budget)?);
            }
        }
        if !leads.is_empty() {
            return Ok(Some(Wrong::Leads(Formula::or(leads))));
        }
        let mut rest = vec![won];
        if convention == Convention::Misere {
            let mut movable = Vec::new();
            for (made, touched) in &self.moves {
                let behind: Vec<Variable> = touched.iter().map(|h| of_heap_after(*h)).collect();
                movable.push(exists(&behind, made, &self.budget)?);
            }
            let movable = Formula::or(movable);
            let idle = Formula::and([lost, movable.clone().negated()]);
            if self.is_possible(&idle)? {
                return Ok(Some(Wrong::Idle(idle)));
            }
            rest.push(movable);
        }
        for (into, behind) in &moves_into_set {
            rest.push(exists(behind, into, &self.budget)?.negated());
        }
        let stuck = Formula::and(rest);
        Ok(self.is_possible(&stuck)?.then_some(Wrong::Stuck(stuck)))
    }
}

/// The amount by which every move lowers the total, at the least, if there is
/// such an amount: then play ends. Any sizes count as a position here.
pub fn least_loss(
    sentences: &Sentences,
    budget: &Budget,
) -> Result<Option<Rational>, LimitExceeded> {
    // The amount is a variable of its own, beside those of the heaps.
    let least = first_free(sentences.heaps());
    let mut small = Vec::new();
    for part in &sentences.moves {
        let Ok(made) = between(part, budget)? else {
            return Ok(None);
        };
        let mut lower = Linear::constant(whole(0));
        let mut all = Vec::new();
        for heap in &part.touched {
            let (before, behind) = (of_heap(*heap), of_heap_after(*heap));
            lower = lower.plus(&Linear::variable(before).minus(&Linear::variable(behind)));
            all.push(behind);
        }
        let too_little = lower.minus(&Linear::variable(least));
        let made = Formula::and([made, Formula::compare(too_little, Relation::Negative)]);
        all.extend((0..sentences.heaps()).map(of_heap));
        small.push(exists(&all, &made, budget)?);
    }
    let some = Formula::compare(Linear::variable(least).turned(), Relation::Negative);
    let found = model(&Formula::and([some, Formula::or(small).negated()]), budget)?;
    Ok(found.and_then(|values| values.get(&least).cloned()))
}

/// A part of the transition relation without its amounts, or what of it is
/// multiplied.
fn between(
    part: &Transition<Fields>,
    budget: &Budget,
) -> Result<Result<Statement, Polynomial>, LimitExceeded> {
    let linear = part
        .formula
        .mapped(&mut |polynomial: &Polynomial, relation| {
            let sum = polynomial.as_linear().ok_or_else(|| polynomial.clone())?;
            Ok(Formula::compare(sum, relation))
        });
    match linear {
        Err(polynomial) => Ok(Err(polynomial)),
        Ok(linear) => exists(&part.existentials, &linear, budget).map(Ok),
    }
}

fn of_linear(statement: &Statement) -> Said {
    let done: Result<Said, std::convert::Infallible> = statement
        .mapped(&mut |sum, relation| Ok(Formula::compare(Polynomial::of_linear(sum), relation)));
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}

/// The same with other variables, no two of which become one.
pub fn renamed(statement: &Statement, name: &impl Fn(Variable) -> Variable) -> Statement {
    let done: Result<Statement, std::convert::Infallible> =
        statement.mapped(&mut |sum: &Linear, relation| {
            let mut terms: Vec<(Variable, Rational)> = sum
                .terms
                .iter()
                .map(|(v, w)| (name(*v), w.clone()))
                .collect();
            terms.sort_unstable_by_key(|(variable, _)| *variable);
            let constant = sum.constant.clone();
            Ok(Formula::compare(Linear { terms, constant }, relation))
        });
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}

/// Every expression has a value in every position.
pub fn check_no_faults(
    sentences: &Sentences,
    scales: &Scales,
    budget: &Budget,
) -> Result<(), ProveError> {
    for fault in &sentences.faults {
        let unsure = |_: Polynomial| {
            let what = "whether this always has a value is not decided";
            ProveError::from(Unsupported::fault(what, fault.span))
        };
        let condition = scales.measured(&fault.condition).map_err(unsure)?;
        let positions = scales.measured(&sentences.positions).map_err(unsure)?;
        if model(&Formula::and([condition, positions]), budget)?.is_some() {
            return Err(fault.refused().or_at(sentences.span).into());
        }
    }
    Ok(())
}
