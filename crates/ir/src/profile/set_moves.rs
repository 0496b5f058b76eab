//! The moves of a rule on positions of heaps of at most one token, as pairs of sets.
//!
//! Such a position is the set of its non-empty heaps. Where no step reads the position
//! and no step adds tokens, every path of the move-generator graph is a pair of sets: the
//! move is possible if all heaps of the first have a token, and it leaves the heaps of the
//! second empty. For example, the move of Cram at an edge needs and clears its two ends, and
//! that of Node Kayles at a vertex needs the vertex, and clears it and its neighbours.

use super::{Fact, Profile};
use crate::{MoveGraph, Node, Numbers, Take, Walker};
use nimrule_model::expr::{Bool, Environment, Expr, HeapId, Picked, PlacedFault};
use nimrule_model::game::{Members, Share};
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A move on positions of heaps of at most one token.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetMove {
    /// The heaps that the move leaves empty, ascending.
    pub clears: Vec<usize>,
    /// The heaps that must have a token, ascending.
    pub needs: Vec<usize>,
}

/// The largest number of heaps.
const MAX_HEAPS: usize = 512;
/// The largest number of steps walked.
const MAX_STEPS: usize = 1 << 18;
/// The largest number of moves.
const MAX_MOVES: usize = 1 << 11;
/// The least and the largest number of positions at which the moves are compared with those
/// of a walk.
const COMPARED: [usize; 2] = [4, 24];
/// The number of sizes of heaps that are written for these comparisons, about.
const COMPARED_SIZES: usize = 1 << 21;

/// The moves as pairs of sets: at a position of heaps of at most one token, the options are
/// those of the moves whose `needs` have a token. No move is listed twice, or beside one
/// that clears the same heaps and needs fewer.
///
/// The moves are compared with those of a [`Walker`] at some positions.
///
/// # Errors
///
/// The reason why the moves are no such pairs, as a clause.
///
/// # Examples
///
/// ```
/// let rule = "game row board row(3) heaps on vertices of size 0..1
///     move take 1 from one heap as v then set all neighbours of v to 0";
/// let game = nimrule_fixtures::compiled(rule).unwrap().game;
/// let graph = nimrule_ir::lower(&game);
/// let profile = nimrule_ir::profile(&graph, &game.facts.termination);
/// let moves = nimrule_ir::set_moves(&graph, &profile).unwrap();
/// assert_eq!(moves[1].needs, [1]);
/// assert_eq!(moves[1].clears, [0, 1, 2]);
/// ```
pub fn set_moves(graph: &MoveGraph, profile: &Profile) -> Fact<Vec<SetMove>> {
    // The interaction graph exists only if no step reads the position or adds tokens.
    profile.interaction.as_ref().map_err(Clone::clone)?;
    if graph.heaps > MAX_HEAPS {
        return Err(format!("there are more than {MAX_HEAPS} heaps"));
    }
    let mut paths = Paths {
        graph,
        needs: Vec::new(),
        cleared: Vec::new(),
        locals: vec![0; graph.slots],
        picks: vec![Picked::new(); graph.picks],
        amounts: Vec::new(),
        counters: vec![0; graph.counters],
        steps: 0,
        found: BTreeSet::new(),
    };
    paths.walk(graph.start)?;
    // Ascending by `clears`: moves with equal `clears` are consecutive.
    let found: Vec<SetMove> = paths.found.into_iter().collect();
    let mut moves = Vec::new();
    for alike in found.chunk_by(|one, other| one.clears == other.clears) {
        let least = alike.iter().filter(|of| {
            let mut others = alike.iter().filter(|other| other != of);
            !others.any(|other| is_subset(&other.needs, &of.needs))
        });
        moves.extend(least.cloned());
    }
    if moves.len() > MAX_MOVES {
        return Err(TOO_MANY.to_owned());
    }
    if moves.iter().any(|found| found.clears.is_empty()) {
        return Err("a move may change nothing".to_owned());
    }
    match agree(graph, &moves) {
        true => Ok(moves),
        false => Err("the moves are not sets of heaps that are needed and cleared".to_owned()),
    }
}

const TOO_MANY: &str = "there are too many moves";

