//! Proof of termination: a measure of the position that every move lowers.
//!
//! A measure is a weighted number of tokens, or several of them in
//! lexicographic order ("termination measure" in `docs/src/glossary.md`). For
//! each instance of a move (`instances`), "the move lowers the weighted total,
//! whatever the amounts" is a system of linear inequalities in the weights. A
//! linear program finds weights that satisfy as many of these systems as possible
//! while no other instance raises the total. The remaining instances are tried
//! again with new weights, which become the next level of the lexicographic order.
//!
//! The linear program works in floating point. Its weights are therefore rounded
//! to integers, and every inequality is checked again with the integers.

mod affine;
pub mod instances;
mod multiset_order;
mod search;
pub mod state;
mod weights;

use crate::problem::TerminationProblem;
use instances::{Instance, instances, merged_instances};
use miette::LabeledSpan;
use nimrule_checker::VerifyError;
use nimrule_limits::{Limits, Steps};
use nimrule_model::digraph::Digraph;
use nimrule_model::expr::{Arithmetic, Bool, Expr, Fold, HeapId, List, Num, Order};
use nimrule_model::game::{
    Action, Facts, Game, HeapKinds, Move, Parts, PositionKind, Rule, Step, TerminationMeasure,
};
use nimrule_model::source::Span;
use search::{Line, Search};
use state::Tokens;
use weights::{lower_all, next_level};

/// The work and the memory in bytes for the verification of a measure.
const MEASURE_WORK: Steps = Steps::million(30);
const MEASURE_MEMORY: u64 = Limits::DEFAULT_MEMORY / 8;

/// The termination measure of a rule; `None` if positions may repeat. Without a measure there
/// is an error among the problems.
pub fn of_rule(rule: &Rule, problems: &mut Vec<TerminationProblem>) -> Option<TerminationMeasure> {
    let moving = moves_that_move(rule, problems);
    if moving.len() < rule.moves.len() {
        // The other moves are examined, so that one run reports them too.
        let rule = Rule {
            moves: moving,
            ..rule.clone()
        };
        if !rule.moves.is_empty() && rule.ends_by.is_empty() {
            of_rule(&rule, problems);
        }
        return None;
    }
    let mut analysis = Termination { rule, problems };
    if let (Some(at), false) = (rule.places.ends_by, rule.ends_by.is_empty()) {
        return analysis.named_measure(at);
    }
    let found = match &rule.position_kind {
        PositionKind::Tokens(digraph) if rule.moves.iter().all(only_slides) => {
            analysis.measure_of_slides(digraph)
        }
        PositionKind::Multiset(_) | PositionKind::Open(_) => analysis.measure_of_multisets(),
        PositionKind::Heaps | PositionKind::Reals | PositionKind::Tokens(_) => {
            analysis.measure_of_heaps()
        }
    };
    debug_assert!(
        found.is_some() || rule.may_repeat || !analysis.problems.is_empty(),
        "a rule without a measure has an error"
    );
    if let (Some(_), Some(at)) = (&found, rule.places.may_repeat) {
        analysis.report(TerminationProblem::EndsAnyway { at });
    }
    found
}

/// The moves of a rule without those that may change nothing whatever the position is, which
/// are reported.
fn moves_that_move(rule: &Rule, problems: &mut Vec<TerminationProblem>) -> Vec<Move> {
    let mut moving = Vec::new();
    for mover in &rule.moves {
        let before = problems.len();
        // Where positions may repeat, a move that changes nothing is a pass.
        if !rule.may_repeat && mover.steps.iter().all(|step| step.least == 0) {
            problems.push(TerminationProblem::MayStandStill {
                example: "every step may be skipped".to_owned(),
                fix: "remove `optionally` from one step, or write how many times it is done",
                at: mover.span,
            });
        }
        for step in &mover.steps {
            if let Action::Split {
                parts: Parts::Named(names),
                ..
            } = &step.action
                && names.len() < 2
            {
                problems.push(TerminationProblem::MayStandStill {
                    example: "one part is the heap itself".to_owned(),
                    fix: "name two parts at least, `split one heap into x, y`",
                    at: step.span,
                });
            }
        }
        if problems.len() == before {
            moving.push(mover.clone());
        }
    }
    moving
}

/// Why a measure that the file names is not verified.
struct WrongMeasure {
    what: String,
    label: String,
    fix: &'static str,
    /// Whether a move does not lower it, or it may be negative.
    is_refuted: bool,
}

