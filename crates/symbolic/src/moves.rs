//! The transition relation of a rule: formulas over the heap sizes before and
//! after a move, collected by a walk of the lowered form.
//!
//! A transition fixes the alternative, the heaps that each step selects and the
//! case of each number; the amounts are variables. Its formula has a variable
//! for each heap before the move, and one for each heap that it may change after
//! the move. The other heaps keep their variables, because their sizes are
//! equal before and after.

use super::condition::check_vanishing;
use super::formula::{first_free, of_heap, of_heap_after};
use super::{
    Domain, Fault, Formula, FormulaOf, Interpreter, Translation, Variable, exists_case,
    numbers_too_large, unconditional,
};
use crate::Unsupported;
use itertools::Itertools;
use nimrule_board::{Arrangement, shrinking::ShrinkingBoard};
use nimrule_ir::{MoveGraph, Node, NodeId, Take};
use nimrule_model::expr::{Bool, Expr, HeapId, Num, OfKind, Order, Pick, Set, Slot};
use nimrule_model::game::{CountedSets, Game, Members, Number, RemainingSets, SetFamily, Share};
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// One disjunct of the transition relation.
#[derive(Debug, Clone)]
pub struct Transition<D: Domain> {
    /// The heaps that it may change, ascending.
    pub touched: Vec<usize>,
    /// Existential variables of the formula, in a domain that does not quantify
    /// them: the move exists if there are numbers for them.
    pub existentials: Vec<Variable>,
    /// The relation between the variables of all heaps before the move and those
    /// of the touched heaps after it.
    pub formula: FormulaOf<D>,
    /// The alternative of the rule.
    pub span: Span,
}

/// The transition relation of a rule.
#[derive(Debug, Clone)]
pub struct Moves<D: Domain> {
    pub transitions: Vec<Transition<D>>,
    /// The domain, with the state that it collected.
    pub domain: D,
    /// Where an expression of the rule has no value. The conditions may contain
    /// the variables of amounts.
    pub faults: Vec<Fault<D>>,
}

/// The constraint on the positions after a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetConstraint {
    /// They are positions of the game.
    Positions,
    /// No constraint.
    AnySizes,
}

/// The most transitions of a rule; a rule with more is refused.
const MAX_TRANSITIONS: usize = 20_000;

const NEGATIVE_SIZE: &str = "a heap of a negative size";

/// The most steps of the walk; a rule that needs more is refused.
const MAX_STEPS: usize = 500_000;

/// Returns the transition relation of a lowered rule.
///
/// # Errors
///
/// The rule has an operation without a translation, or is too large.
pub fn transitions<D: Domain>(
    game: &Game,
    graph: &MoveGraph,
    domain: D,
    target: TargetConstraint,
) -> Translation<Moves<D>> {
    let mut walk = MoveWalk {
        interpreter: Interpreter::of_heaps(game, domain),
        graph,
        target,
        counters: vec![0; graph.counter_count()],
        transitions: Vec::new(),
        steps: 0,
        alternative: (0, 0).into(),
    };
    for (first, span) in graph.alternatives() {
        walk.alternative = span;
        let walked = walk.branch(Formula::TRUE, |walk| walk.walk(first));
        walked.map_err(|unsupported| unsupported.or_at(span))?;
    }
    sort_and_dedup(&mut walk.transitions);
    Ok(Moves {
        transitions: walk.transitions,
        domain: walk.interpreter.domain,
        faults: walk.interpreter.faults,
    })
}

struct MoveWalk<'w, D: Domain> {
    interpreter: Interpreter<'w, D>,
    graph: &'w MoveGraph,
    target: TargetConstraint,
    counters: Vec<u64>,
    transitions: Vec<Transition<D>>,
    steps: usize,
    /// The alternative that the walk is in.
    alternative: Span,
}

