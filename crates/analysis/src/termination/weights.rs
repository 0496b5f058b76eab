//! Weights of the heaps that lower as many instances as possible and raise none.

use super::instances::{Instance, Term};
use super::state::ByHeap;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use nimrule_model::expr::HeapId;
use num_integer::Integer;
use std::collections::BTreeMap;

/// The largest weight that the linear program may choose. Where it is too small,
/// as for a loss of one token of a heap against many of another at each place of a
/// row, single heaps are better levels.
const MAX_WEIGHT: f64 = 1000.0;

/// With more instances the single heaps are tried before the linear program: with
/// the first number for the first level, and with the second for later ones, of
/// which there may be many.
const FEW_INSTANCES: [usize; 2] = [1000, 100];

/// Whether the weights lower every instance.
pub fn lower_all(instances: &[Instance], weights: &[i64]) -> bool {
    instances
        .iter()
        .all(|instance| instance.least_loss(weights).is_some_and(|loss| loss >= 1))
}

/// Weights that lower some instance and raise none; for the first level or a later
/// one. Only a heap of `bounded` size may have a negative weight, so that the
/// weighted total has a lower bound.
pub fn next_level(bounded: &[bool], instances: &[Instance], is_first: bool) -> Option<Vec<i64>> {
    falling_level(bounded.len(), instances, is_first).or_else(|| {
        let rising = |heaps: &dyn Fn(usize) -> bool| -> Vec<i64> {
            let places = bounded.iter().enumerate();
            places
                .map(|(heap, bounded)| -i64::from(*bounded && heaps(heap)))
                .collect()
        };
        let all = rising(&|_| true);
        let single = (0..bounded.len()).map(|one| rising(&|heap| heap == one));
        let mut levels = std::iter::once(all).chain(single);
        levels.find(|weights| is_level(instances, weights))
    })
}

/// Weights of at least 0 that lower some instance and raise none.
fn falling_level(heaps: usize, instances: &[Instance], is_first: bool) -> Option<Vec<i64>> {
    let ones = vec![1; heaps];
    if lower_all(instances, &ones) {
        return Some(ones);
    }
    let single = || single_heap(heaps, instances);
    if instances.len() > FEW_INSTANCES[usize::from(!is_first)]
        && let Some(weights) = single()
    {
        return Some(weights);
    }
    by_linear_programs(heaps, instances, single)
}

/// Whether the weights lower some instance and raise none. Exact.
fn is_level(instances: &[Instance], weights: &[i64]) -> bool {
    let mut lowered = false;
    for instance in instances {
        match instance.least_loss(weights) {
            Some(loss) if loss >= 0 => lowered |= loss >= 1,
            _ => return false,
        }
    }
    lowered
}

/// The weights of a single heap, of which some instance loses tokens and to which
/// none adds any.
fn single_heap(heaps: usize, instances: &[Instance]) -> Option<Vec<i64>> {
    let mut weights = vec![0; heaps];
    let mut is_lowered = vec![false; heaps];
    let mut is_raised = vec![false; heaps];
    for instance in instances {
        for heap in instance.heaps() {
            let heap = heap.index();
            weights[heap] = 1;
            match instance.least_loss(&weights) {
                Some(loss) if loss >= 0 => is_lowered[heap] |= loss >= 1,
                _ => is_raised[heap] = true,
            }
            weights[heap] = 0;
        }
    }
    let heap = (0..heaps).find(|heap| is_lowered[*heap] && !is_raised[*heap])?;
    weights[heap] = 1;
    Some(weights)
}

/// Two linear programs: the first finds the instances that can be lowered, the
/// second the smallest weights that lower them. `single` finds a single heap.
fn by_linear_programs(
    heaps: usize,
    instances: &[Instance],
    single: impl Fn() -> Option<Vec<i64>>,
) -> Option<Vec<i64>> {
    let mut program = Program::new(heaps, OptimizationDirection::Maximize, 0.0);
    let gains: Vec<Variable> = instances
        .iter()
        .map(|instance| {
            let gain = program.problem.add_var(1.0, (0.0, 1.0));
            program.loses(instance, Some(gain), 0.0);
            gain
        })
        .collect();
    let Some((first, gained)) = program.solve(&gains) else {
        return single();
    };
    // Larger weights would lower more.
    let is_limited = gained.iter().any(|gain| (1e-3..0.99).contains(gain));
    if is_limited && let Some(weights) = single() {
        return Some(weights);
    }
    let lowered: Vec<bool> = gained.iter().map(|gain| *gain > 1e-3).collect();
    if !lowered.contains(&true) {
        return None;
    }
    let mut program = Program::new(heaps, OptimizationDirection::Minimize, 1.0);
    for (instance, lowered) in instances.iter().zip(&lowered) {
        program.loses(instance, None, f64::from(u8::from(*lowered)));
    }
    let second = program.solve(&[]).map(|(weights, _)| weights);
    [second, Some(first)]
        .into_iter()
        .flatten()
        .find_map(|weights| rounded(&weights, instances))
        .or_else(single)
}

