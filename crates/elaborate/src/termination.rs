//! Proof of termination: a measure of the position that every move lowers.
//!
//! A measure is a weighted number of tokens, or several of them in
//! lexicographic order ("termination measure" in `docs/src/glossary.md`). For
//! each instance of a move ([`instances`]), "the move lowers the weighted total,
//! whatever the amounts" is a system of linear inequalities in the weights. A
//! linear program finds weights that satisfy as many of these systems as possible
//! while no other instance raises the total. The remaining instances are tried
//! again with new weights, which become the next level of the lexicographic order.
//!
//! The linear program works in floating point. Its weights are therefore rounded
//! to integers, and every inequality is checked again with the integers.

mod affine;
mod instances;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod weights;

use super::{Checker, Problem};
use instances::{Instance, instances, merged_instances};
use miette::LabeledSpan;
use nimrule_checker::VerifyError;
use nimrule_limits::{Instant, Limits};
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::{Arithmetic, Bool, Expr, Fold, HeapId, List, Num, Order};
use nimrule_model::game::{Action, Game, Move, TerminationMeasure};
use nimrule_model::source::Span;
use search::{Line, Rule, Search};
use std::time::Duration;
use weights::{lower_all, next_level};

/// The time and the memory in bytes for the verification of a measure.
const MEASURE_TIME: Duration = Duration::from_secs(30);
const MEASURE_MEMORY: u64 = 1 << 23;

