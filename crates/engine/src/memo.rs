//! MemoSearch search: depth-first search with a memo table over the positions that can be
//! reached.
//!
//! It requires termination and an impartial rule. It solves rules that put tokens,
//! whose options leave every box, and single positions whose box is too large.
//! Positions are stored up to symmetry if the group is small. The stack is explicit,
//! so that a long game does not overflow the stack of the thread.

use super::answer;
use super::{
    Engine, Limits, Lookup, Query, Question, Scope, Shape, SolveError, Solver, Table, Work,
    components,
};
use nimrule_ir::{InteractionGraph, Walker};
use nimrule_limits::Steps;
use nimrule_model::game::Convention;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The engine that searches with a memo table; see the [module](self).
pub struct MemoSearch;

type Key = SmallVec<[u64; 8]>;

/// The largest symmetry group for canonical forms.
const FEW_SYMMETRIES: u128 = 1000;

impl Engine for MemoSearch {
    fn name(&self) -> &'static str {
        "memo"
    }

    fn can(&self, _solver: &Solver<'_>, _query: Query) -> Result<(), String> {
        Ok(())
    }

    fn bytes(&self, solver: &Solver<'_>, most: &[u64], query: Query) -> u128 {
        let positions = Shape::count(most);
        let entry = u128::from(bytes_of_an_entry(solver.graph.heaps));
        answer::bytes_of_a_box(positions, query.question).saturating_add(entry)
    }

    fn scope(&self) -> Scope {
        Scope::Reachable
    }

    fn is_certain(&self) -> bool {
        false
    }

    fn bytes_of_one(&self, solver: &Solver<'_>, _position: &[u64], _query: Query) -> u128 {
        // The table grows with the search, which stops at the limit itself.
        bytes_of_an_entry(solver.graph.heaps).into()
    }

    fn fill(
        &self,
        solver: &Solver<'_>,
        shape: &Shape,
        query: Query,
        limits: &Limits,
    ) -> Result<Table, SolveError> {
        limits.begin(Work::Searching, None);
        answer::box_by_search(self.name(), solver, shape, query, limits, |memory| {
            let mut search = SearchState::new(solver, query, limits);
            search.limit_memory(memory);
            Ok(Box::new(search))
        })
    }

    fn lookup<'s>(
        &self,
        solver: &'s Solver<'_>,
        position: &[u64],
        query: Query,
        limits: &Limits,
    ) -> Result<Box<dyn Lookup + 's>, SolveError> {
        limits.begin(Work::Searching, None);
        // The components of a sum need values even for an outcome.
        let is_sum = components::interaction(solver, query.convention)
            .is_ok_and(|interaction| interaction.parts(position).len() > 1);
        if query.question == Question::Outcome && is_sum {
            let values = Query {
                question: Question::Grundy,
                ..query
            };
            return Ok(Box::new(SearchState {
                only_outcomes: true,
                ..SearchState::new(solver, values, limits)
            }));
        }
        Ok(Box::new(SearchState::new(solver, query, limits)))
    }
}

fn bytes_of_an_entry(heaps: usize) -> u64 {
    // The key with its length, the value, and the load factor of the hash table;
    // long keys are allocated separately.
    let apart = if heaps > 8 { heaps * 8 + 16 } else { 0 };
    (2 * (80 + apart)) as u64
}

/// The state of a search.
struct SearchState<'s> {
    /// The interaction graph, if values are computed and positions are sums of
    /// components.
    interaction: Option<&'s InteractionGraph>,
    /// Whether only outcomes are computed.
    only_outcomes: bool,
    walker: Walker<'s>,
    symmetries: Option<&'s nimrule_board::Symmetries>,
    query: Query,
    limits: Limits,
    most_entries: usize,
    known: FxHashMap<Key, u32>,
    /// The number of options stored on the stack.
    stacked: usize,
    visited: u64,
}

fn out_of_memory(limits: &Limits) -> SolveError {
    SolveError::Memory {
        needed: u128::from(limits.memory) + 1,
        limit: limits.memory,
    }
}

/// A position on the stack, with its remaining options.
struct Frame {
    key: Key,
    options: Vec<Key>,
    next: usize,
    values: Vec<u32>,
    /// Its value, if memo without a search of the options.
    decided: Option<u32>,
}

