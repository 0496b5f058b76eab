//! The concrete walk: a depth-first traversal of the move-generator graph that
//! enumerates the options of one position.
//!
//! It defines the meaning of a move. The walk updates one position in place and
//! restores it on backtracking, together with the place of the position in the
//! table of a box.

mod part_bounds;
mod replace;
mod set;
mod slide;
mod split;
mod take;

use super::{MoveGraph, Node};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use nimrule_model::expr::eval::heap_at;
use nimrule_model::expr::{Bool, Environment, Expr, Fault, HeapId, Num, Picked, PlacedFault, Set};
use nimrule_model::game::Members;
use petgraph::graph::NodeIndex;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The reason why a walk failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A limit was exceeded, or the walk was interrupted.
    LimitExceeded(LimitExceeded),
    /// An expression has no value.
    Fault(PlacedFault),
}

/// The reason why a walk ended early.
#[derive(Debug, Clone, Copy)]
enum Exit {
    /// The visitor broke off, or a budget of the walker is used up.
    Stopped,
    Stop(Stop),
}

impl From<PlacedFault> for Exit {
    fn from(fault: PlacedFault) -> Exit {
        Exit::Stop(Stop::Fault(fault))
    }
}

/// The set of options of a position, in ascending lexicographic order.
///
/// # Errors
///
/// The first expression without a value that the walk evaluates.
///
/// # Examples
///
/// ```
/// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
/// let graph = nimrule_ir::lower(&nim);
/// assert_eq!(nimrule_ir::moves(&graph, &[0, 2]).unwrap(), [[0, 0], [0, 1]]);
/// ```
pub fn moves(graph: &MoveGraph, position: &[u64]) -> Result<Vec<Vec<u64>>, PlacedFault> {
    let mut options = std::collections::BTreeSet::new();
    let walked = Walker::new(graph, &[]).options(position, 0, &mut |option, _| {
        options.insert(option.to_vec());
        ControlFlow::Continue(())
    });
    match walked {
        Ok(_) => Ok(options.into_iter().collect()),
        Err(Stop::Fault(fault)) => Err(fault),
        Err(Stop::LimitExceeded(_)) => unreachable!("this walk has no limits"),
    }
}

/// A generator of options. One walker serves many positions, so that none
/// allocates.
pub struct Walker<'g> {
    graph: &'g MoveGraph,
    /// The difference in places that one token of each heap makes.
    strides: Vec<usize>,
    position: Vec<u64>,
    /// The kind of each heap, in a multiset of heaps.
    kinds: Vec<usize>,
    place: usize,
    locals: Vec<i64>,
    picks: Vec<Picked>,
    amounts: Vec<u64>,
    counters: Vec<u64>,
    /// The positions within a turn at which the same player moves again, and those of
    /// them from which the walk must still continue, with their places.
    continued: BTreeSet<Vec<u64>>,
    again: Vec<(Vec<u64>, usize)>,
    /// The number of choices that a condition was evaluated for in this position,
    /// and the number at which the walk stops.
    pub attempts: u64,
    /// The value of `attempts` at which the walk stops.
    pub max_attempts: u64,
    /// The number of steps walked in this position, and the number at which the walk
    /// stops.
    steps: u64,
    /// The number of steps in one position at which the walk stops.
    pub max_steps: u64,
    /// The step of the next check of the clock and of `max_steps`.
    next_check: u64,
    limits: Option<Limits>,
}

type Walk = Result<(), Exit>;

/// The number of steps between two checks of the clock.
const STEPS_BETWEEN_CHECKS: u64 = 1 << 12;

