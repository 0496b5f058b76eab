//! The moves of a multiset of heaps, as a relation between a few heaps before and after.

use super::super::compile::Compiler;
use super::super::integers::{Formula, Integers, compare, constant, plus, variable};
use super::window;
use nimrule_automata::{Dfa, Numeration, Track};
use nimrule_ir as ir;
use nimrule_ir::{MoveGraph, Node, NodeId};
use nimrule_limits::Limits;
use nimrule_model::expr::{List, Order, Part};
use nimrule_model::game::{Game, Members, Number, PositionKind};
use nimrule_model::source::Span;
use nimrule_symbolic::formula::{of_heap, of_heap_after};
use nimrule_symbolic::{ProveError, TargetConstraint, Unsupported, transitions};
use std::collections::BTreeSet;

/// The relation of all moves that change some of a few heaps, the *windows*, in any order.
#[derive(Debug)]
pub struct Moves {
    /// The number of windows: no move changes more heaps.
    pub windows: usize,
    /// Whether the first window is a value ([`Moves::with_value`]).
    pub has_value: bool,
    /// Reads the digits of each window before ([`of_heap`]) and after ([`of_heap_after`]).
    pub relation: Dfa,
    /// Whether a state can still accept.
    pub is_open: Vec<bool>,
    /// Whether every position with a nonempty heap has a move.
    pub only_empty_is_terminal: bool,
}

/// The most heaps that a move may change.
const MOST_CHANGED: usize = 4;

/// The most heaps that a move changes.
///
/// # Errors
///
/// There is no bound that is small enough, or a step is not about heaps alone.
pub fn most_changed(graph: &MoveGraph) -> Result<usize, Unsupported> {
    let mut most = 1;
    for (first, span) in graph.alternatives() {
        let changed = most_selected(graph, first, None)?;
        if changed > MOST_CHANGED {
            let what =
                format!("a move may change {changed} heaps, and at most {MOST_CHANGED} are tried");
            return Err(Unsupported::too_large(what, span));
        }
        most = most.max(changed);
    }
    Ok(most)
}

/// The most heaps that are selected from a node on, up to the end of the move, or back to the
/// repeat that the node is in.
fn most_selected(
    graph: &MoveGraph,
    at: NodeId,
    inside: Option<NodeId>,
) -> Result<usize, Unsupported> {
    if inside == Some(at) {
        return Ok(0);
    }
    let own = match graph.node(at) {
        Node::Split { .. } | Node::Replace(_) => {
            let what = "a heap is split or replaced";
            return Err(Unsupported::new(what, graph.span(at)));
        }
        Node::Repeat { most, .. } => {
            let (body, exit) = graph.body_and_exit(at);
            let times = usize::try_from(*most).unwrap_or(usize::MAX);
            let each = most_selected(graph, body, Some(at))?;
            let rest = most_selected(graph, exit, inside)?;
            return Ok(each.saturating_mul(times).saturating_add(rest));
        }
        Node::Choice { members, .. } => match members {
            Members::Picked(_) => 0,
            Members::Multiset {
                number: Number::Some { most, .. },
                ..
            } => *most,
            Members::Multiset {
                number: Number::All,
                ..
            } => {
                let what = "a move may change all heaps, and their number is not fixed";
                return Err(Unsupported::new(what, graph.span(at)));
            }
            _ => {
                let what = "heaps are selected by their places";
                return Err(Unsupported::new(what, graph.span(at)));
            }
        },
        _ => 0,
    };
    let mut most = 0;
    for next in graph.after(at) {
        most = most.max(most_selected(graph, *next, inside)?);
    }
    Ok(own + most)
}

