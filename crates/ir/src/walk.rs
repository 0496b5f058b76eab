//! Walking the graph: the options of a position.
//!
//! This is the one meaning of a move. A walk keeps the position as it stands
//! after the steps taken so far and changes it back on its way out. It also
//! keeps the position's place in a table of all positions of a box, since
//! that is changed as cheaply as the position itself.

mod slide;
mod split;
mod take;

use super::{MoveGraph, Node};
use nimrule_limits::{LimitExceeded, Limits};
use nimrule_model::expr::eval::heap_at;
use nimrule_model::expr::{Bool, Environment, Expr, Fault, HeapId, Num, Picked, PlacedFault, Set};
use nimrule_model::game::Members;
use petgraph::graph::NodeIndex;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Why a walk could not be finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// A limit was met, or the walk was interrupted.
    LimitExceeded(LimitExceeded),
    Fault(PlacedFault),
}

/// Why a walk ended early.
#[derive(Debug, Clone, Copy)]
enum End {
    /// The visitor has seen enough.
    Enough,
    Stop(Stop),
}

impl From<PlacedFault> for End {
    fn from(fault: PlacedFault) -> End {
        End::Stop(Stop::Fault(fault))
    }
}

/// The set of options of a position, in ascending lexicographic order.
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

/// Generates options; kept from position to position so that nothing is
/// allocated for each.
pub struct Walker<'g> {
    graph: &'g MoveGraph,
    /// What one token of a heap is worth in a position's place in a table.
    strides: Vec<usize>,
    position: Vec<u64>,
    /// In a bag, the kind of each heap.
    kinds: Vec<usize>,
    place: usize,
    locals: Vec<i64>,
    picks: Vec<Picked>,
    amounts: Vec<u64>,
    counters: Vec<u64>,
    /// Choices judged by a condition since the last position, and how many of
    /// them before the walk is given up.
    pub attempts: u64,
    pub patience: u64,
    /// Steps walked since the last position, and how many of them before the
    /// walk is given up, whether they lead to choices or not.
    steps: u64,
    pub most_steps: u64,
    /// The step at which both are looked at next.
    next_look: u64,
    limits: Option<Limits>,
}

type Walk = Result<(), End>;

/// The clock is looked at every so many steps.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 12;

