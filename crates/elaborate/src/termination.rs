//! Proof of termination: a measure of the position that every move lowers.
//!
//! A measure is a weighted number of tokens, or several of them in
//! lexicographic order ("termination measure" in `docs/src/glossary.md`). For
//! each move, "the move lowers the weighted total, whatever is chosen" is a
//! linear inequality in the weights. A linear program finds weights that satisfy
//! as many of these inequalities as possible while no other move raises the
//! total. The remaining moves are tried again with new weights, which become the
//! next level of the lexicographic order.
//!
//! The linear program works in floating point. Its weights are therefore rounded
//! to integers, and every inequality is checked again with the integers.

mod token_flow;

use super::{Checker, Problem};
use microlp::{self as linear, ComparisonOp, OptimizationDirection, Variable};
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::HeapId;
use nimrule_model::game::{Move, TerminationMeasure};
use nimrule_model::source::Span;
pub use token_flow::largest_member;
use token_flow::{TokenFlow, token_flow};

impl Checker<'_> {
    /// Finds a termination measure of the moves. Where the file says that
    /// positions may repeat, its absence is not an error.
    pub fn find_termination(&mut self, moves: &[Move]) -> Option<TerminationMeasure> {
        if let Some(digraph) = self.digraph.clone() {
            let passes = moves
                .iter()
                .any(|mover| mover.steps.iter().all(|step| step.least == 0));
            return self.termination_of_slides(&digraph, passes);
        }
        let heaps = self.heap_names.len();
        let flows: Vec<TokenFlow> = moves.iter().map(|m| token_flow(m, self.slots)).collect();
        if let Some(at) = self.may_repeat {
            let still = |flow: &TokenFlow| {
                let idle = flow.takes.iter().all(|take| take.times.0 == 0)
                    && flow.puts.iter().all(|put| put.times.0 == 0);
                idle || unchanged_by(flow, &self.heap_names).is_some()
            };
            let termination = if flows.iter().any(still) {
                None
            } else {
                levels(heaps, &flows).ok()
            };
            return Some(self.termination_or_loopy(termination, at));
        }
        let mut sound = true;
        for (mover, flow) in moves.iter().zip(&flows) {
            if let Some(example) = unchanged_by(flow, &self.heap_names) {
                sound = false;
                self.problem(Problem::MayStandStill {
                    example,
                    fix: "name both heaps and keep them apart: `from one heap as p`, and `on one heap as q where q is not p`",
                    at: mover.span,
                });
            }
        }
        if !sound {
            return None;
        }
        let open = match levels(heaps, &flows) {
            Ok(termination) => return Some(termination),
            Err(open) => open,
        };
        for index in &open {
            // A move that only takes ends by itself; the others keep it open.
            if flows[*index].puts.is_empty() {
                continue;
            }
            let alone = !best_weights(heaps, &[*index], &flows).1.is_empty();
            let takes = flows[*index].takes.iter().any(|take| take.times.0 > 0);
            self.problem(Problem::NeverEnds {
                reason: match (alone, takes) {
                    (true, _) => "this move may give back what another takes",
                    (false, true) => "this move may put down as much as it takes",
                    (false, false) => "this move puts tokens down and need not take any",
                }
                .to_owned(),
                fix: "let every move take more than it puts down, or put only on heaps from \
                      which no move takes tokens back; write `positions may repeat` if play \
                      may not end"
                    .to_owned(),
                at: moves[*index].span,
            });
        }
        None
    }

    /// Warns of `positions may repeat` where play ends nevertheless; otherwise
    /// records that the game is loopy.
    pub fn termination_or_loopy(
        &mut self,
        termination: Option<TerminationMeasure>,
        at: Span,
    ) -> TerminationMeasure {
        match termination {
            Some(termination) => {
                self.problem(Problem::EndsAnyway { at });
                termination
            }
            None => {
                self.loopy = true;
                TerminationMeasure {
                    levels: Vec::new(),
                    more_heaps: false,
                    acyclic: false,
                }
            }
        }
    }
}