/// Refuses what the argument for any number of heaps does not cover.
pub fn check_rule(game: &Game) -> Result<(), Unsupported> {
    let nowhere: Span = (0, 0).into();
    if let PositionKind::Multiset(kinds) = &game.position_kind {
        if !kinds.states.is_empty() {
            return Err(Unsupported::new(
                "a position has states beside its heaps",
                nowhere,
            ));
        }
        if !kinds.names.is_empty() {
            return Err(Unsupported::new("the heaps are of several kinds", nowhere));
        }
    }
    if let Some(positions) = &game.positions {
        let what = "the positions are restricted by a condition on any number of heaps";
        return Err(Unsupported::new(what, positions.span));
    }
    for part in ir::lower(game).parts() {
        let reads = |part: Part<'_>| matches!(part, Part::List(List::Multiset(_)));
        if part.node.any(&mut |part| reads(part)) {
            let what = "a move depends on all heaps, and their number is not fixed";
            return Err(Unsupported::new(what, part.span));
        }
    }
    Ok(())
}

impl Moves {
    /// Compiles the moves of a rule.
    ///
    /// # Errors
    ///
    /// The rule is unsupported, or a limit is exceeded.
    pub fn new(game: &Game, base: u8, limits: &Limits) -> Result<Moves, ProveError> {
        check_rule(game)?;
        let windows = most_changed(&ir::lower(game))?;
        let several = window(game, windows);
        let numeration = Numeration::Base(base);
        let graph = ir::lower(&several);
        let domain = Integers { numeration };
        let read = transitions(&several, &graph, domain, TargetConstraint::Positions)?;
        let mut compiler = Compiler::new(numeration, limits);
        for fault in &read.faults {
            if !compiler.automaton(&fault.condition)?.is_empty() {
                return Err(fault.refused().into());
            }
        }
        let nowhere: Span = (0, 0).into();
        let at = graph
            .alternatives()
            .next()
            .map_or(nowhere, |(_, span)| span);
        let overflow = || nimrule_symbolic::numbers_too_large(at);
        let (mut before, mut after) = (constant(0), constant(0));
        for heap in 0..windows {
            before = plus(&before, &variable(of_heap(heap))).ok_or_else(overflow)?;
            after = plus(&after, &variable(of_heap_after(heap))).ok_or_else(overflow)?;
        }
        let stays = |heap: usize| {
            let (before, after) = (variable(of_heap(heap)), variable(of_heap_after(heap)));
            compare(&after, Order::Equal, &before)
        };
        let mut any = Vec::new();
        for transition in &read.transitions {
            let untouched = (0..windows).filter(|heap| !transition.touched.contains(heap));
            let untouched: Option<Vec<Formula>> = untouched.map(stays).collect();
            let untouched = untouched.ok_or_else(overflow)?;
            let moves = [transition.formula.clone()].into_iter().chain(untouched);
            any.push(Formula::and(moves));
        }
        let relation = compiler.automaton(&Formula::or(any))?;
        let rises = compare(&before, Order::AtMost, &after);
        let rises = compiler.automaton(&rises.ok_or_else(overflow)?)?;
        if !relation.and(&rises, &compiler.budget)?.is_empty() {
            let what = "a move need not lower the number of tokens";
            return Err(Unsupported::new(what, at).into());
        }
        // The searches follow no heap from a leading digit 0 on.
        for heap in 0..windows {
            let (before, after) = (variable(of_heap(heap)), variable(of_heap_after(heap)));
            let grows = compare(&before, Order::Less, &after).ok_or_else(overflow)?;
            let grows = compiler.automaton(&grows)?;
            if !relation.and(&grows, &compiler.budget)?.is_empty() {
                let what = "a move may put tokens on a heap";
                return Err(Unsupported::new(what, at).into());
            }
        }
        // With a heap from which nothing can be taken alone a position may be terminal.
        let mut alone: Vec<Formula> = Vec::new();
        for heap in 1..windows {
            let empty = compare(&variable(of_heap(heap)), Order::Equal, &constant(0));
            alone.push(empty.ok_or_else(overflow)?);
        }
        let positive = compare(&constant(1), Order::AtMost, &variable(of_heap(0)));
        alone.push(positive.ok_or_else(overflow)?);
        let alone = compiler.automaton(&Formula::and(alone))?;
        let tracks: Vec<Track> = (0..windows).map(of_heap_after).collect();
        let movable = relation.and(&alone, &compiler.budget)?;
        let movable = movable.project(&tracks, &compiler.budget)?;
        let only_empty_is_terminal = alone.and_not(&movable, &compiler.budget)?.is_empty();
        let relation = relation.as_ref().clone();
        let is_open = open_states(&relation);
        let moves = Moves {
            windows,
            has_value: false,
            relation,
            is_open,
            only_empty_is_terminal,
        };
        moves.check_unchanged(base, at, limits)?;
        Ok(moves)
    }