impl<'w, D: Domain> MoveWalk<'w, D> {
    fn walk(&mut self, at: NodeId) -> Translation<()> {
        let graph = self.graph;
        let span = graph.span(at);
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(too_many_transitions(self.alternative));
        }
        if self.interpreter.path.contains(&Formula::FALSE) {
            return Ok(());
        }
        match graph.node(at) {
            Node::Join => {
                for next in graph.after(at) {
                    self.branch(Formula::TRUE, |walk| walk.walk(*next))?;
                }
                Ok(())
            }
            Node::Guard(condition) => {
                let holds = self.condition(condition, span)?;
                self.branch(holds, |walk| walk.walk_successor(at))
            }
            Node::Number {
                slot,
                set,
                condition,
                // The bound is for enumeration only.
                cutoff: _,
            } => {
                let cases = self.interpreter.any_member(set);
                for case in cases.map_err(|unsupported| unsupported.or_at(span))? {
                    self.branch(case.guard, |walk| {
                        walk.interpreter.locals.insert(*slot, case.value);
                        walk.assume(condition.as_ref(), span)?;
                        walk.walk_successor(at)
                    })?;
                }
                Ok(())
            }
            Node::Choice { pick, members } => {
                for (condition, heaps) in self.selections(members, span)? {
                    self.branch(condition, |walk| {
                        walk.interpreter.picks.insert(*pick, heaps);
                        walk.walk_successor(at)
                    })?;
                }
                Ok(())
            }
            Node::Take(take) => {
                if take.leaving.is_some() {
                    return Err(Unsupported::new("a heap is split", span));
                }
                self.branch(Formula::TRUE, |walk| {
                    walk.take(take, span)?;
                    walk.walk_successor(at)
                })
            }
            Node::Put {
                pick,
                amount,
                numbers: _,
                condition,
            } => self.branch(Formula::TRUE, |walk| {
                walk.assume(condition.as_ref(), span)?;
                let number = D::variable(walk.interpreter.fresh(span)?);
                walk.assume_amount(&number, Some(amount), false, span)?;
                walk.assume_positive(std::slice::from_ref(&number), span)?;
                let heaps = walk.picked(*pick);
                for heap in heaps {
                    walk.change(heap, D::plus, &number, span)?;
                }
                walk.walk_successor(at)
            }),
            Node::Set {
                pick,
                size,
                heap,
                value,
                condition,
            } => self.branch(Formula::TRUE, |walk| {
                walk.assume(condition.as_ref(), span)?;
                let heaps = walk.picked(*pick);
                let before = walk.interpreter.heaps.clone();
                walk.set_each(at, &heaps, (*size, *heap, value), &before)
            }),
            Node::Slide { .. } => Err(Unsupported::new("tokens slide along arcs", span)),
            Node::Split { .. } => Err(Unsupported::new("a heap is split", span)),
            Node::Replace(_) => Err(Unsupported::new("a heap is replaced", span)),
            Node::Again(_) => Err(Unsupported::new("the same player moves again", span)),
            Node::Repeat {
                counter,
                least,
                most,
            } => {
                let done = self.counters[*counter];
                let (body, exit) = graph.body_and_exit(at);
                if done >= *least {
                    self.walk(exit)?;
                }
                if done < *most {
                    self.counters[*counter] = done + 1;
                    self.walk(body)?;
                    self.counters[*counter] = done;
                }
                Ok(())
            }
            Node::End => self.emit(),
        }
    }

    fn walk_successor(&mut self, at: NodeId) -> Translation<()> {
        let graph = self.graph;
        self.walk(graph.after(at)[0])
    }

    /// Runs `then` with the condition added to the path, and restores the state
    /// of the interpreter afterwards.
    fn branch(
        &mut self,
        condition: FormulaOf<D>,
        then: impl FnOnce(&mut Self) -> Translation<()>,
    ) -> Translation<()> {
        if condition == Formula::FALSE {
            return Ok(());
        }
        let interpreter = &mut self.interpreter;
        let known = interpreter.path.len();
        let next = interpreter.next;
        let heaps = interpreter.heaps.clone();
        let locals = interpreter.locals.clone();
        let picks = interpreter.picks.clone();
        interpreter.path.push(condition);
        then(self)?;
        let interpreter = &mut self.interpreter;
        interpreter.path.truncate(known);
        interpreter.next = next;
        interpreter.heaps = heaps;
        interpreter.locals = locals;
        interpreter.picks = picks;
        Ok(())
    }

    fn condition(&mut self, condition: &Expr<Bool>, at: Span) -> Translation<FormulaOf<D>> {
        let holds = self.interpreter.condition(condition);
        holds.map_err(|unsupported| unsupported.or_at(at))
    }

    /// Adds a condition to the path.
    fn assume(&mut self, condition: Option<&Expr<Bool>>, at: Span) -> Translation<()> {
        if let Some(condition) = condition {
            let holds = self.condition(condition, at)?;
            self.interpreter.path.push(holds);
        }
        Ok(())
    }

    fn picked(&self, pick: Pick) -> Vec<HeapId> {
        self.interpreter
            .picks
            .get(&pick)
            .cloned()
            .unwrap_or_default()
    }

    /// The sets of heaps that may be selected, each with its condition.
    fn selections(
        &mut self,
        members: &Members,
        at: Span,
    ) -> Translation<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        let always = |heaps: Vec<HeapId>| (Formula::TRUE, heaps);
        match members {
            Members::Listed(listed) => Ok(listed.iter().cloned().map(always).collect()),
            Members::Relative { to, sets } => match self.picked(*to).as_slice() {
                [heap] => Ok(sets[heap.index()].iter().cloned().map(always).collect()),
                _ => Err(Unsupported::new("no heap has been selected here", at)),
            },
            Members::Picked(earlier) => Ok(vec![always(self.picked(*earlier))]),
            Members::Multiset { number, kind } => self.of_multiset(*number, *kind, at),
            Members::At {
                heaps,
                first,
                index,
            } => {
                let found = self.interpreter.heaps_at(heaps, *first, index);
                let found = found.map_err(|unsupported| unsupported.or_at(at))?;
                Ok(found
                    .into_iter()
                    .map(|(here, heap)| (here, vec![heap]))
                    .collect())
            }
            Members::Counted(counted) => self.counted_sets(counted, at),
            Members::Remaining(remaining_sets) => self.remaining_sets(remaining_sets, at),
        }
    }

    /// The sets of so many nonempty heaps of a multiset, each with its condition. The
    /// variables are those of a few heaps, and other heaps do not change.
    fn of_multiset(
        &self,
        number: Number,
        kind: OfKind,
        at: Span,
    ) -> Translation<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        let heaps = &self.interpreter.heaps;
        let (OfKind::Any, Number::Some { least, most }, false) = (kind, number, heaps.is_empty())
        else {
            return Err(Unsupported::new("the number of heaps is not fixed", at));
        };
        let mut found = Vec::new();
        for size in least..=most.min(heaps.len()) {
            for set in (0..heaps.len()).combinations(size) {
                let nonempty = set
                    .iter()
                    .map(|heap| self.interpreter.is_nonempty(&heaps[*heap], at));
                let nonempty: Translation<Vec<_>> = nonempty.collect();
                let set = set.into_iter().map(HeapId::new).collect();
                found.push((Formula::and(nonempty?), set));
            }
        }
        Ok(found)
    }

    /// The sets whose number of heaps the position gives, each with its condition.
    fn counted_sets(
        &mut self,
        counted: &CountedSets,
        at: Span,
    ) -> Translation<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        let heap = match counted.to {
            None => None,
            Some(to) => match self.picked(to).as_slice() {
                [heap] => Some(*heap),
                _ => return Err(Unsupported::new("no heap has been selected here", at)),
            },
        };
        let interpreter = &mut self.interpreter;
        let cases = interpreter.number(&counted.count);
        let cases = cases.map_err(|unsupported| unsupported.or_at(at))?;
        let mut found = Vec::new();
        for index in 0..counted.sets[heap.map_or(0, HeapId::index)].len() {
            let (least, most) = counted.counts(index, heap);
            let sets = counted.of(heap, least);
            if sets.is_empty() {
                continue;
            }
            let order = match most {
                Some(_) => Order::Equal,
                None => Order::AtMost,
            };
            let least = D::constant(least);
            let here = exists_case(&cases, |value| {
                interpreter.compared(&least, order, value, at)
            })?;
            if here != Formula::FALSE {
                found.extend(sets.iter().map(|heaps| (here.clone(), heaps.clone())));
            }
        }
        Ok(found)
    }

    /// The sets of nonempty heaps that may be selected, each with its condition.
    fn remaining_sets(
        &self,
        remaining_sets: &RemainingSets,
        at: Span,
    ) -> Translation<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        if let Number::Some { least: 1, most: 1 } = remaining_sets.number {
            match &remaining_sets.family {
                SetFamily::Consecutive { least, most } => {
                    return self.consecutive(remaining_sets.board, *least, *most, at);
                }
                SetFamily::Listed(sets) if sets.iter().all(|set| set.len() == 1) => {
                    return sets
                        .iter()
                        .map(|set| {
                            Ok((
                                self.all_nonempty(remaining_sets.board, set, at)?,
                                set.clone(),
                            ))
                        })
                        .collect();
                }
                SetFamily::Listed(_) => {}
            }
        }
        // The selection depends only on which heaps are nonempty.
        check_vanishing(remaining_sets.board, at)?;
        let mut selected: BTreeMap<Vec<HeapId>, Vec<FormulaOf<D>>> = BTreeMap::new();
        let count = remaining_sets.board.count;
        for places in (0..count).powerset() {
            let places: Vec<usize> = places
                .iter()
                .map(|place| remaining_sets.board.first + place)
                .collect();
            let mut position = vec![0; self.interpreter.heaps.len()];
            for place in &places {
                position[*place] = 1;
            }
            let condition = self
                .interpreter
                .exactly_nonempty(remaining_sets.board, &places, at)?;
            for set in remaining_sets.members(&position) {
                let conditions = selected.entry(set.to_vec()).or_default();
                conditions.push(condition.clone());
            }
            if selected.len() > MAX_TRANSITIONS {
                return Err(too_many_transitions(at));
            }
        }
        let selected = selected.into_iter();
        Ok(selected
            .map(|(set, conditions)| (Formula::or(conditions), set))
            .collect())
    }

    /// The formula that none of these heaps has vanished from the board.
    fn all_nonempty(
        &self,
        board: ShrinkingBoard,
        heaps: &[HeapId],
        at: Span,
    ) -> Translation<FormulaOf<D>> {
        let mut all = Vec::new();
        for heap in heaps.iter().filter(|heap| board.holds(**heap)) {
            let size = &self.interpreter.heaps[heap.index()];
            all.push(self.interpreter.is_nonempty(size, at)?);
        }
        Ok(Formula::and(all))
    }

    /// The sets of consecutive heaps among the nonempty heaps of a board.
    fn consecutive(
        &self,
        board: ShrinkingBoard,
        least: usize,
        most: usize,
        at: Span,
    ) -> Translation<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        check_vanishing(board, at)?;
        let heaps = &self.interpreter.heaps[board.places()];
        let count = heaps.len();
        let empty = |places: &mut dyn Iterator<Item = usize>| -> Translation<FormulaOf<D>> {
            let parts: Translation<Vec<_>> = places
                .map(|place| self.interpreter.is_empty(&heaps[place], at))
                .collect();
            Ok(Formula::and(parts?))
        };
        let mut found = Vec::new();
        for size in 1..=most.min(count) {
            for set in (0..count).combinations(size) {
                let outside = |place: &usize| !set.contains(place);
                let mut any = Vec::new();
                // The set is that of all nonempty heaps, and is small enough.
                any.push(empty(&mut (0..count).filter(outside))?);
                if size >= least {
                    // The heaps between those of the set are empty.
                    for place in 0..size {
                        let first = set[place];
                        let last = set[(place + size - 1) % size];
                        let length = (last + count - first) % count;
                        if board.arrangement == Arrangement::Row && first + length >= count {
                            continue;
                        }
                        let mut between = (0..=length)
                            .map(|step| (first + step) % count)
                            .filter(outside);
                        any.push(empty(&mut between)?);
                    }
                }
                let set: Vec<HeapId> = set
                    .into_iter()
                    .map(|place| HeapId::new(board.first + place))
                    .collect();
                let nonempty = self.all_nonempty(board, &set, at)?;
                found.push((Formula::and([Formula::or(any), nonempty]), set));
            }
        }
        Ok(found)
    }

    fn take(&mut self, take: &Take, at: Span) -> Translation<()> {
        let heaps = self.picked(take.pick);
        let count = match take.share {
            Share::Equal => 1,
            Share::HeapByHeap => heaps.len(),
        };
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(D::variable(self.interpreter.fresh(at)?));
        }
        let amounts = match take.share {
            Share::Equal => vec![numbers[0].clone(); heaps.len()],
            Share::HeapByHeap => numbers.clone(),
        };
        for (heap, amount) in heaps.iter().zip(&amounts) {
            let size = &self.interpreter.heaps[heap.index()];
            let fits = self.interpreter.compared(amount, Order::AtMost, size, at)?;
            self.interpreter.path.push(fits);
        }
        for number in &numbers {
            self.assume_amount(number, take.amount.as_ref(), count > 1, at)?;
        }
        self.assume_positive(&numbers, at)?;
        let mut total = D::constant(0);
        for number in &numbers {
            total = D::plus(&total, number).ok_or_else(|| numbers_too_large(at))?;
        }
        self.interpreter.amounts = amounts.clone();
        if let Some(slot) = take.bound {
            self.interpreter.locals.insert(slot, total);
        }
        self.assume(take.whole.as_ref(), at)?;
        self.interpreter.amounts.clear();
        for (heap, amount) in heaps.into_iter().zip(&amounts) {
            self.change(heap, D::minus, amount, at)?;
        }
        Ok(())
    }

    /// Assumes that the number is in the set, or 0 if `may_be_zero`.
    fn assume_amount(
        &mut self,
        number: &D::Value,
        set: Option<&Expr<Set>>,
        may_be_zero: bool,
        at: Span,
    ) -> Translation<()> {
        let Some(set) = set else { return Ok(()) };
        let inside = self
            .interpreter
            .belongs(&unconditional(number.clone()), set);
        let mut inside = inside.map_err(|unsupported| unsupported.or_at(at))?;
        if may_be_zero {
            let is_zero = self.interpreter.is_empty(number, at)?;
            inside = Formula::or([inside, is_zero]);
        }
        self.interpreter.path.push(inside);
        Ok(())
    }

    /// Assumes that one of the numbers is not 0.
    fn assume_positive(&mut self, numbers: &[D::Value], at: Span) -> Translation<()> {
        let mut some = Vec::with_capacity(numbers.len());
        for number in numbers {
            some.push(self.interpreter.is_nonempty(number, at)?);
        }
        self.interpreter.path.push(Formula::or(some));
        Ok(())
    }

    fn change(
        &mut self,
        heap: HeapId,
        changed: impl Fn(&D::Value, &D::Value) -> Option<D::Value>,
        amount: &D::Value,
        at: Span,
    ) -> Translation<()> {
        let size = &mut self.interpreter.heaps[heap.index()];
        *size = changed(size, amount).ok_or_else(|| numbers_too_large(at))?;
        Ok(())
    }

    /// Gives each heap its new size, which is read in the position `before` the
    /// step, and continues.
    fn set_each(
        &mut self,
        at: NodeId,
        heaps: &[HeapId],
        (slot, number, value): (Slot, Option<Slot>, &Expr<Num>),
        before: &[D::Value],
    ) -> Translation<()> {
        let Some((heap, rest)) = heaps.split_first() else {
            return self.walk_successor(at);
        };
        let interpreter = &mut self.interpreter;
        let size = before[heap.index()].clone();
        interpreter.locals.insert(slot, size);
        if let Some(number) = number {
            let of_heap = D::constant(heap.index() as i64 + 1);
            interpreter.locals.insert(number, of_heap);
        }
        let after = std::mem::replace(&mut interpreter.heaps, before.to_vec());
        let cases = interpreter.number(value);
        interpreter.heaps = after;
        for case in cases? {
            self.branch(case.guard, |walk| {
                let zero = D::constant(0);
                let interpreter = &mut walk.interpreter;
                let negative = interpreter.compared(&case.value, Order::Less, &zero, value.span)?;
                interpreter.record_fault(negative.clone(), NEGATIVE_SIZE, value.span);
                interpreter.path.push(negative.negated());
                interpreter.heaps[heap.index()] = case.value;
                walk.set_each(at, rest, (slot, number, value), before)
            })?;
        }
        Ok(())
    }

    /// Adds the transition of the completed move.
    fn emit(&mut self) -> Translation<()> {
        let at = self.alternative;
        let sizes = self.interpreter.heaps.clone();
        let known = self.interpreter.path.len();
        let mut touched = Vec::new();
        for (heap, size) in sizes.iter().enumerate() {
            if *size != D::variable(of_heap(heap)) {
                touched.push(heap);
                let after = D::variable(of_heap_after(heap));
                let becomes = self.interpreter.compared(&after, Order::Equal, size, at)?;
                self.interpreter.path.push(becomes);
            }
        }
        if self.target == TargetConstraint::Positions
            && let Some(positions) = &self.graph.positions
        {
            self.assume(Some(positions), at)?;
        }
        let formula = Formula::and(self.interpreter.path.drain(known..).collect::<Vec<_>>());
        let formula = Formula::and(self.interpreter.path.iter().cloned().chain([formula]));
        let existentials = (first_free(sizes.len())..self.interpreter.next).collect();
        let (existentials, formula) = D::close(existentials, formula);
        if formula != Formula::FALSE {
            self.transitions.push(Transition {
                touched,
                existentials,
                formula,
                span: at,
            });
        }
        if self.transitions.len() > 2 * MAX_TRANSITIONS {
            sort_and_dedup(&mut self.transitions);
            if self.transitions.len() > MAX_TRANSITIONS {
                return Err(too_many_transitions(at));
            }
        }
        Ok(())
    }
}

/// Sorts the transitions and removes duplicates.
fn sort_and_dedup<D: Domain>(transitions: &mut Vec<Transition<D>>) {
    let key = |t: &Transition<D>| (t.touched.clone(), t.formula.clone(), t.existentials.clone());
    transitions.sort_by_cached_key(key);
    transitions.dedup_by(|one, other| {
        (&one.touched, &one.formula, &one.existentials)
            == (&other.touched, &other.formula, &other.existentials)
    });
}

fn too_many_transitions(at: Span) -> Unsupported {
    Unsupported::too_large("there are too many ways to move", at)
}