/// The analysis of one rule.
struct Termination<'r> {
    rule: &'r Rule,
    problems: &'r mut Vec<TerminationProblem>,
}

impl Termination<'_> {
    fn report(&mut self, problem: TerminationProblem) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// The measure that the file names.
    fn named_measure(&mut self, at: Span) -> Option<TerminationMeasure> {
        if let Some(repeats) = self.rule.places.may_repeat {
            self.report(TerminationProblem::Measure {
                what: "`play ends by` contradicts `positions may repeat`".to_owned(),
                label: "play ends".to_owned(),
                more: Some(labelled(repeats, "play need not end")),
                fix: "remove one of the two statements".to_owned(),
                at,
            });
            return None;
        }
        let named = &self.rule.ends_by;
        let levels = self.verified_weights(named);
        if !levels.is_empty() {
            return Some(TerminationMeasure {
                levels,
                ..TerminationMeasure::default()
            });
        }
        let Err(wrong) = self.verify_measure() else {
            return Some(TerminationMeasure {
                named: named.clone(),
                ..TerminationMeasure::default()
            });
        };
        let own = self.own_measure();
        let written = own.as_ref().map(|own| self.written(own));
        let (what, label) = (wrong.what, wrong.label);
        if wrong.is_refuted {
            let fix = match written {
                Some(written) => format!("write `play ends by {written}`, or remove the statement"),
                None => wrong.fix.to_owned(),
            };
            self.report(TerminationProblem::Measure {
                what,
                label,
                more: None,
                fix,
                at,
            });
            return None;
        }
        match written {
            Some(written) => self.report(TerminationProblem::OtherMeasure {
                what,
                fix: format!("write `play ends by {written}`, or remove the statement"),
                at,
            }),
            None => self.report(TerminationProblem::Measure {
                what,
                label,
                more: None,
                fix: wrong.fix.to_owned(),
                at,
            }),
        }
        own
    }

    /// The measure of a game of heaps that the program finds.
    fn own_measure(&self) -> Option<TerminationMeasure> {
        let rule = self.rule;
        if rule.position_kind != PositionKind::Heaps {
            return None;
        }
        let bounded = bounded_heaps(rule.heap_names.len(), rule.positions.as_ref());
        let (positions, tokens) = (rule.positions.as_ref(), tokens_of(rule));
        levels(&bounded, &rule.moves, positions, rule.slots, &tokens)
            .ok()
            .filter(|found| !found.levels.is_empty() && !found.acyclic)
    }

    /// The weights of a measure as `play ends by` has them.
    fn written(&self, measure: &TerminationMeasure) -> String {
        let names = &self.rule.heap_names;
        let level = |weights: &Vec<i64>| {
            if weights.len() > 2 && weights.iter().all(|weight| *weight == 1) {
                return "sum(heaps)".to_owned();
            }
            let mut sum = String::new();
            for (weight, name) in weights
                .iter()
                .zip(names)
                .filter(|(weight, _)| **weight != 0)
            {
                let sign = match (sum.is_empty(), *weight < 0) {
                    (true, false) => "",
                    (true, true) => "-",
                    (false, false) => " + ",
                    (false, true) => " - ",
                };
                let factor = match weight.unsigned_abs() {
                    1 => String::new(),
                    factor => format!("{factor}*"),
                };
                sum.push_str(&format!("{sign}{factor}{name}"));
            }
            sum
        };
        let levels: Vec<String> = measure.levels.iter().map(level).collect();
        levels.join(", ")
    }

    /// The measure of a game of heaps.
    fn measure_of_heaps(&mut self) -> Option<TerminationMeasure> {
        let Rule {
            moves,
            positions,
            slots,
            ..
        } = self.rule;
        let bounded = bounded_heaps(self.rule.heap_names.len(), positions.as_ref());
        let tokens = tokens_of(self.rule);
        match levels(&bounded, moves, positions.as_ref(), *slots, &tokens) {
            Ok(termination) => Some(termination),
            Err(open) => {
                if !self.rule.may_repeat {
                    self.no_termination(&open);
                }
                None
            }
        }
    }

    /// The weights of the heaps in a measure that is a weighted sum, if every instance
    /// of a move lowers it: a faster verification than that of the checker, which need not
    /// succeed. No weights if it does not.
    fn verified_weights(&self, named: &[Expr<Num>]) -> Vec<Vec<i64>> {
        let tokens = tokens_of(self.rule);
        // The measure of a token is no multiple of its number.
        let fixed = self.rule.position_kind == PositionKind::Heaps && tokens.places.is_empty();
        let [number] = named else {
            return Vec::new();
        };
        let mut weights = vec![0; self.rule.heap_names.len()];
        let is_sum = add_weights(number, 1, &mut weights).is_some_and(|constant| constant >= 0);
        if !fixed || !is_sum || weights.iter().any(|weight| *weight < 0) {
            return Vec::new();
        }
        let Rule {
            positions, slots, ..
        } = self.rule;
        let lower = |mover: &Move| {
            lower_all(
                &instances(mover, positions.as_ref(), *slots, &tokens).instances,
                &weights,
            )
        };
        match self.rule.moves.iter().all(lower) {
            true => vec![weights],
            false => Vec::new(),
        }
    }

    /// Verifies that every move lowers the measure that the file names.
    fn verify_measure(&self) -> Result<(), WrongMeasure> {
        let named = &self.rule.ends_by;
        let game = Game {
            facts: Facts::none(self.rule),
            rule: self.rule.clone(),
        };
        let limits = Limits::of_memory(MEASURE_MEMORY).cap_work(MEASURE_WORK);
        let measure = match named.as_slice() {
            [_] => "the number",
            _ => "the numbers, in lexicographic order",
        };
        let verified = nimrule_checker::verify_measure(&game, named, &limits);
        let is_refuted = matches!(
            verified,
            Err(VerifyError::Termination(_) | VerifyError::NegativeMeasure(_))
        );
        let (what, label, fix) = match verified {
            Ok(()) => return Ok(()),
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
        Err(WrongMeasure {
            what,
            label,
            fix,
            is_refuted,
        })
    }

    /// Reports moves for which there is no termination measure: with a line of
    /// play after which no heap has fewer tokens, if the search finds one.
    fn no_termination(&mut self, open: &Open) {
        let rule = self.rule;
        let moves = &rule.moves;
        let searches = rule.position_kind == PositionKind::Heaps && rule.shrinking.is_none();
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
                        rule.heap_names[heap.index()]
                    ),
                    "name both heaps and keep them apart: `from one heap as p`, and `on one heap as q where q is not p`",
                ),
                None => (
                    format!("it may leave {} as it is", shown(&line.positions[0])),
                    "forbid these choices with a condition, `where` or `when`",
                ),
            };
            self.report(TerminationProblem::MayStandStill {
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
                let cycle = self.cycle_of_tokens();
                if cycle.is_some() {
                    fix.push_str(", or remove an arc of the cycle");
                }
                open.moves
                    .iter()
                    .filter(only_takes)
                    .map(|index| {
                        let mut steps = moves[*index].steps.iter();
                        let slides = steps.any(|step| matches!(step.action, Action::Slide { .. }));
                        let words = match &cycle {
                            Some(cycle) if slides => format!("a token may slide {cycle}"),
                            _ => "no termination measure was found for this move".to_owned(),
                        };
                        labelled(moves[*index].span, words)
                    })
                    .collect()
            }
        };
        self.report(TerminationProblem::NeverEnds { fix, moves: labels });
    }

    /// A cycle of the digraph on which tokens slide beside heaps and states.
    fn cycle_of_tokens(&self) -> Option<String> {
        let mut places = 0..self.rule.heap_count();
        let digraph = places.find_map(|place| self.rule.digraph_of(place))?;
        digraph.cycle().map(|cycle| shown_cycle(digraph, &cycle))
    }

    /// The measure of a game of multisets of heaps.
    fn measure_of_multisets(&mut self) -> Option<TerminationMeasure> {
        let Rule {
            moves,
            positions,
            slots,
            ..
        } = self.rule;
        let states = states_of(self.rule);
        if let PositionKind::Multiset(kinds) = &self.rule.position_kind
            && multiset_order::is_needed(moves)
        {
            return self.measure_by_order(kinds, &states);
        }
        let open = match fewer_tokens(moves, positions.as_ref(), *slots, &states) {
            Ok(termination) => return Some(termination),
            Err(open) => open,
        };
        for index in open {
            if self.rule.may_repeat {
                break;
            }
            let mut steps = moves[index].steps.iter();
            let puts = steps.any(|step| matches!(step.action, Action::Put { .. }));
            let label = match puts {
                true => "this move may put down as much as it takes",
                false => "this move need not lower the number of tokens",
            };
            self.report(TerminationProblem::NeverEnds {
                fix: "let every move take more than it puts down; write `positions may \
                      repeat` if play may not end"
                    .to_owned(),
                moves: vec![labelled(moves[index].span, label)],
            });
        }
        None
    }

    /// The measure of a game in which heaps are replaced: their multiset, and weights of the
    /// states.
    fn measure_by_order(
        &mut self,
        kinds: &HeapKinds,
        states: &Tokens,
    ) -> Option<TerminationMeasure> {
        let rule = self.rule;
        let found = multiset_order::order(rule, kinds, states).and_then(|found| {
            let moves: Vec<Move> = found
                .states_only
                .iter()
                .map(|index| rule.moves[*index].clone())
                .collect();
            let lower = fewer_tokens(&moves, rule.positions.as_ref(), rule.slots, states);
            let lower = lower.map_err(|open| {
                let index = |open: usize| found.states_only[open];
                open.into_iter().map(index).collect::<Vec<usize>>()
            })?;
            Ok(TerminationMeasure {
                order: Some(found.order),
                more_heaps: false,
                ..lower
            })
        });
        match found {
            Ok(measure) => return Some(measure),
            Err(_) if rule.may_repeat => {}
            Err(open) => {
                let label = "this move need not replace heaps by smaller ones";
                let moves = open
                    .iter()
                    .map(|index| labelled(rule.moves[*index].span, label));
                self.report(TerminationProblem::NeverEnds {
                    fix: "let every new heap be smaller than the one that it replaces, as `x` is \
                          in `replace one heap as h by x in 0..h - 1`, or of a kind that never \
                          becomes the other again; write `positions may repeat` if play may not end"
                        .to_owned(),
                    moves: moves.collect(),
                });
            }
        }
        None
    }

    /// The measure of a game of sliding tokens: play ends if the digraph has no
    /// cycle, because every move slides at least one token along an arc.
    fn measure_of_slides(&mut self, digraph: &Digraph) -> Option<TerminationMeasure> {
        if let Some(cycle) = digraph.cycle() {
            if !self.rule.may_repeat {
                self.report(TerminationProblem::Cycle {
                    cycle: shown_cycle(digraph, &cycle),
                    at: self.rule.places.digraph.unwrap_or((0, 0).into()),
                });
            }
            return None;
        }
        let slides = |step: &Step| matches!(step.action, Action::Slide { .. });
        let mut passes = false;
        for mover in &self.rule.moves {
            let mut slides = mover.steps.iter().filter(|step| slides(step));
            if slides.all(|step| step.least == 0) {
                passes = true;
                if !self.rule.may_repeat {
                    self.report(TerminationProblem::MayStandStill {
                        example: "every slide may be skipped".to_owned(),
                        fix: "remove `optionally` from one step, or write how many times it is done",
                        at: mover.span,
                    });
                }
            }
        }
        (!passes).then(|| TerminationMeasure {
            acyclic: true,
            ..TerminationMeasure::default()
        })
    }
}

