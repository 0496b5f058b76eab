//! Projection: the existential quantifier over the number on a track.
//!
//! Without the track the automaton is nondeterministic, and is determinised by
//! the subset construction. A state that is included in another state of a
//! subset can be removed from the subset ([`Inclusion`]). The inclusion relation
//! is computed only if there are many subsets, because it is expensive.
//!
//! The projected number may have more digits than the others. So the initial
//! subset has all states that are reached by words whose other tracks are 0.

use super::inclusion::Inclusion;
use super::memo::Memo;
use super::product::smallvec_of;
use super::unique_table::{Ref, UniqueTable, leaf, number_of};
use super::{Budget, Dfa, Track};
use nimrule_limits::LimitExceeded;
use std::rc::Rc;

/// The number of subsets for each state above which included states are removed.
const SUBSETS_PER_STATE: usize = 3;
/// The most states for which inclusion is computed.
const MOST_COMPARED: usize = 2000;

impl Dfa {
    /// The projection along some tracks: the tuples for which there are numbers
    /// on these tracks such that the relation holds.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn project(&self, projected: &[Track], budget: &Budget) -> Result<Dfa, LimitExceeded> {
        if !projected.iter().any(|track| self.tracks.contains(track)) {
            return Ok(self.clone());
        }
        let most = if self.states() <= MOST_COMPARED {
            200 + SUBSETS_PER_STATE * self.states()
        } else {
            usize::MAX
        };
        if let Some(found) = Subsets::new(self, projected, None, budget).all(most)? {
            return found.minimised(budget);
        }
        let inclusion = self.inclusion(budget)?;
        match Subsets::new(self, projected, Some(inclusion), budget).all(usize::MAX)? {
            Some(found) => found.minimised(budget),
            None => unreachable!("without a bound on the subsets there is a result"),
        }
    }

    /// The states that are reached by words whose tracks are 0, except the
    /// projected ones.
    fn after_zeros(&self, projected: &[Track]) -> Vec<u32> {
        let mut reached = vec![self.start];
        let mut seen = vec![false; self.states()];
        seen[self.start as usize] = true;
        let mut next = 0;
        while let Some(&state) = reached.get(next) {
            next += 1;
            let mut nodes = vec![self.roots[state as usize]];
            while let Some(at) = nodes.pop() {
                match self.nodes.track(at) {
                    Some(track) if projected.contains(&track) => {
                        nodes.extend(self.nodes.children(at));
                    }
                    Some(_) => nodes.push(self.nodes.child(at, 0)),
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

    /// Language inclusion between all states.
    pub(super) fn inclusion(&self, budget: &Budget) -> Result<Inclusion, LimitExceeded> {
        let states: Vec<u32> = (0..self.states() as u32).collect();
        let mut known = Memo::default();
        let mut round_of_known = 0;
        Inclusion::greatest(
            states.len(),
            states,
            |a, b| Ok(!self.accepting[a] || self.accepting[b]),
            |round, relation, a, b| {
                if round_of_known != round {
                    known = Memo::default();
                    round_of_known = round;
                }
                let (left, right) = (self.roots[a as usize], self.roots[b as usize]);
                self.leads_to_included(left, right, relation, &mut known, budget)
            },
        )
    }

    fn leads_to_included(
        &self,
        left: Ref,
        right: Ref,
        relation: &Inclusion,
        known: &mut Memo<(Ref, Ref), bool>,
        budget: &Budget,
    ) -> Result<bool, LimitExceeded> {
        if left == right {
            return Ok(true);
        }
        let (of_left, of_right) = (number_of(left), number_of(right));
        if let (Some(left), Some(right)) = (of_left, of_right) {
            return Ok(relation.holds(left, right));
        }
        if of_left.and_then(|state| self.sink_value(state)) == Some(false)
            || of_right.and_then(|state| self.sink_value(state)) == Some(true)
        {
            return Ok(true);
        }
        if let Some(known) = known.get(&(left, right)) {
            return Ok(*known);
        }
        budget.tick(|| self.nodes.bytes() + known.bytes())?;
        let of_left = self.nodes.track(left).unwrap_or(Track::MAX);
        let of_right = self.nodes.track(right).unwrap_or(Track::MAX);
        let track = of_left.min(of_right);
        let mut all = true;
        for digit in 0..self.nodes.radix() {
            let left = self.nodes.cofactor(left, track, digit);
            let right = self.nodes.cofactor(right, track, digit);
            if !self.leads_to_included(left, right, relation, known, budget)? {
                all = false;
                break;
            }
        }
        known.insert((left, right), all);
        Ok(all)
    }
}

type Set = Rc<[u32]>;

/// The subset construction; the leaves of its diagrams are numbers of subsets.
struct Subsets<'a> {
    of: &'a Dfa,
    projected: &'a [Track],
    inclusion: Option<Inclusion>,
    budget: &'a Budget,
    nodes: UniqueTable,
    sets: Vec<Set>,
    numbers: Memo<Set, u32>,
    /// The projected diagrams of the states, with singletons as leaves.
    lifted: Memo<Ref, Ref>,
    unions: Memo<(Ref, Ref), Ref>,
    /// The accepting sink of the automaton, if there is one.
    all: Option<u32>,
    bytes_of_sets: usize,
}

impl<'a> Subsets<'a> {
    fn new(
        of: &'a Dfa,
        projected: &'a [Track],
        inclusion: Option<Inclusion>,
        budget: &'a Budget,
    ) -> Subsets<'a> {
        let all = (0..of.states() as u32).find(|state| of.sink_value(*state) == Some(true));
        Subsets {
            of,
            projected,
            inclusion,
            budget,
            nodes: UniqueTable::new(of.nodes.radix()),
            sets: Vec::new(),
            numbers: Memo::default(),
            lifted: Memo::default(),
            unions: Memo::default(),
            all,
            bytes_of_sets: 0,
        }
    }

    /// The automaton of the subsets; `None` if there are more than `most`.
    fn all(mut self, most: usize) -> Result<Option<Dfa>, LimitExceeded> {
        let start = self.set(self.of.after_zeros(self.projected));
        // The states of the new automaton, by subset and in order.
        let mut states: Memo<u32, u32> = Memo::default();
        let mut order = vec![start];
        states.insert(start, 0);
        let mut roots = Vec::new();
        let mut next = 0;
        let mut seen = Vec::new();
        while let Some(&set) = order.get(next) {
            next += 1;
            if order.len() > most {
                return Ok(None);
            }
            let members = self.sets[set as usize].clone();
            let mut root = leaf(self.set(Vec::new()));
            for member in members.iter() {
                let one = self.lift(self.of.roots[*member as usize])?;
                root = self.union(root, one)?;
            }
            roots.push(root);
            // The next subsets.
            seen.resize(self.nodes.len(), false);
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
                            nodes.extend(self.nodes.children(at).iter().rev());
                        }
                    }
                }
            }
        }
        let mut renumbered = Renumbered {
            from: &self.nodes,
            states: &states,
            nodes: UniqueTable::new(self.nodes.radix()),
            memo: vec![Ref::MAX; self.nodes.len()],
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
        Ok(Some(Dfa {
            numeration: self.of.numeration,
            tracks: self
                .of
                .tracks
                .iter()
                .copied()
                .filter(|track| !self.projected.contains(track))
                .collect(),
            start: 0,
            accepting,
            roots,
            nodes: renumbered.nodes,
        }))
    }

    /// The number of a set of states, which are ascending; states that do not
    /// change its language are removed before.
    fn set(&mut self, mut states: Vec<u32>) -> u32 {
        states.retain(|state| self.of.sink_value(*state) != Some(false));
        if let Some(all) = self.all
            && states.contains(&all)
        {
            states = vec![all];
        }
        if let Some(inclusion) = &self.inclusion {
            inclusion.keep_maximal(&mut states);
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
        self.nodes.bytes() + self.bytes_of_sets + self.unions.bytes() + self.lifted.bytes()
    }

    fn lift(&mut self, at: Ref) -> Result<Ref, LimitExceeded> {
        if let Some(state) = number_of(at) {
            return Ok(leaf(self.set(vec![state])));
        }
        if let Some(known) = self.lifted.get(&at) {
            return Ok(*known);
        }
        self.budget.tick(|| self.bytes())?;
        let track = self.of.nodes.track(at).unwrap_or_default();
        let mut children = smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.lift(self.of.nodes.child(at, digit))?;
        }
        let node = if self.projected.contains(&track) {
            let mut union = children[0];
            for child in &children[1..] {
                union = self.union(union, *child)?;
            }
            union
        } else {
            self.nodes.node(track, &children)
        };
        self.lifted.insert(at, node);
        Ok(node)
    }

    fn union(&mut self, left: Ref, right: Ref) -> Result<Ref, LimitExceeded> {
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
                let of_left = self.nodes.track(left).unwrap_or(Track::MAX);
                let track = of_left.min(self.nodes.track(right).unwrap_or(Track::MAX));
                let mut children = smallvec_of(self.nodes.radix());
                for (digit, child) in children.iter_mut().enumerate() {
                    *child = self.union(
                        self.nodes.cofactor(left, track, digit),
                        self.nodes.cofactor(right, track, digit),
                    )?;
                }
                self.nodes.node(track, &children)
            }
        };
        self.unions.insert(pair, union);
        Ok(union)
    }

    fn is_all(&self, set: u32) -> bool {
        matches!((&*self.sets[set as usize], self.all), ([one], Some(all)) if *one == all)
    }
}

/// The copy of diagrams with renumbered leaves.
struct Renumbered<'a> {
    from: &'a UniqueTable,
    states: &'a Memo<u32, u32>,
    nodes: UniqueTable,
    memo: Vec<Ref>,
}

impl Renumbered<'_> {
    fn diagram(&mut self, at: Ref) -> Ref {
        if let Some(set) = number_of(at) {
            return leaf(self.states.get(&set).copied().unwrap_or_default());
        }
        if self.memo[at as usize] != Ref::MAX {
            return self.memo[at as usize];
        }
        let mut children = smallvec_of(self.nodes.radix());
        for (digit, child) in children.iter_mut().enumerate() {
            *child = self.diagram(self.from.child(at, digit));
        }
        let track = self.from.track(at).unwrap_or_default();
        let node = self.nodes.node(track, &children);
        self.memo[at as usize] = node;
        node
    }
}
