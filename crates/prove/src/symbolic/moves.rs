//! The moves of a rule as a transition relation between the sizes before and
//! after a move, by a walk of the lowered form.
//!
//! A transition is one choice of alternative, of the heaps that each step
//! selects and of the case that each number falls into; the amounts stay open.
//! Its formula speaks of all heaps as they were, and of those that it may change
//! as they become. The others keep their variables, for they are the same before
//! and after.

use super::form::{check_vanishing, subsets};
use super::formula::{first_free, of_heap, of_heap_after};
use super::{
    Domain, Fault, Formula, FormulaOf, Interpreter, Read, Variable, certain, numbers_too_large,
};
use crate::unsupported::Unsupported;
use nimrule_ir::{MoveGraph, Node, NodeId, Take};
use nimrule_model::board::{Arrangement, shrinking::ShrinkingBoard};
use nimrule_model::expr::{Bool, Expr, HeapId, Order, Pick, Set};
use nimrule_model::game::{Game, Members, Number, RemainingSets, SetFamily, Share};
use nimrule_model::source::Span;
use std::collections::BTreeMap;

/// A part of the transition relation.
#[derive(Debug, Clone)]
pub struct Transition<D: Domain> {
    /// The heaps that it may change, ascending.
    pub touched: Vec<usize>,
    /// Further variables that the formula speaks of, where the domain does not
    /// quantify them: there are numbers for them if there is such a move.
    pub own: Vec<Variable>,
    /// Between the variables of the heaps before the move, and after it for
    /// those touched.
    pub formula: FormulaOf<D>,
    /// The alternative of the rule.
    pub span: Span,
}

/// The transition relation of a rule.
#[derive(Debug, Clone)]
pub struct Moves<D: Domain> {
    pub transitions: Vec<Transition<D>>,
    /// The domain with what it noted on the way.
    pub domain: D,
    /// Where an expression of the rule has no value. Their conditions may speak
    /// of amounts.
    pub faults: Vec<Fault<D>>,
}

/// What is asked of the positions that a move leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// That they are positions of the game.
    Positions,
    /// Nothing: they have any sizes.
    AnySizes,
}

/// A rule with more transitions than this is refused ...
const MOST_TRANSITIONS: usize = 20_000;

/// ... and one whose walk takes more steps.
const MOST_STEPS: usize = 500_000;

/// Reads the transition relation off the lowered form.
pub fn transitions<D: Domain>(
    game: &Game,
    graph: &MoveGraph,
    domain: D,
    reached: Reached,
) -> Read<Moves<D>> {
    let mut walk = Walk {
        reader: Interpreter::of_heaps(game, domain),
        graph,
        reached,
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
    each_once(&mut walk.transitions);
    Ok(Moves {
        transitions: walk.transitions,
        domain: walk.reader.domain,
        faults: walk.reader.faults,
    })
}

struct Walk<'w, D: Domain> {
    reader: Interpreter<'w, D>,
    graph: &'w MoveGraph,
    reached: Reached,
    counters: Vec<u64>,
    transitions: Vec<Transition<D>>,
    steps: usize,
    /// The alternative that the walk is in.
    alternative: Span,
}