impl<'s> SearchState<'s> {
    fn new(solver: &'s Solver<'_>, query: Query, limits: &Limits) -> SearchState<'s> {
        let symmetries = &solver.graph.symmetries;
        let few = symmetries
            .order()
            .is_some_and(|order| order > 1 && order <= FEW_SYMMETRIES)
            || symmetries
                .interchangeable()
                .iter()
                .any(|class| class.len() > 1);
        let interaction = components::interaction(solver, query.convention).ok();
        let mut search = SearchState {
            interaction: interaction.filter(|_| query.question == Question::Grundy),
            only_outcomes: false,
            walker: Walker::new(&solver.graph, &[]).until(limits),
            symmetries: few.then_some(symmetries),
            query,
            limits: limits.clone(),
            most_entries: 0,
            known: FxHashMap::default(),
            stacked: 0,
            visited: 0,
        };
        search.limit_memory(limits.memory);
        search
    }

    /// Sets the memory limit of the table and the stack.
    fn limit_memory(&mut self, bytes: u64) {
        let entries = bytes / bytes_of_an_entry(self.walker.heaps());
        self.most_entries = usize::try_from(entries).unwrap_or(usize::MAX);
    }

    fn key(&self, position: &[u64]) -> Key {
        match self.symmetries {
            Some(symmetries) => Key::from_vec(symmetries.canonical(position)),
            None => Key::from_slice(position),
        }
    }

    fn frame(&mut self, key: Key) -> Result<Frame, SolveError> {
        self.visited += 1;
        if self.visited.is_multiple_of(256) {
            self.limits
                .check_work_at(self.known.len() as u64, Steps(200))?;
        }
        if self.known.len() + self.stacked >= self.most_entries {
            return Err(out_of_memory(&self.limits));
        }
        let symmetries = self.symmetries;
        let mut options: Vec<Key> = Vec::new();
        let limits = &self.limits;
        // The options on the stack count towards the memory.
        let room = self.most_entries
            - self.known.len().min(self.most_entries)
            - self.stacked.min(self.most_entries);
        let mut over = Ok(());
        let about_outcomes = self.query.question == Question::Outcome;
        let (mut is_end, mut wins) = (true, false);
        self.walker
            .options(&key, 0, &mut |option, _| {
                is_end = false;
                let option = match symmetries {
                    Some(symmetries) => Key::from_vec(symmetries.canonical(option)),
                    None => Key::from_slice(option),
                };
                // PERF: most positions are N by a memoised option, so that no option
                // is stored and sorted.
                if about_outcomes && let Some(value) = self.known.get(&option) {
                    wins = *value == 0;
                    return match wins {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    };
                }
                options.push(option);
                if options.len().is_multiple_of(4096) {
                    over = limits.check_time().map_err(SolveError::from);
                    if options.len() > room {
                        over = Err(out_of_memory(limits));
                    }
                }
                if over.is_ok() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            })
            .map_err(|stop| SolveError::of(stop, &key))?;
        over?;
        let wins_at_end = is_end && self.query.convention == Convention::Misere;
        let decided = (wins || wins_at_end).then_some(1);
        if decided.is_some() {
            options.clear();
        }
        // Small positions first: they are solved soon and decide others.
        options.sort_unstable_by(|a, b| {
            let total = |k: &Key| k.iter().fold(0_u64, |sum, size| sum.saturating_add(*size));
            total(a).cmp(&total(b)).then_with(|| a.cmp(b))
        });
        options.dedup();
        self.stacked += options.len();
        Ok(Frame {
            key,
            options,
            next: 0,
            values: Vec::new(),
            decided,
        })
    }

    /// The value of a frame, if the memoised options determine it.
    fn decided(&self, frame: &mut Frame) -> Option<u32> {
        if frame.decided.is_some() {
            return frame.decided;
        }
        if self.query.question == Question::Outcome {
            // One option that is P decides, whatever its index.
            if frame.next == 0 && frame.options.iter().any(|o| self.known.get(o) == Some(&0)) {
                return Some(1);
            }
            while let Some(option) = frame.options.get(frame.next) {
                match self.known.get(option) {
                    Some(0) => return Some(1),
                    Some(_) => frame.next += 1,
                    None => return None,
                }
            }
            return Some(0);
        }
        while let Some(option) = frame.options.get(frame.next) {
            match self.look_up(option) {
                Ok(value) => frame.values.push(value),
                Err(_) => return None,
            }
            frame.next += 1;
        }
        frame.values.sort_unstable();
        frame.values.dedup();
        let mex = frame
            .values
            .iter()
            .zip(0..)
            .take_while(|(value, place)| *value == place)
            .count();
        Some(mex as u32)
    }
}

impl SearchState<'_> {
    /// The value of a position, or its first component without a memoised value.
    fn look_up(&self, position: &Key) -> Result<u32, Key> {
        let Some(interaction) = self.interaction else {
            return match self.known.get(position) {
                Some(value) => Ok(*value),
                None => Err(position.clone()),
            };
        };
        let mut sum = 0;
        for part in interaction.parts(position) {
            let key = self.key(&part);
            match self.known.get(&key) {
                Some(value) => sum ^= value,
                None => return Err(key),
            }
        }
        Ok(sum)
    }

    /// Computes the value of a position with one component.
    fn solve(&mut self, root: Key) -> Result<(), SolveError> {
        let mut stack = vec![self.frame(root)?];
        while let Some(mut frame) = stack.pop() {
            match self.decided(&mut frame) {
                Some(value) => {
                    self.stacked -= frame.options.len();
                    self.known.insert(frame.key, value);
                }
                None => {
                    let open = self.look_up(&frame.options[frame.next]);
                    stack.push(frame);
                    if let Err(open) = open {
                        let deeper = self.frame(open)?;
                        stack.push(deeper);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Lookup for SearchState<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        let root = self.key(position);
        loop {
            match self.look_up(&root) {
                Ok(value) if self.only_outcomes => return Ok(u64::from(value != 0)),
                Ok(value) => return Ok(u64::from(value)),
                Err(part) => self.solve(part)?,
            }
        }
    }
}