impl Checker<'_> {
    /// Finds a termination measure of the moves. Where the file says that
    /// positions may repeat, its absence is not an error.
    pub fn find_termination(&mut self, moves: &[Move]) -> Option<TerminationMeasure> {
        if let Some((named, at)) = self.measure.clone() {
            if let Some(repeats) = self.may_repeat {
                self.problem(Problem::Measure {
                    what: "`play ends by` contradicts `positions may repeat`".to_owned(),
                    label: "play ends".to_owned(),
                    more: Some(labelled(repeats, "play need not end")),
                    fix: "remove one of the two statements",
                    at,
                });
                return None;
            }
            let levels = self.verified_weights(&named, moves);
            return Some(TerminationMeasure {
                // Other measures are verified when the rule is complete.
                named: if levels.is_empty() { named } else { Vec::new() },
                levels,
                more_heaps: false,
                acyclic: false,
            });
        }
        if let Some(digraph) = self.digraph.clone() {
            let passes = moves
                .iter()
                .any(|mover| mover.steps.iter().all(|step| step.least == 0));
            return self.termination_of_slides(&digraph, passes);
        }
        if self.heap_kinds.is_some() {
            return self.termination_of_multisets(moves);
        }
        let positions = self.positions.as_ref();
        let bounded = bounded_heaps(self.heap_names.len(), positions);
        let found = levels(&bounded, moves, positions, self.slots);
        if let Some(at) = self.may_repeat {
            return Some(self.termination_or_loopy(found.ok(), at));
        }
        match found {
            Ok(termination) => Some(termination),
            Err(open) => {
                self.no_termination(moves, &open);
                None
            }
        }
    }

    /// The weights of the heaps in a measure that is a weighted sum, if every instance
    /// of a move lowers it: a faster verification than that of the checker, which need not
    /// succeed. No weights if it does not.
    fn verified_weights(&self, named: &[Expr<Num>], moves: &[Move]) -> Vec<Vec<i64>> {
        let fixed = self.digraph.is_none() && self.heap_kinds.is_none() && !self.real;
        let [number] = named else {
            return Vec::new();
        };
        let mut weights = vec![0; self.heap_names.len()];
        let is_sum = add_weights(number, 1, &mut weights).is_some_and(|constant| constant >= 0);
        if !fixed || !is_sum || weights.iter().any(|weight| *weight < 0) {
            return Vec::new();
        }
        let positions = self.positions.as_ref();
        let lower =
            |mover: &Move| lower_all(&instances(mover, positions, self.slots).instances, &weights);
        match moves.iter().all(lower) {
            true => vec![weights],
            false => Vec::new(),
        }
    }

    /// Verifies that every move lowers the measure that the file names.
    pub fn verify_measure(&mut self, game: &Game) {
        let named = &game.termination.named;
        let Some(&(_, at)) = self.measure.as_ref().filter(|_| !named.is_empty()) else {
            return;
        };
        let limits = Limits {
            deadline: Some(Instant::now() + MEASURE_TIME),
            ..Limits::of_memory(MEASURE_MEMORY)
        };
        let measure = match named.as_slice() {
            [_] => "the number",
            _ => "the numbers, in lexicographic order",
        };
        let (what, label, fix) = match nimrule_checker::verify_measure(game, named, &limits) {
            Ok(()) => return,
            Err(VerifyError::Termination(position)) => (
                "a move need not lower the termination measure".to_owned(),
                format!("a move from {position} does not lower {measure}"),
                "name numbers that every move lowers",
            ),
            Err(VerifyError::NegativeMeasure(position)) => (
                "the termination measure may be negative".to_owned(),
                format!("negative at {position}, from which there is a move"),
                "add a constant, so that no number is negative where a move can be made",
            ),
            Err(VerifyError::Unsupported(unsupported)) => (
                format!("the termination measure cannot be verified: {unsupported}"),
                "not verified".to_owned(),
                "only sums, differences, multiples, `max`, `min`, `if` and the like can be \
                 verified, for a fixed number of heaps of whole numbers; remove the statement \
                 if play ends without it",
            ),
            Err(other) => (
                format!("the termination measure cannot be verified: {other}"),
                "not verified".to_owned(),
                "name simpler numbers",
            ),
        };
        self.problem(Problem::Measure {
            what,
            label,
            more: None,
            fix,
            at,
        });
    }

    /// Reports moves for which there is no termination measure: with a line of
    /// play after which no heap has fewer tokens, if the search finds one.
    fn no_termination(&mut self, moves: &[Move], open: &Open) {
        let positions = self.positions.clone();
        let rule = Rule {
            moves,
            positions: positions.as_ref(),
            heaps: self.heap_names.len(),
            slots: self.slots,
            picks: self.picks,
        };
        let searches = !self.real && self.shrinking.is_none();
        let mut search = Search::new(rule);
        let mut stands_still = false;
        for &index in open.moves.iter().filter(|_| searches) {
            let Some(line) = search.line(&[index], 1) else {
                continue;
            };
            if line.positions[0] != line.positions[1] {
                continue;
            }
            stands_still = true;
            let (example, fix) = match line.only_heap {
                Some(heap) => (
                    format!(
                        "it may put back on `{}` what it took from it",
                        self.heap_names[heap.index()]
                    ),
                    "name both heaps and keep them apart: `from one heap as p`, and `on one heap as q where q is not p`",
                ),
                None => (
                    format!("it may leave {} as it is", shown(&line.positions[0])),
                    "forbid these choices with a condition, `where` or `when`",
                ),
            };
            self.problem(Problem::MayStandStill {
                example,
                fix,
                at: moves[index].span,
            });
        }
        if stands_still {
            return;
        }
        let line = if searches {
            search.line(&open.moves, usize::MAX)
        } else {
            None
        };
        let mut fix = "let every move take more than it puts down, or put only on heaps from \
                       which no move takes tokens back; or name what every move lowers, with \
                       `play ends by`; write `positions may repeat` if play may not end"
            .to_owned();
        let labels = match line {
            Some(line) => labels_of(&line, moves),
            None => {
                let tried = if open.merged {
                    "the program looked for weights of the heaps; there are too many choices to \
                     examine each by itself"
                } else {
                    "the program looked for weights of the heaps, in lexicographic order"
                };
                fix = format!("{tried}; {fix}");
                let only_takes = |index: &&usize| {
                    let mut steps = moves[**index].steps.iter();
                    !steps.all(|step| matches!(step.action, Action::Take { .. }))
                };
                open.moves
                    .iter()
                    .filter(only_takes)
                    .map(|index| {
                        let words = "no termination measure was found for this move";
                        labelled(moves[*index].span, words)
                    })
                    .collect()
            }
        };
        self.problem(Problem::NeverEnds { fix, moves: labels });
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
                    named: Vec::new(),
                    more_heaps: false,
                    acyclic: false,
                }
            }
        }
    }
}

