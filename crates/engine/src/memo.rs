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

/// A position: the sizes of its heaps one after another, each in groups of seven bits of which
/// all but the last have the high bit.
//
// PERF: most sizes take one byte, so that most positions are not allocated.
type Key = SmallVec<[u8; 24]>;

fn key_of(position: &[u64]) -> Key {
    // PERF: nearly all positions have small heaps only.
    if position.iter().all(|size| *size < 128) {
        return position.iter().map(|size| *size as u8).collect();
    }
    let mut key = Key::new();
    for mut size in position.iter().copied() {
        while size >= 128 {
            key.push(size as u8 | 128);
            size >>= 7;
        }
        key.push(size as u8);
    }
    key
}

fn position_of(key: &Key) -> Vec<u64> {
    let sizes = key.split_inclusive(|byte| *byte < 128);
    let size = |bytes: &[u8]| {
        let groups = bytes.iter().rev().map(|byte| u64::from(*byte & 127));
        groups.fold(0, |size, group| size << 7 | group)
    };
    sizes.map(size).collect()
}

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
            search.memo.most_bytes = memory;
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

/// The memory of an entry of the table or of the stack, in bytes: a key of this length and a
/// number, with the load factor of a hash table.
fn bytes_of_an_entry(length: usize) -> u64 {
    let apart = match length > Key::new().inline_size() {
        true => length + 16,
        false => 0,
    };
    (2 * (size_of::<(u64, Key)>() + 1) + apart) as u64
}

/// The values found so far, and what they cost.
struct Memo<'s> {
    /// The interaction graph, if values are computed and positions are sums of
    /// components.
    interaction: Option<&'s InteractionGraph>,
    symmetries: Option<&'s nimrule_board::Symmetries>,
    values: FxHashMap<Key, u32>,
    /// The memory of the values and of the options on the stack.
    bytes: u64,
    most_bytes: u64,
    /// The positions and options visited since the limits were checked.
    visited: u64,
    limits: Limits,
}

/// The number of positions and options between two checks of the limits.
const BETWEEN_CHECKS: u64 = 1 << 12;

/// The number of positions and options of a step of work.
const OF_A_STEP: u64 = 8;

impl Memo<'_> {
    fn key(&self, position: &[u64]) -> Key {
        match self.symmetries {
            Some(symmetries) => key_of(&symmetries.canonical(position)),
            None => key_of(position),
        }
    }

    /// The value of a position, or its first component without a memoised value.
    fn look_up(&self, position: &[u64]) -> Result<u32, Key> {
        let value_of = |key: Key| self.values.get(&key).copied().ok_or(key);
        match self.interaction {
            Some(interaction) => {
                let mut parts = interaction.parts(position).into_iter();
                parts.try_fold(0, |sum, part| Ok(sum ^ value_of(self.key(&part))?))
            }
            None => value_of(self.key(position)),
        }
    }

    /// Counts a position or option, with memory.
    fn visit(&mut self, bytes: u64) -> Result<(), SolveError> {
        self.bytes += bytes;
        if self.bytes > self.most_bytes {
            return Err(SolveError::Memory {
                needed: u128::from(self.limits.memory) + 1,
                limit: self.limits.memory,
            });
        }
        self.visited += 1;
        if self.visited == BETWEEN_CHECKS {
            self.visited = 0;
            let steps = Steps(BETWEEN_CHECKS / OF_A_STEP);
            self.limits.check_work_at(self.values.len() as u64, steps)?;
        }
        Ok(())
    }

    fn insert(&mut self, key: Key, value: u32) {
        self.bytes += bytes_of_an_entry(key.len());
        self.values.insert(key, value);
    }
}

/// The state of a search.
struct SearchState<'s> {
    memo: Memo<'s>,
    /// Whether only outcomes are computed.
    only_outcomes: bool,
    walker: Walker<'s>,
    query: Query,
}

