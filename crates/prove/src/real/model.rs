//! Sizes for which a statement holds, where there are any.
//!
//! The alternatives of the statement are tried one after another, those first
//! that leave the least to choose. What has been chosen is a row of
//! comparisons, and whether they go together is found by eliminating one
//! variable after another: each lower bound of it must be below each upper
//! bound (Fourier 1826, Motzkin 1936). Backwards, every variable gets the
//! simplest fraction between its bounds.

use super::Budget;
use super::eliminate::Statement;
use super::formula::{Comparison, Formula, Relation};
use super::number::{
    Linear, Rational, Term, Values, Variable, is_zero, sign, simplest_between, whole,
};
use nimrule_limits::LimitExceeded;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Values, none of them negative, with which the statement holds.
pub fn model(statement: &Statement, budget: &Budget) -> Result<Option<Values>, LimitExceeded> {
    let mut search = Search::default();
    if !search.assume(statement, budget)? {
        return Ok(None);
    }
    search.run(budget)
}

/// Comparisons that all hold.
#[derive(Debug, Clone, Default)]
struct Facts {
    /// What variables are, in terms of those that stand here later or nowhere.
    solved: Vec<(Variable, Linear)>,
    bounds: Bounds,
}

/// Sums that are at most 0: by the weights, the largest constant, and whether
/// the sum is even below 0.
type Bounds = BTreeMap<Vec<(Variable, Rational)>, (Rational, bool)>;

/// Adds "the sum is at most 0", or below it where `open`. `false` where that
/// cannot be.
fn bound(bounds: &mut Bounds, sum: Linear, open: bool) -> bool {
    let nothing = whole(0);
    let extremes = sum.extremes(&nothing);
    if let Some(highest) = extremes.highest.map(sign)
        && (highest == Ordering::Less || (highest == Ordering::Equal && !open))
    {
        return true;
    }
    if let Some(lowest) = extremes.lowest.map(sign)
        && (lowest == Ordering::Greater || (lowest == Ordering::Equal && open))
    {
        return false;
    }
    let sum = sum.scaled();
    let new = (sum.constant, open);
    let kept = bounds.entry(sum.terms).or_insert_with(|| new.clone());
    if *kept < new {
        *kept = new;
    }
    true
}

impl Facts {
    /// What a sum is, as far as it is known.
    fn known(&self, sum: &Linear) -> Linear {
        let solved = self.solved.iter();
        solved.fold(sum.clone(), |sum, (variable, is)| sum.with(*variable, is))
    }

    /// One more; `false` where it plainly cannot be. What it says a variable
    /// is, is returned in `learnt`.
    fn add(
        &mut self,
        sum: &Linear,
        relation: Relation,
        budget: &Budget,
        learnt: &mut Vec<(Variable, Linear)>,
    ) -> Result<bool, LimitExceeded> {
        budget.work(1)?;
        let sum = self.known(sum);
        match relation {
            Relation::Negative => Ok(bound(&mut self.bounds, sum, true)),
            Relation::AtMostZero => Ok(bound(&mut self.bounds, sum, false)),
            Relation::Zero => {
                let Some((variable, _)) = sum.terms.last() else {
                    return Ok(is_zero(&sum.constant));
                };
                let variable = *variable;
                let Some(is) = sum.solved_for(variable) else {
                    return Ok(true);
                };
                let before = std::mem::take(&mut self.bounds);
                budget.work(before.len() as u64)?;
                let mut sound = bound(&mut self.bounds, is.turned(), false);
                for (terms, (constant, open)) in before {
                    let sum = Linear { terms, constant }.with(variable, &is);
                    sound &= bound(&mut self.bounds, sum, open);
                }
                self.solved.push((variable, is.clone()));
                learnt.push((variable, is));
                Ok(sound)
            }
        }
    }

    /// Values for which all of it holds.
    fn model(&self, budget: &Budget) -> Result<Option<Values>, LimitExceeded> {
        let mut bounds = self.bounds.clone();
        let mut eliminated = Vec::new();
        while let Some(variable) = cheapest(&bounds) {
            let (about, mut rest): (Bounds, Bounds) = bounds
                .into_iter()
                .partition(|(terms, _)| terms.iter().any(|(other, _)| *other == variable));
            let about: Vec<(Linear, bool)> = about
                .into_iter()
                .map(|(terms, (constant, open))| (Linear { terms, constant }, open))
                .collect();
            let side = |wanted: Ordering| {
                about.iter().filter(move |(sum, _)| {
                    sum.weight(variable)
                        .is_some_and(|weight| sign(weight) == wanted)
                })
            };
            for (above, open_above) in side(Ordering::Greater) {
                // It is not negative, whatever else bounds it from below.
                let alone = above.without(variable);
                if !bound(&mut rest, alone, *open_above) {
                    return Ok(None);
                }
                for (below, open_below) in side(Ordering::Less) {
                    budget.work(1)?;
                    let (Some(most), Some(least)) =
                        (above.solved_for(variable), below.solved_for(variable))
                    else {
                        continue;
                    };
                    if !bound(&mut rest, least.minus(&most), *open_above || *open_below) {
                        return Ok(None);
                    }
                }
            }
            eliminated.push((variable, about));
            bounds = rest;
        }
        let mut values = Values::new();
        for (variable, about) in eliminated.into_iter().rev() {
            match between(variable, &about, &values) {
                Some(value) => values.insert(variable, value),
                None => return Ok(None),
            };
        }
        for (variable, is) in self.solved.iter().rev() {
            let value = is.value(&values);
            values.insert(*variable, value);
        }
        Ok(Some(values))
    }
}

