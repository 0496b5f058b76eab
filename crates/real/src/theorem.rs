//! The decision of independence and absorption over the reals, and witnesses of
//! their failure.
//!
//! A labelling is consistent with a rule if no P-position has a move to a
//! P-position, and every N-position has a move to a P-position. Both conditions
//! are universal problem over the sizes. The decision eliminates the amounts
//! of the moves, and searches for sizes that violate the rest. If play
//! terminates, the only consistent labelling is that of the P- and N-positions.
//!
//! A witness is the simplest position found at which the labelling is wrong:
//! sizes that are integers are tried first, then multiples of 1/2, 1/3 and 1/4,
//! each in the order of their total. If none of them is a witness, the position
//! that the decision procedure returned is reported.

use super::Budget;
use super::eliminate::{Statement, exists};
use super::fields::{Fields, RealProblem, SizeFormula};
use super::formula::{Comparisons, Formula, Relation};
use super::model::{model, with};
use super::number::{
    Linear, Polynomial, Rational, Term, Values, Variable, first_free, integer, of_heap,
    of_heap_after, value_of,
};
use super::scale::Scales;
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::game::Convention;
use nimrule_symbolic::ProveError;
use nimrule_symbolic::Transition;
use nimrule_symbolic::Unsupported;
use num_bigint::BigInt;

/// A rule and a claim, as statements about the measures of sizes.
pub struct Theorem {
    pub scales: Scales,
    pub positions: Statement,
    /// The P-positions, as claimed, among all sizes.
    pub set: Statement,
    /// The transitions: each relates the sizes before a move to those after it,
    /// which form a position, and lists the heaps that it may change.
    pub moves: Vec<(Statement, Vec<usize>)>,
    pub budget: Budget,
}

/// The positions that violate one condition of a consistent labelling, or of a cogame.
#[derive(Debug, Clone)]
pub enum Violations {
    /// P-positions with a move to a P-position.
    OfIndependence(Statement),
    /// N-positions without a move to a P-position.
    OfAbsorption(Statement),
    /// Terminal P-positions, in misère play.
    Terminal(Statement),
    /// N-positions that are no options of P-positions, where a cogame is claimed.
    OfCogame(Statement),
}

impl Theorem {
    /// Chooses the measures, and rewrites the rule and the claim to them.
    ///
    /// # Errors
    ///
    /// A statement is not linear in the measures, or a limit is exceeded.
    pub fn new(problem: &RealProblem, limits: &Limits) -> Result<Theorem, ProveError> {
        let budget = Budget::new(limits);
        let heaps = problem.heaps();
        let scales = Scales::inferred(heaps, [&problem.set, &problem.positions].into_iter());
        let nonlinear = |polynomial: Polynomial| {
            let what = "sizes are multiplied, and no monotone change of scale turns the \
                        products into sums";
            let at = problem.products.product_in(&polynomial);
            Unsupported::new(what, at.unwrap_or(problem.span))
        };
        let positions = scales.rewrite(&problem.positions).map_err(nonlinear)?;
        let set = scales.rewrite(&problem.set).map_err(nonlinear)?;
        let mut theorem = Theorem {
            scales,
            positions,
            set,
            moves: Vec::new(),
            budget,
        };
        for part in &problem.moves {
            let restricted = theorem.transition(part, problem)?;
            if restricted.0 != Formula::Const(false) {
                theorem.moves.push(restricted);
            }
        }
        Ok(theorem)
    }

    /// A transition between positions, as a relation between measures, and the
    /// heaps that it may change.
    fn transition(
        &self,
        part: &Transition<Fields>,
        problem: &RealProblem,
    ) -> Result<(Statement, Vec<usize>), ProveError> {
        let linear = without_amounts(part, &self.budget)?.map_err(|polynomial| {
            let at = problem.products.product_in(&polynomial);
            let what = "the rule multiplies sizes or amounts";
            Unsupported::new(what, at.unwrap_or(part.span))
        })?;
        let measured = if self.scales.are_sizes() {
            linear
        } else {
            let formula = of_linear(&linear);
            self.scales.rewrite(&formula).map_err(|_| Unsupported {
                also: Some(part.span),
                ..Unsupported::new(
                    "the claim needs another scale of sizes, in which this move changes its form",
                    problem.product_in_claim().unwrap_or(problem.span),
                )
            })?
        };
        let reached = self.after_move(&self.positions, &part.touched);
        Ok((Formula::and([measured, reached]), part.touched.clone()))
    }

    /// The statement with the sizes after a move in place of those before it.
    pub fn after_move(&self, statement: &Statement, touched: &[usize]) -> Statement {
        renamed(statement, &|variable| {
            let heap = (variable / 2) as usize;
            match touched.contains(&heap) {
                true => of_heap_after(heap),
                false => variable,
            }
        })
    }

    /// For each transition its moves into the claimed set, with the variables of
    /// the sizes after the move.
    pub fn moves_into_set(&self) -> Vec<(Statement, Vec<Variable>)> {
        let moves = self.moves.iter().map(|(relation, touched)| {
            let into = Formula::and([relation.clone(), self.after_move(&self.set, touched)]);
            (into, touched.iter().map(|h| of_heap_after(*h)).collect())
        });
        moves.collect()
    }