fn is_subset(small: &[usize], large: &[usize]) -> bool {
    small.iter().all(|heap| large.binary_search(heap).is_ok())
}

/// Whether the options are those of a walk, at the position of full heaps and at random ones.
fn agree(graph: &MoveGraph, moves: &[SetMove]) -> bool {
    let mut walker = Walker::new(graph, &[]);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let [least, most] = COMPARED;
    let rounds = COMPARED_SIZES / (moves.len() * graph.heaps).max(1);
    let rounds = rounds.clamp(least, most) as u64;
    (0..rounds).all(|round| {
        // From full positions to sparse ones.
        let empty = round * 32 / rounds;
        let position: Vec<u64> = (0..graph.heaps)
            .map(|_| u64::from(next() % 40 >= empty))
            .collect();
        let mut walked = BTreeSet::new();
        let all = walker.options(&position, 0, &mut |option, _| {
            walked.insert(option.to_vec());
            ControlFlow::Continue(())
        });
        let possible = moves
            .iter()
            .filter(|of| of.needs.iter().all(|heap| position[*heap] == 1));
        let options = possible.map(|of| {
            let mut option = position.clone();
            of.clears.iter().for_each(|heap| option[*heap] = 0);
            option
        });
        all.is_ok() && walked == options.collect()
    })
}

/// A walk along all paths of the graph, from the position of full heaps. A path collects the
/// heaps that it needs and clears.
struct Paths<'g> {
    graph: &'g MoveGraph,
    needs: Vec<HeapId>,
    cleared: Vec<HeapId>,
    locals: Vec<i64>,
    picks: Vec<Picked>,
    amounts: Vec<u64>,
    counters: Vec<u64>,
    steps: usize,
    found: BTreeSet<SetMove>,
}

