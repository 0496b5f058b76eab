//! The two searches that decide every condition of a certificate.
//!
//! [`Search::find_witness`] finds a position of one set from which a clause
//! leads to an option in another set. It is a reachability search in the
//! product of both DFAs and the clause's automaton. Of two states with the same nodes
//! of both DFAs one is skipped if the other accepts whatever it accepts.
//!
//! [`Search::without`] computes the positions of a set from which a clause leads
//! to no option in another set. It is a subset construction: each node of the
//! source is paired with the set of all states that the clause's automaton and
//! the target's DFA can be in. A subset with an element that accepts whatever digits
//! follow ends the search there. Such elements are found beforehand, as the largest set
//! that no digit forces to be left.

use crate::atom::{Clause, Variable};
use crate::automaton::{ClauseAutomaton, States};
use crate::dfa::{Dfa, EVERYTHING, Inclusion, NOTHING};
use crate::{Numeration, Unsupported, VerifyError};
use nimrule_limits::{LimitExceeded, Limits, Steps};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, Hash};

/// The parameters of the searches of one verification.
pub struct Search<'l> {
    pub heaps: usize,
    pub numeration: Numeration,
    pub limits: &'l Limits,
}

/// An interning table: each list of numbers is stored once and has a number.
struct Interner<T> {
    /// The lists, one after another.
    items: Vec<T>,
    /// For each list the index after its last item.
    ends: Vec<usize>,
    /// By hash, the last list with this hash.
    known: FxHashMap<u64, u32>,
    /// For each list the one before with the same hash; [`NONE`] if there is none.
    same_hash: Vec<u32>,
}

/// No list.
const NONE: u32 = u32::MAX;

impl<T: Copy + Eq + Hash> Interner<T> {
    fn new() -> Interner<T> {
        Interner {
            items: Vec::new(),
            ends: Vec::new(),
            known: FxHashMap::default(),
            same_hash: Vec::new(),
        }
    }

    fn insert(&mut self, list: &[T]) -> u32 {
        let fresh = self.ends.len() as u32;
        let last = self.known.entry(FxBuildHasher.hash_one(list));
        let mut other = match &last {
            Entry::Occupied(last) => *last.get(),
            Entry::Vacant(_) => NONE,
        };
        let before = other;
        while other != NONE {
            if list_of(&self.items, &self.ends, other) == list {
                return other;
            }
            other = self.same_hash[other as usize];
        }
        last.insert_entry(fresh);
        self.same_hash.push(before);
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len());
        fresh
    }

    fn list(&self, number: u32) -> &[T] {
        list_of(&self.items, &self.ends, number)
    }

    /// An estimate of the memory used.
    fn bytes(&self) -> usize {
        self.items.len() * size_of::<T>() + 48 * self.ends.len()
    }
}

fn list_of<'i, T>(items: &'i [T], ends: &[usize], number: u32) -> &'i [T] {
    let number = number as usize;
    let from = number.checked_sub(1).map_or(0, |before| ends[before]);
    &items[from..ends[number]]
}

/// A level, and a node of the target.
type Key = (i64, u32);

/// The nondeterministic automaton that reads the digits of a position and
/// accepts if a clause leads from it to an option in the target; the digits of
/// the option and of the existential variables are guessed. A state of it is
/// called an element: the level, the node of the target, and the state of the
/// clause's automaton.
struct Runs<'s> {
    automaton: ClauseAutomaton<'s>,
    target: Option<&'s Dfa>,
    heaps: usize,
    radix: u8,
    elements: Interner<i64>,
    /// The node of the target of each element.
    nodes: Vec<u32>,
    /// For each element the number of the part of its state in which elements that are
    /// comparable agree ([`ClauseAutomaton::exact_part`]).
    exact: Vec<u32>,
    exact_parts: Interner<i64>,
    /// Whether each element accepts whatever digits follow.
    always_accepts: Vec<bool>,
    /// The memo table of [`Runs::step`]: `steps[element * radix + digit]`, a range of
    /// `successors`.
    steps: Vec<Option<(u32, u32)>>,
    successors: Vec<u32>,
    /// The digits guessed and the elements compared since the last check of the limits.
    work: u64,
    /// Vectors that are used again and again.
    spare: Spare,
}

#[derive(Default)]
struct Spare {
    states: States,
    list: Vec<i64>,
    exact: Vec<i64>,
    found: Vec<u32>,
}

