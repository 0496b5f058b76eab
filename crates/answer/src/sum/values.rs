//! The values of one component by which a compound is decided: remoteness, suspense
//! numbers, foreclosed values.
//!
//! Each is defined from the values of the options (Smith 1966; Conway 1976, ch. 14), so
//! the positions of the component are searched, up to its symmetries, with a memo and an
//! explicit stack.

use super::parts::{GameParts, Position};
use nimrule_engine::{Limits, SolveError, Solver};
use nimrule_ir::Walker;
use nimrule_model::game::Convention;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Which value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Remoteness,
    Suspense,
    Foreclosed,
}

/// A value of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// The component has ended, where that ends the compound.
    Ended,
    /// A move ends the component, and wins.
    Immediate,
    /// A remoteness, a suspense number, or a nim-value.
    Number(u64),
}

pub struct Values<'s> {
    game: GameParts<'s>,
    walker: Walker<'s>,
    kind: Kind,
    convention: Convention,
    limits: Limits,
    most_entries: usize,
    /// Memo: the value of a canonical position.
    known: FxHashMap<Position, Value>,
    /// The number of options held by the stack.
    waiting: usize,
    looked: u64,
}

/// A position on the stack.
struct Frame {
    position: Position,
    options: Vec<Position>,
    next: usize,
}

impl<'s> Values<'s> {
    pub fn new(
        solver: &'s Solver<'s>,
        kind: Kind,
        convention: Convention,
        limits: &Limits,
    ) -> Values<'s> {
        let heaps = solver.game.heap_count();
        // The position with its length, the value, and the slack of a hash table; long
        // positions are stored separately.
        let apart = if heaps > 8 { heaps * 8 + 16 } else { 0 };
        let entries = limits.memory / (2 * (112 + apart)) as u64;
        Values {
            game: GameParts::alone(solver),
            walker: Walker::new(&solver.graph, &[]).until(limits),
            kind,
            convention,
            limits: limits.clone(),
            most_entries: usize::try_from(entries).unwrap_or(usize::MAX),
            known: FxHashMap::default(),
            waiting: 0,
            looked: 0,
        }
    }

    /// The value of a position.
    pub fn of(&mut self, position: &[u64]) -> Result<Value, SolveError> {
        let root = self.game.canonical(position);
        if let Some(value) = self.known.get(&root) {
            return Ok(*value);
        }
        let mut stack = vec![self.frame(root.clone())?];
        while let Some(mut frame) = stack.pop() {
            while let Some(option) = frame.options.get(frame.next) {
                if !self.known.contains_key(option) {
                    break;
                }
                frame.next += 1;
            }
            match frame.options.get(frame.next) {
                Some(open) => {
                    let open = open.clone();
                    stack.push(frame);
                    stack.push(self.frame(open)?);
                }
                None => {
                    let options = frame.options.iter().map(|option| self.known[option]);
                    let value = value(self.kind, self.convention, options.collect());
                    self.waiting -= frame.options.len();
                    self.known.insert(frame.position, value);
                }
            }
        }
        Ok(self.known[&root])
    }

    fn frame(&mut self, position: Position) -> Result<Frame, SolveError> {
        self.looked += 1;
        if self.looked.is_multiple_of(256) {
            self.limits.check_time()?;
        }
        let room = self
            .most_entries
            .saturating_sub(self.known.len() + self.waiting);
        let (game, mut options) = (&self.game, Vec::new());
        self.walker
            .options(&position, 0, &mut |option, _| {
                options.push(game.canonical(option));
                match options.len() > room {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })
            .map_err(|stop| SolveError::of(stop, &position).in_game(game.solver.game))?;
        if room == 0 || options.len() > room {
            return Err(SolveError::Memory {
                needed: u128::from(self.limits.memory) + 1,
                limit: self.limits.memory,
            });
        }
        options.sort_unstable();
        options.dedup();
        self.waiting += options.len();
        Ok(Frame {
            position,
            options,
            next: 0,
        })
    }
}

/// The value of a position whose options have these values.
fn value(kind: Kind, convention: Convention, options: Vec<Value>) -> Value {
    match kind {
        Kind::Foreclosed => foreclosed(convention, &options),
        Kind::Remoteness | Kind::Suspense => {
            let numbers = options.into_iter().map(|option| match option {
                Value::Number(number) => number,
                Value::Ended | Value::Immediate => 0,
            });
            Value::Number(duration(kind, convention, &numbers.collect::<Vec<_>>()))
        }
    }
}

/// The remoteness or suspense number. Both are even exactly for the positions from which the
/// player to move loses under normal play, and odd for those under misère play.
///
/// A winner makes play short by remoteness and long by suspense numbers; a loser the
/// opposite.
fn duration(kind: Kind, convention: Convention, options: &[u64]) -> u64 {
    let lost = lost_parity(convention);
    let winning = options.iter().filter(|option| *option % 2 == lost);
    let all = options.iter();
    let best = match kind {
        Kind::Remoteness => winning.min().or(all.max()),
        Kind::Suspense | Kind::Foreclosed => winning.max().or(all.min()),
    };
    best.map_or(0, |option| option + 1)
}

/// The remainder by 2 of the remoteness and the suspense number of positions from which the
/// player to move loses.
pub fn lost_parity(convention: Convention) -> u64 {
    match convention {
        Convention::Normal => 0,
        Convention::Misere => 1,
    }
}

/// The foreclosed value: the mex of the options from which play goes on for good. Under normal
/// play nobody moves to a position that the opponent can end, under misère play nobody ends a
/// component as long as there is another move.
fn foreclosed(convention: Convention, options: &[Value]) -> Value {
    if options.is_empty() {
        return Value::Ended;
    }
    if convention == Convention::Normal && options.contains(&Value::Ended) {
        return Value::Immediate;
    }
    let values: BTreeSet<Value> = options.iter().copied().collect();
    let missing = (0..).find(|value| !values.contains(&Value::Number(*value)));
    Value::Number(missing.expect("some number is missing from a finite list"))
}
