//! Projection: the existential quantifier over the number on a track, and the quantifier "at
//! least k tuples".
//!
//! Without the track the automaton is nondeterministic, and is determinised by
//! the subset construction. A state that is included in another state of a
//! subset can be removed from the subset ([`Inclusion`]). The inclusion relation
//! is computed only if there are many subsets, because it is expensive.
//!
//! The projected number may have more digits than the others. So the initial
//! subset has all states that are reached by words whose other tracks are 0.
//!
//! A tuple of projected numbers belongs to one path of the automaton, because it is
//! deterministic. So the quantifier "at least k tuples" counts paths: in place of subsets there
//! are multisets of states, each at most k times.

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
        let start = self.after_zeros(projected);
        let subsets = Subsets::new(self, projected, 1, None, budget);
        let (found, open) = subsets.all(start.clone(), most)?;
        if open.is_empty() {
            return found.minimised(budget);
        }
        let inclusion = self.inclusion(budget)?;
        let subsets = Subsets::new(self, projected, 1, Some(inclusion), budget);
        let (found, _) = subsets.all(start, usize::MAX)?;
        found.minimised(budget)
    }

    /// The tuples for which there are at least `least` different tuples of numbers on these
    /// tracks such that the relation holds, `least` being at least 1. If more than `most`
    /// multisets of states occur, only the shortest words are decided.
    ///
    /// # Errors
    ///
    /// A limit that is exceeded.
    pub fn project_at_least(
        &self,
        least: usize,
        projected: &[Track],
        most: usize,
        budget: &Budget,
    ) -> Result<Enclosure, LimitExceeded> {
        let mut projected = projected.to_vec();
        projected.sort_unstable();
        projected.dedup();
        // Leading zeros lead from the initial state to itself, so that each number counts once.
        let of = self.clone().normalised(budget)?;
        let subsets = Subsets::new(&of, &projected, least, None, budget);
        let start = subsets.after_counted_zeros(budget)?;
        let (found, open) = subsets.all(start, most)?;
        if open.is_empty() {
            let found = found.minimised(budget)?;
            return Ok(Enclosure {
                is_exact: true,
                within: found.clone(),
                beyond: found,
            });
        }
        let mut beyond = found.clone();
        for state in open {
            beyond.accepting[state] = true;
        }
        Ok(Enclosure {
            is_exact: false,
            within: found.minimised(budget)?,
            beyond: beyond.normalised(budget)?,
        })
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
    #[doc(hidden)]
    pub fn inclusion(&self, budget: &Budget) -> Result<Inclusion, LimitExceeded> {
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

/// Two relations between which a relation lies.
#[derive(Debug, Clone)]
pub struct Enclosure {
    /// Whether both are the relation.
    pub is_exact: bool,
    /// A part of the relation.
    pub within: Dfa,
    /// A relation of which it is a part.
    pub beyond: Dfa,
}

/// The subset construction; the leaves of its diagrams are numbers of subsets. They are
/// multisets if several tuples are wanted.
struct Subsets<'a> {
    of: &'a Dfa,
    /// The projected tracks; ascending if several tuples are wanted.
    projected: &'a [Track],
    /// The number of tuples that are wanted: a state is so often in a multiset at most.
    least: usize,
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
        least: usize,
        inclusion: Option<Inclusion>,
        budget: &'a Budget,
    ) -> Subsets<'a> {
        let is_accepting_sink = |state: &u32| of.sink_value(*state) == Some(true);
        // Several tuples are not accepted before their last digit.
        let all = (0..of.states() as u32)
            .find(is_accepting_sink)
            .filter(|_| least == 1);
        Subsets {
            of,
            projected,
            least,
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

    /// The states after words whose tracks are 0, except the projected ones, as often as there
    /// are words without a leading letter of zeros.
    fn after_counted_zeros(&self, budget: &Budget) -> Result<Vec<u32>, LimitExceeded> {
        let least = self.least as u64;
        let start = self.of.start as usize;
        // The number of ways from each state to others by one letter.
        let mut letters = Vec::with_capacity(self.of.states());
        for root in &self.of.roots {
            budget.tick(|| 16 * letters.len())?;
            letters.push(self.letters_of_zeros(*root));
        }
        let mut first = letters[start].clone();
        if let Some(itself) = first.iter_mut().find(|(to, _)| *to as usize == start) {
            itself.1 -= 1;
        }
        // The least solution of: the words of one letter, and those of the solution with a
        // letter more. The numbers only rise, to `least` at most.
        let mut counts = vec![0_u64; self.of.states()];
        loop {
            budget.limits().check_time()?;
            let mut next = vec![0_u64; counts.len()];
            for (to, ways) in &first {
                next[*to as usize] += (*ways).min(least);
            }
            for (from, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                for (to, ways) in &letters[from] {
                    let more = count.saturating_mul(*ways);
                    let sum = &mut next[*to as usize];
                    *sum = sum.saturating_add(more).min(least);
                }
            }
            next.iter_mut()
                .for_each(|count| *count = (*count).min(least));
            if next == counts {
                break;
            }
            counts = next;
        }
        // The word without letters.
        counts[start] = (counts[start] + 1).min(least);
        let mut states = Vec::new();
        for (state, count) in counts.iter().enumerate() {
            states.extend(std::iter::repeat_n(state as u32, *count as usize));
        }
        Ok(states)
    }

    /// The next states of a diagram by the letters that have zeros on all tracks but the
    /// projected ones, each with the number of these letters.
    fn letters_of_zeros(&self, root: Ref) -> Vec<(u32, u64)> {
        let nodes = &self.of.nodes;
        let mut found: Vec<(u32, u64)> = Vec::new();
        let mut open = vec![(root, None, 1_u64)];
        while let Some((at, after, ways)) = open.pop() {
            let track = nodes.track(at);
            let ways = ways.saturating_mul(self.skipped(after, track));
            match (track, number_of(at)) {
                (Some(track), _) if self.projected.contains(&track) => {
                    let children = nodes.children(at).iter();
                    open.extend(children.map(|child| (*child, Some(track), ways)));
                }
                (Some(track), _) => open.push((nodes.child(at, 0), Some(track), ways)),
                (None, to) => {
                    let to = to.unwrap_or_default();
                    match found.iter_mut().find(|(known, _)| *known == to) {
                        Some((_, so_far)) => *so_far = so_far.saturating_add(ways),
                        None => found.push((to, ways)),
                    }
                }
            }
        }
        found.retain(|(to, _)| self.of.sink_value(*to) != Some(false));
        found
    }

    /// The number of combinations of digits on the projected tracks between two tracks that a
    /// diagram tests one after the other, neither of which counts; `None` stands for the
    /// beginning and the end.
    fn skipped(&self, after: Option<Track>, before: Option<Track>) -> u64 {
        let is_between = |track: &&Track| {
            after.is_none_or(|after| after < **track) && before.is_none_or(|b| **track < b)
        };
        let tracks = self.projected.iter().filter(is_between).count();
        (self.of.nodes.radix() as u64).saturating_pow(tracks as u32)
    }

    /// A projected diagram as often as digits on the projected tracks lead to it that the
    /// automaton skips between two tracks ([`Subsets::skipped`]).
    fn repeated(
        &mut self,
        at: Ref,
        after: Option<Track>,
        before: Option<Track>,
    ) -> Result<Ref, LimitExceeded> {
        let ways = match self.least {
            1 => 1,
            least => self.skipped(after, before).min(least as u64),
        };
        let mut all = at;
        for _ in 1..ways {
            all = self.union(all, at)?;
        }
        Ok(all)
    }

    /// The automaton of the subsets, from the set or multiset of these states on. If there are
    /// more than `most`, the other ones are sinks that do not accept, which are returned.
    fn all(mut self, start: Vec<u32>, most: usize) -> Result<(Dfa, Vec<usize>), LimitExceeded> {
        let start = self.set(start);
        // The states of the new automaton, by subset and in order.
        let mut states: Memo<u32, u32> = Memo::default();
        let mut order = vec![start];
        states.insert(start, 0);
        let mut roots = Vec::new();
        let mut next = 0;
        let mut seen = Vec::new();
        let mut open = Vec::new();
        while let Some(&set) = order.get(next) {
            next += 1;
            if order.len() > most {
                open.push(next - 1);
                roots.push(leaf(set));
                continue;
            }
            let members = self.sets[set as usize].clone();
            let mut root = leaf(self.set(Vec::new()));
            for member in members.iter() {
                let of = self.of.roots[*member as usize];
                let one = self.lift(of)?;
                let one = self.repeated(one, None, self.of.nodes.track(of))?;
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
        let accepting = order.iter().enumerate();
        let accepting = accepting
            .map(|(state, set)| {
                let states = self.sets[*set as usize].iter();
                let accepting = states.filter(|state| self.of.is_accepting(**state));
                accepting.count() >= self.least && open.binary_search(&state).is_err()
            })
            .collect();
        let found = Dfa {
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
        };
        Ok((found, open))
    }

    /// The number of a set of states, which are ascending; states that do not
    /// change its language are removed before.
    fn set(&mut self, mut states: Vec<u32>) -> u32 {
        states.retain(|state| self.of.sink_value(*state) != Some(false));
        let mut times = 0;
        let mut before = None;
        states.retain(|state| {
            times = if before == Some(*state) { times + 1 } else { 1 };
            before = Some(*state);
            times <= self.least
        });
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
            let of = self.of.nodes.child(at, digit);
            let one = self.lift(of)?;
            *child = self.repeated(one, Some(track), self.of.nodes.track(of))?;
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
        if left == right && self.least == 1 {
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