impl<'w, D: Domain> Walk<'w, D> {
    fn walk(&mut self, at: NodeId) -> Read<()> {
        let graph = self.graph;
        let span = graph.span(at);
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(too_many_ways(self.alternative));
        }
        if self.reader.path.contains(&Formula::FALSE) {
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
                self.branch(holds, |walk| walk.go_on(at))
            }
            Node::Number {
                slot,
                set,
                condition,
                // A bound for those who enumerate.
                cutoff: _,
            } => {
                let cases = self.reader.any_member(set);
                for case in cases.map_err(|unsupported| unsupported.or_at(span))? {
                    self.branch(case.guard, |walk| {
                        walk.reader.locals.insert(*slot, case.value);
                        walk.assume(condition.as_ref(), span)?;
                        walk.go_on(at)
                    })?;
                }
                Ok(())
            }
            Node::Choice { pick, members } => {
                for (condition, heaps) in self.selections(members, span)? {
                    self.branch(condition, |walk| {
                        walk.reader.picks.insert(*pick, heaps);
                        walk.go_on(at)
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
                    walk.go_on(at)
                })
            }
            Node::Put {
                pick,
                amount,
                numbers: _,
                condition,
            } => self.branch(Formula::TRUE, |walk| {
                walk.assume(condition.as_ref(), span)?;
                let number = D::variable(walk.reader.fresh(span)?);
                walk.is_amount(&number, Some(amount), false, span)?;
                walk.is_positive(std::slice::from_ref(&number), span)?;
                let heaps = walk.picked(*pick);
                for heap in heaps {
                    walk.change(heap, D::plus, &number, span)?;
                }
                walk.go_on(at)
            }),
            Node::Slide { .. } => Err(Unsupported::new("tokens go along arcs", span)),
            Node::Split { .. } => Err(Unsupported::new("a heap is split", span)),
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
            Node::End => self.end(),
        }
    }

    fn go_on(&mut self, at: NodeId) -> Read<()> {
        let graph = self.graph;
        self.walk(graph.after(at)[0])
    }

    /// Goes on where this holds, and forgets afterwards what was chosen on the
    /// way.
    fn branch(
        &mut self,
        condition: FormulaOf<D>,
        then: impl FnOnce(&mut Self) -> Read<()>,
    ) -> Read<()> {
        if condition == Formula::FALSE {
            return Ok(());
        }
        let reader = &mut self.reader;
        let known = reader.path.len();
        let next = reader.next;
        let heaps = reader.heaps.clone();
        let locals = reader.locals.clone();
        let picks = reader.picks.clone();
        reader.path.push(condition);
        then(self)?;
        let reader = &mut self.reader;
        reader.path.truncate(known);
        reader.next = next;
        reader.heaps = heaps;
        reader.locals = locals;
        reader.picks = picks;
        Ok(())
    }

    fn condition(&mut self, condition: &Expr<Bool>, at: Span) -> Read<FormulaOf<D>> {
        let holds = self.reader.condition(condition);
        holds.map_err(|unsupported| unsupported.or_at(at))
    }

    /// Goes on only where the condition holds.
    fn assume(&mut self, condition: Option<&Expr<Bool>>, at: Span) -> Read<()> {
        if let Some(condition) = condition {
            let holds = self.condition(condition, at)?;
            self.reader.path.push(holds);
        }
        Ok(())
    }

    fn picked(&self, pick: Pick) -> Vec<HeapId> {
        self.reader.picks.get(&pick).cloned().unwrap_or_default()
    }

    /// The sets of heaps that may be selected, each with its condition.
    fn selections(
        &mut self,
        members: &Members,
        at: Span,
    ) -> Read<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        let always = |heaps: Vec<HeapId>| (Formula::TRUE, heaps);
        match members {
            Members::Listed(listed) => Ok(listed.iter().cloned().map(always).collect()),
            Members::Picked(earlier) => Ok(vec![always(self.picked(*earlier))]),
            Members::Multiset { .. } => {
                Err(Unsupported::new("the number of heaps is not fixed", at))
            }
            Members::At {
                heaps,
                first,
                index,
            } => {
                let found = self.reader.heaps_at(heaps, *first, index);
                let found = found.map_err(|unsupported| unsupported.or_at(at))?;
                Ok(found
                    .into_iter()
                    .map(|(here, heap)| (here, vec![heap]))
                    .collect())
            }
            Members::Remaining(left) => self.left(left, at),
        }
    }

    /// The sets of heaps that may be selected among those that are there.
    fn left(&self, left: &RemainingSets, at: Span) -> Read<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        if let Number::Some { least: 1, most: 1 } = left.number {
            match &left.family {
                SetFamily::Consecutive { least, most } => {
                    return self.consecutive(left.board, *least, *most, at);
                }
                SetFamily::Listed(sets) if sets.iter().all(|set| set.len() == 1) => {
                    return sets
                        .iter()
                        .map(|set| Ok((self.are_there(left.board, set, at)?, set.clone())))
                        .collect();
                }
                SetFamily::Listed(_) => {}
            }
        }
        // What is selected depends only on which heaps are left.
        check_vanishing(left.board, at)?;
        let mut selected: BTreeMap<Vec<HeapId>, Vec<FormulaOf<D>>> = BTreeMap::new();
        let count = left.board.count;
        for places in (0..=count).flat_map(|size| subsets(count, size)) {
            let places: Vec<usize> = places
                .iter()
                .map(|place| left.board.first + place)
                .collect();
            let mut position = vec![0; self.reader.heaps.len()];
            for place in &places {
                position[*place] = 1;
            }
            let condition = self.reader.only_left(left.board, &places, at)?;
            for set in left.members(&position) {
                let conditions = selected.entry(set.to_vec()).or_default();
                conditions.push(condition.clone());
            }
            if selected.len() > MOST_TRANSITIONS {
                return Err(too_many_ways(at));
            }
        }
        let selected = selected.into_iter();
        Ok(selected
            .map(|(set, conditions)| (Formula::or(conditions), set))
            .collect())
    }

    /// None of these heaps has vanished from the board.
    fn are_there(&self, board: ShrinkingBoard, heaps: &[HeapId], at: Span) -> Read<FormulaOf<D>> {
        let mut all = Vec::new();
        for heap in heaps.iter().filter(|heap| board.holds(**heap)) {
            let size = &self.reader.heaps[heap.index()];
            all.push(self.reader.is_left(size, at)?);
        }
        Ok(Formula::and(all))
    }

    /// Consecutive heaps among those of a board that are left.
    fn consecutive(
        &self,
        board: ShrinkingBoard,
        least: usize,
        most: usize,
        at: Span,
    ) -> Read<Vec<(FormulaOf<D>, Vec<HeapId>)>> {
        check_vanishing(board, at)?;
        let heaps = &self.reader.heaps[board.places()];
        let count = heaps.len();
        let empty = |places: &mut dyn Iterator<Item = usize>| -> Read<FormulaOf<D>> {
            let parts: Read<Vec<_>> = places
                .map(|place| self.reader.is_empty(&heaps[place], at))
                .collect();
            Ok(Formula::and(parts?))
        };
        let mut found = Vec::new();
        for size in 1..=most.min(count) {
            for set in subsets(count, size) {
                let outside = |place: &usize| !set.contains(place);
                let mut any = Vec::new();
                // All that are left, where they are no more than may be taken.
                any.push(empty(&mut (0..count).filter(outside))?);
                if size >= least {
                    // From one of the set on to the last of it, what lies
                    // between them is empty.
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
                let there = self.are_there(board, &set, at)?;
                found.push((Formula::and([Formula::or(any), there]), set));
            }
        }
        Ok(found)
    }

    fn take(&mut self, take: &Take, at: Span) -> Read<()> {
        let heaps = self.picked(take.pick);
        let count = match take.share {
            Share::Equal => 1,
            Share::HeapByHeap => heaps.len(),
        };
        let mut numbers = Vec::with_capacity(count);
        for _ in 0..count {
            numbers.push(D::variable(self.reader.fresh(at)?));
        }
        let amounts = match take.share {
            Share::Equal => vec![numbers[0].clone(); heaps.len()],
            Share::HeapByHeap => numbers.clone(),
        };
        for (heap, amount) in heaps.iter().zip(&amounts) {
            let size = &self.reader.heaps[heap.index()];
            let fits = self.reader.compared(amount, Order::AtMost, size, at)?;
            self.reader.path.push(fits);
        }
        for number in &numbers {
            self.is_amount(number, take.amount.as_ref(), count > 1, at)?;
        }
        self.is_positive(&numbers, at)?;
        let mut total = D::constant(0);
        for number in &numbers {
            total = D::plus(&total, number).ok_or_else(|| numbers_too_large(at))?;
        }
        self.reader.amounts = amounts.clone();
        if let Some(slot) = take.bound {
            self.reader.locals.insert(slot, total);
        }
        self.assume(take.whole.as_ref(), at)?;
        self.reader.amounts.clear();
        for (heap, amount) in heaps.into_iter().zip(&amounts) {
            self.change(heap, D::minus, amount, at)?;
        }
        Ok(())
    }

    /// The number is one of the set, or nothing where that `may` be.
    fn is_amount(
        &mut self,
        number: &D::Value,
        set: Option<&Expr<Set>>,
        may_be_nothing: bool,
        at: Span,
    ) -> Read<()> {
        let Some(set) = set else { return Ok(()) };
        let inside = self.reader.belongs(&certain(number.clone()), set);
        let mut inside = inside.map_err(|unsupported| unsupported.or_at(at))?;
        if may_be_nothing {
            let nothing = self.reader.is_empty(number, at)?;
            inside = Formula::or([inside, nothing]);
        }
        self.reader.path.push(inside);
        Ok(())
    }

    /// One of the numbers is not 0.
    fn is_positive(&mut self, numbers: &[D::Value], at: Span) -> Read<()> {
        let mut some = Vec::with_capacity(numbers.len());
        for number in numbers {
            some.push(self.reader.is_left(number, at)?);
        }
        self.reader.path.push(Formula::or(some));
        Ok(())
    }

    fn change(
        &mut self,
        heap: HeapId,
        changed: impl Fn(&D::Value, &D::Value) -> Option<D::Value>,
        amount: &D::Value,
        at: Span,
    ) -> Read<()> {
        let size = &mut self.reader.heaps[heap.index()];
        *size = changed(size, amount).ok_or_else(|| numbers_too_large(at))?;
        Ok(())
    }

    /// The move is made.
    fn end(&mut self) -> Read<()> {
        let at = self.alternative;
        let sizes = self.reader.heaps.clone();
        let known = self.reader.path.len();
        let mut touched = Vec::new();
        for (heap, size) in sizes.iter().enumerate() {
            if *size != D::variable(of_heap(heap)) {
                touched.push(heap);
                let after = D::variable(of_heap_after(heap));
                let becomes = self.reader.compared(&after, Order::Equal, size, at)?;
                self.reader.path.push(becomes);
            }
        }
        if self.reached == Reached::Positions
            && let Some(positions) = &self.graph.positions
        {
            self.assume(Some(positions), at)?;
        }
        let formula = Formula::and(self.reader.path.drain(known..).collect::<Vec<_>>());
        let formula = Formula::and(self.reader.path.iter().cloned().chain([formula]));
        let own = (first_free(sizes.len())..self.reader.next).collect();
        let (own, formula) = D::close(own, formula);
        if formula != Formula::FALSE {
            self.transitions.push(Transition {
                touched,
                own,
                formula,
                span: at,
            });
        }
        if self.transitions.len() > 2 * MOST_TRANSITIONS {
            each_once(&mut self.transitions);
            if self.transitions.len() > MOST_TRANSITIONS {
                return Err(too_many_ways(at));
            }
        }
        Ok(())
    }
}

/// Sorts transitions and leaves out those that are equal to another.
fn each_once<D: Domain>(transitions: &mut Vec<Transition<D>>) {
    let key = |t: &Transition<D>| (t.touched.clone(), t.formula.clone(), t.own.clone());
    transitions.sort_by_cached_key(key);
    transitions.dedup_by(|one, other| {
        (&one.touched, &one.formula, &one.own) == (&other.touched, &other.formula, &other.own)
    });
}

fn too_many_ways(at: Span) -> Unsupported {
    Unsupported::too_large("there are too many ways to move", at)
}