    /// The sets of the P-positions and the N-positions of the labelling.
    pub fn labelled(&self) -> (Statement, Statement) {
        let among = |set: Statement| Formula::and([self.positions.clone(), set]);
        (among(self.set.clone()), among(self.set.clone().negated()))
    }

    pub fn is_satisfiable(&self, statement: &Statement) -> Result<bool, LimitExceeded> {
        Ok(model(statement, &self.budget)?.is_some())
    }

    /// The P-positions with a move to a P-position; `None` if there are none.
    pub fn dependent(&self) -> Result<Option<Violations>, LimitExceeded> {
        let (p_positions, _) = self.labelled();
        let mut dependent = Vec::new();
        for (into, after) in self.moves_into_set() {
            let moves = Formula::and([p_positions.clone(), into]);
            if self.is_satisfiable(&moves)? {
                dependent.push(exists(&after, &moves, &self.budget)?);
            }
        }
        Ok((!dependent.is_empty()).then(|| Violations::OfIndependence(Formula::or(dependent))))
    }

    /// The positions that violate the first condition that does not hold; `None`
    /// if the labelling is consistent.
    pub fn violations(&self, convention: Convention) -> Result<Option<Violations>, LimitExceeded> {
        let (p_positions, n_positions) = self.labelled();
        let moves_into_set = self.moves_into_set();
        if let Some(dependent) = self.dependent()? {
            return Ok(Some(dependent));
        }
        let mut rest = vec![n_positions];
        if convention == Convention::Misere {
            let mut nonterminal = Vec::new();
            for (relation, touched) in &self.moves {
                let after: Vec<Variable> = touched.iter().map(|h| of_heap_after(*h)).collect();
                nonterminal.push(exists(&after, relation, &self.budget)?);
            }
            let nonterminal = Formula::or(nonterminal);
            let terminal = Formula::and([p_positions, nonterminal.clone().negated()]);
            if self.is_satisfiable(&terminal)? {
                return Ok(Some(Violations::Terminal(terminal)));
            }
            rest.push(nonterminal);
        }
        for (into, after) in &moves_into_set {
            rest.push(exists(after, into, &self.budget)?.negated());
        }
        let unabsorbed = Formula::and(rest);
        Ok(self
            .is_satisfiable(&unabsorbed)?
            .then_some(Violations::OfAbsorption(unabsorbed)))
    }
}

/// A positive amount by which every move decreases the total of the sizes;
/// `None` if there is none. Such an amount implies termination. The conditions
/// on positions are not assumed.
pub fn least_decrease(
    problem: &RealProblem,
    budget: &Budget,
) -> Result<Option<Rational>, LimitExceeded> {
    // The amount is one more variable.
    let least = first_free(problem.heaps());
    let mut small = Vec::new();
    for part in &problem.moves {
        let Ok(relation) = without_amounts(part, budget)? else {
            return Ok(None);
        };
        let mut lower = Linear::constant(integer(0));
        let mut all = Vec::new();
        for heap in &part.touched {
            let (before, after) = (of_heap(*heap), of_heap_after(*heap));
            lower = lower.plus(&Linear::variable(before).minus(&Linear::variable(after)));
            all.push(after);
        }
        let too_little = lower.minus(&Linear::variable(least));
        let relation = Formula::and([relation, Formula::compare(too_little, Relation::Negative)]);
        all.extend((0..problem.heaps()).map(of_heap));
        small.push(exists(&all, &relation, budget)?);
    }
    let some = Formula::compare(Linear::variable(least).negated(), Relation::Negative);
    let found = model(&Formula::and([some, Formula::or(small).negated()]), budget)?;
    Ok(found.and_then(|values| values.get(&least).cloned()))
}

/// Eliminates the amounts of a transition. The inner error is a term that is not
/// linear.
pub fn without_amounts(
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

/// A statement about sizes as one whose terms are polynomials.
pub fn of_linear(statement: &Statement) -> SizeFormula {
    let done: Result<SizeFormula, std::convert::Infallible> = statement
        .mapped(&mut |sum, relation| Ok(Formula::compare(Polynomial::of_linear(sum), relation)));
    match done {
        Ok(done) => done,
        Err(never) => match never {},
    }
}

/// Renames the variables of a statement by an injective function.
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

/// Checks that every expression has a value at every position.
pub fn check_no_faults(
    problem: &RealProblem,
    scales: &Scales,
    budget: &Budget,
) -> Result<(), ProveError> {
    for fault in &problem.faults {
        let unsure = |_: Polynomial| {
            let what = "whether this always has a value is not decided";
            ProveError::from(Unsupported::fault(what, fault.span))
        };
        let condition = scales.rewrite(&fault.condition).map_err(unsure)?;
        let positions = scales.rewrite(&problem.positions).map_err(unsure)?;
        if model(&Formula::and([condition, positions]), budget)?.is_some() {
            return Err(fault.refused().or_at(problem.span).into());
        }
    }
    Ok(())
}

/// A position with heaps of real size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The sizes, or their measures.
    pub sizes: Vec<Rational>,
    /// The measures as expressions, such as `x*x`, if the numbers are not the
    /// sizes.
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

/// A position at which a labelling is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The position.
    pub position: Position,
    /// The condition that fails there.
    pub violation: Violation,
}