impl<'g> Walker<'g> {
    /// `strides` may be empty where no table is kept; places are then 0.
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
            attempts: 0,
            patience: u64::MAX,
            steps: 0,
            most_steps: u64::MAX,
            next_look: STEPS_BETWEEN_LOOKS,
            limits: None,
        }
    }

    /// Walks no longer than the limits allow, not even within one position.
    pub fn until(mut self, limits: &Limits) -> Walker<'g> {
        self.limits = Some(*limits);
        self
    }

    /// Shows `visit` every option of `position`, some perhaps more than once,
    /// each with its place in the table, until it breaks. Returns whether it
    /// did.
    pub fn options<V>(
        &mut self,
        position: &[u64],
        place: usize,
        visit: &mut V,
    ) -> Result<bool, Stop>
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        self.set_out(position);
        self.place = place;
        self.amounts.clear();
        // A walk that broke off left its counts; names get their values before
        // they are read.
        for counter in &mut self.counters {
            *counter = 0;
        }
        self.attempts = 0;
        // What is left until the next look at the clock carries over.
        self.next_look -= self.steps;
        self.steps = 0;
        match self.walk(self.graph.start, visit) {
            Ok(()) => Ok(false),
            Err(End::Enough) => Ok(true),
            Err(End::Stop(stop)) => Err(stop),
        }
    }

    /// How many heaps a position has.
    pub fn heaps(&self) -> usize {
        self.graph.heaps
    }

    /// Is this a position of the game?
    pub fn is_position(&mut self, position: &[u64]) -> Result<bool, PlacedFault> {
        self.set_out(position);
        match &self.graph.positions {
            Some(condition) => self.holds(condition),
            None => Ok(true),
        }
    }

    fn walk<V>(&mut self, at: NodeIndex, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
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
                let seen = match &graph.kinds {
                    None => visit(&self.position, self.place),
                    Some(kinds) => visit(&self.gathered(kinds), 0),
                };
                match seen {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(End::Enough),
                }
            }
            Node::Join => {
                for next in graph.after(at) {
                    self.walk(*next, visit)?;
                }
                Ok(())
            }
            Node::Guard(condition) => {
                if self.holds(condition)? {
                    self.go_on(at, visit)?;
                }
                Ok(())
            }
            Node::Number {
                slot,
                set,
                condition,
                horizon,
            } => {
                let enough = match horizon {
                    Some(horizon) => {
                        let tokens = self
                            .position
                            .iter()
                            .fold(0, |all: u64, size| all.saturating_add(*size));
                        horizon
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
                    self.go_on(at, visit)?;
                }
                Ok(())
            }
            Node::Choice { pick, members } => {
                let pick = pick.index();
                // A repeat comes by here again before the round at hand is
                // done, whose conditions go on speaking of its own heaps.
                let outer = std::mem::take(&mut self.picks[pick]);
                match members {
                    Members::Listed(listed) => {
                        for member in listed {
                            self.picks[pick] = Picked::from_slice(member);
                            self.go_on(at, visit)?;
                        }
                    }
                    Members::Remaining(left) => {
                        for member in left.members(&self.position) {
                            self.picks[pick] = member;
                            self.go_on(at, visit)?;
                        }
                    }
                    Members::Multiset { number, kind } => {
                        for member in self.heaps_of_the_bag(*number, *kind) {
                            self.picks[pick] = member;
                            self.go_on(at, visit)?;
                        }
                    }
                    Members::Picked(earlier) => {
                        self.picks[pick] = self.picks[earlier.index()].clone();
                        self.go_on(at, visit)?;
                    }
                    Members::At {
                        heaps,
                        first,
                        index,
                    } => {
                        let heap = heap_at(heaps, *first, index, &mut self.scene())?;
                        self.picks[pick] = Picked::from_slice(&[heap]);
                        self.go_on(at, visit)?;
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
            Node::Slide { pick, condition } => self.slide(at, *pick, condition.as_ref(), visit),
            Node::Split {
                pick,
                parts,
                condition,
            } => self.split(at, *pick, parts, condition.as_ref(), visit),
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

    fn go_on<V>(&mut self, at: NodeIndex, visit: &mut V) -> Walk
    where
        V: FnMut(&[u64], usize) -> ControlFlow<()>,
    {
        let graph = self.graph;
        self.walk(graph.after(at)[0], visit)
    }

    /// Counts steps, and looks now and then whether to go on.
    fn step(&mut self, steps: u64) -> Walk {
        self.steps += steps;
        if self.steps >= self.next_look {
            self.next_look = self.steps + STEPS_BETWEEN_LOOKS;
            if self.steps >= self.most_steps {
                return Err(End::Enough);
            }
            if let Some(limits) = &self.limits {
                limits
                    .check_time()
                    .map_err(|met| End::Stop(Stop::LimitExceeded(met)))?;
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

    fn scene(&mut self) -> Environment<'_> {
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
        condition.eval(&mut self.scene())
    }

    fn number(&mut self, num: &Expr<Num>) -> Result<i64, PlacedFault> {
        num.eval(&mut self.scene())
    }

    /// The members of a set, up to the first that is at least `enough`.
    fn members(&mut self, set: &Expr<Set>, enough: i64) -> Result<Vec<i64>, PlacedFault> {
        let mut members = Vec::new();
        set.any_member_to(i64::MAX, &mut self.scene(), &mut |member, _| {
            members.push(member);
            Ok(member >= enough)
        })?;
        Ok(members)
    }

    /// The members of a set of amounts, from 1 to `most`.
    fn positive_members(
        &mut self,
        set: &Expr<Set>,
        most: u64,
    ) -> Result<SmallVec<[u64; 16]>, PlacedFault> {
        let mut members = SmallVec::new();
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        set.any_member_to(most, &mut self.scene(), &mut |member, _| {
            members.extend(u64::try_from(member).ok().filter(|m| *m > 0));
            Ok(false)
        })?;
        Ok(members)
    }
}