impl Checker<'_> {
    /// The measure of a game of sliding tokens: play ends if the digraph has no
    /// cycle, because every move slides at least one token along an arc.
    fn termination_of_slides(
        &mut self,
        digraph: &Digraph,
        passes: bool,
    ) -> Option<TerminationMeasure> {
        let cycles = self.cycles(digraph);
        let termination = TerminationMeasure {
            levels: Vec::new(),
            more_heaps: false,
            acyclic: true,
        };
        match self.may_repeat {
            Some(at) => {
                Some(self.termination_or_loopy((!cycles && !passes).then_some(termination), at))
            }
            None => (!cycles).then_some(termination),
        }
    }
}

/// Weights of the heaps, level by level, such that every move lowers the
/// lexicographic measure.
///
/// # Errors
///
/// The indices of the moves for which no weights were found.
fn levels(heaps: usize, flows: &[TokenFlow]) -> Result<TerminationMeasure, Vec<usize>> {
    if flows.iter().all(|flow| flow.puts.is_empty()) {
        // Every step takes at least one token, so the plain total falls.
        return Ok(TerminationMeasure {
            levels: vec![vec![1; heaps]],
            more_heaps: false,
            acyclic: false,
        });
    }
    let mut open: Vec<usize> = (0..flows.len()).collect();
    let mut levels = Vec::new();
    while !open.is_empty() {
        let (weights, lowered) = best_weights(heaps, &open, flows);
        if lowered.is_empty() {
            return Err(open);
        }
        levels.push(weights);
        open.retain(|index| !lowered.contains(index));
    }
    Ok(TerminationMeasure {
        levels,
        more_heaps: false,
        acyclic: false,
    })
}

/// Describes a choice by which the move leaves the position unchanged.
fn unchanged_by(flow: &TokenFlow, names: &[String]) -> Option<String> {
    let ([take], [put]) = (flow.takes.as_slice(), flow.puts.as_slice()) else {
        return None;
    };
    let linked = flow
        .links
        .iter()
        .find(|link| link.take == 0 && link.put == 0);
    let same_number = match linked {
        Some(_) => true,
        None => {
            // Only where both numbers are fixed are they surely the same.
            let fixed = take.least == take.most && put.least == put.most;
            fixed && take.least == put.least && take.width == 1 && put.width == 1
        }
    };
    if !same_number || take.times.1 != 1 || put.times.1 != 1 {
        return None;
    }
    let back = match linked {
        Some(link) => link
            .pairs
            .iter()
            .find(|(from, to)| from == to)
            .map(|pair| pair.0),
        None => take
            .heaps
            .iter()
            .copied()
            .find(|h| put.heaps.contains(h) && !put.excluded.contains(&take.pick)),
    }?;
    Some(format!(
        "it may put back on `{}` what it took from it",
        names[back.index()]
    ))
}