impl<'g> Walker<'g> {
    /// A walker over a graph. `strides` may be empty if the caller has no table;
    /// places are then 0.
    pub fn new(graph: &'g MoveGraph, strides: &[usize]) -> Walker<'g> {
        let mut strides = strides.to_vec();
        strides.resize(graph.heaps, 0);
        Walker {
            graph,
            strides,
            position: vec![0; graph.heaps],
            kinds: Vec::new(),
            place: 0,
            locals: vec![0; graph.slots],
            picks: vec![Picked::new(); graph.picks],
            amounts: Vec::new(),
            counters: vec![0; graph.counters],
            continued: BTreeSet::new(),
            again: Vec::new(),
            attempts: 0,
            max_attempts: u64::MAX,
            steps: 0,
            max_steps: u64::MAX,
            next_check: STEPS_BETWEEN_CHECKS,
            limits: None,
        }
    }

    /// Checks the limits during each walk, too.
    pub fn until(mut self, limits: &Limits) -> Walker<'g> {
        self.limits = Some(limits.clone());
        self
    }

    /// Calls `visit` with every option of `position` and its place in the table,
    /// with some options perhaps repeatedly, until it breaks. Returns whether it did
    /// or a budget was used up.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded, or an expression without a value.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_ir::{Walker, lower};
    /// use std::ops::ControlFlow;
    ///
    /// let nim = nimrule_fixtures::compiled("game nim heaps a b move take from one heap").unwrap().game;
    /// let graph = lower(&nim);
    /// let mut first = Vec::new();
    /// let broke = Walker::new(&graph, &[]).options(&[2, 1], 0, &mut |option, _| {
    ///     first = option.to_vec();
    ///     ControlFlow::Break(())
    /// });
    /// assert!(broke.unwrap());
    /// assert_eq!(first.iter().sum::<u64>(), 2);
    /// ```
    pub fn options(
        &mut self,
        position: &[u64],
        place: usize,
        visit: &mut dyn FnMut(&[u64], usize) -> ControlFlow<()>,
    ) -> Result<bool, Stop> {
        self.options_inlined(position, place, visit)
    }

