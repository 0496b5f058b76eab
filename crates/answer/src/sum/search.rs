//! Depth-first search with memo for the winner of a compound.
//!
//! The search has an explicit stack and stores each result. A losing option
//! decides a position, so that far fewer positions are visited than exist.

use super::parts::{Games, Key};
use super::{Compound, Part, SumMove};
use nimrule_engine::{Limits, SolveError};
use nimrule_ir::Walker;
use nimrule_model::game::{Convention, Side};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

pub struct Search<'s> {
    games: Games<'s>,
    walkers: Vec<Walker<'s>>,
    convention: Convention,
    limits: Limits,
    most_entries: usize,
    /// Memo: whether the player to move wins.
    known: FxHashMap<Key, bool>,
    /// The number of options held by the stack.
    waiting: usize,
    looked: u64,
}

/// A position on the stack.
struct Frame {
    key: Key,
    options: Vec<Key>,
    next: usize,
}

impl<'s> Search<'s> {
    pub fn new(
        components: &[Part<'s>],
        compound: Compound,
        convention: Convention,
        limits: &Limits,
    ) -> Search<'s> {
        let games = Games::of(components, compound);
        let walkers = games.walkers(Side::Left, limits);
        let sizes: usize = components.iter().map(|part| part.position.len() + 1).sum();
        let entries = limits.memory / bytes_of_an_entry(sizes);
        Search {
            games,
            walkers,
            convention,
            limits: limits.clone(),
            most_entries: usize::try_from(entries).unwrap_or(usize::MAX),
            known: FxHashMap::default(),
            waiting: 0,
            looked: 0,
        }
    }

    /// Whether the player to move wins.
    pub fn wins(&mut self, sum: &[Vec<u64>]) -> Result<bool, SolveError> {
        let root = self.games.key_of(sum);
        if let Some(wins) = self.known.get(&root) {
            return Ok(*wins);
        }
        let mut stack = vec![self.frame(root.clone())?];
        while let Some(mut frame) = stack.pop() {
            match self.settled(&mut frame) {
                Some(wins) => {
                    self.waiting -= frame.options.len();
                    self.known.insert(frame.key, wins);
                }
                None => {
                    let open = frame.options[frame.next].clone();
                    stack.push(frame);
                    let deeper = self.frame(open)?;
                    stack.push(deeper);
                }
            }
        }
        Ok(self.known[&root])
    }

    /// Every option from which the player to move loses.
    pub fn winning_moves(&mut self, sum: &[Vec<u64>]) -> Result<Vec<SumMove>, SolveError> {
        let mut moves = Vec::new();
        let limits = self.limits.clone();
        self.games
            .each_move(sum, Side::Left, &limits, &mut |made, after| {
                moves.push((made, after));
                Ok(())
            })?;
        let mut winning = BTreeSet::new();
        for (made, after) in moves {
            if !self.wins(&after)? {
                winning.insert(made);
            }
        }
        Ok(winning.into_iter().collect())
    }

    fn frame(&mut self, key: Key) -> Result<Frame, SolveError> {
        self.looked += 1;
        if self.looked.is_multiple_of(256) {
            self.limits.check_time()?;
        }
        let room = self
            .most_entries
            .saturating_sub(self.known.len() + self.waiting);
        if room == 0 {
            return Err(out_of_memory(&self.limits));
        }
        // The options of positions on the stack count as memory too.
        let found = self.games.options(&key, &mut self.walkers, room)?;
        let mut options = found.ok_or_else(|| out_of_memory(&self.limits))?;
        // Small positions first: they are decided quickly and decide others.
        options.sort_unstable_by(|a, b| tokens(a).cmp(&tokens(b)).then_with(|| a.cmp(b)));
        self.waiting += options.len();
        Ok(Frame {
            key,
            options,
            next: 0,
        })
    }

    /// Whether the player to move wins, if the known options decide it.
    fn settled(&self, frame: &mut Frame) -> Option<bool> {
        if frame.options.is_empty() {
            return Some(self.convention == Convention::Misere);
        }
        // Any losing option decides the position.
        if frame.next == 0
            && frame
                .options
                .iter()
                .any(|o| self.known.get(o) == Some(&false))
        {
            return Some(true);
        }
        while let Some(option) = frame.options.get(frame.next) {
            match self.known.get(option) {
                Some(false) => return Some(true),
                Some(true) => frame.next += 1,
                None => return None,
            }
        }
        Some(false)
    }
}

/// The sum of the key's entries, which orders positions by size.
fn tokens(key: &Key) -> u64 {
    key.iter().fold(0, |sum, size| sum.saturating_add(*size))
}

fn bytes_of_an_entry(sizes: usize) -> u64 {
    // The key with its length, the answer, and the slack of a hash table; long
    // keys are stored separately.
    let apart = if sizes > 12 { sizes * 8 + 16 } else { 0 };
    (2 * (120 + apart)) as u64
}

fn out_of_memory(limits: &Limits) -> SolveError {
    SolveError::Memory {
        needed: u128::from(limits.memory) + 1,
        limit: limits.memory,
    }
}