    /// The moves of the sum with a heap of Nim, which is the first window: the value.
    ///
    /// # Errors
    ///
    /// A limit is exceeded.
    pub fn with_value(self, base: u8, limits: &Limits) -> Result<Moves, ProveError> {
        let mut compiler = Compiler::new(Numeration::Base(base), limits);
        let nowhere: Span = (0, 0).into();
        let related = |heap: usize, order: Order| {
            let (before, after) = (variable(of_heap(heap)), variable(of_heap_after(heap)));
            let related = compare(&after, order, &before);
            related.ok_or_else(|| nimrule_symbolic::numbers_too_large(nowhere))
        };
        let stays = compiler.automaton(&related(0, Order::Equal)?)?;
        let mut lowers = vec![related(0, Order::Less)?];
        for heap in 1..=self.windows {
            lowers.push(related(heap, Order::Equal)?);
        }
        let lowers = compiler.automaton(&Formula::and(lowers))?;
        let budget = &compiler.budget;
        let moves = self.relation.renamed(&|track| track + 2, budget)?;
        let relation = moves.and(&stays, budget)?.or(&lowers, budget)?;
        Ok(Moves {
            windows: self.windows + 1,
            has_value: true,
            is_open: open_states(&relation),
            relation,
            only_empty_is_terminal: false,
        })
    }

    /// The state after a letter, the digits of each window before and after.
    pub fn after(&self, state: u32, letter: &[(u8, u8)]) -> u32 {
        self.relation.after(state, &|track| {
            let (before, after) = letter
                .get(usize::from(track / 2))
                .copied()
                .unwrap_or((0, 0));
            if track % 2 == 0 { before } else { after }
        })
    }

    /// Checks that a window acts as an empty heap while its digits before and after are equal:
    /// then a heap need not be followed before the first digit that the move changes.
    fn check_unchanged(&self, base: u8, at: Span, limits: &Limits) -> Result<(), ProveError> {
        let all = pairs(base, self.windows - 1);
        for window in 0..self.windows {
            let mut seen = BTreeSet::from([self.relation.start()]);
            let mut open = vec![self.relation.start()];
            while let Some(state) = open.pop() {
                limits.check_time()?;
                for others in &all {
                    let mut letter = others.clone();
                    letter.insert(window, (0, 0));
                    let after = self.after(state, &letter);
                    for digit in 1..base {
                        letter[window] = (digit, digit);
                        if self.after(state, &letter) != after {
                            let what = "a move depends on more of a heap than what it changes";
                            return Err(Unsupported::new(what, at).into());
                        }
                    }
                    if seen.insert(after) {
                        open.push(after);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Which states can still accept: a minimal automaton that cannot is in a sink.
fn open_states(relation: &Dfa) -> Vec<bool> {
    (0..relation.states() as u32)
        .map(|state| relation.sink_value(state) != Some(false))
        .collect()
}

/// All letters of some windows.
pub fn pairs(base: u8, windows: usize) -> Vec<Vec<(u8, u8)>> {
    let one = || (0..base).flat_map(move |before| (0..base).map(move |after| (before, after)));
    let mut all = vec![Vec::new()];
    for _ in 0..windows {
        let longer = |letter: &Vec<(u8, u8)>| {
            let letter = letter.clone();
            one().map(move |pair| letter.iter().copied().chain([pair]).collect::<Vec<_>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
