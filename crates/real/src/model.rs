//! A solver for quantifier-free linear arithmetic over an ordered field: it finds
//! nonnegative values that satisfy a statement.
//!
//! The disjunctions of the statement are decided by backtracking, the one with
//! the fewest feasible disjuncts first. The chosen comparisons form a linear
//! system. Its feasibility is decided by eliminating one variable after another:
//! each lower bound must be below each upper bound (Fourier 1826, Motzkin 1936).
//! Back substitution gives each variable the simplest fraction between its
//! bounds.

use super::Budget;
use super::eliminate::Statement;
use super::formula::{Comparison, Comparisons, Formula, Relation};
use super::number::{
    Linear, Rational, Term, Values, Variable, integer, is_zero, sign, simplest_between,
};
use nimrule_limits::LimitExceeded;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Returns nonnegative values that satisfy the statement; `None` if there are none.
///
/// # Errors
///
/// A limit is exceeded.
pub fn model(statement: &Statement, budget: &Budget) -> Result<Option<Values>, LimitExceeded> {
    let mut search = ModelSearch::default();
    if !search.assume(statement, budget)? {
        return Ok(None);
    }
    search.run(budget)
}

/// A conjunction of linear comparisons.
#[derive(Debug, Clone, Default)]
struct LinearSystem {
    /// Eliminated variables with their values. A value contains no variable
    /// that was eliminated before its own.
    solved: Vec<(Variable, Linear)>,
    bounds: Bounds,
}

/// Linear inequalities: for the weights of a sum the largest constant with which
/// the sum is at most 0, and whether it is strictly below 0.
type Bounds = BTreeMap<Vec<(Variable, Rational)>, (Rational, bool)>;

/// Adds the inequality that a sum is at most 0, or below 0 if `open`. Returns
/// `false` if no nonnegative values satisfy it.
fn bound(bounds: &mut Bounds, sum: Linear, open: bool) -> bool {
    let zero = integer(0);
    let extremes = sum.extremes(&zero);
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
    let sum = sum.normalised();
    let new = (sum.constant, open);
    let kept = bounds.entry(sum.terms).or_insert_with(|| new.clone());
    if *kept < new {
        *kept = new;
    }
    true
}

impl LinearSystem {
    /// Substitutes the eliminated variables in a sum.
    fn substituted(&self, sum: &Linear) -> Linear {
        let solved = self.solved.iter();
        solved.fold(sum.clone(), |sum, (variable, is)| sum.with(*variable, is))
    }

    /// Adds a comparison. Returns `false` if it is infeasible by itself. An
    /// equation eliminates a variable, which is added to `eliminated`.
    fn add(
        &mut self,
        sum: &Linear,
        relation: Relation,
        budget: &Budget,
        eliminated: &mut Vec<(Variable, Linear)>,
    ) -> Result<bool, LimitExceeded> {
        budget.work(1)?;
        let sum = self.substituted(sum);
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
                let mut sound = bound(&mut self.bounds, is.negated(), false);
                for (terms, (constant, open)) in before {
                    let sum = Linear { terms, constant }.with(variable, &is);
                    sound &= bound(&mut self.bounds, sum, open);
                }
                self.solved.push((variable, is.clone()));
                eliminated.push((variable, is));
                Ok(sound)
            }
        }
    }

    /// Returns values that satisfy the system; `None` if it is infeasible.
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
                // 0 is a lower bound of every variable.
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

/// The simplest value of a variable between its bounds, given the values of all
/// other variables.
fn between(variable: Variable, about: &[(Linear, bool)], values: &Values) -> Option<Rational> {
    let mut low = (integer(0), false);
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

/// A state of the backtracking search.
#[derive(Debug, Clone, Default)]
struct ModelSearch {
    system: LinearSystem,
    /// The undecided disjunctions.
    open: BTreeSet<Vec<Statement>>,
}

impl ModelSearch {
    /// Adds a statement. Returns `false` if one of its comparisons is infeasible
    /// by itself.
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
                // The quantifier binds no variable.
                Formula::Exists(_, body) => waiting.push(*body),
                Formula::Atom(Comparison {
                    term: sum,
                    relation,
                }) => {
                    let mut eliminated = Vec::new();
                    if !self.system.add(&sum, relation, budget, &mut eliminated)? {
                        return Ok(false);
                    }
                    // Substitute eliminated variables in the open disjunctions.
                    for (variable, is) in eliminated {
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

    /// Returns whether the system with the comparisons of a statement is
    /// feasible. Its disjunctions are ignored.
    fn is_feasible_with(
        &self,
        statement: &Statement,
        budget: &Budget,
    ) -> Result<bool, LimitExceeded> {
        let parts = match statement {
            Formula::And(all) => all.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut system = self.system.clone();
        budget.work(system.bounds.len() as u64)?;
        for part in parts {
            if let Formula::Atom(comparison) = part
                && !system.add(
                    &comparison.term,
                    comparison.relation,
                    budget,
                    &mut Vec::new(),
                )?
            {
                return Ok(false);
            }
        }
        Ok(system.model(budget)?.is_some())
    }

    fn run(mut self, budget: &Budget) -> Result<Option<Values>, LimitExceeded> {
        let fewest = loop {
            let Some(values) = self.system.model(budget)? else {
                return Ok(None);
            };
            // The values of the system may satisfy the open disjunctions.
            let open: Vec<Vec<Statement>> = self.open.iter().cloned().collect();
            if open
                .iter()
                .all(|any| any.iter().any(|part| part.holds(&values)))
            {
                return Ok(Some(values));
            }
            let mut fewest: Option<Vec<Statement>> = None;
            let mut forced = None;
            for any in open {
                let mut left = Vec::new();
                for part in &any {
                    if self.is_feasible_with(part, budget)? {
                        left.push(part.clone());
                    }
                }
                match left.len() {
                    0 => return Ok(None),
                    1 => {
                        forced = left.pop();
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
            match forced {
                Some(part) => {
                    if !self.assume(&part, budget)? {
                        return Ok(None);
                    }
                }
                None => break fewest,
            }
        };
        let Some(any) = fewest else {
            return self.system.model(budget);
        };
        self.open.remove(&any);
        for part in &any {
            let mut chosen = self.clone();
            if chosen.assume(part, budget)?
                && let Some(values) = chosen.run(budget)?
            {
                return Ok(Some(values));
            }
            // The other disjuncts are searched where this one fails.
            if !self.assume(&part.clone().negated(), budget)? {
                return Ok(None);
            }
        }
        Ok(None)
    }
}

/// Substitutes a sum for a variable.
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