impl<'s> Runs<'s> {
    fn new(
        search: &Search<'_>,
        clause: &'s Clause,
        target: Option<&'s Dfa>,
    ) -> Result<Runs<'s>, Unsupported> {
        Ok(Runs {
            automaton: ClauseAutomaton::new(clause, search.heaps, search.numeration)?,
            target,
            heaps: search.heaps,
            radix: search.numeration.radix() as u8,
            elements: Interner::new(),
            nodes: Vec::new(),
            exact: Vec::new(),
            exact_parts: Interner::new(),
            always_accepts: Vec::new(),
            steps: Vec::new(),
            successors: Vec::new(),
            work: 0,
            spare: Spare::default(),
        })
    }

    fn start(&mut self) -> u32 {
        let mut list = vec![0, i64::from(self.target.map_or(EVERYTHING, |t| t.start))];
        list.extend(self.automaton.start());
        self.element(&list)
    }

    fn element(&mut self, list: &[i64]) -> u32 {
        let number = self.elements.insert(list);
        if self.nodes.len() <= number as usize {
            self.nodes.push(list[1] as u32);
            let exact = &mut self.spare.exact;
            exact.clear();
            self.automaton.exact_part(&list[2..], exact);
            self.exact.push(self.exact_parts.insert(exact));
            let is_settled = self.automaton.is_settled(&list[2..]);
            self.always_accepts
                .push(list[1] == i64::from(EVERYTHING) && is_settled);
        }
        number
    }

    /// The successors of an element by a digit of the position.
    fn step(&mut self, element: u32, digit: u8) -> &[u32] {
        let at = element as usize * usize::from(self.radix) + usize::from(digit);
        if let Some(Some((from, to))) = self.steps.get(at) {
            return &self.successors[*from as usize..*to as usize];
        }
        let list = self.elements.list(element);
        let (level, node) = (list[0] as usize, list[1] as u32);
        let mut states = std::mem::take(&mut self.spare.states);
        states.clear();
        states.extend_from_slice(&list[2..]);
        let automaton = &self.automaton;
        if level == 0 {
            automaton.begin_letter(&mut states);
        }
        automaton.read_digit(&mut states, Variable::Before(level), digit);
        let touched = automaton.clause.touched.contains(&level);
        let lower = if touched {
            0..self.radix
        } else {
            digit..digit + 1
        };
        let next = ((level + 1) % self.heaps) as i64;
        let mut found = std::mem::take(&mut self.spare.found);
        let mut list = std::mem::take(&mut self.spare.list);
        found.clear();
        for after in lower {
            let node = match self.target {
                Some(target) => target.after(node, usize::from(after)),
                None => node,
            };
            if node == NOTHING {
                continue;
            }
            list.clear();
            list.extend([next, i64::from(node)]);
            list.extend_from_slice(&states);
            if touched {
                let variable = Variable::After(level);
                self.automaton.read_digit(&mut list[2..], variable, after);
            }
            self.end_level(&mut list, level, &mut found);
        }
        found.sort_unstable();
        found.dedup();
        if self.steps.len() <= at {
            self.steps.resize(at + 1, None);
        }
        let from = self.successors.len();
        self.successors.extend_from_slice(&found);
        (self.spare.states, self.spare.list, self.spare.found) = (states, list, found);
        self.steps[at] = Some((from as u32, self.successors.len() as u32));
        &self.successors[from..]
    }

    /// Ends a level, and after the last heap guesses a digit of each existential variable,
    /// which are the levels that follow: collects the elements at which the clause can
    /// still hold.
    fn end_level(&mut self, list: &mut [i64], level: usize, to: &mut Vec<u32>) {
        self.work += 1;
        if !self.automaton.end_level(&mut list[2..], level) {
            return;
        }
        let next = (level + 1).checked_sub(self.heaps);
        let Some(index) = next.and_then(|at| self.automaton.order.get(at).copied()) else {
            to.push(self.element(list));
            return;
        };
        for digit in 0..self.radix {
            let mut list = list.to_vec();
            let variable = Variable::Some(index);
            self.automaton.read_digit(&mut list[2..], variable, digit);
            self.end_level(&mut list, level + 1, to);
        }
    }

    /// Whether an element accepts if no digit follows: the clause holds and the
    /// option is in the target.
    fn accepts(&self, element: u32) -> bool {
        let list = self.elements.list(element);
        self.target
            .is_none_or(|target| target.accepting[list[1] as usize])
            && self.automaton.accepts(&list[2..])
    }

    /// The level and the node of the target of an element.
    fn key(&self, element: u32) -> Key {
        let level = self.elements.list(element)[0];
        (level, self.nodes[element as usize])
    }

    /// Whether every word accepted from the element `less` is accepted from `more`, which
    /// has the same node of the target.
    fn subsumes(&self, more: u32, less: u32) -> bool {
        let states = |id: u32| &self.elements.list(id)[2..];
        more == less || self.automaton.subsumes(states(more), states(less))
    }

    /// Removes each element whose language another element is known to include.
    fn prune(&mut self, elements: &mut Vec<u32>, inclusion: Option<&Inclusion<'_>>) {
        let mut compared = 0;
        let is_less = |less: u32, more: u32| {
            let (one, other) = (self.nodes[less as usize], self.nodes[more as usize]);
            (one == other || inclusion.is_some_and(|by| by.holds(one, other)))
                && self.subsumes(more, less)
        };
        if elements.len() < 2 {
            return;
        }
        // Only elements with the same exact part are comparable.
        elements.sort_unstable_by_key(|element| (self.exact[*element as usize], *element));
        let groups = elements
            .chunk_by(|one, other| self.exact[*one as usize] == self.exact[*other as usize]);
        let mut kept = Vec::with_capacity(elements.len());
        for group in groups {
            if let [only] = group {
                kept.push(*only);
                continue;
            }
            let mut group = group.to_vec();
            let mut index = 0;
            while index < group.len() {
                let own = group[index];
                compared += group.len() as u64;
                let mut others = group.iter().enumerate();
                // Of two elements with the same language the first stays.
                let is_covered = others.any(|(at, other)| {
                    at != index && is_less(own, *other) && !(index < at && is_less(*other, own))
                });
                match is_covered {
                    true => drop(group.remove(index)),
                    false => index += 1,
                }
            }
            kept.append(&mut group);
        }
        kept.sort_unstable();
        *elements = kept;
        self.work += compared / COMPARISONS_A_DIGIT;
    }

    /// Checks the limits, at intervals of work. `bytes` is the memory of what is not counted here.
    fn check(&mut self, bytes: usize, limits: &Limits) -> Result<(), LimitExceeded> {
        self.work += 1;
        if self.work >= WORK_BETWEEN_CHECKS {
            let work = std::mem::take(&mut self.work);
            limits.check_work(Steps(work - work / 3))?;
            limits.check_memory((bytes + self.bytes()) as u128)?;
        }
        Ok(())
    }

    /// Marks the largest set of elements that accept where a word may end and from which
    /// every digit leads to an element of the set: they accept whatever digits follow. By
    /// one choice of digits for each digit, that is; an element that needs different ones,
    /// depending on later digits, is not found. Nothing is marked if more than
    /// [`MAX_MARKED`] elements are reached.
    fn mark_accepting_always(
        &mut self,
        begin: &[u32],
        limits: &Limits,
    ) -> Result<(), LimitExceeded> {
        let radix = usize::from(self.radix);
        let mut reached = begin.to_vec();
        let mut is_reached: Vec<bool> = Vec::new();
        let mut index = 0;
        let mut add = |element: u32, reached: &mut Vec<u32>| {
            let at = element as usize;
            is_reached.resize(is_reached.len().max(at + 1), false);
            if !std::mem::replace(&mut is_reached[at], true) {
                reached.push(element);
            }
        };
        begin.iter().for_each(|one| add(*one, &mut Vec::new()));
        while let Some(&element) = reached.get(index) {
            self.check(self.bytes(), limits)?;
            if reached.len() > MAX_MARKED {
                return Ok(());
            }
            index += 1;
            for digit in 0..self.radix {
                for to in self.step(element, digit) {
                    add(*to, &mut reached);
                }
            }
        }
        // For each element and digit, the number of successors in the set. The arcs to each
        // element are sorted by it: `first_arc` has the first index of each.
        let places = self.nodes.len() * radix;
        self.steps.resize(self.steps.len().max(places), None);
        let arcs = |place: usize| {
            let (from, to) = self.steps[place].unwrap_or((0, 0));
            &self.successors[from as usize..to as usize]
        };
        let mut left: Vec<u32> = (0..places).map(|place| arcs(place).len() as u32).collect();
        let mut first_arc: Vec<u32> = vec![0; self.nodes.len() + 1];
        for to in (0..places).flat_map(arcs) {
            first_arc[*to as usize] += 1;
        }
        for element in 1..first_arc.len() {
            first_arc[element] += first_arc[element - 1];
        }
        let mut before: Vec<u32> = vec![0; first_arc[self.nodes.len()] as usize];
        for place in 0..places {
            for to in arcs(place) {
                let at = &mut first_arc[*to as usize];
                *at -= 1;
                before[*at as usize] = place as u32;
            }
        }
        let is_out = |element: &u32| {
            let places = *element as usize * radix..(*element as usize + 1) * radix;
            let may_end = self.elements.list(*element)[0] == 0;
            left[places].contains(&0) || may_end && !self.accepts(*element)
        };
        let mut waiting: Vec<u32> = (0..self.nodes.len() as u32).filter(is_out).collect();
        let mut in_set = vec![true; self.nodes.len()];
        waiting.iter().for_each(|one| in_set[*one as usize] = false);
        while let Some(element) = waiting.pop() {
            let arcs =
                first_arc[element as usize] as usize..first_arc[element as usize + 1] as usize;
            for place in &before[arcs] {
                let left = &mut left[*place as usize];
                *left -= 1;
                let from = *place as usize / radix;
                if *left == 0 && std::mem::replace(&mut in_set[from], false) {
                    waiting.push(from as u32);
                }
            }
        }
        for (always, in_set) in self.always_accepts.iter_mut().zip(in_set) {
            *always |= in_set;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.elements.bytes()
            + self.exact_parts.bytes()
            + 12 * self.steps.len()
            + 4 * self.successors.len()
    }
}

