//! "There is a number such that …": a track is forgotten.
//!
//! Without the track an automaton may go several ways with one letter; the
//! subset construction follows all of them at once. A set of states stands for
//! "one of these accepts what comes", so a state that accepts no more than
//! another of the set may be left out. Which states those are is found once,
//! and only where the sets grow many, for it takes a search of its own.
//!
//! The number forgotten may have more digits than the others: the start is all
//! that leading letters reach in which the others have zeros.

use super::arena::{Arena, Ref, leaf, number_of};
use super::known::Known;
use super::product::smallvec_of;
use super::{Automaton, Budget, Track};
use nimrule_limits::Met;
use std::rc::Rc;

/// Above this many sets a state, states that others cover are left out.
const SETS_A_STATE: usize = 3;
/// Where there are more states than this, who covers whom is not searched.
const MOST_COMPARED: usize = 2000;

impl Automaton {
    /// There are numbers on these tracks such that it accepts.
    pub fn project(&self, forgotten: &[Track], budget: &Budget) -> Result<Automaton, Met> {
        if !forgotten.iter().any(|track| self.tracks.contains(track)) {
            return Ok(self.clone());
        }
        let patience = if self.states() <= MOST_COMPARED {
            200 + SETS_A_STATE * self.states()
        } else {
            usize::MAX
        };
        if let Some(found) = Subsets::new(self, forgotten, None, budget).all(patience)? {
            return found.minimised(budget);
        }
        let covered = self.inclusions(budget)?;
        match Subsets::new(self, forgotten, Some(covered), budget).all(usize::MAX)? {
            Some(found) => found.minimised(budget),
            None => unreachable!("without an end to patience there is an answer"),
        }
    }

    /// The states that words reach in which every track but those forgotten
    /// has zeros alone.
    fn behind_zeros(&self, forgotten: &[Track]) -> Vec<u32> {
        let mut reached = vec![self.start];
        let mut seen = vec![false; self.states()];
        seen[self.start as usize] = true;
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            next += 1;
            let mut nodes = vec![self.roots[state as usize]];
            while let Some(at) = nodes.pop() {
                match self.arena.track(at) {
                    Some(track) if forgotten.contains(&track) => {
                        nodes.extend(self.arena.children(at));
                    }
                    Some(_) => nodes.push(self.arena.child(at, 0)),
                    None => {
                        let to = number_of(at).unwrap_or_default();
                        if !std::mem::replace(&mut seen[to as usize], true) {
                            reached.push(to);
                        }
                    }
                }
            }
        }
        reached.sort_unstable();
        reached
    }

    /// For each pair of states: does the second accept all that the first
    /// accepts? At `first * states + second`.
    pub(super) fn inclusions(&self, budget: &Budget) -> Result<Vec<bool>, Met> {
        let states = self.states();
        let mut included = vec![false; states * states];
        for first in 0..states {
            for second in 0..states {
                included[first * states + second] =
                    !self.accepting[first] || self.accepting[second];
            }
        }
        let mut known;
        loop {
            known = Known::default();
            let mut changed = false;
            for first in 0..states {
                for second in 0..states {
                    let place = first * states + second;
                    if first == second || !included[place] {
                        continue;
                    }
                    let (left, right) = (self.roots[first], self.roots[second]);
                    if !self.leads_to_included(left, right, &included, &mut known, budget)? {
                        included[place] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(included);
            }
        }
    }

    fn leads_to_included(
        &self,
        left: Ref,
        right: Ref,
        included: &[bool],
        known: &mut Known<(Ref, Ref), bool>,
        budget: &Budget,
    ) -> Result<bool, Met> {
        if left == right {
            return Ok(true);
        }
        let (of_left, of_right) = (number_of(left), number_of(right));
        if let (Some(left), Some(right)) = (of_left, of_right) {
            return Ok(included[left as usize * self.states() + right as usize]);
        }
        if of_left.and_then(|state| self.settled(state)) == Some(false)
            || of_right.and_then(|state| self.settled(state)) == Some(true)
        {
            return Ok(true);
        }
        if let Some(known) = known.get(&(left, right)) {
            return Ok(*known);
        }
        budget.tick(|| self.arena.bytes() + known.bytes())?;
        let of_left = self.arena.track(left).unwrap_or(Track::MAX);
        let of_right = self.arena.track(right).unwrap_or(Track::MAX);
        let track = of_left.min(of_right);
        let mut all = true;
        for digit in 0..self.arena.radix() {
            let left = self.arena.given(left, track, digit);
            let right = self.arena.given(right, track, digit);
            if !self.leads_to_included(left, right, included, known, budget)? {
                all = false;
                break;
            }
        }
        known.insert((left, right), all);
        Ok(all)
    }
}

type Set = Rc<[u32]>;

/// The subset construction. Leaves of its diagrams are numbers of sets.
struct Subsets<'a> {
    of: &'a Automaton,
    forgotten: &'a [Track],
    covered: Option<Vec<bool>>,
    budget: &'a Budget,
    arena: Arena,
    sets: Vec<Set>,
    numbers: Known<Set, u32>,
    /// The diagrams of the states, with sets of one state for leaves.
    lifted: Known<Ref, Ref>,
    unions: Known<(Ref, Ref), Ref>,
    /// The state that accepts all that comes, if there is one.
    all: Option<u32>,
    bytes_of_sets: usize,
}