/// Weights that lower as many of the open moves as possible and raise none,
/// and the moves that they lower.
fn best_weights(heaps: usize, open: &[usize], flows: &[TokenFlow]) -> (Vec<u64>, Vec<usize>) {
    let mut program = linear::Problem::new(OptimizationDirection::Maximize);
    let weights: Vec<Variable> = (0..heaps)
        .map(|_| program.add_var(0.0, (0.0, 1000.0)))
        .collect();
    let mut gains = Vec::new();
    for &index in open {
        let flow = &flows[index];
        // The move loses at least `gain`, whatever is chosen.
        let gain = program.add_var(1.0, (0.0, 1.0));
        let mut balance = vec![(gain, -1.0)];
        let linked_takes: Vec<usize> = flow.links.iter().map(|l| l.take).collect();
        let linked_puts: Vec<usize> = flow.links.iter().map(|l| l.put).collect();
        for (at, take) in flow.takes.iter().enumerate() {
            if linked_takes.contains(&at) || take.times.0 == 0 {
                continue;
            }
            let lowest = program.add_var(0.0, (0.0, 1000.0));
            for heap in &take.heaps {
                program.add_constraint(
                    [(lowest, -1.0), (weights[heap.index()], 1.0)],
                    ComparisonOp::Ge,
                    0.0,
                );
            }
            balance.push((lowest, take.least as f64 * take.times.0 as f64));
        }
        for (at, put) in flow.puts.iter().enumerate() {
            if linked_puts.contains(&at) {
                continue;
            }
            let highest = program.add_var(0.0, (0.0, 1000.0));
            for heap in &put.heaps {
                program.add_constraint(
                    [(highest, 1.0), (weights[heap.index()], -1.0)],
                    ComparisonOp::Ge,
                    0.0,
                );
            }
            match put
                .most
                .checked_mul(i64::try_from(put.times.1).unwrap_or(i64::MAX))
            {
                Some(most) if most < 1_000_000 => balance.push((highest, -(most as f64))),
                // An unbounded number of tokens may be put only on heaps of weight 0.
                _ => program.add_constraint([(highest, 1.0)], ComparisonOp::Le, 0.0),
            }
        }
        for link in &flow.links {
            let difference = program.add_var(0.0, (0.0, 1000.0));
            for (from, to) in &link.pairs {
                if from == to {
                    // What is put back where it came from is no loss.
                    program.add_constraint([(difference, 1.0)], ComparisonOp::Le, 0.0);
                    continue;
                }
                program.add_constraint(
                    [
                        (difference, -1.0),
                        (weights[from.index()], 1.0),
                        (weights[to.index()], -1.0),
                    ],
                    ComparisonOp::Ge,
                    0.0,
                );
            }
            balance.push((difference, flow.takes[link.take].least as f64));
        }
        program.add_constraint(balance.as_slice(), ComparisonOp::Ge, 0.0);
        gains.push(gain);
    }
    let Ok(solution) = program.solve() else {
        return (vec![0; heaps], Vec::new());
    };
    let solved = match solution.into_solution() {
        Ok(solution) => solution,
        Err(_) => return (vec![0; heaps], Vec::new()),
    };
    let floats: Vec<f64> = weights.iter().map(|w| solved[*w]).collect();
    for scale in [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 12.0, 60.0, 420.0, 2520.0] {
        let rounded: Vec<u64> = floats.iter().map(|w| (w * scale).round() as u64).collect();
        let results: Vec<Option<bool>> = open
            .iter()
            .map(|index| lowers(&flows[*index], &rounded))
            .collect();
        if results.iter().all(Option::is_some) && results.contains(&Some(true)) {
            let lowered = open
                .iter()
                .zip(&results)
                .filter(|(_, r)| **r == Some(true))
                .map(|(i, _)| *i)
                .collect();
            return (without_common_factor(rounded), lowered);
        }
    }
    (vec![0; heaps], Vec::new())
}

/// Divides the weights by their greatest common divisor.
fn without_common_factor(weights: Vec<u64>) -> Vec<u64> {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    let common = weights.iter().fold(0, |d, w| gcd(d, *w)).max(1);
    weights.into_iter().map(|w| w / common).collect()
}

/// Whether every choice of the move lowers the weighted total (`Some(true)`),
/// or at least does not raise it (`Some(false)`). Exact.
fn lowers(flow: &TokenFlow, weights: &[u64]) -> Option<bool> {
    let weight = |heap: &HeapId| i128::from(weights[heap.index()]);
    let mut loss = 0_i128;
    for (at, take) in flow.takes.iter().enumerate() {
        if !flow.links.iter().any(|l| l.take == at) {
            let lowest = take.heaps.iter().map(weight).min().unwrap_or(0);
            loss += lowest * i128::from(take.least) * i128::from(take.times.0);
        }
    }
    for (at, put) in flow.puts.iter().enumerate() {
        if !flow.links.iter().any(|l| l.put == at) {
            let highest = put.heaps.iter().map(weight).max().unwrap_or(0);
            loss -= highest * i128::from(put.most) * i128::from(put.times.1);
        }
    }
    for link in &flow.links {
        let difference = link
            .pairs
            .iter()
            .map(|(from, to)| weight(from) - weight(to))
            .min()
            .unwrap_or(0);
        if difference < 0 {
            return None;
        }
        loss += difference * i128::from(flow.takes[link.take].least);
    }
    (loss >= 0).then_some(loss > 0)
}