/// A sum of multiples of weights and of other variables.
#[derive(Default)]
struct Loss {
    weights: BTreeMap<HeapId, f64>,
    others: Vec<(Variable, f64)>,
}

impl Loss {
    fn add(&mut self, by_heap: &ByHeap, times: i128) {
        for (heap, number) in by_heap {
            *self.weights.entry(*heap).or_insert(0.0) += (times * number) as f64;
        }
    }
}

/// A linear program in the weights.
struct Program {
    problem: Problem,
    weights: Vec<Variable>,
}

impl Program {
    fn new(heaps: usize, direction: OptimizationDirection, cost: f64) -> Program {
        let mut problem = Problem::new(direction);
        let weights = (0..heaps)
            .map(|_| problem.add_var(cost, (0.0, MAX_WEIGHT)))
            .collect();
        Program { problem, weights }
    }

    /// Requires that an instance loses at least `gain + least`.
    fn loses(&mut self, instance: &Instance, gain: Option<Variable>, least: f64) {
        let mut balance = Loss::default();
        balance.others.extend(gain.map(|gain| (gain, -1.0)));
        for term in &instance.terms {
            let mut ends = term.ends();
            if term.is_natural() && term.low.is_some_and(|low| low >= 0) {
                // The weights are at least 0.
                ends.truncate(1);
            }
            if let [(end, false)] = ends.as_slice() {
                self.add(&mut balance, term, *end);
                continue;
            }
            // The loss of the term is at least `lowest`, at either end.
            let lowest = (!term.is_least_at_zero()).then(|| self.unbounded());
            for (end, infinite) in ends {
                if end == 0 && lowest.is_none() {
                    continue;
                }
                let mut loss = Loss::default();
                self.add(&mut loss, term, end);
                if let (false, Some(lowest)) = (infinite, lowest) {
                    loss.others.push((lowest, -1.0));
                }
                self.at_least(&loss, 0.0);
            }
            balance.others.extend(lowest.map(|lowest| (lowest, 1.0)));
        }
        self.at_least(&balance, least);
    }

    fn unbounded(&mut self) -> Variable {
        self.problem
            .add_var(0.0, (f64::NEG_INFINITY, f64::INFINITY))
    }

    /// Adds the loss of a term at k = `end`.
    fn add(&mut self, loss: &mut Loss, term: &Term, end: i128) {
        loss.add(&term.fixed, end);
        for list in &term.alternatives {
            let smallest = self.unbounded();
            for by_heap in list {
                let mut alternative = Loss::default();
                alternative.add(by_heap, end);
                alternative.others.push((smallest, -1.0));
                self.at_least(&alternative, 0.0);
            }
            loss.others.push((smallest, 1.0));
        }
    }

    fn at_least(&mut self, loss: &Loss, least: f64) {
        let weights = loss.weights.iter();
        let weights = weights.map(|(heap, number)| (self.weights[heap.index()], *number));
        let sum: Vec<(Variable, f64)> = weights.chain(loss.others.iter().copied()).collect();
        self.problem.add_constraint(sum, ComparisonOp::Ge, least);
    }

    /// The weights of a solution, and its values of other variables.
    fn solve(self, others: &[Variable]) -> Option<(Vec<f64>, Vec<f64>)> {
        let solution = self.problem.solve().ok()?.into_solution().ok()?;
        let values = |variables: &[Variable]| variables.iter().map(|v| solution[*v]).collect();
        Some((values(&self.weights), values(others)))
    }
}

/// The weights as integers that lower some instance and raise none.
fn rounded(weights: &[f64], instances: &[Instance]) -> Option<Vec<i64>> {
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 12.0, 60.0, 420.0, 2520.0]
        .into_iter()
        .map(|scale| {
            let scaled = weights.iter().map(|weight| (weight * scale).round() as i64);
            scaled.collect::<Vec<i64>>()
        })
        .find(|weights| is_level(instances, weights))
        .map(without_common_factor)
}

/// Divides the weights by their greatest common divisor.
fn without_common_factor(weights: Vec<i64>) -> Vec<i64> {
    let common = weights.iter().fold(0, |d: i64, w| d.gcd(w)).max(1);
    weights.into_iter().map(|w| w / common).collect()
}