/// A position on the stack, with its remaining options.
struct Frame {
    key: Key,
    /// The options without a memoised value when it was visited, with their tokens, ascending.
    options: Vec<(u64, Key)>,
    /// The memory of the options, in bytes.
    bytes: u64,
    next: usize,
    /// The values of the other options, and of those before the next.
    values: Vec<u32>,
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
        SearchState {
            memo: Memo {
                interaction: interaction.filter(|_| query.question == Question::Grundy),
                symmetries: few.then_some(symmetries),
                values: FxHashMap::default(),
                bytes: 0,
                most_bytes: limits.memory,
                visited: 0,
                limits: limits.clone(),
            },
            only_outcomes: false,
            walker: Walker::new(&solver.graph, &[]).until(limits),
            query,
        }
    }

    /// Visits the options of a position. A winning move decides an outcome.
    fn frame(&mut self, key: Key) -> Result<Frame, SolveError> {
        let position = position_of(&key);
        let about_outcomes = self.query.question == Question::Outcome;
        let memo = &mut self.memo;
        let before = memo.bytes;
        let (mut options, mut values) = (Vec::new(), Vec::new());
        let mut is_end = true;
        let mut visited = memo.visit(0);
        self.walker
            .options(&position, 0, &mut |option, _| {
                is_end = false;
                // PERF: most options have a value already, and most positions are N by one.
                let bytes = match memo.look_up(option) {
                    Ok(0) if about_outcomes => {
                        values.push(0);
                        return ControlFlow::Break(());
                    }
                    Ok(_) if about_outcomes => 0,
                    Ok(value) => {
                        values.push(value);
                        size_of::<u32>() as u64
                    }
                    Err(part) => {
                        let key = match memo.interaction {
                            Some(_) => memo.key(option),
                            None => part,
                        };
                        let bytes = bytes_of_an_entry(key.len());
                        let tokens = option
                            .iter()
                            .fold(0_u64, |sum, size| sum.saturating_add(*size));
                        options.push((tokens, key));
                        bytes
                    }
                };
                visited = memo.visit(bytes);
                match visited {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, &position))?;
        visited?;
        if is_end && self.query.convention == Convention::Misere {
            // As after a move to a P-position.
            values.push(0);
        }
        // Small positions first: they are solved soon and decide others.
        options.sort_unstable();
        options.dedup();
        Ok(Frame {
            key,
            options,
            bytes: memo.bytes - before,
            next: 0,
            values,
        })
    }

    /// The value of a position, if those of its options determine it; else the position that
    /// is solved first.
    fn decided(&self, frame: &mut Frame) -> Result<u32, Key> {
        let about_outcomes = self.query.question == Question::Outcome;
        let is_p = |(_, option): &(u64, Key)| self.memo.values.get(option) == Some(&0);
        if about_outcomes
            && (frame.values.contains(&0) || frame.next == 0 && frame.options.iter().any(is_p))
        {
            return Ok(1);
        }
        while let Some((_, option)) = frame.options.get(frame.next) {
            let value = match (self.memo.values.get(option), self.memo.interaction) {
                (Some(value), _) => *value,
                (None, None) => return Err(option.clone()),
                (None, Some(_)) => self.memo.look_up(&position_of(option))?,
            };
            if about_outcomes && value == 0 {
                return Ok(1);
            }
            frame.values.push(value);
            frame.next += 1;
        }
        if about_outcomes {
            return Ok(0);
        }
        frame.values.sort_unstable();
        frame.values.dedup();
        let values = frame.values.iter().zip(0..);
        let mex = values.take_while(|(value, place)| *value == place);
        Ok(mex.count() as u32)
    }

    /// Computes the value of a position with one component.
    fn solve(&mut self, root: Key) -> Result<(), SolveError> {
        let mut stack = vec![self.frame(root)?];
        while let Some(mut frame) = stack.pop() {
            match self.decided(&mut frame) {
                Ok(value) => {
                    self.memo.bytes -= frame.bytes;
                    self.memo.insert(frame.key, value);
                }
                Err(open) => {
                    stack.push(frame);
                    let deeper = self.frame(open)?;
                    stack.push(deeper);
                }
            }
        }
        Ok(())
    }
}

impl Lookup for SearchState<'_> {
    fn value(&mut self, position: &[u64]) -> Result<u64, SolveError> {
        loop {
            match self.memo.look_up(position) {
                Ok(value) if self.only_outcomes => return Ok(u64::from(value != 0)),
                Ok(value) => return Ok(u64::from(value)),
                Err(part) => self.solve(part)?,
            }
        }
    }
}