/// The variable whose elimination leaves the fewest comparisons.
fn cheapest(bounds: &Bounds) -> Option<Variable> {
    let mut count: BTreeMap<Variable, (i64, i64)> = BTreeMap::new();
    for terms in bounds.keys() {
        for (variable, weight) in terms {
            let (below, above) = count.entry(*variable).or_insert((1, 0));
            match sign(weight) {
                Ordering::Less => *below += 1,
                _ => *above += 1,
            }
        }
    }
    let cost = |(_, (below, above)): &(&Variable, &(i64, i64))| below * above - below - above;
    count.iter().min_by_key(cost).map(|(variable, _)| *variable)
}

/// The simplest value between the bounds, all others being known.
fn between(variable: Variable, about: &[(Linear, bool)], values: &Values) -> Option<Rational> {
    let mut low = (whole(0), false);
    let mut high: Option<(Rational, bool)> = None;
    for (sum, open) in about {
        let place = sum.solved_for(variable)?.value(values);
        if sum
            .weight(variable)
            .is_some_and(|w| sign(w) == Ordering::Less)
        {
            if place > low.0 || (place == low.0 && *open) {
                low = (place, *open);
            }
        } else {
            let lower = high.as_ref().is_none_or(|(so_far, _)| place < *so_far);
            let tighter = high.as_ref().is_some_and(|(so_far, _)| place == *so_far) && *open;
            if lower || tighter {
                high = Some((place, *open));
            }
        }
    }
    simplest_between(
        &low.0,
        low.1,
        high.as_ref().map(|(most, open)| (most, *open)),
    )
}

/// What is known, and what is still to be chosen from.
#[derive(Debug, Clone, Default)]
struct Search {
    facts: Facts,
    /// Of each list one alternative must hold.
    open: BTreeSet<Vec<Statement>>,
}

impl Search {
    /// Adds a statement. `false` where it plainly cannot hold.
    fn assume(&mut self, statement: &Statement, budget: &Budget) -> Result<bool, LimitExceeded> {
        let mut waiting = vec![statement.clone()];
        while let Some(next) = waiting.pop() {
            match next {
                Formula::Const(true) => {}
                Formula::Const(false) => return Ok(false),
                Formula::And(all) => waiting.extend(all),
                Formula::Or(any) => {
                    self.open.insert(any);
                }
                Formula::Not(inner) => waiting.push(inner.negated()),
                // It binds nothing.
                Formula::Exists(_, body) => waiting.push(*body),
                Formula::Atom(Comparison {
                    term: sum,
                    relation,
                }) => {
                    let mut learnt = Vec::new();
                    if !self.facts.add(&sum, relation, budget, &mut learnt)? {
                        return Ok(false);
                    }
                    // What a variable is, is put into what is still open.
                    for (variable, is) in learnt {
                        let (about, rest): (BTreeSet<_>, BTreeSet<_>) =
                            std::mem::take(&mut self.open)
                                .into_iter()
                                .partition(|any| any.iter().any(|part| part.mentions(variable)));
                        self.open = rest;
                        for any in about {
                            budget.work(any.iter().map(Formula::size).sum())?;
                            waiting.push(with(&Formula::Or(any), variable, &is));
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Could this hold beside what is known, as far as its comparisons say
    /// that stand alone?
    fn could_be(&self, statement: &Statement, budget: &Budget) -> Result<bool, LimitExceeded> {
        let parts = match statement {
            Formula::And(all) => all.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut facts = self.facts.clone();
        budget.work(facts.bounds.len() as u64)?;
        for part in parts {
            if let Formula::Atom(comparison) = part
                && !facts.add(
                    &comparison.term,
                    comparison.relation,
                    budget,
                    &mut Vec::new(),
                )?
            {
                return Ok(false);
            }
        }
        Ok(facts.model(budget)?.is_some())
    }

    fn run(mut self, budget: &Budget) -> Result<Option<Values>, LimitExceeded> {
        let fewest = loop {
            let Some(values) = self.facts.model(budget)? else {
                return Ok(None);
            };
            // What holds already where nothing more is known is an answer.
            let open: Vec<Vec<Statement>> = self.open.iter().cloned().collect();
            if open
                .iter()
                .all(|any| any.iter().any(|part| part.holds(&values)))
            {
                return Ok(Some(values));
            }
            let mut fewest: Option<Vec<Statement>> = None;
            let mut certain = None;
            for any in open {
                let mut left = Vec::new();
                for part in &any {
                    if self.could_be(part, budget)? {
                        left.push(part.clone());
                    }
                }
                match left.len() {
                    0 => return Ok(None),
                    1 => {
                        certain = left.pop();
                        self.open.remove(&any);
                        break;
                    }
                    _ => {
                        if left.len() < any.len() {
                            self.open.remove(&any);
                            self.open.insert(left.clone());
                        }
                        if fewest.as_ref().is_none_or(|best| left.len() < best.len()) {
                            fewest = Some(left);
                        }
                    }
                }
            }
            match certain {
                Some(part) => {
                    if !self.assume(&part, budget)? {
                        return Ok(None);
                    }
                }
                None => break fewest,
            }
        };
        let Some(any) = fewest else {
            return self.facts.model(budget);
        };
        self.open.remove(&any);
        for part in &any {
            let mut chosen = self.clone();
            if chosen.assume(part, budget)?
                && let Some(values) = chosen.run(budget)?
            {
                return Ok(Some(values));
            }
            // From here on this alternative does not hold.
            if !self.assume(&part.clone().negated(), budget)? {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// A statement with a sum in place of a variable.
pub fn with(statement: &Statement, variable: Variable, is: &Linear) -> Statement {
    let done: Result<Statement, std::convert::Infallible> =
        statement.mapped(&mut |sum: &Linear, relation| {
            Ok(Formula::compare(sum.with(variable, is), relation))
        });
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}