/// The condition of a consistent labelling, or of a cogame, that fails at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// Independence: the position and this option of it are claimed P.
    MoveToP(Position),
    /// Absorption: the position is claimed N, and no option of it is claimed P.
    NoMoveToP,
    /// The position is claimed P, but is terminal, in misère play.
    TerminalP,
    /// Of a cogame: the position is claimed N, and is no option of one that is claimed P.
    NotFromP,
    /// Of a cogame: the position is claimed P, and is an option of this one, which is too.
    FromP(Position),
}

impl Witness {
    /// The violation in one line.
    pub fn words(&self) -> String {
        match &self.violation {
            Violation::MoveToP(option) => {
                format!("claimed P, with a move to {option}, which is also claimed P")
            }
            Violation::NoMoveToP => {
                "claimed N, and no move leads to a position that is claimed P".to_owned()
            }
            Violation::TerminalP => {
                "claimed P, and without a move it is N under misere play".to_owned()
            }
            Violation::NotFromP => {
                "claimed N, and no move leads to it from a position that is claimed P".to_owned()
            }
            Violation::FromP(from) => {
                format!("claimed P, with a move to it from {from}, which is also claimed P")
            }
        }
    }
}

/// The number of positions that are tried for each denominator.
const MAX_TRIED: usize = 2_000;

/// The denominators that are tried.
const DENOMINATORS: [i64; 4] = [1, 2, 3, 4];

/// Finds a simple position among the violations. `first` is tried before all
/// others. Returns `None` if no option is found that shows the violation.
pub fn witness(
    theorem: &Theorem,
    violations: &Violations,
    names: &[String],
    first: Option<&[u64]>,
) -> Result<Option<Witness>, LimitExceeded> {
    let statement = match violations {
        Violations::OfIndependence(at)
        | Violations::OfAbsorption(at)
        | Violations::Terminal(at)
        | Violations::OfCogame(at) => at,
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
    let violation = match violations {
        Violations::OfAbsorption(_) => Violation::NoMoveToP,
        Violations::Terminal(_) => Violation::TerminalP,
        Violations::OfCogame(_) => Violation::NotFromP,
        Violations::OfIndependence(_) => match option(theorem, &sizes, &values)? {
            None => return Ok(None),
            Some((sizes, values)) => Violation::MoveToP(position(sizes, &values)),
        },
    };
    Ok(Some(Witness {
        position: here,
        violation,
    }))
}

/// The expressions of the measures; `None` if they are the sizes.
fn measured(theorem: &Theorem, names: &[String]) -> Option<Vec<String>> {
    theorem.scales.words(names)
}

/// A solution: the sizes, if they are known, and the values of their measures.
type Solution = (Option<Vec<Rational>>, Values);

/// An option that is claimed P of a position that is claimed P.
fn option(
    theorem: &Theorem,
    sizes: &Option<Vec<Rational>>,
    values: &Values,
) -> Result<Option<Solution>, LimitExceeded> {
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

/// The simplest sizes of the given heaps that satisfy a statement about their
/// measures. The statement has no other variables.
fn simplest(
    theorem: &Theorem,
    statement: &Statement,
    heaps: &[usize],
    variable: impl Fn(usize) -> Variable,
    first: Option<Vec<Rational>>,
) -> Result<Option<Solution>, LimitExceeded> {
    if *statement == Formula::Const(false) {
        return Ok(None);
    }
    let measures = |sizes: &[Rational]| -> Values {
        let all = heaps.iter().zip(sizes);
        all.map(|(heap, size)| (variable(*heap), theorem.scales.measures[*heap].of(size)))
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
        let parts = integer(denominator).recip();
        for counts in by_total(heaps.len(), MAX_TRIED) {
            theorem.budget.work(size)?;
            let sizes: Vec<Rational> = counts
                .iter()
                .map(|count| integer(*count) * &parts)
                .collect();
            let values = measures(&sizes);
            if statement.holds(&values) {
                return Ok(Some((Some(sizes), values)));
            }
        }
    }
    let found = model(statement, &theorem.budget)?;
    Ok(found.map(|values| {
        // The values are the sizes if the measures are.
        let sizes = theorem.scales.are_sizes().then(|| {
            let sizes = heaps.iter();
            sizes
                .map(|heap| value_of(&values, variable(*heap)))
                .collect()
        });
        (sizes, values)
    }))
}

/// The first `most` tuples of natural numbers, in the order of their sums, then
/// in lexicographic order.
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
        let mut complete = row.clone();
        complete.extend((left == 1).then_some(total));
        all.push(complete);
        return;
    }
    for first in 0..=total {
        row.push(first);
        with_total(left - 1, total - first, most, row, all);
        row.pop();
    }
}