/// The vertices of a cycle, cut to a few.
fn shown_cycle(digraph: &Digraph, cycle: &[usize]) -> String {
    const SHOWN: usize = 8;
    let few = cycle.iter().take(SHOWN);
    let mut way: Vec<String> = few.map(|state| digraph.shown(*state)).collect();
    if cycle.len() > SHOWN {
        way.push("…".to_owned());
    }
    way.push(digraph.shown(cycle[0]));
    way.join(" -> ")
}

/// Weights of the heaps, level by level, such that every move lowers the
/// lexicographic measure.
///
/// # Errors
///
/// The moves for which no weights were found.
pub fn levels(
    bounded: &[bool],
    moves: &[Move],
    positions: Option<&Expr<Bool>>,
    slots: usize,
    tokens: &Tokens,
) -> Result<TerminationMeasure, Open> {
    let measure = |levels| TerminationMeasure {
        levels,
        acyclic: tokens.acyclic,
        ..TerminationMeasure::default()
    };
    let ones = vec![1; bounded.len()];
    if moves.iter().all(only_takes) {
        // Every step takes at least one token, so the plain total falls.
        return Ok(measure(vec![ones]));
    }
    let mut merged = moves
        .iter()
        .flat_map(|mover| merged_instances(mover, positions, slots, tokens));
    if merged.all(|instance| lower_all(&[instance], &ones)) {
        return Ok(measure(vec![ones]));
    }
    let mut open: Vec<(usize, Instance)> = Vec::new();
    let mut merged = false;
    for (index, mover) in moves.iter().enumerate() {
        let found = instances(mover, positions, slots, tokens);
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

/// The measure of multisets of heaps, in lexicographic order: the number of tokens; the
/// number of heaps, which is at most the number of tokens; and weights of the states. Every
/// move lowers the first, or keeps it and raises the second, or changes no heap and lowers the
/// weighted states.
///
/// # Errors
///
/// The moves of which that is not known, ascending.
pub fn fewer_tokens(
    moves: &[Move],
    positions: Option<&Expr<Bool>>,
    slots: usize,
    states: &Tokens,
) -> Result<TerminationMeasure, Vec<usize>> {
    let mut more_heaps = false;
    let mut of_states: Vec<(usize, Instance)> = Vec::new();
    let mut open = Vec::new();
    for (index, mover) in moves.iter().enumerate() {
        if only_takes(mover) {
            continue;
        }
        let mut ends = true;
        for instance in instances(mover, positions, slots, states).instances {
            let mut heaps = instance.heaps();
            heaps.extend(&instance.lose_more);
            let mut ones = vec![1; heaps.last().map_or(0, |heap| heap.index() + 1)];
            ones.iter_mut()
                .take(states.states)
                .for_each(|weight| *weight = 0);
            let loss = instance.least_loss(&ones);
            let keeps = instance.more_heaps && loss == Some(0);
            more_heaps |= keeps;
            if keeps || loss >= Some(1) {
                continue;
            }
            match heaps.iter().all(|heap| heap.index() < states.states) && !heaps.is_empty() {
                true => of_states.push((index, instance)),
                false => ends = false,
            }
        }
        if !ends {
            open.push(index);
        }
    }
    let levels = lexicographic(&vec![false; states.states], of_states).unwrap_or_else(|moves| {
        open.extend(moves);
        Vec::new()
    });
    open.sort_unstable();
    open.dedup();
    match open.is_empty() {
        true => Ok(TerminationMeasure {
            more_heaps,
            levels,
            ..TerminationMeasure::default()
        }),
        false => Err(open),
    }
}

/// The states of a multiset.
fn states_of(rule: &Rule) -> Tokens {
    match &rule.position_kind {
        PositionKind::Multiset(kinds) => Tokens {
            kinds: kinds.of_heaps(),
            states: kinds.states.len(),
            ..Tokens::default()
        },
        PositionKind::Open(_) => Tokens {
            kinds: 1,
            ..Tokens::default()
        },
        _ => Tokens::default(),
    }
}

/// Whether all that a move does is to take at least one token.
fn only_takes(mover: &Move) -> bool {
    let mut steps = mover.steps.iter();
    steps.all(|step| matches!(step.action, Action::Take { .. }))
        && mover.steps.iter().any(|step| step.least > 0)
}

/// Whether a move slides at least one token, and does nothing else than to slide and to choose
/// tokens.
fn only_slides(mover: &Move) -> bool {
    let slides = |step: &Step| matches!(step.action, Action::Slide { .. });
    let chooses = |step: &Step| match &step.action {
        Action::Set { size, value, .. } => matches!(value.node, Num::Local(slot) if slot == *size),
        _ => false,
    };
    let mut steps = mover.steps.iter();
    steps.all(|step| slides(step) || chooses(step)) && mover.steps.iter().any(slides)
}

/// The tokens of a rule.
fn tokens_of(rule: &Rule) -> Tokens {
    let mut places = (0..rule.heap_count()).filter(|place| rule.digraph_of(*place).is_some());
    let first = places.next();
    let digraph = first.and_then(|first| rule.digraph_of(first));
    match (first, digraph) {
        (Some(first), Some(digraph)) => Tokens {
            places: first..first + 1 + places.count(),
            acyclic: digraph.cycle().is_none(),
            ..Tokens::default()
        },
        _ => Tokens::default(),
    }
}

/// Weights, level by level, that lower all these instances of moves.
///
/// # Errors
///
/// The moves of which an instance is not lowered, ascending.
pub fn lexicographic(
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
pub fn bounded_heaps(heaps: usize, positions: Option<&Expr<Bool>>) -> Vec<bool> {
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
pub struct Open {
    /// Their indices, ascending.
    moves: Vec<usize>,
    /// Whether choices were merged, so that weights may exist nevertheless.
    merged: bool,
}

/// A label with these words.
fn labelled(at: Span, words: impl Into<String>) -> LabeledSpan {
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
