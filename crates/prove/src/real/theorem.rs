//! The decision of independence and absorption over the reals, and witnesses of
//! their failure.
//!
//! A labelling is consistent with a rule if no P-position has a move to a
//! P-position, and every N-position has a move to a P-position. Both conditions
//! are universal sentences over the sizes. The decision eliminates the amounts
//! of the moves, and searches for sizes that violate the rest. If play
//! terminates, the only consistent labelling is that of the P- and N-positions.
//!
//! A witness is the simplest position found at which the labelling is wrong:
//! sizes that are integers are tried first, then multiples of 1/2, 1/3 and 1/4,
//! each in the order of their total. If none of them is a witness, the position
//! that the decision procedure returned is reported.

use super::Budget;
use super::eliminate::{Statement, exists};
use super::fields::{Fields, Said, Sentences};
use super::formula::{Formula, Relation};
use super::model::{model, with};
use super::number::{
    Linear, Polynomial, Rational, Term, Values, Variable, first_free, of_heap, of_heap_after,
    value_of, whole,
};
use super::scale::Scales;
use crate::symbolic::Transition;
use crate::theorem::ProveError;
use crate::unsupported::Unsupported;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Convention;
use num_bigint::BigInt;

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
            let what = "sizes are multiplied, and no monotone change of scale makes sums of that";
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
                    "the claim asks for another scale of sizes, and this move does not stay the \
                     same in it",
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

/// A position of real heaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The sizes, or what measures them.
    pub sizes: Vec<Rational>,
    /// What the numbers measure, where that is not the sizes: `x*x`.
    pub measured: Option<Vec<String>>,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sizes: Vec<String> = match &self.measured {
            None => self.sizes.iter().map(Rational::to_string).collect(),
            Some(words) => words
                .iter()
                .zip(&self.sizes)
                .map(|(words, size)| format!("{words} = {size}"))
                .collect(),
        };
        write!(
            f,
            "({})",
            sizes.join(if self.measured.is_some() { ", " } else { "," })
        )
    }
}

/// A position at which a labelling is wrong, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub position: Position,
    pub why: Why,
}

/// What is wrong at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is P by the claim, and so is this option of it.
    LeadsTo(Position),
    /// It is N by the claim, and none of its moves leads to a P-position.
    Stuck,
    /// It is P by the claim, has no move, and that wins in misere play.
    Idle,
}

impl Witness {
    /// What is wrong, on one line.
    pub fn words(&self) -> String {
        match &self.why {
            Why::LeadsTo(option) => {
                format!("claimed P, with a move to {option}, which is claimed P too")
            }
            Why::Stuck => "claimed N, and no move leads to a position that is claimed P".to_owned(),
            Why::Idle => "claimed P, and without a move it is N under misere play".to_owned(),
        }
    }
}

/// So many positions are tried of each denominator.
const MAX_TRIED: usize = 2_000;

/// The denominators that are tried.
const DENOMINATORS: [i64; 4] = [1, 2, 3, 4];

/// Finds a position at which the labelling is wrong. `first` is tried before
/// all others.
pub fn witness(
    theorem: &Theorem,
    wrong: &Wrong,
    names: &[String],
    first: Option<&[u64]>,
) -> Result<Option<Witness>, LimitExceeded> {
    let statement = match wrong {
        Wrong::Leads(at) | Wrong::Stuck(at) | Wrong::Idle(at) => at,
    };
    let heaps: Vec<usize> = (0..names.len()).collect();
    let first = first.map(|sizes| {
        let sizes = sizes
            .iter()
            .map(|size| Rational::from_integer(BigInt::from(*size)));
        sizes.collect::<Vec<Rational>>()
    });
    let Some((sizes, values)) = simplest(theorem, statement, &heaps, of_heap, first)? else {
        return Ok(None);
    };
    let position = |sizes: Option<Vec<Rational>>, values: &Values| match sizes {
        Some(sizes) => Position {
            sizes,
            measured: None,
        },
        None => Position {
            sizes: heaps
                .iter()
                .map(|heap| value_of(values, of_heap(*heap)))
                .collect(),
            measured: measured(theorem, names),
        },
    };
    let here = position(sizes.clone(), &values);
    let why = match wrong {
        Wrong::Stuck(_) => Why::Stuck,
        Wrong::Idle(_) => Why::Idle,
        Wrong::Leads(_) => match option(theorem, &sizes, &values)? {
            None => return Ok(None),
            Some((sizes, values)) => Why::LeadsTo(position(sizes, &values)),
        },
    };
    Ok(Some(Witness {
        position: here,
        why,
    }))
}