impl Paths<'_> {
    fn walk(&mut self, at: NodeIndex) -> Fact<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(TOO_MANY.to_owned());
        }
        let graph = self.graph;
        match graph.node(at) {
            Node::End => {
                let ascending = |heaps: &[HeapId]| {
                    let mut heaps: Vec<usize> = heaps.iter().map(|heap| heap.index()).collect();
                    heaps.sort_unstable();
                    heaps.dedup();
                    heaps
                };
                let needs = ascending(&self.needs);
                let clears = ascending(&self.cleared);
                self.found.insert(SetMove { clears, needs });
                Ok(())
            }
            Node::Join => graph.after(at).iter().try_for_each(|next| self.walk(*next)),
            Node::Guard(condition) => match self.holds(condition)? {
                true => self.walk(graph.after(at)[0]),
                false => Ok(()),
            },
            Node::Choice { pick, members } => self.choose(at, pick.index(), members),
            Node::Take(take) => self.take(at, take),
            Node::Set {
                pick,
                size,
                heap: None,
                value,
                condition: None,
            } => {
                // An empty heap stays empty: see `interaction`.
                self.locals[size.index()] = 1;
                let size = value.eval(&mut self.environment()).map_err(no_value)?;
                let before = self.cleared.len();
                match size {
                    0 => self.cleared.extend(self.picks[pick.index()].iter()),
                    1 => {}
                    _ => return Err("a step gives a heap several tokens".to_owned()),
                }
                self.walk(graph.after(at)[0])?;
                self.cleared.truncate(before);
                Ok(())
            }
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
            Node::Number { .. }
            | Node::Put { .. }
            | Node::Set { .. }
            | Node::Slide { .. }
            | Node::Split { .. }
            | Node::Replace(_)
            | Node::Again(_) => Err(format!(
                "`{}` is no step that takes tokens or empties heaps",
                graph.words(at)
            )),
        }
    }

    fn choose(&mut self, at: NodeIndex, pick: usize, members: &Members) -> Fact<()> {
        let graph = self.graph;
        let next = graph.after(at)[0];
        let outer = std::mem::take(&mut self.picks[pick]);
        match members {
            Members::Listed(listed) => {
                for member in listed {
                    self.picks[pick] = Picked::from_slice(member);
                    self.walk(next)?;
                }
            }
            Members::Relative { to, sets } => {
                let heap = self.picks[to.index()][0];
                for member in &sets[heap.index()] {
                    self.picks[pick] = Picked::from_slice(member);
                    self.walk(next)?;
                }
            }
            Members::Picked(earlier) => {
                self.picks[pick] = self.picks[earlier.index()].clone();
                self.walk(next)?;
            }
            Members::Remaining(_) if let Some(heaps) = members.single_heaps() => {
                for member in heaps {
                    // Empty heaps do not remain.
                    if self.cleared.contains(&member[0]) {
                        continue;
                    }
                    self.picks[pick] = Picked::from_slice(member);
                    self.needs.push(member[0]);
                    self.walk(next)?;
                    self.needs.pop();
                }
            }
            Members::Remaining(_)
            | Members::At { .. }
            | Members::Counted(_)
            | Members::Multiset { .. } => {
                return Err(format!("`{}` depends on the position", graph.words(at)));
            }
        }
        self.picks[pick] = outer;
        Ok(())
    }

    /// A take of one token from each heap of a subset of the heaps chosen.
    fn take(&mut self, at: NodeIndex, take: &Take) -> Fact<()> {
        if take.leaving.is_some() {
            return Err(format!("`{}` splits a heap", self.graph.words(at)));
        }
        if !self.may_take_one(take)? {
            return Ok(());
        }
        let heaps = self.picks[take.pick.index()].clone();
        let outer = std::mem::take(&mut self.amounts);
        match take.share {
            Share::Equal if heaps.is_empty() => {}
            Share::Equal => {
                self.amounts.resize(heaps.len(), 1);
                self.taken(at, take, &heaps, 1)?;
            }
            Share::HeapByHeap => self.take_from(at, take, &heaps)?,
        }
        self.amounts = outer;
        Ok(())
    }

    /// Chooses the amounts from the heaps that have none yet.
    fn take_from(&mut self, at: NodeIndex, take: &Take, heaps: &[HeapId]) -> Fact<()> {
        if self.amounts.len() == heaps.len() {
            return match self.amounts.iter().sum() {
                0 => Ok(()),
                total => self.taken(at, take, heaps, total),
            };
        }
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(TOO_MANY.to_owned());
        }
        for amount in 0..=1 {
            self.amounts.push(amount);
            self.take_from(at, take, heaps)?;
            self.amounts.pop();
        }
        Ok(())
    }

    /// Continues after a take of the amounts; `bound` is the number that the step binds.
    fn taken(&mut self, at: NodeIndex, take: &Take, heaps: &[HeapId], bound: u64) -> Fact<()> {
        if let Some(slot) = take.bound {
            self.locals[slot.index()] = bound as i64;
        }
        if let Some(condition) = &take.whole
            && !self.holds(condition)?
        {
            return Ok(());
        }
        let (needs, cleared) = (self.needs.len(), self.cleared.len());
        let amounts = std::mem::take(&mut self.amounts);
        let from = heaps
            .iter()
            .zip(&amounts)
            .filter(|(_, amount)| **amount == 1);
        let from: Picked = from.map(|(heap, _)| *heap).collect();
        if !from.iter().any(|heap| self.cleared.contains(heap)) {
            self.needs.extend(&from);
            self.cleared.extend(&from);
            self.walk(self.graph.after(at)[0])?;
        }
        self.needs.truncate(needs);
        self.cleared.truncate(cleared);
        self.amounts = amounts;
        Ok(())
    }

    /// Whether one token may be taken from a heap, apart from the condition.
    fn may_take_one(&mut self, take: &Take) -> Fact<bool> {
        match &take.numbers {
            Numbers::Any => Ok(true),
            Numbers::Listed(listed) => Ok(listed.contains(&1)),
            Numbers::Set(set) => set
                .any_member_to(1, &mut self.environment(), &mut |member, _| Ok(member == 1))
                .map_err(no_value),
        }
    }

    fn holds(&mut self, condition: &Expr<Bool>) -> Fact<bool> {
        condition.eval(&mut self.environment()).map_err(no_value)
    }

    fn environment(&mut self) -> Environment<'_> {
        Environment {
            position: &[],
            kinds: &[],
            locals: &mut self.locals,
            picks: &self.picks,
            amounts: &self.amounts,
            symmetries: &self.graph.symmetries,
            steps: 0,
        }
    }
}

fn no_value(fault: PlacedFault) -> String {
    format!("an expression has no value: {}", fault.kind)
}