impl Checker<'_> {
    /// The measure of a game of multisets of heaps.
    fn termination_of_multisets(&mut self, moves: &[Move]) -> Option<TerminationMeasure> {
        let found = fewer_tokens(moves, self.positions.as_ref(), self.slots);
        if let Some(at) = self.may_repeat {
            return Some(self.termination_or_loopy(found.ok(), at));
        }
        let open = match found {
            Ok(termination) => return Some(termination),
            Err(open) => open,
        };
        for index in open {
            let mut steps = moves[index].steps.iter();
            let puts = steps.any(|step| matches!(step.action, Action::Put { .. }));
            let label = match puts {
                true => "this move may put down as much as it takes",
                false => "this move need not lower the number of tokens",
            };
            self.problem(Problem::NeverEnds {
                fix: "let every move take more than it puts down; write `positions may \
                      repeat` if play may not end"
                    .to_owned(),
                moves: vec![labelled(moves[index].span, label)],
            });
        }
        None
    }

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
            named: Vec::new(),
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
/// The moves for which no weights were found.
fn levels(
    bounded: &[bool],
    moves: &[Move],
    positions: Option<&Expr<Bool>>,
    slots: usize,
) -> Result<TerminationMeasure, Open> {
    let measure = |levels| TerminationMeasure {
        levels,
        named: Vec::new(),
        more_heaps: false,
        acyclic: false,
    };
    let ones = vec![1; bounded.len()];
    if moves.iter().all(only_takes) {
        // Every step takes at least one token, so the plain total falls.
        return Ok(measure(vec![ones]));
    }
    let mut merged = moves
        .iter()
        .flat_map(|mover| merged_instances(mover, positions, slots));
    if merged.all(|instance| lower_all(&[instance], &ones)) {
        return Ok(measure(vec![ones]));
    }
    let mut open: Vec<(usize, Instance)> = Vec::new();
    let mut merged = false;
    for (index, mover) in moves.iter().enumerate() {
        let found = instances(mover, positions, slots);
        merged |= found.merged;
        open.extend(found.instances.into_iter().map(|found| (index, found)));
    }
    match lexicographic(bounded, open) {
        // No move can ever be made.
        Ok(levels) if levels.is_empty() => Ok(measure(vec![ones])),
        Ok(levels) => Ok(measure(levels)),
        Err(moves) => Err(Open { moves, merged }),
    }
}

/// The measure of multisets of heaps, in lexicographic order: the number of tokens, and the
/// number of heaps, which is at most the number of tokens. Every move lowers the first, or
/// keeps it and raises the second.
///
/// # Errors
///
/// The moves of which that is not known, ascending.
fn fewer_tokens(
    moves: &[Move],
    positions: Option<&Expr<Bool>>,
    slots: usize,
) -> Result<TerminationMeasure, Vec<usize>> {
    let mut more_heaps = false;
    let mut ends = |mover: &Move| {
        only_takes(mover)
            || instances(mover, positions, slots)
                .instances
                .iter()
                .all(|instance| {
                    let mut heaps = instance.heaps();
                    heaps.extend(&instance.lose_more);
                    let ones = vec![1; heaps.last().map_or(0, |heap| heap.index() + 1)];
                    let keeps = instance.more_heaps && instance.least_loss(&ones) == Some(0);
                    more_heaps |= keeps;
                    keeps || instance.least_loss(&ones) >= Some(1)
                })
    };
    let open: Vec<usize> = (0..moves.len())
        .filter(|index| !ends(&moves[*index]))
        .collect();
    match open.is_empty() {
        true => Ok(TerminationMeasure {
            levels: Vec::new(),
            named: Vec::new(),
            more_heaps,
            acyclic: false,
        }),
        false => Err(open),
    }
}

/// Whether all that a move does is to take at least one token.
fn only_takes(mover: &Move) -> bool {
    let mut steps = mover.steps.iter();
    steps.all(|step| matches!(step.action, Action::Take { .. }))
        && mover.steps.iter().any(|step| step.least > 0)
}

/// Weights, level by level, that lower all these instances of moves.
///
/// # Errors
///
/// The moves of which an instance is not lowered, ascending.
fn lexicographic(
    bounded: &[bool],
    mut open: Vec<(usize, Instance)>,
) -> Result<Vec<Vec<i64>>, Vec<usize>> {
    let mut levels = Vec::new();
    while !open.is_empty() {
        let left: Vec<Instance> = open.iter().map(|(_, instance)| instance.clone()).collect();
        let Some(weights) = next_level(bounded, &left, levels.is_empty()) else {
            let mut moves: Vec<usize> = open.into_iter().map(|(index, _)| index).collect();
            moves.dedup();
            return Err(moves);
        };
        open.retain(|(_, instance)| instance.least_loss(&weights).is_none_or(|loss| loss < 1));
        levels.push(weights);
    }
    Ok(levels)
}