impl<'a> Subsets<'a> {
    fn new(
        of: &'a Automaton,
        forgotten: &'a [Track],
        covered: Option<Vec<bool>>,
        budget: &'a Budget,
    ) -> Subsets<'a> {
        let all = (0..of.states() as u32).find(|state| of.settled(*state) == Some(true));
        Subsets {
            of,
            forgotten,
            covered,
            budget,
            arena: Arena::new(of.arena.radix()),
            sets: Vec::new(),
            numbers: Known::default(),
            lifted: Known::default(),
            unions: Known::default(),
            all,
            bytes_of_sets: 0,
        }
    }

    /// The automaton of the sets; `None` where there are more than `patience`.
    fn all(mut self, patience: usize) -> Result<Option<Automaton>, Met> {
        let start = self.set(self.of.behind_zeros(self.forgotten));
        // The states of the new automaton, by set and in order.
        let mut states: Known<u32, u32> = Known::default();
        let mut order = vec![start];
        states.insert(start, 0);
        let mut roots = Vec::new();
        let mut next = 0;
        let mut seen = Vec::new();
        while let Some(&set) = order.get(next) {
            next += 1;
            if order.len() > patience {
                return Ok(None);
            }
            let members = self.sets[set as usize].clone();
            let mut root = leaf(self.set(Vec::new()));
            for member in members.iter() {
                let one = self.lift(self.of.roots[*member as usize])?;
                root = self.union(root, one)?;
            }
            roots.push(root);
            // Which sets come next?
            seen.resize(self.arena.len(), false);
            let mut nodes = vec![root];
            while let Some(at) = nodes.pop() {
                match number_of(at) {
                    Some(set) => {
                        let number = order.len() as u32;
                        states.or_insert_with(set, || {
                            order.push(set);
                            number
                        });
                    }
                    None => {
                        if !std::mem::replace(&mut seen[at as usize], true) {
                            nodes.extend(self.arena.children(at).iter().rev());
                        }
                    }
                }
            }
        }
        let mut renumbered = Renumbered {
            from: &self.arena,
            states: &states,
            arena: Arena::new(self.arena.radix()),
            known: vec![Ref::MAX; self.arena.len()],
        };
        let roots = roots.into_iter().map(|at| renumbered.diagram(at)).collect();
        let accepting = order
            .iter()
            .map(|set| {
                self.sets[*set as usize]
                    .iter()
                    .any(|state| self.of.is_accepting(*state))
            })
            .collect();
        Ok(Some(Automaton {
            numeration: self.of.numeration,
            tracks: self
                .of
                .tracks
                .iter()
                .copied()
                .filter(|track| !self.forgotten.contains(track))
                .collect(),
            start: 0,
            accepting,
            roots,
            arena: renumbered.arena,
        }))
    }

    /// The number of a set of states, ascending; what cannot matter is left out.
    fn set(&mut self, mut states: Vec<u32>) -> u32 {
        states.retain(|state| self.of.settled(*state) != Some(false));
        if let Some(all) = self.all
            && states.contains(&all)
        {
            states = vec![all];
        }
        if let Some(covered) = &self.covered
            && states.len() > 1
        {
            let count = self.of.states();
            let covers = |by: u32, state: u32| covered[state as usize * count + by as usize];
            let kept: Vec<u32> = states
                .iter()
                .copied()
                .filter(|&state| {
                    // Of two that accept the same the first is kept.
                    !states.iter().any(|&by| {
                        by != state && covers(by, state) && (!covers(state, by) || by < state)
                    })
                })
                .collect();
            states = kept;
        }
        let set: Set = states.into();
        if let Some(number) = self.numbers.get(&set) {
            return *number;
        }
        let number = self.sets.len() as u32;
        self.bytes_of_sets += 4 * set.len() + 64;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    fn bytes(&self) -> usize {
        self.arena.bytes() + self.bytes_of_sets + self.unions.bytes() + self.lifted.bytes()
    }

    fn lift(&mut self, at: Ref) -> Result<Ref, Met> {
        if let Some(state) = number_of(at) {
            return Ok(leaf(self.set(vec![state])));
        }
        if let Some(known) = self.lifted.get(&at) {
            return Ok(*known);
        }
        self.budget.tick(|| self.bytes())?;
        let track = self.of.arena.track(at).unwrap_or_default();
        let mut children = smallvec_of(self.arena.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.lift(self.of.arena.child(at, digit))?;
        }
        let node = if self.forgotten.contains(&track) {
            let mut union = children[0];
            for child in &children[1..] {
                union = self.union(union, *child)?;
            }
            union
        } else {
            self.arena.node(track, &children)
        };
        self.lifted.insert(at, node);
        Ok(node)
    }

    fn union(&mut self, left: Ref, right: Ref) -> Result<Ref, Met> {
        if left == right {
            return Ok(left);
        }
        let pair = (left.min(right), left.max(right));
        let (of_left, of_right) = (number_of(left), number_of(right));
        if let Some(set) = of_left {
            if self.sets[set as usize].is_empty() {
                return Ok(right);
            }
            if self.is_all(set) {
                return Ok(left);
            }
        }
        if let Some(set) = of_right {
            if self.sets[set as usize].is_empty() {
                return Ok(left);
            }
            if self.is_all(set) {
                return Ok(right);
            }
        }
        if let Some(known) = self.unions.get(&pair) {
            return Ok(*known);
        }
        self.budget.tick(|| self.bytes())?;
        let union = match (of_left, of_right) {
            (Some(left), Some(right)) => {
                let (left, right) = (&self.sets[left as usize], &self.sets[right as usize]);
                let mut states: Vec<u32> = left.iter().chain(right.iter()).copied().collect();
                states.sort_unstable();
                states.dedup();
                leaf(self.set(states))
            }
            _ => {
                let of_left = self.arena.track(left).unwrap_or(Track::MAX);
                let track = of_left.min(self.arena.track(right).unwrap_or(Track::MAX));
                let mut children = smallvec_of(self.arena.radix());
                for (digit, child) in children.iter_mut().enumerate() {
                    *child = self.union(
                        self.arena.given(left, track, digit),
                        self.arena.given(right, track, digit),
                    )?;
                }
                self.arena.node(track, &children)
            }
        };
        self.unions.insert(pair, union);
        Ok(union)
    }

    fn is_all(&self, set: u32) -> bool {
        matches!((&*self.sets[set as usize], self.all), ([one], Some(all)) if *one == all)
    }
}

/// Diagrams with other numbers for leaves.
struct Renumbered<'a> {
    from: &'a Arena,
    states: &'a Known<u32, u32>,
    arena: Arena,
    known: Vec<Ref>,
}

impl Renumbered<'_> {
    fn diagram(&mut self, at: Ref) -> Ref {
        if let Some(set) = number_of(at) {
            return leaf(self.states.get(&set).copied().unwrap_or_default());
        }
        if self.known[at as usize] != Ref::MAX {
            return self.known[at as usize];
        }
        let mut children = smallvec_of(self.arena.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.from.child(at, digit));
        }
        let track = self.from.track(at).unwrap_or_default();
        let node = self.arena.node(track, &children);
        self.known[at as usize] = node;
        node
    }
}