/// The most elements with the same nodes that an element is compared with: where sums are
/// compared exactly, no element dominates another one, and there are many.
const MAX_OTHERS: usize = 16;

/// The guessed digits, of two thirds of a step each, after which the limits are checked, and the
/// comparisons of elements that take as long as one.
const WORK_BETWEEN_CHECKS: u64 = 256;
const COMPARISONS_A_DIGIT: u64 = 8;

/// The most elements among which those that accept whatever digits follow are sought.
const MAX_MARKED: usize = 1 << 20;

impl Search<'_> {
    /// A position of the source from which the clause leads to an option in the
    /// target, or to any option if there is no target.
    ///
    /// # Errors
    ///
    /// If the numeration does not decide the clause, or if a limit is exceeded.
    pub fn find_witness(
        &self,
        source: &Dfa,
        clause: &Clause,
        target: Option<&Dfa>,
    ) -> Result<Option<Vec<u64>>, VerifyError> {
        let mut runs = Runs::new(self, clause, target)?;
        // Each pair with the index of its predecessor and the digit between.
        let start = (source.start, runs.start());
        let mut reached = vec![(start, 0, 0)];
        let mut known: FxHashMap<(u32, u32), ()> = FxHashMap::from_iter([(start, ())]);
        // By node of the source and key of the element, some elements with their indices.
        let mut others: FxHashMap<(u32, Key), Vec<(u32, usize)>> = FxHashMap::default();
        // Whether another pair with the same node of the source accepts whatever this does.
        let mut is_dominated = vec![false];
        let (mut index, mut after) = (0, Vec::new());
        while let Some(&((node, element), _, _)) = reached.get(index) {
            runs.check(80 * reached.len(), self.limits)?;
            if is_dominated[index] {
                index += 1;
                continue;
            }
            let level = runs.elements.list(element)[0];
            if level == 0 && source.accepting[node as usize] && runs.accepts(element) {
                return Ok(Some(self.position(&reached, index)));
            }
            for digit in 0..runs.radix {
                let to = source.after(node, usize::from(digit));
                if to == NOTHING {
                    continue;
                }
                after.clear();
                after.extend_from_slice(runs.step(element, digit));
                for &element in &after {
                    if known.insert((to, element), ()).is_some() {
                        continue;
                    }
                    let others = others.entry((to, runs.key(element))).or_default();
                    if others
                        .iter()
                        .any(|(other, _)| runs.subsumes(*other, element))
                    {
                        continue;
                    }
                    others.retain(|(other, at)| {
                        let is_less = runs.subsumes(element, *other);
                        is_dominated[*at] |= is_less;
                        !is_less
                    });
                    if others.len() < MAX_OTHERS {
                        others.push((element, reached.len()));
                    }
                    reached.push(((to, element), index, digit));
                    is_dominated.push(false);
                }
            }
            index += 1;
        }
        Ok(None)
    }

    /// The position whose digits led to the pair at an index.
    fn position(&self, reached: &[((u32, u32), usize, u8)], mut index: usize) -> Vec<u64> {
        let mut digits = Vec::new();
        while index != 0 {
            digits.push(reached[index].2);
            index = reached[index].1;
        }
        digits.reverse();
        let of_heap = |heap| digits.iter().skip(heap).step_by(self.heaps).copied();
        let number = |heap| self.numeration.value_of(of_heap(heap));
        (0..self.heaps).map(number).collect()
    }

    /// The positions of the source from which the clause leads to no option in
    /// the target, or to no option at all if there is no target.
    ///
    /// # Errors
    ///
    /// If the numeration does not decide the clause, or if a limit is exceeded.
    pub fn without(
        &self,
        source: &Dfa,
        clause: &Clause,
        target: Option<&Dfa>,
    ) -> Result<Dfa, VerifyError> {
        let mut runs = Runs::new(self, clause, target)?;
        // An option or an existential variable may have more digits than the
        // position: adds every element that leading zeros lead to.
        let mut begin = vec![runs.start()];
        loop {
            let mut more = begin.clone();
            for _ in 0..self.heaps {
                let mut next = Vec::new();
                for element in more {
                    next.extend_from_slice(runs.step(element, 0));
                }
                more = next;
            }
            more.extend(&begin);
            more.sort_unstable();
            more.dedup();
            if more.len() == begin.len() {
                break;
            }
            begin = more;
        }
        let branches = !clause.touched.is_empty() || clause.some > 0;
        if branches {
            runs.mark_accepting_always(&begin, self.limits)?;
        }
        let inclusion = target
            .filter(|_| branches)
            .map(|target| Inclusion::new(target, self.limits));
        let inclusion = inclusion.transpose()?;
        runs.prune(&mut begin, inclusion.as_ref());
        let mut subsets = Interner::new();
        // The memo table of subsets by digit. The inner `None` means that some
        // element accepts whatever digits follow.
        let mut steps: Vec<Option<Option<u32>>> = Vec::new();
        // The nodes of the result: a node of the source, a subset, and a level.
        let mut found = Dfa::new(self.heaps, source.radix, EVERYTHING + 1);
        let mut pairs = vec![(source.start, subsets.insert(&begin), 0)];
        let mut known: FxHashMap<(u32, u32, usize), u32> =
            FxHashMap::from_iter([(pairs[0], found.start)]);
        let (mut index, mut to) = (0, Vec::new());
        while let Some(&(node, subset, level)) = pairs.get(index) {
            let bytes = subsets.bytes() + 32 * steps.len() + 96 * pairs.len();
            runs.check(bytes, self.limits)?;
            index += 1;
            let ends = level == 0 && source.accepting[node as usize];
            let mut elements = subsets.list(subset).iter();
            let accepting = ends && !elements.any(|element| runs.accepts(*element));
            found.push(level as u8, accepting, &[]);
            for digit in 0..runs.radix {
                let node = source.after(node, usize::from(digit));
                if node == NOTHING {
                    found.next.push(NOTHING);
                    continue;
                }
                let at = subset as usize * source.radix + usize::from(digit);
                steps.resize(steps.len().max(at + 1), None);
                let subset = *steps[at].get_or_insert_with(|| {
                    to.clear();
                    for element in subsets.list(subset).iter() {
                        to.extend_from_slice(runs.step(*element, digit));
                    }
                    to.sort_unstable();
                    to.dedup();
                    let ends_letter = level + 1 == self.heaps;
                    runs.prune(&mut to, inclusion.as_ref().filter(|_| ends_letter));
                    let always = |element: &u32| runs.always_accepts[*element as usize];
                    (!to.iter().any(always)).then(|| subsets.insert(&to))
                });
                let Some(subset) = subset else {
                    found.next.push(NOTHING);
                    continue;
                };
                let pair = (node, subset, (level + 1) % self.heaps);
                let next = known.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    EVERYTHING + pairs.len() as u32
                });
                found.next.push(*next);
            }
        }
        Ok(found.canonical(self.limits)?)
    }
}