    /// As [`Walker::options`], compiled once for each type of visitor: faster where
    /// the visitor does little, as in loops that fill tables, and slower to build.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded, or an expression without a value.
    pub fn options_inlined<V>(
        &mut self,
        position: &[u64],
        place: usize,
        visit: &mut V,
    ) -> Result<bool, Stop>
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        self.load(position);
        self.place = place;
        self.amounts.clear();
        // A walk that broke off leaves its counters. Locals are written before
        // they are read.
        for counter in &mut self.counters {
            *counter = 0;
        }
        self.continued.clear();
        self.again.clear();
        self.attempts = 0;
        // The steps left until the next check of the clock carry over.
        self.next_check -= self.steps;
        self.steps = 0;
        let mut walked = self.walk(self.graph.start, visit);
        while walked.is_ok()
            && let Some((position, place)) = self.again.pop()
        {
            self.load(&position);
            self.place = place;
            walked = self.walk(self.graph.start, visit);
        }
        match walked {
            Ok(()) => Ok(false),
            Err(Exit::Stopped) => Ok(true),
            Err(Exit::Stop(stop)) => Err(stop),
        }
    }

    /// The number of steps walked in the last position.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The number of heaps of a position.
    pub fn heaps(&self) -> usize {
        self.graph.heaps
    }

    /// Whether the vector satisfies `positions where`.
    ///
    /// # Errors
    ///
    /// An expression of the condition without a value.
    ///
    /// # Examples
    ///
    /// ```
    /// use nimrule_ir::{Walker, lower};
    ///
    /// let rule = "game g heaps a b positions where a != b move take from one heap";
    /// let game = nimrule_fixtures::compiled(rule).unwrap().game;
    /// let graph = lower(&game);
    /// let mut walker = Walker::new(&graph, &[]);
    /// assert!(walker.is_position(&[1, 2]).unwrap());
    /// assert!(!walker.is_position(&[2, 2]).unwrap());
    /// ```
    pub fn is_position(&mut self, position: &[u64]) -> Result<bool, PlacedFault> {
        self.load(position);
        match &self.graph.positions {
            Some(condition) => self.holds(condition),
            None => Ok(true),
        }
    }

    fn walk<V>(&mut self, at: NodeIndex, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        self.step(1)?;
        let graph = self.graph;
        match graph.node(at) {
            Node::End => {
                if let Some(condition) = &graph.positions
                    && !self.holds(condition)?
                {
                    return Ok(());
                }
                let flow = match &graph.kinds {
                    None => visit(&self.position, self.place),
                    Some(kinds) => visit(&self.normalised(kinds), 0),
                };
                match flow {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(Exit::Stopped),
                }
            }
            Node::Again(positions) => match positions {
                Some(condition) if !self.holds(condition)? => Ok(()),
                _ => {
                    self.move_again();
                    Ok(())
                }
            },
            Node::Join => {
                for next in graph.after(at) {
                    self.walk(*next, visit)?;
                }
                Ok(())
            }
            Node::Guard(condition) => {
                if self.holds(condition)? {
                    self.continue_from(at, visit)?;
                }
                Ok(())
            }
            Node::Number {
                slot,
                set,
                condition,
                cutoff,
            } => {
                let enough = match cutoff {
                    Some(cutoff) => {
                        let tokens = self
                            .position
                            .iter()
                            .fold(0, |all: u64, size| all.saturating_add(*size));
                        cutoff
                            .number(*slot, graph.slots, tokens)
                            .ok_or_else(|| Fault::InfiniteSet.at(set.span))?
                    }
                    None => i64::MAX,
                };
                for value in self.members(set, enough)? {
                    self.step(1)?;
                    self.locals[slot.index()] = value;
                    if let Some(condition) = condition
                        && !self.holds(condition)?
                    {
                        continue;
                    }
                    self.continue_from(at, visit)?;
                }
                Ok(())
            }
            Node::Choice { pick, members } => {
                let pick = pick.index();
                // A repeat reaches this node again before the current round
                // ends; the conditions of that round read its own heaps.
                let outer = std::mem::take(&mut self.picks[pick]);
                match members {
                    Members::Listed(listed) => {
                        for member in listed {
                            self.picks[pick] = Picked::from_slice(member);
                            self.continue_from(at, visit)?;
                        }
                    }
                    Members::Remaining(left) => {
                        for member in left.members(&self.position) {
                            self.picks[pick] = member;
                            self.continue_from(at, visit)?;
                        }
                    }
                    Members::Multiset { number, kind } => {
                        for member in self.heap_choices(*number, *kind) {
                            self.picks[pick] = member;
                            self.continue_from(at, visit)?;
                        }
                    }
                    Members::Relative { to, sets } => {
                        // INVARIANT: the earlier selection is a single heap.
                        let heap = self.picks[to.index()][0];
                        for member in &sets[heap.index()] {
                            self.picks[pick] = Picked::from_slice(member);
                            self.continue_from(at, visit)?;
                        }
                    }
                    Members::Picked(earlier) => {
                        self.picks[pick] = self.picks[earlier.index()].clone();
                        self.continue_from(at, visit)?;
                    }
                    Members::At {
                        heaps,
                        first,
                        index,
                    } => {
                        let heap = heap_at(heaps, *first, index, &mut self.environment())?;
                        self.picks[pick] = Picked::from_slice(&[heap]);
                        self.continue_from(at, visit)?;
                    }
                    Members::Counted(counted) => {
                        let count = self.number(&counted.count)?;
                        // INVARIANT: the earlier selection is a single heap.
                        let heap = counted.to.map(|to| self.picks[to.index()][0]);
                        for member in counted.of(heap, count) {
                            self.picks[pick] = Picked::from_slice(member);
                            self.continue_from(at, visit)?;
                        }
                    }
                }
                self.picks[pick] = outer;
                Ok(())
            }
            Node::Take(take) => self.take(at, take, visit),
            Node::Put {
                pick,
                amount,
                numbers,
                condition,
            } => self.put(at, *pick, (amount, numbers), condition.as_ref(), visit),
            Node::Set {
                pick,
                size,
                heap,
                value,
                condition,
            } => self.set(at, *pick, (*size, *heap, value), condition.as_ref(), visit),
            Node::Slide { pick, condition } => self.slide(at, *pick, condition.as_ref(), visit),
            Node::Split {
                pick,
                parts,
                condition,
            } => self.split(at, *pick, parts, condition.as_ref(), visit),
            Node::Replace(replace) => self.replace(at, replace, visit),
            Node::Repeat {
                counter,
                least,
                most,
            } => {
                let done = self.counters[*counter];
                let [body, exit] = graph.after(at) else {
                    unreachable!("a repeat has a body and an exit");
                };
                if done >= *least {
                    self.walk(*exit, visit)?;
                }
                if done < *most {
                    self.counters[*counter] = done + 1;
                    self.walk(*body, visit)?;
                    self.counters[*counter] = done;
                }
                Ok(())
            }
        }
    }

    /// Notes that another move of the same turn starts here, once for each position.
    fn move_again(&mut self) {
        let here = match &self.graph.kinds {
            None => self.position.clone(),
            Some(kinds) => self.normalised(kinds),
        };
        if self.continued.insert(here.clone()) {
            self.again.push((here, self.place));
        }
    }

    fn continue_from<V>(&mut self, at: NodeIndex, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()> + ?Sized,
    {
        let graph = self.graph;
        self.walk(graph.after(at)[0], visit)
    }

    /// Counts steps and checks the budgets at regular intervals.
    fn step(&mut self, steps: u64) -> Walk {
        self.steps += steps;
        if self.steps >= self.next_check {
            self.next_check = self.steps + STEPS_BETWEEN_CHECKS;
            if self.steps >= self.max_steps {
                return Err(Exit::Stopped);
            }
            if let Some(limits) = &self.limits {
                limits
                    .check_work(Steps(150))
                    .map_err(|met| Exit::Stop(Stop::LimitExceeded(met)))?;
            }
        }
        Ok(())
    }

    fn lower(&mut self, heap: HeapId, number: u64) {
        self.position[heap.index()] -= number;
        self.place = self
            .place
            .wrapping_sub(self.strides[heap.index()].wrapping_mul(number as usize));
    }

    fn raise(&mut self, heap: HeapId, number: u64) {
        self.position[heap.index()] += number;
        self.place = self
            .place
            .wrapping_add(self.strides[heap.index()].wrapping_mul(number as usize));
    }

    fn replace_size(&mut self, heap: HeapId, before: u64, after: u64) {
        if after < before {
            self.lower(heap, before - after);
        } else {
            self.raise(heap, after - before);
        }
    }

    fn environment(&mut self) -> Environment<'_> {
        Environment {
            position: &self.position,
            kinds: &self.kinds,
            locals: &mut self.locals,
            picks: &self.picks,
            amounts: &self.amounts,
            symmetries: &self.graph.symmetries,
            steps: 0,
        }
    }

    fn holds(&mut self, condition: &Expr<Bool>) -> Result<bool, PlacedFault> {
        condition.eval(&mut self.environment())
    }

    fn number(&mut self, num: &Expr<Num>) -> Result<i64, PlacedFault> {
        num.eval(&mut self.environment())
    }

    /// The members of a set, up to the first that is at least `enough`.
    fn members(&mut self, set: &Expr<Set>, enough: i64) -> Result<Vec<i64>, PlacedFault> {
        let mut members = Vec::new();
        set.any_member_to(i64::MAX, &mut self.environment(), &mut |member, _| {
            members.push(member);
            Ok(member >= enough)
        })?;
        Ok(members)
    }

    /// The members of a set between 1 and `most`.
    fn positive_members(
        &mut self,
        set: &Expr<Set>,
        most: u64,
    ) -> Result<SmallVec<[u64; 16]>, PlacedFault> {
        let mut members = SmallVec::new();
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        set.any_member_to(most, &mut self.environment(), &mut |member, _| {
            members.extend(u64::try_from(member).ok().filter(|m| *m > 0));
            Ok(false)
        })?;
        Ok(members)
    }
}