/// Adds a multiple of a number to weights of the heaps; returns its constant part. `None` if
/// it is no weighted sum of heaps, or if a weight overflows.
fn add_weights(number: &Expr<Num>, factor: i64, weights: &mut [i64]) -> Option<i64> {
    let mut add = |heap: HeapId| {
        let weight = weights.get_mut(heap.index())?;
        *weight = weight.checked_add(factor)?;
        Some(())
    };
    match &number.node {
        Num::Const(value) => value.checked_mul(factor),
        Num::Heap(heap) => add(*heap).map(|()| 0),
        Num::Fold(Fold::Sum, list) => match &list.node {
            List::Heaps(heaps) => {
                for heap in heaps {
                    add(*heap)?;
                }
                Some(0)
            }
            _ => None,
        },
        Num::Binary(Arithmetic::Add, left, right) => {
            let left = add_weights(left, factor, weights)?;
            left.checked_add(add_weights(right, factor, weights)?)
        }
        Num::Binary(Arithmetic::Subtract, left, right) => {
            let left = add_weights(left, factor, weights)?;
            left.checked_add(add_weights(right, factor.checked_neg()?, weights)?)
        }
        Num::Binary(Arithmetic::Multiply, left, right) => {
            match (left.constant(), right.constant()) {
                (Some(times), _) => add_weights(right, factor.checked_mul(times)?, weights),
                (_, Some(times)) => add_weights(left, factor.checked_mul(times)?, weights),
                (None, None) => None,
            }
        }
        _ => None,
    }
}

/// Which heaps have a largest size, by a conjunct of `positions where` that compares
/// the heap, or a maximum or sum of heaps, with a constant.
fn bounded_heaps(heaps: usize, positions: Option<&Expr<Bool>>) -> Vec<bool> {
    let mut bounded = vec![false; heaps];
    for conjunct in positions.iter().flat_map(|positions| positions.conjuncts()) {
        let Bool::Compare(Order::Less | Order::AtMost | Order::Equal, left, right) = &conjunct.node
        else {
            continue;
        };
        if right.constant().is_none() {
            continue;
        }
        match &left.node {
            Num::Heap(heap) => bounded[heap.index()] = true,
            Num::Fold(Fold::Max | Fold::Sum, list) => {
                if let List::Heaps(all) = &list.node {
                    all.iter().for_each(|heap| bounded[heap.index()] = true);
                }
            }
            _ => {}
        }
    }
    bounded
}

/// The moves for which no weights were found.
#[derive(Debug)]
struct Open {
    /// Their indices, ascending.
    moves: Vec<usize>,
    /// Whether choices were merged, so that weights may exist nevertheless.
    merged: bool,
}

/// A label with these words.
pub fn labelled(at: Span, words: impl Into<String>) -> LabeledSpan {
    LabeledSpan::new_with_span(Some(words.into()), at)
}

/// The labels of the moves of a line of play.
fn labels_of(line: &Line, moves: &[Move]) -> Vec<LabeledSpan> {
    let mut texts: Vec<(usize, String)> = Vec::new();
    let first = &line.positions[0];
    for (at, index) in line.moves.iter().enumerate() {
        let (from, to) = (&line.positions[at], &line.positions[at + 1]);
        let repeated = at > 0 && line.moves[at - 1] == *index;
        let mut text = if repeated {
            String::new()
        } else {
            format!("from {} ", shown(from))
        };
        let last = at + 1 == line.moves.len();
        let back = if last && to == first { "back to" } else { "to" };
        text.push_str(&format!("{back} {}", shown(to)));
        if last && to != first {
            text.push_str(": no heap has fewer tokens");
            if at > 0 {
                text.push_str(&format!(" than at {}", shown(first)));
            }
        }
        match texts.iter_mut().find(|(known, _)| known == index) {
            Some((_, known)) if repeated => *known = format!("{known} {text}"),
            Some((_, known)) => *known = format!("{known}, {text}"),
            None => texts.push((*index, text)),
        }
    }
    let label = |(index, text): (usize, String)| labelled(moves[index].span, text);
    texts.into_iter().map(label).collect()
}

/// A position in the syntax of the language.
fn shown(position: &[u64]) -> String {
    let sizes: Vec<String> = position.iter().map(u64::to_string).collect();
    format!("({})", sizes.join(","))
}