/// What the numbers of a position measure, where that is not the sizes.
fn measured(theorem: &Theorem, names: &[String]) -> Option<Vec<String>> {
    let words = theorem.scales.of.iter().zip(names);
    (!theorem.scales.are_sizes()).then(|| words.map(|(m, name)| m.words(name)).collect())
}

/// Sizes, where they are known and not only their measures, and the measures.
type Found = (Option<Vec<Rational>>, Values);

/// A P-position that a P-position has a move to.
fn option(
    theorem: &Theorem,
    sizes: &Option<Vec<Rational>>,
    values: &Values,
) -> Result<Option<Found>, LimitExceeded> {
    for ((into, _), (_, touched)) in theorem.moves_into_set().iter().zip(&theorem.moves) {
        let mut there = into.clone();
        for (variable, value) in values {
            there = with(&there, *variable, &Linear::constant(value.clone()));
        }
        let found = simplest(theorem, &there, touched, of_heap_after, None)?;
        let Some((found, reached)) = found else {
            continue;
        };
        let mut values = values.clone();
        for heap in touched {
            let value = value_of(&reached, of_heap_after(*heap));
            values.insert(of_heap(*heap), value);
        }
        let sizes = match (sizes, found) {
            (Some(sizes), Some(found)) => {
                let mut sizes = sizes.clone();
                for (heap, size) in touched.iter().zip(found) {
                    sizes[*heap] = size;
                }
                Some(sizes)
            }
            _ => None,
        };
        return Ok(Some((sizes, values)));
    }
    Ok(None)
}

/// The simplest sizes of these heaps for which a statement about their measures
/// holds, which speaks of no others.
fn simplest(
    theorem: &Theorem,
    statement: &Statement,
    heaps: &[usize],
    variable: impl Fn(usize) -> Variable,
    first: Option<Vec<Rational>>,
) -> Result<Option<Found>, LimitExceeded> {
    if *statement == Formula::Const(false) {
        return Ok(None);
    }
    let measures = |sizes: &[Rational]| -> Values {
        let all = heaps.iter().zip(sizes);
        all.map(|(heap, size)| (variable(*heap), theorem.scales.of[*heap].of(size)))
            .collect()
    };
    if let Some(sizes) = first {
        let values = measures(&sizes);
        if statement.holds(&values) {
            return Ok(Some((Some(sizes), values)));
        }
    }
    let size = statement.size();
    for denominator in DENOMINATORS {
        let parts = whole(denominator).recip();
        for counts in by_total(heaps.len(), MAX_TRIED) {
            theorem.budget.work(size)?;
            let sizes: Vec<Rational> = counts.iter().map(|count| whole(*count) * &parts).collect();
            let values = measures(&sizes);
            if statement.holds(&values) {
                return Ok(Some((Some(sizes), values)));
            }
        }
    }
    let found = model(statement, &theorem.budget)?;
    Ok(found.map(|values| {
        // What measures a size by itself is the size.
        let sizes = theorem.scales.are_sizes().then(|| {
            let sizes = heaps.iter();
            sizes
                .map(|heap| value_of(&values, variable(*heap)))
                .collect()
        });
        (sizes, values)
    }))
}

/// So many rows of numbers, by their sums, and in lexicographic order.
fn by_total(length: usize, most: usize) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    let mut total = 0;
    while all.len() < most {
        let before = all.len();
        let mut row = Vec::with_capacity(length);
        with_total(length, total, most, &mut row, &mut all);
        if all.len() == before || length == 0 {
            break;
        }
        total += 1;
    }
    all
}

fn with_total(left: usize, total: i64, most: usize, row: &mut Vec<i64>, all: &mut Vec<Vec<i64>>) {
    if all.len() >= most {
        return;
    }
    if left <= 1 {
        let mut whole = row.clone();
        whole.extend((left == 1).then_some(total));
        all.push(whole);
        return;
    }
    for first in 0..=total {
        row.push(first);
        with_total(left - 1, total - first, most, row, all);
        row.pop();
    }
}
